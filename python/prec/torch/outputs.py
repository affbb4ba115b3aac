# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of the forward pass that a step gives beside its loss, by name: what the model returns (`logits`,
`hidden_states.1`), or what one of its modules does (`model.norm`)."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from ..errors import ImportFailure


class Outputs:
    """Of one forward. `see` is told what each module returns; of one that runs again, to recompute, the first."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self._seen: dict[str, Any] = {}

    def see(self, path: str, result: Any) -> None:
        if path in self.names:
            self._seen.setdefault(path, result)

    def clear(self) -> None:
        self._seen.clear()

    def read(self, output: Any) -> list[torch.Tensor]:
        """Raises ImportFailure for a name that stands for no tensor of numbers."""
        return [self._read(output, name) for name in self.names]

    def _read(self, output: Any, name: str) -> torch.Tensor:
        value = output
        for part in name.split("."):
            value = _part(value, part)
        if value is None and name in self._seen:
            value = next((t for t in tree_leaves(self._seen[name]) if isinstance(t, torch.Tensor)), None)
        if not isinstance(value, torch.Tensor) or value.is_complex():
            known = ", ".join(_names(output)) or "nothing that has a name"
            got = "nothing" if value is None else type(value).__name__
            raise ImportFailure(f"an output must be a tensor that forward or a module of the model returns but '{name}' is {got}: forward returns "
                                f"{known}")
        return value.detach()


def _part(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name)
    if isinstance(value, (list, tuple)) and name.isdigit():
        return value[int(name)] if int(name) < len(value) else None
    return None if isinstance(value, torch.Tensor) else getattr(value, name, None)


def _names(output: Any) -> Iterator[str]:
    if isinstance(output, Mapping):
        yield from (str(name) for name, value in output.items() if isinstance(value, torch.Tensor))
    elif isinstance(output, (list, tuple)):
        yield from (str(i) for i, value in enumerate(output) if isinstance(value, torch.Tensor))
