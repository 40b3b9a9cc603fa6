"""Learn four real data sets, one example at a time, in one pass, without tuning.

python examples/first_stream.py            # the table
python examples/first_stream.py --plot f.png   # and the learning curve of one of them
"""

import argparse
from typing import Any

from regretless import evaluate, streams
from regretless.linear import Auto, LinearClassifier, LinearRegressor

# the norms fit the targets: those of diabetes are in the hundreds
JOBS: list[tuple[str, Any, tuple[int, ...]]] = [
    ("phishing", LinearClassifier(), (1, 3, 10)),
    ("phishing", Auto(), (1, 3, 10)),
    ("breast_cancer", Auto(), (1, 3, 10)),
    ("digits", Auto(), (1, 3, 10)),
    ("diabetes", LinearRegressor(), (100, 300, 1000)),
]


def plot_curve(path: str) -> None:
    """Draw the mean loss so far, and lower bounds for linear models of three norms."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    norms = (1, 3, 10)
    report = evaluate.progressive(LinearClassifier(), streams.bundled("phishing"), certify=norms)
    figure, axes = plt.subplots(figsize=(7, 4.2))
    curve = report.curve
    axes.plot(curve.examples, curve.mean_loss, color="black", lw=2)
    axes.annotate(
        f"LinearClassifier(), no tuning: {report.mean_loss:.2f}",
        (1200, report.mean_loss),
        (1230, report.mean_loss + 0.07),
        ha="right",
    )
    for norm, colour, away in zip(norms, ("tab:red", "tab:orange", "tab:blue"), (15, -45, -45)):
        examples, best = curve.best(norm)
        axes.plot(examples, best, color=colour, linestyle="--")
        axes.fill_between(examples, 0, best, color=colour, alpha=0.08, lw=0)
        axes.annotate(
            f"no linear model of norm {norm} is below {best[-1]:.2f}",
            (1200, best[-1]),
            (1230, best[-1] + away / 1000),
            ha="right",
            color=colour,
        )
    axes.set(
        xlabel="examples seen",
        ylabel="mean logistic loss (nats per example)",
        title="One pass over 1,250 web pages, and what it proves about all linear models",
        ylim=(0, 0.8),
        xlim=(0, 1250),
    )
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    print(f"\nwrote {path}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--plot", metavar="FILE", help="also draw a learning curve with its certificate"
    )
    plot = parser.parse_args().plot

    print(
        f"{'data':14} {'learner':18} {'examples':>8} {'progressive':>13} {'mean loss':>10}   "
        "no linear model of this norm is below"
    )
    for name, model, norms in JOBS:
        report = evaluate.progressive(model, streams.bundled(name), certify=norms)
        rmse = report.rmse
        score = f"{report.error:.1%} wrong" if rmse is None else f"{rmse:.1f} RMSE"
        mean = (report.audited_loss or 0.0) / report.examples
        proved = (f"{n}: {report.best_possible(n, mean=True):.4g}" for n in norms)
        print(
            f"{name:14} {type(model).__name__:18} {report.examples:8,} {score:>13} {mean:10.4g}   "
            + ",  ".join(proved)
        )
    print(
        "\nprogressive: every example is predicted before it is learned."
        "\nThe bounds are proved: no linear model of that norm, even chosen in hindsight, has a smaller"
        "\nmean loss. A norm is measured in units of the largest value of each feature. Where a bound is"
        "\nabove the mean loss, the learner did better than all models of that norm."
    )
    if plot:
        plot_curve(plot)


if __name__ == "__main__":
    main()
