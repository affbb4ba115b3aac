# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def round_values() -> str:
    tool = ROOT / "build/bin/prec-round-values"
    if not tool.exists():
        pytest.fail(f"{tool} must be built")
    return str(tool)
