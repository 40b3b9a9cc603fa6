"""Online boosting of linear learners with many labels: errors and log losses beside the base learner's.

    python experiments/boosting_labels.py --data DIR

Needs scikit-learn to read the files. Writes results/boosting_labels.json and the table of
docs/boosting_experiments.md.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from protocol import ROOT, data_folder, keep, put
from scipy.sparse import csr_array
from sklearn.datasets import load_digits, load_svmlight_file

from regretless._core import Want
from regretless.boosting import AdaBoostOL, OnlineBBM, OSBoost, OSBoostOCP
from regretless.linear import LinearClassifier

PAGE = ROOT / "docs" / "boosting_experiments.md"
SETS = ("pendigits", "letter", "satimage", "segment", "digits", "poker", "shuttle", "activity")
SETS += ("20news",)
BOOSTERS = {
    "OnlineBBM": OnlineBBM,
    "AdaBoost.OL": AdaBoostOL,
    "OSBoost": OSBoost,
    "OSBoost.OCP": OSBoostOCP,
}
MOST = 20_000  # rows, in random order


def load(folder: Path, name: str) -> tuple[csr_array, NDArray[np.int64]]:
    """Rows in random order and their labels."""
    if name == "digits":  # 8 x 8 pixels, of scikit-learn
        X, y = load_digits(return_X_y=True)
    else:
        file = {"poker": "poker_train"}.get(name, name)
        X, y = load_svmlight_file(str(folder / f"{file}.svm.gz"), zero_based=False)
    order = np.random.default_rng(0).permutation(len(y))[:MOST]
    return csr_array(X)[order], y.astype(int)[order]


def progressive(model: Any, X: csr_array, y: NDArray[np.int64]) -> tuple[float, float]:
    """The error and the log loss of predictions, each made before its example is learned."""
    model.partial_fit(X[:1], y[:1], classes=np.unique(y))  # all labels are known from the start
    wrong, lost = 0, 0.0
    for codes, (scores, _) in model._learn(X[1:], y[1:], None, None, Want.scores):
        p = model._model.probabilities(scores).reshape(len(codes), -1)
        lost -= float(np.log(np.maximum(p[np.arange(len(codes)), codes], 1e-12)).sum())
        wrong += int(np.sum(p.argmax(axis=1) != codes))
    return wrong / (len(y) - 1), lost / (len(y) - 1)


def main() -> None:
    """Run all data sets and write the results."""
    folder = data_folder(__doc__.partition("\n")[0])
    found: dict[str, Any] = {}
    table = [f"| set | labels | rule | base | {' | '.join(BOOSTERS)} |"]
    table.append("|---|--:|---" + "|--:" * (1 + len(BOOSTERS)) + "|")
    for name in SETS:
        X, y = load(folder, name)
        for rule in ("coin", "adagrad"):
            weak = LinearClassifier(rule=rule)
            error, loss = progressive(weak.clone(), X, y)
            cells, results = [f"{error:.4f} / {loss:.3f}"], {"base": (error, loss)}
            for column, make in BOOSTERS.items():
                results[column] = progressive(make(weak, n=20), X, y)
                more = 100 * (results[column][0] / error - 1)
                cells.append(f"{more:+.1f} % / {results[column][1] / loss:.2f}")
            found[f"{name}, {rule}"] = results
            table.append(f"| {name} | {len(np.unique(y))} | {rule} | {' | '.join(cells)} |")
            print(table[-1], flush=True)
    keep("boosting_labels", {"rows": MOST, "error and log loss": found})
    put("many labels", table, PAGE)


if __name__ == "__main__":
    main()
