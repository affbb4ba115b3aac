# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No code of the importer asks for an op by a literal of its name: names are declared once, in ir.py."""
import ast
import re
from pathlib import Path

import pytest

from prec.ir import MOVES, Kind

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "prec"
NAMES = {name for key, name in vars(Kind).items() if key.isupper()}
SPELLED = re.compile(r"(arith|math|tensor|prec_train)\.[a-z_]\w*|reshape")


def literals(tree):
    """Op names in comparisons, patterns, and calls of startswith and endswith; sets of them stand for a comparison
    elsewhere."""
    for node in ast.walk(tree):
        asks = isinstance(node, (ast.Compare, ast.MatchValue, ast.Set))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            asks = node.func.attr in ("startswith", "endswith")
        for part in ast.walk(node) if asks else ():
            if isinstance(part, ast.Constant) and isinstance(part.value, str) and (SPELLED.fullmatch(part.value) or part.value == "prec_train."):
                yield part.lineno, part.value


@pytest.mark.cases(None)
@pytest.mark.parametrize("file", sorted(f for f in PACKAGE.rglob("*.py") if "interpreter" not in f.parts), ids=lambda f: str(f.relative_to(PACKAGE)))
def test_no_op_is_asked_for_by_a_literal(file):
    assert list(literals(ast.parse(file.read_text()))) == []


def test_every_name_is_declared_once():
    assert len(NAMES) == sum(key.isupper() for key in vars(Kind)) and MOVES < NAMES
    for file in sorted(f for f in PACKAGE.rglob("*.py") if "interpreter" not in f.parts):
        if file.name != "ir.py":
            constants = {n.value for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, ast.Constant)}
            # The pseudo op has the name of an ATen op, too.
            assert not constants & (NAMES - {Kind.RESHAPE}), file
