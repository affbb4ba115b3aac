# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prec.compile."""
from __future__ import annotations

import dataclasses
import numbers
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch

from ...cache import Cache
from ...errors import StepFailure
from ...ranks import Communicator
from .. import averages
from ..outputs import Measure
from ..snapshot import RandomState
from ..structure import bare_model
from ..verdicts import Verdicts
from . import beside
from .ahead import Ahead
from .inputs import Inputs
from .memory import Device, Gpu, default_target, device_for
from .optimizer import numbers_of
from .private import on_cpu
from .program import Compiler, Options, Program, import_step, make_program, text_of
from .runner import GpuRunner, Runner
from .shapes import Programs
from .step import Step
from .together import Together, all_do, join
from .weights import Weights


@dataclass
class Parts:
    """What a step is made of."""

    model: torch.nn.Module
    optimizers: list[torch.optim.Optimizer]
    trained: dict[str, torch.nn.Parameter]
    options: Options
    device: Device
    programs: Programs
    weights: Weights
    runner: Runner
    check_weights: int
    verified: str
    ranks: Together | None
    # The text of the first program's graph, traced anew.
    retrace: Callable[[], str]
    # Other open steps that have tensors of the model.
    others: list[Step]


def compile(
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer | Sequence[torch.optim.Optimizer],
    batch: Mapping[str, Any] | Sequence[Any] | torch.Tensor,
    *,
    recipe: str | os.PathLike[str] = "fp8-hybrid",
    target: str | None = None,
    loss: Callable[..., torch.Tensor] | None = None,
    clip_grad_norm: float | None = None,
    accumulate: bool = False,
    rules: str | os.PathLike[str] | None = None,
    max_memory: str | None = None,
    compiler_options: Sequence[str] = (),
    attention: Literal["composite", "keep"] = "composite",
    verify: bool = True,
    cache: str | os.PathLike[str] | None = None,
    threads: int = 0,
    model_weights: Literal["eager", "lazy"] = "eager",
    check_weights: int = 0,
    lengths: int | Sequence[int] = 6,
    measure: Measure | None = None,
    average: float | None = None,
    mask_amax: bool = False,
    mesh: str | Communicator | None = None,
    communicator: Communicator | None = None,
    log: Callable[[str], None] | None = None,
) -> Step:
    """Compiles the training step of `model` under `optimizer` for batches like `batch`: forward, loss, backward,
    clipping and update in one program. Model and optimizer stay the user's (docs/Compiling.md).

        step = prec.compile(model, optimizer, batch, recipe="fp8-hybrid", clip_grad_norm=1.0)
        for batch in loader:
            loss = step(batch)
            scheduler.step()

    optimizer: of torch.optim, or a list of some (docs/Optimizers.md).
    batch: what forward takes, as a mapping of its keyword arguments or a sequence of positional ones.
    recipe: which formats (docs/Recipes.md): a name, or a file of one's own that ends in .json.
    target: "cpu", or a GPU such as "sm_90a"; by default the model's or the current GPU, if the compiler has it, else
      the CPU.
    loss: of the model's output, by default the output itself or its attribute or entry `loss`; and of what the batch
      has beyond forward's inputs: of a batch (images, labels) F.cross_entropy will do.
    clip_grad_norm: the largest norm of all gradients; infinity measures it alone; None does not clip.
    accumulate: whether steps may be of several micro-batches (step.accumulate, step.apply).
    rules, max_memory, compiler_options: of prec-compile.
    attention, verify: of prec.import_torch.
    cache: the folder where compiled steps are kept; ~/.cache/prec by default.
    threads: of a step on the CPU; 0 is one a processor.
    model_weights: "eager": tensors of the model that cannot be views (of a model in BF16) are filled again when it is
      called or saved; "lazy": by step.sync() alone.
    check_weights: every so many steps it is checked whether weights were written in a way that PyTorch does not count.
    lengths: of sequences: at most so many are compiled, each when a batch needs it, or which ones (docs/Compiling.md).
    measure: of the model's output and the batch's tensors by name, further tensors by name, such as the number of right
      predictions: step.metrics has them, of a step of several micro-batches their sums.
    average: the decay of an exponential moving average of the weights, which the step keeps: step.averages
      (docs/Optimizers.md).
    mask_amax: linear layers read zeros in rows of padding, as the attention_mask of the batch says, so that padding
      decides no scale (docs/Scaling.md).
    mesh: processes that train together (docs/Compiling.md): "dp", each with batches of its own; axes as of
      prec-compile --mesh=, such as "dp=2,tp=2" or "ep=4"; "none": alone; by default "dp" where torchrun, mpirun or srun
      started several.
    communicator: of prec.connect, where ranks are connected already; mesh=communicator is "dp" of these.
    log: is given a line where something takes long; stderr by default.
    Raises prec.Error: ImportFailure for what cannot be imported, CompileFailure, StepFailure.
    """
    ranks = join(mesh, communicator)
    # What one rank cannot do the others would wait for.
    with all_do(ranks, "prec.compile") as said:
        model = bare_model(model)
        optimizers = _optimizers(optimizer)
        _check(model, model_weights, check_weights, threads)
        _check_lengths(lengths)
        said["options"] = {"recipe": os.fspath(recipe), "clip_grad_norm": None if clip_grad_norm is None else float(clip_grad_norm),
                           "accumulate": bool(accumulate), "average": averages.decay_of(average), "mask_amax": bool(mask_amax),
                           "attention": attention, "compiler_options": _compiler_options(rules, max_memory, compiler_options)}
        if ranks is not None:
            said["options"]["mesh"] = str(ranks.mesh)
        said["numbers"] = numbers_of(optimizers)
    if ranks is not None and ranks.rank != 0 and log is None:
        log = _say_nothing  # Of all that is said once rank 0 is enough.
    device = device_for(target or default_target(model), model)
    say = log or (lambda line: print(f"prec: {line}", file=sys.stderr))
    if device.is_gpu:
        model.to(device.torch_device)
    options = Options(os.fspath(recipe), target or default_target(model), loss, clip_grad_norm, bool(accumulate), bool(verify), attention,
                      _compiler_options(rules, max_memory, compiler_options), threads, measure, averages.decay_of(average), bool(mask_amax),
                      None if ranks is None else str(ranks.mesh))
    if isinstance(batch, torch.Tensor):
        batch = (batch,)
    _drop_gradients(optimizers)
    others = beside.steps_of(model)
    for other in others:
        other._fill()
    _say_what_is_read(model, optimizers, others, say)
    store = Cache(cache)
    verdicts, compiler = Verdicts(store.folder / "verified"), Compiler(options, store, say)
    inputs = Inputs(model, batch, loss)

    def make(given: Any, state_of: Program | None) -> Program:
        # The order of the user's data may follow from the generators' states.
        state, ahead = RandomState(), Ahead()
        # Averages are added to what was compared, and of ranks one compiles for all.
        alone = ranks is None and options.average is None
        try:
            with all_do(ranks, "importing"), beside.importing(model, optimizers):
                imported = import_step(model, optimizers, given, options, verdicts,
                                       (lambda graph: compiler.beside(ahead, graph)) if alone else None)
        finally:
            state.restore()
        return make_program(imported, options, compiler, ahead, device, state_of, ranks)
    first = make(batch, None)
    inputs.fix([name for name in inputs.names if name not in first.batch])

    # Shapes of the first program may depend on its batch's values; no memory of a GPU is held for that.
    like = on_cpu(batch)

    def make_another(given: Any, state_of: Program) -> Program:
        weights.sync()
        return make(given, state_of)

    def retrace() -> str:
        state = RandomState()
        with beside.importing(model, optimizers):
            try:
                imported = import_step(model, optimizers, like, dataclasses.replace(options, verify=False), Verdicts(), None)
                return text_of(imported.graph, imported.verified)
            finally:
                state.restore()
    weights = Weights(model, first, device, model_weights == "lazy", ranks, [other._weights for other in others],
                      beside.owned(optimizers))
    if weights.given:
        say(f"{len(weights.given)} tensors of the model differ among ranks, such as {weights.given[0]}: all take those of rank 0")
    moved = [name for name, binding in first.weights.items() if binding.role == "buffer" and name in first.updated]
    if moved and options.accumulate:
        say(f"{len(moved)} buffers that forward changes, such as {moved[0]}, are changed once a step, by the mean of what its micro-batches would "
            "change: PyTorch changes them in each micro-batch")
    named = dict(model.named_parameters())
    trained = {name: p for name, p in named.items() if p.requires_grad and name in first.updated}
    runner = GpuRunner(device) if isinstance(device, Gpu) else Runner(device)
    programs = Programs(model, loss, first, inputs, make_another, lengths, _longest(model))
    parts = Parts(model, optimizers, trained, options, device, programs, weights, runner, check_weights, first.verified, ranks, retrace, others)
    return Step(parts)


