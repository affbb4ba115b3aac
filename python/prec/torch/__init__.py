# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The PyTorch importer: one traced training step becomes a graph of the prec_train dialect."""
from .custom import host_functions
from .importer import Import, import_torch
from .kernels import Launch, register_kernel, register_triton
from .weightless import weightless

__all__ = ["Import", "Launch", "host_functions", "import_torch", "register_kernel", "register_triton", "weightless"]
