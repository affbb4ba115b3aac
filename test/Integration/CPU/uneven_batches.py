# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Micro-batches of two ranks that have other numbers of labels, or none."""
import numpy as np

# The share of tokens that have labels, of either rank.
UNEVEN = ((0, 0), (0, 1), (1, 1), (1, 0.5), (0.25, 0))


def uneven(tokens: np.ndarray, share: float) -> dict[str, np.ndarray]:
    labels = tokens.flatten()
    labels[round(share * labels.size):] = -100
    return {"input_ids": tokens, "labels": labels.reshape(tokens.shape)}
