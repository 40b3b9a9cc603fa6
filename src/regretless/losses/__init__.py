"""Losses of a score `s` (the scalar a model predicts) against a target `y`.

The losses are those of Shalev-Shwartz (2012),
and of Shalev-Shwartz and Singer (2007),
whose eq. 1 gives the hinge its margin; powers of the error are Luo's (2016); the pinball and
epsilon-insensitive losses are added.

Each is a function `phi(z)` of a single number `z`, the score seen from the target:

    s = origin + slope * z,  slope = -1 or +1
    classification, y = -1 or +1:  the margin    z = y * s   (origin 0, slope y)
    regression, y real:            the residual  z = s - y   (origin y, slope 1)

so that with `phi'` and the conjugate `phi*` known, everything else follows:

    derivative = slope * phi'(z),    conjugate(dual) = dual * origin + phi*(slope * dual).
"""

from regretless import _core
from regretless.base.arguments import one_of, shown
from regretless.losses.classification import (
    Exponential,
    Hinge,
    Logistic,
    Perceptron,
    SquaredHinge,
    ZeroOne,
)
from regretless.losses.loss import LogWealth, Loss
from regretless.losses.regression import Absolute, EpsilonInsensitive, Power, Quantile, Squared

__all__ = [
    "Absolute",
    "EpsilonInsensitive",
    "Exponential",
    "Hinge",
    "LogWealth",
    "Logistic",
    "Loss",
    "Perceptron",
    "Power",
    "Quantile",
    "Squared",
    "SquaredHinge",
    "ZeroOne",
    "get",
]

_COMPILED: tuple[type[Loss], ...] = (  # known to the core, by the same names
    Logistic,
    Hinge,
    SquaredHinge,
    Exponential,
    Perceptron,
    Squared,
    Absolute,
    Quantile,
    EpsilonInsensitive,
    LogWealth,
    Power,
)
_BY_NAME: dict[str, type[Loss]] = {loss.name: loss for loss in _COMPILED}
_BY_NAME[ZeroOne.name] = ZeroOne


def compiled(loss: Loss) -> _core.Loss | None:
    """The loss as the core knows it, a name and a parameter; None if it does not.

    >>> compiled(Quantile(0.9)).kind, compiled(Quantile(0.9)).parameter, compiled(ZeroOne())
    (LossKind.quantile, 0.9, None)
    """
    if type(loss) not in _COMPILED:
        return None
    parameters = (getattr(loss, name, None) for name in ("margin", "tau", "epsilon", "p"))
    parameter = next((p for p in parameters if p is not None), 1.0)
    return _core.Loss(_core.LossKind[loss.name], float(parameter))


def get(loss: str | Loss) -> Loss:
    """The loss of a name, with its default parameters; a loss is returned as it is.

    Parameters: `loss`, a `Loss` or one of "logistic", "hinge", "squared_hinge", "exponential",
    "perceptron", "squared", "absolute", "quantile", "epsilon_insensitive", "log_wealth",
    "power", "zero_one".

    >>> get("hinge")
    Hinge()
    >>> get(Quantile(0.9))
    Quantile(tau=0.9)
    """
    if isinstance(loss, Loss):
        return loss
    if not isinstance(loss, str):
        raise ValueError(
            f"loss={shown(loss)} must be a name or a Loss, for example Hinge(margin=1.0)"
        )
    if loss not in _BY_NAME:
        from difflib import get_close_matches

        near = get_close_matches(loss, _BY_NAME, n=1)
        one_of(loss, "loss", _BY_NAME, f"; did you mean {near[0]!r}?" if near else "")
    return _BY_NAME[loss]()
