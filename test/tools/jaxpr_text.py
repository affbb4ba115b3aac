# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a jaxpr as a function of train, arith, math and tensor operations: graphs as JAX differentiates them, for
tests.

Every primitive becomes what it says, one by one and in JAX's order; only scalars of constants are computed, and what
nobody reads is dropped, as importers do. Two primitives have no counterpart: `take_along_axis` of the last dimension is
written as the sum of the columns that are compared with the index (the same for every index inside), its transpose as
that comparison; `is_finite` as `|x| < inf`.
"""
from __future__ import annotations

import math

import jax
import numpy as np
from jax.extend.core import Literal
from jax.interpreters.partial_eval import dce_jaxpr

_UNARY = {"exp": "math.exp", "log": "math.log", "sin": "math.sin", "cos": "math.cos", "tanh": "math.tanh", "sqrt": "math.sqrt",
          "rsqrt": "math.rsqrt", "abs": "math.absf", "neg": "arith.negf", "erf": "math.erf"}
_BINARY = {"add": "add", "add_any": "add", "sub": "sub", "mul": "mul", "div": "div"}
_INLINED = {"jit": "jaxpr", "pjit": "jaxpr", "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr", "closed_call": "call_jaxpr"}
_TYPES = {"float32": "f32", "int32": "i32", "bool": "i1"}
_COMPARE = {"eq": ("oeq", "eq"), "ne": ("une", "ne"), "lt": ("olt", "slt"), "le": ("ole", "sle"), "gt": ("ogt", "sgt"), "ge": ("oge", "sge")}


def _literal(value, dtype: str) -> str:
    if dtype != "f32":
        return str(bool(value)).lower() if dtype == "i1" else str(int(value))
    value = np.float32(value)
    return f"{float(value):.9e}" if np.isfinite(value) else f"0x{value.view(np.uint32):08X}"


class _Value:
    def __init__(self, name, shape, dtype):
        self.name, self.shape, self.dtype = name, tuple(map(int, shape)), dtype

    @property
    def type(self):
        return f"tensor<{''.join(f'{n}x' for n in self.shape)}{self.dtype}>"


class Writer:
    def __init__(self):
        self.lines, self.constants = [], {}  # lines: (results, operands, text)

    # Operations.

    def op(self, text: str, shape, dtype: str, operands, types: str | None = None) -> _Value:
        """`text` has the operands' places; `types` follows the colon, the result's type by default."""
        value = _Value(f"%{len(self.lines)}", shape, dtype)
        types = types if types is not None else value.type
        body = text.format(*(o.name for o in operands), r=value.type)
        self.lines.append((value.name, [o.name for o in operands], f"{value.name} = {body} : {types}"))
        return value

    def constant(self, number, shape, dtype) -> _Value:
        key = (float(number) if not np.isnan(number) else "nan", tuple(shape), dtype)
        if key not in self.constants:
            self.constants[key] = self.op(f"arith.constant dense<{_literal(number, dtype)}>", shape, dtype, [])
        return self.constants[key]

    def elementwise(self, op, *operands) -> _Value:
        x = operands[0]
        return self.op(f"{op} " + ", ".join("{}" for _ in operands), x.shape, x.dtype, operands)

    def arithmetic(self, name, x, y) -> _Value:
        return self.elementwise(f"arith.{name}{'f' if x.dtype == 'f32' else 'i'}", x, y)

    def compare(self, name, x, y) -> _Value:
        kind, predicate = ("f", _COMPARE[name][0]) if x.dtype == "f32" else ("i", _COMPARE[name][1])
        return self.op(f"arith.cmp{kind} {predicate}, {{}}, {{}}", x.shape, "i1", [x, y], x.type)

    def select(self, c, x, y) -> _Value:
        return self.op("arith.select {}, {}, {}", x.shape, x.dtype, [c, x, y], f"{c.type}, {x.type}")

    def reduce(self, kind, x, axes) -> _Value:
        shape = [n for i, n in enumerate(x.shape) if i not in axes]
        r = _Value("", shape, x.dtype).type
        return self.op(f"prec_train.reduce {kind} {{}} dims {sorted(map(int, axes))}", shape, x.dtype, [x], f"({x.type}) -> {r}")

    def transpose(self, x, permutation) -> _Value:
        permutation = list(map(int, permutation))
        if permutation == sorted(permutation):
            return x
        shape = [x.shape[p] for p in permutation]
        return self.op(f"prec_train.transpose {{}} permutation {permutation}", shape, x.dtype, [x],
                       f"({x.type}) -> {_Value('', shape, x.dtype).type}")

    def reshape(self, x, shape) -> _Value:
        shape = tuple(map(int, shape))
        if shape == x.shape:
            return x
        groups = _groups(shape, x.shape) if len(shape) < len(x.shape) else _groups(x.shape, shape)
        if groups is None:
            return self.reshape(self.reshape(x, (math.prod(shape),)), shape)
        r = _Value("", shape, x.dtype).type
        if len(shape) < len(x.shape):
            return self.op(f"tensor.collapse_shape {{}} {groups}", shape, x.dtype, [x], f"{x.type} into {r}")
        return self.op(f"tensor.expand_shape {{}} {groups} output_shape {list(shape)}", shape, x.dtype, [x], f"{x.type} into {r}")

    def broadcast(self, x, shape, dims) -> _Value:
        shape, dims = tuple(map(int, shape)), list(map(int, dims))
        if math.prod(x.shape) == math.prod(shape):
            return self.reshape(x, shape)
        kept = [i for i, d in enumerate(dims) if x.shape[i] == shape[d]]
        x = self.reshape(x, [x.shape[i] for i in kept])
        r = _Value("", shape, x.dtype).type
        return self.op(f"prec_train.broadcast {{}} dims {[dims[i] for i in kept]}", shape, x.dtype, [x], f"({x.type}) -> {r}")

    def to_float(self, x, dtype) -> _Value:
        if x.dtype == dtype:
            return x
        if x.dtype == "f32":
            raise NotImplementedError("float to integer")
        op = {("i1", "f32"): "arith.uitofp", ("i1", "i32"): "arith.extui", ("i32", "f32"): "arith.sitofp"}[x.dtype, dtype]
        return self.op(f"{op} {{}}", x.shape, dtype, [x], f"{x.type} to {_Value('', x.shape, dtype).type}")

    def one_hot(self, index, shape) -> _Value:
        """index [..., 1] compared with every column."""
        column = self.broadcast(self.op("prec_train.iota dim 0", shape[-1:], "i32", []), shape, [len(shape) - 1])
        return self.compare("eq", self.broadcast(index, shape, range(len(shape))), column)

    # Jaxprs.

    def run(self, jaxpr, consts, arguments):
        known = dict(zip(jaxpr.constvars, consts)) | dict(zip(jaxpr.invars, arguments))

        def read(v):
            return v.val if isinstance(v, Literal) else known[v]
        for eqn in jaxpr.eqns:
            inputs = [read(v) for v in eqn.invars]
            for v, x in zip(eqn.outvars, self.equation(eqn, inputs)):
                known[v] = x
        return [read(v) for v in jaxpr.outvars]

    def equation(self, eqn, inputs):
        name, params = eqn.primitive.name, eqn.params
        if name in _INLINED:
            inner = params[_INLINED[name]]
            return self.run(getattr(inner, "jaxpr", inner), getattr(inner, "consts", ()), inputs)
        if inputs and not any(isinstance(x, _Value) for x in inputs):
            made = eqn.primitive.bind(*inputs, **params)
            return made if eqn.primitive.multiple_results else [made]
        out = eqn.outvars[0].aval
        dtype = _TYPES[str(out.dtype)]
        if name in ("gather", "scatter-add"):
            return [self.indexed(name, params, [self.value(x) for x in inputs], out)]
        values = [self.value(x) for x in inputs]
        if name == "split":
            offsets = np.cumsum([0, *params["sizes"]])
            return [self.slice(values[0], params["axis"], start, size) for start, size in zip(offsets, params["sizes"])]
        if name in _BINARY or name in _COMPARE or name in ("max", "select_n", "pow", "and"):
            values = [self.broadcast(v, out.shape, range(len(out.shape)) if v.shape else []) for v in values]
        return [self.primitive(name, params, values, out, dtype)]

    def primitive(self, name, params, x, out, dtype) -> _Value:
        if name in _UNARY:
            return self.elementwise(_UNARY[name], x[0])
        if name in _BINARY:
            return self.arithmetic(_BINARY[name], *x)
        if name in _COMPARE:
            return self.compare(name, *x)
        if name in ("stop_gradient", "copy", "copy_p", "optimization_barrier"):
            return x[0]
        if name == "max":
            return self.elementwise("arith.maximumf" if dtype == "f32" else "arith.maxsi", *x)
        if name == "and":
            return self.elementwise("arith.andi", *x)
        if name == "square":
            return self.arithmetic("mul", x[0], x[0])
        if name == "logistic":
            one = self.constant(1, x[0].shape, "f32")
            return self.arithmetic("div", one, self.arithmetic("add", one, self.elementwise("math.exp", self.elementwise("arith.negf", x[0]))))
        if name == "integer_pow":
            return self.elementwise("math.powf", x[0], self.constant(params["y"], x[0].shape, "f32"))
        if name == "pow":
            return self.elementwise("math.powf", *x)
        if name == "select_n":
            return self.select(x[0], x[2], x[1])
        if name == "is_finite":
            return self.compare("lt", self.elementwise("math.absf", x[0]), self.constant(np.inf, x[0].shape, "f32"))
        if name == "convert_element_type":
            return self.to_float(x[0], dtype)
        if name in ("reduce_sum", "reduce_max"):
            return self.reduce(name[-3:], x[0], params["axes"])
        if name in ("reshape", "squeeze", "expand_dims"):
            return self.reshape(x[0], out.shape)
        if name == "broadcast_in_dim":
            return self.broadcast(x[0], out.shape, params["broadcast_dimensions"])
        if name == "transpose":
            return self.transpose(x[0], params["permutation"])
        if name == "iota":
            return self.op(f"prec_train.iota dim {params['dimension']}", out.shape, dtype, [])
        if name == "concatenate":
            types = f"({', '.join(v.type for v in x)}) -> {_Value('', out.shape, dtype).type}"
            return self.op(f"tensor.concat dim({params['dimension']}) " + ", ".join("{}" for _ in x), out.shape, dtype, x, types)
        if name == "slice":
            starts, limits = params["start_indices"], params["limit_indices"]
            cut = [i for i, n in enumerate(x[0].shape) if limits[i] - starts[i] != n]
            return self.slice(x[0], cut[0], starts[cut[0]], limits[cut[0]] - starts[cut[0]]) if cut else x[0]
        if name == "pad":
            return self.pad(x[0], params["padding_config"])
        if name == "dot_general":
            return self.dot(x[0], x[1], params["dimension_numbers"], out)
        raise NotImplementedError(f"{name} {params}")

    def value(self, x) -> _Value:
        """A constant as a value."""
        if isinstance(x, _Value):
            return x
        x = np.asarray(x)
        if x.size == 0 or (x != x.flat[0]).any() and not np.isnan(x).all():
            raise NotImplementedError("constants that are no splats")
        return self.constant(x.flat[0], x.shape, _TYPES[str(x.dtype)])

    def slice(self, x, axis, start, size) -> _Value:
        shape = [int(size) if i == axis else n for i, n in enumerate(x.shape)]
        offsets = [int(start) if i == axis else 0 for i in range(len(shape))]
        return self.op(f"tensor.extract_slice {{}}{offsets} {shape} {[1] * len(shape)}", shape, x.dtype, [x],
                       f"{x.type} to {_Value('', shape, x.dtype).type}")

    def pad(self, x, config) -> _Value:
        for axis, (low, high, _) in enumerate(config):
            if not low and not high:
                continue
            pieces = [self.constant(0, [n if i == axis else s for i, s in enumerate(x.shape)], x.dtype) if n else None for n in (low, high)]
            pieces = [p for p in (pieces[0], x, pieces[1]) if p]
            shape = [low + n + high if i == axis else n for i, n in enumerate(x.shape)]
            types = f"({', '.join(p.type for p in pieces)}) -> {_Value('', shape, x.dtype).type}"
            x = self.op(f"tensor.concat dim({axis}) " + ", ".join("{}" for _ in pieces), shape, x.dtype, pieces, types)
        return x

    def indexed(self, name, params, x, out) -> _Value:
        numbers, rank = params["dimension_numbers"], len(out.shape)
        table, index = x[0], x[1]
        last = len(table.shape) - 1
        inserted = numbers.collapsed_slice_dims if name == "gather" else numbers.inserted_window_dims
        batching = numbers.operand_batching_dims
        if len(table.shape) == 2 and tuple(inserted) == (0,) and not batching:
            ids = self.reshape(index, index.shape[:-1])
            if name == "gather":
                return self.op("prec_train.gather {}, {}", out.shape, table.dtype, [table, ids],
                               f"({table.type}, {ids.type}) -> {_Value('', out.shape, table.dtype).type}")
            return self.op("prec_train.scatter_add {}, {}, {}", out.shape, table.dtype, [table, ids, x[2]],
                           f"({table.type}, {ids.type}, {x[2].type}) -> {table.type}")
        if tuple(inserted) != (last,) or table.shape[-1] != 1 and tuple(batching) != tuple(range(last)):
            raise NotImplementedError(f"{name} {params}")
        if table.shape[-1] == 1:  # The only element of the last dimension.
            return self.reshape(table if name == "gather" else x[2], out.shape)
        hit = self.one_hot(self.reshape(index, table.shape[:-1] + (1,)), table.shape)
        if name == "gather":
            picked = self.select(hit, table, self.constant(0, table.shape, "f32"))
            return self.reshape(self.reduce("sum", picked, [last]), out.shape)
        update = self.broadcast(self.reshape(x[2], table.shape[:-1] + (1,)), table.shape, range(rank))
        return self.select(hit, update, self.constant(0, table.shape, "f32"))

    def dot(self, x, y, numbers, out) -> _Value:
        """Batch dimensions, then rows or columns, then the contracted one: a batched matrix product."""
        (cx, cy), (bx, by) = numbers
        operands = []
        for v, batch, contracted in ((x, bx, cx), (y, by, cy)):
            free = [i for i in range(len(v.shape)) if i not in (*batch, *contracted)]
            shape = [v.shape[i] for i in batch] + [math.prod(v.shape[i] for i in free), math.prod(v.shape[i] for i in contracted)]
            # A matrix stored as it is multiplied needs no copy.
            swapped = bool(contracted) and bool(free) and min(free) > max(contracted)
            order = [*batch, *contracted, *free] if swapped else [*batch, *free, *contracted]
            shape = shape[:-2] + shape[:-3:-1] if swapped else shape
            operands.append((self.reshape(self.transpose(v, order), shape), swapped))
        (a, transpose_a), (b, transposed) = operands
        flags = [f for f, on in (("transpose_a", transpose_a), ("transpose_b", not transposed)) if on]
        rows = a.shape[-1 if transpose_a else -2]
        columns = b.shape[-1 if transposed else -2]
        shape = (*a.shape[:-2], rows, columns)
        made = self.op(f"prec_train.matmul {{}}, {{}}{' {{' + ', '.join(flags) + '}}' if flags else ''}", shape, "f32", [a, b],
                       f"({a.type}, {b.type}) -> {_Value('', shape, 'f32').type}")
        return self.reshape(made, out.shape)


def _groups(few, many):
    """Which dimensions of `many` are each of `few`; those of 1 go with the one before."""
    groups, next_ = [], 0
    for size in few:
        group, product = [], 1
        while next_ < len(many) and (product < size or not group):
            product *= many[next_]
            group.append(next_)
            next_ += 1
        if product != size:
            return None
        groups.append(group)
    while next_ < len(many) and many[next_] == 1 and groups:
        groups[-1].append(next_)
        next_ += 1
    return groups if next_ == len(many) else None if few else []


def write(function, *examples, name: str = "f", arguments=None, attributes=None, results=None) -> str:
    """func.func @name with the jaxpr of `function`: `arguments` are names, `attributes` and `results` attribute
    dictionaries in MLIR's text."""
    closed = jax.make_jaxpr(function)(*examples)
    jaxpr, _ = dce_jaxpr(closed.jaxpr, [True] * len(closed.jaxpr.outvars), instantiate=True)
    writer = Writer()
    arguments = arguments or [f"arg{i}" for i in range(len(jaxpr.invars))]
    inputs = [_Value(f"%{n}", v.aval.shape, _TYPES[str(v.aval.dtype)]) for n, v in zip(arguments, jaxpr.invars)]
    outputs = [writer.value(v) for v in writer.run(jaxpr, closed.consts, inputs)]
    live, lines = {v.name for v in outputs}, []
    for result, operands, text in reversed(writer.lines):
        if result in live:
            live.update(operands)
            lines.append("  " + text)
    signature = ", ".join(f"{v.name}: {v.type}{' ' + a if a else ''}" for v, a in zip(inputs, attributes or [""] * len(inputs)))
    types = ", ".join(f"{v.type}{' ' + a if a else ''}" for v, a in zip(outputs, results or [""] * len(outputs)))
    returned = f"  return {', '.join(v.name for v in outputs)} : {', '.join(v.type for v in outputs)}"
    return "\n".join([f"func.func @{name}({signature}) -> ({types}) {{", *reversed(lines), returned, "}"]) + "\n"
