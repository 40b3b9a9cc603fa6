"""Parts of one's own, added from outside the package: the recipes of docs/architecture.md."""

import copy
import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pytest

from regretless import losses, streams
from regretless.bandits import BanditMirrorDescent, Estimator, OnePoint
from regretless.bandits.estimators import Feedback
from regretless.boosting import OnlineBBM
from regretless.domains import Ball, Simplex
from regretless.experts import Hedge
from regretless.games import play
from regretless.geometry import Euclidean, Geometry, check_geometry
from regretless.linear import LinearClassifier, LinearRegressor
from regretless.losses.loss import ResidualLoss
from regretless.oco import (
    FollowTheRegularizedLeader,
    OnlineGradientDescent,
    OnlineMirrorDescent,
    ScoreLoss,
    check_convex,
)

# --- a loss ----------------------------------------------------------------------------------------


class MySquared(ResidualLoss):
    """`(s - y)^2` again: what a loss of the residual has to say."""

    name = "my_squared"
    lipschitz = math.inf
    curvature = 2.0

    def _phi(self, z):
        return z**2

    def _phi_prime(self, z):
        return 2.0 * z

    def _phi_star(self, u):
        return u**2 / 4.0

    def _travel(self, z, h, norm):
        return z * (1.0 - np.exp(-2.0 * norm * h)) / norm


class Huber(ResidualLoss):
    """`z^2 / 2` for `|z| <= 1`, then straight on: a loss that the library does not have."""

    name = "huber"
    lipschitz = 1.0
    curvature = 1.0

    def _phi(self, z):
        return np.where(np.abs(z) <= 1.0, z**2 / 2.0, np.abs(z) - 0.5)

    def _phi_prime(self, z):
        return np.clip(z, -1.0, 1.0)

    def _phi_star(self, u):
        return np.where(np.abs(u) <= 1.0, u**2 / 2.0, math.inf)

    def _travel(self, z, h, norm):
        raise NotImplementedError("only importance-aware rules ask for it")


class Steep(Huber):
    """One with a mistake: the slope has the wrong sign."""

    def _phi_prime(self, z):
        return -np.clip(z, -1.0, 1.0)


@pytest.fixture
def regression():
    random = np.random.default_rng(7)
    X = random.normal(size=(200, 3))
    return X, X @ [1.0, -2.0, 0.5] + 0.1 * random.normal(size=200)


def test_my_squared_loss_is_the_squared_loss():
    s, y = np.random.default_rng(0).normal(size=(2, 50))
    mine, theirs = MySquared(), losses.Squared()
    for name in ("value", "derivative", "conjugate"):
        np.testing.assert_array_equal(getattr(mine, name)(s, y), getattr(theirs, name)(s, y))
    np.testing.assert_allclose(
        mine.invariant_step(s, y, 0.3, 2.0), theirs.invariant_step(s, y, 0.3, 2.0), rtol=1e-14
    )
    assert losses.get(mine) is mine


def test_leaders_and_players_in_python_take_any_loss(regression):
    X, y = regression
    runs = [
        OnlineMirrorDescent(MyEuclidean(), 3, rate=0.01).run(X, y, loss)
        for loss in (MySquared(), losses.Squared())
    ]
    np.testing.assert_array_equal(runs[0].losses, runs[1].losses)
    np.testing.assert_array_equal(runs[0].points, runs[1].points)
    assert runs[0].losses[-50:].mean() < 0.1 * runs[0].losses[:50].mean()

    leaders = [FollowTheRegularizedLeader(Euclidean(), 3, rate=0.5) for _ in range(2)]
    for x, target in zip(X[:10], y[:10]):
        for leader, loss in zip(leaders, (MySquared(), losses.Squared())):
            leader.learn(ScoreLoss(loss, x, target))
    np.testing.assert_allclose(leaders[0].point, leaders[1].point, rtol=1e-6, atol=1e-8)


