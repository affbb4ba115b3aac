# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step that several ranks run together.

Ranks must call the same in the same order, with batches for one program: otherwise one of them waits for what the
others never send. So before each call they tell each other which one it is, the shapes of their batches and the numbers
of their optimizers, or why one of them cannot go on: then all raise that. What fails in the step itself ends the
communicator, so that the others learn it at once. Ranks that divide layers between them take the same batch: they also
tell each other a digest of it.
"""
from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
import torch

from ...errors import RanksFailure, StepFailure
from ...module import Binding, Module
from ...ranks import Communicator, connect, find_launch

# What ranks say of a call that must be the same on all, by name.
_ALIKE = {"options": "compile their steps with the same options", "numbers": "give their optimizers the same numbers"}
# Of a number that was not said: only those are that have changed.
_AS_BEFORE = "what it had before"
Shapes = dict[str, tuple[int, ...]]
Made = TypeVar("Made")


@dataclass(frozen=True)
class Mesh:
    """The ranks of a step by axes, as of prec-compile --mesh=: {"dp": 2, "tp": 2}."""

    axes: dict[str, int]

    @classmethod
    def parse(cls, text: str, ranks: int) -> Mesh:
        """Of as many ranks as are there. What the axes may be is the compiler's to say."""
        if not re.fullmatch(r"\w+=[1-9]\d*(,\w+=[1-9]\d*)*", text):
            raise StepFailure(f'mesh must be "dp", "none", or axes and how many ranks each has, such as "dp=2,tp=2", but got {text!r}')
        mesh = cls({name: int(count) for name, count in (axis.split("=") for axis in text.split(","))})
        if math.prod(mesh.axes.values()) != ranks:
            raise StepFailure(f"mesh must have as many ranks as are started, {ranks}, but got {text}")
        return mesh

    def __str__(self) -> str:
        return ",".join(f"{name}={count}" for name, count in self.axes.items())


