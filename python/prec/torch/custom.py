# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of torch.library that are the user's own: which ones a step can hold, how a call of one is written down,
and what computes it where a step runs.

A trace holds such an operation whole, forward and backward: torch.library calls what the user registered as its
gradient. In the graph it is one operation with a name ("mylib::silu.default") and settings, a text that says how
PyTorch's operation was called: where in its arguments the tensors are, and all others. On the CPU a function of that
name computes it, which is PyTorch's operation again (`host_functions`); on a GPU a kernel that the user has registered
(kernels.py).
"""
from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch

from ..calls import CallTensor, HostFunction
from ..errors import ImportFailure

Overload = torch._ops.OpOverload
# Namespaces of PyTorch itself, and ours.
_KNOWN = frozenset({"aten", "prims", "prim", "prec", "profiler", "rngprims", "c10d_functional", "_c10d_functional", "quantized", "mkldnn",
                    "inductor", "debugprims", "fsdp", "symm_mem", "sparse", "quantized_decomposed"})
# By PyTorch's dtypes, those of an operation's edge. What has no type of its own in a graph is of 32 bits there.
EDGE = {torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16", torch.bool: "i1", torch.int8: "i8", torch.int16: "i16",
        torch.int32: "i32", torch.int64: "i64", torch.uint8: "i8"}
_MOST_TRIED = 1 << 24  # Elements of an operation that is tried when it is imported.


def is_custom(target: object) -> bool:
    """Whether it is an operation of the user's own, or of a library's that is not PyTorch."""
    return isinstance(target, Overload) and target.namespace not in _KNOWN


def problem_of(op: Overload) -> str | None:
    """Why a step cannot call it, and what to do; None where it can."""
    schema = op._schema
    if schema.is_mutable or any(a.alias_info is not None for a in (*schema.arguments, *schema.returns)):
        return "it writes or passes on an argument: return new tensors (mutates_args=())"
    if torch.Tag.nondeterministic_seeded in op.tags:
        return "it draws random numbers, which a step has from dropout's own streams alone: give them as an argument"
    if not schema.returns or any(str(r.type) not in ("Tensor", "List[Tensor]") for r in schema.returns):
        return "it must return tensors"
    return None


def name_of(op: Overload) -> str:
    """By which its function is given: "mylib::silu.default"."""
    return f"{op.namespace}::{op._schema.name.partition('::')[2]}.{op._overloadname}"


def find(name: str) -> Overload | None:
    """The operation of such a name, if it is registered."""
    space, _, rest = name.partition("::")
    packet, _, overload = rest.rpartition(".")
    found = getattr(getattr(torch.ops, space), packet, None) if space and packet and hasattr(getattr(torch.ops, space), packet) else None
    return getattr(found, overload, None) if found is not None and overload in found.overloads() else None


class Call:
    """A call of an operation, taken apart: `tensors` in their order, of which `dtype_of` tells PyTorch's types, and
    `settings`, which put it together again: a list of the arguments, of those by name and of the tensors' types."""

    def __init__(self, args: Sequence[Any], kwargs: Mapping[str, Any], dtype_of: Callable[[Any], torch.dtype | None]) -> None:
        self.tensors, self._dtype_of = list[Any](), dtype_of
        self.dtypes: list[torch.dtype] = []
        written = [self._write(value) for value in args]
        named = {name: self._write(value) for name, value in kwargs.items()}
        self.settings = json.dumps([written, named, [_named(dtype) for dtype in self.dtypes]])

    def _write(self, value: Any) -> Any:
        dtype = self._dtype_of(value)
        if dtype is not None:
            self.tensors.append(value)
            self.dtypes.append(dtype)
            return {"tensor": len(self.tensors) - 1}
        if isinstance(value, (list, tuple)):
            return [self._write(one) for one in value]
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"float": str(value)}
        if isinstance(value, torch.dtype):
            return {"dtype": _named(value)}
        if isinstance(value, torch.device):
            return {"device": "cpu"}
        raise NotImplementedError(f"its arguments must be tensors, numbers, words, dtypes and lists of them but got a {type(value).__name__}: "
                                  "give what it holds")


