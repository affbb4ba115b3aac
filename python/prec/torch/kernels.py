# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for GPUs of the user's own operations (custom.py): what is registered, and how a call launches it.

A kernel is code that was compiled before, a cubin for one chip or PTX, and a function that is called when a step is
imported, with the operation's own arguments, whose tensors have shapes and no values: it says how many blocks of how
many threads are started and what the kernel's parameters are. The step module holds the code, and a graph of CUDA
launches it; no Python runs on the way. A kernel of Triton's is compiled here to a cubin.
"""
from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

from ..errors import ImportFailure
from ..ir import Graph
from ..text import ints, string
from . import custom

_NUMBERS = {"i32": int, "i64": int, "f32": float, "f64": float}
# Threads of a warp.
_WARP = 32


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel. grid, block: blocks, and threads of a block, in up to three dimensions. parameters: the
    kernel's, in its order: "in 0" is the address of the operation's first tensor, "out 0" that of its first result, and
    ("i32", 5) a number by value, also of "i64", "f32" or "f64". shared: bytes of dynamic shared memory."""

    grid: Sequence[int]
    block: Sequence[int]
    parameters: Sequence[str | tuple[str, float]]
    shared: int = 0


@dataclass(frozen=True)
class _Kernel:
    code: bytes
    target: str
    symbol: str
    launch: Callable[..., Launch]


def _overload(op: Any) -> custom.Overload:
    """The operation, of what torch.library calls by that name."""
    op = getattr(op, "_opoverload", op)
    if isinstance(op, torch._ops.OpOverloadPacket):
        op = op.default
    if not custom.is_custom(op):
        raise ImportFailure(f"a kernel must be of an operation of torch.library but got {op!r}")
    return op


def register_kernel(op: Any, launch: Callable[..., Launch], *, symbol: str, ptx: str | bytes | None = None, cubin: bytes | None = None,
                    target: str = "") -> None:
    """Gives an operation of torch.library a kernel for GPUs, which steps that are imported from now on hold.

    op: what torch.library.custom_op returned, or torch.ops.mylib.silu. launch(*args, **kwargs): the Launch of a call
      with
    these arguments. symbol: the kernel's name in the code. ptx: of any GPU that runs it; or cubin: for `target`, such
      as
    "sm_90a". A cubin for a step's target goes before PTX. Raises ImportFailure."""
    if (ptx is None) == (cubin is None):
        raise ImportFailure("a kernel must have ptx= or cubin= but got " + ("neither" if ptx is None else "both"))
    if (cubin is not None) != bool(target):
        raise ImportFailure(f"a cubin must say its target and PTX none but got target={target!r}")
    if not symbol or symbol.startswith("prec_"):
        raise ImportFailure(f"a kernel's symbol must not begin with prec_ but got {symbol!r}")
    code = cubin if cubin is not None else ptx.encode() if isinstance(ptx, str) else ptx
    assert code is not None
    overload = _overload(op)
    if not hasattr(overload, "prec_kernels"):
        overload.prec_kernels = []  # type: ignore[attr-defined]
    overload.prec_kernels.append(_Kernel(code, target, symbol, launch))  # type: ignore[attr-defined]


