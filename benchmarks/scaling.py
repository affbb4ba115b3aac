# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time and memory of every compile phase over the number of layers: each should grow linearly.

    python benchmarks/scaling.py [--layers 2 20 200] [--out benchmarks/results/scaling.json] [--plot docs/scaling.png]
    python benchmarks/scaling.py --layers 8 32 126 --target sm_90a --assign tensor-scaling=delayed --width 1024 \\
                                 [--out benchmarks/results/scaling_sm_90a.json]

A Hugging Face Llama of small width, so that layers and not weights are what grows. For a GPU the distinct kernels and
the commands of a step are counted, too: layers of one shape share their kernels. Times are the process's own (user and
system), the least of some repeats, so that a busy machine matters little. The slope is that of a straight line in
log-log between the last two: 1 is linear, 2 quadratic; fixed costs make it smaller.
"""
import argparse
import json
import math
import pathlib
import platform
import resource
import subprocess
import sys
import tempfile

from figures import figure, label_layers
from llama_graph import import_llama
from phases import count_kernels, time_phases

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = dict(vocab_size=256, hidden_size=64, intermediate_size=176, num_attention_heads=4, num_key_value_heads=2,
             max_position_embeddings=128, tie_word_embeddings=True)
BATCH, SEQUENCE = 2, 32


def widen(width: int) -> dict:
    """The model in another width, with heads of 64 from 256 on."""
    scale = width / MODEL["hidden_size"]
    heads = max(4, width // 64)
    return MODEL | dict(hidden_size=width, intermediate_size=int(MODEL["intermediate_size"] * scale), num_attention_heads=heads,
                        num_key_value_heads=heads // 2)


# As prec-compile names its phases, and what they are here.
PHASES = {"import": "raise", "assign": "assign", "materialize": "materialize", "schedule": "schedule", "codegen": "codegen",
          "machine code": "machine code", "emit": "emit"}


def import_graph(layers: int, width: int, graph: str) -> None:
    """In a process of its own: imports, writes the graph and prints what that took."""
    taken = import_llama(widen(width), layers, BATCH, SEQUENCE, graph)
    print(json.dumps(taken | {"mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def run_import(layers: int, width: int, graph: pathlib.Path) -> dict:
    command = [sys.executable, __file__, "--import-only", str(layers), str(width), str(graph)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1])


def run_compile(graph: pathlib.Path, options) -> dict[str, tuple[float, int]]:
    """Seconds of CPU and peak MiB after each phase."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assign = [f"--assign={options.assign}"] if options.assign else []
    taken = time_phases(graph, options.recipe, options.target, *assign)
    phases = {PHASES[name]: (cpu, mib) for name, (_, cpu, mib) in taken.items()}
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    whole = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    phases["read"] = (whole - sum(seconds for seconds, _ in phases.values()), 0)
    phases["whole"] = (whole, max(mib for _, mib in phases.values()))
    return phases


def measure(layers: int, options, folder: pathlib.Path) -> dict:
    graph = folder / f"{layers}.mlir"
    imports = [run_import(layers, options.width, graph) for _ in range(options.repeats)]
    compiles = [run_compile(graph, options) for _ in range(options.repeats)]
    result = {"layers": layers, "ops": imports[0]["ops"], "graph_bytes": graph.stat().st_size,
              "module_bytes": graph.with_suffix(".so").stat().st_size,
              "seconds": {"import": min(i["seconds"] for i in imports)}, "peak_mib": {"import": round(min(i["mib"] for i in imports))}}
    for phase in ("read", *PHASES.values(), "whole"):
        result["seconds"][phase] = round(min(c[phase][0] for c in compiles), 3)
        if phase != "read":
            result["peak_mib"][phase] = min(c[phase][1] for c in compiles)
    result["seconds"]["import"] = round(result["seconds"]["import"], 3)
    if options.target != "cpu":
        result["kernels"], result["commands"] = count_kernels(graph.with_suffix(".so"))
    return result


def slopes(runs: list[dict]) -> dict[str, float]:
    small, large = runs[-2:]
    scale = math.log(large["layers"] / small["layers"])
    return {phase: round(math.log(large["seconds"][phase] / max(small["seconds"][phase], 1e-3)) / scale, 2) for phase in large["seconds"]}


def plot(runs: list[dict], path: pathlib.Path) -> None:
    layers = [run["layers"] for run in runs]
    with figure(path, dpi=110, figsize=(6, 4.5), layout="constrained") as axes:
        for phase in ("import", "raise", "assign", "materialize", "schedule", "codegen", "machine code", "emit"):
            axes.loglog(layers, [max(run["seconds"][phase], 1e-3) for run in runs], marker="o", label=phase)
        axes.loglog(layers, [1e-3 * n / layers[0] for n in layers], color="gray", linestyle=":", label="linear")
        label_layers(axes, layers, ylabel="seconds of CPU", title="Compile phases over layers")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, nargs="+", default=[2, 20, 200])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--recipe", default="fp8-hybrid")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--assign", help="as of prec-compile")
    parser.add_argument("--width", type=int, default=MODEL["hidden_size"], help="of the model; a multiple of 64")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--plot", type=pathlib.Path)
    parser.add_argument("--import-only", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.import_only:
        layers, width, graph = arguments.import_only
        return import_graph(int(layers), int(width), graph)
    if len(arguments.layers) < 2 or sorted(set(arguments.layers)) != arguments.layers:
        parser.error("--layers must be at least two ascending numbers")
    with tempfile.TemporaryDirectory() as folder:
        runs = [measure(layers, arguments, pathlib.Path(folder)) for layers in arguments.layers]
    slope = slopes(runs)
    print("| phase | " + " | ".join(f"{r['layers']} layers, {r['ops']:,} ops" for r in runs) + " | slope | peak MiB |")
    print("|---" * (len(runs) + 3) + "|")
    for phase, value in slope.items():
        cells = [f"{r['seconds'][phase]:.3f} s" for r in runs]
        print(f"| {phase} | " + " | ".join(cells) + f" | {value:.2f} | {runs[-1]['peak_mib'].get(phase, '')} |")
    for count in ("kernels", "commands"):
        if count in runs[0]:
            print(f"| {count} | " + " | ".join(f"{r[count]:,}" for r in runs) + " | | |")
    if arguments.out:
        result = {"model": widen(arguments.width), "batch": BATCH, "sequence": SEQUENCE, "recipe": arguments.recipe,
                  "assign": arguments.assign, "target": arguments.target,
                  "cpu": platform.processor() or platform.machine(), "repeats": arguments.repeats, "runs": runs, "slopes": slope}
        arguments.out.write_text(json.dumps(result, indent=1) + "\n")
    if arguments.plot:
        plot(runs, arguments.plot)


if __name__ == "__main__":
    main()
