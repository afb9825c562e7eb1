#include "tools/size_list.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "sim/units.hpp"

namespace hopsim {
namespace {

constexpr const char* kExamples = "4KiB; 1KiB,1MiB; 1KiB..100MiB*2; 1MB..10MB+1MB";
constexpr std::string_view kSpaces = " \t";

class SizeReader {
 public:
  SizeReader(std::string_view text, const std::string& flag)
      : text_(text), file_(std::make_shared<const std::string>(flag)) {}

  std::vector<Placed<Bytes>> read() {
    for (std::size_t begin = 0; begin <= text_.size();) {
      const std::size_t comma = std::min(text_.find(',', begin), text_.size());
      add(trimmed(text_.substr(begin, comma - begin)));
      begin = comma + 1;
    }
    return std::move(sizes_);
  }

 private:
  std::string_view trimmed(std::string_view part) const {
    const std::size_t first = std::min(part.find_first_not_of(kSpaces), part.size());
    part.remove_prefix(first);
    return part.substr(0, part.find_last_not_of(kSpaces) + 1);
  }

  FilePlace place(std::string_view part) const {  // `part` lies within the text
    return {file_, 1, 1 + static_cast<int>(part.data() - text_.data())};
  }

  [[noreturn]] void fail(std::string_view part, const std::string& problem,
                         const std::string& valid = kExamples) const {
    throw PlacedError(place(part), problem, quoted_for_message(std::string(part)), valid);
  }

  Bytes size(std::string_view part) const {
    try {
      return parse_bytes(part, Bare::allowed, Zero::allowed);
    } catch (const InputError& e) {
      throw PlacedError(place(part), e);
    }
  }

  void push(Bytes bytes, std::string_view part) {
    if (sizes_.size() == kMostSizes)
      fail(part, "more than " + std::to_string(kMostSizes) + " sizes", "a larger step, or *2");
    sizes_.push_back({bytes, place(part)});
  }

  void add(std::string_view item) {
    if (item.empty())
      fail(item, text_.find(',') == std::string_view::npos ? "no size" : "an empty place in the list of sizes");
    const std::size_t dots = item.find("..");
    if (dots == std::string_view::npos) return push(size(item), item);
    const std::string_view rest = item.substr(dots + 2);
    const std::size_t sign = rest.find_first_of("*+");
    if (sign == std::string_view::npos) fail(item, "a range without a step");
    add_range({size(trimmed(item.substr(0, dots))), size(trimmed(rest.substr(0, sign))), rest[sign] == '*',
               trimmed(rest.substr(sign + 1)), item});
  }

  struct Range {
    Bytes first, last;
    bool times;
    std::string_view step, all;
  };

  void add_range(const Range& r) {
    if (r.last < r.first) fail(r.all, "the range runs backwards");
    const std::uint64_t step = r.times ? factor(r) : size(r.step).count();
    if (step == 0) fail(r.step, "the range never ends: +0", "a step of 1 byte or more");
    for (std::uint64_t at = r.first.count(); at <= r.last.count();) {
      push(Bytes(at), r.all);
      // The next would be beyond the end; asked this way, nothing overflows.
      if (r.times ? at > r.last.count() / step : step > r.last.count() - at) return;
      at = r.times ? at * step : at + step;
    }
  }

  std::uint64_t factor(const Range& r) const {
    std::uint64_t f = 0;
    try {
      f = parse_count(r.step);
    } catch (const InputError& e) {
      throw PlacedError(place(r.step), e);
    }
    if (f < 2) fail(r.step, "the range never ends: *" + std::to_string(f), "a factor of 2 or more");
    if (r.first == Bytes{})
      fail(r.all, "the range never ends: it multiplies 0", "a range that begins with 1 byte or more");
    return f;
  }

  std::string_view text_;
  std::shared_ptr<const std::string> file_;
  std::vector<Placed<Bytes>> sizes_;
};

}  // namespace

std::vector<Placed<Bytes>> parse_sizes(std::string_view text, const std::string& flag) {
  return SizeReader(text, flag).read();
}

}  // namespace hopsim
