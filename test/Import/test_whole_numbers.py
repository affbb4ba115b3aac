# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole numbers of every dtype against PyTorch, bit for bit: edge values, as buffers (whose ranges are known) and from
a batch."""
import operator
from types import SimpleNamespace

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from prec import cleanup
from prec.builder import Builder
from prec.errors import ImportFailure
from prec.interpreter import Program, Torch
from prec.ir import Graph, Result
from prec.text import Printer
from prec.torch.lowering import lower
from prec.torch.registry import HELD, erase

DTYPES = [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64]


def edges(dtype):
    info = torch.iinfo(dtype)
    near = [v for v in (-100, -7, -2, -1, 0, 1, 2, 3, 5, 7, 31, 100) if info.min <= v]
    wide = [v for v in (2**24 + 1, 2**31 - 1, -2**31, 2**31, 2**32 + 5, 2**53 + 1, -2**40) if info.min <= v <= info.max]
    return torch.tensor(sorted({info.min, info.min + 1, info.max // 3, info.max - 1, info.max, *near, *wide}), dtype=dtype)


def pairs(dtype):
    a = edges(dtype)
    return a[:, None].expand(-1, len(a)).flatten(), a.repeat(len(a))


def build(functions, inputs, role):
    """One graph of functions of tensors, whose results are theirs."""
    traced = make_fx(lambda *x: tuple(f(*x) for f in functions), tracing_mode="fake")(*inputs)
    graph = Graph("torch", "whole numbers")
    for i, x in enumerate(inputs):
        held = x if erase(x.dtype) != "i32" else x.to(torch.int32)
        attrs = {"initial": held.numpy()} if role == "buffer" else {}
        graph.argument(role, f"x{i}", x.shape, erase(x.dtype), **attrs)
    values = lower(Builder(graph), SimpleNamespace(graph=traced.graph, parameters={}), [a.value for a in graph.arguments], graph.model)
    output = next(node for node in traced.graph.nodes if node.op == "output").args[0]
    graph.results += [Result(values[node], "metric", f"y{i}") for i, node in enumerate(output)]
    cleanup.clean(graph)
    Printer(graph).module()
    return graph


def evaluate(graph, **inputs):
    return list(Program.of_graph(graph).run(inputs, backend=Torch(torch.float32)))


def check(functions, inputs):
    """Named functions of tensors, all in one graph: their dtypes are PyTorch's, and so is every bit."""
    functions = functions if isinstance(functions, dict) else {"it": functions}
    right = {name: f(*inputs) for name, f in functions.items()}
    for role in ["buffer"] + ["batch"] * all(x.dtype not in HELD for x in inputs):
        graph = build(functions.values(), inputs, role)
        got = dict(zip(right, evaluate(graph, **{f"x{i}": x for i, x in enumerate(inputs)})))
        for name, expected in right.items():
            whole = not expected.is_floating_point()
            assert got[name].is_floating_point() != whole, name
            wide = torch.int64 if whole else torch.float32
            same = torch.equal(got[name].to(wide).nan_to_num(nan=0.125), expected.to(wide).nan_to_num(nan=0.125))
            assert same, (name, role, got[name], expected)


