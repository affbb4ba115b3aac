# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What prec.compile uses of PyTorch that is not public. Each function says what it relies on;
test/Compile/test_private.py checks it against the PyTorch that is installed."""
from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only


def on_cpu(batch: Any) -> Any:
    """A batch with its tensors on the CPU, in dictionaries, lists and tuples (torch.utils._pytree)."""
    return tree_map_only(torch.Tensor, lambda tensor: tensor.cpu(), batch)


def version_of(tensor: torch.Tensor) -> int:
    """Counts the in-place operations on a tensor's memory, of all its views (torch.Tensor._version)."""
    return tensor._version


def mark_stepped(optimizer: torch.optim.Optimizer) -> None:
    """What a scheduler's wrapper of optimizer.step notes: without it the scheduler warns that no step was taken before
    it."""
    optimizer._opt_called = True  # type: ignore[attr-defined]


def registered(module: torch.nn.Module) -> tuple[dict[str, Any], dict[str, Any]]:
    """The dictionaries in which a module has its parameters and buffers."""
    return module._parameters, module._buffers


def children_of(module: torch.nn.Module) -> dict[str, Any]:
    """The dictionary in which a module has its modules."""
    return module._modules


def is_dropout(module: torch.nn.Module) -> bool:
    """Whether it drops with a probability `p`: one of torch.nn.Dropout, Dropout1d, AlphaDropout and the like."""
    return isinstance(module, torch.nn.modules.dropout._DropoutNd)


def count_on(steps: list[torch.Tensor]) -> None:
    """Adds one to each of many tensors, as optimizers do (torch._foreach_add_)."""
    torch._foreach_add_(steps, 1.0)


def is_same_memory(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two tensors, also those of a trace, are of one memory (torch.UntypedStorage._cdata)."""
    return a.untyped_storage()._cdata == b.untyped_storage()._cdata


def change_class(tensor: torch.Tensor, kind: type) -> None:
    """Makes a parameter one of a subclass of its class without another memory, as torch.nn.UninitializedParameter does
    when it gets one."""
    tensor.__class__ = kind


# Attributes and methods of tensors that tell nothing of their elements, as `__torch_function__` is given them.
_ATTRIBUTES = ("shape", "dtype", "device", "layout", "ndim", "requires_grad", "is_leaf", "grad", "grad_fn", "retains_grad", "is_cuda", "is_meta",
               "is_sparse", "is_quantized", "is_nested", "itemsize", "nbytes", "_version", "_backward_hooks", "_post_accumulate_grad_hooks")
_METHODS = ("size", "dim", "numel", "nelement", "stride", "element_size", "is_contiguous", "is_floating_point", "is_complex", "requires_grad_",
            "register_hook", "register_post_accumulate_grad_hook", "__len__", "__hash__")
OF_SHAPES: frozenset[Any] = frozenset([*(getattr(torch.Tensor, name).__get__ for name in _ATTRIBUTES if hasattr(torch.Tensor, name)),
                                       *(getattr(torch.Tensor, name) for name in _METHODS), torch.numel, torch.is_floating_point, torch.is_complex])


def call_plainly(function: Any, arguments: Any, keywords: Any) -> Any:
    """A function of PyTorch's that `__torch_function__` was given, as of plain tensors
    (torch._C.DisableTorchFunctionSubclass)."""
    with torch._C.DisableTorchFunctionSubclass():
        return function(*arguments, **(keywords or {}))


# The attributes `grad` and `data` of all tensors, as their class has them.
GRADIENT: Any = torch.Tensor.grad
DATA: Any = torch.Tensor.data

# The attributes in which a parameter has the hooks of its gradient: None, or dictionaries.
GRADIENT_HOOKS = ("_backward_hooks", "_post_accumulate_grad_hooks")

# Where functions of PyTorch that only read gradients live.
CLIPPING = "torch.nn.utils.clip_grad"
# And those of a GradScaler, which divide gradients by the scale.
UNSCALING = "torch.amp.grad_scaler"
# And those of PEFT that allocates ranks by gradients.
ALLOCATING = "peft.tuners.adalora"


class checked_indices(TorchDispatchMode):
    """Within it an index that is no row of its table raises IndexError on a GPU as on a CPU, before a kernel reads it:
    a
    kernel's own assertion leaves the process without its GPU (TorchDispatchMode; waits for the GPU)."""

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if function is torch.ops.aten.embedding.default:
            self._check(args[1], args[0].shape[0], signed=False)
        elif function in (torch.ops.aten.index_select.default, torch.ops.aten.gather.default):
            self._check(args[2], args[0].shape[args[1]] if args[0].dim() else 1, signed=False)
        elif function is torch.ops.aten.index.Tensor:
            for dim, index in enumerate(args[1]):
                if index is not None and index.dtype not in (torch.bool, torch.uint8):
                    self._check(index, args[0].shape[dim], signed=True)
        return function(*args, **(kwargs or {}))

    @staticmethod
    def _check(index: torch.Tensor, rows: int, signed: bool) -> None:
        if index.numel() == 0:
            return
        low, high = int(index.min()), int(index.max())
        if low < (-rows if signed else 0) or high >= rows:
            raise IndexError(f"an index must be a row of its table of {rows}, but got {low if high < rows else high}")
