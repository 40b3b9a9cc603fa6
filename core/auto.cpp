#include "auto.hpp"

namespace regretless {

Auto::Auto(Loss loss, const std::vector<Candidate>& candidates, const NewtonOptions& newton,
           double lipschitz, double share, int bits, std::uint32_t remembered, Kernels kernels)
    : loss_(loss),
      share_(share),
      kernels_(kernels),
      candidates_(candidates),
      newton_(loss, newton, false, kernels) {
  Coin coin;
  coin.lipschitz = lipschitz;
  Grid grid;
  grid.classifies = loss.classification();
  for (const bool coins : {false, true}) {
    std::vector<int> chosen;
    for (int k = 0; k < int(candidates.size()); ++k)
      if (candidates[std::size_t(k)].coin == coins) chosen.push_back(k);
    if (chosen.empty()) continue;
    parts_.emplace_back(loss, coins ? Rule(coin) : Rule(grid), bits,
                        parts_.empty() ? remembered : 0, false, kernels);
    numbers_.push_back(chosen);
  }
  int next = int(candidates.size());
  for (const NewtonOptions::Space& space : newton.spaces) {
    numbers_.emplace_back(space.lanes.size());
    for (int& number : numbers_.back()) number = next++;
  }
  scores_.resize(parts_.size());
  relane({-1}, {1});
}

void Auto::start(std::size_t p, int first) {
  const Lanes lanes = parts_[p].lane_scalars();
  const std::vector<int>& own = numbers_[p];
  for (int k = first; k < parts_[p].lanes(); ++k) {
    const Candidate& c = candidates_[std::size_t(own[std::size_t(k) % own.size()])];
    if (c.coin) {
      lanes(Coin::kWealth, k) = c.rate;
    } else {
      lanes(Grid::kEta, k) = c.rate;
      lanes(Grid::kInvariant, k) = c.invariant;
      lanes(Grid::kDecay, k) = c.decay;
    }
  }
}

std::vector<int> Auto::alive() const {
  std::vector<int> all;
  for (const std::vector<int>& own : numbers_) all.insert(all.end(), own.begin(), own.end());
  return all;
}

void Auto::relane(const std::vector<int>& sources, const std::vector<int>& signs) {
  NewtonLanes::Classes classes = newton_.relaned(sources, signs, features().size());
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const int each = int(numbers_[p].size());
    std::vector<int> from, side;
    for (std::size_t c = 0; c < sources.size(); ++c)
      for (int k = 0; k < each; ++k) {
        from.push_back(sources[c] < 0 ? -1 : sources[c] * each + k);
        side.push_back(signs[c]);
      }
    parts_[p].join(each);
    parts_[p].relane(from, side);
    start(p);
  }
  newton_.put(std::move(classes));
  const int count = int(alive().size());
  std::vector<Mixing> fresh;
  std::vector<std::vector<double>> earlier;
  for (const int source : sources) {
    const bool is_new = source < 0;
    fresh.push_back(is_new ? Mixing(loss_, count, share_, kernels_)
                           : mixings_[std::size_t(source)]);
    earlier.push_back(is_new ? std::vector<double>(std::size_t(count) + 1)
                             : earlier_[std::size_t(source)]);
  }
  mixings_ = std::move(fresh);
  earlier_ = std::move(earlier);
}

void Auto::extend(int count) {
  check(lanes() + count);
  NewtonLanes::Classes classes = newton_.fresh(count, features().size());
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const int before = parts_[p].lanes();
    parts_[p].extend(count * int(numbers_[p].size()));
    start(p, before);
  }
  newton_.add(std::move(classes));
  const int alike = mixings_[0].lanes();
  for (int c = 0; c < count; ++c) {
    mixings_.emplace_back(loss_, alike, share_, kernels_);
    earlier_.emplace_back(std::size_t(alike) + 1);
  }
}

void Auto::reserve(int classes) {
  check(classes);
  for (std::size_t p = 0; p < parts_.size(); ++p)
    parts_[p].reserve(classes * int(numbers_[p].size()));
}

