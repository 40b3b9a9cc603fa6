// Oja's sketch (Luo (2016), Algorithms 14, 22, 23):
//
//   p = V g,   lambda_i += p_i^2,   V <- orthonormal rows of V + diag(1 / lambda) p g^T,
//   S = diag(sqrt(lambda)) V,   V = F Y
//
// 1 / lambda_i is of the order 1/t that the text requires, and makes the sketch invariant to the
// scale of the gradients. lambda is at least a millionth of |g|^2: a smaller part of a gradient
// along a row is rounding. As the rows of V were orthonormal, their products are now I + u p^T + p
// u^T + |g|^2 u u^T with u = p / lambda, and Gram-Schmidt takes m^2 steps instead of the m^3 in the
// text (sketch/oja_steps.hpp). F stays lower triangular.
//
// The rule takes small steps, from random directions in the text. But the first gradients are the
// largest, and most of what the sketch will ever hold. So they are merged exactly: V and lambda are
// the m largest eigenvectors and eigenvalues of V^T diag(lambda) V + g g^T, in all rows that had a
// gradient.
#pragma once
#include "kernels.hpp"
#include "sketch/sketch.hpp"

namespace regretless {

class OjaSketch : public Sketch {
 public:
  OjaSketch(int size, Kernels kernels)
      : m_(size),
        stride_((size + 3) / 4 * 4),
        kernels_(kernels),
        lambda_(std::size_t(stride_)),
        F_(std::size_t(stride_ * stride_)),
        norms_(std::size_t(stride_)),
        scratch_(std::size_t(9 * stride_ + 8)) {}
  std::unique_ptr<Sketch> clone() const override { return std::make_unique<OjaSketch>(*this); }

  int slots() const override { return m_; }
  int size() const override { return stride_; }
  void apply(const Matrices& lanes, const Numbers& y, ByLane& out) const override {
    kernels_.oja_apply(view(rank()), out.width(), lanes.alpha.data(), lanes.strength.data(),
                       y.data(), out.row(0));
  }

  // The rows at hand may be those of a whole batch, and nothing may depend on how large batches are.
  void grow(std::size_t rows) override {
    if (!grown_) held_ = double(rows), grown_ = true;
  }
  bool add(double e, double xx, int features, Numbers& y, Numbers& delta) override {
    seen_ = features;
    const double all = e * e * xx, inside = kernels_.oja_along(view(rank()), e, y.data());
    if (starts()) {
      merge(all, std::max(0.0, all - inside), rank() < features);
      return true;
    }
    const bool unsound = inside > kBessel * all;
    double* p = view(rank()).p;
    if (unsound) {
      for (int i = 0; i < rank(); ++i) p[i] *= std::sqrt(all / inside);
    } else if (rank() < std::min(m_, features) && all - inside > kNew * all) {
      start(p, std::sqrt(all), all - inside, e, xx, y, delta);
    }
    kernels_.oja_turn(view(rank()), e, xx, y.data(), delta.data());
    ++rounds_;
    return m_ > 0 && (unsound || rounds_ >= next_ || (std::fmod(rounds_, kLook) == 0 && spoiled()));
  }

  void remember(const Example& x, const double* scaled, double e) override {
    if (!starts()) return;
    rows_.assign(x.rows, x.rows + x.size);
    met_.insert(met_.end(), x.rows, x.rows + x.size);
    std::sort(met_.begin(), met_.end());
    met_.erase(std::unique(met_.begin(), met_.end()), met_.end());
    values_.clear();
    for (std::size_t j = 0; j < x.size; ++j) values_.push_back(e * scaled[j]);
  }

  // Adds Y^T b to the weights, sets Y to V, or to the new V if a gradient is merged, and makes its
  // rows orthonormal again, in spite of rounding.
  void compress(const SketchRows& all, ByLane& b) override {
    const bool merging = starts();
    const SketchRows rows{all.bank, all.lanes, merging ? &met_ : nullptr};
    const int r = rank(), left = merging ? int(of_gradient_.size()) : r;
    const double* turn = merging ? of_rows_.data() : F_.data();
    Numbers fresh(std::size_t(left), 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double *y = rows.numbers(rows[i]), *w = rows.weights(rows[i]);
      if (std::all_of(y, y + r, [](double v) { return v == 0; })) continue;
      for (int l = 0; l < rows.lanes; ++l)
        for (int j = 0; j < r; ++j) w[l] += b.at(j, l) * y[j];
      for (int k = 0; k < left; ++k)
        fresh[std::size_t(k)] = std::inner_product(y, y + r, turn + k * stride_, 0.0);
      std::copy_n(fresh.begin(), left, y);
    }
    b.clear();
    if (merging) {
      for (std::size_t j = 0; j < rows_.size(); ++j)
        for (int k = 0; k < left; ++k)
          rows.numbers(rows_[j])[k] += of_gradient_[std::size_t(k)] * values_[j];
      rank_ = left;
      ++rounds_;
      visited_ += double(rows.size());
    } else {
      ++rebases_;
    }
    next_ = rounds_ + kRebase + kPerRow * std::max(held_, double(seen_));
    orthonormalise(rows);
    if (!starts()) met_ = {};
  }

