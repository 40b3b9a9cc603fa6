// A sketch of the gradients: S with S^T S near the sum of their outer products, so that
//
//   A = alpha I + strength S^T S,      A^-1 = (I - Y^T P Y) / alpha
//
// can be applied in time proportional to the non-zeros of an example (Luo (2016), sections 4.4 and
// 4.5). Y lies in the rows of the bank, slots() numbers in each; P is small and kept by the sketch.
// Weights are kept as w + Y^T b, so a change of all rows at once is a change of b only. The rows are
// doubles: the part of a gradient along a direction that is known is the difference of two numbers
// that a step multiplies by 1 / alpha, and with an error of 1e-7 such steps soon are nothing else.
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
  const std::vector<std::uint32_t>* chosen = nullptr;  // all of them, if null
  std::size_t size() const { return chosen ? chosen->size() : bank->rows(); }
  std::size_t operator[](std::size_t i) const { return chosen ? (*chosen)[i] : i; }
  double* weights(std::size_t row) const { return bank->doubles(row, 0); }
  double* numbers(std::size_t row) const { return bank->doubles(row, 0) + lanes; }
};
// The products of the first r numbers of these rows, Y Y^T, without its upper half.
inline Numbers products_of(const SketchRows& rows, int r) {
  Numbers products(std::size_t(r) * r);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double* y = rows.numbers(rows[i]);
    if (std::all_of(y, y + r, [](double v) { return v == 0; })) continue;
    for (int k = 0; k < r; ++k)
      for (int j = 0; j <= k; ++j) products[std::size_t(k * r + j)] += y[k] * y[j];
  }
  return products;
}

struct Matrix {  // A of a lane
  double alpha, strength;
};
struct Matrices {  // of all lanes, padded to fours; the padding has no effect
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
  virtual int size() const { return slots(); }  // of y = Y x, padded with zeros
  // Whether P y is -alpha A^-1 y, with which all of a step is in b.
  virtual bool has_all() const { return false; }
  virtual void grow(std::size_t rows) { (void)rows; }
  virtual void shrink(std::size_t rows) { (void)rows; }  // rows beyond are as they were made
  // Called before the first gradient, with the alpha and strength of the lanes if they are
  // constant.
  virtual void begin(const Matrices& lanes) { (void)lanes; }
  // Computes y from the sums gathered over the rows of x.
  virtual void coordinates(const Example& x, const double* scaled, Numbers& y) const {
    (void)x, (void)scaled, (void)y;
  }
  // P y for each lane.
  virtual void apply(const Matrices& lanes, const Numbers& y, ByLane& out) const = 0;
  // Adds the gradient e x, with so many features seen: Y grows by delta (e x)^T, and y becomes Y x
  // for the new Y. Returns true if `compress` is due.
  virtual bool add(double e, double xx, int features, Numbers& y, Numbers& delta) = 0;
  virtual void remember(const Example& x, const double* scaled, double e) {
    (void)x, (void)scaled, (void)e;
  }
  // Goes through all rows to restore precision. The weights w + Y^T b stay the same.
  virtual void compress(const SketchRows& rows, ByLane& b) { (void)rows, (void)b; }

  virtual std::size_t rows() const { return 0; }  // number of rows that its own numbers refer to

  virtual double kept() const = 0;              // the trace of S^T S
  virtual int rank() const = 0;                 // number of directions
  virtual Numbers eigenvalues() const = 0;      // of S^T S, falling
  virtual double removed() const { return 0; }  // subtracted by frequent directions
  virtual int rebases() const { return 0; }     // how often all rows were gone through
};

}  // namespace regretless
