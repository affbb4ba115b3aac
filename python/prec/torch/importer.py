"""import_torch: trace, lower, add the optimizer, clean up."""
from __future__ import annotations

import inspect
import numbers
import os
import tempfile
from pathlib import Path

import torch
from safetensors import SafetensorError

from .. import cleanup
from ..builder import Builder
from ..errors import ImportFailure
from ..ir import Graph, Result, Value
from ..text import Printer
from . import optimizer as optimizers
from .buffers import buffer_value, is_derived
from .labels import describe_batch
from .lowering import lower
from .registry import batch_type, erase
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
    # A rename would take the place of a device or a pipe.
    if path.exists() and not path.is_file():
        raise ImportFailure(f"{path} must be a regular file but is none")
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    os.close(handle)
    try:
        write(temporary)
        # mkstemp makes private files; give the mode that open() would have.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except BaseException as error:
        os.unlink(temporary)
        if isinstance(error, (OSError, SafetensorError)):
            raise ImportFailure(f"{path} must be written in full but got {error}") from error
        raise


def import_torch(model, optimizer, batch, loss=None, clip_grad_norm=None, *, attention="composite") -> Import:
    """Imports one training step of `model` (forward, loss, backward, clipping, optimizer) as a graph of the train dialect.

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
    if not isinstance(model, torch.nn.Module):
        raise ImportFailure(f"the model must be a torch.nn.Module but got {type(model).__name__}")
    if loss is not None and not callable(loss):
        raise ImportFailure(f"loss must be a function of the model's output but got {loss!r}")
    batch = _named_batch(model, batch)
    parameters = dict(model.named_parameters())
    plan = optimizers.read(optimizer, parameters, [name for name, p in parameters.items() if p.requires_grad])
    if clip_grad_norm is not None and not (isinstance(clip_grad_norm, numbers.Real) and clip_grad_norm > 0):
        raise ImportFailure(f"clip_grad_norm must be positive but got {clip_grad_norm!r}")
    traced = trace(model, batch, loss, attention == "composite")
    graph = Graph(f"torch {torch.__version__.split('+')[0]}", type(model).__name__)
    inputs = _declare(graph, model, traced)
    updated = [a for a in graph.arguments if a.role == "parameter"]
    states = optimizers.declare_states(graph, plan, updated)
    for name, tensor in traced.batch.items():
        dtype, attrs = batch_type(name, tensor)
        inputs.append(graph.argument("batch", name, tensor.shape, dtype, **attrs).value)
    hyper = optimizers.declare_hyper(graph, plan, clip_grad_norm)

    builder = Builder(graph)
    value, gradients = lower(builder, traced, inputs, graph.model)
    gradients = {name: g for name, g in zip(traced.trained, gradients) if g is not None}
    new, norm = optimizers.build(builder, plan, updated, gradients, optimizers.State(states, hyper))

    graph.results.append(Result(value, "loss", "loss"))
    if norm is not None:
        graph.results.append(Result(norm, "metric", "grad_norm"))
    donors = updated + [slot for p in updated for slot in states[p.path]]
    values = [new[p.path][0] for p in updated] + [v for p in updated for v in new[p.path][1:]]
    donated = [(donor, Result(v, "updated", donor.path)) for donor, v in zip(donors, values)]
    graph.results += [result for _, result in donated]
    cleanup.clean(graph)
    # Cleaning drops unread buffers, so places are known only now.
    place = {id(a): i for i, a in enumerate(graph.arguments)}
    for donor, result in donated:
        result.donated_to = place[id(donor)]
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
        if not tensor.numel():
            raise ImportFailure(f"every batch entry must have at least one element but got shape {list(tensor.shape)} for {name}")
    if "position_ids" in batch and hasattr(model, "config"):
        raise ImportFailure("a batch must have no position_ids (they may pack sequences) but got them")
    return dict(batch)


def _declare(graph: Graph, model, traced: Trace) -> list[Value]:
    """Arguments for parameters and buffers; returns their values in the trace's order."""
    aliases: dict[int, list[str]] = {}
    for name, p in model.named_parameters(remove_duplicate=False):
        aliases.setdefault(id(p), []).append(name)
    reached = {name for name, g in zip(traced.trained, traced.output[1:]) if g is not None}
    placeholders = iter(node for node in traced.graph.nodes if node.op == "placeholder")
    values = []
    for (name, p), _ in zip(traced.parameters.items(), placeholders):
        attrs = {"source_dtype": _source_dtype(name, p)}
        others = [n for n in aliases[id(p)] if n != name]
        if others:
            attrs["aliases"] = others
        # A parameter that the loss does not depend on has no gradient, and PyTorch's optimizers leave it alone.
        role = "parameter" if name in reached else "frozen_parameter"
        values.append(graph.argument(role, name, p.shape, "f32", **attrs).value)
    for (name, t), node in zip(traced.buffers.items(), placeholders):
        attrs = {"source_dtype": _source_dtype(name, t)} if t.is_floating_point() else {}
        if node.users:
            attrs["initial"] = buffer_value(model, name, t)
        values.append(graph.argument("buffer", name, t.shape, erase(t.dtype), derived=is_derived(model, name), **attrs).value)
    return values


def _source_dtype(name: str, tensor) -> str:
    if tensor.dtype not in _SOURCE:
        raise ImportFailure(f"parameters must be float32, bfloat16, float16 or float64 but {name} is {tensor.dtype}")
    return _SOURCE[tensor.dtype]
