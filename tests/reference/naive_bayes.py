"""Naive Bayes of features that are there or not, as scikit-learn's `BernoulliNB` and much faster."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

__all__ = ["NaiveBayes"]


class NaiveBayes(ClassifierMixin, BaseEstimator):
    """Must be told the classes first, takes weights, and cannot predict before it has learned."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        if not hasattr(self, "classes_"):
            self.classes_ = np.unique(classes)
            self.class_count_ = np.zeros(len(self.classes_))
            self.feature_count_ = np.zeros((len(self.classes_), X.shape[1]))
        weights = np.ones(len(y)) if sample_weight is None else sample_weight
        shares = (np.asarray(y)[:, None] == self.classes_) * weights[:, None]
        self.class_count_ += shares.sum(axis=0)
        self.feature_count_ += shares.T @ there(X)
        return self

    def predict(self, X):
        if not hasattr(self, "classes_"):
            raise NotFittedError("call partial_fit first")
        p = (self.feature_count_ + 1.0) / (self.class_count_[:, None] + 2.0)
        with np.errstate(divide="ignore"):  # a class that has not come yet
            prior = np.log(self.class_count_)
        scores = there(X) @ np.log(p / (1.0 - p)).T + np.log(1.0 - p).sum(axis=1) + prior
        return self.classes_[np.argmax(scores, axis=1)]


def there(X):
    """Which features are above 0."""
    return ((X.toarray() if hasattr(X, "toarray") else np.asarray(X)) > 0).astype(float)
