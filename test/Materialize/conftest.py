# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for folder in ("python", "test/tools", "test/Materialize"):
    sys.path.insert(0, str(ROOT / folder))
