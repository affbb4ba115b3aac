# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A training step by hand for one process or for several ranks, and what starts it on several.

Two parameters with a momentum are divided among ranks, along their first and their second dimension; a third one is
not. Gradients follow from token ids, and all numbers are whole multiples of a power of two that are small enough to be
exact: ranks, micro-batches and NumPy get the same bits in whatever order they add."""
from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import numpy as np
from rank_processes import free_port
from step_module import StepModule

HERE = pathlib.Path(__file__).resolve().parent
LENGTH, VOCABULARY = 8, 64
SHAPES = {"w": [8, 6], "u": [3, 8], "b": [5]}
DIVIDED = {"w": 0, "u": 1}
STEP = 2.0 ** -6


def gradient(name: str, ids: np.ndarray) -> np.ndarray:
    """That of one micro-batch of LENGTH ids."""
    shape = SHAPES[name]
    index = np.arange(np.prod(shape)).reshape(shape)
    return (ids[index % LENGTH] * STEP).astype(np.float32)


def reference(weights: dict, momenta: dict, batches: list[np.ndarray], lr: float = 0.5) -> float:
    """A step over micro-batches in NumPy; updates both dictionaries, returns the loss."""
    for name in SHAPES:
        total = sum(gradient(name, ids) for ids in batches)
        momenta[name] = np.float32(0.5) * momenta[name] + total
        weights[name] = weights[name] - np.float32(lr) * momenta[name]
    return float(np.mean([np.sum(ids) * STEP for ids in batches]))


def divided(ranks: int = 1, accumulate: bool = False, sleep: float = 0, flavour: str = "by hand") -> StepModule:
    """`sleep`: seconds that a step takes beside. `flavour`: the name of the recipe, by which modules differ."""
    m = StepModule()
    m.manifest["recipe"] = flavour
    if ranks > 1:
        m.manifest["mesh"] = [{"axis": "dp", "size": ranks}]
    ids = m.bind("input_ids", "batch", "i32", [1, LENGTH], vocabulary=VOCABULARY)
    lr = m.bind("lr", "hyper", "f32", [], default=0.5)
    m.bind("step", "hyper", "f32", [])
    # Of all ranks: number r is rank r's first, and number `ranks` behind it its next one.
    part = m.bind("micro_batch", "hyper", "f32", [])
    loss = m.bind("loss", "loss", "f32", [])

    def local(name):
        return [extent // ranks if dim == DIVIDED.get(name) else extent for dim, extent in enumerate(SHAPES[name])]

    def shard(name):
        return {"shard": {"dim": DIVIDED[name], "axis": "dp"}} if ranks > 1 and name in DIVIDED else {}
    weights = {name: m.bind(name, "parameter", "f32", local(name), **shard(name)) for name in SHAPES}
    momenta = {name: m.bind(f"{name}.momentum", "optimizer_state", "f32", local(name), parameter=name, slot="momentum", **shard(name))
               for name in SHAPES}

    def collective(entry, op, name, a, d):
        m.command(entry, op, name, [a], [d], a=a, d=d, axis="dp")
    m.manifest["entry_points"]["eval"] = []
    m.kernel("eval", "loss", [ids], [loss], 1, f"*b1 = 0; for (int j = 0; j < {LENGTH}; ++j) *b1 += b0[j] * {STEP!r}f;")
    entries = [("step", "step")] + ([("accumulate", "apply")] if accumulate else [])
    for forward, update in entries:
        parted = forward == "accumulate"
        segment = "state" if parted else "workspace"  # What micro-batches add up outlives an entry point.
        own_loss = m.buffer(segment, "f32", [1])
        add = f"for (int j = 0; j < {LENGTH}; ++j) *b{{}} += b0[j] * {STEP!r}f;"
        if parted:
            m.kernel(forward, "own loss", [ids, part], [own_loss], 1, f"if (*b1 < {ranks}) *b2 = 0; " + add.format(2))
            m.kernel(forward, "loss", [ids], [loss], 1, "*b1 = 0; " + add.format(1))
        else:
            m.kernel(forward, "own loss", [ids], [own_loss], 1, "*b1 = 0; " + add.format(1))
        count = m.buffer(segment, "f32", [1])
        m.kernel(forward, "count", [part], [count], 1, f"*b1 = (int)*b0 / {ranks} + 1;" if parted else "*b1 = 1;")
        if sleep:
            m.kernel(forward, "sleep", [ids], [m.temporary("f32", [1])], 1, f"extern int usleep(unsigned); usleep({int(sleep * 1e6)}); *b1 = 0;")
        losses = m.temporary("f32", [ranks])
        if ranks > 1:
            collective(update, "all_gather", "all losses", own_loss, losses)
        m.kernel(update, "mean loss", [losses if ranks > 1 else own_loss, count], [loss], 1,
                 f"float s = 0; for (int r = 0; r < {ranks}; ++r) s += b0[r]; *b2 = s / {ranks} / *b1;")
        for name, shape in SHAPES.items():
            size, own = int(np.prod(shape)), int(np.prod(local(name)))
            given = m.buffer(segment, "f32", [size])
            inner = shape[-1]
            # Where element i of the blocks of ranks is in the tensor.
            where = "i" if DIVIDED.get(name) != 1 else (
                f"(i % {own}) / {inner // ranks} * {inner} + i / {own} * {inner // ranks} + i % {inner // ranks}")
            value = f"b0[({where}) % {LENGTH}] * {STEP!r}f"
            if parted:
                m.kernel(forward, f"gradient {name}", [ids, part], [given], size, f"b2[i] = (*b1 < {ranks} ? 0 : b2[i]) + {value};")
            else:
                m.kernel(forward, f"gradient {name}", [ids], [given], size, f"b1[i] = {value};")
            got, blocks, stride = given, 1, 0
            if ranks > 1:
                blocks, stride = ranks, own
                got = m.temporary("f32", [ranks * own])
                collective(update, "all_to_all" if name in DIVIDED else "all_gather", f"exchange {name}", given, got)
            m.kernel(update, f"update {name}", [weights[name], momenta[name], got, lr], [weights[name], momenta[name]], own,
                     f"float s = 0; for (int r = 0; r < {blocks}; ++r) s += b2[r * {stride} + i]; b1[i] = 0.5f * b1[i] + s; b0[i] -= *b3 * b1[i];",
                     phase="optimizer")
    return m


def exchange_module(ranks: int, chip: str = "", buckets: bool = False) -> StepModule:
    """Every command on blocks of several sizes; what each gets is a metric. In buckets, those of a kind begin together:
    the first is awaited by a command, the second by the end."""
    m = StepModule()
    if chip:
        m.manifest["target"] = {"kind": "cuda", "chip": chip}
    m.manifest["mesh"] = [{"axis": "dp", "size": ranks}]
    given = {}
    for name, dtype, block in (("small", "f32", [3]), ("odd", "i8", [5, 3]), ("large", "i32", [700_000]), ("none", "f32", [0, 4])):
        own = m.bind(f"own.{name}", "batch", dtype, block)
        given[name] = own, m.bind(f"all.{name}", "batch", dtype, [ranks, *block]), dtype, block
    for number, (op, d) in enumerate([("all_gather", "gathered"), ("all_to_all", "turned"), ("own_slice", "sliced")]):
        for name, (own, all_, dtype, block) in given.items():
            a = own if op == "all_gather" else all_
            to = m.bind(f"{d}.{name}", "metric", dtype, block if op == "own_slice" else [ranks, *block])
            m.command("step", op, f"{op} {name}", [a], [to], a=a, d=to, axis="dp", **({"bucket": number} if buckets and number < 2 else {}))
    loss = m.bind("loss", "loss", "f32", [])
    m.command("step", "fill", "loss", [], [loss], dst=loss, **({"awaits": [0]} if buckets else {}))
    return m


def check_exchanged(ranks: int, out: pathlib.Path) -> None:
    """What the ranks of an exchange_module have written (programs/exchange.py)."""
    seen = [np.load(f"{out}.{rank}.npz") for rank in range(ranks)]
    for name in ("small", "odd", "large", "none"):
        own = np.stack([rank[f"own.{name}"] for rank in seen])
        all_ = np.stack([rank[f"all.{name}"] for rank in seen])
        for rank, values in enumerate(seen):
            np.testing.assert_array_equal(values[f"gathered.{name}"], own)
            np.testing.assert_array_equal(values[f"turned.{name}"], all_[:, rank])
            np.testing.assert_array_equal(values[f"sliced.{name}"], all_[rank, rank])


def write_tokens(path: pathlib.Path, count: int, seed: int = 0) -> np.ndarray:
    tokens = np.random.default_rng(seed).integers(0, VOCABULARY, count, dtype=np.uint16)
    tokens.tofile(path)
    return tokens


def environment(rank: int, ranks: int, port: int, **more: str) -> dict[str, str]:
    """As torchrun makes it."""
    given = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "SLURM_", "RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_"))}
    return given | {"RANK": str(rank), "WORLD_SIZE": str(ranks), "LOCAL_RANK": str(rank), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
                    "OPENBLAS_NUM_THREADS": "1", **more}


class Ranks:
    """Processes of one run."""

    def __init__(self, commands: list[list], environments: list[dict[str, str]]):
        self.processes = [subprocess.Popen([str(word) for word in command], env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                           text=True)
                          for command, variables in zip(commands, environments, strict=True)]

    def finish(self, timeout: float = 60) -> list[subprocess.CompletedProcess]:
        done = []
        try:
            for process in self.processes:
                out, err = process.communicate(timeout=timeout)
                done.append(subprocess.CompletedProcess(process.args, process.returncode, out, err))
        finally:
            for process in self.processes:
                process.kill()
        return done


def start(ranks: int, command: list, port: int | None = None, world: int | None = None) -> Ranks:
    port = port or free_port()
    return Ranks([command] * ranks, [environment(rank, world or ranks, port) for rank in range(ranks)])


def run(ranks: int, command: list, timeout: float = 60) -> list[subprocess.CompletedProcess]:
    return start(ranks, command).finish(timeout)


def program(name: str, *arguments) -> list:
    """A Python program beside this file, which each rank runs."""
    return [sys.executable, HERE / "programs" / f"{name}.py", *arguments]
