"""Activation checkpointing in a trace: use_reentrant=True, whose backward runs a backward of its own, goes by the kind without, which
computes the same and can be traced; and a recomputation that would draw other bits than the forward is refused where it draws any."""
from __future__ import annotations

import contextlib
import warnings

import torch
import torch.utils.checkpoint as checkpointing

from .functional import KeepComposites


class _AsTheOther:
    """In place of checkpointing's own function of autograd."""

    @staticmethod
    def apply(function, preserve_rng_state, *args):
        # That kind gives gradients only where one of its own arguments has one, and warns where none has.
        if torch.is_grad_enabled() and not any(isinstance(x, torch.Tensor) and x.requires_grad for x in args):
            warnings.warn("a checkpoint with use_reentrant=True of which no argument requires a gradient trains nothing in it: pass "
                          "use_reentrant=False", stacklevel=3)
            with torch.no_grad():
                return function(*args)
        # That kind recomputes to its end, past the last value that the backward needs: buffers that it changes, it changes again.
        return checkpointing.checkpoint(function, *args, use_reentrant=False, preserve_rng_state=preserve_rng_state, early_stop=False)


def _refusing_other_bits(own):
    """Of the function that makes a checkpoint."""
    def make(function, preserve_rng_state=True, *args, **kwargs):
        def recompute(*inputs, **options):
            with KeepComposites.active().streams.not_repeated():
                return function(*inputs, **options)
        return own(function if preserve_rng_state else recompute, preserve_rng_state, *args, **kwargs)
    return make


@contextlib.contextmanager
def traceable_checkpoints():
    own, make = checkpointing.CheckpointFunction, checkpointing._checkpoint_without_reentrant_generator
    checkpointing.CheckpointFunction, checkpointing._checkpoint_without_reentrant_generator = _AsTheOther, _refusing_other_bits(make)
    try:
        yield
    finally:
        checkpointing.CheckpointFunction, checkpointing._checkpoint_without_reentrant_generator = own, make
