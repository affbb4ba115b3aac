# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which program runs a batch. A program is for one shape; all programs of a step train one state, that of the first.

A batch of another shape is completed to that of a program: rows at its end, as of the last batch of an epoch, and
positions at the end of sequences. Labels there are ignored, everything else is zero (so an attention mask hides them).
Completing must not change the loss. Of rows the import has shown that from the graph, or says why not: then a batch
with fewer rows gets a program for as many, as for the last batch of an epoch there is one such number. Of positions
padding.py tries it with the model itself.

Sequences are completed to the next of at most so many lengths, each of which is compiled when it is first needed. A new
length leaves room, so that a few of them cover what a data set has: a quarter more than the batch needs, in multiples
of 64 (of 8 below that), and the last one that is allowed twice as much.
"""
from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch

from ...errors import StepFailure
from .inputs import Inputs
from .padding import check_positions
from .program import Program

Tensors = dict[str, torch.Tensor]
Shapes = dict[str, tuple[int, ...]]
# Of a program's positions, the most that may be completed while another length may still be compiled.
_MOST_PADDING = 0.3
# Numbers of rows beside the first program's, where rows cannot be completed.
_MOST_ROWS = 3


class Programs:
    """make(batch, state_of): the program for batches of this shape. lengths: those of sequences that are compiled, or
    how many at most. most: the longest sequence that the model takes, if it says so."""

    def __init__(self, model: torch.nn.Module, loss: Callable[..., torch.Tensor] | None, first: Program, inputs: Inputs,
                 make: Callable[[Any, Program], Program], lengths: int | Sequence[int], most: int | None) -> None:
        self.first, self.all = first, [first]
        self._model, self._loss, self._inputs, self._make = model, loss, inputs, make
        self._lengths = None if isinstance(lengths, int) else sorted(lengths)
        self._count = lengths if isinstance(lengths, int) else len(self._lengths or []) + 1
        self._most = most
        self._numbers: dict[str, float] = {}
        self._is_checked = False
        # An input and the dimension in which it has its sequences, once a batch has shown it.
        self._place: tuple[str, int] | None = None
        # Elements of batches, and of what they were completed to; and those of batches that an attention_mask hides.
        self.given = self.run = 0
        self._hidden: int | torch.Tensor = 0
        # Whether that was so of the last one.
        self.was_completed = False

    @property
    def padding(self) -> float:
        """The share of what steps computed that was no batch's own, or that its attention_mask hides. Waits for a
        GPU."""
        return 1 - (self.given - int(self._hidden)) / self.run if self.run else 0.0

    def hide(self, positions: int | torch.Tensor) -> None:
        """So many positions of the next batch are padding."""
        self._hidden = self._hidden + positions

    @property
    def lengths(self) -> list[int]:
        return sorted({self._lengths_of(one) for one in self.all}) if self._place else []

    def read(self, batch: Any) -> Tensors:
        return self._inputs.read(batch)

    def has(self, shapes: Shapes) -> bool:
        """Whether there is a program of these."""
        return any(_shapes_of(one) == shapes for one in self.all)

    def find(self, batch: Any, together: Shapes | None = None) -> tuple[Program, Tensors]:
        """The program that runs a batch, and the batch as it takes it. together: the largest of all ranks."""
        tensors = self._inputs.read(batch)
        shapes = shapes_of(tensors)
        if together is not None and together != shapes:
            self._check_rows(self._rows(shapes), self._rows(together))
            whole = next((one for one in self.all if _shapes_of(one) == together), None) or self._larger(tensors, together)
            return self._complete(tensors, shapes, whole, is_completed=True)
        program = next((one for one in self.all if _shapes_of(one) == shapes), None)
        if program is None:
            return self._complete(tensors, shapes, self._larger(tensors, shapes), is_completed=True)
        return self._complete(tensors, shapes, program, is_completed=False)

    def _check_rows(self, rows: int | None, most: int | None) -> None:
        """Of ranks, which all complete theirs to the largest; None is as many as the step's."""
        reason = self.first.manifest.get("padding")
        if rows is not None and rows != most and reason is not True:
            raise StepFailure(f"batches of ranks must have as many rows as that of the largest, {most or self._first_rows}, but one has {rows}, as "
                              f"rows that complete it would change the loss: {reason or 'nothing is known of them'}")

    def _complete(self, tensors: Tensors, shapes: Shapes, program: Program, is_completed: bool) -> tuple[Program, Tensors]:
        completed, self.was_completed = complete(tensors, program) if is_completed else tensors, is_completed
        mask = tensors.get("attention_mask")
        if mask is not None and mask.dim() == 2 and not mask.is_floating_point():
            self.hide(mask.numel() - mask.sum())
        one = next(iter(shapes), None)
        if one is not None:
            self.given += math.prod(shapes[one])
            self.run += math.prod(_shapes_of(program)[one])
        return program, completed

    def set_numbers(self, numbers: dict[str, float]) -> None:
        """Hyperparameters, of all programs."""
        for program in self.all:
            program.module.set_hyper(**numbers)
        self._numbers |= numbers

    def _larger(self, tensors: Tensors, shapes: Shapes) -> Program:
        rows, length = self._rows(shapes), self._length(shapes)
        if rows == 0:
            raise StepFailure(f"a batch must have a row, but got {_text(shapes)}")
        if rows is None or self.first.manifest.get("padding") is True:
            rows = self._first_rows
        if length is not None:
            self._check_length(tensors, shapes, length)
        found = self._of_length(length, rows) or self._compile(tensors, shapes, length, rows)
        if not all(_fits(shapes[name], shape) for name, shape in _shapes_of(found).items()):
            raise StepFailure(f"a batch must have shapes that can be completed to {_text(_shapes_of(found))}, but got {_text(shapes)}")
        return found

    @property
    def _first_rows(self) -> int:
        return next(iter(_shapes_of(self.first).values()))[0]

    def _rows(self, shapes: Shapes) -> int | None:
        """How many rows a batch has, if not as many as the step's."""
        own = _shapes_of(self.first)
        odd = {(shape[0], own[name][0]) for name, shape in shapes.items() if shape and len(shape) == len(own[name]) and shape[0] != own[name][0]}
        whole = {shape[0] for name, shape in shapes.items() if shape and own[name] and own[name][0] == self._first_rows}
        if not odd:
            return None
        if len(odd) > 1 or len(whole) > 1:
            raise StepFailure(f"a batch must have one number of rows, but got {_text(shapes)}, where the step has {_text(own)}")
        rows, most = odd.pop()
        if rows > most:
            raise StepFailure(f"a batch must have at most the {most} rows that the step was compiled for, but has {rows}: compile it for the larger "
                              "one")
        return rows

    def _length(self, shapes: Shapes) -> int | None:
        """How long a batch's sequences are, if not as long as the step's: behind the rows, all sizes that differ are
        one in the batch and one in the step."""
        own = _shapes_of(self.first)
        odd = set()
        for name, shape in shapes.items():
            if len(shape) != len(own[name]):
                raise StepFailure(f"{name} must have {len(own[name])} dimensions, as in the step, {list(own[name])}, but has shape {list(shape)}")
            odd |= {(size, first) for size, first in zip(shape[1:], own[name][1:]) if size != first}
        if not odd:
            return None
        length, first = next(iter(odd))
        if len(odd) > 1 or any(size != length for name, shape in shapes.items() for size, whole in zip(shape[1:], own[name][1:]) if whole == first):
            raise StepFailure(f"a batch must have sequences of one length, but got {_text(shapes)}, where the step has {_text(own)}")
        return length

    def _lengths_of(self, program: Program) -> int:
        """Of a program's sequences; that of the first is what differs in others."""
        return _shapes_of(program)[self._place[0]][self._place[1]] if self._place else 0

    def _of_rows(self, rows: int) -> list[Program]:
        return [one for one in self.all if next(iter(_shapes_of(one).values()))[0] == rows]

    def _of_length(self, length: int | None, rows: int) -> Program | None:
        """The shortest that is long enough, unless it is much too long and another may be compiled; of None the length
        of the first."""
        found = self._of_rows(rows)
        if length is None:
            return next((one for one in found if self._lengths_of(one) == self._lengths_of(self.first)), None)
        fitting = sorted((one for one in found if self._lengths_of(one) >= length), key=self._lengths_of)
        if not fitting:
            return None
        wanted = self._wanted(length, rows)
        waste = 1 - length / self._lengths_of(fitting[0])
        may_compile = self._lengths is not None or waste > _MOST_PADDING and len(found) + 1 < self._count
        return None if may_compile and wanted < self._lengths_of(fitting[0]) else fitting[0]

    def _wanted(self, length: int, rows: int) -> int:
        if self._lengths is not None:
            longer = [one for one in self._lengths if one >= length]
            if not longer and self._lengths_of(self.first) < length:
                raise StepFailure(f"sequences must be at most the longest of lengths=, {max(self._lengths + [self._lengths_of(self.first)])}, "
                                  f"but got {length}")
            return min(longer, default=self._lengths_of(self.first))
        room = 2.0 if len(self._of_rows(rows)) + 1 >= self._count else 1.25
        unit = 64 if length >= 64 else 8
        wanted = math.ceil(length * room / unit) * unit
        return wanted if self._most is None else max(length, min(wanted, self._most))

    def _compile(self, tensors: Tensors, shapes: Shapes, length: int | None, rows: int) -> Program:
        found, own = self._of_rows(rows), _shapes_of(self.first)
        wanted = 0 if length is None else self._wanted(length, rows)
        if length is not None and len(found) >= self._count:
            known = sorted(self._lengths_of(one) for one in found)
            raise StepFailure(f"sequences must be of at most {self._count} lengths, {', '.join(map(str, known))}, but got {length}: give "
                              "prec.compile lengths=, with the longest that there will be")
        known = sorted({next(iter(_shapes_of(one).values()))[0] for one in self.all})
        if not found and len(known) > _MOST_ROWS:
            reason = self.first.manifest.get("padding") or "nothing is known of them"
            raise StepFailure(f"a batch must have one of {_MOST_ROWS + 1} numbers of rows, {', '.join(map(str, known))}, but has {rows}, as rows "
                              f"that complete it would change the loss: {reason}")
        target = {name: tuple(rows if i == 0 and one == self._first_rows else wanted if i and size != one else one
                              for i, (size, one) in enumerate(zip(shape, own[name]))) for name, shape in shapes.items()}
        example = {name: _filled(tensor, target[name], 0) for name, tensor in tensors.items()}
        program = self._make(self._inputs.batch_of(example), self.first)
        program.module.set_hyper(**self._numbers)
        self.all.append(program)
        return program

    def _check_length(self, tensors: Tensors, shapes: Shapes, length: int) -> None:
        own = _shapes_of(self.first)
        if self._place is None:
            self._place = next((name, i) for name, shape in shapes.items() for i in range(1, len(shape)) if shape[i] != own[name][i])
        if self._is_checked:
            return
        labels = [name for name, binding in self.first.batch.items() if ignored_of(self.first, name) is not None and len(binding.shape) > 1]
        if not labels:
            raise StepFailure("sequences must be of the length that the step was compiled for, as none of its inputs are labels that can be ignored: "
                              f"{_text(own)}, but got {_text(shapes)}")
        # To the length that is compiled, which the model is known to take, or beyond what is given.
        whole = self._lengths_of(self.first)
        more = whole if length < whole else length + max(8, length // 2)
        longer = {name: tuple(size if i == 0 or size == own[name][i] else more for i, size in enumerate(shape)) for name, shape in shapes.items()}
        check_positions(self._model, self._loss, self._inputs, self.first, tensors,
                        {name: _filled(tensor, longer[name], ignored_of(self.first, name) or 0) for name, tensor in tensors.items()})
        self._is_checked = True


def choose_lengths(batches: Iterable[Any], most: int = 6, of: int = 100) -> list[int]:
    """Of the first `of` batches at most so many lengths to which all of them are completed with the least padding, for
    lengths= of prec.compile. A batch's length is the second size of its first tensor that has two.

    Every length that is chosen is that of some batch, as a longer one would only add padding. So with the lengths in
    order, the best choice of n of them whose last is the i-th is the best over j < i of a choice of n - 1 whose last is
    the j-th, with all batches in between completed to the i-th.
    """
    counts = Counter(_length_of(batch) for batch in itertools.islice(batches, of))
    if not counts or most < 1:
        raise StepFailure(f"lengths must be chosen of at least one batch, and be at least one, but got {len(counts)} and {most}")
    lengths = sorted(counts)
    # Of choices whose last length is the i-th: how many positions are added, and which are chosen.
    best = [(sum(counts[one] * (last - one) for one in lengths[:i + 1]), [last]) for i, last in enumerate(lengths)]
    for _ in range(most - 1):
        best = [min([best[i], *((best[j][0] + sum(counts[one] * (last - one) for one in lengths[j + 1:i + 1]), [*best[j][1], last])
                                for j in range(i))], key=lambda choice: choice[0]) for i, last in enumerate(lengths)]
    return best[-1][1]


def _length_of(batch: Any) -> int:
    held = batch.values() if isinstance(batch, Mapping) else batch if isinstance(batch, Sequence) else (batch,)
    for value in held:
        if isinstance(value, torch.Tensor) and value.dim() > 1:
            return int(value.shape[1])
    raise StepFailure("a batch must have a tensor of rows and sequences to have a length, but has none")


def complete(tensors: Mapping[str, torch.Tensor], program: Program) -> Tensors:
    """The batch in the shapes of a program."""
    return {name: _filled(tensor, program.batch[name].shape, ignored_of(program, name) or 0) for name, tensor in tensors.items()}


def ignored_of(program: Program, name: str) -> int | None:
    """Which number a label has that does not count; None of what is no label."""
    return program.ignored.get(name)


def _filled(tensor: torch.Tensor, shape: tuple[int, ...], value: int) -> torch.Tensor:
    if tuple(tensor.shape) == shape:
        return tensor
    whole = torch.full(shape, value, dtype=tensor.dtype, device=tensor.device)
    whole[tuple(slice(0, size) for size in tensor.shape)] = tensor
    return whole


def shapes_of(tensors: Tensors) -> Shapes:
    return {name: tuple(tensor.shape) for name, tensor in tensors.items()}


def _shapes_of(program: Program) -> Shapes:
    return {name: binding.shape for name, binding in program.batch.items()}


def _fits(shape: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    return len(shape) == len(whole) and all(a <= b for a, b in zip(shape, whole))


def _text(shapes: Shapes) -> str:
    return ", ".join(f"{name} {list(shape)}" for name, shape in shapes.items())
