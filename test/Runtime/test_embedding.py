# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What embedders have beside steps: modules in memory, options, error codes, steps in two calls, DLPack both ways."""
from __future__ import annotations

import ctypes as c
import gc
import json
import pathlib
import re

import numpy as np
import pytest
from models import BATCH, INPUT, OUTPUT, bigram, perceptron
from step_module import StepModule

import prec
from prec import _dlpack as dlpack, _runtime as rt, errors
from prec.module import Module

HEADER = (pathlib.Path(__file__).resolve().parents[2] / "runtime/include/prec-rt/prec-rt.h").read_text()
RANDOM = np.random.default_rng(0)
XY = {"x": RANDOM.standard_normal((BATCH, INPUT), np.float32), "y": RANDOM.standard_normal((BATCH, OUTPUT), np.float32)}


@pytest.fixture
def path(tmp_path):
    return perceptron("bf16").build(tmp_path / "step.so")


def train(module, steps=5):
    module.init_random(seed=1)
    return [module.step(XY)["loss"] for _ in range(steps)], {name: w.tobytes() for name, w in module.weights().items()}


def test_codes_are_those_of_the_header():
    codes = {int(value): name for name, value in re.findall(r"PREC_RT_ERROR_(\w+) = (\d+)", HEADER)}
    words = {code: re.sub(r"(?<!^)(?=[A-Z])", "_", error.__name__).upper() for code, error in errors.BY_CODE.items()}
    assert {code: name for code, name in words.items() if codes[code] != name} == {
        5: "FILE_FAILURE", 8: "DEVICE_FAILURE", 11: "INTERNAL_FAULT", 12: "FUNCTION_FAILURE", 13: "RANKS_FAILURE"}
    assert codes.keys() == errors.BY_CODE.keys()
    assert all(issubclass(error, prec.RuntimeFailure) and issubclass(error, prec.Error) for error in errors.BY_CODE.values())
    assert issubclass(prec.ImportFailure, prec.Error)


def test_exceptions(path, library, tmp_path, open_module):
    module = open_module(path)
    with pytest.raises(errors.InvalidState, match="must be set before 'step'"):
        module.step(XY)
    module.init_random()
    with pytest.raises(errors.InvalidArgument, match="must have shape") as failure:
        module.set("x", XY["y"])
    assert isinstance(failure.value, ValueError) and failure.value.code == 1
    with pytest.raises(errors.NotFound) as failure:
        module.load(tmp_path / "none.safetensors")
    assert isinstance(failure.value, FileNotFoundError) and str(failure.value).startswith(f"{tmp_path}/none.safetensors: must be readable")
    with pytest.raises(errors.FileFailure) as failure:
        module.save("/dev/null")
    assert isinstance(failure.value, OSError)
    with pytest.raises(errors.NotFound):
        module.save(tmp_path / "none" / "w.safetensors")
    with pytest.raises(errors.BadFile, match="header must be"):
        module.load(path)
    with pytest.raises(errors.BadFile, match="must be an ELF shared object"):
        Module.from_bytes(b"no module", library=library)
    with pytest.raises(errors.Unsupported, match="entry point 'sample'"):
        module.sample(XY)
    table = open_module(bigram().build(tmp_path / "bigram.so"))
    table.init_random()
    with pytest.raises(errors.BadValue, match="token ids must lie in"):
        table.step({"input_ids": np.full((2, 16), 64), "targets": np.zeros((2, 16), int)})
    with pytest.raises(errors.NotFound, match="libprec-rt.so must be in the package"):
        Module(path, library=tmp_path / "none.so")
    module.close()
    with pytest.raises(errors.InvalidState, match="must be open, but is closed"):
        module.step(XY)


@pytest.mark.parametrize("options, error, message", [
    ({"device": 1}, errors.InvalidArgument, "a module for the CPU must be opened on device 0, but got 1"),
    ({"device": -1}, errors.InvalidArgument, r"device must be a number in \[0, 2147483648\), but got -1"),
    ({"device": 1 << 31}, errors.InvalidArgument, "but got 2147483648"),
    ({"threads": -1}, errors.InvalidArgument, r"threads must be a number in \[0, 4294967296\), but got -1"),
    ({"threads": 1 << 20}, errors.InvalidArgument, "at most 16384 threads, but got 1048576"),
    ({"stream": 8}, errors.InvalidArgument, "must be opened without a stream"),
    ({"stream": 0}, errors.InvalidArgument, "a stream must be one that was created, .* but got 0"),
    ({"stream": 2**64}, errors.InvalidArgument, "a stream must be one that was created, .* but got 18446744073709551616")])
