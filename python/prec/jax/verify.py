# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two guards compare an imported graph with JAX; the structural one is in trace.py.

Dependences: which arrays the loss depends on, and which of the state change, by JAX's own elimination of dead code.
Numbers: loss, metrics and the whole new state of two steps, the second from what the first left. One side is the
step's jaxpr as JAX traced it, with every float made float64 and nothing else changed, compiled and run by JAX; calls,
scans and branches in it are JAX's affair. The other side is the graph by the interpreter, in float64.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax.extend import core

from ..errors import ImportFailure
from ..interpreter import Numpy, Program
from ..ir import Kind
from .keys import is_drawn, key_of, words_of
from .known import is_key
from .private import used_inputs
from .values import Leaf

if TYPE_CHECKING:
    from .importer import Import

_TOLERANCE = 1e-6  # Of a norm.
_ROUNDING = 1e-13  # Of a float64 gradient, of the size of the largest.
_MOST_PRODUCTS = 2e10  # Multiplications of a step that is run.
_FLOATS = ("float16", "bfloat16", "float32")


_QUICKLY = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


class Unverified(Exception):
    """Why a graph could not be compared."""


def verify(imported: Import) -> None:
    """Raises ImportFailure for a difference, Unverified where the two cannot be compared."""
    _check_dependences(imported)
    traced = imported.traced
    work = sum(2 * math.prod(op.result.shape) * op.operands[0].shape[-2 if op.attrs["transpose_a"] else -1]
               for op in imported.graph.ops if op.name == Kind.MATMUL)
    if work > _MOST_PRODUCTS:
        raise Unverified(f"a step multiplies {work:.1e} numbers and at most {_MOST_PRODUCTS:.0e} are compared: import a smaller batch or model as "
                         "well")
    with jax.enable_x64(True):
        state = _samples(imported)
        # A least loss so far begins as infinity.
        begins_finite = [is_key(x) or bool(np.isfinite(x).all()) for x in state]
        wide = _in_float64(traced.closed)
        # Run twice: compiling quickly counts.
        theirs = jax.jit(core.jaxpr_as_fun(wide), compiler_options=_QUICKLY)
        program, backend = Program.of_graph(imported.graph), Numpy(np.float64)
        for number in (1, 2):
            try:
                right = [x if is_key(x) else np.asarray(x) for x in theirs(*state)]
            except Exception as error:
                raise Unverified(f"JAX's own step must run but raised {type(error).__name__}: {(str(error).splitlines() or [''])[0]}") from error
            got, moved = _run(imported, program, backend, state)
            _compare(imported, got, moved, right)
            state = [right[traced.state_of[i]] if i in traced.state_of else x for i, x in enumerate(state)]
            ends = [is_key(x) or x.dtype.kind != "f" or bool(np.isfinite(x).all() if was else not np.isnan(x).any())
                    for x, was in zip(state, begins_finite, strict=True)]
            if not all(ends):
                raise Unverified(f"the state must stay finite but is not after step {number} of JAX")


def _samples(imported: Import) -> list[np.ndarray]:
    """The arrays as they are, or, where there are shapes alone, random ones."""
    random = np.random.default_rng(0)
    arguments = {a.path: a for a in imported.graph.arguments}
    roles = {i: arguments[p[0]].role for i, p in imported.paths.items() if p[0] is not None}
    found = []
    for i, (name, array) in enumerate(zip(imported.traced.names, imported.traced.arrays, strict=True)):
        if is_key(array):
            found.append(key_of(random.integers(0, 2**32, (*array.shape, 2), np.uint32)) if isinstance(array, jax.ShapeDtypeStruct) else array)
            continue
        kind = np.dtype(array.dtype).kind if str(array.dtype) not in _FLOATS else "f"
        if isinstance(array, jax.ShapeDtypeStruct):
            if kind == "f":
                is_drawn = roles.get(i) in ("parameter", "frozen_parameter") or i not in imported.traced.state_of
                made = random.standard_normal(array.shape) * 0.02 if is_drawn else np.zeros(array.shape)
            elif i in imported.traced.state_of:
                made = np.zeros(array.shape, array.dtype)
            else:
                argument = arguments.get(name)
                made = random.integers(0, argument.attrs.get("vocabulary", 2) if argument is not None else 2, array.shape).astype(array.dtype)
        else:
            made = np.asarray(array)
        found.append(np.asarray(made, np.float64) if kind == "f" else np.asarray(made))
    return found


