"""The linear learners against River and scikit-learn on their own ground.

pip install ".[bench]" && python benchmarks/linear.py              # all of it, a few minutes
python benchmarks/linear.py --data DIR                             # with a9a.svm.gz in DIR
python benchmarks/linear.py --smoke                                # a minute, results not kept
"""

import argparse
import math
import os
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Sized
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from harness import Row, finish, interleaved, table
from numpy.typing import NDArray
from river import linear_model, optim
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier

from regretless import streams
from regretless.linear import LinearClassifier

Rows = list[tuple[dict[str, float], bool]]


def race(  # noqa: PLR0917
    work: str,
    peer: str,
    mine: float,
    theirs: float,
    examples: Sized,
    losses: tuple[float | None, float | None],
    required: float,
) -> Row:
    """A line of the table from seconds, shown as soon as it is known."""
    each = 1e6 / len(examples)
    row = Row(work, peer, mine * each, theirs * each, *losses, required)
    print(table([row]).splitlines()[-1], flush=True)
    return row


def log_loss(probabilities: list[float], labels: list[bool]) -> float:
    """Mean loss of the probabilities given to True."""
    p = np.clip(np.array(probabilities), 1e-15, 1 - 1e-15)
    return float(-np.where(labels, np.log(p), np.log1p(-p)).mean())


# --- dict rows, against River ------------------------------------------------------------------------


def dict_rows(count: int, features: int) -> Rows:
    """Dense numeric rows with names; labels from a noisy linear model."""
    random = np.random.default_rng(0)
    names = [f"feature_{j}" for j in range(features)]
    truth = random.normal(size=features) / math.sqrt(features)
    X = random.normal(size=(count, features))
    y = random.random(count) < 1 / (1 + np.exp(-2 * X @ truth))
    return [(dict(zip(names, x)), bool(label)) for x, label in zip(X.tolist(), y)]


def predict_then_learn(make: Callable[[], Any], rows: Rows) -> list[float]:
    """One pass; the probability of True before each label is seen."""
    model, out = make(), []
    for x, y in rows:
        out.append(model.predict_proba_one(x).get(True, 0.5))
        model.learn_one(x, y)
    return out


def step_through(make: Callable[[], Any], rows: Rows) -> None:
    """One pass with the fused step."""
    model = make()
    for x, y in rows:
        model.step(x, y)


# The peer with its defaults, and the same rule here: at River's rate, FTRL with River's l2 (its l1
# never zeroes a weight), AdaGrad at our default.
RIVER: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "ogd": (optim.SGD, {"rate": 0.01}),
    "adagrad": (optim.AdaGrad, {}),
    "ftrl": (optim.FTRLProximal, {"rate": 0.05, "l2": 1.0}),
}
REQUIRED = {40: {"ogd": 5, "adagrad": 12, "ftrl": 25}, 200: {"ogd": 6, "adagrad": 15, "ftrl": 30}}


def against_river(features: int, scale: float, repeats: int) -> list[Row]:
    """predict_proba_one + learn_one with each rule."""
    rows = dict_rows(int(scale * 400_000 / features), features)
    labels = [y for _, y in rows]
    out = []
    for rule, (optimizer, settings) in RIVER.items():

        def ours(rule: str = rule, settings: dict[str, Any] = settings) -> list[float]:
            return predict_then_learn(lambda: LinearClassifier(rule=rule, **settings), rows)

        def peer(optimizer: Callable[[], Any] = optimizer) -> list[float]:
            return predict_then_learn(
                lambda: linear_model.LogisticRegression(optimizer=optimizer()), rows
            )

        mine, theirs = interleaved(ours, peer, repeats)
        work = f"dict rows, {features} features, predict + learn, {rule}"
        losses = log_loss(ours(), labels), log_loss(peer(), labels)
        out.append(
            race(
                work,
                f"River {optimizer.__name__}",
                mine,
                theirs,
                rows,
                losses,
                REQUIRED[features][rule],
            )
        )
    return out


def fused_step(like: Row, scale: float, repeats: int) -> Row:
    """`step`, against River's predict and learn; the losses are those of the two calls."""
    rows = dict_rows(int(scale * 10_000), 40)
    mine, theirs = interleaved(
        lambda: step_through(lambda: LinearClassifier(rule="ogd", rate=0.01), rows),
        lambda: predict_then_learn(
            lambda: linear_model.LogisticRegression(optimizer=optim.SGD()), rows
        ),
        repeats,
    )
    losses = like.ours_loss, like.peer_loss
    return race(
        "dict rows, 40 features, fused step, ogd",
        "River SGD, predict + learn",
        mine,
        theirs,
        rows,
        losses,
        8,
    )


# --- sparse batches, against scikit-learn --------------------------------------------------------------


