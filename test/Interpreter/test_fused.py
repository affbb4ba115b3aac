# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and sums that are rounded once, beside exact fractions: where the sum cancels the product, and where not."""
from fractions import Fraction

import numpy as np
import torch

from prec.interpreter.fused import exact_fma


def test_a_product_and_a_sum_round_once():
    random = np.random.default_rng(0)
    x, y = random.normal(size=(2, 400))
    z = np.concatenate([-(x * y)[:200], random.normal(size=200)])
    right = np.array([float(Fraction(a) * Fraction(b) + Fraction(c)) for a, b, c in zip(x, y, z)])
    assert np.any(right[:200] != 0), "what rounding has lost"
    np.testing.assert_array_equal(exact_fma(np.where, x, y, z), right)
    np.testing.assert_array_equal(exact_fma(torch.where, *map(torch.from_numpy, (x, y, z))).numpy(), right)


def test_infinities_and_no_numbers():
    x, y, z = np.array([np.inf, 1e300, 1.0, np.nan, np.inf]), np.array([1.0, 1e300, 2.0, 1.0, 0.0]), np.array([1.0, 1.0, -np.inf, 1.0, 1.0])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(exact_fma(np.where, x, y, z), [np.inf, np.inf, -np.inf, np.nan, np.nan])
