"""Players of online convex optimisation: against bare NumPy, a plain C++ loop and universal-portfolios.

    python benchmarks/oco.py [--data DIR] [--smoke]

`--data` (or REGRETLESS_DATA) names a directory with portfolio_nyse_o.csv.gz, on which the wealth of EG,
of the uniform portfolio and of the best stock are compared with the published ones. universal-portfolios
is compared with if it is installed.
"""

import argparse
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from harness import Row, best_of, finish, interleaved

from regretless import geometry
from regretless.domains import Simplex
from regretless.oco import (
    AdaGrad,
    CoinBetting,
    ExponentiatedGradient,
    OnlineGradientDescent,
    OnlineMirrorDescent,
    OnlineNewtonStep,
)

HERE = Path(__file__).parent


def bare(name: str, d: int) -> Callable[[np.ndarray], None]:
    """The NumPy expression that a round replaces, with its state in a list."""
    state = [np.full(d, 1.0 / d), np.zeros(d)]

    def exponentiated(z: np.ndarray) -> None:
        w = state[0] * np.exp(-0.01 * z)
        state[0] = w / w.sum()

    def descent(z: np.ndarray) -> None:
        state[0] = state[0] - 0.01 * z

    def p_norm(z: np.ndarray) -> None:
        theta = state[1] = state[1] - z
        size = np.abs(theta)
        norm = np.sum(size**4) ** 0.25
        state[0] = 0.01 * np.sign(theta) * size**3 / norm**2

    return {"EG": exponentiated, "OGD": descent, "p-norm": p_norm}[name]


PLAYERS: dict[str, Callable[[int], Any]] = {
    "EG": lambda d: ExponentiatedGradient(d, rate=0.01),
    "OGD": lambda d: OnlineGradientDescent(d, rate=0.01),
    "p-norm": lambda d: OnlineMirrorDescent(geometry.PNorm(4.0), d, rate=0.01),
}


def rounds_from_python(count: int, repeats: int) -> list[Row]:
    """`w = player.point; player.update(z)` beside the expression it replaces."""
    rows = []
    for name, make in PLAYERS.items():
        for d in (10, 50, 1000):
            Z = list(np.random.default_rng(0).normal(size=(count, d)))
            player, expression = make(d), bare(name, d)

            def ours(player: Any = player, Z: Any = Z) -> None:
                for z in Z:
                    player.update(z)

            def peer(expression: Any = expression, Z: Any = Z) -> None:
                for z in Z:
                    expression(z)

            mine, theirs = interleaved(ours, peer, repeats)
            us = [1e6 * s / count for s in (mine, theirs)]
            required = 1.0 if d < 100 else 1 / 3
            rows.append(Row(f"a round of {name}, d = {d}", "NumPy", *us, None, None, required))
    return rows


def prices(days: int, assets: int) -> np.ndarray:
    """Price relatives of a random walk."""
    return np.exp(0.01 * np.random.default_rng(1).normal(size=(days, assets)))


def floor(X: np.ndarray, eta: float) -> tuple[float, float]:
    """Log wealth and seconds of the plain C++ loop."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "floor"
        subprocess.run(["g++", "-O3", str(HERE / "floor_eg.cpp"), "-o", str(program)], check=True)
        head = np.array([*X.shape, eta], float)
        done = subprocess.run(
            [program], input=head.tobytes() + X.tobytes(), capture_output=True, check=True
        )
    wealth, seconds = map(float, done.stdout.split())
    return wealth, seconds


def portfolios(smoke: bool) -> list[Row]:
    """EG over 5,000 days and 30 assets."""
    X, eta = prices(500 if smoke else 5_000, 30), 0.05
    days = len(X)
    player = lambda: ExponentiatedGradient(30, rate=eta)  # noqa: E731
    mine = best_of(lambda: player().run(X, loss="log_wealth", points=False), 20)
    ours = -player().run(X, loss="log_wealth").loss
    wealth, seconds = floor(X, eta)
    assert math.isclose(ours, wealth, rel_tol=1e-9), (ours, wealth)
    us = [1e6 * s / days for s in (mine, seconds)]
    rows = [Row("EG run, 30 assets", "a plain C++ loop", *us, -ours, -wealth, 0.5)]
    try:
        import pandas as pd
        from universal import algos
    except ImportError as error:
        print(f"universal-portfolios is left out: {error}", file=sys.stderr)
        return rows
    frame = pd.DataFrame(np.cumprod(X, axis=0))
    theirs = best_of(lambda: algos.EG(eta=eta).run(frame), 1)
    rows.append(
        Row(
            "EG run, 30 assets", "universal-portfolios", us[0], 1e6 * theirs / days, None, None, 300
        )
    )
    return rows


def coordinates(count: int) -> dict[str, str]:
    """Microseconds a round of the players that learn every coordinate, at d = 20."""
    Z = np.random.default_rng(0).uniform(-1, 1, (count, 20))
    out = {}
    for name, make in (("coin betting", CoinBetting), ("AdaGrad", AdaGrad)):
        taken = best_of(lambda make=make: make(20).run(Z, points=False), 5)
        out[f"us a round of {name} in run, d = 20 (at most 0.7)"] = f"{1e6 * taken / count:.3f}"
    return out


def published(data: str | None) -> dict[str, str]:
    """Wealth on NYSE(O): uniform 27.08, EG 27.09, online Newton steps 109.19, best stock 54.14."""
    source = Path(data or ".") / "portfolio_nyse_o.csv.gz"
    if not data or not source.exists():
        print(f"{source} is missing: the published wealth is left out", file=sys.stderr)
        return {}
    import gzip

    with gzip.open(source, "rt") as file:
        X = np.loadtxt(file, delimiter=",", skiprows=1, usecols=range(36))
    eg = math.exp(-ExponentiatedGradient(36, rate=0.05).run(X, loss="log_wealth").loss)
    newton = OnlineNewtonStep(
        36, domain=Simplex(), alpha=1.0, curvature=1.0, lazy=True, delta=0.125
    )
    steps = math.exp(-newton.run(X, loss="log_wealth").loss)
    uniform, best = float(np.prod(X.mean(axis=1))), float(np.prod(X, axis=0).max())
    return {
        "NYSE(O): uniform, EG(0.05), Newton, best stock (published 27.08, 27.09, 109.19, 54.14)": (
            f"{uniform:.2f}, {eg:.2f}, {steps:.2f}, {best:.2f}"
        )
    }


def main() -> None:
    """Run all of it and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("REGRETLESS_DATA"))
    parser.add_argument("--smoke", action="store_true", help="small, and keep no results")
    options = parser.parse_args()
    rows = rounds_from_python(500 if options.smoke else 20_000, 1 if options.smoke else 5)
    rows += portfolios(options.smoke)
    notes = {**coordinates(1_000 if options.smoke else 100_000), **published(options.data)}
    finish("oco", rows, notes, keep=not options.smoke)


if __name__ == "__main__":
    main()
