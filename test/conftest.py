# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the short tier leaves out of tests that are written out over many parameters, and tools of several suites."""
import os
import shutil
import zlib
from pathlib import Path

import pytest

# Cases of one test that the short tier runs where the test does not say it by @pytest.mark.cases(N): in these suites
# one takes a second (a model is imported and compared with PyTorch) or several (it is compiled and trained, too).
CASES = {"Import": 1, "Integration/CPU": 1}

# Tests run on as many processes as there are cores, and threads of PyTorch that wait for work take these from each
# other.
os.environ.setdefault("OMP_NUM_THREADS", "1")


def spread(name, count, wanted):
    """`wanted` of `count` indices: the first, the last and what lies evenly between them. A single one follows from the
    test's name, so that tests over the same cases run different ones."""
    if wanted == 1:
        return {zlib.crc32(name.encode()) % count}
    return {round(i * (count - 1) / (wanted - 1)) for i in range(wanted)}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    tests = {}
    for item in items:
        if not item.get_closest_marker("long"):
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for name, cases in tests.items():
        own = cases[0].get_closest_marker("cases")
        wanted = own.args[0] if own else next((count for suite, count in CASES.items() if f"test/{suite}/" in f"/{name}"), None)
        if wanted is None or len(cases) <= wanted:
            continue
        kept = spread(name, len(cases), wanted)
        for index, case in enumerate(cases):
            if index not in kept:
                case.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def prec_opt() -> str:
    tool = shutil.which("prec-opt") or str(Path(__file__).resolve().parents[1] / "build/bin/prec-opt")
    if not Path(tool).exists():
        pytest.skip("prec-opt is not built")
    return tool
