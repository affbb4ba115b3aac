# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resampling, padding by a tensor's own elements, and pooling by other than fixed windows.

Resampling is linear and acts on each dimension alone: an output is a sum of a few taps, an index and a weight each,
which depend on sizes alone. The indices of taps are whole numbers that the trace holds as a constant, and so are the
weights. Where each input is repeated a whole number of times, no index is needed. Gradients follow from the forward
functions.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from ..decompose import decomposes, gradient, gradients

# Of each tap, indices and weights by output.
Taps = list[tuple[list[int], list[float]]]


def _nearest(size: int, out: int, scale: float | None, exact: bool) -> Taps:
    # With PyTorch's roundings, for a place may be just at an edge.
    ratio = np.float32(1 / scale) if scale else np.float32(size) / np.float32(out)
    places = [np.float32((i + 0.5) * float(ratio)) if exact else np.float32(i) * ratio for i in range(out)]
    return [([min(int(place), size - 1) for place in places], [1.0] * out)]


def _place(i: int, size: int, out: int, scale: float | None, align_corners: bool) -> float:
    if align_corners:
        return i * (size - 1) / (out - 1) if out > 1 else 0.0
    return (i + 0.5) * (1 / scale if scale else size / out) - 0.5


def _linear(size: int, out: int, scale: float | None, align_corners: bool) -> Taps:
    places = [max(_place(i, size, out, scale, align_corners), 0.0) for i in range(out)]
    low = [min(int(p), size - 1) for p in places]
    share = [min(max(p - first, 0.0), 1.0) for p, first in zip(places, low, strict=True)]
    return [(low, [1 - s for s in share]), ([min(first + 1, size - 1) for first in low], share)]


def _cubic(size: int, out: int, scale: float | None, align_corners: bool) -> Taps:
    a = -0.75

    def near(t: float) -> float:
        return ((a + 2) * t - (a + 3)) * t * t + 1

    def far(t: float) -> float:
        return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    places = [_place(i, size, out, scale, align_corners) for i in range(out)]
    low = [math.floor(p) for p in places]
    share = [p - first for p, first in zip(places, low, strict=True)]
    weights = [[far(s + 1) for s in share], [near(s) for s in share], [near(1 - s) for s in share], [far(2 - s) for s in share]]
    return [([min(max(first + k - 1, 0), size - 1) for first in low], weights[k]) for k in range(4)]


