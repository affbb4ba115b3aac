# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What acts on gradients between the backward and the optimizer's update: hooks of parameters, clipping of the norm,
hooks of the optimizer's step, and the step of a subclass that changes gradients before it calls PyTorch's. It runs in
the trace on stand-ins, so that what it computes becomes part of the graph; what it could do beyond that is refused by
name.
"""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.fx.traceback as traceback
from torch.autograd.graph import register_multi_grad_hook
from torch.optim.optimizer import register_optimizer_step_pre_hook

from ..errors import ImportFailure
from ..ir import OPTIMIZER
from . import composites
from .constants import at, line_of
from .optimizer import base_of, hooks_of
from .standins import UnreadState, in_optimizer


def copy_hooks(parameter: torch.Tensor, leaf: torch.Tensor) -> None:
    """Hooks of the parameter's gradient, in their order. Those that run after accumulation follow in
    `through_optimizer`."""
    if not leaf.requires_grad:
        return
    for hook in (parameter._backward_hooks or {}).values():
        if getattr(hook, "__module__", None) == register_multi_grad_hook.__module__:
            # It waits for the parameters themselves, and would never see that all are there.
            raise ImportFailure("a hook must be of one parameter's gradient but one is of several (register_multi_grad_hook): register it "
                                "with each, or before the optimizer's step (register_step_pre_hook)")
        leaf.register_hook(hook)


def _late_hooks(parameter: torch.Tensor) -> list[Callable[..., Any]]:
    return list((getattr(parameter, "_post_accumulate_grad_hooks", None) or {}).values())


def has_hooks(parameter: torch.Tensor) -> bool:
    return bool(parameter._backward_hooks or _late_hooks(parameter))


def through_optimizer(
    optimizer: torch.optim.Optimizer, unread: UnreadState, standins: dict[int, torch.Tensor], leaves: dict[str, torch.Tensor],
    parameters: dict[str, torch.Tensor], found: dict[str, torch.Tensor | None], clipped: bool
) -> dict[str, torch.Tensor | None]:
    """Gradients as PyTorch's update gets them, by name, from those of the backward; None stays None. `found` itself
    where nothing acts on them.

    unread: what is in the place of the optimizer's state.
    standins: what stands for each parameter of the model, by the parameter's identity; leaves and parameters: the same
      by name.
    clipped: the norm is clipped before the optimizer's step.
    """
    late = {name: _late_hooks(p) for name, p in parameters.items() if found.get(name) is not None}
    late = {name: hooks for name, hooks in late.items() if hooks}
    own_step = bool(hooks_of(optimizer)) or type(optimizer) is not base_of(optimizer)
    if not late and not own_step:
        return found
    with traceback.annotate({"path": "optimizer", "phase": OPTIMIZER}), torch.no_grad():
        for name, g in found.items():
            # A copy: hooks may change it in place, and what the backward gave is an output, too.
            leaves[name].grad = None if g is None else g.clone()
        values = _Values(leaves)
        with _no_other_optimizer(optimizer):
            for name, hooks in late.items():
                unread.who = f"a hook of {name}"
                for hook in hooks:
                    if _call(f"a hook of {name}", hook, leaves[name]) is not None:
                        raise ImportFailure("a hook that runs after a gradient is accumulated must return None but one of "
                                            f"{name} returns a value, which PyTorch refuses: "
                                "change the gradient in place (p.grad.mul_)")
            values.check("a hook that runs after a gradient is accumulated")
            if clipped and own_step:
                _clip(leaves, found)
            if own_step:
                _step(optimizer, unread, standins, leaves, values)
        final = {name: leaves[name].grad for name in found}
        for leaf in leaves.values():
            leaf.grad = None
    lost = [name for name, g in found.items() if (g is None) != (final[name] is None)]
    if lost:
        raise ImportFailure(f"hooks must keep the gradients that there are but set or drop that of {lost[0]}: freeze what "
                            "shall not train (requires_grad_(False)), and multiply by zero what shall not change")
    return final


def _clip(leaves: dict[str, torch.Tensor], found: dict[str, torch.Tensor | None]) -> None:
    """As torch.nn.utils.clip_grad_norm_, which users call between the backward and the optimizer's step."""
    names = [name for name, g in found.items() if g is not None]
    for name, g in zip(names, composites.clip_gradients([leaves[name].grad for name in names])):
        leaves[name].grad = g


