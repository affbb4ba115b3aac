# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where in the model the code that runs now is."""
from __future__ import annotations

import torch
import torch.fx.traceback as traceback


def here() -> str:
    """Path of the innermost module that runs in a trace; "" in the model itself and outside of a trace."""
    return (traceback.current_meta.get("custom") or {}).get("path", "")


def place(module: torch.nn.Module | None = None) -> str:
    """For messages: the path, and the class of a module that is known."""
    path, kind = here(), "" if module is None else type(module).__name__
    return f"{path} ({kind})" if path and kind else path or kind or "the model"
