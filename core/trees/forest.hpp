// A forest of extremely randomised trees (Geurts, Ernst and Wehenkel (2006)), grown online. A leaf
// keeps its latest examples. As soon as it has a few, of different targets, it splits, and its
// children begin with its examples.
//
//   split    the best of some features that vary in the leaf, 2 sqrt(their number) rounded up, each
//            with a threshold drawn uniformly between its least and its largest value there
//   predict  the mean of the predictions of the trees
//
// Absent values are 0. The trees share the examples that their leaves keep.
#pragma once
#include <cmath>

#include "boosting/voting.hpp"
#include "trees/grower.hpp"

namespace regretless {

struct ForestOptions {
  std::size_t n = 20;
  std::size_t grace = 5;  // examples that a leaf has before it splits
  std::size_t kept = 32;  // the most examples that a leaf keeps
  std::size_t depth = kDeepest, max_nodes = 0;
  std::uint64_t seed = 0;
};

class Forest : public Grower {
 public:
  Forest(const ForestOptions& options, bool classes) : options_(options), classes_(classes) {
    Forest::reset(classes ? 2 : 1);
  }

  std::size_t outputs() const override { return trees_[0].nodes.sums().outputs(); }
  void reset(std::size_t outputs) override {
    trees_.assign(options_.n, Tree(outputs, classes_));
    examples_.clear();
    free_.clear();
  }
  void relabel(const std::vector<int>& sources) override {
    for (Tree& tree : trees_) tree.nodes.sums().relabel(sources);
    for (Kept& each : examples_) {
      const auto at = std::find(sources.begin(), sources.end(), int(each.y.output));
      each.y.output = at == sources.end() ? 0 : std::size_t(at - sources.begin());
    }
  }

  void predict(const float* by_row, double* out) const override {
    for (const Tree& tree : trees_)
      tree.nodes.predict(tree.nodes.leaf(by_row), 1.0 / double(options_.n), out);
  }
  void learn(const Spread& x, const Target& y, double w) override {
    if (seen_.size() < x.rows) least_.resize(x.rows), most_.resize(x.rows), seen_.resize(x.rows);
    const std::uint32_t id = keep(x.sparse, y, w);
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      const std::uint32_t leaf = trees_[i].nodes.learn(x.by_row, y, w);
      hold(trees_[i], leaf, id);
      grow(i, leaf, x.names);
    }
    release(id);
  }

  std::size_t nodes() const override {
    std::size_t all = 0;
    for (const Tree& tree : trees_) all += tree.nodes.size();
    return all;
  }
  std::size_t bytes() const override {
    std::size_t all = examples_.capacity() * sizeof(Kept);
    for (const Kept& each : examples_)
      all += each.rows.capacity() * sizeof(std::uint32_t) + each.values.capacity() * sizeof(float);
    for (const Tree& tree : trees_) {
      all += tree.nodes.bytes() + tree.leaves.capacity() * sizeof(Leaf);
      for (const Leaf& leaf : tree.leaves) all += leaf.kept.capacity() * sizeof(std::uint32_t);
    }
    return all;
  }

