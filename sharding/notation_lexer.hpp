// A line of notation as tokens, with Unicode and TeX spellings already made one. Inside of sharding/ only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hopsim::notation {

enum class Mark : std::uint8_t {
  name,  // letters, digits, primes; no underscore
  number,
  underscore,  // also before a run of Unicode subscript letters, which then is a name
  open_bracket,
  close_bracket,
  open_brace,
  close_brace,
  open_parenthesis,
  close_parenthesis,
  comma,
  equals,
  times,
  arrow,
  slash,
  minus,
  question,
  ellipsis,
  sum,
  end,
};

struct Token {
  Mark mark = Mark::end;
  std::string text;     // as written; names and Unicode subscripts in their plain spelling
  int column = 0;       // characters, from 1
  bool joined = false;  // nothing between it and the token before
  bool raised = false;  // a name written in Unicode subscript letters: its case is not known, capitals are given
};

// Ends with a Mark::end token. Throws NotationError at what no token begins with, and at broken UTF-8.
std::vector<Token> tokens(std::string_view text);

}  // namespace hopsim::notation
