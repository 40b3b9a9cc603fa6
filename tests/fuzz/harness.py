"""Run random cases in child processes, and count what becomes of them.

A case is a function of a random generator. It returns one word for what happened ("refused", "used"),
and raises if the library misbehaved. The harness adds what a case cannot see itself: that the process
died, or that the case never ended. Case number i of a seed is always the same, so a failure can be
repeated:

    python tests/fuzz/files.py --seed 0 --only 1234
"""

import argparse
import faulthandler
import multiprocessing
import os
import resource
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

__all__ = ["Campaign", "Case", "main", "run"]

Case = Callable[[np.random.Generator], str]
HANG = 60.0  # seconds after which a case counts as endless
MEMORY = 8 << 30  # bytes of address space: what asks for more gets a MemoryError
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")  # it reserves terabytes, and is slow


@dataclass
class Campaign:
    """What became of the cases: `failures` are (number, what happened)."""

    cases: int = 0
    seconds: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[int, str]] = field(default_factory=list)

    def __str__(self) -> str:
        counts = ", ".join(f"{count:,} {word}" for word, count in sorted(self.outcomes.items()))
        tried = f"{self.cases:,} cases in {self.seconds:.0f} s"
        return f"{tried}: {counts or 'none'}; {len(self.failures)} failures"


def run(
    case: Case,
    *,
    seed: int = 0,
    cases: int | None = None,
    seconds: float | None = None,
    first: int = 0,
    most_failures: int = 20,
    per_child: int = 2000,
    report: Callable[[str], None] | None = None,
) -> Campaign:
    """Run `cases` cases, or as many as start within so many `seconds`, some in each child."""
    context = multiprocessing.get_context("fork")
    campaign, start, number = Campaign(), time.monotonic(), first
    deadline = None if seconds is None else start + seconds
    last = None if cases is None else first + cases
    while (last is None or number < last) and len(campaign.failures) < most_failures:
        if deadline is not None and time.monotonic() >= deadline:
            break
        until = number + per_child if last is None else min(last, number + per_child)
        mine, theirs = context.Pipe(duplex=False)
        child = context.Process(target=_cases, args=(case, seed, number, until, deadline, theirs))
        child.start()
        theirs.close()
        number = _watch(child, mine, number, campaign, start, report)
    campaign.seconds = time.monotonic() - start
    return campaign


def _cases(case, seed, number, last, deadline, pipe) -> None:
    """In the child: cases one after the other, until one ends it."""
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()
    sys.stdin.close()
    while number < last and (deadline is None or time.monotonic() < deadline):
        try:
            outcome, why = case(np.random.default_rng([seed, number])), ""
        except BaseException:
            outcome, why = "", traceback.format_exc()
        pipe.send((number, outcome, why))
        number += 1


def _watch(child, pipe, number, campaign: Campaign, start, report) -> int:
    """In the parent: what the child tells, until it ends; the number of the next case."""
    limit = HANG * (20 if SANITIZED else 1)
    while True:
        try:
            if not pipe.poll(limit):
                child.kill()
                child.join()
                campaign.cases += 1
                campaign.failures.append((number, f"did not end within {limit:.0f} s"))
                return number + 1
            done, outcome, why = pipe.recv()
        except EOFError:
            child.join()
            if child.exitcode == 0:
                return number
            campaign.cases += 1
            campaign.failures.append((number, f"the process died with exit code {child.exitcode}"))
            return number + 1
        campaign.cases += 1
        if why:
            campaign.failures.append((done, why))
            if report:
                report(f"case {done} failed: {why.strip().splitlines()[-1]}")
        else:
            campaign.outcomes[outcome] += 1
        number = done + 1
        if report and time.monotonic() - start > campaign.seconds + 5:
            campaign.seconds = time.monotonic() - start
            report(str(campaign))


def main(name: str, case: Case, argv: list[str] | None = None, *, per_child: int = 2000) -> int:
    """The command line of a fuzzer; 1 if anything failed."""
    parser = argparse.ArgumentParser(prog=f"python tests/fuzz/{name}.py", description=case.__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of all cases")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--cases", type=int, help="how many")
    length.add_argument("--seconds", type=float, help="for how long (default: 30)")
    length.add_argument("--only", type=int, metavar="N", help="case N alone, in this process")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    given = parser.parse_args(argv)
    if given.only is not None:
        print(case(np.random.default_rng([given.seed, given.only])))
        return 0
    seconds = 30.0 if given.cases is None and given.seconds is None else given.seconds
    campaign = run(
        case,
        seed=given.seed,
        cases=given.cases,
        seconds=seconds,
        first=given.first,
        per_child=per_child,
        report=lambda text: print(f"{name}: {text}", file=sys.stderr, flush=True),
    )
    for number, why in campaign.failures:
        print(f"\n{name}, --seed {given.seed} --only {number}: {why}")
    print(f"{name}: {campaign}")
    return int(bool(campaign.failures))
