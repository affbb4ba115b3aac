# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program is a graph ready to run: it finds which operations are needed, gives each its operands, and forgets values
after their last use.

What an operation computes is the backend's affair (numpy_ops.py, torch_ops.py); it offers `tensor(given, type)`, an
array of that type, and `apply(operation, *operands)`, the results, checked against their types.
"""
from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Container, Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .. import ir
from . import graph as forms
from .graph import OPTIMIZERS, Function, GraphError, Misfit
from .text import Operation, TensorType

# Operations that stand for a function or a body, not for arithmetic.
CALL, DISPATCH, YIELD = "func.call", "prec_sched.dispatch", "prec_sched.yield"


class Backend(Protocol):
    """What computes: its arrays are np.ndarray or torch.Tensor."""

    is_rank: bool  # whether it is one of several ranks that meet

    def tensor(self, given: Any, type_: TensorType) -> Any:
        """An array of the type. Raises Misfit where it does not hold what is given."""

    def apply(self, op: Operation, *x: Any) -> tuple[Any, ...]:
        """The results of an operation. Raises GraphError where they are not of its types, NotImplementedError where it
        has no semantics."""


def generic_form(text: str, prec_opt: str | None = None, passes: Iterable[str] | None = None) -> str:
    """The graph in generic form after `passes` (command line options of prec-opt). `prec_opt` is the tool to use, by
    default that of PATH or of this checkout's build. Raises ValueError with what it said where it fails."""
    if not passes and '"builtin.module"(' in text[:text.find("{-#")]:
        return text
    tool = prec_opt or shutil.which("prec-opt") or str(Path(__file__).resolve().parents[3] / "build/bin/prec-opt")
    try:
        done = subprocess.run([tool, "-", "--mlir-print-op-generic", *(passes or [])], input=text, capture_output=True, text=True)
    except OSError as error:
        raise ValueError(f"text that is not in generic form needs prec-opt (pass its path, or have it in PATH), but got {error}") from error
    if done.returncode:
        raise ValueError(f"{tool} failed with {done.returncode}:\n{done.stderr[-4000:]}")
    return done.stdout


class Results(list[Any]):
    """Results by position, and by name: results["loss"]. Names are those of the function's results: a path, or the
    position where there is none."""

    def __init__(self, arrays: Iterable[Any], names: list[str]) -> None:
        super().__init__(arrays)
        self.names = names

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self.names.index(key) if isinstance(key, str) else key)

    def items(self) -> list[tuple[str, Any]]:
        return list(zip(self.names, self))


