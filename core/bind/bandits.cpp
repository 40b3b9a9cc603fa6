// Players of arms, for regretless.bandits.

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "arrays.hpp"
#include "bandits/environments.hpp"
#include "bandits/epsilon_greedy.hpp"
#include "bandits/exp3.hpp"
#include "bandits/exp4.hpp"
#include "bandits/thompson.hpp"
#include "bandits/tsallis_inf.hpp"
#include "bandits/ucb1.hpp"
#include "bindings.hpp"
#include "turns.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {

namespace {

using namespace bandits;
using Cells = Aligned<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>;
using Rows = Aligned<nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>;
using Numbers = std::vector<double>;

std::string written(double number) { return nb::cast<std::string>(nb::str(nb::float_(number))); }

[[noreturn]] void refuse(const std::string& message) { throw nb::value_error(message.c_str()); }

void check_size(std::size_t found, std::size_t expected) {
  if (found != expected) throw nb::value_error("arrays of other shapes were expected");
}

class PyArms {
 public:
  PyArms(std::unique_ptr<Arms> arms, double low, double high)
      : arms_(std::move(arms)), low_(low), high_(high) {}

  Arms& get() const { return idle(*arms_); }

  std::size_t act() { return get().act(nullptr); }
  std::size_t act_among(Vector<double> awake) {
    check_size(awake.size(), get().size());
    return get().act(awake.data());
  }
  void update(Plain loss) {
    if (get().waiting().empty())
      refuse("update(" + written(loss) + "): no choice waits for its loss; call act() first");
    learn(0, loss);
  }
  void update_arm(std::int64_t arm, double loss) {
    check_arm(arm);
    const std::size_t place = get().oldest_of(std::size_t(arm));
    if (place == get().waiting().size())
      refuse("arm=" + std::to_string(arm) +
             " was not chosen, or its losses are all known: only the loss of a choice made by "
             "act() can be learned");
    learn(place, loss);
  }
  void update_ticket(std::int64_t ticket, double loss) { learn(place_of(ticket), loss); }
  void forget(std::int64_t ticket) { get().forget(place_of(ticket)); }

  Array<double> probabilities(Array<double> awake) {
    Numbers p(get().size());
    if (awake.is_none()) {
      get().probabilities(nullptr, p.data());
    } else {
      const auto mask = nb::cast<Vector<double>>(awake);
      check_size(mask.size(), p.size());
      get().probabilities(mask.data(), p.data());
    }
    return array_of(p);
  }
  void advise(Cells advice) {
    check_size(advice.size(), get().advisers() * get().size());
    get().advise(advice.data());
  }
  void grow(double rate) { get().grow(rate); }
  void retire(std::int64_t arm) {
    check_arm(arm);
    get().retire(std::size_t(arm));
  }

  // Plays from round `first` of the world on: (rounds played, arms, losses suffered, propensities,
  // sums of the losses of each arm).
  using Played = TupleOf<int, Array<std::int64_t>, Array<double>, Array<double>, Array<double>>;
  Played run(Environment& world, std::size_t first, std::size_t count, nb::handle advice,
             nb::handle delays) {
    const Given given(*this, world, count, advice, delays);
    std::vector<std::int64_t> arms(count);
    Numbers losses(count), propensities(count), sums(world.size());
    const Record record{arms.data(), losses.data(), propensities.data()};
    std::size_t done = 0;
    released([&] {
      done = play(*arms_, world, first, count, given.advice, Delays(given.delays, count), record,
                  [&](std::size_t, std::size_t, const double* row) {
                    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += row[i];
                  });
    });
    return nb::make_tuple(done, array_of(arms), array_of(losses), array_of(propensities),
                          array_of(sums));
  }
  // (rounds played, and at each checkpoint: loss, loss of the best arm so far, pseudo-regret,
  // choices of each arm). Checkpoints increase; the last is the number of rounds.
  using Watched = TupleOf<int, Array<double>, Array<double>, Array<double>, Array<double>>;
  Watched watch(Environment& world, std::vector<std::size_t> checkpoints, nb::handle delays) {
    const std::size_t n = world.size(), count = checkpoints.empty() ? 0 : checkpoints.back();
    const Given given(*this, world, count, nb::none(), delays);
    Numbers lost, best, pseudo, pulls, sums(n), chosen(n);
    const Numbers& means = world.means();
    const double least = means.empty() ? 0 : *std::min_element(means.begin(), means.end());
    double loss = 0, gap = means.empty() ? std::nan("") : 0;
    std::size_t done = 0, next = 0;
    released([&] {
      done = play(*arms_, world, 0, count, nullptr, Delays(given.delays, count), {},
                  [&](std::size_t t, std::size_t arm, const double* row) {
                    for (std::size_t i = 0; i < n; ++i) sums[i] += row[i];
                    loss += row[arm];
                    chosen[arm] += 1;
                    if (!means.empty()) gap += means[arm] - least;
                    if (t + 1 != checkpoints[next]) return;
                    next += 1;
                    lost.push_back(loss);
                    best.push_back(*std::min_element(sums.begin(), sums.end()));
                    pseudo.push_back(gap);
                    pulls.insert(pulls.end(), chosen.begin(), chosen.end());
                  });
    });
    return nb::make_tuple(done, array_of(lost), array_of(best), array_of(pseudo), array_of(pulls));
  }

