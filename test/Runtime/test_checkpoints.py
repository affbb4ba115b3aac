# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A checkpoint survives a process that is killed at any moment; a resumed run goes on bit for bit."""
import json
import os
import random
import signal
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT
from models import bigram
from safetensors.numpy import load_file, save_file

from prec.module import RuntimeFailure

STEPS = 1500


def read_checkpoint(folder):
    """All tensors that the index names, and the step."""
    from safetensors import safe_open
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    (weights,) = set(index["weight_map"].values())
    tensors = {}
    for name in (weights, index["metadata"]["optimizer"]):
        tensors |= load_file(folder / name)
        with safe_open(folder / name, "np") as file:
            step = int(file.metadata()["step"])
    return tensors, step


def assert_equal(first, second):
    assert first.keys() == second.keys()
    for name, tensor in first.items():
        np.testing.assert_array_equal(tensor.view(np.uint8), second[name].view(np.uint8), err_msg=name)


BATCH = {name: np.arange(32, dtype=np.int32).reshape(2, 16) for name in ("input_ids", "targets")}

SAVE = """
import sys
import numpy as np
from prec.module import Module
with Module("step.so", library=sys.argv[1]) as module:
    module.load("checkpoint")
    module.step({name: np.arange(32, dtype=np.int32).reshape(2, 16) for name in ("input_ids", "targets")})
    module.save_checkpoint("checkpoint", data_position=64)
"""


def test_killed_before_any_call_of_a_save(tmp_path, library, open_module, kill_at):
    """The old checkpoint or the new one, whole; and the next save leaves no more than one."""
    module = open_module(bigram().build(tmp_path / "step.so"))
    module.init_random(seed=1)
    module.step(BATCH)
    environment = dict(os.environ, LD_PRELOAD=str(kill_at), KILL_LOG=str(tmp_path / "calls"), PYTHONPATH=str(ROOT / "python"),
                       PYTHONDONTWRITEBYTECODE="1")

    def save(at):
        return subprocess.run([sys.executable, "-c", SAVE, library], cwd=tmp_path, env=dict(environment, KILL_AT=str(at)), capture_output=True)

    module.save_checkpoint(tmp_path / "checkpoint", data_position=32)
    old = read_checkpoint(tmp_path / "checkpoint")
    done = save(0)
    assert done.returncode == 0, done.stderr
    new = read_checkpoint(tmp_path / "checkpoint")
    assert (old[1], new[1]) == (1, 2)
    calls = int((tmp_path / "calls").read_text())
    assert calls > 20
    seen = set()
    for at in range(1, calls + 1):
        module.save_checkpoint(tmp_path / "checkpoint", data_position=32)
        assert len(os.listdir(tmp_path / "checkpoint")) == 3, at
        assert save(at).returncode == -signal.SIGKILL, at
        left = read_checkpoint(tmp_path / "checkpoint")
        assert_equal(left[0], (old if left[1] == 1 else new)[0])
        seen.add(left[1])
        assert open_module(tmp_path / "step.so").load(tmp_path / "checkpoint") == 32 * left[1]
    assert seen == {1, 2}


