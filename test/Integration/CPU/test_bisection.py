# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--bisect finds the operands that were spoiled: histories of delayed scales, divided, saturate the tensors they are
of."""
import json
import subprocess

import numpy as np
import pytest
from first_step import import_step, inputs, read_gradients
from test_against_pytorch import batches, llama
from test_microscaling import open_recipe

import prec

RECIPES = {"current": ["--recipe=fp8-hybrid"], "delayed": ["--assign=recipe=fp8-hybrid tensor-scaling=delayed"],
           "fp8-rowwise": ["--recipe=fp8-rowwise"], "fp8-block": ["--recipe=fp8-block"], "mxfp8": ["--recipe=mxfp8"],
           # What is rounded at random is switched to what rounding to the nearest leaves.
           "nvfp4": ["--recipe-file=nvfp4-plain.json"]}
BATCHES = [batch for _, batch in zip(range(4), batches())]
DOWN, GATE = "model.layers.1.mlp.down_proj", "model.layers.0.mlp.gate_proj"


@pytest.fixture(scope="module")
def compiled(tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bisected")
    _, imported = import_step(llama)
    imported.write(folder / "graph.mlir")
    imported.write_weights(folder / "weights.safetensors")
    open_recipe(folder, "nvfp4-plain")
    np.concatenate([batch.ravel() for batch in BATCHES] + [[0]]).astype(np.uint16).tofile(folder / "tokens.bin")

    def compile_(name, *options):
        path = folder / f"{name}{''.join(options)}.so"
        if not path.exists():
            subprocess.run([tool("prec-compile"), folder / "graph.mlir", *(RECIPES[name] if name in RECIPES else [f"--recipe={name}"]),
                            *options, "-o", path], check=True, cwd=folder)
        return path
    return compile_


def opened(path):
    module = prec.Module(path)
    module.load(path.parent / "weights.safetensors")
    return module


def snr(gradients, others):
    signal = sum((g ** 2).sum() for g in gradients.values())
    return 10 * np.log10(signal / max(1e-300, sum(((g - others[name]) ** 2).sum() for name, g in gradients.items())))


def gradients(path, raised=None):
    module = opened(path)
    if raised is not None:
        switches = next(b for b in module.bindings if b.role == "switches")
        module.set(switches, np.full(switches.shape, raised, np.float32))
    # Delayed scales have then seen the batch.
    module.step(inputs(BATCHES[0]), lr=0.0)
    return read_gradients(module, BATCHES[0])


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", RECIPES)
def test_switches_choose_between_fp8_and_what_it_replaces(name, compiled):
    exact, switchable = gradients(compiled("bf16")), compiled(name, "--switchable")
    low, high, real = gradients(switchable, 0), gradients(switchable, 1), gradients(compiled(name, "--merge-contractions=off"))
    # Roundings that fall otherwise because sums are in another order; raised, what bf16 rounds of weights.
    assert snr(real, low) > snr(exact, low) + 10
    assert snr(exact, high) > snr(exact, low) + 10
    # A module whose switches nobody sets is low.
    assert all(np.array_equal(low[key], value) for key, value in gradients(switchable).items())


def test_operands_are_named_once(compiled):
    module = opened(compiled("current", "--switchable"))
    names = next(b["tensors"] for b in module.manifest["bindings"] if b["role"] == "switches")
    assert len(set(names)) == len(names) == 2 * 7 * 2 * 3  # Operands, projections, layers and directions.
    assert {f"{DOWN}/{direction}/{operand}" for direction in ("fprop", "dgrad", "wgrad") for operand in (0, 1)} <= set(names)


def spoil(module, tensor, factor=1e4):
    for binding in module.manifest["bindings"]:
        if binding["role"] == "amax_ratios" and tensor in binding["tensors"]:
            name = binding["name"].replace("amax_ratios", "amax_history")
            history = module.get(name)
            history[binding["tensors"].index(tensor)] /= factor
            return module.set(name, history)
    raise KeyError(tensor)


def bisect(tool, path, *options):
    return subprocess.run([tool("prec-run"), path, "--bisect", *map(str, options)], capture_output=True, text=True)


def read(path, tensor):
    """The operands that a delayed scale's tensor is; those of one tensor share its name, which is that of the first
    that reads it."""
    switchable = opened(path)
    names = next(b["tensors"] for b in switchable.manifest["bindings"] if b["role"] == "switches")
    owner, kind = tensor.split("/")
    readers = {DOWN: [DOWN], GATE: [GATE, GATE.replace("gate", "up")]}[owner]
    wanted = {"activation": ("fprop/0", "wgrad/1"), "gradient": ("dgrad/0", "wgrad/0")}[kind]
    return {f"{reader}/{place}" for reader in readers for place in wanted} & set(names)


@pytest.mark.parametrize("spoiled", [[f"{DOWN}/activation"], [f"{GATE}/activation"], [f"{DOWN}/gradient"],
                                     [f"{DOWN}/activation", f"{GATE}/activation"]], ids=lambda names: "+".join(names))
def test_what_was_spoiled_is_found(spoiled, tool, compiled, tmp_path):
    """Of the 84 operands those are raised that read what was spoiled, and none can be left out: without it a gradient
    is off."""
    path = compiled("delayed", "--merge-contractions=off")
    module = opened(path)
    for batch in BATCHES[:2]:
        module.step(inputs(batch))
    for tensor in spoiled:
        spoil(module, tensor)
    module.save_checkpoint(tmp_path / "spoiled", 128)
    result = bisect(tool, compiled("delayed", "--switchable"), "--resume", tmp_path / "spoiled", "--tokens", path.parent / "tokens.bin",
                    "--report", tmp_path / "report.json")
    assert result.returncode == 0, result.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["step"] == 3 and report["low"]["snr_db"] < 10
    found = [entry["tensor"] for entry in report["raised"]]
    assert found and set(found) <= set().union(*(read(compiled("delayed", "--switchable"), tensor) for tensor in spoiled))
    for tensor in spoiled:
        assert set(found) & read(compiled("delayed", "--switchable"), tensor)
    ratios = [entry["without"]["snr_db"] for entry in report["raised"]]
    assert ratios == sorted(ratios) and all(ratio < 10 for ratio in ratios)
    assert all(entry["without"]["worst"].startswith(("loss", "gradient of model.")) for entry in report["raised"])
    lines = result.stdout.splitlines()
    assert lines[0].startswith("step 3, all 84 operands low: ") and [line.split(": ")[0].strip() for line in lines[3:]] == found


def test_a_good_step_needs_nothing(tool, compiled, tmp_path):
    path = compiled("current", "--switchable")
    result = bisect(tool, path, "--weights", path.parent / "weights.safetensors", "--tokens", path.parent / "tokens.bin", "--report",
                    tmp_path / "report.json")
    assert result.returncode == 0 and "good already: no operand needs to be raised" in result.stdout
    assert json.loads((tmp_path / "report.json").read_text())["raised"] == []


def test_refusals(tool, compiled, tmp_path):
    plain, switchable = compiled("current"), compiled("current", "--switchable")
    weights = ("--weights", plain.parent / "weights.safetensors", "--tokens", plain.parent / "tokens.bin")

    def fails(message, path, *options):
        result = bisect(tool, path, *options)
        assert result.returncode == 1 and message in result.stderr and result.stderr.count("\n") == 1, result.stderr
    fails("--bisect must be given for a module compiled with --switchable, but is not", plain, *weights)
    fails("a ratio must lie in [-1000, 1000] dB, but got nan", switchable, *weights, "--least-snr", "nan")
    module = opened(plain)
    bad = module.weights()["model.norm.weight"]
    bad[0] = 3e38
    module.set("model.norm.weight", bad)
    module.save(tmp_path / "weights.safetensors")
    fails("a step must be finite with every operand raised, but loss is not: fp8 is not its cause", switchable,
          "--weights", tmp_path / "weights.safetensors", *weights[2:])
    nothing = subprocess.run([tool("prec-compile"), plain.parent / "graph.mlir", "--recipe=bf16", "--switchable", "-o", tmp_path / "no.so"],
                             capture_output=True, text=True)
    assert nothing.returncode == 1 and "must have products in fp8 or fp4, but got none" in nothing.stderr
