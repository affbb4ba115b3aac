# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled step says of itself, by the compiler's own tools."""
from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...tools import run_tool

# The share of positions above which packing is proposed.
_MUCH_PADDING = 0.2
# Of reasons why products read wider formats.
_MOST_LINES = 8

if TYPE_CHECKING:
    from .front import Parts
    from .shapes import Programs
    from .weights import Weights


class Reports:
    """The part of a step that only reads."""

    _parts: Parts
    _programs: Programs
    _weights: Weights

    if TYPE_CHECKING:
        def _check_open(self) -> None: ...

        def _bring(self, name: str) -> None: ...

        def _prepare(self) -> None: ...

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
        """Bytes by what they are for: `state` (weights, optimizer states and work weights) and `workspace` once for all
        lengths, the latter as large as the largest needs; inputs, outputs and constants of each; `model`: what the
        model holds beside them."""
        segments = [program.manifest["segments"] for program in self._programs.all]
        total = {"state": segments[0]["state"], "workspace": max(one["workspace"] for one in segments)}
        for name in ("input", "output", "constants"):
            total[name] = sum(one[name] for one in segments)
        total["model"] = self._weights.extra_bytes
        return total | {"total": sum(total.values())}

    def profile(self, path: str | os.PathLike[str], batch: Any) -> None:
        """Writes how long each command of a step of this batch takes: as a page, if the file's name ends in .html, with
        what it moves and computes, else as JSON: name, path, phase, op, seconds. Weights, states and scales are
        afterwards what they were."""
        self._check_open()
        program, tensors = self._programs.find(batch)
        with tempfile.TemporaryDirectory() as folder:
            self._bring("profile")
            self._prepare()
            module = program.module
            module.initialize()
            # A profiled step trains: all that it changes is put back.
            module.save_checkpoint(folder)
            buffers = {b.name: module.get(b) for b in program.weights.values() if b.role == "buffer" and b.name in program.updated}
            entries = module.profile(tensors)
            module.load(folder)
            for name, value in buffers.items():
                module.set(program.weights[name], value)
            if os.fspath(path).endswith(".html"):
                times, machine = Path(folder, "times.json"), self._machine()
                times.write_text(json.dumps(entries))
                known = [f"--profile-machine={machine}"] if machine is not None else []
                run_tool("prec-run", [program.path, "--profile", f"--profile-of={times}", *known, f"--profile-html={os.fspath(path)}"])
                return
        Path(path).write_text(json.dumps(entries, indent=1))

    def _machine(self) -> Path | None:
        """The speeds of the target, where the build or the package has them."""
        target = self._parts.options.target
        roots = [Path(__file__).resolve().parents[depth] for depth in (2, 4)]
        return next((file for root in roots if (file := root / "targets" / f"{target}.json").is_file()), None)

    def report(self) -> str:
        """What was compiled, what it takes, which products read wider formats than the recipe asks for, and what else
        to know of it, in a few lines."""
        options, memory = self._parts.options, self.memory()
        first = self._programs.first
        lines = [f"step of {first.model}: recipe {options.recipe}, target {options.target}, import {self._parts.verified}",
                 "bytes: " + ", ".join(f"{name} {count:,}" for name, count in memory.items())]
        lines += _stayed_wider(self._map())
        lines += [f"compiled for {', '.join(f'{name} {list(b.shape)}' for name, b in program.batch.items())}" for program in self._programs.all]
        if self._weights.mirrors:
            lines.append(f"{len(self._weights.mirrors)} tensors of the model are copies, as the step holds them in another dtype")
        if self._programs.padding:
            hint = ": pack documents into rows of one length, or give lengths=" if self._programs.padding > _MUCH_PADDING else ""
            lines.append(f"{self._programs.padding:.1%} of all positions were padding, of the batches or to complete them{hint}")
        return "\n".join(lines)

    def _map(self) -> dict[str, Any]:
        """All decisions (docs/Explaining.md)."""
        with tempfile.TemporaryDirectory() as folder:
            self._assign(f"map-file={Path(folder, 'map.json')}")
            found: dict[str, Any] = json.loads(Path(folder, "map.json").read_text())
            return found

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


# Vetoes that are no wish of the recipe or of the user's rules.
_UNWANTED = ("legality", "bound")


def _stayed_wider(decisions: dict[str, Any]) -> list[str]:
    """Of products that do not read what the recipe would have them read, as the target cannot or as it would lose too
    much: a line for each reason, of what it is about and how many there are, and what would change it."""
    found: dict[tuple[str, str, str], list[str]] = {}
    count = 0
    for function in decisions["functions"]:
        for operation in function["operations"]:
            candidates = operation.get("choice", {}).get("candidates", [])
            count += bool(candidates)
            # In the recipe's order: what comes before the winner was wanted more.
            for candidate in candidates[:operation["choice"]["winner"]] if candidates else ():
                if candidate["veto"] in _UNWANTED:
                    reads = _formats_of(candidates[operation["choice"]["winner"]])
                    cure = "; ".join(candidate.get("changes", [])[:1])
                    found.setdefault((f"{reads}, not {_formats_of(candidate)}", candidate["reason"], cure), []).append(operation["path"])
                    break
    lines = []
    for (reads, reason, cure), paths in sorted(found.items(), key=lambda one: -len(one[1])):
        lines.append(f"{len(paths)} of {count} products read {reads}, such as in {paths[0] or 'the model'}: {reason}"
                     + (f"; it would change with {cure}" if cure else ""))
    return lines if len(lines) <= _MOST_LINES else [*lines[:_MOST_LINES], f"and {len(lines) - _MOST_LINES} other reasons: step.page has all"]


def _formats_of(candidate: dict[str, Any]) -> str:
    return " x ".join(read["format"] for read in candidate["reads"])
