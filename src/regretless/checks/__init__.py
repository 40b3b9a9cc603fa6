"""Check a learner or player of your own with the checks that those of the library pass.

`check(thing)` finds out what kind of algorithm it is and runs every check that applies:

    learner of examples   learn_one(x, y) and predict_one(x)
    player of experts     weights and update(losses)
    convex optimisation   point and update(gradient)
    bandit                act() and update(loss) or update(arm, loss), with probabilities or n

>>> import numpy as np
>>> from regretless import checks
>>> class Follow:
...     '''Puts all weight on the expert that has lost least.'''
...     def __init__(self, n):
...         self.losses = np.zeros(n)
...     @property
...     def weights(self):
...         return np.eye(len(self.losses))[np.argmin(self.losses)]
...     def update(self, losses):
...         self.losses += losses
>>> print(checks.check(Follow(3), raises=False))
Follow: 5 passed, 3 failed, 14 not applicable
passed  asking           Predictions, weights, `repr` and certificates do not change the state.
...
n/a     clone            it has no clone()
...
FAILED  bad_input        NaN: accepted without an error
...
"""

import copy
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from regretless.base.arguments import one_of, whole
from regretless.checks import bad_input, copies, numbers, play
from regretless.checks.kinds import NAMES, Kind, find_kind
from regretless.checks.subject import NotApplicable, Subject, difference, state_of

__all__ = [
    "CHECKS",
    "Kind",
    "Report",
    "Result",
    "Subject",
    "check",
    "check_subject",
    "difference",
    "state_of",
]

CHECKS: Mapping[str, Callable[[Subject], str | None]] = {
    "asking": play.asking,
    "same_seed": play.same_seed,
    "another_seed": play.another_seed,
    "clone": copies.clone,
    "copy": copies.copied,
    "deepcopy": copies.deep_copied,
    "pickle": copies.pickled,
    "file": copies.file,
    "waiting": copies.waiting,
    "waiting_file": copies.waiting_file,
    "bad_input": bad_input.bad_input,
    "bad_input_first": bad_input.bad_input_first,
    "bad_loss": bad_input.bad_loss,
    "only_numbers": bad_input.only_numbers,
    "first_round": play.first_round,
    "run": play.run,
    "second_run": numbers.second_run,
    "weightless": play.weightless,
    "scales": numbers.scales,
    "scales_run": numbers.scales_run,
    "certificate": numbers.certified,
    "vocabulary": numbers.vocabulary,
}
"""The checks by name, in the order in which they run."""
PASSED, FAILED, SKIPPED = "passed", "failed", "not applicable"


@dataclass(frozen=True)
class Result:
    """The result of one check: its name, how it ended, and a sentence about it.

    >>> Result("clone", "failed", "the clone has learned something").failed
    True
    """

    name: str
    outcome: str
    message: str

    @property
    def passed(self) -> bool:
        """Whether the check passed."""
        return self.outcome == PASSED

    @property
    def failed(self) -> bool:
        """Whether the check failed."""
        return self.outcome == FAILED

    def __str__(self) -> str:
        shown = {PASSED: "passed", FAILED: "FAILED", SKIPPED: "n/a"}[self.outcome]
        return f"{shown:<7} {self.name:<16} {self.message}"


@dataclass(frozen=True)
class Report:
    """The results of all checks of one object; it prints as a table.

    >>> from regretless.experts import Hedge
    >>> report = check(Hedge(3))
    >>> report.passed, report["clone"].outcome
    (True, 'passed')
    """

    name: str
    results: tuple[Result, ...]

    @property
    def passed(self) -> bool:
        """Whether all checks that ran passed."""
        return not self.failures

    @property
    def failures(self) -> list[Result]:
        """The checks that failed."""
        return [each for each in self.results if each.failed]

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, name: str) -> Result:
        """The result of the check of this name."""
        for each in self.results:
            if each.name == name:
                return each
        raise KeyError(name)

    def __str__(self) -> str:
        counts = ", ".join(
            f"{sum(each.outcome == outcome for each in self.results)} {outcome}"
            for outcome in (PASSED, FAILED, SKIPPED)
        )
        return "\n".join([f"{self.name}: {counts}", *map(str, self.results)])

    __repr__ = __str__


