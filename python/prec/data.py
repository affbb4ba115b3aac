# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Token ids in files, as batches of a training.

Files are cut into windows as long as a sequence. A training is one epoch after the other, each with every window once,
in an order that follows from a seed: that of prec-run, which the runtime computes place by place, so nothing is held in
memory, and a training goes on from its place alone.
"""
from __future__ import annotations

import ctypes as c
import glob
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._runtime import Library
from .errors import BadFile, InvalidArgument, NotFound

if TYPE_CHECKING:
    import torch

# As tools/prec-run/TokenFile.cpp: a fingerprint has so many ids at each of so many places of a file.
_SAMPLED, _PLACES = 1024, 64


@dataclass(frozen=True)
class _Shard:
    path: str
    dtype: str
    header: int  # bytes
    count: int

    def read(self, start: int, count: int) -> npt.NDArray[Any]:
        dtype = np.dtype(self.dtype)
        ids = np.fromfile(self.path, dtype, count, offset=self.header + start * dtype.itemsize)
        if len(ids) != count:
            raise BadFile(f"{self.path}: must have {self.count} ids as when it was opened, but got fewer")
        return ids


class TokenDataset:
    """Windows of token ids, shuffled, as tensors {"input_ids": ..., "labels": ...}.

        data = prec.TokenDataset("tokens/*.bin", length=512, seed=1)
        step = prec.compile(model, optimizer, data.first(8))
        for batch in data.batches(8, epochs=1):
            loss = step(batch)
        torch.save(data.state_dict(), "data.pt")      # a training goes on at its place

    files: a file, a pattern such as "tokens/*.bin", or a list of these. A .npy has one dimension of uint16 or uint32;
      every other file has ids alone, uint16 or with wide=True uint32, little-endian. No window spans two files.
    length: of a window.
    seed: of the order; None reads windows in the order of the files.
    label_shift: how many tokens labels are ahead of input_ids: 0 for a model that shifts labels itself, as those of
      transformers do, else 1.
    It is a map-style data set of PyTorch's: data[i] is the window at place i of the epoch, and
    DataLoader(data, batch_size=8) reads an epoch in order, in as many workers as one likes.
    """

    def __init__(self, files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], length: int, *, seed: int | None = 0,
                 label_shift: int = 0, wide: bool = False) -> None:
        if length < 1 or label_shift < 0 or (seed is not None and not 0 <= seed < 2**64):
            raise InvalidArgument(f"length must be from 1 on, label_shift from 0 on and seed of 64 bits, but got {length}, {label_shift} and {seed}")
        self.length, self.seed, self.label_shift = length, seed, label_shift
        given = [files] if isinstance(files, (str, os.PathLike)) else list(files)
        self._shards = [_open(path, wide) for pattern in given for path in _find(os.fspath(pattern))]
        self._windows = np.array([max(0, shard.count - label_shift) // length for shard in self._shards], np.int64)
        self._ends = np.cumsum(self._windows)
        if not len(self):
            raise BadFile(f"{given[0] if given else 'a list of files'}: must have {length + label_shift} tokens in a file for a window, but got "
                          f"{sum(shard.count for shard in self._shards)}")
        # Windows that were read, over all epochs.
        self.position = 0
        self._library: Library | None = None

    def __len__(self) -> int:
        """Windows of an epoch."""
        return int(self._ends[-1]) if len(self._ends) else 0

    @property
    def epoch(self) -> int:
        return self.position // len(self)

    def __getitem__(self, place: int) -> dict[str, torch.Tensor]:
        if not -len(self) <= place < len(self):
            raise IndexError(f"a place must be in an epoch of {len(self)} windows, but got {place}")
        return {name: rows[0] for name, rows in self._read(self.epoch * len(self) + place % len(self), 1).items()}

    def first(self, rows: int) -> dict[str, torch.Tensor]:
        """The batch that is next, which stays the next one."""
        return self._read(self.position, rows)

    def batches(self, rows: int, epochs: int | None = None) -> Iterator[dict[str, torch.Tensor]]:
        """Batches of so many windows, from `position` on, which is behind a batch when one has it. A batch may have
        windows of two epochs. epochs: how many there are in all, of which those that lie behind count; an incomplete
        last batch is left out. None: without an end."""
        if rows < 1:
            raise InvalidArgument(f"a batch must have rows, but got {rows}")
        while epochs is None or self.position + rows <= epochs * len(self):
            self.position += rows
            yield self._read(self.position - rows, rows)

    def state_dict(self) -> dict[str, Any]:
        """Place, order and fingerprint of the data."""
        return {"position": self.position, "epoch": self.epoch, **self._order()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on at the place of a state; refuses that of other data or another order."""
        for name, value in self._order().items():
            if state.get(name) != value:
                raise InvalidArgument(f"a training must go on with its own data, of {name} {state.get(name)}, but got {value}")
        self.position = int(state["position"])

    def _order(self) -> dict[str, Any]:
        return {"seed": self.seed, "length": self.length, "label_shift": self.label_shift, "fingerprint": self.fingerprint()}

    def fingerprint(self) -> str:
        """A hash of how many ids each file has, and of ids at 64 places of it."""
        digest = hashlib.sha256()
        for shard in self._shards:
            digest.update(f"{shard.count}\n".encode())
            for i in range(_PLACES):
                start = shard.count // _PLACES * i
                digest.update(shard.read(start, min(_SAMPLED, shard.count - start)).astype("<u4").tobytes())
        return digest.hexdigest()

    def _order_of(self, first: int, count: int) -> npt.NDArray[np.int64]:
        """The windows at these places of the training."""
        if self.seed is None:
            return np.arange(first, first + count, dtype=np.int64) % len(self)
        if self._library is None:
            self._library = Library()
        windows = np.empty(count, np.int64)
        self._library.call("shuffle", self.seed, len(self), first, count, windows.ctypes.data_as(c.POINTER(c.c_int64)))
        return windows

    def _read(self, first: int, count: int) -> dict[str, torch.Tensor]:
        import torch

        ids, labels = np.empty((count, self.length), np.int64), np.empty((count, self.length), np.int64)
        for row, window in enumerate(self._order_of(first, count)):
            shard = int(np.searchsorted(self._ends, window, side="right"))
            start = int(window - self._ends[shard] + self._windows[shard]) * self.length
            read = self._shards[shard].read(start, self.length + self.label_shift)
            ids[row], labels[row] = read[:self.length], read[self.label_shift:]
        return {"input_ids": torch.from_numpy(ids), "labels": torch.from_numpy(labels)}

    def __getstate__(self) -> dict[str, Any]:
        # Each process of a DataLoader opens the runtime itself.
        return {**self.__dict__, "_library": None}


