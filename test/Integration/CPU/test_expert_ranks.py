# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that have experts and batches of their own (--mesh=ep=N, dp=M,ep=N) train as one process does with as many
micro-batches: in FP32 losses and weights stay within 2e-5 of it over 50 steps, with other recipes near it. Runs repeat
bit for bit, go on from each other's checkpoints, and run again with room for all rows where these have none."""
from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from first_step import adamw, import_step
from rank_processes import run_ranks
from safetensors.numpy import load_file, save_file
from test_against_pytorch import BATCH, SEQUENCE, VOCABULARY
from test_divided_kinds import DEEPSEEK, EXPERTS
from test_divided_layers import weights
from test_rank_training import digests
from transformers import AutoConfig, AutoModelForCausalLM
from uneven_batches import UNEVEN, uneven

import prec

# Two layers each; the numbers of their parameters that are of experts.
KINDS = {
    "mixtral": ({**EXPERTS, "num_local_experts": 4}, 4),
    "qwen2_moe": ({**EXPERTS, "num_experts": 4, "moe_intermediate_size": 32, "shared_expert_intermediate_size": 64}, 4),
    "qwen3_moe": ({**EXPERTS, "head_dim": 16, "num_experts": 8, "moe_intermediate_size": 32, "num_experts_per_tok": 3}, 4),
    "olmoe": ({**EXPERTS, "num_experts": 4}, 4),
    "deepseek_v3": ({**DEEPSEEK, "q_lora_rank": 32, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 16,
                     "num_key_value_heads": 4}, 2),
    "glm4_moe": ({**DEEPSEEK, "head_dim": 16}, 2),
}
# With the loss that balances what routers choose.
ROUTER = {"output_router_logits": True, "router_aux_loss_coef": 0.5}
KINDS |= {f"{kind}+router": (KINDS[kind][0] | ROUTER, KINDS[kind][1]) for kind in ("mixtral", "qwen3_moe")}
# With attention trained alone, as adapters of it are.
KINDS["qwen3_moe+frozen"] = KINDS["qwen3_moe"]
CASES = {**{recipe: [f"--recipe={recipe}"] for recipe in ("fp32", "bf16", "fp8-hybrid", "fp8-block", "fp8-rowwise", "fp16")},
         "delayed": ["--recipe=fp8-hybrid", "--assign=tensor-scaling=delayed amax-history=4"],
         # Tokens are sent in FP8.
         "shared": ["--recipe=fp8-hybrid", "--assign=tensor-scaling=delayed amax-history=4 expert-scales=shared"],
         "shared-now": ["--recipe=fp8-hybrid", "--assign=expert-scales=shared"]}
# How far losses may be from one process's: it has scales of each micro-batch, and rounds each one's gradient.
NEAR = {"fp32": 2e-5, "bf16": 5e-3, "fp16": 5e-3}
LARGEST = 2e-2
# What is not loaded, or loaded to another place, is off by more than 1e-2.
WEIGHTS = 5e-4


def build(kind, **more):
    config = AutoConfig.for_model(kind.split("+")[0], **KINDS[kind][0] | more, attn_implementation="sdpa")
    model = AutoModelForCausalLM.from_config(config)
    if kind.endswith("+frozen"):
        for name, parameter in model.named_parameters():
            parameter.requires_grad_("self_attn" in name)
    return model


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """By kind a folder with a graph, weights and tokens."""
    @cache
    def make(kind: str) -> Path:
        folder = tmp_path_factory.mktemp(kind)
        _, imported = import_step(lambda: build(kind), make_optimizer=lambda given: adamw([p for p in given if p.requires_grad]))
        imported.write(folder / "graph.mlir")
        imported.write_weights(folder / "weights.safetensors")
        np.random.default_rng(0).integers(0, VOCABULARY, 60_000).astype(np.uint16).tofile(folder / "tokens.bin")
        return folder
    return make