def test_the_core_knows_only_its_own_losses_and_says_so(regression):
    X, y = regression
    assert losses.compiled(MySquared()) is None
    with pytest.raises(ValueError, match="loss='huber' is not in the compiled core"):
        LinearRegressor(loss=Huber()).fit(X, y)
    with pytest.raises(ValueError, match="not known to the core; play round by round"):
        OnlineGradientDescent(3, rate=0.1).run(X, y, Huber())


def test_round_by_round_a_compiled_player_takes_any_loss_too(regression):
    X, y = regression
    y = y + 100.0 * (np.arange(len(y)) % 10 == 0)  # what Huber's loss is made for
    player, loss, suffered = OnlineGradientDescent(3, rate=0.1), Huber(), 0.0
    for x, target in zip(X, y):
        score = float(player.point @ x)
        suffered += loss.value(score, target)
        player.update(loss.derivative(score, target) * x)
    u = np.array([1.0, -2.0, 0.5])
    certificate = player.certificate(u)
    assert certificate.holds
    # linearised regret is at least that of the convex losses
    assert suffered - loss.value(X @ u, y).sum() <= certificate.regret
    assert np.abs(player.point - u).max() < 1.0

    twin = OnlineGradientDescent(3, rate=0.1)
    for x, target in zip(X, y):
        twin.update(np.clip(float(twin.point @ x) - target, -1.0, 1.0) * x)
    np.testing.assert_array_equal(player.point, twin.point)


def test_a_wrong_derivative_is_found():
    x = np.array([1.0, -2.0])
    check_convex(ScoreLoss(Huber(), x, 0.5), 2)
    with pytest.raises(ValueError, match="tangent"):
        check_convex(ScoreLoss(Steep(), x, 0.5), 2)


# --- a geometry ------------------------------------------------------------------------------------


class MyEuclidean(Geometry):
    """`1/2 ||w||^2` again, with formulas."""

    strong_convexity = 1.0

    def value(self, w):
        return 0.5 * float(np.dot(w, w))

    def gradient(self, w):
        return np.array(w, float)

    def link(self, theta):
        return np.array(theta, float)


class BareEuclidean(Geometry):
    """The same of which only the value is given."""

    strong_convexity = 1.0

    def value(self, w):
        return 0.5 * float(np.dot(w, w))


class TooProud(MyEuclidean):
    strong_convexity = 1.5


GRADIENTS = np.random.default_rng(3).normal(size=(15, 3))


@pytest.mark.parametrize("lazy", [True, False])
@pytest.mark.parametrize(
    ("domain", "rate"),
    [(None, 0.3), (Ball(0.7), 0.3), (Simplex(), 0.3), (None, "anytime"), (Simplex(), "anytime")],
    ids=repr,
)
def test_my_euclidean_geometry_plays_like_euclidean(domain, rate, lazy):
    mine, theirs = (
        OnlineMirrorDescent(psi, 3, domain=domain, lazy=lazy, rate=rate)
        for psi in (MyEuclidean(), Euclidean())
    )
    for z in GRADIENTS:
        # the same numbers are added, but by NumPy here and in the core there
        np.testing.assert_allclose(mine.point, theirs.point, rtol=0, atol=1e-12)
        mine.update(z)
        theirs.update(z)
    u = [0.2, 0.3, 0.5]
    own, built = mine.certificate(u), theirs.certificate(u)
    assert own.regret == pytest.approx(built.regret, abs=1e-11)
    if lazy or rate != "anytime":  # agile with falling rates only the Euclidean has a theorem
        own_trivial, trivial = (c.bounds.pop("trivial") for c in (own, built))
        assert own.bounds == pytest.approx(built.bounds, rel=1e-12)
        assert own_trivial >= trivial  # it knows less of the domain
        assert own.holds


