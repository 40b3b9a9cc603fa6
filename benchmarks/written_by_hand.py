"""What the library writes itself beside what a kept library offers for the same work.

    python benchmarks/written_by_hand.py [--include DIR,...] [--programs DIR] [--smoke]

Each line is the same work done by our code and by the alternative, in turns, on the same data; figures
are medians of CPU time, which a busy machine disturbs less than wall time. The text files are generated.
C++ is compiled by g++; Eigen and xxhash are found in the system's directories or those of `--include`.
`--programs` keeps the compiled programs, and uses those that are there already.
An alternative that is not installed is named, and left out. docs/written_by_hand.md has the table that
this writes, and what to conclude from it.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import queue
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads that wait would count as CPU time

import numpy as np
from harness import machine

HERE = Path(__file__).parent
KEPT = HERE / "written_by_hand.json"
PAGE = HERE.parent / "docs" / "written_by_hand.md"
FLAGS = ["-O3", "-std=c++20", "-ffp-contract=off", "-fno-math-errno"]

rows: list[dict[str, Any]] = []
notes: list[str] = []
absent: list[str] = []


def add(part: str, work: str, alternative: str, times: Sequence[float], unit: str) -> None:
    """Keep a line: the times of ours and of the alternative, in the unit."""
    ours, theirs = times
    rows.append(
        {"part": part, "work": work, "alternative": alternative}
        | {"ours": ours, "theirs": theirs, "unit": unit}
    )
    print(f"{part}: {work}, {alternative}: {ours:.3g} {theirs:.3g} {unit}", flush=True)


def cpu_seconds(job: Callable[[], Any]) -> float:
    """CPU time of all threads."""
    start = time.process_time()
    job()
    return time.process_time() - start


def child_seconds(command: list[Any]) -> float:
    """CPU time of a program."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(c) for c in command], check=True, capture_output=True)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime


def turns(repeats: int, *jobs: Callable[[], float]) -> list[float]:
    """The median of each, taken in turns; a first turn warms up."""
    for job in jobs:
        job()
    return [
        statistics.median(all_) for all_ in zip(*([job() for job in jobs] for _ in range(repeats)))
    ]


# --- in C++ ------------------------------------------------------------------------------------------


def build(program: Path, core: Path, *sources: Path, include: list[str] | None = None) -> Path:
    """A program, made of the sources and the headers in `core`."""
    places = [f"-isystem{each}" for each in include or []]
    files = [str(each) for each in sources]
    if program.exists():
        return program
    subprocess.run(["g++", *FLAGS, f"-I{core}", *places, *files, "-o", str(program)], check=True)
    return program


def parsing_program(program: Path, core: Path) -> Path:
    """The program that parses a file with the sources in `core`."""
    text = sorted((core / "text").glob("*.cpp"))
    return build(program, core, HERE / "written_by_hand_text.cpp", *text, core / "memory.cpp")


def with_from_chars(folder: Path) -> Path:
    """A copy of the core in which all numbers are read by std::from_chars."""
    core = folder / "core"
    shutil.copytree(HERE.parent / "core", core)
    replace(core / "text" / "decimals.cpp", r"const bool kWide = .*;", "const bool kWide = false;")
    instead = """  {
    const char* from = p < end && *p == '+' ? p + 1 : p;
    const auto [rest, error] = std::from_chars(from, end, out);
    return error == std::errc() ? rest : nullptr;
  }
  const char* begin = p;
  const bool negative"""
    replace(
        core / "text" / "line.hpp", r"  const char\* begin = p;\n  const bool negative", instead
    )
    return core


def replace(path: Path, pattern: str, by: str) -> None:
    """Change the one place of a file that matches."""
    text, count = re.subn(pattern, lambda _: by, path.read_text())
    if count != 1:
        raise ValueError(f"{path} has changed: {pattern!r} stands there {count} times")
    path.write_text(text)


PARTS = {
    "one number": "numbers",
    "hash": "names",
    "an arm": "draws",
    "a number of": "draws",
    "a normal": "draws",
    "a gamma": "draws",
}


def compiled(driver: Path, repeats: int, size: float) -> None:
    """What the driver compares by itself."""
    done = subprocess.run(
        [driver, str(repeats), str(size)], capture_output=True, text=True, check=True
    )
    for line in done.stdout.splitlines():
        first, *rest = line.split("\t")
        if first == "missing":
            absent.append(f"the header {rest[0]}")
        elif first == "note":
            notes.append(rest[0])
        else:
            part = next((p for begin, p in PARTS.items() if first.startswith(begin)), "matrices")
            add(part, first, rest[0], [float(rest[1]), float(rest[2])], "ns")


