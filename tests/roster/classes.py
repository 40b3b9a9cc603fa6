"""Learners of finite classes: `classes`."""

from regretless.classes import SOA, AgnosticLearner, FiniteClass, LdimExperts
from roster.kinds import Entry, Labels
from roster.proofs import by_regret

__all__ = ["CLASSES"]

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
