# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights and checkpoints: exact, complete or refused; every way in which a file may be wrong."""
import json
import os
import resource
import struct
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from models import bigram
from safetensors.numpy import load_file, save_file
from step_module import StepModule

from prec.module import RuntimeFailure


def weights(seed=0):
    random = np.random.default_rng(seed)
    return {"table.weight": random.standard_normal((64, 64)).astype(np.float32),
            "norm.weight": random.standard_normal(64).astype(np.float32), "head.bias": random.standard_normal(64).astype(np.float32)}


@pytest.fixture(scope="module")
def step(tmp_path_factory):
    return bigram().build(tmp_path_factory.mktemp("bigram") / "step.so")


@pytest.fixture
def module(step, open_module):
    return open_module(step)


def raw(header, data=b"", size=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if size is None else size) + text + data


def refuse(module, path, message):
    """Loading fails with every line of the message, and changes nothing."""
    module.init_random(seed=9)
    before = {b.name: module.get(b).tobytes() for b in module.bindings if b.role in ("parameter", "buffer")}
    with pytest.raises(RuntimeFailure) as failure:
        module.load(path)
    for line in [message] if isinstance(message, str) else message:
        assert line in str(failure.value)
    assert all(line.startswith(str(path)) for line in str(failure.value).splitlines())
    assert before == {b.name: module.get(b).tobytes() for b in module.bindings if b.role in ("parameter", "buffer")}
    return str(failure.value)


class TestLoad:
    @pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
    def test_dtypes_load_exactly(self, module, tmp_path, dtype):
        import torch
        from safetensors.torch import save_file as save_torch
        torch_dtype = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}[np.dtype(dtype).name]
        expected = {n: torch.from_numpy(w).to(torch_dtype) for n, w in weights().items()}
        save_torch(expected, tmp_path / "w.safetensors")
        module.load(tmp_path / "w.safetensors")
        for name, weight in expected.items():
            np.testing.assert_array_equal(module.get(name), weight.float().numpy())

    def test_save_is_what_was_loaded(self, module, tmp_path):
        save_file(weights(), tmp_path / "w.safetensors")
        module.load(tmp_path / "w.safetensors")
        module.save(tmp_path / "out.safetensors")
        saved = load_file(tmp_path / "out.safetensors")
        assert saved.keys() == weights().keys()
        for name, weight in weights().items():
            np.testing.assert_array_equal(saved[name], weight)
        from safetensors import safe_open
        with safe_open(tmp_path / "out.safetensors", "np") as file:
            assert file.metadata() == {"format": "pt"}

    def test_alias(self, module, tmp_path):
        w = weights()
        w["head.weight"] = w.pop("table.weight")
        save_file(w, tmp_path / "w.safetensors")
        module.load(tmp_path / "w.safetensors")
        np.testing.assert_array_equal(module.get("head.weight"), w["head.weight"])
        w["table.weight"] = w["head.weight"].copy()
        save_file(w, tmp_path / "w.safetensors")
        module.load(tmp_path / "w.safetensors")
        w["table.weight"][3, 4] += 1
        save_file(w, tmp_path / "w.safetensors")
        refuse(module, tmp_path / "w.safetensors", "that it is tied to, but differs")

    def test_buffer_may_be_in_the_file(self, module, tmp_path):
        save_file(weights() | {"inv_freq": np.full(4, 0.5, np.float32)}, tmp_path / "w.safetensors")
        module.load(tmp_path / "w.safetensors")
        np.testing.assert_array_equal(module.get("inv_freq"), np.full(4, 0.5))

    def test_loading_starts_a_new_training(self, module, tmp_path):
        save_file(weights(), tmp_path / "w.safetensors")
        ids = np.zeros((2, 16), np.int32)
        runs = []
        for _ in range(2):
            module.load(tmp_path / "w.safetensors")
            runs.append([module.step({"input_ids": ids, "targets": ids}) for _ in range(3)])
        assert runs[0] == runs[1] and runs[0][-1]["seen_step"] == 3

    def test_all_differences_at_once(self, module, tmp_path):
        w = weights()
        w["table.weight"] = w["table.weight"][:, :60].copy()
        w["head.bias"] = w["head.bias"].astype(np.int32)
        del w["norm.weight"]
        w["more.weight"] = np.zeros(3, np.float32)
        save_file(w, tmp_path / "w.safetensors")
        message = refuse(module, tmp_path / "w.safetensors", [
            "tensor 'table.weight': must have shape [64, 64], but got [64, 60]",
            "tensor 'head.bias': must have a dtype that converts to f32, but got I32",
            "tensor 'norm.weight': must be in the file, but is missing",
            "tensor 'more.weight': must be in the module, but is not"])
        assert len(message.splitlines()) == 4

    def test_a_narrow_binding_holds_weights_rounded(self, tmp_path, open_module):
        import ml_dtypes
        m = StepModule()
        w = m.bind("w", "frozen_parameter", "bf16", [4])
        m.bind("loss", "loss", "f32", [])
        m.kernel("step", "nothing", [w], [m.temporary("bf16", [4])], 4, "b1[i] = b0[i];")
        module = open_module(m.build(tmp_path / "narrow.so"))
        for values in ([1, 2, 3, 4], [1, 2, 3.0001, 4], [1 + 2**-8, 1 + 3 * 2**-8, -1e-40, 3.4e38]):
            weights = np.array(values, np.float32)
            save_file({"w": weights}, tmp_path / "w.safetensors")
            module.load(tmp_path / "w.safetensors")
            np.testing.assert_array_equal(module.get("w", "float32"), weights.astype(ml_dtypes.bfloat16).astype(np.float32))
        # A checkpoint goes on bit for bit, or not at all.
        module.save_checkpoint(tmp_path / "saved")
        save_file({"w": np.array([1, 2, 3.0001, 4], np.float32)}, tmp_path / "saved/model-step0.safetensors",
                  {"step": "0", "data_position": "0"})
        with pytest.raises(RuntimeFailure, match="must be exact in bf16, but got 3.000100 at position 2"):
            module.load(tmp_path / "saved")