def test_refused_options(path, library, options, error, message):
    with pytest.raises(error, match=message):
        Module(path, library=library, **options)


def test_bytes_with_any_values(path, library):
    """From memory as from the file, named in errors."""
    expected = train(Module(path, library=library))
    image = path.read_bytes()
    assert train(Module.from_bytes(image, library=library)) == expected
    with pytest.raises(errors.BadFile, match="^here: must be the file that the compiler wrote"):
        Module.from_bytes(image[:-1] + bytes([image[-1] ^ 1]), "here", library=library)
    with pytest.raises(errors.InvalidArgument, match="must not hold zero bytes"):
        Module.from_bytes(image, "he\0re", library=library)


def attention(folder, dtype="bf16"):
    """Loss is the first element of attention's output and of its gradients."""
    m = StepModule()
    shape = [2, 4, 70, 16]
    q, k, v, do = (m.bind(name, "batch", dtype, shape) for name in ("q", "k", "v", "do"))
    out = {name: m.bind(name, "buffer", dtype, shape) for name in ("o", "dq", "dk", "dv")}
    lse = m.bind("lse", "buffer", "f32", shape[:3])
    loss = m.bind("loss", "loss", "f32", [])
    common = {"q": q, "k": k, "v": v, "o": out["o"], "lse": lse, "scale": 0.25, "causal": True}
    m.command("step", "sdpa_forward", "attention", [q, k, v], [out["o"], lse], **common)
    m.command("step", "sdpa_backward", "gradients", [do, out["o"], q, k, v, lse], [out["dq"], out["dk"], out["dv"]],
              deterministic=True, **common | {"do": do, "dq": out["dq"], "dk": out["dk"], "dv": out["dv"]})
    m.command("step", "fill", "zero", [], [loss], dst=loss)
    del m.manifest["entry_points"]["eval"]
    return m.build(folder / "attention.so")


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_threads_change_no_bit(path, library, tmp_path, threads):
    assert train(Module(path, library=library, threads=threads)) == train(Module(path, library=library))
    names = ("o", "dq", "dk", "dv", "lse")
    results = []
    for count in (0, threads):
        module = Module(attention(tmp_path), library=library, threads=count)
        for name in names:
            module.set(name, np.zeros(module.binding(name).shape, np.float32))
        random = np.random.default_rng(1)
        batch = {name: random.integers(-8, 8, (2, 4, 70, 16)).astype(np.float32) / 4 for name in ("q", "k", "v", "do")}
        module.step(batch)
        results.append([module.get(name, "float32").tobytes() for name in names])
    assert results[0] == results[1] and len(set(results[0])) == len(names)


def test_log_and_notes(path, library, tmp_path, recwarn):
    lines = []
    first = Module(path, library=library)
    first.init_random()
    first.save_checkpoint(tmp_path / "c")
    other = perceptron("bf16")
    other.manifest["graph"] = "1" * 64
    second = Module(other.build(tmp_path / "other.so"), library=library, log=lambda level, text: lines.append((level, text)))
    second.load(tmp_path / "c")
    assert [level for level, _ in lines] == ["warning"] and lines[0][1] == str(recwarn[0].message)


