# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Step modules in Python: train, evaluate, load and save, with NumPy arrays or anything that speaks DLPack.

    module = prec.Module("step.so")
    module.load("weights.safetensors")
    result = module.step({"input_ids": ids, "labels": ids}, lr=1e-3)
    result["loss"]
"""
from __future__ import annotations

import contextlib
import ctypes as c
import itertools
import json
import math
import operator
import os
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _contract as contract, _dlpack as dlpack, _runtime as rt
from .calls import CallTensor, Functions, HostFunction
from .dtypes import DTYPES, NAMES, c_name, numpy_dtype
from .errors import Busy, FunctionFailure, InvalidArgument, InvalidState, RuntimeFailure
from .libraries import nvidia_folders
from .ranks import Communicator

__all__ = ["CallTensor", "HostFunction", "Module", "RuntimeFailure", "View"]


class DLPack(Protocol):
    """A tensor of a framework, in memory of the host or of the module's GPU."""

    def __dlpack__(self, *, stream: Any = None) -> Any: ...


Array: TypeAlias = npt.ArrayLike | DLPack
def _array(value: Any) -> np.ndarray:
    """A dense host array, without a copy where the value's memory allows it."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError("arrays must be whole, but got one with a mask: fill it, or give labels that are ignored their own number")
    array = np.asarray(value, order="C")
    if array.dtype in (np.uint8, np.uint16, np.int16):  # As token files have them; exact in 32 bits.
        array = array.astype(np.int32)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _settled(value: Any) -> Any:
    """Without what a framework only notes of a view, which DLPack does not carry: that its numbers are to be negated
    or conjugated."""
    for settle in ("detach", "resolve_conj", "resolve_neg"):
        value = getattr(value, settle)() if hasattr(value, settle) else value
    return value


def _from_numpy(value: Any) -> np.ndarray | None:
    """A framework's host tensor, if NumPy has its dtype."""
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError):
        return None


def _tensor(name: str, array: np.ndarray) -> rt.Tensor:
    code = DTYPES.get(array.dtype.name)
    if code is None:
        raise TypeError(f"'{name}' must have a dtype of {', '.join(DTYPES)}, but got {array.dtype.name}")
    shape = (c.c_int64 * array.ndim)(*array.shape)
    return rt.Tensor(name=c_name(name), dtype=code, rank=array.ndim, shape=shape, data=array.ctypes.data)


def _stream_handle(stream: Any) -> int | None:
    """A CUstream: a number, or an object of a framework that has one."""
    if stream is None:
        return None
    handle = stream.__cuda_stream__()[1] if hasattr(stream, "__cuda_stream__") else operator.index(getattr(stream, "cuda_stream", stream))
    if not 0 < handle < 2**64:  # 0, as PyTorch calls the default stream, is none in C.
        raise InvalidArgument(f"a stream must be one that was created, as CUDA graphs cannot be recorded from the default streams, but got {handle}")
    return handle


class Allocator(Protocol):
    """Gives the memory of a module, on its GPU or the host, and takes it back when the module is closed and its views
    are gone, on any thread."""

    def allocate(self, size: int) -> int:
        """The address of so many bytes, a multiple of 256; 0 if there are none."""

    def deallocate(self, address: int) -> None: ...


class _Giver:
    """An allocator, the addresses of what it gave that is in use, and whether its module is open."""

    def __init__(self, allocator: Allocator) -> None:
        self.allocator, self.addresses, self.is_open = allocator, set[int](), True


class _Givers:
    """Who gave memory that is in use, by a number that C hands back. The functions that C calls live as long as the
    process: memory may be given back after its module is closed, by the last view."""

    def __init__(self) -> None:
        self._held: dict[int, _Giver] = {}
        self._numbers = itertools.count(1)
        self.functions = rt.Allocate(self._allocate), rt.Deallocate(self._deallocate)

    def add(self, allocator: Allocator) -> int:
        number = next(self._numbers)
        self._held[number] = _Giver(allocator)
        return number

    def close(self, number: int) -> None:
        self._held[number].is_open = False
        self._drop(number)

    def _drop(self, number: int) -> None:
        giver = self._held[number]
        if not giver.is_open and not giver.addresses:
            del self._held[number]

    def _allocate(self, size: int, _: int, number: int) -> int | None:
        giver = self._held[number]
        address = giver.allocator.allocate(size)
        if address:
            giver.addresses.add(address)
        return address or None

    def _deallocate(self, address: int, size: int, number: int) -> None:
        giver = self._held[number]
        giver.addresses.discard(address)
        self._drop(number)
        giver.allocator.deallocate(address)


