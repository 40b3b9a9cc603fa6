"""The public names of each room: those of the design, and what was added, with the reason."""

import importlib
from functools import cache
from pathlib import Path

import pytest
from roster import ROSTER

DESIGN = {
    "losses": "Hinge Logistic Squared Absolute SquaredHinge Exponential Quantile ZeroOne",
    "geometry": "Euclidean Entropy UnnormalizedEntropy PNorm Quadratic",
    "domains": "Everything Ball Simplex Box Slab",
    "oco": "FollowTheLeader FollowTheRegularizedLeader OnlineGradientDescent OnlineMirrorDescent "
    "ExponentiatedGradient DoublingTrick DensityPlayer OnlineNewtonStep SketchedOnlineNewton",
    "linear": "LinearClassifier LinearRegressor Perceptron KernelPerceptron MarginPerceptron Winnow "
    "BalancedWinnow PNormPerceptron PassiveAggressive PrimalDual OnlineSVM Auto",
    "newton": "NewtonClassifier NewtonRegressor",
    "experts": "Consistent Halving WeightedMajority RandomizedWeightedMajority Hedge "
    "PolynomialWeights SecondOrderHedge TwoNorm NormalHedge NormalHedgeDT AdaNormalHedge "
    "AdaNormalHedgeTV FixedShare AdaptMLProd DriftingGame BestPruning Squint BOA MLPoly Mixture",
    "boosting": "OnlineBBM AdaBoostOL OSBoost OSBoostOCP GradientBoostingSpan GradientBoostingHull "
    "AdaBoost NHBoost NHBoostDT Stump NeuralNet",
    "bandits": "Exp3 BanditMirrorDescent BanditGradientDescent Exp3IX TsallisINF UCB1 "
    "ThompsonSampling LinUCB Exp4",
    "games": "solve Equilibrium play",
    "classes": "FiniteClass littlestone_dimension SOA LdimExperts AgnosticLearner",
    "batch": "online_to_batch",
}
BASE = "to subclass"
RESULT = "what a call returns"
ADDED = {
    "losses": {
        "EpsilonInsensitive": "loss of support vector regression",
        "LogWealth": "portfolios",
        "Loss": BASE,
        "Perceptron": "loss of the Perceptron (Mohri et al. (2018), section 8.3.1)",
        "Power": "smooth loss of gradient boosting (Luo (2016), chapter 3)",
        "get": "a loss by name",
    },
    "geometry": {
        "Geometry": BASE,
        "Restricted": "psi on a smaller domain",
        "Sum": "psi of two parts (Shalev-Shwartz (2012), section 2)",
        "check_geometry": "test of a geometry of one's own",
    },
    "domains": {
        "Domain": BASE,
        "Intersection": "domains combine",
        "Sublevel": "where a geometry is small: comparators where a domain has no end",
    },
    "rates": {
        "Constant": "schedule",
        "Inverse": "schedule",
        "InverseSqrt": "schedule",
        "Rate": BASE,
        "anytime": "schedule that a theorem gives",
        "for_horizon": "schedule that a theorem gives",
        "get": "a rate from a number",
    },
    "rules": {
        "AdaGrad": "rule with options",
        "Coin": "rule with options",
        "EG": "rule with options",
        "FTRL": "rule with options",
        "OGD": "rule with options",
        "PNorm": "rule with options",
        "Rule": "type of rule=",
        "get": "a rule by name",
    },
    "certificates": {
        "Audit": "what no linear model could have gone below",
        "LinearCertificate": RESULT,
        "MistakeBound": RESULT,
        "MistakeCertificate": RESULT,
        "Certificate": RESULT,
        "Promise": RESULT,
        "verdict": "whether a theorem held, for certificates of your own",
    },
    "base.run": {"Run": RESULT},
    "oco": {
        "AdaGrad": "the rule as a player",
        "CoinBetting": "the rule as a player",
        "ConvexLoss": "loss of two functions, for leaders",
        "InvariantNewtonStep": "Luo (2016), appendix C.2, repaired",
        "LinearLoss": "loss for leaders",
        "Linearized": "leaders on gradients (Shalev-Shwartz (2012), section 2)",
        "MistakeOnly": "conservative learners (Shalev-Shwartz (2012), Theorem 3.9)",
        "Player": BASE,
        "PlayerInPython": BASE,
        "ScoreLoss": "loss of an example, for leaders",
        "SquaredDistance": "loss for leaders",
        "check_convex": "test of a loss of one's own",
    },
    "linear": {
        "AutoClassifier": "Auto with its task in the name",
        "AutoRegressor": "Auto with its task in the name",
        "PassiveAggressiveRegressor": "numbers as targets",
    },
    "newton": {"NewtonCertificate": RESULT, "NewtonLane": "what lanes_ holds"},
    "boosting": {
        "BatchGradientBoosting": "Luo (2016), chapter 3, in batch",
        "BoostingCertificate": RESULT,
        "BothSigns": "a class closed under signs (Luo (2016), chapter 3)",
        "DecisionStump": "weak learner with exact search",
        "FittedStump": "what stumps_ holds",
        "MarginCertificate": RESULT,
        "excess_loss": "Luo (2016), Lemma 7",
    },
    "experts": {
        "ExpertPlayer": BASE,
        "ExpertsRun": RESULT,
        "MixtureRun": RESULT,
        "NotRealizable": "to catch",
        "PruningRun": RESULT,
        "VotesRun": RESULT,
        "gap_bound": "Luo (2016), Theorem 5",
        "small_loss_bound": "Luo (2016), Theorem 5",
    },
    "bandits": {
        "ArmPlayer": "type of all players of arms",
        "BanditPotential": "Exp3's potential (Luo (2016), appendix A.3)",
        "BanditRun": RESULT,
        "Bernoulli": "environment",
        "ContextualRun": RESULT,
        "ConvexBanditRun": RESULT,
        "EpsilonGreedy": "the baseline",
        "EpsilonGreedyLearner": "the baseline with contexts",
        "Estimator": BASE,
        "Gaussian": "environment",
        "OneArm": "estimator (Shalev-Shwartz (2012), section 4.2)",
        "OnePoint": "estimator (Shalev-Shwartz (2012), section 4.3)",
        "PotentialBandit": "Luo (2016), Algorithm 24",
        "Simulation": RESULT,
        "Simulations": RESULT,
        "TwoPoint": "estimator with two values a round",
        "simulate": "many seeds at once",
    },
    "bandits.off_policy": {
        "Log": "what was chosen and came of it",
        "OffPolicyEstimate": RESULT,
        "doubly_robust": "estimate",
        "evaluate": "estimates side by side",
        "ips": "estimate",
        "replay": "estimate",
        "snips": "estimate",
    },
    "games": {
        "BestResponse": "the other player of Mohri et al. (2018), section 8.5",
        "GameCertificate": RESULT,
        "GameRun": RESULT,
        "OptimisticHedge": "player of games",
        "RegretMatchingPlus": "player of games",
        "SeatRun": RESULT,
    },
    "classes": {
        "ClassRun": RESULT,
        "MistakeTree": RESULT,
        "TooLarge": "to catch",
        "vc_dimension": "to compare with",
    },
    "adversaries": {
        "Adversary": BASE,
        "AdversaryRun": RESULT,
        "BernoulliArms": "Shalev-Shwartz (2012), section 4.2",
        "CoinFlips": "Mohri et al. (2018), Theorem 8.5",
        "ConsistentKiller": "Shalev-Shwartz (2012), section 1.2.1",
        "CoverAdversary": "Shalev-Shwartz (2012), section 1.2; Mohri et al. (2018), section 8.2.3",
        "DisjunctionStream": "Shalev-Shwartz (2012), section 3.3.2",
        "Exhausted": "to catch",
        "ExponentialInstance": "Mohri et al. (2018), Exercise 8.1",
        "FtlKiller": "Shalev-Shwartz (2012), Example 2.2",
        "LittlestoneCoins": "Shalev-Shwartz (2012), Theorem 3.6",
        "LittlestoneTree": "Shalev-Shwartz (2012), section 3.2",
        "MarginStream": "what the Perceptron is promised",
        "NoisyForecasts": "Luo (2016), Theorem 15",
        "Oblivious": BASE,
        "OrthogonalGradients": "lower bound of gradient descent",
        "QuadraticGame": "Shalev-Shwartz (2012), section 2.2",
        "SignGradients": "after Mohri et al. (2018), Theorem 8.5",
        "StochasticGradients": "the benign case",
        "SwitchingExperts": "for those who track",
        "WeakVotes": "Luo (2016), Theorem 10",
        "UnitVectors": "Mohri et al. (2018), Exercise 8.3",
        "halfspace_tree": "Shalev-Shwartz (2012), section 3.2",
        "play": "the game itself",
        "threshold_tree": "Shalev-Shwartz (2012), section 3.2",
    },
    "batch": {
        "AveragedPoint": RESULT,
        "HardMargin": RESULT,
        "Predictor": RESULT,
        "SeparableRisk": RESULT,
        "hard_margin": "the comparator of Mohri et al. (2018), section 8.4",
        "separable_risk": "Mohri et al. (2018), section 8.4",
        "stochastic_mirror_descent": "Shalev-Shwartz (2012), section 5",
    },
    "streams": {
        "Piece": "what a stream of one's own yields",
        "Place": "where a stream goes on",
        "Stream": BASE,
        "bundled": "data for examples",
        "read": "all formats",
    },
    "evaluate": {
        "Calibration": RESULT,
        "Curve": RESULT,
        "Report": RESULT,
        "Training": "train with checkpoints",
        "Validation": "scores of a loop of one's own",
        "progressive": "validation while learning",
    },
    "plots": {
        "bandit_regret": "picture",
        "compare": "several runs on one axis",
        "calibration": "picture",
        "cumulative_residuals": "picture",
        "gap_curves": "picture",
        "learning_curves": "picture",
        "margin_curves": "picture",
        "mistake_tree": "picture",
        "oracle_bars": "picture",
        "regret_bands": "picture",
        "regret_to_experts": "picture",
        "weight_bars": "picture",
        "weights_over_time": "picture",
    },
}
LEARNERS = {*DESIGN["linear"].split(), *ADDED["linear"], *DESIGN["newton"].split()} - {"Auto"}
ONLINE = {"OnlineBBM", "AdaBoostOL", "OSBoost", "OSBoostOCP"}
ONLINE |= {"Tree", "TreeRegressor", "Forest", "ForestRegressor"}
FACADES = {
    "river": LEARNERS | ONLINE,
    "sklearn": LEARNERS | ONLINE | {"AdaBoost", "NHBoost", "NHBoostDT"},
}


@cache
def on_the_roster():
    """The classes whose lines of the roster are reason enough."""
    return {type(entry.make(0)).__name__ for entry in ROSTER}


@pytest.mark.parametrize("room", [*ADDED, *FACADES])
def test_public_names_are_those_of_the_design_and_of_this_table(room):
    promised, added = set(DESIGN.get(room, "").split()), set(ADDED.get(room, ()))
    assert not promised & added, "a name of the design needs no reason"
    found = importlib.import_module(f"regretless.{room}").__all__
    assert len(set(found)) == len(found)
    named = FACADES.get(room, promised | added)
    assert named <= set(found)
    assert set(found) - named <= (set() if room in FACADES else on_the_roster())


def test_all_names_of_the_design_are_in_a_room_of_the_table():
    assert set(DESIGN) <= set(ADDED)


@pytest.mark.parametrize("room", FACADES)
def test_the_reference_lists_all_facades(room):
    page = (Path(__file__).parents[1] / "docs" / "api" / f"{room}.md").read_text()
    listed = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert listed == sorted(FACADES[room])
