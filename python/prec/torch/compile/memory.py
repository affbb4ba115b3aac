# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the programs of a step run: the CPU, or a GPU with memory from PyTorch's allocator, so that it is counted once
and
reused, on a stream of PyTorch's that takes its turn with the current one.

CUDA graphs cannot be recorded from the default stream, which is PyTorch's current one unless the user has chosen
another. So all programs of a step share one stream of their own. Before work is put on it, it waits for the current
stream, where the batch was made; afterwards the current stream waits for it, so that whoever reads weights or the loss
gets those of the step. Neither makes the host wait.
"""
from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping

import torch

from ...calls import HostFunction
from ...errors import StepFailure
from ...module import Module
from ...ranks import Communicator


class Device:
    """The CPU."""

    torch_device = torch.device("cpu")
    is_gpu = False

    def open(self, path: str | os.PathLike[str], threads: int, state_of: Module | None, functions: Mapping[str, HostFunction],
             communicator: Communicator | None = None) -> Module:
        return Module(path, threads=threads, state_of=state_of, functions=functions, communicator=communicator)

    def free_bytes(self) -> int | None:
        """What a program may still take, where that is a number of its own."""
        return None

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Work that is put on the device inside is behind what was put there before, and in front of what comes
        after."""
        yield


class Gpu(Device):
    """One GPU of PyTorch's."""

    is_gpu = True

    def __init__(self, device: torch.device) -> None:
        self.torch_device = torch.device("cuda", torch.cuda.current_device() if device.index is None else device.index)
        self.stream = torch.cuda.Stream(self.torch_device)

    def open(self, path: str | os.PathLike[str], threads: int, state_of: Module | None, functions: Mapping[str, HostFunction],
             communicator: Communicator | None = None) -> Module:
        if threads:
            raise StepFailure(f"threads must be 0 for a step on a GPU, but got {threads}")
        return Module(path, stream=self.stream, allocator=_TorchMemory(self.torch_device, self.stream), state_of=state_of,
                      communicator=communicator)

    def free_bytes(self) -> int | None:
        # What PyTorch's allocator holds and nobody uses is given again.
        held = torch.cuda.memory_reserved(self.torch_device) - torch.cuda.memory_allocated(self.torch_device)
        return torch.cuda.mem_get_info(self.torch_device)[0] + held

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        current = torch.cuda.current_stream(self.torch_device)
        self.stream.wait_stream(current)
        try:
            yield
        finally:
            current.wait_stream(self.stream)


class _TorchMemory:
    """PyTorch's caching allocator. A tensor of bytes is held for each allocation, so that PyTorch's own statistics and
    limits count it."""

    def __init__(self, device: torch.device, stream: torch.cuda.Stream) -> None:
        self._device, self._stream = device, stream
        self._held: dict[int, torch.Tensor] = {}

    def allocate(self, size: int) -> int:
        try:
            with torch.cuda.stream(self._stream):
                memory = torch.empty(size, dtype=torch.uint8, device=self._device)
        except torch.OutOfMemoryError:
            return 0
        self._held[memory.data_ptr()] = memory
        return memory.data_ptr()

    def deallocate(self, address: int) -> None:
        memory = self._held.pop(address, None)
        if memory is not None:
            # A view of it may have been read on the current stream, which the allocator does not know.
            memory.record_stream(torch.cuda.current_stream(self._device))


def device_for(target: str, model: torch.nn.Module) -> Device:
    """Where a step for a target runs: on the model's GPU, or the current one."""
    if target == "cpu":
        return Device()
    if not torch.cuda.is_available():
        raise StepFailure(f'target must be "cpu" where PyTorch sees no GPU, but got "{target}"')
    own = next((p.device for p in model.parameters() if p.device.type == "cuda"), torch.device("cuda"))
    return Gpu(own)


# What the compiler calls GPUs of these compute capabilities.
_CHIPS = {(8, 0): "sm_80", (8, 9): "sm_89", (9, 0): "sm_90a", (10, 0): "sm_100a"}


def default_target(model: torch.nn.Module) -> str:
    """That of the GPU, if there is one that the compiler has, else the CPU."""
    if not torch.cuda.is_available():
        return "cpu"
    own = next((p.device for p in model.parameters() if p.device.type == "cuda"), None)
    capability = torch.cuda.get_device_capability(own)
    if capability in _CHIPS:
        return _CHIPS[capability]
    if own is None:
        return "cpu"
    raise StepFailure(f"the GPU of the model must have a compute capability of {', '.join(f'{a}.{b}' for a, b in _CHIPS)}, but got "
                      f'{capability[0]}.{capability[1]}: move the model to the CPU, and give target="cpu"')
