# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One rank: crowded_rank.py MODULE WEIGHTS RESULT --rendezvous=ADDRESS. Calls a module of ranks with experts of their
own in all ways, each time from the same weights, and writes what it got to RESULT.RANK."""
import hashlib
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))

import numpy as np  # noqa: E402
from uneven_batches import UNEVEN, uneven  # noqa: E402

import prec  # noqa: E402

path, weights, result, rendezvous = sys.argv[1:]
with prec.connect(rendezvous.split("=")[1], timeout_s=60) as ranks:
    module = prec.Module(path, communicator=ranks, threads=1)
    ids = next(b for b in module.bindings if b.name == "input_ids")
    tokens = np.random.default_rng(ranks.rank).integers(0, ids.shape[-1], ids.shape, np.int32)
    batch = {"input_ids": tokens, "labels": tokens}
    loss = next(b for b in module.bindings if b.role == "loss").name
    losses, crowded, seen = [], [], []

    def keep(value: float) -> None:
        losses.append(float(value))
        seen.append(hashlib.sha256(b"".join(np.ascontiguousarray(module.get(b)).tobytes() for b in module.bindings
                                            if b.role in ("parameter", "optimizer_state", "scale_state"))).hexdigest())
        module.load(weights)

    def keep_step(outcome: dict) -> None:
        crowded.append(outcome["crowded"])
        keep(outcome["loss"])

    module.load(weights)
    keep(module.eval(batch)["loss"])
    keep_step(module.step(batch))
    module.step_async(batch)
    keep_step(module.wait())
    for entry in ("step", "eval"):
        got = np.zeros((), np.float32)
        module.enqueue(entry, batch, {loss: got})
        keep(got)
    module.profile(batch)
    keep(module.get(loss))
    # Micro-batches without labels, and with as many on each rank or not.
    for shares in UNEVEN:
        losses.append(module.accumulate(uneven(tokens, shares[ranks.rank]))["loss"])
    module.enqueue("accumulate", batch, {loss: got})
    losses.append(float(got))
    outcome = module.apply(lr=1e-3)
    module.save_checkpoint(f"{result}.saved")
    keep_step(outcome)
    module.close()
pathlib.Path(f"{result}.{ranks.rank}").write_text(json.dumps({"losses": losses, "crowded": crowded, "weights": seen}))
