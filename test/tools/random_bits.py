"""The random bits of the prec dialect, in NumPy, from the text of prec.stochastic_round."""
import numpy as np


def mix(x):
    x = np.asarray(x, np.uint32)
    with np.errstate(over="ignore"):
        x = (x ^ x >> np.uint32(16)) * np.uint32(0x21F0AAAD)
        x = (x ^ x >> np.uint32(15)) * np.uint32(0xD35A2D97)
    return x ^ x >> np.uint32(15)


def random_bits(shape, seed, stream):
    """32 bits for each element of a tensor, in row-major order."""
    index = np.arange(np.prod(shape, dtype=np.int64)).astype(np.uint32).reshape(shape)
    return mix(mix(index ^ mix(stream)) ^ mix(np.uint32(int(seed) & 0xFFFFFFFF)))
