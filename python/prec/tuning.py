# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measured precision: what a step runs is measured, formats are chosen by these times, and whole steps prove the
choice.

Candidates are BF16, each recipe everywhere, and the choice of the cost model between them. First every distinct command
of the BF16 and recipe steps is measured (prec-run --bench), which prices products, quantizations, and, as the sum of
its commands, each whole step. The cost model then chooses by these prices. Its casts are scaled so that the recipe's
add up to what its kernels take beyond those of BF16, since casts are fused with other work and the sums of kernels are
what a step pays. Then whole steps of all candidates run in turns, and the fastest is kept. Where the measured
difference of recipe and BF16 is not the predicted one, the prices of casts are corrected by what was missing, formats
are chosen once more, and the new choice runs against the best so far.

The stages write their files to one folder and find them there again, so that compiling and measuring can be on
different machines: prepare and choose need the compiler, measure and race the device. Where the device can be visited
only once, propose compiles what the machine model would choose at several of its numbers before anything is measured,
and pick takes of these the one that is the fastest by the measured times.
"""
from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from .errors import CompileFailure, Error
from .frontier import find_frontier, table, write_plot
from .tools import more_options, run_tool

# In their order: where the device is at hand, all but propose and pick; where it is visited once, all but choose and
# feedback.
STAGES = ("prepare", "propose", "measure", "choose", "pick", "race", "feedback")
_AT_HAND = ("prepare", "measure", "choose", "race", "feedback")
_PLAIN = "bf16"
# A difference of two steps that is less than this part of one is no reason to choose again.
_NOTICED = 0.01
# What casts may be scaled by: more would be another mistake than that of fusing.
_LEAST_SCALE, _MOST_SCALE = 0.1, 8.0
# Prices of casts are off by other factors from tensor to tensor.
_FACTORS = (1.0, 2.0, 4.0, 0.5)
# Whole steps whose times differ by no more than this part are equally fast: what their gradients keep decides.
_ALIKE = 0.005
_TOTAL = re.compile(r"recipe everywhere ([0-9.]+) (us|ms)")
_SNR = re.compile(r"gradients keep ([0-9.]+|inf) dB of signal to noise \(recipe everywhere ([0-9.]+|inf) dB\)")
_REFERENCE = "fp32"


@dataclass
class Options:
    """What is tuned. `assign` are options of --assign-precision for every candidate; `run` are options of prec-run
    (--tokens, --weights, --threads, --cuda-libraries), and `compile` of prec-compile. Budgets are seconds."""
    graph: Path
    target: str
    recipes: Sequence[str] = ("fp8-hybrid",)
    work: Path = Path("tune")
    assign: str = ""
    # Options of --assign-precision of choices alone: what they may take beyond the recipe, such as head=in. None: that,
    # where noise is measured (`steps`), by which a choice takes it or leaves it.
    choice: str | None = None
    run: Sequence[str] = ()
    compile: Sequence[str] = ()
    budget: float = 60.0
    race_budget: float = 60.0
    interval: float = 0.01
    race_interval: float = 0.003
    # A numerics.json; without it `steps` batches in which noise is measured, if any.
    numerics: Path | None = None
    steps: int = 0
    # Decibels of signal to noise that the gradient must keep ("recipe": as many as with the recipe everywhere, also
    # where nothing is said and choices may take the head), and those of the frontier.
    least_snr: float | str | None = None
    frontier: Sequence[float] = ()
    # Options of --assign-precision of each choice that `propose` makes.
    proposals: Sequence[str] = ("",)


class Tuning:
    def __init__(self, options: Options) -> None:
        if not options.recipes:
            raise CompileFailure("tuning must have a recipe beside bf16, but got none")
        self.options = options
        self._check_noise()
        self.work = options.work
        self.work.mkdir(parents=True, exist_ok=True)
        self.state = self._read("state.json") or {"candidates": {}, "scales": {}}

    # Files of the folder.

    def _read(self, name: str) -> Any:
        path = self.work / name
        return json.loads(path.read_text()) if path.is_file() else None

    def _need(self, name: str, stage: str) -> Any:
        found = self._read(name)
        if found is None:
            raise CompileFailure(f"{self.work / name} must be there, which stage '{stage}' writes, but is not")
        return found

    def _keep(self) -> None:
        (self.work / "state.json").write_text(json.dumps(self.state, indent=1) + "\n")

    def _module(self, name: str) -> Path:
        return self.work / f"{name}.so"

    def _assign(self, *more: str) -> list[str]:
        words = " ".join(filter(None, (self.options.assign, *more)))
        return [f"--assign={words}"] if words else []

    def _compile(self, name: str, recipe: str, *more: str) -> str:
        return self._call_compiler(name, *_recipe(recipe), *self._assign(*more))

    def _call_compiler(self, name: str, *more: str) -> str:
        words = [str(self.options.graph), *more, f"--target={self.options.target}", *self.options.compile]
        return run_tool("prec-compile", [*words, *more_options("prec-compile", words), "-o", self._module(name)])

    def _run(self, *words: str | Path) -> str:
        given = [*map(str, words), *self.options.run]
        return run_tool("prec-run", [*given, *more_options("prec-run", given)])

    # Stages.

    def prepare(self) -> None:
        """Compiles what is measured: the bench module, and the steps in BF16 and in each recipe; where noise counts,
        the
        step in FP32, which it is measured from, and steps whose formats can be switched."""
        names = [_PLAIN, *self.options.recipes]
        self._call_compiler("bench", f"--bench={','.join([*names, *([_REFERENCE] if self.options.frontier else [])])}",
                            *self._assign(self._choice))
        for recipe in names:
            name = _name(recipe)
            self._compile(name, recipe)
            self.state["candidates"][name] = {"recipe": recipe}
        if self._has_noise():
            # Options of recipes, such as scalings, do not apply to it.
            self._call_compiler(_REFERENCE, *_recipe(_REFERENCE))
            self.state["candidates"][_REFERENCE] = {"recipe": _REFERENCE, "is_reference": True}
        if self.options.steps:
            for recipe in self.options.recipes:
                self._call_compiler(f"switchable-{_name(recipe)}", *_recipe(recipe), "--switchable", *self._assign(self._choice))
        self._keep()

    @property
    def _permits_more(self) -> bool:
        """Whether choices take more than the recipe permits because its noise is measured here, and nothing else was
        said."""
        return self.options.choice is None and self.options.steps > 0

    @property
    def _choice(self) -> str:
        return "head=in" if self._permits_more else self.options.choice or ""

    def _has_noise(self) -> bool:
        return self.options.numerics is not None or self.options.steps > 0

    def _check_noise(self) -> None:
        options = self.options
        if options.numerics is not None and options.steps:
            raise CompileFailure("noise must be of --numerics or be collected in --steps, but got both")
        if not self._has_noise() and (options.least_snr is not None or options.frontier):
            raise CompileFailure("--least-snr and --frontier need --numerics, a file with the noise of gradients, or --steps to measure it in, "
                                 "but got none")
        if isinstance(options.least_snr, str) and options.least_snr != "recipe":
            raise CompileFailure(f"--least-snr must be decibels or 'recipe', but got '{options.least_snr}'")

    def _bounds(self, recipe: str, least_snr: float | None = None) -> list[str]:
        """Options of --assign-precision by which a choice knows its noise, and what it must keep."""
        path = self._numerics(recipe)
        if path is None:
            return []
        if least_snr is None:
            least_snr = self._least(recipe)
        return [f"numerics={path.resolve()}", *([f"least-gradient-snr={least_snr}"] if least_snr is not None else [])]

    def _gradient_format(self, recipe: str, words: str = "") -> str:
        """The option by which a choice takes of each gradient the format that keeps more, where the numerics say what
        both keep and neither the options nor `words` say anything else of them."""
        path = self._numerics(recipe)
        said = " ".join((self.options.assign, self._choice, words))
        if path is None or any(word in said for word in ("gradient-format=", ".gradient:", "dgrad:", "wgrad:", "bounds=off")):
            return ""
        gradients = [use for use in json.loads(path.read_text()).get("uses", []) if use["direction"] != "fprop" and use["operand"] == 0]
        has_both = any({"e4m3", "e5m2"} <= {loss["format"] for loss in use.get("losses", [])} for use in gradients)
        return "gradient-format=measured" if has_both else ""

    def _numerics(self, recipe: str) -> Path | None:
        """Where the noise of a recipe's contractions is; none where it does not count, or is not measured yet."""
        path = self.options.numerics or self.work / f"numerics-{_name(recipe)}.json"
        return path if self._has_noise() and (self.options.numerics is not None or path.is_file()) else None

    def _least(self, recipe: str) -> float | None:
        """The decibels that a choice must keep."""
        least = self.options.least_snr
        if not isinstance(least, str) and (least is not None or not self._permits_more):
            return least
        kept = self._recipe_snr(recipe)
        # The compiler says hundredths.
        return None if kept is None else kept - 0.01

    def _recipe_snr(self, recipe: str) -> float | None:
        """What the gradient keeps with the recipe everywhere, without what choices alone may take; none if noise is not
        measured yet."""
        known: dict[str, float] = self.state.setdefault("recipe_snr", {})
        path = self._numerics(recipe)
        if recipe not in known and path is not None:
            said = self._compile("everywhere", recipe, "choose=cost", f"numerics={path.resolve()}")
            self._module("everywhere").unlink()
            if not (snr := _SNR.search(said)):
                raise CompileFailure(f"{path} must have the noise of every contraction of {recipe} that may read FP8 or FP4, but does not")
            known[recipe] = float(snr[2])
        return known.get(recipe)

    def _collect(self) -> None:
        """Measures the noise that each contraction adds to the gradient, and that of BF16."""
        if not self.options.steps:
            return
        self._run(self._module(_REFERENCE), "--verify", self._module(_PLAIN), "--report", self.work / "wide.json", *self._start())
        snr = json.loads((self.work / "wide.json").read_text())["modules"][0]["snr_db"]
        wide = _noise(snr)
        self.state["candidates"][_PLAIN]["predicted_snr_db"] = math.inf if snr is None else snr
        for recipe in self.options.recipes:
            path = self.work / f"numerics-{_name(recipe)}.json"
            self._run(self._module(f"switchable-{_name(recipe)}"), "--gradient-noise", path, "--noise-batches", str(self.options.steps),
                      *self._start())
            numerics = json.loads(path.read_text())
            numerics["gradient_noise"]["wide"] = wide
            path.write_text(json.dumps(numerics, indent=1) + "\n")

    def _keeps(self, name: str) -> bool:
        """Whether a candidate is predicted to keep the signal to noise ratio that the gradient must."""
        entry = self.state["candidates"].get(name)
        if entry is None or entry["recipe"] == _PLAIN or (least := self._least(entry["recipe"])) is None:
            return True
        snr = self._recipe_snr(entry["recipe"]) if name == _name(entry["recipe"]) else entry.get("predicted_snr_db")
        if snr is None:
            raise CompileFailure(f"--least-snr must have candidates whose noise is predicted, but '{name}' was compiled before it was measured")
        return bool(snr >= least)

    def _start(self) -> list[str]:
        """Where whole steps begin, if nothing says it."""
        return [] if any(w in ("--weights", "--resume", "--init") for w in self.options.run) else ["--init", "random"]

    def measure(self) -> None:
        """Measures every command of the bench module, and predicts the steps that are there by these times."""
        report = self.work / "report.json"
        words = [str(self._module("bench")), "--bench", str(report), "--budget", str(self.options.budget), "--interval", str(self.options.interval)]
        self._run(*words, *(["--bench-resume"] if report.is_file() else []))
        self._collect()
        for stale in self.work.glob("predicted-*.json"):
            stale.unlink()
        self._predict()

    def _predict(self, *names: str) -> None:
        for name in names or self.state["candidates"]:
            if (self.work / f"predicted-{name}.json").is_file() or not self._module(name).is_file():
                continue
            run_tool("prec-run", [self._module(name), "--predict", self.work / "report.json", "--report", self.work / f"predicted-{name}.json"])

    def _predicted(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self._need(f"predicted-{name}.json", "measure")
        return found

    def choose(self) -> None:
        """Compiles the cost model's choice for each recipe, by the measured times."""
        self._need("report.json", "measure")
        run_tool("prec-bench", ["merge", self.work / "report.json", "-o", self.work / "measured.json", "--policy-version=2"])
        self._predict()
        for recipe in self.options.recipes:
            name = _name(recipe)
            policy = self._scaled(f"policy-{name}.json", 1)
            said = self._choose(f"choice-{name}", recipe, policy)
            total = _TOTAL.search(said)
            scale = self._cast_scale(name, total, 0.0) if total else 1.0
            self.state["scales"][name] = self._search(name, recipe, scale)
            self.state.setdefault("totals", {})[name] = _microseconds(total) if total else None
        for least in self.options.frontier:
            recipe = self.options.recipes[0]
            name = f"snr{least:g}-{_name(recipe)}"
            policy = self._scaled(f"policy-{_name(recipe)}.json", self.state["scales"][_name(recipe)])
            try:
                self._choose(name, recipe, policy, least)
            except CompileFailure as failure:
                # More than BF16 itself keeps.
                if "least-gradient-snr must be what a permitted choice keeps" not in str(failure):
                    raise
                continue
            self.state["candidates"][name]["least_snr"] = least
        self._keep()
        self._predict()

    def _search(self, name: str, recipe: str, scale: float) -> float:
        """Makes the choice at the scale of casts whose step is predicted to be the fastest, by the kernels that it
        really has: some scales around `scale` are tried until one beats BF16 and the recipe everywhere by what
        predictions can tell. Where none does, the faster of those two is the choice. Returns the scale."""
        faster = self._faster((_PLAIN, name))
        plain = self._predicted(faster)["us"]
        least, best, seen = math.inf, scale, set()
        for factor in _FACTORS:
            tried = min(max(scale * factor, _LEAST_SCALE), _MOST_SCALE)
            self._choose("tried", recipe, self._scaled(f"policy-{name}.json", tried))
            entry = self.state["candidates"].pop("tried")
            image = self._module("tried").read_bytes()
            if image in seen:
                continue
            seen.add(image)
            self._predict("tried")
            us = self._predicted("tried")["us"]
            if us < least:
                least, best = us, tried
                self.state["candidates"]["tried"] = entry | {"proposed": True}
                self._copy("tried", f"choice-{name}")
                del self.state["candidates"]["tried"]
            if least < (1 - _NOTICED) * plain:
                break
        if least > (1 - _NOTICED) * plain:
            self._copy(faster, f"choice-{name}")
        for path in (self._module("tried"), self.work / "predicted-tried.json"):
            path.unlink(missing_ok=True)
        self._scaled(f"policy-{name}.json", best)
        return best

    def _choose(self, name: str, recipe: str, policy: Path, least_snr: float | None = None) -> str:
        said = self._compile_choice(name, recipe, f"policy={policy.resolve()}", least_snr)
        self.state["candidates"][name] = self._describe(recipe, said)
        (self.work / f"predicted-{name}.json").unlink(missing_ok=True)
        return said

    def _compile_choice(self, name: str, recipe: str, words: str, least_snr: float | None = None) -> str:
        """Compiles what costs choose by `words`, options of --assign-precision, and by what was measured of noise."""
        options = ["choose=cost", words, self._choice, *self._bounds(recipe, least_snr)]
        try:
            return self._compile(name, recipe, *options, gradients := self._gradient_format(recipe, words))
        except CompileFailure as failure:
            # Of a recipe that reads no gradient in FP8 there is none to choose.
            if not gradients or "gradient-format must have gradients that are read in FP8" not in str(failure):
                raise
        return self._compile(name, recipe, *options)

    def _describe(self, recipe: str, said: str) -> dict[str, Any]:
        """A candidate, by what the compiler said of the choice."""
        entry: dict[str, Any] = {"recipe": recipe, "said": [line for line in said.splitlines() if "products and their casts" in line]}
        if snr := _SNR.search(said):
            entry["predicted_snr_db"] = float(snr[1])
            # With options of choices alone "recipe everywhere" is more than the recipe.
            if not self._choice:
                self.state.setdefault("recipe_snr", {})[recipe] = float(snr[2])
            self.state["candidates"][_name(recipe)]["predicted_snr_db"] = self._recipe_snr(recipe)
        return entry

    def propose(self) -> None:
        """Compiles what the machine model chooses for each recipe at the options of each proposal. Choices with the
        same code are one."""
        for recipe in self.options.recipes:
            seen = [self._module(name).read_bytes() for name in (_PLAIN, _name(recipe)) if self._module(name).is_file()]
            for number, words in enumerate(self.options.proposals):
                name = f"proposal{number}-{_name(recipe)}"
                said = self._compile_choice(name, recipe, words)
                image = self._module(name).read_bytes()
                if image in seen:
                    self._module(name).unlink()
                    self.state["candidates"].pop(name, None)
                    continue
                seen.append(image)
                self.state["candidates"][name] = self._describe(recipe, said) | {"proposed": True}
        self._keep()

    def pick(self) -> None:
        """Makes the proposal that the measured times say to be the fastest the choice; the faster of BF16 and the
        recipe everywhere where none is predicted to beat it by what predictions can tell."""
        self._need("report.json", "measure")
        self._predict()
        for recipe in self.options.recipes:
            proposals = [name for name, entry in self.state["candidates"].items() if entry["recipe"] == recipe and entry.get("proposed")]
            fastest = self._faster((_PLAIN, _name(recipe)))
            if proposals and (self._predicted(best := self._faster(proposals))["us"] < (1 - _NOTICED) * self._predicted(fastest)["us"]):
                fastest = best
            self._copy(fastest, f"choice-{_name(recipe)}")
        self._keep()

    def _faster(self, names: Sequence[str]) -> str:
        """Of steps that keep what they must the one that is predicted to be the fastest; BF16 if none does."""
        kept = [name for name in names if self._module(name).is_file() and self._keeps(name)]
        return min(kept, key=lambda name: self._predicted(name)["us"], default=_PLAIN)

    def _copy(self, step: str, name: str) -> None:
        """Makes `name` another name of a step: one of those that run anyway, or of a proposal, which does not."""
        entry = dict(self.state["candidates"][step])
        if not entry.pop("proposed", False):
            entry["is"] = step
        self.state["candidates"][name] = entry
        shutil.copyfile(self._module(step), self._module(name))
        shutil.copyfile(self.work / f"predicted-{step}.json", self.work / f"predicted-{name}.json")

    def _kernels(self, name: str) -> float:
        """Predicted time of all commands but products and attention, which casts are no part of."""
        return sum(c["us"] for c in self._predicted(name)["commands"] if c["command"].split(" ")[0] in ("kernel", "copy", "fill"))

    def _cast_scale(self, name: str, total: re.Match[str] | float, missing_us: float) -> float:
        """What the price of casts must be multiplied by, so that the recipe's add up to what its kernels take beyond
        those of BF16, and what was `missing_us` in whole steps."""
        taken = self._kernels(name) - self._kernels(_PLAIN) + missing_us
        predicted = _microseconds(total) if isinstance(total, re.Match) else total
        priced = predicted - sum(c["us"] for c in self._predicted(name)["commands"] if c["command"].startswith("gemm "))
        if priced <= 0:
            return 1.0
        return min(max(taken / priced, _LEAST_SCALE), _MOST_SCALE)

    def _scaled(self, name: str, scale: float) -> Path:
        """The measured policy with times of quantizations times `scale`."""
        policy = self._need("measured.json", "choose")
        for entry in policy.get("quantizations", []):
            for key in ("us", "noise_us"):
                if key in entry:
                    entry[key] *= scale
        path = self.work / name
        path.write_text(json.dumps(policy, indent=1) + "\n")
        return path

    def race(self, names: Sequence[str] = (), report: str = "race.json") -> None:
        """Runs whole steps of the candidates in turns, until their times are known or the budget is spent."""
        # Steps of the frontier and proposals are predicted, not raced; a choice that is another candidate runs as that.
        names = names or [name for name, entry in self.state["candidates"].items()
                          if self._module(name).is_file() and not {"least_snr", "proposed", "is", "is_reference"} & entry.keys()]
        if report == "race.json":
            # Of candidates of a race before.
            (self.work / "race-again.json").unlink(missing_ok=True)
        modules = [self._module(name) for name in names]
        first, *others = modules
        self._run(first, "--race", *others, "--report", self.work / report, "--budget", str(self.options.race_budget),
                  "--interval", str(self.options.race_interval), *self._start())
        if self._has_noise():
            self._verify()

    def _verify(self) -> None:
        """Compares the gradients of all candidates with those in FP32."""
        names = [name for name, entry in self.state["candidates"].items()
                 if self._module(name).is_file() and not {"proposed", "is", "is_reference"} & entry.keys()]
        self._run(self._module(_REFERENCE), "--verify", *map(self._module, names), "--report", self.work / "verify.json", *self._start())

    def feedback(self) -> None:
        """Chooses once more where whole steps differ by other times than predicted, and races that choice with the
        fastest candidate."""
        self._need("race.json", "race")
        measured = {name: entry["us"] for name, entry in self._race("race.json").items()}
        fastest = min(measured, key=lambda name: measured[name])
        again = []
        for recipe in self.options.recipes:
            name = _name(recipe)
            total = self.state.get("totals", {}).get(name)
            if name not in measured or _PLAIN not in measured or total is None:
                continue
            predicted = self._predicted(name)["us"] - self._predicted(_PLAIN)["us"]
            missing = measured[name] - measured[_PLAIN] - predicted
            if abs(missing) < _NOTICED * measured[_PLAIN]:
                continue
            scale = self._cast_scale(name, total, missing)
            before = self._module(f"choice-{name}").read_bytes() if self._module(f"choice-{name}").is_file() else b""
            self._choose(f"again-{name}", recipe, self._scaled(f"policy-again-{name}.json", scale))
            self.state["scales"][f"again-{name}"] = scale
            if self._module(f"again-{name}").read_bytes() == before:
                del self.state["candidates"][f"again-{name}"]
                self._module(f"again-{name}").unlink()
                continue
            again.append(f"again-{name}")
        self._keep()
        if again:
            self._predict()
            self.race([fastest, *again], "race-again.json")

    # Results.

    def _best(self, raced: dict[str, dict[str, Any]], rows: dict[str, dict[str, Any]]) -> tuple[str, str]:
        """Of raced steps that keep what they must the fastest, or one that is as fast and keeps more of the gradient,
        such as one whose gradients are E4M3 and not E5M2; and why it is that one, if so."""
        kept = list(filter(self._keeps, raced))
        if not kept:
            return _PLAIN, ""
        fastest = min(kept, key=lambda name: raced[name]["us"])
        alike = [name for name in kept if raced[name]["us"] <= (1 + _ALIKE) * raced[fastest]["us"] and _snr_of(rows[name]) is not None]
        best = max(alike, key=lambda name: _snr_of(rows[name]) or 0.0, default=fastest)
        if best == fastest or (least := _snr_of(rows[fastest])) is None:
            return fastest, ""
        return best, f"as fast as {fastest}, and gradients keep {_snr_of(rows[best]):.2f} dB instead of {least:.2f} dB"

    def _race(self, name: str) -> dict[str, dict[str, Any]]:
        """By candidate what a race measured; empty where it did not run."""
        race = self._read(name)
        found = {Path(entry["module"]).stem: entry for entry in race["modules"]} if race else {}
        others = {name: found[entry["is"]] for name, entry in self.state["candidates"].items() if entry.get("is") in found}
        return others | found

    def report(self) -> dict[str, Any]:
        """Of every candidate what was predicted before it ran and what it took; which is kept, and by how much."""
        first, second = self._race("race.json"), self._race("race-again.json")
        measured = second | first
        plain = [name for name in (_PLAIN, *map(_name, self.options.recipes)) if name in first]
        # What whole steps take beyond their commands: how far the steps that were no choice are from their prediction.
        verified = self._read("verify.json") or {"modules": []}
        snr = {Path(module["module"]).stem: module["snr_db"] for module in verified["modules"]}
        off = [first[name]["us"] / self._predicted(name)["us"] for name in plain if self._read(f"predicted-{name}.json")]
        usual = sum(off) / len(off) if off else 1.0
        candidates = []
        for name, entry in self.state["candidates"].items():
            predicted = self._read(f"predicted-{name}.json")
            row: dict[str, Any] = {"name": name, "recipe": entry["recipe"], "said": entry.get("said", [])}
            row |= {key: entry[key] for key in ("least_snr", "is", "proposed") if key in entry}
            if "predicted_snr_db" in entry:
                # JSON has no infinity.
                row["predicted_snr_db"] = entry["predicted_snr_db"] if math.isfinite(entry["predicted_snr_db"]) else None
            if (same := entry.get("is", name)) in snr:
                row["snr_db"] = snr[same]
            if predicted:
                row |= {"predicted_us": predicted["us"], "measured_share": predicted["measured_us"] / max(predicted["us"], 1e-9)}
            if name in measured:
                row |= {"us": measured[name]["us"], "noise_us": measured[name]["noise_us"]}
            if predicted and name in measured:
                row["predicted_to_measured"] = predicted["us"] / measured[name]["us"]
                if name not in plain:
                    row["predicted_after_plain_to_measured"] = usual * predicted["us"] / measured[name]["us"]
            candidates.append(row)
        result: dict[str, Any] = {"version": 1, "graph": str(self.options.graph), "target": self.options.target, "candidates": candidates,
                                  "cast_scales": self.state["scales"]}
        if self._has_noise():
            result["frontier"] = find_frontier(candidates)
        if first:
            # The last race has the fastest of the one before.
            last = second or first
            result["kept"], why = self._best(last, {row["name"]: row for row in candidates})
            if why:
                result["kept_for"] = why
            result["us"] = last[result["kept"]]["us"]
            chosen = [entry["us"] for name, entry in first.items() if name.startswith("choice-")]
            if chosen and plain:
                best = min(first[name]["us"] for name in plain)
                # Below 1 choosing was worth it; what is kept is never above, but for noise.
                result["choice_to_best"] = min(chosen) / best
                result["kept_to_best"] = min(entry["us"] for entry in first.values()) / best
                if second:
                    before = min(first, key=lambda name: first[name]["us"])
                    result["kept_to_best"] *= result["us"] / second[before]["us"]
        return result


def _snr_of(row: dict[str, Any]) -> float | None:
    """Decibels that the gradient of a candidate keeps, measured or else predicted; none if that is not known."""
    found: float | None = row.get("snr_db", row.get("predicted_snr_db"))
    return found


def _noise(decibels: float | None) -> float:
    """Squares of errors over squares; where nothing is rounded there are no decibels."""
    return 0.0 if decibels is None else 10 ** (-decibels / 10)


def _microseconds(total: re.Match[str]) -> float:
    return float(total[1]) * (1e3 if total[2] == "ms" else 1)


def _name(recipe: str) -> str:
    return Path(recipe).stem if recipe.endswith(".json") else recipe


def _recipe(recipe: str) -> list[str]:
    return [f"--recipe-file={recipe}" if recipe.endswith(".json") else f"--recipe={recipe}"]


def default_recipes(steps: int) -> tuple[str, ...]:
    """What is tuned if nothing is said: gradients in E5M2, and where their noise is measured in E4M3, too."""
    return ("fp8-hybrid", "fp8-e4m3") if steps else ("fp8-hybrid",)


def tune(graph: str | Path, output: str | Path | None = None, *, target: str = "cpu", recipes: Sequence[str] | None = None,
         work: str | Path | None = None, stages: Sequence[str] = _AT_HAND, **more: Any) -> dict[str, Any]:
    """Tunes the precision of a graph, and writes the fastest step module to `output`. `work` keeps the files of the
    stages, which need not all run here (STAGES); `more` are fields of Options. Returns the report: `kept`, its
    microseconds `us`, `choice_to_best` and `kept_to_best`, and `candidates` with measured and predicted times. Raises
    CompileFailure where a tool fails, with what it said."""
    unknown = [stage for stage in stages if stage not in STAGES]
    if unknown:
        raise CompileFailure(f"a stage must be one of {', '.join(STAGES)}, but got {', '.join(unknown)}")
    with tempfile.TemporaryDirectory(prefix="prec-tune-") as scratch:
        chosen = tuple(recipes) if recipes is not None else default_recipes(more.get("steps", 0))
        tuning = Tuning(Options(Path(graph), target, chosen, Path(work or scratch), **more))
        for stage in STAGES:
            if stage in stages:
                getattr(tuning, stage)()
        report = tuning.report()
        (tuning.work / "tune.json").write_text(json.dumps(report, indent=1) + "\n")
        if output is not None and "kept" in report:
            shutil.copyfile(tuning.work / f"{report['kept']}.so", output)
    return report


def _decibels(text: str | None) -> float | str | None:
    """Of --least-snr; what is no number is kept, and refused where it is no word either."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(1, f"prec-tune: error: {message}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """The command prec-tune; what goes wrong is a line on stderr and exit code 1."""
    parser = _Parser(prog="prec-tune", description="Measures what a step runs, chooses formats by it, and keeps the fastest of whole steps.")
    parser.add_argument("graph", type=Path, metavar="graph.mlir")
    parser.add_argument("-o", "--output", type=Path, help="step module to write: the fastest candidate")
    parser.add_argument("--target", default="cpu", help="cpu (the default), or this machine's GPU, such as sm_90a")
    parser.add_argument("--recipe", action="append", dest="recipes", metavar="NAME",
                        help="recipe beside bf16; again for more (fp8-hybrid; with --steps fp8-e4m3, too)")
    parser.add_argument("--work", type=Path, help="folder where the stages keep their files (default: none stays)")
    parser.add_argument("--stages", default=",".join(_AT_HAND),
                        help=f"which of {','.join(STAGES)} run here ({','.join(_AT_HAND)}); they go on with the files of --work")
    parser.add_argument("--report", type=Path, help="write the report as JSON, too")
    parser.add_argument("--assign", default="", help="options of --assign-precision for all candidates, such as tensor-scaling=delayed")
    parser.add_argument("--choice", help="options for choices alone: what they may take beyond the recipe, such as head=in, which is what they "
                        "have with --steps, which measures what that costs; '' for nothing")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds for measuring commands (60)")
    parser.add_argument("--race-budget", type=float, default=60.0, help="seconds for whole steps (60)")
    parser.add_argument("--interval", type=float, default=0.01, help="share of its median that the interval of a command may have (0.01)")
    parser.add_argument("--race-interval", type=float, default=0.003, help="the same of a whole step (0.003)")
    parser.add_argument("--numerics", type=Path, help="numerics.json with the noise of gradients (prec-run --gradient-noise)")
    parser.add_argument("--steps", type=int, default=0, metavar="N", help="measure that noise in N batches")
    parser.add_argument("--least-snr", metavar="DB",
                        help="signal to noise that the gradient of the choice must keep; 'recipe': as much as with the recipe everywhere")
    parser.add_argument("--frontier", default="", metavar="DB,DB,...",
                        help="make the fastest choice for each of these, too: time over precision, a table and in the report")
    parser.add_argument("--frontier-plot", type=Path, metavar="FILE.svg", help="draw the frontier")
    parser.add_argument("--tokens", action="append", default=[], help="training text of the races; without it random tokens")
    parser.add_argument("--weights", help="start weights of the races; without them random ones")
    parser.add_argument("--threads", help="of the CPU (all)")
    parser.add_argument("--cuda-libraries", nargs="+", default=[], metavar="FOLDER", help="where cuBLASLt and cuDNN are")
    arguments = parser.parse_args(argv)
    run = [word for path in arguments.tokens for word in ("--tokens", path)]
    for option in ("weights", "threads"):
        if value := getattr(arguments, option):
            run += [f"--{option}", value]
    if arguments.cuda_libraries:
        run += ["--cuda-libraries", *arguments.cuda_libraries]
    try:
        report = tune(arguments.graph, arguments.output, target=arguments.target, recipes=arguments.recipes,
                      work=arguments.work, stages=arguments.stages.split(","), assign=arguments.assign, choice=arguments.choice,
                      budget=arguments.budget,
                      race_budget=arguments.race_budget, interval=arguments.interval, race_interval=arguments.race_interval,
                      numerics=arguments.numerics, steps=arguments.steps, least_snr=_decibels(arguments.least_snr),
                      frontier=[float(text) for text in arguments.frontier.split(",") if text], run=run)
    except (Error, ValueError) as error:
        print(f"prec-tune: error: {error}", file=sys.stderr)
        return 1
    print(table(report))
    if arguments.frontier_plot:
        write_plot(report.get("frontier", []), arguments.frontier_plot)
    if arguments.report:
        arguments.report.write_text(json.dumps(report, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
