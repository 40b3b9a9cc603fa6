"""`regretless bandit`: the value of a policy, estimated from the log of another one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from regretless.cli.declare import Group, Options, argument, command, option
from regretless.cli.options import Delimiter, Json, names
from regretless.cli.output import finite, print_json, print_table, short
from regretless.cli.tables import TABLE, no_column, read_table

if TYPE_CHECKING:
    from regretless.bandits.off_policy import Log, OffPolicyEstimate


log_option = partial(option, panel="The log")
estimate_option = partial(option, panel="The estimate")


# bandits that learn while a log is replayed; the first two look at the context
_LEARNERS = {
    "lin-ucb": "LinUCB",
    "epsilon-greedy": "EpsilonGreedyLearner",
    "exp3": "Exp3",
    "tsallis-inf": "TsallisINF",
    "ucb1": "UCB1",
    "thompson": "ThompsonSampling",
}
_CONTEXTUAL = ("lin-ucb", "epsilon-greedy")


class LogColumns(Delimiter):
    """The table that is read."""

    table: str = argument("TABLE", help=f"{TABLE}; one row for each decision, in order.")
    action: str = log_option(
        "--action",
        metavar="COLUMN",
        required=True,
        help="Column of the actions that were taken: names, or whole numbers.",
    )
    reward: str = log_option(
        "--reward", metavar="COLUMN", required=True, help="Column of the rewards."
    )
    policy: tuple[str, ...] = log_option(
        "--policy",
        metavar="A[,B,...]",
        default=(),
        parse=names,
        help="One column: the action that the policy would take. Or one column for each action, named "
        "like it: the probability that the policy would take it. By default every action is a policy.",
    )


class Propensity(Options):
    """For estimates that weigh rewards."""

    propensity: str = log_option(
        "--propensity",
        metavar="COLUMN",
        required=True,
        help="Column of the probability with which the action was taken.",
    )


class Context(Options):
    """For estimates that look at the context."""

    context: tuple[str, ...] = log_option(
        "--context",
        metavar="A,B,...",
        default=(),
        parse=names,
        help="Columns of the context, which are numbers.",
    )


class Replayed(Context):
    """The options of `replay` alone."""

    propensity: str | None = log_option(
        "--propensity",
        metavar="COLUMN",
        help="Column of the probability with which the action was taken, to check that all actions "
        "were equally likely: replay relies on it.",
    )
    learner: str | None = log_option(
        "--learner",
        choices=_LEARNERS,
        help="Bandit that learns while the log is replayed, instead of a policy.",
    )
    seed: int = estimate_option(
        "--seed",
        default=0,
        like="bandits:Exp3.seed",
        help="Seed of bandits that draw at random: {text}.",
    )

    def __post_init__(self) -> None:
        """Check options that belong together."""
        looks = self.learner in _CONTEXTUAL
        if looks and not self.context:
            raise ValueError(f"--learner {self.learner} needs --context: it decides by the context")
        if self.learner and self.context and not looks:
            raise ValueError(f"--context: --learner {self.learner} does not look at it")


class Estimate(Json):
    """How the estimate is made and shown."""

    confidence: float = estimate_option(
        "--confidence",
        default=0.95,
        check=("within", "(0, 1)"),
        help="Probability that the interval holds the value.",
    )
    interval: str = estimate_option(
        "--interval",
        default="normal",
        choices="bandits.off_policy:KINDS",
        help="Kind of the interval. normal is approximate, for many rows. The others hold for any "
        "number of rows and are wider: bernstein is short if rewards vary little, chernoff if they are "
        "rare.",
    )
    reward_range: tuple[float, float] | None = estimate_option(
        "--reward-range",
        metavar="LOW HIGH",
        nargs=2,
        help="Smallest and largest possible reward, for bernstein and chernoff; by default 0 1.",
    )

    def options(self) -> dict[str, Any]:
        """Those of `evaluate`."""
        reward_range = self.reward_range
        if reward_range is None and self.interval != "normal":
            reward_range = (0.0, 1.0)
        return {
            "interval": self.interval,
            "reward_range": reward_range,
            "confidence": self.confidence,
        }


class WeightedEstimate(Estimate):
    """The same for estimates that weigh rewards."""

    cap: float | None = estimate_option(
        "--cap", help="Cut larger weights to this size: less noise, but some bias."
    )
    largest_weight: float | None = estimate_option(
        "--largest-weight",
        help="Largest possible weight, that is, the probability of the policy over the logged one; "
        "needed for bernstein and chernoff. It is N if N actions were logged uniformly at random.",
    )

    def options(self) -> dict[str, Any]:
        """Those of `evaluate`."""
        return super().options() | {"cap": self.cap, "largest_weight": self.largest_weight}


def _examples(method: str, *options: str) -> tuple[str, ...]:
    start = f"regretless bandit {method} log.csv --action shown --reward clicked"
    return tuple(f"{start} \\\n{each}" for each in options)


@command(
    examples=_examples(
        "replay", "--policy wanted", "--learner lin-ucb --context age,income", "--learner ucb1"
    )
)
def replay(columns: LogColumns, replayed: Replayed, estimate: Estimate) -> None:
    """Use only the rows in which the policy takes the logged action.

    The estimate is right if actions were logged uniformly at random.
    """
    if replayed.learner and columns.policy:
        import click

        raise click.UsageError("--learner and --policy exclude each other; choose one of them")
    logged = _read(columns, replayed.propensity, replayed.context)
    log, policies, options = logged.log, logged.policies(), estimate.options()
    if replayed.learner is not None:
        reward_range = options["reward_range"] or (0.0, 1.0)
        log, player = _learning(replayed.learner, log, replayed.seed, reward_range)
        policies = {replayed.learner: player}
    _show("replay", log, policies, estimate)


@command(examples=_examples("ips", "--propensity p", "--propensity p --policy wanted --cap 20"))
def ips(columns: LogColumns, propensity: Propensity, estimate: WeightedEstimate) -> None:
    """Weigh rewards by inverse propensity: unbiased, but noisy.

    Each reward is weighed by how much likelier the policy makes its action than
    the log did.
    """
    logged = _read(columns, propensity.propensity)
    _show("ips", logged.log, logged.policies(), estimate)


@command(examples=_examples("snips", "--propensity p", "--propensity p --policy wanted"))
def snips(columns: LogColumns, propensity: Propensity, estimate: WeightedEstimate) -> None:
    """Weigh rewards as ips does, over the sum of the weights: a good first choice."""
    logged = _read(columns, propensity.propensity)
    _show("snips", logged.log, logged.policies(), estimate)


@command(
    examples=_examples(
        "dr",
        "--propensity p --context age,income",
        "--propensity p --interval bernstein --largest-weight 3",
    )
)
def dr(
    columns: LogColumns, propensity: Propensity, context: Context, estimate: WeightedEstimate
) -> None:
    """Doubly robust: a regression for each action, corrected by the log.

    The regression is a ridge regression of the rewards on the context.
    """
    logged = _read(columns, propensity.propensity, context.context)
    _show("dr", logged.log, logged.policies(), estimate)


bandit = Group(
    "bandit",
    help="""Estimate the value of a policy from the log of another policy.

    The log is a table with a row for each decision: the action that was taken, its
    reward, and the probability with which it was taken.
    """,
    commands={
        str(each.name): (__name__, str(each.help).partition("\n")[0])
        for each in (snips, ips, dr, replay)
    },
)


def _show(method: str, log: Log, policies: dict[str, Any], estimate: Estimate) -> None:
    """Print the value of each policy."""
    from regretless.bandits.off_policy import evaluate

    found: dict[str, OffPolicyEstimate | str] = {}
    for name, policy in policies.items():
        try:
            found[name] = evaluate(log, policy, method, **estimate.options())
        except ValueError as error:
            if len(policies) == 1:
                raise
            found[name] = str(error)
    _print(found, method, estimate, log)


def _learning(
    learner: str, log: Log, seed: int, reward_range: tuple[float, float]
) -> tuple[Log, Any]:
    """The bandit, and the log as it looks at it."""
    from dataclasses import replace

    import numpy as np

    from regretless import bandits
    from regretless.linear import LinearRegressor

    n, kind = int(log.n or 1), getattr(bandits, _LEARNERS[learner])
    if learner not in _CONTEXTUAL:
        return log, kind(n, range=reward_range, seed=seed)
    if learner == "epsilon-greedy":
        return log, kind(LinearRegressor(), n, seed=seed)
    X = np.column_stack([log.contexts, np.ones(len(log))])  # which the regressor adds by itself
    return replace(log, contexts=X), kind(n, X.shape[1])


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


def _read(columns: LogColumns, propensity: str | None, context: tuple[str, ...] = ()) -> Logged:
    import numpy as np

    from regretless.bandits.off_policy import Log

    path = columns.table
    rows = read_table(path, columns.delimiter)
    chosen = columns.policy
    actions = _texts(rows, path, columns.action)
    known = list(chosen) if len(chosen) > 1 else sorted(set(actions), key=_order)
    policy: Any = None
    if len(chosen) == 1:
        wanted = _texts(rows, path, chosen[0])
        known = sorted({*actions, *wanted}, key=_order)
    place = {name: number for number, name in enumerate(known)}
    for row, name in enumerate(actions, 1):
        if name not in place:
            raise ValueError(
                f"{path}: row {row}: the action {name!r} is none of the columns of --policy, "
                f"{', '.join(known)}: name them like the actions"
            )
    if len(chosen) == 1:
        policy = np.array([place[name] for name in wanted])
    elif chosen:
        policy = np.column_stack([_numbers(rows, path, name) for name in chosen])
    log = Log(
        np.array([place[name] for name in actions]),
        _numbers(rows, path, columns.reward),
        None if propensity is None else _numbers(rows, path, propensity),
        np.column_stack([_numbers(rows, path, name) for name in context]) if context else None,
        n=len(known),
    )
    return Logged(log, known, policy)


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


def _print(
    found: dict[str, OffPolicyEstimate | str], method: str, estimate: Estimate, log: Log
) -> None:
    if estimate.json:
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
    print(f"{len(log):,} rows, {method}, intervals of {100 * estimate.confidence:g} %")
    print(f"the log itself: {short(float(log.rewards.mean()))}")
    for name, each in found.items():
        if not isinstance(each, str):
            for what, held in each.assumptions.items():
                if held is False:
                    print(f"{name}: it is not so that {what}, hence no interval")


def _as_dict(found: dict[str, OffPolicyEstimate | str]) -> dict[str, Any]:
    return {
        name: {"error": each}
        if isinstance(each, str)
        else {
            "value": each.value,
            "interval": finite(each.interval),
            "confidence": each.confidence,
            "effective_sample_size": each.effective_sample_size,
            "assumptions": each.assumptions,
            "holds": each.holds,
        }
        for name, each in found.items()
    }
