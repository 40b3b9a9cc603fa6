"""`regretless bandit`: its commands, one for each estimate, and their options."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import typer

from regretless.cli.bandit import IntervalKind, LearnerName
from regretless.cli.failures import told
from regretless.cli.grouping import grouped
from regretless.cli.options import Debug, Delimiter, Json, between

log_option = partial(typer.Option, rich_help_panel="The log")
estimate_option = partial(typer.Option, rich_help_panel="The estimate")

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Judge a policy by the log of another one: what would it have brought?",
)


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
        log_option(metavar="COLUMN", help="What was done: names, or whole numbers."),
    ]
    reward: Annotated[
        str,
        log_option(metavar="COLUMN", help="What it brought."),
    ]
    policy: Annotated[
        str | None,
        log_option(
            metavar="A[,B,...]",
            help="One column: what the policy would do. A column for each action, named like it: the "
            "probabilities with which it would do each. By default every action is tried as a policy.",
        ),
    ] = None
    delimiter: Delimiter = None


@dataclass(frozen=True, kw_only=True)
class Shown:
    """How the estimate is made and shown."""

    confidence: Annotated[
        float,
        estimate_option(help="Of the interval.", callback=between(0, 1)),
    ] = 0.95
    json: Json = False
    debug: Debug = False


Propensity = Annotated[
    str,
    log_option(metavar="COLUMN", help="The probability with which it was done."),
]
Context = Annotated[
    str | None,
    log_option(metavar="A,B,...", help="The columns of the context: numbers."),
]
Cap = Annotated[
    float | None,
    estimate_option(help="Cut larger weights: less noise, but some bias."),
]
Kind = Annotated[
    IntervalKind,
    estimate_option(
        help="normal: approximate, for many rows. For any number, and wider: bernstein, short if "
        "rewards vary little; chernoff, short if they are rare."
    ),
]
Range = Annotated[
    tuple[float, float] | None,
    estimate_option(
        metavar="LOW HIGH", help="What rewards can be, for bernstein and chernoff; by default 0 1."
    ),
]
Largest = Annotated[
    float | None,
    estimate_option(
        help="How large a weight, the policy's probability over the logged one, can be: bernstein and "
        "chernoff need it. N, if N actions were logged uniformly at random."
    ),
]


@app.command()
@grouped
def replay(
    *,
    columns: Columns,
    propensity: Annotated[
        str | None,
        log_option(
            metavar="COLUMN",
            help="To check that all actions were equally likely, which replay rests on.",
        ),
    ] = None,
    learner: Annotated[
        LearnerName | None,
        log_option(help="A bandit that learns as the log is replayed, instead of a policy."),
    ] = None,
    context: Context = None,
    interval: Kind = IntervalKind.NORMAL,
    reward_range: Range = None,
    seed: Annotated[
        int,
        estimate_option(help="For a bandit that draws random numbers.", min=0),
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
    largest_weight: Largest = None,
    shown: Shown,
) -> None:
    """Weigh rewards by how much likelier the policy makes them: unbiased, but noisy."""
    _show(
        "ips",
        columns,
        shown,
        _interval(interval, reward_range) | {"cap": cap, "largest_weight": largest_weight},
        propensity=propensity,
    )


@app.command()
@grouped
def snips(
    *,
    columns: Columns,
    propensity: Propensity,
    cap: Cap = None,
    interval: Kind = IntervalKind.NORMAL,
    reward_range: Range = None,
    largest_weight: Largest = None,
    shown: Shown,
) -> None:
    """The same, divided by the sum of the weights: the one to begin with."""
    options = _interval(interval, reward_range) | {"cap": cap, "largest_weight": largest_weight}
    _show("snips", columns, shown, options, propensity=propensity)


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
    largest_weight: Largest = None,
    shown: Shown,
) -> None:
    """Doubly robust: a ridge regression on the context for each action, corrected by the log."""
    options = _interval(interval, reward_range) | {"cap": cap, "largest_weight": largest_weight}
    _show("dr", columns, shown, options, propensity=propensity, context=context)


def _interval(kind: IntervalKind, reward_range: tuple[float, float] | None) -> dict[str, Any]:
    if reward_range is None and kind is not IntervalKind.NORMAL:
        reward_range = (0.0, 1.0)
    return {"interval": kind.value, "reward_range": reward_range}


def _show(
    method: str, columns: Columns, shown: Shown, options: dict[str, Any], **more: Any
) -> None:
    with told(shown.debug):
        from regretless.cli.bandit import run

        run(method, columns, shown, options, **more)
