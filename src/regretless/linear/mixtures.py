"""What is certified of lanes that are mixed into one score."""

import math
import sys
from typing import Any

from regretless.certificates import Certificate

__all__ = ["regret_to_lanes"]

_EPS = sys.float_info.epsilon


def regret_to_lanes(
    mixings: list[dict[str, Any]],
    examples: int,
    paid: float | None = None,
    *,
    assumptions: dict[str, bool | None] | None = None,
    known: bool = True,
) -> Certificate:
    """The regret to the best lane, and the bound on it; those of several labels add up.

    `paid`, `-ln` of the weight that the mixture gives to what it is compared with (None: the logarithm
    of their number); `known`, whether that is a single lane, whose regret is measured.
    """
    regret = math.fsum(m["loss"] - m["losses"].min() for m in mixings) if known else None
    sizes = math.fsum(m["loss"] + float(m["losses"].min()) for m in mixings)
    rounding = 4.0 * _EPS * (examples + 2) * sizes
    if "spread" in mixings[0]:
        bound = math.fsum(_hedged(m) for m in mixings)
        theorem = "Luo (2016), Theorem 4, of AdaNormalHedge over the lanes"
    else:
        cost = math.log(len(mixings[0]["losses"])) if paid is None else paid
        bound = math.fsum(m["rate"] * cost + m["excess"] for m in mixings)
        theorem = "Cesa-Bianchi and Lugosi (2006), section 3.3: weights of exp-concave losses"
    return Certificate(
        examples,
        regret,
        {"lanes": bound},
        theorem,
        assumptions or {},
        "the best lane" if known else "every sequence of lanes with so many shifts",
        rounding=rounding,
    )


def _hedged(mixing: dict[str, Any]) -> float:
    """The bound of AdaNormalHedge to the best lane, in units that grew: `AdaNormalHedge.rescale`."""
    from regretless.experts.adaptive import lemma_4

    best = int(mixing["losses"].argmin())
    n = len(mixing["losses"])
    potential = lemma_4(mixing["spread"], 1.0 / n, mixing["periods"], mixing["shrunk"])
    spread = float(mixing["spread"][best])
    return float(mixing["rate"]) * math.sqrt(3.0 * spread * math.log(n * potential))