def sparse_batches(count: int, size: int) -> list[tuple[Any, NDArray[Any]]]:
    """40 non-zeros of 2^18 a row, frequencies by a power law, labels from a noisy linear model."""
    random = np.random.default_rng(0)
    width, active = 1 << 18, 40
    columns = np.minimum(width ** random.random((count, active)), width - 1).astype(np.int32)
    X = sp.csr_matrix(
        (np.ones(count * active), columns.ravel(), np.arange(0, count * active + 1, active)),
        (count, width),
    )
    X.sum_duplicates()
    score = X @ random.normal(size=width)
    y = random.random(count) < 1 / (1 + np.exp(-1.6 * score / score.std()))
    return [(X[i : i + size], y[i : i + size].astype(int)) for i in range(0, count, size)]


def fit_batches(model: Any, batches: list[tuple[Any, NDArray[Any]]]) -> Any:
    """One pass in batches."""
    for X, y in batches:
        model.partial_fit(X, y, classes=[0, 1])
    return model


def learn_rows(model: Any, rows: list[tuple[Any, NDArray[Any]]]) -> None:
    """One pass, one sparse row at a time."""
    for x, y in rows:
        model.learn_one(x, y[0])


def loss_ahead(make: Callable[[], Any], batches: list[tuple[Any, NDArray[Any]]]) -> float:
    """Mean log loss of each batch but the first, before it is learned."""
    model, total, count = make(), 0.0, 0
    for t, (X, y) in enumerate(batches):
        if t:
            score = model.decision_function(X)
            total += np.logaddexp(0, np.where(y > 0, -score, score)).sum()
            count += len(y)
        model.partial_fit(X, y, classes=[0, 1])
    return total / count


def against_sklearn(scale: float, repeats: int) -> list[Row]:
    """Batches of 10,000 and single rows."""
    peer = lambda: SGDClassifier(loss="log_loss")  # noqa: E731
    out = []
    batches = sparse_batches(max(20_000, int(scale * 100_000)), 10_000)
    size = sum(len(y) for _, y in batches)
    for name, ours in (
        ("ogd", lambda: LinearClassifier(rule="ogd")),
        ("ogd, hashed", lambda: LinearClassifier(rule="ogd", features="hashed")),
        ("coin (default)", LinearClassifier),
    ):
        mine, theirs = interleaved(
            lambda ours=ours: fit_batches(ours(), batches),
            lambda: fit_batches(peer(), batches),
            repeats,
        )
        losses = loss_ahead(ours, batches), loss_ahead(peer, batches)
        work = f"CSR, 40 of 2^18, batches of 10,000, {name}"
        required = 3 if name.startswith("ogd") else 1
        out.append(
            race(work, "scikit-learn SGDClassifier", mine, theirs, range(size), losses, required)
        )
    singles = [(X[i], y[i : i + 1]) for X, y in batches[:1] for i in range(int(500 * scale))]
    mine, theirs = interleaved(
        lambda: learn_rows(LinearClassifier(rule="ogd"), singles),
        lambda: fit_batches(peer(), singles),
        repeats,
    )
    work = "CSR, one row at a time, learn_one, ogd"
    out.append(race(work, "scikit-learn partial_fit", mine, theirs, singles, (None, None), 50))
    return out


# --- a file --------------------------------------------------------------------------------------------


def svmlight_file(data: str | None, scale: float) -> tuple[Path, str]:
    """a9a if there is one, otherwise a file that looks like it."""
    if data:
        path = Path(data) / "a9a.svm.gz"
        if not path.exists():
            sys.exit(
                f"{path} is missing: --data or REGRETLESS_DATA must name a folder that holds it"
            )
        import gzip

        plain = Path(tempfile.mkdtemp()) / "a9a.svm"
        plain.write_bytes(gzip.decompress(path.read_bytes()))
        return plain, "a9a"
    random = np.random.default_rng(0)
    path = Path(tempfile.mkdtemp()) / "like_a9a.svm"
    with path.open("w") as file:
        for _ in range(int(scale * 48_842)):
            columns = np.unique(random.integers(1, 124, 14))
            label = (
                "+1" if random.random() < 1 / (1 + math.exp(-(columns < 30).sum() + 4)) else "-1"
            )
            file.write(label + " " + " ".join(f"{c}:1" for c in columns) + "\n")
    return path, "generated like a9a"