class TestInTwoCalls:
    def test_is_the_same_step(self, path, library):
        expected = Module(path, library=library)
        module = Module(path, library=library)
        for m in (expected, module):
            m.init_random(seed=1)
        for lr in (0.05, 0.01):
            module.step_async(XY, lr=lr)
            assert module.wait() == expected.step(XY, lr=lr)

    def test_what_is_refused_meanwhile(self, path, library, tmp_path):
        module = Module(path, library=library)
        module.init_random(seed=1)
        with pytest.raises(errors.InvalidState, match="must be begun before it is waited for, but got none"):
            module.wait()
        with pytest.raises(errors.InvalidArgument, match="'y' is missing"):
            module.step_async({"x": XY["x"]})
        module.step_async(XY)
        for call in (lambda: module.step_async(XY), lambda: module.step(XY, lr=1), lambda: module.get("x"), lambda: module.set("x", XY["x"]),
                     lambda: module.eval(XY), lambda: module.set_hyper(lr=1), lambda: module.view("x"), module.init_random,
                     lambda: module.save(tmp_path / "w.safetensors"), lambda: module.save_checkpoint(tmp_path / "c")):
            with pytest.raises(errors.Busy, match="a step that was begun must be waited for before another call on the module, but was not"):
                call()
        assert module.binding("x").shape == (BATCH, INPUT) and module.manifest and module.stream is None
        assert module.statistics["device_copies"] == 0
        assert module.wait()["step"] == 1
        module.step_async(XY)
        module.close()


class Foreign:
    """A tensor of a framework, made of an array's memory."""

    def __init__(self, array, device=(dlpack.HOST, 0), **fields):
        self.array, self.device, self.fields = array, device, fields
        self.deleted = 0

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, max_version=None):
        codes = {"float32": (2, 32), "int64": (0, 64), "int32": (0, 32)}
        managed = dlpack.Versioned(major=1, minor=1) if max_version else dlpack.Managed()
        managed.tensor.data = self.array.ctypes.data
        managed.tensor.device.type, managed.tensor.device.index = self.device
        managed.tensor.ndim = self.array.ndim
        managed.tensor.code, managed.tensor.bits = codes[self.array.dtype.name]
        managed.tensor.lanes = 1
        shape = (c.c_int64 * self.array.ndim)(*self.array.shape)
        managed.tensor.shape = shape
        for name, value in self.fields.items():
            setattr(managed.tensor, name, value)

        def delete(_):
            self.deleted += 1
        managed.deleter = type(managed.deleter)(delete)
        self.kept = managed, shape
        return dlpack.make_capsule(c.addressof(managed), bool(max_version))


class TestTensorsGiven:
    def test_of_torch(self, library, tmp_path):
        torch = pytest.importorskip("torch")
        m = StepModule()
        dtypes = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "f8E4M3FN": torch.float8_e4m3fn,
                  "f8E5M2": torch.float8_e5m2, "i1": torch.bool, "i8": torch.int8, "i32": torch.int32, "i64": torch.int64}
        for name in dtypes:
            m.bind(name, "batch", name, [4, 6])
        m.command("step", "fill", "zero", [], [loss := m.bind("loss", "loss", "f32", [])], dst=loss)
        module = Module(m.build(tmp_path / "step.so"), library=library)
        for name, dtype in dtypes.items():
            values = torch.arange(-12, 12).reshape(6, 4).T.to(torch.float32).to(dtype)
            module.set(name, values)  # not contiguous
            back = torch.from_dlpack(module.view(name))
            assert back.dtype == dtype and torch.equal(back.to(torch.float32), values.to(torch.float32)), name
        module.set("bf16", torch.full((4, 6), 0.5, requires_grad=True))
        assert (module.get("bf16", "float32") == 0.5).all()

    def test_ownership(self, path, library):
        module = Module(path, library=library)
        for versioned in (True, False):
            tensor = Foreign(np.full((BATCH, INPUT), 3, np.float32))
            if not versioned:
                tensor.__class__ = type("Old", (Foreign,), {"__dlpack__": lambda self, *, stream=None: Foreign.__dlpack__(self)})
            tensor.device = (dlpack.CUDA_HOST, 0)
            module.set("x", tensor)
            gc.collect()
            assert (module.get("x") == 3).all() and tensor.deleted == 1

    def test_refusals(self, path, library):
        module = Module(path, library=library)
        x = np.zeros((BATCH, INPUT), np.float32)
        for tensor, error, message in (
                (Foreign(x, (dlpack.CUDA, 1)), errors.InvalidArgument, "'x' must be on the host, as the module is for the CPU, but is on GPU 1"),
                (Foreign(x, (8, 0)), errors.InvalidArgument, "must be on the host or a CUDA GPU, but got device type 8"),
                (Foreign(x, (dlpack.CUDA, 0), code=5), errors.InvalidArgument, "but got code 5 of 32 bits and 1 lanes"),
                (Foreign(x, (dlpack.CUDA, 0), strides=(c.c_int64 * 2)(1, BATCH)), errors.InvalidArgument, "dense and row-major")):
            with pytest.raises(error, match=message):
                module.set("x", tensor)
            with pytest.raises(error, match=message):
                module.step({"x": tensor, "y": XY["y"]})

        class Broken:
            def __dlpack__(self, **_):
                raise BufferError("no memory to hand over")

        class Wrong(Broken):
            def __dlpack__(self, **_):
                return 7
        with pytest.raises(TypeError, match="'x' must be memory that DLPack can hand over, but got Broken: no memory"):
            module.set("x", Broken())
        with pytest.raises(TypeError, match="must give a capsule of a tensor that was not taken yet"):
            module.set("x", Wrong())


