# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of transformers' families: what becomes of an import is what the table of utils/sweep-models says, and of
those that import the graph knows how its labels are shifted, or says that it does not, and the fp32 step follows
PyTorch's losses. Where the two part, PyTorch in float64, or from weights an ulp away, must part from PyTorch in float32
as well. The long tier runs a tenth of them, another one each day."""
import datetime
import json

import pytest
import torch
import transformers
from families import FAMILIES, TABLE, adamw, outcome, sample, written

import prec

STEPS, TOLERANCE, LABEL = 10, 2e-5, 11
WRITTEN = written()
TODAY = sample(WRITTEN, 0.1, datetime.date.today().toordinal())
# One of each kind: a window and two kinds of layers, an encoder and a decoder, an encoder alone, one that is refused.
QUICK = {"gemma2", "t5", "eurobert", "mixtral"}
# Their configurations' own rates of dropout (0.1 where it is zero), in attention, in embeddings, behind products.
DROPPING = [
    "gpt2",
    "t5",
    "bart",
    "pegasus",
    "eurobert",
    "distilbert",
    "opt",
    "gpt_neox",
    "big_bird",
    "bloom",
    "phi",
    "blenderbot",
    "megatron-bert",
    "xglm",
]
QUICK_DROPPING = {"gpt2"}


def cases(names, quick):
    return [name if name in quick else pytest.param(name, marks=pytest.mark.long) for name in names]


def shuffled(batch, step):
    """The same rows with their tokens in another order."""
    ids = batch["input_ids"]
    order = torch.randperm(ids.shape[1], generator=torch.Generator().manual_seed(step))
    return {name: t[:, order] if t.shape == ids.shape else t for name, t in batch.items()}


def train(model, optimizer, batches):
    for batch in batches:
        loss = model(**batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        yield loss.item()


def in_double(name, batches):
    model, _ = FAMILIES[name].build()
    torch.set_default_dtype(torch.float64)
    try:
        model = model.double()
        return list(train(model, adamw(model), batches))
    finally:
        torch.set_default_dtype(torch.float32)


def from_near(name, batches, seed):
    """From weights of which each is an ulp away, or none."""
    model, _ = FAMILIES[name].build()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(1 + 2.0 ** -23 * torch.randint(-1, 2, p.shape, generator=generator))
    return list(train(model, adamw(model), batches))


def check_shift(model, batch, graph):
    """The shift says where the token stands that a loss of one label alone sees last."""
    shifts = {a.path: a.attrs for a in graph.arguments if a.role == "batch" and a.value.dtype in ("i32", "i64")}
    for name, attrs in shifts.items():
        assert ("shift" in attrs) != bool(attrs.get("shift_unknown")), name
    if shifts.get("labels", {}).get("shift") is None or batch["labels"].dim() == 1:
        return
    place = LABEL
    labels = torch.full_like(batch["labels"], -100)
    labels[:, place] = batch["labels"][:, place]

    def loss(changed=None):
        ids = batch["input_ids"].clone()
        if changed is not None:
            ids[:, changed] = (ids[:, changed] + 7) % 100 + 4
        with torch.no_grad():
            return model(**{**batch, "input_ids": ids, "labels": labels}).loss.item()
    base = loss()
    seen = [i for i in range(labels.shape[1]) if loss(i) != base]
    assert place - max(seen) == 1 - shifts["labels"]["shift"], (seen, shifts)


def test_the_table_is_of_this_transformers():
    versions = {json.loads(line)["transformers"] for line in TABLE.read_text().splitlines()}
    assert versions == {transformers.__version__}, "sweep anew: utils/sweep-models benchmarks/results/models.jsonl"
    assert WRITTEN.keys() <= FAMILIES.keys()
    assert sum(kind == "imports" for kind in WRITTEN.values()) >= 100


@pytest.mark.parametrize("name", cases(sorted(TODAY | QUICK), QUICK))
def test_a_family_does_what_the_table_says(name, compile_module):
    kind, what = outcome(name)
    assert ({kind: what} if kind in ("unbuilt", "refused") else kind) == WRITTEN.get(name, "imports")
    if kind in ("unbuilt", "refused"):
        return
    model, optimizer, batch, imported = what
    assert imported.verified == "verified"
    check_shift(model, batch, imported.graph)
    batches = [shuffled(batch, step) if "input_ids" in batch else batch for step in range(STEPS)]
    path, weights = compile_module(imported, "fp32")
    module = prec.Module(path)
    module.load(weights)
    wanted = {binding.name for binding in module.bindings if binding.role == "batch"}
    given = [{name: t if t.is_floating_point() or t.dtype == torch.bool else t.int() for name, t in b.items() if name in wanted} for b in batches]
    got = [module.step({name: t.numpy() for name, t in b.items()})["loss"] for b in given]
    right = list(train(model, optimizer, batches))
    off = [abs(x - y) / abs(y) for x, y in zip(got, right)]
    if max(off) > TOLERANCE:
        others = [in_double(name, batches), *(from_near(name, batches, seed) for seed in range(3))]
        apart = [max(abs(x - y) / abs(y) for x in losses) for *losses, y in zip(*others, right)]
        assert all(x <= max(TOLERANCE, 4 * max(apart[:i + 1])) for i, x in enumerate(off)), (off, apart)


@pytest.mark.parametrize("name", cases(DROPPING, QUICK_DROPPING))
def test_dropout_of_the_configuration_is_verified(name):
    expected = WRITTEN.get(name, "imports")
    kind, what = outcome(name, dropout=True)
    if expected != "imports":
        assert {kind: what} == expected
        return
    assert kind == "imports" and what[3].verified == "verified"
    assert any(op.name == "prec_train.dropout" for op in what[3].graph.ops)
