// The real program's --html: what its pages hold, against its JSON and against times worked out by hand.
#include <gmock/gmock.h>

#include <fstream>
#include <string>

#include "tests/tools/html_page.hpp"
#include "tests/tools/program.hpp"

namespace hopsim::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;

// 1 MB a hop at 1 GB/s and 1 us: three hops of 1001 us after 5 us of compute, all one way round.
constexpr const char* kRing =
    "name: ring\n"
    "machine: {topology: {kind: ring, shape: [4]}, link: {bandwidth: 1 GB/s, latency: 1 us}}\n"
    "program:\n"
    "  - compute: {time: 5 us}\n"
    "  - all_gather: {bytes: 4 MB, algorithm: ring}\n";

class Html : public testing::Test {
 protected:
  void SetUp() override {
    ring_ = write(folder_ / "ring.yaml", kRing);
    page_ = folder_ / "page.html";
    if (hopsim({"run", ring_, "--html", folder_ / "first.html"}).err.find("built without reports") !=
        std::string::npos)
      GTEST_SKIP() << "hopsim was built without reports";
  }

  // The page of a command line; also kept in page_.
  Json page(std::vector<std::string> arguments, int code = 0) {
    arguments.insert(arguments.end(), {"--html", page_, "--quiet"});
    const Finished f = hopsim(std::move(arguments));
    EXPECT_EQ(f.code, code) << f.err;
    return page_data(contents(page_));
  }

  static Json without_cost(Json result) {
    result.erase("cost");
    return result;
  }
  static Json json(const std::filesystem::path& file) { return Json::parse(contents(file)); }

  const Scratch folder_;
  std::string ring_, page_;
};

TEST_F(Html, ShowsTheNumbersOfTheJson) {
  const Json shown = page({"run", ring_, "--json", folder_ / "r.json"});
  EXPECT_EQ(shown["schema"], "hopsim.report/1");
  EXPECT_EQ(shown["command"], "run");
  EXPECT_EQ(shown["title"], "ring");
  ASSERT_EQ(shown["runs"].size(), 1u);
  EXPECT_EQ(shown["runs"][0]["result"], without_cost(json(folder_ / "r.json")));
  EXPECT_TRUE(shown["runs"][0]["result"].contains("critical_path"));
}

TEST_F(Html, TimelineIsThatOfTheBooks) {
  const Json t = page({"run", ring_})["runs"][0]["timeline"];
  EXPECT_EQ(t["lanes"], (Json{"compute", "communication", "exposed", "x+"}));
  EXPECT_EQ(t["left_out"], 0);
  Json of_chip_2 = Json::array();
  const Json& s = t["stretches"];
  for (std::size_t i = 0; i < s["chip"].size(); ++i)
    if (s["chip"][i] == 2)
      of_chip_2.push_back(
          {t["lanes"][s["lane"][i].get<std::size_t>()], s["step"][i], s["start_s"][i], s["end_s"][i]});
  EXPECT_EQ(of_chip_2, (Json{{"compute", 0, 0.0, 5e-6},
                             {"communication", 1, 5e-6, 3008e-6},
                             {"exposed", nullptr, 5e-6, 3008e-6},
                             {"x+", 1, 5e-6, 1005e-6},
                             {"x+", 1, 1006e-6, 2006e-6},
                             {"x+", 1, 2007e-6, 3007e-6}}));
}

