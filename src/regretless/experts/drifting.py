"""Drifting games, and the experts made from them: Luo (2016).

Section 2.1. Chips stand on a line, one for each expert. A potential measures how bad the position of a
chip is, given the rounds that are left. The weight of a chip is the potential after a step to the left,
less that after a step to the right.
"""

import math
from typing import Any, Protocol

import numpy as np

from regretless import _core
from regretless.base import arguments
from regretless.base.arguments import (
    Array,
    check_entries,
    check_seed,
    matrix,
    outside,
    shown,
    vector,
    whole,
    within,
)
from regretless.base.columns import arranged, index_of
from regretless.base.randomness import generator
from regretless.base.state import Parts, Stateful
from regretless.base.threads import OneThread, of_options
from regretless.certificates import Certificate
from regretless.errors import NotGiven
from regretless.experts.chip_potentials import NormalHedgeDTPotential, Potential
from regretless.experts.regrets import Comparator, compared, is_group
from regretless.experts.run import EPS, ExpertsRun

_EDGE = 1e-9  # losses, movements and their mean may be this much outside what is allowed: rounding


# --- players -----------------------------------------------------------------------------------------


class ChipPlayer(Stateful, changing=("rounds", "positions")):
    """The player of a drifting game: puts weight on chips that an adversary then moves.

    All chips start at 0. In a round the player shows `weights` p, the adversary moves every chip i by a
    `z_i` that the potential allows, with `p . z >= beta`. The sum of `Phi_t(s_i)` never grows (Eq. 2.2).

    Parameters: `n`, the number of chips; `potential`, which makes the weights.
    Attributes: `positions` of the chips; `rounds`; `phi`, the potential given; `potential`, the
    sum of it over the chips.

    >>> from regretless.experts.chip_potentials import MinimaxPotential
    >>> player = ChipPlayer(3, MinimaxPotential(lambda s: s <= 0, horizon=3, beta=0.25))
    >>> player.move([1, 1, -1])
    >>> player.weights.round(2)
    array([0.27, 0.27, 0.45])
    """

    _yours = ("potential",)

    def __init__(self, n: int, potential: Potential) -> None:
        if not isinstance(potential, Potential):
            raise ValueError(f"potential={shown(potential)} is not a Potential")
        self.n, self.phi = whole(n, "n"), potential
        self._given: Potential | None = potential
        self.positions, self.rounds = np.zeros(self.n), 0
        self._steady = True  # whether the sum of potentials never grew

    @property
    def weights(self) -> Array:
        """The weights of this round, a distribution over the chips; even if all weights are 0."""
        self._check_rounds(1)
        logs = self.phi.log_weights(self.positions, self.rounds + 1)
        top = logs.max()
        weights = np.exp(logs - top) if top > -math.inf else np.ones(self.n)
        return np.asarray(weights / weights.sum())

    @property
    def potential(self) -> float:
        """The sum of the potentials of all chips; it never grows."""
        return float(self.phi.value(self.positions, self.rounds).sum())

    def move(self, movements: Any) -> None:
        """Move every chip; the weighted mean of the movements must be at least beta."""
        z = vector(movements, "movements", self.n)
        allowed = self.phi.movements
        gap = np.abs(z) - 1.0 if allowed is None else np.abs(z[:, None] - allowed).min(axis=1)
        if (gap > _EDGE).any():
            i, where = int(np.argmax(gap > _EDGE)), "[-1, 1]" if allowed is None else allowed
            raise ValueError(f"movements[{i}] = {z[i]} is not in {where}")
        _check_mean(float(self.weights @ z), self.phi.beta)
        self._shift(z)

    @of_options
    def _options(self) -> dict[str, Any]:
        given = {"n": self.n, "potential": self._given}
        return given | ({"seed": self.seed} if hasattr(self, "seed") else {})

    def _learned(self) -> dict[str, Any]:
        return {
            "potential": self.potential,
            "positions": self.positions,
            "rounds": self.rounds,
            "_steady": self._steady,
        }

    def _restore(self, parts: Parts) -> None:
        total = parts.number("potential")
        most = self.phi.horizon if self.phi.horizon < math.inf else 2**53
        self.rounds = parts.whole("rounds", 0, int(most))
        self.positions = parts.array("positions", (self.n,))
        self._steady = parts.flag("_steady")
        self._check_positions()
        found = self.potential
        if not math.isclose(found, total, rel_tol=1e-9, abs_tol=1e-9):
            raise NotGiven(f"potential={self.phi!r} is not that of the file: {found}, not {total}")

    def _check_positions(self) -> None:
        """Chips move by at most 1 a round."""
        moved = (1.0 + _EDGE) * self.rounds
        arguments.check_entries(
            self.positions,
            np.abs(self.positions) <= moved,
            "positions",
            "is further than the rounds",
        )

    def _shift(self, z: Array) -> None:
        before = self.potential
        self.positions = self.positions + z
        self.rounds += 1
        # n numbers of at most the size of the sum, and positions that a table knows to 1e-9
        self._steady &= self.potential <= before + 10.0 * _EDGE * (self.n + abs(before))

    def _check_rounds(self, more: int) -> None:
        if self.rounds + more > self.phi.horizon:
            raise ValueError(
                f"potential={self.phi!r} is made for {self.phi.horizon} rounds, not {self.rounds + more}"
            )


