#include "tools/sweep/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "sim/error.hpp"

namespace hopsim {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSchema = "hopsim.sweep-journal/1";

// What a descriptor's file holds, without reading it all.
class Mapped {
 public:
  Mapped(int descriptor, std::uint64_t size) : size_(size) {
    if (size == 0) return;
    data_ = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
    if (data_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  }
  ~Mapped() {
    if (size_ > 0) ::munmap(data_, size_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  std::string_view text() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::uint64_t size_;
};

std::uint64_t size_of(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

// Whether the file of that name is still the one that was opened.
bool is_there(int descriptor, const fs::path& path) {
  struct stat opened {
  }, named{};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

int write_at(int descriptor, std::string_view bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ::ssize_t n = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<::off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
  return 0;
}

SweepJournal::Identity with_schema(const SweepJournal::Identity& identity, std::size_t points) {
  SweepJournal::Identity head{{"schema", kSchema}};
  head.update(identity);
  head["points"] = points;
  return head;
}

std::string points_text(std::size_t points) {
  return fmt::format("{} finished point{}", points, points == 1 ? "" : "s");
}

}  // namespace

fs::path SweepJournal::beside(const fs::path& output) { return output.string() + ".partial"; }

SweepJournal::SweepJournal(fs::path path, const Identity& identity, std::size_t points, bool resume)
    : path_(std::move(path)), places_(points) {
  try {
    open();
    const Identity head = with_schema(identity, points);
    if (size_of(descriptor_) > 0) go_on(head, resume);
    if (end_ == 0) begin(head, points);
  } catch (...) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw;
  }
}

SweepJournal::SweepJournal(std::size_t points) : places_(points) {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "hopsim.XXXXXX").string();
  if (!error) descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail(error ? error.value() : errno);
  ::unlink(name.c_str());
}

SweepJournal::~SweepJournal() {
  if (finished_ == 0 && !path_.empty() && descriptor_ >= 0) ::unlink(path_.c_str());
  if (descriptor_ >= 0) ::close(descriptor_);
}

void SweepJournal::open() {
  do {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail(errno);
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
      throw InputError(name() + " is in use: another sweep to the same file is going on", {},
                       "wait for it, or another output file");
  } while (!is_there(descriptor_, path_));  // the other one ended, and removed it, in between
}

void SweepJournal::begin(const Identity& head, std::size_t points) {
  const std::string line = head.dump() + '\n';
  if (::ftruncate(descriptor_, 0) != 0) fail(errno);
  if (const int error = write_at(descriptor_, line, 0)) fail(error);
  head_ = end_ = line.size();
  places_.assign(points, {});
  finished_ = 0;
}

void SweepJournal::go_on(const Identity& head, bool resume) {
  const std::uint64_t size = size_of(descriptor_);
  const Mapped file(descriptor_, size);
  const std::string_view line = file.text().substr(0, file.text().find('\n'));
  const Identity found = Identity::parse(line, nullptr, false);
  if (!found.is_object() || !found.contains("schema") || found["schema"] != kSchema || !found.contains("points"))
    throw InputError(name() + " is in the way: a sweep keeps its finished points there, and it is something else", {},
                     "move it, or another output file");
  head_ = line.size() + 1;
  std::size_t finished = 0;
  const std::uint64_t whole = scan([&](const DecodedPoint&, std::uint64_t) { ++finished; });
  dropped_ = size > whole ? size - whole : 0;
  if (finished == 0) return;
  if (!resume)
    throw InputError(fmt::format("{} holds {} of {} of an interrupted sweep", name(), points_text(finished),
                                 found["points"].dump()),
                     {}, "--resume goes on with it; or delete it");
  for (const auto& [key, value] : head.items()) {
    if (found.contains(key) && found[key] == value) continue;
    const std::string what = fmt::format("--resume: {} is of another sweep: {} differs", name(), key);
    if (key == kDigest) throw InputError(what, {}, "what it was begun with, or another output file");
    throw InputError(what, found.contains(key) ? found[key].dump() : "nothing",
                     value.dump() + ", or another output file");
  }
  end_ = scan([&](const DecodedPoint& d, std::uint64_t text_at) { place(d, text_at); });
  if (::ftruncate(descriptor_, static_cast<::off_t>(end_)) != 0) fail(errno);
}

std::uint64_t SweepJournal::scan(const std::function<void(const DecodedPoint&, std::uint64_t)>& visit) const {
  const std::uint64_t size = size_of(descriptor_);
  const Mapped file(descriptor_, size);
  std::uint64_t at = head_;
  while (at < size) {
    const auto record = decode(file.text().substr(at));
    if (!record || !record->finished.thrown.empty()) break;
    visit(*record, static_cast<std::uint64_t>(record->text.data() - file.text().data()));
    at += record->size;
  }
  return at;
}

void SweepJournal::place(const DecodedPoint& d, std::uint64_t text_at) {
  if (d.finished.point >= places_.size())
    throw InputError(name() + " is damaged: it holds a point that the sweep has not",
                     std::to_string(d.finished.point),
                     fmt::format("below {}; delete it, or another output file", places_.size()));
  Place& place = places_[d.finished.point];
  finished_ += place.size == 0 ? 1 : 0;
  place = {text_at, d.text.size() + 1};
}

void SweepJournal::each(const std::function<void(FinishedPoint)>& visit) const {
  scan([&](const DecodedPoint& d, std::uint64_t) { visit(d.finished); });
}

void SweepJournal::add(std::string_view record, const DecodedPoint& d) {
  if (const int error = write_at(descriptor_, record, end_)) {
    [[maybe_unused]] const int half =
        ::ftruncate(descriptor_, static_cast<::off_t>(end_));  // dropped later if not now
    fail(error);
  }
  place(d, end_ + static_cast<std::uint64_t>(d.text.data() - record.data()));
  end_ += record.size();
}

std::string SweepJournal::text(std::size_t point) const {
  const Place& place = places_.at(point);
  std::string text(place.size - 1, ' ');
  for (std::size_t done = 0; done < text.size();) {
    const ::ssize_t n =
        ::pread(descriptor_, text.data() + done, text.size() - done, static_cast<::off_t>(place.at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      throw InputError("cannot read " + name() + ": " + std::generic_category().message(n < 0 ? errno : EIO));
    done += static_cast<std::size_t>(n);
  }
  return text;
}

void SweepJournal::remove() {
  if (path_.empty() || descriptor_ < 0) return;
  ::unlink(path_.c_str());
  ::close(std::exchange(descriptor_, -1));
}

std::string SweepJournal::name() const { return path_.empty() ? "a temporary file" : path_.string(); }

void SweepJournal::fail(int error) const {
  std::string what = "cannot write " + name() + ": " + std::generic_category().message(error);
  if (!path_.empty() && finished_ > 0)
    what += fmt::format("; safe in it: {}, with which --resume goes on", points_text(finished_));
  throw InputError(what);
}

}  // namespace hopsim
