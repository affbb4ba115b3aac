# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Complex numbers of a trace as pairs of real tensors: the real parts and the imaginary ones.

A trace may compute with complex tensors between real ones: rotary embeddings by products of complex numbers, Fourier
transforms. Forward and gradient are in the trace already, so each of its operations that reads or gives a complex
tensor is replaced by what it does to the pairs, a formula in PyTorch that is traced itself. What moves elements, or
adds them up, does the same to both parts. A complex buffer or constant is a real one with one more dimension of two.
Parameters, inputs and results of a step are real.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Graph, Node
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten

from ..errors import ImportFailure
from .constants import at
from .decompositions import decompositions
from .places import lines, places

Function = TypeVar("Function", bound=Callable[..., Any])


_INSTEAD = "write real and imaginary parts as tensors of their own, or compute it before the step and give the result as an input"


class Pair(NamedTuple):
    """Of tensors, and of the nodes that stand for them."""

    re: Any
    im: Any


FORMULAS: dict[str, Callable[..., Any]] = {}
aten = torch.ops.aten


def _on_pairs(*names: str) -> Callable[[Function], Function]:
    """Says of a function that it computes an operation: complex operands are Pairs, and a complex result is one."""
    def register(function: Function) -> Function:
        for name in names:
            assert name not in FORMULAS, name
            FORMULAS[name] = function
        return function
    return register


def _pair(x: Any) -> Pair:
    """Of an operand that may be real, or a number."""
    if isinstance(x, Pair):
        return x
    if isinstance(x, Tensor):
        return Pair(x, torch.zeros_like(x))
    return Pair(torch.tensor(complex(x).real), torch.tensor(complex(x).imag))


# Into pairs and out of them


@_on_pairs("aten.view_as_complex.default")
def _view_as_complex(x: Tensor) -> Pair:
    return Pair(x[..., 0], x[..., 1])


@_on_pairs("aten.view_as_real.default", "aten.view_as_real_copy.default")
def _view_as_real(z: Pair) -> Tensor:
    return torch.stack([z.re, z.im], -1)


@_on_pairs("aten.complex.default")
def _complex(re: Tensor, im: Tensor) -> Pair:
    return Pair(*torch.broadcast_tensors(re, im))


@_on_pairs("aten.polar.default")
def _polar(length: Tensor, angle: Tensor) -> Pair:
    return Pair(length * angle.cos(), length * angle.sin())


@_on_pairs("aten.real.default")
def _real(z: Pair) -> Tensor:
    return z.re


@_on_pairs("aten.imag.default")
def _imag(z: Pair) -> Tensor:
    return z.im


@_on_pairs("aten._to_copy.default", "prims.convert_element_type.default")
def _converted(z: Any, *args: Any, dtype: torch.dtype | None = None, **_: Any) -> Any:
    dtype = args[0] if args else dtype
    return z.re if isinstance(z, Pair) and dtype is not None and not dtype.is_complex else _pair(z)


@_on_pairs("aten.abs.default")
def _abs(z: Pair) -> Tensor:
    # In halves of the larger part's size, whose square may be infinite.
    most = torch.maximum(z.re.abs(), z.im.abs())
    scale = torch.where(most == 0, 1.0, most)
    return scale * ((z.re / scale).square() + (z.im / scale).square()).sqrt() * (most != 0)


@_on_pairs("aten.angle.default")
def _angle(z: Pair) -> Tensor:
    return torch.atan2(z.im, z.re)


@_on_pairs("aten.eq.Tensor", "aten.eq.Scalar")
def _eq(x: Any, y: Any) -> Tensor:
    x, y = _pair(x), _pair(y)
    return (x.re == y.re) & (x.im == y.im)


@_on_pairs("aten.ne.Tensor", "aten.ne.Scalar")
def _ne(x: Any, y: Any) -> Tensor:
    return ~_eq(x, y)


# Arithmetic


