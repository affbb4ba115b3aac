# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of several lengths, packed for a recurrent layer (torch.nn.utils.rnn.pack_padded_sequence).

What is packed has as many elements as the lengths say, which a trace does not know. Here it stays padded: the packed
data are all rows of all steps, in the order in which PyTorch packs them, of which a mask says which ones there are. The
sizes of a batch at each step, which PyTorch keeps beside the data, are all of the whole batch, and are by what packed
data are known. A layer goes on step by step, and keeps its state where a row has ended, or has not begun from the other
side. A loss of packed data is one of selected rows (selected.py).
"""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.utils.rnn import pad_packed_sequence
from torch.utils.weak import WeakTensorKeyDictionary

from ..errors import ImportFailure
from .constants import Constants, at, user_line
from .selected import Selected

_PACK, _PAD = torch._VF._pack_padded_sequence, torch._VF._pad_packed_sequence

# A step: of the input's part, the state and the weights of a direction, the next state; its first part is the output.
_State = tuple[Tensor, ...]
_Step = Callable[[Tensor, _State, Sequence[Tensor]], _State]


def _lstm(x: Tensor, state: _State, recurrent: Sequence[Tensor]) -> _State:
    h, c = state
    weight, bias, projection = recurrent
    i, f, g, o = (x + F.linear(h, weight, bias)).chunk(4, 1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h = torch.sigmoid(o) * torch.tanh(c)
    return h if projection is None else F.linear(h, projection), c


def _gru(x: Tensor, state: _State, recurrent: Sequence[Tensor]) -> _State:
    h, = state
    (xr, xz, xn), (hr, hz, hn) = x.chunk(3, 1), F.linear(h, *recurrent[:2]).chunk(3, 1)
    n = torch.tanh(xn + torch.sigmoid(xr + hr) * hn)
    return (n + torch.sigmoid(xz + hz) * (h - n),)


def _plain(act: Callable[[Tensor], Tensor]) -> _Step:
    return lambda x, state, recurrent: (act(x + F.linear(state[0], *recurrent[:2])),)


_LAYERS: dict[Any, _Step] = {torch.lstm: _lstm, torch.gru: _gru, torch.rnn_tanh: _plain(torch.tanh), torch.rnn_relu: _plain(torch.relu)}


@dataclass(frozen=True)
class _Lengths:
    """Of `steps` steps of a batch. lasts: of each step and row, whether the row has not ended."""

    lengths: Tensor
    steps: int
    lasts: Tensor


class Packed:
    """selected: who refuses what reads packed data otherwise; None where that has been looked at before."""

    def __init__(self, selected: Selected | None = None) -> None:
        self._selected = selected
        # By the sizes of a batch that are beside packed data.
        self._of = WeakTensorKeyDictionary()

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call's result; None where it is of no packed data."""
        if function == _PACK and not kwargs:
            return self._pack(*args)
        if function == _PAD and args[1] in self._of:
            return self._pad(*args, **kwargs)
        if function in _LAYERS and len(args) > 1 and isinstance(args[1], Tensor) and args[1] in self._of:
            return self._run(_LAYERS[function], *args, **kwargs)
        return None

    def _pack(self, input: Tensor, lengths: Tensor, batch_first: bool = False) -> tuple[Tensor, Tensor] | None:
        if type(lengths) is Tensor or getattr(lengths, "_prec_shadow", None) is not None:
            # Of known lengths PyTorch packs itself.
            return None
        rows = input.transpose(0, 1) if batch_first else input
        steps, batch = rows.shape[:2]
        lasts = torch.arange(steps)[:, None] < lengths
        sizes = torch.full((steps,), batch, dtype=torch.int64)
        self._of[sizes] = _Lengths(lengths, steps, lasts)
        return self._data(rows, sizes), sizes

    def _data(self, rows: Tensor, sizes: Tensor) -> Tensor:
        """rows: of all steps and the whole batch."""
        data = rows.reshape(-1, *rows.shape[2:]).clone()
        if self._selected is not None:
            held = self._of[sizes]
            self._selected.hold(data, held.lasts.reshape(-1), held.lengths, held.steps, torch.ops.aten._pack_padded_sequence.default)
        return data

    def _rows(self, data: Tensor, held: _Lengths) -> Tensor:
        # A view, which is no packed data.
        return data.view(held.steps, -1, *data.shape[1:])

    def _pad(self, data: Tensor, sizes: Tensor, batch_first: bool, padding_value: float, total_length: int = -1) -> tuple[Tensor, Tensor]:
        held = self._of[sizes]
        rows = self._rows(data, held)
        lasts = held.lasts.reshape(*held.lasts.shape, *[1] * (rows.dim() - 2))
        rows = torch.where(lasts, rows, torch.full((), padding_value, dtype=rows.dtype))
        if total_length > held.steps:
            rows = F.pad(rows, [*[0, 0] * (rows.dim() - 1), 0, total_length - held.steps], value=padding_value)
        elif not _is_told_length():
            # As many steps as the longest row has.
            Constants.require(held.lengths.max() == held.steps, [held.lengths], f"have a row of {held.steps} steps")
        return (rows.transpose(0, 1) if batch_first else rows), held.lengths

    def _run(
        self, step: _Step, data: Tensor, sizes: Tensor, hx: Any, weights: Sequence[Tensor], has_biases: bool, layers: int, dropout: float,
        train: bool, bidirectional: bool
    ) -> tuple[Tensor, ...]:
        if dropout and train and layers > 1:
            raise ImportFailure(f"a layer of packed rows must have no dropout of its own but has {dropout}{at(user_line())}: make layers of one "
                                "each, with torch.nn.Dropout of padded rows between them")
        held, initial = self._of[sizes], hx if isinstance(hx, (tuple, list)) else (hx,)
        directions = 2 if bidirectional else 1
        each = len(weights) // (layers * directions)
        rows, last = self._rows(data, held), []
        for layer in range(layers):
            found = []
            for direction in range(directions):
                number = layer * directions + direction
                own = list(weights[number * each:(number + 1) * each])
                x = F.linear(rows, own[0], own[2] if has_biases else None)
                recurrent = own[1], own[3] if has_biases else None, own[-1] if each in (3, 5) else None
                outputs, state = _along(step, x, tuple(part[number] for part in initial), recurrent, held.lasts, direction == 1)  # type: ignore[arg-type]
                found.append(outputs)
                last.append(state)
            rows = torch.cat(found, 2) if bidirectional else found[0]
        return self._data(rows, sizes), *(torch.stack(parts) for parts in zip(*last))


def _along(
    step: _Step, x: Tensor, state: _State, recurrent: Sequence[Tensor], lasts: Tensor, backwards: bool
) -> tuple[Tensor, _State]:
    """The outputs of all steps, in their order, and the last state of each row."""
    outputs = []
    order: Iterator[int] = reversed(range(x.shape[0])) if backwards else iter(range(x.shape[0]))
    for number in order:
        new = step(x[number], state, recurrent)
        state = tuple(torch.where(lasts[number][:, None], after, before) for after, before in zip(new, state))
        outputs.append(state[0])
    return torch.stack(outputs[::-1] if backwards else outputs), state


def _is_told_length() -> bool:
    """Whether pad_packed_sequence, which calls, was given a number of steps."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code is not pad_packed_sequence.__code__:
        frame = frame.f_back
    return frame.f_locals.get("total_length") is not None
