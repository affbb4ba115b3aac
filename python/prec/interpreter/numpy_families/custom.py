# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of the user's own, by PyTorch's operation of their name, in the types that it was traced with."""
from __future__ import annotations

import numpy as np

from ..numpy_ops import Array, Attributes, Numpy
from ..text import Operation


def op_prec_train_custom(backend: Numpy, a: Attributes, op: Operation, *xs: Array) -> Array | tuple[Array, ...]:
    import torch

    from ...torch import custom
    known = custom.find(a["function"])
    if known is None:
        raise NotImplementedError(f"{op.place}: '{a['function']}' must be registered with torch.library, but is not")
    given = [torch.from_numpy(np.array(backend.wide(x) if x.dtype.kind in "fV" else x)) for x in xs]
    found = [x.double().numpy() if x.is_floating_point() else x.numpy() for x in custom.call(known, a["settings"], given)]
    made = tuple(x.astype(backend.compute) if x.dtype.kind == "f" else x for x in found)
    return made if len(made) > 1 else made[0]
