# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each recipe on tiny models with experts: ten steps are finite, learn, and stay near fp32's; products of experts read
what the recipe says, or what docs/Operations.md says instead."""
import math
from collections import Counter

import pytest
from families import outcome

import prec

# Wide enough that no 128x128 block is of two experts, and of so many experts that FP8 could choose, and that some get
# no rows.
SIZES = {"hidden_size": 128, "intermediate_size": 128}
MODELS = {
    "mixtral": SIZES | {"num_local_experts": 16},
    "qwen3_moe": SIZES | {"moe_intermediate_size": 128, "num_experts": 16},
    "deepseek_v3": SIZES | {"moe_intermediate_size": 128, "n_routed_experts": 16},
    "olmoe": SIZES | {"num_experts": 16},
    "gpt_oss": SIZES | {"num_local_experts": 16},
}
# What products of experts read: by direction the scalings of both operands, or none.
TENSOR, DELAYED, ROW = ("tensor_current",) * 2, ("tensor_delayed",) * 2, ("row",) * 2
NARROW, BLOCK = ("block_1x128",) * 2, ("block_1x128", "block_128x128")
READS = {
    "bf16": None,
    "fp16": None,
    "fp8-hybrid": {"forward": TENSOR, "dgrad": TENSOR, "wgrad": TENSOR},
    "fp8-e4m3": {"forward": TENSOR, "dgrad": TENSOR, "wgrad": TENSOR},
    "delayed": {"forward": DELAYED, "dgrad": DELAYED, "wgrad": DELAYED},
    "fp8-rowwise": {"forward": ROW, "dgrad": ROW, "wgrad": ROW},
    "fp8-block": {"forward": BLOCK, "dgrad": BLOCK, "wgrad": NARROW},
    "torchao-tensorwise": {"forward": TENSOR, "dgrad": TENSOR, "wgrad": TENSOR},
    # Nothing is microscaled in groups: the fallback.
    "mxfp8": None,
    "nvfp4": None,
}
# Of the loss, in each of ten steps; docs/Operations.md. At higher rates, tokens that are between two experts soon go to
# others than in fp32. Gradients in 4 bits are rounded at random: other draws, such as in another order of elements,
# move a loss by some percent.
RATE, LIMIT, LIMIT_AT_RANDOM = 2e-4, 0.06, 0.08
STEPS = 10


@pytest.fixture(scope="module")
def train(compile_module):
    """By model and recipe, the manifest's commands and the losses."""
    imports, found = {}, {}

    def run(name, recipe):
        if name not in imports:
            kind, what = outcome(name, verify=False, **MODELS[name])
            assert kind == "imports", what
            imports[name] = what
        if (name, recipe) not in found:
            _, _, batch, imported = imports[name]
            options = ["--assign=tensor-scaling=delayed"] if recipe == "delayed" else []
            path, weights = compile_module(imported, "fp8-hybrid" if recipe == "delayed" else recipe, *options)
            module = prec.Module(path)
            module.load(weights)
            wanted = {binding.name for binding in module.bindings if binding.role == "batch"}
            given = {key: value.numpy() for key, value in batch.items() if key in wanted}
            losses = [module.step(given, lr=RATE)["loss"] for _ in range(STEPS)]
            found[name, recipe] = module.manifest["entry_points"]["step"], losses
        return found[name, recipe]
    return run


def reads(commands):
    """By direction, how often products of experts have which scalings."""
    found = Counter()
    for command in commands:
        if command["op"] == "grouped_gemm":
            direction = "forward" if command["phase"] == "forward" else "dgrad" if command.get("transpose_b") else "wgrad"
            found[direction, command.get("scaling_a"), command.get("scaling_b")] += 1
    return found


@pytest.mark.cases(1)
@pytest.mark.parametrize("recipe", READS)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore")
def test_a_recipe_learns_as_fp32_does(name, recipe, train):
    commands, losses = train(name, recipe)
    _, right = train(name, "fp32")
    found = reads(commands)
    if expected := READS[recipe]:
        assert {(direction, *scalings) for direction, scalings in expected.items()} == set(found)
        assert len(set(found.values())) == 1
    else:
        assert found and all(a is None and b is None for _, a, b in found)
    # What chooses stays wider.
    routers = [command for command in commands if command["op"] == "gemm" and command["path"].endswith((".gate", ".router"))]
    assert routers and not any("scale_a" in command for command in routers)
    assert all(math.isfinite(loss) for loss in losses)
    assert losses[-1] < losses[0]
    assert losses == pytest.approx(right, rel=LIMIT_AT_RANDOM if recipe == "nvfp4" else LIMIT)
