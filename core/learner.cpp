#include "learner.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

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
      kernels_(kernels),
      certify_(certify),
      needs_clock_(with(rule, [](const auto& r) { return r.needs_clock(); })),
      keeps_gradient_sum_(with(rule, [](const auto& r) { return r.keeps_gradient_sum(); })),
      votes_(with(rule, [](const auto& r) { return r.votes(); })),
      features_(bits, remembered),
      bank_(layout(1)),
      scalars_(std::size_t(kScalars) * bank_.layout().width) {
  grow();
  with(rule_, [&](const auto& r) { r.start(lane_scalars(), 0); });
}

Layout Learner::layout(int lanes, int room) const {
  return with(rule_, [&]<class R>(const R& r) {
    return Layout::of(lanes, int(certify_) + int(needs_clock_), r.float_slots(), r.shared_slots(),
                      !R::single_lane, room, kernels_.words);
  });
}

BankView Learner::view() const {
  // Kernels that predict take the same view and leave it unchanged.
  auto& self = const_cast<Learner&>(*this);
  return {self.bank_.data(),
          bank_.rows(),
          bank_.layout().in_numbers(),
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
  kernels_.predict(rule_, loss_, view(), placed(batch));
}

// The batch with rows of the bank instead of rows of features.
Batch Learner::placed(const Batch& batch) const {
  if (!places_.used()) return batch;
  const std::size_t first = batch.starts[0], size = batch.starts[batch.size] - first;
  placed_starts_.resize(batch.size + 1);
  for (std::size_t t = 0; t <= batch.size; ++t) placed_starts_[t] = batch.starts[t] - first;
  placed_rows_.resize(size);
  for (std::size_t j = 0; j < size; ++j) placed_rows_[j] = places_.find(batch.rows[first + j]);
  Batch own = batch;
  own.starts = placed_starts_.data();
  own.rows = placed_rows_.data();
  if (own.values) own.values += first;
  if (own.doubles) own.doubles += first;
  return own;
}

void Learner::vote(const Batch& batch) const {
  place_.resize(rows_);
  with_number([&]<class Number>(Number) {
    for (std::size_t t = 0; t < batch.size; ++t) {
      const std::size_t first = batch.starts[t];
      record_.score(batch.rows + first, batch.numbers<Number>() + first,
                    batch.starts[t + 1] - first, lanes(), place_,
                    batch.scores + t * std::size_t(lanes()));
    }
  });
}

// One example at a time: the earlier weight vectors must vote on it before it is learned.
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
    if (!kernels_.learn(rule_, loss_, view(), placed(one))) return t;
    const double h = one.importance ? *one.importance : 1;
    if (h == 0) continue;
    for (std::size_t k = 0; k < count; ++k) {
      const bool positive = count == 1 ? *one.classes == 1 : *one.classes == int(k);
      steps[k] = -h * loss_.derivative(scores[k], positive ? 1 : -1);
    }
    const std::size_t start = *one.starts;
    with_number([&]<class Number>(Number) {
      record_.add(one.rows + start, one.numbers<Number>() + start, one.starts[1] - start,
                  steps.data(), int(count));
    });
  }
  return batch.size;
}

void Learner::grow(std::size_t rows) {
  if (!places_.used() && bank_.rows() < rows) bank_.resize(rows);
  rows_ = std::max(rows_, rows);
  count_features();
}

void Learner::count_features() {
  with(rule_, [&](auto& r) {
    if constexpr (requires { r.features; }) r.features = rows_;
  });
}

void Learner::touch(const Batch& batch, std::size_t rows) {
  grow(rows);
  if (!places_.used()) return;
  const std::size_t before = places_.size();
  for (std::size_t t = 0; t < batch.size; ++t) {
    if (batch.importance && batch.importance[t] == 0) continue;
    for (std::size_t j = batch.starts[t]; j < batch.starts[t + 1]; ++j) places_.give(batch.rows[j]);
  }
  try {
    bank_.resize(places_.size());
  } catch (...) {
    places_.truncate(before);
    throw;
  }
}

void Learner::learn(const Batch& batch, std::size_t offset) {
  std::size_t used = rows_;
  try {
    touch(batch, features_.size());
  } catch (const NoRoom&) {
    features_.truncate(std::uint32_t(used));
    throw;
  }
  const std::size_t done =
      votes_ ? learn_and_record(batch) : kernels_.learn(rule_, loss_, view(), placed(batch));
  for (std::size_t t = 0; batch.losses && t < done; ++t)  // examples without weight included
    batch.losses[t] = std::min(batch.losses[t], kWorst);
  if (done == batch.size) return;
  // Forget the names that came with the refused example or later.
  for (std::size_t j = 0; j < batch.starts[done]; ++j)
    used = std::max<std::size_t>(used, batch.rows[j] + 1);
  features_.truncate(std::uint32_t(used));
  if (!places_.used()) bank_.resize(used);
  rows_ = used;
  count_features();
  throw Diverged(offset + done, offset == 0 && batch.size == 1, advice);
}

