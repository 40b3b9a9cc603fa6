"""How clear is a vote of stumps? Margins of AdaBoost, NH-Boost and NH-Boost.DT on tumours.

    python examples/margins.py [--rounds 200] [--plot margins.png]

The three make about the same number of errors, but most votes of NH-Boost.DT are clearer, and most of
its examples soon have weight 0 (Luo (2016), Figures 2.3 and 2.2).
"""

import argparse

import numpy as np

from regretless import plots, streams
from regretless.boosting import AdaBoost, NHBoost, NHBoostDT


def main() -> None:
    """Train on every other tumour, print errors and margins, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--plot", help="where to write the picture, .png or .svg")
    options = parser.parse_args()
    tumours = list(streams.bundled("breast_cancer"))
    names = sorted(tumours[0][0])
    X = np.array([[x.get(name, 0.0) for name in names] for x, _ in tumours])
    y = np.array([label for _, label in tumours])
    models = {
        "AdaBoost": AdaBoost(rounds=options.rounds),
        "NH-Boost": NHBoost(rounds=options.rounds),
        "NH-Boost.DT": NHBoostDT(rounds=options.rounds),
    }
    print(f"{'':12}{'train':>7}{'test':>7}{'least margin':>14}{'median':>8}{'weight 0':>10}")
    for name, model in models.items():
        model.fit(X[::2], y[::2])
        margins = model.margins(X[::2], y[::2])
        print(
            f"{name:12}{model.errors_[-1]:7.3f}{1 - model.score(X[1::2], y[1::2]):7.3f}"
            f"{margins.min():14.3f}{np.median(margins):8.3f}{model.zero_weights_.mean():10.3f}"
        )
    first = models["NH-Boost.DT"].stumps_[0]
    print(f"\nfirst {first}; x[{first.feature}] is {names[first.feature]}")
    if options.plot:
        plots.margin_curves(models, X[::2], y[::2], options.plot, title="breast cancer, training")


if __name__ == "__main__":
    main()
