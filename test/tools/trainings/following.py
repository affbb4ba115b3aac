# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of a training's fp32 step beside PyTorch's. What forward drops and draws is what the step does
(prec.torch.drawn_alike). How far the two may part told.py says."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

import torch
from told import TOLERANCE, apart, bounds_of, judged
from torch.nn.attention import SDPBackend, sdpa_kernel

from prec.torch.drawn_alike import drawn_as
from prec.torch.trace import annotated, backward

from . import Training


def losses(training: Training, steps: int, double: bool = False, near: int | None = None) -> Iterator[float]:
    """double: in float64. near: from weights an ulp away or none, by this seed."""
    # Before the default type is another one, by which weights and batches would be drawn otherwise.
    model, batches = training.build(), [training.batch(step) for step in range(steps)]
    if near is not None:
        generator = torch.Generator().manual_seed(near)
        with torch.no_grad():
            for p in model.parameters():
                p.mul_(1 + 2.0**-23 * torch.randint(-1, 2, p.shape, generator=generator).to(p.dtype))
    default = torch.get_default_dtype()
    if double:
        model = model.double()
        torch.set_default_dtype(torch.float64)
    try:
        yield from _train(training, model, batches, double)
    finally:
        torch.set_default_dtype(default)


def _train(training: Training, model: torch.nn.Module, batches: Sequence[dict[str, torch.Tensor]], double: bool) -> Iterator[float]:
    made = training.optimizer(model)
    optimizers = made if isinstance(made, Sequence) else [made]
    for step, batch in enumerate(batches):
        if double:
            batch = {name: t.double() if t.is_floating_point() else t for name, t in batch.items()}
        for optimizer in optimizers:
            optimizer.zero_grad()
        # By products and a softmax: PyTorch's fused attention for the CPU has another gradient than these where a query
        # sees no key but by numbers that leave nothing of its scores.
        with annotated(model), drawn_as(step + 1), sdpa_kernel(SDPBackend.MATH):
            loss = model(**batch)
            backward(loss)
        for optimizer in optimizers:
            optimizer.step()
        yield loss.item()


def compare(training: Training, module, steps: int) -> dict:
    """As followed_losses.compare."""
    wanted = {binding.name for binding in module.bindings if binding.role == "batch"}
    got = []
    for step in range(steps):
        batch = {name: t if t.is_floating_point() or t.dtype == torch.bool else t.int() for name, t in training.batch(step).items() if name in wanted}
        got.append(module.step({name: t.numpy() for name, t in batch.items()})["loss"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        right = list(losses(training, steps))
        bounds = [TOLERANCE] * steps
        if not max(apart(got, right)) <= TOLERANCE:
            others = [list(losses(training, steps, near=seed)) for seed in range(3)]
            try:
                others.append(list(losses(training, steps, double=True)))
            except RuntimeError:
                # A model may ask for float32 by name.
                pass
            bounds = bounds_of(others, right)
    return judged(got, right, bounds)
