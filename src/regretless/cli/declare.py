"""How the commands and their options are declared, on top of click.

The options of a command are the fields of a class, and the command is a function that takes objects of
such classes. A field says everything about its option in one place: the name, the type (its
annotation), the default, the check and the help text. An option that sets one of a class says which
(`like`), and check, default, choices and text are those of the class, which is imported when the
option is given or the help is shown, not before.

>>> class Plan(Options):
...     path: str = argument("PATH", help="File to read.")
...     passes: int = option("--passes", default=1, check=("whole", 1), help="Number of passes.")
>>> @command(examples=("count a.txt --passes 2",))
... def count(plan: Plan) -> None:
...     '''Count lines.'''
...     print(plan)
>>> count.main(["a.txt", "--passes", "2"], standalone_mode=False)
Plan(path='a.txt', passes=2)
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple, dataclass_transform, get_args, get_type_hints

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from regretless.base.options import Option as ClassOption

_HELP = {"help_option_names": ["--help", "-h"], "max_content_width": 80}
_HELP_LINE = ("-h, --help", "Show this help and exit.")
_JOINED = "\xa0"  # a blank at which no line is broken
_NAMES_WIDTH = 26  # columns of the help; longer names have a line of their own
_METAVARS = {int: "N", float: "X", str: "TEXT"}


# --- fields of options -----------------------------------------------------------------------------


class Declared(NamedTuple):
    """Everything about one option or argument but its type, which the field's annotation tells."""

    names: tuple[str, ...]  # none: an argument
    help: str
    panel: str
    metavar: str | None = None
    like: str = ""
    check: tuple[Any, ...] = ()
    choices: tuple[str, ...] | str = ()
    several: bool = False
    parse: Callable[[Any], Any] | None = None
    nargs: int = 1
    many: bool = False  # an option that may be repeated, or an argument that takes several values

    @property
    def of_class(self) -> ClassOption | None:
        """The option of a class that this one sets."""
        return _of_class(self.like) if self.like else None

    def check_value(self, value: Any, typed: str) -> None:
        """`ValueError`, which speaks of the option as it is typed, if the value is not allowed."""
        from regretless.base import arguments

        if self.of_class is not None:
            self.of_class.checked(value, typed)
        elif self.check:
            name, *limits = self.check
            getattr(arguments, name)(value, typed, *limits)

    def allowed(self) -> tuple[str, ...]:
        """The only names that may be given; nothing if there are others."""
        if self.of_class is not None:
            check, limits = self.of_class.check, self.of_class.limits
            return tuple(map(str, limits[0])) if getattr(check, "__name__", "") == "one_of" else ()
        return self.choices if isinstance(self.choices, tuple) else _names_at(self.choices)


@cache
def _of_class(like: str) -> ClassOption:
    from regretless.base.options import options_of

    kind, _, name = like.rpartition(".")
    return options_of(_found_at(kind))[name]


@cache
def _names_at(where: str) -> tuple[str, ...]:
    found = _found_at(where)
    return tuple(map(str, found() if inspect.isfunction(found) else found))


def _found_at(where: str) -> Any:
    """What has a name in a module of the library.

    >>> _found_at("losses:Hinge").name
    'hinge'
    """
    module, _, name = where.partition(":")
    return getattr(importlib.import_module(f"regretless.{module}"), name)


def option(
    *names: str,
    help: str = "{text}",
    panel: str = "Options",
    default: Any = None,
    required: bool = False,
    metavar: str | None = None,
    like: str = "",
    check: tuple[Any, ...] = (),
    choices: Iterable[str] = (),
    several: bool = False,
    parse: Callable[[Any], Any] | None = None,
    nargs: int = 1,
    many: bool = False,
) -> Any:
    """A field of `Options` that is an option of the commands that take them.

    Parameters
    ----------
    names : as they are typed; `--yes/--no` is a switch.
    help, panel : the text, and the heading above it; `{text}` is that of the option of the class.
    default : the value of the field if the option is not given.
    metavar : what stands for the value in the help.
    like : the option of a class that this one sets, as "newton:NewtonClassifier.size".
    check : a check of `base.arguments` by its name, and its limits, such as `("whole", 1)`.
    choices : the only values that are allowed, or where they are found, such as "games.solve:METHODS".
    several : whether the value is several choices with commas between them.
    parse : makes the value of the field from the one that was typed; the text of its `ValueError`
        is shown to the user.
    nargs, many : how many values follow, and whether the option may be repeated.
    """
    chosen = choices if isinstance(choices, str) else tuple(map(str, choices))
    declared = Declared(
        names, help, panel, metavar, like, check, chosen, several, parse, nargs, many
    )
    return field(default=MISSING if required else default, metadata={"declared": (declared,)})


