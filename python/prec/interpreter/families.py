# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that are not in a backend's class but in the files of a folder beside it, one a family."""
from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from typing import Any


@functools.cache
def operations(folder: str) -> Mapping[str, Callable[..., Any]]:
    """What the modules of a folder of this package define as op_prec_train_rope(backend, attributes, operation,
    *operands), by that name. A new family is a new file, which nothing else names."""
    package = importlib.import_module(f"{__package__}.{folder}")
    found: dict[str, Callable[..., Any]] = {}
    for module in pkgutil.iter_modules(package.__path__):
        for name, function in vars(importlib.import_module(f"{package.__name__}.{module.name}")).items():
            if name.startswith("op_"):
                assert name not in found, name
                found[name] = function
    return found
