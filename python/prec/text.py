# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spells a graph as MLIR text. The same graph gives the same bytes."""
from __future__ import annotations

import math
import struct
from collections.abc import Iterable

import numpy as np

from .ir import FORWARD, TRAIN, Argument, Body, Graph, Kind, Op, Result, Value, tensor_type


def f32(value: float) -> str:
    """A literal that parses to exactly this float32."""
    single = np.float32(value)
    if not np.isfinite(single):
        return f"0x{struct.unpack('<I', struct.pack('<f', single))[0]:08X}"
    return _decimal(repr(float(np.format_float_scientific(single, trim="0"))))


def f64(value: float) -> str:
    if not math.isfinite(value):
        return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    return _decimal(repr(float(value)))


def _decimal(text: str) -> str:
    # MLIR wants a point in the mantissa: 1e-08 is not a float literal there.
    mantissa, e, exponent = text.partition("e")
    return (mantissa if "." in mantissa else mantissa + ".0") + e + exponent


def string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def escaped(content: bytes) -> str:
    """A string of any bytes."""
    return '"' + "".join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\{c:02X}" for c in content) + '"'


def ints(values: Iterable[int]) -> str:
    return "[" + ", ".join(str(v) for v in values) + "]"


def dense(array: np.ndarray, dtype: str) -> str:
    """dense<...> : type of a NumPy array: a splat where it is one, raw little-endian bytes otherwise."""
    array = np.ascontiguousarray(array, {"f32": "<f4", "i64": "<i8", "i32": "<i4", "i1": "?"}[dtype])
    flat = array.reshape(-1)
    if flat.size and (flat.view(np.uint8).reshape(flat.size, -1) == flat[:1].view(np.uint8)).all():
        body = scalar(flat[0].item(), dtype)
    elif dtype == "i1":
        body = _nested(array)
    else:
        body = f'"0x{flat.tobytes().hex().upper()}"'
    return f"dense<{body}> : {tensor_type(array.shape, dtype)}"


def _nested(array: np.ndarray) -> str:
    return "[" + ", ".join(_nested(a) for a in array) + "]" if array.ndim else scalar(bool(array), "i1")


def scalar(value: float, dtype: str) -> str:
    return f32(value) if dtype == "f32" else ("true" if value else "false") if dtype == "i1" else str(int(value))


def _in_formula(op: Op, names: dict[Value, str]) -> str:
    """An operation on scalars, one line of a formula."""
    operands, types = ", ".join(names[v] for v in op.operands), ", ".join(v.dtype for v in op.operands)
    if op.name == Kind.YIELD:
        return f"{op.name} {operands} : {types}"
    result = op.result.dtype
    head = f"{names[op.result]} = {op.name}"
    match op.name:
        case Kind.CONSTANT:
            return f"{head} {(f64 if result == 'f64' else f32)(op.attrs['value'])} : {result}"
        case Kind.CMPF:
            return f"{head} {op.attrs['predicate']}, {operands} : {op.operands[0].dtype}"
        case Kind.TRUNCF | Kind.EXTF:
            return f"{head} {operands} : {types} to {result}"
    return f"{head} {operands} : {result}"


