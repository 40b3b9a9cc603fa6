"""Potentials of drifting games, which measure how bad the position of a chip is.

Luo (2016), section 2.1.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import Array, number, positive, shown, sound, vector, whole, within

_EDGE = 1e-9  # positions of a table that are no further apart are one: rounding
_DECIMALS = 9  # of positions: how far apart two are that a table tells apart
_ENTRIES = 20_000_000  # of a table at most


class Potential(ABC):
    """A potential `Phi_t(s)`, which does not increase in s: the cost of a chip at s after round t.

    For experts it has to be convex with `Phi_t(s - 1) + Phi_t(s + 1) <= 2 Phi_{t-1}(s)`. Then the sum
    over the chips never grows (Theorem 2), and it does not matter if a constant is added to all Phi_t.
    The default of `bound` also needs `Phi_t >= 0`.

    >>> from regretless.experts import DriftingGame
    >>> class Linear(Potential):
    ...     def value(self, s, t):
    ...         return np.maximum(9.0 - s, 0.0) + (9.0 - t)
    >>> game = DriftingGame(2, Linear())
    >>> game.update([0.0, 1.0]), game.potential <= 2 * 18.0
    (0.5, True)
    """

    movements: Array | None = None  # what a chip may be moved by; None: every number of [-1, 1]
    beta: float = 0.0  # what the weighted mean of the movements is at least
    horizon: float = math.inf  # the rounds it is made for
    precision: float = 0.0  # positions that are no further apart may be taken for one

    @abstractmethod
    def value(self, s: Array, t: int) -> Array:
        """The potential at the positions `s` after round `t`."""

    def difference(self, s: Array, t: int) -> Array:
        """`Phi_t(s - 1) - Phi_t(s + 1)`, never negative whatever the rounding."""
        return np.maximum(self.value(s - 1.0, t) - self.value(s + 1.0, t), 0.0)

    def log_weights(self, s: Array, t: int) -> Array:
        """The logarithms of the weights in round `t` of chips at `s`, up to a constant."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.difference(s, t)))

    def bound(self, share: float, t: int) -> float:
        """An upper bound on the regret after `t` rounds to a `share` of the chips (Theorem 2).

        If a share has `s <= -R`, then `share Phi_t(-R) <= Phi_0(0)`; the largest such R, by bisection.
        """
        start = float(self.value(np.zeros(1), 0)[0])
        low, high = -float(t), float(t)
        for _ in range(60):
            middle = (low + high) / 2.0
            if share * float(self.value(np.array([-middle]), t)[0]) > start:
                high = middle
            else:
                low = middle
        return high

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class ExponentialPotential(Potential):
    """`Phi_t(s) = e^{-eta s} / cosh(eta)^t`: exponential weights (section 2.1.4).

    The regret to a share epsilon is at most `(ln(1/epsilon) + T ln cosh eta) / eta`. The text multiplies
    all Phi_t by `cosh(eta)^T e^{-eta R}`, which changes nothing; so T is only needed to choose eta.

    Parameters: `eta`, the learning rate, positive.

    >>> ExponentialPotential.tuned(horizon=100, epsilon=0.1).bound(0.1, 100)
    21.37...
    """

    def __init__(self, eta: float) -> None:
        self.eta = positive(eta, "eta")
        self._log_cosh = (  # cosh eta = 1 + 2 sinh^2(eta / 2), exact for small eta
            math.log1p(2.0 * math.sinh(eta / 2.0) ** 2) if eta < 40.0 else eta - math.log(2.0)
        )

    @classmethod
    def tuned(cls, horizon: int, epsilon: float) -> Self:
        """With `eta = sqrt(2 ln(1/epsilon) / horizon)`, for a regret of `sqrt(2 T ln(1/epsilon))`.

        For actions that are drawn, `epsilon = delta / n` (section 2.1.5).
        """
        within(epsilon, "epsilon", "(0, 1)")
        return cls(math.sqrt(2.0 * math.log(1.0 / epsilon) / whole(horizon, "horizon")))

    def value(self, s: Array, t: int) -> Array:
        with np.errstate(over="ignore"):
            return np.exp(-self.eta * s - t * self._log_cosh)

    def difference(self, s: Array, t: int) -> Array:
        return 2.0 * math.sinh(self.eta) * self.value(s, t)

    def log_weights(self, s: Array, t: int) -> Array:
        return -self.eta * s

    def bound(self, share: float, t: int) -> float:
        return (-math.log(share) + t * self._log_cosh) / self.eta

    def __repr__(self) -> str:
        return f"ExponentialPotential({self.eta!r})"


