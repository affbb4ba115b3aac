# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a tagged f32 graph means, in NumPy, and graphs tagged at random: an oracle for --prec-split-weights and
--prec-insert-casts that knows nothing of them. Every value is kept in f32 and rounded where its tag says; a contraction
quantizes what its operand tags say."""
from __future__ import annotations

import random
import re

import ml_dtypes
import numpy as np

from prec.interpreter import Numpy
from prec.interpreter.text import TensorType

ELEMENTS = {"f32": "f32", "bf16": "bf16", "e4m3": "f8E4M3FN", "e5m2": "f8E5M2"}
LAYOUT = {"tensor.collapse_shape", "tensor.expand_shape", "tensor.extract_slice", "tensor.concat", "prec_train.broadcast", "prec_train.transpose"}
NORMS = {"prec_train.rms_norm", "prec_train.rms_norm_grad", "prec_train.layer_norm", "prec_train.layer_norm_grad"}
STATISTICS = {"prec_train.rms_norm": 1, "prec_train.layer_norm": 1, "prec_train.cross_entropy": 0, "prec_train.attention": 1, "prec_train.adamw": 0,
              "prec_train.clip": 0, "prec_train.global_norm": 0, "arith.constant": 0}  # From this result on, f32.
READS_NARROW = {"prec_train.layer_norm": (1, 2), "prec_train.layer_norm_grad": (2,), "prec_train.embedding": (0,), "prec_train.attention": (0, 1, 2),
                "prec_train.attention_grad": (0, 1, 2, 3, 4)}  # Operands that a tag may narrow.
_OP = re.compile(r'^(\s*)((?:%[^=]* = )?)"([\w.]+)"\((.*?)\)(?: <\{(.*)\}>)?(?: \{(.*)\})? : (\(.*\) -> .*)$')


def words(tags) -> list[str | None]:
    """Formats of a tag array; None where nothing was decided."""
    return [None if tag is True else re.match(r"#prec\.tag<(\w+)", tag.text).group(1) for tag in tags or []]


def scalings(tags) -> list[str | None]:
    """What one scale of each operand is of: the part of the tag that follows its format."""
    found = [None if tag is True else re.search(r"scaling = (\w+)", tag.text) for tag in tags or []]
    return [match and match.group(1) for match in found]


def tag(format: str, accumulator: str = "full", scaling: str = "tensor_current") -> str:
    scaling = f"scaling = {scaling}, " if format in ("e4m3", "e5m2") else ""
    return f'#prec.tag<{format}, {scaling}accumulator = {accumulator}, rule = "test">'


def round_to(x: np.ndarray, format: str | None) -> np.ndarray:
    return x.astype(ml_dtypes.bfloat16).astype(np.float32) if format == "bf16" else x


def _float_rank(type_text: str) -> int | None:
    match = re.fullmatch(r"tensor<((?:\d+x)*)f32>", type_text)
    return match.group(1).count("x") if match else None


def tag_at_random(generic: str, seed: int, formats=("f32", "bf16"), fp8: bool = True, scaling: str = "tensor_current") -> str:
    """The graph with a random format on every result that may have one, and on the operands of every contraction."""
    rng, lines = random.Random(seed), []
    for line in generic.splitlines():
        match = _OP.match(line)
        if not match or match.group(3) in ("func.func", "func.return", "builtin.module"):
            lines.append(line)
            continue
        indent, results, name, operands, properties, attributes, types = match.groups()
        inputs, outputs = types.split(" -> ")
        outputs = re.findall(r"tensor<[^>]*>", outputs)
        first = STATISTICS.get(name, len(outputs))
        tags = [(tag(rng.choice(formats)) if i < first and _float_rank(t) else tag("f32")) if _float_rank(t) is not None else "unit"
                for i, t in enumerate(outputs)]
        entries = [f"result_tags = [{', '.join(tags)}]"]
        if name == "prec_train.matmul":
            choices = [(f, f) for f in formats]
            if fp8 and _float_rank(outputs[0]) == 2:
                choices += [("e4m3", "e4m3"), ("e5m2", "e4m3"), ("e4m3", "e5m2")]
            accumulator, pair = rng.choice(["full", "fast", "promoted"]), rng.choice(choices)
            entries.append(f"operand_tags = [{', '.join(tag(f, accumulator, scaling) for f in pair)}]")
        elif name in READS_NARROW and rng.random() < 0.5:
            count, narrow = inputs.count("tensor<"), READS_NARROW[name]
            uses = [tag(rng.choice(formats)) if i in narrow else "unit" for i in range(count)]
            entries.append(f"operand_tags = [{', '.join(uses)}]")
        if name.startswith("prec_train."):
            properties = ", ".join(filter(None, [properties, *entries]))
        else:
            attributes = ", ".join(filter(None, [attributes, "prec." + entries[0]]))
        properties = f" <{{{properties}}}>" if properties else ""
        attributes = f" {{{attributes}}}" if attributes else ""
        lines.append(f'{indent}{results}"{name}"({operands}){properties}{attributes} : {types}')
    return "\n".join(lines)


class TaggedSemantics:
    """Runs a function of a tagged graph (a prec.interpreter.Function) on f32 inputs."""

    def __init__(self, function):
        self.function, self.backend = function, Numpy()
        self.masters = {name for (name, _), attributes in zip(function.block.arguments, function.argument_attrs)
                        if getattr(attributes.get("prec_train.role"), "word", "") in ("parameter", "frozen_parameter")}

    def run(self, arrays: list[np.ndarray]) -> list[np.ndarray]:
        values = {}
        for (name, _), attributes, array in zip(self.function.block.arguments, self.function.argument_attrs, arrays):
            values[name] = round_to(array, words([attributes["prec.tag"]])[0]) if "prec.tag" in attributes else array
        for op in self.function.block.operations:
            if op.name == "func.return":
                return [values[v] for v in op.operands]
            results = words(op.attributes.get("result_tags") or op.attributes.get("prec.result_tags")) or [None] * len(op.results)
            for name, array, format in zip(op.results, self._run(op, results, values), results):
                values[name] = round_to(array, format)

    def _run(self, op, results, values):
        uses = words(op.attributes.get("operand_tags") or op.attributes.get("prec.operand_tags")) or [None] * len(op.operands)
        phase = getattr(op.attributes.get("prec_train.phase"), "word", "forward")
        if op.name == "prec_train.matmul" and uses[0] in ("e4m3", "e5m2"):
            return [self._scaled_product(op, uses, scalings(op.attributes["operand_tags"]), [values[v] for v in op.operands])]
        arrays = []
        for i, (operand, use) in enumerate(zip(op.operands, uses)):
            # Norms and embeddings read a parameter in the format they write; layout operations write one format.
            by_result = (op.name in NORMS | {"prec_train.embedding", "prec_train.gather"} and operand in self.masters and phase != "optimizer") \
                or op.name in LAYOUT or op.name == "prec_train.scatter_add" and i == 0
            format = use or (results[0] if by_result else None)
            array = values[operand]
            arrays.append(round_to(array, format) if array.dtype == np.float32 else array)
        if op.name == "prec_train.scatter_add":
            table, *rows = arrays
            [sums] = self.backend.apply(op, np.zeros_like(table), *rows)
            return [table + round_to(sums, results[0])]
        return self.backend.apply(op, *arrays)

    def _scaled_product(self, op, uses, scalings, arrays):
        sides, layouts = [], (not op.attributes.get("transpose_a"), bool(op.attributes.get("transpose_b")))
        for array, format, scaling, last in zip(arrays, uses, scalings, layouts):
            limit, element = np.float32({"e4m3": 448, "e5m2": 57344}[format]), Numpy().dtype(TensorType((), ELEMENTS[format]))
            array = array if last else array.T  # Scales are of the matrix that is contracted along its rows.
            scale = limit / np.maximum(AMAX[scaling](np.abs(array)), np.float32(1e-12))
            data = np.clip(array * scale, -limit, limit).astype(element).astype(np.float32)
            sides.append((data, np.float32(1) / scale))
        (x, sx), (y, sy) = sides
        if scalings[0] == "tensor_current":
            return (x @ y.T) * (sx.max() * sy.max())
        depth = x.shape[1] if scalings[0] == "row" else 128
        return sum(x[:, k:k + depth] @ y[:, k:k + depth].T * sy[:, k] * sx[:, k, None] for k in range(0, x.shape[1], depth))


def _blocks(height: int, depth: int):
    """The amax of each element's block."""
    def amax(magnitudes):
        result = np.empty_like(magnitudes)
        for i in range(0, magnitudes.shape[0], height):
            for k in range(0, magnitudes.shape[1], depth):
                block = np.s_[i:i + height, k:k + depth]
                result[block] = magnitudes[block].max()
        return result
    return amax


AMAX = {"tensor_current": _blocks(1 << 30, 1 << 30), "row": _blocks(1, 1 << 30), "block_1x128": _blocks(1, 128), "block_128x128": _blocks(128, 128)}
