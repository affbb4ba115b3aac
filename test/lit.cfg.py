# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os

import lit.formats
from lit.llvm import llvm_config

config.name = "prec"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.prec_obj_root, "test")
config.excludes = ["CMakeLists.txt", "lit.cfg.py", "inputs", "Inputs"]

# What takes as long as a hundred others: utils/check --long runs it (lit -Dlong=1).
if lit_config.params.get("long"):
    config.available_features.add("long")

llvm_config.use_default_substitutions()
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
config.substitutions.append(("%examples", os.path.join(config.prec_src_root, "examples")))
llvm_config.add_tool_substitutions(["prec-opt", "prec-compile", "prec-bench", "prec-lsp-server"], [config.prec_tools_dir])
# LLVM's own mlir-opt, with prec's dialects and passes.
plugin = os.path.join(config.prec_obj_root, "lib", "PrecPlugin.so")
config.substitutions.append(("%plugin", plugin))
config.substitutions.append(("%mlir-opt-with-prec", f"mlir-opt --load-dialect-plugin={plugin} --load-pass-plugin={plugin}"))
# Leaves out which operation of the graph a primitive was made from.
config.substitutions.append(("%primitives", r"""sed -E 's/prec_train.graph_op = "[a-z_0-9]+"(, )?//; s/, }/}/; s/ \{\}//'"""))
