#include "collectives/rooted.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hopsim {
namespace {

constexpr int kPiecesPerStage = 64;       // filling the pipeline then adds 1.6 %
constexpr double kSmallestPiece = 16384;  // bytes

// A phase whose messages are copies.
class Copies final : public Phase {
 public:
  explicit Copies(PhasePtr of) : of_(std::move(of)) {}
  int length(const Coordinates& at) const override { return of_->length(at); }
  int channels() const override { return of_->channels(); }
  int alike(const Coordinates& at, int i, int way) const override { return of_->alike(at, i, way); }
  PhasePtr backwards() const override { return of_->backwards(); }
  Passage passage(const Coordinates& at, int i) const override {
    Passage p = of_->passage(at, i);
    p.op = Op::copy;
    return p;
  }

 private:
  PhasePtr of_;
};

}  // namespace

Schedule gather_of(Schedule scatter) {
  Schedule s = reversed(std::move(scatter));
  for (Lane& lane : s.lanes)
    for (Lane::Placed& p : lane.phases) p.phase = std::make_shared<Copies>(p.phase);
  return s;
}

Schedule turned(Operation operation, Schedule from_root) {
  if (operation == Operation::reduce) return reversed(std::move(from_root));
  if (operation == Operation::gather) return gather_of(std::move(from_root));
  return from_root;
}

// V/W + k c + (stages - 1) V/(k W) is least at k = sqrt((stages - 1) V / (W c)).
int pipeline_chunks(const Wiring& wiring, Bytes bytes, int stages, int most) {
  if (stages < 2) return 1;
  double pieces =
      std::min(static_cast<double>(stages) * kPiecesPerStage, static_cast<double>(bytes.count()) / kSmallestPiece);
  const double overhead = (wiring.overheads.chunk + wiring.overheads.step).seconds();
  if (overhead > 0 && wiring.link.bandwidth.bytes_per_second() > 0)
    pieces = std::min(pieces, std::sqrt((stages - 1) * wiring.link.bandwidth.duration(bytes).seconds() / overhead));
  return static_cast<int>(std::clamp(pieces, 1.0, static_cast<double>(most)));
}

Offset way_to(const Row& row, const Coordinates& at, int target) {
  const int n = row.size();
  int distance = target - row.position(at);
  if (row.straight() && row.wraps() && 2 * distance > n) distance -= n;
  if (row.straight() && row.wraps() && 2 * distance < -n) distance += n;
  return row.way(at, distance);
}

}  // namespace hopsim