def argument(
    metavar: str, *, help: str, many: bool = False, parse: Callable[[Any], Any] | None = None
) -> Any:
    """A field of `Options` that is a required argument; `many` of them make a tuple."""
    declared = Declared((), help, "Arguments", metavar, parse=parse, many=many)
    return field(metadata={"declared": (declared,)})


def together(*options: Any) -> Any:
    """One field with the values of several repeatable options, one after the other."""
    declared = tuple(each.metadata["declared"][0] for each in options)
    return field(default=(), metadata={"declared": declared})


@dataclass_transform(kw_only_default=True, field_specifiers=(option, argument, together))
class Options:
    """The base of classes whose fields are options: dataclasses that take keywords only.

    `__post_init__` may check options that belong together; its `ValueError` is an error of usage.

    The methods are written here and not made by `dataclass`, which compiles them for every class and
    would take a tenth of the time that a command needs to start.
    """

    def __init_subclass__(cls) -> None:
        dataclass(init=False, repr=False, eq=False, kw_only=True)(cls)

    def __init__(self, **given: Any) -> None:
        for each in fields(self):  # type: ignore[arg-type]
            value = given.pop(each.name, each.default)
            if value is MISSING:
                raise TypeError(f"{type(self).__name__} needs {each.name}")
            setattr(self, each.name, value)
        if given:
            raise TypeError(f"{type(self).__name__} has no {min(given)}")
        self.__post_init__()

    def __post_init__(self) -> None:
        """Check options that belong together."""

    def for_class(self, room: str) -> dict[str, Any]:
        """The values that were given for options of the classes of a room, by their names there."""
        found = {}
        for each in fields(self):  # type: ignore[arg-type]
            for declared in each.metadata.get("declared", ()):
                value = getattr(self, each.name)
                if declared.like.startswith(f"{room}:") and value is not None:
                    found[declared.like.rpartition(".")[2]] = value
        return found

    def __repr__(self) -> str:
        values = ", ".join(f"{k}={v!r}" for k, v in vars(self).items())
        return f"{type(self).__name__}({values})"


# --- types -----------------------------------------------------------------------------------------


class Number(click.ParamType):  # type: ignore[type-arg]
    """A number, whole or not."""

    name = "number"

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The number that was typed."""
        try:
            return self._kind(value)
        except ValueError:
            what = "a whole number" if self._kind is int else "a number"
            self.fail(f"{value!r} is not {what}", param, ctx)


class Choice(click.ParamType):  # type: ignore[type-arg]
    """One of several names, or some of them; the error corrects a name that is nearly right."""

    name = "choice"

    def __init__(self, declared: Declared) -> None:
        self._declared = declared

    def convert(self, value: Any, param: Any, ctx: Any) -> str | tuple[str, ...]:
        """The name, or the names, if they are among those."""
        names = tuple(value.split(",")) if self._declared.several else (value,)
        allowed = self._declared.allowed()
        for name in names:
            if allowed and name not in allowed:
                self.fail(_not_one_of(name, allowed), param, ctx)
        if len(set(names)) < len(names):
            self.fail(f"{value!r} has a name twice", param, ctx)
        return names if self._declared.several else names[0]

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        """The names that begin so."""
        from click.shell_completion import CompletionItem

        return [
            CompletionItem(each) for each in self._declared.allowed() if each.startswith(incomplete)
        ]


class Text(click.ParamType):  # type: ignore[type-arg]
    """Any text; files are offered to complete it where it is the name of one."""

    name = "text"

    def __init__(self, is_file: bool) -> None:
        self._kind = "file" if is_file else "plain"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        """Leave files to the shell."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")] if self._kind == "file" else []


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that may be meant, if there is one."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, list(known), n=1)), None)


