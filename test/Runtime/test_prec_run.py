# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prec-run: trains, evaluates, resumes, compares; refuses bad input in one line with exit code 1."""
import json
import re
import resource
import signal
import subprocess

import numpy as np
import pytest
from conftest import ROOT
from models import bigram, perceptron
from step_module import StepModule

COUNT = 4000


def contents(folder):
    return {path: path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


@pytest.fixture
def run(build, tmp_path):
    def run_(*arguments, fails=None, limit=resource.RLIM_INFINITY):
        def limit_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

        before = contents(tmp_path)
        result = subprocess.run([build / "prec-run", *map(str, arguments)], capture_output=True, text=True, cwd=tmp_path,
                                preexec_fn=limit_files)
        if fails is None:
            assert result.returncode == 0, result.stderr
        else:
            # Trained steps may have reported before; then one line, or one a difference.
            lines = result.stderr.splitlines()
            assert result.returncode == 1 and lines[-1].startswith("prec-run: error: "), result.stderr
            assert all(re.match(r"prec-run: error: \S|\[#* *\] step |step |device memory ", line) for line in lines), result.stderr
            assert fails in result.stderr
            assert "--metrics" in arguments or contents(tmp_path) == before
        return result

    return run_


@pytest.fixture
def step(tmp_path):
    return bigram().build(tmp_path / "step.so")


@pytest.fixture
def tokens(tmp_path):
    """A text in which every token determines the next."""
    ids = (np.arange(COUNT) * 5 % 64).astype(np.uint16)
    ids.tofile(tmp_path / "train.bin")
    ids[:1000].tofile(tmp_path / "val.bin")
    return ids


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_trains(run, step, tokens, tmp_path):
    run(step, "--init", "random", "--seed", 1, "--tokens", "train.bin", "--eval-tokens", "val.bin", "--steps", 40,
        "--eval-every", 20, "--eval-batches", 3, "--lr", 4.0, "--metrics", "out.jsonl")
    lines = lines_of(tmp_path / "out.jsonl")
    evals = [(x["step"], x["eval_loss"]) for x in lines if "eval_loss" in x]
    steps = [x for x in lines if "loss" in x]
    assert [s for s, _ in evals] == [0, 20, 40]
    assert [x["step"] for x in steps] == list(range(1, 41)) and [x["seen_step"] for x in steps] == list(range(1, 41))
    assert steps[0]["loss"] == pytest.approx(np.log(64), abs=0.05) and evals[-1][1] < evals[0][1] - 1
    assert steps[-1]["tokens"] == 40 * 32 and all(x["lr"] == 4.0 for x in steps)


def test_says_what_it_takes_of_memory(run, step, tokens):
    said = re.search(r"device memory ([\d.]+) GiB: (.*)", run(step, "--init", "random", "--tokens", "train.bin", "--steps", 1).stderr)
    parts = {name: float(number) for name, number in re.findall(r"([a-z ]+) ([\d.]+)", said[2])}
    assert {name.strip() for name in parts} == {"state", "inputs and outputs", "workspace", "constants", "libraries"}
    assert float(said[1]) == pytest.approx(sum(parts.values()), abs=0.03)


def test_batches_are_consecutive_and_shifted(run, tokens, tmp_path, open_module):
    """The loss of every step is the one that the same slices of the file give through the Python API."""
    path = bigram(shift=1).build(tmp_path / "step.so")
    module = open_module(path)
    run(path, "--init", "random", "--seed", 3, "--tokens", "train.bin", "--steps", 130, "--metrics", "out.jsonl")
    module.init_random(seed=3)
    for i, line in enumerate(lines_of(tmp_path / "out.jsonl")):
        start = i * 32 % (COUNT - 32 - 1)
        batch = {"input_ids": tokens[start:start + 32], "targets": tokens[start + 1:start + 33]}
        result = module.step({name: x.astype(np.int32).reshape(2, 16) for name, x in batch.items()})
        assert line["loss"] == result["loss"], i


def test_labels_without_shift(run, tokens, tmp_path, open_module):
    path = bigram(shift=0).build(tmp_path / "step.so")
    run(path, "--init", "random", "--tokens", "train.bin", "--steps", 1, "--metrics", "out.jsonl")
    module = open_module(path)
    module.init_random()
    ids = tokens[:32].astype(np.int32).reshape(2, 16)
    assert lines_of(tmp_path / "out.jsonl")[0]["loss"] == module.step({"input_ids": ids, "targets": ids})["loss"]


def test_a_shift_that_is_given(run, tokens, tmp_path, open_module):
    for shift, given in ((None, "2"), (1, "2"), (0, "targets=2")):
        path = bigram(shift=shift).build(tmp_path / "step.so")
        run(path, "--init", "random", "--tokens", "train.bin", "--steps", 1, f"--label-shift={given}", "--metrics", "out.jsonl")
        module = open_module(path)
        module.init_random()
        batch = {"input_ids": tokens[:32], "targets": tokens[2:34]}
        result = module.step({name: x.astype(np.int32).reshape(2, 16) for name, x in batch.items()})
        assert lines_of(tmp_path / "out.jsonl")[0]["loss"] == result["loss"]
        module.close()


def test_a_shift_that_is_not_known_is_not_guessed(run, tokens, tmp_path):
    common = ("--init", "random", "--tokens", "train.bin", "--steps", 1)
    path = bigram(shift=None).build(tmp_path / "step.so")
    run(path, *common, fails="must know how many tokens 'targets' is ahead of the inputs, but the module does not say it: "
                             "give --label-shift=N, or batches by prec.Module")
    step = bigram(shift=None)
    step.manifest["bindings"][1]["shift_unknown"] = "labels are not at one distance"
    run(step.build(tmp_path / "step.so"), *common, fails="'targets' is ahead of the inputs, but labels are not at one distance: give")
    step = bigram(shift=None)
    del step.manifest["bindings"][1]["ignore_index"]
    path = step.build(tmp_path / "step.so")
    run(path, *common, fails="'input_ids' is ahead of the inputs, but the module does not say it: give --label-shift=input_ids=N")
    run(path, *common, "--label-shift=1", "--label-shift=input_ids=0", "--label-shift=targets=0",
        fails="but none is known as such: give --label-shift=NAME=N")
    run(path, *common, "--label-shift=input_ids=0", "--label-shift=targets=1")


@pytest.mark.parametrize("given, message", [
    ("labels=1", "--label-shift must name a batch input of the module, but got 'labels'"),
    ("-1", "a shift must be N or NAME=N with a number of tokens in [0, 2^20], but got -1"),
    ("=1", "a shift must be N or NAME=N"), ("targets=one", "a shift must be N or NAME=N"), ("9999999", "a shift must be N or NAME=N")])
def test_a_shift_that_is_none(run, tokens, tmp_path, given, message):
    path = bigram().build(tmp_path / "step.so")
    run(path, "--init", "random", "--tokens", "train.bin", "--steps", 1, f"--label-shift={given}", fails=message)


def test_resume_continues_bit_for_bit(run, step, tokens, tmp_path):
    common = [step, "--tokens", "train.bin"]
    run(*common, "--init", "random", "--steps", 20, "--metrics", "whole.jsonl")
    run(*common, "--init", "random", "--steps", 8, "--metrics", "parts.jsonl", "--save", "saved")
    run(*common, "--resume", "saved", "--steps", 20, "--metrics", "parts.jsonl")
    whole, parts = lines_of(tmp_path / "whole.jsonl"), lines_of(tmp_path / "parts.jsonl")
    assert [x["loss"] for x in whole] == [x["loss"] for x in parts]
    assert [x["tokens"] for x in whole] == [x["tokens"] for x in parts]


def test_schedule(run, step, tokens, tmp_path):
    run(step, "--init", "random", "--tokens", "train.bin", "--steps", 12, "--lr", 2.0, "--lr-schedule", "cosine",
        "--warmup", 4, "--metrics", "out.jsonl")
    rates = [x["lr"] for x in lines_of(tmp_path / "out.jsonl")]
    expected = [2.0 * s / 4 if s <= 4 else 1 + np.cos(np.pi * (s - 4) / 8) for s in range(1, 13)]
    assert rates == pytest.approx(expected, abs=1e-12)


class TestGroups:
    """Rates of parameter groups: lr of the first, lr.1 of the second."""

    @pytest.fixture
    def grouped(self, tmp_path):
        """Its metrics are the rates that the step got."""
        module = StepModule()
        rates = [module.bind(name, "hyper", "f32", [], default=default) for name, default in (("lr", 0.5), ("lr.1", 0.25))]
        loss = module.bind("loss", "loss", "f32", [])
        seen = [module.bind(f"rate{i}", "metric", "f32", []) for i in range(2)]
        module.bind("x", "batch", "i32", [1, 4], vocabulary=64)
        module.kernel("step", "rates", rates, [loss, *seen], 1, "*b2 = 1; *b3 = *b0; *b4 = *b1;")
        return module.build(tmp_path / "step.so")

    @pytest.mark.parametrize(
        "options, expected",
        [
            ([], (0.5, 0.25)),
            (["--lr", "2"], (2, 2)),
            (["--lr", "1=2"], (0.5, 2)),
            (["--lr", "2", "--lr", "1=4"], (2, 4)),
            (["--lr", "0=2", "--lr", "1=0"], (2, 0)),
            (["--lr", "8", "--lr", "0=2", "--lr", "1=4", "--warmup", "2"], (1, 2)),
        ],
    )
    def test_rates(self, options, expected, run, grouped, tokens, tmp_path):
        run(grouped, "--init", "random", "--tokens", "train.bin", "--steps", 1, "--metrics", "out.jsonl", *options)
        line, = lines_of(tmp_path / "out.jsonl")
        assert (line["rate0"], line["rate1"]) == expected and line["lr"] == expected[0]

    def test_a_rate_may_stand_before_the_module(self, run, grouped, tokens, tmp_path):
        run("--lr", "2", grouped, "--init", "random", "--tokens", "train.bin", "--steps", 1, "--metrics", "out.jsonl")
        assert lines_of(tmp_path / "out.jsonl")[0]["lr"] == 2

    def test_no_mode_takes_a_rate_of_no_group(self, run, grouped):
        run(grouped, "--compare", grouped, "--init", "random", "--lr", "7=1",
            fails="--lr must be given for a parameter group of the module (0, 1), but got '7'")

    @pytest.mark.parametrize("options, said", [
        (["2=1"], "--lr must be given for a parameter group of the module (0, 1), but got '2'"),
        (["=1"], "--lr must be given for a parameter group of the module (0, 1), but got ''"),
        (["1=x"], "--lr: a learning rate must lie in [0, 1e6], but got x"), (["1=nan"], "a learning rate must lie in [0, 1e6], but got nan"),
        (["1", "--lr", "2"], "--lr: a learning rate must be given once for a group, but got 2 as another"),
        (["1=1", "--lr", "1=2"], "a learning rate must be given once for a group, but got 1=2 as another")])
    def test_refusals(self, options, said, run, grouped, tokens):
        run(grouped, "--init", "random", "--tokens", "train.bin", "--steps", 1, "--lr", *options, fails=said)


def test_warmup_stable_decay(run, step, tokens, tmp_path):
    """As transformers' own schedule, which counts from 0."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    run(step, "--init", "random", "--tokens", "train.bin", "--steps", 20, "--lr", 2.0, "--lr-schedule", "wsd", "--warmup", 4, "--decay", 6,
        "--metrics", "out.jsonl")
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=2.0)
    schedule = transformers.get_wsd_schedule(optimizer, num_warmup_steps=4, num_stable_steps=10, num_decay_steps=6, decay_type="linear")
    expected = []
    for _ in range(20):
        optimizer.step()
        schedule.step()
        expected.append(schedule.get_last_lr()[0])
    assert [x["lr"] for x in lines_of(tmp_path / "out.jsonl")] == pytest.approx(expected, abs=1e-12)
    assert expected[-1] == 0 and max(expected) == 2


@pytest.mark.parametrize("options", [["--lr-schedule", "wsd"], ["--decay", "3"], ["--lr-schedule", "wsd", "--decay", "8", "--warmup", "3"]])
def test_decay_belongs_to_wsd(run, step, tokens, options):
    run(step, "--init", "random", "--tokens", "train.bin", "--steps", 10, *options,
        fails="--decay must be given with --lr-schedule wsd, and be at most --steps less --warmup, but got")


def test_save_every_needs_a_folder(run, step, tokens):
    run(step, "--init", "random", "--tokens", "train.bin", "--steps", 10, "--save-every", 3, fails="--save-every needs --save, but got none")


def test_wide_tokens(run, step, tokens, tmp_path):
    run(step, "--init", "random", "--tokens", "train.bin", "--steps", 3, "--metrics", "narrow.jsonl")
    tokens.astype(np.uint32).tofile(tmp_path / "wide.bin")
    run(step, "--init", "random", "--tokens", "wide.bin", "--u32", "--steps", 3, "--metrics", "wide.jsonl")
    assert [x["loss"] for x in lines_of(tmp_path / "narrow.jsonl")] == [x["loss"] for x in lines_of(tmp_path / "wide.jsonl")]


def test_profile(run, step, tokens, tmp_path):
    output = run(step, "--init", "random", "--tokens", "train.bin", "--profile", "--metrics", "metrics.jsonl").stdout
    assert "5 commands" in output and "momentum" in output
    commands = lines_of(tmp_path / "metrics.jsonl")
    assert len(commands) == 5 and all(x["seconds"] >= 0 and x["command"] in output for x in commands)
    # Table, gradient and moment in, table and moment out; the rate is one number.
    assert commands[-1] == {"command": "momentum", "phase": "optimizer", "op": "kernel", "seconds": commands[-1]["seconds"],
                            "bytes": 5 * 64 * 64 * 4 + 4, "flops": None}
    assert "floor" not in output


def test_profile_without_products(run, step, tokens, tmp_path):
    """One level, so one kernel. Labels, inputs, table, moment and rate in; table, moment and loss out."""
    assert all(c["op"] not in ("gemm", "sdpa_forward") for c in bigram().manifest["entry_points"]["step"])
    output = run(step, "--init", "random", "--tokens", "train.bin", "--profile", "--profile-floor", "--profile-json", "profile.json").stdout
    floor = json.loads((tmp_path / "profile.json").read_text())["floor"]
    assert floor["rounds"] >= 5 and floor["replayed_seconds"] == 0 < floor["step_seconds"]
    assert "products and attention replayed 0.000 ms" in output and "times as long" in output


def test_traffic_needs_no_step(run, step):
    """One level: an ideal kernel would read what the commands hand each other from registers."""
    commands = bigram().manifest["entry_points"]["step"]
    kernels = {c["kernel"] for c in commands if c["op"] == "kernel"}
    first, header, *groups, total = run(step, "--traffic").stdout.splitlines()
    assert first.startswith(f"{len(commands)} commands, {len(kernels)} kernels; products and attention aside, they move ")
    assert header.split()[:3] == ["count", "GB", "ideal"] and total.split()[-1] == "all"
    rows = [[float(x) for x in line.split()[:4]] for line in groups]
    assert sum(row[0] for row in rows) == len(commands) == int(total.split()[0])
    assert [row[3] for row in rows] == sorted((row[3] for row in rows), reverse=True)


def test_a_floor_changes_nothing_that_is_saved(run, step, tokens, tmp_path):
    common = (step, "--init", "random", "--tokens", "train.bin", "--steps", 3, "--profile")
    run(*common, "--save", "plain")
    run(*common, "--save", "floor", "--profile-floor")
    assert contents(tmp_path / "plain").keys() and [(p.name, b) for p, b in contents(tmp_path / "plain").items()] \
        == [(p.name, b) for p, b in contents(tmp_path / "floor").items()]


@pytest.mark.parametrize("mebibytes", [60, 100, 150, 200, 300, 400, 500, 700, 1500])
def test_little_address_space(mebibytes, build, tmp_path):
    """Trains, or says what is missing; OpenBLAS alone would try for ever."""
    path = perceptron().build(tmp_path / "step.so")
    done = subprocess.run([build / "prec-run", path, "--compare", path, "--init", "random"], capture_output=True, text=True, timeout=60,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20, resource.RLIM_INFINITY)))
    if done.returncode:
        assert done.returncode == 1 and len(done.stderr.splitlines()) == 1 and done.stderr.startswith("prec-run: error: "), done.stderr
    if mebibytes in (200, 300):
        assert "OpenBLAS must have" in done.stderr and "MiB of address space" in done.stderr


class TestRefusals:
    def test_usage(self, run, step, tokens):
        run(fails="module is required")
        run(step, "--steps", 1, fails="--steps and --profile need --tokens, but got none")
        run(
            step, "--init", "random", "--tokens", "train.bin", "--steps", 1, "--eval-every", 1, fails="--eval-every needs --eval-tokens, but got none"
        )
        run(step, "--init", "magic", fails="--init")
        run(step, "--steps", "-3", fails="--steps")
        run(step, "--weights", "w", "--init", "random", fails="excludes")
        run(step, "--nonsense", fails="arguments must be options, but got --nonsense")
        run(step, "--token", "x", fails="but got --token x; the nearest is --tokens")
        run(step, "--label-shfit=3", fails="but got --label-shfit=3; the nearest is --label-shift")
        run(
            step,
            "--init",
            "random",
            "--tokens",
            "train.bin",
            "--steps",
            1,
            "--lr",
            "inf",
            fails="--lr: a learning rate must lie in [0, 1e6], but got inf",
        )

    def test_no_weights(self, run, step, tokens):
        run(step, "--tokens", "train.bin", "--steps", 1, fails="start weights must be given")

    def test_module(self, run, tmp_path):
        run("none.so", "--init", "random", fails="none.so: must be readable")
        (tmp_path / "text.so").write_text("hello")
        run("text.so", "--init", "random", fails="text.so: must be an ELF shared object")
        run(tmp_path, "--init", "random", fails="must be a regular file")
        run(bigram().build(tmp_path / "abi.so", abi=2), "--init", "random", fails="query table must have abi 1, but got 2")
        other = StepModule(chip="x86-64-v9")
        other.bind("loss", "loss", "f32", [])
        other.command("step", "fill", "zero", [], [0], dst=0)
        run(other.build(tmp_path / "chip.so"), "--init", "random", fails="chip.so: module must be for a cpu of level x86-64, ")

    def test_weights(self, run, step, tokens, tmp_path):
        """All that differs, a line each."""
        from safetensors.numpy import save_file
        save_file({"table.weight": np.zeros((64, 60), np.float32), "head.bias": np.zeros(64, np.int32), "more": np.zeros(1, np.float32)},
                  tmp_path / "w.safetensors")
        lines = run(step, "--weights", "w.safetensors", "--tokens", "train.bin", "--steps", 1, fails="w.safetensors: ").stderr.splitlines()
        assert sorted(line.removeprefix("prec-run: error: w.safetensors: tensor ") for line in lines) == [
            "'head.bias': must have a dtype that converts to f32, but got I32", "'more': must be in the module, but is not",
            "'norm.weight': must be in the file, but is missing", "'table.weight': must have shape [64, 64], but got [64, 60]"]

    def test_odd_token_file(self, run, step, tmp_path):
        (tmp_path / "odd.bin").write_bytes(b"123")
        run(step, "--init", "random", "--tokens", "odd.bin", "--steps", 1,
            fails="odd.bin: size must be a multiple of 2 bytes, but got 3")
        (tmp_path / "odd.bin").write_bytes(b"123456")
        run(step, "--init", "random", "--tokens", "odd.bin", "--u32", "--steps", 1, fails="multiple of 4 bytes, but got 6")

    def test_short_token_file(self, run, step, tmp_path):
        for data in (b"", b"\0" * 66):
            (tmp_path / "short.bin").write_bytes(data)
            run(step, "--init", "random", "--tokens", "short.bin", "--steps", 1,
                fails=f"must have more than 33 tokens for a batch, but got {len(data) // 2}")

    def test_token_outside_vocabulary(self, run, step, tokens, tmp_path):
        """Told before the first step, wherever in the tokens that the run would read."""
        tokens[70] = 64
        tokens.tofile(tmp_path / "bad.bin")
        error = "bad.bin: token ids must lie in [0, 64), but got 64 at position 70"
        common = (step, "--init", "random", "--save", "saved", "--metrics", "out.jsonl", "--tokens")
        for steps in (3, 100, 1000):
            assert run(*common, "bad.bin", "--steps", steps, fails=error).stderr == f"prec-run: error: {error}\n"
        assert not (tmp_path / "saved").exists() and not (tmp_path / "out.jsonl").exists()
        run(*common, "train.bin", "--steps", 2, "--eval-tokens", "bad.bin", fails=error)
        assert not (tmp_path / "out.jsonl").exists()
        # 64 tokens and the label of the last: position 70 is not reached.
        run(*common, "bad.bin", "--steps", 2)

    def test_missing_files(self, run, step, tokens):
        run(step, "--init", "random", "--tokens", "none.bin", "--steps", 1, fails="none.bin: must be readable")
        run(step, "--weights", "none.safetensors", "--tokens", "train.bin", "--steps", 1, fails="none.safetensors: must be readable")
        run(step, "--resume", "nowhere", "--tokens", "train.bin", "--steps", 1, fails="nowhere/model.safetensors.index.json: must be readable")
        run(step, "--init", "random", "--tokens", "train.bin", "--steps", 1, "--metrics", "no/where", fails="no/where: must be writable")

    def test_nowhere_to_save(self, run, step, tokens, tmp_path):
        """Told before the first step."""
        (tmp_path / "afile").write_text("mine")
        for folder in ("afile", "no/where"):
            result = run(step, "--init", "random", "--tokens", "train.bin", "--steps", 5, "--metrics", "out.jsonl", "--save", folder,
                         fails=f"{folder}: must be a folder to save in")
            assert "step 1/5" not in result.stderr and not (tmp_path / "out.jsonl").exists()
        assert (tmp_path / "afile").read_text() == "mine"

    def test_all_differences(self, run, step, tokens, tmp_path):
        """Of weights and of both token files, a line each."""
        (tmp_path / "odd.bin").write_bytes(b"123")
        (tmp_path / "empty.bin").write_bytes(b"")
        stderr = run(step, "--weights", "none.safetensors", "--tokens", "odd.bin", "--eval-tokens", "empty.bin", "--steps", 1, fails="odd.bin").stderr
        assert [line.split(":")[2].strip() for line in stderr.splitlines()] == ["odd.bin", "none.safetensors", "empty.bin"], stderr

    @pytest.mark.parametrize("option, value", [("--lr", "nan"), ("--lr", "-1"), ("--lr", "inf"), ("--steps", "-1"), ("--warmup", "x")])
    def test_bad_numbers(self, run, step, tokens, tmp_path, option, value):
        (tmp_path / "out.jsonl").write_text("mine")
        stderr = run(step, "--init", "random", "--tokens", "train.bin", "--metrics", "out.jsonl", option, value, fails=f"{value}").stderr
        assert stderr.count("\n") == 1 and len(stderr) < 120, stderr
        assert (tmp_path / "out.jsonl").read_text() == "mine"

    def test_float_inputs(self, run, tokens, tmp_path):
        path = perceptron().build(tmp_path / "mlp.so")
        run(path, "--init", "random", "--tokens", "train.bin", "--steps", 1, fails="must be token ids with a known vocabulary, but got 'x'")

    def test_inputs_for_tokens(self, run, tokens, tmp_path):
        for inputs, message in (({}, "module must have batch inputs, but has none"),
                                ({"input_ids": [2, 8], "labels": [2, 4]}, "must be of one size, but 'labels' has 8 elements, not 16")):
            module = StepModule()
            for name, shape in inputs.items():
                module.bind(name, "batch", "i32", shape, vocabulary=64)
            loss = module.bind("loss", "loss", "f32", [])
            module.command("step", "fill", "zero", [], [loss], dst=loss)
            path = module.build(tmp_path / f"step{len(inputs)}.so")
            run(path, "--init", "random", "--tokens", "train.bin", "--steps", 1, fails=message)

    def test_loss_not_finite(self, run, step, tokens, tmp_path):
        run(step, "--init", "random", "--tokens", "train.bin", "--steps", 50, "--stddev", "1e38", "--save", "saved",
            fails="loss and metrics must be finite")
        assert not (tmp_path / "saved").exists()

    @pytest.mark.parametrize("change, message", [
        (lambda m: m.update(version=2), "machine.version: must lie in [1, 1], but got 2"),
        (lambda m: m.pop("device"), "machine: must have the key 'device', but got none"),
        (lambda m: m.update(name=" "), "machine.name: must not be blank, but is"),
        (lambda m: m.update(speed=1), "machine: must have no key but those of the schema, but got 'speed'"),
        (lambda m: m["flops_per_second"].pop("f32"), "machine.flops_per_second: must have the key 'f32', but got none"),
        (lambda m: m["flops_per_second"].update(f64=m["flops_per_second"]["f32"]),
         "machine.flops_per_second: must have no key but those of the schema, but got 'f64'"),
        (lambda m: m["flops_per_second"]["bf16"].update(value=0), "machine.flops_per_second.bf16.value: must lie in [1e+09, 1e+18], but got 0"),
        (lambda m: m["flops_per_second"]["bf16"].update(value="9"), "machine.flops_per_second.bf16.value: must be a finite number, but got string"),
        (lambda m: m["bytes_per_second"].update(value=1e16), "machine.bytes_per_second.value: must lie in [1e+06, 1e+15], but got 1e+16"),
        (lambda m: m["bytes_per_second"].update(source=""), "machine.bytes_per_second.source: must not be blank, but is"),
        (lambda m: m["launch_us"].update(value=-1), "machine.launch_us.value: must lie in [0, 10000], but got -1")])
    def test_machine(self, run, step, tokens, tmp_path, change, message):
        """Told before the first step."""
        machine = json.loads((ROOT / "targets/sm_90a.json").read_text())
        change(machine)
        (tmp_path / "machine.json").write_text(json.dumps(machine))
        result = run(step, "--init", "random", "--tokens", "train.bin", "--steps", 2, "--profile", "--profile-machine", "machine.json",
                     "--profile-json", "profile.json", fails=f"machine.json: {message}")
        assert "step " not in result.stderr

    def test_machine_file(self, run, step, tokens, tmp_path):
        common = (step, "--init", "random", "--tokens", "train.bin", "--profile", "--profile-machine")
        run(*common, "none.json", fails="none.json: must be readable")
        (tmp_path / "list.json").write_text("[]")
        run(*common, "list.json", fails="list.json: machine: must be an object, but got array")
        (tmp_path / "text.json").write_text("sm_90a")
        run(*common, "text.json", fails="text.json: must be valid JSON, but got a syntax error at byte")
        for path in sorted((ROOT / "targets").glob("*.json")):
            assert json.loads(path.read_text())["device"] in run(*common, path).stdout

    @pytest.mark.parametrize("option", ["--profile-machine", "--profile-json", "--profile-html"])
    def test_files_of_a_profile(self, run, step, tokens, option):
        run(step, "--init", "random", "--tokens", "train.bin", option, "x", fails=f"{option} requires --profile")

    def test_floor_of_no_profile(self, run, step, tokens):
        run(step, "--init", "random", "--tokens", "train.bin", "--profile-floor", fails="--profile-floor requires --profile")

    def test_nowhere_to_write_a_profile(self, run, step, tokens):
        for option in ("--profile-json", "--profile-html"):
            run(step, "--init", "random", "--tokens", "train.bin", "--profile", option, "no/where", fails="no/where: ")

    def test_full_disk(self, run, tokens, tmp_path):
        step = bigram(vocabulary=256).build(tmp_path / "wide.so")
        run(step, "--init", "random", "--tokens", "train.bin", "--steps", 1, "--metrics", "/dev/full", fails="must be written in full")
        run(step, "--init", "random", "--tokens", "train.bin", "--steps", 1, "--save", "saved")
        # The checkpoint that is there stays as it is.
        run(step, "--init", "random", "--tokens", "train.bin", "--steps", 2, "--save", "saved", limit=100_000,
            fails="saved/optimizer-step2.safetensors: must be written in full, but got: File too large")


class TestCompare:
    @pytest.mark.parametrize("work", ["f32", "bf16"])
    def test_same_graph_agrees(self, run, tmp_path, work):
        one, two = perceptron(work).build(tmp_path / "one.so"), perceptron(work).build(tmp_path / "two.so")
        output = run(one, "--compare", two, "--init", "random", "--stddev", 0.2).stdout
        assert "FAIL" not in output and f"{23 if work == 'bf16' else 19} of" in output

    @pytest.mark.parametrize("flaw, command", [("scale", "fc1"), ("kernel", "relu")])
    def test_names_the_first_that_disagrees(self, run, tmp_path, flaw, command):
        one = perceptron("bf16", flaw=flaw).build(tmp_path / "one.so")
        two = perceptron("bf16").build(tmp_path / "two.so")
        output = run(one, "--compare", two, "--init", "random", "--stddev", 0.2,
                     fails=f"eval command '{command}' must agree with the reference in its bf16[32, 40]").stdout
        # Every command starts from the reference's inputs, so the flaw stays where it is: once in eval, once in step.
        assert [line.split()[-1] for line in output.splitlines() if line.startswith("FAIL")] == [command] * 2

    def test_a_missing_rounding_shows_in_the_flips(self, run, tmp_path):
        module = perceptron("bf16")
        for k, (symbol, code) in enumerate(module.kernels):
            if "fmax" not in code and "narrow(b0[i])" in code and "b1[i] = narrow" in code:
                module.kernels[k] = symbol, code.replace("narrow(b0[i])", "(uint16_t)(*(uint32_t *)&b0[i] >> 16)")
        one, two = module.build(tmp_path / "one.so"), perceptron("bf16").build(tmp_path / "two.so")
        run(one, "--compare", two, "--init", "random", "--stddev", 0.2,
            fails="init command 'cast fc1.weight' must agree with the reference in its bf16[40, 24], but")

    def test_several_commands_of_one_dispatch(self, run, tmp_path):
        """One side transposes first, the other lets the gemm do so: one dispatch, compared where it ends."""
        def module(transposed, flaw=1.0):
            m = StepModule()
            a, b = m.bind("a", "parameter", "f32", [24, 40]), m.bind("b", "parameter", "f32", [40, 16])
            m.bind("loss", "loss", "f32", [])
            d = m.temporary("f32", [24, 16])
            if transposed:
                t = m.temporary("f32", [40, 24])
                m.kernel("step", "transpose", [a], [t], 24 * 40, "b1[i % 40 * 24 + i / 40] = b0[i];")["id"] = "product"
                m.gemm("step", "gemm", t, b, d, 24, 16, 40, transpose_a=True, alpha=flaw)["id"] = "product"
            else:
                m.gemm("step", "gemm", a, b, d, 24, 16, 40)["id"] = "product"
            return m
        plain = module(False).build(tmp_path / "plain.so")
        turned = module(True).build(tmp_path / "turned.so")
        wrong = module(True, 1.001).build(tmp_path / "wrong.so")
        assert "1 of 1 outputs agree" in run(turned, "--compare", plain, "--init", "random").stdout
        assert "1 of 1 outputs agree" in run(plain, "--compare", turned, "--init", "random").stdout
        run(wrong, "--compare", plain, "--init", "random", fails="step command 'gemm' must agree")

    @pytest.mark.parametrize("dtype, flaw, expected", [("i8", "-3", "-3 instead of 2"), ("i1", "1", "1 instead of 0"),
                                                       ("i32", "1 << 30", "1073741824 instead of 2"),
                                                       ("i64", "1ll << 40", "1099511627776 instead of 2")])
    def test_integers(self, run, tmp_path, dtype, flaw, expected):
        """Codes of 8 bits too: equal or not, whatever reads them."""
        def module(third):
            m = StepModule()
            w = m.bind("w", "parameter", "f32", [2, 4])
            m.bind("loss", "loss", "f32", [])
            code, held = "0" if dtype == "i1" else "2", m.temporary(dtype, [2, 4])
            m.kernel("step", "encode", [w], [held], 8, f"b1[i] = i == 5 ? {third or code} : {code};")
            m.kernel("step", "decode", [held], [m.temporary("f32", [2, 4])], 8, "b1[i] = b0[i];")
            return m.build(tmp_path / ("wrong.so" if third else "right.so"))
        right, wrong = module(None), module(flaw)
        assert "2 of 2 outputs agree" in run(right, "--compare", right, "--init", "random").stdout
        output = run(wrong, "--compare", right, "--init", "random",
                     fails=f"step command 'encode' must agree with the reference in its {dtype}[2, 4], but got {expected} at element 5").stdout
        assert f"{dtype} " in output and "1 of 2 outputs agree" in output

    def test_fp4(self, run, tmp_path):
        """Two elements to a byte of what a product reads as e2m1, and only of that."""
        def module(byte):
            m = StepModule()
            w = m.bind("w", "parameter", "f32", [32])
            m.bind("loss", "loss", "f32", [])
            a, codes = m.temporary("i8", [2, 16]), m.temporary("i8", [2, 16])
            scales = m.constant(np.full((1, 1, 32, 16), 0x38, np.uint8), "f8E4M3FN")
            one = m.constant(np.ones(1, np.float32), "f32")
            m.kernel("step", "quantize", [w], [a], 32, f"b1[i] = i == 17 ? {byte} : 0x23;")
            m.kernel("step", "encode", [w], [codes], 32, "b1[i] = 0x23;")
            m.gemm("step", "product", a, a, m.temporary("f32", [2, 2]), 2, 2, 32, transpose_b=True, scale_a=scales, scale_b=scales,
                   scaling_a="nvfp4_1x16", scaling_b="nvfp4_1x16",
                   tensor_scale_a=one, tensor_scale_b=one)
            return m.build(tmp_path / f"{byte}.so")
        right, wrong = module("0x23"), module("0x73")
        assert "3 of 3 outputs agree" in run(right, "--compare", right, "--init", "random").stdout
        output = run(
            wrong,
            "--compare",
            right,
            "--init",
            "random",
            fails="step command 'quantize' must agree with the reference in its f4E2M1FN[2, 32], but got 6 instead of 1 at element 35",
        ).stdout
        assert [line.split()[3] for line in output.splitlines() if line.startswith(("ok", "FAIL"))] == ["f4E2M1FN", "i8", "f32"]

    def test_operands_that_do_not_match(self, run, tmp_path):
        def module(dtype):
            m = StepModule()
            w = m.bind("w", "parameter", "f32", [8])
            m.bind("loss", "loss", "f32", [])
            m.kernel("step", "cast", [w], [m.temporary(dtype, [8])], 8, "b1[i] = b0[i];")
            return m
        run(module("f32").build(tmp_path / "one.so"), "--compare", module("bf16").build(tmp_path / "two.so"), "--init", "random",
            fails="dispatch 'cast': outputs must be the same on both targets, but got bf16[8] and f32[8]")

    def test_different_graphs(self, run, step, tmp_path):
        run(perceptron().build(tmp_path / "one.so"), "--compare", step, "--init", "random",
            fails="must have the same dispatches in both modules")

    def test_tokens(self, run, step, tokens):
        assert "8 of 8 outputs agree" in run(step, "--compare", step, "--init", "random", "--tokens", "train.bin").stdout


def test_threads_and_device(run, step, tokens, tmp_path):
    for threads in (1, 3):
        run(step, "--init", "random", "--tokens", "train.bin", "--steps", 5, "--threads", threads, "--save", f"c{threads}")
    one, three = ({file.name: file.read_bytes() for file in (tmp_path / f"c{threads}").glob("*.safetensors")} for threads in (1, 3))
    assert one == three and len(one) == 2
    run(step, "--init", "random", "--device", 1, fails="a module for the CPU must be opened on device 0, but got 1")
    run(step, "--init", "random", "--threads", 20000, fails="a module must have at most 16384 threads, but got 20000")
    run(step, "--init", "random", "--threads", 0, fails="--threads")
    run(step, "--init", "random", "--device", -1, fails="--device")
    # Each of several targets takes what is its own.
    assert "outputs agree" in run(step, "--compare", step, "--init", "random", "--device", 1, "--threads", 2).stdout
