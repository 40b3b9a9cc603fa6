"""What all online boosters share: how votes and weak learners are made, edges, certificates."""

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from regretless import _core
from regretless._core import Want
from regretless.base import rows
from regretless.base.adapters import takes_weights
from regretless.base.arguments import Array, whole, within
from regretless.base.classifier import Classifier
from regretless.base.weights import HasWeights
from regretless.boosting.copies import VotingModel
from regretless.certificates import Certificate
from regretless.experts.adaptive import lemma_4
from regretless.linear.linear import LinearClassifier
from regretless.losses import Logistic, Loss

# --- what a run proves of the mistakes of a booster (Luo (2016), section 3.1) ---------------------

Sums = dict[str, Array]  # what a voting has measured
_EPS = float(np.finfo(float).eps)
_NOBODY = "nobody: it is the mistakes that are bounded, by the edges of the weak learners"


@dataclass(frozen=True)
class BoostingCertificate(Certificate):
    """How many mistakes a booster has made, and how many its weak learners' edges allow.

    The bounds are sums over the run of what weak learners did, so they assume nothing: neither of the
    data nor that weak learners have an edge. If they have none, the bounds are large.

    Attributes: those of `Certificate`; `mistakes` made, one of importance w counting w; `expected`,
    their number in expectation over the experts that AdaBoost.OL draws (the same if nothing is
    drawn), which is what the bounds are on; `inequalities` that the proofs go through, the smaller
    side first; `identity_gap`, of boost-by-majority, for which what is proved is an equality,

        sum_t Phi_n(s_n) + sum_i (w_i.z_i - bias |w_i|_1) = T Phi_0(0)

    by how much it is missed: nothing but rounding. Among the bounds, "trivial" is the weight of all
    examples. `holds` says whether `expected` is within the bound and all inequalities hold; mistakes are
    near `expected` if labels do not depend on what is drawn. There is no regret: nothing is compared
    with.

    With three or more labels each has a booster against the rest, and their mistakes and bounds are
    added up. With `edge=None` the bound is twice that of the best edge's booster plus the regret of
    AdaNormalHedge to it.

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
    """The certificate of a booster, of one for each label if there are several."""
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
        comparators=_NOBODY,
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
    ahead = sums["correlation"] - bias * sums["weights"]  # of what the edge would give
    start = weight * sums["start"].item()
    n = len(ahead)
    return _certificate(
        sums,
        {
            "lemma 8": start - math.fsum(ahead),
            # Hoeffding's for Phi_0(0), and what is missing to the edge for the excess loss
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
    # gradient descent on [-2, 2] with steps 4 / sqrt t and slopes up to `most`: 2 sqrt T for the way,
    # and 4 most^2 sqrt T for the steps at most, or what they were
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
        """Hedge of rate 1, losses up to `most`."""
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
    # even weights are at most 1 from any others
    regret = math.sqrt(n * rounds) / 2.0 + sums["steps"].item()
    bounds = {"even weights": (sums["hinge"].item() + regret) * (2.0 + edge) / edge}
    return _certificate(
        sums, bounds, "Chen, Lin and Lu (2012): gradient descent on the simplex (see OSBoostOCP)"
    )


def _of_edges(kind: str, sums: Sums) -> BoostingCertificate:
    """Of a majority of boosters, one for each edge: at most twice the mistakes of one drawn."""
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
    bounds["trivial"] = each[0].bounds["trivial"]
    return BoostingCertificate(
        each[0].rounds,
        None,
        bounds,
        f"{each[0].theorem}; Luo (2016), Theorem 4 for the edges",
        comparators=_NOBODY,
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
    mistakes, rounds = sums["mistakes"].item(), int(sums["rounds"].item())
    sizes = [abs(bound) for bound in bounds.values() if math.isfinite(bound)]
    sizes += [sums["weight"].item(), math.fsum(sums["weights"])]
    return BoostingCertificate(
        rounds,
        None,
        bounds | {"trivial": sums["weight"].item()},
        theorem,
        comparators=_NOBODY,
        # every sum has a number for each round and weak learner, and is at most the largest of these
        rounding=8.0 * _EPS * (rounds + len(sums["weights"]) + 2) * max(sizes),
        mistakes=mistakes,
        expected=mistakes if expected is None else expected,
        inequalities=inequalities or {},
        identity_gap=identity_gap,
    )


# --- what all online boosters share: how votes and weak learners are made, edges, -----------------

# Bounds go by n times the square of the edge that is counted on and must be there: the next of these
# below the true one does what that would do with a quarter of the weak learners, or better.
EDGES = (0.025, 0.05, 0.1, 0.2, 0.4)


class Booster(HasWeights, Classifier, in_core=False):
    """A classifier made of the votes of weak learners, which learns one example at a time.

    Its score is the log-odds of the vote, its loss the log loss of that. Two labels share one ensemble,
    three or more have one each, against the rest: the ensemble of two labels goes on as two mirrored
    ones, that of a later label begins with nothing learned.

    Copies of a `LinearClassifier` are lanes of one table, which an example goes through once. All
    other weak learners are objects, which are called one after the other. Both do the same, up to
    rounding; only the rule "coin" takes note of the scale of a feature from examples of weight 0, too,
    if it learns in lanes.
    """

    _kind: ClassVar[str]  # of the votes, as the core calls it
    certify = False  # what is certified are mistakes, not a loss
    _certifies = "itself"

    # the options that every booster has
    weak: Any
    n: int
    sampled: bool
    seed: int

    @abstractmethod
    def _voting(self, weighted: bool) -> dict[str, Any]:
        """The options of the votes, beyond n; whether weak learners get weights or samples."""

    @property
    def _prototype(self) -> Any:
        return LinearClassifier() if self.weak is None else self.weak

    @property
    def _lane(self) -> LinearClassifier | None:
        """The weak learner, if copies of it can be lanes of one table."""
        weak = self._prototype
        return weak if type(weak) is LinearClassifier and not weak.certify else None

    # what examples look like: lanes read them together, other weak learners each by itself

    @property
    def intercept(self) -> bool:  # type: ignore[override]
        """Whether lanes have a constant feature."""
        return self._lane is not None and self._lane.intercept

    @property
    def features(self) -> str:  # type: ignore[override]
        """Whether lanes have a weight for each name, or hash them."""
        return "exact" if self._lane is None else self._lane.features

    @property
    def bits(self) -> int:  # type: ignore[override]
        """Lanes that hash have `2**bits` weights."""
        return 18 if self._lane is None else self._lane.bits

    @property
    def names(self) -> int:  # type: ignore[override]
        """How many names lanes that hash remember."""
        return 0 if self._lane is None else self._lane.names

    @property
    def _is_linear(self) -> bool:
        return False

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        return Logistic(), "boost", {}

    def _made(
        self, twin: _core.Loss, rule: str, options: dict[str, Any]
    ) -> _core.Learner | VotingModel:
        whole(self.n, "n", 1, 10_000)
        whole(self.seed, "seed", 0, 2**64 - 1)
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
        form, names = self._form(), int(self.names)
        return _core.Learner(loss, rule, parts, form.bits, names, form.intercept, False)

    def _row(self, x: Any) -> Any:
        return x if isinstance(self._model, VotingModel) else super()._row(x)

    def _feed(
        self, batch: rows.Batch, labels: Any, importance: Any, want: Want = Want.nothing
    ) -> Any:
        model = self._model or self._start()
        if isinstance(model, VotingModel):
            return model.feed(batch, labels, importance, want)
        return super()._feed(batch, labels, importance, want)

    # --- what was learned ----------------------------------------------------------------------------

    @property
    def weak_(self) -> Any:
        """The weak learners, a list; with three or more labels, one by label."""
        model = self._model or self._start()
        if not isinstance(model, VotingModel):
            raise AttributeError(
                "the weak learners are lanes of one table, not objects: weights_ has the mean of their "
                "weights, edges_ what each is worth"
            )
        return self._by_label(model.weak)

    @property
    def edges_(self) -> Any:
        """How much better than chance each weak learner was: `w.z / (2 |w|_1)`.

        z is 1 where it was right and -1 where it was wrong, w what the examples weighed for it. 0 for
        one that has had no weight.
        """
        return self._by_label(
            [
                m["correlation"] / np.where(m["weights"] > 0, 2.0 * m["weights"], 1.0)
                for m in self._measured()
            ]
        )

    def _measured(self) -> list[dict[str, Array]]:
        """What the votes have measured, for each lane."""
        model: Any = self._model or self._start()
        return [model.measured(k) for k in range(model.lanes)]

    def _by_label(self, values: list[Any]) -> Any:
        if len(values) == 1:
            return values[0]
        return dict(zip(self._labels.labels, values, strict=True))

    def certificate(self) -> BoostingCertificate:  # type: ignore[override]
        """What the run so far proves of the number of mistakes: see `BoostingCertificate`."""
        return of_votings(self._kind, self._measured(), self._last)

    @property
    def _last(self) -> bool:
        """Whether the last expert predicts, of those that AdaBoost.OL has."""
        return False


class Edged(Booster):
    """A booster that is told the edge of its weak learners, or finds out which serves best."""

    edge: float | None

    def _edges(self) -> list[float]:
        if self.edge is None:
            return list(EDGES)
        hint = ": it is what weak learners are better than chance; None finds it"
        within(self.edge, "edge", "(0, 1/2)", hint)
        return [float(self.edge)]

    def _voting(self, weighted: bool) -> dict[str, Any]:
        return {"edges": self._edges(), "weighted": weighted}

    @property
    def edge_(self) -> Any:
        """The edges in use, each with its share of the vote; with three or more labels, by label."""
        shares = [m["shares"].tolist() if "shares" in m else [1.0] for m in self._measured()]
        return self._by_label([dict(zip(self._edges(), each, strict=True)) for each in shares])
