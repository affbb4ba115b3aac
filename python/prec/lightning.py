# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lightning's Trainer with a compiled step in the place of training_step, backward, clipping and update.

    trainer = lightning.Trainer(max_steps=1000, callbacks=[prec.lightning.CompiledStep(recipe="fp8-hybrid")])
    trainer.fit(module, data)

The step is compiled for the first batch, of the module's own training_step and optimizer. Everything else is
Lightning's: schedulers, accumulation, logging, evaluation, checkpoints. While it fits, three methods of the module are
replaced: training_step runs the compiled step, and backward and configure_gradient_clipping have nothing to do.
training_step itself runs in the trace alone, without a trainer, and what it logs there is logged of each step, if it is
the loss or a tensor that follows from it or from the batch.
"""
from __future__ import annotations

import contextlib
import functools
import inspect
import os
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import lightning
import torch

from .errors import StepFailure
from .torch.compile.front import compile
from .torch.compile.private import is_same_memory
from .torch.compile.step import Step

_LOSS = "loss"
_PRECISIONS = ("32-true", "bf16-true", "16-true", "64-true", "32", 32)


class CompiledStep(lightning.Callback):
    """recipe: which formats. options: further arguments of prec.compile."""

    def __init__(self, recipe: str | os.PathLike[str] = "fp8-hybrid", **options: Any) -> None:
        own = {"accumulate", "clip_grad_norm", "loss", "measure"} & options.keys()
        if own:
            raise StepFailure(f"options must leave {', '.join(sorted(own))} to Lightning's Trainer and the module, which decide them")
        self._options = {"recipe": recipe, **options}
        self._step: Step | None = None
        self._traced: _Traced | None = None
        self._state: dict[str, Any] | None = None
        self._updates = False

    @property
    def step(self) -> Step | None:
        """The compiled step, once there is one."""
        return self._step

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        if self._step is None:
            self._compile(trainer, pl_module, batch)

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        self._leave(pl_module)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self._leave(pl_module)

    def state_dict(self) -> dict[str, Any]:
        return {} if self._step is None else {"step": self._step.state_dict()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self._state = state_dict.get("step")

    def _compile(self, trainer: Any, module: Any, batch: Any) -> None:
        _check(trainer, module)
        accumulate = trainer.accumulate_grad_batches > 1
        options: dict[str, Any] = {"target": "cpu"} if trainer.strategy.root_device.type == "cpu" else {}
        options |= self._options
        if accumulate:
            # Lightning divides each loss by the number of micro-batches.
            options["compiler_options"] = [*options.get("compiler_options", ()), "--micro-batch-weights=equal"]
        clip = trainer.gradient_clip_val
        traced = _Traced(module)
        with traced.alone():
            step = compile(traced, trainer.optimizers[0], (batch,), loss=_loss_of, measure=_measure, accumulate=accumulate,
                           clip_grad_norm=clip if clip else None, **options)
        if self._state is not None:
            step.load_state_dict(self._state)
            self._state = None
        if traced.logged.left_out:
            names = ", ".join(sorted(traced.logged.left_out))
            warnings.warn(f"training_step logs {names}, which a compiled step leaves out: it logs the loss, and tensors that are computed of the "
                          "batch", stacklevel=2)
        self._step, self._traced = step, traced
        self._take(module)

    def _take(self, module: Any) -> None:
        own_step, own_update = module.training_step, module.optimizer_step

        @functools.wraps(own_step)
        def training_step(batch: Any, *_: Any, **__: Any) -> torch.Tensor:
            return self._train(module, batch)

        def optimizer_step(*arguments: Any, **others: Any) -> Any:
            # Micro-batches before the last run outside of it.
            self._updates = True
            try:
                return own_update(*arguments, **others)
            finally:
                self._updates = False
        vars(module).update(training_step=training_step, optimizer_step=optimizer_step, backward=_nothing, configure_gradient_clipping=_nothing)

    def _leave(self, module: Any) -> None:
        """The module is as it was, with its trained weights."""
        if self._step is None:
            return
        for name in ("training_step", "optimizer_step", "backward", "configure_gradient_clipping"):
            vars(module).pop(name, None)
        self._step.close()
        self._step = self._traced = None

    def _train(self, module: Any, batch: Any) -> torch.Tensor:
        step, traced = self._step, self._traced
        assert step is not None and traced is not None
        with traced.alone():
            if not step.accumulates:
                loss = step((batch,))
            else:
                loss = step.accumulate((batch,))
                if self._updates:
                    step.apply()
        traced.log(loss, {} if step.was_completed else step.measured)
        return loss


class _Log:
    """What training_step logs. No module, as a trace puts back what it changes in modules."""

    def __init__(self) -> None:
        # Of each entry its name, what its value is of the output, and the further arguments.
        self.entries: list[tuple[str, str, dict[str, Any]]] = []
        self.values: dict[str, torch.Tensor] = {}
        self.left_out: set[str] = set()
        self._noted: list[tuple[str, Any, dict[str, Any]]] = []

    def begin(self) -> None:
        self._noted = []

    def note(self, name: str, value: Any, *_: Any, **options: Any) -> None:
        self._noted.append((name, value, options))

    def note_all(self, dictionary: Mapping[str, Any], *_: Any, **options: Any) -> None:
        for name, value in dictionary.items():
            self.note(name, value, **options)

    def end(self, loss: torch.Tensor) -> None:
        self.entries, self.values = [], {}
        for name, value, options in self._noted:
            if not isinstance(value, torch.Tensor) or value.numel() != 1:
                self.left_out.add(name)
            elif value is loss or is_same_memory(value, loss):
                self.entries.append((name, _LOSS, options))
            else:
                self.values[f"logged.{name}"] = value.detach().reshape(1)
                self.entries.append((name, f"logged.{name}", options))
        self._noted = []


class _Traced(torch.nn.Module):
    """training_step as forward. What it logs is noted."""

    def __init__(self, module: Any) -> None:
        super().__init__()
        self.module = module
        self.training = module.training
        self.logged = _Log()
        # The index of a batch is 0 in the trace: training_step must not follow from it.
        self._others = (0,) if len(inspect.signature(type(module).training_step).parameters) > 2 else ()

    def forward(self, batch: Any) -> dict[str, Any]:
        self.logged.begin()
        output = type(self.module).training_step(self.module, batch, *self._others)
        loss = output.get("loss") if isinstance(output, Mapping) else output
        if not isinstance(loss, torch.Tensor):
            raise StepFailure(f"training_step must return a loss, or a dictionary with one, but returns {type(output).__name__}")
        self.logged.end(loss)
        return {_LOSS: loss, "logged": self.logged.values}

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """The module without its trainer, whose numbers would be part of the step, and with a log that notes."""
        held = vars(self.module)
        names = ("_trainer", "log", "log_dict")
        before = {name: held[name] for name in names if name in held}
        held.update(_trainer=None, log=self.logged.note, log_dict=self.logged.note_all)
        try:
            yield
        finally:
            for name in names:
                held.pop(name, None)
            held.update(before)

    def log(self, loss: torch.Tensor, measured: Mapping[str, torch.Tensor]) -> None:
        for name, source, options in self.logged.entries:
            if source == _LOSS or source in measured:
                self.module.log(name, loss if source == _LOSS else measured[source].squeeze(0), **options)


def _measure(output: Mapping[str, Any], _: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return dict(output["logged"])


def _loss_of(output: Mapping[str, Any]) -> torch.Tensor:
    loss: torch.Tensor = output[_LOSS]
    return loss


def _nothing(*_: Any, **__: Any) -> None:
    """In the place of a method that would act on gradients, which are inside of the step."""


def _check(trainer: Any, module: Any) -> None:
    """What a step would leave out without a word."""
    kind = type(module)
    base = lightning.LightningModule

    def overrides(name: str) -> bool:
        return getattr(kind, name) is not getattr(base, name)
    wrong = {
        "automatic_optimization must be True": not module.automatic_optimization,
        "there must be one optimizer": len(trainer.optimizers) != 1,
        "there must be one process and one device": trainer.world_size > 1,
        f"precision must be {_PRECISIONS[0]} or {_PRECISIONS[1]}": trainer.precision not in _PRECISIONS,
        "gradient_clip_algorithm must be norm": bool(trainer.gradient_clip_val) and trainer.gradient_clip_algorithm == "value",
        **{f"{name} must be LightningModule's": overrides(name) for name in
           ("backward", "configure_gradient_clipping", "on_before_backward", "on_after_backward", "on_before_optimizer_step", "optimizer_zero_grad")},
    }
    for rule, broken in wrong.items():
        if broken:
            raise StepFailure(f"{rule} where a compiled step trains, but is another")
