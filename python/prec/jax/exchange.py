# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a step's arguments come into its module and what it returns comes out, by copies in memory of the host: for steps
on the CPU. views.py has the other way."""
from __future__ import annotations

import weakref
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..errors import BadValue
from ..module import Module
from .importer import Import
from .keys import is_drawn, key_of, words_of
from .registry import HELD as HELD_WIDER

# Dtypes of a state in a module, which hold those of JAX exactly, as far as recipes leave masters in FP32.
HELD = ("float32", "int32", "int64", "bool")


class Exchange:
    """Of arrays in the order of the step's arguments with results in the order of its results."""

    def __init__(self, imported: Import, module: Module, donate: bool) -> None:
        self.imported, self.module, self.donate = imported, module, donate
        self.bindings = {b.name: b for b in module.bindings}
        missing = [p for paths in imported.paths.values() for p in paths if p is not None and p not in self.bindings]
        assert not missing, missing
        self.batch = [i for i, name in enumerate(imported.traced.names) if i not in imported.traced.state_of and name in self.bindings]
        # What has a place in the module: what the step does not read has none, and stays.
        self.leaves = {i: leaf for i, leaf in imported.leaves.items() if any(imported.paths[i])}
        # Of each array of the state, what the module holds.
        self.held: dict[int, weakref.ref[Any]] = {}
        self._fault: str | None = None

    def step(self, arrays: list[Any]) -> list[Any]:
        traced = self.imported.traced
        batch = {traced.names[i]: self._batch(traced.names[i], np.asarray(words_of(arrays[i]))) for i in self.batch}
        self.take(arrays)
        found = self.module.step(batch)
        self._fault = found["skipped"]
        if self.donate:
            self.delete(arrays)
        out: list[Any] = [None] * len(traced.closed.out_avals)
        for i, o in traced.state_of.items():
            if not self.is_held(i):
                out[o] = arrays[i]
                continue
            out[o] = self._export(i, traced.closed.out_avals[o])
            self.held[i] = weakref.ref(out[o])
        out[traced.loss] = jnp.asarray(found["loss"], traced.closed.out_avals[traced.loss].dtype)
        for o, name in traced.metrics.items():
            aval = traced.closed.out_avals[o]
            value = found[name] if name in found else self.module.get(name, "float32")
            out[o] = jnp.asarray(value, aval.dtype).reshape(aval.shape)
        return out

    def _batch(self, name: str, array: np.ndarray) -> np.ndarray:
        """Whole numbers that graphs hold in more bits, in those."""
        return array.astype(self.bindings[name].dtype) if array.dtype.name in HELD_WIDER else array

    @property
    def fault(self) -> str | None:
        """What was not finite in the last step."""
        return self._fault

    def close(self) -> None:
        self.module.close()

    def is_held(self, i: int) -> bool:
        """Whether an argument has a place in the module."""
        return i in self.leaves

    def take(self, arrays: list[Any]) -> bool:
        """Brings the state into the module, but for what is there; whether there was any."""
        found = False
        for i, leaf in self.leaves.items():
            held = self.held.get(i)
            if held is not None and held() is arrays[i]:
                continue
            self.held.pop(i, None)
            found = True
            array = self.brought(arrays[i])
            for path, row in zip(self.imported.paths[i], [array] if leaf.parts is None else list(array), strict=True):
                if path is not None:
                    binding = self.bindings[path]
                    self.module.set(binding, row.astype(binding.dtype) if binding.dtype in HELD else np.asarray(row))
        return found

    def brought(self, array: Any) -> Any:
        return np.asarray(words_of(array))

    def delete(self, arrays: list[Any]) -> None:
        for i in self.leaves:
            if isinstance(arrays[i], jax.Array) and not arrays[i].is_deleted():
                arrays[i].delete()

    def _export(self, i: int, aval: Any) -> Any:
        """A copy of an array of the state."""
        paths, leaf = self.imported.paths[i], self.imported.leaves[i]
        rows = [np.zeros(leaf.shape[1:]) if path is None else self.module.get(self.bindings[path]) for path in paths]
        if is_drawn(aval):
            return key_of(rows[0])
        return jnp.array(rows[0] if leaf.parts is None else np.stack(rows), aval.dtype)


def check_rows(name: str, array: np.ndarray, rows: int, ignored: int | None) -> None:
    """Indices of a batch on the host, before the step."""
    outside = (array < 0) | (array >= rows)
    if ignored is not None:
        outside &= array != ignored
    if outside.any():
        raise BadValue(f"indices in {name} must lie in [0, {rows}), but some do not")
