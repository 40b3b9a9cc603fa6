"""Every player of experts in what users do with it: no bound is below the regret, computed anew.

Second and third runs, copies, clones, pickles and files, sleepers, uneven priors, losses of every size,
one round, every notion of regret, mixtures with and without the gradient trick, adversaries that look.
"""

import math
import pickle
from functools import partial

import numpy as np
import pytest

from regretless import games
from regretless.experts import (
    BOA,
    AdaNormalHedge,
    AdaNormalHedgeTV,
    AdaptMLProd,
    DriftingGame,
    FixedShare,
    Hedge,
    Mixture,
    MLPoly,
    NormalHedge,
    NormalHedgeDT,
    PolynomialWeights,
    RandomizedWeightedMajority,
    SecondOrderHedge,
    Squint,
    TwoNorm,
    regrets,
)
from regretless.experts.chip_potentials import TwoNormPotential
from regretless.experts.mixture import forecast_loss
from regretless.experts.run import Notion

N, T = 4, 18
EPS = np.finfo(float).eps
UNEVEN = np.array([1e-100, 1e-9, 0.25, 0.75 - 1e-9])
SCALES = (1e-12, 1e-3, 1e12)

PLAYERS = {
    "hedge": Hedge,
    "hedge fixed": partial(Hedge, rate=0.7),
    "hedge horizon": partial(Hedge, rate="horizon", horizon=3 * T),
    "hedge doubling": partial(Hedge, rate="doubling"),
    "hedge small-loss": partial(Hedge, rate="small-loss"),
    "randomized majority": partial(RandomizedWeightedMajority, horizon=3 * T),
    "randomized majority doubling": partial(RandomizedWeightedMajority, beta="doubling"),
    "second order": partial(SecondOrderHedge, horizon=3 * T),
    "fixed share": partial(FixedShare, horizon=3 * T, shifts=2),
    "polynomial": PolynomialWeights,
    "two-norm": TwoNorm,
    "normal-hedge": NormalHedge,
    "normal-hedge-dt": NormalHedgeDT,
    "ada-normal-hedge": AdaNormalHedge,
    "ada-normal-hedge of power 1/2": partial(AdaNormalHedge, power=0.5),
    "tv": AdaNormalHedgeTV,
    "tv with all copies": partial(AdaNormalHedgeTV, streaming=False),
    "ml-prod": AdaptMLProd,
    "squint": Squint,
    "boa": BOA,
    "ml-poly": MLPoly,
    "optimistic hedge": games.OptimisticHedge,
    "regret matching": games.RegretMatchingPlus,
}
NO_PRIOR = ("polynomial", "ml-prod", "regret matching")
NO_SLEEP = (
    "second order",
    "randomized majority",
    "fixed share",
    "hedge doubling",
    "hedge small-loss",
)
NO_SLEEP = (*NO_SLEEP, "optimistic hedge", "regret matching", "randomized majority doubling")
every_player = pytest.mark.parametrize("name", PLAYERS)


