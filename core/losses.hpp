// The losses of regretless.losses in C++: value, derivative and importance-aware step of a loss, as
// functions of the score s and the target y (+1 / -1 for classification).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace regretless {

// Losses of a round are cut here, so that sums of many are finite.
inline constexpr double kWorst = 1e100;

enum class LossKind : std::int32_t {
  logistic,
  hinge,
  squared_hinge,
  exponential,
  perceptron,
  squared,
  absolute,
  quantile,
  epsilon_insensitive,
  log_wealth,
  power,
};

struct Loss {
  LossKind kind = LossKind::logistic;
  double parameter = 1.0;  // margin, tau, epsilon or p

  bool classification() const { return kind <= LossKind::perceptron; }

  double value(double s, double y) const {
    const double m = s * y, e = s - y;
    switch (kind) {
      case LossKind::logistic:
        return (m < 0 ? -m : 0) + std::log1p(std::exp(-std::fabs(m)));
      case LossKind::hinge:
        return std::max(0.0, parameter - m);
      case LossKind::squared_hinge:
        return square(std::max(0.0, parameter - m));
      case LossKind::exponential:
        return std::exp(-m);
      case LossKind::perceptron:  // conservative hinge, Shalev-Shwartz (2012), Theorem 3.9
        return m <= 0 ? 1 - m : 0;
      case LossKind::squared:
        return e * e;
      case LossKind::absolute:
        return std::fabs(e);
      case LossKind::quantile:
        return e < 0 ? -parameter * e : (1 - parameter) * e;
      case LossKind::epsilon_insensitive:
        return std::max(0.0, std::fabs(e) - parameter);
      case LossKind::log_wealth:
        return -std::log(s);
      case LossKind::power:
        return std::pow(std::fabs(e), parameter);
    }
    return 0;
  }

  double derivative(double s, double y) const {
    const double m = s * y, e = s - y;
    switch (kind) {
      case LossKind::logistic:
        return -y / (1 + std::exp(m));
      case LossKind::hinge:
        return m < parameter ? -y : 0;
      case LossKind::squared_hinge:
        return m < parameter ? -2 * (parameter - m) * y : 0;
      case LossKind::exponential:
        return -y * std::exp(-m);
      case LossKind::perceptron:
        return m <= 0 ? -y : 0;
      case LossKind::squared:
        return 2 * e;
      case LossKind::absolute:
        return sign(e);
      case LossKind::quantile:
        return e < 0 ? -parameter : e > 0 ? 1 - parameter : 0;
      case LossKind::epsilon_insensitive:
        return std::fabs(e) > parameter ? sign(e) : 0;
      case LossKind::log_wealth:
        return -1 / s;
      case LossKind::power:
        return parameter * sign(e) * std::pow(std::fabs(e), parameter - 1);
    }
    return 0;
  }

  struct Outcome {
    double value, derivative;
  };
  Outcome outcome(double s, double y) const {
    if (kind != LossKind::logistic) return {value(s, y), derivative(s, y)};
    const double m = s * y, e = std::exp(-std::fabs(m));  // one exponential for both
    // ln(1 + e): the second term corrects the rounding of 1 + e. Faster than log1p.
    const double sum = 1 + e, inverse = 1 / sum, log = std::log(sum) + (e - (sum - 1)) * inverse;
    return {(m < 0 ? -m : 0) + log, -y * (m < 0 ? 1 : e) * inverse};
  }

  static double sigmoid(double s) {  // does not underflow before e^s does
    const double e = std::exp(-std::fabs(s));
    return (s < 0 ? e : 1) / (1 + e);
  }

  // The probability of the label +1 that belongs to a score: the one for which the score has the
  // least expected loss. With hinge and perceptron losses a score only says which label is more
  // likely.
  double probability(double s) const {
    switch (kind) {
      case LossKind::logistic:
        return sigmoid(s);
      case LossKind::exponential:
        return sigmoid(2 * s);
      case LossKind::squared_hinge:
        return std::clamp((1 + s / parameter) / 2, 0.0, 1.0);
      default:
        return (1 + sign(s)) / 2;
    }
  }

  // Turns the scores of several labels, each against the rest, into probabilities, in place. If
  // these cannot tell the best label from others (several are 1, or all are 0), the scores decide.
  void probabilities(double* scores, int count) const {
    if (count == 1) {
      scores[0] = probability(scores[0]);
      return;
    }
    const double best = *std::max_element(scores, scores + count), top = probability(best);
    int winners = 0, candidates = 0;
    for (int k = 0; k < count; ++k) {
      winners += scores[k] == best;
      candidates += probability(scores[k]) == top;
    }
    const bool clear = top > 0 && candidates == winners;
    double sum = 0;
    for (int k = 0; k < count; ++k)
      sum += scores[k] = clear ? probability(scores[k]) : double(scores[k] == best);
    for (int k = 0; k < count; ++k) scores[k] /= sum;
  }

  // Importance-aware update (Karampatziakis and Langford (2011)): the coefficient c of w -= c x
  // that follows the gradient flow ds/dh = -n l'(s) for an importance of h, where n = <x, rate *
  // x>. Weight a and then weight b is the same as weight a + b, and no step overshoots the minimum.
  double invariant_step(double s, double y, double h, double n) const {
    const double m = s * y, e = s - y, g = derivative(s, y);
    if (n <= 0 || g == 0) return h * g;
    switch (kind) {
      case LossKind::logistic:  // m + e^m grows linearly in h
        return -y * margin_shift(m, n * h) / n;
      case LossKind::hinge:
        return g * std::min(h, (parameter - m) / n);
      case LossKind::squared_hinge:
        return y * (parameter - m) * std::expm1(-2 * n * h) / n;
      case LossKind::exponential:  // e^m grows linearly in h
        return -y * (m < -700 ? std::log(n * h) - m : std::log1p(n * h * std::exp(-m))) / n;
      case LossKind::perceptron:
        return h * g;
      case LossKind::squared:
        return -e * std::expm1(-2 * n * h) / n;
      case LossKind::absolute:
      case LossKind::quantile:
        return g * std::min(h, std::fabs(e) / (n * std::fabs(g)));
      case LossKind::epsilon_insensitive:
        return g * std::min(h, (std::fabs(e) - parameter) / n);
      case LossKind::log_wealth:  // s^2 grows linearly in h
        return (s - std::sqrt(s * s + 2 * n * h)) / n;
      case LossKind::power: {  // |e|^(2 - p) grows linearly in h, |e| falls by e^(-2 n h) if p = 2
        const double q = parameter - 2, grown = parameter * n * h * std::pow(std::fabs(e), q);
        return -e * std::expm1(q > 0 ? -std::log1p(q * grown) / q : -grown) / n;
      }
    }
    return 0;
  }

  static double square(double v) { return v * v; }
  static double sign(double v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }

 private:
  // How far the margin m moves for d >= 0: the root x of x + e^m (e^x - 1) = d. The left side is
  // convex and increasing. Newton's method starts at the smaller of the roots of two lower bounds,
  // which lies to the right of the root, and descends to it. The second derivative is below the
  // first, so a step leaves an error of at most half its square.
  static double margin_shift(double m, double d) {
    const double em = std::exp(std::min(m, 700.0));
    double x = std::min(d / (1 + em), std::log1p(d / em));
    for (int i = 0; i < 50; ++i) {
      const double grown = std::expm1(x), step = (x + em * grown - d) / (1 + em * (grown + 1));
      x -= step;
      if (step * step <= 1e-16 * x) break;
    }
    return x;
  }
};

}  // namespace regretless
