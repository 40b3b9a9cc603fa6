"""The on-line SVM (Mohri et al. (2018), Exercise 8.5); with rate 1/t it is Pegasos."""

import math
from typing import Any

import numpy as np

from regretless import rates
from regretless.base.arguments import flag, one_of, positive, shown
from regretless.base.classifier import Classifier
from regretless.base.options import option
from regretless.base.weights import HasWeights
from regretless.certificates import Certificate, LinearCertificate
from regretless.linear.mistakes import Replay, ReplayedLane
from regretless.losses import Hinge, Loss
from regretless.rates import Rate
from regretless.rules import schedule

_EPS = float(np.finfo(float).eps)


class OnlineSVM(HasWeights, Classifier):
    """A support vector machine by gradient descent, one example at a time.

        w <- (1 - rate_t) w + rate_t C y x   if y <w, x> < 1,     w <- (1 - rate_t) w   if it is > 1

    The objective of a round is `f_t(w) = ||w||^2 / 2 + C max(0, 1 - y <w, x>)`. With `g_t` the step's
    direction, `D_t = ||w_t - u||^2` and `1 / rate_0 = 0` the regret in it against every u is at most

        sum_t (1/rate_t - 1/rate_{t-1} - 1) D_t / 2 + sum_t rate_t ||g_t||^2 / 2

    hence `||u||^2 / (2 rate) + rate / 2 sum ||g_t||^2` for a constant rate and
    `2 C^2 R^2 (1 + log T)` for the rate 1/t, `||x_t|| <= R` (Mohri et al. (2018), Exercise 8.5, has
    no bound). The constant feature of the intercept is shrunk and counted like every other.
    `certificate(X, y, comparator=u)` computes the regret and the bounds.

    >>> X, y = [[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]], [1, -1, 1, -1, 1]
    >>> model = OnlineSVM(C=1.0, rate=0.1, intercept=False).fit(X, y)
    >>> {name: round(w, 5) for name, w in model.weights_.items()}
    {0: 0.49051, 1: -0.03268}
    """

    C: float = option(
        positive,
        default=100.0,
        text="""weight of the losses; 100 was good on the bundled data. For the usual objective of m
        examples, `||w||^2 / 2` plus C times the sum of all losses, give `C m`. The importance
        of an example multiplies C""",
    )
    rate: float | Rate | None = option(
        default=None,
        text="""a number in (0, 1), or one of `regretless.rates` with eta at most 1. None is 1/t,
        `rates.Inverse(1.0)`: Pegasos with lambda = 1 / C""",
    )
    projection: bool = option(
        flag,
        default=False,
        text="keep w in the ball of radius sqrt(C), which contains the best w of the objective",
    )
    at_kink: str = option(
        one_of,
        ("none", "shrink"),
        default="none",
        text="""step if `y <w, x>` is exactly 1: "none", as in the text, or "shrink", a step along a
        subgradient, which the bounds require""",
    )

    @property
    def _schedule(self) -> Rate:
        return rates.Inverse(1.0) if self.rate is None else rates.get(self.rate)

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        options = schedule(self._schedule)
        constant = isinstance(self._schedule, rates.Constant)
        if options["eta"] > 1 or (constant and options["eta"] == 1):
            allowed = "a number in (0, 1)" if constant else "a schedule with eta at most 1"
            raise ValueError(f"rate={self.rate!r} must be {allowed}: w shrinks by 1 - rate")
        C = float(self.C)
        return (
            Hinge(),
            "svm",
            options
            | {
                "C": C,
                "radius": math.sqrt(C) if self.projection else math.inf,
                "shrinks_at_kink": self.at_kink == "shrink",
            },
        )

    def certificate(  # type: ignore[override]
        self,
        X: Any = None,
        y: Any = None,
        *,
        comparator: Any = None,
        intercept: Any = 0.0,
        norm: float = 1.0,
        ord: float = 2,
    ) -> Certificate:
        """Bounds on the regret of the run so far, in the hinge losses or the objective of the SVM.

        Without a comparator it is a `LinearCertificate` of the hinge losses for all models whose norm
        `ord` is at most `norm`. With a comparator it has the regret to it in
        `||w||^2 / 2 + C max(0, 1 - y <w, x>)`, and bounds on that regret.

        Parameters: `X, y`, the examples learned, in order and with weights of 1: a batch or a list of
        dicts; `comparator` and `intercept`, weights by name or column, as for
        `Perceptron.certificate`.

        >>> X, y = [[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]], [1, -1, 1, -1, 1]
        >>> model = OnlineSVM(C=1.0, rate=0.1, intercept=False).fit(X, y)
        >>> model.certificate(X, y, comparator=[1.0, 0.0]).holds
        True
        """
        run: Any = self
        replay: Replay | None = None
        if X is not None:
            options = self.get_params() | {"certify": True, "features": "exact"}
            replay = Replay(self, type(self)(**options), X, y)
            run = replay.twin
        if comparator is None:
            return LinearCertificate.of(norm=norm, ord=ord, **run._sums())
        if replay is None:
            raise ValueError(
                f"comparator={shown(comparator)} needs the examples, which are not kept: call "
                "certificate(X, y, comparator=...) with the examples learned"
            )
        return self._against(replay, comparator, intercept)

    def _against(self, replay: Replay, u: Any, intercept: Any) -> Certificate:
        regret, kinks, sizes = 0.0, 0, 0.0
        bounds: dict[str, float] = {}
        inside = True
        for lane, v in replay.comparators(u, intercept):
            run = _Descent(self, lane, v)
            regret, kinks, sizes = regret + run.regret, kinks + run.kinks, sizes + run.sizes
            inside &= not self.projection or float(v @ v) <= self.C * (1 + _EPS * (len(v) + 2))
            bounds = {name: bounds.get(name, 0.0) + bound for name, bound in run.bounds.items()}
        rounds = len(replay.lanes[0].y)
        assumptions: dict[str, bool | None] = {
            "X, y are what was learned, in order": replay.same,
            "no margin was exactly 1, or at_kink='shrink'": not kinks or self.at_kink == "shrink",
        }
        if self.projection:
            assumptions["||u||^2 <= C"] = inside
        return Certificate(
            rounds,
            regret,
            bounds,
            "Mohri et al. (2018), Exercise 8.5; Shalev-Shwartz (2012), eq. 2.15",
            assumptions,
            "the given weights",
            u,
            4.0 * _EPS * (rounds + 2) * sizes,
        )


