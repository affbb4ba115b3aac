# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LoRA on a frozen base in FP8, of which a module keeps nothing but what is read: the bits of a run whose base is
trained, at a learning rate of zero, and so has masters; copies as NumPy quantizes them; checkpoints that hold the
copies, and what they cannot do."""
import json
import subprocess

import numpy as np
import pytest
import torch
from first_step import OPTIONS, inputs
from safetensors.numpy import load_file
from test_against_pytorch import BATCH, SEQUENCE, batches
from test_fine_scales import quantize
from test_lora import adapted

import prec
from prec.module import RuntimeFailure

BATCHES = [batch for _, batch in zip(range(6), batches())]
ALIGNMENT = 256
RECIPES = {"current": ["--recipe=fp8-hybrid"], "delayed": ["--assign=recipe=fp8-hybrid tensor-scaling=delayed"],
           "rowwise": ["--recipe=fp8-rowwise"], "block": ["--recipe=fp8-block"], "mxfp8": ["--recipe=mxfp8"]}


def import_lora(train_base):
    """Of an optimizer that steps adapters, and the base not at all or at a learning rate of zero."""
    model = adapted()
    adapters = [p for p in model.parameters() if p.requires_grad]
    groups = [{"params": adapters}]
    if train_base:
        for p in model.parameters():
            p.requires_grad_(True)
        known = {id(p) for p in adapters}
        groups.append({"params": [p for p in model.parameters() if id(p) not in known], "lr": 0.0})
    ids = torch.zeros(BATCH, SEQUENCE, dtype=torch.int64)
    return prec.import_torch(model, torch.optim.AdamW(groups, **OPTIONS), {"input_ids": ids, "labels": ids}, verify=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("frozen")
    for name in ("lora", "trained"):
        imported = import_lora(name == "trained")
        imported.write(folder / f"{name}.mlir")
        imported.write_weights(folder / f"{name}.safetensors")
    np.concatenate([batch.ravel() for batch in BATCHES] + [[0]]).astype(np.uint16).tofile(folder / "tokens.bin")
    return folder


@pytest.fixture(scope="module")
def compiled(tool, folder):
    def compile_(model, recipe, *options):
        path = folder / "-".join([model, recipe, *(option.strip("-") for option in options)])
        if not path.exists():
            subprocess.run([tool("prec-compile"), folder / f"{model}.mlir", *RECIPES.get(recipe, [f"--recipe={recipe}"]), *options, "-o", path],
                           check=True)
        return path
    return compile_


@pytest.fixture(scope="module")
def opened(compiled, folder):
    def open_(model, recipe, *options):
        module = prec.Module(compiled(model, recipe, *options))
        module.load(folder / f"{model}.safetensors")
        return module
    return open_


@pytest.fixture(scope="module")
def prec_run(tool, folder, compiled):
    def run(recipe, *arguments, model="lora", check=True):
        done = subprocess.run([tool("prec-run"), compiled(model, recipe), "--tokens", folder / "tokens.bin", *map(str, arguments)],
                              capture_output=True, text=True)
        assert not check or done.returncode == 0, done.stderr
        return done
    return run


def staged(module):
    return {b.name: b for b in module.bindings if b.role == "staged_parameter"}


def copies_of(module, name):
    return {b.name.removeprefix(name + "."): module.get(b) for b in module.bindings
            if b.parameter == name and b.role in ("work_weight", "scale_state")}


def read(path):
    """Dtype, shape and bytes of every tensor of a safetensors file; NumPy has no FP8 to load them as."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    tensors = json.loads(data[8:start])
    tensors.pop("__metadata__", None)
    return {name: (t["dtype"], t["shape"], data[start + t["data_offsets"][0]:start + t["data_offsets"][1]]) for name, t in tensors.items()}


def write(path, tensors, **metadata):
    header, data = {"__metadata__": metadata}, b""
    for name, (dtype, shape, value) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(value)]}
        data += value
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


