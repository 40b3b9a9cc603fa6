"""Luo (2016), Tables D.3 and 4.1: sketched Newton on real data sets, printed and repeated.

    python experiments/newton_tables.py --data DIR

Needs scikit-learn to read the files. Writes results/newton_tables.json and both tables of
docs/newton_experiments.md.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from protocol import (
    Learner,
    Tuned,
    adagrad,
    data_folder,
    farthest,
    keep,
    load,
    newton,
    power,
    powers,
    put,
    scores,
    spectrum,
    tune,
    tune_clipped,
    untuned,
)
from scipy.sparse import csr_array, hstack

COLUMNS = {
    "no diagonal, m=0": newton(0, diagonal=False, intercept=True),
    "no diagonal, m=10": newton(10, diagonal=False, intercept=True),
    "diagonal, m=0": newton(0, diagonal=True, intercept=True),
    "diagonal, m=10": newton(10, diagonal=True, intercept=True),
    "AdaGrad": adagrad(intercept=True),
}
UNTUNED = "untuned"
FILES = {"mnist": "mnist_4v9"}  # data sets whose file has another name
THESIS = {  # Table D.3, in the order of COLUMNS
    "20news": (0.121338, 0.121338, 0.049590, 0.049590, 0.068020),
    "a9a": (0.204447, 0.195203, 0.155953, 0.155953, 0.156414),
    "acoustic": (0.305824, 0.260241, 0.257894, 0.257894, 0.259493),
    "adult": (0.199763, 0.199803, 0.150830, 0.150830, 0.181582),
    "australian": (0.366667, 0.366667, 0.162319, 0.157971, 0.289855),
    "breast-cancer": (0.374817, 0.374817, 0.036603, 0.036603, 0.358712),
    "census": (0.093610, 0.062038, 0.051479, 0.051439, 0.069629),
    "cod-rna": (0.175107, 0.175107, 0.049710, 0.049643, 0.081066),
    "covtype": (0.042304, 0.042312, 0.050827, 0.050818, 0.045507),
    "diabetes": (0.433594, 0.433594, 0.329427, 0.328125, 0.391927),
    "gisette": (0.208000, 0.208000, 0.152000, 0.152000, 0.154000),
    "heart": (0.477778, 0.388889, 0.244444, 0.244444, 0.362963),
    "ijcnn1": (0.046826, 0.046826, 0.034536, 0.034645, 0.036913),
    "ionosphere": (0.188034, 0.148148, 0.182336, 0.182336, 0.190883),
    "letter": (0.306650, 0.232300, 0.233250, 0.230450, 0.237350),
    "magic04": (0.000263, 0.000263, 0.000158, 0.000158, 0.000210),
    "mnist": (0.062336, 0.062336, 0.040031, 0.039182, 0.046561),
    "mushrooms": (0.003323, 0.002339, 0.002462, 0.002462, 0.001969),
    "rcv1": (0.055976, 0.052694, 0.052764, 0.052766, 0.050938),
    "real-sim": (0.045140, 0.043577, 0.029498, 0.029498, 0.031670),
    "splice": (0.343000, 0.343000, 0.294000, 0.229000, 0.301000),
    "w1a": (0.001615, 0.001615, 0.004845, 0.004845, 0.003633),
    "w8a": (0.000101, 0.000101, 0.000422, 0.000422, 0.000221),
}
THESIS_EIGENVALUES = {  # Table 4.1
    "a9a": 0.896533, "australian": 0.846063, "breast-cancer": 5.383578, "diabetes": 5.128097,
    "heart": 4.360492, "ijcnn1": 0.569727, "magic04": 11.479917, "mushrooms": 0.910814,
    "splice": 8.226752, "w8a": 0.954262,
}  # fmt: skip
THESIS_STEPS = powers(-3, 6)


def clipped(X: csr_array, y: NDArray[np.float64]) -> dict[str, Tuned | float]:
    """All columns as the thesis ran them, on its grid.

    Vowpal Wabbit's Newton takes half of the squared loss: a step of 2 is one of 1 for the whole. That of
    AdaGrad is the same for both.
    """
    ran: dict[str, tuple[Learner, list[float]]] = {
        name: (learner, THESIS_STEPS if name == "AdaGrad" else powers(-4, 5))
        for name, learner in COLUMNS.items()
    }
    return {**tune_clipped(ran, X, y)}


def steps(X: csr_array, column: str) -> list[float]:
    """The thesis' grid, and further down as far as the size of the examples asks."""
    if column.startswith("diagonal"):
        return powers(-14, 6)
    squares = 1.0 + X.multiply(X).sum(axis=1)  # with the constant
    return powers(math.floor(-math.log2(max(4 * squares.max(), 256 * squares.mean()))), 6)


