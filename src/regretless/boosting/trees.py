"""Incremental decision trees, and forests of them: for labels and for numbers."""

from typing import Any

from regretless.base import rows
from regretless.base.arguments import Array, check_seed, shown, whole, within
from regretless.base.classifier import Classifier
from regretless.base.learner import Learner
from regretless.base.options import option
from regretless.base.regressor import Regressor
from regretless.losses import Logistic, Loss, Squared

_DEEPEST = 1000  # of the core


class _Growing(Learner, in_core=False):
    """What trees and forests have in common: limits of their size, and how they read examples."""

    depth: int | None = option(
        whole,
        1,
        _DEEPEST,
        default=None,
        text="largest depth of a tree; 1 is a stump, a single split. None is 1,000",
    )

    def _reads(self) -> rows.Form:
        return rows.Form(intercept=False)

    def _grown(self) -> dict[str, Any]:
        """The options of the core."""
        return self._options() | {"depth": _DEEPEST if self.depth is None else int(self.depth)}

    def _loss(self) -> Loss:
        return Logistic() if self.classifies else Squared()

    def _weights(self) -> tuple[list[Any], Array, Array]:
        raise AttributeError(f"{type(self).__name__} has no weights: it is made of trees")

    @property
    def nodes_(self) -> int:
        """The number of nodes, leaves among them, of all trees."""
        core: Any = self._model or self._start()
        nodes: int = core.nodes
        return nodes


# --- one tree (Domingos and Hulten (2000)) ---------------------------------------------------------


class _Tree(_Growing, in_core=False):
    """The options of a single tree."""

    delta: float = option(
        within,
        "(0, 1)",
        default=0.001,
        text="probability with which the bound of a decision may fail, if its assumptions hold",
    )
    tie: float = option(
        within,
        "[0, 1]",
        default=0.3,
        text="""below this bound a leaf splits even if two features are as good as each other: with
        the defaults after 40 examples of weight 1. 0: never""",
    )
    grace: int = option(
        whole, default=10, text="a leaf considers to split after this number of further examples"
    )
    bins: int = option(
        whole,
        2,
        1000,
        default=32,
        hint=": of a histogram",
        text="largest number of points in the histogram of a feature in a leaf",
    )
    max_nodes: int = option(
        whole,
        1,
        2**24,
        default=1000,
        text="""largest number of nodes, which limits the memory. Leaves that cannot split any more
        keep no histograms, but learn frequencies""",
    )

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        return self._loss(), "tree", self._grown()


class Tree(_Tree, Classifier):
    """An incremental decision tree, which splits a leaf once it is sure which feature is the best.

    Domingos and Hulten (2000), with Gini's index. A leaf has a histogram of the labels for each feature
    that its examples have. With `G(f)` the largest gain of a threshold of the feature f, at least 0, and
    n the weight of the leaf's examples, the leaf is split by the best feature a if for the second best b

        G(a) - G(b) > sqrt(ln(1 / delta) / (2 n))     or this bound is less than `tie`

    where `G = sum_k (L_k^2 / L + R_k^2 / R) / n - sum_k (n_k / n)^2`, with L and R the weight to the
    left and to the right, and `n = (sum w)^2 / sum w^2` in the bound if there are weights. A value
    goes left if it is at most the threshold. Features that an example lacks are 0, so a category
    (presence of a name) is split at 1/2. A node predicts `p(k) = (n_k + p'(k) / 2) / (n + 1/2)`, with
    p' that of its parent, and above the root all labels are equally likely.

    A histogram has at most `bins` points. Then the two neighbours with the least weight are merged, and
    thresholds lie between points. Nothing is drawn. docs/trees.md says what the bound guarantees.

    As a weak learner, `OnlineBBM(Tree(depth=1))`, all trees of a booster are learned in the core in one
    pass over the example.

    >>> model = Tree()
    >>> for t in range(2000):
    ...     a, b = t % 7 - 3, t % 5 - 2
    ...     model.learn_one({"a": a, "b": b}, "yes" if a > 0 and b > 0 else "no")
    >>> model.predict_one({"a": 3, "b": 2}), model.predict_one({"a": 3, "b": -2}), model.nodes_
    ('yes', 'no', 5)
    """


