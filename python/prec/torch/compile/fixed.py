# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What forward follows from beside tensors, and a compiled step has as it was when it was compiled: modes, which
modules
there are, probabilities of dropout, and what PEFT keeps in Python of its adapters (which are active, merged or
disabled, and their scales). Merging, for example, writes into the base and leaves adapters out of forward; a step that
went on would add them twice. So each of these is compared before a step, and what differs is refused by its name.
"""
from __future__ import annotations

import copy
from typing import Any

import torch

from ...errors import StepFailure
from .private import children_of, is_dropout

# What is compared, with what brings it back. All but the first are of PEFT's layers, by the names that its methods
# share (peft.tuners.tuners_utils.BaseTunerLayer, peft.utils.other.AuxiliaryTrainingWrapper).
_REMEDIES = {"p": "set it back", "merged_adapters": "call unmerge_adapter() first", "_disable_adapters": "enable or disable adapters as before",
             "_active_adapter": "call set_adapter(...) first", "scaling": "set it back"}


class Fixed:
    """Of one model, as it is now."""

    def __init__(self, model: torch.nn.Module) -> None:
        self._model = model
        modules = list(model.modules())
        self._modes = [(module, module.training) for module in modules]
        self._children = [(children_of(module), dict(children_of(module))) for module in modules]
        self._options = [(module, name, copy.deepcopy(vars(module)[name])) for module in modules for name in _options_of(module)]

    def check(self) -> None:
        """StepFailure for the first that differs."""
        for children, before in self._children:
            if children != before:
                self._refuse_children()
        for module, name, value in self._options:
            if vars(module).get(name) != value:
                raise StepFailure(f"{name.lstrip('_')} of {self._path(module)} must be {value!r}, as it was when the step was compiled, but is "
                                  f"{vars(module).get(name)!r}: {_REMEDIES[name]}, or compile the step again")
        for module, mode in self._modes:
            if module.training is not mode:
                was, now, call = ("training", "evaluation", "train") if mode else ("evaluation", "training", "eval")
                raise StepFailure(f"{self._path(module)} must be in {was} mode, as it was when the step was compiled, but is in {now} mode: "
                                  f"call model.{call}() first")

    def _refuse_children(self) -> None:
        for (module, _), (children, before) in zip(self._modes, self._children, strict=True):
            odd = [name for name in {**before, **children} if children.get(name) is not before.get(name)]
            if odd:
                raise StepFailure(f"{self._path(module)} must have the modules that it had when the step was compiled, but {odd[0]} is another: "
                                  "compile the step again")

    def _path(self, module: torch.nn.Module) -> str:
        return next((name for name, held in self._model.named_modules() if held is module), "") or "the model"


def _options_of(module: torch.nn.Module) -> list[str]:
    held: dict[str, Any] = vars(module)
    return [name for name in _REMEDIES if name in held and (name != "p" or is_dropout(module)) and (name != "scaling" or "merged_adapters" in held)]
