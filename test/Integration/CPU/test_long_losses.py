# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/long_losses.py: bands, intervals, and a training that goes on where it was cut off, with stand-ins for
what it starts."""
import json
import pathlib
import subprocess
import sys
import types

import numpy as np
import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))
import long_losses  # noqa: E402

STEPS = 40


def noisy(random, seeds, steps=STEPS):
    return 3 + random.normal(0, 0.2, steps) + random.normal(0, 0.02, (seeds, steps))


def band_by_loops(curves, seeds, window):
    """Of some of the seeds, each beside the mean of all other ones."""
    def difference(seed, step):
        others = [curves[u][step] for u in range(len(curves)) if u != seed]
        return abs(curves[seed][step] / (sum(others) / len(others)) - 1)
    steps = len(curves[0])
    return [max(difference(s, w) for s in seeds for w in range(steps) if abs(w - t) <= window) for t in range(steps)]


def test_band_and_places():
    curves = noisy(np.random.default_rng(0), 4)
    band, rows = long_losses.place(curves, [("bf16", 1, curves[1])], 3)
    np.testing.assert_allclose(band, band_by_loops(curves, range(4), 3), rtol=1e-9)
    for row in rows[:4]:
        others = band_by_loops(curves, [seed for seed in range(4) if seed != row["seed"]], 3)
        assert row["outside_others"] == [t for t in range(1, STEPS + 1) if abs(row["signed"][t - 1]) > others[t - 1]]
    assert any(row["outside_others"] for row in rows[:4])
    # PyTorch's own losses in place of PyTorch's.
    assert rows[4]["outside_others"] == rows[1]["outside_others"] and rows[4]["verdict"] == "inside"
    np.testing.assert_array_equal(rows[4]["signed"], rows[1]["signed"])


def test_verdicts():
    random = np.random.default_rng(1)
    curves = noisy(random, 3)
    band, rows = long_losses.place(curves, [], 5)
    tolerated = max(len(row["outside_others"]) for row in rows)
    reference = curves[[0, 2]].mean(0)
    for wrong, verdict in ((0, "inside"), (tolerated, "inside as often as PyTorch"), (tolerated + 1, "OUTSIDE")):
        losses = reference * (1 - 0.9 * band)
        losses[:wrong] = (reference * (1 - 1.1 * band))[:wrong]
        assert long_losses.place(curves, [("bf16", 1, losses)], 5)[1][3]["verdict"] == verdict


def test_a_seed_is_as_far_from_its_reference_as_a_training_that_shares_nothing():
    curves = 3 + np.random.default_rng(2).normal(0, 0.02, (4, 20000))
    _, rows = long_losses.place(curves[:3], [("bf16", 0, curves[3])], 0)
    deviations = [row["signed"].std() for row in rows]
    np.testing.assert_allclose(deviations, 0.02 / 3 * np.sqrt(1 + 1 / 2), rtol=0.03)


@pytest.mark.parametrize("degrees,quantile", [(1, 12.7062), (2, 4.30265), (3, 3.18245), (9, 2.26216), (30, 2.04227)])
def test_students_quantile(degrees, quantile):
    assert long_losses.student_quantile(degrees) == pytest.approx(quantile, rel=1e-5)


def test_interval_is_scipys():
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(3).normal(1, 2, 7)
    interval = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    np.testing.assert_allclose(long_losses.interval_of(values), [values.mean(), interval.low, interval.high], rtol=1e-6)


def test_paired_interval_by_hand():
    theirs = np.full(25, 2.0)
    ours = theirs * 1.01
    ours[5:] *= np.repeat([1.0, 1.02], [10, 10])
    mean, low, high = long_losses.paired_interval(ours, theirs, 20)
    blocks = np.repeat([0.01, 0.0302], 5)
    half = 2.26216 * blocks.std(ddof=1) / np.sqrt(10)
    np.testing.assert_allclose([mean, low, high], [0.0201, 0.0201 - half, 0.0201 + half], rtol=1e-5)


def test_paired_interval_of_correlated_steps_holds_the_mean():
    """Differences that follow each other as 0.7 ** distance: an interval over single steps would hold the mean 0.6 of
    the time."""
    random, held = np.random.default_rng(4), 0
    for _ in range(1000):
        noise = random.normal(0, 0.01, 300)
        for t in range(1, 300):
            noise[t] += 0.7 * noise[t - 1]
        _, low, high = long_losses.paired_interval(3 * (1.002 + noise), np.full(300, 3.0), 200)
        held += low <= 0.002 <= high
    # 0.95 less what correlations between neighboring blocks take, and three standard deviations of a count of 1000.
    assert 900 <= held <= 971


def test_interval_over_seeds():
    random = np.random.default_rng(5)
    theirs = noisy(random, 3)
    ours = theirs * (1.01 + np.array([[0.001], [0.002], [0.003]]))
    trainings = {name: {str(seed): {"losses": curve.tolist()} for seed, curve in enumerate(curves)}
                 for name, curves in (("fp8-delayed", ours), ("bf16", theirs))}
    rows = long_losses.paired_rows(trainings, 20)
    assert [row[1] for row in rows] == ["seed 0", "seed 1", "seed 2", "over 3 seeds"]
    half = 4.30265 * 0.001 / np.sqrt(3)
    np.testing.assert_allclose(rows[3][2:], [0.012, 0.012 - half, 0.012 + half], rtol=1e-5)
    del trainings["bf16"]["1"]
    assert [row[1] for row in long_losses.paired_rows(trainings, 20)] == ["seed 0", "seed 2"]


class Machine:
    """Stands in for what `prec_train` starts."""

    def __init__(self):
        self.started, self.broken = [], []

    def run(self, command, **_):
        command = [str(word) for word in command]
        options = dict(zip(command, command[1:]))
        steps = int(options["--steps"])
        if "--runs" in options:
            seed, steps = int(options["--seed"]), steps + 3
            what = f"torch {seed} {steps}{' weights' if '--weights-out' in options else ''}"
        else:
            seed = int(pathlib.Path(options["--weights"]).read_text())
            what = f"{pathlib.Path(command[1]).stem} {seed} {steps}"
        self.started.append(what)
        if what in self.broken:
            raise subprocess.CalledProcessError(1, command)
        losses = [3 + 0.1 * seed + 0.01 * step for step in range(steps)]
        if "--weights-out" in options:
            pathlib.Path(options["--weights-out"]).write_text(str(seed))
        if "--runs" in options:
            assert options["--runs"] == "124m:compile:bf16+mw"
            pathlib.Path(options["--losses-out"]).write_text(json.dumps(losses))
            return types.SimpleNamespace(stdout='noise\n{"ms": 60.5}\n')
        lines = [{"step": step, "loss": loss, "seconds": 0.05} for step, loss in enumerate(losses, 1)]
        lines[1]["skipped"] = "emb.weight"
        pathlib.Path(options["--metrics"]).write_text("".join(json.dumps(line) + "\n" for line in lines))

    def take(self):
        started, self.started = self.started, []
        return started


@pytest.fixture
def machine(monkeypatch):
    machine = Machine()
    monkeypatch.setattr(long_losses, "subprocess", types.SimpleNamespace(
        run=machine.run, PIPE=None, DEVNULL=None, CalledProcessError=subprocess.CalledProcessError))
    monkeypatch.setattr(long_losses, "device_name", lambda device: "some GPU")
    return machine


@pytest.fixture
def options(tmp_path, monkeypatch):
    for name in ("prec-run", "124m-bf16-sm_90a.so", "124m-fp8-delayed-sm_90a.so"):
        (tmp_path / name).touch()
    np.random.default_rng(0).integers(0, 50304, 32 * 1024 + 2).astype("<u2").tofile(tmp_path / "train.bin")
    monkeypatch.setattr(sys, "argv", ["long_losses.py", "train", str(tmp_path), "--tokens", str(tmp_path / "train.bin"), "--steps",
                                      str(STEPS), "--out", str(tmp_path / "long.json")])
    return types.SimpleNamespace(folder=tmp_path, report=lambda: json.loads((tmp_path / "long.json").read_text()))


def test_train_goes_on_where_it_failed(machine, options):
    machine.broken = [f"124m-bf16-sm_90a 0 {STEPS}", f"torch 1 {STEPS}"]
    assert long_losses.main() == 1
    assert machine.take() == [f"torch 0 {STEPS} weights", f"124m-bf16-sm_90a 0 {STEPS}", f"124m-fp8-delayed-sm_90a 0 {STEPS}",
                              f"torch 1 {STEPS}", f"torch 2 {STEPS}"]
    assert {name: list(kept) for name, kept in options.report()["trainings"].items()} == {"torch": ["0", "2"], "fp8-delayed": ["0"]}
    machine.broken = []
    assert long_losses.main() == 0
    # Weights that were deleted are drawn again.
    assert machine.take() == ["torch 0 4 weights", f"124m-bf16-sm_90a 0 {STEPS}", f"torch 1 {STEPS}"]
    assert long_losses.main() == 0 and not machine.take()
    assert not list(options.folder.glob("*/weights*"))
    entry = options.report()["trainings"]["fp8-delayed"]["0"]
    assert entry["skipped"] == [2] and entry["ms"] == 50 and len(entry["losses"]) == STEPS


def test_train_refuses_other_weights_than_pytorchs(machine, options, capsys):
    machine.broken = [f"124m-bf16-sm_90a 0 {STEPS}"]
    assert long_losses.main() == 1
    report = options.report()
    report["trainings"]["torch"]["0"]["losses"][0] *= 1.001
    (options.folder / "long.json").write_text(json.dumps(report))
    machine.broken = []
    assert long_losses.main() == 1 and "must give the first loss of its training" in capsys.readouterr().out
    assert "bf16" not in options.report()["trainings"] and not list(options.folder.glob("*/weights*"))


def test_train_refuses_a_report_of_another_text(machine, options, capsys):
    assert long_losses.main() == 0
    np.zeros(32 * 1024 + 2, "<u2").tofile(options.folder / "train.bin")
    assert long_losses.main() == 2 and "must be of the same training" in capsys.readouterr().err


def test_summary(machine, options, monkeypatch, capsys):
    assert long_losses.main() == 0
    words = ["long_losses.py", "summarize", str(options.folder / "long.json"), "--last", "20", "--plot", str(options.folder / "long.png")]
    monkeypatch.setattr(sys, "argv", words)
    capsys.readouterr()
    assert long_losses.main() == 0
    text = capsys.readouterr().out
    assert f"124m: {STEPS} steps of 32,768 tokens, a text of 32,770 tokens read 40 times, some GPU" in text
    assert "| 124m | prec bf16, seed 0 | 0 (0), inside |" in text
    assert "| 124m | prec fp8-hybrid, delayed scaling, over prec bf16 | seed 0 | +0.000 % | +0.000 % to +0.000 % |" in text
    assert (options.folder / "long.png").stat().st_size > 10000
    monkeypatch.setattr(sys, "argv", [*words[:3], "--last", "25"])
    assert long_losses.main() == 2 and "must be a multiple of 10" in capsys.readouterr().err
