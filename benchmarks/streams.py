"""From file to model: against Vowpal Wabbit on its own text, and River on CSV.

    python benchmarks/streams.py [--data DIR] [--smoke]

The large file is generated: 1,000,000 examples with 40 of 2^18 features, power-law frequencies, labels
from a noisy sparse linear model whose own log loss (the Bayes limit) is printed. Command lines are
timed as a whole, less the time they take for an empty stream. Losses are progressive; Vowpal Wabbit's
are recomputed from its predictions. `--data` (or REGRETLESS_DATA) names a directory of svmlight files
on which the losses of both are compared as well.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from harness import Row, finish, interleaved, seconds

from regretless import evaluate, rates, streams
from regretless.linear import LinearClassifier
from regretless.streams.cache import Cache
from regretless.streams.stream import ahead

COLUMNS, ACTIVE = 2**18, 40
OURS = [sys.executable, "-m", "regretless", "train", "--json", "--quiet"]
THEIRS = [sys.executable, "-m", "vowpalwabbit", "--loss_function", "logistic", "--quiet"]
REAL = ("a9a", "w8a", "ijcnn1", "covtype", "census", "imdb", "spam_stream", "adult", "magic04")


def generate(path: Path, count: int) -> float:
    """Write VW text; returns the log loss of the model that drew the labels."""
    random = np.random.default_rng(7)
    weights = random.normal(size=COLUMNS) * (random.random(COLUMNS) < 0.2)
    scale, total = 0.0, 0.0
    with path.open("w") as file:
        for start in range(0, count, 10_000):
            shape = (min(10_000, count - start), ACTIVE)
            columns = np.minimum(COLUMNS ** random.random(shape), COLUMNS - 1).astype(np.int64)
            values = np.round(0.5 + random.random(shape), 2)
            score = (weights[columns] * values).sum(axis=1)
            scale = scale or 1.6 / score.std()
            p = 1 / (1 + np.exp(-scale * score))
            positive = random.random(len(p)) < p
            total -= np.log(np.where(positive, p, 1 - p)).sum()
            for row, value, label in zip(columns.tolist(), values.tolist(), positive):
                pairs = " ".join(f"{c}:{v}" for c, v in dict(zip(row, value)).items())
                file.write(f"{1 if label else -1} | {pairs}\n")
    return total / count


def run(command: list[Any]) -> str:
    """What a command prints."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True)
    return done.stdout


def their_loss(path: Path, labels: np.ndarray[Any, Any], *options: Any) -> float:
    """Mean log loss of the predictions that Vowpal Wabbit made before learning."""
    with tempfile.TemporaryDirectory() as folder:
        run([*THEIRS, "-d", path, "-p", f"{folder}/p", *options])
        scores = np.loadtxt(f"{folder}/p")
    return float(np.logaddexp(0, -labels * scores).mean())


def labels_of(path: Path) -> np.ndarray[Any, Any]:
    """The labels of a stream of -1 and 1."""
    return np.concatenate([np.where(p.y > 0, 1.0, -1.0) for p in streams.read(path).pieces()])


def text_lines(path: Path, count: int, repeats: int) -> list[Row]:
    """Plain and gzip text to a trained model, by command line."""
    empty = path.with_name("few.vw")
    empty.write_text("1 | 1:1\n-1 | 2:1\n")
    zipped = path.with_name(path.name + ".gz")
    with path.open("rb") as source, gzip.open(zipped, "wb", 6) as sink:
        while block := source.read(1 << 20):
            sink.write(block)
    start_ours, start_theirs = interleaved(
        lambda: run([*OURS, empty]), lambda: run([*THEIRS, "-d", empty]), max(3, repeats)
    )
    peer_loss = their_loss(path, labels_of(path))
    rows = []
    for file in (path, zipped):
        for learner in ("coin", "adagrad-plain"):
            reports: list[dict[str, Any]] = []

            def ours(file: Path = file, learner: str = learner, reports: Any = reports) -> None:
                reports.append(json.loads(run([*OURS, file, "--learner", learner])))

            mine, theirs = interleaved(ours, lambda file=file: run([*THEIRS, "-d", file]), repeats)
            rows.append(
                Row(
                    f"VW text, {'gzip' if file is zipped else 'plain'}, {learner}",
                    "Vowpal Wabbit, default",
                    (mine - start_ours) / count * 1e6,
                    (theirs - start_theirs) / count * 1e6,
                    reports[-1]["mean_loss"],
                    peer_loss,
                    3,
                )
            )
    return rows


