// What is on a page of --html.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace hopsim::test {

// What the page's script finds: the text of the element, as HTML has it, up to the first thing that ends it.
inline nlohmann::ordered_json page_data(const std::string& page) {
  const std::string begin = R"(<script id="hopsim-data" type="application/json">)";
  const std::size_t from = page.find(begin);
  EXPECT_NE(from, std::string::npos);
  const std::size_t to = page.find("</script", from);
  return nlohmann::ordered_json::parse(page.substr(from + begin.size(), to - from - begin.size()));
}

}  // namespace hopsim::test
