# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations in a file for their family: both backends have them, and they compute what their text says."""
import numpy as np
import pytest
import torch

from prec.interpreter import Numpy, Torch, families
from prec.interpreter.graph import Operation, TensorType


def test_both_backends_have_the_same():
    of_numpy, of_torch = families.operations("numpy_families"), families.operations("torch_families")
    assert of_numpy.keys() == of_torch.keys() and "op_prec_train_rope" in of_numpy
    assert not any(hasattr(backend, name) for backend in (Numpy, Torch) for name in of_numpy)


@pytest.mark.parametrize("inverse", [False, True])
def test_rope_turns_complex_numbers(inverse):
    rng = np.random.default_rng(0)
    x, angle = rng.standard_normal((2, 3, 5, 8)), rng.standard_normal((5, 4))
    turned = (x[..., :4] + 1j * x[..., 4:]) * np.exp(-1j * angle if inverse else 1j * angle)
    types = [TensorType(shape, "f32") for shape in (x.shape, angle.shape, angle.shape)]
    op = Operation("prec_train.rope", ["%0", "%1", "%2"], ["%r"], {"inverse": inverse}, types, types[:1], line=1)
    operands = [x, np.cos(angle), np.sin(angle)]
    for result in (Numpy(np.float64).apply(op, *operands), Torch(torch.float64).apply(op, *map(torch.tensor, operands))):
        np.testing.assert_allclose(np.asarray(result[0]), np.concatenate([turned.real, turned.imag], -1), atol=1e-12)


def test_what_no_family_has_is_refused():
    op = Operation("prec_train.nothing", [], ["%r"], {}, [], [TensorType((), "f32")], line=3)
    for backend in (Numpy(), Torch()):
        with pytest.raises(NotImplementedError, match="no semantics for prec_train.nothing"):
            backend.apply(op)