def test_on_a_ball_the_reach_of_a_geometry_of_ones_own_is_an_upper_bound():
    start = np.zeros(3)
    assert Ball(0.7).reach(Euclidean(), start) == pytest.approx(0.7**2 / 2)
    assert Ball(0.7).reach(MyEuclidean(), start) >= 0.7**2 / 2  # hence another rate="anytime"


def test_a_value_is_enough():
    check_geometry(BareEuclidean(), 3, trials=10)
    mine, theirs = (OnlineMirrorDescent(psi, 3, rate=0.3) for psi in (BareEuclidean(), Euclidean()))
    for z in GRADIENTS[:10]:
        mine.update(z)
        theirs.update(z)
    np.testing.assert_allclose(mine.point, theirs.point, atol=1e-6)  # the search finds 1e-8


def test_a_claim_too_many_is_found():
    check_geometry(MyEuclidean(), 3)
    with pytest.raises(ValueError, match="strong"):
        check_geometry(TooProud(), 3)


# --- an estimator of a bandit ----------------------------------------------------------------------


class MyOnePoint(Estimator):
    """`OnePoint` again: normal numbers, and the direction they have."""

    def __init__(self, delta):
        self.delta = delta

    def width(self, dimension):
        return dimension

    def choose(self, w, draw):
        return w + self.delta * draw / np.sqrt(draw @ draw)

    def estimate(self, w, draw, value):
        return Feedback(value, len(w) / self.delta * value * (draw / np.sqrt(draw @ draw)), True)

    def spread(self, geometry, dimension):
        return (dimension * (1.0 / self.delta + 1.0)) ** 2

    assumption = "|f| <= 1"


@dataclass(frozen=True)
class OneCoordinate(Estimator):
    """Both sides of one coordinate: `z = d (f(w + delta e_i) - f(w - delta e_i)) / (2 delta) e_i`."""

    delta: float
    normal = False  # one uniform number a round

    def width(self, dimension):
        return 1

    def choose(self, w, draw):
        step = self.delta * np.eye(len(w))[int(draw[0] * len(w))]
        return np.stack([w + step, w - step])

    def ask(self, loss, played):
        return [loss(point) for point in played]

    def estimate(self, w, draw, value):
        ahead, behind = value
        z = np.zeros(len(w))
        z[int(draw[0] * len(w))] = len(w) * (ahead - behind) / (2.0 * self.delta)
        return Feedback((ahead + behind) / 2.0, z, True)

    def linear(self, row):
        return lambda point: float(point @ row)

    def spread(self, geometry, dimension):
        return math.inf

    assumption = "losses are quadratic"


def quadratic(w):
    A = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 3.0]])
    return 0.1 * float((w - [0.2, -0.3, 0.1]) @ A @ (w - [0.2, -0.3, 0.1]))


def test_my_one_point_plays_like_one_point():
    mine, theirs = (
        BanditMirrorDescent(
            Euclidean(), 3, estimator=estimator, domain=Ball(1.0), rate=0.01, seed=5
        )
        for estimator in (MyOnePoint(0.2), OnePoint(0.2))
    )
    for _ in range(50):
        played = mine.act(), theirs.act()
        np.testing.assert_allclose(*played, atol=1e-13)
        assert mine.update(quadratic(played[0])) == pytest.approx(
            theirs.update(quadratic(played[1])), rel=1e-12
        )
    np.testing.assert_allclose(mine.point, theirs.point, atol=1e-13)
    assert mine.certificate().regret == pytest.approx(theirs.certificate().regret, rel=1e-10)
    assert mine.expectation().bounds["dual"] < theirs.expectation().bounds["dual"]  # no bias said


def test_the_mean_over_the_coordinates_is_the_gradient():
    estimator, w, told = OneCoordinate(0.3), np.array([0.5, 0.1, -0.2]), []
    for i in range(3):
        draw = np.array([(i + 0.5) / 3])
        told.append(
            estimator.estimate(w, draw, estimator.ask(quadratic, estimator.choose(w, draw)))
        )
    mean = np.mean([each.gradient for each in told], axis=0)
    tiny = 1e-6 * np.eye(3)
    slopes = [(quadratic(w + e) - quadratic(w - e)) / 2e-6 for e in tiny]
    np.testing.assert_allclose(mean, slopes, atol=1e-8)


