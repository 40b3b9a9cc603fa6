"""`Mixture`: experts that forecast numbers, and a forecast that is their weighted mean."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regretless import _core, losses
from regretless.base.arguments import (
    Array,
    check_entries,
    flag,
    function,
    interval,
    listed,
    numbers,
    one_of,
    whole,
    within,
)
from regretless.base.columns import arranged, index_of, rows_alike, target_of
from regretless.base.options import call_of, option, options_of
from regretless.base.state import Parts, Stateful
from regretless.base.threads import of_options
from regretless.base.waiting import Waiting, check_settled, due_after
from regretless.certificates import Certificate
from regretless.experts import oracles
from regretless.experts.adaptive import AdaNormalHedge
from regretless.experts.oracles import ForecastLoss
from regretless.experts.player import ExpertPlayer
from regretless.experts.regrets import Comparator, compared
from regretless.experts.run import EPS, Asked, ComparedRun, Notion, RunPiece, asked, looked_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# --- losses of forecasts --------------------------------------------------------------------------


@dataclass(frozen=True)
class LogForecast:
    """The log loss of a probability x: `-y ln x - (1 - y) ln(1 - x)`.

    The loss of a forecast outside [0, 1] is infinite.

    >>> LogForecast().value(0.5, 1.0).round(4), LogForecast().derivative(0.5, 1.0)
    (np.float64(0.6931), np.float64(-2.0))
    """

    def value(self, forecast: Any, y: Any) -> Any:
        """The loss of a forecast when `y` comes true."""
        x = np.asarray(forecast, np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            one, zero = (
                np.where(y > 0, y * np.log(x), 0.0),
                np.where(y < 1, (1 - y) * np.log1p(-x), 0.0),
            )
        return np.where((x < 0) | (x > 1), np.inf, -(one + zero))

    def derivative(self, forecast: Any, y: Any) -> Any:
        """Its derivative with respect to the forecast."""
        x = np.asarray(forecast, np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(y < 1, (1 - y) / (1 - x), 0.0) - np.where(y > 0, y / x, 0.0)


@dataclass(frozen=True)
class Percentage:
    """The error relative to the target: `|x - y| / |y|`.

    >>> Percentage().value(90.0, 100.0), Percentage().derivative(90.0, 100.0)
    (np.float64(0.1), np.float64(-0.01))
    """

    def value(self, forecast: Any, y: Any) -> Any:
        """The loss of a forecast when `y` comes true."""
        return np.abs(np.subtract(forecast, y)) / np.abs(y)

    def derivative(self, forecast: Any, y: Any) -> Any:
        """Its derivative with respect to the forecast, 0 at the kink."""
        return np.sign(np.subtract(forecast, y)) / np.abs(y)


def forecast_loss(name: str, tau: float = 0.5) -> tuple[ForecastLoss, _core.ForecastLossKind]:
    """A loss by its name, and its kind in the core.

    >>> forecast_loss("quantile", 0.9)
    (Quantile(tau=0.9), ForecastLossKind.quantile)
    """
    known: dict[str, Any] = {
        "squared": losses.get("squared"),
        "absolute": losses.get("absolute"),
        "quantile": losses.Quantile(tau),
        "log": LogForecast(),
        "percentage": Percentage(),
    }
    one_of(name, "loss", known)
    return known[name], _core.ForecastLossKind[name]


# --- the player of forecasts -----------------------------------------------------------------------

_LARGEST = 1e37  # of forecasts and targets: losses are then what all players take


def _names(values: Any, name: str) -> list[str]:
    return [str(each) for each in listed(values, name)]


class Mixture(Stateful, changing=("player", "rounds", "names")):
    """Forecast the mean of experts' forecasts, weighted by their past losses.

    With the gradient trick the player competes with every fixed mixture `u` of the experts' forecasts
    `e`: as the loss `f` is convex, `f(x) - f(<u, e>) <= f'(x) (x - <u, e>)`, so forecasts times the
    slope are losses. Without the trick the player learns the losses of the experts, and competes with
    each of them.

    Losses may have any size unless their `range` is given. Players that need losses in [0, 1] are given
    the differences to the least loss of the round, in a unit. A round with losses further apart than
    the unit is played but not learned. Its cost is counted, and the unit becomes twice as large, or as
    large as that round needs: all such rounds cost less than three times the largest range.
    `AdaNormalHedge` goes on in the new unit (`AdaNormalHedge.rescale`), other players start again.

    >>> mix = Mixture(AdaNormalHedge, loss="squared")
    >>> for experts, y in [([1.0, 3.0], 1.1), ([2.0, 4.0], 2.2), ([1.0, 2.0], 1.3)] * 5:
    ...     forecast = mix.predict(experts)
    ...     mix.update(y)
    >>> round(mix.predict([1.0, 2.0]), 2), mix.certificate().holds
    (1.11, True)

    Named forecasts may come in any order:

    >>> mix = Mixture()
    >>> for _ in range(5):
    ...     forecast = mix.predict({"gam": 1.0, "ar": 3.0})
    ...     mix.update(1.0)
    >>> mix.predict({"ar": 3.0, "gam": 1.0}) < 1.5, mix.names
    (True, ['gam', 'ar'])

    The exponentially weighted average of a textbook (Mohri et al. (2018), Figure 8.5):

    >>> from regretless.experts import Hedge
    >>> mix = Mixture(lambda n: Hedge(n, rate=0.5), gradient=False, range=(0, 1))
    >>> mix.run([[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 0]], [0, 1, 1, 0]).forecasts.round(3)
    array([0.667, 0.726, 0.693, 0.212])
    """

    algorithm: Any = option(
        function,
        hint=": it makes a player of n experts",
        default=AdaNormalHedge,
        kw_only=False,
        text="""the class of a player (`AdaNormalHedge`, `BOA`, `MLPoly`, ...), or a function that
        makes a player of n experts""",
    )
    loss: str = option(
        one_of,
        tuple(_core.ForecastLossKind.__members__),
        default="squared",
        text="""the loss of a forecast; the best forecast for "quantile" is the quantile `tau`, and
        forecasts for "log" are chances""",
    )
    tau: float = option(
        within,
        "(0, 1)",
        hint="; 0.5 is the median",
        default=0.5,
        text='the quantile for `loss="quantile"`',
    )
    gradient: bool = option(flag, default=True, text="whether to use the gradient trick")
    names: Any = option(
        _names,
        default=None,
        text="""the names of the experts; data frames, Arrow tables, pandas series and dicts bring
        them. From then on names are matched, in any order, and must all be there; arrays and lists are
        taken by position""",
    )
    range: tuple[float, float] | None = option(
        interval,
        default=None,
        text="""the range `(low, high)` of the losses of the experts, with `low <= 0`, if it is
        known: then the first round is learned too, and the player is the one of the
        textbooks. It needs `gradient=False`""",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.range is not None and (self.gradient or self.range[0] > 0):
            raise ValueError(
                f"range={self.range} is that of the experts' losses: it needs gradient=False, and to "
                "begin at 0 or below, as a mixture may lose less than each of them"
            )
        self._kind, self._number = forecast_loss(self.loss, self.tau)
        self._given = self.names
        self.player: ExpertPlayer | None = None
        self.rounds = 0
        self._waiting: Waiting[tuple[Array, Array, Any]] = (
            Waiting(  # the last is an index of pandas
                "forecast", "target", "predict(forecasts)"
            )
        )
        self._unit = 0.0 if self.range is None else self.range[1] - self.range[0]
        self._delayed, self._gross = False, 0.0
        self._missed: Array = np.zeros(0)
        self._past: list[tuple[ExpertPlayer, float]] = []

    # --- the rounds --------------------------------------------------------------------------------

    @property
    def weights(self) -> Array:
        """The weights of the experts, if all are awake."""
        if self.player is None:
            raise ValueError("the number of experts is not known yet: call predict")
        return self.player.weights

    def predict(self, forecasts: Any) -> Any:
        """The forecast of the mixture. The forecast of an expert that sleeps is NaN.

        With several steps, one row for each, it is an array of as many. Every call waits for its target:
        `update` takes them in the same order, at once or later.
        """
        values, names = arranged(forecasts, self.names, "forecasts")
        X = self._forecasts(values, names)
        # added up one after the other, as `run` does in the core, to the last bit
        prediction = np.cumsum(np.where(np.isnan(X), 0.0, X) * self._shares(X), axis=1)[:, -1]
        one = np.ndim(values) == 1
        self._waiting.add((X, prediction, None if one else index_of(forecasts)))
        return float(prediction[0]) if one else prediction

    def update(self, y: Any) -> None:
        """Learn the target of the oldest forecast that waits for one; NaN if it will never come."""
        X, prediction, index = self._waiting[self._waiting.find()]
        y = target_of(rows_alike(y, index, "y", "the forecasts"))
        target = np.atleast_1d(numbers(y, "y", missing=True))
        if target.shape != prediction.shape:
            raise ValueError(f"y has shape {target.shape}, but the forecast {prediction.shape}")
        self._check_target(target)
        self._check_range(X, target, "the losses of the experts")
        self._waiting.take()
        self._delayed |= bool(self._waiting)
        self.rounds += 1
        if not np.isnan(target).any():
            self._learn(X, prediction, target)

    def run(self, experts: Any, y: Any, *, delay: int = 0, align: bool = False) -> "MixtureRun":
        """Play many rounds: `experts` has a row per round and a column per expert, `y` has the targets.

        Arrays, data frames, Arrow tables or a dict of columns. `delay`: a target is known only when so
        many further forecasts were made. If both are of pandas they must have the same index; `align`
        matches the targets by the index of the experts instead; missing targets count as never known.
        """
        hint = "; align=True matches them by the index, y.to_numpy() takes them in order"
        index = index_of(experts)
        y = rows_alike(y, index, "y", "experts", align=align, hint=hint)
        experts, names = arranged(experts, self.names, "experts")
        X, targets = (
            numbers(experts, "experts", missing=True),
            numbers(target_of(y), "y", missing=True),
        )
        if X.ndim != 2 or targets.shape != X.shape[:1]:
            raise ValueError(
                f"experts has shape {X.shape} and y {targets.shape}, not (rounds, experts) and (rounds,)"
            )
        whole(delay, "delay", 0)
        self._check_target(targets)
        check_settled(self._waiting, "forecasts", "targets")
        self._check_range(X, targets, "the losses of experts")
        self._meet(X, names, "experts")
        X, before = np.ascontiguousarray(X), self.copy()
        predictions, weights = np.empty(len(X)), np.empty(X.shape)
        enlarged: list[tuple[int, float]] = []
        if delay:
            for t, due in enumerate(due_after(delay, len(X))):
                weights[t] = self._shares(X[t : t + 1])
                predictions[t] = self.predict(X[t])
                for earlier in due:
                    self.update(targets[earlier])
        else:
            for done, refused, forecasts, shares in self._parts(X, targets):
                at = slice(done - len(forecasts), done)
                predictions[at], weights[at] = forecasts, shares
                if refused:
                    enlarged.append((done - 1, self._enlarge(X, predictions, targets, done - 1)))
        self._waiting.given = self.rounds
        return MixtureRun(
            X,
            targets,
            predictions,
            weights,
            before=before,
            after=self.copy(),
            enlarged=enlarged,
            index=index,
        )

    def _parts(self, X: Array, y: Array) -> Iterator[tuple[int, bool, Array, Array]]:
        """Play the rounds. Stops after those that the unit is too small for, and at the end. Yields how
        many were played, whether the last was refused, and the new forecasts and weights.
        """
        at = 0
        while at < len(X):
            assert self.player is not None
            done, refused, self._gross, forecasts, shares = _core.mixture_run(
                self.player._engine,
                self._number,
                self.tau,
                self.gradient,
                *self._scale,
                self._gross,
                X[at:],
                y[at:],
            )
            at, self.rounds = at + done, self.rounds + done
            yield at, refused, forecasts[:done], shares.reshape(-1, X.shape[1])[:done]

    @property
    def _scale(self) -> tuple[float, float]:
        """The largest spread of losses (0 if the player takes all, tiny at first) and their origin (NaN:
        the least of each round)."""
        assert self.player is not None
        if self.player.range is None:
            return 0.0, 0.0
        return self._unit or 5e-324, math.nan if self.range is None else self.range[0]

    def _losses(self, X: Array, prediction: Array, y: Array) -> tuple[Array, float]:
        """The losses of the experts and of the mixture, each a mean over the steps."""
        if self.gradient:
            slopes = self._kind.derivative(prediction, y)
            each, mine = slopes[:, None] * X, slopes * prediction
        else:
            each, mine = self._kind.value(X, y[:, None]), self._kind.value(prediction, y)
        return np.where(np.isnan(X), 0.0, each).mean(axis=0), float(np.mean(mine))

    def _learn(self, X: Array, prediction: Array, y: Array) -> None:
        assert self.player is not None
        losses, suffered = self._losses(X, prediction, y)
        awake, engine = self._awake(X), self.player._engine
        learned, self._gross = _core.learn_within(
            engine, losses.tolist(), awake, suffered, *self._scale, self._gross
        )
        if not learned:
            self._grow(X, losses, suffered)

    def _enlarge(self, X: Array, predictions: Array, y: Array, t: int) -> float:
        """Enlarge the unit after round t of a run, and return it."""
        at = slice(t, t + 1)
        self._grow(X[at], *self._losses(X[at], predictions[at], y[at]))
        return self._unit

    def _grow(self, X: Array, losses: Array, suffered: float) -> None:
        """Count the cost of a round that the unit was too small for, and enlarge the unit."""
        assert self.player is not None
        awake = ~np.isnan(X).any(axis=0)
        self._missed = self._missed + np.where(awake, suffered - losses, 0.0)
        width = float(np.ptp(np.append(losses[awake], suffered)))
        unit = max(2.0 * self._unit, width)
        if self._unit and isinstance(self.player, AdaNormalHedge):
            self.player.rescale(self._unit / unit)
        elif self._unit:
            self._past.append((self.player, self._unit))
            self.player = self._fresh(self.player.n)
        self._unit = unit

    def _fresh(self, n: int) -> ExpertPlayer:
        player = self.algorithm(n)
        if not isinstance(player, ExpertPlayer):
            raise ValueError(
                f"algorithm={self.algorithm!r} must make a player of regretless.experts"
            )
        if player.range not in (None, (0.0, 1.0)):
            raise ValueError(
                f"range={player.range} of a player: a mixture finds it by itself, or Mixture(range=)"
            )
        return player

    def _awake(self, X: Array) -> Array | None:
        asleep = np.isnan(X).any(axis=0)
        return np.asarray(~asleep, np.float64) if asleep.any() else None

    def _shares(self, X: Array) -> Array:
        assert self.player is not None
        return self.player.distribution(self._awake(X))

    # --- arguments ---------------------------------------------------------------------------------

    def _forecasts(self, forecasts: Any, names: list[str] | None) -> Array:
        X = np.atleast_2d(numbers(forecasts, "forecasts", missing=True))
        if X.ndim != 2 or not X.size:
            raise ValueError(f"forecasts has shape {X.shape}, not (experts,) or (steps, experts)")
        if np.isnan(X).any(axis=0).all():
            raise ValueError("all experts are asleep: somebody must be awake")
        self._meet(X, names, "forecasts")
        return np.where(np.isnan(X).any(axis=0), np.nan, X) if len(X) > 1 else X

    def _meet(self, X: Array, names: list[str] | None, name: str) -> None:
        """Learn the number and the names of the experts from valid first forecasts."""
        player, n = self.player or self._fresh(X.shape[1]), X.shape[1]
        if names is not None and len(names) != n:
            raise ValueError(f"there are {len(names)} names for {n} experts")
        if n != player.n:
            raise ValueError(f"there are {n} forecasts, but {player.n} experts")
        self._check_rows(X, player, name)
        if self.player is None:
            self.player, self._missed = player, np.zeros(n)
        self.names = names

    def _check_rows(self, X: Array, player: ExpertPlayer, name: str) -> None:
        large = np.abs(X) > _LARGEST
        if large.any():
            at = np.argwhere(large)[0]
            where, value = ", ".join(map(str, at)), X[tuple(at)]
            raise ValueError(
                f"{name}[{where}] = {value} is beyond {_LARGEST:g}; NaN is for experts that sleep"
            )
        asleep = np.isnan(X)
        if asleep.all(axis=1).any():
            t = int(np.argmax(asleep.all(axis=1)))
            raise ValueError(f"all experts are asleep in round {t}: somebody must be awake")
        if asleep.any() and not player._sleeps:
            raise ValueError(
                f"an expert is asleep (NaN), but {type(player).__name__} takes only awake ones; "
                "AdaNormalHedge, BOA and MLPoly do"
            )
        if self.loss == "log" and not ((X[~asleep] > 0) & (X[~asleep] < 1)).all():
            raise ValueError("loss='log' needs forecasts that are chances, above 0 and below 1")

    def _check_target(self, y: Array) -> None:
        large = np.abs(y) > _LARGEST
        if large.any():
            raise ValueError(
                f"y={y[large][0]} is beyond {_LARGEST:g}; NaN is for targets that never come"
            )
        known = y[~np.isnan(y)]
        if self.loss == "log" and not ((known >= 0) & (known <= 1)).all():
            raise ValueError("loss='log' needs targets in [0, 1]")
        if self.loss == "percentage" and (np.abs(known) < 1.0 / _LARGEST).any():
            raise ValueError("loss='percentage' needs targets that are not 0, nor nearly so")

    def _check_range(self, X: Array, y: Array, name: str) -> None:
        if self.range is None:
            return
        low, high = self.range
        losses = np.asarray(self._kind.value(X, y[:, None]))
        right = np.isnan(losses) | ((losses >= low) & (losses <= high))
        check_entries(losses, right, name, f"is outside range={self.range}")

    def _named(self) -> list[str]:
        assert self.player is not None
        return self.names or [f"expert {i}" for i in range(self.player.n)]

    # --- what is proven ----------------------------------------------------------------------------

    @property
    def regrets(self) -> Array:
        """The regret to each expert, in the losses that the player is given."""
        if self.player is None:
            return np.zeros(0)
        parts = [unit * player.regrets for player, unit in self._past]
        now = self._factor * self.player.regrets
        return np.asarray(np.sum([*parts, now, self._missed], axis=0))

    @property
    def _factor(self) -> float:
        """The unit of the losses that the player is given."""
        return 1.0 if self._scale[0] == 0.0 else self._unit or 1.0

    def regret(self, comparator: Any = None, *, quantile: float | None = None) -> float:
        """The regret so far, in the losses that the player is given: see `certificate`."""
        if self.player is None:
            return 0.0
        return float(self._compared(comparator, quantile).u @ self.regrets)

    def certificate(self, comparator: Any = None, *, quantile: float | None = None) -> Certificate:
        """The bound on the regret to an expert, by index or name, to a mixture of them, or to the best.

        With the gradient trick the regret is that of linearised losses, no less than that of the loss,
        and no mixture has a larger one than the best expert. To an expert that sleeps now and then it is
        counted in the rounds it was awake; to a mixture it is the mean of those to its experts.
        """
        if self.player is None:
            return Certificate(0, 0.0, {"regret": 0.0}, "nothing was played")
        who = self._compared(comparator, quantile)
        return Certificate(
            self.rounds,
            float(who.u @ self.regrets),
            self._proved(who.among),
            self.player._theorem,
            self._assumptions(),
            who.words + ", in linearised losses" * self.gradient,
            who.against,
            self._rounding(who.u),
        )

    def _compared(self, comparator: Any, quantile: float | None = None) -> Comparator:
        assert self.player is not None
        return compared(self.regrets, self.player.prior, self.names, comparator, quantile)

    def _assumptions(self) -> dict[str, bool | None]:
        return {"targets came before the next forecast": not self._delayed}

    def _proved(self, among: list[Array], earlier: Array | None = None) -> dict[str, float]:
        """The bounds of the players of all units, and the cost of the rounds between them."""
        assert self.player is not None
        players = [*self._past, (self.player, self._factor)]
        least = math.inf
        for u in among:
            proved = [(player._proved([u]), unit) for player, unit in players]
            bound = math.fsum(unit * min(p.values(), default=math.inf) for p, unit in proved)
            before = 0.0 if earlier is None else float(u @ earlier)
            least = min(least, bound + float(u @ self._missed) - before)
        return {"mixture": least} if least < math.inf else {}

    def _rounding(self, u: Array) -> float:
        """The rounding of the player, by the sizes of the losses that it was told."""
        assert self.player is not None
        players = [*self._past, (self.player, self._factor)]
        apart = 3.0 * self._unit + math.fsum(unit * player.rounds for player, unit in players)
        if self.player.range is None:
            apart = self.player._apart(u)
        errors = (self.player.n + 8.0) * (self._gross + apart) + self.rounds * apart
        return 4.0 * EPS * errors

    # --- state -------------------------------------------------------------------------------------

    @of_options
    def _options(self) -> dict[str, Any]:
        # `names` can have come later, and to read that attribute takes a turn
        return {
            k: self._given if k == "names" else getattr(self, k) for k in options_of(type(self))
        }

    def _learned(self) -> dict[str, Any]:
        check_settled(self._waiting, "forecasts", "targets")
        if not isinstance(self.algorithm, type):
            raise ValueError(f"algorithm={self.algorithm!r} is a function, which cannot be saved")
        return {
            "rounds": self.rounds,
            "names": self.names,
            "_delayed": self._delayed,
            "_unit": self._unit,
            "_gross": self._gross,
            "missed": self._missed,
            "past": list(self._past),
            "player": self.player,
        }

    def _restore(self, parts: Parts) -> None:
        self.rounds, self._delayed = parts.whole("rounds"), parts.flag("_delayed")
        self._waiting.given = self.rounds
        unit = parts.number("_unit", 0.0, 1e150)
        if self.range is not None and unit != self._unit:
            raise ValueError(f"_unit={unit} is not that of range={self.range}")
        self._unit, self._gross = unit, parts.number("_gross", 0.0)
        self.player, self._past = parts.take("player"), parts.take("past")
        units = [within(unit, "past", "(0, inf)") for _, unit in self._past]
        players = [player for player, _ in self._past]
        players += [] if self.player is None and not players else [self.player]
        n = players[0].n if players else 0
        if any(type(each) is not self.algorithm or each.n != n for each in players):
            raise ValueError(f"the players are not {self.algorithm} of the same experts")
        if any(each.range not in (None, (0.0, 1.0)) for each in players):
            raise ValueError("the players have a range other than (0, 1)")
        if max(units, default=0.0) > self._unit:
            raise ValueError("an earlier unit is larger than the present one")
        names = parts.take("names")
        self.names = (
            None if names is None else Parts({"names": names}).names("names", n or len(names))
        )
        self._missed = parts.array("missed", (n,), -1e150, 1e150)
        if sum(each.rounds for each in players) > self.rounds:
            raise ValueError("the players have played more rounds than the mixture")


# --- a run of it, beside the experts and what could have been done ---------------------------------


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


class MixtureRun(ComparedRun):
    """The rounds of a mixture.

    Its `regret`, `bound`, `regret_curve`, `bound_curve` and `certificate` take one of these:

    - `comparator`, the index or the name of an expert, a fixed mixture of them (a distribution), or
      "best": by default with the gradient trick the best fixed mixture in hindsight, and the best expert
      without the trick, or if one slept;
    - `quantile`, for the `ceil(quantile n)`-th best expert;
    - `interval`, `(start, stop)` or "worst", `shifts` and `sequence`, as of an `ExpertsRun`; there are
      theorems of these for `AdaNormalHedgeTV`, and of `shifts` for `FixedShare`.

    An expert is compared in the rounds it was awake. To a mixture `u` a round counts as much as the
    share `m` of it that is awake, `m (f(x) - f(<u, e> / m))`, the sum being over those awake: a theorem
    about each expert's own rounds bounds this sum only. Rounds without a target do not count. Without
    the gradient trick the only bound for a mixture is that a round loses at most as much as the worst
    expert.

    Attributes: `experts`, their forecasts, and `y`, the targets, a row for each round; `forecasts` of
    the mixture and the `weights` they were made with; `before` and `after`, the mixture when the run
    began and ended; `names` of the experts; `index` of the rounds, dates for example, or None.

    >>> from regretless.experts import Mixture
    >>> experts, y = np.array([[1.0, 3.0], [2.0, 6.0]] * 20), np.array([2.0, 3.0] * 20)
    >>> run = Mixture().run(experts, y)
    >>> run.regret() <= run.bound(), run.regret(comparator=0) <= run.bound(comparator=0)
    (True, True)
    """

    before: "Mixture"
    after: "Mixture"
    weights: Array

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

    @property
    def _kind(self) -> ForecastLoss:
        """The loss of forecasts."""
        return self.after._kind

    @cached_property
    def losses(self) -> Array:  # type: ignore[override]
        """The losses of the mixture, one per round; NaN if there was no target."""
        return np.asarray(self._kind.value(self.forecasts, self.y))

    @property
    def names(self) -> list[str]:
        """The names of the experts."""
        return self.after._named()

    @property
    def loss(self) -> float:
        """The sum of the losses of the rounds that have a target."""
        return math.fsum(self.losses[self._known])

    @property
    def mean_loss(self) -> float:
        """The mean of these losses; 0 without rounds."""
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
        """The loss of each expert in each round; NaN if it slept or there was no target."""
        return np.asarray(self._kind.value(self.experts, self.y[:, None]))

    @cached_property
    def instantaneous(self) -> Array:
        """The regret to each expert in each round, in the loss itself; 0 where it slept."""
        return np.where(self._awake, self.losses[:, None] - self.expert_losses, 0.0)

    @cached_property
    def _told(self) -> Array:
        """The regret to each expert in each round, in the losses that the player is given."""
        if not self.after.gradient:
            return self.instantaneous
        slopes = self._kind.derivative(self.forecasts, self.y)
        apart = np.asarray(slopes)[:, None] * (self.forecasts[:, None] - self.experts)
        return np.where(self._awake, apart, 0.0)

    # --- regret and bounds -------------------------------------------------------------------------

    def _asked(self, notion: Notion) -> Asked:
        assert self.after.player is not None
        comparator, *others = notion
        best = comparator is None or (isinstance(comparator, str) and comparator == "best")
        asleep = bool((~self._awake[self._known]).any())
        if best and all(each is None for each in others) and self._known.any():
            if self.after.gradient and not asleep:
                u = self._best_mixture
                # no linearised regret is larger than that to this one, and no regret than it
                top = np.eye(len(u))[int(np.argmax(self._told.sum(axis=0)))]
                return Asked("the best fixed mixture in hindsight", u, u, [u, top], [])
            notion = Notion()
        prior = self.after.player.prior
        found = asked(self.instantaneous, prior, self.after.names, notion)
        words = found.words + ", each in the rounds it was awake" * asleep
        return found._replace(words=words)

    @cached_property
    def _best_mixture(self) -> Array:
        known = self._known
        best = oracles.best_convex(self.experts[known], self.y[known], self._kind)
        assert best.weights is not None
        return best.weights

    def _measured(self, who: Asked) -> tuple[Array, Array, Array]:
        # forecasts are means, so that what is lost is at most what the worst expert loses
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
        kind = self._kind
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

    @property
    def _theorem(self) -> str:
        assert self.after.player is not None
        return self.after.player._theorem

    def _proved(self, who: Asked) -> dict[str, float]:
        if not self._is_proved(who):
            return {}
        if not who.pieces:
            return self.after._proved(who.among, self.before.regrets)
        if not self.rounds:
            return {}
        found = {"intervals": math.fsum(map(self._of_piece, who.pieces))}
        found["shifts"] = self._of_shifts(who, self.rounds)
        return {name: bound for name, bound in found.items() if bound < math.inf}

    def _is_proved(self, who: Asked) -> bool:
        """Whether a theorem applies: to experts always, to mixtures with the gradient trick only."""
        return self.after.gradient or bool((np.count_nonzero(who.shares, axis=-1) <= 1).all())

    def _theorem_curve(self, who: Asked) -> Array:
        if not self._is_proved(who):
            return np.full(self.rounds, math.inf)
        return super()._theorem_curve(who)

    def _looked_at(self) -> NDArray[np.intp]:
        # just before and after a change of the unit the bound may fall; else it does not
        changes = [t + after for t, _ in self._enlarged for after in (0, 1)]
        return np.unique([*looked_at(self.rounds), *(t for t in changes if t > 0)])

    def _replayed(self, at: NDArray[np.intp], u: Array) -> tuple[Any, list[float]]:
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
        """The periods between changes of the unit; most players start again in each."""
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
        """The best choices in hindsight: see `regretless.experts.oracles.table`."""
        known = self._known
        return oracles.table(self.experts[known], self.y[known], self._kind, shifts)

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

    def plot_residuals(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the cumulative residuals of the mixture and of the experts."""
        from regretless.plots.players import cumulative_residuals

        known = self._known
        return cumulative_residuals(
            self.experts[known], self.y[known], self.forecasts[known], ax, names=self.names
        )

    def plot_oracles(self, ax: "Axes | None" = None, *, shifts: int = 3) -> "Axes":
        """Draw the mean losses of the mixture and of the best choices in hindsight."""
        from regretless.plots.players import oracle_bars

        found: list[Any] = [(oracle.name, oracle.mean_loss) for oracle in self.oracles(shifts)]
        return oracle_bars(found, self.mean_loss, ax)