class Program:
    """The functions of a module, and which of them runs where none is named."""

    def __init__(self, functions: dict[str, Function], entry: str | None = None) -> None:
        self.functions = functions
        only = list(functions) if len(functions) == 1 else []
        self.entry = entry or next(iter(self.called_for("step") or only), None)
        if self.entry is not None:
            self.function()

    def called_for(self, entry: str) -> list[str]:
        """The names of the functions that are called from outside for `entry`: one or none. Raises GraphError where
        there are more."""
        found = [name for name, function in self.functions.items() if function.entry == entry]
        if len(found) > 1:
            raise GraphError(f"a module must have one function with prec.entry = {entry!r}, but got {' and '.join('@' + f for f in found)}")
        return found

    @classmethod
    def of_graph(cls, graph: ir.Graph, *, round_literals: bool = False) -> Program:
        """The importer's graph, as it is now; values are `prec.ir.Value`s. Constants and attributes are the numbers
        that the framework has, or, with `round_literals`, the f32 nearest to them, as in its text."""
        return cls(forms.of_graph(graph, round_literals))

    @classmethod
    def of_text(cls, text: str, function: str | None = None, prec_opt: str | None = None, passes: Iterable[str] | None = None) -> Program:
        """A module in MLIR; values are SSA names. Text in generic form is read as it is; anything else, or with
        `passes` (options of prec-opt, applied before), goes through prec-opt: the one given, or else of PATH, or else
        of this checkout's build."""
        return cls(forms.of_text(generic_form(text, prec_opt, passes)), function)

    def function(self, name: str | None = None) -> Function:
        """The function of a name, by default the program's entry. Raises ValueError where there is none."""
        name, there = name or self.entry, ", ".join("@" + f for f in self.functions)
        if name is None:
            raise ValueError(f"without a step the function must be named, one of {there}, but got no name")
        if name not in self.functions:
            raise ValueError(f"the function must be one of {there}, but got @{name}")
        return self.functions[name]

    def gradients(self, function: str | None = None) -> dict[str, Any]:
        """By parameter path, the value that its optimizer reads as gradient."""
        f = self.function(function)
        path = {a.value: a.name for a in f.arguments}
        return {path[op.operands[0]]: op.operands[1] for op in f.operations if op.name in OPTIMIZERS}

    def run(self, inputs: Mapping[Any, Any] | None = None, wanted: Iterable[Hashable] | None = None, given: Mapping[Any, Any] | None = None,
            backend: Backend | None = None, *, function: str | None = None, each: Callable[[Any, Any], None] | None = None) -> Any:
        """Runs the operations that `wanted` needs, and no other.

        inputs: arrays or numbers for arguments, by path, "path@slot" where several arguments share a path (work weights
          and scales of a parameter), or position (0, "0" or "arg0"). Buffers, hyperparameters and optimizer states have
          defaults; an argument that nothing needs may be left out.
        wanted: values to compute, which come back as {value: array}; None: the function's results, as `Results`.
        given: arrays that take the place of values, of arguments, too, so that what computes them does not run.
        backend: Numpy() by default.
        each: called with every wanted value and its array as soon as it is computed; nothing comes back then, so that
          not all of them are held at once.
        Inputs are not modified; what comes back may share their memory. Raises ValueError (GraphError where the graph
        is wrong), and NotImplementedError where an operation has no semantics in the backend.
        """
        if backend is None:
            from .numpy_ops import Numpy
            backend = Numpy()
        f, inputs, given = self.function(function), dict(inputs or {}), dict(given or {})
        targets = [r.value for r in f.results] if wanted is None else list(wanted)
        supplied = self._match(f, inputs)
        types = {a.value: a.type for a in f.arguments}
        types.update((v, t) for op in f.operations for v, t in zip(op.results, op.result_types))
        unknown = [v for v in (*targets, *given) if v not in types]
        if unknown:
            raise ValueError(f"values that @{f.name} does not have: {unknown}")
        values = {v: _fitted(backend, "a given value", g, types[v]) for v, g in given.items()}
        needed, reads = self._slice(f, targets, values)
        waiting, left = {}, set(targets)
        for a, key in zip(f.arguments, supplied):
            # A shape is looked at where nothing reads the input, too.
            if key is not None and _shape(inputs[key]) != a.type.shape:
                raise ValueError(f"argument '{a.name}' of @{f.name} must have shape {list(a.type.shape)}, but got "
                                 f"{list(_shape(inputs[key]))}")
            if a.value in reads and a.value not in values:
                start = inputs[key] if key is not None else a.default()
                if start is None:
                    raise ValueError(f"an input must be given for argument '{a.name}' of @{f.name}, but got none")
                waiting[a.value] = f"argument '{a.name}' of @{f.name}", start, a.type

        def take(v: Hashable) -> Any:
            # The backend's copy of an input lives from its first use on.
            if v in waiting:
                values[v] = _fitted(backend, *waiting.pop(v))
            return values[v]

        def read(v: Hashable) -> None:
            reads[v] -= 1
            if not reads[v]:
                del values[v]

        for op in needed:
            results = self.execute(op, [take(v) for v in op.operands], backend)
            # What was given stays, where only another result of the operation is needed.
            values.update([(v, array) for v, array in zip(op.results, results) if v in reads and v not in values])
            del results
            for v in op.operands:
                read(v)
            if each is not None:
                for v in op.results:
                    if v in left:
                        each(v, values[v])
                        left.remove(v)
                        read(v)
        if each is not None:
            for v in left:
                each(v, take(v))
            return None
        return Results(map(take, targets), f.result_names) if wanted is None else {v: take(v) for v in targets}

    def needed(self, wanted: Iterable[Hashable], given: Iterable[Hashable] = (), function: str | None = None) -> list[Operation]:
        """The operations that `run` would execute."""
        return self._slice(self.function(function), list(wanted), set(given))[0]

    @staticmethod
    def _slice(f: Function, targets: Iterable[Hashable], known: Container[Hashable]) -> tuple[list[Operation], dict[Hashable, int]]:
        """The operations that targets need, and how often each value is read (targets once more, so that they stay)."""
        reads: dict[Hashable, int] = dict.fromkeys(targets, 1)
        needed = []
        for op in reversed(f.operations):
            if any(r in reads and r not in known for r in op.results):
                needed.append(op)
                for v in op.operands:
                    reads[v] = reads.get(v, 0) + 1
        return needed[::-1], reads

    def execute(self, op: Operation, operands: list[Any], backend: Backend) -> tuple[Any, ...]:
        """The results of one operation; of a call those of its function, of a dispatch those of its body."""
        if op.name == CALL:
            return tuple(self.run(dict(enumerate(operands)), backend=backend, function=op.attributes["callee"]))
        if op.name != DISPATCH:
            return _apply(backend, op, operands)
        block = op.regions[0]
        values = dict(zip((v for v, _ in block.arguments), operands))
        for inner in block.operations:
            if inner.name == YIELD:
                return tuple(values[v] for v in inner.operands)
            values.update(zip(inner.results, _apply(backend, inner, [values[v] for v in inner.operands])))
        raise GraphError(f"{op.place}: a dispatch must end in prec_sched.yield, but this does not")

    @staticmethod
    def _match(f: Function, inputs: dict[Any, Any]) -> list[Any]:
        """For each argument the key of its input, or None."""
        keys = [next((k for k in (i, a.name, str(i), f"arg{i}") if k in inputs), None) for i, a in enumerate(f.arguments)]
        known = set(keys)
        unknown = [k for k in inputs if k not in known]
        if unknown:
            raise ValueError(f"inputs that @{f.name} does not have: {unknown}")
        return keys


def _apply(backend: Backend, op: Operation, operands: list[Any]) -> tuple[Any, ...]:
    if "axis" in op.attributes and not backend.is_rank:
        raise GraphError(f"{op.place}: {op.name} of several ranks must be run by prec.interpreter.ranks, but got one process")
    try:
        return backend.apply(op, *operands)
    except (GraphError, NotImplementedError):
        raise
    except (ValueError, RuntimeError, LookupError, TypeError) as error:
        shapes = ", ".join(str(list(_shape(x))) for x in operands)
        raise GraphError(f"{op.place}: {op.name} must be defined for operands {shapes}, but raised "
                         f"{type(error).__name__}: {error}") from error


def _shape(given: Any) -> tuple[int, ...]:
    return tuple(given.shape) if hasattr(given, "shape") else np.shape(given)


def _fitted(backend: Backend, what: str, given: Any, type_: TensorType) -> Any:
    if _shape(given) != type_.shape:
        raise ValueError(f"{what} must have shape {list(type_.shape)}, but got {list(_shape(given))}")
    try:
        return backend.tensor(given, type_)
    except Misfit as error:
        raise ValueError(f"{what} must fit {type_.element}, but got {error}") from None
