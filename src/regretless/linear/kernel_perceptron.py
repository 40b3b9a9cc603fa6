"""The kernel Perceptron.

Mohri et al. (2018), Figures 8.8 and 8.9; Shalev-Shwartz (2012), section 3.3.1.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from regretless import _core, rows
from regretless.arguments import numbers, one_of, whole
from regretless.linear.cycling import Cycling
from regretless.linear.kernel_certificate import KernelCertificate, Lane
from regretless.linear.kernel_model import KernelModel
from regretless.linear.kernels import kernel_of
from regretless.linear.model import Array
from regretless.losses import Loss
from regretless.losses import Perceptron as ConservativeHinge

__all__ = ["KernelPerceptron"]

_AVERAGES = ("none", "survival", "uniform")


class KernelPerceptron(Cycling, in_core=False):
    """The Perceptron in the space of a kernel: it separates what no linear model can.

        score(x) = sum_s c_s K(x_s, x)
        if y_t score(x_t) <= 0:  c_t <- c_t + y_t

    Only examples that caused an update are stored, each once however often it comes back, so that a
    prediction takes one kernel value for each of them. For every `h` of norm 1 in the space of the
    kernel and every `rho > 0` the number of updates is at most
    `((r/rho + sqrt(r^2/rho^2 + 4 ||l||_1)) / 2)^2`, with `r^2` the largest `K(x_t, x_t)` and `l_t` the
    hinge loss `max(0, 1 - y_t h(x_t) / rho)`, both over the update rounds (Mohri et al. (2018),
    Theorem 8.11); `certificate()` tells this bound and three others. With the linear kernel it is
    `Perceptron`.

    Parameters
    ----------
    kernel : "linear", `<s, x>`; "polynomial", `(gamma <s, x> + coef0)^degree`; "rbf",
        `exp(-gamma ||s - x||^2)`; or a function of two matrices that returns the matrix of the values
        for all pairs of rows, of which a batch has many at once. It must be positive semi-definite.
        The function sees the feature that is numbered j in column j; where some have names, in the
        order in which they appeared.
    degree : a whole number >= 1.
    gamma : > 0; for "rbf" one over twice the square of the distance at which examples are alike.
    coef0 : >= 0.
    average : which weights predict. "none": the last. "survival": the mean of those played so far,
        `w_1` to `w_T`, each as often as it was played. "uniform": the mean of the distinct ones after
        each update. Updates are those of the last weights.
    budget : how many examples to store, or None for all. When there is no room the support vector
        without which the weights change least is dropped, that with the smallest `|c_s| sqrt(K(x_s,
        x_s))`, the oldest of several: no score of an example x changes by more than this times
        `sqrt(K(x, x))`. The bounds then hold no longer.
    intercept : add 1 to the kernel: a constant feature in its space.

    >>> model = KernelPerceptron(kernel="polynomial", degree=2)
    >>> xor = [([0, 0], 0), ([0, 1], 1), ([1, 0], 1), ([1, 1], 0)]
    >>> done = model.cycle([x for x, _ in xor], [y for _, y in xor])
    >>> [model.predict_one(x) for x, _ in xor]
    [0, 1, 1, 0]
    >>> done.separated, model.certificate().holds
    (True, True)
    """

    _yours: ClassVar[tuple[str, ...]] = ("kernel",)
    features, bits, names, certify = "exact", 18, 0, False  # what is stored needs the names
    _certifies = "itself"

    def __init__(
        self,
        *,
        kernel: str | Callable[[Any, Any], Any] = "linear",
        degree: int = 2,
        gamma: float = 1.0,
        coef0: float = 1.0,
        average: str = "none",
        budget: int | None = None,
        intercept: bool = True,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.average = average
        self.budget = budget
        self.intercept = intercept
        self._reset()

    @property
    def _is_linear(self) -> bool:
        return self._dual.kernel.linear

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        return ConservativeHinge(), "kernel", {}

    def _made(self, twin: _core.Loss, rule: str, options: dict[str, Any]) -> KernelModel:
        one_of(self.average, "average", _AVERAGES)
        budget = self.budget
        if budget is not None:
            whole(budget, "budget", hint=", or None")
        model = KernelModel(bool(self.intercept), self.average, budget)
        model.kernel = kernel_of(self.kernel, self.degree, self.gamma, self.coef0, model.reader)
        model.asks_names = callable(self.kernel)
        return model

    def _form(self) -> rows.Form:
        form = super()._form()
        form.intercept = False  # it is the kernel's, not the example's
        return form

    @property
    def _dual(self) -> KernelModel:
        model = self._model or self._start()
        assert isinstance(model, KernelModel)
        return model

    # --- what was learned ----------------------------------------------------------------------------

    @property
    def updates_(self) -> int:
        """Number of updates, of all lanes together."""
        return int(self._dual.run[0].sum())

    @property
    def support_vectors_(self) -> list[dict[Any, float]]:
        """The examples that are stored, by the names of their features."""
        names = self._dual.names()
        return [
            {names.get(c, c - 1): v for c, v in zip(x.columns.tolist(), x.values.tolist())}
            for x in self._dual.support_rows()
        ]

    @property
    def dual_coef_(self) -> NDArray[np.float64]:
        """Their coefficients in the score; a column per label for three or more labels."""
        table = self._dual.dual()
        return table[:, 0] if table.shape[1] == 1 else table

    def certificate(  # type: ignore[override]
        self, comparator: Any = None, *, margin: float | None = None
    ) -> KernelCertificate:
        """What the theorems say of the number of updates: see `KernelCertificate`.

        Parameters: `comparator`, the function `h = sum_s b_s K(x_s, .)`, given by its coefficients of
        the support vectors, shaped as `dual_coef_`, and scaled to norm 1; by default the weights
        themselves. `margin`, rho > 0, of the bounds; by default each bound has its best.
        """
        model = self._dual
        size = model.support.size
        own = model.coefficients[:size]
        beta = own if comparator is None else self._comparator(comparator, own.shape)
        values, norms = _values(model, beta)
        h = values / np.where(norms > 0.0, norms, 1.0)
        lengths = norms if comparator is None else _values(model, own)[1]
        lanes = []
        for k in range(model.lanes):
            count, coefficient = model.counts[:size, k], own[:, k]
            up, down = (count + coefficient) / 2.0, (count - coefficient) / 2.0
            margins, counts = np.concatenate([h[:, k], -h[:, k]]), np.concatenate([up, down])
            updates, squares, largest = model.run[:, k].tolist()
            there = counts > 0.0
            lanes.append(
                Lane(
                    int(updates),
                    squares,
                    float(np.sqrt(largest)),
                    float(lengths[k]),
                    margins[there],
                    counts[there],
                )
            )
        return KernelCertificate.of(
            self.examples_,
            tuple(lanes),
            margin=margin,
            assumptions={
                "no support vector was dropped": model.dropped == 0,
                "the importance of every update is 1": model.weighed == 0,
            },
            against=None if comparator is None else beta,
        )

    def _comparator(self, given: Any, shape: tuple[int, ...]) -> Array:
        beta = numbers(given, "comparator", "a list of coefficients")
        if beta.size != np.prod(shape) or not np.isfinite(beta).all():
            raise ValueError(
                f"comparator has shape {beta.shape}: {shape[0]} finite coefficients are expected, one "
                f"for each support vector{' and label' if shape[1] > 1 else ''}"
            )
        return beta.reshape(shape)


def _values(model: KernelModel, coefficients: Array) -> tuple[Array, Array]:
    """The values of functions at the support vectors, and their norms."""
    values = model.gram_times(coefficients)
    return values, np.sqrt(np.maximum(0.0, (coefficients * values).sum(axis=0)))
