# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table from ATen (and our composite) ops to their lowerings (lowerings/), and what dtypes become."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import torch

from ..builder import Builder
from ..errors import ImportFailure
from ..ir import Kind, Value
from ..ranges import Range

Lowering = TypeVar("Lowering", bound=Callable[..., Any])
_TABLE: dict[str, Callable[..., Any]] = {}


def lower(*names: str) -> Callable[[Lowering], Lowering]:
    """Registers a lowering for ops such as "aten.mm.default". It is called as f(builder, node, *args, **kwargs) with
    graph values in place of nodes, and returns a Value, or a tuple of them for an op with several results. Shapes and
    dtypes are PyTorch's, or the op is refused; whole numbers of 8 and 16 bits wrap around here, whatever computed
    them."""
    def register(function: Lowering) -> Lowering:
        @functools.wraps(function)
        def checked(b: Builder, node: torch.fx.Node, *args: Any, **kwargs: Any) -> Any:
            return _checked(b, node, function(b, node, *args, **kwargs), node.meta.get("val"))
        for name in names:
            assert name not in _TABLE, name
            _TABLE[name] = checked
        return function
    return register


def _checked(b: Builder, node: torch.fx.Node, got: Any, expected: Any) -> Any:
    if isinstance(got, (tuple, list)) and isinstance(expected, (tuple, list)):
        return type(got)(_checked(b, node, g, e) for g, e in zip(got, expected, strict=True))
    if not isinstance(got, Value) or not isinstance(expected, torch.Tensor):
        return got
    if (got.shape, got.dtype) != value_type(expected):
        raise NotImplementedError(f"its result must be {value_type(expected)[1]}{list(expected.shape)} but would be "
                                  f"{got.dtype}{list(got.shape)}")
    return wrap(b, got, expected.dtype)


def wrap(b: Builder, x: Value, dtype: torch.dtype | str) -> Value:
    """A whole number as its dtype of 8 or 16 bits holds it, which is one of 32 here."""
    if dtype not in HELD or _is_inside(b.ranges.of(x), HELD[dtype]):
        return x
    if dtype == torch.uint8:
        return b.like("arith.andi", x, b.constant(255, x.shape, "i32"))
    bits = b.constant(32 - torch.iinfo(dtype).bits, x.shape, "i32")
    return b.like(Kind.SHRSI, b.like(Kind.SHLI, x, bits), bits)


def _is_inside(bounds: Range, of: Range) -> bool:
    return of[0] <= bounds[0] and bounds[1] <= of[1]


# Lowerings of kinds of operations that have no names here, and of which each is.
_KINDS: list[tuple[Callable[[object], bool], Callable[..., Any]]] = []


def lower_all(which: Callable[[object], bool]) -> Callable[[Lowering], Lowering]:
    """Registers a lowering for all operations of a kind that have none by name."""
    def register(function: Lowering) -> Lowering:
        @functools.wraps(function)
        def checked(b: Builder, node: torch.fx.Node, *args: Any, **kwargs: Any) -> Any:
            return _checked(b, node, function(b, node, *args, **kwargs), node.meta.get("val"))
        _KINDS.append((which, checked))
        return function
    return register


def find(target: object) -> Callable[..., Any] | None:
    if target is None:
        return None
    return _TABLE.get(str(target)) or next((lowering for which, lowering in _KINDS if which(target)), None)


def lowered() -> dict[str, Callable[..., Any]]:
    """The lowerings, by operation."""
    return dict(_TABLE)


def value_type(tensor: torch.Tensor) -> tuple[tuple[int, ...], str]:
    """Shape and erased dtype of a traced tensor."""
    return tuple(tensor.shape), erase(tensor.dtype)


# Kept in 32 bits: what each may be.
HELD = {torch.uint8: (0, 255), torch.int8: (-128, 127), torch.int16: (-32768, 32767)}
_WHOLE = {torch.bool: "i1", torch.int32: "i32", torch.int64: "i64", **dict.fromkeys(HELD, "i32")}


def erase(dtype: torch.dtype | str) -> str:
    """The dtype of a graph for one of PyTorch's."""
    if isinstance(dtype, str):
        return dtype
    if dtype.is_complex:
        raise ImportFailure(f"every tensor must be real but got one of {dtype} (hold real and imaginary parts, torch.view_as_real)")
    if dtype.is_floating_point:
        return "f32"
    if dtype not in _WHOLE:
        raise ImportFailure(f"whole numbers must be torch.bool, uint8, int8, int16, int32 or int64 but got a tensor of {dtype} "
                            "(convert it with .to(torch.int64))")
    return _WHOLE[dtype]


def batch_type(name: str, tensor: torch.Tensor) -> tuple[str, dict[str, int]]:
    """The dtype of a batch argument, and what whoever feeds the step must check of it."""
    if tensor.dtype in (torch.int8, torch.int16):
        raise ImportFailure(f"a batch of whole numbers must be torch.uint8, int32 or int64 but {name} is {tensor.dtype} "
                            f"(give {name}.to(torch.int32))")
    return erase(tensor.dtype), {"vocabulary": 256} if tensor.dtype == torch.uint8 else {}
