"""`Mixture`: experts that forecast numbers, and a forecast that is their weighted mean."""

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless import _core, losses
from regretless.base.arguments import (
    Array,
    check_entries,
    function,
    interval,
    listed,
    numbers,
    one_of,
    whole,
    within,
)
from regretless.base.columns import arranged, index_of, rows_alike, target_of
from regretless.base.state import Parts, Stateful
from regretless.base.threads import of_options
from regretless.certificates import Certificate
from regretless.experts.adaptive import AdaNormalHedge
from regretless.experts.mixture_run import MixtureRun
from regretless.experts.oracles import ForecastLoss
from regretless.experts.player import ExpertPlayer
from regretless.experts.regrets import Comparator, compared
from regretless.experts.run import EPS

# --- losses of forecasts: those of `regretless.losses` and two more, with their names in the ------


@dataclass(frozen=True)
class LogForecast:
    """The log loss of a chance: `-ln x` if `y` is 1, `-ln(1 - x)` if it is 0, in between both by parts.

    What is not in [0, 1] is no chance, and its loss is infinite.

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
    """A loss by its name, and what the core calls it.

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


# --- `Mixture`: experts that forecast numbers, and a forecast that is their weighted mean ---------

_LARGEST = 1e37  # of forecasts and targets: losses are then what all players take


