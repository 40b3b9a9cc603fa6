// No sketch: the whole matrix (Luo (2016), section 4.3.2), a row and a column for each feature.
// Y = I, so y is x itself. A^-1 = U U^T is kept for each lane by its root U, which Potter's update
// changes: subtracted from itself, as Sherman and Morrison have it, A^-1 would lose its digits, and
// then its sign, once A has become much larger than alpha. The whole weights are in b, and P y is
// -alpha A^-1 y: no difference of x and P y is taken.
#pragma once
#include <stdexcept>

#include "kernels.hpp"
#include "sketch/sketch.hpp"

namespace regretless {

class FullMatrix : public Sketch {
 public:
  static constexpr std::size_t kMost = 4096;  // features: 128 MB a lane

  FullMatrix(int lanes, Kernels kernels)
      : kernels_(kernels),
        roots_(std::size_t(lanes)),
        alphas_(std::size_t(lanes)),
        strengths_(std::size_t(lanes)) {}
  std::unique_ptr<Sketch> clone() const override { return std::make_unique<FullMatrix>(*this); }

  int slots() const override { return 0; }
  int size() const override { return int(d_); }
  bool has_all() const override { return true; }
  void shrink(std::size_t rows) override {
    const auto old = std::size_t(d_);
    if (rows >= old) return;
    for (Numbers& root : roots_) {
      for (std::size_t i = 0; i < rows; ++i)
        std::copy_n(root.data() + i * old, rows, root.data() + i * rows);
      root.resize(rows * rows);
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
    for (std::size_t k = 0; k < roots_.size(); ++k) {
      Numbers wider(rows * rows);
      for (std::size_t i = 0; i < old; ++i)
        std::copy_n(roots_[k].data() + i * old, old, wider.data() + i * rows);
      if (alphas_[k] > 0)
        for (std::size_t i = old; i < rows; ++i) wider[i * rows + i] = 1 / std::sqrt(alphas_[k]);
      roots_[k] = std::move(wider);
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
      for (std::size_t i = 0; i < d; ++i) roots_[k][i * d + i] = 1 / std::sqrt(alphas_[k]);
    }
  }
  void apply(const Matrices& lanes, const Numbers& y, ByLane& out) const override {
    Numbers along(y.size()), solved(y.size());
    for (int k = 0; k < lanes.lanes; ++k) {
      solve(roots_[std::size_t(k)], y, along, solved);
      for (std::size_t i = 0; i < y.size(); ++i)
        out.at(int(i), k) = -alphas_[std::size_t(k)] * solved[i];
    }
  }
  // U <- U (I - c a a^T) with a = U^T x, so that U U^T loses what Sherman and Morrison subtract.
  bool add(double e, double xx, int, Numbers& y, Numbers&) override {
    const auto d = std::size_t(d_);
    Numbers along(d), solved(d);
    for (std::size_t k = 0; k < roots_.size(); ++k) {
      solve(roots_[k], y, along, solved);
      const double s = strengths_[k] * e * e,
                   grown =
                       1 + s * std::inner_product(along.begin(), along.end(), along.begin(), 0.0),
                   by = s / (grown + std::sqrt(grown));
      for (std::size_t i = 0; i < d; ++i) {
        if (solved[i] == 0) continue;
        double *row = roots_[k].data() + i * d, factor = by * solved[i];
        for (std::size_t j = 0; j < d; ++j) row[j] -= factor * along[j];
      }
    }
    energy_ += e * e * xx;
    return false;
  }
  double kept() const override { return energy_; }
  int rank() const override { return int(d_); }
  Numbers eigenvalues() const override {  // of the first lane's S^T S = (A - alpha) / strength
    const auto d = std::size_t(d_);
    Numbers inverse(d * d);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j)
        inverse[i * d + j] = std::inner_product(
            roots_[0].data() + i * d, roots_[0].data() + i * d + d, roots_[0].data() + j * d, 0.0);
    Numbers all = Eigen(inverse, int(d_)).values;
    std::reverse(all.begin(), all.end());
    for (double& each : all)
      each = alphas_[0] > 0 ? std::max(0.0, (1 / each - alphas_[0]) / strengths_[0]) : 0;
    return all;
  }

  Numbers state() override {
    Numbers all{d_, energy_};
    for (std::size_t k = 0; k < roots_.size(); ++k) {
      all.insert(all.end(), {alphas_[k], strengths_[k]});
      all.insert(all.end(), roots_[k].begin(), roots_[k].end());
    }
    return all;
  }
  void restore(const double* state, std::size_t size) override {
    const std::size_t lanes = roots_.size();
    double d = size > 1 ? state[0] : -1;
    Field::count("features", d, double(kMost)).check();
    require(size == 2 + lanes * (2 + std::size_t(d * d)), "the matrix does not fit the features");
    double energy = state[1];
    Field::positive("energy", energy).check();
    std::vector<Numbers> roots;
    Numbers alphas, strengths;
    for (const double* at = state + 2; roots.size() < lanes; at += 2 + std::size_t(d * d)) {
      alphas.push_back(at[0]), strengths.push_back(at[1]);
      roots.emplace_back(at + 2, at + 2 + std::size_t(d * d));
      Field::number("root of the inverse", roots.back()).check();
    }
    Field::positive("alpha", alphas).check();
    Field::positive("strength", strengths).check();
    d_ = d, energy_ = energy;
    roots_ = roots, alphas_ = alphas, strengths_ = strengths;
  }

 protected:
  Parts parts() override { return {}; }

 private:
  // U^T x and U U^T x = A^-1 x.
  void solve(const Numbers& U, const Numbers& x, Numbers& along, Numbers& solved) const {
    const std::size_t d = x.size();
    kernels_.row_sum(U.data(), d, d, x.data(), along.data());
    kernels_.row_products(U.data(), d, d, along.data(), solved.data());
  }
  Kernels kernels_;
  double d_ = 0, energy_ = 0;
  std::vector<Numbers> roots_;  // of A^-1
  Numbers alphas_, strengths_;
};

}  // namespace regretless
