# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prec-run --profile of the tiny Llama: bytes and FLOPs are those of the model's shapes, sums are sums, the file is of
its schema."""
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
    module = prec.Module(folder / "step.so")
    module.file = folder / "step.so"
    return module, run("limited", "--profile-machine", MACHINE, "--profile-floor"), run("plain")


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
    for part, keys in (("modules", ("phase", "op", "module", "graph_ops")), ("ops", ("op",))):
        groups = {tuple(str(g[key]) for key in keys): g for g in profile[part]}
        expected = defaultdict(list)
        for c in commands:
            expected[tuple(str(c[key]) for key in keys)].append(c)
        assert groups.keys() == expected.keys() and len(groups) == len(profile[part])
        assert [g["seconds"] for g in profile[part]] == sorted((g["seconds"] for g in profile[part]), reverse=True)
        for key, members in expected.items():
            assert groups[key]["count"] == len(members)
            assert groups[key]["bytes"] == sum(c["bytes"] for c in members)
            assert groups[key]["flops"] == (sum(c["flops"] for c in members) if members[0]["flops"] is not None else None)
            assert groups[key]["seconds"] == pytest.approx(sum(c["seconds"] for c in members))
            assert groups[key]["limit"]["seconds"] == pytest.approx(sum(c["limit"]["seconds"] for c in members))
            assert groups[key]["floor"]["seconds"] == pytest.approx(sum(c["floor"]["seconds"] for c in members))
            assert groups[key]["floor"]["bytes"] == (sum(c["floor"]["bytes"] for c in members) if members[0]["flops"] is None else None)
        # Layers are one.
        assert all(not any(p.isdigit() for p in g.get("module", "").split(".")) for g in profile[part])
    q_proj = next(g for g in profile["modules"] if g["op"] == "gemm" and g["module"].endswith("q_proj") and g["phase"] == "forward")
    assert q_proj["module"] == "model.layers.*.self_attn.q_proj" and q_proj["count"] == 2
    assert "model.layers.*.self_attn.q_proj" in output and f"{len(commands)} commands" in output


def test_commands_name_operations_of_the_graph(profiled):
    module, (output, _, profile), _ = profiled
    commands = profile["commands"]
    assert [c["graph_ops"] for c in commands] == [c.get("graph_ops", []) for c in module.manifest["entry_points"]["step"]]
    for c in commands:
        expected = {"sdpa_forward": ["attention"], "sdpa_backward": ["attention_grad"], "copy": [], "fill": []}
        if c["op"] == "gemm":
            assert c["graph_ops"] in (["matmul"], ["scaled_matmul"])
        elif c["op"] != "kernel":
            assert c["graph_ops"] == expected[c["op"]]
        else:
            assert c["graph_ops"] and len(set(c["graph_ops"])) == len(c["graph_ops"])
    named = defaultdict(set)
    for c in commands:
        named[c["phase"]].update(c["graph_ops"])
    assert {"embedding", "rms_norm", "rope", "cross_entropy"} <= named["forward"]
    assert {"rms_norm_grad", "cross_entropy_grad", "embedding_grad"} <= named["backward"] | named["forward"]
    assert {"global_norm", "clip", "finite_guard", "adamw"} <= named["optimizer"]
    norms = [c for c in commands if c["path"].endswith("input_layernorm") and c["phase"] == "forward"]
    assert norms and all("rms_norm" in c["graph_ops"] for c in norms)
    assert any("rms_norm" in line and "layernorm" in line for line in output.splitlines())


def test_commands_of_a_step_have_a_module(profiled):
    _, _, profile = profiled[1]
    assert all(c["path"] for c in profile["commands"])
    assert any(c["module"] == "finite_guard" and c["phase"] == "optimizer" for c in profile["commands"])


@pytest.mark.parametrize(
    "options, modules",
    [
        (["--recipe=fp8-hybrid", "--assign=tensor-scaling=delayed"], {"delayed_scaling", "metrics", "finite_guard"}),
        (["--recipe=bf16", "--count-lost-updates"], {"metrics", "finite_guard"}),
    ],
)
def test_what_the_compiler_adds_has_a_name(options, modules, tool, tmp_path):
    subprocess.run([tool("prec-compile"), ROOT / "examples/llama_tiny.mlir", *options, "-o", tmp_path / "step.so"], check=True)
    step = prec.Module(tmp_path / "step.so").manifest["entry_points"]["step"]
    assert all(c.get("path") for c in step)
    assert modules <= {c["path"] for c in step}


def test_there_is_one_engine_on_a_cpu(profiled):
    _, _, profile = profiled[1]
    assert all(c["engine"] is None for c in profile["commands"]) and all(g["engines"] == [] for g in profile["modules"])


def test_bytes_are_those_of_the_buffers(profiled):
    module, (_, _, profile), _ = profiled
    sizes = [int(np.prod(b["shape"], dtype=np.int64)) * SIZES[b["dtype"]] for b in module.manifest["buffers"]]
    for mine, command in zip(profile["commands"], module.manifest["entry_points"]["step"], strict=True):
        needed = sizes.copy()
        for part in command.get("parts", ()):
            needed[part["buffer"]] = part["bytes"] * part["count"]
        assert mine["bytes"] == sum(needed[i] for part in ("reads", "writes") for i in set(command[part])), command["name"]


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


def count_unavoidable(manifest):
    """Byte by byte: who wrote it, whether that is counted, and the levels that read it."""
    commands, sizes = manifest["entry_points"]["step"], manifest["segments"]
    # The last entry is of what is there before the step.
    replayed = np.array([c["op"] in ("gemm", "sdpa_forward", "sdpa_backward") for c in commands] + [True])
    fill = np.array([c["op"] == "fill" for c in commands] + [False])
    level, total = np.zeros(len(commands) + 1, int), np.zeros(len(commands) + 1, int)
    writer = {name: np.full(size, -1) for name, size in sizes.items()}
    written = {name: np.zeros(size, bool) for name, size in sizes.items()}
    read = {name: defaultdict(lambda size=size: np.zeros(size, bool)) for name, size in sizes.items()}

    def window(index):
        b = manifest["buffers"][index]
        return b["segment"], slice(b["offset"], b["offset"] + int(np.prod(b["shape"], dtype=np.int64)) * SIZES[b["dtype"]])

    def needed(command, index):
        """Where a command reads a buffer, whole rows of it, and which of these bytes it needs."""
        segment, whole = window(index)
        found = [part for part in command.get("parts", ()) if part["buffer"] == index and index not in command["writes"]]
        if not found:
            return segment, whole, True
        begin, bytes, stride, count = (found[0][key] for key in ("offset", "bytes", "stride", "count"))
        if count == 1:
            return segment, slice(whole.start + begin, whole.start + begin + bytes), True
        rows = slice(whole.start + begin - begin % stride, whole.start + begin - begin % stride + count * stride)
        return segment, rows, (np.arange(count * stride) % stride >= begin % stride) & (np.arange(count * stride) % stride < begin % stride + bytes)

    def need(segment, part, which):
        new = which & ~replayed[writer[segment][part]] & ~written[segment][part]
        np.add.at(total, writer[segment][part][new], 1)
        written[segment][part] |= new

    for i, command in enumerate(commands):
        reads = [window(index) for index in command["reads"]]
        level[i] = max((level[writer[segment][part]].max() for segment, part in reads), default=0) + replayed[i]
        for segment, part, which in (needed(command, index) for index in command["reads"]):
            who = writer[segment][part]
            if replayed[i]:
                need(segment, part, np.full(len(who), True))
                continue
            elsewhere = replayed[who] | (level[who] != level[i]) & ~fill[who]
            need(segment, part, elsewhere)
            total[i] += np.sum(elsewhere & which & ~read[segment][level[i]][part])
            read[segment][level[i]][part] |= elsewhere & which
        for segment, part in map(window, command["writes"]):
            writer[segment][part], written[segment][part] = i, False
            for levels in read[segment].values():
                levels[part] = False
    for segment in ("state", "output"):
        need(segment, slice(None), np.full(sizes[segment], True))
    return total[:-1]


def test_floor_is_what_an_ideal_fusion_needs(profiled):
    module, (output, _, profile), (plain_output, _, plain) = profiled
    floor, commands = profile["floor"], profile["commands"]
    unavoidable = count_unavoidable(module.manifest)
    moving = [i for i, c in enumerate(commands) if c["flops"] is None]
    assert [commands[i]["floor"]["bytes"] for i in moving] == unavoidable[moving].tolist()
    assert floor["bytes"] == unavoidable.sum() and 0 < floor["bytes"] < sum(commands[i]["bytes"] for i in moving)
    for c, command in zip(commands, module.manifest["entry_points"]["step"], strict=True):
        if c["flops"] is None:
            # What a command leaves as it was of what it changes in place passes through it, but is not moved.
            changed = any(part["buffer"] in command["writes"] for part in command.get("parts", ()))
            assert changed or c["floor"]["bytes"] <= c["bytes"]
            assert c["floor"]["seconds"] == pytest.approx(c["floor"]["bytes"] / floor["bytes_per_second"])
        else:
            assert c["floor"]["bytes"] is None and c["floor"]["seconds"] > 0
    assert floor["replayed_seconds"] == pytest.approx(sum(c["floor"]["seconds"] for c in commands if c["flops"] is not None))
    assert floor["seconds"] == pytest.approx(floor["replayed_seconds"] + floor["bytes"] / floor["bytes_per_second"])
    assert floor["rounds"] >= 5 and floor["bytes_per_second"] > 1e8
    taken = f"the step takes {floor['step_seconds'] * 1e3:.3f} ms, {floor['step_seconds'] / floor['seconds']:.2f} times as long"
    assert f"floor {floor['seconds'] * 1e3:.3f} ms: products and attention replayed " in output and taken in output
    assert floor["step_seconds"] > 0.5 * floor["replayed_seconds"]
    assert "of floor" in output and "floor" not in plain_output
    assert plain["floor"] is None and all(c["floor"] is None for part in ("commands", "modules", "ops") for c in plain[part])


def test_times_that_were_measured_elsewhere(profiled, tool, tmp_path):
    """By the module in Python; nothing of it is loaded."""
    module, (_, _, measured), _ = profiled
    ids = np.zeros(module.binding("input_ids").shape, np.int32)
    module.init_random()
    times = module.profile({b.name: ids for b in module.bindings if b.role == "batch"})

    def run(entries):
        (tmp_path / "times.json").write_text(json.dumps(entries))
        return subprocess.run([tool("prec-run"), module.file, "--profile", "--profile-of", tmp_path / "times.json", "--profile-machine",
                               MACHINE, "--profile-json", tmp_path / "out.json", "--profile-html", tmp_path / "out.html"],
                              capture_output=True, text=True)
    done = run(times)
    assert done.returncode == 0, done.stderr
    profile = json.loads((tmp_path / "out.json").read_text())
    assert [(c["command"], c["seconds"]) for c in profile["commands"]] == [(t["name"], t["seconds"]) for t in times]
    assert [c["bytes"] for c in profile["commands"]] == [c["bytes"] for c in measured["commands"]] and profile["rounds"] == 1
    assert "<html" in (tmp_path / "out.html").read_text()
    for wrong, message in ((times[1:], f"times: must have the step's {len(times)} commands, but got {len(times) - 1}"),
                           ([times[1], times[0], *times[2:]], f"times[0]: must be of command '{times[0]['name']}', but got '{times[1]['name']}'"),
                           ([times[0] | {"seconds": -1}, *times[1:]], "times[0]: must have a time of at least 0, but got -1")):
        done = run(wrong)
        assert done.returncode == 1 and message in done.stderr, done.stderr
