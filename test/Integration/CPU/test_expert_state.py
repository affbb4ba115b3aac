# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a step with experts in FP8 keeps: a history for each expert, work weights, moments in 8 bits; micro-batches, bad
steps, checkpoints, adapters."""
import subprocess

import numpy as np
import peft
import pytest
import torch
from families import FAMILIES, adamw, outcome
from poisoned import COUNTERS, GOOD, INFINITE, NAN, poison, state

import prec

SIZES = {"hidden_size": 128, "intermediate_size": 128}
EXPERTS = 4
DELAYED = ["--assign=tensor-scaling=delayed amax-history=4"]


@pytest.fixture(scope="module")
def opened(compile_module):
    """Mixtral, tiny, in fp8-hybrid, and a batch."""
    kind, what = outcome("mixtral", verify=False, **SIZES)
    assert kind == "imports", what
    _, _, batch, imported = what

    def open_(*options):
        path, weights = compile_module(imported, "fp8-hybrid", *options)
        module = prec.Module(path)
        module.load(weights)
        wanted = {binding.name for binding in module.bindings if binding.role == "batch"}
        return module, {key: value.numpy() for key, value in batch.items() if key in wanted}, path
    return open_


def expert_weights(module):
    """By name, the work weights of stacked experts."""
    return {b.name: b for b in module.bindings if b.role == "work_weight" and ".experts." in b.name and len(b.shape) == 3}


def test_a_weight_has_one_scale_for_each_expert(opened):
    module, batch, _ = opened()
    module.step(batch)
    copies = expert_weights(module)
    assert len(copies) == 2 * 2 * 2 and {name.rsplit(".", 1)[1] for name in copies} == {"e4m3", "e4m3_t"}
    for name in copies:
        if not name.endswith(".e4m3"):
            continue
        path = name.removesuffix(".e4m3")
        master, copy = module.get(path).astype(np.float64), module.get(name).astype(np.float64)
        inverse = module.get(f"{path}.e4m3_scale").astype(np.float64)
        assert inverse.shape == (EXPERTS,)
        np.testing.assert_allclose(inverse, np.abs(master).max((1, 2)) / 448, rtol=1e-6)
        # Half an ulp of three bits of mantissa, or half the smallest subnormal.
        error = np.abs(copy * inverse[:, None, None] - master)
        assert np.all(error <= np.maximum(np.abs(master) * 2.0**-4, 2.0**-10 * inverse[:, None, None]) * (1 + 1e-6))
        assert np.array_equal(module.get(f"{path}.e4m3_t").astype(np.float32), copy.astype(np.float32).swapaxes(1, 2))


def test_copies_with_delayed_scales_are_of_new_masters(opened):
    # One kernel updates the masters and writes both layouts.
    module, batch, _ = opened(*DELAYED)
    for _ in range(3):
        module.step(batch)
    for name in expert_weights(module):
        if not name.endswith(".e4m3"):
            continue
        path = name.removesuffix(".e4m3")
        master, copy = module.get(path).astype(np.float64), module.get(name).astype(np.float64)
        inverse = module.get(f"{path}.e4m3_scale").astype(np.float64)[:, None, None]
        wanted = np.clip(master, -448 * inverse, 448 * inverse)
        assert np.all(np.abs(copy * inverse - wanted) <= np.maximum(np.abs(wanted) * 2.0**-4, 2.0**-10 * inverse) * (1 + 1e-6))
        assert np.array_equal(module.get(f"{path}.e4m3_t").astype(np.float32), copy.astype(np.float32).swapaxes(1, 2))


def test_each_expert_has_a_history(opened):
    module, batch, _ = opened(*DELAYED)
    for _ in range(3):
        module.step(batch)
    histories = [b["tensors"] for b in module.manifest["bindings"] if b["role"] == "amax_ratios" and ".experts" in b["tensors"][0]]
    # In two layers: two inputs, two gradients of outputs, and two weights, each for each expert.
    assert len(histories) == 2 * 6
    for names in histories:
        assert [name.rsplit(".", 1)[1] for name in names] == [str(expert) for expert in range(EXPERTS)]


@pytest.mark.parametrize("options", [[], DELAYED], ids=["current", "delayed"])
def test_equal_micro_batches_are_a_step(opened, options):
    parts, batch, _ = opened(*options, "--accumulate")
    whole, _, _ = opened(*options, "--accumulate")
    for _ in range(3):
        theirs = whole.step(batch)
        for _ in range(2):
            assert parts.accumulate(batch)["loss"] == theirs["loss"]
        parts.apply()
        assert state(parts) == state(whole)


@pytest.mark.parametrize("options", [[], DELAYED], ids=["current", "delayed"])
def test_a_saved_run_goes_on(opened, options, tmp_path):
    module, batch, path = opened(*options)
    for _ in range(3):
        module.step(batch)
    module.save_checkpoint(tmp_path / "saved")
    resumed = prec.Module(path)
    resumed.load(tmp_path / "saved")
    assert state(resumed) == state(module)
    assert [module.step(batch) for _ in range(2)] == [resumed.step(batch) for _ in range(2)]


@pytest.mark.parametrize("options", [[], DELAYED], ids=["current", "delayed"])
def test_a_bad_step_changes_nothing(tool, options, tmp_path):
    _, _, batch, imported = outcome("mixtral", verify=False, **SIZES)[1]
    imported.write(tmp_path / "graph.mlir")
    imported.write_weights(tmp_path / "weights.safetensors")
    (tmp_path / "graph.mlir").write_text(poison((tmp_path / "graph.mlir").read_text()))
    subprocess.run([tool("prec-compile"), tmp_path / "graph.mlir", "--recipe=fp8-hybrid", *options, "-o", tmp_path / "step.so"], check=True)
    module = prec.Module(tmp_path / "step.so")
    module.load(tmp_path / "weights.safetensors")
    wanted = {binding.name for binding in module.bindings if binding.role == "batch"} - {"poison"}
    given = {key: value.numpy() for key, value in batch.items() if key in wanted}
    module.step(given | {"poison": GOOD})
    before = state(module, COUNTERS)
    for bad in (NAN, INFINITE):
        module.step(given | {"poison": bad})
        assert state(module, COUNTERS) == before
    module.step(given | {"poison": GOOD})
    assert state(module, COUNTERS) != before


def test_moments_in_8_bits(opened):
    wide, batch, _ = opened()
    module, _, _ = opened("--assign=moments=dynamic8")
    slots = {b.name for b in module.bindings if b.role == "optimizer_state" and ".experts." in b.name}
    assert any("exp_avg_codes" in name for name in slots) and any("exp_avg_sq_absmax" in name for name in slots)
    losses = [[m.step(batch)["loss"] for _ in range(10)] for m in (module, wide)]
    assert losses[0] == pytest.approx(losses[1], rel=0.02) and losses[0][-1] < losses[0][0]


def adapted(**lora):
    torch.manual_seed(0)
    model, batch = FAMILIES["mixtral"].build(**SIZES)
    return peft.get_peft_model(model, peft.LoraConfig(r=8, lora_alpha=16, **lora)), batch


def run(compile_module, model, batch, recipe="fp8-hybrid", steps=5):
    imported = prec.import_torch(model, adamw(model), batch, clip_grad_norm=1.0, verify=False)
    path, weights = compile_module(imported, recipe)
    module = prec.Module(path)
    module.load(weights)
    wanted = {binding.name for binding in module.bindings if binding.role == "batch"}
    given = {key: value.numpy() for key, value in batch.items() if key in wanted}
    return module, [module.step(given)["loss"] for _ in range(steps)]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_frozen_experts_are_kept_in_fp8_alone(compile_module):
    module, losses = run(compile_module, *adapted(target_modules=["q_proj", "v_proj"]))
    assert any(command.get("scaling_b") == "tensor_current" for command in module.manifest["entry_points"]["step"] if command["op"] == "grouped_gemm")
    staged = {b.name for b in module.bindings if b.role == "staged_parameter"}
    assert sum(".experts." in name for name in staged) == 4
    _, right = run(compile_module, *adapted(target_modules=["q_proj", "v_proj"]), "fp32")
    assert losses == pytest.approx(right, rel=0.02) and losses[-1] < losses[0]
