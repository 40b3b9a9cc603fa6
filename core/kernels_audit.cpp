// All lanes of an audit visit one example: one gather, the choice of g, one scatter.
//
// A lane holds weights w in a ball and a number g for every example seen; the bound is made of the
// g. It moves g to the end of a proximal step along the example,
//
//   g = l'(s - eta h (g - g_before) ||x||^2),   w -= eta h (g - g_before) x,   then into the ball,
//
// with the importance h: an ascent of the dual in one coordinate. An inexact iterate makes the
// bound less tight but not wrong: -l*(g) is computed from whatever g is.
#include <limits>

#include "audit/view.hpp"
#pragma GCC diagnostic ignored "-Wunused-function"  // this file uses only some helpers of lanes.hpp
#include "kernels/lanes.hpp"
#include "vector_math.hpp"

namespace regretless {
namespace {

inline Four between(Four low, Four x, Four high) { return smaller_of(larger_of(x, low), high); }
inline Four over(Four x, Four n) { return x / larger_of(n, all(1e-300)); }

// For each block of lanes: g = l'(v - n g) and -l*(g), where v is the score without the
// contribution of the example itself.
template <int N>
struct DualSteps {
  Four v[N], n[N], before[N];
  double y[N];
  Four slope[N], value[N];
};

struct LogisticDual {
  static constexpr bool lipschitz = true;
  template <int N>
  static void step(const Loss&, DualSteps<N>& all_steps) {
    // the margin z = m + n q after the step, q = 1 / (1 + e^z), between m and m + n
    DualSteps<N>& s = all_steps;
    const Four one = all(1);
    Four m[N], low[N], high[N], z[N], e[N], inverse[N], q[N];
    for (int i = 0; i < N; ++i) {
      m[i] = low[i] = s.v[i] * all(s.y[i]);
      high[i] = m[i] + s.n[i];
      z[i] = m[i] + s.n[i] * magnitude_of(s.before[i]);
    }
    for (int turn = 0;; ++turn) {
      FourBits far = {};
      for (int i = 0; i < N; ++i) {  // all at once: each of them waits for what is before it
        e[i] = exponential(larger_of(-magnitude_of(z[i]), all(-700)));
        inverse[i] = one / (one + e[i]);
        q[i] = z[i] > all(0) ? e[i] * inverse[i] : inverse[i];
        const Four excess = z[i] - s.n[i] * q[i] - m[i];
        // what is left of it is squared in the bound
        far |= FourBits(magnitude_of(excess) > all(3e-2));
        low[i] = excess > all(0) ? low[i] : z[i];
        high[i] = excess > all(0) ? z[i] : high[i];
      }
      if (turn == 20 || !(far[0] | far[1] | far[2] | far[3])) break;
      for (int i = 0; i < N; ++i) {
        const Four excess = z[i] - s.n[i] * q[i] - m[i];
        const Four newton = z[i] - excess / (one + s.n[i] * e[i] * inverse[i] * inverse[i]);
        z[i] = newton > low[i] && newton < high[i] ? newton : all(0.5) * (low[i] + high[i]);
      }
    }
    for (int i = 0; i < N; ++i) {
      const Four sum = one + e[i], log = logarithm(sum) + (e[i] - (sum - one)) * inverse[i];
      s.slope[i] = q[i] * all(-s.y[i]);
      s.value[i] = log + magnitude_of(z[i]) * (e[i] * inverse[i]);
    }
  }
};

// Losses whose steps have a formula: Formula::choose(loss, v, n, y) gives slope and value.
struct Chosen {
  Four slope, value;
};
template <class Formula>
struct Closed : Formula {
  template <int N>
  static void step(const Loss& loss, DualSteps<N>& s) {
    for (int i = 0; i < N; ++i) {
      const Chosen to = Formula::choose(loss, s.v[i], s.n[i], all(s.y[i]));
      s.slope[i] = to.slope;
      s.value[i] = to.value;
    }
  }
};
struct HingeDual {
  static constexpr bool lipschitz = true;
  static Chosen choose(const Loss& loss, Four v, Four n, Four y) {
    const Four margin = all(loss.parameter), q = between(all(0), over(margin - v * y, n), all(1));
    return {-q * y, q * margin};
  }
};
struct SquaredHingeDual {
  static constexpr bool lipschitz = false;
  static Chosen choose(const Loss& loss, Four v, Four n, Four y) {
    const Four margin = all(loss.parameter);
    const Four q = larger_of(all(0), all(2) * (margin - v * y) / (all(1) + all(2) * n));
    return {-q * y, q * margin - all(0.25) * q * q};
  }
};
struct SquaredDual {
  static constexpr bool lipschitz = false;
  static Chosen choose(const Loss&, Four v, Four n, Four y) {
    const Four g = all(2) * (v - y) / (all(1) + all(2) * n);
    return {g, -(g * y + all(0.25) * g * g)};
  }
};
struct QuantileDual {  // and, between -1 and 1, the absolute error
  static constexpr bool lipschitz = true;
  static Chosen choose(const Loss& loss, Four v, Four n, Four y) {
    const bool absolute = loss.kind == LossKind::absolute;
    const double low = absolute ? -1 : -loss.parameter, high = absolute ? 1 : 1 - loss.parameter;
    const Four g = between(all(low), over(v - y, n), all(high));
    return {g, -g * y};
  }
};
struct InsensitiveDual {
  static constexpr bool lipschitz = true;
  static Chosen choose(const Loss& loss, Four v, Four n, Four y) {
    const Four e = v - y, beyond = larger_of(magnitude_of(e) - all(loss.parameter), all(0));
    const Four size = smaller_of(over(beyond, n), all(1)), g = e > all(0) ? size : -size;
    return {g, -(g * y + all(loss.parameter) * size)};
  }
};

float* row_of(const AuditView& view, std::uint32_t row) {
  return view.rows + std::size_t(row) * view.layout.stride;
}

constexpr float kLargestFloat = std::numeric_limits<float>::max();

// Computes the features in units of their scales, and returns ||x||^2 in these units. A fresh
// example may raise the scales.
double in_scale(const AuditView& view, const AuditVisit& visit) {
  const Example x = visit.x;
  float* units = visit.units;
  const float* scales = view.rows + view.layout.shared_offset();  // of row 0
  const std::size_t stride = view.layout.stride;
  for (std::size_t j = 0; visit.fresh && view.scaled && j < x.size; ++j) {
    float* scale = row_of(view, x.rows[j]) + view.layout.shared_offset();
    if (const float size = magnitude(x.values[j]); size > scale[0]) {
      scale[0] = size;
      scale[1] = 1 / size < kLargestFloat ? 1 / size : kLargestFloat;
    }
  }
  for (std::size_t j = 0; j < x.size; ++j)
    units[j] = view.scaled ? x.values[j] * scales[x.rows[j] * stride + 1] : x.values[j];
  Wide<Several> sum{};
  double rest = 0;
  std::size_t j = 0;
  for (; j + kSeveral <= x.size; j += kSeveral) {
    const auto four_units = widen(load<Several>(units + j));
    sum += four_units * four_units;
  }
  for (; j < x.size; ++j) rest += double(units[j]) * double(units[j]);
  return rest + total(sum);
}

// The first block that a visit is for. Lanes with the smaller norms, whose bounds are tight anyway,
// visit an example only once.
int first_block(const AuditView& view, const AuditVisit& visit) {
  return visit.fresh || view.outputs > 1 ? 0 : view.lanes / kBlock / 2;
}
template <class F>
void in_groups(int first, int blocks, F f) {
  for (; first + 4 <= blocks; first += 4) f(first, Count<4>{});
  if (blocks - first == 1) f(first, Count<1>{});
  if (blocks - first == 2) f(first, Count<2>{});
  if (blocks - first == 3) f(first, Count<3>{});
}

void gather_scores(const AuditView& given, const AuditVisit& visit, double* out) {
  const AuditView view = given;
  const Example x = visit.x;
  const float* units = visit.units;
  const int from = first_block(view, visit);
  const Ahead ahead({view.rows, 0, view.layout, -1, -1, nullptr}, visit.next);
  in_groups(from, view.layout.lanes / kBlock, [&]<int N>(int first, Count<N>) {
    Wide<Several> sum[N]{};
    const std::size_t at = view.layout.float_offset() + std::size_t(first) * kBlock;
    for (std::size_t j = 0; j < x.size; ++j) {
      if (first == from) ahead.row(j);
      const float* w = row_of(view, x.rows[j]) + at;
#pragma GCC unroll 4
      for (int i = 0; i < N; ++i) sum[i] += widen(load<Several>(w + i * kBlock)) * double(units[j]);
    }
    for (int i = 0; i < N; ++i) put(out + (first + i) * kBlock, sum[i]);
  });
  ahead.rest(x.size);
}

void scatter_steps(const AuditView& given, const AuditVisit& visit, const double* steps,
                   const double* changes) {
  const AuditView view = given;
  const Example x = visit.x;
  const float* units = visit.units;
  const int from = first_block(view, visit);
  in_groups(from, view.layout.lanes / kBlock, [&]<int N>(int first, Count<N>) {
    Several step[N];
    Four change[N];
    for (int i = 0; i < N; ++i) {
      step[i] = narrow(four(steps + (first + i) * kBlock));
      change[i] = four(changes + (first + i) * kBlock);
    }
    const std::size_t at = view.layout.float_offset() + std::size_t(first) * kBlock;
    for (std::size_t j = 0; j < x.size; ++j) {
      float* row = row_of(view, x.rows[j]);
      float* w = row + at;
      double* z = reinterpret_cast<double*>(row) + first * kBlock;
      const Four value = all(double(x.values[j]));
#pragma GCC unroll 4
      for (int i = 0; i < N; ++i) {
        store<Several>(w + i * kBlock, load<Several>(w + i * kBlock) + step[i] * units[j]);
        put(z + i * kBlock, four(z + i * kBlock) + change[i] * value);
      }
    }
  });
}

// A block of lanes: where it begins, its first lane within the output, and the output.
struct Block {
  std::size_t at, lane;
  int output;
  Block(const AuditView& view, int number)
      : at(std::size_t(number) * kBlock),
        lane(view.outputs == 1 ? at : at % std::size_t(view.lanes)),
        output(view.outputs == 1 ? 0 : int(at / std::size_t(view.lanes))) {}
};

template <class Dual>
void visit_as(const AuditView& view, const AuditVisit& visit) {
  const auto lanes = std::size_t(view.lanes), all_lanes = std::size_t(view.layout.lanes);
  double *scores = visit.scores, *changes = scores + all_lanes, *rates = changes + all_lanes;
  const double square = in_scale(view, visit), h = visit.weight;
  const int from = first_block(view, visit);
  gather_scores(view, visit, scores);
  const Four size = all(h * std::sqrt(square)), energy = size * size;
  const auto scalar = [&](AuditScalar s, std::size_t k) {
    return view.scalars + std::size_t(s) * lanes + k;
  };
  for (std::size_t k = std::size_t(from) * kBlock; k < lanes; k += kBlock) {
    const Four factor = four(scalar(kFactor, k));
    Four seen = four(scalar(kAuditSquares, k));
    for (int o = 0; o < view.outputs; ++o) {
      double* own = scores + std::size_t(o) * lanes + k;
      put(own, four(own) * factor);
      if (Dual::lipschitz) {
        seen += energy;
      } else {
        Four slope;
        for (int i = 0; i < kBlock; ++i) slope[i] = view.loss.derivative(own[i], visit.targets[o]);
        seen += slope * slope * energy;
      }
    }
    const Four rate = four(scalar(kPace, k)) * four(scalar(kReach, k)) / root_of(seen);
    put(rates + k, seen > all(0) ? rate : all(0));
  }
  in_groups(from, int(all_lanes) / kBlock, [&]<int N>(int first, Count<N>) {
    DualSteps<N> steps;
    for (int i = 0; i < N; ++i) {
      const Block b(view, first + i);
      steps.before[i] = four(visit.slopes + b.at);
      steps.n[i] = four(rates + b.lane) * all(h * square);
      steps.v[i] = four(scores + b.at) + steps.n[i] * steps.before[i];
      steps.y[i] = visit.targets[b.output];
    }
    Dual::template step<N>(view.loss, steps);
    for (int i = 0; i < N; ++i) {
      const Block b(view, first + i);
      const Four before = steps.before[i], slope = steps.slope[i], value = steps.value[i];
      const Four old = four(visit.values + b.at), s = four(scores + b.at);
      const Four change = all(h) * (slope - before), step = four(rates + b.lane) * change;
      const auto add = [&](AuditScalar to, Four more) {
        put(scalar(to, b.lane), four(scalar(to, b.lane)) + more);
      };
      add(kValue, all(h) * (value - old));
      add(kSize, all(h) * (magnitude_of(value) + magnitude_of(old)));
      add(kTravel, magnitude_of(slope - before) * size);
      add(kAuditSquares, (slope * slope - before * before) * energy);
      add(kAuditNorm, step * (step * all(square) - all(2) * s));
      put(visit.slopes + b.at, slope);
      put(visit.values + b.at, value);
      put(changes + b.at, change);
      put(scores + b.at, -step / four(scalar(kFactor, b.lane)));
    }
  });
  for (std::size_t k = std::size_t(from) * kBlock; k < lanes; k += kBlock) {
    const Four norm = larger_of(four(scalar(kAuditNorm, k)), all(0)),
               reach = four(scalar(kReach, k));
    const Four factor = four(scalar(kFactor, k)), most = reach * reach;
    put(scalar(kFactor, k), norm > most ? factor * reach / root_of(norm) : factor);
    put(scalar(kAuditNorm, k), smaller_of(norm, most));
    put(scalar(kAuditSquares, k), larger_of(four(scalar(kAuditSquares, k)), all(0)));
  }
  scatter_steps(view, visit, scores, changes);
}

}  // namespace

void audit_visit(const AuditView& view, const AuditVisit& visit) {
  switch (view.loss.kind) {
    case LossKind::logistic:
      return visit_as<LogisticDual>(view, visit);
    case LossKind::hinge:
      return visit_as<Closed<HingeDual>>(view, visit);
    case LossKind::squared_hinge:
      return visit_as<Closed<SquaredHingeDual>>(view, visit);
    case LossKind::squared:
      return visit_as<Closed<SquaredDual>>(view, visit);
    case LossKind::absolute:
    case LossKind::quantile:
      return visit_as<Closed<QuantileDual>>(view, visit);
    case LossKind::epsilon_insensitive:
      return visit_as<Closed<InsensitiveDual>>(view, visit);
    default:
      return;
  }
}

}  // namespace regretless
