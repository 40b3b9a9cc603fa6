"""What the boosters do with weak learners: all kinds of them, sampled, as objects and as lanes."""

import math
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from reference.boosters import BOOSTERS, THREE, W, X, Y, every_booster
from reference.naive_bayes import NaiveBayes
from river import linear_model, naive_bayes, tree
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import BernoulliNB

from regretless import _core, boosting, classes, linear, newton, rules
from regretless import river as facade
from regretless.base.adapters import takes_weights
from regretless.base.rows import Form
from regretless.base.state import load
from regretless.boosting import (
    AdaBoostOL,
    DecisionStump,
    NeuralNet,
    OnlineBBM,
    OSBoost,
    OSBoostOCP,
    Stump,
)
from regretless.boosting.copies import VotingModel
from regretless.classes import FiniteClass
from regretless.linear import KernelPerceptron, LinearClassifier, Perceptron


def dicts(X):
    return [{f"f{j}": v for j, v in enumerate(row)} for row in X.tolist()]


class Lookout:
    """A weak learner that is right with a probability, whatever it learns; it keeps what it gets."""

    def __init__(self, right=1.0):
        self.right, self.rng, self.got = right, np.random.default_rng(0), []

    def learn_one(self, x, y, w=1.0):
        self.got.append((x["t"], y, w))

    def predict_one(self, x):
        return (x["y"] > 0) == (self.rng.random() < self.right)


class WithoutWeights(Lookout):
    def learn_one(self, x, y):
        super().learn_one(x, y)


# --- what boosters do with weak learners ----------------------------------------------------------


@every_booster
def test_votes_weights_and_scores_are_the_voting(make):
    """The ensemble by hand: ask all, let the votes be weighed, teach each with its weight."""
    booster = make(weak=Perceptron())
    voting = _core.Ensembles(booster._kind, booster._voting(True) | {"n": booster.n})
    weak = [Perceptron() for _ in range(voting.voters)]
    for t, (x, y, w) in enumerate(zip(dicts(X), Y.tolist(), W.tolist())):
        raw = np.array([m.decision_one(x) for m in weak])
        if t:
            assert booster.decision_one(x) == voting.score(raw)
            assert booster.predict_one(x) == (voting.score(raw) >= 0)
        weights = voting.learn(raw, np.array([1.0 if y else -1.0]), w)
        for m, p in zip(weak, weights):
            if p > 0:
                m.learn_one(x, y, p * w)
        booster.learn_one(x, y, w)
    np.testing.assert_equal(booster._measured(), [voting.measured(0)])
    for mine, theirs in zip(weak, booster.weak_, strict=True):
        assert mine.weights_ == theirs.weights_
    assert booster.examples_ == 120
    assert booster.certificate().holds
    sums = voting.measured(0)
    used = sums["weights"] > 0  # the last of those that agree always has nothing to learn
    expected = sums["correlation"][used] / (2 * sums["weights"][used])
    np.testing.assert_allclose(booster.edges_[used], expected)
    np.testing.assert_array_equal(booster.edges_[~used], 0.0)


@pytest.mark.parametrize("make", [BOOSTERS["bbm"], BOOSTERS["osboost"]])
def test_one_weak_learner_is_itself(make):
    booster, alone = make(weak=Perceptron(), n=1), Perceptron()
    for x, y in zip(dicts(X), Y.tolist()):
        if alone.examples_:
            assert booster.predict_one(x) == alone.predict_one(x)
        booster.learn_one(x, y)
        alone.learn_one(x, y)
    assert booster.weak_[0].weights_ == alone.weights_


@pytest.mark.parametrize("booster", [OnlineBBM, OSBoost, AdaBoostOL])
def test_boosting_boosts(booster):
    """Theorem 10's weak learners, right with 0.65 independently of each other and of the past."""
    model = booster(Lookout(0.65), n=41)
    draws = np.random.default_rng(1)
    for each, weak in enumerate(model.weak_):
        weak.rng = np.random.default_rng(each)
    T = 400
    for t in range(T):
        y = int(draws.integers(2))
        model.learn_one({"y": y, "t": t}, y)
    c = model.certificate()
    assert c.holds
    # the majority of 41 errs in 2.4 % of the cases, one of them in 35 %
    assert c.mistakes < 0.15 * T
    if booster is OnlineBBM:
        # what is learned does not matter: five standard deviations of a binomial count
        error = sum(math.comb(41, k) * 0.65**k * 0.35 ** (41 - k) for k in range(21))
        assert abs(c.mistakes - T * error) < 5 * math.sqrt(T * error) + 1
        assert c.mistakes <= c.bound
        assert c.bound == pytest.approx(c.mistakes, abs=1e-6)  # n is odd: no vote is even


