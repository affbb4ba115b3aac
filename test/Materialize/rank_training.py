# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a step that is divided among ranks, by the interpreter of graphs: all ranks in one process."""
from __future__ import annotations

from typing import Any

import numpy as np

from prec.interpreter import Program, ranks

IGNORED = -100

State = dict[tuple[str, str | None], Any]


def name_of(attributes: dict[str, Any]) -> tuple[str, str | None]:
    return attributes.get("prec_train.path"), attributes.get("prec_train.slot")


def labels(tokens: np.ndarray, ignored: int) -> np.ndarray:
    """Of which the first ones do not count."""
    flat = tokens.reshape(-1).copy()
    flat[:ignored] = IGNORED
    return flat.reshape(tokens.shape)


def start(of: Program, seed: int) -> State:
    """Weights of a training that begins, whole."""
    random = np.random.default_rng(seed)
    step = of.function()
    state: State = {}
    for argument in step.arguments:
        if argument.role == "parameter":
            shape = list(argument.type.shape)
            if "prec_train.shard" in argument.attributes:
                shape[argument.attributes["prec_train.shard_dim"]] *= ranks_of(of)
            state[name_of(argument.attributes)] = (random.standard_normal(shape) * (0.1 if len(shape) > 1 else 1)).astype(np.float32)
    return state


def ranks_of(of: Program) -> int:
    """From the program's own exchanges."""
    for op in of.function().operations:
        if op.name == "prec_train.exchange" and op.attributes["kind"] == "all_gather":
            return int(op.result_types[0].shape[0])
    raise AssertionError("a program of ranks exchanges something")


class Training:
    """The states of all ranks."""

    def __init__(self, of: Program, seed: int = 0) -> None:
        self.program, self.count = of, ranks_of(of)
        whole = start(of, seed)
        self.states: list[State] = [{name: self.shard(name, x, rank) for name, x in whole.items()} for rank in range(self.count)]
        # What an earlier step left in sums is overwritten.
        for name in of.called_for("accumulate"):
            for argument in of.function(name).arguments:
                if argument.attributes.get("prec_train.path") == "accumulated":
                    for state in self.states:
                        state[name_of(argument.attributes)] = np.full(argument.type.shape, np.nan, np.float32)
        self.run("init", [{}] * self.count)

    def argument(self, name: tuple[str, str | None]) -> Any:
        return next(a for a in self.program.function().arguments if name_of(a.attributes) == name)

    def shard(self, name: tuple[str, str | None], x: np.ndarray, rank: int) -> np.ndarray:
        attributes = self.argument(name).attributes
        return np.split(x, self.count, attributes["prec_train.shard_dim"])[rank] if "prec_train.shard" in attributes else x

    def run(self, entry: str, inputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Runs an entry point on all ranks, and keeps what it returns for later; losses and metrics come back."""
        [name] = self.program.called_for(entry)
        function = self.program.function(name)
        given = []
        for state, own in zip(self.states, inputs):
            given.append({a.name: state.get(name_of(a.attributes), own.get(a.attributes["prec_train.path"]))
                          for a in function.arguments if name_of(a.attributes) in state or a.attributes["prec_train.path"] in own})
        found = []
        for state, results in zip(self.states, ranks.run(self.program, given, function=name)):
            metrics = {}
            for binding, x in zip(function.results, results):
                to = binding.attributes.get("prec_train.donated_to")
                if to is not None:
                    state[name_of(function.arguments[to].attributes)] = x
                elif entry == "init":
                    state[name_of(binding.attributes)] = x
                else:
                    metrics[binding.name] = x
            found.append(metrics)
        return found

    def whole(self) -> State:
        """All states but sums, of which ranks have a slice or the same."""
        found: State = {}
        for name in self.states[0]:
            if name[0] == "accumulated":
                continue
            parts = [state[name] for state in self.states]
            arguments = [a for a in self.program.function().arguments if name_of(a.attributes) == name]
            if arguments and "prec_train.shard" in arguments[0].attributes:
                found[name] = np.concatenate(parts, arguments[0].attributes["prec_train.shard_dim"])
                continue
            for part in parts[1:]:
                assert np.array_equal(bits(part), bits(parts[0])), name
            found[name] = parts[0]
        return found


def bits(x: np.ndarray) -> np.ndarray:
    x = np.ascontiguousarray(x)
    return x.reshape(-1).view(np.uint8)


def batches(of: Program, count: int, ignored: list[int], seed: int) -> list[dict[str, Any]]:
    random = np.random.default_rng(seed)
    found = []
    for number in range(count):
        batch: dict[str, Any] = {"step": float(seed + 1)}
        for argument in of.function().arguments:
            if argument.role == "batch":
                tokens = random.integers(0, 48, argument.type.shape)
                is_labels = "prec_train.ignore_index" in argument.attributes
                batch[argument.attributes["prec_train.path"]] = labels(tokens, ignored[number]) if is_labels else tokens
        found.append(batch)
    return found
