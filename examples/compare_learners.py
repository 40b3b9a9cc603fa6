"""Compare several learners on one stream, in a table and a picture.

    python examples/compare_learners.py [--plot curves.png]

Each example is predicted before it is learned. Learners of River and scikit-learn take part if these
libraries are installed.
"""

import argparse
from importlib.util import find_spec
from typing import Any

from regretless import evaluate, plots, streams
from regretless.linear import LinearClassifier, PassiveAggressive, Perceptron

# these have other losses, or losses on another scale
APART = ("Perceptron", "passive-aggressive", "scikit-learn, SGD")


def learners() -> dict[str, Any]:
    """The learners, all with their default options."""
    out: dict[str, Any] = {
        "coin (default)": LinearClassifier(),
        "AdaGrad": LinearClassifier(rule="adagrad"),
        "FTRL": LinearClassifier(rule="ftrl"),
        "Perceptron": Perceptron(),
        "passive-aggressive": PassiveAggressive(),
    }
    if find_spec("river"):
        from river import linear_model

        out["River, logistic"] = linear_model.LogisticRegression()
    if find_spec("sklearn"):
        from sklearn.linear_model import SGDClassifier

        out["scikit-learn, SGD"] = SGDClassifier(loss="log_loss", random_state=0)
    return out


def main() -> None:
    """Print the table, and draw the curves that can be compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", help="where to write the picture, .png or .svg")
    options = parser.parse_args()
    curves = {}
    print(f"{'learner':20} {'loss':>8} {'error':>8} {'AUC':>8} {'examples/s':>12}")
    for name, model in learners().items():
        report = evaluate.progressive(model, streams.bundled("phishing"))
        print(
            f"{name:20} {report.mean_loss:8.4f} {report.error:8.4f} {report.auc:8.4f} "
            f"{report.examples_per_second:12,.0f}"
        )
        if name not in APART:
            curves[name] = report.curve
    if options.plot:
        plots.learning_curves(curves, options.plot)
        print(f"wrote {options.plot}")


if __name__ == "__main__":
    main()