def _not_one_of(value: str, choices: Iterable[str]) -> str:
    """What is wrong with a name, and which one may be meant.

    >>> _not_one_of("ftlr", ["coin", "ftrl"])
    "'ftlr' is unknown; did you mean 'ftrl'? Choose from coin, ftrl"
    """
    near = nearest(value, choices)
    meant = f"; did you mean {near!r}? Choose" if near else "; choose"
    return f"{value!r} is unknown{meant} from {', '.join(choices)}"


# --- click's parameters ----------------------------------------------------------------------------


class Option(click.Option):
    """An option that knows its declaration, and its line of the help."""

    declared: Declared
    otherwise: Any = None  # its default, of which click is not told

    @property
    def line(self) -> tuple[str, str]:
        """The names, and the text."""
        shown = ", ".join(self.declared.names).replace("/", " / ")
        names = shown if self.is_flag else f"{shown} {self.metavar}"
        return names, _text(self.declared, self.otherwise)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """The names, and the text."""
        return self.line


class Argument(click.Argument):
    """An argument with a text."""

    declared: Declared

    @property
    def line(self) -> tuple[str, str]:
        """The name, and the text."""
        return str(self.metavar), self.declared.help

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """The name, and the text."""
        return self.line


def _parameter(name: str, kind: Any, default: Any, declared: Declared) -> Option | Argument:
    """The option or argument of a field called `name`."""
    is_flag = kind is bool
    is_choice = bool(declared.choices or (declared.like and kind is str))
    metavar = declared.metavar or ("NAME" if is_choice else _METAVARS.get(kind, "TEXT"))
    is_checked = declared.parse or declared.check or (declared.like and not is_choice)
    common: dict[str, Any] = {
        "callback": _checking(declared) if is_checked else None,
        "metavar": metavar,
    }
    if is_choice:
        common["type"] = Choice(declared)
    elif kind in (int, float):
        common["type"] = Number(kind)
    elif not is_flag:
        common["type"] = Text(metavar in ("PATH", "DIR", "MODEL", "TABLE", "PAYOFFS", "SOURCE..."))
    made: Option | Argument
    if not declared.names:
        made = Argument([name], nargs=-1 if declared.many else 1, required=True, **common)
        made.declared = declared
        return made
    if is_flag:
        common |= {"is_flag": True, "metavar": None}
    else:
        common |= {"nargs": declared.nargs, "multiple": declared.many}
    made = Option([*declared.names, name], required=default is MISSING, **common)
    made.declared, made.otherwise = declared, default
    return made