  void write(std::vector<double>& out) const override {
    std::vector<double> number(examples_.size());  // examples in use are numbered without gaps
    double used = 0;
    for (std::size_t id = 0; id < examples_.size(); ++id)
      if (examples_[id].uses) number[id] = used++;
    out.push_back(used);
    for (const Kept& each : examples_) {
      if (!each.uses) continue;
      out.insert(out.end(),
                 {double(each.y.output), each.y.value, each.w, double(each.rows.size())});
      out.insert(out.end(), each.rows.begin(), each.rows.end());
      out.insert(out.end(), each.values.begin(), each.values.end());
    }
    for (const Tree& tree : trees_) {
      tree.nodes.write(out);
      out.push_back(double(tree.draws));
      for (std::size_t at = 0; at < tree.nodes.size(); ++at) {
        if (tree.nodes[at].left) continue;
        const Leaf& leaf = tree.leaves[at];
        out.push_back(double(leaf.due));
        out.push_back(double(leaf.kept.size()));
        for (const std::uint32_t id : leaf.kept) out.push_back(number[id]);
      }
    }
  }
  void read(StateReader& in, std::size_t rows) override {
    Forest made(options_, classes_);
    made.reset(outputs());
    made.examples_.resize(in.length("examples", 4));
    for (Kept& each : made.examples_) {
      each.y.output = in.index("class", outputs());
      each.y.value = in.number("target", classes_ ? 1 : -1e20, classes_ ? 1 : 1e20);
      each.w = in.number("weight", 1e-300, 1e100);
      const std::size_t size = in.length("features", 2);
      for (std::size_t j = 0; j < size; ++j) {
        const std::uint32_t row = in.index("row", rows);
        require(each.rows.empty() || each.rows.back() < row, "features are out of order");
        each.rows.push_back(row);
      }
      for (std::size_t j = 0; j < size; ++j)
        each.values.push_back(float(in.number("value", -1e20, 1e20)));
    }
    for (Tree& tree : made.trees_) {
      tree.nodes.read(in, rows);
      tree.draws = in.count("draws");
      tree.leaves.resize(tree.nodes.size());
      for (std::size_t at = 0; at < tree.nodes.size(); ++at) {
        if (tree.nodes[at].left) continue;
        Leaf& leaf = tree.leaves[at];
        leaf.due = in.count("due", double(options_.kept));
        leaf.kept.resize(in.length("kept", 1));
        require(leaf.kept.size() <= options_.kept, "a leaf keeps too many examples");
        for (std::uint32_t& id : leaf.kept)
          made.examples_[id = in.index("example", made.examples_.size())].uses++;
      }
    }
    for (const Kept& each : made.examples_) require(each.uses > 0, "no leaf keeps an example");
    made.seen_.resize(rows), made.least_.resize(rows), made.most_.resize(rows);
    *this = std::move(made);
  }

 private:
  struct Leaf {
    std::size_t due = 0;              // how many more examples it needs before it tries to split
    std::vector<std::uint32_t> kept;  // its latest examples
  };
  struct Tree {
    Tree(std::size_t outputs, bool classes) : nodes(outputs, classes), leaves(1) {}
    Nodes nodes;
    std::vector<Leaf> leaves;  // one for each node
    std::uint64_t draws = 0;
  };
  struct Kept {
    std::vector<std::uint32_t> rows;  // increasing
    std::vector<float> values;
    Target y{};
    double w = 0;
    std::size_t uses = 0;
    double operator[](std::uint32_t row) const {
      const auto at = std::lower_bound(rows.begin(), rows.end(), row);
      return at != rows.end() && *at == row ? values[std::size_t(at - rows.begin())] : 0;
    }
  };

  std::uint32_t keep(const Example& x, const Target& y, double w) {
    if (free_.empty()) {
      free_.push_back(std::uint32_t(examples_.size()));
      examples_.emplace_back();
    }
    order_.clear();
    for (std::size_t j = 0; j < x.size; ++j)
      if (x.values[j] != 0) order_.push_back({x.rows[j], x.values[j]});
    std::sort(order_.begin(), order_.end());
    const std::uint32_t id = free_.back();
    free_.pop_back();
    Kept& to = examples_[id];
    for (const auto& [row, value] : order_) to.rows.push_back(row), to.values.push_back(value);
    to.y = y, to.w = w, to.uses = 1;  // by the caller, as long as it learns the example
    return id;
  }
  void release(std::uint32_t id) {
    if (--examples_[id].uses) return;
    examples_[id] = {};
    free_.push_back(id);
  }
  // Whether a leaf can never split.
  bool closed(const Tree& tree, std::uint32_t leaf) const {
    return tree.nodes[leaf].depth >= options_.depth || tree.nodes.size() + 2 > options_.max_nodes;
  }
  void close(Tree& tree, std::uint32_t leaf) {
    for (const std::uint32_t id : tree.leaves[leaf].kept) release(id);
    tree.leaves[leaf] = {};
  }
  void hold(Tree& tree, std::uint32_t at, std::uint32_t id) {
    Leaf& leaf = tree.leaves[at];
    if (closed(tree, at)) return close(tree, at);
    if (leaf.kept.size() == options_.kept) {
      release(leaf.kept.front());
      leaf.kept.erase(leaf.kept.begin());
    }
    leaf.kept.push_back(id);
    examples_[id].uses++;
    if (leaf.due) leaf.due--;
  }

