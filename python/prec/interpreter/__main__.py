# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a graph in MLIR on arrays from a file.

    python -m prec.interpreter graph.mlir --inputs in.npz --out out.npz [--function step] [--float64] [--prec-opt PATH]

Inputs and results go by `prec_train.path`, by "path@slot" where several arguments share a path (work weights and scales
of a parameter), or by position ("0", "1", ...). Without --inputs, every argument gets a random one. An .npz holds bf16
and FP8 values as float32.
"""
from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from .numpy_ops import Numpy
from .program import Program
from .samples import random_inputs


def main() -> int:
    parser = argparse.ArgumentParser("python -m prec.interpreter", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("--inputs")
    parser.add_argument("--out", required=True)
    parser.add_argument("--function", help="step by default, or the first")
    parser.add_argument("--float64", action="store_true", help="compute every f32 value in float64")
    parser.add_argument("--prec-opt", help="which prec-opt reads text that is not in generic form")
    options = parser.parse_args()
    try:
        program = Program.of_text(Path(options.graph).read_text(), options.function, options.prec_opt)
        inputs = dict(np.load(options.inputs)) if options.inputs else random_inputs(program)
        results = program.run(inputs, backend=Numpy(np.float64 if options.float64 else np.float32))
    except (ValueError, NotImplementedError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    np.savez(options.out, **{n: a.astype(np.float32) if a.dtype.kind == "V" else a for n, a in results.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
