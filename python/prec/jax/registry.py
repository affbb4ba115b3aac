# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table from JAX's primitives to their lowerings (lowerings/), and what dtypes become."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..builder import Builder
from ..errors import ImportFailure
from ..ir import Kind, Value
from .values import Known

Rule = Callable[..., Any]


@dataclass(frozen=True)
class Lowered:
    """`elementwise`: an element of the result depends on the same element of each operand alone, and operands without
    dimensions are repeated."""

    rule: Rule
    elementwise: bool


TABLE: dict[str, Lowered] = {}


def lower(*names: str, elementwise: bool = False) -> Callable[[Rule], Rule]:
    """Registers the lowering of primitives. It is called as f(call, *operands) with values of the graph and returns a
    value, or a tuple of them for a primitive with several results; NotImplementedError says what of it is refused."""
    def register(rule: Rule) -> Rule:
        for name in names:
            assert name not in TABLE, name
            TABLE[name] = Lowered(rule, elementwise)
        return rule
    return register


@dataclass
class Call:
    """One primitive that is lowered: its parameters, results' shapes and dtypes, and those of its operands that are
    known."""

    b: Builder
    name: str
    params: dict[str, Any]
    shapes: list[tuple[int, ...]]
    dtypes: list[Any]
    inputs: list[Any]
    from_batch: Callable[[Value], bool]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.shapes[0]

    @property
    def dtype(self) -> str:
        return erase(self.dtypes[0])

    def known(self, i: int) -> np.ndarray | None:
        """The numbers of an operand, where they are known."""
        x = self.inputs[i]
        return np.asarray(x.array) if isinstance(x, Known) and x.array is not None else None

    def is_zero(self, i: int) -> bool:
        x = self.inputs[i]
        number = x.number() if isinstance(x, Known) else None
        return number is not None and float(number) == 0


_WHOLE = {"bool": "i1", "int32": "i32", "int64": "i64", "uint8": "i32", "uint16": "i32", "int8": "i32", "int16": "i32", "uint32": "i64"}
# Held in more bits: what each may be.
HELD = {"uint8": (0, 255), "uint16": (0, 65535), "int8": (-128, 127), "int16": (-32768, 32767), "uint32": (0, 2**32 - 1)}


def erase(dtype: Any) -> str:
    """The dtype of a graph for one of JAX's."""
    name = str(getattr(dtype, "name", dtype))
    if name in _WHOLE:
        return _WHOLE[name]
    if name.startswith(("float", "bfloat")):
        return "f32"
    if name.startswith("complex"):
        raise ImportFailure(f"every array must be real but got one of {name}")
    if name.startswith("key"):
        raise ImportFailure("a step draws no random numbers but reads a key of jax.random: compute what is random before the step and give it with "
                            "the batch, or leave dropout out")
    raise ImportFailure(f"arrays must be of floats, bool, whole numbers of at most 32 bits or int64 but got one of {name} (convert it to jnp.int32)")


def wrap(b: Builder, x: Value, dtype: Any) -> Value:
    """A whole number as its dtype holds it, which has fewer bits than in the graph."""
    name = str(getattr(dtype, "name", dtype))
    if name not in HELD:
        return x
    (low, high), (least, most) = b.ranges.of(x), HELD[name]
    if least <= low and high <= most:
        return x
    if least == 0:
        return b.like("arith.andi", x, b.constant(most, x.shape, x.dtype))
    bits = b.constant(32 - (most - least).bit_length(), x.shape, x.dtype)
    return b.like(Kind.SHRSI, b.like(Kind.SHLI, x, bits), bits)
