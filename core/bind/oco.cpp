// The players of regretless.oco.

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "enums.hpp"
#include "oco/coordinates.hpp"
#include "oco/density.hpp"
#include "oco/invariant.hpp"
#include "oco/leader.hpp"
#include "oco/mirror.hpp"
#include "oco/newton.hpp"
#include "turns.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace regretless {

namespace {

using oco::Player;
using Cells = Aligned<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>;
using Rows = Aligned<nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>;

double update(Player& player, Vector<double> gradient) {
  check_turn(player);
  const std::size_t d = player.dimension();
  if (gradient.size() != d)
    throw nb::value_error(("gradient has shape (" + std::to_string(gradient.size()) + ",), not (" +
                           std::to_string(d) + ",)")
                              .c_str());
  const double* z = gradient.data();
  if (const std::size_t i = player.refused(z); i < d)
    throw nb::value_error(("gradient[" + std::to_string(i) +
                           "] = " + nb::cast<std::string>(nb::str(nb::float_(z[i]))) +
                           " is not finite, or beyond 1e+75")
                              .c_str());
  return player.update(z);
}

// (losses, strength, paid, points if they are to be kept)
using Played = TupleOf<Array<double>, Array<double>, Array<double>, std::optional<Array<double>>>;
Played run(Player& player, Rows rows, Array<double> targets, const Loss* loss, bool keep,
           double bound) {
  const Turn turn(player);
  const std::size_t count = rows.shape(0), d = player.dimension();
  Vector<double> y;
  if (loss) y = nb::cast<Vector<double>>(targets);
  if (rows.shape(1) != d || (loss && y.size() != count))
    throw nb::value_error("arrays of other shapes were expected");
  std::vector<double> losses(count), strength(count), paid(count), points(keep ? count * d : 0);
  const std::vector<double> before = loss ? player.state() : std::vector<double>{};
  std::size_t done;
  {
    nb::gil_scoped_release release;
    done = oco::play(
        player, rows.data(), count, loss ? y.data() : nullptr, loss,
        {losses.data(), strength.data(), paid.data(), keep ? points.data() : nullptr, bound});
  }
  if (done < count) {
    player.restore(before.data(), before.size());
    throw nb::value_error(("the gradient of round " + std::to_string(done) +
                           " of this run is beyond 1e+75, and no round was played: scale X, or "
                           "lower the rate")
                              .c_str());
  }
  return nb::make_tuple(array_of(losses), array_of(strength), array_of(paid),
                        keep ? array_of(points) : nb::object(nb::none()));
}

oco::Domain domain_of(nb::dict options) {
  oco::Domain domain;
  domain.kind = named<oco::Domain::Kind>(options, "domain");
  domain.size = nb::cast<double>(options["size"]);
  domain.low = nb::cast<std::vector<double>>(options["low"]);
  domain.high = nb::cast<std::vector<double>>(options["high"]);
  return domain;
}

oco::Geometry geometry_of(nb::dict options) {
  const auto number = [&](const char* key) { return nb::cast<double>(options[key]); };
  oco::Geometry geometry;
  geometry.kind = named<oco::Geometry::Kind>(options, "geometry");
  geometry.convexity = number("convexity"), geometry.scale = number("scale");
  geometry.p = number("p"), geometry.factor = number("factor");
  geometry.matrix = nb::cast<std::vector<double>>(options["matrix"]);
  return geometry;
}

// (points, squared dual norms of the gradients)
TupleOf<Array<double>, Array<double>> leaders(Options twin, Vector<double> first,
                                              Vector<double> theta, Rows rows, Vector<double> eta) {
  const std::size_t count = rows.shape(0), d = first.size();
  if (theta.size() != d || rows.shape(1) != d || eta.size() != count)
    throw nb::value_error("arrays of other shapes were expected");
  oco::Leader leader{{}, domain_of(twin), {first.data(), first.data() + d}};
  if (twin.contains("geometry")) leader.geometry = geometry_of(twin);
  std::vector<double> sum(theta.data(), theta.data() + d), points(count * d), squares(count);
  {
    nb::gil_scoped_release release;
    oco::lead(leader, sum.data(), rows.data(), eta.data(), count, points.data(), squares.data());
  }
  return nb::make_tuple(array_of(points), array_of(squares));
}

Array<double> density_weights(oco::Density::Potential potential, double rate, Vector<double> scores,
                              double round) {
  std::vector<double> p(scores.size());
  oco::Density{potential, rate}.weights(scores.data(), p.size(), round, p.data());
  return array_of(p);
}
// (scores, losses, points played)
TupleOf<Array<double>, Array<double>, Array<double>> density_run(oco::Density::Potential potential,
                                                                 double rate, double before,
                                                                 Vector<double> scores, Rows points,
                                                                 Rows values) {
  const std::size_t n = scores.size(), count = values.shape(0), d = points.shape(1);
  if (points.shape(0) != n || values.shape(1) != n)
    throw nb::value_error("arrays of other shapes were expected");
  std::vector<double> s(scores.data(), scores.data() + n), losses(count), played(count * d);
  {
    nb::gil_scoped_release release;
    oco::play({potential, rate}, before, values.data(), count, points.data(), n, d, s.data(),
              losses.data(), played.data());
  }
  return nb::make_tuple(array_of(s), array_of(losses), array_of(played));
}

// Further sums that a player's bounds are made of, by name.
Options sums(const Player& player) {
  Options out;
  if (const auto* mirror = dynamic_cast<const oco::MirrorDescent*>(&player)) {
    out["squares"] = mirror->squares();
    out["lengths"] = mirror->lengths();
    out["largest"] = mirror->largest_gradient();
    out["local"] = mirror->local();
    out["spread"] = mirror->spread();
    out["steepest"] = mirror->steepest();
  }
  if (const auto* coin = dynamic_cast<const oco::CoinPlayer*>(&player))
    out["largest"] = coin->largest_gradient();
  const auto quadratic = [&](const auto* newton) {
    if (!newton) return;
    out["matrix"] = array_of(newton->matrix());
    out["cross"] = array_of(newton->cross());
    out["squares"] = newton->squares();
  };
  quadratic(dynamic_cast<const oco::NewtonStep*>(&player));
  quadratic(dynamic_cast<const oco::InvariantNewton*>(&player));
  if (const auto* adagrad = dynamic_cast<const oco::AdaGradPlayer*>(&player))
    out["squares"] = array_of(adagrad->squares());
  return out;
}

// A copy in which numbers below `least` are 0; None if a number is beyond `most` or is NaN. It
// takes one pass, because a table of gradients is larger than the caches.
std::optional<Array<double>> ordinary(Cells numbers, double least, double most) {
  auto* copy = new double[numbers.size() ? numbers.size() : 1];
  nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  bool right = true;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double x = numbers.data()[i], size = std::abs(x);
    right &= size <= most;
    copy[i] = size < least ? 0.0 : x;
  }
  if (!right) return std::nullopt;
  std::vector<std::size_t> shape(numbers.ndim());
  for (std::size_t k = 0; k < shape.size(); ++k) shape[k] = numbers.shape(k);
  return Array<double>(
      nb::cast(nb::ndarray<nb::numpy, double>(copy, shape.size(), shape.data(), owner)));
}

}  // namespace

