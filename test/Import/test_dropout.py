# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout of imported models: where it stands, which random bits forward, backward and recomputation read, and what is
refused."""
import pytest
import torch
import torch.nn.functional as F
from models import hf_gpt2, hf_llama, loss_and_gradients, reference
from torch.utils.checkpoint import checkpoint

import prec
from prec.errors import ImportFailure
from prec.interpreter import Program, Torch
from prec.torch.dropout import Dropout, Streams


class Net(torch.nn.Module):
    def __init__(self, call):
        super().__init__()
        self.a, self.b, self.call = torch.nn.Linear(8, 16), torch.nn.Linear(16, 4), call

    def forward(self, x):
        return self.b(self.call(self.a(x))).square().mean()


def import_net(call, train=True):
    model = Net(call).train(train)
    return prec.import_torch(model, torch.optim.AdamW(model.parameters()), {"x": torch.randn(5, 8)}, verify=False).graph


def dropouts(graph, phase=None):
    return [op for op in graph.ops if op.name == "prec_train.dropout" and phase in (None, op.phase)]


def test_forward_and_backward_read_one_stream():
    graph = import_net(lambda x: F.dropout(torch.tanh(F.dropout(x, 0.25)), 0.5))
    forward, backward = dropouts(graph, "forward"), dropouts(graph, "backward")
    assert [op.attrs["probability"] for op in forward] == [0.25, 0.5]
    assert len({op.attrs["stream"] for op in forward}) == 2
    assert [op.attrs["stream"] for op in backward] == [op.attrs["stream"] for op in reversed(forward)]
    assert len({op.operands[1] for op in forward + backward}) == 1
    assert [(a.path, a.attrs["default"]) for a in graph.arguments if a.role == "hyper"][-1] == ("micro_batch", 0.0)


@pytest.mark.parametrize("call, train", [(lambda x: F.dropout(x, 0.0), True), (lambda x: F.dropout(x, 0.5, training=False), True),
                                         (torch.nn.Dropout(0.5), False)])
def test_what_drops_nothing_is_nothing(call, train):
    graph = import_net(call, train)
    assert not dropouts(graph) and all(a.path != "micro_batch" for a in graph.arguments)


def test_a_recomputation_drops_the_same():
    dropout = torch.nn.Dropout(0.5)
    graph = import_net(lambda x: checkpoint(lambda y: dropout(torch.tanh(y)), x, use_reentrant=False))
    streams = [op.attrs["stream"] for op in dropouts(graph)]
    assert len(set(streams)) == 1 and len(streams) >= 2


def test_hugging_face_dropout_everywhere():
    """Of the embedding, each layer's attention, and both residual branches."""
    model, batch = hf_gpt2(resid_pdrop=0.1, embd_pdrop=0.2, attn_pdrop=0.3)
    with pytest.warns(UserWarning, match="attention with dropout is imported as products and a softmax"):
        graph = prec.import_torch(model, torch.optim.AdamW(model.parameters()), batch, verify=False).graph
    probabilities = sorted(op.attrs["probability"] for op in dropouts(graph, "forward"))
    assert probabilities == [0.1] * 4 + [0.2] + [0.3] * 2
    assert len({op.attrs["stream"] for op in dropouts(graph, "forward")}) == 7


def test_attention_with_dropout_is_sdpas():
    """The graph's attention with nothing dropped, against the composite one's."""
    losses = []
    for probability in (0.0, 0.5):
        model, batch = hf_llama(attention_dropout=probability)
        with pytest.warns(UserWarning) if probability else pytest.MonkeyPatch.context():
            graph = prec.import_torch(model, torch.optim.AdamW(model.parameters()), batch, verify=False).graph
        inputs = {**dict(model.named_parameters()), **batch, **({"micro_batch": -1.0} if probability else {})}
        losses.append(Program.of_graph(graph).run(inputs, backend=Torch())["loss"])
    torch.testing.assert_close(losses[0], losses[1], rtol=1e-9, atol=0)


