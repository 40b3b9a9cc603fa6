"""`Mixture`: experts that forecast numbers, and a forecast that is their weighted mean."""

import copy
import math
import os
from collections import deque
from typing import Any, Self

import numpy as np

from regretless import _core, persistence, state
from regretless.arguments import function, listed, numbers, one_of, whole
from regretless.certificates import Certificate
from regretless.experts.adaptive import AdaNormalHedge
from regretless.experts.forecast_losses import forecast_loss
from regretless.experts.mixture_run import MixtureRun
from regretless.experts.player import ExpertPlayer
from regretless.named import arranged, index_of, place_of, rows_alike, target_of
from regretless.run import Array
from regretless.threads import OneThread

__all__ = ["Mixture"]

_LARGEST = 1e37  # of forecasts and targets: losses are then what all players take
_KEPT = ("loss", "tau", "gradient", "names", "rounds", "_unit", "_delayed")


class Mixture(OneThread, changing=("player", "rounds", "names")):
    """Forecast the mean of experts' forecasts, weighted by how they did.

    With the gradient trick the player competes with every fixed mixture `u` of the experts' forecasts
    `e`: as the loss `f` is convex, `f(x) - f(<u, e>) <= f'(x) (x - <u, e>)`, so forecasts times the
    slope are losses. Without it losses are those of the experts, and it competes with each of them.

    Losses may have any size. Players that want them in [0, 1] are given them in a unit, from the least
    of the round on. A round with losses further apart than the unit is played but not learned (what it
    cost is known and counted), and the unit becomes twice as large, or as large as that round needs: all
    such rounds cost less than three times the largest range. `AdaNormalHedge` goes on in the new unit
    (`AdaNormalHedge.rescale`), other players start again.

    Parameters
    ----------
    algorithm : a player's class (`AdaNormalHedge`, `BOA`, `MLPoly`, ...), or a function of the number of
        experts.
    loss : "squared", "absolute", "pinball" (of the quantile `tau`), "log" (forecasts are chances) or
        "percentage".
    gradient : the gradient trick.
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
    """

    def __init__(
        self,
        algorithm: Any = AdaNormalHedge,
        *,
        loss: str = "squared",
        tau: float = 0.5,
        gradient: bool = True,
        names: Any = None,
    ) -> None:
        self.algorithm = function(algorithm, "algorithm", ": it makes a player of n experts")
        self.loss, self.tau, self.gradient = loss, tau, bool(gradient)
        self._kind, self._number = forecast_loss(loss, tau)
        self.names = None if names is None else [str(name) for name in listed(names, "names")]
        self.player: ExpertPlayer | None = None
        self.rounds = 0
        self._waiting: deque[tuple[Array, Array, Any]] = deque()  # the last is an index of pandas
        self._unit, self._delayed = 0.0, False
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
        target = np.atleast_1d(numbers(y, "y"))
        if target.shape != prediction.shape:
            raise ValueError(f"y has shape {target.shape}, but the forecast {prediction.shape}")
        self._check_target(target)
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
        y = rows_alike(y, index_of(experts), "y", "experts", align=align, hint=hint)
        experts, names = arranged(experts, self.names, "experts")
        X, targets = numbers(experts, "experts"), numbers(target_of(y), "y")
        if X.ndim != 2 or targets.shape != X.shape[:1]:
            raise ValueError(
                f"experts has shape {X.shape} and y {targets.shape}, not (rounds, experts) and (rounds,)"
            )
        whole(delay, "delay", 0)
        self._check_target(targets)
        if self._waiting:
            raise ValueError(f"{len(self._waiting)} forecasts wait for a target: call update first")
        self._meet(X, names, "experts")
        X, earlier = np.ascontiguousarray(X), self.regrets
        predictions, weights = np.empty(len(X)), np.empty(X.shape)
        if delay:
            for t in range(len(X)):
                weights[t] = self._shares(X[t : t + 1])
                predictions[t] = self.predict(X[t])
                if t >= delay:
                    self.update(targets[t - delay])
            for target in targets[len(X) - min(delay, len(X)) :]:
                self.update(target)
        else:
            self._run(X, targets, predictions, weights)
        return MixtureRun(X, targets, predictions, weights, self._named(), self.clone(), earlier)

    def _run(self, X: Array, y: Array, predictions: Array, weights: Array) -> None:
        at = 0
        while at < len(X):
            assert self.player is not None
            done, refused, forecasts, shares = _core.mixture_run(
                self.player._engine,
                self._number,
                self.tau,
                self.gradient,
                self._limit,
                X[at:],
                y[at:],
            )
            predictions[at : at + done] = forecasts[:done]
            weights[at : at + done] = shares.reshape(-1, X.shape[1])[:done]
            at += done
            if refused:
                last = slice(at - 1, at)
                self._enlarge(X[last], *self._losses(X[last], predictions[last], y[last]))
        self.rounds += len(X)

    @property
    def _limit(self) -> float:
        """How far apart losses may be; 0 if the player takes all. At first, not at all."""
        assert self.player is not None
        return 0.0 if self.player.range is None else self._unit or 5e-324

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
        if not _core.learn_within(engine, losses.tolist(), awake, suffered, self._limit):
            self._enlarge(X, losses, suffered)

    def _enlarge(self, X: Array, losses: Array, suffered: float) -> None:
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
            raise ValueError(f"range={player.range}: a mixture finds the range by itself")
        return player

    def _awake(self, X: Array) -> Array | None:
        asleep = np.isnan(X).any(axis=0)
        return np.asarray(~asleep, np.float64) if asleep.any() else None

    def _shares(self, X: Array) -> Array:
        assert self.player is not None
        return self.player.distribution(self._awake(X))

    # --- arguments ---------------------------------------------------------------------------------

    def _forecasts(self, forecasts: Any, names: list[str] | None) -> Array:
        X = np.atleast_2d(numbers(forecasts, "forecasts"))
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
        now = (self._unit or 1.0) * self.player.regrets
        return np.asarray(np.sum([*parts, now, self._missed], axis=0))

    def certificate(self, comparator: Any = None) -> Certificate:
        """The bound on the regret to an expert, by index or name, a mixture of them, or the best.

        With the gradient trick the regret is that of linearised losses, no less than that of the loss.
        """
        if self.player is None:
            return Certificate(0, 0.0, {"regret": 0.0}, "nothing was played")
        if comparator is None:
            comparator = int(np.argmax(self.regrets))
        u = self._competitor(comparator)
        parts = [*self._past, (self.player, self._unit or 1.0)]
        bound = math.fsum(unit * player.certificate(u).bound for player, unit in parts)
        return Certificate(
            self.rounds,
            float(u @ self.regrets),
            {"mixture": bound + max(float(u @ self._missed), 0.0)},
            self.player._theorem,
            {"targets came before the next forecast": not self._delayed},
        )

    def _competitor(self, comparator: Any) -> Array:
        assert self.player is not None
        if isinstance(comparator, str):
            comparator = place_of(comparator, self.names, "comparator")
        return self.player._comparator(arranged(comparator, self.names, "comparator")[0], None)

    # --- copies ------------------------------------------------------------------------------------

    def clone(self) -> Self:
        """Another mixture with the same state."""
        return copy.deepcopy(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the mixture to a safetensors file. Its algorithm must be a class, not a function."""
        if self._waiting:
            raise ValueError(f"{len(self._waiting)} forecasts wait for a target: call update first")
        if not isinstance(self.algorithm, type):
            raise ValueError(f"algorithm={self.algorithm!r} is a function, which cannot be saved")
        players = [player for player, _ in self._past]
        players += [] if self.player is None else [self.player]
        arrays = {"missed": self._missed, "units": np.array([unit for _, unit in self._past])}
        parts = []
        for k, player in enumerate(players):
            described, own = player._described()
            parts.append(described)
            arrays |= {f"{k}.{name}": array for name, array in own.items()}
        described = {name: getattr(self, name) for name in _KEPT}
        described |= {"class": "Mixture", "algorithm": self.algorithm.__name__, "players": parts}
        persistence.write(path, described, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The mixture that `save` wrote to `path`; it goes on as if it had never stopped."""
        from regretless import experts

        with state.opening(path, "Mixture") as parts:
            name = one_of(parts.take("algorithm"), "algorithm", experts.__all__)
            algorithm = getattr(experts, name)
            if not (isinstance(algorithm, type) and issubclass(algorithm, ExpertPlayer)):
                raise ValueError(f"algorithm={name!r} is not a player of experts")
            names = parts.take("names")
            if names is not None and not all(isinstance(each, str) for each in names):
                raise ValueError(f"names={names!r} are not texts")
            mixture = cls(
                algorithm,
                loss=parts.take("loss"),
                tau=parts.number("tau"),
                gradient=parts.flag("gradient"),
                names=names,
            )
            mixture._restore(parts, algorithm)
            return mixture

    def _restore(self, parts: state.Parts, algorithm: type[ExpertPlayer]) -> None:
        self.rounds, self._delayed = parts.whole("rounds"), parts.flag("_delayed")
        self._unit = parts.number("_unit", 0.0, 1e150)
        players: list[ExpertPlayer] = []
        for k, described in enumerate(parts.take("players")):
            own = parts.part(str(k), described)
            one_of(own.take("class"), "class", [algorithm.__name__])
            players.append(algorithm._made(own))
            own.done()
        units = parts.array("units", (max(len(players) - 1, 0),), 5e-324, self._unit)
        n = players[0].n if players else 0
        if any(each.n != n or each.range not in (None, (0.0, 1.0)) for each in players):
            raise ValueError("the players are not of the same experts")
        if self.names is not None and players and len(self.names) != n:
            raise ValueError(f"there are {len(self.names)} names for {n} experts")
        self._missed = parts.array("missed", (n,), -1e150, 1e150)
        if sum(each.rounds for each in players) > self.rounds:
            raise ValueError("the players have played more rounds than the mixture")
        self.player = players.pop() if players else None
        self._past = list(zip(players, units.tolist(), strict=True))

    def __repr__(self) -> str:
        name = getattr(self.algorithm, "__name__", repr(self.algorithm))
        tau = f", tau={self.tau:g}" if self.loss == "pinball" else ""
        return f"Mixture({name}, loss={self.loss!r}{tau}, gradient={self.gradient})"
