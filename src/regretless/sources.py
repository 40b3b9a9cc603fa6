"""The texts and papers from which the algorithms, theorems and methods are taken.

Docstrings and certificates cite them by authors and year, such as `Shalev-Shwartz (2012), Theorem 2.21`,
with the number of the text itself. `find` returns the cited work; `docs/bibliography.md` lists all works.
"""

# ruff: noqa: E501 (one work per line)

import re
from typing import NamedTuple

__all__ = ["SOURCES", "TEXTS", "Source", "find"]


class Source(NamedTuple):
    """A text or paper: the key by which it is cited, its title, and where it appeared.

    >>> find("Duchi, Hazan and Singer (2011), Theorem 5").title
    'Adaptive subgradient methods for online learning and stochastic optimization'
    """

    key: str
    title: str
    where: str

    def __str__(self) -> str:
        return f"{self.key}: {self.title}. {self.where}."


TEXTS = (
    Source(
        "Shalev-Shwartz (2012)",
        "Online learning and online convex optimization",
        "Foundations and Trends in Machine Learning 4(2), 107-194",
    ),
    Source(
        "Mohri et al. (2018)",
        "Foundations of machine learning, second edition, chapter 8: On-line learning",
        "Mehryar Mohri, Afshin Rostamizadeh and Ameet Talwalkar, MIT Press",
    ),
    Source(
        "Srebro (lecture 16)",
        "From follow the regularized leader to online gradient descent and the Perceptron rule",
        "Slides of the course Computational and Statistical Learning Theory, TTIC 31120",
    ),
    Source(
        "Shalev-Shwartz and Singer (2007)",
        "A primal-dual perspective of online learning algorithms",
        "Machine Learning 69, 115-142",
    ),
    Source(
        "Luo (2016)",
        "Optimal and adaptive online learning",
        "PhD thesis, Princeton University",
    ),
)
"""The five texts that the library implements completely."""

