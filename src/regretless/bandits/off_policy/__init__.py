"""What a policy would have brought, from the log of another one (off-policy evaluation).

`Log` holds contexts, actions, rewards and propensities; `evaluate` judges a policy by it, with an
interval and what that rests on. Replay is that of Li, Chu, Langford and Wang (2011), the doubly
robust estimate that of Dudik, Langford and Li (2011).
"""

from regretless.bandits.off_policy.estimate import (
    OffPolicyEstimate,
    doubly_robust,
    evaluate,
    ips,
    replay,
    snips,
)
from regretless.bandits.off_policy.log import Log

__all__ = ["Log", "OffPolicyEstimate", "doubly_robust", "evaluate", "ips", "replay", "snips"]
