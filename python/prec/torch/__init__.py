# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The PyTorch importer: one traced training step becomes a graph of the prec_train dialect."""
from .importer import Import, import_torch
from .weightless import weightless

__all__ = ["Import", "import_torch", "weightless"]
