# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of buffers, which fake and meta models have lost."""
from __future__ import annotations

import numpy as np
import torch

from ..errors import ImportFailure
from .registry import HELD


def is_derived(model: torch.nn.Module, name: str) -> bool:
    """Whether state_dict leaves the buffer out, because the model computes it."""
    path, _, own = name.rpartition(".")
    return own in model.get_submodule(path)._non_persistent_buffers_set


def buffer_value(model: torch.nn.Module, name: str, tensor: torch.Tensor) -> np.ndarray:
    from torch._subclasses.fake_tensor import FakeTensor

    if tensor.is_meta or isinstance(tensor, FakeTensor):
        tensor = _recomputed(model, name)
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.resolve_conj())
    if tensor.is_floating_point():
        return to_f32(tensor, f"buffer {name}")
    elif tensor.dtype in HELD:
        tensor = tensor.to(torch.int32)
    return tensor.detach().cpu().numpy()


def to_f32(tensor: torch.Tensor, what: str) -> np.ndarray:
    """The values in float32; finite ones stay finite, or are refused."""
    single = tensor.detach().float()
    beyond = single.isinf() & ~tensor.isinf()
    if beyond.any():
        raise ImportFailure(f"{what} must fit float32 but got {tensor.detach()[beyond].flatten()[0].item()}: clamp it, or write an infinity")
    return single.cpu().numpy()


def _recomputed(model: torch.nn.Module, name: str) -> torch.Tensor:
    """The inverse frequencies of a Hugging Face rotary embedding follow from its config."""
    path, _, own = name.rpartition(".")
    module = model.get_submodule(path)
    kind = getattr(module, "rope_type", None)
    if own in ("inv_freq", "original_inv_freq") and kind is not None:
        compute = getattr(module, "compute_default_rope_parameters", None)
        if kind != "default":
            from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
            compute = ROPE_INIT_FUNCTIONS[kind]
        if compute is not None:
            return compute(module.config, device=torch.device("cpu"))[0]
    raise ImportFailure(f"a buffer must have a value but {name} is on the meta device or fake (build the model under prec.weightless())")
