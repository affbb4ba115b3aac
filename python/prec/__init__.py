# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prec: compile a training step, import one, and run step modules."""
from typing import TYPE_CHECKING

from ._version import __version__
from .errors import CompileFailure, Error, ImportFailure, StepFailure

__all__ = ["Assignment", "Communicator", "CompileFailure", "Error", "ImportFailure", "Module", "RuntimeFailure", "StepFailure", "TokenDataset",
           "__version__", "assign", "choose_lengths", "compile", "compile_graph", "connect", "import_jax", "import_torch", "jax", "lightning",
           "lora", "transformers", "trl", "tune", "weightless"]

if TYPE_CHECKING:
    from . import jax, lightning, lora, transformers, trl
    from .compiler import Assignment, assign, compile_graph
    from .data import TokenDataset
    from .jax.importer import import_jax
    from .module import Module, RuntimeFailure
    from .ranks import Communicator, connect
    from .torch.compile.front import compile
    from .torch.compile.shapes import choose_lengths
    from .torch.importer import import_torch
    from .torch.weightless import weightless
    from .tuning import tune


def __getattr__(name: str) -> object:
    # Importing PyTorch takes seconds; running a step module does not need it.
    if name in ("import_torch", "weightless"):
        from . import torch as importer
        return getattr(importer, name)
    if name == "import_jax":
        from . import jax
        return jax.import_jax
    if name in ("Assignment", "assign", "compile_graph"):
        from . import compiler
        return getattr(compiler, name)
    if name == "compile":
        from .torch.compile import front
        return front.compile
    if name == "choose_lengths":
        from .torch.compile import shapes
        return shapes.choose_lengths
    if name in ("jax", "lightning", "lora", "transformers", "trl"):
        import importlib
        return importlib.import_module("." + name, __name__)
    if name == "tune":
        from . import tuning
        return tuning.tune
    if name == "TokenDataset":
        from . import data
        return data.TokenDataset
    if name in ("Communicator", "connect"):
        from . import ranks
        return getattr(ranks, name)
    if name in ("Module", "RuntimeFailure"):
        from . import module
        return getattr(module, name)
    raise AttributeError(f"module 'prec' has no attribute {name!r}")
