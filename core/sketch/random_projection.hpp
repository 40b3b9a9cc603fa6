// Random projection (Luo (2016), Algorithms 12, 15): S += r g^T, r normal with variance 1/m; Y = S.
// The products S S^T are kept, and (alpha I + strength S S^T)^-1 is applied by a Cholesky factor.
// That stays exact where the printed update of the inverse may divide by 0.
#pragma once
#include <cstdint>

#include "sketch/sketch.hpp"
#include "splitmix.hpp"

namespace regretless {

class RandomProjection : public Sketch {
 public:
  RandomProjection(int size, std::uint64_t seed)
      : m_(size), seed_(seed), products_(std::size_t(size) * size), factor_(products_.size()) {}
  std::unique_ptr<Sketch> clone() const override {
    return std::make_unique<RandomProjection>(*this);
  }

  int slots() const override { return m_; }
  void apply(const Matrices& lanes, const Numbers& y, ByLane& out) const override {
    Numbers along(y.size());
    for (int k = 0; k < lanes.lanes; ++k) {
      const double strength = lanes.strength[std::size_t(k)];
      for (std::size_t i = 0; i < products_.size(); ++i) factor_[i] = strength * products_[i];
      for (int i = 0; i < m_; ++i) factor_[std::size_t(i * m_ + i)] += lanes.alpha[std::size_t(k)];
      std::fill(along.begin(), along.end(), 0.0);
      if (cholesky(factor_.data(), m_)) {  // if not, by rounding: as if there were no sketch
        for (std::size_t i = 0; i < y.size(); ++i) along[i] = strength * y[i];
        solve_lower(factor_.data(), m_, m_, along.data());
        solve_upper(factor_.data(), m_, m_, along.data());
      }
      out.put_lane(k, along.data());
    }
  }
  bool add(double e, double xx, int, Numbers& y, Numbers& delta) override {
    const double all = e * e * xx;
    for (int i = 0; i < m_; ++i) delta[std::size_t(i)] = normal(std::uint64_t(rounds_) * m_ + i);
    for (int i = 0; i < m_; ++i)
      for (int j = 0; j < m_; ++j) {
        const double r = delta[std::size_t(i)], s = delta[std::size_t(j)];
        products_[std::size_t(i * m_ + j)] +=
            e * (y[std::size_t(i)] * s + r * y[std::size_t(j)]) + all * r * s;
      }
    for (int i = 0; i < m_; ++i) y[std::size_t(i)] += delta[std::size_t(i)] * e * xx;
    energy_ += all;
    ++rounds_;
    return false;
  }
  double kept() const override { return energy_; }  // expected
  int rank() const override { return m_; }
  Numbers eigenvalues() const override { return Eigen(products_, m_).positive(); }

 protected:
  Parts parts() override {
    return {Field::count("sketched rounds", rounds_), Field::positive("energy", energy_),
            Field::number("products", products_)};
  }
  void check() override {
    require(is_covariance(products_, std::size_t(m_)), "products are not symmetric and positive");
  }

 private:
  double normal(std::uint64_t n) const {  // Box-Muller
    const std::uint64_t at = seed_ * 0x9E3779B97F4A7C15 + 2 * n;
    const double u = double((splitmix(at + 1) >> 11) + 1) * 0x1p-53,
                 v = double(splitmix(at + 2) >> 11) * 0x1p-53;
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * 3.141592653589793 * v) /
           std::sqrt(double(m_));
  }

  int m_;
  std::uint64_t seed_;
  double rounds_ = 0, energy_ = 0;
  Numbers products_;
  mutable Numbers factor_;
};

}  // namespace regretless
