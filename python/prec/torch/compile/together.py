# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step that several ranks run together.

Ranks must call the same in the same order, with batches for one program: otherwise one of them waits for what the
others never send. So before each call they tell each other which one it is, the shapes of their batches and the numbers
of their optimizers, or why one of them cannot go on: then all raise that. What fails in the step itself ends the
communicator, so that the others learn it at once.
"""
from __future__ import annotations

import contextlib
import hashlib
import json
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import torch

from ...errors import RanksFailure, StepFailure
from ...module import Binding, Module
from ...ranks import Communicator, connect, find_launch

Shapes = dict[str, tuple[int, ...]]
Made = TypeVar("Made")


class Call:
    """What a rank says of a call, and what each says of it."""

    def __init__(self) -> None:
        self.said: dict[str, Any] = {}
        self.every: list[dict[str, Any]] = []

    def numbers(self, changed: dict[str, float]) -> None:
        """Those of the optimizers that have changed."""
        self.said["numbers"] = {name: float(value) for name, value in changed.items()}

    def shapes(self, shapes: Shapes) -> None:
        self.said["shapes"] = shapes

    def shapes_of_all(self) -> list[Shapes]:
        return [{name: tuple(shape) for name, shape in one["shapes"].items()} for one in self.every]


class Together:
    """The ranks of a step, over an open communicator."""

    def __init__(self, communicator: Communicator) -> None:
        self.communicator = communicator
        self.rank, self.size = communicator.rank, communicator.world_size

    def tell(self, said: dict[str, Any]) -> list[dict[str, Any]]:
        """What each rank says; StepFailure with the first error of another one."""
        texts = self.communicator.all_gather(json.dumps(said).encode())
        every = [json.loads(text) for text in texts]
        for rank, other in enumerate(every):
            if "error" in other and rank != self.rank:
                raise StepFailure(f"rank {rank}: {other['error']}")
        return every

    @contextlib.contextmanager
    def call(self, name: str, said: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
        """What happens inside succeeds on all ranks or fails on all. Then the list has what each rank has put into
        `said`. StepFailure where they call another thing."""
        every: list[dict[str, Any]] = []
        try:
            yield every
        except RanksFailure:
            raise
        except Exception as error:
            # The own error counts, whatever becomes of the others.
            with contextlib.suppress(RanksFailure, StepFailure):
                self.tell({"call": name, "error": f"{type(error).__name__}: {error}"})
            raise
        every += self.tell({"call": name} | said)
        for rank, other in enumerate(every):
            if other["call"] != every[0]["call"]:
                raise StepFailure(f"ranks must call the same, but rank 0 calls {every[0]['call']} and rank {rank} {other['call']}")
            if other.get("numbers") != every[0].get("numbers"):
                ours, theirs = every[0].get("numbers", {}), other.get("numbers", {})
                odd = next(key for key in ours | theirs if ours.get(key) != theirs.get(key))
                raise StepFailure(f"ranks must give their optimizers the same numbers, but of {odd} rank 0 has {ours.get(odd)} and rank {rank} "
                                  f"{theirs.get(odd)}")

    def one_first(self, make: Callable[[], Made]) -> Made:
        """What rank 0 makes first, and the others then find made, where they see its files."""
        with self.call("compiling", {}):
            made = make() if self.rank == 0 else None
        return make() if made is None else made

    @contextlib.contextmanager
    def ends_with(self) -> Iterator[None]:
        """An error inside is the end of this rank for the others."""
        try:
            yield
        except Exception as error:
            self.communicator.close(f"{type(error).__name__}: {error}")
            raise

    def whole(self, module: Module, binding: Binding) -> torch.Tensor:
        """A tensor of which each rank has a slice, on the device of the slice."""
        own = torch.from_dlpack(module.view(binding))
        dim = divided_dim(binding)
        if dim is None:
            return own.clone()
        parts = self.communicator.all_gather(_bytes_of(own))
        return torch.cat([_tensor_of(part, own) for part in parts], dim).to(own.device)

    def begin_alike(self, tensors: dict[str, torch.Tensor]) -> list[str]:
        """Gives all ranks the tensors of rank 0 where any rank has others; their names."""
        digests = [hashlib.sha256(_bytes_of(tensor.detach())).digest() for tensor in tensors.values()]
        every = self.communicator.all_gather(b"".join(digests))
        odd = [name for i, name in enumerate(tensors) if len({one[32 * i:32 * i + 32] for one in every}) > 1]
        for name in odd:
            tensor = tensors[name].detach()
            given = self.communicator.all_gather(_bytes_of(tensor) if self.rank == 0 else b"")[0]
            with torch.no_grad():
                tensor.copy_(_tensor_of(given, tensor))
        return odd


def divided_dim(binding: Binding) -> int | None:
    """Along which dimension ranks have slices; None of what each has whole."""
    return next((i for i, (own, whole) in enumerate(zip(binding.shape, binding.whole_shape)) if own != whole), None)


def longest(every: list[Shapes]) -> Shapes:
    """The shapes to which the batches of all ranks are completed."""
    if any(one.keys() != every[0].keys() or any(len(one[name]) != len(every[0][name]) for name in one) for one in every):
        raise StepFailure("ranks must have batches of the same tensors and dimensions, but got "
                          + " and ".join(f"{one} of rank {rank}" for rank, one in enumerate(every)))
    return {name: tuple(max(sizes) for sizes in zip(*(one[name] for one in every))) for name in every[0]}


def _bytes_of(tensor: torch.Tensor) -> bytes:
    return tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def _tensor_of(data: bytes, like: torch.Tensor) -> torch.Tensor:
    if not data:
        return torch.empty_like(like, device="cpu")
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).view(like.dtype).reshape(like.shape)


def join(mesh: str | Communicator | None) -> Together | None:
    """The ranks of a step, by prec.compile's argument; None of a process alone."""
    if isinstance(mesh, Communicator):
        return Together(mesh)
    if isinstance(mesh, str) and mesh != "dp" and "=" in mesh:
        raise StepFailure(f"ranks of prec.compile must each have batches of their own (mesh=\"dp\" on as many as are started), but got {mesh!r}: "
                          f"layers and experts are divided in a module of prec-compile --mesh={mesh}, of a step that prec.import_torch "
                          "imports, which prec-run and prec.Module run")
    if mesh not in (None, "dp", "none"):
        raise StepFailure(f'mesh must be "dp", "none", a communicator of prec.connect, or None, but got {mesh!r}')
    if mesh == "none" or mesh is None and find_launch().world_size == 1:
        return None
    communicator = connect()
    together = Together(communicator)
    # At the program's end, too; after an error the others are told of it.
    weakref.finalize(together, _leave, communicator)
    return together


def _leave(communicator: Communicator) -> None:
    error = getattr(sys, "last_value", None)
    communicator.close(None if error is None else f"{type(error).__name__}: {error}")
