# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One functionalized make_fx trace of forward, loss, backward and what acts on gradients, on fake tensors: shapes only,
so the size
of the model costs nothing.

Functionalization makes in-place operations and views into operations on values, and shows which of its inputs a step
changes. PyTorch's own joint export (AOTAutograd's) was tried for this and declined: it leaves its wrappers in the
user's model when a forward fails, it ends modes that take part in function calls before the backward, so that
activation checkpointing recomputes without the composites, and it does not see buffers that forward assigns anew.
"""
from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
import torch.fx.traceback as traceback
from torch._functorch._aot_autograd.logging_utils import setup_stacktrace_preservation_hooks
from torch._subclasses.fake_tensor import FakeTensorMode
from torch._subclasses.functional_tensor import FunctionalTensor
from torch.fx.experimental.proxy_tensor import get_proxy_mode, make_fx

from ..errors import ImportFailure
from . import control_flow, draws, flexible, gradients
from .batch import Batch
from .checkpointing import Checkpoints, traceable_checkpoints
from .complex_pairs import with_pairs
from .constants import Constants, at, is_written, line_of
from .decompose import unwrapped
from .decompositions import decompositions
from .draws import Draws
from .failures import refusal_of
from .functional import KeepComposites
from .hugging_face import composite_attention, own_attention, without_cache
from .modules import hooks_of_modules, without_reads
from .optimizer import hooks_of
from .options import Options
from .outputs import Outputs
from .padded_rows import PaddedRows, masks_of
from .places import mark_backward, noting_backward
from .random_states import followed
from .repeated import Functionalizing, repeating
from .sameness import same_values
from .snapshot import RandomState, Snapshot
from .standins import UnreadState, replaced, without_state

if TYPE_CHECKING:
    from .importer import Step


Tensors = dict[str, torch.Tensor]
Gradients = dict[str, torch.Tensor | None]


class MovesFrozen(ImportFailure):
    """Forward changes frozen parameters. names: which."""

    def __init__(self, message: str, names: Sequence[str]) -> None:
        super().__init__(message)
        self.names = names


@dataclass
class Trace:
    """`graph`'s placeholders are parameters, buffers, batch in that order; its output is (loss, *gradients, *new values
    of the changed buffers, *gradients of the backward where something acts on them before the update reads them).

    A gradient is None where the loss does not depend on the parameter.
    """

    graph: torch.fx.Graph
    parameters: dict[str, torch.Tensor]
    buffers: dict[str, torch.Tensor]
    batch: dict[str, torch.Tensor]
    trained: list[str]
    changed: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)
    # What hooks of modules and of the optimizer have left in Python.
    of_hooks: list[str] = field(default_factory=list)

    @property
    def output(self) -> tuple[torch.fx.Node | None, ...]:
        return next(node for node in reversed(self.graph.nodes) if node.op == "output").args[0]

    @property
    def loss(self) -> torch.fx.Node:
        value = self.output[0]
        assert value is not None
        return value

    @property
    def gradients(self) -> dict[str, torch.fx.Node | None]:
        """By parameter; None where the loss does not depend on it."""
        return dict(zip(self.trained, self.output[1:]))

    @property
    def new_buffers(self) -> dict[str, Any]:
        return dict(zip(self.changed, self.output[1 + len(self.trained):]))

    @property
    def raw(self) -> dict[str, torch.fx.Node | None]:
        """Gradients of the backward by parameter; empty where they are `gradients`."""
        return dict(zip(self.trained, self.output[1 + len(self.trained) + len(self.changed):]))


@contextlib.contextmanager
def annotated(model: torch.nn.Module, see: Callable[[str, Any], None] | None = None) -> Iterator[None]:
    """Each module's forward marks what it traces with the module's path, and tells `see` what it returns; undone
    afterwards."""
    def wrap(path: str, forward: Callable[..., Any]) -> Callable[..., Any]:
        def annotated(*args: Any, **kwargs: Any) -> Any:
            with traceback.annotate({"path": path}):
                try:
                    result = forward(*args, **kwargs)
                    if see is not None:
                        see(path, result)
                    return result
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
def quiet() -> Iterator[None]:
    """A failing op is reported by its exception; fake tensors would also log a traceback."""
    logger = logging.getLogger("torch._subclasses.fake_tensor")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


@contextlib.contextmanager
def uncompiled() -> Iterator[None]:
    """What torch.compile has wrapped runs as it was written, in a trace as well, and so do functions of TorchScript,
    which would run other operations from their second call on, layers for which oneDNN has one operation, and what
    takes functions, flex_attention and torch.cond among it. Operations of torch.library.triton_op are kept whole, as
    all of torch.library."""
    options = torch._functorch.config
    whole = options.patch(decompose_custom_triton_ops=False) if hasattr(options, "decompose_custom_triton_ops") else contextlib.nullcontext()
    with whole, torch.compiler.set_stance("force_eager"), torch._dynamo.config.patch(error_on_nested_fx_trace=False), \
            torch.jit.optimized_execution(False), flexible.written_out(), control_flow.written_out():
        # Not by its attribute, which PyTorch's own tests freeze.
        whole_layers = torch.backends.mkldnn.set_flags(_enabled=False)[0]
        try:
            yield
        finally:
            torch.backends.mkldnn.set_flags(_enabled=whole_layers)


@contextlib.contextmanager
def listed_by_elements() -> Iterator[None]:
    """A functionalized tensor's tolist() reads its elements, of which a trace knows what is constant; PyTorch's reads
    what the tensor wraps."""
    def tolist(self: torch.Tensor) -> Any:
        return [x.tolist() for x in self.unbind()] if self.dim() else self.item()

    own = FunctionalTensor.tolist
    try:
        FunctionalTensor.tolist = tolist  # type: ignore[method-assign]
        yield
    finally:
        FunctionalTensor.tolist = own  # type: ignore[method-assign]


@contextlib.contextmanager
def left_alone(*roots: object) -> Iterator[None]:
    """Whatever happens inside, what the roots hold and the states of random generators are as before."""
    snapshot, state = Snapshot(*roots), RandomState()
    try:
        yield
    finally:
        snapshot.restore()
        state.restore()


def fake_like(mode: FakeTensorMode, tensors: Mapping[str, torch.Tensor]) -> Tensors:
    # Never from the tensors themselves: they may be on meta, on a GPU, or fakes of another mode.
    with mode:
        return {name: torch.empty(t.shape, dtype=t.dtype, device="cpu") for name, t in tensors.items()}


def scalar_loss(output: Any, loss: Callable[..., torch.Tensor] | None, batch: Batch, tensors: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """tensors: the batch's, by name, that forward has computed the output of."""
    if loss is not None:
        value: Any = batch.loss_of(loss, output, tensors)
        rule = "loss= must return a scalar tensor"
    else:
        held = output.get("loss") if isinstance(output, Mapping) else getattr(output, "loss", None)
        value = output if isinstance(output, torch.Tensor) else held
        rule = "the model must return a scalar loss or an output with one as its loss (or pass loss=)"
    if not isinstance(value, torch.Tensor) or value.dim() != 0:
        got = f"a tensor of shape {list(value.shape)}" if isinstance(value, torch.Tensor) else type(output if value is None else value).__name__
        raise ImportFailure(f"{rule} but got {got}")
    return value


