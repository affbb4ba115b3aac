# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The numeric guard: one step of the framework, untouched, beside the same step by the interpreter of the graph, both
in float64.

Compared are the loss, every gradient, every buffer after the step, the updates (updates.py), and the loss of a second
step with other parameters. The framework's tensors are read where they are, between its phases, since copies of all of
them take longer than the step.
"""
from __future__ import annotations

import contextlib
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from ..errors import ImportFailure
from ..ir import Graph, Value
from . import custom, experts, updates
from .decomposed.quantization import followed
from .double import Doubles, in_double
from .drawn_alike import drawn_as
from .graph_side import TOLERANCE, Difference, GraphSide, Unverified, distance
from .modules import without_reads
from .outputs import Outputs
from .trace import annotated, backward, scalar_loss, uncompiled

if TYPE_CHECKING:
    from .importer import Step

# A gradient below this part of all gradients' mean size is compared with that: it is zero but for rounding.
_FLOOR = 1e-2
# Where all gradients are below this part of loss by parameters, they are rounding alone.
_VANISHED = 1e-9
# By this part of itself a weight is another one in float64, and the same to a model that float32 can train.
_NUDGE = 1e-14


# Their scales must be float32, whatever they scale.
_WITH_NARROW_SCALES = {torch.ops.aten.fake_quantize_per_channel_affine_cachemask.default,
                       torch.ops.aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default}


class _Erased(TorchDispatchMode):
    """Floats are float64, whatever type an operation asks for: formats are no part of an imported graph, and a model
    that casts to narrower ones would differ from it by their rounding. That holds for tensors as well that the model
    and its loss read from elsewhere, unless the operation writes them."""

    def __torch_dispatch__(self, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        def narrow(x: torch.dtype) -> torch.dtype:
            return torch.float64 if x.is_floating_point else torch.complex128 if x.is_complex else x
        args, kwargs = tree_map_only(torch.dtype, narrow, (args, kwargs or {}))
        if custom.is_custom(func) and custom.problem_of(func) is None:
            return _in_double(func, args, kwargs)
        if not func._schema.is_mutable:
            args, kwargs = tree_map_only(torch.Tensor, _widened, (args, kwargs))
        if func in _WITH_NARROW_SCALES:
            args = (args[0], args[1].float(), *args[2:])
        if func is torch.ops.aten._fused_moving_avg_obs_fq_helper.default:
            # PyTorch's own takes no float64.
            result, inside, *state = followed(*args, **kwargs)
            for t, new in zip(args[3:7], state):
                t.copy_(new)
            return result, inside
        if func is torch.ops.aten.topk.default:
            return _first_of_equal(*args, **kwargs)
        return func(*args, **kwargs)


def _first_of_equal(
    x: torch.Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True  # noqa: A002
) -> tuple[torch.Tensor, torch.Tensor]:
    """`topk` leaves open which of equal elements it takes, as where a router begins with zeros; graphs take the
    first."""
    values, places = torch.sort(x, dim=dim, descending=largest, stable=True)
    return (values.narrow(dim, 0, k), places.narrow(dim, 0, k)) if x.dim() else (values, places)


def _in_double(op: torch._ops.OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An operation of the user's own as the graph's side computes it."""
    given = custom.Call(args, kwargs, lambda x: x.dtype if isinstance(x, torch.Tensor) else None)
    found = custom.in_double(op, given.settings, [_widened(t) for t in given.tensors])
    returns = op._schema.returns
    if len(returns) == 1:
        return found if str(returns[0].type) == "List[Tensor]" else found[0]
    return tuple(found)


def _widened(x: torch.Tensor) -> torch.Tensor:
    return x.double() if x.is_floating_point() and x.dtype != torch.float64 else x


def _grouped_mm(
    mat_a: torch.Tensor, mat_b: torch.Tensor, offs: torch.Tensor | None = None, bias: torch.Tensor | None = None, out_dtype: object = None
) -> torch.Tensor | None:
    """By PyTorch's product of each group: its own takes no float64."""
    if bias is not None:
        return None
    if offs is None:
        return mat_a @ mat_b
    ends = offs.tolist()
    spans = list(zip([0, *ends], ends, strict=False))
    if mat_b.dim() == 3:
        rest = mat_a.new_zeros(mat_a.shape[0] - ends[-1], mat_b.shape[2])
        return torch.cat([*(mat_a[first:last] @ matrix for (first, last), matrix in zip(spans, mat_b, strict=True)), rest])
    if mat_a.dim() == 3:
        rest = mat_b.new_zeros(mat_a.shape[1], mat_b.shape[1] - ends[-1])
        return torch.cat([*(matrix @ mat_b[:, first:last] for (first, last), matrix in zip(spans, mat_a, strict=True)), rest], 1)
    return torch.stack([mat_a[:, first:last] @ mat_b[first:last] for first, last in spans])


