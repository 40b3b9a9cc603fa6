"""Kill `train --checkpoint` at random moments, start it again until it ends, and look at the result.

The model has to be that of a run without kills, byte for byte, and nothing may be left behind. Commands
and moments are chosen by the seed; what a process is doing at that moment is up to the machine.

    python tests/fuzz/kills.py --kills 1000 --seed 0

A process is a fork of this one, which has imported everything: it is killed as any other, but starts in
a hundredth of the time.
"""

import argparse
import contextlib
import io
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from regretless.cli.app import app

__all__ = ["Kills", "main"]

FILES, LINES = 24, 80  # a checkpoint after each file
OPTIONS = [
    ["--bits", "8"],
    ["--exact", "--learner", "coin"],
    ["--bits", "8", "--passes", "2", "--holdout", "7"],
    ["--bits", "8", "--certify", "3"],
    ["--exact", "--learner", "newton", "--size", "2"],
    ["--bits", "8", "--learner", "boost", "--weak", "3"],
    ["--exact", "--learner", "adagrad", "-q", "ua", "--skip-bad"],
]


def write_examples(folder: Path, seed: int) -> None:
    """Small files of VW text, each of them one piece of the stream."""
    rng = random.Random(seed)
    for k in range(FILES):
        lines = []
        for _ in range(LINES):
            user, ad = rng.randrange(30), rng.randrange(9)
            label = 1 if (user * ad) % 7 < 3 else -1
            lines.append(
                f"{label} |user u{user} f{rng.randrange(99)}:{rng.random():.3f} |ad a{ad}\n"
            )
            if rng.random() < 0.02:
                lines.append("\n")
        (folder / f"{k:02}.vw").write_text("".join(lines))


def started(arguments: list[str]) -> int:
    """The process that runs the command."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        code = app(["train", *arguments], standalone_mode=False) or 0
    except BaseException as error:
        print(repr(error), file=sys.stderr)
    finally:
        os._exit(code)


def version(path: Path) -> tuple[int, int] | None:
    """Changes whenever the file is written anew."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns


class Kills:
    """Runs of one set of files. `count` are the kills, `late` those after a first checkpoint."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.rng = folder, random.Random(seed)
        self.count = self.late = self.runs = 0
        self._codes: dict[int, int] = {}  # of processes that have ended
        write_examples(folder, seed)
        self._sources = str(folder / "*.vw")
        self._whole: dict[int, bytes] = {}

    def run(self, most: int) -> None:
        """One training, killed again and again, at most so many times; AssertionError if it suffered."""
        which = self.rng.randrange(len(OPTIONS))
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        model, place = folder / "model", folder / "ck" / "checkpoint.safetensors"
        given = [self._sources, *OPTIONS[which], "--quiet", "--save", str(model)]
        if which not in self._whole:
            with contextlib.redirect_stdout(io.StringIO()):
                app(["train", *given], standalone_mode=False)  # here: whoever forks later is warm
            self._whole[which] = model.read_bytes()
            model.unlink()
        command = [*given, "--checkpoint", str(folder / "ck"), "--every", "1"]
        self.runs += 1
        left = most
        while True:
            child = started(command)
            if left and self._killed(child, place):
                self.count += 1
                self.late += place.exists()
                left -= 1
                continue
            code = self._waited(child)
            assert code == 0, f"exit code {code} of {' '.join(command)}"
            break
        assert model.read_bytes() == self._whole[which], f"another model by {' '.join(command)}"
        found = sorted(path.name for path in [*folder.iterdir(), *(folder / "ck").iterdir()])
        assert found == ["checkpoint.safetensors", "ck", "model"], f"left behind: {found}"

    def _killed(self, child: int, place: Path) -> bool:
        """Kill at a random moment; False if the process has ended by then."""
        changes = self.rng.choice([0, 1, 1, 2, 3, 6, FILES])
        until = time.monotonic() + 30
        last = version(place)
        while changes and time.monotonic() < until:
            if self._ended(child):
                return False
            if version(place) != last:
                last, changes = version(place), changes - 1
            time.sleep(0.0002)
        time.sleep(self.rng.choice([0, self.rng.uniform(0, 0.004), self.rng.uniform(0, 0.04)]))
        if self._ended(child):
            return False
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            return True
        self._codes[child] = os.waitstatus_to_exitcode(status)
        return False

    def _ended(self, child: int) -> bool:
        if child in self._codes:
            return True
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            self._codes[child] = os.waitstatus_to_exitcode(status)
        return bool(found)

    def _waited(self, child: int) -> int:
        if child not in self._codes:
            self._codes[child] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return self._codes.pop(child)

    def __str__(self) -> str:
        return (
            f"{self.count:,} kills in {self.runs:,} runs, {self.late:,} of them after a first "
            "checkpoint; every model was the same"
        )


def main(argv: list[str] | None = None) -> int:
    """The command line; an AssertionError if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python tests/fuzz/kills.py")
    parser.add_argument("--kills", type=int, default=100, help="how many, at least")
    parser.add_argument("--seed", type=int, default=0, help="of files, commands and moments")
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        kills, spoken = Kills(Path(folder), given.seed), time.monotonic()
        while kills.count < given.kills:
            kills.run(most=6)
            if time.monotonic() - spoken > 10:
                spoken = time.monotonic()
                print(f"kills: {kills}", file=sys.stderr, flush=True)
    print(f"kills: {kills}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
