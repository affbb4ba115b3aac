# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks that make other calls than each other are all told which, before one begins: none waits for what does not come,
or
takes bytes of another call for its own."""
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rank_processes import free_port

SAID = re.compile(r"RanksFailure ranks must call the same, but rank 0 calls (\w+) and rank 1 (\w+)")


@pytest.mark.parametrize(("zero", "calls"), [
    ("1", "step,eval"), *(pytest.param(*given, marks=pytest.mark.long) for given in (
        ("2", "step,eval"), ("2", "accumulate,step"), ("2", "accumulate+accumulate+apply,accumulate+apply"),
        ("1", "accumulate+apply,accumulate+eval")))])
def test_ranks_that_make_other_calls_are_told(tool, zero, calls, tmp_path):
    module = tmp_path / "step.so"
    subprocess.run([tool("prec-compile"), "examples/llama_tiny.mlir", "--recipe=fp32", "--mesh=dp=2", "--accumulate", f"--zero={zero}", "-o", module],
                   check=True, capture_output=True)
    words = [sys.executable, Path(__file__).with_name("other_calls_rank.py"), module, calls, f"--rendezvous=127.0.0.1:{free_port()}"]
    processes = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  env={"OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_RANK": str(rank)})
                 for rank in range(2)]
    said = [process.communicate(timeout=60)[0].splitlines()[-1] for process in processes]
    found = [SAID.fullmatch(line) for line in said]
    assert all(found), said
    first = next(pair for pair in zip(*(rank.split("+") for rank in calls.split(",")), strict=False) if pair[0] != pair[1])
    assert [match.groups() for match in found] == [first, first], said