def _named(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def call(op: Overload, settings: str, tensors: Sequence[torch.Tensor], floats: torch.dtype | None = None) -> list[torch.Tensor]:
    """What an operation returns, without gradients, of tensors in the types that it was traced with; all floats in
    `floats`, if that is given."""
    args, kwargs, dtypes = json.loads(settings)
    types = [getattr(torch, dtype) for dtype in dtypes]
    given = [t.to(floats if floats is not None and own.is_floating_point else own) for t, own in zip(tensors, types, strict=True)]

    def read(value: Any) -> Any:
        if isinstance(value, list):
            return [read(one) for one in value]
        if not isinstance(value, dict):
            return value
        (kind, what), = value.items()
        readers: dict[str, Callable[[Any], Any]] = {"tensor": given.__getitem__, "float": float, "device": torch.device,
                                                   "dtype": lambda name: getattr(torch, name)}
        return readers[kind](what)
    with torch.no_grad():
        return results_of(op(*read(args), **{name: read(value) for name, value in kwargs.items()}))


def results_of(found: Any) -> list[torch.Tensor]:
    """What an operation returned, as a list of tensors."""
    if isinstance(found, torch.Tensor):
        return [found]
    return [t for one in found for t in results_of(one)]


def in_double(op: Overload, settings: str, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """What it computes of float64, in float64; by an implementation that takes no float64, of what is rounded to
    float32."""
    try:
        found = call(op, settings, tensors, torch.float64)
    except Exception:
        # Written for its own types, as kernels are; what else is wrong comes again.
        found = call(op, settings, tensors, torch.float32)
    return [t.double() if t.is_floating_point() else t for t in found]


def is_linear(op: Overload, settings: str, shapes: Sequence[Sequence[int]], gradients: Sequence[int]) -> bool:
    """Whether twice the gradients that it is given make twice what it returns, as in a backward they should: tried on
    numbers of our own, which tells nothing of an operation that does not run here or is too large."""
    if not gradients or sum(map(math.prod, shapes)) > _MOST_TRIED:
        return False
    generator, dtypes = torch.Generator().manual_seed(0), [getattr(torch, dtype) for dtype in json.loads(settings)[2]]
    tensors = [torch.randn(shape, generator=generator).to(dtype) if dtype.is_floating_point else torch.zeros(shape, dtype=dtype)
               for shape, dtype in zip(shapes, dtypes, strict=True)]
    twice = [2 * t if i in gradients else t for i, t in enumerate(tensors)]
    try:
        first, second = call(op, settings, tensors), call(op, settings, twice)
    except Exception:
        return False
    return all(not x.is_floating_point() or bool(((2 * x == y) | (x.isnan() & y.isnan())).all()) for x, y in zip(first, second, strict=True))


_TORCH = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16, "bool": torch.bool, "int8": torch.int8,
          "int32": torch.int32, "int64": torch.int64}


def _tensor_of(given: CallTensor) -> torch.Tensor:
    """The memory of a call's tensor, without a copy."""
    return torch.frombuffer(given.memory(), dtype=_TORCH[given.dtype]).reshape(given.shape)


def host_function(op: Overload) -> HostFunction:
    """What computes an operation for a module on the CPU: PyTorch's operation, without gradients."""
    def compute(settings: str, inputs: Sequence[CallTensor], results: Sequence[CallTensor]) -> None:
        found = call(op, settings, [_tensor_of(t) for t in inputs])
        for place, result in zip(results, found, strict=True):
            if tuple(result.shape) != place.shape:
                raise ValueError(f"a result must have shape {list(place.shape)}, as its fake implementation says, but got {list(result.shape)}")
            _tensor_of(place).copy_(result)
    return compute


def host_functions(*names: str) -> dict[str, HostFunction]:
    """For prec.Module's functions=: what computes operations of torch.library for a module on the CPU, by their names.

    names: of operations ("mylib::silu") or of whole namespaces ("mylib"), which must be registered (their library
    imported). Raises ImportFailure for one that is not."""
    found: dict[str, HostFunction] = {}
    for name in names:
        ops = list(_overloads(name))
        if not ops:
            raise ImportFailure(f"an operation must be registered with torch.library but '{name}' is not: import what registers it")
        found |= {name_of(op): host_function(op) for op in ops}
    return found


def _overloads(name: str) -> Iterator[Overload]:
    space, _, rest = name.partition("::")
    wanted = rest.partition(".")[0]
    for known in torch._C._dispatch_get_all_op_names():
        own, _, full = known.partition("::")
        packet, _, overload = full.partition(".")
        if own == space and (not wanted or packet == wanted):
            # Names of libraries that are gone stay.
            found = getattr(getattr(getattr(torch.ops, own), packet, None), overload or "default", None)
            if found is not None:
                yield found


def functions_of(calls: Iterable[str]) -> dict[str, HostFunction]:
    """Of the names that a graph calls."""
    found = {}
    for name in calls:
        op = find(name)
        assert op is not None, name
        found[name] = host_function(op)
    return found
