"""How docstrings become the site's reference: parameters as lists, examples as code.

A member that several classes inherit is described at the first of them, in the order of the names
of the rooms; the others link to it. Every class shows the signature of its constructor. Classes that
declare options are imported, because their constructors and the lists of their parameters are made
when they are.
"""

import importlib
import inspect
import re
from typing import Any

import griffe


def markdown(docstring: str) -> str:
    """A docstring with its lists and examples as Markdown has them.

    >>> print(markdown("A player.\\n\\nParameters\\n----------\\nn, m : counts,\\n    at least 1."))
    A player.
    <BLANKLINE>
    **Parameters**
    <BLANKLINE>
    - `n`, `m`: counts,
        at least 1.
    >>> print(markdown("Parameters: `n` >= 2,\\nhow many; `seed`. The rest."))
    **Parameters**
    <BLANKLINE>
    - `n` >= 2, how many
    - `seed`
    <BLANKLINE>
    The rest.
    >>> markdown(">>> 1 + 1\\n2")
    '```pycon\\n>>> 1 + 1\\n2\\n```'
    """
    return "\n\n".join(_block(block) for block in re.split(r"\n(?: *\n)+", docstring))


def _block(block: str) -> str:
    if block.startswith(">>>"):
        return f"```pycon\n{block}\n```"
    if block.startswith(("Parameters: ", "Attributes: ")):
        return _items(" ".join(block.split()))
    heading, _, rest = block.partition("\n")
    if not re.match(r"-+\n", rest):
        return block
    items = re.sub(
        r"^(\S.*?) : ", lambda match: f"- {_names(match[1])}: ", rest, flags=re.MULTILINE
    )
    return f"**{heading}**\n\n" + items.partition("\n")[2]


def _items(sentence: str) -> str:
    """The list of a sentence whose parts are separated by semicolons; what follows it stays text."""
    heading, _, rest = sentence.partition(": ")
    *items, last = re.split(r"; (?=`)", rest)
    last, _, after = re.sub(r"\. (?=[`A-Z])", "\n", last, count=1).partition("\n")
    lines = [f"- {item}" for item in [*items, last.removesuffix(".")]]
    return "\n".join([f"**{heading}**\n", *lines]) + (f"\n\n{after}" if after else "")


def _names(text: str) -> str:
    return ", ".join(f"`{name}`" for name in text.split(", "))


class Docstrings(griffe.Extension):
    """Applies `markdown` to every docstring, and shares out inherited members."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            declares = isinstance(obj, griffe.Class) and obj.is_public and _declared(obj)
            text = _imported(obj).__doc__ if declares else obj.docstring.value
            obj.docstring.value = markdown(text)

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        classes = _public_classes(pkg)
        for cls in classes.values():
            options = _declared(cls)
            if options or "__init__" not in cls.all_members:
                _add_constructor(cls)
            for name in options & cls.members.keys():
                cls.del_member(name)  # the constructor shows it
        inherited = {path: _inherited(cls) for path, cls in classes.items()}
        for member in {
            member.path: member for each in inherited.values() for member in each
        }.values():
            if member.parent.path not in classes:
                # The first heir shows it: one of the member's own room, or else the first of all.
                heirs = [path for path in inherited if member in inherited[path]]
                first = min(heirs, key=lambda path: _room(path) != _room(member.path))
                inherited[first].remove(member)
                classes[first].set_member(
                    member.name, griffe.Alias(member.name, member, parent=classes[first])
                )
        for path, members in inherited.items():
            _mention(classes[path], members)
        for room in pkg.modules.values():
            for name in room.members.keys() - set(map(str, room.exports or room.members)):
                if isinstance(room.members[name], griffe.Class | griffe.Function):
                    room.del_member(name)  # bases and functions that are not exported


def _imported(cls: griffe.Class) -> Any:
    """The class itself."""
    return getattr(importlib.import_module(cls.module.path), cls.name)


def _declared(cls: griffe.Class) -> set[str]:
    """The names of the options that a class declares or inherits."""
    if not isinstance(cls.parent, griffe.Module):
        return set()
    return set(getattr(_imported(cls), "_declared", ()))


def _add_constructor(cls: griffe.Class) -> None:
    """Give a class the constructor that Python makes for it, as of a named tuple, if it has one."""
    try:
        parameters = inspect.signature(_imported(cls)).parameters.values()
    except ValueError:  # exceptions have none
        return
    if parameters:
        them = [griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword)]
        for each in parameters:
            known = each.annotation is not each.empty
            them.append(
                griffe.Parameter(
                    each.name,
                    annotation=_annotation(each.annotation) if known else None,
                    kind=griffe.ParameterKind[each.kind.name.lower()],
                    default=None if each.default is each.empty else repr(each.default),
                )
            )
        cls.set_member("__init__", griffe.Function("__init__", parameters=griffe.Parameters(*them)))


def _annotation(kind: Any) -> str:
    """A type as it is written in the code, classes of this library without their modules."""
    return re.sub(r"\bregretless\.[\w.]*\b(\w+)", r"\1", inspect.formatannotation(kind))


def _room(path: str) -> str:
    return path.split(".")[1]


def _public_classes(pkg: griffe.Module) -> dict[str, griffe.Class]:
    """The classes that the rooms export, by path; rooms and names in alphabetical order."""
    found: dict[str, griffe.Class] = {}
    for _, room in sorted(pkg.modules.items()):
        for name in sorted(str(name) for name in room.exports or []):
            member = room.members.get(name)
            if member is not None and member.is_class:
                target = member.final_target if isinstance(member, griffe.Alias) else member
                found[target.path] = target
    return found


def _inherited(cls: griffe.Class) -> list[griffe.Object]:
    """The documented public members that a class has from others."""
    members = [alias.final_target for _, alias in sorted(cls.inherited_members.items())]
    return [each for each in members if each.has_docstring and not each.name.startswith("_")]


def _mention(cls: griffe.Class, members: list[griffe.Object]) -> None:
    """Link to inherited members at the end of a docstring, by the class that defines them."""
    for base in dict.fromkeys(member.parent for member in members):
        links = [f"[`{each.name}`][{each.path}]" for each in members if each.parent is base]
        text = f"**Inherited** from `{base.name}`: {', '.join(links)}."
        if cls.docstring is None:
            cls.docstring = griffe.Docstring(text, parent=cls)
        else:
            cls.docstring.value += f"\n\n{text}"
