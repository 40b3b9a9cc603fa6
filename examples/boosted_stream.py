"""Boost a weak learner of your own: it looks at one feature, while five decide the label.

python examples/boosted_stream.py [--plot curves.png]
"""

import argparse
from collections import defaultdict
from typing import Any

import numpy as np

from regretless import evaluate
from regretless.boosting import AdaBoostOL, OnlineBBM, OSBoost
from regretless.plots import learning_curves
from regretless.plots.curves import picture_path, save


class OneFeature:
    """Predicts by the one feature that has agreed with the label most often, by weight."""

    def __init__(self) -> None:
        self.agreed: dict[str, float] = defaultdict(float)

    def learn_one(self, x: dict[str, float], y: bool, w: float = 1.0) -> None:
        """Count how often each feature agrees with the label."""
        for name, value in x.items():
            self.agreed[name] += w if (value > 0) == y else -w

    def predict_one(self, x: dict[str, float]) -> bool:
        """The label by the best feature, negated if the feature is mostly wrong."""
        name = max(x, key=lambda each: abs(self.agreed[each]))
        return (x[name] > 0) == (self.agreed[name] >= 0)


def votes(count: int) -> list[tuple[dict[str, float], bool]]:
    """Labels by the majority of five of ten features; one label in twenty is flipped."""
    random = np.random.default_rng(0)
    X = random.choice([-1.0, 1.0], (count, 10))
    y = (X[:, :5].sum(axis=1) > 0) ^ (random.random(count) < 0.05)
    return [
        ({f"x{i}": v for i, v in enumerate(row)}, bool(label)) for row, label in zip(X.tolist(), y)
    ]


def main() -> None:
    """Print the table, and draw the shares of wrong predictions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", help="where to write the picture, .png or .svg")
    options = parser.parse_args()
    if options.plot:
        picture_path(options.plot)
    rows = votes(2000)
    learners: dict[str, Any] = {
        "one feature": OneFeature(),
        "OnlineBBM": OnlineBBM(OneFeature(), n=20, edge=0.2),
        "AdaBoostOL": AdaBoostOL(OneFeature(), n=20),
        "OSBoost": OSBoost(OneFeature(), n=20, edge=0.2),
    }
    curves = {}
    print(f"{'learner':12} {'wrong':>7}   (5.0% of the labels are noise)")
    for name, model in learners.items():
        wrong = np.zeros(len(rows))
        for t, (x, y) in enumerate(rows):
            wrong[t] = model.predict_one(x) != y
            model.learn_one(x, y)
        scores = evaluate.Validation("binary")
        scores.add(wrong, None, wrong)
        curves[name] = scores.curve
        print(f"{name:12} {wrong.mean():7.1%}")
        if hasattr(model, "certificate"):
            certificate = model.certificate()
            bound = f"certified at most {certificate.bound:,.0f}"
            print(f"{'':12} {certificate.mistakes:,.0f} mistakes, {bound}")
    if options.plot:
        figure = learning_curves(curves, loss_name="share of wrong predictions")
        figure.axes[0].set_xlim(30, len(rows))  # the first predictions are mostly chance
        save(figure, options.plot)
        print(f"\nwrote {options.plot}")


if __name__ == "__main__":
    main()
