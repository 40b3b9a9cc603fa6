// Sketched online Newton (Luo (2016), chapter 4). Each class has one or more spaces with lanes; if
// there are several lanes they are mixed by their losses.
#pragma once
#include <deque>

#include "mixing/mixing.hpp"
#include "model.hpp"
#include "newton/frame.hpp"

namespace regretless {

class Newton : public Model {
 public:
  Newton(Loss loss, const NewtonOptions& options, int bits, std::uint32_t remembered, bool certify,
         Kernels kernels = regretless::kernels());

  const Loss& loss() const override { return loss_; }
  Features& features() override { return features_; }
  int lanes() const override { return int(heads_.size()); }

  void predict(const Batch& batch) const override;
  void learn(const Batch& batch, std::size_t offset = 0) override;
  void grow() override;
  void relane(const std::vector<int>& sources, const std::vector<int>& signs) override;
  void extend(int count) override;
  void reserve(int classes) override;

  using Model::weights;
  std::vector<double> weights(const Rows& rows) const override;
  double scalar(Scalar s, int lane) const override {
    return heads_[std::size_t(lane)].frames[0].scalar(s);
  }
  bool has_gradient_sum() const override { return certify_; }
  std::array<double, 4> gradient_norms() const override;
  std::vector<Part> parts() override;
  std::vector<double> numbers() override;
  void restore_numbers(const double* numbers, std::size_t size) override;

  const std::vector<NewtonFrame>& frames(int lane) const {
    return heads_[std::size_t(lane)].frames;
  }
  Mixing* mixing(int lane) {  // null if there is only one lane
    Head& head = heads_[std::size_t(lane)];
    return head.mixes() ? &head.mixing : nullptr;
  }

 private:
  struct Head {  // of a class
    std::vector<NewtonFrame> frames;
    Mixing mixing;
    double said = 0;  // the score of the example being learned
    Loss::Outcome outcome{};
    bool mixes() const { return mixing.lanes() > 1; }
    // The score of x. With several lanes, their scores are put where the mixture expects them.
    double score(const Example& x);
    bool takes(const Loss& loss, double h);
  };
  Head fresh() const;
  void shrink(std::size_t rows);  // after the names of a refused example are forgotten
  void prefetch(const Batch& batch, std::size_t t) const;
  double target(const Batch& batch, std::size_t t, int lane) const;

  Loss loss_;
  NewtonOptions options_;
  bool certify_;
  Kernels kernels_;
  Features features_;
  mutable std::deque<Head> heads_;  // scratch
};

}  // namespace regretless
