// Players that choose one of n arms and see only its loss (Shalev-Shwartz (2012), section 4.2). A
// choice waits until its loss comes, possibly after the losses of later choices, and is learned
// with the probabilities that it was made with.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <stdexcept>
#include <vector>

#include "bandits/random.hpp"
#include "sampling.hpp"
#include "state.hpp"

namespace regretless::bandits {

struct Pull {
  double ticket = 0, arm = 0;      // the number of the choice, and what was chosen
  double propensity = 0;           // the probability of the choice; NaN if it is not known
  double weight = 1;               // an estimate divides the loss by this
  std::vector<double> notes = {};  // arms awake, if not all; for Exp4 the advice for the arm
};

class Arms : public Stateful {
 public:
  // Losses are from low to high and are scaled to 0 to 1. With infinite limits they are not scaled.
  Arms(std::size_t n, std::uint64_t seed, double low, double high)
      : seed_(seed), low_(low), high_(high), present_(n, 1), chosen_(n), seen_(n), losses_(n) {}

  std::size_t size() const { return present_.size(); }
  double tickets() const { return tickets_; }      // numbers given, forgotten choices included
  double decisions() const { return decisions_; }  // choices that were not forgotten
  double updates() const { return updates_; }
  double loss() const { return loss_; }  // not scaled
  const std::vector<double>& present() const { return present_; }
  const std::vector<double>& seen() const { return seen_; }      // number of losses seen, by arm
  const std::vector<double>& losses() const { return losses_; }  // the sums of these losses, scaled
  const std::deque<Pull>& waiting() const { return waiting_; }
  double propensity() const { return propensity_; }
  bool slept() const { return slept_ != 0; }      // whether an arm was ever missing
  bool delayed() const { return delayed_ != 0; }  // whether a loss came after another choice
  bool any_range() const { return std::isinf(high_); }
  void reseed(std::uint64_t seed) { seed_ = seed; }
  bool within(double loss) const {
    if (any_range()) return std::fabs(loss) <= 1e100;
    const double edge = 1e-9 * (high_ - low_);
    return loss >= low_ - edge && loss <= high_ + edge;
  }

  // The probabilities of the next choice, among the arms that are awake.
  virtual void probabilities(const double* awake, double* p) = 0;
  // Terms of the bound.
  virtual double paid() const { return 0; }
  virtual double drift() const { return 0; }
  virtual double rate() const { return 0; }
  // One number for each arm or expert: its estimated regret, or the number of ones seen.
  virtual const std::vector<double>* figures() { return nullptr; }
  // The advice of the experts of Exp4, a row each.
  virtual std::size_t advisers() const { return 0; }
  virtual void advise(const double*) {}

  // awake: null for all arms that are present.
  std::size_t act(const double* awake) {
    awake = among(awake);
    if (awake && std::none_of(awake, awake + size(), [](double each) { return each > 0; }))
      throw std::invalid_argument("no arm is left to choose");
    Pull pull;
    pull.ticket = tickets_;
    Stream random(seed_, Stream::choice, tickets_);
    const std::size_t arm = choose(awake, random, pull);
    require(arm < size(), "no arm can be chosen");
    pull.arm = double(arm);
    propensity_ = pull.propensity;
    tickets_ += 1;
    decisions_ += 1;
    chosen_[arm] += 1;
    if (awake) slept_ = 1;
    waiting_.push_back(std::move(pull));
    return arm;
  }
  // Learns the loss of a choice that waits. The loss must be within the range.
  void update(std::size_t place, double loss) {
    const auto found = waiting_.begin() + std::ptrdiff_t(place);
    if (waiting_.size() > 1 || found->ticket != tickets_ - 1) delayed_ = 1;
    const double y = any_range() ? loss : std::clamp((loss - low_) / (high_ - low_), 0.0, 1.0);
    learn(*found, y);
    const auto arm = std::size_t(found->arm);
    seen_[arm] += 1;
    losses_[arm] += y;
    loss_ += loss;
    updates_ += 1;
    drop(place);
  }
  // Drops a choice as if it had never been made. Its number is not given again.
  void forget(std::size_t place) {
    chosen_[std::size_t(waiting_[place].arm)] -= 1;
    decisions_ -= 1;
    drop(place);
  }
  // Its index among the choices that wait; `waiting().size()` if it does not wait.
  std::size_t place_of(double ticket) const {
    if (!waiting_.empty() && waiting_.front().ticket == ticket) return 0;
    const auto at = std::lower_bound(waiting_.begin(), waiting_.end(), ticket,
                                     [](const Pull& p, double t) { return p.ticket < t; });
    const bool found = at != waiting_.end() && at->ticket == ticket;
    return found ? std::size_t(at - waiting_.begin()) : waiting_.size();
  }
  std::size_t oldest_of(std::size_t arm) const {
    const auto at = std::find_if(waiting_.begin(), waiting_.end(),
                                 [&](const Pull& p) { return p.arm == double(arm); });
    return std::size_t(at - waiting_.begin());
  }

