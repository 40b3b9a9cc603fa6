// Frequent directions by epochs (Luo (2016), Algorithms 16 and 18 to 20): m gradients are kept as
// they come, G, and are then merged into the m directions V with lengths D. The least of the
// squared lengths is subtracted from all:
//
//   S = [D V; G],   V = F Z,   Y = [Z; G]
//
// The printed update divides by a matrix that is singular for all but special data (docs/errata.md,
// Algorithm 19). Here a direction of length 0 stays in V. If the matrix is nearly singular in spite
// of that, all rows of the bank are recomputed once. As (G - M V)(G - M V)^T = G G^T - M M^T for M
// = G V^T, the directions of the residual need no further products of rows.
#pragma once
#include <cstdint>

#include "sketch/sketch.hpp"

namespace regretless {

class FrequentDirections : public Sketch {
 public:
  explicit FrequentDirections(int size)
      : m_(size),
        squares_(std::size_t(size)),
        F_(std::size_t(size) * size),
        crossed_(std::size_t(size) * size),
        products_(std::size_t(size) * size) {}
  std::unique_ptr<Sketch> clone() const override {
    return std::make_unique<FrequentDirections>(*this);
  }

  int slots() const override { return 2 * m_; }
  void apply(const Matrices& lanes, const Numbers& y, ByLane& out) const override {
    const int k = directions(), n = k + waiting();
    const Numbers products = gram();
    out.clear();
    for (int l = 0; l < lanes.lanes; ++l) {
      const double strength = lanes.strength[std::size_t(l)];
      Numbers A = products, along(std::size_t(n), 0.0);
      for (double& each : A) each *= strength;
      for (int i = 0; i < n; ++i) A[std::size_t(i * n + i)] += lanes.alpha[std::size_t(l)];
      for (int i = 0; i < n; ++i)
        along[std::size_t(i)] =
            strength * (i < k ? length(i) * row_times(i, y.data()) : y[std::size_t(m_ + i - k)]);
      if (!cholesky(A.data(), n)) continue;  // by rounding: as if there were no sketch
      solve_lower(A.data(), n, n, along.data());
      solve_upper(A.data(), n, n, along.data());
      for (int i = 0; i < n; ++i) {
        if (i >= k) out.at(m_ + i - k, l) = along[std::size_t(i)];
        for (int j = 0; i < k && j < k; ++j)
          out.at(j, l) += length(i) * along[std::size_t(i)] * F(i, j);
      }
    }
  }
  bool add(double e, double xx, int, Numbers& y, Numbers& delta) override {
    const int at = waiting();
    for (int j = 0; j < directions(); ++j)
      crossed_[std::size_t(j * m_ + at)] = e * y[std::size_t(j)];
    for (int j = 0; j < at; ++j)
      products_[std::size_t(at * m_ + j)] = products_[std::size_t(j * m_ + at)] =
          e * y[std::size_t(m_ + j)];
    products_[std::size_t(at * m_ + at)] = e * e * xx;
    delta[std::size_t(m_ + at)] = 1;
    y[std::size_t(m_ + at)] = e * xx;
    waiting_ += 1;
    return waiting() == m_;
  }
  void remember(const Example& x, const double* scaled, double e) override {
    rows_.insert(rows_.end(), x.rows, x.rows + x.size);
    for (std::size_t j = 0; j < x.size; ++j) values_.push_back(e * scaled[j]);
    ends_.push_back(rows_.size());
  }

