#include "tools/interrupts.hpp"

#include <cstdlib>
#include <ctime>

namespace hopsim {

Interrupts::Interrupts() {
  sigemptyset(&blocked_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&blocked_, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &blocked_, &before_);
}

Interrupts::~Interrupts() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

std::optional<int> Interrupts::pending() const {
  const timespec at_once{};
  const int signal = ::sigtimedwait(&blocked_, nullptr, &at_once);
  return signal > 0 ? std::optional(signal) : std::nullopt;
}

void Interrupts::end_by(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t all;
  sigemptyset(&all);
  sigaddset(&all, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &all, nullptr);
  std::raise(signal);
  std::_Exit(128 + signal);
}

}  // namespace hopsim
