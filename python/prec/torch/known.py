# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors whose values are known during a trace, because nothing but constants made them: index ranges, masks, tables.

Fake tensors have no values. The calls that made such a tensor are remembered instead, and are made again on real ones
when a value is asked for: of a mask, whether it is the causal one.
"""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves, tree_map_only
from torch.utils.weak import WeakTensorKeyDictionary

# A mask of 8192 x 8192 is still looked at. What is larger, or came by more calls in a row, counts as unknown.
MOST_ELEMENTS = 1 << 26
_MOST_CALLS = 256

# Calls that ask for the value of a tensor.
_READS = {torch.Tensor.__bool__, torch.Tensor.__int__, torch.Tensor.__float__, torch.Tensor.__index__, torch.Tensor.item,
          torch.Tensor.tolist}

# Calls that read nothing of their tensor but shape and dtype.
_LIKE = {torch.zeros_like, torch.ones_like, torch.full_like, torch.Tensor.new_zeros, torch.Tensor.new_ones, torch.Tensor.new_full}


@contextlib.contextmanager
def really() -> Iterator[None]:
    """Calls in here are made on real tensors, outside of any trace."""
    with torch.no_grad(), _disable_current_modes(), torch._C.DisableTorchFunction():
        yield


class _Undetermined(Exception):
    pass


class _Determined(TorchDispatchMode):
    """Gives up where a call reads random bits, or memory that nobody wrote."""

    def __torch_dispatch__(self, function: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        if torch.Tag.nondeterministic_seeded in function.tags or "empty" in function._schema.name:
            raise _Undetermined
        return function(*args, **(kwargs or {}))


class _Recipe:
    """A call, with recipes in place of the tensors that it reads."""

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs
        # Whether the call overwrites its first argument and gives that back; which of several results this is.
        self.overwrites = False
        self.number: int | None = None
        self.calls: int = 1 + max((x.calls for x in tree_leaves((args, kwargs)) if isinstance(x, _Recipe)), default=0)

    def value(self, made: dict[_Recipe, torch.Tensor]) -> torch.Tensor:
        if self not in made:
            args, kwargs = tree_map_only(_Recipe, lambda recipe: recipe.value(made), (self.args, self.kwargs))
            if self.overwrites:
                # Others read what was there before.
                args = (args[0].clone(), *args[1:])
            result = self.function(*args, **kwargs)
            result = args[0] if self.overwrites else result
            made[self] = result if self.number is None else result[self.number]
        return made[self]


def _version(tensor: torch.Tensor) -> int | None:
    """How often it was overwritten; nobody counts for what inference mode makes."""
    return None if tensor.is_inference() else tensor._version


def _blank(shape: torch.Size, dtype: torch.dtype) -> torch.Tensor:
    return torch.zeros((), dtype=dtype).expand(shape)


class Known:
    """The tensors with known values among those that a TorchFunctionMode sees made."""

    def __init__(self) -> None:
        self._recipes = WeakTensorKeyDictionary()

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Makes the call, and remembers it where its result will be known."""
        if function in _READS and isinstance(args[0], FakeTensor) and (value := self.value(args[0])) is not None:
            return function(value, *args[1:], **kwargs)
        if function is torch.Tensor.tolist and type(args[0]) is torch.Tensor and args[0].dim():
            # One from outside: what operations have made of it in the trace is known element by element.
            return [x.tolist() for x in args[0].unbind()]
        recipe = self._read(function, args, kwargs)
        result = function(*args, **kwargs)
        if function == torch.Tensor.data.__get__:  # type: ignore[attr-defined]
            # A change through .data counts nowhere.
            self._recipes.pop(args[0], None)
        elif recipe is not None and function is torch.Tensor.__setitem__:
            self._remember(args[0], recipe, overwrites=True)
        elif recipe is not None and isinstance(result, torch.Tensor):
            self._remember(result, recipe, overwrites=bool(args) and result is args[0])
        elif recipe is not None and isinstance(result, (tuple, list)) and all(isinstance(t, torch.Tensor) for t in result):
            for number, tensor in enumerate(result):
                one = _Recipe(function, recipe.args, recipe.kwargs)
                one.number = number
                self._remember(tensor, one)
        return result

    def value(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """The real tensor; None where it is not known."""
        recipe = self._recipe(tensor)
        if recipe is None:
            return None
        try:
            with really(), _Determined():
                value = recipe.value({})
        except _Undetermined:
            return None
        return None if value.is_meta else value

    def _recipe(self, tensor: torch.Tensor) -> _Recipe | None:
        recipe, version = self._recipes.get(tensor, (None, None))
        # Views share the count of overwrites, so what one of them changes is known of none.
        return recipe if version == _version(tensor) else None

    def _read(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Recipe | None:
        """The recipe of a call; None where it reads a tensor that is not known."""
        if function in _LIKE and args:
            return _Recipe(function, (_Recipe(_blank, (args[0].shape, args[0].dtype), {}), *args[1:]), kwargs)
        if "out" in kwargs or any(isinstance(x, torch.Tensor) and self._recipe(x) is None for x in args):
            return None
        recipes = {}
        for leaf in tree_leaves((args, kwargs)):
            if isinstance(leaf, torch.Tensor) and id(leaf) not in recipes:
                recipe = self._recipe(leaf)
                if recipe is None or recipe.calls >= _MOST_CALLS:
                    return None
                recipes[id(leaf)] = recipe
        return _Recipe(function, *tree_map_only(torch.Tensor, lambda t: recipes[id(t)], (tuple(args), dict(kwargs))))

    def _remember(self, tensor: torch.Tensor, recipe: _Recipe, overwrites: bool = False) -> None:
        if tensor.numel() <= MOST_ELEMENTS and not tensor.is_inference():
            recipe.overwrites = overwrites
            self._recipes[tensor] = recipe, _version(tensor)
