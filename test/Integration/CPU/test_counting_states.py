"""Optimizer states that are whole numbers, as a graph of primitives counts the updates of a parameter: kept, saved and loaded as such."""
import subprocess

import numpy as np
import pytest

import prec
from prec.module import RuntimeFailure

# w -= lr / count * gradient, where the gradient of sum(x w) is the sums of the columns of x.
STEP = """
func.func @step(
    %w: tensor<32x32xf32> {train.role = #train.role<parameter>, train.path = "w"},
    %c: tensor<TYPE> {train.role = #train.role<optimizer_state>, train.path = "w.count", train.param_of = "w", train.slot = "count"},
    %x: tensor<32x32xf32> {train.role = #train.role<batch>, train.path = "x"},
    %lr: tensor<f32> {train.role = #train.role<hyper>, train.path = "lr", train.default = 0.1 : f64}
) -> (tensor<f32> {train.role = #train.role<loss>, train.path = "loss"},
      tensor<32x32xf32> {train.role = #train.role<updated>, train.path = "w", train.donated_to = 0 : i64},
      tensor<TYPE> {train.role = #train.role<updated>, train.path = "w.count", train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  %y = train.matmul %x, %w : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %loss = train.reduce sum %y dims [0, 1] : (tensor<32x32xf32>) -> tensor<f32>
  %ones = arith.constant dense<1.0> : tensor<32x32xf32>
  %g = train.matmul %x, %ones {transpose_a, train.phase = #train.phase<backward>} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %one = arith.constant dense<1> : tensor<TYPE>
  %n = arith.addi %c, %one {train.phase = #train.phase<optimizer>} : tensor<TYPE>
  %nf = arith.sitofp %n {train.phase = #train.phase<optimizer>} : tensor<TYPE> to tensor<f32>
  %rate = arith.divf %lr, %nf {train.phase = #train.phase<optimizer>} : tensor<f32>
  %r = train.broadcast %rate dims [] {train.phase = #train.phase<optimizer>} : (tensor<f32>) -> tensor<32x32xf32>
  %u = arith.mulf %r, %g {train.phase = #train.phase<optimizer>} : tensor<32x32xf32>
  %v = arith.subf %w, %u {train.phase = #train.phase<optimizer>} : tensor<32x32xf32>
  return %loss, %v, %n : tensor<f32>, tensor<32x32xf32>, tensor<TYPE>
}
"""
X = np.random.default_rng(0).integers(-4, 4, (32, 32)).astype(np.float32)


@pytest.fixture(scope="module", params=["i32", "i64"])
def module_path(request, tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("counting")
    (folder / "step.mlir").write_text(STEP.replace("TYPE", request.param))
    subprocess.run([tool("prec-compile"), folder / "step.mlir", "--recipe=fp32", "--target=cpu", "-o", folder / "step.so"], check=True)
    return folder / "step.so"


def start(path):
    module = prec.Module(path)
    module.set("w", np.eye(32, dtype=np.float32))
    return module


def test_a_count_divides_the_rate(module_path):
    module, w = start(module_path), np.eye(32, dtype=np.float32)
    gradient = np.repeat(X.sum(0)[:, None], 32, 1)
    for step in range(1, 5):
        module.step({"x": X})
        w = w - np.float32(0.1) / np.float32(step) * gradient
        assert module.get("w.count") == step
        np.testing.assert_allclose(module.get("w"), w, rtol=1e-6)


def test_a_checkpoint_goes_on_counting(module_path, tmp_path):
    module = start(module_path)
    for _ in range(3):
        module.step({"x": X})
    module.save_checkpoint(tmp_path / "checkpoint")
    resumed = prec.Module(module_path)
    resumed.load(tmp_path / "checkpoint")
    assert resumed.get("w.count") == 3
    for each in (module, resumed):
        each.step({"x": X})
    assert resumed.get("w.count") == 4 and resumed.get("w").tobytes() == module.get("w").tobytes()


def test_a_count_is_no_fraction(module_path):
    module = start(module_path)
    with pytest.raises(RuntimeFailure):
        module.set("w.count", np.float32(1.5))
