// A visit of all lanes of an audit to one example: one gather, the choice of g, one scatter.
//
// A lane holds weights w in the ball and for every example seen a number g, of which the bound is
// made. It moves to the g that a proximal step along the example ends at,
//
//   g = l'(s - eta h (g - g_before) ||x||^2),   w -= eta h (g - g_before) x,   then into the ball,
//
// with the importance h: an ascent of the dual in one coordinate. An iterate that is not exact costs
// nothing but tightness: whatever g is, -l*(g) is computed from it.
#pragma once

#include "audit/view.hpp"
#include "kernels/lanes.hpp"
#include "vector_math.hpp"

namespace regretless {
namespace {

struct DualStep {
  Four slope, value;  // g and -l*(g)
};

// g = l'(v - n g), where v is the score without what the example itself has added to it.
struct LogisticDual {
  static constexpr bool lipschitz = true;
  static DualStep step(const Loss&, Four v, Four n, double y, Four before) {
    // the margin z = m + n q after the step, q = 1 / (1 + e^z), between m and m + n
    const Four one = all(1), m = v * all(y);
    Four low = m, high = m + n, z = m + n * magnitude_of(before), e, q;
    for (int i = 0;; ++i) {
      e = exponential(larger_of(-magnitude_of(z), all(-700)));
      const Four likely = one / (one + e), other = e * likely;
      q = z > all(0) ? other : likely;
      const Four excess = z - n * q - m;
      const auto far = magnitude_of(excess) > all(1e-3);  // what is left is squared in the bound
      if (i == 20 || !(far[0] | far[1] | far[2] | far[3])) break;
      low = excess > all(0) ? low : z;
      high = excess > all(0) ? z : high;
      const Four newton = z - excess / (one + n * likely * other);
      z = newton > low && newton < high ? newton : all(0.5) * (low + high);
    }
    const Four sum = one + e, log = logarithm(sum) + (e - (sum - one)) / sum;
    return {q * all(-y), log + magnitude_of(z) * (e / sum)};
  }
};
inline Four between(Four low, Four x, Four high) { return smaller_of(larger_of(x, low), high); }
inline Four over(Four x, Four n) { return x / larger_of(n, all(1e-300)); }

struct HingeDual {
  static constexpr bool lipschitz = true;
  static DualStep step(const Loss& loss, Four v, Four n, double y, Four) {
    const Four margin = all(loss.parameter);
    const Four q = between(all(0), over(margin - v * all(y), n), all(1));
    return {q * all(-y), q * margin};
  }
};
struct SquaredHingeDual {
  static constexpr bool lipschitz = false;
  static DualStep step(const Loss& loss, Four v, Four n, double y, Four) {
    const Four margin = all(loss.parameter);
    const Four q = larger_of(all(0), all(2) * (margin - v * all(y)) / (all(1) + all(2) * n));
    return {q * all(-y), q * margin - all(0.25) * q * q};
  }
};
struct SquaredDual {
  static constexpr bool lipschitz = false;
  static DualStep step(const Loss&, Four v, Four n, double y, Four) {
    const Four g = all(2) * (v - all(y)) / (all(1) + all(2) * n);
    return {g, -(g * all(y) + all(0.25) * g * g)};
  }
};
struct QuantileDual {  // and, between -1 and 1, the absolute error
  static constexpr bool lipschitz = true;
  static DualStep step(const Loss& loss, Four v, Four n, double y, Four) {
    const bool absolute = loss.kind == LossKind::absolute;
    const double low = absolute ? -1 : -loss.parameter, high = absolute ? 1 : 1 - loss.parameter;
    const Four g = between(all(low), over(v - all(y), n), all(high));
    return {g, -g * all(y)};
  }
};
struct InsensitiveDual {
  static constexpr bool lipschitz = true;
  static DualStep step(const Loss& loss, Four v, Four n, double y, Four) {
    const Four e = v - all(y), beyond = larger_of(magnitude_of(e) - all(loss.parameter), all(0));
    const Four size = smaller_of(over(beyond, n), all(1)), g = e > all(0) ? size : -size;
    return {g, -(g * all(y) + all(loss.parameter) * size)};
  }
};

float* row_of(const AuditView& view, std::uint32_t row) {
  return view.rows + std::size_t(row) * view.layout.stride;
}

// The values in units of the scales, which a fresh example may raise; and ||x||^2 in them.
double in_scale(const AuditView& view, const AuditVisit& visit) {
  const Example& x = visit.x;
  const std::size_t at = view.layout.shared_offset();
  double square = 0;
  for (std::size_t j = 0; j < x.size; ++j) {
    float value = x.values[j];
    if (view.scaled) {
      float& scale = row_of(view, x.rows[j])[at];
      if (visit.fresh) scale = larger(scale, magnitude(value));
      value = scale > 0 ? value / scale : 0;
    }
    visit.units[j] = value;
    square += double(value) * double(value);
  }
  return square;
}

template <class F>
void in_groups(int blocks, F f) {
  int first = 0;
  for (; first + 4 <= blocks; first += 4) f(first, Count<4>{});
  if (blocks - first == 1) f(first, Count<1>{});
  if (blocks - first == 2) f(first, Count<2>{});
  if (blocks - first == 3) f(first, Count<3>{});
}

void gather_scores(const AuditView& given, const AuditVisit& visit, double* out) {
  const AuditView view = given;
  const Example x = visit.x;
  const float* units = visit.units;
  const Ahead ahead({view.rows, 0, view.layout, -1, -1, nullptr}, visit.next);
  in_groups(view.layout.lanes / kRates, [&]<int N>(int first, Count<N>) {
    Wide<Several> sum[N]{};
    const std::size_t at = view.layout.float_offset() + std::size_t(first) * kRates;
    for (std::size_t j = 0; j < x.size; ++j) {
      if (first == 0) ahead.row(j);
      const float* w = row_of(view, x.rows[j]) + at;
#pragma GCC unroll 4
      for (int i = 0; i < N; ++i)
        sum[i] += widen(load<Several>(w + i * kRates)) * double(units[j]);
    }
    for (int i = 0; i < N; ++i) put(out + (first + i) * kRates, sum[i]);
  });
  ahead.rest(x.size);
}

void scatter_steps(const AuditView& given, const AuditVisit& visit, const double* steps,
                   const double* changes) {
  const AuditView view = given;
  const Example x = visit.x;
  const float* units = visit.units;
  in_groups(view.layout.lanes / kRates, [&]<int N>(int first, Count<N>) {
    Several step[N];
    Four change[N];
    for (int i = 0; i < N; ++i) {
      step[i] = narrow(four(steps + (first + i) * kRates));
      change[i] = four(changes + (first + i) * kRates);
    }
    const std::size_t at = view.layout.float_offset() + std::size_t(first) * kRates;
    for (std::size_t j = 0; j < x.size; ++j) {
      float* row = row_of(view, x.rows[j]);
      float* w = row + at;
      double* z = reinterpret_cast<double*>(row) + first * kRates;
      const Four value = all(double(x.values[j]));
#pragma GCC unroll 4
      for (int i = 0; i < N; ++i) {
        store<Several>(w + i * kRates, load<Several>(w + i * kRates) + step[i] * units[j]);
        put(z + i * kRates, four(z + i * kRates) + change[i] * value);
      }
    }
  });
}

template <class Dual>
void visit_as(const AuditView& view, const AuditVisit& visit) {
  const auto lanes = std::size_t(view.lanes), all_lanes = std::size_t(view.layout.lanes);
  double *scores = visit.scores, *changes = visit.scores + all_lanes;
  const double square = in_scale(view, visit), h = visit.weight;
  gather_scores(view, visit, scores);
  const Four size = all(h * std::sqrt(square)), energy = size * size;
  for (std::size_t k = 0; k < lanes; k += kRates) {
    const auto scalar = [&](AuditScalar s) { return view.scalars + std::size_t(s) * lanes + k; };
    const Four reach = four(scalar(kReach)), factor = four(scalar(kFactor));
    Four squares = four(scalar(kAuditSquares)), seen = squares;
    for (int o = 0; o < view.outputs; ++o) {
      const std::size_t at = std::size_t(o) * lanes + k;
      put(scores + at, four(scores + at) * factor);
      if (Dual::lipschitz) {
        seen += energy;
      } else {
        Four slope;
        for (int i = 0; i < kRates; ++i)
          slope[i] = view.loss.derivative(scores[at + std::size_t(i)], visit.targets[o]);
        seen += slope * slope * energy;
      }
    }
    const Four rate = seen > all(0) ? four(scalar(kPace)) * reach / root_of(seen) : all(0);
    const Four n = rate * all(h * square);
    Four value = four(scalar(kValue)), sizes = four(scalar(kSize)), norm = four(scalar(kAuditNorm));
    Four travel = four(scalar(kTravel));
    for (int o = 0; o < view.outputs; ++o) {
      const std::size_t at = std::size_t(o) * lanes + k;
      const double y = visit.targets[o];
      const Four s = four(scores + at), before = four(visit.slopes + at);
      const Four old = four(visit.values + at);
      const DualStep to = Dual::step(view.loss, s + n * before, n, y, before);
      const Four change = all(h) * (to.slope - before), gain = all(h) * (to.value - old);
      const Four step = rate * change;
      value += gain;
      sizes += all(h) * (magnitude_of(to.value) + magnitude_of(old));
      travel += magnitude_of(to.slope - before) * size;
      squares += (to.slope * to.slope - before * before) * energy;
      norm += step * (step * all(square) - all(2) * s);
      put(visit.slopes + at, to.slope);
      put(visit.values + at, to.value);
      put(changes + at, change);
      put(scores + at, -step / factor);
    }
    norm = larger_of(norm, all(0));
    const Four most = reach * reach;
    put(scalar(kFactor), norm > most ? factor * reach / root_of(norm) : factor);
    put(scalar(kAuditNorm), smaller_of(norm, most));
    put(scalar(kAuditSquares), larger_of(squares, all(0)));
    put(scalar(kValue), value);
    put(scalar(kSize), sizes);
    put(scalar(kTravel), travel);
  }
  scatter_steps(view, visit, scores, changes);
}

void audit_visit(const AuditView& view, const AuditVisit& visit) {
  switch (view.loss.kind) {
    case LossKind::logistic:
      return visit_as<LogisticDual>(view, visit);
    case LossKind::hinge:
      return visit_as<HingeDual>(view, visit);
    case LossKind::squared_hinge:
      return visit_as<SquaredHingeDual>(view, visit);
    case LossKind::squared:
      return visit_as<SquaredDual>(view, visit);
    case LossKind::absolute:
    case LossKind::quantile:
      return visit_as<QuantileDual>(view, visit);
    case LossKind::epsilon_insensitive:
      return visit_as<InsensitiveDual>(view, visit);
    default:
      return;
  }
}

}  // namespace
}  // namespace regretless