def entry(shape, begin, end, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


MALFORMED = {
    "empty file": (b"", "at least 8 bytes, but got 0"),
    "seven bytes": (b"\0" * 7, "at least 8 bytes, but got 7"),
    "header over 100 MB": (raw(b"{}", size=100_000_001), "header must be at most 100000000 bytes, but got 100000001"),
    "header of 2^63": (raw(b"{}", size=1 << 63), "header must be at most"),
    "header past the end": (raw(b"{}", size=99), "header of 99 bytes must lie in the file, but it has 10 bytes"),
    "no object": (raw(b"[1]"), "header must be a JSON object"),
    "empty header": (raw(b""), "header must be a JSON object"),
    "truncated json": (raw(b'{"a": {"dtype": '), "valid JSON"),
    "text after json": (raw(b"{} {}"), "valid JSON"),
    "not utf-8": (raw(b'{"\xff": 1}'), "valid JSON"),
    "deep nesting": (raw(b'{"a": {"shape": ' + b"[" * 100_000), "arrays must be shapes and offsets"),
    "deep objects": (raw(b'{"a":' * 100_000), "objects of two levels"),
    "tensor is a number": (raw({"a": 5}), "numbers must stand in shapes and offsets, but got 5"),
    "tensor is null": (raw({"a": None}), "must not be null"),
    "tensor is true": (raw({"a": True}), "must not be booleans"),
    "tensor is text": (raw({"a": "x"}), "tensors must be objects"),
    "metadata is text": (raw({"__metadata__": "x"}), "tensors must be objects"),
    "metadata of numbers": (raw({"__metadata__": {"a": 1}}), "numbers must stand in shapes"),
    "negative offset": (raw({"a": entry([1], -4, 0)}, b"\0" * 4), "tensor 'a': shapes and offsets must not be negative, but got -4"),
    "negative shape": (raw({"a": entry([-1], 0, 4)}, b"\0" * 4), "must not be negative, but got -1"),
    "fractional shape": (raw({"a": entry([1.5], 0, 4)}, b"\0" * 4), "must be integers, but got 1.5"),
    "unknown dtype": (raw({"a": entry([1], 0, 4, "F31")}, b"\0" * 4), "tensor 'a': dtype must be one of safetensors', but got 'F31'"),
    "no dtype": (raw({"a": {"shape": [1], "data_offsets": [0, 4]}}, b"\0" * 4), "dtype must be one of"),
    "no shape": (raw({"a": {"dtype": "F32", "data_offsets": [0, 4]}}, b"\0" * 4), "must have shape and two data_offsets"),
    "no offsets": (raw({"a": {"dtype": "F32", "shape": [1]}}, b"\0" * 4), "must have shape and two data_offsets"),
    "three offsets": (raw({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4, 8]}}, b"\0" * 4), "two data_offsets"),
    "offsets descend": (raw({"a": entry([1], 4, 0)}, b"\0" * 4), "data_offsets must ascend, but got [4, 0]"),
    "offsets past the end": (raw({"a": entry([2], 0, 8)}, b"\0" * 4), "must lie in 4 bytes of data, but got [0, 8]"),
    "offsets of 2^64": (raw(b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,18446744073709551615]}}', b"\0" * 4), "must lie in 4 bytes"),
    "offsets beyond 2^64": (raw(b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,99999999999999999999]}}', b"\0" * 4), "must be integers"),
    "shape overflows": (raw({"a": entry([1 << 40, 1 << 40], 0, 4)}, b"\0" * 4), "must fit 64 bits, but got [1099511627776, 1099511627776]"),
    "shape wraps to the right size": (raw({"a": entry([(1 << 62) + 1], 0, 4)}, b"\0" * 4), "must fit 64 bits"),
    "shape wraps by zero": (raw({"a": entry([1 << 63, 2, 0], 0, 0)}), "must fit 64 bits"),
    "shape differs from offsets": (raw({"a": entry([3], 0, 4)}, b"\0" * 4), "must equal the bytes of data_offsets, but got 12 and 4"),
    "overlap": (
        raw({"a": entry([2], 0, 8), "b": entry([2], 4, 12)}, b"\0" * 12),
        "tensor 'b': data must begin at 8 where the previous tensor ends, but overlaps it at 4",
    ),
    "same bytes twice": (raw({"a": entry([2], 0, 8), "b": entry([2], 0, 8)}, b"\0" * 8), "overlaps it at 0"),
    "gap": (raw({"a": entry([1], 0, 4), "b": entry([1], 8, 12)}, b"\0" * 12), "but leaves a gap until 8"),
    "trailing bytes": (raw({"a": entry([1], 0, 4)}, b"\0" * 7), "but 3 bytes trail"),
    "duplicate tensor": (
        raw(b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}', b"\0" * 8),
        "names must be unique, but got 'a' twice",
    ),
    "duplicate key": (
        raw(b'{"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}}', b"\0" * 4),
        "must be unique, but got 'dtype' twice",
    ),
    "name of two lines": (raw({"a\nprec-run: ok": entry([1], 0, 4)}, b"\0" * 4), "must not hold control characters, but got code 10"),
    "several": (
        raw({"a": entry([3], 0, 4), "b": entry([1], 4, 8, "F31"), "c": entry([1], 8, 99)}, b"\0" * 8),
        ["tensor 'a': shape times dtype", "tensor 'b': dtype must be", "tensor 'c': data_offsets must lie"],
    ),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed(module, tmp_path, case):
    data, message = MALFORMED[case]
    path = tmp_path / "bad.safetensors"
    path.write_bytes(data)
    refuse(module, path, message)


