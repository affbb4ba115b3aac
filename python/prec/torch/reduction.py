"""Reductions."""
from __future__ import annotations

import math

from .registry import lower, value_type


def _dims(x, dims):
    return list(range(x.rank)) if dims is None or dims == [] else [dims] if isinstance(dims, int) else list(dims)


@lower("aten.sum.default", "aten.sum.dim_IntList")
def _sum(b, node, x, dims=None, keepdim=False, **_):
    return b.reduce("sum", b.convert(x, value_type(node.meta["val"])[1]), _dims(x, dims), keepdim)


@lower("aten.mean.default", "aten.mean.dim")
def _mean(b, node, x, dims=None, keepdim=False, **_):
    dims = _dims(x, dims)
    total = b.reduce("sum", x, dims)
    mean = b.div(total, float(math.prod(x.shape[d] for d in dims)))
    return b.reshape(mean, value_type(node.meta["val"])[0])


@lower("aten.amax.default")
def _amax(b, node, x, dims=None, keepdim=False):
    return b.reduce("max", x, _dims(x, dims), keepdim)


@lower("aten.amin.default")
def _amin(b, node, x, dims=None, keepdim=False):
    return b.reduce("min", x, _dims(x, dims), keepdim)
