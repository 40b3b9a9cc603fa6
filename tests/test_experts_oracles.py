"""Oracles of forecasts against searches, other formulations, optimality conditions, and R's opera."""

import itertools
import math
import os
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from regretless import losses
from regretless.experts import oracles, regrets
from regretless.experts.mixture import LogForecast


class LogCosh:
    """A smooth loss that the library does not know."""

    def value(self, forecast, y):
        return np.logaddexp(forecast - y, y - forecast) - math.log(2)

    def derivative(self, forecast, y):
        return np.tanh(forecast - y)


class Percentage:
    """One with kinks, steeper for small targets."""

    def value(self, forecast, y):
        return np.abs(forecast - y) / np.abs(y)

    def derivative(self, forecast, y):
        return np.sign(forecast - y) / np.abs(y)


class LogLoss:
    """Of chances: there is no loss outside (0, 1), and it has no end at the edges."""

    def value(self, forecast, y):
        with np.errstate(divide="ignore", invalid="ignore"):
            return -np.where(y == 1, np.log(forecast), np.log1p(-forecast))

    def derivative(self, forecast, y):
        with np.errstate(divide="ignore"):
            return np.where(y == 1, -1 / forecast, 1 / (1 - forecast))


REGRESSION = [
    losses.Squared(),
    losses.Absolute(),
    losses.Quantile(0.9),
    losses.EpsilonInsensitive(0.3),
    LogCosh(),
    Percentage(),
]
CLASSIFICATION = [losses.Hinge(), losses.Logistic(), losses.Exponential(), losses.SquaredHinge()]
named = {"ids": lambda loss: type(loss).__name__}


def forecasts(T, N, seed, offset=0.0):
    """Experts of several qualities and biases, one of them of another scale."""
    rng = np.random.default_rng(seed)
    y = 3.0 + np.cumsum(rng.normal(size=T)) / 3 + offset
    X = y[:, None] + rng.normal(size=(T, N)) * np.linspace(0.3, 1.0, N) + rng.normal(size=N) / 2
    X[:, -1] = 0.9 * X[:, -1] + 0.3
    return X, y


def lowest(function, low, high):
    """The least value of a convex function of one number, by thirds."""
    for _ in range(120):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if function(a) <= function(b) else (a, high)
    return function((low + high) / 2)


@pytest.mark.parametrize("loss", REGRESSION + CLASSIFICATION + [losses.LogWealth()], **named)
@pytest.mark.parametrize("seed", range(4))
def test_two_experts_or_one_by_a_search_on_a_line(loss, seed):
    X, y = forecasts(40, 2, seed)
    if loss in CLASSIFICATION:
        y = np.sign(np.random.default_rng(seed).normal(X[:, 0] - 3))
        X = X - 3
    if isinstance(loss, losses.LogWealth):
        X = np.exp(0.1 * (X - y[:, None]))

    def mean(forecast):
        return float(np.mean(loss.value(forecast, y)))

    best = oracles.best_convex(X, y, loss)
    least = lowest(lambda w: mean(w * X[:, 0] + (1 - w) * X[:, 1]), 0.0, 1.0)
    # the search is exact to rounding, the oracle to 1e-9 of the experts' mean loss, which is below 5
    assert best.mean_loss == pytest.approx(least, abs=5e-9)
    assert best.mean_loss == pytest.approx(mean(X @ best.weights), rel=1e-14)
    assert best.weights.min() >= 0
    assert best.weights.sum() == pytest.approx(1, abs=1e-14)
    if not isinstance(loss, losses.LogWealth):
        one = oracles.best_linear(X[:, :1], y, loss)
        assert one.mean_loss == pytest.approx(
            lowest(lambda w: mean(w * X[:, 0]), -99, 99), abs=5e-9
        )


