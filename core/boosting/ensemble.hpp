// The voters of one label. Their raw scores are turned into votes, the vote decides, and the link
// says how likely the label is. The mean of the raw scores decides even votes.
#pragma once
#include <numeric>

#include "boosting/link.hpp"
#include "boosting/voting.hpp"

namespace regretless {

class Ensemble : public Stateful {
 public:
  explicit Ensemble(std::unique_ptr<Voting> voting) : voting_(std::move(voting)) {}
  Ensemble(const Ensemble& other) : voting_(other.voting_->clone()), link_(other.link_) {}
  Ensemble(Ensemble&&) = default;
  Ensemble& operator=(Ensemble&&) = default;

  int voters() const { return voting_->voters(); }
  // The log-odds of label 1, on the side of the vote: label 1 is predicted if they are at least 0.
  double score(const double* raw) const {
    hear(raw);
    return sided(link_.log_odds(inputs_), voting_->says(votes_.data(), mean()));
  }
  // By how much the vote is for label 1; see Voting.
  double margin(const double* raw) const {
    hear(raw);
    return inputs_[0];
  }
  // Learns the label of an example with importance h > 0; returns the score from before, and the
  // weights in [0, 1] with which the voters learn the example, to be multiplied by h.
  double learn(const double* raw, double y, double h, double* weights) {
    const double before = score(raw);
    voting_->learn(votes_.data(), mean(), y, h, weights);
    link_.learn(inputs_, y, h);
    return before;
  }
  std::map<std::string, std::vector<double>> measured() const { return voting_->measured(); }

  std::vector<double> state() override {
    std::vector<double> all = voting_->state();
    const std::vector<double> rest = link_.state();
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  }
  void restore(const double* state, std::size_t size) override {
    const std::size_t rest = link_.state().size();
    require(size >= rest, "the state is of another booster");
    Link link;
    link.restore(state + (size - rest), rest);
    voting_->restore(state, size - rest);
    link_ = link;
  }

 protected:
  Parts parts() override { return {}; }

 private:
  static constexpr double kNext = 1e-9;

  void hear(const double* raw) const {
    votes_.resize(std::size_t(voters()));
    for (std::size_t k = 0; k < votes_.size(); ++k) votes_[k] = raw[k] > 0 ? 1 : -1;
    const double mean = std::accumulate(raw, raw + votes_.size(), 0.0) / double(votes_.size());
    inputs_ = {voting_->margin(votes_.data(), mean), mean, raw[0]};
  }
  double mean() const { return inputs_[1]; }
  // Where the link disagrees with the vote, the score is next to 0, in the order of the log-odds.
  static double sided(double log_odds, bool says) {
    if ((log_odds >= 0) == says) return log_odds;
    return says ? kNext * std::exp(log_odds) : -kNext * std::exp(-log_odds);
  }

  std::unique_ptr<Voting> voting_;
  Link link_;
  mutable std::vector<double> votes_;
  mutable Link::Vector inputs_{};
};

}  // namespace regretless
