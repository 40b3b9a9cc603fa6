"""The options that say how examples are read: the same in every command."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regretless.cli.options import Delimiter, reading_option

if TYPE_CHECKING:
    from regretless.streams import Stream


class Format(StrEnum):
    """The formats of `streams.read`."""

    VW = "vw"
    SVMLIGHT = "svmlight"
    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    ARROW = "arrow"


# how the options of `streams.read` that say something about a format are typed
_TYPED = {
    "label": "--label",
    "weight": "--weight",
    "tag": "--tag",
    "categorical": "--categorical",
    "numeric": "--numeric",
    "ignore": "--ignore",
    "header": "--no-header",
    "delimiter": "--delimiter",
    "interactions": "-q or --cubic",
}


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name for name in (text or "").split(",") if name)


def _interactions(given: list[str] | None, size: int) -> list[tuple[str, ...]]:
    """Namespaces that are multiplied: `ab` is a with b, `user,ad` is user with ad."""
    chosen = [tuple(each.split(",") if "," in each else each) for each in given or ()]
    for each, namespaces in zip(given or (), chosen):
        if len(namespaces) != size or not all(namespaces):
            raise typer.BadParameter(
                f"{each!r} names {len(namespaces)} namespaces, but {size} are multiplied: give one "
                "letter for each, or names with commas between them"
            )
    return chosen


def _quadratic(given: list[str] | None) -> list[str] | None:
    _interactions(given, 2)
    return given


def _cubic(given: list[str] | None) -> list[str] | None:
    _interactions(given, 3)
    return given


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """The options as they are typed."""

    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE",
            help="Files, plain or compressed (.gz, .bz2, .zst); a pattern in quotes; - for standard "
            "input.",
            show_default=False,
        ),
    ]
    format: Annotated[
        Format | None,
        reading_option("--format", help="By default what the suffix says."),
    ] = None
    label: Annotated[
        str | None,
        reading_option(metavar="COLUMN", help="The column of the label."),
    ] = None
    weight: Annotated[
        str | None,
        reading_option(metavar="COLUMN", help="The column of the importance."),
    ] = None
    tag: Annotated[
        str | None,
        reading_option(metavar="COLUMN", help="The column that names an example."),
    ] = None
    categorical: Annotated[
        str | None,
        reading_option(
            metavar="A,B,...", help="Columns that are text although they look like numbers."
        ),
    ] = None
    numeric: Annotated[
        str | None,
        reading_option(metavar="A,B,...", help="Columns that are numbers."),
    ] = None
    ignore: Annotated[
        str | None,
        reading_option(
            metavar="A,B,...",
            help="Columns that are left out; of VW text namespaces, by letter or name.",
        ),
    ] = None
    no_header: Annotated[
        bool,
        reading_option(
            "--no-header", help="The CSV file has no header; its columns are called 0, 1, ..."
        ),
    ] = False
    delimiter: Delimiter = None
    quadratic: Annotated[
        list[str] | None,
        reading_option(
            "-q",
            "--quadratic",
            metavar="AB",
            callback=_quadratic,
            help="Multiply the features of two VW namespaces: 'ab', or 'user,ad' for longer names.",
        ),
    ] = None
    cubic: Annotated[
        list[str] | None,
        reading_option(metavar="ABC", callback=_cubic, help="Multiply those of three namespaces."),
    ] = None
    skip_bad: Annotated[
        bool,
        reading_option(
            "--skip-bad", help="Leave out and count lines that cannot be read, instead of stopping."
        ),
    ] = False

    def reading(self) -> Reading:
        """What they come to."""
        return Reading(
            sources=tuple(self.sources),
            format=self.format and self.format.value,
            label=self.label,
            weight=self.weight,
            tag=self.tag,
            categorical=_names(self.categorical),
            numeric=_names(self.numeric),
            ignore=_names(self.ignore),
            header=not self.no_header,
            delimiter=self.delimiter,
            interactions=(*_interactions(self.quadratic, 2), *_interactions(self.cubic, 3)),
            skip_bad=self.skip_bad,
        )


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How examples are read."""

    sources: tuple[str, ...]
    format: str | None
    label: str | None
    weight: str | None
    tag: str | None
    categorical: tuple[str, ...]
    numeric: tuple[str, ...]
    ignore: tuple[str, ...]
    header: bool
    delimiter: str | None
    interactions: tuple[tuple[str, ...], ...]
    skip_bad: bool

    def stream(self, like: Any = None) -> Stream:
        """The examples, or `ValueError` if an option was given that says nothing about them.

        Columns are read as the model `like` has learned them.
        """
        from regretless import streams
        from regretless.streams.reading import OPTIONS

        name, options = self._format(), asdict(self)
        for option, typed in _TYPED.items():
            given = not self.header if option == "header" else options[option]
            if given and option not in OPTIONS[name]:
                others = ", ".join(each for each in OPTIONS if option in OPTIONS[each])
                raise ValueError(
                    f"{typed} is for {others}, and says nothing about {name}; leave it out"
                )
        return streams.read(list(options.pop("sources")), like=like, **options)

    @property
    def has_names_only(self) -> bool:
        """Whether features are called like columns in a format that has no header."""
        return self._format() == "jsonl"

    def _format(self) -> str:
        from regretless.streams.opening import paths_of
        from regretless.streams.reading import format_of

        return format_of(paths_of(self.sources), self.format)

    # The model file records how features were made; without that the model cannot be used.

    _OF_THE_MODEL = ("label", "weight", "tag", "categorical", "numeric", "ignore", "interactions")

    def remembered(self, before: dict[str, Any]) -> dict[str, Any]:
        """What new examples have in common with those of the training, for the model's file.

        What it has said `before`, and these files have not, stays.
        """
        chosen = {name: getattr(self, name) for name in self._OF_THE_MODEL}
        said = {"format": self._format(), **chosen}
        if before.get("ignore") and not self.ignore:
            said["format"] = before.get("format")  # it tells whether these are columns
        return said | {k: v for k, v in before.items() if v and not said.get(k)}

    def completed(self, remembered: dict[str, Any]) -> Reading:
        """What was not given taken from a model's file, if it says something about these files."""
        from regretless.streams.reading import OPTIONS

        known = {k: _tuples(v) for k, v in remembered.items() if k != "format"}
        name = self._format()
        if known.get("interactions") and name != "vw":
            raise ValueError(
                f"the model was trained with interactions of namespaces (-q, --cubic), which {name} has "
                "not; give VW text"
            )
        if (name == "vw") != (remembered.get("format") == "vw"):
            known.pop("ignore", None)  # namespaces are no columns
        missing = {k: v for k, v in known.items() if k in OPTIONS[name] and not getattr(self, k)}
        return replace(self, **missing)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