@_on_pairs("aten._conj.default", "aten.conj_physical.default", "aten._conj_physical.default")
def _conj(z: Any) -> Pair:
    z = _pair(z)
    return Pair(z.re, -z.im)


def _sum(x: Any, y: Any, sign: float) -> Pair:
    x, y = _pair(x), _pair(y)
    return Pair(x.re + y.re * sign, x.im + y.im * sign)


@_on_pairs("aten.add.Tensor", "aten.add.Scalar")
def _add(x: Any, y: Any, *, alpha: float = 1) -> Pair:
    return _sum(x, y, alpha)


@_on_pairs("aten.sub.Tensor", "aten.sub.Scalar")
def _sub(x: Any, y: Any, *, alpha: float = 1) -> Pair:
    return _sum(x, y, -alpha)


@_on_pairs("aten.rsub.Tensor", "aten.rsub.Scalar")
def _rsub(x: Any, y: Any, *, alpha: float = 1) -> Pair:
    return _sum(y, x, -alpha)


@_on_pairs("aten.mul.Tensor", "aten.mul.Scalar")
def _mul(x: Any, y: Any) -> Pair:
    if isinstance(x, Pair) != isinstance(y, Pair) and not isinstance(x if not isinstance(x, Pair) else y, complex):
        pair, factor = (x, y) if isinstance(x, Pair) else (y, x)
        return Pair(pair.re * factor, pair.im * factor)
    x, y = _pair(x), _pair(y)
    return Pair(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re)


def _inverse(z: Pair) -> Pair:
    square = z.re * z.re + z.im * z.im
    return Pair(z.re / square, -z.im / square)


@_on_pairs("aten.reciprocal.default")
def _reciprocal(z: Pair) -> Pair:
    return _inverse(z)


@_on_pairs("aten.div.Tensor", "aten.div.Scalar")
def _div(x: Any, y: Any) -> Pair:
    if not isinstance(y, (Pair, complex)):
        return Pair(x.re / y, x.im / y)
    return _mul(_pair(x), _inverse(_pair(y)))


@_on_pairs("aten.exp.default")
def _exp(z: Pair) -> Pair:
    return _polar(z.re.exp(), z.im)


@_on_pairs("aten.log.default")
def _log(z: Pair) -> Pair:
    return Pair(_abs(z).log(), _angle(z))


@_on_pairs("aten.sgn.default")
def _sgn(z: Pair) -> Pair:
    size = _abs(z)
    scale = torch.where(size == 0, 1.0, size)
    return Pair(z.re / scale, z.im / scale)


@_on_pairs("aten.sqrt.default")
def _sqrt(z: Pair) -> Pair:
    return _polar(_abs(z).sqrt(), _angle(z) * 0.5)


@_on_pairs("aten.pow.Tensor_Scalar")
def _pow(z: Pair, exponent: float) -> Pair:
    if isinstance(exponent, complex) or exponent != int(exponent) or not 0 < abs(exponent) <= 8:
        return _polar(_abs(z).pow(exponent), _angle(z) * exponent)
    result = z
    for _ in range(abs(int(exponent)) - 1):
        result = _mul(result, z)
    return result if exponent > 0 else _inverse(result)


@_on_pairs("aten.sin.default")
def _sin(z: Pair) -> Pair:
    return Pair(z.re.sin() * z.im.cosh(), z.re.cos() * z.im.sinh())


@_on_pairs("aten.cos.default")
def _cos(z: Pair) -> Pair:
    return Pair(z.re.cos() * z.im.cosh(), -(z.re.sin() * z.im.sinh()))


def _product(name: str) -> None:
    function = getattr(torch, name)

    @_on_pairs(f"aten.{name}.default")
    def product(x: Any, y: Any) -> Pair:
        if not isinstance(y, Pair):
            return Pair(function(x.re, y), function(x.im, y))
        if not isinstance(x, Pair):
            return Pair(function(x, y.re), function(x, y.im))
        return Pair(function(x.re, y.re) - function(x.im, y.im), function(x.re, y.im) + function(x.im, y.re))


