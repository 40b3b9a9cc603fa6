#include "learner.hpp"

#include <cmath>

namespace regretless {

namespace {
template <class R, class F>
auto with(R& rule, F f) {
  return std::visit(f, rule);
}
}  // namespace

Learner::Learner(Loss loss, Rule rule, int bits, std::uint32_t remembered, bool certify,
                 Kernels kernels)
    : loss_(loss),
      rule_(rule),
      certify_(certify),
      needs_clock_(with(rule, [](const auto& r) { return r.needs_clock(); })),
      keeps_gradient_sum_(with(rule, [](const auto& r) { return r.keeps_gradient_sum(); })),
      votes_(with(rule, [](const auto& r) { return r.votes(); })),
      features_(bits, remembered),
      bank_(layout(1)),
      scalars_(std::size_t(kScalars) * bank_.layout().width),
      kernels_(kernels) {
  grow();
  with(rule_, [&](const auto& r) { r.start(lane_scalars(), 0); });
}

Layout Learner::layout(int lanes) const {
  return with(rule_, [&]<class R>(const R& r) {
    return Layout::of(lanes, int(certify_) + int(needs_clock_), r.float_slots(), r.shared_slots(),
                      !R::single_lane);
  });
}

BankView Learner::view() const {
  // Kernels that predict take the same view and leave it unchanged.
  auto& self = const_cast<Learner&>(*this);
  return {self.bank_.data(),
          bank_.rows(),
          bank_.layout(),
          certify_ ? int(needs_clock_) : -1,
          needs_clock_ ? 0 : -1,
          self.scalars_.data(),
          per_class_,
          forgiving_};
}

double Learner::low() const {
  return with(rule_, []<class R>(const R&) { return R::low; });
}
double Learner::high() const {
  return with(rule_, []<class R>(const R&) { return R::high; });
}
bool Learner::starts_at_zero() const {
  return with(rule_, []<class R>(const R&) { return R::starts_at_zero; });
}

void Learner::predict(const Batch& batch) const {
  if (votes_) return vote(batch);
  kernels_.predict(rule_, loss_, view(), batch);
}

void Learner::vote(const Batch& batch) const {
  place_.resize(bank_.rows());
  for (std::size_t t = 0; t < batch.size; ++t) {
    const std::size_t start = batch.starts[t];
    record_.score({batch.rows + start, batch.values + start, batch.starts[t + 1] - start}, lanes(),
                  place_, batch.scores + t * std::size_t(lanes()));
  }
}

// One by one: what the others have to say of an example must be asked before it is learned.
std::size_t Learner::learn_and_record(const Batch& batch) {
  const auto count = std::size_t(lanes());
  std::vector<double> scores(count), steps(count);
  for (std::size_t t = 0; t < batch.size; ++t) {
    Batch one = batch;
    one.size = 1;
    one.starts += t;
    one.classes += t;
    if (batch.importance) one.importance += t;
    if (batch.losses) one.losses += t;
    if (batch.scores) {
      one.scores = batch.scores + t * count;
      vote(one);
    }
    one.scores = scores.data();
    if (!kernels_.learn(rule_, loss_, view(), one)) return t;
    const double h = one.importance ? *one.importance : 1;
    if (h == 0) continue;
    for (std::size_t k = 0; k < count; ++k) {
      const bool positive = count == 1 ? *one.classes == 1 : *one.classes == int(k);
      steps[k] = -h * loss_.derivative(scores[k], positive ? 1 : -1);
    }
    const std::size_t start = *one.starts;
    record_.add({one.rows + start, one.values + start, one.starts[1] - start}, steps.data(),
                int(count));
  }
  return batch.size;
}

void Learner::grow(std::size_t rows) {
  if (bank_.rows() < rows) bank_.resize(rows);
  with(rule_, [&](auto& r) {
    if constexpr (requires { r.features; }) r.features = bank_.rows();
  });
}

void Learner::learn(const Batch& batch, std::size_t offset) {
  std::size_t used = bank_.rows();
  grow();
  const std::size_t done =
      votes_ ? learn_and_record(batch) : kernels_.learn(rule_, loss_, view(), batch);
  for (std::size_t t = 0; batch.losses && t < done; ++t)  // of examples without weight, too
    batch.losses[t] = std::min(batch.losses[t], kWorst);
  if (done == batch.size) return;
  // Names that came with the refused example or later are taken back.
  for (std::size_t j = 0; j < batch.starts[done]; ++j)
    used = std::max<std::size_t>(used, batch.rows[j] + 1);
  features_.truncate(std::uint32_t(used));
  bank_.resize(used);
  grow();
  throw Diverged("the score overflowed at example " + std::to_string(offset + done) +
                 " of this call; the examples before it were learned. Lower the rate, scale the "
                 "features, or use rule='coin', which needs neither");
}

void Learner::relane(const std::vector<int>& sources, const std::vector<int>& signs) {
  const int lanes = int(sources.size());
  const Layout from = bank_.layout(), to = layout(lanes);
  std::vector<double> scalars(std::size_t(kScalars) * to.width);
  struct Move {
    std::size_t from, to;
    bool flips;
  };
  std::vector<Move> floats, doubles;
  for (int k = 0; k < to.width; ++k) {
    const int source = k < lanes ? sources[std::size_t(k)] : -1;
    if (source < 0) {  // lanes that only pad the vectors play along and need a sane start, too
      with(rule_, [&](const auto& r) { r.start(Lanes{scalars.data(), to.width}, k); });
      continue;
    }
    const bool turns = signs[std::size_t(k)] < 0;
    for (int s = 0; s < kScalars; ++s)
      scalars[std::size_t(s) * to.width + k] = scalars_[std::size_t(s) * from.width + source];
    for (int slot = 0; slot < from.floats; ++slot)
      floats.push_back({from.float_offset() + std::size_t(slot * from.width + source),
                        to.float_offset() + std::size_t(slot * to.width + k),
                        turns && with(rule_, [&](const auto& r) { return r.signed_slot(slot); })});
    for (int slot = 0; slot < from.doubles; ++slot) {
      const bool audit = slot == int(needs_clock_);
      doubles.push_back(
          {std::size_t(slot * from.width + source), std::size_t(slot * to.width + k),
           turns && (audit || with(rule_, [](const auto& r) { return r.signed_clock(); }))});
    }
  }
  bank_.change(to, [&](const float* old, float* fresh) {
    for (const Move& m : floats) fresh[m.to] = m.flips ? -old[m.from] : old[m.from];
    const auto* old_doubles = reinterpret_cast<const double*>(old);
    auto* fresh_doubles = reinterpret_cast<double*>(fresh);
    for (const Move& m : doubles)
      fresh_doubles[m.to] = m.flips ? -old_doubles[m.from] : old_doubles[m.from];
    std::copy_n(old + from.shared_offset(), from.shared, fresh + to.shared_offset());
  });
  if (votes_) record_.relane(from.lanes, sources, signs);
  scalars_ = std::move(scalars);
}

std::vector<double> Learner::weights() const {
  // A weight is the score of its feature alone. The value is tiny because rules that know the scale
  // of a feature would take a larger one for news.
  const float value = 1e-30f;
  const std::size_t starts[2] = {0, 1}, width = std::size_t(lanes());
  std::vector<double> out(bank_.rows() * width);
  for (std::uint32_t row = 0; row < bank_.rows(); ++row)
    kernels_.predict(rule_, loss_, view(),
                     {.size = 1,
                      .starts = starts,
                      .rows = &row,
                      .values = &value,
                      .scores = out.data() + row * width,
                      .bare = true});
  for (double& w : out) w /= double(value);
  with(rule_, [&]<class R>(const R&) {  // the weight of the constant feature, if there is none
    if (R::offset != 0) std::fill_n(out.begin(), width, R::offset);
  });
  return out;
}

std::array<double, 3> Learner::gradient_norms() const {
  auto& bank = const_cast<Bank&>(bank_);
  double l1 = 0, l2 = 0, largest = 0;
  for (std::size_t i = 0; i < bank_.rows(); ++i) {
    for (int k = 0; k < lanes(); ++k) {
      const double z = std::fabs(certify_ ? bank.doubles(i, int(needs_clock_))[k]
                                          : double(bank.floats(i, 0)[k]));
      l1 += z;
      l2 += z * z;
      largest = std::max(largest, z);
    }
  }
  return {l1, std::sqrt(l2), largest};
}

}  // namespace regretless
