# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""By which numbers a mask that is added to scores hides, as far as its trace tells.

A query that sees no key attends evenly to those that are hidden least. Where all are hidden by one number, these are
all keys, which is cheap to compute (attention.py). A sum of two masks hides some keys twice, and twice the lowest
number of float32 is minus infinity: then the query attends to the keys alone that are hidden once. Whether a mask may
be so follows from the operations that made it: numbers are followed from where they are filled in, through sums,
choices and views. Numbers that are computed otherwise, such as distances, hide nothing.
"""
from __future__ import annotations

import math
from typing import Any

import torch
from torch.fx.experimental.proxy_tensor import get_proxy_mode, get_proxy_slot

from .decompose import unwrapped

aten = torch.ops.aten
_HIDDEN = -1e30
_VIEWS = {getattr(aten, name) for name in (
    "view", "_unsafe_view", "reshape", "expand", "unsqueeze", "squeeze", "slice", "select", "clone", "_to_copy", "alias", "detach", "permute",
    "transpose", "t", "triu", "tril", "repeat", "lift_fresh_copy", "contiguous", "index", "slice_scatter", "copy")}
_FILLED = {aten.full: 1, aten.full_like: 1, aten.new_full: 2, aten.scalar_tensor: 0}
_CHOSEN = {aten.where, aten.masked_fill, aten.minimum, aten.maximum, aten.add, aten.sub, aten.mul, aten.cat, aten.index_put, aten.fill}
_SUMS = {aten.add, aten.sub}
# Nodes of one mask that are looked at.
_MOST = 512


def may_hide_twice(mask: torch.Tensor) -> bool:
    """Whether some elements of a traced mask may be hidden by another number than others."""
    mode = get_proxy_mode()
    held = get_proxy_slot(unwrapped(mask), mode.tracer, None) if mode is not None else None
    if held is None:
        return False
    found: dict[torch.fx.Node, frozenset[object]] = {}
    numbers = _numbers(held.proxy.node, found)
    return len(numbers) > 1


def _numbers(value: Any, found: dict[torch.fx.Node, frozenset[object]]) -> frozenset[object]:
    """What hides in a value; of a sum of two that hide, their sums, too."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return frozenset([float(value)]) if value <= _HIDDEN else frozenset()
    if isinstance(value, (list, tuple)):
        return frozenset().union(*(_numbers(x, found) for x in value))
    if not isinstance(value, torch.fx.Node) or not _is_float(value):
        return frozenset()
    if value in found or len(found) >= _MOST:
        return found.get(value, frozenset())
    found[value] = frozenset()
    found[value] = _of_node(value, found)
    return found[value]


def _of_node(node: torch.fx.Node, found: dict[torch.fx.Node, frozenset[object]]) -> frozenset[object]:
    if node.op == "placeholder":
        # A mask that is given may hide, by one number.
        return frozenset([node.name])
    if node.op == "get_attr":
        held = getattr(node.graph.owning_module, str(node.target), None)
        return _of_tensor(held) if isinstance(held, torch.Tensor) else frozenset()
    packet = getattr(node.target, "_overloadpacket", None)
    if packet in _FILLED:
        place = _FILLED[packet]
        return _numbers(node.args[place] if len(node.args) > place else node.kwargs.get("fill_value"), found)
    if packet in _VIEWS:
        return frozenset().union(*(_numbers(x, found) for x in node.args[:2]))
    if packet not in _CHOSEN:
        return frozenset()
    parts = [part for x in node.args if (part := _numbers(x, found))]
    if packet in _SUMS and len(parts) > 1:
        return frozenset().union(*parts, [("twice", node.name)])
    return frozenset().union(*parts)


def _of_tensor(tensor: torch.Tensor) -> frozenset[object]:
    if not tensor.is_floating_point() or tensor.is_meta or type(tensor) is not torch.Tensor or tensor.numel() > 1 << 24:
        return frozenset()
    with torch.utils._python_dispatch._disable_current_modes(), torch.no_grad():
        return frozenset(x for x in tensor[tensor <= _HIDDEN].unique().tolist() if not math.isnan(x))


def _is_float(node: torch.fx.Node) -> bool:
    value = node.meta.get("val")
    return not isinstance(value, torch.Tensor) or value.is_floating_point()
