// Experts that forecast numbers. The mixture forecasts their weighted mean. The loss of an expert
// is that of its forecast or, by the gradient trick, the derivative at the mixture's forecast times
// the expert's forecast.
#pragma once
#include <cmath>
#include <vector>

#include "experts/experts.hpp"

namespace regretless::experts {

struct ForecastLoss {
  enum Kind { squared, absolute, quantile, log, percentage };
  Kind kind = squared;
  double tau = 0.5;

  double value(double x, double y) const {
    switch (kind) {
      case squared:
        return (x - y) * (x - y);
      case absolute:
        return std::fabs(x - y);
      case quantile:
        return x < y ? tau * (y - x) : (1 - tau) * (x - y);
      case log:  // y is from 0 to 1, x the probability of 1
        return -((y > 0 ? y * std::log(x) : 0) + (y < 1 ? (1 - y) * std::log1p(-x) : 0));
      case percentage:
        return std::fabs(x - y) / std::fabs(y);
    }
    return 0;
  }
  double derivative(double x, double y) const {
    const double side = double(x > y) - double(x < y);
    switch (kind) {
      case squared:
        return 2 * (x - y);
      case absolute:
        return side;
      case quantile:
        return x < y ? -tau : x > y ? 1 - tau : 0;
      case log:
        return (y < 1 ? (1 - y) / (1 - x) : 0) - (y > 0 ? y / x : 0);
      case percentage:
        return side / std::fabs(y);
    }
    return 0;
  }
};

// Players that need losses in [0, 1] get (loss - low) / unit. If `low` is NaN it is the least loss
// of each round. If the unit is 0 losses are not scaled.
struct Scale {
  double unit = 0, low = 0;
};

// `suffered` is at most the mean of the losses. Returns false, and learns nothing, if losses are
// further apart than the unit. `gross` grows by the largest size of a loss given or, without a
// unit, by that of the loss suffered: then the player itself knows how far apart losses were.
inline bool learn_within(Experts& experts, std::vector<double>& losses, const double* awake,
                         double suffered, Scale scale, double& gross) {
  if (scale.unit > 0) {
    double low = suffered, high = suffered;
    for (std::size_t i = 0; i < losses.size(); ++i)
      if (!awake || awake[i] > 0) low = std::min(low, losses[i]), high = std::max(high, losses[i]);
    gross += std::max(std::fabs(low), std::fabs(high));
    if (high - low > scale.unit) return false;
    if (!std::isnan(scale.low)) low = scale.low;
    for (double& loss : losses) loss = (loss - low) / scale.unit;
    suffered = (suffered - low) / scale.unit;
  } else {
    gross += std::fabs(suffered);
  }
  experts.update(losses.data(), awake, suffered);
  return true;
}

// Plays rounds with a row of n forecasts and a target each. NaN stands for an expert that sleeps
// and for a target that never came. Stops after the first round that `learn_within` refuses.
struct Mixed {
  std::size_t rounds;  // rounds played
  bool refused;        // whether the last of them was refused
  double gross;
};
inline Mixed mix(Experts& experts, const ForecastLoss& loss, bool gradient, Scale scale,
                 double gross, const double* forecasts, const double* targets, std::size_t count,
                 double* predictions, double* weights) {
  const std::size_t n = experts.size();
  std::vector<double> p(n), awake(n), losses(n);
  for (std::size_t t = 0; t < count; ++t) {
    const double* x = forecasts + t * n;
    bool all = true;
    for (std::size_t i = 0; i < n; ++i) {
      awake[i] = !std::isnan(x[i]);
      all &= awake[i] > 0;
    }
    const double* a = all ? nullptr : awake.data();
    experts.distribution(a, p.data());
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (p[i] > 0) mean += p[i] * x[i];
    predictions[t] = mean;
    if (weights) std::copy(p.begin(), p.end(), weights + t * n);
    if (std::isnan(targets[t])) continue;
    const double y = targets[t], slope = gradient ? loss.derivative(mean, y) : 0;
    for (std::size_t i = 0; i < n; ++i) losses[i] = gradient ? slope * x[i] : loss.value(x[i], y);
    const double suffered = gradient ? slope * mean : loss.value(mean, y);
    if (!learn_within(experts, losses, a, suffered, scale, gross)) return {t + 1, true, gross};
  }
  return {count, false, gross};
}

}  // namespace regretless::experts