def backward(value: torch.Tensor, inputs: Sequence[torch.Tensor] | None = None) -> tuple[torch.Tensor | None, ...]:
    """torch.autograd.grad with allow_unused, or value.backward() where no inputs are given, but a TorchFunctionMode
    stays on: those functions would be handed to the mode, and a mode is off while it handles a call."""
    engine = torch.autograd.Variable._execution_engine
    with traceback.annotate({"starts_backward": True}):
        start = torch.ones_like(value)
    return engine.run_backward((value,), (start,), False, False, tuple(inputs or ()), allow_unreachable=True,
                               accumulate_grad=inputs is None)


class _Run:
    """The function that is traced. After a run, `changed` names the buffers that it changes, in the order of its
    outputs."""

    checkpoints: Checkpoints
    _constants: Constants

    def __init__(self, step: Step) -> None:
        self.step, self.model, self.optimizer = step, step.model, step.optimizer
        named = step.parameters()
        # Two parameters of one memory are one in the graph.
        self.parameters: Tensors = {name: p for name, p in named.items() if name not in step.twins}
        self.twins = {id(named[twin]): name for twin, name in step.twins.items()}
        self.buffers, self.batch = step.buffers(), step.batch.tensors
        self.trained = [name for name, p in self.parameters.items() if p.requires_grad]
        # Functions of the user's in the place of a module's forward; a trace puts its own there.
        self.forwards = [module.__dict__["forward"] for module in step.model.modules() if "forward" in module.__dict__]
        self.changed: list[str] = []
        self.left: list[str] = []
        # What hooks have left there.
        self.of_hooks: list[str] = []
        # Of those, numbers that each step changes.
        self.counts: list[str] = []
        # What went wrong in a step where they had counted on.
        self.failure: str | None = None
        # What traces with other options of the optimizer have changed, and what went wrong in the last.
        self.options: list[str] = []
        self.of_options: str | None = None
        self.outputs = Outputs(step.choices.outputs, step.choices.measure)
        # What they are of the first forward.
        self.given: list[torch.Tensor] | None = None
        # In what a batch must agree with the one that was given.
        self.conditions: list[str] = []
        # Names of what the first of two forwards has computed.
        self.of_first: set[str] = set()

    def __call__(self, *flat: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        with repeating(), Functionalizing(), Constants(functionalized=True) as self._constants:
            wrapped: Iterator[torch.Tensor] = iter([FunctionalTensor.to_functional(t) for t in flat])
            p, b, inputs = ({name: next(wrapped) for name in group} for group in (self.parameters, self.buffers, self.batch))
            if self.step.by_example:
                for name, t in inputs.items():
                    self._constants.give_example(t, self.batch[name])
            for name, t in b.items():
                self._constants.flags.give(t, name, self.buffers[name])
            # As they are before the step, whatever it makes of them.
            plain = dict(zip(self.buffers, flat[len(p):]))
            results = self._run(p, b, inputs, plain)
            return tuple(None if t is None else unwrapped(t) for t in results)

    def _run(self, parameters: Tensors, buffers: Tensors, inputs: Tensors, plain: Tensors) -> list[torch.Tensor | None]:
        wanted = set(self.trained)
        leaves = {name: t.detach().requires_grad_(name in wanted) for name, t in parameters.items()}
        for name, leaf in leaves.items():
            gradients.copy_hooks(self.parameters[name], leaf)
        roots = self.model, self.step.choices.loss, self.optimizer, hooks_of(self.optimizer), self.forwards
        before, leading = Snapshot(*roots), _traced_so_far()
        hooks = Snapshot(hooks_of(self.optimizer), hooks_of_modules(self.model))
        value, raw, new, final = self._one_step(parameters, leaves, buffers, inputs)
        self.of_hooks = hooks.changes()
        # What stands in the places of buffers is no change of the model's own.
        self.left = [path for path in before.changes() if path not in self.buffers]
        self.changed = list(new)
        again = []
        if self.left:
            # With the same buffers, what this step has left in Python must change nothing in the next one, nor in those
            # that follow where a number has counted on.
            self.of_first = _traced_so_far() - leading
            after = Snapshot(*roots)
            again += self._repeated(parameters, leaves, plain, inputs)
            self.counts = after.count_on()
            again += self._counted(parameters, leaves, plain, inputs)
        if self.failure is None:
            again += self._with_other_options(parameters, leaves, plain, inputs)
        acted = [] if final is raw else list(raw.values())
        return [value, *final.values(), *new.values(), *acted, *again, *(self.given or [])]

    def _one_step(
        self, parameters: Tensors, leaves: Tensors, buffers: Tensors, inputs: Tensors
    ) -> tuple[torch.Tensor, Gradients, Tensors, Gradients]:
        """Loss, gradients of the backward, new buffers and gradients as the optimizer gets them."""
        with without_state(self.optimizer, "forward") as unread:
            value, found, new = self._forward_and_backward(unread, leaves, buffers, inputs)
            self._check_parameters(parameters, "forward")
            if self._constants.overwritten:
                raise ImportFailure("forward must overwrite no tensors but its own and buffers but does "
                                    f"{self._constants.overwritten}: register it as a buffer")
            raw = dict(zip(self.trained, found))
            final = self._through_optimizer(unread, leaves, buffers | new, raw)
            self._check_parameters(parameters, self._who_acts())
        return value, raw, new, final

    def _repeated(self, parameters: Tensors, leaves: Tensors, plain: Tensors, inputs: Tensors) -> list[torch.Tensor | None]:
        """Loss, gradients and the new value of each buffer, None where it has none, of another step with the buffers of
        the first."""
        fresh: Tensors = {name: FunctionalTensor.to_functional(t) for name, t in plain.items()}
        value, raw, new, final = self._one_step(parameters, leaves, fresh, inputs)
        return [value, *raw.values(), *([] if final is raw else final.values()), *(new.get(name) for name in self.buffers)]

    def _counted(self, parameters: Tensors, leaves: Tensors, plain: Tensors, inputs: Tensors) -> list[torch.Tensor | None]:
        """The same of two steps where numbers have counted on. If one fails, that is told after what the step before
        has shown."""
        results = []
        try:
            for _ in range(2 if self.counts else 0):
                results += self._repeated(parameters, leaves, plain, inputs)
        except Exception as error:
            self.failure = _what_failed(error)
            return []
        return results

    def _with_other_options(self, parameters: Tensors, leaves: Tensors, plain: Tensors, inputs: Tensors) -> list[torch.Tensor | None]:
        """The same of steps with other options of the optimizer, where something can read them."""
        options, results = Options(self.optimizer, self.model, self.step.choices.loss, self.forwards), []
        for what, names, change in options.changes:
            try:
                with options.changed(names, change):
                    results += self._repeated(parameters, leaves, plain, inputs)
            except Exception as error:
                self.of_options = f"with other numbers for {what} {_what_failed(error)}"
                break
            self.options.append(what)
        return results

    def _who_acts(self) -> str:
        kind = type(self.optimizer)
        return "a hook" if kind is gradients.base_of(self.optimizer) else f"the step of {kind.__name__}, or a hook,"

    def _through_optimizer(self, unread: UnreadState, leaves: Tensors, buffers: Tensors, raw: Gradients) -> Gradients:
        # Hooks may read the model.
        held = {name: t.detach().clone() for name, t in buffers.items()}
        with self._installed(leaves, held):
            final = gradients.through_optimizer(self.optimizer, unread, self._standins(leaves), leaves, self.parameters, raw,
                                                self.step.choices.max_norm is not None)
            now = self.step.buffers()
        changed = [f"the buffer {name}" for name, t in held.items() if now.get(name) is not t or is_written(t)]
        if self._constants.overwritten:
            changed.append(f"a tensor, {self._constants.overwritten}")
        if changed:
            raise ImportFailure(
                f"a hook that runs after the backward must do with gradients alone but changes {changed[0]}: do it outside of the step"
            )
        return final

    def _check_parameters(self, parameters: Tensors, who: str) -> None:
        names = [name for name, t in parameters.items() if is_written(t)]
        if not names:
            return
        message = (f"{who} must leave parameters as they are but changes {names[0]}: keep what follows them in buffers (register_buffer), and "
                   "compute of them what reads them changed")
        shared = {*self.step.twins, *self.step.twins.values()}
        if who != "forward" or not shared.union(self.trained).isdisjoint(names):
            raise ImportFailure(message)
        raise MovesFrozen(message, names)

    def _forward_and_backward(
        self, unread: UnreadState, leaves: Tensors, buffers: Tensors, inputs: Tensors
    ) -> tuple[torch.Tensor, tuple[torch.Tensor | None, ...], Tensors]:
        # The stand-ins stay for the backward as well: activation checkpointing calls forward again there.
        self._constants.conditions.clear()
        padded = PaddedRows(masks_of(inputs) if self.step.choices.mask_amax else None)
        settable = [t for name, t in leaves.items() if name not in self.trained] + list(buffers.values())
        composites, drawn = KeepComposites(padded, settable), Draws(draws.traced)
        with followed([composites.streams, drawn.streams]), composites, drawn, self._installed(leaves, buffers):
            held = self._held()
            self.outputs.clear()
            output = self.step.batch.call(self.model, inputs)
            value = scalar_loss(output, self.step.choices.loss, self.step.batch, inputs)
            if self.given is None:
                self.given = self.outputs.read(output, inputs)
            if self.step.choices.mask_amax and not padded.reached:
                raise ImportFailure("mask_amax must reach a linear layer but none reads rows of the batch's masks: leave it out")
            if not value.requires_grad:
                raise ImportFailure("the loss must depend on a parameter that requires a gradient but depends on none: compute it "
                                    "without .detach(), torch.no_grad() and numbers of Python")
            self._check_gradients(leaves)
            other = [name for name, leaf in leaves.items() if leaf.requires_grad != (name in self.trained)]
            if other:
                raise ImportFailure(f"forward must leave requires_grad of parameters as it is but sets that of {other[0]}: do it before the import")
            self.checkpoints.check(value, {name: leaves[name] for name in self.trained if gradients.has_hooks(self.parameters[name])})
            setup_stacktrace_preservation_hooks([value.grad_fn])  # type: ignore[list-item]
            unread.who = "a hook of a gradient, or forward in the backward,"
            found = backward(value, [leaves[name] for name in self.trained])
            self._check_gradients(leaves)
            new = self._new_buffers(buffers)
            self._constants.flags.check(new)
            moved = [name for name, t in self._held().items() if held.get(name) is not t]
            if moved or self._held().keys() != held.keys():
                raise ImportFailure("forward must leave parameters where the model holds them but assigns or deletes "
                                    f"{', '.join(moved or sorted(held.keys() - self._held().keys()))}: do it before the import")
        return self._with_conditions(value.detach()), found, new

    def _with_conditions(self, loss: torch.Tensor) -> torch.Tensor:
        """The loss of a batch that agrees with the example, and NaN of another, by which its step changes nothing."""
        conditions = self._constants.conditions
        self.conditions = list(dict.fromkeys(c.words for c in conditions))
        if not conditions:
            return loss
        agrees = torch.stack([c.holds.reshape(()) for c in conditions]).all()
        return loss + torch.where(agrees, 0.0, torch.nan).to(loss.dtype)

    def _held(self) -> dict[str, torch.nn.Parameter]:
        return dict(self.model.named_parameters(remove_duplicate=False))

    @staticmethod
    def _check_gradients(leaves: Tensors) -> None:
        """A backward inside of forward, or of a function's own backward, adds to gradients that no result of the trace
        holds."""
        early = [name for name, leaf in leaves.items() if leaf.grad is not None]
        if early:
            raise ImportFailure(f"forward must leave gradients to the backward of the loss but sets that of {early[0]}: return the loss, and take "
                                "others by torch.autograd.grad")

    def _installed(self, leaves: Tensors, buffers: Tensors) -> contextlib.AbstractContextManager[None]:
        return replaced(self.model, self._standins(leaves) | {id(self.buffers[name]): t for name, t in buffers.items()})

    def _standins(self, leaves: Tensors) -> dict[int, torch.Tensor]:
        """Of each of the model's parameters, by identity, what stands for it."""
        own = {id(self.parameters[name]): t for name, t in leaves.items()}
        return own | {twin: leaves[name] for twin, name in self.twins.items()}

    def _new_buffers(self, standins: Tensors) -> Tensors:
        """By name, the values of the buffers that the step has changed in place or assigned anew."""
        names = {id(t): name for name, t in self.buffers.items()}
        now = self.step.buffers()
        new = {}
        for name, standin in standins.items():
            value = now.get(name)
            if value is None:
                raise ImportFailure(f"forward must keep the model's buffers but deletes {name}: set it to zeros")
            if value is standin and not is_written(standin):
                continue
            if value.shape != standin.shape or value.dtype != standin.dtype:
                raise ImportFailure(
                    f"a buffer must keep its shape and type but {name} becomes {list(value.shape)} of {value.dtype} (of a table that grows with "
                    "the batch: run forward once before the import)"
                )
            new[name] = value.detach()
        added = [name for name, t in now.items() if name not in standins and id(t) not in names]
        if added:
            raise ImportFailure(f"forward must add no buffers to the model but adds {', '.join(added)}: register them when it is made")
        return new


def _what_failed(error: Exception) -> str:
    first = (str(error).strip().splitlines() or ["no message"])[0]
    return first if isinstance(error, ImportFailure) else f"one raised {type(error).__name__} ({first}){at(line_of(error))}"


def _traced_so_far() -> set[str]:
    return {node.name for node in get_proxy_mode().tracer.graph.nodes}  # type: ignore[union-attr]


def trace(step: Step) -> Trace:
    """Traces a Step of importer.py. Raises ImportFailure; model and optimizer are left as they were."""
    run = _Run(step)
    if not run.trained:
        raise ImportFailure("the model must have a parameter that requires a gradient but got none: thaw some (requires_grad_(True))")
    model, optimizer = step.model, step.optimizer
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    flat = [t for group in (run.parameters, run.buffers, run.batch) for t in fake_like(mode, group).values()]
    attention = composite_attention if step.choices.attention == "composite" else own_attention
    with left_alone(model, optimizer, step.choices.loss), quiet(), without_reads(model), annotated(model, run.outputs.see), \
            attention(model), without_cache(model), traceback.preserve_node_meta(), noting_backward(), uncompiled(), listed_by_elements(), \
            traceable_checkpoints() as run.checkpoints:
        state = RandomState()
        try:
            module = make_fx(run, decomposition_table=decompositions(), tracing_mode="fake")(*flat)
        except ImportFailure:
            raise
        except Exception as error:
            raise refusal_of(error) from error
        drawn = state.drawn()
    if drawn:
        raise ImportFailure(f"a step must draw from no random generator but its own, but draws from {' and '.join(drawn)}: draw with "
                            "torch (torch.rand), or give the numbers as an input")
    graph = module.graph
    mark_backward(graph.nodes)
    for node in reversed(graph.nodes):
        # Marks for profilers compute nothing.
        if str(node.target).startswith("profiler."):
            graph.erase_node(node)
    given = _take_outputs(graph, run)
    _check_what_is_left(graph, run)
    # In their place again: what no result needs is dropped.
    end = next(node for node in reversed(graph.nodes) if node.op == "output")
    results = end.args[0]
    end.args = ((*results, *given.values()),)
    # Numbers that nobody reads are not drawn: weights of a module that forward makes and fills from another.
    graph.eliminate_dead_code(is_impure_node=lambda node: node.op in ("placeholder", "output") or node.is_impure(impure_random=False))
    draws.warn_of(graph.nodes, type(model).__name__)
    complex_buffers = [t.is_complex() for t in run.buffers.values()]
    with_pairs(graph, [False] * len(run.parameters) + complex_buffers + [False] * len(run.batch))
    given = _take_outputs(graph, run)
    return Trace(graph, run.parameters, run.buffers, run.batch, run.trained, run.changed, run.conditions, given, run.of_hooks)


def _take_outputs(graph: torch.fx.Graph, run: _Run) -> dict[str, torch.fx.Node]:
    """Takes the values that were asked for, the last ones, out of the output."""
    end = next(node for node in reversed(graph.nodes) if node.op == "output")
    count = len(run.outputs.names)
    nodes = end.args[0][len(end.args[0]) - count:]
    end.args = (tuple(end.args[0][:len(end.args[0]) - count]),)
    return dict(zip(run.outputs.names, nodes))


def _check_what_is_left(graph: torch.fx.Graph, run: _Run) -> None:
    """Takes the results of further steps out of the output, and refuses a step that leaves something which changes
    them, or that follows from options of the optimizer."""
    left = 0 if not run.left else 3 if run.counts and run.failure is None else 1
    repeats = left + len(run.options)
    if repeats:
        output = next(node for node in reversed(graph.nodes) if node.op == "output")
        count, buffers = len(run.trained), len(run.buffers)
        base = 1 + count + len(run.changed)
        # Of a step its loss, where something acts on gradients two gradients of each parameter, and buffers.
        acted = len(output.args[0]) == base + count + repeats * (1 + 2 * count + buffers)
        size = 1 + (2 * count if acted else count) + buffers
        first, again = output.args[0][:-repeats * size], output.args[0][-repeats * size:]
        output.args = (tuple(first),)
        loss, final = first[0], first[1:1 + count]
        raw = first[-count:] if acted else final
        new = dict(zip(run.changed, first[1 + count:base]))
        for number in range(repeats):
            group = again[number * size:(number + 1) * size]
            known = run.counts if number else run.left
            what = f"{'a later' if number else 'the next'} step follows from {', '.join(known[:8])}"
            option = run.options[number - left] if number >= left else None
            if _differ(graph, run, (loss, *raw), group[:1 + count]):
                raise _of_option("forward, or a hook of a gradient,", option) if option else ImportFailure(
                    f"forward must compute the same whatever it has left in the model, but {what}: keep what changes in buffers")
            for name, value in zip(run.buffers, group[size - buffers:]):
                if _differ(graph, run, [new.get(name)], [value]):
                    raise (
                        _of_option(f"what forward makes of the buffer {name}", option)
                        if option
                        else ImportFailure(
                            f"forward must change buffers alike whatever it has left in the model, but what {name} becomes in {what}: "
                            "keep what changes in buffers"
                        )
                    )
            if acted and _differ(graph, run, final, group[1 + count:1 + 2 * count]):
                raise _of_option("a hook, or the optimizer's own step,", option) if option else ImportFailure(
                    f"hooks must compute the same whatever they have left in Python, but {what}: act alike in every step")
    if run.failure is not None:
        raise ImportFailure(
            f"a step must compute the same whatever those before have left in Python, but where {', '.join(run.counts[:8])} had counted on, "
            f"{run.failure}"
        )
    if run.of_options is not None:
        raise ImportFailure(f"a step must run whatever the options of its optimizer are, which are inputs of it, but {run.of_options}")


def _of_option(who: str, option: str) -> ImportFailure:
    return ImportFailure("a step must compute gradients and buffers alike whatever the options of its optimizer are, which are inputs of it, but "
                         f"{who} follows from {option}: pass what it needs with the batch")


def _differ(graph: torch.fx.Graph, run: _Run, first: Sequence[torch.fx.Node | None], second: Sequence[torch.fx.Node | None]) -> bool:
    pairs = list(zip(first, second))
    both = [(x, y) for x, y in pairs if x is not None and y is not None]
    return any((x is None) != (y is None) for x, y in pairs) or not same_values(graph, both) \
        or _reads_what_changes(graph, run, [node for node in second if node is not None])


def _reads_what_changes(graph: torch.fx.Graph, run: _Run, again: Iterable[torch.fx.Node]) -> bool:
    """Whether the second forward reads what the first has computed from something that is another in each step: from
    inputs, trained
    parameters, or buffers that the step changes. It would read the old one for ever."""
    names = [*run.parameters, *run.buffers, *run.batch]
    constant = (set(run.parameters) - set(run.trained)) | (set(run.buffers) - set(run.changed))
    changing: set[torch.fx.Node] = set()
    for node in graph.nodes:
        if node.op == "placeholder":
            changing |= {node} if names.pop(0) not in constant else set()
        elif not reads_shape_only(node.target) and not changing.isdisjoint(node.all_input_nodes):
            changing.add(node)
    seen, waiting = set(), list(again)
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.name in run.of_first:
            if node in changing:
                return True
        else:
            waiting += node.all_input_nodes
    return False


def reads_shape_only(target: object) -> bool:
    """Whether an operation reads nothing of a tensor but its shape and type."""
    schema = getattr(target, "_schema", None)
    name = schema.name.rpartition("::")[2] if schema is not None else ""
    return name.endswith("_like") or name.startswith("new_")
