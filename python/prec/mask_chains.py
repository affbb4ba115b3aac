# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masks of attention, as small as they can be, and each once.

A model makes a mask of a few numbers, such as one for each key, repeats them over all queries, and computes on; each
layer may do so again. Attention reads a mask from memory, so the chain of operations that leads to it is built anew,
with dimensions of 1 along which all elements are the same, and operations that compute the same are one. What a chain
starts from stays as it is: arguments, and operations other than those that repeat, move, compare or compute element by
element, or reduce.
"""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .ir import Kind, Op, Value

if TYPE_CHECKING:
    from .builder import Builder

# Operations behind one another that are followed.
_MOST_DEPTH = 200


class MaskChains:
    def __init__(self, builder: Builder) -> None:
        self._b = builder
        self._varying: dict[Value, frozenset[int]] = {}
        self._built: dict[tuple[Value, frozenset[int]], Value] = {}
        self._known: dict[tuple[object, ...], Value] = {}

    def canonical(self, mask: Value) -> Value:
        """The mask with dimensions of 1 where its elements are the same, but for the last one."""
        last = {mask.rank - 1} if mask.rank and mask.shape[-1] > 1 else set()
        return self._build(mask, self._varies(mask, 0) | last, 0)

    def _varies(self, x: Value, depth: int) -> frozenset[int]:
        """The dimensions along which elements may differ."""
        if x not in self._varying:
            self._varying[x] = self._find(x, depth) & frozenset(d for d, size in enumerate(x.shape) if size > 1)
        return self._varying[x]

    def _find(self, x: Value, depth: int) -> frozenset[int]:
        op = x.op
        if op is None or not _is_followed(op) or depth >= _MOST_DEPTH:
            return frozenset(range(x.rank))
        if op.name == Kind.CONSTANT:
            return frozenset()
        if op.name == Kind.IOTA:
            return frozenset([op.attrs["dim"]])
        found: frozenset[int] = frozenset()
        for operand in op.operands:
            places = (_place(op, d) for d in self._varies(operand, depth + 1))
            found |= frozenset(d for d in places if d is not None)
        return found

    def _build(self, x: Value, kept: frozenset[int], depth: int) -> Value:
        """The value with dimensions of 1 but for those that are kept, which are all that vary."""
        key = x, kept
        if key not in self._built:
            self._built[key] = self._rebuilt(x, kept, depth)
        return self._built[key]

    def _rebuilt(self, x: Value, kept: frozenset[int], depth: int) -> Value:
        op, b = x.op, self._b
        if op is None or not _is_followed(op) or depth >= _MOST_DEPTH:
            for d in range(x.rank):
                if d not in kept:
                    x = b.slice(x, d, 0, 1)
            return x
        shape = [size if d in kept else 1 for d, size in enumerate(x.shape)]
        if op.name == Kind.CONSTANT:
            return b.constant(op.attrs["value"], shape, x.dtype)
        operands = [self._build(v, frozenset(d for d in range(v.rank) if v.shape[d] > 1 and _is_kept(op, d, kept)), depth + 1)
                    for v in op.operands]
        if op.name in (Kind.BROADCAST, Kind.RESHAPE) and math.prod(shape) == math.prod(operands[0].shape):
            key = Kind.RESHAPE, operands[0], *shape
            if key not in self._known:
                self._known[key] = b.reshape(operands[0], shape)
            return self._known[key]
        known = (op.name, *operands, *shape, x.dtype, repr(sorted(op.attrs.items())))
        if known not in self._known:
            before = b.path, b.phase, b.seq
            b.at(op.path, op.phase, op.seq)
            self._known[known] = b.op(op.name, operands, [(shape, x.dtype)], **op.attrs).result
            b.at(*before)
        return self._known[known]


def _is_followed(op: Op) -> bool:
    """Whether each dimension of an operand is one of the result's, as `_place` says, or is reduced."""
    if op.name in (Kind.CONSTANT, Kind.IOTA, Kind.BROADCAST, Kind.TRANSPOSE, Kind.REDUCE):
        return True
    if op.name == Kind.RESHAPE:
        source, target = ([n for n in v.shape if n > 1] for v in (op.operands[0], op.result))
        return source == target
    return op.dialect in ("arith", "math") and len(op.results) == 1 and all(v.shape == op.result.shape for v in op.operands)


def _place(op: Op, dim: int) -> int | None:
    """Where in the result a dimension of an operand is; None of one that is reduced."""
    if op.name == Kind.BROADCAST:
        return int(op.attrs["dims"][dim])
    if op.name == Kind.TRANSPOSE:
        return int(op.attrs["permutation"].index(dim))
    if op.name == Kind.REDUCE:
        return None if dim in op.attrs["dims"] else dim - sum(d < dim for d in op.attrs["dims"])
    if op.name == Kind.RESHAPE:
        # Only dimensions of 1 come or go.
        before = sum(n > 1 for n in op.operands[0].shape[:dim])
        return [d for d, n in enumerate(op.result.shape) if n > 1][before] if op.operands[0].shape[dim] > 1 else None
    return dim


def _is_kept(op: Op, dim: int, kept: frozenset[int]) -> bool:
    place = _place(op, dim)
    return place in kept if place is not None else True
