# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a forward may leave behind in Python: a snapshot of everything that a model reaches, to compare with and to go
back to.

Reached are the modules of a model, the objects that they hold in attributes, lists, dictionaries and sets, and the
classes and functions of those objects as far as they are the user's: of a function its defaults, attributes, captured
variables, the globals that its code names and, where one is a module of the user's, what the code names of that. Code
of a package that is installed leads to no code of another one that is: what peft imports of sympy is not the model's.
Of each the contents are noted as they are, one level deep; what they hold is reached in turn. Tensors are noted by
identity and version: what their elements are is the trace's affair.
"""
from __future__ import annotations

import contextvars
import enum
import functools
import itertools
import pickle
import random
import sys
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import torch

from .constants import known_numbers, set_shadow

_Reached = tuple[Any, str, str]  # A thing, its path from the roots, and the installed package whose code leads to it.
_LIMIT = 200_000  # Objects; what a model holds beyond them (a data set, say) is left unseen.
_LARGEST_ARRAY = 1 << 20  # Bytes; larger ones are data sets and tables.
_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_OPAQUE = (*_PLAIN, types.ModuleType, types.BuiltinFunctionType, torch.dtype, torch.device, torch.Generator, torch.memory_format, np.dtype,
           np.generic)
# Of these packages no class or function is the user's, and no instance is looked into that is no module.
_LIBRARIES = {"torch", "numpy", "builtins", "collections", "typing", "abc", "enum", "functools", "itertools", "contextlib", "logging",
              "threading", "weakref", "types", "random", "prec", "pytest", "_pytest"}
# But of these.
_HOLDERS = (torch.nn.Module, torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler, types.SimpleNamespace)
# Layers of torch.nn keep references to their parameters there, which follow what stands for those.
_OF_LAYERS = ("_flat_weights", "_flat_weight_refs")
_MANY = 18_018_000  # Steps: a multiple of 1 to 16, and of 1000.
_MORE = 4096  # Elements that something which grows gets at once.
_CACHE = type(functools.lru_cache(lambda: None))
# They tell where they are; nothing puts them back.
_ITERATORS = (itertools.count, itertools.cycle, types.GeneratorType)


def _package(kind: Any) -> str:
    return (getattr(kind, "__module__", None) or "").partition(".")[0]


def _is_users(kind: Any) -> bool:
    """Of a class or a function."""
    package = _package(kind)
    return package not in _LIBRARIES and package != "transformers" and (package == "__main__" or package not in sys.stdlib_module_names)


def is_installed(module: types.ModuleType | None) -> bool:
    """Whether a module, or the package that it stands for, is no code of the user's own."""
    file = getattr(module, "__file__", None) or ""
    return "/site-packages/" in file or "/dist-packages/" in file


def _installed(code: Any) -> str:
    """The package of a class or function that is installed; "" of one's own."""
    package = _package(code)
    return package if is_installed(sys.modules.get(package)) else ""


