# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one form of a graph that backends read, whether it comes from MLIR text or from the importer's memory.

A `Function` is a list of `Operation`s on values, which are named by whatever the source names them by: SSA names (`%3`,
`%7#1`) of text, `prec.ir.Value`s of a graph in memory. Attributes have one spelling each, and a graph that contradicts
itself is refused here:

| attribute | form |
|---|---|
| `value` of arith.constant | a number or truth value for all elements, or an array of the result's shape |
| `predicate` | a word, `oeq` or `slt` |
| `kind`, `format`, `phase` of what computes | a word, `sum` or `e4m3` |
| `offsets`, `sizes`, `strides` of slices | lists of numbers |
| `dims`, `permutation`, `dim`, `eps`, `scale` ... | as the dialects call them; a flag that is absent is false |
"""
from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import ir
from . import text as mlir
from .formats import numpy_dtype
from .text import Block, Dense, Opaque, Operation, TensorType, Type

# Printed integers of arith::CmpFPredicate and arith::CmpIPredicate, in order.
_CMPF = ["false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"]
_CMPI = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
# What computes something else by each of them; others keep their attributes as they are.
_WORDS = ("kind", "format", "scaling", "lhs_scaling", "rhs_scaling", "direction")
OPTIMIZERS = frozenset({"prec_train.adamw", "prec_train.sgd", "prec_train.sgd_momentum", "prec_train.lion", "prec_train.adafactor",
                        "prec_train.adafactor_unfactored", ir.Kind.UPDATE})


class GraphError(ValueError):
    """A graph that contradicts itself: its types, its shapes, what its operations may read."""


class Misfit(ValueError):
    """What was given for a value, in words, where its type does not hold that."""


@dataclass(eq=False)
class Binding:
    """An argument or result of a function. `name` is its path, "path@slot" where several share one, or its position."""

    value: Hashable
    type: TensorType
    name: str
    attributes: dict[str, Any]

    @property
    def role(self) -> str | None:
        return getattr(self.attributes.get("prec_train.role"), "word", None)

    def default(self) -> np.ndarray | None:
        """The value where none is given: a buffer's start, a hyperparameter's default, zeros of an optimizer's
        state, or None."""
        if "prec_train.initial" in self.attributes:
            return np.broadcast_to(elements(self.attributes["prec_train.initial"], self.type), self.type.shape)
        if "prec_train.default" in self.attributes:
            return np.full(self.type.shape, self.attributes["prec_train.default"])
        return np.zeros(self.type.shape) if self.role == "optimizer_state" else None


class Function:
    """`entry` is what it is called for from outside, where that is said."""

    def __init__(self, name: str, block: Block, arguments: list[Binding], results: list[Binding], entry: str | None = None) -> None:
        self.name, self.block, self.arguments, self.results, self.entry = name, block, arguments, results, entry

    @property
    def operations(self) -> list[Operation]:
        return self.block.operations

    argument_names = property(lambda self: [a.name for a in self.arguments])
    argument_types = property(lambda self: [a.type for a in self.arguments])
    argument_attrs = property(lambda self: [a.attributes for a in self.arguments])
    result_names = property(lambda self: [r.name for r in self.results])
    result_types = property(lambda self: [r.type for r in self.results])
    result_attrs = property(lambda self: [r.attributes for r in self.results])


def names(attributes: list[dict[str, Any]]) -> list[str]:
    counts = Counter(a.get("prec_train.path") for a in attributes)
    found = []
    for i, a in enumerate(attributes):
        path, slot = a.get("prec_train.path"), a.get("prec_train.slot")
        found.append(str(i) if path is None else path if counts[path] == 1 or not slot else f"{path}@{slot}")
    return found


def _bindings(values: Sequence[Hashable], types: Sequence[Any], attributes: list[dict[str, Any]]) -> list[Binding]:
    return [Binding(*each) for each in zip(values, types, names(attributes), attributes)]


# From text.


def of_text(text: str) -> dict[str, Function]:
    """The functions of a module in generic form, by name. Raises ParseError for other text, GraphError for a graph that
    contradicts itself."""
    functions = [op for op in mlir.parse(text).regions[0].operations if op.name == "func.func"]
    return {f.name: f for f in map(_function, functions)}


def _function(op: Operation) -> Function:
    name, (inputs, outputs) = op.attributes["sym_name"], op.attributes["function_type"]
    if not op.regions or not op.regions[0].operations or op.regions[0].operations[-1].name != "func.return":
        raise GraphError(f"a function must end in func.return, but @{name} has none")
    *body, last = op.regions[0].operations
    for inner in body:
        _normalize(inner)
    return Function(name, op.regions[0],
                    _bindings([v for v, _ in op.regions[0].arguments], inputs, op.attributes.get("arg_attrs") or [{} for _ in inputs]),
                    _bindings(last.operands, outputs, op.attributes.get("res_attrs") or [{} for _ in outputs]),
                    op.attributes.get("prec.entry"))


def _normalize(op: Operation) -> Operation:
    a = op.attributes
    for region in op.regions:
        for inner in region.operations:
            _normalize(inner)
    if op.name == "arith.constant":
        a["value"] = elements(a["value"], op.result_types[0])
    elif op.name in ("arith.cmpf", "arith.cmpi") and isinstance(a["predicate"], int):
        a["predicate"] = (_CMPF if op.name == "arith.cmpf" else _CMPI)[a["predicate"]]
    elif op.name in ("tensor.extract_slice", "tensor.insert_slice"):
        if len(op.operands) != (1 if op.name == "tensor.extract_slice" else 2):
            raise NotImplementedError(f"{op.place}: offsets, sizes and strides of {op.name} must be constants, but got values")
        for key in ("offsets", "sizes", "strides"):
            a[key] = a.pop(f"static_{key}")
    for key in _WORDS:
        if isinstance(a.get(key), Opaque):
            a[key] = a[key].word
    check(op)
    return op


def elements(value: Any, type_: Type) -> Any:
    """Of an attribute: a number or truth value for all elements, or an array of the type's shape as it is stored."""
    if not isinstance(value, Dense):
        return value
    shape, dtype = getattr(type_, "shape", ()), numpy_dtype(value.type.element)
    if isinstance(value.value, bytes):
        if dtype == np.bool_:
            # Eight truth values a byte, the lowest bit first.
            bits = np.unpackbits(np.frombuffer(value.value, np.uint8), bitorder="little")
            return bits[:math.prod(shape)].astype(bool).reshape(shape)
        array = np.frombuffer(value.value, dtype)
        return array.reshape(shape) if array.size == math.prod(shape) else np.broadcast_to(array, shape)
    return np.array(value.value).reshape(shape) if isinstance(value.value, list) else value.value


