"""The Perceptron: traces, averages, votes, passes, and how often it can be wrong."""

import copy
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.comparison import weights_of
from reference.perceptron import AveragedPerceptron, VotedPerceptron
from reference.perceptron_games import FIVE, SIGNS, noisy, separable, signed, unhurried
from scipy.sparse import csr_array

from regretless import rules
from regretless.adversaries import ExponentialInstance, UnitVectors, play
from regretless.batch import online_to_batch
from regretless.linear import (
    LinearClassifier,
    Perceptron,
)

AVERAGES = ("none", "survival", "uniform", "vote")
every_average = pytest.mark.parametrize("average", AVERAGES)


# -- averages and votes ---------------------------------------------------------------------------


def test_averages_of_the_golden_trace():
    """W = 0, (1, 2), (2, 1), (2, 1), (2, 1) are played, (1, 2) and (2, 1) are distinct.

    Mohri et al. (2018), section 8.3.1.
    """
    expected = {"none": [2, 1], "survival": [1.4, 1.0], "uniform": [1.5, 1.5], "vote": [2, 1]}
    for average, weights in expected.items():
        model = signed(Perceptron(average=average, intercept=False)).partial_fit(FIVE, SIGNS)
        np.testing.assert_allclose(weights_of(model, 2), weights, rtol=1e-15)
        assert model.updates_ == 2
    # (1, 2) was the vector after 1 round and (2, 1) after 4: of (1, -1) they say -1 and +1
    assert model.decision_one([1.0, -1.0]) == (4 - 1) / 5
    assert model.predict_one([1.0, -1.0]) == 1


@st.composite
def streams(draw):
    rounds, d = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    values = st.sampled_from([0.0, 0.0, 1.0, -1.0, 0.5, -0.125])
    X = draw(st.lists(values, min_size=rounds * d, max_size=rounds * d))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=rounds, max_size=rounds))
    h = draw(st.lists(st.sampled_from([1.0, 0.0, 2.0, 0.5]), min_size=rounds, max_size=rounds))
    return np.array(X).reshape(rounds, d), y, h


@unhurried
@given(streams(), st.sampled_from(AVERAGES[1:]))
def test_averages_agree_with_the_oracle(stream, average):
    """On a grid nothing is rounded but the division: 1e-12 is a few thousand ulps of it."""
    X, y, h = stream
    model = signed(Perceptron(average=average, intercept=False))
    kind = VotedPerceptron if average == "vote" else AveragedPerceptron
    oracle = kind(X.shape[1], average=average)
    for x, label, w in zip(X, y, h):
        assert model.decision_one(x) == pytest.approx(oracle.predict(x), rel=1e-12, abs=1e-12)
        assert model.step(x, label, w) == (1 if oracle.predict(x) >= 0 else -1)
        oracle.learn(x, label, w)
    probe = np.array([0.25, -1.5, 3.0])[: X.shape[1]]
    assert model.decision_one(probe) == pytest.approx(oracle.predict(probe), rel=1e-12, abs=1e-12)
    assert model.updates_ == len(oracle.updates)
    assert model.loss_ == oracle.suffered


def test_the_average_of_a_long_run_does_not_drift():
    """100,000 rounds: the sum of all weights by hand, and by T w minus the second sum."""
    rng = np.random.default_rng(0)
    X = rng.integers(-8, 9, (100_000, 3)) / 8
    y = np.where(X @ [1.0, -0.5, 0.25] + rng.normal(size=len(X)) > 0, 1, -1)
    model = signed(Perceptron(average="survival", intercept=False)).partial_fit(X, y)
    w, total, steps, updates = np.zeros(3), np.zeros(3), np.zeros(3), 0
    for t, (x, label) in enumerate(zip(X, y)):
        total += w
        if label * (w @ x) <= 0:
            w = w + label * x
            # Mohri et al. (2018), section 8.3.1: the weight of an update at s is T - s
            steps += (len(X) - t - 1) * label * x
            updates += 1
    # all sums are multiples of 1/8 below 2^53: exact; the quotient is rounded twice
    np.testing.assert_allclose(weights_of(model, 3), total / len(X), rtol=1e-15)
    np.testing.assert_allclose(steps, total)
    assert model.updates_ == updates


def test_survival_is_online_to_batch():
    X, y = noisy(1)
    model = Perceptron(average="survival").partial_fit(X, y, [-1, 1])
    mean = online_to_batch(Perceptron().partial_fit(X[:0], [], [-1, 1]), list(zip(X, y.tolist())))
    np.testing.assert_allclose(
        [model.decision_one(x) for x in X], [mean.hypothesis.decision_one(x) for x in X], rtol=1e-6
    )