class TreeRegressor(_Tree, Regressor):
    """An incremental regression tree, which splits a leaf once it is sure which feature is the best.

    It is `Tree` for numbers: a leaf has the sums of the targets near each point of its histograms, and
    the gain of a threshold is the share of the leaf's variance that it removes. A node predicts the mean
    of its targets, with half an example of its parent's prediction.

    >>> model = TreeRegressor()
    >>> for t in range(2000):
    ...     a, b = t % 7 - 3, t % 5 - 2
    ...     model.learn_one({"a": a, "b": b}, 10.0 * (a > 0) + (b > 0))
    >>> round(model.predict_one({"a": 3, "b": 2}), 1), round(model.predict_one({"a": -3, "b": 2}), 1)
    (11.0, 1.0)
    """


# --- a forest (Geurts, Ernst and Wehenkel (2006)) --------------------------------------------------


class _Forest(_Growing, in_core=False):
    """The options of a forest."""

    n: int = option(whole, 1, 10_000, default=20, text="number of trees", hint=": of trees")
    grace: int = option(
        whole,
        2,
        default=5,
        text="a leaf splits as soon as it keeps this number of examples and they differ; at most `kept`",
    )
    kept: int = option(
        whole, 2, 10_000, default=32, text="a leaf keeps this number of its latest examples"
    )
    max_nodes: int = option(
        whole,
        1,
        2**24,
        default=50_000,
        text="""largest number of nodes of a tree, which limits the memory. Leaves that cannot split any
        more keep no examples, but learn frequencies""",
    )
    seed: int = option(check_seed, default=0, text="seed of the features and thresholds drawn")

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        if self.grace > self.kept:
            raise ValueError(
                f"grace={shown(self.grace)} is more than kept={shown(self.kept)}, so that no leaf could "
                "split; give a smaller one"
            )
        return self._loss(), "forest", self._grown() | {"seed": self.seed % 2**63}


class Forest(_Forest, Classifier):
    """A forest of randomised decision trees that learns online, for nonlinear data of any kind.

    The trees are extremely randomised (Geurts, Ernst and Wehenkel (2006)), here grown one example at a
    time: a leaf keeps its latest examples, and as soon as there are `grace` of them with different
    labels it splits. Of the features that vary in the leaf, `2 sqrt(their number)` are drawn, each
    with a threshold drawn uniformly between its least and its largest value in the leaf. The one with
    the largest gain of Gini's index is taken, and the children begin with the examples of their side. A
    node predicts `p(k) = (n_k + p'(k) / 2) / (n + 1/2)`, as in `Tree`, and the forest the mean of its
    trees.

    Every tree sees every example; they differ by what they draw. Examples are kept once for all trees.
    There is nothing to tune but `n`: more trees are better and slower. The forest does not forget, so
    it is not for streams whose concept changes abruptly.

    >>> model = Forest(n=10)
    >>> for t in range(500):
    ...     a, b = 7 * t % 11 - 5, 5 * t % 13 - 6
    ...     model.learn_one({"a": a, "b": b}, "in" if a * a + b * b < 25 else "out")
    >>> model.predict_one({"a": 1, "b": -1}), model.predict_one({"a": 5, "b": -6})
    ('in', 'out')
    """


class ForestRegressor(_Forest, Regressor):
    """A forest of randomised regression trees that learns online.

    It is `Forest` for numbers: the gain of a threshold is what it removes of the sum of squares, and a
    node predicts the mean of its targets, with half an example of its parent's prediction.

    >>> model = ForestRegressor()
    >>> for t in range(1000):
    ...     a, b = 7 * t % 11 - 5, 5 * t % 13 - 6
    ...     model.learn_one({"a": a, "b": b}, float(a * b))
    >>> abs(model.predict_one({"a": 4, "b": -5}) + 20.0) < 5.0
    True
    """
