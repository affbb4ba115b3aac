# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each array of the state is: a parameter, what its optimizer keeps of it, or a buffer.

A parameter is a float that the loss needs, whose new value the loss does not need: that one follows from the backward.
One that comes back as it was is frozen; one whose new value reads no gradient is a buffer. States of the shape of a
parameter whose new values are elementwise in its gradient or in it are the optimizer's (formulas.py). What is left is a
buffer: counts of steps, statistics of norms. Each parameter's update becomes one operation, and the norm of all
gradients, written as a root of a sum of sums of squares, the operation that clipping by it has everywhere.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..builder import Builder
from ..errors import ImportFailure
from ..ir import BACKWARD, FORWARD, MOVES, OPTIMIZER, Argument, Graph, Kind, Op, Result, Value
from .formulas import Update, Walker, emit, find_gradient
from .lowering import Lowering
from .values import Leaf, Stack


@dataclass
class _Part:
    """One argument: an array of the state, or a row of one."""

    path: str
    leaf: int
    value: Value
    new: Value
    array: Any
    # Below which parameter it is, and as what.
    argument: Argument | None = None


@dataclass
class Found:
    """Arrays of the state by input, and their new values."""

    leaves: dict[int, Leaf]
    new: dict[int, Any]
    parts: list[_Part] = field(default_factory=list)


def assign_roles(b: Builder, lowering: Lowering, found: Found, loss: Value, source: Callable[[int], str | None]) -> None:
    graph = b.graph
    _split(b, lowering, found)
    forward = _ancestors([loss])
    _set_phases(graph, forward)
    needed = {v for op in forward for v in op.operands} | {loss}
    parameters, others = [], []
    for part in found.parts:
        changes = part.new is not part.value
        is_float = part.value.dtype == "f32"
        after_loss = part.new.op is None or part.new.op not in forward
        if is_float and part.value in needed and (not changes or after_loss):
            parameters.append(part)
        else:
            others.append(part)
    idle = _without_gradient(forward, parameters, others)
    parameters = [part for part in parameters if part not in idle]
    others += idle
    for part in parameters:
        role = "parameter" if part.new is not part.value else "frozen_parameter"
        dtype = source(part.leaf)
        part.argument = graph.argument(role, part.path, part.value.shape, "f32", **({"source_dtype": dtype} if dtype else {}))
        part.argument.value = part.value
    trained = [p for p in parameters if p.new is not p.value]
    if not trained:
        raise ImportFailure("a step must update parameters that its loss depends on but it updates none")
    _Optimizer(b, forward, trained, others, source).run()
    for part in found.parts:
        if part.new is not part.value and part.argument is not None:
            graph.results.append(Result(part.new, "updated", part.argument.path, part.argument))
    order = {role: n for n, role in enumerate(("parameter", "frozen_parameter", "buffer", "optimizer_state", "batch", "hyper"))}
    graph.arguments.sort(key=lambda a: order[a.role])
    _name_products(graph)


def _without_gradient(forward: set[Op], parameters: list[_Part], others: list[_Part]) -> list[_Part]:
    """Those whose new value no gradient is in, such as a loss scale: they are buffers."""
    walker = Walker(forward)
    states = {s.value: s for s in others if s.value.dtype == "f32" and s.new is not s.value}
    found = []
    for part in parameters:
        if part.new is part.value:
            continue
        own = walker.walk(part.new)
        read = [walker.walk(s.new) for v, s in states.items() if v.shape == part.value.shape and v in own.arrays]
        if find_gradient(walker, part.value, [own, *read], set(states)) is None:
            found.append(part)
    return found


def _split(b: Builder, lowering: Lowering, found: Found) -> None:
    """Arguments for all leaves, one for each row of those that something reads by row."""
    stacked = [leaf.path for leaf in found.leaves.values() if leaf.parts is not None]
    numbered = _numbered(stacked)
    front: list[Op] = []
    for i, leaf in found.leaves.items():
        new = found.new[i]
        if leaf.parts is None:
            value = leaf.value()
            changed = value if new is leaf.input else _without_zeros(lowering.value(new), value)
            found.parts.append(_Part(leaf.path, i, value, changed, leaf.array))
            continue
        count = len(leaf.parts)
        if leaf.whole is not None:
            rows = [Op(Kind.RESHAPE, [p], [((1, *p.shape), p.dtype)]) for p in leaf.parts]
            whole = Op(Kind.CONCAT, [r.result for r in rows], [], {"dim": 0})
            whole.results, leaf.whole.op, leaf.whole.index = [leaf.whole], whole, 0
            front += [*rows, whole]
        rows_of_new = new.parts if isinstance(new, Stack) else leaf.parts if new is leaf else lowering.rows(new, count)
        news = list(leaf.parts)
        if new is not leaf.input:
            news = [_without_zeros(lowering.value(p), part) for p, part in zip(rows_of_new, leaf.parts, strict=True)]
        for n, (part, value) in enumerate(zip(leaf.parts, news, strict=True)):
            array = leaf.array[n] if hasattr(leaf.array, "__array__") else None
            found.parts.append(_Part(numbered[leaf.path].format(n), i, part, value, array))
    b.graph.ops[:0] = front


