# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that follow from nothing but constants, computed beside a trace: a model may read them (`if mask.all():`), and
goes the way
that it goes outside of a trace.

Every tensor that an operation makes from constants alone has a shadow, a real tensor on the CPU. Views are views of
shadows and operations in place run on them, so shadows alias as their tensors do. What a computed value is written into
is no constant any more, by its storage. A read of anything else has no answer in a trace and is refused with the line
that reads.

What follows from the batch alone, such as a mask of its padding, can have an example beside it: the value that it has
for the batch that was given. A shape that depends on such a value is then that of the example, and a read
in a library's model gives the example's. Each of them adds a condition, that another batch agrees in this; the step's
loss is NaN where one does not hold.
"""
from __future__ import annotations

import contextlib
import functools
import linecache
import math
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

import numpy as np
import torch
from torch._ops import HigherOrderOperator
from torch._subclasses.fake_tensor import DynamicOutputShapeException
from torch._subclasses.functional_tensor import FunctionalTensor
from torch.fx.traceback import annotate
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes, _get_current_dispatch_mode_stack
from torch.utils._pytree import tree_leaves, tree_map_only

from ..errors import ImportFailure
from . import checks
from .advice import instead_of
from .decompose import OWN
from .flags import Flags, Storages

_LARGEST = 1 << 20  # Elements of a shadow.
_READS = {torch.ops.aten._local_scalar_dense.default, torch.ops.aten.equal.default, torch.ops.aten.is_nonzero.default}
_INDEXED = {torch.ops.aten.index.Tensor, torch.ops.aten.index_put.default, torch.ops.aten.index_put_.default,
            torch.ops.aten._unsafe_index.Tensor, torch.ops.aten._unsafe_index_put.default, torch.ops.aten._index_put_impl_.default}
# Of these the whole result is the example's, and the condition is that they read what the example does.
_PINNED = {torch.ops.aten.unique_consecutive.default, torch.ops.aten._unique2.default, torch.ops.aten.unique_dim.default,
           torch.ops.aten.repeat_interleave.Tensor}
# These read nothing of a tensor but its shape and type.
_OF_SHAPES = {torch.ops.aten.zeros_like.default, torch.ops.aten.ones_like.default, torch.ops.aten.full_like.default,
              torch.ops.aten.new_zeros.default, torch.ops.aten.new_ones.default, torch.ops.aten.new_full.default}
_MOST_PINNED = 256  # Elements that such an operation may read.
_LARGEST_EXAMPLE = 1 << 24
# Of one result PyTorch says that its shape depends on values, and what is written here in their place has a shape.
_OF_SHAPES_HERE = {torch.ops.aten._ctc_loss.Tensor, torch.ops.aten._ctc_loss.default}
_HERE = __file__.rpartition("/")[0]
_OUTERMOST = {f"{_HERE}/batch.py", f"{_HERE}/gradients.py"}


class ReadsValue(ImportFailure):
    """Forward reads a value that no trace knows, or makes a shape that depends on one."""


@dataclass(frozen=True)
class Condition:
    """That a batch agrees with the example. `holds`: a traced tensor of one bool. `sources`: what it was computed
    of."""

    holds: torch.Tensor
    sources: list[torch.Tensor]
    words: str


class Constants(TorchDispatchMode):
    # They come here, to be refused with the user's line.
    supports_higher_order_operators = True

    def __init__(self, functionalized: bool = False) -> None:
        super().__init__()
        self._written = Storages()
        self._functionalized = functionalized
        # By identity: the tensor from outside, kept alive, and its wrapper.
        self._captured: dict[int, tuple[torch.Tensor, FunctionalTensor]] = {}
        # What was written to such a tensor first: "one of shape [3] in model.py:12: x.add_(1)".
        self.overwritten: str | None = None
        # Examples that something else was written into.
        self._spoiled = Storages()
        self.conditions: list[Condition] = []
        self.flags = Flags(self)

    @staticmethod
    def give_example(tensor: torch.Tensor, given: torch.Tensor) -> None:
        """Of an input of the batch, what was given for it, where that is at hand."""
        if type(given) in (torch.Tensor, torch.nn.Parameter) and not given.is_meta and not given.is_complex() and given.numel() <= _LARGEST_EXAMPLE:
            with _disable_current_modes(), torch.no_grad():
                tensor._prec_example = given.detach().cpu().clone()  # type: ignore[attr-defined]
                tensor._prec_of_floats = given.is_floating_point()  # type: ignore[attr-defined]

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Whoever traces has switched it off.
        return False

    def __torch_dispatch__(self, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        # Modes of functions are for the calls that a model makes. In a backward they would get each attribute of a
        # tensor that is read here.
        with torch._C.DisableTorchFunction():
            return self._dispatch(func, args, kwargs or {})

    def _dispatch(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if isinstance(func, HigherOrderOperator):
            raise ImportFailure(
                f"forward must be made of operations on tensors but calls {func.name()}{_in(user_line())}, which takes functions: write "
                "a loop of Python of as many steps as there may be, and torch.where for those that count"
            )
        tensors = _tensors_of((args, kwargs))
        if self._functionalized and any(map(_is_captured, tensors)):
            args, kwargs = tree_map_only(torch.Tensor, self._wrapped, (args, kwargs))
            tensors = _tensors_of((args, kwargs))
        of_shapes = func in _OF_SHAPES
        constant = (of_shapes or all(self._shadow(t) is not None for t in tensors)) and torch.Tag.nondeterministic_seeded not in func.tags
        if func is torch.ops.aten._linalg_check_errors.default:
            # It raises for a singular matrix, of which a trace knows nothing.
            return None
        if func in _READS:
            if not constant:
                answer = _of_check(func, tensors)
                if answer is not None:
                    return answer
                answer = self._read_example(func, tensors, args, kwargs)
                answer = self.flags.read(func, tensors, args, kwargs) if answer is None else answer
                if answer is not None:
                    return answer
                raise ReadsValue(
                    f"forward must not read a computed value (.item(), bool(), float(), int(), an `if`) but does{_in(user_line())}: keep "
                    "it a tensor (torch.where in place of an `if`)"
                )
            return self._compute(func, args, kwargs)
        if func in _INDEXED and not isinstance(args[1], torch.Tensor):
            # One number goes to all places of a mask, however many these are.
            by_example = "put" not in str(func) or args[2].numel() != 1
            args = (args[0], self._by_places(args[1], by_example), *args[2:])
            tensors = _tensors_of((args, kwargs))
            if "put" in str(func) and any(index is not None and not index.numel() for index in args[1]):
                # Nothing is written.
                return args[0] if func._schema.is_mutable else args[0].clone()
        line, is_mutable = user_line(), _is_mutable(func)
        if is_mutable and any(getattr(t, "_prec_overlaps", False) for t in _written(func, args, kwargs)):
            raise ImportFailure(
                f"forward must write to no tensor whose elements share memory (one that is expanded, or a part of it) but does{_in(line)}: "
                "write to a copy (.clone())"
            )
        if is_mutable and any(getattr(t, "_prec_copy", None) == "view" for t in _written(func, args, kwargs)):
            raise ImportFailure(f"forward must not write to a view of a row that a computed number chooses (x[n], torch.narrow) but does{_in(line)}: "
                                "write to the row itself (x[n, :4] = y)")
        if is_mutable and any(_shares_in_part(t, x) for t in _written(func, args, kwargs) for x in tensors):
            raise ImportFailure(
                f"forward must write to a tensor nothing that shares a part of its memory but does{_in(line)}: write a copy (.clone())"
            )
        with annotate({"line": line}) if line else contextlib.nullcontext():
            try:
                compute = OWN[str(func)] if func in _OF_SHAPES_HERE else func
                result = compute(*args, **kwargs)
            except DynamicOutputShapeException as error:
                if constant:
                    # Its shape follows from constants, as its values do.
                    return tree_map_only(torch.Tensor, self._known, self._compute(func, args, kwargs))
                result = self._as_in_example(func, args, kwargs)
                if result is not None:
                    return result
                raise ReadsValue(f"every shape must be known before values are but that of {func}'s result depends on them{_in(line)}: "
                                    f"{instead_of(func, depends_on_values=True)}") from error
            except Exception as error:
                # So that a report can name the operation.
                error.raised_by = getattr(error, "raised_by", func)  # type: ignore[attr-defined]
                raise
        if is_mutable and self.overwritten is None:
            self.overwritten = self._overwritten(line)
        outputs = _tensors_of(result)
        if func.is_view and (any(getattr(t, "_prec_overlaps", False) for t in tensors) or any(_overlaps(t) for t in outputs)):
            for t in outputs:
                t._prec_overlaps = True  # type: ignore[attr-defined]
        if func.is_view and any(getattr(t, "_prec_copy", "written") != "written" for t in tensors):
            for t in outputs:
                t._prec_copy = "view"  # type: ignore[attr-defined]
        if constant and sum(x.numel() for x in outputs) <= _LARGEST:
            for tensor, shadow in zip(outputs, self._computed(func, args, kwargs, _blank if of_shapes else self._shadow)):
                tensor._prec_shadow = shadow  # type: ignore[attr-defined]
        elif func is torch.ops.aten._is_all_true.default:
            # Of torch._check_tensor_all alone, which raises where a rule of the batch is broken and computes nothing.
            with _disable_current_modes():
                result._prec_shadow = torch.ones((), dtype=torch.bool)
        else:
            self._follow_example(func, args, kwargs, tensors, outputs)
            self.flags.follow(func, args, kwargs, tensors, outputs, _written(func, args, kwargs) if is_mutable else ())
        return result

    # Examples

    def _example(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """The tensor's value for the batch that was given; None where it is unknown."""
        shadow = self._shadow(tensor)
        if shadow is not None:
            return shadow
        example = getattr(tensor, "_prec_example", None)
        return None if example is None or example in self._spoiled else example

    def _agreeable(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """The example of what a batch may have to agree in: in a user's code it follows from whole numbers."""
        if getattr(tensor, "_prec_of_floats", False) and not _in_library() and not hasattr(tensor, "_prec_agreed"):
            return None
        return self._example(tensor)

    def _follow_example(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], tensors: Sequence[torch.Tensor],
                        outputs: Sequence[torch.Tensor]) -> None:
        """Gives results of an operation on examples theirs. What was a constant is none behind a write."""
        # Of constants alone only those that are too large come here.
        follows = any(hasattr(t, "_prec_example") for t in tensors) and torch.Tag.nondeterministic_seeded not in func.tags \
            and all(self._example(t) is not None for t in tensors) and sum(x.numel() for x in outputs) <= _LARGEST_EXAMPLE
        for t in _written(func, args, kwargs) if _is_mutable(func) else ():
            shadow = self._shadow(t)
            if shadow is not None:
                self._written.add(shadow)
                if follows:
                    with _disable_current_modes(), torch.no_grad():
                        t._prec_example = shadow.clone()  # type: ignore[attr-defined]
            elif not follows and (example := getattr(t, "_prec_example", None)) is not None:
                self._spoiled.add(example)
        if follows:
            of_floats = any(getattr(t, "_prec_of_floats", False) for t in tensors)
            for tensor, example in zip(outputs, self._computed(func, args, kwargs, self._example)):
                tensor._prec_example = example  # type: ignore[attr-defined]
                tensor._prec_of_floats = of_floats  # type: ignore[attr-defined]

    @staticmethod
    def require(holds: torch.Tensor, sources: Sequence[torch.Tensor], words: str) -> None:
        """Of the trace that sees operations now: what a batch must agree in."""
        for mode in reversed(_get_current_dispatch_mode_stack()):
            if isinstance(mode, Constants):
                mode._require(holds, sources, words)
                return

    def _require(self, holds: torch.Tensor, sources: Sequence[torch.Tensor], words: str) -> None:
        line = user_line()
        self.conditions.append(Condition(holds, list(sources), f"{words}{_in(line)}"))

    def _read_example(self, func: Any, tensors: Sequence[torch.Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Of a read in a library's model what it reads of the example; None where there is none."""
        if func is torch.ops.aten.equal.default or not _in_library() or any(self._example(t) is None or t.is_floating_point() for t in tensors):
            return None
        value = self._compute(func, args, kwargs, self._example)
        self._require((tensors[0] == value).reshape(()), tensors, f"read {value}")
        return value

    def _as_in_example(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of an operation whose shape depends on values, of the example's shape; None where there is no
        example."""
        aten = torch.ops.aten
        if func is aten.nonzero.default and self._agreeable(args[0]) is not None:
            found = torch.stack(self._selected(args[0]), 1)
            with _disable_current_modes():
                found._prec_example = self._example(args[0]).nonzero()  # type: ignore[attr-defined, union-attr]
            return found
        if func is aten.masked_select.default and self._agreeable(args[1]) is not None:
            x, mask = torch.broadcast_tensors(*args)
            # The example of an expanded mask is that of the mask.
            with _disable_current_modes():
                mask._prec_example = self._example(args[1]).expand(mask.shape)  # type: ignore[union-attr]
            return aten.index.Tensor(x, self._selected(mask))
        tensors = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
        if func not in _PINNED or not _in_library() or sum(t.numel() for t in tensors) > _MOST_PINNED:
            return None
        examples = [self._example(t) for t in tensors]
        if any(example is None for example in examples):
            return None
        for t, example in zip(tensors, examples):
            with _disable_current_modes():
                words = f"read {example.tolist()}"  # type: ignore[union-attr]
            self._require((t == self._known(example)).all(), [t], words)  # type: ignore[arg-type]
        return tree_map_only(torch.Tensor, self._known, self._compute(func, args, kwargs, self._example))

    def _selected(self, mask: torch.Tensor) -> list[torch.Tensor]:
        """By dimension, the places of what a mask selects, as many as in the example. They are in front where the mask
        is sorted, and in order, for equal ones stay as they are."""
        example = self._example(mask)
        assert example is not None
        with _disable_current_modes():
            real = example.nonzero(as_tuple=True)
        count = real[0].numel()
        flat = (mask != 0).reshape(-1)
        if user_line() or not hasattr(mask, "_prec_agreed"):
            self._require(flat.sum() == count, [mask], f"select {count} of {mask.numel()}")
        # A backward selects by the same mask, and nobody's code calls it.
        mask._prec_agreed = True  # type: ignore[attr-defined]
        place = torch.sort(flat.to(torch.int32), stable=True, descending=True).indices[:count]
        places = []
        for size in reversed(mask.shape):
            places.append(place % size)
            place = place // size
        places.reverse()
        for place, known in zip(places, real):
            place._prec_example = known  # type: ignore[attr-defined]
        return places

    def _known(self, value: torch.Tensor) -> torch.Tensor:
        """A tensor of the trace that has this value."""
        return self._wrapped(value) if self._functionalized else value

    def _by_places(self, indices: Sequence[torch.Tensor | None], by_example: bool) -> list[torch.Tensor | None]:
        """Indices with the places of what they select in the place of masks that are constant, or have an example: how
        many there are is known then."""
        found: list[torch.Tensor | None] = []
        for index in indices:
            is_mask = isinstance(index, torch.Tensor) and index.dtype in (torch.bool, torch.uint8)
            mask = self._shadow(index) if is_mask else None  # type: ignore[arg-type]
            if mask is None:
                if is_mask and by_example and self._agreeable(index) is not None:  # type: ignore[arg-type]
                    found += self._selected(index)  # type: ignore[arg-type]
                else:
                    found.append(index)
                continue
            with _disable_current_modes(), torch.no_grad():
                places = [place.clone() for place in mask.nonzero(as_tuple=True)]
            found += map(self._known, places)
        return found

    def _shadow(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """The tensor's value; None where it is no constant."""
        shadow = getattr(tensor, "_prec_shadow", None)
        if shadow is None and _is_captured(tensor):
            with _disable_current_modes():
                shadow = tensor.detach()
        return None if shadow is None or shadow in self._written else shadow

    def _wrapped(self, tensor: torch.Tensor) -> torch.Tensor:
        if not _is_captured(tensor):
            return tensor
        if id(tensor) not in self._captured:
            with _disable_current_modes(), torch.no_grad():
                # No parameter: a trace would look for it in the model.
                plain = tensor.detach()
            wrapper = FunctionalTensor.to_functional(plain)
            with _disable_current_modes(), torch.no_grad():
                # A copy, which operations in place run on.
                wrapper._prec_shadow = tensor.clone()  # type: ignore[attr-defined]
            self._captured[id(tensor)] = tensor, wrapper
        return self._captured[id(tensor)][1]

    def _overwritten(self, line: str) -> str | None:
        return next((f"one of shape {list(tensor.shape)}{_in(line)}" for tensor, wrapper in self._captured.values()
                     if is_written(wrapper)), None)

    def _computed(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], real: Callable[[torch.Tensor], Any]) -> list[Any]:
        """Results; none where a view cannot be one: strides of a trace may be others."""
        try:
            return tree_leaves(self._compute(func, args, kwargs, real))
        except RuntimeError:
            if not func.is_view:
                raise
            return []

    def _compute(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], real: Callable[[torch.Tensor], Any] | None = None) -> Any:
        args, kwargs = tree_map_only(torch.Tensor, real or self._shadow, (args, kwargs))
        if kwargs.get("device") is not None:
            kwargs = {**kwargs, "device": torch.device("cpu")}
        with _disable_current_modes(), torch.no_grad():
            # Zeros of a derivative forward have no memory, which some operations read all the same.
            return tree_map_only(torch.Tensor, lambda t: torch.zeros(t.shape, dtype=t.dtype) if t._is_zerotensor() else t, func(*args, **kwargs))


def _tensors_of(value: Any) -> list[torch.Tensor]:
    """The tensors in what an operation takes or gives."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return []
    return [tensor for one in value for tensor in _tensors_of(one)]


@functools.cache
def _is_mutable(func: Any) -> bool:
    return bool(func._schema.is_mutable)


def _blank(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the same shape and type."""
    with _disable_current_modes():
        return torch.zeros((), dtype=tensor.dtype).expand(tensor.shape)


def _in_library() -> bool:
    """Whether a model of a library calls, and not the user's code, which can be written otherwise."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and _kind(frame.f_code.co_filename) == "library":
        frame = frame.f_back
    return frame is not None and _kind(frame.f_code.co_filename) == "model"


def _of_check(func: Any, tensors: Sequence[torch.Tensor]) -> bool | float | None:
    """Of a read on which nothing but an exception depends: what passes."""
    frame: FrameType | None = sys._getframe(2)
    # PyTorch's own modules and losses check values, too.
    while frame is not None and _kind(frame.f_code.co_filename) == "library" and not frame.f_globals.get("__name__", "").startswith("torch.nn."):
        frame = frame.f_back
    if frame is None or func is torch.ops.aten.equal.default:
        return None
    answer = checks.passing(frame, tensors[0].dtype == torch.bool)
    if answer is not None:
        warnings.warn(f"forward checks values that a step does not check: {_spell(frame.f_code.co_filename, frame.f_lineno)}", stacklevel=2)
    return answer


def known_numbers(tensor: torch.Tensor, most: int) -> np.ndarray | None:
    """The numbers of a tensor that a trace has made of constants, as a flat array of NumPy's; None of more than `most`,
    or of other kinds."""
    shadow = getattr(tensor, "_prec_shadow", None)
    if shadow is None or shadow.numel() > most or shadow.dtype == torch.bool or shadow.is_complex():
        return None
    with _disable_current_modes(), torch.no_grad():
        return (shadow.double() if shadow.is_floating_point() else shadow.clone()).flatten().numpy()


def set_shadow(tensor: torch.Tensor, numbers: list[float]) -> None:
    """Whoever reads the tensor is told `numbers`; what is computed of it stays."""
    shadow = tensor._prec_shadow  # type: ignore[attr-defined]
    with _disable_current_modes():
        tensor._prec_shadow = torch.tensor(numbers, dtype=shadow.dtype).view(shadow.shape)  # type: ignore[attr-defined]


def is_written(tensor: torch.Tensor) -> bool:
    """Of a functionalized tensor: whether an operation in place has changed it."""
    return torch._functionalize_has_data_mutation(tensor.elem)  # type: ignore[attr-defined]


def _is_captured(tensor: torch.Tensor) -> bool:
    """Of a tensor in the midst of a trace: whether it is a real one, which forward has from outside."""
    return type(tensor) in (torch.Tensor, torch.nn.Parameter) and not tensor.is_meta


def _written(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """The tensors that a call writes to."""
    arguments = func._schema.arguments
    given = [*zip(arguments, args), *((argument, kwargs[argument.name]) for argument in arguments if argument.name in kwargs)]
    values = [value for argument, value in given if argument.alias_info is not None and argument.alias_info.is_write]
    return [t for t in tree_leaves(values) if isinstance(t, torch.Tensor)]


def _overlaps(tensor: torch.Tensor) -> bool:
    """Whether two elements may have one place in memory: a dimension's steps do not go past the dimensions of smaller
    steps."""
    reach = 0
    for stride, size in sorted(zip(tensor.stride(), tensor.shape)):
        if size > 1 and stride <= reach:
            return True
        reach += (size - 1) * stride
    return False


def _shares_in_part(written: torch.Tensor, read: torch.Tensor) -> bool:
    """Whether some elements of both are one in memory, and the two are not the same: what is read then depends on the
    order of writes."""
    if written is read or not (isinstance(written, FunctionalTensor) and isinstance(read, FunctionalTensor)):
        return False
    if written.elem.untyped_storage()._cdata != read.elem.untyped_storage()._cdata:
        return False
    shift = int(read.storage_offset() - written.storage_offset())
    a, b = ([(stride, size) for stride, size in zip(t.stride(), t.shape) if size > 1] for t in (written, read))
    if a == b and not shift:
        return False
    a.sort()
    b.sort()
    # What lies in blocks of one size, one of each in a block, overlaps in the first where it does anywhere.
    def reach(dims: list[tuple[int, int]]) -> int:
        return sum((size - 1) * stride for stride, size in dims)
    while a and b and a[-1] == b[-1] and a[-1][0] > max(reach(a[:-1]), reach(b[:-1]) + shift) - min(0, shift):
        a.pop(), b.pop()
    if shift > reach(a) or -shift > reach(b):
        return False
    if max(math.prod(size for _, size in dims) for dims in (a, b)) > _LARGEST:
        # Too many to look at.
        return True
    return not _places(a).isdisjoint(_places(b, shift))


def _places(dims: list[tuple[int, int]], first: int = 0) -> set[int]:
    found = {first}
    for stride, size in dims:
        found = {place + i * stride for place in found for i in range(size)}
    return found


def _in(line: str) -> str:
    return f" in {line}" if line else ""


def at(line: str) -> str:
    return f" ({line})" if line else ""


def user_line() -> str:
    """`model.py:12: code` of the innermost frame that is no library's, else of the innermost of a library's model; ""
    where none is."""
    frame: FrameType | None = sys._getframe(1)
    inside: tuple[str, int] | None = None
    while frame is not None:
        kind = _place_of(frame.f_code.co_filename, frame.f_code.co_name)
        if kind != "library":
            # Beyond the call of the model, or of its backward, is whoever imports it.
            if kind == "end":
                break
            if kind == "user":
                return _spell(frame.f_code.co_filename, frame.f_lineno)
            inside = inside or (frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back
    return "" if inside is None else _spell(*inside)


def line_of(error: Exception) -> str:
    """The same of where an error was raised."""
    frames, trace = [], error.__traceback__
    while trace is not None:
        frames.append((trace.tb_frame.f_code, trace.tb_lineno))
        trace = trace.tb_next
    return _first_line(reversed(frames))


def _first_line(frames: Iterable[tuple[CodeType, int]]) -> str:
    """`frames`: code and line numbers, innermost first."""
    inside = ""
    for code, number in frames:
        kind = _place_of(code.co_filename, code.co_name)
        if kind == "end":
            break
        if kind == "user":
            return _spell(code.co_filename, number)
        inside = inside or (_spell(code.co_filename, number) if kind == "model" else "")
    return inside


@functools.lru_cache(maxsize=4096)
def _place_of(file: str, name: str) -> str:
    """Whose a frame of a function is: "user", "model", "library", or "end" of the call of a model or its backward."""
    return "end" if file in _OUTERMOST or name == "backward" and file == f"{_HERE}/trace.py" else _kind(file)


@functools.lru_cache(maxsize=4096)
def _kind(file: str) -> str:
    if file.startswith("<") or file.startswith(_HERE) or "/torch/" in file or "/python3" in file and "/site-packages/" not in file:
        return "library"
    return "model" if "/site-packages/" in file else "user"


@functools.lru_cache(maxsize=4096)
def _spell(file: str, number: int) -> str:
    return f"{file.rpartition('/')[2]}:{number}: {linecache.getline(file, number).strip()}"
