# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a planned module does to memory is seen by MLIR's own passes: --cse and --canonicalize change no command."""
import subprocess
from pathlib import Path

import pytest

from prec.interpreter import Program

ROOT = Path(__file__).resolve().parents[2]
RECIPES = sorted(path.stem for path in (ROOT / "recipes").glob("*.json"))

# Another shape of the same bytes: chains of them may become shorter.
RESHAPES = ("tensor.collapse_shape", "tensor.expand_shape")


def commands(module):
    """Of each function its commands in order, with what they say and where their operands come from."""
    table = {}
    for name, function in module.functions.items():
        source = {argument: ("argument", i) for i, (argument, _) in enumerate(function.block.arguments)}
        listed = table[name] = []
        for op in function.block.operations:
            operands = [source[value] for value in op.operands]
            if op.name == "func.return":
                listed.append((op.name, operands))
                continue
            is_command = op.name.startswith("prec_sched.")
            said = {key: str(value) for key, value in op.attributes.items()}
            for i, (value, type_) in enumerate(zip(op.results, op.result_types)):
                source[value] = (len(listed), i) if is_command else operands[0] if op.name in RESHAPES else (op.name, said, str(type_), operands)
            if is_command:
                listed.append((op.name, said, operands, [str(type_) for type_ in op.result_types]))
    return table


@pytest.mark.cases(2)
@pytest.mark.parametrize("graph", ["llama_tiny", "gpt2_tiny"])
@pytest.mark.parametrize("recipe", RECIPES)
def test_cleaning_up_changes_no_command(prec_opt, tmp_path, recipe, graph):
    out = tmp_path / "step.so"
    done = subprocess.run([Path(prec_opt).with_name("prec-compile"), ROOT / f"examples/{graph}.mlir", f"--recipe={recipe}", "--dump-after=schedule",
                           "-o", out], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    text = out.with_suffix(".schedule.mlir").read_text()
    before = commands(Program.of_text(text, prec_opt=prec_opt, passes=[]))
    after = commands(Program.of_text(text, prec_opt=prec_opt, passes=["--cse", "--canonicalize", "--prec-verify-schedule"]))
    assert before.keys() == after.keys() and "step" in before
    for name in before:
        assert after[name] == before[name], name
