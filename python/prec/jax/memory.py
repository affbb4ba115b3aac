# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a step runs: the CPU, or a GPU of JAX's with memory from JAX's allocator, so that it is counted once, on a
stream
of the module's own.

JAX runs on streams of its own, and hands over by DLPack: it makes the module's stream wait for an array that is given,
and a stream of its own for one that it takes. What JAX computes of a step's memory is awaited before the next step, by
an array that is computed behind it. None of these makes the host wait.
"""
from __future__ import annotations

import os
import re
from typing import Any

import jax
import jax.numpy as jnp

from .. import _dlpack as dlpack
from ..errors import StepFailure
from ..module import Module
from .driver import Driver, Event

_GIB = 2**30
# Of what a module is given.
_ALIGNMENT = 256


class Device:
    """The CPU: nothing is put on a stream."""

    is_gpu = False
    # Whether JAX gives memory that is donated and that it has by DLPack to results, in place.
    renews = False

    def __init__(self) -> None:
        self.jax_device = jax.local_devices(backend="cpu")[0]
        self._tick: jax.Array | None = None
        self._next = jax.jit(lambda tick: tick + 1)

    def open(self, path: str | os.PathLike[str], threads: int) -> Module:
        return Module(path, threads=threads)

    def began(self, module: Module) -> Event | None:
        """After work was put on the module's stream."""
        return None

    def ready(self, stream: int | None) -> None:
        """Makes a stream of JAX's wait for what was put on the module's."""

    def behind_jax(self, module: Module, last: jax.Array | None) -> None:
        """Makes the module's stream wait for what JAX computes: until `last` is there; None: until what was asked for
        by now is."""
        if last is not None:
            last.block_until_ready()

    def synchronize(self, module: Module) -> None:
        """Waits for the module's stream."""

    def drain(self) -> None:
        """Waits for what JAX computes."""
        self._beat().block_until_ready()

    def _beat(self) -> jax.Array:
        if self._tick is None:
            self._tick = jax.device_put(jnp.zeros((), jnp.int32), self.jax_device)
        self._tick = self._next(self._tick)
        return self._tick


class Gpu(Device):
    """One GPU of JAX's."""

    is_gpu = renews = True

    def __init__(self, device: Any) -> None:
        super().__init__()
        self.jax_device = device
        self._ordinal = int(device.local_hardware_id)
        self._driver = Driver(self._ordinal)
        self._event: Event | None = None

    def open(self, path: str | os.PathLike[str], threads: int) -> Module:
        if threads:
            raise StepFailure(f"threads must be 0 for a step on a GPU, but got {threads}")
        return Module(path, device=self._ordinal, allocator=JaxMemory(self.jax_device))

    def began(self, module: Module) -> Event | None:
        self._event = self._driver.record(_stream(module))
        return self._event

    def ready(self, stream: int | None) -> None:
        if self._event is None or stream == -1:
            return
        # 1 is the default stream, as of the driver; of a consumer that says none, that one is meant.
        self._driver.wait(1 if stream is None else int(stream), self._event)

    def behind_jax(self, module: Module, last: jax.Array | None) -> None:
        dlpack.export(self._beat() if last is None else last, _stream(module))

    def synchronize(self, module: Module) -> None:
        self._driver.synchronize(_stream(module))


def _stream(module: Module) -> int:
    stream = module.stream
    assert stream is not None
    return stream


class JaxMemory:
    """JAX's allocator: an array is held for each allocation, which nobody else sees."""

    def __init__(self, device: Any) -> None:
        self._device = device
        self._held: dict[int, jax.Array] = {}

    def allocate(self, size: int) -> int:
        try:
            with jax.default_device(self._device):
                memory = jnp.zeros((-(-size // _ALIGNMENT) + 1, _ALIGNMENT), jnp.uint8).block_until_ready()
        except jax.errors.JaxRuntimeError:  # There is none left.
            return 0
        # JAX aligns to less, on the host.
        address = -(-memory.unsafe_buffer_pointer() // _ALIGNMENT) * _ALIGNMENT
        self._held[address] = memory
        return address

    def deallocate(self, address: int) -> None:
        self._held.pop(address, None)


def memory_of(described: str) -> int:
    """Bytes of a module that is not open yet, of what prec-run --inspect says."""
    _, found, rest = described.partition("\nsegments\n")
    sizes = [int(size) for size in re.findall(r"^  \w+ +(\d+) bytes$", rest.partition("\nbindings\n")[0], re.MULTILINE)]
    assert found and sizes, described
    return sum(sizes)


def check_memory(device: Any, needed: int) -> None:
    """StepFailure where JAX's allocator has not enough, before anything is allocated."""
    statistics = device.memory_stats() or {}
    limit, used = statistics.get("bytes_limit"), statistics.get("bytes_in_use", 0)
    if limit is not None and needed > limit - used:
        raise StepFailure(f"the step needs {needed / _GIB:.1f} GiB of JAX's memory but {(limit - used) / _GIB:.1f} of {limit / _GIB:.1f} GiB are "
                          "free: set XLA_PYTHON_CLIENT_MEM_FRACTION=0.95 before JAX starts (it is 0.75), delete arrays that nobody needs, or compile "
                          'with compiler_options=["--max-memory=..."]')


# What the compiler calls GPUs of these compute capabilities.
_CHIPS = {"8.0": "sm_80", "8.9": "sm_89", "9.0": "sm_90a", "10.0": "sm_100a"}


def default_target() -> str:
    """That of JAX's first device, if it is a GPU that the compiler has, else the CPU."""
    device = jax.local_devices()[0]
    return _CHIPS.get(str(getattr(device, "compute_capability", "")), "cpu") if device.platform == "gpu" else "cpu"


def device_for(target: str) -> Device:
    """Where a step for a target runs: on JAX's default device, if that is a GPU."""
    if target == "cpu":
        return Device()
    chosen = jax.config.jax_default_device
    device = chosen if hasattr(chosen, "platform") else jax.local_devices()[0]
    if device.platform != "gpu":
        raise StepFailure(f'target must be "cpu" where JAX has no GPU, but got "{target}"')
    return Gpu(device)
