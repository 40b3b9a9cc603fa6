"""`regretless experts`: a table of forecasts, combined row by row."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from regretless.cli.declare import Options, argument, command
from regretless.cli.options import (
    Delimiter,
    Output,
    learning_option,
    names,
    output_option,
    path_option,
    picture_option,
    reading_option,
    refuse_overwriting,
)
from regretless.cli.output import finite, print_json, print_table, short
from regretless.cli.tables import TABLE, no_column, read_table

if TYPE_CHECKING:
    from regretless.base.arguments import Array
    from regretless.experts import MixtureRun
    from regretless.experts.oracles import Oracle


_NUMBER = r"^\s*[-+]?((\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|(?i:nan|inf|infinity))\s*$"


# the players that need no settings
ALGORITHMS = {
    "ada-normal-hedge": "AdaNormalHedge",
    "boa": "BOA",
    "ml-poly": "MLPoly",
    "ml-prod": "AdaptMLProd",
    "hedge": "Hedge",
    "squint": "Squint",
    "tv": "AdaNormalHedgeTV",
}
# what can be drawn of a mixture, and by which method of a run
_PICTURES = {"weights": "plot_weights", "residuals": "plot_residuals", "oracles": "plot_oracles"}


def _different(text: str) -> tuple[str, ...]:
    chosen = text.split(",")
    if len(set(chosen)) < len(chosen):
        raise ValueError(f"{text!r} names an expert twice")
    return names(text)


class Forecasts(Delimiter):
    """The table that is read."""

    table: str = argument("TABLE", help=f"{TABLE}; one row for each round, in order.")
    target: str = reading_option(
        "--target",
        metavar="COLUMN",
        required=True,
        help="Column of the observed values; empty where the value is not known.",
    )
    experts: tuple[str, ...] = reading_option(
        "--experts",
        metavar="A,B,...",
        default=(),
        parse=_different,
        help="Columns of the forecasts, empty where an expert has none; by default all other columns "
        "of numbers.",
    )

    def __post_init__(self) -> None:
        """Check options that belong together."""
        if self.target in self.experts:
            raise ValueError(f"{self.target!r} is the target: it cannot be an expert too")


class MixingOptions(Options):
    """How forecasts are combined."""

    algorithm: str = learning_option(
        "--algorithm",
        default="ada-normal-hedge",
        choices=ALGORITHMS,
        help="Algorithm that updates the weights of the experts.",
    )
    loss: str = learning_option(
        "--loss", default="squared", like="experts:Mixture.loss", help="Loss of a forecast."
    )
    tau: float | None = learning_option(
        "--tau", like="experts:Mixture.tau", help="Quantile that --loss quantile predicts."
    )
    gradient: bool = learning_option(
        "--gradient/--no-gradient",
        default=True,
        help="Compete with every fixed mixture of the experts, or only with each expert.",
    )
    delay: int = learning_option(
        "--delay",
        default=0,
        check=("whole", 0),
        help="Number of further rows that are forecast before a target is known.",
    )

    def __post_init__(self) -> None:
        """Check options that belong together."""
        if self.tau is not None and self.loss != "quantile":
            raise ValueError(f"--tau is for --loss quantile, not for {self.loss}")


class ExpertsOutput(Output):
    """What is written and shown."""

    forecasts: str | None = path_option(
        "--forecasts", help="Write the forecast and the target of each row to this CSV file."
    )
    weights: str | None = path_option(
        "--weights", help="Write the weights of each row to this CSV file."
    )
    plot: str | None = picture_option("--plot", help="Draw a picture to this file, .png or .svg.")
    plot_kind: str = output_option(
        "--plot-kind", default="weights", choices=_PICTURES, help="What --plot draws."
    )


@command(
    examples=(
        "regretless experts load.csv --target load",
        "regretless experts load.csv --target load --experts gam,gbm --plot mix.png",
        "regretless experts load.parquet --target load --loss quantile --tau 0.9",
        "regretless experts rain.tsv.gz --target rained --loss log --json",
    )
)
def experts(forecasts: Forecasts, mixing: MixingOptions, output: ExpertsOutput) -> None:
    """Combine the forecasts of several experts.

    Every row is forecast with weights that were learned from the rows before it,
    so the loss that is shown is the loss on fresh data. The oracles below the
    experts are what could have been achieved in hindsight.
    """
    from time import perf_counter

    from regretless import experts as players

    path = forecasts.table
    refuse_overwriting([path], forecasts=output.forecasts, weights=output.weights)
    table = read_table(path, forecasts.delimiter)
    columns, X, y = _columns(table, path, forecasts.target, forecasts.experts)
    _check(X, y, mixing.loss, path)
    mixture = players.Mixture(
        getattr(players, ALGORITHMS[mixing.algorithm]),
        gradient=mixing.gradient,
        names=columns,
        **mixing.for_class("experts"),
    )
    start = perf_counter()
    mixed = mixture.run(X, y, delay=mixing.delay)
    report = ExpertsReport(mixed, mixing, perf_counter() - start)
    if report.missing and not output.quiet:
        print(
            f"the target is missing in {report.missing:,} of {len(y):,} rows: they are forecast, "
            "but nothing is learned from them",
            file=sys.stderr,
        )
    report.show(output)
    _write(mixed, output)


# --- the table -------------------------------------------------------------------------------------


def _columns(
    table: Any, path: str, target: str, experts: tuple[str, ...]
) -> tuple[list[str], Array, Array]:
    """The names of the experts, their forecasts, a column for each, and the targets."""
    import numpy as np

    there = table.column_names
    chosen = experts or [
        name for name, column in zip(there, table.columns) if name != target and _is_numeric(column)
    ]
    for name in (target, *chosen):
        if there.count(name) != 1:
            raise ValueError(f"{path}: {no_column(name, there)}")
    if not chosen:
        raise ValueError(f"{path}: no column but the target {target!r} holds numbers")
    y = _numbers(table.column(target), target, path, booleans=True)
    if np.isnan(y).all():
        raise ValueError(f"{path}: the target {target!r} is missing in all rows")
    X = np.column_stack([_numbers(table.column(name), name, path) for name in chosen])
    return list(chosen), X, y


def _is_numeric(column: Any) -> bool:
    """Whether it holds numbers, or text of which some is a number: the rest may be a mistake."""
    import pyarrow as pa
    from pyarrow import compute

    kind = column.type
    if _is_text(kind):
        return bool(compute.any(compute.match_substring_regex(column, _NUMBER)).as_py())
    return any(
        is_(kind) for is_ in (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    )


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _numbers(column: Any, name: str, path: str, *, booleans: bool = False) -> Array:
    """A column as numbers, NaN where they are missing; dates and such are none, whatever Arrow says."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import compute

    if _is_text(column.type):
        wrong = compute.invert(compute.match_substring_regex(column, _NUMBER))
        row = compute.index(wrong, True).as_py()
        if row >= 0:
            raise ValueError(
                f"{path}: {column[row].as_py()!r} in the column {name!r}, row {row + 1}, is not a "
                "number; mend it, or name other columns with --experts and --target"
            )
        column = compute.utf8_trim_whitespace(column)
    elif not (
        _is_numeric(column)
        or pa.types.is_null(column.type)
        or (booleans and pa.types.is_boolean(column.type))
    ):
        raise ValueError(
            f"{path}: the column {name!r} holds {column.type}, not numbers; name other columns with "
            "--experts and --target"
        )
    numbers = compute.cast(column, pa.float64(), safe=False)
    return np.asarray(numbers.to_numpy(), np.float64)


