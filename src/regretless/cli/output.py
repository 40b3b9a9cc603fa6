"""What the commands show: tables, JSON, progress, and the summary of a training."""

from __future__ import annotations

import math
import os
import sys
import time
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from regretless.cli.learners import loss_name

if TYPE_CHECKING:
    from types import TracebackType

    from regretless.evaluate.training import Training
    from regretless.streams import Place, Stream


_PIPE_WIDTH = 160  # where there is no terminal: names stay in one piece
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


# --- numbers and labels as text --------------------------------------------------------------------


def short(value: float | None) -> str:
    """Four digits; nothing where there is no value.

    >>> short(0.25), short(None)
    ('0.2500', '')
    """
    return "" if value is None or math.isnan(value) else f"{value:#.4g}"


def percent(value: float) -> str:
    """A share; nothing where there is none."""
    return "" if math.isnan(value) else f"{value:.2%}"


def label_text(label: Any) -> str:
    """A label as it is printed.

    >>> label_text(1.0), label_text("spam"), label_text(True)
    ('1', 'spam', 'True')
    """
    return f"{label:g}" if isinstance(label, float) else str(label)


def finite(value: Any) -> Any:
    """The same, with None for numbers that JSON does not have.

    >>> finite({"a": math.inf, "b": [1.0, math.nan]})
    {'a': None, 'b': [1.0, None]}
    """
    if isinstance(value, dict):
        return {name: finite(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_json(values: Any) -> None:
    """Print one object."""
    import json

    print(json.dumps(values, allow_nan=False, indent=2))


# --- tables ----------------------------------------------------------------------------------------


def print_pairs(rows: Iterable[tuple[str, str]]) -> None:
    """Print names on the left and values on the right.

    >>> print_pairs([("examples", "3"), ("mean loss", "0.5")])
    examples   3
    mean loss  0.5
    """
    rows = list(rows)
    left = max(len(name) for name, _ in rows)
    bold, plain = (_BOLD, _PLAIN) if _is_styled() else ("", "")
    for name, value in rows:
        lines = _folded(value, max(_width_of_output() - left - 2, 20))
        print(f"{bold}{name:{left}}{plain}  {lines[0]}".rstrip())
        for line in lines[1:]:
            print(f"{'':{left}}  {line}")


def print_table(
    names: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None
) -> None:
    """Print columns under their names. All but the first hold numbers, and are never cut.

    >>> print_table(("learner", "mean\\nloss"), [("coin", "0.6083"), ("pa", "12.5")])
    <BLANKLINE>
                mean
      learner     loss
     ──────────────────
      coin      0.6083
      pa          12.5
    <BLANKLINE>
    """
    count = len(names)
    body = [[*row, *[""] * (count - len(row))] for row in rows]
    heads = [name.split("\n") for name in names]
    height = max(map(len, heads))
    header = [[""] * (height - len(lines)) + lines for lines in heads]
    wide = [
        max([_width(line) for line in lines] + [_width(row[column]) for row in body])
        for column, lines in enumerate(header)
    ]
    room = _width_of_output() - sum(wide[1:]) - 3 * (count - 1) - 4
    wide[0] = min(wide[0], max(room, 10))
    bold, plain = (_BOLD, _PLAIN) if _is_styled() else ("", "")
    print(title or "", end="\n\n" if title else "\n")
    for lines in zip(*header):
        print(f"{bold}{_row(lines, wide)}{plain}")
    print(" " + _line() * (sum(wide) + 3 * (count - 1) + 2))
    for first, *others in body:
        start, *more = _folded(first, wide[0])
        print(_row([start, *others], wide))
        for each in more:
            print(_row([each, *[""] * (count - 1)], wide))
    print()


def _row(cells: Sequence[str], wide: Sequence[int]) -> str:
    """The first cell on the left of its column, the others on the right."""
    padded = [" " * (width - _width(cell)) for cell, width in zip(cells, wide)]
    others = "".join(f"   {pad}{cell}" for cell, pad in zip(cells[1:], padded[1:]))
    return f"  {cells[0]}{padded[0]}{others}".rstrip()


def _folded(text: str, width: int) -> list[str]:
    """The text in lines of at most so many columns."""
    if _width(text) <= width:
        return [text]
    return [text[k : k + width] for k in range(0, len(text), width)]


def _width(text: str) -> int:
    """The columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(each) in "WF" for each in text)
    return len(text) + wide - sum(bool(unicodedata.combining(each)) for each in text)


def _line() -> str:
    """What lines are made of, where it can be printed."""
    try:
        "─".encode(getattr(sys.stdout, "encoding", None) or "utf-8")  # text in memory has none
    except UnicodeEncodeError:
        return "-"
    return "─"


def _is_styled() -> bool:
    return _is_terminal(sys.stdout) and not os.environ.get("NO_COLOR")


def _is_terminal(stream: Any) -> bool:
    return stream is not None and stream.isatty()  # it is None after >&-


def _width_of_output() -> int:
    return _terminal_width(sys.stdout) if _is_terminal(sys.stdout) else _PIPE_WIDTH


def _terminal_width(stream: Any) -> int:
    wanted = os.environ.get("COLUMNS", "")
    if wanted.isdecimal() and int(wanted):
        return int(wanted)
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80


# --- progress --------------------------------------------------------------------------------------


class Progress:
    """The progress of a training: a live line on a terminal, a line now and then elsewhere."""

    REFRESH = 0.15  # seconds between two states of the live line
    PATIENCE = 10.0  # seconds between two lines
    BAR = 12  # columns

    def __init__(self, stream: Stream, passes: int, quiet: bool) -> None:
        self.started = time.perf_counter()
        self.taken = 0  # examples, by this process
        self._read = _Bytes(stream)
        self._passes, self._quiet = passes, quiet
        self._next_time, self._next_count = self.started, 1
        self._is_live = not quiet and _is_terminal(sys.stderr)

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return time.perf_counter() - self.started

    def took(self, training: Training, examples: int) -> None:
        """Count so many more examples, and show them if it is time."""
        self.taken += examples
        self._read.reached(training.place)
        if self._quiet:
            return
        now = time.perf_counter()
        if self._is_live:
            if now >= self._next_time:
                self._next_time = now + self.REFRESH
                line = f"{self._pass(training)}{self._bar()}{self._status(training)}"
                self._write(line[: _terminal_width(sys.stderr) - 1])
        elif self.taken >= self._next_count or now >= self._next_time + self.PATIENCE:
            self._next_time, self._next_count = now, 2 * self.taken
            print(f"{self._pass(training)}{self._status(training)}", file=sys.stderr, flush=True)

    def _write(self, line: str) -> None:
        print(f"\r\x1b[2K{line}", end="", file=sys.stderr, flush=True)

    def _bar(self) -> str:
        if not self._read.total:
            return ""
        share = min(self._read.position / self._read.total, 1.0)
        return f"[{'=' * round(self.BAR * share):{self.BAR}}] {share:4.0%}  "

    def _pass(self, training: Training) -> str:
        return f"pass {training.passes + 1}/{self._passes}  " if self._passes > 1 else ""

    def _status(self, training: Training) -> str:
        parts = [f"{training.seen:,} examples", f"{self.taken / self.seconds:,.0f}/s"]
        if self._read.known:
            speed = self._read.bytes / self.seconds / 1e6
            parts.append(f"{speed:.0f} MB/s" if speed >= 10 else f"{speed:.1f} MB/s")
        parts.append(f"loss {training.validation.mean_loss:.4f}")
        if training.certified is not None:  # for the largest norm, which includes all others
            norm, best = max(zip(training.norms, training.certified))
            parts.append(f"best possible {best:.4f} for norm {norm:g}")
        return "  ".join(parts)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_live:
            self._write("")


class _Bytes:
    """How far a stream of text has come, in bytes after decompression."""

    def __init__(self, stream: Stream) -> None:
        from regretless.streams.opening import suffixes
        from regretless.streams.reading import TextStream

        paths = stream.paths if isinstance(stream, TextStream) else []
        self.known = bool(paths)
        self.bytes = 0  # read by this process
        self._file = self._offset = 0
        plain = all(os.path.isfile(path) and not suffixes(path)[1] for path in paths)
        self._sizes = [os.path.getsize(path) for path in paths] if plain else []

    @property
    def total(self) -> int | None:
        """The size of all files, if it can be known before they are read."""
        return sum(self._sizes) or None

    @property
    def position(self) -> int:
        """How much of this has been read in the current pass."""
        return sum(self._sizes[: self._file]) + self._offset

    def reached(self, place: Place) -> None:
        """The stream has come to this place."""
        goes_on = place.file == self._file and place.offset >= self._offset
        self.bytes += place.offset - (self._offset if goes_on else 0)
        self._file, self._offset = place.file, place.offset


# --- the summary of a training ---------------------------------------------------------------------


class Summary:
    """The figures of a training that is over.

    Parameters
    ----------
    training, learner : what was trained, and its name.
    seconds, taken : the time, and the examples in this time: fewer than all if an earlier process has
        taken some.
    guessed : whether the labels, and not an option, told that this is regression.
    saved : the file of the model.
    """

    def __init__(
        self,
        training: Training,
        learner: str,
        seconds: float,
        taken: int,
        *,
        guessed: bool = False,
        saved: str | None = None,
    ) -> None:
        self.training, self.learner = training, learner
        self.seconds, self.taken = seconds, taken
        self.guessed, self.saved = guessed, saved

    @property
    def examples(self) -> int:
        """Examples read in all passes, including those held out."""
        return self.training.seen * max(self.training.passes, 1)

    @property
    def is_regression(self) -> bool:
        """Whether numbers were predicted and not labels."""
        return not self.training.model.classifies

    @cached_property
    def best_possible(self) -> dict[float, float]:
        """For each norm, the mean loss that no linear model can beat."""
        return dict(zip(self.training.norms, self.training.bounds()))

    @property
    def holdout_mean_loss(self) -> float | None:
        """The mean loss on the examples that were not learned."""
        return self.training.held_out.mean_loss if self.training.holdout else None

    @property
    def _task(self) -> str:
        return "regression" if self.is_regression else "classification"

    def as_dict(self) -> dict[str, Any]:
        """All figures, ready for JSON."""
        scores = self.training.validation
        values = {
            "examples": self.examples,
            "skipped": self.training.place.skipped,
            "passes": self.training.passes,
            "seconds": self.seconds,
            "examples_per_second": self.taken / self.seconds,
            "task": self._task,
            "loss_name": loss_name(self.training.model),
            "loss": scores.loss,
            "mean_loss": scores.mean_loss,
            "error": scores.error,
            "auc": scores.auc,
            "holdout_mean_loss": self.holdout_mean_loss,
            "certificates": [
                {"norm": norm, "best_possible": best, "audited_mean_loss": self._audited_mean}
                for norm, best in self.best_possible.items()
            ],
            "peak_rss_mb": peak_rss_mb(),
            "learner": self.learner,
            "model": self.saved,
        }
        found: dict[str, Any] = finite(values)
        return found

    def rows(self) -> list[tuple[str, str]]:
        """The figures that a person wants to know, name by name."""
        training, scores = self.training, self.training.validation
        loss = f"{loss_name(training.model)} loss".replace("_", " ")
        passes = f" in {training.passes} passes" if training.passes > 1 else ""
        peak = peak_rss_mb()
        rows = [
            ("learner", f"{self.learner}, {loss}, {self._task}"),
            ("examples", f"{self.examples:,}{passes}"),
            ("skipped bad lines", f"{training.place.skipped:,}" if training.place.skipped else ""),
            ("seconds", f"{self.seconds:.2f}"),
            ("examples per second", f"{self.taken / self.seconds:,.0f}" if self.taken else ""),
            ("mean loss", short(scores.mean_loss)),
            *self._certified(),
            ("regret to the best lane", self._against_lanes()),
            ("mistakes", self._mistakes()),
            ("holdout loss", short(self.holdout_mean_loss)),
            ("error", "" if self.is_regression else percent(scores.error)),
            ("root mean square error", short(scores.rmse)),
            ("AUC", short(scores.auc)),
            ("peak memory", "" if peak is None else f"{peak:,.0f} MB"),
            ("model", self.saved or "not saved (--save PATH)"),
        ]
        if self.guessed:
            why = "the labels are numbers that are not all whole; --classes would make a label of each"
            rows.insert(1, ("", why))
        return [(name, text) for name, text in rows if text]

    @property
    def _audited_mean(self) -> float | None:
        """The mean loss as the audit measures it."""
        audit, loss = self.training.audit, self.training.audited_loss
        return None if audit is None or loss is None else loss / (audit.weight_ or 1.0)

    def _certified(self) -> list[tuple[str, str]]:
        audit = self.training.audit
        if audit is None:
            return []
        from regretless.evaluate.report import audited_rows

        scores, bounds = self.training.validation, list(self.best_possible.values())
        return audited_rows(audit, self.training.audited_loss, scores.mean_loss, bounds)

    def _against_lanes(self) -> str:
        model = self.training.model
        if not hasattr(type(model), "lanes_") or model.certifies != "itself":
            return ""  # one model, nothing mixed
        certificate = model.certificate()
        return f"{short(certificate.regret)}, certified at most {short(certificate.bound)}"

    def _mistakes(self) -> str:
        model = self.training.model
        if not hasattr(type(model), "edges_"):  # it does not boost
            return ""
        c, edges = model.certificate(), model.edges_
        each = [
            edge
            for lane in (edges.values() if isinstance(edges, dict) else [edges])
            for edge in lane
        ]
        drawn = " in expectation" if c.expected != c.mistakes else ""
        return (
            f"{c.mistakes:,.0f}, certified at most {c.bound:,.0f}{drawn}; edges of the weak learners "
            f"{min(each):.3f} to {max(each):.3f}"
        )

    def line(self) -> str:
        """The essentials."""
        scores = self.training.validation
        parts = [f"{self.examples:,} examples", f"mean loss {short(scores.mean_loss)}"]
        if not self.is_regression:
            parts.append(f"error {percent(scores.error)}")
        if scores.auc is not None:
            parts.append(f"AUC {short(scores.auc)}")
        if self.saved:
            parts.append(f"saved to {self.saved}")
        return ", ".join(parts)

    def show(self, as_json: bool, quiet: bool) -> None:
        """Print it in the form that was asked for."""
        if as_json:
            print_json(self.as_dict())
        elif quiet:
            print(self.line())
        else:
            print_pairs(self.rows())


def peak_rss_mb() -> float | None:
    """The largest resident size so far in MB of 10^6 bytes; None where the system does not tell.

    >>> peak_rss_mb() > 1
    True
    """
    status = "/proc/self/status"
    if os.path.exists(status):  # getrusage would count what the parent had needed before
        with open(status) as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024 / 1e6
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6
