# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces a step to one jaxpr, and finds which of its arguments are its state: those that it returns again.

What a step says in Python stays Python's: arguments that hold no array (functions in modules of Equinox, flags) are
part of the step. The structural guard is here: the state comes back with the trees, shapes and dtypes that it had, the
step has no effects, and another trace is the same.
"""
from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..errors import ImportFailure
from .attention import composites
from .private import line_of
from .roundings import check_roundings


@dataclass
class Traced:
    """A step as a jaxpr. `arrays`: its array arguments, in the order of the jaxpr's inputs; `names`: their paths, of
    the state behind the number of the argument where there are several. `state_of`: by input, the output that is its
    new value; `loss`, `metrics`: outputs by their places, with names."""

    step: Callable[..., Any]
    arguments: tuple[Any, ...]
    closed: Any
    arrays: list[Any]
    names: list[str]
    state_of: dict[int, int]
    loss: int
    metrics: dict[int, str]
    in_tree: Any
    out_tree: Any
    # Leaves of the arguments that are no arrays, by place, and of the results.
    static: dict[int, Any]
    static_out: dict[int, Any]


def is_array(leaf: Any) -> bool:
    return hasattr(leaf, "shape") and hasattr(leaf, "dtype")


def shapes_of(arrays: Sequence[Any]) -> list[jax.ShapeDtypeStruct]:
    return [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arrays]


def trace(step: Callable[..., Any], arguments: tuple[Any, ...]) -> Traced:
    if not callable(step):
        raise ImportFailure(f"step must be a function of the state and a batch but got {step!r}")
    leaves, in_tree = jax.tree_util.tree_flatten(arguments)
    static = {i: leaf for i, leaf in enumerate(leaves) if not is_array(leaf)}
    made: dict[str, Any] = {}

    def traced_again() -> Any:
        # A function of its own, for JAX knows what it has traced.
        def flat(*given: Any) -> list[Any]:
            rest = iter(given)
            whole = [static[i] if i in static else next(rest) for i in range(len(leaves))]
            out, made["tree"] = jax.tree_util.tree_flatten(step(*jax.tree_util.tree_unflatten(in_tree, whole)))
            made["static"] = {i: leaf for i, leaf in enumerate(out) if not is_array(leaf)}
            return [leaf for leaf in out if is_array(leaf)]
        with composites():
            return jax.make_jaxpr(flat)(*shapes_of([leaf for leaf in leaves if is_array(leaf)]))

    closed = traced_again()
    counted = _numbers_of_state(in_tree, made["tree"], leaves, closed, made["static"])
    if counted:
        for i in counted:
            leaves[i] = jnp.asarray(leaves[i])
            del static[i]
        closed = traced_again()
    arrays = [leaf for leaf in leaves if is_array(leaf)]
    _check_effects(closed)
    check_roundings(closed.jaxpr)
    if str(traced_again()) != str(closed):
        raise ImportFailure("a step must compute the same each time but another trace of it differs: read no clock, file or random generator of "
                            "Python")
    places = _places(in_tree, made["tree"], arguments, leaves, closed, static, made["static"], _parameters(step, len(arguments)))
    names = _names(step, jax.tree_util.tree_unflatten(in_tree, leaves), {k for k, _ in places})
    traced = Traced(step, arguments, closed, arrays, names, {}, -1, {}, in_tree, made["tree"], static, made["static"])
    _match(traced, places)
    return traced


def _numbers_of_state(in_tree: Any, out_tree: Any, leaves: list[Any], closed: Any, static_out: dict[int, Any]) -> list[int]:
    """Numbers of Python in a state with arrays that come back as others, such as the count of steps of a new TrainState
    of Flax: they are arrays, as jax.jit takes them."""
    avals = iter(closed.out_avals)
    results = [static_out[i] if i in static_out else next(avals) for i in range(out_tree.num_leaves)]
    found: set[int] = set()
    first = 0
    for child in _arguments(in_tree):
        given = leaves[first:first + child.num_leaves]
        for node, start, end in _subtrees(out_tree, 3):
            if node != child or child.num_leaves < 2 or not _is_state(given):
                continue
            pairs = list(zip(given, results[start:end], strict=True))
            changed = {k for k, (a, r) in enumerate(pairs)
                       if type(a) in (int, float) and (r.shape == () if is_array(r) else type(r) is type(a) and r != a)}
            if all(k in changed or _same(a, r if is_array(r) else None) for k, (a, r) in enumerate(pairs)):
                found |= {first + k for k in changed}
        first += child.num_leaves
    return sorted(found)


def _check_effects(closed: Any) -> None:
    if closed.effects:
        def find(jaxpr: Any) -> Any:
            return next((e for e in jaxpr.eqns if e.effects), None)
        eqn = find(closed.jaxpr)
        where = f", at {line_of(eqn)}" if eqn is not None and line_of(eqn) else ""
        effects = ", ".join(sorted(map(str, closed.effects)))
        raise ImportFailure(f"a step must have no effects but has {effects}{where} (remove jax.debug and callbacks)")


def _subtrees(tree: Any, depth: int) -> list[tuple[Any, int, int]]:
    """Of a tree and what is below it: the subtree, and its first and last leaf."""
    found, start = [], 0

    def visit(node: Any, level: int) -> None:
        nonlocal start
        first, children = start, node.children() if level < depth else []
        for child in children or []:
            visit(child, level + 1)
        if not children:
            start += node.num_leaves
        found.append((node, first, start))
    visit(tree, 0)
    return found


def _places(in_tree: Any, out_tree: Any, arguments: tuple[Any, ...], leaves: list[Any], closed: Any, static: dict[int, Any],
            static_out: dict[int, Any], own: list[str]) -> list[tuple[int, int]]:
    """(argument, first leaf of its new value) of each argument that comes back: whose tree a result has, or a part of
    one, with the same shapes and dtypes. An array alone is no new value of one where a dictionary calls it something
    else, such as a metric of the shape of the batch."""
    out_avals = iter(closed.out_avals)
    results = [None if i in static_out else next(out_avals) for i in range(out_tree.num_leaves)]
    paths = [path for path, _ in jax.tree_util.tree_flatten_with_path(jax.tree_util.tree_unflatten(out_tree, range(out_tree.num_leaves)))[0]]
    below = sorted(_subtrees(out_tree, 3), key=lambda s: (s[1], -(s[2] - s[1])))
    taken: set[int] = set()
    used_nodes: list[int] = []
    found, first = [], 0
    for number, child in enumerate(_arguments(in_tree)):
        count = child.num_leaves
        given = leaves[first:first + count]
        for place, (node, start, end) in enumerate(below):
            if node != child or place in used_nodes or end - start != count or taken & set(range(start, end)):
                continue
            if count == 1 and is_array(given[0]) and jax.tree_util.treedef_is_leaf(child) and _is_called_otherwise(paths[start], own[number]):
                continue
            if not all(_same(a, r) for a, r in zip(given, results[start:end], strict=True)):
                odd = next((i for i, (a, r) in enumerate(zip(given, results[start:end], strict=True)) if not _same(a, r)), 0)
                if count > 1:
                    path = jax.tree_util.keystr(jax.tree_util.tree_flatten_with_path(arguments[number])[0][odd][0])
                    raise ImportFailure(f"the state must come back with the shapes and dtypes that it had but {path} is {_describe(given[odd])} and "
                                        f"comes back as {_describe(results[start + odd])}")
                continue
            if count == 0 or _is_state(given):
                found.append((number, start))
                used_nodes.append(place)
                taken.update(range(start, end))
                break
        first += count
    return found


def _is_called_otherwise(path: tuple[Any, ...], name: str) -> bool:
    keys = [key.key for key in path if isinstance(key, jax.tree_util.DictKey)]
    return bool(keys) and keys[-1] != name


def _arguments(in_tree: Any) -> list[Any]:
    return list(in_tree.children())


def _is_state(given: list[Any]) -> bool:
    return any(is_array(a) for a in given)


def _same(given: Any, result: Any) -> bool:
    if not is_array(given) or result is None:
        return not is_array(given) and result is None
    return tuple(given.shape) == tuple(result.shape) and str(given.dtype) == str(result.dtype)


def _describe(array: Any) -> str:
    return f"{array.dtype}{list(array.shape)}" if array is not None and is_array(array) else "no array"


def _names(step: Callable[..., Any], arguments: tuple[Any, ...], state: set[int]) -> list[str]:
    """Paths of all arrays, each with its own: of weights, the first argument that is a state, as they are in its tree;
    of other arguments below the argument's name, where that tells them apart. None begins with a digit."""
    own = _parameters(step, len(arguments))
    paths: list[list[str]] = []
    for name, argument in zip(own, arguments, strict=True):
        held = jax.tree_util.tree_flatten_with_path(argument)[0]
        of = [jax.tree_util.keystr(path, simple=True, separator=".") for path, leaf in held if is_array(leaf)]
        of = [path if path and not path[0].isdigit() else f"{name}.{path}".rstrip(".") for path in of]
        # `step` is the number of the step in every graph.
        paths.append([path if path != "step" else f"{name}.step" for path in of])
    first = min(state, default=0)
    seen: set[str] = set()
    for n in [first, *(n for n in range(len(paths)) if n != first)]:
        if seen & set(paths[n]):
            paths[n] = [path if path.partition(".")[0] == own[n] else f"{own[n]}.{path}" for path in paths[n]]
        seen |= set(paths[n])
    flat = [path for of in paths for path in of]
    if len(set(flat)) != len(flat):
        raise ImportFailure(f"arrays must have paths of their own but two are called {next(p for p in flat if flat.count(p) > 1)}")
    return flat


