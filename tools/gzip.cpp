#include "tools/gzip.hpp"

#include <algorithm>
#include <stdexcept>

namespace hopsim {

GzipEncoder::GzipEncoder() : stream_(std::make_unique<isal_zstream>()), level_buffer_(ISAL_DEF_LVL1_DEFAULT) {
  isal_deflate_init(stream_.get());
  stream_->level = 1;
  stream_->level_buf = level_buffer_.data();
  stream_->level_buf_size = static_cast<std::uint32_t>(level_buffer_.size());
  stream_->gzip_flag = IGZIP_GZIP;
}

void GzipEncoder::write(std::string_view bytes, std::string& out) {
  while (!bytes.empty()) {
    const std::size_t n = std::min(bytes.size(), kBlock - pending_.size());
    if (pending_.empty() && n == kBlock) {  // a whole block, not copied
      compress(bytes.substr(0, n), false, out);
    } else {
      pending_ += bytes.substr(0, n);
      if (pending_.size() == kBlock) {
        compress(pending_, false, out);
        pending_.clear();
      }
    }
    bytes.remove_prefix(n);
  }
}

void GzipEncoder::finish(std::string& out) { compress(pending_, true, out); }

void GzipEncoder::compress(std::string_view bytes, bool last, std::string& out) {
  constexpr std::size_t kRoom = 64 << 10;
  stream_->next_in = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes.data()));  // reads only
  stream_->avail_in = static_cast<std::uint32_t>(bytes.size());
  stream_->end_of_stream = last;
  stream_->flush = NO_FLUSH;
  do {
    const std::size_t had = out.size();
    out.resize(had + kRoom);
    stream_->next_out = reinterpret_cast<unsigned char*>(out.data() + had);
    stream_->avail_out = kRoom;
    const int failure = isal_deflate(stream_.get());
    out.resize(had + kRoom - stream_->avail_out);
    if (failure != COMP_OK) throw std::runtime_error("igzip failed: " + std::to_string(failure));
  } while (stream_->avail_out == 0 || (last && stream_->internal_state.state != ZSTATE_END));
}

}  // namespace hopsim
