# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moves the transpositions between channels second and channels last towards the results.

Convolutions compute with channels last, and frameworks have channels second, so each convolution stands between two
transpositions. One pass over the operations, in their order, knows of values that they are a transposition of another
one (`_Moved`). What reads such a value elementwise, or only adds up, cuts, joins or reshapes it, is computed of the
untransposed one instead, and its result is a transposition again, until that meets its inverse in front of the next
convolution. An operand that is no such transposition is built in the other order where that moves nothing (a constant,
a repetition, and what is computed of these), and transposed else. Only transpositions that `last` and `first` mark
begin this: a graph without them stays as it is.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from .ir import Graph, Kind, Op, Value

if TYPE_CHECKING:
    from .builder import Builder

# The attribute of transpositions that are to be moved; text leaves it out.
_MARK = "moves"

Permutation = tuple[int, ...]


def last(b: Builder, x: Value, moves: bool = True) -> Value:
    """The second dimension as the last one."""
    return _marked(b.transpose(x, [0, *range(2, x.rank), 1]), moves)


def first(b: Builder, x: Value, moves: bool = True) -> Value:
    """The inverse of `last`."""
    return _marked(b.transpose(x, [0, x.rank - 1, *range(1, x.rank - 1)]), moves)


def _marked(x: Value, moves: bool) -> Value:
    if moves and x.op is not None and x.op.name == Kind.TRANSPOSE:
        x.op.attrs[_MARK] = True
    return x


class _Moved(NamedTuple):
    """Dimension i is dimension permutation[i] of the source."""

    source: Value
    permutation: Permutation


def _inverse(permutation: Sequence[int]) -> Permutation:
    return tuple(permutation.index(d) for d in range(len(permutation)))


def move_layouts(graph: Graph) -> None:
    if any(op.name == Kind.TRANSPOSE and op.attrs.get(_MARK) for op in graph.ops):
        _Mover(graph).run()