class TestViews:
    def test_shows_what_the_module_has(self, path, library):
        module = Module(path, library=library)
        module.init_random(seed=1)
        weight = np.from_dlpack(module.view("fc1.weight"))
        assert weight.shape == (40, INPUT) and not weight.flags.writeable and weight.dtype == np.float32
        before = weight.copy()
        module.step(XY)
        np.testing.assert_array_equal(weight, module.get("fc1.weight"))
        assert (weight != before).any(), "the same memory"

    def test_outlives_the_module(self, path, library):
        module = Module(path, library=library)
        module.init_random(seed=1)
        view = module.view("fc1.weight")
        weight = np.from_dlpack(view)
        expected = module.get("fc1.weight")
        module.close()
        del module
        gc.collect()
        np.testing.assert_array_equal(weight, expected)
        with pytest.raises(errors.InvalidState, match="must be open, but is closed"):
            np.from_dlpack(view)

    def test_what_may_be_written(self, path, library, tmp_path):
        module = Module(path, library=library)
        module.init_random(seed=1)
        writable = {b.name for b in module.bindings if module.view(b).writable}
        assert writable == {"x", "y", "fc1.weight.exp_avg", "fc2.weight.exp_avg"}
        np.from_dlpack(module.view("x"))[:] = 3
        assert (module.get("x") == 3).all()
        with pytest.raises(errors.InvalidState, match="must be set before 'step', but 2 are not: 'x', 'y'"):
            module.step()
        table = Module(bigram().build(tmp_path / "bigram.so"), library=library)
        assert not table.view("input_ids").writable, "indices are checked"

    def test_protocol(self, path, library):
        module = Module(path, library=library)
        view = module.view("x")
        assert view.__dlpack_device__() == (dlpack.HOST, 0) and "x: float32" in repr(view)
        for arguments in ({"copy": True}, {"dl_device": (dlpack.CUDA, 0)}):
            with pytest.raises(BufferError):
                view.__dlpack__(max_version=(1, 1), **arguments)
        assert '"dltensor"' in repr(view.__dlpack__()) and '"dltensor_versioned"' in repr(view.__dlpack__(max_version=(1, 0)))
        with pytest.raises(errors.Unsupported, match="'loss' must be viewed by DLPack 1.0 or newer"):
            module.view("loss").__dlpack__()
        module.set("y", module.view("y"))

    def test_staged_parameters_have_none(self, library, tmp_path):
        m = StepModule()
        w = m.bind("w", "staged_parameter", "f32", [4], entry_point="stage_w")
        copy = m.bind("w", "work_weight", "bf16", [4], parameter="w")
        m.kernel("stage_w", "cast", [w], [copy], 4, "b1[i] = narrow(b0[i]);")
        m.command("step", "fill", "zero", [], [loss := m.bind("loss", "loss", "f32", [])], dst=loss)
        module = Module(m.build(tmp_path / "step.so"), library=library)
        with pytest.raises(errors.Unsupported, match="'w' must be kept as it is to be viewed, but the module keeps only work weights of it"):
            module.view("w")


