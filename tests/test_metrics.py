"""What is added up over a stream is what a computation over the whole of it gives."""

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.certificates import LinearCertificate
from regretless.evaluate import Calibration, Curve, Report, Validation

FIELDS = ("mean_loss", "interval_mean_loss", "error", "interval_error")


def stream(size, seed=0, weighted=True):
    """Losses, weights, mistakes, probabilities and labels."""
    random = np.random.default_rng(seed)
    probability = 1 / (1 + np.exp(-3 * random.normal(size=size)))
    positive = random.random(size) < probability
    losses = -np.log(np.where(positive, probability, 1 - probability))
    weights = random.exponential(size=size) * (random.random(size) < 0.8) if weighted else None
    return losses, weights, (probability >= 0.5) != positive, probability, positive


def fed(columns, cuts=(), kind="binary", into=None):
    """The validation of a stream that is cut into batches at `cuts`."""
    validation = into or Validation(kind)
    edges = [0, *sorted(cuts), len(columns[0])]
    for start, stop in pairwise(edges):
        validation.add(*(c if c is None else c[start:stop] for c in columns))
    return validation


def pairs(probability, positive, weights):
    """AUC by its definition: over all pairs of a positive and a negative."""
    gap = probability[positive][:, None] - probability[~positive][None, :]
    weight = weights[positive][:, None] * weights[~positive][None, :]
    return (weight * np.heaviside(gap, 0.5)).sum() / weight.sum()


# --- means and the curve ---------------------------------------------------------------------------


def by_hand(values, weights, start, stop):
    """A weighted mean, example by example and exactly summed."""
    total = math.fsum(weights[start:stop])
    return math.fsum(values[start:stop] * weights[start:stop]) / total if total else math.nan


