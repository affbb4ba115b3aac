# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of many tensors (torch._foreach_mul, as averages of weights are written) as those of one tensor each. An
argument that is a list has an element for each tensor; any other is alike for all."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ..decompose import decomposes

# Of operations that have another name, or other arguments, for one tensor.
_OF_ONE: dict[str, Callable[..., Tensor]] = {
    "addcdiv": lambda x, a, b, value=1: torch.addcdiv(x, a, b, value=value),
    "addcmul": lambda x, a, b, value=1: torch.addcmul(x, a, b, value=value),
    "clamp_max": torch.minimum, "clamp_min": torch.maximum, "maximum": torch.maximum, "minimum": torch.minimum,
    "norm": lambda x, ord=2, dtype=None: torch.linalg.vector_norm(x, ord, dtype=dtype),
    "copy": lambda x, y, non_blocking=False: y.to(x.dtype).expand_as(x).clone(),
}
_BY_NUMBER = {"clamp_max": lambda x, y: x.clamp(max=y), "clamp_min": lambda x, y: x.clamp(min=y), "maximum": lambda x, y: x.clamp(min=y),
              "minimum": lambda x, y: x.clamp(max=y)}
_NAMES = ("abs", "acos", "add", "addcdiv", "addcmul", "asin", "atan", "ceil", "clamp_max", "clamp_min", "copy", "cos", "cosh", "div", "erf",
          "erfc", "exp", "expm1", "floor", "frac", "lerp", "lgamma", "log", "log10", "log1p", "log2", "max", "maximum", "minimum", "mul", "neg",
          "norm", "pow", "reciprocal", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "sub", "tan", "tanh", "trunc")


def _each(name: str) -> Callable[..., list[Tensor]]:
    def foreach(*args: Any, **kwargs: Any) -> list[Tensor]:
        count = len(next(a for a in args if isinstance(a, (list, tuple))))
        results = []
        for i in range(count):
            own = [a[i] if isinstance(a, (list, tuple)) else a for a in args]
            of_number = len(own) > 1 and not isinstance(own[1], Tensor)
            function = (_BY_NUMBER.get(name) if of_number else None) or _OF_ONE.get(name) or getattr(torch, name)
            results.append(function(*own, **kwargs))
        return results
    return foreach


for _name in _NAMES:
    _packet = getattr(torch.ops.aten, f"_foreach_{_name}", None)
    for _overload in _packet.overloads() if _packet is not None else ():
        if not getattr(_packet, _overload)._schema.is_mutable:
            decomposes(f"aten._foreach_{_name}.{_overload}")(_each(_name))
