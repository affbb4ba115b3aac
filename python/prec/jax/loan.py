# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of a step's memory that are made anew for each step, all at once.

DLPack makes an array of memory one at a time, which takes Python and JAX many microseconds each. So that is done once.
Afterwards JAX's own donation renews them: a compiled function that returns its arguments, all of them donated, deletes
the arrays that it is given and gives new ones of the same memory, of all in one call that computes nothing. It is
called twice a step, and nothing waits for either on the host:

- before the step (`take_back`): whoever still had an array has it no longer. JAX puts this call behind everything that
  it computes or copies of the arrays, and the step is put behind it.
- behind the step (`hand_out`): the new arrays are there when the step is done, as the call also reads an array that
  DLPack makes ready then. The same call copies what the step stores in another way.

JAX donates no memory that another library has by DLPack: it says so, or copies it. Then, where an array was deleted or
donated elsewhere, and where JAX copies what it is donated and has not allocated (on the CPU), all arrays are given up,
their memory is awaited (shared.py), and they are made by DLPack again.
"""
from __future__ import annotations

import atexit
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from .memory import Device
from .shared import Lent, Place, end

# The copies of what is read of a step.
Copy = Callable[[list[Any]], list[Any]]


class Loan:
    """given: the places of which arrays are handed out; read: those that `copy` reads. Each has a name for errors."""

    def __init__(self, device: Device, given: Sequence[tuple[str, Place]], read: Sequence[tuple[str, Place]], copy: Copy) -> None:
        self._device, self._lent, self._renews = device, Lent(), device.renews
        self._places, self._count = [*given, *read], len(given)
        # Of all places, in their order; None where DLPack is to make them.
        self._arrays: list[jax.Array] | None = None
        self._take = jax.jit(lambda arrays, tick: (arrays, tick + 1), donate_argnums=0)
        # `behind` is not read, but waited for.
        self._hand = jax.jit(lambda given, read, behind: (given, copy(read)), donate_argnums=0, keep_unused=True)
        self._copy = jax.jit(copy)
        self._tick: Any = jax.device_put(jnp.zeros((), jnp.int32), device.jax_device)
        _OPEN.add(self)

    @property
    def arrays(self) -> list[jax.Array]:
        """Those that were handed out last, in the order of their places."""
        return [] if self._arrays is None else self._arrays[:self._count]

    def take_back(self) -> jax.Array | None:
        """Deletes what was handed out. Returns an array that is there when JAX needs none of the memory any longer;
        None where it needs none by now. StepFailure where another library has some of it."""
        if self._arrays is None:
            return None
        old = self._arrays
        if self._renews:
            try:
                self._arrays, self._tick = self._take(old, self._tick)
                if self._is_in_place():
                    return self._tick
            except (RuntimeError, ValueError):
                pass  # One was deleted, or its memory is not JAX's alone: none is donated then.
        for array in {id(array): array for array in [*old, *self._arrays]}.values():
            if not array.is_deleted():
                array.delete()
        self._arrays = None
        self._lent.wait(self._device.drain)
        return None

    def hand_out(self, ready: Place) -> tuple[list[jax.Array], list[jax.Array]]:
        """Arrays of the places that are given, and copies, of the step that was put on the module's stream. ready: any
        memory of the module."""
        is_new = self._arrays is None
        if self._arrays is None:
            self._arrays = self._make()
        if not self._renews:
            return self.arrays, self._copy(self._arrays[self._count:])
        behind = self._lent.array(ready, "", self._device.ready, awaited=False)
        given, copies = self._hand(self.arrays, self._arrays[self._count:], behind)
        self._arrays = [*given, *self._arrays[self._count:]]
        if is_new and not self._is_in_place():
            self._renews, self._arrays = False, self._make()
        return self.arrays, copies

    def close(self) -> None:
        """What was handed out stays."""
        _LEFT.extend(weakref.ref(array) for array in self.arrays)
        self._arrays = None
        _OPEN.discard(self)

    def _make(self) -> list[jax.Array]:
        return [self._lent.array(place, name, self._device.ready) for name, place in self._places]

    def _is_in_place(self) -> bool:
        assert self._arrays is not None
        return all(array.unsafe_buffer_pointer() == place.addresses[0] for (_, place), array in zip(self._places, self._arrays, strict=True))


# Those that Python may end before, and arrays of those that were closed.
_OPEN: weakref.WeakSet[Loan] = weakref.WeakSet()
_LEFT: list[weakref.ref[jax.Array]] = []


@atexit.register
def _end() -> None:
    """No memory may come back once Python has ended."""
    for loan in list(_OPEN):
        loan.close()
    for array in [held() for held in _LEFT]:
        if array is not None and not array.is_deleted():
            array.delete()
    end()
