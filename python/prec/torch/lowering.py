# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers a trace node by node."""
from __future__ import annotations

from collections import Counter

import numpy as np
import torch
from torch._subclasses.fake_tensor import FakeTensor

from ..builder import Builder
from ..errors import ImportFailure
from ..ir import Value
from . import custom, empty, lowerings  # noqa: F401 (its modules register theirs)
from .advice import instead_of
from .buffers import to_f32
from .constants import at
from .digits import Digits
from .places import Place, differentiated, lines, places
from .registry import erase, find
from .trace import Trace

_LARGEST_CONSTANT = 1 << 24  # Bytes of a captured tensor that a graph spells out.


def lower(b: Builder, traced: Trace, inputs: list[Value], model_name: str) -> dict[torch.fx.Node, Value]:
    """Emits forward and backward; returns each node's value."""
    nodes = list(traced.graph.nodes)
    where, line = places(nodes, model_name), lines(nodes)
    _refuse_unknown(nodes, where, line)
    _note_gradients(nodes)
    env, flat, captured = {}, iter(inputs), {}
    held = [node for node in nodes if node.op == "placeholder"]
    digits = Digits(b, nodes, {node for name, node in zip(traced.parameters, held) if name in traced.trained})
    for node in nodes:
        if node.op == "placeholder":
            env[node] = next(flat)
            digits.note(node, env[node])
        elif node.op == "get_attr":
            tensor = getattr(traced.graph.owning_module, node.target).detach()
            # Forward and backward name one tensor twice.
            key = (tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)
            if key not in captured:
                captured[key] = _captured(b, traced, tensor, line[node])
            env[node] = captured[key]
        elif node.op == "call_function" and empty.is_concerned(node):
            b.at(*where[node])
            env[node] = empty.lower(b, node, env, f"{node.target} in {where[node][0]}{at(line[node])}")
        elif node.op == "call_function":
            b.at(*where[node])
            args, kwargs = torch.fx.node.map_arg((node.args, dict(node.kwargs)), env.__getitem__)  # type: ignore[arg-type]
            lowering = find(node.target)
            assert lowering is not None
            try:
                env[node] = digits.lower(node, env, lowering(b, node, *args, **kwargs))
            except NotImplementedError as error:
                raise ImportFailure(f"{node.target} in {where[node][0]}{at(line[node])}: not supported: {error}") from error
    return env


def _note_gradients(nodes: list[torch.fx.Node]) -> None:
    """Marks what is computed of the gradient of the loss that the backward starts from."""
    for node in nodes:
        starts = bool((node.meta.get("custom") or {}).get("starts_backward"))
        node.meta["carries_gradient"] = starts or any(n.meta.get("carries_gradient") for n in node.all_input_nodes)


def _captured(b: Builder, traced: Trace, tensor: torch.Tensor, line: str) -> Value:
    """A tensor that forward or a hook reads and that is neither parameter nor buffer: its values are a constant of the
    step."""
    for name, p in traced.parameters.items():
        if not p.is_meta and p.device == tensor.device and p.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr() != 0:
            raise ImportFailure(f"forward must read parameters where the model holds them but reads {name} by another reference{at(line)}: "
                                "read it as an attribute of its module")
    if tensor.is_meta:
        raise ImportFailure(f"a tensor that forward reads must have values but one of shape {list(tensor.shape)} is on the meta device{at(line)}: "
                            "make it under prec.weightless(), or register it as a buffer")
    if isinstance(tensor, FakeTensor):
        raise ImportFailure(f"forward must be traced once but makes a trace of its own (torch.func.linearize){at(line)}: write torch.func.jvp")
    values, dtype = tensor.cpu(), erase(tensor.dtype)
    distinct = torch.unique(values)
    if distinct.numel() == 1:
        return b.constant(distinct.item(), tensor.shape, dtype)
    if values.numel() * values.element_size() > _LARGEST_CONSTANT:
        raise ImportFailure(f"a tensor of shape {list(tensor.shape)} that forward reads must be a buffer or parameter{at(line)}: "
                            "register it (register_buffer)")
    number = sum(a.role == "buffer" and a.path.startswith("captured.") for a in b.graph.arguments)
    array = (
        to_f32(values, f"a tensor that forward reads{at(line)}")
        if values.is_floating_point()
        else values.numpy().astype(np.bool_ if dtype == "i1" else np.int64)
    )
    return b.graph.argument("buffer", f"captured.{number}", tensor.shape, dtype, initial=array).value


def _refuse_unknown(nodes: list[torch.fx.Node], where: dict[torch.fx.Node, Place], line: dict[torch.fx.Node, str]) -> None:
    """Lists every op without a lowering at once: what, how often, in which module, by which line, and what to write
    instead."""
    unknown: Counter[str] = Counter()
    first: dict[str, torch.fx.Node] = {}
    for node in nodes:
        if node.op == "call_function" and find(node.target) is None:
            unknown[str(node.target)] += 1
            first.setdefault(str(node.target), node)
    if not unknown:
        return
    of = differentiated(nodes)

    def advice(node: torch.fx.Node) -> str:
        forward = of.get(node)
        # What replaces that has another gradient.
        if forward is not None and str(forward.target) in unknown:
            return f"the gradient of {forward.target}"
        # What writes its arguments is within an operation of functionalization's.
        within = isinstance(node.target, torch._ops.HigherOrderOperator) and node.args and custom.is_custom(node.args[0])
        return f"{node.args[0]}: {instead_of(node.args[0])}" if within else instead_of(node.target)

    lines = [f"  {name} x{count} in {where[first[name]][0]}{at(line[first[name]])}: {advice(first[name])}" for name, count in sorted(unknown.items())]
    raise ImportFailure(f"every traced op must have a lowering but got {len(unknown)} without:\n" + "\n".join(lines))