// Throws if there is no memory for so many classes in all parts, before any of them changes.
void Auto::check(int classes) const {
  std::size_t bytes = 0;
  for (std::size_t p = 0; p < parts_.size(); ++p)
    bytes += parts_[p].wanted(classes * int(numbers_[p].size()));
  bytes += std::size_t(std::max(0, classes - lanes())) * newton_.bytes(parts_[0].rows());
  check_memory(parts_[0].rows(), classes * int(alive().size()), bytes);
}

void Auto::pack() {
  for (Learner& part : parts_) part.pack();
}

void Auto::grow() {
  for (Learner& part : parts_) part.grow(features().size());
  newton_.grow(features().size());
}

// --- the rounds ----------------------------------------------------------------------------------

// Puts the scores of an example, part by part, where the mixing of a class expects them.
void Auto::look(const Batch& batch, std::size_t t, int lane, double* to) const {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const std::size_t each = numbers_[p].size();
    const double* from = scores_[p].data() + (t * mixings_.size() + std::size_t(lane)) * each;
    to = std::copy_n(from, each, to);
  }
  newton_.look(lane, batch.example(t), to);
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
  for (int c = 0; c < lanes(); ++c) look(example, 0, c, all.data() + std::size_t(c) * count);
  return all;
}

void Auto::predict(const Batch& batch) const {
  score_lanes(batch);
  for (std::size_t t = 0; t < batch.size; ++t) {
    newton_.prefetch(batch.example(t + 1));
    for (int c = 0; c < lanes(); ++c) {
      Mixing& mixing = mixings_[std::size_t(c)];
      look(batch, t, c, mixing.scores());
      batch.scores[t * mixings_.size() + std::size_t(c)] = mixing.score();
    }
  }
}

// Batches are cut where a trial ends: lanes are judged after the same rounds in any batches.
void Auto::learn(const Batch& batch, std::size_t offset) {
  std::size_t first = 0;
  while (first < batch.size) {
    double left = trial_ - scalar(kRounds, 0);
    std::size_t last = first;
    for (; last < batch.size && left > 0; ++last)
      left -= !batch.importance || batch.importance[last] > 0;
    Batch some = batch;
    some.size = last - first;
    some.starts += first;
    if (some.targets) some.targets += first;
    if (some.classes) some.classes += first;
    if (some.importance) some.importance += first;
    if (some.known) some.known += first;
    if (some.scores) some.scores += first * mixings_.size();
    if (some.losses) some.losses += first;
    learn_some(some, offset + first);
    if (scalar(kRounds, 0) >= trial_) retire();
    first = last;
  }
}

void Auto::learn_some(const Batch& batch, std::size_t offset) {
  const std::size_t known = parts_[0].rows();
  try {
    for (Learner& part : parts_) part.touch(batch, features().size());
    newton_.grow(features().size());
  } catch (const NoRoom&) {
    features().truncate(std::uint32_t(known));
    throw;
  }
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Batch own = batch;
    scores_[p].resize(batch.size * std::size_t(parts_[p].lanes()));
    own.scores = scores_[p].data();
    own.losses = nullptr;
    parts_[p].learn(own, offset);
  }
  for (std::size_t t = 0; t < batch.size; ++t) {
    newton_.prefetch(batch.example(t + 1));
    const double h = batch.importance ? batch.importance[t] : 1;
    double lost = 0;
    for (int c = 0; c < lanes(); ++c) {
      Mixing& mixing = mixings_[std::size_t(c)];
      look(batch, t, c, mixing.scores());
      const double y = batch.targets  ? batch.targets[t]
                       : lanes() == 1 ? 2.0 * batch.classes[t] - 1
                                      : (batch.classes[t] == c ? 1.0 : -1.0);
      const double score = mixing.score(), suffered = std::min(loss_.value(score, y), kWorst);
      if (h > 0) {
        mixing.learn(suffered, y, h);
        newton_.learn(c, loss_, batch.example(t), y, h, h * loss_.derivative(score, y));
      }
      if (batch.scores) batch.scores[t * mixings_.size() + std::size_t(c)] = score;
      lost += suffered;
    }
    if (batch.losses) batch.losses[t] = lost;
  }
}