def eigenvalues(X: csr_array, y: NDArray[np.float64], step: float) -> dict[str, Any]:
    """Oja's estimates after one pass, and those of the gradients that this pass has met."""
    whole = csr_array(hstack([X, np.ones((X.shape[0], 1))], format="csr"))
    model = newton(10, diagonal=False, intercept=False)(step)
    slopes = 2 * (scores(model, whole, y) - y)
    exact, estimate = spectrum(whole, slopes, 10), model.eigenvalues_
    return {
        "step": power(step),
        "largest difference": farthest(estimate, exact),
        "exact": exact.tolist(),
        "Oja": estimate.tolist(),
    }


def measured(X: csr_array, y: NDArray[np.float64]) -> dict[str, Tuned | float]:
    """All columns."""
    found: dict[str, Tuned | float] = {
        name: tune(learner, steps(X, name), X, y) for name, learner in COLUMNS.items()
    }
    return {**found, UNTUNED: untuned(10, X, y)}


def shown(cell: Tuned | float | None, starred: bool) -> str:
    """An error rate, with a dagger if its step is not on the thesis' grid."""
    if cell is None:
        return ""
    if not isinstance(cell, Tuned):
        return f"{cell:.4f}"
    return f"{cell.error:.4f}" + ("†" if starred and cell.step not in THESIS_STEPS else "")


def shown_power(step: str) -> str:
    """A power of two, as `power` writes it, as mathematics for the page."""
    base, _, exponent = step.partition("^")
    return f"${base}^{{{exponent}}}$"


def rows(name: str, found: dict[str, dict[str, Tuned | float]]) -> Iterator[str]:
    """The line of the thesis, then ours."""
    lines = {"thesis": dict(zip(COLUMNS, THESIS[name])), **found}
    for k, (run, cells) in enumerate(lines.items()):
        texts = [
            shown(cells.get(column), starred=run != "clipped") for column in (*COLUMNS, UNTUNED)
        ]
        yield f"| {name if k == 0 else ''} | {run} | {' | '.join(texts)} |"


def plain(cell: Tuned | float) -> Any:
    """For JSON."""
    if not isinstance(cell, Tuned):
        return cell
    errors = {power(step): error for step, error in cell.errors.items()}
    return {"error": cell.error, "step": power(cell.step), "by step": errors}


def main() -> None:
    """Run all data sets that are available and write the results."""
    folder = data_folder(__doc__.partition("\n")[0])
    results: dict[str, Any] = {}
    spectra: dict[str, Any] = {}
    table = [
        f"| set | run | {' | '.join([*COLUMNS, UNTUNED])} |",
        "|---|---" + "|--:" * (len(COLUMNS) + 1) + "|",
    ]
    missing = []
    for name in THESIS:
        data = load(folder, FILES.get(name, name))
        if data is None:
            missing.append(name)
            continue
        X, y = data
        shuffled = np.random.default_rng(0).permutation(len(y))
        found = {
            "clipped": clipped(X, y),
            "file": measured(X, y),
            "shuffled": measured(X[shuffled], y[shuffled]),
        }
        lines = list(rows(name, found))
        print("\n".join(lines), flush=True)
        table += lines
        results[name] = {o: {k: plain(c) for k, c in cells.items()} for o, cells in found.items()}
        if name in THESIS_EIGENVALUES:
            best = found["file"]["no diagonal, m=10"]
            assert isinstance(best, Tuned)
            spectra[name] = eigenvalues(X, y, best.step)
            print(name, THESIS_EIGENVALUES[name], spectra[name], flush=True)
    keep("newton_tables", {"D.3": results, "4.1": spectra, "not at hand": missing})
    put("table D.3", [*table, "", f"Data sets not available: {', '.join(missing) or 'none'}."])
    put(
        "table 4.1",
        ["| set | thesis | ours | step |", "|---|--:|--:|--:|"]
        + [
            f"| {name} | {THESIS_EIGENVALUES[name]:.3f} | {each['largest difference']:.3f} "
            f"| {shown_power(each['step'])} |"
            for name, each in spectra.items()
        ],
    )


if __name__ == "__main__":
    main()
