# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_legality.py DOCUMENT TOOL [TARGET]: whether the table of products in a document is what --verify-precision
takes, for every pair of formats in both orders, every scaling, accumulator and result, on every target, or one. Prints
what differs, and how much was asked."""
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python/prec"))
from _contract import SCALINGS  # noqa: E402

WIDE, FP8 = ["f32", "bf16", "f16"], ["e4m3", "e5m2"]
# By what the table calls them: those of blocks by their sizes, others by their first word.
SCALES = {}
for name in SCALINGS:
    SCALES.setdefault(name.removeprefix("block_") if name.startswith("block_") else name.split("_")[0], []).append(name)
FP8_SCALES, FP4_SCALES = ([name for name, line in SCALINGS.items() if line[3] == operands] for operands in ("Fp8", "Fp4"))
ACCUMULATORS = ["full", "fast", "promoted"]
PIECE = 200  # Modules in a file: the place of each error is looked for from the beginning of its file.


def read_table(document: str) -> tuple[list[str], set]:
    """Targets, and (target, lhs, rhs, scaling, scaling, accumulator, result) of what the table lists."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in document.splitlines() if line.startswith("|")]
    start = next(i for i, row in enumerate(rows) if row[0] == "reads" and row[-1] == "cpu")
    targets, listed = rows[start][4:], set()
    for row in itertools.takewhile(lambda row: len(row) == 9 and " x " in row[0], rows[start + 2:]):
        lhs, rhs = row[0].split(" x ")
        for pair in row[2].split("; "):
            first, second = pair.split(" x ") if " x " in pair else (pair, pair)
            for a, b, accumulator, result, (target, cell) in itertools.product(
                    SCALES[first], SCALES[second], row[3].split(", "), row[1].split(", "), zip(targets, row[4:])):
                if cell == "yes":
                    listed |= {(target, lhs, rhs, a, b, accumulator, result), (target, rhs, lhs, b, a, accumulator, result)}
                    # Either operand may have either scale.
                    listed |= {(target, lhs, rhs, b, a, accumulator, result), (target, rhs, lhs, a, b, accumulator, result)}
    return targets, listed


def get_scales(format: str) -> list[str]:
    return FP8_SCALES if format in FP8 else FP4_SCALES if format == "e2m1" else ["none"]


def make_module(target, lhs, rhs, a, b, accumulator, result) -> str:
    tags = ", ".join(f'#prec.tag<{f}, scaling = {s}, accumulator = {accumulator}, rule = "r">' for f, s in ((lhs, a), (rhs, b)))
    x = 'tensor<32x32xf32> {prec.tag = #prec.tag<f32, rule = "r">}'
    t = "tensor<32x32xf32>"
    return (f'module attributes {{prec.recipe = "r", prec.target = "{target}"}} {{ func.func @f(%x: {x}, %y: {x}) {{ '
            f'%z = prec_train.matmul %x, %y {{operand_tags = [{tags}], result_tags = [#prec.tag<{result}, rule = "r">]}} : ({t}, {t}) -> {t} '
            f'return }} }}\n')


def find_refused(cases: list, first: int, tool: str) -> set[int]:
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write("// -----\n".join(make_module(*case) for case in cases[first:first + PIECE]))
        file.flush()
        run = subprocess.run([tool, file.name, "--split-input-file", "--verify-precision", "-o", "/dev/null"], capture_output=True, text=True)
    errors = [line for line in run.stderr.splitlines() if "error:" in line]
    for line in errors:
        if "must be legal on" not in line:
            print("unexpected:", line)
    return {first + int(line) // 2 for line in re.findall(r"\.mlir:(\d+):\d+: error: .*must be legal on", run.stderr)}


def main(document: str, tool: str, *only: str) -> None:
    targets, listed = read_table(open(document).read())
    targets = only or targets
    cases = [(target, lhs, rhs, a, b, accumulator, result)
             for target, lhs, rhs in itertools.product(targets, WIDE + FP8 + ["e2m1"], WIDE + FP8 + ["e2m1"])
             for a, b, accumulator, result in itertools.product(get_scales(lhs), get_scales(rhs), ACCUMULATORS, WIDE)]
    refused = {index for first in range(0, len(cases), PIECE) for index in find_refused(cases, first, tool)}
    wrong = [case for i, case in enumerate(cases) if (case in listed) == (i in refused)]
    for case in wrong[:20]:
        print("listed" if case in listed else "not listed", "but", "refused:" if case in listed else "taken:", *case)
    print(
        f"{len(cases)} products asked for, {len(listed & set(cases))} listed, "
        f"{sum(case[0] in targets for case in listed - set(cases))} unknown, {len(wrong)} wrong"
    )


main(*sys.argv[1:])