class Snapshot:
    """`roots` is what is walked from: a model, say."""

    def __init__(self, *roots: object) -> None:
        self._noted: dict[int, tuple[Any, Any, str]] = {}
        self._versions: dict[int, tuple[torch.Tensor, int, str]] = {}
        self._gradients: dict[int, tuple[torch.Tensor, torch.Tensor | None]] = {}
        waiting = deque((root, "", "") for root in roots)
        while waiting and len(self._noted) < _LIMIT:
            self._note(*waiting.popleft(), waiting)

    def _note(self, thing: Any, path: str, through: str, waiting: deque[_Reached]) -> None:
        """`through` is the installed package whose code leads to `thing`, if any does."""
        if isinstance(thing, _OPAQUE) or id(thing) in self._noted:
            return
        if isinstance(thing, (type, types.FunctionType)):
            installed = _installed(thing)
            if through and installed and installed != through:
                return
            through = installed
        if isinstance(thing, type):
            self._note_class(thing, waiting)
            return
        if isinstance(thing, torch.Tensor):
            if not torch.is_inference(thing):
                self._versions.setdefault(id(thing), (thing, thing._version, path))
            if thing.is_leaf and thing.requires_grad:
                self._gradients[id(thing)] = (thing, thing.grad)
            for hooks in (getattr(thing, "_backward_hooks", None), getattr(thing, "_post_accumulate_grad_hooks", None)):
                waiting.extend((hook, path, through) for hook in (hooks or {}).values())
            return
        contents = _contents(thing)
        if contents is not None:
            self._noted[id(thing)] = (thing, contents, path)
            waiting.extend((value, _join(path, thing, key), through) for key, value in _entries(contents)
                           if type(value) not in _PLAIN and id(value) not in self._noted)
        if not through or _installed(type(thing)) in ("", through):
            self._note_class(type(thing), waiting)

    def _note_class(self, of: type, waiting: deque[_Reached]) -> None:
        for kind in of.__mro__:
            if _is_users(kind) and id(kind) not in self._noted:
                own = {k: v for k, v in vars(kind).items() if not k.startswith("__") and _is_data(v)}
                self._noted[id(kind)] = (kind, own, kind.__qualname__)
                through = _installed(kind)
                waiting.extend((value, f"{kind.__qualname__}.{key}", through) for key, value in own.items())
                waiting.extend((_function(value), "", through) for value in vars(kind).values() if not _is_data(value))

    def things(self) -> list[Any]:
        """Objects that were reached and hold something."""
        return [thing for thing, *_ in self._noted.values()]

    def reached(self) -> list[tuple[Any, str]]:
        """The same with their paths from the roots."""
        return [(thing, path) for thing, _, path in self._noted.values()]

    def changes(self) -> list[str]:
        """Where something is another thing than it was, as paths from the roots: `layers.0.calls`."""
        found = []
        for thing, before, path in self._noted.values():
            now = _contents(thing) if not isinstance(thing, type) else {k: v for k, v in vars(thing).items()
                                                                       if k in before or not k.startswith("__") and _is_data(v)}
            old, new = dict(_entries(before)), dict(_entries(now))
            found += [_join(path, thing, key) for key in {**old, **new} if (key not in old or key not in new or not _same(old[key], new[key]))
                      and not (isinstance(thing, torch.nn.RNNBase) and key in _OF_LAYERS)]
        found += [path for tensor, version, path in self._versions.values() if tensor._version != version]
        return sorted(set(found))

    def count_on(self) -> list[str]:
        """What each step since has counted, wherever it is held, becomes what many steps more would make of it:
        numbers, and the lengths of
        what grows. Returns the paths."""
        return sorted({_join(path, thing, key) for thing, before, path in self._noted.values() for key in _count_on(thing, before)})

    def without_gradients(self) -> None:
        """Takes away the gradients that leaves hold, until `restore`."""
        for leaf, _ in self._gradients.values():
            leaf.grad = None

    def restore(self) -> None:
        """Puts back what was noted, into the objects that held it; a leaf gets back its gradient."""
        for leaf, gradient in self._gradients.values():
            if leaf.grad is not gradient:
                leaf.grad = gradient
        for thing, before, _ in self._noted.values():
            if isinstance(thing, type):
                for key in [k for k, v in vars(thing).items() if k not in before and not k.startswith("__") and _is_data(v)]:
                    delattr(thing, key)
                for key, value in before.items():
                    if vars(thing).get(key) is not value:
                        setattr(thing, key, value)
            elif isinstance(thing, np.ndarray):
                if thing.flags.writeable:
                    thing[...] = before
            elif isinstance(thing, types.FunctionType):
                _restore_function(thing, before)
            elif isinstance(thing, _CACHE):
                if _contents(thing) != before:
                    # It holds tensors of a trace; without them it computes them anew.
                    thing.cache_clear()
            elif isinstance(thing, (random.Random, np.random.Generator)):
                _set_drawn(thing, before["state"])
            elif isinstance(thing, contextvars.ContextVar):
                if before and thing.get(_MISSING) is not before["value"]:
                    thing.set(before["value"])
            elif isinstance(thing, (*_ITERATORS, types.MethodType, functools.partial)):
                continue
            elif isinstance(thing, _CONTAINERS):
                _refill(thing, before)
            else:
                _refill_object(thing, before)


