# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views and searches by lookups of elements."""
from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from ..decompose import decomposes


@decomposes("aten.put.default")
def put(x: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    flat = x.reshape(-1).index_put((index.reshape(-1),), source.reshape(-1), accumulate)
    return flat.reshape(x.shape)


def _on_diagonal(x: Tensor, offset: int, dim1: int, dim2: int) -> tuple[Tensor, Tensor, Tensor]:
    """x with both dimensions in front, and where on them the diagonal is."""
    moved = x.movedim((dim1, dim2), (0, 1))
    length = max(min(moved.shape[0] + min(offset, 0), moved.shape[1] - max(offset, 0)), 0)
    along = torch.arange(length)
    return moved, along - min(offset, 0), along + max(offset, 0)


@decomposes("aten.diagonal.default")
def diagonal(x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    moved, rows, columns = _on_diagonal(x, offset, dim1, dim2)
    return moved[rows, columns].movedim(0, -1)


@decomposes("aten.diagonal_scatter.default")
def diagonal_scatter(x: Tensor, source: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    moved, rows, columns = _on_diagonal(x, offset, dim1, dim2)
    return moved.index_put((rows, columns), source.movedim(-1, 0)).movedim((0, 1), (dim1, dim2))


@decomposes("aten.diagonal_backward.default")
def diagonal_backward(grad: Tensor, sizes: Sequence[int], offset: int, dim1: int, dim2: int) -> Tensor:
    return diagonal_scatter(grad.new_zeros(sizes), grad, offset, dim1, dim2)


def _places(x: Tensor, size: Sequence[int], stride: Sequence[int], offset: int | None) -> Tensor:
    """Of a view the number of each element in the memory of x, whose elements follow one another."""
    places = torch.full((), offset or 0, dtype=torch.int64)
    for d, (n, step) in enumerate(zip(size, stride, strict=True)):
        places = places + (torch.arange(n) * step).reshape([-1 if i == d else 1 for i in range(len(size))])
    return places


def _in_memory(x: Tensor) -> tuple[Tensor, list[int]]:
    """x with its dimensions as they lie in memory, outermost first, and where each of them was."""
    order = sorted(range(x.dim()), key=lambda d: (-x.stride()[d], d))
    moved = x.permute(order)
    if not moved.is_contiguous():
        raise NotImplementedError("a view by strides must be of a tensor whose elements fill its memory (write slices, or .contiguous() first)")
    return moved, [order.index(d) for d in range(x.dim())]


@decomposes("aten.as_strided.default", "aten.as_strided_copy.default")
def as_strided(x: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:
    # Python's index by one number would read it.
    return _in_memory(x)[0].reshape(-1).index_select(0, _places(x, size, stride, storage_offset).reshape(-1)).reshape(size)


@decomposes("aten.as_strided_scatter.default")
def as_strided_scatter(x: Tensor, source: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:
    moved, places = _in_memory(x)
    return moved.reshape(-1).index_put((_places(x, size, stride, storage_offset),), source).reshape(moved.shape).permute(places)


@decomposes("aten.unfold.default")
def unfold(x: Tensor, dimension: int, size: int, step: int) -> Tensor:
    if x.dim() == 0:
        return x.reshape(1)[:size]
    dim = dimension % x.dim()
    count = (x.shape[dim] - size) // step + 1
    places = (torch.arange(count) * step)[:, None] + torch.arange(size)
    return x.index_select(dim, places.reshape(-1)).unflatten(dim, (count, size)).movedim(dim + 1, -1)


def _row_places(mask: Tensor, shape: torch.Size, count: int) -> tuple[Tensor, int]:
    """The source of a masked scatter has `count` elements, which go one after another to the elements of `shape` where
    the mask is set. If the mask is one number for a row of elements (of images' tokens, say), rows go to rows: returns
    the mask of rows, and how long they are (1 where the mask tells elements apart)."""
    mask, dims = mask.expand(shape), len(shape)
    while dims and (shape[dims - 1] == 1 or mask.stride(dims - 1) == 0):
        dims -= 1
    width = math.prod(shape[dims:])
    if count % width:
        dims, width = len(shape), 1
    for _ in shape[dims:]:
        mask = mask.select(-1, 0)
    return mask.reshape(-1), width


@decomposes("aten.masked_scatter.default")
def masked_scatter(x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    x, mask = torch.broadcast_tensors(x, mask)
    of_rows, width = _row_places(mask, x.shape, source.numel())
    places = of_rows.to(torch.int64).cumsum(0) - 1
    taken = source.reshape(-1, width)[places.clamp(0, source.numel() // width - 1)]
    return torch.where(mask, taken.reshape(x.shape), x)


@decomposes("aten.masked_scatter_backward.default")
def masked_scatter_backward(grad: Tensor, mask: Tensor, sizes: Sequence[int]) -> Tensor:
    of_rows, width = _row_places(mask, grad.shape, math.prod(sizes))
    count = math.prod(sizes) // width
    places = (of_rows.to(torch.int64).cumsum(0) - 1).clamp(0, count - 1)
    return grad.new_zeros(count, width).index_add(0, places, grad.reshape(-1, width) * of_rows[:, None]).reshape(sizes)


def _search(boundaries: Tensor, x: Tensor, right: bool) -> Tensor:
    """How many boundaries (sorted along the last dimension) are below x, or not above it, by halving. `boundaries` has
    one dimension, or those of x."""
    n = boundaries.shape[-1]
    low, high = torch.zeros_like(x, dtype=torch.int64), torch.full_like(x, n, dtype=torch.int64)
    for _ in range(n.bit_length()):
        middle = (low + high) // 2
        place = middle.clamp(max=n - 1)
        found = boundaries[place] if boundaries.dim() == 1 else boundaries.gather(-1, place)
        # What is compared with NaN is below it.
        below = (low < high) & ~((found > x) if right else (found >= x))
        low, high = torch.where(below, middle + 1, low), torch.where(below, high, middle)
    return low


@decomposes("aten.searchsorted.Tensor")
def searchsorted(
    boundaries: Tensor, x: Tensor, *, out_int32: bool = False, right: bool = False, side: str | None = None, sorter: Tensor | None = None
) -> Tensor:
    if sorter is not None:
        boundaries = boundaries.gather(-1, sorter)
    return _search(boundaries, x, right or side == "right").to(torch.int32 if out_int32 else torch.int64)


@decomposes("aten.searchsorted.Scalar")
def searchsorted_scalar(boundaries: Tensor, x: float, **options: object) -> Tensor:
    return searchsorted(boundaries, torch.full((), x, dtype=boundaries.dtype), **options)  # type: ignore[arg-type]


@decomposes("aten.bucketize.Tensor")
def bucketize(x: Tensor, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    return _search(boundaries, x, right).to(torch.int32 if out_int32 else torch.int64)


@decomposes("aten.bucketize.Scalar")
def bucketize_scalar(x: float, boundaries: Tensor, **options: bool) -> Tensor:
    return bucketize(torch.full((), x, dtype=boundaries.dtype), boundaries, **options)


@decomposes("aten.histc.default")
def histc(x: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    x = x.reshape(-1)
    low, high = (x.amin(), x.amax()) if min == max == 0 else (x.new_full((), min), x.new_full((), max))
    wide = low != high
    low, high = torch.where(wide, low, low - 1), torch.where(wide, high, high + 1)
    inside = (x >= low) & (x <= high)
    place = ((x - low) / (high - low) * bins).to(torch.int64).clamp(0, bins - 1)
    return x.new_zeros(bins).index_add(0, place, inside.to(x.dtype))


def _triangle_indices(rows: int, columns: int, keep: list[list[int]]) -> Tensor:
    pairs = [(r, c) for r in range(rows) for c in keep[r]]
    return torch.tensor([[r for r, _ in pairs], [c for _, c in pairs]], dtype=torch.int64).reshape(2, len(pairs))


@decomposes("aten.tril_indices.default")
def tril_indices(rows: int, columns: int, offset: int = 0, **_: object) -> Tensor:
    return _triangle_indices(rows, columns, [list(range(0, max(min(r + offset + 1, columns), 0))) for r in range(rows)])


@decomposes("aten.triu_indices.default")
def triu_indices(rows: int, columns: int, offset: int = 0, **_: object) -> Tensor:
    return _triangle_indices(rows, columns, [list(range(max(r + offset, 0), columns)) for r in range(rows)])


# Bags: sums, means or extremes of rows of a table, each bag from its offset to the next one's.

_SUM, _MEAN, _MAX = 0, 1, 2


def _bags(indices: Tensor, offsets: Tensor, includes_last: bool) -> tuple[Tensor, int]:
    """The bag of each index, and how many bags there are."""
    count = offsets.shape[0] - (1 if includes_last else 0)
    return _search(offsets[:count], torch.arange(indices.shape[0]), right=True) - 1, count


def _each_of_bag(
    bag: Tensor, count: int, indices: Tensor, mode: int, padding_idx: int, weights: Tensor | None, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """What each row counts in its bag's sum, and how many rows each bag has."""
    counts = (indices != padding_idx).to(dtype)
    sizes = torch.zeros(count, dtype=dtype).index_add(0, bag, counts)
    each = counts if weights is None else counts * weights
    return each / sizes.clamp(min=1)[bag] if mode == _MEAN else each, sizes


@decomposes("aten._embedding_bag.default", "aten._embedding_bag_forward_only.default")
def embedding_bag(
    table: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: bool = False, mode: int = _SUM, sparse: bool = False,
    per_sample_weights: Tensor | None = None, include_last_offset: bool = False, padding_idx: int = -1,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    if scale_grad_by_freq or sparse:
        raise NotImplementedError("bags with scale_grad_by_freq or sparse gradients (make them without)")
    bag, count = _bags(indices, offsets, include_last_offset)
    each, sizes = _each_of_bag(bag, count, indices, mode, padding_idx, per_sample_weights, table.dtype)
    rows, zeros = table[indices], table.new_zeros((count, table.shape[1]))
    places = torch.zeros(0, dtype=indices.dtype)
    if mode == _MAX:
        kept = torch.where((indices != padding_idx)[:, None], rows, -math.inf)
        out = zeros.scatter_reduce(0, bag[:, None].expand(rows.shape), kept, "amax", include_self=False)
        out = torch.where((sizes > 0)[:, None], out, 0.0)
        # The last that has the largest.
        is_largest = kept == out[bag]
        last = torch.where(is_largest, torch.arange(len(bag))[:, None], -1)
        place = torch.full((count, table.shape[1]), -1).scatter_reduce(0, bag[:, None].expand(rows.shape), last, "amax", include_self=False)
        places = torch.where(place < 0, -1, indices[place.clamp(min=0)])
    else:
        out = zeros.index_add(0, bag, rows * each[:, None])
    return out, bag, sizes.to(indices.dtype), places


@decomposes("aten._embedding_bag_dense_backward.default")
def embedding_bag_dense_backward(
    grad: Tensor, indices: Tensor, bag: Tensor, sizes: Tensor, places: Tensor, rows: int, scale_grad_by_freq: bool, mode: int,
    per_sample_weights: Tensor | None, padding_idx: int = -1,
) -> Tensor:
    zeros = grad.new_zeros((rows, grad.shape[1]))
    if mode == _MAX:
        kept = torch.where(places < 0, 0.0, grad)
        return zeros.scatter_add(0, places.clamp(min=0), kept)
    each, _ = _each_of_bag(bag, sizes.shape[0], indices, mode, padding_idx, per_sample_weights, grad.dtype)
    return zeros.index_add(0, indices, grad[bag] * each[:, None])


@decomposes("aten._embedding_bag_backward.default")
def embedding_bag_backward(
    grad: Tensor, indices: Tensor, offsets: Tensor, bag: Tensor, sizes: Tensor, places: Tensor, rows: int, scale_grad_by_freq: bool, mode: int,
    sparse: bool, per_sample_weights: Tensor | None, padding_idx: int = -1,
) -> Tensor:
    return embedding_bag_dense_backward(grad, indices, bag, sizes, places, rows, scale_grad_by_freq, mode, per_sample_weights, padding_idx)


@decomposes("aten._embedding_bag_per_sample_weights_backward.default")
def embedding_bag_weights_backward(
    grad: Tensor, table: Tensor, indices: Tensor, offsets: Tensor, bag: Tensor, mode: int, padding_idx: int = -1
) -> Tensor:
    return (grad[bag] * table[indices]).sum(1) * (indices != padding_idx)
