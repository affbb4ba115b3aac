# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of other compilers are judged alike in every form that their own passes give them: every operation that is left
has its class,
direction and formats, whatever was merged, folded or generalized around it."""
import itertools
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE / "Inputs"))
import foreign_steps  # noqa: E402

TOOL = ROOT / "build/bin/prec-opt"
pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="needs a built prec-opt")
FORMS = ["cse", "canonicalize", "linalg-generalize-named-ops"]
# What has no numbers of its own.
NOTHING = ("constant", "empty", "fill")
BACKWARD = ".wgrad", ".dgrad", ".gradient"
CLASSES = {"attention": {"scores", "context", "v.gradient", "probabilities.gradient", "q.gradient", "k.gradient"}, "embedding": {"embed"},
           "head": {"head", "head.wgrad", "head.dgrad"}, "residual": {"residual1", "residual2"},
           "contraction": {f"{n}{d}" for n in ("q", "k", "v", "o", "up", "down") for d in ("", ".wgrad", ".dgrad")}}


def run(text: str, *passes: str) -> str:
    done = subprocess.run([TOOL, "-", *passes], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def judge(text: str, *passes: str) -> tuple[dict, list]:
    """By name of an operation its class, direction and formats; tags of the arguments."""
    out = run(text, *passes, "--prec-classify", "--assign-precision=recipe=fp8-hybrid target=sm_90a", "--mlir-print-op-generic",
              "--mlir-print-debuginfo", "--mlir-print-local-scope")
    facts = {}
    for line in out.splitlines():
        name = re.search(r'loc\("([^"]*)"\)$', line)
        if not name or "tensor<" not in line.rpartition("->")[2] or name[1].rstrip("0123456789") in NOTHING:
            continue
        kind = re.search(r"prec.class = #prec.class<(\w+)>", line)
        operands = re.search(r"prec.operand_tags = \[(.*?)\](?=, prec|})", line)
        results = re.search(r"prec.result_tags = \[(.*?)\](?=, prec|})", line)
        def formats(tags):
            return re.findall(r"#prec.tag<(\w+)|unit", tags[1]) if tags else []
        direction = re.search(r"(fprop|dgrad|wgrad)", operands[1]) if operands else None
        facts[name[1]] = (kind and kind[1], direction and direction[1], formats(operands)[:2], formats(results))
    return facts, re.findall(r'prec.tag = #prec.tag<(\w+)[^>]*>, prec_train.path = "([^"]*)"', out)


@pytest.mark.parametrize("style", ["jax", "torch", "square"])
def test_a_step_is_judged_alike_in_every_form(style):
    text = foreign_steps.make(style)
    facts, arguments = judge(text)
    assert len(arguments) == 31
    for kind, names in CLASSES.items():
        assert {name: facts[name][0] for name in names} == dict.fromkeys(names, kind)
    optimizer = {name: fact[0] for name, fact in facts.items() if ".adam." in name}
    assert len(optimizer) == 60 and set(optimizer.values()) == {"optimizer"}
    for name, (kind, direction, operands, results) in facts.items():
        if kind == "contraction":
            assert direction == (name.rpartition(".")[2] if "." in name else "fprop"), name
            assert operands == (["e4m3", "e4m3"] if direction == "fprop" else ["e4m3", "e5m2"] if direction == "wgrad" else ["e5m2", "e4m3"]), name
        if kind == "optimizer":
            assert results == ["f32"], name
    rng = random.Random(style)
    for count in range(1, len(FORMS) + 1):
        for chosen in itertools.combinations(FORMS, count):
            passes = [f"--{name}" for name in rng.sample(chosen, count)]
            again, tagged = judge(text, *passes)
            assert tagged == arguments
            assert again == {name: facts[name] for name in again}, passes
            left = {name for name in facts if not name.startswith("transpose")}
            assert left <= set(again), (passes, left - set(again))
