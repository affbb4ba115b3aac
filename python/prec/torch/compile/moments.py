# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moments that the step keeps in 8 bits (docs/Recipes.md#moments), and the FP32 that PyTorch has for them.

A moment is two tensors of the step: a code of 8 bits for each element, and the largest magnitude of each block of 256
elements. A code is an index into a table of 256 rising numbers from -1 or 0 to 1, which is in the module; an element is
the number of its code, times its block's magnitude. Encoding divides by that magnitude and takes the nearest number, as
the step's own kernel does: how many of the bounds, halfway between two numbers, lie below. What was decoded encodes to
the numbers that it had, but for a block whose largest element is negative: the tables end at 1, not at -1.
"""
from __future__ import annotations

from pathlib import Path

import torch

from ...errors import StepFailure
from ...module import Binding, Module
from ...sections import read_section

BLOCK, CODES, ABSMAX = 256, "_codes", "_absmax"


class Coded:
    """One moment. `codes` and `absmax` are bindings of the module; `table`: what each code stands for."""

    def __init__(self, module: Module, codes: Binding, absmax: Binding, table: torch.Tensor) -> None:
        self._module, self.codes, self.absmax, self._table = module, codes, absmax, table

    def decode(self) -> torch.Tensor:
        codes = torch.from_dlpack(self._module.view(self.codes)).view(torch.uint8)
        absmax = torch.from_dlpack(self._module.view(self.absmax))
        return (self._table.to(codes.device)[codes.long()].view(-1, BLOCK) * absmax.view(-1, 1)).view(self.codes.shape)

    def encode(self, value: torch.Tensor) -> None:
        """Numbers that are not finite are none that a training comes from, and are refused."""
        blocks = value.detach().to(torch.float32).reshape(-1, BLOCK)
        absmax = blocks.abs().amax(1)
        if not bool(torch.isfinite(absmax).all()):
            raise StepFailure(f"a moment in 8 bits must be finite, but {self.codes.slot.removesuffix(CODES)} of {self.codes.parameter} is not")
        codes = self._nearest(blocks / torch.where(absmax == 0, 1.0, absmax).unsqueeze(1))
        self._module.set(self.codes, codes.view(self.codes.shape))
        self._module.set(self.absmax, absmax.view(self.absmax.shape))

    def take(self, other: Coded) -> None:
        """What another step has of the same moment."""
        if not torch.equal(self._table, other._table):
            self.encode(other.decode())
            return
        for mine, theirs in ((self.codes, other.codes), (self.absmax, other.absmax)):
            self._module.set(mine, torch.from_dlpack(other._module.view(theirs)))

    def clear(self) -> list[torch.Tensor]:
        """Makes it a moment of zeros. The step's tensors that it filled on PyTorch's stream."""
        codes, absmax = (torch.from_dlpack(self._module.view(binding)) for binding in (self.codes, self.absmax))
        return [codes.fill_(int(self._nearest(torch.zeros(1, device="cpu")))), absmax.zero_()]

    def _nearest(self, values: torch.Tensor) -> torch.Tensor:
        """The codes of numbers from -1 to 1, as they are stored."""
        table = self._table.to(values.device)
        bounds = torch.cat([(table[:-1] + table[1:]) / 2, torch.full((1,), torch.inf, device=values.device)])
        return torch.bucketize(values, bounds).to(torch.uint8).view(torch.int8)


def find_coded(module: Module, path: Path, states: dict[tuple[str, str], Binding]) -> dict[tuple[str, str], Coded]:
    """Moments in 8 bits, by parameter and the optimizer's name of the moment."""
    named = {key: binding for key, binding in states.items() if key[1].endswith(CODES)}
    if not named:
        return {}
    manifest = module.manifest
    constants = read_section(path, ".prec.constants")
    tables: dict[int, torch.Tensor] = {}
    coded = {}
    for (parameter, slot), codes in named.items():
        number = manifest["bindings"][codes.index]["codes"]
        if number not in tables:
            start = manifest["buffers"][number]["offset"]
            tables[number] = torch.frombuffer(bytearray(constants[start:start + 4 * BLOCK]), dtype=torch.float32)
        own = slot.removesuffix(CODES)
        coded[parameter, own] = Coded(module, codes, states[parameter, own + ABSMAX], tables[number])
    return coded
