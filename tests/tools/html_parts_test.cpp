// The parts of a report that are made without running anything: the page around its data, stretches, the timeline's
// choice of chips, the critical path made short.
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <sstream>

#include "sim/error.hpp"
#include "tests/support/scratch.hpp"
#include "tests/tools/html_page.hpp"
#include "tools/report/data.hpp"
#include "tools/report/html_file.hpp"
#include "tools/report/timeline.hpp"

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr PageParts kParts{.script = "run();", .script_hash = "sha256-abc", .style = "p { color: red; }"};

Time us(std::uint64_t n) { return Time::picoseconds(n * 1'000'000); }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

// --- the page ---

TEST(HtmlPage, HoldsItsDataItsScriptAndItsStyle) {
  const Json data{{"title", "a run"}, {"runs", {1, 2.5, "three"}}};
  const std::string page = html_page(kParts, data);
  EXPECT_EQ(test::page_data(page), data);
  EXPECT_THAT(page, HasSubstr("<!doctype html>"));
  EXPECT_THAT(page, HasSubstr("<title>a run - hopsim</title>"));
  EXPECT_THAT(page, HasSubstr("<style>\np { color: red; }</style>"));
  EXPECT_THAT(page, HasSubstr("<script>run();</script>"));
  EXPECT_THAT(page, HasSubstr(R"(<meta name="viewport" content="width=device-width, initial-scale=1">)"));
}

TEST(HtmlPage, ForbidsAllButItsOwnScript) {
  const std::string page = html_page(kParts, {{"title", ""}});
  EXPECT_THAT(page, HasSubstr("content=\"default-src 'none'; script-src 'sha256-abc';"));
  EXPECT_THAT(page, Not(HasSubstr("unsafe-eval")));
  EXPECT_THAT(page, Not(HasSubstr("http:")));
  EXPECT_THAT(page, Not(HasSubstr("https:")));
}

TEST(HtmlPage, NamesCannotEndTheElementThatHoldsThem) {
  const std::string name = "</script><script>alert(1)</script></title><!--<script>&amp;\xE2\x80\xA8";
  const Json data{{"title", name}, {"deep", {{{name, name}}}}};
  const std::string page = html_page(kParts, data);
  EXPECT_EQ(test::page_data(page), data);
  EXPECT_EQ(count(page, "<script"), 2u);  // the data, the script
  EXPECT_EQ(count(page, "</script"), 2u);
  EXPECT_EQ(count(page, "<!--"), 0u);
  EXPECT_EQ(count(page, "</title"), 1u);
  EXPECT_THAT(page, HasSubstr("&lt;!--&lt;script&gt;&amp;amp;"));
}

TEST(HtmlPage, TakesTextThatIsNotUtf8) {
  const std::string page = html_page(kParts, {{"title", "t"}, {"name", "a\xFFz"}});
  EXPECT_EQ(test::page_data(page)["name"], "a\xEF\xBF\xBDz");
}

