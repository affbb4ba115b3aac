# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation of the PyTorch backend: NumPy computes the same in float64, both leave their operands alone; integers
are also those of Python's own, gradients also those of PyTorch's autograd."""
import math
import operator

import numpy as np
import pytest
import torch

from prec.interpreter import Numpy, Torch, numpy_ops, torch_ops
from prec.interpreter.graph import Operation, TensorType, check
from prec.interpreter.random_bits import random_bits
from prec.interpreter.text import Block

NUMPY, TORCH = Numpy(np.float64), Torch(torch.float64)


def make(name, operands, results, **attributes):
    types = [[TensorType(tuple(shape), element) for shape, element in group] for group in (operands, results)]
    regions = [attributes.pop("formula")] if "formula" in attributes else []
    op = Operation(name, [f"%{i}" for i in range(len(operands))], [f"%r{i}" for i in range(len(results))], attributes, *types, regions, line=7)
    check(op)
    return op


def f(*shape):
    return shape, "f32"


def i(*shape):
    return shape, "i32"


def array(rng, type_, low=0, high=8):
    if type_.element[0] == "f":
        return np.asarray(rng.standard_normal(type_.shape))
    return np.asarray(rng.integers(low, 2 if type_.element == "i1" else high, type_.shape))


def both(op, arrays):
    """Results of both backends, on the same operands, which they do not change."""
    one, other = [[b.tensor(a, t) for a, t in zip(arrays, op.operand_types)] for b in (NUMPY, TORCH)]
    kept = [a.copy() for a in one]
    results = NUMPY.apply(op, *one), TORCH.apply(op, *other)
    for before, a, b in zip(kept, one, other):
        np.testing.assert_array_equal(a, before)
        np.testing.assert_array_equal(b.numpy(), before)
    return [np.asarray(r) for r in results[0]], [r.numpy() for r in results[1]]


def agree(op, arrays):
    first, second = both(op, arrays)
    for x, y, t in zip(first, second, op.result_types, strict=True):
        assert x.dtype == y.dtype and x.shape == y.shape == t.shape, op.name
        if x.dtype.kind == "f":
            np.testing.assert_allclose(y, x, rtol=1e-12, atol=1e-12, err_msg=op.name)
        else:
            np.testing.assert_array_equal(y, x, err_msg=op.name)
    return first


SPECIAL = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 700.0, -700.0, np.inf, -np.inf, np.nan, 1e-300, 0.3]


@pytest.mark.parametrize("name", torch_ops._UNARY)
def test_unary(name):
    assert torch_ops._UNARY.keys() == numpy_ops._UNARY.keys()
    values = np.concatenate([SPECIAL, np.random.default_rng(0).standard_normal(48)])
    agree(make(name, [f(64)], [((64,), "i1") if ".is" in name else f(64)]), [values])


@pytest.mark.parametrize("name", torch_ops._BINARY)
def test_binary(name):
    assert torch_ops._BINARY.keys() == numpy_ops._BINARY.keys()
    rng = np.random.default_rng(0)
    x, y = np.meshgrid(np.concatenate([SPECIAL, rng.standard_normal(8)]), np.concatenate([SPECIAL, rng.standard_normal(8)]))
    agree(make(name, [f(24, 24)] * 2, [f(24, 24)]), [x, y])


# What Python makes of the values that an operation reads, before the result's type takes its lower bits.
def _floor_free(x, y):
    return int(math.copysign(1, x) * math.copysign(1, y)) * (abs(x) // abs(y))


PYTHON = {"addi": operator.add, "subi": operator.sub, "muli": operator.mul, "andi": operator.and_, "ori": operator.or_,
          "xori": operator.xor, "maxsi": max, "minsi": min, "maxui": max, "minui": min, "shli": operator.lshift,
          "shrsi": operator.rshift, "shrui": operator.rshift,
          "divsi": _floor_free, "remsi": lambda x, y: x - _floor_free(x, y) * y, "floordivsi": operator.floordiv,
          "ceildivsi": lambda x, y: -(-x // y), "divui": operator.floordiv, "remui": operator.mod}
WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}


def lower_bits(value, width):
    """The signed number that the lower bits of a value are; a truth value is 0 or 1."""
    value &= (1 << width) - 1
    return value if width == 1 or value < 1 << width - 1 else value - (1 << width)


def read(value, width, sign):
    value &= (1 << width) - 1
    return value - (1 << width) if sign and value >= 1 << width - 1 else value


def numbers(rng, element, count):
    width = WIDTHS[element]
    if width == 1:
        return rng.integers(0, 2, count).astype(bool)
    low, high = -(1 << width - 1), (1 << width - 1) - 1
    edges = [0, 1, -1, 2, -2, low, low + 1, high, high - 1]
    return np.concatenate([edges, rng.integers(low, high, count - len(edges), endpoint=True)]).astype(f"i{width // 8}")


@pytest.mark.parametrize("element", WIDTHS)
@pytest.mark.parametrize("stem", PYTHON)
def test_integers(stem, element):
    if element == "i1" and stem not in ("addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui"):
        return
    rng, width, sign = np.random.default_rng(1), WIDTHS[element], stem.endswith("si") or stem in ("addi", "subi", "muli")
    x, y = numbers(rng, element, 64), rng.permutation(numbers(rng, element, 64))
    if stem.startswith("sh"):
        y = rng.integers(0, width, 64).astype(x.dtype)
    elif "div" in stem or "rem" in stem:
        y = np.where((y == 0) | (y == -1), 3, y).astype(x.dtype)
    op = make(f"arith.{stem}", [((64,), element)] * 2, [((64,), element)])
    expected = [lower_bits(PYTHON[stem](read(int(a), width, sign), int(b) if stem.startswith("sh") else read(int(b), width, sign)), width)
                for a, b in zip(x, y)]
    if element == "i64" and op.name in torch_ops._UP_TO_32:
        with pytest.raises(NotImplementedError, match=f"line 7: no semantics for {op.name} of i64 in PyTorch"):
            TORCH.apply(op, TORCH.tensor(x, op.operand_types[0]), TORCH.tensor(y, op.operand_types[1]))
        [got] = NUMPY.apply(op, x, y)
    else:
        [got] = agree(op, [x, y])
    assert got.astype(object).tolist() == (list(map(bool, expected)) if element == "i1" else expected)


@pytest.mark.parametrize("target", WIDTHS)
@pytest.mark.parametrize("source", WIDTHS)
def test_integer_casts(source, target):
    x = numbers(np.random.default_rng(2), source, 32)
    names = ("arith.trunci",) if WIDTHS[source] > WIDTHS[target] else ("arith.extui", "arith.extsi")
    for name in (*names, "arith.index_cast", "arith.index_castui"):
        [got] = agree(make(name, [((32,), source)], [((32,), target)]), [x])
        sign = name in ("arith.extsi", "arith.index_cast")
        assert got.tolist() == [lower_bits(read(int(v), WIDTHS[source], sign), WIDTHS[target]) for v in x], name


@pytest.mark.parametrize("element", WIDTHS)
def test_casts_between_integers_and_floats(element):
    x = numbers(np.random.default_rng(3), element, 32)
    for name in ("arith.sitofp", "arith.uitofp"):
        op = make(name, [((32,), element)], [f(32)])
        [got] = agree(op, [x]) if (name, element) != ("arith.uitofp", "i64") else NUMPY.apply(op, x)
        assert got.tolist() == [float(read(int(v), WIDTHS[element], name == "arith.sitofp")) for v in x]
    if element != "i1":
        values = np.array([0.9, -0.9, 1.5, -1.5, 100.7, -100.2, 0.0])
        [got] = agree(make("arith.fptosi", [f(7)], [((7,), element)]), [values])
        assert got.tolist() == [int(v) for v in values]
        [got] = agree(make("arith.fptoui", [f(7)], [((7,), element)]), [np.abs(values) + 100])
        assert got.tolist() == [lower_bits(int(abs(v) + 100), WIDTHS[element]) for v in values]


@pytest.mark.parametrize("element", WIDTHS)
def test_comparisons_of_integers(element):
    x = numbers(np.random.default_rng(4), element, 32)
    x, y = (v.ravel() for v in np.meshgrid(x, x))
    python = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne}
    for p in ("eq", "ne", *(s + c for s in "su" for c in ("lt", "le", "gt", "ge"))):
        [got] = agree(make("arith.cmpi", [((1024,), element)] * 2, [((1024,), "i1")], predicate=p), [x, y])
        assert got.tolist() == [python[p[-2:]](*(read(int(v), WIDTHS[element], p[0] == "s") for v in pair)) for pair in zip(x, y)]


@pytest.mark.parametrize("predicate", ["false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult",
                                       "ule", "une", "uno", "true"])
def test_comparisons_of_floats(predicate):
    x, y = np.meshgrid([0.0, -0.0, 1.0, np.inf, -np.inf, np.nan], [0.0, 1.0, 2.0, np.inf, np.nan])
    [got] = agree(make("arith.cmpf", [f(5, 6)] * 2, [((5, 6), "i1")], predicate=predicate), [x, y])
    unordered = np.isnan(x) | np.isnan(y)
    plain = {"eq": x == y, "gt": x > y, "ge": x >= y, "lt": x < y, "le": x <= y, "ne": x != y, "rd": ~unordered, "no": unordered}
    if predicate in ("true", "false"):
        assert (got == (predicate == "true")).all()
    elif predicate in ("ord", "uno"):
        np.testing.assert_array_equal(got, plain[predicate[1:]])
    else:
        np.testing.assert_array_equal(got, plain[predicate[1:]] | unordered if predicate[0] == "u" else plain[predicate[1:]] & ~unordered)


def scalars(n):
    return [f()] * n


def formula(arguments, *lines):
    """A region from `result operation operands type`, the last of them what it yields."""
    *body, last = [line.split() for line in lines]
    made = [Operation(name, operands, [result], {}, [kind] * len(operands), [kind], line=8) for result, name, *operands, kind in body]
    return Block(arguments, [*made, Operation("prec_train.yield", last, [], {}, ["f32"] * len(last), [], line=8)])


# p -= lr * decay * step * (s + g), and a scalar state that is squared.
SUM = formula([("p", "f32"), ("g", "f32"), ("s", "f32"), ("n", "f32"), ("lr", "f64"), ("decay", "f64"), ("step", "f64")],
              "decayed arith.mulf lr decay f64", "rate arith.mulf decayed step f64", "single arith.truncf rate f32", "sum arith.addf s g f32",
              "change arith.mulf single sum f32", "new arith.subf p change f32", "more arith.mulf n n f32", "update arith.negf change f32",
              "new sum more update")

# Biases of 5 queries and 7 keys, and what hides beside each.
BIASES = [(2, 1, 1, 7), (1, 4, 1, 7), (1, 1, 5, 7), (2, 4, 5, 7), (1, 1, 1, 7)]
MASKS = [dict(causal=False), dict(causal=True), dict(causal=True, window=3), dict(causal=True, window=1), dict(causal=False)]

# Operations that are no elementwise arithmetic: operands, results, attributes; several cases where they have forms.
CASES = {
    "arith.constant": [([], [f(2, 3)], dict(value=0.1)), ([], [i(3)], dict(value=np.array([1, -2, 3], np.int32))),
                       ([], [((), "i1")], dict(value=True)), ([], [((2,), "i64")], dict(value=np.array(5)))],
    "arith.select": [([((2, 3), "i1"), f(2, 3), f(2, 3)], [f(2, 3)], {}), ([((), "i1"), i(2, 3), i(2, 3)], [i(2, 3)], {})],
    "arith.extf": [([f(3)], [((3,), "f64")], {})],
    "arith.truncf": [([((3,), "f64")], [f(3)], {})],
    "arith.bitcast": [([f(5)], [i(5)], {}), ([i(5)], [f(5)], {}), ([((5,), "f64")], [((5,), "i64")], {})],
    "math.absi": [([i(5)], [i(5)], {})],
    "math.fma": [([f(5)] * 3, [f(5)], {})],
    "math.fpowi": [([f(5), i(5)], [f(5)], {})],
    "math.ipowi": [([i(5), i(5)], [i(5)], {})],
    "math.clampf": [([f(5)] * 3, [f(5)], {})],
    "reshape": [([f(2, 3)], [f(3, 2)], {})],
    "tensor.collapse_shape": [([f(2, 3, 4)], [f(6, 4)], dict(reassociation=[[0, 1], [2]])), ([f(1, 1)], [f()], dict(reassociation=[]))],
    "tensor.expand_shape": [([f(6, 4)], [f(2, 3, 4)], dict(reassociation=[[0, 1], [2]])), ([f()], [f(1, 1)], dict(reassociation=[]))],
    "tensor.cast": [([f(2, 3)], [f(2, 3)], {})],
    "tensor.extract_slice": [([f(5, 6)], [f(2, 3)], dict(offsets=[1, 0], sizes=[2, 3], strides=[3, 2])),
                             ([f(5, 6)], [f(3)], dict(offsets=[1, 0], sizes=[1, 3], strides=[1, 2]))],
    "tensor.insert_slice": [([f(2, 3), f(5, 6)], [f(5, 6)], dict(offsets=[1, 0], sizes=[2, 3], strides=[3, 2]))],
    "tensor.concat": [([f(2, 3), f(4, 3), f(1, 3)], [f(7, 3)], dict(dim=0))],
    "tensor.empty": [([], [f(2, 3)], {})],
    "tensor.splat": [([f()], [f(2, 3)], {})],
    "prec_train.matmul": [([f(2, 3), f(3, 4)], [f(2, 4)], {}),
                     ([f(5, 3, 2), f(5, 4, 3)], [f(5, 2, 4)], dict(transpose_a=True, transpose_b=True)),
                     ([f(2, 3), f(4, 3), f(4)], [f(2, 4)], dict(transpose_a=False, transpose_b=True))],
    "prec_train.reduce": [*(([t(2, 3, 4)], [t(3)], dict(kind=kind, dims=[0, 2])) for t in (f, i) for kind in ("sum", "max", "min")),
                     *(([((2, 8), "i1")], [((2,), "i1")], dict(kind=kind, dims=[1])) for kind in ("sum", "max", "min")),
                     ([f(2)], [f(2)], dict(kind="sum", dims=[]))],
    "prec_train.broadcast": [([f(3)], [f(2, 3, 4)], dict(dims=[1])), ([f()], [f(2)], dict(dims=[])),
                        ([((3,), "i1")], [((3, 2), "i1")], dict(dims=[0]))],
    "prec_train.transpose": [([f(2, 3, 4)], [f(4, 2, 3)], dict(permutation=[2, 0, 1]))],
    "prec_train.iota": [([], [i(5)], dict(dim=0)), ([], [((2, 3), "i64")], dict(dim=1)), ([], [f(4)], dict(dim=0))],
    "prec_train.gather": [([f(9, 4), i(2, 3)], [f(2, 3, 4)], {}), ([f(9), ((5,), "i64")], [f(5)], {}), ([i(9, 2, 2), i()], [i(2, 2)], {})],
    "prec_train.embedding": [([f(9, 4), i(2, 3)], [f(2, 3, 4)], {})],
    "prec_train.embedding_grad": [([f(2, 3, 4), i(2, 3)], [f(9, 4)], {})],
    "prec_train.scatter_add": [([f(9, 4), i(2, 30), f(2, 30, 4)], [f(9, 4)], {}), ([f(9, 4), i(2, 3), f(2, 3, 4), i(2, 6)], [f(9, 4)], {})],
    "prec_train.sort_ids": [([i(4, 8)], [i(2, 32)], dict(bound=8))],
    "prec_train.rms_norm": [([f(2, 3, 8), f(8)], [f(2, 3, 8), f(2, 3)], dict(eps=1e-5))],
    "prec_train.rms_norm_grad": [([f(2, 3, 8), f(2, 3, 8), f(8), f(2, 3)], [f(2, 3, 8), f(8)], {})],
    "prec_train.layer_norm": [([f(2, 3, 8), f(8), f(8)], [f(2, 3, 8), f(2, 3), f(2, 3)], dict(eps=1e-5))],
    "prec_train.layer_norm_grad": [([f(2, 3, 8), f(2, 3, 8), f(8), f(2, 3), f(2, 3)], [f(2, 3, 8), f(8), f(8)], {})],
    "prec_train.softmax": [([f(2, 5)], [f(2, 5)], {})],
    "prec_train.softmax_grad": [([f(2, 5), f(2, 5)], [f(2, 5)], {})],
    "prec_train.cross_entropy": [([f(12, 8), i(12)], [f(), f(12), f(12)], dict(ignore_index=3)),
                            ([f(2, 8), i(2)], [f(), f(2), f(2)], dict(ignore_index=-100))],
    "prec_train.cross_entropy_grad": [([f(), f(12, 8), i(12), f(12), f(12)], [f(12, 8)], dict(ignore_index=3))],
    "prec_train.dropout": [([f(40, 50), i()], [f(40, 50)], dict(probability=0.3, stream=7))],
    "prec_train.attention": [([f(2, 4, 5, 3), f(2, 2, t, 3), f(2, 2, t, 3)], [f(2, 4, 5, 3), f(2, 4, 5)], dict(scale=0.4, causal=causal))
                        for t, causal in ((5, True), (7, False), (7, True))] + [
                            ([f(2, 4, 5, 3), f(2, 2, 7, 3), f(2, 2, 7, 3), f(*bias)], [f(2, 4, 5, 3), f(2, 4, 5)], dict(scale=0.4, **mask))
                            for bias, mask in zip(BIASES, MASKS)],
    "prec_train.attention_grad": [([f(2, 4, 5, 3), f(2, 4, 5, 3), f(2, g, 5, 3), f(2, g, 5, 3), f(2, 4, 5, 3), f(2, 4, 5)],
                              [f(2, 4, 5, 3), f(2, g, 5, 3), f(2, g, 5, 3)], dict(scale=0.4, causal=causal))
                             for g, causal in ((2, True), (4, False), (1, True))] + [
                                 ([f(2, 4, 5, 3), f(2, 4, 5, 3), f(2, 2, 7, 3), f(2, 2, 7, 3), f(2, 4, 5, 3), f(2, 4, 5), f(*bias)],
                                  [f(2, 4, 5, 3), f(2, 2, 7, 3), f(2, 2, 7, 3)], dict(scale=0.4, **mask))
                                 for bias, mask in zip(BIASES, MASKS)],
    "prec_train.global_norm": [([f(3, 4), f(5), f()], [f()], {})],
    "prec_train.clip": [([f(), f()], [f()], {})],
    "prec_train.adamw": [([f(3, 4)] * 4 + scalars(7), [f(3, 4)] * 3, {})],
    "prec_train.sgd": [([f(3, 4)] * 2 + scalars(4), [f(3, 4)], {})],
    "prec_train.sgd_momentum": [([f(3, 4)] * 3 + scalars(6), [f(3, 4)] * 2, dict(nesterov=nesterov)) for nesterov in (False, True)],
    "prec_train.lion": [([f(3, 4)] * 3 + scalars(6), [f(3, 4)] * 2, {})],
    "prec_train.adafactor": [([f(3, 4)] * 2 + [f(3, 1), f(1, 4)] + scalars(8), [f(3, 4), f(3, 1), f(1, 4)], {}),
                        ([f(2, 3, 4)] * 2 + [f(2, 3, 1), f(2, 1, 4)] + scalars(8), [f(2, 3, 4), f(2, 3, 1), f(2, 1, 4)], {})],
    "prec_train.adafactor_unfactored": [([f(6)] * 3 + scalars(8), [f(6)] * 2, {})],
    "prec_train.update": [([f(3, 4)] * 3 + scalars(5), [f(3, 4)] * 2 + scalars(1), dict(formula=SUM))],
}
OPTIMIZERS = (
    "prec_train.adamw",
    "prec_train.sgd",
    "prec_train.sgd_momentum",
    "prec_train.lion",
    "prec_train.adafactor",
    "prec_train.adafactor_unfactored",
    "prec_train.update",
)


def operands(op, seed):
    rng = np.random.default_rng(seed)
    arrays = [array(rng, t) for t in op.operand_types]
    if op.name in OPTIMIZERS or op.name == "prec_train.clip":
        # Second moments and hyperparameters are positive, rates below 1; the step, the last but one, counts from 1.
        arrays = [arrays[0], arrays[1], *(np.abs(a) for a in arrays[2:])]
        arrays = [np.asarray(a % 1) if a.ndim == 0 else a for a in arrays]
        if op.name in OPTIMIZERS:
            scale = next(n for n in reversed(range(len(arrays))) if op.operand_types[n].element == "f32")
            arrays[scale - 1] = np.asarray(float(seed % 3 + 1))
    return arrays


def test_every_operation_has_a_case():
    tables = {*torch_ops._UNARY, *torch_ops._BINARY, *torch_ops._INTEGER, *torch_ops._UP_TO_32}
    methods = {name[3:] for name in dir(Torch) if name.startswith("op_")}
    elsewhere = {"arith.cmpf", "arith.cmpi", "arith.fptosi", "arith.fptoui"}
    cased = {name.replace(".", "_") for name in (*CASES, *elsewhere)}
    assert methods == cased - {name.replace(".", "_") for name in tables}
    assert methods <= {name[3:] for name in dir(Numpy) if name.startswith("op_")} and tables <= {
        *numpy_ops._UNARY, *numpy_ops._BINARY, *numpy_ops._INTEGER}


@pytest.mark.parametrize("name,number", [(name, n) for name, cases in CASES.items() for n in range(len(cases))])
def test_agreement(name, number):
    inputs, results, attributes = CASES[name][number]
    op = make(name, inputs, results, **attributes)
    for seed in range(4):
        agree(op, operands(op, seed))


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_updates_and_guards_of_optimizers(name):
    """The optional last result is what the parameter gains; a guard that is false keeps everything."""
    inputs, results, attributes = CASES[name][0]
    op = make(name, [*inputs, ((), "i1")], [*results, results[0]], **attributes)
    arrays = [*operands(make(name, inputs, results, **attributes), 1), np.asarray(True)]
    *_, update = got = agree(op, arrays)
    np.testing.assert_allclose(got[0] - arrays[0], update, rtol=1e-9, atol=1e-12)
    assert np.abs(update).max() > 1e-3
    arrays[-1] = np.asarray(False)
    *kept, update = agree(op, arrays)
    for old, new in zip((arrays[0], *arrays[2:]), kept):
        np.testing.assert_array_equal(new, old)
    assert (update == 0).all() and np.signbit(update).all()


def test_extrema_skip_nan():
    x = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, np.nan]])
    for kind, expected in (("max", [3, -np.inf]), ("min", [1, np.inf])):
        [got] = agree(make("prec_train.reduce", [f(2, 3)], [f(2)], kind=kind, dims=[1]), [x])
        np.testing.assert_array_equal(got, expected)


def test_what_has_only_ignored_labels():
    logits, labels = np.random.default_rng(0).standard_normal((4, 8)), np.full(4, -100)
    loss, *statistics = agree(make("prec_train.cross_entropy", [f(4, 8), i(4)], [f(), f(4), f(4)], ignore_index=-100), [logits, labels])
    assert loss == 0
    backward = make("prec_train.cross_entropy_grad", [f(), f(4, 8), i(4), f(4), f(4)], [f(4, 8)], ignore_index=-100)
    [grad] = agree(backward, [np.asarray(1.0), logits, labels, *statistics])
    assert (grad == 0).all()


def literal_bits(count, seed, stream):
    """From the text of prec.stochastic_round, in arithmetic that wraps at 32 bits by itself."""
    def mix(x):
        x = np.uint32(x)
        x = (x ^ x >> np.uint32(16)) * np.uint32(0x21F0AAAD)
        x = (x ^ x >> np.uint32(15)) * np.uint32(0xD35A2D97)
        return x ^ x >> np.uint32(15)
    with np.errstate(over="ignore"):
        return mix(mix(np.arange(count, dtype=np.uint32) ^ mix(np.uint32(stream))) ^ mix(np.uint32(seed)))


@pytest.mark.parametrize("seed,stream", [(0, 0), (3, 5), (2**31 - 1, 2**24 + 9)])
def test_dropout_draws_the_bits_of_the_dialect(seed, stream):
    bits = literal_bits(3000, seed, stream)
    np.testing.assert_array_equal(random_bits((30, 100), seed, stream), bits.reshape(30, 100))
    op = make("prec_train.dropout", [f(3000), i()], [f(3000)], probability=0.3, stream=stream)
    [got] = agree(op, [np.ones(3000), np.asarray(seed)])
    probability = np.float64(np.float32(0.3))
    np.testing.assert_array_equal(got == 0, bits < np.floor(probability * 2**32))
    np.testing.assert_allclose(got[got != 0], 1 / (1 - probability), rtol=1e-15)
    [got] = agree(op, [np.ones(3000), np.asarray(-1)])
    assert (got == 1).all()


def differentiated(function, gradient, *inputs):
    """Results of a function, and the gradient of its first result for its inputs, from autograd."""
    leaves = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in inputs]
    results = function(*leaves)
    return [r.detach().numpy() for r in results], [g.numpy() for g in torch.autograd.grad(results[0], leaves, torch.tensor(gradient))]


def autograd_cases():
    F, rng = torch.nn.functional, np.random.default_rng(5)
    x, g, gamma, beta = (rng.standard_normal(s) for s in ((3, 8), (3, 8), 8, 8))
    def rms(x, gamma):
        return (F.rms_norm(x, (8,), gamma, 1e-3), (x.square().mean(-1) + 1e-3).rsqrt())
    yield "rms_norm", rms, g, (x, gamma), dict(eps=1e-3), lambda results, g, x, gamma: (g, x, gamma, results[1]), {}
    def layer(x, gamma, beta):
        return (F.layer_norm(x, (8,), gamma, beta, 1e-3), x.mean(-1), (x.var(-1, unbiased=False) + 1e-3).rsqrt())
    yield "layer_norm", layer, g, (x, gamma, beta), dict(eps=1e-3), lambda results, g, x, gamma, beta: (g, x, gamma, *results[1:]), {}
    yield "softmax", lambda x: (x.softmax(-1),), g, (x,), {}, lambda results, g, x: (g, results[0]), {}
    for groups, causal, window in ((4, True, None), (2, True, None), (1, False, None), (2, True, 2)):
        def attention(q, k, v, causal=causal, groups=groups, window=window):
            k, v = (t.repeat_interleave(4 // groups, 1) for t in (k, v))
            scores, seen = 0.3 * q @ k.mT, torch.ones(5, 5, dtype=torch.bool)
            if causal:
                seen = seen.tril().triu(1 - window if window else -5)
            return F.scaled_dot_product_attention(q, k, v, seen, scale=0.3), scores.masked_fill(~seen, -torch.inf).logsumexp(-1)
        q, dy = (rng.standard_normal((2, 4, 5, 3)) for _ in range(2))
        k, v = (rng.standard_normal((2, groups, 5, 3)) for _ in range(2))
        attributes = dict(scale=0.3, causal=causal) | ({"window": window} if window else {})
        yield "attention", attention, dy, (q, k, v), attributes, lambda results, g, *qkv: (g, *qkv, *results), attributes


@pytest.mark.parametrize("mask", [dict(causal=False), dict(causal=True), dict(causal=True, window=2)], ids=["all", "causal", "window"])
@pytest.mark.parametrize("bias", [(2, 1, 1, 5), (1, 4, 1, 5), (1, 1, 5, 5), (2, 4, 5, 5), (1, 1, 1, 5)])
def test_a_bias_of_attention_is_pytorchs(bias, mask):
    rng = np.random.default_rng(8)
    added = rng.standard_normal(bias)
    added[..., 3] = -(2.0**126)
    seen = torch.ones(5, 5, dtype=torch.bool)
    if mask["causal"]:
        seen = seen.tril().triu(1 - mask.get("window", 5))

    def attention(q, k, v):
        k, v = (t.repeat_interleave(2, 1) for t in (k, v))
        scores = (0.3 * q @ k.mT + torch.tensor(added)).masked_fill(~seen, -torch.inf)
        return scores.softmax(-1) @ v, scores.logsumexp(-1)
    q, dy = (rng.standard_normal((2, 4, 5, 3)) for _ in range(2))
    k, v = (rng.standard_normal((2, 2, 5, 3)) for _ in range(2))
    results, gradients = differentiated(attention, dy, q, k, v)

    def types(arrays):
        return [f(*a.shape) for a in arrays]
    for op, arrays, expected in (("attention", (q, k, v, added), results), ("attention_grad", (dy, q, k, v, *results, added), gradients)):
        for got, wanted in zip(agree(make(f"prec_train.{op}", types(arrays), types(expected), scale=0.3, **mask), arrays), expected, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("number", range(7))
def test_gradients_are_autograds(number):
    name, function, g, inputs, attributes, saved, again = list(autograd_cases())[number]
    results, gradients = differentiated(function, g, *inputs)
    def types(arrays):
        return [f(*a.shape) for a in arrays]
    forward = make(f"prec_train.{name}", types(inputs), types(results), **attributes)
    backward = make(f"prec_train.{name}_grad", types(saved(results, g, *inputs)), types(gradients), **again)
    for op, arrays, expected in ((forward, inputs, results), (backward, saved(results, g, *inputs), gradients)):
        for got, wanted in zip(agree(op, arrays), expected, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-12)


def test_the_cross_entropy_is_pytorchs():
    rng = np.random.default_rng(6)
    logits, labels = rng.standard_normal((6, 5)), np.array([0, 4, -100, 2, -100, 1])
    leaf = torch.tensor(logits, requires_grad=True)
    expected = torch.nn.functional.cross_entropy(leaf, torch.tensor(labels))
    expected.backward(torch.tensor(0.7, dtype=torch.float64))
    loss, *statistics = agree(make("prec_train.cross_entropy", [f(6, 5), i(6)], [f(), f(6), f(6)], ignore_index=-100), [logits, labels])
    backward = make("prec_train.cross_entropy_grad", [f(), f(6, 5), i(6), f(6), f(6)], [f(6, 5)], ignore_index=-100)
    [grad] = agree(backward, [np.asarray(0.7), logits, labels, *statistics])
    np.testing.assert_allclose(loss, expected.item(), rtol=1e-14)
    np.testing.assert_allclose(grad, leaf.grad.numpy(), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("backend", [NUMPY, TORCH], ids=["numpy", "torch"])
@pytest.mark.parametrize("bad", [-1, 9])
def test_ids_outside_of_a_table_are_refused(backend, bad):
    """PyTorch and NumPy count negative ones from the end."""
    ids = np.array([0, bad, 3])
    for name, inputs, results, arrays in (
            ("prec_train.gather", [f(9, 4), i(3)], [f(3, 4)], [np.zeros((9, 4)), ids]),
            ("prec_train.embedding_grad", [f(3, 4), i(3)], [f(9, 4)], [np.zeros((3, 4)), ids]),
            ("prec_train.scatter_add", [f(9, 4), i(3), f(3, 4)], [f(9, 4)], [np.zeros((9, 4)), ids, np.zeros((3, 4))]),
            ("prec_train.cross_entropy", [f(3, 9), i(3)], [f(), f(3), f(3)], [np.zeros((3, 9)), ids])):
        op = make(name, inputs, results, ignore_index=-100)
        with pytest.raises(ValueError, match=f"line 7: ids of {name} must be 0 to 8, but got {bad}"):
            backend.apply(op, *(backend.tensor(a, t) for a, t in zip(arrays, op.operand_types)))
