// Sketched online Newton (Luo (2016), chapter 4). Each class has one or more spaces with lanes; if
// there are several lanes they are mixed by their losses.
#pragma once
#include "mixing/mixing.hpp"
#include "model.hpp"
#include "newton/lanes.hpp"

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
  double scalar(Scalar s, int lane) const override { return frames(lane)[0].scalar(s); }
  bool has_gradient_sum() const override { return certify_; }
  std::array<double, 4> gradient_norms() const override;
  std::vector<Part> parts() override { return newton_.parts(); }
  std::vector<double> numbers() override;
  void restore_numbers(const double* numbers, std::size_t size) override;

  const NewtonLanes::Frames& frames(int lane) const { return newton_.frames(lane); }
  Mixing* mixing(int lane) {  // null if there is only one lane
    return each_ > 1 ? &heads_[std::size_t(lane)].mixing : nullptr;
  }

 private:
  struct Head {  // of a class
    Mixing mixing;
    double said = 0;  // the score of the example being learned
    Loss::Outcome outcome{};
  };
  Head fresh() const { return {Mixing(loss_, each_, 0, kernels_)}; }
  void shrink(std::size_t rows);  // after the names of a refused example are forgotten
  double score(int lane, const Example& x) const;
  bool takes(int lane, double h) const;
  double target(const Batch& batch, std::size_t t, int lane) const;

  Loss loss_;
  int each_ = 0;  // lanes of a class
  bool certify_;
  Kernels kernels_;
  Features features_;
  mutable NewtonLanes newton_;  // scratch
  mutable std::vector<Head> heads_;
};

}  // namespace regretless
