# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What passes ask of a formula that nobody has described: found by following its operations once.

Each value of the formula gets three facts. Its sign: whether it is never negative, where states that never are start as
zeros. Its degree: how it grows with the gradient, where a first moment grows with it and a second one with its square;
a sum with a small constant, as of an epsilon, keeps the degree of what varies, and a decay of the parameter is left
out. Whether it reads the parameter. An update of degree 0 changes an element by about the rate, whatever the gradient.
"""
from __future__ import annotations

from dataclasses import dataclass

from ..ir import Body, Kind, Op, Value

_SQUARE_ROOTS = (Kind.SQRT, Kind.RSQRT)


@dataclass(frozen=True)
class Facts:
    normalized: bool
    squaring: bool
    unsigned: tuple[int, ...]
    exact: tuple[int, ...]


def facts_of(body: Body, states: int) -> Facts:
    parameter, gradient, *rest = body.arguments
    old = rest[:states]
    *ops, last = body.ops
    new, update = last.operands[1:1 + states], last.operands[-1]
    unsigned = _unsigned(ops, old, new)
    degrees = _degrees(ops, parameter, gradient, old, new)
    reads = _reading(ops, parameter)
    exact = tuple(i for i in range(states) if new[i] in reads or not _is_mean(old[i], new[i]))
    squares = any(op.name == Kind.MULF and op.operands[0] is op.operands[1] and (degrees.get(op.operands[0]) or 0) > 0 for op in ops)
    return Facts(degrees.get(update) == 0, squares, unsigned, exact)


def _unsigned(ops: list[Op], old: list[Value], new: list[Value]) -> tuple[int, ...]:
    """States that stay without a sign, by the largest set that agrees with itself."""
    assumed = set(range(len(old)))
    while True:
        signs: set[Value] = {old[i] for i in assumed}
        for op in ops:
            if _is_unsigned(op, signs):
                signs.add(op.result)
        kept = {i for i in assumed if new[i] in signs}
        if kept == assumed:
            return tuple(sorted(kept))
        assumed = kept


def _is_unsigned(op: Op, signs: set[Value]) -> bool:
    of = [v in signs for v in op.operands]
    match op.name:
        case Kind.CONSTANT:
            return op.attrs["value"] >= 0
        case Kind.MULF:
            return op.operands[0] is op.operands[1] or all(of)
        case Kind.ADDF | Kind.DIVF | Kind.MINIMUMF | Kind.TRUNCF | Kind.EXTF:
            return all(of)
        case Kind.MAXIMUMF:
            return any(of)
        case Kind.SELECT:
            return all(of[1:])
        case Kind.ABSF | Kind.SQRT | Kind.EXP | Kind.RSQRT:
            return True
    return False


def _degrees(ops: list[Op], parameter: Value, gradient: Value, old: list[Value], new: list[Value]) -> dict[Value, float | None]:
    """Of each value, None where it has none. States take the degree that their new values have without them."""
    of_states: dict[Value, float | None] = {}
    for _ in range(3):
        degrees: dict[Value, float | None] = {gradient: 1.0, **{s: of_states.get(s) for s in old}}
        # What has no degree of its own takes that of the other: constants, the parameter, states not known yet.
        for op in ops:
            degrees[op.result] = _degree(op, degrees)
        of_states = {s: degrees.get(n) for s, n in zip(old, new, strict=True)}
    return degrees


def _degree(op: Op, degrees: dict[Value, float | None]) -> float | None:
    of = [degrees.get(v) for v in op.operands]
    known = [d for d in of if d is not None]
    match op.name:
        case Kind.MULF:
            return sum(known) if known else None
        case Kind.DIVF:
            return (of[0] or 0) - (of[1] or 0) if known else None
        case Kind.SQRT:
            return of[0] / 2 if of[0] is not None else None
        case Kind.RSQRT:
            return -of[0] / 2 if of[0] is not None else None
        case Kind.POWF | Kind.CMPF:
            return None
        case Kind.SELECT:
            chosen = [d for d in of[1:] if d is not None]
            # Constants chosen by a comparison: a sign.
            compared = op.operands[0].op
            by_gradient = compared is not None and any(degrees.get(v) is not None for v in compared.operands)
            return max(chosen) if chosen and not all(_is_constant(v) for v in op.operands[1:2]) else 0.0 if by_gradient else None
    return max(known) if known else None


def _is_constant(value: Value) -> bool:
    return value.op is not None and value.op.name == Kind.CONSTANT


def _reading(ops: list[Op], parameter: Value) -> set[Value]:
    reads = {parameter}
    for op in ops:
        if any(v in reads for v in op.operands):
            reads.add(op.result)
    return reads


def _is_mean(old: Value, new: Value) -> bool:
    """Whether a state is what is left of it and something new: c old + x."""
    op = new.op
    if op is None or op.name not in (Kind.ADDF, Kind.SUBF):
        return False
    for v in op.operands:
        factor = v.op
        if factor is not None and factor.name == Kind.MULF and old in factor.operands:
            other = factor.operands[1 - factor.operands.index(old)]
            return not _is_constant(other) or 0 <= other.op.attrs["value"] < 1  # type: ignore[union-attr]
    return False