  void compress(const SketchRows& rows, ByLane& b) override {
    const int k = directions();
    Numbers M(std::size_t(m_ * k));  // G V^T
    for (int t = 0; t < m_; ++t)
      for (int i = 0; i < k; ++i)
        for (int j = 0; j < k; ++j)
          M[std::size_t(t * k + i)] += F(i, j) * crossed_[std::size_t(j * m_ + t)];
    Numbers rest = products_;
    double trace = 0;
    for (int t = 0; t < m_; ++t) {
      trace += products_[std::size_t(t * m_ + t)];
      for (int s = 0; s < m_; ++s)
        for (int i = 0; i < k; ++i)
          rest[std::size_t(t * m_ + s)] -= M[std::size_t(t * k + i)] * M[std::size_t(s * k + i)];
    }
    const Eigen residual(rest, m_);
    int r = 0;
    while (r < m_ && residual.values[std::size_t(r)] > kNothing * trace) ++r;
    // In the orthonormal rows [V; Q] the gradients are [M L], L = E sqrt(values).
    const int n = k + r;
    const auto part = [&](int t, int i) {
      return i < k ? M[std::size_t(t * k + i)]
                   : residual.vectors[std::size_t((i - k) * m_ + t)] *
                         std::sqrt(residual.values[std::size_t(i - k)]);
    };
    Numbers B(std::size_t(n) * n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = i == j && i < k ? squares_[std::size_t(i)] : 0;
        for (int t = 0; t < m_; ++t) sum += part(t, i) * part(t, j);
        B[std::size_t(i * n + j)] = sum;
      }
    const Eigen top(B, n);
    const int left = std::min(m_, n);
    Numbers U(top.vectors.begin(), top.vectors.begin() + left * n);
    const double least = left == m_ ? std::max(0.0, top.values[std::size_t(m_ - 1)]) : 0;
    if (k == m_) keep_last(U, n);
    // New directions from the old rows Z and from G: N1 Z + N2 G.
    Numbers N1(std::size_t(left * m_)), N2(std::size_t(left * m_));
    for (int i = 0; i < left; ++i) {
      Numbers on_v(U.begin() + i * n, U.begin() + i * n + k);
      for (int q = 0; q < r; ++q) {
        const double by =
            U[std::size_t(i * n + k + q)] / std::sqrt(residual.values[std::size_t(q)]);
        for (int t = 0; t < m_; ++t) {
          const double weight = by * residual.vectors[std::size_t(q * m_ + t)];
          N2[std::size_t(i * m_ + t)] += weight;
          for (int v = 0; v < k; ++v) on_v[std::size_t(v)] -= weight * M[std::size_t(t * k + v)];
        }
      }
      for (int v = 0; v < k; ++v)
        for (int j = 0; j < k; ++j) N1[std::size_t(i * m_ + j)] += on_v[std::size_t(v)] * F(v, j);
    }
    Numbers delta = N2;
    if (k == m_ && divide(N1, delta)) {
      move_some(rows, b, delta);
      F_ = N1;
    } else {
      move_all(rows, b, N1, N2, left);
      orthonormalise(rows, left);
    }
    for (int i = 0; i < left; ++i)
      squares_[std::size_t(i)] = std::max(0.0, top.values[std::size_t(i)] - least);
    removed_ += least;
    directions_ = left;
    waiting_ = 0;
    std::fill(crossed_.begin(), crossed_.end(), 0.0);
    std::fill(products_.begin(), products_.end(), 0.0);
    rows_.clear(), values_.clear(), ends_.clear();
  }

  double kept() const override {
    double sum = std::accumulate(squares_.begin(), squares_.end(), 0.0);
    for (int t = 0; t < waiting(); ++t) sum += products_[std::size_t(t * m_ + t)];
    return sum;
  }
  int rank() const override { return directions() + waiting(); }
  Numbers eigenvalues() const override { return Eigen(gram(), rank()).positive(); }
  double removed() const override { return removed_; }
  int rebases() const override { return int(rebases_); }

  // The waiting gradients are part of the state: the number of entries, and row and value of each.
  Numbers state() override {
    Numbers all = Stateful::state();
    for (std::size_t t = 0, j = 0; t < ends_.size(); ++t) {
      all.push_back(double(ends_[t] - j));
      for (; j < ends_[t]; ++j) all.insert(all.end(), {double(rows_[j]), values_[j]});
    }
    return all;
  }
  void restore(const double* state, std::size_t size) override {
    const std::size_t fixed = 4 + std::size_t(m_ + 3 * m_ * m_);
    require(size >= fixed, "the sketch does not fit its size");
    Stateful::restore(state, fixed);
    const double *at = state + fixed, *end = state + size;
    rows_.clear(), values_.clear(), ends_.clear();
    for (int t = 0; t < waiting(); ++t) {
      require(at != end, "the sketch ends before its gradients");
      double left = *at++;
      Field::count("entries of a gradient", left, double(end - at) / 2).check();
      for (; left > 0; --left, at += 2) {
        double row = at[0], value = at[1];
        Field::count("row of a gradient", row, 0xffffffff).check();
        Field::number("value of a gradient", value, -1e20, 1e20).check();
        rows_.push_back(std::uint32_t(row));
        values_.push_back(value);
      }
      ends_.push_back(rows_.size());
    }
    require(at == end, "the sketch does not end with its gradients");
  }
  std::size_t rows() const override {
    return rows_.empty() ? 0 : 1 + std::size_t(*std::max_element(rows_.begin(), rows_.end()));
  }

