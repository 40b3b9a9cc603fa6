"""Options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from regretless.cli.declare import Options, argument, option, together

if TYPE_CHECKING:
    from regretless.streams import Stream


# one for each panel of the help
reading_option = partial(option, panel="Reading")
learning_option = partial(option, panel="Learning")
passes_option = partial(option, panel="Passes and checkpoints")
output_option = partial(option, panel="Output")


# --- values ----------------------------------------------------------------------------------------


def names(text: str) -> tuple[str, ...]:
    """The names between commas.

    >>> names("age,income")
    ('age', 'income')
    """
    return tuple(name for name in text.split(",") if name)


def _namespaces(count: int, given: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Namespaces to multiply: `ab` is a with b, `user,ad` is user with ad."""
    found = []
    for text in given:
        each = tuple(text.split(",") if "," in text else text)
        if len(each) != count or not all(each):
            raise ValueError(
                f"{text!r} names {len(each)} namespaces, but {count} are multiplied; give one letter "
                "for each, or names with commas between them"
            )
        found.append(each)
    return tuple(found)


def _holdout(every: int) -> int:
    if every < 0 or every == 1:
        raise ValueError(f"must be 0 (none) or at least 2 (every second example), got {every}")
    return every


# --- files that are written ------------------------------------------------------------------------


def _writable(path: str) -> str:
    """Check before hours of learning that the result can be written."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise ValueError(f"there is no directory {folder}")
    if os.path.isdir(path):
        raise ValueError(f"{path} is a directory")
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe, a device
        return path
    if not os.access(folder, os.W_OK) or (os.path.exists(path) and not os.access(path, os.W_OK)):
        raise ValueError(f"you have no permission to write {path}; choose another place")
    return path


def model_path(path: str) -> str:
    """Check a file that is moved to its place when it is complete."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError(f"{path} is a directory, a pipe or a device; give a file")
    return _writable(path)


def writable_folder(path: str) -> str:
    """Check a directory, which is made if it does not exist."""
    there = path
    while not os.path.lexists(there):
        there = os.path.dirname(there) or "."
    if not os.path.isdir(there):
        raise ValueError(f"{there} is a file; give a directory")
    if not os.access(there, os.W_OK):
        raise ValueError(f"you have no permission to write to {there}; choose another place")
    return path


def _picture(path: str) -> str:
    from regretless.plots.curves import picture_path

    picture_path(_writable(path))
    return path


path_option = partial(output_option, metavar="PATH", parse=_writable)
picture_option = partial(output_option, metavar="PATH", parse=_picture)


def refuse_overwriting(sources: Iterable[str], **written: str | None) -> None:
    """`ValueError` if one of the files that a command writes, by their options, is one that it reads."""
    read = [path for path in sources if os.path.exists(path)]
    for name, path in written.items():
        if path is None or not os.path.exists(path):
            continue
        if any(os.path.samefile(path, source) for source in read):
            raise ValueError(
                f"--{name} {path} is a file that is read; choose another file to write"
            )


# --- output ----------------------------------------------------------------------------------------


class Debug(Options):
    """For all commands."""

    debug: bool = output_option(
        "--debug", default=False, help="Show the traceback of an error, not only its message."
    )


class Json(Debug):
    """For commands that print a result."""

    json: bool = output_option("--json", default=False, help="Print the result as JSON.")


class Output(Json):
    """For commands that take a while."""

    quiet: bool = output_option(
        "--quiet", default=False, help="Show no progress, and only one line of the result."
    )


# --- reading ---------------------------------------------------------------------------------------


class Delimiter(Options):
    """For commands that read CSV."""

    delimiter: str | None = reading_option(
        "--delimiter",
        metavar="C",
        help="Character between the columns of a CSV file; by default a comma.",
    )


class Strict(Options):
    """For commands that compare examples with a model."""

    strict: bool = reading_option(
        "--strict",
        default=False,
        help="Stop with an error if the columns differ from those of the model; by default there is "
        "a warning.",
    )


class Holdout(Options):
    """For commands that train."""

    holdout: int = passes_option(
        "--holdout",
        metavar="K",
        default=0,
        parse=_holdout,
        help="Do not learn every K-th example, and report the loss on these examples separately; 0 "
        "holds out none.",
    )


