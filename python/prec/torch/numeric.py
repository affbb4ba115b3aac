"""The numeric guard: one step of the framework, untouched, beside the same step by the interpreter of the graph, both in float64.

Compared are the loss, every gradient, every buffer and every parameter after the step, and the loss of a second step. The optimizer's
arithmetic is compared on the framework's gradients, and the second loss on its parameters: an update that divides by a gradient's
size would turn the rounding of a gradient that is zero in truth into a difference.
"""
from __future__ import annotations

import contextlib
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from ..errors import ImportFailure
from ..interpreter import Program, Torch
from ..ir import OPTIMIZER, Graph
from . import dropout
from .double import in_double
from .functional import body_of
from .trace import annotated, scalar_loss

_TOLERANCE = 1e-6  # Of a norm.
# A gradient below this part of all gradients' mean size is compared with that: it is zero but for rounding.
_FLOOR = 1e-2


@dataclass
class _Framework:
    """What a step of the framework gave; tensors by name."""

    loss: float
    second_loss: float
    gradients: dict[str, torch.Tensor]
    before: dict[str, torch.Tensor]
    after: dict[str, torch.Tensor]
    buffers_before: dict[str, torch.Tensor]
    buffers: dict[str, torch.Tensor]


class _Erased(TorchDispatchMode):
    """Floats stay float64, whatever type an operation asks for: formats are no part of an imported graph, and a model that casts to
    narrower ones would differ from it by their rounding."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        narrow = lambda x: torch.float64 if x.is_floating_point else x
        args, kwargs = tree_map_only(torch.dtype, narrow, (args, kwargs or {}))
        return func(*args, **kwargs)


class _Drawn(TorchFunctionMode):
    """Dropout with the bits that a step module draws in this step, and the defaults of f32 where a function has some by type."""

    def __init__(self, step: float):
        super().__init__()
        drops = dropout.Dropout(dropout.Streams(), dropout.drawn(dropout.seed_of(step)))
        self._keep = {**drops.table, F.rms_norm: _rms_norm, F.scaled_dot_product_attention: _attention(drops.elements)}
        self._bodies = {F.multi_head_attention_forward: body_of(F.multi_head_attention_forward)}

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function in self._bodies:
            # It calls attention and dropout, which a mode that has the call as a whole would not see.
            with self:
                return self._bodies[function](*args, **(kwargs or {}))
        kept = self._keep.get(function)
        result = kept(*args, **(kwargs or {})) if kept is not None else None
        return function(*args, **(kwargs or {})) if result is None else result


def _attention(drop):
    """Attention with dropout by PyTorch's definition, whose own kernels draw bits of their own."""
    def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
        if not dropout_p:
            return None
        if enable_gqa:
            key, value = (x.repeat_interleave(query.shape[-3] // x.shape[-3], -3) for x in (key, value))
        scores = query @ key.mT * (query.shape[-1] ** -0.5 if scale is None else scale)
        if is_causal:
            scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -torch.inf)
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, -torch.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
        return drop(scores.softmax(-1).nan_to_num(0.0), dropout_p) @ value
    return attention


def _rms_norm(input, normalized_shape, weight=None, eps=None):
    return None if eps is not None else F.rms_norm(input, normalized_shape, weight, torch.finfo(torch.float32).eps)


@contextlib.contextmanager
def _limits_of(dtype):
    """What models ask of their type, such as the lowest number for a mask, is that of the type which they are in without us."""
    own, default = torch.finfo, torch.get_default_dtype()
    # New tensors are of the type that the model is in.
    torch.set_default_dtype(torch.float64)
    torch.finfo = lambda asked=None: own(dtype if asked in (None, torch.float64) else asked)
    try:
        yield
    finally:
        torch.finfo = own
        torch.set_default_dtype(default)


def check(step, graph: Graph, is_empty) -> None:
    """Raises ImportFailure with the first module that differs."""
    batch = inputs(step, graph)
    framework = _run_framework(step, batch, is_empty)
    _Comparison(step, graph, batch, framework).run()


def inputs(step, graph: Graph) -> dict[str, torch.Tensor]:
    """Values of the batch: the user's where they tell something; otherwise ids of the tables that they index, labels with some that do
    not count, and normal numbers."""
    generator = torch.Generator().manual_seed(0)
    arguments = {a.path: a for a in graph.arguments if a.role == "batch"}
    made = {}
    for name, t in step.batch.tensors.items():
        attrs = arguments[name].attrs
        given = None if t.is_meta or isinstance(t, torch._subclasses.FakeTensor) else t.detach().cpu()
        if "vocabulary" in attrs:
            values = torch.randint(0, attrs["vocabulary"], t.shape, generator=generator)
            if "ignore_index" in attrs and t.numel() > 2:
                # Some, and never all.
                ignored = torch.rand(t.shape, generator=generator) < 0.1
                ignored.view(-1)[::2] = False
                values = torch.where(ignored, attrs["ignore_index"], values)
            made[name] = values.to(t.dtype)
        elif given is not None and (not given.is_floating_point() or given.numel() == 1 or bool((given != given.reshape(-1)[0]).any())):
            made[name] = given.clone()
        elif t.is_floating_point():
            made[name] = torch.randn(t.shape, generator=generator, dtype=torch.float64)
        else:
            made[name] = torch.randint(0, 2, t.shape, generator=generator).to(t.dtype)
        if made[name].is_floating_point():
            made[name] = made[name].double()
    return made


def _run_framework(step, batch: dict, is_empty) -> _Framework:
    model, optimizer = step.model, step.optimizer
    dtype = next(p.dtype for p in model.parameters() if p.is_floating_point())
    with in_double(model, optimizer, is_empty) as named, annotated(model), _limits_of(dtype), torch.compiler.set_stance("force_eager"):
        canonical = {name: p for name, p in named.items() if name not in step.twins}
        copies = lambda tensors: {name: t.detach().clone() for name, t in tensors.items()}

        def forward(number):
            with _Erased(), _Drawn(number):
                return scalar_loss(step.batch.call(model, {name: t.clone() for name, t in batch.items()}), step.loss)

        before, buffers_before = copies(canonical), copies(dict(model.named_buffers()))
        with _Erased(), _Drawn(step.plan.step):
            loss = scalar_loss(step.batch.call(model, {name: t.clone() for name, t in batch.items()}), step.loss)
            loss.backward()
        gradients = {name: p.grad.detach().clone() for name, p in canonical.items() if p.grad is not None}
        for twin, name in step.twins.items():
            if named[twin].grad is not None:
                gradients[name] += named[twin].grad
        if step.max_norm is not None:
            torch.nn.utils.clip_grad_norm_([p for p in named.values() if p.grad is not None], step.max_norm)
        optimizer.step()
        buffers = copies(dict(model.named_buffers()))
        after = copies(canonical)
        with torch.no_grad():
            second = forward(step.plan.step + 1)
    return _Framework(loss.item(), second.item(), gradients, before, after, buffers_before, buffers)


class _Comparison:
    def __init__(self, step, graph: Graph, batch: dict, framework: _Framework):
        self.step, self.graph, self.batch, self.framework = step, graph, batch, framework
        self.program, self.backend = Program.of_graph(graph), Torch(torch.float64)
        self.raw = graph.gradients or self.program.gradients()
        self.loss = next(r.value for r in graph.results if r.role == "loss")
        # A second name of a buffer, or of what the model does not have (a captured tensor), has a default.
        paths = {a.path for a in graph.arguments}
        self.scalars = {name: value for name, value in optimizer_scalars(step).items() if name in paths}

    def run(self) -> None:
        self._compare_gradients()
        self._compare_updates()
        self._compare_second_loss()

    def _inputs(self, parameters, buffers, number: float) -> dict:
        given = {**parameters, **buffers, **self.batch, **self.scalars, **self.step.plan_states(), "step": number, "micro_batch": 0.0}
        arguments = {a.path: a for a in self.graph.arguments}
        # A derived buffer may have become the part of it that is read.
        return {name: value for name, value in given.items() if name in arguments
                and (not isinstance(value, torch.Tensor) or tuple(value.shape) == arguments[name].value.shape)}

    def _compare_gradients(self) -> None:
        f, new = self.framework, {r.path: r.value for r in self.graph.results if r.donor is not None and r.donor.role == "buffer"}
        values = self.program.run(self._inputs(f.before, f.buffers_before, self.step.plan.step), backend=self.backend,
                                  wanted=[self.loss, *self.raw.values(), *new.values()])
        self._compare_loss("loss", f.loss, values[self.loss].item())
        total = sum(g.square().sum() for g in f.gradients.values()).item()
        mean = (total / max(1, sum(g.numel() for g in f.gradients.values()))) ** 0.5
        worst = []
        for name in self.raw.keys() | f.gradients.keys():
            if name not in self.raw or name not in f.gradients:
                self._fail(f"the gradient of {name} is there in one of them alone")
            right, got = f.gradients[name], values[self.raw[name]]
            size = max(right.norm().item(), _FLOOR * mean * right.numel() ** 0.5)
            error = (got - right).norm().item() / size if size else got.norm().item()
            if not error <= _TOLERANCE:
                worst.append((error, name))
        if worst:
            error, name = max(worst)
            self._fail(f"the gradient of {name} differs by {error:.1e} of its norm ({len(worst)} of {len(self.raw)} gradients differ)", name)
        for name, value in new.items():
            self._compare_tensor(f"the buffer {name} after a step", f.buffers[name], values[value])
        for name, value in f.buffers.items():
            if name not in new and not _same(value, f.buffers_before[name]):
                self._fail(f"the buffer {name} changes in a step of PyTorch and not in the graph's")

    def _compare_loss(self, what: str, right: float, got: float) -> None:
        if not abs(right - got) <= _TOLERANCE * max(abs(right), 1e-3):
            self._fail(f"the {what} is {right:.9g} there and {got:.9g} here")

    def _compare_tensor(self, what: str, right, got) -> None:
        right, got = right.double(), got.double()
        if not (got - right).norm().item() <= _TOLERANCE * max(right.norm().item(), 1e-12):
            self._fail(f"{what} differs by {(got - right).norm().item():.1e} where its norm is {right.norm().item():.1e}")

    def _compare_updates(self) -> None:
        f = self.framework
        given = {value: f.gradients[name] for name, value in self.raw.items()}
        inputs = self._inputs(f.before, f.buffers_before, self.step.plan.step)
        # What all updates read, such as the norm of all gradients, is computed once.
        shared = [v for op in self.graph.ops if op.phase == OPTIMIZER for v in op.results if not v.rank]
        shared = self.program.run(inputs, wanted=shared, given=given, backend=self.backend) if shared else {}
        for r in self.graph.results:
            if r.donor is None or r.donor.role != "parameter":
                continue
            own = {self.raw[r.path]: given[self.raw[r.path]]} | shared
            got = self.program.run(inputs, wanted=[r.value], given=own, backend=self.backend)[r.value]
            before, after = f.before[r.path], f.after[r.path]
            moved, error = (after - before).norm().item(), (got - after).norm().item()
            if not error <= _TOLERANCE * moved + 1e-12 * after.norm().item():
                self._fail(f"the update of {r.path} by {type(self.step.optimizer).__name__} differs by {error / max(moved, 1e-300):.1e} of its norm", r.path)
        updated = {r.path for r in self.graph.results if r.donor is not None}
        for name, value in f.after.items():
            if name not in updated and not _same(value, f.before[name]):
                self._fail(f"the parameter {name} changes in a step of PyTorch and not in the graph's")

    def _compare_second_loss(self) -> None:
        f = self.framework
        value = self.program.run(self._inputs(f.after, f.buffers, self.step.plan.step + 1), wanted=[self.loss], backend=self.backend)
        self._compare_loss("second step's loss", f.second_loss, value[self.loss].item())

    def _fail(self, what: str, parameter: str | None = None) -> None:
        place = self._first_difference() or (parameter.rpartition(".")[0] if parameter else "") or type(self.step.model).__name__
        raise ImportFailure(f"the graph must compute what PyTorch computes but differs first in {place}: {what} (verify=False imports it all the same)")

    def _first_difference(self) -> str | None:
        """The first module to end whose output no value of the graph's at its place equals."""
        f, model = self.framework, self.step.model
        places: dict[str, list] = {}
        for op in self.graph.ops:
            if op.phase == "forward" and op.path:
                places.setdefault(op.path, []).extend(v for v in op.results if v.dtype == "f32")
        outputs = _module_outputs(self.step, self.batch)
        wanted = {v for values in places.values() for v in values}
        values = self.program.run(self._inputs(f.before, f.buffers_before, self.step.plan.step), wanted=list(wanted), backend=self.backend)
        for path, tensors in outputs:
            mine = [values[v].reshape(-1) for place, held in places.items() if place == path or place.startswith(path + ".") for v in held]
            for t in tensors:
                flat = t.reshape(-1).double()
                near = lambda x: x.numel() == flat.numel() and (x - flat).norm() <= 10 * _TOLERANCE * flat.norm()
                sizes = [x for x in mine if x.numel() == flat.numel()]
                if sizes and not any(near(x) for x in sizes):
                    return path
        return None


def _module_outputs(step, batch) -> list:
    """(path, tensors) of every module's output, in the order in which modules end."""
    from .importer import is_empty

    found, handles = [], []

    def note(path):
        def hook(module, arguments, output):
            found.append((path, [t.detach().clone() for t in tree_leaves(output) if isinstance(t, torch.Tensor) and t.is_floating_point()][:1]))
        return hook

    with in_double(step.model, step.optimizer, is_empty), annotated(step.model), torch.no_grad(), contextlib.ExitStack() as stack:
        for path, module in step.model.named_modules():
            if path:
                handles.append(module.register_forward_hook(note(path)))
                stack.callback(handles[-1].remove)
        with _Erased(), _Drawn(step.plan.step):
            step.batch.call(step.model, {name: t.clone() for name, t in batch.items()})
    return found


def _same(a, b) -> bool:
    return a.shape == b.shape and bool(((a == b) | (a != a) & (b != b)).all())


def optimizer_scalars(step) -> dict[str, float]:
    """The hyperparameters of the next step of the optimizer: the current rates where a scheduler has set some."""
    from .optimizer import hyper_name

    return {hyper_name(step.plan, "lr", group): rate for group, rate in step.plan.current_rates.items()}
