"""Every script of examples/ runs, draws its picture, and stands in the gallery."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
WITH_DATA = {"electric_load"}  # cannot do without; portfolio makes some up


def run(path, *arguments):
    """Without the data that are not of the package."""
    environment = {k: v for k, v in os.environ.items() if k != "REGRETLESS_DATA"}
    return subprocess.run(
        [sys.executable, path, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_it_runs_and_draws(path, tmp_path):
    done = run(path, "--plot", tmp_path / "picture.png")
    if path.stem in WITH_DATA:
        assert done.returncode != 0
        assert "REGRETLESS_DATA" in done.stderr
        assert "Traceback" not in done.stderr
        return
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert (tmp_path / "picture.png").stat().st_size > 5000


def test_the_gallery_shows_all():
    gallery = (ROOT / "docs" / "gallery.md").read_text()
    assert [path.stem for path in EXAMPLES if f"`{path.name}`" not in gallery] == []
