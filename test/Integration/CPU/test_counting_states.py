# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizer states that are whole numbers, as a graph of primitives counts the updates of a parameter: kept, saved and
loaded as such."""
import subprocess

import numpy as np
import pytest

import prec
from prec.module import RuntimeFailure

# w -= lr / count * gradient, where the gradient of sum(x w) is the sums of the columns of x.
STEP = """
func.func @step(
    %w: tensor<32x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
    %c: tensor<TYPE> {prec_train.role = #prec_train.role<optimizer_state>,
        prec_train.path = "w.count", prec_train.param_of = "w", prec_train.slot = "count"},
    %x: tensor<32x32xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
    %lr: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr", prec_train.default = 0.1 : f64}
) -> (tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
      tensor<32x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64},
      tensor<TYPE> {prec_train.role = #prec_train.role<updated>,
          prec_train.path = "w.count", prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %loss = prec_train.reduce sum %y dims [0, 1] : (tensor<32x32xf32>) -> tensor<f32>
  %ones = arith.constant dense<1.0> : tensor<32x32xf32>
  %g = prec_train.matmul %x, %ones {transpose_a, prec_train.phase = #prec_train.phase<backward>} :
      (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %one = arith.constant dense<1> : tensor<TYPE>
  %n = arith.addi %c, %one {prec_train.phase = #prec_train.phase<optimizer>} : tensor<TYPE>
  %nf = arith.sitofp %n {prec_train.phase = #prec_train.phase<optimizer>} : tensor<TYPE> to tensor<f32>
  %rate = arith.divf %lr, %nf {prec_train.phase = #prec_train.phase<optimizer>} : tensor<f32>
  %r = prec_train.broadcast %rate dims [] {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<f32>) -> tensor<32x32xf32>
  %u = arith.mulf %r, %g {prec_train.phase = #prec_train.phase<optimizer>} : tensor<32x32xf32>
  %v = arith.subf %w, %u {prec_train.phase = #prec_train.phase<optimizer>} : tensor<32x32xf32>
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