 private:
  struct Given {
    Given(const PyArms& player, const Environment& world, std::size_t count, nb::handle said,
          nb::handle late) {
      const Arms& arms = player.get();
      check_size(world.size(), arms.size());
      if (!said.is_none()) {
        table = nb::cast<Cells>(said);
        check_size(table.size(), count * arms.advisers() * arms.size());
        advice = table.data();
      }
      if (!late.is_none()) {
        times = nb::cast<Vector<std::int64_t>>(late);
        check_size(times.size(), count);
        delays = times.data();
        for (std::size_t t = 0; t < count; ++t)
          if (delays[t] < 0) throw nb::value_error("a delay is negative");
      }
      if (!arms.waiting().empty())
        refuse("run: choices still wait for their losses; update or forget them first");
    }
    Cells table;
    Vector<std::int64_t> times;
    const double* advice = nullptr;
    const std::int64_t* delays = nullptr;
  };
  template <class F>
  void released(F f) {
    const Turn turn(*arms_);
    const nb::gil_scoped_release release;
    f();
  }
  void check_arm(std::int64_t arm) const {
    if (arm < 0 || std::size_t(arm) >= get().size())
      refuse("arm=" + std::to_string(arm) + " is none of the " + std::to_string(get().size()) +
             " arms, which are counted from 0");
  }
  std::size_t place_of(std::int64_t ticket) const {
    const std::size_t place = get().place_of(double(ticket));
    if (place == get().waiting().size())
      refuse("ticket=" + std::to_string(ticket) +
             " is of no choice that waits: it was never made, or its loss is known");
    return place;
  }
  void learn(std::size_t place, double loss) {
    Arms& arms = get();
    if (!arms.within(loss)) {
      if (arms.any_range() || !std::isfinite(loss))
        refuse("loss=" + written(loss) + " is not finite" +
               (arms.any_range() ? ", or beyond 1e100" : ""));
      refuse("loss=" + written(loss) + " is outside range=(" + written(low_) + ", " +
             written(high_) + "); give range= or scale it, and of a reward r give 1 - r");
    }
    arms.update(place, loss);
  }

  std::unique_ptr<Arms> arms_;
  double low_, high_;
};

template <class Player, class... Options>
PyArms make(double low, double high, Options... options) {
  return {std::make_unique<Player>(options...), low, high};
}

// An environment that keeps the Python array it reads.
struct PyEnvironment : Environment {
  PyEnvironment(Kind kind, Numbers means, double scale, std::uint64_t seed)
      : Environment(kind, std::move(means), scale, seed) {}
  explicit PyEnvironment(Rows rows)
      : Environment(rows.data(), rows.shape(1)), kept(std::move(rows)), rounds(kept.shape(0)) {}
  void check_rounds(std::size_t first, std::size_t count) const {
    if (first > rounds || count > rounds - first)
      throw nb::value_error("the table of losses has fewer rounds");
  }
  Rows kept;
  std::size_t rounds = std::numeric_limits<std::size_t>::max();  // a table has fewer
};

}  // namespace

