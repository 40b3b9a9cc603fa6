#include "boosting/boost.hpp"

namespace regretless {

Boost::Boost(std::unique_ptr<Model> weak, std::unique_ptr<Voting> voting, bool sampled,
             std::uint64_t seed)
    : ensembles_(std::move(voting)), sampled_(sampled), seed_(seed), weak_(std::move(weak)) {
  relane({-1}, {1});
}

void Boost::relane(const std::vector<int>& sources, const std::vector<int>& signs) {
  const int each = voters();
  std::vector<int> from, side;
  std::vector<Scalars> scalars;
  for (std::size_t c = 0; c < sources.size(); ++c) {
    const auto source = std::size_t(sources[c]);
    const bool is_new = sources[c] < 0;
    for (int k = 0; k < each; ++k) {
      from.push_back(is_new ? -1 : sources[c] * each + k);
      side.push_back(signs[c]);
    }
    scalars.push_back(is_new ? Scalars{} : scalars_[source]);
  }
  weak_->relane(from, side);
  ensembles_.relane(sources);
  scalars_ = std::move(scalars);
}

void Boost::extend(int count) {
  weak_->extend(count * voters());
  ensembles_.extend(count);
  scalars_.resize(scalars_.size() + std::size_t(count));
}

// --- the rounds ----------------------------------------------------------------------------------

void Boost::predict(const Batch& batch) const {
  const std::size_t classes = ensembles_.lanes(), each = ensembles_.voters();
  Batch own = batch;
  scores_.resize(batch.size * classes * each);
  own.scores = scores_.data();
  weak_->predict(own);
  for (std::size_t t = 0; t < batch.size; ++t)
    ensembles_.score(scores_.data() + t * classes * each, batch.scores + t * classes);
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

void Boost::weigh(void* teaching, std::size_t t, const double* raw, double* importance) {
  Boost& self = *static_cast<Teaching*>(teaching)->model;
  const Batch& batch = *static_cast<Teaching*>(teaching)->batch;
  const std::size_t classes = self.ensembles_.lanes(), each = self.ensembles_.voters();
  const double h = batch.importance ? batch.importance[t] : 1;
  const auto round = std::uint64_t(self.scalars_[0][kRounds]);
  self.found_.resize(classes), self.targets_.resize(classes);
  double* scores = batch.scores ? batch.scores + t * classes : self.found_.data();
  self.ensembles_.score(raw, scores);
  for (std::size_t c = 0; c < classes; ++c)
    self.targets_[c] = batch.classes[t] == int(classes == 1 ? 1 : c) ? 1 : -1;
  if (h > 0) self.ensembles_.learn(raw, self.targets_.data(), h, importance);
  double lost = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    const double loss = self.loss_.value(scores[c], self.targets_[c]);
    lost += loss;
    if (h == 0) continue;
    Scalars& own = self.scalars_[c];
    own[kRounds] += 1;
    own[kUpdates] += 1;
    own[kLoss] += h * loss;
    own[kWeights] += h;
  }
  if (batch.losses) batch.losses[t] = lost;
  for (std::size_t i = 0; h > 0 && i < classes * each; ++i) {
    if (self.sampled_) importance[i] = drawn(self.seed_, round, 1 + i) < importance[i];
    importance[i] *= h;
    if (importance[i] < kSmallestWeight) importance[i] = 0;  // as for all learners
  }
}

// --- weights, totals and state -------------------------------------------------------------------

std::vector<double> Boost::weights(const Rows& rows) const {
  const std::vector<double> all = weak_->weights(rows);
  const std::size_t each = std::size_t(voters());
  std::vector<double> out(all.size() / each);
  for (std::size_t i = 0; i < all.size(); ++i) out[i / each] += all[i] / double(each);
  return out;
}

std::vector<double> Boost::numbers() {
  std::vector<double> all;
  for (const Scalars& each : scalars_) all.insert(all.end(), each.begin(), each.end());
  for (const std::vector<double>& more : {ensembles_.state(), weak_->numbers()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}
void Boost::restore_numbers(const double* numbers, std::size_t size) {
  const std::size_t first = scalars_.size() * std::size_t(kScalars),
                    own = first + ensembles_.state().size();
  if (size < own) throw std::invalid_argument("the votes do not fit the weak learners");
  for (std::size_t c = 0; c < scalars_.size(); ++c)
    check_scalars(numbers + c * kScalars, std::size_t(kScalars));
  weak_->restore_numbers(numbers + own, size - own);
  ensembles_.restore(numbers + first, own - first);
  for (Scalars& each : scalars_)
    std::copy_n(numbers, each.size(), each.begin()), numbers += kScalars;
}

}  // namespace regretless
