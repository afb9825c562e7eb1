#include "scenarios/document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <istream>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "scenarios/source_text.hpp"

namespace hopsim {
namespace {

// A map or a list whose end has not come yet.
struct OpenNode {
  YamlValue value;
  std::optional<std::pair<std::string, FilePlace>> key;  // a map's key that waits for its value
  std::unordered_map<std::string, FilePlace> seen;       // its keys so far
  bool as_key = false;                                   // it stands where a key should
};

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const SourceText& source) : source_(source) {}

  YamlValue take_root() {
    if (bad_key_) throw *bad_key_;
    return std::move(root_);
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) {
      throw PlacedError(place(mark), "a second document, or text after the first one's end", "",
                        "one document a file");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_extras(mark, "", anchor);
    if (wants_key()) return refuse_key(PlacedError(place(mark), "a key is missing"));
    YamlValue value;
    value.place = open_.empty() || !open_.back().key ? place_of_nothing(mark) : open_.back().key->second;
    add(std::move(value));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_alias(place(mark)); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    refuse_extras(mark, tag, anchor);
    const bool quoted = tag == "!";
    check_closed(mark, quoted);
    if (wants_key()) return begin_key(mark, text, quoted);
    YamlValue value;
    value.kind = YamlValue::Kind::scalar;
    value.place = place(mark);
    value.text = text;
    value.quoted = quoted;
    value.verbatim = source_.text().substr(offset(mark) + (quoted ? 1 : 0)).starts_with(text) &&
                     text.find('\n') == std::string::npos;
    add(std::move(value));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(YamlValue::Kind::sequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(YamlValue::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { end(); }

  [[noreturn]] static void refuse_alias(FilePlace place) {
    throw PlacedError(std::move(place), "aliases are not allowed (quote text that begins with *)");
  }

 private:
  FilePlace place(const YAML::Mark& mark) const { return source_.place(mark.line, mark.column); }
  std::size_t offset(const YAML::Mark& mark) const { return source_.offset(mark.line, mark.column); }
  bool wants_key() const { return !open_.empty() && open_.back().value.is_map() && !open_.back().key; }

  // yaml-cpp puts a missing value where the next token is; it is missing where the last one ends.
  FilePlace place_of_nothing(const YAML::Mark& mark) const {
    const std::string_view text = source_.text();
    std::size_t at = offset(mark);
    const bool spelled = at < text.size() && (text[at] == '~' || text[at] == 'n' || text[at] == 'N');
    if (!spelled) {
      while (at > 0 && std::isspace(static_cast<unsigned char>(text[at - 1]))) --at;
      if (at > 0) --at;
    }
    return source_.place(at);
  }

  void refuse_extras(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
    if (anchor != 0) throw PlacedError(place(mark), "anchors are not allowed (quote text that begins with &)");
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw PlacedError(place(mark), "tags are not allowed (quote text that begins with !)", quoted_for_message(tag));
    }
  }

  // yaml-cpp takes a quote that the end of the file closes.
  void check_closed(const YAML::Mark& mark, bool quoted) const {
    const std::string_view text = source_.text();
    std::size_t i = offset(mark);
    if (!quoted || i >= text.size() || (text[i] != '\'' && text[i] != '"')) return;
    const char quote = text[i];
    for (++i; i < text.size(); ++i) {
      if (quote == '"' && text[i] == '\\') {
        ++i;
      } else if (text[i] == quote) {
        if (quote == '"' || i + 1 >= text.size() || text[i + 1] != quote) return;
        ++i;
      }
    }
    throw PlacedError(place(mark), "a quote that is never closed");
  }

  void begin_key(const YAML::Mark& mark, const std::string& text, bool quoted) {
    OpenNode& map = open_.back();
    if (text == "<<" && !quoted) throw PlacedError(place(mark), "merge keys are not allowed", "<<");
    const auto [first, fresh] = map.seen.emplace(text, place(mark));
    if (!fresh) {
      const FilePlace& before = first->second;
      throw PlacedError(place(mark),
                        "a key given twice, first at line " + std::to_string(before.line) + ", column " +
                            std::to_string(before.column),
                        quoted_for_message(text), "each key once");
    }
    map.key.emplace(text, first->second);
  }

  // Not yet: where brackets stay open, yaml-cpp makes up a key before it sees the real error.
  void refuse_key(PlacedError error) {
    open_.back().key.emplace("", error.place());
    if (!bad_key_) bad_key_ = std::move(error);
  }

  void begin(YamlValue::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    refuse_extras(mark, tag, anchor);
    if (open_.size() >= kMaxDocumentDepth) {
      throw PlacedError(place(mark), "the text is nested too deeply", "",
                        std::to_string(kMaxDocumentDepth) + " levels");
    }
    OpenNode node;
    node.value.kind = kind;
    node.value.place = place(mark);
    node.as_key = wants_key();
    open_.push_back(std::move(node));
  }

  void end() {
    YamlValue value = std::move(open_.back().value);
    const bool as_key = open_.back().as_key;
    open_.pop_back();
    if (!as_key) return add(std::move(value));
    refuse_key(PlacedError(value.place, "a key must be text", value.is_map() ? "a map" : "a list"));
  }

  void add(YamlValue value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    OpenNode& parent = open_.back();
    if (parent.key) {
      std::tie(value.key, value.key_place) = std::move(*parent.key);
      parent.key.reset();
    }
    parent.value.items.push_back(std::move(value));
  }

  const SourceText& source_;
  int documents_ = 0;
  YamlValue root_;
  std::optional<PlacedError> bad_key_;
  std::vector<OpenNode> open_;
};

[[noreturn]] void refuse_syntax(const YAML::Exception& e, const SourceText& source) {
  const FilePlace place = e.mark.is_null() ? source.place(0) : source.place(e.mark.line, e.mark.column);
  if (e.msg == YAML::ErrorMsg::UNKNOWN_ANCHOR) TreeBuilder::refuse_alias(place);
  throw PlacedError(place, "YAML syntax: " + e.msg);
}

void refuse_size(const std::string& name) {
  throw InputError(name + ": the file is too large", "", "at most " + std::to_string(kMaxDocumentBytes) + " bytes");
}

// At most one byte more than a document may have.
std::string read_all(std::istream& in) {
  std::string text(kMaxDocumentBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

const YamlValue* YamlValue::find(std::string_view name) const {
  if (!is_map()) return nullptr;
  const auto it = std::find_if(items.begin(), items.end(), [&](const YamlValue& v) { return v.key == name; });
  return it == items.end() ? nullptr : &*it;
}

FilePlace YamlValue::place_of(std::size_t offset) const {
  FilePlace at = place;
  if (verbatim) at.column += (quoted ? 1 : 0) + characters(std::string_view(text).substr(0, offset));
  return at;
}

Document parse_document(std::string_view text, const std::string& name) {
  if (text.size() > kMaxDocumentBytes) refuse_size(name);
  const SourceText source(text, name);
  TreeBuilder builder(source);
  try {
    std::istringstream in{std::string(source.text())};
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& e) {
    refuse_syntax(e, source);
  }
  Document document{name, builder.take_root()};
  if (document.root.is_null()) throw PlacedError(source.place(0), "there is nothing here", "", "a YAML document");
  return document;
}

Document read_document(const std::string& path, std::istream& standard_input) {
  if (path == "-") return parse_document(read_all(standard_input), "<stdin>");
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw InputError(path + ": a directory, not a file");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(path + ": cannot be read (" + std::strerror(errno) + ")");
  const std::string text = read_all(in);
  if (in.bad()) throw InputError(path + ": cannot be read (" + std::strerror(errno) + ")");
  return parse_document(text, path);
}

Document empty_document(const std::string& name) {
  Document document{name, {}};
  document.root.kind = YamlValue::Kind::map;
  document.root.place.file = std::make_shared<const std::string>(name);
  return document;
}

}  // namespace hopsim
