// Reads the arrays, names and subscripts of a line; the base of the statement parser. Inside of sharding/ only.
//
//   array       = [dtype] name | [dtype] [name] "[" dimension {"," dimension} "]" {"{" "U_" axes "}"}
//   dimension   = "?" | "..." | (name | size) ["_" axes | "_?" | "/" axis] ["=" size]
//   size        = factor {("*" | "/") factor}
//   factor      = number | "(" number {"*" number} ")"
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sharding/notation.hpp"
#include "sharding/notation_axes.hpp"
#include "sharding/notation_lexer.hpp"

namespace hopsim::notation {

class ArrayParser {
 public:
  ArrayParser(std::string_view text, const AxisNames& names) : names_(names), tokens_(tokens(text)) {}

  ArrayRef array();

  // ---- Names and subscripts ----
  std::string composed_name();               // W_in, W_{in} (the same), W₁, C_partial_{i-1}
  std::vector<Item> collective_items();      // X | X,K | {X,K}
  std::vector<std::string> product_names();  // of a product sign: J | {J,K}; none without a subscript
  const AxisNames& names() const { return names_; }

  // ---- Tokens ----
  const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool at(Mark mark) const { return peek().mark == mark; }
  const Token& take() { return tokens_[at_++]; }  // REQUIRES: not at the end
  bool accept(Mark mark) {
    if (!at(mark)) return false;
    ++at_;
    return true;
  }
  void expect(Mark mark, const std::string& what) {
    if (!accept(mark)) fail(what);
  }
  [[noreturn]] void fail(const std::string& expected) const;

 private:
  void dimensions(ArrayRef&);
  Dimension dimension();
  void sharding(Dimension&);
  void unreduced(ArrayRef&);
  void axes();
  std::uint64_t size();
  std::uint64_t factor();
  std::uint64_t number();
  std::string braced_part();
  std::vector<Item> braced_or_single(const std::string& what);
  Item item(bool braced, const std::string& what);

  const AxisNames& names_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::vector<AxisUse> uses_;  // of the array being read
};

}  // namespace hopsim::notation
