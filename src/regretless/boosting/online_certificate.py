"""Bounds on the mistakes of an online booster, by the measured edges (Luo (2016), section 3.1)."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from regretless.base.arguments import Array
from regretless.certificates import Certificate
from regretless.experts.adaptive import lemma_4

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
