// Mixes lanes by exponential weights, for losses that are exp-concave:
//
//   w_e ~ exp(-L_e / c),    log loss: the mean of the probabilities,   c = max h
//                           squared:  the mean of the predictions,     c = 8 max y^2 max h
//
// where h are importance weights, and predictions are clipped to [-max |y|, max |y|] as known so
// far. As long as no y or h is larger than all before, a round costs the mixture at most -c ln
// sum_e w_e exp(-h l_e / c), and these add up to at most L_e + c ln E. Any cost beyond that is
// measured.
//
// One expert is a blend of all lanes, <a, s>. An online Newton step learns a, which starts as the
// even mean: lanes that err in different ways are better together than any of them.
#pragma once
#include <cmath>

#include "kernels/lanes.hpp"
#include "logistic.hpp"
#include "losses.hpp"
#include "mixing/view.hpp"

namespace regretless {

namespace {  // compiled for several instruction sets: nothing may be shared between them

class ExpConcave {
 public:
  ExpConcave(const Loss& loss, const MixingView& view)
      : loss_(loss), v_(view), is_log_(loss.kind == LossKind::logistic) {}

  // The score of the mixture. s has room for `width` scores; the blend's is put behind the lanes'.
  double score(double* s) const {
    double* x = s + v_.width;
    inputs(s, x);
    s[v_.lanes] = dot(v_.blend, x) * unit();
    return is_log_ ? log_odds(s) : mean(s);
  }
  // Call it after `score`, with the loss of that score.
  void learn(double* s, double suffered, double y, double h) const {
    double* l = s + 2 * v_.width;
    for (int e = 0; e < v_.width; e += 4) put_four(l + e, losses(four(s + e), y));
    for (int e = experts(); e < v_.width; ++e) l[e] = 0;
    const double scale = unit();  // for the present scores, before y is seen
    weigh(l, y, h, suffered);
    turn(s, scale, y, h);
    v_.scalars[MixingView::kLoss] += h * suffered;
  }

 private:
  static constexpr double kClear = 15;        // the blend clips log-odds here
  static constexpr double kNothing = 1e-300;  // the inverse of a smaller number may be infinite
  static constexpr double kFlat = 0.001;      // the least second derivative that the blend uses

  static void put_four(double* to, Four x) { std::memcpy(to, &x, sizeof(x)); }
  int experts() const { return v_.lanes + 1; }
  double& scalar(int i) const { return v_.scalars[i]; }
  double reach() const { return is_log_ ? kClear : scalar(MixingView::kReach); }
  double unit() const { return is_log_ ? 1 : scalar(MixingView::kReach); }

  double dot(const double* a, const double* b) const {
    Four sum = {};
    for (int e = 0; e < v_.width; e += 4) sum += four(a + e) * four(b + e);
    return sum_of(sum);
  }
  static Four clipped(Four s, double to) { return smaller_of(larger_of(s, all(-to)), all(to)); }
  void inputs(const double* s, double* x) const {
    const double scale = unit() > kNothing ? 1 / unit() : 0;
    for (int e = 0; e < v_.width; e += 4)
      put_four(x + e, clipped(four(s + e), reach()) * all(scale));
    for (int e = v_.lanes; e < v_.width; ++e) x[e] = 0;
  }
  double log_odds(const double* s) const {
    Four high = {}, low = {};
    for (int e = 0; e < v_.width; e += 4) {
      const Logistic each(four(s + e));
      high += four(v_.weights + e) * each.right;
      low += four(v_.weights + e) * each.wrong;
    }
    return std::log(sum_of(high) / sum_of(low));
  }
  double mean(const double* s) const {
    Four sum = {};
    for (int e = 0; e < v_.width; e += 4)
      sum += four(v_.weights + e) * clipped(four(s + e), reach());
    return sum_of(sum);
  }
  Four losses(Four s, double y) const {
    if (!is_log_) {
      const Four off = s - all(y);
      return smaller_of(off * off, all(kWorst));
    }
    return smaller_of(Logistic(s * all(y)).loss(), all(kWorst));
  }

