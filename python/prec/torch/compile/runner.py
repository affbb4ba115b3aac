# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs entry points of programs, and gives what they found as tensors.

On the CPU an entry point is done when it returns. On a GPU nothing waits: the batch is copied or converted there, the
entry point and copies of its results are put on the stream, and results are tensors that PyTorch waits for when
somebody reads them, as of all its own.
"""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from ...errors import BadValue, StepFailure
from .memory import Device, Gpu
from .program import Program

Tensors = dict[str, torch.Tensor]


@dataclass
class Outcome:
    """What one run of an entry point found. `measured`: what the user measures of its batch. `guards`: by name the
    number of the first of its tensors that was not finite."""

    loss: torch.Tensor
    metrics: Tensors = field(default_factory=dict)
    measured: Tensors = field(default_factory=dict)
    fault: str | None = None
    guards: dict[str, tuple[torch.Tensor, tuple[str, ...]]] = field(default_factory=dict)

    @property
    def skipped(self) -> str | None:
        """What was not finite, so that the step changed nothing. Waits for the GPU."""
        if self.guards:
            self.fault, guards, self.guards = None, self.guards, {}
            # What an index beside its table makes of the loss is no other fault.
            for name in sorted(guards, key=lambda guard: not guard.startswith("index_check")):
                first, tensors = int(guards[name][0].item()), guards[name][1]
                if 0 <= first < len(tensors):
                    self.fault = tensors[first]
                    break
        return self.fault


class Runner:
    """Of programs on the CPU."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def run(self, program: Program, entry: str, tensors: Tensors | None, is_step: bool) -> Outcome:
        """Of `apply` there are no tensors. is_step: whether metrics and guards are of the step that ends."""
        for name, tensor in (tensors or {}).items():
            if tensor.device.type != "cpu":
                raise StepFailure(f"a batch must be on the CPU, where the step runs, but {name} is on {tensor.device}")
        found = getattr(program.module, entry)(*([tensors] if tensors is not None else []))
        metrics = {name: torch.tensor(found[name], dtype=torch.float32, device="cpu") for name in program.metrics} if is_step else {}
        measured = {name: torch.from_numpy(program.module.get(binding, "float32")) for name, binding in program.measured.items()} if tensors else {}
        return Outcome(torch.tensor(found["loss"], dtype=torch.float32, device="cpu"), metrics, measured, found["skipped"] if is_step else None)


class GpuRunner(Runner):
    """Of programs on a GPU."""

    def __init__(self, device: Gpu) -> None:
        super().__init__(device)
        self._gpu = device
        self._copies = torch.cuda.Stream(device.torch_device)
        # What runs that may not be done read and say, the oldest first.
        self._running: list[_Running] = []

    def run(self, program: Program, entry: str, tensors: Tensors | None, is_step: bool) -> Outcome:
        self._finish()
        batch, bad = self._bring(program, tensors or {})
        program.module.trust_batches()
        names = ["loss", *(program.metrics if is_step else ()), *(n for n in program.guards if is_step or n.startswith("index_check"))]
        results = torch.empty(len(names), dtype=torch.float32, device=self._gpu.torch_device)
        outputs = {name: results[i] for i, name in enumerate(names)}
        measured = {name: torch.empty(binding.shape, dtype=getattr(torch, binding.dtype), device=self._gpu.torch_device)
                    for name, binding in program.measured.items()} if batch else {}
        self._gpu.stream.wait_stream(self._copies)
        with self._gpu.turn():
            kept = program.module.enqueue(entry, batch or None, outputs | measured)
        for tensor in (results, *measured.values()):
            tensor.record_stream(self._gpu.stream)
        done = torch.cuda.Event()
        done.record(self._gpu.stream)
        self._running.append(_Running(done, (kept, batch), bad, program.module.steps))
        guards = {name: (outputs[name], program.guards[name]) for name in names if name in program.guards}
        return Outcome(outputs["loss"], {name: outputs[name] for name in program.metrics if name in outputs}, measured, None, guards)

    def wait(self) -> None:
        """Until all runs are done; BadValue for a batch that must not have been."""
        self._gpu.stream.synchronize()
        self._copies.synchronize()
        self._finish()

    def _finish(self) -> None:
        while self._running and self._running[0].done.query():
            self._running.pop(0).check()

    def _bring(self, program: Program, tensors: Mapping[str, torch.Tensor]) -> tuple[Tensors, Tensors]:
        """The batch on the GPU as the program stores it, and what shall be known of it when it was read: by name
        whether
        there was an index that is no row."""
        device, batch, bad = self._gpu.torch_device, {}, {}
        for name, tensor in tensors.items():
            binding = program.batch.get(name)
            if binding is None:
                raise StepFailure(f"a batch must have the tensors of the step, {', '.join(program.batch)}, but got {name}")
            if tuple(tensor.shape) != binding.shape:
                raise StepFailure(f"{name} must have shape {list(binding.shape)} but has {list(tensor.shape)}")
            if tensor.device.type not in ("cpu", "cuda") or tensor.device.type == "cuda" and tensor.device != device:
                raise StepFailure(f"a batch must be on the CPU or {device}, but {name} is on {tensor.device}")
            rows, ignored = program.vocabularies.get(name), program.ignored.get(name)
            stored = _stored(tensor, binding.dtype, name)
            if tensor.device.type == "cpu":
                if rows is not None and bool(_outside(tensor, rows, ignored).any()):
                    raise BadValue(f"indices in {name} must lie in [0, {rows}), but some do not")
                with torch.cuda.stream(self._copies):
                    batch[name] = stored.contiguous().to(device, non_blocking=True)
                batch[name].record_stream(self._gpu.stream)
                continue
            if rows is not None:
                outside = _outside(tensor, rows, ignored)
                stored = torch.where(outside, torch.zeros((), dtype=stored.dtype, device=device), stored)
                host = torch.empty((), dtype=torch.bool, device="cpu", pin_memory=True)
                host.copy_(outside.any(), non_blocking=True)
                bad[name] = host
            batch[name] = stored.contiguous()
            batch[name].record_stream(self._gpu.stream)
        return batch, bad


@dataclass
class _Running:
    done: torch.cuda.Event
    kept: Any
    bad: Tensors
    step: int

    def check(self) -> None:
        wrong = [name for name, flag in self.bad.items() if bool(flag)]
        if wrong:
            raise BadValue(f"indices in {wrong[0]} must be rows of their table, but some of step {self.step} were not and were taken for 0: "
                           "batches on the CPU are checked before the step")


def _outside(tensor: torch.Tensor, rows: int, ignored: int | None) -> torch.Tensor:
    outside = (tensor < 0) | (tensor >= rows)
    return outside if ignored is None else outside & (tensor != ignored)


def _stored(tensor: torch.Tensor, dtype: str, name: str) -> torch.Tensor:
    """In the dtype that the step reads. Whole numbers that fit 32 bits, and 16-bit floats, convert exactly."""
    wanted = getattr(torch, dtype)
    if tensor.dtype == wanted:
        return tensor
    whole = {torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8}
    narrow = {torch.bfloat16, torch.float16}
    exact = tensor.dtype in whole and wanted in (torch.int32, torch.int64) or tensor.dtype in narrow and wanted == torch.float32
    if not exact:
        raise StepFailure(f"{name} must be {wanted}, or convert to it exactly, but is {tensor.dtype}")
    return tensor.to(wanted)
