// --html: a page that shows data, whole in one file: it loads nothing, and its content security policy forbids it to.
// tools/report/README.md says what the data is and what draws it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tools/output_file.hpp"

namespace hopsim {

// What draws the page; made by tools/report/bundle.
struct PageParts {
  std::string_view script, script_hash, style;
};

// The page. Names in the data may be anything, and invalid UTF-8: nothing in them ends an element.
std::string html_page(const PageParts&, const nlohmann::ordered_json& data);

// Opened before anything runs, so that a path that cannot be written is told first; appears with write().
class HtmlFile {
 public:
  // Empty: not asked for. Throws InputError, also where this hopsim was built without the page.
  explicit HtmlFile(const std::string& path);

  bool wanted() const { return file_.has_value(); }
  void write(const nlohmann::ordered_json& data);  // once, with data["title"]

 private:
  PageParts parts_;
  std::optional<OutputFile> file_;
};

}  // namespace hopsim
