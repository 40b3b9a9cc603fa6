// Mixes the scores of the lanes of one class into one, by what the lanes have lost.
#pragma once
#include <algorithm>
#include <vector>

#include "experts/ada.hpp"
#include "kernels.hpp"
#include "sketch/matrices.hpp"

namespace regretless {

// Exp-concave losses: exponential weights and a blend. Others: AdaNormalHedge over the losses of
// the lanes, in a unit that grows with their range.
class Mixing {
 public:
  Mixing(const Loss& loss, int lanes, double share, Kernels kernels = regretless::kernels())
      : loss_(loss),
        lanes_(lanes),
        width_((lanes + 4) / 4 * 4),
        share_(share),
        kernels_(kernels),
        data_(std::size_t(3 * width_ + width_ * width_ + MixingView::kScalars)),
        hedge_(std::vector<double>(std::size_t(lanes), 1.0 / lanes), 1.0),
        scratch_(std::size_t(3 * width_)) {
    const MixingView v = view();
    for (int e = 0; e <= lanes_; ++e) v.weights[e] = 1.0 / (lanes_ + 1);
    for (int k = 0; k < lanes_; ++k) {
      v.blend[k] = 1.0 / lanes_;
      v.inverse[k * (width_ + 1)] = kTrust;
    }
  }

  static bool exp_concave(const Loss& loss) {
    return loss.kind == LossKind::logistic || loss.kind == LossKind::squared;
  }
  int lanes() const { return lanes_; }
  int experts() const { return lanes_ + exp_concave(loss_); }
  double* scores() { return scratch_.data(); }  // the caller puts the scores of the lanes here

  double score() {
    if (exp_concave(loss_)) return kernels_.mixed_score(loss_, view(), scratch_.data());
    double *shares = scratch_.data() + width_, sum = 0;
    hedge_.distribution(nullptr, shares);
    for (int k = 0; k < lanes_; ++k) sum += shares[k] * scratch_[std::size_t(k)];
    return sum;
  }
  // Learns the target of the scores mixed last; `suffered` is the loss of their mixture.
  void learn(double suffered, double y, double h) {
    if (exp_concave(loss_))
      return kernels_.mixed_learn(loss_, view(), scratch_.data(), suffered, y, h);
    suffered = std::min(suffered, kWorst);
    const MixingView v = view();
    std::vector<double> lost(std::size_t(lanes_), 0.0);
    double low = suffered, high = suffered;
    for (int k = 0; k < lanes_; ++k) {
      const double l = std::min(loss_.value(scratch_[std::size_t(k)], y), kWorst);
      lost[std::size_t(k)] = h * l;
      v.losses[k] += h * l;
      low = std::min(low, l), high = std::max(high, l);
    }
    v.scalars[MixingView::kLoss] += h * suffered;
    double& unit = v.scalars[MixingView::kRate];
    const double range = h * (high - low);
    if (range > unit) {  // at least doubled: all changes together cost no more than the last
      const double grown = std::max(range, 2 * unit);
      if (unit > 0) {
        hedge_.rescale(unit / grown);
        v.scalars[MixingView::kChanges] += 1;
        v.scalars[MixingView::kShrunk] += std::log(grown) - std::log(unit);
      }
      unit = grown;
    }
    if (unit > 0) {
      for (double& l : lost) l = (l - h * low) / unit;
      hedge_.update(lost.data(), nullptr, h * (suffered - low) / unit);
    }
  }

  // The lanes that can be dropped, the worst first, given their losses at an earlier round and the
  // number of rounds. Each is far behind the best expert, recently too, and the blend of the others
  // would have lost only a little more without it. The best lane stays.
  std::vector<int> hopeless(const std::vector<double>& earlier, double rounds) {
    std::vector<int> found;
    if (!exp_concave(loss_) || share_ > 0) return found;  // with a share, a lane may come back
    Mixing rest = *this;
    const MixingView v = view();
    const double* best = std::min_element(v.losses, v.losses + experts());
    const double* best_lane = std::min_element(v.losses, v.losses + lanes_);
    const double late = *best - earlier[std::size_t(best - v.losses)];
    const double unit = v.scalars[MixingView::kRate];
    const auto behind = [&](int k) {
      const double since = v.losses[k] - earlier[std::size_t(k)];
      return v.losses + k != best_lane && v.losses[k] - *best > kFar * unit &&
             since > (1 + kMargin) * late;
    };
    for (;;) {
      int next = -1;
      double least = unit * (kFar + kCheap * rounds);
      for (int k = 0; k < lanes_; ++k) {
        if (!behind(k) || std::count(found.begin(), found.end(), k)) continue;
        const double cost = rest.worth(k);
        if (cost < least) next = k, least = cost;
      }
      if (next < 0) return found;
      rest.condition(next);
      found.push_back(next);
    }
  }
  // The mixture of the other lanes.
  Mixing without(const std::vector<int>& gone) {
    Mixing full = *this;
    for (const int k : gone) full.condition(k);
    Mixing rest(loss_, lanes_ - int(gone.size()), share_, kernels_);
    std::vector<int> kept;
    for (int k = 0; k <= lanes_; ++k)
      if (!std::count(gone.begin(), gone.end(), k)) kept.push_back(k);
    const MixingView from = full.view(), to = rest.view();
    std::copy_n(from.scalars, int(MixingView::kScalars), to.scalars);
    double total = 0;
    for (const int k : kept) total += from.weights[k];
    for (int i = 0; i < int(kept.size()); ++i) {
      to.losses[i] = from.losses[kept[std::size_t(i)]];
      to.weights[i] = from.weights[kept[std::size_t(i)]] / total;
      if (i == rest.lanes_) continue;  // the blend itself
      to.blend[i] = from.blend[kept[std::size_t(i)]];
      for (int j = 0; j < rest.lanes_; ++j)
        to.inverse[i * rest.width_ + j] =
            from.inverse[kept[std::size_t(i)] * width_ + kept[std::size_t(j)]];
    }
    return rest;
  }