def _rms_norm(input: torch.Tensor, normalized_shape: list[int], weight: torch.Tensor | None = None, eps: float | None = None) -> torch.Tensor | None:
    return None if eps is not None else F.rms_norm(input, normalized_shape, weight, torch.finfo(torch.float32).eps)


@contextlib.contextmanager
def _limits_of(dtype: torch.dtype) -> Iterator[None]:
    """What models ask of their type, such as the lowest number for a mask, is that of the type which they are in
    without us."""
    own, default = torch.finfo, torch.get_default_dtype()
    # New tensors are of the type that the model is in.
    torch.set_default_dtype(torch.float64)
    torch.finfo = lambda asked=None: own(dtype if asked in (None, torch.float64) else asked)  # type: ignore[misc, assignment]
    try:
        yield
    finally:
        torch.finfo = own  # type: ignore[misc]
        torch.set_default_dtype(default)


def check(step: Step, graph: Graph, is_empty: Callable[[torch.Tensor], bool]) -> None:
    """Raises ImportFailure with the first module that differs, or Unverified where PyTorch's own step is not determined
    to the tolerance."""
    comparison = _Comparison(step, GraphSide(step, graph, inputs(step, graph)), is_empty)
    try:
        comparison.run()
    except Difference as difference:
        parameter = difference.parameter
        if (spread := comparison.spread(parameter)) > TOLERANCE:
            raise Unverified(
                f"PyTorch's own step must be determined but its {'gradients change' if parameter else 'loss changes'} by {spread:.1e} "
                f"where weights change by {_NUDGE:.0e} of themselves, and nothing follows from this: {difference} (batch norms of few rows amplify "
                "so: give a larger batch)"
            ) from None
        place = comparison.first_module() or (parameter.rpartition(".")[0] if parameter else "") or type(step.model).__name__
        raise ImportFailure(f"the graph must compute what PyTorch computes but differs first in {place}: {difference} "
                            "(verify=False imports it all the same)") from None


def inputs(step: Step, graph: Graph) -> dict[str, torch.Tensor]:
    """Values of the batch: the user's where they tell something; otherwise ids of the tables that they index, labels
    with some that do
    not count, and normal numbers."""
    generator = torch.Generator().manual_seed(0)
    arguments = {a.path: a for a in graph.arguments if a.role == "batch"}
    made = {}
    for name, t in step.batch.tensors.items():
        attrs = arguments[name].attrs
        given = None if t.is_meta or isinstance(t, torch._subclasses.FakeTensor) else t.detach().cpu()
        if given is not None and step.by_example and not given.is_floating_point():
            # Another one need not agree with it.
            made[name] = given.clone()
        elif given is not None and "vocabulary" in attrs and _tells(given, attrs):
            made[name] = given.clone()
        elif "vocabulary" in attrs:
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


def _tells(ids: torch.Tensor, attrs: dict[str, Any]) -> bool:
    """Whether ids are of rows that the table has, and of several: then a model may want some at their places, such as
    those that stand for images."""
    counted = ids[ids != attrs["ignore_index"]] if "ignore_index" in attrs else ids
    return counted.unique().numel() > 3 and int(counted.min()) >= 0 and int(counted.max()) < attrs["vocabulary"]


