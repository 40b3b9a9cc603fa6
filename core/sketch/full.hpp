// No sketch: the whole matrix (Luo (2016), section 4.3.2), a row and a column for each feature.
// Y = I, so y is x itself and P = I - alpha A^-1. A^-1 is kept for each lane by the formula of
// Sherman and Morrison.
#pragma once
#include <stdexcept>

#include "sketch/sketch.hpp"

namespace regretless {

class FullMatrix : public Sketch {
 public:
  static constexpr std::size_t kMost = 4096;  // features: 128 MB a lane

  explicit FullMatrix(int lanes)
      : inverses_(std::size_t(lanes)),
        alphas_(std::size_t(lanes)),
        strengths_(std::size_t(lanes)) {}
  std::unique_ptr<Sketch> clone() const override { return std::make_unique<FullMatrix>(*this); }

  int slots() const override { return 0; }
  int size() const override { return int(d_); }
  void shrink(std::size_t rows) override {
    const auto old = std::size_t(d_);
    if (rows >= old) return;
    for (Numbers& inverse : inverses_) {
      for (std::size_t i = 0; i < rows; ++i)
        std::copy_n(inverse.data() + i * old, rows, inverse.data() + i * rows);
      inverse.resize(rows * rows);
    }
    d_ = double(rows);
  }
  void grow(std::size_t rows) override {
    const auto old = std::size_t(d_);
    if (rows <= old) return;
    if (rows > kMost)
      throw std::length_error(
          "sketch='full' keeps a matrix of all pairs of features, of which there are " +
          std::to_string(rows) + " now; more than " + std::to_string(kMost) +
          " are too many: use sketch='oja'");
    for (std::size_t k = 0; k < inverses_.size(); ++k) {
      Numbers wider(rows * rows);
      for (std::size_t i = 0; i < old; ++i)
        std::copy_n(inverses_[k].data() + i * old, old, wider.data() + i * rows);
      if (alphas_[k] > 0)
        for (std::size_t i = old; i < rows; ++i) wider[i * rows + i] = 1 / alphas_[k];
      inverses_[k] = std::move(wider);
    }
    d_ = double(rows);
  }
  void coordinates(const Example& x, const double* scaled, Numbers& y) const override {
    y.assign(std::size_t(d_), 0.0);
    for (std::size_t j = 0; j < x.size; ++j) y[x.rows[j]] += scaled[j];
  }
  void begin(const Matrices& lanes) override {
    const auto d = std::size_t(d_);
    for (std::size_t k = 0; k < alphas_.size(); ++k) {
      alphas_[k] = lanes.alpha[k], strengths_[k] = lanes.strength[k];
      for (std::size_t i = 0; i < d; ++i) inverses_[k][i * d + i] = 1 / alphas_[k];
    }
  }
  void apply(const Matrices& lanes, const Numbers& y, ByLane& out) const override {
    Numbers moved(y.size());
    for (int k = 0; k < lanes.lanes; ++k) {
      times(inverses_[std::size_t(k)], y, moved);
      for (std::size_t i = 0; i < y.size(); ++i)
        out.at(int(i), k) = y[i] - alphas_[std::size_t(k)] * moved[i];
    }
  }
  bool add(double e, double xx, int, Numbers& y, Numbers&) override {
    const auto d = std::size_t(d_);
    Numbers v(d);
    for (std::size_t k = 0; k < inverses_.size(); ++k) {
      times(inverses_[k], y, v);
      double xv = 0;
      for (std::size_t i = 0; i < d; ++i) xv += y[i] * v[i];
      const double s = strengths_[k] * e * e, by = s / (1 + s * xv);
      for (std::size_t i = 0; i < d; ++i) {
        if (v[i] == 0) continue;
        double* row = inverses_[k].data() + i * d;
        for (std::size_t j = 0; j < d; ++j) row[j] -= by * v[i] * v[j];
      }
    }
    energy_ += e * e * xx;
    return false;
  }
  double kept() const override { return energy_; }
  int rank() const override { return int(d_); }
  Numbers eigenvalues() const override {  // of the first lane's S^T S = (A - alpha) / strength
    Numbers all = Eigen(inverses_[0], int(d_)).values;
    std::reverse(all.begin(), all.end());
    for (double& each : all)
      each = alphas_[0] > 0 ? std::max(0.0, (1 / each - alphas_[0]) / strengths_[0]) : 0;
    return all;
  }

  Numbers state() override {
    Numbers all{d_, energy_};
    for (std::size_t k = 0; k < inverses_.size(); ++k) {
      all.insert(all.end(), {alphas_[k], strengths_[k]});
      all.insert(all.end(), inverses_[k].begin(), inverses_[k].end());
    }
    return all;
  }
  void restore(const double* state, std::size_t size) override {
    const std::size_t lanes = inverses_.size();
    double d = size > 1 ? state[0] : -1;
    Field::count("features", d, double(kMost)).check();
    require(size == 2 + lanes * (2 + std::size_t(d * d)), "the matrix does not fit the features");
    double energy = state[1];
    Field::positive("energy", energy).check();
    std::vector<Numbers> inverses;
    Numbers alphas, strengths;
    for (const double* at = state + 2; inverses.size() < lanes; at += 2 + std::size_t(d * d)) {
      alphas.push_back(at[0]), strengths.push_back(at[1]);
      inverses.emplace_back(at + 2, at + 2 + std::size_t(d * d));
      Field::number("inverse", inverses.back()).check();
      require(is_covariance(inverses.back(), std::size_t(d)),
              "inverse is not symmetric and positive");
    }
    Field::positive("alpha", alphas).check();
    Field::positive("strength", strengths).check();
    d_ = d, energy_ = energy;
    inverses_ = inverses, alphas_ = alphas, strengths_ = strengths;
  }

 protected:
  Parts parts() override { return {}; }

 private:
  void times(const Numbers& A, const Numbers& x, Numbers& out) const {
    const auto d = std::size_t(d_);
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t j = 0; j < d; ++j) {
      if (x[j] == 0) continue;
      const double* row = A.data() + j * d;
      for (std::size_t i = 0; i < d; ++i) out[i] += x[j] * row[i];
    }
  }
  double d_ = 0, energy_ = 0;
  std::vector<Numbers> inverses_;
  Numbers alphas_, strengths_;
};

}  // namespace regretless
