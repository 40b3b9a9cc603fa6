"""What the experiments share: data sets, one pass, the best step of a grid, results and pages.

A score is made before its example is learned; the predicted label is 1 if the score is above 0.
"""

import argparse
import json
import math
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.datasets import load_svmlight_file

from regretless._core import Diverged
from regretless.linear import LinearRegressor
from regretless.newton import NewtonClassifier, NewtonRegressor
from regretless.rules import AdaGrad

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "experiments" / "results"
PICTURES = ROOT / "docs" / "pictures"
PAGE = ROOT / "docs" / "newton_experiments.md"

# The positive classes of data sets with more than two: they agree with the thesis' error rates.
POSITIVE = {
    "20news": {1, 16, 20},  # religion
    "covtype": {2},
    "letter": {1, 5, 9, 15, 21, 25},  # A, E, I, O, U, Y
}
ROWS = {"a9a": 32_561}  # the training file: only its size fits the thesis' error rates

Learner = Callable[[float], LinearRegressor | NewtonRegressor]


@dataclass(frozen=True)
class Tuned:
    """Error rates by step; None where the weights overflowed."""

    errors: dict[float, float | None]

    @property
    def step(self) -> float:
        """The step with the fewest errors, and the smallest of several such steps."""
        return min(self.errors, key=lambda step: (_or_one(self.errors[step]), step))

    @property
    def error(self) -> float:
        """The smallest error rate."""
        return _or_one(self.errors[self.step])


def data_folder(description: str) -> Path:
    """The folder that `--data` or REGRETLESS_DATA names."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", default=os.environ.get("REGRETLESS_DATA"))
    folder = parser.parse_args().data
    if folder is None or not Path(folder).is_dir():
        parser.error(
            f"--data must be the folder of the data sets, NAME.svm.gz, got {folder}; "
            "REGRETLESS_DATA can name it too"
        )
    return Path(folder)


def load(folder: Path, name: str) -> tuple[csr_array, NDArray[np.float64]] | None:
    """Rows and labels, -1 or 1, in the order of the file; None if the file is missing."""
    path = folder / f"{name}.svm.gz"
    if not path.exists():
        return None
    X, y = load_svmlight_file(str(path), zero_based=False)
    positive = np.isin(y, list(POSITIVE[name])) if name in POSITIVE else y > 0
    rows = ROWS.get(name, len(y))
    return csr_array(X)[:rows], np.where(positive, 1.0, -1.0)[:rows]


def newton(size: int, diagonal: bool, intercept: bool) -> Learner:
    """Oja's sketch as in the thesis: 1 / alpha is the step; sigma is 1/8 for labels of -1 and 1."""
    return lambda step: NewtonRegressor(
        alpha=1 / step, size=size, diagonal=diagonal, curvature=1 / 8, intercept=intercept
    )


def adagrad(intercept: bool) -> Learner:
    """AdaGrad with the squared loss, as it was published."""
    return lambda step: LinearRegressor(rule=AdaGrad(step, invariant=False), intercept=intercept)


def scores(model: Any, X: Any, y: NDArray[np.float64]) -> NDArray[np.float64]:
    """The score of each example before it is learned."""
    _, (found, _) = model._learn(X, y, None, want_scores=True)  # `validate_many` has them squared
    return np.asarray(found)


def tune(learner: Learner, steps: Iterable[float], X: Any, y: NDArray[np.float64]) -> Tuned:
    """One pass for each step."""
    errors: dict[float, float | None] = {}
    for step in steps:
        try:
            errors[step] = float(np.mean((scores(learner(step), X, y) > 0) != (y > 0)))
        except Diverged:
            errors[step] = None
    return Tuned(errors)


def tune_clipped(
    learners: dict[str, tuple[Learner, list[float]]], X: Any, y: NDArray[np.float64]
) -> dict[str, Tuned]:
    """The same with predictions cut to [-1, 1] before the loss sees them, as Vowpal Wabbit does.

    The slope at the prediction p for the target y is that at the score s for `y + s - p`.
    """
    models = {
        (name, step): make(step) for name, (make, steps) in learners.items() for step in steps
    }
    wrong = dict.fromkeys(models, 0)
    for t, target in enumerate(y.tolist()):
        row = slice(X.indptr[t], X.indptr[t + 1])
        x = dict(zip(X.indices[row].tolist(), X.data[row].tolist()))
        for key, model in list(models.items()):
            score = model.predict_one(x)
            cut = min(max(score, -1.0), 1.0)
            wrong[key] += (score > 0) != (target > 0)
            try:
                if cut != target:  # else the slope is 0
                    model.learn_one(x, target + score - cut)
            except (Diverged, ValueError):  # the target is infinite
                del models[key]
    return {
        name: Tuned({s: wrong[name, s] / len(y) if (name, s) in models else None for s in steps})
        for name, (_, steps) in learners.items()
    }


def untuned(size: int, X: Any, y: NDArray[np.float64]) -> float:
    """The error rate of `NewtonClassifier` with default options but for the size of its sketch."""
    outcomes = NewtonClassifier(size=size).validate_many(X, y)
    return float(np.mean(np.concatenate([part.wrong for part in outcomes])))


def powers(low: int, high: int) -> list[float]:
    """`2^low` to `2^high`."""
    return [2.0**j for j in range(low, high + 1)]


def spectrum(X: Any, slopes: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """The largest eigenvalues of the sum of `g g^T`, `g = slope x`, from singular values."""
    gradients = X.toarray() * slopes[:, None]
    return np.linalg.svd(gradients, compute_uv=False)[:size] ** 2


def farthest(estimate: NDArray[np.float64], exact: NDArray[np.float64]) -> float:
    """The largest relative difference."""
    padded = np.zeros_like(exact)
    padded[: len(estimate)] = estimate[: len(exact)]
    return float(np.max(np.abs(padded - exact) / exact))


def keep(name: str, content: dict[str, Any]) -> None:
    """Write the numbers to results/NAME.json."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n")


def put(name: str, lines: Iterable[str], page: Path = PAGE) -> None:
    """Replace the part of a page between `<!-- NAME -->` and `<!-- end -->`."""
    content = "\n".join(["", "", *lines, "", ""])
    found = re.compile(rf"(?<=<!-- {re.escape(name)} -->).*?(?=<!-- end -->)", re.DOTALL)
    text, count = found.subn(lambda _: content, page.read_text())
    if count != 1:
        raise ValueError(f"{page.name} has {count} places '<!-- {name} -->'; one is expected")
    page.write_text(text)


def power(step: float) -> str:
    """A step as a power of two."""
    return f"2^{round(math.log2(step))}"


def _or_one(error: float | None) -> float:
    return 1.0 if error is None else error
