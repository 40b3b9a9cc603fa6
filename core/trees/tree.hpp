// An incremental decision tree (Domingos and Hulten (2000)). A leaf has a histogram for each
// feature that it has seen, and splits when the best feature is ahead of the second best by more
// than chance allows:
//
//   gain(f)  the largest share of the impurity that a threshold of f removes: for classes a part of
//            Gini's index, for numbers a part of the variance; at least 0
//   bound    sqrt(ln(1 / delta) / (2 n)),  n = (sum w)^2 / sum w^2
//   split    if gain(best) - gain(second) > bound, or bound < tie; asked every `grace` examples
//
// Its children begin with the sums of the two sides, and with empty histograms. Absent values are
// 0.
#pragma once
#include <cmath>

#include "trees/grower.hpp"
#include "trees/histogram.hpp"

namespace regretless {

struct TreeOptions {
  double delta = 0.001, tie = 0.05;
  std::size_t grace = 50, bins = 32, depth = kDeepest, max_nodes = 0;
};

class Tree : public Grower {
 public:
  Tree(const TreeOptions& options, bool classes)
      : options_(options), classes_(classes), nodes_(1, classes) {
    Tree::reset(classes ? 2 : 1);
  }

  std::size_t outputs() const override { return nodes_.sums().outputs(); }
  void reset(std::size_t outputs) override {
    nodes_ = Nodes(outputs, classes_);
    leaves_.assign(1, Leaf(outputs));
  }
  void relabel(const std::vector<int>& sources) override {
    nodes_.sums().relabel(sources);
    for (Leaf& leaf : leaves_) {
      leaf.all.relabel(sources);
      for (Histogram& each : leaf.histograms) each.sums().relabel(sources);
    }
  }
  void predict(const float* by_row, double* out) const override {
    nodes_.predict(nodes_.leaf(by_row), 1, out);
  }
  void learn(const Spread& x, const Target& y, double w) override {
    const std::uint32_t at = nodes_.learn(x.by_row, y, w);
    Leaf& leaf = leaves_[at];
    if (closed(at)) return leaf.clear();
    TargetSums::add(leaf.all[0], y, w);
    leaf.squares += w * w;
    leaf.examples++;
    std::size_t hint = 0;
    for (std::size_t j = 0; j < x.sparse.size; ++j)
      if (x.sparse.values[j] != 0)
        leaf.of(x.sparse.rows[j], hint).add(x.sparse.values[j], y, w, options_.bins);
    if (leaf.examples % options_.grace == 0) grow(at, x.names);
  }

  std::size_t nodes() const override { return nodes_.size(); }
  std::size_t bytes() const override {
    std::size_t all = nodes_.bytes() + leaves_.capacity() * sizeof(Leaf);
    for (const Leaf& leaf : leaves_) {
      all += leaf.rows.capacity() * sizeof(std::uint32_t) + leaf.all.bytes() +
             leaf.histograms.capacity() * sizeof(Histogram);
      for (const Histogram& each : leaf.histograms) all += each.bytes();
    }
    return all;
  }

  void write(std::vector<double>& out) const override {
    nodes_.write(out);
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
      if (nodes_[at].left) continue;
      const Leaf& leaf = leaves_[at];
      out.push_back(double(leaf.examples));
      out.push_back(leaf.squares);
      StateReader::write(out, leaf.all);
      out.push_back(double(leaf.rows.size()));
      for (std::size_t i = 0; i < leaf.rows.size(); ++i) {
        out.push_back(leaf.rows[i]);
        leaf.histograms[i].write(out);
      }
    }
  }
  void read(StateReader& in, std::size_t rows) override {
    Tree made(options_, classes_);
    made.reset(outputs());
    made.nodes_.read(in, rows);
    made.leaves_.assign(made.nodes_.size(), Leaf(outputs()));
    for (std::size_t at = 0; at < made.nodes_.size(); ++at) {
      if (made.nodes_[at].left) continue;
      Leaf& leaf = made.leaves_[at];
      leaf.examples = in.count("examples");
      leaf.squares = in.number("squares", 0, 1e250);
      in.sums(leaf.all, 1, classes_);
      leaf.rows.resize(in.length("features", 1));
      for (std::size_t i = 0; i < leaf.rows.size(); ++i) {
        leaf.rows[i] = in.index("row", rows);
        require(i == 0 || leaf.rows[i - 1] < leaf.rows[i], "features are out of order");
        leaf.histograms.emplace_back(outputs()).read(in, options_.bins, classes_);
      }
    }
    *this = std::move(made);
  }

