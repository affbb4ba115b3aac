# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An operation that a trace has met before is noted again by what it was, and not by PyTorch's way: the graph is the
same, and layers that differ in anything are never taken for each other. Oracle: the trace without that."""
import contextlib
import copy

import pytest
import torch
import torch.nn.functional as F
from models import MODELS, hf_llama
from torch.fx.experimental.proxy_tensor import ProxyTorchDispatchMode, make_fx

import prec
from prec.torch import trace
from prec.torch.repeated import Repeating, repeating


def text_of(model, batch, **options):
    torch.manual_seed(0)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    return prec.import_torch(model, optimizer, batch, verify=False, **options).mlir


def check(monkeypatch, model, batch, **options):
    """The graph's text, which must be that of a trace that repeats nothing."""
    found = text_of(model, batch, **options)
    with monkeypatch.context() as patch:
        patch.setattr(trace, "repeating", contextlib.nullcontext)
        assert found == text_of(model, batch, **options)
    return found


@pytest.mark.cases(8)
@pytest.mark.parametrize("name", MODELS)
def test_graphs_of_models_are_the_same(name, monkeypatch):
    check(monkeypatch, *MODELS[name]())


class Layer(torch.nn.Module):
    def __init__(self, dropout=0.0):
        super().__init__()
        self.lin, self.norm, self.drop = torch.nn.Linear(8, 8), torch.nn.LayerNorm(8), torch.nn.Dropout(dropout)
        self.scale, self.power = 2.0, 1

    def forward(self, x):
        y = self.drop(torch.tanh(self.norm(self.lin(x)))) * self.scale
        return x + (y if self.power == 1 else y ** self.power)


class Stack(torch.nn.Module):
    def __init__(self, layers=4, **options):
        super().__init__()
        self.layers = torch.nn.ModuleList(Layer(**options) for _ in range(layers))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x.square().mean()


def scale(layer):
    layer.scale = 3.0


def power(layer):
    layer.power = 2


def one_or_true(layer):
    layer.scale = True


def hook(layer):
    layer.register_forward_hook(lambda module, args, result: result * 5)


def gradient_hook(layer):
    layer.lin.weight.register_hook(lambda g: g * 5)


def parametrization(layer):
    torch.nn.utils.parametrizations.weight_norm(layer.lin)


def dropout(layer):
    layer.drop.p = 0.5


def evaluation(layer):
    layer.drop.eval()


def frozen(layer):
    layer.lin.weight.requires_grad_(False)


def forward_of_its_own(layer):
    layer.forward = lambda x: x + torch.sin(layer.lin(x))


def eps(layer):
    layer.norm.eps = 1e-3


def no_bias(layer):
    layer.lin.bias = None


def minus_zero(layer):
    layer.scale = -0.0


def tied(layer):
    layer.lin.bias = layer.norm.bias


@pytest.mark.parametrize("change", [scale, power, one_or_true, hook, gradient_hook, parametrization, dropout, evaluation, frozen,
                                    forward_of_its_own, eps, no_bias, minus_zero, tied], ids=lambda f: f.__name__)
def test_a_layer_that_differs_is_another(change, monkeypatch):
    torch.manual_seed(0)
    model = Stack(dropout=0.25)
    plain = check(monkeypatch, model, (torch.zeros(4, 8),))
    other = copy.deepcopy(model)
    change(other.layers[2])
    assert check(monkeypatch, other, (torch.zeros(4, 8),)) != plain


class Own(torch.nn.Module):
    """Whatever `function` makes of an input and a weight, several times."""

    def __init__(self, function):
        super().__init__()
        self.weight, self.function = torch.nn.Parameter(torch.ones(4, 6)), function
        self.register_buffer("seen", torch.zeros(4, 6))

    def forward(self, x):
        for _ in range(3):
            x = self.function(self, x)
        return (x * self.weight).float().sum()


