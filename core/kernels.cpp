// The kernels of one instruction set: this file is compiled once for each.
#include "kernels.hpp"

#include "kernels/by_lane.hpp"
#include "kernels/sketched.hpp"
#include "kernels/survey.hpp"
#include "kernels/vectors.hpp"
#include "mixing/exp_concave.hpp"

namespace regretless {
namespace {

double mixed_score(const Loss& loss, const MixingView& view, double* scores) {
  return ExpConcave(loss, view).score(scores);
}
void mixed_learn(const Loss& loss, const MixingView& view, double* scores, double suffered,
                 double y, double h) {
  ExpConcave(loss, view).learn(scores, suffered, y, h);
}

}  // namespace

extern const Kernels table;
// In the order in which Kernels declares them.
const Kernels table{{predict_any, learn_any},
                    survey_values,
                    survey_sparse,
                    narrow,
                    place,
                    belongs,
                    normal_weights,
                    normal_step,
                    total,
                    weighted,
                    exponentials,
                    row_products,
                    row_sum,
                    gather_rows,
                    scatter_rows,
                    prefetch_rows,
                    normalise,
                    oja_along,
                    oja_turn,
                    oja_apply,
                    invariant_steps,
                    mixed_score,
                    mixed_learn,
                    audit_visit};

}  // namespace regretless
