#include "scenarios/require_memory.hpp"

#include <fmt/format.h>

#include "scenarios/available_memory.hpp"
#include "sim/error.hpp"

namespace hopsim {
namespace {

std::string what_fits(const MachineModel& machine, const Plan& plan, const TrialRuns& trials, const Estimate& e,
                      std::uint64_t available) {
  std::string text;
  const bool folded = e.chips < machine.shape.logical_chips();
  if (!folded && trials.obstacle(plan).empty()) {
    const Estimate one = estimate(machine, plan, true);
    if (one.bytes < available)
      text = fmt::format("one chip for all that are alike (--fold auto, no trace, no critical path), about {}; ",
                         about_bytes(one.bytes));
  }
  const double share = static_cast<double>(available) / static_cast<double>(e.bytes + e.fabric_bytes);
  if (const auto chips = static_cast<std::uint64_t>(static_cast<double>(e.chips) * share); chips > 1)
    text += fmt::format("up to about {} chips; ", chips);
  return text + "fewer chunks, or an algorithm with fewer messages at once";
}

}  // namespace

void require_memory(const MachineModel& machine, const Plan& plan, const TrialRuns& trials, const Estimate& e,
                    std::uint64_t allowed) {
  const std::uint64_t needed = e.bytes + e.fabric_bytes;
  std::optional<AvailableMemory> available;
  if (allowed == 0)
    available = short_of(needed);
  else if (needed > allowed)
    available = {allowed, "allowed"};
  if (!available) return;
  throw InputError(fmt::format("too little memory: the run takes about {}, for {} on {} simulated chips",
                               about_bytes(needed), amount(e.messages, "message"), e.chips),
                   fmt::format("{} ({})", about_bytes(available->bytes), available->limit),
                   what_fits(machine, plan, trials, e, available->bytes));
}

}  // namespace hopsim
