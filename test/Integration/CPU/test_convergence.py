# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/convergence.py: what segments read, where they end, and trainings that resume, with a stand-in for
prec-run."""
import argparse
import json
import stat
import sys
import threading
import time

import numpy as np
import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))
import convergence  # noqa: E402
import convergence_text  # noqa: E402
import convergence_variants  # noqa: E402

# Writes a loss a step and held-out losses from the checkpoint's step on, and fails at first with a module named weak.
PREC_RUN = """#!{python}
import json, os, pathlib, sys
if os.environ.get("RANK", "0") != "0":
    sys.exit(0)
words = sys.argv[1:]
of = lambda name: words[words.index(name) + 1]
folder = pathlib.Path(of("--save"))
begin = int((folder / "step").read_text()) if "--resume" in words else 0
folder.mkdir(exist_ok=True)
end = int(of("--steps"))
if "weak" in words[0] and begin == 0 and "--resume" not in words:
    (folder / "step").write_text("3")
    end, code = 3, 1
else:
    code = 0
with open(of("--metrics"), "a") as out:
    for step in range(begin + 1, end + 1):
        out.write(json.dumps({{"step": step, "loss": 5 - step / 100, "seconds": 0.001}}) + "\\n")
    out.write(json.dumps({{"step": end, "eval_loss": 5 - end / 100}}) + "\\n")