void bind_bandits(nb::module_& m) {
  nb::class_<PyEnvironment>(m, "Environment",
                            "The losses of arms, drawn by number or read from a table.")
      .def(nb::init<Environment::Kind, Numbers, double, std::uint64_t>(), "kind"_a.noconvert(),
           "means"_a, "scale"_a, "seed"_a)
      .def(
          "rows",
          [](PyEnvironment& e, std::size_t first, std::size_t count) {
            e.check_rounds(first, count);
            Numbers all;
            all.reserve(count * e.size());
            for (std::size_t t = 0; t < count; ++t) {
              const double* row = e.losses(first + t);
              all.insert(all.end(), row, row + e.size());
            }
            return array_of(all);
          },
          "first"_a, "count"_a, "The losses of all arms in some rounds.")
      .def(
          "column",
          [](PyEnvironment& e, std::size_t arm, std::size_t first, std::size_t count) {
            e.check_rounds(first, count);
            if (arm >= e.size()) throw nb::value_error("there is no such arm");
            Numbers all(count);
            for (std::size_t t = 0; t < count; ++t) all[t] = e.losses(first + t)[arm];
            return array_of(all);
          },
          "arm"_a, "first"_a, "count"_a, "The losses of one arm in some rounds.");
  m.def(
      "table", [](Rows rows) { return std::make_unique<PyEnvironment>(std::move(rows)); }, "rows"_a,
      "An environment that reads the losses from a table.");
  m.def(
      "drawn_index",
      [](Vector<double> weights, double u) {
        if (weights.size() == 0) throw nb::value_error("there is nothing to draw from");
        double total = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) total += weights(i);
        return drawn_index(weights.data(), weights.size(), nullptr, u, total);
      },
      "weights"_a, "u"_a, "The index that the uniform number u draws with these weights.");
  m.def(
      "uniform",
      [](std::uint64_t seed, std::uint64_t round) {
        return Stream(seed, Stream::choice, double(round)).uniform();
      },
      "seed"_a, "round"_a, "The uniform number of a round.");

  nb::class_<PyArms>(m, "Arms", "A player that chooses arms.")
      .def(
          "belongs_to", [](PyArms& a, nb::handle owner) { belongs_to(a.get(), owner); }, "owner"_a,
          "Name the Python object that the engine belongs to, for errors about threads.")
      .def("act", &PyArms::act, "Choose an arm.")
      .def("act_among", &PyArms::act_among, "awake"_a, "Choose an arm among those that are awake.")
      .def("update", &PyArms::update, "loss"_a, "Learn the loss of the oldest choice that waits.")
      .def("update_arm", &PyArms::update_arm, "arm"_a, "loss"_a,
           "Learn the loss of the oldest choice of an arm that waits.")
      .def("update_ticket", &PyArms::update_ticket, "ticket"_a, "loss"_a,
           "Learn the loss of the choice with a ticket.")
      .def("forget", &PyArms::forget, "ticket"_a, "Drop the choice with a ticket.")
      .def("probabilities", &PyArms::probabilities, "awake"_a.none(),
           "The probabilities of the arms now.")
      .def("advise", &PyArms::advise, "advice"_a, "Give the experts' advice for the next choice.")
      .def("grow", &PyArms::grow, "rate"_a, "Add an arm.")
      .def("retire", &PyArms::retire, "arm"_a, "Remove an arm.")
      .def(
          "reseed", [](PyArms& a, std::uint64_t seed) { a.get().reseed(seed); }, "seed"_a,
          "Start another sequence of random numbers.")
      .def(
          "run",
          [](PyArms& a, PyEnvironment& world, std::size_t first, std::size_t count,
             Array<double> advice, Array<std::int64_t> delays) {
            world.check_rounds(first, count);
            return a.run(world, first, count, advice, delays);
          },
          "world"_a, "first"_a, "count"_a, "advice"_a.none(), "delays"_a.none(),
          "Play rounds: (rounds, arms, losses, propensities, sums of losses by arm).")
      .def(
          "watch",
          [](PyArms& a, PyEnvironment& world, std::vector<std::size_t> checkpoints,
             Array<std::int64_t> delays) {
            if (!std::is_sorted(checkpoints.begin(), checkpoints.end()))
              throw nb::value_error("checkpoints must rise");
            world.check_rounds(0, checkpoints.empty() ? 0 : checkpoints.back());
            return a.watch(world, std::move(checkpoints), delays);
          },
          "world"_a, "checkpoints"_a, "delays"_a.none(),
          "Play rounds: (rounds, and at each checkpoint loss, best arm, pseudo-regret, choices).")
      .def_prop_ro(
          "tickets", [](PyArms& a) { return std::int64_t(a.get().tickets()); },
          "The number of tickets given.")
      .def_prop_ro(
          "decisions", [](PyArms& a) { return std::int64_t(a.get().decisions()); },
          "The number of choices made.")
      .def_prop_ro(
          "updates", [](PyArms& a) { return std::int64_t(a.get().updates()); },
          "The number of losses learned.")
      .def_prop_ro(
          "loss", [](PyArms& a) { return a.get().loss(); }, "The sum of the losses learned.")
      .def_prop_ro(
          "propensity", [](PyArms& a) { return a.get().propensity(); },
          "The probability with which the last arm was chosen.")
      .def_prop_ro(
          "slept", [](PyArms& a) { return a.get().slept(); }, "Whether an arm was ever asleep.")
      .def_prop_ro(
          "delayed", [](PyArms& a) { return a.get().delayed(); }, "Whether a loss ever came late.")
      .def_prop_ro(
          "present", [](PyArms& a) { return array_of(a.get().present()); },
          "Which arms are there: 1 or 0.")
      .def_prop_ro(
          "seen", [](PyArms& a) { return array_of(a.get().seen()); },
          "How often the loss of each arm was learned.")
      .def_prop_ro(
          "losses", [](PyArms& a) { return array_of(a.get().losses()); },
          "The sum of the losses learned, scaled to 0 to 1, by arm.")
      .def_prop_ro(
          "waiting",
          [](PyArms& a) {
            ListOf<TupleOf<int, int>> tickets;
            for (const Pull& pull : a.get().waiting())
              tickets.append(nb::make_tuple(std::int64_t(pull.ticket), std::int64_t(pull.arm)));
            return tickets;
          },
          "(ticket, arm) of the choices that wait for their losses.")
      .def_prop_ro(
          "rate", [](PyArms& a) { return a.get().rate(); }, "The learning rate now.")
      .def_prop_ro(
          "paid", [](PyArms& a) { return a.get().paid(); },
          "The part of the bound that has been paid so far.")
      .def_prop_ro(
          "drift", [](PyArms& a) { return a.get().drift(); },
          "The sum of y - <q, z>; 0 if every loss comes at once.")
      .def_prop_ro(
          "figures",
          [](PyArms& a) {
            const Numbers* found = a.get().figures();
            return array_of(found ? *found : Numbers());
          },
          "One number per arm or expert: its estimated regret, or the ones seen.")
      .def(
          "state", [](PyArms& a) { return array_of(a.get().state()); },
          "Everything that changes while it plays, as one array.")
      .def(
          "restore",
          [](PyArms& a, Vector<double> state) { a.get().restore(state.data(), state.size()); },
          "state"_a, "Take over a state; nothing has changed if it is refused.");
  m.def(
      "exp3",
      [](std::size_t n, std::uint64_t seed, double low, double high, double eta, bool falls,
         double implicit) {
        return make<Exp3>(low, high, n, seed, low, high, eta, falls, implicit);
      },
      "n"_a, "seed"_a, "low"_a, "high"_a, "eta"_a, "falls"_a, "implicit"_a,
      "Exp3, or Exp3-IX with implicit exploration.");
  m.def(
      "tsallis_inf",
      [](std::size_t n, std::uint64_t seed, double low, double high, bool reduced) {
        return make<TsallisInf>(low, high, n, seed, low, high, reduced);
      },
      "n"_a, "seed"_a, "low"_a, "high"_a, "reduced"_a, "Tsallis-INF.");
  m.def(
      "ucb1",
      [](std::size_t n, double low, double high, double noise) {
        return make<Ucb1>(low, high, n, low, high, noise);
      },
      "n"_a, "low"_a, "high"_a, "noise"_a, "UCB1.");
  m.def(
      "epsilon_greedy",
      [](std::size_t n, std::uint64_t seed, double low, double high, double epsilon, double scale) {
        return make<EpsilonGreedy>(low, high, n, seed, low, high, epsilon, scale);
      },
      "n"_a, "seed"_a, "low"_a, "high"_a, "epsilon"_a, "scale"_a, "Epsilon-greedy.");
  m.def(
      "bernoulli_thompson",
      [](std::size_t n, std::uint64_t seed, double low, double high, double a, double b) {
        return make<BernoulliThompson>(low, high, n, seed, low, high, a, b);
      },
      "n"_a, "seed"_a, "low"_a, "high"_a, "a"_a, "b"_a, "Thompson sampling with Beta posteriors.");
  m.def(
      "gaussian_thompson",
      [](std::size_t n, std::uint64_t seed, double low, double high, double mean, double scale,
         double noise) {
        return make<GaussianThompson>(low, high, n, seed, low, high, mean, scale, noise);
      },
      "n"_a, "seed"_a, "low"_a, "high"_a, "mean"_a, "scale"_a, "noise"_a,
      "Thompson sampling with Gaussian posteriors.");
  m.def(
      "exp4",
      [](std::size_t n, std::size_t experts, std::uint64_t seed, double low, double high,
         double eta,
         bool falls) { return make<Exp4>(low, high, n, experts, seed, low, high, eta, falls); },
      "n"_a, "experts"_a, "seed"_a, "low"_a, "high"_a, "eta"_a, "falls"_a,
      "Exp4: Exp3 over experts that advise.");
}

}  // namespace regretless
