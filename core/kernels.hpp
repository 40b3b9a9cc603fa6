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

using Rule = std::variant<Coin, OwnCoin, AdaGrad, Ogd, PlainOgd, Ftrl, PNorm, Eg, PassiveAggressive,
                          Averaged, MarginPerceptron, OnlineSvm, Winnow, Grid>;

struct Batch {
  std::size_t size = 0;
  const std::size_t* starts = nullptr;  // size + 1 offsets into rows and values
  const std::uint32_t* rows = nullptr;
  const float* values = nullptr;
  const double* doubles = nullptr;  // the values in double precision, for learners that keep it
  const double* targets = nullptr;  // regression
  const std::int32_t* classes = nullptr;  // classification: each class against the rest; if there
                                          // are lanes for one class only, 1 is +1 and 0 is -1
  const double* importance = nullptr;     // null: all 1
  double* scores = nullptr;  // size x lanes, before learning; may be null when learning
  // For each example, the number of features known when it came: later ones in the batch do not
  // count yet. Null: all count.
  const std::uint32_t* known = nullptr;
  double* losses = nullptr;  // one per example, before learning, not weighted; may be null
  bool bare = false;         // predict scores without the rule's offset
  // Sets the importance of example t for each lane, given their scores; null: importance[t] for
  // all.
  void (*weigh)(void* weigher, std::size_t t, const double* scores, double* importance) = nullptr;
  void* weigher = nullptr;

  Example example(std::size_t t) const {  // empty beyond the last
    if (t >= size) return {};
    return {rows + starts[t], numbers<Real>() + starts[t], starts[t + 1] - starts[t]};
  }
  template <class Number>
  const Number* numbers() const {
    if constexpr (std::is_same_v<Number, double>)
      return doubles;
    else
      return values;
  }
};

struct BankView {
  Real* data;
  std::size_t rows;
  Layout layout;
  int audit;  // double slot of the sum of gradients, -1 when not certifying
  int clock;  // double slot of the rule's clock, -1 when there is none
  double* lanes;
  int per_class = 1;       // lanes that learn the same class
  bool forgiving = false;  // a lane that would diverge skips the example; otherwise learning ends
};

// The result of a pass over the values of a batch and, if it is sparse, over its columns.
struct Survey {
  bool fits;              // all are finite and at most kLargestValue
  bool has_zero;          // some are 0 as floats, that is, absent
  bool within = true;     // 0 <= column < width
  std::size_t falls = 0;  // how often a column is not larger than the one before it
};

// A weighted sum, and the least and the largest number in it. The sum is NaN if a number is.
struct Weighted {
  double sum, low, high;
};

struct Extent {                    // of an example
  double square = 0, largest = 0;  // |x|^2, max |x_i|
};

struct Loops {
  // Returns the number of examples processed: less than batch.size if a score is not finite.
  std::size_t (*predict)(const Rule&, const Loss&, BankView, const Batch&);
  std::size_t (*learn)(const Rule&, const Loss&, BankView, const Batch&);
};
std::size_t predict_any(const Rule& rule, const Loss&, BankView bank, const Batch& batch);
std::size_t learn_any(const Rule& rule, const Loss& loss, BankView bank, const Batch& batch);

struct Kernels : Loops {
  Survey (*survey_values)(const double* values, std::size_t size);
  Survey (*survey_sparse)(const std::int32_t* columns, const double* values, std::size_t size,
                          std::int32_t width);
  // Copies columns to 32 bits; returns whether all are from 0 to 2^31 - 1.
  bool (*narrow)(const std::int64_t* columns, std::size_t size, std::int32_t* out);
  // Turns columns into rows of the bank, by a table of `width` entries or, if it is null, by the
  // mask, and values into floats; returns false if some column has no row yet.
  bool (*place)(const std::int32_t* columns, const double* values, std::size_t size,
                const std::uint32_t* table, std::uint32_t width, std::uint32_t mask,
                std::uint32_t* rows, float* floats);
  // Whether all rows are below `count` and all values within range.
  bool (*belongs)(const std::uint32_t* rows, const float* values, std::size_t size,
                  std::uint32_t count);
  // The weights of AdaNormalHedge (experts/normal.hpp), times the prior. normal_step is a round of
  // it: it updates the regrets and the sums of their sizes, and computes the next weights.
  void (*normal_weights)(const double* regret, const double* spread, const double* prior,
                         std::size_t n, double* weight);
  double (*normal_step)(const double* losses, double suffered, const double* prior, std::size_t n,
                        double* regret, double* spread, double* weight);  // returns the sum
  double (*total)(const double* x, std::size_t n);
  Weighted (*weighted)(const double* weight, const double* x, std::size_t n);
  void (*exponentials)(const double* x, std::size_t n, double* out);  // x < 700; 0 below -700
  // A matrix, m by n, given by its rows: the product of each row with x; and the sum of the rows,
  // each times its y. Rows with y = 0 are not read.
  void (*row_products)(const double* rows, std::size_t m, std::size_t n, const double* x,
                       double* out);
  void (*row_sum)(const double* rows, std::size_t m, std::size_t n, const double* y, double* out);
  // The first `width` doubles of each row; width is a multiple of 4. gather: the sum of value times
  // row. scatter: adds value times the vector to every row.
  void (*gather)(const BankView&, std::size_t width, const Example&, const double* values,
                 double* out);
  void (*scatter)(const BankView&, std::size_t width, const Example&, const double* values,
                  const double* vector);
  void (*prefetch)(const BankView&, const Example&);
  // The values of x as doubles; with a floor, x_i / sqrt(floor max x_i^2 + sum g_i^2). The sum and
  // max |x_i| are the row's doubles from `at` on; with a slope, g = slope x is added to them first.
  Extent (*normalise)(const BankView&, std::size_t at, const Example&, double floor,
                      const double* slope, double* out);
  // Oja's sketch (sketch/oja_steps.hpp).
  double (*oja_along)(const OjaView&, double e, const double* y);
  void (*oja_turn)(const OjaView&, double e, double xx, double* y, double* delta);
  void (*oja_apply)(const OjaView&, int width, const double* alpha, const double* strength,
                    const double* y, double* out);
  // Importance-aware steps: see Loss::invariant_step.
  void (*invariant_steps)(const Loss&, const double* s, const double* y, const double* importance,
                          const double* travel, int count, double* step);
  // Mixing of lanes (mixing/exp_concave.hpp). `scores` has room for three times the view's width.
  double (*mixed_score)(const Loss&, const MixingView&, double* scores);
  void (*mixed_learn)(const Loss&, const MixingView&, double* scores, double suffered, double y,
                      double h);
  void (*audit_visit)(const AuditView&, const AuditVisit&);  // see kernels_audit.cpp
  int words = 1;  // of a number in the banks that the loops work on: 2 in double precision
};
Kernels kernels();           // the best that this machine can run
Kernels baseline_kernels();  // those that every machine can run
Kernels double_kernels();    // with loops in double precision, for every machine

}  // namespace regretless
