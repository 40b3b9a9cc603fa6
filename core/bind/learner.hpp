// A model as the Python learners see it: they add labels and options, this class reads examples.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "auto.hpp"
#include "enums.hpp"
#include "reading.hpp"
#include "turns.hpp"

namespace regretless {

class PyLearner : public Owned {
 public:
  PyLearner(const Loss& loss, const std::string& rule, Options options, int bits,
            std::uint32_t remembered, bool intercept, bool certify, bool precise);

  const std::string& advice() const { return learner_->advice; }
  void advise(const std::string& text) { learner_->advice = text; }
  std::size_t earlier() const { return earlier_; }
  void count_from(std::size_t earlier) { earlier_ = earlier; }

  // --- one example: learner.cpp ------------------------------------------------------------------
  Any score(nb::handle x);
  Any probability(nb::handle x);
  Array<double> probabilities(Vector<double> scores) const;
  void learn_class(nb::handle x, int label, double importance);
  void learn_target(nb::handle x, double target, double importance);
  Any step_class(nb::handle x, int label, double importance);
  Any step_target(nb::handle x, double target, double importance);
  void learn_slope(nb::handle x, double slope, double importance);
  TupleOf<Array<double>, Array<double>, Array<double>> trace() const;
  std::uint32_t chosen(nb::handle x);
  Array<double> lane_scores(nb::handle x);

  // --- batches: learner_batch.cpp ----------------------------------------------------------------
  // labels: int32 classes, float64 targets, or None to predict. They return the scores as a flat
  // array, or the best lane of each example; with labels, (those, losses), all from before
  // learning; None if nothing is wanted.
  Any csr(std::int32_t width, Vector<std::int64_t> starts, Vector<std::int32_t> columns,
          Vector<double> values, bool has_zero, AnyArray labels, Array<double> importance,
          Want want);
  Any table(std::size_t size, Columns columns, AnyArray labels, Array<double> importance,
            Want want);
  Any examples(const text::Examples& x, std::size_t from, std::size_t to, AnyArray labels,
               Array<double> importance, Want want);
  Reading::Located locate(const text::Examples& x);
  Any located(Vector<std::uint64_t> starts, Vector<std::uint32_t> rows, AnyArray values,
              AnyArray labels, Array<double> importance, Want want);

  // --- lanes, weights and totals: learner.cpp ----------------------------------------------------
  int lanes() const;
  void relane(const std::vector<int>& sources, const std::vector<int>& signs);
  void extend(int count);
  void reserve(int lanes);
  bool wants_names() const;
  Reading::Names names() const;
  Array<double> weights(Array<std::uint32_t> rows) const;
  double total(Scalar total) const;
  double most(Scalar total) const;
  Array<double> each(Scalar total) const;
  bool has_gradient_sum() const { return learner_->has_gradient_sum(); }
  std::array<double, 4> gradient_norms() const;
  std::size_t bytes() const;
  std::size_t nodes() const;
  ListOf<TupleOf<int, double, double>> retired();
  Options mixing(int lane);
  Named<Array<double>> measured(int lane);
  ListOf<Options> spaces(int lane);

  // --- saving and loading: learner_state.cpp -----------------------------------------------------
  Array<std::uint32_t> used();
  Named<AnyArray> state();
  void restore(int lanes, nb::kwargs arrays);

 private:
  void check_idle() const {
    check_turn(*this);
    if (reads_) throw std::runtime_error(kCalledBack);
  }
  // The last guard before numbers are reported: a file can hold numbers that no training leads to,
  // and nobody can tell when it is read what they will lead to.
  static void check_finite(const double* numbers, std::size_t count);
  static Array<double> reported(const std::vector<double>& numbers);

  void read(nb::handle x, bool learning);
  void predict(nb::handle x);
  void learn(nb::handle x, std::int32_t label, double target, double importance, bool want_scores);
  Any scores() const;

  auto running(nb::handle labels, nb::handle importance, Want want);
  template <class Source>
  nb::object run(std::size_t n, nb::handle labels, nb::handle importance, Want want, Source source);

  Auto& mixture();
  Votes* votes();
  std::vector<std::uint32_t> used_rows(const std::vector<Model::Part>& parts);
  void restore_votes(const nb::kwargs& arrays);
  void check_known(const nb::kwargs& arrays, std::size_t parts);
  void check_weights(const std::uint32_t* rows, std::size_t count) const;

  std::unique_ptr<Model> learner_;
  const bool precise_;       // features and weights are doubles
  std::size_t earlier_ = 0;  // examples of the call in the parts before this one, for errors
  Reading reading_;
  std::size_t starts_[2] = {0, 0};
  std::uint32_t known_ = 0;  // features known when the row came, its own among them
  bool reads_ = false;       // is reading examples: their values may run Python code
  Batch one_;
  std::vector<double> scores_;
};

}  // namespace regretless
