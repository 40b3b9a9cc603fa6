// A linear learner: features, bank, loss and rule. It knows nothing about label names or Python.
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
  std::size_t rows() const { return rows_; }
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

  bool precise() const { return kernels_.words == 2; }

  void grow() override { grow(features_.size()); }
  void grow(std::size_t rows);
  void predict(const Batch& batch) const override;
  void learn(const Batch& batch, std::size_t offset = 0) override;
  void relane(const std::vector<int>& sources, const std::vector<int>& signs) override;
  void extend(int count) override;
  void reserve(int lanes) override;
  void pack() override;
  // The bytes needed to have so many lanes; 0 if they are laid out already.
  std::size_t wanted(int lanes) const;
  // Gives rows to the features of a batch before it is learned, `rows` being the number of features
  // known; throws NoRoom if there is too little memory.
  void touch(const Batch& batch, std::size_t rows);

  using Model::weights;
  std::vector<double> weights(const Rows& rows) const override;

  bool has_gradient_sum() const override { return certify_ || keeps_gradient_sum_; }
  std::array<double, 4> gradient_norms() const override;
  std::vector<Part> parts() override { return {{&bank_, &scalars_, &places_}}; }

  // Makes this one of several banks: each class has `per_class` lanes, and no lane stops the
  // others.
  void join(int per_class) {
    per_class_ = per_class;
    forgiving_ = true;
  }

 private:
  Layout layout(int lanes, int room = 0) const;
  // Once several classes make rows wide, rows of hashed features are laid out as they are touched.
  std::size_t in_use() const;  // rows that would have to be laid out anew
  bool scatters(int lanes) const { return features_.hashed() && lanes > per_class_; }
  void lay_out(const Layout& to, const std::vector<int>& sources, const std::vector<int>& signs);
  // Calls f with a number of the type that the bank has.
  template <class F>
  auto with_number(F f) const {
    return precise() ? f(double{}) : f(float{});
  }
  template <class F>
  void move_rows(const Layout& to, F move);
  Batch placed(const Batch& batch) const;
  void count_features();
  BankView view() const;
  std::size_t learn_and_record(const Batch& batch);
  void vote(const Batch& batch) const;

  Loss loss_;
  Rule rule_;
  Kernels kernels_;
  bool certify_, needs_clock_, keeps_gradient_sum_, votes_;
  int per_class_ = 1;
  int room_ = 0;  // lanes to lay out for later
  bool forgiving_ = false;
  Features features_;
  std::size_t rows_ = 0;  // number of features known
  Places places_;
  Bank bank_;
  std::vector<double> scalars_;
  Votes record_;
  mutable std::vector<double> place_;  // for Votes::score
  mutable std::vector<std::size_t> placed_starts_;
  mutable std::vector<std::uint32_t> placed_rows_;
};

}  // namespace regretless