_NUMBERS = (int, float, np.integer, np.floating, Fraction, Decimal)


def ahead_of(now: Any, before: Any, depth: int = 4) -> Any:
    """What something becomes that each step changes alike, or makes anew of the last, in the place that holds it; None
    where nothing in it is a number, or grows or shrinks, or where nothing has changed."""
    if now is before or type(now) is not type(before) or isinstance(now, (bool, enum.Flag)) or not depth:
        return None
    if isinstance(now, enum.Enum):
        members = list(type(now))
        end = members[-1] if members.index(now) > members.index(before) else members[0]
        return None if end is now else end
    if isinstance(now, _NUMBERS):
        return _later_number(now, before)
    if isinstance(now, torch.Tensor):
        return _later_tensor(now, before)
    if type(now) in (str, bytes):
        return now + now[len(before):] * _MORE if len(now) > len(before) and now.startswith(before) else None
    if type(now) is np.ndarray:
        later = now.copy()
        return later if now.shape == before.shape and now.dtype == before.dtype and _count_on_in(later, before) else None
    if isinstance(now, tuple):
        elements = [ahead_of(a, b, depth - 1) for a, b in zip(now, before)]
        if len(now) > _MORE or all(later is None for later in elements) and len(now) == len(before):
            return None
        kept = [a if later is None else later for a, later in zip(now, elements)]
        made = [] if len(now) < len(before) else kept + list(now[len(before):]) + [now[-1]] * (_MORE if len(now) > len(before) else 0)
        return type(now)._make(made) if hasattr(now, "_make") else tuple(made) if type(now) is tuple else None
    if type(now) in (list, dict, set, deque, OrderedDict, defaultdict):
        if len(now) > _MORE:
            return None
        later = now.copy()
        return later if _count_on(later, _elements(before), depth - 1) else None
    if all(map(_is_users, type(now).__mro__[:-1])) and isinstance(getattr(now, "__dict__", None), dict) and not callable(now):
        later = object.__new__(type(now))
        vars(later).update(vars(now))
        return later if _count_on(vars(later), dict(vars(before)), depth - 1) else None
    return None