class _Comparison:
    def __init__(self, step: Step, graph: GraphSide, is_empty: Callable[[torch.Tensor], bool]) -> None:
        self.step, self.graph, self.is_empty = step, graph, is_empty
        self.outputs = Outputs(step.choices.outputs, step.choices.measure)
        self.given: list[torch.Tensor] = []
        self.dtype = next(p.dtype for p in step.model.parameters() if p.is_floating_point())
        self.initial = {a.path: a.attrs["initial"] for a in graph.graph.arguments if "initial" in a.attrs}

    @contextlib.contextmanager
    def _untouched(self) -> Iterator[Doubles]:
        """The framework's own step, in float64."""
        with in_double(self.step.model, self.step.optimizer, self.is_empty, self.initial) as doubles, \
                without_reads(self.step.model, clusters_alone=True), annotated(self.step.model, self.outputs.see), \
                uncompiled(), _limits_of(self.dtype), sdpa_kernel(SDPBackend.MATH):
            # By products and a softmax: PyTorch's fused attention for the CPU has another gradient than these where a
            # query sees no key but by numbers that leave nothing of its scores.
            yield doubles

    @contextlib.contextmanager
    def _forward(self, number: float) -> Iterator[Any]:
        """What stands for the framework's draws and casts in step `number`; yields the model's output."""
        # The defaults of f32 where a function has some by type.
        others: dict[Any, Callable[..., Any]] = {F.rms_norm: _rms_norm, **dict.fromkeys(experts.FUNCTIONS, _grouped_mm)}
        with _Erased(), drawn_as(number, others):
            yield self.step.batch.call(self.step.model, {name: t.clone() for name, t in self.graph.batch.items()})

    def run(self) -> None:
        step = self.step
        with self._untouched() as doubles:
            before = self._buffers()
            loss = self._forward_and_backward()
            if self._vanishes(doubles, loss):
                # A loss at its least, such as the distance to a copy of the model: elsewhere gradients tell something.
                doubles.move()
                self._put_back(before)
                loss = self._forward_and_backward()
            self._compare_backward(doubles, before, loss)
            updates.compare(self.graph, doubles, before)
            after = self._buffers()
            # With gradients, as in the first: forward may ask whether there are any, or hook into them.
            with self._forward(step.plan.step + 1) as output:
                loss = scalar_loss(output, step.choices.loss, step.batch, self.graph.batch).item()
            self._compare_loss("second step's loss", loss, self._values(doubles, after, step.plan.step + 1, [self.graph.loss]))

    def spread(self, parameter: str | None) -> float:
        """How far PyTorch's own loss, or its gradient of a parameter, comes from itself, as a part of it, where weights
        are others in their last bits."""
        found = []
        for nudge in (0.0, _NUDGE):
            generator = torch.Generator().manual_seed(0)
            with self._untouched() as doubles:
                for p in {p.data_ptr(): p for p in doubles.named.values() if p.is_floating_point()}.values():
                    p.data.mul_(1 + nudge * torch.randn(p.shape, generator=generator, dtype=p.dtype))
                loss = torch.tensor(self._forward_and_backward(), dtype=torch.float64)
                gradient = None if parameter is None else self._gradients(doubles).get(parameter)
                found.append(loss if gradient is None else gradient.detach().clone())
        error, size = distance(found[1], found[0])
        return error / max(size, 1e-12)

    def _forward_and_backward(self) -> float:
        self.outputs.clear()
        with self._forward(self.step.plan.step) as output:
            loss = scalar_loss(output, self.step.choices.loss, self.step.batch, self.graph.batch)
            self.given = self.outputs.read(output, self.graph.batch)
            backward(loss)
        return loss.item()

    @staticmethod
    def _vanishes(doubles: Doubles, loss: float) -> bool:
        held = [(p.detach().norm().item(), p.grad.norm().item()) for p in doubles.named.values() if p.grad is not None]
        return sum(size * gradient for size, gradient in held) < _VANISHED * max(abs(loss), 1.0)

    def _put_back(self, before: dict[str, torch.Tensor]) -> None:
        """Buffers as they were before a forward."""
        buffers = self.step.buffers()
        with torch.no_grad():
            for name, value in before.items():
                buffers[name].copy_(value)

    def _buffers(self) -> dict[str, torch.Tensor]:
        """Copies of those that have values: what no forward reads may have none."""
        return {name: t.detach().clone() for name, t in self.step.buffers().items() if not self.is_empty(t)}

    def _values(
        self,
        doubles: Doubles,
        buffers: dict[str, torch.Tensor],
        number: float,
        wanted: Iterable[Value],
        each: Callable[[Value, torch.Tensor], None] | None = None,
    ) -> dict[Value, torch.Tensor]:
        parameters = {name: p for name, p in doubles.named.items() if name not in self.step.twins and name not in self.step.moved}
        return self.graph.run(parameters, buffers, number, wanted, each=each)

    def _compare_backward(self, doubles: Doubles, before: dict[str, torch.Tensor], loss: float) -> None:
        graph, new, buffers = self.graph, self.graph.updated("buffer"), self.step.buffers()
        values, gradients, kept = {}, _Gradients(self._gradients(doubles), graph.raw), {graph.loss, *new.values(), *graph.outputs.values()}

        def each(value: Value, got: torch.Tensor) -> None:
            gradients.compare(value, got)
            if value in kept:
                values[value] = got

        self._values(doubles, before, self.step.plan.step, [*kept, *graph.raw.values()], each)
        self._compare_loss("loss", loss, values)
        gradients.report()
        for (name, value), right in zip(graph.outputs.items(), self.given):
            error, size = distance(values[value].double(), right.double())
            if not error <= TOLERANCE * max(size, 1e-12):
                raise Difference(f"the output {name} differs by {error:.1e} where its norm is {size:.1e}")
        for name, value in new.items():
            error, size = distance(values[value].double(), buffers[name].double())
            if not error <= TOLERANCE * max(size, 1e-12):
                raise Difference(f"the buffer {name} after a step differs by {error:.1e} where its norm is {size:.1e}")
        for name, old in before.items():
            if name not in new and not _same(old, buffers[name]):
                raise Difference(f"the buffer {name} changes in a step of PyTorch and not in the graph's")

    def _gradients(self, doubles: Doubles) -> dict[str, torch.Tensor]:
        """The framework's; what has two names gets the sum."""
        found = {name: g for name in doubles.named if (g := doubles.gradient(name)) is not None}
        gradients = {name: g for name, g in found.items() if name not in self.step.twins}
        for twin, name in self.step.twins.items():
            if twin in found:
                gradients[name] = gradients[name] + found[twin]
        return gradients

    def _compare_loss(self, what: str, right: float, values: dict[Value, torch.Tensor]) -> None:
        got = values[self.graph.loss].item()
        if not math.isfinite(right) and (right == got or math.isnan(right) and math.isnan(got)):
            raise Unverified(f"PyTorch's own {what} is {right} for the values that are compared, and nothing follows from it")
        if not abs(right - got) <= TOLERANCE * max(abs(right), 1e-3):
            raise Difference(f"the {what} is {right:.9g} there and {got:.9g} here")

    def first_module(self) -> str | None:
        """The first module to end whose output no value of the graph's at its place equals."""
        places: dict[str, list[Value]] = {}
        for op in self.graph.graph.ops:
            if op.phase == "forward" and op.path:
                places.setdefault(op.path, []).extend(v for v in op.results if v.dtype == "f32")
        wanted = {v for values in places.values() for v in values}
        with self._untouched() as doubles:
            values = self._values(doubles, self._buffers(), self.step.plan.step, wanted)
            outputs = self._module_outputs()
        for path, tensors in outputs:
            mine = [values[v].reshape(-1) for place, held in places.items() if place == path or place.startswith(path + ".") for v in held]
            for t in tensors:
                flat = t.reshape(-1).double()
                sizes = [x for x in mine if x.numel() == flat.numel()]
                if not sizes or any((x - flat).norm() <= 10 * TOLERANCE * flat.norm() for x in sizes):
                    continue
                # The graph may have the same numbers in another order, such as channels last.
                flat = flat.sort().values
                if not any((x.sort().values - flat).norm() <= 10 * TOLERANCE * flat.norm() for x in sizes):
                    return path
        return None

    def _module_outputs(self) -> list[tuple[str, list[torch.Tensor]]]:
        """(path, tensors) of every module's output, in the order in which modules end."""
        found = []

        def note(path: str) -> Callable[..., None]:
            def hook(module: torch.nn.Module, arguments: tuple[Any, ...], output: Any) -> None:
                found.append((path, [t.detach().clone() for t in tree_leaves(output) if isinstance(t, torch.Tensor) and t.is_floating_point()][:1]))
            return hook

        with contextlib.ExitStack() as stack:
            for path, module in self.step.model.named_modules():
                if path:
                    stack.callback(module.register_forward_hook(note(path)).remove)
            with self._forward(self.step.plan.step):
                pass
        return found


