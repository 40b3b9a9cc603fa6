"""What the tests of the command line share: how commands are run, and the files that they read."""

import gzip
import json
import os
import random
import subprocess
import sys

from click.testing import CliRunner

from regretless import streams
from regretless.cli.app import app
from regretless.evaluate.training import Training
from regretless.linear import Auto

HASHED = {"features": "hashed", "bits": 14, "names": 100_000}
SMALL = ["--bits", "14"]
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def run(*arguments, code=0, input=None):
    """The result of a command that ends with the exit code."""
    result = CliRunner().invoke(app, [str(each) for each in arguments], input=input)
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


def run_json(*arguments, **keywords):
    return json.loads(run(*arguments, "--json", "--quiet", **keywords).stdout)


def process(*arguments, **keywords):
    """The real program."""
    return subprocess.run(
        [sys.executable, "-m", "regretless", *map(str, arguments)],
        check=False,
        **{"env": ENVIRONMENT, "capture_output": True, "text": True} | keywords,
    )


def examples(count=600):
    rng = random.Random(5)
    for t in range(count):
        user, ad, age = rng.randrange(9), rng.randrange(5), round(rng.random(), 3)
        yield t, user, ad, age, (user * ad + (rng.random() < 0.1)) % 2


def written(folder):
    """The folder, with the same examples in several formats."""
    (folder / "ads").mkdir()
    texts = {name: [] for name in ("clicks.vw", "new.vw", "spam.csv", "live.jsonl", "three.svm")}
    texts["prices.svm"] = []
    texts["spam.csv"].append("name,user,age,spam\n")
    for t, user, ad, age, y in examples():
        features = f"|user u{user} age:{age} |ad a{ad}\n"
        texts["clicks.vw"].append(f"{2 * y - 1} {'2.0 ' if t % 5 == 0 else ''}'e{t}{features}")
        texts["new.vw"].append(features)
        texts["spam.csv"].append(f"e{t},u{user},{age},{'spam' if user % 2 else 'ham'}\n")
        row = {"user": f"u{user}", "age": age, "ad": f"a{ad}", "y": bool(y)}
        texts["live.jsonl"].append(json.dumps(row) + "\n")
        texts["three.svm"].append(f"{(user + ad) % 3} {user + 1}:1 {ad + 11}:{age}\n")
        texts["prices.svm"].append(f"{user + age} {user + 1}:1 {ad + 11}:{age}\n")
    for name, lines in texts.items():
        (folder / name).write_text("".join(lines))
    (folder / "clicks.vw.gz").write_bytes(gzip.compress((folder / "clicks.vw").read_bytes()))
    return folder


def with_labels(folder, X, **labels):
    """The folder, with a CSV file of the columns a, b, c and y for each of the labels."""
    for name, y in labels.items():
        rows = [f"{a!r},{b!r},{c!r},{v}\n" for (a, b, c), v in zip(X.tolist(), y.tolist())]
        (folder / f"{name}.csv").write_text("a,b,c,y\n" + "".join(rows))
    return folder


def trained(path, model=None, holdout=0, passes=1, **reading):
    """What the library does with the file."""
    training = Training(model or Auto(**HASHED), holdout=holdout)
    for k in range(passes):
        if k:
            training.end_pass()
        for piece in streams.read(path, **reading).pieces(training.model.form()):
            training.take(piece)
    return training


def same_weights(a, b):
    return a.weights_ == b.weights_ and a.intercept_ == b.intercept_
