"""Forecasts that were mixed: how good they were, beside the experts and what could have been done."""

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import Array
from regretless.base.run import Run
from regretless.base.values import call_of
from regretless.certificates import Certificate
from regretless.experts import oracles
from regretless.experts.run import EPS, Asked, RunPiece, asked, filled, looked_at, pieces_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from regretless.experts.mixture import Mixture


class _Period(NamedTuple):
    """The rounds `start <= t < stop`, which the player was told in one unit.

    Attributes: `earlier`, how many rounds the same player had learned before; `learned`, how many of the
    first 0, 1, ... rounds of the period it learned; `spread`, the sums of the sizes of the regrets in
    these, in the unit.
    """

    start: int
    stop: int
    unit: float
    earlier: int
    learned: NDArray[np.intp]
    spread: Array


class MixtureRun(Run):
    """The rounds of a mixture.

    Its `regret`, `bound`, `regret_curve`, `bound_curve` and `certificate` take one of these:

    - `comparator`, the index or the name of an expert, a fixed mixture of them (a distribution), or
      "best": by default with the gradient trick the best fixed mixture in hindsight, and the best expert
      without the trick, or if one slept;
    - `quantile`, for the `ceil(quantile n)`-th best expert;
    - `interval`, `(start, stop)` or "worst", `shifts` and `sequence`, as of an `ExpertsRun`; there are
      theorems of these for `AdaNormalHedgeTV`, and of `shifts` for `FixedShare`.

    An expert is compared in the rounds it was awake. To a mixture `u` a round counts as much as the
    share `m` of it that is awake, `m (f(x) - f(<u, e> / m))`, the sum being over those awake: this, and
    no other sum, is what a theorem about each expert's own rounds bounds. Rounds without a target do not
    count. Without the gradient trick nothing is proved of mixtures but that no round loses more than
    the worst expert.

    Attributes: `experts`, their forecasts, and `y`, the targets, a row for each round; `forecasts` of
    the mixture and the `weights` they were made with; `before` and `after`, the mixture when the run
    began and ended; `names` of the experts; `index` of the rounds, dates for example, or None.

    >>> from regretless.experts import Mixture
    >>> experts, y = np.array([[1.0, 3.0], [2.0, 6.0]] * 20), np.array([2.0, 3.0] * 20)
    >>> run = Mixture().run(experts, y)
    >>> run.regret() <= run.bound(), run.regret(comparator=0) <= run.bound(comparator=0)
    (True, True)
    """

    def __init__(
        self,
        experts: Array,
        y: Array,
        forecasts: Array,
        weights: Array,
        *,
        before: "Mixture",
        after: "Mixture",
        enlarged: list[tuple[int, float]],
        index: Any = None,
    ) -> None:
        self.experts, self.y, self.forecasts, self.weights = experts, y, forecasts, weights
        self.before, self.after, self.index = before, after, index
        self._enlarged = (
            enlarged  # rounds that the unit was too small for, and the units after them
        )

    @cached_property
    def losses(self) -> Array:  # type: ignore[override]
        """Of the mixture, in each round; NaN where there was no target."""
        return np.asarray(self.after._kind.value(self.forecasts, self.y))

    @property
    def names(self) -> list[str]:
        """Of the experts."""
        return self.after._named()

    @property
    def loss(self) -> float:
        """The sum of the losses of the rounds that have a target."""
        return math.fsum(self.losses[self._known])

    @property
    def mean_loss(self) -> float:
        """The mean of these losses; 0 if there are none."""
        return self.loss / (int(self._known.sum()) or 1)

    @property
    def rmse(self) -> float:
        """The root of the mean squared error."""
        errors = (self.forecasts - self.y)[self._known]
        return float(np.sqrt(np.mean(errors**2))) if len(errors) else 0.0

    @cached_property
    def _known(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.y)

    @cached_property
    def _awake(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.experts) & self._known[:, None]

    @cached_property
    def expert_losses(self) -> Array:
        """Of each expert in each round; NaN where it slept, or there was no target."""
        return np.asarray(self.after._kind.value(self.experts, self.y[:, None]))

    @cached_property
    def instantaneous(self) -> Array:
        """The regret to each expert in each round, in the loss itself; 0 where it slept."""
        return np.where(self._awake, self.losses[:, None] - self.expert_losses, 0.0)

    @cached_property
    def _told(self) -> Array:
        """The same in the losses that the player is given."""
        if not self.after.gradient:
            return self.instantaneous
        slopes = self.after._kind.derivative(self.forecasts, self.y)
        apart = np.asarray(slopes)[:, None] * (self.forecasts[:, None] - self.experts)
        return np.where(self._awake, apart, 0.0)

    # --- regret and bounds -------------------------------------------------------------------------

    def regret_curve(
        self,
        comparator: Any = None,
        *,
        quantile: float | None = None,
        interval: Any = None,
        shifts: int | None = None,
        sequence: Any = None,
    ) -> Array:
        """After each round, how much more was lost than by whom `certificate` names."""
        who = self._asked(comparator, quantile, interval, shifts, sequence)
        return np.cumsum(self._against(who)[0])

    def bound_curve(
        self,
        comparator: Any = None,
        *,
        quantile: float | None = None,
        interval: Any = None,
        shifts: int | None = None,
        sequence: Any = None,
    ) -> Array:
        """After each round, the bound on that; see `ExpertsRun.bound_curve`."""
        who = self._asked(comparator, quantile, interval, shifts, sequence)
        if not self.rounds:
            return np.zeros(0)
        if False in self.after._assumptions().values():
            return np.full(self.rounds, math.inf)
        _, trivial, rounding = self._against(who)
        theorem = self._theorem_curve(who) if self._is_proved(who) else math.inf
        curve = np.minimum(theorem, trivial) + rounding
        curve[-1] = min(curve[-1], self._certificate(who).bound)
        return curve

    def certificate(
        self,
        comparator: Any = None,
        *,
        quantile: float | None = None,
        interval: Any = None,
        shifts: int | None = None,
        sequence: Any = None,
    ) -> Certificate:
        """The regret at the end, and the bounds on it."""
        return self._certificate(self._asked(comparator, quantile, interval, shifts, sequence))

    def _asked(
        self, comparator: Any, quantile: Any, interval: Any, shifts: Any, sequence: Any
    ) -> Asked:
        assert self.after.player is not None
        others = (quantile, interval, shifts, sequence)
        best = comparator is None or (isinstance(comparator, str) and comparator == "best")
        asleep = bool((~self._awake[self._known]).any())
        if best and all(x is None for x in others) and self._known.any():
            if self.after.gradient and not asleep:
                u = self._best_mixture
                # no linearised regret is larger than that to this one, and no regret than it
                top = np.eye(len(u))[int(np.argmax(self._told.sum(axis=0)))]
                return Asked("the best fixed mixture in hindsight", u, u, [u, top], [])
            comparator = None
        found = asked(
            self.instantaneous,
            self.after.player.prior,
            self.after.names,
            comparator=comparator,
            quantile=quantile,
            interval=interval,
            shifts=shifts,
            sequence=sequence,
        )
        words = found.words + ", each in the rounds it was awake" * asleep
        return found._replace(words=words)

    @cached_property
    def _best_mixture(self) -> Array:
        known = self._known
        best = oracles.best_convex(self.experts[known], self.y[known], self.after._kind)
        assert best.weights is not None
        return best.weights

    def _against(self, who: Asked) -> tuple[Array, Array, Array]:
        """The regret in each round; after each, what it is at most as forecasts are means; rounding."""
        shares = np.where(self._awake, who.shares, 0.0)
        m = shares.sum(axis=1)
        held = m > 0
        means = np.zeros(self.rounds)
        inside = shares[held] / m[held, None]
        means[held] = np.sum(inside * np.where(self._awake, self.experts, 0.0)[held], axis=1)
        # a mean of numbers is one of them or between: rounding must not take a chance out of [0, 1]
        low = np.where(shares > 0, self.experts, math.inf).min(axis=1)
        high = np.where(shares > 0, self.experts, -math.inf).max(axis=1)
        means[held] = np.clip(means[held], low[held], high[held])
        kind = self.after._kind
        theirs, worst, mine = np.zeros(self.rounds), np.zeros(self.rounds), np.zeros(self.rounds)
        theirs[held] = kind.value(means[held], self.y[held])
        worst[held] = np.where(self._awake, self.expert_losses, -math.inf)[held].max(axis=1)
        mine[held] = self.losses[held]
        # a rounded forecast's loss is that of one nearby: as far off as its slope there says
        bend = np.zeros(self.rounds)
        bend[held] = np.abs(kind.derivative(means[held], self.y[held])) * np.abs(means[held])
        ours = np.abs(kind.derivative(self.forecasts, self.y)) * np.abs(self.forecasts)
        bend[held] += ours[held]
        sizes = np.cumsum(m * (np.abs(theirs) + np.abs(mine) + np.abs(worst) + bend))
        apart = np.cumsum(m * np.abs(mine - theirs))
        n, steps = self.experts.shape[1], np.arange(1, self.rounds + 1)
        u = who.shares if who.shares.ndim == 1 else who.shares.max(axis=0, initial=0.0)
        rounding = 4.0 * EPS * ((n + 8.0) * sizes + steps * apart) + self.after._rounding(u)
        return m * (mine - theirs), np.cumsum(m * (worst - theirs)), rounding

    def _certificate(self, who: Asked) -> Certificate:
        assert self.after.player is not None
        increments, trivial, rounding = self._against(who)
        bounds: dict[str, float] = {}
        if self._is_proved(who):
            if not who.pieces:
                bounds |= self.after._proved(who.among, self.before.regrets)
            elif self.rounds:
                found = {"intervals": math.fsum(map(self._of_piece, who.pieces))}
                found["shifts"] = self._of_shifts(who, self.rounds)
                bounds |= {name: bound for name, bound in found.items() if bound < math.inf}
        if self.rounds:
            bounds["trivial"] = float(trivial[-1])
        return Certificate(
            self.rounds,
            float(np.cumsum(increments)[-1]) if self.rounds else 0.0,
            bounds,
            self.after.player._theorem,
            self.after._assumptions(),
            who.words,
            who.against,
            float(rounding[-1]) if self.rounds else 0.0,
        )

    def _is_proved(self, who: Asked) -> bool:
        """Theorems are about experts, and by the gradient trick about mixtures of them."""
        return self.after.gradient or bool((np.count_nonzero(who.shares, axis=-1) <= 1).all())

    def _theorem_curve(self, who: Asked) -> Array:
        # just before and after a change of the unit the bound may fall; else it does not
        changes = [t + after for t, _ in self._enlarged for after in (0, 1)]
        at = np.unique([*looked_at(self.rounds), *(t for t in changes if t > 0)])
        if who.shares.ndim == 1:
            return filled(*self._replayed(at, who.shares), self.rounds)
        total = pieces_curve(at, who.pieces, self._of_piece)
        shifting = [self._of_shifts(who, int(stop)) for stop in at]
        return filled(at, np.minimum(total, shifting), self.rounds)

    def _replayed(self, at: Any, u: Array) -> tuple[list[int], list[float]]:
        """The bound on the regret to `u` after these rounds: the game is played once more."""
        mixture, done, earlier = self.before.copy(), 0, self.before.regrets
        bounds: dict[int, float] = {}
        for stop in map(int, at):
            X, y = self.experts[done:stop], self.y[done:stop]
            for played, refused, _, _ in mixture._parts(X, y):
                if refused:
                    mixture._enlarge(X, self.forecasts[done:stop], y, played - 1)
            done = stop
            bounds[stop] = min(mixture._proved([u], earlier).values(), default=math.inf)
        return list(bounds), list(bounds.values())

    # --- theorems about some rounds ----------------------------------------------------------------

    @cached_property
    def _periods(self) -> list[_Period]:
        """Between changes of the unit: a player that cannot go on in another one starts again."""
        found, start = list[_Period](), 0
        player, unit = self.before.player, self.before._factor if self.before.player else 1.0
        earlier = player.rounds if player else 0
        begun = self.before._unit > 0  # at first no losses are small enough
        for stop, then in [*self._enlarged, (self.rounds, 0.0)]:
            learned = np.append(0, np.cumsum(self._known[start:stop]))
            sizes = np.abs(self._told[start:stop][self._known[start:stop]]) / unit
            spread = np.vstack([np.zeros(sizes.shape[1]), np.cumsum(sizes, axis=0)])
            found.append(_Period(start, stop, unit, earlier, learned, spread))
            earlier = 0 if begun else earlier + int(learned[-1])
            start, unit, begun = stop + 1, then, True
        return found

    def _of_piece(self, piece: RunPiece, end: int | None = None) -> float:
        """The bound on the regret to a piece, or to what there is of it before `end`."""
        weight, start, stop, expert = piece
        stop = stop if end is None else min(end, stop)
        player = self.after.player
        assert player is not None
        total = math.fsum(self._told[t, expert] for t, _ in self._enlarged if start <= t < stop)
        for period in self._periods:
            first, last = max(start, period.start), min(stop, period.stop)
            if first >= last:
                continue
            a, b = (int(period.learned[t - period.start]) for t in (first, last))
            if a < b:
                found = player._interval_bound(period.earlier, period.spread, a, b, expert)
                total += period.unit * found
        return weight * total

    def _of_shifts(self, who: Asked, end: int) -> float:
        """The bound on the regret to a sequence of experts before `end`, if that has one."""
        player = self.after.player
        assert player is not None
        if who.shifts is None:
            return math.inf
        followed = {t: i for _, a, b, i in who.pieces for t, _ in self._enlarged if a <= t < b}
        total = math.fsum(self._told[t, i] for t, i in followed.items() if t < end)
        for period in self._periods:
            stop = min(end, period.stop)
            if stop <= period.start or not (rounds := int(period.learned[stop - period.start])):
                continue
            if period.earlier:
                return math.inf
            parts = sum(a < stop and b > period.start for _, a, b, _ in who.pieces)
            total += period.unit * player._shifting_bound(rounds, parts - 1)
        return total

    # --- tables and pictures -----------------------------------------------------------------------

    def _columns(self) -> dict[str, Any]:
        weights = {f"weight of {name}": each for name, each in zip(self.names, self.weights.T)}
        return {"target": self.y, "forecast": self.forecasts} | weights

    def oracles(self, shifts: int = 3) -> list[oracles.Oracle]:
        """What could have been done in hindsight: see `regretless.experts.oracles.table`."""
        known = self._known
        return oracles.table(self.experts[known], self.y[known], self.after._kind, shifts)

    def summary(self) -> str:
        """The rule, the weights, and the errors beside those of the experts and of the oracles."""
        last, found = self.after.weights, self.oracles()
        wide = max(len(name) for name in (*self.names, *(oracle.name for oracle in found)))
        known = self._known
        each = self.expert_losses[known]
        lines = [
            f"{call_of(self.after, self.after._options() | {'names': None})}: {self.after.player!r}",
            f"{len(self.names)} experts, {len(self.y)} rounds",
            "",
            f"{'':<{wide}}  mean loss      rmse   weight",
        ]
        rows: list[tuple[str, float, float, float | None]] = [
            ("mixture", self.mean_loss, self.rmse, None)
        ]
        rows += [
            (
                name,
                float(np.nanmean(each[:, i])),
                float(np.sqrt(np.nanmean((self.experts[known, i] - self.y[known]) ** 2))),
                float(last[i]),
            )
            for i, name in enumerate(self.names)
        ]
        for name, loss, rmse, weight in rows:
            told = "" if weight is None else f"{weight:8.3f}"
            lines.append(f"{name:<{wide}}  {loss:9.4g} {rmse:9.4g} {told}".rstrip())
        lines.append("")
        lines += [f"{oracle.name:<{wide}}  {oracle.mean_loss:9.4g}" for oracle in found]
        return "\n".join(lines)

    def plot_weights(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the weights over the rounds, stacked."""
        from regretless.plots.players import weights_over_time

        return weights_over_time(self.weights, ax, names=self.names)

    def plot_residuals(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the sums of what was left over, of the mixture and of the experts."""
        from regretless.plots.players import cumulative_residuals

        known = self._known
        return cumulative_residuals(
            self.experts[known], self.y[known], self.forecasts[known], ax, names=self.names
        )

    def plot_oracles(self, ax: "Axes | None" = None, *, shifts: int = 3) -> "Axes":
        """Draw the mean losses of the mixture and of what could have been done."""
        from regretless.plots.players import oracle_bars

        found: list[Any] = [(oracle.name, oracle.mean_loss) for oracle in self.oracles(shifts)]
        return oracle_bars(found, self.mean_loss, ax)

    def __repr__(self) -> str:
        return f"<{self.rounds} rounds of {self.after!r}, loss {self.loss:.4g}>"
