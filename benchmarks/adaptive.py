#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The choice by measured times against BF16 and FP8 everywhere: whole steps in turns, on the GPU.

usage: python benchmarks/adaptive.py STAGE,... KIT [--models NAME,...] [--recipe NAME,...] [--assign OPTIONS] [--out
  DIR]

The compiler and the GPU may be on different machines, which is what the stages are for:

    python benchmarks/adaptive.py prepare build/adaptive            # with the compiler: graphs, bench modules, steps
    python benchmarks/adaptive.py measure build/adaptive --out DIR  # on the GPU: every command of the steps in BF16 and FP8
    python benchmarks/adaptive.py choose build/adaptive             # with the compiler: the choice by these times
    python benchmarks/adaptive.py race build/adaptive --out DIR     # on the GPU: whole steps of all three in turns
    python benchmarks/adaptive.py report build/adaptive             # the table

With one visit of the GPU, what the machine model would choose at several of its numbers is compiled before, and the
measured times choose of these:

    python benchmarks/adaptive.py prepare,propose build/adaptive
    python benchmarks/adaptive.py measure,pick,race build/adaptive --out DIR --seconds 400

KIT keeps the files of all stages, prec-run among them: about 15 MiB a model, and less than two minutes of the GPU for
measure and race of one together. --out gets a copy of what measuring wrote (JSON), for where KIT
itself is not brought back; `collect` copies such a folder into KIT again. On one machine with both, `all` does it all.
Models are shapes: random weights and tokens.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from prec.tools import find_tool  # noqa: E402
from prec.tuning import STAGES, Options, Tuning  # noqa: E402


def llama(width, layers, heads, kv, hidden, vocabulary=32768, length=4096, **more):
    return {"model_type": "llama", "hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": kv,
            "intermediate_size": hidden, "vocab_size": vocabulary, "max_position_embeddings": length, "tie_word_embeddings": False, **more}


SMALL = llama(960, 32, 15, 5, 2560, 49152, 8192, tie_word_embeddings=True)
GPT2 = {"model_type": "gpt2", "attn_pdrop": 0.0, "resid_pdrop": 0.0, "embd_pdrop": 0.0}
QWEN3 = {"model_type": "qwen3", "hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128,
         "intermediate_size": 3072, "vocab_size": 151936, "max_position_embeddings": 32768, "tie_word_embeddings": True}


def one_b(layers):
    return llama(2048, layers, 32, 8, 8192, 32768, 32768)


def eight_b(layers):
    return llama(4096, layers, 32, 8, 14336)


# A config or a function of a script, rows and tokens. Of large models a few layers, as all are alike: -l4 is of four.
MODELS = {
    "llama-360m-1x512": (SMALL, 1, 512),
    "gpt2-1x1024": (GPT2, 1, 1024),
    "llama-1b-l4-1x4096": (one_b(4), 1, 4096),
    "llama-8b-l2-1x1024": (eight_b(2), 1, 1024),
    "llama-1b-l4-1x512": (one_b(4), 1, 512),
    "llama-124m-32x1024": (llama(768, 12, 12, 12, 2048), 32, 1024),
    "llama-70b-l1-1x4096": (llama(8192, 1, 64, 8, 28672), 1, 4096),
    "qwen3-0.6b-l6-4x2048": (QWEN3 | {"num_hidden_layers": 6}, 4, 2048),
    "llama-512-l8-8x512": (llama(512, 8, 8, 8, 1408), 8, 512),
    "bert-l3": (f"{ROOT}/benchmarks/untuned_models.py:bert", 0, 0),
    "bench-124m": (f"{ROOT}/examples/bench_llama.py:model_124m", 0, 0),  # what convergence.py trains
    "llama-1b-l4-4x4096": (one_b(4), 4, 4096),
    "llama-360m-l8-8x2048": (SMALL | {"num_hidden_layers": 8}, 8, 2048),
    "llama-1b-l2-1x32768": (one_b(2), 1, 32768),
    "llama-8b-l2-2x4096": (eight_b(2), 2, 4096),
    "gpt2-16x1024": (GPT2, 16, 1024),
    "qwen3-0.6b-l6-1x1024": (QWEN3 | {"num_hidden_layers": 6}, 1, 1024),
    "llama-360m-l8-1x2048": (SMALL | {"num_hidden_layers": 8}, 1, 2048),
    "llama-1b-4x4096": (one_b(16), 4, 4096),
}
# Numbers of the machine model that proposals are made by: the speed of FP8 products and the time of a launch, each as a
# part of what the target's file says. Where small products are slow, FP8 gains less, and launches cost more.
PROPOSALS = ((1, 1), (0.8, 2), (0.65, 3), (1, 0.5))


