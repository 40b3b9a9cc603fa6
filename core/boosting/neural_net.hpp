// A network of two layers (Luo (2016), section 3.2.5): c + sum_k a_k sigmoid(b_k + sum_f W_fk
// x_f / s_f), cut to [-bound, bound], with s_f the largest |x_f| seen. Gradient descent with
// AdaGrad's step for each weight, bound rate / sqrt(sum g^2) in the second layer and
// rate / sqrt(sum g^2) in the first.
#pragma once
#include <cfloat>

#include "boosting/voting.hpp"
#include "boosting/weak_learner.hpp"

namespace regretless {

class NeuralNet : public WeakLearner {
 public:
  NeuralNet(double bound, double rate, std::size_t hidden, std::uint64_t seed)
      : WeakLearner(bound),
        rate_(rate),
        hidden_(hidden),
        seed_(seed),
        rows_(1 + 2 * hidden),
        second_(2 * (hidden + 1)) {
    start(0);
  }

  double predict(const Example& x) const override {
    std::vector<double> units(hidden_);
    return clipped(forward(x, units.data()));
  }
  void learn(const Example& x, const Task& task, double h) override {
    for (std::size_t j = 0; j < x.size; ++j) {
      double& scale = rows_[x.rows[j]][0];
      scale = std::max(scale, std::fabs(double(x.values[j])));
    }
    units_.resize(hidden_), back_.resize(hidden_);
    const double raw = forward(x, units_.data()), v = clipped(raw);
    const double g = h * task.derivative(v);
    if (g == 0 || (v != raw && (v - raw) * g > 0)) return;  // beyond the bound nothing changes
    double* squares = second_.data() + hidden_ + 1;
    for (std::size_t k = 0; k < hidden_; ++k) {
      back_[k] = g * second_[k] * units_[k] * (1 - units_[k]);
      descend(second_[k], squares[k], g * units_[k], bound_);
    }
    descend(second_[hidden_], squares[hidden_], g, bound_);
    descend_row(0, 1);
    for (std::size_t j = 0; j < x.size; ++j)
      if (x.values[j] != 0) descend_row(x.rows[j], x.values[j] / rows_[x.rows[j]][0]);
  }
  void grow(std::size_t rows) override {
    const std::size_t before = rows_.rows();
    rows_.grow(rows);
    for (std::size_t row = before; row < rows; ++row) start(row);
  }

  std::size_t rows() const override { return rows_.rows(); }

  void restore(const double* state, std::size_t size) override {
    const std::size_t width = 1 + 2 * hidden_, others = 1 + second_.size();
    require(size >= others + width && (size - others) % width == 0,
            "the state is of another learner");
    rows_ = RowTable(width);
    rows_.grow((size - others) / width);
    WeakLearner::restore(state, size);
  }

 protected:
  Parts parts() override {
    return {bound_part(), Field::number("second layer", second_),
            Field::number("first layer", rows_.data())};
  }
  void check() override {
    WeakLearner::check();
    const double far = 1e150;  // of weights: products of them are still numbers
    const std::size_t n = second_.size() / 2;
    Field::number("weights of the second layer", {second_.data(), n}, -far, far).check();
    Field::positive("squares of the second layer", {second_.data() + n, n}).check();
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
      double* f = rows_[row];
      require(f[0] == 0 || f[0] >= FLT_TRUE_MIN, "a feature is smaller than floats are");
      Field::positive("largest value of a feature", f[0], FLT_MAX).check();
      Field::number("weights of the first layer", {f + 1, hidden_}, -far, far).check();
      Field::positive("squares of the first layer", {f + 1 + hidden_, hidden_}).check();
    }
  }

 private:
  // The first layer starts with small weights, all different; the second starts at 0.
  void start(std::size_t row) {
    for (std::size_t k = 0; k < hidden_; ++k) rows_[row][1 + k] = drawn(seed_, row, k) - 0.5;
  }
  double forward(const Example& x, double* units) const {
    std::copy_n(rows_[0] + 1, hidden_, units);
    for (std::size_t j = 0; j < x.size; ++j) {
      const double* row = rows_[x.rows[j]];
      if (x.values[j] == 0 || row[0] == 0) continue;
      const double value = x.values[j] / row[0];
      for (std::size_t k = 0; k < hidden_; ++k) units[k] += value * row[1 + k];
    }
    double out = second_[hidden_];
    for (std::size_t k = 0; k < hidden_; ++k)
      out += second_[k] * (units[k] = Loss::sigmoid(units[k]));
    return out;
  }
  void descend(double& weight, double& squares, double g, double unit) const {
    squares += g * g;
    if (squares > 0) weight -= unit * rate_ * g / std::sqrt(squares);
  }
  void descend_row(std::size_t row, double value) {
    double* weights = rows_[row] + 1;
    for (std::size_t k = 0; k < hidden_; ++k)
      descend(weights[k], weights[hidden_ + k], back_[k] * value, 1);
  }

  double rate_;
  std::size_t hidden_;
  std::uint64_t seed_;
  RowTable rows_;               // by feature: s, W, squares; row 0 is b's
  std::vector<double> second_;  // a, c, squares
  std::vector<double> units_, back_;
};

}  // namespace regretless
