# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""On which parts of the batch each value of a graph depends: which of its dimensions run over which dimension of the
batch
arguments, and how far along that an element reads.

Dimension k of the batch arguments is axis k: axis 0 counts rows, the last one of token ids the places of a sequence. A
  dimension
of a value is a list of factors (after a reshape several); a factor runs over an axis, its element i standing at first +
i * step, or over none. An element depends on no index of an axis beyond where its factors stand and beyond `most` of
the axis. It depends on the one index where it stands, unless the axis is `mixed`. What is not understood depends on
everything.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ..ir import Argument, Graph, Kind, Op, Value

# What is added to scores in order to hide them.
_HIDES = -1e4

# Elements of constants that are remembered.
_KEPT = 1 << 16


class Factor(NamedTuple):
    size: int
    axis: int | None = None
    first: int = 0
    step: int = 1

    @property
    def furthest(self) -> int:
        return max(self.first, self.first + (self.size - 1) * self.step)


# A dimension of a value.
Dim = tuple[Factor, ...]


@dataclass(frozen=True)
class Dependence:
    """Of one value. `mixed` says of an axis which op mixed it. `hidden` is of attention's scores, whose last two
    dimensions run over one axis: "masked" once those that look ahead are as good as minus infinity, "zero" once they
    are zeros."""

    dims: tuple[Dim, ...]
    mixed: dict[int, str] = field(default_factory=dict)
    most: dict[int, int] = field(default_factory=dict)
    arguments: frozenset[str] = frozenset()
    hidden: str | None = None

    def axes(self) -> set[int]:
        return {f.axis for dim in self.dims for f in dim if f.axis is not None} | set(self.most)


def find_dependences(graph: Graph, needed: set[Op]) -> dict[Value, Dependence]:
    """Of every value that the ops `needed` read or compute."""
    return _Finder(graph).run(needed)


class _Result:
    """A dependence in the making: what several operands have in common."""

    def __init__(self, op: Op, operands: list[Dependence]) -> None:
        self.op = op
        self.mixed: dict[int, str] = {}
        self.most: dict[int, int] = {}
        arguments: set[str] = set()
        for d in operands:
            arguments |= d.arguments
            for axis, cause in d.mixed.items():
                self.mixed.setdefault(axis, cause)
            for axis, index in d.most.items():
                self.most[axis] = max(self.most.get(axis, index), index)
        self.arguments = frozenset(arguments)

    def mix(self, axis: int | None) -> None:
        if axis is None:
            return
        self.mixed.setdefault(axis, f"{self.op.name} in {self.op.path or 'the model'}")

    def lose(self, factors: Iterable[Factor]) -> None:
        """Every element of the result depends on all of these."""
        for f in factors:
            if f.axis is not None:
                self.mix(f.axis)
                self.most[f.axis] = max(self.most.get(f.axis, f.furthest), f.furthest)

    def unify(self, dims: Sequence[Dim], size: int) -> Dim:
        """One dimension of operands that are read element by element."""
        tagged = [dim for dim in dims if _is_tagged(dim)]
        if not tagged:
            return (Factor(size),)
        if len({tuple(f.size for f in dim) for dim in tagged}) > 1:
            return self._give_up(tagged, size)
        factors = []
        for column in zip(*tagged):
            known = [f for f in column if f.axis is not None]
            if len({(f.axis, f.step) for f in known}) > 1:
                return self._give_up(tagged, size)
            if len({f.first for f in known}) > 1:
                self.mix(known[0].axis)
            factors.append(max(known, key=lambda f: f.first) if known else column[0])
        return tuple(factors)

    def _give_up(self, dims: Sequence[Dim], size: int) -> Dim:
        for dim in dims:
            self.lose(dim)
        return (Factor(size),)

    def make(self, dims: Sequence[Dim], hidden: str | None = None) -> Dependence:
        seen = set()
        for f in (f for dim in dims for f in dim if f.axis is not None):
            if f.axis in seen:
                self.mix(f.axis)
            seen.add(f.axis)
        return Dependence(tuple(dims), self.mixed, self.most, self.arguments, hidden)


def _is_tagged(dim: Dim) -> bool:
    return any(f.axis is not None for f in dim)


def _plain(shape: Iterable[int]) -> tuple[Dim, ...]:
    return tuple((Factor(size),) for size in shape)