def _numbered(paths: list[str]) -> dict[str, str]:
    """Where the number of a row is in the path of a stacked array: behind the longest part that all of them share
    (`layers[3].attn.q`), or below which they are in a group of their own."""
    groups: dict[str, list[str]] = {}
    for path in paths:
        groups.setdefault(path.partition(".")[0], []).append(path)
    found = {}
    for group in groups.values():
        split = [path.split(".") for path in group]
        common = 0
        while len(group) > 1 and all(len(p) > common + 1 and p[common] == split[0][common] for p in split):
            common += 1
        for path, names in zip(group, split, strict=True):
            at = common if common else len(names) - 1 if len(names) > 1 else 1
            names = [name.replace("{", "{{").replace("}", "}}") for name in names]
            found[path] = ".".join([*names[:at - 1], names[at - 1] + "[{}]", *names[at:]])
    return found


def _ancestors(values: list[Value]) -> set[Op]:
    found: set[Op] = set()
    work = [v.op for v in values]
    while work:
        op = work.pop()
        if op is not None and op not in found:
            found.add(op)
            work += [v.op for v in op.operands]
    return found


def _set_phases(graph: Graph, forward: set[Op]) -> None:
    """What the loss needs is forward, whoever computed it."""
    for op in graph.ops:
        if op in forward:
            op.phase = FORWARD


class _Optimizer:
    def __init__(self, b: Builder, forward: set[Op], trained: list[_Part], others: list[_Part], source: Callable[[int], str | None]) -> None:
        self.b, self.trained, self.others, self.source = b, trained, others, source
        self.walker, self.forward = Walker(forward), forward
        self.order = {op: n for n, op in enumerate(b.graph.ops)}

    def run(self) -> None:
        graph, updates = self.b.graph, self._updates()
        for op in _ancestors([u.gradient for u, _ in updates]) - self.forward:
            # A gradient that is written by hand, or a sum of several.
            op.phase = BACKWARD if op.phase == OPTIMIZER else op.phase
        norms = _Norms(graph, {u.gradient for u, _ in updates}).replace(self.order)
        self._declare_rest({id(s) for _, states in updates for s in states})
        step = graph.argument("hyper", "step", (), "f32", default=1.0).value
        for update, parts in updates:
            if norms:
                _renew(update, norms)
            rule = self._rule(update)
            new = emit(self.b, update, self.order, step, rule)
            part = next(p for p in self.trained if p.argument is update.parameter)
            for of, value in zip([part, *parts], new, strict=True):
                of.new = value

    def _updates(self) -> list[tuple[Update, list[_Part]]]:
        found = []
        states = {s.value: s for s in self.others if s.value.dtype == "f32" and s.new is not s.value}
        slices = {id(s): self.walker.walk(s.new) for s in states.values()}
        by_shape: dict[tuple[int, ...], list[_Part]] = {}
        for s in states.values():
            by_shape.setdefault(s.value.shape, []).append(s)
        taken: set[int] = set()
        for part in self.trained:
            own = self.walker.walk(part.new)
            near = [s for s in by_shape.get(part.value.shape, []) if id(s) not in taken]
            read = [s for s in near if s.value in own.arrays]
            gradient = find_gradient(self.walker, part.value, [own, *(slices[id(s)] for s in read)], set(states))
            assert gradient is not None, part.path
            anchors = {part.value, gradient} if part.value.shape or self.walker.is_backward(gradient) else {part.value}
            of = [s for s in near if s in read or anchors & set(slices[id(s)].arrays)]
            if not part.value.shape:
                # Numbers without dimensions are counts and rates as well.
                of = [s for s in of if gradient in slices[id(s)].arrays]
            whole = own
            for s in of:
                whole.join(slices[id(s)])
                taken.add(id(s))
            assert part.argument is not None
            update = Update(part.argument, part.new, gradient, whole)
            slots: dict[str, int] = {}
            for s in of:
                slot = _slot(s.path, part.path)
                slots[slot] = slots.get(slot, 0) + 1
                slot = slot if slots[slot] == 1 else f"{slot}_{slots[slot]}"
                # A file of a checkpoint has PARAMETER.SLOT.
                s.argument = self.b.graph.argument("optimizer_state", f"{part.path}.{slot}", s.value.shape, "f32", param_of=part.path, slot=slot)
                s.argument.value = s.value
                update.states.append((s.argument, s.new))
            found.append((update, of))
        return found

    def _declare_rest(self, taken: set[int]) -> None:
        for part in self.others:
            if id(part) in taken:
                continue
            initial = np.asarray(part.array) if part.array is not None and hasattr(part.array, "__array__") else np.zeros(part.value.shape)
            dtype = {"f32": np.float32, "i1": np.bool_}.get(part.value.dtype, np.int64)
            part.argument = self.b.graph.argument("buffer", part.path, part.value.shape, part.value.dtype, initial=initial.astype(dtype))
            part.argument.value = part.value

    def _rule(self, update: Update) -> str:
        """By the functions that its operations are from."""
        names = dict.fromkeys(op.path for op in sorted(update.slice.ops, key=self.order.__getitem__) if op.path and op.name != Kind.CONSTANT)
        return " ".join(list(names)[:4]) or "update"