UNARY = {
    "neg": operator.neg, "abs": abs, "sign": torch.sign, "not": operator.invert, "logical_not": torch.logical_not,
    "square": lambda x: x**2, "fifth": lambda x: x**5, "zeroth": lambda x: x**0, "root": lambda x: x.abs()**0.5,
    "inverse": lambda x: x**-1.0,
    "double": lambda x: x + x, "times3": lambda x: x * 3, "minus": lambda x: x - 5, "rsub": lambda x: 5 - x,
    "alpha": lambda x: torch.add(x, x, alpha=3), "reciprocal": torch.reciprocal,
    "floor7": lambda x: x // 7, "mod7": lambda x: x % 7, "mod8": lambda x: x % 8, "div7": lambda x: x / 7,
    "fmod7": lambda x: torch.fmod(x, 7),
    "trunc7": lambda x: torch.div(x, 7, rounding_mode="trunc"), "floor1": lambda x: x // 1, "mod1": lambda x: x % 1,
    "7floor": lambda x: 7 // x.clamp(min=1), "7mod": lambda x: torch.remainder(7, x.clamp(min=1)),
    "clamp": lambda x: x.clamp(3, 100), "clamp-tensor": lambda x: torch.clamp(x, x - 1, x + 1), "min": lambda x: x.min(),
    "max": lambda x: x.max(),
    "amax": lambda x: x.amax(0, keepdim=True), "amin": lambda x: x.amin(0), "sum": torch.sum, "any": torch.any, "all": torch.all,
    "mean": lambda x: x.clamp(max=100).clamp(min=0).mean(dtype=torch.float32), "and": lambda x: x & 6, "or": lambda x: x | 6,
    "xor": lambda x: x ^ 6,
    "lshift": lambda x: x << 3, "rshift": lambda x: x >> 3, "lshift-far": lambda x: x << 64, "rshift-far": lambda x: x >> 64,
    "eq": lambda x: x == 7, "ne": lambda x: x != 7, "lt": lambda x: x < 7, "ge": lambda x: x >= 7, "lt-float": lambda x: x < 2.5,
    "where": lambda x: torch.where(x > 2, x, 3), "where-float": lambda x: torch.where(x > 2, x, 0.5),
    "masked_fill": lambda x: x.masked_fill(x > 2, 9), "bool": lambda x: x.bool(), "float": lambda x: x.float(),
    "twice": lambda x: (x * 2).float() / 3, "count": lambda x: (x > 2).sum(), "relu": torch.relu, "floor": torch.floor,
    "trunc": torch.trunc,
    "there-and-back": lambda x: (x.clamp(max=100).float() * 1.5).to(x.dtype), "cat": lambda x: torch.cat([x, x * 2]),
    # What compilers are reported to get wrong: sums that widen before they wrap, and an absolute value that does.
    "widened": lambda x: (x + x).to(torch.int64), "negative-below": lambda x: -x < 4, "distributed": lambda x: (x + 3) * 6 - x * 6,
    "sum-of-negatives": lambda x: torch.cat([-x.abs(), -x.abs()]).sum(), "far": lambda x: torch.arange(9) * 1_500_000_000 + x.sum() * 0,
    "stack": lambda x: torch.stack([x, -x]),
}


@pytest.mark.parametrize("dtype", DTYPES)
def test_unary(dtype):
    check(UNARY, [edges(dtype)])


BINARY = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "maximum": torch.maximum, "minimum": torch.minimum, "and": operator.and_,
    "or": operator.or_, "xor": operator.xor, "lshift": torch.bitwise_left_shift, "rshift": torch.bitwise_right_shift, "eq": operator.eq,
    "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "logical_and": torch.logical_and,
    "logical_or": torch.logical_or, "logical_xor": torch.logical_xor, "where": lambda x, y: torch.where(x > y, x, y),
    "div": lambda x, y: x / torch.where(y == 0, 1, y),
}