def in_place(self, x):
    y = x * self.weight
    y[1].mul_(2)
    y.add_(1).t()[2] += 3
    return y.view(4, 6)


def through_a_view(self, x):
    y = x * self.weight
    part = y[:, 1:3]
    z = part * 2
    y.zero_()
    return x + F.pad(part + z, (1, 3))


def a_buffer(self, x):
    self.seen.add_(x.detach())
    return x * self.seen.clone() + self.weight


def twice_the_same(self, x):
    return x * x + x * self.weight + self.weight * self.weight


def as_it_is(self, x):
    return x.to(torch.float32).contiguous().expand(4, 6) * self.weight


def numbers(self, x):
    return x * 1 + x * 1.0 + x * True + x.sum(1, keepdim=True) * 0.0 - x.sum(0, keepdim=True) * -0.0


def of_the_default(self, x):
    before = torch.get_default_dtype()
    try:
        torch.set_default_dtype(torch.float64)
        return x + torch.ones(4, 6).to(torch.float32) * self.weight
    finally:
        torch.set_default_dtype(before)


def in_autocast(self, x):
    y = torch.addcdiv(x, x, self.weight) + (x @ self.weight.t()).sum()
    with torch.autocast("cpu", torch.bfloat16):
        z = torch.addcdiv(x, x, self.weight) + (x @ self.weight.t()).sum()
    return y + z.float()


def without_gradients(self, x):
    with torch.no_grad():
        y = x * self.weight
    return y + x * self.weight


def several(self, x):
    a, b = x.split(3, 1)
    values, places = torch.sort(a, 1)
    return torch.cat([values * places, b.softmax(1)], 1) * self.weight


def by_a_mask(self, x):
    mask = torch.arange(24).view(4, 6) % 3 == 0
    y = x.clone()
    y[mask] = 1.0
    return y * self.weight


def of_constants(self, x):
    table = torch.tensor([1.0, 2, 3, 4, 5, 6])
    if (table > 5).any():
        x = x * table
    return x + table.flip(0)[torch.arange(6)]


def recomputed(self, x):
    return torch.utils.checkpoint.checkpoint(lambda y: torch.tanh(y * self.weight) * y, x, use_reentrant=False)


def complex_ones(self, x):
    z = torch.view_as_complex(x.reshape(4, 3, 2)) * torch.polar(torch.ones(4, 3), torch.ones(4, 3))
    return torch.view_as_real(z * z.conj()).reshape(4, 6) * self.weight


@pytest.mark.parametrize("function", [in_place, through_a_view, a_buffer, twice_the_same, as_it_is, numbers, of_the_default, in_autocast,
                                      without_gradients, several, by_a_mask, of_constants, recomputed, complex_ones], ids=lambda f: f.__name__)
def test_operations_of_all_kinds(function, monkeypatch):
    check(monkeypatch, Own(function), (torch.zeros(4, 6),))


class Images(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.Sequential(*(torch.nn.Sequential(torch.nn.Conv2d(3, 3, 3, padding=1), torch.nn.BatchNorm2d(3), torch.nn.GELU(),
                                                                torch.nn.MaxPool2d(3, 1, 1)) for _ in range(3)))

    def forward(self, x):
        return self.blocks(x).mean()


class Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = torch.nn.LSTM(6, 6, 2, batch_first=True)

    def forward(self, x):
        return self.cells(x)[0].square().mean()


@pytest.mark.parametrize("model,shape", [(Images, (2, 3, 8, 8)), (Recurrent, (2, 5, 6))])
def test_other_families(model, shape, monkeypatch):
    torch.manual_seed(0)
    check(monkeypatch, model(), (torch.zeros(shape),))


def traced(function, *inputs):
    """The nodes of a function of tensors, and how many operations went PyTorch's way."""
    asked, original = [], ProxyTorchDispatchMode.__torch_dispatch__

    def run(*given):
        with repeating():
            return function(*given)

    def noted(self, func, *rest):
        asked.append(str(func))
        return original(self, func, *rest)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ProxyTorchDispatchMode, "__torch_dispatch__", noted)
        graph = make_fx(run, tracing_mode="fake")(*inputs)
    plain = make_fx(lambda *given: function(*given), tracing_mode="fake")(*inputs)
    assert graph.code == plain.code
    for node, other in zip(graph.graph.nodes, plain.graph.nodes, strict=True):
        a, b = ([t for t in torch.utils._pytree.tree_leaves(n.meta.get("val")) if t is not None] for n in (node, other))
        assert [(t.shape, t.dtype, t.stride()) for t in a] == [(t.shape, t.dtype, t.stride()) for t in b]
    return asked