@pytest.mark.parametrize("kills_wanted", [6, pytest.param(200, marks=pytest.mark.long)])
def test_killed_at_random_moments_of_training(tmp_path, build, kills_wanted):
    """Each time the run goes on from what it last saved, and ends as one that was left alone."""
    bigram().build(tmp_path / "step.so")
    (np.arange(4000) * 5 % 64).astype(np.uint16).tofile(tmp_path / "train.bin")
    common = [build / "prec-run", "step.so", "--tokens", "train.bin", "--steps", str(STEPS), "--lr-schedule", "cosine", "--warmup", "50"]

    def start(folder, *options):
        from_where = ["--resume", folder] if (tmp_path / folder / "model.safetensors.index.json").exists() else ["--init", "random"]
        return subprocess.Popen(
            [*common, *from_where, "--save", folder, *options], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    assert start("whole").wait() == 0
    whole, step = read_checkpoint(tmp_path / "whole")
    assert step == STEPS
    generator = random.Random(0)
    kills = resumed = runs = 0
    while kills < kills_wanted:
        folder = f"killed{runs}"
        while True:
            resumed += (tmp_path / folder).exists()
            process = start(folder, "--save-every", "7")
            try:
                code = process.wait(timeout=generator.uniform(0, 0.25) if kills < kills_wanted else None)
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
        assert code == 0
        assert_equal(read_checkpoint(tmp_path / folder)[0], whole)
        runs += 1
    assert resumed >= kills_wanted / 2


def test_transformers_loads_the_folder(tmp_path, open_module):
    """As sharded weights, which a folder of a checkpoint looks like."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")

    class Config(transformers.PretrainedConfig):
        model_type = "bigram-of-a-test"

    class Bigram(transformers.PreTrainedModel):
        config_class = Config
        _tied_weights_keys = {"head.weight": "table.weight"}

        def __init__(self, config):
            super().__init__(config)
            self.table = torch.nn.Embedding(64, 64)
            self.norm = torch.nn.LayerNorm(64, bias=False)
            self.head = torch.nn.Linear(64, 64)
            self.head.weight = self.table.weight
            self.post_init()

        def _init_weights(self, module):
            pass

    module = open_module(bigram().build(tmp_path / "step.so"))
    module.init_random(seed=1)
    module.save_checkpoint(tmp_path / "checkpoint")
    Config().save_pretrained(tmp_path / "checkpoint")
    model = Bigram.from_pretrained(tmp_path / "checkpoint")
    np.testing.assert_array_equal(model.table.weight.detach().numpy(), module.get("table.weight"))
    # What others keep in the folder stays.
    module.step(BATCH)
    module.save_checkpoint(tmp_path / "checkpoint")
    assert (tmp_path / "checkpoint/config.json").exists()


class TestFolder:
    @pytest.fixture
    def saved(self, open_module, tmp_path):
        self.module = open_module(bigram().build(tmp_path / "step.so"))
        self.module.init_random(seed=1)
        self.module.save_checkpoint(tmp_path / "c")
        return tmp_path / "c"

    def test_a_checkpoint_of_the_same_step_takes_its_place(self, saved):
        self.module.init_random(seed=2)
        self.module.save_checkpoint(saved)
        assert sorted(os.listdir(saved)) == ["model-step0-1.safetensors", "model.safetensors.index.json", "optimizer-step0-1.safetensors"]
        assert_equal({"table.weight": read_checkpoint(saved)[0]["table.weight"]}, {"table.weight": self.module.get("table.weight")})

    def test_weights_that_would_be_read_instead(self, saved, tmp_path):
        (tmp_path / "d").mkdir()
        save_file({"a": np.zeros(1, np.float32)}, tmp_path / "d/model.safetensors")
        with pytest.raises(RuntimeFailure, match="d: must not hold 'model.safetensors', which is read instead of a checkpoint, but does"):
            self.module.save_checkpoint(tmp_path / "d")

    @pytest.mark.parametrize("text, message", [
        ("{", "index.json: must be valid JSON, but got a syntax error at byte 2"),
        ("{}", "index.json: must have 'weight_map', but has not|weight_map"),
        ('{"weight_map": {"a": "x", "b": "y"}, "metadata": {"optimizer": "o"}}', "must name one file, but got 'x' and 'y'"),
        ('{"weight_map": {"a": "../x"}, "metadata": {"optimizer": "o"}}', "must name files of its folder, but got '../x'"),
        ('{"weight_map": {}, "metadata": {"optimizer": "o"}}', "must name files of its folder, but got ''"),
        ('{"weight_map": {"a": "x"}, "metadata": {"optimizer": "o"}}', "c/x: must be readable"),
    ])
    def test_broken_index(self, saved, text, message):
        (saved / "model.safetensors.index.json").write_text(text)
        with pytest.raises(RuntimeFailure, match=message):
            self.module.load(saved)
