// A tree or a forest as a model of labels or of a number, and many trees as lanes of a booster.
#pragma once
#include <memory>
#include <optional>

#include "model.hpp"
#include "trees/tree.hpp"

namespace regretless {

// Examples by row: each is spread out once, and all trees look its features up there.
class Spreading {
 public:
  void grow(const Features& features) {
    by_row_.resize(features.size());
    while (names_.size() < by_row_.size())
      names_.push_back(features.hash_of(std::uint32_t(names_.size())));
  }
  // Calls use(spread) with the example; rows that are not known yet are absent.
  template <class Use>
  void with(const Example& x, Use use) {
    for (std::size_t j = 0; j < x.size; ++j)
      if (x.rows[j]) by_row_[x.rows[j]] = x.values[j];
    use(Spread{x, by_row_.data(), names_.data(), by_row_.size()});
    for (std::size_t j = 0; j < x.size; ++j) by_row_[x.rows[j]] = 0;
  }

 private:
  std::vector<float> by_row_{0};
  std::vector<std::uint64_t> names_{0};
};

// The log-odds of one of two classes.
inline double log_odds(double p, double rest) {
  constexpr double kLeast = 1e-12;
  return std::log(std::max(p, kLeast)) - std::log(std::max(rest, kLeast));
}

// Labels share a lane if there are two, and have one each otherwise. Scores are log-odds, or the
// predicted number.
class TreeModel : public Model {
 public:
  TreeModel(std::unique_ptr<Grower> grower, bool classes)
      : grower_(std::move(grower)),
        classes_(classes),
        loss_{classes ? LossKind::logistic : LossKind::squared, 0},
        mean_(grower_->outputs()) {}

  const Loss& loss() const override { return loss_; }
  Features& features() override { return features_; }
  int lanes() const override {
    const auto outputs = int(mean_.size());
    return outputs == 2 ? 1 : outputs;
  }
  void grow() override { spreading_.grow(features_); }
  std::size_t nodes() const { return grower_->nodes(); }
  std::size_t bytes() const override { return grower_->bytes(); }

  void predict(const Batch& batch) const override {
    spreading_.grow(features_);
    for (std::size_t t = 0; t < batch.size; ++t)
      spreading_.with(batch.example(t),
                      [&](const Spread& x) { score(x, batch.scores + t * std::size_t(lanes())); });
  }
  void learn(const Batch& batch, std::size_t) override {
    grow();
    const auto each = std::size_t(lanes());
    std::vector<double> scores(each);
    for (std::size_t t = 0; t < batch.size; ++t)
      spreading_.with(batch.example(t), [&](const Spread& x) {
        const double h = batch.importance ? batch.importance[t] : 1;
        score(x, scores.data());
        const double suffered = classes_ ? surprise(scores, batch.classes[t])
                                         : loss_.value(scores[0], batch.targets[t]);
        if (batch.scores) std::copy(scores.begin(), scores.end(), batch.scores + t * each);
        if (batch.losses) batch.losses[t] = suffered;
        if (h == 0) return;
        totals_[0] += 1, totals_[1] += std::min(h * suffered, kWorst), totals_[2] += h;
        if (!classes_ && !first_) first_ = batch.targets[t];
        grower_->learn(x,
                       classes_ ? Target{std::size_t(batch.classes[t]), 1}
                                : Target{0, batch.targets[t] - *first_},
                       h);
      });
  }

  void relane(const std::vector<int>& sources, const std::vector<int>& signs) override {
    if (!classes_) {
      require(sources.size() == 1, "the lanes are of another model");
    } else if (std::all_of(sources.begin(), sources.end(), [](int s) { return s < 0; })) {
      grower_->reset(sources.size() == 1 ? 2 : sources.size());
      std::fill_n(totals_, 3, 0.0);
    } else {
      grower_->relabel(classes_of(sources, signs));
    }
    mean_.assign(grower_->outputs(), 0.0);
  }

  using Model::weights;
  std::vector<double> weights(const Rows&) const override { return {}; }
  std::vector<Part> parts() override { return {}; }
  double scalar(Scalar s, int lane) const override {
    if (s == kRounds) return totals_[0];
    if (s == kWeights) return totals_[2];
    if (lane > 0) return 0;  // losses and updates are added up over lanes
    return s == kUpdates ? totals_[0] : s == kLoss ? totals_[1] : 0;
  }
  std::vector<double> numbers() override {
    std::vector<double> all(totals_, totals_ + 3);
    all.push_back(first_.has_value());
    all.push_back(first_.value_or(0));
    grower_->write(all);
    return all;
  }
  void restore_numbers(const double* numbers, std::size_t size) override {
    StateReader in(numbers, size);
    const double examples = in.number("examples", 0, kCount, true), loss = in.number("loss"),
                 weights = in.number("weights", 0);
    const bool begun = in.count("begun", 1) == 1;
    const double first = in.number("first target", -1e20, 1e20);
    grower_->read(in, features_.size());
    require(in.ended(), "the numbers are of another model");
    totals_[0] = examples, totals_[1] = loss, totals_[2] = weights;
    first_ = begun ? std::optional(first) : std::nullopt;
  }

