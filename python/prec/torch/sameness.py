# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether pairs of values of a traced graph are computed alike: value numbers, by hashing what each node does to the
numbers of its
operands, in one walk over the graph."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

# Elements of a constant whose numbers are compared.
_LARGEST = 1 << 16


def same_values(graph: torch.fx.Graph, pairs: Iterable[tuple[torch.fx.Node, torch.fx.Node]]) -> bool:
    numbers: dict[torch.fx.Node, int] = {}
    known: dict[tuple[Any, ...], int] = {}

    def number(node: torch.fx.Node) -> tuple[str, int]:
        return "value", numbers[node]

    for node in graph.nodes:
        if node.op in ("placeholder", "output"):
            key: tuple[Any, ...] = (node.op, node.name)
        elif node.op == "get_attr":
            key = _constant(graph, node)
        else:
            operands = torch.fx.node.map_arg((node.args, dict(node.kwargs)), number)
            key = (node.op, str(node.target), _frozen(operands))
        numbers[node] = known.setdefault(key, len(known))
    return all(numbers[first] == numbers[second] for first, second in pairs)


def _constant(graph: torch.fx.Graph, node: torch.fx.Node) -> tuple[Any, ...]:
    """A tensor from outside, or one that forward makes of numbers: the same in each forward, under other names."""
    held = getattr(graph.owning_module, str(node.target), None)
    if type(held) is not torch.Tensor or held.is_meta or held.numel() > _LARGEST:
        return node.op, node.target
    with torch.no_grad():
        return node.op, held.dtype, tuple(held.shape), held.detach().contiguous().view(-1).view(torch.uint8).numpy().tobytes()


def _frozen(value: object) -> tuple[Any, ...]:
    if isinstance(value, dict):
        return tuple((k, _frozen(v)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(v) for v in value)
    # Numbers of different types are different arguments, and 0.0 is not -0.0.
    return type(value).__name__, repr(value)