  // Adds an arm; `rate` is the rate for the new number of arms.
  virtual void grow(double) {
    for (auto* each : {&present_, &chosen_, &seen_, &losses_}) each->push_back(0);
    present_.back() = 1;
    slept_ = slept_ != 0 || decisions_ > 0;
    for (Pull& pull : waiting_)
      if (remembers_awake()) {
        if (pull.notes.empty()) pull.notes.assign(size() - 1, 1);
        pull.notes.push_back(0);
      }
  }
  void retire(std::size_t arm) { present_[arm] = 0, retired_ = 1; }

  std::vector<double> state() override {
    std::vector<double> all = Stateful::state();
    for (const Pull& pull : waiting_) {
      all.insert(all.end(), {pull.ticket, pull.arm, pull.propensity, pull.weight});
      all.push_back(double(pull.notes.size()));
      all.insert(all.end(), pull.notes.begin(), pull.notes.end());
    }
    return all;
  }
  void restore(const double* state, std::size_t size) override {
    std::size_t fixed = 0;
    for (const Field& part : parts()) fixed += part.at.size;
    require(size >= fixed, "the state is of another player");
    std::deque<Pull> waiting;
    for (std::size_t at = fixed; at < size;) {
      require(size - at >= 5, "the state ends within a choice that waits");
      Pull pull{state[at], state[at + 1], state[at + 2], state[at + 3]};
      double notes = state[at + 4];
      at += 5;
      Field::count("a waiting choice's notes", notes, double(size - at)).check();
      pull.notes.assign(state + at, state + at + std::size_t(notes));
      at += std::size_t(notes);
      check_waiting(pull, waiting.empty() ? -1 : waiting.back().ticket, state[0]);
      waiting.push_back(std::move(pull));
    }
    waiting_.swap(waiting);
    try {
      Stateful::restore(state, fixed);
    } catch (...) {
      waiting_.swap(waiting);
      throw;
    }
  }

