# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers that read one value as one product: what PyTorch computes, and what the same module computes with every layer
its own."""
import subprocess

import numpy as np
import pytest
import torch
from first_step import import_step, inputs, read_gradients
from test_against_pytorch import VOCABULARY, batches
from transformers import LlamaConfig, LlamaForCausalLM

import prec

LAYERS = 2
BATCHES = [batch for _, batch in zip(range(12), batches())]
# Tied embeddings or not, query heads that share keys or not; rows that are blocks of 128 for all of them.
RECIPES = {"fp32": ["--recipe=fp32"], "bf16": ["--recipe=bf16"], "bf16-masters": ["--assign=recipe=bf16 master-dtype=bf16"],
           "current": ["--recipe=fp8-hybrid"], "delayed": ["--assign=recipe=fp8-hybrid tensor-scaling=delayed"],
           "rowwise": ["--recipe=fp8-rowwise"], "block": ["--recipe=fp8-block"], "mxfp8": ["--recipe=mxfp8"], "nvfp4": ["--recipe=nvfp4"]}


def grouped():
    return LlamaForCausalLM(LlamaConfig(vocab_size=VOCABULARY, hidden_size=256, intermediate_size=384, num_hidden_layers=LAYERS,
                                        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64,
                                        tie_word_embeddings=True))


@pytest.fixture(scope="module")
def built(tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("merged")
    model, imported = import_step(grouped)
    imported.write(folder / "graph.mlir")
    imported.write_weights(folder / "weights.safetensors")

    def open_(recipe, merge, *options):
        path = folder / f"{recipe}-{merge}{''.join(options)}.so"
        if not path.exists():
            subprocess.run([tool("prec-compile"), folder / "graph.mlir", *RECIPES[recipe], f"--merge-contractions={merge}", *options,
                            "-o", path], check=True)
        module = prec.Module(path)
        module.load(folder / "weights.safetensors")
        return module
    open_.model = model
    open_.folder = folder
    return open_


def count_products(module):
    """Commands by phase."""
    commands = [c for c in module.manifest["entry_points"]["step"] if c["op"] == "gemm"]
    return {phase: sum(c["phase"] == phase for c in commands) for phase in ("forward", "backward")}


def get_segments(module):
    return module.manifest["segments"]


@pytest.mark.cases(1)
@pytest.mark.parametrize("recipe", RECIPES)
def test_three_and_two_products_are_one_and_one(recipe, built):
    """Query, key and value, gate and up; in the backward, for the input and for the weight. No weight is there
    twice."""
    merged, apart = built(recipe, "on"), built(recipe, "off")
    one, other = count_products(merged), count_products(apart)
    assert other["forward"] - one["forward"] == 3 * LAYERS
    assert other["backward"] - one["backward"] == 2 * 3 * LAYERS
    # Scalars of one scale for several, no more.
    assert get_segments(merged)["state"] <= get_segments(apart)["state"]


def get_errors(module, wanted, batch):
    ours = read_gradients(module, batch)
    return {name: np.linalg.norm(ours[name] - w) / np.linalg.norm(w) for name, w in wanted.items()}


@pytest.mark.cases(1)
@pytest.mark.parametrize("recipe", RECIPES)
def test_gradients_are_as_near_to_pytorch(recipe, built):
    """In f32 they agree as far as orders of sums do; in less they are, parameter by parameter, no farther than those of
    layers apart, but for the luck of roundings: means over thousands of them differ by little."""
    model, batch = built.model, BATCHES[0]
    model.zero_grad()
    tokens = torch.from_numpy(batch)
    model(input_ids=tokens, labels=tokens).loss.backward()
    wanted = {name: p.grad.numpy().astype(np.float64) for name, p in model.named_parameters()}
    merged, apart = (get_errors(built(recipe, merge), wanted, batch) for merge in ("on", "off"))
    assert set(merged) == set(wanted)
    for name in wanted:
        if recipe == "fp32":
            assert merged[name] < 1e-5, name
        else:
            assert merged[name] < 1.25 * apart[name], name


@pytest.mark.parametrize("recipe", RECIPES)
def test_training_goes_on_without(recipe, built, tmp_path):
    """A checkpoint of either continues in the other; from then on both lose the same, up to roundings."""
    def train(module, chosen):
        return [module.step(inputs(batch))["loss"] for batch in chosen]
    merged, apart = built(recipe, "on"), built(recipe, "off")
    first, second = train(merged, BATCHES[:6]), train(apart, BATCHES[:6])
    assert first == pytest.approx(second, rel=1e-4 if recipe == "fp32" else 2e-2)
    for name, module in (("merged", merged), ("apart", apart)):
        module.save_checkpoint(tmp_path / name)
    swapped = [built(recipe, "off"), built(recipe, "on"), built(recipe, "on")]
    for module, name in zip(swapped, ("merged", "apart", "merged")):
        module.load(tmp_path / name)
    without, with_, same = (train(module, BATCHES[6:]) for module in swapped)
    expected = train(merged, BATCHES[6:])
    assert same == expected
    assert without == pytest.approx(expected, rel=1e-4 if recipe == "fp32" else 2e-2)
    assert with_ == pytest.approx(expected, rel=1e-4 if recipe == "fp32" else 2e-2)


def test_a_rule_parts_a_module_from_the_others(built, tool, tmp_path):
    """Of query, key and value the key is kept high: the two others are merged, and it is said why it is not."""
    rules = tmp_path / "rules.json"
    rules.write_text('{"version": 1, "rules": [{"match": {"path": "*.k_proj", "class": "contraction"}, "pin": {"reads": "bf16"}, "reason": "keys"}]}')
    result = subprocess.run([tool("prec-compile"), built.folder / "graph.mlir", "--recipe=fp8-hybrid", f"--rules={rules}",
                             "--merge-contractions=explain", "-o", tmp_path / "step.so"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("k_proj: remark: not merged with what reads the same value: "
                               "no other has its formats and its products") == LAYERS
    apart = count_products(built("current", "off"))["forward"]
    assert count_products(prec.Module(tmp_path / "step.so"))["forward"] == apart - 2 * LAYERS


def test_a_recipe_keeps_layers_apart(built, tool, tmp_path):
    """torchao has a scale for each weight and each gradient, so its recipe has a product for each layer; one remark
    says so."""
    result = subprocess.run([tool("prec-compile"), built.folder / "graph.mlir", "--recipe=torchao-tensorwise",
                             "--merge-contractions=explain", "-o", tmp_path / "step.so"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("remark") == 1 and "remark: no layers are merged: the recipe keeps them apart" in result.stderr
    assert count_products(prec.Module(tmp_path / "step.so")) == count_products(built("current", "off"))


def test_micro_batches(built):
    """Gradients are summed by parameter."""
    merged, apart = (built("bf16", merge, "--accumulate") for merge in ("on", "off"))
    losses = []
    for module in (merged, apart):
        for batch in BATCHES[:3]:
            module.accumulate(inputs(batch))
        module.apply()
        losses.append(module.step(inputs(BATCHES[3]))["loss"])
    assert losses[0] == pytest.approx(losses[1], rel=2e-3)
