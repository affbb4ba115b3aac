# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A smaller step that stands for the one that was imported: few rows, few tokens, a small vocabulary, and of a large
model one block
of each kind.

Whether it stands for it is not assumed. The smaller step is traced as the large one was, and every operation must be
there again, in the same order, reading the same values with the same attributes; only extents, and constants, which may
follow from extents, differ.
"""
from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import torch

from ..errors import ImportFailure
from ..ir import Graph, Kind, Op, Value
from .batch import Batch
from .graph_side import DoesNotRun, Unverified
from .standins import in_optimizer

if TYPE_CHECKING:
    from .importer import Step

# Tokens of a row, first choice first. The first is a prime that is no other extent of a model; windows, chunks and
# patches may need more.
_LENGTHS = (19, 32, 64, 128, 256, 512, 1024, 2048)
ROWS = 3
_TOKENS = 64
# Products and sums of a step in float64 that a user waits for.
_MOST_WORK = 5e11
_LARGE_MODEL = 500_000_000


class NotSmaller(Exception):
    """No smaller step stands for this one; says why."""


class TooLong(NotSmaller):
    """Smaller steps take too long, too."""


def batches(step: Step, most_rows: int) -> Iterator[Batch]:
    """Batches of the same names, smaller first, the whole one last."""
    tensors = step.batch.tensors
    rows = next((t.shape[0] for t in tensors.values() if t.dim()), 1)
    length = next((t.shape[1] for t in tensors.values() if t.dim() > 1 and not t.is_floating_point()), None)
    few = min(rows, most_rows)
    shorter = [n for n in _LENGTHS if length is not None and n < length]
    for tokens in [*shorter, length]:
        # A row of 64 tokens is as telling as three of 19.
        count = max(1, min(few, _TOKENS // tokens)) if tokens else few
        for kept in dict.fromkeys((count, few)):
            yield step.batch.of_tensors({name: _cut(t, rows, kept, length, tokens) for name, t in tensors.items()})
    if few != rows:
        yield step.batch


def _cut(tensor: torch.Tensor, rows: int, kept_rows: int, length: int | None, kept_length: int | None) -> torch.Tensor:
    """The first rows and tokens. Rows are the first dimension, or the one before that of tokens ([3, rows, tokens]); or
    the first one counts patches, as many for each row."""
    shape = tensor.shape
    for dim, size in enumerate(shape):
        if size == rows and (dim == 0 or size != shape[0] and dim + 1 < len(shape) and shape[dim + 1] == length):
            tensor = tensor.narrow(dim, 0, kept_rows)
        elif dim == 0 and size > rows and size % rows == 0 and rows not in shape and length not in shape:
            tensor = tensor.narrow(dim, 0, size // rows * kept_rows)
        elif dim and kept_length is not None and size == length:
            tensor = tensor.narrow(dim, 0, kept_length)
    return tensor


def work(graph: Graph) -> float:
    """Multiplications and additions of a step's matmuls, convolutions and grouped products, once by PyTorch and once by
    the graph."""
    total = 0.0
    for op in graph.ops:
        if op.name == Kind.MATMUL:
            a, b, c = (math.prod(v.shape) for v in (*op.operands[:2], op.result))
            # M*K * K*N * M*N is the square of M*N*K, and that of each of a batch.
            batch = math.prod(op.result.shape[:-2]) if min(v.rank for v in op.operands[:2]) > 2 else 1
            total += math.sqrt(a * b * c / max(1, batch))
        elif op.name in (Kind.CONV, Kind.CONV_GRAD_INPUT):
            # A row of the weight, or of its transpose, at each position of the output.
            output, weight = op.operands[0] if op.name == Kind.CONV_GRAD_INPUT else op.result, op.operands[1]
            total += math.prod(output.shape) * math.prod(weight.shape[1:])
        elif op.name == Kind.CONV_GRAD_WEIGHT:
            total += math.prod(op.operands[0].shape) * math.prod(op.result.shape[1:])
        elif op.name in (Kind.GROUPED_MATMUL, Kind.GROUPED_MATMUL_GRAD):
            total += math.prod(op.operands[0].shape) * (op.result.shape[-1])
    return 4 * total


def on_smaller(step: Step, graph: Graph, make: Callable[[Batch], Step], check: Callable[[Step, Graph], None],
               most_rows: int = ROWS) -> None:
    """Calls `check` with a smaller step that stands for `graph`, and its graph. A model may not run with a small
    vocabulary, so where `check` raises Unverified, it is called once more with the whole one; nor with a part of a
    batch of which parameters have a row each, so where PyTorch does not run, with the whole batch. make(batch): a Step
    with another batch, of the model as it is then. Raises NotSmaller or TooLong, and what `check` raises."""
    reason, failed = "no smaller batch could be made", None
    candidates = list(batches(step, most_rows))
    for batch in candidates:
        if failed is not None and batch is not candidates[-1]:
            continue
        for tables in (_small_tables, contextlib.nullcontext):
            with contextlib.ExitStack() as stack:
                if not stack.enter_context(tables(step)) and tables is _small_tables:
                    continue
                small = make(batch)
                try:
                    small_graph, _ = small.build()
                except ImportFailure as error:
                    reason = f"a step of {_spell(batch)} cannot be imported ({str(error).splitlines()[0]})"
                    continue
                if work(small_graph) > _MOST_WORK:
                    if failed is not None:
                        raise failed
                    raise TooLong(f"{reason}, and a larger one takes too long")
                difference = compare(graph, small_graph)
                if difference is not None:
                    reason = f"a step of {_spell(batch)} is another one ({difference})"
                    continue
                try:
                    return check(small, small_graph)
                except Unverified as error:
                    if tables is _small_tables:
                        continue
                    if not isinstance(error, DoesNotRun) or batch is candidates[-1]:
                        raise failed or error from None
                    failed = error
    if failed is not None:
        raise failed
    raise NotSmaller(reason)


def _spell(batch: Batch) -> str:
    return ", ".join(f"{name} {list(t.shape)}" for name, t in batch.tensors.items())


# Attributes that are extents or follow from them.
_EXTENTS = {"sizes", "offsets", "strides", "value", "reassociation"}


def compare(a: Graph, b: Graph) -> str | None:
    """Where two graphs differ by more than extents; None where they do not."""
    if [(x.role, x.path, x.value.dtype) for x in a.arguments] != [(x.role, x.path, x.value.dtype) for x in b.arguments]:
        return "it has other arguments"
    # Constants are shared by value, and values may be extents.
    ours, theirs = ([op for op in g.ops if op.name != Kind.CONSTANT] for g in (a, b))
    if len(ours) != len(theirs):
        return f"it has {len(theirs)} operations and not {len(ours)}"
    pairs = {x.value: y.value for x, y in zip(a.arguments, b.arguments)}
    for x, y in zip(ours, theirs):
        if not _alike(x, y, pairs):
            return f"{y.name} in {y.path} is not {x.name} in {x.path}" if (x.name, x.path) != (y.name, y.path) else \
                f"{x.name} in {x.path} reads other values or has other attributes"
        pairs.update(zip(x.results, y.results))
    return None


def _alike(x: Op, y: Op, pairs: dict[Value, Value]) -> bool:
    if (x.name, x.path, x.phase, x.seq, len(x.operands)) != (y.name, y.path, y.phase, y.seq, len(y.operands)):
        return False
    for v, w in zip(x.operands, y.operands):
        constant = [u.op is not None and u.op.name == Kind.CONSTANT for u in (v, w)]
        if constant[0] != constant[1] or not constant[0] and pairs.get(v) is not w or (v.rank, v.dtype) != (w.rank, w.dtype):
            return False
    return all(x.attrs[key] == y.attrs.get(key) for key in x.attrs if key not in _EXTENTS) and x.attrs.keys() == y.attrs.keys()


# A small vocabulary.

# Tables with more rows keep few, as many as a prime that is no other extent.
_LARGE_TABLE = 4096
_FEW_ROWS = (1009, 1013, 1019, 1021, 1031, 1033, 1039, 1049, 1051, 1061)


@contextlib.contextmanager
def _small_tables(step: Step) -> Iterator[bool]:
    """The model with the first rows of its large embedding tables, and of all that has as many rows; whether it has
    any."""
    model, optimizer = step.model, step.optimizer
    sizes = {m.num_embeddings for m in model.modules() if isinstance(m, torch.nn.Embedding) and m.num_embeddings > _LARGE_TABLE}
    tensors = dict(model.named_parameters()) | dict(model.named_buffers())
    taken = {n for t in tensors.values() for n in t.shape}
    few = dict(zip(sorted(sizes), (n for n in _FEW_ROWS if n not in taken)))
    if not sizes or len(few) < len(sizes):
        yield False
        return
    with contextlib.ExitStack() as stack:
        for held in _numbers_of(model):
            for key, value in list(held.items()):
                if type(value) is int and (value in few or key == "padding_idx"):
                    stack.callback(held.__setitem__, key, value)
                    held[key] = few[value] if value in few else min(value, *(n - 1 for n in few.values()))
        for t in tensors.values():
            if not few.keys().isdisjoint(t.shape):
                stack.callback(setattr, t, "data", t.data)
                t.data = _first_rows(t.data, few)
        for slots in optimizer.state.values():
            for slot, value in list(slots.items()):
                if isinstance(value, torch.Tensor) and not few.keys().isdisjoint(value.shape):
                    stack.callback(slots.__setitem__, slot, value)
                    slots[slot] = _first_rows(value, few)
        yield True


def _first_rows(tensor: torch.Tensor, few: dict[int, int]) -> torch.Tensor:
    for dim, size in enumerate(tensor.shape):
        tensor = tensor.narrow(dim, 0, few.get(size, size))
    return tensor


def _numbers_of(model: torch.nn.Module) -> Iterator[dict[str, Any]]:
    """The attributes of every module, and of the configurations that modules hold."""
    seen, waiting = set(), list(model.modules())
    for thing in waiting:
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        yield thing.__dict__
        waiting += [
            held for held in thing.__dict__.values() if hasattr(held, "__dict__") and not callable(held) and not isinstance(held, torch.Tensor)
        ]


# One block of each kind.

def is_large(model: torch.nn.Module) -> bool:
    return sum(p.numel() for p in model.parameters()) > _LARGE_MODEL


class Blocks:
    """The modules of a model's outermost lists, and what each does by the operations of a graph."""

    def __init__(self, model: torch.nn.Module, graph: Graph) -> None:
        self.owner = _owners(model)
        self.does: dict[str, list[tuple[Any, ...]]] = {block: [] for block in self.owner}
        for op in graph.ops:
            block = _block_of(op.path, self.owner)
            if block is not None:
                attrs = tuple(sorted((k, repr(v)) for k, v in op.attrs.items()))
                self.does[block].append((op.name, op.path[len(block):], op.phase, attrs, tuple(v.type for v in op.operands)))

    def repeated(self) -> dict[str, list[str]]:
        """By list, the paths of the modules that do what an earlier one of it does."""
        found: dict[str, list[str]] = {}
        kinds: dict[tuple[Any, ...], str] = {}
        for block, path in self.owner.items():
            if kinds.setdefault((path, tuple(self.does[block])), block) != block:
                found.setdefault(path, []).append(block)
        return found

    def kinds(self) -> list[tuple[Any, ...]]:
        """What the modules do, each once, in order."""
        return list(dict.fromkeys((path, tuple(self.does[block])) for block, path in self.owner.items()))