class _Descent:
    """The run of one lane in double precision, beside a comparator."""

    def __init__(self, model: OnlineSVM, lane: ReplayedLane, u: Any) -> None:
        rate, C = model._schedule, float(model.C)
        X, T = lane.X, len(lane.y)
        margins, size = lane.margins(u), float(u @ u)
        norms = lane.norms() ** 2
        w = np.zeros(X.shape[1])
        self.regret, self.kinks, self.sizes = 0.0, 0, 0.0  # sizes: the sum of absolute terms
        descent = squares = before = 0.0
        for t in range(T):
            eta, here = rate(t + 1), slice(X.indptr[t], X.indptr[t + 1])
            columns, values = X.indices[here], X.data[here]
            own = float(w @ w)
            m = float(lane.y[t] * (w[columns] @ values))
            distance = own - 2.0 * float(w @ u[: len(w)]) + size
            fires = m < 1.0
            gradient = own + (C * C * float(norms[t]) - 2.0 * C * m if fires else 0.0)
            self.regret += (own - size) / 2.0
            suffered = max(0.0, 1.0 - m), max(0.0, 1.0 - float(margins[t]))
            self.regret += C * (suffered[0] - suffered[1])
            moved = (1.0 / eta - before - 1.0) * distance / 2.0
            descent += moved + eta * gradient / 2.0
            self.sizes += own + size + C * sum(suffered) + abs(moved) + eta * abs(gradient)
            squares += gradient
            before = 1.0 / eta
            self.kinks += m == 1.0
            if m != 1.0 or model.at_kink == "shrink":
                w *= 1.0 - eta
            if fires:
                w[columns] += eta * C * lane.y[t] * values
            if model.projection and float(w @ w) > C:
                w *= math.sqrt(C / float(w @ w))
        self.bounds = {"descent": descent}
        if isinstance(rate, rates.Constant):
            self.bounds["constant rate"] = size / (2.0 * rate.eta) + rate.eta / 2.0 * squares
        elif isinstance(rate, rates.Inverse) and rate.eta == 1.0:
            R = lane.largest()
            self.bounds["rate 1/t"] = 2.0 * C * C * R * R * (1.0 + math.log(max(T, 1)))