for _name in ("mm", "bmm", "mv", "dot"):
    _product(_name)


@_on_pairs("aten.addmm.default", "aten.baddbmm.default")
def _addmm(x: Any, a: Any, b: Any, *, beta: float = 1, alpha: float = 1) -> Pair:
    product = FORMULAS["aten.mm.default" if (a.re if isinstance(a, Pair) else a).dim() == 2 else "aten.bmm.default"](a, b)
    return _sum(_mul(x, beta), _mul(product, alpha), 1)


@_on_pairs("aten.where.self")
def _where(condition: Tensor, x: Any, y: Any) -> Pair:
    x, y = _pair(x), _pair(y)
    return Pair(torch.where(condition, x.re, y.re), torch.where(condition, x.im, y.im))


@_on_pairs("aten.masked_fill.Scalar", "aten.masked_fill.Tensor")
def _masked_fill(x: Pair, mask: Tensor, value: Any) -> Pair:
    return _where(mask, value, x)


@_on_pairs("aten.prod.default")
def _prod(z: Pair) -> Pair:
    z = Pair(z.re.reshape(-1), z.im.reshape(-1))
    total = Pair(z.re[0], z.im[0])
    for i in range(1, z.re.shape[0]):
        total = _mul(total, Pair(z.re[i], z.im[i]))
    return total


def _filled(function: Callable[..., Tensor]) -> Callable[..., Pair]:
    def filled(*args: Any, dtype: torch.dtype | None = None, **options: Any) -> Pair:
        value = next((x for x in args if isinstance(x, complex)), None)
        real = torch.float64 if dtype == torch.complex128 else torch.float32
        def part(of: Callable[[complex], float]) -> Tensor:
            given = [x.re if isinstance(x, Pair) else of(x) if isinstance(x, complex) else x for x in args]
            return function(*given, dtype=real, **options)
        re = part(lambda z: z.real)
        return Pair(re, torch.zeros_like(re) if value is None else part(lambda z: z.imag))
    return filled


for _op in (aten.full.default, aten.zeros.default, aten.ones.default, aten.scalar_tensor.default, aten.zeros_like.default, aten.ones_like.default,
            aten.full_like.default, aten.new_zeros.default, aten.new_ones.default, aten.new_full.default, aten.empty_like.default,
            aten.empty.memory_format, aten.empty_strided.default, aten.new_empty.default, aten.new_empty_strided.default):
    _on_pairs(str(_op))(_filled(_op))


# What moves or adds up elements does the same to both parts.
_EACH_PART = (
    "view", "_unsafe_view", "reshape", "permute", "transpose.int", "t", "expand", "unsqueeze", "squeeze", "squeeze.dim", "squeeze.dims",
    "slice.Tensor", "select.int", "cat", "stack", "split.Tensor", "split_with_sizes", "unbind.int", "index.Tensor", "index_select",
    "gather", "index_put", "scatter.src", "scatter_add", "index_add", "select_backward", "slice_backward", "select_scatter",
    "slice_scatter", "flip", "roll", "constant_pad_nd", "repeat", "tril", "triu", "diagonal", "diagonal_scatter", "diagonal_backward",
    "as_strided", "as_strided_scatter", "unfold", "unfold_backward", "alias", "clone", "detach", "lift_fresh", "lift_fresh_copy", "neg",
    "sum", "sum.dim_IntList", "mean", "mean.dim", "cumsum", "copy", "zero", "embedding_dense_backward", "embedding", "movedim.intlist",
)


def _on_each(op: Any) -> Callable[..., Any]:
    def on_each(*args: Any, **kwargs: Any) -> Any:
        kwargs = {name: value for name, value in kwargs.items() if not (isinstance(value, torch.dtype) and value.is_complex)}
        parts = [op(*_part(args, number), **_part(kwargs, number)) for number in (0, 1)]
        return [Pair(*both) for both in zip(*parts, strict=True)] if isinstance(parts[0], (tuple, list)) else Pair(*parts)
    return on_each