def _checking(
    declared: Declared,
) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """The callback that checks or parses a value if it was given."""

    def callback(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
        if not _was_given(context, parameter):
            return value
        if declared.parse is not None:
            try:
                return declared.parse(value)
            except ValueError as error:
                raise click.BadParameter(str(error), context, parameter) from None
        try:
            declared.check_value(value, max(parameter.opts, key=len))
        except ValueError as error:
            raise click.UsageError(str(error), context) from None
        return value

    return callback


def _text(declared: Declared, default: Any) -> str:
    """The text of an option, and in brackets its default and the range of its values."""
    known, text, allowed = declared.of_class, declared.help, ""
    if known is not None:
        text = _as_manual(text.replace("{text}", known.text))
        default = known.default if default is None else default
        allowed = known.allowed.removesuffix(", or None")
    names = declared.allowed()
    if names:
        allowed = ""
        if not all(name in text for name in names):
            text += f" {'Of' if declared.several else 'One of'} {', '.join(names)}."
    notes = [_shown(declared, default), allowed]
    if default is MISSING:
        notes = ["required"]
    shown = "; ".join(each for each in notes if each)
    return f"{text} [{shown.replace(' ', _JOINED)}]" if shown else text


def _as_manual(text: str) -> str:
    """The text of a class's option as the help of a command has it.

    >>> _as_manual("`a` is the length of steps. None: chosen as one learns")
    'a is the length of steps. By default chosen as one learns.'
    """
    text = (
        text.replace("`", "")
        .replace(". None: ", ". By default ")
        .replace("; None: ", "; by default ")
    )
    text = text if text.endswith(".") else f"{text}."
    return text if text[1:2] in (" ", ",") else text[0].upper() + text[1:]


def _shown(declared: Declared, default: Any) -> str:
    """A default in the help; nothing if the text of the option tells it."""
    if isinstance(default, bool):
        yes, _, no = declared.names[0].partition("/")
        default = (yes if default else no) if no else None
    elif isinstance(default, tuple):
        default = ",".join(map(str, default)) or None
    elif isinstance(default, float):
        default = f"{default:g}".replace("e+0", "e")
    return "" if default is None or default is MISSING else f"default: {default}"


# --- errors: one line on standard error, and the exit code that belongs to it ----------------------

# the library names an argument, "label= is needed"; on the command line it is an option
_ARGUMENT = re.compile(r"(?<![\w'\"-])(label|format|delimiter)=(\s|$|(?='))")
BAD_INPUT = 1
INTERRUPTED = 130  # 128 + SIGINT, as shells have it


@contextmanager
def one_line_errors(debug: bool, strict: bool = False) -> Iterator[None]:
    """Turn exceptions into one line on standard error; with `debug` they are raised.

    Warnings about columns are one line too; `strict` makes them errors.
    """
    try:
        with _one_line_warnings(strict):
            yield
            if sys.stdout is not None:
                sys.stdout.flush()  # now, while a failure can still be reported
    except (click.exceptions.Exit, click.UsageError):
        raise
    except BrokenPipeError:  # the reader of our output has closed it
        _stop_printing()
        raise click.exceptions.Exit(BAD_INPUT) from None
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except Exception as error:
        if _is_about_standard_output(error):
            _stop_printing()
        if debug:
            raise
        print(f"error: {_one_line(error)}", file=sys.stderr)
        raise click.exceptions.Exit(BAD_INPUT) from None


@contextmanager
def _one_line_warnings(strict: bool) -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "error" if strict else "always", r"the model (does not know|misses) "
        )
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if category.__name__ == "ColumnsWarning":
                print(f"warning: {message}", file=sys.stderr)
            else:
                usual(message, category, *where)

        warnings.showwarning = show  # type: ignore[assignment]
        yield


def _is_about_standard_output(error: Exception) -> bool:
    """Whether standard output cannot be written; errors about other files name them."""
    return isinstance(error, OSError) and bool(error.strerror) and not error.filename


def _stop_printing() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename or 'standard output'}: {error.strerror}"
    elif isinstance(error, (ValueError, OSError, ArithmeticError, MemoryError, UserWarning)):
        text = str(error)
    else:  # not foreseen: the kind of error helps to report it
        text = f"{type(error).__name__}: {error} (--debug shows where)"
    return " ".join(_ARGUMENT.sub(r"--\1 ", text).split())


# --- commands --------------------------------------------------------------------------------------


def _write_panel(
    formatter: click.HelpFormatter, heading: str, records: Sequence[tuple[str, str]]
) -> None:
    """Write a heading, and below it names on the left and texts on the right."""
    left = min(max(len(name) for name, _ in records), _NAMES_WIDTH) + 4
    with formatter.section(heading):
        for name, text in records:
            # names of learners are not cut at their hyphens
            lines = wrap(text, formatter.width - left, break_on_hyphens=False)
            wrapped = [line.replace(_JOINED, " ") for line in lines]
            if len(name) > left - 4:
                formatter.write(f"  {name}\n")
            else:
                formatter.write(f"  {name:{left - 2}}{wrapped.pop(0)}\n")
            formatter.write("".join(f"{'':{left}}{line}\n" for line in wrapped))


def given_options() -> dict[str, str]:
    """The options on the command line, as they are typed, by the names of their fields."""
    context = click.get_current_context()
    return {
        str(each.name): max(each.opts, key=len)
        for each in context.command.params
        if _was_given(context, each)
    }


def _was_given(context: click.Context, parameter: click.Parameter) -> bool:
    source = context.get_parameter_source(str(parameter.name))
    return source is not None and source.name == "COMMANDLINE"


