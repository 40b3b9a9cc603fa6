"""Predictions of the kernel Perceptron, beside scikit-learn's kernels of the same size.

python benchmarks/kernels.py [--smoke]
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import Row, finish, interleaved

from regretless.linear import KernelPerceptron

WIDTH, GAMMA, DEGREE = 100, 0.01, 3


def one_prediction(size: int, repeats: int) -> list[Row]:
    """One row at a time, `size` support vectors of 100 features."""
    from sklearn.metrics import pairwise

    rng = np.random.default_rng(0)
    peers: dict[str, Callable[[Any, Any], Any]] = {
        "rbf": lambda x, S: pairwise.rbf_kernel(x, S, gamma=GAMMA),
        "polynomial": lambda x, S: pairwise.polynomial_kernel(x, S, DEGREE, GAMMA, 1.0),
        "linear": pairwise.linear_kernel,
    }
    rows = []
    for kernel, peer in peers.items():
        model = stored(kernel, size, rng)
        vectors = np.array([list(s.values()) for s in model.support_vectors_])
        probes = rng.normal(size=(20, WIDTH)).astype(np.float32).astype(float)
        coefficients = model.dual_coef_

        def ours(model: KernelPerceptron = model, probes: Any = probes) -> None:
            for x in probes:
                model.decision_one(x)

        def theirs(
            peer: Any = peer, probes: Any = probes, S: Any = vectors, c: Any = coefficients
        ) -> None:
            for x in probes:
                peer(x[None], S) @ c

        difference = max(
            abs(model.decision_one(x) - (peer(x[None], vectors) @ coefficients).item())
            for x in probes
        )
        assert difference < 1e-6 * np.abs(coefficients).sum(), (kernel, difference)
        mine, other = interleaved(ours, theirs, repeats)
        us = mine / len(probes) * 1e6, other / len(probes) * 1e6
        work = f"one prediction, {kernel}, {len(vectors):,} support vectors, d = {WIDTH}"
        rows.append(Row(work, f"scikit-learn {kernel}_kernel", *us, None, None, 1))
    return rows


def stored(kernel: str, size: int, rng: np.random.Generator) -> KernelPerceptron:
    """A learner with `size` support vectors: labels that nothing explains are hard to learn."""
    model = KernelPerceptron(
        kernel=kernel, gamma=GAMMA, degree=DEGREE, budget=size, intercept=False
    )
    while len(model.dual_coef_) < size:
        X, y = rng.normal(size=(size, WIDTH)), rng.integers(0, 2, size)
        model.partial_fit(X, y, classes=[0, 1])
    return model


def growth(size: int, repeats: int) -> dict[str, str]:
    """How the time of a prediction grows with the support vectors."""
    notes = {}
    rng = np.random.default_rng(1)
    times = []
    for count in (size // 4, size):
        model = stored("rbf", count, rng)
        x = rng.normal(size=WIDTH)
        mine, _ = interleaved(lambda m=model, x=x: m.decision_one(x), lambda: None, repeats * 20)
        times.append(mine)
    notes[f"one prediction, rbf, four times the support vectors ({size:,})"] = (
        f"{times[1] / times[0]:.1f} times as long"
    )
    return notes


def main() -> None:
    """Run all of it and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small, and keep no results")
    smoke = parser.parse_args().smoke
    size, repeats = (200, 2) if smoke else (5_000, 20)
    finish("kernels", one_prediction(size, repeats), growth(size, repeats), keep=not smoke)


if __name__ == "__main__":
    main()