TEST(HtmlFile, AppearsWholeOrNotAtAll) {
  const test::Scratch folder;
  const std::string path = folder / "r.html";
  {
    HtmlFile given_up(path);
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  HtmlFile file(path);
  file.write({{"title", "t"}});
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(test::page_data(text.str())["title"], "t");
  EXPECT_FALSE(HtmlFile("").wanted());
  EXPECT_THROW(HtmlFile(folder / "no" / "r.html"), InputError);
}

// --- stretches ---

TEST(Stretches, GapsCloseWithinAStep) {
  std::vector<DrawnStretch> all{{us(10), us(12), 0}, {us(0), us(4), 0}, {us(5), us(6), 1}, {us(6), us(7), 0}};
  close_gaps(all, us(2));
  EXPECT_THAT(all, ElementsAre(DrawnStretch{us(0), us(7), 0}, DrawnStretch{us(5), us(6), 1},
                               DrawnStretch{us(10), us(12), 0}));
  close_gaps(all, us(3));
  EXPECT_THAT(all, ElementsAre(DrawnStretch{us(0), us(12), 0}, DrawnStretch{us(5), us(6), 1}));
}

TEST(Stretches, ShortOnesJoinWhateverTheirSteps) {
  std::vector<DrawnStretch> all{{us(0), us(1), 0}, {us(2), us(3), 1}, {us(4), us(9), 1}, {us(9), us(10), 1}};
  join_short(all, us(5));
  EXPECT_THAT(all, ElementsAre(DrawnStretch{us(0), us(3), kSeveralSteps}, DrawnStretch{us(4), us(9), 1},
                               DrawnStretch{us(9), us(10), 1}));
}

Fabric ring(std::int16_t chips) {
  Fabric f;
  f.shape = {.dimensions = 1, .size = {chips, 1, 1, 1}, .wrap = {true}};
  f.nodes = f.shape.chips();
  const auto n = f.nodes;
  for (std::uint32_t c = 0; c < n; ++c) f.links.push_back({c, (c + 1) % n, Bandwidth(1'000'000'000), us(1)});
  for (std::uint32_t c = 0; c < n; ++c) f.links.push_back({c, (c + n - 1) % n, Bandwidth(1'000'000'000), us(1)});
  return f;
}

HopRecord hop(std::uint32_t link, Time start, Time end, std::uint32_t step = 0) {
  HopRecord h;
  h.link = LinkId(link);
  h.posted = h.start = start;
  h.end = h.delivered = end;
  h.task = step;
  return h;
}

TEST(LinkStretches, UnitesWhatAbuts) {
  const Fabric fabric = ring(4);
  LinkStretches links(fabric);
  links.hop(hop(1, us(0), us(3)));
  links.hop(hop(1, us(3), us(5)));
  links.hop(hop(1, us(5), us(6), 1));
  links.hop(hop(1, us(7), us(8), 1));
  EXPECT_THAT(links.of(LinkId(1)), ElementsAre(DrawnStretch{us(0), us(5), 0}, DrawnStretch{us(5), us(6), 1},
                                               DrawnStretch{us(7), us(8), 1}));
  EXPECT_THAT(links.of(LinkId(0)), IsEmpty());
}

// 1 us busy, 1 us idle, a million times: the gaps are all alike, so they close at once.
TEST(LinkStretches, KeepsLittleOfALinkThatIsBusyAMillionTimes) {
  const Fabric fabric = ring(4);
  LinkStretches links(fabric, 800);
  for (std::uint64_t i = 0; i < 1'000'000; ++i)
    links.hop(hop(0, us(2 * i), us(2 * i + 1), static_cast<std::uint32_t>(i % 7)));
  const auto kept = links.of(LinkId(0));
  EXPECT_LE(kept.size(), 100u);  // 800 of 8 links
  EXPECT_EQ(kept.front().start, us(0));
  EXPECT_EQ(kept.back().end, us(1'999'999));
}

// --- the timeline ---

struct Recorded {
  explicit Recorded(std::int16_t chips) : fabric(ring(chips)), activity(fabric.chips()), links(fabric) {
    result.link_busy.resize(fabric.links.size());
    result.time = us(100);
  }
  Json json() { return TimelineData(fabric, result, activity, links).json(); }

  Fabric fabric;
  Activity activity;
  LinkStretches links;
  RunResult result;
};

TEST(Timeline, OfEqualChipsNoneIsSpecial) {
  Recorded r(4);
  for (auto& chip : r.activity.compute) chip.add(0, us(0), us(10));
  const Json chips = r.json()["chips"];
  ASSERT_EQ(chips.size(), 4u);
  for (const Json& chip : chips) EXPECT_EQ(chip["why"], "");
  EXPECT_EQ(chips[3], (Json{{"chip", 3}, {"name", "(3)"}, {"why", ""}}));
}

TEST(Timeline, ShowsTheChipsThatMatterAndOthersEvenly) {
  Recorded r(100);
  for (auto& chip : r.activity.compute) chip.add(0, us(0), us(10));
  r.activity.compute[41].add(1, us(20), us(30));
  r.activity.communication[57].add(2, us(5), us(25));  // 15 of it without compute
  r.result.link_busy[77] = us(50);
  r.result.critical_path = {{us(0), us(30), Cause::compute, 0, 99}};
  std::map<int, std::string> why;
  const Json timeline = r.json();
  for (const Json& chip : timeline["chips"]) why[chip["chip"]] = chip["why"];
  EXPECT_EQ(why.size(), 16u);
  EXPECT_EQ(why.at(0), "first");
  EXPECT_EQ(why.at(41), "last to end");
  EXPECT_EQ(why.at(57), "most exposed communication");
  EXPECT_EQ(why.at(77), "on the busiest link");
  EXPECT_EQ(why.at(99), "longest on the critical path");
  EXPECT_EQ(why.at(6), "");  // one sixteenth of the way
  EXPECT_EQ(timeline["left_out"], 84);
}

TEST(Timeline, ExposedIsCommunicationWithoutCompute) {
  Recorded r(2);
  r.activity.compute[1].add(0, us(10), us(30));
  r.activity.communication[1].add(1, us(20), us(50));
  r.links.hop(hop(1, us(20), us(49), 1));
  r.links.hop(hop(3, us(50), us(120), 1));  // beyond the end of a run that was stopped
  r.result.link_busy[1] = r.result.link_busy[3] = us(29);
  const Json t = r.json();
  EXPECT_EQ(t["lanes"], (Json{"compute", "communication", "exposed", "x+", "x-"}));
  EXPECT_EQ(t["stretches"], (Json{{"chip", {1, 1, 1, 1, 1}},
                                  {"lane", {0, 1, 2, 3, 4}},
                                  {"step", {0, 1, nullptr, 1, 1}},
                                  {"start_s", {10e-6, 20e-6, 30e-6, 20e-6, 50e-6}},
                                  {"end_s", {30e-6, 50e-6, 50e-6, 49e-6, 100e-6}}}));
  EXPECT_EQ(t["resolution_s"], 0.0);
}

TEST(Timeline, ClosesGapsWhereThereIsTooMuchToDraw) {
  Recorded r(16);
  r.result.time = us(20'000);
  for (std::uint32_t chip = 0; chip < 16; ++chip)
    for (std::uint64_t i = 0; i < 10'000; ++i)
      r.activity.compute[chip].add(static_cast<std::uint32_t>(i % 50), us(2 * i), us(2 * i + 1));
  const Json t = r.json();
  EXPECT_LE(t["stretches"]["chip"].size(), 16 * 2000u);
  EXPECT_GE(t["resolution_s"], 10e-6);  // a two-thousandth
  EXPECT_LE(t["resolution_s"], 20e-6);
}

// --- the critical path ---

Json path_part(double from_us, double to_us, const char* what, int step) {
  return {{"start_s", from_us / 1e6}, {"end_s", to_us / 1e6}, {"what", what}, {"step", step}, {"held_by", nullptr}};
}

TEST(CriticalPath, ShortensToSumsByStepAndCause) {
  Json result{{"time_s", 0.02}, {"critical_path", Json::array()}};
  for (int i = 0; i < 10'000; ++i) {
    result["critical_path"].push_back(path_part(2 * i, 2 * i + 0.5, "latency", i / 5000));
    result["critical_path"].push_back(path_part(2 * i + 0.5, 2 * i + 2, "transfer", i / 5000));
  }
  EXPECT_EQ(shorten_path(result).size(), 1u);
  double latency = 0, transfer = 0, at = 0;
  for (const Json& part : result["critical_path"]) {
    EXPECT_NEAR(part["start_s"].get<double>(), at, 1e-12);
    at = part["end_s"];
    (part["what"] == "latency" ? latency : transfer) += at - part["start_s"].get<double>();
  }
  EXPECT_EQ(result["critical_path"].size(), 2000u);  // a thousand windows of two causes
  EXPECT_NEAR(at, 0.02, 1e-12);
  EXPECT_NEAR(latency, 0.005, 1e-9);
  EXPECT_NEAR(transfer, 0.015, 1e-9);
}

TEST(CriticalPath, StaysAsItIsWhereItIsShort) {
  Json result{{"time_s", 1e-6}, {"critical_path", {path_part(0, 1, "compute", 0)}}};
  const Json before = result;
  EXPECT_THAT(shorten_path(result), IsEmpty());
  EXPECT_EQ(result, before);
}

}  // namespace
}  // namespace hopsim
