// The kernels of one instruction set: this file is compiled once for each.
#include "kernels.hpp"

#include "kernels/learn.hpp"
#include "kernels/sketched.hpp"
#include "kernels/survey.hpp"
#include "kernels/vectors.hpp"
#include "mixing/exp_concave.hpp"

namespace regretless {
namespace {

// Calls f with a value of the vector type for this many lanes.
template <class R, class F>
std::size_t by_width(int width, F f) {
  if constexpr (R::single_lane)
    if (width == 1) return f(float{});
  return f(Packed<4>::Floats{});
}

// Calls f with the rule in the variant. std::visit would make tables that all instruction sets
// share.
template <class F, std::size_t I = 0>
std::size_t by_rule(const Rule& rule, F f) {
  if constexpr (I + 1 < std::variant_size_v<Rule>) {
    if (rule.index() != I) return by_rule<F, I + 1>(rule, f);
  }
  return f(*std::get_if<I>(&rule));
}

std::size_t predict_any(const Rule& rule, const Loss&, BankView bank, const Batch& batch) {
  return by_rule(rule, [&]<class R>(const R& r) {
    return by_width<R>(bank.layout.width,
                       [&](auto v) { return predict<decltype(v)>(r, bank, batch); });
  });
}
std::size_t learn_any(const Rule& rule, const Loss& loss, BankView bank, const Batch& batch) {
  return by_rule(rule, [&]<class R>(const R& r) {
    return by_width<R>(bank.layout.width,
                       [&](auto v) { return learn<decltype(v)>(r, loss, bank, batch); });
  });
}

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
const Kernels table{predict_any,  learn_any,       survey_values,  survey_sparse, narrow,
                    place,        belongs,         normal_weights, normal_step,   total,
                    weighted,     exponentials,    row_products,   row_sum,       gather_rows,
                    scatter_rows, prefetch_rows,   normalise,      oja_along,     oja_turn,
                    oja_apply,    invariant_steps, mixed_score,    mixed_learn,   audit_visit};

}  // namespace regretless