def _part(values: Any, number: int) -> Any:
    # Real operands beside complex ones are indices.
    return tree_map(lambda x: x[number] if isinstance(x, Pair) else x, values, is_leaf=lambda x: isinstance(x, Pair))


def _overload(name: str) -> Any:
    packet, _, overload = name.partition(".")
    return getattr(getattr(aten, packet, None), overload or "default", None)


for _name in _EACH_PART:
    if (_op := _overload(_name)) is not None:
        _on_pairs(str(_op))(_on_each(_op))


# Fourier transforms: a matrix of roots of unity by the two parts, for a length that is a product of two in two steps
# (Cooley and Tukey), which takes n * (a + b) products for n = a * b.

# Longer ones are taken apart.
_WHOLE = 64


def _roots(rows: int, columns: int, n: int, sign: int) -> Pair:
    """exp(sign * 2 pi i j k / n)"""
    angles = [[2 * math.pi * (j * k % n) / n for k in range(columns)] for j in range(rows)]
    return Pair(torch.tensor([[math.cos(a) for a in row] for row in angles]), torch.tensor([[sign * math.sin(a) for a in row] for row in angles]))


def _transformed(z: Pair, sign: int) -> Pair:
    """Along the last dimension."""
    n = z.re.shape[-1]
    a = max(d for d in range(1, math.isqrt(n) + 1) if n % d == 0)
    if n <= _WHOLE or a == 1:
        roots = _roots(n, n, n, sign)
        # One product for both parts.
        both = torch.cat([z.re, z.im], -1)
        matrix = torch.cat([torch.cat([roots.re, roots.im], 1), torch.cat([-roots.im, roots.re], 1)], 0)
        found = both @ matrix.to(both.dtype)
        return Pair(found[..., :n], found[..., n:])
    b = n // a
    rows = Pair(*(x.unflatten(-1, (a, b)).mT for x in z))
    inner = Pair(*(x.mT for x in _transformed(rows, sign)))
    turned = _mul(inner, Pair(*(x.to(z.re.dtype) for x in _roots(a, b, n, sign))))
    outer = _transformed(turned, sign)
    return Pair(*(x.mT.flatten(-2) for x in outer))


def _over(z: Pair, dims: Sequence[int], sign: int, normalization: int) -> Pair:
    size = math.prod(z.re.shape[d] for d in dims)
    for d in dims:
        moved = _transformed(Pair(z.re.movedim(d, -1), z.im.movedim(d, -1)), sign)
        z = Pair(moved.re.movedim(-1, d), moved.im.movedim(-1, d))
    scale = {0: 1.0, 1: size ** -0.5, 2: 1 / size}[normalization]
    return z if scale == 1 else Pair(z.re * scale, z.im * scale)


@_on_pairs("aten._fft_c2c.default")
def _fft_c2c(z: Pair, dims: Sequence[int], normalization: int, forward: bool) -> Pair:
    return _over(_pair(z), dims, -1 if forward else 1, normalization)


@_on_pairs("aten._fft_r2c.default")
def _fft_r2c(x: Tensor, dims: Sequence[int], normalization: int, onesided: bool) -> Pair:
    found = _over(_pair(x), dims, -1, normalization)
    if not onesided:
        return found
    half = x.shape[dims[-1]] // 2 + 1
    return Pair(found.re.narrow(dims[-1], 0, half), found.im.narrow(dims[-1], 0, half))


