# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers that forward draws itself: noise of a VAE, a path that is dropped, an order of patches.

PyTorch's generator is no part of a step. What forward draws from it comes from streams of the step's own, as the bits
of dropout do: 24 bits for each element, which follow from the number of the call, the step and the place of the element
alone. Every distribution here is a formula of such bits: u = bits / 2^24 is uniform in [0, 1), and (bits | 1) / 2^24 in
the open interval, where a logarithm is taken. A trace has `prec::random_bits` in the place of the bits; a run of
PyTorch beside a step computes them (`drawn`). An evaluation has one seed, and draws the same in every one.

Operations are met where autograd is behind them, so that calls of C++ (dropout between the layers of an LSTM) are seen
as well as Python's.
"""
from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .._contract import DROPOUT_STREAMS
from ..builder import Builder
from ..errors import ImportFailure
from ..interpreter.random_bits import bits, mix
from ..ir import Kind, Value
from . import composites
from .constants import at, user_line
from .dropout import Streams, seed_value
from .here import place
from .registry import lower

_BITS = 24
_ONE = 1 << _BITS
# Behind those of dropout. A draw has two: a normal number is made of two uniform ones.
_FIRST, _OF_A_DRAW = 2 * DROPOUT_STREAMS, 2
# Whole numbers below this many come from 24 bits, each with its probability but for 2^-10 of it.
_MOST_WHOLE = 1 << 14

# draw(shape, stream): whole numbers from 0 to 2^24 - 1.
Bits = Callable[[Sequence[int], int], torch.Tensor]
_aten = torch.ops.aten


def traced(shape: Sequence[int], stream: int) -> torch.Tensor:
    return composites.random_bits(torch.zeros(()), list(shape), stream)


def drawn(seed: int) -> Bits:
    """What a step module with this seed draws, for a run beside it."""
    def draw(shape: Sequence[int], stream: int) -> torch.Tensor:
        index = torch.arange(math.prod(shape)).reshape(tuple(shape))
        return bits(index, seed, stream) >> (32 - _BITS)
    return draw


def warn_of(nodes: Iterable[torch.fx.Node], model_name: str) -> None:
    """Of a trace that draws."""
    first = next((node for node in nodes if node.target is torch.ops.prec.random_bits.default), None)
    if first is not None:
        where = first.meta.get("custom") or {}
        warnings.warn(f"forward draws random numbers in {where.get('path') or model_name}{at(where.get('line', ''))}: those of the step are other "
                      "ones than PyTorch's generator gives, and an evaluation draws, too", stacklevel=4)


class Draws(TorchDispatchMode):
    """In the place of what draws from PyTorch's generator."""

    # They pass through to whoever refuses them.
    supports_higher_order_operators = True

    def __init__(self, draw: Bits) -> None:
        super().__init__()
        self._draw, self.streams = draw, Streams("a random number", _FIRST, _OF_A_DRAW)
        # Within a draw: the stream of its next bits.
        self._stream = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __torch_dispatch__(self, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        kwargs = kwargs or {}
        formula = _FORMULAS.get(func)
        if formula is None:
            return func(*args, **kwargs)
        if kwargs.pop("generator", None) is not None:
            raise ImportFailure(f"forward must draw from PyTorch's default generator, in the place of which a step has streams of its own, but "
                                f"{place()} has another{at(user_line())}: leave generator= out, or give the numbers as an input")
        self._stream = -1
        result = formula(self, *args, **kwargs)
        return func(*args, **kwargs) if result is NotImplemented else result

    def bits(self, shape: Sequence[int]) -> torch.Tensor:
        self._stream = self.streams.next() if self._stream < 0 else self._stream + 1
        return self._draw(shape, self._stream)

    def uniform(self, shape: Sequence[int]) -> torch.Tensor:
        return self.bits(shape).float() * (1 / _ONE)

    def open(self, shape: Sequence[int]) -> torch.Tensor:
        """Without 0 and without 1: of 23 bits, which a float holds with the half of the next."""
        return (self.bits(shape) | 1).float() * (1 / _ONE)

    def normal(self, shape: Sequence[int]) -> torch.Tensor:
        """By the method of Box and Muller."""
        radius = (-2 * self.open(shape).log()).sqrt()
        return radius * (2 * math.pi * self.uniform(shape)).cos()

    def exponential(self, shape: Sequence[int]) -> torch.Tensor:
        return -self.open(shape).log()


_FORMULAS: dict[Any, Callable[..., Any]] = {}


def _draws(*overloads: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Of an operation: it is called with its arguments, and returns NotImplemented where it has no formula."""
    def register(formula: Callable[..., Any]) -> Callable[..., Any]:
        _FORMULAS.update(dict.fromkeys(overloads, formula))
        return formula
    return register


def known() -> list[str]:
    """Names of the operations that have a formula."""
    return sorted(map(str, _FORMULAS))


def _made(x: torch.Tensor, dtype: torch.dtype | None) -> Any:
    """The numbers as a new tensor of the type that was asked for."""
    dtype = torch.get_default_dtype() if dtype is None else dtype
    return NotImplemented if dtype.is_complex else x.to(dtype)


def _is_real(x: torch.Tensor) -> bool:
    return x.is_floating_point()


# Tensors of a shape, and of another tensor's.
for _name, _numbers in (("rand", Draws.uniform), ("randn", Draws.normal)):
    def _shaped(draws: Draws, size: Sequence[int], *, dtype: torch.dtype | None = None, numbers: Any = _numbers, **_: Any) -> Any:
        return _made(numbers(draws, size), dtype)

    def _like(draws: Draws, x: torch.Tensor, *, dtype: torch.dtype | None = None, numbers: Any = _numbers, **_: Any) -> Any:
        return _made(numbers(draws, x.shape), x.dtype if dtype is None else dtype)

    _draws(getattr(_aten, _name).default, getattr(_aten, _name).generator)(_shaped)
    _draws(getattr(_aten, f"{_name}_like").default)(_like)


def _whole(draws: Draws, low: int, high: int, shape: Sequence[int], dtype: torch.dtype | None) -> Any:
    count = high - low
    if not 0 < count <= _MOST_WHOLE:
        return NotImplemented
    # In whole numbers: a product of floats might be rounded up to `high`.
    return ((draws.bits(shape).long() * count >> _BITS) + low).to(torch.int64 if dtype is None else dtype)


@_draws(_aten.randint.default, _aten.randint.generator)
def _randint(draws: Draws, high: int, size: Sequence[int], *, dtype: torch.dtype | None = None, **_: Any) -> Any:
    return _whole(draws, 0, high, size, dtype)


@_draws(_aten.randint.low, _aten.randint.low_generator)
def _randint_low(draws: Draws, low: int, high: int, size: Sequence[int], *, dtype: torch.dtype | None = None, **_: Any) -> Any:
    return _whole(draws, low, high, size, dtype)


@_draws(_aten.randint_like.default)
def _randint_like(draws: Draws, x: torch.Tensor, high: int, *, dtype: torch.dtype | None = None, **_: Any) -> Any:
    return _whole(draws, 0, high, x.shape, x.dtype if dtype is None else dtype)


@_draws(_aten.randint_like.low_dtype)
def _randint_like_low(draws: Draws, x: torch.Tensor, low: int, high: int, *, dtype: torch.dtype | None = None, **_: Any) -> Any:
    return _whole(draws, low, high, x.shape, x.dtype if dtype is None else dtype)


@_draws(_aten.randperm.default, _aten.randperm.generator)
def _randperm(draws: Draws, n: int, *, dtype: torch.dtype | None = None, **_: Any) -> Any:
    return draws.uniform([n]).argsort().to(torch.int64 if dtype is None else dtype)


# In the place of what a tensor holds.


@_draws(getattr(_aten.random_, "from"))
def _random_from(draws: Draws, x: torch.Tensor, low: int, high: int | None) -> Any:
    made = NotImplemented if high is None else _whole(draws, low, high, x.shape, torch.int64)
    return made if made is NotImplemented else x.copy_(made)


@_draws(_aten.random_.to)
def _random_to(draws: Draws, x: torch.Tensor, high: int) -> Any:
    return _random_from(draws, x, 0, high)


@_draws(_aten.uniform_.default)
def _uniform(draws: Draws, x: torch.Tensor, low: float = 0.0, high: float = 1.0) -> Any:
    return x.copy_(draws.uniform(x.shape) * (high - low) + low) if _is_real(x) else NotImplemented


@_draws(_aten.normal_.default)
def _normal(draws: Draws, x: torch.Tensor, mean: float = 0.0, std: float = 1.0) -> Any:
    return x.copy_(draws.normal(x.shape) * std + mean) if _is_real(x) else NotImplemented


@_draws(_aten.log_normal_.default)
def _log_normal(draws: Draws, x: torch.Tensor, mean: float = 1.0, std: float = 2.0) -> Any:
    return x.copy_((draws.normal(x.shape) * std + mean).exp())


@_draws(_aten.exponential_.default)
def _exponential(draws: Draws, x: torch.Tensor, rate: float = 1.0) -> Any:
    return x.copy_(draws.exponential(x.shape) * (1 / rate))


@_draws(_aten.cauchy_.default)
def _cauchy(draws: Draws, x: torch.Tensor, median: float = 0.0, sigma: float = 1.0) -> Any:
    return x.copy_((math.pi * (draws.open(x.shape) - 0.5)).tan() * sigma + median)


@_draws(_aten.geometric_.default)
def _geometric(draws: Draws, x: torch.Tensor, p: float) -> Any:
    return x.copy_((draws.open(x.shape).log() * (1 / math.log1p(-p))).ceil()) if 0 < p < 1 else NotImplemented


# Numbers with means and probabilities of tensors.


@_draws(_aten.normal.Tensor_Tensor, _aten.normal.Tensor_float, _aten.normal.float_Tensor)
def _normal_of(draws: Draws, mean: torch.Tensor | float, std: torch.Tensor | float = 1.0) -> Any:
    shape = torch.broadcast_shapes(*(x.shape for x in (mean, std) if isinstance(x, torch.Tensor)))
    return draws.normal(shape) * std + mean


@_draws(_aten.normal.float_float)
def _normal_shaped(draws: Draws, mean: float, std: float, size: Sequence[int], *, dtype: torch.dtype | None = None, **_: Any) -> Any:
    return _made(draws.normal(size) * std + mean, dtype)


def _is_drawn(draws: Draws, shape: Sequence[int], p: torch.Tensor | float) -> torch.Tensor:
    return draws.uniform(shape) < p


@_draws(_aten.bernoulli.default)
def _bernoulli(draws: Draws, p: torch.Tensor) -> Any:
    return _is_drawn(draws, p.shape, p).to(p.dtype)


@_draws(_aten.bernoulli.p)
def _bernoulli_p(draws: Draws, x: torch.Tensor, p: float) -> Any:
    return _is_drawn(draws, x.shape, p).to(x.dtype) if 0 <= p <= 1 else NotImplemented


@_draws(_aten.bernoulli_.float)
def _bernoulli_float(draws: Draws, x: torch.Tensor, p: float = 0.5) -> Any:
    return x.copy_(_is_drawn(draws, x.shape, p)) if 0 <= p <= 1 else NotImplemented


@_draws(_aten.bernoulli_.Tensor)
def _bernoulli_tensor(draws: Draws, x: torch.Tensor, p: torch.Tensor) -> Any:
    return x.copy_(_is_drawn(draws, x.shape, p))


@_draws(_aten.multinomial.default)
def _multinomial(draws: Draws, weights: torch.Tensor, count: int, replacement: bool = False) -> Any:
    """Without replacement: places come in the order of exponential times, each divided by its weight. Otherwise where
    uniform numbers lie among the sums of weights."""
    if not replacement or count == 1:
        return (weights / draws.exponential(weights.shape).to(weights.dtype)).topk(count).indices
    sums = weights.cumsum(-1)
    u = draws.uniform((*weights.shape[:-1], count)) * sums[..., -1:]
    return (u[..., None] >= sums[..., None, :]).sum(-1).clamp(max=weights.shape[-1] - 1)


@_draws(_aten.native_dropout.default)
def _native_dropout(draws: Draws, x: torch.Tensor, p: float, train: bool | None) -> Any:
    if not train or not 0 <= p < 1:
        return NotImplemented
    kept = draws.uniform(x.shape) >= p
    return x * kept * (1 / (1 - p)), kept


@_draws(_aten.rrelu_with_noise.default)
def _rrelu(draws: Draws, x: torch.Tensor, noise: torch.Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False) -> Any:
    if not training:
        return torch.where(x <= 0, x * ((lower + upper) / 2), x)
    noise.copy_(torch.where(x <= 0, draws.uniform(x.shape) * (upper - lower) + lower, torch.ones(())))
    return x * noise


# The bits in a graph, as DecomposeRandom.cpp has those of dropout.


def _constant(b: Builder, value: int, shape: Sequence[int]) -> Value:
    """Of 32 bits, whatever their sign."""
    return b.constant(value - (1 << 32) if value >= 1 << 31 else value, shape, "i32")


class _Mixing:
    """Operators of Python's as operations on whole numbers of 32 bits, for the one formula that all backends have."""

    def __init__(self, b: Builder, value: Value) -> None:
        self.b, self.value = b, value

    def _with(self, name: str, other: _Mixing | int) -> _Mixing:
        y = other.value if isinstance(other, _Mixing) else _constant(self.b, other, self.value.shape)
        return _Mixing(self.b, self.b.like(name, self.value, y))

    def __xor__(self, other: _Mixing | int) -> _Mixing:
        return self._with("arith.xori", other)

    def __rshift__(self, count: int) -> _Mixing:
        return self._with(Kind.SHRUI, count)

    def __mul__(self, factor: int) -> _Mixing:
        return self._with("arith.muli", factor)

    def __and__(self, ones: int) -> _Mixing:
        # There are no bits beyond.
        return self


@lower("prec.random_bits.default")
def _random_bits(b: Builder, node: torch.fx.Node, _: Value, shape: Sequence[int], stream: int) -> Value:
    flat = (math.prod(shape),)
    seed = mix(_Mixing(b, seed_value(b))).value
    index = _Mixing(b, b.iota(flat[0]))
    mixed = mix(mix(index ^ mix(stream)) ^ _Mixing(b, b.broadcast(seed, flat)))
    return b.reshape((mixed >> (32 - _BITS)).value, shape)