class _Finder:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.of: dict[Value, Dependence] = {}
        self.constants: dict[Value, np.ndarray | None] = {}
        self.initial = {a.value: a.attrs["initial"] for a in graph.arguments if "initial" in a.attrs}
        for a in graph.arguments:
            self.of[a.value] = _of_argument(a)

    def run(self, needed: set[Op]) -> dict[Value, Dependence]:
        for op in self.graph.ops:
            if op in needed:
                operands = [self.of[v] for v in op.operands]
                if any(d.arguments for d in operands):
                    results = self._results(op, operands)
                else:
                    results = [Dependence(_plain(r.shape)) for r in op.results]
                self.of.update(zip(op.results, results))
        return self.of

    def _results(self, op: Op, operands: list[Dependence]) -> list[Dependence]:
        rule = _RULES.get(op.name)
        if rule is None and op.dialect in ("arith", "math") and all(v.shape == op.result.shape for v in op.operands):
            rule = _elementwise
        found = rule(self, op, operands) if rule else None
        if found is None:
            return [_unknown(op, operands, r) for r in op.results]
        return found if isinstance(found, list) else [found]

    # Constants, of which masks are made

    def constant(self, value: Value) -> np.ndarray | None:
        """Elements of a value that depends on no argument but buffers, with dimensions of size 1 where all are alike;
        None where it is none or not understood."""
        if value in self.constants:
            return self.constants[value]
        found = self._constant(value)
        # Those of a mask's size are not kept.
        if found is None or found.size <= _KEPT:
            self.constants[value] = found
        return found

    def _constant(self, value: Value) -> np.ndarray | None:
        op = value.op
        if value in self.initial:
            return np.asarray(self.initial[value])
        if op is None or (value in self.of and self.of[value].arguments):
            return None
        if op.name == Kind.CONSTANT:
            return np.full((1,) * value.rank, op.attrs["value"])
        if op.name == Kind.IOTA:
            return _along(np.arange(value.shape[op.attrs["dim"]]), op.attrs["dim"], value.rank)
        operands = []
        for v in op.operands:
            found = self.constant(v)
            if found is None:
                return None
            operands.append(found)
        return _compute(op, operands)

    def hides(self, value: Value) -> np.ndarray | None:
        """Where a value of scores is as good as minus infinity, in the form of `constant`; None: nowhere that is
        known."""
        op = value.op
        if op is not None and op.name == Kind.SELECT:
            condition = self.constant(op.operands[0])
            if condition is not None:
                x, y = (self._all_hide(v) for v in op.operands[1:])
                if x or y:
                    return (condition.astype(bool) & x) | (~condition.astype(bool) & y)
        if op is not None and op.name == Kind.ADDF:
            for v in op.operands:
                found = self.hides(v)
                if found is not None:
                    return found
        if op is not None and op.name in _LEADING:
            found = self.hides(op.operands[0])
            return None if found is None else _compute(op, [found])
        constant = self.constant(value)
        return None if constant is None or not (constant <= _HIDES).any() else constant <= _HIDES

    def _all_hide(self, value: Value) -> bool:
        constant = self.constant(value)
        return constant is not None and bool((constant <= _HIDES).all())


_LEADING = (Kind.BROADCAST, Kind.COLLAPSE_SHAPE, Kind.EXPAND_SHAPE, Kind.EXTRACT_SLICE)


def _along(x: np.ndarray, dim: int, rank: int) -> np.ndarray:
    return x.reshape([-1 if d == dim else 1 for d in range(rank)])


_COMPARISONS = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
_ARITHMETIC = {"arith.addi": np.add, "arith.subi": np.subtract, "arith.muli": np.multiply, Kind.ADDF: np.add,
               Kind.SUBF: np.subtract, Kind.MULF: np.multiply, "arith.andi": np.bitwise_and, "arith.ori": np.bitwise_or,
               "arith.xori": np.bitwise_xor}