@_on_pairs("aten._fft_c2r.default")
def _fft_c2r(z: Pair, dims: Sequence[int], normalization: int, last: int) -> Tensor:
    *others, dim = dims
    if others:
        z = _over(z, others, 1, 0)
    # What is left out is the conjugate of what is there; imaginary parts where there is no other are not read.
    kept = last // 2 + 1
    z = Pair(z.re.narrow(dim, 0, kept), z.im.narrow(dim, 0, kept))
    count = last - kept
    places = torch.tensor(list(range(count, 0, -1)), dtype=torch.int64)
    alone = torch.tensor([0.0 if 2 * k % last == 0 else 1.0 for k in range(kept)])
    im = z.im * alone.to(z.im.dtype).reshape([-1 if d == dim % z.im.dim() else 1 for d in range(z.im.dim())])
    whole = z if not count else Pair(torch.cat([z.re, z.re.index_select(dim, places)], dim), torch.cat([im, -im.index_select(dim, places)], dim))
    if not count:
        whole = Pair(z.re, im)
    found = _over(whole, [dim], 1, 0).re
    size = last * math.prod(z.re.shape[d] for d in others)
    return found * {0: 1.0, 1: size ** -0.5, 2: 1 / size}[normalization]


# The graph


def _is_complex(value: Any) -> bool:
    return any(isinstance(t, Tensor) and t.is_complex() for t in tree_leaves(value))


def with_pairs(graph: Graph, complex_buffers: Sequence[bool]) -> None:
    """Replaces complex operations in a graph. `complex_buffers`: of each placeholder whether it stands for a complex
    buffer; it becomes one of real numbers with a last dimension of two."""
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    if any(_is_complex(node.meta.get("val")) and not is_buffer for node, is_buffer in zip(placeholders, complex_buffers, strict=True)):
        # Of a parameter or an input, which is refused by its name.
        return
    if not any(_is_complex(node.meta.get("val")) or _is_complex_constant(graph, node) for node in graph.nodes):
        return
    _Rewriter(graph, complex_buffers).run()


def _is_complex_constant(graph: Graph, node: Node) -> bool:
    return node.op == "get_attr" and _is_complex(getattr(graph.owning_module, str(node.target), None))


def _plain(result: Any) -> Any:
    return [_plain(x) for x in result] if isinstance(result, list) else tuple(result) if isinstance(result, Pair) else result


def _of_nodes(result: Any, env: dict[Node, Node]) -> Any:
    """What _plain has made plain, of nodes."""
    if isinstance(result, Node):
        return env[result]
    parts = [_of_nodes(x, env) for x in result]
    return parts if isinstance(result, list) else Pair(*parts)


