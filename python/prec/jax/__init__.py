# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps of JAX, imported from their jaxprs and compiled (docs/Jax.md)."""
from .compile import CompiledStep, compile
from .importer import Import, import_jax

__all__ = ["CompiledStep", "Import", "compile", "import_jax"]
