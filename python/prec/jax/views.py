# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exchange with JAX without a way through the host: the state that a step returns is the module's memory itself.

A step overwrites that memory. So before it runs all arrays of it are deleted, those that are given (donated) and those
that the last call returned, and the step is put behind what JAX computes of them (loan.py). What the module stores in
another way (a stack of layers whose rows lie apart, masters of a state in BF16) comes out as a copy that JAX makes on
the device, and so do the loss and metrics: nothing waits for them. Batches on the device stay there; indices in them
are checked there.
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
from .keys import is_drawn, key_of, words_of
from .loan import Loan
from .memory import Device
from .registry import HELD as HELD_WIDER
from .shared import Place


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
        self._device = device
        inputs = {entry["name"]: entry for entry in module.manifest["bindings"] if entry["role"] == "batch"}
        self._rows = {name: (entry["vocabulary"], entry.get("ignore_index")) for name, entry in inputs.items() if "vocabulary" in entry}
        self._guards = {e["name"]: tuple(e["tensors"]) for e in module.manifest["bindings"] if e["role"] == "guard"}
        self._first_bad: dict[str, jax.Array] = {}
        outputs = list(self._find_outputs())
        self._given, self._copied = [one for one in outputs if self._is_given(one)], [one for one in outputs if not self._is_given(one)]
        self._loss = next(one.places[0] for one in outputs if one.number == imported.traced.loss)
        read = [(one.name, place) for one in self._copied for place in one.places]
        self._loan = Loan(device, [(one.name, one.places[0]) for one in self._given], read, self._copies)
        self._ranges = [(address, address + place.size) for out in outputs for place in out.places for address in place.addresses[:1]]
        self._passed = [(i, o) for i, o in imported.traced.state_of.items() if not self.is_held(i)]
        self._running: list[_Running] = []
        self._is_open = True
        module.trust_batches()

    def step(self, arrays: list[Any]) -> list[Any]:
        self._finish()
        batch, bad = self._bring(arrays)
        new = self._new(arrays)
        if self.donate:
            self.delete([array if array is not given else None for array, given in zip(arrays, new, strict=True)])
        self._device.behind_jax(self.module, self._loan.take_back())
        if self.take(new):
            self._device.synchronize(self.module)
        if self.donate:
            self.delete(arrays)
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
        if not self._is_open:
            return
        self._is_open = False
        self._device.synchronize(self.module)
        self._loan.close()
        self._running = []
        self.module.close()

    def brought(self, array: Any) -> Any:
        """What lies in the module's own memory, such as a result of a function that was donated an array of it, is
        copied before any of it is overwritten."""
        if is_drawn(array) or str(array.dtype) in HELD_WIDER:  # JAX may have no 64 bits for them.
            return np.array(words_of(array))
        if isinstance(array, jax.Array) and array.devices() == {self._device.jax_device}:
            address = array.unsafe_buffer_pointer()
            return jnp.copy(array) if any(begin <= address < end for begin, end in self._ranges) else array
        return np.asarray(array)

    def _new(self, arrays: list[Any]) -> list[Any]:
        """The arguments, as they are to be brought into the module: apart from its memory."""
        brought = [i for i in self.leaves if (held := self.held.get(i)) is None or held() is not arrays[i]]
        if not brought:
            return arrays
        given = list(arrays)
        for i in brought:
            given[i] = self.brought(arrays[i])
        # Those that are here already may still be computed.
        jax.block_until_ready([given[i] for i in brought])
        return given

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
        for i, o in self._passed:
            out[o] = arrays[i]
        given, copied = self._loan.hand_out(self._loss)
        for one, value in [*zip(self._given, given, strict=True), *zip(self._copied, copied, strict=True)]:
            if one.number < 0:
                self._first_bad[one.name] = value
                continue
            out[one.number] = value
            if one.leaf is not None:
                self.held[one.leaf] = weakref.ref(value)
        return out

    def _is_given(self, one: _Output) -> bool:
        return self.donate and one.is_view and one.leaf is not None

    def _copies(self, read: list[Any]) -> list[Any]:
        """In the order of what is copied, of arrays of its places."""
        parts = iter(read)
        copies = []
        for one in self._copied:
            mine = [_whole(next(parts), place) for place in one.places]
            if is_drawn(one):
                copies.append(key_of(jnp.array(mine[0], copy=True)))
                continue
            copies.append(jnp.array(jnp.stack(mine) if one.is_stack else mine[0], dtype=one.dtype, copy=True).reshape(one.shape))
        return copies

    def _bring(self, arrays: list[Any]) -> tuple[dict[str, Any], dict[str, jax.Array]]:
        """The batch on the device in the dtypes in which the step reads it, and what shall be known of it later."""
        batch: dict[str, Any] = {}
        bad: dict[str, jax.Array] = {}
        for i in self.batch:
            name = self.imported.traced.names[i]
            binding, array = self.bindings[name], words_of(arrays[i])
            limits = self._rows.get(name)
            is_wider = str(array.dtype) in HELD_WIDER
            if not self._device.is_gpu or is_wider or not isinstance(array, jax.Array) or array.devices() != {self._device.jax_device}:
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
        # An array that JAX may release is kept by the step that reads it. JAX may have no 64 bits.
        is_given = self._device.is_gpu and (host.dtype.name != "int64" or jax.config.jax_enable_x64)
        return jax.device_put(host, self._device.jax_device) if is_given else host

    def _finish(self) -> None:
        while self._running and self._running[0].done.is_done():
            self._running.pop(0).check()


def _whole(part: Any, place: Place) -> Any:
    """Of halves of whole numbers the lower ones, as words without a sign."""
    return jax.lax.bitcast_convert_type(part[..., 0], jnp.uint32) if place.is_halved else part


@functools.partial(jax.jit, static_argnums=(1, 2))
def _checked(array: Any, rows: int, ignored: int | None) -> tuple[Any, Any]:
    """An index that is no row becomes 0."""
    outside = (array < 0) | (array >= rows)
    if ignored is not None:
        outside &= array != ignored
    return jnp.where(outside, jnp.zeros((), array.dtype), array), outside.any()


def refuse_views(target: str) -> StepFailure:
    return StepFailure(f"views=False must be for a step on the CPU, but the target is {target}: donate=False gives copies on a GPU")
