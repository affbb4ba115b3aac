# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The update of a parameter as a formula of one element, found in the graph of the step.

Walking back from the new parameter, and from the new values of states of its shape, elementwise operations belong to
the update until something else is met: the parameter, a state, a number that all elements share, or an array that other
operations compute. Operations that JAX says are of the backward, or that the loss needs, are not walked into. Of the
arrays one is the gradient; others are what `prec_train.update` calls directions, such as the product that Muon makes of
a momentum. States belong to the parameter whose gradient, states or new value theirs are computed from. So any
optimizer of optax, or of one's own, whose update is elementwise becomes one operation, as PyTorch's are, with JAX's own
arithmetic.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..builder import Builder
from ..ir import BACKWARD, OPTIMIZER, RECOMPUTE, Argument, Body, Kind, Op, Value
from .facts import Facts, facts_of

_ELEMENTS = ("f32", "i1")


@dataclass
class Slice:
    """What the walk from one value found: operations, and what it stopped at."""

    ops: set[Op] = field(default_factory=set)
    # Values of the parameter's shape, and numbers that all elements share.
    arrays: dict[Value, None] = field(default_factory=dict)
    scalars: dict[Value, None] = field(default_factory=dict)

    def join(self, other: Slice) -> None:
        self.ops |= other.ops
        self.arrays.update(other.arrays)
        self.scalars.update(other.scalars)


@dataclass
class Update:
    """Of one parameter: its states, the new values, the gradient and what else the update reads."""

    parameter: Argument
    new: Value
    gradient: Value
    slice: Slice
    states: list[tuple[Argument, Value]] = field(default_factory=list)


class Walker:
    """Walks through a graph whose loss needs `forward`."""

    def __init__(self, forward: set[Op]) -> None:
        self._forward = forward

    def is_backward(self, value: Value) -> bool:
        return value.op is not None and value.op.phase in (BACKWARD, RECOMPUTE)

    def walk(self, target: Value) -> Slice:
        found, work, shape = Slice(), [target], target.shape
        while work:
            value = work.pop()
            op = value.op
            if op is None or op in found.ops:
                if op is None:
                    (found.arrays if value.shape == shape and value.dtype == "f32" else found.scalars).setdefault(value)
            elif op.name == Kind.CONSTANT:
                found.ops.add(op)
            elif self._shares(op):
                found.ops.add(op)
                found.scalars.setdefault(op.operands[0])
            elif self._is_inner(op, shape):
                found.ops.add(op)
                work += op.operands
            else:
                found.arrays.setdefault(value)
        return found

    @staticmethod
    def _shares(op: Op) -> bool:
        """Whether one number becomes all elements."""
        return op.name in (Kind.BROADCAST, Kind.RESHAPE) and not op.operands[0].shape and op.operands[0].dtype in _ELEMENTS

    def _is_inner(self, op: Op, shape: tuple[int, ...]) -> bool:
        return (op.dialect in ("arith", "math") and len(op.results) == 1 and op not in self._forward and op.phase not in (BACKWARD, RECOMPUTE)
                and op.result.shape == shape and all(v.shape == shape and v.dtype in _ELEMENTS for v in (*op.operands, op.result)))


def find_gradient(walker: Walker, parameter: Value, slices: Sequence[Slice], states: set[Value]) -> Value | None:
    """The array that is the gradient: one of the backward, which the most of the walks met; else any other that no
    argument is."""
    counts: dict[Value, int] = {}
    for s in slices:
        for v in s.arrays:
            if v is not parameter and v not in states and v.dtype == "f32":
                counts[v] = counts.get(v, 0) + 1
    of_backward = [v for v in counts if walker.is_backward(v)]
    among = of_backward or [v for v in counts if v.op is not None]
    return max(among, key=counts.__getitem__) if among else None


