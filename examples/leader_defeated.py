"""An adversary that defeats Follow-the-Leader, but no regularised player.

Shalev-Shwartz (2012), Example 2.2.

python examples/leader_defeated.py [--plot regret.png]
"""

import argparse
from typing import Any

import numpy as np

from regretless import domains
from regretless.oco import (
    CoinBetting,
    FollowTheLeader,
    OnlineGradientDescent,
)

ROUNDS = 1000


def main() -> None:
    """Losses `z_t w` on [-1, 1] with z = -1/2, 1, -1, 1, -1, ...: the leader is always wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", help="where to write the picture, .png or .svg")
    options = parser.parse_args()
    z = np.where(np.arange(ROUNDS) % 2, 1.0, -1.0)[:, None]
    z[0] = -0.5
    interval = domains.Box(np.array([-1.0]), np.array([1.0]))
    players: dict[str, Any] = {
        "Follow-the-Leader": FollowTheLeader(1, interval),
        "FTRL = lazy gradient descent": OnlineGradientDescent(1, domain=interval),
        "Gradient descent, agile": OnlineGradientDescent(1, domain=interval, lazy=False),
        "Coin betting": CoinBetting(1),
    }
    print(f"{ROUNDS:,} rounds on [-1, 1]; the best fixed point has loss -1/2\n")
    regrets = {}
    for name, player in players.items():
        run = player.run(z)
        regrets[name] = run.regret_curve(interval)
        print(f"{name:29} loss {run.loss:9.2f}   regret {run.regret(interval):9.2f}")
    if options.plot:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 5), layout="constrained")
        axes = figure.add_subplot()
        for style, (name, regret) in zip(("-", "--", "-.", ":"), regrets.items()):
            even = slice(1, None, 2)  # regret falls in odd rounds, which would blur the lines
            axes.plot(np.arange(1, ROUNDS + 1)[even], regret[even], linestyle=style, label=name)
        axes.set(xscale="log", yscale="log", xlabel="rounds", ylabel="regret after even rounds")
        axes.set_title("Alternating losses defeat Follow-the-Leader", loc="left")
        axes.grid(alpha=0.3)
        axes.legend()
        figure.savefig(options.plot, dpi=150)
        print(f"\nwrote {options.plot}")


if __name__ == "__main__":
    main()
