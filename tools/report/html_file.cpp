#include "tools/report/html_file.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <span>
#include <utility>

#include "sim/embedded_file.hpp"
#include "sim/error.hpp"

namespace hopsim {

std::span<const EmbeddedFile> report_files();  // made by CMake in tools/report

namespace {

std::string replaced(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> by) {
  std::string out;
  out.reserve(text.size() + text.size() / 64);
  for (const char c : text) {
    const auto* found = by.begin();
    while (found != by.end() && found->first != c) ++found;
    found == by.end() ? out.push_back(c) : static_cast<void>(out.append(found->second));
  }
  return out;
}

// Without "<" no text in JSON can end its element, or begin a comment.
std::string json_in_html(const nlohmann::ordered_json& data) {
  return replaced(data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), {{'<', "\\u003c"}});
}

std::string title_of(const nlohmann::ordered_json& data) {
  return replaced(data.at("title").get_ref<const std::string&>(), {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}});
}

PageParts embedded_parts() {
  PageParts parts;
  for (const EmbeddedFile& file : report_files()) {
    if (file.name == "script.js") parts.script = file.text;
    if (file.name == "script.hash") parts.script_hash = file.text;
    if (file.name == "style.css") parts.style = file.text;
  }
  return parts;
}

// Only our own script, by its hash. Styles are also set by elements' attributes.
constexpr const char* kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '{}';
 style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{} - hopsim</title>
<style>
)";

constexpr const char* kBody = R"(</style>
</head>
<body>
<noscript>This report is drawn by a script of its own, and scripts are switched off here.</noscript>
<script id="hopsim-data" type="application/json">)";

}  // namespace

std::string html_page(const PageParts& parts, const nlohmann::ordered_json& data) {
  std::string page = fmt::format(kHead, parts.script_hash, title_of(data));
  page.append(parts.style);
  page.append(kBody);
  page.append(json_in_html(data));
  page.append("</script>\n<script>");
  page.append(parts.script);
  page.append("</script>\n</body>\n</html>\n");
  return page;
}

HtmlFile::HtmlFile(const std::string& path) : parts_(embedded_parts()) {
  if (path.empty()) return;
  if (parts_.script.empty())
    throw InputError(
        "this hopsim was built without reports; for --html build it where node (18 or newer) and npm are, "
        "and npm can fetch packages");
  file_.emplace(path);
}

void HtmlFile::write(const nlohmann::ordered_json& data) {
  file_->write(html_page(parts_, data));
  file_->finish();
}

}  // namespace hopsim