def test_what_is_told_apart():
    x, y = torch.zeros(2, 3), torch.zeros(2, 3)
    assert traced(lambda x, y: [x * y, y * x, x * y], x, y) == ["aten.mul.Tensor"]
    assert len(traced(lambda x, y: [x * x, x * y], x, y)) == 2
    assert len(traced(lambda x, y: [x + 1, x + 1.0, x + True], x, y)) == 3
    assert len(traced(lambda x, y: [x * 0.0, x * -0.0], x, y)) == 2
    assert len(traced(lambda x, y: [x.t() + 1, y.t() + 1, x.view(3, 2) + 1], x, y)) == 4  # Strides are others.
    assert len(traced(lambda x, y: [x.sum(0), y.sum(0), x.sum([0, 1]), x.sum(1)], x, y)) == 3


def test_what_is_never_repeated():
    x = torch.zeros(2, 3)
    assert traced(lambda x: [torch.rand_like(x), torch.rand_like(x)], x).count("aten.rand_like.default") == 2
    asked = traced(lambda x: [x.clone().add_(1), x.clone().add_(1)], x)
    assert asked.count("aten.add_.Tensor") == 2 and asked.count("aten.clone.default") == 1
    asked = traced(lambda x: [x + torch.tensor([1.0, 2, 3]), x + torch.tensor([1.0, 2, 4])], x)
    assert asked.count("aten.lift_fresh_copy.default") + asked.count("aten.lift_fresh.default") == 2


def test_views_share_memory():
    def function(x):
        for _ in range(2):
            y = x.view(6)
            assert y.untyped_storage()._cdata == x.untyped_storage()._cdata
            z = y[2:]
            assert z.storage_offset() == 2 and z.untyped_storage()._cdata == x.untyped_storage()._cdata
            assert (z + 1).untyped_storage()._cdata != x.untyped_storage()._cdata
        return z + 1
    traced(function, torch.zeros(2, 3))


def test_the_mode_is_what_it_was():
    seen = []

    def function(x):
        mode = torch.fx.experimental.proxy_tensor.get_proxy_mode()
        with pytest.raises(ZeroDivisionError), repeating():
            seen.append(type(mode))
            raise ZeroDivisionError
        seen.append(type(mode))
        assert not hasattr(mode, "entries")
        return x + 1
    make_fx(function, tracing_mode="fake")(torch.zeros(2))
    assert seen == [Repeating, ProxyTorchDispatchMode]


def test_layers_ask_pytorch_nothing_new(monkeypatch):
    """What grows with the number of layers is not what PyTorch is asked."""
    def asked(layers):
        count, original = [0], ProxyTorchDispatchMode.__torch_dispatch__

        def counted(self, *rest):
            count[0] += 1
            return original(self, *rest)
        monkeypatch.setattr(ProxyTorchDispatchMode, "__torch_dispatch__", counted)
        text_of(*hf_llama(num_hidden_layers=layers))
        monkeypatch.setattr(ProxyTorchDispatchMode, "__torch_dispatch__", original)
        return count[0]
    few, many = asked(2), asked(10)
    assert few > 50 and many - few < 8 * 6, (few, many)