_GIVERS = _Givers()


class Binding:
    """One thing that a module reads or writes: name, role (docs/ModuleFormat.md lists them), shape, and dtype as NumPy
    or ml_dtypes calls it. `parameter` and `slot` name what a state or work weight belongs to; else they are empty. Of
    this rank's slice of a tensor `shape` is that of the slice, `whole_shape` that of the tensor, and `slice_start`
    where in it the slice begins, by dimension (None of one that has pieces of several parts); of others these are
    `shape` and zeros."""

    def __init__(self, index: int, raw: rt.Binding) -> None:
        self.index = index
        self.name = raw.name.decode()
        self.role = contract.ROLES[raw.role]
        self.dtype = NAMES[raw.dtype]
        self.code = raw.dtype
        self.shape = tuple(raw.shape[:raw.rank])
        self.parameter = raw.parameter.decode()
        self.slot = raw.slot.decode()
        self.is_slice = bool(raw.whole_shape)
        self.whole_shape = tuple(raw.whole_shape[:raw.rank]) if self.is_slice else self.shape
        self.slice_start = (0,) * raw.rank if not self.is_slice else tuple(raw.slice_start[:raw.rank]) if raw.slice_start else None

    def __repr__(self) -> str:
        return f"{self.role} {self.name}: {self.dtype}{list(self.shape)}"


class View:
    """The memory of a binding itself, without a copy: torch.from_dlpack(view), numpy.from_dlpack(view). It is that of
    the module's device, lives as long as the tensors made of it, and later steps write into it. Writing is for
    optimizer states and for inputs of a batch whose numbers the module does not check; all others are read-only, which
    NumPy keeps to and PyTorch does not know."""

    def __init__(self, module: Module, binding: Binding) -> None:
        self._module = module
        self.binding = binding
        pointer = module._view("view", binding)
        tensor = c.cast(pointer, c.POINTER(dlpack.Versioned)).contents
        self._device = (tensor.tensor.device.type, tensor.tensor.device.index)
        self.writable = not tensor.flags & dlpack.READ_ONLY
        dlpack.delete(pointer, versioned=True)

    def __repr__(self) -> str:
        return f"view of {self.binding!r}"

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        """Waits for what the module began, so that it may be read on any stream."""
        if copy:
            raise BufferError("a view is no copy, but got copy=True")
        if dl_device is not None and tuple(map(int, dl_device)) != self._device:
            raise BufferError(f"a view must stay on its device {self._device}, but got {tuple(dl_device)}")
        versioned = max_version is not None and max_version[0] >= 1
        return dlpack.make_capsule(self._module._view("view" if versioned else "view_legacy", self.binding), versioned)


