"""Mixtures of forecasts: against opera, round by round, ranges that are not known, bad input."""

import itertools
import math
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from regretless import losses
from regretless.experts import (
    BOA,
    AdaNormalHedge,
    AdaNormalHedgeTV,
    AdaptMLProd,
    FixedShare,
    Hedge,
    Mixture,
    MLPoly,
    Squint,
)
from regretless.experts.mixture import LogForecast, Percentage, forecast_loss


def unbounded_prod(n):
    return AdaptMLProd(n, range=None)


ALGORITHMS = {
    "ada-normal-hedge": AdaNormalHedge,
    "hedge": Hedge,
    "squint": Squint,
    "tv": lambda n: AdaNormalHedgeTV(n, streaming=False),
    "boa": BOA,
    "ml-poly": MLPoly,
    "ml-prod": unbounded_prod,
}
every_algorithm = pytest.mark.parametrize("name", ALGORITHMS)
LOSSES = ["squared", "absolute", "quantile", "log", "percentage"]
every_loss = pytest.mark.parametrize("loss", LOSSES)


def forecasts(seed=0, rounds=80, n=4, chances=False):
    random = np.random.default_rng(seed)
    y = 10 + np.sin(np.arange(rounds) / 5) * 3 + random.normal(size=rounds)
    X = y[:, None] + random.normal(size=(rounds, n)) * np.array([0.5, 1.0, 2.0, 4.0])[:n]
    X[:, 1] += 0.7
    if chances:
        return 1 / (1 + np.exp(-(X - 10) / 2)), (random.random(rounds) < 0.5) * 1.0
    return X, y


# -- against opera -----------------------------------------------------------------------------------


@pytest.mark.skipif("REGRETLESS_DATA" not in os.environ, reason="REGRETLESS_DATA is not set")
@pytest.mark.parametrize("line", range(6))
def test_the_numbers_of_opera(line):
    """R's opera 1.2.2: root mean squared error and last weights, to the digits it prints."""
    folder = Path(os.environ["REGRETLESS_DATA"])
    X = np.genfromtxt(folder / "opera_experts.csv", delimiter=",", skip_header=1)
    y = np.genfromtxt(folder / "opera_targets.csv", delimiter=",", skip_header=1)
    text = (folder / "opera_r_oracle.txt").read_text()
    found = re.findall(
        r"^(BOA|MLpol|MLprod) +grad=(\w+) +rmse=(\S+) +w_T\+1=(.*)$", text, re.MULTILINE
    )
    name, gradient, rmse, weights = found[line]
    algorithm = {"BOA": BOA, "MLpol": MLPoly, "MLprod": unbounded_prod}[name]
    run = Mixture(algorithm, gradient=gradient == "TRUE").run(X, y)
    assert f"{run.rmse:.6f}" == rmse
    assert " ".join(f"{w:.6f}" for w in run.after.weights) == weights.strip()


# -- the rounds --------------------------------------------------------------------------------------


@every_algorithm
@every_loss
@pytest.mark.parametrize("gradient", [True, False])
def test_a_run_is_its_rounds(name, loss, gradient):
    X, y = forecasts(chances=loss == "log")
    make = lambda: Mixture(ALGORITHMS[name], loss=loss, tau=0.3, gradient=gradient)  # noqa: E731
    whole, single = make(), make()
    run = whole.run(X, y)
    for t in range(len(X)):
        assert single.predict(X[t]) == pytest.approx(run.forecasts[t], rel=1e-11)
        np.testing.assert_allclose(single.weights, run.weights[t], atol=1e-11)
        single.update(y[t])
    np.testing.assert_allclose(single.weights, whole.weights, atol=1e-9)
    np.testing.assert_allclose(single.regrets, whole.regrets, rtol=1e-8, atol=1e-8)
    assert single.rounds == whole.rounds == 80
    assert whole.certificate().bound == pytest.approx(single.certificate().bound, rel=1e-8)


@every_algorithm
@every_loss
def test_what_is_proven(name, loss):
    """In linear losses to every mixture, and so in the loss itself."""
    X, y = forecasts(seed=3, chances=loss == "log")
    mixture = Mixture(ALGORITHMS[name], loss=loss, tau=0.8)
    run = mixture.run(X, y)
    kind = forecast_loss(loss, 0.8)[0]
    for u in [*np.eye(4), np.full(4, 0.25), np.array([0.7, 0.3, 0, 0])]:
        certificate = mixture.certificate(u)
        assert certificate.holds
        truly = float(np.sum(run.losses) - np.sum(kind.value(X @ u, y)))
        assert truly <= certificate.regret + 1e-9 * (1 + abs(truly))
    assert mixture.certificate().holds
    assert np.mean(run.losses) < np.mean(kind.value(X.mean(axis=1), y)) * 1.5


