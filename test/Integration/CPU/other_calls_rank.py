# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One rank: other_calls_rank.py MODULE CALL,CALL --rendezvous=ADDRESS. Each rank makes its own of the calls, which are
joined by "+" where there are several; prints the error."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))

import numpy as np  # noqa: E402

import prec  # noqa: E402

path, calls, rendezvous = sys.argv[1:]
try:
    with prec.connect(rendezvous.split("=")[1], timeout_s=2) as ranks:
        module = prec.Module(path, communicator=ranks, threads=1)
        module.init_random(0)
        tokens = np.zeros(next(b for b in module.bindings if b.name == "input_ids").shape, np.int32)
        for call in calls.split(",")[ranks.rank].split("+"):
            print(call, module.apply() if call == "apply" else getattr(module, call)({"input_ids": tokens, "labels": tokens}))
except prec.Error as error:
    print(type(error).__name__, error)