// --- lanes that are retired ----------------------------------------------------------------------

// Retires the lanes that no class would miss, a whole block of a part at a time.
void Auto::retire() {
  const double rounds = scalar(kRounds, 0);
  std::vector<int> hopeless = mixings_[0].hopeless(earlier_[0], rounds);
  for (std::size_t c = 1; c < mixings_.size(); ++c) {
    const std::vector<int> own = mixings_[c].hopeless(earlier_[c], scalar(kRounds, int(c)));
    std::erase_if(hopeless, [&](int k) { return !std::count(own.begin(), own.end(), k); });
  }
  std::vector<int> gone;
  int first = 0;
  for (std::size_t p = 0; p < numbers_.size(); ++p) {
    // those of a space share a sketch: all of them or none
    const int count = int(numbers_[p].size()),
              shorter = p < parts_.size() ? (count - 1) / 4 * 4 : 0;
    std::vector<int> here;
    for (const int k : hopeless)
      if (k >= first && k < first + count) here.push_back(k);
    const int found = int(here.size()), enough = count - shorter;
    const bool whole = found == count && shorter == 0 && p > 0;  // the first part holds the names
    here.resize(whole || (shorter > 0 && found >= enough) ? std::size_t(enough) : 0);
    gone.insert(gone.end(), here.begin(), here.end());
    first += count;
  }
  if (!gone.empty()) drop(gone);
  for (std::size_t c = 0; c < mixings_.size(); ++c) {
    earlier_[c] = mixings_[c].losses();
    earlier_[c].resize(std::size_t(mixings_[c].lanes()) + 1);
  }
  trial_ = 2 * rounds;
}

// gone: indices among the lanes that are alive.
void Auto::drop(const std::vector<int>& gone) {
  const std::vector<int> numbers = alive();
  const double rounds = scalar(kRounds, 0);
  for (const int k : gone) {
    double lost = 0;
    for (Mixing& mixing : mixings_) lost += mixing.losses()[std::size_t(k)];
    retired_.push_back({numbers[std::size_t(k)], rounds, lost});
  }
  int first = 0;
  for (std::size_t p = 0; p < numbers_.size(); ++p) {
    const int count = int(numbers_[p].size());
    std::vector<int> kept, from;
    for (int k = 0; k < count; ++k)
      if (!std::count(gone.begin(), gone.end(), first + k)) kept.push_back(k);
    first += count;
    if (int(kept.size()) == count) continue;
    if (kept.empty()) {
      if (p >= parts_.size()) {
        newton_.drop(p - parts_.size());
      } else {
        parts_.erase(parts_.begin() + std::ptrdiff_t(p));
        scores_.pop_back();
      }
      numbers_.erase(numbers_.begin() + std::ptrdiff_t(p--));
      continue;
    }
    for (int c = 0; c < lanes(); ++c)
      for (const int k : kept) from.push_back(c * count + k);
    std::vector<int> left;
    for (const int k : kept) left.push_back(numbers_[p][std::size_t(k)]);
    numbers_[p] = left;
    parts_[p].join(int(left.size()));
    parts_[p].relane(from, std::vector<int>(from.size(), 1));
  }
  for (Mixing& mixing : mixings_) mixing = mixing.without(gone);
}

// --- weights, totals and state -------------------------------------------------------------------