# From memory.


def of_graph(graph: ir.Graph, round_literals: bool) -> dict[str, Function]:
    """The one function of the importer's graph, as it is now: what is changed later in the graph does not change it."""
    operations = [operation(op, round_literals) for op in graph.ops]
    arguments = [(a.value, _type(a.value)) for a in graph.arguments]
    block = Block(arguments, [*operations, Operation("func.return", [r.value for r in graph.results], [], {}, [], [])])
    argument_attrs = [{"prec_train.role": Opaque(f"#prec_train.role<{a.role}>"), "prec_train.path": a.path,
                       **{f"prec_train.{k}": v for k, v in a.attrs.items()}} for a in graph.arguments]
    result_attrs = [{"prec_train.role": Opaque(f"#prec_train.role<{r.role}>"), "prec_train.path": r.path} for r in graph.results]
    function = Function("step", block, _bindings([v for v, _ in arguments], [t for _, t in arguments], argument_attrs),
                        _bindings([r.value for r in graph.results], [_type(r.value) for r in graph.results], result_attrs), "step")
    return {"step": function}


def operation(op: ir.Op, round_literals: bool = False) -> Operation:
    attributes = {k: _single(v) if round_literals and isinstance(v, float) else v for k, v in op.attrs.items()}
    made = Operation(op.name, list(op.operands), list(op.results), attributes, [_type(v) for v in op.operands],
                     [_type(v) for v in op.results], path=op.path)
    if op.body is not None:
        made.regions.append(_formula(op.body, round_literals))
    check(made)
    return made


def _formula(body: ir.Body, round_literals: bool) -> Block:
    def inner(op: ir.Op) -> Operation:
        literal = round_literals and op.name == ir.Kind.CONSTANT and op.result.dtype == "f32"
        attributes = {k: _single(v) if literal else v for k, v in op.attrs.items()}
        return Operation(op.name, list(op.operands), list(op.results), attributes, [v.dtype for v in op.operands], [v.dtype for v in op.results])
    return Block([(v, v.dtype) for v in body.arguments], [inner(op) for op in body.ops])


def _single(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _type(value: ir.Value) -> TensorType:
    return TensorType(value.shape, value.dtype)


# What can be said of an operation by its types alone, whatever computes it.


def check(op: Operation) -> None:
    dialect = op.name.partition(".")[0]
    shapes = [getattr(t, "shape", ()) for t in op.operand_types]
    if dialect in ("arith", "math") and op.operands:
        result = op.result_types[0].shape if isinstance(op.result_types[0], TensorType) else ()
        # A condition may be one truth value for all elements.
        read = shapes[1:] if op.name == "arith.select" and shapes[0] == () else shapes
        if any(s != result for s in read):
            raise GraphError(f"{op.place}: operands of {op.name} must have the shape of its result {list(result)}, but got "
                             + ", ".join(str(list(s)) for s in shapes))
    elif op.name in ("tensor.collapse_shape", "tensor.expand_shape"):
        few, many = (op.result_types[0].shape, shapes[0])[:: 1 if op.name == "tensor.collapse_shape" else -1]
        groups = op.attributes["reassociation"]
        in_order = [d for group in groups for d in group] == list(range(len(many)))
        if groups and (not in_order or tuple(math.prod(many[d] for d in group) for group in groups) != tuple(few)) \
                or not groups and (few or math.prod(many) != 1):
            raise GraphError(f"{op.place}: groups of {op.name} must bring {list(many)} and {list(few)} together, but got {groups}")
    elif op.name == "prec_train.broadcast":
        dims, shape = list(op.attributes["dims"]), op.result_types[0].shape
        known = dims == sorted(set(dims)) and all(0 <= d < len(shape) for d in dims)
        if not known or tuple(shape[d] for d in dims) != shapes[0]:
            raise GraphError(f"{op.place}: dims of prec_train.broadcast must place {list(shapes[0])} in {list(shape)}, but got {dims}")
