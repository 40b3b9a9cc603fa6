"""A training that is killed and started again ends in the same model, bit for bit."""

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

LINES, FILES = 80_000, 20


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """One text with two namespaces and importance weights: plain, compressed, and in many files."""
    rng = random.Random(7)
    lines = []
    for t in range(LINES):
        user, ad = rng.randrange(300), rng.randrange(40)
        label = 1 if (user * ad) % 7 < 3 or rng.random() < 0.1 else -1
        importance = "2.5 " if t % 11 == 0 else ""
        values = " ".join(f"f{rng.randrange(2000)}:{rng.random():.4f}" for _ in range(4))
        lines.append(f"{label} {importance}|user u{user} {values} |ad a{ad}\n")
    folder = tmp_path_factory.mktemp("texts")
    text = "".join(lines)
    (folder / "all.vw").write_text(text)
    (folder / "all.vw.gz").write_bytes(gzip.compress(text.encode(), 1))
    for k in range(FILES):  # so small that each is one piece
        part = slice(k * LINES // FILES, (k + 1) * LINES // FILES)
        (folder / f"part{k:02}.vw").write_text("".join(lines[part]))
    return folder


def start(arguments, folder):
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "TMPDIR": str(folder),
    }
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "regretless",
            "train",
            *map(str, arguments),
            "--json",
            "--quiet",
        ],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process):
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return json.loads(output)


def version(path):
    """Changes whenever the file is written anew."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns


def wait_for_new(path, process, changes):
    """Until the file has been written anew so many times, or the process has ended."""
    last = version(path)
    while changes and process.poll() is None:
        if version(path) != last:
            last, changes = version(path), changes - 1
        time.sleep(0.001)


def lasting(summary):
    """What does not depend on the clock and on where the model is saved."""
    passing = {"seconds", "examples_per_second", "peak_rss_mb", "model"}
    return {name: value for name, value in summary.items() if name not in passing}


CASES = {
    "hashed": ["all.vw", "--bits", "14", "-q", "ua", "--holdout", "10"],
    "exact": ["all.vw", "--exact"],
    "compressed": ["all.vw.gz", "--bits", "14", "--certify", "3"],
    "many files": ["part*.vw", "--bits", "14", "--learner", "adagrad"],
    "two passes": ["all.vw", "--bits", "14", "--passes", "2", "--holdout", "7"],
    "two passes, exact": ["all.vw", "--exact", "--passes", "2", "--learner", "ftrl"],
}


@pytest.mark.parametrize("case", CASES)
def test_killed_at_random_moments(case, texts, tmp_path):
    """SIGKILL leaves no chance to tidy up, whether examples are learned or a file is written."""
    rng = random.Random(case)
    given = [texts / each if ".vw" in each else each for each in CASES[case]]
    whole = finished(start([*given, "--save", tmp_path / "whole"], tmp_path))

    folder = tmp_path / "ck"
    checkpoint = folder / "checkpoint.safetensors"
    command = [*given, "--checkpoint", folder, "--every", "1", "--save", tmp_path / "killed"]
    kills = 0
    while True:
        process = start(command, tmp_path)
        if kills < 2:  # `tests/fuzz/kills.py` goes on for as long as one likes
            wait_for_new(checkpoint, process, rng.choice([0, 1, 1, 2]))
            time.sleep(rng.choice([0, rng.uniform(0, 0.02)]))
            process.kill()
        output, errors = process.communicate(timeout=60)
        if process.returncode != -signal.SIGKILL:
            break
        kills += 1
    assert process.returncode == 0, errors
    assert kills == 2
    assert (tmp_path / "killed").read_bytes() == (tmp_path / "whole").read_bytes()
    assert lasting(json.loads(output)) == lasting(whole)
    assert [path.name for path in folder.iterdir()] == [checkpoint.name]  # nothing left behind


def test_what_is_complete_is_not_done_again(texts, tmp_path):
    """The same command at once gives the same summary and model, even of standard input."""
    command = [texts / "part00.vw", "--bits", "14", "--passes", "2", "--holdout", "9"]
    command += ["--checkpoint", tmp_path / "ck", "--save", tmp_path / "model"]
    first = finished(start(command, tmp_path))
    model = (tmp_path / "model").read_bytes()
    (tmp_path / "model").unlink()
    again = finished(start(command, tmp_path))
    assert again["examples_per_second"] == 0 < first["examples_per_second"]
    assert lasting(again) == lasting(first)
    assert (tmp_path / "model").read_bytes() == model


def test_a_checkpoint_of_another_command_is_refused(texts, tmp_path):
    """And the error names what is different."""
    command = [texts / "part00.vw", "--bits", "14", "--checkpoint", tmp_path / "ck"]
    finished(start(command, tmp_path))
    process = start([*command, "--rate", "0.5", "--learner", "ogd"], tmp_path)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors.startswith("error: ")
    assert "learner, rate differ" in errors
    assert errors.count("\n") == 1


def test_interrupted(texts, tmp_path):
    """Ctrl-C writes a last checkpoint, from which the same command goes on."""
    checkpoint = tmp_path / "ck" / "checkpoint.safetensors"
    given = [texts / "all.vw", "--bits", "14", "--passes", "3"]
    whole = finished(start([*given, "--save", tmp_path / "whole"], tmp_path))
    command = [*given, "--checkpoint", tmp_path / "ck", "--save", tmp_path / "model"]
    process = start([*command, "--every", "20_000"], tmp_path)
    wait_for_new(checkpoint, process, 1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert errors == "interrupted\n"
    assert lasting(finished(start(command, tmp_path))) == lasting(whole)
    assert (tmp_path / "model").read_bytes() == (tmp_path / "whole").read_bytes()
