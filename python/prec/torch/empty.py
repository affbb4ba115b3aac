# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors without elements, such as the rows behind an image that fills its patches. A graph has none: what is computed
of them alone is a constant, and where one is put into a tensor, that stays as it is."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.fx import Node

from ..builder import Builder
from ..errors import ImportFailure
from ..ir import Value
from .registry import erase, find, value_type

# By the place of what is put into the first argument.
_PUT = {"aten.slice_scatter.default": 1, "aten.select_scatter.default": 1, "aten.copy.default": 1, "aten.index_put.default": 2,
        "aten.diagonal_scatter.default": 1, "aten.masked_scatter.default": 2}


def _is_empty(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.numel() == 0


def _tensors(node: Node) -> list[torch.Tensor]:
    found = [n.meta.get("val") for n in node.all_input_nodes]
    return [t for t in found if isinstance(t, torch.Tensor)]


def is_concerned(node: Node) -> bool:
    """Whether an operation makes a tensor without elements, or reads one and is no concatenation, which leaves it
    out."""
    if _is_empty(node.meta.get("val")):
        return True
    return any(map(_is_empty, _tensors(node))) and str(node.target) != "aten.cat.default"


def lower(b: Builder, node: Node, env: Mapping[Node, Any], place: str) -> Any:
    """The value of such an operation; of one without elements a value that no operation of the graph makes or reads."""
    made: Any = node.meta.get("val")
    if _is_empty(made):
        return Value(*value_type(made))
    if isinstance(made, (tuple, list)) and made and all(map(_is_empty, made)):
        return tuple(Value(*value_type(t)) for t in made)
    put = _PUT.get(str(node.target))
    source: Any = node.args[put] if put is not None and len(node.args) > put else None
    if isinstance(source, Node) and _is_empty(source.meta["val"]):
        into: Any = node.args[0]
        return env[into]
    tensors = _tensors(node)
    if isinstance(made, torch.Tensor) and all(map(_is_empty, tensors)) and find(node.target) is not None:
        given = torch.fx.node.map_arg((node.args, dict(node.kwargs)), lambda n: torch.empty(n.meta["val"].shape, dtype=n.meta["val"].dtype))
        found = node.target(*given[0], **given[1])  # type: ignore[operator]
        if found.unique().numel() == 1:
            return b.constant(found.reshape(-1)[0].item(), found.shape, erase(found.dtype))
    raise ImportFailure(f"{place}: a tensor without elements must be joined to others, put into one or summed, but is read otherwise: leave it out")
