"""`ExpertPlayer`, the base of all players that mix experts (Luo (2016), sections 2.1.2 and 2.3.2).

Each round the player has weights `p`, a distribution over the experts. Then the experts' losses `l` are
revealed and `<p, l>` is suffered. The regret to an expert is the loss suffered beyond that of the
expert, in the rounds in which it was awake, weighted by its confidence: `sum_t c_ti (<p_t, l_t> -
l_ti)`.
"""

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from regretless import _core
from regretless.base.arguments import (
    LARGEST,
    Array,
    check_entries,
    loss_range,
    outside,
    shaped,
    whole,
)
from regretless.base.columns import arranged, index_of, rows_alike
from regretless.base.options import option
from regretless.base.state import Parts, Stateful
from regretless.base.threads import in_core, in_turn, of_options
from regretless.certificates import Certificate
from regretless.experts.regrets import Comparator, compared, distribution, relative_entropy
from regretless.experts.run import EPS, ExpertsRun

_UNIT = (-4.0 * EPS, 1.0 + 4.0 * EPS)  # where losses are, in units of their range, up to rounding
_ANY = (-LARGEST, LARGEST)  # in any range
_RAREST = 1e-100  # prior of an expert: its logarithm and its inverse are in all bounds


class ExpertPlayer(Stateful, ABC):
    """A player that mixes experts: it plays `weights`, and `update` tells it the losses of the experts.

    Losses and confidences may be arrays, data frames, Arrow tables, pandas series or dicts. The first
    values that have names give the experts their names. Later values with names are matched by name, in
    any order; arrays and lists are taken by position.

    Attributes: `rounds` played, `loss` suffered, `regrets` to each expert, their `names` or None.
    """

    _sleeps: ClassVar[bool] = True  # whether it takes confidences
    _slept = False  # whether there have been any
    _scale_free: ClassVar[bool] = False  # whether its theorem needs no range
    _kept: ClassVar[tuple[str, ...]] = ("_slept",)  # beside the engine
    _rises: ClassVar[bool] = True  # whether no bound is smaller after more rounds
    _theorem: ClassVar[str]

    n: int = option(
        whole, hint=": how many experts", kw_only=False, text="how many experts there are"
    )
    prior: Any = option(
        default=None,
        text="how likely each expert is to be the best, before anything is seen; by default all alike",
    )
    range: tuple[float, float] | None = option(
        loss_range,
        default=(0.0, 1.0),
        text="""the range `(low, high)` of the losses, or None if it is not known. The theorems of
        `BOA` and `MLPoly` need no range; other players have no bound without one""",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        prior, self.names = arranged(self.prior, None, "prior")
        prior = distribution(prior, self.n)
        self.prior = distribution(None, self.n) if np.ptp(prior) == 0 else prior
        rare = f"is below {_RAREST:g}: bounds do not cover such an expert; leave it out"
        check_entries(self.prior, self.prior >= _RAREST, "prior", rare)
        self._slept = False
        self._engine = self._start()
        self._engine.belongs_to(self)

    @abstractmethod
    def _start(self) -> _core.Experts:
        """The core's player, as it is before the first round."""

    @abstractmethod
    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        """Bounds on the regret to `u`, of losses in [0, 1]; `relative` is `RE(u || prior)`."""

    # --- the rounds --------------------------------------------------------------------------------

    @property
    def rounds(self) -> int:
        """Rounds played."""
        return self._engine.rounds

    @property
    def loss(self) -> float:
        """The sum of the losses suffered."""
        return self._low * self.rounds + self._width * self._engine.loss

    @property
    def regrets(self) -> Array:
        """The regret to each expert."""
        return self._width * self._engine.regrets

    @property
    @in_core
    def weights(self) -> Array:
        """The weights that are played now, if all experts are awake."""
        return self._engine.weights(None)

    def distribution(self, confidence: Any = None) -> Array:
        """The weights that are played now, if experts have these confidences in [0, 1], not all 0."""
        known, _ = arranged(confidence, self.names, "confidence")
        return self._engine.weights(self._confidence(known, (self.n,)))

    @in_core
    def update(self, losses: Any, confidence: Any = None) -> float:
        """Learn from the losses of a round; returns the loss suffered.

        `confidence` in [0, 1]: with 0 an expert is asleep, has no weight, and may have no loss (NaN).
        """
        if confidence is None and type(losses) is not list and self.range in (None, (0.0, 1.0)):
            low, high = _ANY if self.range is None else _UNIT
            try:
                suffered = self._engine.update_within(losses, low, high)
            except (TypeError, ValueError):
                suffered = math.nan  # numbers of another kind, or of another shape
            if suffered == suffered:  # noqa: PLR0124
                return suffered
        return self._update(losses, confidence)

    @in_turn
    def _update(self, losses: Any, confidence: Any) -> float:
        losses, names = arranged(losses, self.names, "losses")
        confidence, names = arranged(confidence, names, "confidence")
        awake = self._confidence(confidence, (self.n,))
        scaled = self._losses(losses, awake, (self.n,))
        self._slept |= awake is not None
        self.names = names
        return self._low + self._width * self._engine.update(scaled, awake)

    def run(self, losses: Any, confidence: Any = None, *, weights: bool = True) -> ExpertsRun:
        """Play many rounds: `losses`, and `confidence` if there is any, with a row for each.

        `weights`: whether to keep those played. The player goes on from where it is. If both are of
        pandas they must have the same index.
        """
        index = index_of(losses)
        confidence = rows_alike(confidence, index, "confidence", "losses")
        losses, names = arranged(losses, self.names, "losses")
        confidence, names = arranged(confidence, names, "confidence")
        table = shaped(losses, "losses", (None, self.n))
        awake = self._confidence(confidence, table.shape)
        scaled = self._scaled(table) if awake is None else self._losses(table, awake, table.shape)
        before = self.copy()
        done, suffered, played = self._engine.run(scaled, awake, *self._limits, weights)
        if done < len(table):
            self._resume(before._engine.state())
            self._losses(table, awake, table.shape)  # says what is wrong
        self._slept |= awake is not None
        self.names = names
        return ExpertsRun(
            self._low + self._width * suffered,
            table,
            confidence=awake,
            weights=None if played is None else played.reshape(table.shape),
            before=before,
            after=self.copy(),
            index=index,
        )

    def _advance(self, losses: Array, confidence: Array | None) -> None:
        """Play rounds again that have been checked before."""
        self._engine.run(self._scaled(losses), confidence, *self._limits, False)
        self._slept |= confidence is not None

    @property
    def _low(self) -> float:
        return 0.0 if self.range is None else self.range[0]

    @property
    def _width(self) -> float:
        return 1.0 if self.range is None else self.range[1] - self.range[0]

    @property
    def _limits(self) -> tuple[float, float]:
        """The limits of losses in units of their range."""
        return _ANY if self.range is None else _UNIT

    def _scaled(self, losses: Array) -> Array:
        if self.range in (None, (0.0, 1.0)):
            return np.ascontiguousarray(losses)
        with np.errstate(over="ignore"):  # what is infinite is outside the range
            return np.ascontiguousarray((losses - self._low) / self._width)

    def _losses(self, losses: Any, awake: Array | None, shape: tuple[int, ...]) -> Array:
        """The losses in units of their range, checked."""
        array = shaped(losses, "losses", shape)
        scaled, (low, high) = self._scaled(array), self._limits
        wrong = ~(np.isfinite(scaled) & (scaled >= low) & (scaled <= high))
        if awake is not None:
            wrong &= awake > 0
        if wrong.any():
            known = ~wrong | np.isfinite(array)
            check_entries(
                array, known, "losses", "is not finite; an expert without a loss is asleep"
            )
            if self.range is None:
                check_entries(array, ~wrong, "losses", f"is beyond {high:g}; scale it")
            remedy = f"is outside range={self.range}; give range= or scale it"
            check_entries(array, ~wrong, "losses", remedy)
        return scaled

    def _confidence(self, confidence: Any, shape: tuple[int, ...]) -> Array | None:
        if confidence is None:
            return None
        if not self._sleeps:
            raise ValueError(
                f"confidence is given, but {type(self).__name__} takes only experts that are awake; "
                "AdaNormalHedge, AdaNormalHedgeTV, Squint, BOA and MLPoly take others"
            )
        array = shaped(confidence, "confidence", shape)
        check_entries(array, ~outside(array, 0, 1), "confidence", "is outside [0, 1]; 0 is asleep")
        asleep = ~(array * self.prior > 0).any(axis=-1)
        if asleep.any():
            where = f" in round {int(np.argmax(asleep))}" if array.ndim == 2 else ""
            raise ValueError(f"all experts are asleep{where}: somebody must be awake")
        return array

    # --- what is proven ----------------------------------------------------------------------------

    def regret(self, comparator: Any = None, *, quantile: float | None = None) -> float:
        """The regret so far to one expert or mixture, by default to the best expert.

        Parameters: `comparator`, the index or the name of an expert, a distribution over them, or
        "best"; `quantile`, instead, for the `ceil(quantile n)`-th best.
        """
        return float(self._compared(comparator, quantile).u @ self.regrets)

    def certificate(self, comparator: Any = None, *, quantile: float | None = None) -> Certificate:
        """The theorem's bounds on `regret` with the same arguments."""
        who = self._compared(comparator, quantile)
        return Certificate(
            self.rounds,
            float(who.u @ self.regrets),
            self._proved(who.among),
            self._theorem,
            self._assumptions(),
            who.words,
            who.against,
            self._rounding(who.u),
        )

    def _compared(self, comparator: Any, quantile: float | None = None) -> Comparator:
        return compared(self.regrets, self.prior, self.names, comparator, quantile)

    def _proved(self, among: list[Array], earlier: Array | None = None) -> dict[str, float]:
        """The bounds of the theorem, each the least for any of these distributions.

        `earlier`: the regrets to the experts before some round, if only the rounds since then count.
        """
        if not self._speaks:
            return {}
        least: dict[str, float] = {}
        for u in among:
            before = 0.0 if earlier is None else float(u @ earlier)
            found = self._bounds(u, relative_entropy(u, self.prior)) | self._trivial(u)
            for name, bound in found.items():
                least[name] = min(least.get(name, math.inf), self._width * bound - before)
        return least

    @property
    def _speaks(self) -> bool:
        """Whether the theorem applies to losses of the range."""
        return self.range is not None or self._scale_free

    def _trivial(self, u: Array) -> dict[str, float]:
        """In units of the range, the regret of a round is at most 1."""
        return {} if self.range is None else {"trivial": float(self.rounds)}

    def _rounding(self, u: Array) -> float:
        """The largest rounding error of the measured regret to `u`.

        A round's regret is a difference of losses, one of them a mean of n: an error relative to their
        sizes. Adding these regrets up is one relative to the sizes of the sums.
        """
        T = self.rounds
        if self.range is None:
            lost, apart = self._engine.gross, self._apart(u)
        else:
            lost, apart = T * max(map(abs, self.range)), T * self._width
        return 4.0 * EPS * ((self.n + 4.0) * (lost + apart) + T * apart)

    def _apart(self, u: Array) -> float:
        """An upper bound on the sum of the sizes of the regrets to `u`, if the range is not known."""
        return self.rounds * (self._engine.gross + float(np.abs(self.regrets).max()))

    def _interval_bound(
        self, earlier: int, spread: Array, start: int, stop: int, expert: int
    ) -> float:
        """A bound on the regret to an expert in the rounds `start <= t < stop`, in units of the range.

        Parameters: `earlier`, how many rounds were played before round 0; `spread` (T + 1, n), the sums
        of the sizes of the regrets, in these units, in the first 0, 1, ... rounds since then. It must
        not fall as `stop` grows.
        """
        return math.inf

    def _shifting_bound(self, rounds: int, shifts: int) -> float:
        """A bound on the regret to every sequence of experts with at most `shifts` changes.

        It is about the first rounds of the player, and in units of the range.
        """
        return math.inf

    def _assumptions(self) -> dict[str, bool | None]:
        return {"losses are in their range": True}

    # --- state -------------------------------------------------------------------------------------

    @of_options
    def _options(self) -> dict[str, Any]:
        options = super()._options()
        if "prior" in options and np.ptp(self.prior) == 0:
            options["prior"] = None  # as it is by default
        return options

    def clone(self) -> Self:
        """Another player with the same options that has learned nothing.

        >>> from regretless.experts import Hedge
        >>> player = Hedge(2, rate=0.5)
        >>> suffered = player.update([0.0, 1.0])
        >>> player.clone().weights, player.copy().weights.round(3)
        (array([0.5, 0.5]), array([0.622, 0.378]))
        """
        other = super().clone()
        if np.ptp(self.prior) > 0:
            other.names = self.names  # the prior is theirs
        return other

    def _resume(self, learned: Array) -> None:
        self._engine.restore(learned, 1.0 if self.range else 2.0 * _ANY[1])

    def _learned(self) -> dict[str, Any]:
        kept = {name: getattr(self, name) for name in ("names", *self._kept)}
        return {"state": self._engine.state(), **kept}

    def _restore(self, parts: Parts) -> None:
        self._resume(parts.array("state", (None,)))
        self.names = parts.names("names", self.n)
        self._slept = parts.flag("_slept")
