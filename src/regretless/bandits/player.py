"""The base of players of arms (Shalev-Shwartz (2012), section 4.2).

In each round `act()` chooses one of n arms, and `update(loss)` tells the player its loss. The losses of
the other arms are not seen.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.adversaries.game import Oblivious
from regretless.bandits.environments import Drawn, Environment, KeptLosses, folded
from regretless.bandits.run import BanditRun, Rounds
from regretless.base.arguments import (
    Array,
    check_entries,
    check_seed,
    loss_range,
    number,
    outside,
    shown,
    sound,
    table,
    whole,
)
from regretless.base.options import option
from regretless.base.state import Parts, Stateful
from regretless.base.threads import in_core, in_turn
from regretless.base.waiting import check_settled, delays_of, due_after
from regretless.certificates import Certificate

# --- the base of players of arms ------------------------------------------------------------------


class ArmPlayer(Stateful, ABC):
    """A player of arms: `act()` chooses one, and `update(loss)` tells the player its loss.

    A loss may come late: every `act()` is a choice of its own and waits for its loss. `update(loss)` is
    that of the oldest, `update(arm, loss)` of the oldest of this arm, `update(loss, ticket=ticket)` of
    the choice that had this `ticket`. It is learned with the probability of its own choice.

    Arms come and go: `act(available)` chooses among some, `add_arm()` adds one, `retire(arm)` sends one
    away; the others keep their numbers.

    Attributes: `decisions` made and not forgotten, `rounds` of which the loss is known, `loss`, their
    sum, `propensity` and `ticket` of the last choice, `waiting`, tickets and arms of those without a
    loss yet.

    >>> from regretless.bandits import UCB1
    >>> player = UCB1(3)
    >>> player.act(), player.act(), player.act(available=[0, 2])
    (0, 1, 2)
    >>> player.update(1, 0.3)
    >>> player.waiting
    [(0, 0), (2, 2)]
    """

    n: int = option(whole, kw_only=False, text="how many arms there are")
    range: tuple[float, float] | None = option(
        loss_range,
        default=(0.0, 1.0),
        text="""of the losses, `(low, high)`; of a reward r give `1 - r`. None for losses without
        limits, where the player allows it""",
    )
    seed: int = option(
        check_seed, default=0, text="draws depend on it and the number of the choice alone"
    )

    feedback: ClassVar[str] = "loss"  # the argument of `update`; some players take a "reward"
    contextual: ClassVar[bool] = False  # whether `act` takes a context
    _compared_with: ClassVar[str] = "arm"
    _theorem: ClassVar[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._engine = self._start()
        self._engine.belongs_to(self)

    @abstractmethod
    def _start(self) -> _core.Arms:
        """The core's player, as it is before the first choice."""

    @property
    def _common(self) -> tuple[int, int, float, float]:
        """The arguments that all players of the core take."""
        return (self.n, folded(self.seed), *self._ends)

    @property
    def _ends(self) -> tuple[float, float]:
        return (-math.inf, math.inf) if self.range is None else self.range

    @property
    def _width(self) -> float:
        return 1.0 if self.range is None else self.range[1] - self.range[0]

    # --- the rounds --------------------------------------------------------------------------------

    @property
    def decisions(self) -> int:
        """Choices made and not forgotten."""
        return self._engine.decisions

    @property
    def rounds(self) -> int:
        """Losses learned."""
        return self._engine.updates

    @property
    def loss(self) -> float:
        """The sum of the losses learned."""
        return self._engine.loss

    @property
    def pulls(self) -> NDArray[np.int64]:
        """How many losses of each arm are known."""
        return self._engine.seen.astype(np.int64)

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which arms have not been retired."""
        return self._engine.present > 0

    @property
    def propensity(self) -> float:
        """The probability with which the last choice was made."""
        return self._engine.propensity

    @property
    def ticket(self) -> int:
        """The number of the last choice, from 0 on: with it, its loss may come in any order."""
        return self._engine.tickets - 1

    @property
    def waiting(self) -> list[tuple[int, int]]:
        """Ticket and arm of the choices whose loss is not known, the oldest first."""
        return self._engine.waiting

    @property
    def probabilities(self) -> Array:
        """The probability of each arm in the next choice."""
        return self._engine.probabilities(None)

    @in_core
    def act(self, available: Any = None) -> int:
        """Choose an arm; every call is a choice of its own.

        `available`: the arms there are in this round, as their numbers or as a boolean for each.
        """
        if available is None:
            return self._engine.act()
        return self._act_among(available)

    @in_turn
    def _act_among(self, available: Any) -> int:
        return self._engine.act_among(self._mask(available))

    @in_core
    def update(self, arm: Any, loss: Any = None, *, ticket: int | None = None) -> None:
        """Learn a loss: `update(loss)`, `update(arm, loss)` or `update(loss, ticket=ticket)`."""
        if loss is None and ticket is None:
            try:
                self._engine.update(arm)
            except TypeError:  # not a plain number
                self._engine.update(number(arm, "loss"))
        else:
            self._update(arm, loss, ticket)

    @in_turn
    def _update(self, arm: Any, loss: Any, ticket: int | None) -> None:
        if ticket is not None:
            if loss is not None:
                raise ValueError(
                    f"arm={shown(arm)} and ticket={ticket}: the ticket tells the arm; give one"
                )
            self._engine.update_ticket(whole(ticket, "ticket", 0), number(arm, "loss"))
        else:
            self._engine.update_arm(whole(arm, "arm", 0), number(loss, "loss"))

    def forget(self, ticket: int) -> None:
        """Undo a choice whose loss will never come; its ticket is not given again."""
        self._engine.forget(whole(ticket, "ticket", 0))

    def add_arm(self) -> int:
        """Add an arm about which nothing is known; returns its number."""
        self.n += 1
        self._engine.grow(self._rate_of_more())
        return self.n - 1

    def retire(self, arm: int) -> None:
        """Never choose this arm again; losses of earlier choices may still come."""
        arm = whole(arm, "arm", 0)
        if 0 <= arm < self.n and not np.delete(self.present, arm).any():
            raise ValueError(f"retire({arm}): this is the last arm; add_arm() first")
        self._engine.retire(arm)

    def _rate_of_more(self) -> float:
        return 0.0

    def _mask(self, available: Any) -> Array:
        """The available arms as a vector of zeros and ones."""
        given = np.asarray(sound(available, "available"))
        if given.dtype == np.bool_:
            if given.shape != (self.n,):
                raise ValueError(f"available has shape {given.shape}, not ({self.n},)")
            mask = given & self.present
        else:
            if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
                raise ValueError(
                    f"available={available!r} must be arms, or a boolean for each of {self.n}"
                )
            if given.size and not 0 <= given.min() <= given.max() < self.n:
                raise ValueError(
                    f"available={available!r}: the {self.n} arms are counted from 0 to {self.n - 1}"
                )
            mask = np.zeros(self.n, np.bool_)
            mask[given.astype(np.int64)] = True
            mask &= self.present
        if not mask.any():
            raise ValueError(f"available={available!r}: no arm is left to choose")
        return mask.astype(np.float64)

    # --- many rounds -------------------------------------------------------------------------------

    def run(
        self, losses: Any, rounds: int | None = None, *, seed: int | None = None, delay: Any = None
    ) -> BanditRun:
        """Play many rounds.

        Parameters: `losses`, a matrix with those of all arms in each row, of which only that of the
        arm chosen is learned; an environment (`Bernoulli`, `Gaussian`, or one of
        `regretless.adversaries` that does not look at the player), or a function of the arm, for
        `rounds` rounds. `seed` of the draws from here on, also of the environment's (default: the
        player's). `delay`, a whole number or one for each round: how many more choices are made before
        the loss is learned; at the end all are.
        """
        check_settled(self.waiting, "choices", "losses")
        with self._seeded(seed):
            return self._run(losses, rounds, delay)

    def _run(self, losses: Any, rounds: int | None, delay: Any) -> BanditRun:
        if isinstance(losses, Environment):
            count = whole(_needed(rounds), "rounds", 0)
            if losses.n != self.n:
                raise ValueError(f"losses={losses} has {losses.n} arms, the player {self.n}")
            known = Drawn(losses, self.seed, self.decisions, count)
            world, means = losses.world(self.seed), np.array(losses.means)
            return self._play(world, self.decisions, count, delay, known=known, means=means)
        if isinstance(losses, Oblivious):
            rows = list(islice(losses, whole(_needed(rounds), "rounds", 0)))
            return self._table(rows, delay, getattr(losses, "means", None))
        if callable(losses):
            return self._ask(losses, whole(_needed(rounds), "rounds", 0), delay)
        if rounds is not None:
            losses = losses[: whole(rounds, "rounds", 0)]
        return self._table(losses, delay, None)

    @contextmanager
    def _seeded(self, seed: int | None) -> Iterator[None]:
        """Draw with another seed; restore the old one if the run is rejected before its first choice."""
        before, decisions = self.seed, self.decisions
        if seed is not None:
            self._reseed(seed)
        try:
            yield
        except BaseException:
            if self.decisions == decisions:
                self._reseed(before)
            raise

    def _reseed(self, seed: int) -> None:
        self.seed = check_seed(seed)
        self._engine.reseed(folded(seed))

    def _table(
        self,
        losses: Any,
        delay: Any,
        means: Array | None,
        advice: Array | None = None,
        known: KeptLosses | None = None,
    ) -> BanditRun:
        rows = self._rows(losses)
        known = (
            KeptLosses(rows.copy()) if known is None else known
        )  # the caller may change its array
        world = _core.table(rows)
        return self._play(world, 0, len(rows), delay, known=known, means=means, advice=advice)

    def _rows(self, losses: Any) -> Array:
        """The losses as a checked matrix."""
        if np.size(sound(losses, "losses")) == 0:
            return np.empty((0, self.n))
        if self.range is None:
            return table(losses, "losses", (None, self.n), 1e100)
        (low, high), edge = self.range, 1e-9 * self._width
        plain = isinstance(losses, np.ndarray) and losses.flags.aligned
        rows = np.ascontiguousarray(losses) if plain else None
        if rows is None or rows.dtype != np.float64 or rows.ndim != 2 or rows.shape[1] != self.n:
            rows = table(losses, "losses", (None, self.n))
        if not (rows.min() >= low - edge and rows.max() <= high + edge):  # nor if one is NaN
            rows = table(rows, "losses", (None, self.n))
            remedy = "give range= or scale it, and of a reward r give 1 - r"
            right = ~outside(rows, low - edge, high + edge)
            check_entries(rows, right, "losses", f"is outside range={self.range}; {remedy}")
        return rows

    def _play(
        self,
        world: _core.Environment,
        first: int,
        count: int,
        delay: Any,
        *,
        known: KeptLosses | Drawn,
        means: Array | None,
        advice: Array | None = None,
    ) -> BanditRun:
        delays, before = delays_of(delay, count), self.copy()
        done, arms, suffered, propensities, _ = self._engine.run(
            world, first, count, advice, delays
        )
        if done < count:
            chosen = self.waiting[-1][1]
            self._engine.restore(before._engine.state())
            loss = float(world.column(chosen, first + done, 1)[0])
            raise ValueError(
                f"in round {done} arm {chosen} lost {loss}, which is outside range={self.range}; give "
                "range= or scale it"
            )
        rounds = Rounds(suffered, arms, propensities, known, means)
        return BanditRun(rounds, before, self.copy())

    def _ask(self, losses: Callable[[int], Any], count: int, delay: Any) -> BanditRun:
        """Play against a function that returns the loss of an arm."""
        arms, propensities, suffered = np.empty(count, np.int64), np.empty(count), np.empty(count)
        before, first = self.copy(), self.ticket + 1
        for t, due in enumerate(due_after(delay, count)):
            arms[t], propensities[t] = self.act(), self.propensity
            suffered[t] = number(losses(int(arms[t])), "loss")
            for earlier in due:
                self.update(suffered[earlier], ticket=first + earlier)
        return BanditRun(Rounds(suffered, arms, propensities), before, self.copy())

    # --- guarantees --------------------------------------------------------------------------------

    @abstractmethod
    def _expected(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        """Bounds on the mean of the regret after so many rounds, of losses in [0, 1], by name.

        `gaps`: by how much the mean of each arm is above the least, if known.
        """

    def _promised(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        """The bounds of `_expected` that apply to the losses of a run."""
        return self._expected(rounds, gaps)

    def _gaps(self, means: Any) -> Array:
        values = table(means, "means", (self.n,))
        return np.asarray((values - values.min()) / self._width)

    def _trivial(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        """The trivial bound: no round has a larger regret than the largest gap, or the range."""
        if gaps is not None:
            return {"trivial": rounds * gaps.max()}
        return {} if self.range is None else {"trivial": rounds}

    def pseudo_regret(self, means: Any) -> float:
        """The sum over the choices of the mean loss of the arm chosen less that of the best arm.

        >>> from regretless.bandits import UCB1
        >>> player = UCB1(2)
        >>> player.run([[0.0, 1.0]] * 10).loss, round(player.pseudo_regret(means=[0.25, 0.75]), 2)
        (2.0, 1.0)
        """
        return self._width * float(self._gaps(means) @ self._engine.seen)

    def expectation(self, means: Any = None) -> Certificate:
        """Bounds on the expected regret over the draws, before any of them.

        Against every arm that is fixed in advance; with the `means` of the arms, if losses are drawn
        independently around them, against the best of them. It is not about what happened: `regret` is
        None, and `pseudo_regret(means)` is what the choices made come to.
        """
        gaps, rounds = None if means is None else self._gaps(means), np.array([float(self.rounds)])
        bounds = self._expected(rounds, gaps) if self.rounds else {}
        return self._in_mean(bounds, self.rounds, gaps)

    def _in_mean(self, bounds: dict[str, Array], count: int, gaps: Array | None) -> Certificate:
        """A certificate with bounds on the regret of so many rounds."""
        played = np.array([float(count)])
        bounds = bounds | self._trivial(played, gaps)
        return Certificate(
            count,
            None,
            {name: self._width * float(bound[-1]) for name, bound in bounds.items()}
            if count
            else {"nothing played": 0.0},
            self._theorem,
            self._conditions | self._assumptions(gaps is not None),
            f"every {self._compared_with} fixed in advance, in the mean over the draws"
            if gaps is None
            else "the arm with the least mean, in the mean over losses and draws",
        )

    @property
    def _conditions(self) -> dict[str, bool | None]:
        """The conditions of the theorems that can be checked."""
        return {
            "every arm could be chosen in every round": not self._engine.slept,
            "every loss came before the next choice": not self._engine.delayed,
        }

    def _of_run(self, run: BanditRun) -> tuple[Array | None, dict[str, Array]]:
        """The gaps of a run, if they are known, and the bounds after each of its rounds."""
        first = run.before.rounds
        gaps = None if run.means is None else self._gaps(run.means)
        rounds = np.arange(first + 1.0, first + run.rounds + 1.0)
        # what was lost before may be less than the comparator's, unless regrets are those of means
        about = first == 0 or gaps is not None
        return gaps, self._promised(rounds, gaps) if about and len(rounds) else {}

    def _expectation(self, run: BanditRun) -> Certificate:
        gaps, bounds = self._of_run(run)
        return self._in_mean(bounds, run.rounds, gaps)

    def _expectation_curve(self, run: BanditRun) -> Array:
        gaps, bounds = self._of_run(run)
        bounds = bounds | self._trivial(np.arange(1.0, run.rounds + 1.0), gaps)
        if not bounds or False in self._conditions.values():
            return np.full(run.rounds, np.inf)
        return np.asarray(self._width * np.min(list(bounds.values()), axis=0))

    def _realised(
        self, run: BanditRun, u: Array
    ) -> tuple[dict[str, float], str, dict[str, bool | None]] | None:
        """Bounds on the regret of a run itself, not on its mean; None if there are none."""
        return None

    def _realised_curve(self, run: BanditRun, u: Array) -> Array | None:
        return None

    def _assumptions(self, stochastic: bool) -> dict[str, bool | None]:
        """The assumptions that cannot be checked."""
        if stochastic:
            return {"losses of an arm are drawn independently, with its mean": None}
        return {"losses do not depend on the draw of their round": None}

    # --- state -------------------------------------------------------------------------------------

    def _restore(self, parts: Parts) -> None:
        self._engine.restore(parts.array("state", (None,), -math.inf, math.inf, unknown=True))

    @classmethod
    def _check_size(cls, options: Mapping[str, Any], numbers: int) -> None:
        sizes = [whole(options[name], name) for name in ("n", "experts") if name in options]
        if math.prod(sizes) > numbers:
            raise ValueError(f"n={options['n']} is more than the state has numbers of")


def _needed(rounds: int | None) -> int:
    if rounds is None:
        raise ValueError("rounds= is needed: the number of rounds to play")
    return rounds
