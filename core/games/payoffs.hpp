// The matrix of a zero-sum game (Mohri et al. (2018), section 8.5), as its two players see it:
// if they play i and j, the row player loses A[i][j] and the column player gains it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels.hpp"

namespace regretless::games {

class Payoffs {
 public:
  Payoffs(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns) {}
  virtual ~Payoffs() = default;
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  virtual void losses(const double* q, double* Aq) const = 0;  // of each row against q
  virtual void gains(const double* p, double* pA) const = 0;   // of each column against p

 private:
  std::size_t rows_, columns_;
};

class DensePayoffs : public Payoffs {
 public:
  DensePayoffs(const double* A, std::size_t rows, std::size_t columns)
      : Payoffs(rows, columns), A_(A), kernels_(kernels()) {}
  void losses(const double* q, double* Aq) const override {
    kernels_.row_products(A_, rows(), columns(), q, Aq);
  }
  void gains(const double* p, double* pA) const override {
    kernels_.row_sum(A_, rows(), columns(), p, pA);
  }

 private:
  const double* A_;  // row by row
  Kernels kernels_;
};

// Compressed rows: row i has values[k] in columns[k] for starts[i] <= k < starts[i + 1].
class SparsePayoffs : public Payoffs {
 public:
  SparsePayoffs(const std::int64_t* starts, const std::int32_t* places, const double* values,
                std::size_t rows, std::size_t columns)
      : Payoffs(rows, columns), starts_(starts), places_(places), values_(values) {}
  void losses(const double* q, double* Aq) const override {
    for (std::size_t i = 0; i < rows(); ++i) {
      double sum = 0;
      for (std::int64_t k = starts_[i]; k < starts_[i + 1]; ++k) sum += values_[k] * q[places_[k]];
      Aq[i] = sum;
    }
  }
  void gains(const double* p, double* pA) const override {
    std::fill_n(pA, columns(), 0.0);
    for (std::size_t i = 0; i < rows(); ++i)
      if (p[i] > 0)
        for (std::int64_t k = starts_[i]; k < starts_[i + 1]; ++k)
          pA[places_[k]] += p[i] * values_[k];
  }

 private:
  const std::int64_t* starts_;
  const std::int32_t* places_;
  const double* values_;
};

}  // namespace regretless::games
