# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled step says of itself, by the compiler's own tools."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .tools import run_tool

if TYPE_CHECKING:
    from .front import Parts
    from .shapes import Programs
    from .weights import Weights


class Reports:
    """The part of a step that only reads."""

    _parts: Parts
    _programs: Programs
    _weights: Weights

    def precision(self) -> str:
        """Which formats the recipe chose for which kind of operations, and why, as a table."""
        return self._assign("summary=true")

    def explain(self, name: str) -> str:
        """Why a tensor or a module, by its path in the model (* stands for any text), has its formats, and what would
        change them."""
        return self._assign(f"--explain={name}")

    def page(self, path: str | os.PathLike[str]) -> None:
        """Writes all decisions as a page to look at."""
        self._assign(f"map-file={os.fspath(path)}")

    def memory(self) -> dict[str, Any]:
        """Bytes by what they are for: `state` (weights, optimizer states and work weights, once for all shapes), and
        the
        largest workspace and inputs of one shape; `model`: what the model holds beside them."""
        segments = [program.manifest["segments"] for program in self._programs.all]
        total = {"state": segments[0]["state"]}
        for name in ("workspace", "input", "output", "constants"):
            total[name] = sum(one[name] for one in segments)
        total["model"] = self._weights.extra_bytes
        return total | {"total": sum(total.values())}

    def _assign(self, request: str) -> str:
        options = self._parts.options
        recipe = f"recipe-file={options.recipe}" if options.recipe.endswith(".json") else f"recipe={options.recipe}"
        passed = [option for option in options.compiler if option.startswith(("--rules=", "--assign="))]
        words = [recipe, f"target={options.target}"]
        words += [option.removeprefix("--") if option.startswith("--rules=") else option.removeprefix("--assign=") for option in passed]
        asks = [request] if request.startswith("--") else []
        words += [] if asks else [request]
        return run_tool("prec-opt", [self._programs.first.graph, "--prec-raise-composites", f"--assign-precision={' '.join(words)}", *asks,
                                     "-o", os.devnull])
