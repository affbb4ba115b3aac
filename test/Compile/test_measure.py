# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is measured of a model's output beside its loss: as PyTorch computes it, summed over micro-batches, and without
logits in memory."""
import pytest
import torch
import torch.nn.functional as F
from small import Bigram, adamw, make, tokens

import prec


class Scored(Bigram):
    def forward(self, ids, labels):
        logits = self.head(torch.tanh(self.hidden(self.embed(ids))))
        return {"loss": F.cross_entropy(logits.flatten(0, 1), labels.flatten()), "logits": logits}


def loss_of(output):
    return output["loss"]


def measure(output, batch):
    rows, labels = output["logits"].flatten(0, 1), batch["labels"].flatten()
    top = rows.amax(1, keepdim=True)
    weights = (rows - top).exp()
    total = weights.sum(1)
    own = torch.where(torch.arange(rows.shape[1]) == labels[:, None], rows, 0.0).sum(1)
    counted = labels != -100
    return {"right": (counted & (own >= top.squeeze(1))).float().sum(),
            "entropy": torch.where(counted, total.log() - (weights * (rows - top)).sum(1) / total, 0.0).sum()}


def expected(model, batch):
    with torch.no_grad():
        rows, labels = model(**batch)["logits"].flatten(0, 1), batch["labels"].flatten()
        counted = labels != -100
        p = rows.softmax(1)
        return {"right": float(((rows.argmax(1) == labels) & counted).sum()),
                "entropy": float(-(p * p.log()).sum(1)[counted].sum())}


@pytest.mark.parametrize("verify", [True, False])
def test_numbers_are_pytorchs(verify, compiled):
    model = make(Scored)
    step = compiled(model, adamw(model), next(tokens(1)), loss=loss_of, measure=measure, verify=verify)
    for batch in tokens(6, ignored=2):
        right = expected(model, batch)
        step(batch)
        got = {name: step.metrics[name].item() for name in right}
        assert got["right"] == right["right"] and got["entropy"] == pytest.approx(right["entropy"], rel=1e-5)
    assert right["right"] > 0 or step.loss < 3.4


def test_sums_over_micro_batches(compiled):
    model = make(Scored)
    step = compiled(model, adamw(model), next(tokens(1)), loss=loss_of, measure=measure, accumulate=True)
    for _ in range(2):
        micro = list(tokens(3, ignored=1))
        each = [expected(model, batch) for batch in micro]
        for batch, right in zip(micro, each):
            step.accumulate(batch)
            assert step.measured["entropy"].item() == pytest.approx(right["entropy"], rel=1e-5)
        step.apply()
        assert step.metrics["entropy"].item() == pytest.approx(sum(right["entropy"] for right in each), rel=1e-5)


def test_sums_of_completed_batches(compiled):
    """Labels that complete a batch do not count."""
    model = make(Scored)
    step = compiled(model, adamw(model), next(tokens(1)), loss=loss_of, measure=measure)
    for rows, length in ((4, 8), (2, 8), (4, 5)):
        batch = next(tokens(1, rows=rows, length=length))
        right = expected(model, batch)
        step(batch)
        assert step.was_completed == (rows * length < 32)
        assert step.metrics["entropy"].item() == pytest.approx(right["entropy"], rel=1e-5)


@pytest.mark.parametrize("recipe", ["fp32", "bf16"])
def test_logits_are_not_in_memory(recipe, compiled):
    """Of a step whose logits are computed in chunks, nothing of all rows and classes is written."""
    class Large(Scored):
        def __init__(self):
            super().__init__()
            self.head = torch.nn.Linear(16, 2048, bias=False)
    given = next(tokens(1, rows=8, length=64))
    model = make(Large)
    options = {"loss": loss_of, "recipe": recipe, "compiler_options": ["--chunk-loss=256KiB"]}
    for more in ({}, {"measure": measure}):
        step = compiled(model, adamw(model), given, **options, **more)
        manifest = step._programs.first.manifest
        largest = max(_elements(manifest["buffers"][number]) for command in manifest["entry_points"]["step"] for number in command["writes"])
        assert largest < 512 * 2048, more
        step(given)
        step.close()


def _elements(buffer):
    return torch.Size(buffer["shape"]).numel()


@pytest.mark.parametrize("measure, message", [
    (lambda output, batch: output["logits"].sum(), "measure= must return tensors by name but got a tensor"),
    (lambda output, batch: {"loss": output["logits"].sum()}, "must have a name of its own but got 'loss'"),
    (lambda output, batch: {"right": 3.0}, "must be a tensor of numbers but 'right' is float"),
    (3, "measure must be a function")])
def test_refused(measure, message, compiled):
    model = make(Scored)
    with pytest.raises(prec.ImportFailure, match=message):
        compiled(model, adamw(model), next(tokens(1)), loss=loss_of, measure=measure)