def test_weights_are_written_through_views(path, library):
    """`refresh` makes the work weights that a module of these weights would have, and keeps momenta and the count."""
    module, other = Module(path, library=library), Module(path, library=library)
    for one in (module, other):
        one.init_random(seed=1)
        one.step(XY)
    with pytest.raises(errors.InvalidState, match="every weight must be set before work weights are made of them"):
        Module(path, library=library).refresh()
    wide = module.get("fc1.weight") * 2
    view = np.from_dlpack(module.view("fc1.weight"))
    c.memmove(view.ctypes.data, wide.ctypes.data, wide.nbytes)
    stale = module.eval(XY)["loss"]
    module.refresh()
    other.set("fc1.weight", wide)
    assert module.eval(XY)["loss"] == other.eval(XY)["loss"] != stale
    assert [module.step(XY)["loss"] for _ in range(3)] == [other.step(XY)["loss"] for _ in range(3)] and module.steps == 4


def test_steps_are_counted_from_anywhere(path, library):
    module = Module(path, library=library)
    module.init_random()
    module.steps = 7
    assert module.step(XY)["step"] == 8 == module.steps
    for wrong in (-1, 2**53 + 1, 2**63):
        with pytest.raises(errors.InvalidArgument, match="a number of steps must be in"):
            module.steps = wrong
    module.restore()
    module.set("fc1.weight", module.get("fc1.weight"))
    with pytest.raises(errors.InvalidState, match="work weights must be made before"):
        module.restore()
    module.initialize()
    module.restore()


def test_a_state_of_two_modules(path, library, tmp_path):
    """Modules take turns at the same weights, momenta and count, and outlive each other."""
    first, alone = Module(path, library=library), Module(path, library=library)
    for one in (first, alone):
        one.init_random(seed=2)
    second = Module(path, library=library, state_of=first)
    turns = [(first, second)[i % 2].step(XY) for i in range(6)]
    assert turns == [alone.step(XY) for _ in range(6)] and second.steps == 6
    first.close()
    assert second.step(XY) == alone.step(XY)
    view = np.from_dlpack(second.view("fc2.weight"))
    expected = alone.get("fc2.weight")
    second.close()
    gc.collect()
    assert np.array_equal(view, expected)
    module = Module(path, library=library)
    other = perceptron("f32").build(tmp_path / "f32.so")
    with pytest.raises(errors.InvalidArgument, match="a module must have the .* of the module whose state it is to use, but got"):
        Module(other, library=library, state_of=module)
    renamed = perceptron("bf16")
    renamed.manifest["recipe"] = "another"
    with pytest.raises(errors.InvalidArgument, match="must have the recipe .* but got another"):
        Module(renamed.build(tmp_path / "renamed.so"), library=library, state_of=module)


def test_steps_are_enqueued(path, library):
    module, other = Module(path, library=library), Module(path, library=library)
    for one in (module, other):
        one.init_random(seed=1)
    for _ in range(3):
        loss = np.zeros((), np.float32)
        module.enqueue("step", XY, {"loss": loss})
        assert float(loss) == np.float32(other.step(XY)["loss"])
    module.enqueue("eval", XY, {"loss": loss})
    assert float(loss) == np.float32(other.eval(XY)["loss"]) and module.steps == 3
    for entry, outputs, error, message in (
            ("init", {}, errors.InvalidArgument, "must be step, accumulate, apply or eval, but got 'init'"),
            ("apply", {}, errors.Unsupported, "must have the entry point 'apply'"),
            ("step", {"none": loss}, errors.InvalidArgument, "an output must be one of the module's bindings, but got 'none'"),
            ("step", {"fc1.weight": module.get("fc1.weight")}, errors.InvalidArgument, "must be a loss, a metric or a guard, but got parameter"),
            ("step", {"loss": np.zeros(1, np.float32)}, errors.InvalidArgument, "must have shape"),
            ("step", {"loss": np.zeros((), np.float64)}, TypeError, "must have a dtype of")):
        with pytest.raises(error, match=message):
            module.enqueue(entry, None, outputs)
    assert module.steps == 3


