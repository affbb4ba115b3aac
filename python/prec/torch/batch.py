# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The batch of a step: tensors by name, and how forward takes them.

A batch is what a collator returns: a mapping of keyword arguments, or the positional ones, each a tensor or a dict,
list, tuple or dataclass of what is allowed here. A tensor that lies deeper is named by the way to it
(`images.0.pixels`). What is no tensor and only says how to run (True, None, a word) is part of the step; a number would
be another one in the next step, and must come as a tensor.

What forward does not take may be the loss's, as the labels of `criterion(model(images), labels)`: of a sequence what is
beyond forward's inputs, of a mapping what has the name of a parameter of the loss.
"""
from __future__ import annotations

import copy
import dataclasses
import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
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
    """`tensors` in the order of the calls; `arguments` are forward's, with places in the place of tensors: a dict of
    keyword arguments or a tuple of positional ones. `rest`: what the loss gets beside the output, by its names for
    it."""

    tensors: dict[str, torch.Tensor]
    arguments: dict[str, Any] | tuple[Any, ...]
    rest: dict[str, Any] = dataclasses.field(default_factory=dict)

    @staticmethod
    def of(model: torch.nn.Module, given: Mapping[str, Any] | Sequence[Any], loss: Callable[..., Any] | None = None) -> Batch:
        tensors: dict[str, torch.Tensor] = {}
        if isinstance(given, Mapping):
            taken, left = _taken(model, given, loss)
        else:
            names, count = positional_names(model, tuple(given), loss)
            taken, left = dict(zip(names[:count], given)), dict(zip(names[count:], given[count:]))
        of_forward = {name: _read(name, value, tensors) for name, value in taken.items()}
        # What the loss needs it gets also where forward has it.
        of_loss = _of_loss(loss)
        rest = {name: _read(name, value, tensors) for name, value in left.items()}
        rest |= {name: of_forward[name] for name, is_needed in of_loss.items() if is_needed and name in of_forward}
        missing = [name for name, is_needed in of_loss.items() if is_needed and name not in rest]
        if missing:
            raise ImportFailure(f"what loss= takes beside the model's output must be in the batch, by its name or behind forward's inputs, but "
                                f"{missing[0]} is not")
        return Batch(tensors, of_forward if isinstance(given, Mapping) else tuple(of_forward.values()), rest)

    def call(self, model: torch.nn.Module, tensors: dict[str, torch.Tensor]) -> Any:
        """forward of these tensors, which go by the batch's names."""
        arguments = _filled(self.arguments, tensors)
        return model(**arguments) if isinstance(arguments, dict) else model(*arguments)

    def is_like(self, other: Batch) -> bool:
        """Whether they have the same beside the values of tensors."""
        return bool(_spelled(self.arguments) == _spelled(other.arguments) and _spelled(self.rest) == _spelled(other.rest))

    def whole(self, tensors: Mapping[str, torch.Tensor]) -> Any:
        """A batch as it was given, of these tensors."""
        arguments, rest = _filled(self.arguments, tensors), _filled(self.rest, tensors)
        if isinstance(arguments, dict):
            return {**rest, **arguments}
        return (*arguments, *(value for value, held in zip(rest.values(), self.rest.values()) if all(held is not one for one in self.arguments)))

    def loss_of(self, loss: Callable[..., Any], output: Any, tensors: Mapping[str, torch.Tensor]) -> Any:
        """The loss of forward's output, and of what there is for it in these tensors."""
        return loss(output, **_filled(self.rest, tensors))

    def sizes(self) -> list[str]:
        """Names of what may say how large images are, or how many patches they have: two or three whole numbers of
        each."""
        return [name for name, t in self.tensors.items() if t.dtype in (torch.int32, torch.int64) and t.dim() == 2
                and t.shape[1] in (2, 3) and type(t) is torch.Tensor and not t.is_meta]

    def with_fixed(self, names: Sequence[str]) -> Batch:
        """The batch with the values of these in the arguments: they are no input of the step."""
        fixed = {name: t.detach().cpu().clone() if name in names else _Place(name) for name, t in self.tensors.items()}
        return Batch({name: t for name, t in self.tensors.items() if name not in names}, _filled(self.arguments, fixed), _filled(self.rest, fixed))

    def of_tensors(self, tensors: dict[str, torch.Tensor]) -> Batch:
        return Batch(tensors, self.arguments, self.rest)


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
    if _is_record(value):
        return _record(value, lambda key, held: _read(f"{name}.{key}", held, tensors))
    if value is None or isinstance(value, (bool, str)):
        return value
    raise ImportFailure(f"every batch entry must be a tensor, a dict, list, tuple or dataclass of some, or True, False, None or a word, but got "
                        f"{type(value).__name__} for {name} (make a tensor of what changes from step to step)")