 protected:
  Parts parts() override {
    return {
        Field::count("directions", directions_, m_), Field::count("waiting", waiting_, m_ - 1),
        Field::positive("removed", removed_),        Field::count("rebases", rebases_, 1 << 30),
        Field::positive("squares", squares_),        Field::number("factors", F_, -1e100, 1e100),
        Field::number("crossed", crossed_),          Field::number("products", products_)};
  }
  void check() override {
    require(is_covariance(products_, std::size_t(m_)), "products are not symmetric and positive");
  }

 private:
  static constexpr double kNothing = 1e-12;  // a smaller part of the gradients' squares is rounding
  // The largest condition number that is divided by.
  static constexpr double kSingular = 1e3;
  static constexpr double kParallel = 1e-4;  // least part of a row outside the others

  int directions() const { return int(directions_); }
  int waiting() const { return int(waiting_); }
  double F(int i, int j) const { return F_[std::size_t(i * m_ + j)]; }
  double length(int i) const { return std::sqrt(squares_[std::size_t(i)]); }
  double row_times(int i, const double* y) const {
    double sum = 0;
    for (int j = 0; j < directions(); ++j) sum += F(i, j) * y[j];
    return sum;
  }
  Numbers gram() const {  // S S^T
    const int k = directions(), w = waiting(), n = k + w;
    Numbers A(std::size_t(n) * n);
    for (int i = 0; i < k; ++i) A[std::size_t(i * n + i)] = squares_[std::size_t(i)];
    for (int t = 0; t < w; ++t) {
      for (int s = 0; s < w; ++s)
        A[std::size_t((k + t) * n + k + s)] = products_[std::size_t(t * m_ + s)];
      for (int i = 0; i < k; ++i) {
        double sum = 0;
        for (int j = 0; j < k; ++j) sum += F(i, j) * crossed_[std::size_t(j * m_ + t)];
        A[std::size_t(i * n + k + t)] = A[std::size_t((k + t) * n + i)] = length(i) * sum;
      }
    }
    return A;
  }
  // The last direction will have length 0. It becomes the part of the old last one that is
  // orthogonal to the others: otherwise no new row could be made of it.
  void keep_last(Numbers& U, int n) const {
    Numbers last(std::size_t(n), 0.0);
    last[std::size_t(m_ - 1)] = 1;
    for (int again = 0; again < 2; ++again)
      for (int i = 0; i + 1 < m_; ++i) {
        double along = 0;
        for (int j = 0; j < n; ++j) along += U[std::size_t(i * n + j)] * last[std::size_t(j)];
        for (int j = 0; j < n; ++j) last[std::size_t(j)] -= along * U[std::size_t(i * n + j)];
      }
    const double size = std::sqrt(std::inner_product(last.begin(), last.end(), last.begin(), 0.0));
    if (size <= kParallel) return;
    for (int j = 0; j < n; ++j) U[std::size_t((m_ - 1) * n + j)] = last[std::size_t(j)] / size;
  }
  // X <- N^-1 X, unless N is nearly singular.
  bool divide(const Numbers& N, Numbers& X) const {
    Numbers square(std::size_t(m_) * m_);
    for (int i = 0; i < m_; ++i)
      for (int j = 0; j < m_; ++j)
        for (int t = 0; t < m_; ++t)
          square[std::size_t(i * m_ + j)] +=
              N[std::size_t(i * m_ + t)] * N[std::size_t(j * m_ + t)];
    const Eigen singular(square, m_);
    const double most = singular.values[0], least = singular.values[std::size_t(m_ - 1)];
    if (!(least > 0) || !(most < kSingular * kSingular * least)) return false;
    // N^-1 = N^T (N N^T)^-1
    Numbers inverse(std::size_t(m_) * m_), out(X.size());
    for (int i = 0; i < m_; ++i)
      for (int j = 0; j < m_; ++j)
        for (int e = 0; e < m_; ++e)
          inverse[std::size_t(i * m_ + j)] += singular.vectors[std::size_t(e * m_ + i)] *
                                              singular.vectors[std::size_t(e * m_ + j)] /
                                              singular.values[std::size_t(e)];
    for (int i = 0; i < m_; ++i)
      for (int j = 0; j < m_; ++j) {
        double by = 0;
        for (int t = 0; t < m_; ++t)
          by += N[std::size_t(t * m_ + i)] * inverse[std::size_t(t * m_ + j)];
        for (int t = 0; t < m_; ++t)
          out[std::size_t(i * m_ + t)] += by * X[std::size_t(j * m_ + t)];
      }
    X = out;
    return true;
  }
  // Z <- Z + delta G in the rows that G has.
  void move_some(const SketchRows& rows, ByLane& b, const Numbers& delta) {
    for (std::size_t t = 0, j = 0; t < ends_.size(); ++t) {
      Numbers to_weights;
      for (int l = 0; l < rows.lanes; ++l) {
        double by = b.at(m_ + int(t), l);
        for (int i = 0; i < m_; ++i) by -= delta[std::size_t(i * m_) + t] * b.at(i, l);
        to_weights.push_back(by);
      }
      for (; j < ends_[t]; ++j) {
        double *z = rows.numbers(rows_[j]), *w = rows.weights(rows_[j]);
        const double v = values_[j];
        for (int i = 0; i < m_; ++i) z[i] += delta[std::size_t(i * m_) + t] * v;
        for (std::size_t l = 0; l < to_weights.size(); ++l) w[l] += to_weights[l] * v;
        std::fill_n(z + m_, m_, 0.0);
      }
    }
    std::fill(b.row(m_), b.row(2 * m_), 0.0);
  }
  // Goes through all rows: Y^T b is added to the weights, and Z <- N1 Z + N2 G.
  void move_all(const SketchRows& rows, ByLane& b, const Numbers& N1, const Numbers& N2, int left) {
    Numbers fresh(std::size_t(m_), 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double *z = rows.numbers(rows[i]), *w = rows.weights(rows[i]);
      if (std::all_of(z, z + 2 * m_, [](double v) { return v == 0; })) continue;
      for (int l = 0; l < rows.lanes; ++l)
        for (int j = 0; j < 2 * m_; ++j) w[l] += b.at(j, l) * z[j];
      for (int k = 0; k < left; ++k) {
        fresh[std::size_t(k)] = 0;
        for (int j = 0; j < m_; ++j)
          fresh[std::size_t(k)] +=
              N1[std::size_t(k * m_ + j)] * z[j] + N2[std::size_t(k * m_ + j)] * z[m_ + j];
      }
      std::copy_n(fresh.begin(), left, z);
      std::fill_n(z + m_, m_, 0.0);
    }
    b.clear();
    rebases_ += 1;
  }

  // Rounding errors of the rows would add up.
  void orthonormalise(const SketchRows& rows, int left) {
    Numbers products = products_of(rows, left);
    std::fill(F_.begin(), F_.end(), 0.0);
    if (cholesky(products.data(), left))
      return invert_lower(products.data(), left, left, F_.data(), m_);
    for (int i = 0; i < left; ++i) F_[std::size_t(i * m_ + i)] = 1;
  }

  int m_;
  double directions_ = 0, waiting_ = 0, removed_ = 0, rebases_ = 0;
  Numbers squares_, F_;              // D^2, and V = F Z
  Numbers crossed_, products_;       // Z G^T, G G^T
  std::vector<std::uint32_t> rows_;  // the entries of G
  Numbers values_;
  std::vector<std::size_t> ends_;
};

}  // namespace regretless
