# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of the user's own, by PyTorch's operation of their name."""
from __future__ import annotations

from torch import Tensor

from ...torch import custom
from ..text import Operation
from ..torch_ops import Attributes, Torch


def op_prec_train_custom(backend: Torch, a: Attributes, op: Operation, *xs: Tensor) -> Tensor | tuple[Tensor, ...]:
    known = custom.find(a["function"])
    if known is None:
        raise NotImplementedError(f"{op.place}: '{a['function']}' must be registered with torch.library, but is not")
    found = custom.in_double(known, a["settings"], [x.cpu() for x in xs])
    made = tuple(x.to(backend.device, backend.dtype(type_)) for x, type_ in zip(found, op.result_types, strict=True))
    return made if len(made) > 1 else made[0]
