"""Learners of finite classes: `classes`."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless.checks.kinds import Calls, Kind
from regretless.classes import SOA, AgnosticLearner, FiniteClass, LdimExperts
from roster.kinds import NAN, Entry
from roster.proofs import by_regret

__all__ = ["CLASSES"]


# --- kinds ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Labels(Kind):
    """Learners of a finite class: points of it, and labels of one of its hypotheses."""

    noisy: bool = True  # whether some labels are those of nobody
    runs: bool = True
    points: int = 9

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        rng = np.random.default_rng(seed)
        xs = rng.integers(self.points, size=count).tolist()
        flips = (rng.random(count) < 0.2) & self.noisy
        return [(x, int(x >= 4) ^ int(flip)) for x, flip in zip(xs, flips)]

    def ask(self, player: Any, round: Any) -> Any:
        methods = ("predict_one", "predict_proba_one", "probability")
        return [getattr(player, m)(round[0]) for m in methods if hasattr(player, m)]

    def feed(self, player: Any, round: Any) -> Any:
        return (player.learn_one if self.runs else player.update)(*round)

    def many(self, player: Any, rounds: list[Any]) -> Any:
        return player.run([x for x, _ in rounds], [y for _, y in rounds])

    def bad(self, rounds: list[Any]) -> Calls:
        feed, (x, y) = self.feed, rounds[-1]
        calls: Calls = {
            "x is not of the class": (lambda p: feed(p, ("nowhere", y)), "x='nowhere'"),
            "x asked is not of the class": (lambda p: self.ask(p, ("nowhere", y)), "x='nowhere'"),
            **{
                f"y={wrong!r}": (lambda p, y=wrong: feed(p, (x, y)), "y=")
                for wrong in (2, 0.5, NAN, None, "1")
            },
        }
        if self.runs:
            xs = [x for x, _ in rounds]
            calls |= {
                "ys ends in 2": (lambda p: p.run(xs, [*(y for _, y in rounds[:-1]), 2]), "y"),
                "ys is short": (lambda p: p.run(xs, [0]), "xs|ys"),
            }
        return calls

    def measured(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        if not self.noisy:  # mistakes; nobody makes fewer than 0
            return sum(said[0] != y for said, (_, y) in zip(asked, rounds))
        lost = math.fsum(said[1][1 - y] for said, (_, y) in zip(asked, rounds))
        best = min(sum((x >= k) != y for x, y in rounds) for k in range(self.points + 1))
        return lost - best


# --- the lines --------------------------------------------------------------------------------------

H = FiniteClass.thresholds(9)
# what was found out about points that were asked for, and what was drawn for some rounds at once
KNOWN = ("_known", "_block", "_rows")

CLASSES = [
    Entry(
        "SOA",
        lambda _: SOA(H),
        Labels(noisy=False),
        "soa::predicts_as_the_oracle_and_is_optimal",
        "soa::the_tree_forces_as_many_mistakes_as_it_is_deep",
        by_regret(),
        caches=KNOWN,
        without={"extremes": "labels are 0 or 1"},
    ),
    *(
        Entry(
            f"AgnosticLearner {experts}",
            lambda seed, experts=experts: AgnosticLearner(H, experts=experts, seed=seed),
            Labels(),
            "agnostic::merged_experts_are_all_experts",
            "agnostic::is_weighted_majority",
            by_regret(),
            draws=True,
            caches=KNOWN,
            without={"extremes": "labels are 0 or 1"},
        )
        for experts in ("ldim", "hypotheses")
    ),
    Entry(
        "LdimExperts",
        lambda _: LdimExperts(H, horizon=80, rate=0.4),
        Labels(runs=False),
        "agnostic::merged_experts_are_all_experts",
        "agnostic::every_hypothesis_is_an_expert",
        caches=KNOWN,
        without={
            "clone": "has none: the part of AgnosticLearner, which has",
            "file": "has none: the part of AgnosticLearner, which has",
            "bound": "has no certificate: AgnosticLearner has",
            "batch": "has no run: AgnosticLearner has",
            "extremes": "labels are 0 or 1",
        },
    ),
]
