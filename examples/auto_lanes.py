"""Watch `Auto` choose: the weights that its lanes earn, example by example.

    python examples/auto_lanes.py [FILE] [--plot lanes.png]

FILE is anything that `regretless train` reads; by default the phishing pages that come with the package.
Every hundredth of the way the weights are noted. At the end stand the lanes with their losses.
"""

import argparse
from typing import Any

import numpy as np

from regretless import streams
from regretless.linear import Auto
from regretless.plots import weights_over_time


def main() -> None:
    """Learn, print the lanes, and draw their weights."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", nargs="?", help="the data; by default bundled")
    parser.add_argument("--plot", help="where to write the picture, .png or .svg")
    options = parser.parse_args()
    stream = streams.read(options.file) if options.file else streams.bundled("phishing")
    examples = list(stream)
    model, weights = Auto(), []
    for t, (x, y) in enumerate(examples):
        model.learn_one(x, y)
        if t % max(1, len(examples) // 500) == 0:
            weights.append([lane.weight for lane in _lanes(model)])
    print(f"{len(examples):,} examples, mean loss {model.loss_ / len(examples):.4f}\n")
    for lane in sorted(_lanes(model), key=lambda lane: lane.mean_loss):
        print(f"{name(lane):34}{lane.mean_loss:8.4f}{lane.weight:9.4f}{'  retired' * lane.retired}")
    certificate = model.certificate()
    print(f"\nregret to the best lane {certificate.regret:.3f}, certified {certificate.bound:.3f}")
    if options.plot:
        axes = weights_over_time(np.array(weights), names=[name(lane) for lane in _lanes(model)])
        axes.figure.savefig(options.plot)


def _lanes(model: Any) -> Any:
    """Those of the first label, if there are three or more."""
    lanes = model.lanes_
    return next(iter(lanes.values())) if isinstance(lanes, dict) else lanes


def name(lane: Any) -> str:
    """What makes the lane differ."""
    if lane.rule == "blend":
        return "blend"
    if lane.rule == "coin":
        return f"coin {lane.rate:g}"
    scale = "" if lane.scale_invariant else ", scales matter"
    return f"adagrad {lane.rate:g}{scale}" + (f", l2 {lane.l2:g}" if lane.l2 else "")


if __name__ == "__main__":
    main()