def _owners(model: torch.nn.Module) -> dict[str, str]:
    """By path of a module in an outermost list, the list's path."""
    lists = {path: module for path, module in model.named_modules() if isinstance(module, torch.nn.ModuleList)}
    outer = {path: m for path, m in lists.items() if not any(path.startswith(other + ".") for other in lists if other != path)}
    return {f"{path}.{key}": path for path, module in outer.items() for key in module._modules}


def _block_of(path: str, owner: dict[str, str]) -> str | None:
    parts = path.split(".")
    return next((block for n in range(len(parts), 0, -1) if (block := ".".join(parts[:n])) in owner), None)


@contextlib.contextmanager
def without(model: torch.nn.Module, optimizer: torch.optim.Optimizer, blocks: dict[str, list[str]]) -> Iterator[None]:
    """The model and its optimizer without these blocks, which their lists hold again afterwards."""
    lists = [(model.get_submodule(path), paths) for path, paths in blocks.items()]
    before = [dict(held._modules) for held, _ in lists]
    try:
        for held, paths in lists:
            gone = {path.rpartition(".")[2] for path in paths}
            kept = [module for key, module in held._modules.items() if key not in gone]
            held._modules.clear()
            held._modules.update({str(i): module for i, module in enumerate(kept)})
        left = {id(p) for p in model.parameters()}
        with in_optimizer(optimizer, lambda p: p if id(p) in left else None):
            yield
    finally:
        for (held, _), modules in zip(lists, before):
            held._modules.clear()
            held._modules.update(modules)