@every_algorithm
def test_without_the_gradient_trick_the_experts_are_the_competitors(name):
    X, y = forecasts(seed=4)
    mixture = Mixture(ALGORITHMS[name], gradient=False)
    run = mixture.run(X, y)
    theirs = np.sum((X - y[:, None]) ** 2, axis=0)
    np.testing.assert_allclose(mixture.regrets, run.losses.sum() - theirs, rtol=1e-9, atol=1e-8)
    for i in range(4):
        assert mixture.certificate(i).holds


@every_algorithm
def test_a_mixture_that_is_better_than_all(name):
    """Its loss may be less than that of every expert: the range of a round begins there."""
    X, y = np.tile([[0.0, 2.0], [0.5, 1.5]], (20, 1)), np.ones(40)
    mixture = Mixture(ALGORITHMS[name], gradient=False)
    run = mixture.run(X, y)
    np.testing.assert_allclose(run.forecasts, 1.0)
    np.testing.assert_allclose(mixture.regrets, -np.sum((X - 1.0) ** 2, axis=0))
    assert mixture.certificate().holds
    if mixture.player.range is not None:
        assert mixture._unit == 1.0


@every_algorithm
@pytest.mark.parametrize("growth", [1.0, 1.2, 3.0])
def test_ranges_that_grow(name, growth):
    """Forecasts that become larger and larger: the unit follows, and the bound holds in every round."""
    random = np.random.default_rng(5)
    scale = np.minimum(growth ** np.arange(60), 1e12)[:, None]
    X, y = scale * random.normal(size=(60, 3)), scale[:, 0] * random.normal(size=60)
    mixture = Mixture(ALGORITHMS[name])
    units = []
    for row, target in zip(X, y):
        mixture.predict(row)
        mixture.update(target)
        units.append(mixture._unit)
        assert mixture.certificate().holds
    if mixture.player.range is not None:
        grown = [b for a, b in itertools.pairwise(units) if b > a]
        assert all(b >= 2 * a for a, b in itertools.pairwise(units) if b > a)
        assert (len(grown) > 5) == (growth > 1)
        # rounds that were not learned cost less than twice the last unit
        assert np.abs(mixture._missed).max() <= 2 * units[-1]


def test_units_do_not_matter():
    """The same game in other units has the same weights, whatever the first round was."""
    X, y = forecasts()
    for name, algorithm in ALGORITHMS.items():
        one, two = Mixture(algorithm).run(X, y), Mixture(algorithm).run(1024 * X, 1024 * y)
        if name == "ml-prod":  # its rates begin at sqrt(ln n / 1), in the units of the losses
            continue
        np.testing.assert_allclose(one.weights, two.weights, atol=1e-9)
        bounds = [run.after.certificate().bound for run in (one, two)]
        assert bounds[1] == pytest.approx(1024**2 * bounds[0])


@pytest.mark.parametrize("name", ["ada-normal-hedge", "hedge", "squint", "boa", "ml-poly"])
def test_sleeping_experts(name):
    X, y = forecasts(seed=6)
    X[np.random.default_rng(7).random(X.shape) < 0.3] = np.nan
    X[:, 2] = np.where(np.isnan(X).all(axis=1), 10.0, X[:, 2])
    mixture, single = Mixture(ALGORITHMS[name]), Mixture(ALGORITHMS[name])
    run = mixture.run(X, y)
    assert np.isfinite(run.forecasts).all()
    assert (run.weights[np.isnan(X)] == 0).all()
    for row, target in zip(X, y):
        single.predict(row)
        single.update(target)
    np.testing.assert_allclose(single.weights, mixture.weights, atol=1e-9)
    assert all(mixture.certificate(i).holds for i in range(4))


def test_targets_that_never_come():
    X, y = forecasts()
    y[10:20] = np.nan
    mixture = Mixture(AdaNormalHedge)
    run = mixture.run(X, y)
    known = np.r_[0:10, 20:80]
    other = Mixture(AdaNormalHedge).run(X[known], y[known])
    np.testing.assert_allclose(run.forecasts[known], other.forecasts)
    assert run.loss == pytest.approx(other.loss)
    assert np.isnan(run.losses[10:20]).all()


@pytest.mark.parametrize("delay", [1, 5, 100])
def test_delayed_targets(delay):
    X, y = forecasts()
    run = Mixture(BOA).run(X, y, delay=delay)
    np.testing.assert_allclose(run.weights[: min(delay + 1, 80)], 0.25)
    single = Mixture(BOA)
    for t in range(80):
        assert single.predict(X[t]) == pytest.approx(run.forecasts[t])
        if t >= delay:
            single.update(y[t - delay])
    assert len(single._waiting) == min(delay, 80)
    assert not run.after.certificate().holds  # and says why
    assert run.after.certificate().assumptions == {"targets came before the next forecast": False}


