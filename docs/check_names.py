"""Whether every public name is on the built site: python docs/check_names.py SITE.

A public name is one of `__all__` of a room that has a page in docs/api.
"""

import importlib
import sys
import zlib
from pathlib import Path


def listed(site: Path) -> set[str]:
    """The names in the site's inventory, whose lines after the header are compressed."""
    content = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    return {line.split()[0] for line in zlib.decompress(content).decode().splitlines()}


def wanted() -> set[tuple[str, str]]:
    """Every name of every room, with the room, that the page does not list itself."""
    names = set()
    for page in sorted((Path(__file__).parent / "api").glob("*.md")):
        text = page.read_text()
        for line in text.splitlines():
            if line.startswith("::: "):
                room = line.removeprefix("::: ")
                if room.count(".") < 3:  # a function that has the name of its file is by itself
                    there = importlib.import_module(room).__all__
                    names |= {(room, name) for name in there if f"| `{name}` |" not in text}
    return names


if __name__ == "__main__":
    there = listed(Path(sys.argv[1]))
    missing = sorted(
        f"{room}.{name}"
        for room, name in wanted()
        if f"{room}.{name}" not in there and f"{room}.{name}.{name}" not in there
    )
    if missing:
        sys.exit(f"not on the site: {', '.join(missing)}")
    print(f"all {len(wanted())} public names are on the site")
