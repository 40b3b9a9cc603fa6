"""`regretless bandit`: what a policy would have brought, from the log of another one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from regretless.cli.table_files import no_column, read_table

if TYPE_CHECKING:
    from regretless.bandits.off_policy import Log, OffPolicyEstimate
    from regretless.cli.commands.bandit import Columns, Shown


class IntervalKind(StrEnum):
    """How intervals are made."""

    NORMAL = "normal"
    BERNSTEIN = "bernstein"
    CHERNOFF = "chernoff"


class LearnerName(StrEnum):
    """Bandits that learn while a log is replayed."""

    LIN_UCB = "lin-ucb"
    EPSILON_GREEDY = "epsilon-greedy"
    EXP3 = "exp3"
    TSALLIS_INF = "tsallis-inf"
    UCB1 = "ucb1"
    THOMPSON = "thompson"


_OF_ARMS = {
    LearnerName.EXP3: "Exp3",
    LearnerName.TSALLIS_INF: "TsallisINF",
    LearnerName.UCB1: "UCB1",
    LearnerName.THOMPSON: "ThompsonSampling",
}


def run(
    method: str,
    columns: Columns,
    shown: Shown,
    options: dict[str, Any],
    *,
    propensity: str | None = None,
    context: str | None = None,
    learner: LearnerName | None = None,
    seed: int = 0,
) -> None:
    """Say what the policies would have brought; `options` are those of `evaluate`."""
    from regretless.bandits.off_policy import evaluate

    logged = _read(columns, propensity, context)
    log, policies = logged.log, logged.policies()
    if learner is not None:
        log, player = _learning(learner, log, seed, options.get("reward_range") or (0.0, 1.0))
        policies = {learner.value: player}
    options |= {"confidence": shown.confidence}
    found: dict[str, OffPolicyEstimate | str] = {}
    for name, policy in policies.items():
        try:
            found[name] = evaluate(log, policy, method, **options)
        except ValueError as error:
            if len(policies) == 1:
                raise
            found[name] = str(error)
    _print(found, method, shown, log)


def _learning(
    learner: LearnerName, log: Log, seed: int, reward_range: tuple[float, float]
) -> tuple[Log, Any]:
    """The bandit, and the log as it looks at it."""
    from dataclasses import replace

    import numpy as np

    from regretless import bandits
    from regretless.bandits import EpsilonGreedyLearner, LinUCB
    from regretless.linear import LinearRegressor

    n = int(log.n or 1)
    if learner in _OF_ARMS:
        return log, getattr(bandits, _OF_ARMS[learner])(n, range=reward_range, seed=seed)
    if learner is LearnerName.EPSILON_GREEDY:
        return log, EpsilonGreedyLearner(LinearRegressor(), n, seed=seed)
    X = np.column_stack([log.contexts, np.ones(len(log))])  # which the regressor adds by itself
    return replace(log, contexts=X), LinUCB(n, X.shape[1])


# --- the log ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Logged:
    """A log, the names of its actions, and what the policy column says."""

    log: Log
    names: list[str]
    policy: Any

    def policies(self) -> dict[str, Any]:
        """The policy by its name, or every action as one."""
        if self.policy is not None:
            return {"policy": self.policy}
        return {f"always {name}": action for action, name in enumerate(self.names)}


def _read(columns: Columns, propensity: str | None, context: str | None) -> Logged:
    import numpy as np

    from regretless.bandits.off_policy import Log

    path = columns.source
    rows = read_table(path, columns.delimiter)
    chosen = columns.policy.split(",") if columns.policy else []
    actions = _texts(rows, path, columns.action)
    names = chosen if len(chosen) > 1 else sorted(set(actions), key=_order)
    policy: Any = None
    if len(chosen) == 1:
        wanted = _texts(rows, path, chosen[0])
        names = sorted({*actions, *wanted}, key=_order)
    place = {name: number for number, name in enumerate(names)}
    for row, name in enumerate(actions, 1):
        if name not in place:
            raise ValueError(
                f"{path}: row {row}: the action {name!r} is none of the columns of --policy, "
                f"{', '.join(names)}: name them like the actions"
            )
    if len(chosen) == 1:
        policy = np.array([place[name] for name in wanted])
    elif chosen:
        policy = np.column_stack([_numbers(rows, path, name) for name in chosen])
    log = Log(
        np.array([place[name] for name in actions]),
        _numbers(rows, path, columns.reward),
        None if propensity is None else _numbers(rows, path, propensity),
        None
        if context is None
        else np.column_stack([_numbers(rows, path, name) for name in context.split(",")]),
        n=len(names),
    )
    return Logged(log, names, policy)


def _order(name: str) -> tuple[bool, float, str]:
    """Numbers as numbers, before names."""
    try:
        return (False, float(name), name)
    except ValueError:
        return (True, 0.0, name)


def _column(rows: Any, path: str, name: str) -> Any:
    if rows.column_names.count(name) != 1:
        raise ValueError(f"{path}: {no_column(name, rows.column_names)}")
    column = rows.column(name)
    if column.null_count:
        row = column.is_null().to_pylist().index(True) + 1
        raise ValueError(f"{path}: row {row}: {name} is empty")
    return column


def _texts(rows: Any, path: str, name: str) -> list[str]:
    values = _column(rows, path, name).to_pylist()
    return [f"{v:g}" if isinstance(v, float) else str(v) for v in values]


def _numbers(rows: Any, path: str, name: str) -> Any:
    import numpy as np

    column = _column(rows, path, name)
    try:
        return np.array([float(value) for value in column.to_pylist()])
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {name} is not made of numbers: {error}") from None


# --- the result ------------------------------------------------------------------------------------


def _print(found: dict[str, OffPolicyEstimate | str], method: str, shown: Shown, log: Log) -> None:
    from regretless.cli.summary import print_json, short
    from regretless.cli.tables import print_table

    if shown.json:
        print_json({"method": method, "rows": len(log), "policies": _as_dict(found)})
        return
    lines = [
        (name, each, "", "", "")
        if isinstance(each, str)
        else (
            name,
            short(each.value),
            short(each.interval[0]),
            short(each.interval[1]),
            f"{each.effective_sample_size:,.0f}",
        )
        for name, each in found.items()
    ]
    print_table(("policy", "value", "from", "to", "effective\nrows"), lines)
    print(f"{len(log):,} rows, {method}, intervals of {100 * shown.confidence:g} %")
    print(f"the log itself: {short(float(log.rewards.mean()))}")
    for name, each in found.items():
        if not isinstance(each, str):
            for what, held in each.assumptions.items():
                if held is False:
                    print(f"{name}: it is not so that {what}, hence no interval")


def _as_dict(found: dict[str, OffPolicyEstimate | str]) -> dict[str, Any]:
    import math

    def finite(value: float) -> float | None:
        return value if math.isfinite(value) else None

    return {
        name: {"error": each}
        if isinstance(each, str)
        else {
            "value": each.value,
            "interval": [finite(end) for end in each.interval],
            "confidence": each.confidence,
            "effective_sample_size": each.effective_sample_size,
            "assumptions": each.assumptions,
            "holds": each.holds,
        }
        for name, each in found.items()
    }
