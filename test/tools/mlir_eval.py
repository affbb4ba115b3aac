"""Evaluates a graph in MLIR with NumPy: the oracle that passes are tested against.

    python test/tools/mlir_eval.py graph.mlir --inputs in.npz --out out.npz [--function step] [--float64] [--prec-opt PATH]

Inputs and results go by `train.path`, by "path@slot" where several arguments share a path (work weights and scales of a parameter),
or by position ("0", "1", ...). Without --inputs, every argument gets `random_inputs`. An .npz holds bf16 and FP8 values as float32.

    from mlir_eval import evaluate, random_inputs
    results = evaluate(text, {"input_ids": ids, "labels": labels}); results[0]; results["loss"]
"""
from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
import mlir_text  # noqa: E402
from mlir_ops import Semantics, dense  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def generic_form(text: str, prec_opt: str | None = None, passes: list[str] | None = None) -> str:
    """The graph in generic form after `passes` (command line options of prec-opt)."""
    if not passes and '"builtin.module"(' in text[:text.find("{-#")]:
        return text
    tool = prec_opt or shutil.which("prec-opt") or str(ROOT / "build/bin/prec-opt")
    done = subprocess.run([tool, "-", "--mlir-print-op-generic", *(passes or [])], input=text, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"{tool} failed with {done.returncode}:\n{done.stderr[-4000:]}")
    return done.stdout


class Function:
    """One function of a module, ready to run many times."""

    def __init__(self, op: mlir_text.Operation):
        self.op, self.name, self.block = op, op.attributes["sym_name"], op.regions[0]
        inputs, results = op.attributes["function_type"]
        self.argument_attrs = op.attributes.get("arg_attrs") or [{} for _ in inputs]
        self.result_attrs = op.attributes.get("res_attrs") or [{} for _ in results]
        self.argument_types, self.result_types = inputs, results
        self.argument_names = _names(self.argument_attrs)
        self.result_names = _names(self.result_attrs)
        self.last_use = {}
        for i, inner in enumerate(self.block.operations):
            for operand in inner.operands:
                self.last_use[operand] = i


def _names(attributes: list[dict]) -> list[str]:
    counts = Counter(a.get("train.path") for a in attributes)
    names = []
    for i, a in enumerate(attributes):
        path, slot = a.get("train.path"), a.get("train.slot")
        names.append(str(i) if path is None else path if counts[path] == 1 or not slot else f"{path}@{slot}")
    return names


class Results(list):
    """Results by position, and by name: results["loss"]."""

    def __init__(self, arrays, names, values=None):
        super().__init__(arrays)
        self.names, self.values = names, values

    def __getitem__(self, key):
        return super().__getitem__(self.names.index(key) if isinstance(key, str) else key)

    def items(self):
        return list(zip(self.names, self))


class Module:
    def __init__(self, text: str, prec_opt: str | None = None, passes: list[str] | None = None):
        self.text = generic_form(text, prec_opt, passes)
        module = mlir_text.parse(self.text)
        self.functions = {f.name: f for f in (Function(op) for op in module.regions[0].operations if op.name == "func.func")}

    def function(self, name: str | None) -> Function:
        if name is None:
            name = "step" if "step" in self.functions else next(iter(self.functions))
        return self.functions[name]

    def run(self, inputs: dict, function: str | None = None, compute=np.float32, keep: bool = False) -> Results:
        """`keep` also returns every value of the body by its SSA name, in `Results.values`."""
        f, semantics = self.function(function), Semantics(compute)
        values = dict(zip((n for n, _ in f.block.arguments), self.arguments(f, inputs, semantics)))
        for i, op in enumerate(f.block.operations):
            if op.name == "func.return":
                return Results([values[v] for v in op.operands], f.result_names, values if keep else None)
            for name, array in zip(op.results, self._run(op, [values[v] for v in op.operands], semantics)):
                values[name] = array
            if not keep:
                for operand in set(op.operands):
                    if f.last_use[operand] == i:
                        del values[operand]
        raise ValueError(f"expected a func.return at the end of @{f.name}")

    def _run(self, op, operands, semantics):
        if op.name == "func.call":
            callee = self.functions[op.attributes["callee"]]
            return list(self.run(dict(enumerate(operands)), callee.name, semantics.compute))
        if op.name != "sched.dispatch":
            return semantics.apply(op, *operands)
        values = dict(zip((n for n, _ in op.regions[0].arguments), operands))
        for inner in op.regions[0].operations:
            arguments = [values[v] for v in inner.operands]
            if inner.name == "sched.yield":
                return arguments
            values |= zip(inner.results, semantics.apply(inner, *arguments))
        raise ValueError(f"line {op.line}: expected a sched.yield")

    def arguments(self, f: Function, inputs: dict, semantics: Semantics) -> list[np.ndarray]:
        arrays, known = [], set()
        for i, (name, type_, attrs) in enumerate(zip(f.argument_names, f.argument_types, f.argument_attrs)):
            key = next((k for k in (i, name, str(i), f"arg{i}") if k in inputs), None)
            known.add(key)
            given = inputs[key] if key is not None else default_input(attrs, type_)
            if given is None:
                raise ValueError(f"no input for argument {i} '{name}' of @{f.name}")
            array = np.asarray(given).astype(semantics.dtype(type_))
            if array.shape != type_.shape:
                raise ValueError(f"argument {i} '{name}' has shape {type_.shape}, but got {array.shape}")
            arrays.append(array)
        unknown = [k for k in inputs if k not in known]
        if unknown:
            raise ValueError(f"inputs that @{f.name} does not have: {unknown}")
        return arrays

    def random_inputs(self, seed: int = 0, function: str | None = None) -> dict[str, np.ndarray]:
        """Plausible inputs: small weights, scales about 1, labels with some ignored, work weights and scales from @init."""
        f, rng = self.function(function), np.random.default_rng(seed)
        inputs = {}
        for name, type_, attrs in zip(f.argument_names, f.argument_types, f.argument_attrs):
            if getattr(attrs.get("train.role"), "word", None) not in ("work_weight", "scale_state"):
                inputs[name] = _random(rng, type_, attrs)
        if len(inputs) < len(f.argument_names):
            init = self.functions["init"]
            # Slots name the copies of a parameter in both functions; only their positions differ.
            made = dict(zip(map(_copy_key, init.result_attrs), self.run({n: inputs[n] for n in init.argument_names}, "init")))
            inputs |= {n: made[_copy_key(a)] for n, a in zip(f.argument_names, f.argument_attrs) if n not in inputs}
        return inputs


