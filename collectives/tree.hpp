// Trees over the members of a row, by rank: rank 0 is the root, rank k the member k positions after it.
#pragma once

#include <memory>
#include <vector>

#include "collectives/rooted.hpp"

namespace hopsim {

struct Tree {
  explicit Tree(int n) : parent(static_cast<std::size_t>(n), -1), children(static_cast<std::size_t>(n)) {}
  void add(int above, int below);
  int depth() const;
  std::vector<std::uint32_t> sizes() const;  // of the subtree of every rank; ranks must be below smaller ones

  std::vector<int> parent;                 // -1: the root
  std::vector<std::vector<int>> children;  // in the order they are sent to
};

// Ranks v and v + 2^k for all 2^k below the lowest set bit of v; the largest subtrees first. Subtrees are ranges.
Tree binomial(int n);
// Two trees in which no rank but the root has children in both, so that every chip sends and gets a half in each:
// over the ranks 1 to n - 1 an in-order binary tree, whose odd ranks are leaves, and its mirror image or shift; the
// root above both.
std::vector<Tree> double_binary(int n);

// Broadcast and reduce, or AllReduce: an equal share of the array through each tree, in chunks.
Schedule tree_schedule(const Request&, const std::vector<Tree>&);
// Scatter or gather through a tree whose subtrees are ranges.
Schedule tree_scatter(const Request&, const Tree&);
// Hops of the longest way down, over links and over NICs; and how often a chip sends what it gets to other domains,
// at most, as `nic_bytes`.
ClosedForm tree_form(const Request&, const Tree&);
// More chunks than bytes, or than can be.
std::string tree_obstacle(std::string_view algorithm, const Request&);
int tree_chunks(const Request&, int trees, int depth);

}  // namespace hopsim
