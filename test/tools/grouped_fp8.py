# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grouped products of scaled FP8 operands: scales of groups, of rows and of blocks, forward and as gradients of aligned
groups; what they give is computed by NumPy in float64."""
import ml_dtypes
import numpy as np

FP8 = {"f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2}
TENSOR, ROW, BLOCK = ("tensor_current", "tensor_delayed"), ("row", "row"), ("block_1x128", "block_128x128")
NARROW = ("block_1x128", "block_1x128")
# Rows, inner, outer, ends, scalings.
FORWARD = {
    "even": (48, 32, 16, (16, 32, 48), TENSOR),
    "empty groups": (37, 48, 24, (0, 5, 5, 37), TENSOR),
    "rows of no group": (40, 16, 16, (8, 24), TENSOR),
    "ends that do not rise": (36, 16, 24, (20, 12, 80), TENSOR),
    "long": (300, 1300, 272, (7, 290, 300), TENSOR),
    "rows": (48, 320, 16, (16, 40, 48), ROW),
    "blocks": (48, 320, 128, (16, 40, 48), BLOCK),
    "many blocks": (530, 1160, 384, (3, 300, 300, 520), BLOCK),
}
# Rows of all groups together, left and right columns, ends, scalings.
GRADIENT = {
    "even": (48, 32, 16, (16, 32, 48), TENSOR),
    "empty groups": (37, 48, 24, (0, 5, 5, 37), TENSOR),
    "rows of no group": (40, 16, 16, (8, 24), TENSOR),
    "long": (1500, 272, 40, (7, 1290, 1300), TENSOR),
    "rows": (300, 32, 48, (150, 170, 300), ROW),
    "blocks": (300, 32, 48, (150, 170, 300), NARROW),
    "many blocks": (900, 300, 290, (1, 300, 300, 888), NARROW),
}
CASES = [(name, gradient) for gradient, cases in ((False, FORWARD), (True, GRADIENT)) for name in cases]


def ranges(ends, rows):
    """First and last row of each group."""
    first = 0
    for end in ends:
        last = max(first, min(end, rows))
        yield first, last
        first = last


def aligned(rows, groups):
    return (rows + min(rows, groups) * 127) // 128 * 128


def scaled(shape, scaling, groups, random):
    """Inverse scales of an operand as they lie in memory, and as a matrix of those of all elements or of groups."""
    rows, k = int(np.prod(shape[:-1])), shape[-1]
    draw = lambda *size: np.exp2(random.uniform(-3, 3, size)).astype(np.float32)  # noqa: E731
    if scaling.startswith("tensor"):
        return (own := draw(groups)), own
    if scaling == "row":
        return (own := draw(rows)), np.repeat(own[:, None], k, 1)
    height = 1 if scaling == "block_1x128" else 128
    blocks = draw(rows // height, -(-k // 128))
    spread = blocks.repeat(height, 0).repeat(128, 1)[:, :k]
    if height == 1:
        return np.ascontiguousarray(blocks.T), spread
    return np.pad(blocks, ((0, 0), (0, -blocks.shape[1] % 4))).reshape(len(blocks), -1, 4), spread


class Problem:
    """Operands, inverse scales and their products."""

    def __init__(self, name, gradient, seed=5):
        self.rows, inner, outer, self.ends, (left, right) = (GRADIENT if gradient else FORWARD)[name]
        self.gradient, self.scalings, groups = gradient, (left, right), len(self.ends)
        random = np.random.default_rng(seed)
        width = aligned(self.rows, groups)
        shapes = ((inner, width), (outer, width)) if gradient else ((self.rows, inner), (groups, outer, inner))
        self.dtypes = ("f8E5M2", "f8E4M3FN") if gradient else ("f8E4M3FN", "f8E4M3FN")
        self.operands = [random.standard_normal(shape).astype(FP8[dtype]) for shape, dtype in zip(shapes, self.dtypes, strict=True)]
        self.places, place = [], 0
        for first, last in ranges(self.ends, width if gradient else self.rows):
            self.places.append((place, place + last - first) if gradient else (first, last))
            place += -(-(last - first) // 128) * 128
        if gradient:
            inside = np.zeros(width, bool)
            for begin, end in self.places:
                inside[begin:end] = True
            for operand in self.operands:
                operand[:, ~inside] = 0
        self.scales, self.spread = zip(*(scaled(shape, scaling, groups, random) for shape, scaling in zip(shapes, self.scalings, strict=True)),
                                       strict=True)
        self.shape = (groups, inner, outer) if gradient else (self.rows, outer)

    def exact(self):
        """The result in float64, and the sum of the magnitudes that it adds up."""
        of_groups = self.scalings[0].startswith("tensor")
        a, b = (x.astype(np.float64).reshape(-1, x.shape[-1]) * (1 if of_groups else spread)
                for x, spread in zip(self.operands, self.spread, strict=True))
        results = [np.zeros(self.shape), np.zeros(self.shape)]
        outer = self.shape[-1]
        for group, (begin, end) in enumerate(self.places):
            factor = float(self.spread[0][group]) * float(self.spread[1][group]) if of_groups else 1.0
            for result, of in zip(results, (lambda x: x, np.abs), strict=True):
                if self.gradient:
                    result[group] = of(a[:, begin:end]) @ of(b[:, begin:end]).T * factor
                else:
                    result[begin:end] = of(a[begin:end]) @ of(b[group * outer:(group + 1) * outer]).T * factor
        return results

    def values(self):
        operands = dict(zip(("a", "b", "scale_a", "scale_b"), (*self.operands, *self.scales), strict=True))
        return operands | {"ends": np.array(self.ends, np.int32)}
