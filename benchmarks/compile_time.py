# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seconds and memory from a PyTorch model of real size to its step modules: the import, and each phase of prec-compile.

    python benchmarks/compile_time.py [--model examples/bench_llama.py:model_1b] [--out benchmarks/results/compile_time.json]

The import is a process of its own, the start of Python and PyTorch included. The least seconds of some repeats. A
column "cached" is a compilation that finds all its kernels in the kernel cache. Seconds of CPU include those of ptxas.

    python benchmarks/compile_time.py --kinds [--graphs FOLDER] [--out benchmarks/results/compile_time.json]

Whole compilations for an H100 of models of other kinds (`kinds_models.py`), without a cache: convolutions have kernels
of many shapes. Graphs that are in the folder are not imported again. The result is added to that of the file.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from phases import ROOT, count_kernels, time_phases

DELAYED = ("--assign=tensor-scaling=delayed",)
RUNS = {"bf16 sm_90a": ("bf16", "sm_90a", ()), "fp8-hybrid sm_90a": ("fp8-hybrid", "sm_90a", ()),
        "delayed sm_90a": ("fp8-hybrid", "sm_90a", DELAYED),
        "bf16 cpu": ("bf16", "cpu", ()), "fp8-hybrid cpu": ("fp8-hybrid", "cpu", ()), "delayed cpu": ("fp8-hybrid", "cpu", DELAYED)}
KINDS, KIND_RECIPES = ("resnet_50", "unet", "bert_large"), ("bf16", "fp8-hybrid")


def run_import(model: str, graph: pathlib.Path) -> dict:
    """Wall and CPU seconds, and the peak memory, of prec-import."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([sys.executable, ROOT / "tools" / "prec-import" / "prec-import", model, "-o", graph], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": round(time.monotonic() - start, 2), "cpu_seconds": round(cpu, 2), "peak_mib": after.ru_maxrss // 1024}


def least(runs: list[dict]) -> dict:
    keys = ("seconds", "cpu_seconds", "peak_mib")
    return {phase: {key: min(run[phase][i] for run in runs) for i, key in enumerate(keys)} for phase in runs[0]}


def time_kinds(graphs: pathlib.Path, repeats: int) -> dict:
    """Of each model and recipe the seconds of whole compilations without a cache, and how many kernels there are."""
    result: dict = {}
    for name in KINDS:
        graph = graphs / f"{name}.mlir"
        if not graph.exists():
            run_import(str(ROOT / "benchmarks" / f"kinds_models.py:{name}_step"), graph)
        for recipe in KIND_RECIPES:
            phases = least([time_phases(graph, recipe, "sm_90a") for _ in range(repeats)])
            result[f"{name} {recipe}"] = {
                **{key: round(sum(phase[key] for phase in phases.values()), 2) for key in ("seconds", "cpu_seconds")},
                "machine_code_cpu_seconds": phases["machine code"]["cpu_seconds"], "kernels": count_kernels(graph.with_suffix(".so"))[0]}
    return result


def print_kinds(kinds: dict) -> None:
    print("| | seconds of CPU | of them machine code | kernels |\n|---|---|---|---|")
    for name, row in kinds.items():
        print(f"| {name} | {row['cpu_seconds']:.1f} | {row['machine_code_cpu_seconds']:.1f} | {row['kernels']} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=str(ROOT / "examples" / "bench_llama.py:model_1b"), help="FILE:FUNCTION, as of prec-import")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--kinds", action="store_true")
    parser.add_argument("--graphs", type=pathlib.Path, help="where graphs of --kinds are kept")
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.kinds:
        with tempfile.TemporaryDirectory() as folder:
            kinds = time_kinds(arguments.graphs or pathlib.Path(folder), arguments.repeats)
        print_kinds(kinds)
        if arguments.out:
            known = json.loads(arguments.out.read_text()) if arguments.out.exists() else {}
            arguments.out.write_text(json.dumps({**known, "kinds": kinds}, indent=1) + "\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        graph = pathlib.Path(folder) / "graph.mlir"
        imports = [run_import(arguments.model, graph) for _ in range(arguments.repeats)]
        result = {"model": arguments.model.rsplit(":", 1)[1], "repeats": arguments.repeats,
                  "import": {key: min(run[key] for run in imports) for key in imports[0]}}
        for column, (recipe, target, options) in RUNS.items():
            result[column] = least([time_phases(graph, recipe, target, *options) for _ in range(arguments.repeats)])
            if target == "cpu":
                continue
            options += (f"--kernel-cache={folder}/{column}",)
            time_phases(graph, recipe, target, *options)
            result[f"{column}, cached"] = least([time_phases(graph, recipe, target, *options) for _ in range(arguments.repeats)])
    print("import: {seconds} s, {cpu_seconds} s CPU, {peak_mib} MiB peak".format(**result["import"]))
    columns = [key for key in result if key not in ("model", "repeats", "import")]
    print("| seconds of CPU | " + " | ".join(columns) + " |\n" + "|---" * (len(columns) + 1) + "|")
    for phase in result[columns[0]]:
        print(f"| {phase} | " + " | ".join(f"{result[column][phase]['cpu_seconds']:.2f}" for column in columns) + " |")
    for name, key in (("whole", "cpu_seconds"), ("whole, by the clock", "seconds")):
        print(f"| {name} | " + " | ".join(f"{sum(phase[key] for phase in result[column].values()):.2f}" for column in columns) + " |")
    if arguments.out:
        arguments.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
