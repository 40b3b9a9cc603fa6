// Batches of examples: predicted or learned, a chunk at a time and without the GIL.
#include <algorithm>

#include "learner.hpp"

namespace nb = nanobind;

namespace regretless {

// Predicts or learns the examples, a chunk at a time.
template <class Source>
nb::object PyLearner::run(std::size_t n, nb::handle labels, nb::handle importance, Want want,
                          Source source) {
  const bool learning = !labels.is_none(), classes = learner_->loss().classification();
  Vector<std::int32_t> y_class;
  Vector<double> y_target, h;
  std::vector<double> weighted;
  if (learning && classes) y_class = nb::cast<Vector<std::int32_t>>(labels);
  if (learning && !classes) y_target = nb::cast<Vector<double>>(labels);
  if (learning && (classes ? y_class.size() : y_target.size()) != n)
    throw nb::value_error("X and y differ in length");
  if (learning && classes) {
    const int count = std::max(learner_->lanes(), 2);  // two classes share a lane
    for (std::size_t t = 0; t < n; ++t)
      if (y_class(t) < 0 || y_class(t) >= count)
        throw nb::value_error("a class number is out of range");
  }
  if (!importance.is_none()) {
    h = nb::cast<Vector<double>>(importance);
    if (h.size() != n) throw nb::value_error("X and the weights differ in length");
    weighted.reserve(n);
    for (std::size_t t = 0; t < n; ++t)
      weighted.push_back(checked_importance(h(t), "weight", std::ptrdiff_t(t)));
  }
  for (std::size_t t = 0; learning && !classes && t < n; ++t)
    check_target(y_target(t), "y", std::ptrdiff_t(t));

  if (!learning && want == Want::nothing) return nb::none();  // the batch was only to be checked
  const std::size_t lanes = std::size_t(learner_->lanes());
  const bool told = want != Want::nothing, best_only = want == Want::best;
  const std::size_t kept = !told ? 0 : best_only ? std::min(n, Reading::kChunk) : n;
  std::vector<double> scores(kept * lanes), losses(told ? n : 0);
  std::vector<std::int32_t> best(best_only ? n : 0);
  const double* weights = importance.is_none() ? nullptr : weighted.data();
  const auto naming = [&](std::size_t t) { return learning && (!weights || weights[t] > 0); };
  try {
    nb::gil_scoped_release release;
    for (std::size_t first = 0; first < n; first += Reading::kChunk) {
      const std::size_t last = std::min(first + Reading::kChunk, n);
      Batch batch = source.part(reading_, first, last, naming);
      if (learning && !classes) batch.targets = y_target.data() + first;
      if (learning && classes) batch.classes = y_class.data() + first;
      if (weights) batch.importance = weights + first;
      if (told) batch.scores = scores.data() + (best_only ? 0 : first * lanes);
      if (told) batch.losses = losses.data() + first;
      if (learning) {
        learner_->learn(batch, earlier_ + first);
      } else {
        learner_->predict(batch);
        check_finite(batch.scores, (last - first) * lanes);
      }
      for (std::size_t t = first; t < last && best_only; ++t) {
        const double* own = scores.data() + (t - first) * lanes;
        best[t] = std::int32_t(std::max_element(own, own + lanes) - own);
      }
    }
  } catch (...) {
    reading_.forget();  // names may have been taken back
    throw;
  }
  if (!told) return nb::none();
  const nb::object said = best_only ? nb::object(array_of(best)) : array_of(scores);
  return learning ? nb::object(nb::make_tuple(said, array_of(losses))) : said;
}

auto PyLearner::running(nb::handle labels, nb::handle importance, Want want) {
  return [=, this](std::size_t n, auto source) {
    return run(n, labels, importance, want, std::move(source));
  };
}

Any PyLearner::csr(std::int32_t width, Vector<std::int64_t> starts, Vector<std::int32_t> columns,
                   Vector<double> values, bool has_zero, AnyArray labels, Array<double> importance,
                   Want want) {
  const OnlyTurn turn(*this, reads_);
  return reading_.csr(width, starts, columns, values, has_zero, running(labels, importance, want));
}
Any PyLearner::table(std::size_t size, Columns columns, AnyArray labels, Array<double> importance,
                     Want want) {
  const OnlyTurn turn(*this, reads_);
  return reading_.table(size, columns, running(labels, importance, want));
}
Any PyLearner::examples(const text::Examples& x, std::size_t from, std::size_t to, AnyArray labels,
                        Array<double> importance, Want want) {
  const OnlyTurn turn(*this, reads_);
  return reading_.examples(x, from, to, !labels.is_none(), running(labels, importance, want));
}
Reading::Located PyLearner::locate(const text::Examples& x) {
  const OnlyTurn turn(*this, reads_);
  return reading_.locate(x);
}
Any PyLearner::located(Vector<std::uint64_t> starts, Vector<std::uint32_t> rows, AnyArray values,
                       AnyArray labels, Array<double> importance, Want want) {
  const OnlyTurn turn(*this, reads_);
  learner_->grow();
  return reading_.located(starts, rows, values, running(labels, importance, want));
}

}  // namespace regretless