def test_several_steps():
    """A path of forecasts at once: the mean over its steps is what is lost."""
    X, y = forecasts(rounds=60)
    mixture = Mixture(AdaNormalHedge, loss="absolute")
    for t in range(0, 60, 3):
        path = mixture.predict(X[t : t + 3])
        assert path.shape == (3,)
        np.testing.assert_allclose(path, X[t : t + 3] @ mixture.weights)
        mixture.update(y[t : t + 3])
    assert mixture.rounds == 20
    assert mixture.certificate().holds
    single = Mixture(AdaNormalHedge, loss="absolute")
    for t in range(0, 60, 3):  # the same path three times over is one step
        single.predict(np.tile(X[t], (3, 1)))
        single.update(np.full(3, y[t]))
    plain = Mixture(AdaNormalHedge, loss="absolute").run(X[::3], y[::3])
    np.testing.assert_allclose(single.weights, plain.after.weights, atol=1e-12)
    with pytest.raises(ValueError, match=r"y has shape \(2,\), but the forecast \(3,\)"):
        single.predict(X[:3]), single.update(y[:2])


@pytest.mark.parametrize("frames", [pd, pl])
def test_data_frames_bring_names(frames):
    X, y = forecasts(n=3)
    frame = frames.DataFrame(dict(zip(["gam", "ar", "gbm"], X.T)))
    run = Mixture(MLPoly).run(frame, frames.Series(y))
    assert run.names == ["gam", "ar", "gbm"]
    np.testing.assert_array_equal(run.forecasts, Mixture(MLPoly).run(X, y).forecasts)
    summary = run.summary()
    assert "gbm" in summary
    assert "best convex" in summary
    assert run.oracles(2)[-1].name == "best with 2 shifts"


@pytest.mark.parametrize("algorithm", [AdaNormalHedge, BOA, MLPoly, Hedge, Squint, AdaptMLProd])
def test_saved_and_loaded(algorithm, tmp_path):
    X, y = forecasts(seed=9)
    X *= np.linspace(1, 30, len(X))[:, None]  # the unit grows
    mixture = Mixture(algorithm, loss="absolute", names=["a", "b", "c", "d"])
    mixture.save(tmp_path / "new")
    assert Mixture.load(tmp_path / "new").rounds == 0
    mixture.run(X[:40], y[:40])
    mixture.save(tmp_path / "mixture")
    again = Mixture.load(tmp_path / "mixture")
    one, two = mixture.run(X[40:], y[40:]), again.run(X[40:], y[40:])
    np.testing.assert_array_equal(one.forecasts, two.forecasts)
    assert mixture.certificate() == again.certificate()
    assert one.names == two.names
    assert repr(mixture) == repr(again)
    with pytest.raises(ValueError, match="cannot be saved"):
        Mixture(unbounded_prod).save(tmp_path / "function")
    mixture.predict(X[0])
    with pytest.raises(ValueError, match="wait for their targets"):
        mixture.save(tmp_path / "waiting")


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_regret_and_bound_of_a_run(loss):
    X, y = forecasts(seed=10)
    run = Mixture(BOA, loss=loss).run(X, y)
    kind = forecast_loss(loss)[0]
    mine = np.sum(kind.value(run.forecasts, y))
    assert run.regret(comparator=2) == pytest.approx(mine - np.sum(kind.value(X[:, 2], y)))
    u = np.array([0.5, 0.25, 0.25, 0.0])
    assert run.regret(comparator=u) == pytest.approx(mine - np.sum(kind.value(X @ u, y)))
    assert run.regret() >= max(run.regret(comparator=c) for c in (u, 0, 1, 2, 3))
    for notion in ({}, {"comparator": 1}, {"comparator": u}):
        assert run.regret(**notion) <= run.bound(**notion) < math.inf
    plain = Mixture(BOA, loss=loss, gradient=False).run(X, y)
    assert plain.regret(comparator=0) <= plain.bound(comparator=0) < math.inf
    # of mixtures no theorem speaks then
    assert plain.certificate(comparator=u).bounds.keys() == {"trivial"}
    again = run.after.run(X[:, ::-1], y)  # the theorem is about both halves
    for notion in ({}, {"comparator": 1}, {"comparator": u}):
        assert again.regret(**notion) <= again.bound(**notion) < math.inf
    with pytest.raises(ValueError, match="give one of them"):
        run.regret(comparator=1, quantile=0.5)


