// Predicting a batch, for every rule.
#pragma once

#include "kernels/score.hpp"
#include "kernels/working.hpp"

namespace regretless {
namespace {

// A rule that predicts by other weights than it learns by.
template <class R>
concept PredictsOtherwise = requires(R& rule) { rule.predicting = true; };

template <class V, class R>
std::size_t predict(R rule, BankView bank, const Batch& batch) {
  const Lanes lanes{bank.lanes, bank.layout.width};
  Cells cells(bank.layout.active());
  double* scores = cells.data();
  if constexpr (PredictsOtherwise<R>) rule.predicting = true;
  for (std::size_t t = 0; t < batch.size; ++t) {
    if constexpr (requires { rule.features; })
      if (batch.known) rule.features = batch.known[t];
    score<V, false>(rule, bank, lanes, batch.example(t), batch.example(t + 1), scores);
    if constexpr (R::offset != 0)
      for (int k = 0; k < bank.layout.lanes && !batch.bare; ++k) scores[k] += R::offset;
    for (int k = 0; k < bank.layout.lanes; ++k) batch.scores[t * bank.layout.lanes + k] = scores[k];
  }
  return batch.size;
}

}  // namespace
}  // namespace regretless