def whole_parsers(ours: Path, theirs: Path, files: dict[str, Path], repeats: int) -> None:
    """Parsers as they are, and with std::from_chars for their numbers."""
    for name, path in files.items():
        kind = {".svm": "svmlight"}.get(path.suffix, path.suffix[1:])
        sums = []

        def nanoseconds(
            program: Path, kind: str = kind, path: Path = path, sums: Any = sums
        ) -> float:
            command = [program, "3", kind, path]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            taken, total = done.stdout.split()
            sums.append(total)
            return float(taken)

        mine, other = turns(repeats, lambda: nanoseconds(ours), lambda: nanoseconds(theirs))
        assert len(set(sums)) == 1, (name, sums)  # the same numbers, to the last bit
        add("numbers", f"parse an example: {name}", "std::from_chars", [mine, other], "ns")


# --- files -------------------------------------------------------------------------------------------


def generate(folder: Path, count: int) -> dict[str, Path]:
    """Text files of random examples."""
    random = np.random.default_rng(3)
    y = random.integers(0, 2, count).tolist()
    numbers = random.normal(size=(count, 20)).tolist()
    whole = random.integers(0, 1000, (count, 20)).tolist()
    columns = np.minimum((2**18) ** random.random((count, 40)), 2**18 - 1).astype(int)
    columns = np.sort(columns, axis=1).tolist()
    values = np.round(0.5 + random.random((count, 40)), 2).tolist()
    sparse = [
        " ".join(f"{c}:{v}" for c, v in dict(zip(*pair)).items()) for pair in zip(columns, values)
    ]
    head = ",".join([*(f"x{k}" for k in range(20)), "y"])
    towns = [
        [f"{'abcde'[k]}{int(t)}" for k, t in enumerate(ts)]
        for ts in random.integers(0, 50, (count, 5))
    ]

    def table(name: str, lines: Iterator[str], header: str = head) -> Path:
        (folder / name).write_text("\n".join([header, *lines]) + "\n")
        return folder / name

    def lines_of(name: str, lines: Iterator[str]) -> Path:
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
        return folder / name

    def objects(names: int) -> Iterator[str]:
        for row, label in zip(numbers, y):
            some = random.choice(names, 10, replace=False).tolist() if names > 10 else range(10)
            x = {f"n{k}": round(v, 4) for k, v in zip(some, row)}
            yield json.dumps({**x, "y": label})

    each = list(zip(numbers, y))
    return {
        "CSV, integers below 1,000": table(
            "i3.csv", (",".join(map(str, [*row, label])) for row, label in zip(whole, y))
        ),
        "CSV, decimals of 4 places": table(
            "d4.csv", (",".join([*(f"{v:.4f}" for v in row), str(label)]) for row, label in each)
        ),
        "CSV, doubles of 16 to 17 digits": table(
            "d17.csv", (",".join([*map(repr, row), str(label)]) for row, label in each)
        ),
        "CSV, 5 texts and 5 decimals": table(
            "mixed.csv",
            (
                ",".join([*ts, *(f"{v:.4f}" for v in row[:5]), str(label)])
                for ts, (row, label) in zip(towns, each)
            ),
            ",".join([*(f"t{k}" for k in range(5)), *(f"x{k}" for k in range(5)), "y"]),
        ),
        "svmlight, 40 of 2^18 columns": lines_of("g.svm", (f"{a} {b}" for a, b in zip(y, sparse))),
        "VW text, 40 of 2^18 columns": lines_of(
            "g.vw", (f"{2 * a - 1} | {b}" for a, b in zip(y, sparse))
        ),
        "JSON lines, the same 10 names": lines_of("r.jsonl", objects(10)),
        "JSON lines, 10 of 5,000 names": lines_of(
            "s.jsonl", itertools.islice(objects(5000), count // 10)
        ),
    }


def all_pieces(source: Any, bits: int = 18, **options: Any) -> int:
    """Read a stream to its end as a hashed learner does; how many examples there were."""
    from regretless import streams
    from regretless.linear import LinearClassifier

    form = LinearClassifier(features="hashed", bits=bits, names=0).form()
    return sum(len(piece.y) for piece in streams.read(source, **options).pieces(form))


def tables(files: dict[str, Path], count: int, repeats: int) -> None:
    """CSV and JSON lines beside the readers of pyarrow."""
    import pyarrow as pa
    from pyarrow import csv
    from pyarrow import json as arrow_json

    whole = arrow_json.ReadOptions(use_threads=False, block_size=1 << 22)
    in_turn = csv.ReadOptions(use_threads=False, block_size=1 << 19)

    def batches(path: Path) -> Iterator[Any]:
        return iter(csv.open_csv(path, read_options=in_turn))

    def through_arrow(path: Path) -> None:
        for batch in batches(path):
            all_pieces(pa.Table.from_batches([batch]), label="y")

    for name, path in files.items():
        us = 1e6 / count
        if path.suffix == ".csv":
            work = f"{name}: an example as a learner takes it"
            jobs = [
                lambda path=path: cpu_seconds(lambda: all_pieces(path, label="y")),
                lambda path=path: cpu_seconds(lambda: sum(len(b) for b in batches(path))),
                lambda path=path: cpu_seconds(lambda: through_arrow(path)),
            ]
            mine, parsed, taken = turns(repeats, *jobs)
            add(
                "CSV",
                f"{name}: ours to examples, theirs to columns",
                "pyarrow.csv",
                [mine * us, parsed * us],
                "us",
            )
            add("CSV", work, "pyarrow.csv, then our tables", [mine * us, taken * us], "us")
        if path.suffix == ".jsonl":
            sparse = path.name == "s.jsonl"
            us = 1e6 / (count // 10 if sparse else count)
            mine, theirs, plain = turns(
                repeats,
                lambda path=path: cpu_seconds(lambda: all_pieces(path, label="y")),
                lambda path=path: cpu_seconds(
                    lambda: arrow_json.read_json(path, read_options=whole)
                ),
                lambda path=path: cpu_seconds(lambda: [json.loads(line) for line in path.open()]),
            )
            add(
                "JSON",
                f"{name}: ours to examples, theirs to columns",
                "pyarrow.json",
                [mine * us, theirs * us],
                "us",
            )
            add(
                "JSON",
                f"{name}: ours to examples, theirs to dicts",
                "json.loads",
                [mine * us, plain * us],
                "us",
            )


def sparse_text(files: dict[str, Path], count: int, repeats: int) -> None:
    """svmlight beside scikit-learn's loader, VW text beside Vowpal Wabbit."""
    us = 1e6 / count
    path = files["svmlight, 40 of 2^18 columns"]
    try:
        from sklearn.datasets import load_svmlight_file
    except ImportError:
        absent.append("scikit-learn")
    else:
        mine, theirs = turns(
            repeats,
            lambda: cpu_seconds(lambda: all_pieces(path)),
            lambda: cpu_seconds(lambda: load_svmlight_file(str(path), zero_based=True)),
        )
        add(
            "svmlight",
            "an example of 40 columns",
            "scikit-learn, load_svmlight_file",
            [mine * us, theirs * us],
            "us",
        )
    path = files["VW text, 40 of 2^18 columns"]
    program = [sys.executable, "-m", "vowpalwabbit", "--quiet", "--noop"]
    few = path.with_name("few.vw")
    few.write_text("1 | 1:1\n")
    try:
        child_seconds([*program, "-d", few])
    except subprocess.CalledProcessError:
        absent.append("vowpalwabbit")
        return
    mine, theirs, start = turns(
        repeats,
        lambda: cpu_seconds(lambda: all_pieces(path)),
        lambda: child_seconds([*program, "-d", path]),
        lambda: child_seconds([*program, "-d", few]),
    )
    add(
        "VW text",
        "an example of 40 columns, start-up not counted",
        "Vowpal Wabbit, --noop",
        [mine * us, (theirs - start) * us],
        "us",
    )


# --- in Python ---------------------------------------------------------------------------------------


def draws_in_python(repeats: int) -> None:
    """The sampler of players that play in Python."""
    from regretless import _core

    random, some = np.random.default_rng(0), range(2000)
    for n in (10, 1000):
        w = random.random(n)
        p = w / w.sum()
        mine, theirs = turns(
            repeats,
            lambda w=w: cpu_seconds(lambda: [_core.drawn_index(w, random.random()) for _ in some]),
            lambda n=n, p=p: cpu_seconds(lambda: [random.choice(n, p=p) for _ in some]),
        )
        add(
            "draws",
            f"an arm of {n}, from Python",
            "numpy.random.Generator.choice",
            [mine * 500, theirs * 500],
            "us",
        )


def hand_over(repeats: int) -> None:
    """A bounded buffer between two threads."""
    from regretless.streams.stream import ahead

    items = range(5_000)

    def by_futures(depth: int = 4) -> Iterator[int]:
        source = iter(items)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            waiting = [pool.submit(next, source, None) for _ in range(depth)]
            while (item := waiting.pop(0).result()) is not None:
                waiting.append(pool.submit(next, source, None))
                yield item

    def bare(depth: int = 4) -> Iterator[int]:  # no errors, no early end
        import threading

        buffer: queue.Queue[Any] = queue.Queue(depth)
        thread = threading.Thread(target=lambda: [buffer.put(i) for i in [*items, None]])
        thread.start()
        while (item := buffer.get()) is not None:
            yield item
        thread.join()

    us = 1e6 / len(items)
    for name, other in (
        ("concurrent.futures, one worker", by_futures),
        ("a bare queue.Queue", bare),
    ):
        mine, theirs = turns(
            repeats,
            lambda: cpu_seconds(lambda: sum(ahead(items))),
            lambda other=other: cpu_seconds(lambda: sum(other())),
        )
        add("threads", "hand over an item", name, [mine * us, theirs * us], "us")


def problems() -> Iterator[tuple[str, Any, Any]]:
    """Convex problems: a name, our solver, and a solver of SciPy; each returns the value it reaches."""
    from scipy import optimize

    from regretless import losses
    from regretless.domains import Ball, Box, Intersection, Simplex
    from regretless.geometry import Quadratic
    from regretless.oco.hindsight import best_point

    random = np.random.default_rng(5)

    def slsqp(f: Any, gradient: Any, start: Any, constraints: Any, bounds: Any = None) -> Any:
        return optimize.minimize(
            f, start, jac=gradient, method="SLSQP", bounds=bounds, constraints=constraints,
            options={"ftol": 1e-12, "maxiter": 1000},
        ).x  # fmt: skip

    sums = {"type": "eq", "fun": lambda v: v.sum() - 1.0, "jac": np.ones_like}
    inside = {"type": "ineq", "fun": lambda v: 1.0 - v @ v, "jac": lambda v: -2.0 * v}
    for d in (10, 50):
        G = random.normal(size=(2 * d, d))
        A, theta = G.T @ G / d, random.normal(size=d) * 3.0

        def quadratic(v: Any, A: Any = A, theta: Any = theta) -> float:
            return float(0.5 * v @ A @ v - theta @ v)

        yield (
            f"projection in the norm of a matrix onto the simplex, d = {d}",
            lambda A=A, theta=theta, q=quadratic: q(Simplex().link(theta, Quadratic(A))),
            ("SLSQP", lambda A=A, theta=theta, q=quadratic, d=d: q(
                slsqp(q, lambda v: A @ v - theta, np.full(d, 1 / d), [sums], [(0, 1)] * d))),
        )  # fmt: skip
        both, far = Intersection(Ball(1.0), Box(-0.3, 0.3)), random.normal(size=d)
        yield (
            f"projection onto a ball and a box, d = {d}",
            lambda both=both, far=far: float(np.sum((both.project(far) - far) ** 2)),
            ("SLSQP", lambda far=far, d=d: float(np.sum((slsqp(
                lambda v: np.sum((v - far) ** 2), lambda v: 2 * (v - far), np.zeros(d), [inside],
                [(-0.3, 0.3)] * d) - far) ** 2))),
        )  # fmt: skip
    T, d = 500, 20
    X = random.normal(size=(T, d))
    y = np.sign(X @ random.normal(size=d) + 2.0 * random.normal(size=T))
    for name in ("Logistic", "Hinge"):
        loss = getattr(losses, name)()

        def total(u: Any, loss: Any = loss) -> float:
            return float(np.sum(loss.value(X @ u, y)))

        def slope(u: Any, loss: Any = loss) -> Any:
            return np.asarray(loss.derivative(X @ u, y) @ X)

        yield (
            f"best point of 500 {name.lower()} losses in a ball, d = 20",
            lambda loss=loss, total=total: total(best_point(Ball(1.0), X, y, loss).point),
            (
                "SLSQP",
                lambda total=total, slope=slope: total(slsqp(total, slope, np.zeros(d), [inside])),
            ),
        )
    target = X @ random.dirichlet(np.ones(d)) + random.normal(size=T)

    def program() -> float:
        costs = np.append(np.zeros(d), np.ones(T))
        A = np.block([[X, -np.eye(T)], [-X, -np.eye(T)]])
        equal = np.append(np.ones(d), np.zeros(T))[None]
        done = optimize.linprog(costs, A, np.append(target, -target), equal, [1.0], method="highs")
        return float(done.fun)

    yield (
        "best point of 500 absolute losses in the simplex, d = 20",
        lambda: float(
            np.abs(X @ best_point(Simplex(), X, target, losses.Absolute()).point - target).sum()
        ),
        ("linprog (HiGHS)", program),
    )


def solvers(repeats: int) -> None:
    """Convex problems beside the general solvers of SciPy, with the value reached."""
    for work, ours, (name, theirs) in problems():
        mine, other = turns(
            repeats, lambda job=ours: cpu_seconds(job), lambda job=theirs: cpu_seconds(job)
        )
        add("solvers", work, f"scipy.optimize, {name}", [mine * 1e3, other * 1e3], "ms")
        values = ours(), theirs()
        rows[-1]["excess"] = [(v - min(values)) / max(1e-300, abs(min(values))) for v in values]


def imports(repeats: int) -> None:
    """What it costs to import the alternatives."""
    names = ("pyarrow.csv", "pyarrow.json", "sklearn.datasets", "scipy.optimize")

    def importing(name: str) -> Callable[[], float]:
        return lambda: child_seconds([sys.executable, "-c", f"import {name}"])

    numpy, ours, *taken = turns(
        repeats,
        *map(importing, ("numpy", "regretless.streams")),
        *(importing(f"numpy, {name}") for name in names),
    )
    costs = [f"{name} {1e3 * (each - numpy):.0f}" for name, each in zip(names, taken)]
    notes.append(
        f"Milliseconds of CPU time to import `numpy`: {1e3 * numpy:.0f}; beyond that "
        f"`regretless.streams` {1e3 * (ours - numpy):.0f}, {', '.join(costs)}."
    )


# --- the page ----------------------------------------------------------------------------------------


def shown(number: float, digits: int) -> str:
    """A number of so many digits, without an exponent."""
    return f"{float(f'{number:.{digits}g}'):,.{digits + 9}g}"


def figures() -> str:
    """The table of the page, from the results that are kept."""
    kept = json.loads(KEPT.read_text())
    lines = [
        "| part | work | alternative | ours | theirs | times as fast |",
        "|---|---|---|--:|--:|--:|",
    ]
    for row in kept["rows"]:
        ratio = row["theirs"] / row["ours"]
        excess = row.get("excess")
        cells = [f"{shown(row[who], 3)} {row['unit']}" for who in ("ours", "theirs")]
        if excess:
            cells = [f"{c}, off by {e:.0e}" if e > 1e-9 else c for c, e in zip(cells, excess)]
        lines.append(
            f"| {row['part']} | {row['work'].replace('2^18', '262,144')} | {row['alternative']} "
            f"| {cells[0]} | {cells[1]} | **{shown(ratio, 2)}** |"
        )
    about = [f"- {note}" for note in kept["notes"]]
    if kept["absent"]:
        about.append(f"- Not installed, and left out: {', '.join(kept['absent'])}.")
    about.append(f"- Measured on {'; '.join(kept['machine'].values())}.")
    return "\n".join([*lines, "", *about])


def main() -> None:
    """Measure all of it and write the table of the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", default="", help="directories of headers, with commas")
    parser.add_argument("--programs", help="where compiled programs are kept")
    parser.add_argument("--smoke", action="store_true", help="small, and keep no results")
    options = parser.parse_args()
    count, repeats, size = (2_000, 1, 0.02) if options.smoke else (5_000, 5, 0.2)
    include = [*filter(None, options.include.split(",")), "/usr/include/eigen3"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = generate(folder, count)
        tables(files, count, repeats)
        sparse_text(files, count, repeats)
        draws_in_python(repeats)
        solvers(repeats)
        hand_over(repeats)
        imports(min(3, repeats))
        programs = Path(options.programs or folder)
        core = HERE.parent / "core"
        driver = build(programs / "driver", core, HERE / "written_by_hand.cpp", include=include)
        ours = parsing_program(programs / "ours", core)
        theirs = parsing_program(programs / "theirs", with_from_chars(folder))
        compiled(driver, repeats, size)
        whole_parsers(ours, theirs, files, repeats)
    for each in absent:
        print(f"left out, not installed: {each}", file=sys.stderr)
    if options.smoke:
        return
    order = [
        "numbers",
        "CSV",
        "JSON",
        "svmlight",
        "VW text",
        "names",
        "draws",
        "solvers",
        "matrices",
        "threads",
    ]
    rows.sort(key=lambda row: order.index(row["part"]))
    content = {"machine": machine(), "rows": rows, "notes": notes, "absent": absent}
    KEPT.write_text(json.dumps(content, indent=2) + "\n")
    before = PAGE.read_text().partition("| part | work |")[0]
    PAGE.write_text(before + figures() + "\n")


if __name__ == "__main__":
    main()