class Joined:
    """A connection that steps of this process have made themselves, and share as long as any of them is there."""

    _OPEN: ClassVar[weakref.WeakSet[Joined]] = weakref.WeakSet()

    def __init__(self) -> None:
        self.communicator, self._process = connect(), os.getpid()
        # At the program's end, too; after an error the others are told of it.
        weakref.finalize(self, _leave, self.communicator)
        self._OPEN.add(self)

    @classmethod
    def find(cls) -> Joined:
        return next((one for one in list(cls._OPEN) if one._process == os.getpid() and one.communicator.is_open), None) or cls()


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

    def batch(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """The values of one that other ranks must have, too."""
        self.said["batch"] = {name: hashlib.sha256(_bytes_of(tensor)).hexdigest() for name, tensor in tensors.items()}

    def shapes_of_all(self) -> list[Shapes]:
        return [{name: tuple(shape) for name, shape in one["shapes"].items()} for one in self.every]


class Together:
    """The ranks of a step, over an open communicator."""

    def __init__(self, communicator: Communicator, mesh: Mesh, joined: Joined | None = None) -> None:
        self.communicator, self.mesh, self._joined = communicator, mesh, joined
        self.rank, self.size = communicator.rank, communicator.world_size
        # Of these ranks, once it is opened.
        self.module: Module | None = None

    @property
    def have_one_batch(self) -> bool:
        """Whether some ranks take the same one."""
        return self.mesh.axes.get("tp", 1) > 1

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
        self._check(every)

    def _check(self, every: list[dict[str, Any]]) -> None:
        """That all call the same, with what they must have in common."""
        for rank, other in enumerate(every):
            if other["call"] != every[0]["call"]:
                raise StepFailure(f"ranks must call the same, but rank 0 calls {every[0]['call']} and rank {rank} {other['call']}")
            for what, must in _ALIKE.items():
                ours, theirs = every[0].get(what, {}), other.get(what, {})
                if ours != theirs:
                    odd = next(key for key in ours | theirs if ours.get(key) != theirs.get(key))
                    raise StepFailure(f"ranks must {must}, but of {odd} rank 0 has {ours.get(odd, _AS_BEFORE)} and rank {rank} "
                                      f"{theirs.get(odd, _AS_BEFORE)}")
            if "batch" not in other:
                continue
            assert self.module is not None  # It reads the batch.
            first = self.module.batch_owner(rank)
            ours, theirs = every[first]["batch"], other["batch"]
            if ours != theirs:
                odd = next(key for key in ours | theirs if ours.get(key) != theirs.get(key))
                raise StepFailure(f"ranks that divide layers (tp) must take the same batch, but of {odd} rank {first} and rank {rank} have other "
                                  f"values: give both the data of rank {first}")

    def check_alike(self, text: str) -> None:
        """That all ranks have imported the same: StepFailure with the first line that differs."""
        digests = self.communicator.all_gather(hashlib.sha256(text.encode()).digest())
        if len(set(digests)) == 1:
            return
        texts = [given.decode() for given in self.communicator.all_gather(text.encode())]
        rank = next(rank for rank, digest in enumerate(digests) if digest != digests[0])
        pairs = zip(*(one.splitlines() for one in (texts[0] + "\n(its end)", texts[rank] + "\n(its end)")))
        ours, theirs = next(pair for pair in pairs if pair[0] != pair[1])
        raise StepFailure("ranks must train one model with one loss and one optimizer, but what they import differs, first where rank 0 has "
                          f"{_shorten(ours, theirs)!r} and rank {rank} {_shorten(theirs, ours)!r}")

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
        if not is_divided(binding):
            return own.clone()
        # Of those that have the same slice, one sends it.
        is_first = module.slice_owner(binding, self.rank) == self.rank
        whole = torch.empty(binding.whole_shape, dtype=own.dtype)
        memory = whole.reshape(-1).view(torch.uint8).numpy()
        for rank, part in enumerate(self.communicator.all_gather(_bytes_of(own) if is_first else b"")):
            if part:
                module.place_slice(binding, rank, np.frombuffer(part, np.uint8), memory)
        return whole.to(own.device)

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


@contextlib.contextmanager
def all_do(ranks: Together | None, name: str) -> Iterator[dict[str, Any]]:
    """What happens inside succeeds on all ranks or fails on all; what it puts into the dictionary must be alike."""
    said: dict[str, Any] = {}
    if ranks is None:
        yield said
        return
    with ranks.call(name, said):
        yield said


def is_divided(binding: Binding) -> bool:
    """Whether ranks have slices of it."""
    return binding.shape != binding.whole_shape


def longest(every: list[Shapes]) -> Shapes:
    """The shapes to which the batches of all ranks are completed."""
    if any(one.keys() != every[0].keys() or any(len(one[name]) != len(every[0][name]) for name in one) for one in every):
        raise StepFailure("ranks must have batches of the same tensors and dimensions, but got "
                          + " and ".join(f"{one} of rank {rank}" for rank, one in enumerate(every)))
    return {name: tuple(max(sizes) for sizes in zip(*(one[name] for one in every))) for name in every[0]}


def _shorten(line: str, other: str, most: int = 160) -> str:
    """A part of the line, with the first character that is another one."""
    first = next((i for i, pair in enumerate(zip(line, other)) if pair[0] != pair[1]), 0)
    begin = max(0, min(first - most // 2, len(line) - most))
    return ("..." if begin else "") + line[begin:begin + most] + ("..." if begin + most < len(line) else "")


def _bytes_of(tensor: torch.Tensor) -> bytes:
    return tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def _tensor_of(data: bytes, like: torch.Tensor) -> torch.Tensor:
    if not data:
        return torch.empty_like(like, device="cpu")
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).view(like.dtype).reshape(like.shape)


def join(mesh: str | Communicator | None, communicator: Communicator | None = None) -> Together | None:
    """The ranks of a step, by prec.compile's arguments; None of a process alone."""
    if isinstance(mesh, Communicator):
        if communicator is not None:
            raise StepFailure("mesh must be axes where communicator= is given, but is a communicator")
        return join("dp", mesh)
    if mesh is not None and not isinstance(mesh, str):
        raise StepFailure(f'mesh must be "dp", "none", axes such as "dp=2,tp=2", a communicator of prec.connect, or None, but got {mesh!r}')
    if communicator is None and (mesh == "none" or mesh is None and find_launch().world_size == 1):
        return None
    if mesh == "none":
        raise StepFailure('mesh must be axes where communicator= is given, but got "none"')
    ranks = communicator.world_size if communicator is not None else find_launch().world_size
    axes = Mesh({"dp": ranks}) if mesh in (None, "dp") else Mesh.parse(mesh, ranks)
    if communicator is not None:
        return Together(communicator, axes)
    joined = Joined.find()
    return Together(joined.communicator, axes, joined)


def _leave(communicator: Communicator) -> None:
    error = getattr(sys, "last_value", None)
    communicator.close(None if error is None else f"{type(error).__name__}: {error}")
