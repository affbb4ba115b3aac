# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grouped products of several kinds, and what PyTorch's products of each group give in float64."""
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Case:
    rows: int
    inner: int
    outer: int
    ends: tuple[int, ...]
    transposed: bool = False

    @property
    def groups(self):
        return len(self.ends)

    def shapes(self, gradient):
        """Of the left operand, the right one and the result."""
        rows, others = (self.rows, self.inner), (self.rows, self.outer)
        matrices = (self.groups, self.outer, self.inner) if self.transposed else (self.groups, self.inner, self.outer)
        return (rows, others, matrices) if gradient else (rows, matrices, others)

    def exact(self, a, b, gradient):
        """The result in float64, and the sum of the magnitudes that it adds up."""
        return self._multiply(a, b, gradient), self._multiply(a.abs(), b.abs(), gradient)

    def _multiply(self, a, b, gradient):
        result, first = torch.zeros(self.shapes(gradient)[2], dtype=torch.float64), 0
        for group, end in enumerate(self.ends):
            last = max(first, min(end, self.rows))
            if gradient:
                result[group] = a[first:last].T @ b[first:last]
            else:
                result[first:last] = a[first:last] @ (b[group].T if self.transposed else b[group])
            first = last
        return result


CASES = {
    "even": Case(12, 5, 7, (4, 8, 12)),
    "transposed": Case(12, 5, 7, (4, 8, 12), transposed=True),
    "empty groups": Case(9, 4, 6, (0, 5, 5, 9)),
    "rows of no group": Case(10, 3, 4, (2, 6)),
    "one row": Case(1, 8, 8, (0, 1), transposed=True),
    "ends that do not rise": Case(9, 4, 6, (5, 3, 20)),
    "many": Case(700, 300, 290, (3, 300, 301, 650)),
    "long": Case(3, 2100, 5, (1, 3), transposed=True),
}


def directions(case):
    """Of a stored order of matrices there is no gradient of its own."""
    return (False,) if case.transposed else (False, True)


ALL = [(name, gradient) for name, case in CASES.items() for gradient in directions(case)]
NAMES = [f"{name}{', gradient' if gradient else ''}" for name, gradient in ALL]
