# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several processes that run one module together (docs/Ranks.md): torchrun, mpirun or srun starts the program once for
each rank, and each connects to the others.

    with prec.connect() as ranks:
        module = prec.Module("step.so", communicator=ranks)
"""
from __future__ import annotations

import ctypes as c
import os
import types
from typing import NoReturn

from . import _runtime as rt
from .errors import InvalidState

__all__ = ["Communicator", "connect"]


class Communicator:
    """The ranks of a run, as one of them sees it: `rank` of `world_size`, and `local_rank` among those of its computer.
    As a context it tells the others why this rank ends, if an exception ends it. It cannot be pickled."""

    _handle: c.c_void_p | None = None

    def __init__(self, rank: int, world_size: int, address: str | None = None, *, local_rank: int = 0, timeout_s: float = 300,
                 library: str | os.PathLike[str] | None = None) -> None:
        """Waits until all ranks are there. `address` is HOST:PORT of rank 0; one rank alone needs none. `timeout_s`:
        how long one rank may be behind another. Raises RanksFailure where some do not come."""
        self._library = rt.Library(library)
        self.rank, self.world_size, self.local_rank = rank, world_size, local_rank
        handle = c.c_void_p()
        options = rt.ConnectOptions(rank=rank, world_size=world_size, address=None if address is None else address.encode(), timeout_s=timeout_s)
        self._library.call("connect", c.byref(options), c.byref(handle))
        self._handle = handle

    def close(self, reason: str | None = None) -> None:
        """Ends it for this rank; a second call does nothing. `reason`: why before the others, as they are told; else
        it waits up to 10 s for them."""
        if self._handle is None:
            return
        handle, self._handle = self._handle, None
        self._library.disconnect(handle, reason)

    def all_gather(self, data: bytes | bytearray | memoryview) -> list[bytes]:
        """What each rank sends, in the order of ranks; of any size, which may differ. All ranks call it in the same
        order, from one thread at a time. Raises RanksFailure where one ends or does not come in time."""
        size = len(memoryview(data).cast("B"))
        sizes = [int.from_bytes(one, "little") for one in self._gather(size.to_bytes(8, "little"))]
        room = max(sizes)
        return [one[:own] for own, one in zip(sizes, self._gather(bytes(data).ljust(room, b"\0")))] if room else [b""] * self.world_size

    def _gather(self, data: bytes) -> list[bytes]:
        out = c.create_string_buffer(len(data) * self.world_size)
        self._library.call("all_gather", self.handle(), data, out, len(data))
        return [out.raw[i * len(data):(i + 1) * len(data)] for i in range(self.world_size)]

    @property
    def is_open(self) -> bool:
        return self._handle is not None

    def handle(self) -> c.c_void_p:
        """What modules are opened with."""
        if self._handle is None:
            raise InvalidState("a communicator must be open, but is closed")
        return self._handle

    def __enter__(self) -> Communicator:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: types.TracebackType | None) -> None:
        self.close(None if error is None else f"{type(error).__name__}: {error}")

    def __del__(self) -> None:
        self.close("it was not closed")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a communicator cannot be pickled, as it is this process's: connect in each process")


def find_launch(rendezvous: str | None = None, *, library: str | os.PathLike[str] | None = None) -> rt.Launch:
    """What the launcher's variables say of this process: `rank`, `world_size`, `local_rank`, `address`."""
    launch = rt.Launch()
    rt.Library(library).call("find_launch", None if rendezvous is None else rendezvous.encode(), c.byref(launch))
    return launch


def connect(rendezvous: str | None = None, *, timeout_s: float = 300, library: str | os.PathLike[str] | None = None) -> Communicator:
    """Connects this process to the other ranks that torchrun, Open MPI or Slurm started; without a launcher it is one
    rank alone. `rendezvous`: HOST:PORT of rank 0, where the launcher does not say it. `timeout_s`: how long one rank
    may be behind another. Raises RuntimeFailure where the launcher's variables make no sense or ranks do not come."""
    launch = find_launch(rendezvous, library=library)
    return Communicator(launch.rank, launch.world_size, launch.address.decode() or None, local_rank=launch.local_rank, timeout_s=timeout_s,
                        library=library)