def _compute(op: Op, operands: list[np.ndarray]) -> np.ndarray | None:
    """Never larger than what differs: dimensions of size 1 stay so."""
    x, shape = operands[0], op.result.shape
    if op.name in (Kind.CMPI, Kind.CMPF):
        return _COMPARISONS[op.attrs["predicate"][-2:]](*operands)
    if op.name == Kind.SELECT:
        return np.where(*operands)
    if op.name in _ARITHMETIC:
        return _ARITHMETIC[op.name](*operands)
    if op.name in (Kind.SITOFP, Kind.UITOFP):
        return x.astype(np.float32)
    if op.name == Kind.EXTUI:
        return x.astype(np.int32)
    if op.name == Kind.BROADCAST:
        dims = op.attrs["dims"]
        return x.reshape([x.shape[dims.index(d)] if d in dims else 1 for d in range(len(shape))])
    if op.name == Kind.TRANSPOSE:
        return x.transpose(op.attrs["permutation"])
    if op.name == Kind.EXTRACT_SLICE:
        a = op.attrs
        cut = [slice(None) if x.shape[d] == 1 else slice(o, o + n * s, s)
               for d, (o, n, s) in enumerate(zip(a["offsets"], a["sizes"], a["strides"]))]
        return x[tuple(cut)]
    if op.name in (Kind.COLLAPSE_SHAPE, Kind.EXPAND_SHAPE):
        source, groups = op.operands[0].shape, op.attrs["reassociation"]
        if op.name == Kind.EXPAND_SHAPE:
            sizes = [n for d, group in enumerate(groups) for n in
                     ([1] * len(group) if x.shape[d] == 1 else [shape[g] for g in group])]
            return x.reshape(sizes)
        # A group of which a part differs has to be spelled out.
        whole = [source[g] if any(x.shape[h] != 1 for h in group) else 1 for group in groups for g in group]
        return np.broadcast_to(x, whole).reshape([math.prod(whole[g] for g in group) for group in groups])
    return None


# What each op does to dependences

def _of_argument(a: Argument) -> Dependence:
    if a.role != "batch":
        return Dependence(_plain(a.value.shape))
    dims = tuple((Factor(size, k) if size > 1 else Factor(1),) for k, size in enumerate(a.value.shape))
    return Dependence(dims, arguments=frozenset([a.path]))


def _unknown(op: Op, operands: list[Dependence], result: Value) -> Dependence:
    made = _Result(op, operands)
    for d in operands:
        for dim in d.dims:
            made.lose(dim)
        # Along an axis that does not end where its factors do.
        for axis in d.axes():
            made.mix(axis)
    made.most = {axis: 1 << 62 for axis in made.most}
    return made.make(_plain(result.shape))


def _elementwise(finder: _Finder, op: Op, operands: list[Dependence]) -> Dependence:
    made = _Result(op, operands)
    dims = [made.unify([d.dims[i] for d in operands], size) for i, size in enumerate(op.result.shape)]
    return made.make(dims, _hidden(finder, op, operands, dims))


def _hidden(finder: _Finder, op: Op, operands: list[Dependence], dims: Sequence[Dim]) -> str | None:
    """What a mask, and what scales probabilities, makes of scores."""
    if len(dims) < 2 or op.result.dtype != "f32":
        return None
    if op.name in (Kind.MULF, Kind.DIVF) and operands[0].hidden == "zero":
        return "zero"
    if op.name == Kind.MULF and operands[1].hidden == "zero":
        return "zero"
    if op.name not in (Kind.ADDF, Kind.SELECT):
        return None
    q, k = dims[-2], dims[-1]
    if not (len(q) == len(k) == 1 and q[0].axis is not None and q[0].axis == k[0].axis and q[0].step == k[0].step == 1):
        return None
    mask = finder.hides(op.result)
    if mask is None:
        return None
    ahead = k[0].first + np.arange(k[0].size)[None, :] > q[0].first + np.arange(q[0].size)[:, None]
    return "masked" if np.broadcast_to(mask | ~ahead, (*mask.shape[:-2], *ahead.shape)).all() else None


def _dropout(finder: _Finder, op: Op, operands: list[Dependence]) -> Dependence:
    return replace(operands[0], hidden="zero" if operands[0].hidden == "zero" else None)


def _collapse(finder: _Finder, op: Op, operands: list[Dependence]) -> Dependence:
    x, groups = operands[0], op.attrs["reassociation"]
    made = _Result(op, operands)
    dims = [_joined([f for d in group for f in x.dims[d]]) for group in groups]
    if not groups:
        # To a scalar, of one element.
        for dim in x.dims:
            made.lose(dim)
    return made.make(dims, x.hidden if _keeps_last(groups) else None)


def _keeps_last(groups: list[list[int]]) -> bool:
    return len(groups) > 1 and len(groups[-1]) == len(groups[-2]) == 1


def _joined(factors: Iterable[Factor]) -> Dim:
    """One dimension of these: those that run over nothing are one where they meet."""
    result: list[Factor] = []
    for f in factors:
        if f.axis is None and result and result[-1].axis is None:
            result[-1] = Factor(result[-1].size * f.size)
        elif f.axis is not None or f.size > 1:
            result.append(f)
    return tuple(result) or (Factor(1),)


