# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps that are right and hard to compare are verified: options that are tensors, divisions of zero by zero,
recomputed dropout, tensors from outside of the model, gradients that are zero, TorchScript, recurrent layers. And what
is wrong in them is still found."""
import pytest
import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

import prec
from prec import ImportFailure
from prec.torch import registry

IDS = torch.randint(0, 32, (3, 6), generator=torch.Generator().manual_seed(0))


class Net(torch.nn.Module):
    def __init__(self, hidden=lambda m, x: x, **modules):
        super().__init__()
        torch.manual_seed(0)
        self.table, self.layer, self.head = torch.nn.Embedding(32, 8), torch.nn.Linear(8, 8), torch.nn.Linear(8, 32)
        for name, module in modules.items():
            self.add_module(name, module)
        self.hidden = hidden

    def logits(self, ids):
        x = self.table(ids)
        return self.head(self.hidden(self, x + torch.tanh(self.layer(x))))

    def forward(self, ids):
        return F.cross_entropy(self.logits(ids).flatten(0, 1), ids.flatten())


class Logits(Net):
    def forward(self, ids):
        return self.logits(ids)


def adamw(model, **options):
    return torch.optim.AdamW(model.parameters(), **{"lr": 1e-2, "weight_decay": 0.1, **options})


def imported(model, optimizer=None, **options):
    return prec.import_torch(model, adamw(model) if optimizer is None else optimizer, {"ids": IDS}, **options)


TENSOR = torch.tensor


@pytest.mark.parametrize("options", [
    {"lr": TENSOR(1e-2)}, {"lr": TENSOR(1e-2), "betas": (TENSOR(0.9), TENSOR(0.95)), "foreach": False}, {"lr": TENSOR(1e-2), "capturable": True},
    {"capturable": True, "foreach": True}, {"lr": TENSOR(1e-2), "fused": True}, {"eps": 0.0}, {"eps": 0.0, "foreach": True}, {"eps": 1e-50}], ids=str)
def test_options_of_an_optimizer(options):
    model = Net()
    optimizer = adamw(model, **options)
    before = [dict(group) for group in optimizer.param_groups]
    graph = imported(model, optimizer).graph
    assert graph.verified == "verified"
    assert [{key: id(value) for key, value in group.items()} for group in optimizer.param_groups] == [
        {key: id(value) for key, value in group.items()} for group in before]
    rate = next(a for a in graph.arguments if a.path == "lr").attrs["default"]
    assert rate == float(options.get("lr", 1e-2)), "the rate is what PyTorch makes of it"


def test_where_both_are_no_numbers_all_else_is_compared(monkeypatch):
    own = registry.find("aten.tanh_backward.default")
    monkeypatch.setitem(registry._TABLE, "aten.tanh_backward.default", lambda b, node, *a: b.mul(own(b, node, *a), 1.001))
    # The gradient of a root at zero is no number, there and here.
    model = Net(lambda m, x: x + 0 * (x[:1, :1] * 0).sqrt())
    with pytest.raises(ImportFailure, match="the gradient of .* differs by"):
        imported(model)


@pytest.mark.parametrize("make", [lambda x: x + 0 * (x[:1, :1] * 0).sqrt(), lambda x: torch.where(x > 0, x.sqrt(), 0.0)])
def test_gradients_that_are_no_numbers(make):
    assert imported(Net(lambda m, x: make(x))).verified == "verified"


def test_a_loss_that_is_no_number_compares_nothing():
    assert (
        imported(Net(lambda m, x: x / 0)).verified
        == "not verified: PyTorch's own loss is nan for the values that are compared, and nothing follows from it"
    )


@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("through", [lambda m, x, r: checkpoint(lambda y: F.dropout(torch.tanh(y), 0.3), x, use_reentrant=r),
                                     lambda m, x, r: checkpoint(m.block, x, use_reentrant=r),
                                     lambda m, x, r: sum(checkpoint(lambda y, z: (m.block(y), y * z), x, x.detach(), use_reentrant=r))])
def test_dropout_that_is_recomputed(reentrant, through):
    block = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.3))
    graph = imported(Net(lambda m, x: through(m, x, reentrant), block=block)).graph
    assert graph.verified == "verified"
    assert len({op.attrs["stream"] for op in graph.ops if op.name == "prec_train.dropout"}) == 1


def test_a_checkpoint_of_the_older_kind_trains_nothing_where_no_argument_has_a_gradient():
    class Outside(Net):
        def logits(self, ids):
            return self.head(checkpoint(self.table, ids, use_reentrant=True))
    with pytest.warns(UserWarning, match="no argument requires a gradient"):
        graph = imported(Outside()).graph
    assert graph.verified == "verified"
    assert [a.path for a in graph.arguments if a.role == "frozen_parameter"] == ["table.weight", "layer.weight", "layer.bias"]


class Twice(Net):
    def forward(self, ids):
        loss = super().forward(ids)
        with torch.no_grad():
            self.other = super().forward(ids)
        return loss + 0.1 * self.other


@pytest.mark.parametrize("hidden", [lambda m, x: x, lambda m, x: F.dropout(x, 0.2)])
def test_a_second_loss_without_gradients(hidden):
    model = Twice(hidden)
    assert imported(model).verified == "verified" and not hasattr(model, "other")


WIDTHS = {t: torch.rand(32, 4, generator=torch.Generator().manual_seed(1)).to(t) for t in (torch.float32, torch.bfloat16, torch.float64)}


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize("loss", [lambda y, w: (y @ w.to(y.dtype)).square().mean(), lambda y, w: (y * w[:, 0]).square().mean(),
                                  lambda y, w: F.linear(y, w.T.to(y.dtype)).tanh().mean()])
def test_a_loss_that_reads_tensors_from_outside(dtype, loss):
    assert imported(Logits(), loss=lambda y: loss(y, WIDTHS[dtype])).verified == "verified"


@pytest.mark.parametrize("wrong", [False, True])
@pytest.mark.parametrize("same", [False, True])
def test_a_teacher_from_outside(monkeypatch, same, wrong):
    """At first a copy of the model, whose distance has no gradient there."""
    teacher = Logits().requires_grad_(False)
    if not same:
        teacher.head.weight.mul_(2)

    class Student(Logits):
        def forward(self, ids):
            right = held[0].logits(ids).log_softmax(-1)
            return (right.exp() * (right - self.logits(ids).log_softmax(-1))).sum(-1).mean()
    held = [teacher]
    if wrong:
        own = registry.find("aten.tanh_backward.default")
        monkeypatch.setitem(registry._TABLE, "aten.tanh_backward.default", lambda b, node, *a: b.mul(own(b, node, *a), 1.001))
        with pytest.raises(ImportFailure, match="the gradient of .* differs by"):
            imported(Student())
    else:
        model = Student()
        before = {name: p.clone() for name, p in model.named_parameters()}
        assert imported(model).verified == "verified"
        assert all(torch.equal(p, before[name]) and p.grad is None for name, p in model.named_parameters())


@torch.jit.script
def scripted(x):
    return x * 0.5 * (1.0 + torch.tanh(0.79788456 * x * (1 + 0.044715 * x * x)))


def test_a_function_of_torchscript():
    for _ in range(3):
        assert imported(Net(lambda m, x: scripted(x))).verified == "verified"
        # Its own runs make it another one.
        scripted(torch.randn(4, requires_grad=True)).sum().backward()


@pytest.mark.parametrize("make", [lambda m: torch.jit.script(m), lambda m: torch.jit.trace(m, torch.randn(3, 6, 8))])
def test_modules_of_torchscript(make):
    block = make(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh()))
    with pytest.raises(ImportFailure, match="every module must be Python code but block is a Sequential of TorchScript: build it from its class"):
        imported(Net(lambda m, x: m.block(x), block=block))
    with pytest.raises(ImportFailure, match="every module must be Python code but the model is a Sequential of TorchScript"):
        imported(block)


@pytest.mark.parametrize("layer", [
    torch.nn.LSTM(8, 8, batch_first=True), torch.nn.GRU(8, 8, batch_first=True), torch.nn.RNN(8, 8, nonlinearity="relu", bias=False),
    torch.nn.LSTM(8, 8, proj_size=8 // 2, num_layers=2, bidirectional=True), torch.nn.GRU(8, 4, bidirectional=True)], ids=str)
def test_recurrent_layers(layer):
    held = dict(vars(layer))
    assert imported(Net(lambda m, x: m.layers(x)[0], layers=layer)).verified == "verified"
    assert vars(layer).keys() == held.keys() and all(a is b for a, b in zip(layer._flat_weights, layer.parameters()))


def test_recurrent_layers_with_dropout_of_their_own():
    layer = torch.nn.LSTM(8, 8, num_layers=2, dropout=0.1)
    with pytest.warns(UserWarning, match=r"draws random numbers in layers \(test_no_false_alarm.py:.*and an evaluation draws, too"):
        assert imported(Net(lambda m, x: m.layers(x)[0], layers=layer)).verified == "verified"


def test_weights_beyond_float32(tmp_path):
    model = Net().double()
    model.layer.bias.data[2] = -1e300
    step = imported(model, verify=False)
    with pytest.raises(ImportFailure, match=r"written as float32, which ends at 3.4e\+38, but layer.bias holds -1e\+300"):
        step.write_weights(tmp_path / "weights")
    assert not list(tmp_path.iterdir())


def test_states_beyond_float32(tmp_path):
    model = Net().double()
    optimizer = adamw(model)
    model(IDS).backward()
    optimizer.step()
    optimizer.state[model.layer.bias]["exp_avg_sq"][1] = 1e200
    with pytest.raises(ImportFailure, match=r"but layer.bias.exp_avg_sq holds 1e\+200"):
        imported(model, optimizer, verify=False).write_weights(tmp_path / "weights")


def test_infinities_are_written_as_they_are(tmp_path):
    from safetensors.torch import load_file
    model = Net().double()
    model.layer.bias.data[2] = float("inf")
    imported(model, verify=False).write_weights(tmp_path / "weights")
    assert load_file(tmp_path / "weights")["layer.bias"][2] == float("inf")
