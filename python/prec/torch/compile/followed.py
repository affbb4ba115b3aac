# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python's own state that a compiled step may follow from: numbers and words in attributes of modules and of what they
hold, variables that forward and the loss read, tensors that are no buffers, hooks (of modules, gradients and
optimizers). A trace reads them once, so a script
that anneals `model.temperature` or sets a global `beta` between steps would train what it was.

All of them are noted when the step is compiled and compared before each step, by identity first. What has changed is
tried: the step is traced with the old value and with the new one. If the two graphs differ, an error names it. If they
are equal, it is noted no more, unless other values may yet matter: of a number the trace is repeated with one far ahead
of where it goes, words are tried value by value, and hooks by what functions they are.
"""
from __future__ import annotations

import dis
import operator
import types
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from ...errors import StepFailure
from ..optimizer import hook_registries
from ..snapshot import Snapshot, ahead_of
from .filling import Fill
from .private import GRADIENT_HOOKS, children_of, registered, version_of

_WORDS = (str, bytes, type(None))
_PLAIN = (bool, int, float, complex, *_WORDS)
_MOST = 256  # Entries of a list or dictionary; larger ones are data.
_MISSING = object()
_OF_OPTIMIZERS = "hooks of the optimizer"
# Of modules: compared elsewhere (fixed.py, weights.py).
_OTHERS = {"_parameters", "_buffers", "_modules", "training"}
# Ends of the names of dictionaries that hold hooks.
_HOOKS = ("_hooks", "_pre_hooks", _OF_OPTIMIZERS)
# Dictionaries of modules that no forward follows from.
_NOT_OF_FORWARD = ("_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks")


class _Place:
    """A key of a dictionary that holds attributes or variables."""

    def __init__(self, path: str, holder: Any, key: str = "") -> None:
        self.path, self.holder, self.key = path, holder, key
        # Of hooks: what functions there were when the step was found not to follow from them.
        self.idle: set[tuple[Any, ...]] = set()
        self.note()

    def note(self) -> None:
        self.value = self.now()
        self.versions = self._versions()

    def _versions(self) -> tuple[int, ...]:
        """Of tensors that it holds."""
        now = self.now()
        return (version_of(now),) if _is_tensor(now) else ()

    def now(self) -> Any:
        return self.holder.get(self.key, _MISSING)

    def put(self, value: Any) -> None:
        if value is _MISSING:
            self.holder.pop(self.key, None)
        else:
            self.holder[self.key] = value

    def has_changed(self) -> bool:
        now = self.now()
        if now is self.value:
            return self._versions() != self.versions
        return not _is_equal(now, self.value)


class _Attribute(_Place):
    """Of a class."""

    def now(self) -> Any:
        return vars(self.holder).get(self.key, _MISSING)

    def put(self, value: Any) -> None:
        setattr(self.holder, self.key, value)


class _Variable(_Place):
    """That a function has captured."""

    def now(self) -> Any:
        try:
            return self.holder.cell_contents
        except ValueError:
            return _MISSING

    def put(self, value: Any) -> None:
        self.holder.cell_contents = value


class _Entries(_Place):
    """All of a list or dictionary, as a tuple. apart: identities of tensors that are compared elsewhere."""

    def __init__(self, path: str, holder: Any, apart: set[int]) -> None:
        self.apart = apart
        super().__init__(path, holder)

    def has_changed(self) -> bool:
        return not _is_equal(self.now(), self.value) or self._versions() != self.versions

    def _versions(self) -> tuple[int, ...]:
        held = self.holder.values() if isinstance(self.holder, dict) else self.holder
        return tuple(version_of(one) for one in held if _is_tensor(one) and id(one) not in self.apart)

    def now(self) -> Any:
        return tuple(entry for entry in (self.holder.items() if isinstance(self.holder, dict) else self.holder) if not _is_own(entry))

    def put(self, value: Any) -> None:
        own = [entry for entry in (self.holder.items() if isinstance(self.holder, dict) else self.holder) if _is_own(entry)]
        self.holder.clear()
        (self.holder.update if isinstance(self.holder, dict) else self.holder.extend)([*own, *value])


class _Hooks(_Place):
    """Those of a parameter's gradient, as a tuple."""

    def now(self) -> Any:
        return tuple((getattr(self.holder, self.key) or {}).items())

    def put(self, value: Any) -> None:
        hooks = getattr(self.holder, self.key)
        if hooks is not None:
            hooks.clear()
            hooks.update(value)