class Memory:
    """Pages that it counts; none after so many."""

    def __init__(self, most=100):
        self.held, self.most = {}, most

    def allocate(self, size):
        if len(self.held) >= self.most:
            return 0
        buffer = np.empty(size + 256, np.uint8)
        address = -(-buffer.ctypes.data // 256) * 256
        self.held[address] = buffer
        return address

    def deallocate(self, address):
        del self.held[address]


class Stingy(Memory):
    """Gives no more than so many bytes at once."""

    largest = 1 << 40

    def allocate(self, size):
        return super().allocate(size) if size <= self.largest else 0

    @property
    def sizes(self):
        return sorted(len(buffer) - 256 for buffer in self.held.values())


def test_modules_of_one_state_share_a_workspace(path, library, tmp_path):
    """It is as large as the largest needs, and moves under those that are there; where there is no memory for it, they
    go on in the old one, or say that it is lost."""
    memory = Stingy()
    first, alone = Module(path, library=library, allocator=memory), Module(path, library=library)
    for one in (first, alone):
        one.init_random(seed=2)
    assert first.step(XY) == alone.step(XY)
    own = first.manifest["segments"]["workspace"]
    assert own > 0 and own in memory.sizes

    def larger(bytes):
        module = perceptron("bf16")
        module.manifest["segments"]["workspace"] = bytes
        return module.build(tmp_path / f"{bytes}.so")
    large = own + 77 * 256
    second = Module(larger(large), library=library, allocator=memory, state_of=first)
    assert memory.sizes.count(large) == 1 and own not in memory.sizes
    third = Module(path, library=library, allocator=memory, state_of=second)
    assert memory.sizes.count(large) == 1 and own not in memory.sizes
    for i in range(6):
        assert (first, second, third)[i % 3].step(XY) == alone.step(XY)
    first.close()
    assert second.step(XY) == alone.step(XY)
    memory.largest = large
    with pytest.raises(errors.OutOfMemory, match="segment workspace needs"):
        Module(larger(2 * large), library=library, allocator=memory, state_of=third)
    assert third.step(XY) == alone.step(XY) and memory.sizes.count(large) == 1
    memory.largest = large - 1
    with pytest.raises(errors.OutOfMemory, match="segment workspace needs"):
        Module(larger(2 * large), library=library, allocator=memory, state_of=third)
    for module in (second, third):
        with pytest.raises(errors.OutOfMemory, match="a module must have its workspace to run, but it was given back for a larger one"):
            module.step(XY)
    memory.largest = 1 << 40
    fourth = Module(path, library=library, allocator=memory, state_of=third)
    assert fourth.step(XY) == alone.step(XY) and third.step(XY) == alone.step(XY)
    for module in (second, third, fourth):
        module.close()
    gc.collect()
    assert not memory.held


def test_an_allocator(path, library):
    memory = Memory()
    module = Module(path, library=library, allocator=memory)
    assert train(module) == train(Module(path, library=library)) and len(memory.held) >= 3
    view = np.from_dlpack(module.view("fc1.weight"))
    module.close()
    assert memory.held
    del view
    gc.collect()
    assert not memory.held
    with pytest.raises(errors.OutOfMemory, match="the caller's allocate gave none"):
        Module(path, library=library, allocator=(few := Memory(1)))
    assert not few.held


def test_options_are_those_of_the_header():
    """Each field of a structure in C is one here, in its order."""
    for name, structure in {"options": rt.Options, "statistics": rt.Statistics, "binding": rt.Binding, "step_result": rt.StepResult,
                            "tensor": rt.Tensor}.items():
        body = re.search(rf"typedef struct prec_rt_{name} {{(.*?)\n}} prec_rt_{name};", HEADER, re.S)[1]
        body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
        assert re.findall(r"(\w+);", body) == [field for field, _ in structure._fields_], name
    assert json.dumps(rt.LOG_LEVELS) == json.dumps([level.lower() for level in re.findall(r"PREC_RT_LOG_(\w+) = \d", HEADER)])


def test_document_lists_codes_and_options():
    text = (pathlib.Path(__file__).resolve().parents[2] / "docs/Embedding.md").read_text().split("\n## C\n")[1]
    rows = set(re.findall(r"`(\w+)`", "".join(line.split(" | ")[0] for line in text.splitlines() if line.startswith("| `"))))
    codes = set(re.findall(r"PREC_RT_ERROR_(\w+) =", HEADER))
    options = {name for name, _ in rt.Options._fields_} - {"size", "num_library_folders", "num_functions", "allocator_user", "log_user"}
    assert codes | options <= rows and not {row for row in rows if row.isupper()} - codes