class Kit:
    def __init__(self, options):
        self.options = options
        self.folder = options.kit
        self.folder.mkdir(parents=True, exist_ok=True)

    def tuning(self, name):
        options = self.options
        return Tuning(Options(self.folder / name / "graph.mlir", options.target, options.recipe.split(","), self.folder / name,
                              assign=options.assign, choice=options.choice, run=options.run.split(),
                              compile=(f"--kernel-cache={self.folder}-kernels",), budget=options.budget,
                              race_budget=options.race_budget, interval=options.interval,
                              steps=options.steps, least_snr=options.least_snr,
                              proposals=[f"target-costs={file.resolve()}" for file in sorted(self.folder.glob("machine*.json"))]))

    def write_machines(self):
        """The machine files of proposals."""
        target = self.options.target
        for number, (speed, launch) in enumerate(PROPOSALS):
            machine = json.loads((ROOT / "targets" / f"{target}.json").read_text())
            if "fp8" in machine["flops_per_second"]:
                machine["flops_per_second"]["fp8"]["value"] *= speed
            machine["launch_us"]["value"] *= launch
            (self.folder / f"machine{number}.json").write_text(json.dumps(machine))

    def bring_graph(self, name):
        model, rows, tokens = MODELS[name]
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        shutil.copy2(find_tool("prec-run"), self.folder / "prec-run")
        if isinstance(model, str):
            step = [model]
        else:
            (folder / "config.json").write_text(json.dumps(model))
            step = ["--hf-config", folder / "config.json", "--batch", str(rows), "--seq", str(tokens), "--clip", "1"]
        if not (folder / "graph.mlir").is_file():
            subprocess.run([sys.executable, ROOT / "tools/prec-import/prec-import", *step, "--no-verify", "-o", folder / "graph.mlir"], check=True)

    def run(self, stage, name):
        if stage == "prepare":
            self.bring_graph(name)
        if stage == "propose":
            self.write_machines()
        if stage == "race":
            self.share_algorithms(name)
        getattr(self.tuning(name), stage)()

    def share_algorithms(self, name):
        """Products of a step take the algorithms that were chosen where they were measured, and need no search."""
        folder = self.folder / name
        chosen = folder / "bench.so.algorithms.json"
        for module in folder.glob("*.so") if chosen.is_file() else ():
            if not (file := folder / f"{module.name}.algorithms.json").is_file():
                shutil.copyfile(chosen, file)

    def report(self, name):
        tuning = self.tuning(name)
        if not (tuning.work / "race.json").is_file():
            return None
        report = tuning.report()
        (tuning.work / "tune.json").write_text(json.dumps(report, indent=1) + "\n")
        return report