def _copy_key(attrs: dict):
    return attrs.get("train.param_of", attrs.get("train.path")), attrs.get("train.slot")


def default_input(attrs: dict, type_):
    if "train.initial" in attrs:
        return dense(attrs["train.initial"], np.float64 if type_.element[0] != "i" else np.int64, type_)
    if "train.default" in attrs:
        return np.full(type_.shape, attrs["train.default"])
    if getattr(attrs.get("train.role"), "word", None) == "optimizer_state":
        return np.zeros(type_.shape)
    return None


def _random(rng, type_, attrs) -> np.ndarray:
    role, shape = getattr(attrs.get("train.role"), "word", None), type_.shape
    given = default_input(attrs, type_)
    if given is not None and role != "optimizer_state":
        return given
    if type_.element == "i1":
        return rng.random(shape) < 0.5
    if type_.element[0] == "i":
        ids = rng.integers(0, attrs.get("train.vocabulary", 8), shape)
        if "train.ignore_index" in attrs:
            ids = np.where(rng.random(shape) < 0.2, attrs["train.ignore_index"], ids)
        return ids
    x = rng.standard_normal(shape)
    if role == "optimizer_state":
        return 1e-3 * (x if attrs.get("train.slot") != "exp_avg_sq" else x * x)
    if role in ("parameter", "frozen_parameter"):
        return 0.05 * x if len(shape) > 1 else 1 + 0.1 * x
    return x


def evaluate(text: str, inputs: dict | None = None, function: str | None = None, *, compute=np.float32, keep: bool = False,
             prec_opt: str | None = None, passes: list[str] | None = None) -> Results:
    """Runs a function of the module in `text` (any form; `passes` are options of prec-opt to apply before)."""
    module = Module(text, prec_opt, passes)
    return module.run(module.random_inputs(function=function) if inputs is None else inputs, function, compute, keep)


def random_inputs(text: str, seed: int = 0, function: str | None = None, prec_opt: str | None = None) -> dict[str, np.ndarray]:
    return Module(text, prec_opt).random_inputs(seed, function)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("--inputs")
    parser.add_argument("--out", required=True)
    parser.add_argument("--function")
    parser.add_argument("--float64", action="store_true", help="compute every f32 value in float64")
    parser.add_argument("--prec-opt")
    options = parser.parse_args()
    try:
        inputs = dict(np.load(options.inputs)) if options.inputs else None
        results = evaluate(Path(options.graph).read_text(), inputs, options.function, prec_opt=options.prec_opt,
                           compute=np.float64 if options.float64 else np.float32)
    except (ValueError, NotImplementedError, AssertionError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    arrays = {n: a.astype(np.float32) if a.dtype.kind == "V" else a for n, a in results.items()}
    np.savez(options.out, **arrays)
    return 0


if __name__ == "__main__":
    sys.exit(main())
