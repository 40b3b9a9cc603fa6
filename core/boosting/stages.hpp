// Online gradient boosting: how the predictions of N weak learners are combined, and what each of
// them is taught (Luo (2016), Algorithms 9 and 10; variants of section 3.2.4). Everything is in
// units in which targets are in [-1, 1].
//
//   hull   y^i = (1 - eta_i) y^{i-1} + eta_i lambda A^i(x),  eta_i = 2 / (i + 1)
//   span   y^i = cut to [-B, B] of (1 - sigma^i eta) y^{i-1} + eta lambda A^i(x)
#pragma once
#include "boosting/weak_learner.hpp"

namespace regretless {

struct StageOptions {
  enum Feed { gradient, linearized, residual };  // what the weak learners are given
  Loss loss;
  std::size_t n = 1;
  bool hull = true;
  double eta = 1, scale = 1, reach = 1;  // eta of the span, lambda, B
  double lipschitz = 1;                  // of the loss on [-reach, reach]
  Feed feed = gradient;
  double alpha = 0;          // the step of residuals; 0: use that of the stage
  double low = 0, high = 0;  // range of targets; if equal, [-m, m] with m the largest |y| so far
};

class Stages : public Stateful {
 public:
  explicit Stages(const StageOptions& options) : options_(options), shrink_(options.n) {
    if (options.low < options.high) unit_ = (options.high - options.low) / 2;
  }

  std::size_t size() const { return options_.n; }
  const Loss& loss() const { return options_.loss; }
  // Conversions between the units of targets and those of the stages.
  double shown(double v) const { return middle() + unit_ * v; }
  double placed(double y) const { return (y - middle()) / unit_; }

  // votes of the weak learners to y^0, ..., y^N
  void combine(const double* votes, double* y) const {
    y[0] = 0;
    for (std::size_t i = 0; i < size(); ++i) y[i + 1] = next(i, y[i], votes[i]);
  }
  // Computes the tasks of the weak learners for a target; the stages learn from y^0, ..., y^N.
  void learn(const double* y, double target, double h, Task* tasks) {
    if (grows()) {
      largest_ = std::max(largest_, std::fabs(target));
      unit_ = largest_ > 0 ? largest_ : 1;
    }
    target = placed(target);
    ++rounds_;
    const Loss& loss = options_.loss;
    const double at_end = loss.derivative(y[size()], target);
    for (std::size_t i = 0; i < size(); ++i) {
      const bool early = options_.feed != StageOptions::linearized;
      const double g = early ? loss.derivative(y[i], target) : at_end;
      if (options_.feed == StageOptions::residual) {
        const bool thesis = options_.alpha > 0;  // B.2.1, with its own step
        tasks[i] = {0, &loss, target, thesis ? y[i] : next(i, y[i], 0, false),
                    thesis ? options_.alpha : step(i)};
      } else {
        tasks[i] = {g / options_.lipschitz};
      }
      if (!options_.hull)
        shrink_[i] = std::clamp(
            shrink_[i] + h * g * y[i] / (options_.lipschitz * options_.reach * std::sqrt(rounds_)),
            0.0, 1.0);
    }
  }
  const std::vector<double>& shrink() const { return shrink_; }  // sigma

 protected:
  Parts parts() override {
    return {Field::count("rounds", rounds_), Field::positive("largest", largest_, 1e200),
            Field::positive("unit", unit_, 1e200), Field::positive("shrink", shrink_, 1)};
  }
  void check() override {
    const double given = options_.low < options_.high ? (options_.high - options_.low) / 2 : 1;
    require(unit_ == (grows() && largest_ > 0 ? largest_ : given),
            "unit is not that of the targets");
  }

 private:
  bool grows() const { return !options_.loss.classification() && !(options_.low < options_.high); }
  double middle() const { return (options_.low + options_.high) / 2; }
  double share(std::size_t i) const { return options_.hull ? 2 / double(i + 2) : options_.eta; }
  double step(std::size_t i) const { return share(i) * options_.scale; }
  double next(std::size_t i, double y, double vote, bool cut = true) const {
    if (options_.hull) return (1 - share(i)) * y + step(i) * vote;
    const double moved = (1 - shrink_[i] * share(i)) * y + step(i) * vote;
    return cut ? std::clamp(moved, -options_.reach, options_.reach) : moved;
  }

  StageOptions options_;
  double rounds_ = 0, largest_ = 0, unit_ = 1;
  std::vector<double> shrink_;
};

}  // namespace regretless
