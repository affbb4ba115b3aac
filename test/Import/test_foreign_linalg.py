# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs that torch-mlir made (Inputs/linalg), as linalg or as TOSA that LLVM's passes lower: converted, they compute
what PyTorch computes; their contractions get the classes, directions and formats of the same model's forward when prec
imports it; and they go back to linalg, which LLVM's mlir-opt takes."""
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn as nn

import prec
from prec.interpreter import Program

ROOT = Path(__file__).resolve().parents[2]
INPUTS = ROOT / "test/Import/Inputs/linalg"
sys.path.append(str(INPUTS))
import foreign_models as models  # noqa: E402

MATMUL = re.compile(r"prec_train\.matmul .*?\{(.*)\} : \((.*)\) -> (\S+)")


def run(prec_opt: str, text: str, *passes: str) -> str:
    done = subprocess.run([prec_opt, "-", *passes], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def converted(prec_opt: str, name: str) -> str:
    text = run(prec_opt, (INPUTS / f"{name}.mlir").read_text(), "--inline", "--prec-convert-linalg-to-train")
    assert "linalg." not in text
    text, marked = re.subn(r"(func\.func @main\(.*\) -> \S+) \{$", r'\1 attributes {prec.entry = "forward"} {', text, count=1, flags=re.M)
    assert marked == 1
    return text


def made(name: str) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    torch.manual_seed(0)
    model, inputs = models.MODELS[name.removeprefix("tosa_")]()
    return model.eval(), inputs


NAMES = [path.stem for path in sorted(INPUTS.glob("*.mlir")) if path.stem.removeprefix("tosa_") in models.MODELS]
# Those that the short tier leaves out take long to trace.
MODELS = [pytest.param(name, marks=pytest.mark.long if name.endswith(("llama", "gpt2", "tosa_bert")) else ()) for name in NAMES]


@pytest.mark.parametrize("name", MODELS)
def test_what_pytorch_computes(prec_opt, name):
    model, inputs = made(name)
    with torch.no_grad():
        expected = model(*inputs).numpy()
    given = [t.detach().numpy() for t in [*model.parameters(), *model.buffers(), *inputs]]
    [computed] = Program.of_text(converted(prec_opt, name)).run({str(i): x for i, x in enumerate(given)}, function="main")
    np.testing.assert_allclose(computed, expected, rtol=2e-3, atol=2e-4)


class Step(nn.Module):
    """A loss that makes no product a head."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.model(x).square().mean()


def contractions(text: str) -> Counter[tuple]:
    """Of the forward's matmuls: sizes of operands and result whatever their order, formats with scalings, accumulators
    and why (but whether an operand is a weight, which only an import knows), and direction."""
    found: Counter[tuple] = Counter()
    for attributes, operands, result in MATMUL.findall(text):
        tags = re.search(r"operand_tags = \[(.*?)\](?:, |$)", attributes)
        if "phase<" in attributes or not tags:
            continue
        sizes = sorted(int(np.prod([int(n) for n in t.split("x")[:-1]])) for t in re.findall(r"tensor<([^>]*)>", operands + result))
        direction = re.search(r'prec\.direction = "(\w+)"', attributes)
        reasons = re.sub(r"(activation|weight) read", "read", tags[1])
        found[(tuple(sizes), *sorted(re.findall(r"#prec\.tag<.*?>", reasons)), direction and direction[1])] += 1
    return found


ASSIGN = "--assign-precision=recipe=fp8-hybrid target=cpu"


@pytest.mark.parametrize("name", [model for model in MODELS if not model.values[0].endswith("conv_net")])
def test_formats_are_those_of_the_imported_model(prec_opt, name):
    layers = 2
    foreign = contractions(run(prec_opt, converted(prec_opt, name), "--prec-raise-composites", ASSIGN))
    model, inputs = made(name)
    step = Step(model.train())
    for module in step.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    imported = prec.import_torch(step, torch.optim.SGD(step.parameters(), lr=0.1), {"x": inputs[0]})
    text = run(prec_opt, imported.mlir, "--prec-raise-composites", ASSIGN)
    own = contractions(text)
    # The import has attention as one operation, where the foreign graph has two products of each layer.
    attention = Counter({key: n for key, n in foreign.items() if "attention" in key[1]})
    assert len(re.findall(r"prec_train\.attention ", text)) == layers and attention.total() == 2 * layers
    assert all("bf16" in tag for key in attention for tag in key[1:3])
    # Only a loss says which product is the head: a graph that ends in logits has FP8 there, and a step BF16.
    [head] = foreign - attention - own
    [other] = own - (foreign - attention)
    assert head[0] == other[0] and head[-1] == "fprop" and "e4m3" in head[1] and "bf16" in other[1] and "head" in other[1]
    assert (foreign - attention).total() == own.total() > 8


@pytest.mark.parametrize("name", NAMES)
def test_back_to_linalg(prec_opt, name):
    tagged = run(prec_opt, converted(prec_opt, name), "--prec-raise-composites", ASSIGN)
    back = run(prec_opt, tagged, "--prec-materialize-forward", "--prec-to-linalg")
    assert not re.search(r"#?\bprec(_train|_sched)?\.", back)
    opt = Path("/usr/lib/llvm-22/bin/mlir-opt")
    if not opt.exists():
        pytest.skip("needs LLVM's mlir-opt")
    assert run(str(opt), back).count("linalg.") > 10
    assert ("f8E4M3FN" in back) == (not name.endswith("conv_net"))
