# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a run saves, when, and what it leaves alone: the last good checkpoint, the user's files, and a run that ends
badly."""
import json
import os
import signal
import subprocess
import threading
import time

import numpy as np
import pytest
from models import bigram
from safetensors.numpy import load_file, save_file
from step_module import StepModule
from test_checkpoints import read_checkpoint

from prec.module import Module, RuntimeFailure

MAIN = "model.safetensors.index.json"


def fragile(workspace=0) -> StepModule:
    """The loss is the mean of w[id]^2, the step scales w by 1 - (2 lr)^6 unless the loss is not finite: with an lr of
    1e6 one good step leaves weights with which no loss is finite."""
    module = StepModule()
    ids = module.bind("input_ids", "batch", "i32", [2, 16], vocabulary=64)
    targets = module.bind("targets", "batch", "i32", [2, 16], vocabulary=64, ignore_index=-100, shift=1)
    lr = module.bind("lr", "hyper", "f32", [], default=0.4)
    module.bind("step", "hyper", "f32", [])
    loss = module.bind("loss", "loss", "f32", [])
    guard = module.bind("first_not_finite", "guard", "f32", [], tensors=["loss"])
    weight = module.bind("w", "parameter", "f32", [64])
    for entry in ("step", "eval"):
        module.kernel(entry, "loss", [weight, ids, targets], [loss], 1, "*b3 = 0; for (int j = 0; j < 32; ++j) *b3 += b0[b1[j]] * b0[b1[j]] / 32;")
    module.kernel("step", "guard", [loss], [guard], 1, "*b1 = isfinite(*b0) ? 1 : 0;")
    module.kernel("step", "update", [weight, lr, guard], [weight], 64, "float k = 2 * *b1; if (*b2 == 1) b0[i] -= k * k * k * k * k * k * b0[i];")
    if workspace:
        module.manifest["segments"]["workspace"] = workspace
    return module


@pytest.fixture
def run(build, tmp_path):
    fragile().build(tmp_path / "step.so")
    (np.arange(4000) % 64).astype(np.uint16).tofile(tmp_path / "train.bin")

    def run_(*arguments, code=0, start=("--init", "random"), wait=True, module="step.so"):
        command = [build / "prec-run", module, "--tokens", "train.bin", *map(str, [*start, *arguments])]
        if not wait:
            # A shell's background job ignores SIGINT, and so would what it starts.
            return subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        return done.stderr

    return run_


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_files_of_the_user_stay(run, tmp_path):
    (tmp_path / "mine").mkdir()
    kept = ["model-step-best.safetensors", "model-steps.txt", "model-step3-keep.safetensors", "model-step3.safetensors.bak", "model-step.safetensors",
            "optimizer-step1-.safetensors", "model-step1.safetensors.writing.mine", "model.safetensors.index.json.writing.today", "stepx.index.json"]
    for name in kept:
        (tmp_path / "mine" / name).write_text("mine")
    (tmp_path / "mine/optimizer-steps-notes").mkdir()
    (tmp_path / "mine/model-step7.safetensors").mkdir()
    left = ["model-step1.safetensors", "optimizer-step1-2.safetensors.writing.12-0", f"{MAIN}.writing.12-3"]
    for name in left:
        (tmp_path / "mine" / name).write_text("of a killed process")
    run("--steps", 4, "--save", "mine", "--save-every", 1)
    assert set(os.listdir(tmp_path / "mine")) == {*kept, "optimizer-steps-notes", "model-step7.safetensors", MAIN, "model-step4.safetensors",
                                                  "optimizer-step4.safetensors"}
    assert all((tmp_path / "mine" / name).read_text() == "mine" for name in kept)


class TestRuinedStates:
    """None takes the place of a good checkpoint."""

    @pytest.fixture
    def saved(self, run, tmp_path):
        run("--steps", 20, "--save", "ck")
        return contents(tmp_path / "ck")

    @pytest.mark.parametrize("every", [1, 5])
    def test_while_steps_are_skipped(self, run, tmp_path, saved, every):
        said = run("--steps", 100, "--save", "ck", "--save-every", every, "--lr", 1e6, start=("--resume", "ck"), code=1)
        assert (
            "must be finite in one of 32 steps in a row" in said and "the state is not saved: the loss must be finite behind the last update" in said
        )
        assert contents(tmp_path / "ck") == saved

    def test_by_the_last_step(self, run, tmp_path, saved):
        said = run("--steps", 21, "--save", "ck", "--lr", 1e6, start=("--resume", "ck"), code=1)
        assert "the loss must be finite behind the last update for it to be saved, but got inf in step 21: a lower learning rate may help" in said
        assert contents(tmp_path / "ck") == saved

    def test_a_run_of_skipped_steps_alone(self, run, tmp_path):
        save_file({"w": np.full(64, 1e30, np.float32)}, tmp_path / "w.safetensors")
        said = run("--steps", 5, "--save", "ck", start=("--weights", "w.safetensors"), code=1)
        assert "must not be skipped for it to be saved, but all 5 were: loss is not finite" in said
        assert not (tmp_path / "ck").exists()

    def test_a_bad_batch_at_the_end_is_no_reason(self, tmp_path, build, run):
        """The state is that of the good steps."""
        module = fragile()
        code = module.kernels[0]
        module.kernels[0] = code[0], code[1].replace("*b3 = 0;", "*b3 = b1[0] == 63 ? NAN : 0;")
        module.kernels[1] = module.kernels[1][0], module.kernels[1][1].replace("*b3 = 0;", "*b3 = b1[0] == 63 ? NAN : 0;")
        module.build(tmp_path / "step.so")
        ids = np.zeros(3 * 32 + 40, np.uint16)
        ids[64] = 63
        ids.tofile(tmp_path / "train.bin")
        assert "step 3 skipped" in run("--steps", 3, "--save", "ck")
        assert read_checkpoint(tmp_path / "ck")[1] == 3


class TestErrors:
    """A run that ends in one saves the state that it has."""

    def test_metrics(self, run, tmp_path):
        said = run("--steps", 9, "--metrics", "/dev/full", "--save", "ck", code=1)
        assert "/dev/full: must be written in full" in said and "note: the state behind the last whole step is saved in ck" in said
        assert read_checkpoint(tmp_path / "ck")[1] == 1
        run("--steps", 9, "--save", "ck", start=("--resume", "ck"))
        run("--steps", 9, "--save", "whole")
        assert contents(tmp_path / "ck") == contents(tmp_path / "whole")

    def test_a_module_that_does_not_open(self, run, tmp_path):
        fragile(workspace=1 << 47).build(tmp_path / "large.so")
        said = run("--steps", 9, "--switch", "6:large.so", "--save", "ck", code=1)
        assert "large.so: segment workspace needs 140737488355328 bytes" in said and "is saved in ck" in said
        assert read_checkpoint(tmp_path / "ck")[1] == 5

    def test_a_module_that_is_replaced(self, run, tmp_path):
        """Modules are read at the start."""
        fragile().build(tmp_path / "later.so")
        process = run("--steps", 60000, "--switch", "50000:later.so", "--save", "ck", "--metrics", "m.jsonl", wait=False)
        while not (tmp_path / "m.jsonl").exists():
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.01)
        (tmp_path / "later.so").write_text("damaged")
        assert process.wait() == 0, process.stderr.read()

    def test_nothing_to_save_it_in(self, run):
        assert "saved in" not in run("--steps", 9, "--metrics", "/dev/full", code=1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_save(run, tmp_path, number):
    """The step is finished and saved, and the run goes on as if it had never been stopped."""
    process = run("--steps", 10**9, "--save", "ck", "--metrics", "m.jsonl", wait=False)
    while not (tmp_path / "m.jsonl").exists() or (tmp_path / "m.jsonl").stat().st_size < 10_000:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    process.send_signal(number)
    assert process.wait(timeout=60) == -number
    step = read_checkpoint(tmp_path / "ck")[1]
    assert json.loads((tmp_path / "m.jsonl").read_text().splitlines()[-1])["step"] == step
    assert f"a signal ends the run after step {step}" in process.stderr.read()
    run("--steps", step + 3, "--save", "ck", start=("--resume", "ck"))
    run("--steps", step + 3, "--save", "whole")
    assert contents(tmp_path / "ck") == contents(tmp_path / "whole")


def test_signals_without_a_place_end_at_once(run, tmp_path):
    process = run("--steps", 10**9, "--metrics", "m.jsonl", wait=False)
    while not (tmp_path / "m.jsonl").exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == -signal.SIGTERM
    assert "a signal ends the run" not in process.stderr.read()


class TestKeep:
    def test_the_newest(self, run, tmp_path):
        run("--steps", 20, "--save", "ck", "--save-every", 4, "--keep", 3)
        assert {name for name in os.listdir(tmp_path / "ck") if name.endswith("index.json")} == {MAIN, *(f"step{n}.index.json" for n in (12, 16, 20))}
        assert len(os.listdir(tmp_path / "ck")) == 4 + 6
        run("--steps", 20, "--save", "again", start=("--resume", "ck/step12.index.json"))
        assert contents(tmp_path / "again")["model-step20.safetensors"] == contents(tmp_path / "ck")["model-step20.safetensors"]
        # Fewer from now on; without the option what is kept stays.
        run("--steps", 22, "--save", "ck", "--keep", 2, start=("--resume", "ck"))
        assert {name for name in os.listdir(tmp_path / "ck") if name.startswith("step")} == {"step20.index.json", "step22.index.json"}
        run("--steps", 23, "--save", "ck", start=("--resume", "ck"))
        assert {name for name in os.listdir(tmp_path / "ck") if name.startswith("model-")} == {f"model-step{n}.safetensors" for n in (20, 22, 23)}

    def test_the_best(self, run, tmp_path):
        """The loss of `fragile` falls with an lr of 0.4 and rises with one of 0.7."""
        common = ("--eval-tokens", "train.bin", "--eval-every", 2, "--save", "ck", "--keep-best")
        run("--steps", 6, *common)
        best = json.loads((tmp_path / "ck/best.index.json").read_text())["metadata"]
        assert best["optimizer"] == "optimizer-step6.safetensors"
        run("--steps", 10, *common, "--lr", 0.7, start=("--resume", "ck"))
        assert json.loads((tmp_path / "ck/best.index.json").read_text())["metadata"] == best
        assert read_checkpoint(tmp_path / "ck")[1] == 10 and (tmp_path / "ck/model-step6.safetensors").exists()
        run("--steps", 14, *common, start=("--resume", "ck/best.index.json"))
        assert json.loads((tmp_path / "ck/best.index.json").read_text())["metadata"]["eval_loss"] < best["eval_loss"]

    def test_refusals(self, run):
        assert "--keep-best needs --eval-tokens" in run("--steps", 1, "--save", "ck", "--keep-best", code=1)
        assert "--keep" in run("--steps", 1, "--keep", 2, code=1)
        assert "--keep" in run("--steps", 1, "--save", "ck", "--keep", 0, code=1)


def test_two_trainings_in_one_folder(run, tmp_path):
    """The second is told at once, and the first goes on."""
    first = run("--steps", 10**9, "--save", "ck", "--metrics", "m.jsonl", wait=False)
    while not (tmp_path / "m.jsonl").exists():
        time.sleep(0.01)
    said = run("--steps", 5, "--save", "ck", "--metrics", "other.jsonl", code=1)
    assert "ck: must be saved in by one training at a time, but another one has it" in said and not (tmp_path / "other.jsonl").exists()
    first.send_signal(signal.SIGTERM)
    assert first.wait() == -signal.SIGTERM and read_checkpoint(tmp_path / "ck")[1] > 0


class TestWritersAcceptWhatReadersDo:
    @pytest.fixture
    def module(self, tmp_path, open_module):
        module = open_module(bigram().build(tmp_path / "step.so"))
        module.init_random(seed=1)
        module.save_checkpoint(tmp_path / "ck", data_position=7)
        return module

    @pytest.mark.parametrize("position", [-1, 2**62 + 1, 2**63 - 1, 2**63, 2**64, -2**70])
    def test_positions(self, module, tmp_path, position):
        with pytest.raises((RuntimeFailure, ValueError), match="data_position must be a count of tokens in .0, 2.62., but got"):
            module.save_checkpoint(tmp_path / "ck", data_position=position)
        assert module.load(tmp_path / "ck") == 7
        module.save_checkpoint(tmp_path / "ck", data_position=2**62)
        assert module.load(tmp_path / "ck") == 2**62

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    def test_numbers(self, module, tmp_path, value):
        table = module.get("table.weight")
        table[3, 5] = value
        module.set("table.weight", table)
        for save in (module.save_checkpoint, module.save):
            with pytest.raises(RuntimeFailure, match=f"'table.weight' must be finite, but got -?{abs(value)} at position 197"):
                save(tmp_path / ("ck" if save == module.save_checkpoint else "w.safetensors"))
        assert sorted(os.listdir(tmp_path / "ck")) == ["model-step0.safetensors", MAIN, "optimizer-step0.safetensors"]
        weights = load_file(tmp_path / "ck/model-step0.safetensors")
        save_file({**weights, "table.weight": table}, tmp_path / "bad.safetensors")
        with pytest.raises(RuntimeFailure, match="tensor 'table.weight': must be finite, but got -?(nan|inf) at position 197"):
            module.load(tmp_path / "bad.safetensors")

    @pytest.mark.parametrize("name", ["__metadata__", "a\nb", "a\x1b[2J", "a\x7f", "\x00a"])
    def test_names(self, library, tmp_path, name):
        module = StepModule()
        loss = module.bind("loss", "loss", "f32", [])
        module.bind(name, "parameter", "f32", [4])
        module.command("step", "fill", "zero", [], [loss], dst=loss)
        with pytest.raises(RuntimeFailure, match=r"manifest.bindings\[1\]: (a tensor's name must not be|names must not hold control characters)"):
            Module(module.build(tmp_path / "step.so"), library=library)

    @pytest.mark.parametrize(
        "name, value, message",
        [
            ("loss_scale", 0, "must be a power of two, but got 0"),
            ("loss_scale", -65536, "must be a power of two"),
            ("loss_scale", 3, "must be a power of two"),
            ("loss_scale", np.inf, "must be a power of two"),
            ("skipped_steps", np.nan, "must be a count"),
            ("skipped_steps", -1, "must be a count"),
            ("loss_scale_good_steps", 0.5, "must be a count"),
            ("scale", np.nan, "must be numbers, but got nan"),
            ("w.exp_avg", np.nan, "must be finite"),
        ],
    )
    def test_scales(self, tmp_path, open_module, name, value, message):
        step = StepModule()
        step.bind("w", "parameter", "f32", [1])
        loss = step.bind("loss", "loss", "f32", [])
        states = {n: step.bind(n, "scale_state", "f32", []) for n in ("loss_scale", "skipped_steps", "loss_scale_good_steps", "scale")}
        step.bind("w.exp_avg", "optimizer_state", "f32", [1], parameter="w", slot="exp_avg")
        step.kernel("init", "scale", [], list(states.values()), 1, "*b0 = 65536; *b1 = 0; *b2 = 0; *b3 = INFINITY;")
        step.command("step", "fill", "zero", [], [loss], dst=loss)
        module = open_module(step.build(tmp_path / "step.so"))
        module.init_random()
        module.save_checkpoint(tmp_path / "ck")
        module.load(tmp_path / "ck")
        path = tmp_path / "ck/optimizer-step0.safetensors"
        from safetensors import safe_open
        with safe_open(path, "np") as file:
            metadata = file.metadata()
        tensors = load_file(path)
        key = "optimizer.exp_avg.w" if name == "w.exp_avg" else f"scale_state.{name}"
        save_file({**tensors, key: np.full_like(tensors[key], value)}, path, metadata)
        with pytest.raises(RuntimeFailure, match=f"tensor '{key}': {message}"):
            module.load(tmp_path / "ck")

    def test_a_checkpoint_of_another_graph_is_said(self, run, tmp_path):
        run("--steps", 2, "--save", "ck")
        other = fragile()
        other.manifest["graph"] = "f" * 64
        other.build(tmp_path / "other.so")
        said = run("--steps", 3, start=("--resume", "ck"), module="other.so")
        assert "note: ck was saved by a module of another graph (000000000000), whose weights have the same names and shapes" in said
        with pytest.warns(UserWarning, match="ck was saved by a module of another graph"):
            with Module(tmp_path / "other.so") as module:
                module.load(tmp_path / "ck")


def test_saves_of_many_threads(tmp_path, library):
    """Into one folder and over one file: each call succeeds, and what is there is one of them, whole."""
    path = bigram().build(tmp_path / "step.so")
    errors = []

    def save(seed):
        try:
            with Module(path, library=library) as module:
                module.init_random(seed=seed)
                for _ in range(15):
                    module.save_checkpoint(tmp_path / "ck", data_position=seed)
                    module.save(tmp_path / "w.safetensors")
        except RuntimeFailure as failure:
            errors.append(failure)

    threads = [threading.Thread(target=save, args=(seed,)) for seed in (1, 2, 3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not errors
    with Module(path, library=library) as module:
        seed = module.load(tmp_path / "ck")
        loaded = module.get("table.weight")
        module.init_random(seed=seed)
        np.testing.assert_array_equal(loaded, module.get("table.weight"))
        assert load_file(tmp_path / "w.safetensors")["table.weight"].shape == (64, 64)
    assert len(os.listdir(tmp_path / "ck")) == 3 and not [name for name in os.listdir(tmp_path) if ".writing." in name]
