"""Run all benchmarks, one after the other: python -m benchmarks [--data DIR] [--smoke] [--only NAME,...]

Each benchmark measures ours and the peers in the same run and keeps its results. README.md,
docs/pictures/benchmarks.png and the table of the front page are written from all kept results. It takes
about half an hour; nothing else should run meanwhile.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from pages import picture, put_front, report

HERE = Path(__file__).parent
ALL = (
    *("linear", "streams", "labels", "auto", "newton", "kernels", "boosting", "boosting_batch"),
    "trees",
    *("oco", "experts", "bandits", "contextual", "games", "classes"),
)


def main() -> None:
    """Run the benchmarks and write the pages; exit with 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("REGRETLESS_DATA"))
    parser.add_argument("--smoke", action="store_true", help="small, and keep no results")
    parser.add_argument("--only", help="names, with commas")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else ALL
    unknown = sorted({*names} - {*ALL})
    if unknown:
        parser.error(f"--only {','.join(unknown)}: there are {', '.join(ALL)}")
    environment = dict(os.environ)
    if options.data:
        environment["REGRETLESS_DATA"] = str(Path(options.data).resolve())
    failed = []
    for name in names:
        print(f"\n== {name}", flush=True)
        started = time.perf_counter()
        command = [sys.executable, f"{name}.py", *(["--smoke"] if options.smoke else [])]
        if subprocess.run(command, cwd=HERE, env=environment, check=False).returncode:
            failed.append(name)
        print(f"{name}: {time.perf_counter() - started:.0f} s", flush=True)
    if not options.smoke:
        report()
        picture(HERE.parent / "docs" / "pictures" / "benchmarks.png")
        put_front(HERE.parent / "README.md")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
