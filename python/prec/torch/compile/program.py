# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The step of one shape of batches: imported, compiled unless it was before, and opened."""
from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from ...cache import Cache
from ...calls import HostFunction
from ...errors import OutOfMemory
from ...ir import Graph, Kind
from ...module import Binding, Module
from ...sections import manifest_of
from ...text import Printer
from ...tools import more_options, run_tool
from .. import averages, custom
from ..importer import Import, import_known
from ..outputs import Measure
from ..verdicts import VERIFIED, Verdicts
from .ahead import Ahead, Note
from .memory import Device
from .together import Together

# Roles of what a model holds.
WEIGHTS = frozenset({"parameter", "frozen_parameter", "staged_parameter", "buffer"})


@dataclass(frozen=True)
class Options:
    """What all programs of a step have in common."""

    recipe: str
    target: str
    loss: Callable[..., torch.Tensor] | None
    clip_grad_norm: float | None
    accumulate: bool
    verify: bool
    attention: str
    compiler: tuple[str, ...]
    threads: int
    measure: Measure | None = None
    average: float | None = None
    mask_amax: bool = False
    # Which ranks run the step together; None of a process that adds up as one alone does.
    mesh: str | None = None

    @property
    def recipe_option(self) -> str:
        return f"--recipe-file={self.recipe}" if self.recipe.endswith(".json") else f"--recipe={self.recipe}"

    def arguments(self) -> list[str]:
        return [self.recipe_option, f"--target={self.target}", *(["--accumulate"] if self.accumulate else []),
                *([f"--mesh={self.mesh}"] if self.mesh is not None else []), *self.compiler]


@dataclass
class Program:
    """One module, its files, and what its graph says of its arguments."""

    module: Module
    path: Path
    graph: Path
    model: str
    verified: str
    # Arguments of a role by their names.
    batch: dict[str, Binding] = field(default_factory=dict)
    weights: dict[str, Binding] = field(default_factory=dict)
    states: dict[tuple[str, str], Binding] = field(default_factory=dict)
    scales: list[Binding] = field(default_factory=list)
    hyper: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    # What options.measure has asked for.
    measured: dict[str, Binding] = field(default_factory=dict)
    # Of inputs: the number of a label that does not count, and how many rows the table has that ids are of.
    ignored: dict[str, int] = field(default_factory=dict)
    vocabularies: dict[str, int] = field(default_factory=dict)
    guards: dict[str, tuple[str, ...]] = field(default_factory=dict)
    # Averages of weights by the names of these, and how many steps they are of.
    averages: dict[str, Binding] = field(default_factory=dict)
    # Of weights and buffers: those that a step writes, and other names of each.
    updated: frozenset[str] = frozenset()
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    manifest: dict[str, Any] = field(default_factory=dict)


class Compiler:
    """prec-compile with options, and the folder where modules are kept."""

    def __init__(self, options: Options, cache: Cache, log: Callable[[str], None]) -> None:
        self._options, self._cache, self._log = options, cache, log

    @functools.cached_property
    def _arguments(self) -> list[str]:
        arguments = self._options.arguments()
        return arguments + ([] if self._options.target == "cpu" else more_options("prec-compile", arguments))

    def module(self, graph: Graph, text: str, note: Note | None = None) -> Path:
        """The module of a graph that is this text, which is compiled unless it was before."""
        def build(source: Path, module: Path) -> None:
            self._log(f"compiling a step of {graph.model} for {_shapes(graph)}")
            run_tool("prec-compile", [source, *self._arguments, f"--kernel-cache={self._cache.folder / 'kernels'}", "-o", module], note)
        return self._cache.module(text, self._arguments, build)

    def say_memory(self, path: Path, device: Device, is_first: bool) -> str:
        """What a module is going to take, before it is opened. Of further lengths weights and states are there."""
        sizes = manifest_of(path)["segments"]
        parts = {"weights and states": sizes["state"] if is_first else 0, "workspace": sizes["workspace"],
                 "batch and results": sizes["input"] + sizes["output"], "constants": sizes["constants"]}
        said = f"{spell_bytes(sum(parts.values()))} (" + ", ".join(f"{name} {spell_bytes(size)}" for name, size in parts.items() if size) + ")"
        free = device.free_bytes()
        self._log(f"the step takes {said}" if free is None else f"the step takes {said} of {device.torch_device}, which has "
                  f"{spell_bytes(free)} free")
        return said

    def beside(self, ahead: Ahead, graph: Graph) -> contextlib.AbstractContextManager[None]:
        """A block in which the graph is compared, which is compiled meanwhile."""
        text = text_of(graph, VERIFIED)
        return ahead.during(text, lambda note: self.module(graph, text, note))


