# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations as others, one file a family, in PyTorch. A new family is a new file, which nothing else
names."""
import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