def test_empty_tensors_and_scalars(tmp_path, open_module):
    m = StepModule()
    m.bind("empty", "parameter", "f32", [0, 4])
    m.bind("scalar", "parameter", "f32", [])
    m.bind("loss", "loss", "f32", [])
    module = open_module(m.build(tmp_path / "step.so"))
    save_file({"empty": np.zeros((0, 4), np.float32), "scalar": np.array(3, np.float32)}, tmp_path / "w.safetensors")
    module.load(tmp_path / "w.safetensors")
    module.save(tmp_path / "out.safetensors")
    assert load_file(tmp_path / "out.safetensors")["scalar"] == 3


def test_random_damage_never_crashes(build, step, tmp_path):
    """Flipped bytes, cuts and insertions: an error or a load, in a process of its own."""
    save_file(weights(), tmp_path / "w.safetensors")
    script = f"""
import sys, pathlib, random
sys.path.insert(0, {str(pathlib_root())!r})
from prec.module import Module, RuntimeFailure
module = Module({str(step)!r}, library={str(build / 'libprec-rt.so')!r})
good = pathlib.Path({str(tmp_path / 'w.safetensors')!r}).read_bytes()
header = 8 + int.from_bytes(good[:8], "little")
path = pathlib.Path({str(tmp_path / 'bad.safetensors')!r})
rng, loaded, refused = random.Random(1), 0, 0
for _ in range(1500):
    data = bytearray(good)
    for _ in range(rng.randint(1, 4)):
        kind, place = rng.randint(0, 3), rng.randrange(min(header, len(data)))
        if kind <= 1: data[place] = rng.randrange(256)
        elif kind == 2: data = data[:rng.randrange(len(data))] or bytearray(b"x")
        else: data[place:place] = bytes([rng.randrange(32, 127)]) * rng.randint(1, 3)
    path.write_bytes(data)
    try: module.load(path); loaded += 1
    except RuntimeFailure: refused += 1
print(loaded, refused)
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    loaded, refused = map(int, result.stdout.split())
    assert refused > 1250 and loaded + refused == 1500


def pathlib_root():
    import pathlib

    import prec
    return pathlib.Path(prec.__file__).parent.parent


class TestSave:
    def test_unwritable(self, module, tmp_path):
        module.init_random()
        with pytest.raises(RuntimeFailure, match="must be writable, but got: No such file or directory"):
            module.save(tmp_path / "no" / "w.safetensors")
        with pytest.raises(RuntimeFailure, match="must be a folder to save in"):
            module.save_checkpoint(tmp_path / "no" / "checkpoint")

    def test_a_folder_is_not_replaced(self, module, tmp_path):
        module.init_random()
        (tmp_path / "w.safetensors").mkdir()
        with pytest.raises(RuntimeFailure, match="w.safetensors: must be "):
            module.save(tmp_path / "w.safetensors")
        assert list(tmp_path.glob("w.safetensors*")) == [tmp_path / "w.safetensors"]

    def test_a_device_is_not_replaced(self, module):
        module.init_random()
        with pytest.raises(RuntimeFailure, match="/dev/null: must be a regular file, but is none"):
            module.save("/dev/null")

    def test_full_disk_keeps_the_old_file(self, module, tmp_path):
        module.init_random(seed=1)
        module.save(tmp_path / "w.safetensors")
        module.save_checkpoint(tmp_path / "checkpoint")
        old = {p: p.read_bytes() for p in [tmp_path / "w.safetensors", *(tmp_path / "checkpoint").iterdir()]}
        module.init_random(seed=2)
        import signal
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, limit[1]))
        try:
            with pytest.raises(RuntimeFailure, match="must be written in full, but got: File too large"):
                module.save(tmp_path / "w.safetensors")
            with pytest.raises(RuntimeFailure, match="must be written in full"):
                module.save_checkpoint(tmp_path / "checkpoint")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
            signal.signal(signal.SIGXFSZ, handler)
        assert old == {p: p.read_bytes() for p in old}
        assert sorted(os.listdir(tmp_path / "checkpoint")) == [
            "model-step0.safetensors",
            "model.safetensors.index.json",
            "optimizer-step0.safetensors",
        ]
        assert not [p for p in os.listdir(tmp_path) if "writing" in p]


class TestCheckpoint:
    @pytest.fixture
    def saved(self, module, tmp_path):
        module.init_random(seed=1)
        ids = np.zeros((2, 16), np.int32)
        module.step({"input_ids": ids, "targets": ids})
        module.save_checkpoint(tmp_path / "c", data_position=32)
        return tmp_path / "c"

    def test_contents(self, module, saved):
        state = load_file(saved / "optimizer-step1.safetensors")
        assert list(state) == ["optimizer.exp_avg.table.weight"]
        np.testing.assert_array_equal(state["optimizer.exp_avg.table.weight"], module.get("table.weight.exp_avg"))
        from safetensors import safe_open
        with safe_open(saved / "optimizer-step1.safetensors", "np") as file:
            assert file.metadata()["step"] == "1" and file.metadata()["data_position"] == "32"

    def test_halves_of_two_checkpoints(self, module, saved):
        first = (saved / "model-step1.safetensors").read_bytes()
        module.step()
        module.save_checkpoint(saved)
        (saved / "model-step2.safetensors").write_bytes(first)
        with pytest.raises(RuntimeFailure, match="both files must be of one step, but got 1 and 2"):
            module.load(saved)

    def test_differences(self, module, saved):
        for file, name in (("optimizer", "optimizer.exp_avg.table.weight"), ("model", "norm.weight")):
            tensors = load_file(saved / f"{file}-step1.safetensors")
            tensors["extra"] = tensors.pop(name)
            save_file(tensors, saved / f"{file}-step1.safetensors", {"step": "1", "data_position": "0"})
        with pytest.raises(RuntimeFailure) as failure:
            module.load(saved)
        assert len(str(failure.value).splitlines()) == 4

    @pytest.mark.parametrize("value", ["", "-1", "x", "1x", "99999999999999999999"])
    def test_metadata(self, module, saved, value):
        save_file(load_file(saved / "optimizer-step1.safetensors"), saved / "optimizer-step1.safetensors", {"step": value, "data_position": "0"})
        with pytest.raises(RuntimeFailure, match="metadata 'step' must be a count, but got " + value):
            module.load(saved)

    def test_missing_half(self, module, saved):
        (saved / "optimizer-step1.safetensors").unlink()
        with pytest.raises(RuntimeFailure, match="optimizer-step1.safetensors: must be readable"):
            module.load(saved)
