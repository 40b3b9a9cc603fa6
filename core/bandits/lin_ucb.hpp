// LinUCB (Li, Chu, Langford and Schapire (2010)): a ridge regression of the reward on the context,
// one for each arm or one for all. It plays the arm with the largest upper confidence bound:
//
//   argmax_a  <theta_a, x> + alpha sqrt(x' A_a^{-1} x),   A_a = ridge I + sum x x',
//   theta_a = A_a^{-1} sum reward x
//
// It keeps the triangle R of A = R'R, and R'^{-1} sum reward x. A row (x, reward) is rotated into
// them, as in a QR factorisation that grows. Nothing is ever subtracted from A or its inverse, so
// after any number of updates the answers are those of a factorisation from scratch.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <vector>

#include "oco/geometry.hpp"
#include "state.hpp"

namespace regretless::bandits {

class LinUcb : public Stateful {
 public:
  // A decision whose reward is not known yet.
  struct Choice {
    double ticket = 0, arm = 0;
    double width = 0, widest = 0;  // of the arm played, and the largest of all arms
    std::vector<double> context = {};
  };

  // shared: one regression for all arms; a context has a row of features for each arm
  LinUcb(std::size_t arms, std::size_t dimension, double alpha, double ridge, bool shared)
      : arms_(arms),
        dimension_(dimension),
        alpha_(alpha),
        ridge_(ridge),
        shared_(shared),
        roots_(models() * dimension * dimension),
        scales_(models() * dimension, 1 / std::sqrt(ridge)),
        images_(models() * dimension),
        weights_(models() * dimension),
        estimates_(arms),
        widths_(arms),
        row_(dimension) {
    for (std::size_t m = 0; m < models(); ++m)
      for (std::size_t i = 0; i < dimension; ++i) root(m)[i * dimension + i] = std::sqrt(ridge);
  }

  std::size_t arms() const { return arms_; }
  std::size_t dimension() const { return dimension_; }
  bool shared() const { return shared_; }
  std::size_t models() const { return shared_ ? 1 : arms_; }
  std::size_t context_size() const { return shared_ ? arms_ * dimension_ : dimension_; }
  const std::vector<double>& weights() const { return weights_; }
  double tickets() const { return tickets_; }      // numbers given to decisions
  double decisions() const { return decisions_; }  // those that were not forgotten
  double updates() const { return updates_; }
  double reward() const { return reward_; }
  double played_widths() const { return played_widths_; }    // sum over decisions with a reward
  double largest_widths() const { return largest_widths_; }  // the same sum for the widest arms
  const std::vector<double>& roots() const { return roots_; }
  const std::deque<Choice>& waiting() const { return waiting_; }

  // Estimate and width of each arm.
  void look(const double* x) {
    for (std::size_t a = 0; a < arms_; ++a) {
      const double* features = features_of(a, x);
      estimates_[a] = oco::dot(weights_.data() + model(a) * dimension_, features, dimension_);
      widths_[a] = width(model(a), features);
    }
  }
  const std::vector<double>& estimates() const { return estimates_; }
  const std::vector<double>& widths() const { return widths_; }

  // Chooses the first of the best arms. The choice and its context wait for a reward.
  std::size_t act(const double* x) {
    Choice choice = decide(x);
    choice.ticket = tickets_++;
    choice.context.assign(x, x + context_size());
    decisions_ += 1;
    const auto arm = std::size_t(choice.arm);
    waiting_.push_back(std::move(choice));
    return arm;
  }
  // Learns the reward of a decision that waits.
  void update(std::size_t place, double reward) {
    const Choice& choice = waiting_[place];
    settle(choice, choice.context.data(), reward);
    drop(place);
  }
  // Makes a decision and learns its reward; returns the decision, without its context.
  Choice play(const double* x, const double* rewards) {
    const Choice choice = decide(x);
    tickets_ += 1;
    decisions_ += 1;
    settle(choice, x, rewards[std::size_t(choice.arm)]);
    return choice;
  }
  void forget(std::size_t place) {
    decisions_ -= 1;
    drop(place);
  }
  // Its index among the decisions that wait; `waiting().size()` if it does not wait.
  std::size_t place_of(double ticket) const {
    const auto at = std::lower_bound(waiting_.begin(), waiting_.end(), ticket,
                                     [](const Choice& c, double t) { return c.ticket < t; });
    const bool found = at != waiting_.end() && at->ticket == ticket;
    return found ? std::size_t(at - waiting_.begin()) : waiting_.size();
  }
  std::size_t oldest_of(std::size_t arm) const {
    const auto at = std::find_if(waiting_.begin(), waiting_.end(),
                                 [&](const Choice& c) { return c.arm == double(arm); });
    return std::size_t(at - waiting_.begin());
  }