class Printer:
    """Spells one graph; `module` is the whole text."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.names: dict[Value, str] = {}
        self.formulas: dict[int, str] = {}

    def module(self) -> str:
        g = self.graph
        for i, a in enumerate(g.arguments):
            self.names[a.value] = f"%arg{i}"
        self.places = {id(a): i for i, a in enumerate(g.arguments)}
        body = [f"    {self.operation(op, n)}" for n, op in enumerate(g.ops)]
        arguments = [f"      %arg{i}: {a.value.type} {self._argument(a)}" for i, a in enumerate(g.arguments)]
        results = [f"      {r.value.type} {self._result(r)}" for r in g.results]
        returned = f"    return {self._list(r.value for r in g.results)} : {', '.join(r.value.type for r in g.results)}"
        padding = "" if g.padding is None else f", prec_train.padding = {'true' if g.padding is True else string(g.padding)}"
        named = ", ".join(f"{string(name)} = {escaped(content)}" for name, content in g.images.items())
        images = f", prec_train.images = {{{named}}}" if named else ""
        return "\n".join([
            f"module attributes {{prec_train.framework = {string(g.framework)}, prec_train.model = {string(g.model)}, "
            f"prec_train.verified = {string(g.verified)}{padding}{images}}} {{",
            "  func.func @step(", ",\n".join(arguments), "  ) -> (", ",\n".join(results), '  ) attributes {prec.entry = "step"} {',
            *body, returned, "  }", "}", ""])

    def _argument(self, a: Argument) -> str:
        parts = [f"prec_train.role = #prec_train.role<{a.role}>", f"prec_train.path = {string(a.path)}"]
        for key, value in a.attrs.items():
            if key in ("vocabulary", "ignore_index", "shift"):
                text = f"{value} : i64"
            elif key == "range":
                text = f"array<i64: {value[0]}, {value[1]}>"
            elif key == "default":
                text = f"{f64(value)} : f64"
            elif key == "aliases":
                text = "[" + ", ".join(string(v) for v in value) + "]"
            elif key == "initial":
                text = dense(value, a.value.dtype)
            else:
                text = string(value)
            parts.append(f"prec_train.{key} = {text}")
        return "{" + ", ".join(parts) + "}"

    def _result(self, r: Result) -> str:
        parts = [f"prec_train.role = #prec_train.role<{r.role}>", f"prec_train.path = {string(r.path)}"]
        if r.donor is not None:
            parts.append(f"prec_train.donated_to = {self.places[id(r.donor)]} : i64")
        return "{" + ", ".join(parts) + "}"

    def _list(self, values: Iterable[Value]) -> str:
        return ", ".join(self.names[v] for v in values)

    def operation(self, op: Op, number: int) -> str:
        if len(op.results) == 1:
            self.names[op.result] = f"%{number}"
        else:
            for r in op.results:
                self.names[r] = f"%{number}#{r.index}"
        head = f"%{number}" + (f":{len(op.results)}" if len(op.results) > 1 else "")
        location = f" loc({string(op.path)})" if op.path else ""
        return f"{head} = {op.name}{self._spell(op)}{location}"

    def _spell(self, op: Op) -> str:
        a, operands, types = op.attrs, self._list(op.operands), [v.type for v in op.operands]
        result, source = op.result.type, types[0] if types else ""
        functional = f"({', '.join(types)}) -> " + (result if len(op.results) == 1 else f"({', '.join(r.type for r in op.results)})")
        match op.name:
            case Kind.CONSTANT:
                return f"{self._attrs(op)} dense<{scalar(a['value'], op.result.dtype)}> : {result}"
            case Kind.CMPF | Kind.CMPI:
                return f" {a['predicate']}, {operands}{self._attrs(op)} : {source}"
            case Kind.SELECT:
                return f" {operands}{self._attrs(op)} : {source}, {result}"
            case Kind.SITOFP | Kind.UITOFP | Kind.EXTUI | Kind.EXTSI | Kind.TRUNCI | Kind.FPTOSI | Kind.BITCAST:
                return f" {operands}{self._attrs(op)} : {source} to {result}"
            case Kind.COLLAPSE_SHAPE:
                return f" {operands} {a['reassociation']}{self._attrs(op)} : {source} into {result}"
            case Kind.EXPAND_SHAPE:
                return f" {operands} {a['reassociation']} output_shape {ints(op.result.shape)}{self._attrs(op)} : {source} into {result}"
            case Kind.EXTRACT_SLICE:
                return f" {operands}{ints(a['offsets'])} {ints(a['sizes'])} {ints(a['strides'])}{self._attrs(op)} : {source} to {result}"
            case Kind.CONCAT:
                return f" dim({a['dim']}) {operands}{self._attrs(op)} : {functional}"
            case Kind.IOTA:
                return f" dim {a['dim']}{self._attrs(op)} : {result}"
            case Kind.REDUCE:
                return f" {a['kind']} {operands} dims {ints(a['dims'])}{self._attrs(op)} : {functional}"
            case Kind.BROADCAST:
                return f" {operands} dims {ints(a['dims'])}{self._attrs(op)} : {functional}"
            case Kind.SORT_IDS:
                return f" {operands} below {a['bound']}{self._attrs(op)} : {functional}"
            case Kind.TRANSPOSE:
                return f" {operands} permutation {ints(a['permutation'])}{self._attrs(op)} : {functional}"
            case Kind.UPDATE:
                assert op.body is not None
                return f" {operands}{self._attrs(op, named=True)} : {functional} {self._formula(op.body)}"
            case _ if op.dialect == TRAIN:
                return f" {operands}{self._attrs(op, named=True)} : {functional}"
        return f" {operands}{self._attrs(op)} : {result}"

    def _formula(self, body: Body) -> str:
        if id(body) not in self.formulas:
            names = {v: f"%x{i}" for i, v in enumerate(body.arguments)}
            # No name of the function around it.
            names |= {op.result: f"%e{i}" for i, op in enumerate(body.ops[:-1])}
            arguments = ", ".join(f"{names[v]}: {v.dtype}" for v in body.arguments)
            lines = [f"      {_in_formula(op, names)}" for op in body.ops]
            self.formulas[id(body)] = "\n".join(["{", f"    ^bb0({arguments}):", *lines, "    }"])
        return self.formulas[id(body)]

    def _attrs(self, op: Op, named: bool = False) -> str:
        """The attribute dictionary; `named` includes the op's own, which the other ops spell in their syntax."""
        parts = []
        for key, value in op.attrs.items() if named else ():
            if value is True:
                parts.append(key)
            elif isinstance(value, str):
                parts.append(f"{key} = {string(value)}")
            elif isinstance(value, tuple):
                # Flat lists of numbers: MLIR's own of operands is of i32.
                numbers = f": {', '.join(map(str, value))}" if value else ""
                parts.append(f"{key} = array<{'i32' if key == 'operandSegmentSizes' else 'i64'}{numbers}>")
            elif isinstance(value, list):
                parts.append(f"{key} = [{', '.join(map(str, value))}]")
            elif isinstance(value, float):
                parts.append(f"{key} = {f32(value)} : f32")
            elif value is not False:
                parts.append(f"{key} = {value} : {'i64' if key == 'window' else 'i32'}")
        if op.phase != FORWARD:
            parts.append(f"prec_train.phase = #prec_train.phase<{op.phase}>")
        if op.seq is not None:
            parts.append(f"prec_train.seq = {op.seq} : i64")
        return " {" + ", ".join(parts) + "}" if parts else ""
