# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keys of jax.random as the numbers that they are.

A key of the generator threefry2x32 is two words of 32 bits. In a jaxpr an array of keys has a dtype of its own, without
that dimension of two. Here an equation that reads or makes keys is traced once more on their words: what draws or
derives keys by the generator's own functions, and what only moves keys with one dimension more, by vmap. So a step
draws the bits that JAX draws.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .known import is_key
from .private import generator_of

# The dtype of keys of the generator that graphs draw by.
_DTYPE = "key<fry>"


def is_drawn(array: Any) -> bool:
    """Whether it is an array of keys that a step can draw by."""
    return str(getattr(array, "dtype", "")) == _DTYPE


def words_of(array: Any) -> Any:
    """The words of an array of keys, with a dimension of two more, and any other array as it is."""
    if not is_drawn(array):
        return array
    if isinstance(array, jax.ShapeDtypeStruct):
        return jax.ShapeDtypeStruct((*array.shape, 2), np.uint32)
    return jax.random.key_data(array)


def key_of(words: Any) -> jax.Array:
    return jax.random.wrap_key_data(jnp.asarray(words, jnp.uint32), impl="threefry2x32")


def on_words(eqn: Any) -> Any:
    """The closed jaxpr that computes the equation of the words of its keys."""
    inputs = [words_of(jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype)) for v in eqn.invars]
    rule = _RULES.get(eqn.primitive.name)
    function = rule(eqn) if rule is not None else _moved(eqn)
    return jax.make_jaxpr(function)(*inputs)


def _moved(eqn: Any) -> Callable[..., Any]:
    """What moves keys moves both words alike."""
    def move(*arrays: Any) -> Any:
        return eqn.primitive.bind(*arrays, **eqn.params)
    axes = tuple(-1 if is_key(v.aval) else None for v in eqn.invars)
    return jax.vmap(move, in_axes=axes, out_axes=-1)


def _of_each(function: Callable[..., Any], rank: int) -> Callable[..., Any]:
    for _ in range(rank):
        function = jax.vmap(function)
    return function


def _split(eqn: Any) -> Callable[..., Any]:
    generator, shape = generator_of(eqn), eqn.params["shape"]
    return _of_each(lambda key: generator.split(key, shape), len(eqn.invars[0].aval.shape))


def _bits(eqn: Any) -> Callable[..., Any]:
    generator, width, shape = generator_of(eqn), eqn.params["bit_width"], eqn.params["shape"]
    return _of_each(lambda key: generator.random_bits(key, width, shape), len(eqn.invars[0].aval.shape))


def _seed(eqn: Any) -> Callable[..., Any]:
    return _of_each(generator_of(eqn).seed, len(eqn.invars[0].aval.shape))


def _fold_in(eqn: Any) -> Callable[..., Any]:
    generator, shape = generator_of(eqn), eqn.outvars[0].aval.shape

    def fold(keys: Any, numbers: Any) -> Any:
        return _of_each(generator.fold_in, len(shape))(jnp.broadcast_to(keys, (*shape, 2)), jnp.broadcast_to(numbers, shape))
    return fold


_RULES: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "random_split": _split, "random_bits": _bits, "random_seed": _seed, "random_fold_in": _fold_in,
    "random_wrap": lambda eqn: lambda words: words, "random_unwrap": lambda eqn: lambda words: words,
    "random_clone": lambda eqn: lambda words: words,
}
