# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""transformers' Trainer with a compiled step in the place of forward, backward, clipping and update.

    trainer = prec.transformers.Trainer(model=model, args=args, train_dataset=data, recipe="fp8-hybrid")
    trainer.train()

Everything else is transformers' own under the same TrainingArguments: logging, evaluation, checkpoints, resuming,
schedulers, accumulation, max_grad_norm. The step is compiled for the first batch. A checkpoint has one file more,
`prec_step.pt`, with what a resumed training needs beside weights and optimizer.
"""
from __future__ import annotations

import copy
import inspect
import os
import warnings
from collections.abc import Mapping
from typing import Any

import torch
import transformers
from transformers.trainer import OPTIMIZER_NAME

from .errors import StepFailure
from .torch.compile.front import compile
from .torch.compile.shapes import choose_lengths
from .torch.compile.step import Step
from .torch.snapshot import RandomState

STATE_FILE = "prec_step.pt"


class StepMixin:
    """What makes a Trainer of transformers, or a subclass that leaves its loss alone, one that trains by a compiled
    step:
    `class MyTrainer(prec.transformers.StepMixin, TheirTrainer)`.

    recipe: which formats. compile_options: of prec.compile; lengths="first-batches" chooses lengths by the first 100.
    """

    args: Any
    model: Any
    optimizer: Any
    accelerator: Any

    # Whose compute_loss gives the loss of the model's output, as the step does.
    _known_losses: tuple[Any, ...] = (transformers.Trainer.compute_loss,)
    # prec.compile's measure=.
    _measure: Any = None

    def __init__(self, *arguments: Any, recipe: str | os.PathLike[str] = "fp8-hybrid", compile_options: Mapping[str, Any] | None = None,
                 **others: Any) -> None:
        if isinstance(others.get("args"), transformers.TrainingArguments):
            others["args"] = _without_autocast(others["args"])
        elif len(arguments) > 1 and isinstance(arguments[1], transformers.TrainingArguments):
            arguments = (arguments[0], _without_autocast(arguments[1]), *arguments[2:])
        self._step_options = {"recipe": recipe, **(compile_options or {})}
        own = {"accumulate", "clip_grad_norm", "loss", "measure"} & self._step_options.keys()
        if own:
            raise StepFailure(f"compile_options must leave {', '.join(sorted(own))} to the Trainer, whose arguments decide them")
        self._compiled: Step | None = None
        self._state_file: str | None = None
        super().__init__(*arguments, **others)
        self._check()
        if self.args.world_size > 1:
            # The step exchanges what ranks have; PyTorch's wrapper would do so once more.
            self.accelerator.prepare_model = lambda model, *_, **__: model

    @property
    def step(self) -> Step | None:
        """The compiled step, once there is one."""
        return self._compiled

    def training_step(self, model: torch.nn.Module, inputs: dict[str, Any], num_items_in_batch: Any = None) -> torch.Tensor:
        """One micro-batch; the last of a step also updates. Returns what adds up to the step's loss."""
        model.train()
        inputs = self._of_step(self._prepare_inputs(inputs))  # type: ignore[attr-defined]
        step = self._step_for(inputs)
        if not step.accumulates:
            return step(inputs).to(self.args.device)
        step.accumulate(inputs)
        if not self.accelerator.gradient_state.sync_gradients:
            return torch.zeros((), device=self.args.device)
        return step.apply().to(self.args.device)

    def _of_step(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """What of a batch the step takes."""
        return inputs

    def _clip_grad_norm(self, model: torch.nn.Module) -> torch.Tensor | None:
        """The norm before clipping, which was done inside of the step."""
        return self._compiled.grad_norm if self._compiled is not None else None

    def _get_grad_norm(self, model: torch.nn.Module, grad_norm: Any = None) -> Any:
        return self._clip_grad_norm(model) if grad_norm is None else grad_norm

    def _gather(self) -> None:
        """Of ranks each has a part of the weights, and one of them saves the model."""
        if self._compiled is not None and self._compiled.ranks > 1:
            self._compiled.sync()

    def evaluation_loop(self, *arguments: Any, **others: Any) -> Any:
        self._gather()
        return super().evaluation_loop(*arguments, **others)  # type: ignore[misc]

    def save_model(self, output_dir: str | None = None, _internal_call: bool = False) -> None:
        self._gather()
        super().save_model(output_dir, _internal_call)  # type: ignore[misc]

    def _save_optimizer_and_scheduler(self, output_dir: str) -> None:
        if self._compiled is None:
            return super()._save_optimizer_and_scheduler(output_dir)  # type: ignore[misc]
        with self._compiled._states.in_parts():
            super()._save_optimizer_and_scheduler(output_dir)  # type: ignore[misc]
        # All ranks give their parts.
        if self._compiled.ranks > 1:
            optimizer, = self._compiled.optimizer_state_dicts()
            if self.args.should_save:
                torch.save(optimizer, os.path.join(output_dir, OPTIMIZER_NAME))
        state = self._compiled.state_dict() if self._compiled.ranks > 1 or self.args.should_save else None
        if self.args.should_save:
            torch.save(state, os.path.join(output_dir, STATE_FILE))

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        super()._load_optimizer_and_scheduler(checkpoint)  # type: ignore[misc]
        file = os.path.join(checkpoint, STATE_FILE) if checkpoint is not None else ""
        self._state_file = file if os.path.isfile(file) else None
        if self._compiled is not None and self._state_file is not None:
            self._load_state(self._compiled)

    def _load_state(self, step: Step) -> None:
        if self._state_file is not None:
            step.load_state_dict(torch.load(self._state_file, map_location="cpu", weights_only=True))
            self._state_file = None

    def _step_for(self, inputs: dict[str, Any]) -> Step:
        optimizer = getattr(self.optimizer, "optimizer", self.optimizer)
        if self._compiled is not None and self._compiled.trains(self.model, optimizer):
            return self._compiled
        if self._compiled is not None:
            self._compiled.close()
        accumulate = self.args.gradient_accumulation_steps > 1
        options: dict[str, Any] = {"target": "cpu"} if self.args.device.type == "cpu" else {}
        options |= self._step_options
        if options.get("lengths") == "first-batches":
            options["lengths"] = self._choose_lengths()
        if accumulate and not self.model_accepts_loss_kwargs:  # type: ignore[attr-defined]
            # Such a model's loss is divided by the number of micro-batches.
            options["compiler_options"] = [*options.get("compiler_options", ()), "--micro-batch-weights=equal"]
        self._compiled = compile(self.model, optimizer, inputs, accumulate=accumulate, measure=self._measure, **options,
                                 clip_grad_norm=self.args.max_grad_norm if self.args.max_grad_norm > 0 else float("inf"))
        self._load_state(self._compiled)
        if accumulate and self.model_accepts_loss_kwargs and not _reads_count(self.model):  # type: ignore[attr-defined]
            warnings.warn(f"transformers adds up the losses of micro-batches of {type(self.model).__name__}, whose forward seems not to divide by "
                          "num_items_in_batch; a compiled step takes their mean, so its losses and gradients are smaller by the number of them",
                          stacklevel=3)
        if self.model_accepts_loss_kwargs and not getattr(self, "_loss_shifts_labels", True) and self._compiled.shifts_labels:  # type: ignore[attr-defined]
            warnings.warn(f"transformers divides the loss of {type(self.model).__name__} by all of its labels, the first of each row included, which "
                          "has no prediction; a compiled step divides by those that count, so its losses are larger by that factor", stacklevel=3)
        return self._compiled

    def _choose_lengths(self) -> list[int]:
        """Of the first 100 batches that training will have, as far as their order does not follow from time."""
        state = RandomState()
        try:
            return choose_lengths(self._of_step(dict(batch)) for batch in self.get_train_dataloader())  # type: ignore[attr-defined]
        finally:
            state.restore()

    def _check(self) -> None:
        """What a step would leave out without a word."""
        args = self.args
        wrong = {
            "label_smoothing_factor must be 0": args.label_smoothing_factor != 0,
            "compute_loss_func must be None": getattr(self, "compute_loss_func", None) is not None,
            f"compute_loss must be that of {_owner(self._known_losses[-1])}": type(self).compute_loss not in self._known_losses,  # type: ignore[attr-defined]
            "there must be one device for each process": args.n_gpu > 1,
            "neftune_noise_alpha must be None": getattr(self, "neftune_noise_alpha", None) is not None,
            "deepspeed and fsdp must be off": bool(args.deepspeed) or bool(args.fsdp),
        }
        for rule, broken in wrong.items():
            if broken:
                raise StepFailure(f"{rule} where a compiled step trains, but is another")


def _reads_count(model: torch.nn.Module) -> bool:
    """Whether forward calls transformers' own loss functions, which divide by the number of labels that they are
    told."""
    bare: Any = model
    if hasattr(bare, "get_base_model"):  # Of PEFT.
        bare = bare.get_base_model()
    code = getattr(inspect.unwrap(type(bare).forward), "__code__", None)
    return code is None or "loss_function" in code.co_names


def _owner(method: Any) -> str:
    return f"{method.__module__.partition('.')[0]}.{method.__qualname__.partition('.')[0]}"


def _without_autocast(args: transformers.TrainingArguments) -> transformers.TrainingArguments:
    """Formats are the recipe's; autocast would be a part of forward."""
    if not (args.bf16 or args.fp16):
        return args
    warnings.warn(f"{'bf16' if args.bf16 else 'fp16'}=True is not used: recipe= chooses the formats of a compiled step, and evaluation runs in those "
                  "of the model", stacklevel=4)
    args = copy.copy(args)
    args.bf16 = args.fp16 = False
    return args


class Trainer(StepMixin, transformers.Trainer):
    """transformers.Trainer, trained by a compiled step."""
