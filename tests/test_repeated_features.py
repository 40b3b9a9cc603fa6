"""A feature that occurs twice in a row, and features that hash to one row, are added up first."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from saved import saved
from scipy.sparse import csr_array, vstack

from regretless import linear, rules, streams
from regretless.linear import LinearClassifier, LinearRegressor


def test_a_repeated_feature_is_one(tmp_path):
    """In the order of its first occurrence; what adds up to 0 is absent."""
    path = tmp_path / "a.vw"
    path.write_text("1 | a:6 a:7\n1 | b c:0.5 b d:1 c:-0.5 |n a |n a\n1 | 7 07 7\n")
    wanted = [{"a": 13.0}, {"b": 2.0, "d": 1.0, "n|a": 2.0}, {7: 2.0, "07": 1.0}]
    rows = [x for x, _ in streams.read(path)]
    assert rows == wanted
    assert [list(x) for x in rows] == [list(x) for x in wanted]
    model = LinearRegressor(rule=rules.OGD(rate=0.125), intercept=False)
    (piece, *_) = streams.read(path).pieces()
    model.learn_many(piece.X[:1], piece.y[:1])
    assert model.weights_ == {"a": pytest.approx(0.125 * 2 * 13)}


def test_a_sum_may_not_be_too_large(tmp_path):
    """A line or an example is named, and the model stays as it was."""
    (tmp_path / "a.vw").write_text("1 | a:1\n1 | a:6e18 a:6e18\n")
    (tmp_path / "a.svm").write_text("1 1:1\n1 1:6e18 1:6e18\n")
    for name, feature in (("a.vw", "'a'"), ("a.svm", "'1'")):
        with pytest.raises(ValueError, match=f"line 2: the values of {feature} add up to more"):
            list(streams.read(tmp_path / name))
        assert len(list(streams.read(tmp_path / name, skip_bad=True))) == 1
    large = csr_array(([6e18, 6e18], [0, 0], [0, 2]), shape=(1, 1))
    wide = csr_array(([6e18, 6e18], [0, 2], [0, 2]), shape=(1, 3))
    hashed = partial(LinearRegressor, features="hashed", bits=1, names=0)
    ahead = csr_array(np.ones((300, 3)))
    calls = [
        (LinearRegressor, lambda m: m.learn_one({7: 6e18, "7": 6e18}, 1.0)),
        (LinearRegressor, lambda m: m.learn_one(large, 1.0)),
        (LinearRegressor, lambda m: m.learn_many(large, [1.0])),
        (hashed, lambda m: m.learn_one({0: 6e18, 2: 6e18}, 1.0)),
        (hashed, lambda m: m.learn_one([6e18, 0.0, 6e18], 1.0)),
        (hashed, lambda m: m.learn_many(wide, [1.0])),
        (hashed, lambda m: m.learn_many(vstack([ahead, wide]), np.ones(301))),
        (hashed, lambda m: m.learn_many(np.array([[6e18, 0.0, 6e18]]), [1.0])),
        (hashed, lambda m: m.learn_many(pd.DataFrame({"0": [6e18], "2": [6e18]}), [1.0])),
    ]
    for make, call in calls:
        model = make()
        model.learn_one({"a": 1.0}, 1.0)
        before = saved(model, tmp_path)
        with pytest.raises(ValueError, match=r"add up|sum of features"):
            call(model)
        assert saved(model, tmp_path) == before


def test_winnow_refuses_a_sum_outside_its_range():
    """Two features of 1 that share a row are a feature of 2."""
    model = linear.Winnow(features="hashed", bits=1)
    with pytest.raises(ValueError, match=r"sum of features.*= 2 is outside \[0, 1\]"):
        model.learn_one({0: 1.0, 2: 1.0}, 1)
    with pytest.raises(ValueError, match=r"sum of features.*= 2 is outside \[0, 1\]"):
        model.learn_many(np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 1.0]]), [1, 0])
    assert model.examples_ == 0


RULES = {
    **{r: {"rule": r} for r in rules.RULES},
    "invariant": {"rule": rules.OGD(invariant=True)},
    "lazy": {"rule": rules.OGD(lazy=True, radius=2.0)},
    "scale-invariant": {"rule": rules.AdaGrad(scale_invariant=True)},
    "eg with a radius": {"rule": rules.EG(radius=3.0)},
}


@pytest.mark.parametrize("options", RULES.values(), ids=RULES)
@pytest.mark.parametrize("bits", [1, 2, 4])
def test_features_that_share_a_row_are_one_feature(options, bits, tmp_path):
    """With values of every size: a learner of merged rows is the same in every byte."""
    random = np.random.default_rng(bits)
    make = partial(LinearClassifier, features="hashed", bits=bits, names=0, certify=True, **options)
    model, merged = make(), make()
    for _ in range(200):
        names = random.integers(0, 40, random.integers(1, 12))
        x = {int(n): float(np.float32(random.normal())) for n in names}
        sums: dict[int, float] = {}
        for n, v in x.items():
            sums[n % 2**bits] = sums.get(n % 2**bits, 0.0) + v
        y = float(random.choice([-1, 1]))
        model.learn_one(x, y)
        merged.learn_one({n: float(np.float32(v)) for n, v in sums.items()}, y)
    assert saved(model, tmp_path) == saved(merged, tmp_path)


@pytest.mark.parametrize("seed", range(3))
def test_a_bound_holds_for_features_that_share_a_row(seed):
    """The norms of rows are those of the sums."""
    model = LinearClassifier(
        loss="hinge",
        rule=rules.OGD(rate=1.0),
        features="hashed",
        bits=1,
        intercept=False,
        certify=True,
    )
    random = np.random.default_rng(seed)
    stream = [({"a": 1.0, "b": 1.0}, t % 2) for t in range(2)] if not seed else []
    for _ in range(0 if not seed else 50):
        names = random.choice(list("abcdefgh"), 4, replace=False)
        stream.append(({str(n): float(random.normal()) for n in names}, int(random.integers(2))))
    losses = 0.0
    for x, y in stream:
        losses += max(0.0, 1 - (2 * y - 1) * model.decision_one(x))
        model.learn_one(x, y)
    # the best fixed weights are no better than this; 0 has loss 1 a round
    assert model.certificate(norm=0.0).bounds["ogd"] >= losses - len(stream) - 1e-9


def test_an_exact_step_is_exact_for_features_that_share_a_row():
    """Passive-aggressive regression predicts the target after the step."""
    random = np.random.default_rng(0)
    for bits, size in ((1, 5), (18, 200)):
        model = linear.PassiveAggressiveRegressor(
            mode="exact", epsilon=0.0, features="hashed", bits=bits
        )
        for _ in range(50):
            x = {f"n{n}": float(random.normal()) for n in random.integers(0, 10**6, size)}
            y = float(random.normal())
            model.learn_one(x, y)
            assert model.predict_one(x) == pytest.approx(y, abs=1e-3)


def test_eg_stays_in_its_ball_when_features_share_a_row():
    """The weights of two signs add up to at most the radius."""
    random = np.random.default_rng(0)
    model = LinearClassifier(rule=rules.EG(radius=2.0), features="hashed", bits=2, intercept=False)
    for _ in range(300):
        x = {f"n{n}": float(random.normal()) for n in random.integers(0, 100, 20)}
        model.learn_one(x, float(random.choice([-1, 1])))
        assert sum(abs(v) for v in model.weights_.values()) <= 2.0 * (1 + 1e-6)


def test_sums_are_the_same_by_name_and_by_row(tmp_path):
    """Values that no sum keeps exactly: names are added up first, then rows, whoever does it."""
    random = np.random.default_rng(4)
    lines = []
    for _ in range(300):
        words = random.integers(0, 12, 20)
        lines.append("1 | " + " ".join(f"w{n}:{random.normal():.7g}" for n in words) + "\n")
    (tmp_path / "a.vw").write_text("".join(lines))
    stream = streams.read(tmp_path / "a.vw")
    for bits in (1, 3, 18):
        models = [LinearRegressor(features="hashed", bits=bits, names=0) for _ in range(3)]
        for piece in stream.pieces(models[0].form()):
            models[0].learn_many(piece.X, piece.y)
        for x, y in stream:
            models[1].learn_one(x, y)
        for piece in stream.pieces():
            models[2].learn_many(piece.X, piece.y)
        assert len({saved(model, tmp_path) for model in models}) == 1
