"""Experts by the Littlestone dimension and the agnostic learner: equal to all experts one by one."""

import itertools
import math
import pickle

import numpy as np
import pytest
from reference import classes as oracle

from regretless.adversaries import CoverAdversary
from regretless.classes import AgnosticLearner, FiniteClass, LdimExperts, littlestone_dimension
from regretless.classes.learner import errors
from regretless.experts import Hedge

CLASSES = [
    FiniteClass.thresholds(5),
    FiniteClass.singletons(5),
    FiniteClass.cube(3),
    FiniteClass.intervals(4),
    FiniteClass.random(12, 6, seed=4),
    FiniteClass([[0, 1, 0]]),
]


def stream(H, T, seed):
    random = np.random.default_rng(seed)
    return random.integers(len(H.points), size=T).tolist(), random.integers(2, size=T).tolist()


def played(learner, xs, ys):
    """The probabilities with which 1 was predicted."""
    found = []
    for x, y in zip(xs, ys):
        found.append(learner.probability(x))
        learner.update(x, y)
    return found


# --- the experts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("H", CLASSES, ids=repr)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("T", [1, 2, 9])
def test_merged_experts_are_all_experts(H, seed, T):
    """The same probabilities as the weights of all experts, kept one by one.

    Shalev-Shwartz (2012), Theorem 3.6.
    """
    xs, ys = stream(H, T, seed)
    d = littlestone_dimension(H)
    everybody = oracle.all_experts(frozenset(oracle.rows(H)), xs, d)
    merged = LdimExperts(H, T, rate=0.7)
    assert merged.count == len(everybody)
    expected = oracle.weighted_majority(everybody, ys, 0.7)
    np.testing.assert_allclose(played(merged, xs, ys), expected, rtol=1e-12, atol=1e-15)
    assert merged.states <= (d + 1) * (len(H) + 1)


def test_golden_example():
    """46 experts of thresholds on five points are 8 states after 9 rounds, all points asked."""
    experts = LdimExperts(FiniteClass.thresholds(5), horizon=9, rate=0.4)
    xs = [2, 0, 4, 1, 3, 2, 1, 0, 4]
    played(experts, xs, [0, 1] * 4 + [0])
    assert (experts.count, experts.states) == (46, 8)


