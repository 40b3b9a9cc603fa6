#include "auto.hpp"

namespace regretless {

Auto::Auto(Loss loss, const std::vector<Candidate>& candidates, double lipschitz, double share,
           int bits, std::uint32_t remembered)
    : loss_(loss), share_(share) {
  Coin coin;
  coin.lipschitz = lipschitz;
  Grid grid;
  grid.classifies = loss.classification();
  for (const bool coins : {false, true}) {
    std::vector<Candidate> chosen;
    for (const Candidate& c : candidates)
      if (c.coin == coins) chosen.push_back(c);
    if (chosen.empty()) continue;
    parts_.emplace_back(loss, coins ? Rule(coin) : Rule(grid), bits,
                        parts_.empty() ? remembered : 0, false);
    parts_.back().join(int(chosen.size()));
    candidates_.push_back(chosen);
  }
  scores_.resize(parts_.size());
  relane({-1}, {1});
}

void Auto::relane(const std::vector<int>& sources, const std::vector<int>& signs) {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const int each = int(candidates_[p].size());
    std::vector<int> from, side;
    for (std::size_t c = 0; c < sources.size(); ++c)
      for (int k = 0; k < each; ++k) {
        from.push_back(sources[c] < 0 ? -1 : sources[c] * each + k);
        side.push_back(signs[c]);
      }
    parts_[p].relane(from, side);
    const Lanes lanes = parts_[p].lane_scalars();
    for (int k = 0; k < int(from.size()); ++k) {
      const Candidate& c = candidates_[p][std::size_t(k % each)];
      if (c.coin) {
        lanes(Coin::kWealth, k) = c.rate;
      } else {
        lanes(Grid::kEta, k) = c.rate;
        lanes(Grid::kInvariant, k) = c.invariant;
        lanes(Grid::kDecay, k) = c.decay;
      }
    }
  }
  int count = 0;
  for (const auto& chosen : candidates_) count += int(chosen.size());
  std::vector<Mixing> fresh;
  for (const int source : sources)
    fresh.push_back(source < 0 ? Mixing(loss_, count, share_) : mixings_[std::size_t(source)]);
  mixings_ = std::move(fresh);
}

void Auto::grow() {
  for (Learner& part : parts_) part.grow(features().size());
}

void Auto::gather(std::size_t t, int lane, double* to) const {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const std::size_t each = candidates_[p].size();
    const double* from = scores_[p].data() + (t * mixings_.size() + std::size_t(lane)) * each;
    to = std::copy_n(from, each, to);
  }
}

void Auto::score_lanes(const Batch& batch) const {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Batch own = batch;
    scores_[p].resize(batch.size * std::size_t(parts_[p].lanes()));
    own.scores = scores_[p].data();
    parts_[p].predict(own);
  }
}

std::vector<double> Auto::lane_scores(const Batch& example) const {
  score_lanes(example);
  const std::size_t count = std::size_t(mixings_[0].lanes());
  std::vector<double> all(count * mixings_.size());
  for (int c = 0; c < lanes(); ++c) gather(0, c, all.data() + std::size_t(c) * count);
  return all;
}

void Auto::predict(const Batch& batch) const {
  score_lanes(batch);
  for (std::size_t t = 0; t < batch.size; ++t)
    for (int c = 0; c < lanes(); ++c) {
      Mixing& mixing = mixings_[std::size_t(c)];
      gather(t, c, mixing.scores());
      batch.scores[t * mixings_.size() + std::size_t(c)] = mixing.score();
    }
}

void Auto::learn(const Batch& batch, std::size_t offset) {
  grow();
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Batch own = batch;
    scores_[p].resize(batch.size * std::size_t(parts_[p].lanes()));
    own.scores = scores_[p].data();
    own.losses = nullptr;
    parts_[p].learn(own, offset);
  }
  for (std::size_t t = 0; t < batch.size; ++t) {
    const double h = batch.importance ? batch.importance[t] : 1;
    double lost = 0;
    for (int c = 0; c < lanes(); ++c) {
      Mixing& mixing = mixings_[std::size_t(c)];
      gather(t, c, mixing.scores());
      const double y = batch.targets  ? batch.targets[t]
                       : lanes() == 1 ? 2.0 * batch.classes[t] - 1
                                      : (batch.classes[t] == c ? 1.0 : -1.0);
      MixedScore mixed;
      if (h > 0) {
        mixed = mixing.learn(y, h);
      } else {  // as if it were not there
        mixed.score = mixing.score();
        mixed.loss = loss_.value(mixed.score, y);
      }
      if (batch.scores) batch.scores[t * mixings_.size() + std::size_t(c)] = mixed.score;
      lost += mixed.loss;
    }
    if (batch.losses) batch.losses[t] = lost;
  }
}

std::vector<double> Auto::weights() const {
  std::vector<double> out;
  for (std::size_t p = 0, first = 0; p < parts_.size(); first += candidates_[p++].size()) {
    const std::vector<double> own = parts_[p].weights();
    const std::size_t each = candidates_[p].size(), classes = mixings_.size();
    const std::size_t rows = own.size() / (each * classes);
    out.resize(rows * classes);
    for (std::size_t c = 0; c < classes; ++c) {
      const std::vector<double> shares = mixings_[c].lane_shares();
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t k = 0; k < each; ++k)
          out[i * classes + c] += shares[first + k] * own[(i * classes + c) * each + k];
    }
  }
  return out;
}

double Auto::scalar(Scalar s, int lane) const {
  if (s == kLoss) return mixings_[std::size_t(lane)].scalar(MixingView::kLoss);
  if (s == kRounds || s == kWeights) return parts_[0].scalar(s, lane * int(candidates_[0].size()));
  return 0;
}

std::vector<Learner*> Auto::banks() {
  std::vector<Learner*> all;
  for (Learner& part : parts_) all.push_back(&part);
  return all;
}
std::vector<double> Auto::numbers() {
  std::vector<double> all;
  for (Mixing& mixing : mixings_) {
    const std::vector<double> own = mixing.state();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}
void Auto::restore_numbers(const double* numbers, std::size_t size) {
  const std::size_t each = mixings_[0].size();
  if (size != each * mixings_.size())
    throw std::invalid_argument("the mixture does not fit the lanes");
  for (Mixing& mixing : mixings_) {
    mixing.restore(numbers);
    numbers += each;
  }
}

}  // namespace regretless
