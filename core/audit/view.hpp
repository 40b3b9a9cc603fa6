// The lanes of an audit, as the kernels see them. Each lane searches for the best model of its
// norm, at its rate. There is an output for each label (one for a target), and an output has all
// lanes.
//
//   row:  [ doubles: sums of g x, outputs x lanes ][ floats: weights, outputs x lanes ]
//         [ floats: scale of the feature, its inverse ][ doubles: the model's sums, outputs ]
#pragma once
#include <cstddef>
#include <cstdint>

#include "bank.hpp"
#include "losses.hpp"

namespace regretless {

inline constexpr int kBlock = 4;  // the number of lanes is a multiple of this

enum AuditScalar : int {
  kReach,         // the norm, that is, the radius of the ball
  kPace,          // the rate
  kValue,         // sum of -l*(g)
  kSize,          // sum of the sizes of the terms of kValue
  kTravel,        // sum of |change of g| ||x||
  kAuditNorm,     // ||w||^2
  kFactor,        // a weight is this times the number in the row
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
  Example next;  // the one to be visited after it
  bool fresh;    // visited for the first time; otherwise it has slopes already
  const double* targets;
  double weight;
  double *slopes, *values;  // outputs x lanes: g of every lane and -l*(g), before and after
  // working space
  float* units;    // the features in units of their scales
  double* scores;  // outputs x lanes, three times
};

void audit_visit(const AuditView& view, const AuditVisit& visit);  // of kernels_audit.cpp

}  // namespace regretless
