#include "tools/gzip_thread.hpp"

#include <system_error>
#include <utility>

namespace hopsim {

GzipThread::GzipThread(std::function<void(std::string_view)> store) : store_(std::move(store)) {}

GzipThread::~GzipThread() { end(true); }

void GzipThread::write(std::string_view bytes) {
  while (block_.size() + bytes.size() >= kBlock) {
    const std::size_t n = kBlock - block_.size();
    block_.append(bytes.substr(0, n));
    bytes.remove_prefix(n);
    hand_over();
  }
  block_.append(bytes);
}

void GzipThread::finish() {
  end(false);
  if (failure_) std::rethrow_exception(failure_);
  compress(block_);
  out_.clear();
  encoder_.finish(out_);
  store_(out_);
}

void GzipThread::hand_over() {
  if (!thread_.joinable() && !alone_) start();
  if (alone_) {
    compress(block_);
    block_.clear();
    return;
  }
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() < kAhead; });
    waiting_.push_back(std::move(block_));
  }
  changed_.notify_all();
  block_ = {};
  block_.reserve(kBlock);
}

void GzipThread::start() try {
  thread_ = std::thread([this] { work(); });
} catch (const std::system_error&) {
  alone_ = true;
}

void GzipThread::work() {
  for (;;) {
    std::string block;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      block = std::move(waiting_.front());
      waiting_.pop_front();
      if (failure_) block.clear();  // the writer must not wait for ever
    }
    changed_.notify_all();
    try {
      compress(block);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
  }
}

void GzipThread::end(bool dropping) {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    if (dropping) waiting_.clear();
  }
  changed_.notify_all();
  thread_.join();
}

void GzipThread::compress(std::string_view block) {
  out_.clear();
  encoder_.write(block, out_);
  store_(out_);
}

}  // namespace hopsim
