# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowerings of ATen ops (and of our composites), one file an op family. Every module of this folder registers those of
its family (registry.py): a new family is a new file, which nothing else names."""
import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
