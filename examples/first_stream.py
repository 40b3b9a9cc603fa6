"""Learn four real data sets, one example at a time, in one pass, with nothing to tune.

python examples/first_stream.py            # the table
python examples/first_stream.py --plot f.png   # and the learning curve of one of them
"""

import argparse
import math
import time
from collections.abc import Callable
from typing import Any

from regretless import streams
from regretless.linear import LinearClassifier, LinearRegressor, PassiveAggressive, Perceptron


def classify(model: Any, name: str) -> tuple[int, float, str]:
    """Predict, count, learn; the answer is the share of wrong predictions."""
    wrong = total = 0
    for x, y in streams.bundled(name):
        wrong += model.predict_one(x) != y
        model.learn_one(x, y)
        total += 1
    return total, wrong / total, "error"


def regress(model: Any, name: str) -> tuple[int, float, str]:
    """Predict, add up, learn; the answer is the root of the mean squared error."""
    squares = total = 0.0
    for x, y in streams.bundled(name):
        squares += (model.predict_one(x) - y) ** 2
        model.learn_one(x, y)
        total += 1
    return int(total), math.sqrt(squares / total), "RMSE"


def plot_curve(path: str) -> None:
    """Draw the mean loss so far beside what no linear model of norm 3 could have gone below."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    model = LinearClassifier(certify=True)
    rounds, mean, lower = [], [], []
    for t, (x, y) in enumerate(streams.bundled("phishing"), 1):
        model.learn_one(x, y)
        if t % 10 == 0:
            rounds.append(t)
            mean.append(model.loss_ / t)
            lower.append(model.certificate().best_possible(norm=3, mean=True))
    figure, axes = plt.subplots(figsize=(7, 4.2))
    axes.plot(rounds, mean, color="black", label="LinearClassifier(), no tuning")
    label = "no linear model of norm 3 is below this"
    axes.plot(rounds, lower, color="black", linestyle="--", label=label)
    axes.fill_between(rounds, lower, mean, color="0.9", label="regret is at most this wide")
    axes.set(
        xlabel="examples seen",
        ylabel="mean logistic loss (nats per example)",
        title="One pass over 1,250 web pages: loss and certificate",
        ylim=(0, 0.8),
        xlim=(0, rounds[-1]),
    )
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    print(f"\nThe curve is in {path}.")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--plot", metavar="FILE", help="also draw a learning curve with its certificate"
    )
    plot = parser.parse_args().plot

    jobs: list[tuple[str, Any, Callable[[Any, str], tuple[int, float, str]]]] = [
        ("phishing", LinearClassifier(certify=True), classify),
        ("phishing", Perceptron(certify=True), classify),
        ("phishing", PassiveAggressive(certify=True), classify),
        ("breast_cancer", LinearClassifier(certify=True), classify),
        ("digits", LinearClassifier(certify=True), classify),
        ("diabetes", LinearRegressor(certify=True), regress),
    ]
    print(
        f"{'data':14} {'learner':18} {'examples':>8} {'progressive':>17} "
        f"{'mean loss':>10} {'certified':>10} {'us/example':>11}"
    )
    for name, model, run in jobs:
        start = time.perf_counter()
        total, score, unit = run(model, name)
        micros = (time.perf_counter() - start) / total * 1e6
        best = model.certificate().best_possible(norm=1, mean=True)
        print(
            f"{name:14} {type(model).__name__:18} {total:8,} {score:10.3f} {unit:>6} "
            f"{model.loss_ / total:10.4g} {best:10.4g} {micros:11.1f}"
        )
    print(
        "\nprogressive: every example is predicted before it is learned."
        "\ncertified:   no linear model of norm at most 1, chosen in hindsight, has a smaller mean loss."
        "\nThe time includes reading the file."
    )
    if plot:
        plot_curve(plot)


if __name__ == "__main__":
    main()
