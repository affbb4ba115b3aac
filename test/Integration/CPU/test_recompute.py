# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activations that the backward computes anew (prec-compile --max-memory): the same bits in less memory, whatever the
recipe, in whole steps and in micro-batches; imported checkpointing stays; and a clear error where no number of
activations is enough."""
import re
import subprocess

import numpy as np
import pytest
import torch
from first_step import OPTIONS, inputs
from transformers import LlamaConfig, LlamaForCausalLM

import prec

BATCH, SEQUENCE, VOCABULARY = 8, 64, 256
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
RECIPES = ["fp32", "bf16", "fp8-hybrid", "fp8-block", "nvfp4"]


def llama():
    return LlamaForCausalLM(LlamaConfig(vocab_size=VOCABULARY, hidden_size=128, intermediate_size=352, num_hidden_layers=3,
                                        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=SEQUENCE))


def batches(count):
    return list(np.random.default_rng(0).integers(0, VOCABULARY, (count, BATCH, SEQUENCE)))


class Compiled:
    def __init__(self, folder, tool, checkpointing=False):
        torch.manual_seed(0)
        model = llama()
        if checkpointing:
            model.gradient_checkpointing_enable({"use_reentrant": False})
        ids = torch.zeros(BATCH, SEQUENCE, dtype=torch.int64)
        imported = prec.import_torch(model.train(), torch.optim.AdamW(model.parameters(), **OPTIONS), {"input_ids": ids, "labels": ids},
                                     clip_grad_norm=1.0, verify=False)
        imported.write(folder / "graph.mlir")
        imported.write_weights(folder / "weights.safetensors")
        self.folder, self.compiler = folder, tool("prec-compile")

    def compile(self, recipe, *options):
        path = self.folder / f"{recipe}{'_'.join(options)}.so"
        done = subprocess.run([self.compiler, self.folder / "graph.mlir", f"--recipe={recipe}", *options, "-o", path], capture_output=True, text=True)
        return path, done

    def open(self, recipe, *options):
        path, done = self.compile(recipe, *options)
        assert done.returncode == 0, done.stderr
        module = prec.Module(path)
        module.load(self.folder / "weights.safetensors")
        return module, done.stderr


@pytest.fixture(scope="module")
def compiled(tool, tmp_path_factory):
    return Compiled(tmp_path_factory.mktemp("recompute"), tool)


def size_of(module):
    return sum(size for name, size in module.manifest["segments"].items() if name != "constants")


def read_bytes(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


def run(module, steps=3):
    losses = [module.step(inputs(batch))["loss"] for batch in batches(steps)]
    return losses, {b.name + b.slot: module.get(b).tobytes() for b in module.bindings if b.role not in ("batch", "hyper", "loss", "metric", "guard")}


@pytest.mark.cases(1)
@pytest.mark.parametrize("recipe", RECIPES)
def test_less_memory_and_the_same_bits(recipe, compiled):
    whole, _ = compiled.open(recipe)
    expected, state = run(whole), size_of(whole)
    for part in (0.95, 0.88):
        limit = int(state * part)
        options = "--keep-transposed-weights", f"--max-memory={limit}"
        module, said = compiled.open(recipe, *options)
        assert size_of(module) <= limit
        found = re.search(r"the step takes (.*) of (.*) instead of (.*): (\d+) of (\d+) activations are recomputed", said)
        took, of, instead, count, most = found.groups()
        assert read_bytes(took) == pytest.approx(size_of(module), rel=0.01) and read_bytes(instead) == pytest.approx(state, rel=0.01)
        assert 0 < int(count) <= int(most)
        phases = {c["phase"] for c in module.profile(inputs(batches(1)[0]))}
        assert "recompute" in phases
        module, _ = compiled.open(recipe, *options)
        assert run(module) == expected


def is_transposed_weight(binding):
    return binding.slot.endswith("_t")


def test_weights_are_transposed_in_the_backward_first(compiled):
    whole, _ = compiled.open("fp8-hybrid")
    kept = [binding for binding in whole.bindings if is_transposed_weight(binding)]
    module, said = compiled.open("fp8-hybrid", f"--max-memory={size_of(whole) - 2**17}")
    assert kept and not any(map(is_transposed_weight, module.bindings))
    assert re.search(r"the step takes .*: fp8 weights are transposed in the backward$", said, re.MULTILINE)
    # Alignment may take some of what is saved, the copies that live at once far less than all.
    assert size_of(whole) - size_of(module) > sum(np.prod(binding.shape) for binding in kept) / 2
    losses, state = run(whole)
    slots = {binding.name + binding.slot for binding in kept}
    assert run(module) == (losses, {name: data for name, data in state.items() if name not in slots})


@pytest.mark.cases(1)
@pytest.mark.parametrize("recipe, options", [("fp8-block", ()), ("bf16", ()), ("fp8-hybrid", ("--keep-transposed-weights",)),
                                             ("fp8-hybrid", ("--accumulate",))])
def test_transposed_weights_are_kept(recipe, options, compiled):
    """Where they have scales of their own, are none, shall be kept, or would be made for each micro-batch."""
    whole, _ = compiled.open(recipe, *options)
    module, said = compiled.open(recipe, *options, f"--max-memory={int(size_of(whole) * 0.95)}")
    assert [b.slot for b in module.bindings] == [b.slot for b in whole.bindings] and "transposed" not in said


@pytest.mark.parametrize("scaling", ["current", "delayed"])
def test_weights_transposed_in_the_backward_are_the_same_bits(scaling, compiled):
    options = f"--assign=tensor-scaling={scaling}",
    (losses, _), (expected, _) = (run(compiled.open("fp8-hybrid", *options, f"--keep-transposed-weights={kept}")[0]) for kept in ("false", "true"))
    assert losses == expected


def test_of_micro_batches(compiled):
    whole, _ = compiled.open("fp8-hybrid", "--accumulate")
    module, _ = compiled.open("fp8-hybrid", "--accumulate", f"--max-memory={int(size_of(whole) * 0.92)}")

    def accumulate(module):
        losses = [module.accumulate(inputs(batch))["loss"] for batch in batches(2)]
        return losses + [module.apply()["grad_norm"]]
    assert accumulate(module) == accumulate(whole)


def test_with_logits_in_chunks(compiled):
    chunked, _ = compiled.open("bf16", "--chunk-loss=64KiB")
    module, said = compiled.open("bf16", "--chunk-loss=64KiB", f"--max-memory={int(size_of(chunked) * 0.9)}")
    assert re.search(r"[1-9]\d* of \d+ activations are recomputed", said) and size_of(module) < size_of(chunked)
    assert run(module) == run(chunked)


def test_a_limit_that_is_not_reached_changes_nothing(compiled):
    whole, _ = compiled.open("bf16")
    module, said = compiled.open("bf16", "--max-memory=1TiB")
    assert re.search(r"remark: the step takes .* MiB of 1.00 TiB: nothing is recomputed", said)
    assert module.manifest["entry_points"] == whole.manifest["entry_points"]


def test_too_little_memory_is_refused(compiled):
    path, done = compiled.compile("bf16", "--max-memory=1MiB")
    assert done.returncode == 1 and not path.exists()
    least = re.search(r"error: max-memory must be at least (.*), the least that recomputing activations leads to, but got 1.00 MiB", done.stderr)
    assert read_bytes(least.group(1)) > 2**20


@pytest.mark.parametrize("text", ["", "much", "-1", "0"])
def test_a_limit_must_be_a_size(text, compiled):
    path, done = compiled.compile("bf16", f"--max-memory={text}")
    assert done.returncode == 1 and not path.exists()
    assert f"prec-compile: error: --max-memory must be a number of bytes, KiB, MiB, GiB or TiB, but got '{text}'" in done.stderr


def test_imported_checkpointing_stays(compiled, tool, tmp_path):
    """Layers that PyTorch recomputes are recomputed: the same bits as without, in less memory. (In BF16 other values
    are stored, and
    so rounded.)"""
    whole, _ = compiled.open("fp32", "--merge-contractions=off")
    checkpointed = Compiled(tmp_path, tool, checkpointing=True)
    module, _ = checkpointed.open("fp32", "--merge-contractions=off")
    assert size_of(module) < 0.9 * size_of(whole)
    assert run(module) == run(whole)
