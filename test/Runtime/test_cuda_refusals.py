# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A GPU module where it cannot run: no driver, no GPU, another GPU, a library that is missing or too old, too little
memory.

Stand-ins for NVIDIA's libraries take their place: the build's own, and empty ones compiled here."""
import os
import pathlib
import subprocess

import pytest
from step_module import StepModule


def gpu_module(path: pathlib.Path, command: str = "fill", elements: int = 256, chip: str = "sm_90a") -> pathlib.Path:
    m = StepModule()
    m.manifest["target"] = {"kind": "cuda", "chip": chip}
    loss = m.bind("loss", "loss", "f32", [])
    a, d = m.temporary("f32", [16, elements // 16]), m.temporary("f32", [16, 16])
    if command == "gemm":
        m.gemm("step", "product", a, a, d, 16, 16, 16)
    if command == "attention":
        q, o, lse = m.temporary("bf16", [1, 1, 8, 8]), m.temporary("bf16", [1, 1, 8, 8]), m.temporary("f32", [1, 1, 8])
        m.command("step", "sdpa_forward", "attention", [q], [o, lse], q=q, k=q, v=q, o=o, lse=lse, scale=1.0, causal=True)
    m.command("step", "fill", "zero", [], [loss], dst=loss)
    return m.build(path)


@pytest.fixture(scope="session")
def fakes(build):
    folder = build.parent / "lib" / "cuda"
    folder = next((f for f in (build / "lib" / "cuda", folder) if (f / "fake" / "libcuda.so.1").is_file()), None)
    if folder is None:
        pytest.skip("the runtime is built without its CUDA half")
    return folder


@pytest.fixture
def stub(tmp_path):
    """Compiles an almost empty library under the name of NVIDIA's."""
    def make(folder, soname, code=""):
        folder.mkdir(parents=True, exist_ok=True)
        (tmp_path / "stub.c").write_text(code)
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", folder / soname, f"-Wl,-soname,{soname}", tmp_path / "stub.c"], check=True)
        return folder
    return make


@pytest.fixture
def refusal(build, tmp_path):
    """The one line that prec-run says about a module, with libraries of some folders in the loader's path."""
    def run(module, *loader_path, options=()):
        before = sorted(tmp_path.rglob("*"))
        environment = os.environ | {"LD_LIBRARY_PATH": ":".join(map(str, loader_path))}
        result = subprocess.run([build / "prec-run", module, "--init", "random", *options], capture_output=True, text=True,
                                cwd=tmp_path, env=environment)
        assert (result.returncode, result.stdout) == (1, ""), result.stderr
        assert result.stderr.startswith(f"prec-run: error: {module}: ") and result.stderr.count("\n") == 1, result.stderr
        assert sorted(tmp_path.rglob("*")) == before
        return result.stderr.removeprefix(f"prec-run: error: {module}: ").rstrip("\n")
    return run


def test_no_driver(fakes, refusal, tmp_path):
    module = gpu_module(tmp_path / "step.so")
    # A file that is no library, so that a driver that this machine may have is not reached.
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "libcuda.so.1").write_text("")
    error = refusal(module, tmp_path / "none")
    assert error.startswith("the NVIDIA driver, which a CUDA module needs, must be installed, but got ") and "libcuda.so.1" in error


def test_driver_too_old(fakes, refusal, tmp_path):
    assert (refusal(gpu_module(tmp_path / "step.so"), fakes / "fake-old")
            == "the NVIDIA driver must support CUDA 13.0 or newer, but got one for CUDA 12.8")


def test_driver_without_a_function(fakes, refusal, stub, tmp_path):
    code = "int cuDriverGetVersion(int *version) { *version = 13000; return 0; }"
    error = refusal(gpu_module(tmp_path / "step.so"), stub(tmp_path / "driver", "libcuda.so.1", code))
    assert error.startswith("libcuda.so.1 must have the function cu") and error.endswith(", but got a version without it")


def test_no_gpu(fakes, refusal, tmp_path):
    assert refusal(gpu_module(tmp_path / "step.so"), fakes / "fake-no-gpu") == "a CUDA module needs an NVIDIA GPU, but got none"


@pytest.mark.parametrize("machine, chip, own", [("fake-ampere", "sm_90a", "sm_80"), ("fake-ampere", "sm_90", "sm_80"),
                                                ("fake", "sm_100a", "sm_90"), ("fake", "sm_80a", "sm_90")])
def test_another_gpu(fakes, refusal, tmp_path, machine, chip, own):
    assert (refusal(gpu_module(tmp_path / "step.so", chip=chip), fakes / machine)
            == f"module is for {chip}, but got {own} (Fake GPU)")


