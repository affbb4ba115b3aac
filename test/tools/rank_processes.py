# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of prec-run by several processes on this machine, a rank each."""
from __future__ import annotations

import contextlib
import socket
import subprocess
from collections.abc import Sequence


def free_port() -> int:
    """A port that is free, and the one behind it as well."""
    while True:
        with contextlib.suppress(OSError), socket.socket() as one, socket.socket() as next_:
            one.bind(("127.0.0.1", 0))
            port = int(one.getsockname()[1])
            next_.bind(("127.0.0.1", port + 1))
            return port


def run_ranks(command: Sequence[object], ranks: int, timeout: float = 120) -> None:
    """All of them must end well; one alone is no rank. timeout: seconds that each may take."""
    words = [*map(str, command), *([f"--rendezvous=127.0.0.1:{free_port()}"] if ranks > 1 else [])]
    processes = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  env={"OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": str(ranks),
                                       "OMPI_COMM_WORLD_LOCAL_RANK": str(rank)} if ranks > 1 else {})
                 for rank in range(ranks)]
    said = [process.communicate(timeout=timeout)[0] for process in processes]
    assert all(process.returncode == 0 for process in processes), said