@every_average
def test_averages_change_no_update(average):
    """Mistakes are made by the last vector: updates, loss and certificate are those of "none"."""
    X, y = noisy(2)
    plain, other = (Perceptron(average=a).fit(X, y) for a in ("none", average))
    assert (other.updates_, other.loss_) == (plain.updates_, plain.loss_)
    mine, theirs = other.certificate(), plain.certificate()
    assert (mine.linear, mine.gradient_norms) == (theirs.linear, theirs.gradient_norms)
    scaled = Perceptron(average=average, rate=0.25).fit(X, y)
    assert scaled.predict(X).tolist() == other.predict(X).tolist()


@every_average
def test_copies_go_on_bit_for_bit(average, tmp_path):
    X, y = noisy(3)
    y = np.where(X[:, 0] > 0.5, 2, y)  # three labels, the third of which comes late
    model = Perceptron(average=average).partial_fit(X[:40], y[:40])
    model.save(tmp_path / "m")
    for twin in (
        Perceptron.load(tmp_path / "m"),
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
    ):
        twin.partial_fit(X[40:], y[40:])
        whole = Perceptron(average=average).partial_fit(X[:40], y[:40]).partial_fit(X[40:], y[40:])
        assert twin.decision_function(X).tolist() == whole.decision_function(X).tolist()
        assert twin.weights_ == whole.weights_


def test_votes_that_do_not_fit_are_refused():
    model = Perceptron(average="vote").fit(FIVE, SIGNS)
    state = model._model.state()
    for name, value in {
        "vote_rows": np.full_like(state["vote_rows"], 99),
        "vote_starts": state["vote_starts"][::-1].copy(),
        "vote_steps": state["vote_steps"][:-1],
    }.items():
        with pytest.raises(ValueError, match="votes are damaged"):
            Perceptron(average="vote")._start().restore(lanes=1, **state | {name: value})
    with pytest.raises(ValueError, match="votes do not fit"):
        Perceptron()._start().restore(lanes=1, **state)


# -- several passes -------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
def test_the_exponential_instance(size):
    """Mohri et al. (2018), Exercise 8.1: (4^N - 1) / 3 updates, and the weights 1, 2, 4, ..."""
    pairs = [next(stream) for stream in [iter(ExponentialInstance(size))] for _ in range(size)]
    X = np.array([[x.get(j, 0.0) for j in range(size)] for x, _ in pairs])
    y = np.array([label for _, label in pairs])
    for order in (np.arange(size), np.arange(size)[::-1]):
        model = signed(Perceptron(intercept=False))
        done = model.cycle(X[order], y[order], max_passes=10_000)
        assert done.updates == model.updates_ == (4**size - 1) // 3
        assert done.separated
        assert weights_of(model, size).tolist() == [2.0**j for j in range(size)]


def test_cycles_that_never_end():
    """A point with two labels: an update in every pass, until max_passes."""
    model = Perceptron(intercept=False)
    done = model.cycle([[1.0], [1.0]], [1, -1], max_passes=7)
    assert (done.passes, done.separated) == (7, False)
    assert done.updates == model.updates_ >= 7
    for bad in (0, 1.5, None):
        with pytest.raises(ValueError, match="max_passes"):
            model.cycle([[1.0]], [1], max_passes=bad)
    assert model.examples_ == 14


def test_cycles_of_three_labels():
    """Every lane separates its label from the others."""
    X = np.array([(1, 0.2), (-1, 0.3), (0.1, -1), (0.9, 0.1), (-0.8, 0.2), (0, -0.7)])
    y = ["east", "west", "south"] * 2
    model = Perceptron()
    assert model.cycle(X, y).separated
    assert model.predict(X).tolist() == y
    assert model.cycle(X, y).passes == 1  # it goes on from there


# -- how many mistakes ----------------------------------------------------------------------------


def by_hand(X, y, u):
    """M, and the bounds of the Perceptron, from the formulas of the texts."""
    w, M = np.zeros(X.shape[1]), []
    for t, (x, label) in enumerate(zip(X, y)):
        if label * (w @ x) <= 0:
            w = w + label * x
            M.append(t)
    short = np.maximum(0, 1 - y[M] * (X[M] @ u))
    F, a = short.sum(), np.linalg.norm(X[M], axis=1).max() * np.linalg.norm(u)
    return len(M), {
        "Mohri et al. (2018), Theorem 8.11": F + a * a / 2 * (1 + math.sqrt(1 + 4 * F / a**2)),
        "Mohri et al. (2018), Theorem 8.12": (a + math.sqrt(np.sum(short**2))) ** 2,
        "Mohri et al. (2018), Exercise 8.11": F + np.linalg.norm(u) * math.sqrt(np.sum(X[M] ** 2)),
        "Shalev-Shwartz (2012), Theorem 3.9": F + a * math.sqrt(F) + a * a,
    }


