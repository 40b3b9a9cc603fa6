"""Regressors that go through the mechanism of linear ones and are none."""

from typing import Any

from regretless.linear.regressing import Regressing

__all__ = ["NotLinear"]


class NotLinear(Regressing):
    """Without weights."""

    @property
    def weights_(self) -> dict[Any, float]:
        """There are none: the model is not linear."""
        raise AttributeError(f"{type(self).__name__} is not linear and has no weights_")

    @property
    def intercept_(self) -> float:
        """There is none: the model is not linear."""
        raise AttributeError(f"{type(self).__name__} is not linear and has no intercept_")
