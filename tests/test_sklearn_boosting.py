"""The boosters as scikit-learn estimators."""

import inspect

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from regretless import boosting
from regretless import sklearn as facade

BOOSTERS = [facade.AdaBoost, facade.NHBoost, facade.NHBoostDT]
boosters = pytest.mark.parametrize("cls", BOOSTERS)
TREES = facade.NHBoostDT(rounds=5, weak=DecisionTreeClassifier(max_depth=2, random_state=0))

# Weights and repeated rows agree up to rounding, which decides between equally good splits of a tree.
ROUNDING = {
    f"check_sample_weight_equivalence_on_{kind}_data": "the tree's ties are decided by rounding"
    for kind in ("dense", "sparse")
}


@parametrize_with_checks(
    [*(cls(rounds=6) for cls in BOOSTERS), TREES],
    expected_failed_checks=lambda model: ROUNDING if model.weak is not None else {},
)
def test_sklearn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(300, 8, n_informative=5, n_classes=3, random_state=0)
    return X, np.array(["ant", "bee", "cow"])[y]


@boosters
def test_what_a_booster_is(cls):
    ours = getattr(boosting, cls.__name__)
    assert all(issubclass(cls, parent) for parent in (ours, BaseEstimator, ClassifierMixin))
    assert inspect.signature(cls) == inspect.signature(ours)
    assert cls.__doc__
    with pytest.raises(NotFittedError):
        cls().predict([[1.0]])


@boosters
def test_the_same_numbers_and_files_as_without_scikit_learn(cls, data, tmp_path):
    X, y = data
    ours = getattr(boosting, cls.__name__)
    model, plain = cls(rounds=15).fit(X, y), ours(rounds=15).fit(X, y)
    assert np.array_equal(model.decision_function(X), plain.decision_function(X))
    model.save(tmp_path / "model")
    for again in (cls.load(tmp_path / "model"), ours.load(tmp_path / "model")):
        assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert cls.load(tmp_path / "model").n_features_in_ == 8


def test_searches(data):
    X, y = data
    assert cross_val_score(facade.NHBoostDT(rounds=30), X, y).mean() > 0.6
    search = GridSearchCV(clone(TREES), {"weak__max_depth": [1, 2], "rounds": [5]}, cv=3).fit(X, y)
    assert search.best_params_["weak__max_depth"] in (1, 2)
