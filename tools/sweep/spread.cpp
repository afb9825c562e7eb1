#include "tools/sweep/spread.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "sim/error.hpp"

namespace hopsim {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;

// Messages, by their first byte.
constexpr char kSetup = 'S';   // to others: what to sweep
constexpr char kPoints = 'P';  // numbers of points to run
constexpr char kEnd = 'E';
constexpr char kRoom = 'W';    // to rank 0: for how many points more there is room
constexpr char kRecord = 'R';  // of a point that has run
constexpr char kFault = 'X';   // what went wrong at the rank
constexpr char kBye = 'B';     // the last

std::string_view body(const Ranks::Message& m) { return std::string_view(m.bytes).substr(1); }

Ranks::Message await(Ranks& ranks) {
  for (;;) {
    if (auto message = ranks.receive()) return *std::move(message);
    std::this_thread::sleep_for(1ms);
  }
}

// Until the end.
void serve(Ranks& ranks, SweepJobs& jobs) {
  std::size_t asked = 0;
  for (;;) {
    if (const std::size_t room = jobs.room(); room > asked) {
      ranks.send(0, kRoom + std::to_string(room - asked));
      asked = room;
    }
    while (const auto message = ranks.receive()) {
      if (message->bytes.front() == kEnd) return;
      std::istringstream numbers{std::string(body(*message))};
      for (std::size_t point = 0; numbers >> point; --asked) jobs.start(point);
    }
    if (const auto record = jobs.take(jobs.held() > 0 ? 500us : 1000us)) ranks.send(0, kRecord + *record);
  }
}

}  // namespace

// What they still send must be received, or they would wait for that.
Leader::~Leader() {
  if (ranks_ == nullptr) return;
  for (int r = 1; r < ranks_->size(); ++r) ranks_->send(r, std::string(1, kEnd));
  for (int left = ranks_->size() - 1; left > 0;)
    if (await(*ranks_).bytes.front() == kBye) --left;
}

void Leader::set_up(const SweepSetup& setup) {
  if (ranks_ == nullptr) return;
  const std::string message = kSetup + Json{{"name", setup.name}, {"text", setup.text}}.dump();
  for (int r = 1; r < ranks_->size(); ++r) ranks_->send(r, message);
}

void follow(Ranks& ranks, const std::function<std::unique_ptr<SweepJobs>(const SweepSetup&)>& make_jobs) {
  const Ranks::Message first = await(ranks);
  bool end = first.bytes.front() == kEnd;
  try {
    if (!end) {
      const Json setup = Json::parse(body(first));
      const auto jobs = make_jobs({setup.at("name"), setup.at("text")});
      serve(ranks, *jobs);
      end = true;
    }
  } catch (const std::exception& e) {
    ranks.send(0, kFault + std::string(e.what()));
  }
  while (!end) end = await(ranks).bytes.front() == kEnd;
  ranks.send(0, std::string(1, kBye));
}

SweepSpread::SweepSpread(std::size_t points, SweepJobs& jobs, const Leader& leader)
    : points_(points),
      jobs_(jobs),
      ranks_(leader.ranks()),
      wait_(ranks_ != nullptr ? 500us : 50ms),
      room_(ranks_ != nullptr ? static_cast<std::size_t>(ranks_->size()) : 0),
      alone_(ranks_ == nullptr && jobs.at_once() == 1) {}

void SweepSpread::run(const std::function<bool(std::size_t)>& is_done, const Finished& finished,
                      const std::function<void()>& meanwhile) {
  is_done_ = is_done;
  finished_ = finished;
  meanwhile_ = meanwhile;
  for (;;) {
    hand_out();
    if (jobs_.held() == 0 && elsewhere_ == 0) break;
    if (const auto record = jobs_.take(wait_)) absorb(*record);
    receive();
    meanwhile_();
  }
  rethrow();
  run_again();
}

// None when all are handed out, or a point threw.
std::optional<std::size_t> SweepSpread::next() {
  if (thrown_) return std::nullopt;
  while (next_ < points_ && is_done_(next_)) ++next_;
  if (next_ == points_) return std::nullopt;
  return next_++;
}

void SweepSpread::hand_out() {
  for (std::size_t r = 1; r < room_.size(); ++r) {
    std::string numbers;
    for (std::optional<std::size_t> point; room_[r] > 0 && (point = next()); --room_[r], ++elsewhere_)
      numbers += ' ' + std::to_string(*point);
    if (!numbers.empty()) ranks_->send(static_cast<int>(r), kPoints + numbers);
  }
  for (std::size_t room = jobs_.room(); room > 0; --room) {
    const auto point = next();
    if (!point) return;
    jobs_.start(*point);
  }
}

void SweepSpread::receive() {
  if (ranks_ == nullptr) return;
  while (const auto message = ranks_->receive()) {
    const std::string_view said = body(*message);
    const std::string from = "rank " + std::to_string(message->from) + ": ";
    switch (message->bytes.front()) {
      case kRoom:
        room_[static_cast<std::size_t>(message->from)] += std::stoul(std::string(said));
        break;
      case kRecord:
        --elsewhere_;
        absorb(said);
        break;
      default:
        throw std::runtime_error(from + std::string(said));
    }
  }
}

void SweepSpread::absorb(std::string_view record) {
  auto decoded = decode(record);
  if (!decoded) throw std::logic_error("a point's record that is not whole");
  FinishedPoint& f = decoded->finished;
  if (!f.thrown.empty()) {
    if (!thrown_ || f.point < thrown_->point) thrown_ = std::move(f);
  } else if (f.lacked_memory && !alone_) {
    again_.push_back(f.point);
  } else {
    finished_(record, *decoded);
  }
}

void SweepSpread::run_again() {
  alone_ = true;
  for (const std::size_t point : again_) {
    jobs_.start(point);
    for (std::optional<std::string> record; !record; meanwhile_())
      if ((record = jobs_.take(wait_))) absorb(*record);
  }
  rethrow();
}

void SweepSpread::rethrow() const {
  if (!thrown_) return;
  if (thrown_->bad_input) throw InputError(thrown_->thrown);
  throw std::runtime_error(thrown_->thrown);
}

}  // namespace hopsim
