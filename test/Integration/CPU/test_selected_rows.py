# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps whose losses read rows that a mask of the batch selects, or whose shapes follow from its values: other batches
than the one that was given, beside PyTorch."""
import math
import warnings

import pytest
import torch
import torch.nn as nn
import torch.nn.functional as F

import prec

ROWS, LENGTH, VOCABULARY, WIDTH = 3, 8, 12, 8


class Net(nn.Module):
    def __init__(self, loss):
        super().__init__()
        torch.manual_seed(0)
        self.embed, self.head, self.loss = nn.Embedding(VOCABULARY, WIDTH), nn.Linear(WIDTH, VOCABULARY), loss

    def forward(self, ids, mask, labels):
        return self.loss(self.head(self.embed(ids).cumsum(1)), mask, labels)


def shifted(logits, mask, labels):
    """As the losses of speech models and of earlier LLaVAs."""
    mask = mask[:, 1:]
    logits = logits[..., :-1, :][mask.to(logits.device) != 0].contiguous()
    labels = labels[..., 1:][mask.to(labels.device) != 0].contiguous()
    return nn.CrossEntropyLoss()(logits.view(-1, logits.size(-1)), labels.view(-1).to(logits.device))


def with_options(logits, mask, labels):
    chosen = mask.bool()
    weight = torch.linspace(0.5, 2, VOCABULARY)
    return F.cross_entropy(logits[chosen].float(), labels[chosen], weight=weight, label_smoothing=0.1, reduction="sum")


def of_flat(logits, mask, labels):
    chosen = mask.view(-1) > 0
    logs = logits.log_softmax(-1).view(-1, VOCABULARY)
    return F.cross_entropy(logits.view(-1, VOCABULARY)[chosen], labels.view(-1)[chosen]) + F.nll_loss(logs[chosen], labels.view(-1)[chosen])


def by_ctc(logits, mask, labels):
    """As transformers calls it: labels of all rows one behind the other."""
    chosen = (mask > 0) & (torch.arange(LENGTH) < 3)
    flat, lengths = labels.masked_select(chosen), chosen.sum(-1)
    logs = F.log_softmax(logits, -1, dtype=torch.float32).transpose(0, 1)
    return F.ctc_loss(logs, flat, torch.full((ROWS,), LENGTH), lengths, blank=0, reduction="mean", zero_infinity=True)


def by_padded_ctc(logits, mask, labels):
    logs = logits.log_softmax(-1).transpose(0, 1)
    return F.ctc_loss(logs, labels[:, :3], LENGTH - (mask[:, 0] == 0).long(), (mask[:, :3] > 0).sum(1).clamp(min=1), reduction="sum") * 0.01


def of_squares(logits, mask, labels):
    """The distance of some rows, as of images that are masked."""
    chosen = mask > 0
    target = F.one_hot(labels, VOCABULARY).to(logits.dtype)
    return F.mse_loss(logits[chosen], target[chosen]) + 0.1 * (logits - target)[chosen].abs().sum() + (2 * logits[chosen].tanh() - 1).pow(2).mean()


def beside_infinities(logits, mask, labels):
    """What is not selected may be anything."""
    chosen = mask > 0
    ratio = logits + torch.where(chosen, 0.0, torch.inf)[..., None]
    return F.binary_cross_entropy_with_logits(ratio[chosen], (logits.detach() > 0)[chosen].float(), reduction="sum") * 0.01


def written_back(logits, mask, labels):
    chosen = mask > 0
    out = logits * 0.5
    out[chosen] = logits[chosen].tanh() * logits[chosen]
    return out.square().mean() + logits.masked_select(chosen[..., None].expand(logits.shape)).mean()


def batch(seed):
    draw = torch.Generator().manual_seed(seed)
    labels = torch.randint(1, VOCABULARY, (ROWS, LENGTH), generator=draw)
    mask = (torch.arange(LENGTH) < torch.randint(2, LENGTH, (ROWS, 1), generator=draw)).long()
    return {"ids": torch.randint(0, VOCABULARY, (ROWS, LENGTH), generator=draw), "mask": mask, "labels": labels}


def sgd(model):
    return torch.optim.SGD(model.parameters(), lr=0.1)


def imported(loss):
    model = Net(loss)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        step = prec.import_torch(model, sgd(model), batch(0))
    assert step.verified == "verified"
    return model, step, [str(w.message) for w in told]


def train(module, model, batches):
    optimizer = sgd(model)
    for given in batches:
        got = module.step({name: t.numpy() for name, t in given.items()})
        loss = model(**given)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield got, loss.item()


def open_module(compile_module, step):
    path, weights = compile_module(step, "fp32")
    module = prec.Module(path)
    module.load(weights)
    return module


@pytest.mark.parametrize("loss", [shifted, with_options, of_flat, by_ctc, by_padded_ctc, of_squares, beside_infinities, written_back])
def test_rows_that_other_masks_select(loss, compile_module):
    model, step, told = imported(loss)
    assert not any("agree" in words for words in told)
    for got, right in train(open_module(compile_module, step), model, [batch(seed) for seed in range(5)]):
        assert got["loss"] == pytest.approx(right, rel=1e-5) and got["skipped"] is None


def of_another_mask(logits, mask, labels):
    return F.cross_entropy(logits[mask > 0], labels[mask.flip(0) > 0])


def of_a_mask_that_changes(logits, mask, labels):
    chosen = mask > 0
    logits = logits[chosen]
    chosen = (mask > 0).logical_and(mask > -1)
    chosen[:, 1] = ~chosen[:, 1]
    chosen[:, 2] = ~chosen[:, 2]
    return F.cross_entropy(logits[:4], labels[chosen][:4])


def sorted_rows(logits, mask, labels):
    return logits[mask > 0].sort(0).values[:2].square().mean()


@pytest.mark.parametrize("loss", [of_another_mask, of_a_mask_that_changes, sorted_rows])
def test_a_number_of_rows_that_must_stay(loss, compile_module):
    """Nothing but these losses can go without the number of rows: a batch that selects as many trains, another one is
    skipped."""
    model, step, told = imported(loss)
    assert any(f"select {int(batch(0)['mask'].sum())} of 24 in test_selected_rows.py" in words for words in told)
    module = open_module(compile_module, step)
    same = batch(0)
    other = batch(1) | {"mask": same["mask"].flip(0)}
    for got, right in train(module, model, [same, other]):
        assert got["loss"] == pytest.approx(right, rel=1e-5) and got["skipped"] is None
    before = module.get("head.weight")
    more = dict(same, mask=same["mask"].clone())
    more["mask"][0, -1] = 1 - more["mask"][0, -1]
    got = module.step({name: t.numpy() for name, t in more.items()})
    assert math.isnan(got["loss"]) and got["skipped"] is not None
    assert (module.get("head.weight") == before).all()
