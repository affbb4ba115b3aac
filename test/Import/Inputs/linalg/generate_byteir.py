# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes byteir_nanogpt.mlir and byteir_nanogpt_backward.mlir beside it of what ByteIR's frontend made of nanoGPT
(github.com/bytedance/byteir, Apache License 2.0: compiler/test/E2E/CUDA/NanoGPT/FW/input.mlir and BW/input.mlir): the
forward with its loss, and the backward as a function of its own, in mhlo. The program iree-opt (of the package
iree-base-compiler) lowers them to linalg.

    python generate_byteir.py IREE_OPT FW/input.mlir BW/input.mlir

ByteIR's frontend itself is on no package index. Its files are of an older mhlo, of which the operations here are
StableHLO's under other names. What is changed: ByteIR's own calls (layer norm, softmax, the loss) are written out as
their definitions; dropout keeps every element, for it draws bits that no other compiler draws; batches of 64 are cut to
2. The backward's gradient of the loss is a constant zero in ByteIR's file, and so it is here.
"""
import re
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
from generate_jax import SCATTER, as_loop

BATCH, HEADS, ROWS = (64, 2), (64 * 6, 2 * 6), (64 * 256, 2 * 256)  # Before, and here.
ARRAYS = ("broadcast_dimensions", "permutation", "limit_indices", "start_indices", "strides", "slice_sizes", "dimensions")
FEWER = '"stablehlo.reduce"({x}, {start}) ({{\n    ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n      %r = "stablehlo.{kind}"(%p, %q) : (tensor<f32>, ' \
        'tensor<f32>) -> tensor<f32>\n      "stablehlo.return"(%r) : (tensor<f32>) -> ()\n    }}) {{dimensions = array<i64: {dim}>}} : ({type}, ' \
        'tensor<f32>) -> {made}'


def cut(text: str) -> str:
    """Batches of 2, also where heads or tokens are joined with them."""
    def smaller(match: re.Match) -> str:
        sizes = [str(ROWS[1]) if size == str(ROWS[0]) else size for size in match[1].split("x")]
        first, rest = int(sizes[0]), sizes[1:-1]
        if first == BATCH[0] and len(rest) >= 1 and rest[0] in ("256", "6"):
            first = BATCH[1]
        elif first == HEADS[0] and len(rest) == 2:
            first = HEADS[1]
        return "tensor<" + "x".join([str(first), *sizes[1:]]) + ">"
    text = re.sub(r"tensor<(\d+x[^>]*)>", smaller, text)
    return re.sub(r"(limit_indices = dense<\[|static_sizes = array<i64: )64, ", r"\g<1>2, ", text)


def as_arrays(text: str) -> str:
    def array(match: re.Match) -> str:
        name, numbers, count = match.groups()
        listed = numbers.strip("[]").split(", ") if numbers.strip("[]") else []
        listed = listed * int(count) if len(listed) == 1 else listed
        return f"{name} = array<i64: {', '.join(listed)}>" if listed else f"{name} = array<i64>"
    return re.sub(rf"\b({'|'.join(ARRAYS)}) = dense<([^>]*)> : tensor<(\d+)xi64>", array, text)


class Writer:
    """Lines of StableHLO, with names of their own."""

    def __init__(self, name: str) -> None:
        self.name, self.lines, self.count = name, [], 0

    def add(self, text: str, name: str = "") -> str:
        self.count += 1
        name = name or f"%call{self.name}_{self.count}"
        self.lines.append(f"    {name} = {text}")
        return name

    def constant(self, value: str, type_: str) -> str:
        return self.add(f"stablehlo.constant dense<{value}> : {type_}")

    def of(self, op: str, *operands: str, type_: str, name: str = "") -> str:
        return self.add(f'"stablehlo.{op}"({", ".join(operands)}) : ({", ".join([type_] * len(operands))}) -> {type_}', name)

    def reduce(self, kind: str, x: str, type_: str) -> tuple[str, str]:
        """Over the last dimension."""
        sizes = type_[len("tensor<"):-1].split("x")
        made = "tensor<" + "x".join([*sizes[:-2], sizes[-1]]) + ">"
        start = self.constant("0xFF800000" if kind == "maximum" else "0.0", "tensor<f32>")
        return self.add(FEWER.format(x=x, start=start, kind=kind, dim=len(sizes) - 2, type=type_, made=made)), made

    def spread(self, x: str, source: str, type_: str, dims: list[int]) -> str:
        places = ", ".join(map(str, dims))
        return self.add(f'"stablehlo.broadcast_in_dim"({x}) {{broadcast_dimensions = array<i64: {places}>}} : ({source}) -> {type_}')

    def row(self, kind: str, x: str, type_: str) -> str:
        """A reduction of each row, as large as the rows."""
        made, source = self.reduce(kind, x, type_)
        return self.spread(made, source, type_, list(range(source.count("x"))))


def layer_norm(w: Writer, x: str, weight: str, bias: str, types: list[str], names: list[str]) -> None:
    type_, width = types[0], int(types[1][len("tensor<"):].split("x")[0])
    count = w.constant(f"{width}.0", type_)
    mean = w.of("divide", w.row("add", x, type_), count, type_=type_)
    centered = w.of("subtract", x, mean, type_=type_)
    squares = w.of("multiply", centered, centered, type_=type_)
    variance = w.of("divide", w.row("add", squares, type_), count, type_=type_)
    rstd = w.of("rsqrt", w.of("add", variance, w.constant("1.0e-5", type_), type_=type_), type_=type_)
    last = type_.count("x") - 1
    scaled = w.of("multiply", w.of("multiply", centered, rstd, type_=type_), w.spread(weight, types[1], type_, [last]), type_=type_)
    w.of("add", scaled, w.spread(bias, types[2], type_, [last]), type_=type_, name=names[0])


def softmax(w: Writer, x: str, types: list[str], names: list[str]) -> None:
    type_ = types[0]
    e = w.of("exponential", w.of("subtract", x, w.row("maximum", x, type_), type_=type_), type_=type_)
    w.of("divide", e, w.row("add", e, type_), type_=type_, name=names[0])


def log_softmax(w: Writer, x: str, types: list[str], names: list[str]) -> None:
    type_ = types[0]
    centered = w.of("subtract", x, w.row("maximum", x, type_), type_=type_)
    total = w.row("add", w.of("exponential", centered, type_=type_), type_)
    w.of("subtract", centered, w.of("log", total, type_=type_), type_=type_, name=names[0])


def nll_loss(w: Writer, logs: str, labels: str, types: list[str], names: list[str]) -> None:
    """The mean of the labels' logarithms where the label is not -1."""
    type_, of_labels = types
    whole, rows = type_.replace("f32", "i64"), of_labels.replace("i64", "f32")
    columns = w.add(f'"stablehlo.iota"() {{iota_dimension = 1 : i64}} : () -> {whole}')
    flags = type_.replace("f32", "i1")
    is_label = w.add(f"stablehlo.compare EQ, {columns}, {w.spread(labels, of_labels, whole, [0])} : ({whole}, {whole}) -> {flags}")
    zeros = w.constant("0.0", type_)
    picked = w.add(f'"stablehlo.select"({is_label}, {logs}, {zeros}) : ({flags}, {type_}, {type_}) -> {type_}')
    row, _ = w.reduce("add", picked, type_)
    none = w.constant("-1", of_labels)
    is_read = w.add(f"stablehlo.compare NE, {labels}, {none} : ({of_labels}, {of_labels}) -> {of_labels.replace('i64', 'i1')}")
    ones = w.add(f'"stablehlo.convert"({is_read}) : ({of_labels.replace("i64", "i1")}) -> {rows}')
    total, _ = w.reduce("add", w.of("multiply", w.of("negate", row, type_=rows), ones, type_=rows), rows)
    count, _ = w.reduce("add", ones, rows)
    w.of("divide", total, count, type_="tensor<f32>", name=names[0])


