# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time and memory of --assign-precision over the layers of a 405B-shaped Llama step, and what choosing by cost gains.

    python benchmarks/assign_scaling.py [--layers 8 32 126] [--graphs FOLDER] [--out benchmarks/results/assign_scaling.json]
                                        [--plot docs/assign-scaling.png]

Graphs are imported from Hugging Face's Llama without memory for weights, and kept in FOLDER if it is given. Times are
the process's own (user and system), so that a busy machine matters little: a tenth of what running the pass eleven
times takes more than running it once, each the least of some repeats. Memory is the process's peak beyond that of
reading and writing the same graph without the pass. The slope is that of a straight line in log-log between the last
two: 1 is linear, 2 quadratic.
"""
import argparse
import json
import math
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import time

from figures import figure, label_layers
from llama_graph import import_llama

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPT = ROOT / "build" / "bin" / "prec-opt"
# Llama 3.1 405B.
MODEL = dict(vocab_size=128256, hidden_size=16384, intermediate_size=53248, num_attention_heads=128, num_key_value_heads=8,
             max_position_embeddings=8192, tie_word_embeddings=False)
BATCH, SEQUENCE = 1, 8192
VARIANTS = {"recipe": "recipe=fp8-hybrid target=sm_90a", "cost": "recipe=fp8-hybrid target=sm_90a choose=cost"}


def run(*arguments) -> tuple[str, float, float]:
    """What prec-opt says, its peak MiB and its own seconds."""
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen([OPT, *map(str, arguments)], stderr=messages)
        _, status, usage = os.wait4(process.pid, 0)
        messages.seek(0)
        text = messages.read().decode()
    if status:
        raise SystemExit(f"prec-opt {' '.join(map(str, arguments))} failed:\n{text[-2000:]}")
    return text, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def prepare(layers: int, folder: pathlib.Path) -> tuple[pathlib.Path, float]:
    """The raised graph, and the seconds that importing took (0 if it was there)."""
    imported, raised = folder / f"405b_{layers}.mlir", folder / f"405b_{layers}.raised.mlirbc"
    start = time.perf_counter()
    if not imported.exists():
        subprocess.run([sys.executable, __file__, "--import-only", str(layers), str(imported)], check=True)
    seconds = time.perf_counter() - start
    if not raised.exists():
        run(imported, "--prec-raise-composites", "--emit-bytecode", "-o", raised)
    return raised, seconds


def measure(layers: int, repeats: int, folder: pathlib.Path) -> dict:
    graph, seconds = prepare(layers, folder)
    text = folder / "text.mlir"
    run(graph, "-o", text)
    with open(text) as lines:
        operations = sum(line.startswith("    %") for line in lines)
    rest = ("--verify-each=false", "--emit-bytecode", "-o", "/dev/null")
    base = min(run(graph, *rest)[1] for _ in range(repeats))
    result = {"layers": layers, "operations": operations, "import_seconds": round(seconds, 1), "seconds": {}, "mib": {}}
    for name, options in VARIANTS.items():
        assign = f"--assign-precision={options}"
        once = [run(graph, assign, *rest) for _ in range(repeats)]
        often = [run(graph, *[assign] * 11, *rest) for _ in range(repeats)]
        text = once[0][0]
        result["seconds"][name] = round((min(r[2] for r in often) - min(r[2] for r in once)) / 10, 5)
        result["mib"][name] = round(min(r[1] for r in once) - base, 1)
        remark = re.search(r"products and their casts take .*", text)
        if remark:
            result["prediction"] = remark[0]
    return result


def slopes(runs: list[dict], key: str) -> dict[str, float]:
    small, large = runs[-2:]
    scale = math.log(large["layers"] / small["layers"])
    return {name: round(math.log(large[key][name] / max(small[key][name], 1e-4)) / scale, 2) for name in VARIANTS}


def plot(runs: list[dict], path: pathlib.Path) -> None:
    layers = [r["layers"] for r in runs]
    with figure(path, columns=2, dpi=110, figsize=(8, 3.6), layout="constrained") as panels:
        for axes, key, label in zip(panels, ("seconds", "mib"), ("seconds", "MiB beyond the graph")):
            for name, marker in zip(VARIANTS, "os"):
                axes.plot(layers, [r[key][name] for r in runs], marker=marker, label=f"choose={name}")
            label_layers(axes, layers, ylabel=label, xlim=0, ylim=0)
        panels[0].figure.suptitle("--assign-precision of a 405B-shaped Llama step", fontsize=10)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, nargs="+", default=[8, 32, 126])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--graphs", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--plot", type=pathlib.Path)
    parser.add_argument("--import-only", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.import_only:
        import_llama(MODEL, int(arguments.import_only[0]), BATCH, SEQUENCE, arguments.import_only[1])
        return
    if len(arguments.layers) < 2 or sorted(set(arguments.layers)) != arguments.layers:
        parser.error("--layers must be at least two ascending numbers")
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.graphs or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        runs = [measure(layers, arguments.repeats, folder) for layers in arguments.layers]
    times, memory = slopes(runs, "seconds"), slopes(runs, "mib")
    print("| | " + " | ".join(f"{r['layers']} layers, {r['operations']:,} operations" for r in runs) + " | slope |")
    print("|---" * (len(runs) + 2) + "|")
    for name in VARIANTS:
        print(f"| choose={name}, time | " + " | ".join(f"{r['seconds'][name]:.3f} s" for r in runs) + f" | {times[name]:.2f} |")
        print("| … memory | " + " | ".join(f"{r['mib'][name]:.0f} MiB" for r in runs) + f" | {memory[name]:.2f} |")
    print(runs[-1].get("prediction", ""))
    if arguments.out:
        result = {"model": MODEL, "batch": BATCH, "sequence": SEQUENCE, "variants": VARIANTS,
                  "cpu": platform.processor() or platform.machine(), "repeats": arguments.repeats, "runs": runs,
                  "slopes": {"seconds": times, "mib": memory}}
        arguments.out.write_text(json.dumps(result, indent=1) + "\n")
    if arguments.plot:
        plot(runs, arguments.plot)


if __name__ == "__main__":
    main()
