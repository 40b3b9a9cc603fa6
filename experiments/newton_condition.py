"""The error of the default Newton learner by the condition number of its data.

    python experiments/newton_condition.py [--seeds 6] [--sketch oja]

The data of Luo (2016), section 4.6.1, with 60 and 100 features: all variances are 1, but ten rise to k,
along axes that are not the features. Labels do not depend on k. Errors are of one pass over 5,000 and
10,000 examples, means over the seeds.
"""

import argparse

import numpy as np

from regretless.newton import NewtonClassifier

CONDITIONS = (1, 10, 50, 200, 1000)


def error(model: NewtonClassifier, features: int, k: float, examples: int, seed: int) -> float:
    """Of one pass."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(examples, features))
    V, _ = np.linalg.qr(rng.normal(size=(features, features)))
    variances = np.ones(features)
    variances[-10:] += (k - 1) * np.arange(1, 11) / 10
    y = Z @ rng.normal(size=features) > 0
    parts = model.validate_many(Z * np.sqrt(variances) @ V.T, y)
    return float(np.mean(np.concatenate([part.wrong for part in parts])))


def main(seeds: int, sketch: str) -> None:
    """Print a line for each number of features and of examples."""
    print("features examples", *(f"{f'k={k}':>8}" for k in CONDITIONS), "  200 over 1")
    for features in (60, 100):
        for examples in (5_000, 10_000):
            found = {
                k: np.mean(
                    [
                        error(NewtonClassifier(sketch=sketch), features, k, examples, seed)
                        for seed in range(seeds)
                    ]
                )
                for k in CONDITIONS
            }
            errors = " ".join(f"{each:8.4f}" for each in found.values())
            print(f"{features:8} {examples:8} {errors} {found[200] / found[1]:12.3f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--sketch", default="oja", choices=("oja", "fd", "full"))
    chosen = parser.parse_args()
    main(chosen.seeds, chosen.sketch)