def print_table(reports):
    print(f"{'model':<24}{'bf16 ms':>10}{'fp8 ms':>10}{'choice ms':>10}{'kept':>22}{'choice/best':>12}{'predicted/measured':>30}")
    ratios, kept, errors, later = [], [], [], []
    for name, report in reports.items():
        rows = {row["name"]: row for row in report["candidates"]}
        recipe = next((row for row in rows if row != "bf16" and not row.startswith(("choice-", "again-", "proposal"))), None)
        times = [rows[key].get("us") if key in rows else None for key in ("bf16", recipe, f"choice-{recipe}")]
        near = [f"{row['predicted_to_measured']:.3f}" for row in report["candidates"] if "predicted_to_measured" in row]
        errors += [abs(float(text) - 1) for text in near]
        later += [abs(row["predicted_after_plain_to_measured"] - 1) for row in rows.values() if "predicted_after_plain_to_measured" in row]
        ratios.append(report.get("choice_to_best", 0))
        kept.append(report.get("kept_to_best", 0))
        cells = "".join(f"{us / 1e3:>10.3f}" if us else f"{'-':>10}" for us in times)
        print(f"{name:<24}{cells}{report.get('kept', '-'):>22}{ratios[-1]:>12.4f}{' '.join(near):>30}")
    if ratios:
        for what, values in (("choice", ratios), ("kept", kept)):
            print(f"{what} / min(bf16, fp8): worst {max(values):.4f}, {sum(v <= 0.99 for v in values)} of {len(values)} at most 0.99")
    for what, values in (("predicted before any whole step ran", errors), ("a choice, after bf16 and fp8 ran", later)):
        if values:
            print(f"{what}: off by {100 * statistics.median(values):.1f} % in the median, {100 * max(values):.1f} % at worst")


def main():
    stages = (*STAGES, "report", "collect", "all")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", help="of " + ", ".join(stages))
    parser.add_argument("kit", type=pathlib.Path)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--recipe", default="fp8-hybrid")
    parser.add_argument("--assign", default="tensor-scaling=delayed")
    parser.add_argument("--choice", help="options of choices alone, such as head=in, which they have with --steps")
    parser.add_argument("--steps", type=int, default=0, help="batches in which the noise of the gradient is measured")
    parser.add_argument("--least-snr", type=lambda text: text if text == "recipe" else float(text), help="what the gradient must keep")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--budget", type=float, default=15, help="seconds for the commands of a model")
    parser.add_argument("--race-budget", type=float, default=15, help="seconds for its whole steps")
    parser.add_argument("--interval", type=float, default=0.01, help="what share of it the interval of a command may have")
    parser.add_argument("--seconds", type=float, help="begin no model after so many")
    parser.add_argument("--run", default="", help="more options of prec-run")
    parser.add_argument("--out", type=pathlib.Path, help="folder for a copy of what was measured; of `collect` the one that is read")
    options = parser.parse_args()
    names = options.models.split(",")
    unknown = [name for name in names if name not in MODELS]
    if unknown:
        parser.error(f"models must be of {', '.join(MODELS)}, but got {', '.join(unknown)}")
    # The kit brings its own prec-run where there is no build.
    os.environ["PATH"] = f"{options.kit.resolve()}:{os.environ['PATH']}"
    kit = Kit(options)
    failed = []
    order = options.stage.split(",")
    if unknown := [stage for stage in order if stage not in stages]:
        parser.error(f"stages must be of {', '.join(stages)}, but got {', '.join(unknown)}")
    if "collect" in order:
        for file in options.out.glob("*/*.json"):
            shutil.copy2(file, options.kit / file.parent.name / file.name)
        return 0
    if "all" in order:
        order = ["prepare", "measure", "choose", "race", "feedback", "report"]
    begun = time.monotonic()
    for name in names if order != ["report"] else ():
        if options.seconds and time.monotonic() - begun > options.seconds:
            print(f"no time is left for {name}", flush=True)
            break
        for stage in order:
            if stage == "report":
                continue
            print(f"{time.monotonic() - begun:5.0f} s  {stage} {name}", flush=True)
            try:
                kit.run(stage, name)
            except Exception as error:  # One model that does not fit leaves the others.
                failed.append(f"{stage} {name}")
                print(f"  {type(error).__name__}: {error}", flush=True)
                break
            finally:
                if options.out:
                    (options.out / name).mkdir(parents=True, exist_ok=True)
                    for file in (options.kit / name).glob("*.json"):
                        if file.name != "config.json" and not file.name.endswith(".algorithms.json"):
                            shutil.copy2(file, options.out / name / file.name)
    if {"race", "feedback", "report"} & set(order):
        print_table({name: report for name in names if (report := kit.report(name))})
    if failed:
        print("failed: " + ", ".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
