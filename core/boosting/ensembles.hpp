// What the voters say about each label, put together: raw scores are turned into votes, the vote
// decides, and the link says how likely the label is. The mean of the raw scores decides even
// votes. Labels have ensembles of their own, against the rest, and share the link.
#pragma once
#include <numeric>

#include "boosting/link.hpp"
#include "boosting/voting.hpp"

namespace regretless {

class Ensembles {
 public:
  explicit Ensembles(std::unique_ptr<Voting> fresh) : fresh_(std::move(fresh)) { relane({-1}); }
  Ensembles(const Ensembles& other) : fresh_(other.fresh_->clone()), link_(other.link_) {
    for (const auto& each : other.votings_) votings_.push_back(each->clone());
  }

  std::size_t lanes() const { return votings_.size(); }
  std::size_t voters() const { return std::size_t(fresh_->voters()); }
  void relane(const std::vector<int>& sources) {
    std::vector<std::unique_ptr<Voting>> votings;
    for (const int source : sources)
      votings.push_back((source < 0 ? fresh_ : votings_[std::size_t(source)])->clone());
    votings_ = std::move(votings);
    link_.relane(sources);
  }
  void extend(int count) {
    for (int c = 0; c < count; ++c) votings_.push_back(fresh_->clone());
    link_.extend(count);
  }

  // By how much the vote is for each label; raw is lanes x voters. See Voting.
  void margins(const double* raw, double* out) const {
    for (std::size_t c = 0; c < lanes(); ++c) out[c] = hear(raw, c)[0];
  }
  // The log-odds of each label, on the side of the vote: it is predicted if they are at least 0.
  void score(const double* raw, double* scores) const {
    for (std::size_t c = 0; c < lanes(); ++c) {
      const Link::Vector inputs = hear(raw, c);
      scores[c] = sided(link_.log_odds(c, inputs), Voting::wins(inputs[0], inputs[1]));
    }
  }
  // Learns an example of importance h > 0; y is 1 for its label and -1 for the others. Returns the
  // weights in [0, 1] with which the voters learn it, to be multiplied by h. It was scored before.
  void learn(const double* raw, const double* y, double h, double* weights) {
    for (std::size_t c = 0; c < lanes(); ++c) {
      const Link::Vector inputs = hear(raw, c);
      votings_[c]->learn(votes_.data(), inputs[1], y[c], h, weights + c * voters());
      link_.learn(c, inputs, y[c], h);
    }
  }
  std::map<std::string, std::vector<double>> measured(std::size_t lane) const {
    return votings_[lane]->measured();
  }

  std::vector<double> state() {
    std::vector<double> all = link_.state();
    for (const auto& each : votings_) {
      const std::vector<double> one = each->state();
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }
  // Takes a state of as many lanes over. Nothing has changed if it is refused.
  void restore(const double* state, std::size_t size) {
    const std::size_t first = link_.state().size(), each = fresh_->state().size();
    require(size == first + each * lanes(), "the state is of another booster");
    Ensembles other(*this);
    other.link_.restore(state, first);
    for (std::size_t c = 0; c < lanes(); ++c)
      other.votings_[c]->restore(state + first + c * each, each);
    link_ = other.link_;
    votings_.swap(other.votings_);
  }

 private:
  static constexpr double kNext = 1e-9, kFar = 600;  // e^-600 is not 0

  Link::Vector hear(const double* raw, std::size_t lane) const {
    const std::size_t n = voters();
    votes_.resize(n);
    raw += lane * n;
    for (std::size_t k = 0; k < n; ++k) votes_[k] = raw[k] > 0 ? 1 : -1;
    const double mean = std::accumulate(raw, raw + n, 0.0) / double(n);
    return {votings_[lane]->margin(votes_.data(), mean), mean, raw[0]};
  }
  // Where the link disagrees with the vote, the score is next to 0, in the order of the log-odds.
  static double sided(double log_odds, bool says) {
    if ((log_odds >= 0) == says) return log_odds;
    const double next = kNext * std::exp(-std::min(std::fabs(log_odds), kFar));
    return says ? next : -next;
  }

  std::unique_ptr<Voting> fresh_;
  std::vector<std::unique_ptr<Voting>> votings_;  // one per lane
  Link link_;
  mutable std::vector<double> votes_;
};

}  // namespace regretless
