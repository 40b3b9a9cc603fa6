// A linear learner: features, bank, loss and rule. It knows nothing of labels or of Python.
#pragma once
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "bank.hpp"
#include "features.hpp"
#include "kernels.hpp"
#include "votes.hpp"

namespace regretless {

// A score left the range of floating point: the step size is too large for the data.
struct Diverged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Learner {
 public:
  Learner(Loss loss, Rule rule, int bits, std::uint32_t remembered, bool certify,
          Kernels kernels = regretless::kernels());

  const Loss& loss() const { return loss_; }
  Features& features() { return features_; }
  const Features& features() const { return features_; }
  Bank& bank() { return bank_; }
  int lanes() const { return bank_.layout().lanes; }
  bool certify() const { return certify_; }
  std::vector<double>& scalars() { return scalars_; }
  bool votes() const { return votes_; }
  // What the rule asks of features: the range of their values, and the weight of those not seen.
  double low() const;
  double high() const;
  bool starts_at_zero() const;
  Votes& record() { return record_; }
  double scalar(Scalar s, int lane) const {
    return scalars_[std::size_t(s) * bank_.layout().width + lane];
  }

  // Give rows to the features that were named since the bank was last used.
  void grow();
  void predict(const Batch& batch) const;
  void learn(const Batch& batch,
             std::size_t offset = 0);  // offset: of the batch in the call, for errors

  // New lanes made of old ones: source -1 is a fresh lane, sign -1 a lane with the labels
  // exchanged.
  void relane(const std::vector<int>& sources, const std::vector<int>& signs);

  std::vector<double> weights() const;  // rows x lanes

  bool has_gradient_sum() const { return certify_ || keeps_gradient_sum_; }
  // l1, l2 and l-infinity norm of the sum of gradients over all rows and lanes.
  std::array<double, 3> gradient_norms() const;

 private:
  Layout layout(int lanes) const;
  BankView view() const;
  std::size_t learn_and_record(const Batch& batch);
  void vote(const Batch& batch) const;

  Loss loss_;
  Rule rule_;
  bool certify_, needs_clock_, keeps_gradient_sum_, votes_;
  Features features_;
  Bank bank_;
  std::vector<double> scalars_;
  Votes record_;
  mutable std::vector<double> place_;  // for Votes::score
  Kernels kernels_;
};

}  // namespace regretless
