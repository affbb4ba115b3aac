# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What prec.compile returns: the training step of a model and its optimizer, called with batches."""
from __future__ import annotations

import contextlib
import functools
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import torch

from ...errors import StepFailure
from . import beside
from .fixed import Fixed
from .followed import Followed
from .optimizer import Options as Numbers, States
from .program import Program
from .reports import Reports
from .runner import Outcome, Tensors
from .shapes import shapes_of
from .together import Call, longest

if TYPE_CHECKING:
    from .front import Parts

_VERSION = 1
# Of steps that averages are of.
_COUNT = "n_averaged"
_Method = TypeVar("_Method", bound=Callable[..., Any])


def _in_any_mode(method: _Method) -> _Method:
    """A method that may be called in inference mode, too. What it makes are tensors as all others, as the model and the
    optimizer will be used outside of that mode."""
    @functools.wraps(method)
    def call(*arguments: Any, **others: Any) -> Any:
        if not torch.is_inference_mode_enabled():
            return method(*arguments, **others)
        with torch.inference_mode(False):
            return method(*arguments, **others)
    return call  # type: ignore[return-value]


class Step(Reports):
    """One training step of the model, each time it is called.

    step(batch): forward, backward, clipping and the optimizer's update; the loss as a detached tensor, which is on the
    step's device and ready when somebody reads it. The model's parameters and the optimizer's states have changed then,
    as after loss.backward() and optimizer.step().
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._programs, self._weights, self._runner, self._device = parts.programs, parts.weights, parts.runner, parts.device
        self._model, self._optimizers, self._ranks = parts.model, parts.optimizers, parts.ranks
        first = parts.programs.first
        self._numbers = Numbers(self._optimizers, first)
        self._states: States = States(self._optimizers, first, parts.trained, [other._states for other in parts.others])
        self._fixed = Fixed(self._model)
        self._followed = Followed(self._model, (parts.options.loss, parts.options.measure), self._optimizers, parts.retrace)
        self._last: Outcome | None = None
        self._max_norm = parts.options.clip_grad_norm
        self._pending: dict[str, Any] | None = None
        self._micro_batches = 0
        self._measured: Tensors = {}
        self._of_batch: Tensors = {}
        self._check_every = parts.check_weights
        self._process = os.getpid()
        self._is_open = True
        beside.add(self)
        self._set_numbers({} if self._max_norm is None else {"max_norm": self._max_norm})

    @_in_any_mode
    def __call__(self, batch: Any) -> torch.Tensor:
        """One step; the loss of the batch before it."""
        with self._all_call("step") as call:
            self._check_open()
            if self._micro_batches:
                raise StepFailure(f"a step that was begun by accumulate must be ended by apply(), but {self._micro_batches} micro-batches wait")
            found = self._find(batch, call)
            self._prepare(call)
        program, tensors = found or self._find_together(batch, call)
        outcome = self._run(program, "step", tensors, is_step=True)
        self._of_batch = outcome.measured
        return self._finish(outcome)

    @_in_any_mode
    def accumulate(self, batch: Any) -> torch.Tensor:
        """Forward and backward of one micro-batch, whose gradients wait for apply(); its own loss. Of a step compiled
        with accumulate=True."""
        with self._all_call("accumulate") as call:
            self._check_open()
            self._check_accumulates()
            found = self._find(batch, call)
            if self._micro_batches:
                self._check_within()
            else:
                self._prepare(call)
        program, tensors = found or self._find_together(batch, call)
        outcome = self._run(program, "accumulate", tensors, is_step=False)
        self._micro_batches += 1
        self._accumulated = program
        self._of_batch = outcome.measured
        self._measured = {name: self._measured[name] + value if self._micro_batches > 1 else value for name, value in outcome.measured.items()}
        return outcome.loss

    @_in_any_mode
    def apply(self) -> torch.Tensor:
        """Ends a step of micro-batches: one update by the gradients of all of them, normalised over all labels that
        count, as of one batch; the loss over all of them."""
        with self._all_call("apply") as call:
            self._check_open()
            self._check_accumulates()
            if not self._micro_batches:
                raise StepFailure("a step must have a micro-batch before it is applied, but got none: call accumulate(batch) first")
            self._check_within(to_apply=True)
            self._take_numbers(call)
        outcome = self._run(self._accumulated, "apply", None, is_step=True)
        self._micro_batches = 0
        outcome.measured = self._measured
        return self._finish(outcome)

    @_in_any_mode
    def eval(self, batch: Any) -> torch.Tensor:
        """The loss alone, in the step's formats and without dropout; nothing changes."""
        with self._all_call("eval") as call:
            self._check_open()
            found = self._find(batch, call)
            if self._micro_batches:
                self._check_within()
            else:
                self._take_over()
        program, tensors = found or self._find_together(batch, call)
        return self._run(program, "eval", tensors, is_step=False).loss

    @property
    def grad_norm(self) -> torch.Tensor | None:
        """The norm of the last step's gradients before clipping; None where the step does not clip."""
        return self.metrics.get("grad_norm")

    @property
    def metrics(self) -> Tensors:
        """What the last step measured, by name."""
        return self._last.metrics | self._last.measured if self._last is not None else {}

    @property
    def measured(self) -> Tensors:
        """What measure= gives of the last batch, or micro-batch."""
        return dict(self._of_batch)

    @property
    def averages(self) -> Tensors:
        """Exponential moving averages of the trained weights after the last step, by their names: copies in float32. Of
        a
        step that was compiled with average=; before the first step there are none."""
        module, held = self._programs.first.module, self._programs.first.averages
        if not held:
            raise StepFailure("averages of weights must be asked for when the step is compiled: give prec.compile average=, their decay")
        self._check_open()
        with self._device.turn():
            found = {name: torch.from_dlpack(module.view(binding)).clone() for name, binding in held.items()}
        return found if int(found.pop(_COUNT)) > 0 else {}

    @property
    def loss(self) -> torch.Tensor | None:
        """Of the last step."""
        return self._last.loss if self._last is not None else None

    @property
    def skipped(self) -> str | None:
        """What was not finite in the last step ("loss", "gradient of NAME"), which changed nothing for that reason;
        None after a good step. Waits for the GPU."""
        return self._last.skipped if self._last is not None else None

    @property
    def steps(self) -> int:
        """How many steps the optimizer has taken."""
        return self._programs.first.module.steps

    @property
    def accumulates(self) -> bool:
        """Whether the step was compiled for steps of several micro-batches."""
        return self._parts.options.accumulate

    @property
    def shifts_labels(self) -> bool:
        """Whether the model compares each position with the label of a later one."""
        return any(entry.get("shift") == 0 and "ignore_index" in entry for entry in self._programs.first.manifest["bindings"])

    def trains(self, model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> bool:
        """Whether it is the step of this model and this optimizer."""
        return self._is_open and self._model is model and self._optimizers == [optimizer]

    @property
    def padding(self) -> float:
        """The share of what steps computed so far that completed batches of other shapes, or that an attention_mask
        hides. Waits for a GPU."""
        return self._programs.padding

    def count_padding(self, positions: int | torch.Tensor) -> None:
        """Of a batch that has no attention_mask, how many of its positions its caller has completed: for `padding`
        alone."""
        self._programs.hide(positions)

    @property
    def was_completed(self) -> bool:
        """Whether the last batch was completed, so that what measure= gives of it may be of more than it had."""
        return self._programs.was_completed

    @property
    def lengths(self) -> list[int]:
        """Of sequences, that are compiled; none where all batches had one shape."""
        return self._programs.lengths

    @property
    def clip_grad_norm(self) -> float | None:
        """The largest norm of gradients. It can be set, to a number where the step was compiled with one."""
        return self._max_norm

    @clip_grad_norm.setter
    def clip_grad_norm(self, norm: float) -> None:
        if self._max_norm is None or norm is None:
            raise StepFailure("whether gradients are clipped must be known when the step is compiled: give prec.compile clip_grad_norm=, infinity "
                              "for a norm that is measured alone")
        if not norm > 0:
            raise StepFailure(f"clip_grad_norm must be positive but got {norm!r}")
        self._set_numbers({"max_norm": min(float(norm), torch.finfo(torch.float32).max)})
        self._max_norm = norm

    @_in_any_mode
    def sync(self) -> None:
        """Fills tensors of the model that are no views of the step's (a model in BF16) with the trained values, which
        happens by itself before the model is called or saved, unless model_weights="lazy". Of ranks, which have parts
        of the weights, all must call it before."""
        with self._all_call("sync"):
            self._check_open()
        with self._device.turn():
            self._weights.sync()

    @_in_any_mode
    def refresh(self) -> None:
        """Reads the model's weights anew: after writes that PyTorch does not count (p.data.copy_(...), NumPy)."""
        self._check_open()
        self._check_between("weights")
        self._bring("refresh")
        self._weights.take_all()
        self._refresh_modules()

    @_in_any_mode
    def state_dict(self) -> dict[str, Any]:
        """What a training goes on from beside model.state_dict() and optimizer.state_dict(): steps, scales with their
        histories, averages, and of a model in BF16 masters and moments, which load_state_dict of PyTorch rounds. Random
        bits of dropout follow from the number of steps. Of ranks all must call it, and all get the same: also the
        optimizer's states, whole, and weights that are divided."""
        with self._all_call("state_dict"):
            self._check_open()
            self._check_between("a state")
            self._take_over()
        module = self._programs.first.module
        module.initialize()
        scales = {binding.name: torch.from_dlpack(module.view(binding)).clone() for binding in self._programs.first.scales}
        return {"version": _VERSION, "recipe": self._parts.options.recipe, "steps": module.steps, "scales": scales,
                "masters": self._weights.masters(), "states": self._states.wider() if self._ranks is None else self._states.whole(self._ranks),
                "averages": {name: torch.from_dlpack(module.view(binding)).clone() for name, binding in self._programs.first.averages.items()}}

    @_in_any_mode
    def optimizer_state_dicts(self) -> list[dict[str, Any]]:
        """What state_dict() of each optimizer gives where one process trains: of ranks each has parts of the states,
        of which optimizer.state_dict() makes no dictionary. All ranks must call it."""
        if self._ranks is None:
            return [one.state_dict() for one in self._optimizers]
        with self._all_call("optimizer_state_dicts"):
            self._check_open()
            self._check_between("a state")
            self._take_over()
        states = self._states.whole(self._ranks)
        return [self._states.whole_state_dict(one, states) for one in self._optimizers]

    @property
    def ranks(self) -> int:
        """How many processes train together."""
        return 1 if self._ranks is None else self._ranks.size

    @_in_any_mode
    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on from what state_dict gave, once model and optimizer have been given theirs, before or after."""
        self._check_open()
        self._check_between("a state")
        if state.get("version") != _VERSION:
            raise StepFailure(f"a step's state must be of version {_VERSION} but is of {state.get('version')!r}")
        names = [binding.name for binding in self._programs.first.scales]
        odd = sorted(set(names) ^ set(state["scales"]))
        if odd:
            own, other = self._parts.options.recipe, state.get("recipe")
            raise StepFailure(f"a step's state must have the scales of this step, which is compiled by recipe {own}, but that of {other} differs in "
                              + ", ".join(odd[:5]))
        averages = self._programs.first.averages
        odd = sorted(averages.keys() ^ state.get("averages", {}).keys())
        if odd:
            raise StepFailure(f"a step's state must have the averages of this step, of {len(averages)} tensors, but differs in {', '.join(odd[:5])}: "
                              "average= decides whether there are any")
        self._pending = state

    @_in_any_mode
    def close(self) -> None:
        """Leaves the model and the optimizer to PyTorch: weights and states stay where they are."""
        if not self._is_open:
            return
        self._is_open = False
        beside.remove(self)
        self._weights.release()
        self._states.release()

    def __del__(self, is_ending: Callable[[], bool] = sys.is_finalizing) -> None:
        """A step that nobody holds leaves its model as one that was closed. At the end of Python modules hold nothing
        any more."""
        if not is_ending() and self.__dict__.get("_is_open") and self._process == os.getpid():
            self.close()

    def __reduce__(self) -> NoReturn:
        raise StepFailure("a step cannot be copied or saved whole: save what step.state_dict() gives, beside those of the model and the optimizer")

    def __enter__(self) -> Step:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepare(self, call: Call | None = None) -> None:
        """What happens before a step: its model and optimizer as they are now."""
        self._fixed.check()
        self._followed.check()
        self._take_over()
        self._take_numbers(call)

    def _take_numbers(self, call: Call | None) -> None:
        numbers = self._numbers.read()
        if call is not None:
            call.numbers(numbers)
        self._set_numbers(numbers)

    @contextlib.contextmanager
    def _all_call(self, name: str) -> Iterator[Call]:
        """What happens inside succeeds on all ranks or on none."""
        call = Call()
        self._bring(name)
        with self._weights.unwatched():
            if self._ranks is None:
                yield call
                return
            with self._ranks.call(name, call.said) as every:
                yield call
            call.every = every

    def _find(self, batch: Any, call: Call) -> tuple[Program, Tensors] | None:
        """The program of a batch; ranks first tell each other its shapes."""
        if self._ranks is None:
            return self._programs.find(batch)
        tensors = self._programs.read(batch)
        call.shapes(shapes_of(tensors))
        if self._ranks.have_one_batch:
            call.batch(tensors)
        return None

    def _find_together(self, batch: Any, call: Call) -> tuple[Program, Tensors]:
        assert self._ranks is not None
        every = call.shapes_of_all()
        if all(one == every[0] for one in every) and self._programs.has(every[0]):
            return self._programs.find(batch)
        # Another length may have to be tried and compiled, which takes the weights as they are.
        with self._device.turn():
            self._weights.sync()
        with self._ranks.call("completing a batch", {}):
            return self._programs.find(batch, longest(every))

    def _run(self, program: Program, entry: str, tensors: Tensors | None, is_step: bool) -> Outcome:
        if self._ranks is None:
            return self._runner.run(program, entry, tensors, is_step=is_step)
        with self._ranks.ends_with():
            return self._runner.run(program, entry, tensors, is_step=is_step)

    def _take_over(self) -> None:
        with self._device.turn():
            changed = self._weights.notice()
            if self._weights.differs() and not changed:
                warnings.warn("weights were written in a way that PyTorch does not count (p.data, NumPy): they are read again, but only "
                              "step.refresh() says when", stacklevel=4)
                self._weights.take_all()
                changed = True
            self._states.notice()
            if changed:
                self._refresh_modules()
            if self._pending is not None:
                self._restore(self._pending)
                self._pending = None

    def _bring(self, name: str) -> None:
        """What steps beside this one have trained, into the model's tensors. name: of the call that this is for."""
        if not self._is_open or self._process != os.getpid() or not self._weights.is_shared:
            return
        if self._ranks is not None:
            with self._ranks.call(name, {}):
                pass  # All call it: what is divided among them is gathered.
        with self._device.turn():
            self._weights.bring()

    def _fill(self) -> None:
        """As `sync`, for steps beside this one."""
        with self._device.turn():
            self._weights.sync()

    def _refresh_modules(self) -> None:
        # What was copied into its memory comes first.
        with self._device.turn():
            self._programs.first.module.refresh()

    def _restore(self, state: dict[str, Any]) -> None:
        module = self._programs.first.module
        self._weights.set_masters(state["masters"])
        module.initialize()
        for binding in self._programs.first.scales:
            module.set(binding, state["scales"][binding.name])
        module.restore()
        self._states.set_wider(state["states"])
        for name, binding in self._programs.first.averages.items():
            module.set(binding, state["averages"][name])
        module.steps = state["steps"]
        self._states.count(state["steps"])

    def _set_numbers(self, numbers: dict[str, float]) -> None:
        try:
            self._programs.set_numbers(numbers)
        except Exception:
            self._numbers.forget()
            raise

    def _finish(self, outcome: Outcome) -> torch.Tensor:
        self._last = outcome
        self._weights.stepped()
        self._states.stepped()
        if self._check_every and self.steps % self._check_every == 0:
            self._weights.remember()
        return outcome.loss

    def _check_open(self) -> None:
        if not self._is_open:
            raise StepFailure("a step must be open to be used, but was closed")
        if self._process != os.getpid():
            raise StepFailure("a step must be used by the process that compiled it, but is by one that was forked from it: compile it there")

    def _check_between(self, what: str) -> None:
        if self._micro_batches:
            raise StepFailure(f"{what} must come between steps, but {self._micro_batches} micro-batches wait for apply()")

    def _check_accumulates(self) -> None:
        if not self._parts.options.accumulate:
            raise StepFailure("a step of several micro-batches must be compiled for it: give prec.compile accumulate=True")

    def _check_within(self, to_apply: bool = False) -> None:
        """to_apply: gradients are there, which nothing that other steps train changes any more."""
        if self._weights.notice(to_apply):
            self._micro_batches = 0
            self._refresh_modules()
            raise StepFailure("weights must stay as they are between accumulate and apply, but were changed (by the script, or another step that "
                              "trains them): the step begins anew")
