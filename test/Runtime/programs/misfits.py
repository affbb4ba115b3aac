# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One rank: misfits.py LIBRARY MODULE FOLDER WHAT. Does something that not all ranks can do, prints the error, and goes
on
to train: FOLDER/start.safetensors has weights, FOLDER/0 and FOLDER/1 are checkpoints of different steps."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))

import numpy as np  # noqa: E402

import prec  # noqa: E402

library, path, folder, what = sys.argv[1:]
place = pathlib.Path(folder)
with prec.connect(library=library, timeout_s=20) as ranks:
    module = prec.Module(path, library=library, communicator=ranks)
    weights = np.arange(48, dtype=np.float32).reshape(8, 6)
    try:
        if what == "load":
            module.load(place / ("start" if ranks.rank == 0 else "missing") / "weights.safetensors")
        elif what == "checkpoint":
            module.load(place / str(ranks.rank))
        elif what == "save":
            module.load(place / "start.safetensors")
            module.save("/proc/none/weights.safetensors")
        elif what == "folder":
            module.load(place / "start.safetensors")
            module.save_checkpoint("/proc/none")
        elif what == "shape":
            module.set("w", weights[:3])
        elif what in ("numbers", "calls", "batch"):
            module.load(place / "start.safetensors")
            if what == "calls" and ranks.rank == 1:
                module.eval({"input_ids": np.ones((1, 8), np.int32)})
            else:
                module.step({"input_ids": np.ones((1, 9 if what == "batch" and ranks.rank == 1 else 8), np.int32)},
                            lr=0.25 * (1 + ranks.rank) if what == "numbers" else 0.5)
        elif what == "leave" and ranks.rank == 1:
            raise RuntimeError("enough of it")
    except prec.Error as error:
        print(type(error).__name__, error)
    module.load(place / "start.safetensors")
    module.set("w", weights)
    assert module.steps == 0
    rows = 8 // ranks.world_size
    assert (module.get("w") == weights[ranks.rank * rows:][:rows]).all()
    module.set("w", weights[ranks.rank * rows:][:rows] + 1)
    result = module.step({"input_ids": np.zeros((1, 8), np.int32)}, lr=0.5)
    assert result["step"] == 1 and result["loss"] == 0
    module.close()