class DriftingGame(ChipPlayer, changing=("loss",)):
    """Combine experts by a potential of the regret to each of them (Algorithm 3).

    Each expert i has a position `s_i`, its total loss less that of the player, minus the regret to it:

        p_i ~ Phi_t(s_i - 1) - Phi_t(s_i + 1),    s_i <- s_i + l_i - p . l

    The potential gives a bound on the regret to the `ceil(quantile n)`-th best expert (Theorem 2). Every
    round checks that the sum of potentials does not grow, which is all the proof needs.

    Actions may be drawn (section 2.1.5): `action = act()`, then `update(losses, action)`. Chips move by
    the loss of the action, and the bound for a share `delta quantile` holds with probability
    `1 - delta`, if the losses of a round do not depend on its action. (The text has `Phi_0(0) = delta`
    for `n Phi_0(0) = delta`.)

    Parameters: `n`, the number of experts; `potential`, NormalHedge.DT by default; `seed`, of `act`.
    Attributes: `positions`; `rounds`; `loss`, the total suffered; `phi`, the potential given;
    `potential`, the sum of it over the experts; their `names`, which are matched as in `ExpertPlayer`.

    >>> game = DriftingGame(3)
    >>> for _ in range(4):
    ...     suffered = game.update([0.2, 0.9, 0.5])
    >>> game.weights.round(2), game.certificate().holds
    (array([0.94, 0.  , 0.06]), True)
    """

    def __init__(self, n: int, potential: Potential | None = None, *, seed: int = 0) -> None:
        super().__init__(n, NormalHedgeDTPotential() if potential is None else potential)
        self._given = potential
        moves = self.phi.movements
        if self.phi.beta != 0 or (moves is not None and (moves[0] > -1.0 or moves[-1] < 1.0)):
            raise ValueError(
                f"potential={self.phi!r} is not for experts, which have beta=0 and movements "
                "from -1 to 1; use ChipPlayer"
            )
        self.loss, self.seed = 0.0, check_seed(seed)
        self.names: list[str] | None = None
        self.prior = np.full(self.n, 1.0 / self.n)
        self._drawn = False  # whether an action ever was
        self._rng = generator(self.seed, "actions")

    def act(self) -> int:
        """Draw an action from `weights`; tell it to `update` if it was played."""
        return _core.drawn_index(self.weights, self._rng.random())

    def update(self, losses: Any, action: int | None = None) -> float:
        """Learn from the losses of all experts, in [0, 1]; returns the loss suffered.

        With `action`, the one drawn, its loss is suffered, else the mean `p . l`.
        """
        values, names = arranged(losses, self.names, "losses")
        row = vector(values, "losses", self.n)
        _check_range(row)
        suffered = self._learn(row, self.weights, action)
        self.names = names
        return suffered

    def _learn(self, row: Array, weights: Array, action: int | None) -> float:
        if action is None:
            suffered = float(weights @ row)
        else:
            drawn = whole(action, "action", 0, self.n - 1)
            suffered, self._drawn = float(row[drawn]), True
        self._shift(row - suffered)
        self.loss += suffered
        return suffered

    def run(self, losses: Any) -> ExpertsRun:
        """Play many rounds: the losses with a row per round and a column per expert."""
        index = index_of(losses)
        values, names = arranged(losses, self.names, "losses")
        table = matrix(values, "losses", self.n)
        _check_range(table)
        self._check_rounds(len(table))
        before, self.names = self.copy(), names
        suffered, played = np.empty(len(table)), np.empty(table.shape)
        for t, row in enumerate(table):
            played[t] = self.weights
            suffered[t] = self._learn(row, played[t], None)
        return ExpertsRun(
            suffered,
            table,
            confidence=None,
            weights=played,
            before=before,
            after=self.copy(),
            index=index,
        )

    @property
    def regrets(self) -> Array:
        """The regret to each expert."""
        return 0.0 - self.positions

    def regret(self, comparator: Any = None, *, quantile: float | None = None) -> float:
        """The regret to the best expert, to `comparator`, or to the `ceil(quantile n)`-th best."""
        return float(self._compared(comparator, quantile).u @ self.regrets)

    def certificate(
        self,
        comparator: Any = None,
        *,
        quantile: float | None = None,
        delta: float | None = None,
    ) -> Certificate:
        """The theorem's bound on `regret`; if actions were drawn, with probability `1 - delta`."""
        if self._drawn and delta is None:
            raise ValueError("delta= is needed, since actions were drawn: the chance of a failure")
        who = self._compared(comparator, quantile)
        chance = 1.0 if delta is None else within(delta, "delta", "(0, 1]")
        return Certificate(
            self.rounds,
            float(who.u @ self.regrets),
            self._bounds(who.among, chance if self._drawn else 1.0),
            self._theorem,
            self._assumptions(),
            who.words,
            who.against,
            self._rounding(who.u),
        )

    # --- what `ExpertsRun` asks ----------------------------------------------------------------------

    _width, _speaks = 1.0, True
    _rises = False  # of potentials in general nothing is known

    @property
    def _theorem(self) -> str:
        return "Luo (2016), " + ("section 2.1.5" if self._drawn else "Theorem 2")

    def _assumptions(self) -> dict[str, bool | None]:
        known: dict[str, bool | None] = {"losses are in [0, 1]": True}
        if not self._drawn:
            known["the sum of potentials never grew"] = self._steady
        return known

    def _compared(self, comparator: Any, quantile: float | None) -> Comparator:
        return compared(self.regrets, self.prior, self.names, comparator, quantile)

    def _bounds(self, among: list[Array], chance: float = 1.0) -> dict[str, float]:
        # Markov: the sum of potentials is 1 / delta times its mean with a chance of delta at most
        shares = [
            np.count_nonzero(u) / self.n if is_group(u, self.prior) else 1.0 / self.n for u in among
        ]
        least = min(self.phi.bound(chance * share, self.rounds) for share in set(shares))
        return {type(self.phi).__name__: least, "trivial": float(self.rounds)}

    def _proved(self, among: list[Array], earlier: Array) -> dict[str, float]:
        """The bounds, as of an `ExpertPlayer`; empty if actions were drawn, which needs a `delta`."""
        if self._drawn:
            return {}
        found = [(self._bounds([u]), float(u @ earlier)) for u in among]
        names = found[0][0] if found else {}
        return {k: min(bounds[k] - before for bounds, before in found) for k in names}

    def _rounding(self, u: Array) -> float:
        """The rounding error of an `ExpertPlayer`, and the precision of the positions."""
        T = float(self.rounds)
        return 4.0 * EPS * ((self.n + 8.0) * T + T * T) + 2.0 * self.phi.precision * T

    def _interval_bound(self, *_: Any) -> float:
        return math.inf

    _shifting_bound = _interval_bound

    def _advance(self, losses: Array, _: Any) -> None:
        for row in losses:
            self._learn(row, self.weights, None)

    def _learned(self) -> dict[str, Any]:
        mine = {"loss": self.loss, "names": self.names, "_drawn": self._drawn}
        return super()._learned() | mine | {"_rng": self._rng.bit_generator.state}

    def _restore(self, parts: Parts) -> None:
        super()._restore(parts)
        edge = _EDGE * self.rounds
        self.loss = parts.number("loss", -edge, self.rounds + edge)
        self.names, self._drawn = parts.names("names", self.n), parts.flag("_drawn")
        self._rng.bit_generator.state = parts.take("_rng")


