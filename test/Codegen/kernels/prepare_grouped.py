# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles grouped products for the GPU, with what a machine that has one needs.

    python prepare_grouped.py DIRECTORY
    python DIRECTORY/grouped_check.py                            (there)

The directory holds one cubin of each case and an index. Sizes are no multiples of tiles; FP8 has the scalings of the
recipes; sizes of odd bytes go to the kernel without matrix units.
"""
import dataclasses
import json
import pathlib
import shutil
import sys
import tempfile

import harness

ALIGNMENT = 128
CHECK = pathlib.Path(__file__).resolve().parents[2] / "Integration" / "CUDA" / "grouped_check.py"
E4M3, E5M2 = "f8E4M3FN", "f8E5M2"


def divide(size, part):
    return -(-size // part)


@dataclasses.dataclass
class Product:
    """`direction`: fprop (matrices transposed), plain or wgrad."""
    direction: str
    rows: int
    groups: int
    inner: int
    outer: int
    left: str
    right: str
    result: str
    scalings: tuple = ()
    accumulator: str = "full"

    def aligned(self):
        return (self.rows + min(self.groups, self.rows) * (ALIGNMENT - 1)) // ALIGNMENT * ALIGNMENT

    def shapes(self):
        """Of both operands and the result."""
        if self.direction == "wgrad":
            a, b = ([self.inner, self.aligned()], [self.outer, self.aligned()]) if self.scalings else (
                [self.rows, self.inner], [self.rows, self.outer])
            return a, b, [self.groups, self.inner, self.outer]
        matrix = [self.outer, self.inner] if self.direction == "fprop" else [self.inner, self.outer]
        return [self.rows, self.inner], [self.groups, *matrix], [self.rows, self.outer]

    def scales(self):
        def of(scaling, shape):
            rows, k = (shape[0] * shape[1], shape[2]) if len(shape) == 3 else shape
            return {"tensor_current": [self.groups], "row": [rows], "block_1x128": [divide(k, 128), rows],
                    "block_128x128": [divide(rows, 128), divide(divide(k, 128), 4), 4]}[scaling]
        return [of(scaling, shape) for scaling, shape in zip(self.scalings, self.shapes())]

    def mlir(self):
        a, b, d = self.shapes()
        types = [harness.tensor(a, self.left), harness.tensor(b, self.right), harness.tensor([self.groups], "i32"),
                 *(harness.tensor(shape, "f32") for shape in self.scales())]
        attributes = ["transpose_b"] * (self.direction == "fprop")
        if self.scalings:
            attributes += [f"accumulator = #prec.accumulator<{self.accumulator}>",
                           *(f"{side}_scaling = #prec<scaling {scaling}>" for side, scaling in zip(("lhs", "rhs"), self.scalings))]
        result = harness.tensor(d, self.result)
        return f"""func.func @step({', '.join(f'%a{i}: {t}' for i, t in enumerate(types))}) -> {result} attributes {{prec.entry = "step"}} {{
  %y = prec_sched.grouped_gemm %a0, %a1, %a2{' scales %a3, %a4' * bool(self.scalings)} {{{', '.join(attributes)}}} : ({', '.join(types)}) -> {result}
  return %y : {result}
}}
"""


def cases():
    for element in ("bf16", "f16", "f32"):
        for sizes in ((64, 4, 16, 32), (300, 7, 72, 40), (1000, 5, 264, 328), (513, 3, 128, 256), (111, 5, 13, 27)):
            for direction in ("fprop", "plain", "wgrad"):
                yield Product(direction, *sizes, element, element, element)
                if element == "bf16":
                    yield Product(direction, *sizes, element, element, "f32")
    for sizes in ((300, 7, 80, 48), (1000, 5, 272, 320), (513, 3, 128, 256), (111, 5, 13, 27)):
        for direction, left, right in (("fprop", E4M3, E4M3), ("fprop", E5M2, E4M3), ("wgrad", E5M2, E4M3), ("wgrad", E4M3, E5M2)):
            for scaling in ("tensor_current", "row"):
                for accumulator in ("fast", "promoted"):
                    yield Product(direction, *sizes, left, right, "bf16", (scaling, scaling), accumulator)
    for sizes in ((300, 7, 80, 128), (1000, 5, 272, 384), (513, 3, 256, 256), (111, 5, 150, 128)):
        for left in (E4M3, E5M2):
            yield Product("fprop", *sizes, left, E4M3, "bf16", ("block_1x128", "block_128x128"), "promoted")
            yield Product("wgrad", *sizes, left, E4M3, "bf16", ("block_1x128", "block_1x128"), "promoted")


def main(directory):
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    shutil.copy(CHECK, directory)
    index = []
    with tempfile.TemporaryDirectory() as scratch:
        for number, case in enumerate(cases()):
            name = f"grouped{number}"
            (symbol, _, grid, block, shared, *maps), = harness.compile_text(case.mlir(), "nvptx", str(pathlib.Path(scratch) / name))
            shutil.copy(pathlib.Path(scratch) / f"{name}.cubin", directory)
            index.append(dataclasses.asdict(case) | {
                "name": name, "symbol": symbol, "grid": int(grid.split(",")[0]), "block": int(block.split(",")[0]), "shared": int(shared),
                "maps": bool(maps), "shapes": case.shapes(), "scales": case.scales(), "contracted": case.aligned()})
    (directory / "index.json").write_text(json.dumps(index, indent=1))
    print(f"{len(index)} grouped products")


if __name__ == "__main__":
    main(sys.argv[1])