class _Gradients:
    """The framework's gradients beside the graph's, which come one after the other: to hold all of both takes memory,
    and to get fresh memory longer than the sums. `right`: by name. `raw`: the graph's value of each."""

    def __init__(self, right: dict[str, torch.Tensor], raw: dict[str, Value]) -> None:
        self._right, self._raw = right, raw
        self._names: dict[Value, list[str]] = defaultdict(list)
        self._worst: list[tuple[float, str]] = []
        for name, value in raw.items():
            self._names[value].append(name)
        self._norms = {name: g.norm().item() for name, g in right.items()}
        count = sum(g.numel() for g in right.values())
        self._mean = (sum(norm ** 2 for norm in self._norms.values() if math.isfinite(norm)) / max(1, count)) ** 0.5
        self._scratch = torch.empty(max((g.numel() for g in right.values()), default=0), dtype=torch.float64)

    def compare(self, value: Value, got: torch.Tensor) -> None:
        for name in self._names.get(value, ()):
            if name not in self._right:
                continue
            right, size = self._right[name], self._norms[name]
            difference = torch.sub(got, right, out=self._scratch[:right.numel()].view(right.shape)).norm().item()
            if not math.isfinite(difference):
                difference, size = distance(got, right)
            size = max(size, _FLOOR * self._mean * right.numel() ** 0.5)
            error = difference / size if size else difference
            if not error <= TOLERANCE:
                self._worst.append((error, name))

    def report(self) -> None:
        for name in self._raw.keys() ^ self._right.keys():
            raise Difference(f"the gradient of {name} is there in one of them alone", name)
        if self._worst:
            error, name = max(self._worst)
            raise Difference(f"the gradient of {name} differs by {error:.1e} of its norm ({len(self._worst)} of {len(self._raw)} gradients "
                             "differ)", name)


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.shape == b.shape and bool(((a == b) | (a != a) & (b != b)).all())
