"""Follow experts that take turns: with Hedge, with FixedShare and with AdaNormalHedgeTV.

Hedge cannot follow them, FixedShare must be told how often they change, and AdaNormalHedgeTV need not.

python examples/switching_experts.py [--plot switching.png]
"""

import argparse
from typing import Any

import numpy as np

from regretless.certificates import Certificate
from regretless.experts import AdaNormalHedgeTV, FixedShare, Hedge
from regretless.experts.regrets import best_shifting

ROUNDS, EXPERTS, TURNS = 2000, 8, 4


def turns() -> Any:
    """Losses of 0 and 1: in its turn an expert errs in a tenth of the rounds, otherwise in half."""
    chances = np.full((ROUNDS, EXPERTS), 0.5)
    for turn, rounds in enumerate(np.array_split(np.arange(ROUNDS), TURNS)):
        chances[rounds, turn] = 0.1
    return (np.random.default_rng(0).random(chances.shape) < chances).astype(float)


def main() -> None:
    """Play, print regrets with their bounds, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--plot", help="where to write the picture, .png or .svg")
    options = parser.parse_args()
    losses, shifts = turns(), TURNS - 1
    players = {
        "Hedge": Hedge(EXPERTS, rate="horizon", horizon=ROUNDS),
        "FixedShare, told 100 changes": FixedShare(EXPERTS, horizon=ROUNDS, shifts=100),
        f"FixedShare, told {shifts} changes": FixedShare(EXPERTS, horizon=ROUNDS, shifts=shifts),
        "AdaNormalHedgeTV, told nothing": AdaNormalHedgeTV(EXPERTS, streaming=False),
    }
    runs = {name: player.run(losses) for name, player in players.items()}
    notions: dict[str, dict[str, Any]] = {
        "to the best expert": {},
        f"to {shifts} changes": {"shifts": shifts},
        "in the last turn": {"interval": (ROUNDS - ROUNDS // TURNS, ROUNDS)},
    }
    print(f"{ROUNDS:,} rounds, {EXPERTS} experts, {TURNS} of them take turns; loss and regrets\n")
    print(f"{'':32}{'loss':>5}" + "".join(f"{title:>20}" for title in notions))
    for name, run in runs.items():
        told = [_beside(run.certificate(**notion)) for notion in notions.values()]
        print(f"{name:32}{run.loss:5.0f}" + "".join(f"{text:>20}" for text in told))
    print("\n-: this player's theorem says nothing about this regret")
    if options.plot:
        draw(options.plot, losses, runs)


def _beside(found: Certificate) -> str:
    proved = found.bounds.keys() - {"trivial"}
    return f"{found.regret:.0f}" + (f" <= {found.bound:3.0f}" if proved else f"{'-':>7}")


def draw(path: str, losses: Any, runs: dict[str, Any]) -> None:
    """The weights of AdaNormalHedgeTV, and the total losses of all players and the best sequence."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 7), layout="constrained")
    above, below = figure.subplots(2, sharex=True)
    rounds, best = np.arange(1, ROUNDS + 1), best_shifting(losses, TURNS - 1)
    *_, (adaptive, run) = runs.items()
    weights = [*run.weights[:, :TURNS].T, run.weights[:, TURNS:].sum(axis=1)]
    fills = ["#9ecae1", "#fdd0a2", "#a1d99b", "#e7b9d6", "0.9"]
    above.stackplot(rounds, *weights, colors=fills, edgecolor="0.35", linewidth=0.6)
    for start, stop, expert in best.segments:
        above.text(0.4 * start + 0.6 * stop, 0.5, f"expert {expert}", ha="center")
        for axes in (above, below):
            axes.axvline(max(start, 1), color="black", linewidth=0.8, linestyle=":")
    above.set(ylabel="weight", ylim=(0, 1))
    above.set_title(f"Weights: {adaptive}; dotted: a turn begins", loc="left")
    for style, (name, each) in zip(("-", "--", ":", "-."), runs.items()):
        below.plot(
            rounds, np.cumsum(each.losses), linestyle=style, label=f"{name}: {each.loss:.0f}"
        )
    theirs = np.concatenate([losses[start:stop, expert] for start, stop, expert in best.segments])
    label = f"best sequence in hindsight: {best.loss:.0f}"
    below.plot(rounds, np.cumsum(theirs), color="black", linewidth=1.0, label=label)
    below.set(xlabel="rounds", ylabel="total loss", xlim=(1, ROUNDS), ylim=(0, None))
    below.grid(alpha=0.3)
    below.legend(loc="upper left")
    figure.savefig(path, dpi=150)
    print(f"\nwrote {path}")


if __name__ == "__main__":
    main()
