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

>>> from regretless.losses import Hinge
>>> Hinge().value(0.5, 1), Hinge().derivative(0.5, 1)
(0.5, -1.0)
"""

from typing import Any

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

_BY_NAME: dict[str, type[Loss]] = {
    kind.name: kind
    for kind in (
        *(Logistic, Hinge, SquaredHinge, Exponential, Perceptron),
        *(Squared, Absolute, Quantile, EpsilonInsensitive, LogWealth, Power, ZeroOne),
    )
}
# Learners offer the losses that the core knows by the same name, except losses of a single algorithm.
LEARNED = tuple(
    name
    for name in _BY_NAME
    if name in _core.LossKind.__members__ and name not in ("perceptron", "log_wealth", "power")
)


def learned(*, classification: bool) -> str:
    """The names of the losses that learners of a task offer, in the form of a docstring.

    >>> learned(classification=True)
    '"logistic", "hinge", "squared_hinge", "exponential"'
    """
    found = (name for name in LEARNED if _BY_NAME[name]().classification == classification)
    return ", ".join(f'"{name}"' for name in found)


def compiled(loss: Loss) -> _core.Loss | None:
    """The loss of the core, a name and a parameter; None if the core lacks it.

    >>> compiled(Quantile(0.9)).kind, compiled(Quantile(0.9)).parameter, compiled(ZeroOne())
    (LossKind.quantile, 0.9, None)
    """
    if type(loss) is not _BY_NAME.get(loss.name) or loss.name not in _core.LossKind.__members__:
        return None
    parameters = (getattr(loss, name, None) for name in ("margin", "tau", "epsilon", "p"))
    parameter = next((p for p in parameters if p is not None), 1.0)
    return _core.Loss(_core.LossKind[loss.name], float(parameter))


def learnable(loss: Any, name: str, task: str | None = None) -> Loss:
    """The loss, if learners can use it: it must fit the task and be in the core.

    >>> learnable("squared", "loss", "classification")
    Traceback (most recent call last):
    ValueError: loss='squared' is not a loss for classification
    """
    found = get(loss)
    if task is not None and found.classification != (task == "classification"):
        raise ValueError(f"{name}={found.name!r} is not a loss for {task}")
    if compiled(found) is None:
        raise ValueError(
            f"{name}={found.name!r} is not in the compiled core; play it round by round with a player "
            "of regretless.oco"
        )
    return found


def get(loss: str | Loss) -> Loss:
    """The loss of this name with its default parameters, or the given loss itself.

    Parameters: `loss`, a `Loss` or the `name` of one, such as "squared_hinge".

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
