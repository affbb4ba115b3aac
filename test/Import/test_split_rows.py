# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks that have rows between products (--prec-split-layers) compute what whole ones do, whatever stands there: graphs
are generated of blocks in random order, of which some mix rows or read whole ones, and of sizes that ranks can divide
or not."""
import numpy as np
import pytest

from prec.interpreter import Program, generic_form, ranks

WIDTH, INNER, BLOCKS = 8, 16, 7


class Graph:
    """A step of blocks, each of which makes [B, S, H] of such."""

    def __init__(self, seed: int, batch: int, tokens: int) -> None:
        self.random, self.shape = np.random.default_rng(seed), (batch, tokens, WIDTH)
        self.lines, self.arguments, self.results, self.count = [], [("x", self.shape, "batch")], [], 0
        value = "%x"
        for kind in ("serial", *self.random.choice(sorted(self.kinds()), BLOCKS), "serial"):
            value = getattr(self, f"block_{kind}")(value)
        self.results.append((value, self.shape, None))

    @classmethod
    def kinds(cls) -> list[str]:
        return [name.removeprefix("block_") for name in dir(cls) if name.startswith("block_")]

    @staticmethod
    def type(shape: tuple[int, ...]) -> str:
        return f"tensor<{''.join(f'{size}x' for size in shape)}f32>"

    def argument(self, shape: tuple[int, ...], role: str = "parameter") -> str:
        self.arguments.append((f"p{len(self.arguments)}", shape, role))
        return "%" + self.arguments[-1][0]

    def op(self, text: str, results: int = 1) -> str:
        self.count += 1
        self.lines.append(f"  %v{self.count}{f':{results}' * (results > 1)} = {text}")
        return f"%v{self.count}"

    def same(self, text: str) -> str:
        return self.op(f"{text} : {self.type(self.shape)}")

    def broadcast(self, value: str, dims: list[int]) -> str:
        given = tuple(self.shape[dim] for dim in dims)
        return self.op(f"prec_train.broadcast {value} dims {dims} : ({self.type(given)}) -> {self.type(self.shape)}")

    def feed_forward(self, value: str) -> str:
        """Columns, then rows; and the gradient of the second weight for a gradient that is the sum itself."""
        rows = self.shape[0] * self.shape[1]
        flat, inner, up, down = ((rows, WIDTH), (rows, INNER), (INNER, WIDTH), (WIDTH, INNER))
        a, b = self.argument(up), self.argument(down)
        x = self.op(f"tensor.collapse_shape {value} [[0, 1], [2]] : {self.type(self.shape)} into {self.type(flat)}")
        h = self.op(f"prec_train.matmul {x}, {a} {{transpose_b}} : ({self.type(flat)}, {self.type(up)}) -> {self.type(inner)}")
        h = self.op(f"math.tanh {h} : {self.type(inner)}")
        y = self.op(f"prec_train.matmul {h}, {b} {{transpose_b}} : ({self.type(inner)}, {self.type(down)}) -> {self.type(flat)}")
        d = self.op(f"prec_train.matmul {y}, {h} {{transpose_a, prec_train.phase = #prec_train.phase<backward>}} : "
                    f"({self.type(flat)}, {self.type(inner)}) -> {self.type(down)}")
        self.results.append((d, down, len(self.arguments) - 1))
        return self.op(f"tensor.expand_shape {y} [[0, 1], [2]] output_shape {list(self.shape)} : {self.type(flat)} into {self.type(self.shape)}")

    def block_serial(self, value: str) -> str:
        return self.same(f"arith.addf {value}, {self.feed_forward(value)}")

    def block_parallel(self, value: str) -> str:
        both = self.same(f"arith.addf {self.feed_forward(value)}, {self.feed_forward(value)}")
        return self.same(f"arith.addf {both}, {value}")

    def block_norm(self, value: str) -> str:
        norm = self.op(f"prec_train.rms_norm {value}, {self.argument((WIDTH,))} {{eps = 1.0e-5 : f32}} : ({self.type(self.shape)}, "
                       f"{self.type((WIDTH,))}) -> ({self.type(self.shape)}, {self.type(self.shape[:2])})", 2)
        return norm + "#0"

    def block_bias(self, value: str) -> str:
        """Its gradient, of the value itself, is a sum over all rows."""
        bias = self.argument((WIDTH,))
        back = "{prec_train.phase = #prec_train.phase<backward>}"
        d = self.op(f"prec_train.reduce sum {value} dims [0, 1] {back} : ({self.type(self.shape)}) -> {self.type((WIDTH,))}")
        self.results.append((d, (WIDTH,), len(self.arguments) - 1))
        return self.same(f"arith.addf {value}, {self.broadcast(bias, [2])}")

    def block_positions(self, value: str) -> str:
        return self.same(f"arith.addf {value}, {self.broadcast(self.argument(self.shape[1:], 'batch'), [1, 2])}")

    def block_of_a_row(self, value: str) -> str:
        row = self.op(f"prec_train.reduce max {value} dims [2] : ({self.type(self.shape)}) -> {self.type(self.shape[:2])}")
        return self.same(f"arith.subf {value}, {self.broadcast(row, [0, 1])}")

    def block_of_all_tokens(self, value: str) -> str:
        kept = (self.shape[0], WIDTH)
        total = self.op(f"prec_train.reduce sum {value} dims [1] : ({self.type(self.shape)}) -> {self.type(kept)}")
        total = self.op(f"math.tanh {total} : {self.type(kept)}")
        return self.same(f"arith.addf {value}, {self.broadcast(total, [0, 2])}")

    def block_transposed(self, value: str) -> str:
        moved = (self.shape[0], self.shape[2], self.shape[1])
        value = self.op(f"prec_train.transpose {value} permutation [0, 2, 1] : ({self.type(self.shape)}) -> {self.type(moved)}")
        value = self.op(f"math.tanh {value} : {self.type(moved)}")
        return self.op(f"prec_train.transpose {value} permutation [0, 2, 1] : ({self.type(moved)}) -> {self.type(self.shape)}")

    def text(self) -> str:
        arguments = ", ".join(f"%{name}: {self.type(shape)} {{prec_train.role = #prec_train.role<{role}>, prec_train.path = \"{name}\"}}"
                              for name, shape, role in self.arguments)
        results = ", ".join(self.type(shape) + (f" {{prec_train.donated_to = {to} : i64}}" if to is not None else "")
                            for _, shape, to in self.results)
        values, types = ", ".join(value for value, *_ in self.results), ", ".join(self.type(shape) for _, shape, _ in self.results)
        return "\n".join([f"func.func @step({arguments}) -> ({results}) attributes {{prec.entry = \"step\"}} {{", *self.lines,
                          f"  return {values} : {types}", "}"])


@pytest.mark.parametrize(("batch", "tokens", "count"), [(2, 4, 2), (1, 4, 2), (3, 4, 2), (1, 8, 4), (4, 3, 4)])
@pytest.mark.parametrize("seed", [0, *[pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 8)]])
def test_ranks_compute_what_one_process_does(prec_opt, seed, batch, tokens, count):
    graph = Graph(seed, batch, tokens)
    one = Program.of_text(generic_form(graph.text(), prec_opt, []))
    random = np.random.default_rng(seed)
    whole = {name: random.standard_normal(shape).astype(np.float32) for name, shape, _ in graph.arguments}
    expected = list(one.run(whole))
    # A rank has rows where they can be divided.
    text = generic_form(graph.text(), prec_opt, [f"--prec-split-layers=mesh=tp={count}", "--prec-decompose"])
    assert ("all_to_all" in text) == ((batch if batch > 1 else tokens) % count == 0)
    several = Program.of_text(text)
    arguments = several.function().arguments

    def own(argument, rank):
        value = whole[argument.name]
        if "prec_train.shard" not in argument.attributes:
            return value
        return np.split(value, count, argument.attributes["prec_train.shard_dim"])[rank]
    found = [list(results) for results in ranks.run(several, [{a.name: own(a, rank) for a in arguments} for rank in range(count)])]
    for index, (binding, wanted) in enumerate(zip(several.function().results, expected)):
        parts = [np.asarray(results[index]) for results in found]
        to = binding.attributes.get("prec_train.donated_to")
        if to is not None and "prec_train.shard" in arguments[to].attributes:
            parts = [np.concatenate(parts, arguments[to].attributes["prec_train.shard_dim"])]
        for part in parts:
            np.testing.assert_array_equal(part, parts[0])
        np.testing.assert_allclose(parts[0], np.asarray(wanted), rtol=2e-4, atol=2e-4 * np.abs(np.asarray(wanted)).max())