def by_supports(X, y):
    """The least squares on the simplex: for every support without its signs, the best that has them."""
    N = X.shape[1]
    best = math.inf
    for size in range(1, N + 1):
        for support in map(list, itertools.combinations(range(N), size)):
            first, rest = support[0], support[1:]
            v = np.linalg.lstsq(X[:, rest] - X[:, [first]], y - X[:, first])[0]
            w = np.zeros(N)
            w[first], w[rest] = 1 - v.sum(), v
            if w.min() >= 0:
                best = min(best, np.mean((X @ w - y) ** 2))
    return best


@pytest.mark.parametrize("offset", [0.0, 6e4])
@pytest.mark.parametrize("seed", range(6))
def test_convex_squares_by_all_supports(seed, offset):
    X, y = forecasts(60, 5, seed, offset)
    # with the offset, differences of 1 have lost 5 of their 16 digits
    rel = 1e-10 if offset == 0 else 1e-9
    assert oracles.best_convex(X, y).mean_loss == pytest.approx(by_supports(X, y), rel=rel)
    few = oracles.best_convex(X[:3], y[:3])  # fewer rounds than experts
    assert few.mean_loss == pytest.approx(by_supports(X[:3], y[:3]), abs=1e-10)


@pytest.mark.parametrize("noise", [1.0, 1e-3, 1e-6])
@pytest.mark.parametrize(("T", "N"), [(300, 40), (50, 80)])
def test_convex_squares_of_many_and_similar_experts(T, N, noise):
    rng = np.random.default_rng(6)
    y = rng.normal(size=T)
    X = (y + rng.normal(size=T))[:, None] + noise * rng.normal(size=(T, N))
    w = oracles.best_convex(X, y).weights
    residual = X @ w - y
    g = 2 * residual @ X / T
    # no mixture loses less by more than max_i <g, w - e_i>
    assert g @ w - g.min() <= 1e-10 * np.mean(residual**2)
    assert w.min() >= 0


@pytest.mark.parametrize("unit", [1e-12, 1e15])
def test_convex_squares_in_any_unit(unit):
    X, y = forecasts(60, 5, 15)
    best, other = oracles.best_convex(X, y), oracles.best_convex(unit * X, unit * y)
    np.testing.assert_allclose(other.weights, best.weights, atol=1e-10)


def test_perfect_and_equal_experts():
    y = np.random.default_rng(7).normal(size=30)
    best = oracles.best_convex(np.column_stack([y + 1, y, y - 1]), y)
    assert best.mean_loss == pytest.approx(0, abs=1e-25)
    around = oracles.best_convex(np.column_stack([y + 1, y + 1, y - 3]), y)
    assert around.mean_loss == pytest.approx(0, abs=1e-25)
    assert around.weights[2] == pytest.approx(0.25, abs=1e-12)
    assert oracles.best_convex(np.column_stack([y + 1, y + 1]), y).mean_loss == pytest.approx(1)
    assert oracles.best_convex(y[:, None] + 2, y, "absolute").mean_loss == pytest.approx(2)


def straight_sides(X, y, up, down, on_simplex):
    """The linear programme of residuals `y - X w = above - below`, each side with its cost."""
    T, N = X.shape
    unit = up.mean()  # the solver has absolute tolerances
    sides = np.hstack([X, np.eye(T), -np.eye(T)])
    ones = np.append(np.ones(N), np.zeros(2 * T))
    least = linprog(
        np.concatenate([np.zeros(N), up / unit, down / unit]),
        A_eq=np.vstack([sides, ones]) if on_simplex else sides,
        b_eq=np.append(y, 1.0) if on_simplex else y,
        bounds=[(0 if on_simplex else None, None)] * N + [(0, None)] * (2 * T),
    ).fun
    return least * unit / T


