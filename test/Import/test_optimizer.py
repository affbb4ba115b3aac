# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AdamW and clipping as the graph states them against torch.optim.AdamW and clip_grad_norm_, by execution."""
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from models import hf_llama
from optimizers import OPTIMIZERS

import prec
from prec.interpreter import Program, Torch
from prec.interpreter.graph import operation
from prec.ir import Op, Value

ROOT = Path(__file__).resolve().parents[2]


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(8, 16)
        self.b = torch.nn.Linear(16, 4, bias=False)
        self.unused = torch.nn.Parameter(torch.ones(3))

    def forward(self, x, y):
        return (self.b(torch.tanh(self.a(x))) - y).square().mean()


def batch():
    return {"x": torch.randn(5, 8), "y": torch.randn(5, 4)}


def ulps(got, expected, scale):
    ulp = np.spacing(scale.abs().numpy().astype(np.float32))
    return float(np.max(np.abs(got.numpy().astype(np.float64) - expected.numpy().astype(np.float64)) / ulp))


@pytest.mark.parametrize("options", [dict(lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1), dict(lr=0.3, betas=(0.5, 0.999), eps=1e-3),
                                     dict(lr=1e-4, weight_decay=0.0)])
@pytest.mark.parametrize("how", ["fused", "foreach", "plain"])
def test_adamw_is_pytorchs_within_four_ulp(options, how):
    torch.manual_seed(0)
    p = torch.nn.Parameter(torch.randn(1000))
    optimizer = torch.optim.AdamW([p], fused=how == "fused", foreach=how == "foreach", **options)
    group = optimizer.param_groups[0]
    hyper = [group["lr"], *group["betas"], group["eps"], group["weight_decay"]]
    m, v = torch.zeros(1000), torch.zeros(1000)
    op = Op("prec_train.adamw", [Value((1000,), "f32")] * 4, [((1000,), "f32")] * 3)
    for step in range(1, 51):
        before = p.detach().clone()
        p.grad = torch.randn(1000) * 10.0 ** float(torch.randint(-6, 3, ()))
        scalars = [torch.tensor(x, dtype=torch.float64) for x in (*hyper, step)]
        ours, m, v = Torch(torch.float32).apply(operation(op), before, p.grad, m, v, *scalars, torch.tensor(1.0))
        optimizer.step()
        after = p.detach()
        scale = torch.maximum(before.abs(), (after - before).abs())
        assert ulps(ours, after, scale) <= 4
        state = optimizer.state[p]
        # Moments differ by the order of two roundings; carry PyTorch's on, so that each step compares one update.
        assert ulps(m, state["exp_avg"], torch.maximum(state["exp_avg"].abs(), p.grad.abs())) <= 4
        m, v = state["exp_avg"].clone(), state["exp_avg_sq"].clone()


@pytest.mark.parametrize("max_norm", [0.01, 1e3])
def test_clip_is_clip_grad_norm(max_norm):
    torch.manual_seed(0)
    net, data = Net(), batch()
    optimizer = torch.optim.AdamW(net.parameters())
    graph = prec.import_torch(net, optimizer, data, clip_grad_norm=max_norm, verify=False).graph
    program, norm_value = Program.of_graph(graph), next(r.value for r in graph.results if r.path == "grad_norm")
    scale_value, gradients = next(op.operands[-1] for op in graph.ops if op.name == "prec_train.adamw"), program.gradients()
    values = program.run({**{n: p.detach() for n, p in net.named_parameters()}, **data},
                         wanted=[norm_value, scale_value, *gradients.values()], backend=Torch(torch.float32))
    net(**data).backward()
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm)
    torch.testing.assert_close(values[norm_value], norm, rtol=1e-6, atol=0)
    for path, g in gradients.items():
        torch.testing.assert_close(values[g] * values[scale_value], net.get_parameter(path).grad, rtol=1e-5, atol=1e-9)


def test_groups_have_their_own_hyperparameters():
    torch.manual_seed(0)
    net, data = Net(), batch()
    groups = [{"params": [net.a.weight, net.b.weight], "weight_decay": 0.1}, {"params": [net.a.bias, net.unused], "weight_decay": 0.0, "lr": 0.5}]
    optimizer = torch.optim.AdamW(groups, lr=1e-2)
    graph = prec.import_torch(net, optimizer, data, verify=False).graph
    hyper = {a.path: a.attrs["default"] for a in graph.arguments if a.role == "hyper"}
    assert hyper == {"lr.0": 1e-2, "lr.1": 0.5, "beta1.0": 0.9, "beta1.1": 0.9, "beta2.0": 0.999, "beta2.1": 0.999, "eps.0": 1e-8,
                     "eps.1": 1e-8, "weight_decay.0": 0.1, "weight_decay.1": 0.0, "step": 1.0}
    results = Program.of_graph(graph).run({**{n: p.detach() for n, p in net.named_parameters()}, **data}, backend=Torch())
    net.double()(**{k: t.double() for k, t in data.items()}).backward()
    optimizer.step()
    for name in ("a.weight", "a.bias", "b.weight"):
        torch.testing.assert_close(results[name], net.get_parameter(name).detach(), rtol=1e-9, atol=1e-12)


def test_without_clipping_the_scale_is_one_and_there_is_no_norm():
    net = Net()
    graph = prec.import_torch(net, torch.optim.AdamW(net.parameters()), batch(), verify=False).graph
    assert not any(op.name in ("prec_train.clip", "prec_train.global_norm") for op in graph.ops)
    assert [r.path for r in graph.results if r.role != "updated"] == ["loss"]
    scale = next(op for op in graph.ops if op.name == "prec_train.adamw").operands[-1].op
    assert (scale.name, scale.attrs["value"], scale.result.shape) == ("arith.constant", 1.0, ())