def _later_number(now: Any, before: Any) -> Any:
    """One that counts by one stops one short of a multiple of _MANY, so that the next two steps meet what happens at
    each hundredth, at the first of all, and one step later."""
    of_numpy = isinstance(now, np.generic)
    a, b = (now.item(), before.item()) if of_numpy else (now, before)
    if a == b or a != a:
        return None
    by = a - b
    later = (a // _MANY + 2) * _MANY - 1 if by == 1 else a + _MANY * by
    if isinstance(now, np.integer):
        later = min(max(later, _ends(now.dtype)[0]), _ends(now.dtype)[1])
    with np.errstate(all="ignore"):
        return type(now)(later)


def _ends(dtype: np.dtype) -> tuple[int, int]:
    """Of integers, so that the next steps do not wrap around."""
    ends = np.iinfo(dtype)
    return ends.min + 8, ends.max - 8


def _later_tensor(now: torch.Tensor, before: torch.Tensor) -> torch.Tensor | None:
    """The same tensor, that whoever reads it takes for what it will be."""
    later, then = known_numbers(now, _MORE), known_numbers(before, _MORE)
    if later is None or then is None or now.shape != before.shape or not _count_on_in(later, then):
        return None
    set_shadow(now, later.tolist())
    return now


def _count_on(thing: Any, before: Any, depth: int = 4) -> list[Any]:
    """The keys of what has been changed."""
    if isinstance(thing, np.ndarray):
        return _count_on_in(thing, before)
    if isinstance(thing, (tuple, frozenset, bytearray, _CACHE, types.MethodType, functools.partial, random.Random, np.random.Generator, *_ITERATORS)):
        return []
    now, found = dict(vars(thing)) if isinstance(thing, type) else _contents(thing), []
    if isinstance(thing, (list, deque, dict, set)) and len(now) < len(before):
        # It will be empty.
        _own(thing).clear(thing)
        return [len(now) if isinstance(thing, (list, deque)) else ""]
    if isinstance(thing, (list, deque)):
        if len(now) > len(before):
            found.append(len(before))
            _own(thing).extend(thing, [now[-1]] * _MORE)
    elif isinstance(thing, (dict, set)):
        whole = [key for key in now if type(key) is int]
        if len(now) > len(before) and whole:
            found.append(max(whole))
            more = range(max(whole) + 1, max(whole) + 1 + _MORE)
            _own(thing).update(thing, dict.fromkeys(more, now[max(whole)]) if isinstance(thing, dict) else more)
    if isinstance(thing, set):
        return found
    entries = dict(_entries(now))
    for key, then in _entries(before):
        value = ahead_of(entries.get(key), then, depth)
        if value is not None:
            _put(thing, key, value)
            found.append(key)
    return found


def _count_on_in(array: np.ndarray, before: np.ndarray) -> list[str]:
    if array.dtype.kind not in "iuf" or array.size > _MORE or not array.flags.writeable:
        return []
    numbers = [(a, ahead_of(a, b)) for a, b in zip(array.ravel().tolist(), before.ravel().tolist())]
    if all(later is None for _, later in numbers):
        return []
    later = np.array([a if later is None else later for a, later in numbers], object).reshape(array.shape)
    if array.dtype.kind != "f":
        later = np.clip(later, *_ends(array.dtype))
    array[...] = later.astype(array.dtype)
    return [""]


# By their own methods, whatever a subclass makes of them: one may compute what it returns for a key.
_CONTAINERS = (dict, list, tuple, set, frozenset, deque, bytearray)


def _own(container: Any) -> Any:
    return next(kind for kind in (OrderedDict, *_CONTAINERS) if isinstance(container, kind))


def _elements(container: Any) -> Any:
    kind = _own(container)
    return dict(kind.items(container)) if issubclass(kind, dict) else kind(kind.__iter__(container))


def _refill(container: Any, before: Any) -> None:
    kind, now = _own(container), _elements(container)
    pairs = zip(now.items(), before.items()) if issubclass(kind, dict) else zip(now, before)
    if kind in (tuple, frozenset) or len(now) == len(before) and all(_identical(a, b) for a, b in pairs):
        return
    kind.clear(container)
    if issubclass(kind, dict):
        for key, value in before.items():
            kind.__setitem__(container, key, value)
    else:
        (set.update if kind is set else kind.extend)(container, before)


def _refill_object(thing: Any, before: Any) -> None:
    slots = _slots(thing)
    if hasattr(thing, "__dict__"):
        _refill(vars(thing), {key: value for key, value in before.items() if key not in slots})
    for name in slots:
        if name in before:
            # What has not changed may be read-only.
            if getattr(thing, name, None) is not before[name]:
                setattr(thing, name, before[name])
        elif hasattr(thing, name):
            delattr(thing, name)


def _slots(thing: Any) -> list[str]:
    """Names of attributes that are in no dictionary."""
    names: list[str] = []
    for kind in type(thing).__mro__:
        declared = vars(kind).get("__slots__", ())
        names += [declared] if isinstance(declared, str) else declared
    # A subclass may have a property or a constant of a slot's name.
    return [name for name in names if not name.startswith("__") and isinstance(getattr(type(thing), name, None), types.MemberDescriptorType)]


def _identical(a: object, b: object) -> bool:
    return a is b or isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b) and all(x is y for x, y in zip(a, b))


def _is_data(value: Any) -> bool:
    return not callable(value) and not isinstance(value, (property, classmethod, staticmethod, types.MemberDescriptorType,
                                                          types.GetSetDescriptorType))


def _function(value: Any) -> Any:
    """What a class holds as a function of its instances."""
    if isinstance(value, property):
        return value.fget
    return value.__func__ if isinstance(value, (staticmethod, classmethod)) else value


