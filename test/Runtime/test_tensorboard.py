# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prec-tensorboard: metrics as event files, read back by the messages that TensorBoard defines."""
import json
import math
import struct
import subprocess
import sys

import pytest
from conftest import ROOT

from prec import tensorboard

ORACLES = ROOT / ".venv/oracles"
LINES = [{"step": 0, "eval_loss": 5.5}, {"step": 1, "loss": 5.0, "lr": 0.1, "seconds": 2.0, "tokens": 64},
         {"step": 2, "loss": None, "lr": 0.1, "skipped": "loss", "seconds": 3.0, "tokens": 128}, {"step": 2, "recipe": "bf16"},
         {"command": "gemm.1", "seconds": 1.0}]


@pytest.fixture
def with_writer(monkeypatch):
    """tensorboardX of the folder of oracles, which utils/check fills."""
    assert (ORACLES / "tensorboardX").is_dir(), f"{ORACLES} must hold tensorboardX"
    monkeypatch.syspath_prepend(str(ORACLES))


def events_of(folder):
    """(tag, step, value, wall time) of each scalar; a record is its length, a check, the message and a check."""
    from tensorboardX.proto import event_pb2
    (path,) = folder.glob("events.*")
    data, at, found = path.read_bytes(), 0, []
    while at < len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        event = event_pb2.Event.FromString(data[at + 12:at + 12 + size])
        found += [(value.tag, event.step, value.simple_value, event.wall_time) for value in event.summary.value]
        at += size + 16
    return found


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_scalars(with_writer, tmp_path):
    write(tmp_path / "run.jsonl", LINES)
    assert tensorboard.main([str(tmp_path / "run.jsonl"), "--logdir", str(tmp_path / "logs")]) == 0
    events = events_of(tmp_path / "logs/run")
    assert [(tag, step) for tag, step, *_ in events] == [
        ("eval_loss", 0), ("loss", 1), ("lr", 1), ("seconds", 1), ("tokens", 1), ("loss", 2), ("lr", 2), ("seconds", 2), ("tokens", 2)]
    assert events[1][2] == 5.0 and math.isnan(events[5][2])
    assert events[5][3] - events[1][3] == pytest.approx(3.0, abs=1e-3)


def test_follows(with_writer, tmp_path):
    path = tmp_path / "run.jsonl"
    write(path, LINES[:2])
    reader, seen = tensorboard.Reader(path, follow=True), []

    class Writer:
        def add_scalar(self, tag, value, step, walltime):
            seen.append((tag, step))

        def flush(self):
            pass
    reader.write(Writer())
    with open(path, "a") as file:
        file.write('{"step": 3, "lo')
    reader.write(Writer())
    assert ("loss", 3) not in seen and ("loss", 1) in seen
    with open(path, "a") as file:
        file.write('ss": 1.0}\n')
    reader.write(Writer())
    assert seen[-1] == ("loss", 3) and seen.count(("loss", 1)) == 1


@pytest.mark.parametrize("text, message", [
    (None, "run.jsonl: must be a file of metrics"), ("no json\n", "run.jsonl:1: must be a line of JSON"),
    ("[1]\n", "run.jsonl:1: must be an object")])
def test_refusals(with_writer, tmp_path, capsys, text, message):
    if text is not None:
        (tmp_path / "run.jsonl").write_text(text)
    assert tensorboard.main([str(tmp_path / "run.jsonl"), "--logdir", str(tmp_path / "logs")]) == 1
    error = capsys.readouterr().err
    assert error.startswith("prec-tensorboard: error: ") and message in error and error.count("\n") == 1


def test_names_of_their_own(with_writer, tmp_path, capsys):
    assert tensorboard.main([str(tmp_path / "a/run.jsonl"), str(tmp_path / "b/run.jsonl"), "--logdir", str(tmp_path)]) == 1
    assert "must have names of their own" in capsys.readouterr().err


def test_without_the_package(tmp_path):
    (tmp_path / "run.jsonl").write_text("")
    script = "import sys; sys.modules['tensorboardX'] = None; from prec import tensorboard; sys.exit(tensorboard.main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", script, tmp_path / "run.jsonl", "--logdir", tmp_path], capture_output=True, text=True,
                          env={"PYTHONPATH": str(ROOT / "python")})
    assert (done.returncode, done.stderr) == (
        1, "prec-tensorboard: error: the package tensorboardX must be there (pip install tensorboardX), but is not\n")
