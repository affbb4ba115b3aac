# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's own samples of its operations (OpInfo), each imported forward and backward.

    PYTHONPATH=python python test/Import/opinfo.py [--part 0.05] [--seed 0] [--per-op 1] [--shard 0/16] [--json FILE] [NAME...]

prints a line for each sample that is not `verified`, and how many there are of each kind; with --json it adds a line
for each operation to a file, from which `--table FILE` (with the same --per-op) writes
benchmarks/results/opinfo.json. A sample is left out where a step cannot have it: a tensor without elements, complex
numbers, a result that no gradient follows from, or an operation that is refused by name (python/prec/torch/refused.py
says which, and why). Of a sample whose loss is no number in PyTorch, or becomes none by one step, there is nothing to
compare.
"""
from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import types
import unittest
import warnings
from collections import Counter
from pathlib import Path

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import prec
from prec.torch.refused import REFUSED

# What the message of a refusal says where a step cannot have the sample at all.
IMPOSSIBLE = ("every tensor must be real", "every tensor of a step must have elements", "a tensor must have elements",
              "every shape must be known before values are", "must draw from no random generator", "must not read a computed value",
              "whole numbers must be torch.bool", "PyTorch's own loss is", "PyTorch's own second step's loss is")


class Sample(torch.nn.Module):
    """One call; its tensors that take a gradient are parameters, the others buffers."""

    def __init__(self, function, sample):
        super().__init__()
        self.function, self.comparable = function, sample.output_process_fn_grad
        leaves, self.spec = tree_flatten((sample.input, tuple(sample.args), dict(sample.kwargs)))
        self.leaves = []
        for number, leaf in enumerate(leaves):
            name = f"t{number}"
            if isinstance(leaf, torch.Tensor) and leaf.requires_grad and leaf.dtype == torch.float32:
                self.register_parameter(name, torch.nn.Parameter(leaf.detach().clone(memory_format=torch.contiguous_format)))
            elif isinstance(leaf, torch.Tensor):
                self.register_buffer(name, leaf.detach().clone())
            self.leaves.append(name if isinstance(leaf, torch.Tensor) else leaf)

    def forward(self, one):
        leaves = [getattr(self, leaf) if isinstance(leaf, str) and leaf.startswith("t") and hasattr(self, leaf) else leaf for leaf in self.leaves]
        # An operation may write to its operands.
        leaves = [leaf * one if isinstance(leaf, torch.nn.Parameter) else leaf for leaf in leaves]
        given, args, kwargs = tree_unflatten(leaves, self.spec)
        # Of a factorization, what does not depend on the signs that it chooses.
        result = self.comparable(self.function(given, *args, **kwargs))
        results = [r for r in tree_flatten(result)[0] if isinstance(r, torch.Tensor)]
        results = [torch.view_as_real(r.resolve_conj()) if r.is_complex() else r for r in results if r.is_complex() or r.is_floating_point()]
        # Squares, too, so that the sum is not one that cancels.
        return sum((r.float() * (torch.arange(1, r.numel() + 1).cos().reshape(r.shape) + r.float())).sum() for r in results)


def samples(names=(), per_op=None, part=1.0, seed=0, shard=(0, 1)):
    """(name, function, sample) of what has a gradient in float32. `shard`: every so manieth operation alone."""
    # A class of it is a base of PyTorch's own tests, which nothing here runs.
    sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase))  # type: ignore[arg-type]
    from torch.testing._internal.common_methods_invocations import op_db
    choice = random.Random(seed)
    for number, info in enumerate(op_db):
        if number % shard[1] != shard[0]:
            continue
        name = f"{info.name}.{info.variant_test_name}" if info.variant_test_name else info.name
        if "sparse" in name or names and name not in names or not info.supports_autograd or not info.supports_dtype(torch.float32, "cpu"):
            continue
        if part < 1 and choice.random() >= part:
            continue
        torch.manual_seed(seed)
        for sample in itertools.islice(info.sample_inputs("cpu", torch.float32, requires_grad=True), per_op):
            yield name, info.op, sample


def outcome(function, sample):
    """ "verified", "impossible", "refused", "constant", or what went wrong."""
    model = Sample(function, sample)
    if not any(p.numel() for p in model.parameters()):
        return "impossible"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loss = model(torch.ones(()))
            if not isinstance(loss, torch.Tensor) or not loss.requires_grad:
                return "constant"
            found = prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=1e-4), {"one": torch.ones(())}).verified
            return "impossible" if any(words in found for words in IMPOSSIBLE) else found
    except prec.ImportFailure as failure:
        text = str(failure)
        if any(words in text for words in IMPOSSIBLE):
            return "impossible"
        if "dropout must set elements or channels to zero" in text:
            return "refused"
        unknown = [line.split()[0] for line in text.splitlines()[1:] if line.startswith("  ")]
        return "refused" if unknown and any(op in REFUSED for op in unknown) else text.replace("\n", " | ")


def judged(function, sample):
    """ "verified", "impossible", "refused", "constant" or "failed", and what was said."""
    try:
        found = outcome(function, sample)
    except Exception as error:
        found = f"{type(error).__name__} {error}"
    kind = found if found in ("verified", "impossible", "refused", "constant") else "failed"
    return kind, found[:300].replace("\n", " | ")


def share(kinds):
    """Of the samples that a step can have, those that are verified."""
    return kinds["verified"] / max(kinds["verified"] + kinds["failed"], 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--part", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--per-op", type=int)
    parser.add_argument("--shard", default="0/1")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--table", type=Path)
    options = parser.parse_args()
    if options.table:
        write_table(options.table, options.per_op)
        return
    torch.set_num_threads(1)
    part, parts = map(int, options.shard.split("/"))
    total = Counter()
    chosen = samples(options.names, options.per_op, options.part, options.seed, (part, parts))
    for name, group in itertools.groupby(chosen, key=lambda one: one[0]):
        kinds, first = Counter(), ""
        for _, function, sample in group:
            kind, text = judged(function, sample)
            kinds[kind] += 1
            if kind == "failed":
                first = first or text
                print(name, text, flush=True)
        total += kinds
        if options.json:
            with options.json.open("a") as file:
                file.write(json.dumps({"name": name, **kinds, **({"first": first} if first else {})}) + "\n")
    print(dict(total), f"{share(total):.1%} of {total['verified'] + total['failed']}", flush=True)


def write_table(lines, per_op):
    """The measured shares, by operation, and how many samples of each were asked for."""
    found = {entry.pop("name"): entry for entry in map(json.loads, lines.read_text().splitlines())}
    total = Counter()
    for entry in found.values():
        total.update({kind: count for kind, count in entry.items() if kind != "first"})
    written = {"torch": torch.__version__.partition("+")[0], "samples of each": per_op or "all", "samples": dict(total),
               "verified": round(share(total), 4),
               "operations": dict(sorted(found.items()))}
    (Path(__file__).resolve().parents[2] / "benchmarks/results/opinfo.json").write_text(json.dumps(written, indent=1) + "\n")


if __name__ == "__main__":
    main()
