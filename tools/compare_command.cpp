#include "tools/compare_command.hpp"

#include <ostream>

#include "sim/error.hpp"
#include "sim/version.hpp"
#include "tools/compare/kinds.hpp"
#include "tools/flags.hpp"
#include "tools/result_files.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

Compared compared(const ResultFile& a, const ResultFile& b) {
  switch (a.kind) {
    case ResultKind::run:
      return compare_runs(a, b);
    case ResultKind::collective:
      return compare_collectives(a, b);
    case ResultKind::sweep:
      return compare_sweeps(a, b);
    case ResultKind::explain:
      break;
  }
  return compare_explanations(a, b);
}

// Of a list its first run's: they are of one program.
Json side_json(const ResultFile& file) {
  const Json& result = file.json.is_array() ? file.json.front() : file.json;
  return {{"file", file.file}, {"version", ResultValue(result, "", file.file).text("version")}};
}

// For a terminal, which must not take a name in a file for a command.
std::string shown_text(const ResultFile& a, const ResultFile& b, const Compared& comparison) {
  return plain(a) && plain(b) ? comparison.text : compared(shown(a), shown(b)).text;
}

void check_json(const CompareArguments& arguments) {
  CommonFlags flags;
  flags.json = arguments.json;
  check_flags(flags, {arguments.before, arguments.after});
}

}  // namespace

int compare_command(const CompareArguments& arguments, const Streams& streams) {
  if (arguments.before == "-" && arguments.after == "-")
    throw InputError("compare: standard input is one result, not both", "- -", "a file for one of them");
  check_json(arguments);
  const ResultFile a = read_result(arguments.before, streams.in), b = read_result(arguments.after, streams.in);
  if (a.kind != b.kind)
    throw InputError(b.file + ": of another command than " + a.file,
                     std::string("a result of hopsim ") + name_of(b.kind),
                     std::string("of hopsim ") + name_of(a.kind));
  ResultFiles files(arguments.json);
  const Compared comparison = compared(a, b);

  Json json{{"schema", "hopsim.compare/1"}, {"version", kVersion}, {"kind", name_of(a.kind)}};
  json["a"] = side_json(a);
  json["b"] = side_json(b);
  json.update(comparison.json);
  if (!arguments.json.empty()) files.write(json, {}, streams.out);
  if (!arguments.quiet && !files.own_standard_output()) streams.out << shown_text(a, b, comparison) << std::flush;
  return 0;
}

}  // namespace hopsim