def _say_nothing(_: str) -> None:
    """Of a rank that another one speaks for."""


def _optimizers(optimizer: Any) -> list[torch.optim.Optimizer]:
    given = [optimizer] if isinstance(optimizer, torch.optim.Optimizer) or not isinstance(optimizer, Sequence) else list(optimizer)
    # accelerate wraps one whose step it decides on.
    given = [getattr(one, "optimizer", one) if type(one).__name__ == "AcceleratedOptimizer" else one for one in given]
    for one in given:
        if not isinstance(one, torch.optim.Optimizer):
            raise StepFailure(f"the optimizer must be a torch.optim.Optimizer, or a list of some, but got {type(one).__name__}")
    if not given:
        raise StepFailure("a step must have an optimizer but got an empty list")
    return given


def _check(model: torch.nn.Module, model_weights: str, check_weights: int, threads: int) -> None:
    if model_weights not in ("eager", "lazy"):
        raise StepFailure(f'model_weights must be "eager" or "lazy" but got {model_weights!r}')
    if isinstance(check_weights, bool) or not isinstance(check_weights, numbers.Integral) or check_weights < 0:
        raise StepFailure(f"check_weights must be a number of steps, or 0, but got {check_weights!r}")
    if isinstance(threads, bool) or not isinstance(threads, numbers.Integral) or threads < 0:
        raise StepFailure(f"threads must be a number, or 0, but got {threads!r}")
    if any(torch.is_autocast_enabled(kind) for kind in ("cpu", "cuda")):
        raise StepFailure("prec.compile must be called outside of torch.autocast: recipe= chooses formats")
    if torch.is_inference_mode_enabled():
        raise StepFailure("prec.compile must be called outside of torch.inference_mode, whose tensors cannot train")
    if any(p.is_meta for p in model.parameters()):
        raise StepFailure("the model must hold weights but has some on the meta device: load them first")


