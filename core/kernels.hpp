// The two loops that do nearly all the work: predict and learn over a batch of sparse examples.
// Everything here is plain pointers: kernels.cpp is compiled once per instruction set, and a template
// of the standard library instantiated there could be linked into code for an older machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <variant>

#include "losses.hpp"
#include "rules/adagrad.hpp"
#include "rules/coin.hpp"
#include "rules/eg.hpp"
#include "rules/ftrl.hpp"
#include "rules/ogd.hpp"
#include "rules/passive_aggressive.hpp"
#include "rules/pnorm.hpp"

namespace regretless {

using Rule = std::variant<Coin, AdaGrad, Ogd, PlainOgd, Ftrl, PNorm, Eg, PassiveAggressive>;

struct Batch {
  std::size_t size = 0;
  const std::size_t* starts = nullptr;  // size + 1 offsets into rows and values
  const std::uint32_t* rows = nullptr;
  const float* values = nullptr;
  const double* targets = nullptr;         // regression
  const std::int32_t* classes = nullptr;   // classification: lane k is told apart from the others;
                                           // with one lane class 1 is +1 and class 0 is -1
  const double* importance = nullptr;      // null: all 1
  double* scores = nullptr;                // size x lanes, before learning; may be null when learning
};

struct BankView {
  float* data;
  std::size_t rows;
  Layout layout;
  int audit;  // double slot of the sum of gradients, -1 when not certifying
  int clock;  // double slot of the rule's clock, -1 when there is none
  double* lanes;
};

// Number of examples processed: less than batch.size if a score is not finite.
using Kernel = std::size_t (*)(const Rule&, const Loss&, BankView, const Batch&);
struct Kernels {
  Kernel predict, learn;
  bool (*fit_floats)(const double* values, std::size_t size);  // finite and within the range of floats
  bool (*below)(const std::int32_t* values, std::size_t size, std::int32_t limit);  // 0 <= v < limit
};
Kernels kernels();  // for this machine

}  // namespace regretless
