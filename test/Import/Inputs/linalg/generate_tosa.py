# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the tosa_*.mlir files beside it: models as TOSA by torch-mlir (its wheel, beside PyTorch and transformers), and
that as linalg by the passes of LLVM's own mlir-opt.

    python generate_tosa.py MLIR_OPT [NAME...]
"""
import subprocess
import sys
from pathlib import Path

import foreign_models as models
from generate_torch import Functional

PASSES = ("builtin.module(func.func(tosa-make-broadcastable,tosa-infer-shapes,tosa-to-linalg-named,tosa-to-linalg,"
          "tosa-to-arith{include-apply-rescale=true},tosa-to-tensor),canonicalize)")


def main(mlir_opt, wanted):
    from torch_mlir import fx
    for name in wanted or ("bert", "conv_net", "llama"):
        model, inputs = models.MODELS[name]()
        state = [t.detach() for t in [*model.parameters(), *model.buffers()]]
        module = fx.export_and_import(Functional(model.eval()), *state, *inputs, output_type="tosa", func_name="main")
        text = module.operation.get_asm(enable_debug_info=False)
        text = subprocess.run([mlir_opt, "-", f"--pass-pipeline={PASSES}"], input=text, capture_output=True, text=True, check=True).stdout
        assert "tosa." not in text
        made = Path(__file__).with_name(f"tosa_{name}.mlir")
        made.write_text(f"// Made by generate_tosa.py.\n{text}")
        print(name, len(text))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
