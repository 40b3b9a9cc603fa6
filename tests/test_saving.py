"""Saving a model when things go wrong: kills, pipes, full disks, endless bad input."""

import contextlib
import errno
import fcntl
import io
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading

import command_line
import pytest
from command_line import ENVIRONMENT, SMALL, process, run

from regretless.base import persistence
from regretless.base.state import load
from regretless.evaluate.training import Training
from regretless.experts import Hedge
from regretless.linear import LinearClassifier

# a save that stops just before the file gets its name, and waits to be killed
HALF = """
import os, sys, time
from regretless.linear import LinearClassifier
model = LinearClassifier()
model.learn_one({"a": 1.0}, "yes")
os.replace = lambda *_: (print("now", flush=True), time.sleep(600))
model.save(sys.argv[1])
"""


def half_saved(path):
    """A process in the middle of a save."""
    command = [sys.executable, "-c", HALF, str(path)]
    child = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "now\n"
    return child


def killed(child):
    child.kill()
    child.communicate()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def model():
    learner = LinearClassifier()
    learner.learn_one({"a": 1.0}, "yes")
    return learner


def test_the_next_save_removes_what_a_killed_one_has_left(model, tmp_path):
    (tmp_path / ".m.mine").write_text("not ours")
    child = half_saved(tmp_path / "m")
    killed(child)
    assert len(names(tmp_path)) == 2
    model.save(tmp_path / "m")
    assert names(tmp_path) == [".m.mine", "m"]


def test_but_not_of_one_that_still_writes(model, tmp_path):
    child = half_saved(tmp_path / "m")
    try:
        model.save(tmp_path / "m")
        assert len(names(tmp_path)) == 2
    finally:
        killed(child)
    model.save(tmp_path / "m")
    assert names(tmp_path) == ["m"]


def test_names_are_not_patterns(model, tmp_path):
    for name in ("a*", "a[b]", "a"):
        child = half_saved(tmp_path / name)
        killed(child)
    model.save(tmp_path / "a*")
    assert len(names(tmp_path)) == 3  # the scratch files of the others are not ours to judge
    model.save(tmp_path / "a[b]")
    model.save(tmp_path / "a")
    assert names(tmp_path) == ["a", "a*", "a[b]"]


def test_a_scratch_file_that_is_taken_before_it_is_locked(model, tmp_path, monkeypatch):
    """By another process that cleans up: a second one is made."""
    made = []

    def mkstemp(*given):
        handle, name = real(*given)
        made.append(name)
        if len(made) == 1:
            os.unlink(name)
        return handle, name

    real = tempfile.mkstemp
    monkeypatch.setattr(tempfile, "mkstemp", mkstemp)
    model.save(tmp_path / "m")
    assert len(made) == 2
    assert names(tmp_path) == ["m"]


