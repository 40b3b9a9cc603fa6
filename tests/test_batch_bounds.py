"""Bounds of online to batch against true risks: selection, known learners, the formulas."""

import copy
import math

import numpy as np
import pytest
from reference.batches import CLASSIFIERS, blobs, iterates, rows_of

from regretless.batch import online_to_batch
from regretless.batch import predictor as bounds
from regretless.linear import Perceptron

# -- selection -----------------------------------------------------------------------------------


def selected(learner, examples, schedule, delta, loss_bound=1.0):
    """Exercise 8.10 as it is written: T^2 evaluations, nothing kept."""
    T = len(examples)
    every = list(iterates(learner, examples))
    played = [every[s] for s in schedule]
    penalised = []
    for i, h in enumerate(played):
        m = sum(float(h.predict_one(x) != y) for x, y in examples[i:])
        n = T - i
        penalised.append(m / n + loss_bound * math.sqrt(math.log(T * (T + 1) / delta) / (2 * n)))
    mean = sum(float(h.predict_one(x) != y) for h, (x, y) in zip(played, examples)) / T
    return played[int(np.argmin(penalised))], min(penalised), mean


@pytest.mark.parametrize("learner", CLASSIFIERS, ids=repr)
@pytest.mark.parametrize("seed", [0, 1])
def test_selection_is_that_of_the_naive_oracle(learner, seed):
    X, y = blobs(60, seed=seed)
    examples = list(zip(rows_of(X), y.tolist()))
    predictor = online_to_batch(learner, examples, "select", delta=0.1, copies=60)
    expected, penalised, mean = selected(learner, examples, range(60), 0.1)
    assert predictor.bounds["penalised"] == pytest.approx(penalised, rel=1e-12)
    assert predictor.empirical == pytest.approx(mean, rel=1e-12)
    probe = rows_of(blobs(50, seed=9)[0])
    assert [predictor.hypothesis.decision_one(x) for x in probe] == [
        expected.decision_one(x) for x in probe
    ]
    assert predictor.bounds["Mohri et al. (2018), eq. 8.31"] == mean + 6 * math.sqrt(
        math.log(2 * 61 / 0.1) / 60
    )


def test_with_few_copies_the_theorem_is_about_those_that_play():
    X, y = blobs(60)
    examples = list(zip(rows_of(X), y.tolist()))
    starts = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 41, 51]
    schedule = [max(s for s in starts if s <= t) - 1 for t in range(1, 61)]
    expected, penalised, mean = selected(Perceptron(), examples, schedule, 0.05)
    predictor = online_to_batch(Perceptron(), examples, "select", copies=4)
    assert predictor.bounds["penalised"] == pytest.approx(penalised, rel=1e-12)
    assert predictor.empirical == pytest.approx(mean, rel=1e-12)
    probe = rows_of(X[:1])[0]
    assert predictor.hypothesis.decision_one(probe) == expected.decision_one(probe)


# -- a learner whose hypotheses and risks are known ------------------------------------------------


class Counter:
    """Predicts how many examples it has seen."""

    def __init__(self):
        self.seen = 0

    def learn_one(self, x, y):
        self.seen += 1

    def predict_one(self, x):
        return float(self.seen)


class RunningMean:
    """Follow the leader of the squared loss: the mean of the targets so far, 1/2 at first."""

    def __init__(self):
        self.sum, self.count = 0.0, 0

    def learn_one(self, x, y):
        self.sum += y
        self.count += 1

    def predict_one(self, x):
        return self.sum / self.count if self.count else 0.5