@pytest.mark.parametrize("dtype", DTYPES)
def test_binary(dtype):
    check(BINARY, pairs(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sign", [-1, 1])
def test_division(dtype, sign):
    """Divisors on one side of zero; the least number by -1 has no quotient."""
    if sign < 0 and dtype == torch.uint8:
        pytest.skip("no negative numbers")
    functions = {"floor": operator.floordiv, "trunc": lambda x, y: torch.div(x, y, rounding_mode="trunc"), "remainder": operator.mod,
                 "fmod": torch.fmod}
    x, y = pairs(dtype)
    kept = (y * sign > 0) & ~((x == torch.iinfo(dtype).min) & (y == -1) & (torch.iinfo(dtype).min < 0))
    limit = (lambda y: y.clamp(min=1)) if sign > 0 else (lambda y: y.clamp(max=-1))
    check({name: lambda x, y, f=f: f(x, limit(y)) for name, f in functions.items()}, [x[kept], y[kept]])


@pytest.mark.parametrize("dtype", DTYPES)
def test_least_by_minus_one(dtype):
    """No trap: the quotient wraps around, the rest is zero."""
    if dtype == torch.uint8:
        pytest.skip("no negative numbers")
    x = torch.full((3,), torch.iinfo(dtype).min, dtype=dtype)
    graph = build([lambda x, y: x // y.clamp(max=-1), lambda x, y: x % y.clamp(max=-1)], [x, torch.full_like(x, -1)], "buffer")
    quotient, rest = evaluate(graph)
    assert quotient.tolist() == x.tolist() and rest.tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_power(dtype):
    exponent = [v for v in (-3, -2, -1, 0, 1, 2, 5, 31, 63, 64, 100) if v >= torch.iinfo(dtype).min]
    base, exponent = edges(dtype), torch.tensor(exponent, dtype=dtype)
    x, y = base[:, None].expand(-1, len(exponent)).flatten(), exponent.repeat(len(base))
    check(operator.pow, [x, y])
    check({"2": lambda i: 2 ** i, "3": lambda i: 3 ** i.clamp(min=0)}, [exponent])


@pytest.mark.parametrize("source", [torch.bool, *DTYPES])
def test_cast(source):
    x = torch.tensor([False, True]) if source == torch.bool else edges(source)
    check({str(target): lambda x, target=target: x.to(target) for target in (torch.bool, torch.float32, *DTYPES)}, [x])


def test_cast_of_floats_beyond():
    """Undefined in PyTorch, which takes the processor's: of x86 the least number."""
    x = torch.tensor([3e9, -3e9, 1e20, -1e20, float("inf"), float("-inf"), float("nan"), 2147483520.0, -2147483648.0])
    narrow, wide = evaluate(build([lambda x: (x * 1.0).to(torch.int32), lambda x: (x * 1.0).to(torch.int64)], [x], "batch"), x0=x)
    assert narrow.tolist() == [-2**31] * 7 + [2147483520, -2**31]
    assert wide.tolist() == [3000000000, -3000000000] + [-2**63] * 5 + [2147483520, -2**31]


def test_cast_of_floats():
    """Towards zero."""
    x = torch.tensor([-3.99, -1.0, -0.5, 0.0, 0.5, 1.5, 2.5, 99.9])
    for target in DTYPES:
        kept = x[x.double() > torch.iinfo(target).min - 1.0]
        got, = evaluate(build([lambda x, target=target: (x * 1.0).to(target)], [kept], "batch"), x0=kept)
        assert got.tolist() == kept.to(target).tolist()


@pytest.mark.parametrize("one", [torch.bool, *DTYPES])
def test_promotion(one):
    for other in [torch.bool, *DTYPES]:
        x, y = ((torch.tensor([False, True, True]) if d == torch.bool else edges(d)[-3:]) for d in (one, other))
        check({"add": operator.add, "mul": operator.mul, "gt": operator.gt, "where": lambda x, y: torch.where(x > 0, x, y)}, [x, y])


def test_booleans():
    x, y = torch.tensor([False, False, True, True]), torch.tensor([False, True, False, True])
    functions = (operator.add, operator.mul, operator.and_, operator.or_, operator.xor, torch.maximum, torch.minimum, operator.eq,
                 operator.lt, operator.ge)
    check({f.__name__: f for f in functions} | {"sum": lambda x, y: x.sum(), "not": lambda x, y: ~x, "sign": lambda x, y: x.sign()}, [x, y])


REFUSED = {
    "zero": (lambda x: x // torch.zeros(4, dtype=torch.int64), "a whole divisor of zero"),
    "negative power": (lambda x: x ** -1, "power of -1|negative integer powers"),
    "scalar beyond": (lambda x: x.to(torch.uint8) == 300, "the number 300 beside a tensor of torch.uint8"),
    "full": (lambda x: x + torch.full((4,), 300, dtype=torch.uint8), "the number 300 beside a tensor of torch.uint8"),
    "fraction": (lambda x: x.masked_fill(x > 1, 0.5), "a whole number must be one of .* but got 0.5|cannot be converted"),
    "scalar of 64 bits": (lambda x: x.to(torch.int32) + 2**40, "a whole number must be one of -2147483648 to 2147483647"),
    "uint16": (lambda x: x.to(torch.uint16), "but got a tensor of torch.uint16"),
    "uint64": (lambda x: x.to(torch.uint64), "but got a tensor of torch.uint64"),
    "beyond float32": (lambda x: x.double() + 1e300, "a constant must fit float32 but got 1e"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusal(name):
    function, message = REFUSED[name]
    with pytest.raises((ImportFailure, RuntimeError), match=message):
        build([function], [torch.arange(4)], "batch")