@pytest.mark.parametrize("H", CLASSES, ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_every_hypothesis_is_an_expert(H, seed):
    """The best expert errs no more than the best hypothesis.

    Shalev-Shwartz (2012), Lemma 3.7, and Corollary 3.8.
    """
    xs, ys = stream(H, 8, seed)
    d, V = littlestone_dimension(H), frozenset(oracle.rows(H))
    experts = LdimExperts(H, 8, rate=1.0)
    for name, row in zip(H.names, oracle.rows(H)):
        turns = experts.deviations(name, xs)
        assert len(turns) <= d
        assert experts.follow(turns, xs) == [row[x] for x in xs]
    everybody = oracle.all_experts(V, xs, d)
    mistakes = [sum(p != y for p, y in zip(e, ys)) for e in everybody]
    assert min(mistakes) <= min(sum(row[x] != y for x, y in zip(xs, ys)) for row in V)


@pytest.mark.parametrize("seed", range(3))
def test_follow_is_one_expert(seed):
    """Also of those that have deviated to where no hypothesis is."""
    H = FiniteClass.thresholds(4)
    xs, _ = stream(H, 7, seed)
    experts = LdimExperts(H, 7, rate=1.0)
    for turns in itertools.combinations(range(7), 2):
        expected = oracle.expert(frozenset(oracle.rows(H)), xs, set(turns))
        assert experts.follow(turns, xs) == expected


def test_the_printed_rule_for_ties_loses_a_hypothesis():
    """Erratum: experts that predict 0 where SOA, which chose their deviations, predicts 1."""
    H = FiniteClass.cube(2)
    V, xs = frozenset(oracle.rows(H)), [0, 1]
    soa_says = [1, 1]  # every tie is 1
    lost = 0
    for row in oracle.rows(H):
        turns = {t for t, x in enumerate(xs) if row[x] != soa_says[t]}
        lost += oracle.expert(V, xs, turns, tie=0) != [row[x] for x in xs]
        assert oracle.expert(V, xs, turns, tie=1) == [row[x] for x in xs]
    assert lost > 0


def test_counts_of_any_size():
    """Binomials beyond floating point; and few of so many experts deviate now."""
    H = FiniteClass.cube(12)
    experts = LdimExperts(H, 10**30, rate=0.01)
    assert experts.count == sum(math.comb(10**30, L) for L in range(13)) > 10**350
    assert experts.probability(3) == 1.0
    experts = LdimExperts(H, 10**4, rate=0.01)
    assert experts.probability(3) == pytest.approx(1 - 12e-4, abs=1e-6)


def tally(H, xs, ys):
    counts = np.zeros((len(H.points), 2), np.int64)
    np.add.at(counts, ([H.column(x) for x in xs], ys), 1)
    return counts


# --- the learner ---------------------------------------------------------------------------------


@pytest.mark.parametrize("H", CLASSES, ids=repr)
@pytest.mark.parametrize("experts", ["ldim", "hypotheses"])
def test_is_weighted_majority(H, experts):
    xs, ys = stream(H, 8, 1)
    learner = AgnosticLearner(H, 8, experts=experts)
    pool = (
        oracle.all_experts(frozenset(oracle.rows(H)), xs, littlestone_dimension(H))
        if experts == "ldim"
        else [[row[x] for x in xs] for row in oracle.rows(H)]
    )
    rate = math.sqrt(8 * math.log(max(len(pool), 2)) / 8)
    run = learner.run(xs, ys)
    np.testing.assert_allclose(
        run.predictions, oracle.weighted_majority(pool, ys, rate), rtol=1e-12, atol=1e-15
    )
    bound = math.log(len(pool)) / rate + rate * np.arange(1, 9) / 8
    np.testing.assert_allclose(run.promised["hoeffding"], bound, rtol=1e-12)
    assert (run.regret_curve() <= run.bound_curve()).all()
    best = run.certificate()
    assert best.bounds["trivial"] == 8 - min(
        sum(row[x] != y for x, y in zip(xs, ys)) for row in oracle.rows(H)
    )
    if len(pool) > 1:
        expected = math.sqrt(8 * math.log(len(pool)) / 2)
        assert best.bounds["hoeffding"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("rate", ["hoeffding", "shalev-shwartz", 0.3])
@pytest.mark.parametrize("horizon", [None, 40])
@pytest.mark.parametrize("H", CLASSES, ids=repr)
def test_regret_below_its_bound(H, horizon, rate):
    """Against labels that follow a hypothesis, coins, and those that oppose the prediction."""
    random = np.random.default_rng(0)
    xs = random.integers(len(H.points), size=40).tolist()
    for labels in ("hypothesis", "coins", "opposite"):
        for experts in ("ldim", "hypotheses"):
            learner = AgnosticLearner(H, horizon, rate=rate, experts=experts)
            for x in xs:
                p = learner.predict_proba_one(x)[1]
                y = {
                    "hypothesis": int(H.at(x)[-1]) ^ int(random.random() < 0.1),
                    "coins": int(random.random() < 0.5),
                    "opposite": int(p < 0.5),
                }[labels]
                learner.learn_one(x, y)
                c = learner.certificate()
                assert c.regret <= c.bounds["hoeffding"] + 1e-9
                assert c.bounds["hoeffding"] <= c.bounds["Shalev-Shwartz (2012), Theorem 3.1"]
            assert c.holds


def test_bounds_of_the_text():
    """sqrt(T log d / 2) and 2 sqrt(T log d); d at most (e T / Ldim)^Ldim; a doubling costs 3.42."""
    H, T = FiniteClass.thresholds(40), 100
    d = littlestone_dimension(H)
    xs, ys = stream(H, T, 0)
    for rate, name, factor in (
        ("hoeffding", "hoeffding", 0.5**0.5),
        ("shalev-shwartz", "Shalev-Shwartz (2012), Theorem 3.1", 2.0),
    ):
        learner = AgnosticLearner(H, T, rate=rate, experts="ldim")
        count = learner.pool.count
        learner.run(xs, ys)
        expected = factor * math.sqrt(T * math.log(count))
        assert learner.certificate().bounds[name] == pytest.approx(expected, rel=1e-12)
        assert math.log(count) <= d * math.log(math.e * T / d)
    anytime = AgnosticLearner(H, experts="hypotheses")
    anytime.run(xs, ys)
    alpha = math.sqrt(math.log(len(H)) / 2)
    assert anytime.certificate().bound <= 2**0.5 / (2**0.5 - 1) * alpha * math.sqrt(T)


def test_periods_start_again():
    """In rounds 2^m, ..., 2^(m+1) - 1 it is the learner of horizon 2^m.

    Shalev-Shwartz (2012), section 2.3.1.
    """
    H = FiniteClass.thresholds(6)
    xs, ys = stream(H, 31, 2)
    for experts in ("ldim", "hypotheses"):
        run = AgnosticLearner(H, experts=experts).run(xs, ys)
        for m in range(5):
            part = slice(2**m - 1, 2 ** (m + 1) - 1)
            one = AgnosticLearner(H, 2**m, experts=experts).run(xs[part], ys[part])
            np.testing.assert_array_equal(one.predictions, run.predictions[part])


def test_whichever_are_fewer():
    """Many hypotheses of which one point tells nearly all: the dimension is 1."""
    H = FiniteClass.singletons(400)
    assert isinstance(AgnosticLearner(H, 30).pool, LdimExperts)
    assert AgnosticLearner(H, 30).pool.count == 31
    assert isinstance(AgnosticLearner(H, 398).pool, LdimExperts)
    assert isinstance(AgnosticLearner(H, 399).pool, Hedge)  # 400 experts of either kind
    assert isinstance(AgnosticLearner(FiniteClass.thresholds(400), 30).pool, Hedge)
    # by Sauer's lemma nobody needs a dimension to see this
    hard = FiniteClass.random(3000, 20, density=0.2, seed=0)
    assert isinstance(AgnosticLearner(hard, 20, limit=1).pool, Hedge)


def test_large_horizons():
    """10^4 rounds and dimension 5; and most of the regret is in the bound of the text."""
    H = FiniteClass.thresholds(40)
    random = np.random.default_rng(0)
    xs = random.integers(40, size=10_000)
    ys = (xs >= 17) ^ (random.random(10_000) < 0.3)
    learner = AgnosticLearner(H, 10_000, experts="ldim")
    run = learner.run(xs.tolist(), ys.astype(int).tolist())
    assert littlestone_dimension(H) == 5
    assert run.best == 17
    assert 0 < run.regret() < run.bound() < 600
    assert learner.certificate().regret == pytest.approx(run.regret(), rel=1e-9)


def test_coins_are_fixed_by_the_seed_and_fair():
    H = FiniteClass.cube(2)
    one, two, three = (AgnosticLearner(H, 2000, seed=s) for s in (1, 1, 2))
    drawn = []
    for t in range(2000):
        x, y = t % 2, (t // 2) % 2
        p = one.predict_proba_one(x)[1]
        label = one.predict_one(x)
        assert label == one.predict_one(x) == two.predict_one(x)
        drawn.append((label - p, label != three.predict_one(x)))
        for learner in (one, two, three):
            learner.learn_one(x, y)
    excess, differs = np.array(drawn).T
    assert abs(excess.sum()) <= 4 * math.sqrt(2000 / 4)
    assert differs.any()


def test_cover_defeats_labels_but_not_probabilities():
    """The adversary sees the probability, and the learner still has its bound.

    Shalev-Shwartz (2012), section 1.2.
    """
    H = FiniteClass([[0], [1]])
    learner, adversary = AgnosticLearner(H, 400), CoverAdversary()
    for _ in range(400):
        learner.learn_one(0, adversary.respond(learner.predict_proba_one(0)[1]))
    assert learner.certificate().regret <= math.sqrt(0.5 * math.log(2) * 400) + 1e-9
    assert learner.loss >= 200


# --- use -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("experts", ["ldim", "hypotheses"])
@pytest.mark.parametrize("horizon", [None, 40])
def test_copies_go_on_as_the_original(horizon, experts, tmp_path):
    H = FiniteClass.intervals(5)
    xs, ys = stream(H, 40, 3)
    learner = AgnosticLearner(H, horizon, experts=experts, seed=3)
    learner.run(xs[:13], ys[:13])
    learner.save(tmp_path / "it")
    copies = [
        learner.copy(),
        pickle.loads(pickle.dumps(learner)),
        AgnosticLearner.load(tmp_path / "it"),
    ]
    rest = learner.run(xs[13:], ys[13:])
    for copy in copies:
        again = copy.run(xs[13:], ys[13:])
        np.testing.assert_array_equal(again.predictions, rest.predictions)
        np.testing.assert_array_equal(again.bound_curve(), rest.bound_curve())
        assert copy.certificate() == learner.certificate()
    assert (rest.regret_curve() <= rest.bound_curve()).all()
    assert rest.certificate().holds
    assert learner.clone().rounds == 0
    whole = AgnosticLearner(H, horizon, experts=experts).run(xs, ys)
    np.testing.assert_array_equal(whole.predictions[13:], rest.predictions)
    # of what the theorem says of all rounds, less what was lost to that hypothesis before
    best = list(H.names).index(rest.best)
    before = whole.losses[:13].sum() - errors(H, tally(H, xs[:13], ys[:13]))[best]
    ahead = rest._bounds(None)["hoeffding"]
    np.testing.assert_allclose(ahead, whole.promised["hoeffding"][13:] - before)
    assert before != 0
    for name in H.names:  # against every hypothesis, in every round of the second run
        said = H.rows(np.array([H.names.index(name)]))[0]
        theirs = [abs(float(said[H.column(x)]) - y) for x, y in zip(xs[13:], ys[13:])]
        regret = np.cumsum(rest.losses - np.array(theirs))
        np.testing.assert_allclose(rest.regret_curve(name), regret, atol=1e-12)
        assert (regret <= rest.bound_curve(name)).all()


def test_what_is_wrong_changes_nothing():
    H = FiniteClass.thresholds(4)
    for experts in ("ldim", "hypotheses"):
        learner = AgnosticLearner(H, 3, experts=experts)
        learner.learn_one(1, 1)
        before = pickle.dumps(learner._learned())
        for x, y in ((9, 1), ({}, 1), (1, 2), (1, "1"), (1, None)):
            with pytest.raises(ValueError, match=r"x=|y="):
                learner.learn_one(x, y)
        with pytest.raises(ValueError, match="xs has 3 entries, but of horizon=3 rounds 1"):
            learner.run([1, 1, 1], [0, 0, 0])
        with pytest.raises(ValueError, match=r"ys\[1\]"):
            learner.run([1, 1], [0, 3])
        assert pickle.dumps(learner._learned()) == before
        learner.run([1, 2], [0, 0])
        for name, given in (
            ("predict_one", (1,)),
            ("predict_proba_one", (1,)),
            ("learn_one", (1, 1)),
        ):
            with pytest.raises(ValueError, match="all rounds of horizon=3"):
                getattr(learner, name)(*given)
    for options in (
        {"horizon": 0},
        {"rate": "best"},
        {"rate": -1.0},
        {"experts": "all"},
        {"seed": -1},
    ):
        with pytest.raises(ValueError, match=next(iter(options))):
            AgnosticLearner(H, **options)
    with pytest.raises(ValueError, match="rate"):
        LdimExperts(H, 3, rate=0.0)
    with pytest.raises(ValueError, match="hypothesis='nobody' is not one of"):
        LdimExperts(H, 3, rate=1.0).deviations("nobody", [1])


def test_empty_run_and_errors():
    H = FiniteClass.thresholds(3)
    run = AgnosticLearner(H, 5).run([], [])
    assert (run.loss, len(run.regret_curve()), run.best, run.bound()) == (0.0, 0, 0, 0.0)
    assert AgnosticLearner(H).certificate().regret == 0.0
    xs, ys = stream(H, 50, 0)
    direct = [sum(row[x] != y for x, y in zip(xs, ys)) for row in oracle.rows(H)]
    assert errors(H, tally(H, xs, ys)).tolist() == direct
