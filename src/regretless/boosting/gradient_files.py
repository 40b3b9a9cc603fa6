"""Boosters on disk: their own options and state, and the learners that they boost."""

from typing import Any, Self

from regretless.arguments import shown
from regretless.boosting.estimator import Estimator
from regretless.linear import loading
from regretless.linear.learner import LinearLearner
from regretless.state import Parts, blaming

__all__ = ["GradientFiles"]


class GradientFiles(LinearLearner):
    """A booster is saved if its weak learner is one of this library."""

    weak: Any

    def _described(self) -> tuple[dict[str, Any], dict[str, Any]]:
        core: Any = self._model or self._start()
        state = core.state()
        learners = [each.model for each in state.pop("copies", [])]
        if self.weak is not None:
            learners.insert(0, self.weak.clone() if hasattr(self.weak, "clone") else self.weak)
        for each in learners:
            if not isinstance(each, LinearLearner):
                raise ValueError(
                    f"weak={shown(each)}: only learners of this library are saved to a file, which "
                    "can hold "
                    "no code; pickle the booster, or boost one of ours without negate"
                )
        described = [each._described() for each in learners]
        plain = type(self)(**self.get_params() | {"weak": None})
        description = super(GradientFiles, plain)._described()[0]
        if self.weak is not None:
            description["options"]["weak"] = {"yours": repr(self.weak)}
        inside = {
            f"{i}.{k}": v for i, (_, arrays) in enumerate(described) for k, v in arrays.items()
        }
        return description | {"learners": [text for text, _ in described]}, state | inside

    @classmethod
    def _restored(
        cls,
        path: Any,
        description: dict[str, Any],
        arrays: dict[str, Any],
        yours: dict[str, Any] | None = None,
    ) -> Self:
        with blaming(path):
            parts, description = Parts({}, arrays), dict(description)
            learners = [
                _learner(path, text, parts.part(str(i)).rest())
                for i, text in enumerate(description.pop("learners", []))
            ]
            own: dict[str, Any] = parts.rest()
        if not learners:
            return super()._restored(path, description, own, yours)
        if "stages" in own:
            own["copies"] = [
                Estimator(each, f"weak learner {i}", learned=True)
                for i, each in enumerate(learners[1:])
            ]
        return super()._restored(path, description, own, {"weak": learners[0]})


def _learner(path: Any, description: dict[str, Any], arrays: dict[str, Any]) -> Any:
    from regretless import boosting  # which imports this file

    name = str(description["class"])
    if name in boosting.__all__:
        return getattr(boosting, name)._restored(path, description, arrays)
    return loading.restored(path, description, arrays)
