"""prec-run --profile of the tiny Llama: bytes and FLOPs are those of the model's shapes, sums are sums, the file is of its schema."""
import json
import subprocess
from collections import defaultdict

import numpy as np
import pytest
from conftest import ROOT

import prec

MACHINE = ROOT / "targets/cpu.json"
SIZES = {"f32": 4, "bf16": 2, "f16": 2, "f8E4M3FN": 1, "f8E5M2": 1, "i1": 1, "i8": 1, "i32": 4, "i64": 8}
BATCH, HEADS, SEQUENCE, HEAD_SIZE = 2, 4, 32, 16
TOKENS = BATCH * SEQUENCE


@pytest.fixture(scope="module", params=["bf16", "fp8-hybrid"])
def profiled(request, tool, tmp_path_factory):
    """The module, what is printed, the JSON lines and the profiles with and without a machine."""
    folder = tmp_path_factory.mktemp("profile")
    subprocess.run([tool("prec-compile"), ROOT / "examples/llama_tiny.mlir", f"--recipe={request.param}", "--merge-contractions=off",
                    "-o", folder / "step.so"], check=True)
    np.random.default_rng(0).integers(0, 256, 200).astype(np.uint16).tofile(folder / "tokens.bin")

    def run(name, *options):
        done = subprocess.run([tool("prec-run"), "step.so", "--init", "random", "--tokens", "tokens.bin", "--profile", "--metrics", f"{name}.jsonl",
                               "--profile-json", f"{name}.json", *map(str, options)], cwd=folder, check=True, capture_output=True, text=True)
        lines = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]
        return done.stdout, lines, json.loads((folder / f"{name}.json").read_text())
    return prec.Module(folder / "step.so"), run("limited", "--profile-machine", MACHINE), run("plain")


def test_the_files_are_of_their_schema(profiled):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "docs/schemas/profile.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    for _, _, profile in profiled[1:]:
        jsonschema.validate(profile, schema, jsonschema.Draft202012Validator)


def test_sums(profiled):
    module, (output, lines, profile), _ = profiled
    commands = profile["commands"]
    assert [c["command"] for c in commands] == [c["name"] for c in module.manifest["entry_points"]["step"]]
    assert lines == [{key: c[key] for key in ("command", "phase", "op", "seconds", "bytes", "flops")} for c in commands]
    assert profile["seconds"] == pytest.approx(sum(c["seconds"] for c in commands))
    for part, keys in (("modules", ("phase", "op", "module")), ("ops", ("op",))):
        groups = {tuple(g[key] for key in keys): g for g in profile[part]}
        expected = defaultdict(list)
        for c in commands:
            expected[tuple(c[key] for key in keys)].append(c)
        assert groups.keys() == expected.keys() and len(groups) == len(profile[part])
        assert [g["seconds"] for g in profile[part]] == sorted((g["seconds"] for g in profile[part]), reverse=True)
        for key, members in expected.items():
            assert groups[key]["count"] == len(members)
            assert groups[key]["bytes"] == sum(c["bytes"] for c in members)
            assert groups[key]["flops"] == (sum(c["flops"] for c in members) if members[0]["flops"] is not None else None)
            assert groups[key]["seconds"] == pytest.approx(sum(c["seconds"] for c in members))
            assert groups[key]["limit"]["seconds"] == pytest.approx(sum(c["limit"]["seconds"] for c in members))
        # Layers are one.
        assert all(not any(p.isdigit() for p in g.get("module", "").split(".")) for g in profile[part])
    q_proj = next(g for g in profile["modules"] if g["op"] == "gemm" and g["module"].endswith("q_proj") and g["phase"] == "forward")
    assert q_proj["module"] == "model.layers.*.self_attn.q_proj" and q_proj["count"] == 2
    assert "model.layers.*.self_attn.q_proj" in output and f"{len(commands)} commands" in output


def test_bytes_are_those_of_the_buffers(profiled):
    module, (_, _, profile), _ = profiled
    sizes = [int(np.prod(b["shape"], dtype=np.int64)) * SIZES[b["dtype"]] for b in module.manifest["buffers"]]
    for mine, command in zip(profile["commands"], module.manifest["entry_points"]["step"], strict=True):
        assert mine["bytes"] == sum(sizes[i] for part in ("reads", "writes") for i in set(command[part])), command["name"]


def test_flops_are_those_of_the_model(profiled):
    """A linear layer multiplies its weight by every token forward, and twice as much backward."""
    module, (_, _, profile), _ = profiled
    flops = defaultdict(float)
    for c in profile["commands"]:
        if c["op"] == "gemm":
            flops[c["path"], c["phase"]] += c["flops"]
    weights = {b["name"].removesuffix(".weight"): module.manifest["buffers"][b["buffer"]]["shape"]
               for b in module.manifest["bindings"] if b["role"] == "parameter"}
    # The head is tied to the embedding.
    weights["lm_head"] = weights.pop("model.embed_tokens")
    linear = {path: np.prod(shape) for path, shape in weights.items() if len(shape) == 2}
    assert len(linear) == 15
    assert flops == {(path, phase): factor * TOKENS * size for path, size in linear.items() for phase, factor in (("forward", 2), ("backward", 4))}
    attention = 4 * BATCH * HEADS * SEQUENCE**2 * HEAD_SIZE / 2
    assert [c["flops"] for c in profile["commands"] if c["op"] == "sdpa_forward"] == [attention] * 2
    assert [c["flops"] for c in profile["commands"] if c["op"] == "sdpa_backward"] == [2.5 * attention] * 2
    assert all((c["flops"] is None) == (c["op"] in ("kernel", "copy", "fill")) for c in profile["commands"])


def test_limits_are_those_of_the_machine(profiled):
    _, (output, _, profile), (plain_output, _, plain) = profiled
    rates = json.loads(MACHINE.read_text())
    for c in profile["commands"]:
        moving = c["bytes"] / rates["bytes_per_second"]["value"]
        computing = c["flops"] / rates["flops_per_second"][c["unit"]]["value"] if c["flops"] else 0
        assert c["limit"]["seconds"] == pytest.approx(max(moving, computing))
        assert c["limit"]["bound"] == ("flops" if computing > moving else "bytes")
    assert {c["unit"] for c in profile["commands"]} >= ({None, "fp8"} if "fp8" in profile["recipe"] else {None, "bf16"})
    assert f"limits of {rates['device']} (cpu)" in output and "% bytes" in output and "--profile-machine" not in output
    assert plain["machine"] is None and all(c["limit"] is None for c in plain["commands"])
    assert plain_output.count("--profile-machine") == 1 and "% bytes" not in plain_output
