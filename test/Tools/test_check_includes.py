# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""utils/check-includes: what it refuses, on sources made for it; the checkout's own keep its rules."""
import importlib.machinery
import importlib.util
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOADER = importlib.machinery.SourceFileLoader("check_includes", str(ROOT / "utils/check-includes"))
checker = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_includes", LOADER))
LOADER.exec_module(checker)

NONE = {"A": set(), "B": set()}
A_NEEDS_B = {"A": {"PrecB"}, "B": set()}


def include(name: str) -> str:
    return f'// A title.\n#include "{name}"\n'


@pytest.mark.parametrize("files, links, error", [
    ({"lib/A/X.cpp": include("prec/B/Y.h"), "include/prec/B/Y.h": ""}, NONE,
     "lib/A/X.cpp:2: PrecA must declare what it includes, but got prec/B/Y.h without LINK_LIBS PrecB"),
    ({"lib/A/X.cpp": include("B/Deep/Y.h"), "lib/B/Deep/Y.h": ""}, A_NEEDS_B,
     "lib/A/X.cpp:2: a private header must be included by its own library, but got B/Deep/Y.h"),
    ({"lib/A/X.cpp": "", "include/prec/B/Y.h": ""}, A_NEEDS_B,
     "lib/A/CMakeLists.txt: LINK_LIBS must be what the library includes, but got PrecB"),
    ({"lib/A/X.cpp": include("prec/B/Y.h"), "include/prec/B/Y.h": include("prec/A/Z.h"), "include/prec/A/Z.h": ""},
     {"A": {"PrecB"}, "B": {"PrecA"}}, "libraries must form no cycle, but got A, B"),
    # A header, and the source of its name in another folder of the library.
    ({"include/prec/A/X.h": "", "lib/A/Sub/X.cpp": include("A/Y.h"), "lib/A/Y.h": include("prec/A/X.h")}, NONE,
     "files must form no cycle, but got A/X, A/Y"),
    ({"lib/A/X.h": include("A/Y.h"), "lib/A/Y.h": include("A/Z.h"), "lib/A/Z.h": include("A/X.h")}, NONE,
     "files must form no cycle, but got A/X, A/Y, A/Z"),
])
def test_refused(files, links, error):
    assert checker.check(files, links) == [error]


def test_allowed():
    files = {
        "lib/A/X.cpp": include("A/X.h") + include("prec/B/Y.h") + include("mlir/IR/Value.h") + include("prec/B/Made.inc"),
        "lib/A/X.h": include("A/Z.h"), "lib/A/Z.h": "", "include/prec/B/Y.h": "", "lib/B/Y.cpp": include("prec/B/Y.h"),
    }
    assert checker.check(files, A_NEEDS_B) == []


def test_checkout():
    done = subprocess.run([ROOT / "utils/check-includes"], text=True, capture_output=True)
    assert (done.returncode, done.stdout) == (0, "")
