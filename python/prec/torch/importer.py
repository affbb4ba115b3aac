"""import_torch: trace, lower, add the optimizer, clean up."""
from __future__ import annotations

import inspect
import os
import tempfile
from pathlib import Path

import torch

from .. import cleanup
from ..builder import Builder
from ..errors import ImportFailure
from ..ir import Graph, Result, Value
from ..text import Printer
from . import optimizer as optimizers
from .buffers import buffer_value, is_derived
from .labels import describe_batch
from .lowering import lower
from .registry import erase
from .trace import Trace, trace

_SOURCE = {torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16", torch.float64: "f64"}


class Import:
    """An imported training step: its graph, its text, and the weights of the model it came from."""

    def __init__(self, graph: Graph, parameters: dict[str, torch.Tensor]):
        self.graph, self._parameters = graph, parameters
        self.mlir = Printer(graph).module()

    def write(self, path) -> None:
        _replace_file(path, lambda temporary: Path(temporary).write_text(self.mlir))

    def write_weights(self, path) -> None:
        """Parameters as safetensors, float32, under the framework's own names (a tied one once)."""
        from safetensors.torch import save_file

        empty = [name for name, p in self._parameters.items() if p.is_meta or _is_fake(p)]
        if empty:
            raise ImportFailure(f"weights can be written of a model that holds them but {len(empty)} parameters have no values "
                                f"({empty[0]} and so on)")
        tensors = {name: p.detach().to("cpu", torch.float32).contiguous() for name, p in self._parameters.items()}
        _replace_file(path, lambda temporary: save_file(tensors, temporary))


def _is_fake(tensor) -> bool:
    from torch._subclasses.fake_tensor import FakeTensor
    return isinstance(tensor.data, FakeTensor) or isinstance(tensor, FakeTensor)


def _replace_file(path, write) -> None:
    """Writes beside the file and renames, so that a failure leaves what was there."""
    path = Path(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    os.close(handle)
    try:
        write(temporary)
        # mkstemp makes private files; give the mode that open() would have.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def import_torch(model, optimizer, batch, loss=None, clip_grad_norm=None, *, attention="composite") -> Import:
    """Imports one training step of `model` (forward, loss, backward, clipping, AdamW) as a graph of the train dialect.

    batch: keyword arguments of model.forward as a dict, or its positional ones as a tuple; only shapes and dtypes are read, so
      the model and the batch may be on the meta device or fake.
    loss: maps the model's output to the scalar loss; by default the output itself or its attribute `loss`.
    clip_grad_norm: the default of the hyper argument max_norm, as in torch.nn.utils.clip_grad_norm_; None does not clip.
    attention: "composite" selects one attention op in a Hugging Face model, whatever it is set to; "keep" traces what it is set to
      (eager attention becomes matrix products, a mask and a softmax).
    Raises ImportFailure. The model is left as it was.
    """
    if attention not in ("composite", "keep"):
        raise ImportFailure(f'attention must be "composite" or "keep" but got {attention!r}')
    batch = _named_batch(model, batch)
    plan_parameters = dict(model.named_parameters())
    trained = [name for name, p in plan_parameters.items() if p.requires_grad]
    plan = optimizers.read(optimizer, plan_parameters, trained)
    if clip_grad_norm is not None and not clip_grad_norm > 0:
        raise ImportFailure(f"clip_grad_norm must be positive but got {clip_grad_norm}")
    traced = trace(model, batch, loss, attention == "composite")
    graph = Graph(f"torch {torch.__version__.split('+')[0]}", type(model).__name__)
    inputs = _declare(graph, model, traced)
    updated = [a for a in graph.arguments if a.role == "parameter"]
    moments = optimizers.declare_moments(graph, updated)
    for name, tensor in traced.batch.items():
        inputs.append(graph.argument("batch", name, tensor.shape, erase(tensor.dtype)).value)
    hyper = optimizers.declare_hyper(graph, plan, clip_grad_norm)

    builder = Builder(graph)
    value, gradients = lower(builder, traced, inputs, type(model).__name__)
    gradients = {name: g for name, g in zip(traced.trained, gradients) if g is not None}
    results, norm = optimizers.build(builder, plan, updated, gradients, optimizers.State(moments, hyper))

    graph.results.append(Result(value, "loss", "loss"))
    if norm is not None:
        graph.results.append(Result(norm, "metric", "grad_norm"))
    place = {id(a): i for i, a in enumerate(graph.arguments)}
    pending = [(a, new) for p in updated for a, new in zip((p, *moments[p.path]), results[p.path])]
    cleanup_order = sorted(pending, key=lambda pair: place[id(pair[0])])
    donated = [(a, Result(new, "updated", a.path)) for a, new in cleanup_order]
    graph.results += [r for _, r in donated]
    cleanup.clean(graph)
    # Cleaning drops unread buffers, so places are known only now.
    place = {id(a): i for i, a in enumerate(graph.arguments)}
    for a, result in donated:
        result.donated_to = place[id(a)]
    describe_batch(graph)
    return Import(graph, traced.parameters)


def _named_batch(model, batch) -> dict:
    if not isinstance(batch, dict):
        names = list(inspect.signature(model.forward).parameters)
        batch = tuple(batch)
        if len(batch) > len(names):
            raise ImportFailure(f"a batch must have at most the {len(names)} inputs of forward but got {len(batch)}")
        batch = dict(zip(names, batch))
    for name, tensor in batch.items():
        if not isinstance(tensor, torch.Tensor):
            raise ImportFailure(f"every batch entry must be a tensor but got {type(tensor).__name__} for {name}")
    if "position_ids" in batch and hasattr(model, "config"):
        raise ImportFailure("a batch must have no position_ids (they may pack sequences) but got them")
    return dict(batch)


def _declare(graph: Graph, model, traced: Trace) -> list[Value]:
    """Arguments for parameters and buffers; returns their values in the trace's order."""
    aliases: dict[int, list[str]] = {}
    for name, p in model.named_parameters(remove_duplicate=False):
        aliases.setdefault(id(p), []).append(name)
    values = []
    gradients = traced.output[1:]
    reached = {name for name, g in zip(traced.trained, gradients) if g is not None}
    for name, p in traced.parameters.items():
        attrs = {"source_dtype": _SOURCE[p.dtype]}
        others = [n for n in aliases[id(p)] if n != name]
        if others:
            attrs["aliases"] = others
        # A parameter that the loss does not depend on has no gradient, and PyTorch's optimizers leave it alone.
        role = "parameter" if name in reached else "frozen_parameter"
        values.append(graph.argument(role, name, p.shape, "f32", **attrs).value)
    for name, t in traced.buffers.items():
        attrs = {"source_dtype": _SOURCE[t.dtype]} if t.is_floating_point() else {}
        argument = graph.argument("buffer", name, t.shape, erase(t.dtype), derived=is_derived(model, name), **attrs)
        values.append(argument.value)
    read = {node.name for node in traced.graph.nodes if node.op == "placeholder" and node.users}
    placeholders = [node for node in traced.graph.nodes if node.op == "placeholder"]
    offset = len(traced.parameters)
    for node, (name, tensor), argument in zip(placeholders[offset:], traced.buffers.items(), graph.arguments[offset:]):
        if node.name in read:
            argument.attrs["initial"] = buffer_value(model, name, tensor)
    return values
