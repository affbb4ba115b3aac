# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prec.jax.compile: a step with the signature of JAX's own that runs a compiled module."""
from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..cache import Cache
from ..errors import StepFailure
from ..module import Module
from ..tools import more_options, run_tool
from .exchange import Exchange
from .importer import Import, import_jax
from .memory import Device, check_memory, default_target, device_for, memory_of
from .trace import is_array
from .views import Views, refuse_views


def compile(
    step: Callable[..., Any],
    *arguments: Any,
    recipe: str | os.PathLike[str] = "fp8-hybrid",
    target: str | None = None,
    verify: bool = True,
    donate: bool = True,
    views: bool | None = None,
    compiler_options: Sequence[str] = (),
    cache: str | os.PathLike[str] | None = None,
    threads: int = 0,
) -> CompiledStep:
    """Compiles a training step in JAX (docs/Jax.md).

        prec_step = prec.jax.compile(step, params, opt_state, batch, recipe="fp8-hybrid")
        params, opt_state, loss = prec_step(params, opt_state, batch)

    step, arguments, verify: of prec.import_jax. The arguments give shapes; each call gives the state.
    recipe: which formats (docs/Recipes.md): a name, or a file that ends in .json. target: "cpu", or a GPU such as
      "sm_90a"; by default that of JAX's first device, if the compiler has it, else the CPU.
    donate: whether a call takes the arrays of the state that it is given, which are deleted, as with donate_argnums.
    views: whether the state that is returned is the step's own memory (on a GPU, always) or copies (on the CPU by
      default). Without donation all are copies.
    compiler_options: of prec-compile. cache: the folder where compiled steps are kept; ~/.cache/prec by default.
      threads: of a step on the CPU; 0 is one a processor.
    Raises ImportFailure, CompileFailure, and StepFailure where a GPU has not enough memory.
    """
    target = target or default_target()
    device = device_for(target)
    if views is False and device.is_gpu:
        raise refuse_views(target)
    imported = import_jax(step, *arguments, verify=verify)
    formats = os.fspath(recipe)
    options = [f"--recipe-file={formats}" if formats.endswith(".json") else f"--recipe={formats}", f"--target={target}", *compiler_options]
    options += [] if target == "cpu" else more_options("prec-compile", options)
    store = Cache(cache)

    def build(graph: Path, module: Path) -> None:
        run_tool("prec-compile", [graph, *options, f"--kernel-cache={store.folder / 'kernels'}", "-o", module])
    path = store.module(imported.mlir, options, build)
    return CompiledStep(imported, _open(path, device, threads), donate, device if device.is_gpu or views else None)


def _open(path: Path, device: Device, threads: int) -> Module:
    if device.is_gpu:
        check_memory(device.jax_device, memory_of(run_tool("prec-run", [path, "--inspect"])))
    return device.open(path, threads)


class CompiledStep:
    """A compiled step. A call takes what the step takes, and returns what it returns, as new arrays; those of the state
    that was given are deleted, unless donate=False. The state of the last call stays in the module: given back, it is
    not copied again."""

    def __init__(self, imported: Import, module: Module, donate: bool, shared: Device | None = None) -> None:
        """shared: where memory is shared with JAX; None: it is copied."""
        self.imported, self.module, self.donate = imported, module, donate
        self._exchange = Exchange(imported, module, donate) if shared is None else Views(imported, module, donate, shared)
        # Also where Python ends while somebody, such as a cache of JAX, still holds the step.
        weakref.finalize(self, self._exchange.close)

    def __call__(self, *arguments: Any) -> Any:
        """One step. Raises StepFailure for arguments of other trees, shapes or dtypes, and what Module.step raises;
        then nothing has changed."""
        traced = self.imported.traced
        rest = iter(self._exchange.step(self._arrays(arguments)))
        leaves = [traced.static_out[n] if n in traced.static_out else next(rest) for n in range(traced.out_tree.num_leaves)]
        return jax.tree_util.tree_unflatten(traced.out_tree, leaves)

    @property
    def skipped(self) -> str | None:
        """What was not finite in the last step ("loss", "gradient of NAME"), which changed nothing for that reason;
        None after a good step. Waits for a GPU."""
        return self._exchange.fault

    @property
    def graph(self) -> str:
        """The imported step, as MLIR text."""
        return self.imported.mlir

    def close(self) -> None:
        self._exchange.close()

    def _arrays(self, arguments: tuple[Any, ...]) -> list[Any]:
        traced = self.imported.traced
        leaves, tree = jax.tree_util.tree_flatten(arguments)
        if tree != traced.in_tree:
            raise StepFailure(f"arguments must have the trees that the step was compiled for but got {tree}")
        # A number of Python may stand for an array, as the count of steps of a new TrainState of Flax.
        arrays = [jnp.asarray(leaf) if type(leaf) in (int, float) else leaf for n, leaf in enumerate(leaves) if n not in traced.static]
        for i, (name, given, array) in enumerate(zip(traced.names, arrays, traced.arrays, strict=True)):
            held = self._exchange.held.get(i)
            if held is None or held() is not given:
                given_type = (tuple(np.shape(given)), str(getattr(given, "dtype", np.asarray(given).dtype) if not is_array(given) else given.dtype))
                if given_type != (tuple(array.shape), str(array.dtype)):
                    raise StepFailure(f"{name} must be {array.dtype}{list(array.shape)} but got {given_type[1]}{list(given_type[0])}")
            if getattr(given, "is_deleted", lambda: False)():
                raise StepFailure(f"{name} was given to a step before, which has deleted it: give what that step returned")
        for n, leaf in traced.static.items():
            if type(leaves[n]) is not type(leaf) or isinstance(leaf, (bool, int, float, str)) and leaves[n] != leaf:
                raise StepFailure(f"what is no array must be as it was when the step was compiled, {leaf!r}, but got {leaves[n]!r}")
        return arrays