  double kept() const override { return std::accumulate(lambda_.begin(), lambda_.end(), 0.0); }
  int rank() const override { return int(rank_); }
  Numbers eigenvalues() const override {
    Numbers all(lambda_.begin(), lambda_.begin() + rank());
    std::sort(all.rbegin(), all.rend());
    return all;
  }
  int rebases() const override { return int(rebases_); }

  // While gradients are merged, the rows that had one are part of the state.
  Numbers state() override {
    Numbers all = Stateful::state();
    all.insert(all.end(), met_.begin(), met_.end());
    return all;
  }
  void restore(const double* state, std::size_t size) override {
    const std::size_t fixed = Stateful::state().size();
    require(size >= fixed, "the sketch does not fit its size");
    Stateful::restore(state, fixed);
    require(size == fixed || starts(), "the sketch has rows that it does not need");
    met_.clear();
    for (const double* at = state + fixed; at != state + size; ++at) {
      double row = *at;
      Field::count("row of a gradient", row, 0xffffffff).check();
      require(met_.empty() || row > met_.back(), "rows of gradients are not in order");
      met_.push_back(std::uint32_t(row));
    }
  }
  std::size_t rows() const override { return met_.empty() ? 0 : 1 + std::size_t(met_.back()); }

 protected:
  Parts parts() override {
    return {Field::count("rank", rank_, m_),         Field::count("sketched rounds", rounds_),
            Field::count("next rebase", next_),      Field::count("visited rows", visited_),
            Field::count("first rows", held_),       Field::count("rebases", rebases_, 1 << 30),
            Field::positive("eigenvalues", lambda_), Field::number("factors", F_, -1e100, 1e100),
            Field::positive("norms", norms_, 1e200)};
  }
  void check() override {
    const int r = rank();
    for (int i = 0; i < stride_; ++i)
      for (int j = 0; j < stride_; ++j) {
        const double f = row(i)[j];
        require(i < r && j <= i ? i != j || f != 0 : f == 0, "factors are not a triangle");
      }
    for (int i = r; i < stride_; ++i)
      require(lambda_[std::size_t(i)] == 0, "eigenvalues are more than there are directions");
  }

 private:
  // Gradients that are merged exactly, unless as many rows were gone through for it before.
  static constexpr double kStart = 256, kVisits = 1 << 14;
  static constexpr double kNew = 1e-6;     // least part of |g|^2 outside of V: a new direction
  static constexpr double kBessel = 1.01;  // most |V g|^2 / |g|^2; 1 for orthonormal rows
  static constexpr double kSpoiled = 1e3;  // rows of V are differences of so much longer rows
  static constexpr double kSame = 1e-3;    // least part of a row outside the earlier rows
  static constexpr int kLook = 16;         // rounds between two checks of kSpoiled
  // Rounds between two rebases, at most: errors of the rows add up, and b grows like the sum of all
  // steps. So many cost little beside the rounds themselves.
  static constexpr double kRebase = 4096, kPerRow = 4;

