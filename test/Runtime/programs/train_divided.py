# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One rank: train_divided.py LIBRARY MODULE FOLDER STEPS. Trains the module of divided.py on ids of its own, from
weights in FOLDER/start.safetensors or the checkpoint FOLDER/checkpoint, and saves both there. Writes what it sees of
its bindings to FOLDER/rank.RANK.npz, with the whole tensors that ranks make of their
slices."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))

import numpy as np  # noqa: E402

import prec  # noqa: E402

library, path, folder, steps = sys.argv[1:]
place = pathlib.Path(folder)
with prec.connect(library=library, timeout_s=30) as ranks:
    module = prec.Module(path, library=library, communicator=ranks if ranks.world_size > 1 else None)
    if (place / "checkpoint").is_dir():
        module.load(place / "checkpoint")
    else:
        module.load(place / "start.safetensors")
    for step in range(int(steps)):
        ids = np.random.default_rng(100 * step + ranks.rank).integers(0, 64, (1, 8), dtype=np.int32)
        module.step({"input_ids": ids})
    module.save_checkpoint(place / "checkpoint", 8 * int(steps))
    module.save(place / "weights.safetensors")
    seen = {b.name: module.get(b) for b in module.bindings if b.role in ("parameter", "optimizer_state")}
    places = {f"{b.name}/place": np.array([b.whole_shape, b.slice_start]) for b in module.bindings if b.name in seen}
    for b in (b for b in module.bindings if b.name in seen):
        parts, whole = ranks.all_gather(seen[b.name].tobytes()), np.full(b.whole_shape, np.nan, np.float32)
        for rank in {module.slice_owner(b, rank) for rank in range(ranks.world_size)}:
            module.place_slice(b, rank, np.frombuffer(parts[rank], np.float32), whole)
        places[f"{b.name}/whole"] = whole
    np.savez(place / f"rank.{ranks.rank}.npz", **seen, **places)
    module.close()
