# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations in a file for their family: both backends have them, and they compute what their text says."""
import numpy as np
import pytest
import torch

from prec.interpreter import Numpy, Torch, families
from prec.interpreter.graph import Operation, TensorType


def test_both_backends_have_the_same():
    of_numpy, of_torch = families.operations("numpy_families"), families.operations("torch_families")
    # Scaled formats are NumPy's alone.
    scaled = {name for name in of_numpy if not name.startswith(("op_prec_train_", "op_prec_sched_"))}
    assert of_numpy.keys() - scaled == of_torch.keys() and "op_prec_train_rope" in of_numpy
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


def custom_operation(name, dialect="prec_train.custom"):
    types = [TensorType((2, 3), "f32")] * 2
    settings = '[[{"tensor": 0}, {"tensor": 1}, 1.5], {}, ["float32", "float32"]]'
    return Operation(dialect, ["%0", "%1"], ["%r"], {"function": name, "settings": settings}, types, types[:1], line=7)


def test_custom_operations_are_pytorchs_own():
    import custom_operations  # noqa: F401 (registers them)
    g, x = np.random.default_rng(0).standard_normal((2, 2, 3))
    y = 1 / (1 + np.exp(-1.5 * x))
    right = g * (y + 1.5 * x * y * (1 - y))
    op = custom_operation("prec_test::swish_backward.default")
    np.testing.assert_allclose(Torch(torch.float64).apply(op, torch.tensor(g), torch.tensor(x))[0].numpy(), right, rtol=1e-12)
    for dialect in ("prec_train.custom", "prec_sched.call"):
        found = Numpy().apply(custom_operation("prec_test::swish_backward.default", dialect), g.astype(np.float32), x.astype(np.float32))
        np.testing.assert_allclose(found[0], right, rtol=1e-5)


def test_custom_operations_must_be_registered():
    for backend, make in ((Numpy(), np.float32), (Torch(), torch.tensor)):
        for name in ("prec_test::nothing.default", "prec_none::swish.default", "swish"):
            with pytest.raises(NotImplementedError, match=f"line 7: '{name}' must be registered with torch.library, but is not"):
                backend.apply(custom_operation(name), *[make(np.ones((2, 3), np.float32)) if make is torch.tensor else np.ones((2, 3), make)] * 2)


def test_what_no_family_has_is_refused():
    op = Operation("prec_train.nothing", [], ["%r"], {}, [], [TensorType((), "f32")], line=3)
    for backend in (Numpy(), Torch()):
        with pytest.raises(NotImplementedError, match="no semantics for prec_train.nothing"):
            backend.apply(op)
