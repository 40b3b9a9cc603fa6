#include "newton/frame.hpp"

#include "sketch/frequent_directions.hpp"
#include "sketch/full.hpp"
#include "sketch/oja.hpp"
#include "sketch/random_projection.hpp"

namespace regretless {

namespace {
std::unique_ptr<Sketch> sketch_of(const NewtonOptions& options, int lanes) {
  if (options.size == 0 && options.kind != NewtonOptions::full)
    return std::make_unique<OjaSketch>(0);
  switch (options.kind) {
    case NewtonOptions::frequent:
      return std::make_unique<FrequentDirections>(options.size);
    case NewtonOptions::random:
      return std::make_unique<RandomProjection>(options.size, options.seed);
    case NewtonOptions::full:
      return std::make_unique<FullMatrix>(lanes);
    default:
      return std::make_unique<OjaSketch>(options.size);
  }
}
double dot(const Numbers& a, const Numbers& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
}  // namespace

NewtonFrame::NewtonFrame(const NewtonOptions& options, const NewtonOptions::Space& space,
                         bool certify, Kernels kernels)
    : tuned_(options.tuned),
      spans_(options.spans),
      diagonal_(space.diagonal),
      certify_(certify),
      has_rate_(options.has_rate),
      slab_(options.slab),
      curvature_(options.curvature),
      rate_(options.rate),
      lanes_(space.lanes),
      sketch_(sketch_of(options, int(space.lanes.size()))),
      kernels_(kernels),
      bank_(Layout::of(1, int(certify), int(width()))),
      scalars_(std::size_t(kCount)),
      b_(lanes_.size(), Numbers(std::size_t(sketch_->size()))) {
  make_room();
}

NewtonFrame::NewtonFrame(const NewtonFrame& other)
    : tuned_(other.tuned_),
      spans_(other.spans_),
      diagonal_(other.diagonal_),
      certify_(other.certify_),
      has_rate_(other.has_rate_),
      slab_(other.slab_),
      curvature_(other.curvature_),
      rate_(other.rate_),
      lanes_(other.lanes_),
      sketch_(other.sketch_->clone()),
      kernels_(other.kernels_),
      bank_(other.bank_),
      scalars_(other.scalars_),
      b_(other.b_) {
  make_room();
}

void NewtonFrame::make_room() {
  applied_.resize(lanes_.size());
  for (Numbers* each : {&scores_, &excess_, &targets_, &travel_, &steps_})
    each->resize((lanes_.size() + 3) / 4 * 4);
}

BankView NewtonFrame::view() const {
  return {const_cast<Bank&>(bank_).data(), bank_.rows(), bank_.layout(), -1, -1, nullptr};
}

void NewtonFrame::grow(std::size_t rows) {
  if (bank_.rows() < rows) bank_.resize(rows);
  sketch_->grow(rows);
  for (Numbers& each : b_) each.resize(std::size_t(sketch_->size()));
}

void NewtonFrame::normalise(const Example& x) {
  scaled_.resize(x.size);
  if (diagonal_) {
    kernels_.normalise(view(), first() + square_at(), x, kFloor, scaled_.data());
  } else {
    std::copy_n(x.values, x.size, scaled_.begin());
  }
  xx_ = dot(scaled_, scaled_);
}

void NewtonFrame::gather(const Example& x) {
  sums_.resize(width());
  kernels_.gather(view(), first(), width(), x, scaled_.data(), sums_.data());
  y_.assign(sums_.begin() + lanes(), sums_.begin() + lanes() + sketch_->slots());
  sketch_->coordinates(x, scaled_.data(), y_);
}

// P y of all lanes, with the matrices as they are now.
void NewtonFrame::apply() {
  matrices_ = lanes_;
  if (tuned_) {
    const double missed = std::max(0.0, scalar(kEnergy) - sketch_->kept());
    const double others = std::max(1.0, scalar(kFeatures) - sketch_->rank());
    const double least = kCondition * sketch_->kept();
    const double by = spans_ && scalar(kSpan) > 0 ? 1 / scalar(kSpan) : 1;
    for (Matrix& each : matrices_) {
      each.strength *= by;
      each.alpha = std::max(by * each.alpha * scalar(kUnit) + each.strength * missed / others,
                            each.strength * least);
    }
  }
  for (Numbers& each : applied_) each.resize(y_.size());
  sketch_->apply(matrices_, y_, applied_);
}

// What would leave the range of floats stays where it is.
void NewtonFrame::scatter(const Example& x, double largest) {
  for (double& v : vector_)
    if (!(std::fabs(v) * largest < kLargest)) v = 0;
  kernels_.scatter(view(), first(), width(), x, scaled_.data(), vector_.data());
}

double NewtonFrame::spread(std::size_t k) const {
  return std::max(kRounding * xx_, xx_ - dot(y_, applied_[k]));
}

void NewtonFrame::look(const Example& x, double* scores) {
  normalise(x);
  gather(x);
  bool outside = false;
  for (std::size_t k = 0; k < lanes_.size(); ++k) {
    scores_[k] = sums_[k] + dot(b_[k], y_);
    excess_[k] = 0;
    outside |= std::fabs(scores_[k]) > slab_;
  }
  if (outside && scalar(kUnit) > 0 && xx_ > 0) {
    apply();
    for (std::size_t k = 0; k < lanes_.size(); ++k) {
      const double u = scores_[k], q = spread(k);
      if (!(std::fabs(u) > slab_) || !(q > 0)) continue;
      scores_[k] = std::copysign(slab_, u);  // Lemma 11: the point of the slab nearest by A
      excess_[k] = (u - scores_[k]) / q;
    }
  }
  std::copy_n(scores_.begin(), lanes_.size(), scores);
}

// What of x the sketch is given. The squared loss bends equally everywhere, by more than its
// gradients tell once they are small, and tuned lanes make use of that.
double NewtonFrame::taken(const Loss& loss, double h, double slope, double eta) const {
  if (!tuned_) return std::sqrt(curvature_ + eta) * slope;
  return loss.kind == LossKind::squared ? std::sqrt(h) : slope;
}

bool NewtonFrame::learn(const Loss& loss, const Example& x, double target, double h, double slope) {
  double largest = 0;
  for (const double v : scaled_) largest = std::max(largest, std::fabs(v));
  const double t = scalar(kRounds) + 1, eta = has_rate_ ? rate_(t) : 0;
  const double e = taken(loss, h, slope, eta);
  if (!(std::fabs(e) * largest < kLargest)) return tuned_;
  if (!tuned_ && !(std::fabs(slope) / lanes_[0].alpha * largest < kLargest)) return false;
  for (std::size_t k = 0; k < lanes_.size(); ++k)
    if (!(std::fabs(excess_[k]) * largest < kLargest)) return tuned_;

  if (scalar(kUnit) == 0 && xx_ > 0) {
    scalars_[kUnit] = xx_;
    apply();
    sketch_->begin(matrices_);
  }
  scalars_[kSpan] = std::max(scalar(kSpan), std::fabs(target));
  const double size = tuned_ ? e : slope;
  for (std::size_t j = 0; j < x.size; ++j) {
    float* row = bank_.data() + x.rows[j] * bank_.layout().stride + first() + square_at();
    scalars_[kFeatures] += row[1] == 0 && x.values[j] != 0;
    row[0] += float(size * x.values[j] * (size * x.values[j]));
    row[1] = std::max(row[1], std::fabs(x.values[j]));
    if (certify_) *bank_.doubles(x.rows[j], 0) += slope * x.values[j];
  }

  vector_.assign(width(), 0.0);
  for (std::size_t k = 0; k < lanes_.size(); ++k) {
    if (excess_[k] == 0) continue;
    vector_[k] = -excess_[k];
    for (std::size_t i = 0; i < y_.size(); ++i) b_[k][i] += excess_[k] * applied_[k][i];
  }
  if (e * e * xx_ > std::max(kNothing * scalar(kEnergy), kSmallest)) {
    delta_.assign(std::size_t(sketch_->slots()), 0.0);
    const bool due = sketch_->add(e, xx_, int(scalar(kFeatures)), y_, delta_);
    sketch_->remember(x, scaled_.data(), e);
    scalars_[kEnergy] += e * e * xx_;
    for (std::size_t i = 0; i < delta_.size(); ++i) vector_[lanes_.size() + i] = e * delta_[i];
    for (std::size_t k = 0; k < lanes_.size() && !delta_.empty(); ++k)
      vector_[k] -= e * dot(delta_, b_[k]);
    if (due) {
      scatter(x, largest);
      sketch_->compress({&bank_, lanes()}, b_);
      gather(x);
      vector_.assign(width(), 0.0);
    }
  }
  if (xx_ > 0) step(loss, target, h, largest);
  scatter(x, largest);
  scalars_[kReach] = std::max(scalar(kReach), std::fabs(scores_[0]));
  scalars_[kSteep] = std::max(scalar(kSteep), std::fabs(slope));
  scalars_[kEtas] += eta;
  scalars_[kLastEta] = eta;
  scalars_[kSquares] += slope * slope * xx_;
  scalars_[kRounds] = t;
  return true;
}

// u <- w - A^-1 g, or as far along it as the gradient flow goes.
void NewtonFrame::step(const Loss& loss, double target, double h, double largest) {
  apply();
  for (std::size_t k = 0; k < lanes_.size(); ++k) travel_[k] = spread(k) / matrices_[k].alpha;
  if (tuned_) {
    std::fill(targets_.begin(), targets_.end(), target);
    kernels_.flow(loss, scores_.data(), targets_.data(), h, travel_.data(), lanes(), steps_.data());
  } else {
    steps_[0] = h * loss.derivative(scores_[0], target);
    scalars_[kGain] += steps_[0] * steps_[0] * travel_[0];
  }
  for (std::size_t k = 0; k < lanes_.size(); ++k) {
    const double move = steps_[k] / matrices_[k].alpha;
    if (!(std::fabs(move) * largest < kLargest)) continue;
    vector_[k] -= move;
    for (std::size_t i = 0; i < y_.size(); ++i) b_[k][i] += move * applied_[k][i];
  }
}

void NewtonFrame::turn() {
  for (std::size_t i = 0; i < bank_.rows(); ++i)
    for (int k = 0; k < lanes(); ++k) bank_.floats(i, 0)[k] *= -1;
  for (Numbers& each : b_)
    for (double& v : each) v = -v;
  for (std::size_t i = 0; certify_ && i < bank_.rows(); ++i) *bank_.doubles(i, 0) *= -1;
}

void NewtonFrame::weights(std::size_t row, double* out) const {
  const float* at = bank_.row(row) + first();
  double scale = 1;
  if (diagonal_) {
    const double most = at[square_at() + 1];
    scale = most > 0 ? 1 / std::sqrt(kFloor * most * most + double(at[square_at()])) : 0;
  }
  for (std::size_t k = 0; k < lanes_.size(); ++k) {
    double w = at[k];
    if (sketch_->slots() == 0) {
      w += row < b_[k].size() ? b_[k][row] : 0;
    } else {
      for (std::size_t i = 0; i < b_[k].size(); ++i) w += b_[k][i] * double(at[lanes_.size() + i]);
    }
    out[k] = w * scale;
  }
}

double NewtonFrame::audited(std::size_t row) const {
  return *const_cast<Bank&>(bank_).doubles(row, 0);
}

// [size of b, b of each lane, size of the sketch's state, that]
std::vector<double> NewtonFrame::numbers() {
  std::vector<double> all{double(sketch_->size())};
  for (const Numbers& each : b_) all.insert(all.end(), each.begin(), each.end());
  const Numbers own = sketch_->state();
  all.push_back(double(own.size()));
  all.insert(all.end(), own.begin(), own.end());
  return all;
}
const double* NewtonFrame::restore(const double* at, const double* end) {
  const auto room = [&](double wanted) {
    if (!(wanted >= 0 && wanted <= double(end - at)))
      throw std::invalid_argument("the sketch does not fit the learner");
    return std::size_t(wanted);
  };
  room(1);
  const double size = *at++;
  for (Numbers& each : b_) {
    each.assign(at, at + room(size));
    at += each.size();
  }
  room(1);
  const std::size_t own = room(*at++);
  sketch_->restore(at, own);
  if (double(sketch_->size()) != size)
    throw std::invalid_argument("the sketch does not fit the learner");
  return at + own;
}

}  // namespace regretless