def _in_float64(closed: Any) -> Any:
    """The jaxpr with float64 for every other float."""
    def aval(a: Any) -> Any:
        return a.update(dtype=np.dtype(np.float64)) if str(getattr(a, "dtype", "")) in _FLOATS else a

    def param(value: Any) -> Any:
        if isinstance(value, core.ClosedJaxpr):
            consts = [np.asarray(c, np.float64) if str(getattr(c, "dtype", "")) in _FLOATS else c for c in value.consts]
            return core.ClosedJaxpr(body(value.jaxpr), consts)
        if isinstance(value, core.Jaxpr):
            return body(value)
        if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
            return type(value)(param(v) for v in value)
        if isinstance(value, (np.dtype, type)) and str(getattr(np.dtype(value), "name", "")) in _FLOATS:
            return np.dtype(np.float64)
        return value

    def bits(e: Any, variable: Callable[[Any], Any]) -> list[Any]:
        """Bits are those of the narrow float."""
        (given,), (made,) = e.invars, e.outvars
        read, written = variable(given), variable(made)
        before, after = [], []
        if aval(given.aval) is not given.aval:
            narrow = type(made)(given.aval)
            before, read = [_conversion(given.aval.shape, np.float64, given.aval.dtype, read, narrow)], narrow
        if aval(made.aval) is not made.aval:
            narrow = type(made)(made.aval)
            after, written = [_conversion(made.aval.shape, made.aval.dtype, np.float64, narrow, written)], narrow
        return [*before, e.replace(invars=[read], outvars=[written]), *after]

    def body(jaxpr: Any) -> Any:
        made: dict[Any, Any] = {}

        def variable(v: Any) -> Any:
            if isinstance(v, core.Literal):
                wide = aval(v.aval)
                return core.Literal(np.asarray(v.val, v.aval.dtype).astype(wide.dtype)[()], wide) if wide is not v.aval else v
            if v not in made:
                made[v] = type(v)(aval(v.aval))
            return made[v]
        eqns = []
        for e in jaxpr.eqns:
            if e.primitive.name == "bitcast_convert_type":
                eqns += bits(e, variable)
                continue
            params = {k: param(v) for k, v in e.params.items()}
            if e.primitive.name == "reduce_precision":
                params["exponent_bits"], params["mantissa_bits"] = 11, 52
            eqns.append(e.replace(invars=[variable(v) for v in e.invars], outvars=[variable(v) for v in e.outvars], params=params))
        return jaxpr.replace(constvars=[variable(v) for v in jaxpr.constvars], invars=[variable(v) for v in jaxpr.invars],
                             outvars=[variable(v) for v in jaxpr.outvars], eqns=eqns, debug_info=jaxpr.debug_info)
    return param(closed)


def _conversion(shape: tuple[int, ...], source: Any, target: Any, read: Any, made: Any) -> Any:
    """The equation that converts one variable to another."""
    traced = jax.make_jaxpr(lambda x: jax.lax.convert_element_type(x, target))(jax.ShapeDtypeStruct(shape, source))
    return traced.jaxpr.eqns[0].replace(invars=[read], outvars=[made])


def _inputs(imported: Import, arrays: list[np.ndarray]) -> dict[str, np.ndarray]:
    given: dict[str, np.ndarray] = {}
    arguments = {a.path: a for a in imported.graph.arguments}
    for i, array in enumerate(arrays):
        array = np.asarray(words_of(array)) if is_drawn(array) else array
        if i in imported.leaves:
            paths = imported.paths[i]
            given.update((path, row) for path, row in zip(paths, _rows_of(imported.leaves[i], array), strict=True) if path is not None)
        elif imported.traced.names[i] in arguments:
            given[imported.traced.names[i]] = array
    return given


