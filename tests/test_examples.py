"""Every script of examples/ runs, draws its picture, and stands in the gallery."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
WITH_DATA = {"electric_load"}  # cannot do without; portfolio makes some up
SMALLER = {  # constants of the scripts that take long; the pictures of the gallery are drawn with theirs
    "audit_bounds": {"EXAMPLES": 1500},
    "batch_by_one_pass": {"SPLITS": 2},
    "dial": {"DAYS": 300, "SEEDS": 2},
    "guessing_game": {"ROUNDS": 500},
    "minimax": {"ROUNDS": 500},
    "newton_conditioning": {"RATES": [0.25, 1.0]},
    "switching_experts": {"ROUNDS": 800},
    "which_arm": {"ROUNDS": 2000, "SEEDS": 5},
}


@pytest.fixture
def run(monkeypatch):
    """Run a script in this process, without the data that are not part of the package."""

    def run(path, *arguments):
        monkeypatch.delenv("REGRETLESS_DATA", raising=False)
        monkeypatch.setattr(sys, "argv", [str(path), *map(str, arguments)])
        spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
        script = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, script)
        spec.loader.exec_module(script)
        for name, value in SMALLER.get(path.stem, {}).items():
            assert hasattr(script, name), f"{path.name} has no {name}"
            setattr(script, name, value)
        script.main()

    return run


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_it_runs_and_draws(path, run, tmp_path, capsys):
    if path.stem in WITH_DATA:
        with pytest.raises(SystemExit) as stopped:
            run(path, "--plot", tmp_path / "picture.png")
        assert stopped.value.code != 0
        assert "REGRETLESS_DATA" in capsys.readouterr().err
        return
    run(path, "--plot", tmp_path / "picture.png")
    assert capsys.readouterr().out.strip()
    assert (tmp_path / "picture.png").stat().st_size > 5000


def test_the_gallery_shows_all():
    gallery = (ROOT / "docs" / "gallery.md").read_text()
    assert [path.stem for path in EXAMPLES if f"`{path.name}`" not in gallery] == []
