# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The structural guard: what can be seen on the user's own objects without running them, at full size and without
arithmetic."""
from __future__ import annotations

import sys
from collections.abc import Iterable

import torch
from torch.optim.swa_utils import AveragedModel

from ..errors import ImportFailure
from .optimizer import base_of
from .standins import slots


def bare_model(model: object) -> torch.nn.Module:
    """The model itself where torch.compile has wrapped it; refuses other wrappers, whose work around a step nothing
    would do."""
    if not isinstance(model, torch.nn.Module):
        raise ImportFailure(f"the model must be a torch.nn.Module but got {type(model).__name__}")
    bare: torch.nn.Module = getattr(model, "_orig_mod", model)
    if isinstance(bare, AveragedModel):
        raise ImportFailure("the model must be the one that trains but got an AveragedModel of it: import that one, and average its weights "
                            "(Module.weights) between steps")
    wrappers = [torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel]
    fsdp = sys.modules.get("torch.distributed.fsdp")
    wrappers += [fsdp.FullyShardedDataParallel] if fsdp is not None else []
    for path, module in bare.named_modules():
        if isinstance(module, tuple(wrappers)):
            raise ImportFailure(f"the model must be the bare module (.module of its wrapper) but {path or 'it'} is a {type(module).__name__}")
        if isinstance(module, torch.jit.ScriptModule):
            raise ImportFailure(
                f"every module must be Python code but {path or 'the model'} is a {module.original_name} of TorchScript: build it from "
                "its class, and load its state_dict"
            )
    return bare


def check_storage(model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> tuple[dict[str, str], dict[str, str]]:
    """Finds parameters and buffers that share memory without being one object. Refuses every overlap of a trained
    parameter with anything else, for an update of one would change the other; but for these:

    Returns, of each parameter that is another's whole memory under a second identity (head.weight.data =
    embedding.weight.data), the other's name, where one parameter in both places trains as PyTorch trains the two. And
    of each other tensor that shares memory the name of one that it shares it with, which may be its own: a step must
    not change them.
    """
    for owner in slots(model):
        _, key, module, tensor = owner
        if torch.nn.parameter.is_lazy(tensor):
            raise ImportFailure(
                f"parameters and buffers must have shapes but {key} of a {type(module).__name__} has none yet: run forward once before the "
                "optimizer is made"
            )
        if type(tensor.data) is not torch.Tensor and not _is_fake(tensor):
            raise ImportFailure(
                f"parameters and buffers must be plain tensors but {key} of a {type(module).__name__} is a {type(tensor.data).__name__}: hold "
                "what it is made of, and make it in forward"
            )
        if tensor.layout is not torch.strided:
            raise ImportFailure(f"parameters and buffers must be dense but {key} of a {type(module).__name__} is {tensor.layout}: "
                                "register .to_dense() of it")
    spans, shared = [], {}
    for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
        if tensor.is_meta or _is_fake(tensor) or not tensor.numel():
            continue
        start = tensor.data_ptr()
        length = sum((n - 1) * stride for n, stride in zip(tensor.shape, tensor.stride())) + 1
        if _repeats(tensor):
            if tensor.requires_grad:
                raise ImportFailure(f"the elements of a parameter must have memory of their own but {name} is expanded: make it a copy (.clone())")
            shared[name] = name
        spans.append((start, start + length * tensor.element_size(), name, tensor))
    twins: dict[str, str] = {}
    spans.sort(key=lambda span: span[:2])
    reach = None
    for span in spans:
        if reach is not None and span[0] < reach[1]:
            _, _, first, a = reach
            _, _, second, b = span
            shared.update({first: second, second: first})
            if a.requires_grad or b.requires_grad:
                _check_twins(first, a, second, b, optimizer)
                names = [name for name, _ in model.named_parameters()]
                first, second = sorted((first, second), key=names.index)
                twins[second] = twins.get(first, first)
        if reach is None or span[1] > reach[1]:
            reach = span
    return twins, shared


def check_changed(changed: Iterable[str], shared: dict[str, str]) -> None:
    """`changed`: names of the buffers that a step changes."""
    for name in changed:
        other = shared.get(name)
        if other == name:
            raise ImportFailure(
                f"the elements of a buffer that forward changes must have memory of their own but {name} is expanded: make it a copy (.clone())"
            )
        if other is not None:
            raise ImportFailure(
                f"a buffer that forward changes must have memory of its own but {name} shares that of {other}, which is another object: make "
                f"them one (model.{other} = model.{name}) or copies (.clone())"
            )


def _check_twins(first: str, a: torch.Tensor, second: str, b: torch.Tensor, optimizer: torch.optim.Optimizer) -> None:
    fault = f"{first} and {second} share memory and are two objects"
    cure = f"make them one (model.{second} = model.{first}) or give each its own"
    if a.data_ptr() != b.data_ptr() or a.shape != b.shape or a.stride() != b.stride():
        raise ImportFailure(f"{fault} that overlap in part, and an update of one changes the other: give each its own (.clone())")
    if not (isinstance(a, torch.nn.Parameter) and isinstance(b, torch.nn.Parameter)):
        trained, other = (first, second) if isinstance(a, torch.nn.Parameter) else (second, first)
        raise ImportFailure(
            f"{fault}, and each update of {trained} changes {other}: make them one (model.{other} = model.{trained}) or give each its own"
        )
    if a.requires_grad != b.requires_grad:
        trained, frozen = (first, second) if a.requires_grad else (second, first)
        raise ImportFailure(f"{fault}, and each update of {trained} changes {frozen}, which is frozen: give each its own, or make them one "
                            f"(model.{second} = model.{first}), which trains both")
    # Two updates of one memory, one after the other, are one update by the sum of gradients for plain gradient descent
    # alone.
    if base_of(optimizer) is torch.optim.SGD:
        held = [group for group in optimizer.param_groups if any(p is a or p is b for p in group["params"])]
        options = {tuple(group[key] for key in ("lr", "momentum", "dampening", "nesterov")) for group in held}
        if len(options) == 1 and not any(group["weight_decay"] for group in held):
            return
    raise ImportFailure(f"{fault}, and {type(optimizer).__name__} updates their memory twice in a step: {cure}")


def check_accumulators(model: torch.nn.Module) -> None:
    """Refuses hooks of the node that adds to a parameter's gradient (p.view_as(p).grad_fn.next_functions[0][0]), of
    which nothing on the parameter tells. A node lives only as long as somebody holds it. Of one that is held it is
    tried whether a gradient comes through as it is, without the parameter's own hooks."""
    for name, p in model.named_parameters():
        if not p.requires_grad or p.is_meta or _is_fake(p) or not _holds_accumulator(p):
            continue
        own = [hooks for hooks in (p._backward_hooks, getattr(p, "_post_accumulate_grad_hooks", None)) if hooks]
        before, grad = [dict(hooks) for hooks in own], p.grad
        some = torch.linspace(-1, 1, p.numel(), dtype=p.dtype, device=p.device).view(p.shape)
        try:
            for hooks in own:
                hooks.clear()
            # Zeros first: a hook that adds its gradient up elsewhere, and takes it away, has then added nothing.
            changed = any(not _comes_through(p, gradient) for gradient in (torch.zeros_like(some), some))
        finally:
            p.grad = grad
            for hooks, held in zip(own, before):
                hooks.update(held)
        if changed:
            raise ImportFailure(
                f"a hook must be of a parameter but one is of the node that adds to the gradient of {name}: register it with the parameter "
                "(register_hook, register_post_accumulate_grad_hook)"
            )


def _comes_through(p: torch.nn.Parameter, gradient: torch.Tensor) -> bool:
    p.grad = None
    with torch.enable_grad():
        torch.autograd.backward([p.view_as(p)], [gradient])
    return p.grad is not None and torch.equal(p.grad, gradient)


def _holds_accumulator(p: torch.nn.Parameter) -> bool:
    """Whether the node outlives a look at it."""
    torch.autograd.graph.get_gradient_edge(p).node.metadata["prec"] = True  # type: ignore[index]
    node = torch.autograd.graph.get_gradient_edge(p).node
    return bool(node.metadata.pop("prec", False))  # type: ignore[attr-defined]


def _repeats(tensor: torch.Tensor) -> bool:
    return any(stride == 0 and n > 1 for n, stride in zip(tensor.shape, tensor.stride()))


def _is_fake(tensor: torch.Tensor) -> bool:
    from torch._subclasses.fake_tensor import FakeTensor
    return isinstance(tensor, FakeTensor) or isinstance(tensor.data, FakeTensor)