def test_plots():
    X, y = forecasts(n=3)
    y[3] = np.nan
    run = Mixture(AdaNormalHedge, names=["a", "b", "c"]).run(X, y)
    for draw in (run.plot, run.plot_weights, run.plot_residuals, run.plot_oracles):
        axes = draw()
        assert axes.get_title(loc="left")
        assert draw(axes) is axes


def test_quantiles():
    """Experts that forecast constants: the mixture finds the quantile."""
    random = np.random.default_rng(8)
    y = random.normal(size=3000)
    X = np.tile(np.linspace(-2.5, 2.5, 11), (3000, 1))
    run = Mixture(AdaNormalHedge, loss="quantile", tau=0.9).run(X, y)
    assert run.forecasts[-1] == pytest.approx(1.2816, abs=0.15)
    assert np.mean(y[1000:] <= run.forecasts[1000:]) == pytest.approx(0.9, abs=0.03)


# -- losses ------------------------------------------------------------------------------------------


@every_loss
def test_derivatives(loss):
    kind, _ = forecast_loss(loss, 0.3)
    x = np.linspace(0.05, 0.95, 19)
    for y in (0.0, 0.37, 1.0):
        if loss == "percentage" and y == 0:
            continue
        h = 1e-6
        slope = (kind.value(x + h, y) - kind.value(x - h, y)) / (2 * h)
        np.testing.assert_allclose(kind.derivative(x, y), slope, rtol=1e-6, atol=1e-8)


def test_losses_at_their_ends():
    assert LogForecast().value(np.array([0.25]), 0.0) == pytest.approx(-math.log(0.75))
    assert LogForecast().value(0.25, 0.5) == pytest.approx(-(math.log(0.25) + math.log(0.75)) / 2)
    assert Percentage().derivative(5.0, 5.0) == 0
    assert forecast_loss("quantile", 0.2)[0] == losses.Quantile(0.2)


# -- bad input ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Mixture(loss="cubic"), "loss='cubic' is not one of 'squared'"),
        (lambda: Mixture(loss="quantile", tau=2.0), "tau=2.0"),
        (lambda: Mixture().weights, "call predict"),
        (lambda: Mixture().update(1.0), "no forecast waits"),
        (lambda: Mixture().predict([]), "shape"),
        (lambda: Mixture().predict(["a"]), "not made of numbers"),
        (lambda: Mixture().predict([math.inf, 1.0]), r"beyond 1e\+37"),
        (lambda: Mixture().predict([math.nan, math.nan]), "all experts are asleep"),
        (lambda: Mixture(loss="log").predict([0.5, 1.5]), "chances"),
        (lambda: Mixture(lambda n: n).predict([1.0, 2.0]), "must make a player"),
        (lambda: Mixture(lambda n: Hedge(n, range=(0.0, 2.0))).predict([1.0]), "by itself"),
        (lambda: Mixture(names=["a"]).predict([1.0, 2.0]), "1 names for 2 experts"),
        (lambda: Mixture().run([[1.0, 2.0]], [1.0, 2.0]), r"\(rounds, experts\)"),
        (lambda: Mixture().run([[1.0, 2.0]], [math.inf]), r"y=inf is beyond 1e\+37"),
        (lambda: Mixture().run([[1.0, 2.0]], [1.0], delay=-1), "delay=-1"),
        (lambda: Mixture(loss="percentage").run([[1.0, 2.0]], [0.0]), "not 0"),
        (lambda: Mixture(loss="log").run([[0.1, 0.2]], [2.0]), r"targets in \[0, 1\]"),
        (
            lambda: Mixture().run([[1.0, 2.0], [math.nan, math.nan]], [1.0, 1.0]),
            "asleep in round 1",
        ),
        (
            lambda: Mixture(lambda n: FixedShare(n, rate=1.0, share=0.1)).run(
                [[1.0, math.nan]], [1.0]
            ),
            "takes only awake ones",
        ),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_bad_input_changes_nothing():
    mixture = Mixture()
    mixture.predict([1.0, 2.0])
    mixture.update(1.5)
    before = mixture.player._engine.state()
    for bad in ([1.0], [1.0, math.inf], [math.nan, math.nan]):
        with pytest.raises(ValueError, match=r"forecast|asleep"):
            mixture.predict(bad)
    mixture.predict([1.0, 3.0])
    with pytest.raises(ValueError, match=r"beyond 1e\+37"):
        mixture.update(math.inf)
    with pytest.raises(ValueError, match="wait for their targets"):
        mixture.run([[1.0, 2.0]], [1.0])
    np.testing.assert_array_equal(mixture.player._engine.state(), before)
    mixture.update(1.0)
    assert mixture.rounds == 2
