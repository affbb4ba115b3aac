# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the graph says about batch arguments: the vocabulary that ids index, the label that the loss ignores, how many
tokens
ahead of the inputs the labels are, and whether a batch may be completed with rows of ignored labels."""
from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..ir import MOVES, Argument, Graph, Kind, Op, Value
from .batch_axes import Dependence, Factor, find_dependences

# Of an element of labels that is no element of an argument: one that the loss ignores.
_IGNORED = -1


@dataclass
class _Loss:
    """One cross entropy. `labels` says of each which element of `argument` it is, or that it is ignored."""

    op: Op
    argument: Argument | None = None
    labels: np.ndarray | None = None
    problem: str | None = None

    @property
    def path(self) -> str:
        return self.op.path or "the model"

    @property
    def logits(self) -> Value:
        return self.op.operands[0]


def describe_batch(graph: Graph) -> None:
    batch = {a.value: a for a in graph.arguments if a.role == "batch"}
    indexing = _describe_tables(graph, batch)
    needed = _needed(graph)
    dependences = find_dependences(graph, needed)
    losses = [_find_labels(op, batch, indexing) for op in graph.ops if op.name == Kind.CROSS_ENTROPY and op in needed]
    for loss in losses:
        if loss.argument is not None:
            loss.argument.attrs["vocabulary"] = loss.logits.shape[-1]
            if loss.argument not in indexing:
                loss.argument.attrs["ignore_index"] = loss.op.attrs["ignore_index"]
    graph.padding = _why_no_padding(graph, batch, losses, dependences) or True
    _describe_shift(graph, batch, losses, dependences)


def _describe_tables(graph: Graph, batch: dict[Value, Argument]) -> list[Argument]:
    """The arguments whose elements index a table."""
    def sources(value: Value) -> Iterator[Argument]:
        if value in batch and value.dtype in ("i32", "i64"):
            yield batch[value]
        elif value.op is not None and value.op.name in MOVES:
            for operand in value.op.operands:
                yield from sources(operand)

    indexing = []
    for op in graph.ops:
        if op.name in (Kind.EMBEDDING, Kind.GATHER):
            for a in sources(op.operands[1]):
                indexing.append(a)
                a.attrs["vocabulary"] = min(op.operands[0].shape[0], a.attrs.get("vocabulary", op.operands[0].shape[0]))
    return indexing


def _needed(graph: Graph) -> set[Op]:
    """The ops that the loss depends on."""
    found: set[Op] = set()
    work = [r.value for r in graph.results if r.role == "loss"]
    while work:
        op = work.pop().op
        if op is not None and op not in found:
            found.add(op)
            work += op.operands
    return found


# Labels

class _Unclear(Exception):
    """Why labels are not elements of one argument, moved."""


def _find_labels(op: Op, batch: dict[Value, Argument], indexing: list[Argument]) -> _Loss:
    loss, reader = _Loss(op), _LabelReader(batch, op.attrs["ignore_index"])
    try:
        if loss.logits.rank != 2 or op.operands[1].rank != 1:
            raise _Unclear(f"they are of shape {list(op.operands[1].shape)}, not one of each row of logits")
        loss.labels = reader.read(op.operands[1])
        loss.argument = reader.argument
    except _Unclear as problem:
        loss.problem = str(problem)
    return loss


class _LabelReader:
    """Follows moves by moving numbers of elements."""

    def __init__(self, batch: dict[Value, Argument], ignore_index: int) -> None:
        self.batch, self.ignore_index = batch, ignore_index
        self.argument: Argument | None = None
        self.known: dict[Value, np.ndarray] = {}

    def read(self, value: Value) -> np.ndarray:
        if value not in self.known:
            self.known[value] = self._read(value)
        return self.known[value]

    def _read(self, value: Value) -> np.ndarray:
        a, op = self.batch.get(value), value.op
        if a is not None:
            if self.argument not in (None, a):
                raise _Unclear(f"they come from both '{self.argument.path}' and '{a.path}'")
            self.argument = a
            return np.arange(math.prod(value.shape)).reshape(value.shape)
        if op is None:
            raise _Unclear("they come from no input of the batch")
        if op.name == Kind.CONSTANT:
            if op.attrs["value"] != self.ignore_index:
                raise _Unclear(f"some are the constant {op.attrs['value']}")
            return np.full(value.shape, _IGNORED)
        if op.name == Kind.SELECT:
            x, y = (self.read(v) for v in op.operands[1:])
            if ((x != y) & (x != _IGNORED) & (y != _IGNORED)).any():
                raise _Unclear("some are one label or another")
            return np.maximum(x, y)
        if op.name in (Kind.TRUNCI, Kind.EXTSI) or _saturates(op):
            # Of whole numbers of 64 bits that index nothing beyond 32, the same label.
            return self.read(op.operands[0])
        if op.name not in _MOVED:
            raise _Unclear(f"they are computed ({op.name})")
        return _MOVED[op.name](op, [self.read(v) for v in op.operands])


def _moved_slice(op: Op, operands: list[np.ndarray]) -> np.ndarray:
    a = op.attrs
    return operands[0][tuple(slice(o, o + n * s, s) for o, n, s in zip(a["offsets"], a["sizes"], a["strides"]))]


def _moved_broadcast(op: Op, operands: list[np.ndarray]) -> np.ndarray:
    shape, dims = op.result.shape, op.attrs["dims"]
    return np.broadcast_to(operands[0].reshape([n if d in dims else 1 for d, n in enumerate(shape)]), shape)


_MOVED = {
    Kind.COLLAPSE_SHAPE: lambda op, x: x[0].reshape(op.result.shape),
    Kind.EXPAND_SHAPE: lambda op, x: x[0].reshape(op.result.shape),
    Kind.TRANSPOSE: lambda op, x: x[0].transpose(op.attrs["permutation"]),
    Kind.CONCAT: lambda op, x: np.concatenate(x, op.attrs["dim"]),
    Kind.EXTRACT_SLICE: _moved_slice, Kind.BROADCAST: _moved_broadcast,
}


def _of_rows(logits: Dependence) -> Dependence:
    """What a row of logits depends on: all of its classes."""
    classes = [(f.axis, f) for dim in logits.dims[1:] for f in dim if f.axis is not None]
    mixed, most = dict(logits.mixed), dict(logits.most)
    for axis, f in classes:
        mixed.setdefault(axis, "the classes of the cross entropy")
        most[axis] = max(most.get(axis, f.furthest), f.furthest)
    return replace(logits, dims=logits.dims[:1], mixed=mixed, most=most)


def _stands(rows: tuple[Factor, ...], axis: int) -> np.ndarray | None:
    """Where along an axis each element of a dimension stands; None where it runs over no such axis."""
    found, inner = None, 1
    for f in reversed(rows):
        if f.axis == axis:
            places = np.tile(np.repeat(f.first + f.step * np.arange(f.size), inner), math.prod(g.size for g in rows) // (f.size * inner))
            found = places if found is None else np.maximum(found, places)
        inner *= f.size
    return found


# Padding

def _why_no_padding(graph: Graph, batch: dict[Value, Argument], losses: list[_Loss], dependences: dict[Value, Dependence]) -> str | None:
    """Why rows of zeros and of ignored labels might change the loss of the rows before them; None where they do not."""
    rows = {a.value.shape[0] if a.value.shape else 0: a.path for a in batch.values()}
    if len(rows) != 1 or 0 in rows:
        return "inputs have different numbers of rows: " + ", ".join(f"{n} of '{path}'" for n, path in sorted(rows.items()))
    beside = _reads_beside(graph, dependences)
    if beside is not None:
        return beside
    if not losses:
        return "the loss has no cross entropy, whose labels could be ignored"
    if 1 in rows:
        return None
    for loss in losses:
        problem = loss.problem
        if problem is None and loss.argument is not None:
            problem = _why_counts(loss, loss.argument)
        if problem is not None:
            return f"the labels of the cross entropy in {loss.path} are not the batch's with all of a row ignored: {problem}"
        problem = _why_mixed(loss, _of_rows(dependences[loss.logits]))
        if problem is not None:
            return problem
    return None


def _reads_beside(graph: Graph, dependences: dict[Value, Dependence]) -> str | None:
    """What of the batch the loss reads in another way than by a mean over labels."""
    seen: set[Value] = set()
    work: list[tuple[Value, Op | None]] = [(r.value, None) for r in graph.results if r.role == "loss"]
    while work:
        value, reader = work.pop()
        op = value.op
        if value in seen or not dependences[value].arguments:
            continue
        seen.add(value)
        if op is not None and op.name == Kind.CROSS_ENTROPY and value.index == 0:
            if set(op.attrs) <= {"ignore_index"}:
                continue
            return f"the cross entropy in {op.path or 'the model'} is no plain mean over labels"
        if op is None:
            by = f" (by {reader.name} in {reader.path or 'the model'})" if reader else ""
            return f"beside cross entropies the loss reads '{next(a.path for a in graph.arguments if a.value is value)}'{by}"
        # The first that reads a tensor is what the user has written.
        work += [(v, reader or (op if v.shape else None)) for v in op.operands]
    return None


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in sorted(names))


def _why_counts(loss: _Loss, a: Argument) -> str | None:
    """Why a label of a completed row might count."""
    if "ignore_index" not in a.attrs:
        return f"'{a.path}' also indexes a table, which has no row for an ignored label"
    if a.attrs["ignore_index"] != loss.op.attrs["ignore_index"]:
        return f"'{a.path}' is also read by a cross entropy that ignores {a.attrs['ignore_index']}, not {loss.op.attrs['ignore_index']}"
    return None


def _why_mixed(loss: _Loss, logits: Dependence) -> str | None:
    if 0 in logits.mixed:
        return f"rows of the batch mix before the logits of {loss.path}: by {logits.mixed[0]}"
    place = _stands(logits.dims[0], 0)
    if place is None or loss.argument is None or loss.labels is None:
        return None
    counted = loss.labels != _IGNORED
    row = loss.labels // math.prod(loss.argument.value.shape[1:])
    if (row != place)[counted].any():
        return f"the cross entropy in {loss.path} pairs logits of one row of the batch with labels of another"
    return None


# Shift

def _describe_shift(graph: Graph, batch: dict[Value, Argument], losses: list[_Loss], dependences: dict[Value, Dependence]) -> None:
    ids = [a for a in batch.values() if a.value.dtype in ("i32", "i64")]
    read = set().union(*(dependences[loss.logits].arguments for loss in losses)) if losses else set()
    labels = {loss.argument.path for loss in losses if loss.argument is not None} - read
    for a in ids:
        try:
            if len(ids) == 1:
                a.attrs["shift"] = 0
            elif a.path in read:
                a.attrs["shift"] = _check_input(read & {other.path for other in ids})
            else:
                a.attrs["shift"] = _find_shift(a, labels, batch, losses, dependences)
        except _Unclear as problem:
            a.attrs["shift_unknown"] = str(problem)


def _check_input(read: set[str]) -> int:
    if len(read) > 1:
        raise _Unclear(f"logits are computed from several inputs of whole numbers ({_quoted(read)}), which may be other than tokens")
    return 0


def _find_shift(a: Argument, labels: set[str], batch: dict[Value, Argument], losses: list[_Loss], dependences: dict[Value, Dependence]) -> int:
    """How far `a` must be ahead of the inputs so that the nearest label of all is the token behind the last that is
    seen."""
    for loss in losses:
        if loss.problem is not None:
            raise _Unclear(f"of the labels of the cross entropy in {loss.path}, {loss.problem}")
    if a.path not in labels:
        raise _Unclear("it is neither what logits are computed from nor the labels of a cross entropy")
    if len(labels) > 1:
        raise _Unclear("labels come from several inputs: " + _quoted(labels))
    distances = []
    for loss in losses:
        distances += _distances(loss, batch, _of_rows(dependences[loss.logits]))
    if not distances:
        raise _Unclear("no logits with labels that count are computed from token ids")
    nearest = min(distances)
    if nearest not in (0, 1):
        raise _Unclear(f"the nearest labels are {nearest} places ahead of the last token that their logits see, neither 0 nor 1")
    return 1 - nearest


def _distances(loss: _Loss, batch: dict[Value, Argument], logits: Dependence) -> list[int]:
    """How far ahead of the last token that its logits see a label is: at most one number, the same for all."""
    inputs = [a for a in batch.values() if a.path in logits.arguments]
    shapes = {a.value.shape for a in inputs}
    if not inputs or loss.argument is None or loss.labels is None or (loss.labels == _IGNORED).all():
        return []
    (shape,) = shapes if len(shapes) == 1 else [None]
    if shape is None or math.prod(shape) != math.prod(loss.argument.value.shape):
        raise _Unclear(f"inputs and labels of {loss.path} must have one shape but have " +
                       " and ".join(str(list(s)) for s in sorted({*shapes, loss.argument.value.shape})))
    counted = loss.labels != _IGNORED
    labels = np.unravel_index(loss.labels[counted], shape)
    last = len(shape) - 1
    for axis in range(last):
        place = _stands(logits.dims[0], axis)
        if axis in logits.mixed:
            raise _Unclear(f"logits of {loss.path} depend on several indices of dimension {axis} of the inputs, by "
                           f"{logits.mixed[axis]}, but a token file is read along the last dimension")
        if place is not None and (place[counted] != labels[axis]).any():
            raise _Unclear(f"logits and labels of {loss.path} are of different indices of dimension {axis} of the inputs, but a token "
                           "file is read along the last dimension")
    seen = _stands(logits.dims[0], last)
    most = logits.most.get(last)
    if seen is None and most is None:
        # A sequence of one token.
        seen = np.zeros(loss.labels.shape, np.int64) if shape[last] == 1 else None
        if seen is None:
            return []
    seen = np.full(loss.labels.shape, most) if seen is None else seen if most is None else np.maximum(seen, most)
    ahead = labels[last] - seen[counted]
    # Labels that are rolled come back at the other end.
    around = ahead % shape[last]
    if (ahead >= 0).any() and (around == ahead.max()).all():
        return [int(ahead.max())]
    raise _Unclear(f"labels of {loss.path} are not at one distance from the last token that their logits see")


def _saturates(op: Op) -> bool:
    """Whether the op keeps numbers of 32 bits and brings others to their ends."""
    if op.name not in (Kind.MAXSI, Kind.MINSI):
        return False
    bound = op.operands[1].op
    return bound is not None and bound.name == Kind.CONSTANT and bound.attrs["value"] in (-2**31, 2**31 - 1)