_OTHERS = (
    ("Abbasi-Yadkori, Pal and Szepesvari (2011)", "Improved algorithms for linear stochastic bandits", "NeurIPS"),
    ("Abernethy, Hazan and Rakhlin (2008)", "Competing in the dark: an efficient algorithm for bandit linear optimization", "COLT"),
    ("Agarwal, Hazan, Kale and Schapire (2006)", "Algorithms for portfolio management based on the Newton method", "ICML"),
    ("Agrawal and Goyal (2012)", "Analysis of Thompson sampling for the multi-armed bandit problem", "COLT"),
    ("Agrawal and Goyal (2013)", "Further optimal regret bounds for Thompson sampling", "AISTATS"),
    ("Auer, Cesa-Bianchi and Fischer (2002)", "Finite-time analysis of the multiarmed bandit problem", "Machine Learning 47, 235-256"),
    ("Auer, Cesa-Bianchi, Freund and Schapire (2002)", "The nonstochastic multiarmed bandit problem", "SIAM Journal on Computing 32(1), 48-77"),
    ("Beygelzimer, Kale and Luo (2015)", "Optimal and adaptive algorithms for online boosting", "ICML"),
    ("Boyle and Dykstra (1986)", "A method for finding projections onto the intersection of convex sets in Hilbert spaces", "Advances in Order Restricted Statistical Inference, 28-47"),
    ("Cesa-Bianchi and Lugosi (2006)", "Prediction, learning, and games", "Cambridge University Press"),
    ("Chaudhuri, Freund and Hsu (2009)", "A parameter-free hedging algorithm", "NeurIPS"),
    ("Chen, Lin and Lu (2012)", "An online boosting algorithm with theoretical justifications", "ICML"),
    ("Crammer, Dekel, Keshet, Shalev-Shwartz and Singer (2006)", "Online passive-aggressive algorithms", "Journal of Machine Learning Research 7, 551-585"),
    ("de Rooij, van Erven, Grunwald and Koolen (2014)", "Follow the leader if you can, hedge if you must", "Journal of Machine Learning Research 15, 1281-1316"),
    ("Domingos and Hulten (2000)", "Mining high-speed data streams", "KDD"),
    ("Duchi, Hazan and Singer (2011)", "Adaptive subgradient methods for online learning and stochastic optimization", "Journal of Machine Learning Research 12, 2121-2159"),
    ("Dudik, Langford and Li (2011)", "Doubly robust policy evaluation and learning", "ICML"),
    ("Farina, Kroer and Sandholm (2021)", "Faster game solving via predictive Blackwell approachability: connecting regret matching and mirror descent", "AAAI"),
    ("Flaxman, Kalai and McMahan (2005)", "Online convex optimization in the bandit setting: gradient descent without a gradient", "SODA"),
    ("Freund and Schapire (1997)", "A decision-theoretic generalization of on-line learning and an application to boosting", "Journal of Computer and System Sciences 55(1), 119-139"),
    ("Freund and Schapire (1999)", "Large margin classification using the perceptron algorithm", "Machine Learning 37, 277-296"),
    ("Gaillard, Stoltz and van Erven (2014)", "A second-order bound with excess losses", "COLT"),
    ("Geurts, Ernst and Wehenkel (2006)", "Extremely randomized trees", "Machine Learning 63, 3-42"),
    ("Hazan and Seshadhri (2009)", "Efficient learning algorithms for changing environments", "ICML"),
    ("Hazan, Agarwal and Kale (2007)", "Logarithmic regret algorithms for online convex optimization", "Machine Learning 69, 169-192"),
    ("Herbster and Warmuth (1998)", "Tracking the best expert", "Machine Learning 32, 151-178"),
    ("Karampatziakis and Langford (2011)", "Online importance weight aware updates", "UAI"),
    ("Kivinen and Warmuth (1997)", "Exponentiated gradient versus gradient descent for linear predictors", "Information and Computation 132(1), 1-63"),
    ("Kocak, Neu, Valko and Munos (2014)", "Efficient learning by implicit exploration in bandit problems with side observations", "NeurIPS"),
    ("Koolen and van Erven (2015)", "Second-order quantile methods for experts and combinatorial games", "COLT"),
    ("Lawson and Hanson (1974)", "Solving least squares problems", "Prentice Hall"),
    ("Li, Chu, Langford and Schapire (2010)", "A contextual-bandit approach to personalized news article recommendation", "WWW"),
    ("Li, Chu, Langford and Wang (2011)", "Unbiased offline evaluation of contextual-bandit-based news article recommendation algorithms", "WSDM"),
    ("Luo and Schapire (2015)", "Achieving all with no parameters: AdaNormalHedge", "COLT"),
    ("Marsaglia and Tsang (2000)", "A simple method for generating gamma variables", "ACM Transactions on Mathematical Software 26(3), 363-372"),
    ("Maurer and Pontil (2009)", "Empirical Bernstein bounds and sample variance penalization", "COLT"),
    ("McMahan et al. (2013)", "Ad click prediction: a view from the trenches", "KDD"),
    ("Meyer (1973)", "Generalized inversion of modified matrices", "SIAM Journal on Applied Mathematics 24(3), 315-323"),
    ("Neu (2015)", "Explore no more: improved high-probability regret bounds for non-stochastic bandits", "NeurIPS"),
    ("Orabona and Pal (2016)", "Coin betting and parameter-free online learning", "NeurIPS"),
    ("Orabona and Tommasi (2017)", "Training deep networks without learning rates through coin betting", "NeurIPS"),
    ("Rakhlin and Sridharan (2013)", "Optimization, learning, and games with predictable sequences", "NeurIPS"),
    ("Ross, Mineiro and Langford (2013)", "Normalized online learning", "UAI"),
    ("Rutkowski, Pietruczuk, Duda and Jaworski (2013)", "Decision trees for mining data streams based on the McDiarmid's bound", "IEEE Transactions on Knowledge and Data Engineering 25(6), 1272-1279"),
    ("Russo and Van Roy (2016)", "An information-theoretic analysis of Thompson sampling", "Journal of Machine Learning Research 17, 1-30"),
    ("Schapire, Freund, Bartlett and Lee (1998)", "Boosting the margin: a new explanation for the effectiveness of voting methods", "Annals of Statistics 26(5), 1651-1686"),
    ("Shalev-Shwartz, Singer, Srebro and Cotter (2011)", "Pegasos: primal estimated sub-gradient solver for SVM", "Mathematical Programming 127, 3-30"),
    ("Steele, Lea and Flood (2014)", "Fast splittable pseudorandom number generators", "OOPSLA"),
    ("Syrgkanis, Agarwal, Luo and Schapire (2015)", "Fast convergence of regularized learning in games", "NeurIPS"),
    ("Tammelin (2014)", "Solving large imperfect information games using CFR+", "arXiv:1407.5042"),
    ("Tammelin, Burch, Johanson and Bowling (2015)", "Solving heads-up limit Texas hold'em", "IJCAI"),
    ("Thompson (1933)", "On the likelihood that one unknown probability exceeds another in view of the evidence of two samples", "Biometrika 25, 285-294"),
    ("Wintenberger (2017)", "Optimal learning with Bernstein online aggregation", "Machine Learning 106, 119-141"),
    ("Zhang and Yu (2005)", "Boosting with early stopping: convergence and consistency", "Annals of Statistics 33(4), 1538-1579"),
    ("Zimmert and Seldin (2021)", "Tsallis-INF: an optimal algorithm for stochastic and adversarial bandits", "Journal of Machine Learning Research 22, 1-49"),
    ("Zinkevich (2003)", "Online convex programming and generalized infinitesimal gradient ascent", "ICML"),
)  # fmt: skip

SOURCES = {source.key: source for source in (*TEXTS, *(Source(*row) for row in _OTHERS))}
"""All cited works by their keys."""


def find(citation: str) -> Source:
    """The work of a citation, which begins with `authors (year)`.

    >>> print(find("Luo (2016), Theorem 16"))
    Luo (2016): Optimal and adaptive online learning. PhD thesis, Princeton University.
    """
    key = re.match(r"[^()]*\([^()]*\)", citation)
    if key is None or key[0] not in SOURCES:
        raise ValueError(f"citation={citation!r} does not begin with a key of sources.SOURCES")
    return SOURCES[key[0]]
