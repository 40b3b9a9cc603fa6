// One space in which sketched Newton steps are taken (Luo (2016), Algorithm 11), with one sketch
// for all lanes:
//
//   w_k  = the point of |<w, x>| <= slab nearest to u_k, by A_k
//   u_k <- w_k - A_k^-1 g_k,    A_k = alpha_k I + strength_k S^T S
//
// The space is that of the features, or of x_i / sqrt(0.1 max x_i^2 + sum g_i^2) (diagonal
// adaptation, Luo (2016), section 4.6.2), which does not depend on the scale of a feature. A row of
// the bank holds everything about a feature: the lanes' weights, the sketch's numbers, sum g_i^2
// and max |x_i|.
//
// When weights are updated the sum includes the present gradient, as in Vowpal Wabbit; when they
// predict it does not. As printed, without it, the first steps would be far too long.
//
// Tuned lanes are not in the text. Their alpha starts in units of the first |x|^2, of less if a few
// directions hold most of it, and grows by what the sketch has missed, per feature. Their steps follow the gradient flow, so none passes the
// minimum.
#pragma once
#include <cstdint>

#include "kernels.hpp"
#include "sketch/sketch.hpp"

namespace regretless {

struct NewtonOptions {
  enum Kind { oja, frequent, random, full };
  struct Space {
    bool diagonal;
    std::vector<Matrix> lanes;
  };
  Kind kind = oja;
  int size = 10;
  std::uint64_t seed = 0;
  bool tuned = true;
  double slab = 0, curvature = 0;  // C and sigma; an infinite slab is no slab
  bool has_rate = false;
  Rate rate{};  // eta_t
  std::vector<Space> spaces;
  bool spans = false;  // tuned steps are in units of max |y|; else the loss sets the scale
};

class NewtonFrame {
 public:
  enum Scalar {        // after those of all learners
    kUnit = kScalars,  // |x|^2 of the first example
    kFeatures,         // number of features seen
    kEnergy,           // sum of |g|^2 of the gradients given to the sketch
    kFirst,            // |g|^2 of the first of them
    kReach,            // max |<w, x>|
    kSteep,            // max |l'|
    kEtas,             // sum of eta_t
    kLastEta,
    kGain,      // sum of <g, A^-1 g> of the first lane
    kSpan,      // max |y|
    kHeaviest,  // max h
    kCount
  };

  NewtonFrame(const NewtonOptions& options, const NewtonOptions::Space& space, bool certify,
              Kernels kernels);
  NewtonFrame(const NewtonFrame& other);
  NewtonFrame(NewtonFrame&& other) = default;
  NewtonFrame& operator=(const NewtonFrame&) = delete;

  int lanes() const { return int(lanes_.size()); }
  Bank& bank() { return bank_; }
  const Sketch& sketch() const { return *sketch_; }
  std::vector<double>& scalars() { return scalars_; }
  // The first so many doubles of a row have bounded changes, and the bound of them themselves.
  std::size_t bounded() const { return square_at(); }
  double bound() const { return 1e20 * (largest() / 1e18); }
  double scalar(int s) const { return scalars_[std::size_t(s)]; }
  void grow(std::size_t rows);
  void shrink(std::size_t rows);  // to the rows that have been learned
  void prefetch(const Example& x) const { kernels_.prefetch(view(), x); }

  // The scores of the lanes for x, whose rows differ. Keeps what `learn` needs.
  void look(const Example& x, double* scores);
  bool tuned() const { return tuned_; }
  // Learns the example that was scored last, unless a step would leave the range of floats. slope:
  // h l' at the score that was reported for it.
  bool fits(const Loss& loss, double h, double slope) const;
  void learn(const Loss& loss, const Example& x, double target, double h, double slope);
  void turn();  // the labels are exchanged

  // The weights of the lanes for a feature, in the units of the feature.
  void weights(std::size_t row, double* out) const;
  double audited(std::size_t row) const;

  std::vector<double> numbers();
  // rows: the number of rows of features.
  const double* restore(const double* at, const double* end, std::size_t rows);

 private:
  static constexpr double kFloor = 0.1;  // of D, in units of max x_i^2
  // The largest change of a weight or of the sketch. In a slab weights may be as large as they like.
  double largest() const { return slab_ < HUGE_VAL ? 1e60 : 1e18; }
  // The least alpha, in units of the sketch. A step is the difference of the terms of x and of the
  // sketch, over alpha: with less of it, 13 of the 16 digits of a double would be lost. Tuned lanes
  // begin with more.
  static constexpr double kDigits = 1e-13, kCondition = 1e-4;
  static constexpr double kWide = 4;
  // Gradients below this part of all that the sketch was given are left out: they are rounding
  // errors of right predictions, and the sketch would make directions of them.
  static constexpr double kNothing = 1e-24, kSmallest = 1e-290;
  static constexpr double kRounding = 1e-15;  // the least spread, in units of |x|^2
  BankView view() const;
  // The places of sum g^2 and max |x|, and of the sum of gradients, in a row.
  std::size_t square_at() const { return width_ - 2; }
  int audit_at() const { return int(width_); }
  void normalise(const Example& x, const double* slope);
  void meet(const Example& x);  // max |x_i|, and how many features there are
  void gather(const Example& x);
  void scatter(const Example& x);
  void project(const Example& x);
  double eta() const { return has_rate_ ? rate_(scalar(kRounds) + 1) : 0; }
  double taken(const Loss& loss, double h, double slope, double eta) const;
  void step(const Loss& loss, double target, double h);
  double typical(double missed, double others) const;
  void apply();
  void spread();                                                  // alpha <x, A^-1 x> of all lanes
  double own_part() const { return sketch_->has_all() ? 0 : 1; }  // of x in a step, beside Y^T P y
  bool small(double factor) const { return std::fabs(factor) * extent_.largest < largest(); }

  bool tuned_, spans_, diagonal_, certify_, has_rate_;
  double slab_, curvature_;
  Rate rate_;
  std::vector<Matrix> lanes_;
  std::unique_ptr<Sketch> sketch_;
  std::size_t width_;  // of a row: the lanes' weights, the sketch's numbers, sum g^2 and max |x|
  Kernels kernels_;
  Bank bank_;
  std::vector<double> scalars_;
  ByLane b_;

  // of the example that was scored last
  Extent extent_;
  Matrices matrices_;
  ByLane applied_;
  Numbers scaled_, sums_, y_, delta_, vector_;
  Numbers scores_, excess_, spread_, targets_, importance_, travel_, steps_;  // of the lanes
};

}  // namespace regretless