def streams(seed=0, rounds=T):
    """Losses in [0, 1]: any, of experts that take turns, of one that is best, and all alike."""
    random = np.random.default_rng(seed)
    turns = np.ones((rounds, N))
    turns[np.arange(rounds), np.arange(rounds) * 3 // rounds] = 0.0
    good = random.random((rounds, N))
    good[:, 2] *= 0.1
    coins = (random.random((rounds, N)) < 0.5) * 1.0
    return {"coins": coins, "turns": turns, "good": good, "alike": np.full((rounds, N), 0.5)}


# --- regrets, written anew ---------------------------------------------------------------------------


def best_path(r, shifts):
    """The largest sum along a path through the columns that changes so often at most."""
    best = np.full((shifts + 1, r.shape[1]), -math.inf)
    best[0] = r[0]
    for row in r[1:]:
        before, best = best, np.empty(best.shape)
        for k in range(shifts + 1):
            for i in range(r.shape[1]):
                others = [before[k - 1, j] for j in range(r.shape[1]) if j != i] if k else []
                best[k, i] = row[i] + max([before[k, i], *others])
    return best.max()


def notions(rounds, seed=1):
    """Arguments, and what the regret with them is, by the regrets to all experts in all rounds."""
    U = np.abs(np.random.default_rng(seed).normal(size=(rounds, N)))
    u = np.array([0.4, 0.1, 0.2, 0.3])
    a, b = rounds // 3, max(rounds // 3 + 1, 2 * rounds // 3)
    yield {}, lambda r: r.sum(axis=0).max()
    yield {"comparator": "best"}, lambda r: r.sum(axis=0).max()
    yield {"comparator": 1}, lambda r: r[:, 1].sum()
    yield {"comparator": u}, lambda r: r.sum(axis=0) @ u
    yield {"quantile": 0.5}, lambda r: np.sort(r.sum(axis=0))[-2]
    yield {"quantile": 1.0}, lambda r: r.sum(axis=0).min()
    yield {"interval": (a, b)}, lambda r: r[a:b].sum(axis=0).max()
    yield {"interval": "worst"}, worst_interval
    yield {"shifts": 0}, lambda r: r.sum(axis=0).max()
    yield {"shifts": 2}, lambda r: best_path(r, min(2, len(r) - 1))
    yield {"sequence": U}, lambda r: np.vdot(U, r)


def worst_interval(r):
    sums = np.vstack([np.zeros(r.shape[1]), np.cumsum(r, axis=0)])
    return max((sums[j] - sums[i]).max() for i in range(len(sums)) for j in range(i + 1, len(sums)))


def check(run, r, asked=None):
    """The contract of a run, of whose rounds the regrets `r` to the experts are known otherwise."""
    size = math.fsum(np.abs(run.losses)) + np.abs(r).sum() + 1e-300
    for notion, regret in notions(len(r)) if asked is None else asked:
        c = run.certificate(**notion)
        # more rounds than experts are added up, and weights of a sequence may be as large as 4
        assert c.regret == pytest.approx(regret(r), rel=0, abs=64 * EPS * len(r) * size), notion
        assert c.holds is True, (notion, c)
        assert regret(r) <= c.bound + 64 * EPS * size, (notion, c)
        assert c.bound <= c.bounds["trivial"] + c.rounding
        assert c.rounds == run.rounds == len(r)
        assert c.comparators
        assert not any(map(math.isnan, [c.regret, c.bound, c.rounding, *c.bounds.values()]))
        regrets_, bounds = run.regret_curve(**notion), run.bound_curve(**notion)
        assert regrets_.shape == bounds.shape == (len(r),)
        assert (regrets_ <= bounds).all(), (notion, regrets_ - bounds)
        assert run.regret(**notion) == regrets_[-1] == c.regret
        assert run.bound(**notion) == c.bound
        assert bounds[-1] == pytest.approx(c.bound, rel=1e-12, abs=c.rounding)
    assert run.loss == pytest.approx(run.losses.sum())
    assert run.mean_loss == pytest.approx(run.loss / run.rounds)


def regrets_of(run, table, awake=None):
    """By the weights that were played."""
    sure = np.ones(table.shape) if awake is None else awake
    known = np.where(sure > 0, table, 0.0)
    suffered = np.array([p @ row for p, row in zip(run.weights, known)])
    np.testing.assert_allclose(run.losses, suffered, rtol=0, atol=16 * EPS * np.abs(known).max())
    return sure * (suffered[:, None] - known)


def restored(player, path):
    """A player that has been copied, pickled, saved and loaded."""
    player.save(path)
    return pickle.loads(pickle.dumps(type(player).load(path).copy()))


# --- players ------------------------------------------------------------------------------------------


@every_player
@pytest.mark.parametrize("stream", streams())
def test_three_runs_of_what_was_copied_and_saved(name, stream, tmp_path):
    player = PLAYERS[name](N)
    for k in range(3):
        table = np.roll(streams(k)[stream], k, axis=1)
        with pytest.raises(ValueError, match="losses"):
            player.update([0.5, math.nan, 0.5, 0.5])
        run = player.run(table)
        check(run, regrets_of(run, table), None if k == 1 else list(notions(T))[:6:5])
        assert player.certificate().holds is True
        player = restored(player, tmp_path / "player")
        again = pickle.loads(pickle.dumps(run))
        assert again.certificate() == run.certificate()
    fresh = player.clone()
    assert (fresh.rounds, fresh.loss, repr(fresh)) == (0, 0.0, repr(player))
    one, two = fresh.run(table), PLAYERS[name](N).run(table)
    np.testing.assert_array_equal(one.losses, two.losses)
    assert one.certificate() == two.certificate()


@every_player
def test_losses_of_every_size(name):
    for scale in SCALES:
        table = scale * streams()["coins"]
        low, high = -scale / 2, scale
        for player in (
            PLAYERS[name](N, range=(0.0, scale)),
            PLAYERS[name](N, range=(low, high)),
        ):
            run = player.run(table)
            check(run, regrets_of(run, table), list(notions(T))[:6])
            run = player.run(table[::-1] - scale / 2 if player.range[0] else table[::-1])
            assert run.certificate().holds is True


@every_player
def test_one_round(name):
    for row in ([1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]):
        player, table = PLAYERS[name](N), np.array([row])
        for _ in range(2):
            run = player.run(table)
            check(run, regrets_of(run, table))


@every_player
def test_no_rounds(name):
    run = PLAYERS[name](N).run(np.zeros((0, N)))
    assert (run.loss, run.mean_loss, run.regret(), run.bound()) == (0.0, 0.0, 0.0, 0.0)
    assert len(run.regret_curve()) == len(run.bound_curve()) == 0


@pytest.mark.parametrize("name", [name for name in PLAYERS if name not in NO_PRIOR])
def test_priors_of_every_size(name):
    for prior in (UNEVEN, UNEVEN[::-1]):
        player = PLAYERS[name](N, prior=prior)
        for stream in ("coins", "turns"):
            table = streams()[stream]
            run = player.run(table)
            check(run, regrets_of(run, table))
    with pytest.raises(ValueError, match=r"prior\[0\] = 0.0 is below"):
        PLAYERS[name](N, prior=[0.0, 0.25, 0.25, 0.5])
    with pytest.raises(ValueError, match=r"prior\[0\] = 5e-324 is below"):
        PLAYERS[name](N, prior=[5e-324, 0.25, 0.25, 0.5])


@pytest.mark.parametrize("name", [name for name in PLAYERS if name not in NO_SLEEP])
def test_sleepers(name):
    random = np.random.default_rng(3)
    some = (random.random((T, N)) < 0.5) * 1.0
    some[np.arange(T), random.integers(0, N, T)] = 1.0
    one = np.eye(N)[np.arange(T) * N // T]  # one awake, each in a quarter of the rounds
    unsure = np.where(some > 0, random.random((T, N)) + 1e-6, 0.0).clip(max=1.0)
    for awake in (some, one, unsure):
        sure = np.ceil(awake) if name.startswith("hedge") else awake
        player = PLAYERS[name](N)
        for stream in ("coins", "good"):
            table = np.where(sure > 0, streams()[stream], np.nan)
            run = player.run(table, sure)
            check(run, regrets_of(run, table, sure))


@every_player
def test_an_adversary_that_charges_the_heaviest(name):
    """Also after a run of its own, and with what is then small once more as large."""
    player, total = PLAYERS[name](N), np.zeros(N)
    for t in range(60):
        row = np.zeros(N)
        row[int(np.argmax(player.weights)) if t % 5 else t // 5 % N] = 1.0
        total += player.weights @ row - row
        player.update(row)
        if t % 10 == 9:
            for k, i in enumerate(np.argsort(-total)[:2]):
                for asked in ({"comparator": int(i)}, {"quantile": (k + 1) / N}):
                    c = player.certificate(**asked)
                    assert c.holds is True
                    assert total[i] <= c.bound + 1e-12
    run = player.run(streams()["turns"])
    check(run, regrets_of(run, streams()["turns"]))


@every_player
def test_bounds_do_not_fall(name):
    """As curves of long runs give a round the bound of a later one."""
    player = PLAYERS[name](N, **({} if name in NO_PRIOR else {"prior": [0.1, 0.2, 0.3, 0.4]}))
    if not player._rises:
        pytest.skip("every round is looked at")
    one, mixed, table = np.eye(N)[1], np.array([0.1, 0.2, 0.0, 0.7]), streams(rounds=400)["good"]
    before = {}
    for row in np.vstack([table[:90], np.full((3, N), 0.5), streams()["turns"]]):
        player.update(row)
        for key, u in (("one", one), ("mixed", mixed)):
            bound = min(player._proved([u]).values())
            assert bound >= before.get(key, -math.inf) * (1 - 1e-12), (key, player.rounds)
            before[key] = bound


@pytest.mark.parametrize("name", ["hedge", "fixed share", "tv", "boa", "regret matching"])
def test_curves_of_long_runs(name):
    """Every round has a bound, no smaller than the one that is computed after it."""
    table = streams(rounds=500)["good"]
    player = PLAYERS[name](N)
    player.run(table[:50])
    run = player.run(table[50:])
    for notion in ({}, {"shifts": 2}, {"interval": (20, 400)}):
        assert (run.regret_curve(**notion) <= run.bound_curve(**notion)).all()
    curve, walker = run.bound_curve(3), run.before.copy()
    for t, row in enumerate(table[50:]):
        walker.update(row)
        if t % 23 == 0:
            exact = min(walker._proved([np.eye(N)[3]], run.before.regrets).values())
            assert curve[t] >= min(exact, run._measured(run._asked(Notion(3)))[1][t])


def test_ties_take_the_best_bound():
    """Experts that are equally good, of which one was likely: its bound is that of the best."""
    table = np.array([[0.0, 0.0, 1.0, 1.0]] * 30)
    prior = [1e-6, 0.9 - 1e-6, 0.05, 0.05]
    for kind in (Hedge, NormalHedgeDT, TwoNorm, AdaNormalHedge, Squint, BOA, MLPoly):
        player = kind(N, prior=prior)
        run = player.run(table)
        for found in (player.certificate(), run.certificate()):
            least = min(player.certificate(i).bound for i in (0, 1))
            assert found.bound <= least + 1e-12
            assert found.against == 0


def test_a_quantile_has_the_prior_of_its_group():
    """Of 20 experts ten are good; together they are likely, and one of them is not."""
    n, rounds = 20, 1000
    prior = np.array([1e-3, *[(0.5 - 1e-3) / 9] * 9, *[0.05] * 10])
    table = np.repeat([[0.0] * 10 + [1.0] * 10], rounds, axis=0)
    half = float(prior[:10].sum())
    found = NormalHedgeDT(n, prior=prior).run(table).certificate(quantile=0.5)
    charged = sum(math.expm1(4 / (3 * t)) for t in range(1, rounds + 1)) / 2
    expected = math.sqrt(3 * rounds * math.log1p(charged / half))
    assert found.bounds["normal-hedge-dt"] == pytest.approx(expected)
    assert found.bound < 100 < math.sqrt(3 * rounds * math.log1p(charged / 1e-3))
    two = TwoNorm(n, prior=prior).run(table).certificate(quantile=0.5)
    assert two.bounds["two-norm"] == pytest.approx(math.sqrt(rounds / half))
    for kind in (AdaNormalHedge, AdaNormalHedgeTV, Squint, Hedge, MLPoly):
        run = kind(n, prior=prior).run(table)
        single = min(run.after._proved([np.eye(n)[0]]).values())
        assert run.bound(quantile=0.5) < single


def test_the_player_of_intervals_knows_what_its_run_knows():
    """The sums of |r| are kept, so that a certificate needs no run."""
    table = streams(rounds=700)["good"]
    for streaming in (True, False):
        player = AdaNormalHedgeTV(N, streaming=streaming, prior=[0.1, 0.2, 0.3, 0.4])
        for stop in (1, 3, 4, 15, 17, 20, 21, 80, 81, 700):
            player = player.clone()
            run = player.run(table[:stop])
            for i in range(N):
                mine = player.certificate(i).bounds["intervals"]
                assert mine == pytest.approx(run.certificate(i).bounds["intervals"], rel=1e-12)


def test_normal_hedge_has_the_bound_of_its_paper():
    """It is made of the number of rounds, and not of the regrets."""
    n, rounds = 8, 4000
    coins = (np.random.default_rng(0).random((rounds, n)) < 0.5) * 1.0
    alike = np.full((rounds, n), 0.5)
    bounds = [
        NormalHedge(n).run(each).certificate(0).bounds["normal-hedge"] for each in (coins, alike)
    ]
    log = math.log(n)
    least = min(
        3 * (1 + 50 * d) * rounds + 16 * log**2 / d**2 * (10.2 / d**2 + log)
        for d in np.geomspace(1e-4, 0.5, 20_000)
    )
    assert bounds[0] == bounds[1] == pytest.approx(math.sqrt((1 + log) * least), rel=1e-3)
    assert bounds[0] < rounds
    uneven = NormalHedge(2, prior=[0.9, 0.1])
    uneven.run([[0.0, 1.0]] * 9)
    assert uneven.certificate().bounds.keys() == {"trivial"}


def test_a_potential_that_is_bounded_by_sizes_is_bounded():
    """Of Bernstein's aggregation: what is paid is above the potential, whatever sizes come in a row."""
    random = np.random.default_rng(1)
    for trial in range(40):
        n = int(random.integers(2, 6))
        prior = random.dirichlet(np.ones(n))
        player, walk = BOA(n, prior=prior), 10.0 ** random.normal(scale=trial % 4, size=60)
        scores, rates = np.zeros(n), np.zeros(n)
        squares = np.zeros(n)
        for size in walk:
            p, row = player.weights, size * random.normal(size=n) * (random.random(n) < 0.8)
            r = player.update(row) - row
            np.testing.assert_allclose(p @ r, 0.0, atol=1e-9 * np.abs(row).max())
            squares += r**2
            rates = np.where(squares > 0, 1 / np.sqrt(2.2 * np.where(squares > 0, squares, 1)), 0.0)
            scores += r - rates * r**2
            assert math.log(prior @ np.exp(rates * scores)) <= player._engine.paid + 1e-9


def test_a_range_that_is_not_known_has_no_bound_but_of_players_that_need_none():
    table = 100.0 * streams()["coins"]
    for name, make in PLAYERS.items():
        if name in ("regret matching", "optimistic hedge"):
            continue
        if name == "second order":
            with pytest.raises(ValueError, match="range=None: weights"):
                make(N, range=None)
            continue
        player = make(N, range=None)
        run = player.run(table)
        check(run, regrets_of(run, table), list(notions(T))[:6])
        assert (player.certificate().bound < math.inf) == (name in ("boa", "ml-poly"))


def test_drifting_games():
    for potential in (None, TwoNormPotential()):
        game = DriftingGame(N, potential)
        for stream in ("coins", "turns", "good"):
            table = streams()[stream]
            run = game.run(table)
            check(run, regrets_of(run, table))
            game = pickle.loads(pickle.dumps(game)).copy()
        assert (game.clone().rounds, game.copy().rounds) == (0, 3 * T)


# --- mixtures -----------------------------------------------------------------------------------------

MIXED = {
    "ada-normal-hedge": AdaNormalHedge,
    "boa": BOA,
    "ml-poly": MLPoly,
    "hedge": Hedge,
    "hedge small-loss": partial(Hedge, rate="small-loss"),
    "second order": partial(SecondOrderHedge, beta=0.7),
    "fixed share": partial(FixedShare, rate=0.5, share=0.05),
    "squint": Squint,
    "tv": AdaNormalHedgeTV,
    "two-norm": TwoNorm,
    "ml-prod": AdaptMLProd,
}
every_mixture = pytest.mark.parametrize("name", MIXED)


def forecasts(seed=0, rounds=T, missing=False, scale=1.0):
    random = np.random.default_rng(seed)
    y = random.normal(size=rounds)
    X = y[:, None] + random.normal(size=(rounds, N)) * [0.2, 1.0, 1.0, 3.0] + [0.0, 0.5, 0.0, 0.0]
    if missing:
        X[random.random(X.shape) < 0.4] = np.nan
        X[np.isnan(X).all(axis=1), 0] = 0.0
        X[rounds // 2, 1:] = np.nan
        X[rounds // 2, 0] = 1.0
        y[rounds // 3] = np.nan
    return X * scale, y * scale


def against(run, U, kind):
    """The regret to weights of the experts, each round as much as of them is awake."""
    total = 0.0
    for x, e, y, u in zip(run.forecasts, run.experts, run.y, U):
        awake = ~np.isnan(e)
        m = u[awake].sum()
        if m > 0 and not math.isnan(y):
            mean = float(np.clip(u[awake] @ e[awake] / m, e[awake].min(), e[awake].max()))
            total += m * float(kind.value(x, y) - kind.value(mean, y))
    return total


def check_mixture(run, kind, *, gradient):
    known = ~np.isnan(run.y)
    table = np.array([[kind.value(e, y) for e in row] for row, y in zip(run.experts, run.y)])
    mine = np.array([kind.value(x, y) for x, y in zip(run.forecasts, run.y)])
    r = np.where(np.isnan(table), 0.0, mine[:, None] - table)
    size = np.abs(np.nan_to_num(table)).sum() + np.nansum(np.abs(mine)) + 1e-300
    T_, close = len(r), 1e-9 * size
    for notion, regret in notions(T_):
        c = run.certificate(**notion)
        assert c.holds is True, (notion, c)
        assert not any(map(math.isnan, [c.regret, c.bound, c.rounding, *c.bounds.values()]))
        if "sequence" in notion or isinstance(notion.get("comparator"), np.ndarray):
            U = notion.get("sequence", notion.get("comparator"))
            expected = against(run, np.broadcast_to(U, r.shape), kind)
        elif (
            gradient
            and not np.isnan(run.experts).any()
            and notion.get("comparator") in (None, "best")
        ):
            if len(notion) and "comparator" not in notion:
                expected = regret(r)
            else:  # no mixture is better than the best
                expected = against(run, np.broadcast_to(c.against, r.shape), kind)
                for u in (
                    *np.eye(N),
                    np.full(N, 1 / N),
                    *np.random.default_rng(0).dirichlet([0.5] * N, 9),
                ):
                    assert against(run, np.broadcast_to(u, r.shape), kind) <= expected + close
        else:
            expected = regret(r)
        assert c.regret == pytest.approx(expected, rel=0, abs=close)
        assert expected <= c.bound + close * 1e-3
        curves = run.regret_curve(**notion), run.bound_curve(**notion)
        assert (curves[0] <= curves[1]).all(), (notion, curves[0] - curves[1])
        assert curves[1][-1] == pytest.approx(c.bound, rel=1e-12, abs=2 * c.rounding)
    assert run.loss == pytest.approx(mine[known].sum())
    assert run.mean_loss == pytest.approx(mine[known].mean())


@every_mixture
@pytest.mark.parametrize("gradient", [True, False], ids=["gradient", "losses"])
def test_mixtures(name, gradient):
    """Three runs, the second of a copy; the best expert changes, and the scale of the errors."""
    kind = forecast_loss("squared")[0]
    mixture = Mixture(MIXED[name], gradient=gradient)
    for k, scale in enumerate((1.0, 5.0, 0.1)):
        X, y = forecasts(k, scale=scale)
        run = mixture.run(np.roll(X, k, axis=1), y)
        if k < 2:
            check_mixture(run, kind, gradient=gradient)
        else:
            assert run.regret() <= run.bound()
        assert mixture.certificate().holds is True
        mixture = pickle.loads(pickle.dumps(mixture)).copy()
    assert mixture.clone().rounds == 0


@pytest.mark.parametrize("name", ["ada-normal-hedge", "boa", "ml-poly", "tv", "squint", "hedge"])
@pytest.mark.parametrize("gradient", [True, False], ids=["gradient", "losses"])
def test_mixtures_with_missing_forecasts(name, gradient):
    """Theorems are about each expert's own rounds, and so is the regret."""
    kind = forecast_loss("absolute")[0]
    mixture = Mixture(MIXED[name], gradient=gradient, loss="absolute")
    for k in range(2):
        check_mixture(mixture.run(*forecasts(k, missing=True)), kind, gradient=gradient)
    X = np.array([[1, np.nan, 0.0], [np.nan, 1, 0], [0.5, -0.5, 1]] * 100)
    run = Mixture(MIXED[name], gradient=gradient).run(X, np.zeros(300))
    for comparator in (None, 0, 1, 2, [0.4, 0.4, 0.2], [0.5, 0.5, 0.0]):
        assert run.regret(comparator) <= run.bound(comparator)
        assert "awake" in run.certificate(comparator).comparators
    never = Mixture(MIXED[name], gradient=gradient).run([[1.0, np.nan], [np.nan, 2.0]], [1.0, 1.0])
    assert never.regret() <= never.bound()  # though all are awake in no round


@pytest.mark.parametrize("scale", [1e-12, 1e-8, 1e6, 1e12])
@pytest.mark.parametrize("loss", ["squared", "absolute", "quantile", "percentage"])
def test_mixtures_of_every_size(loss, scale):
    kind = forecast_loss(loss)[0]
    for name in ("ada-normal-hedge", "boa", "hedge small-loss"):
        X, y = forecasts(scale=scale)
        mixture = Mixture(MIXED[name], loss=loss)
        check_mixture(mixture.run(X[:12], y[:12]), kind, gradient=True)
        check_mixture(mixture.run(X[12:] + 100.0 * scale, y[12:]), kind, gradient=True)


@every_mixture
def test_mixtures_of_small_losses(name):
    """What a mixture suffers is less than its experts do on average, which no bound may count on."""
    kind = forecast_loss("squared")[0]
    for seed in range(8):
        random = np.random.default_rng(seed)
        X = random.normal(size=(int(random.integers(1, 20)), N))
        run = Mixture(MIXED[name], gradient=False).run(X, np.zeros(len(X)))
        r = kind.value(run.forecasts, 0.0)[:, None] - kind.value(X, 0.0)
        assert run.regret() == pytest.approx(r.sum(axis=0).max())
        assert run.regret() <= run.bound()


@every_mixture
@pytest.mark.parametrize("gradient", [True, False], ids=["gradient", "losses"])
def test_mixtures_of_an_adversary(name, gradient):
    """Targets as far from the forecast as from the first expert they are near."""
    mixture, random = (
        Mixture(MIXED[name], gradient=gradient, loss="absolute"),
        np.random.default_rng(2),
    )
    total = np.zeros(N)
    for _ in range(50):
        X = random.normal(size=N)
        x = mixture.predict(X)
        y = X[0] + 3.0 * np.sign(X[0] - x)
        mixture.update(y)
        total += np.sign(x - y) * (x - X) if gradient else abs(x - y) - np.abs(X - y)
    c = mixture.certificate()
    assert c.regret == pytest.approx(total.max())
    assert total.max() <= c.bound
    assert c.holds is True


def test_the_averages_of_the_textbook():
    """Mohri and others (2018), Figure 8.5 and exercise 8.8, on the same forecasts to all digits."""
    X, y = [[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 0]], [0, 1, 1, 0]
    average = Mixture(partial(Hedge, rate=0.5), gradient=False, range=(0, 1))
    run = average.run(X, y)
    golden = [0.6666666667, 0.7259313809, 0.6928041143, 0.2119415576]
    np.testing.assert_allclose(run.forecasts, golden, atol=5e-11)
    assert run.regret() == pytest.approx(0.6588465884, abs=5e-11)
    assert run.bound() == pytest.approx(2.4472245773, abs=5e-11)
    assert average.certificate().bound == pytest.approx(run.bound(), abs=1e-11)
    weights = average.player.weights
    np.testing.assert_allclose(weights / weights[1], [0.2231301601, 1, 0.3678794412], atol=5e-11)
    powers = Mixture(partial(PolynomialWeights, alpha=3), gradient=False, range=(0, 1))
    run = powers.run(X, y)
    np.testing.assert_allclose(run.forecasts, [0.6666666667, 1, 1, 0], atol=5e-11)
    np.testing.assert_allclose(
        powers.regrets, [-2.5555555556, 0.4444444444, -1.5555555556], atol=5e-11
    )
    longer = Mixture(partial(Hedge, rate="doubling"), gradient=False, range=(0, 1))
    run = longer.run([*X, [0, 0, 1], [1, 1, 0]], [*y, 1, 0])
    golden = [0.6666666667, 0.6666666667, 0.5289487103, 0.3333333333, 0.4490116193, 0.2179524113]
    np.testing.assert_allclose(run.forecasts, golden, atol=5e-11)
    one_by_one = average.clone()
    for row, target in zip(X, y):
        one_by_one.predict(row)
        one_by_one.update(target)
    assert one_by_one.certificate() == average.certificate()


def test_a_range_of_losses_is_kept():
    mixture = Mixture(Hedge, gradient=False, range=(0, 1))
    with pytest.raises(
        ValueError, match=r"the losses of experts\[1, 0\] = 4.0 is outside range=\(0.0, 1.0\)"
    ):
        mixture.run([[0.5, 0.5], [2.0, 0.0]], [0.0, 0.0])
    assert mixture.rounds == 0
    mixture.predict([3.0, 0.0])
    with pytest.raises(ValueError, match="is outside range"):
        mixture.update(0.0)
    mixture.update(math.nan)
    assert mixture.rounds == 1
    for options in ({"gradient": True}, {"gradient": False, "range": (0.5, 1)}):
        with pytest.raises(ValueError, match="needs gradient=False, and to begin at 0"):
            Mixture(Hedge, **({"range": (0, 1)} | options))


def test_dates_and_names_are_in_the_frame():
    pandas = pytest.importorskip("pandas")
    days = pandas.date_range("2024-01-01", periods=T, name="day")
    X, y = forecasts()
    frame = pandas.DataFrame(X, index=days, columns=list("abcd"))
    run = Mixture().run(frame, pandas.Series(y, index=days))
    found = run.to_frame()
    assert found.index.equals(days)
    assert list(found) == [
        "loss",
        "regret",
        "bound",
        "target",
        "forecast",
        *(f"weight of {x}" for x in "abcd"),
    ]
    np.testing.assert_array_equal(found["forecast"], run.forecasts)
    assert run.regret("c") == run.regret(2)
    losses = pandas.DataFrame(streams()["coins"], index=days, columns=list("abcd"))
    table = Hedge(N).run(losses).to_arrow()
    assert table.column_names[:2] == ["day", "loss"]


def test_regrets_of_sequences_refuse_other_shapes():
    run = Hedge(N).run(streams()["coins"])
    with pytest.raises(ValueError, match=r"sequence has shape \(3, 4\), not \(18, 4\)"):
        run.regret(sequence=np.ones((3, N)))
    with pytest.raises(ValueError, match=r"sequence\[0, 1\] = -1.0 is negative"):
        run.regret(sequence=np.where(np.arange(N) == 1, -1.0, 1.0) * np.ones((T, 1)))
    assert regrets.to_sequence([[1.0]], [[2.0]]) == 2.0
