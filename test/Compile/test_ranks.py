# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prec.compile on two ranks, each with batches of its own: the bits of one process with two micro-batches; batches of
other sizes on each rank; saving and going on alone; and what ranks may not do, which is said on all of them."""
import os
import pathlib
import subprocess
import sys

import pytest
import torch
from rank_processes import free_port

from prec.errors import StepFailure
from prec.torch.compile.together import Mesh, join

HERE = pathlib.Path(__file__).resolve().parent
STEPS = 3  # of ranks_program.py
PATHS = os.pathsep.join([str(HERE.parents[1] / "python"), str(HERE)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("ranks")


def start(folder, case, ranks, program="ranks_program.py", more=()):
    port, processes = free_port(), []
    for rank in range(ranks):
        variables = {} if ranks == 1 else {"RANK": str(rank), "WORLD_SIZE": str(ranks), "LOCAL_RANK": str(rank), "MASTER_ADDR": "127.0.0.1",
                                           "MASTER_PORT": str(port)}
        processes.append(subprocess.Popen([sys.executable, HERE / program, folder, case, *more], env=os.environ | {"PYTHONPATH": PATHS} | variables,
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    try:
        return [(process.communicate(timeout=240)[1], process.returncode) for process in processes]
    finally:
        for process in processes:
            process.kill()


def run(folder, case, ranks, program="ranks_program.py", more=()):
    for said, code in start(folder, case, ranks, program, more):
        assert code == 0, said
    return [torch.load(path) for path in sorted(folder.glob(f"{case}.?.pt"))]


def errors(folder, case):
    """The line of each of two ranks."""
    done = start(folder, case, 2)
    assert all(code != 0 for _, code in done), done
    return [next((line for line in said.splitlines() if line.partition(":")[0] in ("StepFailure", "RanksFailure", "BadValue", "ReadsValue")), said)
            for said, _ in done]


def same(one, other):
    assert one.keys() == other.keys()
    for key, value in one.items():
        if isinstance(value, dict):
            same(value, other[key])
        elif isinstance(value, torch.Tensor):
            assert torch.equal(value, other[key]), key
        elif key != "logged":
            assert value == other[key], key


@pytest.mark.cases(1)
@pytest.mark.parametrize("case", ["train-fp32", "train-bf16", "train-fp8-hybrid"])
def test_two_ranks_are_one_process_with_two_micro_batches(folder, case):
    """Losses, norms, weights and states; bf16 with dropout."""
    two = run(folder, case, 2)
    assert len(two) == 2
    same(two[0], {key: value if key != "eval" else two[0]["eval"] for key, value in two[1].items()})
    (folder / f"{case}.1.pt").unlink()
    alone, = run(folder, case, 1)
    # `eval` is of the batches of all ranks: the same one here.
    same(alone, two[0])


def test_meshes():
    for text, error in {"dp=2,tp=2": "mesh must have as many ranks as are started, 3, but got dp=2,tp=2",
                        "tp=0": "mesh must be \"dp\", \"none\", or axes", "tp": "mesh must be"}.items():
        with pytest.raises(StepFailure, match=error):
            Mesh.parse(text, 3)
    for mesh, ranks, error in ((7, None, "mesh must be \"dp\", \"none\", axes such as"), ("none", object(), "mesh must be axes where communicator="),
                               ("everywhere", None, "mesh must be")):
        with pytest.raises(StepFailure, match=error):
            join(mesh, ranks)


def close(one, other):
    for key, value in one.items():
        if isinstance(value, dict):
            close(value, other[key])
        elif key not in ("logged", "steps"):
            torch.testing.assert_close(torch.as_tensor(value), torch.as_tensor(other[key]), rtol=2e-5, atol=2e-6, msg=key)


@pytest.mark.parametrize("case, ranks", [("divided-tp=2", 2), pytest.param("divided-dp=2,tp=2", 4, marks=pytest.mark.long)])
def test_ranks_divide_layers(folder, case, ranks):
    """In FP32 they train what one process does; each has whole states, with which one process goes on."""
    every = run(folder, case, ranks)
    for other in every[1:]:
        same(every[0], other)
    for path in folder.glob(f"{case}.?.pt"):
        path.unlink()
    alone, = run(folder, case, 1)
    close(alone, every[0])
    on, = run(folder, "resume-second", 1, more=[f"{case}.0.saved"])
    assert on["steps"] == STEPS + 2


@pytest.mark.long
def test_ranks_have_experts_of_their_own(folder):
    every = run(folder, "experts", 2)
    same(every[0], every[1])
    (folder / "experts.1.pt").unlink()
    alone, = run(folder, "experts", 1)
    assert every[0]["losses"] == pytest.approx(alone["losses"], rel=2e-5)
    for name, value in alone["model"].items():
        difference = (every[0]["model"][name] - value).norm() / value.norm()
        assert difference < 1e-4, name


@pytest.mark.long
def test_a_step_reads_what_another_one_trains(folder):
    """Weights that are divided among ranks are gathered before."""
    two = run(folder, "beside", 2)
    same(two[0], two[1])
    (folder / "beside.1.pt").unlink()
    alone, = run(folder, "beside", 1)
    same(alone, two[0])


@pytest.mark.long
def test_ranks_begin_with_the_weights_of_the_first(folder):
    """Other seeds on each rank."""
    two = run(folder, "seeds", 2)
    same(two[0]["model"], two[1]["model"])
    assert any("all take those of rank 0" in line for line in two[0]["logged"])


@pytest.mark.long
def test_resumes_on_another_number_of_ranks(folder):
    run(folder, "resume-first", 2)
    alone, = run(folder, "resume-second", 1)
    two = run(folder, "resume-second", 2)
    same(alone, two[0])
    same(alone, two[1])
    assert alone["steps"] == 4


@pytest.mark.long
@pytest.mark.parametrize("case", ["short", "lengths"])
def test_batches_of_other_sizes_on_each_rank(folder, case):
    two = run(folder, case, 2)
    (folder / f"{case}.1.pt").unlink()
    alone, = run(folder, case, 1)
    for own in two:
        assert own["losses"] == pytest.approx(alone["losses"], rel=1e-6)
    if case == "short":
        same(alone["model"], two[1]["model"])


@pytest.mark.long
def test_micro_batches_of_ranks(folder):
    """The mean over all of them, whose sum has another order."""
    two = run(folder, "accumulate", 2)
    same(two[0], two[1])


@pytest.mark.cases(1)
@pytest.mark.parametrize("case, texts", [
    ("uneven", ["ranks must call the same, but rank 0 calls sync and rank 1 step"] * 2),
    ("state on rank 0", ["the weights of a model that ranks train are divided among them: call step.sync() on all ranks", "rank 0"]),
    ("other batches", ["ranks that divide layers (tp) must take the same batch, but of ids rank 0 and rank 1 have other values"] * 2),
    ("rates", ["ranks must give their optimizers the same numbers"] * 2),
    # Of these rank 0 says "rank 1: ", or "rank 1 ended: " where the other has ended before that is read.
    ("bad batch", ["token ids must lie in [0, 16), but got 99", "BadValue"]),
    ("bad name", ["a batch must have the tensors that the step was compiled for", "a batch must have the tensors that the step was compiled for"]),
    ("bad option", ["threads must be a number, or 0, but got -1", "threads must be a number"]),
    ("bad model", ["forward must not read a computed value", "forward must not read a computed value"]),
    ("other module", ["rank", "rank"])])
def test_what_ranks_may_not_do_is_said_on_all(folder, case, texts):
    said = errors(folder, case)
    for line, text in zip(said, texts, strict=True):
        assert text in line, said


@pytest.mark.long
def test_a_trainer_on_two_ranks(folder):
    """Losses and weights of one process that accumulates two micro-batches; saved, and resumed from."""
    two = run(folder, "two", 2, "ranks_trainer.py")
    alone, = run(folder, "alone", 1, "ranks_trainer.py")
    for rank in two:
        for part in ("first", "second"):
            same(rank[part]["model"], alone[part]["model"])
            assert rank[part]["losses"] == pytest.approx(alone[part]["losses"], rel=1e-4)
            assert rank[part]["eval"] == pytest.approx(alone[part]["eval"], rel=1e-4)