class Module:
    """An opened step module with its own memory. It is used from one thread at a time: a call while another thread's
    has not returned raises RuntimeFailure, and so does `close`. It cannot be copied. A module is a program; open those
    that you would run.

    Shapes are static. A batch of another shape is refused, unless it has fewer rows and `pad_batches` is set: then
    rows of zeros and of ignored labels complete it, and the loss is the smaller batch's. Where the graph does not show
    that such rows change nothing, the smaller batch raises RuntimeFailure with the reason (`manifest["padding"]`).

    A batch maps the names of inputs to arrays of their shapes: of NumPy, of any framework's host memory by DLPack, or
    nested lists. Values must be exact in the input's dtype; anything else raises TypeError or RuntimeFailure, and then
    nothing has changed.

    path: the step module. library: libprec-rt.so, found in the package or build otherwise. device: number of the GPU
    that runs a module for one; otherwise that of `stream`, of the thread's current CUDA context, or the first. stream:
    a CUDA stream (its number, or a torch.cuda.Stream) on which all work is put; otherwise one of the module's own.
    threads: of a module for the CPU; otherwise one a processor, with the same results. log: called with "debug", "note"
    or "warning" and a line; otherwise notes are written to stderr. algorithm_file: where a GPU module keeps which
    algorithms it chose; otherwise beside the module. allocator: gives the module its memory. state_of: a module of the
    same step for other shapes, whose weights, optimizer state and count of steps this one uses and trains; they share
    one workspace, as large as the largest of them needs. functions: by name what computes the calls of a module for the
    CPU (docs/Operations.md). communicator: of `prec.connect`, for a module that was compiled for several ranks: each
    has one, and calls the same steps and saves in the same order (docs/Ranks.md).

    Raises RuntimeFailure where the file is no module of this machine, FileNotFoundError where there is no runtime;
    prec.errors has what RuntimeFailure may be.
    """

    _handle: c.c_void_p | None = None

    def __init__(self, path: str | os.PathLike[str], library: str | os.PathLike[str] | None = None, pad_batches: bool = False, *,
                 device: int | None = None, stream: Any = None, threads: int = 0, log: Callable[[str, str], object] | None = None,
                 algorithm_file: str | os.PathLike[str] | None = None, allocator: Allocator | None = None,
                 state_of: Module | None = None, functions: Mapping[str, HostFunction] | None = None,
                 communicator: Communicator | None = None) -> None:
        self._start(("open", os.fsencode(path)), library, pad_batches, device, stream, threads, log, algorithm_file, allocator, state_of,
                    functions, communicator)

    @classmethod
    def from_bytes(cls, image: bytes | bytearray, name: str = "module", library: str | os.PathLike[str] | None = None, pad_batches: bool = False, *,
                   device: int | None = None, stream: Any = None, threads: int = 0, log: Callable[[str, str], object] | None = None,
                   algorithm_file: str | os.PathLike[str] | None = None, allocator: Allocator | None = None,
                   state_of: Module | None = None, functions: Mapping[str, HostFunction] | None = None,
                   communicator: Communicator | None = None) -> Module:
        """A module of the bytes of its file, which errors call `name`."""
        module = cls.__new__(cls)
        module._start(("open_memory", bytes(image), len(image), os.fsencode(name)), library, pad_batches, device, stream, threads, log,
                      algorithm_file, allocator, state_of, functions, communicator)
        return module

    def _start(self, source: tuple[Any, ...], library: str | os.PathLike[str] | None, pad_batches: bool, device: int | None, stream: Any,
               threads: int, log: Callable[[str, str], object] | None, algorithm_file: str | os.PathLike[str] | None,
               allocator: Allocator | None, state_of: Module | None, functions: Mapping[str, HostFunction] | None,
               communicator: Communicator | None) -> None:
        self._lock = threading.RLock()
        self._library = rt.Library(library)
        handle = c.c_void_p()
        folders = [os.fsencode(folder) for folder in nvidia_folders()]
        # ctypes would take what 32 bits hold of it.
        for what, number, most in (("device", 0 if device is None else device, 2**31), ("threads", threads, 2**32)):
            if not 0 <= operator.index(number) < most:
                raise InvalidArgument(f"{what} must be a number in [0, {most}), but got {number}")
        # Both are the runtime's until the module is closed.
        self._log = rt.Log(lambda level, text, _: log(rt.LOG_LEVELS[level], text.decode(errors="replace"))) if log else rt.Log()
        self._stream, self._state_of, self._communicator = stream, state_of, communicator
        self._functions = Functions(functions or {})
        allocation = (rt.Allocate(), rt.Deallocate()) if allocator is None else _GIVERS.functions
        self._giver = None if allocator is None else _GIVERS.add(allocator)
        options = rt.Options(
            library_folders=(c.c_char_p * len(folders))(*folders), num_library_folders=len(folders),
            device=rt.ANY_DEVICE if device is None else device, threads=threads, stream=_stream_handle(stream), log=self._log,
            allocate=allocation[0], deallocate=allocation[1], allocator_user=self._giver,
            algorithm_file=os.fsencode(algorithm_file) if algorithm_file is not None else None,
            state_of=None if state_of is None else state_of._open(), communicator=None if communicator is None else communicator.handle(),
            functions=self._functions.array, num_functions=self._functions.count)
        call, *arguments = source
        try:
            self._library.call(call, *arguments, c.byref(options), c.byref(handle))
        except Exception:
            self._give_up()
            raise
        self._handle = handle
        self._awaited: list[Any] = []  # what a step that was begun reads
        self._library.pad_batches(handle, pad_batches)
        self.bindings = [self._binding(i) for i in range(self._library.num_bindings(handle))]

    def close(self) -> None:
        """Gives back the memory; a second call does nothing. Whatever is called afterwards raises RuntimeFailure."""
        if not getattr(self, "_handle", None):
            return
        with self._alone():
            if self._handle:
                self._library.close(self._handle)
                self._give_up()
            self._handle = None

    def _give_up(self) -> None:
        if self._giver is not None:
            _GIVERS.close(self._giver)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            raise Busy("a module must be used from one thread at a time, but another thread's call on it has not returned")
        try:
            yield
        finally:
            self._lock.release()

    def __copy__(self) -> NoReturn:
        raise TypeError("a module cannot be copied, as its memory is the device's: open it again, and load what the first one saved")

    def __deepcopy__(self, _: object) -> NoReturn:
        self.__copy__()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a module cannot be pickled, as its memory is the device's: open it in each process")

    def __enter__(self) -> Module:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    @property
    def manifest(self) -> dict[str, Any]:
        """What the module says of itself (docs/ModuleFormat.md), read anew."""
        with self._alone():
            return json.loads(self._library.manifest(self._open()))

    def step(self, batch: Mapping[str, Array] | None = None, lr: float | None = None, **hyper: float) -> dict[str, Any]:
        """One training step. `batch` holds every input, or is left out to keep the last one; `lr` and other
        hyper-parameters stay until set again. Returns `loss`, the number of steps done as `step`, and metrics such as
        `grad_norm`; `finite` is False if one is not, and `skipped` names the loss or the first gradient
        that was not, where the step changed nothing for that reason (else None). `crowded` is how often it ran again
        because experts of a rank got more rows than there was room for (docs/Ranks.md). A step that is refused changes
        nothing."""
        hyper = ({"lr": lr} if lr is not None else {}) | hyper
        return self._with_hyper(hyper, lambda: self._run("step", batch, metrics=True))

    def step_async(self, batch: Mapping[str, Array] | None = None, lr: float | None = None, **hyper: float) -> None:
        """Begins a step and returns; `wait` gives what `step` does. Until then other calls raise Busy, and tensors of
        the batch on the GPU must stay as they are."""
        hyper = ({"lr": lr} if lr is not None else {}) | hyper

        def run() -> dict[str, Any]:
            tensors, kept = self._tensors_of(batch)
            self._call("step_async", tensors, len(tensors))
            self._awaited = kept
            return {}
        self._with_hyper(hyper, run)

    def wait(self) -> dict[str, Any]:
        """Ends the step that `step_async` began."""
        result = rt.StepResult()
        with self._alone():
            try:
                self._call("wait", c.byref(result))
            finally:
                self._awaited = []
            return self._values(result, metrics=True)

    def sample(self, batch: Mapping[str, Array] | None = None, lr: float | None = None, **hyper: float) -> dict[str, Any]:
        """The step that `step` would take, bit for bit, which also measures what quantizations do to their tensors:
        `numerics` of the result has amax, rms, underflow, overflow and sqnr_db (None where nothing is rounded) of every
        operand of a contraction that is quantized, first in its own format and then, of what is read in FP8, as if it
        were read in the other FP8 format; `tensors` has amax, rms, gradient_rms and update_rms of every trained
        parameter. For modules compiled with --collect-numerics."""
        hyper = ({"lr": lr} if lr is not None else {}) | hyper
        result = self._with_hyper(hyper, lambda: self._run("sample", batch, metrics=True))
        return result | {"numerics": self._numerics(), "tensors": self._tensors()}

    def accumulate(self, batch: Mapping[str, Array] | None = None) -> dict[str, Any]:
        """Forward and backward of one micro-batch, whose gradients wait for `apply`: its own loss. For modules
        compiled with --accumulate."""
        return self._run("accumulate", batch, metrics=False)

    def apply(self, lr: float | None = None, **hyper: float) -> dict[str, Any]:
        """Ends a step: updates weights by the mean of the gradients of all micro-batches since the last step, weighted
        by their labels that count, as `step` would of one batch of all; returns what it does, with the same mean of
        their losses. `manifest["micro_batch_weights"]` is "equal" where all micro-batches weigh the same."""
        hyper = ({"lr": lr} if lr is not None else {}) | hyper

        def run() -> dict[str, Any]:
            result = rt.StepResult()
            self._call("apply", c.byref(result))
            return self._values(result, metrics=True)
        return self._with_hyper(hyper, run)

    def eval(self, batch: Mapping[str, Array] | None = None) -> dict[str, Any]:
        """The loss, and outputs that the step was imported with, by name: weights and state stay as they are."""
        return self._run("eval", batch, metrics=False) | {b.name: self.get(b, "float32" if b.dtype == "bfloat16" else None)
                                                          for b in self.bindings if b.role == "metric" and b.shape}

    def profile(self, batch: Mapping[str, Array] | None = None) -> list[dict[str, Any]]:
        """One training step, command by command: name, path, phase, op and seconds of each, in their order. It trains
        as `step` does."""
        text = c.c_void_p()
        self._run("profile", batch, False, c.byref(text))
        return json.loads(self._library.take_text(text))

    def enqueue(self, entry: str, batch: Mapping[str, Array] | None = None, outputs: Mapping[str, Array] | None = None) -> Any:
        """Puts an entry point ("step", "accumulate", "apply" or "eval") on the stream, and behind it copies of losses,
        metrics and guards into `outputs`, tensors of the module's device by their names. Nothing waits, and nobody
        looks at what guards found, but where ranks have experts of their own. Returns what the batch is read from,
        which must stay as it is until the stream is there."""
        tensors, kept = self._tensors_of(batch)
        targets, also = self._tensors_of(outputs)
        with self._alone():
            self._call("enqueue", entry.encode(), tensors, len(tensors), targets, len(targets))
        return kept, also

    def refresh(self) -> None:
        """Makes work weights again from masters that were written through views. Scales that belong to no weight,
        optimizer states and the number of steps go on."""
        self._call("refresh")

    def initialize(self) -> None:
        """Makes work weights and scales from masters that have changed; a step does so by itself."""
        self._call("init")

    def restore(self) -> None:
        """Makes work weights again from masters and from scales that were set after `initialize`."""
        self._call("restore")

    @property
    def steps(self) -> int:
        """The number of steps done, from which the next one's number follows. It can be set."""
        count = c.c_int64()
        self._call("get_steps", c.byref(count))
        return count.value

    @steps.setter
    def steps(self, count: int) -> None:
        if not 0 <= operator.index(count) < 2**63:  # ctypes would take what 64 bits hold of it.
            raise InvalidArgument(f"a number of steps must be in [0, 2^53], but got {count}")
        self._call("set_steps", count)

    def trust_batches(self, enabled: bool = True) -> None:
        """Indices and whole numbers of a batch on the GPU are copied there as they are: the caller has checked them."""
        with self._alone():
            self._library.trust_batches(self._open(), enabled)

    def init_random(self, seed: int = 0, stddev: float = 0.02) -> None:
        """Draws weights: of parameters with two or more dimensions from a normal distribution with mean 0, zeros for
        biases, ones for other vectors. The same seed gives the same bits on every target. Training begins anew."""
        self._call("init_random", seed, stddev)

    def load(self, path: str | os.PathLike[str], weights: str | os.PathLike[str] = "") -> int | None:
        """Loads a safetensors file of weights, or a checkpoint: a folder, or an index in it (then returns its data
        position). A file may hold the optimizer's states of all parameters, too (PARAMETER.SLOT): then training goes on
        at the module's default of `step`. Of frozen weights a checkpoint may hold only the copies that its module read:
        another module takes them from `weights`, the file that training began with. Raises RuntimeFailure with a line
        for each tensor that is missing, unknown or of another shape."""
        if not os.path.isdir(path) and not os.fsdecode(path).endswith(".index.json"):
            self._call("load", os.fsencode(path))
            return None
        position = c.c_int64()
        self._call("load_checkpoint", os.fsencode(path), os.fsencode(weights) or None, c.byref(position))
        if notes := self._library.notes(self._open()):
            warnings.warn(notes, stacklevel=2)
        return position.value

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the weights as a safetensors file, under the framework's own names. Raises RuntimeFailure where it
        cannot be written in full."""
        self._call("save", os.fsencode(path))

    def save_checkpoint(self, folder: str | os.PathLike[str], data_position: int = 0) -> None:
        """Writes everything that training goes on from, bit for bit, into a folder. `data_position` counts the tokens
        that were read; `load` gives it back. Raises RuntimeFailure as `save` does."""
        # ctypes would take what 64 bits hold of it.
        if not 0 <= operator.index(data_position) <= 2**62:
            raise InvalidArgument(f"data_position must be a count of tokens in [0, 2^62], but got {data_position}")
        self._call("save_checkpoint", os.fsencode(folder), data_position)

    def weights(self) -> dict[str, np.ndarray]:
        """Copies of all parameters, by the framework's names, but for frozen ones of which only work weights are
        kept."""
        return {b.name: self.get(b) for b in self.bindings if b.role in ("parameter", "frozen_parameter")}

    def binding(self, name: str) -> Binding:
        """The binding of a name; of several a weight. Raises RuntimeFailure for a name that there is not."""
        return self._find(name)

    def get(self, binding: Binding | str, dtype: str | None = None) -> np.ndarray:
        """A copy of a binding, of its shape, as stored or as a dtype that holds its values exactly ("float32" of
        bfloat16 and of FP8). Raises RuntimeFailure for any other dtype, TypeError where ml_dtypes is needed and not
        there."""
        binding = self._find(binding)
        array = np.empty(binding.shape, numpy_dtype(DTYPES[dtype] if dtype else binding.code))
        self._call("get", binding.index, c.byref(_tensor(binding.name, array)))
        return array

    def set(self, binding: Binding | str, value: Array) -> None:
        """Sets a binding; values must have its shape, of a slice also that of the whole tensor, and be exact in the
        stored dtype."""
        binding = self._find(binding)
        tensor, kept = self._describe(binding.name, value)
        self._call("set", binding.index, c.byref(tensor))
        del kept  # It lived until here.

    def slice_owner(self, binding: Binding | str, rank: int) -> int:
        """The first rank that has the same slice of a binding's tensor as `rank`; 0 of what every rank has whole."""
        first = c.c_int32()
        self._call("find_slice", self._find(binding).index, rank, c.byref(first))
        return first.value

    def batch_owner(self, rank: int) -> int:
        """The first rank that takes the same batches as `rank`: those that divide layers between them do."""
        first = c.c_int32()
        self._call("find_batch", rank, c.byref(first))
        return first.value

    def place_slice(self, binding: Binding | str, rank: int, slice: np.ndarray, whole: np.ndarray) -> None:
        """Copies a rank's slice, as that rank has it stored, to its place in the whole tensor. Both are dense, and of
        the stored dtype or its bytes."""
        if not slice.flags.c_contiguous or not whole.flags.c_contiguous or not whole.flags.writeable:
            raise InvalidArgument("a slice and the tensor that it is placed in must be dense, and the tensor writeable")
        self._call("place_slice", self._find(binding).index, rank, slice.ctypes.data, slice.nbytes, whole.ctypes.data, whole.nbytes)

    def view(self, binding: Binding | str) -> View:
        """The memory of a binding without a copy, for torch.from_dlpack and the like; it outlives `close`."""
        return View(self, self._find(binding))

    @property
    def stream(self) -> int | None:
        """The CUstream on which a GPU module puts its work; None of a module for the CPU."""
        with self._alone():
            return self._library.stream(self._open())

    @property
    def statistics(self) -> dict[str, int]:
        """How many tensors on the GPU were copied there (`device_copies`, `device_bytes`), and how many went through
        the host, to be converted or checked (`through_host_copies`, `through_host_bytes`)."""
        result = rt.Statistics()
        self._call("get_statistics", c.byref(result))
        return {name: getattr(result, name) for name in ("device_copies", "device_bytes", "through_host_copies", "through_host_bytes")}

    def set_hyper(self, **hyper: float) -> None:
        """Sets hyperparameters by name, such as lr=1e-3. Raises RuntimeFailure for one that the step does not have, or
        a number out of its range; those before it are set."""
        for name, value in hyper.items():
            self._call("set_hyper", name.encode(), float(value))

    def _open(self) -> c.c_void_p:
        if not self._handle:
            raise InvalidState("module must be open, but is closed")
        return self._handle

    def _call(self, name: str, *arguments: Any) -> None:
        with self._alone():
            try:
                self._library.call(name, self._open(), *arguments)
            except FunctionFailure as failure:
                raise failure from self._functions.take()

    def _binding(self, index: int) -> Binding:
        raw = rt.Binding()
        self._call("get_binding", index, c.byref(raw))
        return Binding(index, raw)

    def _find(self, binding: Binding | str) -> Binding:
        if isinstance(binding, Binding):
            return binding
        index = c.c_size_t()
        self._call("find_binding", binding.encode(), c.byref(index))
        return self.bindings[index.value]

    def _run(self, entry: str, batch: Mapping[str, Array] | None, metrics: bool, *more: Any) -> dict[str, Any]:
        tensors, kept = self._tensors_of(batch)
        result = rt.StepResult()
        with self._alone():
            self._call(entry, tensors, len(tensors), c.byref(result), *more)
            del kept  # They lived until here.
            return self._values(result, metrics)

    def _tensors_of(self, batch: Mapping[str, Array] | None) -> tuple[Any, list[Any]]:
        """What C is given of a batch, and what must live as long."""
        described = [self._describe(name, value) for name, value in (batch or {}).items()]
        return (rt.Tensor * len(described))(*(tensor for tensor, _ in described)), [kept for _, kept in described]

    def _describe(self, name: str, given: Array) -> tuple[rt.Tensor, Any]:
        value: Any = given
        if isinstance(value, np.ndarray) or not hasattr(value, "__dlpack__"):
            array = _array(value)
            return _tensor(name, array), array
        value = _settled(value)
        if dlpack.device_of(value)[0] in (dlpack.HOST, dlpack.CUDA_HOST) and (shared := _from_numpy(value)) is not None:
            array = _array(shared)
            return _tensor(name, array), array
        # What NumPy does not have: a GPU's memory, bfloat16, FP8. The runtime takes what is dense.
        if hasattr(value, "contiguous"):
            value = value.contiguous()
        try:
            capsule = dlpack.export(value, self.stream)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise TypeError(f"'{name}' must be memory that DLPack can hand over, but got {type(value).__name__}: {error}") from None
        pointer, versioned = dlpack.open_capsule(capsule)
        tensor, encoded = rt.Tensor(), c_name(name)
        self._library.call("from_dlpack" if versioned else "from_dlpack_legacy", pointer, encoded, c.byref(tensor))
        return tensor, (value, capsule, encoded)

    def _view(self, call: str, binding: Binding) -> int:
        pointer = c.c_void_p()
        self._call(call, binding.index, c.byref(pointer))
        assert pointer.value is not None  # or an error
        return pointer.value

    def _numerics(self) -> list[dict[str, Any]]:
        uses = {b["name"]: b["uses"] for b in self.manifest["bindings"] if "uses" in b}
        entries = []
        for binding in self.bindings:
            if binding.role != "numerics" or binding.parameter:
                continue
            got = dict(zip(contract.USE_NUMERICS, map(float, self.get(binding)), strict=True))
            square, error = got["squares"], got["error_squares"]
            measured = {"amax": got["amax"], "rms": got["amax"] * square ** 0.5, "underflow": got["underflow"],
                        "overflow": got["overflow"], "sqnr_db": 10 * math.log10(square / error) if error and square else None}
            entries += [use | measured for use in uses[binding.name]]
        return entries

    def _tensors(self) -> list[dict[str, Any]]:
        entries = []
        for binding in self.bindings:
            if binding.role != "numerics" or not binding.parameter:
                continue
            got = dict(zip(contract.PARAMETER_NUMERICS, map(float, self.get(binding)), strict=True))
            rms, gradient, update = (got[what + "amax"] * got[what + "squares"] ** 0.5 for what in ("", "gradient_", "update_"))
            entries.append({"path": binding.parameter, "phase": "forward", "amax": got["amax"], "rms": rms, "update_rms": update,
                            "gradient_rms": gradient})
        return entries

    def _with_hyper(self, hyper: dict[str, float], run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Runs with hyper-parameters set, which a refusal takes back."""
        with self._alone():
            before = [(b, self.get(b)) for b in self.bindings if b.role == "hyper"] if hyper else []
            try:
                self.set_hyper(**hyper)
                return run()
            except Exception:
                for binding, value in before:
                    if self.get(binding) != value:
                        self.set(binding, value)
                raise

    def _values(self, result: rt.StepResult, metrics: bool) -> dict[str, Any]:
        values = {"loss": result.loss, "step": result.step, "finite": bool(result.finite)}
        if metrics:
            values |= {"skipped": self._library.not_finite(self._open()), "crowded": result.crowded}
            values |= {b.name: float(self.get(b)) for b in self.bindings if b.role == "metric" and not b.shape}
        return values
