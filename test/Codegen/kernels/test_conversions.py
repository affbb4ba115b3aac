"""Conversions between formats, exhaustively or on 10^7 random bit patterns."""

import ml_dtypes
import numpy as np
import pytest

import harness
from cases import BF16, E4M3, E5M2, to_fp8
from harness import Case, tensor

NARROW = {"bf16": BF16, "f16": np.float16, "f8E4M3FN": E4M3, "f8E5M2": E5M2}


def run(case, tmp_path, *arrays):
    harness.build(case, "cpu", tmp_path)
    return harness.run_cpu(case, tmp_path, list(arrays))


def widen(element, count):
    narrow, wide = tensor([count], element), tensor([count], "f32")
    return Case(f"widen_{element}", "elementwise", [narrow], [wide],
                f"%y = arith.extf %0 : {narrow} to {wide}", "%y", None, None)


def narrow(element, count):
    small, wide = tensor([count], element), tensor([count], "f32")
    return Case(f"narrow_{element}", "elementwise", [wide], [small],
                f"%y = arith.truncf %0 : {wide} to {small}", "%y", None, None)


@pytest.mark.parametrize("element", NARROW)
def test_widen_all(element, tmp_path):
    dtype = np.dtype(NARROW[element])
    count = 1 << (8 * dtype.itemsize)
    values = np.arange(count, dtype=f"u{dtype.itemsize}").view(dtype)
    got, = run(widen(element, count), tmp_path, values)
    np.testing.assert_array_equal(harness.bits(got), harness.bits(values.astype(np.float32)))


def interesting(rng, count):
    """Random bit patterns, and the neighbourhood of everything that is special."""
    raw = rng.integers(0, 1 << 32, count, dtype=np.uint32)
    # All bf16 values, their halves (ties of bf16), and numbers near FP8's range.
    ties = np.arange(1 << 17, dtype=np.uint32) << np.uint32(15)
    near = np.concatenate([ties - np.uint32(1), ties + np.uint32(1)])
    fp8 = (rng.integers(-20, 20, count // 2) + 127).astype(np.uint32) << np.uint32(23)
    fp8 |= rng.integers(0, 64, count // 2, dtype=np.uint32) << np.uint32(17)
    fp8 |= rng.integers(0, 2, count // 2, dtype=np.uint32) << np.uint32(31)
    jitter = rng.integers(-1, 2, count // 2).astype(np.int64)
    fp8 = (fp8.astype(np.int64) + jitter).astype(np.uint32)
    return np.concatenate([raw, ties, near, fp8]).view(np.float32)


@pytest.mark.parametrize("element", NARROW)
def test_narrow(element, tmp_path):
    values = interesting(np.random.default_rng(7), 10_000_000)
    got, = run(narrow(element, values.size), tmp_path, values)
    with np.errstate(over="ignore", invalid="ignore"):
        want = to_fp8(values, NARROW[element]) if "f8" in element else values.astype(NARROW[element])
    np.testing.assert_array_equal(harness.bits(got), harness.bits(want))
    # The one NaN of a format.
    raw = got.view(f"u{got.itemsize}")[np.isnan(values)]
    assert (raw == {1: 0x7F, 2: 0x7FFF}[got.itemsize]).all()
    infinite = np.isinf(values)
    assert infinite.any()
    if "f8" in element:
        limit = float(ml_dtypes.finfo(NARROW[element]).max)
        np.testing.assert_array_equal(got[infinite].astype(np.float32), np.copysign(limit, values[infinite]))
