# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moments in 8 bits after --prec-decompose against bitsandbytes' published maps, and nearest codes found by looking at
all."""
import numpy as np
import pytest
import torch
from dynamic_map import F32, dynamic_map

from prec.interpreter import Program


def test_the_map_is_torchs():
    for signed in (True, False):
        data = [0.0, 1.0]
        for i in range(7):
            boundaries = torch.linspace(0.1, 1, (2 ** i if signed else 2 ** (i + 1)) + 1, dtype=torch.float32)
            means = (boundaries[:-1] + boundaries[1:]) / 2.0
            for sign in (1, -1) if signed else (1,):
                data += (sign * (10 ** (-6 + i)) * means).tolist()
        np.testing.assert_array_equal(dynamic_map(signed), torch.tensor(sorted(data), dtype=torch.float32).numpy())


def functions(signed, shape, blocks):
    mark = "signed " if signed else ""
    types = f"tensor<{'x'.join(map(str, shape))}x"
    return f"""
func.func @quantize(%x: {types}f32>) -> ({types}i8>, tensor<{blocks}xf32>) {{
  %c, %a = prec.dynamic_quantize %x {mark}: {types}f32> to {types}i8>, tensor<{blocks}xf32>
  return %c, %a : {types}i8>, tensor<{blocks}xf32>
}}
func.func @dequantize(%c: {types}i8>, %a: tensor<{blocks}xf32>) -> {types}f32> {{
  %x = prec.dynamic_dequantize %c, %a {mark}: {types}i8>, tensor<{blocks}xf32> to {types}f32>
  return %x : {types}f32>
}}
"""


@pytest.fixture(scope="module", params=[((64, 64), 16), ((4096,), 16), ((3, 8, 32), 3), ((2, 384), 3)], ids=str)
def shape(request):
    return request.param


@pytest.mark.parametrize("signed", [True, False])
def test_every_code_is_its_value(signed, prec_opt):
    module = Program.of_text(functions(signed, (4, 64), 1), prec_opt=prec_opt, passes=["--prec-decompose"])
    codes = np.arange(256, dtype=np.uint8).view(np.int8).reshape(4, 64)
    values, = module.run({0: codes, 1: np.ones(1, F32)}, function="dequantize")
    np.testing.assert_array_equal(values.ravel(), dynamic_map(signed))


@pytest.mark.parametrize("signed", [True, False])
def test_codes_are_the_nearest(signed, shape, prec_opt):
    sizes, blocks = shape
    module = Program.of_text(functions(signed, sizes, blocks), prec_opt=prec_opt, passes=["--prec-decompose"])
    generator = np.random.default_rng(0)
    x = generator.standard_normal((blocks, 256)) * 10.0 ** generator.integers(-30, 20, (blocks, 1)) * 10.0 ** generator.uniform(-8, 0, (blocks, 256))
    x = (x if signed else np.abs(x)).astype(F32)
    x[0] = 0
    codes, absmax = module.run({0: x.reshape(sizes)}, function="quantize")
    assert codes.shape == sizes and codes.dtype == np.int8
    np.testing.assert_array_equal(absmax, np.abs(x).max(1))
    table = dynamic_map(signed)
    codes = codes.view(np.uint8).reshape(blocks, 256).astype(int)
    scaled = x / np.where(absmax == 0, F32(1), absmax)[:, None]
    distances = np.abs(scaled[..., None].astype(np.float64) - table)
    chosen = np.take_along_axis(distances, codes[..., None], -1)[..., 0]
    # Bounds between codes are rounded to f32: of two that are equally near to that, either will do.
    assert np.all(chosen <= distances.min(-1) + np.spacing(np.abs(scaled)))
    assert np.all(table[codes[0]] == 0)
    values, = module.run({0: codes.astype(np.uint8).view(np.int8).reshape(sizes), 1: absmax}, function="dequantize")
    np.testing.assert_array_equal(values.reshape(blocks, 256), table[codes] * absmax[:, None])
    # Neighbors are farthest from each other where a decade begins: at 1, 0.0141 of it; below the least of the map all
    # is near 0.
    widest = np.diff(table).max() / 2
    assert np.all(np.abs(values.reshape(blocks, 256) - x) <= (widest + 1e-6) * absmax[:, None])


def test_bytes_of_zero_are_zero(prec_opt):
    module = Program.of_text(functions(True, (256,), 1), prec_opt=prec_opt, passes=["--prec-decompose"])
    values, = module.run({0: np.zeros(256, np.int8), 1: np.zeros(1, F32)}, function="dequantize")
    assert np.all(values == 0)
