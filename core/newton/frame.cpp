#include "newton/frame.hpp"

#include "sketch/frequent_directions.hpp"
#include "sketch/full.hpp"
#include "sketch/oja.hpp"
#include "sketch/random_projection.hpp"

namespace regretless {

namespace {
std::unique_ptr<Sketch> sketch_of(const NewtonOptions& options, int lanes, Kernels kernels) {
  if (options.size == 0 && options.kind != NewtonOptions::full)
    return std::make_unique<OjaSketch>(0, kernels);
  switch (options.kind) {
    case NewtonOptions::frequent:
      return std::make_unique<FrequentDirections>(options.size);
    case NewtonOptions::random:
      return std::make_unique<RandomProjection>(options.size, options.seed);
    case NewtonOptions::full:
      return std::make_unique<FullMatrix>(lanes, kernels);
    default:
      return std::make_unique<OjaSketch>(options.size, kernels);
  }
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
      sketch_(sketch_of(options, int(space.lanes.size()), kernels)),
      width_((lanes_.size() + std::size_t(sketch_->slots()) + 5) / 4 * 4),
      kernels_(kernels),
      bank_(Layout::of(1, int(width_) + int(certify), 0)),
      scalars_(std::size_t(kCount)),
      b_(lanes(), sketch_->size()),
      matrices_(lanes_),
      applied_(lanes(), sketch_->size()) {
  for (Numbers* each : {&scores_, &excess_, &spread_, &targets_, &importance_, &travel_, &steps_})
    each->resize(std::size_t(b_.width()));
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
      width_(other.width_),
      kernels_(other.kernels_),
      bank_(other.bank_),
      scalars_(other.scalars_),
      b_(other.b_),
      matrices_(other.matrices_),
      applied_(other.applied_),
      scores_(other.scores_),
      excess_(other.excess_),
      spread_(other.spread_),
      targets_(other.targets_),
      importance_(other.importance_),
      travel_(other.travel_),
      steps_(other.steps_) {}

BankView NewtonFrame::view() const {
  return {const_cast<Bank&>(bank_).data(), bank_.rows(), bank_.layout(), -1, -1, nullptr};
}

void NewtonFrame::grow(std::size_t rows) {
  if (bank_.rows() < rows) bank_.resize(rows);
  sketch_->grow(rows);
  b_.resize(sketch_->size());
  applied_.resize(sketch_->size());
}

void NewtonFrame::shrink(std::size_t rows) {
  bank_.resize(rows);
  sketch_->shrink(rows);
  b_.resize(sketch_->size());
  applied_.resize(sketch_->size());
}

void NewtonFrame::normalise(const Example& x, const double* slope) {
  scaled_.resize(x.size);
  extent_ =
      kernels_.normalise(view(), square_at(), x, diagonal_ ? kFloor : 0, slope, scaled_.data());
}

void NewtonFrame::meet(const Example& x) {
  int fresh = 0;
  for (std::size_t j = 0; j < x.size; ++j) {
    double& most = *bank_.doubles(x.rows[j], int(square_at()) + 1);
    const double size = std::fabs(x.values[j]);
    fresh += (most == 0) & (size > 0);
    most = most > size ? most : size;
  }
  scalars_[kFeatures] += fresh;
}

void NewtonFrame::gather(const Example& x) {
  sums_.resize(width_);
  kernels_.gather(view(), width_, x, scaled_.data(), sums_.data());
  y_.assign(std::size_t(sketch_->size()), 0.0);
  std::copy_n(sums_.begin() + lanes(), sketch_->slots(), y_.begin());
  sketch_->coordinates(x, scaled_.data(), y_);
  b_.sum(y_.data(), scores_.data());
  for (std::size_t k = 0; k < lanes_.size(); ++k) scores_[k] += sums_[k];
}

// The part of |x|^2 that the first alpha is in units of. A few wide directions make |x|^2 large; they
// are for the sketch, and where they hold nearly all of it, alpha is for the rest: four times the
// energy of a direction outside of the sketch over that of all, counting the first as missed.
double NewtonFrame::typical(double missed, double others) const {
  if (sketch_->has_all() || scalar(kFeatures) <= sketch_->rank()) return 1;
  const double outside = (missed + scalar(kFirst)) / others,
               mean = (scalar(kEnergy) + scalar(kFirst)) / scalar(kFeatures);
  return outside < mean / kWide ? kWide * outside / mean : 1;
}

// Computes P y of all lanes with the present matrices.
void NewtonFrame::apply() {
  if (tuned_) {
    const double by = spans_ && scalar(kSpan) > 0 ? 1 / scalar(kSpan) : 1;
    const double missed = std::max(0.0, scalar(kEnergy) - sketch_->kept());
    const double others = std::max(1.0, scalar(kFeatures) - sketch_->rank());
    const double unit = scalar(kUnit) * typical(missed, others);
    const double least = sketch_->has_all() ? 0 : kCondition * sketch_->kept();
    for (std::size_t k = 0; k < lanes_.size(); ++k) {
      const double strength = matrices_.strength[k] = by * lanes_[k].strength;
      matrices_.alpha[k] =
          std::max(by * lanes_[k].alpha * unit + strength * missed / others, strength * least);
    }
  } else if (!sketch_->has_all()) {
    matrices_.alpha[0] = std::max(lanes_[0].alpha, kDigits * lanes_[0].strength * sketch_->kept());
  }
  sketch_->apply(matrices_, y_, applied_);
}

// A step that would leave the range of floats is not taken.
void NewtonFrame::scatter(const Example& x) {
  for (double& v : vector_)
    if (!small(v)) v = 0;
  kernels_.scatter(view(), width_, x, scaled_.data(), vector_.data());
}

void NewtonFrame::spread() {
  applied_.sum(y_.data(), spread_.data());
  const double own = own_part() * extent_.square;
  for (double& each : spread_) each = std::max(kRounding * extent_.square, own - each);
}

void NewtonFrame::look(const Example& x, double* scores) {
  normalise(x, nullptr);
  gather(x);
  bool outside = false;
  for (std::size_t k = 0; k < lanes_.size(); ++k) outside |= std::fabs(scores_[k]) > slab_;
  std::fill(excess_.begin(), excess_.end(), 0.0);
  if (outside && scalar(kUnit) > 0 && extent_.square > 0) {
    apply();
    spread();
    for (std::size_t k = 0; k < lanes_.size(); ++k) {
      const double u = scores_[k];
      if (!(std::fabs(u) > slab_) || !(spread_[k] > 0)) continue;
      scores_[k] = std::copysign(slab_, u);  // Lemma 11: the point of the slab nearest by A
      excess_[k] = (u - scores_[k]) / spread_[k];
    }
  }
  for (std::size_t k = 0; k < lanes_.size(); ++k)  // a tuned lane that has diverged says nothing
    scores[k] = !tuned_ || std::isfinite(scores_[k]) ? scores_[k] : 0;
}

// The multiple of x that the sketch is given. The squared loss has the same curvature everywhere:
// more than its gradients show once they are small. Tuned lanes use that.
double NewtonFrame::taken(const Loss& loss, double h, double slope, double eta) const {
  if (!tuned_) return std::sqrt(curvature_ + eta) * slope;
  return loss.kind == LossKind::squared ? std::sqrt(h) : slope;
}

bool NewtonFrame::fits(const Loss& loss, double h, double slope) const {
  bool sound = small(taken(loss, h, slope, eta())) && small(slope) &&
               (tuned_ || small(slope / lanes_[0].alpha));
  for (const double each : excess_) sound &= small(each);
  return sound;
}

void NewtonFrame::learn(const Loss& loss, const Example& x, double target, double h, double slope) {
  if (!fits(loss, h, slope)) return;
  const double t = scalar(kRounds) + 1, eta = this->eta();
  const double e = taken(loss, h, slope, eta);
  bool moves = false;
  for (const double each : excess_) moves |= each != 0;
  if (scalar(kUnit) == 0 && extent_.square > 0) {
    scalars_[kUnit] = extent_.square;
    apply();
    sketch_->begin(matrices_);
  }
  scalars_[kSpan] = std::max(scalar(kSpan), std::fabs(target));
  scalars_[kHeaviest] = std::max(scalar(kHeaviest), h);
  double norm = extent_.square;
  if (certify_) {
    norm = 0;  // of x itself: with diagonal adaptation the extent is that of the scaled x
    for (std::size_t j = 0; j < x.size; ++j) {
      *bank_.doubles(x.rows[j], audit_at()) += slope * x.values[j];
      norm += Loss::square(x.values[j]);
    }
  }

  vector_.assign(width_, 0.0);
  if (moves) project(x);
  const double given = scores_[0], size = tuned_ ? e : slope;
  meet(x);
  if (diagonal_ && size != 0) normalise(x, &size);
  if (moves || (diagonal_ && size != 0)) gather(x);
  if (!tuned_) scores_[0] = given;  // the step belongs to the loss that was suffered

  const double energy = e * e * extent_.square;
  if (energy > std::max(kNothing * scalar(kEnergy), kSmallest)) {
    delta_.assign(std::size_t(sketch_->size()), 0.0);
    const bool due = sketch_->add(e, extent_.square, int(scalar(kFeatures)), y_, delta_);
    sketch_->remember(x, scaled_.data(), e);
    if (scalar(kEnergy) == 0) scalars_[kFirst] = energy;
    scalars_[kEnergy] += energy;
    for (int i = 0; i < sketch_->slots(); ++i)
      vector_[lanes_.size() + std::size_t(i)] = e * delta_[std::size_t(i)];
    if (sketch_->slots() > 0) {
      b_.sum(delta_.data(), steps_.data());
      for (std::size_t k = 0; k < lanes_.size(); ++k) vector_[k] -= e * steps_[k];
    }
    if (due) {
      const Numbers scores = scores_;
      scatter(x);
      sketch_->compress({&bank_, lanes()}, b_);
      gather(x);
      scores_ = scores;
      vector_.assign(width_, 0.0);
    }
  }
  if (extent_.square > 0) step(loss, target, h);
  scatter(x);
  scalars_[kReach] = std::max(scalar(kReach), std::fabs(given));
  scalars_[kSteep] = std::max(scalar(kSteep), std::fabs(slope));
  scalars_[kEtas] += eta;
  scalars_[kLastEta] = eta;
  scalars_[kSquares] += slope * slope * norm;
  scalars_[kRounds] = t;
}

// Sets the weights to those that were played.
void NewtonFrame::project(const Example& x) {
  for (std::size_t k = 0; k < lanes_.size(); ++k) vector_[k] = -own_part() * excess_[k];
  b_.add(excess_.data(), applied_);
  scatter(x);
  std::fill(vector_.begin(), vector_.end(), 0.0);
}

// u <- w - A^-1 g, or as far in that direction as the gradient flow goes.
void NewtonFrame::step(const Loss& loss, double target, double h) {
  apply();
  spread();
  for (std::size_t k = 0; k < lanes_.size(); ++k) travel_[k] = spread_[k] / matrices_.alpha[k];
  if (tuned_) {
    std::fill(targets_.begin(), targets_.end(), target);
    std::fill(importance_.begin(), importance_.end(), h);
    kernels_.invariant_steps(loss, scores_.data(), targets_.data(), importance_.data(),
                             travel_.data(), lanes(), steps_.data());
  } else {
    steps_[0] = h * loss.derivative(scores_[0], target);
    scalars_[kGain] += steps_[0] * steps_[0] * travel_[0];
  }
  for (std::size_t k = 0; k < lanes_.size(); ++k) {
    steps_[k] /= matrices_.alpha[k];
    if (!small(steps_[k])) steps_[k] = 0;
    vector_[k] -= own_part() * steps_[k];
  }
  std::fill(steps_.begin() + lanes(), steps_.end(), 0.0);
  b_.add(steps_.data(), applied_);
}

void NewtonFrame::turn() {
  for (std::size_t i = 0; i < bank_.rows(); ++i)
    for (int k = 0; k < lanes(); ++k) bank_.doubles(i, 0)[k] *= -1;
  const Numbers minus(std::size_t(b_.width()), -2.0);
  b_.add(minus.data(), ByLane(b_));
  for (std::size_t i = 0; certify_ && i < bank_.rows(); ++i) *bank_.doubles(i, audit_at()) *= -1;
}

void NewtonFrame::weights(std::size_t row, double* out) const {
  const double* at = const_cast<Bank&>(bank_).doubles(row, 0);
  double scale = 1;
  if (diagonal_) {
    const double square = at[square_at()], most = at[square_at() + 1];
    scale = most > 0 ? 1 / std::sqrt(kFloor * most * most + std::max(0.0, square)) : 0;
  }
  for (std::size_t k = 0; k < lanes_.size(); ++k) {
    double w = at[k];
    if (sketch_->slots() == 0) {
      w += int(row) < b_.rows() ? b_.row(int(row))[k] : 0;
    } else {
      for (int i = 0; i < sketch_->slots(); ++i) w += b_.row(i)[k] * at[lanes() + i];
    }
    out[k] = w * scale;
  }
}

double NewtonFrame::audited(std::size_t row) const {
  return *const_cast<Bank&>(bank_).doubles(row, audit_at());
}

// [size of b, b of each lane, size of the sketch's state, the state]
std::vector<double> NewtonFrame::numbers() {
  std::vector<double> all{double(sketch_->size())};
  for (int k = 0; k < lanes(); ++k) {
    const Numbers each = b_.lane(k);
    all.insert(all.end(), each.begin(), each.end());
  }
  const Numbers own = sketch_->state();
  all.push_back(double(own.size()));
  all.insert(all.end(), own.begin(), own.end());
  return all;
}
const double* NewtonFrame::restore(const double* at, const double* end, std::size_t rows) {
  const auto room = [&](const char* name) {
    require(at != end, "the sketch ends too early");
    double wanted = *at++;
    Field::count(name, wanted, double(end - at)).check();
    return std::size_t(wanted);
  };
  const std::size_t size = room("size of the sketch");
  require(size * std::size_t(lanes()) <= std::size_t(end - at), "the sketch ends too early");
  b_.resize(int(size));
  applied_.resize(int(size));
  for (int k = 0; k < lanes(); ++k, at += size) {
    Numbers b(at, at + size);
    Field::number("b of the sketch", b, -1e150, 1e150).check();
    b_.put_lane(k, at);
  }
  const std::size_t own = room("length of the sketch");
  sketch_->restore(at, own);
  require(std::size_t(sketch_->size()) == size && sketch_->rows() <= rows,
          "the sketch does not fit the learner");
  return at + own;
}

}  // namespace regretless