@pytest.fixture(scope="module")
def compiled(tool, start):
    @cache
    def compile_for(kind: str, case: str, mesh: str, *more: str) -> Path:
        """A module of one process takes micro-batches."""
        path = start(kind) / ("-".join([case, mesh, *more]).replace(" ", "_") + ".so")
        done = subprocess.run([tool("prec-compile"), start(kind) / "graph.mlir", *CASES[case], *([f"--mesh={mesh}"] if mesh else ["--accumulate"]),
                               *more, "-o", path], check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        if mesh:
            assert f"each has slices of {KINDS[kind][1]} parameters" in done.stderr, done.stderr
            assert ("frozen weights and copies of them are whole on every rank" in done.stderr) == kind.endswith("+frozen")
        return path
    return compile_for


def count(mesh: str) -> int:
    return int(np.prod([int(axis.split("=")[1]) for axis in mesh.split(",")])) if mesh else 1


@pytest.fixture
def train(tool, start, compiled):
    def run(kind: str, case: str, mesh: str, folder: Path, steps: int, *more: str, options: tuple[str, ...] = (), given: Path | None = None,
            ) -> list[dict]:
        """What metrics say of each step; goes on from what is in the folder."""
        metrics = folder.with_suffix(".jsonl")
        arguments = [tool("prec-run"), compiled(kind, case, mesh, *options), "--tokens", start(kind) / "tokens.bin", "--lr", "1e-3", "--steps",
                     str(steps), "--threads", "1", "--label-shift", "1", "--metrics", metrics, "--save", folder, *more]
        arguments += ["--resume", folder] if folder.exists() else ["--weights", given or start(kind) / "weights.safetensors"]
        run_ranks(arguments, count(mesh), timeout=300)
        return [json.loads(line) for line in metrics.read_text().splitlines() if '"loss"' in line]
    return run


def losses(entries: list[dict]) -> np.ndarray:
    return np.array([entry["loss"] for entry in entries])


def assert_near(folder: Path, other: Path, most: float) -> None:
    """As a share of each tensor: AdamW makes whole steps of gradients that are 0 but for rounding."""
    ours, theirs = weights(folder), weights(other)
    assert ours.keys() == theirs.keys() and len(ours) > 10
    for name, tensor in ours.items():
        assert tensor.shape == theirs[name].shape, name
        assert np.linalg.norm(tensor - theirs[name]) <= most * max(np.linalg.norm(theirs[name]), 1e-3), name


# In 50 steps; of more experts two of a token's scores come as close as sums in another order differ, and it is another
# expert that is chosen.
MESHES = {"mixtral": (50, ["ep=2", "ep=4", "dp=2,ep=2", "ep=2,tp=2"]), "qwen3_moe": (25, ["ep=2", "ep=4", "dp=2,ep=2"]),
          **dict.fromkeys(("qwen2_moe", "olmoe", "deepseek_v3", "glm4_moe"), (15, ["ep=2"]))}


@pytest.mark.cases(1)
@pytest.mark.parametrize(("kind", "mesh"), [
    pytest.param(kind, mesh, marks=[] if (kind, mesh) == ("mixtral", "ep=2") else pytest.mark.long)
    for kind, (_, meshes) in MESHES.items() for mesh in meshes])
def test_fp32_trains_as_one_process(train, kind, mesh, tmp_path):
    steps = MESHES[kind][0]
    ranks = {axis: int(size) for axis, size in (part.split("=") for part in mesh.split(","))}
    batches = ranks["ep"] * ranks.get("dp", 1)
    one = train(kind, "fp32", "", tmp_path / "one", steps, "--micro-batches", str(batches))
    several = train(kind, "fp32", mesh, tmp_path / "several", steps, options=(f"--expert-room={ranks['ep']}",))
    assert len(one) == len(several) == steps
    assert np.abs(losses(one) - losses(several)).max() <= NEAR["fp32"]
    assert_near(tmp_path / "several", tmp_path / "one", WEIGHTS)


@pytest.mark.parametrize("case", [pytest.param(case, marks=[] if case == "fp8-hybrid" else pytest.mark.long) for case in CASES if case != "fp32"])
@pytest.mark.long
def test_other_recipes_stay_near_one_process(train, case, tmp_path):
    one = train("qwen3_moe", case, "", tmp_path / "one", 15, "--micro-batches", "2")
    two = train("qwen3_moe", case, "ep=2", tmp_path / "two", 15, options=("--expert-room=2",))
    assert 0 < np.abs(losses(one) - losses(two)).max() <= NEAR.get(case, LARGEST)


@pytest.mark.long
@pytest.mark.parametrize(("case", "more"), [("fp32", ()), ("bf16", ("--zero=3",)), ("fp8-hybrid", ()), ("fp8-block", ()), ("fp8-rowwise", ()),
                                           ("shared", ("--zero=3",))])
def test_frozen_experts_are_divided(train, case, more, tmp_path):
    one = train("qwen3_moe+frozen", case, "", tmp_path / "one", 5, "--micro-batches", "2")
    several = train("qwen3_moe+frozen", case, "ep=2", tmp_path / "several", 5, options=("--expert-room=2", *more))
    assert np.abs(losses(one) - losses(several)).max() <= NEAR.get(case, LARGEST)
    few = train("qwen3_moe+frozen", case, "ep=2", tmp_path / "few", 5, options=("--expert-room=1", *more))
    assert losses(few).tolist() == losses(several).tolist() and any("crowded" in entry for entry in few)


@pytest.mark.parametrize(("case", "mesh"), [("fp8-hybrid", "ep=2"), ("fp8-block", "dp=2,ep=2"), ("shared", "ep=2"), ("shared", "ep=4"),
                                            ("shared-now", "dp=2,ep=2")])
@pytest.mark.long
def test_two_runs_have_the_same_bits(train, case, mesh, tmp_path):
    for folder in ("one", "other"):
        train("qwen3_moe", case, mesh, tmp_path / folder, 3, options=("--expert-room=2",))
    assert digests(tmp_path / "one") == digests(tmp_path / "other")


def test_checkpoints_go_on_in_one_process_and_back(train, tmp_path):
    """Masters and moments are whole in files, under their names: what one process saves is what ranks load."""
    for folder, meshes in (("one", ["", "", ""]), ("others", ["ep=2", "", "ep=2"])):
        for steps, mesh in zip((4, 7, 10), meshes):
            train("qwen3_moe", "fp32", mesh, tmp_path / folder, steps, *([] if mesh else ["--micro-batches", "2"]),
                  options=("--expert-room=2",) if mesh else ())
    assert_near(tmp_path / "others", tmp_path / "one", WEIGHTS)
    before = digests(tmp_path / "others")
    train("qwen3_moe", "fp32", "", tmp_path / "others", 10, "--micro-batches", "2")
    tensors = [{digest for name, digest in found.items() if name.endswith("safetensors")} for found in (before, digests(tmp_path / "others"))]
    assert tensors[0] == tensors[1] and len(tensors[0]) == 2


def all_to_the_first(folder: Path, path: Path) -> Path:
    """Weights whose routers give every expert the same score: all tokens choose the first ones, which rank 0 has."""
    tensors = load_file(folder / "weights.safetensors")
    routers = [name for name in tensors if name.endswith("mlp.gate.weight")]
    assert routers
    save_file({name: np.zeros_like(x) if name in routers else x for name, x in tensors.items()}, path)
    return path


# A rank gets more rows than it has room for in all of these steps, or in some.
@pytest.mark.parametrize(("case", "mesh"), [
    (case, "ep=2") if case in ("fp32", "delayed") else pytest.param(case, "ep=2", marks=pytest.mark.long) for case in CASES] + [
    pytest.param("fp32", mesh, marks=pytest.mark.long) for mesh in ("dp=2,ep=2", "ep=2,tp=2")])
@pytest.mark.long
def test_rows_without_room_run_again_with_room_for_all(train, start, case, mesh, tmp_path):
    """The same bits as with room enough: losses, metrics, weights, states, scales, and how many steps were bad:
    none."""
    given = all_to_the_first(start("qwen3_moe"), tmp_path / "zeros.safetensors")
    few, all_ = (train("qwen3_moe", case, mesh, tmp_path / name, 4, given=given, options=options)
                 for name, options in (("few", ()), ("all", ("--expert-room=2",))))
    assert [entry.pop("crowded", 0) for entry in few][0] == 1
    for entries in (few, all_):
        assert not any(entry.keys() & {"skipped", "crowded"} for entry in entries)
    for name in ("loss", "grad_norm", "tokens"):
        assert [entry[name] for entry in few] == [entry[name] for entry in all_], name
    assert digests(tmp_path / "few") == digests(tmp_path / "all")


# Micro-batches of ranks: those that are taken at the same time are one.
@pytest.mark.long
@pytest.mark.parametrize(("kind", "case", "mesh", "zero"), [
    ("qwen3_moe", "fp32", "ep=2", "1"), ("qwen3_moe", "fp32", "ep=2", "2"), ("qwen3_moe", "fp32", "ep=2", "3"),
    ("mixtral", "fp32", "dp=2,ep=2", "1"), ("mixtral", "fp32", "dp=2,ep=2", "2"), ("mixtral", "fp32", "ep=2,tp=2", "1"),
    ("mixtral+router", "fp32", "ep=2", "1"), ("mixtral+router", "fp32", "ep=2", "2"), ("qwen3_moe", "bf16", "ep=2", "1"),
    ("qwen3_moe", "delayed", "dp=2,ep=2", "1"), ("qwen3_moe", "fp16", "ep=2", "1"), ("qwen3_moe", "shared", "dp=2,ep=2", "1"),
    ("qwen3_moe", "shared-now", "ep=2", "2")])
def test_micro_batches_are_those_of_one_process(train, kind, case, mesh, zero, tmp_path):
    """Two of each rank, as one process takes them in turns."""
    ranks = {axis: int(size) for axis, size in (part.split("=") for part in mesh.split(","))}
    batches = 2 * ranks["ep"] * ranks.get("dp", 1)
    one = train(kind, case, "", tmp_path / "one", 8, "--micro-batches", str(batches))
    options = ("--accumulate", f"--zero={zero}", f"--expert-room={ranks['ep']}")
    several = train(kind, case, mesh, tmp_path / "several", 8, "--micro-batches", "2", options=options)
    assert [entry["tokens"] for entry in one] == [entry["tokens"] for entry in several]
    assert np.abs(losses(one) - losses(several)).max() <= NEAR.get(case, LARGEST)
    if case == "fp32":
        assert_near(tmp_path / "several", tmp_path / "one", WEIGHTS)


@pytest.mark.long
@pytest.mark.parametrize(("kind", "case", "mesh"), [
    ("qwen3_moe", "fp32", "ep=2"), ("qwen3_moe", "delayed", "ep=2"), ("mixtral+router", "bf16", "dp=2,ep=2"),
    ("qwen3_moe", "fp8-hybrid", "ep=2,tp=2"), ("qwen3_moe", "shared", "ep=2,tp=2"), ("deepseek_v3", "shared", "ep=2")])
def test_one_micro_batch_is_a_step(train, kind, case, mesh, tmp_path):
    room = ("--expert-room=2",)
    step = train(kind, case, mesh, tmp_path / "step", 3, options=room)
    parts = [train(kind, case, mesh, tmp_path / zero, 3, "--micro-batches", "1", options=("--accumulate", f"--zero={zero}", *room)) for zero in "12"]
    assert losses(step).tolist() == losses(parts[0]).tolist() == losses(parts[1]).tolist()
    assert digests(tmp_path / "step") == digests(tmp_path / "1") == digests(tmp_path / "2")


# Micro-batches in which a rank has too little room leave the sums as they are, and run again.
@pytest.mark.parametrize(("kind", "case", "mesh", "zero"), [
    pytest.param(*given, marks=[] if given[1:] == ("shared", "ep=2", "1") else pytest.mark.long) for given in (
        ("qwen3_moe", "fp32", "ep=2", "1"), ("qwen3_moe", "delayed", "ep=2", "1"), ("qwen3_moe", "bf16", "ep=2", "1"),
        ("qwen3_moe", "bf16", "ep=2", "2"), ("qwen3_moe", "fp16", "dp=2,ep=2", "1"), ("qwen3_moe", "delayed", "dp=2,ep=2", "2"),
        ("qwen3_moe", "fp8-block", "ep=2,tp=2", "1"), ("qwen3_moe", "shared", "ep=2", "1"), ("qwen3_moe", "shared", "dp=2,ep=2", "2"),
        ("qwen3_moe", "shared-now", "ep=2,tp=2", "1"), ("qwen3_moe+router", "bf16", "ep=2", "1"))])
def test_micro_batches_without_room_run_again(train, start, kind, case, mesh, zero, tmp_path):
    given = all_to_the_first(start(kind), tmp_path / "zeros.safetensors")
    few, all_ = (train(kind, case, mesh, tmp_path / name, 3, "--micro-batches", "3", given=given,
                       options=("--accumulate", f"--zero={zero}", *options))
                 for name, options in (("few", ()), ("all", ("--expert-room=2",))))
    # All of the first step, and some later.
    assert [entry.pop("crowded", 0) for entry in few][0] == 3
    for entries in (few, all_):
        assert not any(entry.keys() & {"skipped", "crowded"} for entry in entries)
    for name in ("loss", "grad_norm", "tokens"):
        assert [entry[name] for entry in few] == [entry[name] for entry in all_], name
    assert digests(tmp_path / "few") == digests(tmp_path / "all")


@pytest.mark.long
@pytest.mark.parametrize(("case", "mesh", "room"), [("bf16", "ep=4", "1.25"), ("fp8-hybrid", "ep=4", "1.25"), ("bf16", "ep=2", "1")])
def test_room_for_all_costs_no_memory(tool, case, mesh, room, tmp_path):
    """What runs again has all rows of one layer at a time, in the workspace that the step takes; with room for all rows
    of every layer it would be about twice as much."""
    model, ids = build("mixtral", num_local_experts=8, num_hidden_layers=6), torch.zeros(4, 64, dtype=torch.int64)
    imported = prec.import_torch(model, adamw(model.parameters()), {"input_ids": ids, "labels": ids}, clip_grad_norm=1.0, verify=False)
    imported.write(tmp_path / "graph.mlir")
    workspace = {}
    for rows in (room, mesh[-1]):
        report = tmp_path / f"{rows}.json"
        subprocess.run([tool("prec-compile"), tmp_path / "graph.mlir", *CASES[case], f"--mesh={mesh}", f"--expert-room={rows}", "--accumulate",
                        f"--memory-report={report}", "-o", tmp_path / "step.so"], check=True, capture_output=True)
        workspace[rows] = {name: one["arena_bytes"] for name, one in json.loads(report.read_text())["functions"].items()}
    few, all_ = workspace[room], workspace[mesh[-1]]
    for name in ("step", "accumulate"):
        assert few[f"crowded_{name}"] <= few[name] <= 0.7 * all_[name], workspace


@pytest.mark.long
def test_an_evaluation_is_no_step(tool, tmp_path):
    """What a loss of all ranks is made of shares no kernel with what guards and norms are made of."""
    model, ids = build("mixtral", num_local_experts=8, num_hidden_layers=6), torch.zeros(4, 64, dtype=torch.int64)
    imported = prec.import_torch(model, adamw(model.parameters()), {"input_ids": ids, "labels": ids}, clip_grad_norm=1.0, verify=False)
    imported.write(tmp_path / "graph.mlir")
    subprocess.run([tool("prec-compile"), tmp_path / "graph.mlir", *CASES["delayed"], "--mesh=dp=2,ep=2", "--accumulate", "-o", tmp_path / "step.so"],
                   check=True, capture_output=True)
    said = subprocess.run([tool("prec-run"), tmp_path / "step.so", "--inspect"], check=True, capture_output=True, text=True).stdout
    commands = {line.split()[0]: int(line.split()[1]) for line in said.splitlines() if line.endswith(" commands")}
    assert commands["eval"] < 0.5 * commands["step"] and commands["crowded_eval"] < 0.5 * commands["crowded_step"], commands


@pytest.mark.long
def test_every_call_of_a_module_runs_again(start, compiled, tmp_path):
    """step, step_async, enqueue, eval, profile, accumulate and apply of prec.Module: a loop over batches need not know.
    Micro-batches with any numbers of labels are those of one process."""
    given = all_to_the_first(start("qwen3_moe"), tmp_path / "zeros.safetensors")
    said = {}
    for name, options in (("few", ("--accumulate",)), ("all", ("--accumulate", "--expert-room=2"))):
        run_ranks([sys.executable, Path(__file__).with_name("crowded_rank.py"), compiled("qwen3_moe", "fp32", "ep=2", *options), given,
                   tmp_path / name], 2)
        said[name] = [json.loads((tmp_path / f"{name}.{rank}").read_text()) for rank in range(2)]
    for few, all_ in zip(said["few"], said["all"], strict=True):
        assert few["crowded"] == [1, 1, 1 + len(UNEVEN)] and all_["crowded"] == [0, 0, 0]
        assert few["losses"] == all_["losses"] and few["weights"] == all_["weights"]
    assert said["few"][0]["losses"] == said["few"][1]["losses"]
    module = prec.Module(compiled("qwen3_moe", "fp32", ""), threads=1)
    module.load(given)
    ids = next(b for b in module.bindings if b.name == "input_ids")
    for shares in (*UNEVEN, (1, 1)):
        for rank, share in enumerate(shares):
            module.accumulate(uneven(np.random.default_rng(rank).integers(0, ids.shape[-1], ids.shape, np.int32), share))
    assert abs(module.apply(lr=1e-3)["loss"] - said["few"][0]["losses"][-1]) < NEAR["fp32"]
    module.save_checkpoint(tmp_path / "one")
    for name in said:
        assert_near(tmp_path / f"{name}.saved", tmp_path / "one", WEIGHTS)


@pytest.mark.long
def test_router_losses_are_those_of_micro_batches(train, start, tmp_path):
    """Ranks have the balance of their own tokens, as micro-batches have, and all weigh the same; the oracle of the
    first loss is transformers."""
    for kind in ("mixtral+router", "qwen3_moe+router"):
        one = train(kind, "fp32", "", tmp_path / f"{kind}.one", 15, "--micro-batches", "2")
        two = train(kind, "fp32", "ep=2", tmp_path / f"{kind}.two", 15, options=("--expert-room=2",))
        assert np.abs(losses(one) - losses(two)).max() <= NEAR["fp32"]
        assert_near(tmp_path / f"{kind}.two", tmp_path / f"{kind}.one", WEIGHTS)
        model = build(kind)
        model.load_state_dict({name: torch.from_numpy(x) for name, x in load_file(start(kind) / "weights.safetensors").items()}, strict=False)
        tokens = np.fromfile(start(kind) / "tokens.bin", np.uint16).astype(np.int64)
        # Labels of prec-run are one token ahead here, and the model's another one.
        ids, labels = (torch.from_numpy(tokens[shift:shift + 2 * BATCH * SEQUENCE].reshape(2, BATCH, SEQUENCE)) for shift in range(2))
        right = [float(model(input_ids=ids[i], labels=labels[i]).loss.detach()) for i in range(2)]
        assert abs(np.mean(right) - two[0]["loss"]) < 1e-4


@pytest.mark.parametrize("case", [case if case == "delayed" else pytest.param(case, marks=pytest.mark.long)
                                  for case in CASES if case not in ("fp32", "fp16")])
def test_router_losses_with_other_recipes(train, case, tmp_path):
    one = train("mixtral+router", case, "", tmp_path / "one", 8, "--micro-batches", "2")
    two = train("mixtral+router", case, "ep=2", tmp_path / "two", 8)
    assert np.abs(losses(one) - losses(two)).max() <= NEAR.get(case, LARGEST)


def test_what_cannot_be_is_refused(tool, start, tmp_path):
    def refused(graph, *options) -> str:
        done = subprocess.run([tool("prec-compile"), graph, "--recipe=fp32", *options, "-o", tmp_path / "no.so"], capture_output=True, text=True)
        assert done.returncode == 1
        return done.stderr
    graph = start("qwen3_moe") / "graph.mlir"
    assert "ep=3 must divide the number of experts, but got 8" in refused(graph, "--mesh=ep=3")
    assert "ep=2 must divide grouped products of experts, but got none" in refused("examples/llama_tiny.mlir", "--mesh=ep=2")
    for room in ("0.9", "2.5", "nan"):
        assert "room for rows of experts must be from 1" in refused(graph, "--mesh=ep=2", f"--expert-room={room}")
    assert "must guard its updates" in refused(graph, "--mesh=ep=2", "--guard-updates=false")
    assert "got 'lost_updates' of a rank's own slices" in refused(graph, "--mesh=ep=2", "--count-lost-updates")
