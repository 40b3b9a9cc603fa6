"""The primal-dual family: any geometry with any update of the dual variables.

Shalev-Shwartz and Singer (2007).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from regretless import _core, losses
from regretless._core import Total
from regretless.base.arguments import (
    Array,
    instance,
    not_negative,
    numbers,
    one_of,
    positive,
    shown,
    whole,
)
from regretless.base.classifier import Classifier, label_array
from regretless.base.model import PythonModel, Row, moved
from regretless.base.options import option
from regretless.base.state import Parts
from regretless.base.weights import HasWeights
from regretless.certificates import LinearCertificate
from regretless.geometry import Euclidean, Geometry
from regretless.linear.dual_updates import ORDERS, UPDATES, Turn, Update, update_of
from regretless.linear.dual_vector import DualVector, dual_vector, extended
from regretless.losses import Hinge, Loss

# --- the state: a dual vector and the sums of its theorems for every lane -------------------------

_FAR = 1e150  # the largest value in a file: its square is still finite
_EPS = float(np.finfo(float).eps)
_FRESH = 1024  # rounds after which the conjugate is computed from scratch, against drift

# Numbers kept for each lane: the rounds with a margin of 0 or less; the increases of the dual objective
# in those, and the smallest increase of all; its changes by new features and labels; the largest
# duality gap at which a problem of several variables was left.
RUN = ("mistakes", "gains", "least", "shifts", "gap")


class DualModel(PythonModel):
    """One dual vector per lane, over all columns (without that of the intercept if there is none)."""

    def __init__(
        self,
        *,
        loss: Hinge,
        geometry: Geometry,
        update: Update,
        C: float,
        dimension: int | None,
        bits: int,
        names: int,
        intercept: bool,
    ) -> None:
        super().__init__(loss, bits, names, intercept)
        self.geometry, self.update, self.C, self.dimension = geometry, update, C, dimension
        self.wanted = loss.margin
        self.skipped = 0 if intercept else 1  # columns
        self.duals = [dual_vector(geometry, self._size(self.reader.size))]
        self.gradient: Array = np.zeros(
            (self.duals[0].size, 1)
        )  # the sum of the gradients of the hinge losses
        self.run: Array = np.zeros((len(RUN), 1))
        self.weighed = 0  # examples with an importance other than 1

    def _size(self, known: int) -> int:
        """The number of coordinates for `known` columns."""
        size = known - self.skipped
        if self.dimension is None:
            return size
        most = self.dimension + 1 - self.skipped
        if size > most:
            raise ValueError(
                f"dimension={self.dimension}, but there are more features; raise it or leave it out"
            )
        return most

    def _placed(self, x: Row) -> Row:
        return Row(x.columns - self.skipped, x.values, self._size(x.known))

    # --- the algorithm -------------------------------------------------------------------------------

    def predict(self, x: Row) -> Array:
        x = self._placed(x)
        return np.array([dual.score(x) for dual in self.duals])

    def learn(self, x: Row, y: Array, importance: float) -> tuple[Array, Array, Array]:
        x = self._placed(x)
        past = self.update.past
        marks = [dual.mark() for dual in self.duals]
        kept = self.run.copy(), self.update.curvature, past and past.mark()
        try:
            return self._learn(x, y, importance)
        except BaseException:
            for dual, mark in zip(self.duals, marks):
                dual.rewind(mark)
            self.run, self.update.curvature, mark = kept
            if past is not None:
                past.rewind(mark)
            raise

    def _learn(self, x: Row, y: Array, importance: float) -> tuple[Array, Array, Array]:
        update, cap = self.update, self.C * importance
        for k, dual in enumerate(self.duals):
            before = self.value(dual)
            dual.grow(x.known)
            self.run[3, k] += self.value(dual) - before
        scores = np.array([dual.score(x) for dual in self.duals])
        margins = y * scores
        update.curvature = max(update.curvature, self.duals[0].curvature(x))
        at = update.past.add(x, y, cap) if update.past is not None else 0
        for k, dual in enumerate(self.duals):
            before = self.value(dual)
            update(dual, Turn(x, float(y[k]), float(margins[k]), cap, at, k))
            gain = self.value(dual) - before
            if dual.straight and self.totals[Total.rounds][k] % _FRESH == _FRESH - 1:
                dual.refresh()
            if margins[k] <= 0.0:
                self.run[:2, k] += 1.0, gain
            self.run[2, k] = min(self.run[2, k], gain)
            self.run[4, k] = max(self.run[4, k], update.gap)
        self.weighed += importance != 1.0
        short = margins < self.wanted
        self.totals[Total.squares] += np.where(short, importance**2 * x.square, 0.0)
        self.gradient = extended(self.gradient, max(x.known, len(self.gradient)))
        self.gradient[x.columns] -= np.outer(x.values, importance * y * short)
        return scores, np.where(short, self.wanted - margins, 0.0), np.where(short, -margins, 0.0)

    def value(self, dual: DualVector) -> float:
        """The dual objective, `margin sum alpha - G(theta)`."""
        return self.wanted * dual.total - dual.conjugate

    def rounding(self) -> float:
        """A bound on the rounding error of the dual objective of all lanes."""
        return sum(
            4.0 * _EPS * (dual.moves + dual.size) * (self.wanted * dual.total + abs(dual.conjugate))
            for dual in self.duals
        )

    # --- the learned state ---------------------------------------------------------------------------

    def weights(self) -> Array:
        table = np.zeros((self.reader.size, self.lanes))
        there = slice(self.skipped, None)
        for k, dual in enumerate(self.duals):
            w = dual.weights()[: len(table) - self.skipped]
            table[there, k][: len(w)] = w
        return table.ravel()

    @property
    def has_gradient_sum(self) -> bool:
        return True

    def gradient_norms(self) -> Sequence[float]:
        sizes = np.abs(self.gradient).ravel()
        return [
            float(np.sum(sizes)),
            float(np.sqrt(np.sum(sizes**2))),
            float(sizes.max(initial=0.0)),
            float(np.count_nonzero(sizes)),
        ]

    def relabel(self, sources: Sequence[int], signs: Array) -> None:
        fresh = dual_vector(self.geometry, self.duals[0].size)
        old = [self.value(dual) for dual in self.duals]
        self.duals = [
            self.duals[source].copy(sign) if source >= 0 else fresh.copy()
            for source, sign in zip(sources, signs.tolist())
        ]
        self.run = moved(self.run, sources)
        for k, source in enumerate(sources):
            if source >= 0:
                self.run[3, k] += self.value(self.duals[k]) - old[source]
        self.gradient = moved(self.gradient, sources, signs)
        if self.update.past is not None:
            self.update.past.relabel(sources, signs)

    def arrays(self) -> dict[str, NDArray[Any]]:
        past = self.update.past
        return {
            "theta": np.array([dual.theta for dual in self.duals]),
            "sums": np.array([[dual.total, dual.conjugate, dual.moves] for dual in self.duals]),
            "gradient": self.gradient,
            "run": self.run,
            "seen": np.array([self.update.curvature, self.weighed]),
            **({} if past is None else past.arrays()),
        }

    def take(self, parts: Parts) -> None:
        size, lanes = self._size(self.reader.size), self.lanes
        theta = parts.array("theta", (lanes, size), -_FAR, _FAR)
        sums = parts.array("sums", (lanes, 3))
        self.run = parts.array("run", (len(RUN), lanes))
        self.gradient = parts.array("gradient", (size, lanes), -_FAR, _FAR)
        for k, dual in enumerate(self.duals):
            dual.theta = theta[k].copy()
            dual.refresh()
            total, conjugate, moves = sums[k].tolist()
            scale = abs(dual.conjugate) + abs(conjugate) + 1e-300
            if min(total, moves) < 0 or not abs(dual.conjugate - conjugate) <= 1e-6 * scale:
                raise ValueError(f"sums of lane {k} do not belong to its dual vector")
            dual.total, dual.conjugate, dual.moves = total, conjugate, int(moves)
        self.update.curvature, weighed = parts.array("seen", (2,), 0.0).tolist()
        if not weighed.is_integer() or weighed > 2**53:
            raise ValueError(f"seen has {weighed} weighted examples, which is not a valid number")
        self.weighed = int(weighed)
        if self.update.past is not None:
            self.update.past.take(parts, lanes, size)


# --- bounds on every comparator from the dual objective of a run ----------------------------------

# Shalev-Shwartz and Singer (2007), sections 3 to 5.


@dataclass(frozen=True, kw_only=True)
class DualCertificate(LinearCertificate):
    """A lower bound on the objective of all fixed weights, and the bounds that follow from it.

    By weak duality, for every `w` of the geometry, with `F` its complexity (the geometry less its
    minimum) and the objective `P(w) = F(w) + C sum_t loss_t(w)`,

        dual <= P(w)

    For every update the rounds with a margin of 0 or less satisfy `rate mistakes <= P(w)` (Thm 1).
    All updates but "conservative" also satisfy, over m rounds with the curvature `h`,

        sum_t loss_t <= m mu^-1((sum_t loss_t(w) + F(w) / C) / m)                 (Thm 3)
                     <= sum_t loss_t(w) + F(w) / C + m h C / 2

    With several classes all lanes count together: their losses, mistakes, complexities and rounds.

    Attributes: those of `LinearCertificate`, and `dual`, the dual objective, and `dual_error`, how far
    rounding may have moved it; `mistakes`; `gains`, its increases in those rounds (less its decreases
    by new features or labels); `least`, the smallest increase in any round; `C`; `margin`;
    `curvature`, h, the largest of `<x, H x>` for the Hessian of the conjugate (at least 1);
    `update`; `lane_rounds`, m, the rounds of all lanes; `weighed`, how many examples had an
    importance other than 1; `euclidean`, whether `F(w) = ||w||^2 / 2`; `duality_gap`, for "block"
    and "leader" the largest duality gap left in any round, in the units of `dual`,
    and None for the others.

    In `bounds`, "Shalev-Shwartz and Singer (2007), Theorem 3" is `regret_bound` of all models of
    the norm, for the Euclidean geometry.

    >>> c = DualCertificate.of(3, loss=2.0, dual=1.5, mistakes=2, gains=1.0, least=0.0, C=0.5,
    ...                        margin=1.0, curvature=1.0, update="aggressive", lane_rounds=3)
    >>> c.rate, c.mistake_bound(objective=2.0), c.regret_bound(complexity=0.5)
    (0.5, 4.0, 1.75)
    >>> c.gap(objective=2.0), c.best_loss(complexity=1.0)
    (0.5, 1.0)
    """

    dual: float
    mistakes: int
    gains: float
    least: float
    C: float
    margin: float
    curvature: float
    update: str
    lane_rounds: int
    weighed: int = 0
    euclidean: bool = False
    dual_error: float = 0.0
    duality_gap: float | None = None

    def _theorems(self) -> dict[str, float]:
        if not self.euclidean or self.ord == math.inf or self._no_theorem_3:
            return {}
        return {
            "Shalev-Shwartz and Singer (2007), Theorem 3": self.regret_bound(self.norm**2 / 2.0)
        }

    @property
    def _no_theorem_3(self) -> str:
        """The reason why Theorem 3 does not apply to this run; empty if it applies."""
        if self.update == "conservative":
            return "update='conservative' lacks this bound: it ignores losses of correct rounds"
        if self.weighed:
            return f"{self.weighed} examples have an importance other than 1: the bound needs 1"
        if self.assumptions.get("the dual objective never fell") is False:
            return f"the dual objective fell by {-self.least:.3g} in a round: the bound fails"
        return ""

    @property
    def rate(self) -> float:
        """The mean increase of the dual objective per mistake, lambda."""
        return self.gains / self.mistakes if self.mistakes else math.inf

    @property
    def guaranteed_rate(self) -> float:
        """The lower bound on `rate` of Cor. 1 or eq. (31)."""
        C, gamma, h = self.C, self.margin, self.curvature
        if self.update == "conservative" or h * C <= gamma:
            return gamma * C - h * C * C / 2.0
        return gamma * gamma / (2.0 * h)

    def mistake_bound(self, objective: float) -> float:
        """The bound on `mistakes` if some weights have `P(w) <= objective` (Thm 1)."""
        objective = not_negative(objective, "objective")
        if not self.mistakes:
            return 0.0
        return objective / self.rate if self.rate > 0.0 else math.inf

    def loss_bound(self, complexity: float, loss: float) -> float:
        """The bound on the loss if weights with `F(w) <= complexity` have at most `loss` (Thm 3)."""
        F, loss = not_negative(complexity, "complexity"), not_negative(loss, "loss")
        self._needs_theorem_3()
        if not self.lane_rounds:
            return 0.0
        z, c = (loss + F / self.C) / self.lane_rounds, self.curvature * self.C
        return self.lane_rounds * (math.sqrt(2.0 * c * z) if z <= c / 2.0 else z + c / 2.0)

    def regret_bound(self, complexity: float) -> float:
        """The bound on the regret against all weights with `F(w) <= complexity`, eq. (30)."""
        F = not_negative(complexity, "complexity")
        self._needs_theorem_3()
        return F / self.C + self.lane_rounds * self.curvature * self.C / 2.0

    def tuned(self, complexity: float) -> float:
        """The `C` with the smallest `regret_bound`, `sqrt(2 F / (h m))`: Cor. 2."""
        F = not_negative(complexity, "complexity")
        return (
            math.sqrt(2.0 * F / (self.curvature * self.lane_rounds))
            if self.lane_rounds
            else math.inf
        )

    def best_loss(self, complexity: float) -> float:
        """A lower bound on the loss of all weights with `F(w) <= complexity` on this run."""
        F = not_negative(complexity, "complexity")
        return max(0.0, (self.dual - self.dual_error - F) / self.C)

    def best_possible(
        self, norm: float | None = None, *, ord: float | None = None, mean: bool = False
    ) -> float:
        """See `LinearCertificate.best_possible`; weak duality may prove more than convexity."""
        convexity = super().best_possible(norm, ord=ord, mean=mean)
        size, measured = self.norm if norm is None else norm, self.ord if ord is None else ord
        if not self.euclidean or measured == math.inf:
            return convexity
        return max(convexity, self.best_loss(size * size / 2.0) / (self._total if mean else 1.0))

    def gap(self, objective: float) -> float:
        """The most by which `objective`, the `P(w)` of some weights, can exceed the smallest P.

        `PrimalDual.objective` computes it.
        """
        return not_negative(objective, "objective") - self.dual

    def _needs_theorem_3(self) -> None:
        if self._no_theorem_3:
            raise ValueError(self._no_theorem_3)


# --- the primal-dual family: any geometry with any update of the dual variables -------------------


class PrimalDual(HasWeights, Classifier, in_core=False):
    """Online learning as ascent of the dual of the batch problem, with a certified lower bound on it.

    The batch problem is to minimise `P(w) = F(w) + C sum_t max(0, margin - y_t <w, x_t>)`, `F` the
    geometry less its minimum. With `G` the conjugate of `F` its dual is

        D(alpha) = margin sum_t alpha_t - G(theta),   theta = sum_t alpha_t y_t x_t,   0 <= alpha_t <= C

    The learner plays the link of theta, `w = grad G(theta)`, and every round raises D:

        conservative   alpha_t = C if y_t <w, x_t> <= 0           Perceptron, Winnow, p-norm algorithms
        aggressive     alpha_t = min(loss_t / h, C)
        exact          the best alpha_t                           passive-aggressive, Bregman-proximal
        sequential     the best alpha_t, then that of others, one at a time
        block          the best variables of the latest examples together
        leader         the best variables of all: the regularised leader

    As `D <= P(w)` for every w, `certificate().dual` bounds from below what any weights can reach, and
    `rate` mistakes from above: `mistakes <= P(w) / rate`, with `rate >= margin C - h C^2 / 2` for
    `h C <= margin` (Shalev-Shwartz and Singer (2007), Theorem 1, Corollary 1, eq. 31). For all
    updates but the first `regret <= F(w) / C + m h C / 2` after m rounds (Thm 3). Here h is the
    largest `<x_t, H x_t>` for the Hessian H of G anywhere, or 1 if that is larger: `||x_t||^2`,
    `max |x_ti|^2` for the entropy, `(p - 1) ||x_t||_p^2` for p-norms. The text assumes `h <= 1`,
    which is not needed.

    >>> from regretless import geometry
    >>> model = PrimalDual(geometry.PNorm(4), update="exact", intercept=False)
    >>> for x, y in [([1, 2], 1), ([-1, 1], -1), ([2, -1], 1), ([-1, -1], -1), ([1, -1], 1)]:
    ...     model.learn_one(x, y)
    >>> certificate = model.certificate()
    >>> X, y = [[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]], [1, -1, 1, -1, 1]
    >>> 0 < certificate.dual <= model.objective(X, y)
    True
    >>> certificate.mistakes <= certificate.mistake_bound(model.objective(X, y))
    True
    """

    geometry: Geometry | None = option(
        instance,
        Geometry,
        default=None,
        kw_only=False,
        text="""one of `regretless.geometry`, or your own; None is `Euclidean()`, which takes time in
        proportion to the example; all others take time in proportion to the features""",
    )
    loss: str | Loss = option(
        losses.learnable,
        "classification",
        default="hinge",
        kw_only=False,
        text='"hinge" or a `losses.Hinge`, the only loss of the text',
    )
    update: str = option(
        one_of,
        UPDATES,
        default="aggressive",
        text='one of those above; "aggressive" needs a strongly convex geometry',
    )
    C: float = option(
        positive,
        default=1.0,
        text="""weight of the losses; the importance of an example multiplies it. "conservative" has
        no guarantee for C of `2 margin / h` or more""",
    )
    margin: float = option(positive, default=1.0, text="margin of the hinge loss")
    window: int | None = option(
        whole,
        default=None,
        text="""number of examples that "block" (default 10) and "sequential" (default all) may
        change again""",
    )
    steps: int = option(
        whole,
        default=10,
        text='number of variables that "sequential" changes in a round, the new one first',
    )
    order: str = option(
        one_of,
        ORDERS,
        default="recent",
        text="""order in which "sequential" takes the others: "recent", the latest first; "random";
        "cyclic", from where it stopped; "largest_violation", the steepest first""",
    )
    dimension: int | None = option(
        whole,
        default=None,
        hint=", or None",
        text="""number of features, if known. Without it a feature counts from its first example on,
        which matters to geometries whose weights do not start at 0, such as the entropy""",
    )

    _yours: ClassVar[tuple[str, ...]] = ("geometry",)
    certify = True
    precision = "single"  # of features; all else is in double precision

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        hinge = isinstance(self.loss, str) and self.loss == "hinge"
        loss = Hinge(self.margin) if hinge else losses.get(self.loss)
        if not isinstance(loss, Hinge):
            raise ValueError(
                f"loss={self.loss!r}: the primal-dual updates need the hinge loss; use 'hinge'"
            )
        if self.margin not in (loss.margin, 1.0):
            raise ValueError(
                f"margin={self.margin}, but loss={shown(loss)} has its own margin; give one of them"
            )
        if self.dimension is not None and self.features == "hashed":
            raise ValueError(
                f"dimension={self.dimension}: bits={self.bits} sets the dimension; leave it out"
            )
        if self.update == "aggressive" and not self._shape.strong_convexity > 0.0:
            raise ValueError(
                f"geometry={self.geometry!r} is not strongly convex, as update='aggressive' needs; use "
                "update='exact'"
            )
        return loss, "primal_dual", {}

    def _made(
        self, twin: _core.Loss, rule: str, options: dict[str, Any], *, certify: bool = False
    ) -> DualModel:
        loss, _, _ = self._parts()
        assert isinstance(loss, Hinge)
        form = self._reads()
        window = 10 if self.update == "block" and self.window is None else self.window
        update = update_of(
            self.update,
            wanted=loss.margin,
            window=window,
            steps=self.steps,
            order=self.order,
            seed=self.seed,
        )
        return DualModel(
            loss=loss,
            geometry=self._shape,
            update=update,
            C=float(self.C),
            dimension=self.dimension,
            bits=form.bits,
            names=form.names,
            intercept=form.intercept,
        )

    @property
    def _shape(self) -> Geometry:
        return Euclidean() if self.geometry is None else self.geometry

    @property
    def _dual(self) -> DualModel:
        model = self._model or self._start()
        assert isinstance(model, DualModel)
        return model

    @property
    def gap_(self) -> float:
        """The largest duality gap left in any round by "block" and "leader", in units of `objective`.

        No choice of the variables raises the dual objective by more. For other updates, which solve no
        problem of several variables, it is 0.

        >>> PrimalDual(update="leader").fit([[1.0], [-2.0]], [True, False]).gap_
        0.0
        """
        return float(self._dual.run[RUN.index("gap")].max())

    def certificate(self, norm: float = 1.0, ord: float = 2) -> DualCertificate:
        """Bounds that the run proves for every fixed linear model: see `DualCertificate`.

        Parameters: `norm` and `ord` as for all learners, for the bounds that are about models of a norm.
        """
        model = self._dual
        mistakes, gains, least, shifts, _ = model.run.sum(axis=1).tolist()
        rounding = model.rounding()
        fell = -float(model.run[2].min()) > rounding
        return DualCertificate.of(
            norm=norm,
            ord=ord,
            theorem="convexity; Shalev-Shwartz and Singer (2007), Theorems 1 and 3, Corollaries 1 and 2",
            **self._sums(),
            assumptions={"the dual objective never fell": not fell},
            dual=sum(model.value(dual) for dual in model.duals),
            dual_error=rounding,
            mistakes=int(mistakes),
            gains=gains + min(0.0, shifts),
            least=float(model.run[2].min()) if least < 0.0 else 0.0,
            C=model.C,
            margin=model.wanted,
            curvature=model.update.curvature,
            update=self.update,
            lane_rounds=int(model.total(Total.rounds)),
            weighed=model.weighed,
            euclidean=model.duals[0].straight,
            duality_gap=self.gap_ if self.update in ("block", "leader") else None,
        )

    def complexity(self) -> float:
        """The complexity `F(w)` of the current weights, summed over lanes: geometry less its minimum.

        >>> PrimalDual().complexity()
        0.0
        """
        model = self._dual
        total = 0.0
        for dual in model.duals:
            if dual.size:
                least = -self._shape.conjugate(np.zeros(dual.size))
                total += self._shape.value(dual.weights()) - least
        return total

    def objective(self, X: Any, y: Any, w: Any = None) -> float:
        """The objective `P` of the current weights on examples `X` with labels `y` and importance `w`.

        After learning exactly these examples, its distance to `certificate().dual` bounds its distance
        to the smallest P.
        """
        scores, codes = self._batch_scores(X), self._codes(y)
        if len(codes) != len(scores):
            raise ValueError(f"X has {len(scores)} rows, y has {len(codes)} labels")
        signs = np.where(codes == np.arange(scores.shape[1])[:, None], 1.0, -1.0).T
        if scores.shape[1] == 1:
            signs = np.where(codes == 1, 1.0, -1.0)[:, None]
        loss = np.maximum(0.0, self._dual.wanted - signs * scores).sum(axis=1)
        importance = np.ones(len(loss)) if w is None else numbers(w, "w", "a list of weights")
        return self.complexity() + self._dual.C * math.fsum(importance * loss)

    def _codes(self, y: Any) -> Any:
        codes, fresh = self._labels.encode(label_array(y))
        if fresh:
            raise ValueError(
                f"y[{fresh[0][0]}]={fresh[0][1]!r} is a label that has not been learned"
            )
        return codes
