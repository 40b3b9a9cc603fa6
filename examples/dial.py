"""Set two prices a day and see only what they earned: once a day, twice a day, or with the slope.

python examples/dial.py [--plot regret.png]
"""

import argparse
from typing import Any

import numpy as np

from regretless.bandits import BanditGradientDescent
from regretless.domains import Box
from regretless.oco import OnlineGradientDescent
from regretless.plots.curves import picture_path, save

DAYS, SEEDS = 3000, 10
BEST = np.array([0.3, 0.6])  # the best prices, which the player does not know


def missed(prices: np.ndarray) -> float:
    """The earnings missed that day."""
    return float(np.abs(prices - BEST).sum())


def curve(seed: int, points: int) -> np.ndarray:
    """The regret after each day, with one value a day, two values, or (points=0) the slope."""
    if points:
        player: Any = BanditGradientDescent(
            2,
            domain=Box(0.0, 1.0),
            horizon=DAYS,
            points=points,
            inside=True,
            lipschitz=1.5,
            seed=seed,
        )
        return player.run(missed, DAYS).regret_curve(comparator=BEST)
    slope = OnlineGradientDescent(
        2, domain=Box(0.0, 1.0), rate="horizon", horizon=DAYS, lipschitz=1.5
    )
    lost = []
    for _ in range(DAYS):
        lost.append(missed(slope.point))
        slope.update(np.sign(slope.point - BEST))
    return np.cumsum(lost)


def main() -> None:
    """Print the missed earnings, and draw them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", help="where to write the picture, .png or .svg")
    options = parser.parse_args()
    if options.plot:
        picture_path(options.plot)
    names = {"one value a day": 1, "two values a day": 2, "known slope": 0}
    found = {
        name: np.array([curve(seed, points) for seed in range(SEEDS if points else 1)])
        for name, points in names.items()
    }
    print(f"earnings missed in {DAYS:,} days, mean of {SEEDS} seeds")
    for name, regrets in found.items():
        print(f"{name:20} {regrets[:, -1].mean():8.1f}")
    if options.plot:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 5), layout="constrained")
        axes, days = figure.add_subplot(), np.arange(1, DAYS + 1)
        for style, colour, (name, regrets) in zip(
            ("-", "--", "-."), ("#d55e00", "#0072b2", "#009e73"), found.items()
        ):
            low, high = regrets.min(axis=0), regrets.max(axis=0)
            axes.fill_between(days, low, high, color=colour, alpha=0.15)
            axes.plot(days, regrets.mean(axis=0), linestyle=style, color=colour, label=name)
        axes.set(xscale="log", yscale="log", xlim=(10, DAYS), ylim=(1, None))
        axes.set(xlabel="days", ylabel="earnings missed so far")
        axes.set_title("Regret if only the earnings are seen; bands: all seeds", loc="left")
        axes.grid(alpha=0.3)
        axes.legend()
        save(figure, options.plot)
        print(f"\nwrote {options.plot}")


if __name__ == "__main__":
    main()
