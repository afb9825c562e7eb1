// Work done in a forked process, its result carried back through a pipe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace hopsim {

// The process ended without a result: killed, crashed, or told to exit.
struct ProcessDied : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Flat values one after the other.
class Packer {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_raw(&value, sizeof value);
  }
  template <class T>
  void put(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(values.size());
    put_raw(values.data(), values.size() * sizeof(T));
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  void put_raw(const void* from, std::size_t size) {
    const auto* begin = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), begin, begin + size);
  }
  std::vector<std::byte> bytes_;
};

// Takes them apart in the same order. REQUIRES: bytes of a Packer.
class Unpacker {
 public:
  explicit Unpacker(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  template <class T>
  void get(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    get_raw(&value, sizeof value);
  }
  template <class T>
  void get(std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::size_t size = 0;
    get(size);
    values.resize(size);
    get_raw(values.data(), size * sizeof(T));
  }

 private:
  void get_raw(void* to, std::size_t size) {
    if (size > bytes_.size() - at_) throw std::logic_error("a result is shorter than it says");
    if (size > 0) std::memcpy(to, bytes_.data() + at_, size);
    at_ += size;
  }
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
};

// `work` runs in a fork of this process; `meanwhile`, where given, here, every now and then until it ends. What work
// throws is thrown here: Deadlock, InputError, std::overflow_error, std::length_error, std::bad_alloc as such, any
// other std::exception as std::runtime_error. Throws ProcessDied, which names the signal. The process never outlives
// this one, nor the thread that called. Safe to call from several threads at once. REQUIRES of work: no stream, no
// lock that another thread may hold.
struct ForkedResult {
  Unpacker result;
  std::uint64_t peak_rss_bytes = 0;  // of the process
};
ForkedResult in_own_process(const std::function<void(Packer&)>& work, const std::function<void()>& meanwhile = {});

}  // namespace hopsim
