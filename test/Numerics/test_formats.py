# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formats and rounding against ml_dtypes and PyTorch."""
import subprocess

import ml_dtypes
import numpy as np
import pytest
import torch

FORMATS = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "e5m2": ml_dtypes.float8_e5m2,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e2m1": ml_dtypes.float4_e2m1fn,
}
TORCH = {
    "bf16": torch.bfloat16,
    "f16": torch.float16,
    "e5m2": torch.float8_e5m2,
    "e4m3": torch.float8_e4m3fn,
}


def round_with(tool, name, overflow, values):
    out = subprocess.run([tool, name, overflow], input=np.asarray(values, np.float64).tobytes(),
                         capture_output=True, check=True).stdout
    return np.frombuffer(out, np.float64)


def finite_values(name):
    """Every finite value of a format."""
    dtype = np.dtype(FORMATS[name])
    bits = 4 if name == "e2m1" else 8 * dtype.itemsize
    codes = np.arange(2 ** bits, dtype=np.uint16 if bits == 16 else np.uint8)
    values = codes.view(dtype).astype(np.float64)
    return np.unique(values[np.isfinite(values)])


def interesting(name):
    """Values, midpoints and their neighbors in f32, and random magnitudes."""
    values = finite_values(name)
    middles = (values[1:] + values[:-1]) / 2
    at = np.concatenate([values, middles]).astype(np.float32)
    near = np.concatenate([at, np.nextafter(at, np.float32(np.inf)), np.nextafter(at, np.float32(-np.inf))])
    generator = np.random.default_rng(0)
    signs = generator.choice([-1, 1], 200_000)
    spread = (signs * np.exp2(generator.uniform(-30, 30, 200_000))).astype(np.float32)
    return np.concatenate([near, spread, np.float32([0, 1e38, -1e38, 3.4e38])])


@pytest.mark.parametrize("name", FORMATS)
def test_every_value_is_kept(round_values, name):
    values = finite_values(name)
    assert np.array_equal(round_with(round_values, name, "saturate", values), values)


@pytest.mark.parametrize("name", FORMATS)
def test_rounds_like_ml_dtypes(round_values, name):
    values = interesting(name)
    with np.errstate(over="ignore"):
        expected = values.astype(FORMATS[name]).astype(np.float64)
    got = round_with(round_values, name, "special", values)
    assert np.array_equal(got, expected, equal_nan=True)


@pytest.mark.parametrize("name", TORCH)
def test_rounds_like_torch(round_values, name):
    values = interesting(name)
    expected = torch.from_numpy(values).to(TORCH[name]).double().numpy()
    # PyTorch 2.13 saturates E4M3; older ones made NaN of what is too large.
    got = round_with(round_values, name, "saturate" if name == "e4m3" else "special", values)
    assert np.array_equal(got, expected, equal_nan=True)


@pytest.mark.parametrize("name", FORMATS)
def test_saturates_at_the_largest_value(round_values, name):
    values = interesting(name)
    largest = finite_values(name)[-1]
    got = round_with(round_values, name, "saturate", values)
    with np.errstate(over="ignore"):
        inside = np.clip(values, -largest, largest).astype(FORMATS[name]).astype(np.float64)
    assert np.array_equal(got, inside)


def test_f32_is_single_precision(round_values):
    values = np.random.default_rng(1).standard_normal(100_000) * np.exp2(
        np.random.default_rng(2).uniform(-160, 100, 100_000))
    with np.errstate(over="ignore", under="ignore"):
        expected = values.astype(np.float32).astype(np.float64)
    assert np.array_equal(round_with(round_values, "f32", "special", values), expected)
