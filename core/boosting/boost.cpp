#include "boosting/boost.hpp"

namespace regretless {

namespace {
// Lanes do not all see the same examples, so what is known of a feature is different in each.
Rule for_lanes(const Rule& rule) {
  if (const Coin* coin = std::get_if<Coin>(&rule)) {
    OwnCoin own;
    own.wealth = coin->wealth, own.lipschitz = coin->lipschitz;
    return own;
  }
  return rule;
}
}  // namespace

Boost::Boost(Loss loss, Rule rule, std::unique_ptr<Voting> voting, bool sampled, std::uint64_t seed,
             int bits, std::uint32_t remembered, Kernels kernels)
    : fresh_(std::move(voting)),
      sampled_(sampled),
      seed_(seed),
      weak_(loss, for_lanes(rule), bits, remembered, false, kernels) {
  relane({-1}, {1});
}

void Boost::relane(const std::vector<int>& sources, const std::vector<int>& signs) {
  const int each = voters();
  std::vector<int> from, side;
  std::vector<Ensemble> ensembles;
  std::vector<Scalars> scalars;
  for (std::size_t c = 0; c < sources.size(); ++c) {
    const auto source = std::size_t(sources[c]);
    const bool is_new = sources[c] < 0;
    for (int k = 0; k < each; ++k) {
      from.push_back(is_new ? -1 : sources[c] * each + k);
      side.push_back(signs[c]);
    }
    ensembles.push_back(is_new ? fresh_ : ensembles_[source]);
    scalars.push_back(is_new ? Scalars{} : scalars_[source]);
  }
  weak_.join(each);
  weak_.relane(from, side);
  ensembles_ = std::move(ensembles);
  scalars_ = std::move(scalars);
}

void Boost::extend(int count) {
  weak_.extend(count * voters());
  for (int c = 0; c < count; ++c) {
    ensembles_.push_back(fresh_);
    scalars_.emplace_back();
  }
}

// --- the rounds ----------------------------------------------------------------------------------

void Boost::predict(const Batch& batch) const {
  const std::size_t classes = ensembles_.size(), each = std::size_t(voters());
  Batch own = batch;
  scores_.resize(batch.size * classes * each);
  own.scores = scores_.data();
  weak_.predict(own);
  for (std::size_t i = 0; i < batch.size * classes; ++i)
    batch.scores[i] = ensembles_[i % classes].score(scores_.data() + i * each);
}

namespace {
struct Teaching {
  Boost* model;
  const Batch* batch;
};
}  // namespace

void Boost::learn(const Batch& batch, std::size_t offset) {
  Teaching teaching{this, &batch};
  Batch own = batch;
  own.scores = own.losses = nullptr;
  own.weigh = weigh;
  own.weigher = &teaching;
  weak_.learn(own, offset);
}

void Boost::weigh(void* teaching, std::size_t t, const double* scores, double* importance) {
  Boost& self = *static_cast<Teaching*>(teaching)->model;
  const Batch& batch = *static_cast<Teaching*>(teaching)->batch;
  const std::size_t classes = self.ensembles_.size(), each = std::size_t(self.voters());
  const double h = batch.importance ? batch.importance[t] : 1;
  const auto round = std::uint64_t(self.scalars_[0][kRounds]);
  double lost = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    Ensemble& ensemble = self.ensembles_[c];
    const double* raw = scores + c * each;
    const double y = batch.classes[t] == int(classes == 1 ? 1 : c) ? 1 : -1;
    double* weights = importance + c * each;
    const double score = h == 0 ? ensemble.score(raw) : ensemble.learn(raw, y, h, weights);
    const double loss = self.loss_.value(score, y);
    if (batch.scores) batch.scores[t * classes + c] = score;
    lost += loss;
    if (h == 0) continue;
    Scalars& own = self.scalars_[c];
    for (std::size_t k = 0; k < each; ++k) {
      if (self.sampled_) weights[k] = drawn(self.seed_, round, 1 + c * each + k) < weights[k];
      weights[k] *= h;
      if (weights[k] < kSmallestWeight) weights[k] = 0;  // as for all learners
    }
    own[kRounds] += 1;
    own[kUpdates] += 1;
    own[kLoss] += h * loss;
    own[kWeights] += h;
  }
  if (batch.losses) batch.losses[t] = lost;
}

// --- weights, totals and state -------------------------------------------------------------------

std::vector<double> Boost::weights(const Rows& rows) const {
  const std::vector<double> all = weak_.weights(rows);
  const std::size_t each = std::size_t(voters());
  std::vector<double> out(all.size() / each);
  for (std::size_t i = 0; i < all.size(); ++i) out[i / each] += all[i] / double(each);
  return out;
}

std::vector<double> Boost::numbers() {
  std::vector<double> all;
  for (std::size_t c = 0; c < ensembles_.size(); ++c) {
    const std::vector<double> state = ensembles_[c].state();
    all.insert(all.end(), scalars_[c].begin(), scalars_[c].end());
    all.insert(all.end(), state.begin(), state.end());
  }
  return all;
}
void Boost::restore_numbers(const double* numbers, std::size_t size) {
  const std::size_t state = fresh_.state().size(), each = kScalars + state;
  if (size != each * ensembles_.size())
    throw std::invalid_argument("the votes do not fit the weak learners");
  for (std::size_t c = 0; c < ensembles_.size(); ++c, numbers += each) {
    check_scalars(numbers, std::size_t(kScalars));
    std::copy_n(numbers, std::size_t(kScalars), scalars_[c].begin());
    ensembles_[c].restore(numbers + kScalars, state);
  }
}

}  // namespace regretless
