# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One rank: exchange.py LIBRARY MODULE OUT. Runs a step on numbers of its own, and writes all metrics to
OUT.RANK.npz."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))

import numpy as np  # noqa: E402

import prec  # noqa: E402

library, path, out = sys.argv[1:]
with prec.connect(library=library, timeout_s=30) as ranks:
    module = prec.Module(path, library=library, communicator=ranks)
    random = np.random.default_rng(ranks.rank)
    batch = {b.name: random.integers(-100, 100, b.shape).astype(b.dtype) for b in module.bindings if b.role == "batch"}
    for _ in range(3):
        module.step(batch)
    np.savez(f"{out}.{ranks.rank}.npz", **batch, **{b.name: module.get(b) for b in module.bindings if b.role == "metric"})
    module.close()