 private:
  struct Leaf {
    explicit Leaf(std::size_t outputs) : all(outputs) { all.resize(1); }
    TargetSums all;  // of the examples that the histograms have seen
    double squares = 0;
    std::uint64_t examples = 0;
    std::vector<std::uint32_t> rows;  // increasing, each with its histogram
    std::vector<Histogram> histograms;

    // The histogram of a row. `hint` is where the next row is if rows come in order.
    Histogram& of(std::uint32_t row, std::size_t& hint) {
      std::size_t i = hint;
      if (i >= rows.size() || rows[i] != row) {
        i = std::size_t(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
        if (i == rows.size() || rows[i] != row) {
          rows.insert(rows.begin() + std::ptrdiff_t(i), row);
          histograms.insert(histograms.begin() + std::ptrdiff_t(i), Histogram(all.outputs()));
        }
      }
      hint = i + 1;
      return histograms[i];
    }
    void clear() {
      if (examples) *this = Leaf(all.outputs());
    }
  };
  struct Split {
    double gain = 0, threshold = 0;
    std::vector<double> left, right;  // the sums of the two sides
  };

  // Whether a leaf can never split.
  bool closed(std::uint32_t leaf) const {
    return nodes_[leaf].depth >= options_.depth || nodes_.size() + 2 > options_.max_nodes;
  }

  void grow(std::uint32_t at, const std::uint64_t* names) {
    const Leaf& leaf = leaves_[at];
    if (leaf.all.pure(leaf.all[0])) return;
    const double n = leaf.all[0][0] * (leaf.all[0][0] / leaf.squares);
    const double bound = std::sqrt(std::log(1 / options_.delta) / (2 * n));
    Split best;
    double second = 0;
    std::uint32_t row = 0;
    for (std::size_t i = 0; i < leaf.rows.size(); ++i) {
      Split split = best_split(leaf, leaf.histograms[i]);
      const bool first = names[leaf.rows[i]] < names[row];  // of features as good as each other
      if (split.gain > best.gain || (split.gain == best.gain && first)) {
        second = best.gain;
        best = std::move(split);
        row = leaf.rows[i];
      } else {
        second = std::max(second, split.gain);
      }
    }
    if (!(best.gain > TargetSums::kTiny)) return;
    if (!(best.gain - second > bound) && !(bound < options_.tie)) return;
    const std::uint32_t left = nodes_.split(at, row, best.threshold);
    std::copy(best.left.begin(), best.left.end(), nodes_.sums()[left]);
    std::copy(best.right.begin(), best.right.end(), nodes_.sums()[left + 1]);
    leaves_[at] = Leaf(outputs());
    leaves_.resize(nodes_.size(), Leaf(outputs()));
  }

  // The best threshold of a feature. Both sides are sums of weights, not differences, so that no
  // rounding makes them negative.
  Split best_split(const Leaf& leaf, const Histogram& h) const {
    const TargetSums& shape = h.sums();
    const std::size_t width = shape.width();
    const double* all = leaf.all[0];
    std::vector<double> absent(all, all + width);
    for (std::size_t i = 0; i < shape.size(); ++i) shape.subtract(absent.data(), shape[i]);
    for (std::size_t k = 0; k < (classes_ ? width : 2); ++k) absent[k] = std::max(absent[k], 0.0);

    std::vector<std::pair<double, const double*>> parts;  // in order, with absent values among them
    for (std::size_t i = 0; i < shape.size(); ++i) parts.push_back({h.points()[i], shape[i]});
    if (absent[0] > TargetSums::kTiny * all[0]) {
      const auto at = std::lower_bound(h.points().begin(), h.points().end(), 0.0);
      parts.insert(parts.begin() + (at - h.points().begin()), {0.0, absent.data()});
    }
    TargetSums rest(shape.outputs());  // of all parts from i on
    rest.resize(parts.size() + 1);
    for (std::size_t i = parts.size(); i-- > 0;) {
      std::copy_n(rest[i + 1], width, rest[i]);
      shape.add(rest[i], parts[i].second);
    }
    const double scale = classes_ ? all[0] : leaf.all.impurity(all), whole = shape.explained(all);
    std::vector<double> left(width);
    Split best;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      shape.add(left.data(), parts[i].second);
      const double* right = rest[i + 1];
      const double gain = (shape.explained(left.data()) + shape.explained(right) - whole) / scale;
      if (!(gain > best.gain)) continue;
      const double low = parts[i].first, high = parts[i + 1].first;
      const double middle = low + (high - low) / 2;
      best = {gain, middle < high ? middle : low, left, {right, right + width}};
    }
    return best;
  }

  TreeOptions options_;
  bool classes_;
  Nodes nodes_;
  std::vector<Leaf> leaves_;  // one for each node
};

}  // namespace regretless
