# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The batch of a step: tensors by name, and how forward takes them.

A batch is what a collator returns: a mapping of keyword arguments, or the positional ones, each a tensor or a dict,
  list
or tuple of what is allowed here. A tensor that lies deeper is named by the way to it (`images.0.pixels`). What is no
tensor and only says how to run (True, None, a word) is part of the step; a number would be another one in the next
step, and must come as a tensor.
"""
from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..errors import ImportFailure

# Of transformers' flattening collator: they size kernels of flash attention, and change no number.
_SIZES_OF_KERNELS = {"max_length_q", "max_length_k"}


@dataclass(frozen=True)
class _Place:
    """Stands for a tensor among the arguments of forward."""

    name: str


@dataclass(frozen=True)
class Batch:
    """`tensors` in the order of the call; `arguments` are forward's, with places in the place of tensors: a dict of
    keyword arguments or a tuple of positional ones."""

    tensors: dict[str, torch.Tensor]
    arguments: dict[str, Any] | tuple[Any, ...]

    @staticmethod
    def of(model: torch.nn.Module, given: Mapping[str, Any] | Sequence[Any]) -> Batch:
        tensors: dict[str, torch.Tensor] = {}
        if isinstance(given, Mapping):
            arguments: Any = {name: _read(name, value, tensors) for name, value in _taken(model, given).items()}
        else:
            named = dict(zip(_positional_names(model, tuple(given)), given))
            arguments = tuple(_read(name, value, tensors) for name, value in named.items())
        return Batch(tensors, arguments)

    def call(self, model: torch.nn.Module, tensors: dict[str, torch.Tensor]) -> Any:
        """forward of these tensors, which go by the batch's names."""
        arguments = _filled(self.arguments, tensors)
        return model(**arguments) if isinstance(arguments, dict) else model(*arguments)

    def sizes(self) -> list[str]:
        """Names of what may say how large images are, or how many patches they have: two or three whole numbers of
        each."""
        return [name for name, t in self.tensors.items() if t.dtype in (torch.int32, torch.int64) and t.dim() == 2
                and t.shape[1] in (2, 3) and type(t) is torch.Tensor and not t.is_meta]

    def with_fixed(self, names: Sequence[str]) -> Batch:
        """The batch with the values of these in the arguments: they are no input of the step."""
        fixed = {name: t.detach().cpu().clone() if name in names else _Place(name) for name, t in self.tensors.items()}
        return Batch({name: t for name, t in self.tensors.items() if name not in names}, _filled(self.arguments, fixed))

    def of_tensors(self, tensors: dict[str, torch.Tensor]) -> Batch:
        return Batch(tensors, self.arguments)


def _read(name: str, value: Any, tensors: dict[str, torch.Tensor]) -> Any:
    """The value with places for its tensors, which are added to `tensors`."""
    if isinstance(value, torch.Tensor):
        if not value.numel():
            raise ImportFailure(f"every batch entry must have at least one element but got shape {list(value.shape)} for {name}: leave it out")
        if value.requires_grad:
            raise ImportFailure(f"a batch must require no gradients, which a step gives nobody, but {name} does: pass {name}.detach(), or what "
                                "is to be trained as a parameter")
        if name in tensors:
            raise ImportFailure(f"every tensor of a batch must have a name of its own but two have {name}: give them other keys")
        tensors[name] = value
        return _Place(name)
    if isinstance(value, Mapping):
        return {key: _read(f"{name}.{key}", held, tensors) for key, held in value.items()}
    if isinstance(value, (list, tuple)):
        held = [_read(f"{name}.{i}", x, tensors) for i, x in enumerate(value)]
        return type(value)(*held) if hasattr(value, "_fields") else type(value)(held)
    if value is None or isinstance(value, (bool, str)):
        return value
    raise ImportFailure(f"every batch entry must be a tensor, a dict, list or tuple of some, or True, False, None or a word, but got "
                        f"{type(value).__name__} for {name} (make a tensor of what changes from step to step)")


def _filled(value: Any, tensors: Mapping[str, Any]) -> Any:
    if isinstance(value, _Place):
        return tensors[value.name]
    if isinstance(value, dict):
        return {key: _filled(held, tensors) for key, held in value.items()}
    if isinstance(value, (list, tuple)):
        held = [_filled(x, tensors) for x in value]
        return type(value)(*held) if hasattr(value, "_fields") else type(value)(held)
    return value


def _taken(model: torch.nn.Module, given: Mapping[str, Any]) -> dict[str, Any]:
    """The entries that forward has parameters for. Collators hand on columns that no model reads."""
    parameters = inspect.signature(model.forward).parameters
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    unread = [name for name, value in given.items() if name not in parameters
              and (not takes_all or name in _SIZES_OF_KERNELS and isinstance(value, int))]
    if unread:
        warnings.warn(f"forward has no parameter for these entries of the batch, which are left out: {', '.join(map(str, unread))}", stacklevel=4)
    return {name: value for name, value in given.items() if name not in unread}


def _positional_names(model: torch.nn.Module, given: tuple[Any, ...]) -> list[str]:
    names: list[str] = []
    kinds = inspect.Parameter
    for parameter in inspect.signature(model.forward).parameters.values():
        if parameter.kind is kinds.VAR_POSITIONAL:
            # *args: as many as there are.
            names += [f"{parameter.name}.{i}" for i in range(len(given) - len(names))]
        elif parameter.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
    if len(given) > len(names):
        raise ImportFailure(f"a batch must have at most the {len(names)} inputs of forward but got {len(given)}: give a dict of names")
    return names