  void learn(std::size_t arm, const double* x, double reward) {
    const std::size_t m = model(arm), d = dimension_;
    std::copy_n(features_of(arm, x), d, row_.data());
    double *image = images_.data() + m * d, *scale = scales_.data() + m * d;
    double rest = reward;
    for (std::size_t j = 0; j < d; ++j) {
      if (row_[j] == 0) continue;
      double* __restrict r = root(m) + j * d, * __restrict row = row_.data();
      const double length = std::sqrt(r[j] * r[j] + row[j] * row[j]);
      scale[j] = 1 / length;
      const double c = r[j] * scale[j], s = row[j] * scale[j];
      r[j] = length;
      for (std::size_t k = j + 1; k < d; ++k) {
        const double above = r[k], below = row[k];
        r[k] = c * above + s * below;
        row[k] = c * below - s * above;
      }
      const double above = image[j];
      image[j] = c * above + s * rest;
      rest = c * rest - s * above;
    }
    solve(m, weights_.data() + m * d);
    updates_ += 1;
    reward_ += reward;
  }

  // log det(A / ridge) of the regression of an arm.
  double log_determinant(std::size_t arm) const {
    double sum = 0;
    const double* r = roots_.data() + model(arm) * dimension_ * dimension_;
    for (std::size_t i = 0; i < dimension_; ++i)
      sum += 2 * std::log(r[i * dimension_ + i] / std::sqrt(ridge_));
    return sum;
  }

