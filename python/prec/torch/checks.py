# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of values in a forward: `if labels.max() >= n: raise ...` and `assert lengths.max().item() <= n`.

Where a trace meets a read of a value that it does not know, the statement that reads is looked up in the source. If
nothing but an exception depends on the read, the step is that of a check that passes, whatever the value is: the answer
is the one that passes, and a warning names the line. Any other read has no answer.
"""
from __future__ import annotations

import ast
import functools
import linecache
import math
import types


def passing(frame: types.FrameType, of_bool: bool) -> bool | float | None:
    """What the tensor that this frame reads must be so that no exception is raised; None where the statement is no
    check, or one that is not understood. `of_bool`: the tensor holds a bool."""
    for test, wanted in _tests(frame.f_code.co_filename):
        if test.lineno <= frame.f_lineno <= (test.end_lineno or test.lineno):
            return _truth(test, wanted) if of_bool else _number(test, wanted)
    return None


@functools.lru_cache(maxsize=256)
def _tests(file: str) -> list[tuple[ast.expr, bool]]:
    """Conditions of a file on which nothing but an exception depends, and what each must be."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return []
    found: list[tuple[ast.expr, bool]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            found.append((node.test, True))
        elif isinstance(node, ast.If) and not node.orelse and len(node.body) == 1 and isinstance(node.body[0], ast.Raise):
            found.append((node.test, False))
    return found


def _truth(test: ast.expr, wanted: bool) -> bool | None:
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, wanted = test.operand, not wanted
    # All that `and` joins must be true for a test to pass that wants truth, and `or` the other way; where one of them
    # is enough, it is this one.
    return None if any(isinstance(node, (ast.Not, ast.IfExp, ast.NamedExpr)) for node in ast.walk(test)) else wanted


def _number(test: ast.expr, wanted: bool) -> float | None:
    """Of a comparison of one number that is read with one that is not."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not _reads(test.left) or _reads(test.comparators[0]):
        return None
    least = isinstance(test.ops[0], (ast.Lt, ast.LtE))
    if not least and not isinstance(test.ops[0], (ast.Gt, ast.GtE)):
        return None
    return -math.inf if least is wanted else math.inf


def _reads(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "item"