def check(
    thing: Any,
    *,
    rounds: int = 24,
    seed: int = 0,
    kind: str | Kind | None = None,
    skip: Mapping[str, str] | None = None,
    caches: tuple[str, ...] = (),
    raises: bool = True,
) -> Report:
    """Run every check that applies to a learner or player, and report the results.

    Failures raise `AssertionError`, which lists all of them.

    Parameters
    ----------
    thing : a learner or player that has learned nothing yet, or a function or class that makes one
        without arguments; if it takes `seed`, it is also tried with other seeds.
    rounds : of the streams that it is given, at least 4.
    seed : for the first of the seeds that a thing with `seed` is made with.
    kind : "classifier", "regressor", "experts", "oco" or "bandit", or a `Kind` of your own; by default
        found out from the methods and properties.
    skip : checks to leave out, by name, each with the reason, which is reported.
    caches : attributes that asking may change, because they can be computed again.
    raises : whether failures raise.

    >>> from regretless.bandits import Exp3
    >>> check(Exp3(3), skip={"scales_run": "takes long"})["scales_run"]
    Result(name='scales_run', outcome='not applicable', message='skipped: takes long')
    """
    if isinstance(kind, str):
        one_of(kind, "kind", NAMES)
    whole(rounds, "rounds", 4)
    make, seeded = _maker(thing, seed)
    first = make(0)
    found = kind if isinstance(kind, Kind) else find_kind(first, kind, rounds)
    subject = Subject(
        type(first).__name__,
        make,
        found,
        draws=None,
        seeded=seeded,
        caches=tuple(caches),
        prepares=not hasattr(first, "learn_one"),
        rounding="the order of additions is the player's own",
        tolerance=1e-9,
    )
    return check_subject(subject, skip=skip, raises=raises)


def check_subject(
    subject: Subject, *, skip: Mapping[str, str] | None = None, raises: bool = True
) -> Report:
    """Run every check on a `Subject`, which says more about an algorithm than `check` can find out.

    >>> from regretless.checks.kinds import Experts
    >>> from regretless.experts import Hedge
    >>> check_subject(Subject("Hedge", lambda seed: Hedge(3), Experts(3))).passed
    True
    """
    skip = {} if skip is None else dict(skip)
    for name in skip:
        one_of(name, "skip", CHECKS)
    results = [
        Result(name, SKIPPED, f"skipped: {skip[name]}") if name in skip else _result(name, subject)
        for name in CHECKS
    ]
    report = Report(subject.name, tuple(results))
    if raises and not report.passed:
        listed = "\n".join(f"  {each.name}: {each.message}" for each in report.failures)
        count = len(report.failures)
        raise AssertionError(f"{subject.name} fails {count} check{'s' * (count > 1)}\n{listed}")
    return report


def _result(name: str, subject: Subject) -> Result:
    function = CHECKS[name]
    try:
        note = function(subject)
    except NotApplicable as reason:
        return Result(name, SKIPPED, str(reason))
    except AssertionError as error:
        return Result(name, FAILED, " ".join(str(error).split()))
    except Exception as error:  # whatever a user's object raises
        return Result(name, FAILED, f"raises {type(error).__name__}: {error}")
    return Result(name, PASSED, note or (function.__doc__ or "").splitlines()[0])


def _maker(thing: Any, seed: int) -> tuple[Callable[[int], Any], bool]:
    """A function of a number that makes a fresh one, and whether another number is another seed."""
    if inspect.isclass(thing) or (callable(thing) and not _plays(thing)):
        if "seed" in _parameters(thing):
            return lambda k: thing(seed=seed + k), True
        return lambda _: thing(), False
    try:
        kept = copy.deepcopy(thing)
    except Exception as error:
        raise TypeError(
            f"a {type(thing).__name__} cannot be copied ({error}); pass a function that makes one"
        ) from error
    options = _options(thing)
    if options is None:
        return lambda _: copy.deepcopy(kept), False

    def make(k: int) -> Any:
        if k == 0:
            return copy.deepcopy(kept)
        return type(kept)(**{**copy.deepcopy(options), "seed": seed + k})

    return make, True


def _plays(thing: Any) -> bool:
    return hasattr(thing, "learn_one") or hasattr(thing, "update")


def _parameters(made: Any) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(made).parameters
    except (TypeError, ValueError):
        return {}


def _options(thing: Any) -> dict[str, Any] | None:
    """Options that make a thing alike but for its seed; None if they are not known."""
    parameters = _parameters(type(thing))
    if "seed" not in parameters or any(
        p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters.values()
    ):
        return None
    options = {name: getattr(thing, name) for name in parameters if hasattr(thing, name)}
    needed = {name for name, p in parameters.items() if p.default is p.empty}
    if not needed <= set(options) or any(p.kind is p.POSITIONAL_ONLY for p in parameters.values()):
        return None
    try:
        again = type(thing)(**copy.deepcopy(options))
        alike = "seed" not in options or state_of(again) == state_of(thing)
    except Exception:  # whatever a user's class raises: it cannot be made from its attributes
        return None
    return options if alike else None