class _Written:
    """The formula of an update while it is written."""

    def __init__(self, b: Builder, update: Update, order: dict[Op, int]) -> None:
        self.b, self.update, self.body = b, update, Body()
        self.states = [a.value for a, _ in update.states]
        known = {update.parameter.value, update.gradient, *self.states}
        # A parameter without dimensions has no arrays beside numbers.
        others = [v for v in update.slice.arrays if v not in known]
        self.directions = [v for v in others if v.shape == update.parameter.value.shape and v.shape]
        self.hyper = [*(v for v in others if v not in self.directions), *(v for v in update.slice.scalars if v not in known)]
        self.inner: dict[Value, Value] = {}
        arguments = [update.parameter.value, update.gradient, *self.states, *self.directions]
        for v in arguments:
            self.inner[v] = self._argument("f32")
            if v.dtype == "i1":
                self.inner[v] = self._is_not_zero(self.inner[v], "f32")
        self._argument("f64")  # The rate, which the formula has among its numbers.
        numbers = [(v, self._argument("f64")) for v in self.hyper]
        self._argument("f64")
        self._argument("f64")
        for v, number in numbers:
            self.inner[v] = self._is_not_zero(number, "f64") if v.dtype == "i1" else self._op(Kind.TRUNCF, [number], "f32")
        for op in sorted(update.slice.ops, key=order.__getitem__):
            self._copy(op)
        new = self.inner[update.new]
        difference = self._added(update.new)
        change = difference if difference is not None else self._op(Kind.SUBF, [new, self.inner[update.parameter.value]], "f32")
        self.body.ops.append(Op(Kind.YIELD, [new, *(self.inner[v] for _, v in update.states), change], []))

    def _argument(self, dtype: str) -> Value:
        value = Value((), dtype)
        self.body.arguments.append(value)
        return value

    def _op(self, name: str, operands: list[Value], dtype: str, **attrs: object) -> Value:
        op = Op(name, operands, [((), dtype)], attrs)
        self.body.ops.append(op)
        return op.result

    def _is_not_zero(self, value: Value, dtype: str) -> Value:
        return self._op(Kind.CMPF, [value, self._op(Kind.CONSTANT, [], dtype, value=0.0)], "i1", predicate="une")

    def _copy(self, op: Op) -> None:
        if op.result in self.inner:
            return
        if op.name in (Kind.BROADCAST, Kind.RESHAPE):
            self.inner[op.result] = self.inner[op.operands[0]]
        elif op.name == Kind.CONSTANT and op.result.dtype == "i1":
            one = self._op(Kind.CONSTANT, [], "f32", value=float(op.attrs["value"]))
            self.inner[op.result] = self._is_not_zero(one, "f32")
        else:
            self.inner[op.result] = self._op(op.name, [self.inner[v] for v in op.operands], op.result.dtype, **op.attrs)

    def _added(self, new: Value) -> Value | None:
        """What is added to the parameter, where the graph adds something to it last."""
        op, parameter = new.op, self.update.parameter.value
        if op is not None and op.name == Kind.ADDF and parameter in op.operands:
            return self.inner[op.operands[1 - op.operands.index(parameter)]]
        return None


def rate_of(b: Builder, update: Update) -> Value:
    """What the direction of the update is multiplied by, without its sign; 0 where there is no such number."""
    op, parameter = update.new.op, update.parameter.value
    if op is not None and op.name == Kind.ADDF and parameter in op.operands:
        factor = op.operands[1 - op.operands.index(parameter)].op
        if factor is not None and factor.name == Kind.MULF:
            for v in factor.operands:
                if v.op is not None and v.op.name == Kind.CONSTANT:
                    return b.constant(abs(v.op.attrs["value"]))
                if v.op is not None and v.op.name == Kind.BROADCAST and not v.op.operands[0].shape:
                    return b.neg(v.op.operands[0])
    return b.constant(0.0)


def emit(b: Builder, update: Update, order: dict[Op, int], step: Value, rule: str) -> list[Value]:
    """Appends the operation; the new parameter and states."""
    written = _Written(b, update, order)
    facts: Facts = facts_of(written.body, len(update.states))
    b.at(update.parameter.path, OPTIMIZER)

    def number(v: Value) -> Value:
        return b.convert(v, "f32")
    hyper = [number(v) for v in written.hyper]
    directions = [number(v) for v in written.directions]
    attrs: dict[str, object] = {"rule": rule, "normalized": facts.normalized, "squaring": facts.squaring}
    attrs |= {key: found for key, found in (("unsigned_states", facts.unsigned), ("exact_states", facts.exact)) if found}
    attrs["operandSegmentSizes"] = (1, 1, len(written.states), len(directions), 1, len(hyper), 1, 1, 1, 0)
    op = b.op(Kind.UPDATE, [update.parameter.value, update.gradient, *written.states, *directions, rate_of(b, update), *hyper,
                            b.constant(0.0), step, b.constant(1.0)],
              [(v.shape, "f32") for v in (update.parameter.value, *written.states)], **attrs)
    op.body = written.body
    return op.results