  // Splits a leaf, and its children, if they are ready for it.
  void grow(std::size_t i, std::uint32_t at, const std::uint64_t* names) {
    Tree& tree = trees_[i];
    if (closed(tree, at)) return close(tree, at);
    Leaf& leaf = tree.leaves[at];
    if (leaf.due || leaf.kept.size() < options_.grace) return;
    Split best;
    if (!find(i, leaf.kept, names, best)) {
      leaf.due = leaf.kept.size();
      return;
    }
    const std::vector<std::uint32_t> kept = std::move(leaf.kept);
    leaf = {};
    const std::uint32_t left = tree.nodes.split(at, best.row, best.threshold);
    tree.leaves.resize(tree.nodes.size());
    for (const std::uint32_t id : kept) {
      const Kept& x = examples_[id];
      const std::uint32_t side = left + (x[best.row] > best.threshold);
      TargetSums::add(tree.nodes.sums()[side], x.y, x.w);
      tree.leaves[side].kept.push_back(id);
    }
    grow(i, left, names);
    grow(i, left + 1, names);
  }

  struct Split {
    std::uint32_t row = 0;
    double threshold = 0;
  };
  // Draws splits and finds the best; false if none separates different targets.
  bool find(std::size_t i, const std::vector<std::uint32_t>& kept, const std::uint64_t* names,
            Split& best) {
    TargetSums side(outputs());  // all, left, right
    side.resize(3);
    for (const std::uint32_t id : kept) TargetSums::add(side[0], examples_[id].y, examples_[id].w);
    if (side.pure(side[0])) return false;
    survey(kept);
    const std::uint64_t seed = splitmix(options_.seed + 0x9E3779B97F4A7C15 * (i + 1));
    const std::uint64_t round = trees_[i].draws++;
    drawn_.clear();
    for (const std::uint32_t row : varying_)
      drawn_.push_back({drawn(seed, round, names[row]), row});
    const auto tries = std::size_t(std::ceil(2 * std::sqrt(double(drawn_.size()))));
    const auto last = drawn_.begin() + std::ptrdiff_t(std::min(tries, drawn_.size()));
    std::partial_sort(drawn_.begin(), last, drawn_.end());
    double most = TargetSums::kTiny * side[0][1];
    bool found = false;
    for (auto candidate = drawn_.begin(); candidate != last; ++candidate) {
      const std::uint32_t row = candidate->second;
      const double low = least_[row], high = most_[row];
      double threshold = low + drawn(seed, round, names[row] + 1) * (high - low);
      if (!(threshold < high)) threshold = low;
      std::fill_n(side[1], 2 * side.width(), 0.0);
      for (const std::uint32_t id : kept) {
        const Kept& x = examples_[id];
        TargetSums::add(side[x[row] > threshold ? 2 : 1], x.y, x.w);
      }
      const double gain =
          side.explained(side[1]) + side.explained(side[2]) - side.explained(side[0]);
      if (gain > most) most = gain, best = {row, threshold}, found = true;
    }
    return found;
  }
  // Finds the features that vary among some examples, and their ranges.
  void survey(const std::vector<std::uint32_t>& kept) {
    varying_.clear();
    for (const std::uint32_t id : kept) {
      const Kept& x = examples_[id];
      for (std::size_t j = 0; j < x.rows.size(); ++j) {
        const std::uint32_t row = x.rows[j];
        if (seen_[row]++ == 0) {
          varying_.push_back(row);
          least_[row] = most_[row] = x.values[j];
        }
        least_[row] = std::min(least_[row], x.values[j]);
        most_[row] = std::max(most_[row], x.values[j]);
      }
    }
    std::size_t count = 0;
    for (const std::uint32_t row : varying_) {
      if (seen_[row] < kept.size()) {  // it is absent somewhere
        least_[row] = std::min(least_[row], 0.0f);
        most_[row] = std::max(most_[row], 0.0f);
      }
      seen_[row] = 0;
      if (least_[row] < most_[row]) varying_[count++] = row;
    }
    varying_.resize(count);
  }

  ForestOptions options_;
  bool classes_;
  std::vector<Tree> trees_;
  std::vector<Kept> examples_;
  std::vector<std::uint32_t> free_;  // numbers of examples that are not in use
  // of one example, or of one leaf
  std::vector<std::pair<std::uint32_t, float>> order_;
  std::vector<float> least_, most_;  // by row
  std::vector<std::size_t> seen_;
  std::vector<std::uint32_t> varying_;
  std::vector<std::pair<double, std::uint32_t>> drawn_;
};

}  // namespace regretless
