# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One rank: exchange.py LIBRARY MODULE OUT [STEPS [TIMEOUT]]. Runs steps on numbers of its own, says so after the
third, and writes all metrics to OUT.RANK.npz. What fails between ranks is said in one line, with exit code 3."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))

import numpy as np  # noqa: E402

import prec  # noqa: E402

library, path, out, steps, timeout = (*sys.argv[1:], *("3", "30")[len(sys.argv) - 4:])
try:
    with prec.connect(library=library, timeout_s=float(timeout)) as ranks:
        module = prec.Module(path, library=library, communicator=ranks)
        random = np.random.default_rng(ranks.rank)
        batch = {b.name: random.integers(-100, 100, b.shape).astype(b.dtype) for b in module.bindings if b.role == "batch"}
        for step in range(int(steps)):
            module.step(batch)
            if step == 2:
                print("three steps are done", flush=True)
        np.savez(f"{out}.{ranks.rank}.npz", **batch, **{b.name: module.get(b) for b in module.bindings if b.role == "metric"})
        module.close()
except prec.errors.RanksFailure as failure:
    print(failure, file=sys.stderr)
    sys.exit(3)
