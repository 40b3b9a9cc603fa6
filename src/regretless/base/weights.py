"""The base of learners with a weight for each feature, with certificates about all linear models."""

import math
from typing import Any

import numpy as np

from regretless import _core
from regretless._core import Total
from regretless.base.arguments import check_seed, flag, one_of, whole
from regretless.base.learner import Learner
from regretless.base.model import Model
from regretless.base.options import option
from regretless.base.rows import Form
from regretless.certificates import LinearCertificate

_EPS = float(np.finfo(float).eps)


class HasWeights(Learner):
    """A learner with a weight for each feature, and for each label if there are three or more."""

    intercept: bool = option(
        flag, default=True, text="whether every example has a further feature of value 1"
    )
    features: str = option(
        one_of,
        ("exact", "hashed"),
        default="exact",
        text="whether every name has its own weight, or all share a table of `2**bits` weights",
    )
    bits: int = option(whole, 1, 31, default=18, text="the size of the table of hashed features")
    names: int = option(
        whole,
        0,
        2**31 - 1,
        default=0,
        text="how many names of features a hashed learner remembers when it reads a file, beginning "
        "with the first; `weights_` shows them",
    )
    certify: bool = option(
        flag,
        default=False,
        text='keep a sum of gradients in double precision for `certificate()`; the rule "coin" keeps '
        "one as precise as the weights anyway, whose rounding error the certificate accounts for",
    )
    seed: int = option(
        check_seed, default=0, text="seed of the random draws; learners that draw nothing ignore it"
    )

    precision: str = option(
        one_of,
        ("single", "double"),
        default="single",
        text="precision of features, weights and what the rule keeps of each feature: 24 bits, about 7 "
        "digits, or 53 bits, about 16, in twice the memory. Scores, losses and totals always are in "
        "double precision. In single precision a weight w does not move by less than `|w| / 2^25`",
    )

    certifies = "models"

    @property
    def is_linear(self) -> bool:
        return True

    @property
    def _unit(self) -> float:
        """The distance from 1 to the next number in the precision of the weights."""
        return float(np.finfo(np.float64 if self.precision == "double" else np.float32).eps)

    def _reads(self) -> Form:
        hashed, names = self.features == "hashed", int(self.names)
        bits = int(self.bits) if hashed else 0
        precise = self.precision == "double"
        return Form(bits, bool(self.intercept), not hashed or names > 0, names, precise)

    def _made(
        self, twin: _core.Loss, rule: str, options: dict[str, Any], *, certify: bool = False
    ) -> Model:
        return super()._made(twin, rule, options, certify=certify or bool(self.certify))

    @property
    def weights_(self) -> Any:
        """The weights by name; with three or more labels, a dict of these by label."""
        return self._weights_by_name()

    @property
    def intercept_(self) -> Any:
        """The weight of the constant feature; with three or more labels, by label."""
        return self._intercepts()

    def certificate(self, norm: float = 1.0, ord: float = 2) -> LinearCertificate:
        """The bounds that the run so far proves for all linear models of at most this norm.

        Parameters: `norm >= 0`, measured by `ord`: 1, 2 or `math.inf`. See `LinearCertificate`.
        """
        return LinearCertificate.of(norm=norm, ord=ord, **self._sums())

    def _sums(self) -> dict[str, Any]:
        """The arguments of `LinearCertificate.of`."""
        core = self._model or self._start()
        if not core.has_gradient_sum:
            raise ValueError(
                f"this rule keeps no sum of gradients; make the learner with certify=True: "
                f"{type(self).__name__}(..., certify=True)"
            )
        l1, l2, largest, count = core.gradient_norms()
        rounds, error = self.examples_, core.total(Total.rounding)
        if self.certify:  # rounding of sums in double precision
            error = (
                2.0 * _EPS * (rounds + 2) * math.sqrt(rounds * count * core.total(Total.squares))
            )
        return {
            "rounds": rounds,
            "weight": core.most(Total.weights),
            "loss": core.total(Total.loss),
            "linear": core.total(Total.linear),
            "gross": core.total(Total.gross),
            "gradient_norms": (l1, l2, largest),
            "error": error + 2.0 * _EPS * count * l1,
        }
