"""LinearClassifier and LinearRegressor: any convex loss with any update rule."""

from typing import Any

from regretless import losses, rules
from regretless._core import Total
from regretless.base.arguments import not_negative
from regretless.base.classifier import Classifier
from regretless.base.options import option
from regretless.base.regressor import Regressor
from regretless.base.weights import HasWeights
from regretless.losses import Loss
from regretless.rates import Rate
from regretless.rules import Paid, Rule


class _AnyRule(HasWeights):
    """A learner made of any loss and any rule."""

    loss: str | Loss = option(losses.learnable, default="logistic", text="loss to minimise")
    rule: str | Rule = option(
        rules.named,
        default="coin",
        text='"coin" (no learning rate), "adagrad", "ogd", "ftrl", "eg", "pnorm", or an object of '
        "`regretless.rules`",
    )
    rate: float | Rate | None = option(
        default=None,
        text="learning rate in place of the rule's own: a number, one of `regretless.rates`, or None",
    )
    l1: float = option(
        not_negative,
        default=0.0,
        text='penalty `l1 ||w||_1` per round, for the rules "ftrl", "adagrad" and "ogd"',
    )
    l2: float = option(
        not_negative, default=0.0, text="penalty `l2 / 2 ||w||^2` per round, for the same rules"
    )

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
        if not self.certify:  # the core measures no gradients
            return super()._sums()
        core = self._model or self._start()
        price, steps = Total.price, Total.steps
        paid = Paid(core.most(price), core.total(price), core.total(steps))
        promise = self._chosen().promise(paid, bool(self.l1 or self.l2))
        return super()._sums() | {"promise": promise}


class LinearClassifier(_AnyRule, Classifier):
    """A linear classifier for streams that needs no learning rate.

    It plays `w_t`, scores `<w_t, x_t>`, suffers `loss(<w_t, x_t>, y_t)` and updates by `rule`. Labels
    are of any hashable type and new ones may appear at any time.

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

    loss: str | Loss = option(
        losses.learnable,
        "classification",
        default="logistic",
        text=f"{losses.learned(classification=True)} or an object of `regretless.losses`",
    )


class LinearRegressor(_AnyRule, Regressor):
    """A linear regressor for streams that needs no learning rate and no scaling.

    It plays `w_t`, predicts `<w_t, x_t>`, suffers `loss(<w_t, x_t>, y_t)` and updates by `rule`.

    >>> model = LinearRegressor()
    >>> for t in range(200):
    ...     model.learn_one({"a": t % 3, "b": t % 5}, 2.0 * (t % 3) - (t % 5))
    >>> round(model.predict_one({"a": 1, "b": 0}))
    2
    """

    loss: str | Loss = option(
        losses.learnable,
        "regression",
        default="squared",
        text=f"{losses.learned(classification=False)} or an object of `regretless.losses`, such as "
        "`losses.Quantile(0.9)`",
    )
