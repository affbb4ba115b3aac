# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functional calls that may be composites: in each form of their arguments, against PyTorch in float64, and what is
left to PyTorch."""
import pytest
import torch
import torch.nn.functional as F
from models import loss_and_gradients, reference

import prec
from prec import ImportFailure


class Net(torch.nn.Module):
    def __init__(self, call):
        super().__init__()
        torch.manual_seed(0)
        self.w, self.gain, self.call = torch.nn.Parameter(torch.randn(4, 6)), torch.nn.Parameter(torch.rand(6) + 0.5), call

    def forward(self, x, labels):
        return self.call(self.w * x, self.gain, labels)


BATCH = {"x": torch.rand(4, 6, generator=torch.Generator().manual_seed(1)) + 0.5, "labels": torch.tensor([1, 5, 2, 0])}


def imported(call):
    model = Net(call)
    return model, prec.import_torch(model, torch.optim.AdamW(model.parameters()), BATCH, verify=False).graph


CALLS = {
    "rms_norm by position": ("prec_train.rms_norm", lambda x, g, y: F.rms_norm(x, [6], g, 1e-3).pow(3).sum()),
    "rms_norm by name": ("prec_train.rms_norm", lambda x, g, y: F.rms_norm(input=x, normalized_shape=(6,), eps=1e-3, weight=g).pow(3).sum()),
    "rms_norm of a size": ("prec_train.rms_norm", lambda x, g, y: F.rms_norm(x, g.shape, eps=1e-3).pow(3).sum()),
    "torch.rms_norm": ("prec_train.rms_norm", lambda x, g, y: torch.rms_norm(x, (6,), g, 1e-3).pow(3).sum()),
    "cross_entropy by position": ("prec_train.cross_entropy", lambda x, g, y: F.cross_entropy(x, y, None, None, 2)),
    "cross_entropy by name": ("prec_train.cross_entropy", lambda x, g, y: F.cross_entropy(target=y, input=x, ignore_index=2, reduction="mean")),
    "cross_entropy module": ("prec_train.cross_entropy", lambda x, g, y: torch.nn.CrossEntropyLoss(ignore_index=5)(x, y)),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_composite(name):
    op, call = CALLS[name]
    model, graph = imported(call)
    assert [o.name for o in graph.ops].count(op) == 1
    got, found = loss_and_gradients(graph, {**dict(model.named_parameters()), **BATCH})
    expected, gradients = reference(model, {**BATCH, "x": BATCH["x"].double()})
    torch.testing.assert_close(got, expected, rtol=1e-6, atol=0)
    for path, g in gradients.items():
        torch.testing.assert_close(found[path], g, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("call,message", [
    # Losses that the composite is not: each is PyTorch's own ops or an error about them.
    (lambda x, g, y: F.cross_entropy(x, y, label_smoothing=0.1), "aten.nll_loss"),
    (lambda x, g, y: F.cross_entropy(x, y, reduction="sum"), "aten.nll_loss"),
    (lambda x, g, y: F.cross_entropy(x, y, g.detach()), "aten.nll_loss"),
    (lambda x, g, y: F.cross_entropy(x, y, size_average=False), "aten.nll_loss"),
    (lambda x, g, y: F.cross_entropy(x[None].transpose(1, 2), y[None]), "aten.nll_loss"),
    # What PyTorch refuses.
    (lambda x, g, y: F.cross_entropy(x, y, smoothing=0.1), "Net raised TypeError: .* unexpected keyword argument 'smoothing'"),
    (lambda x, g, y: F.cross_entropy(x, y[:2]), "Net raised ValueError: Expected input batch_size"),
    (lambda x, g, y: F.cross_entropy(x, y, reduction="total"), "Net raised ValueError: total is not a valid value for reduction"),
    (lambda x, g, y: F.rms_norm(x, (6,), g, bias=g).sum(), "Net raised TypeError: .* unexpected keyword argument 'bias'"),
    (lambda x, g, y: F.rms_norm(x, 6, g).sum(), "Net raised TypeError: .*must be tuple of ints"),
    (lambda x, g, y: F.rms_norm(x, (6,), g[:3]).sum(), "Net raised RuntimeError: Expected weight to be of same shape"),
])
def test_what_is_left_to_pytorch(call, message):
    """Either it is imported as PyTorch's own ops, with PyTorch's numbers, or the reason is given."""
    try:
        model, graph = imported(call)
    except ImportFailure as failure:
        import re
        assert re.search(message, str(failure)), str(failure)
        return
    assert message.startswith("aten.")
    got, found = loss_and_gradients(graph, {**dict(model.named_parameters()), **BATCH})
    torch.testing.assert_close(got, reference(model, {**BATCH, "x": BATCH["x"].double()})[0], rtol=1e-6, atol=0)
