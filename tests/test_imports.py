"""Who imports whom in `regretless`: no cycles, and the layers are those that the page shows."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import regretless

SOURCE = Path(regretless.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "architecture.md"

Graph = dict[str, set[str]]


def modules(package: Path) -> dict[str, Path]:
    """The modules of a package by their full names; a package's own is its `__init__`.

    A compiled module is known by its stub.
    """
    found = {}
    for path in sorted([*package.rglob("*.py"), *package.rglob("*.pyi")]):
        name = ".".join(path.relative_to(package.parent).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


def imported_at_once(body: Iterable[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """The import statements that run when a module is imported."""
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield statement
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        elif isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test):
            yield from imported_at_once(statement.orelse)
        else:  # if, try, with, class, ...: what is in them runs, or may
            blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
            blocks += [
                part.body for name in ("handlers", "cases") for part in getattr(statement, name, [])
            ]
            for block in blocks:
                yield from imported_at_once(block)


def import_graph(package: Path) -> Graph:
    """Which modules of the package each of them imports."""
    known = modules(package)
    graph: Graph = {}
    for name, path in known.items():
        graph[name] = set()
        for statement in imported_at_once(ast.parse(path.read_text()).body):
            if isinstance(statement, ast.Import):
                wanted = [alias.name for alias in statement.names]
            else:
                where = statement.module or ""
                if statement.level:
                    here = name.split(".") + ["__init__"] * (path.stem == "__init__")
                    where = ".".join([*here[: -statement.level], *where.split(".")]).strip(".")
                wanted = [
                    inside if (inside := f"{where}.{alias.name}") in known else where
                    for alias in statement.names
                ]
            graph[name] |= {each for each in wanted if each in known}
    return graph


def room_of(name: str) -> str:
    """The folder of a module, or the module itself beside the folders and in `base`.

    `base/__init__.py` imports nothing, so each module of `base` can be imported by itself.
    """
    parts = name.split(".")
    return ".".join(parts[1:]) if parts[1] == "base" else parts[1]


def rooms(graph: Graph) -> Graph:
    """The same between rooms."""
    out: Graph = {}
    for name, wanted in graph.items():
        if "." in name and name != "regretless.base":
            room = out.setdefault(room_of(name), set())
            room |= {room_of(each) for each in wanted if "." in each}
            room.discard(room_of(name))
    return out


def cycle(graph: Graph) -> list[str] | None:
    """Modules each of which imports the next, the last being the first; None if there are none."""
    done: set[str] = set()

    def search(name: str, way: list[str]) -> list[str] | None:
        if name in way:
            return [*way[way.index(name) :], name]
        if name in done:
            return None
        for each in sorted(graph.get(name, ())):
            if (found := search(each, [*way, name])) is not None:
                return found
        done.add(name)
        return None

    for name in sorted(graph):
        if (found := search(name, [])) is not None:
            return found
    return None


def check(graph: Graph) -> None:
    """Raise if there is a cycle, and say which."""
    if (found := cycle(graph)) is not None:
        raise AssertionError("an import cycle: " + " -> ".join(found))


def layers(graph: Graph) -> dict[str, int]:
    """0 for who imports nobody, otherwise one more than the highest that is imported."""
    found: dict[str, int] = {}

    def layer(name: str) -> int:
        if name not in found:
            found[name] = max((layer(each) + 1 for each in graph[name]), default=0)
        return found[name]

    for name in graph:
        layer(name)
    return found


def test_modules_import_in_no_cycle():
    graph = import_graph(SOURCE)
    assert graph["regretless.base.learner"] >= {"regretless._core", "regretless.losses"}
    check(graph)


def test_rooms_import_in_no_cycle():
    # who imports a module of a room runs the room's __init__ first, hence all of the room
    check(rooms(import_graph(SOURCE)))


def test_the_page_has_the_layers_that_there_are():
    shown: dict[str, int] = {}
    for number, names in re.findall(r"^(\d)  (\S.*)$", PAGE.read_text(), re.MULTILINE):
        shown |= dict.fromkeys(names.split(), int(number))
    found = layers(rooms(import_graph(SOURCE)))
    wrong = {name: layer for name, layer in found.items() if shown.get(name) != layer}
    assert not wrong, f"docs/architecture.md has other layers; these are the true ones: {wrong}"
    assert shown.keys() == found.keys()


# --- the test is a test ----------------------------------------------------------------------------


def test_a_cycle_is_found_and_named():
    graph = {"a": {"b"}, "b": {"c", "d"}, "c": set(), "d": {"e"}, "e": {"b"}, "f": {"a"}}
    with pytest.raises(AssertionError, match=r"an import cycle: b -> d -> e -> b$"):
        check(graph)
    graph["e"] = {"c"}
    check(graph)
    assert layers(graph) == {"c": 0, "e": 1, "d": 2, "b": 3, "a": 4, "f": 5}


def test_a_module_that_imports_itself_is_a_cycle():
    assert cycle({"a": set(), "b": {"b"}}) == ["b", "b"]


@pytest.mark.parametrize(
    ("back", "found"),
    [
        ("from made.up import one\n", True),
        ("import made.up.one\n", True),
        ("from .up import one\n", True),
        ("from .up.one import name\n", True),
        ("from . import up\n", False),  # that is made.up, which imports nobody
        ("try:\n    import numpy\nexcept ImportError:\n    import made.up.one\n", True),
        ("if True:\n    pass\nelse:\n    import made.up.one\n", True),
        ("class Thing:\n    import made.up.one\n", True),
        ("def later():\n    import made.up.one\n", False),
        ("class Thing:\n    def later(self):\n        import made.up.one\n", False),
        ("if TYPE_CHECKING:\n    import made.up.one\n", False),
        ("if typing.TYPE_CHECKING:\n    pass\nelse:\n    import made.up.one\n", True),
    ],
)
def test_what_counts_as_an_import(tmp_path, back, found):
    (tmp_path / "made" / "up").mkdir(parents=True)
    for name in ("__init__.py", "up/__init__.py"):
        (tmp_path / "made" / name).write_text("")
    (tmp_path / "made" / "up" / "one.py").write_text("from made.two import name\n")
    (tmp_path / "made" / "two.py").write_text(back)
    graph = import_graph(tmp_path / "made")
    assert graph["made.up.one"] == {"made.two"}
    assert cycle(graph) == (["made.two", "made.up.one", "made.two"] if found else None)
    assert cycle(rooms(graph)) == (["two", "up", "two"] if found or ". import" in back else None)
