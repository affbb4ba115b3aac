"""One make_fx trace of forward, loss and backward on fake tensors: shapes only, so the size of the model costs nothing."""
from __future__ import annotations

import contextlib
import logging
from dataclasses import dataclass

import torch
import torch.fx.traceback as traceback
from torch._functorch._aot_autograd.logging_utils import setup_stacktrace_preservation_hooks
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.utils.stateless import _reparametrize_module

from ..errors import ImportFailure
from .intercept import KeepComposites, composite_attention, own_attention, without_cache


@dataclass
class Trace:
    """`graph`'s placeholders are parameters, buffers, batch in that order; its output is (loss, *gradients).

    A gradient is None where the loss does not depend on the parameter.
    """

    graph: torch.fx.Graph
    parameters: dict[str, torch.Tensor]
    buffers: dict[str, torch.Tensor]
    batch: dict[str, torch.Tensor]
    trained: list[str]

    @property
    def output(self):
        return next(node for node in reversed(self.graph.nodes) if node.op == "output").args[0]


@contextlib.contextmanager
def _annotated(model):
    """Each module's forward marks what it traces with the module's path; undone afterwards."""
    def wrap(path, forward):
        def annotated(*args, **kwargs):
            with traceback.annotate({"path": path}):
                try:
                    return forward(*args, **kwargs)
                except Exception as error:
                    # The innermost module is the first to see it. Some pass on: checkpointing ends a recomputation so.
                    error.__dict__.setdefault("raised_in", path or type(model).__name__)
                    raise
        return annotated

    replaced = []
    try:
        for path, module in model.named_modules():
            replaced.append((module, module.__dict__.get("forward")))
            module.forward = wrap(path, module.forward)
        yield
    finally:
        for module, own in replaced:
            del module.forward
            if own is not None:
                module.forward = own


@contextlib.contextmanager
def _quiet():
    """A failing op is reported by its exception; fake tensors would also log a traceback."""
    logger = logging.getLogger("torch._subclasses.fake_tensor")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


def _fake(mode: FakeTensorMode, tensors: dict) -> dict:
    # Never from the tensors themselves: they may be on meta, on a GPU, or fakes of another mode.
    with mode:
        return {name: torch.empty(t.shape, dtype=t.dtype, device="cpu") for name, t in tensors.items()}


def scalar_loss(output, loss):
    if loss is not None:
        value, rule = loss(output), "loss= must return a scalar tensor"
    else:
        value = output if isinstance(output, torch.Tensor) else getattr(output, "loss", None)
        rule = "the model must return a scalar loss or an output with one in .loss (or pass loss=)"
    if not isinstance(value, torch.Tensor) or value.dim() != 0:
        got = f"a tensor of shape {list(value.shape)}" if isinstance(value, torch.Tensor) else type(output if value is None else value).__name__
        raise ImportFailure(f"{rule} but got {got}")
    return value


def _gradients(value, inputs):
    """torch.autograd.grad with allow_unused, but a TorchFunctionMode stays on: that function would be handed to the mode, and a
    mode is off while it handles a call."""
    engine = torch.autograd.Variable._execution_engine
    return engine.run_backward((value,), (torch.ones_like(value),), False, False, tuple(inputs), allow_unreachable=True, accumulate_grad=False)


def trace(model, batch: dict, loss, composite: bool) -> Trace:
    parameters, buffers = dict(model.named_parameters()), dict(model.named_buffers())
    trained = [name for name, p in parameters.items() if p.requires_grad]
    if not trained:
        raise ImportFailure("the model must have a parameter that requires a gradient but got none")
    names = [list(parameters), list(buffers), list(batch)]

    def step(*flat):
        flat = iter(flat)
        p, b, inputs = ({name: next(flat) for name in group} for group in names)
        p = {name: t.detach().requires_grad_(name in leaves) for name, t in p.items()}
        # As torch.func.functional_call, but around the backward as well: activation checkpointing calls forward again there.
        with KeepComposites(), _reparametrize_module(model, {**p, **b}, tie_weights=True):
            value = scalar_loss(model(**inputs), loss)
            if not value.requires_grad:
                raise ImportFailure("the loss must depend on a parameter that requires a gradient but depends on none")
            setup_stacktrace_preservation_hooks([value.grad_fn])
            return value, *_gradients(value, [p[name] for name in trained])

    leaves = set(trained)
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    flat = [t for group in (parameters, buffers, batch) for t in _fake(mode, group).values()]
    attention = composite_attention if composite else own_attention
    with _quiet(), _annotated(model), without_cache(model), attention(model), traceback.preserve_node_meta():
        try:
            module = make_fx(step, tracing_mode="fake")(*flat)
        except ImportFailure:
            raise
        except Exception as error:
            first = (str(error).strip().splitlines() or ["no message"])[0]
            place = getattr(error, "raised_in", "the step")
            raise ImportFailure(f"the step must run on the batch but {place} raised {type(error).__name__}: {first}") from error
    module.graph.eliminate_dead_code()
    return Trace(module.graph, parameters, buffers, batch, trained)