void bind_oco(nb::module_& m) {
  m.def("ordinary", &ordinary, "numbers"_a, "least"_a, "most"_a,
        "A copy in which numbers below `least` are 0; None if one is beyond `most` or NaN.");
  nb::class_<Player>(m, "Player", "A player of online convex optimisation.")
      .def("update", &update, "gradient"_a, "Suffer <gradient, point> and move; returns that loss.")
      .def("run", &run, "rows"_a, "targets"_a.none(), "loss"_a.none(), "keep"_a, "bound"_a = 0.0,
           "Play many rounds: (losses, strength, paid, points if `keep`).")
      .def(
          "look",
          [](Player& p, Vector<double> x, double bound) {
            if (x.size() != p.dimension()) throw nb::value_error("x is of another length");
            idle(p).look(x.data(), bound);
          },
          "x"_a, "bound"_a, "Tell the player the next example before it plays.")
      .def_prop_ro(
          "point", [](Player& p) { return array_of(idle(p).point()); }, "The point to play now.")
      .def_prop_ro(
          "theta", [](Player& p) { return array_of(idle(p).theta()); },
          "Minus the sum of gradients.")
      .def_prop_ro(
          "rounds", [](Player& p) { return std::int64_t(idle(p).rounds()); },
          "The number of rounds played.")
      .def_prop_ro(
          "linear", [](Player& p) { return idle(p).linear(); }, "The sum of <gradient, point>.")
      .def_prop_ro(
          "gross", [](Player& p) { return idle(p).gross(); }, "The sum of |<gradient, point>|.")
      .def_prop_ro(
          "peaks", [](Player& p) { return idle(p).peaks(); },
          "The sum of the largest entries of the gradients, for bounds on rounding.")
      .def_prop_ro(
          "strength", [](Player& p) { return idle(p).account().strength; },
          "The strength of the regulariser in the bound.")
      .def_prop_ro(
          "paid", [](Player& p) { return idle(p).account().paid; },
          "The part of the bound that does not depend on the comparator.")
      .def(
          "sums", [](Player& p) { return sums(idle(p)); },
          "Further sums that the bound is made of, by name.")
      .def(
          "state", [](Player& p) { return array_of(idle(p).state()); },
          "Everything that changes while it plays, as one array.")
      .def(
          "restore",
          [](Player& p, Vector<double> state) { idle(p).restore(state.data(), state.size()); },
          "state"_a, "Take over a state; nothing has changed if it is refused.");
  m.def(
      "mirror_descent",
      [](std::size_t dimension, Options twin, oco::Schedule::Kind schedule, double eta,
         bool lazy) -> std::unique_ptr<Player> {
        const oco::Schedule rate{schedule, eta};
        return std::make_unique<oco::MirrorDescent>(dimension, geometry_of(twin), domain_of(twin),
                                                    rate, lazy);
      },
      "dimension"_a, "twin"_a, "schedule"_a.noconvert(), "eta"_a, "lazy"_a,
      "Online mirror descent, or dual averaging if lazy.");
  m.def("leaders", &leaders, "twin"_a, "first"_a, "theta"_a, "rows"_a, "eta"_a,
        "The points of the regularised leader after each row: (points, squared dual norms).");
  m.def("density_weights", &density_weights, "potential"_a.noconvert(), "rate"_a, "scores"_a,
        "round"_a, "The weights that a density player gives to scores.");
  m.def("density_run", &density_run, "potential"_a.noconvert(), "rate"_a, "before"_a, "scores"_a,
        "points"_a, "values"_a, "Play a density over points: (scores, losses, points played).");
  m.def(
      "invariant_newton",
      [](std::size_t dimension, double curvature) -> std::unique_ptr<Player> {
        return std::make_unique<oco::InvariantNewton>(dimension, curvature);
      },
      "dimension"_a, "curvature"_a,
      "The Newton step that is invariant to linear maps of the examples.");
  m.def(
      "adagrad_player",
      [](std::size_t dimension, double eta, Options box) -> std::unique_ptr<Player> {
        return std::make_unique<oco::AdaGradPlayer>(dimension, eta, domain_of(box));
      },
      "dimension"_a, "eta"_a, "box"_a, "AdaGrad over a box.");
  m.def(
      "newton_step",
      [](std::size_t dimension, double alpha, double curvature, double rate, Options domain,
         bool lazy, double delta) -> std::unique_ptr<Player> {
        return std::make_unique<oco::NewtonStep>(dimension, alpha, curvature, rate,
                                                 domain_of(domain), lazy, delta);
      },
      "dimension"_a, "alpha"_a, "curvature"_a, "rate"_a, "domain"_a, "lazy"_a, "delta"_a,
      "The online Newton step.");
  m.def(
      "coin_player",
      [](std::size_t dimension, double wealth, double gradient) -> std::unique_ptr<Player> {
        return std::make_unique<oco::CoinPlayer>(dimension, wealth, gradient);
      },
      "dimension"_a, "wealth"_a, "gradient"_a, "Coin betting in every coordinate.");
}

}  // namespace regretless