  // Updates the weights after a round in which the experts lost l and the mixture `suffered`.
  void weigh(const double* l, double y, double h, double suffered) const {
    double &rate = scalar(MixingView::kRate), &reach = scalar(MixingView::kReach),
           &largest = scalar(MixingView::kLargest);
    const bool first = largest == 0;
    const bool news = h > largest || std::fabs(y) > reach;
    if (h > largest) largest = h;
    if (std::fabs(y) > reach) reach = std::fabs(y);
    const double wanted = is_log_ ? largest : 8 * reach * reach * largest;
    if (first) rate = wanted;  // all weights are still equal, for any rate
    if (news && rate > 0) {    // in logarithms: the rate may be far too small for such a weight
      const auto power = [&](int e) { return std::log(v_.weights[e]) - h * l[e] / rate; };
      double most = -HUGE_VAL, sum = 0;
      for (int e = 0; e < experts(); ++e) most = power(e) > most ? power(e) : most;
      for (int e = 0; e < experts(); ++e) sum += std::exp(power(e) - most);
      const double beyond = h * suffered + rate * (most + std::log(sum));
      if (beyond > 0) scalar(MixingView::kExcess) += beyond;
    }
    double least = HUGE_VAL;
    for (int e = 0; e < experts(); ++e) {
      v_.losses[e] += h * l[e];
      least = v_.losses[e] < least ? v_.losses[e] : least;
    }
    if (wanted > rate) scalar(MixingView::kChanges) += 1;
    if (v_.share == 0) rate = wanted;
    const double inverse = rate > 0 ? 1 / rate : 0;
    double low = l[0];
    for (int e = 1; e < experts(); ++e) low = l[e] < low ? l[e] : low;
    Four sum = {};
    for (int e = 0; e < v_.width; e += 4) {
      const Four away =
          v_.share > 0 ? all(h) * (four(l + e) - all(low)) : four(v_.losses + e) - all(least);
      const Four far = larger_of(-away * all(inverse), all(-700));
      Four w = far > all(-700) ? exponential(far) : all(0);
      if (v_.share > 0) w = w * four(v_.weights + e);
      put_four(v_.weights + e, w);
    }
    for (int e = experts(); e < v_.width; ++e) v_.weights[e] = 0;
    for (int e = 0; e < v_.width; e += 4) sum += four(v_.weights + e);
    const double total = sum_of(sum), kept = (1 - v_.share) / total, even = v_.share / experts();
    for (int e = 0; e < experts(); ++e) v_.weights[e] = v_.weights[e] * kept + even;
    if (v_.share > 0) rate = wanted;
  }

  // The Newton step of the blend. For the log loss it follows the gradient flow, so it never passes
  // the minimum.
  void turn(double* s, double scale, double y, double h) const {
    double *x = s + v_.width, *moved = s + 2 * v_.width;
    const double b = s[v_.lanes];
    if (!(scale > 0)) return;
    const auto width = std::size_t(v_.width);
    in_fours(width, [&]<int N>(std::size_t at, Count<N>) {
      Four sum[N]{};
      for (int e = 0; e < v_.lanes; ++e) {
        const double* row = v_.inverse + e * v_.width + at;
        for (int i = 0; i < N; ++i) sum[i] += all(x[e]) * four(row + 4 * i);
      }
      for (int i = 0; i < N; ++i) put_four(moved + at + 4 * i, sum[i]);
    });
    const double q = dot(x, moved);
    double bend = 2 * h;
    if (is_log_) {
      const Logistic at(all(b));
      bend = h * at.right[0] * at.wrong[0];
      bend = bend > h * kFlat ? bend : h * kFlat;
    }
    const double shrink = 1 / (1 + bend * q), travel = q * shrink;
    double step = 2 * h * (b - y) / scale;
    if (is_log_)
      step = travel > 0 ? -y * margin_shifts(all(y * b), all(travel * h))[0] / travel : 0;
    in_fours(width, [&]<int N>(std::size_t at, Count<N>) {
      Four along[N];
      for (int i = 0; i < N; ++i) along[i] = four(moved + at + 4 * i);
      for (int e = 0; e < v_.lanes; ++e) {
        double* row = v_.inverse + e * v_.width + at;
        const Four by = all(bend * shrink * moved[e]);
        for (int i = 0; i < N; ++i) put_four(row + 4 * i, four(row + 4 * i) - by * along[i]);
      }
    });
    for (int e = 0; e < v_.lanes; ++e) v_.blend[e] -= step * shrink * moved[e];
  }

  const Loss& loss_;
  const MixingView& v_;
  bool is_log_;
};

}  // namespace

}  // namespace regretless
