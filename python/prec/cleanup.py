# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folds chains of reshapes and transposes, folds transposes into matrix products, drops what nobody reads, and turns
the pseudo op `reshape` into tensor.collapse_shape and tensor.expand_shape. Whole numbers get the bits that they need
(ranges.py)."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeGuard

from . import ranges
from .ir import Graph, Kind, Op, Value
from .layout import move_layouts

# Dimensions of a source, and of a target, that hold the same elements.
Run = tuple[list[int], list[int]]


def clean(graph: Graph) -> None:
    move_layouts(graph)
    _fold(graph)
    _drop_dead(graph)
    _fold_results(graph)
    _drop_dead(graph)
    _narrow_buffers(graph)
    ranges.narrow(graph)
    _drop_dead(graph)
    graph.ops = [piece for op in graph.ops for piece in (_expand_reshape(op) if op.name == Kind.RESHAPE else [op])]
    _forward_aliases(graph)
    _order_constants(graph)


def _replace(graph: Graph, replaced: dict[Value, Value]) -> None:
    def root(v: Value) -> Value:
        while v in replaced:
            v = replaced[v]
        return v
    for op in graph.ops:
        op.operands = [root(v) for v in op.operands]
    for r in graph.results:
        r.value = root(r.value)


def _fold(graph: Graph) -> None:
    replaced: dict[Value, Value] = {}

    def root(v: Value) -> Value:
        while v in replaced:
            v = replaced[v]
        return v

    for op in graph.ops:
        op.operands = [root(v) for v in op.operands]
        producer = op.operands[0].op if op.operands else None
        if op.name == Kind.RESHAPE:
            if producer and producer.name == Kind.RESHAPE:
                op.operands = [producer.operands[0]]
            if op.operands[0].shape == op.result.shape:
                replaced[op.result] = op.operands[0]
        elif op.name == Kind.TRANSPOSE:
            if producer and producer.name == Kind.TRANSPOSE:
                inner = producer.attrs["permutation"]
                op.attrs["permutation"] = [inner[p] for p in op.attrs["permutation"]]
                op.operands = [producer.operands[0]]
            if op.attrs["permutation"] == sorted(op.attrs["permutation"]):
                replaced[op.result] = op.operands[0]
        elif op.name in (Kind.MATMUL, Kind.GROUPED_MATMUL):
            for i, flag in enumerate(("transpose_a", "transpose_b")):
                factor = op.operands[i].op
                if flag in op.attrs and _swaps_matrix(factor):
                    op.operands[i] = factor.operands[0]
                    op.attrs[flag] = not op.attrs[flag]
    _replace(graph, replaced)


def _swaps_matrix(op: Op | None) -> TypeGuard[Op]:
    if op is None or op.name != Kind.TRANSPOSE:
        return False
    n = op.result.rank
    return op.attrs["permutation"] == [*range(n - 2), n - 1, n - 2]


def _uses(graph: Graph) -> dict[Value, list[Op | None]]:
    uses: dict[Value, list[Op | None]] = {}
    for op in graph.ops:
        for v in op.operands:
            uses.setdefault(v, []).append(op)
    for r in graph.results:
        uses.setdefault(r.value, []).append(None)
    return uses


def _fold_results(graph: Graph) -> None:
    """(A B)^T is B^T A^T: a product that is only read transposed computes the transpose (the gradient of a weight)."""
    uses, replaced, dead = _uses(graph), {}, set()
    for index, op in enumerate(graph.ops):
        if op.name not in (Kind.MATMUL, Kind.GROUPED_MATMUL_GRAD):
            continue
        users = uses.get(op.result, [])
        transpose = users[0] if len(users) == 1 else None
        if not _swaps_matrix(transpose):
            continue
        # The operands of both contract their rows: the gradient's are only exchanged.
        x, y, *ends = op.operands
        attrs = dict(op.attrs)
        if op.name == Kind.MATMUL:
            attrs = {"transpose_a": not op.attrs["transpose_b"], "transpose_b": not op.attrs["transpose_a"]}
        swapped = Op(op.name, [y, x, *ends], [(transpose.result.shape, "f32")], attrs, op.path, op.phase, op.seq)
        graph.ops[index] = swapped
        replaced[transpose.result] = swapped.result
        dead.add(transpose)
    graph.ops = [op for op in graph.ops if op not in dead]
    _replace(graph, replaced)


