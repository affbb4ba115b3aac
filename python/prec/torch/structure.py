"""The structural guard: what can be seen on the user's own objects without running them, at full size and without arithmetic."""
from __future__ import annotations

import sys

import torch

from ..errors import ImportFailure
from .optimizer import base_of
from .standins import slots


def bare_model(model):
    """The model itself where torch.compile has wrapped it; refuses other wrappers, whose work around a step nothing would do."""
    if not isinstance(model, torch.nn.Module):
        raise ImportFailure(f"the model must be a torch.nn.Module but got {type(model).__name__}")
    model = getattr(model, "_orig_mod", model)
    wrappers = [torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel]
    fsdp = sys.modules.get("torch.distributed.fsdp")
    wrappers += [fsdp.FullyShardedDataParallel] if fsdp is not None else []
    for path, module in model.named_modules():
        if isinstance(module, tuple(wrappers)):
            raise ImportFailure(f"the model must be the bare module (.module of its wrapper) but {path or 'it'} is a {type(module).__name__}")
        if isinstance(module, torch.jit.ScriptModule):
            raise ImportFailure(f"every module must be Python code but {path or 'the model'} is a {module.original_name} of TorchScript: build it from "
                                "its class, and load its state_dict")
    return model


def check_storage(model, optimizer) -> dict[str, str]:
    """Finds parameters and buffers that share memory without being one object.

    Returns, of each parameter that is another's whole memory under a second identity (head.weight.data = embedding.weight.data), the
    other's name, where one parameter in both places trains as PyTorch trains the two. Refuses every other overlap of what a step
    changes: an update of one would change the other.
    """
    for owner in slots(model):
        _, key, module, tensor = owner
        if type(tensor.data) is not torch.Tensor and not _is_fake(tensor):
            raise ImportFailure(f"parameters and buffers must be plain tensors but {key} of a {type(module).__name__} is a {type(tensor.data).__name__}")
        if tensor.layout is not torch.strided:
            raise ImportFailure(f"parameters and buffers must be dense but {key} of a {type(module).__name__} is {tensor.layout}")
    spans = []
    for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
        if tensor.is_meta or _is_fake(tensor) or not tensor.numel():
            continue
        first = tensor.data_ptr()
        length = sum((n - 1) * stride for n, stride in zip(tensor.shape, tensor.stride())) + 1
        if _repeats(tensor):
            if tensor.requires_grad:
                raise ImportFailure(f"the elements of a parameter must have memory of their own but {name} is expanded")
        spans.append((first, first + length * tensor.element_size(), name, tensor))
    twins: dict[str, str] = {}
    spans.sort(key=lambda span: span[:2])
    reach = None
    for span in spans:
        if reach is not None and span[0] < reach[1]:
            _, _, first, a = reach
            _, _, second, b = span
            if a.requires_grad or b.requires_grad:
                _check_twins(first, a, second, b, optimizer)
                names = [name for name, _ in model.named_parameters()]
                first, second = sorted((first, second), key=names.index)
                twins[second] = twins.get(first, first)
        if reach is None or span[1] > reach[1]:
            reach = span
    return twins


def _check_twins(first: str, a, second: str, b, optimizer) -> None:
    fault = f"{first} and {second} share memory and are two objects"
    cure = f"make them one (model.{second} = model.{first}) or give each its own"
    if not (isinstance(a, torch.nn.Parameter) and isinstance(b, torch.nn.Parameter)):
        raise ImportFailure(f"{fault}, which one step's update would change both: {cure}")
    if a.data_ptr() != b.data_ptr() or a.shape != b.shape or a.stride() != b.stride():
        raise ImportFailure(f"{fault} that overlap in part: {cure}")
    # Two updates of one memory, one after the other, are one update by the sum of gradients for plain gradient descent alone.
    if base_of(optimizer) is torch.optim.SGD and a.requires_grad and b.requires_grad:
        held = [group for group in optimizer.param_groups if any(p is a or p is b for p in group["params"])]
        options = {tuple(group[key] for key in ("lr", "momentum", "dampening", "nesterov")) for group in held}
        if len(options) == 1 and not any(group["weight_decay"] for group in held):
            return
    raise ImportFailure(f"{fault}, and {type(optimizer).__name__} updates their memory twice in a step: {cure}")


def _repeats(tensor) -> bool:
    return any(stride == 0 and n > 1 for n, stride in zip(tensor.shape, tensor.stride()))


def _is_fake(tensor) -> bool:
    from torch._subclasses.fake_tensor import FakeTensor
    return isinstance(tensor, FakeTensor) or isinstance(tensor.data, FakeTensor)
