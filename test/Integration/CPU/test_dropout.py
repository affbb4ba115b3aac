# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps with dropout against PyTorch, whose dropout is given the same random bits: losses, gradients and weights;
evaluations drop
nothing; every micro-batch and every step drops something else, and a resumed run what the uninterrupted one would."""
import subprocess

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from first_step import MAX_NORM, OPTIONS, import_step, inputs, read_gradients
from test_against_pytorch import VOCABULARY, batches
from transformers import GPT2Config, GPT2LMHeadModel

import prec
from prec.interpreter.random_bits import random_bits

FIRST_STREAM = 1 << 24
BATCHES = [batch for _, batch in zip(range(8), batches())]


def gpt2(resid_pdrop=0.1, embd_pdrop=0.2, attn_pdrop=0.3):
    return GPT2LMHeadModel(GPT2Config(vocab_size=VOCABULARY, n_positions=64, n_embd=64, n_layer=2, n_head=4, resid_pdrop=resid_pdrop,
                                      embd_pdrop=embd_pdrop, attn_pdrop=attn_pdrop, attn_implementation="eager"))


class SameBits:
    """F.dropout with the bits of a step module: calls come in the order in which they were traced."""

    def __init__(self, step, micro_batch=0, flaw=0):
        self.seed, self.stream = step * 4096 + micro_batch, FIRST_STREAM + flaw

    def __enter__(self):
        self.own, F.dropout = F.dropout, self.dropout
        return self

    def __exit__(self, *_):
        F.dropout = self.own

    def dropout(self, input, p=0.5, training=True, inplace=False):
        if not training or not p:
            return input
        p = np.float64(np.float32(p))
        kept = random_bits(tuple(input.shape), self.seed, self.stream) >= int(p * 2**32)
        self.stream += 1
        return torch.where(torch.from_numpy(kept), input * float(np.float32(1 / (1 - p))), torch.zeros(()))


def loss_of(model, batch, **bits):
    tokens = torch.from_numpy(batch)
    with SameBits(**bits):
        return model(input_ids=tokens, labels=tokens).loss


@pytest.fixture(scope="module")
def compiled(tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dropout")
    with pytest.warns(UserWarning, match="attention with dropout"):
        model, imported = import_step(gpt2)
    imported.write(folder / "graph.mlir")
    imported.write_weights(folder / "weights.safetensors")
    start = {name: value.clone() for name, value in model.state_dict().items()}

    def open_(recipe="fp32", *options):
        path = folder / f"{recipe}{len(options)}.so"
        if not path.exists():
            subprocess.run([tool("prec-compile"), folder / "graph.mlir", f"--recipe={recipe}", *options, "-o", path], check=True)
        module = prec.Module(path)
        module.load(folder / "weights.safetensors")
        model.load_state_dict(start)
        return model.train(), module
    return open_


def test_losses_and_weights_follow_pytorch(compiled):
    model, module = compiled()
    optimizer = torch.optim.AdamW(model.parameters(), **OPTIONS)
    for step, batch in enumerate(BATCHES, 1):
        expected = loss_of(model, batch, step=step)
        expected.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
        optimizer.step()
        optimizer.zero_grad()
        assert module.step(inputs(batch))["loss"] == pytest.approx(expected.item(), rel=2e-6)


def test_gradients_are_pytorchs(compiled):
    """And not those of other bits: forward and backward drop the same."""
    model, module = compiled()
    ours = read_gradients(module, BATCHES[0])

    def distance(**bits):
        model.zero_grad()
        loss_of(model, BATCHES[0], **bits).backward()
        theirs = {name: parameter.grad.double().numpy() for name, parameter in model.named_parameters()}
        return {name: np.linalg.norm(ours[name] - g) / np.linalg.norm(g) for name, g in theirs.items()}
    assert max(distance(step=1).values()) < 2e-5
    assert min(distance(step=1, flaw=1).values()) > 2e-3
    assert min(distance(step=2).values()) > 2e-3


def test_an_evaluation_drops_nothing(compiled):
    model, module = compiled()
    tokens = torch.from_numpy(BATCHES[0])
    expected = model.eval()(input_ids=tokens, labels=tokens).loss.item()
    assert module.eval(inputs(BATCHES[0]))["loss"] == pytest.approx(expected, rel=2e-6)
    assert module.step(inputs(BATCHES[0]))["loss"] != pytest.approx(expected, rel=1e-4)
    # A step behind an evaluation drops again, as if there had been none.
    module.eval(inputs(BATCHES[1]))
    _, other = compiled()
    other.step(inputs(BATCHES[0]))
    assert other.step(inputs(BATCHES[1]))["loss"] == module.step(inputs(BATCHES[1]))["loss"]


def test_every_micro_batch_drops_something_else(compiled):
    model, module = compiled("fp32", "--accumulate")
    for step in (1, 2):
        for micro in range(3):
            expected = loss_of(model, BATCHES[0], step=step, micro_batch=micro).item()
            got = module.accumulate(inputs(BATCHES[0]))["loss"]
            if step == 1:
                assert got == pytest.approx(expected, rel=2e-6)
        module.apply(lr=0.0)


@pytest.mark.parametrize("recipe", ["bf16", "fp8-hybrid"])
def test_a_resumed_run_drops_the_same(recipe, compiled, tmp_path):
    _, whole = compiled(recipe)
    for batch in BATCHES[:3]:
        whole.step(inputs(batch))
    whole.save_checkpoint(tmp_path / "checkpoint")
    losses = [whole.step(inputs(batch))["loss"] for batch in BATCHES[3:]]
    _, resumed = compiled(recipe)
    resumed.load(tmp_path / "checkpoint")
    assert [resumed.step(inputs(batch))["loss"] for batch in BATCHES[3:]] == losses
    # Near what PyTorch computes in FP32 from the same bits: another mask would be another loss.
    model, module = compiled(recipe)
    same, other = (loss_of(model, BATCHES[0], step=1, flaw=flaw).item() for flaw in (0, 1))
    assert abs(module.step(inputs(BATCHES[0]))["loss"] - same) < abs(other - same) / 4
