#include "newton/newton.hpp"

#include <algorithm>

namespace regretless {

Newton::Newton(Loss loss, const NewtonOptions& options, int bits, std::uint32_t remembered,
               bool certify, Kernels kernels)
    : loss_(loss),
      certify_(certify),
      kernels_(kernels),
      features_(bits, remembered),
      newton_(loss, options, certify, kernels) {
  for (const NewtonOptions::Space& space : options.spaces) each_ += int(space.lanes.size());
  relane({-1}, {1});
}

void Newton::grow() { newton_.grow(features_.size()); }

void Newton::shrink(std::size_t rows) {
  features_.truncate(std::uint32_t(rows));
  newton_.shrink(features_.size());
}

void Newton::relane(const std::vector<int>& sources, const std::vector<int>& signs) {
  NewtonLanes::Classes classes = newton_.relaned(sources, signs, features_.size());
  std::vector<Head> heads;
  for (const int source : sources)
    heads.push_back(source < 0 ? fresh() : heads_[std::size_t(source)]);
  newton_.put(std::move(classes));
  heads_ = std::move(heads);
  grow();
}

void Newton::extend(int count) {
  reserve(lanes() + count);
  newton_.add(newton_.fresh(count, features_.size()));
  for (int c = 0; c < count; ++c) heads_.push_back(fresh());
  grow();
}

void Newton::reserve(int classes) {
  check_memory(features_.size(), classes * each_,
               std::size_t(classes) * newton_.bytes(features_.size()));
}

// --- the rounds ----------------------------------------------------------------------------------

// The score of x. With several lanes, their scores are put where the mixture expects them.
double Newton::score(int lane, const Example& x) const {
  Mixing& mixing = heads_[std::size_t(lane)].mixing;
  newton_.look(lane, x, mixing.scores());
  return each_ > 1 ? mixing.score() : *mixing.scores();
}

// Whether the example can be learned, after `score`. A tuned frame skips a step that it cannot
// take.
bool Newton::takes(int lane, double h) const {
  const Head& head = heads_[std::size_t(lane)];
  const double slope = h * head.outcome.derivative;
  bool sound =
      frames(lane).size() > 1 || frames(lane)[0].tuned() ||
      (std::fabs(h * head.outcome.value) <= kWorst && std::fabs(slope * head.said) <= kWorst);
  for (const NewtonFrame& frame : frames(lane))
    sound &= frame.tuned() || frame.fits(loss_, h, slope);
  return sound;
}

void Newton::predict(const Batch& batch) const {
  for (std::size_t t = 0; t < batch.size; ++t) {
    newton_.prefetch(batch.example(t + 1));
    const Example x = batch.example(t);
    for (int c = 0; c < lanes(); ++c)
      batch.scores[t * heads_.size() + std::size_t(c)] = score(c, x);
  }
}

double Newton::target(const Batch& batch, std::size_t t, int lane) const {
  if (batch.targets) return batch.targets[t];
  if (lanes() == 1) return 2.0 * batch.classes[t] - 1;
  return batch.classes[t] == lane ? 1.0 : -1.0;
}

void Newton::learn(const Batch& batch, std::size_t offset) {
  const std::size_t before = newton_.frames(0)[0].bank().rows();
  try {
    grow();
  } catch (const std::length_error&) {
    shrink(before);
    throw;
  }
  for (std::size_t t = 0; t < batch.size; ++t) {
    newton_.prefetch(batch.example(t + 1));
    const Example x = batch.example(t);
    const double h = batch.importance ? batch.importance[t] : 1;
    double lost = 0;
    bool sound = true;
    for (int c = 0; c < lanes(); ++c) {
      Head& head = heads_[std::size_t(c)];
      head.said = score(c, x);
      head.outcome = loss_.outcome(head.said, target(batch, t, c));
      if (batch.scores) batch.scores[t * heads_.size() + std::size_t(c)] = head.said;
      lost += head.outcome.value;
      sound &= h == 0 || takes(c, h);
    }
    for (int c = 0; c < lanes() && h > 0 && sound; ++c) {
      Head& head = heads_[std::size_t(c)];
      const double y = target(batch, t, c), slope = h * head.outcome.derivative;
      if (each_ > 1) head.mixing.learn(head.outcome.value, y, h);
      newton_.learn(c, loss_, x, y, h, slope);
      std::vector<double>& scalars = newton_.frames(c)[0].scalars();
      scalars[kLoss] += std::min(h * head.outcome.value, kWorst);
      const double linear = std::clamp(slope * head.said, -kWorst, kWorst);
      scalars[kLinear] += linear;
      scalars[kGross] += std::fabs(linear);
      scalars[kWeights] += h;
      scalars[kUpdates] += slope != 0;
    }
    if (!sound) {
      std::size_t used = before;
      for (std::size_t j = 0; j < batch.starts[t]; ++j)
        used = std::max<std::size_t>(used, batch.rows[j] + 1);
      shrink(used);
      throw Diverged(offset + t, offset == 0 && batch.size == 1, advice);
    }
    if (batch.losses) batch.losses[t] = lost;
  }
}

// --- weights, totals and state -------------------------------------------------------------------

std::vector<double> Newton::weights(const Rows& rows) const {
  const std::size_t classes = heads_.size();
  std::vector<double> out(rows.size() * classes), each(std::size_t(each_), 0.0);
  for (int c = 0; c < lanes(); ++c) {
    const std::vector<double> shares =
        each_ > 1 ? heads_[std::size_t(c)].mixing.lane_shares() : std::vector<double>{1};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      newton_.weights(c, rows[i], each.data());
      for (std::size_t k = 0; k < each.size(); ++k)
        out[i * classes + std::size_t(c)] += shares[k] * each[k];
    }
  }
  return out;
}

std::array<double, 4> Newton::gradient_norms() const {
  double l1 = 0, l2 = 0, largest = 0, count = 0;
  for (int c = 0; c < lanes(); ++c)
    for (std::size_t i = 0; i < features_.size(); ++i) {
      const double z = std::fabs(frames(c)[0].audited(i));
      l1 += z, l2 += z * z, largest = std::max(largest, z), count += z > 0;
    }
  return {l1, std::sqrt(l2), largest, count};
}

std::vector<double> Newton::numbers() {
  std::vector<double> all;
  for (int c = 0; c < lanes(); ++c)
    for (const std::vector<double>& own :
         {newton_.numbers(c), heads_[std::size_t(c)].mixing.state()})
      all.insert(all.end(), own.begin(), own.end());
  return all;
}
void Newton::restore_numbers(const double* numbers, std::size_t size) {
  const double *at = numbers, *end = numbers + size;
  for (int c = 0; c < lanes(); ++c) {
    at = newton_.restore(c, at, end, features().size());
    Mixing& mixing = heads_[std::size_t(c)].mixing;
    if (std::size_t(end - at) < mixing.size())
      throw std::invalid_argument("the mixture does not fit the lanes");
    mixing.restore(at);
    at += mixing.size();
  }
  if (at != end) throw std::invalid_argument("the sketch does not fit the learner");
}

}  // namespace regretless
