"""Keeps composites whole during a trace: functional calls by a TorchFunctionMode, attention of Hugging Face models also by the
registries of transformers. What a composite does not compute goes the model's own way; the model is left as it was found."""
from .functional import KeepComposites
from .hugging_face import composite_attention, own_attention, without_cache

__all__ = ["KeepComposites", "composite_attention", "own_attention", "without_cache"]
