# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of a matrix shares a scale, and how inverse scales lie in memory: the lines of prec-rt/scalings.def, and the
layouts of docs/Scaling.md, from cuBLASLt's "scaling factors layouts"."""
from typing import NamedTuple

import numpy as np

from .. import _contract


class Scaling(NamedTuple):
    """A line of prec-rt/scalings.def."""
    family: str
    # Of the elements that share a scale; 0: all of them.
    rows: int
    columns: int
    operands: str
    format: str
    layout: str
    has_tensor_scale: int
    # Products along k that are added up before the sum is scaled; 0: all of them.
    sum: int

    @property
    def is_fine(self) -> bool:
        return self.family in ("Row", "Block", "Micro")

    @property
    def is_micro(self) -> bool:
        return self.family == "Micro"

    def block(self, shape: tuple[int, ...]) -> tuple[int, int]:
        """Rows and columns of the blocks of a matrix."""
        return self.rows or shape[0], self.columns or shape[1]


SCALINGS = {name: Scaling(*line) for name, line in _contract.SCALINGS.items()}


def lay_out(scale_invs: np.ndarray, scaling: str) -> np.ndarray:
    """Inverse scales of the blocks of a matrix, row by row, as gemms read them."""
    found = SCALINGS[scaling]
    if not found.is_fine:
        return scale_invs.reshape(())
    if not found.columns:
        return scale_invs.reshape(-1)
    match found.layout:
        case "AsScales":
            return scale_invs
        case "Transposed":
            return np.ascontiguousarray(scale_invs.T)
        case "Grouped":
            group = _contract.SCALE_INV_GROUP
            return np.pad(scale_invs, ((0, 0), (0, -scale_invs.shape[1] % group))).reshape(len(scale_invs), -1, group)
    return tile(scale_invs)


def by_block(laid_out: np.ndarray, scaling: str, shape: tuple[int, int]) -> np.ndarray:
    """The inverse: a row of inverse scales for each row of blocks of a matrix of that shape."""
    found = SCALINGS[scaling]
    height, depth = found.block(shape)
    rows, columns = -(-shape[0] // height), -(-shape[1] // depth)
    match found.layout:
        case "AsScales":
            return laid_out.reshape(rows, columns)
        case "Transposed":
            return laid_out.T
        case "Grouped":
            return laid_out.reshape(rows, -1)[:, :columns]
    return untile(laid_out, rows, columns)


def spread(by_block: np.ndarray, scaling: str, shape: tuple[int, int]) -> np.ndarray:
    """The number of each element of a matrix, from a row of them for each row of blocks."""
    height, depth = SCALINGS[scaling].block(shape)
    by_block = by_block if by_block.shape[0] == shape[0] else by_block.repeat(height, 0)[:shape[0]]
    return by_block.repeat(depth, 1)[:, :shape[1]]


def _place(rows: int, columns: int) -> tuple[np.ndarray, ...]:
    r, c = np.indices((rows, columns))
    return r // 128, c // 4, r % 32, r % 128 // 32 * 4 + c % 4


def tile(scale_invs: np.ndarray) -> np.ndarray:
    """Inverse scales of microscaled blocks, a byte each, in tiles of 128 rows and 4 columns, zeros behind the last
    ones."""
    rows, columns = scale_invs.shape
    tiles = np.zeros((-(-rows // 128), -(-columns // 4), 32, 16), np.uint8)
    tiles[_place(rows, columns)] = scale_invs.view(np.uint8)
    return tiles.view(scale_invs.dtype)


def untile(tiles: np.ndarray, rows: int, columns: int) -> np.ndarray:
    return tiles[_place(rows, columns)]