class Command(click.Command):
    """A command with its options in panels and examples at the end of its help."""

    examples: tuple[str, ...] = ()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line; an option that is nearly right is corrected in the error."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            known = [name for each in self.get_params(ctx) for name in each.opts]
            near = nearest(error.option_name, known)
            meant = f" Did you mean {near}?" if near else ""
            raise click.UsageError(f"No such option: {error.option_name}.{meant}", ctx) from None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the panels."""
        panels: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        for each in self.params:
            if isinstance(each, (Option, Argument)):
                panels.setdefault(each.declared.panel, []).append(each.line)
        last = list(panels)[-1] if len(panels) > 1 else "Options"
        panels.setdefault(last, []).append(_HELP_LINE)
        for panel, lines in panels.items():
            if lines:
                _write_panel(formatter, panel, lines)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    lines = example.replace("\n", "\n    " + " " * formatter.current_indent)
                    formatter.write(f"{'':{formatter.current_indent}}{lines}\n")


def command(*, examples: tuple[str, ...] = ()) -> Callable[[Callable[..., None]], Command]:
    """Make a command of a function that takes objects of classes of options.

    Its docstring is the help. Errors are told in one line unless an option `debug` is given.
    """

    def make(function: Callable[..., None]) -> Command:
        taken = inspect.signature(function, eval_str=True).parameters
        groups: dict[str, Any] = {name: each.annotation for name, each in taken.items()}

        def run(**values: Any) -> None:
            context = click.get_current_context()
            found = {name: _filled(group, context, values) for name, group in groups.items()}
            with one_line_errors(bool(values.get("debug")), bool(values.get("strict"))):
                function(**found)

        made = Command(
            function.__name__,
            context_settings=dict(_HELP),
            callback=run,
            params=[each for group in groups.values() for each in _parameters(group)],
            help=inspect.getdoc(function),
        )
        made.examples = examples
        return made

    return make


def _parameters(group: Any) -> Iterable[Option | Argument]:
    hints = get_type_hints(group)
    own_first = [name for each in group.__mro__ for name in inspect.get_annotations(each)]
    for each in sorted(fields(group), key=lambda each: own_first.index(each.name)):
        kind = _without_none(hints[each.name])
        for name, declared in _named(each):
            inside = get_args(
                kind
            )  # of a tuple, which `parse` makes of text unless there are numbers
            one = kind if not inside else inside[0] if declared.nargs > 1 else str
            yield _parameter(name, one, each.default, declared)


def _without_none(hint: Any) -> Any:
    """The type of a value that is given."""
    kinds = get_args(hint)
    return next(each for each in kinds if each is not type(None)) if type(None) in kinds else hint


def _named(each: Any) -> Iterable[tuple[str, Declared]]:
    """The options of a field, and what click calls them."""
    all_of_it = each.metadata.get("declared", ())
    for number, declared in enumerate(all_of_it):
        yield (each.name if len(all_of_it) == 1 else f"{each.name}_{number}"), declared


def _filled(group: Any, context: click.Context, values: dict[str, Any]) -> Any:
    """The options, with their own defaults for all that was not given.

    If it finds that options do not fit each other, that is an error of usage.
    """
    given: dict[str, Any] = {}
    parameters = {each.name: each for each in context.command.params}
    for each in fields(group):
        for name, _ in _named(each):
            if _was_given(context, parameters[name]):
                several = len(each.metadata["declared"]) > 1
                given[each.name] = (
                    (*given.get(each.name, ()), *values[name]) if several else values[name]
                )
    try:
        return group(**given)
    except ValueError as error:
        raise click.UsageError(str(error), context) from None


class Group(click.Group):
    """Commands that are imported when they are called: their summaries are known without."""

    def __init__(self, name: str, *, help: str, commands: Mapping[str, tuple[str, str]]) -> None:
        """Take `commands`: for each name the module and the summary."""
        super().__init__(name, help=help, no_args_is_help=True, context_settings=dict(_HELP))
        self._later = commands

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, in order of use."""
        return list(self._later)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self._later:
            return None
        found = getattr(importlib.import_module(self._later[cmd_name][0]), cmd_name)
        assert isinstance(found, click.Command)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a name that is nearly right is corrected in the error."""
        if args[0] not in self._later and not args[0].startswith("-"):
            near = nearest(args[0], self._later)
            meant = f" Did you mean {near!r}?" if near else ""
            ctx.fail(f"No such command {args[0]!r}.{meant}")
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, then the options."""
        commands = [(name, text) for name, (_, text) in self._later.items()]
        _write_panel(formatter, "Commands", commands)
        lines = [each.line for each in self.params if isinstance(each, Option)]
        _write_panel(formatter, "Options", [*lines, _HELP_LINE])
