# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole numbers: what values each may take, which of 64 bits fit 32, and whether indices lie in their tables.

A range is a pair of Python ints, both ends included. Where nothing is known it is that of the type; where a sum or
product may leave its type, it is the type's again, since the operation wraps around.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import ImportFailure
from .ir import MOVES, Graph, Kind, Op, Value

Range = tuple[int, int]
LIMITS: dict[str, Range] = {"i1": (0, 1), "i32": (-2**31, 2**31 - 1), "i64": (-2**63, 2**63 - 1)}
# Elements of a table of indices up to which they are computed at import.
_MOST_COMPUTED = 1 << 20
_SAME = MOVES | {Kind.RESHAPE, Kind.BROADCAST, Kind.EXTSI, Kind.EXTUI}


@dataclass(frozen=True)
class Indexing:
    """How an op reads by index: the operand that holds indices, which are of 32 bits, and the dimension of its first
    operand that they count along; none of a gradient, whose forward op has the same indices."""

    operand: int
    axis: int | None = None


_INDEXING: dict[str, Indexing] = {}


def indexes(name: str, operand: int, axis: int | None = None) -> None:
    """Says so of an op; one of which nobody does reads nothing by index."""
    assert name not in _INDEXING, name
    _INDEXING[name] = Indexing(operand, axis)


for _name in (Kind.EMBEDDING, Kind.GATHER):
    indexes(_name, operand=1, axis=0)
for _name in (Kind.EMBEDDING_GRAD, Kind.SCATTER_ADD):
    indexes(_name, operand=1)
indexes(Kind.SORT_IDS, operand=0)
indexes(Kind.CROSS_ENTROPY, operand=1, axis=-1)
indexes(Kind.CROSS_ENTROPY_GRAD, operand=2)


def is_whole(dtype: str) -> bool:
    return dtype in LIMITS


def fits(bounds: Range, dtype: str) -> bool:
    return LIMITS[dtype][0] <= bounds[0] and bounds[1] <= LIMITS[dtype][1]


def _hull(ranges: Iterable[Range]) -> Range:
    ranges = list(ranges)
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def _corners(function: Callable[[int, int], int], x: Range, y: Range) -> Range:
    return _hull((v, v) for v in (function(a, b) for a in x for b in y))


