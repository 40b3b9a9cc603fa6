"""Sketched Newton steps on a long stream: the loss above the noise, for every sketch and alpha.

    python experiments/newton_streams.py [EXAMPLES] [--sketch oja ...] [--diagonal] [--dense]

Ten normal features, logistic labels, sketches with room for all directions. It prints, after each fifth
of the examples, how far the mean log loss of the last 100,000 is above that of the true model, and for
each lane of the default mixture its loss over those examples, divided by the least over as many that it
had so far. With --dense the transcription of tests/reference, in doubles and without a sketch, learns
beside them, and the largest difference of a loss from its loss is printed in per cent of the noise.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from regretless.newton import NewtonClassifier

FEATURES, PART, CURVATURE = 10, 100_000, 0.06
SKETCHES, ALPHAS = ("oja", "fd", "rp", "full"), (1e-3, 0.1, 10.0)


class Dense:
    """The algorithm as tests/reference has it."""

    def __init__(self, alpha: float, diagonal: bool) -> None:
        sys.path.append(str(Path(__file__).parents[1] / "tests"))
        from reference import newton
        from reference.losses import CLASSIFICATION

        options = {"alpha": alpha, "curvature": CURVATURE, "diagonal": diagonal}
        self.oracle = newton.SketchedNewton(
            FEATURES, CLASSIFICATION["logistic"], newton.Full(), **options
        )
        self.loss_ = 0.0

    def partial_fit(self, X: NDArray[np.float64], y: NDArray[np.bool_]) -> None:
        """Learn, and add up the losses."""
        for x, label in zip(X.astype(np.float32).astype(float), np.where(y, 1.0, -1.0).tolist()):
            self.loss_ += float(np.logaddexp(0.0, -label * self.oracle.predict(x)))
            self.oracle.learn(x, label, 1.0)


def main(examples: int, sketches: list[str], diagonal: bool, dense: bool) -> None:
    """Play the stream and print all of it."""
    rng = np.random.default_rng(0)
    w = rng.normal(size=FEATURES)
    options = {"size": 12, "curvature": CURVATURE, "intercept": False, "diagonal": diagonal}
    models = {
        f"{sketch} {alpha:g}": NewtonClassifier(sketch=sketch, alpha=alpha, **options)
        for sketch in sketches
        for alpha in ALPHAS
    }
    if dense:
        models |= {f"dense {alpha:g}": Dense(alpha, diagonal) for alpha in ALPHAS}
    mixture = models["mixture"] = NewtonClassifier(intercept=False)
    lost, least = np.zeros(9), np.full(9, np.inf)
    worst = 0.0
    for end in range(PART, examples + 1, PART):
        X = rng.normal(size=(PART, FEATURES))
        scores = X @ w
        y = rng.random(PART) < 1 / (1 + np.exp(-scores))
        noise = np.logaddexp(0.0, -np.where(y, scores, -scores)).mean()
        before = {name: model.loss_ for name, model in models.items()}
        for model in models.values():
            model.partial_fit(X, y)
        now = np.array([lane.loss for lane in mixture.lanes_])
        own, lost = now - lost, now
        least = np.minimum(least, own)
        worst = max(worst, float(np.max(own / least)))
        if end % max(examples // 5, PART) == 0:
            print(f"\nafter {end:,} examples, above the noise of {noise:.4f}")
            above = {name: (model.loss_ - before[name]) / PART for name, model in models.items()}
            for name, loss in above.items():
                line = f"  {name:12} {loss - noise:9.5f}"
                reference = f"dense {name.rpartition(' ')[2]}"
                if reference in above:
                    line += f"  from dense {100 * (loss - above[reference]) / noise:9.5f} %"
                print(line)
            print("  lanes over their best:", np.round(own / least, 3), "ever", round(worst, 3))
            sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("examples", nargs="?", type=float, default=1e6)
    parser.add_argument("--sketch", nargs="+", default=SKETCHES, choices=SKETCHES)
    parser.add_argument("--diagonal", action="store_true")
    parser.add_argument("--dense", action="store_true")
    chosen = parser.parse_args()
    main(int(chosen.examples), chosen.sketch, chosen.diagonal, chosen.dense)
