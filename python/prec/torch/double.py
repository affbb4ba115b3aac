# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model and its optimizer in float64, in place, for the time of a `with`: the user's own objects, so that hooks,
closures and what else refers to them take part, with other values.

Parameters on the CPU keep their identity and get other data. One that has no values, or has them elsewhere, is replaced
by another with random ones.
"""
from __future__ import annotations

import contextlib
import copy
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch.utils._pytree import tree_map_only

from . import gradients
from .standins import in_optimizer, replaced
from .trace import left_alone


@dataclass
class Doubles:
    """`named`: the parameters, as they are now. `raw`: of those of which a hook acts after a gradient is accumulated,
    the gradient of the last backward as it was before."""

    named: dict[str, torch.Tensor]
    _own: dict[str, torch.Tensor]
    _moved: bool = False
    raw: dict[str, torch.Tensor] = field(default_factory=dict)

    def gradient(self, name: str) -> torch.Tensor | None:
        """As the backward gives it; None where it gives none."""
        return self.raw.get(name, self.named[name].grad)

    @contextlib.contextmanager
    def noting(self) -> Iterator[None]:
        # The last of a gradient's hooks; those that act after accumulation come behind it.
        def note(name: str) -> Callable[[torch.Tensor], None]:
            return lambda gradient: self.raw.update({name: gradient.clone()})
        with contextlib.ExitStack() as stack:
            for name, p in self.named.items():
                if getattr(p, "_post_accumulate_grad_hooks", None):
                    stack.callback(p.register_hook(note(name)).remove)
            yield

    def start(self, name: str) -> torch.Tensor:
        """A parameter as it was before the step, made again: a copy of all of them takes time."""
        values = self._own[name].detach().to("cpu", torch.float64) if name in self._own else _random(name, self.named[name].shape)
        return values + self._way(name, values) if self._moved else values

    def move(self) -> None:
        """Starts from other parameters, without gradients."""
        places: dict[int, str] = {}
        for name, p in self.named.items():
            p.grad = None
            # What has two names moves once.
            first = places.setdefault(p.data_ptr(), name)
            if p.requires_grad and first == name:
                p.data.add_(self._way(name, p.data))
        self._moved = True

    def _way(self, name: str, values: torch.Tensor) -> torch.Tensor:
        if not self.named[name].requires_grad:
            return torch.zeros(())
        return 0.1 * _random(name, values.shape) * (1 + values.abs().mean())


@contextlib.contextmanager
def in_double(
    model: torch.nn.Module, optimizer: torch.optim.Optimizer, is_empty: Callable[[torch.Tensor], bool], initial: Mapping[str, np.ndarray]
) -> Iterator[Doubles]:
    """Yields Doubles. is_empty: whether a tensor has no values. initial: values of buffers that have none, by name."""
    named, buffers = dict(model.named_parameters()), dict(model.named_buffers())
    kept, standins, data = {}, {}, {}
    seen: dict[tuple[Any, ...], torch.Tensor] = {}
    for name, p in named.items():
        if is_empty(p):
            values = _random(name, p.shape)
        else:
            # Two parameters of one memory stay so.
            key = (p.data_ptr(), p.shape, p.stride())
            values = seen.setdefault(key, p.detach().to("cpu", torch.float64, copy=True))
        if is_empty(p) or p.device.type != "cpu":
            standins[id(p)] = torch.nn.Parameter(values, requires_grad=p.requires_grad)
            gradients.copy_hooks(p, standins[id(p)])
            for hook in (getattr(p, "_post_accumulate_grad_hooks", None) or {}).values():
                standins[id(p)].register_post_accumulate_grad_hook(hook)
        else:
            data[name] = values
        kept[name] = (p, p.data, p.grad)
    own = {name: held for name, (p, held, _) in kept.items() if not is_empty(p)}
    copies = {id(t): _copy(t if not is_empty(t) else torch.from_numpy(initial[name]), True) for name, t in buffers.items()
              if not is_empty(t) or name in initial}
    def stand_in(p: torch.Tensor) -> torch.Tensor:
        return standins.get(id(p), p)
    options = [_plain_options(group) for group in optimizer.param_groups]
    state = defaultdict(dict, {stand_in(p): {slot: _copy(v, slot != "step") for slot, v in held.items()} for p, held in optimizer.state.items()})
    with left_alone(model, optimizer), replaced(model, standins | copies), in_optimizer(optimizer, stand_in, state):
        held = [dict(group) for group in optimizer.param_groups]
        try:
            for group, plain in zip(optimizer.param_groups, options):
                group.update(plain)
            for name, values in data.items():
                named[name].grad, named[name].data = None, values
            doubles = Doubles({name: stand_in(p) for name, p in named.items()}, own)
            with doubles.noting():
                yield doubles
        finally:
            for group, own_options in zip(optimizer.param_groups, held):
                group.update(own_options)
            for p, old, grad in kept.values():
                p.grad = None
                p.data = old
                p.grad = grad


def _plain_options(group: dict[str, Any]) -> dict[str, Any]:
    """Those of a group that are tensors in float64, for PyTorch computes with them in their own type, and what asks for
    a GPU alone and changes no number off."""
    options = {key: tree_map_only(torch.Tensor, _copy_option, value) for key, value in group.items() if key != "params"}
    if group.get("capturable"):
        options.update(capturable=False, foreach=False)
    return options


def _copy_option(value: torch.Tensor) -> torch.Tensor:
    return value.detach().to("cpu", torch.float64 if value.is_floating_point() else value.dtype, copy=True)


def _random(name: str, shape: Sequence[int]) -> torch.Tensor:
    """Small weights, and scales about one."""
    generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
    center, width = (0.0, 0.09) if len(shape) > 1 else (1.0, 0.2)
    return torch.empty(shape, dtype=torch.float32).uniform_(center - width, center + width, generator=generator).double()


def _copy(value: Any, of_elements: bool = False) -> Any:
    """`of_elements`: it is no count, whatever its shape."""
    if not isinstance(value, torch.Tensor):
        return copy.deepcopy(value)
    value = value.detach().to("cpu", copy=True)
    return value.double() if value.is_floating_point() and (value.dim() or of_elements) else value
