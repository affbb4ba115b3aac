# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of small buffers that forward reads: whether an observer is on, whether a layer has been initialized.

What follows from such buffers and constants alone has a value beside it, as constants have (constants.py), and forward
goes the way that it goes with it. The step has a condition for each read, that the buffers still hold what they held:
its loss is NaN where they do not. A buffer that forward itself changes is none of them.
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import _disable_current_modes

from ..errors import ImportFailure

if TYPE_CHECKING:
    from .constants import Constants

_MOST = 16  # Elements.


class Storages:
    """Of tensors. A weak reference keeps a storage's address, so that it names no other storage later, and not its
    elements."""

    def __init__(self) -> None:
        self._by_address: dict[int, StorageWeakRef] = {}

    def add(self, tensor: torch.Tensor) -> None:
        self._by_address[tensor.untyped_storage()._cdata] = StorageWeakRef(tensor.untyped_storage())

    def __contains__(self, tensor: torch.Tensor) -> bool:
        return tensor.untyped_storage()._cdata in self._by_address


class Flags:
    def __init__(self, constants: Constants) -> None:
        self._constants = constants
        self._written = Storages()
        # The buffers of which a value was read.
        self._read: set[str] = set()

    @staticmethod
    def give(tensor: torch.Tensor, name: str, held: torch.Tensor) -> None:
        """Of a buffer, what it holds, where that is little and at hand."""
        if type(held) is torch.Tensor and not held.is_meta and not held.is_complex() and held.numel() <= _MOST:
            with _disable_current_modes(), torch.no_grad():
                tensor._prec_flag = held.detach().cpu().clone(), frozenset([name])  # type: ignore[attr-defined]

    def check(self, changed: Iterable[str]) -> None:
        """changed: the buffers that the step changes. The next step begins with no reads."""
        read, self._read = self._read, set()
        moving = sorted(read.intersection(changed))
        if moving:
            raise ImportFailure(f"forward must read no value of a buffer that it changes but reads one of {moving[0]}: run forward once before the "
                                "import if that changes it for good, or keep it a tensor (torch.where in place of an `if`)")

    def _value(self, tensor: torch.Tensor) -> torch.Tensor | None:
        shadow = self._constants._shadow(tensor)
        if shadow is not None:
            return shadow
        value: torch.Tensor | None = getattr(tensor, "_prec_flag", (None,))[0]
        return None if value is None or value in self._written else value

    def follow(
        self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], tensors: Sequence[torch.Tensor], outputs: Sequence[torch.Tensor],
        written: Sequence[torch.Tensor]
    ) -> None:
        """written: what the operation writes to."""
        flags = [t._prec_flag for t in tensors if hasattr(t, "_prec_flag")]
        for t in written:
            if hasattr(t, "_prec_flag"):
                self._written.add(t._prec_flag[0])
        if not flags or written or torch.Tag.nondeterministic_seeded in func.tags or sum(t.numel() for t in outputs) > _MOST \
                or any(self._value(t) is None for t in tensors):
            return
        names = frozenset[str]().union(*(names for _, names in flags))
        for tensor, value in zip(outputs, self._constants._computed(func, args, kwargs, self._value)):
            tensor._prec_flag = value, names  # type: ignore[attr-defined]

    def read(self, func: Any, tensors: Sequence[torch.Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a read of what follows from buffers reads of what they hold; None of anything else."""
        if func is torch.ops.aten.equal.default or any(self._value(t) is None for t in tensors):
            return None
        value = self._constants._compute(func, args, kwargs, self._value)
        names = frozenset[str]().union(*(t._prec_flag[1] for t in tensors if hasattr(t, "_prec_flag")))
        self._read |= names
        self._constants._require((tensors[0] == value).reshape(()), tensors, f"read {value} of {', '.join(sorted(names))}")
        return value
