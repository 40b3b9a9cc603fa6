// The loops of linear learners, for one instruction set and one precision: this file is compiled
// once for each.
#include "kernels/learn.hpp"

namespace regretless {
namespace {

// Calls f with a value of the vector type for this many lanes.
template <class R, class F>
std::size_t by_width(int width, F f) {
  if constexpr (R::single_lane)
    if (width == 1) return f(Real{});
  return f(Packed<4>::Reals{});
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

}  // namespace

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

extern const Loops loops;
const Loops loops{predict_any, learn_any};

}  // namespace regretless
