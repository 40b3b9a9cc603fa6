"""LinearClassifier and LinearRegressor: any convex loss with any update rule."""

from typing import Any

from regretless import losses, rules
from regretless._core import Total
from regretless.base.classifier import Classifier
from regretless.base.regressor import Regressor
from regretless.base.weights import HasWeights
from regretless.losses import Loss
from regretless.rates import Rate
from regretless.rules import Paid, Rule


class _AnyRule(HasWeights):
    """A learner made of a loss and a rule, both of which may be chosen."""

    loss: str | Loss
    rule: str | Rule
    rate: float | Rate | None
    l1: float
    l2: float

    def _chosen(self) -> Rule:
        rule = rules.get(self.rule)
        return rule if self.rate is None else rule.with_rate(self.rate)

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        loss, rule = losses.get(self.loss), self._chosen()
        rule.check_penalty(self.l1, self.l2)
        return loss, rule.name, rule.options(loss, self.l1, self.l2)

    def _advice(self) -> str:
        return self._chosen().advice()

    def _sums(self) -> dict[str, Any]:
        if not self.certify:  # then the core does not measure gradients
            return super()._sums()
        core = self._model or self._start()
        price, steps = Total.price, Total.steps
        paid = Paid(core.most(price), core.total(price), core.total(steps))
        promise = self._chosen().promise(paid, bool(self.l1 or self.l2))
        return super()._sums() | {"promise": promise}


class LinearClassifier(_AnyRule, Classifier):
    """A linear classifier for streams that needs no learning rate.

    Plays `w_t`, scores `<w_t, x_t>`, suffers `loss(<w_t, x_t>, y_t)` and updates by `rule`. Labels are
    of any hashable type and new ones may appear at any time.

    Parameters
    ----------
    loss : "logistic", "hinge", "squared_hinge", "exponential" or an object of `regretless.losses`.
    rule : "coin" (no learning rate), "adagrad", "ogd", "ftrl", "eg", "pnorm", or an object of
        `regretless.rules`.
    rate : overrides the rule's learning rate: a number or one of `regretless.rates`.
    l1, l2 : penalties per round, `l1 ||w||_1 + l2 / 2 ||w||^2`; rules "ftrl", "adagrad", "ogd".
    intercept : whether every example has a further feature of value 1.
    features : "exact" gives every name its own weight; "hashed" has `2**bits` of them, whatever comes.
    names : how many names a hashed learner remembers, the first that it meets in a stream that is read
        from a file; `weights_` shows them.
    certify : keep a sum of gradients in double precision for `certificate()`. The rule "coin" keeps
        one in single precision anyway, whose rounding error the certificate accounts for.
    seed : no rule of this learner draws random numbers; kept for those that do.

    >>> model = LinearClassifier()
    >>> for x, y in [({"offer": 1, "free": 1}, "spam"), ({"meeting": 1}, "ham")] * 10:
    ...     model.learn_one(x, y)
    >>> model.predict_one({"free": 1})
    'spam'
    >>> 0.7 < model.predict_proba_one({"free": 1})["spam"] < 1
    True
    >>> lower = model.certificate(norm=1).best_possible()  # no model of norm 1 has a smaller loss
    >>> 0 < lower
    True
    """

    def __init__(
        self,
        *,
        loss: str | Loss = "logistic",
        rule: str | Rule = "coin",
        rate: float | Rate | None = None,
        l1: float = 0.0,
        l2: float = 0.0,
        intercept: bool = True,
        features: str = "exact",
        bits: int = 18,
        names: int = 0,
        certify: bool = False,
        seed: int = 0,
    ) -> None:
        self.loss = loss
        self.rule = rule
        self.rate = rate
        self.l1 = l1
        self.l2 = l2
        self._share(intercept, features, bits, names, certify=certify, seed=seed)


class LinearRegressor(_AnyRule, Regressor):
    """A linear regressor for streams that needs no learning rate and no scaling.

    Plays `w_t`, predicts `<w_t, x_t>`, suffers `loss(<w_t, x_t>, y_t)` and updates by `rule`.

    Parameters
    ----------
    loss : "squared", "absolute", "quantile", "epsilon_insensitive" or an object of
        `regretless.losses`, such as `losses.Quantile(0.9)`.

    The others are those of `LinearClassifier`.

    >>> model = LinearRegressor()
    >>> for t in range(200):
    ...     model.learn_one({"a": t % 3, "b": t % 5}, 2.0 * (t % 3) - (t % 5))
    >>> round(model.predict_one({"a": 1, "b": 0}))
    2
    """

    def __init__(
        self,
        *,
        loss: str | Loss = "squared",
        rule: str | Rule = "coin",
        rate: float | Rate | None = None,
        l1: float = 0.0,
        l2: float = 0.0,
        intercept: bool = True,
        features: str = "exact",
        bits: int = 18,
        names: int = 0,
        certify: bool = False,
        seed: int = 0,
    ) -> None:
        self.loss = loss
        self.rule = rule
        self.rate = rate
        self.l1 = l1
        self.l2 = l2
        self._share(intercept, features, bits, names, certify=certify, seed=seed)
