"""Boosting of a fixed sample: as it is written, and its bounds."""

import math

import numpy as np
import pytest

from regretless import losses
from regretless.boosting import (
    BatchGradientBoosting,
    GradientBoostingHull,
    GradientBoostingSpan,
)

boosters = pytest.mark.parametrize("kind", [GradientBoostingHull, GradientBoostingSpan])


@pytest.mark.parametrize("shrink", [True, False])
@pytest.mark.parametrize("eta", [None, 0.05, "falling"])
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_batch_boosting_and_its_bounds(shrink, eta, loss):
    rng = np.random.default_rng(0)
    G = rng.uniform(-1, 1, (80, 6))
    y = G @ [1.5, -1.0, 0.5, 0, 0, 0] + 0.1 * rng.normal(size=80)
    y = np.sign(y) if loss == "logistic" else y
    n = 60
    etas = {None: np.full(n, math.log(n) / n), 0.05: np.full(n, 0.05)}.get(
        eta, 1 / np.arange(2, n + 2)
    )
    given = eta if eta != "falling" else etas.tolist()
    model = BatchGradientBoosting(rounds=n, eta=given, loss=loss, shrink=shrink).fit(G, y)
    part = losses.get(loss)
    f = np.zeros(80)
    for i, step in enumerate(etas):  # as it is written
        assert model.losses_[i] == pytest.approx(np.mean(part.value(f, y)))
        tried = [
            (np.mean(part.value(f + step * s * g, y)), s, j)
            for j, g in enumerate(G.T)
            for s in (1, -1)
        ]
        _, s, j = min(tried, key=lambda found: found[0])
        sigma = shrink and part.derivative(f, y) @ f >= 0
        f = (1 - sigma * step) * f + step * s * G[:, j]
    assert np.abs(model.predict(G) - f).max() < 1e-12
    for u in ([1.5, -1.0, 0.5, 0, 0, 0], [0.2, 0, 0, 0, 0, 0], np.zeros(6)):
        found = model.certificate(u)
        assert list(found.bounds) == ["B.8" if shrink else "B.7", "trivial"]
        assert found.holds
    s, norm = 1 + np.cumsum(etas), 3.0
    start = model.losses_[0] - np.mean(part.value(G @ [1.5, -1.0, 0.5, 0, 0, 0], y))
    bound = sum(
        (math.exp(-(s[-1] - a) / norm) if shrink else (a + norm) / (s[-1] + norm))
        * part.curvature
        / 2
        * e**2
        * (a * a + 1 if shrink else 1)
        for a, e in zip(s, etas)
    )
    bound += start * (math.exp(-(s[-1] - 1) / norm) if shrink else (1 + norm) / (s[-1] + norm))
    found = model.certificate([1.5, -1.0, 0.5, 0, 0, 0])
    assert found.bounds["B.8" if shrink else "B.7"] == pytest.approx(bound)


def test_batch_boosting_refuses():
    G, y = np.ones((3, 2)), np.ones(3)
    for options, match in [
        ({"rounds": 0}, "rounds=0"),
        ({"eta": 0.0}, "eta=0"),
        ({"eta": [0.1]}, "one step in"),
        ({"loss": "hinge"}, "smooth"),
    ]:
        with pytest.raises(ValueError, match=match):
            BatchGradientBoosting(**options).fit(G, y)
    for base, target, match in [
        (2 * G, y, r"is outside \[-1, 1\]"),
        (G, y[:2], "a row for each"),
        (G[0], y, "shape"),
    ]:
        with pytest.raises(ValueError, match=match):
            BatchGradientBoosting().fit(base, target)
    with pytest.raises(ValueError, match="call fit first"):
        BatchGradientBoosting().predict(G)
    with pytest.raises(ValueError, match="2 finite numbers"):
        BatchGradientBoosting(rounds=2).fit(G, y).certificate([1.0])
    assert "rounds=2" in repr(BatchGradientBoosting(rounds=2))
