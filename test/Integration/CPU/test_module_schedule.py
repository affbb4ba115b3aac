# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs whose precision changes on the way (prec-run --switch, --fallback): the bits of a run that is saved and resumed
by hand, from any point; modules that do not belong together are refused before the first step."""
import json
import subprocess

import numpy as np
import pytest
from first_step import import_step
from safetensors.numpy import load_file, save_file
from test_against_pytorch import gpt2, llama
from test_delayed_scaling import make_recipe

TOKENS = 40000


class Runner:
    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder
        np.random.default_rng(0).integers(0, 256, TOKENS).astype(np.uint16).tofile(folder / "tokens.bin")
        for name, build in (("llama", llama), ("gpt2", gpt2)):
            _, imported = import_step(build)
            imported.write(folder / f"{name}.mlir")
            imported.write_weights(folder / f"{name}.safetensors")
        delayed = make_recipe(folder)
        for name, recipe in (
            ("bf16", "--recipe=bf16"),
            ("fp8", "--recipe=fp8-hybrid"),
            ("delayed", f"--recipe-file={delayed}"),
            ("fp32", "--recipe=fp32"),
        ):
            self.compile("llama", name, recipe)

    def compile(self, model, name, *options):
        subprocess.run([self.tool("prec-compile"), self.folder / f"{model}.mlir", *options, "-o", self.folder / f"{name}.so"], check=True)

    def run(self, module, *arguments, steps, start="llama", check=True):
        begin = [] if "--resume" in arguments else ["--weights", self.folder / f"{start}.safetensors"]
        done = subprocess.run([self.tool("prec-run"), self.folder / f"{module}.so", *begin, "--tokens", self.folder / "tokens.bin",
                               "--steps", str(steps), "--lr", "1e-3", *arguments], capture_output=True, text=True)
        assert not check or done.returncode == 0, done.stderr
        return done

    def switch(self, step, module):
        return f"{step}:{self.folder / module}.so"


@pytest.fixture(scope="module")
def runner(tool, tmp_path_factory):
    return Runner(tool, tmp_path_factory.mktemp("schedule"))


def files(folder):
    """All tensors of a checkpoint, by name."""
    return {name: value.tobytes() for path in sorted(folder.glob("*.safetensors")) for name, value in load_file(path).items()}


def losses(path):
    return {line["step"]: line["loss"] for line in map(json.loads, path.read_text().splitlines()) if "loss" in line}


@pytest.fixture(scope="module")
def by_hand(runner):
    """Three steps in BF16, three in FP8 with delayed scales, two in BF16: three runs, each of which resumes the
    last."""
    for number, (module, steps) in enumerate((("bf16", 3), ("delayed", 6), ("bf16", 8))):
        resume = ["--resume", runner.folder / f"hand{number - 1}"] if number else []
        runner.run(module, *resume, "--save", runner.folder / f"hand{number}", "--metrics", runner.folder / "hand.jsonl", steps=steps)
    return files(runner.folder / "hand2"), losses(runner.folder / "hand.jsonl")


def test_a_schedule_is_what_resuming_by_hand_gives(runner, by_hand, tmp_path):
    done = runner.run(
        "bf16",
        "--switch",
        runner.switch(4, "delayed"),
        "--switch",
        runner.switch(7, "bf16"),
        "--save",
        tmp_path / "saved",
        "--metrics",
        tmp_path / "m.jsonl",
        steps=8,
    )
    assert files(tmp_path / "saved") == by_hand[0] and losses(tmp_path / "m.jsonl") == by_hand[1]
    recipes = [(line["step"], line["recipe"]) for line in map(json.loads, (tmp_path / "m.jsonl").read_text().splitlines()) if "recipe" in line]
    assert [step for step, _ in recipes] == [4, 7] and recipes[1][1] == "bf16" != recipes[0][1]
    assert "step 4 goes on in" in done.stdout + done.stderr and "whose scales begin anew" in done.stdout + done.stderr


@pytest.mark.parametrize("steps", [2, 3, 5, 6])
def test_a_resumed_schedule_goes_on_where_it_was(steps, runner, by_hand, tmp_path):
    """Whoever resumes names the same modules: the one that is due trains, with its scales."""
    switches = ["--switch", runner.switch(4, "delayed"), "--switch", runner.switch(7, "bf16")]
    runner.run("bf16", *switches, "--save", tmp_path / "half", steps=steps)
    runner.run("bf16", *switches, "--resume", tmp_path / "half", "--save", tmp_path / "whole", steps=8)
    saved = files(tmp_path / "whole")
    assert saved.keys() == by_hand[0].keys()
    assert saved == by_hand[0]


def test_skipped_steps_fall_back(runner, tmp_path):
    """From weights with which FP16 overflows; FP32 does not."""
    weights = load_file(runner.folder / "llama.safetensors")
    weights["model.embed_tokens.weight"] = weights["model.embed_tokens.weight"] * np.float32(1e7)
    save_file(weights, runner.folder / "loud.safetensors")
    runner.compile("llama", "fp16", "--recipe=fp16")
    fallback = ["--fallback", runner.folder / "fp32.so", "--fallback-after", "2"]
    done = runner.run("fp16", *fallback, "--save", tmp_path / "saved", "--metrics", tmp_path / "m.jsonl", steps=5, start="loud")
    said = done.stdout + done.stderr
    assert said.count("skipped:") == 2 and "step 3 goes on in" in said and "(fp32)" in said
    assert sorted(losses(tmp_path / "m.jsonl")) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("arguments, message", [
    (["--switch", "4"], "a switch must be STEP:MODULE with a step from 1 on, but got 4"),
    (["--switch", "0:a.so"], "a switch must be STEP:MODULE with a step from 1 on, but got 0:a.so"),
    (["--switch", "x:a.so"], "a switch must be STEP:MODULE with a step from 1 on, but got x:a.so"),
    (["--switch", "4:a.so", "--switch", "4:b.so"], "switches must have steps of their own, but got 4 twice"),
    (["--switch", "4:no.so"], "no.so"),
    (["--fallback-after", "2"], "--fallback-after requires --fallback"),
    (["--fallback", "no.so"], "no.so")])
def test_wrong_schedules_are_refused(arguments, message, runner, tmp_path):
    done = runner.run("bf16", *arguments, "--save", tmp_path / "saved", steps=5, check=False)
    assert done.returncode == 1 and message in done.stderr and not (tmp_path / "saved").exists()


def test_modules_of_other_models_are_refused(runner, tmp_path):
    runner.compile("gpt2", "other", "--recipe=bf16")
    done = runner.run("bf16", "--switch", runner.switch(2, "other"), "--save", tmp_path / "saved", steps=5, check=False)
    assert done.returncode == 1 and not (tmp_path / "saved").exists()
    for part in ("weight 'model.embed_tokens.weight'  of shape [256,64] must be there as in the first module, but is missing",
                 "weight 'transformer.wte.weight'  of shape [256,64] must be in the first module, but is not"):
        assert part.replace("  ", " ") in done.stderr.replace("  ", " ").replace(", 64]", ",64]"), done.stderr


def test_masters_must_hold_what_went_before(runner, tmp_path):
    """From FP32 masters to BF16 ones something would be lost."""
    runner.compile("llama", "narrow", "--recipe=bf16", "--assign=master-dtype=bf16")
    done = runner.run("bf16", "--switch", runner.switch(2, "narrow"), steps=3, check=False)
    assert done.returncode == 1 and "bf16.so: tensor 'lm_head.weight'" in done.stderr or "tensor 'model.embed_tokens.weight'" in done.stderr
