// Work in a process of its own: what it makes and what it throws comes back, and nothing stays behind.
#include "scenarios/own_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <new>
#include <numeric>

#include "sim/error.hpp"
#include "sim/machine.hpp"

namespace hopsim {
namespace {

using ::testing::HasSubstr;

bool no_child_left() { return ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }

template <class Error>
std::string thrown(const std::function<void()>& failing) {
  try {
    in_own_process([&](Packer&) { failing(); });
  } catch (const Error& e) {
    EXPECT_TRUE(no_child_left());
    return e.what();
  }
  return "nothing of that type";
}

TEST(OwnProcess, BringsBackWhatWasMade) {
  std::vector<std::uint64_t> many(1'000'000);
  std::iota(many.begin(), many.end(), 7);
  int here = 0;
  ForkedResult forked = in_own_process([&](Packer& to) {
    here = 1;
    to.put(many);
    to.put(std::vector<double>{});
    to.put(::getpid());
  });
  std::vector<std::uint64_t> back;
  std::vector<double> none{1.0};
  pid_t process = 0;
  forked.result.get(back);
  forked.result.get(none);
  forked.result.get(process);
  EXPECT_EQ(back, many);
  EXPECT_TRUE(none.empty());
  EXPECT_NE(process, ::getpid());
  EXPECT_EQ(here, 0);
  EXPECT_GT(forked.peak_rss_bytes, 8'000'000u);
  EXPECT_TRUE(no_child_left());
}

TEST(OwnProcess, ThrowsWhatWasThrownThere) {
  EXPECT_EQ(thrown<Deadlock>([] { throw Deadlock("chip 3 waits"); }), "chip 3 waits");
  EXPECT_EQ(thrown<InputError>([] { throw InputError("bad", "x", "y"); }), "bad; got x; valid: y");
  EXPECT_EQ(thrown<std::overflow_error>([] { throw std::overflow_error("too long"); }), "too long");
  EXPECT_EQ(thrown<std::length_error>([] { throw std::length_error("too large"); }), "too large");
  EXPECT_EQ(thrown<std::runtime_error>([] { throw std::logic_error("a fault"); }), "a fault");
  EXPECT_NE(thrown<std::bad_alloc>([] { throw std::bad_alloc(); }), "nothing of that type");
}

TEST(OwnProcess, SaysHowAProcessWithoutAResultEnded) {
  EXPECT_THAT(thrown<ProcessDied>([] { ::raise(SIGKILL); }), HasSubstr("by signal 9 (Killed), as the system does"));
  EXPECT_THAT(thrown<ProcessDied>([] { ::raise(SIGTERM); }), HasSubstr("by signal 15 (Terminated)"));
  EXPECT_EQ(thrown<ProcessDied>([] { ::_exit(3); }), "ended with exit code 3");
}

TEST(OwnProcess, WhatHappensMeanwhileMayEndIt) {
  int called = 0;
  in_own_process([](Packer&) { ::usleep(600'000); }, [&] { ++called; });
  EXPECT_GE(called, 1);
  EXPECT_THROW(in_own_process([](Packer&) { ::pause(); }, [] { throw std::runtime_error("enough"); }),
               std::runtime_error);
  EXPECT_TRUE(no_child_left());
}

}  // namespace
}  // namespace hopsim
