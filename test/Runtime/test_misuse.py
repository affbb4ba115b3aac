# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls, options and files that nobody meant: an error that says what to do, and nothing is changed, lost or read out
of place."""
import copy
import ctypes as c
import json
import os
import pickle
import resource
import subprocess
import threading
import time

import numpy as np
import pytest
from models import bigram, perceptron
from module_hash import stamp_file
from safetensors.numpy import save_file
from step_module import StepModule

import prec
from prec import _contract as contract, _runtime as rt
from prec.module import Module, RuntimeFailure

IDS = np.arange(32, dtype=np.int32).reshape(2, 16)
BATCH = {"input_ids": IDS, "targets": IDS}


@pytest.fixture
def run(build, tmp_path):
    (np.arange(4000) % 64).astype(np.uint16).tofile(tmp_path / "train.bin")
    bigram().build(tmp_path / "step.so")

    def run_(*arguments, fails=None, module="step.so", memory=resource.RLIM_INFINITY):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        done = subprocess.run([build / "prec-run", module, *map(str, arguments)], cwd=tmp_path, capture_output=True, preexec_fn=limit, timeout=60)
        error = done.stderr.decode(errors="replace")
        assert done.returncode == (0 if fails is None else 1), error
        assert fails is None or fails in error, error
        return error

    return run_


class TestNothingEscapes:
    """Of exceptions of the standard library, and of JSON."""

    @pytest.mark.parametrize(
        "text, message",
        [
            ('{"abi": 1e999}', "manifest must be valid JSON, but got"),
            ('{"abi": 1, "abi": 2}', "manifest must have each name once in an object, but got 'abi' twice"),
            ('{"a": [{"b": 1}, {"b": 1, "c": {"d": 1}, "b": 2}]}', "each name once in an object, but got 'b' twice"),
            ("[" * 300 + "]" * 300, "manifest must have at most 100 levels, but got more"),
        ],
    )
    def test_manifests(self, run, tmp_path, text, message):
        (tmp_path / "text.json").write_text(text)
        subprocess.run(["objcopy", "--update-section", f".prec.manifest={tmp_path}/text.json", tmp_path / "step.so", tmp_path / "bad.so"], check=True)
        stamp_file(tmp_path / "bad.so")
        run("--inspect", module="bad.so", fails=message)

    def test_an_index_with_a_name_twice(self, run, tmp_path):
        run("--init", "random", "--tokens", "train.bin", "--steps", 1, "--save", "ck")
        path = tmp_path / "ck/model.safetensors.index.json"
        path.write_text(path.read_text().replace('"metadata"', '"metadata": {}, "metadata"', 1))
        run("--resume", "ck", "--tokens", "train.bin", "--steps", 2, fails="ck/model.safetensors.index.json: must have each name once in an object")

    def test_no_memory(self, run, tmp_path):
        (tmp_path / "ck").mkdir()
        (tmp_path / "ck/model.safetensors.index.json").write_text('{"weight_map": [' + "[]," * 40_000_000 + "1]}")
        run("--resume", "ck", fails="must have at most 16777216 names and values, but got more", memory=1200 << 20)
        header = json.dumps({"a": {"dtype": "F32", "shape": [1 << 38], "data_offsets": [0, 1 << 40]}}).encode()
        with open(tmp_path / "w.safetensors", "wb") as file:
            file.write(len(header).to_bytes(8, "little") + header)
            file.truncate(8 + len(header) + (1 << 40))
        run("--weights", "w.safetensors", fails="must not run out of resources, but got: std::bad_alloc", memory=1200 << 20)

    def test_a_path_that_is_no_text(self, run, tmp_path):
        one = perceptron().build(tmp_path / "one.so")
        name = b"\xff\xfe.so"
        os.link(one, os.fsencode(tmp_path) + b"/" + name)
        run("--verify", os.fsdecode(name), "--init", "random", "--report", "report.json", module="one.so")
        assert json.loads((tmp_path / "report.json").read_bytes())

    def test_many_errors(self, run, tmp_path):
        """A message is no longer than its reader can bear."""
        header = json.dumps({str(i): {"dtype": "F32", "shape": [1] * 500, "data_offsets": [0, 9]} for i in range(5000)}).encode()
        (tmp_path / "w.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
        assert len(run("--weights", "w.safetensors", fails="and 4000 more are wrong")) < 500_000
        shape = json.dumps({"a": {"dtype": "F32", "shape": [1 << 61] * 1000, "data_offsets": [0, 4]}}).encode()
        (tmp_path / "w.safetensors").write_bytes(len(shape).to_bytes(8, "little") + shape + bytes(4))
        assert len(run("--weights", "w.safetensors", fails="shape times dtype must fit 64 bits, but got [2305843009213693952, ")) < 1000


class TestPaths:
    def test_empty_values(self, run):
        for option in ("--save", "--tokens", "--metrics", "--weights", "--resume", "--fallback"):
            run("--steps", 1, option, "", fails=f"{option} must have a value, but got an empty one")

    @pytest.mark.parametrize("option", ["--metrics", "--report", "--profile-json", "--collect-numerics"])
    @pytest.mark.parametrize("name", ["train.bin", "step.so", "sub/../train.bin", "linked.bin", "hard.bin"])
    def test_inputs_are_not_overwritten(self, run, tmp_path, option, name):
        (tmp_path / "sub").mkdir()
        (tmp_path / "linked.bin").symlink_to("train.bin")
        os.link(tmp_path / "train.bin", tmp_path / "hard.bin")
        before = (tmp_path / name).read_bytes()
        more = {"--report": ["--verify", "step.so"], "--profile-json": ["--profile"]}.get(option, [])
        run("--init", "random", "--tokens", "train.bin", "--steps", 1, *more, option, name,
            fails=f"{option} must be written to a file of its own, but '{name}' is ")
        assert (tmp_path / name).read_bytes() == before

    def test_outputs_are_apart(self, run):
        run(
            "--init",
            "random",
            "--tokens",
            "train.bin",
            "--steps",
            1,
            "--profile",
            "--profile-json",
            "a",
            "--metrics",
            "./a",
            fails="--profile-json must be written",
        )
        run("--init", "random", "--tokens", "train.bin", "--steps", 1, "--profile", "--profile-json", "b", "--metrics", "/dev/null")

    def test_numbers(self, run):
        for value in ("nan", "inf", "-1", "0", "1e39"):
            run("--init", "random", "--stddev", value, fails="a standard deviation must lie in (0, 3e38], but got")


def test_a_token_file_that_is_cut_off(build, tmp_path):
    """A line, not a signal; what was trained is saved."""
    (np.arange(40_000) % 64).astype(np.uint16).tofile(tmp_path / "train.bin")
    bigram().build(tmp_path / "step.so")
    process = subprocess.Popen(
        [build / "prec-run", "step.so", "--init", "random", "--tokens", "train.bin", "--steps", "1000000000", "--save", "ck", "--metrics", "m"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (tmp_path / "m").exists():
        time.sleep(0.01)
    os.truncate(tmp_path / "train.bin", 100)
    error = process.communicate(timeout=60)[1]
    assert process.returncode == 1 and "train.bin: must stay as it is while it is read, but byte " in error
    assert "is saved in ck" in error and (tmp_path / "ck/model.safetensors.index.json").exists()


@pytest.mark.parametrize("end, left", [(b'{"step":2,"lo', b""), (b'{"step":2}', b'{"step":2}\n'), (b"note", b"note\n"), (b"", b"")])
def test_metrics_go_on_in_lines(run, tmp_path, end, left):
    common = ("--tokens", "train.bin", "--metrics", "m.jsonl")
    run(*common, "--init", "random", "--steps", 1, "--save", "ck")
    first = (tmp_path / "m.jsonl").read_bytes()
    (tmp_path / "m.jsonl").write_bytes(first + end)
    run(*common, "--resume", "ck", "--steps", 3)
    text = (tmp_path / "m.jsonl").read_bytes()
    assert text.startswith(first + left) and [json.loads(line)["step"] for line in text[len(first + left):].splitlines()] == [2, 3]


class TestHyperParameters:
    @pytest.mark.parametrize(
        "name, value",
        [
            ("lr", 3e38),
            ("lr", -1),
            ("lr", np.nan),
            ("lr", np.inf),
            ("lr", 1e7),
            ("beta1", 1),
            ("beta1", 2),
            ("beta2", -1),
            ("momentum", 1.5),
            ("eps", -1e-8),
            ("weight_decay", np.nan),
            ("weight_decay", -0.1),
            ("other", np.inf),
            ("beta1.1", 1),
        ],
    )
    def test_ranges(self, tmp_path, open_module, name, value):
        """By either way to set one; NaN is in no range."""
        step = StepModule()
        step.bind(name, "hyper", "f32", [], default=0.5)
        loss = step.bind("loss", "loss", "f32", [])
        step.command("step", "fill", "zero", [], [loss], dst=loss)
        module = open_module(step.build(tmp_path / "step.so"))
        for set_it in (lambda: module.set_hyper(**{name: value}), lambda: module.set(name, np.float32(value))):
            with pytest.raises(RuntimeFailure, match=f"hyper-parameter '{name.split('.')[0]}' must (lie in|be a finite)"):
                set_it()
        assert module.get(name) == 0.5

    def test_no_bound_of_the_norm(self, tmp_path, open_module):
        step = StepModule()
        step.bind("max_norm", "hyper", "f32", [], default="inf")
        loss = step.bind("loss", "loss", "f32", [])
        step.command("step", "fill", "zero", [], [loss], dst=loss)
        module = open_module(step.build(tmp_path / "step.so"))
        module.set_hyper(max_norm=1)
        module.set_hyper(max_norm=np.inf)
        assert np.isinf(module.get("max_norm"))

    @pytest.mark.parametrize("stddev", [np.nan, np.inf, -1])
    def test_deviation(self, tmp_path, open_module, stddev):
        module = open_module(bigram().build(tmp_path / "step.so"))
        with pytest.raises(RuntimeFailure, match="a standard deviation must be finite and not negative"):
            module.init_random(stddev=stddev)


class TestCAbi:
    """Pointers and shapes that C lets through."""

    @pytest.fixture
    def opened(self, tmp_path, open_module, library):
        module = open_module(bigram().build(tmp_path / "step.so"), pad_batches=True)
        module.init_random()
        return module

    @staticmethod
    def tensors(*shapes, dtype=contract.I64, data=True, name=b"input_ids"):
        kept = np.zeros(64, np.int64)
        tensors = (rt.Tensor * 2)()
        for tensor, each, shape in zip(tensors, (name, b"targets"), shapes):
            tensor.name, tensor.dtype, tensor.rank = each, dtype, len(shape)
            tensor.shape = (c.c_int64 * len(shape))(*shape)
            tensor.data = kept.ctypes.data if data else None
        tensors.kept = kept
        return tensors

    @pytest.mark.parametrize("shape", [(-3, 16), (-2**62, 16), (2**62, 2**62), (-1, -1), (2**63 - 1, 2)])
    @pytest.mark.parametrize("dtype", [contract.I32, contract.I64])
    def test_shapes(self, opened, shape, dtype):
        with pytest.raises(RuntimeFailure, match="'input_ids': a tensor's shape must be of dimensions that are not negative"):
            opened._call("step", self.tensors(shape, shape, dtype=dtype), 2, None)

    def test_ranks_and_pointers(self, opened):
        call = opened._call
        for message, arguments in {
            "'input_ids': a tensor's data must be given": ("step", self.tensors((2, 16), (2, 16), data=False), 2, None),
            "the name of a batch's tensor must be given": ("step", self.tensors((2, 16), (2, 16), name=None), 2, None),
            "a batch must be given, but got null": ("eval", None, 2, None),
            "a value must be given": ("set", 0, None),
            "a name must be given": ("find_binding", None, c.byref(c.c_size_t())),
            "a place for the index": ("find_binding", b"lr", None),
            "a place for the binding": ("get_binding", 0, None),
            "a target must be given": ("get", 0, None),
            "a place for the profile": ("profile", None, 0, None, None),
            "a place for the rank must be given": ("find_slice", 0, 0, None),
            r"rank must be in \[0, 1\), but got 7": ("find_batch", 7, c.byref(c.c_int32())),
            r"rank must be in \[0, 1\), but got 1": ("find_slice", 0, 1, c.byref(c.c_int32())),  # slice_c1
            r"rank must be in \[0, 1\), but got -1": ("place_slice", 0, -1, None, 0, None, 0),
            "a slice and its tensor must have .* bytes, but got 3 and 0": ("place_slice", 0, 0, None, 3, None, 0),  # slice_c2
            "a path must be given": ("load", None), "a folder must be given": ("save_checkpoint", None, 0),
        }.items():
            with pytest.raises(RuntimeFailure, match=message):
                call(*arguments)
        tensor = rt.Tensor(dtype=contract.F32, rank=1 << 40, shape=(c.c_int64 * 1)(1))
        with pytest.raises(RuntimeFailure, match="rank must be at most 64"):
            call("set", 0, c.byref(tensor))
        with pytest.raises(RuntimeFailure, match="a module must be given"):
            opened._library.call("init", None)
        assert opened._library.num_bindings(None) == 0 and opened._library.notes(None) == ""

    def test_a_shorter_batch_names_what_completes_it(self, tmp_path, open_module):
        module = open_module(bigram().build(tmp_path / "step.so"))
        module.init_random()
        with pytest.raises(
            RuntimeFailure, match=r"must have shape \[2, 16\], but got \[1, 16\].*rows that are missing can be completed: see pad_batches"
        ):
            module.step({"input_ids": IDS[:1], "targets": IDS[:1]})
        with pytest.raises(RuntimeFailure) as failure:
            module.step({"input_ids": IDS[:, :3], "targets": IDS})
        assert "pad_batches" not in str(failure.value)


def test_a_refused_step_leaves_the_batch(tmp_path, open_module):
    """The next micro-batch without one takes that of before."""
    step = bigram()
    step.manifest["entry_points"] |= {"accumulate": [command for command in step.manifest["entry_points"]["eval"]], "apply": []}
    module = open_module(step.build(tmp_path / "step.so"))
    module.init_random()
    first = module.accumulate(BATCH)["loss"]
    with pytest.raises(RuntimeFailure, match="a whole step must come between steps"):
        module.step({name: IDS * 0 for name in BATCH})
    assert module.accumulate()["loss"] == first
    np.testing.assert_array_equal(module.get("input_ids"), IDS)


class TestPython:
    @pytest.fixture
    def slow(self, tmp_path, open_module):
        """A module whose step takes a while."""
        step = bigram()
        symbol, code = step.kernels[0]
        step.kernels[0] = symbol, "#include <unistd.h>\n" + code.replace("for (int64_t i", "if (begin == 0) usleep(400000); for (int64_t i", 1)
        module = open_module(step.build(tmp_path / "step.so"))
        module.init_random()
        return module

    def test_two_threads(self, slow):
        results = []
        thread = threading.Thread(target=lambda: results.append(slow.step(BATCH)["step"]))
        thread.start()
        time.sleep(0.1)
        for call in (lambda: slow.eval(BATCH), slow.close, lambda: slow.get("lr"), lambda: slow.manifest, lambda: slow.set_hyper(lr=1)):
            with pytest.raises(RuntimeFailure, match="must be used from one thread at a time, but another thread's call on it has not returned"):
                call()
        with pytest.raises(RuntimeFailure, match="must be used from one thread at a time, but another call on it has not returned"):
            slow._library.call("init", slow._handle)
        thread.join()
        assert results == [1] and slow.step(BATCH)["step"] == 2

    def test_copies(self, slow):
        for copied in (copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="a module cannot be copied"):
                copied(slow)
        with pytest.raises(TypeError, match="a module cannot be pickled"):
            pickle.dumps(slow)

    def test_the_exception_is_public(self, library, tmp_path):
        with pytest.raises(prec.RuntimeFailure):
            prec.Module(tmp_path / "none.so", library=library)
        Module.__new__(Module).__del__()

    def test_views_that_are_only_noted(self, tmp_path, open_module):
        torch = pytest.importorskip("torch")
        module = open_module(perceptron().build(tmp_path / "step.so"))
        values = torch.randn(32, 24, dtype=torch.complex64)
        module.set("x", values.conj().imag)
        np.testing.assert_array_equal(module.get("x"), -values.imag.numpy())

    def test_masks_and_zero_bytes(self, slow, tmp_path):
        with pytest.raises(TypeError, match="arrays must be whole, but got one with a mask"):
            slow.step({"input_ids": np.ma.masked_array(IDS, IDS > 3), "targets": IDS})
        for call in (lambda: slow.step({"input_ids\0": IDS, "targets": IDS}), lambda: slow.binding("lr\0x"), lambda: slow.set_hyper(**{"lr\0": 1}),
                     lambda: slow.save(f"{tmp_path}/a\0b")):
            with pytest.raises(RuntimeFailure, match="must not hold zero bytes"):
                call()


def test_weights_that_are_cut_off_meanwhile(tmp_path, open_module):
    """Read, not mapped."""
    module = open_module(bigram().build(tmp_path / "step.so"))
    save_file({"table.weight": np.zeros((64, 64), np.float32)}, tmp_path / "w.safetensors")
    data = (tmp_path / "w.safetensors").read_bytes()
    (tmp_path / "w.safetensors").write_bytes(data[:-1])
    with pytest.raises(RuntimeFailure, match="data_offsets must lie in 16383 bytes"):
        module.load(tmp_path / "w.safetensors")