def _check(X: Array, y: Array, loss: str, path: str) -> None:
    """What `Mixture` would refuse, with the row of the file."""
    import numpy as np

    asleep, none = np.isnan(X), np.zeros(len(y), bool)
    inside = (asleep | ((X > 0) & (X < 1))).all(axis=1) & ~((y < 0) | (y > 1))
    wrong = {
        "all experts are asleep, and somebody must be awake": asleep.all(axis=1),
        "a number is infinite; leave it empty if there is none": np.isinf(X).any(axis=1)
        | np.isinf(y),
        "the target is 0, which --loss percentage divides by": (
            y == 0 if loss == "percentage" else none
        ),
        "--loss log needs forecasts above 0 and below 1 and targets in [0, 1]": (
            ~inside if loss == "log" else none
        ),
    }
    for why, rows in wrong.items():
        if rows.any():
            raise ValueError(f"{path}: row {int(np.argmax(rows)) + 1}: {why}")


# --- the result ------------------------------------------------------------------------------------


def _write(mixed: MixtureRun, output: ExpertsOutput) -> None:
    import pyarrow as pa
    from pyarrow import csv

    if output.forecasts:
        targets = pa.array(mixed.y, from_pandas=True)  # NaN is an empty field
        csv.write_csv(
            pa.table([mixed.forecasts, targets], ["forecast", "target"]), output.forecasts
        )
    if output.weights:
        csv.write_csv(pa.table(list(mixed.weights.T.copy()), mixed.names), output.weights)
    if output.plot:
        from regretless.plots.curves import save

        save(getattr(mixed, _PICTURES[output.plot_kind])().figure, output.plot)


