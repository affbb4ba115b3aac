# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Build a model without memory for its parameters."""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


class _EmptyOnMeta(TorchFunctionMode):
    def __torch_function__(
        self, function: Callable[..., Any], types: Sequence[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if function is torch.empty and kwargs.get("device") is None:
            kwargs = {**kwargs, "device": "meta"}
        return function(*args, **kwargs)


@contextlib.contextmanager
def weightless() -> Iterator[None]:
    """Uninitialized storage (torch.empty, that is layers' weights) goes to the meta device; computed constants stay
    real.

    A model built so has no memory for its weights, but rotary tables and the like keep their values, which
    `with torch.device("meta")` and fake tensors lose. import_torch takes it as it is; the graph's text is the same.
    """
    with _EmptyOnMeta():
        yield
