"""Online boosting of classifiers: Online BBM, AdaBoost.OL, OSBoost and OSBoost.OCP."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from regretless import _core
from regretless.base import rows
from regretless.base.adapters import takes_weights
from regretless.base.arguments import Array, flag, whole, within
from regretless.base.classifier import Classifier
from regretless.base.model import Model
from regretless.base.options import option
from regretless.boosting.copies import VotingModel
from regretless.boosting.trees import Tree
from regretless.boosting.weak_learners import weak_classifier
from regretless.certificates import Certificate
from regretless.experts.adaptive import lemma_4
from regretless.linear.linear import LinearClassifier
from regretless.losses import Logistic, Loss

# --- bounds on the mistakes, by the measured edges (Luo (2016), section 3.1) ----------------------

Sums = dict[str, Array]  # the measured sums of a voting
_EPS = float(np.finfo(float).eps)
_NO_COMPARATOR = "without a comparator: the edges of the weak learners bound the mistakes"


@dataclass(frozen=True)
class BoostingCertificate(Certificate):
    """The mistakes of a booster, and bounds on them by the edges of its weak learners.

    The bounds are sums over the run. They hold for all data and weak learners; if the weak learners
    have no edge, the bounds are large.

    Attributes: those of `Certificate`; `mistakes` made, one of importance w counting w; `expected`,
    their number in expectation over the experts that AdaBoost.OL draws (the same without draws),
    which the bounds are about; `inequalities` of the proofs, the smaller side first;
    `identity_gap`, for boost-by-majority, whose bound is proved by an equality,

        sum_t Phi_n(s_n) + sum_i (w_i.z_i - bias |w_i|_1) = T Phi_0(0)

    the difference of its two sides, which is rounding only. Among the bounds, "trivial" is the weight
    of all examples, and no other bound is above it. `holds` is whether `expected` is within the bound
    and all inequalities hold; mistakes are near `expected` if labels do not depend on the draws.
    `regret` is None, because there is no comparator.

    With three or more labels each has a booster against the rest, and their mistakes and bounds are
    added up. Wherever the predicted label is wrong, at least one of these boosters is, because a label
    with the vote for it comes before one without. With `edge=None` the bound is twice that of the best
    edge's booster plus the regret of AdaNormalHedge to it.

    >>> both = {"lemma 8": 3.5, "trivial": 9.0}
    >>> c = BoostingCertificate(9, None, both, "Luo (2016), Lemma 8", mistakes=2.0, expected=2.0)
    >>> c.bound, c.holds
    (3.5, True)
    """

    mistakes: float = 0.0
    expected: float = 0.0
    inequalities: dict[str, tuple[float, float]] = field(default_factory=dict)
    identity_gap: float | None = None

    @property
    def measured(self) -> float:
        """The number of mistakes, in expectation."""
        return self.expected

    @property
    def holds(self) -> bool | None:
        """Whether mistakes are within the bound and all inequalities hold."""
        kept = all(low <= high + self.rounding for low, high in self.inequalities.values())
        return super().holds if kept else False


def of_votings(kind: str, votings: list[Sums], last: bool) -> BoostingCertificate:
    """The certificate of a booster, added up over labels if there are three or more."""
    found = [
        _of_edges(kind, sums) if "shares" in sums else _by(kind, last)(sums) for sums in votings
    ]
    gaps = [each.identity_gap for each in found if each.identity_gap is not None]
    return BoostingCertificate(
        rounds=max(each.rounds for each in found),
        regret=None,
        bounds={name: math.fsum(each.bounds[name] for each in found) for name in found[0].bounds},
        theorem=found[0].theorem,
        assumptions=found[0].assumptions,
        comparators=_NO_COMPARATOR,
        rounding=math.fsum(each.rounding for each in found),
        mistakes=math.fsum(each.mistakes for each in found),
        expected=math.fsum(each.expected for each in found),
        inequalities={
            name: (
                math.fsum(each.inequalities[name][0] for each in found),
                math.fsum(each.inequalities[name][1] for each in found),
            )
            for name in found[0].inequalities
        },
        identity_gap=max(gaps, key=abs) if gaps else None,
    )


def _by(kind: str, last: bool) -> Callable[[Sums], BoostingCertificate]:
    if kind == "adaboost_ol":
        return lambda sums: _of_adaboost_ol(sums, last)
    return {"bbm": _of_bbm, "osboost": _of_osboost, "osboost_ocp": _of_osboost_ocp}[kind]


def _of_bbm(sums: Sums) -> BoostingCertificate:
    bias, weight = sums["bias"].item(), sums["weight"].item()
    ahead = sums["correlation"] - bias * sums["weights"]  # beyond the assumed edge
    start = weight * sums["start"].item()
    n = len(ahead)
    return _certificate(
        sums,
        {
            "lemma 8": start - math.fsum(ahead),
            # Hoeffding's bound on Phi_0(0), and the shortfall from the edge for the excess loss
            "theorem 9": weight * math.exp(-n * bias**2 / 2) + math.fsum(np.maximum(0.0, -ahead)),
        },
        "Luo (2016), Lemma 8 and Theorem 9, by measured edges",
        identity_gap=sums["potential"].item() + math.fsum(ahead) - start,
    )


def _of_adaboost_ol(sums: Sums, last: bool) -> BoostingCertificate:
    rounds, weight, most = (sums[name].item() for name in ("rounds", "weight", "heaviest"))
    mistakes, n = sums["expert_mistakes"], len(sums["alpha"])
    edges = sums["correlation"] / np.where(sums["weights"] > 0, 2.0 * sums["weights"], 1.0)
    won = float(edges**2 @ np.concatenate([[weight], mistakes[:-1]]))
    logistic, start = sums["logistic"].item(), weight * math.log(2.0)
    # gradient descent on [-2, 2] with steps 4 / sqrt t and slopes up to `most`: 2 sqrt T for the
    # distance, and at most 4 most^2 sqrt T (or the measured sum) for the steps
    regret = (2.0 + 4.0 * most * most) * n * math.sqrt(rounds)
    paid = 2.0 * n * math.sqrt(rounds) + math.fsum(sums["steps"])
    inequalities = {"edges and losses": (won + logistic, start + regret)}
    theorem = "Luo (2016), Theorem 11, by measured edges"
    if last:  # a mistake of the last expert has a logistic loss of ln 2 or more
        drop = 2.0 * float(edges**2 @ sums["weights"])
        bounds = {"last expert": (start + paid - drop) / math.log(2.0)}
        return _certificate(sums, bounds, theorem, inequalities)
    squares = float(edges @ edges)

    def hedged(best: float) -> float:
        """The bound of Hedge with rate 1 and losses up to `most`."""
        return (best + math.log(n)) * (most / -math.expm1(-most) if most > 0 else 1.0)

    def divided(total: float) -> float:
        return total / squares if squares > 0 else math.inf

    expected = sums["expected"].item()
    bounds = {
        "hedge": hedged(float(mistakes.min())),
        "theorem 11": hedged(divided(start + regret)),
        "theorem 11, measured": hedged(divided(start + paid - logistic)),
    }
    inequalities["hedge"] = (expected, bounds["hedge"])
    inequalities["best expert"] = (float(mistakes.min()), divided(start + regret))
    return _certificate(sums, bounds, theorem, inequalities, expected=expected)


def _of_osboost(sums: Sums) -> BoostingCertificate:
    edge, weight, n = sums["edge"].item(), sums["weight"].item(), len(sums["weights"])
    theta, k = edge / (2.0 + edge), -math.log1p(-edge) / 2.0
    step = math.expm1(k * (1.0 + theta)) / k - (1.0 + theta)
    behind = math.fsum((theta + step) * sums["weights"] - sums["correlation"])
    bounds = {"smooth weights": (weight / k + behind) / (n * theta + 1.0 / k)}
    return _certificate(
        sums, bounds, "Chen, Lin and Lu (2012): smooth weights, by measured edges (see OSBoost)"
    )


def _of_osboost_ocp(sums: Sums) -> BoostingCertificate:
    edge, rounds, n = sums["edge"].item(), sums["rounds"].item(), len(sums["weights"])
    # even weights have distance at most 1 to all others
    regret = math.sqrt(n * rounds) / 2.0 + sums["steps"].item()
    bounds = {"even weights": (sums["hinge"].item() + regret) * (2.0 + edge) / edge}
    return _certificate(
        sums, bounds, "Chen, Lin and Lu (2012): gradient descent on the simplex (see OSBoostOCP)"
    )


def _of_edges(kind: str, sums: Sums) -> BoostingCertificate:
    """Bounds for the majority of boosters with different edges: twice those of a booster drawn."""
    count = len(sums["shares"])
    hedge = ("shares", "spread", "unit", "periods", "shrunk", "majority_mistakes")
    each = [
        _by(kind, False)(
            {name: np.split(values, count)[k] for name, values in sums.items() if name not in hedge}
        )
        for k in range(count)
    ]
    B = lemma_4(sums["spread"], 1.0 / count, sums["periods"].item(), sums["shrunk"].item())
    logarithm = math.log1p((B - 1.0) * count)
    regrets = sums["unit"].item() * np.sqrt(3.0 * sums["spread"] * logarithm)
    bounds = {
        name: 2.0 * min(c.bounds[name] + r for c, r in zip(each, regrets.tolist()))
        for name in each[0].bounds
    }
    bounds["best edge"] = 2.0 * min(c.mistakes + r for c, r in zip(each, regrets.tolist()))
    gaps = [c.identity_gap for c in each if c.identity_gap is not None]
    mistakes = sums["majority_mistakes"].item()
    trivial = each[0].bounds["trivial"]
    bounds = {name: min(bound, trivial) for name, bound in bounds.items()} | {"trivial": trivial}
    return BoostingCertificate(
        each[0].rounds,
        None,
        bounds,
        f"{each[0].theorem}; Luo (2016), Theorem 4 for the edges",
        comparators=_NO_COMPARATOR,
        rounding=2.0 * max(c.rounding for c in each),
        mistakes=mistakes,
        expected=mistakes,
        identity_gap=max(gaps, key=abs) if gaps else None,
    )


def _certificate(
    sums: Sums,
    bounds: dict[str, float],
    theorem: str,
    inequalities: dict[str, tuple[float, float]] | None = None,
    *,
    expected: float | None = None,
    identity_gap: float | None = None,
) -> BoostingCertificate:
    mistakes, rounds, weight = (
        sums["mistakes"].item(),
        int(sums["rounds"].item()),
        sums["weight"].item(),
    )
    sizes = [abs(bound) for bound in bounds.values() if math.isfinite(bound)]
    sizes += [weight, math.fsum(sums["weights"])]
    return BoostingCertificate(
        rounds,
        None,
        {name: min(bound, weight) for name, bound in bounds.items()} | {"trivial": weight},
        theorem,
        comparators=_NO_COMPARATOR,
        # every sum has one term per round and weak learner, and is at most the largest of these
        rounding=8.0 * _EPS * (rounds + len(sums["weights"]) + 2) * max(sizes),
        mistakes=mistakes,
        expected=mistakes if expected is None else expected,
        inequalities=inequalities or {},
        identity_gap=identity_gap,
    )


# --- the base of all online boosters --------------------------------------------------------------

# Bounds depend on n times the square of the assumed edge, which must not be above the true one. The
# largest of these below the true edge is at least as good as the true edge with a quarter of the
# learners.
EDGES = (0.025, 0.05, 0.1, 0.2, 0.4)


def _edge(value: Any, name: str) -> float | None:
    """The edge of weak learners, or None."""
    hint = ": the advantage of weak learners over chance; None finds it"
    return None if value is None else within(value, name, "(0, 1/2)", hint)


class Booster(Classifier, in_core=False):
    """A classifier made of the votes of weak learners, which learns one example at a time.

    Two labels share one ensemble, three or more have one each, against the rest: the ensemble of two
    labels continues as two mirrored ones, and that of a later label begins untrained. If the votes are
    even, the mean of the weak learners' scores decides; a classifier of another library has its vote as
    its score.

    The score of a label is its log-odds, and the loss is the log loss of that. They are learned online,
    by logistic regression on the margin of the vote, the mean score of the weak learners and the score
    of the first one (Newton's method, in `core/boosting/link.hpp`). Log-odds have the sign of the vote,
    so that the certificate, which is about votes, is true of the predictions: where the regression
    disagrees with the vote, they are next to 0. Of several labels the one with the highest log-odds is
    predicted. The thesis has votes only.

    Copies of a `LinearClassifier` are lanes of one table, which an example goes through once, and
    copies of a `Tree` are learned in the core as well. All other weak learners are objects, called one
    after the other. Both do the same, up to rounding of sums over many features. There is one
    exception: the rule "eg" depends on the number of features, and a lane counts those of examples of
    weight 0, too.
    """

    _kind: ClassVar[str]  # kind of voting in the core
    certifies = "itself"

    weak: Any = option(
        weak_classifier,
        default=None,
        kw_only=False,
        text="""weak learner to boost; None is `LinearClassifier()`. A classifier, `Stump`,
        `DecisionStump` or `NeuralNet` of this library, any object with `learn_one(x, y)` and
        `predict_one(x)`, such as River's, or with `partial_fit(X, y)` and `predict(X)`, such as
        scikit-learn's. It is copied n times, learns the labels False and True, and should take
        weights (`w`, `sample_weight`); otherwise it gets samples""",
    )
    n: int = option(whole, 1, 10_000, default=20, text="number of weak learners")
    edge: float | None = option(
        _edge,
        default=0.1,
        text="""advantage of weak learners over chance, in (0, 1/2): on examples of any weights,
        they are right on `1/2 + edge` of the weight. None tries `boosting.online.EDGES`,
        each with n weak learners of its own, and predicts by their majority, weighted by
        AdaNormalHedge""",
    )
    sampled: bool = option(
        flag,
        default=False,
        text="give an example to weak learner i with probability `w_i` instead of with this weight",
    )
    seed: int = option(whole, 0, 2**64 - 1, default=0, text="seed of the sampling, below 2^64")

    def _edges(self) -> list[float]:
        """The assumed edges of weak learners."""
        return list(EDGES) if self.edge is None else [float(self.edge)]

    def _voting(self, weighted: bool) -> dict[str, Any]:
        """The options of the votes except n; `weighted`, whether weak learners get weights."""
        return {"edges": self._edges(), "weighted": weighted}

    @property
    def _prototype(self) -> Any:
        return LinearClassifier() if self.weak is None else self.weak

    @property
    def _lane(self) -> LinearClassifier | Tree | None:
        """The weak learner if copies of it can be lanes of one model; otherwise None."""
        weak = self._prototype
        if type(weak) is Tree or (type(weak) is LinearClassifier and not weak.certify):
            return weak
        return None

    def _reads(self) -> rows.Form:
        """Lanes read examples as a single `LinearClassifier`; other weak learners get names."""
        return rows.Form(intercept=False) if self._lane is None else self._lane._reads()

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        return Logistic(), "boost", {}

    def _made(
        self, twin: _core.Loss, rule: str, options: dict[str, Any], *, certify: bool = False
    ) -> Model:
        weak, lane = self._prototype, self._lane
        votes = self._voting(not self.sampled and takes_weights(weak)) | {"n": int(self.n)}
        sampled, seed = bool(self.sampled), int(self.seed)
        if lane is None:
            return VotingModel(weak, self._kind, votes, sampled=sampled, seed=seed)
        loss, lane_rule, lane_options = lane._compiled()
        parts = {
            "rule": lane_rule,
            "weak": lane_options,
            "kind": self._kind,
            "votes": votes,
            "sampled": sampled,
            "seed": seed,
        }
        return super()._made(loss, rule, parts)

    def _row(self, x: Any) -> Any:
        return x if isinstance(self._model, VotingModel) else super()._row(x)

    # --- the learned state ---------------------------------------------------------------------------

    @property
    def weights_(self) -> Any:
        """The mean weights of all lanes, by name; with three or more labels, by label."""
        return self._weights_by_name()

    @property
    def intercept_(self) -> Any:
        """The mean of the weights of the constant feature; with three or more labels, by label."""
        return self._intercepts()

    def _weights(self) -> tuple[list[Any], Array, Array]:
        if isinstance(self._lane, Tree):
            raise ValueError("the weak learners are trees, which have no weights")
        return super()._weights()

    @property
    def edge_(self) -> Any:
        """The edges in use, each with its share of the vote; with three or more labels, by label."""
        shares = [m["shares"].tolist() if "shares" in m else [1.0] for m in self._measured()]
        return self._by_output([dict(zip(self._edges(), each, strict=True)) for each in shares])

    @property
    def weak_(self) -> Any:
        """The weak learners, a list; with three or more labels, one by label."""
        model = self._model or self._start()
        if isinstance(self._lane, Tree):
            raise AttributeError("the weak learners are trees in the core, not objects")
        if not isinstance(model, VotingModel):
            raise AttributeError(
                "the weak learners are lanes of one table, not objects: weights_ has the mean of their "
                "weights, edges_ their edges"
            )
        return self._by_output(model.weak)

    @property
    def edges_(self) -> Any:
        """The measured edge of each weak learner over chance, `w.z / (2 |w|_1)`.

        z is 1 where it was right and -1 where it was wrong, w the weights of the examples for it. The
        edge is 0 if all weights are 0.
        """
        return self._by_output(
            [
                m["correlation"] / np.where(m["weights"] > 0, 2.0 * m["weights"], 1.0)
                for m in self._measured()
            ]
        )

    def _measured(self) -> list[dict[str, Array]]:
        """The measured sums of the votes, for each lane."""
        model: Any = self._model or self._start()
        return [model.measured(k) for k in range(model.lanes)]

    def certificate(self) -> BoostingCertificate:
        """Bounds on the number of mistakes so far: see `BoostingCertificate`."""
        return of_votings(self._kind, self._measured(), self._last)

    @property
    def _last(self) -> bool:
        """Whether the last expert of AdaBoost.OL predicts."""
        return False


# --- online boost-by-majority (Luo (2016), Algorithm 7) -------------------------------------------


class OnlineBBM(Booster):
    """Online boosting by majority, with the fewest weak learners for a given error rate.

    All n weak learners vote, and the majority predicts. The weight of an example for weak learner i is
    the influence of its vote if the later ones are right with probability `p = 1/2 + edge`
    independently of each other: with s the number of right votes before it, less the wrong ones,

        w_i ~ Pr[Bin(n - i, p) = floor((n - i - s + 1) / 2)]

    divided by the largest such number for i. Examples that earlier votes have decided, either way,
    have small weights. On every stream (Lemma 8; `certificate()` has it with the measured sums),

        mistakes <= T Phi_0(0) + sum_i (2 edge |w_i|_1 - w_i.z_i),    Phi_0(0) <= e^(-2 n edge^2)

    with `z = 1` where weak learner i is right, else -1, so that the sum is small if each of them has
    the edge. Error rate e needs `n = ln(1/e) / (2 edge^2)` weak learners (Theorem 9), and every booster
    needs a number of this order (Theorem 10). If sampled, weak learners are assumed to have half of
    the edge, `p = 1/2 + edge / 2` (Lemma 6 instead of Eq. 3.3), and `2 edge` is `edge`.

    >>> model = OnlineBBM(n=9)
    >>> for t in range(300):
    ...     a, b = t % 7 - 3, t % 5 - 2
    ...     model.learn_one({"a": a, "b": b}, "yes" if a > 0 or b > 1 else "no")
    >>> model.predict_one({"a": 3, "b": 2})
    'yes'
    >>> c = model.certificate()
    >>> c.holds, abs(c.identity_gap) < 1e-9
    (True, True)
    """

    _kind = "bbm"


# --- AdaBoost.OL (Luo (2016), Algorithm 8) --------------------------------------------------------


class AdaBoostOL(Booster):
    """Online AdaBoost, which adapts to the edges of the weak learners, so they need not be known.

    Votes `h_i` have coefficients `alpha_i`, learned by gradient descent on the logistic loss, which
    also gives the weight of an example for weak learner i, by the votes before it:

        s_i = y sum_{j <= i} alpha_j h_j,        w_i = 1 / (1 + e^{s_{i-1}})
        alpha_i <- alpha_i + (4 / sqrt t) y h_i / (1 + e^{s_i}),  clipped to [-2, 2]

    Expert i predicts by the first i weak learners. The expert that predicts is drawn by Hedge,
    `v_i = e^{-mistakes of expert i}`, so that a bad weak learner at the end does no harm. With measured
    edges `gamma_i = w_i.z_i / (2 |w_i|_1)`, on every stream (Theorem 11),

        min_i mistakes of expert i <= (T ln 2 + 6 n sqrt T) / sum_i gamma_i^2
        E[mistakes] <= (min_i mistakes of expert i + ln n) / (1 - 1/e)

    (The text has 4 for 6, but gradient descent with these steps can lose more than 4 sqrt T.)

    >>> model = AdaBoostOL(n=9)
    >>> for t in range(300):
    ...     a, b = t % 7 - 3, t % 5 - 2
    ...     model.learn_one({"a": a, "b": b}, "yes" if a > 0 or b > 1 else "no")
    >>> model.predict_one({"a": 3, "b": 2})
    'yes'
    >>> model.certificate().holds
    True
    """

    edge = None  # edges are measured
    last: bool = option(
        flag,
        default=False,
        text="let the last expert always predict, without a draw (AdaBoost.OL.W)",
    )
    sampled: bool = option(
        flag,
        default=False,
        text="""give an example to weak learner i with probability `w_i` instead of with this weight
        (AdaBoost.OL.S)""",
    )
    seed: int = option(
        whole,
        0,
        2**64 - 1,
        default=0,
        text="""seed of the draw of experts and of the sampling, below 2^64. Learning changes the
        draw, predicting does not""",
    )

    _kind = "adaboost_ol"

    def _edges(self) -> list[float]:
        raise AttributeError("AdaBoostOL has no option edge; edges_ has the measured edges")

    def _voting(self, weighted: bool) -> dict[str, Any]:
        return {"seed": int(self.seed), "last": bool(self.last)}

    @property
    def _last(self) -> bool:
        return bool(self.last)


# --- OSBoost and OSBoost.OCP (Chen, Lin and Lu (2012); Luo (2016), Table 3.1) ---------------------


class OSBoost(Booster):
    """Online smooth boosting, with weights of at most 1, which limit the effect of noisy labels.

    All n weak learners vote, and the majority predicts. With `s = y sum_{j < i} h_j`,

        w_i = min(1, (1 - edge)^{(s - (i - 1) theta) / 2}),    theta = edge / (2 + edge)

    On every stream, with `k = -ln(1 - edge) / 2` and `c = (e^{k (1 + theta)} - 1) / k - (1 + theta)`,

        mistakes <= (T / k + sum_i ((theta + c) |w_i|_1 - w_i.z_i)) / (n theta + 1 / k)

    because `sum_i w_i (z_i - theta)` is, up to c w_i for each i, the integral of `min(1, e^{-k x})` from
    0 to `s_n - n theta`: at most `1 / k`, and `-n theta` or less at a mistake. As `k` and `theta` are
    near `edge / 2`, `n` of the order of `1 / (e edge^2)` makes the error rate e.

    >>> model = OSBoost(n=9)
    >>> for t in range(300):
    ...     a, b = t % 7 - 3, t % 5 - 2
    ...     model.learn_one({"a": a, "b": b}, "yes" if a > 0 or b > 1 else "no")
    >>> model.predict_one({"a": 3, "b": 2}), model.certificate().holds
    ('yes', True)
    """

    _kind = "osboost"


class OSBoostOCP(Booster):
    """OSBoost with a weighted vote, whose weights are learned by online convex programming.

    Examples have the weights of `OSBoost`. Where `y sum_i alpha_i h_i < theta`,

        alpha_i <- alpha_i + y h_i / sqrt(n t),  then projected onto the simplex

    which is gradient descent on the hinge loss `max(0, theta - y sum_i alpha_i h_i)`. At a mistake this
    is theta or more, so with the losses of even weights, `1 / n` each (Shalev-Shwartz (2012), eq.
    2.15, of gradient descent),

        mistakes <= (sum_t max(0, theta - y_t mean_i h_i) + sqrt(n T) / 2 + n sum_t step_t / 2) / theta

    with the last sum over the steps `1 / sqrt(n t)` made.

    >>> model = OSBoostOCP(n=9)
    >>> for t in range(300):
    ...     a, b = t % 7 - 3, t % 5 - 2
    ...     model.learn_one({"a": a, "b": b}, "yes" if a > 0 or b > 1 else "no")
    >>> model.predict_one({"a": 3, "b": 2}), model.certificate().holds
    ('yes', True)
    """

    _kind = "osboost_ocp"
