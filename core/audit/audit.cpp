#include "audit/audit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd.hpp"
#include "splitmix.hpp"

namespace regretless {

namespace {
// The place of the sum of h x_i x_j, i >= j. Row 0 holds h y x_j and comes after h y^2.
std::size_t packed(std::size_t i, std::size_t j) { return i * (i + 1) / 2 + j; }
constexpr std::size_t kCached = std::size_t(1) << 17;  // bytes that fit into the cache
}  // namespace

Audit::Audit(Loss loss, const std::vector<double>& norms, const std::vector<double>& rates,
             bool scaled, int bits, std::size_t memory, std::size_t revisits)
    : loss_(loss),
      lanes_(int(norms.size())),
      scaled_(scaled),
      moments_(loss.kind == LossKind::squared),
      memory_(memory),
      revisits_(revisits),
      features_(bits, 0),
      bank_(layout_of(lanes_, 1)),
      scalars_(std::size_t(kAuditScalars) * std::size_t(lanes_)) {
  for (std::size_t k = 0; k < std::size_t(lanes_); ++k) {
    scalars_[kReach * std::size_t(lanes_) + k] = norms[k];
    scalars_[kPace * std::size_t(lanes_) + k] = rates[k];
    scalars_[kFactor * std::size_t(lanes_) + k] = 1;
  }
  grow();
}

Layout Audit::layout_of(int lanes, int outputs) {
  const int all = lanes * outputs;
  Layout l{all, all, 1, 1, 2 + 2 * outputs, 0};
  l.stride = (l.shared_offset() + std::size_t(l.shared) + 15) / 16 * 16;
  return l;
}

AuditView Audit::view() {
  return {loss_, bank_.data(), bank_.layout(), lanes_, outputs_, scaled_, scalars_.data()};
}

void Audit::grow() {
  if (bank_.rows() < features_.size()) bank_.resize(features_.size());
}

double Audit::target_of(double given, int output) const {
  if (!classifies()) return given;
  return (outputs_ == 1 ? given == 1 : given == output) ? 1 : -1;
}

void Audit::learn(Example x, double target, double importance, const double* scores,
                  Example after) {
  grow();
  if (kept_.size() < memory_ && revisits_) {  // allocate before anything changes
    kept_.reserve(memory_);
    slopes_.resize((kept_.size() + 1) * all_lanes());
    values_.resize(slopes_.size());
  }
  fresh_slopes_.assign(all_lanes(), 0.0);
  fresh_values_.assign(all_lanes(), 0.0);
  const std::size_t again = kept_.empty() ? 0 : revisits_;
  const auto next = [&](std::size_t r) {
    return r == again ? after : kept_[drawn_slot(r)].example();
  };
  visit(x, true, target, importance, fresh_slopes_.data(), fresh_values_.data(), next(0));
  if (scores) take_scores(x, target, importance, scores);
  if (moments_) take_moments(x, target, importance);
  for (std::size_t r = 0; r < again; ++r) {
    const std::size_t slot = drawn_slot(r), at = slot * all_lanes();
    const Kept& kept = kept_[slot];
    visit(kept.example(), false, kept.target, kept.weight, slopes_.data() + at, values_.data() + at,
          next(r + 1));
  }
  drawn += double(again);
  remember(x, target, importance);
  examples += 1;
  weight += importance;
  fetch_drawn();
}

// The example that will be visited again, as number i of the next round.
std::size_t Audit::drawn_slot(std::size_t which) const {
  return std::size_t(splitmix((std::uint64_t(drawn) + which + 1) * 0x9e3779b97f4a7c15) %
                     kept_.size());
}

// Kept examples lie anywhere in memory.
void Audit::fetch_drawn() const {
  for (std::size_t r = 0; r < revisits_ && !kept_.empty(); ++r) {
    const std::size_t slot = drawn_slot(r), at = slot * all_lanes();
    kept_[slot].fetch();
    for (std::size_t k = 0; k < all_lanes() && k < 64; k += 8)
      fetch(&slopes_[at + k]), fetch(&values_[at + k]);
  }
}

void Audit::Kept::put(Example x, double y, double importance) {
  const std::size_t bytes = x.size * (sizeof(std::uint32_t) + sizeof(float));
  if (room_ < bytes) data_ = std::make_unique<std::byte[]>(bytes), room_ = bytes;
  size_ = x.size;
  std::copy_n(x.rows, x.size, reinterpret_cast<std::uint32_t*>(data_.get()));
  std::copy_n(x.values, x.size, values());
  target = y;
  weight = importance;
}

void Audit::Kept::fetch() const {
  const std::size_t bytes = size_ * (sizeof(std::uint32_t) + sizeof(float));
  for (std::size_t at = 0; at < bytes && at < 4096; at += 64) regretless::fetch(data_.get() + at);
}

void Audit::remember(Example x, double target, double importance) {
  if (!revisits_) return;
  const auto slot = std::size_t(std::fmod(added, double(memory_)));
  if (slot == kept_.size()) kept_.emplace_back();
  kept_[slot].put(x, target, importance);
  std::copy(fresh_slopes_.begin(), fresh_slopes_.end(), slopes_.begin() + slot * all_lanes());
  std::copy(fresh_values_.begin(), fresh_values_.end(), values_.begin() + slot * all_lanes());
  added += 1;
}

void Audit::visit(Example x, bool fresh, double target, double importance, double* slopes,
                  double* values, Example next) {
  units_.resize(std::max(units_.size(), x.size));
  if (bytes() < kCached) next = {};  // it is in the cache anyway
  scores_.resize(3 * all_lanes());
  targets_.resize(std::size_t(outputs_));
  for (int o = 0; o < outputs_; ++o) targets_[std::size_t(o)] = target_of(target, o);
  kernels_.audit_visit(view(), {x, next, fresh, targets_.data(), importance, slopes, values,
                                units_.data(), scores_.data()});
  visits += 1;
  // A visit changes a factor by a few bits at most. The number of visits is part of the state.
  if (std::uint64_t(visits) % 16 != 0) return;
  const double* factors = scalars_.data() + kFactor * std::size_t(lanes_);
  if (std::any_of(factors, factors + lanes_, [](double f) { return f < 1e-12; })) rescale();
}

// Multiplies the factors into the weights, before the weights leave single precision.
void Audit::rescale() {
  double* factors = scalars_.data() + kFactor * std::size_t(lanes_);
  for (std::size_t i = 0; i < bank_.rows(); ++i) {
    float* w = bank_.floats(i, 0);
    for (std::size_t k = 0; k < all_lanes(); ++k)
      w[k] = float(double(w[k]) * factors[k % std::size_t(lanes_)]);
  }
  std::fill_n(factors, lanes_, 1.0);
}

void Audit::take_scores(Example x, double target, double importance, const double* scores) {
  double size = 0;
  const std::size_t at = bank_.layout().shared_offset();
  for (std::size_t j = 0; j < x.size; ++j) {
    const float scale = scaled_ ? bank_.row(x.rows[j])[at] : 1.0f;
    if (scale > 0) size += Loss::square(double(x.values[j]) / double(scale));
  }
  for (int o = 0; o < outputs_; ++o) {
    const auto [value, slope] = loss_.outcome(scores[o], target_of(target, o));
    const double g = importance * slope, gain = importance * value - g * scores[o];
    suffered += importance * value;
    model[0] += gain;
    model[1] += importance * value + std::fabs(g * scores[o]);
    model[2] += std::fabs(g) * std::sqrt(size);
    for (std::size_t j = 0; j < x.size; ++j)
      reinterpret_cast<double*>(bank_.row(x.rows[j]) + at + 2)[o] += g * double(x.values[j]);
  }
  scored += 1;
}

void Audit::take_moments(Example x, double y, double importance) {
  const std::size_t size = features_.size();
  if (size > kMostMoments) {
    moments_ = false;
    sums_ = {};
    return;
  }
  if (sums_.size() < packed(size + 1, 0)) sums_.resize(packed(size + 1, 0));
  sums_[0] += importance * y * y;
  for (std::size_t a = 0; a < x.size; ++a) {
    const double first = importance * double(x.values[a]);
    double* from = sums_.data() + packed(std::size_t(x.rows[a]) + 1, 0);
    from[0] += first * y;
    for (std::size_t b = 0; b < x.size; ++b)
      if (x.rows[b] <= x.rows[a]) from[x.rows[b] + 1] += first * double(x.values[b]);
  }
}

std::vector<double> Audit::moments() const {
  std::vector<double> out = sums_;
  const std::size_t count = std::min(bank_.rows(), kMostMoments);
  out.resize(std::max(out.size(), std::size_t(1)));
  for (std::size_t i = 0; scaled_ && i < count && packed(i + 2, 0) <= out.size(); ++i) {
    const double si = row(i).scale > 0 ? row(i).scale : 1;
    double* from = out.data() + packed(i + 1, 0);
    from[0] /= si;
    for (std::size_t j = 0; j <= i; ++j)
      from[j + 1] /= si * (row(j).scale > 0 ? double(row(j).scale) : 1.0);
  }
  return out;
}

std::vector<Audit::Part> Audit::parts() const {
  // those of the lanes first, then that of the model
  const auto lanes = std::size_t(lanes_);
  std::vector<double> square(lanes + 1);
  for (std::size_t i = 0; i < bank_.rows(); ++i) {
    const Row r = row(i);
    if (scaled_ && r.scale == 0) continue;
    const double unit = scaled_ ? 1 / double(r.scale) : 1;
    for (std::size_t k = 0; k < all_lanes(); ++k)
      square[k % lanes] += Loss::square(r.sums[k] * unit);
    for (int o = 0; o < outputs_; ++o) square[lanes] += Loss::square(r.model[o] * unit);
  }
  // Each of n additions is wrong by at most an epsilon of everything added so far. Features were
  // rounded to single precision when they were read.
  constexpr double kDouble = 0x1p-53, kSingle = 0x1p-24;
  const double features = double(bank_.rows()) * double(outputs_);
  std::vector<Part> out;
  for (std::size_t k = 0; k <= lanes; ++k) {
    const bool own = k < lanes;
    const auto scalar = [&](AuditScalar s) { return scalars_[std::size_t(s) * lanes + k]; };
    const double value = own ? scalar(kValue) : model[0], size = own ? scalar(kSize) : model[1];
    const double travel = own ? scalar(kTravel) : model[2];
    const double count = (own ? visits : scored) * double(outputs_) + 64;
    const double norm = std::sqrt(square[k]);
    out.push_back({value, kDouble * count * size, norm,
                   1.001 * (kSingle + kDouble * count) * travel + kDouble * (features + 8) * norm});
  }
  return out;
}

void Audit::exchange() {
  for (std::size_t i = 0; i < bank_.rows(); ++i) {
    double* sums = bank_.doubles(i, 0);
    float* w = bank_.floats(i, 0);
    for (std::size_t k = 0; k < all_lanes(); ++k) sums[k] = -sums[k], w[k] = -w[k];
    auto* model = reinterpret_cast<double*>(bank_.row(i) + bank_.layout().shared_offset() + 2);
    model[0] = -model[0];
  }
  for (double& g : slopes_) g = -g;
  for (Kept& kept : kept_) kept.target = 1 - kept.target;
}

void Audit::extend(int outputs) {
  const Layout from = bank_.layout(), to = layout_of(lanes_, outputs);
  const auto lanes = std::size_t(lanes_);
  // new output o is made of this old one, times the sign
  const auto source = [&](int o) {
    return outputs_ == 1 ? (o < 2 ? 0 : -1) : o < outputs_ ? o : -1;
  };
  const auto sign = [&](int o) { return outputs_ == 1 && o == 0 ? -1.0 : 1.0; };
  bank_.change(to, [&](const float* old, float* fresh) {
    const auto *old_sums = reinterpret_cast<const double*>(old),
               *old_model = reinterpret_cast<const double*>(old + from.shared_offset() + 2);
    auto *sums = reinterpret_cast<double*>(fresh),
         *model = reinterpret_cast<double*>(fresh + to.shared_offset() + 2);
    for (int o = 0; o < outputs; ++o) {
      if (source(o) < 0) continue;
      const std::size_t at = std::size_t(o) * lanes, was = std::size_t(source(o)) * lanes;
      for (std::size_t k = 0; k < lanes; ++k) {
        sums[at + k] = sign(o) * old_sums[was + k];
        fresh[to.float_offset() + at + k] = float(sign(o)) * old[from.float_offset() + was + k];
      }
      model[o] = sign(o) * old_model[source(o)];
    }
    std::copy_n(old + from.shared_offset(), 2, fresh + to.shared_offset());
  });
  const auto moved = [&](const std::vector<double>& old, bool turns) {
    std::vector<double> fresh(kept_.size() * lanes * std::size_t(outputs));
    for (std::size_t t = 0; t < kept_.size(); ++t)
      for (int o = 0; o < outputs; ++o)
        for (std::size_t k = 0; source(o) >= 0 && k < lanes; ++k)
          fresh[(t * std::size_t(outputs) + std::size_t(o)) * lanes + k] =
              (turns ? sign(o) : 1) *
              old[(t * std::size_t(outputs_) + std::size_t(source(o))) * lanes + k];
    return fresh;
  };
  slopes_.resize(kept_.size() * all_lanes());
  values_.resize(slopes_.size());
  slopes_ = moved(slopes_, true);
  values_ = moved(values_, false);
  if (outputs_ == 1) {  // one output for two labels becomes two, each label against the rest
    for (const AuditScalar s : {kValue, kSize, kAuditNorm, kAuditSquares})
      for (std::size_t k = 0; k < lanes; ++k) scalars_[std::size_t(s) * lanes + k] *= 2;
    for (std::size_t k = 0; k < lanes; ++k) scalars_[kTravel * lanes + k] *= 2;
    for (double& part : model) part *= 2;
    suffered *= 2;
  }
  outputs_ = outputs;
}

void Audit::start_pass() {
  const auto lanes = std::size_t(lanes_);
  for (std::size_t i = 0; i < bank_.rows(); ++i) {
    std::fill_n(bank_.doubles(i, 0), all_lanes(), 0.0);
    std::fill_n(reinterpret_cast<double*>(bank_.row(i) + bank_.layout().shared_offset() + 2),
                outputs_, 0.0);
  }
  for (const AuditScalar s : {kValue, kSize, kTravel})
    std::fill_n(scalars_.data() + std::size_t(s) * lanes, lanes, 0.0);
  kept_.clear();
  slopes_.clear();
  values_.clear();
  model = {};
  examples = weight = visits = suffered = scored = added = 0;
  moments_ = false;
  sums_ = {};
}

Audit::Row Audit::row(std::size_t i) const {
  const float* base = bank_.row(i);
  const Layout& l = bank_.layout();
  const float* shared = base + l.shared_offset();
  return {reinterpret_cast<const double*>(base), base + l.float_offset(), *shared,
          reinterpret_cast<const double*>(shared + 2)};
}

void Audit::put_row(std::size_t i, const double* sums, const float* weights, float scale,
                    const double* model) {
  std::copy_n(sums, all_lanes(), bank_.doubles(i, 0));
  std::copy_n(weights, all_lanes(), bank_.floats(i, 0));
  float* shared = bank_.row(i) + bank_.layout().shared_offset();
  shared[0] = scale;
  shared[1] = scale > 0 ? std::min(1 / scale, std::numeric_limits<float>::max()) : 0;
  std::copy_n(model, outputs_, reinterpret_cast<double*>(shared + 2));
}

void Audit::keep(Example x, double target, double importance, const double* slopes,
                 const double* values) {
  kept_.emplace_back();
  kept_.back().put(x, target, importance);
  slopes_.insert(slopes_.end(), slopes, slopes + all_lanes());
  values_.insert(values_.end(), values, values + all_lanes());
}

}  // namespace regretless