def from_file(path: Path, name: str, repeats: int) -> Row:
    """Parse and learn in one pass."""

    def ours() -> LinearClassifier:
        model = LinearClassifier()
        for piece in streams.read(path).pieces(model.form()):
            model.partial_fit(piece.X, piece.y)
        return model

    def peer() -> None:
        X, y = load_svmlight_file(str(path))
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        SGDClassifier(loss="log_loss").partial_fit(X, y, classes=[-1, 1])

    X, y = load_svmlight_file(str(path))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    batches = [(X[i : i + 1000], (y[i : i + 1000] > 0).astype(int)) for i in range(0, len(y), 1000)]
    mine, theirs = interleaved(ours, peer, repeats)
    losses = (
        loss_ahead(LinearClassifier, batches),
        loss_ahead(lambda: SGDClassifier(loss="log_loss"), batches),
    )
    work = f"svmlight file ({name}), parse + one pass, coin"
    return race(work, "scikit-learn load_svmlight_file + partial_fit", mine, theirs, y, losses, 5)


# --- what is not a race --------------------------------------------------------------------------------


def in_fresh_process(code: str) -> float:
    """The number that a program prints."""
    return float(
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True
        ).stdout
    )


def import_time(repeats: int) -> Row:
    """`import regretless.linear`, which is all there is to import, beside `import numpy`."""
    code = "import time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"
    times: dict[str, list[float]] = {"regretless.linear": [], "numpy": []}
    for _ in range(2 * repeats + 1):
        for module, taken in times.items():
            taken.append(in_fresh_process(code.format(module)))
    ours, peer = (1e6 * float(np.median(t)) for t in times.values())
    times_in_s = ours / 1e6, peer / 1e6
    return race(
        "`import regretless.linear`", "`import numpy`", *times_in_s, range(1), (None, None), 1 / 1.5
    )


def memory_of_bank(bits: int) -> float:
    """Peak MB that a hashed AdaGrad learner of 2^bits rows adds, every row touched."""
    code = f"""
import numpy as np
from regretless.linear import LinearClassifier
import scipy.sparse as sp
def peak():  # not getrusage, whose figure a child inherits from its parent
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024
rows, width = 256, 2 ** {bits}
def batch(k):
    columns = np.arange(k * width // rows, (k + 1) * width // rows)
    return sp.csr_array((np.ones(columns.size), columns, [0, columns.size]), shape=(1, width))
model = LinearClassifier(rule="adagrad", features="hashed", bits=4)
model.partial_fit(batch(0), [1], classes=[0, 1])
before = peak()
model = LinearClassifier(rule="adagrad", features="hashed", bits={bits})
for k in range(rows):
    model.partial_fit(batch(k), [k % 2], classes=[0, 1])
print(peak() - before)
"""
    return in_fresh_process(code)


def cost_of(
    plain: dict[str, Any], dearer: dict[str, Any], batches: list[Any], repeats: int
) -> float:
    """How much longer a learner takes with other options."""
    a, b = interleaved(
        lambda: fit_batches(LinearClassifier(**plain), batches),
        lambda: fit_batches(LinearClassifier(**dearer), batches),
        repeats,
    )
    return b / a


def cost_of_lanes(batches: list[Any], repeats: int) -> dict[str, float]:
    """Time of 4, 8, 16, ... lanes over that of one lane."""
    out = {}
    for lanes in (4, 8, 16, 64):
        many = [(X, y % 2 + 2 * (np.arange(len(y)) % (lanes // 2))) for X, y in batches]

        def fit_many(lanes: int = lanes, many: list[Any] = many) -> None:
            model = LinearClassifier(rule="adagrad")
            for X, y in many:
                model.partial_fit(X, y, classes=range(lanes))

        one, all_of_them = interleaved(
            lambda: fit_batches(LinearClassifier(rule="adagrad"), batches), fit_many, repeats
        )
        out[str(lanes)] = round(all_of_them / one, 2)
    return out


def main() -> None:
    """Run everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--data", default=os.environ.get("REGRETLESS_DATA"), help="folder with a9a.svm.gz"
    )
    parser.add_argument("--smoke", action="store_true", help="small and quick; keeps no results")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    scale, repeats = (0.1, 1) if options.smoke else (1.0, 5)

    rows = against_river(40, scale, repeats)
    rows.append(fused_step(rows[0], scale, repeats))
    rows += against_river(200, scale, repeats) + against_sklearn(scale, repeats)
    rows.append(from_file(*svmlight_file(options.data, scale), repeats))
    rows.append(import_time(repeats))
    batches = sparse_batches(int(scale * 50_000), 10_000)
    notes: dict[str, Any] = {
        "certify=True over certify=False, coin": round(
            cost_of({}, {"certify": True}, batches, repeats), 2
        ),
        "certify=True over certify=False, ogd": round(
            cost_of({"rule": "ogd"}, {"rule": "ogd", "certify": True}, batches, repeats), 2
        ),
        "time of many lanes over one lane, adagrad": cost_of_lanes(batches[:2], repeats),
    }
    if not options.smoke:
        notes["MB of a bank of 2^24 rows, AdaGrad"] = round(memory_of_bank(24))
    notes["peak MB of this benchmark"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    finish("linear", rows, notes, keep=not options.smoke)


if __name__ == "__main__":
    main()