def test_one_coordinate_finds_the_minimum():
    player = BanditMirrorDescent(
        Euclidean(), 3, estimator=OneCoordinate(0.1), domain=Ball(1.0), seed=1
    )
    run = player.run(quadratic, rounds=3000)
    assert run.regret(comparator=[0.2, -0.3, 0.1]) >= 0
    # the mean of a quadratic on both sides of w is above its value there by delta^2 A_ii
    assert run.losses[-1000:].mean() < 0.1 * 0.1**2 * 3.0 + 1e-3 < run.losses[:10].mean()
    with pytest.raises(ValueError, match="no bound on the gradients"):
        BanditMirrorDescent(Euclidean(), 3, estimator=OneCoordinate(0.1), rate="horizon", horizon=9)


# --- an expert player in a game --------------------------------------------------------------------


class MyHedge:
    """Exponential weights again; `weights` and `update` are all that a game asks for."""

    def __init__(self, n, eta):
        self.total, self.eta = np.zeros(n), eta

    @property
    def weights(self):
        w = np.exp(-self.eta * (self.total - self.total.min()))
        return w / w.sum()

    def update(self, losses):
        self.total = self.total + losses


class MyRegrets:
    """Weights in proportion to the regrets, from the class of its own that `play` may make."""

    def __init__(self, n, range=(0.0, 1.0)):
        self.regrets, self.range = np.zeros(n), range

    @property
    def weights(self):
        above = np.maximum(self.regrets, 0.0)
        return above / above.sum() if above.any() else np.full(len(above), 1.0 / len(above))

    def update(self, losses):
        self.regrets = self.regrets + self.weights @ losses - losses


GAME = np.array([[0.0, 1.0, 0.3], [0.6, 0.2, 0.5]])


def test_my_hedge_plays_like_hedge():
    mine = play(MyHedge(2, 0.2), MyHedge(3, 0.1), GAME, rounds=300)
    theirs = play(Hedge(2, rate=0.2), Hedge(3, rate=0.1), GAME, rounds=300)
    np.testing.assert_allclose(mine.losses, theirs.losses, atol=1e-11)
    np.testing.assert_allclose(mine.row, theirs.row, atol=1e-11)
    np.testing.assert_allclose(mine.column, theirs.column, atol=1e-11)
    assert mine.players == ("MyHedge", "MyHedge")
    assert list(mine.row_seat.certificate().bounds) == ["trivial"]  # it has no certificate
    assert theirs.row_seat.regret() <= theirs.row_seat.bound() < 300


def test_a_class_is_made_for_the_game_and_its_regret_is_the_gap():
    run = play(MyRegrets, Hedge, GAME, rounds=2000)
    # the value: against the rows at (0.3, 0.7) the columns win 0.42, 0.44 and 0.44, and the last two
    # cross there
    assert run.lower - 1e-12 <= 0.44 <= run.upper + 1e-12
    assert run.gap == pytest.approx(run.regret() / 2000, abs=1e-12)
    assert run.row_seat.regret() <= math.sqrt(2 * 2000)  # regret matching: sqrt(n T)
    with pytest.raises(ValueError, match="has no weights, point, act or respond"):
        play(object(), Hedge, GAME, rounds=1)


# --- a weak learner --------------------------------------------------------------------------------


class BestFeature:
    """Predicts by the one feature that has been right most often, by weight."""

    def __init__(self):
        self.right = defaultdict(float)

    def predict_one(self, x):
        best = max(x, key=lambda name: self.right[name])
        return bool(x[best] > 0)

    def learn_one(self, x, y, w=1.0):
        for name, value in x.items():
            self.right[name] += w if (value > 0) == y else -w