def _names(code: types.CodeType) -> set[str]:
    return set(code.co_names).union(*(_names(inner) for inner in code.co_consts if isinstance(inner, types.CodeType)))


_MISSING = object()


def _held_by(function: types.FunctionType) -> dict[tuple[str, Any], Any]:
    """By what it is to the function: ("closure", name), ("default", name), ("attribute", name), ("global", name),
    ("module", (module, name)
    of its own)."""
    code, spread = function.__code__, function.__globals__
    held: dict[tuple[str, Any], Any] = {}
    for name, cell in zip(code.co_freevars, function.__closure__ or ()):
        try:
            held["closure", name] = cell.cell_contents
        except ValueError:
            held["closure", name] = _MISSING
    held.update((("default", i), value) for i, value in enumerate(function.__defaults__ or ()))
    held.update((("default", name), value) for name, value in (function.__kwdefaults__ or {}).items())
    held.update((("attribute", name), value) for name, value in vars(function).items() if name != "__wrapped__")
    names = _names(code)
    held.update((("global", name), spread.get(name, _MISSING)) for name in names)
    modules = _modules(names, [held[key] for key in held])
    held.update((("module", (module, name)), vars(modules[module]).get(name, _MISSING)) for module in modules for name in names)
    return held


def _modules(names: set[str], values: Iterable[object]) -> dict[str, types.ModuleType]:
    """By their names the user's modules among values, those that code of these names imports, and those that these hold
    in turn."""
    waiting, found = [*values, *(sys.modules.get(name) for name in names)], {}
    while waiting:
        module = waiting.pop()
        if isinstance(module, types.ModuleType) and module.__name__ not in found and _is_users_module(module):
            found[module.__name__] = module
            waiting += [vars(module)[name] for name in names if name in vars(module)]
    return found


def _is_users_module(module: types.ModuleType) -> bool:
    top, file = module.__name__.partition(".")[0], getattr(module, "__file__", None) or ""
    if top in _LIBRARIES or top in sys.stdlib_module_names and top != "__main__" or not file and top != "__main__":
        return False
    return sys.modules.get(module.__name__) is module and not is_installed(module)


def _restore_function(function: types.FunctionType, before: dict[tuple[str, Any], Any]) -> None:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    for (what, name), value in _held_by(function).items():
        then = before.get((what, name), _MISSING)
        if value is then or what == "default":
            continue
        if what == "closure":
            if then is not _MISSING:
                cells[name].cell_contents = then
        else:
            holder, name = _holder(function, what, name)
            holder.pop(name, None) if then is _MISSING else holder.__setitem__(name, then)


def _holder(function: types.FunctionType, what: str, name: Any) -> tuple[dict[str, Any], str]:
    """Of an entry of `_held_by` that is in a dictionary: that, and the key there."""
    if what == "module":
        module, name = name
        return vars(sys.modules[module]), name
    return vars(function) if what == "attribute" else function.__globals__, name


def _put(thing: Any, key: Any, value: Any) -> None:
    """Into whatever holds an entry of that key."""
    if isinstance(thing, types.FunctionType):
        what, name = key
        if what == "closure":
            dict(zip(thing.__code__.co_freevars, thing.__closure__ or ()))[name].cell_contents = value
        elif what != "default":
            holder, name = _holder(thing, what, name)
            holder[name] = value
    elif isinstance(thing, contextvars.ContextVar):
        thing.set(value)
    elif isinstance(thing, type) or key in _slots(thing):
        setattr(thing, key, value)
    else:
        entries = thing if isinstance(thing, _CONTAINERS) else vars(thing)
        _own(entries).__setitem__(entries, key, value)


def _drawn_from(generator: random.Random | np.random.Generator) -> bytes:
    return pickle.dumps(generator.getstate() if isinstance(generator, random.Random) else generator.bit_generator.state)


def _set_drawn(generator: random.Random | np.random.Generator, state: bytes) -> None:
    if isinstance(generator, random.Random):
        generator.setstate(pickle.loads(state))
    else:
        generator.bit_generator.state = pickle.loads(state)


