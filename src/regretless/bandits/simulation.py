"""Simulations: players against an environment, once for each of many seeds, in parallel."""

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.bandits.environments import Environment
from regretless.bandits.player import ArmPlayer
from regretless.bandits.run import mixture
from regretless.base.arguments import Array, check_seed, one_of, shown, whole, within
from regretless.base.run import Run
from regretless.base.waiting import delays_of
from regretless.certificates import Certificate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class FoundCurves(NamedTuple):
    """The results at the recorded rounds, a row for each seed."""

    loss: Array
    best: Array  # the least that an arm had lost
    pseudo: Array
    pulls: Array


class Simulation(Run):
    """The results of many games of one player, one for each seed.

    It is a run of the means over the seeds. `regret` is the mean regret to an arm that is fixed in
    advance; if losses are drawn around means, it is the pseudo-regret. `bound` is the theorem's bound
    on the expectation of that regret. Only the rounds in `index` are recorded: curves have an entry for
    each of them, and `losses` are the losses since the recorded round before.

    Attributes: those of `Run`; `seeds`; `player`, as it was before the first round; `totals`, the loss
    up to each of these rounds, `hindsight`, the regret to the arm that had lost the least by then, and
    `regrets` to the best arm fixed in advance, a row for each seed; `pulls`, how often each arm was
    chosen, a row for each seed; `means` of the arms, or None.

    >>> from regretless.bandits import Bernoulli, UCB1
    >>> result = simulate(UCB1(2), Bernoulli([0.4, 0.6]), 1000, seeds=20)
    >>> result.rounds, result.regrets.shape == (20, len(result.index))
    (1000, True)
    >>> result.regret() < result.bound()
    True
    """

    def __init__(
        self,
        player: ArmPlayer,
        seeds: tuple[int, ...],
        index: NDArray[np.int64],
        found: FoundCurves,
        *,
        theirs: Array,
        means: Array | None,
        proven: bool,
    ) -> None:
        self.player, self.seeds, self.index, self.means = player, seeds, index, means
        self.totals, self.pseudo, self.pulls = found.loss, found.pseudo, found.pulls
        self.hindsight = found.loss - found.best
        self._theirs = theirs  # of each arm, up to each of these rounds; of means their multiples
        self._proven = proven
        self.losses = np.diff(self.totals.mean(axis=0), prepend=0.0)

    @property
    def rounds(self) -> int:
        """How many rounds each game had."""
        return int(self.index[-1])

    def _regrets(self, comparator: Any) -> Array:
        """The regrets at the recorded rounds, a row for each seed."""
        u = mixture(comparator, self._theirs[-1])
        if self.means is None:
            return np.asarray(self.totals - self._theirs @ u)
        return np.asarray(self.pseudo + (self.means.min() - self.means @ u) * self.index)

    @property
    def regrets(self) -> Array:
        """The regrets to the best arm fixed in advance, a row for each seed."""
        return self._regrets(None)

    def regret_curve(self, comparator: Any = None) -> Array:
        """The mean over the seeds of the regret to an arm fixed in advance, at each round looked at.

        `comparator`: by default the arm that is best at the end, by its mean if that is known; or the
        number of an arm, or a distribution over them.
        """
        return np.asarray(self._regrets(comparator).mean(axis=0))

    def bound_curve(self, comparator: Any = None) -> Array:
        """The bound on the expected regret at each recorded round; infinite where there is none."""
        bounds = self._bounds()
        if bounds.keys() <= {"trivial"}:
            return np.full(len(self.index), np.inf)
        return np.asarray(np.min(list(bounds.values()), axis=0) + self._rounding())

    def _bounds(self) -> dict[str, Array]:
        gaps = None if self.means is None else self.player._gaps(self.means)
        rounds = self.index.astype(np.float64)
        proven = self.player._promised(rounds, gaps) if self._proven else {}
        bounds = proven | self.player._trivial(rounds, gaps)
        return {name: self.player._width * bound for name, bound in bounds.items()}

    def _rounding(self) -> float:
        size = np.abs(self.totals).max() + np.abs(self._theirs).max()
        return float(4.0 * np.finfo(float).eps * self.rounds * size)

    def certificate(self, comparator: Any = None) -> Certificate:
        """The mean over the seeds of the regret, and the bounds on its expectation over all draws."""
        u = mixture(comparator, self._theirs[-1])
        seen: dict[str, bool | None] = {
            f"the mean over {len(self.seeds)} seeds is that over all draws": None
        }
        return Certificate(
            self.rounds,
            self.regret(u),
            {name: float(bound[-1]) for name, bound in self._bounds().items()},
            self.player._theorem,
            self.player._assumptions(self.means is not None) | seen,
            f"arm {np.argmax(u)}, fixed in advance, in the mean over the draws"
            if u.max() == 1.0
            else f"the distribution {u} over the arms, in the mean over the draws",
            int(np.argmax(u)) if u.max() == 1.0 else u,
            self._rounding(),
        )

    # --- how much it varies ------------------------------------------------------------------------

    def _varying(self, what: str) -> Array:
        one_of(what, "what", ("regret", "hindsight", "loss"))
        name = {"regret": "regrets", "hindsight": "hindsight", "loss": "totals"}[what]
        values: Array = getattr(self, name)
        return values

    def band(self, what: str = "regret", *, confidence: float = 0.95) -> tuple[Array, Array, Array]:
        """An interval for the mean of "regret", "hindsight" or "loss": low end, mean, high end.

        Student's: as for normal means. At each of the rounds looked at; infinite for a single seed.

        >>> from regretless.bandits import Bernoulli, Exp3
        >>> result = simulate(Exp3(2), Bernoulli([0.4, 0.6]), 100, seeds=10)
        >>> low, mean, high = result.band()
        >>> bool((low <= mean).all() and (mean <= high).all())
        True
        """
        within(confidence, "confidence", "(0, 1)")
        from scipy.stats import t as student

        values = self._varying(what)
        mean, count = values.mean(axis=0), len(values)
        if count < 2:
            return np.full_like(mean, -math.inf), mean, np.full_like(mean, math.inf)
        error = values.std(axis=0, ddof=1) / math.sqrt(count)
        half = float(student.ppf(0.5 + confidence / 2.0, count - 1)) * error
        return mean - half, mean, mean + half

    def quantile(self, quantile: float, what: str = "regret") -> Array:
        """A quantile over the seeds of "regret", "hindsight" or "loss", at each round looked at.

        >>> from regretless.bandits import Bernoulli, Exp3
        >>> result = simulate(Exp3(2), Bernoulli([0.4, 0.6]), 100, seeds=10)
        >>> bool((result.quantile(0.1) <= result.quantile(0.9)).all())
        True
        """
        return np.quantile(self._varying(what), within(quantile, "quantile", "[0, 1]"), axis=0)

    def _columns(self) -> dict[str, Any]:
        low, _, high = self.band()
        return {"low": low, "high": high, "hindsight": self.hindsight.mean(axis=0)}

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the mean regret with its band, and the bound on it.

        `ax`, where to draw; a new picture by default.
        """
        from regretless.plots.players import regret_bands

        return regret_bands({type(self.player).__name__: self}, ax)

    def __str__(self) -> str:
        return str(Simulations({type(self.player).__name__: self}))

    def __repr__(self) -> str:
        return f"<{len(self.seeds)} games of {self.rounds} rounds of {self.player!r}>"


class Simulations(Mapping[str, Simulation]):
    """The simulations of several players by their names, all with the same seeds.

    `print` shows them as a table, `plots.compare(simulations)` draws them with their bounds.

    >>> from regretless.bandits import Bernoulli, Exp3, UCB1
    >>> both = simulate([Exp3(2), UCB1(2)], Bernoulli([0.4, 0.6]), 100, seeds=10)
    >>> list(both), both["UCB1"].rounds
    (['Exp3', 'UCB1'], 100)
    """

    def __init__(self, simulations: Mapping[str, Simulation]) -> None:
        self._all = dict(simulations)

    def __getitem__(self, name: str) -> Simulation:
        if name not in self._all:
            raise KeyError(f"{name!r} is none of {', '.join(self._all)}")
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw mean regrets with their bands.

        `ax`, where to draw; a new picture by default.

        >>> from regretless.bandits import Bernoulli, Exp3, UCB1
        >>> both = simulate([Exp3(2), UCB1(2)], Bernoulli([0.4, 0.6]), 50, seeds=3)
        >>> both.plot().get_xlabel()
        'rounds'
        """
        from regretless.plots.players import regret_bands

        return regret_bands(self._all, ax)

    def __str__(self) -> str:
        first = next(iter(self._all.values()))
        many = len(first.seeds) > 1
        wide = max(6, *(len(name) for name in self._all))
        seeds = f"{len(first.seeds)} seeds; mean +- 95%" if many else "1 seed"
        lines = [f"{first.rounds:,} rounds, {seeds}"]
        lines.append(f"{'player':<{wide}}{'regret':>18}{'in hindsight':>18}{'bound':>10}")
        for name, each in self._all.items():
            cells = [_cell(each, what, many) for what in ("regret", "hindsight")]
            bound = each.bound_curve()[-1]  # of a theorem; what is trivial is not worth a cell
            last = f"{bound:.0f}" if math.isfinite(bound) else "-"
            lines.append(f"{name:<{wide}}{cells[0]:>18}{cells[1]:>18}{last:>10}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<simulations of {', '.join(self._all)}>"


def _cell(simulation: Simulation, what: str, many: bool) -> str:
    _, mean, high = simulation.band(what)
    return f"{mean[-1]:.1f}" + (f" +- {high[-1] - mean[-1]:.1f}" if many else "")


def simulate(
    players: ArmPlayer | Sequence[ArmPlayer] | Mapping[str, ArmPlayer],
    environment: Any,
    rounds: int | None = None,
    *,
    seeds: int | Iterable[int] = 100,
    workers: int | None = None,
    checkpoints: int | Iterable[int] = 60,
    delay: Any = None,
) -> Simulation | Simulations:
    """Let every player play with every seed, in parallel, and record the losses.

    Players are copied, and stay as they are. With the same seed all of them meet the same losses. One
    player gives a `Simulation`, several give `Simulations`, one for each name.

    Parameters
    ----------
    players : one, several, or several with names.
    environment : `Bernoulli`, `Gaussian`, or a matrix of losses, the same for all seeds.
    rounds : how many; of a matrix all of them.
    seeds : how many, from 0 on, or which.
    workers : threads; as many as processors by default. The result does not depend on them.
    checkpoints : at how many rounds to look, more densely at the beginning, or which.
    delay : see `run`.

    >>> from regretless.bandits import Bernoulli, Exp3, ThompsonSampling, TsallisINF, UCB1
    >>> players = [Exp3(3), TsallisINF(3), UCB1(3), ThompsonSampling(3)]
    >>> print(simulate(players, Bernoulli([0.3, 0.5, 0.6]), 5000, seeds=30))
    5,000 rounds, 30 seeds; mean +- 95%
    player                      regret      in hindsight     bound
    Exp3                  ...
    """
    named = _named(players)
    seen = tuple(
        range(whole(seeds, "seeds"))
        if isinstance(seeds, (int, np.integer))
        else (check_seed(seed) for seed in seeds)
    )
    if not seen:
        raise ValueError("seeds is empty: give at least one seed")
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
        world = environment.world(seed) if table is None else _core.table(table)
        done, *found = player._engine.watch(world, at.tolist(), delays)
        if done < count:
            raise ValueError(
                f"in round {done} with seed {seed} {name} met a loss outside range={player.range}"
            )
        return tuple(found)

    jobs = [(name, seed, player.copy()) for name, player in named.items() for seed in seen]
    threads = (os.cpu_count() or 1) if workers is None else whole(workers, "workers")
    with ThreadPoolExecutor(threads) as pool:
        results = list(pool.map(game, jobs))
    means = None if table is not None else np.array(environment.means)
    theirs = (
        np.cumsum(table, axis=0)[at - 1] if table is not None else np.outer(at, environment.means)
    )
    simulations = {}
    for k, (name, player) in enumerate(named.items()):
        mine = results[k * len(seen) : (k + 1) * len(seen)]
        loss, best, pseudo, pulls = (np.stack(each) for each in zip(*mine))
        found = FoundCurves(loss, best, pseudo, pulls.reshape(len(seen), len(at), -1)[:, -1])
        proven = delays is None and bool(player.present.all())
        simulations[name] = Simulation(
            player.copy(), seen, at, found, theirs=theirs, means=means, proven=proven
        )
    if isinstance(players, ArmPlayer):
        (single,) = simulations.values()
        return single
    return Simulations(simulations)


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
        if not isinstance(player, ArmPlayer) or player.contextual:
            kind = type(player).__name__
            raise ValueError(
                f"players[{name!r}] = {shown(player)}: simulate() takes players of arms"
                + f"; {kind} needs advice, use {kind}.run" * isinstance(player, ArmPlayer)
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
