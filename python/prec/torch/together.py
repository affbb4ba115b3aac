# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several optimizers of one step, as Muon needs them, which takes matrices alone: one optimizer with the groups of all.

The groups are the optimizers' own dictionaries, so what stands in for a parameter in one stands in for it in the other.
"""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import torch

from ..errors import ImportFailure


class Together(torch.optim.Optimizer):
    """Raises ImportFailure where the optimizers update one parameter twice, or are none."""

    def __init__(self, optimizers: Sequence[torch.optim.Optimizer]) -> None:
        for one in optimizers:
            if not isinstance(one, torch.optim.Optimizer):
                raise ImportFailure(f"the optimizers of a step must be of torch.optim.Optimizer but got {type(one).__name__}")
        seen: set[int] = set()
        for one in optimizers:
            for p in (p for group in one.param_groups for p in group["params"]):
                if id(p) in seen:
                    raise ImportFailure(f"every parameter must be in one optimizer but one of shape {list(p.shape)} is in two")
                seen.add(id(p))
        groups = [group for one in optimizers for group in one.param_groups]
        super().__init__([{"params": list(group["params"])} for group in groups], {})
        self.optimizers = list(optimizers)
        self.param_groups = groups
        self.state = defaultdict(dict, {p: held for one in optimizers for p, held in one.state.items()})

    def of_group(self, group: dict[str, Any]) -> torch.optim.Optimizer:
        return next(one for one in self.optimizers if any(group is held for held in one.param_groups))

    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        for one in self.optimizers:
            own = one.state
            one.state = self.state
            try:
                one.step()
            finally:
                one.state = own


def together(optimizer: torch.optim.Optimizer | Sequence[torch.optim.Optimizer]) -> torch.optim.Optimizer:
    """One optimizer for a list of them."""
    if isinstance(optimizer, torch.optim.Optimizer) or not isinstance(optimizer, Sequence):
        return optimizer
    if not optimizer:
        raise ImportFailure("a step must have an optimizer but got an empty list")
    return optimizer[0] if len(optimizer) == 1 else Together(optimizer)
