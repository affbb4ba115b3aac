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
from families import FAMILIES, TABLE, outcome, sample, written
from followed_losses import compare
from told import bounds_of, judged

import prec

STEPS, LABEL = 10, 11
WRITTEN = written()
TODAY = sample(WRITTEN, 0.1, datetime.date.today().toordinal())
# One of each kind: a window and two kinds of layers, an encoder and a decoder, an encoder alone, one that is refused.
QUICK = {"gemma2", "t5", "eurobert", "mixtral/token"}
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
    model, _, batch, imported = what
    assert imported.verified == "verified"
    check_shift(model, batch, imported.graph)
    path, weights = compile_module(imported, "fp32")
    module = prec.Module(path)
    module.load(weights)
    followed = compare(name, module, model, batch, STEPS)
    # Of losses that PyTorch itself does not determine from the first one on nothing follows.
    assert followed["within"] or not followed["told"], followed


def test_steps_that_pytorch_does_not_determine_are_not_compared():
    right = [1.0, 1.0, 1.0]
    bounds = bounds_of([[1.0, 1.0001, 1.0], [1.0, 1.0, 2.0]], right)
    assert bounds == pytest.approx([2e-5, 4e-4, 4.0])
    assert judged([1.0, 1.0003, 9.0], right, bounds) == {"steps": 3, "told": 2, "distance": 3e-4, "bound": 4e-4, "within": True}
    for wrong in ([1.0, 1.0005, 1.0], [1.0001, 1.0, 1.0], [1.0, 1.0, float("nan")], [1.0, float("nan"), 1.0]):
        assert not judged(wrong, right, bounds)["within"]
    assert not judged(right, right, [4.0] * 3)["within"]


@pytest.mark.parametrize("name", cases(DROPPING, QUICK_DROPPING))
def test_dropout_of_the_configuration_is_verified(name):
    expected = WRITTEN.get(name, "imports")
    kind, what = outcome(name, dropout=True)
    if expected != "imports":
        assert {kind: what} == expected
        return
    assert kind == "imports" and what[3].verified == "verified"
    assert any(op.name == "prec_train.dropout" for op in what[3].graph.ops)