def truncated_quotient(a: int, b: int) -> int:
    """Division as processors have it: towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _quotient(x: Range, y: Range) -> Range | None:
    divisors = [d for d in (*y, -1, 1) if d != 0 and y[0] <= d <= y[1]]
    return _hull((v, v) for v in (truncated_quotient(a, d) for a in x for d in divisors)) if divisors else None


def _remainder(x: Range, y: Range) -> Range:
    most = max(abs(y[0]), abs(y[1])) - 1
    return (max(x[0], -most) if x[0] < 0 else 0), (min(x[1], most) if x[1] > 0 else 0)


def _bits(x: Range, y: Range) -> Range:
    """Of an or, and of an exclusive or: no longer than the longer of the two."""
    most = 1 << max((v if v >= 0 else ~v).bit_length() for v in (*x, *y))
    return (0 if x[0] >= 0 and y[0] >= 0 else -most), most - 1


def _and(x: Range, y: Range) -> Range:
    highs = [high for low, high in (x, y) if low >= 0]
    return (0, min(highs)) if highs else _bits(x, y)


def _exclusive_or(x: Range, y: Range) -> Range:
    return (~x[1], ~x[0]) if y == (-1, -1) else _bits(x, y)


def _shift(function: Callable[[int, int], int]) -> Callable[[Range, Range], Range | None]:
    def shifted(x: Range, y: Range) -> Range | None:
        return _corners(function, x, y) if 0 <= y[0] and y[1] < 64 else None
    return shifted


def _compared(predicate: str, x: Range, y: Range) -> Range | None:
    """Of a comparison: what it is whatever the numbers, if it is."""
    if predicate in ("gt", "ge"):
        predicate, x, y = {"gt": "lt", "ge": "le"}[predicate], y, x
    if predicate in ("lt", "le"):
        limit = y[0] if predicate == "lt" else y[0] + 1
        beyond = y[1] if predicate == "lt" else y[1] + 1
        return (1, 1) if x[1] < limit else (0, 0) if x[0] >= beyond else None
    apart, same = x[1] < y[0] or y[1] < x[0], x[0] == x[1] == y[0] == y[1]
    known = apart or same
    return ((int(same),) * 2 if predicate == "eq" else (int(apart),) * 2) if known else None


_BINARY = {
    "arith.addi": lambda x, y: (x[0] + y[0], x[1] + y[1]),
    "arith.subi": lambda x, y: (x[0] - y[1], x[1] - y[0]),
    "arith.muli": lambda x, y: _corners(lambda a, b: a * b, x, y),
    Kind.MAXSI: lambda x, y: (max(x[0], y[0]), max(x[1], y[1])),
    Kind.MINSI: lambda x, y: (min(x[0], y[0]), min(x[1], y[1])),
    "arith.andi": _and,
    "arith.ori": _bits,
    "arith.xori": _exclusive_or,
    Kind.SHLI: _shift(lambda a, b: a << b),
    Kind.SHRSI: _shift(lambda a, b: a >> b),
    Kind.DIVSI: _quotient,
    "arith.remsi": _remainder,
}


class Ranges:
    """The range of every whole number of a graph, each op's from those of its operands."""

    def __init__(self, known: dict[Value, Range] | None = None) -> None:
        self._known = dict(known or {})

    def of(self, value: Value) -> Range:
        return self._known.get(value, LIMITS[value.dtype])

    def know(self, value: Value, bounds: Range) -> None:
        """Takes note of what an argument may be."""
        self._known[value] = bounds

    def add(self, op: Op) -> None:
        """Takes note of what the op's result may be; its operands' ranges are known already."""
        for result in op.results:
            if is_whole(result.dtype):
                found = self._result(op, result)
                if found is not None and fits(found, result.dtype):
                    self._known[result] = found

    def _result(self, op: Op, result: Value) -> Range | None:
        of = self.of
        if op.name == Kind.CONSTANT:
            value = int(op.attrs["value"])
            return value, value
        if op.name == Kind.IOTA:
            return 0, max(result.shape[op.attrs["dim"]] - 1, 0)
        if op.name in _SAME:
            return _hull(of(v) for v in op.operands)
        if op.name in (Kind.GATHER, Kind.EMBEDDING):
            return of(op.operands[0])
        if op.name == Kind.SORT_IDS:
            return 0, max(op.attrs["bound"], result.shape[1]) - 1
        if op.name == Kind.SELECT:
            chosen = self.chosen(op)
            return of(chosen) if chosen else _hull(of(v) for v in op.operands[1:])
        if op.name == Kind.CMPI:
            return _compared(op.attrs["predicate"].lstrip("su"), *map(of, op.operands))
        if op.name == Kind.TRUNCI:
            return of(op.operands[0])
        if op.name == Kind.ABSI:
            low, high = of(op.operands[0])
            least = 0 if low <= 0 <= high else min(abs(low), abs(high))
            return least, max(abs(low), abs(high))
        if op.name == Kind.REDUCE:
            low, high = of(op.operands[0])
            n = math.prod(op.operands[0].shape[d] for d in op.attrs["dims"]) if op.attrs["kind"] == "sum" else 1
            return low * n, high * n
        if op.name == Kind.SHRUI:
            least = of(op.operands[1])[0]
            bits = 32 if result.dtype == "i32" else 64
            return (0, (1 << bits - least) - 1) if 0 < least < bits else None
        rule = _BINARY.get(op.name)
        return rule(*map(of, op.operands)) if rule else None

    def chosen(self, op: Op) -> Value | None:
        """The operand that a selection always takes, if its condition is known."""
        low, high = self.of(op.operands[0])
        return op.operands[1 if low else 2] if low == high else None


def narrow(graph: Graph) -> None:
    """Makes 32 bits of 64 where they are enough, in values and in the arguments that hold indices, and refuses indices
    that lie outside of their tables. Bits of results are those of 64 bits."""
    known = of_arguments(graph)
    ranges = Ranges(known)
    for op in graph.ops:
        ranges.add(op)
    _check_indices(graph, ranges, known)
    _Narrowing(graph, ranges, known).run()


def of_arguments(graph: Graph) -> dict[Value, Range]:
    """Buffers that no step updates hold what they held at import; batch arguments that reach a table by moves are
    checked by whoever feeds the step."""
    known = {value: _extent(array) for value, array in _kept(graph).items() if array.size}
    # uint8 comes in 32 bits, and the host checks that it is below 256.
    known |= {a.value: (0, a.attrs["vocabulary"] - 1) for a in graph.arguments if "vocabulary" in a.attrs}
    batch = {a.value for a in graph.arguments if a.role == "batch" and a.value.dtype in ("i32", "i64")}
    for op in graph.ops:
        if _reads_rows(op):
            for source in _sources(_indices(op), batch):
                # Of several tables the longest, and what the loss ignores: as much as the host may let pass.
                low, high = _rows(op)[:2]
                before = known.get(source, (low, high))
                known[source] = min(low, before[0]), max(high, before[1])
    return known