class TwoNormPotential(Potential):
    """`Phi_t(s) = min(s, 0)^2 - t`, which has no parameters (Lemma 1).

    The regret to a share epsilon is at most `sqrt(T / epsilon)`, for all T and epsilon (Corollary 1).

    >>> TwoNormPotential().difference(np.array([-3.0, 0.0, 2.0]), 1)
    array([12.,  1.,  0.])
    """

    def value(self, s: Array, t: int) -> Array:
        return np.minimum(s, 0.0) ** 2 - t

    def difference(self, s: Array, t: int) -> Array:
        return np.asarray(np.minimum(s - 1.0, 0.0) ** 2 - np.minimum(s + 1.0, 0.0) ** 2)

    def bound(self, share: float, t: int) -> float:
        return math.sqrt(t / share)


class NormalHedgeDTPotential(Potential):
    """`Phi_t(s) = e^{min(s, 0)^2 / (d t)} - 1 - 1/2 sum_{tau <= t} (e^{4/(d tau)} - 1)` (Lemma 2).

    It has no horizon. The regret to a share epsilon is at most, for all T and epsilon,
    `sqrt(d T ln(1 + sum_{t <= T} (e^{4/(dt)} - 1) / (2 epsilon)))` (Corollary 2, before the sum is
    bounded by a logarithm). After no round, all chips are at 0 and the potential is 0.

    Parameters: `d`, at least 3, the best.

    >>> NormalHedgeDTPotential().bound(0.1, 100)
    33.90...
    """

    def __init__(self, d: float = 3.0) -> None:
        self.d = within(d, "d", "[3, inf)", ": Luo (2016), Lemma 2, does not hold below")
        self._sums = [0.0]

    def _surcharge(self, t: int) -> float:
        while len(self._sums) <= t:
            self._sums.append(self._sums[-1] + math.expm1(4.0 / (self.d * len(self._sums))))
        return self._sums[t]

    def value(self, s: Array, t: int) -> Array:
        if t == 0:
            return np.zeros(np.shape(s))
        with np.errstate(over="ignore"):
            return np.expm1(np.minimum(s, 0.0) ** 2 / (self.d * t)) - self._surcharge(t) / 2.0

    def difference(self, s: Array, t: int) -> Array:
        with np.errstate(over="ignore"):
            return np.exp(self.log_weights(s, t))

    def log_weights(self, s: Array, t: int) -> Array:
        # ln(e^a - e^b) = a + ln(1 - e^{b - a}), where e^a alone may be too large for a number
        a = np.minimum(s - 1.0, 0.0) ** 2 / (self.d * t)
        b = np.minimum(s + 1.0, 0.0) ** 2 / (self.d * t)
        with np.errstate(divide="ignore"):
            return np.asarray(a + np.log(-np.expm1(b - a)))

    def bound(self, share: float, t: int) -> float:
        return math.sqrt(self.d * t * math.log1p(self._surcharge(t) / (2.0 * share)))

    def __repr__(self) -> str:
        return f"NormalHedgeDTPotential({self.d!r})"