class Threshold:
    """Labels points above a random threshold, drawn anew after a mistake."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.at = 0.0

    def learn_one(self, x, y):
        if self.predict_one(x) != y:
            self.at = self.rng.random()

    def predict_one(self, x):
        return x["x"] > self.at

    def predict_proba_one(self, x):
        return {self.predict_one(x): 1.0}

    def risk(self):
        return 0.1 + 0.8 * abs(self.at - 0.5)  # labels are x > 1/2, one in ten is wrong


def noisy_thresholds(rounds, rng):
    x = rng.random(rounds)
    y = (x > 0.5) ^ (rng.random(rounds) < 0.1)
    return [({"x": float(a)}, bool(b)) for a, b in zip(x, y)]


def coins(rounds, rng):
    return [({}, float(rng.random() < 0.3)) for _ in range(rounds)]


def coin_risk(c):
    return 0.21 + (c - 0.3) ** 2  # E (c - y)^2, y = 1 with probability 0.3


def test_the_random_iterate_is_uniform():
    T, trials = 8, 1600
    examples = [({}, 0.0)] * T
    drawn = [
        online_to_batch(Counter(), examples, "random", seed=seed, loss_bound=100.0).predict_one({})
        for seed in range(trials)
    ]
    counts = np.bincount(np.array(drawn, int), minlength=T)
    assert len(counts) == T  # h_{T+1}, which has seen all, is not among them
    chi_square = ((counts - trials / T) ** 2 / (trials / T)).sum()
    assert chi_square < 24.3  # chi-square with 7 degrees of freedom is above that once in 1000


def test_an_average_of_what_is_not_linear():
    examples = [({}, 0.0)] * 10
    mean = online_to_batch(Counter(), examples, copies=10, loss_bound=100.0)
    assert mean.predict_one({}) == pytest.approx(4.5)  # the mean of 0 .. 9
    assert mean.empirical == pytest.approx(np.mean(np.arange(10) ** 2))
    few = online_to_batch(Counter(), examples, copies=2, loss_bound=100.0)
    # copies are made in rounds 1, 2, 3, 4, 6, 9 and play until the next
    assert few.predict_one({}) == pytest.approx(np.mean([0, 1, 2, 3, 3, 5, 5, 5, 8, 8]))
    assert len(few.hypothesis.members) == 6
    assert few.predict(np.zeros((2, 1))) == pytest.approx([few.predict_one({})] * 2)


def test_last_is_the_learner_at_the_end():
    last = online_to_batch(Counter(), [({}, 0.0)] * 10, "last", loss_bound=100.0)
    assert last.predict_one({}) == 10.0
    assert last.risk_bound == math.inf
    assert last.theorem.startswith("none")


DELTA, TRIALS = 0.2, 200
ALLOWED = DELTA + 3 * math.sqrt(DELTA * (1 - DELTA) / TRIALS)  # of a binomial's standard errors


def failures(how, data, learner, risk, **options):
    """How often the risk exceeds each bound, and how often the mean loss alone."""
    above, naive = {}, 0
    for seed in range(TRIALS):
        rng = np.random.default_rng([seed, 7])
        predictor = online_to_batch(
            learner(seed), data(50, rng), how, delta=DELTA, seed=seed, copies=50, **options
        )
        true = risk(predictor)
        proved = predictor.mean_risk_bounds if how == "random" else predictor.bounds
        for name, bound in proved.items():
            above[name] = above.get(name, 0) + (true > bound)
        naive += true > predictor.empirical
        assert predictor.holds is None  # of the examples' independence nobody can tell
        assert predictor.risk_bound == min(predictor.bounds.values(), default=math.inf)
    return {name: count / TRIALS for name, count in above.items()}, naive / TRIALS


def test_the_bound_of_averages_fails_as_seldom_as_it_says():
    shares, naive = failures(
        "average", coins, lambda seed: RunningMean(), lambda p: coin_risk(p.predict_one({}))
    )
    assert set(shares) == {"Mohri et al. (2018), Lemma 8.14", "Azuma"}
    assert max(shares.values()) <= ALLOWED
    assert naive > DELTA  # so the simulation is able to see a bound fail


def test_the_bound_of_random_iterates_is_about_their_mean_risk():
    risks = []

    class Remembering(Threshold):
        def __deepcopy__(self, memo):
            twin = Remembering(0)
            twin.rng, twin.at = copy.deepcopy(self.rng), self.at
            return twin

        def predict_one(self, x):
            risks.append(self.risk())
            return super().predict_one(x)

    def mean_risk(predictor):
        # two predictions a round, one charged and one in learning, of the same hypothesis
        mean = np.mean(risks)
        risks.clear()
        return mean

    shares, naive = failures("random", noisy_thresholds, Remembering, mean_risk)
    assert max(shares.values()) <= ALLOWED
    assert naive > DELTA


def test_nothing_is_claimed_of_the_one_that_is_drawn():
    """The bound on the mean over all draws is no bound on one of them: it fails far too often."""
    shares, _ = failures("random", noisy_thresholds, Threshold, lambda p: p.hypothesis.risk())
    assert max(shares.values()) > DELTA
    drawn = online_to_batch(Threshold(0), noisy_thresholds(50, np.random.default_rng(0)), "random")
    assert (drawn.bounds, drawn.risk_bound) == ({}, math.inf)


@pytest.mark.parametrize("how", ["select", "validate"])
def test_the_bounds_of_a_choice_fail_as_seldom_as_they_say(how):
    shares, _ = failures(how, noisy_thresholds, Threshold, lambda p: p.hypothesis.risk())
    assert max(shares.values()) <= ALLOWED


def test_a_choice_by_the_mean_loss_alone_would_fail():
    """The penalties and the union bound are needed: without them the same simulation fails."""
    for how, bound in (("select", "penalised"), ("validate", "Hoeffding")):
        wrong = 0
        for seed in range(TRIALS):
            examples = noisy_thresholds(50, np.random.default_rng([seed, 7]))
            p = online_to_batch(Threshold(seed), examples, how, delta=DELTA, copies=50)
            candidates = p.examples + 1 if how == "validate" else None
            width = (
                math.sqrt(math.log(candidates / DELTA) / 20)
                if candidates
                else bounds.penalty(50, 50, DELTA)
            )
            wrong += p.hypothesis.risk() > p.bounds[bound] - width
        assert wrong / TRIALS > ALLOWED, how


def test_the_bound_of_amplification_fails_as_seldom_as_it_says():
    shares, _ = failures(
        "amplify", coins, lambda seed: RunningMean(), lambda p: coin_risk(p.predict_one({}))
    )
    assert max(shares.values()) <= ALLOWED


def test_the_excess_of_an_average_is_bounded_by_the_regret():
    wrong = 0
    for seed in range(TRIALS):
        examples = coins(50, np.random.default_rng(seed))
        p = online_to_batch(RunningMean(), examples, delta=DELTA, copies=50)
        y = np.array([target for _, target in examples])
        regret = p.empirical * 50 - ((y - y.mean()) ** 2).sum()
        wrong += coin_risk(p.predict_one({})) - 0.21 > p.excess_bound(regret)
    assert wrong / TRIALS <= ALLOWED
    expected = regret / 50 + math.sqrt(2 * math.log(2 / DELTA) / 50)
    assert p.excess_bound(regret) == pytest.approx(expected, rel=1e-14)


def test_amplification_runs_on_parts_of_their_own():
    examples = [({"t": float(t)}, float(t)) for t in range(40)]

    class Diary(RunningMean):
        def __init__(self):
            super().__init__()
            self.days = []

        def learn_one(self, x, y):
            super().learn_one(x, y)
            self.days.append(x["t"])

    p = online_to_batch(Diary(), examples, "amplify", delta=0.25, loss_bound=1e4, holdout=0.25)
    assert bounds.runs_needed(0.25) == 3
    trained = [t for t in range(40) if t % 4 != 3]  # every fourth is held out
    assert p.learner.days in [trained[k::3] for k in range(3)]
    assert p.examples == 10
    held = [t for t in range(40) if t % 4 == 3]
    mean = np.mean([(p.predict_one({}) - t) ** 2 for t in held])
    width = 1e4 * math.sqrt(math.log(3 / 0.25) / 20)
    assert p.risk_bound == pytest.approx(mean + width, rel=1e-12)


# -- the formulas ----------------------------------------------------------------------------------


def test_formulas_of_the_texts():
    assert bounds.average_risk(0.2, 400, 0.1, 3.0) == pytest.approx(
        {
            "Mohri et al. (2018), Lemma 8.14": 0.2 + 3 * math.sqrt(2 * math.log(10) / 400),
            "Azuma": 0.2 + 3 * math.sqrt(math.log(10) / 800),
        }
    )
    T, N, delta = 400, 9, 0.1
    excess = bounds.average_excess(math.sqrt(T * math.log(N) / 2), T, delta)
    # exponential weights: Mohri et al. (2018), Theorem 8.15, the corollary
    assert excess["Mohri et al. (2018), eq. 8.28"] == pytest.approx(
        math.sqrt(math.log(N) / (2 * T)) + 2 * math.sqrt(2 * math.log(2 / delta) / T)
    )
    assert bounds.average_excess(8.0, T, delta, 3.0)["Azuma and Hoeffding"] == pytest.approx(
        0.02 + 3 * math.sqrt(2 * math.log(20) / T)
    )
    assert bounds.margin_risk(0.2, 0.5, 81.0, 400, 0.1) == pytest.approx(
        0.2 + 9 / (0.5 * 400) + 6 * math.sqrt(math.log(2 * 401 / 0.1) / 400)
    )
    assert bounds.amplified_excess(0.1, 50, 6, 0.05, 2.0) == pytest.approx(
        0.2 + 2 * 2 * math.sqrt(math.log(4 * 6 / 0.05) / 100)
    )
    with pytest.raises(ValueError, match=r"runs=5 is too few for delta=0\.05: 6 are needed"):
        bounds.amplified_excess(0.1, 50, 5, 0.05)


@pytest.mark.parametrize("T", [1, 2, 3, 10, 1000])
@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-6])
def test_the_penalties_add_up_to_no_more_than_the_text_has(T, delta):
    mean = sum(2 * bounds.penalty(x, T, delta) for x in range(1, T + 1)) / T
    assert mean <= 4 * math.sqrt(math.log((T + 1) / delta) / T)
    # the bookkeeping of confidences: for one or two rounds the bound is trivial
    if T <= 2:
        assert bounds.selected_risk(0.0, 0.0, T, delta)["Mohri et al. (2018), eq. 8.31"] > 1
