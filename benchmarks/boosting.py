"""Boosted linear learners against Vowpal Wabbit's boosting, and AdaBoost.OL against River's AdaBoost.

    python benchmarks/boosting.py [--smoke]

The text is that of streams.py, with 40 of 2^18 features in an example, for 20 weak learners. What
stands for losses is the share of wrong predictions, each made before its example was learned; Vowpal
Wabbit's is counted from what it predicts, because the loss it prints is not that.
"""

import argparse
import json
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from harness import Row, finish, interleaved, medians
from river import datasets, ensemble, linear_model
from streams import OURS, THEIRS, generate, labels_of, run

from regretless.boosting import AdaBoostOL

BBM = ("--learner", "boost", "--kind", "bbm", "--weak", "20", "--edge", "0.1")
WEAK = {"coin": BBM, "AdaGrad": (*BBM, "--rate", "0.08")}  # the rate is AdaGrad's default
PEER = ("--boosting", "20", "--alg", "BBM", "--gamma", "0.1")


def on_text(folder: Path, count: int, repeats: int) -> tuple[list[Row], dict[str, str]]:
    """The command line on the generated file, beside the peer's."""
    path, few = folder / "generated.vw", folder / "few.vw"
    generate(path, count)
    few.write_text("1 | 1:1\n-1 | 2:1\n")
    reports: dict[tuple[str, ...], dict[str, Any]] = {}

    def ours(file: Path, learner: tuple[str, ...]) -> None:
        reports[learner] = json.loads(run([*OURS, file, *learner]))

    def theirs(file: Path) -> None:
        run([*THEIRS, *PEER, "-d", file])

    # what it takes to start is measured as often, and in turns with the rest
    jobs = [partial(ours, file, learner) for learner in WEAK.values() for file in (few, path)]
    times = medians([*jobs, partial(theirs, few), partial(theirs, path)], repeats)
    *mine, peer = ((b - a) / count * 1e6 for a, b in zip(times[::2], times[1::2]))
    run([*THEIRS, *PEER, "-d", path, "-p", folder / "p"])
    wrong = float(np.mean((np.loadtxt(folder / "p") > 0) != (labels_of(path) > 0)))
    rows = [
        Row(
            f"VW text, 20 weak learners, {name} (error)",
            "Vowpal Wabbit, BBM",
            us,
            peer,
            reports[learner]["error"],
            wrong,
            5,
        )
        for (name, learner), us in zip(WEAK.items(), mine)
    ]
    return rows, {"peak memory of the command": f"{reports[BBM]['peak_rss_mb']:.0f} MB"}


def on_dicts(count: int, repeats: int) -> Row:
    """One example at a time, dicts, predicted and then learned."""
    examples = list(datasets.Phishing().take(count))
    errors: dict[str, float] = {}

    def play(name: str, make: Any) -> None:
        model, wrong = make(), 0
        for x, y in examples:
            wrong += (model.predict_one(x) or False) != y
            model.learn_one(x, y)
        errors[name] = wrong / len(examples)

    def peer() -> Any:
        return ensemble.AdaBoostClassifier(
            model=linear_model.LogisticRegression(), n_models=10, seed=0
        )

    mine, theirs = interleaved(
        lambda: play("ours", lambda: AdaBoostOL(n=10)), lambda: play("peer", peer), repeats
    )
    us = [each / len(examples) * 1e6 for each in (mine, theirs)]
    work = "dicts of Phishing, 10 weak learners (error)"
    return Row(work, "River, AdaBoostClassifier", us[0], us[1], errors["ours"], errors["peer"], 20)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    count, repeats = (2_000, 1) if options.smoke else (400_000, 3)
    with tempfile.TemporaryDirectory() as temporary:
        rows, notes = on_text(Path(temporary), count, repeats)
    rows.append(on_dicts(min(count, 1250), repeats))
    finish("boosting", rows, notes, keep=not options.smoke)


if __name__ == "__main__":
    main()