class MinimaxPotential(Potential):
    """The potential of the (near) minimax player of a drifting game with finitely many movements.

    From `Phi_T = L` back (Eq. 2.1), the weight of a chip being the w found for it,

        Phi_{t-1}(s) = min_{w >= 0} max_{z in B} [Phi_t(s + z) + w (z - beta)]
                     = the largest mean of Phi_t(s + z) if z is random in B with mean >= beta

    which one or two movements attain. At the end the mean loss of the chips is at most `Phi_0(0)`
    (Eq. 2.2). For each t there is a table of the positions that are reachable from 0; others are solved
    when asked for. Positions within 1e-9 of each other count as one. For experts, the loss has
    to be convex, beta 0 and the movements have to span [-1, 1].

    Parameters: `loss`, a function of an array of positions, not increasing and not negative; `horizon`,
    the number of rounds; `movements`, the set B; `beta`, not negative and at most the largest movement.

    >>> majority = MinimaxPotential(lambda s: s <= 0, horizon=3, beta=0.5)  # boost by majority
    >>> majority.value(np.array([0.0]), 0)  # two or three of three steps to the left, 1/4 each
    array([0.15625])
    """

    movements: Array
    precision = _EDGE

    def __init__(
        self,
        loss: Callable[[Array], Any],
        horizon: int,
        movements: Any = (-1.0, 1.0),
        beta: float = 0.0,
    ) -> None:
        self.loss, self.horizon = loss, whole(horizon, "horizon")
        size = np.size(sound(movements, "movements"))
        self.movements = np.unique(vector(movements, "movements", size))
        self.beta = number(beta, "beta")
        if not len(self.movements) or not 0 <= self.beta <= self.movements[-1]:
            raise ValueError(
                f"beta={beta} is not between 0 and the largest of movements={shown(movements)}: "
                "no movement would be allowed"
            )
        self._found: dict[tuple[float, int], float] = {}  # bounds
        self._positions, self._next = _lattice(self.movements, self.horizon)
        values = self._losses(self._positions[-1])
        if (np.diff(values) > 1e-12 * values[0]).any() or values[-1] < 0:
            raise ValueError(
                f"loss={shown(loss)} increases or is negative on {self._positions[-1]}"
            )
        self._tables = [(values, np.zeros(len(values)))]
        for after in reversed(self._next):
            self._tables.append(self._step(self._tables[-1][0][after]))
        self._tables.reverse()

    def _losses(self, s: Array) -> Array:
        values = np.asarray(self.loss(s), np.float64)
        if values.shape != s.shape or not np.isfinite(values).all():
            raise ValueError(
                f"loss={self.loss!r} does not give one finite number for each position; "
                "np.vectorize makes such a function from one of a single position"
            )
        return values

    def _step(self, after: Array) -> tuple[Array, Array]:
        """The value and the smallest w that reaches it, where `after[..., k]` follows movement k."""
        ahead = self.movements - self.beta
        value = after[..., ahead >= 0].max(axis=-1)
        below, above = np.flatnonzero(ahead < 0), np.flatnonzero(ahead > 0)
        for i in below:
            for j in above:
                mean = ahead[j] * after[..., i] - ahead[i] * after[..., j]
                value = np.maximum(value, mean / (ahead[j] - ahead[i]))
        weight = np.zeros(value.shape)
        for i in below:
            weight = np.maximum(weight, (after[..., i] - value) / -ahead[i])
        return value, weight

    def _at(self, s: Array, t: int) -> tuple[Array, Array]:
        """Values after round t, and weights in the next, at any positions."""
        if not 0 <= t <= self.horizon:
            raise ValueError(f"t={t} is not between 0 and horizon={self.horizon}")
        flat, lattice = np.ravel(s).astype(np.float64), self._positions[t]
        index = np.searchsorted(lattice, flat - _EDGE).clip(max=len(lattice) - 1)
        value, weight = (table[index] for table in self._tables[t])
        away = np.abs(lattice[index] - flat) > _EDGE
        if away.any():
            steps = int(self.horizon) - t
            found = self._losses(flat[away, None] + self._positions[steps])
            w = np.zeros(found.shape)
            for after in reversed(self._next[:steps]):
                found, w = self._step(found[:, after])
            value[away], weight[away] = found[:, 0], w[:, 0]
        return value.reshape(np.shape(s)), weight.reshape(np.shape(s))

    def value(self, s: Array, t: int) -> Array:
        return self._at(s, t)[0]

    def log_weights(self, s: Array, t: int) -> Array:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self._at(s, t - 1)[1]))

    def bound(self, share: float, t: int) -> float:
        """The bound of `Potential`, searched among the positions of the table, then between them."""
        if not 0 <= t <= self.horizon:
            raise ValueError(f"t={t} is not between 0 and horizon={self.horizon}")
        if (share, t) not in self._found:
            self._found[share, t] = self._bound(share, t)
        return self._found[share, t]

    def _bound(self, share: float, t: int) -> float:
        most = self._tables[0][0][0] * (1.0 + 1e-12)
        too_bad = int((share * self._tables[t][0] > most).sum())
        positions = self._positions[t]
        if not too_bad:
            return -float(positions[0])
        high = -float(positions[too_bad - 1])
        low = -float(positions[too_bad]) if too_bad < len(positions) else high
        while high - low > self.precision:
            places = np.linspace(low, high, 66)[1:-1]
            bad = share * self._at(-places, t)[0] > most
            first = int(np.argmax(bad)) if bad.any() else len(places)
            low = float(places[first - 1]) if first else low
            high = float(places[first]) if first < len(places) else high
        return high

    def __repr__(self) -> str:
        options = f"movements={self.movements.tolist()}, beta={self.beta!r}"
        return f"MinimaxPotential({self.loss!r}, {self.horizon}, {options})"


def _lattice(movements: Array, horizon: int) -> tuple[list[Array], list[NDArray[np.intp]]]:
    """The sums of t movements, in order, for every t; and where among the next each movement leads."""
    positions, onward, entries = [np.zeros(1)], [], 0
    for _ in range(horizon):
        reached = positions[-1][:, None] + movements
        entries += reached.size
        if entries > _ENTRIES:
            raise ValueError(
                f"horizon={horizon} with movements={movements.tolist()} leads to too many positions; "
                "take multiples of one step, or fewer rounds"
            )
        rounded = reached.round(_DECIMALS)
        _, first, index = np.unique(rounded, return_index=True, return_inverse=True)
        # sums of tenths that are meant to be 0 have to be, since the loss may jump there
        snapped = np.where(np.isclose(reached, rounded, 1e-12, 1e-12), rounded, reached)
        positions.append(snapped.ravel()[first])
        onward.append(index.reshape(reached.shape))
    return positions, onward
