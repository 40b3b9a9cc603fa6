"""Watch how `Auto` weighs its lanes, example by example.

    python examples/auto_lanes.py [FILE] [--plot lanes.png]

FILE is anything that `regretless train` reads; by default the phishing pages that come with the package.
It prints the lanes with their losses and weights, and draws the weights over time.
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
    parser.add_argument("file", nargs="?", help="the data; by default the phishing pages")
    parser.add_argument("--plot", help="where to write the picture, .png or .svg")
    options = parser.parse_args()
    stream = streams.read(options.file) if options.file else streams.bundled("phishing")
    examples = list(stream)
    model, weights = Auto(), []
    every = max(1, len(examples) // 500)
    for t, (x, y) in enumerate(examples):
        model.learn_one(x, y)
        if t % every == 0:
            weights.append([lane.weight for lane in _lanes(model)])
    print(f"{len(examples):,} examples, mean loss {model.loss_ / len(examples):.4f}\n")
    for lane in sorted(_lanes(model), key=lambda lane: lane.mean_loss):
        print(f"{name(lane):34}{lane.mean_loss:8.4f}{lane.weight:9.4f}{'  retired' * lane.retired}")
    proof = model.certificate()
    print(f"\nregret to the best lane {proof.regret:.3f}, certified at most {proof.bound:.3f}")
    if options.plot:
        axes = weights_over_time(np.array(weights), names=[name(lane) for lane in _lanes(model)])
        axes.set_title("Weights of the lanes of Auto, with their means", loc="left")
        axes.set_xlabel(f"snapshots, one every {every} examples")
        axes.figure.savefig(options.plot, dpi=150)


def _lanes(model: Any) -> Any:
    """The lanes; with three or more labels, those of the first label."""
    lanes = model.lanes_
    return next(iter(lanes.values())) if isinstance(lanes, dict) else lanes


def name(lane: Any) -> str:
    """The rule, the rate and the options of a lane."""
    if lane.rule == "blend":
        return "blend"
    if lane.rule == "coin":
        return f"coin {lane.rate:g}"
    scale = "" if lane.scale_invariant else ", unscaled"
    return f"adagrad {lane.rate:g}{scale}" + (f", l2 {lane.l2:g}" if lane.l2 else "")


if __name__ == "__main__":
    main()
