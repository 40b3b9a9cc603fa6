#include "kernels.hpp"

namespace regretless::REGRETLESS_ISA {
namespace {

constexpr int kBlocks = 4;  // blocks of lanes whose sums stay in registers

template <class V>
Cell<V> cell(const BankView& bank, std::uint32_t row, int block) {
  float* base = bank.data + std::size_t(row) * bank.layout.stride;
  double* clock = bank.clock < 0 ? nullptr
                                 : reinterpret_cast<double*>(base) +
                                       std::size_t(bank.clock) * bank.layout.width + block;
  return {base + bank.layout.float_offset() + block, clock, bank.layout.width};
}

void put(double* to, double v) { *to = v; }
template <class W>
void put(double* to, W v) {
  std::memcpy(to, &v, sizeof(v));
}
void get(const double* from, double& v) { v = *from; }
template <class W>
void get(const double* from, W& v) {
  std::memcpy(&v, from, sizeof(v));
}

// gather-dot: x -> one score per lane
template <class V, class R>
void score(const R& rule, const BankView& bank, Lanes lanes, Example x, double* out) {
  constexpr int width = Traits<V>::width;
  if constexpr (width == 1) {
    // One lane: four sums in flight, or each addition would wait for the one before.
    const auto at = rule.template at<V>(lanes, 0);
    const auto term = [&](std::size_t j) {
      return widen(rule.weight(cell<V>(bank, x.rows[j], 0), at, x.values[j])) * double(x.values[j]);
    };
    double sum[4]{};
    std::size_t j = 0;
    for (; j + 4 <= x.size; j += 4)
      for (std::size_t i = 0; i < 4; ++i) sum[i] += term(j + i);
    for (; j < x.size; ++j) sum[0] += term(j);
    out[0] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) * rule.factor(lanes, 0);
    return;
  }
  for (int first = 0; first < bank.layout.width; first += kBlocks * width) {
    const int last = std::min(first + kBlocks * width, bank.layout.width);
    typename R::template At<V> at[kBlocks];
    Wide<V> sum[kBlocks]{};
    for (int b = first, i = 0; b < last; b += width, ++i) at[i] = rule.template at<V>(lanes, b);
    for (std::size_t j = 0; j < x.size; ++j) {
      const double value = x.values[j];
      for (int b = first, i = 0; b < last; b += width, ++i)
        sum[i] += widen(rule.weight(cell<V>(bank, x.rows[j], b), at[i], x.values[j])) * value;
    }
    for (int b = first, i = 0; b < last; b += width, ++i) put(out + b, sum[i]);
  }
  for (int k = 0; k < bank.layout.lanes; ++k) out[k] *= rule.factor(lanes, k);
}

// scatter-axpy: every row moves by coefficient times x, as the rule has it
template <class V, class R>
void scatter(const R& rule, const BankView& bank, Lanes lanes, Example x, const double* coefficient,
             double* tracked, double* rounding) {
  constexpr int width = Traits<V>::width;
  for (int b = 0; b < bank.layout.width; b += width) {
    const auto at = rule.template at<V>(lanes, b);
    Wide<V> g;
    get(coefficient + b, g);
    Sums<V> sums;
    for (std::size_t j = 0; j < x.size; ++j)
      rule.update(cell<V>(bank, x.rows[j], b), at, g, x.values[j], sums);
    put(tracked + b, sums.tracked);
    put(rounding + b, sums.rounding);
  }
}

void audit(const BankView& bank, Example x, const double* gradient) {
  for (std::size_t j = 0; j < x.size; ++j) {
    double* z = reinterpret_cast<double*>(bank.data + std::size_t(x.rows[j]) * bank.layout.stride) +
                std::size_t(bank.audit) * bank.layout.width;
    const double value = x.values[j];
    for (int k = 0; k < bank.layout.width; ++k) z[k] += gradient[k] * value;
  }
}

void prefetch(const BankView& bank, Example x) {
  const std::size_t bytes = bank.layout.stride * sizeof(float);
  const char* data = reinterpret_cast<const char*>(bank.data);
  for (std::size_t j = 0; j < x.size; ++j) __builtin_prefetch(data + x.rows[j] * bytes, 1);
  if (bytes > 64)  // the rest of wide rows, as far as it is worth it
    for (std::size_t j = 0; j < x.size; ++j)
      for (std::size_t line = 64; line < bytes && line < 256; line += 64)
        __builtin_prefetch(data + x.rows[j] * bytes + line, 1);
}

double largest_magnitude(Example x) {
  std::uint32_t most = 0;  // the bits of positive floats are ordered as the floats are
  for (std::size_t j = 0; j < x.size; ++j) {
    std::uint32_t bits;
    std::memcpy(&bits, x.values + j, sizeof(bits));
    bits &= 0x7fffffffu;
    most = bits > most ? bits : most;
  }
  float value;
  std::memcpy(&value, &most, sizeof(value));
  return value;
}

Example example(const Batch& batch, std::size_t t) {
  const std::size_t start = batch.starts[t];
  return {batch.rows + start, batch.values + start, batch.starts[t + 1] - start};
}

struct Scratch {  // one stack buffer for narrow banks, the heap for wide ones
  static constexpr int kOnStack = 64, kArrays = 4;
  double stack[kOnStack * kArrays];
  double* heap = nullptr;
  explicit Scratch(int width) : width_(width) {
    if (width > kOnStack) heap = new double[std::size_t(width) * kArrays];
    double* all = heap ? heap : stack;
    for (int i = 0; i < width * kArrays; ++i) all[i] = 0;
  }
  ~Scratch() { delete[] heap; }
  double* operator[](int i) { return (heap ? heap : stack) + std::size_t(i) * width_; }

