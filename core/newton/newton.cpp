#include "newton/newton.hpp"

#include <algorithm>

namespace regretless {

Newton::Newton(Loss loss, const NewtonOptions& options, int bits, std::uint32_t remembered,
               bool certify, Kernels kernels)
    : loss_(loss),
      options_(options),
      certify_(certify),
      kernels_(kernels),
      features_(bits, remembered) {
  options_.spans = !loss.classification() && loss.kind != LossKind::squared;
  heads_.push_back(fresh());
  grow();
}

Newton::Head Newton::fresh() const {
  std::vector<NewtonFrame> frames;
  int lanes = 0;
  for (const NewtonOptions::Space& space : options_.spaces) {
    frames.emplace_back(options_, space, certify_, kernels_);
    lanes += int(space.lanes.size());
  }
  return {std::move(frames), Mixing(loss_, lanes, 0, kernels_)};
}

void Newton::grow() {
  for (Head& head : heads_)
    for (NewtonFrame& frame : head.frames) frame.grow(features_.size());
}

void Newton::shrink(std::size_t rows) {
  features_.truncate(std::uint32_t(rows));
  for (Head& head : heads_)
    for (NewtonFrame& frame : head.frames) frame.shrink(features_.size());
}

void Newton::relane(const std::vector<int>& sources, const std::vector<int>& signs) {
  std::deque<Head> heads;
  for (std::size_t c = 0; c < sources.size(); ++c) {
    heads.push_back(sources[c] < 0 ? fresh() : heads_[std::size_t(sources[c])]);
    if (signs[c] < 0)
      for (NewtonFrame& frame : heads.back().frames) frame.turn();
  }
  heads_ = std::move(heads);
  grow();
}

void Newton::extend(int count) {
  reserve(lanes() + count);
  for (int c = 0; c < count; ++c) heads_.push_back(fresh());
  grow();
}

void Newton::reserve(int classes) {
  std::size_t bytes = 0;
  int models = 0;
  for (NewtonFrame& frame : heads_[0].frames) {
    bytes += frame.bank().bytes(features_.size());
    models += frame.lanes();
  }
  check_memory(features_.size(), classes * models, std::size_t(classes) * bytes);
}

// --- the rounds ----------------------------------------------------------------------------------

void Newton::prefetch(const Batch& batch, std::size_t t) const {
  const Example x = batch.example(t);
  for (const Head& head : heads_)
    for (const NewtonFrame& frame : head.frames) frame.prefetch(x);
}

double Newton::Head::score(const Example& x) {
  double* scores = mixing.scores();
  for (NewtonFrame& frame : frames) {
    frame.look(x, scores);
    scores += frame.lanes();
  }
  if (!mixes()) return *mixing.scores();
  for (double* s = mixing.scores(); s != scores; ++s)
    if (!std::isfinite(*s)) *s = 0;  // the lane has diverged
  return mixing.score();
}

// Whether the example can be learned, after `score`. A tuned frame skips a step that it cannot
// take.
bool Newton::Head::takes(const Loss& loss, double h) {
  const double slope = h * outcome.derivative;
  bool sound = frames.size() > 1 || frames[0].tuned() ||
               (std::fabs(h * outcome.value) <= kWorst && std::fabs(slope * said) <= kWorst);
  for (NewtonFrame& frame : frames) sound &= frame.tuned() || frame.fits(loss, h, slope);
  return sound;
}

void Newton::predict(const Batch& batch) const {
  for (std::size_t t = 0; t < batch.size; ++t) {
    prefetch(batch, t + 1);
    const Example x = batch.example(t);
    for (std::size_t c = 0; c < heads_.size(); ++c)
      batch.scores[t * heads_.size() + c] = heads_[c].score(x);
  }
}

double Newton::target(const Batch& batch, std::size_t t, int lane) const {
  if (batch.targets) return batch.targets[t];
  if (lanes() == 1) return 2.0 * batch.classes[t] - 1;
  return batch.classes[t] == lane ? 1.0 : -1.0;
}

void Newton::learn(const Batch& batch, std::size_t offset) {
  const std::size_t before = heads_[0].frames[0].bank().rows();
  try {
    grow();
  } catch (const std::length_error&) {
    shrink(before);
    throw;
  }
  for (std::size_t t = 0; t < batch.size; ++t) {
    prefetch(batch, t + 1);
    const Example x = batch.example(t);
    const double h = batch.importance ? batch.importance[t] : 1;
    double lost = 0;
    bool sound = true;
    for (int c = 0; c < lanes(); ++c) {
      Head& head = heads_[std::size_t(c)];
      head.said = head.score(x);
      head.outcome = loss_.outcome(head.said, target(batch, t, c));
      if (batch.scores) batch.scores[t * heads_.size() + std::size_t(c)] = head.said;
      lost += head.outcome.value;
      sound &= h == 0 || head.takes(loss_, h);
    }
    for (int c = 0; c < lanes() && h > 0 && sound; ++c) {
      Head& head = heads_[std::size_t(c)];
      const double y = target(batch, t, c), slope = h * head.outcome.derivative;
      if (head.mixes()) head.mixing.learn(head.outcome.value, y, h);
      for (NewtonFrame& frame : head.frames) frame.learn(loss_, x, y, h, slope);
      std::vector<double>& scalars = head.frames[0].scalars();
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
  std::vector<double> out(rows.size() * classes), each;
  for (std::size_t c = 0; c < classes; ++c) {
    Head& head = heads_[c];
    const std::vector<double> shares =
        head.mixes() ? head.mixing.lane_shares() : std::vector<double>{1};
    std::size_t first = 0;
    for (const NewtonFrame& frame : head.frames) {
      each.resize(std::size_t(frame.lanes()));
      for (std::size_t i = 0; i < rows.size(); ++i) {
        frame.weights(rows[i], each.data());
        for (std::size_t k = 0; k < each.size(); ++k)
          out[i * classes + c] += shares[first + k] * each[k];
      }
      first += each.size();
    }
  }
  return out;
}

std::array<double, 4> Newton::gradient_norms() const {
  double l1 = 0, l2 = 0, largest = 0, count = 0;
  for (const Head& head : heads_)
    for (std::size_t i = 0; i < features_.size(); ++i) {
      const double z = std::fabs(head.frames[0].audited(i));
      l1 += z, l2 += z * z, largest = std::max(largest, z), count += z > 0;
    }
  return {l1, std::sqrt(l2), largest, count};
}

std::vector<Model::Part> Newton::parts() {
  std::vector<Part> all;
  for (Head& head : heads_)
    for (NewtonFrame& frame : head.frames)
      all.push_back({&frame.bank(), &frame.scalars(), nullptr, frame.bounded(), frame.bound()});
  return all;
}

std::vector<double> Newton::numbers() {
  std::vector<double> all;
  for (Head& head : heads_) {
    for (NewtonFrame& frame : head.frames) {
      const std::vector<double> own = frame.numbers();
      all.insert(all.end(), own.begin(), own.end());
    }
    const std::vector<double> mixed = head.mixing.state();
    all.insert(all.end(), mixed.begin(), mixed.end());
  }
  return all;
}
void Newton::restore_numbers(const double* numbers, std::size_t size) {
  const double *at = numbers, *end = numbers + size;
  for (Head& head : heads_) {
    for (NewtonFrame& frame : head.frames) at = frame.restore(at, end, features().size());
    if (std::size_t(end - at) < head.mixing.size())
      throw std::invalid_argument("the mixture does not fit the lanes");
    head.mixing.restore(at);
    at += head.mixing.size();
  }
  if (at != end) throw std::invalid_argument("the sketch does not fit the learner");
}

}  // namespace regretless