def _contents(thing: Any) -> Any:
    """A shallow copy of what the object holds; None where it holds nothing that forward could change, or nobody can
    look into it."""
    if isinstance(thing, types.FunctionType):
        return _held_by(thing) if _is_users(thing) else None
    if isinstance(thing, types.MethodType):
        return {"of": thing.__self__, "function": thing.__func__}
    if isinstance(thing, functools.partial):
        return {"function": thing.func, "arguments": thing.args, "keywords": thing.keywords}
    if isinstance(thing, _CACHE):
        return {"calls": thing.cache_info().misses, "function": thing.__wrapped__} if _is_users(thing) else None
    if isinstance(thing, (random.Random, np.random.Generator)) and type(thing) is not random.SystemRandom:
        return {"state": _drawn_from(thing)}
    if isinstance(thing, contextvars.ContextVar):
        return {} if thing.get(_MISSING) is _MISSING else {"value": thing.get()}
    if isinstance(thing, types.GeneratorType):
        return {"at": thing.gi_frame.f_lasti, **thing.gi_frame.f_locals} if thing.gi_frame is not None else {}
    if isinstance(thing, _ITERATORS):
        return {"at": repr(thing)}
    if isinstance(thing, _CONTAINERS):
        return _elements(thing)
    if isinstance(thing, np.ndarray):
        return thing.copy() if thing.dtype != object and thing.nbytes <= _LARGEST_ARRAY else None
    if isinstance(thing, _HOLDERS) or _package(type(thing)) not in _LIBRARIES:
        held, slots = getattr(thing, "__dict__", None), _slots(thing)
        held = dict(held) if isinstance(held, dict) else {} if slots else None
        return held if held is None else held | {name: getattr(thing, name) for name in slots if hasattr(thing, name)}
    return None


def _entries(contents: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(contents, dict):
        return contents.items()
    if isinstance(contents, np.ndarray):
        return [("", contents.tobytes())]
    if isinstance(contents, (set, frozenset)):
        return [(id(x), x) for x in contents]
    return enumerate(contents)


def _same(a: object, b: object) -> bool:
    if a is b:
        return True
    return type(a) is type(b) and isinstance(a, _PLAIN) and (a == b or a != a and b != b)


def _join(path: str, thing: Any, key: Any) -> str:
    if isinstance(thing, types.FunctionType):
        # A variable goes by the name that the user gave it.
        what, name = key
        if what == "module":
            return ".".join(name)
        return str(name) if what in ("global", "closure") else f"{thing.__qualname__}.{name}"
    # A module's own dictionaries are no steps of the paths that users know.
    if isinstance(thing, torch.nn.Module) and key in ("_parameters", "_buffers", "_modules"):
        return path
    if not isinstance(key, _PLAIN) or key == "":
        # Such as a dictionary by parameters, or an array.
        return path
    part = f"[{key}]" if isinstance(key, int) and not isinstance(thing, (torch.nn.Module, dict)) else str(key)
    return part if not path else path + part if part.startswith("[") else f"{path}.{part}"


class RandomState:
    """The states of the generators that Python code draws from without saying so: Python's, NumPy's and PyTorch's on
    the CPU."""

    def __init__(self) -> None:
        self._python, self._torch = random.getstate(), torch.get_rng_state()
        self._numpy: Any = np.random.get_state()

    def drawn(self) -> list[str]:
        """The generators that were drawn from since."""
        now = RandomState()
        numpy = self._numpy[0] != now._numpy[0] or self._numpy[2:] != now._numpy[2:] or (self._numpy[1] != now._numpy[1]).any()
        return [name for name, changed in (("random", self._python != now._python), ("numpy.random", bool(numpy)),
                                           ("torch's default generator", not torch.equal(self._torch, now._torch))) if changed]

    def restore(self) -> None:
        random.setstate(self._python)
        np.random.set_state(self._numpy)
        torch.set_rng_state(self._torch)