def test_sampled():
    """With probability p and the whole weight, as often as p says."""
    n, T, w = 9, 600, 2.0
    model = OnlineBBM(Lookout(0.7), n=n, sampled=True, seed=4)
    for each, weak in enumerate(model.weak_):
        weak.rng = np.random.default_rng(each)
    sent = np.zeros(n)
    for t in range(T):
        model.learn_one({"y": t % 2, "t": t}, t % 2, w)
        sent += [bool(m.got and m.got[-1][0] == t) for m in model.weak_]
    sums = model._measured()[0]
    assert sums["bias"] == pytest.approx(0.1)  # Lemma 6, not Eq. 3.3
    assert OnlineBBM(Lookout()).certificate().identity_gap == 0
    # sum of p from the true weights
    largest = [max(_pmf(n - 1 - i, 0.55)) / 2 for i in range(n)]
    expected = sums["weights"] / np.array(largest) / w
    assert np.all(np.abs(sent - expected) < 5 * np.sqrt(np.minimum(expected, T) / 4 + 1))
    assert all(got[2] == w for m in model.weak_ for got in m.got)
    again = OnlineBBM(Lookout(0.7), n=n, sampled=True, seed=5)
    for t in range(50):
        again.learn_one({"y": t % 2, "t": t}, t % 2, w)
    assert [len(m.got) for m in again.weak_] != [
        sum(t < 50 for t, _, _ in m.got) for m in model.weak_
    ]


def test_who_gets_a_sample():
    """Each weak learner of each label has draws of its own, which seed and round decide."""
    n, seed, w, signs = 3, 4, 1.5, (-1, 1, 1)
    model = OSBoost(Lookout(), n=n, sampled=True, seed=seed)
    for label in "abc":
        model._add(label)
    ensembles = model._model._ensembles.clone()
    learned, got = np.zeros((3, n), bool), [[[] for _ in range(n)] for _ in range(3)]
    for t, label in enumerate(np.random.default_rng(0).integers(3, size=60).tolist()):
        x = {"t": t, "y": int(label == 1)}
        said = np.where(learned, np.multiply(signs, 2.0 * x["y"] - 1.0)[:, None], -1.0)
        targets = np.where(np.arange(3) == label, 1.0, -1.0)
        weights = ensembles.learn(said.ravel(), targets, w).reshape(3, n)
        for k, (target, p) in enumerate(zip(targets, weights)):
            for i in range(n):
                if _core.drawn(seed, t, 1 + k * n + i) < p[i]:
                    got[k][i].append((t, signs[k] * target > 0, w))
                    learned[k, i] = True
        model.learn_one(x, "abc"[label], w)
    assert [[m.got for m in model.weak_[label]] for label in "abc"] == got
    assert 0 < len(got[0][2]) < 60


def _pmf(m, p):
    return [math.comb(m, k) * p**k * (1 - p) ** (m - k) for k in range(m + 1)]


def test_weak_learners_without_weights_are_sampled():
    n, T, w = 5, 600, 2.5
    assert not takes_weights(WithoutWeights())
    model = OSBoost(WithoutWeights(0.7), n=n)
    for each, weak in enumerate(model.weak_):
        weak.rng = np.random.default_rng(each)
    for t in range(T):
        model.learn_one({"y": t % 2, "t": t}, t % 2, w)
    expected = model._measured()[0]["weights"]  # the sum of p w
    found = np.array([len(m.got) for m in model.weak_])
    assert found[0] == pytest.approx(T * w, abs=5 * math.sqrt(T / 4))
    assert np.all(np.abs(found - expected) < 5 * math.sqrt(T / 4))
    bias = OnlineBBM(WithoutWeights())._measured()[0]["bias"]
    assert bias == pytest.approx(0.1)
    assert OnlineBBM(Lookout())._measured()[0]["bias"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    "weak",
    [
        linear_model.LogisticRegression(),
        linear_model.Perceptron(),
        tree.HoeffdingTreeClassifier(grace_period=20),
        naive_bayes.GaussianNB(),  # takes no weights
    ],
    ids=lambda weak: type(weak).__name__,
)
@pytest.mark.parametrize("labels", [Y, THREE], ids=["two", "three"])
def test_weak_learners_of_river(weak, labels):
    booster = AdaBoostOL(weak, n=3)
    right = 0
    for x, y in zip(dicts(X), labels.tolist()):
        right += booster.step(x, y) == y
    assert right > 0.5 * len(X)
    assert booster.certificate().holds
    assert isinstance(booster.weak_ if labels is Y else booster.weak_["pear"], list)
    pickle.loads(pickle.dumps(booster))
    with pytest.raises(ValueError, match=r"cannot be saved to a file.* a pickle can"):
        booster.save("never.written")


