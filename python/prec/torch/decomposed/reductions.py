# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variances, norms, distances and medians by sums, extremes and sorting."""
from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from ..decompose import decomposes, gradients


def _dims(x: Tensor, dim: int | Sequence[int] | None) -> list[int]:
    if dim is None or not isinstance(dim, int) and len(dim) == 0:
        return list(range(x.dim()))
    return [dim] if isinstance(dim, int) else list(dim)


@decomposes("aten.var_mean.correction")
def var_mean(x: Tensor, dim: Sequence[int] | None = None, *, correction: float | None = None, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    dims = _dims(x, dim)
    count = math.prod(x.shape[d] for d in dims)
    mean = x.mean(dims, keepdim=True)
    freedom = max(count - (1 if correction is None else correction), 0)
    var = (x - mean).square().sum(dims, keepdim=keepdim) / freedom
    return var, mean if keepdim else mean.reshape(var.shape)


@decomposes("aten.var.correction")
def var(x: Tensor, dim: Sequence[int] | None = None, *, correction: float | None = None, keepdim: bool = False) -> Tensor:
    return var_mean(x, dim, correction=correction, keepdim=keepdim)[0]


@decomposes("aten.std.correction")
def std(x: Tensor, dim: Sequence[int] | None = None, *, correction: float | None = None, keepdim: bool = False) -> Tensor:
    return var(x, dim, correction=correction, keepdim=keepdim).sqrt()


@decomposes("aten.linalg_vector_norm.default")
def vector_norm(
    x: Tensor, ord: float = 2, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, dtype: torch.dtype | None = None
) -> Tensor:
    x = x.to(dtype or x.dtype)
    dims = _dims(x, dim)
    if not dims:
        return (x != 0).to(x.dtype) if ord == 0 else x.abs()
    if ord == math.inf:
        return x.abs().amax(dims, keepdim)
    if ord == -math.inf:
        return x.abs().amin(dims, keepdim)
    if ord == 0:
        return (x != 0).to(x.dtype).sum(dims, keepdim)
    if ord == 1:
        return x.abs().sum(dims, keepdim)
    if ord == 2:
        return x.square().sum(dims, keepdim).sqrt()
    return x.abs().pow(ord).sum(dims, keepdim).pow(1 / ord)


@decomposes("aten.linalg__powsum.default")
def powsum(x: Tensor, ord: float = 2, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Tensor:
    return x.to(dtype or x.dtype).abs().pow(ord).sum(_dims(x, dim), keepdim)


@decomposes("aten.dist.default")
def dist(x: Tensor, y: Tensor, p: float = 2) -> Tensor:
    return vector_norm(x - y, p)


def _distances(x: Tensor, y: Tensor, p: float) -> Tensor:
    return torch.linalg.vector_norm(x.unsqueeze(-2) - y.unsqueeze(-3), p, dim=-1)


@decomposes("aten._cdist_forward.default")
def cdist(x: Tensor, y: Tensor, p: float, compute_mode: int | None) -> Tensor:
    return _distances(x, y, p)


@decomposes("aten._cdist_backward.default")
def cdist_backward(grad: Tensor, x: Tensor, y: Tensor, p: float, distances: Tensor) -> Tensor:
    # PyTorch asks for each side in its turn.
    return gradients(lambda x: _distances(x, y, p), [x], grad)[0]


def _pairs(x: Tensor, p: float) -> Tensor:
    n = x.shape[0]
    if n < 2:
        return x.sum() * x.new_empty(0)
    first = torch.cat([torch.full((n - 1 - i,), i, dtype=torch.int64) for i in range(n - 1)])
    second = torch.cat([torch.arange(i + 1, n) for i in range(n - 1)])
    return torch.linalg.vector_norm(x[first] - x[second], p, dim=-1)


@decomposes("aten._pdist_forward.default")
def pdist(x: Tensor, p: float = 2) -> Tensor:
    return _pairs(x, p)


@decomposes("aten._pdist_backward.default")
def pdist_backward(grad: Tensor, x: Tensor, p: float, distances: Tensor) -> Tensor:
    return gradients(lambda x: _pairs(x, p), [x], grad)[0]


@decomposes("aten.median.default")
def median(x: Tensor) -> Tensor:
    return x.reshape(-1).median(0)[0]


@decomposes("aten.nanmedian.dim")
def nanmedian_dim(x: Tensor, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64)
    # NaN is sorted behind all others.
    values, places = x.sort(dim)
    middle = ((~x.isnan()).sum(dim, keepdim=True) - 1).clamp(min=0) // 2
    found = values.gather(dim, middle), places.gather(dim, middle)
    return found if keepdim else (found[0].squeeze(dim), found[1].squeeze(dim))


@decomposes("aten.nanmedian.default")
def nanmedian(x: Tensor) -> Tensor:
    return x.reshape(-1).nanmedian(0)[0]


@decomposes("aten.mode.default")
def mode(x: Tensor, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The most frequent, of several the least, and its last place."""
    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64)
    moved = x.movedim(dim, -1)
    frequency = (moved.unsqueeze(-1) == moved.unsqueeze(-2)).sum(-1)
    most = frequency == frequency.amax(-1, keepdim=True)
    behind = torch.inf if x.is_floating_point() else torch.iinfo(x.dtype).max
    value = moved.masked_fill(~most, behind).amin(-1, keepdim=True)
    place = torch.where(moved == value, torch.arange(moved.shape[-1]), -1).amax(-1, keepdim=True)
    found = moved.gather(-1, place), place
    return tuple(f.movedim(-1, dim) if keepdim else f.squeeze(-1) for f in found)  # type: ignore[return-value]


def _segments(
    x: Tensor, reduce: str, lengths: Tensor | None, offsets: Tensor | None, axis: int, initial: float | None
) -> Tensor:
    """Segments lie along `axis`, one after the other; dimensions before it have segments of their own. Where lengths
    are given, the last segment may end before the dimension does."""
    from .lookups import _search

    if lengths is not None:
        ends = lengths.to(torch.int64).cumsum(-1)
    else:
        assert offsets is not None
        ends = offsets.to(torch.int64).narrow(-1, 1, offsets.shape[-1] - 1)
    count, n = ends.shape[-1], x.shape[axis]
    places = torch.arange(n).expand(*ends.shape[:-1], n)
    segment = _search(ends.contiguous(), places, right=True)
    index = segment.reshape(*segment.shape, *(1,) * (x.dim() - axis - 1)).expand(x.shape)
    kind = {"sum": "sum", "mean": "sum", "max": "amax", "min": "amin", "prod": "prod"}[reduce]
    neutral = {"sum": 0.0, "mean": 0.0, "max": -math.inf, "min": math.inf, "prod": 1.0}[reduce]
    start = x.new_full((*x.shape[:axis], count + 1, *x.shape[axis + 1:]), neutral if initial is None else initial)
    found = start.scatter_reduce(axis, index, x, kind).narrow(axis, 0, count)
    if reduce != "mean":
        return found
    sizes = torch.zeros((*ends.shape[:-1], count + 1), dtype=x.dtype).scatter_add(-1, segment, torch.ones_like(segment, dtype=x.dtype))[..., :count]
    sizes = sizes.reshape(*sizes.shape, *(1,) * (x.dim() - axis - 1))
    empty = torch.full((), math.nan if initial is None else initial, dtype=x.dtype)
    return torch.where(sizes == 0, empty, found / sizes.clamp(min=1))


@decomposes("aten.segment_reduce.default")
def segment_reduce(
    x: Tensor, reduce: str, *, lengths: Tensor | None = None, indices: Tensor | None = None, offsets: Tensor | None = None, axis: int = 0,
    unsafe: bool = False, initial: float | None = None,
) -> Tensor:
    return _segments(x, reduce, lengths, offsets, axis, initial)


@decomposes("aten._segment_reduce_backward.default")
def segment_reduce_backward(
    grad: Tensor, output: Tensor, x: Tensor, reduce: str, *, lengths: Tensor | None = None, offsets: Tensor | None = None, axis: int = 0,
    initial: float | None = None,
) -> Tensor:
    return gradients(lambda x: _segments(x, reduce, lengths, offsets, axis, initial), [x], grad)[0]