class _Group:
    """Places of one dictionary, which are compared in one call."""

    def __init__(self, path: str, holder: dict[str, Any], places: list[_Place]) -> None:
        self.path, self.holder, self.places = path, holder, places
        self._known = set(holder)
        self.note()

    def note(self) -> None:
        self._keys, self._values = [place.key for place in self.places], [place.value for place in self.places]
        self._tensors = [place for place in self.places if _is_tensor(place.value)]

    def changed(self) -> list[_Place]:
        if all(map(operator.is_, map(self.holder.get, self._keys), self._values)):
            return [place for place in self._tensors if place.has_changed()]
        return [place for place in self.places if place.has_changed()]

    def see_new(self) -> None:
        """Attributes that were not there before."""
        if len(self.holder) == len(self._known):
            return
        for name in self.holder.keys() - self._known:
            place = _Place(_joined(self.path, name), self.holder, name)
            place.value = _MISSING
            self.places.append(place)
        self._known = set(self.holder)
        self.note()


class Followed:
    """Of a model and functions beside it (the loss, what is measured), as they are now. trace: the text of the step's
    graph, traced anew."""

    def __init__(self, model: torch.nn.Module, functions: Iterable[Any], optimizers: Iterable[torch.optim.Optimizer],
                 trace: Callable[[], str]) -> None:
        self._trace = trace
        self._held = {id(tensor) for module in model.modules() for holder in registered(module) for tensor in holder.values()}
        # What weights.py and fixed.py compare.
        self._apart = {id(holder) for module in model.modules() for holder in (*registered(module), children_of(module))}
        self._groups: list[_Group] = []
        trained = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
        self._places: list[_Place] = [_Hooks(f"hooks of {name}", p, key) for name, p in trained for key in GRADIENT_HOOKS]
        self._places += [_Entries(_OF_OPTIMIZERS, hooks, set()) for one in optimizers for hooks in hook_registries(one)]
        for thing, path in Snapshot(model, *(function for function in functions if function is not None)).reached():
            self._add(thing, path)

    def check(self) -> None:
        """StepFailure for the first change that the step follows from."""
        for group in self._groups:
            group.see_new()
            for place in group.changed():
                if not self._try(place):
                    group.places.remove(place)
                group.note()
        for place in [place for place in self._places if place.has_changed()]:
            kinds = _functions_of(place.now()) if _is_of_hooks(place) else None
            if kinds is not None and kinds in place.idle:
                place.note()
            elif not self._try(place) and kinds is None:
                self._places.remove(place)
            elif kinds is not None:
                place.idle.add(kinds)

    def _add(self, thing: Any, path: str) -> None:
        if id(thing) in self._apart:
            return
        if isinstance(thing, torch.nn.Module):
            held = [_Place(_joined(path, name), vars(thing), name) for name, value in vars(thing).items()
                    if name not in _OTHERS and id(value) not in self._held]
            self._groups.append(_Group(path, vars(thing), held))
        elif isinstance(thing, types.FunctionType):
            self._places += self._variables_of(thing)
        elif isinstance(thing, type):
            self._places += [_Attribute(f"{thing.__qualname__}.{name}", thing, name) for name, value in vars(thing).items()
                             if self._is_watched(value) and not name.startswith("__")]
        elif type(thing) in (list, dict, OrderedDict):
            if len(thing) <= _MOST and not path.endswith(_NOT_OF_FORWARD):
                self._places.append(_Entries(path, thing, self._held))
        elif isinstance(getattr(thing, "__dict__", None), dict) and not isinstance(thing, types.ModuleType):
            held = [_Place(_joined(path, name), vars(thing), name) for name, value in vars(thing).items() if self._is_watched(value)]
            self._groups.append(_Group(path, vars(thing), held))

    def _variables_of(self, function: types.FunctionType) -> Iterator[_Place]:
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            place = _Variable(name, cell)
            if self._is_watched(place.value):
                yield place
        for name in _globals(function.__code__):
            if self._is_watched(function.__globals__.get(name, _MISSING)):
                yield _Place(name, function.__globals__, name)

    def _is_watched(self, value: Any) -> bool:
        return isinstance(value, _PLAIN) or _is_tensor(value) and id(value) not in self._held

    def _try(self, place: _Place) -> bool:
        """Whether other values of it may yet matter."""
        old, new = place.value, place.now()
        if _is_equal(new, old):
            # Tensors were written in place: whether they are read shows with any other values.
            old = _altered(new)
        before, now = self._with(place, old), self._with(place, new)
        further = ahead_of(new, old) if type(new) in (int, float) and type(old) is type(new) else None
        ahead = now if further is None else self._with(place, further)
        for text in (now, ahead):
            if isinstance(text, Exception) or text != before:
                self._refuse(place, new, text)
        place.note()
        return isinstance(new, _WORDS)

    def _with(self, place: _Place, value: Any) -> str | Exception:
        """The graph's text while the place holds another value; what went wrong, where none can be traced."""
        now = place.now()
        place.put(value)
        try:
            return self._trace()
        except Exception as error:
            return error
        finally:
            place.put(now)

    def _refuse(self, place: _Place, new: Any, text: str | Exception) -> None:
        reason = f" ({str(text).splitlines()[0][:200]})" if isinstance(text, Exception) and str(text) else ""
        was, now = _spell(place.value), _spell(new)
        change = f"must be {was}, as it was when the step was compiled, but is {now}" if was != now else \
            "must be as it was when the step was compiled, but was changed"
        cure = "keep what changes in a buffer or in the batch, which a step reads each time; or set it back, or compile the step again"
        if isinstance(place.holder, dict) and any(isinstance(held, torch.nn.Parameter) for held in place.holder.values()):
            cure = "make one module of the model and of what the loss reads, whose forward returns the loss: a step reads its parameters each time"
        raise StepFailure(f"{place.path} {change}, and the step follows from it{reason}: {cure}")