// --- lanes ---------------------------------------------------------------------------------------

namespace {
// Sources for `relane`: the present lanes, then fresh ones.
std::vector<int> the_same(int lanes, int all) {
  std::vector<int> sources(std::size_t(lanes), 0);
  std::iota(sources.begin(), sources.end(), 0);
  sources.resize(std::size_t(all), -1);
  return sources;
}
std::vector<int> as_they_are(int lanes) { return std::vector<int>(std::size_t(lanes), 1); }
}  // namespace

void Learner::relane(const std::vector<int>& sources, const std::vector<int>& signs) {
  const int lanes = int(sources.size());
  if (lanes < bank_.layout().lanes) room_ = 0;
  lay_out(layout(lanes, lanes > per_class_ ? room_ : 0), sources, signs);
}

// Lanes that are laid out but not in use count as fresh. If there are too few, half as many again
// are laid out.
void Learner::extend(int count) {
  const Layout& now = bank_.layout();
  const int lanes = now.lanes + count;
  if (lanes > now.width || (scatters(lanes) && !places_.used())) {
    const int room = std::max(room_, now.width + now.width / 2);
    return lay_out(layout(lanes, room), the_same(now.lanes, lanes), as_they_are(lanes));
  }
  // Lanes that only filled up a block may have changed with the others: clear their rows.
  const auto first = std::size_t(now.lanes), last = std::size_t(lanes);
  if (!with(rule_, [](const auto& r) { return r.rests(); }))
    for (std::size_t i = 0; i < bank_.rows(); ++i) {
      for (int slot = 0; slot < now.floats; ++slot)
        with_number([&]<class Number>(Number zero) {
          auto* lane = bank_.numbers<Number>(i, slot);
          std::fill(lane + first, lane + last, zero);
        });
      for (int slot = 0; slot < now.doubles; ++slot)
        std::fill(bank_.doubles(i, slot) + first, bank_.doubles(i, slot) + last, 0.0);
    }
  if (votes_) record_.extend(now.lanes, lanes);
  bank_.use(lanes);
}

void Learner::reserve(int lanes) {
  const int now = bank_.layout().lanes;
  if (lanes <= bank_.layout().width) return;
  check_memory(in_use(), lanes, wanted(lanes));
  room_ = lanes;
  if (now > per_class_) lay_out(layout(now, room_), the_same(now, now), as_they_are(now));
}

std::size_t Learner::in_use() const {
  if (places_.used() || !features_.hashed()) return bank_.rows();
  std::size_t count = 2;
  for (std::size_t i = 1; i < bank_.rows(); ++i) count += bank_.touched(i);
  return count;
}

std::size_t Learner::wanted(int lanes) const {
  if (lanes <= bank_.layout().width) return 0;
  return in_use() * layout(lanes).stride * sizeof(float);
}

void Learner::pack() {
  const int lanes = bank_.layout().lanes;
  room_ = 0;
  if (layout(lanes).width == bank_.layout().width) return;
  lay_out(layout(lanes), the_same(lanes, lanes), as_they_are(lanes));
}