def register_triton(op: Any, kernel: Any, launch: Callable[..., Launch], *, signature: Mapping[str, str], constexprs: Mapping[str, Any],
                    target: str = "sm_90a", num_warps: int = 4, num_stages: int = 3) -> None:
    """The same of a kernel of Triton's (a function under @triton.jit), which is compiled now; Triton must be installed.

    signature: Triton's types of the parameters by name ("*fp32", "i32"), "constexpr" of those in constexprs. launch: as
    of register_kernel, without block and shared memory, which follow from the kernel (give block=(1,))."""
    try:
        compiler, backends = importlib.import_module("triton.compiler"), importlib.import_module("triton.backends.compiler")
    except ImportError:
        raise ImportFailure(f"a kernel of Triton's must be compiled where Triton is but {getattr(kernel, '__name__', kernel)} is registered where it "
                            "is not installed: pip install triton, or compile it elsewhere and register its cubin by register_kernel") from None
    capability = int("".join(c for c in target if c.isdigit()))
    source = compiler.ASTSource(fn=kernel, signature=dict(signature), constexprs=dict(constexprs))
    made = compiler.compile(source, target=backends.GPUTarget("cuda", capability, _WARP), options={"num_warps": num_warps, "num_stages": num_stages})
    if getattr(made.metadata, "global_scratch_size", 0):
        raise ImportFailure(f"a kernel of Triton's must need no memory of its own but {made.metadata.name} does")

    def launched(*args: Any, **kwargs: Any) -> Launch:
        given = launch(*args, **kwargs)
        # Behind its own, some versions have pointers to memory of Triton's, which this kernel does not use.
        return Launch(given.grid, (_WARP * made.metadata.num_warps,), [*given.parameters, ("i64", 0), ("i64", 0)], made.metadata.shared)
    register_kernel(op, launched, symbol=made.metadata.name, cubin=made.asm["cubin"], target=target)


def launched(graph: Graph, node: Node, inputs: int, results: int) -> list[str]:
    """The kernels of a traced call of so many tensors as attributes of the graph, which gets their code."""
    op: Any = node.target
    given, named = torch.fx.node.map_arg((node.args, dict(node.kwargs)), lambda n: n.meta["val"])
    found = []
    for kernel in getattr(op, "prec_kernels", ()):
        launch = kernel.launch(*given, **named)
        if not isinstance(launch, Launch):
            raise ImportFailure(f"a kernel's launch must be a prec.torch.kernels.Launch but that of {op} is a {type(launch).__name__}")
        name = _image(graph, kernel)
        numbers = [*_three(op, "grid", launch.grid), *_three(op, "block", launch.block), int(launch.shared)]
        parameters = ", ".join(string(_parameter(op, one, inputs, results)) for one in launch.parameters)
        found.append(f"#prec_train.kernel<image = {string(name)}, target = {string(kernel.target)}, symbol = {string(kernel.symbol)}, "
                     f"launch = {ints(numbers)}, parameters = [{parameters}]>")
    return found


def _image(graph: Graph, kernel: _Kernel) -> str:
    """The name of a kernel's code in the graph."""
    for name, code in graph.images.items():
        if code == kernel.code:
            return name
    name = f"{kernel.symbol}.{kernel.target or 'ptx'}"
    while name in graph.images:
        name += "_"
    graph.images[name] = kernel.code
    return name


def _three(op: object, what: str, sizes: Sequence[int]) -> list[int]:
    sizes = [int(size) for size in sizes]
    if not 1 <= len(sizes) <= 3 or min(sizes) < 1:
        raise ImportFailure(f"a launch must have one to three sizes of at least 1 in its {what} but that of {op} has {sizes}")
    return sizes + [1] * (3 - len(sizes))


def _parameter(op: object, given: Any, inputs: int, results: int) -> str:
    if isinstance(given, str):
        kind, _, index = given.partition(" ")
        if kind in ("in", "out") and index.isdigit() and int(index) < (inputs if kind == "in" else results):
            return given
    elif isinstance(given, (tuple, list)) and len(given) == 2 and given[0] in _NUMBERS:
        number = _NUMBERS[given[0]](given[1])
        if given[0].startswith("i") and not -2 ** (int(given[0][1:]) - 1) <= number < 2 ** (int(given[0][1:]) - 1) or \
                isinstance(number, float) and not math.isfinite(number):
            raise ImportFailure(f"a parameter of a kernel must fit {given[0]} but that of {op} is {given[1]}")
        return f"{given[0]} {number!r}"
    raise ImportFailure(f'a parameter of a kernel must be "in N" or "out N" of the {inputs} tensors and {results} results, or ("i32", N), '
                        f'("i64", N), ("f32", X) or ("f64", X), but that of {op} is {given!r}')
