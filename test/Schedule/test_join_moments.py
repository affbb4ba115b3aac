# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--prec-join-moments: mean and variance in one pass, against float64, also where the mean is far larger than what
varies and where first rows are outliers."""
import numpy as np
import pytest

from prec.interpreter import Program

SHAPE, CHANNELS = (16, 8, 16), 40
TEXT = """func.func @step(%x: tensor<16x8x16x40xf32>) -> (tensor<40xf32>, tensor<40xf32>) attributes {prec.entry = "step"} {
  %n = arith.constant dense<2048.0> : tensor<40xf32>
  %s = prec_train.reduce sum %x dims [0, 1, 2] : (tensor<16x8x16x40xf32>) -> tensor<40xf32>
  %m = arith.divf %s, %n : tensor<40xf32>
  %b = prec_train.broadcast %m dims [3] : (tensor<40xf32>) -> tensor<16x8x16x40xf32>
  %d = arith.subf %x, %b : tensor<16x8x16x40xf32>
  %q = arith.mulf %d, %d : tensor<16x8x16x40xf32>
  %t = prec_train.reduce sum %q dims [0, 1, 2] : (tensor<16x8x16x40xf32>) -> tensor<40xf32>
  return %m, %t : tensor<40xf32>, tensor<40xf32>
}
"""
ROWS = 2048
EPS = 2.0 ** -24


def draw(kind):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((ROWS, CHANNELS))
    if kind == "large means":
        x += 10.0 ** np.linspace(0, 5, CHANNELS)
    elif kind == "bfloat16":
        import ml_dtypes
        x = (x + 100).astype(ml_dtypes.bfloat16)
    elif kind == "outliers first":
        x[:: 128] += 1e4
    elif kind == "constant":
        x[:] = 3.7
    elif kind == "images of other means":
        x += np.repeat(1e3 * rng.standard_normal((16, CHANNELS)), ROWS // 16, axis=0)
    return np.asarray(x, np.float32)


@pytest.mark.parametrize("kind", ["normal", "large means", "bfloat16", "outliers first", "constant", "images of other means"])
def test_against_float64(prec_opt, kind):
    module = Program.of_text(TEXT, prec_opt=prec_opt, passes=["--prec-join-moments"])
    x = draw(kind)
    mean, squares = module.run({0: x.reshape(*SHAPE, CHANNELS)}, function="step")
    wide = x.astype(np.float64)
    wanted = wide.mean(0)
    # What is summed are differences from first rows.
    far = np.abs(wide - wide[:1]).max(0)
    assert (np.abs(mean - wanted) <= EPS * (4 * np.abs(wanted) + 32 * far)).all()
    # The sum that the step asks for is of differences from its own mean, which is rounded.
    exact = ((wide - mean) ** 2).sum(0)
    # 1 + k of a group of 128 rows is about 2; where each first row is an outlier it is their number.
    bound = (3 * 32 * (1 + 128) if kind == "outliers first" else 3 * 32 * 4) * EPS
    assert (np.abs(squares - exact) <= bound * exact).all()
    assert kind != "constant" or not squares.any()


def test_not_finite(prec_opt):
    """What is not finite is not hidden."""
    module = Program.of_text(TEXT, prec_opt=prec_opt, passes=["--prec-join-moments"])
    x = draw("normal")
    x[5, 3], x[700, 7] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        mean, squares = module.run({0: x.reshape(*SHAPE, CHANNELS)}, function="step")
    assert not np.isfinite(mean[[3, 7]]).any() and np.isnan(squares[[3, 7]]).all()
    assert np.isfinite(squares[[0, 1, 2, 4]]).all()