# --- conversions -------------------------------------------------------------------------------------


class Experts(Protocol):
    """An object that combines experts: it shows weights and learns from the losses of all."""

    @property
    def weights(self) -> Array: ...

    def update(self, losses: Any) -> float: ...


class Chips(Protocol):
    """A player of a drifting game: it shows weights and is told how the chips were moved."""

    @property
    def weights(self) -> Array: ...

    def move(self, movements: Any) -> None: ...


class ChipsFromExperts(OneThread):
    """A combination of experts as player of the drifting game DGv1 (Algorithm 1).

    There movements are in [-1, 1], no two of a round more than 1 apart, and `p . z >= 0`. The losses
    that make them are `z_i - min_j z_j`. At most i of n chips end at `-R` or below if the regret to the
    (i + 1)-th best expert is less than R (Theorem 1).

    Parameters: `experts`, with `weights` and `update(losses)`.

    >>> player = ChipsFromExperts(DriftingGame(2))
    >>> player.move([0.5, -0.5])
    >>> player.weights.round(2)
    array([0.09, 0.91])
    """

    def __init__(self, experts: Experts) -> None:
        self.experts = experts

    @property
    def weights(self) -> Array:
        """The weights of the experts."""
        return self.experts.weights

    def move(self, movements: Any) -> None:
        """Tell how the chips were moved."""
        weights = self.weights
        z = vector(movements, "movements", len(weights))
        if (np.abs(z) > 1.0 + _EDGE).any() or np.ptp(z) > 1.0 + _EDGE:
            raise ValueError(f"movements={z} are outside [-1, 1], or more than 1 apart")
        _check_mean(float(weights @ z), 0.0)
        self.experts.update(np.minimum(z - z.min(), 1.0))


