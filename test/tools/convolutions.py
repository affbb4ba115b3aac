# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of one to three dimensions with channels last, and what PyTorch's own compute for them in float64."""
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.nn import functional


@dataclass(frozen=True)
class Case:
    sizes: tuple[int, ...]
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    dilations: tuple[int, ...]
    groups: int = 1
    batch: int = 2
    channels: int = 4  # of a group
    outputs: int = 6  # of a group

    @property
    def input(self):
        return (self.batch, *self.sizes, self.groups * self.channels)

    @property
    def weight(self):
        return (self.groups * self.outputs, *self.kernel, self.channels)

    @property
    def output(self):
        positions = [(s + low + high - d * (k - 1) - 1) // t + 1 for s, k, t, low, high, d in
                     zip(self.sizes, self.kernel, self.strides, self.low, self.high, self.dilations, strict=True)]
        return (self.batch, *positions, self.groups * self.outputs)

    @property
    def attributes(self):
        return {"strides": list(self.strides), "low": list(self.low), "high": list(self.high), "dilations": list(self.dilations),
                "groups": self.groups}

    def compute(self, x, w):
        padding = [side for pair in zip(self.low[::-1], self.high[::-1], strict=True) for side in pair]
        convolution = (functional.conv1d, functional.conv2d, functional.conv3d)[len(self.sizes) - 1]
        y = convolution(functional.pad(x.movedim(-1, 1), padding), w.movedim(-1, 1), None, self.strides, 0, self.dilations, self.groups)
        return y.movedim(1, -1)

    def exact(self, x, w, dy):
        """Output and gradients of float64 tensors, by direction; then what bounds of errors are relative to, the same
        of magnitudes."""
        results = []
        for operands in ((x, w, dy), (x.abs(), w.abs(), dy.abs())):
            x, w, dy = (torch.as_tensor(t, dtype=torch.float64).detach() for t in operands)
            x.requires_grad_(), w.requires_grad_()
            y = self.compute(x, w)
            dx, dw = torch.autograd.grad(y, (x, w), dy)
            results.append({"fprop": y.detach(), "dgrad": dx, "wgrad": dw})
        return results

    @property
    def terms(self):
        """That an element adds up, at most."""
        places = torch.Size(self.kernel).numel()
        return {"fprop": places * self.channels, "dgrad": places * self.outputs, "wgrad": torch.Size(self.output[:-1]).numel()}


CASES = {
    "1d": Case((11,), (3,), (1,), (1,), (1,), (1,)),
    "1d strides": Case((12,), (3,), (2,), (1,), (1,), (1,)),
    "1d sides": Case((9,), (4,), (3,), (2,), (0,), (2,)),
    "1d groups": Case((13,), (5,), (1,), (2,), (2,), (1,), groups=3),
    "2d": Case((7, 9), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1)),
    "2d plain": Case((6, 5), (3, 2), (1, 1), (0, 0), (0, 0), (1, 1)),
    "2d strides": Case((8, 7), (3, 3), (2, 2), (1, 1), (1, 1), (1, 1)),
    "2d far strides": Case((9, 8), (2, 2), (3, 4), (0, 0), (0, 0), (1, 1)),
    "2d dilations": Case((9, 10), (3, 2), (1, 1), (2, 0), (2, 0), (2, 3)),
    "2d both": Case((11, 10), (3, 3), (2, 3), (1, 2), (1, 2), (2, 1)),
    "2d sides": Case((6, 6), (3, 3), (2, 2), (0, 1), (2, 0), (1, 1)),
    "2d point": Case((5, 6), (1, 1), (2, 2), (0, 0), (0, 0), (1, 1)),
    "2d wide padding": Case((3, 4), (3, 3), (1, 1), (4, 3), (4, 3), (1, 1)),
    "2d groups": Case((6, 7), (3, 3), (2, 1), (1, 1), (1, 1), (1, 1), groups=2),
    "2d depthwise": Case((7, 6), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1), groups=10, channels=1, outputs=1),
    "2d depthwise strides": Case((9, 8), (5, 3), (2, 3), (2, 1), (2, 1), (1, 2), groups=5, channels=1, outputs=1),
    "2d multiplied": Case((5, 5), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1), groups=4, channels=1, outputs=3),
    "2d many": Case((19, 17), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1), channels=40, outputs=300),
    "2d odd": Case((5, 5), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1), channels=3, outputs=7, batch=1),
    "3d": Case((4, 5, 6), (3, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1), (1, 1, 1)),
    "3d strides": Case((5, 6, 7), (2, 3, 1), (2, 1, 3), (0, 1, 0), (0, 1, 0), (1, 2, 1)),
    "3d depthwise": Case((4, 4, 4), (3, 3, 3), (1, 2, 1), (1, 1, 1), (1, 1, 1), (1, 1, 1), groups=8, channels=1, outputs=1),
}
