# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses steps that need a rounding which the graph has not.

Casts between formats of floats are nothing in a graph: recipes place roundings. That is a step in higher precision,
unless the step computes with what a rounding lost: the difference of an array and the array rounded, which would be 0.
So each variable of the jaxpr gets a key that casts and moves of elements keep, and the formats that it was rounded to
on the way. Where a difference, a quotient or a comparison reads two variables of one key that were rounded differently,
the step is refused. Formats of 8 bits and fewer are quantization, and refused wherever they are.
"""
from __future__ import annotations

import itertools
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Literal

from ..errors import ImportFailure
from .private import line_of

# Formats by which an array was rounded, in order.
_Rounded = tuple[str, ...]
_COMPARED = {"sub", "div", "eq", "ne", "lt", "le", "gt", "ge", "rem", "atan2"}
_KEPT = {"stop_gradient", "copy", "copy_p", "optimization_barrier", "name", "sharding_constraint", "pvary"}
_MOVED = {jax.lax.reshape_p.name, "squeeze", "expand_dims", "transpose", "broadcast_in_dim", "slice", "rev", "neg"}
_BODIES = ("jaxpr", "call_jaxpr", "fun_jaxpr")
_LOOPS = {"scan", "while", "cond"}


def check_roundings(jaxpr: Any) -> None:
    """Raises ImportFailure, with the line, for what would be dropped."""
    numbers = itertools.count()
    _walk(jaxpr, [(next(numbers), ()) for _ in jaxpr.invars], numbers)


def _walk(jaxpr: Any, given: list[tuple[Any, _Rounded]], numbers: Any) -> list[tuple[Any, _Rounded]]:
    env: dict[Any, tuple[Any, _Rounded]] = dict(zip(jaxpr.invars, given, strict=True))
    for var in jaxpr.constvars:
        env[var] = (next(numbers), ())

    def read(var: Any) -> tuple[Any, _Rounded]:
        return (next(numbers), ()) if isinstance(var, Literal) else env[var]
    for eqn in jaxpr.eqns:
        name, operands = eqn.primitive.name, [read(v) for v in eqn.invars]
        made = [(next(numbers), ()) for _ in eqn.outvars] if name not in _KEPT else operands
        inner = next((eqn.params[key] for key in _BODIES if key in eqn.params), None)
        if inner is not None and name not in _LOOPS:
            body = getattr(inner, "jaxpr", inner)
            if len(body.invars) == len(operands):
                found = _walk(body, operands, numbers)
                made = found if len(found) == len(eqn.outvars) else made
        elif name in _LOOPS:
            for body in _bodies(eqn):
                _walk(body, [(next(numbers), ()) for _ in body.invars], numbers)
        elif name == "convert_element_type" or name == "reduce_precision":
            made = [_rounded(eqn, *operands[0])]
        elif name in _MOVED:
            params = str(sorted((key, str(value)) for key, value in eqn.params.items()))
            made = [((name, params, operands[0][0]), operands[0][1])]
        elif name in _COMPARED and operands[0][0] == operands[1][0] and operands[0][1] != operands[1][1]:
            lost = next(iter(dict.fromkeys(operands[0][1] + operands[1][1])))
            raise ImportFailure(f"a step must not compute with what a rounding loses, which is a recipe's affair, but {name} reads an array and the "
                                f"same rounded to {lost}: leave quantization and compensated sums out of the step{_at(eqn)}")
        env.update(zip(eqn.outvars, made, strict=True))
    return [read(v) for v in jaxpr.outvars]


def _bodies(eqn: Any) -> list[Any]:
    found = []
    for value in eqn.params.values():
        for each in value if isinstance(value, (tuple, list)) else [value]:
            body = getattr(each, "jaxpr", each)
            if hasattr(body, "eqns"):
                found.append(body)
    return found


def _rounded(eqn: Any, key: Any, rounded: _Rounded) -> tuple[Any, _Rounded]:
    before, after = eqn.invars[0].aval.dtype, eqn.outvars[0].aval.dtype
    if not (jnp.issubdtype(before, jnp.floating) and jnp.issubdtype(after, jnp.floating)):
        return ("as", str(after), key), rounded
    if jnp.finfo(after).bits <= 8:
        raise ImportFailure(f"formats of 8 bits and fewer are a recipe's affair but a step casts to {after}: leave quantization out of the step, and "
                            f"compile it with recipe=\"fp8-hybrid\"{_at(eqn)}")
    if eqn.primitive.name == "reduce_precision":
        mantissa = eqn.params["mantissa_bits"]
        return key, (*rounded, f"{mantissa} bits of mantissa") if mantissa < jnp.finfo(before).nmant else rounded
    narrower = jnp.finfo(after).nmant < jnp.finfo(before).nmant
    return key, (*rounded, str(after)) if narrower else rounded


def _at(eqn: Any) -> str:
    line = line_of(eqn)
    return f", at {line}" if line else ""
