# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Literals, attributes and shapes as text."""
import itertools
import math
import random
import struct

import numpy as np
import pytest
import torch

from prec import cleanup, text
from prec.builder import Builder
from prec.interpreter import Program, Torch
from prec.ir import Graph, Result


def test_float32_literals_parse_to_the_same_value():
    rng = random.Random(0)
    bits = [rng.getrandbits(32) for _ in range(20000)] + [0, 1 << 31, 1, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0x3F800000]
    for value in (struct.unpack("<f", struct.pack("<I", b))[0] for b in bits):
        literal = text.f32(value)
        if math.isfinite(value):
            assert "." in literal.split("e")[0]
            assert np.float32(float(literal)).tobytes() == np.float32(value).tobytes()
        else:
            assert int(literal, 16) == struct.unpack("<I", struct.pack("<f", np.float32(value)))[0]


def test_float64_literals_have_a_point():
    assert text.f64(1e-8) == "1.0e-08" and text.f64(0.1) == "0.1" and text.f64(3) == "3.0" and text.f64(math.inf) == "0x7FF0000000000000"


def test_dense():
    assert text.dense(np.array([1.0, 2.0]), "f32") == 'dense<"0x0000803F00000040"> : tensor<2xf32>'
    assert text.dense(np.full((2, 3), 7), "i32") == "dense<7> : tensor<2x3xi32>"
    assert text.dense(np.array([True, False]), "i1") == "dense<[true, false]> : tensor<2xi1>"
    # A splat of bits, not of values: 0.0 and -0.0 differ.
    assert "0x" in text.dense(np.array([0.0, -0.0]), "f32")


def test_strings_are_quoted():
    assert text.string('a"b\\c') == '"a\\"b\\\\c"'


def factorizations(n, longest):
    if n == 1:
        yield from ((1,) * k for k in range(longest + 1))
        return
    for dims in itertools.product([d for d in range(1, n + 1) if n % d == 0], repeat=longest):
        if math.prod(dims) == n:
            yield dims


SHAPES = list(factorizations(12, 3)) + [(12,), (4, 3), (3, 4), (2, 6), (1, 2, 1, 6, 1), (1, 12, 1, 1)]


@pytest.mark.cases(None)
@pytest.mark.parametrize("source", SHAPES + [(), (1,), (1, 1)])
def test_every_reshape_becomes_collapse_and_expand(source):
    """All pairs of shapes of one size; the interpreter checks each reassociation."""
    for target in [s for s in SHAPES + [(), (1,), (1, 1)] if math.prod(s) == math.prod(source)]:
        graph = Graph("", "")
        x = graph.argument("batch", "x", source, "f32").value
        graph.results.append(Result(Builder(graph).reshape(x, target), "metric", "y"))
        cleanup.clean(graph)
        assert len(graph.ops) <= 2 and all(op.name in ("tensor.collapse_shape", "tensor.expand_shape") for op in graph.ops)
        data = torch.randn(source)
        assert torch.equal(Program.of_graph(graph).run({"x": data}, backend=Torch(torch.float32))["y"], data.reshape(target)), (source, target)