@pytest.mark.parametrize("seed", range(5))
def test_bounds_on_corrupted_streams(seed):
    X, y = noisy(seed, flips=0.1 * seed)
    model = signed(Perceptron(intercept=False)).partial_fit(X, y)
    rng = np.random.default_rng(seed)
    for u in [*rng.normal(size=(20, 4)), 10 * rng.normal(size=4), 0.01 * rng.normal(size=4)]:
        M, bounds = by_hand(X, y, u)
        found = model.certificate(X, y, comparator=u)
        assert found.updates == model.certificate(X, y).updates == M
        assert found.bounds == pytest.approx(bounds, rel=1e-12)
        assert found.holds
        assert min(bounds.values()) >= M
        # form 1 of Theorem 8.11 is never above its second form, Shalev-Shwartz (2012), section 3.9
        # or Theorem 8.12
        first = bounds["Mohri et al. (2018), Theorem 8.11"] * (1 - 1e-12)
        assert first <= bounds["Shalev-Shwartz (2012), Theorem 3.9"]
        assert first <= bounds["Mohri et al. (2018), Theorem 8.12"]
        margin = 1 / np.linalg.norm(u)
        by_margin = model.certificate(X, y, comparator=3 * u, margin=margin)
        assert by_margin.bounds == pytest.approx(bounds, rel=1e-9)


@pytest.mark.parametrize("margin", [0.5, 0.1, 0.02])
def test_bounds_on_separable_streams(margin):
    """Thm 8.8, and M rho <= ||w|| <= sqrt(sum ||x||^2) on the way; floats round at 2^-24."""
    X, y, u = separable(3, margin)
    model = signed(Perceptron(intercept=False, certify=True)).partial_fit(X, y)
    measured = model.certificate()
    found = model.certificate(X, y, comparator=u, margin=margin * (1 - 1e-7))
    assert found.holds
    assert found.bounds["Mohri et al. (2018), Theorem 8.8"] <= 1 / margin**2 * (1 + 1e-6)
    assert measured.updates * margin <= measured.weight_norm * (1 + 1e-6)
    assert measured.weight_norm <= math.sqrt(measured.squares) * (1 + 1e-6)
    assert measured.radius == pytest.approx(np.linalg.norm(X, axis=1).max(), rel=0.5)
    assert measured.squares <= measured.updates * measured.radius**2 * (1 + 1e-12)


def test_the_bound_is_tight_on_unit_vectors():
    """Mohri et al. (2018), Exercise 8.3: T updates, R = 1, ||u||^2 = T."""
    model = signed(Perceptron(intercept=False))
    play(model, UnitVectors(25), 25)
    found = model.certificate(np.eye(25), np.ones(25, int), comparator=np.ones(25))
    assert (found.updates, found.bounds["Mohri et al. (2018), Theorem 8.8"]) == (25, 25.0)
    assert min(found.bounds.values()) == pytest.approx(25)


def test_certificates_from_examples_in_every_form():
    """Batches, dicts, names, a constant feature; weights of what never came count in the norm."""
    X, y = noisy(7)
    names = list("abcd")
    frame = pd.DataFrame(X, columns=names)
    u = dict(zip(names, [1.0, -2.0, 0.5, 0.25]))
    model = Perceptron().partial_fit(frame, y, [-1, 1])
    whole = np.c_[X, np.ones(len(X))]
    M, bounds = by_hand(whole, y, np.array([*u.values(), 0.75]))
    for form in (frame, [dict(zip(names, row)) for row in X.tolist()]):
        found = model.certificate(form, y, comparator=u, intercept=0.75)
        assert found.bounds == pytest.approx(bounds, rel=1e-12)
        assert found.updates == M
    numbered = Perceptron().partial_fit(X, y, [-1, 1])
    for form in (X, csr_array(X), X.tolist()):
        found = numbered.certificate(form, y.tolist(), comparator=[*u.values()], intercept=0.75)
        assert found.bounds == pytest.approx(bounds, rel=1e-12)
    larger = model.certificate(frame, y, comparator={**u, "never": 3.0}, intercept=0.75)
    assert larger.bound > found.bound
    kind = Perceptron(intercept=False)
    for x, label in [({"colour": "red"}, 1), ({"colour": "blue"}, -1), ({"colour": "red"}, 1)]:
        kind.learn_one(x, label)
    rows = [{"colour": "red"}, {"colour": "blue"}, {"colour": "red"}]
    found = kind.certificate(rows, [1, -1, 1], comparator={"colour=red": 1, "colour=blue": -1})
    assert (found.updates, found.bounds["Mohri et al. (2018), Theorem 8.8"]) == (
        2,
        pytest.approx(2.0),
    )
    assert found.holds


