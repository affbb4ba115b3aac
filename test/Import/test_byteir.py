# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nanoGPT as ByteIR's frontend wrote it (Inputs/linalg/generate_byteir.py), its backward in a function of its own:
contractions have the directions and formats of the same model's step when prec imports it, and the forward computes
what PyTorch computes."""
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn as nn
from test_foreign_linalg import ASSIGN, INPUTS, MATMUL, run

import prec
from prec.interpreter import Program

sys.path.append(str(INPUTS))
import foreign_models as models  # noqa: E402

LAYERS = 6
# Weights as the backward reads them, transposed.
WEIGHTS = {"384x1152xf32", "384x384xf32", "384x1536xf32", "1536x384xf32", "384x65xf32"}


def converted(prec_opt: str, name: str) -> str:
    text = run(prec_opt, (INPUTS / f"{name}.mlir").read_text(), "--inline", "--prec-convert-linalg-to-train")
    assert "linalg." not in text
    text, marked = re.subn(r"(func\.func .*@main\(.*\) -> \(.*\)) \{$", r'\1 attributes {prec.entry = "forward"} {', text, count=1, flags=re.M)
    assert marked == 1
    return text


def declared(text: str) -> str:
    """With what whoever calls the backward knows: which arguments are gradients, and which are weights."""
    head = re.search(r"func\.func .*@main\((.*?)\) ->", text)[1]
    given = re.findall(r"(%\w+): tensor<([^>]*)>", head)
    of = [" {prec_train.gradient}" if n >= len(given) - 2
          else f' {{prec_train.role = #prec_train.role<parameter>, prec_train.path = "w{n}"}}' if type_ in WEIGHTS else ""
          for n, (_, type_) in enumerate(given)]
    return text.replace(head, ", ".join(f"{name}: tensor<{type_}>{a}" for (name, type_), a in zip(given, of, strict=True)))


def contractions(text: str, backward: bool | None) -> Counter[tuple]:
    """Of matmuls of a phase, or of all: the sizes of operands and result whatever their order, formats, and
    direction."""
    found: Counter[tuple] = Counter()
    for attributes, operands, result in MATMUL.findall(text):
        tags = re.search(r"operand_tags = \[(.*?)\](?:, |$)", attributes)
        if backward is not None and ("phase<" in attributes) != backward:
            continue
        sizes = sorted(int(np.prod([int(n) for n in t.split("x")[:-1]])) for t in re.findall(r"tensor<([^>]*)>", operands + result))
        direction = re.search(r'prec\.direction = "(\w+)"', attributes)
        formats = sorted(re.findall(r"#prec\.tag<([^>]*?)(?:, rule = .*?)?>", tags[1]))
        found[(tuple(sizes), *formats, direction and direction[1])] += 1
    return found


@pytest.fixture(scope="module")
def own(prec_opt) -> str:
    """The step that prec imports, with formats."""
    class Loss(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = models.NanoGpt()

        def forward(self, ids, labels):
            return self.model(ids, labels)[1]
    step, ids = Loss(), torch.arange(512).reshape(2, 256) % 65
    imported = prec.import_torch(step, torch.optim.SGD(step.parameters(), lr=0.1), {"ids": ids, "labels": ids}, verify=False)
    return run(prec_opt, imported.mlir, "--prec-raise-composites", ASSIGN)


def test_forward(prec_opt, own):
    foreign = run(prec_opt, converted(prec_opt, "byteir_nanogpt"), "--prec-raise-composites", ASSIGN)
    assert [len(re.findall(rf"prec_train\.{name} ", foreign)) for name in ("layer_norm", "softmax")] == [2 * LAYERS + 1, LAYERS]
    found = contractions(foreign, None)
    assert found == contractions(own, False) and found.total() == 6 * LAYERS + 1
    assert sum(count for key, count in found.items() if key[-1] == "fprop" and "e4m3" in key[1]) == 4 * LAYERS


def test_backward(prec_opt, own):
    foreign = run(prec_opt, declared(converted(prec_opt, "byteir_nanogpt_backward")), "--prec-raise-composites", ASSIGN)
    found = contractions(foreign, None)
    assert found == contractions(own, True) and found.total() == 2 * (6 * LAYERS + 1)
    for direction in ("dgrad", "wgrad"):
        assert sum(count for key, count in found.items() if key[-1] == direction and "e5m2" in key[2]) == 4 * LAYERS


@pytest.mark.long
def test_what_pytorch_computes(prec_opt):
    torch.manual_seed(0)
    model = models.NanoGpt().eval()
    ids = torch.randint(0, 65, (2, 256))
    labels = torch.where(ids > 60, -1, ids.roll(-1, 1))
    with torch.no_grad():
        logits, loss = (t.numpy() for t in model(ids, labels))
    given = [t.detach().numpy() for t in [*model.parameters(), *model.buffers(), ids, labels]]
    text = converted(prec_opt, "byteir_nanogpt")
    [got, got_loss] = Program.of_text(text).run({str(i): x for i, x in enumerate(given)}, function="main")
    np.testing.assert_allclose(got, logits, rtol=2e-3, atol=2e-4)
    np.testing.assert_allclose(got_loss, loss, rtol=1e-5)


def test_sources_are_named():
    for name in ("byteir_nanogpt", "byteir_nanogpt_backward"):
        assert "Apache License 2.0" in (Path(INPUTS) / f"{name}.mlir").read_text(encoding="utf-8").partition("\n")[0]