def _expand(finder: _Finder, op: Op, operands: list[Dependence]) -> Dependence:
    x, groups = operands[0], op.attrs["reassociation"]
    made = _Result(op, operands)
    dims: list[Dim] = []
    for d, group in enumerate(groups):
        sizes = [op.result.shape[g] for g in group]
        parts = _split(list(x.dims[d]), sizes)
        if parts is None:
            made.lose(x.dims[d])
            parts = list(_plain(sizes))
        dims += parts
    if not groups:
        dims = list(_plain(op.result.shape))
    return made.make(dims, x.hidden if _keeps_last(groups) else None)


def _split(factors: list[Factor], sizes: Iterable[int]) -> list[Dim] | None:
    """Factors dealt out over dimensions; None where one that runs over an axis would be cut."""
    parts, rest = [], list(factors)
    for size in sizes:
        part = []
        while size > 1:
            if not rest:
                return None
            f = rest.pop(0)
            if size % f.size == 0:
                part.append(f)
                size //= f.size
            elif f.axis is None and f.size % size == 0:
                part.append(Factor(size))
                rest.insert(0, Factor(f.size // size))
                size = 1
            else:
                return None
        while rest and rest[0].size == 1:
            part.append(rest.pop(0))
        parts.append(_joined(part))
    return parts


def _slice(finder: _Finder, op: Op, operands: list[Dependence]) -> Dependence:
    x, a = operands[0], op.attrs
    made = _Result(op, operands)
    dims = []
    for dim, size, offset, length, step in zip(x.dims, op.operands[0].shape, a["offsets"], a["sizes"], a["strides"]):
        if length == size or not _is_tagged(dim):
            dims.append(dim if length == size else (Factor(length),))
        elif len(dim) == 1:
            f = dim[0]
            dims.append((Factor(length, f.axis, f.first + offset * f.step, f.step * step),))
        else:
            made.lose(dim)
            dims.append((Factor(length),))
    return made.make(dims)


def _concat(finder: _Finder, op: Op, operands: list[Dependence]) -> Dependence:
    along = op.attrs["dim"]
    made = _Result(op, operands)
    dims = []
    for i, size in enumerate(op.result.shape):
        if i != along:
            dims.append(made.unify([d.dims[i] for d in operands], size))
            continue
        # Each part is on a line that goes on over the whole: the furthest is what elements depend on at most.
        lines, offset, simple = [], 0, True
        for d, v in zip(operands, op.operands):
            dim = d.dims[i]
            if _is_tagged(dim):
                simple &= len(dim) == 1
                lines.append((dim[0].axis, dim[0].step, dim[0].first - offset * dim[0].step))
            offset += v.shape[i]
        if not lines:
            dims.append((Factor(size),))
        elif simple and len({line[:2] for line in lines}) == 1 and lines[0][1] > 0:
            axis, step, first = max(lines)
            if len(set(lines)) > 1:
                made.mix(axis)
            dims.append((Factor(size, axis, first, step),))
        else:
            for d in operands:
                made.lose(d.dims[i])
            dims.append((Factor(size),))
    return made.make(dims)


def _broadcast(finder: _Finder, op: Op, operands: list[Dependence]) -> Dependence:
    x, dims = operands[0], op.attrs["dims"]
    made = _Result(op, operands)
    return made.make([x.dims[dims.index(d)] if d in dims else (Factor(size),) for d, size in enumerate(op.result.shape)])


def _transpose(finder: _Finder, op: Op, operands: list[Dependence]) -> Dependence:
    return _Result(op, operands).make([operands[0].dims[p] for p in op.attrs["permutation"]])


def _reduce(finder: _Finder, op: Op, operands: list[Dependence]) -> Dependence:
    x, made = operands[0], _Result(op, operands)
    for d in op.attrs["dims"]:
        made.lose(x.dims[d])
    return made.make([dim for d, dim in enumerate(x.dims) if d not in op.attrs["dims"]])


def _matmul(finder: _Finder, op: Op, operands: list[Dependence]) -> Dependence | None:
    made = _Result(op, operands)
    a, b = (list(d.dims) for d in operands)
    if op.attrs["transpose_a"]:
        a[-2:] = a[:-3:-1]
    if op.attrs["transpose_b"]:
        b[-2:] = b[:-3:-1]
    if len(a) != len(b):
        return None
    if operands[0].hidden == "zero" and not op.attrs["transpose_a"] and _is_one_line(a[-1], b[-2]):
        # Row i adds up no value beyond where it stands.
        made.mix(a[-1][0].axis)
    else:
        made.lose(a[-1])
        made.lose(b[-2])
    batch = [made.unify(pair, size) for *pair, size in zip(a[:-2], b[:-2], op.result.shape)]
    return made.make([*batch, a[-2], b[-1]])


def _conv(finder: _Finder, op: Op, operands: list[Dependence]) -> Dependence:
    """Of the batch an element reads its own row, and of that all places that there are."""
    made = _Result(op, operands)
    for dim in (*operands[0].dims[1:], *(dim for d in operands[1:] for dim in d.dims)):
        made.lose(dim)
    return made.make([operands[0].dims[0], *_plain(op.result.shape[1:])])


def _is_one_line(a: Dim, b: Dim) -> bool:
    return a == b and len(a) == 1 and a[0].axis is not None


def _lookup(finder: _Finder, op: Op, operands: list[Dependence]) -> Dependence:
    table, ids = operands
    made = _Result(op, operands)
    made.lose(table.dims[0])
    return made.make([*ids.dims, *table.dims[1:]])


def _softmax(finder: _Finder, op: Op, operands: list[Dependence]) -> Dependence:
    x, made = operands[0], _Result(op, operands)
    if x.hidden == "masked":
        # Of row i all that is not zero stands no further than the row.
        made.mix(x.dims[-1][0].axis)
        return made.make(x.dims, "zero")
    made.lose(x.dims[-1])
    return made.make(x.dims)


def _norm(finder: _Finder, op: Op, operands: list[Dependence]) -> list[Dependence]:
    """Over the last dimension: the result, then statistics of rows."""
    x = operands[0]
    results = []
    for r in op.results:
        made = _Result(op, operands)
        for d in operands:
            made.lose(d.dims[-1])
        dims = [*x.dims[:-1], (Factor(op.operands[0].shape[-1]),)]
        for d in operands[1:]:
            for dim in d.dims[:-1]:
                made.lose(dim)
        results.append(made.make(dims[:r.rank]))
    return results


def _attention(finder: _Finder, op: Op, operands: list[Dependence]) -> list[Dependence] | None:
    if len(operands) > 4 or not set(op.attrs) <= {"scale", "causal", "window"}:
        return None
    q, k, v, *bias = operands
    results = []
    for r in op.results:
        made = _Result(op, operands)
        # Batch, heads, places, elements of a head.
        dims = [made.unify([d.dims[0] for d in operands], r.shape[0])]
        same_heads = len({x.shape[1] for x in op.operands[:3]}) == 1
        if same_heads:
            dims.append(made.unify([d.dims[1] for d in operands], r.shape[1]))
        else:
            for d in operands:
                made.lose(d.dims[1])
            dims.append((Factor(r.shape[1]),))
        # Of a bias the places of queries and of keys.
        of_bias = [dim for b in bias for dim in b.dims[2:] if _is_tagged(dim)]
        dims.append(_places(made, op, [d.dims[2] for d in (q, k, v)], of_bias))
        made.lose(q.dims[3])
        made.lose(k.dims[3])
        dims.append(v.dims[3])
        results.append(made.make(dims[:r.rank]))
    return results


def _places(made: _Result, op: Op, dims: Sequence[Dim], of_bias: Sequence[Dim]) -> Dim:
    factors = [dim[0] for dim in (*dims, *of_bias) if len(dim) == 1]
    if op.attrs["causal"] and len(factors) == 3 + len(of_bias) and len({(f.size, f.axis, f.step) for f in factors}) == 1 and factors[0].step > 0:
        if factors[0].axis is not None:
            made.mix(factors[0].axis)
        return (max(factors, key=lambda f: f.first),)
    for dim in (*dims[1:], *of_bias):
        made.lose(dim)
    return dims[0]


# None where the op is not understood.
Rule = Callable[[_Finder, Op, list[Dependence]], Dependence | list[Dependence] | None]
_RULES: dict[str, Rule] = {
    Kind.COLLAPSE_SHAPE: _collapse, Kind.EXPAND_SHAPE: _expand, Kind.EXTRACT_SLICE: _slice, Kind.CONCAT: _concat,
    Kind.BROADCAST: _broadcast, Kind.TRANSPOSE: _transpose, Kind.REDUCE: _reduce, Kind.MATMUL: _matmul, Kind.EMBEDDING: _lookup,
    Kind.GATHER: _lookup, "prec_train.softmax": _softmax, "prec_train.rms_norm": _norm, "prec_train.layer_norm": _norm,
    Kind.CONV: _conv, Kind.CONV_GRAD_INPUT: _conv, "prec_train.attention": _attention, "prec_train.dropout": _dropout,
}
