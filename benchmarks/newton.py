"""Sketched Newton against Vowpal Wabbit's OjaNewton, our own AdaGrad, and its own growth with d.

    python benchmarks/newton.py [--data DIR] [--smoke]

The text is that of streams.py, with 40 of 2^18 features in an example. Losses on real sets, shuffled
(seed 0), are those of the defaults; `--data` (or REGRETLESS_DATA) names their directory.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from auto import SETS, lines_of
from harness import Row, best_of, finish, medians
from streams import OURS, THEIRS, generate, labels_of, run, their_loss

from regretless.newton import NewtonClassifier

OJA = ("--OjaNewton", "--sketch_size", "10")
NEWTON = ("--learner", "newton", "--sketch", "oja", "--size", "10")


def on_text(folder: Path, count: int, repeats: int) -> tuple[list[Row], dict[str, str]]:
    """The command line on the generated file, beside the peer's sketch and our AdaGrad."""
    path, few = folder / "generated.vw", folder / "few.vw"
    generate(path, count)
    few.write_text("1 | 1:1\n-1 | 2:1\n")
    reports: dict[tuple[str, ...], dict[str, Any]] = {}

    def ours(file: Path, *learner: str) -> None:
        reports[learner] = json.loads(run([*OURS, file, *learner]))

    adagrad = ("--learner", "adagrad-plain")
    # a run takes little more than to start: that is measured as often, and in turns with it
    jobs = [
        partial(job, file)
        for job in (
            lambda file: ours(file, *NEWTON),
            lambda file: run([*THEIRS, *OJA, "-d", file]),
            lambda file: ours(file, *adagrad),
        )
        for file in (few, path)
    ]
    times = medians(jobs, repeats)
    newton, theirs, first = ((b - a) / count * 1e6 for a, b in zip(times[::2], times[1::2]))
    loss, their = reports[NEWTON]["mean_loss"], their_loss(path, labels_of(path), *OJA)
    work = "the same (a sixth of the speed is asked)"
    rows = [
        Row("VW text, Oja, m = 10", "Vowpal Wabbit, OjaNewton", newton, theirs, loss, their, 3),
        Row(work, "our AdaGrad", newton, first, loss, reports[adagrad]["mean_loss"], 1 / 6),
    ]
    return rows, {"peak memory of the command": f"{reports[NEWTON]['peak_rss_mb']:.0f} MB"}


def by_dimension(count: int, repeats: int) -> dict[str, str]:
    """Time of an example of 40 non-zeros among d features, uniformly, each seen before."""
    from scipy.sparse import csr_array

    rng, found = np.random.default_rng(0), []
    for d in (10**3, 10**4, 10**5, 10**6, 10**7):
        # as many features are used whatever d is: what is measured is work, not memory
        used = np.sort(rng.choice(d, min(d, 2000), replace=False))
        columns = used[rng.integers(0, len(used), (count, 40))].astype(np.int32)
        X = csr_array(
            (rng.normal(size=columns.size), columns.ravel(), np.arange(0, columns.size + 1, 40)),
            shape=(count, d),
        )
        X.sum_duplicates()
        y = rng.random(count) < 0.5
        model = NewtonClassifier(features="hashed", bits=24)
        model.learn_many(X, y)  # the memory is there
        found.append(best_of(lambda m=model, X=X, y=y: m.learn_many(X, y), repeats) / count * 1e6)
    return {
        "us an example in memory, 40 non-zeros, d = 10^3, 10^4, 10^5, 10^6, 10^7": ", ".join(
            f"{t:.2f}" for t in found
        ),
        "largest over smallest (2 allowed)": f"{max(found) / min(found):.2f}",
    }


def frequent_directions(count: int) -> dict[str, str]:
    """How often the repaired sparse form goes through all rows, and what that costs."""
    from scipy.sparse import csr_array

    rng = np.random.default_rng(0)
    columns = np.minimum(2.0 ** (14 * rng.random((count, 40))), 2**14 - 1).astype(np.int32)
    X = csr_array(
        (rng.normal(size=columns.size), columns.ravel(), np.arange(0, columns.size + 1, 40)),
        shape=(count, 2**14),
    )
    X.sum_duplicates()
    y = np.sign(X @ rng.normal(size=2**14)) > 0
    out = []
    for sketch in ("oja", "fd", "rp"):
        model = NewtonClassifier(sketch=sketch, size=10, alpha=10.0, curvature=0.125)
        time = best_of(lambda m=model: m.learn_many(X, y), 1) / count * 1e6
        core: Any = model._model
        out.append(f"{sketch} {time:.1f} us, {core.spaces(0)[0]['rebases']} passes over all rows")
    return {f"one lane, m = 10, 40 of 2^14 features, {count:,} examples": "; ".join(out)}


def real_sets(data: Path, folder: Path) -> Iterator[tuple[str, int, float, float, float]]:
    """Set, examples, and the losses of Newton, of its first-order form and of AdaGrad."""
    import random

    for name in SETS:
        if not (data / f"{name}.svm.gz").exists():
            print(f"{name} is not in {data}: left out", file=sys.stderr)
            continue
        lines = lines_of(data, name)
        random.Random(0).shuffle(lines)
        path = folder / "set.vw"
        path.write_text("".join(lines))
        losses = [
            json.loads(run([*OURS, path, "--learner", *learner]))["mean_loss"]
            for learner in (("newton",), ("newton", "--size", "0"), ("adagrad-plain",))
        ]
        print(f"{name:14}", *(f"{loss:.4f}" for loss in losses), flush=True)
        yield name, len(lines), *losses


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default=os.environ.get("REGRETLESS_DATA"))
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    count, repeats = (2_000, 1) if options.smoke else (100_000, 11)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        rows, notes = on_text(folder, count, repeats)
        notes |= by_dimension(count // 5, 5)
        notes |= frequent_directions(count // 5)
        found = []
        if options.data and not options.smoke:
            found = list(real_sets(Path(options.data), folder))
        else:
            print("no --data and no REGRETLESS_DATA, or --smoke: no real sets", file=sys.stderr)
    table = [("set", "examples", "Newton", "m = 0", "AdaGrad"), *found]
    finish("newton", rows, notes, keep=not options.smoke, cells=table if found else None)


if __name__ == "__main__":
    main()