@pytest.mark.parametrize(
    "weak",
    [
        SGDClassifier(random_state=0),
        BernoulliNB(),
        SklearnPerceptron(random_state=0),  # takes no weights
    ],
    ids=lambda weak: type(weak).__name__,
)
@pytest.mark.parametrize("labels", [Y, THREE], ids=["two", "three"])
@pytest.mark.parametrize("sparse", [False, True])
def test_weak_learners_of_sklearn(weak, labels, sparse):
    count = 20
    labels = labels[:count]
    rows = sp.csr_array(X[:count]) if sparse else X[:count]
    most = max(np.unique(labels, return_counts=True)[1]) / count
    booster = OnlineBBM(weak, n=3).fit(rows, labels)
    assert np.mean(booster.predict(rows) == labels) > most
    one = OnlineBBM(weak, n=3)
    one.partial_fit(rows[:0], labels[:0], classes=labels)
    for t in range(count):
        one.learn_one(rows[t : t + 1], labels[t])
    np.testing.assert_array_equal(one.decision_function(rows), booster.decision_function(rows))
    p = booster.predict_proba(rows)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert booster.predict_one(rows[:1] if sparse else X[0]) == booster.predict(rows[:1])[0]
    assert not hasattr(weak, "classes_")  # what was given is left as it was
    with pytest.raises(ValueError, match="give x as a vector"):
        booster.learn_one({"a": 1.0}, labels[0])
    with pytest.raises(ValueError, match="not finite"):
        booster.learn_one([1.0, math.nan, 0.0, 0.0], labels[0])


@every_booster
@pytest.mark.parametrize("make_weak", [BernoulliNB, NaiveBayes])
def test_weak_learners_of_sklearn_are_told_classes_and_weights(make, make_weak):
    """The ensemble by hand, and what each of its learners has counted."""
    booster = make(weak=make_weak())
    voting = _core.Ensembles(booster._kind, booster._voting(True) | {"n": booster.n})
    weak = [make_weak() for _ in range(voting.voters)]
    for x, y, w in zip(X[:20], Y[:20].tolist(), W[:20].tolist()):
        told = [hasattr(m, "classes_") and m.predict([x])[0] for m in weak]
        votes = np.where(told, 1.0, -1.0)
        for m, p in zip(weak, voting.learn(votes, np.array([1.0 if y else -1.0]), w)):
            if p > 0:
                m.partial_fit(x[None], [y], classes=[False, True], sample_weight=np.array([p * w]))
        booster.learn_one(x, y, w)
    np.testing.assert_equal(booster._measured(), [voting.measured(0)])
    for mine, theirs in zip(weak, booster.weak_, strict=True):
        assert hasattr(mine, "classes_") == hasattr(theirs, "classes_")
        if hasattr(mine, "classes_"):
            np.testing.assert_array_equal(theirs.classes_, [False, True])
            np.testing.assert_array_equal(theirs.feature_count_, mine.feature_count_)


# --- every learner of the library -----------------------------------------------------------------


NEEDS = {  # learners that cannot be made without arguments
    "AgnosticLearner": lambda: classes.AgnosticLearner(FiniteClass([[0, 1], [1, 1]])),
    "SOA": lambda: classes.SOA(FiniteClass([[0, 1], [1, 1]])),
    "BothSigns": lambda: boosting.BothSigns(Stump()),
}
VOTES = {  # those that can vote; all others are refused
    "AdaBoostOL",
    "AutoClassifier",
    "BalancedWinnow",
    "DecisionStump",
    "Forest",
    "KernelPerceptron",
    "LinearClassifier",
    "MarginPerceptron",
    "NeuralNet",
    "NewtonClassifier",
    "OSBoost",
    "OSBoostOCP",
    "OnlineBBM",
    "OnlineSVM",
    "PNormPerceptron",
    "PassiveAggressive",
    "Perceptron",
    "PrimalDual",
    "Stump",
    "Tree",
    "Winnow",
}


