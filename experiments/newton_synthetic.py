"""Luo (2016), Figures 4.1 and 4.2: sketched Newton on data of growing condition number.

    python experiments/newton_synthetic.py

Writes results/newton_synthetic.json, both pictures and the numbers of docs/newton_experiments.md.
10,000 examples of 100 Gaussian features, turned at random, whose variances are 1 but for ten that rise
linearly to kappa; a separator that is the same for all kappa. Means over five such draws.
"""

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from protocol import (
    PICTURES,
    Tuned,
    adagrad,
    farthest,
    keep,
    newton,
    power,
    powers,
    put,
    scores,
    spectrum,
    tune,
    untuned,
)
from scipy.sparse import csr_array

from regretless.linear import LinearClassifier
from regretless.plots.curves import COLOURS, LINES, MARKERS, save
from regretless.rules import AdaGrad

EXAMPLES, FEATURES, STEEP, DRAWS = 10_000, 100, 10, 5
KAPPAS = range(10, 201, 10)
SIZES = (0, 5, 10)
STEPS, ADAGRAD_STEPS = powers(-14, -3), powers(-14, 6)
ADAGRAD, LOGISTIC = "AdaGrad, tuned", "AdaGrad, logistic, tuned"


def draw(seed: int) -> Iterator[tuple[int, csr_array, NDArray[np.float64]]]:
    """Kappa, examples and labels; only the variances differ."""
    random = np.random.default_rng(seed)
    Z = random.normal(size=(EXAMPLES, FEATURES))
    V, _ = np.linalg.qr(random.normal(size=(FEATURES, FEATURES)))
    y = np.where(Z @ random.normal(size=FEATURES) > 0, 1.0, -1.0)
    for kappa in KAPPAS:
        variances = np.ones(FEATURES)
        variances[-STEEP:] += (kappa - 1) * np.arange(1, STEEP + 1) / STEEP
        yield kappa, csr_array(Z * np.sqrt(variances) @ V.T), y


def logistic(X: csr_array, y: NDArray[np.float64]) -> Tuned:
    """AdaGrad with the loss of `NewtonClassifier`."""
    errors: dict[float, float | None] = {}
    for step in ADAGRAD_STEPS:
        model = LinearClassifier(rule=AdaGrad(step, invariant=False), intercept=False)
        parts = model.validate_many(X, y)
        errors[step] = float(np.mean(np.concatenate([part.wrong for part in parts])))
    return Tuned(errors)


def all_errors(X: csr_array, y: NDArray[np.float64]) -> dict[str, Tuned | float]:
    """One line of figure 4.2 each."""
    found: dict[str, Tuned | float] = {
        ADAGRAD: tune(adagrad(intercept=False), ADAGRAD_STEPS, X, y),
        LOGISTIC: logistic(X, y),
    }
    for size in SIZES:
        learner = newton(size, diagonal=False, intercept=False)
        found[f"m={size}, tuned"] = tune(learner, STEPS, X, y)
    for size in SIZES:
        found[f"m={size}, untuned"] = untuned(size, X, y)
    return found


def eigenvalues(X: csr_array, y: NDArray[np.float64], step: float) -> tuple[list[int], list[float]]:
    """Examples seen, and the largest relative error of the ten largest eigenvalues then."""
    model = newton(10, diagonal=False, intercept=False)(step)
    ends = np.unique(np.geomspace(20, EXAMPLES, 40).astype(int))
    slopes, errors, start = np.empty(0), [], 0
    for end in ends:
        part = slice(start, end)
        slopes = np.append(slopes, 2 * (scores(model, X[part], y[part]) - y[part]))
        errors.append(farthest(model.eigenvalues_, spectrum(X[:end], slopes, 10)))
        start = end
    return ends.tolist(), errors