std::vector<double> Auto::weights(const Rows& rows) const {
  const std::size_t classes = mixings_.size();
  std::vector<double> out(rows.size() * classes);
  std::size_t first = 0;
  for (std::size_t p = 0; p < parts_.size(); first += numbers_[p++].size()) {
    const std::vector<double> own = parts_[p].weights(rows);
    const std::size_t each = numbers_[p].size();
    for (std::size_t c = 0; c < classes; ++c) {
      const std::vector<double> shares = mixings_[c].lane_shares();
      for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t k = 0; k < each; ++k)
          out[i * classes + c] += shares[first + k] * own[(i * classes + c) * each + k];
    }
  }
  std::vector<double> own(alive().size() - first);
  for (std::size_t c = 0; c < classes && !own.empty(); ++c) {
    const std::vector<double> shares = mixings_[c].lane_shares();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      newton_.weights(int(c), rows[i], own.data());
      for (std::size_t k = 0; k < own.size(); ++k)
        out[i * classes + c] += shares[first + k] * own[k];
    }
  }
  return out;
}

double Auto::scalar(Scalar s, int lane) const {
  if (s == kLoss) return mixings_[std::size_t(lane)].scalar(MixingView::kLoss);
  if (s == kRounds || s == kWeights) return parts_[0].scalar(s, lane * int(numbers_[0].size()));
  return 0;
}

std::vector<Model::Part> Auto::parts() {
  std::vector<Part> all;
  for (Learner& part : parts_) all.push_back(part.parts()[0]);
  const std::vector<Part> more = newton_.parts();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// [next trial, number of retired lanes, three numbers of each, then for each class the losses at
// the last trial and the mixture, then the numbers of Newton's lanes]
std::vector<double> Auto::numbers() {
  std::vector<double> all{trial_, double(retired_.size())};
  for (const Retired& r : retired_) all.insert(all.end(), {double(r.lane), r.rounds, r.loss});
  for (std::size_t c = 0; c < mixings_.size(); ++c) {
    all.insert(all.end(), earlier_[c].begin(), earlier_[c].end());
    const std::vector<double> own = mixings_[c].state();
    all.insert(all.end(), own.begin(), own.end());
  }
  for (int c = 0; c < lanes(); ++c) {
    const std::vector<double> more = newton_.numbers(c);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}
void Auto::restore_numbers(const double* numbers, std::size_t size) {
  const auto damaged = [] { throw std::invalid_argument("the mixture does not fit the lanes"); };
  if (size < 2) damaged();
  double trial = numbers[0], count = numbers[1];
  Field::positive("next trial", trial).check();
  Field::count("retired lanes", count, double(size - 2) / 3).check();
  std::vector<Retired> retired;
  const double* at = numbers + 2;
  for (int i = 0; i < int(count); ++i, at += 3) {
    double lane = at[0], rounds = at[1], loss = at[2];
    Field::count("retired lane", lane, 1 << 20).check();
    Field::count("rounds of a retired lane", rounds).check();
    Field::number("loss of a retired lane", loss).check();
    retired.push_back({int(lane), rounds, loss});
  }
  std::vector<int> gone;
  int first = 0;
  for (std::size_t p = 0; p < numbers_.size(); first += int(numbers_[p++].size())) {
    const std::size_t before = gone.size(), count = numbers_[p].size();
    for (std::size_t k = 0; k < count; ++k)
      for (const Retired& r : retired)
        if (r.lane == numbers_[p][k]) gone.push_back(first + int(k));
    const std::size_t here = gone.size() - before;
    if (here > 0 && (p == 0 ? here >= count : p >= parts_.size() && here != count)) damaged();
  }
  if (gone.size() != retired.size()) damaged();
  if (!gone.empty()) drop(gone);
  const std::size_t experts = std::size_t(mixings_[0].lanes()) + 1, each = mixings_[0].size();
  if (size < std::size_t(at - numbers) + (experts + each) * mixings_.size()) damaged();
  for (std::size_t c = 0; c < mixings_.size(); ++c, at += experts + each) {
    earlier_[c].assign(at, at + experts);
    Field::number("earlier losses of the lanes", earlier_[c]).check();
    mixings_[c].restore(at + experts);
  }
  for (int c = 0; c < lanes(); ++c) at = newton_.restore(c, at, numbers + size, features().size());
  if (at != numbers + size) damaged();
  trial_ = trial;
  retired_ = retired;
}

}  // namespace regretless