def _is_of_hooks(place: _Place) -> bool:
    return isinstance(place, _Hooks) or isinstance(place, _Entries) and place.path.endswith(_HOOKS)


def _functions_of(hooks: tuple[Any, ...]) -> tuple[Any, ...]:
    """The code of hooks that have some, and the kinds of others: a script may make the same function anew each time."""
    return tuple(getattr(entry[-1], "__code__", type(entry[-1])) for entry in hooks)


def _is_own(entry: Any) -> bool:
    """A hook that steps put into a module, with its number: others that are compiled and closed have theirs."""
    return type(entry) is tuple and len(entry) == 2 and isinstance(entry[1], Fill)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and not torch.is_inference(value)


def _is_equal(a: Any, b: Any) -> bool:
    """Of numbers and words, and tuples that hold such or the same things."""
    if a is b:
        return True
    if type(a) is tuple and type(b) is tuple:
        return len(a) == len(b) and all(_is_equal(x, y) for x, y in zip(a, b))
    return type(a) is type(b) and isinstance(a, _PLAIN) and (a == b or a != a and b != b)


def _altered(value: Any) -> Any:
    """With other tensors in the place of each."""
    if type(value) is tuple:
        return tuple(map(_altered, value))
    if not _is_tensor(value):
        return value
    with torch.no_grad():
        return value.logical_not() if value.dtype == torch.bool else value + 1


def _globals(code: types.CodeType) -> set[str]:
    """Names of global variables that code reads, in functions inside of it, too."""
    own = {one.argval for one in dis.get_instructions(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return own.union(*(_globals(inner) for inner in code.co_consts if isinstance(inner, types.CodeType)))


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _spell(value: Any) -> str:
    if value is _MISSING:
        return "unset"
    if isinstance(value, tuple) and len(repr(value)) >= 80:
        return f"of {len(value)} entries"
    return repr(value) if isinstance(value, (*_PLAIN, tuple)) and len(repr(value)) < 80 else f"a {type(value).__name__}"
