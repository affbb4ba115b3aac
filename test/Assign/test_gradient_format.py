# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gradient-format= with every scaling and target: each gradient that is read in FP8 has the format that was asked for,
or, by numerics of which each gradient's numbers are drawn, the one that a few lines of Python say; what cannot be is
refused, and listed here. The steps are verified by --verify-precision."""
import json
import random
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "build/bin/prec-opt"
SCALINGS = {"current": "recipe=fp8-hybrid", "delayed": "recipe=fp8-hybrid tensor-scaling=delayed", "e4m3": "recipe=fp8-e4m3",
            "row": "recipe=fp8-rowwise", "block": "recipe=fp8-block", "mx": "recipe=mxfp8", "nvfp4": "recipe=nvfp4", "bf16": "recipe=bf16"}
TARGETS = ["cpu", "sm_89", "sm_90a", "sm_100a"]
FORMATS = ["e4m3", "e5m2"]


def assign(folder, options):
    """The step's operations with formats, or the error."""
    done = subprocess.run([TOOL, ROOT / "examples/llama_tiny.mlir", "--prec-raise-composites",
                           f"--assign-precision={options} map-file={folder / 'map.json'}", "--verify-precision", "-o", "/dev/null"],
                          capture_output=True, text=True)
    if done.returncode:
        return done.stderr
    return json.loads((folder / "map.json").read_text())["functions"][0]["operations"]


def narrow(operations):
    """Operands that are read in FP8, by path, direction and number."""
    return {(op["path"], op["direction"], read["operand"]): read for op in operations if "direction" in op for read in op["reads"]
            if read["format"] in FORMATS}


def draw(uses):
    """Numerics of all operands. A gradient of a layer has the same numbers in both of its products."""
    numbers, entries = {}, []
    for (path, direction, operand), read in sorted(uses.items()):
        losses = []
        for format in FORMATS:
            source = random.Random(f"{path} {operand} {format}" if operand == 0 else "weights")
            losses.append({"format": format, "scaling": read["scaling"], "overflow": 0,
                           "underflow": source.choice([0, 0.01, 0.2]) if operand == 0 else 0, "sqnr_db": source.uniform(20, 30)})
        entries.append({"path": path, "direction": direction, "operand": operand, "amax": 1, "rms": 0.1, "losses": losses})
        numbers[path, direction, operand] = {loss["format"]: (loss["underflow"], loss["sqnr_db"]) for loss in losses}
    return numbers, {"version": 1, "uses": entries, "tensors": []}


# Layers that read one value.
GROUPS = [("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj")]


def expected(numbers, path, direction, own):
    parent, _, name = path.rpartition(".")
    names = next((group for group in GROUPS if name in group), (name,))
    of = [numbers[f"{parent}.{each}", direction, 0] for each in names]
    worst = {format: (max(n[format][0] for n in of), min(n[format][1] for n in of)) for format in FORMATS}
    fitting = [format for format in FORMATS if worst[format][0] <= 0.05] or FORMATS
    return max(fitting, key=lambda format: (worst[format][1], format == own))


@pytest.mark.cases(2)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("scaling", SCALINGS)
def test_gradients_have_the_format(scaling, target, tmp_path):
    options = f"{SCALINGS[scaling]} target={target} limits=underflow:0.9"
    plain = assign(tmp_path, options)
    if isinstance(plain, str):
        # The target has no such products, whatever the format of gradients.
        assert "but" in plain
        return
    if scaling in ("bf16", "nvfp4"):
        for format in (*FORMATS, "measured"):
            assert "gradient-format must have gradients that are read in FP8, but recipe" in assign(tmp_path, f"{options} gradient-format={format}")
        return
    own = {"current": "e5m2", "delayed": "e5m2"}.get(scaling, "e4m3")
    uses = narrow(plain)
    gradients = {key for key in uses if key[1] != "fprop" and key[2] == 0}
    assert gradients and {uses[key]["format"] for key in gradients} == {own}
    for format in FORMATS:
        got = assign(tmp_path, f"{options} gradient-format={format}")
        if isinstance(got, str):
            assert f"reads {format} x e4m3" in got and (scaling, target) in {("block", "sm_90a")} and format == "e5m2"
            continue
        wanted = {key: format if key in gradients else uses[key]["format"] for key in uses}
        assert {key: read["format"] for key, read in narrow(got).items()} == wanted
    numbers, document = draw(uses)
    (tmp_path / "numerics.json").write_text(json.dumps(document))
    got = assign(tmp_path, f"{SCALINGS[scaling]} target={target} gradient-format=measured limits=underflow:0.05 "
                                 f"bounds=warn numerics={tmp_path / 'numerics.json'}")
    for key in gradients:
        wanted = expected(numbers, key[0], key[1], own)
        if numbers[key][wanted][0] <= 0.05:  # Else bounds keep it out of FP8.
            read = narrow(got)[key]
            assert read["format"] == wanted, key
            assert all(format in read["rule"] for format in FORMATS)


@pytest.mark.parametrize("options, error", [
    ("gradient-format=fp8", "gradient-format must be e5m2, e4m3 or measured, but got 'fp8'"),
    ("gradient-format=", "gradient-format must be e5m2, e4m3 or measured, but got ''"),
    ("recipe=bf16 gradient-format=e4m3",
     "gradient-format must have gradients that are read in FP8, but recipe bf16 reads none"),  # gradient_format_c1
    ("gradient-format=e4m3 reads=wgrad.gradient:e5m2",
     "gradient-format must decide alone what gradients are read in, but got reads=wgrad.gradient, too"),  # gradient_format_c2
    ("gradient-format=measured",
     "gradient-format=measured must have numerics=FILE, and bounds, by which formats are chosen, but got no numerics"),  # gradient_format_c3
    (f"gradient-format=measured bounds=off numerics={ROOT / 'test/Assign/Inputs/numerics.json'}", "but got bounds=off")])
def test_what_cannot_be_is_refused(options, error, tmp_path):
    assert error in assign(tmp_path, options)


def test_what_was_not_measured_is_the_recipes(tmp_path):
    got = assign(tmp_path, f"target=cpu gradient-format=measured numerics={ROOT / 'test/Assign/Inputs/numerics.json'}")
    assert {read["format"] for key, read in narrow(got).items() if key[1] != "fprop" and key[2] == 0} == {"e5m2"}
