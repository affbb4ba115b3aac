"""Dropout: which stream of random bits each call reads, in forward, backward and recomputation, and the seed of a step."""
from __future__ import annotations

from collections import Counter, defaultdict

import torch
import torch.fx.traceback as traceback

from ..builder import Builder
from ..errors import ImportFailure
from ..interpreter.random_bits import bits
from ..ir import Graph, Value
from . import composites
from .registry import lower

# Where the dialect's streams of dropout begin, and how many micro-batches of a step have seeds of their own.
_FIRST_STREAM = 1 << 24
_MOST_MICRO_BATCHES = 4096


class Streams:
    """One stream for every call in the forward; a recomputation reads the stream of the call that it repeats."""

    def __init__(self):
        self._streams: dict[str, list[int]] = defaultdict(list)
        self._repeated: Counter = Counter()
        self._count = 0

    def next(self) -> int:
        path = (traceback.current_meta.get("custom") or {}).get("path", "")
        streams = self._streams[path]
        # Inside of a backward pass the forward is run by activation checkpointing.
        if torch._C._current_graph_task_id() == -1:
            streams.append(_FIRST_STREAM + self._count)
            self._count += 1
            return streams[-1]
        if len(streams) != 1 or self._repeated[path]:
            raise ImportFailure(f"dropout that activation checkpointing recomputes must be called once by its module but got "
                                f"{len(streams)} calls by {path}")
        self._repeated[path] += 1
        return streams[0]


def keep(streams: Streams):
    """torch.nn.functional.dropout as a composite; None where it is not one."""
    def dropout(input, p=0.5, training=True, inplace=False):
        if not training or not p:
            return input
        if inplace or p >= 1:
            return None
        return composites.dropout(input, float(p), streams.next())
    return dropout


def drawing(streams: Streams, seed: int) -> dict:
    """By function of torch, the one that drops what a step module drops in a step of this seed: for a run beside it. None for a call
    that draws nothing."""
    def dropout(input, p=0.5, training=True, inplace=False):
        if not training or not p:
            return None
        probability = torch.tensor(p, dtype=torch.float32).item()
        index = torch.arange(input.numel(), device=input.device).reshape(input.shape)
        kept = bits(index, seed, streams.next()) >= int(probability * 2**32)
        return torch.where(kept, input * (1 / (1 - probability)), 0)
    return {torch.nn.functional.dropout: dropout}


def seed_of(step: float) -> int:
    """The seed of a step's first micro-batch, as `_seed` computes it."""
    return int(step) * _MOST_MICRO_BATCHES


def _hyper(graph: Graph, name: str) -> Value:
    for argument in graph.arguments:
        if argument.role == "hyper" and argument.path == name:
            return argument.value
    return graph.argument("hyper", name, (), "f32", default=0.0).value


def _seed(b: Builder) -> Value:
    """step * 4096 + micro_batch, which whoever runs the step counts; negative in an evaluation, where micro_batch is -1."""
    if b.seed is None:
        step, micro_batch = (b.convert(_hyper(b.graph, name), "i32") for name in ("step", "micro_batch"))
        number = b.add(b.mul(step, _MOST_MICRO_BATCHES), micro_batch)
        b.seed = b.select(b.compare("lt", micro_batch, b.constant(0, (), "i32")), micro_batch, number)
    return b.seed


@lower("prec.dropout.default")
def _dropout(b, node, x, probability, stream):
    return b.op("train.dropout", [x, _seed(b)], [(x.shape, "f32")], probability=float(probability), stream=int(stream)).result
