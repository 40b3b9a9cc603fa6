"""Losses of forecasts: those of `regretless.losses` and two more, with their names in the core."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless import _core, losses
from regretless.arguments import one_of
from regretless.experts.oracles import ForecastLoss

__all__ = ["LogForecast", "Percentage", "forecast_loss"]


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