def learners():
    """All public learners, of examples or of what they are made for, by name."""
    for room in (linear, newton, boosting, classes):
        for name in room.__all__:
            kind = getattr(room, name)
            if isinstance(kind, type) and any(
                hasattr(kind, each) for each in ("learn_one", "partial_fit", "fit")
            ):
                yield name, NEEDS.get(name, kind)


@pytest.mark.parametrize("booster", [OnlineBBM, AdaBoostOL, OSBoost, OSBoostOCP])
@pytest.mark.parametrize(("name", "make"), sorted(learners()), ids=lambda v: str(v)[:20])
def test_every_learner_votes_or_is_refused_at_once(name, make, booster):
    """Whether x_0 > 1/2: a learner that is accepted errs clearly less than a coin."""
    if name not in VOTES:
        with pytest.raises(ValueError, match=r"weak=.*(regressor|has neither|does not learn)"):
            booster(make())
        return
    model = booster(make(), n=3)
    rng, wrong = np.random.default_rng(0), 0
    for t in range(200):
        a, b = rng.random(2).tolist()
        wrong += t >= 50 and model.predict_one({"a": a, "b": b}) != (a > 0.5)
        model.learn_one({"a": a, "b": b}, a > 0.5)
    assert wrong < 150 * 0.3  # 5 standard deviations of a coin
    assert model.certificate().holds


@pytest.mark.parametrize("weak", [Stump(), DecisionStump(), NeuralNet(seed=3)], ids=repr)
@pytest.mark.parametrize("booster", [OnlineBBM, AdaBoostOL, OSBoost, OSBoostOCP])
def test_stumps_and_networks_learn_targets_of_both_signs(weak, booster):
    """False is -1 and True is 1, each with its weight; the prediction is the score."""
    model = booster(weak, n=3)
    copies = [weak.clone() for _ in range(3)]
    ensemble = _core.Ensembles(model._kind, model._voting(True) | {"n": 3})
    for t, (x, y, w) in enumerate(zip(dicts(X), Y.tolist(), W.tolist())):
        raw = np.array([each.predict_one(x) for each in copies])
        if t:
            assert model.decision_one(x) == ensemble.score(raw)
        weights = ensemble.learn(raw, np.array([1.0 if y else -1.0]), w)
        for each, p in zip(copies, weights):
            if p > 0:
                each.learn_one(x, 1.0 if y else -1.0, p * w)
        model.learn_one(x, y, w)
    np.testing.assert_equal(model._measured(), [ensemble.measured(0)])


def test_the_snippet_of_a_user():
    """A stump that asks one feature, for a label that is the sign of one feature."""
    rng, model, wrong = np.random.default_rng(0), OnlineBBM(DecisionStump()), 0
    for x in rng.normal(size=(300, 3)).tolist():
        wrong += model.predict_one(x) != (x[0] > 0)
        model.learn_one(x, x[0] > 0)
    # the mean of the values seen is 0.4 off after 6 and 0.06 after 300: some 5 %
    assert wrong < 30


# --- lanes of one table and objects do the same ---------------------------------------------------


class Copied(LinearClassifier):
    """One that is boosted as an object, because it is not quite a `LinearClassifier`."""


