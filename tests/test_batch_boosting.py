"""Batch boosting: against an oracle and scikit-learn, by its theorems, and in special rounds."""

import math

import numpy as np
import pytest
from reference import batch_boosting as by_hand
from scipy import sparse

from regretless.boosting import AdaBoost, NHBoost, NHBoostDT
from regretless.boosting.stump_search import SortedColumns, StumpSearch
from regretless.experts import NormalHedge, NormalHedgeDT

BOOSTERS = [AdaBoost, NHBoost, NHBoostDT]
boosters = pytest.mark.parametrize("cls", BOOSTERS)


def data(kind, n=90, d=5, noise=0.15, seed=0):
    """Features and signs; sums of features decide, some labels are flipped."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    if kind == "binary":
        X = (rng.normal(size=d) < X) * 1.0
    elif kind == "few":
        X = np.round(X)
    elif kind == "sparse":
        X[rng.random((n, d)) < 0.7] = 0
    elif kind == "mixed":  # constant, duplicate, binary, real, integer
        X[:, 0] = 2.0
        X[:, 1] = X[:, 2] = X[:, 2] > 0
        X[:, 4] = np.round(X[:, 4] * 2)
    score = X @ rng.normal(size=d) + 0.3 * rng.normal(size=n)
    signs = np.where(score > np.median(score), 1.0, -1.0)
    signs[rng.random(n) < noise] *= -1
    return X, signs


KINDS = ("binary", "few", "real", "sparse", "mixed")
kinds = pytest.mark.parametrize("kind", KINDS)


def as_tuple(stump):
    return stump.feature, stump.threshold, stump.below, stump.above


# --- the search ----------------------------------------------------------------------------------


@kinds
@pytest.mark.parametrize("n", [2, 7, 90, 200])  # from 65 on real features are searched otherwise
def test_stumps_are_the_best_of_all(kind, n):
    rng = np.random.default_rng(n)
    for seed in range(5):
        X, signs = data(kind, n, seed=seed, noise=0.4)
        search = StumpSearch(SortedColumns.of(X), signs)
        for p in (np.ones(n) / n, rng.random(n) * (rng.random(n) < 0.6) + (np.arange(n) == 0)):
            expected, edge = by_hand.best_stump(X, signs, p)
            assert as_tuple(search.fit(p)) == expected
            assert search._core.best(p)[4] == pytest.approx(edge, abs=1e-14)


@kinds
def test_examples_of_weight_0_are_as_if_not_there(kind):
    X, signs = data(kind, 150)
    p = np.random.default_rng(0).random(150) * (np.arange(150) % 3 > 0)
    found = StumpSearch(SortedColumns.of(X), signs).fit(p)
    alone = StumpSearch(SortedColumns.of(X[p > 0]), signs[p > 0]).fit(p[p > 0])
    # thresholds lie in the middle of values, some of which are not there
    assert (found.feature, found.below, found.above) == (alone.feature, alone.below, alone.above)
    votes = found.votes(SortedColumns.of(X))[p > 0]
    assert np.array_equal(votes, alone.votes(SortedColumns.of(X[p > 0])))


def test_ties_go_to_the_constant_then_to_the_first():
    X = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    signs = np.array([-1.0, 1.0, -1.0, 1.0])
    assert as_tuple(StumpSearch(SortedColumns.of(X), signs).fit(np.ones(4))) == (1, 0.5, -1, 1)
    assert as_tuple(StumpSearch(SortedColumns.of(X), np.ones(4)).fit(np.ones(4))) == (
        None,
        0.0,
        1,
        1,
    )
    # an edge of 0: the constant +1
    xor = np.array([-1.0, 1.0, 1.0, -1.0])
    assert as_tuple(StumpSearch(SortedColumns.of(X), xor).fit(np.ones(4))) == (None, 0.0, 1, 1)


def test_thresholds_separate_neighbours_of_any_size():
    for low, high in (
        (1.0, np.nextafter(1.0, 2)),
        (-1.7e308, 1.7e308),
        (-5e-324, 0.0),
        (0, 5e-324),
    ):
        X = np.array([[low], [high]])
        stump = StumpSearch(SortedColumns.of(X), np.array([-1.0, 1.0])).fit(np.ones(2))
        assert stump.votes(SortedColumns.of(X)).tolist() == [-1.0, 1.0], (low, high)


# --- the rounds ----------------------------------------------------------------------------------


@boosters
@kinds
@pytest.mark.parametrize("weighted", [False, True])
def test_every_round_against_the_oracle(cls, kind, weighted):
    X, signs = data(kind)
    weights = np.random.default_rng(1).uniform(0.5, 2, len(X)) if weighted else np.ones(len(X))
    model = cls(rounds=12).fit(X, signs, sample_weight=weights)
    prior = weights / weights.sum()
    p, stumps, edges, alphas, errors, margins = by_hand.boost(cls.__name__, X, signs, prior, 12)
    # round by round: an ulp in a weight may tip the balance between equally good stumps
    assert [as_tuple(s) for s in model.stumps_] == stumps
    np.testing.assert_allclose(model.edges_, edges, rtol=1e-9)
    np.testing.assert_allclose(model.alphas_, alphas, rtol=1e-9)
    np.testing.assert_allclose(model.errors_, errors, atol=1e-14)
    np.testing.assert_allclose(model.margins(X, signs), margins, atol=1e-12)
    np.testing.assert_allclose(model.zero_weights_, (p == 0).mean(axis=1))


@boosters
@pytest.mark.parametrize("seed", range(3))
def test_weights_of_any_hypotheses(cls, seed):
    """The rule alone, for hypotheses that are no stumps and often worse than chance."""
    rng = np.random.default_rng(seed)
    prior = rng.random(40) + 0.1
    prior /= prior.sum()
    weighing = cls()._weighing(prior)
    agreed, edges, alphas = [], [], []
    for _ in range(60):
        p = weighing.weights
        expected = by_hand.weights(cls.__name__, prior, agreed, edges, alphas)
        np.testing.assert_allclose(p, expected, rtol=1e-8, atol=1e-12)
        agrees = rng.random(40) < rng.choice([0.3, 0.6, 0.8])
        right, wrong = p[agrees].sum(), p[~agrees].sum()
        alphas.append(weighing.learn(agrees, right, wrong))
        agreed.append(np.where(agrees, 1.0, -1.0))
        edges.append((right - wrong) / 2)


class Recorder:
    """A weak learner that notes which examples it got with which weights."""

    def __init__(self):
        self.seen = []

    def __deepcopy__(self, memo):
        return self

    def fit(self, X, y, sample_weight):
        w = np.zeros(90)
        w[X[:, 0].astype(int)] = sample_weight / sample_weight.sum()
        self.seen.append(w)
        self.turn = len(self.seen)
        assert sample_weight.mean() == pytest.approx(1.0)
        assert (sample_weight > 0).all()

    def predict(self, X):
        drawn = np.random.default_rng(self.turn).random(90)
        return np.where(drawn[X[:, 0].astype(int)] < 0.5, -1, 1)


@pytest.mark.parametrize(("cls", "player"), [(NHBoostDT, NormalHedgeDT), (NHBoost, NormalHedge)])
def test_examples_are_experts_whose_loss_is_1_where_they_are_right(cls, player):
    """And not where they are wrong, as printed (docs/errata.md)."""
    signs = np.where(np.arange(90) % 3 == 0, -1, 1)
    X = np.arange(90.0)[:, None]
    weak = Recorder()
    cls(rounds=30, weak=weak).fit(X, signs)
    experts, printed = player(90), player(90)
    distance = 0.0
    for t, w in enumerate(weak.seen):
        np.testing.assert_allclose(w, experts.weights, rtol=1e-9, atol=1e-15)
        distance = max(distance, np.abs(w - printed.weights).max())
        weak.turn = t + 1
        h = weak.predict(X)
        experts.update((h == signs).astype(float))
        printed.update((h != signs).astype(float))
    assert distance > 0.005


def test_the_printed_loss_does_not_boost():
    """As printed in section 2.2 the error stays where the bound of Theorem 3 is long below it."""
    rng = np.random.default_rng(0)
    X = (rng.random((200, 3)) < 0.5) * 1.0
    signs = np.where(X.sum(axis=1) > 1.5, 1.0, -1.0)
    for loss, boosts in ((1.0, True), (-1.0, False)):
        player, score, edges = NormalHedgeDT(200), np.zeros(200), []
        for _ in range(300):
            p = player.weights
            votes = StumpSearch(SortedColumns.of(X), signs).fit(p).votes(SortedColumns.of(X))
            score += votes
            edges.append(0.5 * np.sum(p * votes * signs))
            player.update((votes * signs == loss).astype(float))
        bound = 1.4 * (math.log(300) + 1) / math.expm1(300 * np.mean(edges) ** 2 / 3)
        assert (np.mean(score * signs <= 0) <= bound) == boosts


# --- theorems ------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.5])
@kinds
def test_training_error_of_every_round_is_within_its_bound(kind, noise):
    X, signs = data(kind, 120, noise=noise, seed=3)
    T = np.arange(1, 201)
    model = NHBoostDT(rounds=200).fit(X, signs)
    mean = np.cumsum(model.edges_) / T
    thesis = (math.exp(4 / 3) - 1) * (np.log(T) + 1) / 2  # c_T of Luo (2016), Theorem 3
    assert (model.errors_ <= thesis / np.expm1(T * mean**2 / 3)).all()
    ada = AdaBoost(rounds=200).fit(X, signs)
    assert (ada.errors_ <= np.cumprod(np.sqrt(1 - 4 * ada.edges_**2)) + 1e-12).all()
    for t in (1, 2, 5, 20, 60):
        for cls in BOOSTERS:
            part = cls(rounds=t).fit(X, signs)
            certificate = part.certificate()
            assert certificate.holds
            assert certificate.error == part.errors_[-1]
            margins = part.margins(X, signs)
            for theta in (-0.2, 0.0, 0.1, 0.3):
                assert certificate.margin_error(theta) == pytest.approx(np.mean(margins <= theta))
                assert np.mean(margins <= theta) <= certificate.margin_bound(theta) + 1e-9
    # the sum of Luo (2016), Theorem 3 is sharper than its logarithm
    last = NHBoostDT(rounds=200).fit(X, signs).certificate()
    assert min(last.bounds.values()) <= min(1.0, thesis[-1] / math.expm1(200 * mean[-1] ** 2 / 3))
    assert last.edge == pytest.approx(mean[-1])


def test_the_margin_bound_has_12_where_3_is_printed():
    X = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    certificate = NHBoostDT(rounds=600).fit(X, X.sum(axis=1) > 1).certificate()
    gap = 2 * certificate.edge - 0.05
    c = np.expm1(4 / (3 * np.arange(1, 601))).sum() / 2
    assert certificate.margin_bound(0.05) == pytest.approx(c / math.expm1(600 * gap**2 / 12))
    assert certificate.margin_bound(0.05) < 0.1
    assert certificate.margin_bound(2 * certificate.edge) == 1.0


def test_a_bound_that_fails_is_told():
    X, signs = data("real", 100)
    model = NHBoostDT(rounds=50).fit(X, signs)
    assert model.certificate().holds
    ensemble = model._ensembles[0]
    ensemble.edges = ensemble.edges + 0.4
    assert not model.certificate().holds
    ensemble.edges = ensemble.edges - 0.4
    ensemble.margins = ensemble.margins - 1.0
    assert model.certificate().margin_error(0.0) == pytest.approx(1.0)
    assert not model.certificate().holds


@pytest.mark.parametrize(("cls", "player"), [(NHBoostDT, NormalHedgeDT), (NHBoost, NormalHedge)])
def test_regrets_are_margins(cls, player):
    """`R_i = T (mean edge) - T margin_i / 2`: an identity, which the theorem rests on."""
    X, signs = data("few")
    weighing = player(90)
    for stump in cls(rounds=40).fit(X, signs).stumps_:
        h = by_hand.predictions(as_tuple(stump), X)
        weighing.update((h == signs).astype(float))
    model = cls(rounds=40).fit(X, signs)
    expected = model.edges_.sum() - 20 * model.margins(X, signs)
    np.testing.assert_allclose(weighing.regrets, expected, atol=1e-11)


def test_margins_approach_the_best():
    """Three votes of which two are right: margins of 1/3 = 2 gamma are the best there are."""
    X = np.eye(3)[:, :] * 2.0 - 1.0
    signs = np.array([1.0, 1.0, 1.0])
    X, signs = np.vstack([-X, X]), np.concatenate([signs, -signs])
    margins = [NHBoostDT(rounds=T).fit(X, signs).margins(X, signs).min() for T in (30, 300, 3000)]
    assert 1 / 3 - 0.02 < margins[-1] <= 1 / 3
    assert margins[0] <= margins[-1] + 0.05


@boosters
def test_a_short_run_begins_a_long_one(cls):
    X, signs = data("real")
    short, long = cls(rounds=15).fit(X, signs), cls(rounds=40).fit(X, signs)
    assert short.stumps_ == long.stumps_[:15]
    assert np.array_equal(short.edges_, long.edges_[:15])
    assert np.array_equal(short.errors_, long.errors_[:15])


# --- special rounds ------------------------------------------------------------------------------


def test_a_perfect_stump():
    X = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 0.0]])
    y = ["a", "a", "b", "b"]
    ada = AdaBoost(rounds=10).fit(X, y)
    assert (len(ada.stumps_), ada.alphas_.tolist(), ada.edges_.tolist()) == (1, [1.0], [0.5])
    assert ada.certificate().margin_bound(0.0) == 0.0
    for cls in (NHBoost, NHBoostDT):
        model = cls(rounds=10).fit(X, y)
        assert model.edges_.tolist() == [0.5] * 10
        assert model.errors_.tolist() == [0.0] * 10
        assert model.margins(X, y).tolist() == [1.0] * 4
        assert model.certificate().holds


class Late:
    """Wrong in two rounds, right in the third."""

    calls = 0

    def __deepcopy__(self, memo):
        return self

    def fit(self, X, y, sample_weight):
        Late.calls += 1

    def predict(self, X):
        right = np.where(X[:, 0] > 1.5, 1, -1)
        flip = np.arange(len(X)) == Late.calls
        return right if Late.calls == 3 else np.where(flip, -right, right)


def test_a_perfect_hypothesis_decides_alone():
    X, y = np.arange(4.0)[:, None], [-1, -1, 1, 1]
    Late.calls = 0
    model = AdaBoost(rounds=10, weak=Late()).fit(X, y)
    assert model.alphas_.tolist() == [0.0, 0.0, 1.0]
    assert model.edges_.tolist()[-1] == 0.5
    assert model.errors_.tolist()[-1] == 0.0
    assert model.margins(X, y).tolist() == [1.0] * 4
    certificate = model.certificate()
    assert (certificate.margin_bound(0.0), certificate.margin_bound(0.99), certificate.holds) == (
        0.0,
        0.0,
        True,
    )


def test_useless_stumps():
    """Exclusive or: no stump is better than chance."""
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 1, 1, 0]
    ada = AdaBoost(rounds=10).fit(X, y)
    assert ada.stumps_ == []
    assert ada.errors_.tolist() == []
    assert ada.predict(X).tolist() == [1] * 4  # sign(0) = +1
    assert (ada.certificate().margin_bound(0.0), ada.certificate().holds) == (1.0, True)
    for cls in (NHBoost, NHBoostDT):
        model = cls(rounds=10).fit(X, y)
        assert abs(model.edges_[0]) < 1e-15
        assert model.certificate().holds
        assert len(model.stumps_) == 10


def test_alphas_are_negative_for_hypotheses_below_chance():
    class Wrong:
        def fit(self, X, y, sample_weight):
            pass

        def predict(self, X):
            return np.where(X[:, 0] > 0, -1, 1)

    X, signs = data("real", noise=0.0, d=1)
    signs[:10] *= -1
    model = AdaBoost(rounds=1, weak=Wrong()).fit(X, signs)
    sure = AdaBoost(rounds=1).fit(X, signs)
    assert abs(model.alphas_[0]) <= sure.alphas_[0] + 1e-12
    assert model.errors_[0] == np.mean((X[:, 0] > 0) != (signs > 0)) or model.alphas_[0] > 0
    assert model.certificate().holds


@boosters
def test_sparse_dense_and_other_forms_are_the_same(cls):
    X, signs = data("sparse")
    model = cls(rounds=20).fit(X, signs)
    for form in (sparse.csr_array, sparse.csc_matrix, np.asfortranarray):
        other = cls(rounds=20).fit(form(X), signs)
        assert other.stumps_ == model.stumps_
        assert np.array_equal(other.decision_function(form(X)), model.decision_function(X))
