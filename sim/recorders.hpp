// Several recorders in place of one: each hears of all, in the order they were added.
#pragma once

#include <vector>

#include "sim/recorder.hpp"

namespace hopsim {

class Recorders final : public Recorder {
 public:
  void add(Recorder& recorder) { all_.push_back(&recorder); }  // outlives this
  // What to hand to a run: nothing, the only one, or this.
  Recorder* get() { return all_.empty() ? nullptr : all_.size() == 1 ? all_.front() : this; }

  void hop(const HopRecord& h) override {
    for (Recorder* r : all_) r->hop(h);
  }
  void compute(ChipId chip, std::uint32_t task, Time start, Time end) override {
    for (Recorder* r : all_) r->compute(chip, task, start, end);
  }
  void task(ChipId chip, std::uint32_t task, Time start, Time end) override {
    for (Recorder* r : all_) r->task(chip, task, start, end);
  }

 private:
  std::vector<Recorder*> all_;
};

}  // namespace hopsim