def close(found, expected):
    # sums of some hundred doubles that the votes alone decide: votes are the same unless a score of a
    # weak learner, in floats, is within rounding of 0
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@every_booster
@pytest.mark.parametrize("labels", [Y, THREE], ids=["two", "three"])
@pytest.mark.parametrize("sampled", [False, True])
@pytest.mark.parametrize("rule", ["adagrad", "ogd"])
def test_lanes_do_what_copies_do(make, labels, sampled, rule):
    lanes = make(weak=LinearClassifier(rule=rule), sampled=sampled, seed=3)
    copied = make(weak=Copied(rule=rule), sampled=sampled, seed=3)
    for booster in (lanes, copied):
        booster.learn_many(X[:60], labels[:60], W[:60])
        for x, y, w in zip(X[60:], labels[60:].tolist(), W[60:].tolist()):
            booster.learn_one(x, y, w)
    assert isinstance(copied._model, VotingModel)
    assert isinstance(lanes._model, _core.Learner)
    close(lanes.decision_function(X), copied.decision_function(X))
    assert lanes.classes_.tolist() == copied.classes_.tolist()
    for ours, theirs in zip(lanes._measured(), copied._measured(), strict=True):
        for name in theirs:
            close(ours[name], theirs[name])
    for total in ("examples_", "weight_", "updates_", "loss_"):
        close(getattr(lanes, total), getattr(copied, total))
    assert lanes.certificate().holds


PENALTIES = {"l1": 1e-3, "l2": 1e-2}
RULES = {  # every rule, in all its ways
    "coin": {"rule": rules.Coin()},
    "AdaGrad": {"rule": rules.AdaGrad()},
    "AdaGrad as published": {"rule": rules.AdaGrad(0.3, invariant=False)},
    "AdaGrad, scales": {"rule": rules.AdaGrad(0.3, scale_invariant=True)},
    "AdaGrad, scales, as published": {
        "rule": rules.AdaGrad(0.3, scale_invariant=True, invariant=False)
    },
    "AdaGrad, penalties": {"rule": rules.AdaGrad(0.3), **PENALTIES},
    "ogd": {"rule": rules.OGD(0.1)},
    "ogd, invariant": {"rule": rules.OGD(0.1, invariant=True)},
    "ogd, penalties": {"rule": rules.OGD(0.1), **PENALTIES},
    "ogd, radius": {"rule": rules.OGD(0.1, radius=0.5)},
    "ogd, lazy": {"rule": rules.OGD(0.1, lazy=True), "l1": 1e-3},
    "ftrl": {"rule": rules.FTRL(), "l1": 0.1, "l2": 0.1},
    "pnorm": {"rule": rules.PNorm()},
    "eg": {"rule": rules.EG()},
}
NAPS = {  # boosters that give weak learners many weights of 0
    "bbm": lambda weak, **o: OnlineBBM(weak, n=9, edge=0.2, **o),
    "bbm, two edges": lambda weak, **o: OnlineBBM(weak, n=3, edge=None, **o),
    "osboost, sampled": lambda weak, **o: OSBoost(weak, n=5, sampled=True, **o),
    "adaboost, sampled": lambda weak, **o: AdaBoostOL(weak, n=6, sampled=True, **o),
}


@pytest.mark.parametrize("make", NAPS.values(), ids=NAPS)
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize("labels", [Y, THREE], ids=["two", "three"])
def test_weak_learners_do_not_look_at_what_weighs_nothing(make, rule, labels):
    """Lanes are objects bit for bit, for every rule: nothing of an example of weight 0 is noted.

    With at most three entries a row, which lanes and single learners add up in the same order, and
    the hinge loss, whose slopes are exact.
    """
    few = X[:, :2] * np.array([1.0, 50.0]) * np.linspace(1, 30, len(X))[:, None]  # scales grow
    weak = {**rule, "loss": "hinge"}
    lanes, copied = make(LinearClassifier(**weak), seed=5), make(Copied(**weak), seed=5)
    for x, y, w in zip(few, labels.tolist(), W.tolist()):
        lanes.learn_one(x, y, w)
        copied.learn_one(x, y, w)
        assert lanes.decision_one(x) == copied.decision_one(x)
    np.testing.assert_equal(lanes._measured(), copied._measured())
    last = copied._model.weak[-1]
    assert min(weak.examples_ for weak in last) < max(weak.examples_ for weak in last)


@pytest.mark.parametrize("rule", rules.RULES)
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_every_rule_can_be_boosted(rule, loss):
    weak = LinearClassifier(rule=rule, loss=loss, intercept=False)
    lanes = AdaBoostOL(weak, n=4).fit(X, Y)
    copied = AdaBoostOL(Copied(**weak.get_params()), n=4).fit(X, Y)
    close(lanes.decision_function(X), copied.decision_function(X))


