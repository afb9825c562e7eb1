#include "tools/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

#include "sim/error.hpp"

namespace hopsim {

namespace fs = std::filesystem;

struct OutputFile::Gzip {
  z_stream stream{};
  std::array<char, 1 << 16> out;

  Gzip() {
    constexpr int kGzipContainer = 16 + MAX_WBITS, kMemoryLevel = 9;  // its header holds neither name nor time
    if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipContainer, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~Gzip() { deflateEnd(&stream); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
};

OutputFile::OutputFile(const fs::path& path) : path_(path), target_(path) {
  if (path.extension() == ".gz") gzip_ = std::make_unique<Gzip>();
  open();
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::open() {
  std::error_code none;
  if (path_.empty()) fail(ENOENT);
  if (const fs::path real = fs::canonical(path_, none); !none) target_ = real;
  const fs::file_status status = fs::status(target_, none);
  if (fs::is_directory(status)) fail(EISDIR);
  if (fs::exists(status) && ::access(target_.c_str(), W_OK) != 0) fail(errno);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  for (int n = 0; descriptor_ < 0; ++n) {
    fs::path name = target_;
    name += fmt::format(".{}-{}.tmp", ::getpid(), n);
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) fail(errno);
    if (descriptor_ >= 0) temporary_ = std::move(name);
  }
}

void OutputFile::write(std::string_view bytes) {
  if (gzip_) return compress(bytes, Z_NO_FLUSH);
  store(bytes.data(), bytes.size());
}

void OutputFile::compress(std::string_view bytes, int flush) {
  z_stream& z = gzip_->stream;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  do {
    z.next_out = reinterpret_cast<Bytef*>(gzip_->out.data());
    z.avail_out = static_cast<uInt>(gzip_->out.size());
    deflate(&z, flush);
    store(gzip_->out.data(), gzip_->out.size() - z.avail_out);
  } while (z.avail_out == 0);
}

void OutputFile::store(const char* from, std::size_t size) {
  while (size > 0 && error_ == 0) {
    const ::ssize_t written = ::write(descriptor_, from, size);
    if (written < 0) {
      if (errno != EINTR) error_ = errno;
      continue;
    }
    from += written;
    size -= static_cast<std::size_t>(written);
  }
}

void OutputFile::finish() {
  if (gzip_) compress({}, Z_FINISH);
  if (::close(std::exchange(descriptor_, -1)) != 0 && error_ == 0) error_ = errno;
  if (error_ != 0) fail(error_);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

void OutputFile::fail(int error) const {
  throw InputError("cannot write " + path_.string() + ": " + std::generic_category().message(error));
}

}  // namespace hopsim
