"""Batch learning in one pass: predictors made from an online learner, and scikit-learn's SGD.

    python examples/batch_by_one_pass.py [--plot errors.png]

Ten random halves of the breast cancer data: each learner sees one half once, row by row, and is tested
on the other, with the features as they are and scaled to mean 0 and variance 1. Needs scikit-learn:
pip install "regretless[sklearn]".
"""

import argparse
import sys
from importlib.util import find_spec
from typing import Any

import numpy as np

from regretless.batch import online_to_batch
from regretless.linear import LinearClassifier
from regretless.plots.curves import picture_path, save

SPLITS = 10
HOWS = ("average", "last", "select", "validate")


def errors() -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """The test errors of every predictor on every split, and the bounds on wrong labels."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import SGDClassifier
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler

    X, y = load_breast_cancer(return_X_y=True)
    found: dict[str, list[float]] = {}
    promised: dict[str, list[float]] = {}

    def note(name: str, predicted: Any, truth: Any) -> None:
        found.setdefault(name, []).append(float(np.mean(predicted != truth)))

    for seed in range(SPLITS):
        train, test, labels, truth = train_test_split(X, y, test_size=0.5, random_state=seed)
        scaler = StandardScaler().fit(train)
        scaled = scaler.transform(train), scaler.transform(test)
        for form, (rows, unseen) in {"": (train, test), ", scaled": scaled}.items():
            for how in HOWS:
                predictor = online_to_batch(LinearClassifier(), (rows, labels), how)
                name = f"coin, {how}{form}"
                note(name, predictor.predict(unseen), truth)
                if predictor.loss == "zero_one" and predictor.bounds:
                    promised.setdefault(name, []).append(predictor.risk_bound)
            for average in (False, True):
                peer = SGDClassifier(max_iter=1, tol=None, average=average, random_state=seed)
                peer.fit(rows, labels)
                name = f"SGD, {'average' if average else 'last'}{form}"
                note(name, peer.predict(unseen), truth)
    return found, promised


def draw(found: dict[str, list[float]], path: str) -> None:
    """One dot for each split, a bar at the mean."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for place, shares in enumerate(found.values()):
        percent = 100 * np.array(shares)
        axes.plot(percent, np.full(len(percent), place), "o", color="0.4", mfc="none", ms=5)
        axes.plot([percent.mean()] * 2, [place - 0.3, place + 0.3], color="black", lw=2)
    axes.set_yticks(range(len(found)), list(found))
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel("wrong labels on the other half (%); a dot for each of ten splits, bar: mean")
    axes.set_title("Breast cancer data: one pass over 284 rows", loc="left")
    axes.grid(axis="x", alpha=0.3)
    save(figure, path)
    print(f"wrote {path}")


def main() -> None:
    """Print the table, and draw it."""
    if not find_spec("sklearn"):
        sys.exit('This example needs scikit-learn: pip install "regretless[sklearn]"')
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", help="where to write the picture, .png or .svg")
    path = parser.parse_args().plot
    if path:
        picture_path(path)
    found, promised = errors()
    print(f"{'predictor':24} {'test error':>10} {'worst':>7} {'bound':>7}")
    for name, shares in found.items():
        bound = f"{np.mean(promised[name]):7.1%}" if name in promised else f"{'':7}"
        print(f"{name:24} {np.mean(shares):10.1%} {max(shares):7.1%} {bound}")
    print(f"\nMeans over {SPLITS} splits. Each bound on the error holds with probability 95%.")
    if path:
        draw(found, path)


if __name__ == "__main__":
    main()
