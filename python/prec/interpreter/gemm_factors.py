"""How dequantisation factors of rows and blocks lie in memory: docs/Scaling.md, from cuBLASLt's "scaling factors layouts"."""
import numpy as np


def lay_out(factors, height, depth):
    """Factors of the blocks of `height` rows and `depth` columns of a matrix, row by row, as gemms read them."""
    if factors.shape[1] == 1 and depth != 128:
        return factors[:, 0]
    return in_rank(factors, 2 if height == 1 else 3)


def in_rank(factors, rank):
    """Factors of a tensor, of rows, of 1x128 or of 128x128 blocks, which the rank of their layout tells apart."""
    if rank < 2:
        return factors
    if rank == 2:
        return np.ascontiguousarray(factors.T)
    return np.pad(factors, ((0, 0), (0, -factors.shape[1] % 4))).reshape(len(factors), -1, 4)


def _place(rows, columns):
    r, c = np.indices((rows, columns))
    return r // 128, c // 4, r % 32, r % 128 // 32 * 4 + c % 4


def tile(factors):
    """Factors of microscaled blocks, a byte each, in tiles of 128 rows and 4 columns with bytes of zero behind the last ones."""
    rows, columns = factors.shape
    tiles = np.zeros((-(-rows // 128), -(-columns // 4), 32, 16), np.uint8)
    tiles[_place(rows, columns)] = factors.view(np.uint8)
    return tiles.view(factors.dtype)


def untile(tiles, rows, columns):
    return tiles[_place(rows, columns)]


def by_block(laid_out, k):
    """The inverse: a row of factors for each row of blocks of a matrix of `k` columns."""
    if laid_out.ndim == 1:
        return laid_out[:, None]
    return laid_out.T if laid_out.ndim == 2 else laid_out.reshape(len(laid_out), -1)[:, :-(-k // 128)]