def _resampled(x: Tensor, dim: int, taps: Taps) -> Tensor:
    size, out = x.shape[dim], len(taps[0][0])
    if len(taps) == 1:
        (indices, _), = taps
        if indices == list(range(size)):
            return x
        if out % size == 0 and indices == [i // (out // size) for i in range(out)]:
            return x.unsqueeze(dim + 1).expand(*x.shape[:dim + 1], out // size, *x.shape[dim + 1:]).flatten(dim, dim + 1)
    if all(w == 0 for _, weights in taps[1:] for w in weights) and taps[0][0] == list(range(size)):
        return x
    total = None
    for indices, weights in taps:
        part = x.index_select(dim, torch.tensor(indices))
        if any(w != 1 for w in weights):
            part = part * torch.tensor(weights, dtype=x.dtype).reshape([-1 if d == dim else 1 for d in range(x.dim())])
        total = part if total is None else total + part
    assert total is not None
    return total


Resample = Callable[[Tensor, Sequence[int], Sequence[float | None]], Tensor]


def _every(kind: Callable[[int, int, float | None, bool], Taps], flag: bool) -> Resample:
    def resample(x: Tensor, sizes: Sequence[int], scales: Sequence[float | None]) -> Tensor:
        n = len(sizes)
        for i in range(n):
            dim = x.dim() - n + i
            x = _resampled(x, dim, kind(x.shape[dim], sizes[i], scales[i], flag))
        return x
    return resample


def _backward(resample: Resample, grad: Tensor, shape: Sequence[int], sizes: Sequence[int], scales: Sequence[float | None]) -> Tensor:
    return gradient(lambda x: resample(x, sizes, scales), grad.new_zeros(shape), grad)


def _register_nearest(n: int, name: str, exact: bool) -> None:
    resample = _every(_nearest, exact)

    @decomposes(f"aten.{name}{n}d.default")
    def forward(x: Tensor, sizes: Sequence[int], *scales: float | None) -> Tensor:
        return resample(x, sizes, scales or [None] * n)

    @decomposes(f"aten.{name}{n}d_backward.default")
    def backward(grad: Tensor, sizes: Sequence[int], shape: Sequence[int], *scales: float | None) -> Tensor:
        return _backward(resample, grad, shape, sizes, scales or [None] * n)

    @decomposes(f"aten.{name}{n}d.vec")
    def vec(x: Tensor, sizes: Sequence[int] | None, factors: Sequence[float] | None) -> Tensor:
        return resample(x, *_of_factors(x, n, sizes, factors))


def _of_factors(x: Tensor, n: int, sizes: Sequence[int] | None, factors: Sequence[float] | None) -> tuple[list[int], list[float | None]]:
    if factors is not None:
        return [math.floor(s * f) for s, f in zip(x.shape[-n:], factors, strict=True)], list(factors)
    assert sizes is not None
    return list(sizes), [None] * n


def _register_smooth(n: int, name: str, kind: Callable[[int, int, float | None, bool], Taps]) -> None:
    @decomposes(f"aten.{name}.default")
    def forward(x: Tensor, sizes: Sequence[int], align_corners: bool, *scales: float | None) -> Tensor:
        return _every(kind, align_corners)(x, sizes, scales or [None] * n)

    @decomposes(f"aten.{name}_backward.default")
    def backward(grad: Tensor, sizes: Sequence[int], shape: Sequence[int], align_corners: bool, *scales: float | None) -> Tensor:
        return _backward(_every(kind, align_corners), grad, shape, sizes, scales or [None] * n)

    @decomposes(f"aten.{name}.vec")
    def vec(x: Tensor, sizes: Sequence[int] | None, align_corners: bool, factors: Sequence[float] | None) -> Tensor:
        return _every(kind, align_corners)(x, *_of_factors(x, n, sizes, factors))


for _n in (1, 2, 3):
    _register_nearest(_n, "upsample_nearest", exact=False)
    _register_nearest(_n, "_upsample_nearest_exact", exact=True)
_register_smooth(1, "upsample_linear1d", _linear)
_register_smooth(2, "upsample_bilinear2d", _linear)
_register_smooth(3, "upsample_trilinear3d", _linear)
_register_smooth(2, "upsample_bicubic2d", _cubic)


# Without aliasing: a filter as wide as the step between outputs, whose taps differ in number.


def _filtered(kind: Callable[[float], float], width: int) -> Callable[[int, int, float | None, bool], Taps]:
    def taps(size: int, out: int, scale: float | None, align_corners: bool) -> Taps:
        ratio = ((size - 1) / (out - 1) if out > 1 else 0.0) if align_corners else 1 / scale if scale else size / out
        wide = max(ratio, 1.0)
        rows = []
        for i in range(out):
            center = ratio * (i + 0.5)
            low = max(int(center - width * wide + 0.5), 0)
            weights = [kind((j - center + 0.5) / wide) for j in range(low, min(int(center + width * wide + 0.5), size))]
            total = sum(weights)
            rows.append((low, [w / total for w in weights] if total else weights))
        most = max(len(weights) for _, weights in rows)
        return [([min(low + k, size - 1) for low, _ in rows], [weights[k] if k < len(weights) else 0.0 for _, weights in rows])
                for k in range(most)]
    return taps


def _triangle(x: float) -> float:
    return max(1 - abs(x), 0.0)


def _keys(x: float) -> float:
    a, x = -0.5, abs(x)
    if x < 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * a if x < 2 else 0.0


def _lanczos(x: float) -> float:
    def sinc(y: float) -> float:
        return math.sin(math.pi * y) / (math.pi * y) if y else 1.0
    return sinc(x) * sinc(x / 3) if -3 <= x < 3 else 0.0


_register_smooth(2, "_upsample_bilinear2d_aa", _filtered(_triangle, 1))
_register_smooth(2, "_upsample_bicubic2d_aa", _filtered(_keys, 2))
_register_smooth(2, "_upsample_lanczos2d_aa", _filtered(_lanczos, 3))


# Padding: padding runs from the last dimension inwards.


def _padded(x: Tensor, padding: Sequence[int], place: Callable[[int, int], int]) -> Tensor:
    for i in range(len(padding) // 2):
        dim = x.dim() - 1 - i
        n = x.shape[dim]
        x = x.index_select(dim, torch.tensor([place(j, n) for j in range(-padding[2 * i], n + padding[2 * i + 1])]))
    return x


def _replicated(j: int, n: int) -> int:
    return min(max(j, 0), n - 1)


def _reflected(j: int, n: int) -> int:
    return abs(j) if j < n else 2 * (n - 1) - j


def _register_padding(name: str, place: Callable[[int, int], int]) -> None:
    for n in (1, 2, 3):
        @decomposes(f"aten.{name}{n}d.default")
        def forward(x: Tensor, padding: Sequence[int]) -> Tensor:
            return _padded(x, padding, place)

        @decomposes(f"aten.{name}{n}d_backward.default")
        def backward(grad: Tensor, x: Tensor, padding: Sequence[int]) -> Tensor:
            return gradient(lambda x: _padded(x, padding, place), grad.new_zeros(x.shape), grad)


_register_padding("replication_pad", _replicated)
_register_padding("reflection_pad", _reflected)


# Pooling whose windows differ in size: each is a part of one dimension.


def _register_adaptive_max_pool(n: int) -> None:
    @decomposes(f"aten.adaptive_max_pool{n}d.default")
    def forward(x: Tensor, sizes: Sequence[int]) -> tuple[Tensor, Tensor]:
        shape = x.shape[-n:]
        places = torch.arange(math.prod(shape)).reshape(shape).expand(x.shape)
        for i in range(n):
            dim = x.dim() - n + i
            parts = []
            for o in range(sizes[i]):
                start, end = o * x.shape[dim] // sizes[i], -(-(o + 1) * x.shape[dim] // sizes[i])
                value, which = x.narrow(dim, start, end - start).max(dim, keepdim=True)
                parts.append((value, places.narrow(dim, start, end - start).gather(dim, which)))
            x, places = (torch.cat([part[k] for part in parts], dim) for k in (0, 1))
        return x, places

    @decomposes(f"aten.adaptive_max_pool{n}d_backward.default")
    def backward(grad: Tensor, x: Tensor, places: Tensor) -> Tensor:
        zeros = grad.new_zeros((*x.shape[:-n], math.prod(x.shape[-n:])))
        return zeros.scatter_add(-1, places.flatten(-n), grad.flatten(-n)).reshape(x.shape)


_register_adaptive_max_pool(2)
_register_adaptive_max_pool(3)


# Sampling of volumes. A coordinate goes from -1 to 1 over a dimension.


def _reflect(place: Tensor, low: float, high: float) -> Tensor:
    """Between `low` and `high`, as often as it takes."""
    if low == high:
        return torch.zeros_like(place)
    span = high - low
    beyond = (place - low).abs()
    turns = (beyond / span).floor()
    rest = beyond - turns * span
    return torch.where(turns % 2 == 0, rest + low, high - rest)


def _grid_places(grid: Tensor, size: int, padding: int, align_corners: bool) -> Tensor:
    place = (grid + 1) * 0.5 * (size - 1) if align_corners else ((grid + 1) * size - 1) * 0.5
    if padding == 2:
        place = _reflect(place, 0, size - 1) if align_corners else _reflect(place, -0.5, size - 0.5)
    return place.clamp(0, size - 1) if padding else place


def _sampled_volume(x: Tensor, grid: Tensor, interpolation: int, padding: int, align_corners: bool) -> Tensor:
    sizes = x.shape[2:]
    places = [_grid_places(grid[..., 2 - d], sizes[d], padding, align_corners) for d in range(3)]
    flat = x.flatten(2)

    def at(corner: list[Tensor], weight: Tensor | None) -> Tensor:
        inside, number = torch.ones_like(corner[0], dtype=torch.bool), torch.zeros_like(corner[0], dtype=torch.int64)
        for d, place in enumerate(corner):
            inside = inside & (place >= 0) & (place < sizes[d])
            number = number * sizes[d] + place.clamp(0, sizes[d] - 1).to(torch.int64)
        index = number.flatten(1).unsqueeze(1).expand(-1, x.shape[1], -1)
        value = flat.gather(2, index).reshape(*x.shape[:2], *grid.shape[1:4])
        value = torch.where(inside.unsqueeze(1), value, 0.0)
        return value if weight is None else value * weight.unsqueeze(1)
    if interpolation == 1:
        return at([place.round() for place in places], None)
    low = [place.detach().floor() for place in places]
    share = [place - first for place, first in zip(places, low, strict=True)]
    total = None
    for number in range(8):
        bits = [number >> d & 1 for d in range(3)]
        parts = [s if bit else 1 - s for s, bit in zip(share, bits, strict=True)]
        value = at([first + bit for first, bit in zip(low, bits, strict=True)], parts[0] * parts[1] * parts[2])
        total = value if total is None else total + value
    assert total is not None
    return total


@decomposes("aten.grid_sampler_3d.default")
def grid_sampler_3d(x: Tensor, grid: Tensor, interpolation: int, padding: int, align_corners: bool) -> Tensor:
    return _sampled_volume(x, grid, interpolation, padding, align_corners)


@decomposes("aten.grid_sampler_3d_backward.default")
def grid_sampler_3d_backward(
    grad: Tensor, x: Tensor, grid: Tensor, interpolation: int, padding: int, align_corners: bool, mask: Sequence[bool]
) -> tuple[Tensor | None, Tensor | None]:
    dx, dgrid = gradients(lambda x, grid: _sampled_volume(x, grid, interpolation, padding, align_corners), [x, grid], grad)
    return dx if mask[0] else None, dgrid


@decomposes("aten.grid_sampler_2d_backward.default")
def grid_sampler_2d_backward(
    grad: Tensor, x: Tensor, grid: Tensor, interpolation: int, padding: int, align_corners: bool, mask: Sequence[bool]
) -> tuple[Tensor | None, Tensor | None]:
    from torch._decomp.decompositions import _grid_sampler_2d
    dx, dgrid = gradients(lambda x, grid: _grid_sampler_2d(x, grid, interpolation, padding, align_corners), [x, grid], grad)
    return dx if mask[0] else None, dgrid