def import_step(model: torch.nn.Module, optimizers: Sequence[torch.optim.Optimizer], batch: Any, options: Options, verdicts: Verdicts,
                beside: Callable[[Graph], contextlib.AbstractContextManager[None]] | None) -> Import:
    """beside: of import_known."""
    with warnings.catch_warnings(), torch.enable_grad():
        # Each step is given the rate of its own time.
        warnings.filterwarnings("ignore", message="a scheduler has set the learning rate")
        return import_known(verdicts, model, list(optimizers), batch, options.loss, options.clip_grad_norm, attention=options.attention,
                            verify=options.verify, measure=options.measure, average=options.average, mask_amax=options.mask_amax,
                            whole_buffers=True, beside=beside)


def make_program(imported: Import, options: Options, compiler: Compiler, ahead: Ahead, device: Device, state_of: Program | None,
                 ranks: Together | None = None) -> Program:
    """Compiles an imported step, or finds it compiled, and opens it; with the state of another program, if there is
    one. ahead: of what was begun before."""
    text = text_of(imported.graph, imported.verified)
    ahead.finish(text)
    if ranks is not None:
        ranks.check_alike(text)

    def compiled() -> Path:
        return compiler.module(imported.graph, text)
    path = compiled() if ranks is None else ranks.one_first(compiled)
    said = compiler.say_memory(path, device, state_of is None)
    try:
        module = device.open(path, options.threads, None if state_of is None else state_of.module, _functions(imported.graph),
                             None if ranks is None else ranks.communicator)
    except OutOfMemory as error:
        raise OutOfMemory(f"{error}: the step takes {said}; give prec.compile max_memory=, or smaller batches (accumulate=True adds them "
                          "up)") from error
    if ranks is not None:
        ranks.module = module
    program = _describe(Program(module, path, path.with_name("graph.mlir"), imported.graph.model, imported.verified), imported.graph)
    if options.average is not None:
        program.averages = {name.removeprefix(averages.PREFIX): b for name, b in program.weights.items() if name.startswith(averages.PREFIX)}
    return program


def _functions(graph: Graph) -> dict[str, HostFunction]:
    """What computes a graph's calls of the user's own operations on the CPU."""
    return custom.functions_of({op.attrs["function"] for op in graph.ops if op.name == Kind.CUSTOM})


def _describe(program: Program, graph: Graph) -> Program:
    module = program.module
    program.manifest = module.manifest
    for binding in module.bindings:
        if binding.role == "batch":
            program.batch[binding.name] = binding
        elif binding.role in WEIGHTS:
            program.weights[binding.name] = binding
        elif binding.role == "optimizer_state":
            program.states[binding.parameter, binding.slot] = binding
        elif binding.role == "scale_state":
            program.scales.append(binding)
    program.hyper = tuple(b.name for b in module.bindings if b.role == "hyper")
    program.metrics = tuple(b.name for b in module.bindings if b.role == "metric" and not b.shape)
    program.measured = {b.name: b for b in module.bindings if b.role == "metric" and b.shape}
    program.guards = {entry["name"]: tuple(entry["tensors"]) for entry in program.manifest["bindings"] if entry["role"] == "guard"}
    inputs = [entry for entry in program.manifest["bindings"] if entry["role"] == "batch"]
    program.ignored = {entry["name"]: entry["ignore_index"] for entry in inputs if "ignore_index" in entry}
    program.vocabularies = {entry["name"]: entry["vocabulary"] for entry in inputs if "vocabulary" in entry}
    program.updated = frozenset(result.path for result in graph.results if result.role == "updated")
    program.aliases = {a.path: tuple(a.attrs.get("aliases", ())) for a in graph.arguments if a.role in WEIGHTS}
    return program


def text_of(graph: Graph, verified: str) -> str:
    """The graph's text with this verdict, and but for how many steps were taken before: a training that goes on is the
    same program."""
    step = next((a for a in graph.arguments if a.role == "hyper" and a.path == "step"), None)
    before = graph.verified, None if step is None else step.attrs["default"]
    graph.verified = verified
    if step is not None:
        step.attrs["default"] = 1.0
    try:
        return Printer(graph).module()
    finally:
        graph.verified = before[0]
        if step is not None:
            step.attrs["default"] = before[1]


def spell_bytes(count: int) -> str:
    """In the unit that has one to three digits in front of the point."""
    size, units = float(count), iter(("KiB", "MiB", "GiB", "TiB"))
    unit = "bytes"
    while size >= 1000:
        size, unit = size / 1024, next(units)
    return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"


def _shapes(graph: Graph) -> str:
    return ", ".join(f"{a.path} {list(a.value.shape)}" for a in graph.arguments if a.role == "batch")
