#include "tools/sweep_command.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>

#include "scenarios/available_memory.hpp"
#include "sim/version.hpp"
#include "tools/interrupts.hpp"
#include "tools/report/data.hpp"
#include "tools/report/html_file.hpp"
#include "tools/report/sweep.hpp"
#include "tools/sweep/jobs.hpp"
#include "tools/sweep/output.hpp"
#include "tools/sweep/ranks.hpp"
#include "tools/sweep/setup.hpp"
#include "tools/sweep/spread.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

std::string scenario_name(const Sweep& sweep) {
  if (const YamlValue* name = sweep.base().root.find("name"); name != nullptr && name->is_scalar()) return name->text;
  return sweep.base().name == "<stdin>" ? "stdin" : std::filesystem::path(sweep.base().name).stem().string();
}

std::string text_of(std::istream& in) {
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Interrupted {
  int signal;
};

std::uint64_t memory_for_one(const Ranks* ranks) {
  const auto processes = ranks == nullptr ? 1 : ranks->on_this_machine();
  return available_memory().bytes / static_cast<std::uint64_t>(processes);
}

// The file that finished points are kept beside; empty: there is none.
std::string kept_beside(const CommonFlags& flags) {
  for (const std::string* path : {&flags.json, &flags.csv, &flags.html})
    if (becomes_file(*path)) return *path;
  return {};
}

class SweepRun {
 public:
  SweepRun(const SweepArguments& arguments, const Streams& streams, Leader& leader)
      : arguments_(arguments),
        streams_(streams),
        leader_(leader),
        metric_(arguments.best),
        progress_(streams.err, streams.err_is_terminal && !flags().quiet) {
    progress_.at("reading");
    SweepSetup setup;
    Document document = read(setup);
    const SweepJournal::Identity identity = identity_of(document, arguments);
    sweep_.emplace(make_sweep(std::move(document), arguments, [&] { end_if_interrupted(); }));
    output_.emplace(flags().json, flags().csv, streams.out);
    html_.emplace(flags().html);
    if (becomes_file(flags().html)) html_.reset();  // till it is written: a sweep may be killed
    open_journal(identity);
    json_.emplace(*sweep_);
    names_.emplace(*sweep_);
    points_.resize(sweep_->points());
    leader.set_up(setup);
  }

  int run() {
    run_points();
    progress_.wipe();
    if (errors_ == points_.size()) refuse_all();
    tell_warnings();
    finish();
    return std::any_of(points_.begin(), points_.end(), [](const SweepPoint& p) { return p.failed; }) ? 1 : 0;
  }

 private:
  const CommonFlags& flags() const { return arguments_.flags; }
  const std::string& file() const { return sweep_->base().name; }

  Document read(SweepSetup& setup) {
    if (arguments_.file == "-") {
      setup.text = text_of(streams_.in);
      std::istringstream in(setup.text);
      Document document = read_document("-", in);
      setup.name = document.name;
      return document;
    }
    Document document = read_document(arguments_.file, streams_.in);
    setup.name = document.name;
    std::ifstream file(arguments_.file);
    if (leader_.ranks() != nullptr) setup.text = text_of(file);
    return document;
  }

  void open_journal(const SweepJournal::Identity& identity) {
    const std::string beside = kept_beside(flags());
    if (!beside.empty()) {
      const std::filesystem::path path = SweepJournal::beside(beside);
      check_apart(path);
      const bool there = std::filesystem::exists(path);
      journal_.emplace(path, identity, sweep_->points(), arguments_.resume);
      if (arguments_.resume && !there)
        streams_.log->info("{} is not there: nothing to go on with, so the sweep begins", path.string());
      if (journal_->dropped() > 0)
        streams_.log->warn("{}: {} bytes behind its last whole point are dropped", path.string(),
                           journal_->dropped());
      return;
    }
    if (arguments_.resume)
      throw InputError("--resume goes on with what is kept beside an output file, and there is none", {},
                       "--json FILE, --csv FILE or --html FILE, as of the sweep that was interrupted");
    if (!flags().json.empty()) journal_.emplace(sweep_->points());
  }

  void check_apart(const std::filesystem::path& journal) const {
    std::error_code none;
    for (const std::string* path : {&flags().json, &flags().csv, &flags().html})
      if (!path->empty() &&
          std::filesystem::weakly_canonical(*path, none) == std::filesystem::weakly_canonical(journal, none))
        throw InputError("finished points are kept there until the sweep ends", *path, "another output file");
  }

  void run_points() {
    if (journal_) journal_->each([&](FinishedPoint f) { keep(std::move(f)); });
    if (done_ > 0) streams_.log->info("{} of {} points are done already", done_, points_.size());
    show();
    PointRunner runner(*sweep_, arguments_, metric_, memory_for_one(leader_.ranks()), !flags().json.empty(),
                       progress_, streams_);
    SweepJobs jobs(jobs_of(arguments_.jobs), std::ref(runner));
    SweepSpread(points_.size(), jobs, leader_)
        .run([&](std::size_t point) { return journal_ && journal_->has(point); },
             [&](std::string_view record, const DecodedPoint& d) {
               if (journal_) journal_->add(record, d);
               keep(d.finished);
               show();
             },
             [&] { end_if_interrupted(); });
  }

  void keep(FinishedPoint f) {
    ++done_;
    if (!f.kept.ran()) ++errors_;
    for (const std::string& warning : f.warnings) ++warnings_[warning];
    points_[f.point] = std::move(f.kept);
    const SweepPoint& p = points_[f.point];
    if (p.ranked()) rank(f.point);
  }

  void rank(std::size_t point) {
    const auto [best, first] = best_.try_emplace(names_->name(point, PointNames::Part::work), point);
    if (!first && metric_.better(points_[point].metric, points_[best->second].metric)) best->second = point;
    latest_best_ = best->second;
  }

  void show() {
    if (!streams_.err_is_terminal) return;
    std::string text = fmt::format("{} of {} points", done_, points_.size());
    if (latest_best_)
      text += fmt::format(", best {}: {}", metric_.text(points_[*latest_best_].metric), names_->name(*latest_best_));
    progress_.at(text, done_, points_.size());
  }

  std::string kept_text() const {
    return fmt::format("{} of {} points are in {}; the same command with --resume goes on from there", done_,
                       points_.size(), journal_->path().string());
  }

  void throw_if_interrupted() {
    if (const auto signal = interrupts_.pending()) throw Interrupted{*signal};
  }

  void end_if_interrupted() {
    if (const auto signal = interrupts_.pending()) end_by(*signal);
  }

  // At once: points that are running are not waited for.
  [[noreturn]] void end_by(int signal) {
    progress_.wipe();
    const bool kept = journal_ && !journal_->path().empty() && done_ > 0;
    if (journal_ && !kept) journal_->remove();
    streams_.err << "hopsim: interrupted" << (kept ? ": " + kept_text() : ", and nothing is kept") << std::endl;
    Interrupts::end_by(signal);
  }

  // Nothing that would be of use another time.
  [[noreturn]] void refuse_all() {
    if (journal_) journal_->remove();
    const SweepPoint& first = points_.front();
    std::string place = first.error.substr(0, first.error_place), what = first.error.substr(first.error_place);
    if (!place.empty()) {
      what.erase(0, 2);
      const std::string name = std::filesystem::path(file()).filename().string() + ":";
      if (place.starts_with(name)) place.replace(0, name.size() - 1, file());
      place += ": ";
    }
    what = place + fmt::format("no point of the sweep can be run, of {}; the first: ", points_.size()) + what;
    if (first.failed) throw SweepFailed(what);
    throw InputError(what);
  }

  void tell_warnings() const {
    for (const auto& [warning, points] : warnings_)
      streams_.log->warn("{}: {} ({} of {} points)", file(), warning, points, points_.size());
    const bool expects = sweep_->base().root.find("expect") != nullptr;
    const auto held = std::any_of(points_.begin(), points_.end(), [](const auto& p) { return !p.expected.empty(); });
    if (expects && !held) streams_.log->info("{}: expect is of the base point, which the sweep leaves out", file());
  }

  Json head() const {
    return {{"schema", "hopsim.sweep/1"},   {"version", kVersion},   {"scenario", scenario_name(*sweep_)},
            {"engine", flags().engine},     {"axes", json_->axes()}, {"zip", json_->zip()},
            {"grid", sweep_->grid_points()}};
  }

  Json tail(const Ranking& ranking) const {
    Json best = Json::array();
    for (const Work& work : ranking.works())
      if (work.best)
        best.push_back({{"point", *work.best},
                        {"parameters", json_->parameters(*work.best)},
                        {"value", points_[*work.best].metric}});
    return {{"errors", errors_}, {"ranked_by", metric_.path()}, {"best", best}};
  }

  void finish() {
    const Ranking ranking(*sweep_, points_, metric_);
    try {
      write_files(ranking);
    } catch (const InputError& e) {
      if (!journal_ || journal_->path().empty()) throw;
      throw InputError(e.what() + ("; " + kept_text()));
    } catch (const Interrupted& i) {
      end_by(i.signal);
    }
    if (journal_) journal_->remove();
    if (flags().quiet || output_->own_standard_output()) return;
    streams_.out << sweep_report(scenario_name(*sweep_), *sweep_, points_, metric_) << std::flush;
  }

  // Finished points are kept until this has ended.
  void write_files(const Ranking& ranking) {
    output_->write({.head = head(),
                    .tail = tail(ranking),
                    .points = points_.size(),
                    .text = [&](std::size_t i) { return journal_->text(i); },
                    .row =
                        [&](std::size_t i) {
                          return sweep_row(json_->parameters(i), points_[i], ranking.against_best(i), metric_);
                        }},
                   [&] { throw_if_interrupted(); });
    if (!flags().html.empty()) write_page(ranking);
  }

  void write_page(const Ranking& ranking) {
    if (!html_) html_.emplace(flags().html);
    std::vector<std::string> notes;
    for (const auto& [warning, points] : warnings_)
      notes.push_back(fmt::format("{} ({} of {} points)", warning, points, points_.size()));
    Json result = head();
    result.update(tail(ranking));
    Json page = report_frame("sweep", scenario_name(*sweep_));
    page["sweep"] = sweep_data(*sweep_, points_, ranking, metric_, std::move(result), std::move(notes));
    html_->write(page);
  }

  const SweepArguments& arguments_;
  const Streams& streams_;
  Leader& leader_;
  const Metric metric_;
  const Interrupts interrupts_;  // before any thread
  Progress progress_;
  std::optional<Sweep> sweep_;
  std::optional<SweepOutput> output_;
  std::optional<HtmlFile> html_;
  std::optional<SweepJournal> journal_;  // where points are kept
  std::optional<SweepJson> json_;
  std::optional<PointNames> names_;

  std::vector<SweepPoint> points_;
  std::size_t done_ = 0, errors_ = 0;
  std::map<std::string, std::size_t> best_;      // so far, by the work it does
  std::optional<std::size_t> latest_best_;       // of the work of the point that finished last
  std::map<std::string, std::size_t> warnings_;  // and at how many points
};

// Runs points for rank 0, and says nothing.
int follow_sweep(const SweepArguments& arguments, Ranks& ranks) {
  std::ostream nowhere(nullptr);
  std::istringstream nothing;
  const Streams streams{
      .in = nothing, .out = nowhere, .err = nowhere, .log = std::make_shared<spdlog::logger>("hopsim")};
  const Metric metric(arguments.best);
  Progress progress(nowhere, false);
  std::optional<Sweep> sweep;
  std::optional<PointRunner> runner;
  follow(ranks, [&](const SweepSetup& setup) {
    sweep.emplace(make_sweep(parse_document(setup.text, setup.name), arguments));
    runner.emplace(*sweep, arguments, metric, memory_for_one(&ranks), !arguments.flags.json.empty(), progress,
                   streams);
    return std::make_unique<SweepJobs>(jobs_of(arguments.jobs), std::ref(*runner));
  });
  return 0;
}

}  // namespace

int sweep_command(const SweepArguments& arguments, const Streams& streams) {
  check_flags(arguments.flags, {arguments.file});
  if (!arguments.flags.trace.empty())
    throw InputError("--trace takes one run, not a sweep", arguments.flags.trace, "hopsim run FILE --set KEY=VALUE");
  jobs_of(arguments.jobs);
  const std::unique_ptr<Ranks> ranks = join_ranks();
  if (ranks && ranks->rank() > 0) return follow_sweep(arguments, *ranks);
  Leader leader(ranks.get());
  return SweepRun(arguments, streams, leader).run();
}

}  // namespace hopsim