def _call(who: str, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except ImportFailure:
        raise
    except Exception as error:
        line = at(line_of(error))
        if isinstance(error, KeyError) and error.args and isinstance(error.args[0], torch.Tensor):
            raise ImportFailure(
                f"{who} must do with the step's gradients alone but looks something up by a parameter, in the place of which a trace has "
                f"another{line}: leave updates to the optimizer of the step, and give a hook what it reads"
            ) from error
        first = (str(error).strip().splitlines() or ["no message"])[0]
        raise ImportFailure(f"{who} must do with the step's gradients alone but raised {type(error).__name__}: {first}{line}") from error


class _Values:
    """Notices who changes a parameter itself."""

    def __init__(self, leaves: dict[str, torch.Tensor]) -> None:
        self._leaves, self._versions = leaves, {name: leaf._version for name, leaf in leaves.items()}

    def check(self, who: str) -> None:
        changed = [name for name, leaf in self._leaves.items() if leaf._version != self._versions[name]]
        if changed:
            raise ImportFailure(f"{who} must change gradients alone but changes the parameter {changed[0]}: do it between steps")


@contextlib.contextmanager
def _no_other_optimizer(optimizer: torch.optim.Optimizer) -> Iterator[None]:
    """A hook that steps an optimizer of its own (a parameter's update in its backward) would step on nothing."""
    def refuse(other: torch.optim.Optimizer, *_: object) -> None:
        if other is not optimizer:
            raise ImportFailure(f"a hook must leave updates to the optimizer of the step but steps another {type(other).__name__}: give all "
                                "optimizers to the import, as a list")
    handle = register_optimizer_step_pre_hook(refuse)
    try:
        yield
    finally:
        handle.remove()


def _options(group: dict[str, Any]) -> dict[str, str]:
    return {key: repr(value) for key, value in group.items() if key != "params"}


def _step(
    optimizer: torch.optim.Optimizer, unread: UnreadState, standins: dict[int, torch.Tensor], leaves: dict[str, torch.Tensor], values: _Values
) -> None:
    """The optimizer's own step with PyTorch's update taken out: what comes before it acts on gradients, what comes
    after is refused."""
    base, calls = base_of(optimizer), []

    def update(self: torch.optim.Optimizer, closure: Callable[[], float] | None = None) -> None:
        if closure is not None:
            raise ImportFailure(f"{type(optimizer).__name__} must step without a closure but its step passes one: compute the loss in forward")
        values.check(f"the step of {type(optimizer).__name__}")
        unread.check(optimizer)
        # Copies: what a hook does afterwards, such as setting gradients to zero, is no part of the step.
        calls.append({name: None if leaf.grad is None else leaf.grad.clone() for name, leaf in leaves.items()})

    options = [_options(group) for group in optimizer.param_groups]
    with_step: list[Any] = [kind for kind in base.__mro__ if "step" in kind.__dict__ and kind is not torch.optim.Optimizer]
    patched = [(kind, kind.__dict__["step"]) for kind in with_step]
    try:
        for kind, step in patched:
            # PyTorch wraps a step so that it calls hooks; the wrapper stays.
            kind.step = torch.optim.Optimizer.profile_hook_step(update) if getattr(step, "hooked", False) else update
            kind.step.hooked = True
        unread.who = f"the step of {type(optimizer).__name__}, or a hook of it,"
        with in_optimizer(optimizer, lambda p: standins.get(id(p), p), unread):
            _call(unread.who, type(optimizer).step, optimizer)
            # Before its own is put back.
            unread.check(optimizer)
        changed = [(number, key) for number, (then, group) in enumerate(zip(options, optimizer.param_groups))
                   for key, now in _options(group).items() if now != then.get(key)]
    finally:
        for kind, step in patched:
            kind.step = step
    name = type(optimizer).__name__
    if len(calls) != 1:
        raise ImportFailure(f"the step of {name} must call that of {base.__name__} once but calls it {len(calls)} times: "
                            "call it once, and take several steps by several calls of the module")
    if changed:
        number, key = changed[0]
        raise ImportFailure(
            f"the step of {name}, or a hook of it, must leave options as they are but changes {key} of parameter group {number}: pass each "
            "step its own by lr="
        )
    values.check(f"the step of {name}, or a hook of it,")
    for key, leaf in leaves.items():
        leaf.grad = calls[0][key]
