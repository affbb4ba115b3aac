# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How inverse scales of rows and blocks lie in memory: docs/Scaling.md, from cuBLASLt's "scaling factors
layouts"."""
import numpy as np


def lay_out(scale_invs: np.ndarray, height: int, depth: int) -> np.ndarray:
    """Inverse scales of the blocks of `height` rows and `depth` columns of a matrix, row by row, as gemms read them."""
    if scale_invs.shape[1] == 1 and depth != 128:
        return scale_invs[:, 0]
    return in_rank(scale_invs, 2 if height == 1 else 3)


def in_rank(scale_invs: np.ndarray, rank: int) -> np.ndarray:
    """Inverse scales of a tensor, of rows, of 1x128 or of 128x128 blocks, which the rank of their layout tells
    apart."""
    if rank < 2:
        return scale_invs
    if rank == 2:
        return np.ascontiguousarray(scale_invs.T)
    return np.pad(scale_invs, ((0, 0), (0, -scale_invs.shape[1] % 4))).reshape(len(scale_invs), -1, 4)


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


def by_block(laid_out: np.ndarray, k: int) -> np.ndarray:
    """The inverse: a row of inverse scales for each row of blocks of a matrix of `k` columns."""
    if laid_out.ndim == 1:
        return laid_out[:, None]
    return laid_out.T if laid_out.ndim == 2 else laid_out.reshape(len(laid_out), -1)[:, :-(-k // 128)]
