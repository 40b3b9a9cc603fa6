"""`regretless inspect`: the options of a model, and its strongest features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from regretless.cli.declare import argument, command, option
from regretless.cli.learners import load_model, loss_name
from regretless.cli.options import Json, picture_option
from regretless.cli.output import label_text, print_json, print_pairs, print_table, short

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Inspected:
    """What is in a model; two labels share one lane, which is called `None`."""

    model: Any
    labels: list[Any]
    weights: int
    intercepts: dict[Any, float]
    strongest: dict[Any, list[tuple[str, float]]]

    @property
    def mean_loss(self) -> float | None:
        """Over all examples learned."""
        return self.model.loss_ / self.model.weight_ if self.model.weight_ else None


class InspectOptions(Json):
    """What is shown of which model."""

    model: str = argument("MODEL", help="Model that train has saved.")
    top: int = option(
        "--top", default=20, check=("whole", 1), help="Number of features to show for each label."
    )
    plot: str | None = picture_option("--plot", help="Draw the weights to this file, .png or .svg.")


@command(
    examples=(
        "regretless inspect clicks.model --top 20",
        "regretless inspect clicks.model --plot weights.png",
        "regretless inspect clicks.model --json | jq .features",
    )
)
def inspect(options: InspectOptions) -> None:
    """Show the options of a model and its strongest features.

    A hashed feature whose name was not remembered (--names of train) is shown as
    #row.
    """
    model, _ = load_model(options.model)
    found = _found(model, options.top)
    if options.json:
        print_json(_as_dict(found))
    else:
        _print(found)
    if options.plot:
        from regretless.plots import weight_bars

        bars = {
            name if lane is None else f"{name} for {label_text(lane)}": weight
            for lane, features in found.strongest.items()
            for name, weight in features
        }
        weight_bars(bars, options.plot, top=options.top)


def _found(model: Any, top: int) -> Inspected:
    import numpy as np

    names, table, intercepts = model._weights()
    shown = _names(model, names)
    labels = model.classes_.tolist() if model.classifies else []
    lanes = labels if table.shape[1] > 1 else [None]
    return Inspected(
        model,
        labels,
        int(np.count_nonzero(table)),
        dict(zip(lanes, intercepts.tolist())),
        {lane: _strongest(shown, table[:, k], top) for k, lane in enumerate(lanes)},
    )


def _names(model: Any, names: list[Any]) -> list[str]:
    """Names as they are shown; a row of a hashed model whose name is not remembered is `#row`."""
    if not model.form().bits:
        return [str(name) for name in names]
    # a number may be a column's name, but then it is among those remembered
    known = set(model._model.names().values())
    return [str(name) if name in known else f"#{name}" for name in names]


def _strongest(names: list[str], weights: NDArray[np.float64], top: int) -> list[tuple[str, float]]:
    import numpy as np

    order = np.argsort(-np.abs(weights), kind="stable")[:top]
    return [(names[k], float(weights[k])) for k in order.tolist() if weights[k]]


def _as_dict(found: Inspected) -> dict[str, Any]:
    def one(lane: Any, **values: Any) -> dict[str, Any]:
        return values if lane is None else {"label": lane, **values}

    plain = (str, int, float, bool, type(None))
    options = found.model.get_params()
    return {
        "class": type(found.model).__name__,
        "options": {k: v if isinstance(v, plain) else repr(v) for k, v in options.items()},
        "loss_name": loss_name(found.model),
        "examples": found.model.examples_,
        "mean_loss": found.mean_loss,
        "labels": found.labels,
        "weights": found.weights,
        "intercepts": [one(lane, weight=weight) for lane, weight in found.intercepts.items()],
        "features": [
            one(lane, name=name, weight=weight)
            for lane, features in found.strongest.items()
            for name, weight in features
        ],
    }


def _print(found: Inspected) -> None:
    model = found.model
    rows = [
        ("class", type(model).__name__),
        ("options", ", ".join(f"{name}={value}" for name, value in model.get_params().items())),
        ("examples learned", f"{model.examples_:,}"),
        ("mean loss", f"{short(found.mean_loss)} ({loss_name(model).replace('_', ' ')})"),
        ("labels", ", ".join(map(label_text, found.labels))),
        ("weights", f"{found.weights:,} that are not 0"),
        ("intercept", ", ".join(f"{weight:.4g}" for weight in found.intercepts.values())),
    ]
    print_pairs((name, text) for name, text in rows if text)
    for lane, features in found.strongest.items():
        title = None if lane is None else f"label {label_text(lane)}"
        print_table(("feature", "weight"), [(n, f"{w:+.4g}") for n, w in features], title)
    if len(found.labels) == 2:
        print(f"A weight above 0 speaks for {label_text(found.labels[1])}.")
