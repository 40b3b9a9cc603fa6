"""Diagonal adaptation as the thesis prints it, and as the thesis ran it.

    python experiments/newton_diagonal.py --data DIR

Without a sketch (m = 0), predictions cut to [-1, 1], the thesis' grid, file order. Features are divided
by the root of D_i, which starts at 0.1. D_i contains the squared gradients before the current one, as
printed, or also the current one when the weights change, as in the library. Both are written in NumPy,
and compared with Vowpal Wabbit's own. Data sets below 100,000 examples. Needs scikit-learn and Vowpal
Wabbit. Writes results/newton_diagonal.json and a table of docs/newton_experiments.md.
"""

from functools import partial
from typing import Any

import numpy as np
from newton_tables import FILES, THESIS, THESIS_STEPS
from numpy.typing import NDArray
from protocol import Tuned, data_folder, keep, load, power, put
from vowpalwabbit import Workspace

MOST = 100_000


def error(X: Any, y: NDArray[np.float64], step: float, current: bool) -> float:
    """The error rate of gradient steps on `x_i / sqrt(D_i)`, with half of the squared loss."""
    d = X.shape[1] + 1  # with the constant
    w, D, wrong = np.zeros(d), np.full(d, 0.1), 0
    for t, target in enumerate(y):
        row = slice(X.indptr[t], X.indptr[t + 1])
        i, x = np.append(X.indices[row], d - 1), np.append(X.data[row], 1.0)
        before = D[i]
        score = w[i] @ (x / np.sqrt(before))
        wrong += (score > 0) != (target > 0)
        g = (min(max(score, -1.0), 1.0) - target) * x
        D[i] += g * g
        w[i] -= step * g / np.sqrt(D[i] if current else before)
    return float(wrong / len(y))


def their_error(X: Any, y: NDArray[np.float64], step: float) -> float:
    """The error rate of Vowpal Wabbit, with a sketch of one row that never learns."""
    wabbit = Workspace(
        f"--OjaNewton --sketch_size 1 --learning_rate_cnt 0 --alpha_inverse {step} --quiet"
    )
    wrong = 0
    for t, target in enumerate(y.tolist()):
        row = slice(X.indptr[t], X.indptr[t + 1])
        pairs = zip(X.indices[row].tolist(), X.data[row].tolist())
        example = wabbit.example(f"{target} | " + " ".join(f"{k}:{x!r}" for k, x in pairs))
        wabbit.learn(example)  # after it has predicted
        wrong += (example.get_simplelabel_prediction() > 0) != (target > 0)
        wabbit.finish_example(example)
    wabbit.finish()
    return wrong / len(y)


def main() -> None:
    """Run all data sets that are available and write the results."""
    folder = data_folder(__doc__.partition("\n")[0])
    ways = {
        "Vowpal Wabbit": their_error,
        "with the current gradient": partial(error, current=True),
        "as printed": partial(error, current=False),
    }
    table = [f"| set | thesis | {' | '.join(ways)} |", "|---|--:|--:|--:|--:|"]
    results: dict[str, Any] = {}
    for name, (_, _, theirs, *_) in THESIS.items():
        data = load(folder, FILES.get(name, name))
        if data is None or len(data[1]) > MOST:
            continue
        found = {
            way: Tuned({step: run(*data, step) for step in THESIS_STEPS})
            for way, run in ways.items()
        }
        results[name] = {
            way: {"error": each.error, "step": power(each.step)} for way, each in found.items()
        }
        cells = " | ".join(f"{each.error:.4f}" for each in found.values())
        table.append(f"| {name} | {theirs:.4f} | {cells} |")
        print(table[-1], flush=True)
    keep("newton_diagonal", results)
    put("diagonal", table)


if __name__ == "__main__":
    main()
