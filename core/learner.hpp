// A linear learner: features, bank, loss and rule. It knows nothing of labels or of Python.
#pragma once
#include <string>

#include "bank.hpp"
#include "model.hpp"
#include "votes.hpp"

namespace regretless {

class Learner : public Model {
 public:
  Learner(Loss loss, Rule rule, int bits, std::uint32_t remembered, bool certify,
          Kernels kernels = regretless::kernels());

  const Loss& loss() const override { return loss_; }
  Features& features() override { return features_; }
  Bank& bank() { return bank_; }
  int lanes() const override { return bank_.layout().lanes; }
  bool certify() const { return certify_; }
  std::vector<double>& scalars() { return scalars_; }
  bool votes() const { return votes_; }
  double low() const override;
  double high() const override;
  bool starts_at_zero() const override;
  Votes& record() { return record_; }
  Lanes lane_scalars() { return {scalars_.data(), bank_.layout().width}; }
  double scalar(Scalar s, int lane) const override {
    return scalars_[std::size_t(s) * bank_.layout().width + lane];
  }

  void grow() override { grow(features_.size()); }
  void grow(std::size_t rows);
  void predict(const Batch& batch) const override;
  void learn(const Batch& batch, std::size_t offset = 0) override;
  void relane(const std::vector<int>& sources, const std::vector<int>& signs) override;

  std::vector<double> weights() const override;

  bool has_gradient_sum() const override { return certify_ || keeps_gradient_sum_; }
  std::array<double, 3> gradient_norms() const override;
  std::vector<Part> parts() override { return {{&bank_, &scalars_}}; }

  // As one of several banks: so many lanes learn the same, and none may stop the others.
  void join(int per_class) {
    per_class_ = per_class;
    forgiving_ = true;
  }

 private:
  Layout layout(int lanes) const;
  BankView view() const;
  std::size_t learn_and_record(const Batch& batch);
  void vote(const Batch& batch) const;

  Loss loss_;
  Rule rule_;
  bool certify_, needs_clock_, keeps_gradient_sum_, votes_;
  int per_class_ = 1;
  bool forgiving_ = false;
  Features features_;
  Bank bank_;
  std::vector<double> scalars_;
  Votes record_;
  mutable std::vector<double> place_;  // for Votes::score
  Kernels kernels_;
};

}  // namespace regretless
