# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loss, every gradient and the updated state of imported steps against PyTorch eager."""
import copy

import pytest
import torch
from models import MODELS, loss_and_gradients, reference

import prec
from prec.interpreter import Program, Torch

KEEP = ["llama", "gpt2", "gpt2-gelu", "llama-mha"]


def imported(model, batch, verify=False, **options):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)
    return prec.import_torch(model, optimizer, batch, **options)


def weights(model):
    return {name: p.detach().clone() for name, p in model.named_parameters()}


@pytest.mark.cases(2)
@pytest.mark.parametrize("name,attention", [(n, "composite") for n in MODELS] + [(n, "keep") for n in KEEP])
def test_in_float64_every_gradient_is_pytorchs(name, attention):
    model, batch = MODELS[name]()
    if attention == "keep":
        model.set_attn_implementation("eager")
    step = imported(model, batch, attention=attention)
    got, gradients = loss_and_gradients(step.graph, {**weights(model), **batch})
    loss, expected = reference(model, batch)
    torch.testing.assert_close(got, loss, rtol=1e-9, atol=0)
    assert gradients.keys() == expected.keys()
    for path, g in expected.items():
        error = (gradients[path] - g).abs().max() / g.abs().max().clamp(min=1e-12)
        assert error < 1e-8, (path, error)


@pytest.mark.parametrize("name", ["llama-tied", "gpt2"])
def test_in_float32_steps_follow_pytorch(name):
    """Five steps with clipping: losses within 2e-5 relative, the norm within the rounding of its sums."""
    model, batch = MODELS[name]()
    step = imported(model, batch, clip_grad_norm=0.5)
    program = Program.of_graph(step.graph)
    state = dict(weights(model))
    eager = copy.deepcopy(model)
    optimizer = torch.optim.AdamW(eager.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)
    for number in range(1, 6):
        results = program.run({**state, **batch, "step": float(number)}, backend=Torch(torch.float32))
        state.update({a.path: results[a.path] for a in step.graph.arguments if a.role in ("parameter", "optimizer_state")})
        optimizer.zero_grad()
        loss = eager(**batch).loss
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(eager.parameters(), 0.5)
        optimizer.step()
        torch.testing.assert_close(results["loss"], loss.detach(), rtol=2e-5, atol=0)
        torch.testing.assert_close(results["grad_norm"], norm, rtol=1e-4, atol=0)


@pytest.mark.long
def test_a_wrong_graph_is_noticed():
    """The oracle can fail: each of these mutants must."""
    def mutate_scale(op):
        op.attrs["scale"] *= 1.001

    def drop_causal(op):
        op.attrs["causal"] = False

    def swap(op):
        op.operands[0], op.operands[1] = op.operands[1], op.operands[0]

    mutants = {"prec_train.attention": mutate_scale, "prec_train.attention_grad": drop_causal, "arith.subf": swap, "arith.divf": swap}
    for name, mutate in mutants.items():
        model, batch = MODELS["llama"]()
        step = imported(model, batch)
        mutate(next(op for op in step.graph.ops if op.name == name))
        _, gradients = loss_and_gradients(step.graph, {**weights(model), **batch})
        _, expected = reference(model, batch)
        assert any((gradients[p] - g).abs().max() > 1e-8 * g.abs().max() for p, g in expected.items()), name


def test_recomputation_is_marked():
    """Checkpointed activations are computed twice; the second time has a phase of its own, so that nothing merges
    them."""
    model, batch = MODELS["llama-checkpointed"]()
    ops = imported(model, batch).graph.ops
    attention = [op.phase for op in ops if op.name == "prec_train.attention"]
    assert attention == ["forward"] * 2 + ["recompute"] * 2
    first, again = ([op for op in ops if op.phase == phase and op.name == "prec_train.matmul"] for phase in ("forward", "recompute"))
    assert {op.path for op in again} < {op.path for op in first}


def test_recomputed_composites_stay_whole():
    class Normed(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = torch.nn.RMSNorm(8, eps=1e-5)

        def forward(self, x):
            def block(x):
                return torch.tanh(self.norm(x))
            return torch.utils.checkpoint.checkpoint(block, x * self.norm.weight, use_reentrant=False).sum()

    model, batch = Normed(), {"x": torch.randn(4, 8)}
    ops = imported(model, batch).graph.ops
    assert [op.phase for op in ops if op.name == "prec_train.rms_norm"] == ["forward", "recompute"]