(folder / "step").write_text(str(end))
print(*words)
sys.exit(code)
"""


def test_windows_that_were_read_least_come_first():
    counts = np.array([1, 0, 0, 2, 1], np.int32)
    drawn, after = convergence.draw_windows(counts, 4, seed=0)
    assert sorted(drawn[:2]) == [1, 2] and len(drawn) == 4 and after.sum() == 8
    assert after.max() - after.min() <= 1 and list(counts) == [1, 0, 0, 2, 1]
    again, _ = convergence.draw_windows(counts, 4, seed=0)
    np.testing.assert_array_equal(drawn, again)


@pytest.mark.parametrize("begin", [0, 5, 12])
def test_runs_read_the_windows_of_a_segment_in_their_order(tmp_path, begin):
    length, batch, steps, micro_batches = 4, 8, 3, 2
    windows = np.arange(100 * length, dtype="<u2").reshape(-1, length)
    tokens = steps * micro_batches * batch
    drawn = np.random.default_rng(0).permutation(100)[:tokens // length]
    path = tmp_path / "segment.bin"
    convergence.write_segment(path, windows, drawn, begin * micro_batches * batch % tokens, batch)
    ids, read = np.fromfile(path, "<u2"), []
    # As prec-run reads (docs/Embedding.md, "Tokens").
    for batch_number in range(begin * micro_batches, (begin + steps) * micro_batches):
        at = batch_number * batch % (len(ids) - batch - 1)
        read.append(ids[at:at + batch])
    np.testing.assert_array_equal(np.concatenate(read).reshape(-1, length), windows[drawn])


def options_of(folder, **more):
    script = folder / "prec-run"
    script.write_text(PREC_RUN.format(python=sys.executable))
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    train = [convergence.named_training(f"{name}={folder / name}.so:{seed}") for name, seed in (("one", 0), ("weak", 1), ("late", 0))]
    for name in ("one", "weak"):
        (folder / f"{name}.so").touch()
    values = {"folder": folder, "prec_run": script, "train": train, "model": "tiny", "micro_batches": 2, "segments": [10, 20], "warmup": 2,
              "eval_every": 10, "eval_batches": 1, "most_steps": 50, "seconds": 60.0, "cpu": True, "ranks": 1, "parts": 1}
    return argparse.Namespace(**values | more)


@pytest.mark.parametrize("ranks", [1, 2])
def test_trainings_go_through_segments(tmp_path, monkeypatch, ranks):
    """Beside each other, or several ranks of each one after the other: the segments are the same."""
    options = options_of(tmp_path, ranks=ranks)
    drive = convergence.Drive(options)
    monkeypatch.setattr(convergence.signal, "signal", lambda *_: None)
    monkeypatch.setattr(drive, "watch_parts", lambda: None)
    monkeypatch.setattr(drive, "prepare", lambda: (tmp_path / "part-1.bin").write_bytes(np.arange(8192, dtype="<u2").tobytes()))
    late = threading.Thread(target=lambda: (time.sleep(0.3), (tmp_path / "late.so").touch()))
    late.start()
    assert drive.run() == 0
    state = json.loads((tmp_path / "state.json").read_text())
    ends = [(segment["begin"], segment["end"], segment["decay"]) for segment in state["segments"]]
    assert ends == [(0, 10, 0), (10, 30, 0), (30, 40, 0), (40, 50, 10)]
    assert state["done"] == {"one": 4, "weak": 4, "late": 4} and not list(tmp_path.glob("segment-*.bin"))
    for name in ("one", "weak", "late"):
        metrics = convergence.read_metrics(tmp_path / f"{name}.jsonl")
        assert sorted(metrics["steps"]) == list(range(1, 51)) and metrics["held_out"][50] == 4.5
    # A run that failed goes on from its checkpoint.
    assert "weak: prec-run ended with 1 in segment 0" in (tmp_path / "progress.txt").read_text()
    runs = (tmp_path / "weak.log").read_text().splitlines()
    assert "--weights" in runs[0] and all("--resume" in run for run in runs[1:])
    assert "--lr-schedule wsd --decay 10" in runs[-1] and "wsd" not in runs[-2]


def test_the_decay_begins_while_there_is_time(tmp_path):
    drive = convergence.Drive(options_of(tmp_path, most_steps=10000, segments=[100]))
    drive.state["segments"] = [{"end": 400, "decay": 0, "seconds_a_step": 0.1}]
    assert drive.plan() == (400, 500, 0)
    drive.begin -= 25  # 130 more steps at most
    begin, end, decay = drive.plan()
    assert begin == 400 and 525 <= end <= 530 and decay == end // 5
    drive.begin -= 60
    assert drive.plan() is None


def report_of(tmp_path, last):
    def training(*held_out):
        return {"steps": 100, "tokens": 100, "ms": 1.0, "skipped": [], "losses": [5.0, 4.0, 3.5, 3.2],
                "held_out": {str(25 * (i + 1)): loss for i, loss in enumerate(held_out)}}
    report = {"block": 25, "step_tokens": 1, "trainings": {"bf16-0": training(5, 4, 3.5, 3), "bf16-1": training(5.2, 4.1, 3.51, 3.015),
                                                           "fp8": training(5, 4, 3.5, last)}}
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    return argparse.Namespace(report=path, reference="bf16-0", again="bf16-1", least=0.003, plot=tmp_path / "plot.png")


@pytest.mark.parametrize("last, code", [(3.0, 0), (3.014, 0), (2.986, 0), (3.02, 1)])
def test_summary_holds_trainings_to_the_band(tmp_path, capsys, last, code):
    options = report_of(tmp_path, last)
    assert convergence.summarize(options) == code
    said = capsys.readouterr().out
    assert ("fp8: " in said) and ("OUTSIDE" in said) == bool(code) and "second half: 0.500%" in said
    assert options.plot.stat().st_size > 1000


@pytest.mark.parametrize("last, code", [(3.008, 0), (3.014, 1)])
def test_without_a_second_seed_the_least_counts(tmp_path, capsys, last, code):
    options = report_of(tmp_path, last)
    options.again = "none"
    report = json.loads(options.report.read_text())
    del report["trainings"]["bf16-1"]
    options.report.write_text(json.dumps(report))
    assert convergence.summarize(options) == code
    assert "no training none: no band" in capsys.readouterr().out


def test_errors(tmp_path, capsys, monkeypatch):
    options = options_of(tmp_path)
    options.prec_run = tmp_path / "none"
    with pytest.raises(ValueError, match="--prec-run must be there, but"):
        convergence.drive(options)
    options = report_of(tmp_path, 3)
    options.reference = "other"
    with pytest.raises(ValueError, match="must have the training other, but has bf16-0, bf16-1, fp8"):
        convergence.summarize(options)
    with pytest.raises(argparse.ArgumentTypeError, match="must be NAME=MODULE:SEED, but got bf16.so"):
        convergence.named_training("bf16.so")
    part = tmp_path / "part-1"
    convergence_text.write_part(part, [b"abc"])
    (part / "000.ppmd").write_bytes(b"ab")
    (tmp_path / "tokenizer.json").touch()
    pytest.importorskip("tokenizers")
    with pytest.raises(ValueError, match=r"must have chunks of \[3\] bytes, but has \[2\]"):
        convergence_text.make_tokens(part, tmp_path / "tokenizer.json", tmp_path / "out.bin")


@pytest.mark.long
def test_text_comes_back_as_tokens(tmp_path):
    pytest.importorskip("pyppmd")
    tokenizers = pytest.importorskip("tokenizers")
    documents = [f"document {n}: {'words and more words ' * (n + 1)}".encode() for n in range(40)]
    source = tmp_path / "documents"
    source.write_bytes(b"\0".join(documents + documents[:5]))
    sizes = {"vocabulary": 300, "held_out": 500, "sample": 1e5, "part_size": 900, "chunk": 4000}
    convergence_text.pack(argparse.Namespace(documents=source, out=tmp_path / "out", **sizes))
    ids = []
    for part in sorted((tmp_path / "out").glob("*-*")):
        convergence_text.make_tokens(part, tmp_path / "out" / "tokenizer.json", tmp_path / "ids.bin")
        ids += np.fromfile(tmp_path / "ids.bin", "<u2").tolist()
    encoder = tokenizers.Tokenizer.from_file(str(tmp_path / "out" / "tokenizer.json"))
    texts = encoder.decode(ids, skip_special_tokens=False).split(convergence_text.END)
    assert sorted(text for text in texts if text) == sorted(document.decode() for document in documents)


@pytest.mark.parametrize("failing, code", [("", 0), ("weak", 1)])
def test_variants_are_compared_with_their_seed(tmp_path, monkeypatch, capsys, failing, code):
    """All read the same tokens; of each its curve and what every forward says of its weights."""
    runs = []

    def run(options, device, log, *words):
        words = list(map(str, words))
        runs.append((log, words))
        steps, path = int(words[words.index("--steps") + 1]), words[words.index("--metrics") + 1]
        lines = [{"step": step, "loss": 4.0 + options.offsets[log], "seconds": 0.001} for step in range(1, steps + 1)]
        lines += [{"step": steps, "eval_loss": 2.0 + options.offsets[log]}]
        with open(path, "w") as out:
            out.write("".join(json.dumps(line) + "\n" for line in lines))
        return log != failing
    monkeypatch.setattr(convergence_variants, "run", run)
    np.arange(8192, dtype="<u2").tofile(tmp_path / "part-1.bin")
    train = [convergence.named_training(text) for text in ("bf16=a.so:0", "bf16-1=a.so:1", "weak=b.so:1")]
    options = argparse.Namespace(folder=tmp_path, train=train, forward=[("bf16", "a.so")], out=tmp_path / "out.json", reference="bf16", model="tiny",
                                 steps=50, gpus=2, lr=1e-3, warmup=2, eval_every=10, eval_batches=1, last_batches=2, cpu=True,
                                 offsets={"bf16": 0.0, "bf16-1": 0.4, "weak": 0.48})
    assert convergence_variants.compare(options) == code
    trained = [words for _, words in runs if "--tokens" in words]
    assert len({words[words.index("--tokens") + 1] for words in trained}) == 1 and all("--decay 10" in " ".join(words) for words in trained)
    said = capsys.readouterr()
    assert "bf16-1: 1.0 ms a step, last steps 4.4000, held out by bf16 2.4000\n" in said.out
    assert ("weak: 1.0 ms a step, last steps 4.4800 (+1.82%), held out by bf16 2.4800 (+3.33%)" in said.out) == (not failing)
    assert ("weak failed" in said.err) == bool(failing)
    assert list(json.loads((tmp_path / "out.json").read_text())["trainings"]) == ["bf16", "bf16-1"] + ([] if failing else ["weak"])
