"""Time to learn in double precision, as a multiple of that in single precision.

    python benchmarks/precision.py

20,000 sparse rows with 30 of 200 features each, the least processor time of five passes.
"""

import time

import numpy as np
from scipy.sparse import csr_array

from regretless.linear import Auto, LinearClassifier

ROWS, FEATURES, EACH = 20_000, 200, 30


def main() -> None:
    """Print a line for each learner."""
    rng = np.random.default_rng(0)
    columns = np.concatenate([rng.choice(FEATURES, EACH, replace=False) for _ in range(ROWS)])
    starts = np.arange(ROWS + 1) * EACH
    X = csr_array((rng.normal(size=ROWS * EACH), columns, starts), shape=(ROWS, FEATURES))
    X.sort_indices()
    scores = X @ rng.normal(size=FEATURES)
    two, nine = (scores > 0).astype(int), np.clip(np.abs(scores) * 1.5, 0, 8).astype(int)
    learners = {
        "coin": (LinearClassifier(), two),
        "adagrad": (LinearClassifier(rule="adagrad"), two),
        "ogd": (LinearClassifier(rule="ogd", rate=0.01), two),
        "coin, nine labels": (LinearClassifier(), nine),
        "Auto": (Auto(), two),
    }
    for name, (learner, y) in learners.items():
        seconds: dict[str, list[float]] = {"single": [], "double": []}
        for _ in range(5):
            for precision, found in seconds.items():
                model = learner.clone().set_params(precision=precision)
                start = time.process_time()
                model.learn_many(X, y)
                found.append(time.process_time() - start)
        print(f"{name:20} {min(seconds['double']) / min(seconds['single']):.2f}")


if __name__ == "__main__":
    main()
