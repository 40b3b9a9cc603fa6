// The lanes of an audit, as the kernels see them: each looks for the best model of its norm at its
// rate. A label (or the only target) has an output, with all lanes.
//
//   row:  [ doubles: sums of g x, outputs x lanes ][ floats: weights, outputs x lanes ]
//         [ floats: scale of the feature, its inverse ][ doubles: the model's sums, outputs ]
#pragma once
#include <cstddef>
#include <cstdint>

#include "bank.hpp"
#include "losses.hpp"

namespace regretless {

inline constexpr int kBlock = 4;  // lanes are as many, or a multiple

enum AuditScalar : int {
  kReach,         // the norm, that is, the radius of the ball
  kPace,          // the rate
  kValue,         // sum of -l*(g)
  kSize,          // sum of the sizes of what was added to it
  kTravel,        // sum of |change of g| ||x||
  kAuditNorm,     // ||w||^2
  kFactor,        // the weights are this times those in the rows
  kAuditSquares,  // sum of (g ||x||)^2
  kAuditScalars
};

struct AuditView {
  Loss loss;
  float* rows;
  Layout layout;  // lanes: outputs x lanes
  int lanes;      // of an output
  int outputs;
  bool scaled;
  double* scalars;  // scalar s of lane k is scalars[s * lanes + k]
};

// One visit to an example. The target of output o is targets[o].
struct AuditVisit {
  Example x;
  Example next;  // which will be visited after it
  bool fresh;    // or it has been visited before, and its slopes are not 0
  const double* targets;
  double weight;
  double *slopes, *values;  // outputs x lanes: g of every lane and -l*(g), before and after
  // to work with
  float* units;    // the features in units of their scales
  double* scores;  // outputs x lanes, three times
};

void audit_visit(const AuditView& view, const AuditVisit& visit);  // of kernels_audit.cpp

}  // namespace regretless