@pytest.mark.parametrize("size", [1, 2, 30, 110, 5003])
@pytest.mark.parametrize("weighted", [True, False])
def test_curve(size, weighted):
    """Each point holds the means over the examples before it, and since the point before."""
    columns = stream(size, weighted=weighted)
    losses, _, wrong, *_ = columns
    weights = columns[1] if weighted else np.ones(size)
    curve = fed(columns, cuts=[size // 3, size // 2]).curve
    before = 0
    for k, end in enumerate(curve.examples):
        for values, mean, interval in (
            (losses, "mean_loss", "interval_mean_loss"),
            (wrong, "error", "interval_error"),
        ):
            assert getattr(curve, mean)[k] == pytest.approx(
                by_hand(values, weights, 0, end), rel=1e-12, nan_ok=True
            )
            assert getattr(curve, interval)[k] == pytest.approx(
                by_hand(values, weights, before, end), rel=1e-12, nan_ok=True
            )
        before = end
    assert before == size


@pytest.mark.parametrize("size", [1, 9, 10, 11, 99, 1000, 1007, 250_000])
def test_points_are_geometric_and_end_at_the_end(size):
    """At most 24 in a decade, never more than 10% or one example apart, and always the last."""
    points = fed((np.ones(size), None, np.zeros(size)), kind="regression").curve.examples
    assert points[0] == 1
    assert points[-1] == size
    steps = np.diff(points)
    assert np.all(steps >= 1)
    assert np.all(points[1:] <= np.maximum(points[:-1] + 1, np.ceil(1.102 * points[:-1])))
    for decade in 10.0 ** np.arange(6):
        assert np.sum((points[:-1] >= decade) & (points[:-1] < 10 * decade)) <= 24
        assert size < decade or decade in points


@given(
    st.integers(1, 400),
    st.lists(st.integers(0, 400), max_size=12),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_batches_do_not_matter(size, cuts, weighted, seed):
    """Counts and places are equal however the stream is cut; sums up to 1e-12 of themselves."""
    columns = stream(size, seed, weighted)
    whole, parts = fed(columns), fed(columns, [min(cut, size) for cut in cuts])
    assert whole.examples == parts.examples == size
    assert np.array_equal(whole.curve.examples, parts.curve.examples)
    for field in FIELDS:
        np.testing.assert_allclose(
            getattr(parts.curve, field), getattr(whole.curve, field), rtol=1e-12, equal_nan=True
        )
    # examples enter the ranks one by one, so there is not even a rounding
    assert np.array_equal(parts.state()["ranks"], whole.state()["ranks"])
    np.testing.assert_allclose(parts.state()["shares"], whole.state()["shares"], rtol=1e-12)


def test_mistakes_are_counted_exactly():
    """Without weights the error is a ratio of whole numbers."""
    columns = stream(10_007, weighted=False)
    assert fed(columns, range(0, 10_007, 13)).error == columns[2].sum() / 10_007


def test_weight_is_repetition():
    """An example of weight 3 is as good as three examples."""
    losses, _, wrong, probability, positive = columns = stream(200, weighted=False)
    weights = np.random.default_rng(1).integers(0, 4, 200)
    weighed = fed((losses, weights, wrong, probability, positive))
    repeated = fed([c if c is None else np.repeat(c, weights) for c in columns])
    for name in ("mean_loss", "error", "auc"):
        assert getattr(weighed, name) == pytest.approx(getattr(repeated, name), rel=1e-12)
    for field in ("weight", "probability", "positive"):
        np.testing.assert_allclose(
            getattr(weighed.calibration, field), getattr(repeated.calibration, field), rtol=1e-12
        )


def test_certified_is_where_it_is_known():
    """The points of a batch get what is certified, and where: at the batch's end."""
    validation = Validation("regression", norms=[1, 3])
    for size, certified in ((3, (0.5, 0.1)), (4, None), (8, (0.25, 0.0))):
        validation.add(np.ones(size), None, np.ones(size), certified=certified)
    curve = validation.curve
    assert curve.examples.tolist() == [*range(1, 14), 15]
    known = [(0.5, 0.1)] * 3 + [(math.nan, math.nan)] * 4 + [(0.25, 0.0)] * 7
    np.testing.assert_array_equal(curve.certified, known)
    assert curve.certified_at.tolist() == [3] * 3 + [7] * 4 + [15] * 7


def test_what_is_certified_stays_known():
    """Batches smaller than the steps of the curve: one without a bound takes none away."""
    validation = Validation("regression", norms=[3])
    for certified in ([0.5], None, [0.25], None):
        validation.add(np.ones(1000), None, np.ones(1000), certified=certified)
    curve = validation.curve
    known = {
        (n, v) for n, (v,) in zip(curve.certified_at.tolist(), curve.certified.tolist()) if v == v
    }
    assert known == {(1000, 0.5), (3000, 0.25)}
    small = Validation("regression", norms=[3])
    small.add(np.ones(1001), None, np.ones(1001))
    for certified in ([0.5], None, [0.25], None):  # all before the point after 1,000
        small.add(np.ones(10), None, np.ones(10), certified=certified)
        assert small.curve.certified[-1, 0] == (0.5 if small.examples < 1031 else 0.25)
    assert small.curve.certified_at[-1] == 1031


def test_regression():
    """Squared errors give the root mean square error."""
    errors = np.random.default_rng(0).normal(size=500)
    validation = fed((np.abs(errors), None, errors**2), [100], kind="regression")
    assert validation.rmse == pytest.approx(np.linalg.norm(errors) / np.sqrt(500), rel=1e-12)
    assert validation.mean_loss == pytest.approx(np.abs(errors).mean(), rel=1e-12)
    assert validation.auc is validation.calibration is None
    assert fed(stream(10)).rmse is None


# --- AUC and calibration ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighted", [True, False])
def test_auc_of_separate_bins_is_exact(seed, weighted):
    """Predictions in the middle of bins: only true ties are ties."""
    random = np.random.default_rng(seed)
    log_odds = (random.integers(-800, 800, 300) + 0.5) / 512
    positive = random.random(300) < 1 / (1 + np.exp(-2 * log_odds))
    probability = 1 / (1 + np.exp(-log_odds))
    weights = random.exponential(size=300) if weighted else np.ones(300)
    zeros = np.zeros(300)
    validation = fed(
        (zeros, weights if weighted else None, zeros, probability, positive), [17, 100]
    )
    assert validation.auc == pytest.approx(pairs(probability, positive, weights), rel=1e-12)


@pytest.mark.parametrize("spread", [1e-3, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("seed", range(3))
def test_auc_is_off_by_half_the_pairs_in_one_bin(spread, seed):
    """And by no more, also when nearly all predictions are the same."""
    random = np.random.default_rng(seed)
    log_odds = spread * random.normal(size=1000)
    probability = 1 / (1 + np.exp(-log_odds))
    positive = random.random(1000) < 1 / (1 + np.exp(-log_odds / spread))
    zeros = np.zeros(1000)
    validation = fed((zeros, None, zeros, probability, positive))
    negatives, positives = validation.state()["ranks"]
    shared = (negatives * positives).sum() / (negatives.sum() * positives.sum())
    exact = pairs(probability, positive, np.ones(1000))
    assert abs(validation.auc - exact) <= shared / 2 + 1e-12
    if spread >= 0.1:
        assert abs(validation.auc - exact) < 5e-4


def test_auc_like_scikit_learn():
    """The peer's figure, with weights."""
    metrics = pytest.importorskip("sklearn.metrics")
    _, weights, _, probability, positive = columns = stream(20_000)
    exact = metrics.roc_auc_score(positive, probability, sample_weight=weights)
    assert fed(columns, range(0, 20_000, 999)).auc == pytest.approx(exact, abs=1e-5)


def test_auc_of_certainties():
    """Probabilities of 0 and 1 have infinite log-odds, and are ranked all the same."""
    p, y = np.array([0.0, 1.0, 0.5, 0.5]), np.array([False, True, True, False])
    zeros = np.zeros(4)
    assert fed((zeros, None, zeros, p, y)).auc == 0.875
    assert fed((zeros, None, zeros, p, ~y)).auc == 0.125


def test_no_auc():
    """There is none without probabilities, or with labels of one kind only."""
    losses, weights, wrong, probability, _ = stream(10)
    assert fed((losses, weights, wrong)).auc is None
    assert fed((losses, weights, wrong)).calibration is None
    assert fed((losses, weights, wrong, probability, np.ones(10, bool))).auc is None


def test_calibration():
    """Bins of one twentieth, 1 in the last."""
    columns = _, weights, _, probability, positive = stream(3000)
    probability[:4] = 0, 1, 0.05, 0.95
    bins = fed(columns, [1000, 1001]).calibration
    for k in range(20):
        inside = (probability >= k / 20) & ((probability < (k + 1) / 20) | (k == 19))
        assert bins.weight[k] == pytest.approx(weights[inside].sum(), rel=1e-12)
        assert bins.predicted[k] == pytest.approx(
            np.average(probability[inside], weights=weights[inside]), rel=1e-12
        )
        assert bins.observed[k] == pytest.approx(
            np.average(positive[inside], weights=weights[inside]), rel=1e-12
        )
    gaps = np.abs(bins.predicted - bins.observed)
    assert bins.error == pytest.approx(np.average(gaps, weights=bins.weight), rel=1e-12)


def test_some_without_a_probability():
    """They count for the loss and the error alone; a loss counts nothing if it has no weight."""
    scores = Validation("binary")
    scores.add(
        [1.0, 3.0, math.inf], [1.0, 1.0, 0.0], [0, 1, 1], [0.5, math.nan, 0.5], [True, True, False]
    )
    assert (scores.mean_loss, scores.error, scores.auc) == (2.0, 0.5, None)
    assert scores.calibration.weight.sum() == 1.0
    scores.add([1.0], None, [0], [math.nan], [True])
    assert scores.calibration.weight.sum() == 1.0


def test_a_third_label():
    """Two labels become many: the means go on, the rest is no more."""
    columns = stream(300)
    validation = fed([c[:200] for c in columns])
    assert validation.auc is not None
    validation.kind = "multiclass"
    assert validation.auc is validation.calibration is None
    fed([c[200:] for c in columns[:3]], into=validation)
    assert validation.kind == "multiclass"
    assert validation.mean_loss == pytest.approx(fed(columns).mean_loss, rel=1e-12)
    with pytest.raises(ValueError, match="kind='multiclass': leave it out"):
        fed(columns, into=validation)


# --- stopping and going on -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["binary", "multiclass", "regression"])
@pytest.mark.parametrize("stop", [0, 1, 110, 777])
def test_restored_goes_on_bit_by_bit(kind, stop):
    """A checkpoint changes nothing, and is not changed by what comes after it."""
    columns = stream(1000)[: 5 if kind == "binary" else 3]
    rest = [c[stop:] for c in columns]
    never = fed([c[:stop] for c in columns], kind=kind)
    state = never.state()
    copies = {name: array.copy() for name, array in state.items()}
    fed(rest, [50], into=never)
    again = fed(rest, [50], into=Validation.restored(kind, state))
    for name, array in never.state().items():
        assert array.tobytes() == again.state()[name].tobytes(), name
        assert state[name].tobytes() == copies[name].tobytes(), name
    assert never.loss == again.loss
    assert never.auc == again.auc


def test_restored_is_checked():
    """A state that is not whole, or of another kind."""
    state = Validation("binary").state()
    with pytest.raises(
        ValueError, match=r"'ranks'.* has shape \(2, 16384\), not \(2, 0\).*regression"
    ):
        Validation.restored("regression", state)
    del state["sums"]
    with pytest.raises(ValueError, match=r"'sums'.* is missing"):
        Validation.restored("binary", state)


# --- bad input -------------------------------------------------------------------------------------

BAD = {
    "lengths": (([1.0, 2.0], None, [True]), "wrong has shape (1,), losses has 2"),
    "a table": ((np.ones((2, 2)), None, np.ones(4)), "losses has shape (2, 2)"),
    "weight": (([1.0, 2.0], [1.0, -1.0], [0, 0]), "weights[1] = -1.0"),
    "infinite weight": (([1.0, 2.0], [math.inf, 1.0], [0, 0]), "weights[0] = inf"),
    "loss": (([1.0, math.nan], None, [0, 0]), "losses[1] is not a number"),
    "wrong": (([1.0], None, [math.nan]), "wrong[0] is not a number"),
    "probability": (([1.0], None, [0], [1.5], [True]), "probability[0] = 1.5"),
    "no label": (([1.0], None, [0], [0.5]), "without positive"),
}


@pytest.mark.parametrize(("batch", "message"), BAD.values(), ids=BAD)
def test_bad_batches_change_nothing(batch, message):
    """They are named, and what was there goes on."""
    validation = fed(stream(100))
    before = validation.state()
    with pytest.raises(ValueError) as error:  # noqa: PT011 (the message is compared below)
        validation.add(*batch)
    assert message in str(error.value)
    for name, array in validation.state().items():
        assert array.tobytes() == before[name].tobytes()


def test_bad_kinds():
    """Only the three, and only one way from one to another."""
    with pytest.raises(ValueError, match="kind='ternary' is not one of 'binary', 'multiclass'"):
        Validation("ternary")
    validation = Validation("regression")
    with pytest.raises(ValueError, match="only binary can become multiclass"):
        validation.kind = "multiclass"


def test_nothing_yet():
    """No examples: no numbers, no errors; nor does an empty batch matter."""
    validation = Validation("binary")
    validation.add([], None, [], [], [])
    assert validation.examples == len(validation.curve.examples) == 0
    assert math.isnan(validation.mean_loss)
    assert validation.auc is validation.calibration is None


# --- the report ------------------------------------------------------------------------------------


def report():
    certified = LinearCertificate.of(300, loss=90.0, linear=3.0, gradient_norms=(1.0, 0.5, 0.25))
    return fed(stream(300)).report(seconds=0.5, learner="coin", certified=certified)


def test_report_says_what_was_validated():
    """All fields, taken over."""
    validation, made = fed(stream(300)), report()
    for name in ("examples", "mean_loss", "error", "auc", "rmse"):
        assert getattr(made, name) == getattr(validation, name)
    assert made.loss == pytest.approx(validation.loss, rel=1e-14)
    assert made.examples_per_second == 600
    assert made.certificate().loss == 90
    assert isinstance(made, Report)
    assert isinstance(made.curve, Curve)
    assert isinstance(made.calibration, Calibration)


def test_report_as_json():
    """Strict JSON, without NaN, that says the same after a round trip."""
    made = report()
    read = json.loads(json.dumps(made.as_dict(), allow_nan=False))
    assert read == made.as_dict()
    assert read["learner"] == "coin"
    assert read["loss"] == made.loss
    assert read["rmse"] is None
    assert read["examples_per_second"] == 600
    assert read["curve"]["examples"] == made.curve.examples.tolist()
    assert read["curve"]["certified"] == [[]] * len(made.curve.examples)
    assert read["norms"] == []
    assert read["calibration"]["weight"] == made.calibration.weight.tolist()
    assert read["certificate"]["gradient_norms"] == [1.0, 0.5, 0.25]
    assert read["certificate"]["holds"] is True


def test_report_without_examples_as_json():
    """A stream may be empty."""
    read = Validation("regression").report(seconds=0.0, learner="coin").as_dict()
    assert [read[name] for name in ("mean_loss", "rmse", "examples_per_second")] == [None] * 3
    json.dumps(read, allow_nan=False)


def test_report_in_a_terminal():
    """One line per number that there is, in columns."""
    lines = dict(line.split("  ", 1) for line in str(report()).splitlines())
    assert lines["learner"].strip() == "coin"
    assert float(lines["AUC"]) == pytest.approx(report().auc, abs=1e-4)
    assert "root mean square error" not in lines
    assert not any("norm" in line for line in lines)
    perfect = fed((np.zeros(3), None, np.zeros(3)), kind="regression").report(1.0, "oracle")
    assert "root mean square error  0.000" in str(perfect)
    assert "%" not in str(perfect)
    assert "nan" in str(Validation("binary").report(0.0, "nothing"))
