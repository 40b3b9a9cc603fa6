// LinUCB, for regretless.bandits.
#include "bandits/lin_ucb.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "turns.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {

namespace {

using bandits::LinUcb;
using Context = Aligned<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>;
using Rows = Aligned<nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>;

constexpr double kMost = 1e100;  // squares of numbers up to here, and their sums, are finite

std::string written(double number) { return nb::cast<std::string>(nb::str(nb::float_(number))); }

const double* checked(const LinUcb& bandit, const Context& x) {
  const std::size_t d = bandit.dimension(), first = bandit.shared() ? 1 : 0;
  if (x.ndim() != first + 1 || x.shape(first) != d || (first && x.shape(0) != bandit.arms())) {
    std::string found;
    for (std::size_t i = 0; i < x.ndim(); ++i)
      found += (i ? ", " : "") + std::to_string(x.shape(i));
    const std::string wanted =
        first ? std::to_string(bandit.arms()) + ", " + std::to_string(d) : std::to_string(d) + ",";
    throw nb::value_error(
        ("x has shape (" + found + (x.ndim() == 1 ? ",), not (" : "), not (") + wanted + ")")
            .c_str());
  }
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!(std::fabs(x.data()[i]) <= kMost)) {
      const std::string at =
          first ? std::to_string(i / d) + ", " + std::to_string(i % d) : std::to_string(i);
      throw nb::value_error(("x[" + at + "] = " + written(x.data()[i]) +
                             " is not finite, or beyond 1e100; fill in what is missing")
                                .c_str());
    }
  return x.data();
}

void check_reward(double reward) {
  if (!(std::fabs(reward) <= kMost))
    throw nb::value_error(
        ("reward=" + written(reward) + " is not finite, or beyond 1e100").c_str());
}
std::size_t checked_arm(const LinUcb& bandit, std::int64_t arm) {
  if (arm < 0 || std::size_t(arm) >= bandit.arms())
    throw nb::value_error(("arm=" + std::to_string(arm) + " is none of the " +
                           std::to_string(bandit.arms()) + " arms, which are counted from 0")
                              .c_str());
  return std::size_t(arm);
}
std::size_t checked_place(const LinUcb& bandit, std::size_t place, const std::string& what) {
  if (place == bandit.waiting().size())
    throw nb::value_error(
        (what + " waits for a reward; call act(x) first, or give arm= and x=").c_str());
  return place;
}

std::size_t place_of(const LinUcb& bandit, std::int64_t ticket) {
  return checked_place(bandit, bandit.place_of(double(ticket)),
                       "ticket=" + std::to_string(ticket) + ": no decision that had it");
}

// (arms played, their widths, the largest width in each round, the largest log determinant after
// it)
using Played = TupleOf<Array<std::int64_t>, Array<double>, Array<double>, Array<double>>;
Played run(LinUcb& bandit, Rows contexts, Rows rewards) {
  const Turn turn(bandit);
  const std::size_t count = contexts.shape(0), arms = bandit.arms();
  if (contexts.shape(1) != bandit.context_size() || rewards.shape(0) != count ||
      rewards.shape(1) != arms)
    throw nb::value_error("arrays of other shapes were expected");
  std::vector<std::int64_t> played(count);
  std::vector<double> widths(count), widest(count), largest(count), grown(arms);
  for (std::size_t a = 0; a < arms; ++a) grown[a] = bandit.log_determinant(a);
  double most = *std::max_element(grown.begin(), grown.end());
  {
    nb::gil_scoped_release release;
    for (std::size_t t = 0; t < count; ++t) {
      const double* x = contexts.data() + t * bandit.context_size();
      const LinUcb::Choice choice = bandit.play(x, rewards.data() + t * arms);
      const auto arm = std::size_t(choice.arm);
      played[t] = std::int64_t(arm);
      widths[t] = choice.width;
      widest[t] = choice.widest;
      // det(A + x x') = det(A) (1 + x' A^{-1} x)
      double& log = grown[bandit.shared() ? 0 : arm];
      most = std::max(most, log += std::log1p(widths[t] * widths[t]));
      largest[t] = most;
    }
  }
  return nb::make_tuple(array_of(played), array_of(widths), array_of(widest), array_of(largest));
}

}  // namespace