@pytest.mark.long
@pytest.mark.parametrize("recipe", RECIPES)
def test_losses_are_those_of_a_base_with_masters(recipe, opened):
    frozen, trained = (opened(model, recipe, "--merge-contractions=off") for model in ("lora", "trained"))
    assert len(staged(frozen)) == 14 and not staged(trained)
    trained.set_hyper(**{"lr.1": 0.0})
    for batch in BATCHES:
        assert frozen.step(inputs(batch))["loss"] == trained.step(inputs(batch))["loss"]
    for binding in frozen.bindings:
        if binding.role in ("parameter", "work_weight"):
            (other,) = (b for b in trained.bindings if (b.name, b.role) == (binding.name, binding.role))
            assert frozen.get(binding).tobytes() == trained.get(other).tobytes(), binding.name


@pytest.mark.cases(1)
@pytest.mark.parametrize("recipe, height, depth", [("current", 1 << 20, 1 << 20), ("delayed", 1 << 20, 1 << 20), ("rowwise", 1, 1 << 20),
                                                   ("block", 128, 128)])
@pytest.mark.long
def test_copies_are_those_of_the_weights(recipe, height, depth, opened, folder):
    module = opened("lora", recipe)
    for batch in BATCHES[:2]:
        module.step(inputs(batch))
    weights = load_file(folder / "lora.safetensors")
    for name in staged(module):
        copies = copies_of(module, name)
        # Nothing wants the gradient of what the first attention reads.
        assert ("e4m3_t" in copies) == (not any(f"layers.0.self_attn.{p}" in name for p in "qkv"))
        for suffix, matrix in (("", weights[name]), ("_t", weights[name].T)):
            if "e4m3" + suffix not in copies:
                continue
            data, scale_invs, _ = quantize(matrix, min(height, matrix.shape[0]), min(depth, matrix.shape[1]))
            np.testing.assert_array_equal(copies["e4m3" + suffix].view(np.uint8), data.view(np.uint8))
            scale = copies["e4m3" + (suffix if recipe in ("rowwise", "block") else "") + "_scale"]
            if recipe == "block":  # Rows of a multiple of four blocks.
                scale = scale.reshape(len(scale_invs), -1)[:, :scale_invs.shape[1]]
            np.testing.assert_array_equal(scale.ravel(), scale_invs.ravel())