def _slot(path: str, parameter: str) -> str:
    """What a state is called beside its parameter: `0.mu.layers.kernel` of layers.kernel is mu."""
    own = path.removesuffix("." + parameter) if path.endswith("." + parameter) else path
    names = [n for n in own.split(".") if n and not n.isdigit()]
    shared = set(parameter.replace("[", ".").split("."))
    return next((n for n in reversed(names) if n not in shared and not n.endswith("]")), names[-1] if names else "state")


def _renew(update: Update, replaced: dict[Value, Value]) -> None:
    for held in (update.slice.arrays, update.slice.scalars):
        for v in [v for v in held if v in replaced]:
            del held[v]
            held.setdefault(replaced[v])


class _Norms:
    """Norms of all gradients, and what reads them."""

    def __init__(self, graph: Graph, gradients: set[Value]) -> None:
        self.graph, self.gradients = graph, gradients

    def replace(self, order: dict[Op, int]) -> dict[Value, Value]:
        replaced: dict[Value, Value] = {}
        for op in list(self.graph.ops):
            if op.name != Kind.SQRT or op.result.shape:
                continue
            squared = self._squared(op.operands[0])
            if squared is None or len(squared) < 1 or not all(v in self.gradients for v in squared):
                continue
            norm = Op("prec_train.global_norm", list(dict.fromkeys(squared)), [((), "f32")], {}, op.path, OPTIMIZER)
            if len(norm.operands) != len(squared):
                continue
            # Behind the root, which nobody reads any more.
            self.graph.ops.insert(self.graph.ops.index(op) + 1, norm)
            replaced[op.result] = norm.result
            order[norm] = order[op]
        if replaced:
            for op in self.graph.ops:
                op.operands = [replaced.get(v, v) for v in op.operands]
        return replaced

    def _squared(self, value: Value) -> list[Value] | None:
        """Those whose squares' sum this is; None where it is another number."""
        found: list[Value] = []
        work = [value]
        while work:
            op = work.pop().op
            if op is None:
                return None
            if op.name == Kind.ADDF:
                work += [v for v in op.operands if not _is_zero(v)]
            elif op.name == Kind.REDUCE and op.attrs["kind"] == "sum":
                work.append(op.operands[0])
            elif op.name == Kind.RESHAPE or op.name == Kind.ADDF:
                work.append(op.operands[0])
            elif op.name == Kind.MULF and op.operands[0] is op.operands[1]:
                found.append(op.operands[0])
            else:
                return None
        return found[::-1]


def _without_zeros(new: Value, value: Value) -> Value:
    """The value itself where only zeros are added to it, as optax.set_to_zero does: then it is frozen."""
    kept = new
    while kept.op is not None and kept.op.name == Kind.ADDF and any(_is_zero(_moved(v)) for v in kept.op.operands):
        first, second = kept.op.operands
        kept = second if _is_zero(_moved(first)) else first
    return value if kept is value else new


def _is_zero(value: Value) -> bool:
    return value.op is not None and value.op.name == Kind.CONSTANT and value.op.attrs["value"] == 0


def _name_products(graph: Graph) -> None:
    """A product that reads a parameter, or makes its gradient, has the parameter's name, without the last part
    (`kernel`) where that tells it apart."""
    weights = [a for a in graph.arguments if a.role in ("parameter", "frozen_parameter")]
    modules = Counter(a.path.rpartition(".")[0] for a in weights if a.value.rank > 1)
    of = {a.value: module if (module := a.path.rpartition(".")[0]) and modules[module] == 1 else a.path for a in weights}
    for op in graph.ops:
        if op.name == Kind.UPDATE and op.operands[0] in of:
            made = _moved(op.operands[1])
            if made.op is not None and made.op.name in (Kind.MATMUL, Kind.EMBEDDING_GRAD):
                made.op.path = of[op.operands[0]]
    for op in graph.ops:
        if op.name in (Kind.MATMUL, Kind.EMBEDDING):
            path = next((of[m] for v in op.operands if (m := _moved(v)) in of), None)
            if path is not None:
                op.path = path


def _moved(value: Value) -> Value:
    while value.op is not None and (value.op.name in MOVES or value.op.name == Kind.RESHAPE) and len(value.op.operands) == 1:
        value = value.op.operands[0]
    return value


