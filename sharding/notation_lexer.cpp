#include "sharding/notation_lexer.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "sharding/notation.hpp"

namespace hopsim::notation {
namespace {

constexpr std::size_t kMaxCharacters = 65536;

// ---- UTF-8
// ----------------------------------------------------------------------------------------------------------

struct Lead {
  int length;  // 0: no character starts so
  char32_t bits;
  char32_t least;  // smaller values must be written shorter
};

Lead lead(unsigned char c) {
  if (c < 0x80) return {1, c, 0};
  if (c >> 5 == 0x6) return {2, c & 0x1fu, 0x80};
  if (c >> 4 == 0xe) return {3, c & 0x0fu, 0x800};
  if (c >> 3 == 0x1e) return {4, c & 0x07u, 0x10000};
  return {0, 0, 0};
}

std::u32string decoded(std::string_view text) {
  std::u32string out;
  for (std::size_t i = 0; i < text.size();) {
    const Lead first = lead(static_cast<unsigned char>(text[i]));
    char32_t c = first.bits;
    bool good = first.length > 0 && i + static_cast<std::size_t>(first.length) <= text.size();
    for (int k = 1; good && k < first.length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + static_cast<std::size_t>(k)]);
      good = next >> 6 == 0x2;
      c = c << 6 | (next & 0x3fu);
    }
    if (!good || c < first.least || c > 0x10ffff || c >> 11 == 0x1b) {
      throw NotationError(static_cast<int>(out.size()) + 1, "the text is not UTF-8");
    }
    out.push_back(c);
    i += static_cast<std::size_t>(first.length);
    if (out.size() > kMaxCharacters) {
      throw NotationError(static_cast<int>(kMaxCharacters) + 1, "a line of notation is too long", {},
                          "at most " + std::to_string(kMaxCharacters) + " characters");
    }
  }
  return out;
}

void append(std::string& out, char32_t c) {
  const auto byte = [&out](char32_t b) { out.push_back(static_cast<char>(b)); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) {
    byte(0xc0 | c >> 6);
  } else if (c < 0x10000) {
    byte(0xe0 | c >> 12);
    byte(0x80 | (c >> 6 & 0x3f));
  } else {
    byte(0xf0 | c >> 18);
    byte(0x80 | (c >> 12 & 0x3f));
    byte(0x80 | (c >> 6 & 0x3f));
  }
  byte(0x80 | (c & 0x3f));
}

// ---- Characters
// -----------------------------------------------------------------------------------------------------

bool ascii_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool digit(char32_t c) { return c >= '0' && c <= '9'; }
bool prime(char32_t c) { return c == '\'' || c == U'’' || c == U'′'; }

bool space(char32_t c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xa0 || (c >= 0x2000 && c <= 0x200b) || c == 0x202f ||
         c == 0x205f || c == 0x3000;
}

bool name_start(char32_t c) { return ascii_letter(c) || (c >= 0x391 && c <= 0x3c9 && c != U'Σ'); }
bool name_part(char32_t c) { return name_start(c) || digit(c) || prime(c) || (c >= U'₀' && c <= U'₉'); }

// Unicode has no capital subscripts and no subscript y, so books write what looks like them.
std::optional<char> subscript_letter(char32_t c) {
  struct Pair {
    char32_t small;
    char letter;
  };
  constexpr std::array<Pair, 20> kLetters{{{U'ₐ', 'A'}, {U'ᵦ', 'B'}, {U'ₑ', 'E'}, {U'ₕ', 'H'}, {U'ᵢ', 'I'},
                                           {U'ⱼ', 'J'}, {U'ₖ', 'K'}, {U'ₗ', 'L'}, {U'ₘ', 'M'}, {U'ₙ', 'N'},
                                           {U'ₒ', 'O'}, {U'ₚ', 'P'}, {U'ᵣ', 'R'}, {U'ₛ', 'S'}, {U'ₜ', 'T'},
                                           {U'ᵤ', 'U'}, {U'ᵥ', 'V'}, {U'ₓ', 'X'}, {U'ᵪ', 'X'}, {U'ᵧ', 'Y'}}};
  const auto* found = std::find_if(kLetters.begin(), kLetters.end(), [c](Pair p) { return p.small == c; });
  if (found == kLetters.end()) return std::nullopt;
  return found->letter;
}

