# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
for folder in ("python", "examples", "benchmarks", "test/Import", "test/tools"):
    sys.path.insert(0, str(ROOT / folder))


@pytest.fixture(scope="session")
def prec_opt() -> str:
    tool = shutil.which("prec-opt") or str(ROOT / "build/bin/prec-opt")
    if not Path(tool).exists():
        pytest.skip("prec-opt is not built")
    return tool
