#include "scenarios/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/scenarios/reading.hpp"
#include "tests/support/scratch.hpp"

namespace hopsim {
namespace {

using test::error_of;
using test::kFile;
using test::yaml;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string at(const YamlValue& value) {
  return std::to_string(value.place.line) + ":" + std::to_string(value.place.column);
}

TEST(Document, KeepsOrderKindsAndPlaces) {
  const YamlValue root = yaml("name: \"q 2\"\nmachine: {chip: v5e, mesh: [x, y]}\nprogram:\n  - A[E, F] = X(A)\n");
  ASSERT_TRUE(root.is_map());
  ASSERT_EQ(root.items.size(), 3u);
  EXPECT_EQ(root.items[0].key, "name");
  EXPECT_TRUE(root.items[0].quoted);
  EXPECT_EQ(at(root.items[0]), "1:7");
  EXPECT_EQ(root.find("machine")->key_place.line, 2);
  const YamlValue& mesh = *root.find("machine")->find("mesh");
  ASSERT_TRUE(mesh.is_sequence());
  EXPECT_EQ(at(mesh), "2:28");
  EXPECT_EQ(at(mesh.items[1]), "2:32");
  const YamlValue& line = root.find("program")->items[0];
  EXPECT_EQ(line.text, "A[E, F] = X(A)");
  EXPECT_EQ(at(line), "4:5");
  EXPECT_EQ(root.find("absent"), nullptr);
}

TEST(Document, ColumnsCountCharacters) {
  const YamlValue root = yaml("{µµ: 1, c: 2}\n");
  EXPECT_EQ(at(*root.find("c")), "1:12");
}

TEST(Document, KnowsPlacesInsideText) {
  const YamlValue root = yaml("a: plain text\nb: 'quoted µ text'\nc: it''s\nd: \"a\\tb\"\n");
  EXPECT_EQ(root.find("a")->place_of(6).column, 10);
  EXPECT_EQ(root.find("b")->place_of(10).column, 14);  // µ: two bytes, one character
  EXPECT_EQ(root.find("d")->place_of(2).column, 4);    // an escape: only the start is known
}

TEST(Document, AMissingValueStandsAtItsKey) {
  const YamlValue root = yaml("a:\n\nb: ~\nc: [1, , 2]\n");
  EXPECT_TRUE(root.find("a")->is_null());
  EXPECT_EQ(at(*root.find("a")), "1:1");
  EXPECT_TRUE(root.find("b")->is_null());
  EXPECT_EQ(at(root.find("c")->items[1]), "4:6");
}

TEST(Document, AcceptsMarkersByteOrderMarkAndWindowsLineEnds) {
  EXPECT_EQ(yaml("\xef\xbb\xbf%YAML 1.2\n---\na: 1\n...\n").items.size(), 1u);
  EXPECT_EQ(at(*yaml("a: 1\r\nb: 2\r\n").find("b")), "2:4");
  EXPECT_EQ(at(*yaml("\xef\xbb\xbf"
                     "a: 1")
                    .find("a")),
            "1:4");
}

struct Bad {
  const char* text;
  const char* message;
};

TEST(Document, RefusesWithThePlace) {
  const Bad cases[] = {
      {"", "f.yaml:1:1: there is nothing here"},
      {"# only a comment\n", "f.yaml:1:1: there is nothing here"},
      {"---\n", "f.yaml:1:1: there is nothing here"},
      {"a: 1\nb: 2\na: 3\n", "f.yaml:3:1: a key given twice, first at line 1, column 1; got a; valid: each key once"},
      {"m: {x: 1, x: 2}\n", "f.yaml:1:11: a key given twice, first at line 1, column 5; got x"},
      {"a: 1\n\"a\": 1\n", "f.yaml:2:1: a key given twice"},
      {"a: 1\n---\nb: 2\n", "f.yaml:2:1: a second document"},
      {"a: 1\n...\nb: 2\n", "f.yaml:3:1: a second document"},
      {"{a: 1} {b: 2}\n", "f.yaml:1:8: a second document"},
      {"- a\nb: c\n", "f.yaml:2:1: a second document, or text after the first one's end"},
      {"a: &x 1\nb: *x\n", "f.yaml:1:4: anchors are not allowed"},
      {"a: &x\n", "f.yaml:1:4: anchors are not allowed"},
      {"a: 1\nb: *x\n", "f.yaml:2:4: aliases are not allowed"},
      {"a: !!int 1\n", "f.yaml:1:4: tags are not allowed"},
      {"a: !x {b: c}\n", "f.yaml:1:4: tags are not allowed"},
      {"b:\n  <<: {a: 1}\n", "f.yaml:2:3: merge keys are not allowed; got <<"},
      {"? [a, b]\n: c\n", "f.yaml:1:3: a key must be text; got a list"},
      {"? {a: b}\n: c\n", "f.yaml:1:3: a key must be text; got a map"},
      {": x\n", "f.yaml:1:1: a key is missing"},
      {"a: [1, 2\n", "f.yaml:2:1: YAML syntax: end of sequence flow not found"},
      {"a: 1]]\nb: }\n", "f.yaml:2:4: YAML syntax: illegal flow end"},
      {"a: b: c\n", "f.yaml:1:5: YAML syntax: illegal map value"},
      {"a: 1\n b: 2\n", "f.yaml:2:3: YAML syntax"},
      {"a: 1\n- b\n", "f.yaml:2:1: YAML syntax"},
      {"a:\n\tb: 1\n", "f.yaml:2:3: YAML syntax"},
      {"a: @x\n", "f.yaml:1:4: YAML syntax"},
      {"a: \"\\q\"\n", "f.yaml:1:7: YAML syntax: unknown escape"},
      {"a: 'never closed\n", "f.yaml:1:4: a quote that is never closed"},
      {"a: \"never closed\\\"\n", "f.yaml:1:4: a quote that is never closed"},
      {"a: 'it''s\n", "f.yaml:1:4: a quote that is never closed"},
      {"a: \xff\n", "f.yaml:1:4: the text is not UTF-8; got byte 0xff"},
      {"\xff\xfe"
       "a",
       "f.yaml:1:1: the text is not UTF-8"},
      {"a: \xc0\x80\n", "f.yaml:1:4: the text is not UTF-8"},
      {"a: \xed\xa0\x80\n", "f.yaml:1:4: the text is not UTF-8"},
      {"a: \xe2\x82", "f.yaml:1:4: the text is not UTF-8"},
      {"a: \x01\n", "f.yaml:1:4: a control character in the text; got byte 0x01"},
  };
  for (const Bad& c : cases) EXPECT_THAT(error_of([&] { yaml(c.text); }), StartsWith(c.message)) << c.text;
  EXPECT_THAT(error_of([] { yaml(std::string("a: 1\nb: \0", 9)); }), StartsWith("f.yaml:2:4: a control character"));
}

TEST(Document, AcceptsQuotesWithinQuotes) {
  EXPECT_EQ(yaml("a: 'it''s'\n").find("a")->text, "it's");
  EXPECT_EQ(yaml("a: \"say \\\"x\\\"\"\n").find("a")->text, "say \"x\"");
  EXPECT_EQ(yaml("a: '*x &y !z <<'\n").find("a")->text, "*x &y !z <<");
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Document, RefusesDeepNesting) {
  const std::string fits = repeated("[", kMaxDocumentDepth) + repeated("]", kMaxDocumentDepth);
  EXPECT_EQ(error_of([&] { yaml(fits); }), "no error");
  EXPECT_EQ(error_of([&] { yaml("[" + fits + "]"); }),
            "f.yaml:1:65: the text is nested too deeply; valid: 64 levels");
  for (const char* open : {"[", "{", "{a: ", "- ", "? ", "[a: ", "? - "}) {
    EXPECT_THAT(error_of([&] { yaml(repeated(open, 100'000 / std::string(open).size())); }),
                HasSubstr("nested too deeply"))
        << open;
  }
}

TEST(Document, SurvivesRepeatedGarbage) {
  const auto start = std::chrono::steady_clock::now();
  for (const char* junk :
       {"'", "\"", "&a ", "!a ", "*a ", "[a", "}", ",", "|", "%", "- - ", "a:\n", "---\n", ": ", "x", "\n"}) {
    error_of([&] { yaml(repeated(junk, 50'000)); });
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

// Every beginning of a good file is read or refused, never worse.
TEST(Document, SurvivesTruncation) {
  const std::string text =
      "a: {b: [1, 'x''y', \"z\\n\"], c: ~}\nd:\n  - e: f\n    g: |\n      h\n  - ? i\n    : j\nk: *l\n";
  for (std::size_t n = 0; n <= text.size(); ++n) error_of([&] { yaml(text.substr(0, n)); });
}

class DocumentFiles : public ::testing::Test {
 protected:
  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::string read_error(const std::string& file) {
    std::istringstream nothing;
    return error_of([&] { read_document(file, nothing); });
  }

  test::Scratch folder_;
};

TEST_F(DocumentFiles, ReadsAFileOrStandardInput) {
  std::ofstream(path("a.yaml")) << "a: 1\n";
  std::istringstream in("b: {c: 2\n");
  EXPECT_EQ(read_document(path("a.yaml"), in).root.find("a")->text, "1");
  EXPECT_THAT(error_of([&] { read_document("-", in); }), StartsWith("<stdin>:2:1: YAML syntax"));
}

TEST_F(DocumentFiles, SaysWhatCannotBeRead) {
  EXPECT_EQ(read_error(path("none.yaml")), path("none.yaml") + ": cannot be read (No such file or directory)");
  EXPECT_EQ(read_error(folder_.path().string()), folder_.path().string() + ": a directory, not a file");
  std::ofstream(path("empty.yaml")).flush();
  EXPECT_THAT(read_error(path("empty.yaml")), StartsWith(path("empty.yaml") + ":1:1: there is nothing here"));
}

TEST_F(DocumentFiles, RefusesALargeFileAtOnce) {
  std::ofstream(path("large")).flush();
  std::filesystem::resize_file(path("large"), 100'000'000);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(read_error(path("large")), path("large") + ": the file is too large; valid: at most 1048576 bytes");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  std::istringstream in(std::string(2'000'000, 'x'));
  EXPECT_THAT(error_of([&] { read_document("-", in); }), StartsWith("<stdin>: the file is too large"));
}

}  // namespace
}  // namespace hopsim
