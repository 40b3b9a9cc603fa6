"""Print the oldest versions that pyproject.toml allows, as constraints for pip."""

import re
import tomllib
from pathlib import Path


def constraints(dependencies):
    """`name==version` for each `name>=version`.

    >>> constraints(["numpy>=1.26", "isal>=1.6; platform_machine == 'x86_64'"])
    ['numpy==1.26', "isal==1.6; platform_machine == 'x86_64'"]
    """
    pinned = [re.sub(r"^([\w-]+)>=", r"\1==", each) for each in dependencies]
    for each in pinned:
        if "==" not in each.partition(";")[0]:
            raise SystemExit(f"{each} has no lower bound")
    return pinned


if __name__ == "__main__":
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    print(*constraints(project["dependencies"]), sep="\n")
