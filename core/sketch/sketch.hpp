// A sketch of the gradients: S with S^T S near the sum of their outer products, so that
//
//   A = alpha I + strength S^T S,      A^-1 = (I - Y^T P Y) / alpha
//
// can be applied at the cost of the non-zeros of an example (Luo (2016), sections 4.4 and 4.5). Y
// lies in the rows of the bank, so many numbers in each; P is small and is the sketch's own.
// Weights are kept as w + Y^T b, so that what a sketch does to all rows at once it does to b alone.
#pragma once
#include <memory>

#include "bank.hpp"
#include "sketch/matrices.hpp"
#include "state.hpp"

namespace regretless {

// The rows of a bank, as a sketch sees them: the weights of the lanes, then its own numbers.
struct SketchRows {
  Bank* bank;
  int lanes;
  std::size_t size() const { return bank->rows(); }
  float* weights(std::size_t i) const { return bank->floats(i, 0); }
  float* numbers(std::size_t i) const { return bank->floats(i, 0) + lanes; }
};

struct Matrix {  // A of a lane
  double alpha, strength;
};
struct Matrices {  // those of all, as rows of fours: what is beyond the lanes sketches nothing
  explicit Matrices(const std::vector<Matrix>& all)
      : lanes(int(all.size())),
        alpha((all.size() + 3) / 4 * 4, 1.0),
        strength((all.size() + 3) / 4 * 4, 0.0) {
    for (std::size_t k = 0; k < all.size(); ++k)
      alpha[k] = all[k].alpha, strength[k] = all[k].strength;
  }
  int lanes;
  Numbers alpha, strength;
};

class Sketch : public Stateful {
 public:
  virtual std::unique_ptr<Sketch> clone() const = 0;
  virtual int slots() const = 0;                // numbers in a row of the bank
  virtual int size() const { return slots(); }  // of y = Y x, or more: zeros
  virtual void grow(std::size_t rows) { (void)rows; }
  virtual void shrink(std::size_t rows) { (void)rows; }  // the others are as they were made
  // Before the first gradient: what alpha and strength of the lanes are, if they stay.
  virtual void begin(const Matrices& lanes) { (void)lanes; }
  // y from what was gathered of the rows of x.
  virtual void coordinates(const Example& x, const double* scaled, Numbers& y) const {
    (void)x, (void)scaled, (void)y;
  }
  // P y for each lane.
  virtual void apply(const Matrices& lanes, const Numbers& y, ByLane& out) const = 0;
  // Takes e x in, so many features having been seen: Y grows by delta (e x)^T, and y becomes Y x
  // for that. True: compress is due.
  virtual bool add(double e, double xx, int features, Numbers& y, Numbers& delta) = 0;
  virtual void remember(const Example& x, const double* scaled, double e) {
    (void)x, (void)scaled, (void)e;
  }
  // Now and then the rows are put in order; what is played, w + Y^T b, stays.
  virtual void compress(const SketchRows& rows, ByLane& b) { (void)rows, (void)b; }

  virtual std::size_t rows() const { return 0; }  // of the bank that its own numbers name

  virtual double kept() const = 0;              // the trace of S^T S
  virtual int rank() const = 0;                 // how many directions it can tell apart
  virtual Numbers eigenvalues() const = 0;      // of S^T S, falling
  virtual double removed() const { return 0; }  // what frequent directions took from each of them
  virtual int rebases() const { return 0; }     // how often all rows were gone through
};

}  // namespace regretless