class ExpertsFromChips(OneThread):
    """A player of the drifting game DGv1 as a combination of experts (Algorithm 2).

    Chips are moved by `l_i - p . l`, so they are at minus the regret. If fewer than a share epsilon of
    them can end at `-R` or below, the regret to the `ceil(epsilon n)`-th best expert is less than R.

    Parameters: `chips`, with `weights` and `move(movements)`.

    >>> from regretless.experts.chip_potentials import TwoNormPotential
    >>> player = ExpertsFromChips(ChipPlayer(2, TwoNormPotential()))
    >>> player.update([0.0, 1.0]), player.weights
    (0.5, array([0.9, 0.1]))
    """

    def __init__(self, chips: Chips) -> None:
        self.chips = chips

    @property
    def weights(self) -> Array:
        """The weights of the chips."""
        return self.chips.weights

    def update(self, losses: Any) -> float:
        """Learn from the losses of all experts, in [0, 1]; returns the loss suffered."""
        weights = self.weights
        row = vector(losses, "losses", len(weights))
        _check_range(row)
        suffered = float(weights @ row)
        self.chips.move(row - suffered)
        return suffered


def _check_range(losses: Array) -> None:
    right = ~outside(losses, -4.0 * EPS, 1.0 + 4.0 * EPS)
    check_entries(losses, right, "losses", "is outside [0, 1]; scale the losses to it")


def _check_mean(mean: float, beta: float) -> None:
    if mean < beta - _EDGE:
        raise ValueError(f"the weighted mean of movements, {mean}, is less than beta={beta}")