def _check_lengths(lengths: Any) -> None:
    given = [lengths] if isinstance(lengths, numbers.Integral) else list(lengths)
    if isinstance(lengths, bool) or not given or any(not isinstance(one, numbers.Integral) or one < 1 for one in given):
        raise StepFailure(f"lengths must be the lengths of sequences, or how many there are at most, but got {lengths!r}")


def _longest(model: torch.nn.Module) -> int | None:
    """The longest sequence that a model of transformers takes, by its config."""
    longest = getattr(getattr(model, "config", None), "max_position_embeddings", None)
    return longest if isinstance(longest, int) else None


def _compiler_options(rules: Any, max_memory: str | None, others: Sequence[str]) -> tuple[str, ...]:
    if isinstance(others, str):
        raise StepFailure(f"compiler_options must be a list of options but got {others!r}")
    options = [] if rules is None else [f"--rules={os.fspath(rules)}"]
    options += [] if max_memory is None else [f"--max-memory={max_memory}"]
    for option in others:
        name = option.partition("=")[0]
        if not option.startswith("--") or name in _OWN:
            raise StepFailure(f"compiler_options must be options of prec-compile that prec.compile has no argument for, but got {option}")
        options.append(option)
    return tuple(options)


_OWN = {"--recipe", "--recipe-file", "--target", "--accumulate", "--rules", "--max-memory", "--kernel-cache", "--switchable", "--mesh"}


def _say_what_is_read(model: torch.nn.Module, optimizers: Sequence[torch.optim.Optimizer], others: Sequence[Step],
                      say: Callable[[str], None]) -> None:
    """Of parameters that no step trains it may be a mistake."""
    read = [name for name, p in beside.only_read(model, optimizers).items() if not any(other._weights.updates(p) for other in others)]
    if read:
        say(f"{len(read)} parameters that require gradients are in no group of the optimizer, such as {read[0]}: the step reads them and does "
            "not train them, as PyTorch")


def _drop_gradients(optimizers: Sequence[torch.optim.Optimizer]) -> None:
    """Those of backwards before: a step begins with none, and a leftover optimizer.step() would go on with them."""
    for one in optimizers:
        for group in one.param_groups:
            for p in group["params"]:
                p.grad = None