def _run(imported: Import, program: Any, backend: Any, arrays: list[np.ndarray]) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    """The results, and how far each new value moves where gradients do by what rounding makes of zeros: an update that
    divides by a gradient's size makes of the rounding of one that is zero in truth a step of full length."""
    graph, inputs = imported.graph, _inputs(imported, arrays)
    gradients = list(program.gradients().values())
    wanted = {r.value: r for r in graph.results}
    values = program.run(inputs, wanted=[*wanted, *gradients], backend=backend)
    random = np.random.default_rng(1)
    sizes = [float(np.square(np.asarray(values[g])).mean()) for g in gradients]
    rounding = _ROUNDING * math.sqrt(max(sizes))
    near = {g: np.asarray(values[g]) + rounding * random.standard_normal(np.shape(values[g])) for g in gradients}
    updated = [r for r in graph.results if r.donor is not None]
    others = program.run(inputs, wanted=[r.value for r in updated], given=near, backend=backend)
    moved = {r.path: _distance(others[r.value], values[r.value]) for r in updated}
    return {r.path if r.donor is not None or r.role == "loss" else f"metric {r.path}": np.asarray(values[r.value]) for r in graph.results}, moved


def _distance(x: Any, y: Any) -> float:
    """Of finite numbers."""
    p, q = np.asarray(x, np.float64), np.asarray(y, np.float64)
    finite = np.isfinite(p) & np.isfinite(q)
    return float(np.linalg.norm(p[finite] - q[finite]))


def _rows_of(leaf: Leaf, array: np.ndarray) -> list[np.ndarray]:
    return [array] if leaf.parts is None else list(array)


def _compare(imported: Import, got: dict[str, np.ndarray], moved: dict[str, float], right: list[np.ndarray]) -> None:
    traced = imported.traced
    _check("the loss", got["loss"], right[traced.loss])
    for o, name in traced.metrics.items():
        _check(f"the metric {name}", got[f"metric {name}"], right[o].astype(np.float64))
    for i, paths in imported.paths.items():
        new = right[traced.state_of[i]]
        for path, array in zip(paths, _rows_of(imported.leaves[i], np.asarray(words_of(new)) if is_drawn(new) else new), strict=True):
            if path in got:
                _check(f"the new value of {path}", got[path], array, 3 * moved[path])


def _check(what: str, got: np.ndarray, right: np.ndarray, moved: float = 0.0) -> None:
    finite = np.isfinite(got) & np.isfinite(right)
    same = finite | (got == right) | (np.isnan(got) & np.isnan(right))
    p, q = got[finite].astype(np.float64), right[finite].astype(np.float64)
    error, size = float(np.linalg.norm(p - q)), float(np.linalg.norm(q))
    if not same.all() or not error <= _TOLERANCE * size + moved + 1e-30:
        raise ImportFailure(f"the graph must compute what JAX does but {what} differs by {error / max(size, 1e-300):.1e} of its norm")


def _check_dependences(imported: Import) -> None:
    """What the loss depends on in the graph is no more than in JAX, and what changes there changes here."""
    traced, graph = imported.traced, imported.graph
    outputs = len(traced.closed.jaxpr.outvars)
    used = used_inputs(traced.closed.jaxpr, [n == traced.loss for n in range(outputs)])
    reached, work = set(), [r.value for r in graph.results if r.role == "loss"]
    while work:
        v = work.pop()
        if v not in reached:
            reached.add(v)
            work += v.op.operands if v.op is not None else []
    read = {a.path for a in graph.arguments if a.value in reached}
    for i, is_used in enumerate(used):
        paths = imported.paths[i] if i in imported.paths else [traced.names[i]]
        if not is_used and read & set(paths):
            raise ImportFailure(f"the graph's loss must not depend on {traced.names[i]}, of which JAX's does not")
    jaxpr = traced.closed.jaxpr
    updated = {r.path for r in graph.results if r.donor is not None}
    known = {a.path for a in graph.arguments}
    for i, o in traced.state_of.items():
        if i not in imported.leaves:
            continue
        if jaxpr.outvars[o] is not jaxpr.invars[i] and not isinstance(jaxpr.outvars[o], core.Literal):
            missing = [p for p in imported.paths[i] if p in known and p not in updated]
            if missing and o != i:
                _explain_unchanged(imported, i, missing[0])


def _explain_unchanged(imported: Import, i: int, path: str) -> None:
    """An array may come back through calls unchanged."""
    traced = imported.traced
    used = used_inputs(traced.closed.jaxpr, [n == traced.state_of[i] for n in range(len(traced.closed.jaxpr.outvars))])
    if sum(used) > 1:
        raise ImportFailure(f"{path} must change in a step, as it does in JAX, but comes back as it was")