# what a model file records about reading; without it the features could not be built again
_RECORDED = ("label", "weight", "tag", "categorical", "numeric", "ignore", "interactions")


class Reading(Delimiter):
    """How examples are read."""

    sources: tuple[str, ...] = argument(
        "SOURCE...",
        many=True,
        help="Files, plain or compressed (.gz, .bz2, .zst), patterns in quotes, or - for standard "
        "input.",
    )
    format: str | None = reading_option(
        "--format",
        choices="streams.reading:FORMATS",
        help="Format of the files; by default the suffix tells it.",
    )
    label: str | None = reading_option("--label", metavar="COLUMN", help="Column of the label.")
    weight: str | None = reading_option(
        "--weight", metavar="COLUMN", help="Column of the importance weight."
    )
    tag: str | None = reading_option(
        "--tag", metavar="COLUMN", help="Column that names the examples."
    )
    categorical: tuple[str, ...] = reading_option(
        "--categorical",
        metavar="A,B,...",
        default=(),
        parse=names,
        help="Columns to read as text although they look like numbers.",
    )
    numeric: tuple[str, ...] = reading_option(
        "--numeric",
        metavar="A,B,...",
        default=(),
        parse=names,
        help="Columns to read as numbers.",
    )
    ignore: tuple[str, ...] = reading_option(
        "--ignore",
        metavar="A,B,...",
        default=(),
        parse=names,
        help="Columns to leave out; in VW text, namespaces, by first letter or by name.",
    )
    header: bool = reading_option(
        "--no-header",
        default=True,
        parse=lambda given: not given,
        help="The CSV files have no header; their columns are called 0, 1, and so on.",
    )
    interactions: tuple[tuple[str, ...], ...] = together(
        reading_option(
            "-q",
            "--quadratic",
            metavar="AB",
            many=True,
            parse=partial(_namespaces, 2),
            help="Multiply the features of two VW namespaces: 'ab', or 'user,ad' for longer names. "
            "May be repeated.",
        ),
        reading_option(
            "--cubic",
            metavar="ABC",
            many=True,
            parse=partial(_namespaces, 3),
            help="Multiply the features of three VW namespaces. May be repeated.",
        ),
    )
    skip_bad: bool = reading_option(
        "--skip-bad",
        default=False,
        help="Skip lines that cannot be read, and count them; by default such a line is an error.",
    )

    def stream(self, like: Any = None) -> Stream:
        """The examples, or `ValueError` if an option was given that tells nothing about them.

        Columns are read as the model `like` has learned them.
        """
        from regretless import streams
        from regretless.streams.reading import FORMATS

        name, options = self._format(), asdict(self)
        for each in fields(self):
            others = [other for other, known in FORMATS.items() if each.name in known.options]
            if others and name not in others and options[each.name] != each.default:
                typed = " or ".join(option.names[0] for option in each.metadata["declared"])
                raise ValueError(
                    f"{typed} is for {', '.join(others)} and does not apply to {name}; leave it out"
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

    def recorded(self, before: dict[str, Any]) -> dict[str, Any]:
        """How the examples were read, for the model file.

        Entries `before`, from an earlier training, stay where these files have none of their own.
        """
        chosen = {name: getattr(self, name) for name in _RECORDED}
        entries = {"format": self._format(), **chosen}
        if before.get("ignore") and not self.ignore:
            entries["format"] = before.get("format")  # it tells whether these are columns
        return entries | {k: v for k, v in before.items() if v and not entries.get(k)}

    def completed(self, recorded: dict[str, Any]) -> Reading:
        """The same, with options that were not given taken from a model file if they apply."""
        from regretless.streams.reading import FORMATS

        known = {k: _tuples(v) for k, v in recorded.items() if k != "format"}
        name = self._format()
        if known.get("interactions") and name != "vw":
            raise ValueError(
                f"the model was trained with interactions of namespaces (-q, --cubic), and {name} has "
                "no namespaces; give VW text"
            )
        if (name == "vw") != (recorded.get("format") == "vw"):
            known.pop("ignore", None)  # namespaces are not columns
        applies = FORMATS[name].options
        missing = {k: v for k, v in known.items() if k in applies and not getattr(self, k)}
        return replace(self, **missing)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
