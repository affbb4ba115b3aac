# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of models with experts: FP32 follows PyTorch, narrower recipes learn as it does, and grouped products and the
products of all rows that a GPU runs give one another's results."""
import json
import math
import subprocess

import pytest
from families import outcome
from first_step import import_step
from followed_losses import compare
from test_divided_kinds import EXPERTS
from transformers import AutoConfig, AutoModelForCausalLM

import prec

NAMES = ["mixtral", "qwen3_moe", "deepseek_v3"]


def opened(compile_module, imported, recipe, *options):
    path, weights = compile_module(imported, recipe, *options)
    module = prec.Module(path)
    module.load(weights)
    return module


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_steps_follow_pytorch(name, compile_module):
    kind, what = outcome(name)
    assert kind == "imports", what
    model, _, batch, imported = what
    module = opened(compile_module, imported, "fp32")
    assert any(command["op"] == "grouped_gemm" for command in module.manifest["entry_points"]["step"])
    followed = compare(name, module, model, batch, 10)
    assert followed["within"], followed


@pytest.mark.cases(1)
@pytest.mark.parametrize("recipe", ["bf16", "fp8-hybrid"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_recipes_learn(name, recipe, compile_module):
    model, _, batch, imported = outcome(name, verify=False)[1]
    modules = {r: opened(compile_module, imported, r) for r in ("fp32", recipe)}
    given = {key: value.numpy() for key, value in batch.items()}
    losses = {}
    for of, module in modules.items():
        wanted = {binding.name for binding in module.bindings if binding.role == "batch"}
        losses[of] = [module.step({k: v for k, v in given.items() if k in wanted})["loss"] for _ in range(10)]
    assert all(math.isfinite(loss) for loss in losses[recipe])
    # A router in 16 bits may choose another expert at a tie; that is a small part of a tiny model's loss.
    assert losses[recipe] == pytest.approx(losses["fp32"], rel=0.05)
    assert losses[recipe][-1] < losses[recipe][0]


@pytest.mark.cases(1)
@pytest.mark.filterwarnings("ignore")
def test_commands_are_compared(tool, compile_module):
    """Bounds of grouped products depend on their ends, which are integers."""
    path, weights = compile_module(outcome("mixtral", verify=False)[1][3], "bf16")
    done = subprocess.run([tool("prec-run"), path, "--weights", weights, "--compare", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert sum(line.startswith("ok") and " grouped_gemm " in line for line in done.stdout.splitlines()) >= 3


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_grouped_products_are_replayed(tool, compile_module, tmp_path):
    """A floor has the time of products of experts, not their bytes, and nothing but the rest in bytes."""
    config = AutoConfig.for_model("mixtral", **EXPERTS, num_local_experts=4, attn_implementation="sdpa")
    path, weights = compile_module(import_step(lambda: AutoModelForCausalLM.from_config(config))[1], "bf16")
    tmp_path.joinpath("tokens.bin").write_bytes(bytes(4096))
    done = subprocess.run([tool("prec-run"), path, "--weights", weights, "--tokens", "tokens.bin", "--label-shift", "1", "--profile",
                           "--profile-floor", "--profile-json", "profile.json"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    profile = json.loads((tmp_path / "profile.json").read_text())
    grouped = [c["floor"] for c in profile["commands"] if c["op"] == "grouped_gemm"]
    assert len(grouped) >= 3 and all(floor["bytes"] is None and floor["seconds"] > 0 for floor in grouped)
    replayed = sum(c["floor"]["seconds"] for c in profile["commands"] if c["floor"]["bytes"] is None)
    assert profile["floor"]["replayed_seconds"] == pytest.approx(replayed)
