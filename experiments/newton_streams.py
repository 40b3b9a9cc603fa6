"""Sketched Newton steps on a long stream: the loss above the noise, for every sketch and alpha.

    python experiments/newton_streams.py [EXAMPLES]

Ten normal features, logistic labels. It prints, after each fifth of the examples, how far the mean log
loss of the last 100,000 is above that of the true model, and for each lane of the default mixture its
loss over those examples, divided by the least over as many that it had so far.
"""

import sys

import numpy as np

from regretless.newton import NewtonClassifier

FEATURES, PART = 10, 100_000
SKETCHES, ALPHAS = ("oja", "fd", "rp", "full"), (1e-3, 0.1, 10.0)


def main(examples: int) -> None:
    """Play the stream and print both."""
    rng = np.random.default_rng(0)
    w = rng.normal(size=FEATURES)
    options = {"size": 12, "curvature": 0.06, "intercept": False}
    models = {
        f"{sketch} {alpha:g}": NewtonClassifier(sketch=sketch, alpha=alpha, **options)
        for sketch in SKETCHES
        for alpha in ALPHAS
    }
    mixture = models["mixture"] = NewtonClassifier(intercept=False)
    lost, least = np.zeros(9), np.full(9, np.inf)
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
        if end % (examples // 5) == 0:
            print(f"\nafter {end:,} examples, above the noise of {noise:.4f}")
            for name, model in models.items():
                print(f"  {name:12} {(model.loss_ - before[name]) / PART - noise:8.4f}")
            print("  lanes over their best:", np.round(own / least, 3))


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000)
