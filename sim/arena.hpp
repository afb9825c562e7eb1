// Memory for coroutine frames: taken piece by piece, given back all at once when the task they belong to has ended.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace hopsim {

// Blocks that arenas give back and take again.
class ArenaBlocks {
 public:
  static constexpr std::size_t kBlock = std::size_t{1} << 18;
  using Block = std::unique_ptr<std::byte[]>;

  Block take() {
    if (free_.empty()) return std::make_unique_for_overwrite<std::byte[]>(kBlock);
    Block b = std::move(free_.back());
    free_.pop_back();
    return b;
  }
  void give_back(Block b) { free_.push_back(std::move(b)); }

 private:
  std::vector<Block> free_;
};

class Arena {
 public:
  explicit Arena(ArenaBlocks& blocks) : source_(blocks) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    for (auto& b : blocks_) source_.give_back(std::move(b));
  }
  void* take(std::size_t n) {  // n at most a block
    n = (n + 15) & ~std::size_t{15};
    if (blocks_.empty() || used_ + n > ArenaBlocks::kBlock) {
      blocks_.push_back(source_.take());
      used_ = 0;
    }
    return blocks_.back().get() + std::exchange(used_, used_ + n);
  }

 private:
  ArenaBlocks& source_;
  std::vector<ArenaBlocks::Block> blocks_;
  std::size_t used_ = 0;
};

}  // namespace hopsim
