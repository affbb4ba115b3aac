# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Appends ops to a graph: explicit broadcasts, f32-erased conversions, one constant a value.

`reshape` is a pseudo op here; cleanup.py turns it into collapse_shape and expand_shape once chains have been folded.
"""
from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from .errors import ImportFailure
from .ir import FORWARD, Graph, Kind, Op, Value
from .mask_chains import MaskChains
from .ranges import LIMITS, Ranges, fits, is_whole, of_arguments

_LARGEST_F32 = 3.4028234663852886e38


class Builder:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.path, self.phase = "", FORWARD
        self.seq: int | None = None
        self.constants: dict[tuple[str, tuple[int, ...], str], Value] = {}
        self.ranges = Ranges(of_arguments(graph))
        self.masks = MaskChains(self)
        self.seed: Value | None = None
        self.norm: Value | None = None
        # By what they are looked for in, numbers that must be 0: where one is not, the framework raises.
        self.faults: dict[Value, Value] = {}
        # Of what is another value turned around, that value and along which dimensions.
        self.reversed: dict[Value, tuple[Value, frozenset[int]]] = {}
        # Permutations of the places of a line, and their inverses where these were built.
        self.permutations: dict[Value, Value | None] = {}

    def at(self, path: str, phase: str, seq: int | None = None) -> Builder:
        """Sets the module path, phase and forward link of the ops built next."""
        self.path, self.phase, self.seq = path, phase, seq
        return self

    def op(self, name: str, operands: Iterable[Value], result_types: Iterable[tuple[Iterable[int], str]], **attrs: Any) -> Op:
        op = Op(name, operands, result_types, attrs, self.path, self.phase, self.seq)
        self.graph.ops.append(op)
        self.ranges.add(op)
        return op

    def like(self, name: str, *operands: Value, **attrs: Any) -> Value:
        """An op whose result has the type of its first operand: most of arith and math."""
        x = operands[0]
        for y in operands[1:]:
            assert y.shape == x.shape and y.dtype == x.dtype, (name, x.type, y.type)
        return self.op(name, operands, [(x.shape, x.dtype)], **attrs).result

    def constant(self, value: float, shape: Sequence[int] = (), dtype: str = "f32") -> Value:
        value = self._representable(value, dtype)
        # repr tells 0.0 from -0.0 and equates the NaNs.
        key = (repr(value), tuple(shape), dtype)
        if key not in self.constants:
            self.constants[key] = self.op(Kind.CONSTANT, [], [(shape, dtype)], value=value).result
        return self.constants[key]

    def _representable(self, value: float, dtype: str) -> float:
        """The number in this dtype; what does not fit is refused, never cut."""
        where = f" in {self.path}" if self.path else ""
        if dtype != "f32":
            if value != value or int(value) != value or not fits((int(value),) * 2, dtype):
                low, high = LIMITS[dtype]
                raise ImportFailure(f"a whole number must be one of {low} to {high} here but got {value}{where}")
            return int(value)
        single = float(value)
        if math.isfinite(single) and abs(single) > _LARGEST_F32:
            raise ImportFailure(f"a constant must fit float32 but got {single}{where} "
                                "(write float('inf'), or torch.finfo(torch.float32).max)")
        return single

    # Shapes

    def reshape(self, x: Value, shape: Iterable[int]) -> Value:
        shape = tuple(int(d) for d in shape)
        if shape == x.shape:
            return x
        return self.op(Kind.RESHAPE, [x], [(shape, x.dtype)]).result

    def transpose(self, x: Value, permutation: Iterable[int]) -> Value:
        permutation = [p % x.rank for p in permutation]
        if permutation == list(range(x.rank)):
            return x
        shape = [x.shape[p] for p in permutation]
        return self.op(Kind.TRANSPOSE, [x], [(shape, x.dtype)], permutation=permutation).result

    def swap(self, x: Value, a: int, b: int) -> Value:
        permutation = list(range(x.rank))
        permutation[a], permutation[b] = permutation[b], permutation[a]
        return self.transpose(x, permutation)

    def broadcast(self, x: Value, shape: Iterable[int]) -> Value:
        """NumPy's broadcast of x to shape: stretched and size-1 dimensions leave first, then named dimensions
        remain."""
        shape = tuple(int(d) for d in shape)
        if shape == x.shape:
            return x
        if x.op and x.op.name == Kind.CONSTANT:
            return self.constant(x.op.attrs["value"], shape, x.dtype)
        offset = len(shape) - x.rank
        kept = [i for i, d in enumerate(x.shape) if d != 1]
        x = self.reshape(x, [x.shape[i] for i in kept])
        dims = [i + offset for i in kept]
        if math.prod(shape) == math.prod(x.shape):
            return self.reshape(x, shape)
        return self.op(Kind.BROADCAST, [x], [(shape, x.dtype)], dims=dims).result

    def slice(self, x: Value, dim: int, start: int, length: int, step: int = 1) -> Value:
        if start == 0 and length == x.shape[dim] and step == 1:
            return x
        assert 0 <= start and start + (length - 1) * step < x.shape[dim], "a slice must be inside of what it is of"
        offsets, sizes, strides = [0] * x.rank, list(x.shape), [1] * x.rank
        offsets[dim], sizes[dim], strides[dim] = start, length, step
        return self.op(Kind.EXTRACT_SLICE, [x], [(sizes, x.dtype)], offsets=offsets, sizes=sizes, strides=strides).result

    def concat(self, values: Iterable[Value], dim: int) -> Value:
        values = [v for v in values if v.shape[dim] > 0]
        if len(values) == 1:
            return values[0]
        shape = list(values[0].shape)
        shape[dim] = sum(v.shape[dim] for v in values)
        return self.op(Kind.CONCAT, values, [(shape, values[0].dtype)], dim=dim).result

    def pad(self, x: Value, dim: int, low: int, high: int, value: float) -> Value:
        """x with `low` and `high` slices of `value` around it; negative counts cut."""
        if low < 0 or high < 0:
            cut_low, cut_high = max(-low, 0), max(-high, 0)
            x = self.slice(x, dim, cut_low, x.shape[dim] - cut_low - cut_high)
        def edge(n: int) -> list[Value]:
            return [self.constant(value, [n if i == dim else d for i, d in enumerate(x.shape)], x.dtype)] if n > 0 else []
        return self.concat(edge(low) + [x] + edge(high), dim)

    def iota(self, n: int, dtype: str = "i32") -> Value:
        return self.op(Kind.IOTA, [], [((n,), dtype)], dim=0).result

    # Reductions and contractions

    def reduce(self, kind: str, x: Value, dims: Iterable[int], keepdim: bool = False) -> Value:
        dims = sorted(d % x.rank for d in dims) if x.rank else []
        if dims:
            shape = [d for i, d in enumerate(x.shape) if i not in dims]
            kept = [1 if i in dims else d for i, d in enumerate(x.shape)]
            x = self.op(Kind.REDUCE, [x], [(shape, x.dtype)], kind=kind, dims=dims).result
            if keepdim:
                x = self.reshape(x, kept)
        return x

    def matmul(self, a: Value, b: Value) -> Value:
        shape = a.shape[:-1] + b.shape[-1:]
        return self.op(Kind.MATMUL, [a, b], [(shape, "f32")], transpose_a=False, transpose_b=False).result

    # Elementwise maths

    def convert(self, x: Value, dtype: str) -> Value:
        """The value in another dtype: floats are cut towards zero, whole numbers wrap around."""
        if x.dtype == dtype:
            return x
        if x.op and x.op.name == Kind.CONSTANT and not self._is_cut(x.op.attrs["value"], dtype):
            return self.constant(x.op.attrs["value"] != 0 if dtype == "i1" else x.op.attrs["value"], x.shape, dtype)
        if dtype == "i1":
            zero = self.constant(0, x.shape, x.dtype)
            return self.compare("ne", x, zero)
        name = {("i32", "f32"): Kind.SITOFP, ("i64", "f32"): Kind.SITOFP, ("i1", "f32"): Kind.UITOFP, ("i1", "i32"): Kind.EXTUI,
                ("i1", "i64"): Kind.EXTUI, ("i32", "i64"): Kind.EXTSI, ("i64", "i32"): Kind.TRUNCI, ("f32", "i32"): Kind.FPTOSI,
                ("f32", "i64"): Kind.FPTOSI}[x.dtype, dtype]
        if name == Kind.FPTOSI:
            x = self._convertible(x, dtype)
        return self.op(name, [x], [(x.shape, dtype)]).result

    def _convertible(self, x: Value, dtype: str) -> Value:
        """The float with the least whole number for NaN and for what the dtype does not hold: as PyTorch has it on x86
        processors."""
        least = float(LIMITS[dtype][0])
        low, high = self.constant(least, x.shape), self.constant(-least, x.shape)
        inside = self.like("arith.andi", self.compare("ge", x, low), self.compare("lt", x, high))
        return self.select(inside, x, low)

    @staticmethod
    def _is_cut(value: float, dtype: str) -> bool:
        return dtype in ("i32", "i64") and (not math.isfinite(value) or int(value) != value or not fits((int(value),) * 2, dtype))

    def compare(self, predicate: str, x: Value, y: Value) -> Value:
        if x.dtype == "f32":
            predicate = "une" if predicate == "ne" else "o" + predicate
            return self.op(Kind.CMPF, [x, y], [(x.shape, "i1")], predicate=predicate).result
        if predicate not in ("eq", "ne"):
            predicate = ("u" if x.dtype == "i1" else "s") + predicate
        return self.op(Kind.CMPI, [x, y], [(x.shape, "i1")], predicate=predicate).result

    def select(self, condition: Value, x: Value, y: Value) -> Value:
        return self.op(Kind.SELECT, [condition, x, y], [(x.shape, x.dtype)]).result

    def _arith(self, stem: str, x: Value, y: Value | float) -> Value:
        if not isinstance(y, Value):
            y = self.constant(y, x.shape, x.dtype)
        return self.like(f"arith.{stem}{'f' if x.dtype == 'f32' else 'i'}", x, y)

    def add(self, x: Value, y: Value | float) -> Value:
        return x if is_whole(x.dtype) and _is_constant(y, 0) else self._arith("add", x, y)

    def sub(self, x: Value, y: Value | float) -> Value:
        return self._arith("sub", x, y)

    def mul(self, x: Value, y: Value | float) -> Value:
        # Exact for every float; adding 0.0 would not be (-0.0).
        return x if _is_constant(y, 1) else self._arith("mul", x, y)

    def div(self, x: Value, y: Value | float) -> Value:
        return self._arith("div", x, y)

    def neg(self, x: Value) -> Value:
        return self.like(Kind.NEGF, x) if x.dtype == "f32" else self.sub(self.constant(0, x.shape, x.dtype), x)

    def math(self, name: str, x: Value) -> Value:
        return self.like(f"math.{name}", x)

    def one_minus(self, x: Value) -> Value:
        return self.sub(self.constant(1.0, x.shape), x)


def _is_constant(y: Value | float, value: float) -> bool:
    if isinstance(y, Value):
        return y.op is not None and y.op.name == Kind.CONSTANT and y.op.attrs["value"] == value
    return y == value