class _Rewriter:
    def __init__(self, graph: Graph, complex_buffers: Sequence[bool]) -> None:
        self.graph = graph
        self.buffers = iter(complex_buffers)
        # A Pair of nodes, or a list of them for what has several results.
        self.pairs: dict[Node, Any] = {}
        self.gone: list[Node] = []
        values = [t for node in graph.nodes for t in tree_leaves(node.meta.get("val"))]
        self.mode = next((t.fake_mode for t in values if hasattr(t, "fake_mode")), None) or FakeTensorMode(allow_non_fake_inputs=True)

    def run(self) -> None:
        for node in list(self.graph.nodes):
            if node.op == "placeholder":
                self._placeholder(node, next(self.buffers))
            elif node.op == "get_attr" and _is_complex_constant(self.graph, node):
                self._constant(node)
            elif node.op == "output":
                if any(n in self.pairs for n in node.all_input_nodes):
                    raise ImportFailure("what a step changes must be real but it gives a complex tensor (keep real and imaginary parts in a "
                                        "buffer, torch.view_as_real)")
            elif node.op == "call_function":
                if any(n in self.pairs for n in node.all_input_nodes) or _is_complex(node.meta.get("val")):
                    self._replace(node)
        for node in reversed(self.gone):
            self.graph.erase_node(node)

    def _placeholder(self, node: Node, is_buffer: bool) -> None:
        if not is_buffer:
            return
        value = node.meta["val"]
        with self.mode:
            node.meta["val"] = torch.empty((*value.shape, 2), dtype=torch.float32)
        with self.graph.inserting_after(node):
            im = self.graph.call_function(aten.select.int, (node, -1, 1))
            re = self.graph.call_function(aten.select.int, (node, -1, 0))
        with self.mode, torch.no_grad():
            for part in (re, im):
                part.meta["val"] = aten.select.int(node.meta["val"], -1, 0)
        self.pairs[node] = Pair(re, im)

    def _constant(self, node: Node) -> None:
        value = getattr(self.graph.owning_module, str(node.target)).detach().resolve_conj()
        self.pairs[node] = Pair(*(self._hold(node, part.clone(), name) for part, name in ((value.real, "re"), (value.imag, "im"))))
        self.gone.append(node)

    def _hold(self, before: Node, value: Tensor, name: str) -> Node:
        module, number = self.graph.owning_module, 0
        while hasattr(module, f"_part{number}_{name}"):
            number += 1
        setattr(module, f"_part{number}_{name}", value)
        with self.graph.inserting_before(before):
            node = self.graph.create_node("get_attr", f"_part{number}_{name}")
        node.meta = {**before.meta, "val": self.mode.from_tensor(value)}
        return node

    def _replace(self, node: Node) -> None:
        self.gone.append(node)
        if node.target is not None and getattr(node.target, "__name__", "") == "getitem":
            of, number = node.args
            self.pairs[node] = self.pairs[of][number]  # type: ignore[index]
            return
        formula = FORMULAS.get(str(node.target))
        if formula is None:
            nodes = list(self.graph.nodes)
            raise ImportFailure("every traced op must have a lowering but got 1 of complex numbers without:\n"
                                f"  {node.target} in {places(nodes, 'the model')[node][0]}{at(lines(nodes)[node])}: {_INSTEAD}")
        leaves, spec = tree_flatten((node.args, dict(node.kwargs)), is_leaf=lambda x: isinstance(x, Node))
        # Each pair is two inputs of the formula.
        inputs: list[Node] = []
        numbers: list[Any] = []
        for leaf in leaves:
            if isinstance(leaf, Node):
                parts = self.pairs.get(leaf, leaf)
                numbers.append(tuple(range(len(inputs), len(inputs) + (2 if leaf in self.pairs else 1))))
                inputs += [*parts] if leaf in self.pairs else [parts]
            else:
                numbers.append(None)

        def call(*flat: Tensor) -> Any:
            given = [leaf if number is None else Pair(*(flat[i] for i in number)) if len(number) == 2 else flat[number[0]]
                     for leaf, number in zip(leaves, numbers, strict=True)]
            args, kwargs = tree_unflatten(given, spec)
            kwargs.pop("layout", None), kwargs.pop("pin_memory", None)
            # A graph knows plain tuples.
            return _plain(formula(*args, **kwargs))
        # What a formula makes of no tensor is a fake one of the same mode, too: PyTorch mixes no two.
        with torch.no_grad(), self.mode:
            # Each an object of its own, by which a trace knows an input: two nodes that compute alike may have one.
            values = [n.meta["val"].detach() for n in inputs]
            traced = make_fx(call, decomposition_table=decompositions(), tracing_mode="real")(*values) if inputs else self._of_nothing(call)
        result = self._inline(node, traced, inputs)
        if _is_complex(node.meta.get("val")):
            self.pairs[node] = result
        else:
            node.replace_all_uses_with(result)

    @staticmethod
    def _of_nothing(call: Callable[..., Any]) -> torch.fx.GraphModule:
        return make_fx(lambda _: call(), decomposition_table=decompositions(), tracing_mode="real")(torch.empty(()))

    def _inline(self, at: Node, traced: torch.fx.GraphModule, inputs: list[Node]) -> Any:
        env: dict[Node, Node] = {}
        given = iter(inputs)
        for node in traced.graph.nodes:
            if node.op == "placeholder":
                env[node] = next(given, at)
            elif node.op == "get_attr":
                env[node] = self._hold(at, getattr(traced, node.target), "value")
            elif node.op == "call_function":
                with self.graph.inserting_before(at):
                    env[node] = self.graph.node_copy(node, env.__getitem__)
                env[node].meta = {**at.meta, "val": node.meta.get("val")}
            else:
                return _of_nodes(node.args[0], env)
        raise AssertionError("a graph ends with its output")
