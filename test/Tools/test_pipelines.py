# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What prec-opt prints of its passes and what prec-compile writes can be read again: pipelines, reproducers, graphs of
every phase."""
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "build/bin/prec-opt"
pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="needs a built prec-opt")
PASSES = sorted({name for path in (ROOT / "include/prec").rglob("Passes.td") for name in re.findall(r'Pass<"([a-z0-9-]+)"', path.read_text())})
EXAMPLE = ROOT / "examples/llama_tiny.mlir"
GIVEN = [
    "assign-precision{recipe=bf16}",
    "assign-precision{recipe=fp8-hybrid target=sm_90a reads=wgrad:bf16,dgrad.gradient:e4m3 summary=true}",
    "assign-precision{recipe=nvfp4 target=cpu amax-epsilon=weight:0.1,gradient:0.2 limits=sqnr:20 bounds=off ranks=4}",
    "assign-precision{model-dtype=bf16 matmul-dtype=e4m3 explain={layers.0 attention} record=true}",
    "assign-precision{choose=cost target=cpu}",
    "prec-decompose{attention-library=cudnn decompose-convolutions=true decompose-grouped=true}",
    "prec-recompute-activations{count=3}",
    "prec-chunk-loss{bytes=64}",
    "prec-split-weights{keep-frozen=true keep-transposed=false}",
    "prec-guard-updates{enabled=false}",
    "prec-codegen-nvptx{chip=sm_90a attention-grad=false many-rows=7}",
    "explain-precision{explain=all}",
    "verify-precision{target=cpu}",
    "prec-fold-bias{round-f32=false}",
    "prec-raise-composites{report=true}",
]


def run(*options, text="module {}\n") -> subprocess.CompletedProcess:
    return subprocess.run([TOOL, *options], input=text, capture_output=True, text=True)


def dump(pipeline: str) -> tuple[str, int, str]:
    """The pipeline that is printed for this one, and how it ends on a module of nothing."""
    done = run("-", f"--pass-pipeline={pipeline}", "--dump-pass-pipeline")
    printed = re.search(r"^Pass Manager with \d+ passes:\n(.*?)\n\n", done.stderr, re.M | re.S)
    assert printed, done.stderr
    return " ".join(printed[1].split()), done.returncode, done.stderr.replace(printed[0], "")


@pytest.mark.parametrize("given", PASSES + GIVEN)
def test_a_printed_pipeline_is_the_same_again(given):
    nests = "restricted to 'func.func'" in run("-", f"--pass-pipeline=builtin.module({given})").stderr
    printed, code, said = dump(f"builtin.module(func.func({given}))" if nests else f"builtin.module({given})")
    assert dump(printed) == (printed, code, said)


@pytest.mark.parametrize("options", [[], ["recipe=bf16"], ["recipe=fp8-block", "target=sm_90a", "record=true"]])
def test_a_reproducer_runs(tmp_path, options):
    """With the same bytes as the passes that it stands for."""
    reproducer, out, again = tmp_path / "r.mlir", tmp_path / "o.mlir", tmp_path / "a.mlir"
    first = run(
        str(EXAMPLE), "--prec-raise-composites", "--assign-precision=" + " ".join(options), f"--mlir-generate-reproducer={reproducer}", "-o", str(out)
    )
    assert first.returncode == 0, first.stderr
    second = run(str(reproducer), "--run-reproducer", "-o", str(again))
    assert second.returncode == 0, second.stderr
    assert re.findall(r"#prec.tag<\w+", again.read_text()) == re.findall(r"#prec.tag<\w+", out.read_text())


def test_an_option_without_its_value_is_told():
    done = run("-", "--assign-precision=recipe-file=")
    assert done.returncode == 1 and "'recipe-file' must have a value, but got an empty one" in done.stderr


@pytest.mark.parametrize("target", ["cpu", "sm_90a"])
def test_every_phase_is_read_again(tmp_path, target):
    phases = ["import", "assign", "materialize", "schedule", "codegen"]
    done = subprocess.run([ROOT / "build/bin/prec-compile", EXAMPLE, f"--target={target}", "--recipe=bf16", "-o", tmp_path / "step.so",
                           *(f"--dump-after={phase}" for phase in phases)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for phase in phases:
        read = run(str(tmp_path / f"step.{phase}.mlir"), "-o", str(tmp_path / "again.mlir"))
        assert read.returncode == 0, (phase, read.stderr)
        if phase == "codegen":
            continue
        once = run(str(tmp_path / "again.mlir"), "-o", str(tmp_path / "more.mlir"))
        assert once.returncode == 0 and (tmp_path / "more.mlir").read_bytes() == (tmp_path / "again.mlir").read_bytes(), phase
