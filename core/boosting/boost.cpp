#include "boosting/boost.hpp"

namespace regretless {

Boost::Boost(std::unique_ptr<Model> weak, std::unique_ptr<Voting> voting, bool sampled,
             std::uint64_t seed)
    : fresh_(std::move(voting)),
      sampled_(sampled),
      seed_(seed),
      weak_(std::move(weak)),
      votes_(std::size_t(voters())) {
  relane({-1}, {1});
}

void Boost::relane(const std::vector<int>& sources, const std::vector<int>& signs) {
  const int each = voters();
  std::vector<int> from, side;
  std::vector<std::unique_ptr<Voting>> votings;
  std::vector<Scalars> scalars;
  for (std::size_t c = 0; c < sources.size(); ++c) {
    const auto source = std::size_t(sources[c]);
    const bool is_new = sources[c] < 0;
    for (int k = 0; k < each; ++k) {
      from.push_back(is_new ? -1 : sources[c] * each + k);
      side.push_back(signs[c]);
    }
    votings.push_back((is_new ? fresh_ : votings_[source])->clone());
    scalars.push_back(is_new ? Scalars{} : scalars_[source]);
  }
  weak_->relane(from, side);
  votings_ = std::move(votings);
  scalars_ = std::move(scalars);
}

void Boost::extend(int count) {
  weak_->extend(count * voters());
  for (int c = 0; c < count; ++c) {
    votings_.push_back(fresh_->clone());
    scalars_.emplace_back();
  }
}

// --- the rounds ----------------------------------------------------------------------------------

const double* Boost::cast(const double* scores) const {
  for (std::size_t k = 0; k < votes_.size(); ++k) votes_[k] = scores[k] > 0 ? 1 : -1;
  return votes_.data();
}

void Boost::predict(const Batch& batch) const {
  const std::size_t classes = votings_.size(), each = votes_.size();
  Batch own = batch;
  scores_.resize(batch.size * classes * each);
  own.scores = scores_.data();
  weak_->predict(own);
  for (std::size_t i = 0; i < batch.size * classes; ++i)
    batch.scores[i] = votings_[i % classes]->score(cast(scores_.data() + i * each));
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
  weak_->learn(own, offset);
}

void Boost::weigh(void* teaching, std::size_t t, const double* scores, double* importance) {
  Boost& self = *static_cast<Teaching*>(teaching)->model;
  const Batch& batch = *static_cast<Teaching*>(teaching)->batch;
  const std::size_t classes = self.votings_.size(), each = self.votes_.size();
  const double h = batch.importance ? batch.importance[t] : 1;
  const auto round = std::uint64_t(self.scalars_[0][kRounds]);
  double lost = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    Voting& voting = *self.votings_[c];
    const double* votes = self.cast(scores + c * each);
    const double score = voting.score(votes);
    const double y = batch.classes[t] == int(classes == 1 ? 1 : c) ? 1 : -1;
    const double loss = self.loss_.value(score, y);
    if (batch.scores) batch.scores[t * classes + c] = score;
    lost += loss;
    if (h == 0) continue;
    double* weights = importance + c * each;
    Scalars& own = self.scalars_[c];
    voting.learn(votes, y, h, weights);
    for (std::size_t k = 0; k < each; ++k) {
      if (self.sampled_) weights[k] = drawn(self.seed_, round, 1 + c * each + k) < weights[k];
      weights[k] *= h;
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
  const std::vector<double> all = weak_->weights(rows);
  const std::size_t each = votes_.size();
  std::vector<double> out(all.size() / each);
  for (std::size_t i = 0; i < all.size(); ++i) out[i / each] += all[i] / double(each);
  return out;
}

std::vector<double> Boost::numbers() {
  std::vector<double> all;
  for (std::size_t c = 0; c < votings_.size(); ++c) {
    const std::vector<double> state = votings_[c]->state();
    all.insert(all.end(), scalars_[c].begin(), scalars_[c].end());
    all.insert(all.end(), state.begin(), state.end());
  }
  const std::vector<double> weak = weak_->numbers();
  all.insert(all.end(), weak.begin(), weak.end());
  return all;
}
void Boost::restore_numbers(const double* numbers, std::size_t size) {
  const std::size_t state = fresh_->state().size(), each = kScalars + state;
  const std::size_t own = each * votings_.size();
  if (size < own) throw std::invalid_argument("the votes do not fit the weak learners");
  weak_->restore_numbers(numbers + own, size - own);
  for (std::size_t c = 0; c < votings_.size(); ++c, numbers += each) {
    check_scalars(numbers, std::size_t(kScalars));
    std::copy_n(numbers, std::size_t(kScalars), scalars_[c].begin());
    votings_[c]->restore(numbers + kScalars, state);
  }
}

}  // namespace regretless