@pytest.mark.parametrize("call,plain", [
    (lambda x: F.dropout(x, 0.5, inplace=True) * x, lambda x: x * x), (lambda x: torch.dropout_(x * 2, 0.5, True), lambda x: x * 2),
    (lambda x: torch.dropout(x, 0.5, True), lambda x: x), (torch.nn.Dropout(0.25, inplace=True), lambda x: x),
    (lambda x: F.dropout(x, 1.0), lambda x: x * 0), (lambda x: F.dropout(x * 1, 1.0, inplace=True), lambda x: x * 0),
    (lambda x: F.dropout1d(x.view(5, 4, 4), 0.5).flatten(1), lambda x: x), (lambda x: F.dropout1d(x, 0.5), lambda x: x),
    (lambda x: F.dropout2d(x.view(5, 4, 2, 2), 0.5).flatten(1), lambda x: x),
    (lambda x: F.dropout3d(x.view(5, 4, 1, 2, 2), 0.5).flatten(1), lambda x: x),
])
def test_each_form_of_a_call(call, plain):
    """With nothing dropped, against PyTorch's net without the call."""
    model, batch = Net(plain), {"x": torch.randn(5, 8)}
    graph = import_net(call)
    # A call that draws nothing leaves no number of the micro-batch.
    evaluation = {"micro_batch": -1.0} if dropouts(graph, "forward") else {}
    loss, found = loss_and_gradients(graph, {**dict(model.named_parameters()), **batch, **evaluation})
    expected, gradients = reference(model, {"x": batch["x"].double()})
    torch.testing.assert_close(loss, expected, rtol=1e-9, atol=0)
    for path, g in gradients.items():
        torch.testing.assert_close(found[path], g, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("call,shape", [
    (lambda x: F.dropout1d(x.view(5, 4, 4), 0.5).flatten(1), (5, 4, 1)), (lambda x: F.dropout1d(x, 0.5), (5, 1)),
    (lambda x: F.dropout2d(x.view(5, 4, 2, 2), 0.5).flatten(1), (5, 4, 1, 1)),
    (lambda x: F.dropout3d(x.view(5, 4, 2, 2), 0.5).flatten(1), (5, 1, 1, 1)),
    (lambda x: F.dropout3d(x.view(5, 4, 1, 2, 2), 0.5).flatten(1), (5, 4, 1, 1, 1))])
def test_channels_are_dropped_as_a_whole(call, shape):
    """Of a shape where PyTorch draws once, too."""
    assert [op.result.shape for op in dropouts(import_net(call), "forward")] == [shape]
    torch.manual_seed(0)
    y = call(torch.ones(5, 16)).view(5, 4, 4)
    drawn = y if shape[0] * shape[1] == 20 else y.flatten(1)[:, None]
    assert (drawn == drawn[..., :1]).all() and y.unique().numel() == 2


@pytest.mark.parametrize("call,message", [
    (lambda x: F.dropout(x, 1.5), "Net raised ValueError: dropout probability has to be between 0 and 1"),
    (lambda x: F.dropout(x, 0.5, generator=None), "Net raised TypeError: dropout.. got an unexpected keyword argument 'generator'")])
def test_other_randomness_is_refused(call, message):
    with pytest.raises(ImportFailure, match=message):
        import_net(call)


class Reversible(torch.autograd.Function):
    """Computes its part again in the backward. keeps: with the generator as it was."""

    @staticmethod
    def forward(ctx, x, f, keeps):
        ctx.f, ctx.state = f, torch.get_rng_state() if keeps else None
        ctx.save_for_backward(x)
        with torch.no_grad():
            return x + f(x)

    @staticmethod
    def backward(ctx, gradient):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with torch.random.fork_rng([]), torch.enable_grad():
            if ctx.state is not None:
                torch.set_rng_state(ctx.state)
            return torch.autograd.grad(x + ctx.f(x), x, gradient)[0], None, None


def several(around):
    """A dropout that is called three times, beside another number that is drawn."""
    dropout = torch.nn.Dropout(0.5)
    return lambda x: around(lambda y: dropout(y * torch.rand(16)), around(lambda y: torch.sin(dropout(torch.cos(dropout(y)))), x))


@pytest.mark.parametrize("around", [
    lambda f, x: checkpoint(f, x, use_reentrant=False), lambda f, x: checkpoint(f, x, use_reentrant=True),
    lambda f, x: checkpoint(lambda y: checkpoint(f, y, use_reentrant=False) * 2, x, use_reentrant=False), lambda f, x: Reversible.apply(x, f, True)])
@pytest.mark.cases(2)
def test_a_recomputation_of_several_calls_drops_the_same(around):
    model = Net(several(around))
    step = prec.import_torch(model, torch.optim.AdamW(model.parameters()), {"x": torch.randn(5, 8)})
    streams = [op.attrs["stream"] for op in dropouts(step.graph, "forward")]
    assert len(streams) == len(set(streams)) == 3
    assert {op.attrs["stream"] for op in dropouts(step.graph, "backward")} == set(streams)
    assert step.verified == "verified"


def test_an_ambiguous_recomputation_is_refused():
    with pytest.raises(ImportFailure, match="must be drawn once by its module, or as from a state .* but got 2 calls by the model: use torch.utils"):
        import_net(lambda x: Reversible.apply(x, lambda y: F.dropout(torch.tanh(F.dropout(y))), False))


@pytest.mark.parametrize("name, shape", [("alpha_dropout", (5, 16)), ("feature_alpha_dropout", (5, 16, 3))])
def test_alpha_dropout_is_pytorchs(name, shape):
    """Of the elements that PyTorch has dropped, which all become one value."""
    x = torch.randn(shape, dtype=torch.float64)
    torch.manual_seed(0)
    right = getattr(F, name)(x, 0.3, training=True)
    kept = (right != right.flatten().mode().values).double()[..., :1 if len(shape) == 3 else None]
    assert 0 < kept.mean() < 1
    table = Dropout(Streams(), lambda ones, p, stream: ones * kept / (1 - p)).table
    torch.testing.assert_close(table[getattr(F, name)](x, 0.3, True), right)
    torch.testing.assert_close(table[getattr(torch, name + "_")](x.clone(), 0.3, True), right)


def test_an_evaluation_leaves_out_alpha_dropout():
    model, batch = Net(lambda x: x), {"x": torch.randn(5, 8)}
    graph = import_net(lambda x: torch.feature_dropout(F.alpha_dropout(x, 0.5, training=True), 0.5, True))
    loss, _ = loss_and_gradients(graph, {**dict(model.named_parameters()), **batch, "micro_batch": -1.0})
    torch.testing.assert_close(loss, reference(model, {"x": batch["x"].double()})[0], rtol=1e-9, atol=0)
