# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout: which stream of random bits each call reads, in forward, backward and recomputation, and the seed of a
step."""
from __future__ import annotations

import contextlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial

import torch
import torch.nn.functional as F

from .._contract import DROPOUT_STREAMS, MOST_MICRO_BATCHES
from ..builder import Builder
from ..errors import ImportFailure
from ..interpreter.random_bits import bits
from ..ir import Graph, Value
from . import composites
from .here import here
from .registry import lower

# draw(x, probability, stream), and what stands for a dropout of PyTorch.
Draw = Callable[[torch.Tensor, float, int], torch.Tensor]
Drop = Callable[..., torch.Tensor | None]

# The negated limit of a SELU, as PyTorch has it.
_ALPHA = 1.7580993408473766


class Streams:
    """One stream for every call in the forward; a recomputation reads the stream of the call that it repeats.

    Which call that is, follows from the state of PyTorch's generator that activation checkpointing keeps in the forward
    and sets again (random_states.py): its calls come in the same order. What runs forward again in a backward and keeps
    no state must have one call in a module.

    what: what is drawn, for messages. first: the first stream. each: how many a call has."""

    def __init__(self, what: str = "dropout", first: int = DROPOUT_STREAMS, each: int = 1) -> None:
        self._what, self._first, self._each = what, first, each
        self._streams: dict[str, list[int]] = defaultdict(list)
        self._repeated: Counter[str] = Counter()
        self._count = 0
        # Whether what runs now draws as from a state that was kept.
        self._goes_on = False
        self._are_repeated = True

    @property
    def position(self) -> tuple[int, bool]:
        """To be set where a state of the generator is."""
        return self._count, self._goes_on or not _in_backward()

    @position.setter
    def position(self, position: tuple[int, bool]) -> None:
        self._count, self._goes_on = position

    @contextlib.contextmanager
    def not_repeated(self) -> Iterator[None]:
        """In here the forward runs again with other bits than at first."""
        before, self._are_repeated = self._are_repeated, False
        try:
            yield
        finally:
            self._are_repeated = before

    def next(self) -> int:
        path = here()
        if not self._are_repeated:
            raise ImportFailure(f"a checkpoint with preserve_rng_state=False must hold no {self._what}, whose gradient would be of other bits than "
                                f"its forward, but one holds that of {path or 'the model'}: leave preserve_rng_state as it is")
        streams = self._streams[path]
        if self._goes_on or not _in_backward():
            stream = self._first + self._count
            self._count += self._each
            if not _in_backward():
                streams.append(stream)
            return stream
        if len(streams) != 1 or self._repeated[path]:
            raise ImportFailure(f"{self._what} that a backward computes again must be drawn once by its module, or as from a state of the generator "
                                f"that forward has kept (torch.get_rng_state, torch.set_rng_state), but got {len(streams)} calls by "
                                f"{path or 'the model'}: use torch.utils.checkpoint")
        self._repeated[path] += 1
        return streams[0]


def _in_backward() -> bool:
    """A forward that runs in there computes again."""
    return torch._C._current_graph_task_id() != -1


class Dropout:
    """The dropouts of torch.nn.functional as composites: of elements and of whole channels.

    `table` maps functions of PyTorch to what stands for them, which returns None where PyTorch refuses the call and
    says why. draw(x, probability, stream): x with elements dropped; by default the composite.
    """

    def __init__(self, streams: Streams, draw: Draw = composites.dropout) -> None:
        self._streams, self._draw = streams, draw
        self.table = {F.dropout: self.elements, torch.dropout: lambda input, p, train: self.elements(input, p, train),
                      torch.dropout_: lambda input, p, train: self.elements(input, p, train, True),
                      F.dropout1d: self._channels(F.dropout1d, 2), F.dropout2d: self._channels(F.dropout2d, None),
                      F.dropout3d: self._channels(F.dropout3d, 4), F.alpha_dropout: self._alpha, F.feature_alpha_dropout: self._feature_alpha}
        for kind, own in (("alpha_dropout", self._alpha), ("feature_alpha_dropout", self._feature_alpha),
                          ("feature_dropout", self._channels(torch.feature_dropout, None))):
            for suffix in ("", "_"):
                self.table[getattr(torch, kind + suffix)] = partial(_with_train, own, bool(suffix))

    def elements(self, input: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> torch.Tensor | None:
        if not 0 <= p <= 1 or not input.is_floating_point():
            return None
        if not training or p == 0:
            return input
        if inplace:
            return input.mul_(self._drop(torch.ones_like(input), p))
        return self._drop(input, p)

    def _drop(self, x: torch.Tensor, p: float) -> torch.Tensor:
        return x * 0.0 if p == 1 else self._draw(x, float(p), self._streams.next())

    def _channels(self, function: Callable[..., torch.Tensor], without_batch: int | None) -> Drop:
        """Zeros or keeps all that follows the first two dimensions, or the first one of an input without a batch."""
        def dropout(input: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> torch.Tensor | None:
            if not 0 <= p <= 1 or not input.is_floating_point() or input.dim() < 2:
                return None
            if not training or p == 0:
                return input
            kept = 1 if input.dim() == without_batch else 2
            factor = self._drop(input.new_ones(input.shape[:kept] + (1,) * (input.dim() - kept)), p)
            return input.mul_(factor) if inplace else input * factor
        return dropout

    def _alpha(self, input: torch.Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> torch.Tensor | None:
        return self._to_negative(input, input.shape, p, training, inplace)

    def _feature_alpha(self, input: torch.Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> torch.Tensor | None:
        return None if input.dim() < 2 else self._to_negative(input, input.shape[:2] + (1,) * (input.dim() - 2), p, training, inplace)

    def _to_negative(self, input: torch.Tensor, shape: torch.Size, p: float, training: bool, inplace: bool) -> torch.Tensor | None:
        """What is dropped becomes the least value of a SELU, and all is scaled so that mean and variance stay."""
        if not 0 <= p <= 1 or not input.is_floating_point():
            return None
        if not training or p == 0:
            return input
        if p == 1:
            return input.mul_(0.0) if inplace else input * 0.0
        scale = ((_ALPHA * _ALPHA * p + 1) * (1 - p)) ** -0.5
        kept = self._drop(input.new_ones(shape), p)
        dropped, moved = _ALPHA * scale * (p - 1), input * scale + _ALPHA * scale * p
        # One where an evaluation drops nothing.
        result = torch.where(kept == 0, dropped, torch.where(kept == 1, input, moved))
        return input.copy_(result) if inplace else result


def _with_train(own: Drop, inplace: bool, input: torch.Tensor, p: float, train: bool) -> torch.Tensor | None:
    return own(input, p, train, inplace)


def drawn(seed: int) -> Draw:
    """What a step module with this seed computes where the composite stands, for a run beside it."""
    def draw(x: torch.Tensor, probability: float, stream: int) -> torch.Tensor:
        probability = torch.tensor(probability, dtype=torch.float32).item()
        index = torch.arange(x.numel(), device=x.device).reshape(x.shape)
        return torch.where(bits(index, seed, stream) >= int(probability * 2**32), x * (1 / (1 - probability)), 0)
    return draw


def seed_of(step: float) -> int:
    """The seed of a step's first micro-batch, as `seed_value` computes it."""
    return int(step) * MOST_MICRO_BATCHES


def _hyper(graph: Graph, name: str) -> Value:
    for argument in graph.arguments:
        if argument.role == "hyper" and argument.path == name:
            return argument.value
    return graph.argument("hyper", name, (), "f32", default=0.0).value


def seed_value(b: Builder) -> Value:
    """step * 4096 + micro_batch, which whoever runs the step counts; negative in an evaluation, where micro_batch is
    -1."""
    if b.seed is None:
        step, micro_batch = (b.convert(_hyper(b.graph, name), "i32") for name in ("step", "micro_batch"))
        number = b.add(b.mul(step, MOST_MICRO_BATCHES), micro_batch)
        b.seed = b.select(b.compare("lt", micro_batch, b.constant(0, (), "i32")), micro_batch, number)
    return b.seed


@lower("prec.dropout.default")
def _dropout(b: Builder, node: torch.fx.Node, x: Value, probability: float, stream: int) -> Value:
    return b.op("prec_train.dropout", [x, seed_value(b)], [(x.shape, "f32")], probability=float(probability), stream=int(stream)).result
