# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Composites as JAX writes and differentiates them: raised, they compute what they computed before, and what PyTorch
says they should.

The graphs are those of raise-*-jax.mlir, written by jax_forms.py from jaxprs. Both sides are evaluated in float64,
where a wrong formula is off by far more than 1e-6 and the float32 constants of the graphs by less.
"""
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from test_raise import TOOL, raised

from prec.interpreter import Numpy, Program

HERE = Path(__file__).resolve().parent
pytestmark = pytest.mark.skipif(not Path(TOOL).exists(), reason="needs a built prec-opt")
EPS = float(np.float32(1e-5))


def rms_norm(x, gamma):
    return torch.nn.functional.rms_norm(x, x.shape[-1:], gamma, EPS)


def layer_norm(x, gamma, beta):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], gamma, beta, EPS)


def cross_entropy(x, labels):
    return torch.nn.functional.cross_entropy(x.flatten(0, -2), labels.flatten())


def rotation(sequence):
    def rope(x, cos, sin):
        shape = [1] * x.dim()
        shape[sequence], shape[-1] = cos.shape
        (low, high), cos, sin = x.chunk(2, -1), cos.reshape(shape), sin.reshape(shape)
        return torch.cat([low * cos - high * sin, high * cos + low * sin], -1)
    return rope


REFERENCES = {"rms-norm": rms_norm, "layer-norm": layer_norm, "softmax": lambda x: x.softmax(-1), "cross-entropy": cross_entropy}
SPECIAL = {"rms_power": lambda x, gamma: rms_norm(x, 1 + gamma), "rope_heads_first": rotation(2), "rope_rotated_half_first": rotation(2),
           "rope_heads_last": rotation(1), "rope_rotated_half": rotation(1)}
GRAPHS = {(path.name[len("raise-"):-len("-jax.mlir")], re.search(r"func.func @(\w+)", part)[1]): part
          for path in sorted(HERE.glob("raise-*-jax.mlir")) for part in path.read_text().split("// -----")}


def expected(kind, name, inputs):
    """Value and gradients from PyTorch's autograd."""
    function = SPECIAL.get(name) or REFERENCES[kind]
    tensors = [torch.tensor(v) for v in inputs]
    dy = tensors.pop(0) if kind != "cross-entropy" else torch.tensor(1.0, dtype=torch.float64)
    leaves = [t.requires_grad_() for t in tensors if t.is_floating_point()]
    y = function(*tensors)
    return [y, *torch.autograd.grad(y, leaves[:1] if kind == "rope" else leaves, dy)]


def random_inputs(kind, name, module):
    rng = np.random.default_rng(11)
    inputs = []
    for type_ in next(iter(module.functions.values())).argument_types:
        if type_.element == "i32":
            labels = rng.integers(0, 8, type_.shape)
            inputs.append(np.where(rng.random(type_.shape) < 0.4, -100, labels) if name in ("loss_masked", "loss_weighted") else labels)
        else:
            inputs.append(rng.standard_normal(type_.shape))
    return inputs


@pytest.mark.parametrize("kind,name", GRAPHS)
def test_jax_forms(kind, name):
    text = GRAPHS[kind, name]
    after, found = raised(text)
    assert found == {kind.replace("-", "_"): (1, 1)}
    assert not re.search(r"math\.|prec_train\.reduce", after)
    before = Program.of_text(text, prec_opt=TOOL)
    inputs = random_inputs(kind, name, before)
    wanted = expected(kind, name, inputs)
    graphs = [m.run(dict(enumerate(inputs)), backend=Numpy(np.float64)) for m in (before, Program.of_text(after, prec_opt=TOOL))]
    for results in graphs:
        assert len(results) == len(wanted)
        for result, reference in zip(results, wanted):
            reference = reference.detach().numpy()
            assert np.abs(result - reference).max() <= 1e-6 * np.abs(reference).max()


def test_every_kind_has_forms():
    assert {kind for kind, _ in GRAPHS} == {*REFERENCES, "rope"}


def test_files_are_what_jax_writes():
    pytest.importorskip("jax")
    forms = pytest.importorskip("jax_forms")
    for kind in forms.FORMS:
        assert (HERE / f"raise-{kind}-jax.mlir").read_text() == forms.document(kind)
    block = pytest.importorskip("jax_block")
    assert block.PATH.read_text() == block.text()