std::optional<Mark> sign(char32_t c) {
  switch (c) {
    case '_':
      return Mark::underscore;
    case '[':
      return Mark::open_bracket;
    case ']':
      return Mark::close_bracket;
    case '{':
      return Mark::open_brace;
    case '}':
      return Mark::close_brace;
    case '(':
      return Mark::open_parenthesis;
    case ')':
      return Mark::close_parenthesis;
    case ',':
      return Mark::comma;
    case '=':
      return Mark::equals;
    case '/':
      return Mark::slash;
    case '?':
      return Mark::question;
    case '*':
    case '@':
    case U'·':
    case U'⋅':
    case U'∙':
    case U'×':
      return Mark::times;
    case U'→':
    case U'⟶':
      return Mark::arrow;
    case '-':
    case U'−':
      return Mark::minus;
    case U'…':
      return Mark::ellipsis;
    case U'Σ':
    case U'∑':
      return Mark::sum;
    default:
      return std::nullopt;
  }
}

// ---- TeX
// ------------------------------------------------------------------------------------------------------------

enum class Tex : std::uint8_t { token, blank, font };

struct Command {
  std::string_view name;
  Tex meaning;
  Mark mark = Mark::end;
};

constexpr std::array kCommands{Command{"to", Tex::token, Mark::arrow},
                               Command{"rightarrow", Tex::token, Mark::arrow},
                               Command{"longrightarrow", Tex::token, Mark::arrow},
                               Command{"times", Tex::token, Mark::times},
                               Command{"cdot", Tex::token, Mark::times},
                               Command{"ast", Tex::token, Mark::times},
                               Command{"sum", Tex::token, Mark::sum},
                               Command{"ldots", Tex::token, Mark::ellipsis},
                               Command{"dots", Tex::token, Mark::ellipsis},
                               Command{"cdots", Tex::token, Mark::ellipsis},
                               Command{"quad", Tex::blank},
                               Command{"qquad", Tex::blank},
                               Command{"left", Tex::blank},
                               Command{"right", Tex::blank},
                               Command{"text", Tex::font},
                               Command{"textbf", Tex::font},
                               Command{"textrm", Tex::font},
                               Command{"textit", Tex::font},
                               Command{"texttt", Tex::font},
                               Command{"mathrm", Tex::font},
                               Command{"mathbf", Tex::font},
                               Command{"mathit", Tex::font},
                               Command{"operatorname", Tex::font}};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(decoded(text)) {}

  std::vector<Token> run() {
    drop_display_marks();
    drop_list_number();
    drop_remark();
    while (at_ < text_.size()) next();
    if (dollars_ % 2 != 0) throw NotationError(last_dollar_, "a $ is not paired");
    out_.push_back({Mark::end, "", static_cast<int>(text_.size()) + 1, false, false});
    return std::move(out_);
  }

 private:
  char32_t peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : U'\0'; }
  int column() const { return static_cast<int>(at_) + 1; }

  // \[ ... \] around all of it is TeX's display; anywhere else Markdown's escaped bracket.
  void drop_display_marks() {
    std::size_t first = 0;
    std::size_t last = text_.size();
    while (first < last && space(text_[first])) ++first;
    while (last > first && space(text_[last - 1])) --last;
    if (last - first < 4 || text_.compare(first, 2, U"\\[") != 0 || text_.compare(last - 2, 2, U"\\]") != 0) return;
    text_[first] = text_[first + 1] = text_[last - 2] = text_[last - 1] = U' ';
  }

  // "2. " of a list.
  void drop_list_number() {
    std::size_t end = 0;
    while (end < text_.size() && space(text_[end])) ++end;
    const std::size_t digits = end;
    while (end < text_.size() && digit(text_[end])) ++end;
    if (end == digits || end + 1 >= text_.size() || (text_[end] != U'.' && text_[end] != U')')) return;
    if (space(text_[end + 1])) std::fill(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(end + 1), U' ');
  }

  // What stands in parentheses behind it all: "... -> C[I, K] (no communication)", also in those of Chinese text.
  void drop_remark() {
    std::size_t last = text_.size();
    while (last > 0 && space(text_[last - 1])) --last;
    if (last == 0 || (text_[last - 1] != U')' && text_[last - 1] != U'）')) return;
    std::size_t before = 0, brace = 0;  // the last character that is no space, the last { or \{
    int depth = 0;
    for (std::size_t i = 0; i < last; ++i) {
      const char32_t c = text_[i];
      const bool remark = c == U'（' || (c == U'(' && before + 1 < i);
      if (remark && depth == 0 && ends_array(before, brace)) {
        std::fill(text_.begin() + static_cast<std::ptrdiff_t>(i), text_.end(), U' ');
        return;
      }
      depth += (c == U'[' || c == U'(') - (c == U']' || c == U')');
      if (c == U'{') brace = i;
      if (!space(c)) before = i;
    }
  }

  // Whether an array, or a call, can end here: not a subscript in braces.
  bool ends_array(std::size_t at, std::size_t brace) const {
    return text_[at] == U']' || text_[at] == U')' || (text_[at] == U'}' && text_[brace + 1] == U'U');
  }

  void emit(Mark mark, std::size_t length, std::string text = {}) {
    if (text.empty()) {
      for (std::size_t i = 0; i < length; ++i) append(text, text_[at_ + i]);
    }
    out_.push_back({mark, std::move(text), column(), end_ == at_, false});
    at_ += length;
    end_ = at_;
  }

  void next() {
    const char32_t c = peek();
    if (space(c)) {
      ++at_;
    } else if (c == U'$') {
      ++dollars_;
      last_dollar_ = column();
      ++at_;
    } else if (c == U'\\') {
      tex();
    } else if (name_start(c)) {
      word();
    } else if (digit(c)) {
      std::size_t length = 1;
      while (digit(peek(length))) ++length;
      emit(Mark::number, length);
    } else if (subscript_letter(c)) {
      subscript();
    } else {
      symbol(c);
    }
  }

  void word() {
    std::string name;
    std::size_t length = 0;
    for (; name_part(peek(length)); ++length) append(name, prime(peek(length)) ? U'\'' : peek(length));
    emit(Mark::name, length, std::move(name));
  }

  void subscript() {
    emit(Mark::underscore, 0, "_");
    std::string letters;
    while (const auto letter = subscript_letter(peek(letters.size()))) letters.push_back(*letter);
    const std::size_t length = letters.size();
    emit(Mark::name, length, std::move(letters));
    out_.back().raised = true;
  }

  void symbol(char32_t c) {
    if (c == U'-' && peek(1) == U'>') return emit(Mark::arrow, 2);
    if (c == U'.' && peek(1) == U'.' && peek(2) == U'.') return emit(Mark::ellipsis, 3);
    const auto mark = sign(c);
    if (!mark) unexpected(1);
    if (mark == Mark::close_brace && close_font()) return;
    if (mark == Mark::open_brace) font_braces_.push_back(false);
    emit(*mark, 1);
  }

  void tex() {
    const char32_t c = peek(1);
    if (ascii_letter(c)) return command();
    if (c == U'{' || c == U'}' || c == U'_' || c == U'[' || c == U']') {
      std::string plain;
      append(plain, c);
      return emit(*sign(c), 2, std::move(plain));
    }
    if (c == U'(' || c == U')') {  // inline mathematics, as $
      at_ += 2;
    } else if (c == U',' || c == U';' || c == U':' || c == U'!' || c == U' ') {
      at_ += 2;
    } else {
      unexpected(1);
    }
  }

  void command() {
    std::string name;
    while (ascii_letter(peek(1 + name.size()))) append(name, peek(1 + name.size()));
    const auto* known = std::find_if(kCommands.begin(), kCommands.end(), [&](auto& k) { return k.name == name; });
    const std::size_t length = 1 + name.size();
    if (known == kCommands.end()) {
      throw NotationError(column(), "unknown TeX command", "\\" + name,
                          "\\cdot, \\times, \\to, \\rightarrow, \\{, \\}");
    }
    if (known->meaning == Tex::token) return emit(known->mark, length);
    at_ += length;
    if (known->meaning == Tex::blank) return;
    while (space(peek())) ++at_;
    if (peek() != U'{') throw NotationError(column(), "expected { after \\" + name);
    font_braces_.push_back(true);
    ++at_;
    end_ = at_;
  }

  bool close_font() {
    if (font_braces_.empty()) return false;
    const bool font = font_braces_.back();
    font_braces_.pop_back();
    if (!font) return false;
    if (end_ == at_) end_ = at_ + 1;  // what follows still touches the word inside
    ++at_;
    return true;
  }

  [[noreturn]] void unexpected(std::size_t length) const {
    std::string got;
    for (std::size_t i = 0; i < length; ++i) append(got, text_[at_ + i]);
    throw NotationError(column(), "expected notation such as C[I, K] = A[I, J_X] * B[J_X, K]", "'" + got + "'");
  }

  std::u32string text_;
  std::size_t at_ = 0;
  std::size_t end_ = std::u32string::npos;  // of the last token
  std::vector<Token> out_;
  std::vector<bool> font_braces_;  // open braces: of a font command, which is dropped, or real
  int dollars_ = 0, last_dollar_ = 0;
};

}  // namespace

std::vector<Token> tokens(std::string_view text) { return Lexer(text).run(); }

}  // namespace hopsim::notation