void bind_lin_ucb(nb::module_& m) {
  nb::class_<LinUcb>(m, "LinUcb", "LinUCB: upper confidence bounds of linear rewards.")
      .def(nb::init<std::size_t, std::size_t, double, double, bool>(), "arms"_a, "dimension"_a,
           "alpha"_a, "ridge"_a, "shared"_a)
      .def(
          "act", [](LinUcb& b, Context x) { return b.act(checked(b, x)); }, "x"_a,
          "Choose an arm for a context.")
      .def(
          "update",
          [](LinUcb& b, double reward) {
            check_reward(reward);
            b.update(checked_place(b, 0, "update: no decision"), reward);
          },
          "reward"_a, "Learn the reward of the oldest decision that waits.")
      .def(
          "update_arm",
          [](LinUcb& b, std::int64_t arm, double reward) {
            check_reward(reward);
            b.update(checked_place(b, b.oldest_of(checked_arm(b, arm)),
                                   "arm=" + std::to_string(arm) + ": no decision for it"),
                     reward);
          },
          "arm"_a, "reward"_a, "Learn the reward of the oldest decision for an arm that waits.")
      .def(
          "update_ticket",
          [](LinUcb& b, std::int64_t ticket, double reward) {
            check_reward(reward);
            b.update(place_of(b, ticket), reward);
          },
          "ticket"_a, "reward"_a, "Learn the reward of the decision with a ticket.")
      .def(
          "forget", [](LinUcb& b, std::int64_t ticket) { b.forget(place_of(b, ticket)); },
          "ticket"_a, "Drop the decision with a ticket.")
      .def(
          "learn",
          [](LinUcb& b, std::int64_t arm, Context x, double reward) {
            check_reward(reward);
            b.learn(checked_arm(b, arm), checked(b, x), reward);
          },
          "arm"_a, "x"_a, "reward"_a, "Learn the reward of an arm that somebody else chose.")
      .def(
          "look",
          [](LinUcb& b, Context x) -> TupleOf<Array<double>, Array<double>> {
            b.look(checked(b, x));
            return nb::make_tuple(array_of(b.estimates()), array_of(b.widths()));
          },
          "x"_a, "(estimates, widths) of all arms for a context.")
      .def("run", &run, "contexts"_a, "rewards"_a,
           "Play rounds: (arms, their widths, the largest widths, the largest log determinants).")
      .def(
          "log_determinant",
          [](const LinUcb& b, std::size_t arm) { return b.log_determinant(arm); }, "arm"_a,
          "The log determinant of A / ridge in the regression of an arm.")
      .def_prop_ro(
          "weights", [](const LinUcb& b) { return array_of(b.weights()); },
          "The estimated weights of the arms.")
      .def_prop_ro(
          "roots", [](const LinUcb& b) { return array_of(b.roots()); },
          "The triangles R of A = R'R, one per regression.")
      .def_prop_ro(
          "tickets", [](const LinUcb& b) { return std::int64_t(b.tickets()); },
          "The number of tickets given.")
      .def_prop_ro(
          "decisions", [](const LinUcb& b) { return std::int64_t(b.decisions()); },
          "The number of decisions made.")
      .def_prop_ro(
          "updates", [](const LinUcb& b) { return std::int64_t(b.updates()); },
          "The number of rewards learned.")
      .def_prop_ro("reward", &LinUcb::reward, "The sum of the rewards learned.")
      .def_prop_ro("played_widths", &LinUcb::played_widths,
                   "The sum of the widths of the arms played.")
      .def_prop_ro("largest_widths", &LinUcb::largest_widths,
                   "The sum of the largest widths of the rounds.")
      .def_prop_ro(
          "waiting",
          [](const LinUcb& b) {
            ListOf<TupleOf<int, int>> all;
            for (const LinUcb::Choice& each : b.waiting())
              all.append(nb::make_tuple(std::int64_t(each.ticket), std::int64_t(each.arm)));
            return all;
          },
          "(ticket, arm) of the decisions that wait for their rewards.")
      .def(
          "state", [](LinUcb& b) { return array_of(b.state()); },
          "Everything that changes while it plays, as one array.")
      .def(
          "restore", [](LinUcb& b, Vector<double> state) { b.restore(state.data(), state.size()); },
          "state"_a, "Take over a state; nothing has changed if it is refused.");
}

}  // namespace regretless
