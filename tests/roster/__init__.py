"""One table of all learners and players, each of which goes through the checks of `test_battery.py`.

A new public class that plays or learns needs a line here, or a reason among `EXCEPTIONS`.
"""

from roster.bandits import BANDITS
from roster.classes import CLASSES
from roster.convex import CONVEX
from roster.experts import EXPERTS
from roster.kinds import Entry
from roster.learners import LEARNERS

__all__ = ["EXCEPTIONS", "ROOMS", "ROSTER", "Entry"]

ROOMS = ("linear", "newton", "boosting", "oco", "experts", "bandits", "games", "classes")
ROSTER = [*LEARNERS, *CONVEX, *EXPERTS, *BANDITS, *CLASSES]

# public classes that are no line of the table
EXCEPTIONS = {
    "Auto": "makes an AutoClassifier or an AutoRegressor, which are there",
    "Player": "abstract",
    "PlayerInPython": "abstract",
    "ExpertPlayer": "abstract",
    "ArmPlayer": "abstract",
    "BestResponse": "learns nothing: it answers what it is shown",
}
# Rooms without a line: `river` and `sklearn` are the learners of `linear`, `newton` and `boosting` under
# other base classes, and pass the checks of River and scikit-learn (test_river.py, test_sklearn.py).