 private:
  int width_;
};

template <class V, class R>
std::size_t predict(R rule, BankView bank, const Batch& batch) {
  const Lanes lanes{bank.lanes, bank.layout.width};
  Scratch scratch(bank.layout.width);
  double* scores = scratch[0];
  for (std::size_t t = 0; t < batch.size; ++t) {
    if (t + 1 < batch.size) prefetch(bank, example(batch, t + 1));
    if constexpr (requires { rule.features; })
      if (batch.known) rule.features = batch.known[t];
    score<V>(rule, bank, lanes, example(batch, t), scores);
    for (int k = 0; k < bank.layout.lanes; ++k) batch.scores[t * bank.layout.lanes + k] = scores[k];
  }
  return batch.size;
}

template <class V, class R>
std::size_t learn(R rule, const Loss& loss, BankView bank, const Batch& batch) {
  const int count = bank.layout.lanes;
  const Lanes lanes{bank.lanes, bank.layout.width};
  const Table table{bank.data, bank.rows, bank.layout.stride, bank.layout.float_offset(),
                    bank.layout.width};
  Scratch scratch(bank.layout.width);
  double *s = scratch[0], *g = scratch[1], *step = scratch[2], *tracked = scratch[3];
  Scratch more(bank.layout.width);
  double *rounding = more[0], *suffered = more[1], *target = more[2];
  for (std::size_t t = 0; t < batch.size; ++t) {
    if (t + 1 < batch.size) prefetch(bank, example(batch, t + 1));
    const Example x = example(batch, t);
    const double h = batch.importance ? batch.importance[t] : 1;
    if constexpr (requires { rule.features; })
      if (batch.known) rule.features = batch.known[t];
    score<V>(rule, bank, lanes, x, s);
    if (batch.scores)
      for (int k = 0; k < count; ++k) batch.scores[t * count + k] = s[k];
    if (h == 0) continue;  // as if it were not there

    const double largest = largest_magnitude(x);
    double norm = 0;
    if (rule.needs_norm() || bank.audit >= 0)
      for (std::size_t j = 0; j < x.size; ++j) norm += Loss::square(x.values[j]);

    for (int k = 0; k < count; ++k) {
      const double y = target[k] = batch.targets ? batch.targets[t]
                                   : count == 1  ? 2.0 * batch.classes[t] - 1
                                                 : (batch.classes[t] == k ? 1.0 : -1.0);
      const Loss::Outcome outcome = loss.outcome(s[k], y);
      suffered[k] = h * outcome.value;
      g[k] = h * outcome.derivative;
      step[k] = rule.step(lanes, k, loss, s[k], y, h, g[k], norm);
      if (!std::isfinite(s[k]) || !std::isfinite(suffered[k]) || !(std::fabs(step[k]) <= 1e37) ||
          !(std::fabs(step[k] * largest) <= R::largest_step))
        return t;
    }
    scatter<V>(rule, bank, lanes, x, step, tracked, rounding);
    if (bank.audit >= 0) audit(bank, x, g);
    for (int k = 0; k < count; ++k) {
      lanes(kLoss, k) += suffered[k];
      lanes(kLinear, k) += g[k] * s[k];
      if (bank.audit >= 0) lanes(kSquares, k) += g[k] * g[k] * norm;
      lanes(kRounding, k) += rounding[k];
      rule.finish(lanes, k, {step[k], target[k], largest}, tracked[k], table);
      lanes(kRounds, k) += 1;
    }
  }
  return batch.size;
}

template <class F>
std::size_t by_width(int width, F f) {
  if (width == 1) return f(float{});
  if (width == 4) return f(Packed<4>::Floats{});
  return f(Packed<8>::Floats{});
}

template <class F, std::size_t I = 0>
std::size_t by_rule(const Rule& rule, F f) {
  if constexpr (I + 1 < std::variant_size_v<Rule>) {
    if (rule.index() != I) return by_rule<F, I + 1>(rule, f);
  }
  return f(*std::get_if<I>(&rule));
}

std::size_t predict_any(const Rule& rule, const Loss&, BankView bank, const Batch& batch) {
  return by_rule(rule, [&](const auto& r) {
    return by_width(bank.layout.width,
                    [&](auto v) { return predict<decltype(v)>(r, bank, batch); });
  });
}
std::size_t learn_any(const Rule& rule, const Loss& loss, BankView bank, const Batch& batch) {
  return by_rule(rule, [&](const auto& r) {
    return by_width(bank.layout.width,
                    [&](auto v) { return learn<decltype(v)>(r, loss, bank, batch); });
  });
}

// These look for a sign bit in differences, without a branch, so that they vectorise. The bits of
// positive doubles are ordered as the doubles are, with infinities and NaNs above all numbers.
Survey survey(const double* values, std::size_t size) {
  const double limit = kLargestValue;
  std::int64_t most, high = 0, low = 0;
  std::memcpy(&most, &limit, sizeof(most));
  for (std::size_t j = 0; j < size; ++j) {
    std::int64_t bits;
    std::memcpy(&bits, values + j, sizeof(bits));
    bits &= 0x7fffffffffffffff;
    high |= most - bits;
    low |= bits - 1;
  }
  return {high >= 0, low < 0};
}

bool below(const std::int32_t* columns, std::size_t size, std::int32_t limit) {
  std::int64_t seen = 0;
  for (std::size_t j = 0; j < size; ++j)
    seen |= std::int64_t(columns[j]) | (std::int64_t(limit) - 1 - columns[j]);
  return seen >= 0;
}

std::size_t descents(const std::int32_t* columns, std::size_t size) {
  std::size_t total = 0;
  for (std::size_t first = 1; first < size; first += 1u << 16) {  // counts of a piece fit 32 bits
    const std::size_t last = std::min(size, first + (1u << 16));
    std::int32_t count = 0;
    for (std::size_t j = first; j < last; ++j) count += columns[j] <= columns[j - 1];
    total += std::size_t(count);
  }
  return total;
}

bool place(const std::int32_t* columns, const double* values, std::size_t size,
           const std::uint32_t* table, std::uint32_t mask, std::uint32_t* rows, float* floats) {
  for (std::size_t j = 0; j < size; ++j) floats[j] = float(values[j]);
  if (!table) {
    for (std::size_t j = 0; j < size; ++j) rows[j] = 1 + (std::uint32_t(columns[j]) & mask);
    return true;
  }
  std::uint32_t most = 0;  // kAbsent is the largest of all
  for (std::size_t j = 0; j < size; ++j) {
    rows[j] = table[columns[j]];
    most = rows[j] > most ? rows[j] : most;
  }
  return most != std::numeric_limits<std::uint32_t>::max();
}

}  // namespace

extern const Kernels table;
const Kernels table{predict_any, learn_any, survey, below, descents, place};

}  // namespace regretless::REGRETLESS_ISA
