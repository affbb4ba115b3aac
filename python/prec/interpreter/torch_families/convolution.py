# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, channels last, by PyTorch's own of channels first, which surrounds both sides alike: zeros are put
around the input here."""
from __future__ import annotations

import itertools

import torch
from torch import Tensor
from torch.nn import functional

from ..text import Operation
from ..torch_ops import Attributes, Torch


def _first(x: Tensor) -> Tensor:
    return x.movedim(-1, 1)


def _padding(a: Attributes) -> list[int]:
    return list(itertools.chain(*zip(a["low"][::-1], a["high"][::-1], strict=True)))


def _convolve(a: Attributes, x: Tensor, w: Tensor) -> Tensor:
    convolution = (functional.conv1d, functional.conv2d, functional.conv3d)[w.dim() - 3]
    return convolution(functional.pad(_first(x), _padding(a)), _first(w), None, list(a["strides"]), 0, list(a["dilations"]), a["groups"])


def op_prec_train_conv(backend: Torch, a: Attributes, op: Operation, x: Tensor, w: Tensor) -> Tensor:
    return _convolve(a, x, w).movedim(1, -1)


def op_prec_train_conv_grad_input(backend: Torch, a: Attributes, op: Operation, dy: Tensor, w: Tensor) -> Tensor:
    zeros = dy.new_zeros(op.result_types[0].shape)
    return torch.func.vjp(lambda x: _convolve(a, x, w), zeros)[1](_first(dy))[0]


def op_prec_train_conv_grad_weight(backend: Torch, a: Attributes, op: Operation, dy: Tensor, x: Tensor) -> Tensor:
    zeros = dy.new_zeros(op.result_types[0].shape)
    return torch.func.vjp(lambda w: _convolve(a, x, w), zeros)[1](_first(dy))[0]
