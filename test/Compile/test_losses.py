# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a batch has beyond forward's inputs goes to the loss, as in the loop of most scripts: criterion(model(x), y)."""
import dataclasses
import functools

import pytest
import torch
import torch.nn.functional as F
from small import adamw, assert_same_weights, make

import prec


class Plain(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 4))

    def forward(self, x):
        return self.layers(x)


class Anything(Plain):
    """Swallows what it does not know, as models of transformers do."""

    def forward(self, x, **others):
        assert not others
        return self.layers(x)


def pairs(count, classes=True):
    generator = torch.Generator().manual_seed(1)
    for _ in range(count):
        x = torch.randn(8, 16, generator=generator)
        yield x, x[:, :4].argmax(1) if classes else x[:, :4] * 2


class Weighted(torch.nn.Module):
    """A criterion with a state of its own that does not change."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.tensor([1.0, 2.0, 0.5, 1.0]))

    def forward(self, output, target):
        return F.cross_entropy(output, target, self.weight)


CRITERIA = {
    "function": F.cross_entropy,
    "module": torch.nn.CrossEntropyLoss(),
    "own": Weighted(),
    "partial": functools.partial(F.cross_entropy, label_smoothing=0.1),
    "lambda": lambda output, y: F.cross_entropy(output, y) + 0.01 * output.square().mean(),
    "regression": F.mse_loss,
}


@pytest.mark.parametrize("verify", [False, True], ids=["", "compared"])
@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.cases(7)
def test_labels_of_a_criterion(name, verify, compiled):
    criterion, batches = CRITERIA[name], list(pairs(5, name != "regression"))
    a, b = make(Plain), make(Plain)
    oa, ob = adamw(a), adamw(b)
    step = compiled(b, ob, batches[0], loss=criterion, verify=verify)
    for x, y in batches:
        loss = criterion(a(x), y)
        oa.zero_grad()
        loss.backward()
        oa.step()
        assert step((x, y)).item() == pytest.approx(loss.item(), rel=2e-5)
    assert step([x, y.long() if y.dtype == torch.int64 else y]).dim() == 0
    assert step.eval((x, y)).item() == pytest.approx(criterion(b(x), y).item(), rel=2e-5)


def test_by_names(compiled):
    """A mapping, of a model that takes anything; what forward has, too, a loss gets that needs it."""
    def loss(output, labels, x):
        return F.cross_entropy(output, labels) + (output - x[:, :4]).square().mean()
    a, b = make(Anything), make(Anything)
    oa, ob = adamw(a), adamw(b)
    batches = [{"x": x, "labels": y} for x, y in pairs(4)]
    step = compiled(b, ob, batches[0], loss=loss, measure=lambda output, batch: {"right": (output.argmax(1) == batch["labels"]).sum()})
    for batch in batches:
        output = a(batch["x"])
        expected = loss(output, batch["labels"], batch["x"])
        oa.zero_grad()
        expected.backward()
        oa.step()
        assert step(batch).item() == pytest.approx(expected.item(), rel=2e-5)
        assert step.metrics["right"].item() == (output.argmax(1) == batch["labels"]).sum()
    assert_same_weights(a, b)
    with pytest.raises(prec.StepFailure, match="labels is missing|labels is not"):
        step({"x": batch["x"]})


def test_a_dictionary_of_losses(compiled):
    class Named(Plain):
        def forward(self, x, y):
            output = self.layers(x)
            return {"loss": F.cross_entropy(output, y), "logits": output}
    model, other = make(Named), make(Plain)
    step = compiled(model, adamw(model), next(pairs(1)))
    reference = compiled(other, adamw(other), next(pairs(1)), loss=F.cross_entropy)
    for batch in pairs(3):
        assert step(batch).item() == reference(batch).item()


def test_rows_are_completed(compiled):
    """Of the last batch of an epoch, whose labels there are ignored."""
    a, b = make(Plain), make(Plain)
    oa, ob = adamw(a), adamw(b)
    (x, y), (x2, y2) = pairs(2)
    step = compiled(b, ob, (x, y), loss=F.cross_entropy)
    for one, other in ((x, y), (x2[:5], y2[:5])):
        loss = F.cross_entropy(a(one), other)
        oa.zero_grad()
        loss.backward()
        oa.step()
        assert step((one, other)).item() == pytest.approx(loss.item(), rel=2e-5)
    assert_same_weights(a, b)


WRONG = {
    "at most the 1 inputs of forward but got 2.*as loss=": lambda output: output.square().mean(),
    "what loss= takes beside the model's output must be in the batch.*but weights is not": lambda output, y, weights: (output * weights).mean(),
}


@pytest.mark.parametrize("message", WRONG)
def test_what_a_loss_does_not_take(message, compiled):
    model = make(Plain)
    with pytest.raises(prec.Error, match=message):
        compiled(model, adamw(model), next(pairs(1)), loss=WRONG[message])


@dataclasses.dataclass
class Batch:
    x: torch.Tensor
    y: torch.Tensor
    kind: str = "l2"


class OfRecords(Plain):
    def forward(self, batch):
        return {"l1": F.l1_loss, "l2": F.mse_loss}[batch.kind](self.layers(batch.x), batch.y)


@pytest.mark.parametrize("kind", [Batch, dataclasses.make_dataclass("Frozen", ["x", "y", ("kind", str, "l2")], frozen=True, eq=False)])
def test_a_dataclass_that_forward_takes_whole(kind, compiled):
    a, b = make(OfRecords), make(OfRecords)
    oa, ob = adamw(a), adamw(b)
    batches = [kind(x, y) for x, y in pairs(4, classes=False)]
    step = compiled(b, ob, (batches[0],))
    for batch in batches:
        loss = a(batch)
        oa.zero_grad()
        loss.backward()
        oa.step()
        assert step((batch,)).item() == pytest.approx(loss.item(), rel=2e-5)
    assert isinstance(batches[0].x, torch.Tensor)
    with pytest.raises(prec.StepFailure, match="must be as the step was compiled for"):
        step((kind(batch.x, batch.y, "l1"),))
    with pytest.raises(prec.StepFailure, match=r"give vars\(batch\), or \(batch,\)"):
        step(batch)