@pytest.mark.parametrize("offset", [0.0, 6e4])
@pytest.mark.parametrize(
    ("loss", "up", "down"),
    [
        (losses.Absolute(), lambda y: y**0, lambda y: y**0),
        (losses.Quantile(0.9), lambda y: 0.9 * y**0, lambda y: 0.1 * y**0),
        (losses.Quantile(0.05), lambda y: 0.05 * y**0, lambda y: 0.95 * y**0),
        (Percentage(), lambda y: 1 / np.abs(y), lambda y: 1 / np.abs(y)),
    ],
)
def test_straight_sides_by_another_programme(loss, up, down, offset):
    for seed in range(3):
        X, y = forecasts(120, 6, seed, offset)
        convex = straight_sides(X, y, up(y), down(y), True)
        linear = straight_sides(X, y, up(y), down(y), False)
        # what the solver of the test asks of itself is 1e-7 for numbers of size 1
        assert oracles.best_convex(X, y, loss).mean_loss == pytest.approx(convex, rel=1e-7)
        assert oracles.best_linear(X, y, loss).mean_loss == pytest.approx(linear, rel=1e-7)


class Upper(losses.Absolute):
    """The absolute loss, with another one of its subgradients at the kink."""

    def derivative(self, forecast, y):
        return np.where(np.asarray(forecast) >= y, 1.0, -1.0)


def test_any_subgradient_will_do():
    X, y = forecasts(60, 3, 16)
    X = np.abs(X - y[:, None]) + y[:, None]  # all too high: nothing is seen below the targets
    for oracle in (oracles.best_convex, oracles.best_linear):
        expected = oracle(X, y, "absolute").mean_loss
        assert oracle(X, y, Upper()).mean_loss == pytest.approx(expected, rel=1e-9)


def test_one_constant_expert_gives_medians_and_quantiles():
    y = np.random.default_rng(8).normal(size=101)
    one = np.ones((101, 1))
    assert oracles.best_linear(one, y, "absolute").weights == pytest.approx(np.median(y))
    assert oracles.best_linear(one, y, losses.Quantile(0.903)).weights == pytest.approx(
        np.sort(y)[91]  # the first that has 0.903 * 101 = 91.2 at or below it
    )
    assert oracles.best_linear(one, y).weights == pytest.approx(y.mean())


