// The mixture of the lanes of one class, as the kernels see it: plain memory.
#pragma once

namespace regretless {

struct MixingView {
  enum { kRate, kExcess, kReach, kLargest, kLoss, kScalars };
  int lanes;         // and one expert more: the blend of them
  int width;         // of the arrays, a multiple of 4; what is beyond the experts stays 0
  double share;      // what all experts get of each other's weight in a round
  double* losses;    // of the experts, summed up
  double* weights;   // played now
  double* blend;     // coefficients
  double* inverse;   // of the sum of their second derivatives, width x width
  double* scalars;   // 1 / learning rate, what the theorem does not cover, max |y|, max importance,
                     // and the mixture's own loss
};

struct MixedScore {
  double score, loss;  // of the mixture, before learning; the loss is not weighted
};

}  // namespace regretless
