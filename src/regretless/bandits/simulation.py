"""Many games at once: players against an environment, with one seed after another."""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.arguments import check_seed, one_of, shown, whole, within
from regretless.bandits.delays import delays_of
from regretless.bandits.environments import Environment
from regretless.bandits.exp4 import Exp4
from regretless.bandits.player import ArmPlayer
from regretless.run import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Simulation", "simulate"]


@dataclass(frozen=True, eq=False)
class Simulation:
    """What came out of many games.

    Attributes, by the name of the player: `loss`, `regret` (to the arm that had lost the least by then)
    and `pseudo_regret` (NaN if means are not known), a row for each seed and a column for each of the
    `rounds` looked at; `pulls`, how often each arm was chosen in all, a row for each seed; `bound` on
    the expected regret at these rounds.

    >>> from regretless.bandits import Bernoulli, UCB1
    >>> result = simulate({"UCB1": UCB1(2)}, Bernoulli([0.4, 0.6]), 1000, seeds=20)
    >>> result.regret["UCB1"].shape == (20, len(result.rounds))
    True
    """

    rounds: NDArray[np.int64]
    seeds: tuple[int, ...]
    loss: dict[str, Array]
    regret: dict[str, Array]
    pseudo_regret: dict[str, Array]
    pulls: dict[str, Array]
    bound: dict[str, Array]

    @property
    def names(self) -> list[str]:
        """Of the players."""
        return list(self.regret)

    @property
    def has_means(self) -> bool:
        """Whether pseudo-regret is known."""
        return not any(np.isnan(each).any() for each in self.pseudo_regret.values())

    def band(
        self, name: str, what: str = "regret", confidence: float = 0.95
    ) -> tuple[Array, Array, Array]:
        """Mean over the seeds of "regret", "pseudo_regret" or "loss", and an interval around it.

        Student's: as for normal means. After each of `rounds`.

        >>> from regretless.bandits import Bernoulli, Exp3
        >>> result = simulate({"Exp3": Exp3(2)}, Bernoulli([0.4, 0.6]), 100, seeds=10)
        >>> low, mean, high = result.band("Exp3")
        >>> bool((low <= mean).all() and (mean <= high).all())
        True
        """
        one_of(what, "what", ("regret", "pseudo_regret", "loss"))
        if name not in self.regret:
            raise ValueError(f"name={name!r} is none of {', '.join(self.names)}")
        within(confidence, "confidence", "(0, 1)")
        from scipy.stats import t as student

        values: Array = getattr(self, what)[name]
        mean, count = values.mean(axis=0), len(values)
        if count < 2:
            return mean, mean, mean
        error = values.std(axis=0, ddof=1) / math.sqrt(count)
        half = float(student.ppf(0.5 + confidence / 2.0, count - 1)) * error
        return mean - half, mean, mean + half

    def plot(self, path: str | PathLike[str] | None = None, what: str | None = None) -> "Figure":
        """Draw mean regrets with their bands; write it to `path`, .png or .svg.

        `what`: "regret" or "pseudo_regret"; by default the latter if it is known.
        """
        from regretless.plots.bandits import regret_bands

        return regret_bands(self, path, what=what)

    def __str__(self) -> str:
        wide = max(6, *(len(name) for name in self.names))
        head = f"{int(self.rounds[-1]):,} rounds, {len(self.seeds)} seeds; mean +- 95%"
        lines = [head, f"{'player':<{wide}}{'regret':>18}{'pseudo-regret':>18}{'bound':>10}"]
        for name in self.names:
            cells = []
            for what in ("regret", "pseudo_regret"):
                _, mean, high = self.band(name, what)
                known = not math.isnan(mean[-1])
                cells.append(f"{mean[-1]:.1f} +- {high[-1] - mean[-1]:.1f}" if known else "-")
            bound = self.bound[name][-1]
            last = f"{bound:.0f}" if math.isfinite(bound) else "-"
            lines.append(f"{name:<{wide}}{cells[0]:>18}{cells[1]:>18}{last:>10}")
        return "\n".join(lines)


