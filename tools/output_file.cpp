#include "tools/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "sim/error.hpp"
#include "tools/gzip_thread.hpp"

namespace hopsim {

namespace fs = std::filesystem;

OutputFile::OutputFile(const fs::path& path) : path_(path), target_(path) {
  if (path.extension() == ".gz")
    gzip_ = std::make_unique<GzipThread>([this](std::string_view bytes) { store(bytes); });
  open();
}

OutputFile::~OutputFile() {
  gzip_.reset();  // its thread writes to the file
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

void OutputFile::write(std::string_view bytes) { gzip_ ? gzip_->write(bytes) : store(bytes); }

void OutputFile::store(std::string_view bytes) {
  while (!bytes.empty() && error_ == 0) {
    const ::ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno != EINTR) error_ = errno;
      continue;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::finish() {
  if (gzip_) gzip_->finish();
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