def test_certificates_of_several_labels():
    """The lanes add up, each with its own comparator."""
    rng = np.random.default_rng(5)
    X = rng.integers(-8, 9, (60, 3)) / 8
    y = np.argmax(X, axis=1)
    model = Perceptron(intercept=False).partial_fit(X, y, [0, 1, 2])
    u = {k: 2 * np.eye(3)[k] - 0.5 for k in range(3)}
    total, updates = {}, 0
    for k in range(3):
        M, bounds = by_hand(X, np.where(y == k, 1, -1), u[k])
        updates += M
        total = {name: total.get(name, 0.0) + bound for name, bound in bounds.items()}
    found = model.certificate(X, y, comparator=u)
    assert found.updates == updates == model.updates_
    assert found.bounds == pytest.approx(total, rel=1e-12)
    assert found.holds
    with pytest.raises(ValueError, match="lacks weights for the label 2"):
        model.certificate(X, y, comparator={0: [1.0], 1: [1.0]})


def test_what_a_certificate_needs():
    X, y = noisy(8)
    model = Perceptron().partial_fit(X, y, [-1, 1])
    with pytest.raises(ValueError, match=r"call certificate\(X, y, comparator=\.\.\.\)"):
        model.certificate(comparator=[1.0])
    assert model.certificate().radius is None
    same = "X, y are what was learned, in order"
    assert model.certificate(X, y, comparator=[1.0]).assumptions[same]
    for other in ((X[::-1], y[::-1]), (X[:-1], y[:-1]), (X, np.roll(y, 1))):
        found = model.certificate(*other, comparator=[1.0])
        assert found.assumptions[same] is False
        assert not found.holds
    weighted = Perceptron().partial_fit(X, y, [-1, 1], np.full(len(X), 2.0))
    assert not weighted.certificate(X, y, comparator=[1.0]).holds
    for bad, says in (
        (lambda: model.certificate(X, y[:-1]), "79 labels"),
        (
            lambda: model.certificate(X, np.where(y > 0, 7, 8)),
            "label [78], which the learner has not",
        ),
        (
            lambda: model.certificate(X, y, comparator=[0.0], margin=0.5),
            "comparator=0 has no margin",
        ),
        (
            lambda: model.certificate(X, y, comparator=[1.0], margin=0.0),
            "margin=0.0 must be positive",
        ),
        (lambda: model.certificate(X, y, comparator=[math.nan]), "not finite"),
        (lambda: model.certificate(X, y, comparator={"a": "b"}), "not a number"),
    ):
        with pytest.raises(ValueError, match=says):
            bad()


def test_hashed_learners_are_certified_unless_names_collide():
    X, y = noisy(9)
    rows = [dict(zip(["one", "two", "three", "four"], x)) for x in X.tolist()]
    for bits, same in ((18, True), (1, False)):
        model = signed(Perceptron(features="hashed", bits=bits))
        for x, label in zip(rows, y.tolist()):
            model.learn_one(x, label)
        found = model.certificate(rows, y, comparator={"one": 1.0})
        assert found.holds == same


# -- Srebro (lecture 16), slide back to the Perceptron
# ------------------------------------------------------------------------------------


def test_the_perceptron_is_descent_on_the_hinge_at_0():
    """Steps of 1 on max(0, -y <w, x>), with the gradient -y x at the kink.

    Srebro (lecture 16), slide back to the Perceptron.
    """
    X, y = noisy(12)
    w = np.zeros(4)
    model = signed(Perceptron(intercept=False))
    for x, label in zip(X, y.tolist()):
        assert model.decision_one(x) == w @ x
        model.learn_one(x, label)
        gradient = -label * x if -label * (w @ x) >= 0 else 0 * x
        w = w - gradient


@pytest.mark.parametrize("eta", [1.0, 0.125])
@pytest.mark.parametrize("margin", [0.3, 0.05])
def test_the_aggressive_perceptron(eta, margin):
    """Descent on the unit hinge; mistakes <= updates <= B^2 (R^2 + 2 / eta).

    Srebro (lecture 16), slide back to the Perceptron.
    """
    X, y, _ = separable(1, margin, rounds=400)
    model = LinearClassifier(loss="hinge", rule=rules.OGD(eta), intercept=False)
    signed(model)
    wrong = 0
    for x, label in zip(X, y.tolist()):
        wrong += label * model.decision_one(x) <= 0
        model.learn_one(x, label)
    assert wrong <= model.updates_ <= (1 + 2 / eta) / margin**2
    assert model.loss_ <= (1 / margin**2 / (2 * eta) + eta * model.updates_ / 2) * (1 + 1e-6)
