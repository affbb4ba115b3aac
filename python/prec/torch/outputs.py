# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of the forward pass that a step gives beside its loss, by name: what the model returns (`logits`,
`hidden_states.1`), what one of its modules does (`model.norm`), or what the user measures of the model's output."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from ..errors import ImportFailure

# Of the model's output and the batch's tensors by name: further tensors by name.
Measure = Callable[[Any, Mapping[str, torch.Tensor]], Mapping[str, torch.Tensor]]


class Outputs:
    """Of one forward. `see` is told what each module returns; of one that runs again, to recompute, the first. After
    `read`, `names` has those of what was measured as well."""

    def __init__(self, names: Sequence[str], measure: Measure | None = None) -> None:
        self.names, self._asked, self._measure = list(names), list(names), measure
        self._seen: dict[str, Any] = {}

    def see(self, path: str, result: Any) -> None:
        if path in self._asked:
            self._seen.setdefault(path, result)

    def clear(self) -> None:
        self._seen.clear()

    def read(self, output: Any, batch: Mapping[str, torch.Tensor]) -> list[torch.Tensor]:
        """Raises ImportFailure for a name that stands for no tensor of numbers."""
        measured = self._measured(output, batch)
        self.names = [*self._asked, *measured]
        return [*(self._read(output, name) for name in self._asked), *measured.values()]

    def _measured(self, output: Any, batch: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        if self._measure is None:
            return {}
        with torch.no_grad():
            given = self._measure(output, batch)
            if not isinstance(given, Mapping):
                kind = "a tensor" if isinstance(given, torch.Tensor) else type(given).__name__
                raise ImportFailure(f"measure= must return tensors by name but got {kind}")
            for name, value in given.items():
                if not isinstance(name, str) or name in (*self._asked, "loss", "grad_norm"):
                    raise ImportFailure(f"what is measured must have a name of its own but got {name!r}")
                if not isinstance(value, torch.Tensor) or value.is_complex():
                    raise ImportFailure(f"what is measured must be a tensor of numbers but '{name}' is {type(value).__name__}")
            return {name: value.detach().to(torch.float32).reshape(value.shape or (1,)) for name, value in given.items()}

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
