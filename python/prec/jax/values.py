# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a variable of a jaxpr is while a step is lowered.

Beside a value of the graph it may be a `Known`, which follows from no argument; a `Leaf`, an array of the state that
nothing has read yet; a `Stack`, one array that is kept as the list of its rows; or `Keys`, an array of keys. Scans over
layers are unrolled, so a parameter that a scan reads row by row is a stack of as many parameters, its gradient a stack
of gradients, and what the optimizer computes elementwise of both is computed row by row. So each layer has tensors of
its own, though the state of the step has one array.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir import Value


class Known:
    """Follows from no argument. `array`: its numbers, where they are few; `emit` builds it in the graph."""

    __slots__ = ("array", "shape", "_emit", "_made")

    def __init__(self, array: Any, shape: tuple[int, ...], emit: Callable[[], Value]) -> None:
        self.array, self.shape, self._emit = array, tuple(map(int, shape)), emit
        self._made: Value | None = None

    def number(self) -> Any | None:
        """The one number that all elements are, or None."""
        if self.array is None or not math.prod(self.shape) or not isinstance(self.array, (np.ndarray, np.generic)):
            return None
        array = np.asarray(self.array)
        if not any(array.strides):
            return array[(0,) * array.ndim]
        flat = array.reshape(-1)
        same = bool((flat == flat[0]).all()) or flat.dtype.kind not in "bui" and bool(np.isnan(np.asarray(flat, np.float64)).all())
        # 0.0 is not -0.0.
        return flat[0] if same and flat[:1].tobytes() == flat[-1:].tobytes() else None

    def value(self) -> Value:
        if self._made is None:
            self._made = self._emit()
        return self._made


class Keys:
    """An array of keys of jax.random. `words`: any of the other kinds, with one dimension more (keys.py)."""

    __slots__ = ("words",)

    def __init__(self, words: Any) -> None:
        self.words = words

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.words.shape[:-1])


class Opaque:
    """A key of a generator that graphs do not have, which may come back as it was."""

    __slots__ = ("shape",)

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = tuple(map(int, shape))


class Stack:
    """The rows of an array along its first dimension, without that dimension."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.parts), *self.parts[0].shape)


class Leaf:
    """An array of the state: one argument, or one for each of its rows, as whatever reads it first takes it."""

    def __init__(self, path: str, shape: tuple[int, ...], dtype: str, array: Any, splits: bool) -> None:
        self.path, self.shape, self.dtype, self.array = path, tuple(map(int, shape)), dtype, array
        # Whether it may become several arguments.
        self.splits = splits and len(self.shape) > 0
        self.whole: Value | None = None
        self.parts: list[Value] | None = None
        self.input: Leaf | Stack = self

    def given(self, by_row: bool) -> Leaf | Stack:
        """What the step is given for it, which is the same object where it comes back as it was."""
        self.input = Stack(list(self.rows())) if by_row else self
        return self.input

    def value(self) -> Value:
        if self.whole is None:
            self.whole = Value(self.shape, self.dtype)
        return self.whole

    def rows(self) -> list[Value]:
        if self.parts is None:
            self.parts = [Value(self.shape[1:], self.dtype) for _ in range(self.shape[0])]
        return self.parts
