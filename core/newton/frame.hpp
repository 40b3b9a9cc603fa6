// One space in which sketched Newton steps are taken (Luo (2016), Algorithm 11), with one sketch
// for all lanes:
//
//   w_k  = the point of |<w, x>| <= slab nearest to u_k, by A_k
//   u_k <- w_k - A_k^-1 g_k,    A_k = alpha_k I + strength_k S^T S
//
// The space is that of the features, or of x_i / sqrt(0.1 max x_i^2 + sum g_i^2) (diagonal
// adaptation, Luo (2016), section 4.6.2), which no feature's scale changes. A row of the bank holds
// all that belongs to a feature: the lanes' weights, the sketch's numbers, sum g_i^2 and max |x_i|.
//
// The gradient at hand is among those of the sum when the weights are changed, not yet when they
// are asked, as in Vowpal Wabbit: as printed, without it, first steps would be far too long.
//
// Tuned lanes are not the text's. Their alpha grows by what the sketch has missed, per feature, and
// begins in units of the first |x|^2; their steps follow the gradient flow, so that none passes the
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
  double slab = 0, curvature = 0;  // C and sigma; slab is infinite for none
  bool has_rate = false;
  Rate rate{};  // eta_t
  std::vector<Space> spaces;
  bool spans = false;  // tuned steps are in units of max |y|, or else the loss sees to it
};

class NewtonFrame {
 public:
  enum Scalar {        // after those of all learners
    kUnit = kScalars,  // |x|^2 of the first example
    kFeatures,         // that have been seen
    kEnergy,           // of the gradients that the sketch was given
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
  NewtonFrame& operator=(const NewtonFrame&) = delete;

  int lanes() const { return int(lanes_.size()); }
  Bank& bank() { return bank_; }
  const Sketch& sketch() const { return *sketch_; }
  std::vector<double>& scalars() { return scalars_; }
  std::size_t bounded() const { return square_at(); }  // floats of a row whose changes are
  double scalar(int s) const { return scalars_[std::size_t(s)]; }
  void grow(std::size_t rows);
  void shrink(std::size_t rows);  // to those that have been learned
  void prefetch(const Example& x) const { kernels_.prefetch(view(), x); }

  // The lanes' scores of x, whose rows differ. What learn needs is kept.
  void look(const Example& x, double* scores);
  bool tuned() const { return tuned_; }
  // Learns the example looked at last, if no step would leave the range of floats; slope: h l' of
  // the score that was given for it.
  bool fits(const Loss& loss, double h, double slope) const;
  void learn(const Loss& loss, const Example& x, double target, double h, double slope);
  void turn();  // the labels are exchanged

  // The lanes' weights of a feature, in its own units.
  void weights(std::size_t row, double* out) const;
  double audited(std::size_t row) const;

  std::vector<double> numbers();
  // The features have so many rows.
  const double* restore(const double* at, const double* end, std::size_t rows);

 private:
  static constexpr double kFloor = 0.1;  // of D, in units of max x_i^2
  // Change of a weight, or of the sketch: the products of two of them are still floats.
  static constexpr double kLargest = 1e18;
  // The least alpha of tuned lanes, in units of the sketch: a step is the difference of what x and
  // the sketch make of it, and rows are floats.
  static constexpr double kCondition = 1e-4;
  // What the sketch does not look at, of all that it was given: rounding, as in predictions that
  // are right, of which it would make directions.
  static constexpr double kNothing = 1e-24, kSmallest = 1e-290;
  static constexpr double kRounding = 1e-7;  // the least of it that there can be
  BankView view() const;
  std::size_t first() const { return bank_.layout().float_offset(); }
  // Where sum g^2 and max |x| of a row are.
  std::size_t square_at() const { return width_ - 2; }
  void normalise(const Example& x, const double* slope);
  void meet(const Example& x);  // max |x_i|, and how many features there are
  void gather(const Example& x);
  void scatter(const Example& x);
  void project(const Example& x);
  double eta() const { return has_rate_ ? rate_(scalar(kRounds) + 1) : 0; }
  double taken(const Loss& loss, double h, double slope, double eta) const;
  void step(const Loss& loss, double target, double h);
  void apply();
  void spread();  // alpha <x, A^-1 x> of all lanes
  bool small(double factor) const { return std::fabs(factor) * extent_.largest < kLargest; }

  bool tuned_, spans_, diagonal_, certify_, has_rate_;
  double slab_, curvature_;
  Rate rate_;
  std::vector<Matrix> lanes_;
  std::unique_ptr<Sketch> sketch_;
  std::size_t width_;  // of a row: the lanes' weights, the sketch's numbers, those two
  Kernels kernels_;
  Bank bank_;
  std::vector<double> scalars_;
  ByLane b_;

  // of the example looked at
  Extent extent_;
  Matrices matrices_;
  ByLane applied_;
  Numbers scaled_, sums_, y_, delta_, vector_;
  Numbers scores_, excess_, spread_, targets_, importance_, travel_, steps_;  // of the lanes
};

}  // namespace regretless