class Unweighted(BestFeature):
    """The same, which cannot be told a weight: it is given samples."""

    def learn_one(self, x, y):
        super().learn_one(x, y)


class Wrapped:
    """A learner of the library behind a class that the library does not know."""

    def __init__(self):
        self.model = LinearClassifier(rule="ogd", rate=0.1)

    def predict_one(self, x):
        return self.model.decision_one(x) > 0

    def learn_one(self, x, y, w=1.0):
        if not self.model.examples_:
            self.model.partial_fit(np.empty((0, 1)), [], classes=[False, True])
        self.model.learn_one(x, y, w)


def votes(count, seed=2):
    """Five signs, and what most of them say."""
    for signs in np.random.default_rng(seed).choice([-1.0, 1.0], size=(count, 5)):
        yield dict(zip("abcde", signs.tolist())), "yes" if signs.sum() > 0 else "no"


@pytest.mark.parametrize("weak", [BestFeature(), Unweighted()], ids=lambda w: type(w).__name__)
def test_a_weak_learner_of_ones_own_is_boosted(weak):
    alone, booster = copy.deepcopy(weak), OnlineBBM(weak, n=25, edge=0.1, seed=1)
    wrong = np.zeros((2, 1500))
    for t, (x, y) in enumerate(votes(1500)):
        wrong[:, t] = alone.predict_one(x) != (y == "yes"), booster.predict_one(x) != y
        alone.learn_one(x, y == "yes")
        booster.learn_one(x, y)
    # one of five signs agrees with the majority in 11 of 16 cases, all of them together always
    single, boosted = wrong[:, 500:].mean(axis=1)
    assert abs(single - 5 / 16) < 5 * math.sqrt(5 / 16 * 11 / 16 / 1000)
    assert boosted < 0.5 * single
    certificate = booster.certificate()
    assert certificate.holds
    assert abs(certificate.identity_gap) < 1e-9
    assert [type(each) for each in booster.weak_] == [type(weak)] * 25
    assert not weak.right  # the one that was given has only been copied


def test_behind_a_class_of_ones_own_a_learner_is_boosted_as_it_is():
    mine = OnlineBBM(Wrapped(), n=9)
    theirs = OnlineBBM(LinearClassifier(rule="ogd", rate=0.1), n=9)  # lanes of one table
    for x, y in votes(300):
        assert mine.predict_one(x) == theirs.predict_one(x)
        mine.learn_one(x, y)
        theirs.learn_one(x, y)
    np.testing.assert_array_equal(mine.edges_, theirs.edges_)


def test_a_model_file_holds_no_code_of_ones_own(tmp_path):
    booster = OnlineBBM(BestFeature(), n=3)
    booster.learn_one({"a": 1.0}, "yes")
    with pytest.raises(
        ValueError, match=r"a BestFeature cannot be saved to a file, .* a pickle can"
    ):
        booster.save(tmp_path / "model")


# --- a reader --------------------------------------------------------------------------------------


def test_a_reader_of_ones_own_makes_the_model_that_a_file_makes(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:2 4:0.5\n-1 2:1\n1 1:1 2:3\n" * 20)
    (tmp_path / "a.mine").write_text("4=0.5,1=2 -> 1\n2=1 -> -1\n1=1,2=3 -> 1\n" * 20)

    def mine(path):
        for line in path.read_text().splitlines():
            features, label = line.split(" -> ")
            pairs = sorted(one.split("=") for one in features.split(","))
            yield {int(name): float(value) for name, value in pairs}, float(label)

    models = []
    for source in (tmp_path / "a.svm", mine(tmp_path / "a.mine")):
        model = LinearClassifier()
        for piece in streams.read(source).pieces():
            model.learn_many(piece.X, piece.y, piece.w)
        models.append(model)
    assert models[0].weights_ == models[1].weights_
    assert models[0].certificate() == models[1].certificate()
    assert models[0].examples_ == 60
