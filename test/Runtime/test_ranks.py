# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that several processes run together: what they exchange, against NumPy; training and files, against one
process, byte for byte; and ranks that fail, hang or differ: one line on each other one, and nothing half written."""
from __future__ import annotations

import json
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest
from divided import DIVIDED, SHAPES, STEP, Ranks, check_exchanged, divided, environment, exchange_module, program, reference, run, start, write_tokens
from rank_processes import free_port
from safetensors.numpy import load_file, save_file

from prec.errors import BadFile, InvalidArgument
from prec.module import Module

ROOT = pathlib.Path(__file__).resolve().parents[2]


def succeeded(done: list[subprocess.CompletedProcess]) -> list[subprocess.CompletedProcess]:
    for process in done:
        assert process.returncode == 0, process.stderr
    return done


@pytest.mark.parametrize("ranks,buckets", [(2, False), (4, False), (4, True)])
def test_commands_move_bytes_as_numpy_does(library, tmp_path, ranks, buckets):
    path = exchange_module(ranks, buckets=buckets).build(tmp_path / "exchange.so")
    succeeded(run(ranks, program("exchange", library, path, tmp_path / "out")))
    check_exchanged(ranks, tmp_path / "out")


def test_one_rank_is_its_own_neighbour(tmp_path, open_module):
    """A mesh of one rank needs no others."""
    module = open_module(exchange_module(1).build(tmp_path / "exchange.so"))
    batch = {b.name: np.arange(np.prod(b.shape)).reshape(b.shape).astype(b.dtype) for b in module.bindings if b.role == "batch"}
    module.step(batch)
    np.testing.assert_array_equal(module.get("gathered.small"), batch["own.small"][None])
    np.testing.assert_array_equal(module.get("turned.small"), batch["all.small"])
    np.testing.assert_array_equal(module.get("sliced.small"), batch["all.small"][0])


def start_weights(path) -> dict[str, np.ndarray]:
    numbers = np.random.default_rng(7)
    weights = {name: (numbers.integers(-64, 64, shape) * STEP).astype(np.float32) for name, shape in SHAPES.items()}
    save_file(weights, path)
    return weights


def no_momenta() -> dict[str, np.ndarray]:
    return {name: np.zeros(shape, np.float32) for name, shape in SHAPES.items()}


def bytes_of(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_ranks_have_their_slices_and_save_whole_tensors(library, tmp_path, open_module):
    weights, momenta = start_weights(tmp_path / "start.safetensors"), no_momenta()
    path = divided(2).build(tmp_path / "two.so")
    succeeded(run(2, program("train_divided", library, path, tmp_path, 3)))
    for step in range(3):
        reference(weights, momenta, [np.random.default_rng(100 * step + rank).integers(0, 64, (1, 8))[0] for rank in range(2)])
    for rank in range(2):
        seen = np.load(tmp_path / f"rank.{rank}.npz")
        for name, shape in SHAPES.items():
            whole, begin = seen[f"{name}/place"]
            assert list(whole) == shape
            part = tuple(slice(at, at + extent) for at, extent in zip(begin, seen[name].shape, strict=True))
            assert (begin > 0).any() == (rank == 1 and name in DIVIDED)
            np.testing.assert_array_equal(seen[name], weights[name][part])
            np.testing.assert_array_equal(seen[f"{name}.momentum"], momenta[name][part])
            np.testing.assert_array_equal(seen[f"{name}/whole"], weights[name])
    for name, saved in load_file(tmp_path / "weights.safetensors").items():
        np.testing.assert_array_equal(saved, weights[name])
    # One process goes on with it, and would have written the same files.
    alone = open_module(divided(1).build(tmp_path / "one.so"))
    assert alone.load(tmp_path / "checkpoint") == 24
    alone.save_checkpoint(tmp_path / "again", 24)
    alone.save(tmp_path / "again.safetensors")
    assert bytes_of(tmp_path / "again") == bytes_of(tmp_path / "checkpoint")
    assert (tmp_path / "again.safetensors").read_bytes() == (tmp_path / "weights.safetensors").read_bytes()


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """By ranks, with micro-batches."""
    folder = tmp_path_factory.mktemp("modules")
    return {ranks: divided(ranks, accumulate=True).build(folder / f"dp{ranks}.so") for ranks in (1, 2, 4)}


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "tokens.bin"
    write_tokens(path, 500)
    return path


def trained(build, modules, text, folder, ranks, steps, *more):
    """A run of prec-run that takes 4 batches a step."""
    weights = folder.parent / "start.safetensors"
    if not weights.exists():
        start_weights(weights)
    begin = [] if "--resume" in more else ["--weights", weights]
    command = [build / "prec-run", modules[ranks], "--tokens", text, *begin, "--steps", steps, "--micro-batches", 4 // ranks,
               "--save", folder, *more]
    if ranks > 1:
        return succeeded(run(ranks, command))
    return [subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)]


@pytest.mark.parametrize("more", [(), ("--shuffle", "5")], ids=["in order", "shuffled"])
def test_ranks_train_as_micro_batches_do(build, modules, text, tmp_path, more):
    """Files, losses and positions are those of one process that takes the batches of all ranks as micro-batches."""
    metrics = {}
    for ranks in (1, 2, 4):
        trained(build, modules, text, tmp_path / str(ranks), ranks, 5, "--metrics", tmp_path / f"{ranks}.jsonl", *more)
        metrics[ranks] = [line.split(', "seconds"')[0].split(',"seconds"')[0] for line in (tmp_path / f"{ranks}.jsonl").read_text().splitlines()]
    assert bytes_of(tmp_path / "1") == bytes_of(tmp_path / "2") == bytes_of(tmp_path / "4")
    assert metrics[1] == metrics[2] == metrics[4] and len(metrics[1]) == 5


def test_a_checkpoint_resumes_on_other_ranks(build, modules, text, tmp_path):
    trained(build, modules, text, tmp_path / "whole", 1, 6)
    trained(build, modules, text, tmp_path / "two", 2, 2)
    trained(build, modules, text, tmp_path / "four", 4, 4, "--resume", tmp_path / "two")
    trained(build, modules, text, tmp_path / "one", 1, 6, "--resume", tmp_path / "four")
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "whole")


def test_random_weights_do_not_depend_on_ranks(build, modules, text, tmp_path):
    for ranks in (1, 2):
        command = [build / "prec-run", modules[ranks], "--init", "random", "--seed", "3", "--save", tmp_path / str(ranks)]
        if ranks == 1:
            subprocess.run(command, check=True, capture_output=True)
        else:
            succeeded(run(ranks, command))
    assert bytes_of(tmp_path / "1") == bytes_of(tmp_path / "2")


def test_only_rank_0_reports(build, modules, text, tmp_path):
    first, second = trained(build, modules, text, tmp_path / "save", 2, 3, "--metrics", tmp_path / "metrics.jsonl", "--eval-tokens", text,
                            "--eval-batches", "2")
    assert "step 3/3" in first.stderr and "held-out loss" in first.stderr
    assert second.stderr == "" == second.stdout
    assert len((tmp_path / "metrics.jsonl").read_text().splitlines()) == 5


def test_a_profile_says_what_is_exposed(build, text, tmp_path):
    """Rank 0 writes what all have measured: whole steps, and steps in which nobody waits for another."""
    jsonschema = pytest.importorskip("jsonschema")
    command = [build / "prec-run", divided(2, sleep=0.01).build(tmp_path / "two.so"), "--tokens", text, "--init", "random", "--steps", 1,
               "--profile", "--profile-json", tmp_path / "profile.json", "--profile-html", tmp_path / "profile.html"]
    first, second = succeeded(run(2, command))
    profile = json.loads((tmp_path / "profile.json").read_text())
    jsonschema.validate(profile, json.loads((ROOT / "docs/schemas/profile.schema.json").read_text()))
    exchanges = profile["exchanges"]
    assert exchanges["exposed_seconds"] == pytest.approx(exchanges["step_seconds"] - exchanges["seconds_without_others"])
    assert all(0.01 < exchanges[name] < 1 for name in ("step_seconds", "seconds_without_others"))
    assert "of exchanges" in first.stdout and second.stdout == ""
    assert {"all_gather", "all_to_all"} <= {one["op"] for one in profile["ops"]}
    refused(run(2, [*command, "--profile-floor"]), "--profile-floor must be given to a process alone, but got 2 ranks")


@pytest.mark.parametrize("rank,size,local", [("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"),
                                             ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID")], ids=["Open MPI", "Slurm"])
def test_launchers_that_say_no_address(build, modules, text, rank, size, local):
    command = [build / "prec-run", modules[2], "--tokens", text, "--init", "random", "--steps", 1]
    plain = environment(0, 2, 1)
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"):
        del plain[name]
    variables = [plain | {rank: str(number), size: "2", local: str(number)} for number in range(2)]
    refused(Ranks([command] * 2, variables).finish(), "ranks must know where rank 0 is, which ")
    succeeded(Ranks([[*command, f"--rendezvous=localhost:{free_port()}"]] * 2, variables).finish())
    (alone,) = Ranks([[*command, "--rendezvous=localhost:1"]], [plain]).finish()
    refused([alone], "--rendezvous must be given to ranks that torchrun, mpirun or srun starts, but this process is alone")


@pytest.mark.long
@pytest.mark.parametrize("more", [(), ("--standalone",)], ids=["", "standalone"])
def test_torchrun(build, modules, text, tmp_path, more):
    """Its own store takes the port that it says; ranks meet at the one behind."""
    pytest.importorskip("torch")
    start_weights(tmp_path / "start.safetensors")
    command = [sys.executable, "-m", "torch.distributed.run", "--no-python", "--nproc-per-node=2", *more, build / "prec-run", modules[2],
               "--tokens", text, "--weights", tmp_path / "start.safetensors", "--steps", 3, "--save", tmp_path / "save"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "step 3/3" in done.stderr and (tmp_path / "save" / "model.safetensors.index.json").is_file()


# What ranks say of one that fails.


def lines(process) -> list[str]:
    """What a rank says but its progress."""
    return [line for line in process.stderr.splitlines() if "error" in line]


def slow_run(build, tmp_path, text, *more, port=None):
    """Two ranks that train for long, and save after every second step."""
    path = divided(2, sleep=0.01).build(tmp_path / "slow.so")
    start_weights(tmp_path / "start.safetensors")
    return start(2, [build / "prec-run", path, "--tokens", text, "--weights", tmp_path / "start.safetensors", "--steps", 100000,
                     "--save", tmp_path / "save", "--save-every", 2, *more], port)


def await_checkpoint(folder, timeout=30):
    end = time.monotonic() + timeout
    while not (folder / "model.safetensors.index.json").exists():
        assert time.monotonic() < end
        time.sleep(0.01)


def kill_and_look(build, library, text, tmp_path, rank, delay):
    """A rank is killed at some moment: the others end with one line each, and the checkpoint is a whole one."""
    ranks = slow_run(build, tmp_path, text)
    await_checkpoint(tmp_path / "save")
    time.sleep(delay)
    ranks.processes[rank].kill()
    killed = time.monotonic()
    done = ranks.finish(30)
    assert time.monotonic() - killed < 30
    other = done[1 - rank]
    assert other.returncode == 1
    assert lines(other) == [line for line in lines(other) if line.startswith(f"prec-run: rank {1 - rank}: error: ") and f"rank {rank} ended" in line]
    assert len(lines(other)) == 1, other.stderr
    with Module(divided(1).build(tmp_path / "one.so"), library=library) as alone:
        position = alone.load(tmp_path / "save")
        assert position == alone.steps * 16 and alone.steps >= 2 and alone.steps % 2 == 0


@pytest.mark.parametrize("rank", [0, 1])
def test_a_killed_rank_ends_the_others(build, library, text, tmp_path, rank):
    kill_and_look(build, library, text, tmp_path, rank, 0.02)


@pytest.mark.long
@pytest.mark.parametrize("moment", range(50))
def test_a_rank_is_killed_at_any_moment(build, library, text, tmp_path, moment):
    chosen = random.Random(moment)
    kill_and_look(build, library, text, tmp_path, chosen.randrange(2), chosen.random() * 0.2)


def kill_at_start(build, text, tmp_path, rank, delay):
    """A rank is killed while ranks meet, or soon after: the other one ends."""
    ranks = slow_run(build, tmp_path, text, "--rank-timeout", "2")
    time.sleep(delay)
    ranks.processes[rank].kill()
    done = ranks.finish(30)
    other = done[1 - rank]
    assert other.returncode == 1
    (line,) = lines(other)
    assert line.startswith(f"prec-run: rank {1 - rank}: error: "), other.stderr
    # Before the ranks had met nobody knows that it was there.
    assert f"rank {rank} ended" in line or "within 2 s" in line or "the connection was closed" in line, line


@pytest.mark.parametrize("rank", [0, 1])
def test_a_rank_is_killed_at_the_start(build, text, tmp_path, rank):
    kill_at_start(build, text, tmp_path, rank, 0.03)


@pytest.mark.long
@pytest.mark.parametrize("moment", range(40))
def test_a_rank_is_killed_while_ranks_meet(build, text, tmp_path, moment):
    kill_at_start(build, text, tmp_path, moment % 2, moment * 0.002)


@pytest.fixture(scope="module")
def half_trained(library, tmp_path_factory):
    """A module for two ranks, weights, a checkpoint of one step in `old`, and what comes of another step in `new`."""
    folder = tmp_path_factory.mktemp("half")
    path = divided(2).build(folder / "two.so")
    for name in ("old", "new"):
        (folder / name).mkdir()
        start_weights(folder / name / "start.safetensors")
        succeeded(run(2, program("train_divided", library, path, folder / name, 1)))
    succeeded(run(2, program("train_divided", library, path, folder / "new", 1)))
    return folder


def states(folder) -> tuple[bytes, ...]:
    """What a checkpoint holds, whatever its files are called."""
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    return tuple((folder / name).read_bytes() for name in (*sorted(set(index["weight_map"].values())), index["metadata"]["optimizer"]))


def kill_in_save(library, half_trained, kill_at, tmp_path, rank, at):
    """A rank is killed before the call number `at` of its that changes files; whether it made so many."""
    shutil.copytree(half_trained / "old", tmp_path / str(at))
    port, place = free_port(), tmp_path / str(at)
    variables = [environment(number, 2, port) for number in range(2)]
    variables[rank] |= {"LD_PRELOAD": str(kill_at), "KILL_AT": str(at)}
    done = Ranks([program("train_divided", library, half_trained / "two.so", place, 1)] * 2, variables).finish(30)
    left = states(place / "checkpoint")
    assert left in (states(half_trained / "old" / "checkpoint"), states(half_trained / "new" / "checkpoint"))
    if done[rank].returncode == 0:
        return False
    assert done[rank].returncode == -signal.SIGKILL
    # Once all is exchanged the other one needs nobody.
    assert done[1 - rank].returncode in (0, 1)
    if done[1 - rank].returncode:
        assert f"rank {rank} ended: it was killed or crashed" in done[1 - rank].stderr
    return True


@pytest.mark.parametrize("rank,at", [(0, 4), (0, 9), (1, 3)])
def test_a_rank_is_killed_while_ranks_save(library, half_trained, kill_at, tmp_path, rank, at):
    assert kill_in_save(library, half_trained, kill_at, tmp_path, rank, at)


@pytest.mark.long
@pytest.mark.parametrize("rank", [0, 1])
def test_a_rank_is_killed_before_any_call_of_a_save(library, half_trained, kill_at, tmp_path, rank):
    at = 1
    while kill_in_save(library, half_trained, kill_at, tmp_path, rank, at):
        at += 1
    assert at > 10


def test_a_silent_rank_ends_the_others(build, text, tmp_path):
    ranks = slow_run(build, tmp_path, text, "--rank-timeout", "1")
    await_checkpoint(tmp_path / "save")
    ranks.processes[1].send_signal(signal.SIGSTOP)
    first = ranks.processes[0]
    _, said = first.communicate(timeout=20)
    ranks.processes[1].kill()
    ranks.processes[1].communicate()
    assert first.returncode == 1
    (line,) = [line for line in said.splitlines() if "error" in line]
    assert re.search(r"rank 1 must take part in what ranks exchange within 1 s, but has sent nothing( to rank 0, which runs '\w+')?$", line)


def test_the_error_of_one_rank_is_told_to_the_others(build, modules, text, tmp_path):
    """Rank 1 has no tokens to read: a link that only it lacks."""
    start_weights(tmp_path / "start.safetensors")
    for rank in range(2):
        (tmp_path / str(rank)).mkdir()
    (tmp_path / "0" / "tokens.bin").symlink_to(text)
    port, command = free_port(), [build / "prec-run", modules[2], "--tokens", "tokens.bin", "--weights", tmp_path / "start.safetensors", "--steps", 5]
    processes = [subprocess.Popen([str(word) for word in command], cwd=tmp_path / str(rank), env=environment(rank, 2, port), stderr=subprocess.PIPE,
                                  text=True) for rank in range(2)]
    first, second = (process.communicate(timeout=30)[1] for process in processes)
    assert [process.returncode for process in processes] == [1, 1]
    assert "prec-run: rank 1: error: tokens.bin: must be readable" in second
    assert "prec-run: rank 0: error: " in first and "rank 1 ended: tokens.bin: must be readable" in first


@pytest.mark.parametrize("rank", [0, 1])
def test_a_rank_that_fails_before_it_connects_is_told_to_the_others(build, modules, text, tmp_path, rank):
    """It has no module; the others would wait for as long as a rank may be behind."""
    for number in range(2):
        (tmp_path / str(number)).mkdir()
    (tmp_path / str(1 - rank) / "two.so").symlink_to(modules[2])
    port, command = free_port(), [build / "prec-run", "two.so", "--tokens", text, "--init", "random", "--steps", 5]
    processes = [subprocess.Popen([str(word) for word in command], cwd=tmp_path / str(number), env=environment(number, 2, port),
                                  stderr=subprocess.PIPE, text=True) for number in range(2)]
    said = [process.communicate(timeout=10)[1] for process in processes]
    assert [process.returncode for process in processes] == [1, 1]
    assert f"prec-run: rank {rank}: error: two.so: " in said[rank] and len(said[rank].splitlines()) == 1
    assert f"prec-run: rank {1 - rank}: error: rank {rank} ended: two.so: " in said[1 - rank] and len(said[1 - rank].splitlines()) == 1


def refused(done, *texts):
    for process, text in zip(done, texts if len(texts) > 1 else texts * len(done), strict=True):
        assert process.returncode == 1
        assert text in process.stderr, process.stderr
        assert len(lines(process)) == 1, process.stderr


def test_modules_are_for_as_many_ranks(build, modules, text, tmp_path):
    command = [build / "prec-run", modules[1], "--tokens", text, "--init", "random", "--steps", 1]
    refused(run(2, command), "torchrun has started 2 ranks of one for a process alone: compile it with --mesh=dp=2")
    command[1] = modules[4]
    refused(run(2, command), "torchrun has started 2 ranks of one for 4: compile it with --mesh=dp=2")
    alone = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    refused([alone], "(--mesh=dp=4) must be run by as many processes that are connected, but this one is alone: start them with torchrun")


def test_ranks_open_one_module(build, library, tmp_path, text):
    paths = [divided(2, flavour=str(rank)).build(tmp_path / f"{rank}.so") for rank in range(2)]
    port = free_port()
    commands = [program("train_divided", library, path, tmp_path, 1) for path in paths]
    done = Ranks(commands, [environment(rank, 2, port) for rank in range(2)]).finish()
    for process in done:
        assert process.returncode == 1
        assert "ranks must open one module, but rank 0 " in process.stderr and "have other hashes" in process.stderr


def test_ranks_have_one_command_line(build, modules, text, tmp_path):
    start_weights(tmp_path / "start.safetensors")
    port = free_port()
    command = [build / "prec-run", modules[2], "--tokens", text, "--weights", tmp_path / "start.safetensors", "--steps"]
    done = Ranks([[*command, 1 + rank] for rank in range(2)], [environment(rank, 2, port) for rank in range(2)]).finish()
    refused(done, "ranks must be started with one command line, but rank 0 got")


def test_ranks_agree_on_their_number(build, modules, text, tmp_path):
    """Two processes of one rank. Others are missing, so rank 0 is still there when the second of the two comes."""
    port = free_port()
    command = [build / "prec-run", modules[4], "--tokens", text, "--init", "random", "--steps", 1, "--rank-timeout", "10"]
    twice = Ranks([command] * 3, [environment(rank, 4, port) for rank in (0, 1, 1)]).finish()
    assert sum("two of rank 1" in process.stderr for process in twice) >= 1
    assert all(process.returncode for process in twice)


def test_a_rank_that_does_not_come(build, modules, text, tmp_path):
    command = [build / "prec-run", modules[4], "--tokens", text, "--init", "random", "--steps", 1, "--rank-timeout", "2"]
    done = start(2, command, world=4).finish()
    refused(done, "all 4 ranks must have come within 2 s, but these have not: 2, 3")
    # Nobody listens.
    port = free_port()
    (alone,) = Ranks([command], [environment(1, 4, port)]).finish()
    refused([alone], f"rank 0 must answer at 127.0.0.1:{port + 1} within 2 s, but got: Connection refused")


def test_the_port_is_taken(build, modules, text):
    port = free_port()
    command = [build / "prec-run", modules[2], "--tokens", text, "--init", "random", "--steps", 1, "--rank-timeout", "5"]
    with socket.socket() as other:
        other.bind(("127.0.0.1", port + 1))
        other.listen()
        (first,) = Ranks([command], [environment(0, 2, port)]).finish()
    refused([first], f"rank 0 must be able to listen at 127.0.0.1:{port + 1}, but got: Address already in use")


def test_another_run_with_the_same_address_ends_alone(build, modules, text, tmp_path):
    port = free_port()
    ranks = slow_run(build, tmp_path, text, port=port)
    await_checkpoint(tmp_path / "save")
    first, second = start(2, [build / "prec-run", modules[2], "--tokens", text, "--init", "random"], port).finish()
    refused([first], f"rank 0 must be able to listen at 127.0.0.1:{port + 1}, but got: Address already in use")
    refused([second], "ranks must have numbers of their own, but got two of rank 1")
    alone, = start(1, [build / "prec-run", modules[2], "--tokens", text, "--init", "random"], port, world=3).finish()
    assert alone.returncode == 1
    time.sleep(0.3)
    assert all(process.poll() is None for process in ranks.processes)
    ranks.processes[0].terminate()
    assert [process.returncode for process in ranks.finish()] == [-signal.SIGTERM, 0]


def test_a_signal_to_one_rank_ends_all_behind_a_step(build, library, text, tmp_path):
    ranks = slow_run(build, tmp_path, text)
    await_checkpoint(tmp_path / "save")
    ranks.processes[1].terminate()
    first, second = ranks.finish()
    assert first.returncode == 0 and second.returncode == -signal.SIGTERM, (first.stderr, second.stderr)
    assert "a signal ends the run after step" in first.stderr
    with Module(divided(1).build(tmp_path / "one.so"), library=library) as alone:
        assert alone.load(tmp_path / "save") == alone.steps * 16


@pytest.mark.parametrize("option", ["--generate=3", "--keep-bad-batches=bad"])
def test_what_only_one_process_does(build, modules, text, tmp_path, option):
    tokens = [] if "generate" in option else ["--tokens", text, "--steps", 1]
    command = [build / "prec-run", modules[2], *tokens, "--init", "random", option]
    refused(run(2, command), f"{option.split('=')[0]} must be given to a process alone, but got 2 ranks")


# What a manifest must be.


def break_mesh(m, **more):
    m.manifest["mesh"] = [{"axis": "dp", "size": 2, **more}]


def collective(op, axis="dp", a=6, d=12, shared=False, unread=False, unwritten=False):
    def change(m):
        given = m.temporary("f32", [a])
        got = given if shared else m.temporary("f32", [d])
        m.command("step", op, "move", [] if unread else [given], [] if unwritten else [got], a=given, d=got, axis=axis)
    return change


def in_buckets(*commands, share=None):
    """Copies (None) and gathers of a bucket and a kind, each with what it awaits."""
    def change(m):
        given, got, last = m.temporary("f32", [6]), m.temporary("f32", [12]), m.temporary("f32", [12])
        for number, (bucket, op, awaits) in enumerate(commands):
            keys = {"awaits": awaits} if awaits else {}
            if op == "copy":
                a, d = share or (1, 2)
                src, dst = [given, got, last][a], [given, got, last][d]
                m.command("step", "copy", f"copy {number}", [src], [dst], src=src, dst=dst, **keys)
                continue
            a, d = (given, got) if op == "all_gather" else (got, m.temporary("f32", [12]))
            if op == "own_slice":
                d = m.temporary("f32", [6])
            m.command("step", op, f"move {number}", [a], [d], a=a, d=d, axis="dp", **({} if bucket is None else {"bucket": bucket}), **keys)
    return change


def shard(name, **more):
    def change(m):
        (binding,) = (b for b in m.manifest["bindings"] if b["name"] == name and b["role"] != "optimizer_state")
        binding["shard"] = {"dim": 0, "axis": "dp", **more}
    return change


@pytest.mark.parametrize("change,error", [
    (lambda m: m.manifest["mesh"].append({"axis": "dp", "size": 2}), "mesh: axes must have names of their own, but got two 'dp'"),
    (lambda m: m.manifest["mesh"].append({"axis": "tp", "size": 65536}), "mesh: must have at most 65536 ranks, but got more"),
    (lambda m: break_mesh(m, axis=""), "an axis must have a name, but got an empty one"),
    (lambda m: break_mesh(m, size=0), "mesh[0].size: must lie in [1, 65536], but got 0"),
    (lambda m: break_mesh(m, kind="ring"), "must have known keys only, but got 'kind'"),
    (collective("all_gather", axis="tp"), "axis must be one of the mesh, but got 'tp'"),
    (collective("all_gather", d=13), "d must have 2 times the bytes of a, a block for each rank, but got 52 and 24"),
    (collective("own_slice", a=6, d=6), "a must have 2 times the bytes of d, a block for each rank, but got 24 and 24"),
    (collective("all_to_all", d=8), "a and d must have the same byte size, but got 24 and 32"),
    (collective("all_to_all", a=1, d=1, shared=True), "a and d must not share bytes, but do"),
    (collective("all_gather", unread=True), "reads must list every operand"),
    (collective("all_gather", unwritten=True), "writes must list every operand"),
    (in_buckets((1, "all_gather", [])), "buckets count from 0 on, but got 1 where 0 is next"),
    (in_buckets((0, "all_gather", []), (None, "copy", [0]), (0, "all_gather", []), share=(1, 2)), "but got 0 where 1 is next"),
    (in_buckets((0, "all_gather", []), (0, "all_to_all", [])),
     "bytes of exchange 'move 0' must be left alone until bucket 0 is awaited, but are not"),
    (in_buckets((None, "copy", [0])), "awaits must name buckets that have begun, each once, but got 0"),
    (in_buckets((0, "all_gather", []), (None, "copy", [0, 0]), share=(1, 2)), "each once, but got 0"),
    (in_buckets((0, "all_gather", []), (None, "copy", []), share=(1, 2)), "bytes of exchange 'move 0' must be left alone until bucket 0 is awaited"),
    (in_buckets((0, "all_gather", []), (None, "copy", []), share=(2, 1)), "bytes of exchange 'move 0' must be left alone until bucket 0 is awaited"),
    (in_buckets((0, "own_slice", [])), "bucket must be of what ranks send each other, but got one of an own slice"),
    (shard("w", axis="tp"), "parameter 'w' must be divided along an axis of the mesh, but got 'tp'"),
    (shard("w", dim=2), "parameter 'w' must be divided along one of its 2 dimensions, but got 2"),
    (shard("w", dim=-1), "shard.dim: must lie in [0, 64], but got -1"),
    (shard("w", parts=[3, 1]), "parameter 'w' must have parts of 2 slices, "),
    (shard("w", parts=[2, 200]), "parameter 'w' must have parts of 2 slices, "),
    (shard("w", parts=[2]), "parameter 'w' must have parts of 2 slices, "),
    (shard("w", parts=[0]), "shard.parts[0]: must lie in [1, "),
    (shard("input_ids"), "batch 'input_ids' must lie in segment state to be divided, but got input"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_what_a_manifest_must_be(tmp_path, library, change, error):
    m = divided(2)
    change(m)
    with pytest.raises(BadFile) as failure:
        Module(m.build(tmp_path / "bad.so"), library=library)
    assert error in str(failure.value)


def test_blocks_are_whole_bytes(tmp_path, library):
    m = divided(4)
    a, d = m.temporary("i8", [6]), m.temporary("i8", [6])
    m.command("step", "all_to_all", "move", [a], [d], a=a, d=d, axis="dp")
    with pytest.raises(BadFile, match="a must have a multiple of 4 bytes, a block for each rank, but got 6"):
        Module(m.build(tmp_path / "bad.so"), library=library)


def test_a_slice_has_no_initial_value(tmp_path, library):
    m = divided(2)
    (binding,) = (b for b in m.manifest["bindings"] if b["name"] == "w")
    binding["initial"] = m.constant(np.zeros(m.manifest["buffers"][binding["buffer"]]["shape"], np.float32), "f32")
    with pytest.raises(BadFile, match="parameter 'w' must have no initial value to be divided, but got one"):
        Module(m.build(tmp_path / "bad.so"), library=library)


def test_a_module_for_ranks_is_refused_alone(tmp_path, library, modules):
    with pytest.raises(InvalidArgument, match=r"a module for 2 ranks \(--mesh=dp=2\) must be run by as many processes"):
        Module(modules[2], library=library)


# What ranks of a program do apart.


@pytest.fixture(scope="module")
def misfits(modules, library, tmp_path_factory):
    """A folder with weights and two checkpoints that are not of one step."""
    folder = tmp_path_factory.mktemp("misfits")
    start_weights(folder / "start.safetensors")
    (folder / "start").mkdir()
    start_weights(folder / "start" / "weights.safetensors")
    with Module(modules[1], library=library) as alone:
        alone.load(folder / "start.safetensors")
        for rank in range(2):
            alone.steps = 3 + rank
            alone.save_checkpoint(folder / str(rank), 100)
    return folder


@pytest.mark.parametrize("what,first,second", [
    ("load", "RanksFailure rank 1: ", "NotFound "),
    ("checkpoint", "RanksFailure ranks must go on from one checkpoint, but rank 0 has that of step 3 at token 100 and rank 1 that of step 4",
     "RanksFailure ranks must go on from one checkpoint, but rank 0 has that of step 3 at token 100 and rank 1 that of step 4"),
    ("save", "NotFound /proc/none/weights.safetensors: must be writable", "RanksFailure rank 0: /proc/none/weights.safetensors: must be writable"),
    ("folder", "NotFound /proc/none: must be a folder to save in", "RanksFailure rank 0: /proc/none: must be a folder to save in"),
    ("numbers", "InvalidArgument ranks must be given the same hyper-parameters, but of 'lr' rank 0 has 0.25 and rank 1 0.5",
     "InvalidArgument ranks must be given the same hyper-parameters, but of 'lr' rank 0 has 0.25 and rank 1 0.5"),
    ("calls", "RanksFailure ranks must call the same, but rank 0 calls step and rank 1 eval",
     "RanksFailure ranks must call the same, but rank 0 calls step and rank 1 eval"),
    ("batch", "RanksFailure rank 1: ", "InvalidArgument "),
    ("shape", "InvalidArgument 'w' must have shape [4, 6], or [8, 6] of all slices, but got [3, 6]",
     "InvalidArgument 'w' must have shape [4, 6], or [8, 6] of all slices, but got [3, 6]"),
])
def test_what_one_rank_cannot_do_fails_on_all_and_they_go_on(library, modules, misfits, what, first, second):
    done = succeeded(run(2, program("misfits", library, modules[2], misfits, what)))
    assert done[0].stdout.startswith(first), done[0].stdout
    assert done[1].stdout.startswith(second), done[1].stdout
    assert all(len(process.stdout.splitlines()) == 1 for process in done)


def test_the_exception_of_a_program_is_told(library, modules, misfits):
    done = run(2, program("misfits", library, modules[2], misfits, "leave"))
    assert [process.returncode for process in done] == [1, 1]
    assert done[0].stderr.rstrip().endswith("rank 1 ended: RuntimeError: enough of it")


def test_a_runtime_without_gloo(build, modules, text, tmp_path):
    """The library that connects ranks is not beside the program of one, or of both."""
    shutil.copy(build / "prec-run", tmp_path / "prec-run")
    rest, port = [modules[2], "--tokens", text, "--init", "random", "--steps", 1], free_port()
    missing = ("ranks are connected by Gloo: libprec-rt-gloo.so must lie beside the runtime, which a build with Gloo (Debian's libgloo-dev) makes")
    refused(run(2, [tmp_path / "prec-run", *rest]), missing)
    done = Ranks([[build / "prec-run", *rest], [tmp_path / "prec-run", *rest]], [environment(rank, 2, port) for rank in range(2)]).finish()
    refused(done, "rank 1 ended: " + missing, missing)
