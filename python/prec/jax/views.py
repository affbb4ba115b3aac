# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exchange with JAX without a way through the host: the state that a step returns is the module's memory itself.

A step overwrites that memory. So before it runs all arrays of it are deleted, those that are given (donated) and those
that the last call returned, and JAX must have done what it computes of them. What the module stores in another way (a
stack of layers whose rows lie apart, masters of a state in BF16) comes out as a copy that JAX makes on the device, and
so do the loss and metrics: nothing waits for them. Batches on the device stay there; indices in them are checked there.
"""
from __future__ import annotations

import functools
import weakref
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..errors import BadValue, StepFailure
from ..module import Binding, Module
from .driver import Event
from .exchange import Exchange, check_rows
from .importer import Import
from .memory import Device
from .shared import Lent, Place


@dataclass
class _Output:
    """A result of the step: the places that it is made of, and what it is in JAX. `leaf`: which argument it is."""

    number: int
    name: str
    places: list[Place]
    shape: tuple[int, ...]
    dtype: Any
    leaf: int | None
    is_stack: bool

    @functools.cached_property
    def is_view(self) -> bool:
        """Whether the memory is the array as it is."""
        return len(self.places) == 1 and self.places[0].shape == self.shape and self.places[0].dtype == str(self.dtype)


@dataclass
class _Running:
    """A step that may not be done: what it reads, and by name whether a batch had an index that is no row."""

    done: Event
    kept: Any
    bad: dict[str, jax.Array]
    step: int

    def check(self) -> None:
        for name, flag in self.bad.items():
            if bool(flag):
                raise BadValue(f"indices in {name} must be rows of their table, but some of step {self.step} were not and were taken for 0: batches "
                               "on the host are checked before the step")


class Views(Exchange):
    """donate: results are views; else they are copies, and nothing is deleted."""

    def __init__(self, imported: Import, module: Module, donate: bool, device: Device) -> None:
        super().__init__(imported, module, donate)
        self._device, self._lent = device, Lent()
        inputs = {entry["name"]: entry for entry in module.manifest["bindings"] if entry["role"] == "batch"}
        self._rows = {name: (entry["vocabulary"], entry.get("ignore_index")) for name, entry in inputs.items() if "vocabulary" in entry}
        self._guards = {e["name"]: tuple(e["tensors"]) for e in module.manifest["bindings"] if e["role"] == "guard"}
        self._first_bad: dict[str, jax.Array] = {}
        self._outputs = list(self._find_outputs())
        self._ranges = [(address, address + place.size) for out in self._outputs for place in out.places for address in place.addresses[:1]]
        self._running: list[_Running] = []
        # Is there when what the last step copied out is; nobody waits for that, but the next step is put behind it.
        self._copies: jax.Array | None = None
        self._alive: list[weakref.ref[Any]] = []
        self._converted = jax.jit(self._convert)
        module.trust_batches()

    def step(self, arrays: list[Any]) -> list[Any]:
        self._finish()
        batch, bad = self._bring(arrays)
        if self.take(arrays):
            self._device.synchronize(self.module)
        if self.donate:
            self.delete(arrays)
            for array in (held() for held in self._alive):
                if array is not None and not array.is_deleted():
                    array.delete()
        self._lent.wait(self._device.drain)
        self._device.behind_jax(self.module, self._copies)
        kept = self.module.enqueue("step", batch or None)
        done = self._device.began(self.module)
        if done is not None:
            self._running.append(_Running(done, (kept, batch), bad, self.module.steps))
        return self._results(arrays)

    @property
    def fault(self) -> str | None:
        """What was not finite in the last step. Waits for it."""
        for name in sorted(self._guards, key=lambda guard: not guard.startswith("index_check")):
            if name in self._first_bad and 0 <= (first := int(self._first_bad[name])) < len(self._guards[name]):
                return self._guards[name][first]
        return None

    def close(self) -> None:
        """Arrays that the last call returned keep their memory."""
        if not self._outputs:
            return
        self._device.synchronize(self.module)
        self._outputs, self._running = [], []
        self.module.close()

    def brought(self, array: Any) -> Any:
        """What lies in the module's own memory, such as a result of a function that was donated an array of it, is
        copied before any of it is overwritten."""
        if isinstance(array, jax.Array) and array.devices() == {self._device.jax_device}:
            address = array.unsafe_buffer_pointer()
            return jnp.copy(array) if any(begin <= address < end for begin, end in self._ranges) else array
        return np.asarray(array)

    def take(self, arrays: list[Any]) -> bool:
        given, brought = list(arrays), []
        for i in self.imported.leaves:
            held = self.held.get(i)
            if held is None or held() is not arrays[i]:
                given[i] = self.brought(arrays[i])
                brought.append(given[i])
        # Those that are here already may still be computed.
        jax.block_until_ready(brought)
        return super().take(given)

    def _find_outputs(self) -> Any:
        traced = self.imported.traced
        for i, o in traced.state_of.items():
            if not self.is_held(i):
                continue
            aval, leaf = traced.closed.out_avals[o], self.imported.leaves[i]
            found = [self.bindings[path] for path in self.imported.paths[i] if path is not None]
            is_stack = leaf.parts is not None
            places = [Place(self.module, found, tuple(aval.shape) if is_stack else found[0].shape)]
            if is_stack and not places[0].is_dense:
                places = [Place(self.module, [binding], binding.shape) for binding in found]
            yield _Output(o, traced.names[i], places, tuple(aval.shape), aval.dtype, i, is_stack and len(places) > 1)
        for o, name in [(traced.loss, "loss"), *traced.metrics.items()]:
            aval, binding = traced.closed.out_avals[o], self.bindings[name]
            yield _Output(o, name, [Place(self.module, [binding], binding.shape)], tuple(aval.shape), aval.dtype, None, False)
        for name in self._guards:
            yield _Output(-1, name, [Place(self.module, [self.bindings[name]], self.bindings[name].shape)], (), np.dtype("float32"), None, False)

    def _results(self, arrays: list[Any]) -> list[Any]:
        out: list[Any] = [None] * len(self.imported.traced.closed.out_avals)
        for i, o in self.imported.traced.state_of.items():
            if not self.is_held(i):
                out[o] = arrays[i]
        self._alive = []
        copied: list[list[jax.Array]] = []
        for one in self._outputs:
            parts = [self._lent.array(place, one.name, self._device.ready, self._is_given(one)) for place in one.places]
            if self._is_given(one):
                out[one.number] = parts[0]
                self._alive.append(weakref.ref(parts[0]))
            else:
                copied.append(parts)
        self._copies, made = self._converted(copied)
        values = iter(made)
        for one in self._outputs:
            if not self._is_given(one):
                value = next(values)
                if one.number < 0:
                    self._first_bad[one.name] = value
                else:
                    out[one.number] = value
            if one.leaf is not None:
                self.held[one.leaf] = weakref.ref(out[one.number])
        return out

    def _is_given(self, one: _Output) -> bool:
        return self.donate and one.is_view and one.leaf is not None

    def _convert(self, parts: list[list[Any]]) -> tuple[Any, list[Any]]:
        wanted = [one for one in self._outputs if not self._is_given(one)]
        copies = [jnp.array(jnp.stack(p) if one.is_stack else p[0], dtype=one.dtype, copy=True).reshape(one.shape)
                  for one, p in zip(wanted, parts, strict=True)]
        return jnp.zeros((), jnp.int32), copies

    def _bring(self, arrays: list[Any]) -> tuple[dict[str, Any], dict[str, jax.Array]]:
        """The batch on the device in the dtypes in which the step reads it, and what shall be known of it later."""
        batch: dict[str, Any] = {}
        bad: dict[str, jax.Array] = {}
        for i in self.batch:
            name = self.imported.traced.names[i]
            binding, array = self.bindings[name], arrays[i]
            limits = self._rows.get(name)
            if not self._device.is_gpu or not isinstance(array, jax.Array) or array.devices() != {self._device.jax_device}:
                host = np.asarray(array)
                if limits is not None:
                    check_rows(name, host, *limits)
                batch[name] = self._stored(host, binding)
                continue
            if str(array.dtype) != binding.dtype:
                array = array.astype(binding.dtype)
            if limits is not None:
                array, bad[name] = _checked(array, *limits)
            batch[name] = array
        return batch, bad

    def _stored(self, host: np.ndarray, binding: Binding) -> Any:
        if host.dtype.name != binding.dtype:
            host = host.astype(binding.dtype)
        # An array that JAX may release is kept by the step that reads it.
        return jax.device_put(host, self._device.jax_device) if self._device.is_gpu else host

    def _finish(self) -> None:
        while self._running and self._running[0].done.is_done():
            self._running.pop(0).check()


@functools.partial(jax.jit, static_argnums=(1, 2))
def _checked(array: Any, rows: int, ignored: int | None) -> tuple[Any, Any]:
    """An index that is no row becomes 0."""
    outside = (array < 0) | (array >= rows)
    if ignored is not None:
        outside &= array != ignored
    return jnp.where(outside, jnp.zeros((), array.dtype), array), outside.any()


def refuse_views(target: str) -> StepFailure:
    return StepFailure(f"views=False must be for a step on the CPU, but the target is {target}: donate=False gives copies on a GPU")
