# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers whose update is a formula in the graph, or is written with the graph's own products, against PyTorch, by
execution of the graph; and what is refused of them."""
import copy
import inspect

import numpy as np
import pytest
import torch
from optimizers import FORMULAS, MUONS, Several, Wide, muon

import prec
from prec.interpreter import Numpy, Program, Torch
from prec.torch.update_rules import RULES

STEPS = 20
CASES = {**FORMULAS, **MUONS}


class Net(torch.nn.Module):
    """A matrix of either shape, a vector and a scalar."""

    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(8, 16), torch.nn.Linear(16, 4, bias=False)
        self.scale = torch.nn.Parameter(torch.tensor(0.7))

    def forward(self, x, y):
        return (self.b(torch.tanh(self.a(x))) * self.scale - y).square().mean()


def batches():
    generator = torch.Generator().manual_seed(0)
    while True:
        yield {"x": torch.randn(5, 8, generator=generator), "y": torch.randn(5, 4, generator=generator)}


def state_of(net):
    return {name: p.detach().clone() for name, p in net.named_parameters()}


def follow(net, optimizer, imported, start, steps, precision=torch.float32):
    """Steps of PyTorch and of the graph, which must stay together."""
    program, state, several = Program.of_graph(imported.graph), start, Several(optimizer)
    names = {r.path for r in imported.graph.results if r.role == "updated"}
    for step, batch in zip(steps, batches()):
        results = program.run({**state, **batch, "step": float(step)}, backend=Torch(precision))
        state |= {name: value for name, value in results.items() if name in names}
        loss = net(**batch)
        loss.backward()
        with Wide():
            several.step()
        several.zero_grad()
        assert abs(results["loss"].item() - loss.item()) <= 2e-5 * abs(loss.item()), step
    for name, p in net.named_parameters():
        assert (state[name] - p.detach()).norm() <= 2e-5 * p.detach().norm(), name
    return state


@pytest.mark.parametrize("kind", CASES)
def test_steps_are_pytorchs(kind):
    torch.manual_seed(0)
    net = Net()
    optimizer = CASES[kind](net.parameters())
    imported = prec.import_torch(net, optimizer, next(batches()))
    assert imported.verified == "verified"
    follow(net, optimizer, imported, state_of(net), range(1, STEPS + 1))


@pytest.mark.parametrize("kind", CASES)
def test_what_an_optimizer_has_is_taken_along(kind, tmp_path):
    """Five steps of PyTorch, then both go on."""
    from safetensors.torch import load_file
    torch.manual_seed(0)
    net = Net()
    optimizer = CASES[kind](net.parameters())
    several = Several(optimizer)
    for _, batch in zip(range(5), batches()):
        net(**batch).backward()
        several.step()
        several.zero_grad()
    imported = prec.import_torch(net, optimizer, next(batches()))
    assert imported.verified == "verified"
    imported.write_weights(tmp_path / "weights.safetensors")
    first = next(a.attrs["default"] for a in imported.graph.arguments if a.path == "step")
    # SGD counts no steps.
    assert first == (2 if kind.startswith("sgd") else 6)
    start = load_file(tmp_path / "weights.safetensors")
    assert set(start) == {a.path for a in imported.graph.arguments if a.role in ("parameter", "optimizer_state")}
    follow(net, optimizer, imported, start, range(int(first), int(first) + 6))


@pytest.mark.parametrize("kind", CASES)
def test_both_backends_and_the_text_say_the_same(kind, prec_opt):
    torch.manual_seed(0)
    net = Net()
    imported = prec.import_torch(net, CASES[kind](net.parameters()), next(batches()), verify=False)
    inputs = {**state_of(net), **next(batches()), "step": 3.0}
    # No mean is larger than the root of its mean square.
    inputs |= {a.path: torch.rand(a.value.shape) / 2 + (0 if a.path.endswith("grad_avg") else 0.5)
               for a in imported.graph.arguments if a.role == "optimizer_state"}
    expected = Program.of_graph(imported.graph, round_literals=True).run(inputs, backend=Torch())
    text = Program.of_text(imported.mlir, prec_opt=prec_opt)
    for got in (text.run(inputs, backend=Torch()), text.run(inputs, backend=Numpy(np.float64))):
        assert got.names == expected.names
        for name, value in got.items():
            torch.testing.assert_close(torch.as_tensor(value), expected[name], rtol=1e-9, atol=1e-12)


def test_accumulators_that_start_elsewhere_are_states_from_the_first_step():
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.Adagrad(net.parameters(), initial_accumulator_value=0.5)
    imported = prec.import_torch(net, optimizer, next(batches()))
    start = state_of(net) | {f"{name}.sum": torch.full(p.shape, 0.5) for name, p in net.named_parameters()}
    assert imported._states.keys() == start.keys() - dict(net.named_parameters()).keys()
    follow(net, optimizer, imported, start, range(1, 6))
    # Zeros are what states are without being told.
    net = Net()
    assert not prec.import_torch(net, torch.optim.Adagrad(net.parameters()), next(batches()))._states


def test_a_parameter_without_gradient_has_no_accumulator():
    net = Net()
    net.unused = torch.nn.Parameter(torch.ones(3))
    imported = prec.import_torch(net, torch.optim.Adagrad(net.parameters(), initial_accumulator_value=0.5), next(batches()))
    assert "unused.sum" not in imported._states and "b.weight.sum" in imported._states


def test_groups_choose_their_formulas():
    torch.manual_seed(0)
    net = Net()
    groups = [{"params": [net.a.weight, net.a.bias], "weight_decay": 0.1, "maximize": True},
              {"params": [net.b.weight], "amsgrad": True, "lr": 2e-3}, {"params": [net.scale]}]
    optimizer = torch.optim.Adam(groups, lr=1e-3)
    imported = prec.import_torch(net, optimizer, next(batches()))
    path = {a.value: a.path for a in imported.graph.arguments}
    ops = {path[op.operands[0]]: op for op in imported.graph.ops if op.operands and path.get(op.operands[0]) in dict(net.named_parameters())
           and op.phase == "optimizer"}
    assert {name: op.name for name, op in ops.items()} == {"a.weight": "prec_train.update", "a.bias": "prec_train.update",
                                                            "b.weight": "prec_train.update", "scale": "prec_train.adamw"}
    assert ops["a.weight"].body is ops["a.bias"].body
    # The last group's decay is coupled, which its operation cannot do: it is no input.
    hyper = {a.path for a in imported.graph.arguments if a.role == "hyper"}
    assert {"weight_decay.0", "weight_decay.1"} <= hyper and "weight_decay.2" not in hyper
    follow(net, optimizer, imported, state_of(net), range(1, 6))


def test_every_option_of_pytorch_is_understood():
    """One that a later version adds shows here."""
    how = {"self", "params", "lr", "foreach", "fused", "capturable", "maximize", "differentiable"}
    for kind, rule in RULES.items():
        assert set(inspect.signature(kind.__init__).parameters) - how <= rule.options, kind


def test_an_unknown_option_is_refused(monkeypatch):
    class Later(torch.optim.RMSprop):
        def __init__(self, params, lr=1e-2, cautious=False):
            super().__init__(params, lr)
            for group in self.param_groups:
                group["cautious"] = cautious

    monkeypatch.setitem(RULES, Later, RULES[torch.optim.RMSprop])
    net = Net()
    prec.import_torch(net, Later(net.parameters()), next(batches()), verify=False)
    with pytest.raises(prec.ImportFailure, match=r"options of Later must be of alpha, .* but got cautious=True in parameter group 0"):
        prec.import_torch(net, Later(net.parameters(), cautious=True), next(batches()))


@pytest.mark.parametrize("options,message", [
    (dict(ns_steps=0), "ns_steps of Muon must be at least 1 but got 0"),
    (dict(adjust_lr_fn="spectral"), "adjust_lr_fn of Muon must be original or match_rms_adamw but got 'spectral'"),
])
def test_muons_options(options, message):
    net = Net()
    optimizers = muon()(net.parameters())
    # PyTorch checks them where it is made.
    optimizers[0].param_groups[0].update(options)
    with pytest.raises(prec.ImportFailure, match=message):
        prec.import_torch(net, optimizers, next(batches()))


class Hooked(torch.optim.AdamW):
    def step(self, closure=None):
        return super().step(closure)


@pytest.mark.parametrize("make,message", [
    (lambda net: [], "must have an optimizer but got an empty list"),
    (lambda net: [torch.optim.SGD(net.a.parameters(), lr=0.1), 3], "must be of torch.optim.Optimizer but got int"),
    (lambda net: [torch.optim.SGD(net.parameters(), lr=0.1), torch.optim.AdamW([net.scale])],
     r"must be in one optimizer but one of shape \[\] is in two"),
    (lambda net: [torch.optim.SGD(net.a.parameters(), lr=0.1), Hooked([net.b.weight, net.scale])],
     "must be PyTorch's own and have no hooks but got Hooked in parameter group 1"),
    (lambda net: [torch.optim.SGD(net.a.parameters(), lr=0.1)] * 1 + [torch.optim.AdamW([net.b.weight])],
     "must be in the optimizer but got none for scale"),
])
def test_several_optimizers(make, message):
    net = Net()
    with pytest.raises(prec.ImportFailure, match=message):
        prec.import_torch(net, make(net), next(batches()))


def test_several_optimizers_are_left_as_they_were():
    torch.manual_seed(0)
    net = Net()
    optimizers = muon(lr=0.02)(net.parameters())
    for optimizer in optimizers:
        optimizer.zero_grad()
    net(**next(batches())).backward()
    Several(optimizers).step()
    before = [copy.deepcopy(optimizer.state_dict()) for optimizer in optimizers]
    held = [(optimizer.state, [group["params"] for group in optimizer.param_groups]) for optimizer in optimizers]
    prec.import_torch(net, optimizers, next(batches()))
    for optimizer, then, (state, params) in zip(optimizers, before, held):
        assert optimizer.state is state and all(group["params"] is p for group, p in zip(optimizer.param_groups, params))
        torch.testing.assert_close(optimizer.state_dict(), then, rtol=0, atol=0)


def test_one_optimizer_in_a_list_is_that_one():
    net = Net()
    alone, listed = (prec.import_torch(net, make(torch.optim.AdamW(net.parameters())), next(batches()), verify=False)
                     for make in (lambda o: o, lambda o: [o]))
    assert alone.mlir == listed.mlir


def test_an_averaged_model_is_refused():
    net = Net()
    average = torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.99))
    with pytest.raises(prec.ImportFailure, match="must be the one that trains but got an AveragedModel of it: import that one"):
        prec.import_torch(average, torch.optim.AdamW(net.parameters()), next(batches()))