def _drop_dead(graph: Graph) -> None:
    live = {r.value for r in graph.results}
    kept = []
    for op in reversed(graph.ops):
        if any(r in live for r in op.results):
            live.update(op.operands)
            kept.append(op)
    graph.ops = kept[::-1]
    # An unread buffer is no input of the step (a causal mask that the composite made needless).
    donors = {id(r.donor) for r in graph.results}
    graph.arguments = [a for a in graph.arguments if a.role != "buffer" or a.value in live or id(a) in donors]


def _narrow_buffers(graph: Graph) -> None:
    """A buffer that state_dict does not hold and of which only one slice is read becomes that slice (a rotary table
    that was made for the longest sequence)."""
    uses = _uses(graph)
    for a in graph.arguments:
        if not a.attrs.pop("derived", False) or any(r.donor is a for r in graph.results):
            continue
        readers = uses[a.value]
        cuts = {tuple(map(tuple, (r.attrs["offsets"], r.attrs["sizes"], r.attrs["strides"])))
                if r is not None and r.name == Kind.EXTRACT_SLICE else None for r in readers}
        cut = cuts.pop() if len(cuts) == 1 else None
        if cut is None:
            continue
        offsets, sizes, strides = cut
        window = tuple(slice(o, o + n * s, s) for o, n, s in zip(offsets, sizes, strides))
        a.attrs["initial"] = a.attrs["initial"][window]
        a.value = Value(sizes, a.value.dtype)
        gone = {r for r in readers if r is not None}
        graph.ops = [op for op in graph.ops if op not in gone]
        _replace(graph, {r.result: a.value for r in gone})


def groups(source: Sequence[int], target: Sequence[int]) -> list[Run]:
    """Splits two shapes of one size into runs of dimensions with equal products, as short as they can be."""
    if 0 in source:  # Every product is the same.
        return [(list(range(len(source))), list(range(len(target))))]
    result, i, j = [], 0, 0
    while i < len(source) or j < len(target):
        left, right = [], []
        p = q = 1
        if i < len(source) and j < len(target):
            left, right, p, q = [i], [j], source[i], target[j]
            i, j = i + 1, j + 1
            while p != q:
                if p < q:
                    p, left, i = p * source[i], left + [i], i + 1
                else:
                    q, right, j = q * target[j], right + [j], j + 1
        # Trailing ones belong to the last run.
        if i == len(source) or j == len(target):
            left, i = left + list(range(i, len(source))), len(source) if j == len(target) else i
            right, j = right + list(range(j, len(target))), len(target) if i == len(source) else j
        result.append((left, right))
    return result


def _expand_reshape(op: Op) -> list[Op]:
    source, target = op.operands[0], op.result
    if not source.rank or not target.rank:
        runs: list[Run] = []
        merged: tuple[int, ...] = ()
    else:
        runs = _merge(groups(source.shape, target.shape), source.shape, target.shape)
        merged = tuple(_product(source.shape, left) for left, _ in runs)
    pieces, current = [], source
    if merged != source.shape:
        pieces.append(_piece(op, Kind.COLLAPSE_SHAPE, current, merged, [left for left, _ in runs]))
        current = pieces[-1].result
    if merged != target.shape:
        pieces.append(_piece(op, Kind.EXPAND_SHAPE, current, target.shape, [right for _, right in runs]))
    # The last piece defines the value that readers know.
    last = pieces[-1]
    last.results = [target]
    target.op = last
    return pieces


def _merge(runs: Iterable[Run], source: Sequence[int], target: Sequence[int]) -> list[Run]:
    """Every run needs a dimension on both sides; one without joins its neighbor."""
    result: list[Run] = []
    for left, right in runs:
        if result and (not left or not right):
            result[-1] = (result[-1][0] + left, result[-1][1] + right)
        else:
            result.append((left, right))
    return result


def _product(shape: Sequence[int], dims: Iterable[int]) -> int:
    n = 1
    for d in dims:
        n *= shape[d]
    return n


def _piece(op: Op, name: str, operand: Value, shape: Sequence[int], reassociation: list[list[int]]) -> Op:
    return Op(name, [operand], [(shape, operand.dtype)], {"reassociation": reassociation}, op.path, op.phase, op.seq)


def _forward_aliases(graph: Graph) -> None:
    for op in graph.ops:
        for r in op.results:
            r.op = op


def _order_constants(graph: Graph) -> None:
    """Constants are shared by all phases: first in the function, without a place of their own."""
    constants = [op for op in graph.ops if op.name == Kind.CONSTANT]
    for op in constants:
        op.path, op.phase, op.seq = "", "forward", None
    graph.ops = constants + [op for op in graph.ops if op.name != Kind.CONSTANT]