  std::vector<double> state() override {
    std::vector<double> all = Stateful::state();
    for (const Choice& choice : waiting_) {
      all.insert(all.end(), {choice.ticket, choice.arm, choice.width, choice.widest});
      all.insert(all.end(), choice.context.begin(), choice.context.end());
    }
    return all;
  }
  void restore(const double* state, std::size_t size) override {
    std::size_t fixed = 0;
    for (const Field& part : parts()) fixed += part.at.size;
    const std::size_t each = 4 + context_size();
    require(size >= fixed && (size - fixed) % each == 0, "the state is of another bandit");
    std::deque<Choice> waiting;
    for (std::size_t at = fixed; at < size; at += each) {
      Choice choice{state[at], state[at + 1], state[at + 2], state[at + 3]};
      choice.context.assign(state + at + 4, state + at + each);
      check_waiting(choice, waiting.empty() ? -1 : waiting.back().ticket, state[0]);
      waiting.push_back(std::move(choice));
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
  Parts parts() override {
    return {Field::count("tickets", tickets_),  // first: `restore` looks at it
            Field::count("decisions", decisions_),
            Field::count("updates", updates_),
            Field::number("reward", reward_),
            Field::positive("played widths", played_widths_),
            Field::positive("largest widths", largest_widths_),
            Field::number("roots", roots_, -kFar, kFar),
            Field::positive("scales", scales_, kFar),
            Field::number("images", images_, -kFar, kFar),
            Field::number("weights", weights_, -kFar, kFar)};
  }
  void check() override {
    const std::size_t d = dimension_;
    require(played_widths_ <= (1 + 1e-9) * largest_widths_, "played widths are above the largest");
    require(decisions_ <= tickets_ && double(waiting_.size()) <= decisions_,
            "decisions are more than the tickets, or less than those that wait");
    for (std::size_t m = 0; m < models(); ++m) {
      std::vector<double> theta(weights_.begin() + std::ptrdiff_t(m * d),
                                weights_.begin() + std::ptrdiff_t((m + 1) * d));
      for (std::size_t i = 0; i < d; ++i) {
        const double* row = root(m) + i * d;
        require(row[i] >= std::sqrt(ridge_) * (1 - 1e-9) && near(scales_[m * d + i], 1 / row[i]) &&
                    std::all_of(row, row + i, [](double r) { return r == 0; }),
                "roots are not those of a regression");
      }
      solve(m, theta.data());
      for (std::size_t i = 0; i < d; ++i)
        require(near(theta[i], weights_[m * d + i]), "weights are not those of the images");
    }
  }

 private:
  Choice decide(const double* x) {
    look(x);
    std::size_t best = 0;
    for (std::size_t a = 1; a < arms_; ++a)
      if (index(a) > index(best)) best = a;
    const double widest = *std::max_element(widths_.begin(), widths_.end());
    return {0, double(best), widths_[best], widest};
  }
  void settle(const Choice& choice, const double* x, double reward) {
    played_widths_ += choice.width;
    largest_widths_ += choice.widest;
    learn(std::size_t(choice.arm), x, reward);
  }
  void drop(std::size_t place) { waiting_.erase(waiting_.begin() + std::ptrdiff_t(place)); }
  void check_waiting(Choice& choice, double before, double tickets) const {
    Field::count("a waiting decision's ticket", choice.ticket).check();
    require(choice.ticket > before && choice.ticket < tickets, "the tickets that wait do not rise");
    Field::count("a waiting decision's arm", choice.arm, double(arms_) - 1).check();
    Field::positive("a waiting decision's widest", choice.widest).check();
    Field::positive("a waiting decision's width", choice.width, choice.widest).check();
    Field::number("a waiting decision's context", choice.context, -kFar, kFar).check();
  }
  std::size_t model(std::size_t arm) const { return shared_ ? 0 : arm; }
  const double* features_of(std::size_t arm, const double* x) const {
    return shared_ ? x + arm * dimension_ : x;
  }
  double* root(std::size_t m) { return roots_.data() + m * dimension_ * dimension_; }
  // R theta = image
  void solve(std::size_t m, double* theta) {
    const std::size_t d = dimension_;
    const double *image = images_.data() + m * d, *scale = scales_.data() + m * d;
    for (std::size_t i = d; i-- > 0;)
      theta[i] =
          (image[i] - oco::dot(root(m) + i * d + i + 1, theta + i + 1, d - i - 1)) * scale[i];
  }
  double index(std::size_t arm) const { return estimates_[arm] + alpha_ * widths_[arm]; }
  // sqrt(x' A^{-1} x) = ||q|| where R'q = x
  double width(std::size_t m, const double* x) {
    const std::size_t d = dimension_;
    const double* scale = scales_.data() + m * d;
    double* __restrict row = row_.data();
    std::copy_n(x, d, row);
    double square = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double q = row[j] * scale[j];
      square += q * q;
      const double* __restrict r = root(m) + j * d;
      for (std::size_t k = j + 1; k < d; ++k) row[k] -= q * r[k];
    }
    return std::sqrt(square);
  }

  static constexpr double kFar = 1e150;  // squares of it are still numbers
  std::size_t arms_, dimension_;
  double alpha_, ridge_;
  bool shared_;
  std::vector<double> roots_;    // R, row by row, the part below the diagonal included
  std::vector<double> scales_;   // 1 / the diagonal of R
  std::vector<double> images_;   // R'^{-1} sum reward x
  std::vector<double> weights_;  // theta
  std::deque<Choice> waiting_;   // for their rewards, the oldest first
  std::vector<double> estimates_, widths_, row_;
  double tickets_ = 0, decisions_ = 0, updates_ = 0, reward_ = 0;
  double played_widths_ = 0, largest_widths_ = 0;
};

}  // namespace regretless::bandits
