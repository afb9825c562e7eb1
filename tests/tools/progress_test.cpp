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

TEST(Progress, TellsTheShareAndTheTimeLeft) {
  EXPECT_EQ(share_text(0, 0, 0), "");
  EXPECT_EQ(share_text(0.25, 0.25, 0), "25 %");
  EXPECT_EQ(share_text(0.37, 0.02, 7), "37 %, 13 s left");  // 7 s for 35 % makes 12.6 for 63 %
  EXPECT_EQ(share_text(0.1, 0, 60), "10 %, 9 min left");
  EXPECT_EQ(share_text(0.995, 0, 10), "99 %, 1 s left");
  EXPECT_EQ(share_text(1.2, 0, 10), "99 %");  // more than expected
}

TEST(Progress, OfSeveralRunsTheShareIsOfAll) {
  Watched buffer;
  std::ostream err(&buffer);
  {
    Progress progress(err, true, 1ms);
    progress.at("row 3 of 4", 2, 4);
    progress.expect(1000);
    progress.run().tell(500, Time{});
    EXPECT_TRUE(buffer.flushed());
  }
  EXPECT_THAT(buffer.str(), testing::AnyOf(HasSubstr("hopsim: row 3 of 4: 62 % (0 s)"),
                                           HasSubstr("hopsim: row 3 of 4: 50 % (0 s)")));
}

// A quarter is done; of the two that run one is halfway, of the other nothing is known: 1.5 of 4.
TEST(Progress, RunsThatGoOnAtOnceAddUp) {
  Watched buffer;
  std::ostream err(&buffer);
  {
    Progress progress(err, true, 50ms);
    Progress::Run one(progress), other(progress);
    one.expect(1000);
    one.counts().tell(500, Time{});
    progress.at("1 of 4 points", 1, 4);
    EXPECT_TRUE(buffer.flushed());
  }
  EXPECT_THAT(buffer.str(), HasSubstr("hopsim: 1 of 4 points: 37 % (0 s)"));
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
