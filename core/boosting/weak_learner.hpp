// The interface of learners that gradient boosting can boost (Luo (2016), section 3.2.1).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "bank.hpp"
#include "losses.hpp"
#include "state.hpp"

namespace regretless {

// The objective of a weak learner as a function of its prediction v: `slope v`, or with a loss
// `loss(offset + step v, y)`.
struct Task {
  double slope = 0;
  const Loss* loss = nullptr;
  double y = 0, offset = 0, step = 1;

  double value(double v) const { return loss ? loss->value(offset + step * v, y) : slope * v; }
  double derivative(double v) const {
    return loss ? step * loss->derivative(offset + step * v, y) : slope;
  }
};

// Predictions are in [-bound, bound]. Values of 0 count as absent; row 0 belongs to no feature.
class WeakLearner : public Stateful {
 public:
  explicit WeakLearner(double bound) : bound_(bound), given_(bound) {}
  virtual double predict(const Example& x) const = 0;
  // Learns an example of importance h > 0. Its rows exist.
  virtual void learn(const Example& x, const Task& task, double h) = 0;
  virtual void grow(std::size_t rows) = 0;
  virtual std::size_t rows() const = 0;
  // The row of the feature that the prediction is based on; 0 if there is none.
  virtual std::uint32_t chosen(const Example&) const { return 0; }

  double bound() const { return bound_; }
  void widen(double bound) { bound_ = std::max(bound_, bound); }

 protected:
  double clipped(double v) const { return std::clamp(v, -bound_, bound_); }
  Field bound_part() { return Field::positive("bound", bound_, 1e200); }
  void check() override {
    require(given_ == 0 || bound_ == given_, "bound is not that of the learner");
  }

  double bound_, given_;
};

// Numbers of each row of a table that grows with the features.
class RowTable {
 public:
  explicit RowTable(std::size_t width) : width_(width), data_(width) {}
  double* operator[](std::size_t row) { return data_.data() + row * width_; }
  const double* operator[](std::size_t row) const { return data_.data() + row * width_; }
  std::size_t rows() const { return data_.size() / width_; }
  void grow(std::size_t rows) {
    if (rows > this->rows()) data_.resize(rows * width_);
  }
  std::vector<double>& data() { return data_; }

 private:
  std::size_t width_;
  std::vector<double> data_;
};

}  // namespace regretless