def test_out_of_memory(fakes, refusal, tmp_path):
    module = gpu_module(tmp_path / "step.so", elements=1 << 20)
    # One f32 of loss and two of workspace: 4 MiB and 1 KiB, each at a multiple of 64 bytes.
    assert (refusal(module, fakes / "fake-small")
            == f"device memory must hold {(4 << 20) + 1024 + 4} bytes (state 0, input 0, output 4, workspace {(4 << 20) + 1024}, "
               "constants 0, cuBLASLt and cuDNN 0), but got 65536 bytes free of 65536")


class TestCublasLt:
    @pytest.fixture
    def driver(self, fakes, tmp_path):
        """The driver alone: the build's stand-in for cuBLASLt lies beside it."""
        (tmp_path / "driver").mkdir()
        (tmp_path / "driver" / "libcuda.so.1").symlink_to(fakes / "fake" / "libcuda.so.1")
        return tmp_path / "driver"

    def test_absent(self, refusal, driver, tmp_path):
        (tmp_path / "libraries").mkdir()
        error = refusal(gpu_module(tmp_path / "step.so", "gemm"), driver, options=["--cuda-libraries", tmp_path / "libraries"])
        assert error.startswith("command 'product': cuBLASLt 13.0 or newer, which the module's matrix products need, must be installed, "
                                "but got libcublasLt.so.13: ") or error.startswith("cuBLASLt 13.0 or newer"), error
        assert error.endswith(f"; searched also {tmp_path / 'libraries'}")

    def test_other_major_version(self, refusal, driver, stub, tmp_path):
        folder = stub(tmp_path / "libraries", "libcublasLt.so.12")
        error = refusal(gpu_module(tmp_path / "step.so", "gemm"), driver, options=["--cuda-libraries", folder])
        assert "cuBLASLt 13.0 or newer, which the module's matrix products need, must be installed" in error

    def test_too_old(self, refusal, driver, stub, tmp_path):
        folder = stub(tmp_path / "libraries" / "cu13" / "lib", "libcublasLt.so.13").parents[1]
        error = refusal(gpu_module(tmp_path / "step.so", "gemm"), driver, options=["--cuda-libraries", folder])
        assert "libcublasLt.so.13 must have the function cublasLt" in error and error.endswith(", but got a version without it")

    def test_broken(self, refusal, driver, tmp_path):
        (tmp_path / "libraries").mkdir()
        (tmp_path / "libraries" / "libcublasLt.so.13").write_text("no library")
        error = refusal(gpu_module(tmp_path / "step.so", "gemm"), driver, options=["--cuda-libraries", tmp_path / "libraries"])
        assert "must be loadable, but got" in error and "libcublasLt.so.13" in error


class TestCudnn:
    CODE = """
#include <stddef.h>
size_t cudnnGetVersion(void) { return VERSION; }
int cudnnCreate(void **h) { *h = 0; return FAILS; }
int cudnnDestroy(void *h) { return 0; }
int cudnnSetStream(void *h, void *s) { return 0; }
const char *cudnnGetErrorString(int s) { return "no such luck"; }
"""

    @pytest.fixture
    def libraries(self, stub, tmp_path):
        for soname in ("libcudart.so.13", "libcublas.so.13", "libnvrtc.so.13"):
            stub(tmp_path / "libraries", soname)
        return tmp_path / "libraries"

    def run(self, refusal, fakes, libraries, tmp_path):
        return refusal(gpu_module(tmp_path / "step.so", "attention"), fakes / "fake", options=["--cuda-libraries", libraries])

    def test_absent(self, refusal, fakes, libraries, tmp_path):
        error = self.run(refusal, fakes, libraries, tmp_path)
        assert error.startswith("command 'attention': cuDNN 9.14.0 or newer, which the module's attention needs, must be installed, but got ")
        assert error.endswith(f"; searched also {libraries}")

    def test_too_old(self, refusal, fakes, libraries, stub, tmp_path):
        stub(libraries, "libcudnn.so.9", self.CODE.replace("VERSION", "90100").replace("FAILS", "0"))
        assert (self.run(refusal, fakes, libraries, tmp_path)
                == "command 'attention': attention needs cuDNN 9.14.0 or newer, but got 9.1.0")

    def test_does_not_start(self, refusal, fakes, libraries, stub, tmp_path):
        stub(libraries, "libcudnn.so.9", self.CODE.replace("VERSION", "91900").replace("FAILS", "1"))
        assert (self.run(refusal, fakes, libraries, tmp_path)
                == "command 'attention': opening cuDNN 9.19.0 must succeed, but got no such luck")
