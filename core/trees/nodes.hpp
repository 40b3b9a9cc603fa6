// The nodes of a binary tree, and what they predict: the mean of the targets, with that of the
// parent as a prior.
//
//   an example goes left at a node if its value of the node's feature is at most the threshold
//   p(node) = (sums of the node + kPrior p(parent)) / (weight of the node + kPrior)
//
// Above the root the prior is uniform for classes, and there is none for numbers.
#pragma once
#include <cstdint>
#include <vector>

#include "trees/state_reader.hpp"

namespace regretless {

struct Node {
  std::uint32_t parent = 0, left = 0, row = 0, depth = 0;  // left 0: a leaf; right is left + 1
  double threshold = 0;
};

class Nodes {
 public:
  static constexpr double kPrior = 0.5;

  Nodes(std::size_t outputs, bool classes) : classes_(classes), nodes_(1), sums_(outputs) {
    sums_.resize(1);
  }

  std::size_t size() const { return nodes_.size(); }
  const Node& operator[](std::size_t i) const { return nodes_[i]; }
  TargetSums& sums() { return sums_; }
  const TargetSums& sums() const { return sums_; }
  std::size_t bytes() const { return nodes_.capacity() * sizeof(Node) + sums_.bytes(); }

  // x: the values of all features, by row
  std::uint32_t next(std::uint32_t at, const float* x) const {
    const Node& node = nodes_[at];
    return node.left + (double(x[node.row]) > node.threshold);
  }
  std::uint32_t leaf(const float* x) const {
    std::uint32_t at = 0;
    while (nodes_[at].left) at = next(at, x);
    return at;
  }
  // The same leaf, after the target was added to all nodes on the way.
  std::uint32_t learn(const float* x, const Target& y, double w) {
    std::uint32_t at = 0;
    TargetSums::add(sums_[at], y, w);
    while (nodes_[at].left) TargetSums::add(sums_[at = next(at, x)], y, w);
    return at;
  }
  // Adds a share of the prediction of a node.
  void predict(std::uint32_t at, double share, double* out) const {
    const std::size_t outputs = sums_.outputs();
    for (;; at = nodes_[at].parent) {
      const double* s = sums_[at];
      const double prior = at || classes_ ? kPrior : 0, all = s[0] + prior;
      if (all > 0) {
        for (std::size_t k = 0; k < outputs; ++k) out[k] += share / all * s[2 + k];
        share *= prior / all;
      }
      if (at == 0) break;
    }
    for (std::size_t k = 0; classes_ && k < outputs; ++k) out[k] += share / double(outputs);
  }
  // Turns a leaf into a node with two leaves; returns the left one.
  std::uint32_t split(std::uint32_t at, std::uint32_t row, double threshold) {
    const auto left = std::uint32_t(nodes_.size());
    nodes_[at].left = left, nodes_[at].row = row, nodes_[at].threshold = threshold;
    nodes_.resize(left + 2, {at, 0, 0, nodes_[at].depth + 1, 0});
    sums_.resize(left + 2);
    return left;
  }

  void write(std::vector<double>& out) const {
    out.push_back(double(size()));
    for (const Node& node : nodes_) {
      out.push_back(node.left);
      if (node.left) out.push_back(node.row), out.push_back(node.threshold);
    }
    StateReader::write(out, sums_);
  }
  void read(StateReader& in, std::size_t rows) {
    const std::size_t count = in.length("nodes", 1);
    require(count > 0, "a tree has no root");
    nodes_.assign(count, {});
    std::size_t used = 1;  // children come in pairs, in the order of their numbers
    for (std::uint32_t i = 0; i < count; ++i) {
      Node& node = nodes_[i];
      node.left = in.index("left", count);
      if (!node.left) continue;
      const bool sound = node.left > i && node.left + 1 < count && !nodes_[node.left].depth &&
                         !nodes_[node.left + 1].depth;  // no parent has claimed them yet
      require(sound, "the nodes of a tree do not form a tree");
      node.row = in.index("row", rows);
      node.threshold = in.number("threshold", -1e38, 1e38);
      for (std::uint32_t side : {node.left, node.left + 1})
        nodes_[side].parent = i, nodes_[side].depth = node.depth + 1;
      used += 2;
    }
    require(used == count, "the nodes of a tree do not form a tree");
    in.sums(sums_, count, classes_);
  }

 private:
  bool classes_;
  std::vector<Node> nodes_;
  TargetSums sums_;
};

}  // namespace regretless
