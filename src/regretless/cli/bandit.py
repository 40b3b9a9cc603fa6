"""`regretless bandit`: what a policy would have brought, from the log of another one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regretless.cli.failures import told
from regretless.cli.grouping import grouped
from regretless.cli.reading_options import Delimiter

if TYPE_CHECKING:
    from regretless.bandits.off_policy import Log, OffPolicyEstimate

__all__ = ["app"]

LOG, ESTIMATE, OUTPUT = "The log", "The estimate", "Output"

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Judge a policy by the log of another one: what would it have brought?",
)


class IntervalKind(StrEnum):
    """How intervals are made."""

    NORMAL = "normal"
    BERNSTEIN = "bernstein"


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


def _confidence(value: float) -> float:
    if not 0 < value < 1:
        raise typer.BadParameter(f"{value:g} must be above 0 and below 1")
    return value


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Where things are in the table."""

    source: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help="CSV or TSV (.gz too), Parquet, Arrow or Feather, - for standard input (CSV): "
            "a row for each decision, in order.",
            show_default=False,
        ),
    ]
    action: Annotated[
        str,
        typer.Option(
            metavar="COLUMN",
            help="What was done: names, or whole numbers.",
            show_default=False,
            rich_help_panel=LOG,
        ),
    ]
    reward: Annotated[
        str,
        typer.Option(
            metavar="COLUMN", help="What it brought.", show_default=False, rich_help_panel=LOG
        ),
    ]
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="A[,B,...]",
            help="One column: what the policy would do. A column for each action, named like it: the "
            "probabilities with which it would do each. By default every action is tried as a policy.",
            show_default=False,
            rich_help_panel=LOG,
        ),
    ] = None
    delimiter: Delimiter = None


@dataclass(frozen=True, kw_only=True)
class Shown:
    """How the estimate is made and shown."""

    confidence: Annotated[
        float,
        typer.Option(help="Of the interval.", callback=_confidence, rich_help_panel=ESTIMATE),
    ] = 0.95
    json: Annotated[
        bool, typer.Option("--json", help="The result as JSON.", rich_help_panel=OUTPUT)
    ] = False
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show where an error came from.", rich_help_panel=OUTPUT),
    ] = False


Propensity = Annotated[
    str,
    typer.Option(
        metavar="COLUMN",
        help="The probability with which it was done.",
        show_default=False,
        rich_help_panel=LOG,
    ),
]
Context = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...",
        help="The columns of the context: numbers.",
        show_default=False,
        rich_help_panel=LOG,
    ),
]
Cap = Annotated[
    float | None,
    typer.Option(
        help="Cut larger weights: less noise, but some bias.",
        show_default=False,
        rich_help_panel=ESTIMATE,
    ),
]
Kind = Annotated[
    IntervalKind,
    typer.Option(
        help="normal: for many rows; bernstein: for any number, and wide.", rich_help_panel=ESTIMATE
    ),
]
Range = Annotated[
    tuple[float, float] | None,
    typer.Option(
        metavar="LOW HIGH",
        help="What rewards can be, for bernstein; by default 0 1.",
        show_default=False,
        rich_help_panel=ESTIMATE,
    ),
]


@app.command()
@grouped
def replay(
    *,
    columns: Columns,
    propensity: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="To check that all actions were equally likely, which replay rests on.",
            show_default=False,
            rich_help_panel=LOG,
        ),
    ] = None,
    learner: Annotated[
        LearnerName | None,
        typer.Option(
            help="A bandit that learns as the log is replayed, instead of a policy.",
            show_default=False,
            rich_help_panel=LOG,
        ),
    ] = None,
    context: Context = None,
    interval: Kind = IntervalKind.NORMAL,
    reward_range: Range = None,
    seed: Annotated[
        int,
        typer.Option(
            help="For a bandit that draws random numbers.", min=0, rich_help_panel=ESTIMATE
        ),
    ] = 0,
    shown: Shown,
) -> None:
    """Count the rows in which the policy does what was logged.

    That is right if actions were logged uniformly at random.
    """
    if learner and columns.policy:
        raise typer.BadParameter("--learner and --policy exclude each other")
    looks = learner in (LearnerName.LIN_UCB, LearnerName.EPSILON_GREEDY)
    if looks and not context:
        raise typer.BadParameter(f"--learner {learner} needs --context: what it decides by")
    if learner and context and not looks:
        raise typer.BadParameter(f"--context: --learner {learner} does not look at it")
    options = _interval(interval, reward_range)
    _show(
        "replay",
        columns,
        shown,
        options,
        propensity=propensity,
        context=context,
        learner=learner,
        seed=seed,
    )


@app.command()
@grouped
def ips(
    *,
    columns: Columns,
    propensity: Propensity,
    cap: Cap = None,
    interval: Kind = IntervalKind.NORMAL,
    reward_range: Range = None,
    shown: Shown,
) -> None:
    """Weigh rewards by how much likelier the policy makes them: unbiased, but noisy."""
    _show(
        "ips",
        columns,
        shown,
        _interval(interval, reward_range) | {"cap": cap},
        propensity=propensity,
    )


@app.command()
@grouped
def snips(*, columns: Columns, propensity: Propensity, cap: Cap = None, shown: Shown) -> None:
    """The same, divided by the sum of the weights: the one to begin with."""
    _show("snips", columns, shown, {"cap": cap}, propensity=propensity)


@app.command()
@grouped
def dr(
    *,
    columns: Columns,
    propensity: Propensity,
    context: Context = None,
    cap: Cap = None,
    interval: Kind = IntervalKind.NORMAL,
    reward_range: Range = None,
    shown: Shown,
) -> None:
    """Doubly robust: a ridge regression on the context for each action, corrected by the log."""
    options = _interval(interval, reward_range) | {"cap": cap}
    _show("dr", columns, shown, options, propensity=propensity, context=context)


def _interval(kind: IntervalKind, reward_range: tuple[float, float] | None) -> dict[str, Any]:
    if reward_range is None and kind is IntervalKind.BERNSTEIN:
        reward_range = (0.0, 1.0)
    return {"interval": kind.value, "reward_range": reward_range}


# --- the log ---------------------------------------------------------------------------------------


def _show(
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
    with told(shown.debug):
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
    from regretless.cli.experts import read_table

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
    if name not in rows.column_names:
        there = ", ".join(rows.column_names)
        raise ValueError(f"{path}: there is no column {name!r}; there are {there}")
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
                    print(f"{name}: it is not so that {what}")


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
