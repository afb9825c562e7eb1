#include "tools/csv.hpp"

#include <gtest/gtest.h>

namespace hopsim {
namespace {

using Json = nlohmann::ordered_json;

TEST(Csv, OneLineARowUnderTheKeys) {
  const Json rows = Json::parse(R"([{"op": "all_gather", "bytes": 1024, "time_s": 8.0107e-06, "ok": true},
                                    {"op": "reduce", "bytes": 0, "time_s": 0.1, "ok": false}])");
  EXPECT_EQ(csv(rows),
            "op,bytes,time_s,ok\n"
            "all_gather,1024,8.0107e-06,true\n"
            "reduce,0,0.1,false\n");
}

TEST(Csv, QuotesWhatWouldEndAField) {
  const Json rows = Json::parse(R"([{"a": "x,y", "b": "say \"hi\"", "c": "two\nlines", "d": "plain text"}])");
  EXPECT_EQ(csv(rows), "a,b,c,d\n\"x,y\",\"say \"\"hi\"\"\",\"two\nlines\",plain text\n");
}

TEST(Csv, ColumnsAreThoseOfAllRowsAndGapsAreEmpty) {
  EXPECT_EQ(csv(Json::parse(R"([{"a": 1}, {"b": null, "a": 2}, {"c": [3, 4]}])")), "a,b,c\n1,,\n2,,\n,,3 4\n");
}

// RFC 4180 numbers are text; they must read back as the number they were.
TEST(Csv, NumbersReadBackAsTheyWere) {
  const double third = 1.0 / 3;
  const std::string text = csv(Json::array({{{"x", third}}}));
  EXPECT_EQ(std::stod(text.substr(2)), third);
}

}  // namespace
}  // namespace hopsim
