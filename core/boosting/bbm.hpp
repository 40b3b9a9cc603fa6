// Online boost-by-majority (Luo (2016), Algorithm 7): a drifting game in which each voter moves a
// chip by z = 1 if it is right and by -1 if it is wrong. If voters are right with probability p,
// the majority errs in spite of the remaining voters with probability
//
//   Phi_i(s) = Pr[Bin(n - i, p) <= (n - i - s) / 2],    w_i = (Phi_i(s - 1) - Phi_i(s + 1)) / 2
//
// so that w_i is half of Pr[Bin(n - i, p) = k], k = floor((n - i - s + 1) / 2). Voters that learn
// from weighted examples have twice the edge of those that learn from sampled ones (Eq. 3.3 against
// Lemma 6), hence p = 1/2 + edge or 1/2 + edge / 2.
#pragma once
#include <numeric>

#include "boosting/counted.hpp"

namespace regretless {

class Bbm : public Counted {
 public:
  Bbm(int n, double edge, bool weighted) : Counted(n), p_(0.5 + (weighted ? edge : edge / 2)) {
    for (int i = 1; i <= n; ++i) {
      const std::vector<double> row = binomial(n - i);
      rows_.push_back(table_.size());
      table_.insert(table_.end(), row.begin(), row.end());
      largest_.push_back(0.5 / total(row, n - i));
    }
    const std::vector<double> all = binomial(n);
    lost_ = total(all, n / 2) / total(all, n);
  }
  std::unique_ptr<Voting> clone() const override { return std::make_unique<Bbm>(*this); }

  double margin(const double* votes, double) const override {
    return std::accumulate(votes, votes + voters(), 0.0);
  }
  void learn(const double* votes, double tie, double y, double h, double* weights) override {
    count(says(votes, tie), y, h);
    double s = 0;
    for (int i = 0; i < voters(); ++i) {
      const int after = voters() - 1 - i;
      const double k = std::floor((after - s + 1) / 2), z = y * votes[i];
      weights[i] = k >= 0 && k <= after ? table_[rows_[i] + std::size_t(k)] : 0;
      count_vote(std::size_t(i), largest_[i] * weights[i], z, h);
      s += z;
    }
    if (s <= 0) potential_ += h;
  }
  std::map<std::string, std::vector<double>> measured() const override {
    auto all = Counted::measured();
    all["bias"] = {2 * p_ - 1};
    all["start"] = {lost_};
    all["potential"] = {potential_};
    return all;
  }

 protected:
  Parts parts() override {
    return join(Counted::parts(), {Field::positive("potential", potential_)});
  }
  void check() override { Counted::check(), up_to_weight("potential", potential_); }

 private:
  // Pr[Bin(m, p) = k] for k = 0 to m, divided by the largest of them: from it outwards by the
  // ratios of neighbours, so that nothing overflows and each is known to a few m roundings.
  std::vector<double> binomial(int m) const {
    std::vector<double> row(std::size_t(m) + 1);
    const int top = std::min(m, int((m + 1) * p_));
    const double odds = p_ / (1 - p_);
    row[top] = 1;
    for (int k = top; k < m; ++k) row[k + 1] = row[k] * odds * (m - k) / (k + 1);
    for (int k = top; k > 0; --k) row[k - 1] = row[k] / odds * k / (m - k + 1);
    for (double& each : row) each = std::min(each, 1.0);  // one of two largest may be rounded
    return row;
  }
  static double total(const std::vector<double>& row, int last) {
    return std::accumulate(row.begin(), row.begin() + last + 1, 0.0);
  }

  double p_;
  double lost_;                    // Phi_0(0)
  std::vector<double> table_;      // w_i by k, divided by the largest of i
  std::vector<double> largest_;    // the largest weights
  std::vector<std::size_t> rows_;  // where the row of i begins in the table
  double potential_ = 0;           // sum of Phi_n(s_n)
};

}  // namespace regretless