def _find(pattern: str) -> list[str]:
    """Files of a name, or of a pattern that is no file's name, sorted."""
    if os.path.exists(pattern) or not glob.has_magic(pattern):
        return [pattern]
    found = sorted(glob.glob(pattern))
    if not found:
        raise BadFile(f"{pattern}: must match files, but got none")
    return found


def _open(path: str, wide: bool) -> _Shard:
    if not os.path.isfile(path):
        raise NotFound(f"{path}: must be a file of token ids, but got none")
    if path.endswith(".npy"):
        return _open_npy(path)
    dtype = "<u4" if wide else "<u2"
    size = Path(path).stat().st_size
    if size % np.dtype(dtype).itemsize:
        raise BadFile(f"{path}: size must be a multiple of {np.dtype(dtype).itemsize} bytes, but got {size}")
    return _Shard(path, dtype, 0, size // np.dtype(dtype).itemsize)


def _open_npy(path: str) -> _Shard:
    rule = f"{path}: must be a .npy of one dimension of '<u2' or '<u4', but got"
    with open(path, "rb") as file:
        try:
            version = np.lib.format.read_magic(file)
            read = np.lib.format.read_array_header_1_0 if version[0] == 1 else np.lib.format.read_array_header_2_0
            shape, _, dtype = read(file)
        except ValueError as error:
            raise BadFile(f"{rule} another format") from error
        header = file.tell()
    if dtype.str not in ("<u2", "<u4") or len(shape) != 1:
        raise BadFile(f"{rule} '{dtype.str}' of shape {shape}")
    size = Path(path).stat().st_size
    if header + shape[0] * dtype.itemsize != size:
        raise BadFile(f"{path}: must have the {shape[0]} ids that its header says, but got {size} bytes")
    return _Shard(path, dtype.str, header, shape[0])
