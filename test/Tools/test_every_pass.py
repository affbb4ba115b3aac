# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No pass crashes on valid IR, whatever it is: it leaves it alone, rewrites it or says what it wants."""
import re
import subprocess
from pathlib import Path

import pytest
import random_ir

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "build/bin/prec-opt"
pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="needs a built prec-opt")
SPLIT = "\n// -----\n"
PASSES = sorted({name for path in (ROOT / "include/prec").rglob("Passes.td") for name in re.findall(r'Pass<"([a-z0-9-]+)"', path.read_text())})
# Each pass as it is, and some as they are asked for.
RUNS = [[f"--{name}"] for name in PASSES] + [
    ["--assign-precision=recipe=nvfp4 target=cpu choose=cost record=true", "--verify-precision"],
    ["--assign-precision=recipe=fp8-block target=sm_90a bounds=refuse"],
    ["--assign-precision=recipe=fp16 target=cpu master-dtype=bf16 matmul-dtype=bf16"],
    [
        "--assign-precision=recipe=fp8-hybrid target=sm_90a tensor-scaling=delayed",
        "--prec-narrow-masters",
        "--prec-split-weights",
        "--prec-insert-casts",
        "--prec-insert-loss-scaling",
        "--prec-carry-amax",
        "--prec-check-indices",
        "--prec-guard-updates",
    ],
    ["--prec-recompute-activations=count=3"],
    ["--prec-chunk-loss=bytes=64"],
    ["--prec-split-weights=keep-frozen=true keep-transposed=false"],
    ["--prec-decompose=attention-library=cudnn"],
    ["--prec-decompose=attention-library=cudnn-large-heads"],
    ["--prec-decompose", "--prec-form-dispatches", "--prec-plan-memory", "--prec-verify-schedule"],
    ["--prec-codegen-nvptx=chip=sm_90a"],
    ["--prec-split-accumulation=equal-weights=true"],
    ["--explain=all"],
]
# The element counts of these do not fit 64 bits; a tensor of them is refused, and crashes nothing.
HUGE = [
    f"""
func.func @f{i}(%x: {kind}, %y: {kind}) -> {kind} attributes {{prec.entry = "step"}} {{
  %z = arith.addf %x, %y : {kind}
  %m = math.exp %z : {kind}
  return %m : {kind}
}}
"""
    for i, kind in enumerate(
        [
            "tensor<9223372036854775807xf32>",
            "tensor<4294967296x4294967296xf32>",
            "tensor<2147483648x2147483648x4xbf16>",
            "tensor<0x9223372036854775807xf32>",
            "tensor<9223372036854775807x9223372036854775807x0xf64>",
            "tensor<3037000500x3037000500xf16>",
            "tensor<?x9223372036854775807xf32>",
            "vector<4x9223372036854775807xf32>",
            "tensor<1x1x1x1x1x1x1x9223372036854775807xf64>",
            "tensor<65536x65536x65536x65536xf32>",
        ]
    )
]


def run(text: str, options: list[str]) -> subprocess.CompletedProcess:
    return subprocess.run([TOOL, "-", "--allow-unregistered-dialect", "--split-input-file", *options], input=text, capture_output=True, text=True,
                          timeout=300)


def find_crash(modules: list[str], options: list[str], run=run) -> str | None:
    """The module over which a run of passes ends otherwise than by an answer, and what it says; one process for all as
    long as none does."""
    done = run(SPLIT.join(modules), options)
    if done.returncode in (0, 1):
        return None
    if len(modules) == 1:
        return f"{' '.join(options)}: {done.returncode}\n{modules[0]}\n{done.stderr[-1500:]}"
    half = len(modules) // 2
    return find_crash(modules[:half], options, run) or find_crash(modules[half:], options, run) or f"{options}: {done.returncode}, but not alone"


def check(modules: list[str]):
    crashes = [crash for options in RUNS if (crash := find_crash(modules, options))]
    assert not crashes, f"{len(crashes)} of {len(RUNS)}\n" + "\n".join(crashes)


def test_the_corpus_is_valid():
    modules = [random_ir.make(seed) for seed in range(200)]
    done = run(SPLIT.join(modules), [])
    assert done.returncode == 0, done.stderr[:2000]
    text = "".join(modules)
    for name in [
        "linalg.generic",
        "linalg.matmul",
        "linalg.pooling",
        "tensor.extract",
        "scf.for",
        "scf.while",
        "func.call",
        "arith.select",
        "tosa.",
        "memref.load",
        "cf.cond_br",
        '"foo.region"',
        "tensor<*x",
        "?x",
        "0x",
        "complex<f32>",
        "prec.entry",
        "prec_train.donated_to",
        "func.func private",
    ]:
        assert name in text, name


@pytest.mark.parametrize("options", RUNS, ids=" ".join)
def test_prec_opt_knows_the_options(options):
    """A run that is refused for its command line crashes nowhere."""
    done = run("module {}", options)
    assert "command line argument" not in done.stderr and "registered pass" not in done.stderr, done.stderr


def test_no_pass_crashes():
    check([random_ir.make(seed) for seed in range(30)])


@pytest.mark.parametrize("part", range(5))
@pytest.mark.long
def test_no_pass_crashes_on_many(part):
    check([random_ir.make(seed) for seed in range(1000 + 400 * part, 1400 + 400 * part)])


def test_no_pass_crashes_on_sizes_beyond_64_bits():
    check(HUGE)


def test_a_crash_is_found():
    def crashes(text, options):
        return subprocess.CompletedProcess([], -11 if "bad" in text else 1, "", "stack")
    assert find_crash(["a", "b", "c"], ["--p"], crashes) is None
    assert find_crash(["a", "b", "bad", "c"], ["--p"], crashes) == "--p: -11\nbad\nstack"
