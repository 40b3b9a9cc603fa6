// The numbers that a kernel computes with, one array per quantity and one number per lane.
#pragma once

#include <cstddef>

namespace regretless {
namespace {

// Memory for the arrays: on the stack if there are few lanes, on the heap if there are many. Not a
// std::vector: its code would be compiled for one instruction set and linked into all of them.
struct Cells {
  static constexpr int kOnStack = 64, kArrays = 13;
  explicit Cells(int lanes) {
    if (lanes > kOnStack) heap = new double[std::size_t(lanes) * kArrays];
    for (int i = 0; i < lanes * kArrays; ++i) data()[i] = 0;
  }
  Cells(const Cells&) = delete;
  Cells& operator=(const Cells&) = delete;
  ~Cells() { delete[] heap; }
  double* data() { return heap ? heap : stack; }

  double stack[kOnStack * kArrays];
  double* heap = nullptr;
};

// What `learn` keeps of one example, from its scores to its step.
struct Working {
  Working(double* cells, int lanes) : Working(cells, std::size_t(lanes)) {}

  double* score;       // <w, x>, plus the rule's offset
  double* prediction;  // the score to report, where the rule predicts by other weights
  double* target;      // +1 or -1 when classifying
  double* importance;  // of the example to the lane
  double* value;       // the loss at the score
  double* slope;       // its derivative
  double* loss;        // importance * value
  double* gradient;    // importance * slope
  double* travel;      // how far a unit step moves the score: ||x||^2 unless the rule prepares
  double* step;        // coefficient of the update
  double* change;      // of a weight, for a feature value of 1
  double* tracked;     // the rule's own sum over the rows, see Sums
  double* rounding;    // bound on what rounding added to sums of gradients

 private:
  Working(double* cells, std::size_t n)
      : score(cells),
        prediction(cells + n),
        target(cells + 2 * n),
        importance(cells + 3 * n),
        value(cells + 4 * n),
        slope(cells + 5 * n),
        loss(cells + 6 * n),
        gradient(cells + 7 * n),
        travel(cells + 8 * n),
        step(cells + 9 * n),
        change(cells + 10 * n),
        tracked(cells + 11 * n),
        rounding(cells + 12 * n) {}
};

}  // namespace
}  // namespace regretless
