# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors on a GPU, which GPU and which stream, from Python to the driver: on the build's stand-in for the driver,
which has two GPUs, memory that this process may read, and counts what it copies."""
import os
import subprocess
import sys

import pytest
from step_module import StepModule
from test_cuda_refusals import fakes, gpu_module  # noqa: F401

PROGRAM = r"""
import ctypes as c, gc, sys
import numpy as np
from prec import _dlpack as dlpack, errors
from prec.module import Module

path, runtime = sys.argv[1:]
driver = c.CDLL("libcuda.so.1")
driver.cuInit(0)
contexts = [c.c_void_p(), c.c_void_p()]
for i in range(2):
    device = c.c_int()
    assert driver.cuDeviceGet(c.byref(device), i) == 0 and driver.cuDevicePrimaryCtxRetain(c.byref(contexts[i]), device) == 0

class Counts(c.Structure):
    _fields_ = [("work", c.c_int64), ("host_bytes", c.c_int64)]
def counts():
    result = Counts()
    driver.fakeCudaCounts(c.byref(result))
    return result
driver.fakeCudaAllocations.restype = c.c_int64

class Tensor:
    '''An array copied to a GPU; what its framework was asked for is in `streams`.'''
    def __init__(self, array, gpu):
        self.array, self.gpu, self.streams = array, gpu, []
        self.pointer = c.c_uint64()
        driver.cuCtxPushCurrent_v2(contexts[gpu])
        assert driver.cuMemAlloc_v2(c.byref(self.pointer), c.c_size_t(array.nbytes)) == 0
        driver.cuCtxPopCurrent_v2(c.byref(c.c_void_p()))
        c.memmove(self.pointer.value, array.ctypes.data, array.nbytes)
    def __dlpack_device__(self):
        return dlpack.CUDA, self.gpu
    def __dlpack__(self, *, stream=None, max_version=None):
        self.streams.append(stream)
        m = dlpack.Versioned(major=1, minor=1)
        m.tensor.data, m.tensor.ndim, m.tensor.lanes = self.pointer.value, self.array.ndim, 1
        m.tensor.device.type, m.tensor.device.index = dlpack.CUDA, self.gpu
        m.tensor.code, m.tensor.bits = {"float32": (2, 32), "int32": (0, 32), "int64": (0, 64)}[self.array.dtype.name]
        shape = (c.c_int64 * self.array.ndim)(*self.array.shape)
        m.tensor.shape = shape
        self.kept = m, shape
        return dlpack.make_capsule(c.addressof(m), True)

def statistics(module):
    s = module.statistics
    return s["device_copies"], s["device_bytes"], s["through_host_copies"], s["through_host_bytes"]

def refused(error, text, call):
    try:
        call()
    except error as failure:
        assert text in str(failure), failure
    else:
        raise AssertionError(text)

lines = []
module = Module(path, library=runtime, device=1, log=lambda level, text: lines.append((level, text)))
assert driver.fakeCudaAllocations(1) > 0 and driver.fakeCudaAllocations(0) == 0
x = np.arange(24, dtype=np.float32).reshape(4, 6)
ids = np.arange(8, dtype=np.int32).reshape(4, 2)
onGpu, ofIds = Tensor(x, 1), Tensor(ids, 1)

# As it is stored: a copy on the GPU, behind what the framework does on its own stream.
before = counts().host_bytes
module.set("x", onGpu)
assert counts().host_bytes == before and onGpu.streams == [module.stream]
assert statistics(module) == (1, 96, 0, 0)
assert (module.get("x") == x).all()

# Checked, or converted: through the host, said once.
module.set("ids", ofIds)
module.set("ids", ofIds)
assert statistics(module) == (1, 96, 2, 64)
assert lines == [("debug", "'ids' goes from GPU 1 through the host, as it is checked")], lines
module.set("half", onGpu)
assert statistics(module) == (1, 96, 3, 160)
assert lines[1:] == [("debug", "'half' goes from GPU 1 through the host, as it is converted")], lines
assert (module.get("half", "float32") == x).all() and (module.get("ids") == ids).all()
refused(errors.BadValue, "token ids must lie in [0, 64), but got 64", lambda: module.set("ids", Tensor(ids + 57, 1)))
refused(errors.BadValue, "values must be exact in bf16", lambda: module.set("half", Tensor(x + 0.001, 1)))

# Of another GPU, or no GPU's at all.
refused(errors.InvalidArgument, "'x' must be on the host or on the module's GPU 1, but is on GPU 0", lambda: module.set("x", Tensor(x, 0)))
wrong = Tensor(x, 0)
wrong.gpu = 1
refused(errors.InvalidArgument, "'x': a tensor must be memory of GPU 1, but is not", lambda: module.set("x", wrong))