class _Mover:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.ops: list[Op] = []
        self.moved: dict[Value, _Moved] = {}
        # The first of equal transpositions.
        self.transposed: dict[tuple[Value, Permutation], Value] = {}
        # Values that were built in another order.
        self.ordered: dict[tuple[Value, Permutation], Value] = {}
        self.free: dict[Value, bool] = {}

    def run(self) -> None:
        for op in self.graph.ops:
            if not self._move(op):
                self.ops.append(op)
        self.graph.ops = self.ops

    def _move(self, op: Op) -> bool:
        """Whether the op was built in another order, its result then being a transposition."""
        if op.name == Kind.TRANSPOSE:
            return self._follow(op)
        if len(op.results) != 1 or not any(v in self.moved for v in op.operands):
            return False
        if _is_elementwise(op):
            return self._compute(op)
        rule = {Kind.REDUCE: self._reduce, Kind.RESHAPE: self._reshape, Kind.EXTRACT_SLICE: self._slice, Kind.CONCAT: self._concat,
                Kind.BROADCAST: self._broadcast}.get(op.name)
        return rule is not None and rule(op)

    def _follow(self, op: Op) -> bool:
        x, permutation = op.operands[0], tuple(op.attrs["permutation"])
        moves = x in self.moved or op.attrs.get(_MARK)
        if x in self.moved:
            x, before = self.moved[x]
            permutation = tuple(before[p] for p in permutation)
            op.operands, op.attrs["permutation"] = [x], list(permutation)
        # Cleaning removes one that moves nothing.
        if moves and permutation != tuple(range(len(permutation))):
            self.moved[op.result] = _Moved(x, permutation)
        known = self.transposed.setdefault((x, permutation), op.result)
        if known is op.result:
            return False
        self._alias(op.result, known)
        return True

    def _build(self, like: Op, operands: list[Value], shape: Sequence[int], **attrs: object) -> Value:
        made = Op(like.name, operands, [(shape, like.result.dtype)], {**like.attrs, **attrs}, like.path, like.phase, like.seq)
        self.ops.append(made)
        return made.result

    def _is(self, value: Value, source: Value, permutation: Permutation) -> bool:
        """Makes `value` this transposition."""
        was = value.op
        assert was is not None
        if permutation == tuple(range(len(permutation))):
            self._alias(value, source)
        else:
            self._define(value, Op(Kind.TRANSPOSE, [source], [], {"permutation": list(permutation), _MARK: True}, was.path, was.phase, was.seq))
            self.moved[value] = _Moved(source, permutation)
        return True

    def _alias(self, value: Value, of: Value) -> None:
        """A reshape to the same shape, which cleaning removes."""
        was = value.op
        assert was is not None
        self._define(value, Op(Kind.RESHAPE, [of], [], {}, was.path, was.phase, was.seq))

    def _define(self, value: Value, op: Op) -> None:
        op.results, value.op, value.index = [value], op, 0
        self.ops.append(op)

    # In which order operands are built

    def _in_order(self, v: Value, permutation: Permutation) -> Value:
        """The value that v is the transposition of, by `permutation`."""
        known = self.moved.get(v)
        if known is not None and known.permutation == permutation:
            return known.source
        key = (v, permutation)
        if key not in self.ordered:
            self.ordered[key] = self._ordered(v, permutation)
        return self.ordered[key]

    def _ordered(self, v: Value, permutation: Permutation) -> Value:
        inverse, op = _inverse(permutation), v.op
        shape = [v.shape[p] for p in inverse]
        if op is not None and self._is_free(v):
            if op.name == Kind.CONSTANT:
                return self._build(op, [], shape)
            if op.name == Kind.BROADCAST:
                dims = [permutation[d] for d in op.attrs["dims"]]
                repeated, order = op.operands[0], sorted(range(len(dims)), key=dims.__getitem__)
                if order != sorted(order):
                    few = Op(Kind.TRANSPOSE, [repeated], [([repeated.shape[d] for d in order], v.dtype)], {"permutation": order},
                             op.path, op.phase, op.seq)
                    self.ops.append(few)
                    repeated = few.result
                return self._build(op, [repeated], shape, dims=sorted(dims))
            else:
                return self._build(op, [self._in_order(x, permutation) for x in op.operands], shape)
        source, before = self.moved.get(v, _Moved(v, tuple(range(v.rank))))
        order = [before[p] for p in inverse]
        made = Op(Kind.TRANSPOSE, [source], [(shape, v.dtype)], {"permutation": order}, *_place(self.ops, op))
        self.ops.append(made)
        return made.result

    def _is_free(self, v: Value) -> bool:
        """Whether another order costs no more: what repeats a few elements, and what is computed of it."""
        if v not in self.free:
            op = v.op
            self.free[v] = op is not None and (
                op.name in (Kind.CONSTANT, Kind.BROADCAST) or _is_elementwise(op) and all(self._is_free(x) for x in op.operands))
        return self.free[v]

    # How each kind of op is computed of what its operands are transpositions of

    def _permutation(self, op: Op) -> Permutation:
        """That most operands have."""
        found = [self.moved[v].permutation for v in op.operands if v in self.moved]
        return max(found, key=found.count)

    def _compute(self, op: Op) -> bool:
        permutation = self._permutation(op)
        operands = [self._in_order(v, permutation) for v in op.operands]
        return self._is(op.result, self._build(op, operands, operands[0].shape), permutation)

    def _reduce(self, op: Op) -> bool:
        source, permutation = self.moved[op.operands[0]]
        dims = sorted(permutation[d] for d in op.attrs["dims"])
        kept = [p for d, p in enumerate(permutation) if d not in op.attrs["dims"]]
        remaining = sorted(kept)
        made = self._build(op, [source], [source.shape[d] for d in remaining], dims=dims)
        return self._is(op.result, made, tuple(remaining.index(p) for p in kept))

    def _broadcast(self, op: Op) -> bool:
        """New dimensions stay behind those that they followed."""
        source, permutation = self.moved[op.operands[0]]
        behind: dict[int, list[int]] = {}
        last = -1
        for d in range(op.result.rank):
            last = d if d in op.attrs["dims"] else last
            behind.setdefault(last, []).append(d)
        kept = [op.attrs["dims"][d] for d in _inverse(permutation)]
        order = [*behind.get(-1, []), *(d for k in kept for d in behind[k])]
        shape = [op.result.shape[d] for d in order]
        return self._is(op.result, self._build(op, [source], shape, dims=[order.index(k) for k in kept]), _inverse(order))

    def _slice(self, op: Op) -> bool:
        source, permutation = self.moved[op.operands[0]]
        inverse = _inverse(permutation)
        attrs = {key: [op.attrs[key][p] for p in inverse] for key in ("offsets", "sizes", "strides")}
        return self._is(op.result, self._build(op, [source], attrs["sizes"], **attrs), permutation)

    def _concat(self, op: Op) -> bool:
        permutation = self._permutation(op)
        operands = [self._in_order(v, permutation) for v in op.operands]
        shape = [op.result.shape[p] for p in _inverse(permutation)]
        return self._is(op.result, self._build(op, operands, shape, dim=permutation[op.attrs["dim"]]), permutation)

    def _reshape(self, op: Op) -> bool:
        """Where dimensions that are brought together, or made of one, lie together in the source."""
        from .cleanup import groups
        x, shape = op.operands[0], op.result.shape
        source, permutation = self.moved[x]
        runs = []
        for left, right in groups(x.shape, shape):
            places = [permutation[d] for d in left if x.shape[d] > 1]
            between = places and [d for d in range(places[0], places[-1] + 1) if source.shape[d] > 1]
            if places and between != places:
                return False
            runs.append((places[0] if places else None, right))
        # A run of dimensions of one element stays behind the one in front of it.
        order: list[tuple[int, int, list[int]]] = []
        before = -1
        for number, (place, right) in enumerate(runs):
            before = before if place is None else place
            order.append((before, number, right))
        dims = [d for _, _, right in sorted(order) for d in right]
        made = Op(Kind.RESHAPE, [source], [([shape[d] for d in dims], x.dtype)], {}, op.path, op.phase, op.seq)
        self.ops.append(made)
        return self._is(op.result, made.result, _inverse(dims))


def _place(ops: list[Op], op: Op | None) -> tuple[str, str, int | None]:
    """Where an op is of, or what came last."""
    at = op if op is not None and op.name != Kind.CONSTANT else ops[-1]
    return at.path, at.phase, at.seq


def _is_elementwise(op: Op) -> bool:
    return op.dialect in ("arith", "math") and op.name != Kind.CONSTANT and len(op.results) == 1 and all(
        v.shape == op.result.shape for v in op.operands)
