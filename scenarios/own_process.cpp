#include "scenarios/own_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <stdio_ext.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "sim/error.hpp"
#include "sim/machine.hpp"

namespace hopsim {
namespace {

constexpr int kTickMs = 200;      // of `meanwhile`
constexpr int kOutOfMemory = 77;  // exit code of a child that wants more than there is

// The first byte the process sends: a result, or what was thrown, whose message follows.
enum class Sent : std::uint8_t { result, deadlock, input, overflow, length, memory, other };

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

bool write_all(int to, const void* data, std::size_t size) {
  const auto* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = ::write(to, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool send(int to, Sent what, const void* data, std::size_t size) {
  return write_all(to, &what, sizeof what) && write_all(to, &size, sizeof size) && write_all(to, data, size);
}

bool send(int to, Sent what, const std::string& message) { return send(to, what, message.data(), message.size()); }

bool work_and_send(const std::function<void(Packer&)>& work, int to) {
  try {
    Packer packer;
    work(packer);
    return send(to, Sent::result, packer.bytes().data(), packer.bytes().size());
  } catch (const Deadlock& e) {
    return send(to, Sent::deadlock, e.what());
  } catch (const InputError& e) {
    return send(to, Sent::input, e.what());
  } catch (const std::overflow_error& e) {
    return send(to, Sent::overflow, e.what());
  } catch (const std::length_error& e) {
    return send(to, Sent::length, e.what());
  } catch (const std::bad_alloc&) {
    return send(to, Sent::memory, nullptr, 0);
  } catch (const std::exception& e) {
    return send(to, Sent::other, e.what());
  }
}

[[noreturn]] void be_the_child(pid_t parent, const std::function<void(Packer&)>& work, int to) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::__fpurge(stdout);                     // what waits there is the parent's to write, and libraries may flush
  if (::getppid() != parent) ::_exit(1);  // it ended before that took hold
  std::set_new_handler([] { ::_exit(kOutOfMemory); });  // at once: libraries that go on without memory crash
  ::_exit(work_and_send(work, to) ? 0 : 1);             // no destructors: streams and threads are the parent's
}

// Waits for it if it is not waited for: no zombie stays behind, whatever is thrown meanwhile.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int wait() {
    int status = 0;
    while (::wait4(pid_, &status, 0, &usage_) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    return status;
  }
  std::uint64_t peak_rss_bytes() const { return static_cast<std::uint64_t>(usage_.ru_maxrss) * 1024; }

 private:
  pid_t pid_;
  rusage usage_{};
};

// A pipe ends when the last process that can write to it does: no other may be forked with it.
std::mutex& one_fork_at_a_time() {
  static std::mutex mutex;  // the process's, as forks are
  return mutex;
}

std::vector<std::byte> read_all(int from, const std::function<void()>& meanwhile) {
  std::vector<std::byte> all;
  std::byte buffer[1 << 16];
  for (;;) {
    pollfd ready{from, POLLIN, 0};
    if (::poll(&ready, 1, meanwhile ? kTickMs : -1) <= 0) {
      if (meanwhile) meanwhile();
      continue;
    }
    const ssize_t n = ::read(from, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return all;
    all.insert(all.end(), buffer, buffer + n);
  }
}

[[noreturn]] void throw_sent(Sent what, const std::string& message) {
  switch (what) {
    case Sent::deadlock:
      throw Deadlock(message);
    case Sent::input:
      throw InputError(message);
    case Sent::overflow:
      throw std::overflow_error(message);
    case Sent::length:
      throw std::length_error(message);
    case Sent::memory:
      throw std::bad_alloc();
    default:
      throw std::runtime_error(message);
  }
}

std::string end_of(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("ended with exit code {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return fmt::format("was ended by signal {} ({}){}", signal, ::strsignal(signal),
                     signal == SIGKILL ? ", as the system does where memory runs out" : "");
}

}  // namespace

ForkedResult in_own_process(const std::function<void(Packer&)>& work, const std::function<void()>& meanwhile) {
  std::unique_lock lock(one_fork_at_a_time());
  int ends[2];
  if (::pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "no pipe");
  Descriptor from(ends[0]), to(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "no process can be started");
  if (pid == 0) be_the_child(parent, work, to.get());
  Child child(pid);
  to.close();
  lock.unlock();
  std::vector<std::byte> sent = read_all(from.get(), meanwhile);
  const int status = child.wait();
  if (WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemory) throw std::bad_alloc();

  Sent what{};
  std::size_t size = 0;
  constexpr std::size_t kHead = sizeof what + sizeof size;
  if (sent.size() >= kHead) {
    std::memcpy(&what, sent.data(), sizeof what);
    std::memcpy(&size, sent.data() + sizeof what, sizeof size);
  }
  if (sent.size() < kHead || sent.size() - kHead != size) throw ProcessDied(end_of(status));
  if (what != Sent::result) throw_sent(what, {reinterpret_cast<const char*>(sent.data()) + kHead, size});
  sent.erase(sent.begin(), sent.begin() + kHead);
  return {Unpacker(std::move(sent)), child.peak_rss_bytes()};
}

}  // namespace hopsim
