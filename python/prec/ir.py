# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The imported graph in memory: values, ops and one function, before they become text.

Shapes are static tuples; dtypes are those that a float-erased graph has: f32, i64, i32, i1.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

FORWARD, BACKWARD, RECOMPUTE, OPTIMIZER = "forward", "backward", "recompute", "optimizer"
TRAIN = "prec_train"


class Kind:
    """The ops that code asks for, each spelled here alone; what is only built and printed is spelled where it is
    built."""

    RESHAPE = "reshape"
    CONSTANT = "arith.constant"
    CMPF = "arith.cmpf"
    CMPI = "arith.cmpi"
    SELECT = "arith.select"
    SITOFP = "arith.sitofp"
    UITOFP = "arith.uitofp"
    EXTUI = "arith.extui"
    EXTSI = "arith.extsi"
    TRUNCI = "arith.trunci"
    DIVSI = "arith.divsi"
    NEGF = "arith.negf"
    ADDF = "arith.addf"
    MULF = "arith.mulf"
    DIVF = "arith.divf"
    MAXSI = "arith.maxsi"
    MINSI = "arith.minsi"
    FPTOSI = "arith.fptosi"
    TRUNCF = "arith.truncf"
    EXTF = "arith.extf"
    BITCAST = "arith.bitcast"
    MAXIMUMF = "arith.maximumf"
    MINIMUMF = "arith.minimumf"
    SUBF = "arith.subf"
    SQRT = "math.sqrt"
    RSQRT = "math.rsqrt"
    ABSF = "math.absf"
    EXP = "math.exp"
    POWF = "math.powf"
    SHLI = "arith.shli"
    SHRSI = "arith.shrsi"
    SHRUI = "arith.shrui"
    ABSI = "math.absi"
    COLLAPSE_SHAPE = "tensor.collapse_shape"
    EXPAND_SHAPE = "tensor.expand_shape"
    EXTRACT_SLICE = "tensor.extract_slice"
    CONCAT = "tensor.concat"
    IOTA = "prec_train.iota"
    REDUCE = "prec_train.reduce"
    BROADCAST = "prec_train.broadcast"
    TRANSPOSE = "prec_train.transpose"
    MATMUL = "prec_train.matmul"
    CONV = "prec_train.conv"
    CONV_GRAD_INPUT = "prec_train.conv_grad_input"
    CONV_GRAD_WEIGHT = "prec_train.conv_grad_weight"
    CUSTOM = "prec_train.custom"
    GROUPED_MATMUL = "prec_train.grouped_matmul"
    GROUPED_MATMUL_GRAD = "prec_train.grouped_matmul_grad"
    EMBEDDING = "prec_train.embedding"
    EMBEDDING_GRAD = "prec_train.embedding_grad"
    GATHER = "prec_train.gather"
    SCATTER_ADD = "prec_train.scatter_add"
    SOFTMAX_GRAD = "prec_train.softmax_grad"
    SORT_IDS = "prec_train.sort_ids"
    CROSS_ENTROPY = "prec_train.cross_entropy"
    CROSS_ENTROPY_GRAD = "prec_train.cross_entropy_grad"
    UPDATE = "prec_train.update"
    YIELD = "prec_train.yield"


# Ops whose result's elements are elements of their operands, unchanged.
MOVES = frozenset({Kind.COLLAPSE_SHAPE, Kind.EXPAND_SHAPE, Kind.EXTRACT_SLICE, Kind.CONCAT, Kind.TRANSPOSE})


class Value:
    """One SSA value: result `index` of `op`, or an argument when `op` is None."""

    __slots__ = ("shape", "dtype", "op", "index")

    def __init__(self, shape: Iterable[int], dtype: str, op: Op | None = None, index: int = 0) -> None:
        self.shape, self.dtype, self.op, self.index = tuple(int(d) for d in shape), dtype, op, index

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def type(self) -> str:
        return tensor_type(self.shape, self.dtype)


class Op:
    """One operation. `attrs` holds plain Python values; how they are spelled is text.py's affair. `body`: the formula
    of an update."""

    __slots__ = ("name", "operands", "results", "attrs", "path", "phase", "seq", "body")

    def __init__(
        self,
        name: str,
        operands: Iterable[Value],
        result_types: Iterable[tuple[Iterable[int], str]],
        attrs: Mapping[str, Any] | None = None,
        path: str = "",
        phase: str = FORWARD,
        seq: int | None = None,
        body: Body | None = None,
    ) -> None:
        self.body = body
        self.name, self.operands, self.attrs = name, list(operands), dict(attrs or {})
        self.results = [Value(shape, dtype, self, i) for i, (shape, dtype) in enumerate(result_types)]
        self.path, self.phase, self.seq = path, phase, seq

    @property
    def dialect(self) -> str:
        return self.name.partition(".")[0]

    @property
    def result(self) -> Value:
        return self.results[0]


@dataclass(eq=False)
class Body:
    """What an update computes of one element, the last op yields; its values have no shape. Bodies are shared, and none
    is changed once it is an operation's."""

    arguments: list[Value] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)


@dataclass
class Argument:
    value: Value
    role: str
    path: str
    attrs: dict[str, Any] = field(default_factory=dict)


@dataclass
class Result:
    value: Value
    role: str
    path: str
    # The argument whose storage the result takes.
    donor: Argument | None = None


@dataclass
class Graph:
    framework: str
    model: str
    arguments: list[Argument] = field(default_factory=list)
    ops: list[Op] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    # What comparing the step with the framework's came to.
    verified: str = "not verified: not asked to"
    # Gradients of the backward by parameter, where something acts on them before the update.
    gradients: dict[str, Value] = field(default_factory=dict)
    # Whether a batch may be completed with rows of ignored labels, or why not; None: nothing is known.
    padding: Literal[True] | str | None = None
    # Code of kernels of the user's own, by name.
    images: dict[str, bytes] = field(default_factory=dict)

    def argument(self, role: str, path: str, shape: Iterable[int], dtype: str, **attrs: Any) -> Argument:
        argument = Argument(Value(shape, dtype), role, path, attrs)
        self.arguments.append(argument)
        return argument


def tensor_type(shape: Iterable[int], dtype: str) -> str:
    return "tensor<" + "".join(f"{d}x" for d in shape) + dtype + ">"
