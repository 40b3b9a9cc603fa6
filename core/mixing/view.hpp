// The mixture of the lanes of one class, as the kernels see it: plain memory.
#pragma once

namespace regretless {

struct MixingView {
  enum Scalar {
    kLoss,     // of the mixture, summed up
    kRate,     // 1 / learning rate, or the unit that losses are measured in
    kChanges,  // of it, after the first round
    kShrunk,   // ln of how much the unit has grown
    kExcess,   // what rounds have cost beyond the theorem
    kReach,    // max |y|
    kLargest,  // max importance
    kScalars
  };
  int lanes;        // and one expert more: the blend of them
  int width;        // of the arrays, a multiple of 4; what is beyond the experts stays 0
  double share;     // what all experts get of each other's weight in a round
  double* losses;   // of the experts, summed up
  double* weights;  // played now
  double* blend;    // coefficients
  double* inverse;  // of the sum of their second derivatives, width x width
  double* scalars;
};

}  // namespace regretless