def _kept(graph: Graph) -> dict[Value, np.ndarray]:
    """What buffers of whole numbers hold that the step does not update."""
    donors = {id(r.donor) for r in graph.results}
    return {a.value: np.asarray(a.attrs["initial"]) for a in graph.arguments if a.role == "buffer" and is_whole(a.value.dtype)
            and a.attrs.get("initial") is not None and id(a) not in donors}


def _reads_rows(op: Op) -> bool:
    return op.name in _INDEXING and _INDEXING[op.name].axis is not None


def _indices(op: Op) -> Value:
    return op.operands[_INDEXING[op.name].operand]


def _number_of_rows(op: Op) -> int:
    axis = _INDEXING[op.name].axis
    assert axis is not None
    return op.operands[0].shape[axis]


def _rows(op: Op) -> tuple[int, int, int | None]:
    """The least and largest index that a lookup may be given, and the one besides rows that a loss ignores."""
    ignored, last = op.attrs.get("ignore_index"), _number_of_rows(op) - 1
    return (0, last, None) if ignored is None else (min(0, ignored), max(last, ignored), ignored)


def _extent(array: np.ndarray) -> Range:
    return int(array.min()), int(array.max())


def _sources(value: Value, wanted: set[Value]) -> Iterator[Value]:
    """Those of the wanted values whose elements are elements of this one."""
    seen, work = set(), [value]
    while work:
        v = work.pop()
        if v in seen:
            continue
        seen.add(v)
        if v in wanted:
            yield v
        elif v.op is not None and v.op.name in MOVES | {Kind.RESHAPE}:
            work += v.op.operands


def _check_indices(graph: Graph, ranges: Ranges, known: Mapping[Value, Range]) -> None:
    open_ = [op for op in graph.ops if _reads_rows(op) and not _is_within(op, ranges.of(_indices(op)))]
    if not open_:
        return
    computed = _Computed(graph, {_indices(op) for op in open_})
    for op in open_:
        low, high, ignored = _rows(op)
        found = computed.extent(_indices(op), ignored)
        bounds = found or ranges.of(_indices(op))
        # Of a range that is not computed some indices may not occur; of one beside the table none can be right.
        wrong = not _is_within(op, bounds) if found else bounds[0] > high or bounds[1] < low
        if wrong:
            raise ImportFailure(_complaint(graph, op, bounds))


def _is_within(op: Op, bounds: Range | None) -> bool:
    low, high, ignored = _rows(op)
    return bounds is not None and low <= bounds[0] and bounds[1] <= high


def _complaint(graph: Graph, op: Op, bounds: Range) -> str:
    rows = _number_of_rows(op)
    got = f"{bounds[0]}" if bounds[0] == bounds[1] else f"{bounds[0]} to {bounds[1]}"
    where = f" in {op.path}" if op.path else ""
    if op.name == Kind.CROSS_ENTROPY:
        return f"labels must be 0 to {rows - 1} (or the ignored {op.attrs['ignore_index']}) but the model computes {got}{where}"
    of = {a.value: a.path for a in graph.arguments}
    table = next((of[source] for source in _sources(op.operands[0], set(of))), "a computed table")
    return (f"indices into {table} must be 0 to {rows - 1}, one of its {rows} rows, but the model computes {got}{where} "
            "(give shorter sequences, or make the table longer)")


