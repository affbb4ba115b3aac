# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small buffers of which forward reads a value, and goes one way or the other: the step is for what they hold."""
import pytest
import torch
from models import loss_and_gradients
from torch import nn

import prec


class Net(nn.Module):
    def __init__(self, read, **buffers):
        super().__init__()
        torch.manual_seed(0)
        self.layer, self.read = nn.Linear(4, 4), read
        for name, value in buffers.items():
            self.register_buffer(name, torch.tensor(value))

    def forward(self, x):
        return self.read(self, self.layer(x)).square().mean()


def imported(model):
    return prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), {"x": torch.ones(2, 4)})


def initialized(m, h):
    if not m.ready:
        m.scale.copy_(h.detach().std())
        m.ready.fill_(True)
    return h / m.scale


@pytest.mark.parametrize("read, held", [
    (lambda m, h: h.relu() if m.on[0] == 1 else h, {"on": [1, 0]}), (lambda m, h: h * int((m.on * 2).sum()), {"on": [1, 2]}),
    (lambda m, h: h.tanh() if m.on.item() > 0.5 else h, {"on": 0.25}), (initialized, {"ready": True, "scale": 2.0}),
])
@pytest.mark.cases(2)
def test_the_step_is_for_what_a_buffer_holds(read, held):
    model = Net(read, **held)
    with pytest.warns(UserWarning, match=r"agree with the one given .*read .* of (on|ready) in test_flags.py:\d+: "):
        step = imported(model)
    assert step.verified == "verified"
    inputs = {**dict(model.named_parameters()), **dict(model.named_buffers()), "x": torch.ones(2, 4)}
    torch.testing.assert_close(loss_and_gradients(step.graph, inputs)[0].float(), model(inputs["x"]))
    name = next(iter(held))
    other = ~inputs[name] if inputs[name].dtype == torch.bool else inputs[name] + 3
    assert loss_and_gradients(step.graph, {**inputs, name: other})[0].isnan()


def test_a_buffer_that_forward_changes_is_no_flag():
    with pytest.raises(prec.ImportFailure, match="must read no value of a buffer that it changes but reads one of ready: run forward once"):
        imported(Net(initialized, ready=False, scale=2.0))
    with pytest.raises(prec.ImportFailure, match="forward must not read a computed value"):
        imported(Net(lambda m, h: h if m.scale.mul_(h.detach().sum()) > 0 else -h, scale=2.0))