 private:
  void score(const Spread& x, double* scores) const {
    std::fill(mean_.begin(), mean_.end(), 0.0);
    grower_->predict(x.by_row, mean_.data());
    if (!classes_) {
      scores[0] = first_.value_or(0) + mean_[0];
    } else if (mean_.size() == 2) {
      scores[0] = log_odds(mean_[1], mean_[0]);
    } else {
      for (std::size_t k = 0; k < mean_.size(); ++k) scores[k] = log_odds(mean_[k], 1 - mean_[k]);
    }
  }
  double surprise(const std::vector<double>& scores, int label) const {
    if (scores.size() == 1) return loss_.value(scores[0], label == 1 ? 1 : -1);
    double sum = 0;
    for (std::size_t k = 0; k < scores.size(); ++k)
      sum += loss_.value(scores[k], int(k) == label ? 1 : -1);
    return sum;
  }
  // The old class of each new one, -1 for a new class. One lane stands for classes 0 and 1.
  std::vector<int> classes_of(const std::vector<int>& sources,
                              const std::vector<int>& signs) const {
    const bool pair = mean_.size() == 2;
    const auto old = [&](std::size_t i) {
      if (sources[i] < 0) return -1;
      return pair ? int(signs[i] > 0) : sources[i];
    };
    std::vector<int> out;
    for (std::size_t i = 0; i < sources.size(); ++i) out.push_back(old(i));
    if (out.size() == 1) out.insert(out.begin(), out[0] == 1 ? 0 : 1);  // the other one of two
    return out;
  }

  std::unique_ptr<Grower> grower_;
  bool classes_;
  Loss loss_;
  Features features_;
  mutable Spreading spreading_;
  mutable std::vector<double> mean_;
  double totals_[3] = {};        // examples, losses, importance
  std::optional<double> first_;  // sums are of differences from the first target, to be exact
};

// Trees of two classes as the lanes of a booster: `per_class` of them learn the same class.
class TreeLanes : public Model {
 public:
  TreeLanes(const TreeOptions& options, int per_class)
      : options_(options), per_class_(std::size_t(per_class)) {}

  const Loss& loss() const override { return loss_; }
  Features& features() override { return features_; }
  int lanes() const override { return int(trees_.size()); }
  void grow() override { spreading_.grow(features_); }
  std::size_t bytes() const override {
    std::size_t all = 0;
    for (const Tree& tree : trees_) all += tree.bytes();
    return all;
  }

  void predict(const Batch& batch) const override {
    spreading_.grow(features_);
    for (std::size_t t = 0; t < batch.size; ++t)
      spreading_.with(batch.example(t),
                      [&](const Spread& x) { score(x, batch.scores + t * trees_.size()); });
  }
  void learn(const Batch& batch, std::size_t) override {
    grow();
    std::vector<double> scores(trees_.size()), importance(trees_.size());
    for (std::size_t t = 0; t < batch.size; ++t)
      spreading_.with(batch.example(t), [&](const Spread& x) {
        score(x, scores.data());
        std::fill(importance.begin(), importance.end(), 0.0);
        batch.weigh(batch.weigher, t, scores.data(), importance.data());
        const bool pair = trees_.size() == per_class_;
        for (std::size_t i = 0; i < trees_.size(); ++i) {
          const int wanted = pair ? 1 : int(i / per_class_);
          if (importance[i] > 0)
            trees_[i].learn(x, {std::size_t(batch.classes[t] == wanted), 1}, importance[i]);
        }
      });
  }
  void relane(const std::vector<int>& sources, const std::vector<int>& signs) override {
    std::vector<Tree> made;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      made.push_back(sources[i] < 0 ? Tree(options_, true) : trees_[std::size_t(sources[i])]);
      if (signs[i] < 0) made.back().relabel({1, 0});
    }
    trees_ = std::move(made);
  }

  using Model::weights;
  std::vector<double> weights(const Rows&) const override { return {}; }
  std::vector<Part> parts() override { return {}; }
  double scalar(Scalar, int) const override { return 0; }
  std::vector<double> numbers() override {
    std::vector<double> all;
    for (const Tree& tree : trees_) tree.write(all);
    return all;
  }
  void restore_numbers(const double* numbers, std::size_t size) override {
    StateReader in(numbers, size);
    for (Tree& tree : trees_) tree.read(in, features_.size());
    require(in.ended(), "the numbers are of another model");
  }

 private:
  void score(const Spread& x, double* scores) const {
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      double p[2] = {};
      trees_[i].predict(x.by_row, p);
      scores[i] = log_odds(p[1], p[0]);
    }
  }

  TreeOptions options_;
  std::size_t per_class_;
  Loss loss_{LossKind::logistic, 0};
  Features features_;
  mutable Spreading spreading_;
  std::vector<Tree> trees_;
};

}  // namespace regretless
