// What a node of a tree knows about the targets of its examples: their weight, and weighted sums.
//
//   a class k    adds its weight to sum k
//   a number y   adds its weight times y to sum 0
//
// The impurity is the sum of squared distances from the mean, a class being a unit vector: that is
// n times Gini's index, or n times the variance.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace regretless {

struct Target {
  std::size_t output;  // the class; 0 for a number
  double value;        // 1 for a class
};

// Rows of numbers: the weight, the sum of squares, and a sum for each output.
class TargetSums {
 public:
  static constexpr double kTiny = 1e-9;  // differences below this part are rounding

  explicit TargetSums(std::size_t outputs = 1) : outputs_(outputs) {}

  std::size_t outputs() const { return outputs_; }
  std::size_t width() const { return 2 + outputs_; }
  std::size_t size() const { return data_.size() / width(); }
  double* operator[](std::size_t i) { return data_.data() + i * width(); }
  const double* operator[](std::size_t i) const { return data_.data() + i * width(); }
  void resize(std::size_t size) { data_.resize(size * width()); }
  void zero() { std::fill(data_.begin(), data_.end(), 0.0); }
  void insert(std::size_t i) {
    data_.insert(data_.begin() + std::ptrdiff_t(i * width()), width(), 0.0);
  }
  void erase(std::size_t i) {
    const auto first = data_.begin() + std::ptrdiff_t(i * width());
    data_.erase(first, first + std::ptrdiff_t(width()));
  }
  std::size_t bytes() const { return data_.capacity() * sizeof(double); }

  // Gives every row new outputs: the old ones of `sources`, or a sum of 0 for -1.
  void relabel(const std::vector<int>& sources) {
    TargetSums out(sources.size());
    out.resize(size());
    for (std::size_t i = 0; i < size(); ++i) {
      std::copy_n((*this)[i], 2, out[i]);
      for (std::size_t k = 0; k < sources.size(); ++k)
        if (sources[k] >= 0) out[i][2 + k] = (*this)[i][2 + std::size_t(sources[k])];
    }
    *this = std::move(out);
  }

  // --- one row -----------------------------------------------------------------------------------
  static void add(double* s, const Target& y, double w) {
    s[0] += w;
    s[1] += w * y.value * y.value;
    s[2 + y.output] += w * y.value;
  }
  void add(double* to, const double* from) const {
    for (std::size_t k = 0; k < width(); ++k) to[k] += from[k];
  }
  void subtract(double* from, const double* what) const {
    for (std::size_t k = 0; k < width(); ++k) from[k] -= what[k];
  }
  // The sum of squares that the mean explains.
  double explained(const double* s) const {
    if (!(s[0] > 0)) return 0;
    double sum = 0;
    for (std::size_t k = 2; k < width(); ++k) sum += s[k] * s[k];
    return sum / s[0];
  }
  double impurity(const double* s) const { return s[1] - explained(s); }
  bool pure(const double* s) const { return !(impurity(s) > kTiny * s[1]); }

 private:
  std::size_t outputs_;
  std::vector<double> data_;
};

}  // namespace regretless
