"""What a policy would have brought, from the log of another one (off-policy evaluation).

`Log` holds contexts, actions, rewards and propensities; `evaluate` judges a policy by it, with an
interval and what that rests on. Replay is that of Li, Chu, Langford and Wang (2011), the doubly
robust estimate that of Dudik, Langford and Li (2011).
"""

from regretless.bandits.off_policy.estimate import OffPolicyEstimate
from regretless.bandits.off_policy.evaluating import evaluate
from regretless.bandits.off_policy.log import Log
from regretless.bandits.off_policy.replaying import replay
from regretless.bandits.off_policy.weighting import doubly_robust, ips, snips

__all__ = ["Log", "OffPolicyEstimate", "doubly_robust", "evaluate", "ips", "replay", "snips"]
