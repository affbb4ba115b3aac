# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Float conversions, bit for bit against ml_dtypes after clamping to the format's range (it does not saturate
itself)."""
import subprocess

import ml_dtypes
import numpy as np
import pytest

FORMATS = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2}
NAN = {"bf16": 0x7FC0, "f16": 0x7E00, "f8E4M3FN": 0x7F, "f8E5M2": 0x7F}


def code_type(dtype):
    return np.uint8 if dtype.startswith("f8") else np.uint16


def convert(build, tmp_path, dtype, direction, values):
    source, target = tmp_path / "in", tmp_path / "out"
    values.tofile(source)
    subprocess.run([build / "runtime-test-convert", dtype, direction, source, target], check=True)
    return np.fromfile(target, code_type(dtype) if direction == "to" else np.uint32)


def expected_codes(dtype, values):
    format_ = FORMATS[dtype]
    clamped = values
    if dtype.startswith("f8"):
        largest = float(ml_dtypes.finfo(format_).max)
        clamped = np.clip(values, -largest, largest)
    with np.errstate(over="ignore", invalid="ignore"):
        codes = clamped.astype(format_).view(code_type(dtype))
    return np.where(np.isnan(values), code_type(dtype)(NAN[dtype]), codes)


def interesting():
    """Around every rounding boundary of every format, both signs, and every bf16 value."""
    every_bf16 = (np.arange(1 << 16, dtype=np.uint32) << 16).view(np.float32)
    points = [every_bf16]
    for dtype, format_ in FORMATS.items():
        codes = np.arange(1 << (8 * np.dtype(format_).itemsize), dtype=np.uint32).astype(code_type(dtype))
        values = np.unique(codes.view(format_).astype(np.float32))
        values = values[np.isfinite(values)]
        middles = ((values[1:].astype(np.float64) + values[:-1]) / 2).astype(np.float32)
        for x in (values, middles):
            points += [x, np.nextafter(x, np.float32(np.inf)), np.nextafter(x, np.float32(-np.inf))]
    return np.concatenate(points)


@pytest.mark.parametrize("dtype", FORMATS)
def test_narrowing(build, tmp_path, dtype):
    random = np.random.default_rng(0).integers(0, 1 << 32, 10_000_000, dtype=np.uint32).view(np.float32)
    values = np.concatenate([interesting(), random])
    codes = convert(build, tmp_path, dtype, "to", values)
    wrong = np.flatnonzero(codes != expected_codes(dtype, values))
    assert not wrong.size, [(hex(values[i].view(np.uint32)), hex(codes[i])) for i in wrong[:5]]


@pytest.mark.parametrize("dtype", FORMATS)
def test_widening(build, tmp_path, dtype):
    codes = np.arange(1 << (8 * np.dtype(FORMATS[dtype]).itemsize), dtype=np.uint32).astype(code_type(dtype))
    values = convert(build, tmp_path, dtype, "from", codes).view(np.float32)
    expected = codes.view(FORMATS[dtype]).astype(np.float32)
    np.testing.assert_array_equal(np.isnan(values), np.isnan(expected))
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(values[number].view(np.uint32), expected[number].view(np.uint32))


@pytest.mark.parametrize("dtype", ["f8E4M3FN", "f8E5M2"])
def test_saturation(build, tmp_path, dtype):
    values = np.array([np.inf, -np.inf, 1e30, -1e30, np.nan, -np.nan], np.float32)
    largest = 0x7E if dtype == "f8E4M3FN" else 0x7B
    assert list(convert(build, tmp_path, dtype, "to", values)) == [largest, largest | 0x80, largest, largest | 0x80, 0x7F, 0x7F]


def test_powers_of_two(build, tmp_path):
    """E8M0: every code, and what is not negative to the nearest power of two. Of two the even code; ml_dtypes takes the
    larger."""
    codes = np.arange(255, dtype=np.uint8)
    powers = convert(build, tmp_path, "f8E8M0FNU", "from", codes).view(np.float32)
    np.testing.assert_array_equal(powers, codes.view(ml_dtypes.float8_e8m0fnu).astype(np.float32))
    assert np.isnan(convert(build, tmp_path, "f8E8M0FNU", "from", np.array([255], np.uint8)).view(np.float32))
    middles = powers[1:-1] * np.float32(1.5)
    values = np.concatenate([powers, np.nextafter(middles, np.float32(0)), np.nextafter(middles, np.float32(np.inf)), [np.inf, np.nan]])
    wanted = values.astype(np.float32).astype(ml_dtypes.float8_e8m0fnu).view(np.uint8)
    np.testing.assert_array_equal(convert(build, tmp_path, "f8E8M0FNU", "to", values.astype(np.float32)), wanted)
    np.testing.assert_array_equal(convert(build, tmp_path, "f8E8M0FNU", "to", middles), (codes[1:-1] + 1) // 2 * 2)
