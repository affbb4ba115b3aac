"""Keeps composites whole during a trace: functional calls by a TorchFunctionMode, attention of Hugging Face models by
transformers' own registries. The model is left as it was found."""
from __future__ import annotations

import contextlib
import warnings

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

from ..errors import ImportFailure
from . import composites, dropout

_NAME = "prec"


def _attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """None where the call is not one that the composite covers."""
    if attn_mask is not None or dropout_p or query.dim() != 4 or (is_causal and query.shape[2] != key.shape[2]):
        return None
    if query.shape[1] != key.shape[1] and not enable_gqa:
        return None
    scale = query.shape[-1] ** -0.5 if scale is None else float(scale)
    return composites.attention(query, key, value, scale, bool(is_causal))[0]


def _rms_norm(input, normalized_shape, weight=None, eps=None):
    if tuple(normalized_shape) != tuple(input.shape[-1:]):
        return None
    weight = input.new_ones(input.shape[-1:]) if weight is None else weight
    # PyTorch's default is the machine epsilon of the type it computes in, which is float32 here.
    eps = torch.finfo(torch.float32).eps if eps is None else float(eps)
    return composites.rms_norm(input, weight, eps)[0]


def _cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
                   label_smoothing=0.0):
    plain = weight is None and size_average is None and reduce is None and reduction == "mean" and not label_smoothing
    if not plain or input.dim() != 2 or target.dim() != 1 or target.is_floating_point():
        return None
    return composites.cross_entropy(input, target, int(ignore_index))[0]


class KeepComposites(TorchFunctionMode):
    """Swaps a functional call for its composite where that covers the arguments; other calls pass through."""

    def __init__(self):
        super().__init__()
        self.table = {F.scaled_dot_product_attention: _attention, F.rms_norm: _rms_norm, F.cross_entropy: _cross_entropy,
                      F.dropout: dropout.keep(dropout.Streams())}

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        keep = self.table.get(function)
        if keep is not None:
            result = keep(*args, **kwargs)
            if result is not None:
                return result
        return function(*args, **kwargs)


def _attention_with_dropout(query, key, value, scale: float, causal: bool, probability: float):
    """Its probabilities are dropped, so they are values of the graph: products, a mask and a softmax."""
    repeat = query.shape[1] // key.shape[1]
    key, value = (t.repeat_interleave(repeat, 1) if repeat > 1 else t for t in (key, value))
    scores = (query @ key.mT) * scale
    if causal:
        scores = scores + _causal_mask(q_length=query.shape[2], kv_length=key.shape[2], dtype=scores.dtype)
    return F.dropout(scores.softmax(-1), probability) @ value


def _hf_attention(module, query, key, value, attention_mask=None, scaling=None, dropout=0.0, is_causal=None,
                  sliding_window=None, softcap=None, **_):
    for what, given in (("sliding_window", sliding_window), ("softcap", softcap)):
        if given:
            raise ImportFailure(f"attention must have no {what} to be imported as a composite but got {given}")
    if attention_mask is not None:
        raise ImportFailure("attention must have no mask tensor beside the causal one but got a mask")
    causal = getattr(module, "is_causal", True) if is_causal is None else is_causal
    scale = query.shape[-1] ** -0.5 if scaling is None else float(scaling)
    if dropout:
        warnings.warn("attention with dropout is imported as products and a softmax, and its probabilities are kept for the backward")
        out = _attention_with_dropout(query, key, value, scale, bool(causal), dropout)
    else:
        out, _ = composites.attention(query, key, value, scale, bool(causal))
    return out.transpose(1, 2), None


def _hf_mask(*args, attention_mask=None, local_size=None, **_):
    if attention_mask is not None:
        raise ImportFailure("a batch must have no attention_mask (pad with ignored labels instead) but got one")
    if local_size is not None:
        raise ImportFailure(f"attention must span the whole sequence but got a window of {local_size}")


def _configs(model):
    """Every distinct config of a Hugging Face model and of its submodels."""
    found = {}
    for module in model.modules():
        config = getattr(module, "config", None)
        if hasattr(config, "_attn_implementation_internal"):
            found[id(config)] = config
    return list(found.values())


@contextlib.contextmanager
def composite_attention(model):
    """Selects the composite attention in a Hugging Face model for the time of the trace."""
    configs = _configs(model)
    if not configs:
        yield
        return
    from transformers import AttentionInterface, AttentionMaskInterface

    AttentionInterface.register(_NAME, _hf_attention)
    AttentionMaskInterface.register(_NAME, _hf_mask)
    before = [c._attn_implementation_internal for c in configs]
    try:
        for config in configs:
            config._attn_implementation_internal = _NAME
        yield
    finally:
        for config, implementation in zip(configs, before):
            config._attn_implementation_internal = implementation


def _causal_mask(*args, q_length, kv_length, dtype=torch.float32, **options):
    """What eager attention adds to its scores. transformers' own carries along a search for packed sequences when traced."""
    _hf_mask(*args, **options)
    visible = torch.arange(q_length)[:, None] >= torch.arange(kv_length)[None, :]
    return torch.where(visible, torch.zeros((), dtype=dtype), torch.finfo(dtype).min)[None, None]


@contextlib.contextmanager
def own_attention(model):
    """Leaves a Hugging Face model the attention it is set to, with a plain causal mask, for the time of the trace."""
    if not _configs(model):
        yield
        return
    from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS as masks

    replaced = {"eager": _causal_mask, "sdpa": _hf_mask}
    before = {name: masks._local_mapping[name] for name in replaced if name in masks._local_mapping}
    try:
        masks.update(replaced)
        yield
    finally:
        for name in replaced:
            del masks[name]
        masks.update(before)


@contextlib.contextmanager
def without_cache(model):
    """A training step keeps no key/value cache, whatever the config says about generation."""
    configs = [c for c in _configs(model) if getattr(c, "use_cache", False)]
    try:
        for config in configs:
            config.use_cache = False
        yield
    finally:
        for config in configs:
            config.use_cache = True
