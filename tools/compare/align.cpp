#include "tools/compare/align.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

namespace hopsim {
namespace {

constexpr std::size_t kMostCells = 32'000'000;

enum class Move : std::uint8_t { only_a, only_b, pair };

// Steps with their texts and kinds as numbers.
struct Token {
  int line, text, kind;
  bool barrier;

  friend bool operator==(const Token&, const Token&) = default;
};

class Tokens {
 public:
  std::vector<Token> of(const std::vector<StepName>& steps) {
    std::vector<Token> tokens;
    for (const StepName& s : steps) tokens.push_back({s.line, number(s.text), number(s.kind), s.kind == "barrier"});
    return tokens;
  }

 private:
  int number(std::string_view text) {
    return numbers_.emplace(text, static_cast<int>(numbers_.size())).first->second;
  }

  std::map<std::string_view, int> numbers_;
};

// What a pair is worth; 0: none.
int worth(const Token& a, const Token& b) {
  if (a.kind != b.kind) return 0;
  const int line = a.line == b.line ? 1 : 0;
  if (a.text != b.text) return 4 + line;
  return (a.barrier ? 10 : 1000) + line;
}

struct Span {
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
};

class Aligner {
 public:
  Aligner(std::vector<Token> a, std::vector<Token> b) : a_(std::move(a)), b_(std::move(b)) {}

  std::vector<AlignedStep> align() {
    Span a{0, a_.size()}, b{0, b_.size()};
    for (; a.size() && b.size() && a_[a.begin] == b_[b.begin]; ++a.begin, ++b.begin)
      rows_.push_back({a.begin, b.begin});
    while (a.size() && b.size() && a_[a.end - 1] == b_[b.end - 1]) --a.end, --b.end;
    if (a.size() * b.size() <= kMostCells)
      best(a, b);
    else
      one_by_one(a, b);
    for (std::size_t i = a.end, k = b.end; i < a_.size(); ++i, ++k) rows_.push_back({i, k});
    return std::move(rows_);
  }

 private:
  void best(Span a, Span b) {
    const std::size_t width = b.size() + 1;
    std::vector<Move> moves((a.size() + 1) * width, Move::only_b);
    std::vector<int> below(width, 0), row(width, 0);  // what is gained from here on; of i + 1, and of i
    for (std::size_t i = a.size(); i-- > 0;) {
      for (std::size_t k = b.size(); k-- > 0;) {
        const int pair = worth(a_[a.begin + i], b_[b.begin + k]);
        const int paired = pair ? pair + below[k + 1] : -1;
        row[k] = std::max({paired, below[k], row[k + 1]});
        moves[i * width + k] = row[k] == paired ? Move::pair : row[k] == below[k] ? Move::only_a : Move::only_b;
      }
      moves[i * width + b.size()] = Move::only_a;
      std::swap(row, below);
    }
    std::size_t i = 0, k = 0;
    while (i < a.size() || k < b.size()) {
      const Move move = moves[i * width + k];
      rows_.push_back({move == Move::only_b ? std::nullopt : std::optional(a.begin + i++),
                       move == Move::only_a ? std::nullopt : std::optional(b.begin + k++)});
    }
  }

  void one_by_one(Span a, Span b) {
    std::map<int, std::vector<std::size_t>> of_text;  // in B, the last one first
    for (std::size_t k = b.end; k-- > b.begin;) of_text[b_[k].text].push_back(k);
    std::vector<bool> taken(b_.size(), false);
    for (std::size_t i = a.begin; i < a.end; ++i) {
      AlignedStep row{i, std::nullopt};
      if (auto& left = of_text[a_[i].text]; !left.empty()) {
        row.b = left.back();
        taken[left.back()] = true;
        left.pop_back();
      }
      rows_.push_back(row);
    }
    for (std::size_t k = b.begin; k < b.end; ++k)
      if (!taken[k]) rows_.push_back({std::nullopt, k});
  }

  std::vector<Token> a_, b_;
  std::vector<AlignedStep> rows_;
};

}  // namespace

std::vector<AlignedStep> align(const std::vector<StepName>& a, const std::vector<StepName>& b) {
  Tokens tokens;
  std::vector<Token> of_a = tokens.of(a), of_b = tokens.of(b);
  return Aligner(std::move(of_a), std::move(of_b)).align();
}

}  // namespace hopsim
