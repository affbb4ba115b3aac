# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks on GPUs: what they exchange, against NumPy, and how they fail, on the build's stand-ins for the driver, which
has two GPUs, and for NCCL, which moves bytes between processes. By copies into each other's memory, where NCCL's may
not be asked to, and where memory cannot be mapped by NCCL."""
import signal

import pytest
from divided import Ranks, check_exchanged, environment, exchange_module, program
from rank_processes import free_port
from test_cuda_refusals import fakes, stub  # noqa: F401


def started(ranks, command, *folders):
    port, path = free_port(), ":".join(map(str, folders))
    return Ranks([command] * ranks, [environment(rank, ranks, port, LD_LIBRARY_PATH=path) for rank in range(ranks)])


@pytest.fixture
def module(tmp_path):
    return exchange_module(2, "sm_90a").build(tmp_path / "exchange.so")


@pytest.fixture(params=["copies", "nccl"])
def way(fakes, request):  # noqa: F811
    """The folders of stand-ins with which bytes go this way."""
    return fakes / {"copies": "fake-idle", "nccl": "fake-apart"}[request.param], fakes / "fake"


@pytest.fixture
def driver(fakes, tmp_path):  # noqa: F811
    """The driver alone: the build's stand-in for NCCL lies beside it."""
    (tmp_path / "driver").mkdir()
    (tmp_path / "driver" / "libcuda.so.1").symlink_to(fakes / "fake" / "libcuda.so.1")
    return tmp_path / "driver"


@pytest.mark.parametrize("buckets", [False, True])
def test_commands_move_bytes_as_numpy_does(way, library, tmp_path, buckets):
    """The first step runs command by command, the second is recorded, the third is launched as a graph. Buckets run on
    a branch, by the stand-in as late as may be."""
    module = exchange_module(2, "sm_90a", buckets).build(tmp_path / "exchange.so")
    done = started(2, program("exchange", library, module, tmp_path / "out"), *way).finish()
    for process in done:
        assert process.returncode == 0, process.stderr
    # Once, by the first rank.
    ways = [line for process in done for line in process.stderr.splitlines() if "exchange by" in line]
    by = "copies of their GPUs" if "idle" in way[0].name else "NCCL, as memory of rank 0 cannot be"
    assert len(ways) == 1 and f"2 ranks exchange by {by}" in ways[0]
    check_exchanged(2, tmp_path / "out")


def test_one_rank_needs_no_nccl(driver, library, tmp_path):
    module = exchange_module(1, "sm_90a").build(tmp_path / "exchange.so")
    (process,) = started(1, program("exchange", library, module, tmp_path / "out"), driver).finish()
    assert process.returncode == 0, process.stderr
    check_exchanged(1, tmp_path / "out")


def refusals(build, module, ranks, *folders):
    """The one line of each rank."""
    done = started(ranks, [build / "prec-run", module, "--init", "random", "--rank-timeout", "20"], *folders).finish()
    assert [process.returncode for process in done] == [1] * ranks
    said = [process.stderr.splitlines() for process in done]
    assert all(len(lines) == 1 for lines in said), said
    return [lines[0].removeprefix(f"prec-run: rank {rank}: error: ") for rank, lines in enumerate(said)]


def test_no_nccl(build, driver, module):
    for line in refusals(build, module, 2, driver):
        assert line.startswith(f"{module}: NCCL 2, which moves bytes between the GPUs of ranks, must be installed, but got libnccl.so.2: "), line
        assert line.endswith(" (pip install nvidia-nccl-cu13 has it)"), line


def test_another_nccl(build, driver, stub, module, tmp_path):  # noqa: F811
    old = stub(tmp_path / "old", "libnccl.so.2", "int ncclGetVersion(int *version) { *version = 20000; return 0; }")
    for line in refusals(build, module, 2, driver, old):
        assert line == f"{module}: libnccl.so.2 must have the function ncclGetErrorString, but got a version without it"


def test_fewer_gpus_than_ranks(build, fakes, tmp_path):  # noqa: F811
    module = exchange_module(3, "sm_90a").build(tmp_path / "exchange.so")
    said = refusals(build, module, 3, fakes / "fake")
    own = f"{module}: a computer must have a GPU for each of its ranks, but got 2 GPUs and 3 ranks"
    assert said == [f"{module}: rank 2 ended: {own}"] * 2 + [own]


@pytest.mark.parametrize("killed", [0, 1])
def test_a_killed_rank_ends_the_other(way, library, module, tmp_path, killed):
    ranks = started(2, program("exchange", library, module, tmp_path / "out", 1_000_000), *way)
    for process in ranks.processes:
        assert process.stdout.readline() == "three steps are done\n", process.stderr.read()
    ranks.processes[killed].kill()
    other = ranks.finish(30)[1 - killed]
    assert other.returncode == 3
    assert other.stderr.splitlines()[-1] == f"rank {killed} ended: it was killed or crashed, or its connection was cut"


def test_a_silent_rank_ends_the_other(way, library, module, tmp_path):
    ranks = started(2, program("exchange", library, module, tmp_path / "out", 1_000_000, 2), *way)
    for process in ranks.processes:
        assert process.stdout.readline() == "three steps are done\n", process.stderr.read()
    ranks.processes[1].send_signal(signal.SIGSTOP)
    try:
        _, said = ranks.processes[0].communicate(timeout=30)
    finally:
        ranks.processes[1].kill()
        ranks.processes[1].communicate()
    assert ranks.processes[0].returncode == 3
    # Where it waits on its GPU it does not know for whom.
    assert said.splitlines()[-1] in (
        "all ranks must take part in what ranks exchange within 2 s, but one has sent nothing",
        "rank 1 must take part in what ranks exchange within 2 s, but has sent nothing to rank 0, which runs 'the start of a call'")
