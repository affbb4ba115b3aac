# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX is in a folder of the environment, which utils/check fills: nothing else shall see it."""
import os
import sys
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")
_FOLDER = Path(sys.prefix) / "jax"
if _FOLDER.is_dir():
    sys.path.append(str(_FOLDER))
else:
    collect_ignore_glob = ["test_*.py"]
