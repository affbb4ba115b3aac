# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions between formats, exhaustively or on 10^7 random bit patterns."""

import harness
import ml_dtypes
import numpy as np
import pytest
from conversions import NARROW, interesting, narrowed
from harness import Case, tensor


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


@pytest.mark.parametrize("element", NARROW)
def test_narrow(element, tmp_path):
    values = interesting(np.random.default_rng(7), 10_000_000)
    got, = run(narrow(element, values.size), tmp_path, values)
    np.testing.assert_array_equal(harness.bits(got), harness.bits(narrowed(values, element)))
    # The one NaN of a format.
    raw = got.view(f"u{got.itemsize}")[np.isnan(values)]
    assert (raw == {1: 0x7F, 2: 0x7FFF}[got.itemsize]).all()
    infinite = np.isinf(values)
    assert infinite.any()
    if "f8" in element:
        limit = float(ml_dtypes.finfo(NARROW[element]).max)
        np.testing.assert_array_equal(got[infinite].astype(np.float32), np.copysign(limit, values[infinite]))
