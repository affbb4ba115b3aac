# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where each traced op belongs: module path, phase, and the link between a forward op and its gradient."""
from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

import torch.fx.proxy
import torch.fx.traceback as traceback
from torch.fx import Node

from ..ir import BACKWARD, FORWARD, RECOMPUTE

# Module path, phase and the number of the forward op, of an op.
Place = tuple[str, str, int | None]


# PyTorch marks what it traces of a backward, from 2.12 on. Before that it notes while it runs the function of a
# gradient how many of them it is in, but no node has that; and whatever comes behind the first one is called a sum of
# gradients.
_IS_MARKED = hasattr(traceback, "_mark_autograd_backward")
_WITHIN = "in_grad_fn"


@contextlib.contextmanager
def noting_backward() -> Iterator[None]:
    """Inside, nodes that are traced have what `mark_backward` reads."""
    fields = torch.fx.proxy._COPY_META_FIELDS
    if _IS_MARKED or _WITHIN in fields:
        yield
        return
    fields.append(_WITHIN)
    try:
        yield
    finally:
        fields.remove(_WITHIN)


def mark_backward(nodes: Iterable[Node]) -> None:
    """Of nodes that were traced inside of `noting_backward`, marks those of a backward, where PyTorch has not."""
    if _IS_MARKED:
        return
    for node in nodes:
        is_within, is_sum = bool(node.meta.pop(_WITHIN, 0)), bool(node.meta.pop("is_gradient_acc", False))
        if is_within:
            node.meta["autograd_backward"] = True
        elif is_sum and node.all_input_nodes and all(one.meta.get("autograd_backward") for one in node.all_input_nodes):
            node.meta["autograd_backward"] = node.meta["is_gradient_acc"] = True


def places(nodes: list[Node], model_name: str) -> dict[Node, Place]:
    """(module path, phase, forward link) of each traced op.

    autograd numbers what it records; an op that records nothing repeats the last number, so the first forward op of a
    number owns it. Sums of gradients carry a number that means nothing: they take the place of what they add.
    """
    owner = _owners(nodes)
    answered = {_number(n) for n in nodes if n.op == "call_function" and n.meta.get("autograd_backward")}
    order = {number: i for i, number in enumerate(n for n in owner if n in answered)}
    found: dict[Node, Place] = {}
    for node in nodes:
        if node.op != "call_function":
            continue
        custom = node.meta.get("custom") or {}
        path = custom.get("path", "")
        if "phase" in custom:
            found[node] = (path, custom["phase"], None)
            continue
        if not node.meta.get("autograd_backward"):
            number = node.meta.get("seq_nr", -1)
            link = order.get(number) if owner.get(number) is node else None
            found[node] = (path or model_name, FORWARD, link)
            continue
        if path:
            # Modules annotate what they run; in a backward they run only to recompute.
            found[node] = (path, RECOMPUTE, None)
            continue
        number = _number(node)
        if number in owner:
            forward = (owner[number].meta.get("custom") or {}).get("path", "")
            found[node] = (forward or model_name, BACKWARD, order[number])
        else:
            before = [found[n][0] for n in node.all_input_nodes if n in found]
            found[node] = (before[-1] if before else model_name, BACKWARD, None)
    return found


def _owners(nodes: list[Node]) -> dict[int | None, Node]:
    owner: dict[int | None, Node] = {}
    for node in nodes:
        if node.op == "call_function" and not node.meta.get("autograd_backward"):
            owner.setdefault(node.meta.get("seq_nr", -1), node)
    owner.pop(-1, None)
    return owner


def differentiated(nodes: list[Node]) -> dict[Node, Node]:
    """Of each op of a gradient the op that it is the gradient of, where that is known."""
    owner = _owners(nodes)
    return {node: owner[_number(node)] for node in nodes if node.op == "call_function" and node.meta.get("autograd_backward")
            and not (node.meta.get("custom") or {}).get("path") and _number(node) in owner}


def _number(node: Node) -> int | None:
    return None if node.meta.get("is_gradient_acc") else node.meta.get("seq_nr", -1)


def lines(nodes: list[Node]) -> dict[Node, str]:
    """Of each traced op the line of the user's code that called it, or for a gradient its forward op: `model.py:12: x =
    x.sum()`."""
    found: dict[Node, str] = {}
    owner: dict[int | None, str] = {}
    for node in nodes:
        line = (node.meta.get("custom") or {}).get("line", "")
        if line and not node.meta.get("autograd_backward"):
            owner.setdefault(node.meta.get("seq_nr", -1), line)
        found[node] = line or owner.get(_number(node), "")
    return found
