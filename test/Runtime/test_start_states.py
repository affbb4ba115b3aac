# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An optimizer's states that a file of weights has beside them: the training that made them goes on. NumPy's step is
the oracle."""
import numpy as np
import pytest
from models import perceptron, perceptron_reference
from safetensors.numpy import save_file
from step_module import StepModule
from test_training import data

from prec.module import RuntimeFailure

SHAPES = {"fc1.weight": (40, 24), "fc2.weight": (8, 40)}


def tensors(seed):
    random = np.random.default_rng(seed)
    return {name: random.standard_normal(shape).astype(np.float32) * np.float32(0.1) for name, shape in SHAPES.items()}


def states(momenta):
    return {f"{name}.exp_avg": x for name, x in momenta.items()}


@pytest.fixture
def make(tmp_path, open_module):
    def make_(step=None, work="f32"):
        module = perceptron(work)
        if step is not None:
            next(b for b in module.manifest["bindings"] if b["name"] == "step")["default"] = step
        return open_module(module.build(tmp_path / "step.so"))
    return make_


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_training_goes_on(make, tmp_path, dtype):
    weights, momenta = tensors(1), {name: x.astype(dtype) for name, x in tensors(2).items()}
    save_file(weights | states(momenta), tmp_path / "w.safetensors")
    module = make(step=7)
    module.load(tmp_path / "w.safetensors")
    x, y = data()
    momenta = {name: m.astype(np.float32) for name, m in momenta.items()}
    for number in range(7, 10):
        result = module.step({"x": x, "y": y})
        assert result["loss"] == pytest.approx(perceptron_reference(weights, momenta, x, y), rel=1e-5)
        assert result["step"] == number
    for name, m in momenta.items():
        np.testing.assert_allclose(module.get(f"{name}.exp_avg"), m, rtol=1e-4, atol=1e-6)


def test_without_states_a_training_is_new(make, tmp_path):
    save_file(tensors(1) | states(tensors(2)), tmp_path / "with.safetensors")
    save_file(tensors(1), tmp_path / "without.safetensors")
    module = make(step=7)
    module.load(tmp_path / "with.safetensors")
    module.load(tmp_path / "without.safetensors")
    assert not module.get("fc1.weight.exp_avg").any()
    assert module.step(dict(zip("xy", data())))["step"] == 1


def test_states_of_an_optimizer_that_counts_no_steps_come_of_one(make, tmp_path):
    module = make(step=1)
    for momenta, step in ((tensors(2), 2), ({name: np.zeros(shape, np.float32) for name, shape in SHAPES.items()}, 1)):
        save_file(tensors(1) | states(momenta), tmp_path / "w.safetensors")
        module.load(tmp_path / "w.safetensors")
        assert module.step(dict(zip("xy", data())))["step"] == step


@pytest.mark.parametrize("change, message", [
    (lambda s: s.pop("fc2.weight.exp_avg"), "tensor 'fc2.weight.exp_avg': must be there as the states of other parameters are, but is missing"),
    (lambda s: s.update({"fc1.weight.exp_avg": np.zeros((24, 40), np.float32)}),
     r"tensor 'fc1.weight.exp_avg': must have shape \[40, 24\], but got \[24, 40\]"),
    (lambda s: s.update({"fc1.weight.exp_avg": np.zeros((40, 24), np.int32)}), "must have a dtype that converts to f32, but got I32"),
    (lambda s: s.update({"fc1.weight.exp_avg_sq": np.zeros((40, 24), np.float32)}),
     "tensor 'fc1.weight.exp_avg_sq': must be in the module, but is not"),
])
def test_states_that_do_not_fit(make, tmp_path, change, message):
    stored = tensors(1) | states(tensors(2))
    change(stored)
    save_file(stored, tmp_path / "w.safetensors")
    module = make(step=7)
    with pytest.raises(RuntimeFailure, match=message):
        module.load(tmp_path / "w.safetensors")
    with pytest.raises(RuntimeFailure, match="every input must be set"):
        module.step(dict(zip("xy", data())))


@pytest.mark.parametrize("step", [None, 0.0, 1.5])
def test_states_without_a_step(make, tmp_path, step):
    save_file(tensors(1) | states(tensors(2)), tmp_path / "w.safetensors")
    with pytest.raises(RuntimeFailure, match="must come with the number of the next step as the module's default of 'step'"):
        make(step=step).load(tmp_path / "w.safetensors")


def coded(values=None):
    """One parameter of two blocks, whose state is in 8 bits."""
    m = StepModule()
    x = m.bind("x", "batch", "f32", [1])
    m.bind("step", "hyper", "f32", [], default=3)
    loss = m.bind("loss", "loss", "f32", [])
    w = m.bind("w", "parameter", "f32", [2, 256])
    more = {} if values is None else {"codes": m.constant(values, "f32")}
    m.bind("w.exp_avg_codes", "optimizer_state", "i8", [2, 256], parameter="w", slot="exp_avg_codes", **more)
    m.bind("w.exp_avg_absmax", "optimizer_state", "f32", [2], parameter="w", slot="exp_avg_absmax")
    for entry in ("step", "eval"):
        m.kernel(entry, "loss", [w, x], [loss], 1, "*b2 = b0[0] * b1[0];")
    return m


VALUES = np.linspace(-1, 1, 256, dtype=np.float32)


def test_states_in_8_bits_are_coded(tmp_path, open_module):
    moments = np.random.default_rng(0).standard_normal((2, 256)).astype(np.float32)
    moments[1] = 0
    save_file({"w": moments, "w.exp_avg": moments}, tmp_path / "w.safetensors")
    module = open_module(coded(VALUES).build(tmp_path / "step.so"))
    module.load(tmp_path / "w.safetensors")
    absmax = np.abs(moments).max(1)
    np.testing.assert_array_equal(module.get("w.exp_avg_absmax"), absmax)
    scaled = moments / np.where(absmax == 0, np.float32(1), absmax)[:, None]
    bounds = (VALUES[:-1] + VALUES[1:]) / np.float32(2)
    np.testing.assert_array_equal(module.get("w.exp_avg_codes").view(np.uint8), np.searchsorted(bounds, scaled))
    assert module.step({"x": np.ones(1, np.float32)})["step"] == 3


@pytest.mark.parametrize("values, change, message", [
    (None, {}, "compile it again"),
    (VALUES, {"w.exp_avg": np.zeros((256, 2), np.float32)}, r"must have shape \[2, 256\], but got \[256, 2\]"),
    (VALUES, {"w.exp_avg": np.zeros((2, 256), np.int8)}, "must have a dtype that converts to f32, but got I8"),
    (VALUES, {"w.exp_avg": np.full((2, 256), np.inf, np.float32)}, "must be finite to be coded in 8 bits, but got inf at position 0"),
    (VALUES, {"w.exp_avg_codes": np.zeros((2, 256), np.int8)}, "tensor 'w.exp_avg_codes': must be in the module, but is not")])
def test_states_in_8_bits_that_do_not_fit(tmp_path, open_module, values, change, message):
    ones = np.ones((2, 256), np.float32)
    save_file({"w": ones, "w.exp_avg": ones} | change, tmp_path / "w.safetensors")
    with pytest.raises(RuntimeFailure, match=message):
        open_module(coded(values).build(tmp_path / "step.so")).load(tmp_path / "w.safetensors")
