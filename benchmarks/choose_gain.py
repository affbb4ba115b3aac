# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What choosing by cost gains over the recipe everywhere and over each contraction deciding for itself, as predicted.

    python benchmarks/choose_gain.py GRAPH.mlir... [--recipes fp8-hybrid fp8-rowwise ...] [--out benchmarks/results/choose_gain.json]

Prints a table of every graph, recipe and target. Exits with 1 if anything is worse.
"""
import argparse
import json
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPT = ROOT / "build" / "bin" / "prec-opt"
TIME = r"([\d.]+) (us|ms)"
REMARK = re.compile(rf"products and their casts take {TIME} on (.*?) \(recipe everywhere {TIME}, each contraction for itself {TIME}\): "
                    r"(\d+) of (\d+) contractions")


def predict(graph: pathlib.Path, recipe: str, target: str) -> dict:
    options = f"--assign-precision=recipe={recipe} target={target} choose=cost"
    text = subprocess.run([OPT, graph, options, "-o", "/dev/null"], capture_output=True, text=True, check=True).stderr
    found = REMARK.search(text)
    microseconds = [float(found[i]) * (1000 if found[i + 1] == "ms" else 1) for i in (1, 4, 6)]
    return dict(zip(("chosen_us", "recipe_us", "local_us"), microseconds), changed=int(found[8]), decided=int(found[9]), device=found[3])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graphs", type=pathlib.Path, nargs="+")
    parser.add_argument("--recipes", nargs="+", default=["fp8-hybrid", "fp8-hybrid tensor-scaling=delayed", "fp8-rowwise", "fp8-block"])
    parser.add_argument("--targets", nargs="+", default=["sm_90a"])
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    rows, is_worse = [], False
    print("| graph | recipe, target | chosen | recipe everywhere | each for itself | leave the recipe |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for graph in arguments.graphs:
            raised = pathlib.Path(folder) / graph.with_suffix(".mlirbc").name
            subprocess.run([OPT, graph, "--prec-raise-composites", "--emit-bytecode", "-o", raised], check=True)
            for target in arguments.targets:
                for recipe in arguments.recipes:
                    row = predict(raised, recipe, target)
                    rows.append({"graph": graph.stem, "recipe": recipe, "target": target, **row})
                    chosen, whole, local = row["chosen_us"], row["recipe_us"], row["local_us"]
                    is_worse |= chosen > whole or chosen > local
                    print(f"| {graph.stem} | {recipe}, {target} | {chosen / 1e3:.3f} ms | {whole / 1e3:.3f} ms, {whole / chosen:.3f}x | "
                          f"{local / 1e3:.3f} ms, {local / chosen:.3f}x | {row['changed']} of {row['decided']} |", flush=True)
    if arguments.out:
        arguments.out.write_text(json.dumps({"rows": rows}, indent=1) + "\n")
    return int(is_worse)


if __name__ == "__main__":
    raise SystemExit(main())