def test_a_parameter_without_gradient_is_frozen():
    net = Net()
    net.b.weight.requires_grad_(False)
    graph = prec.import_torch(net, torch.optim.AdamW(net.parameters()), batch(), verify=False).graph
    roles = {a.path: a.role for a in graph.arguments}
    assert roles["b.weight"] == roles["unused"] == "frozen_parameter" and roles["a.weight"] == "parameter"
    assert "b.weight.exp_avg" not in roles


def test_every_state_is_donated_to_itself():
    model, data = hf_llama()
    graph = prec.import_torch(model, torch.optim.AdamW(model.parameters()), data, clip_grad_norm=1.0, verify=False).graph
    for r in graph.results:
        if r.role == "updated":
            a = r.donor
            assert (a.path, a.value.type) == (r.path, r.value.type) and a.role in ("parameter", "optimizer_state")
    places = {id(a): i for i, a in enumerate(graph.arguments)}
    donated = [places[id(r.donor)] for r in graph.results if r.role == "updated"]
    assert sorted(donated) == [i for i, a in enumerate(graph.arguments) if a.role in ("parameter", "optimizer_state")]


def test_the_step_goes_on_where_the_optimizer_is():
    net, data = Net(), batch()
    optimizer = torch.optim.AdamW(net.parameters())
    for _ in range(3):
        net(**data).backward()
        optimizer.step()
    graph = prec.import_torch(net, optimizer, data, verify=False).graph
    assert next(a.attrs["default"] for a in graph.arguments if a.path == "step") == 4.0


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_other_optimizers_are_the_originals(kind):
    """In f64 a wrong formula is far off. Hyperparameters as the user gave them."""
    torch.manual_seed(0)
    net, data = Net().double(), {name: t.double() for name, t in batch().items()}
    optimizer = OPTIMIZERS[kind](net.parameters())
    graph = prec.import_torch(net, optimizer, data, clip_grad_norm=0.1, verify=False).graph
    program, states = Program.of_graph(graph), {}
    # Adafactor takes the epsilon of the parameter's own type; a step module's is f32.
    for group in optimizer.param_groups:
        if isinstance(optimizer, torch.optim.Adafactor) and group["eps"][0] is None:
            group["eps"] = (torch.finfo(torch.float32).eps, group["eps"][1])
    for step in range(1, 5):
        before = {name: p.detach().clone() for name, p in net.named_parameters()}
        results = program.run({**before, **data, **states, "step": step}, backend=Torch())
        states = {r.path: results[r.path] for r in graph.results if r.role == "updated" and r.path not in before}
        net(**data).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)
        optimizer.step()
        optimizer.zero_grad()
        for name in ("a.weight", "a.bias", "b.weight"):
            torch.testing.assert_close(results[name], net.get_parameter(name).detach(), rtol=1e-9, atol=1e-12)


def test_states_of_other_optimizers():
    net = Net()

    def slots(kind):
        graph = prec.import_torch(net, OPTIMIZERS[kind](net.parameters()), batch(), verify=False).graph
        return {a.path: a.value.shape for a in graph.arguments if a.role == "optimizer_state"}
    assert slots("sgd") == {}
    assert slots("sgd, momentum") == {"a.weight.momentum_buffer": (16, 8), "a.bias.momentum_buffer": (16,), "b.weight.momentum_buffer": (4, 16)}
    assert slots("lion") == {"a.weight.exp_avg": (16, 8), "a.bias.exp_avg": (16,), "b.weight.exp_avg": (4, 16)}
    assert slots("adafactor") == {"a.weight.row_var": (16, 1), "a.weight.col_var": (1, 8), "a.bias.variance": (16,),
                                  "b.weight.row_var": (4, 1), "b.weight.col_var": (1, 16)}


def test_groups_may_differ_in_their_rule():
    net = Net()
    groups = [{"params": [net.a.weight, net.unused], "momentum": 0.9}, {"params": [net.a.bias, net.b.weight]}]
    graph = prec.import_torch(net, torch.optim.SGD(groups, lr=0.1), batch(), verify=False).graph
    path = {a.value: a.path for a in graph.arguments}
    assert {path[op.operands[0]]: op.name for op in graph.ops if op.name.startswith("prec_train.sgd")} == {
        "a.weight": "prec_train.sgd_momentum", "a.bias": "prec_train.sgd", "b.weight": "prec_train.sgd"}
    assert {a.path for a in graph.arguments if a.role == "hyper"} == {"lr.0", "lr.1", "momentum.0", "dampening.0", "weight_decay.0",
                                                                      "weight_decay.1", "step"}


def test_lion_is_known_without_importing_it():
    """Only whoever has one has the package."""
    code = ("import sys; sys.modules['lion_pytorch'] = None; import torch, prec; from prec.torch import optimizer as o\n"
            "class Lion(torch.optim.SparseAdam): pass\n"
            "m = torch.nn.Linear(4, 4)\n"
            "try: o.read(Lion(m.parameters()), dict(m.named_parameters()), [])\n"
            "except prec.ImportFailure as error: print(error)\n"
            "print('lion_pytorch' in sys.modules and sys.modules['lion_pytorch'])")
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(
        ROOT / "python")}).stdout.splitlines()
    assert said[0].startswith("the optimizer must be one of torch.optim (AdamW, Adam, SGD, Adafactor, NAdam, ")
    assert said[0].endswith(") or lion_pytorch.Lion, or extend one of them, but got __main__.Lion") and said[1:] == ["None"]
