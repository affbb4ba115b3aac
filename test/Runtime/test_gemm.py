# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `gemm` against float64, for every format, layout and epilogue, within bounds derived from format and
length."""
import itertools

import ml_dtypes
import numpy as np
import pytest
from step_module import StepModule

from prec.interpreter.gemm_scales import lay_out, tile

FORMATS = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
           "f8E5M2": ml_dtypes.float8_e5m2}
# Unit roundoff and smallest subnormal.
ROUNDOFF = {"f32": 2.0**-24, "bf16": 2.0**-8, "f16": 2.0**-11, "f8E4M3FN": 2.0**-4, "f8E5M2": 2.0**-3}
TINY = {"f32": 2.0**-149, "bf16": 2.0**-133, "f16": 2.0**-24, "f8E4M3FN": 2.0**-9, "f8E5M2": 2.0**-16}
NUMPY_NAME = {"f32": "float32", "bf16": "bfloat16", "f16": "float16", "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2"}


def run(tmp_path, open_module, a, b, d_dtype, d_shape, m, n, k, c=None, scales=(), scalings=("tensor_current",) * 2, scale_dtype="f32",
        tensor_scales=(), bias=None, **keys):
    """One gemm; a, b, c are pairs (dtype, array)."""
    module = StepModule()
    inputs = {}

    def operand(name, pair):
        dtype, array = pair
        index = module.bind(name, "buffer", dtype, list(array.shape))
        inputs[name] = np.asarray(array)
        return index

    ia, ib = operand("a", a), operand("b", b)
    d = module.bind("d", "buffer", d_dtype, list(d_shape))
    inputs["d"] = np.zeros(d_shape, FORMATS[d_dtype])
    if c is not None:
        if keys.pop("in_place", False):
            inputs["d"], keys["c"] = c[1], d
        else:
            keys["c"] = operand("c", c)
    for side, value, scaling in zip("ab", scales, scalings):
        keys[f"scale_{side}"] = operand(f"scale_{side}", (scale_dtype, np.asarray(value, FORMATS.get(scale_dtype))))
        keys[f"scaling_{side}"] = scaling
    for key, value in zip(("tensor_scale_a", "tensor_scale_b"), tensor_scales):
        keys[key] = operand(key, ("f32", np.asarray(value, np.float32)))
    if bias is not None:
        module.manifest["abi"] = 4
        keys["bias"] = operand("bias", bias)
    module.gemm("step", "gemm", ia, ib, d, m, n, k, **keys)
    opened = open_module(module.build(tmp_path / "step.so"))
    for name, array in inputs.items():
        opened.set(name, array)
    opened.step()
    return opened.get("d")


def check(result, exact, magnitude, d_dtype, k):
    """|error| <= u|d| for the rounding, and gamma_(k+3) of the sum of magnitudes for k additions and the inverse scales
    in f32."""
    gamma = (k + 3) * 2.0**-24 * 1.01
    largest = float(ml_dtypes.finfo(FORMATS[d_dtype]).max)
    saturated = np.clip(exact, -largest, largest)
    bound = ROUNDOFF[d_dtype] * (np.abs(saturated) + gamma * magnitude) + gamma * magnitude + TINY[d_dtype]
    error = np.abs(result.astype(np.float64) - saturated)
    assert np.all(error <= bound), float(np.max(error / bound))


def random(dtype, shape, seed):
    return dtype, np.random.default_rng(seed).standard_normal(shape).astype(np.float32).astype(FORMATS[dtype])


@pytest.mark.parametrize("d_dtype", FORMATS)
@pytest.mark.parametrize("a_dtype, b_dtype", [("f32", "f32"), ("bf16", "bf16"), ("f16", "f16"), ("f8E4M3FN", "f8E4M3FN"),
                                              ("f8E5M2", "f8E4M3FN"), ("bf16", "f32")])
def test_formats(tmp_path, open_module, a_dtype, b_dtype, d_dtype):
    m, n, k = 70, 130, 90
    a, b = random(a_dtype, (m, k), 1), random(b_dtype, (n, k), 2)
    a64, b64 = a[1].astype(np.float64), b[1].astype(np.float64).T
    scales = (0.37, 1.9)
    factor = float(np.float32(0.37)) * float(np.float32(1.9)) * 0.5
    result = run(tmp_path, open_module, a, b, d_dtype, (m, n), m, n, k, transpose_b=True, scales=scales, alpha=0.5)
    check(result, factor * (a64 @ b64), factor * (np.abs(a64) @ np.abs(b64)), d_dtype, k)


@pytest.mark.parametrize("dtype, d_dtype", [("bf16", "bf16"), ("f16", "f16"), ("bf16", "f32"), ("f32", "f32")])
@pytest.mark.parametrize("ta, tb, in_place", list(itertools.product((False, True), repeat=3)))
def test_layouts_and_epilogue(tmp_path, open_module, ta, tb, in_place, dtype, d_dtype):
    m, n, k = 300, 520, 65
    a, b, c = random(dtype, (k, m) if ta else (m, k), 1), random(dtype, (n, k) if tb else (k, n), 2), random(d_dtype, (m, n), 3)
    a64, b64, c64 = (x[1].astype(np.float64) for x in (a, b, c))
    a64, b64 = (a64.T if ta else a64), (b64.T if tb else b64)
    result = run(tmp_path, open_module, a, b, d_dtype, (m, n), m, n, k, c=c, beta=-0.5, transpose_a=ta, transpose_b=tb,
                 in_place=in_place)
    check(result, a64 @ b64 - 0.5 * c64, np.abs(a64) @ np.abs(b64) + np.abs(c64), d_dtype, k + 1)


@pytest.mark.parametrize("dtype, d_dtype", [("bf16", "f32"), ("bf16", "bf16"), ("f16", "f32"), ("f32", "f32")])
@pytest.mark.parametrize("shared", [False, True])
def test_batches(tmp_path, open_module, dtype, d_dtype, shared):
    count, m, n, k = 5, 33, 17, 29
    a = random(dtype, (count, m, k), 1)
    b = random(dtype, (k, n) if shared else (count, k, n), 2)
    a64, b64 = a[1].astype(np.float64), b[1].astype(np.float64)
    result = run(tmp_path, open_module, a, b, d_dtype, (count, m, n), m, n, k, batch=count,
                 **({"stride_b": 0} if shared else {}))
    check(result, a64 @ b64, np.abs(a64) @ np.abs(b64), d_dtype, k)


def test_f32_c_is_added_once(tmp_path, open_module):
    m, n, k = 64, 1100, 40
    a, b, c = random("f32", (m, k), 1), random("f32", (k, n), 2), random("f32", (m, n), 3)
    a64, b64, c64 = (x[1].astype(np.float64) for x in (a, b, c))
    result = run(tmp_path, open_module, a, b, "f32", (m, n), m, n, k, c=c, beta=2.0)
    check(result, a64 @ b64 + 2 * c64, np.abs(a64) @ np.abs(b64) + 2 * np.abs(c64), "f32", k + 1)


@pytest.mark.parametrize("dtype, d_dtype", [("f32", "f32"), ("bf16", "bf16"), ("bf16", "f32"), ("f16", "f16"), ("f8E4M3FN", "bf16"),
                                            ("f8E4M3FN", "f16"), ("f8E4M3FN", "f32")])
@pytest.mark.parametrize("beta", [0.0, -0.5])
def test_bias(tmp_path, open_module, dtype, d_dtype, beta):
    """Added to the sums of every row in f32, which are rounded once. Columns are more than those of a tile."""
    m, n, k = 70, 1100, 90
    is_scaled = dtype == "f8E4M3FN"
    a, b, c = random(dtype, (m, k), 1), random(dtype, (n, k), 2), random(d_dtype, (m, n), 3)
    bias = random("bf16" if is_scaled and d_dtype == "f32" else d_dtype, (n,), 4)
    a64, b64, c64, bias64 = (x[1].astype(np.float64) for x in (a, b, c, bias))
    factor = float(np.float32(0.37)) * float(np.float32(1.9)) if is_scaled else 1
    result = run(tmp_path, open_module, a, b, d_dtype, (m, n), m, n, k, c=c if beta else None, beta=beta, transpose_b=True, bias=bias,
                 scales=(0.37, 1.9) if is_scaled else ())
    check(result, factor * (a64 @ b64.T) + beta * c64 + bias64,
          factor * (np.abs(a64) @ np.abs(b64.T)) + np.abs(beta * c64) + np.abs(bias64), d_dtype, k + 2)


def test_a_bias_is_added_before_the_rounding(tmp_path, open_module):
    """1 + 2^-8 is halfway between two numbers of bf16, of which the even one is 1; with 2^-8 more it is the other
    one."""
    one, ulp = np.float32(1), np.float32(2**-8)
    a, b = ("bf16", np.array([[one, ulp]], ml_dtypes.bfloat16)), ("bf16", np.ones((2, 3), ml_dtypes.bfloat16))
    bias = ("bf16", np.array([0, ulp, -ulp], ml_dtypes.bfloat16))
    result = run(tmp_path, open_module, a, b, "bf16", (1, 3), 1, 3, 2, bias=bias)
    np.testing.assert_array_equal(result.astype(np.float32), [[1, one + 2 * ulp, 1]])


def fine_scales(rows, k, kind, seed):
    """Inverse scales of many sizes, and the inverse scale of each element."""
    heights, depths = {"tensor_delayed": (rows, k), "row": (1, k), "block_1x128": (1, 128), "block_128x128": (128, 128)}[kind]
    shape = -(-rows // heights), -(-k // depths)
    scale_invs = np.exp2(np.random.default_rng(seed).uniform(-6, 6, shape)).astype(np.float32)
    each = scale_invs.astype(np.float64).repeat(heights, 0)[:rows].repeat(depths, 1)[:, :k]
    return lay_out(scale_invs, kind), each


FINE = [("row", "row"), ("block_1x128", "block_1x128"), ("block_1x128", "block_128x128"), ("block_128x128", "block_128x128"),
        ("tensor_delayed", "row"), ("row", "block_1x128")]


@pytest.mark.parametrize("d_dtype", ["f32", "bf16"])
@pytest.mark.parametrize("m, n, k", [(70, 130, 90), (300, 600, 128), (5, 260, 400), (256, 16, 512), (1, 1, 300)])
@pytest.mark.parametrize("kind_a, kind_b", FINE)
def test_fine_scales(tmp_path, open_module, kind_a, kind_b, m, n, k, d_dtype):
    a, b = random("f8E4M3FN", (m, k), 1), random("f8E4M3FN", (n, k), 2)
    (scale_a, each_a), (scale_b, each_b) = fine_scales(m, k, kind_a, 3), fine_scales(n, k, kind_b, 4)
    x, y = a[1].astype(np.float64) * each_a, b[1].astype(np.float64) * each_b
    result = run(tmp_path, open_module, a, b, d_dtype, (m, n), m, n, k, transpose_b=True, scales=(scale_a, scale_b),
                 scalings=(kind_a, kind_b), alpha=0.5)
    check(result, 0.5 * (x @ y.T), 0.5 * (np.abs(x) @ np.abs(y.T)), d_dtype, k)


def micro_operand(kind, rows, k, seed):
    """Stored data and inverse scales, and the elements that they are, in float64."""
    rng = np.random.default_rng(seed)
    depth = {"mx": 32, "nvfp4": 16}[kind]
    shape = rows, -(-k // depth)
    if kind == "mx":
        scale_invs = rng.integers(100, 150, shape, np.uint8).view(ml_dtypes.float8_e8m0fnu)
        stored = data = random("f8E4M3FN", (rows, k), seed)[1]
    else:
        scale_invs = rng.integers(0, 127, shape, np.uint8).view(ml_dtypes.float8_e4m3fn)
        codes = rng.integers(0, 16, (rows, k), np.uint8)
        stored, data = (codes[:, ::2] | codes[:, 1::2] << 4).view(np.int8), codes.view(ml_dtypes.float4_e2m1fn)
    each = scale_invs.astype(np.float64).repeat(depth, 1)[:, :k]
    return stored, tile(scale_invs), data.astype(np.float64) * each


@pytest.mark.parametrize("d_dtype", ["f32", "bf16"])
@pytest.mark.parametrize("m, n, k", [(70, 130, 90), (300, 600, 128), (5, 260, 400), (1, 1, 30), (3, 2, 16)])
@pytest.mark.parametrize("kind", ["mx", "nvfp4"])
def test_microscaled_operands(tmp_path, open_module, kind, m, n, k, d_dtype):
    """Blocks of 32 with e8m0 inverse scales, packed blocks of 16 with e4m3 inverse scales and those of tensors; the
    last of a row shorter."""
    (a, scale_a, x), (b, scale_b, y) = micro_operand(kind, m, k, 1), micro_operand(kind, n, k, 2)
    dtype, factor = {"mx": ("f8E8M0FNU", 0.5), "nvfp4": ("f8E4M3FN", 0.5 * float(np.float32(0.37)) * float(np.float32(1e-3)))}[kind]
    stored = "i8" if kind == "nvfp4" else "f8E4M3FN"
    tensors = {"tensor_scales": (0.37, 1e-3)} if kind == "nvfp4" else {}
    result = run(tmp_path, open_module, (stored, a), (stored, b), d_dtype, (m, n), m, n, k, transpose_b=True,
                 scales=(scale_a, scale_b), scalings=({"mx": "mx_1x32", "nvfp4": "nvfp4_1x16"}[kind],) * 2, scale_dtype=dtype, alpha=0.5, **tensors)
    check(result, factor * (x @ y.T), factor * (np.abs(x) @ np.abs(y.T)), d_dtype, k + 2)


@pytest.mark.parametrize("a_dtype, b_dtype", [("f8E4M3FN", "f8E5M2"), ("f16", "f16")])
@pytest.mark.parametrize("kind", ["row", "block_1x128"])
@pytest.mark.parametrize("in_place", [False, True])
def test_fine_scales_in_any_layout(tmp_path, open_module, in_place, kind, a_dtype, b_dtype):
    m, n, k = 300, 520, 200
    a, b, c = random(a_dtype, (k, m), 1), random(b_dtype, (k, n), 2), random("bf16", (m, n), 3)
    (scale_a, each_a), (scale_b, each_b) = fine_scales(m, k, kind, 3), fine_scales(n, k, kind, 4)
    x, y, c64 = a[1].astype(np.float64).T * each_a, b[1].astype(np.float64).T * each_b, c[1].astype(np.float64)
    result = run(tmp_path, open_module, a, b, "bf16", (m, n), m, n, k, c=c, beta=-0.5, transpose_a=True, scales=(scale_a, scale_b),
                 scalings=(kind, kind), in_place=in_place)
    check(result, x @ y.T - 0.5 * c64, np.abs(x) @ np.abs(y.T) + np.abs(c64), "bf16", k + 1)


def test_blocks_are_scaled_one_by_one(tmp_path, open_module):
    """Sums that FP32 holds: one block's rounding to FP32 shows, and the order of the two inverse scales."""
    m, n, k = 3, 4, 256
    rng = np.random.default_rng(0)
    a, b = (("f8E4M3FN", rng.integers(-8, 9, shape).astype(np.float32).astype(FORMATS["f8E4M3FN"])) for shape in ((m, k), (n, k)))
    scale_a, scale_b = (rng.uniform(0.5, 2, shape).astype(np.float32) for shape in ((m, 2), (n, 2)))
    x, y = a[1].astype(np.float32), b[1].astype(np.float32)
    expected = np.zeros((m, n), np.float32)
    for block in range(2):
        part = x[:, 128 * block:128 * block + 128] @ y[:, 128 * block:128 * block + 128].T
        expected += part * scale_b[:, block] * scale_a[:, block, None]
    scales = lay_out(scale_a, "block_1x128"), lay_out(scale_b, "block_1x128")
    result = run(tmp_path, open_module, a, b, "f32", (m, n), m, n, k, transpose_b=True, scales=scales, scalings=("block_1x128",) * 2)
    np.testing.assert_array_equal(result, expected)


def test_a_zero_sum_stays_zero(tmp_path, open_module):
    """Inverse scales whose product overflows make no NaN of it."""
    a, b = (("f8E4M3FN", np.zeros((16, 16), FORMATS["f8E4M3FN"])) for _ in range(2))
    huge = np.full(16, 1e30, np.float32)
    assert not run(tmp_path, open_module, a, b, "f32", (16, 16), 16, 16, 16, transpose_b=True, scales=(huge, huge), scalings=("row", "row")).any()


def test_a_missing_rounding_would_be_noticed():
    """The bound is tight enough to tell bf16 rounded twice, or truncated, from rounded once."""
    exact = np.random.default_rng(0).standard_normal((200, 200))
    truncated = (exact.astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32)
    with pytest.raises(AssertionError):
        check(truncated, exact, np.abs(exact), "bf16", 8)
    with pytest.raises(AssertionError):
        check((exact * 1.01).astype(np.float32), exact, np.abs(exact), "bf16", 8)