@dataclass(frozen=True)
class ExpertsReport:
    """The figures of a mixture."""

    mixed: MixtureRun
    mixing: MixingOptions
    seconds: float

    @property
    def missing(self) -> int:
        """Rounds without a target."""
        import numpy as np

        return int(np.isnan(self.mixed.y).sum())

    def experts(self) -> dict[str, tuple[float, float]]:
        """Mean loss and root mean square error of each while it was awake; NaN if it never was."""
        import numpy as np

        X, y = self.mixed.experts, self.mixed.y[:, None]
        known = ~np.isnan(X) & ~np.isnan(y)
        count = known.sum(axis=0)

        def means(values: Any) -> Array:
            sums = np.where(known, values, 0.0).sum(axis=0)
            return np.where(count, sums / np.maximum(count, 1), np.nan)

        losses = means(self.mixed.after._kind.value(X, y))
        errors = np.sqrt(means((X - y) ** 2))
        return dict(zip(self.mixed.names, zip(losses.tolist(), errors.tolist())))

    def oracles(self) -> list[Oracle]:
        """Those that there are."""
        try:
            return self.mixed.oracles()
        except RuntimeError as error:  # a minimum was not found to its precision
            print(f"no oracles: {error}", file=sys.stderr)
            return []

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON; what is not finite is None."""
        mixed, certificate = self.mixed, self.mixed.after.certificate()
        values = {
            "rounds": len(mixed.y),
            "missing_targets": self.missing,
            "algorithm": self.mixing.algorithm,
            "loss_name": self.mixing.loss,
            "loss": mixed.loss,
            "mean_loss": mixed.mean_loss,
            "rmse": mixed.rmse,
            "seconds": self.seconds,
            "experts": {k: {"mean_loss": a, "rmse": b} for k, (a, b) in self.experts().items()},
            "weights": dict(zip(mixed.names, mixed.after.weights.tolist())),
            "oracles": {oracle.name: oracle.mean_loss for oracle in self.oracles()},
            "certificate": {
                "comparators": certificate.comparators,
                "regret": certificate.regret,
                "bound": certificate.bound,
                "theorem": certificate.theorem,
                "holds": certificate.holds,
            },
        }
        found: dict[str, Any] = finite(values)
        return found

    def certified(self) -> str:
        """Regret and bound in words."""
        import numpy as np

        certificate = self.mixed.after.certificate()
        sleepers = bool(np.isnan(self.mixed.experts).any())
        whom = "fixed mixture" if self.mixing.gradient and not sleepers else "expert"
        regret = (
            f"regret to the best {whom}{' while awake' * sleepers}: {short(certificate.regret)}"
        )
        if self.mixing.gradient:
            regret += " in linearised losses"
        failed = [what for what, held in certificate.assumptions.items() if held is False]
        if failed:
            return f"{regret}; nothing is certified, as it is not so that {failed[0]}"
        if not math.isfinite(certificate.bound):
            return f"{regret}; {self.mixing.algorithm} certifies no bound here"
        return f"{regret}, certified at most {short(certificate.bound)} ({certificate.theorem})"

    def show(self, output: ExpertsOutput) -> None:
        """Print it in the form that was asked for."""
        if output.json:
            print_json(self.as_dict())
            return
        mixed = self.mixed
        if output.quiet:
            means = f"mean loss {short(mixed.mean_loss)}, rmse {short(mixed.rmse)}, "
            line = f"{len(mixed.y):,} rounds, {means}"
            print(line + self.certified())
            return
        last = mixed.after.weights.tolist()
        rows = [("mixture", short(mixed.mean_loss), short(mixed.rmse), "")]
        rows += [
            (name, short(loss), short(error), f"{weight:.3f}")
            for weight, (name, (loss, error)) in zip(last, self.experts().items())
        ]
        rows += [(oracle.name, short(oracle.mean_loss), "", "") for oracle in self.oracles()]
        print_table(("", f"mean {self.mixing.loss}\nloss", "rmse", "last\nweight"), rows)
        print(f"{len(mixed.y):,} rounds in {self.seconds:.2f} s by {self.mixing.algorithm}")
        print(self.certified())