CALLS = {"byteir.layer_norm": layer_norm, "byteir.softmax": softmax, "byteir.log_softmax": log_softmax, "byteir.nll_loss_forward": nll_loss}
CALL = re.compile(r'\s*(%\d+)(?::\d+)? = "mhlo\.custom_call"\((.*?)\).*call_target_name = "(.*?)".* : \((.*?)\) -> ')
DRAWN = re.compile(r'\s*(%\d+) = "mhlo\.compare"\((%\d+), .* -> (tensor<\S+xi1>)$')


def stablehlo(text: str, results: int | None) -> str:
    """The function, with its first results alone."""
    text = cut(re.sub(r"(?m)^\s*//.*\n", "", text))
    arguments = re.search(r"\^bb0\((.*?)\):\n", text)[1]
    body = text[text.index("):\n") + 3:]
    lines, drawn = [], set()
    for line in body.splitlines():
        if match := re.match(r'\s*(%\d+) = "mhlo\.rng"', line):
            drawn.add(match[1])
        elif (match := DRAWN.match(line)) and match[2] in drawn:
            lines.append(f"    {match[1]} = stablehlo.constant dense<true> : {match[3]}")
        elif match := CALL.match(line):
            name, operands, target, types = match.groups()
            writer = Writer(name[1:])
            CALLS[target](writer, *operands.split(", "), types.split(", "), [f"%first{name[1:]}" if ") -> (" in line else name])
            lines += writer.lines
        elif match := re.match(r'\s*"func\.return"\((.*?)\) : \((.*?)\) -> \(\)', line):
            values, types = (part.split(", ")[:results] for part in match.groups())
            lines.append(f"    return {', '.join(values)} : {', '.join(types)}")
            break
        elif "arith.constant" not in line:
            lines.append(line)
    made = "\n".join(lines)
    made = re.sub(r'"mhlo\.dot"(\(.*?\)) :', r'"stablehlo.dot_general"\1 {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], '
                  r"rhs_contracting_dimensions = [0]>} :", made)
    made = re.sub(r"%(\d+)#0", r"%first\1", as_arrays(made)).replace("mhlo", "stablehlo")
    return f"func.func public @main({arguments}) -> ({', '.join(types)}) {{\n{made}\n}}\n"


def main(iree_opt: str, forward: str, backward: str) -> None:
    for name, path, results in (("byteir_nanogpt", forward, 2), ("byteir_nanogpt_backward", backward, None)):
        done = subprocess.run([iree_opt, "-", "--pass-pipeline=builtin.module(iree-stablehlo-input-transformation-pipeline,cse)"],
                              input=stablehlo(Path(path).read_text(), results), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
        text = SCATTER.sub(as_loop, done.stdout)
        assert "iree" not in text
        head = "// Made by generate_byteir.py of files of ByteIR, which are under the Apache License 2.0.\n"
        Path(__file__).with_name(f"{name}.mlir").write_text(head + text)
        print(name, len(text))


if __name__ == "__main__":
    main(*sys.argv[1:])
