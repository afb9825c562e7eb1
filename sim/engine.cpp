#include "sim/engine.hpp"

namespace hopsim {

Time Overheads::jittered(const Message& m) const {
  std::uint64_t z = seed + m.position.key() * 0x9e3779b97f4a7c15u +
                    (std::uint64_t{index(m.from)} << 8 | m.order) * 0xd1342543de82ef95u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;  // splitmix64
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return later(step, Time::picoseconds((z ^ z >> 31) % (jitter.ps() + 1)));
}

}  // namespace hopsim