def test_disks_without_locks(model, tmp_path, monkeypatch):
    def flock(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    (tmp_path / ".m.abc.saving").write_text("left")
    model.save(tmp_path / "m")
    assert names(tmp_path) == [".m.abc.saving", "m"]  # nobody knows whether it is still written


def test_many_savers_at_once(model, tmp_path):
    """Each replaces the file, none removes what another one writes."""
    failed = []

    def saves():
        try:
            for _ in range(20):
                model.__class__.load(tmp_path / "m").save(tmp_path / "m")
        except BaseException as error:
            failed.append(error)

    model.save(tmp_path / "m")
    threads = [threading.Thread(target=saves) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert names(tmp_path) == ["m"]


# --- what is not a file ------------------------------------------------------------------------------


def special(folder):
    import socket

    os.mkfifo(folder / "pipe")
    (folder / "dir").mkdir()
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(folder / "socket"))
    os.symlink("pipe", folder / "link")
    return {
        folder / "pipe": "a pipe",
        folder / "dir": "a directory",
        folder / "socket": "a socket",
        folder / "link": "a pipe",
        "/dev/null": "a device",
    }


def test_what_is_not_a_file_is_refused_at_once(model, tmp_path, monkeypatch):
    """For reading and for writing; nobody waits for the other end of a pipe."""
    monkeypatch.chdir(tmp_path)
    for path, kind in special(tmp_path).items():
        for reads in (LinearClassifier.load, load, Hedge.load, lambda p: Training.load(p, {})):
            with pytest.raises(ValueError, match=f"is {kind}, not a model file"):
                reads(path)
        for saved in (model, Hedge(3)):
            with pytest.raises(OSError, match=f"is {kind}, not a file that can be replaced"):
                saved.save(path)


def test_commands_refuse_them_before_they_learn(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command_line.written(tmp_path)
    for path in special(tmp_path):
        with at_most(60):
            result = run("train", "clicks.vw", "--save", path, code=2)
        assert "examples" not in result.stderr
    for command in (
        ["predict", "clicks.vw", "--model"],
        ["inspect"],
        ["train", "clicks.vw", "--from"],
    ):
        with at_most(60):
            result = run(*command, tmp_path / "pipe", code=1)
        assert "not a model file" in result.stderr


@contextlib.contextmanager
def at_most(seconds):
    """Interrupt whoever waits for the other end of a pipe."""

    def late(signum, frame):
        raise TimeoutError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# --- full disks --------------------------------------------------------------------------------------


def limited(size):
    """A file that grows beyond the size cannot be written, as if the disk were full."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def test_a_full_disk_names_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command_line.written(tmp_path)
    result = process(
        "train", "clicks.vw", "--save", "m", "--quiet", preexec_fn=limited(10_000), timeout=60
    )
    assert result.returncode == 1
    assert result.stderr == "error: m: File too large\n"
    assert not [name for name in names(tmp_path) if "m" in name.split(".")]


class Full(io.FileIO):
    """A file on a disk without room."""

    def write(self, data):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_no_room_in_python(model, tmp_path, monkeypatch):
    model.save(tmp_path / "m")
    before = (tmp_path / "m").read_bytes()
    real = open

    def opens(file, mode):
        return Full(file, mode) if mode == "wb" else real(file, mode)

    monkeypatch.setattr(persistence, "open", opens, raising=False)
    with pytest.raises(OSError, match=r"No space left on device: '.*/m'") as caught:
        model.save(tmp_path / "m")
    assert caught.value.errno == errno.ENOSPC
    assert names(tmp_path) == ["m"]
    assert (tmp_path / "m").read_bytes() == before


def fill(monkeypatch, folder):
    """Nothing can be written below the folder."""
    write = persistence.write

    def fails(path, *given):
        if str(path).startswith(str(folder)):
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        write(path, *given)

    monkeypatch.setattr(persistence, "write", fails)


def test_a_training_outlives_its_checkpoints(tmp_path, monkeypatch):
    """The model's own disk has room: it is the same as without checkpoints."""
    monkeypatch.chdir(tmp_path)
    command_line.written(tmp_path)
    given = ["clicks.vw", "--quiet", "--passes", "2", *SMALL]
    run("train", *given, "--save", "whole")
    fill(monkeypatch, "ck")
    result = run("train", *given, "--save", "m", "--checkpoint", "ck", "--every", "100")
    assert result.stderr == (
        "warning: ck/checkpoint.safetensors: No space left on device: no checkpoint\n"
    )
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_training_outlives_its_cache(tmp_path, monkeypatch):
    """Later passes read the files again; standard input cannot be, but its first pass is kept."""
    from regretless.streams.cache import Cache

    monkeypatch.chdir(tmp_path)
    command_line.written(tmp_path)
    given = ["--format", "vw", "--quiet", "--passes", "2", *SMALL]
    run("train", "clicks.vw", *given, "--save", "whole")
    run("train", "clicks.vw", *given[:-4], *SMALL, "--save", "once")

    def full(cache, _array):
        raise OSError(errno.ENOSPC, "No space left on device", str(cache.path))

    monkeypatch.setattr(Cache, "_append", full)
    result = run("train", "clicks.vw", *given, "--save", "m", "--cache", "c")
    assert result.stderr == (
        "warning: c: No space left on device: later passes read the files again\n"
    )
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not (tmp_path / "c").exists()
    text = (tmp_path / "clicks.vw").read_text()
    result = run("train", "-", *given, "--save", "n", "--cache", "c", input=text, code=1)
    assert result.stderr == (
        "error: c: No space left on device; what was learned so far is saved to n\n"
    )
    assert load("n").examples_ == load("once").examples_ == 600
    assert not (tmp_path / "c").exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no disk that is always full")
def test_nowhere_to_print(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command_line.written(tmp_path)
    run("train", "clicks.vw", "--save", "m", *SMALL)
    for command in (["predict", "clicks.vw", "--model", "m"], ["inspect", "m"], ["--version"]):
        with open("/dev/full", "w") as full:
            result = process(*command, stdout=full, stderr=subprocess.PIPE, capture_output=False)
        assert result.returncode != 0
        if command != ["--version"]:
            assert result.stderr == "error: standard output: No space left on device\n"


# --- endless bad input -------------------------------------------------------------------------------

ENDLESS = r"""
import resource, sys
block = b"this is no line of VW text\n" * 20_000
for _ in range(60):
    sys.stdout.buffer.write(block)
"""


@pytest.mark.parametrize("command", ["train", "compare"])
def test_bad_lines_without_end_take_no_memory(command, tmp_path):
    """32 MB of them, and never a good one."""
    source = subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE)
    measured = (
        "import sys; from regretless.cli.app import app\n"
        "from regretless.cli.output import peak_rss_mb\n"
        "try:\n    app()\n"
        "finally:\n    print(peak_rss_mb(), file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", measured, command, "-", "--format", "vw", "--skip-bad", "--quiet"],
        stdin=source.stdout,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    source.stdout.close()
    source.wait()
    assert "there are no examples" in result.stderr
    assert float(result.stderr.split()[-1]) < 200
