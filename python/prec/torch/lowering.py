"""Lowers a trace node by node."""
from __future__ import annotations

from collections import Counter

import torch

from ..builder import Builder
from ..errors import ImportFailure
from ..ir import Value
from . import composite, contraction, elementwise, index, reduction, shape  # noqa: F401 (they register their lowerings)
from .places import places
from .registry import erase, family, find
from .trace import Trace


def lower(b: Builder, traced: Trace, inputs: list[Value], model_name: str) -> tuple[Value, list[Value | None]]:
    """Emits forward and backward; returns the loss and the gradients of traced.trained (None: the loss does not depend on it)."""
    nodes = list(traced.graph.nodes)
    where = places(nodes, model_name)
    _refuse_unknown(nodes, where)
    env, flat = {}, iter(inputs)
    for node in nodes:
        if node.op == "placeholder":
            env[node] = next(flat)
        elif node.op == "get_attr":
            env[node] = _captured(b, traced, node)
        elif node.op == "call_function":
            b.at(*where[node])
            args, kwargs = torch.fx.node.map_arg((node.args, dict(node.kwargs)), env.__getitem__)
            try:
                env[node] = (find(node.target) or find(_functional(node)))(b, node, *args, **kwargs)
            except NotImplementedError as error:
                raise ImportFailure(f"{node.target} in {where[node][0]}: not supported: {error} "
                                    f"(python/prec/torch/{family(node.target)})") from error
            if find(node.target) is None:
                env.update((name, env[node]) for name in _names(node))
    loss, *gradients = traced.output
    return env[loss], [None if g is None else env[g] for g in gradients]


def _functional(node) -> str | None:
    """The op that an in-place op is on values, where no view shares the tensor that it overwrites.

    A view of it, or a tensor that it is a view of, would change along; such a graph is refused.
    """
    if not _in_place(node):
        return None
    names = _names(node)
    readers = [n for name in names for n in name.users if n not in names]
    if names[0].op != "call_function" or _aliases(names[0]) or any(_aliases(n) for n in readers):
        return None
    if names[0].meta["val"].shape != node.meta["val"].shape:
        return None
    namespace, name, overload = str(node.target).split(".")
    return f"{namespace}.{name.removesuffix('_')}.{overload}"


def _in_place(node) -> bool:
    schema = getattr(node.target, "_schema", None)
    return schema is not None and schema.is_mutable and schema.name.endswith("_") and isinstance(node.args[0], torch.fx.Node)


def _names(node) -> list:
    """The node that made the tensor that an in-place op overwrites, and every in-place op on it: all name one tensor."""
    while _in_place(node):
        node = node.args[0]
    names = [node]
    for name in names:
        names += [n for n in name.users if _in_place(n) and n.args[0] is name and n not in names]
    return names


def _aliases(node) -> bool:
    schema = getattr(node.target, "_schema", None)
    return schema is None or any(r.alias_info is not None for r in schema.returns)


def _captured(b: Builder, traced: Trace, node) -> Value:
    tensor = getattr(traced.graph.owning_module, node.target)
    values = torch.unique(tensor.detach().cpu())
    if values.numel() != 1:
        raise ImportFailure(f"a tensor that forward reads must be a buffer or parameter but got a captured one of shape {list(tensor.shape)}")
    return b.constant(values.item(), tensor.shape, erase(tensor.dtype))


def _refuse_unknown(nodes, where) -> None:
    """Lists every op without a lowering at once: what, how often, where in the model, and the file that would hold it."""
    unknown = Counter()
    first: dict[str, str] = {}
    for node in nodes:
        if node.op == "call_function" and find(node.target) is None and find(_functional(node)) is None:
            unknown[str(node.target)] += 1
            first.setdefault(str(node.target), where[node][0])
    random = [name for name in unknown if "dropout" in name or "bernoulli" in name]
    if random:
        raise ImportFailure(f"dropout must be that of torch.nn.functional.dropout, not in place, but got another in {first[random[0]]}")
    if unknown:
        lines = [f"  {name} x{count} in {first[name]}: add it in python/prec/torch/{family(name)}{_hint(name)}"
                 for name, count in sorted(unknown.items())]
        raise ImportFailure(f"every traced op must have a lowering but got {len(unknown)} without:\n" + "\n".join(lines))


def _hint(name: str) -> str:
    return " (it overwrites a tensor that has views)" if name.split(".")[1].endswith("_") else ""
