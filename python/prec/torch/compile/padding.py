# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether positions that complete sequences change the loss, tried with the user's own model.

The model computes the loss of two rows of a batch as they are, and completed: with zeros, and with random ids, in the
places of ids. All must be one loss. A causal model passes, and so does one whose batch has a mask of attention, which
then hides the positions; one that attends to everything, or takes a mean over positions, does not. What is tried is a
function of the weights at one point, which is generic for weights that are not chosen; the model runs in evaluation
mode, without gradients, and is left as it was.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping

import torch

from ...errors import StepFailure
from ..trace import left_alone, scalar_loss
from .inputs import Inputs
from .private import checked_indices
from .program import Program

_ROWS = 2


def check_positions(model: torch.nn.Module, loss: Callable[..., torch.Tensor] | None, inputs: Inputs, program: Program,
                    given: Mapping[str, torch.Tensor], completed: Mapping[str, torch.Tensor]) -> None:
    """StepFailure if the losses of a batch and of the same batch completed differ."""
    device = next((p.device for p in model.parameters()), torch.device("cpu"))

    def loss_of(tensors: Mapping[str, torch.Tensor]) -> float:
        # Inputs without rows (a table for all) stay whole.
        rows = {n: (t[:_ROWS] if t.dim() and t.shape[0] == next(iter(tensors.values())).shape[0] else t).to(device) for n, t in tensors.items()}
        return float(scalar_loss(inputs.call(model, rows), loss, inputs.batch, rows))
    modes = [(module, module.training) for module in model.modules()]
    try:
        with torch.no_grad(), left_alone(model, loss):
            model.eval()
            with checked_indices():
                plain, zeros, others = loss_of(given), loss_of(completed), loss_of(_with_random_ids(program, given, completed))
    except IndexError as error:
        raise StepFailure("sequences must be of the length that the step was compiled for, as the model does not take the positions that complete "
                          f"them: {error}") from error
    finally:
        for module, mode in modes:
            module.training = mode
    narrow = any(p.dtype in (torch.bfloat16, torch.float16) for p in model.parameters())
    most = (2e-2 if narrow else 1e-4) * max(abs(plain), 1e-3)
    for value, what in ((zeros, "zeros"), (others, "other ids")):
        if not abs(value - plain) <= most:
            raise StepFailure("sequences must be of the length that the step was compiled for, as positions that complete them change the loss, "
                              f"from {plain:.6g} to {value:.6g} with {what}: give an attention_mask, or batches of one length")


def _with_random_ids(program: Program, given: Mapping[str, torch.Tensor], completed: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    result = dict(completed)
    for name, tensor in completed.items():
        rows = program.vocabularies.get(name)
        if rows is None or name in program.ignored or tensor.shape == given[name].shape:
            continue
        whole = torch.randint(0, rows, tensor.shape, generator=generator).to(tensor)
        whole[tuple(slice(0, size) for size in given[name].shape)] = given[name].to(tensor)
        result[name] = whole
    return result