# A batch of both kinds, of fewer rows, and in two calls.
batch = {"x": Tensor(x + 1, 1), "ids": ofIds, "half": x}
module.step(batch)
assert (module.get("x") == x + 1).all()
module.step_async({"x": onGpu, "ids": ofIds, "half": x})
refused(errors.Busy, "must be waited for", lambda: module.get("x"))
assert module.wait()["step"] == 2 and (module.get("x") == x).all()
step = module.step
for _ in range(2):  # by a graph
    step({"x": batch["x"], "ids": ids, "half": x})
assert (module.get("x") == x + 1).all()

# The memory itself.
view = module.view("x")
assert view.__dlpack_device__() == (dlpack.CUDA, 1) and view.writable and not module.view("loss").writable
capsule = view.__dlpack__(stream=1, max_version=(1, 0))
pointer, versioned = dlpack.open_capsule(capsule)
tensor = c.cast(pointer, c.POINTER(dlpack.Versioned)).contents.tensor
assert versioned and (np.ctypeslib.as_array(c.cast(tensor.data, c.POINTER(c.c_float)), (4, 6)) == x + 1).all()
module.set("x", module.view("x"))
allocations = driver.fakeCudaAllocations(1)
module.close()
gc.collect()
assert driver.fakeCudaAllocations(1) == allocations, "the view has it"
del capsule
gc.collect()
assert driver.fakeCudaAllocations(1) < allocations

# A stream of the caller's, whose GPU it is.
driver.cuCtxPushCurrent_v2(contexts[1])
stream = c.c_void_p()
assert driver.cuStreamCreate(c.byref(stream), 1) == 0
driver.cuCtxPopCurrent_v2(c.byref(c.c_void_p()))
class Stream:
    cuda_stream = stream.value
class Protocol:
    def __cuda_stream__(self):
        return 0, stream.value
driver.fakeCudaWorkOf.restype = c.c_int64
for given in (stream.value, Stream(), Protocol()):
    work, own = counts().work, driver.fakeCudaWorkOf(stream)
    module = Module(path, library=runtime, stream=given)
    assert module.stream == stream.value
    for _ in range(3):
        module.step({"x": onGpu, "ids": ids, "half": x})
    module.close()
    assert counts().work - work == driver.fakeCudaWorkOf(stream) - own > 0
refused(errors.InvalidArgument, "a device must be one of 2 GPUs, from 0, but got 2", lambda: Module(path, library=runtime, device=2))
refused(errors.InvalidArgument, "must be opened with 0 threads", lambda: Module(path, library=runtime, threads=2))
refused(errors.InvalidArgument, "a stream must be one that was created", lambda: Module(path, library=runtime, stream=1))
refused(errors.InvalidArgument, "a stream must be of the primary context of GPU 0",
        lambda: Module(path, library=runtime, stream=stream.value, device=0))

# Fewer rows.
module = Module(path, library=runtime, device=1, pad_batches=True)
module.step({"x": Tensor(x[:3].copy(), 1), "ids": Tensor(ids[:3].astype(np.int64), 1), "half": x[:3]})
assert (module.get("x")[:3] == x[:3]).all() and (module.get("x")[3] == 0).all() and (module.get("ids")[3] == -100).all()
assert statistics(module) == (0, 0, 2, 72 + 48)
module.close()
print("passed")
"""


def test_tensors_on_a_gpu(fakes, build, tmp_path):  # noqa: F811
    m = StepModule()
    m.manifest["target"] = {"kind": "cuda", "chip": "sm_90a"}
    m.manifest["padding"] = True
    x = m.bind("x", "batch", "f32", [4, 6])
    m.bind("ids", "batch", "i32", [4, 2], vocabulary=64, ignore_index=-100)
    m.bind("half", "batch", "bf16", [4, 6])
    loss = m.bind("loss", "loss", "f32", [])
    m.command("step", "copy", "keep", [x], [kept := m.temporary("f32", [4, 6])], src=x, dst=kept)
    m.command("step", "fill", "zero", [], [loss], dst=loss)
    del m.manifest["entry_points"]["eval"]
    path = m.build(tmp_path / "step.so")
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = os.environ | {"LD_LIBRARY_PATH": str(fakes / "fake"), "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run([sys.executable, tmp_path / "program.py", path, build / "libprec-rt.so"], capture_output=True, text=True,
                            env=environment)
    assert (result.returncode, result.stdout) == (0, "passed\n"), result.stderr


@pytest.mark.parametrize("option, error", [("--device=2", "a device must be one of 2 GPUs, from 0, but got 2"),
                                           ("--threads=2", "a module for a GPU must be opened with 0 threads, which are of the CPU, but got 2")])
def test_refused_by_prec_run(fakes, build, tmp_path, option, error):  # noqa: F811
    path = gpu_module(tmp_path / "step.so")
    result = subprocess.run([build / "prec-run", path, "--init", "random", option], capture_output=True, text=True,
                            env=os.environ | {"LD_LIBRARY_PATH": str(fakes / "fake")})
    assert (result.returncode, result.stderr) == (1, f"prec-run: error: {path}: {error}\n")