  OjaView view(int rank) const {
    auto* own = const_cast<OjaSketch*>(this);
    double* scratch = own->scratch_.data();
    return {
        rank,    stride_,           own->lambda_.data(),   own->F_.data(),       own->norms_.data(),
        scratch, scratch + stride_, scratch + 2 * stride_, scratch + 3 * stride_};
  }
  double* row(int i) { return F_.data() + i * stride_; }
  const double* row(int i) const { return F_.data() + i * stride_; }
  bool starts() const { return m_ > 0 && rounds_ < kStart && visited_ < kVisits; }
  // Of the rows [V; q], q = (g - V^T p) / rho, the m best combinations U [V; q]. As q is not in the
  // bank they are kept as (U_1 - u p^T / rho) F Y + (u / rho) g.
  void merge(double all, double rest, bool room) {
    const int r = rank(), n = r + (room && rest > kNew * all), left = std::min(n, m_);
    Numbers along(view(r).p, view(r).p + r), sum(std::size_t(n * n));
    if (n > r) along.push_back(std::sqrt(rest));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        sum[std::size_t(i * n + j)] = along[std::size_t(i)] * along[std::size_t(j)] +
                                      (i == j && i < r ? lambda_[std::size_t(i)] : 0);
    const Eigen top(sum, n);
    of_rows_.assign(std::size_t(left * stride_), 0.0);
    of_gradient_.assign(std::size_t(left), 0.0);
    for (int i = 0; i < left; ++i) {
      const double* u = top.vectors.data() + i * n;
      const double by = of_gradient_[std::size_t(i)] = n > r ? u[r] / along[std::size_t(r)] : 0;
      for (int j = 0; j < r; ++j)
        for (int l = 0; l <= j; ++l)
          of_rows_[std::size_t(i * stride_ + l)] += (u[j] - by * along[std::size_t(j)]) * row(j)[l];
      lambda_[std::size_t(i)] = std::max(0.0, top.values[std::size_t(i)]);
    }
  }
  // Sets F so that the rows of F Y are orthonormal, and drops those that are only rounding.
  void orthonormalise(const SketchRows& rows) {
    const int r = rank();
    Numbers products = products_of(rows, r);
    std::fill(F_.begin(), F_.end(), 0.0);
    for (int k = 0; k < r; ++k) norms_[std::size_t(k)] = products[std::size_t(k * r + k)];
    const int left = factored(products, r);
    if (left < r) drop(rows, left, r);
    invert_lower(products.data(), left, r, F_.data(), stride_);
  }
  // The Cholesky factor of the products of the rows that are independent of those before them.
  static int factored(Numbers& products, int r) {
    for (int i = 0; i < r; ++i) {
      const double before = products[std::size_t(i * r + i)];
      for (int j = 0; j <= i; ++j) {
        double sum = products[std::size_t(i * r + j)];
        for (int k = 0; k < j; ++k)
          sum -= products[std::size_t(i * r + k)] * products[std::size_t(j * r + k)];
        if (i == j && !(sum > kSame * before)) return i;
        products[std::size_t(i * r + j)] =
            i == j ? std::sqrt(sum) : sum / products[std::size_t(j * r + j)];
      }
    }
    return r;
  }
  // Drops rows that are only rounding.
  void drop(const SketchRows& rows, int left, int r) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double* y = rows.numbers(rows[i]);
      std::fill(y + left, y + r, 0.0);
    }
    std::fill(lambda_.begin() + left, lambda_.end(), 0.0);
    rank_ = left;
  }
  // Adds the row (g - V^T p) / rho; in Y it is the gradient itself, divided by its length.
  void start(double* p, double length, double rho2, double e, double xx, Numbers& y,
             Numbers& delta) {
    const int r = rank();
    const double rho = std::sqrt(rho2);
    double* fresh = row(r);
    for (int j = 0; j < r; ++j) {
      double sum = 0;
      for (int i = j; i < r; ++i) sum += row(i)[j] * p[i];
      fresh[j] = -sum / rho;
    }
    fresh[r] = length / rho;
    norms_[std::size_t(r)] = 1;
    y[std::size_t(r)] = e * xx / length;
    delta[std::size_t(r)] = 1 / length;
    p[r] = rho;
    rank_ = r + 1;
  }
  bool spoiled() const {
    for (int i = 0; i < rank(); ++i) {
      double sum = 0;
      for (int j = 0; j <= i; ++j)
        sum += std::fabs(row(i)[j]) * std::sqrt(std::max(0.0, norms_[std::size_t(j)]));
      if (!(sum < kSpoiled)) return true;
    }
    return false;
  }

  int m_, stride_;  // the rows of F are padded to fours
  Kernels kernels_;
  double rank_ = 0, rounds_ = 0, next_ = kRebase, rebases_ = 0, visited_ = 0;
  double held_ = 0;  // rows at the start: all of them, if features are hashed
  bool grown_ = false;
  int seen_ = 0;                // features
  Numbers lambda_, F_, norms_;  // norms_: |Y_i|^2
  Numbers scratch_;
  Numbers of_rows_, of_gradient_, values_;  // between `add` and `compress`
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> met_;  // the rows of all gradients that were merged, in order
};

}  // namespace regretless
