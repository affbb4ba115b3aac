# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logits in chunks of rows (prec-compile --chunk-loss): the numbers of PyTorch and, but for the order of one sum, of
whole logits, in less memory, whatever else a module can do."""
import subprocess

import numpy as np
import pytest
import torch
from first_step import import_step, inputs, read_gradients
from rounding_noise import gradients, lambda_of, length_of_errors
from test_against_pytorch import BATCH, SEQUENCE, VOCABULARY, batches, gpt2, llama
from test_recompute import Compiled, run
from transformers import LlamaConfig, LlamaForCausalLM

import prec

ROWS = 16  # The fewest that a chunk has.
CHUNKED = f"--chunk-loss={ROWS * VOCABULARY}"
CHUNKS = BATCH * SEQUENCE // ROWS
OPTIONS = {"fp32": [], "bf16": [], "fp16": [], "fp8-hybrid": [], "fp8-block": [], "delayed": ["--assign=tensor-scaling=delayed"],
           "masters": ["--assign=master-dtype=bf16 master-rounding=stochastic"]}
RECIPES = {"delayed": "fp8-hybrid", "masters": "bf16"}


class Models:
    """Modules of imported steps by options, all from the same weights."""

    def __init__(self, folder, compiler):
        self.folder, self.compiler, self.graphs, self.count = folder, compiler, {}, 0

    def compile(self, build, recipe, *options):
        graph = self.folder / f"{build.__name__}.mlir"
        if build not in self.graphs:
            self.graphs[build], imported = import_step(build)
            imported.write(graph)
            imported.write_weights(graph.with_suffix(".safetensors"))
        self.count += 1
        path = self.folder / f"{self.count}.so"
        done = subprocess.run([self.compiler, graph, f"--recipe={RECIPES.get(recipe, recipe)}", *OPTIONS[recipe], *options, "-o", path],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return path, done.stderr

    def open(self, build, recipe, *options):
        path, _ = self.compile(build, recipe, *options)
        module = prec.Module(path)
        module.load(self.folder / f"{build.__name__}.safetensors")
        return module


@pytest.fixture(scope="module")
def models(tool, tmp_path_factory):
    return Models(tmp_path_factory.mktemp("chunked"), tool("prec-compile"))


def some(count):
    return [batch for _, batch in zip(range(count), batches())]


def losses(module, count=3):
    return [module.step(inputs(batch))["loss"] for batch in some(count)]


def products(module, entry="step"):
    return [c for c in module.manifest["entry_points"][entry] if c["op"] == "gemm"]


def head_of(build):
    return "model.embed_tokens.weight" if build is llama else "transformer.wte.weight"


@pytest.mark.parametrize("build", [llama, gpt2])
def test_gradients_are_pytorchs(build, models):
    """As near as those of whole logits must be (test_gradients says why)."""
    module = models.open(build, "fp32", CHUNKED)
    batch = some(1)[0]
    tokens, model = torch.from_numpy(batch), models.graphs[build]
    expected, ours = gradients(model, tokens), read_gradients(module, batch)
    model.set_attn_implementation("eager")
    for name, length in length_of_errors(model, tokens).items():
        bound = 2**0.5 * lambda_of(len(expected)) * length
        assert float((torch.as_tensor(ours[name]) - expected[name]).norm()) <= bound, name


@pytest.mark.parametrize("recipe", OPTIONS)
@pytest.mark.parametrize("build", [llama, gpt2])
def test_only_the_heads_gradient_is_summed_otherwise(build, recipe, models):
    whole, chunked = models.open(build, recipe), models.open(build, recipe, CHUNKED)
    batch = some(1)[0]
    expected, ours = read_gradients(whole, batch), read_gradients(chunked, batch)
    assert ours.keys() == expected.keys()
    head = next(name for name in expected if name.endswith(head_of(build)))
    for name, gradient in expected.items():
        if name == head:
            # Two roundings, of either gradient, and the sums' own errors far below them.
            unit = 2.0**-22 if recipe == "fp32" else 2.0**-7 if recipe != "fp16" else 2.0**-10
            assert np.linalg.norm(ours[name] - gradient) <= unit * np.linalg.norm(gradient)
        elif recipe == "fp32":
            # On some processors BLAS adds the terms of a product of fewer rows in another order; roundings to 16 bits
            # hide it.
            assert np.linalg.norm(ours[name] - gradient) <= 2.0**-19 * np.linalg.norm(gradient), name
        else:
            np.testing.assert_array_equal(ours[name], gradient, err_msg=name)


@pytest.mark.parametrize("recipe", OPTIONS)
def test_losses_stay_and_are_reproducible(recipe, models):
    expected = losses(models.open(llama, recipe))
    ours = losses(models.open(llama, recipe, CHUNKED))
    assert ours[0] == expected[0] and losses(models.open(llama, recipe, CHUNKED)) == ours
    np.testing.assert_allclose(ours, expected, rtol=1e-2 if recipe != "fp32" else 1e-6)


def test_a_chunk_is_three_products(models):
    whole, chunked = products(models.open(llama, "bf16")), products(models.open(llama, "bf16", CHUNKED))
    assert len(chunked) == len(whole) + 3 * (CHUNKS - 1)
    assert sum(c["beta"] == 1 for c in chunked) == CHUNKS - 1 and not any(c["beta"] for c in whole)


def test_evaluation_is_chunked(models):
    whole, chunked = models.open(llama, "bf16"), models.open(llama, "bf16", CHUNKED)
    batch = inputs(some(1)[0])
    assert chunked.eval(batch) == whole.eval(batch)
    assert len(products(chunked, "eval")) == len(products(whole, "eval")) + CHUNKS - 1


def wide():
    return LlamaForCausalLM(LlamaConfig(vocab_size=8192, hidden_size=8, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
                                        max_position_embeddings=64))


def test_less_memory(models):
    """What holds whole logits holds nothing of theirs in chunks."""
    def workspace(*options):
        return models.open(wide, "bf16", *options).manifest["segments"]["workspace"]
    assert workspace("--chunk-loss=256KiB") < BATCH * SEQUENCE * 8192 * 2 < workspace()


def test_of_micro_batches(models):
    whole, chunked = models.open(llama, "fp32", "--accumulate"), models.open(llama, "fp32", "--accumulate", CHUNKED)

    def accumulate(module):
        return [module.accumulate(inputs(batch))["loss"] for batch in some(2)], module.apply()["grad_norm"]
    (ours, norm), (expected, expected_norm) = accumulate(chunked), accumulate(whole)
    assert ours == expected and norm == pytest.approx(expected_norm, rel=1e-6)


@pytest.mark.long
def test_sampled_steps(models):
    chunked = models.open(llama, "delayed", "--collect-numerics", CHUNKED)
    assert sum(c["beta"] == 1 for c in products(chunked, "sample")) == CHUNKS - 1
    assert losses(chunked) == losses(models.open(llama, "delayed", "--merge-contractions=off", CHUNKED))


def test_labels_that_do_not_count(models):
    whole, chunked = models.open(llama, "fp32"), models.open(llama, "fp32", CHUNKED)
    for ignored in (5, SEQUENCE, 2 * SEQUENCE):
        batch = inputs(some(1)[0])
        batch["labels"] = batch["labels"].copy()
        batch["labels"].reshape(-1)[:ignored] = -100
        ours, expected = chunked.eval(batch), whole.eval(batch)
        # Rows' losses are added up in another order.
        assert ours.pop("loss") == pytest.approx(expected.pop("loss"), rel=5e-7)
        assert ours == expected


@pytest.mark.cases(1)
@pytest.mark.parametrize("scaling, is_whole", [("current", True), ("delayed", False)])
def test_an_fp8_head(scaling, is_whole, tool, tmp_path):
    """It needs the largest value of its whole gradient, unless the scale comes from earlier steps."""
    compiled = Compiled(tmp_path, tool)
    options = f"--assign=tensor-scaling={scaling} head=in"
    whole, _ = compiled.open("fp8-hybrid", options)
    chunked, said = compiled.open("fp8-hybrid", options, "--chunk-loss=64KiB")
    assert ("are not computed in chunks" in said) == is_whole
    assert any(c["beta"] for c in products(chunked)) != is_whole
    (ours, _), (expected, _) = run(chunked), run(whole)
    assert ours[0] == expected[0]
    np.testing.assert_allclose(ours, expected, rtol=1e-2)


@pytest.mark.parametrize("text", ["", "much", "-1", "0"])
def test_a_chunk_must_be_a_size(text, models):
    with pytest.raises(AssertionError, match=f"--chunk-loss must be a number of bytes, KiB, MiB, GiB or TiB, but got '{text}'"):
        models.compile(llama, "bf16", f"--chunk-loss={text}")
