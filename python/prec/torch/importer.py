# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""import_torch: trace, lower, add the optimizer, clean up, verify."""
from __future__ import annotations

import contextlib
import math
import numbers
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch

from .. import cleanup
from ..builder import Builder
from ..errors import ImportFailure
from ..files import replace_file
from ..imported import ImportedGraph
from ..ir import FORWARD, Graph, Kind, Result, Value
from ..text import Printer
from . import averages, optimizer as optimizers
from .batch import Batch
from .buffers import buffer_value, is_derived
from .constants import ReadsValue
from .labels import describe_batch
from .lowering import lower
from .outputs import Measure
from .registry import batch_type, erase
from .structure import bare_model, check_accumulators, check_changed, check_storage
from .together import together
from .trace import MovesFrozen, Trace, left_alone, trace
from .verdicts import VERIFIED, Verdicts
from .verify import Unverified, verify as compare

_SOURCE = {torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16", torch.float64: "f64"}


class Import(ImportedGraph):
    """An imported training step: its graph, its text, and the weights of the model it came from."""

    def __init__(self, graph: Graph, parameters: dict[str, torch.Tensor], states: dict[str, torch.Tensor]) -> None:
        super().__init__(graph)
        self._parameters, self._states = parameters, states

    def write_weights(self, path: str | os.PathLike[str]) -> None:
        """Parameters as safetensors, float32, under the framework's own names (a tied one once); of an optimizer that
        has taken steps its state, too, each tensor under its parameter's name and the slot's: `head.weight.exp_avg`.
        Raises ImportFailure where float32 does not reach: nothing is written then."""
        from safetensors.torch import save_file

        empty = [name for name, p in self._parameters.items() if is_empty(p)]
        if empty:
            raise ImportFailure(f"weights can be written of a model that holds them but {len(empty)} parameters have no values "
                                f"({empty[0]} and so on)")
        # Copies, for parameters may be views of one memory.
        tensors = {name: _in_f32(name, p.detach()) for name, p in (self._parameters | self._states).items()}
        replace_file(path, lambda temporary: save_file(tensors, temporary))


def _in_f32(name: str, tensor: torch.Tensor) -> torch.Tensor:
    written = tensor.to("cpu", torch.float32).clone(memory_format=torch.contiguous_format)
    if tensor.dtype == torch.float64:
        lost = written.isinf() & ~tensor.to("cpu").isinf()
        if bool(lost.any()):
            raise ImportFailure(f"weights and states are written as float32, which ends at {torch.finfo(torch.float32).max:.2g}, but {name} holds "
                                f"{tensor.to('cpu')[lost][0].item():.3g}")
    return written


def is_empty(tensor: torch.Tensor) -> bool:
    """Whether the tensor has a shape and no values."""
    from torch._subclasses.fake_tensor import FakeTensor
    return tensor.is_meta or isinstance(tensor.data, FakeTensor) or isinstance(tensor, FakeTensor)


def import_torch(
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer | Sequence[torch.optim.Optimizer],
    batch: Mapping[str, Any] | Sequence[Any],
    loss: Callable[..., torch.Tensor] | None = None,
    clip_grad_norm: float | None = None,
    *,
    attention: Literal["composite", "keep"] = "composite",
    verify: bool = True,
    outputs: Sequence[str] = (),
    mask_amax: bool = False,
    average: float | None = None,
    measure: Measure | None = None,
) -> Import:
    """Imports one training step of `model` (forward, loss, backward, clipping, optimizer) as a graph of the prec_train
    dialect.

    optimizer: of torch.optim, or lion_pytorch's (docs/Optimizers.md); or several, each with parameters of its own.
    batch: keyword arguments of model.forward as a mapping (what a collator returns), or its positional ones as a tuple,
      with tensors in dicts, lists and tuples; shapes and dtypes decide, so the model and the batch may be on the meta
      device or fake. True, False, None and words are part of the step. Entries that forward has no parameter for are
      left out with a warning.
    loss: maps the model's output to the scalar loss; by default the output itself or its `loss`. It also gets
      what the batch has beyond forward's inputs, as the labels of `F.cross_entropy` of a batch (images, labels).
    clip_grad_norm: the default of the hyper argument max_norm, as in torch.nn.utils.clip_grad_norm_ (infinity measures
      the norm alone); None does not clip.
    attention: "composite" selects one attention op in a Hugging Face model, whatever it is set to; "keep" traces what
      it is set to (eager attention becomes matrix products, a mask and a softmax).
    verify: compares the graph with PyTorch by running both (docs/Verifying.md); a difference is an ImportFailure. The
      graph says what came of it, or that nobody asked.
    outputs: names of what the module gives beside the loss in `eval`, and after a step by `get`: of what the model
      returns ("logits", "hidden_states.1"), or paths of modules ("model.norm"). They are kept in memory.
    mask_amax: linear layers read zeros in rows of padding, as the attention_mask of the batch says, so that padding
      decides no scale (docs/Scaling.md).
    average: the decay of an exponential moving average of the weights, which the step keeps (docs/Optimizers.md).
    measure: of the model's output and the batch's tensors by name, further outputs by name, such as the number of right
      predictions. What a row of logits gives them is computed with the loss, whose logits need not be in memory.
    Raises ImportFailure. Model, optimizer and batch are left as they were.
    """
    return import_known(Verdicts(), model, optimizer, batch, loss, clip_grad_norm, attention=attention, verify=verify, outputs=outputs,
                        mask_amax=mask_amax, average=average, measure=measure)


def import_known(
    verdicts: Verdicts,
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer | Sequence[torch.optim.Optimizer],
    batch: Mapping[str, Any] | Sequence[Any],
    loss: Callable[..., torch.Tensor] | None,
    clip_grad_norm: float | None,
    *,
    attention: str,
    verify: bool,
    outputs: Sequence[str] = (),
    mask_amax: bool,
    average: float | None,
    measure: Measure | None,
    whole_buffers: bool = False,
    beside: Callable[[Graph], contextlib.AbstractContextManager[None]] | None = None,
) -> Import:
    """import_torch, but for graphs that were compared before. whole_buffers: those of which a step reads a slice stay
    what the model has. beside: a block in which a graph is compared."""
    if attention not in ("composite", "keep"):
        raise ImportFailure(f'attention must be "composite" or "keep" but got {attention!r}')
    model, one = bare_model(model), together(optimizer)
    if loss is not None and not callable(loss):
        raise ImportFailure(f"loss must be a function of the model's output but got {loss!r}")
    if measure is not None and not callable(measure):
        raise ImportFailure(f"measure must be a function of the model's output and the batch but got {measure!r}")
    choices = Choices(loss, _max_norm(clip_grad_norm), attention, _output_names(outputs), bool(mask_amax), averages.decay_of(average), measure,
                      whole_buffers)
    step = Step(model, one, Batch.of(model, batch, loss), choices)
    with left_alone(model, one):
        check_accumulators(model)
    # What looks for NaN in gradients reads values, which a trace does not have.
    with torch.autograd.set_detect_anomaly(False):
        step, graph, traced = _build(step)
    if traced.of_hooks:
        warnings.warn("hooks are called while a step is traced: what they compute there is part of it, but steps do not call them, so that what "
                      f"they leave in Python stays as it is ({', '.join(traced.of_hooks[:8])}): count, log and collect in the loop", stacklevel=2)
    graph.verified = _verdict(step, graph, verdicts, beside) if verify else "not verified: not asked to"
    if choices.average is not None:
        averages.add(graph, choices.average)
    for group, rate in step.plan.current_rates.items():
        if rate != step.plan.groups[group]["lr"]:
            warnings.warn(f"a scheduler has set the learning rate of parameter group {group} to {rate:g} for its next step; the step's default is "
                          f"the rate that it starts from, {step.plan.groups[group]['lr']:g}: pass each step its own by lr=", stacklevel=2)
    return Import(graph, traced.parameters, step.plan_states())


def _build(step: Step) -> tuple[Step, Graph, Trace]:
    """The graph of a step. Where forward reads sizes of images from the batch, its shapes follow from their values:
    they become part of the step, with a warning. So does what else follows from whole numbers of the batch, as far as
    library's models read it or a mask selects: the step checks that."""
    try:
        graph, traced = step.build()
        _warn_of_conditions(traced)
        return step, graph, traced
    except MovesFrozen as error:
        return _build(Step(step.model, step.optimizer, step.batch, step.choices, step.by_example, step.moved | set(error.names)))
    except ReadsValue as error:
        failure = error
    sizes = step.batch.sizes()
    for names in [[name] for name in sizes] + [sizes] * (len(sizes) > 1):
        fixed = step.again(step.batch.with_fixed(names))
        try:
            graph, traced = fixed.build()
        except ReadsValue as error:
            failure = error
            continue
        warnings.warn(f"forward reads the values of {', '.join(names)}: they are part of the step and no input of it, so that it is for batches "
                      "of these sizes alone", stacklevel=4)
        return fixed, graph, traced
    # Or they are those of this batch, and the step says of another one whether it agrees.
    for like in [step.like_example(step.batch)] + [step.like_example(step.batch.with_fixed(sizes))] * bool(sizes):
        try:
            graph, traced = like.build()
        except ReadsValue:
            continue
        _warn_of_conditions(traced)
        return like, graph, traced
    raise failure


def _warn_of_conditions(traced: Trace) -> None:
    if traced.conditions:
        warnings.warn("the step is for batches that agree with the one given in these values, on which shapes or branches of forward depend; "
                      f"with others its loss is NaN and it changes nothing: {'; '.join(traced.conditions[:8])}", stacklevel=5)


def _verdict(step: Step, graph: Graph, verdicts: Verdicts,
             beside: Callable[[Graph], contextlib.AbstractContextManager[None]] | None) -> str:
    if verdicts.has(graph):
        return VERIFIED
    with contextlib.nullcontext() if beside is None else beside(graph):
        return _compared(step, graph, verdicts)


def _compared(step: Step, graph: Graph, verdicts: Verdicts) -> str:
    try:
        with left_alone(step.model, step.optimizer, step.choices.loss):
            compare(step, graph, is_empty, step.again)
    except Unverified as reason:
        _check_repeats(step, graph)
        return f"not verified: {reason}"
    except ImportFailure as failure:
        _check_repeats(step, graph)
        if step.choices.mask_amax:
            raise ImportFailure("mask_amax must change no loss or gradient (labels of padding must be ignored, and nothing but attention under the "
                                f"mask may mix rows) but {failure}") from failure
        raise
    verdicts.add(graph)
    return VERIFIED


def _check_repeats(step: Step, graph: Graph) -> None:
    """A step that follows from more than its inputs is another one each time: that is what is wrong, not the graph."""
    again, _ = step.again(step.batch).build()
    if Printer(again).module() == Printer(graph).module():
        return
    difference = next((y for x, y in zip(graph.ops, again.ops) if (x.name, x.path, repr(x.attrs)) != (y.name, y.path, repr(y.attrs))), None)
    where = (difference.path if difference is not None else "") or type(step.model).__name__
    raise ImportFailure(
        f"forward must compute the same each time but another trace differs first in {where}: keep what changes in buffers, and read no "
        "clock, file or random generator"
    )


@dataclass(frozen=True)
class Choices:
    """How model, optimizer and batch make a step: arguments of import_torch, of which None stays out."""

    loss: Callable[..., torch.Tensor] | None
    max_norm: float | None
    attention: str
    outputs: Sequence[str] = ()
    mask_amax: bool = False
    average: float | None = None
    measure: Measure | None = None
    whole_buffers: bool = False


class Step:
    """What is imported: a model, its optimizer, a batch and how they make a step. Raises ImportFailure for what no step
    has."""

    def __init__(self, model: torch.nn.Module, optimizer: torch.optim.Optimizer, batch: Batch, choices: Choices, by_example: bool = False,
                 moved: frozenset[str] = frozenset()) -> None:
        """moved: names of frozen parameters that forward itself moves, as a copy that follows by a moving average. They
        are buffers to the step."""
        self.model, self.optimizer, self.batch, self.choices, self.by_example, self.moved = model, optimizer, batch, choices, by_example, moved
        self.twins, self.shared = check_storage(model, optimizer)
        named = dict(model.named_parameters())
        trained = [name for name, p in named.items() if p.requires_grad and name not in self.twins]
        self.plan = optimizers.read(optimizer, named, trained)

    def again(self, batch: Batch) -> Step:
        """The same step of another batch, of the model and optimizer as they are now."""
        return Step(self.model, self.optimizer, batch, self.choices, self.by_example, self.moved)

    def like_example(self, batch: Batch) -> Step:
        """The same step of a batch whose values say what shapes and branches are."""
        return Step(self.model, self.optimizer, batch, self.choices, True, self.moved)

    def parameters(self) -> dict[str, torch.Tensor]:
        """Those of the model, as they are now, that no forward moves."""
        return {name: p for name, p in self.model.named_parameters() if name not in self.moved}

    def buffers(self) -> dict[str, torch.Tensor]:
        """What forward may change, as it is now: the model's buffers, and frozen parameters that forward moves."""
        return dict(self.model.named_buffers()) | {name: p for name, p in self.model.named_parameters() if name in self.moved}

    def plan_states(self) -> dict[str, torch.Tensor]:
        """What the optimizer has of earlier steps, by the names of a graph's arguments."""
        return {f"{name}.{slot}": value for name, slots in self.plan.states.items() for slot, value in slots.items()}

    def build(self) -> tuple[Graph, Trace]:
        traced = trace(self)
        check_changed(traced.changed, self.shared)
        return self._assemble(traced), traced

    def _assemble(self, traced: Trace) -> Graph:
        graph = Graph(f"torch {torch.__version__.split('+')[0]}", type(self.model).__name__)
        optimizers.check_states(self.plan, [name for name, g in traced.gradients.items() if g is not None])
        inputs = self._declare(graph, traced)
        updated = [a for a in graph.arguments if a.role == "parameter"]
        states = optimizers.declare_states(graph, self.plan, updated)
        for name, tensor in traced.batch.items():
            dtype, attrs = batch_type(name, tensor)
            inputs.append(graph.argument("batch", name, tensor.shape, dtype, **attrs).value)
        hyper = optimizers.declare_hyper(graph, self.plan, self.choices.max_norm)

        builder = Builder(graph)
        values = lower(builder, traced, inputs, graph.model)
        named = {name: values[node] for name, node in traced.gradients.items() if node is not None}
        new, norm = optimizers.build(builder, self.plan, updated, named, optimizers.State(states, hyper))

        graph.results.append(Result(_without_faults(builder, values[traced.loss]), "loss", "loss"))
        if norm is not None:
            graph.results.append(Result(norm, "metric", "grad_norm"))
        donors = updated + [slot for p in updated for slot in states[p.path]]
        for donor, value in zip(donors, [new[p.path][0] for p in updated] + [v for p in updated for v in new[p.path][1:]]):
            graph.results.append(Result(value, "updated", donor.path, donor))
        buffers = {a.path: a for a in graph.arguments if a.role == "buffer"}
        for name, node in traced.new_buffers.items():
            graph.results.append(Result(values[node], "updated", name, buffers[name]))
        for name, node in traced.outputs.items():
            if values[node].op is None:
                raise ImportFailure(f"an output must be computed but '{name}' is an input, a weight or a buffer as it is: read it there")
            if not values[node].shape:
                raise ImportFailure(f"an output must have a dimension but '{name}' is one number: take .reshape(1) of it")
            graph.results.append(Result(values[node], "metric", name))
        # What acts on gradients after the backward reads those of the backward, which verification compares.
        before = {name: values[node] for name, node in traced.raw.items() if node is not None} if traced.raw else {}
        graph.results += [Result(v, "gradient", name) for name, v in before.items()]
        cleanup.clean(graph)
        _check_extents(graph)
        _check_names(graph)
        graph.gradients = {r.path: r.value for r in graph.results if r.role == "gradient"}
        graph.results = [r for r in graph.results if r.role != "gradient"]
        describe_batch(graph)
        return graph

    def _declare(self, graph: Graph, traced: Trace) -> list[Value]:
        """Arguments for parameters and buffers; returns their values in the trace's order."""
        aliases: dict[int, list[str]] = {}
        for name, held in self.model.named_parameters(remove_duplicate=False):
            twin = self.twins.get(name)
            aliases.setdefault(id(held if twin is None else traced.parameters[twin]), []).append(name)
        reached = {name for name, g in traced.gradients.items() if g is not None}
        placeholders = iter(node for node in traced.graph.nodes if node.op == "placeholder")
        values = []
        for (name, p), _ in zip(traced.parameters.items(), placeholders):
            attrs: dict[str, Any] = {"source_dtype": _source_dtype(name, p)}
            others = [n for n in aliases[id(p)] if n != name]
            if others:
                attrs["aliases"] = others
            # A parameter that the loss does not depend on has no gradient, and PyTorch's optimizers leave it alone.
            role = "parameter" if name in reached else "frozen_parameter"
            values.append(graph.argument(role, name, p.shape, "f32", **attrs).value)
        for (name, t), node in zip(traced.buffers.items(), placeholders):
            attrs = {"source_dtype": _source_dtype(name, t)} if t.is_floating_point() else {}
            if node.users or name in traced.changed:
                attrs["initial"] = buffer_value(self.model, name, t)
            # Of complex numbers both parts.
            shape, dtype = ((*t.shape, 2), "f32") if t.is_complex() else (t.shape, erase(t.dtype))
            derived = is_derived(self.model, name) and not self.choices.whole_buffers
            values.append(graph.argument("buffer", name, shape, dtype, derived=derived, **attrs).value)
        return values


def _without_faults(b: Builder, loss: Value) -> Value:
    """The loss, and NaN where PyTorch raises, by which the step changes nothing."""
    if not b.faults:
        return loss
    warnings.warn("whole numbers are divided by some that may be zero: where one is, PyTorch raises, and the step's loss is NaN and it changes "
                  "nothing", stacklevel=5)
    b.at("", FORWARD)
    fault, *others = b.faults.values()
    for other in others:
        fault = b.like(Kind.MAXIMUMF, fault, other)
    return b.select(b.compare("gt", fault, b.constant(0.0)), b.constant(math.nan), loss)


_ROLES = {"parameter": "a parameter", "frozen_parameter": "a parameter", "buffer": "a buffer", "batch": "an input", "hyper": "a hyperparameter",
          "optimizer_state": "a state of the optimizer"}


def _check_names(graph: Graph) -> None:
    """What a module's user gives or reads by name has one of its own."""
    first: dict[str, str] = {}
    for a in graph.arguments:
        role = _ROLES[a.role]
        if first.setdefault(a.path, role) != role:
            raise ImportFailure(f"parameters, buffers, inputs and hyperparameters of a step must have names of their own but '{a.path}' is "
                                f"{first[a.path]} and {role}: give the model's another name")


def _check_extents(graph: Graph) -> None:
    empty = [f"{a.path} has shape {list(a.value.shape)}" for a in graph.arguments if 0 in a.value.shape]
    empty += [f"one of shape {list(v.shape)} is computed in {op.path or graph.model}" for op in graph.ops for v in op.results if 0 in v.shape]
    if empty:
        raise ImportFailure(f"every tensor of a step must have elements but {empty[0]}")


def _max_norm(clip_grad_norm: object) -> float | None:
    if clip_grad_norm is None:
        return None
    if not (isinstance(clip_grad_norm, numbers.Real) and clip_grad_norm > 0):  # type: ignore[operator]
        raise ImportFailure(f"clip_grad_norm must be positive but got {clip_grad_norm!r}")
    # The norm of no gradients is larger, so that this is infinity's scale of one.
    return min(float(clip_grad_norm), torch.finfo(torch.float32).max)


def _output_names(given: object) -> list[str]:
    if isinstance(given, str) or not isinstance(given, Sequence) or not all(isinstance(name, str) and name for name in given):
        raise ImportFailure(f"outputs must be a list of names but got {given!r}")
    for name in given:
        if given.count(name) > 1 or name in ("loss", "grad_norm"):
            raise ImportFailure(f"outputs must have names of their own but got '{name}'" + (" twice" if given.count(name) > 1 else ""))
    return list(given)


def _source_dtype(name: str, tensor: torch.Tensor) -> str:
    if tensor.dtype not in _SOURCE:
        raise ImportFailure(f"parameters must be float32, bfloat16, float16 or float64 but {name} is {tensor.dtype}"
                            + (": hold it as a real one of [..., 2], and compute with torch.view_as_complex of it" if tensor.is_complex() else ""))
    return _SOURCE[tensor.dtype]
