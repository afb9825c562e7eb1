#include "tools/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <sstream>

namespace hopsim {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;

// Tells when something was flushed, so that no test has to guess how long a thread takes.
class Watched final : public std::stringbuf {
 public:
  bool flushed() { return first_.get_future().wait_for(30s) == std::future_status::ready; }

 protected:
  int sync() override {
    if (!told_) first_.set_value();
    told_ = true;
    return 0;
  }

 private:
  std::promise<void> first_;
  bool told_ = false;
};

TEST(Progress, SaysNothingWhereThereIsNoTerminal) {
  std::ostringstream err;
  {
    Progress progress(err, false, 0ms);
    progress.at("row 1 of 2");
    progress.wipe();
  }
  EXPECT_EQ(err.str(), "");
}

TEST(Progress, SaysNothingBeforeTheDelay) {
  std::ostringstream err;
  {
    Progress progress(err, true, 1h);
    progress.at("row 1 of 2");
  }
  EXPECT_EQ(err.str(), "");
}

TEST(Progress, ShowsWhatIsDoneAndLeavesNoTrace) {
  Watched buffer;
  std::ostream err(&buffer);
  {
    Progress progress(err, true, 1ms);
    progress.at("row 1 of 2");
    EXPECT_TRUE(buffer.flushed());
  }
  EXPECT_THAT(buffer.str(), HasSubstr("hopsim: row 1 of 2 (0 s)"));
  EXPECT_THAT(buffer.str(), EndsWith("\r\x1b[K"));
}

TEST(Progress, StaysOnOneLine) {
  Watched buffer;
  std::ostream err(&buffer);
  {
    Progress progress(err, true, 1ms);
    progress.at(std::string(300, 'x'));
    EXPECT_TRUE(buffer.flushed());
    progress.wipe();
  }
  const std::string line = buffer.str().substr(4, buffer.str().find('\r', 4) - 4);
  EXPECT_LE(line.size(), 79u);
  EXPECT_THAT(line, EndsWith(" s)"));
}

}  // namespace
}  // namespace hopsim
