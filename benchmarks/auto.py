"""Auto against Vowpal Wabbit: speed on generated text, loss on every binary set at hand.

    python benchmarks/auto.py [--data DIR] [--smoke]

The text is that of streams.py. Real sets are taken in file order and shuffled (seed 0); losses are
progressive, one pass: Auto, Auto(second_order=True) and NewtonClassifier, Vowpal Wabbit with its
defaults, and its best of eleven learning rates, 1/32 to 32, chosen in hindsight. Times are those of the
processor, for learning alone. `--data` (or REGRETLESS_DATA) names the directory.
"""

import argparse
import gzip
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from harness import Row, best_of, finish, interleaved, medians
from streams import OURS, THEIRS, generate, labels_of, run, their_loss

from regretless import rules, streams
from regretless.linear import Auto, LinearClassifier
from regretless.newton import NewtonClassifier

SETS = (
    "a1a", "a9a", "adult", "australian", "bio", "breast-cancer", "census", "covtype", "diabetes",
    "fourclass", "heart", "ijcnn1", "ijcnn1_train", "imdb", "ionosphere", "letter", "magic04",
    "mnist_4v9", "mushrooms", "reuters21578", "skin_nonskin", "sms_spam", "spam_stream", "splice",
    "svmguide3", "w1a", "w8a",
)  # fmt: skip
TABLES = {"bank": ("y", "yes"), "noaa_weather": ("target", "1")}  # target and positive label
POSITIVE = {"covtype": {2.0}, "letter": set(range(1, 14))}  # of more than two classes
RATES = [2.0**k for k in range(-5, 6)]
OF_OURS = {
    "Auto": lambda: Auto(features="hashed"),
    "second order": lambda: Auto(second_order=True, features="hashed"),
    "Newton": lambda: NewtonClassifier(features="hashed"),
}


def on_text(folder: Path, count: int, repeats: int) -> tuple[list[Row], dict[str, str]]:
    """The command line on the generated file; Vowpal Wabbit learns one model."""
    path, few = folder / "generated.vw", folder / "few.vw"
    bayes = generate(path, count)
    few.write_text("1 | 1:1\n-1 | 2:1\n")
    start, their_start = interleaved(
        lambda: run([*OURS, few]), lambda: run([*THEIRS, "-d", few]), max(3, repeats)
    )
    reports: list[dict[str, Any]] = []
    ours, second, theirs = medians(
        [
            lambda: reports.append(json.loads(run([*OURS, path]))),
            lambda: run([*OURS, path, "--second-order"]),
            lambda: run([*THEIRS, "-d", path]),
        ],
        repeats,
    )
    labels = labels_of(path)
    us = [(ours - start) / count * 1e6, (theirs - their_start) / count * 1e6]
    loss = their_loss(path, labels)
    row = Row(
        "VW text, Auto, 16 lanes", "Vowpal Wabbit, one", *us, reports[-1]["mean_loss"], loss, 1
    )
    notes = {
        "Bayes limit of the generated file": f"{bayes:.4f}",
        "loss of Vowpal Wabbit's coin there": f"{their_loss(path, labels, '--coin'):.4f}",
        "time of the command with --second-order over that without": f"{second / ours:.2f}",
        "peak memory of the command": f"{reports[-1]['peak_rss_mb']:.0f} MB",
    }
    return [row], notes


def lanes(count: int, repeats: int) -> dict[str, str]:
    """What sixteen lanes cost over one, in memory."""
    generator = np.random.default_rng(1)
    starts = np.arange(0, 40 * count + 1, 40)
    columns = np.minimum(2.0 ** (18 * generator.random(40 * count)), 2**18 - 1).astype(np.int32)
    from scipy.sparse import csr_array

    X = csr_array((0.5 + generator.random(40 * count), columns, starts), shape=(count, 2**18))
    X.sum_duplicates()
    y = generator.random(count) < 0.5
    one = rules.AdaGrad(rate=1.0, scale_invariant=True)
    models = {
        "coin": LinearClassifier(features="hashed"),
        "AdaGrad": LinearClassifier(rule=one, features="hashed"),
        "Auto": Auto(features="hashed"),
        "second order": Auto(second_order=True, features="hashed", drift=1e-9),
        "none retired": Auto(features="hashed", drift=1e-9),
    }
    for model in models.values():
        model.learn_many(X, y)  # the memory is there
    us = {
        k: best_of(lambda m=m: m.learn_many(X, y), repeats) / count * 1e6 for k, m in models.items()
    }
    over = {k: us["Auto"] / us[k] for k in ("AdaGrad", "coin")}
    return {
        "us an example in memory, 40 features, of coin, AdaGrad (scale-invariant) and Auto": ", ".join(
            f"{us[k]:.2f}" for k in ("coin", "AdaGrad", "Auto")
        ),
        "time of Auto over one lane of AdaGrad, of coin": f"{over['AdaGrad']:.1f}, {over['coin']:.1f}",
        "time of Auto with second-order lanes over that without, no lane retired": (
            f"{us['second order'] / us['none retired']:.2f}"
        ),
    }