 protected:
  static constexpr double kFar = 1e150;  // limit of sums of estimates
  virtual std::size_t choose(const double* awake, Stream& random, Pull& pull) = 0;
  virtual void learn(const Pull& pull, double y) = 0;
  virtual bool remembers_awake() const { return false; }
  Parts parts() override {
    Field propensity = Field::positive("propensity", propensity_, 1 + 1e-9);
    propensity.unknown = true;
    return {Field::count("tickets", tickets_),  // first: `restore` looks at it
            Field::count("decisions", decisions_), Field::count("updates", updates_),
            Field::number("loss", loss_),          propensity,
            Field::flag("slept", slept_),          Field::flag("delayed", delayed_),
            Field::flag("retired", retired_),      Field::flag("present", present_),
            Field::count("chosen", chosen_),       Field::count("seen", seen_),
            Field::number("losses", losses_)};
  }
  void check() override {
    std::vector<double> open(size());  // for each arm, the number of choices without a loss
    for (std::size_t i = 0; i < size(); ++i) open[i] = chosen_[i] - seen_[i];
    for (const Pull& pull : waiting_) open[std::size_t(pull.arm)] -= 1;
    require(std::all_of(open.begin(), open.end(), [](double each) { return each == 0; }),
            "chosen is not what was seen and what waits");
    require(decisions_ <= tickets_, "decisions are more than the tickets");
    require(sum_of(chosen_) == decisions_, "chosen does not add up to the decisions");
    require(sum_of(seen_) == updates_, "seen does not add up to the updates");
    const double gone = double(size()) - sum_of(present_);
    require(gone < double(size()) && (retired_ != 0) == (gone > 0), "present is not true");
    const double edge = 1e-6 * (high_ - low_);
    const double low = any_range() ? -1e100 : low_ - edge,
                 high = any_range() ? 1e100 : high_ + edge;
    Field::number("loss", loss_, low * updates_, high * updates_).check();
    for (std::size_t i = 0; i < size(); ++i) {
      const double least = any_range() ? -1e100 * seen_[i] : 0;
      const double most = (any_range() ? 1e100 : 1) * (1 + 1e-9) * seen_[i];
      Field::number("losses", losses_[i], (1 + 1e-9) * least, most).check();
    }
  }
  static double sum_of(const std::vector<double>& x) {
    double sum = 0;
    for (const double each : x) sum += each;
    return sum;
  }
  // The mask of arms that are awake; null if all are.
  const double* among(const double* awake) const {
    if (!awake) {
      if (retired_ == 0) return nullptr;
      awake = present_.data();
    }
    for (std::size_t i = 0; i < size(); ++i)
      if (!(awake[i] > 0)) return awake;
    return nullptr;
  }
  static bool is_awake(const double* awake, std::size_t i) { return !awake || awake[i] > 0; }
  std::size_t drawn(const std::vector<double>& w, const double* awake, double u,
                    double total) const {
    return drawn_index(w.data(), size(), awake, u, total);
  }

 private:
  void drop(std::size_t place) {
    if (place == 0)
      waiting_.pop_front();
    else
      waiting_.erase(waiting_.begin() + std::ptrdiff_t(place));
  }
  // Checks a choice that a file contains: its ticket follows the last one and was given.
  void check_waiting(Pull& pull, double before, double tickets) const {
    Field::count("a waiting choice's ticket", pull.ticket).check();
    require(pull.ticket > before && pull.ticket < tickets, "the tickets that wait do not rise");
    Field::count("a waiting choice's arm", pull.arm, double(size()) - 1).check();
    Field propensity =
        Field::number("a waiting choice's propensity", pull.propensity, 1e-305, 1.01);
    propensity.unknown = true;
    propensity.check();
    Field::number("a waiting choice's weight", pull.weight, 1e-305, 1e100).check();
    const std::size_t notes = pull.notes.size();
    require(advisers() ? notes == advisers() : !notes || (remembers_awake() && notes == size()),
            "the notes of a waiting choice are of another player");
    if (advisers())
      Field::positive("a waiting choice's advice", pull.notes, 1 + 1e-6).check();
    else
      Field::flag("a waiting choice's arms awake", pull.notes).check();
    require(advisers() || !notes || pull.notes[std::size_t(pull.arm)] != 0,
            "a waiting choice is of an arm that slept");
  }

 protected:
  std::uint64_t seed_;
  double low_, high_;
  std::vector<double> present_, chosen_, seen_, losses_;
  std::deque<Pull> waiting_;
  double tickets_ = 0, decisions_ = 0, updates_ = 0, loss_ = 0, propensity_ = 1;
  double slept_ = 0, delayed_ = 0;
  double retired_ = 0;  // 1 if an arm has retired
};

}  // namespace regretless::bandits