def test_lanes_read_what_their_weak_learner_reads():
    """Hashing, names and the intercept are its own, and what is wrong with it is said by it."""
    weak = LinearClassifier(features="hashed", bits=4, names=2, intercept=False)
    model = OnlineBBM(weak, n=3)
    assert model.form() == Form(bits=4, intercept=False, named=True, names=2)
    other = OnlineBBM(Perceptron(features="hashed"), n=3)
    assert other.form() == Form(intercept=False)
    for t in range(40):
        model.learn_one({f"word{t % 20}": 1.0}, t % 2)
    assert model._model.weights().size == 2**4 + 1
    assert model.intercept_ == 0
    for bad in ({"loss": "squared"}, {"features": "all"}, {"bits": 40}, {"rate": 1.0}):
        with pytest.raises(ValueError, match=min(bad)):
            OnlineBBM(LinearClassifier(**bad)).learn_one({"a": 1}, True)


def test_what_lanes_and_objects_have_to_show():
    lanes, objects = OnlineBBM(n=3).fit(X, Y), OnlineBBM(Perceptron(), n=3).fit(X, Y)
    assert not hasattr(lanes, "weak_")
    with pytest.raises(AttributeError, match="lanes of one table"):
        _ = lanes.weak_
    one = OnlineBBM(n=1).fit(X, Y)
    assert one.weights_ == pytest.approx(LinearClassifier().fit(X, Y).weights_, rel=1e-6)
    assert len(lanes.weights_) == 4
    with pytest.raises(ValueError, match="one set each"):
        _ = objects.weights_
    for model in (lanes, objects):
        assert model.loss_ > 0
        assert model.__sizeof__() > 200


def test_loss_is_the_log_loss_of_the_log_odds():
    for weak in (None, Perceptron(), SGDClassifier(random_state=0)):
        model = AdaBoostOL(weak, n=3)
        model.partial_fit(X[:1], Y[:1], classes=[False, True])
        lost = model.loss_
        for x, y, w in zip(X[1:], Y[1:].tolist(), W[1:].tolist()):
            lost += w * np.logaddexp(0.0, model.decision_one(x) * (-1 if y else 1))
            model.learn_one(x, y, w)
        assert model.loss_ == pytest.approx(lost, rel=1e-12)
        assert model.weight_ == 1 + W[1:].sum()


@pytest.mark.parametrize("weak", [None, Perceptron(), tree.HoeffdingTreeClassifier()], ids=repr)
def test_validated_in_batches(weak):
    """What `validate_many` tells of a batch is what `step` and the scores tell, one by one."""
    many, one = OnlineBBM(weak, n=3), OnlineBBM(weak, n=3)
    for booster in (many, one):
        booster.learn_many(X[:20], Y[:20])
    (outcome,) = many.validate_many(X[20:], Y[20:], W[20:])
    for t, (x, y, w) in enumerate(zip(X[20:], Y[20:].tolist(), W[20:].tolist())):
        score = one.decision_one(x)
        assert outcome.losses[t] == pytest.approx(np.logaddexp(0.0, -score if y else score))
        assert outcome.probability[t] == pytest.approx(1 / (1 + math.exp(-score)))
        assert outcome.wrong[t] == (one.step(x, y, w) != y)
    assert one.loss_ == pytest.approx(many.loss_)


def test_a_booster_of_boosters(tmp_path):
    model = OnlineBBM(AdaBoostOL(LinearClassifier(rule="ogd"), n=2), n=3).fit(X, Y)
    model.save(tmp_path / "m")
    again = load(tmp_path / "m")
    assert repr(again) == repr(model)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert np.mean(model.predict(X) == Y) > 0.8


def test_files_that_only_a_pickle_can_be(tmp_path):
    for weak in (Copied(), facade.LinearClassifier(), KernelPerceptron(kernel=np.matmul)):
        with pytest.raises(ValueError, match=r"cannot be saved"):
            OnlineBBM(weak, n=2).save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("weak", [LinearClassifier, Copied])
def test_a_weak_learner_without_an_opinion_votes_against(weak):
    """Whichever label it tells from the rest: mirrored lanes know nothing of a new feature, either."""
    model = OnlineBBM(weak(rule="ogd", intercept=False), n=3, edge=0.1)
    for y in ("b", "a"):
        model.learn_one({"x": 1.0 if y == "a" else -1.0}, y)
        assert model.decision_one({"new": 1.0}) < 0
    model.learn_one({"z": 1.0}, "c")
    assert max(model.decision_one({"new": 1.0})) < 0
