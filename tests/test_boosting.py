"""How votes are combined and examples weighed: against the text, by its identity and its bounds."""

import math
import pickle

import numpy as np
import pytest
from reference import boosting as by_hand
from scipy.stats import binom

from regretless import _core
from regretless.boosting.online import of_votings
from regretless.experts import AdaNormalHedge
from regretless.experts.chip_potentials import MinimaxPotential
from regretless.experts.drifting import ChipPlayer

KINDS = ("bbm", "adaboost_ol", "osboost", "osboost_ocp")
every_kind = pytest.mark.parametrize("kind", KINDS)
NASTY = ("random", "right", "wrong", "alternating", "late", "halves", "first only", "hit")
every_stream = pytest.mark.parametrize("stream", NASTY)


class Single:
    """The ensemble of one label, with votes in place of scores."""

    def __init__(self, kind, options):
        self.kind, self.options = kind, options
        self.core = _core.Ensembles(kind, options)
        self.voters = self.core.voters

    def state(self):
        return self.core.state()

    def restore(self, state):
        self.core.restore(state)

    def margin(self, votes):
        return self.core.margins(votes).item()

    def says(self, votes):
        return self.core.score(votes).item() >= 0

    def learn(self, votes, y, h):
        return self.core.learn(votes, np.array([y]), h)

    def measured(self):
        return self.core.measured(0)

    def clone(self):
        twin = Single(self.kind, self.options)
        twin.restore(self.state())
        return twin


def voting(kind, n, edge=0.1, *, weighted=True, seed=3, last=False):
    edges = [edge] if isinstance(edge, float) else list(edge)
    options = {"n": n, "edges": edges, "weighted": weighted, "seed": seed, "last": last}
    return Single(kind, options)


