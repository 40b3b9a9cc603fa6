// The two loops that do nearly all the work: predict and learn over a batch of sparse examples.
// Everything here is plain pointers: kernels.cpp is compiled once per instruction set, and a
// template of the standard library instantiated there could be linked into code for an older
// machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <variant>

#include "audit/view.hpp"
#include "losses.hpp"
#include "mixing/view.hpp"
#include "rules/adagrad.hpp"
#include "rules/averaged.hpp"
#include "rules/coin.hpp"
#include "rules/eg.hpp"
#include "rules/ftrl.hpp"
#include "rules/grid.hpp"
#include "rules/margin.hpp"
#include "rules/ogd.hpp"
#include "rules/passive_aggressive.hpp"
#include "rules/pnorm.hpp"
#include "rules/svm.hpp"
#include "rules/winnow.hpp"
#include "sketch/oja_view.hpp"

namespace regretless {

using Rule = std::variant<Coin, AdaGrad, Ogd, PlainOgd, Ftrl, PNorm, Eg, PassiveAggressive,
                          Averaged, MarginPerceptron, OnlineSvm, Winnow, Grid>;

struct Batch {
  std::size_t size = 0;
  const std::size_t* starts = nullptr;  // size + 1 offsets into rows and values
  const std::uint32_t* rows = nullptr;
  const float* values = nullptr;
  const double* targets = nullptr;        // regression
  const std::int32_t* classes = nullptr;  // classification: lanes of a class tell it apart from the
                                          // others; with one class of lanes 1 is +1 and 0 is -1
  const double* importance = nullptr;     // null: all 1
  double* scores = nullptr;  // size x lanes, before learning; may be null when learning
  // Features known when the example came: rows named later in the batch are not there yet. Null:
  // all.
  const std::uint32_t* known = nullptr;
  double* losses = nullptr;  // one per example, before learning, not weighted; may be null
  bool bare = false;         // predict scores without the rule's offset
  // Given the scores of the lanes for example t, how important it is to each; null: importance[t].
  void (*weigh)(void* weigher, std::size_t t, const double* scores, double* importance) = nullptr;
  void* weigher = nullptr;

  Example example(std::size_t t) const {  // empty beyond the last
    if (t >= size) return {};
    return {rows + starts[t], values + starts[t], starts[t + 1] - starts[t]};
  }
};

struct BankView {
  float* data;
  std::size_t rows;
  Layout layout;
  int audit;  // double slot of the sum of gradients, -1 when not certifying
  int clock;  // double slot of the rule's clock, -1 when there is none
  double* lanes;
  int per_class = 1;       // lanes that learn the same
  bool forgiving = false;  // a lane that would diverge skips the example, or else learning ends
};

// What a pass over the values of a batch finds out, and over the columns if it is sparse.
struct Survey {
  bool fits;              // all are finite and at most kLargestValue
  bool has_zero;          // some are 0 as floats, that is, absent
  bool within = true;     // 0 <= column < width
  std::size_t falls = 0;  // how often a column is not larger than the one before it
};

// A weighted sum, and the least and the largest number in it. The sum is not a number if one of
// them is not.
struct Weighted {
  double sum, low, high;
};

struct Extent {                    // of an example
  double square = 0, largest = 0;  // |x|^2, max |x_i|
};

struct Kernels {
  // Number of examples processed: less than batch.size if a score is not finite.
  std::size_t (*predict)(const Rule&, const Loss&, BankView, const Batch&);
  std::size_t (*learn)(const Rule&, const Loss&, BankView, const Batch&);
  Survey (*survey_values)(const double* values, std::size_t size);
  Survey (*survey_sparse)(const std::int32_t* columns, const double* values, std::size_t size,
                          std::int32_t width);
  // Columns as the core has them; whether all are from 0 to 2^31 - 1, and so right.
  bool (*narrow)(const std::int64_t* columns, std::size_t size, std::int32_t* out);
  // Columns to rows of the bank, by a table of `width` or (null) by mask, and values to floats;
  // false if some column has no row yet.
  bool (*place)(const std::int32_t* columns, const double* values, std::size_t size,
                const std::uint32_t* table, std::uint32_t width, std::uint32_t mask,
                std::uint32_t* rows, float* floats);
  // Whether all rows are below `count` and all values as they may be.
  bool (*belongs)(const std::uint32_t* rows, const float* values, std::size_t size,
                  std::uint32_t count);
  // The weights of AdaNormalHedge (experts/normal.hpp), times the prior; and a round of it:
  // regrets, sums of their sizes, and the next weights.
  void (*normal_weights)(const double* regret, const double* spread, const double* prior,
                         std::size_t n, double* weight);
  double (*normal_step)(const double* losses, double suffered, const double* prior, std::size_t n,
                        double* regret, double* spread, double* weight);  // the weights' sum
  double (*total)(const double* x, std::size_t n);
  Weighted (*weighted)(const double* weight, const double* x, std::size_t n);
  void (*exponentials)(const double* x, std::size_t n, double* out);  // x < 700; 0 below -700
  // A matrix of `rows` rows, m by n: the product of each with x, and their sum, each times its y,
  // those times 0 not being looked at.
  void (*row_products)(const double* rows, std::size_t m, std::size_t n, const double* x,
                       double* out);
  void (*row_sum)(const double* rows, std::size_t m, std::size_t n, const double* y, double* out);
  // Rows of the bank from float `first` on, width of them, a multiple of 4: the sum of value times
  // row, and to every row value times the vector.
  void (*gather)(const BankView&, std::size_t first, std::size_t width, const Example&,
                 const double* values, double* out);
  void (*scatter)(const BankView&, std::size_t first, std::size_t width, const Example&,
                  const double* values, const double* vector);
  void (*prefetch)(const BankView&, const Example&);
  // The values of x as doubles; with a floor, x_i / sqrt(floor max x_i^2 + sum g_i^2), the sum and
  // max |x_i| being the row's floats from `at` on, to which g = slope x is added first if there is
  // a slope.
  Extent (*normalise)(const BankView&, std::size_t at, const Example&, double floor,
                      const double* slope, double* out);
  // Oja's sketch (sketch/oja_steps.hpp).
  double (*oja_along)(const OjaView&, double e, const double* y);
  void (*oja_turn)(const OjaView&, double e, double xx, double* y, double* delta);
  void (*oja_apply)(const OjaView&, int width, const double* alpha, const double* strength,
                    const double* y, double* out);
  // Importance-aware steps: see Loss::invariant_step.
  void (*flow)(const Loss&, const double* s, const double* y, const double* h, const double* n,
               int count, double* step);
  // Lanes mixed (mixing/exp_concave.hpp): the scores have room for three times the view's width.
  double (*mixed_score)(const Loss&, const MixingView&, double* scores);
  void (*mixed_learn)(const Loss&, const MixingView&, double* scores, double suffered, double y,
                      double h);
  void (*audit_visit)(const AuditView&, const AuditVisit&);  // see kernels_audit.cpp
};
Kernels kernels();           // the best that this machine can run
Kernels baseline_kernels();  // those that every machine can run

}  // namespace regretless