def _filled(value: Any, tensors: Mapping[str, Any]) -> Any:
    if isinstance(value, _Place):
        return tensors[value.name]
    if isinstance(value, dict):
        return {key: _filled(held, tensors) for key, held in value.items()}
    if isinstance(value, (list, tuple)):
        held = [_filled(x, tensors) for x in value]
        return type(value)(*held) if hasattr(value, "_fields") else type(value)(held)
    if _is_record(value):
        return _record(value, lambda _, held: _filled(held, tensors))
    return value


def _is_record(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, (type, _Place))


def _spelled(value: Any) -> Any:
    """To be compared: dataclasses say themselves what is equal to them."""
    if isinstance(value, dict):
        return {key: _spelled(held) for key, held in value.items()}
    if isinstance(value, (list, tuple)):
        return [type(value), *map(_spelled, value)]
    if _is_record(value):
        return [type(value), *(_spelled(getattr(value, one.name)) for one in dataclasses.fields(value))]
    return value


def _record(value: Any, change: Callable[[str, Any], Any]) -> Any:
    """A dataclass with changed fields, whatever else it has."""
    other = copy.copy(value)
    for one in dataclasses.fields(value):
        object.__setattr__(other, one.name, change(one.name, getattr(value, one.name)))
    return other


def _taken(model: torch.nn.Module, given: Mapping[str, Any], loss: Callable[..., Any] | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """The entries that forward has parameters for, and others that the loss has. Collators hand on columns that nobody
    reads."""
    parameters = inspect.signature(model.forward).parameters
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    of_loss = _of_loss(loss)
    # Where forward takes any name, it is the loss's, which asks for it.
    left = {name: value for name, value in given.items() if name in of_loss and name not in parameters}
    taken = {name: value for name, value in given.items() if name in parameters or takes_all and name not in left
             and not (name in _SIZES_OF_KERNELS and isinstance(value, int))}
    unread = [name for name in given if name not in taken and name not in left]
    if unread:
        warnings.warn(f"forward has no parameter for these entries of the batch, which are left out: {', '.join(map(str, unread))}", stacklevel=4)
    return taken, left


def _of_loss(loss: Callable[..., Any] | None) -> dict[str, bool]:
    """The parameters by which it takes more than the model's output, in their order, and whether it needs each."""
    try:
        parameters = inspect.signature(loss.forward if isinstance(loss, torch.nn.Module) else loss).parameters if loss is not None else {}
    except (TypeError, ValueError):
        return {}  # Nobody can see it of what is no code of Python.
    return {p.name: p.default is p.empty for p in list(parameters.values())[1:] if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}


def positional_names(model: torch.nn.Module, given: tuple[Any, ...], loss: Callable[..., Any] | None) -> tuple[list[str], int]:
    """A name of each input, those of the loss behind forward's, and how many are forward's."""
    names: list[str] = []
    kinds = inspect.Parameter
    for parameter in inspect.signature(model.forward).parameters.values():
        if parameter.kind is kinds.VAR_POSITIONAL:
            # *args: as many as there are.
            names += [f"{parameter.name}.{i}" for i in range(len(given) - len(names))]
        elif parameter.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
    count = min(len(names), len(given))
    more = [name for name in _of_loss(loss) if name not in names]
    if len(given) > len(names) + len(more):
        takes = f"{len(names)} inputs of forward" + (f" and {len(more)} that the loss has beside the output" if more else "")
        raise ImportFailure(f"a batch must have at most the {takes} but got {len(given)}: give a dict of names, and what labels are for as loss=, "
                            "which gets the output and what forward does not take")
    return (names + more)[:len(given)], count
