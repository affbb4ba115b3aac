# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prec-run --bench of a module for a GPU, on the build's stand-ins for the driver and cuBLASLt: graphs are recorded and
timed by events, algorithms are chosen, pools are filled. Times mean nothing here."""
import json
import os
import subprocess

import pytest
from step_module import StepModule
from test_cuda_refusals import fakes  # noqa: F401


@pytest.fixture
def bench_module(tmp_path):
    module = StepModule()
    module.manifest["target"] = {"kind": "cuda", "chip": "sm_90a"}
    a, b = module.temporary("bf16", [64, 32]), module.temporary("bf16", [32, 48])
    d, e = module.temporary("bf16", [64, 48]), module.temporary("bf16", [64, 48])
    module.gemm("step", "product", a, b, d, 64, 48, 32)
    module.command("step", "copy", "copy", [d], [e], src=d, dst=e)
    module.command("step", "fill", "zero", [], [e], dst=e)
    module.manifest["bench"] = [{"kind": "contraction", "first": 0, "count": 1, "direction": "fprop"},
                                {"kind": "command", "first": 1, "count": 2}]
    return module.build(tmp_path / "bench.so")


def test_bench_on_a_gpu(build, fakes, bench_module, tmp_path):  # noqa: F811
    report = tmp_path / "report.json"
    done = subprocess.run([build / "prec-run", bench_module, "--bench", report, "--budget", "0.5"], text=True, capture_output=True,
                          env=os.environ | {"LD_LIBRARY_PATH": str(fakes / "fake")})
    assert done.returncode == 0, done.stderr
    found = json.loads(report.read_text())
    machine, = found["machines"]
    assert machine["gpu"] and "cublaslt" in machine["libraries"]
    product, = found["contractions"]
    assert (product["direction"], product["m"], product["n"], product["k"]) == ("fprop", 64, 48, 32) and product["us"] > 0
    assert [c["command"].split(" ")[0] for c in found["commands"]] == ["gemm", "copy"]
    assert found["commands"][1]["command"] == "copy bf16[64, 48] > bf16[64, 48] ; fill > bf16[64, 48]"
    assert found["details"]["copy_bytes_per_second"] > 0


def test_resume_is_of_the_same_libraries(build, fakes, bench_module, tmp_path):  # noqa: F811
    report = tmp_path / "report.json"
    words = [build / "prec-run", bench_module, "--bench", report, "--budget", "0.1"]
    options = {"text": True, "capture_output": True, "env": os.environ | {"LD_LIBRARY_PATH": str(fakes / "fake")}}
    assert subprocess.run(words, **options).returncode == 0
    assert subprocess.run([*words, "--bench-resume"], **options).returncode == 0
    found = json.loads(report.read_text())
    found["machines"][0]["libraries"]["cublaslt"] = "12.9.1"
    report.write_text(json.dumps(found))
    done = subprocess.run([*words, "--bench-resume"], **options)
    assert done.returncode == 1 and "to go on with, but is of 12.9.1" in done.stderr


def test_a_gpu_without_memory(build, fakes, bench_module, tmp_path):  # noqa: F811
    done = subprocess.run([build / "prec-run", bench_module, "--bench", tmp_path / "report.json"], text=True, capture_output=True,
                          env=os.environ | {"LD_LIBRARY_PATH": str(fakes / "fake-small")})
    assert done.returncode == 1
    assert "a benchmark needs memory for its smallest command, but got " in done.stderr
