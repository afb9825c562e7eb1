#include "tools/usage.hpp"

#include <algorithm>

#include "scenarios/fields.hpp"
#include "sim/error.hpp"

namespace hopsim {
namespace {

// "run: ", or nothing where no command was given.
std::string of_command(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? "" : commands.front()->get_name() + ": ";
}

std::string see_help(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return "hopsim " + (commands.empty() ? "" : commands.front()->get_name() + " ") + "--help";
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::string listed(const std::vector<std::string>& names) { return joined(Names(names.begin(), names.end())); }

std::string meant(std::string_view got, const std::vector<std::string>& valid) {
  const std::string near(nearest(got, Names(valid.begin(), valid.end())));
  return near.empty() ? "" : " (did you mean " + near + "?)";
}

std::vector<std::string> flags_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  return flags;
}

}  // namespace

void check_command(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::vector<std::string> commands = commands_of(app);
  if (std::find(commands.begin(), commands.end(), argv[1]) != commands.end()) return;
  throw InputError("unknown command" + meant(argv[1], commands), quoted_for_message(argv[1]), listed(commands));
}

void check_extras(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  const CLI::App& where = commands.empty() ? app : *commands.front();
  for (const CLI::App* at : {&app, &where})
    for (const std::string& extra : at->remaining()) {
      const bool flag = extra.size() > 1 && extra[0] == '-';
      const std::string name = extra.substr(0, extra.find('='));
      throw InputError(
          of_command(app) + (flag ? "unknown flag" + meant(name, flags_of(where)) : "one argument too many"),
          quoted_for_message(extra), "see " + see_help(app));
    }
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& e) {
  if (app.get_subcommands().empty() && dynamic_cast<const CLI::RequiredError*>(&e) != nullptr)
    return "no command; valid: " + listed(commands_of(app)) + "; see hopsim --help";
  return of_command(app) + e.what() + "; see " + see_help(app);
}

}  // namespace hopsim
