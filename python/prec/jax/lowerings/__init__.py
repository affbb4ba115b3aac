# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What becomes of each primitive; every module here registers its own."""
import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
