# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of a family's fp32 step over some steps, beside those of PyTorch, which drops and draws what the step does.

Each step has the same rows with their tokens in another order, or other pixels. How far the two may part told.py says.
"""
from __future__ import annotations

import warnings
from collections.abc import Iterator

import torch
from families import FAMILIES, adamw
from told import TOLERANCE, apart, bounds_of, judged
from torch.nn.attention import SDPBackend, sdpa_kernel

from prec.torch.drawn_alike import drawn_as
from prec.torch.trace import annotated, backward

# Families whose steps are for batches that agree in where masks, separators and boxes are.
_AGREE = ("longformer", "udop")
_WORDS = 4, 100


def with_other_words(batch: dict, step: int) -> dict:
    """The same rows with other words at the places of words, and pixels moved."""
    ids, (low, high) = batch["input_ids"], _WORDS
    made = batch | {"input_ids": torch.where((ids >= low) & (ids < high), low + (ids - low + 7 * step) % (high - low), ids)}
    return made | {name: t.roll(step, -1) for name, t in batch.items() if name == "pixel_values"}


def shuffled(batch: dict, step: int) -> dict:
    """The same rows with their tokens in another order, or their pixels and samples moved."""
    if "input_ids" not in batch:
        return {name: t.roll(step, -1) if isinstance(t, torch.Tensor) and t.is_floating_point() and t.dim() > 2 else t for name, t in batch.items()}
    ids = batch["input_ids"]
    order = torch.randperm(ids.shape[-1], generator=torch.Generator().manual_seed(step))
    return {name: t[..., order] if isinstance(t, torch.Tensor) and t.shape == ids.shape else t for name, t in batch.items()}


def train(model, optimizer, batches) -> Iterator[float]:
    for number, batch in enumerate(batches):
        # By products and a softmax: PyTorch's fused attention for the CPU has another gradient than these where a query
        # sees no key but by numbers that leave nothing of its scores.
        with annotated(model), drawn_as(number + 1), sdpa_kernel(SDPBackend.MATH):
            loss = model(**batch).loss
            backward(loss)
        torch.nn.utils.clip_grad_norm_([p for p in model.parameters() if p.requires_grad], 1.0)
        optimizer.step()
        optimizer.zero_grad()
        yield loss.item()


def in_double(name: str, batches) -> list[float]:
    model, _ = FAMILIES[name].build()
    torch.set_default_dtype(torch.float64)
    try:
        model = model.double()
        batches = [{n: t.double() if isinstance(t, torch.Tensor) and t.is_floating_point() else t for n, t in b.items()} for b in batches]
        return list(train(model, adamw(model), batches))
    finally:
        torch.set_default_dtype(torch.float32)


def from_near(name: str, batches, seed: int) -> list[float]:
    """From weights of which each is an ulp away, or none."""
    model, _ = FAMILIES[name].build()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(1 + 2.0 ** -23 * torch.randint(-1, 2, p.shape, generator=generator))
    return list(train(model, adamw(model), batches))


def compare(name: str, module, model, batch: dict, steps: int) -> dict:
    """{"steps", "told": of how many of them PyTorch determines the loss, "distance": the largest in these, "bound":
    what it may be, "within"}; distances are parts of the loss. The model trains."""
    change = with_other_words if name.startswith(_AGREE) else shuffled
    batches = [change(batch, step) for step in range(steps)]
    wanted = {binding.name for binding in module.bindings if binding.role == "batch"}
    got = [module.step(arrays(b, wanted))["loss"] for b in batches]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        right = list(train(model, adamw(model), batches))
        bounds = [TOLERANCE] * steps
        if not max(apart(got, right)) <= TOLERANCE:
            others = [from_near(name, batches, seed) for seed in range(3)]
            try:
                others.append(in_double(name, batches))
            except Exception:
                # A model may ask for float32 by name.
                pass
            bounds = bounds_of(others, right)
    return judged(got, right, bounds)


def arrays(batch: dict, wanted: set[str]) -> dict:
    """What the module reads of a batch: whole numbers in 32 bits."""
    flat: dict[str, torch.Tensor] = {}

    def add(name: str, value) -> None:
        if isinstance(value, torch.Tensor):
            flat[name] = value
        elif isinstance(value, dict):
            for key, held in value.items():
                add(f"{name}.{key}", held)
        elif isinstance(value, (list, tuple)):
            for i, held in enumerate(value):
                add(f"{name}.{i}", held)
    for name, value in batch.items():
        add(name, value)
    return {name: (t if t.is_floating_point() or t.dtype == torch.bool else t.int()).numpy() for name, t in flat.items() if name in wanted}
