// Boosters for several edges, for use when the edge is not known. Each booster has its own voters.
// AdaNormalHedge weighs the boosters by their mistakes, and the weighted majority predicts. It errs
// only where half of the weight errs, so at most twice as often as a booster drawn by weight.
#pragma once
#include <algorithm>
#include <numeric>

#include "boosting/voting.hpp"
#include "experts/ada.hpp"

namespace regretless {

class Edges : public Voting {
 public:
  explicit Edges(std::vector<std::unique_ptr<Voting>> boosters)
      : boosters_(std::move(boosters)),
        hedge_(std::vector<double>(boosters_.size(), 1.0 / double(boosters_.size())), 1),
        shares_(boosters_.size()) {
    hedge_.distribution(nullptr, shares_.data());
  }
  Edges(const Edges& other)
      : hedge_(other.hedge_),
        shares_(other.shares_),
        mistakes_(other.mistakes_),
        unit_(other.unit_),
        periods_(other.periods_),
        shrunk_(other.shrunk_) {
    for (const auto& each : other.boosters_) boosters_.push_back(each->clone());
  }
  std::unique_ptr<Voting> clone() const override { return std::make_unique<Edges>(*this); }
  int voters() const override { return int(boosters_.size()) * boosters_[0]->voters(); }

  // The share of the boosters for label 1, less 1/2.
  double margin(const double* votes, double tie) const override {
    double weight = 0;
    for (std::size_t k = 0; k < boosters_.size(); ++k)
      if (boosters_[k]->says(votes + first(k), tie)) weight += shares_[k];
    return weight - 0.5;
  }
  void learn(const double* votes, double tie, double y, double h, double* weights) override {
    if (says(votes, tie) != (y > 0)) mistakes_ += h;
    if (h > unit_) {  // losses are measured in units of the largest importance
      if (unit_ > 0) hedge_.rescale(unit_ / h), periods_ += 1, shrunk_ += std::log(h / unit_);
      unit_ = h;
    }
    std::vector<double> losses;
    for (std::size_t k = 0; k < boosters_.size(); ++k) {
      const bool wrong = boosters_[k]->says(votes + first(k), tie) != (y > 0);
      losses.push_back(wrong ? h / unit_ : 0);
      boosters_[k]->learn(votes + first(k), tie, y, h, weights + first(k));
    }
    hedge_.update(losses.data(), nullptr);
    hedge_.distribution(nullptr, shares_.data());
  }
  // The measurements of the boosters, one after the other; `majority_mistakes` counts those of all.
  std::map<std::string, std::vector<double>> measured() const override {
    std::map<std::string, std::vector<double>> all{{"majority_mistakes", {mistakes_}},
                                                   {"shares", shares_},
                                                   {"spread", *hedge_.spread()},
                                                   {"unit", {unit_}},
                                                   {"periods", {periods_}},
                                                   {"shrunk", {shrunk_}}};
    for (const auto& booster : boosters_)
      for (const auto& [name, numbers] : booster->measured())
        all[name].insert(all[name].end(), numbers.begin(), numbers.end());
    return all;
  }

  std::vector<double> state() override {
    std::vector<double> all = Voting::state();
    const auto add = [&](const std::vector<double>& part) {
      all.insert(all.end(), part.begin(), part.end());
    };
    add(hedge_.state());
    for (const auto& each : boosters_) add(each->state());
    return all;
  }
  void restore(const double* state, std::size_t size) override {
    std::vector<std::size_t> sizes{4, hedge_.state().size()};
    for (const auto& each : boosters_) sizes.push_back(each->state().size());
    require(size == std::accumulate(sizes.begin(), sizes.end(), std::size_t(0)),
            "the state is of another booster");
    Voting::restore(state, sizes[0]);
    hedge_.restore(state += sizes[0], sizes[1]);
    state += sizes[1];
    for (std::size_t k = 0; k < boosters_.size(); state += sizes[2 + k++])
      boosters_[k]->restore(state, sizes[2 + k]);
    hedge_.distribution(nullptr, shares_.data());
  }

 protected:
  Parts parts() override {
    return {Field::positive("mistakes", mistakes_), Field::positive("unit", unit_),
            Field::count("periods", periods_), Field::positive("shrunk", shrunk_)};
  }

 private:
  std::size_t first(std::size_t k) const { return k * std::size_t(boosters_[0]->voters()); }

  std::vector<std::unique_ptr<Voting>> boosters_;
  experts::AdaNormalHedge hedge_;
  std::vector<double> shares_;
  double mistakes_ = 0;
  double unit_ = 0, periods_ = 1, shrunk_ = 0;  // see AdaNormalHedge.rescale in Python
};

}  // namespace regretless