class _Computed:
    """Whole numbers that depend on no batch, computed where a lookup needs them and they are few."""

    def __init__(self, graph: Graph, wanted: set[Value]) -> None:
        self._arrays = _kept(graph)
        needed, work = set(), [v.op for v in wanted]
        while work:
            op = work.pop()
            if op is not None and op not in needed:
                needed.add(op)
                work += [v.op for v in op.operands]
        for op in graph.ops:
            if op in needed:
                self._compute(op)

    def extent(self, value: Value, ignored: int | None) -> Range | None:
        array = self._arrays.get(value)
        if array is None:
            return None
        counted = array if ignored is None else array[array != ignored]
        if counted.size:
            return _extent(counted)
        return None if ignored is None else (ignored, ignored)

    def _compute(self, op: Op) -> None:
        function = getattr(self, "_" + op.name.rpartition(".")[2], None)
        result = op.result
        if function is None or not is_whole(result.dtype) or math.prod(result.shape) > _MOST_COMPUTED:
            return
        operands = [self._arrays.get(v) for v in op.operands]
        if all(x is not None for x in operands):
            dtype = {"i1": np.bool_, "i32": np.int32, "i64": np.int64}[result.dtype]
            with np.errstate(all="ignore"):
                self._arrays[result] = np.asarray(function(op, *operands)).astype(dtype).reshape(result.shape)

    def _constant(self, op: Op) -> np.ndarray:
        return np.broadcast_to(np.array(op.attrs["value"]), op.result.shape)

    def _iota(self, op: Op) -> np.ndarray:
        return np.arange(op.result.shape[0])

    def _reshape(self, op: Op, x: np.ndarray) -> np.ndarray:
        return x.reshape(op.result.shape)

    _collapse_shape = _expand_shape = _reshape

    def _extract_slice(self, op: Op, x: np.ndarray) -> np.ndarray:
        a = op.attrs
        return x[tuple(slice(o, o + (n - 1) * s + 1, s) for o, n, s in zip(a["offsets"], a["sizes"], a["strides"]))]

    def _concat(self, op: Op, *x: np.ndarray) -> np.ndarray:
        return np.concatenate(x, op.attrs["dim"])

    def _transpose(self, op: Op, x: np.ndarray) -> np.ndarray:
        return x.transpose(op.attrs["permutation"])

    def _broadcast(self, op: Op, x: np.ndarray) -> np.ndarray:
        shape, dims = op.result.shape, op.attrs["dims"]
        return np.broadcast_to(x.reshape([n if d in dims else 1 for d, n in enumerate(shape)]), shape)

    def _select(self, op: Op, condition: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.where(condition, x, y)

    def _cmpi(self, op: Op, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return _COMPARE[op.attrs["predicate"].lstrip("su")](x, y)

    def _extsi(self, op: Op, x: np.ndarray) -> np.ndarray:
        return x

    _extui = _trunci = _extsi

    def _reduce(self, op: Op, x: np.ndarray) -> np.ndarray:
        reductions: dict[str, Callable[..., np.ndarray]] = {"sum": np.sum, "max": np.max, "min": np.min}
        return reductions[op.attrs["kind"]](x, tuple(op.attrs["dims"]))

    def _gather(self, op: Op, table: np.ndarray, ids: np.ndarray) -> np.ndarray:
        return table[np.clip(ids, 0, len(table) - 1)]

    def _divsi(self, op: Op, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return (x - np.fmod(x, y)) // y

    def _shli(self, op: Op, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.left_shift(x, y)

    def _absi(self, op: Op, x: np.ndarray) -> np.ndarray:
        return np.abs(x)

    def _shrsi(self, op: Op, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.right_shift(x, y)


_COMPARE = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
for _name, _function in (("addi", np.add), ("subi", np.subtract), ("muli", np.multiply), ("maxsi", np.maximum), ("minsi", np.minimum),
                         ("andi", np.bitwise_and), ("ori", np.bitwise_or), ("xori", np.bitwise_xor), ("remsi", np.fmod)):
    setattr(_Computed, "_" + _name, lambda self, op, x, y, function=_function: function(x, y))


class _Narrowing:
    """Rewrites a graph so that each op computes in 32 bits whose 64-bit operands and results all fit them."""

    def __init__(self, graph: Graph, ranges: Ranges, known: Mapping[Value, Range]) -> None:
        self._graph, self._ranges = graph, ranges
        self._was_wide: set[Value] = set()
        self._replaced: dict[Value, Value] = {}
        self._forms: dict[tuple[Value, str], Value] = {}
        self._constants: dict[tuple[str, tuple[int, ...], str], Value] = {}
        self._ops: list[Op] = []
        for a in graph.arguments:
            if a.role == "buffer" and a.value.dtype in ("i32", "i64") and a.value in known:
                # Whoever sets it later must keep to it.
                a.attrs["range"] = known[a.value]
            if a.value.dtype == "i64":
                self._was_wide.add(a.value)
                if a.value in known and fits(known[a.value], "i32"):
                    a.value.dtype = "i32"

    def run(self) -> None:
        for op in self._graph.ops:
            self._rewrite(op)
        self._graph.ops = self._ops
        last = self._ops[-1] if self._ops else None
        for r in self._graph.results:
            r.value = self._root(r.value)
            if last is not None and r.donor is not None and is_whole(r.value.dtype):
                # In the bits of what it replaces.
                r.value = self._form(last, r.value, r.donor.value.dtype)

    def _root(self, value: Value) -> Value:
        while value in self._replaced:
            value = self._replaced[value]
        return value

    def _fits(self, value: Value) -> bool:
        return fits(self._ranges.of(value), "i32")

    def _rewrite(self, op: Op) -> None:
        wide = [v for v in (*op.operands, *op.results) if v in self._was_wide or v.dtype == "i64"]
        self._was_wide.update(v for v in op.results if v.dtype == "i64")
        if op.name == Kind.CONSTANT:
            self._constant(op, "i32" if wide and self._fits(op.result) else op.result.dtype)
        elif op.name == Kind.SELECT and is_whole(op.result.dtype) and (chosen := self._ranges.chosen(op)):
            self._replaced[op.result] = self._root(chosen)
        elif op.name == Kind.EXTSI:
            self._replaced[op.result] = self._root(op.operands[0])
        elif op.name == Kind.TRUNCI:
            self._replaced[op.result] = self._form(op, op.operands[0], "i32")
        else:
            self._compute(op, wide)

    def _compute(self, op: Op, wide: list[Value]) -> None:
        place = _INDEXING[op.name].operand if op.name in _INDEXING else None
        others = [v for i, v in enumerate(op.operands) if i != place]
        dtype = "i32" if all(self._fits(v) for v in wide if v in others or v in op.results) and self._shifts(op) else "i64"
        op.operands = [self._index(op, v) if i == place else self._form(op, v, dtype) if v in wide else self._root(v)
                       for i, v in enumerate(op.operands)]
        for v in op.results:
            if v.dtype == "i64":
                v.dtype = dtype
        self._ops.append(op)

    def _shifts(self, op: Op) -> bool:
        """Whether the op may be one of 32 bits: those shift by fewer than 32."""
        return op.name not in (Kind.SHLI, Kind.SHRSI, Kind.SHRUI) or self._ranges.of(op.operands[1])[1] < 32

    def _append(self, like: Op, name: str, operands: Iterable[Value], shape: Iterable[int], dtype: str, **attrs: Any) -> Value:
        op = Op(name, operands, [(shape, dtype)], attrs, like.path, like.phase, like.seq)
        self._ops.append(op)
        return op.result

    def _form(self, reader: Op, value: Value, dtype: str) -> Value:
        """The value in this many bits."""
        value = self._root(value)
        if value.dtype == dtype or value.dtype not in ("i32", "i64"):
            return value
        key = value, dtype
        if key not in self._forms:
            if value.op is not None and value.op.name == Kind.CONSTANT and fits((value.op.attrs["value"],) * 2, dtype):
                made = Op(Kind.CONSTANT, [], [(value.shape, dtype)], value.op.attrs, value.op.path, value.op.phase, value.op.seq)
                self._forms[key] = self._constant(made, dtype)
            else:
                name = Kind.TRUNCI if dtype == "i32" else Kind.EXTSI
                self._forms[key] = self._append(reader, name, [value], value.shape, dtype)
        return self._forms[key]

    def _constant(self, op: Op, dtype: str) -> Value:
        """One constant a value, in whatever width it was made."""
        key = repr(op.attrs["value"]), op.result.shape, dtype
        if key not in self._constants:
            op.result.dtype = dtype
            self._constants[key] = op.result
            self._ops.append(op)
        elif self._constants[key] is not op.result:
            self._replaced[op.result] = self._constants[key]
        return self._constants[key]

    def _index(self, op: Op, value: Value) -> Value:
        """Indices in 32 bits; those that need more lie outside of every table, and stay outside."""
        value = self._root(value)
        if value.dtype == "i32" or self._fits(value):
            return self._form(op, value, "i32")
        key = value, "index"
        if key not in self._forms:
            bound = value
            for name, limit in ((Kind.MAXSI, LIMITS["i32"][0]), (Kind.MINSI, LIMITS["i32"][1])):
                made = Op(Kind.CONSTANT, [], [(value.shape, "i64")], {"value": limit})
                bound = self._append(op, name, [bound, self._constant(made, "i64")], value.shape, "i64")
            self._forms[key] = self._append(op, Kind.TRUNCI, [bound], value.shape, "i32")
        return self._forms[key]