void Learner::lay_out(const Layout& to, const std::vector<int>& sources,
                      const std::vector<int>& signs) {
  const int lanes = to.lanes;
  const Layout from = bank_.layout();
  const bool anew = std::all_of(sources.begin(), sources.end(), [](int s) { return s < 0; });
  if (to.stride > from.stride) {
    // only hashed rows in use count: the others take no memory
    const std::size_t rows = !anew ? in_use() : features_.hashed() ? 2 : rows_;
    check_memory(
        rows, lanes,
        rows * to.stride * sizeof(float) + std::size_t(kScalars) * to.width * sizeof(double));
  }
  std::vector<double> scalars(std::size_t(kScalars) * to.width);
  struct Move {
    std::size_t from, to;
    bool flips;
  };
  std::vector<Move> floats, doubles;
  // If the score has an offset, -w is not the model of the other label: that lane starts afresh.
  const bool odd = with(rule_, []<class R>(const R&) { return R::offset == 0; });
  for (int k = 0; k < to.width; ++k) {
    int source = k < lanes ? sources[std::size_t(k)] : -1;
    if (source >= 0 && signs[std::size_t(k)] < 0 && !odd) source = -1;
    if (source < 0) {  // lanes not in use are computed with the others and need a start, too
      with(rule_, [&](const auto& r) { r.start(Lanes{scalars.data(), to.width}, k); });
      continue;
    }
    const bool turns = signs[std::size_t(k)] < 0;
    for (int s = 0; s < kScalars; ++s)
      scalars[std::size_t(s) * to.width + k] = scalars_[std::size_t(s) * from.width + source];
    for (int slot = 0; slot < from.floats; ++slot)
      floats.push_back({from.first_number() + std::size_t(slot * from.width + source),
                        to.first_number() + std::size_t(slot * to.width + k),
                        turns && with(rule_, [&](const auto& r) { return r.signed_slot(slot); })});
    for (int slot = 0; slot < from.doubles; ++slot) {
      const bool audit = slot == int(needs_clock_);
      doubles.push_back(
          {std::size_t(slot * from.width + source), std::size_t(slot * to.width + k),
           turns && (audit || with(rule_, [](const auto& r) { return r.signed_clock(); }))});
    }
  }
  if (anew) {
    Places places;
    if (scatters(lanes)) places.start(rows_);
    Bank fresh(to);
    fresh.resize(places.used() ? places.size() : rows_);
    bank_ = std::move(fresh);
    places_ = std::move(places);
  } else {
    move_rows(to, [&](const float* old, float* fresh) {
      with_number([&]<class Number>(Number) {
        const auto* old_numbers = reinterpret_cast<const Number*>(old);
        auto* numbers = reinterpret_cast<Number*>(fresh);
        for (const Move& m : floats)
          numbers[m.to] = m.flips ? -old_numbers[m.from] : old_numbers[m.from];
        std::copy_n(old_numbers + from.first_shared(), from.shared, numbers + to.first_shared());
      });
      const auto* old_doubles = reinterpret_cast<const double*>(old);
      auto* fresh_doubles = reinterpret_cast<double*>(fresh);
      for (const Move& m : doubles)
        fresh_doubles[m.to] = m.flips ? -old_doubles[m.from] : old_doubles[m.from];
    });
  }
  if (votes_) record_.relane(from.lanes, sources, signs);
  scalars_ = std::move(scalars);
}

// Lays every row that was touched out anew.
template <class F>
void Learner::move_rows(const Layout& to, F move) {
  if (places_.used() || !scatters(to.lanes)) return bank_.change(to, move);
  Places places;
  places.start(rows_);
  for (std::uint32_t row = 1; row < rows_; ++row)
    if (bank_.touched(row)) places.give(row);
  Bank fresh(to);
  fresh.resize(places.size());
  for (std::uint32_t row = 0; row < rows_; ++row)
    if (row == 0 || places.find(row) != Places::kUntouched)
      move(bank_.row(row), fresh.row(places.find(row)));
  bank_ = std::move(fresh);
  places_ = std::move(places);
}

// --- weights and gradients -----------------------------------------------------------------------

std::vector<double> Learner::weights(const Rows& rows) const {
  // A weight is the score of its feature alone, divided by the value. The value is tiny because
  // rules that track the scale of a feature react to a larger one; a power of two is exact.
  const float value = 0x1p-100f;
  const double same = value;
  const std::size_t starts[2] = {0, 1}, width = std::size_t(lanes());
  std::vector<double> out(rows.size() * width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t at = places_.find(rows[i]);
    double* to = out.data() + i * width;
    kernels_.predict(rule_, loss_, view(),
                     {.size = 1,
                      .starts = starts,
                      .rows = &at,
                      .values = &value,
                      .doubles = &same,
                      .scores = to,
                      .bare = true});
    for (std::size_t k = 0; k < width; ++k) to[k] /= double(value);
    with(rule_, [&]<class R>(const R&) {  // the offset stands for the weight of the intercept
      if (R::offset != 0 && rows[i] == 0) std::fill_n(to, width, R::offset);
    });
  }
  return out;
}

std::array<double, 4> Learner::gradient_norms() const {
  auto& bank = const_cast<Bank&>(bank_);
  double l1 = 0, l2 = 0, largest = 0, count = 0;
  for (std::size_t i = 0; i < bank_.rows(); ++i) {
    for (int k = 0; k < lanes(); ++k) {
      const double z = std::fabs(certify_ ? bank.doubles(i, int(needs_clock_))[k]
                                          : with_number([&]<class Number>(Number) {
                                              return double(bank.numbers<Number>(i, 0)[k]);
                                            }));
      l1 += z;
      l2 += z * z;
      largest = std::max(largest, z);
      count += z > 0;
    }
  }
  return {l1, std::sqrt(l2), largest, count};
}

}  // namespace regretless
