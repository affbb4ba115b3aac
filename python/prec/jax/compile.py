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
from .importer import Import, import_jax
from .trace import is_array


def compile(
    step: Callable[..., Any],
    *arguments: Any,
    recipe: str | os.PathLike[str] = "fp8-hybrid",
    target: str = "cpu",
    verify: bool = True,
    donate: bool = True,
    compiler_options: Sequence[str] = (),
    cache: str | os.PathLike[str] | None = None,
    threads: int = 0,
) -> CompiledStep:
    """Compiles a training step in JAX (docs/Jax.md).

        prec_step = prec.jax.compile(step, params, opt_state, batch, recipe="fp8-hybrid")
        params, opt_state, loss = prec_step(params, opt_state, batch)

    step, arguments, verify: of prec.import_jax. The arguments give shapes; each call gives the state.
    recipe: which formats (docs/Recipes.md): a name, or a file that ends in .json. target: "cpu", or a GPU such as
      "sm_90a".
    donate: whether a call takes the arrays of the state that it is given, which are deleted, as with donate_argnums.
    compiler_options: of prec-compile. cache: the folder where compiled steps are kept; ~/.cache/prec by default.
      threads: of a step on the CPU; 0 is one a processor.
    Raises ImportFailure, CompileFailure.
    """
    imported = import_jax(step, *arguments, verify=verify)
    formats = os.fspath(recipe)
    options = [f"--recipe-file={formats}" if formats.endswith(".json") else f"--recipe={formats}", f"--target={target}", *compiler_options]
    options += [] if target == "cpu" else more_options("prec-compile", options)

    def build(graph: Path, module: Path) -> None:
        run_tool("prec-compile", [graph, *options, "-o", module])
    path, _ = Cache(cache).module(imported.mlir, options, build)
    return CompiledStep(imported, Module(path, threads=threads), donate)


# Dtypes of a state in a module, which hold those of JAX exactly, as far as recipes leave masters in FP32.
_HELD = ("float32", "int32", "int64", "bool")


class CompiledStep:
    """A compiled step. A call takes what the step takes, and returns what it returns, as new arrays; those of the state
    that was given are deleted, unless donate=False. The state of the last call stays in the module: given back, it is
    not copied again."""

    def __init__(self, imported: Import, module: Module, donate: bool) -> None:
        self.imported, self.module, self.donate = imported, module, donate
        self._bindings = {b.name: b for b in module.bindings}
        missing = [p for paths in imported.paths.values() for p in paths if p is not None and p not in self._bindings]
        assert not missing, missing
        # Also where Python ends while somebody, such as a cache of JAX, still holds the step.
        weakref.finalize(self, module.close)
        # Of each array of the state, what the module holds.
        self._held: dict[int, weakref.ref[Any]] = {}

    def __call__(self, *arguments: Any) -> Any:
        """One step. Raises StepFailure for arguments of other trees, shapes or dtypes, and what Module.step raises;
        then nothing has changed."""
        traced = self.imported.traced
        arrays = self._arrays(arguments)
        batch = {name: np.asarray(arrays[i]) for i, name in enumerate(traced.names) if i not in traced.state_of and name in self._bindings}
        self._take(arrays)
        found = self.module.step(batch)
        if self.donate:
            self._delete(arrays)
        out: list[Any] = [None] * len(traced.closed.out_avals)
        for i, o in traced.state_of.items():
            if i not in self.imported.leaves:
                out[o] = arrays[i]
                continue
            out[o] = self._export(i, arrays[i], traced.closed.out_avals[o])
            self._held[i] = weakref.ref(out[o])
        out[traced.loss] = jnp.asarray(found["loss"], traced.closed.out_avals[traced.loss].dtype)
        for o, name in traced.metrics.items():
            aval = traced.closed.out_avals[o]
            value = found[name] if name in found else self.module.get(name, "float32")
            out[o] = jnp.asarray(value, aval.dtype).reshape(aval.shape)
        rest = iter(out)
        leaves = [traced.static_out[n] if n in traced.static_out else next(rest) for n in range(traced.out_tree.num_leaves)]
        return jax.tree_util.tree_unflatten(traced.out_tree, leaves)

    @property
    def graph(self) -> str:
        """The imported step, as MLIR text."""
        return self.imported.mlir

    def close(self) -> None:
        self.module.close()

    def _arrays(self, arguments: tuple[Any, ...]) -> list[Any]:
        traced = self.imported.traced
        leaves, tree = jax.tree_util.tree_flatten(arguments)
        if tree != traced.in_tree:
            raise StepFailure(f"arguments must have the trees that the step was compiled for but got {tree}")
        # A number of Python may stand for an array, as the count of steps of a new TrainState of Flax.
        arrays = [jnp.asarray(leaf) if type(leaf) in (int, float) else leaf for n, leaf in enumerate(leaves) if n not in traced.static]
        for name, given, array in zip(traced.names, arrays, traced.arrays, strict=True):
            given_type = (tuple(np.shape(given)), str(getattr(given, "dtype", np.asarray(given).dtype) if not is_array(given) else given.dtype))
            if given_type != (tuple(array.shape), str(array.dtype)):
                raise StepFailure(f"{name} must be {array.dtype}{list(array.shape)} but got {given_type[1]}{list(given_type[0])}")
            if getattr(given, "is_deleted", lambda: False)():
                raise StepFailure(f"{name} was given to a step before, which has deleted it: give what that step returned")
        for n, leaf in traced.static.items():
            if type(leaves[n]) is not type(leaf) or isinstance(leaf, (bool, int, float, str)) and leaves[n] != leaf:
                raise StepFailure(f"what is no array must be as it was when the step was compiled, {leaf!r}, but got {leaves[n]!r}")
        return arrays

    def _take(self, arrays: list[Any]) -> None:
        """Brings the state into the module, but for what is there."""
        for i, leaf in self.imported.leaves.items():
            held = self._held.get(i)
            if held is not None and held() is arrays[i]:
                continue
            self._held.pop(i, None)
            array = np.asarray(arrays[i])
            for path, row in zip(self.imported.paths[i], [array] if leaf.parts is None else list(array), strict=True):
                if path is not None:
                    binding = self._bindings[path]
                    self.module.set(binding, row.astype(binding.dtype) if binding.dtype in _HELD else row)

    def _delete(self, arrays: list[Any]) -> None:
        for i in self.imported.leaves:
            if isinstance(arrays[i], jax.Array) and any(self.imported.paths[i]):
                arrays[i].delete()

    def _export(self, i: int, given: Any, aval: Any) -> Any:
        """A copy of an array of the state; what the step does not read has no place in the module, and stays."""
        paths, leaf = self.imported.paths[i], self.imported.leaves[i]
        if not any(paths):
            return given
        rows = [np.zeros(leaf.shape[1:]) if path is None else self.module.get(self._bindings[path]) for path in paths]
        return jnp.array(rows[0] if leaf.parts is None else np.stack(rows), aval.dtype)