def test_state_shrinks_by_the_originals(compiled):
    """All else, a module that can be switched keeps as well."""
    kept, switchable = (prec.Module(compiled("lora", "current", *options)) for options in ((), ("--switchable",)))
    originals = staged(kept)
    assert {b.role for b in switchable.bindings if b.name in originals} >= {"frozen_parameter"}
    aligned = sum(-(-4 * int(np.prod(b.shape)) // ALIGNMENT) * ALIGNMENT for b in originals.values())
    assert switchable.manifest["segments"]["state"] - kept.manifest["segments"]["state"] == aligned > 0
    largest = max(4 * int(np.prod(b.shape)) for b in originals.values())
    assert kept.manifest["segments"]["workspace"] >= largest
    buffers = kept.manifest["buffers"]
    for binding in kept.manifest["bindings"]:
        if binding["name"] in originals and binding["role"] == "staged_parameter":
            assert (buffers[binding["buffer"]]["segment"], buffers[binding["buffer"]]["offset"]) == ("workspace", 0)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_resumed_run_goes_on(recipe, opened, compiled, tmp_path):
    whole = opened("lora", recipe)
    for batch in BATCHES[:3]:
        whole.step(inputs(batch))
    whole.save_checkpoint(tmp_path / "saved", data_position=3)
    resumed = prec.Module(compiled("lora", recipe))
    assert resumed.load(tmp_path / "saved") == 3
    for batch in BATCHES[3:]:
        assert resumed.step(inputs(batch)) == whole.step(inputs(batch))
    for module, name in ((whole, "whole"), (resumed, "resumed")):
        module.save_checkpoint(tmp_path / name)
    for file in ("model-step6.safetensors", "optimizer-step6.safetensors"):
        assert read(tmp_path / "whole" / file) == read(tmp_path / "resumed" / file)


def test_what_a_checkpoint_holds(opened, tmp_path):
    module = opened("lora", "current")
    module.save_checkpoint(tmp_path / "saved")
    model, state = (read(tmp_path / "saved" / f"{name}-step0.safetensors") for name in ("model", "optimizer"))
    originals = staged(module)
    assert not originals.keys() & model.keys() and {name for name in model if "lora_" in name}
    held = {name: value for name, (_, _, value) in state.items() if name.startswith("frozen.")}
    expected = {f"frozen.{name}.{slot}": value for name in originals for slot, value in copies_of(module, name).items()}
    assert held.keys() == expected.keys() and all(held[name] == value.tobytes() for name, value in expected.items())
    # A byte for each element and layout, and an inverse scale.
    layouts = {name: 1 + (f"frozen.{name}.e4m3_t" in held) for name in originals}
    assert sum(map(len, held.values())) == sum(layouts[name] * int(np.prod(b.shape)) + 4 for name, b in originals.items())


def test_another_recipe_needs_the_weights(opened, compiled, folder, tmp_path):
    saved = opened("lora", "current")
    for batch in BATCHES[:2]:
        saved.step(inputs(batch))
    saved.save_checkpoint(tmp_path / "saved")
    names = list(staged(saved))
    for recipe in ("bf16", "rowwise"):
        other = prec.Module(compiled("lora", recipe))
        with pytest.raises(RuntimeFailure) as refused:
            other.load(tmp_path / "saved")
        lines = str(refused.value).splitlines()
        assert len(lines) == len(names) and lines[-1] == (
            f"{tmp_path / 'saved' / 'model-step2.safetensors'}: tensor '{names[-1]}': must be there as it is for a module that reads it in "
            "another way than the one that was saved, but only its copies are (e4m3_scale, e4m3, e4m3_t): give the file of weights that the "
            "training began with")
        with pytest.raises(RuntimeFailure, match="every input must be set before 'step'"):
            other.step(inputs(BATCHES[2]))
        # Given that, it is the base that it always was, and the checkpoint's adapters.
        other.load(tmp_path / "saved", weights=folder / "lora.safetensors")
        expected = opened("lora", recipe)
        for binding in expected.bindings:
            if binding.role == "parameter":
                expected.set(binding, saved.get(binding.name))
        assert other.eval(inputs(BATCHES[2])) == expected.eval(inputs(BATCHES[2])) | {"step": 2}


def test_originals_come_from_a_checkpoint_that_has_them(opened, compiled, tmp_path):
    full = opened("lora", "current", "--switchable")
    full.save_checkpoint(tmp_path / "saved")
    module = prec.Module(compiled("lora", "current"))
    module.load(tmp_path / "saved")
    expected = opened("lora", "current")
    for batch in BATCHES:
        assert module.step(inputs(batch)) == expected.step(inputs(batch))


def test_a_damaged_checkpoint_is_refused(opened, compiled, tmp_path):
    saved = opened("lora", "current")
    saved.save_checkpoint(tmp_path / "saved")
    name = list(staged(saved))[-1]
    path = tmp_path / "saved" / "optimizer-step0.safetensors"
    state = read(path)
    for change, message in (({f"frozen.{name}.e4m3": None}, "only its copies are (e4m3_scale, e4m3_t)"),
                            ({f"frozen.{name}.e4m3": ("F8_E4M3", [3, 5], bytes(15))}, "only its copies are (e4m3_scale, e4m3, e4m3_t)"),
                            ({"frozen.other.weight.e4m3": ("F32", [3], bytes(12))},
                             "tensor 'frozen.other.weight.e4m3': must be in the module, but is not")):
        tensors = {key: value for key, value in (state | change).items() if value is not None}
        write(path, tensors, step="0", data_position="0")
        with pytest.raises(RuntimeFailure) as refused:
            prec.Module(compiled("lora", "current")).load(tmp_path / "saved")
        assert message in str(refused.value) and len(str(refused.value).splitlines()) == 1


def test_the_base_is_set_but_not_read(opened, folder, tmp_path):
    module = opened("lora", "current")
    name, binding = next(iter(staged(module).items()))
    assert name not in module.weights()
    with pytest.raises(RuntimeFailure, match=f"'{name}' must be kept as it is to be read, but the module keeps only work weights of it"):
        module.get(binding)
    with pytest.raises(RuntimeFailure, match=f"weights must be kept as they are to be saved, but the module keeps only work weights of '{name}'"):
        module.save(tmp_path / "weights.safetensors")
    weight = load_file(folder / "lora.safetensors")[name]
    before = module.eval(inputs(BATCHES[0]))["loss"]
    others = {other: copies_of(module, other) for other in staged(module) if other != name}
    module.set(binding, 2 * weight)
    np.testing.assert_array_equal(copies_of(module, name)["e4m3"].view(np.uint8), quantize(2 * weight, *weight.shape)[0].view(np.uint8))
    for other, copies in others.items():
        assert all(copies_of(module, other)[slot].tobytes() == value.tobytes() for slot, value in copies.items())
    assert module.eval(inputs(BATCHES[0]))["loss"] != before
    module.set(binding, weight)
    assert module.eval(inputs(BATCHES[0]))["loss"] == before


def test_random_bases(compiled):
    """Filled on the device, one after the other, through one buffer."""
    first, second = (prec.Module(compiled("lora", recipe)) for recipe in ("current", "fp32"))
    for module in (first, second):
        module.init_random(seed=3)
    for name in staged(first):
        weight = second.get(name)
        np.testing.assert_array_equal(copies_of(first, name)["e4m3"].view(np.uint8), quantize(weight, *weight.shape)[0].view(np.uint8))


def losses(path):
    return {line["step"]: line["loss"] for line in map(json.loads, path.read_text().splitlines()) if "loss" in line}


def test_runs_that_change_the_recipe(prec_run, compiled, folder, tmp_path):
    """A switch reads the base again from --weights; without them, it is refused before the first step."""
    weights = ["--weights", folder / "lora.safetensors"]
    prec_run("current", *weights, "--steps", 2, "--save", tmp_path / "saved")
    done = prec_run("rowwise", "--resume", tmp_path / "saved", "--steps", 4, check=False)
    assert done.returncode == 1 and "give the file of weights that the training began with" in done.stderr
    prec_run("rowwise", "--resume", tmp_path / "saved", *weights, "--steps", 4, "--metrics", tmp_path / "resumed.jsonl")
    switch = ["--switch", f"3:{compiled('lora', 'rowwise')}"]
    prec_run("current", *weights, *switch, "--steps", 4, "--metrics", tmp_path / "switched.jsonl")
    assert {step: loss for step, loss in losses(tmp_path / "switched.jsonl").items() if step > 2} == losses(tmp_path / "resumed.jsonl")
    prec_run("current", *weights, "--steps", 1, "--save", tmp_path / "first")
    done = prec_run("current", "--resume", tmp_path / "first", *switch, "--steps", 4, check=False)
    assert done.returncode == 1 and ("modules of a run without --weights must keep the same copies of frozen weights, but only one of this "
                                     "and the first has '") in done.stderr


def test_loaders_are_compared(prec_run, compiled, folder):
    done = prec_run("current", "--weights", folder / "lora.safetensors", "--compare", compiled("lora", "current"))
    assert sum(" load." in line and line.startswith("ok") for line in done.stdout.splitlines()) >= 14