def second_pass(path: Path, count: int, repeats: int) -> Row:
    """A pass from the binary cache."""
    cache_file = path.with_name("vw.cache")
    run([*THEIRS, "-d", path, "--cache_file", cache_file])
    model = LinearClassifier(features="hashed")
    cache = Cache(path.with_name("ours.cache"))
    for piece in ahead(streams.read(path).pieces(model.form())):
        model.learn_many(piece.X, piece.y, piece.w)
        cache.add(model, piece)
    cache.finish()
    few = path.with_name("few.vw")
    start = seconds(lambda: run([*THEIRS, "-d", few]))

    def ours() -> None:
        for piece in cache.stream().ahead():
            model.learn_many(piece.X, piece.y, piece.w)

    mine, theirs = interleaved(
        ours, lambda: run([*THEIRS, "-d", path, "--cache_file", cache_file]), repeats
    )
    work = "second pass from the cache, coin"
    us = [x / count * 1e6 for x in (mine, theirs - start)]
    return Row(work, "Vowpal Wabbit's cache", us[0], us[1], None, None, 3)


def from_tables(folder: Path, count: int, repeats: int) -> list[Row]:
    """CSV and Parquet against River's reader and logistic regression."""
    import pyarrow as pa
    from pyarrow import csv, parquet
    from river import linear_model, stream

    random = np.random.default_rng(3)
    X = random.normal(size=(count, 20)).round(4)
    y = random.random(count) < 1 / (1 + np.exp(-X @ random.normal(size=20) / 2))
    columns = {f"x{k}": X[:, k] for k in range(20)}
    data = pa.table({**columns, "y": y.astype(int)})
    csv.write_csv(data, folder / "t.csv")
    parquet.write_table(data, folder / "t.parquet")

    def river() -> Any:
        model = linear_model.LogisticRegression()
        types: Any = dict.fromkeys(columns, float) | {"y": int}
        total = 0.0
        for x, label in stream.iter_csv(str(folder / "t.csv"), target="y", converters=types):
            p = model.predict_proba_one(x)[True]
            total -= np.log(max(p if label else 1 - p, 1e-15))
            model.learn_one(x, label)
        return total / count

    peer_loss = river()
    rows = []
    for name in ("t.csv", "t.parquet"):
        reports = []

        def ours(name: str = name, reports: Any = reports) -> None:
            model = LinearClassifier(rule="ogd", rate=rates.Constant(0.01))  # as River
            reports.append(evaluate.progressive(model, streams.read(folder / name, label="y")))

        mine, theirs = interleaved(ours, river, repeats)
        work = f"{name[2:]}, 20 numbers a row, ogd"
        us = [x / count * 1e6 for x in (mine, theirs)]
        rows.append(
            Row(work, "River iter_csv + LogisticRegression", *us, reports[-1].loss, peer_loss, 50)
        )
    return rows


def memory(folder: Path, count: int) -> str:
    """Peak memory for a file and for one ten times as long."""
    sizes = []
    for times in (1, 10):
        path = folder / f"memory{times}.vw"
        generate(path, times * count // 10)
        sizes.append(json.loads(run([*OURS, path, "--bits", 18]))["peak_rss_mb"])
    return f"{sizes[0]:.0f} MB, ten times the file {sizes[1]:.0f} MB"


def real_sets(data: str | None, folder: Path) -> dict[str, str]:
    """Progressive log loss of coin and of Vowpal Wabbit's default, in file order."""
    out = {}
    for name in REAL:
        source = Path(data or ".") / f"{name}.svm.gz"
        if not data or not source.exists():
            continue
        path = folder / f"{name}.vw"
        with gzip.open(source, "rt") as lines:
            parts = [line.partition(" ") for line in lines]
        positive = max(float(label) for label, _, _ in parts)
        with path.open("w") as file:
            for label, _, rest in parts:
                file.write(f"{1 if float(label) == positive else -1} | {rest}")
        theirs = their_loss(path, labels_of(path))
        ours = json.loads(run([*OURS, path]))["mean_loss"]
        out[f"loss on {name}, ours / Vowpal Wabbit"] = f"{ours:.4f} / {theirs:.4f}"
    return out


def main() -> None:
    """Run all of it and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("REGRETLESS_DATA"))
    parser.add_argument("--smoke", action="store_true", help="small, and keep no results")
    options = parser.parse_args()
    count, repeats = (20_000, 1) if options.smoke else (1_000_000, 5)
    if not options.data:
        print("no --data and no REGRETLESS_DATA: the real sets are left out", file=sys.stderr)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "generated.vw"
        started = time.perf_counter()
        bayes = generate(path, count)
        print(f"generated in {time.perf_counter() - started:.0f} s, Bayes limit {bayes:.4f}")
        rows = text_lines(path, count, repeats)
        rows.append(second_pass(path, count, repeats))
        rows += from_tables(folder, count, min(3, repeats))
        notes = {
            "Bayes limit of the generated file": f"{bayes:.4f}",
            "peak memory of a command": memory(folder, count),
            **real_sets(options.data, folder),
        }
    finish("streams", rows, notes, keep=not options.smoke)


if __name__ == "__main__":
    main()
