# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers a jaxpr, equation by equation.

Calls (jit, custom_jvp, custom_vjp, remat and the like) are lowered in place, scans and loops of known length iteration
by iteration, a cond whose branch is not known as a selection among the results of all branches, which have no effects.
What follows from no argument is computed at import where it is small, and written into the graph where something reads
it: as a constant, or by the operations that made it, so that masks and tables of angles stay recognizable. An equation
that reads a stack (values.py) row by row is lowered once a row.
"""
from __future__ import annotations

import contextlib
import functools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from jax.extend.core import Literal

from ..builder import Builder
from ..errors import ImportFailure
from ..ir import BACKWARD, FORWARD, MOVES, OPTIMIZER, RECOMPUTE, Kind, Value
from . import lowerings  # noqa: F401 (its modules register theirs)
from .keys import is_drawn, on_words, words_of
from .known import compute, compute_number, exact_number, is_key
from .private import line_of
from .registry import TABLE, Call, Lowered, erase, wrap
from .values import Keys, Known, Leaf, Opaque, Stack

# Elements of what is computed at import.
_MOST_KNOWN = 1 << 16
_MOST_ITERATIONS = 1 << 12
_LARGEST_CONSTANT = 1 << 24  # Bytes of an array that a graph spells out.
# Where the body of a call is among its parameters.
_BODIES = ("jaxpr", "call_jaxpr", "fun_jaxpr")
_RANDOM = ("random_", "threefry", "rng_")
_INSTEAD = ": make keys by jax.random.key(seed), or compute what is random before the step and give it with the batch"
_WRAPPED = re.compile(r"^(\w+)\((.*)\)$")


class _Place:
    """Where equations are: the scopes of modules and functions around them, and by which transformations they came to
    be."""

    def __init__(self, scopes: tuple[str, ...] = (), transforms: frozenset[str] = frozenset()) -> None:
        self.scopes, self.transforms = scopes, transforms

    def within(self, name_stack: Any) -> _Place:
        scopes, transforms = list(self.scopes), set(self.transforms)
        text = str(name_stack)
        for scope in text.split("/") if text else ():
            while match := _WRAPPED.match(scope):
                transforms.add(match[1])
                scope = match[2]
            if scope in ("checkpoint", "remat", "rematted_computation"):
                transforms.add(scope)
            elif scope:
                scopes.append(scope)
        return _Place(tuple(scopes), frozenset(transforms))

    def iteration(self, number: int) -> _Place:
        """Of a scan over layers, one of them."""
        scopes = (*self.scopes[:-1], f"{self.scopes[-1]}[{number}]") if self.scopes else ()
        return _Place(scopes, self.transforms)

    @property
    def path(self) -> str:
        return ".".join(self.scopes)

    @property
    def phase(self) -> str:
        """A guess, which roles.py corrects where nothing of the backward is: a value that the loss needs is forward."""
        if "transpose" in self.transforms:
            return RECOMPUTE if "rematted_computation" in self.transforms else BACKWARD
        return FORWARD if "jvp" in self.transforms else OPTIMIZER


class Lowering:
    """Lowers one jaxpr into the builder's graph."""

    def __init__(self, b: Builder) -> None:
        self.b = b
        self._place = _Place()
        self._from_batch: dict[Value, bool] = {}

    # Jaxprs

    def run(self, jaxpr: Any, consts: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
        """The outputs of a jaxpr for inputs that are values, known, leaves or stacks."""
        env: dict[Any, Any] = {}
        env.update(zip(jaxpr.constvars, (self.given(c) for c in consts), strict=True))
        env.update(zip(jaxpr.invars, inputs, strict=True))
        for eqn in jaxpr.eqns:
            read = [self._literal(v) if isinstance(v, Literal) else env[v] for v in eqn.invars]
            env.update(zip(eqn.outvars, self._equation(eqn, read), strict=True))
        return [self._literal(v) if isinstance(v, Literal) else env[v] for v in jaxpr.outvars]

    def _literal(self, literal: Any) -> Any:
        return self.given(np.asarray(literal.val, literal.aval.dtype))

    def given(self, array: Any) -> Any:
        """A number or array of the trace."""
        if isinstance(array, (Keys, Known, Value, Leaf, Opaque, Stack)):
            return array
        if not hasattr(array, "dtype"):
            array = np.asarray(array)
        if not is_key(array):
            array = np.asarray(array)
        return Known(array, tuple(array.shape), lambda: self._captured(array))

    def _captured(self, array: Any, exact: float | None = None) -> Value:
        dtype = erase(array.dtype)
        known = Known(array, array.shape, lambda: self.b.constant(0))
        number = known.number()
        if number is not None:
            return self.b.constant(_python(number if exact is None else exact, dtype), array.shape, dtype)
        if array.nbytes > _LARGEST_CONSTANT:
            raise ImportFailure(f"an array of shape {list(array.shape)} that the step reads must be part of its state or batch{self._at()}")
        count = sum(a.path.startswith("captured.") for a in self.b.graph.arguments)
        numbers = array.astype({"f32": np.float32, "i1": np.bool_}.get(dtype, np.int64))
        argument = self.b.graph.argument("buffer", f"captured.{count}", array.shape, dtype, initial=numbers)
        if dtype != "f32" and dtype != "i1":
            self.b.ranges.know(argument.value, (int(numbers.min()), int(numbers.max())))
        return argument.value

    @contextlib.contextmanager
    def _in(self, place: _Place) -> Iterator[None]:
        before, self._place = self._place, place
        was = self.b.path, self.b.phase
        self.b.at(place.path, place.phase)
        try:
            yield
        finally:
            self._place = before
            self.b.at(*was)

    def _at(self) -> str:
        line = line_of(self._eqn) if getattr(self, "_eqn", None) is not None else ""
        return f", at {line}" if line else ""

    def refuse(self, what: str) -> ImportFailure:
        return ImportFailure(what + self._at())

    # Equations

    def _equation(self, eqn: Any, inputs: list[Any]) -> list[Any]:
        outer, self._eqn = getattr(self, "_eqn", None), eqn if line_of(eqn) else getattr(self, "_eqn", None)
        try:
            with self._in(self._place.within(eqn.source_info.name_stack)):
                control = _CONTROL.get(eqn.primitive.name)
                if control is not None:
                    return control(self, eqn, inputs)
                if eqn.primitive.name == "shard_map" and eqn.params["mesh"].size > 1:
                    raise self.refuse(f"a step is that of one device but shard_map has {eqn.params['mesh'].size}: compile the step of one, of which "
                                      "prec-compile --mesh= makes several ranks")
                body = next((eqn.params[key] for key in _BODIES if key in eqn.params), None)
                if body is not None:
                    return self._body(body, inputs)
                if eqn.primitive.name == "optimization_barrier":
                    return inputs
                if any(isinstance(x, Opaque) for x in inputs):
                    raise self.refuse(f"a step draws by keys of threefry2x32 but reads {eqn.invars[0].aval.dtype} by {eqn.primitive.name}{_INSTEAD}")
                if all(0 in v.aval.shape for v in eqn.outvars):
                    return [self.given(np.zeros(v.aval.shape, v.aval.dtype)) for v in eqn.outvars]
                if all(isinstance(x, Known) for x in inputs):
                    return self._known(eqn, inputs)
                if any(is_drawn(v.aval) for v in (*eqn.invars, *eqn.outvars)):
                    return self._of_keys(eqn, inputs)
                if any(0 in x.shape for x in inputs):
                    return self._without_empty(eqn, inputs)
                return self._lowered(eqn, inputs)
        finally:
            self._eqn = outer

    def _without_empty(self, eqn: Any, inputs: list[Any]) -> list[Any]:
        """An equation that reads arrays without elements, which change nothing."""
        name = eqn.primitive.name
        if name == "concatenate":
            return self._lowered(eqn, [x for x in inputs if 0 not in x.shape])
        if name.startswith("scatter") or name == "dynamic_update_slice":
            return [inputs[0]]
        if name == "pad" and isinstance(inputs[1], Known) and (number := inputs[1].number()) is not None:
            aval = eqn.outvars[0].aval
            return [self.given(np.full(aval.shape, number, aval.dtype))]
        raise self.refuse(f"{name} must read arrays with elements but one has none")

    def _of_keys(self, eqn: Any, inputs: list[Any]) -> list[Any]:
        """An equation that reads or makes keys, of their words."""
        whole = on_words(eqn)
        made = self.run(whole.jaxpr, whole.consts, [self._words(x) for x in inputs])
        return [Keys(x) if is_drawn(v.aval) else x for x, v in zip(made, eqn.outvars, strict=True)]

    def _words(self, x: Any) -> Any:
        """Of keys their words, whether they are known or not; of anything else itself."""
        if isinstance(x, Keys):
            return x.words
        return self.given(np.asarray(words_of(x.array))) if isinstance(x, Known) and is_drawn(x.array) else x

    def _body(self, body: Any, inputs: list[Any]) -> list[Any]:
        """Of a call: a closed jaxpr, or one without constants."""
        return self.run(getattr(body, "jaxpr", body), getattr(body, "consts", ()), inputs)

    def _rule(self, eqn: Any) -> Lowered:
        name = eqn.primitive.name
        found = TABLE.get(name)
        if found is None:
            if name.startswith(_RANDOM):
                raise self.refuse(f"a step draws bits and what is computed of them but got {name}: compute what it draws before the step and give it "
                                  "with the batch")
            raise self.refuse(f"every primitive of a step must have a lowering but {name} has none")
        return found

    def _known(self, eqn: Any, inputs: list[Known]) -> list[Any]:
        name = eqn.primitive.name
        avals = [v.aval for v in eqn.outvars]
        few = all(math.prod(a.shape) <= _MOST_KNOWN for a in avals) or name.startswith(_RANDOM)
        arrays: list[Any] = [None] * len(avals)
        if few and all(x.array is not None for x in inputs):
            arrays = compute(eqn, [x.array for x in inputs])
        elif inputs and all(x.number() is not None for x in inputs):
            arrays = [compute_number(eqn, [x.number() for x in inputs], name in TABLE and TABLE[name].elementwise)] * len(avals)
        exact = exact_number(eqn, [x.number() for x in inputs]) if eqn.primitive.name in TABLE else None
        place, now = self._place, self._eqn
        emitted: list[Value] = []

        def emit(i: int) -> Value:
            array = arrays[i]
            if array is not None and (name not in TABLE or Known(array, avals[i].shape, lambda: self.b.constant(0)).number() is not None):
                return self._captured(array, exact)
            if not emitted:
                before, self._eqn = self._eqn, now
                with self._in(place):
                    emitted.extend(self._apply(eqn, inputs, [tuple(a.shape) for a in avals]))
                self._eqn = before
            return emitted[i]
        return [Known(arrays[i], tuple(a.shape), functools.partial(emit, i)) for i, a in enumerate(avals)]

    def _apply(self, eqn: Any, inputs: Sequence[Any], shapes: list[tuple[int, ...]]) -> list[Value]:
        """One primitive on values."""
        found, b = self._rule(eqn), self.b
        values = [self.value(x) for x in inputs]
        call = Call(b, eqn.primitive.name, eqn.params, shapes, [v.aval.dtype for v in eqn.outvars], list(inputs), self.from_batch)
        if found.elementwise:
            values = [b.broadcast(v, shapes[0]) for v in values]
        try:
            made = found.rule(call, *values)
        except NotImplementedError as error:
            raise self.refuse(f"{eqn.primitive.name} is not supported: {error}") from error
        made = [wrap(b, v, dtype) for v, dtype in zip(made if isinstance(made, (tuple, list)) else [made], call.dtypes, strict=True)]
        for got, shape, dtype in zip(made, shapes, call.dtypes, strict=True):
            if got.shape != shape or got.dtype != erase(dtype):
                raise self.refuse(f"{eqn.primitive.name} must make {erase(dtype)}{list(shape)} but its lowering made {got.dtype}{list(got.shape)}")
        return made

    def _lowered(self, eqn: Any, inputs: list[Any]) -> list[Any]:
        found, shapes = self._rule(eqn), [tuple(map(int, v.aval.shape)) for v in eqn.outvars]
        if any(isinstance(x, Stack) for x in inputs):
            rows = self._by_row(eqn, found, inputs, shapes)
            if rows is not None:
                return rows
        return list(self._apply(eqn, inputs, shapes))

    # Stacks

    def _by_row(self, eqn: Any, found: Lowered, inputs: list[Any], shapes: list[tuple[int, ...]]) -> list[Any] | None:
        """The equation row by row, where each row of its results follows from one of its operands."""
        stack = next(x for x in inputs if isinstance(x, Stack))
        count, name, params = len(stack.parts), eqn.primitive.name, eqn.params
        if found.elementwise:
            operands = [[x] * count if not x.shape else self.rows(x, count) for x in inputs]
            return [Stack([self._apply(eqn, row, [shapes[0][1:]])[0] for row in zip(*operands, strict=True)])]
        if name in _FOLDS and len(inputs) == 1:
            axes = params["axes"]
            inner = tuple(a - 1 for a in axes if a)
            fold = TABLE[name].rule
            rest = [n for a, n in enumerate(stack.shape) if a and a not in axes]
            def of(x: Value) -> Value:
                return fold(Call(self.b, name, {**params, "axes": inner}, [tuple(rest)], [eqn.outvars[0].aval.dtype], [x], self.from_batch), x)
            parts = [of(self.value(x)) if inner else self.value(x) for x in stack.parts]
            if 0 not in axes:
                return [Stack(parts)]
            total = parts[0]
            for part in parts[1:]:
                total = _FOLDS[name](self.b, total, part)
            return [total]
        if name == "slice" and _takes_rows(params, stack.shape):
            taken = stack.parts[params["start_indices"][0]:params["limit_indices"][0]]
            return [Stack(taken)]
        if name == "squeeze" and tuple(params["dimensions"]) == (0,):
            return [stack.parts[0]]
        return None

    def rows(self, x: Any, count: int) -> list[Any]:
        """The rows of an array; one row is all of them."""
        if isinstance(x, Keys):
            return [Keys(row) for row in self.rows(x.words, count)]
        if isinstance(x, Known) and is_key(x.array):
            return [self.given(x.array[i % x.shape[0]]) for i in range(count)]
        if x.shape[0] == 1 and count > 1:
            return [self.b.reshape(self.value(x), x.shape[1:])] * count
        if isinstance(x, Stack):
            return x.parts
        if isinstance(x, Leaf) and x.splits and x.shape[0] == count:
            return list(x.rows())
        if isinstance(x, Known) and (number := x.number()) is not None:
            row = np.full(x.shape[1:], number)
            return [self.given(row)] * count
        if isinstance(x, Known) and len(x.shape) == 1 and x.array is not None:
            return [self.given(np.asarray(number)) for number in np.asarray(x.array)]
        value = self.value(x)
        if value.op is not None and value.op.name == Kind.BROADCAST and 0 not in value.op.attrs["dims"]:
            with self._in(self._place):
                op = value.op
                row_shape = value.shape[1:]
                made = self.b.op(Kind.BROADCAST, op.operands, [(row_shape, value.dtype)], dims=[d - 1 for d in op.attrs["dims"]]).result \
                    if math.prod(row_shape) != math.prod(op.operands[0].shape) else self.b.reshape(op.operands[0], row_shape)
                return [made] * count
        return [self.b.reshape(self.b.slice(value, 0, i, 1), value.shape[1:]) for i in range(count)]

    def value(self, x: Any) -> Value:
        """The variable as one value of the graph."""
        if isinstance(x, Value):
            return x
        if isinstance(x, Stack):
            parts = [self.value(p) for p in x.parts]
            return self.b.concat([self.b.reshape(p, (1, *p.shape)) for p in parts], 0)
        if isinstance(x, Leaf) and x.parts is not None and x.whole is None:
            return self.value(Stack(list(x.parts)))
        return x.value()

    def from_batch(self, value: Value) -> bool:
        """Whether its elements are elements of the batch, which whoever feeds the step checks."""
        if value not in self._from_batch:
            if value.op is None:
                self._from_batch[value] = any(a.value is value and a.role == "batch" for a in self.b.graph.arguments)
            else:
                moves = value.op.name in MOVES or value.op.name in (Kind.RESHAPE, Kind.EXTSI, Kind.TRUNCI)
                self._from_batch[value] = moves and all(self.from_batch(v) for v in value.op.operands)
        return self._from_batch[value]

    # Control flow

    def scan(self, eqn: Any, inputs: list[Any]) -> list[Any]:
        params = eqn.params
        length, n_consts, n_carry = int(params["length"]), params["num_consts"], params["num_carry"]
        if length > _MOST_ITERATIONS:
            raise self.refuse(f"a scan is unrolled, so it must have at most {_MOST_ITERATIONS} iterations but has {length}")
        body = params["jaxpr"]
        consts, carry, over = inputs[:n_consts], inputs[n_consts:n_consts + n_carry], [self.rows(x, length) for x in inputs[n_consts + n_carry:]]
        stacked: list[list[Any]] = [[None] * length for _ in range(len(eqn.outvars) - n_carry)]
        place = self._place
        for i in reversed(range(length)) if params["reverse"] else range(length):
            with self._in(place.iteration(i)):
                made = self.run(body.jaxpr, body.consts, [*consts, *carry, *(rows[i] for rows in over)])
            carry = made[:n_carry]
            for rows, row in zip(stacked, made[n_carry:], strict=True):
                rows[i] = row
        if length == 0:
            raise self.refuse("a scan must have iterations but has none")
        return [*carry, *(self._stacked(rows, v.aval) for rows, v in zip(stacked, eqn.outvars[n_carry:], strict=True))]

    def _stacked(self, rows: list[Any], aval: Any) -> Any:
        return Keys(Stack([self._words(row) for row in rows])) if is_drawn(aval) else Stack(rows)

    def loop(self, eqn: Any, inputs: list[Any]) -> list[Any]:
        params = eqn.params
        n, m = params["cond_nconsts"], params["body_nconsts"]
        of_condition, of_body, carry = inputs[:n], inputs[n:n + m], inputs[n + m:]
        condition, body = params["cond_jaxpr"], params["body_jaxpr"]
        for _ in range(_MOST_ITERATIONS):
            (going,) = self.run(condition.jaxpr, condition.consts, [*of_condition, *carry])
            if not isinstance(going, Known) or going.array is None:
                raise self.refuse("a loop is unrolled, so how often it runs must follow from no array of the step, but that of this while does: "
                                  "write jax.lax.scan, or a fori_loop with known bounds")
            if not bool(np.asarray(going.array)):
                return carry
            carry = self.run(body.jaxpr, body.consts, [*of_body, *carry])
        raise self.refuse(f"a loop is unrolled, so it must have at most {_MOST_ITERATIONS} iterations but has more")

    def cond(self, eqn: Any, inputs: list[Any]) -> list[Any]:
        index, operands = inputs[0], inputs[1:]
        branches, b = eqn.params["branches"], self.b
        if isinstance(index, Known) and index.array is not None:
            return self._body(branches[int(np.clip(np.asarray(index.array), 0, len(branches) - 1))], operands)
        made = [self._body(branch, operands) for branch in branches]
        number = b.convert(self.value(index), "i32")
        chosen = made[-1]
        for i in reversed(range(len(branches) - 1)):
            here = b.compare("le", number, b.constant(i, (), "i32"))
            chosen = [self._choose(here, x, y) for x, y in zip(made[i], chosen, strict=True)]
        return chosen

    def _choose(self, condition: Value, x: Any, y: Any) -> Any:
        if x is y:
            return x
        if isinstance(x, Keys) or isinstance(y, Keys):
            return Keys(self._choose(condition, self._words(x), self._words(y)))
        if isinstance(x, Stack) or isinstance(y, Stack):
            count = x.shape[0]
            return Stack([self._choose(condition, p, q) for p, q in zip(self.rows(x, count), self.rows(y, count), strict=True)])
        p, q = self.value(x), self.value(y)
        return self.b.select(self.b.broadcast(condition, p.shape), p, q)


_CONTROL: dict[str, Callable[[Lowering, Any, list[Any]], list[Any]]] = {"scan": Lowering.scan, "while": Lowering.loop, "cond": Lowering.cond}
_FOLDS: dict[str, Callable[[Builder, Value, Value], Value]] = {
    "reduce_sum": lambda b, x, y: b.add(x, y),
    "reduce_max": lambda b, x, y: b.like(Kind.MAXIMUMF if x.dtype == "f32" else Kind.MAXSI, x, y),
    "reduce_min": lambda b, x, y: b.like(Kind.MINIMUMF if x.dtype == "f32" else Kind.MINSI, x, y),
    "reduce_and": lambda b, x, y: b.like("arith.andi", x, y),
    "reduce_or": lambda b, x, y: b.like("arith.ori", x, y),
}


def _takes_rows(params: dict[str, Any], shape: Sequence[int]) -> bool:
    starts, limits, strides = params["start_indices"], params["limit_indices"], params["strides"]
    return all(s == 0 and e == n for s, e, n in zip(starts[1:], limits[1:], shape[1:], strict=True)) and (strides is None or set(strides) == {1})


def _python(number: Any, dtype: str) -> float | int | bool:
    return bool(number) if dtype == "i1" else int(number) if dtype != "f32" else float(number)