def right(stream, n, t, T, edge, rng):
    """1 where a voter is right in round t of T, else -1."""
    guesses = rng.choice([-1, 1], n)
    if stream == "late":  # Theorem 10: right with 1/2 + 2 edge, only chance at first
        return np.where(rng.random(n) < 0.5 + 2 * edge * (t > T // 4), 1, -1)
    return {
        "random": guesses,
        "right": np.ones(n),
        "wrong": -np.ones(n),
        "alternating": (-1) ** (np.arange(n) + t),
        "halves": np.where((np.arange(n) < n / 2) == t % 2, 1, -1),
        "first only": np.where(np.arange(n) == 0, 1, guesses),
    }[stream]


def hit(booster, y, h):
    """Each voter errs on what weighs much for it."""
    z = np.ones(booster.voters)
    for i in range(len(z)):
        z[i] = -1 if booster.clone().learn(y * z, y, h)[i] > 0.4 else 1
    return z


def play(booster, stream, T=300, weights=False, edge=0.1, seed=0):
    """Let it learn; answers (votes, y, importance, weights given) of every round."""
    rng = np.random.default_rng(seed)
    n, out = booster.voters, []
    for t in range(T):
        y = float(rng.choice([-1, 1]))
        h = float(rng.choice([0.25, 1.0, 3.0])) if weights else 1.0
        z = hit(booster, y, h) if stream == "hit" else right(stream, n, t, T, edge, rng)
        votes = np.ascontiguousarray(y * z, float)
        out.append((votes, y, h, booster.learn(votes, y, h)))
    return out


def certificate(kind, booster, last=False):
    return of_votings(kind, [booster.measured()], last)


# --- against the text --------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [1, 2, 7, 20])
@pytest.mark.parametrize("edge", [0.02, 0.2, 0.45])
def test_boost_by_majority_is_that_of_the_text(n, edge, weighted):
    booster = voting("bbm", n, edge, weighted=weighted)
    oracle = by_hand.BBM(n, 0.5 + (edge if weighted else edge / 2))
    for votes, y, _, weights in play(booster, "random", 60):
        # differences of tails next to 1, of which the smallest probability may be 1e-5
        np.testing.assert_allclose(weights, oracle.learn(votes, y), rtol=1e-9, atol=1e-12)
        assert booster.margin(votes) == votes.sum()
        assert booster.says(votes) == (oracle.label(votes) > 0)


@every_stream
@pytest.mark.parametrize("n", [1, 3, 12])
@pytest.mark.parametrize("weights", [False, True])
def test_adaboost_ol_is_that_of_the_text(n, stream, weights):
    booster, oracle = voting("adaboost_ol", n), by_hand.AdaBoostOL(n)
    last, logistic, wrong = voting("adaboost_ol", n, last=True), 0.0, np.zeros(n)
    for votes, y, h, found in play(booster, stream, 80, weights):
        scores = oracle.scores(votes)
        assert last.margin(votes) == pytest.approx(scores[-1], abs=1e-12)
        logistic += h * np.logaddexp(0.0, -y * scores[-1])
        wrong += h * (by_hand.sides(scores, votes) != y)
        # 80 steps of rounded sums in a recursion whose factors are at most 1
        np.testing.assert_allclose(found, oracle.learn(votes, y, h), rtol=1e-12)
        last.learn(votes, y, h)
    sums = booster.measured()
    np.testing.assert_allclose(sums["alpha"], oracle.alpha, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(sums["log_v"], np.log(oracle.v), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(sums["expert_mistakes"], wrong)
    assert sums["logistic"] == pytest.approx(logistic, rel=1e-12)
    np.testing.assert_array_equal(last.measured()["alpha"], sums["alpha"])
    assert last.measured()["mistakes"] == wrong[-1]


@every_stream
@pytest.mark.parametrize("n", [1, 3, 12])
@pytest.mark.parametrize("edge", [0.1, 0.4])
def test_osboost_is_that_of_the_text(n, edge, stream):
    even, oracle = voting("osboost", n, edge), by_hand.OSBoostOCP(n, edge)
    learned, wrong, uneven = voting("osboost_ocp", n, edge), 0.0, 0.0
    hinge, hinge_of_even, steps = 0.0, 0.0, 0.0
    for votes, y, h, found in play(even, stream, 80, weights=True):
        np.testing.assert_allclose(learned.measured()["alpha"], oracle.alpha, atol=1e-12)
        vote = float(oracle.alpha @ votes)
        assert learned.margin(votes) == pytest.approx(vote, abs=1e-12)
        # a vote that is even up to rounding may be either's
        wrong += h * (learned.says(votes) != (y > 0))
        uneven += h * (by_hand.OSBoost.label(oracle, votes) != y)
        hinge += h * max(0.0, oracle.theta - y * vote)
        hinge_of_even += h * max(0.0, oracle.theta - y * votes.mean())
        steps += (y * vote < oracle.theta) * h * h * n / (2 * math.sqrt(n * (oracle.t + 1)))
        weights = learned.learn(votes, y, h)
        np.testing.assert_array_equal(weights, found)
        np.testing.assert_allclose(weights, oracle.learn(votes, y, h), rtol=1e-13)
    assert learned.measured()["mistakes"] == wrong
    assert even.measured()["mistakes"] == uneven
    assert even.margin(votes) == votes.sum()
    regret = math.sqrt(n * 80) / 2 + steps
    assert hinge - hinge_of_even <= regret
    bound = (hinge_of_even + regret) / oracle.theta
    found = certificate("osboost_ocp", learned)
    trivial = learned.measured()["weight"].item()
    assert found.bounds["even weights"] == pytest.approx(min(bound, trivial), rel=1e-12)
    assert found.bounds["trivial"] == trivial
    assert found.holds


@every_kind
def test_what_is_measured_of_voters(kind):
    n = 6
    booster = voting(kind, n)
    rounds = play(booster, "random", 100, weights=True)
    sums = booster.measured()
    z = np.array([votes * y for votes, y, _, _ in rounds])
    h = np.array([each[2] for each in rounds])
    w = np.array([each[3] for each in rounds])
    assert sums["rounds"] == 100
    assert sums["weight"] == h.sum()
    assert sums["heaviest"] == 3.0
    np.testing.assert_allclose(sums["wrong"], h @ (z < 0))
    # of boost-by-majority the true weights, before they are divided by their largest
    scale = sums["weights"] / (h @ w)
    np.testing.assert_allclose(sums["correlation"], scale * (h @ (w * z)), atol=1e-12)
    if kind == "bbm":
        peaks = [max(binom.pmf(np.arange(n - i), n - 1 - i, 0.6)) / 2 for i in range(n)]
        np.testing.assert_allclose(scale, peaks, rtol=1e-12)
    else:
        np.testing.assert_allclose(scale, 1.0, rtol=1e-13)


def test_boost_by_majority_is_a_drifting_game():
    """Examples are chips, weak learners are rounds.

    Luo (2016), section 2.1.1, with B = {-1, 1} and L = 1{s <= 0}.
    """
    n, T, edge = 9, 50, 0.1
    booster = voting("bbm", n, edge)
    rng = np.random.default_rng(5)
    z = np.where(rng.random((T, n)) < 0.8, 1.0, -1.0)
    weights = np.array([booster.learn(row, 1.0, 1.0) for row in z])
    game = ChipPlayer(T, MinimaxPotential(lambda s: s <= 0, horizon=n, beta=2 * edge))
    assert booster.measured()["start"] * T == pytest.approx(game.potential, rel=1e-12)
    for i in range(n):
        expected = weights[:, i] / weights[:, i].sum()
        np.testing.assert_allclose(game.weights, expected, atol=1e-12)
        game.move(z[:, i])
    assert game.potential == booster.measured()["potential"]


def test_one_voter():
    for kind in KINDS:
        booster = voting(kind, 1, last=True)
        for votes, _, _, weights in play(booster, "random", 50):
            if kind != "adaboost_ol":  # there the first weighs 1/2, always
                np.testing.assert_array_equal(weights, 1.0)
                assert booster.says(votes) == (votes[0] > 0)


# --- identities and bounds -----------------------------------------------------------------------------


@every_stream
@pytest.mark.parametrize("n", [1, 2, 9, 20])
@pytest.mark.parametrize("weighted", [False, True])
def test_identity_of_boost_by_majority(n, stream, weighted):
    booster = voting("bbm", n, 0.15, weighted=weighted)
    rounds = play(booster, stream, 200, weights=True)
    sums, c = booster.measured(), certificate("bbm", booster)
    total = sums["weight"].item()
    # sums of 200 n numbers below 3, each known to n roundings
    assert abs(c.identity_gap) < 200 * n * n * 3 * 2.0**-52
    lost = sum(h * (y * votes.sum() <= 0) for votes, y, h, _ in rounds)
    assert sums["potential"] == lost
    assert sums["mistakes"] == sum(h * ((votes.sum() >= 0) != (y > 0)) for votes, y, h, _ in rounds)
    p = 0.65 if weighted else 0.575
    assert sums["start"] == pytest.approx(binom.cdf(n // 2, n, p), rel=1e-12)
    # the bound is the identity: equal to mistakes if even votes are all counted as such
    assert c.bounds["lemma 8"] == pytest.approx(lost, abs=1e-9 * total)
    assert c.bounds["theorem 9"] >= c.bounds["lemma 8"] - 1e-9 * total
    assert c.holds


@every_stream
@pytest.mark.parametrize("n", [1, 3, 12])
@pytest.mark.parametrize("weights", [False, True])
def test_theorem_11(n, stream, weights):
    booster, last = voting("adaboost_ol", n), voting("adaboost_ol", n, last=True)
    rounds = play(booster, stream, 300, weights)
    for votes, y, h, _ in rounds:
        last.learn(votes, y, h)
    c, sums = certificate("adaboost_ol", booster), booster.measured()
    assert c.holds
    assert certificate("adaboost_ol", last, last=True).holds
    low, high = c.inequalities["edges and losses"]
    T, H = sums["weight"].item(), 3.0 if weights else 1.0
    gammas = sums["correlation"] / (2 * sums["weights"])
    before = np.concatenate([[T], sums["expert_mistakes"][:-1]])
    assert low == pytest.approx(gammas**2 @ before + sums["logistic"].item())
    assert high == pytest.approx(T * math.log(2) + n * (2 + 4 * H**2) * math.sqrt(300))
    if not weights:  # the constant of Luo (2016), section 3.1.4: 2 for the way and 4 for the steps
        assert high == pytest.approx(T * math.log(2) + 6 * n * math.sqrt(T))
        assert sums["steps"].max() <= 4 * math.sqrt(T)
    best = sums["expert_mistakes"].min()
    low, high = c.inequalities["hedge"]
    assert low == sums["expected"]
    assert high == pytest.approx((best + math.log(n)) * H / (1 - math.exp(-H)))
    # what is drawn is what is expected, up to a martingale with steps of at most H
    gap = abs(c.mistakes - c.expected)
    assert gap <= H * math.sqrt(300 * math.log(2e9) / 2)


def test_regret_of_the_coefficients():
    """Of each alpha to the best fixed one: below what is paid for."""
    n, T = 4, 400
    booster = voting("adaboost_ol", n)
    oracle, z, s, played = by_hand.AdaBoostOL(n), [], [], np.zeros(n)
    for votes, y, _, _ in play(booster, "late", T):
        zs = y * votes
        sums = np.cumsum(np.array(oracle.alpha) * zs)
        played += np.logaddexp(0.0, -sums)
        z.append(zs)
        s.append(np.concatenate([[0.0], sums[:-1]]))
        oracle.learn(votes, y)
    alphas = np.linspace(-2, 2, 401)
    steps = booster.measured()["steps"]
    for i in range(n):
        before, right = np.array(s)[:, i, None], np.array(z)[:, i, None]
        best = np.logaddexp(0.0, -(before + alphas * right)).sum(axis=0).min()
        assert played[i] - best <= 2 * math.sqrt(T) + steps[i]
        assert steps[i] > 0.1


def test_the_printed_constant_is_too_small():
    """Slopes in [-1, 1] that make descent on [-2, 2] with steps 4 / sqrt t lose more than 4 sqrt T.

    They push alpha to and fro over 0, and away at the end. Section 3.1.4 has 4, of all such slopes.
    """
    T, alpha, lost, total = 10_000, 0.0, 0.0, 0.0
    for t in range(1, T + 1):
        slope = 1.0 if alpha > 0 or t > T - math.sqrt(T) / 2 else -1.0
        lost += slope * alpha
        total += slope
        alpha = max(-2.0, min(2.0, alpha - 4 / math.sqrt(t) * slope))
    regret = lost + 2 * abs(total)
    assert 4 * math.sqrt(T) < regret <= 6 * math.sqrt(T)


@every_stream
@pytest.mark.parametrize("n", [1, 5, 40])
@pytest.mark.parametrize("edge", [0.05, 0.3])
@pytest.mark.parametrize("kind", ["osboost", "osboost_ocp"])
def test_bounds_of_osboost(kind, n, edge, stream):
    booster = voting(kind, n, edge)
    play(booster, stream, 60 if stream == "hit" and n == 40 else 300, weights=True)
    assert certificate(kind, booster).holds


@every_kind
@every_stream
@pytest.mark.parametrize("edges", [0.05, 0.4, (0.05, 0.4)])
def test_no_bound_is_above_the_trivial_one(kind, edges, stream):
    if kind == "adaboost_ol" and edges != 0.05:  # it has no edges
        return
    booster = voting(kind, 3, edges)
    weight = sum(h for _, _, h, _ in play(booster, stream, 40, weights=True))
    c = certificate(kind, booster)
    assert max(c.bounds.values()) <= c.bounds["trivial"] == weight
    assert c.holds


def test_bound_of_osboost_says_something():
    """With voters that have the edge many of them make few mistakes, and the bound knows."""
    booster = voting("osboost", 400, 0.2)
    rng = np.random.default_rng(0)
    for _ in range(300):
        booster.learn(np.where(rng.random(400) < 0.7, 1.0, -1.0), 1.0, 1.0)
    c = certificate("osboost", booster)
    assert c.mistakes <= c.bound < 0.1 * 300


@pytest.mark.parametrize("kind", ["bbm", "osboost", "osboost_ocp"])
@every_stream
def test_several_edges(kind, stream):
    """A booster for each, and AdaNormalHedge over their mistakes in units of the largest weight."""
    edges, n = [0.05, 0.1, 0.4], 5
    booster = voting(kind, n, edges)
    alone, hedge, unit, missed = [voting(kind, n, e) for e in edges], AdaNormalHedge(3), 0.0, 0.0
    assert booster.voters == 15
    even = np.zeros(3, bool)  # the votes of all boosters decide where those of one are even
    for votes, y, h, weights in play(voting(kind, n, edges), stream, 120, weights=True):
        parts = votes.reshape(3, n)
        margins = np.array([b.margin(each) for b, each in zip(alone, parts)])
        even |= margins == 0
        share, says = hedge.weights, by_hand.sides(margins, votes) > 0
        assert booster.margin(votes) == pytest.approx(share @ says - 0.5, abs=1e-12)
        assert booster.says(votes) == (share @ says >= 0.5)
        missed += h * (booster.says(votes) != (y > 0))
        expected = np.concatenate([b.learn(each, y, h) for b, each in zip(alone, parts)])
        np.testing.assert_array_equal(booster.learn(votes, y, h), expected)
        np.testing.assert_array_equal(weights, expected)
        if h > unit:
            if unit:
                hedge.rescale(unit / h)
            unit = h
        hedge.update((says != (y > 0)) * h / unit)
        np.testing.assert_allclose(booster.measured()["shares"], hedge.weights, rtol=1e-12)
    sums, c = booster.measured(), certificate(kind, booster)
    assert c.holds
    assert c.mistakes == missed == sums["majority_mistakes"]
    for name in ("correlation", "weights", "wrong"):
        np.testing.assert_array_equal(
            sums[name], np.concatenate([b.measured()[name] for b in alone])
        )
    mistakes = sums["mistakes"].tolist()
    theirs = np.array([b.measured()["mistakes"].item() for b in alone])
    np.testing.assert_array_equal(sums["mistakes"][~even], theirs[~even])
    of_hedge = [hedge.certificate(comparator=u).bounds["ada-normal-hedge"] for u in np.eye(3)]
    regrets = [unit * each for each in of_hedge]
    best = min(m + r for m, r in zip(mistakes, regrets))
    assert c.bounds["best edge"] == pytest.approx(min(2 * best, sums["weight"][0]), rel=1e-12)
    assert 2 * min(mistakes) <= 2 * best


def test_the_best_edge_wins():
    """Voters of one booster are right, those of the other guess."""
    booster, rng = voting("bbm", 11, [0.1, 0.3]), np.random.default_rng(2)
    for _ in range(400):
        z = np.where(rng.random(22) < np.repeat([0.5, 0.8], 11), 1.0, -1.0)
        booster.learn(z, 1.0, 1.0)
    assert booster.measured()["shares"][1] > 0.999


# --- ties, and the link -------------------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize("raw", [[3.0, -1.0], [1.0, -3.0], [-1.0, 1.0], [0.0, 2.0], [0.0, 0.0]])
def test_scores_decide_even_votes(kind, raw):
    """Of two voters of which one is for the label: the sum of the scores, and 0 is for the label."""
    booster, raw = voting(kind, 2, last=True), np.array(raw)
    if np.all(raw <= 0) and kind != "adaboost_ol":  # at first there is no coefficient: all is even
        assert booster.margin(raw) < 0
        assert not booster.says(raw)
        return
    assert booster.margin(raw) == 0
    assert booster.says(raw) == (raw.sum() >= 0)
    booster.learn(raw, 1.0, 2.0)
    assert booster.measured()["mistakes"] == 2.0 * (raw.sum() < 0)
    if kind == "adaboost_ol":
        np.testing.assert_array_equal(
            booster.measured()["expert_mistakes"], 2.0 * (raw.sum() < 0) * np.ones(2)
        )


@pytest.mark.parametrize("kind", [*KINDS, "edges"])
@pytest.mark.parametrize("size", [1e-8, 1.0, 30.0])
@pytest.mark.parametrize("lanes", [1, 3])
def test_log_odds_are_those_of_the_link(kind, size, lanes):
    edges = [0.1, 0.3] if kind == "edges" else [0.1]
    options = {"n": 3, "edges": edges, "weighted": True, "seed": 0, "last": True}
    booster = _core.Ensembles("bbm" if kind == "edges" else kind, options)
    booster.relane([-1] * lanes)
    link, rng, n = by_hand.Link(lanes), np.random.default_rng(1), booster.voters
    for _ in range(200):
        y = np.where(np.arange(lanes) == rng.integers(lanes + (lanes == 1)), 1.0, -1.0)
        h = float(rng.choice([0.5, 1.0, 4.0]))
        raw = size * (rng.normal(size=(lanes, n)) + 0.7 * y[:, None])
        margins, scores = booster.margins(raw.ravel()), booster.score(raw.ravel())
        inputs = [(m, each.mean(), each[0]) for m, each in zip(margins, raw)]
        for k in range(lanes):
            # 200 steps of Newton's method with matrices whose condition is below 1e6
            expected = link.log_odds(k, inputs[k])
            says = by_hand.sides(margins[k], raw[k]) > 0
            assert (scores[k] >= 0) == says
            if (expected >= 0) == says:
                assert scores[k] == pytest.approx(expected, rel=1e-8, abs=1e-8)
            else:  # next to 0, on the side of the vote
                assert 0 < (1 if says else -1) * scores[k] <= 1e-9
        for k in range(lanes):
            link.learn(k, inputs[k], y[k], h)
        booster.learn(raw.ravel(), y, h)


def test_the_link_finds_the_probability():
    """Voters that are all right together with chance 3/4: the score is near ln 3."""
    booster, rng = voting("osboost", 20, 0.1), np.random.default_rng(0)
    for _ in range(3000):
        y = float(rng.choice([-1, 1]))
        booster.learn(np.full(20, y if rng.random() < 0.75 else -y), y, 1.0)
    score = booster.core.score(np.ones(20)).item()
    # a memory of 2000 rounds: five standard deviations of the log-odds of such a frequency
    assert abs(score - math.log(3)) < 5 / math.sqrt(1000 * 0.75 * 0.25)
    assert booster.core.score(-np.ones(20)).item() == pytest.approx(-score)


# --- numerics, purity, copies -------------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize("stream", ["right", "wrong", "random", "halves"])
@pytest.mark.parametrize("edge", [1e-6, 0.1, 0.4999])
def test_many_voters(kind, stream, edge):
    n = 500
    booster = voting(kind, n, edge)
    for votes, _, _, weights in play(booster, stream, 30):
        assert np.all((weights >= 0) & (weights <= 1))
        assert math.isfinite(booster.margin(votes))
        assert math.isfinite(booster.core.score(votes).item())
    c = certificate(kind, booster)
    assert c.holds
    assert all(np.isfinite(each).all() for each in booster.measured().values())
    if kind == "bbm":
        assert abs(c.identity_gap) < 30 * n * n * 2.0**-52


@pytest.mark.parametrize("n", [60, 300])
def test_tails_of_long_tables(n):
    """Weights by binomial tails where factorials overflow, also those far from the largest."""
    booster, p, y = voting("bbm", n, 0.3), 0.8, 1.0
    votes = np.ones(n)
    expected = []
    for i in range(1, n + 1):
        k = math.floor((n - i - (i - 1) + 1) / 2)
        top = binom.logpmf(min(n - i, int((n - i + 1) * p)), n - i, p)
        expected.append(binom.logpmf(k, n - i, p) - top if k >= 0 else -math.inf)
    with np.errstate(divide="ignore"):
        found = np.log(booster.learn(votes, y, 1.0))
    # scipy's logarithms of factorials of n are known to 1e-15 of their size
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * n)


def test_who_predicts_is_drawn_by_mistakes():
    counts, votes = np.zeros(3), -np.ones(3)
    chance = np.array([math.exp(-1), 1, 1]) / (2 + math.exp(-1))
    for seed in range(3000):
        booster = voting("adaboost_ol", 3, seed=seed)
        booster.learn(np.array([1.0, -1.0, 1.0]), 1.0, 0.5)  # alpha is (1, -1, 1) then
        # sums of 1, 0 and -1: the first expert is wrong, the scores decide for the second
        booster.learn(np.array([1.0, 1.0, -10.0]), -1.0, 1.0)
        scores = np.cumsum(booster.measured()["alpha"] * votes)
        assert np.abs(np.subtract.outer(scores, scores)[np.triu_indices(3, 1)]).min() > 0.1
        found = int(np.argmin(np.abs(scores - booster.margin(votes))))
        assert found == np.searchsorted(np.cumsum(chance), _core.drawn(seed, 2, 0))
        counts[found] += 1
    # five standard deviations
    assert np.all(np.abs(counts / 3000 - chance) < 5 * np.sqrt(chance * (1 - chance) / 3000))
    drawn = np.array([_core.drawn(seed, 7, 0) for seed in range(3000)])
    assert abs(drawn.mean() - 0.5) < 5 / math.sqrt(12 * 3000)
    assert drawn.min() >= 0
    assert drawn.max() < 1


@pytest.mark.parametrize("kind", [*KINDS, "edges"])
def test_copies(kind):
    booster = voting("bbm", 5, [0.1, 0.3]) if kind == "edges" else voting(kind, 5)
    play(booster, "random", 40, weights=True)
    twins = [booster.clone(), booster.clone()]
    twins[1].core = pickle.loads(pickle.dumps(booster.core))
    twins.append(voting("bbm", 5, [0.1, 0.3]) if kind == "edges" else voting(kind, 5))
    twins[-1].restore(booster.state())
    before = booster.state()
    booster.core.score(np.ones(booster.voters))
    np.testing.assert_array_equal(booster.state(), before)  # to predict changes nothing
    expected = play(booster, "random", 40, weights=True, seed=1)
    for twin in twins:
        found = play(twin, "random", 40, weights=True, seed=1)
        np.testing.assert_array_equal([f[3] for f in found], [e[3] for e in expected])
        np.testing.assert_array_equal(twin.state(), booster.state())
    with pytest.raises(ValueError, match=r"numbers, not|of another"):
        booster.restore(before[:-1])
    with pytest.raises(ValueError, match=r"is not a|damaged"):
        booster.restore(np.full(len(before), np.nan))


def test_bad_scores():
    booster = _core.Ensembles("bbm", {"n": 3, "edges": [0.1], "weighted": True})
    for raw in ([1.0, 1.0], [1.0, math.inf, 1.0], [1.0, 1.0, math.nan]):
        with pytest.raises(ValueError, match="a number was expected of each voter"):
            booster.score(np.array(raw))
        with pytest.raises(ValueError, match="a number was expected of each voter"):
            booster.learn(np.array(raw), np.array([1.0]), 1.0)
    with pytest.raises(ValueError, match="a label of -1 or 1"):
        booster.learn(np.ones(3), np.array([0.5]), 1.0)
    with pytest.raises(ValueError, match="no such lane"):
        booster.relane([0, 1])
    assert booster.measured(0)["rounds"] == 0
    with pytest.raises(ValueError, match="no booster"):
        voting("stump", 3)
