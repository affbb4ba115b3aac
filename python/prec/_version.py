# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The version of the package, the tools and the runtime; builds read it here (cmake/PrecVersion.cmake,
pyproject.toml)."""
__version__ = "0.1.0"
