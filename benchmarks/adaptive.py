#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The choice by measured times against BF16 and FP8 everywhere: whole steps in turns, on the GPU.

usage: python benchmarks/adaptive.py STAGE KIT [--models NAME,...] [--recipe NAME,...] [--assign OPTIONS] [--out DIR]

The compiler and the GPU may be on different machines, which is what the stages are for:

    python benchmarks/adaptive.py prepare build/adaptive            # with the compiler: graphs, bench modules, steps
    python benchmarks/adaptive.py measure build/adaptive --out DIR  # on the GPU: every command of the steps in BF16 and FP8
    python benchmarks/adaptive.py choose build/adaptive             # with the compiler: the choice by these times
    python benchmarks/adaptive.py race build/adaptive --out DIR     # on the GPU: whole steps of all three in turns
    python benchmarks/adaptive.py report build/adaptive             # the table

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

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from prec.tools import find_tool  # noqa: E402
from prec.tuning import Options, Tuning  # noqa: E402


def llama(width, layers, heads, kv, hidden, vocabulary=32768, length=4096, **more):
    return {"model_type": "llama", "hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": kv,
            "intermediate_size": hidden, "vocab_size": vocabulary, "max_position_embeddings": length, "tie_word_embeddings": False, **more}


SMALL = llama(960, 32, 15, 5, 2560, 49152, 8192, tie_word_embeddings=True)
GPT2 = {"model_type": "gpt2", "attn_pdrop": 0.0, "resid_pdrop": 0.0, "embd_pdrop": 0.0}
ONE_B = llama(2048, 16, 32, 8, 8192, 32768, 32768)
QWEN3 = {"model_type": "qwen3", "hidden_size": 1024, "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128,
         "intermediate_size": 3072, "vocab_size": 151936, "max_position_embeddings": 32768, "tie_word_embeddings": True}
# A config or a function of a script, rows and tokens. Of large models a few layers, as all are alike.
MODELS = {
    "llama-360m-1x512": (SMALL, 1, 512),
    "llama-360m-1x2048": (SMALL, 1, 2048),
    "llama-360m-8x2048": (SMALL, 8, 2048),
    "gpt2-1x1024": (GPT2, 1, 1024),
    "gpt2-16x1024": (GPT2, 16, 1024),
    "llama-124m-32x1024": (llama(768, 12, 12, 12, 2048), 32, 1024),
    "qwen3-0.6b-1x1024": (QWEN3, 1, 1024),
    "qwen3-0.6b-4x2048": (QWEN3, 4, 2048),
    "llama-1b-1x512": (ONE_B, 1, 512),
    "llama-1b-1x4096": (ONE_B, 1, 4096),
    "llama-1b-4x4096": (ONE_B, 4, 4096),
    "llama-1b-l4-1x32768": (ONE_B | {"num_hidden_layers": 4}, 1, 32768),
    "llama-8b-l4-1x1024": (llama(4096, 4, 32, 8, 14336), 1, 1024),
    "llama-8b-l4-2x4096": (llama(4096, 4, 32, 8, 14336), 2, 4096),
    "llama-70b-l1-1x4096": (llama(8192, 1, 64, 8, 28672), 1, 4096),
    "bert": (f"{ROOT}/benchmarks/untuned_models.py:bert", 0, 0),
}


class Kit:
    def __init__(self, options):
        self.options = options
        self.folder = options.kit
        self.folder.mkdir(parents=True, exist_ok=True)

    def tuning(self, name):
        options = self.options
        return Tuning(Options(self.folder / name / "graph.mlir", options.target, options.recipe.split(","), self.folder / name, assign=options.assign,
                              run=options.run.split(), compile=(f"--kernel-cache={self.folder}-kernels",), budget=options.budget,
                              race_budget=options.race_budget))

    def prepare(self, name):
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
        self.tuning(name).prepare()

    def measure(self, name):
        self.tuning(name).measure()

    def choose(self, name):
        self.tuning(name).choose()

    def race(self, name):
        self.tuning(name).race()

    def feedback(self, name):
        self.tuning(name).feedback()

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
        recipe = next((row for row in rows if row != "bf16" and not row.startswith(("choice-", "again-"))), None)
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
    stages = ("prepare", "measure", "choose", "race", "feedback", "report", "collect", "all")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=stages)
    parser.add_argument("kit", type=pathlib.Path)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--recipe", default="fp8-hybrid")
    parser.add_argument("--assign", default="tensor-scaling=delayed")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--budget", type=float, default=15, help="seconds for the commands of a model")
    parser.add_argument("--race-budget", type=float, default=15, help="seconds for its whole steps")
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
    if options.stage == "collect":
        for file in options.out.glob("*/*.json"):
            shutil.copy2(file, options.kit / file.parent.name / file.name)
        return 0
    for stage in ("prepare", "measure", "choose", "race", "feedback") if options.stage == "all" else (options.stage,):
        for name in names if stage != "report" else ():
            print(f"{stage} {name}", flush=True)
            try:
                getattr(kit, stage)(name)
            except Exception as error:  # One model that does not fit leaves the others.
                failed.append(name)
                print(f"  {type(error).__name__}: {error}", flush=True)
            if options.out:
                (options.out / name).mkdir(parents=True, exist_ok=True)
                for file in (options.kit / name).glob("*.json"):
                    shutil.copy2(file, options.out / name / file.name)
    if options.stage in ("race", "feedback", "report", "all"):
        print_table({name: report for name in names if (report := kit.report(name))})
    if failed:
        print("failed: " + ", ".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