  // The losses and the weights of the experts, and the scalars of the view.
  std::vector<double> losses() { return {view().losses, view().losses + experts()}; }
  std::vector<double> weights() {
    if (!exp_concave(loss_)) hedge_.distribution(nullptr, weights_());
    return {view().weights, view().weights + experts()};
  }
  double scalar(int i) { return view().scalars[i]; }
  // The weights of the lanes, with the blend's weight passed on to its lanes.
  std::vector<double> lane_shares() {
    std::vector<double> shares = weights();
    const MixingView v = view();
    for (int k = 0; k < lanes_ && exp_concave(loss_); ++k)
      shares[std::size_t(k)] += shares[std::size_t(lanes_)] * v.blend[k];
    return shares;
  }

  std::vector<double> spread() const { return *hedge_.spread(); }  // see AdaNormalHedge

  std::vector<double> state() {
    std::vector<double> all = data_, more = hedge_.state();
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::size_t size() { return data_.size() + hedge_.state().size(); }
  void restore(const double* state) {
    Mixing other = *this;
    other.data_.assign(state, state + data_.size());
    other.check();
    other.hedge_.restore(state + data_.size(), size() - data_.size());
    *this = other;
  }

 private:
  void check() {
    const MixingView v = view();
    const auto all = std::size_t(width_), used = std::size_t(experts());
    const auto empty = [&](const double* row, std::size_t from) {
      require(std::all_of(row + from, row + all, [](double x) { return x == 0; }),
              "the mixture has more experts than lanes");
    };
    Field::number("losses of the experts", {v.losses, all}).check();
    Field::positive("weights of the experts", {v.weights, all}, 1 + 1e-6).check();
    Field::number("blend", {v.blend, all}, -1e100, 1e100).check();
    Field::number("inverse of the blend", {v.inverse, all * all}, -1e100, 1e100).check();
    double* s = v.scalars;
    Field::number("loss of the mixture", s[MixingView::kLoss]).check();
    Field::positive("rate of the mixture", s[MixingView::kRate]).check();
    Field::count("changes of the rate", s[MixingView::kChanges]).check();
    Field::positive("growth of the unit", s[MixingView::kShrunk]).check();
    Field::number("excess of the mixture", s[MixingView::kExcess]).check();
    Field::positive("largest target", s[MixingView::kReach]).check();
    Field::positive("largest importance", s[MixingView::kLargest]).check();
    empty(v.losses, used), empty(v.blend, std::size_t(lanes_));
    if (!exp_concave(loss_)) return;
    empty(v.weights, used);
    const double sum = std::accumulate(v.weights, v.weights + used, 0.0);
    require(std::fabs(sum - 1) < 1e-6, "weights of the experts do not add up to 1");
    require(is_covariance({v.inverse, v.inverse + all * all}, all),
            "inverse of the blend is not symmetric and positive");
  }
  static constexpr double kTrust = 1.0 / 30;  // the blend's variance at the start
  // A lane is far behind if it has e^-20 of the weight of the best. It is so recently, too, if it
  // lost a hundredth more. The blend may lose 1/500,000 more per round for each lane dropped.
  static constexpr double kFar = 20, kMargin = 0.01, kCheap = 2e-6;

  // How much more the blend would have lost with a coefficient of 0, and the other coefficients
  // then. Coefficients are taken to be normal, with the inverse as covariance.
  double worth(int k) {
    const MixingView v = view();
    const double variance = v.inverse[k * (width_ + 1)];
    return variance > 0 ? v.blend[k] * v.blend[k] / (2 * variance) : 0;
  }
  void condition(int k) {
    const MixingView v = view();
    const double variance = v.inverse[k * (width_ + 1)];
    if (variance > 0) {
      std::vector<double> column(std::size_t(lanes_), 0.0);
      for (int e = 0; e < lanes_; ++e)
        column[std::size_t(e)] = v.inverse[e * width_ + k] / variance;
      const double moved = v.blend[k];
      for (int e = 0; e < lanes_; ++e) {
        v.blend[e] -= column[std::size_t(e)] * moved;
        for (int f = 0; f < lanes_; ++f)
          v.inverse[e * width_ + f] -= variance * column[std::size_t(e)] * column[std::size_t(f)];
      }
    }
    v.blend[k] = 0;
    for (int e = 0; e < lanes_; ++e) v.inverse[e * width_ + k] = v.inverse[k * width_ + e] = 0;
  }

  double* weights_() { return data_.data() + width_; }
  MixingView view() {
    double *d = data_.data(), *inverse = d + 3 * width_;
    return {lanes_,     width_,         share_,  d,
            d + width_, d + 2 * width_, inverse, inverse + width_ * width_};
  }

  Loss loss_;
  int lanes_, width_;
  double share_;
  Kernels kernels_;
  std::vector<double> data_;
  experts::AdaNormalHedge hedge_;
  std::vector<double> scratch_;
};

}  // namespace regretless