def picture_of_errors(means: dict[str, list[float]]) -> Figure:
    """Figure 4.2."""
    figure = Figure(figsize=(9.5, 4.8), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    shown = {
        "Newton and AdaGrad tuned": [ADAGRAD, *(f"m={size}, tuned" for size in SIZES)],
        "Newton untuned, AdaGrad tuned": [
            ADAGRAD,
            *(f"m={size}, untuned" for size in SIZES),
            LOGISTIC,
        ],
    }
    for axes, (title, names) in zip(panels, shown.items()):
        for k, name in enumerate(names):
            axes.plot(KAPPAS, means[name], label=name, markevery=(k, 4), **style(k))
        axes.set_xlabel("condition number κ")
        axes.set_title(title, loc="left")
        axes.grid(alpha=0.3)
        axes.set_ylim(0, 0.2)
        axes.legend(frameon=False, handlelength=4, loc="upper left")
    panels[0].set_ylabel("error rate of one pass")
    return figure


def style(k: int) -> dict[str, Any]:
    """How the k-th line is drawn."""
    return {"color": COLOURS[k], "ls": LINES[k], "marker": MARKERS[k], "ms": 5, "lw": 1.8}


def picture_of_eigenvalues(found: dict[int, tuple[list[int], list[list[float]]]]) -> Figure:
    """Figure 4.1."""
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for k, (kappa, (ends, errors)) in enumerate(found.items()):
        mean = np.mean(errors, axis=0)
        axes.plot(ends, mean, label=f"κ = {kappa}", markevery=(k, 4), **style(k))
    axes.set_xscale("log")
    axes.set_yscale("log")
    ticks = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_yticks([], minor=True)
    axes.set_ylim(0.01, 1)
    axes.set_xlabel("examples seen")
    axes.set_ylabel("largest relative error of ten eigenvalues")
    axes.set_title("Oja's estimates (m = 10) against the gradients of the run", loc="left")
    axes.grid(alpha=0.3, which="both")
    axes.legend(frameon=False, handlelength=4)
    return figure


def plain(cells: list[Tuned | float]) -> dict[str, Any]:
    """One setting in all draws, for JSON."""
    tuned = [each for each in cells if isinstance(each, Tuned)]
    errors = [each.error if isinstance(each, Tuned) else each for each in cells]
    return {"errors": errors} | ({"steps": [power(each.step) for each in tuned]} if tuned else {})


def main() -> None:
    """Run all of it and write the results."""
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    found: dict[str, dict[int, list[Tuned | float]]] = {}
    spectra: dict[int, tuple[list[int], list[list[float]]]] = {}
    for seed in range(DRAWS):
        for kappa, X, y in draw(seed):
            for name, cell in all_errors(X, y).items():
                found.setdefault(name, {}).setdefault(kappa, []).append(cell)
            if kappa in (10, 100, 200):
                best = found["m=10, tuned"][kappa][-1]
                assert isinstance(best, Tuned)
                ends, errors = eigenvalues(X, y, best.step)
                spectra.setdefault(kappa, (ends, []))[1].append(errors)
        print(f"draw {seed + 1} of {DRAWS}", flush=True)
    results = {n: {k: plain(cells) for k, cells in by.items()} for n, by in found.items()}
    means = {n: [float(np.mean(r["errors"])) for r in by.values()] for n, by in results.items()}
    PICTURES.mkdir(exist_ok=True)
    save(picture_of_errors(means), PICTURES / "newton_condition.png")
    save(picture_of_eigenvalues(spectra), PICTURES / "newton_eigenvalues.png")
    eigen = {k: {"examples": ends, "errors": errors} for k, (ends, errors) in spectra.items()}
    keep("newton_synthetic", {"4.2": results, "4.1": eigen})
    shown = (10, 50, 100, 150, 200)
    heads = [rf"$\kappa = {kappa}$" for kappa in shown]
    table = [
        f"| | {' | '.join(heads)} | ratio 200 : 10 |",
        "|---" + "|--:" * (len(shown) + 1) + "|",
    ]
    for name, errors in means.items():
        cells = [f"{errors[KAPPAS.index(kappa)]:.4f}" for kappa in shown]
        table.append(f"| {name} | {' | '.join(cells)} | {errors[-1] / errors[0]:.2f} |")
    put("figure 4.2", table)
    print("\n".join(table))
    at = (100, 500, 1000, 10_000)
    table = [
        f"| examples | {' | '.join(f'{t:,}' for t in at)} |",
        "|---" + "|--:" * len(at) + "|",
    ]
    for kappa, (ends, errors) in spectra.items():
        mean = np.interp(at, ends, np.mean(errors, axis=0))
        table.append(rf"| $\kappa = {kappa}$ | {' | '.join(f'{each:.3f}' for each in mean)} |")
    put("figure 4.1", table)
    print("\n".join(table))


if __name__ == "__main__":
    main()