@pytest.mark.parametrize("loss", [LogCosh(), losses.Logistic(), losses.LogWealth()], **named)
def test_smooth_losses_of_many_experts(loss):
    X, y = forecasts(200, 8, 9)
    if isinstance(loss, losses.Logistic):
        y = np.sign(np.random.default_rng(9).normal(X[:, 0] - 3))
    if isinstance(loss, losses.LogWealth):
        X = np.exp(0.1 * (X - y[:, None]))
        X[5, 2] = 0.0  # ruin of one of them
    w = oracles.best_convex(X, y, loss).weights
    g = loss.derivative(X @ w, y) @ X / 200
    values = np.asarray(loss.value(X, y[:, None]))
    assert g @ w - g.min() <= 1e-9 * np.abs(values[np.isfinite(values)]).mean()
    if not isinstance(loss, losses.LogWealth):
        w = oracles.best_linear(X, y, loss).weights
        # forecasts of size 3, losses of size 1 to 0.1
        np.testing.assert_allclose(loss.derivative(X @ w, y) @ X / 200, 0, atol=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_chances_close_to_0_and_1(seed):
    rng = np.random.default_rng(seed)
    odds = 4 * rng.normal(size=300)
    y = (rng.random(300) < 1 / (1 + np.exp(-odds))).astype(float)
    X = 1 / (1 + np.exp(-odds[:, None] - rng.normal(size=(300, 5)) * np.linspace(0.2, 2, 5)))
    X[:, 4] = np.round(X[:, 4])  # one is sure, and now and then wrong
    best = oracles.best_convex(X, y, LogLoss())
    g = LogLoss().derivative(X @ best.weights, y) @ X / 300
    assert g @ best.weights - g.min() <= 1e-9
    assert (
        best.mean_loss <= oracles.best_expert(X, y, LogLoss()).mean_loss + 1e-14
    )  # sums of 300 numbers


@pytest.mark.parametrize("seed", range(4))
def test_linear_combinations_of_chances_are_chances(seed):
    """What is not in [0, 1] has no log loss; if the best linear one is at an edge, it is not found."""
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(0.02, 0.98, (100, 3)), rng.uniform(0, 1, 100)
    found = oracles.best_linear(X, y, LogForecast())
    s = X @ found.weights
    assert ((s > 0) & (s < 1)).all()
    np.testing.assert_allclose(((1 - y) / (1 - s) - y / s) @ X / 100, 0.0, atol=1e-6)
    with pytest.raises(RuntimeError, match="if it exists"):
        oracles.best_linear(X, np.ones(100), LogForecast())


def test_linear_squares_satisfy_the_normal_equations():
    X, y = forecasts(80, 5, 10)
    best = oracles.best_linear(X, y)
    np.testing.assert_allclose(X.T @ (X @ best.weights - y), 0, atol=1e-9)  # 80 numbers of size 10
    assert best.mean_loss == np.mean((X @ best.weights - y) ** 2)


@pytest.mark.parametrize("loss", REGRESSION, **named)
def test_the_table_of_oracles(loss):
    X, y = forecasts(50, 4, 11)
    found = oracles.table(X, y, loss, shifts=3)
    assert [oracle.name for oracle in found] == [
        "uniform", "best expert", "best convex", "best linear",
        "best with 1 shift", "best with 2 shifts", "best with 3 shifts",
    ]  # fmt: skip
    uniform, expert, convex, linear, *shifting = found
    values = np.array([[float(loss.value(X[t, i], y[t])) for i in range(4)] for t in range(50)])
    assert uniform.mean_loss == pytest.approx(np.mean(loss.value(X.mean(axis=1), y)))
    np.testing.assert_array_equal(uniform.weights, [0.25] * 4)
    assert expert.mean_loss == pytest.approx(values.mean(axis=0).min())
    assert expert.weights.tolist() == np.eye(4)[values.mean(axis=0).argmin()].tolist()
    assert (
        linear.mean_loss
        <= convex.mean_loss + 1e-8
        <= min(expert.mean_loss, uniform.mean_loss) + 2e-8
    )
    assert [s.mean_loss * 50 for s in shifting] == pytest.approx(
        [regrets.best_shifting(values, k).loss for k in (1, 2, 3)]
    )
    assert [s.weights for s in shifting] == [None] * 3


def test_sleeping_experts():
    X, y = forecasts(30, 3, 12)
    X[10:, 2] = np.nan
    X[:5, 1] = np.nan
    X = np.column_stack([X, np.full(30, np.nan)])
    table = (X - y[:, None]) ** 2
    best = oracles.best_expert(X, y)
    means = [table[:, 0].mean(), table[5:, 1].mean(), table[:10, 2].mean()]
    assert (best.name, best.mean_loss) == ("best expert when awake", pytest.approx(min(means)))
    assert best.weights.argmax() == np.argmin(means)
    awake = [[x for x in row if not math.isnan(x)] for row in X]
    mean = np.array([sum(row) / len(row) for row in awake])
    assert oracles.uniform(X, y).mean_loss == pytest.approx(np.mean((mean - y) ** 2))
    with pytest.raises(ValueError, match="experts are never all awake"):
        oracles.best_convex(X, y)
    for oracle, name in [
        (oracles.best_convex, "best convex"),
        (oracles.best_linear, "best linear"),
    ]:
        found, full = oracle(X[:, :3], y), oracle(X[5:10, :3], y[5:10])
        assert (found.name, full.name) == (f"{name} while all are awake", name)
        assert found.mean_loss == full.mean_loss
        np.testing.assert_array_equal(found.weights, full.weights)
    with pytest.raises(ValueError, match=r"experts\[0, 1\] = nan is not finite: a sequence"):
        oracles.best_shifting(X, y)
    assert len(oracles.table(X[:, :3], y)) == 4


def test_experts_that_are_never_awake_together():
    X = np.array([[1.0, np.nan], [np.nan, 3.0]])
    names = [oracle.name for oracle in oracles.table(X, [1.0, 2.0])]
    assert names == ["uniform", "best expert when awake"]


def test_the_best_expert_is_not_the_one_that_sleeps_most():
    X = [[1.0, 3.0], [1.0, np.nan], [1.0, np.nan], [1.0, np.nan]]
    best = oracles.best_expert(X, np.zeros(4), "absolute")
    assert (best.mean_loss, best.weights.tolist()) == (
        1.0,
        [1.0, 0.0],
    )  # in all it lost 4, the other 3
    awake = oracles.best_expert([[1.0, 0.5], [1.0, np.nan]], np.zeros(2), "absolute")
    assert (awake.mean_loss, awake.weights.tolist()) == (0.5, [0.0, 1.0])


class Hill:
    """Not convex at all."""

    def value(self, forecast, y):
        return -np.abs(forecast - y)

    def derivative(self, forecast, y):
        return -np.sign(forecast - y)


def test_what_cannot_be_solved_is_said():
    X, y = forecasts(30, 3, 13)
    with pytest.raises(RuntimeError, match=r"best linear combination for LogWealth\(\) is known"):
        oracles.best_linear(np.exp(X / 9), y, "log_wealth")  # more is always better
    with pytest.raises(RuntimeError, match="best mixture"):
        oracles.best_convex(X, y, Hill())
    X[5, 1] = -np.inf  # of which exp is 0: ruin
    names = [oracle.name for oracle in oracles.table(np.exp(X / 9), y, "log_wealth")]
    assert names == ["uniform", "best expert", "best convex"]
    with pytest.raises(ValueError, match=r"the losses of the experts\[5, 1\] = inf"):
        oracles.best_shifting(np.exp(X / 9), y, "log_wealth")


X2, Y2 = np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([1.0, 2.0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((X2[0], Y2), r"experts has shape \(2,\)"),
        ((X2, Y2[:1]), r"y has shape \(1,\), not \(2,\)"),
        ((X2, Y2 * math.nan), r"y\[0\] = nan"),
        ((X2 + math.inf, Y2), r"experts\[0, 0\] = inf is not finite; NaN is for sleeping"),
        (([[math.nan] * 2, [1, 2]], Y2), r"experts\[0\] has no expert awake"),
        ((X2, Y2, "square"), r"loss='square' is not one of"),
        ((X2, Y2, 3.0), r"loss=3.0 has no value and derivative"),
    ],
)
@pytest.mark.parametrize(
    "oracle",
    [
        oracles.uniform, oracles.best_expert, oracles.best_convex, oracles.best_linear,
        oracles.best_shifting, oracles.table,
    ],
)  # fmt: skip
def test_bad_arguments_of_oracles(oracle, arguments, message):
    with pytest.raises(ValueError, match=message):
        oracle(*arguments)


@pytest.mark.skipif("REGRETLESS_DATA" not in os.environ, reason="REGRETLESS_DATA names no folder")
def test_the_oracles_of_opera():
    """R's opera on its electricity data: root mean squared errors, and weights, as printed."""
    folder = Path(os.environ["REGRETLESS_DATA"])
    if not (folder / "opera_r_oracle.txt").exists():
        pytest.skip(f"{folder} has no opera_r_oracle.txt")
    X = np.loadtxt(folder / "opera_experts.csv", delimiter=",", skiprows=1)
    y = np.loadtxt(folder / "opera_targets.csv", skiprows=1)
    printed = {}
    for line in (folder / "opera_r_oracle.txt").read_text().splitlines():
        word, *rest = line.split()
        if word == "oracle":
            printed[rest[0]] = [float(number) for number in rest[1:]]
    _, expert, _, linear, *shifting = oracles.table(X, y, shifts=4)
    for name, oracle in [("expert", expert), ("linear", linear)]:
        rmse, *weights = printed[name]
        assert math.sqrt(oracle.mean_loss) == pytest.approx(rmse, abs=5e-5)  # four digits
        np.testing.assert_allclose(oracle.weights, weights, atol=5e-5)
    found = [math.sqrt(oracle.mean_loss) for oracle in (expert, *shifting)]
    assert found == pytest.approx(printed["shifting"], abs=5e-5)
