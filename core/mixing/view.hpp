// The mixture of the lanes of one class, as the kernels see it: plain memory.
#pragma once

namespace regretless {

struct MixingView {
  enum Scalar {
    kLoss,     // sum of the losses of the mixture
    kRate,     // 1 / learning rate, or the unit that losses are measured in
    kChanges,  // how often kRate has changed after the first round
    kShrunk,   // ln of how much the unit has grown
    kExcess,   // the cost of rounds beyond the theorem
    kReach,    // max |y|
    kLargest,  // max importance
    kScalars
  };
  int lanes;        // there is one expert more: the blend
  int width;        // of the arrays, a multiple of 4; entries beyond the experts stay 0
  double share;     // the part of all weight that is shared out evenly in a round
  double* losses;   // sums of the losses of the experts
  double* weights;  // played now
  double* blend;    // coefficients
  double* inverse;  // of the sum of their second derivatives, width x width
  double* scalars;
};

}  // namespace regretless