def lines_of(data: Path, name: str) -> list[str]:
    """The set as VW text, labels 1 and -1."""
    if name in TABLES:
        target, positive = TABLES[name]
        stream = streams.read(data / f"{name}.csv.gz", label=target)
        return [_line(x, str(y) == positive or str(y) == f"{positive}.0") for x, y in stream]
    with gzip.open(data / f"{name}.svm.gz", "rt") as file:
        parts = [line.strip().partition(" ") for line in file]  # some have no features
    positives = POSITIVE.get(name)
    out = []
    for label, _, rest in parts:
        is_positive = float(label) in positives if positives else float(label) > 0
        out.append(f"{1 if is_positive else -1} | {rest}\n")
    return out


def _line(x: dict[Any, Any], positive: bool) -> str:
    pairs = (
        f"{name}={value}" if isinstance(value, str) else f"{name}:{float(value):.9g}"
        for name, value in x.items()
    )
    return f"{1 if positive else -1} | " + " ".join(p.replace(" ", "_") for p in pairs) + "\n"


def learned(path: Path, repeats: int = 3) -> list[tuple[float, int]]:
    """The mean loss of each learner of ours, and nanoseconds an example, the least of some runs."""
    best = [float("inf")] * len(OF_OURS)
    for _ in range(repeats):
        models = [make() for make in OF_OURS.values()]
        seconds, count = [0.0] * len(models), 0
        for piece in streams.read(path).pieces(models[0].form()):
            count += len(piece)
            for k, model in enumerate(models):
                start = time.process_time()
                model.learn_many(piece.X, piece.y, piece.w)
                seconds[k] += time.process_time() - start
        best = [min(pair) for pair in zip(best, seconds)]
    return [(m.loss_ / count, round(1e9 * t / count)) for m, t in zip(models, best)]


def real_sets(data: Path, folder: Path) -> Iterator[tuple[Any, ...]]:
    """Set, order, examples, losses of ours, of Vowpal Wabbit's default and best rate, and times."""
    for name in (*SETS, *TABLES):
        found = [data / f"{name}.{kind}.gz" for kind in ("svm", "csv")]
        if not any(path.exists() for path in found):
            print(f"{name} is not in {data}: left out", file=sys.stderr)
            continue
        lines = lines_of(data, name)
        for order in ("file", "shuffled"):
            if order == "shuffled":
                random.Random(0).shuffle(lines)
            path = folder / "set.vw"
            path.write_text("".join(lines))
            labels = np.array([1.0 if line[0] == "1" else -1.0 for line in lines])
            ours, times = zip(*learned(path))
            theirs = their_loss(path, labels)
            best = min(their_loss(path, labels, "-l", rate) for rate in RATES)
            losses = (*ours, theirs, best)
            print(f"{name:14} {order:8}", *(f"{loss:.4f}" for loss in losses), *times, flush=True)
            yield name, order, len(lines), *losses, *times


def main() -> None:
    """Run all of it and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("REGRETLESS_DATA"))
    parser.add_argument("--smoke", action="store_true", help="small, and keep no results")
    options = parser.parse_args()
    count, repeats = (20_000, 1) if options.smoke else (1_000_000, 5)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows, notes = on_text(folder, count, repeats)
        print(rows, notes, flush=True)
        notes |= lanes(min(count, 200_000), 5)
        found = []
        if options.data and not options.smoke:
            found = list(real_sets(Path(options.data), folder))
        else:
            print("no --data and no REGRETLESS_DATA, or --smoke: no real sets", file=sys.stderr)
    for order in ("file", "shuffled"):
        losses = [row[3 : 5 + len(OF_OURS)] for row in found if row[1] == order]
        for k, name in enumerate(OF_OURS if losses else ()):
            wins = sum(row[k] <= row[-2] for row in losses)
            over_best = sum(row[k] <= row[-1] for row in losses)
            notes[f"sets, {order} order, on which {name} loses no more than Vowpal Wabbit"] = (
                f"{wins} of {len(losses)}; than its best of eleven rates: {over_best}"
            )
    if found:
        ratios = [row[-2] / row[-3] for row in found if row[2] > 10_000]
        notes["time with second-order lanes over that without, sets of 10,000 and more, median"] = (
            f"{np.median(ratios):.2f}, from {min(ratios):.2f} to {max(ratios):.2f}"
        )
    table = [
        (
            *("set", "order", "examples", *OF_OURS, "Vowpal Wabbit", "its best rate"),
            *(f"{name}, ns" for name in OF_OURS),
        ),
        *found,
    ]
    finish("auto", rows, notes, keep=not options.smoke, cells=table if found else None)


if __name__ == "__main__":
    main()
