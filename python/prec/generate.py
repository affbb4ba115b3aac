# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Token ids that a causal model writes, from the logits of a module's `eval`.

Every new token is one `eval` of the whole batch, without a cache of keys and values: enough to see what a model has
learned. What follows a text is filler, which a causal model does not see.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .errors import InvalidArgument
from .module import Module


def generate(
    module: Module,
    prompts: Sequence[Sequence[int]],
    length: int,
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    stop: int | None = None,
    seed: int = 0,
    batch: Mapping[str, Any] | None = None,
    inputs: str = "input_ids",
    logits: str = "logits",
) -> list[list[int]]:
    """Each prompt with up to `length` more tokens.

    module: of a causal model that was imported with outputs=("logits",); it takes as many prompts as a batch has rows.
    temperature: 0 takes the likeliest token; otherwise tokens are drawn, of the `top_k` likeliest. stop: a token that
    ends a text. batch: what the module's other inputs get; by default a mask has ones where there is text, positions
    count from 0, and labels are ignored. A text that is longer than a row is seen by its last tokens.
    """
    bindings = {b.name: b for b in module.bindings}
    for name, role in ((inputs, "batch"), (logits, "metric")):
        if name not in bindings or bindings[name].role != role:
            what = "an input of the batch" if role == "batch" else "an output, which the import was asked for"
            raise InvalidArgument(f"'{name}' must be {what}, but the module has none of this name")
    rows, width = bindings[inputs].shape
    if not 0 < len(prompts) <= rows or not all(prompts):
        raise InvalidArgument(f"there must be 1 to {rows} prompts of at least one token, but got {[len(p) for p in prompts]}")
    if temperature < 0 or top_k is not None and top_k < 1:
        raise InvalidArgument(f"temperature must be 0 or positive and top_k at least 1, but got {temperature} and {top_k}")
    ignored = {b["name"]: b["ignore_index"] for b in module.manifest["bindings"] if b["role"] == "batch" and "ignore_index" in b}
    texts, draw = [list(prompt) for prompt in prompts], np.random.default_rng(seed)
    ended = [False] * len(texts)
    for _ in range(length):
        if all(ended):
            break
        ids, mask = np.zeros((rows, width), np.int64), np.zeros((rows, width), np.int64)
        seen = [text[-width:] for text in texts]
        for row, text in enumerate(seen):
            ids[row, :len(text)], mask[row, :len(text)] = text, 1
        mask[len(seen):, 0] = 1
        given = {name: _filled(bindings[name], ids, mask, name == inputs, ignored.get(name)) for name, b in bindings.items() if b.role == "batch"}
        found = module.eval(given | dict(batch or {}))[logits]
        found = np.asarray(found, np.float64).reshape(rows, -1, found.shape[-1])
        for row, text in enumerate(seen):
            if not ended[row]:
                texts[row].append(_choose(found[row, len(text) - 1], temperature, top_k, draw))
                ended[row] = texts[row][-1] == stop
    return texts


def _filled(binding: Any, ids: np.ndarray, mask: np.ndarray, is_inputs: bool, ignored: int | None) -> np.ndarray:
    """What an input of the batch gets where the caller says nothing."""
    if is_inputs:
        return ids
    if ignored is not None:
        return np.full(binding.shape, ignored, np.int64)
    if "mask" in binding.name and binding.shape == mask.shape:
        return mask.astype(np.float32 if binding.dtype == "float32" else binding.dtype)
    if "position" in binding.name and binding.shape[-1:] == ids.shape[-1:]:
        return np.broadcast_to(np.arange(ids.shape[1]), binding.shape)
    return np.zeros(binding.shape, np.float32 if binding.dtype in ("float32", "bfloat16") else np.int64 if binding.dtype != "bool" else np.bool_)


def _choose(logits: np.ndarray, temperature: float, top_k: int | None, draw: np.random.Generator) -> int:
    if temperature == 0:
        return int(logits.argmax())
    scores = logits / temperature
    if top_k is not None and top_k < scores.size:
        scores = np.where(scores < np.partition(scores, -top_k)[-top_k], -np.inf, scores)
    weights = np.exp(scores - scores.max())
    return int(draw.choice(scores.size, p=weights / weights.sum()))