def simulate(
    players: ArmPlayer | Sequence[ArmPlayer] | Mapping[str, ArmPlayer],
    environment: Any,
    rounds: int | None = None,
    *,
    seeds: int | Iterable[int] = 100,
    workers: int | None = None,
    checkpoints: int | Iterable[int] = 60,
    delay: Any = None,
) -> Simulation:
    """Let every player play with every seed, in parallel, and keep what was lost.

    Players are copied, and stay as they are. With the same seed all of them meet the same losses.

    Parameters
    ----------
    players : one, several, or several with names.
    environment : `Bernoulli`, `Gaussian`, or a matrix of losses, the same for all seeds.
    rounds : how many; of a matrix all of them.
    seeds : how many, from 0 on, or which.
    workers : threads; as many as processors by default. The result does not depend on them.
    checkpoints : at how many rounds to look, more densely at the beginning, or which.
    delay : as of `run`.

    >>> from regretless.bandits import Bernoulli, Exp3, ThompsonSampling, TsallisINF, UCB1
    >>> players = [Exp3(3), TsallisINF(3), UCB1(3), ThompsonSampling(3)]
    >>> print(simulate(players, Bernoulli([0.3, 0.5, 0.6]), 5000, seeds=30))
    5,000 rounds, 30 seeds; mean +- 95%
    player                      regret     pseudo-regret     bound
    Exp3                  ...
    """
    named = _named(players)
    seen = tuple(
        range(whole(seeds, "seeds"))
        if isinstance(seeds, int)
        else (check_seed(seed) for seed in seeds)
    )
    if not seen:
        raise ValueError("seeds is empty: there is nothing to play")
    table: Array | None = None
    if not isinstance(environment, Environment):
        table = next(iter(named.values()))._rows(environment)
        rounds = len(table) if rounds is None else rounds
    count = whole(0 if rounds is None else rounds, "rounds")
    if table is not None and count > len(table):
        raise ValueError(f"rounds={count}, but the matrix has {len(table)}")
    at, delays = _checkpoints(checkpoints, count), delays_of(delay, count)
    for name, player in named.items():
        n = environment.n if table is None else table.shape[1]
        if player.n != n:
            raise ValueError(f"{name} has {player.n} arms, the environment {n}")

    def game(job: tuple[str, int, ArmPlayer]) -> tuple[Array, ...]:
        name, seed, player = job
        player._reseed(seed)
        world = environment._world(seed) if table is None else _core.table(table)
        done, *found = player._engine.watch(world, at.tolist(), delays)
        if done < count:
            raise ValueError(
                f"in round {done} with seed {seed} {name} met a loss outside range={player.range}"
            )
        return tuple(found)

    jobs = [(name, seed, player.clone()) for name, player in named.items() for seed in seen]
    threads = (os.cpu_count() or 1) if workers is None else whole(workers, "workers")
    with ThreadPoolExecutor(threads) as pool:
        results = list(pool.map(game, jobs))
    parts: dict[str, dict[str, Array]] = {
        k: {} for k in ("loss", "regret", "pseudo_regret", "pulls")
    }
    bound = {}
    for k, (name, player) in enumerate(named.items()):
        mine = results[k * len(seen) : (k + 1) * len(seen)]
        loss, best, pseudo, pulls = (np.stack(each) for each in zip(*mine))
        parts["loss"][name], parts["regret"][name] = loss, loss - best
        parts["pseudo_regret"][name] = pseudo
        parts["pulls"][name] = pulls.reshape(len(seen), len(at), -1)[:, -1]
        gaps = player._gaps(environment.means) if table is None else None
        proven = delays is None and player.present.all()
        bound[name] = (
            player._width * player._promised(at.astype(np.float64), gaps)
            if proven
            else np.full(len(at), math.nan)
        )
    return Simulation(at, seen, bound=bound, **parts)


def _named(players: Any) -> dict[str, ArmPlayer]:
    if isinstance(players, ArmPlayer):
        players = [players]
    if not isinstance(players, Mapping):
        listed = list(players)
        short = [type(each).__name__ for each in listed]
        names = [s if short.count(s) == 1 else repr(each) for s, each in zip(short, listed)]
        players = {
            name if names.count(name) == 1 else f"{name} #{k}": each
            for k, (name, each) in enumerate(zip(names, listed))
        }
    if not players:
        raise ValueError("players is empty: somebody must play")
    for name, player in players.items():
        if not isinstance(player, ArmPlayer) or isinstance(player, Exp4):
            raise ValueError(
                f"players[{name!r}] = {shown(player)} is no player of arms that needs no advice"
            )
        if player.decisions:
            raise ValueError(f"players[{name!r}] has played before: give a new one")
    return dict(players)


def _checkpoints(given: Any, count: int) -> NDArray[np.int64]:
    if isinstance(given, (int, np.integer)):
        points = np.geomspace(1, count, whole(given, "checkpoints")).round()
    else:
        points = np.array(sorted(whole(each, "checkpoints") for each in given))
        if points.size and points[-1] > count:
            raise ValueError(f"checkpoints go to {points[-1]}, but rounds={count}")
    return np.unique(np.append(points, count)).astype(np.int64)