def _parameters(step: Callable[..., Any], count: int) -> list[str]:
    """What the step calls its arguments."""
    try:
        parameters = list(inspect.signature(step).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [names[n] if n < len(names) else f"argument_{n}" for n in range(count)]


def _match(traced: Traced, places: list[tuple[int, int]]) -> None:
    sizes = [child.num_leaves for child in _arguments(traced.in_tree)]
    first = list(np.cumsum([0, *sizes]))
    # Numbers of arrays alone, as the jaxpr counts.
    inputs = {leaf: n for n, leaf in enumerate(i for i in range(traced.in_tree.num_leaves) if i not in traced.static)}
    outputs = {leaf: n for n, leaf in enumerate(i for i in range(traced.out_tree.num_leaves) if i not in traced.static_out)}
    taken = set()
    for number, start in places:
        for i in range(sizes[number]):
            taken.add(start + i)
            if first[number] + i in inputs:
                traced.state_of[inputs[first[number] + i]] = outputs[start + i]
    if not traced.state_of:
        raise ImportFailure("a step must return its state, with the trees, shapes and dtypes that it had, beside the loss but none of its arguments "
                            "comes back")
    paths = jax.tree_util.tree_flatten_with_path(jax.tree_util.tree_unflatten(traced.out_tree, list(range(traced.out_tree.num_leaves))))[0]
    rest = [(jax.tree_util.keystr(path, simple=True, separator="."), outputs[leaf]) for path, leaf in paths if leaf not in taken and leaf in outputs]
    avals = traced.closed.out_avals
    scalars = [(name, n) for name, n in rest if not avals[n].shape and jax.numpy.issubdtype(avals[n].dtype, jax.numpy.floating)]
    named = [s for s in scalars if s[0].rpartition(".")[2] == "loss"]
    if not scalars:
        raise ImportFailure("a step must return its loss, a float without dimensions, beside the state but returns none")
    traced.loss = (named or scalars)[0][1]
    names = {n: name or "output" for name, n in rest if n != traced.loss}
    traced.metrics = {n: f"output.{name}" if name.isdigit() else name for n, name in names.items()}
