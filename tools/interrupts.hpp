// SIGINT, SIGTERM and SIGHUP, asked for in place of being told: blocked while this lives, in this thread and those it
// starts. Those that are ignored stay so.
#pragma once

#include <csignal>
#include <optional>

namespace hopsim {

class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  std::optional<int> pending() const;  // takes it
  // Ends the process as the signal would have.
  [[noreturn]] static void end_by(int signal);

 private:
  sigset_t blocked_, before_;
};

}  // namespace hopsim