TEST_F(Html, LinksAreAsBusyAsTheirBytesTake) {
  const Json f = page({"run", ring_})["runs"][0]["fabric"];
  EXPECT_EQ(f["kind"], "grid");
  EXPECT_EQ(f["shape"], Json{4});
  EXPECT_EQ(f["nodes"][3], (Json{{"name", "(3)"}, {"chip", true}, {"at", {3}}}));
  EXPECT_EQ(f["links"]["name"],
            (Json{"(0) x+", "(1) x+", "(2) x+", "(3) x+", "(0) x-", "(1) x-", "(2) x-", "(3) x-"}));
  EXPECT_EQ(f["links"]["from"], (Json{0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(f["links"]["to"], (Json{1, 2, 3, 0, 3, 0, 1, 2}));
  EXPECT_EQ(f["links"]["busy_s"], (Json{3e-3, 3e-3, 3e-3, 3e-3, 0.0, 0.0, 0.0, 0.0}));
  EXPECT_NEAR(f["links"]["utilization"][1].get<double>(), 3000.0 / 3008, 1e-12);
  EXPECT_EQ(f["links"]["wraps"], (Json{false, false, false, true, true, false, false, false}));
  EXPECT_EQ(f["left_out"], 0);
}

TEST_F(Html, SwitchesAreNodesToo) {
  const Json f =
      page({"collective", "all_gather", "--machine", "h100_sxm:1x8", "--bytes", "1MiB"})["collective"]["fabric"];
  EXPECT_EQ(f["kind"], "network");
  ASSERT_EQ(f["nodes"].size(), 9u);
  EXPECT_EQ(f["nodes"][8], (Json{{"name", "switch 0"}, {"chip", false}, {"at", nullptr}}));
  EXPECT_EQ(f["nodes"][0]["at"], nullptr);
  EXPECT_EQ(f["links"]["name"].size(), 16u);  // up and down
}

TEST_F(Html, OfAHugeMachineNoLinksAreDrawn) {
  const Json c =
      page({"collective", "send_recv", "--machine", "ring:5000,bw=1GB/s,lat=1us", "--bytes", "5MB"})["collective"];
  EXPECT_EQ(c["fabric"]["left_out"], 10000);
  EXPECT_TRUE(c["fabric"]["nodes"].empty());
  EXPECT_THAT(c["notes"].dump(), HasSubstr("up to 4096 chips"));
}

TEST_F(Html, SeveralScenariosShareAPage) {
  const auto other = write(folder_ / "b.yaml", std::string(kRing).replace(6, 4, "torus"));
  const Json shown = page({"run", ring_, other, "--json", folder_ / "r.json"});
  const Json results = json(folder_ / "r.json");
  EXPECT_EQ(shown["title"], "2 scenarios");
  ASSERT_EQ(shown["runs"].size(), 2u);
  for (const int i : {0, 1}) EXPECT_EQ(shown["runs"][i]["result"], without_cost(results[i]));
  EXPECT_EQ(shown["runs"][1]["result"]["scenario"], "torus");
}

TEST_F(Html, APartialRunSaysSo) {
  const Json run = page({"run", ring_, "--max-time", "1500us"})["runs"][0];
  EXPECT_EQ(run["result"]["partial"], true);
  EXPECT_EQ(run["timeline"]["stretches"]["end_s"].back(), 1500e-6);
}

// Every drawing needs all chips, so a run that is to be folded has none.
TEST_F(Html, AFoldedRunHasNoTimeline) {
  const auto file =
      write(folder_ / "box.yaml",
            "name: box\nmachine: {chip: tpu_v5p, slice: 4x4x4}\nprogram: [{all_gather: {bytes: 1 MiB}}]\n");
  const Json run = page({"run", file, "--fold", "on"})["runs"][0];
  EXPECT_EQ(run["result"]["folded"], true);
  EXPECT_TRUE(run["timeline"].is_null());
  EXPECT_TRUE(run["fabric"].is_null());
  EXPECT_THAT(run["notes"][0], HasSubstr("one chip was simulated for all"));
  EXPECT_EQ(page({"run", file})["runs"][0]["timeline"]["chips"].size(), 16u);
}

TEST_F(Html, SimGridDrawsOneRunAProcess) {
  const Json run = page({"run", ring_, "--engine", "simgrid"})["runs"][0];
  EXPECT_EQ(run["result"]["engine"], "simgrid");
  EXPECT_FALSE(run["timeline"]["stretches"]["chip"].empty());
  const Finished two = hopsim({"run", ring_, ring_, "--engine", "simgrid", "--html", folder_ / "no.html"});
  EXPECT_EQ(two.code, 2);
  EXPECT_THAT(two.err, HasSubstr("on SimGrid --html takes one scenario; got 2 files"));
}

// AllGather one way round 4 chips: 3 hops of a quarter, so bytes at 4/3 of 1 GB/s after 3 us.
TEST_F(Html, CollectiveHasTheTermsOfItsClosedForm) {
  const Json shown = page({"collective", "all_gather", "--machine", "ring:4,bw=1GB/s,lat=1us", "--algorithm", "ring",
                           "--bytes", "1000,4MB", "--json", folder_ / "c.json"});
  EXPECT_EQ(shown["title"], "AllGather over X on ring 4");
  const Json& c = shown["collective"];
  EXPECT_EQ(c["result"], without_cost(json(folder_ / "c.json")));
  ASSERT_EQ(c["curves"].size(), 1u);
  EXPECT_NEAR(c["curves"][0]["latency_s"].get<double>(), 3e-6, 1e-15);
  EXPECT_NEAR(c["curves"][0]["bandwidth_Bps"].get<double>(), 4e9 / 3, 1);
  EXPECT_NEAR(c["curves"][0]["knee_bytes"].get<double>(), 4000, 1e-6);
  ASSERT_EQ(c["players"].size(), 1u);
  EXPECT_EQ(c["players"][0]["bytes"], 4'000'000);  // the last row
}

TEST_F(Html, EveryOperationHasAPlayer) {
  const Json c = page({"collective", "all_gather", "all_reduce", "--machine", "ring:4,bw=1GB/s,lat=1us", "--bytes",
                       "4KiB,8KiB"})["collective"];
  ASSERT_EQ(c["players"].size(), 2u);
  EXPECT_EQ(c["players"][0]["operation"], "all_gather");
  EXPECT_EQ(c["players"][1]["operation"], "all_reduce");
  EXPECT_EQ(c["result"]["rows"].size(), 4u);
}

constexpr const char* kSweep =
    "name: swept\n"
    "machine: {topology: {kind: ring, shape: [4]}, link: {bandwidth: 1 GB/s, latency: 1 us}}\n"
    "program: [{all_gather: {bytes: 4 MB, algorithm: ring}}]\n"
    "sweep:\n"
    "  program.0.all_gather.algorithm: [ring, bidirectional_ring, nothing]\n"
    "  program.0.all_gather.bytes: [4 kB, 4 MB]\n";

TEST_F(Html, SweepHasTheNumbersOfItsPoints) {
  const auto file = write(folder_ / "swept.yaml", kSweep);
  const Json s = page({"sweep", file, "--json", folder_ / "s.json"})["sweep"];
  const Json result = json(folder_ / "s.json");
  ASSERT_EQ(s["points"].size(), 6u);
  for (const std::size_t i : {0u, 1u, 2u, 3u}) {
    const Json &point = s["points"][i], &run = result["points"][i];
    EXPECT_EQ(point["parameters"], run["parameters"]);
    for (const char* key : {"time_s", "compute_s", "comm_s", "exposed_comm_s", "bound_s", "overlap"})
      EXPECT_EQ(point[key], run["result"][key]) << key;
    EXPECT_EQ(point["closed_form_s"], run["result"]["steps"][0]["closed_form_s"]);
    EXPECT_EQ(point["max_utilization"], run["result"]["links"]["max_utilization"]);
    EXPECT_EQ(point["metric"], point["time_s"]);
  }
  EXPECT_NEAR(s["points"][1]["time_s"].get<double>(), 3 * 1001e-6, 1e-12);
  EXPECT_EQ(s["points"][1]["labels"], (Json{"ring", "4 MB"}));
  EXPECT_THAT(s["points"][4]["error"], HasSubstr("nothing"));
  EXPECT_TRUE(s["points"][4]["metric"].is_null());
  const Json keys{
      {{"path", "program.0.all_gather.algorithm"},
       {"label", "algorithm"},
       {"numeric", false},
       {"unit", ""},
       {"work", false}},
      {{"path", "program.0.all_gather.bytes"}, {"label", "bytes"}, {"numeric", true}, {"unit", "B"}, {"work", true}}};
  EXPECT_EQ(s["keys"], keys);
  for (const std::size_t i : {0u, 1u, 2u, 3u, 4u, 5u}) EXPECT_EQ(s["points"][i]["work"], i % 2);  // 4 kB or 4 MB
  EXPECT_EQ(s["metric"], (Json{{"path", "time_s"}, {"label", "time"}, {"unit", "s"}, {"more_is_better", false}}));
  EXPECT_THAT(s["machine"], HasSubstr("ring 4"));
  for (const char* key : {"scenario", "engine", "axes", "zip", "grid", "ranked_by", "best", "errors"})
    EXPECT_EQ(s["result"][key], result[key]) << key;
}

TEST_F(Html, IsTheSameEveryTime) {
  const auto sweep = write(folder_ / "swept.yaml", kSweep);
  const std::vector<std::vector<std::string>> commands{
      {"run", ring_}, {"collective", "all_reduce", "--machine", "tpu_v5e:4x4"}, {"sweep", sweep, "--jobs", "2"}};
  for (const auto& command : commands) {
    page(command);
    const std::string first = contents(page_);
    page(command);
    EXPECT_TRUE(contents(page_) == first) << command.front();
  }
}

TEST_F(Html, HostileNamesStayNames) {
  const std::string name = "</script><script>alert(1)</script>";
  write(folder_ / "<img src=x onerror=alert(1)>.graphml",
        "<graphml xmlns='http://graphml.graphdrawing.org/xmlns'>"
        "<key id='bandwidth' for='edge' attr.name='bandwidth' attr.type='string'/>"
        "<key id='latency' for='edge' attr.name='latency' attr.type='string'/>"
        "<graph edgedefault='undirected'>"
        "<node id='&lt;/script>'/><node id='&lt;script>alert(2)'/>"
        "<edge source='&lt;/script>' target='&lt;script>alert(2)'><data key='bandwidth'>1 GB/s</data>"
        "<data key='latency'>1 us</data></edge></graph></graphml>");
  const auto file =
      write(folder_ / "h.yaml", "name: '" + name +
                                    "'\n"
                                    "machine: {topology: {graphml: '<img src=x onerror=alert(1)>.graphml'}}\n"
                                    "program: [{all_gather: {bytes: 1 MB}}]\n");
  const Json shown = page({"run", file});
  EXPECT_EQ(shown["title"], name);
  EXPECT_EQ(shown["runs"][0]["result"]["scenario"], name);
  const std::string text = contents(page_);
  EXPECT_EQ(text.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(text.find("<img"), std::string::npos);
  const std::size_t data = text.find("<script id=\"hopsim-data\"");
  EXPECT_EQ(text.find("<script", data + 1), text.find("</script>\n<script>", data) + 10);  // the page's own is next
}

TEST_F(Html, LoadsNothing) {
  page({"run", ring_});
  const std::string text = contents(page_);
  const std::string head = text.substr(0, text.find("<style>"));
  const std::string style = text.substr(head.size(), text.find("</style>") - head.size());
  EXPECT_THAT(head, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_EQ(head.find("http:"), std::string::npos);
  EXPECT_EQ(head.find("https:"), std::string::npos);
  EXPECT_EQ(head.find("src="), std::string::npos);
  EXPECT_EQ(style.find("@import"), std::string::npos);
  EXPECT_EQ(style.find("url(http"), std::string::npos);
  EXPECT_THAT(text, EndsWith("</script>\n</body>\n</html>\n"));
  EXPECT_THAT(text, HasSubstr("Redistribution and use in source and binary forms"));  // Vega's licence
}

TEST_F(Html, RefusesPlacesItCannotWriteBeforeItRuns) {
  const Finished nowhere = hopsim({"run", ring_, "--html", folder_ / "no" / "r.html"});
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("cannot write " + (folder_ / "no" / "r.html").string() + ": No such file"));
  EXPECT_EQ(nowhere.out, "");
  const Finished out = hopsim({"run", ring_, "--html", "-"});
  EXPECT_EQ(out.code, 2);
  EXPECT_THAT(out.err, HasSubstr("--html writes a file; got -"));
  const Finished twice = hopsim({"run", ring_, "--html", folder_ / "a", "--json", folder_ / "a"});
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("--html would replace --json"));
  const Finished input = hopsim({"run", ring_, "--html", ring_});
  EXPECT_EQ(input.code, 2);
  EXPECT_THAT(input.err, HasSubstr("--html would replace the input"));
  EXPECT_EQ(contents(ring_), kRing);
}

TEST_F(Html, OfARunWithoutStepsNothingIsWritten) {
  const auto file = write(folder_ / "none.yaml", "machine: {chip: tpu_v5e, slice: 2x2}\nprogram: []\n");
  const Finished f = hopsim({"run", file, "--html", page_});
  EXPECT_EQ(f.code, 2);
  EXPECT_THAT(f.err, HasSubstr("a program needs a step"));
  EXPECT_FALSE(std::filesystem::exists(page_));
}

}  // namespace
}  // namespace hopsim::test