class Mixture(Stateful, changing=("player", "rounds", "names")):
    """Forecast the mean of experts' forecasts, weighted by how they did.

    With the gradient trick the player competes with every fixed mixture `u` of the experts' forecasts
    `e`: as the loss `f` is convex, `f(x) - f(<u, e>) <= f'(x) (x - <u, e>)`, so forecasts times the
    slope are losses. Without it losses are those of the experts, and it competes with each of them.

    Losses may have any size unless their `range` is given. Players that want them in [0, 1] are given
    them in a unit, from the least
    of the round on. A round with losses further apart than the unit is played but not learned (what it
    cost is known and counted), and the unit becomes twice as large, or as large as that round needs: all
    such rounds cost less than three times the largest range. `AdaNormalHedge` goes on in the new unit
    (`AdaNormalHedge.rescale`), other players start again.

    Parameters
    ----------
    algorithm : a player's class (`AdaNormalHedge`, `BOA`, `MLPoly`, ...), or a function of the number of
        experts.
    loss : "squared", "absolute", "quantile" (whose best forecast is the quantile `tau`), "log"
        (forecasts are chances) or "percentage".
    gradient : the gradient trick.
    range : of the losses of the experts, `(low, high)` with `low <= 0`, if it is known: then the first
        round is learned too, and the player is the one of the textbooks. It needs `gradient=False`.
    names : of the experts; data frames, Arrow tables, pandas series and dicts bring them. Whatever has
        names is matched by name from then on, in any order, with no name missing or new; arrays and
        lists are taken by position.

    >>> mix = Mixture(AdaNormalHedge, loss="squared")
    >>> for experts, y in [([1.0, 3.0], 1.1), ([2.0, 4.0], 2.2), ([1.0, 2.0], 1.3)] * 5:
    ...     forecast = mix.predict(experts)
    ...     mix.update(y)
    >>> round(mix.predict([1.0, 2.0]), 2), mix.certificate().holds
    (1.11, True)

    Names decide, not places:

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

    def __init__(
        self,
        algorithm: Any = AdaNormalHedge,
        *,
        loss: str = "squared",
        tau: float = 0.5,
        gradient: bool = True,
        names: Any = None,
        range: tuple[float, float] | None = None,
    ) -> None:
        self.algorithm = function(algorithm, "algorithm", ": it makes a player of n experts")
        self.loss, self.tau, self.gradient = loss, tau, bool(gradient)
        self._kind, self._number = forecast_loss(loss, tau)
        self.names = None if names is None else [str(name) for name in listed(names, "names")]
        self.range = None if range is None else interval(range, "range")
        if self.range is not None and (self.gradient or self.range[0] > 0):
            raise ValueError(
                f"range={self.range} is that of the experts' losses: it needs gradient=False, and to "
                "begin at 0 or below, as a mixture may lose less than each of them"
            )
        self._given = self.names
        self.player: ExpertPlayer | None = None
        self.rounds = 0
        self._waiting: deque[tuple[Array, Array, Any]] = deque()  # the last is an index of pandas
        self._unit = 0.0 if self.range is None else self.range[1] - self.range[0]
        self._delayed, self._gross = False, 0.0
        self._missed: Array = np.zeros(0)
        self._past: list[tuple[ExpertPlayer, float]] = []

    # --- the rounds --------------------------------------------------------------------------------

    @property
    def weights(self) -> Array:
        """Of the experts, if all are awake."""
        if self.player is None:
            raise ValueError("how many experts there are is not known yet: call predict")
        return self.player.weights

    def predict(self, forecasts: Any) -> Any:
        """The forecast of the mixture; NaN among those of the experts is for who sleeps.

        With several steps, one row for each, it is an array of as many. Every call waits for its target:
        `update` takes them in the same order, at once or later.
        """
        values, names = arranged(forecasts, self.names, "forecasts")
        X = self._forecasts(values, names)
        # added up one after the other, as `run` does in the core, to the last bit
        prediction = np.cumsum(np.where(np.isnan(X), 0.0, X) * self._shares(X), axis=1)[:, -1]
        one = np.ndim(values) == 1
        self._waiting.append((X, prediction, None if one else index_of(forecasts)))
        return float(prediction[0]) if one else prediction

    def update(self, y: Any) -> None:
        """The target of the oldest forecast that waits for one; NaN if it will never come."""
        if not self._waiting:
            raise ValueError("no forecast waits for a target: call predict first")
        X, prediction, index = self._waiting[0]
        y = target_of(rows_alike(y, index, "y", "the forecasts"))
        target = np.atleast_1d(numbers(y, "y", missing=True))
        if target.shape != prediction.shape:
            raise ValueError(f"y has shape {target.shape}, but the forecast {prediction.shape}")
        self._check_target(target)
        self._check_range(X, target, "the losses of the experts")
        self._waiting.popleft()
        self._delayed |= bool(self._waiting)
        self.rounds += 1
        if not np.isnan(target).any():
            self._learn(X, prediction, target)

    def run(self, experts: Any, y: Any, *, delay: int = 0, align: bool = False) -> MixtureRun:
        """Many rounds: `experts` with a row for each and a column per expert, and the targets `y`.

        Arrays, data frames, Arrow tables or a dict of columns. `delay`: a target is known only when so
        many further forecasts were made. If both are of pandas they must have the same index; `align`
        takes the targets by the index of the experts instead, those that are missing never came.
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
        if self._waiting:
            raise ValueError(f"{len(self._waiting)} forecasts wait for a target: call update first")
        self._check_range(X, targets, "the losses of experts")
        self._meet(X, names, "experts")
        X, before = np.ascontiguousarray(X), self.copy()
        predictions, weights = np.empty(len(X)), np.empty(X.shape)
        enlarged: list[tuple[int, float]] = []
        if delay:
            for t in range(len(X)):
                weights[t] = self._shares(X[t : t + 1])
                predictions[t] = self.predict(X[t])
                if t >= delay:
                    self.update(targets[t - delay])
            for target in targets[len(X) - min(delay, len(X)) :]:
                self.update(target)
        else:
            for done, refused, forecasts, shares in self._parts(X, targets):
                at = slice(done - len(forecasts), done)
                predictions[at], weights[at] = forecasts, shares
                if refused:
                    enlarged.append((done - 1, self._enlarge(X, predictions, targets, done - 1)))
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
        """Play the rounds. Stops after those that the unit is too small for, and at the end, and tells
        how many were played, whether the last was refused, and the forecasts and weights since before.
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
        """How far apart losses may be, 0 if the player takes all, at first not at all; and from where
        they are counted, NaN if that is the least of each round."""
        assert self.player is not None
        if self.player.range is None:
            return 0.0, 0.0
        return self._unit or 5e-324, math.nan if self.range is None else self.range[0]

    def _losses(self, X: Array, prediction: Array, y: Array) -> tuple[Array, float]:
        """Of each expert, the mean over the steps, and of the mixture."""
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
        """Do so after round t of a run; returns the new unit."""
        at = slice(t, t + 1)
        self._grow(X[at], *self._losses(X[at], predictions[at], y[at]))
        return self._unit

    def _grow(self, X: Array, losses: Array, suffered: float) -> None:
        """A round that the unit was too small for: it costs what it costs, and the unit grows."""
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
            raise ValueError(f"algorithm={self.algorithm!r} makes no player of regretless.experts")
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
        """Take note of who the experts are, from their first forecasts, unless these are bad."""
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
                f"an expert is asleep (NaN), but {type(player).__name__} knows no sleep; "
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
        """To each expert, in the losses that the player is given."""
        if self.player is None:
            return np.zeros(0)
        parts = [unit * player.regrets for player, unit in self._past]
        now = self._factor * self.player.regrets
        return np.asarray(np.sum([*parts, now, self._missed], axis=0))

    @property
    def _factor(self) -> float:
        """What the losses that the player is given are multiples of."""
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
        """As of a player: those of all units, and what the rounds between them cost."""
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
        """As of a player, by the sizes of what it was told."""
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
        names = ("algorithm", "loss", "tau", "gradient", "range")  # `names` may have come later
        return {name: getattr(self, name) for name in names} | {"names": self._given}

    def _learned(self) -> dict[str, Any]:
        if self._waiting:
            raise ValueError(f"{len(self._waiting)} forecasts wait for a target: call update first")
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
