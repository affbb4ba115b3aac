# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measuring what a step runs, from a bench module to the policy and the choice: prec-compile --bench, prec-run --bench,
--predict and --race, prec-bench run and merge, prec-tune.

How long anything takes is no matter here; what is measured is: each command of each step, by its own kernels."""
import json
import re
import subprocess

import pytest
from conftest import ROOT

import prec
from prec import sweeping
from prec.frontier import find_frontier, write_plot
from prec.sections import manifest_of
from prec.tuning import STAGES, Options, Tuning, default_recipes, main, table, tune

GRAPH = ROOT / "examples/llama_tiny.mlir"
RECIPES = ["bf16", "fp8-hybrid"]
# Kernels that sort ids or add rows by them are not measured.
BY_IDS = ("embedding_grad",)


@pytest.fixture(scope="module")
def run(tool):
    def call(name, *words, code=0, cwd=None):
        done = subprocess.run([tool(name), *map(str, words)], capture_output=True, text=True, cwd=cwd)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr
    return call


@pytest.fixture(scope="module")
def measured(run, tmp_path_factory):
    """A folder with the bench module, its report, and a step in each recipe."""
    folder = tmp_path_factory.mktemp("bench")
    run("prec-compile", GRAPH, f"--bench={','.join(RECIPES)}", "-o", folder / "bench.so")
    run("prec-run", folder / "bench.so", "--bench", folder / "report.json", "--budget", 2, "--threads", 1)
    for recipe in RECIPES:
        run("prec-compile", GRAPH, f"--recipe={recipe}", "-o", folder / f"{recipe}.so")
    return folder


def read(path):
    return json.loads(path.read_text())


def test_report_is_a_policy(measured, run):
    jsonschema = pytest.importorskip("jsonschema")
    report = read(measured / "report.json")
    jsonschema.validate(report, read(ROOT / "docs/schemas/policy-v2.schema.json"), jsonschema.Draft202012Validator)
    assert report["machines"][0]["gpu"].startswith("CPU ")
    run("prec-bench", "merge", measured / "report.json", "--policy-version=2", "-o", measured / "policy.json")
    policy = read(measured / "policy.json")
    assert len(policy["contractions"]) == len(report["contractions"])
    assert len(policy["quantizations"]) == len(report["quantizations"])
    assert "commands" not in policy and "details" not in policy
    # A policy that was written is one that is read.
    assert run("prec-bench", "diff", measured / "policy.json", measured / "policy.json") == ""


@pytest.mark.long
def test_other_scalings(run, tmp_path):
    """Scales of rows and blocks, whose transposed copies are quantizations of their own."""
    recipes = ["fp8-rowwise", "fp8-block", "mxfp8", "nvfp4"]
    run("prec-compile", GRAPH, f"--bench={','.join(recipes)}", "-o", tmp_path / "bench.so")
    run("prec-run", tmp_path / "bench.so", "--bench", tmp_path / "report.json", "--budget", 2, "--threads", 1)
    scalings = {row["scaling"] for row in read(tmp_path / "report.json")["quantizations"]}
    assert scalings >= {"row", "block_1x128", "block_128x128", "mx_1x32", "nvfp4_1x16"}
    predict(run, tmp_path, tmp_path, recipes)


def test_every_command_is_measured(measured, run):
    predict(run, measured, measured, RECIPES)


def predict(run, folder, modules, recipes):
    for recipe in recipes:
        if not (modules / f"{recipe}.so").is_file():
            run("prec-compile", GRAPH, f"--recipe={recipe}", "-o", modules / f"{recipe}.so")
        run("prec-run", modules / f"{recipe}.so", "--predict", folder / "report.json", "--report", folder / "predicted.json")
        predicted = read(folder / "predicted.json")
        missing = [c["command"] for c in predicted["commands"] if not c["measured"]]
        assert all(any(op in command for op in BY_IDS) for command in missing), missing
        assert predicted["us"] == pytest.approx(sum(c["us"] for c in predicted["commands"]))
        assert all(c["us"] > 0 and ("neighbor" in c) != c["measured"] for c in predicted["commands"])


def test_products_are_those_of_the_model(measured):
    """By hand: tokens, width, hidden and vocabulary of the tiny Llama; each layer's products, merged and alone."""
    tokens, width, hidden, kv, vocabulary = 64, 64, 176, 32, 256
    found = {(c["direction"], c["m"], c["n"], c["k"]) for c in read(measured / "report.json")["contractions"] if c["batch"] == 1}
    for out, into in ((width, width), (kv, width), (width + 2 * kv, width), (hidden, width), (2 * hidden, width), (width, hidden),
                      (vocabulary, width)):
        assert ("fprop", tokens, out, into) in found
        assert ("dgrad", tokens, into, out) in found or out == vocabulary
        assert ("wgrad", out, into, tokens) in found
    formats = {(c["lhs"], c["rhs"], c["scaling"]) for c in read(measured / "report.json")["contractions"]}
    assert formats >= {("bf16", "bf16", "none"), ("e4m3", "e4m3", "tensor_current"), ("e5m2", "e4m3", "tensor_current")}


def test_quantizations_have_every_layout(measured):
    rows = read(measured / "report.json")["quantizations"]
    kinds = {}
    for row in rows:
        kinds.setdefault((row["rows"], row["columns"], row["from"], row["to"], row["scaling"]), set()).add(row["layouts"])
    assert (64, 176, "bf16", "e4m3", "tensor_current") in kinds
    assert all(layouts == {"rows", "columns", "both"} for key, layouts in kinds.items() if key[-1] == "tensor_current")


def test_resume_goes_on(measured, run):
    report = measured / "resumed.json"
    run("prec-run", measured / "bench.so", "--bench", report, "--budget", 0.1, "--threads", 1)
    before = {s["command"]: s["us"] for s in read(report)["details"]["samples"]}
    run("prec-run", measured / "bench.so", "--bench", report, "--bench-resume", "--budget", 0.5, "--threads", 1)
    after = {s["command"]: s["us"] for s in read(report)["details"]["samples"]}
    assert before.keys() == after.keys()
    assert all(after[command][:len(times)] == times for command, times in before.items())
    assert sum(map(len, after.values())) > sum(map(len, before.values()))
    # Of another machine nothing is kept.
    told = run("prec-run", measured / "bench.so", "--bench", report, "--bench-resume", "--threads", 2, code=1)
    assert "must be of one machine" in told


def test_choice_by_measured_times(measured, run):
    """With FP8 a thousand times as fast or as slow as it was measured the choice is what it must be."""
    run("prec-bench", "merge", measured / "report.json", "--policy-version=2", "-o", measured / "policy.json")
    words = "--prec-raise-composites", "-o", "/dev/null"
    for factor, leave in ((1e-3, 0), (1e3, 42)):
        policy = read(measured / "policy.json")
        for entry in policy["contractions"] + policy["quantizations"]:
            if entry["scaling"] != "none" if "scaling" in entry else False:
                entry["us"] *= factor
        (measured / "changed.json").write_text(json.dumps(policy))
        told = run("prec-opt", GRAPH, *words,
                   f"--assign-precision=recipe=fp8-hybrid target=cpu choose=cost policy={measured / 'changed.json'}")
        assert f"{leave} of 42 contractions with a choice leave the recipe, 42 by measured times" in told


def test_unmeasured_products_are_corrected(measured, run):
    """A policy that lacks one size prices it by its neighbors, and says so."""
    run("prec-bench", "merge", measured / "report.json", "--policy-version=2", "-o", measured / "policy.json")
    policy = read(measured / "policy.json")
    policy["contractions"] = [c for c in policy["contractions"] if c["n"] != 176]
    (measured / "lacking.json").write_text(json.dumps(policy))
    told = run("prec-opt", GRAPH, "--prec-raise-composites", "-o", "/dev/null",
               f"--assign-precision=recipe=fp8-hybrid target=cpu choose=cost policy={measured / 'lacking.json'}")
    numbers = re.search(r"42 contractions with a choice leave the recipe, (\d+) by measured times, (\d+) by the machine model, corrected", told)
    assert numbers and int(numbers[1]) + int(numbers[2]) == 42 and int(numbers[2]) > 0


def test_race(measured, run):
    run("prec-run", measured / "bf16.so", "--race", measured / "fp8-hybrid.so", "--init", "random", "--threads", 1, "--budget", 1,
        "--report", measured / "race.json")
    race = read(measured / "race.json")
    assert [entry["recipe"] for entry in race["modules"]] == ["bf16", "fp8-hybrid"]
    times = [entry["us"] for entry in race["modules"]]
    assert race["fastest"] == times.index(min(times)) and min(times) > 0
    turns = [len(entry["turns_us"]) for entry in race["modules"]]
    assert turns[0] == turns[1] > 0


@pytest.mark.parametrize("words, message", [
    (("bf16.so", "--bench", "out.json"), "--bench needs a module that was compiled with --bench, but got one that trains: bf16.so"),
    (("bench.so", "--init", "random"), "a module must train, but got one that is only measured, by prec-run --bench"),
    (("bf16.so", "--race", "bench.so", "--init", "random"), "a module must train, but got one that is only measured"),
    (("bench.so", "--bench", "out.json", "--budget", "0"), "--budget"),
    (("bench.so", "--bench", "out.json", "--predict", "report.json"), "excludes"),
    (("bench.so", "--bench-resume"), "requires --bench"),
    (("bf16.so", "--predict", "bf16.so"), "valid JSON"),
    (("bf16.so", "--predict", "empty.json"), "empty.json: must have times of commands, but has none"),
    (("bench.so", "--bench", "bench.so"), "--bench must be written to a file of its own, but 'bench.so' is the module"),
])
def test_refusals_of_prec_run(measured, run, words, message):
    (measured / "empty.json").write_text('{"commands": []}')
    assert message in run("prec-run", *words, code=1, cwd=measured)


PLAIN = "--bench must be of plain steps, but got --switchable, --collect-numerics, --accumulate, --mesh or --max-memory"


@pytest.mark.parametrize("words, message", [
    (("--bench=bf16", "--recipe=bf16"), "--bench must name all recipes, but got --recipe or --recipe-file, too"),
    (("--bench=bf16", "--accumulate"), PLAIN),
    (("--bench=bf16", "--mesh=dp=2"), PLAIN),
    (("--bench=bf17",), "bf17"),
    (("--bench=bf16,fp8-hybrid", "--target=sm_80"), "sm_80"),
])
def test_refusals_of_prec_compile(run, tmp_path, words, message):
    assert message in run("prec-compile", GRAPH, *words, "-o", tmp_path / "bench.so", code=1)
    assert not (tmp_path / "bench.so").exists()


def test_a_tagged_graph_is_refused(run, tmp_path):
    run("prec-opt", GRAPH, "--prec-raise-composites", "--assign-precision=recipe=bf16 target=cpu", "-o", tmp_path / "tagged.mlir")
    told = run("prec-compile", tmp_path / "tagged.mlir", "--bench=bf16", "-o", tmp_path / "bench.so", code=1)
    assert "a graph must not be tagged where steps of several recipes are measured, but got tags" in told


def test_prec_bench_run(run, tmp_path):
    run("prec-bench", "run", GRAPH, "--recipe=bf16", "--budget=0.1", "--threads=1", "-o", tmp_path / "report.json",
        f"--module={tmp_path / 'bench.so'}")
    report = read(tmp_path / "report.json")
    assert report["details"]["recipe"] == "bf16" and (tmp_path / "bench.so").is_file()
    assert "must succeed, but failed" in run("prec-bench", "run", tmp_path / "none.mlir", code=2)


@pytest.mark.long
def test_what_two_recipes_share_is_measured_once(run, tmp_path):
    """Forwards of fp8-hybrid and fp8-e4m3 are the same products, and most kernels the same."""
    kinds = {}
    for recipes in ("bf16", "bf16,fp8-hybrid", "bf16,fp8-e4m3", "bf16,fp8-hybrid,fp8-e4m3"):
        run("prec-compile", GRAPH, f"--bench={recipes}", "--assign=tensor-scaling=delayed", "-o", tmp_path / "recipes.so")
        kinds[recipes] = [entry["direction"] if "direction" in entry else entry["kind"] for entry in manifest_of(tmp_path / "recipes.so")["bench"]]
    plain, first, second, both = kinds.values()
    assert both.count("fprop") == first.count("fprop") == second.count("fprop") > plain.count("fprop")
    assert len(both) - len(first) < 0.4 * (len(second) - len(plain))


def test_choices_read_gradients_by_numerics(tmp_path):
    numerics = tmp_path / "numerics.json"

    def option(formats, direction="dgrad", words="", **more):
        numerics.write_text(json.dumps({"uses": [{"direction": direction, "operand": 0, "losses": [{"format": f} for f in formats]}]}))
        return Tuning(Options(GRAPH, "cpu", work=tmp_path, numerics=numerics, **more))._gradient_format("fp8-hybrid", words)
    assert option(["e4m3", "e5m2"]) == "gradient-format=measured"
    assert option(["e5m2"]) == option(["e4m3", "e5m2"], "fprop") == ""
    assert option(["e4m3", "e5m2"], assign="gradient-format=e5m2") == option(["e4m3", "e5m2"], choice="reads=dgrad.gradient:e5m2") == ""
    assert option(["e4m3", "e5m2"], assign="bounds=off") == option(["e4m3", "e5m2"], words="gradient-format=e4m3") == ""


@pytest.mark.long
def test_tune(tmp_path):
    report = tune(GRAPH, tmp_path / "step.so", work=tmp_path / "work", budget=2, race_budget=1, interval=0.1, race_interval=0.1,
                  run=["--threads", "1"])
    rows = {row["name"]: row for row in report["candidates"]}
    assert {"bf16", "fp8-hybrid", "choice-fp8-hybrid"} <= rows.keys()
    assert all(row["predicted_us"] > 0 and row["us"] > 0 for row in rows.values())
    plain = min(rows[name]["predicted_us"] for name in ("bf16", "fp8-hybrid"))
    assert rows["choice-fp8-hybrid"]["predicted_us"] <= 1.001 * plain
    assert report["kept"] in rows and report["choice_to_best"] > 0 and report["kept_to_best"] <= 1.2
    assert (tmp_path / "step.so").read_bytes() == (tmp_path / "work" / f"{report['kept']}.so").read_bytes()
    assert prec.Module(tmp_path / "step.so").manifest["entry_points"]["step"]
    # The stages in two calls, as where the compiler is elsewhere.
    again = tune(GRAPH, work=tmp_path / "work", stages=["race"], race_budget=0.5, run=["--threads", "1"])
    assert again["kept"] in rows


@pytest.mark.long
def test_time_and_precision(tmp_path):
    """From FP32 to the fastest: the more decibels the gradient must keep, the fewer products read FP8. What is kept
    keeps
    what was asked for."""
    report = tune(GRAPH, tmp_path / "step.so", work=tmp_path / "work", budget=1, race_budget=0.5, interval=0.2, race_interval=0.2, steps=1,
                  frontier=[0, 26, 30, 90], least_snr=30, run=["--threads", "1"])
    rows = {row["name"]: row for row in report["candidates"]}
    low, some, more = (rows[f"snr{least}-fp8-hybrid"] for least in (0, 26, 30))
    # No choice keeps more than BF16 does.
    assert "snr90-fp8-hybrid" not in rows
    assert low["predicted_snr_db"] <= some["predicted_snr_db"] <= more["predicted_snr_db"]
    # What the compiler says has hundredths.
    assert more["predicted_snr_db"] <= rows["bf16"]["predicted_snr_db"] + 0.005
    assert some["predicted_snr_db"] >= 26 and more["predicted_snr_db"] >= 30
    for name in ("fp8-hybrid", "snr26-fp8-hybrid", "snr30-fp8-hybrid"):
        assert abs(rows[name]["snr_db"] - rows[name]["predicted_snr_db"]) < 2
    assert rows[report["kept"]].get("predicted_snr_db", 100) >= 30
    frontier = report["frontier"]
    assert [point["us"] for point in frontier] == sorted((point["us"] for point in frontier), reverse=True)
    assert frontier[0]["name"] == "fp32" and frontier[0]["snr_db"] is None
    assert "frontier, from the most exact to the fastest:" in table(report)
    write_plot(frontier, tmp_path / "frontier.svg")
    assert all(f">{point['name']}<" in (tmp_path / "frontier.svg").read_text() for point in frontier)


@pytest.mark.long
def test_more_than_the_recipe(tmp_path):
    """Choices may take the head, which the recipe leaves out, and keep what the recipe keeps."""
    options = {"work": tmp_path / "work", "budget": 1, "race_budget": 0.5, "interval": 0.2, "race_interval": 0.2, "run": ["--threads", "1"]}
    report = tune(GRAPH, steps=1, choice="head=in", least_snr="recipe", **options)
    rows = {row["name"]: row for row in report["candidates"]}
    noise = json.loads((tmp_path / "work/numerics-fp8-hybrid.json").read_text())["gradient_noise"]["contractions"]
    assert {c["direction"] for c in noise if c["path"] == "lm_head"} == {"fprop", "dgrad", "wgrad"}
    least = rows["fp8-hybrid"]["predicted_snr_db"]
    assert rows["choice-fp8-hybrid"].get("predicted_snr_db", 100) >= least - 0.02
    assert "least_snr" not in rows["choice-fp8-hybrid"] and report["kept"] in rows


@pytest.mark.long
def test_a_pick_whose_noise_is_unknown(tmp_path):
    """Proposals are made before noise is measured: none of them is known to keep what it must."""
    with pytest.raises(prec.CompileFailure, match="must have candidates whose noise is predicted, but 'proposal0-fp8-hybrid' was compiled"):
        tune(GRAPH, work=tmp_path / "work", stages=["prepare", "propose", "measure", "pick"], budget=1, interval=0.2, steps=1, least_snr=1,
             proposals=[f"skip-first-layers=1 target-costs={fast_fp8(tmp_path)}"], run=["--threads", "1"])


def fast_fp8(folder):
    """A machine file of the CPU on which FP8 products are faster and casts are free."""
    def number(value):
        return {"value": value, "source": "made up"}
    (folder / "fast.json").write_text(json.dumps({
        "version": 1, "name": "cpu", "device": "made up", "flops_per_second": {"f32": number(1e9), "bf16": number(1e9), "fp8": number(2e9)},
        "bytes_per_second": number(1e15), "launch_us": number(0)}))
    return folder / "fast.json"


def test_frontier():
    """What another step beats in both is left out, and so is a choice that is another step."""
    def row(name, predicted, snr, **more):
        return {"name": name, "recipe": "fp32" if name == "fp32" else "bf16", "predicted_us": predicted, **({"snr_db": snr} if snr else {}), **more}
    rows = [row("slow", 9, 20), row("fast", 5, 20.5, us=6), row("fp32", 20, None), row("bf16", 10, 40), row("same", 5, 20.5) | {"is": "fast"},
            row("unknown", 1, None)]
    assert [(point["name"], point["us"]) for point in find_frontier(rows)] == [("fp32", 20), ("bf16", 10), ("fast", 6)]
    assert find_frontier(rows)[2]["measured"] == {"us": True, "snr_db": True}


def test_of_equally_fast_steps_the_more_exact_is_kept(tmp_path):
    tuning = Tuning(Options(GRAPH, "cpu", work=tmp_path))
    raced = {"bf16": {"us": 110}, "fp8-hybrid": {"us": 100}, "fp8-e4m3": {"us": 100.4}}
    rows = {"bf16": {"snr_db": 40.0}, "fp8-hybrid": {"snr_db": 21.5}, "fp8-e4m3": {"predicted_snr_db": 22.8}}
    kept, why = tuning._best(raced, rows)
    assert kept == "fp8-e4m3" and why == "as fast as fp8-hybrid, and gradients keep 22.80 dB instead of 21.50 dB"
    assert f"kept {kept}: {why}" in table({"candidates": [], "kept": kept, "kept_for": why, "us": 1})
    # Slower, less exact, or nothing known: the fastest.
    assert tuning._best(raced | {"fp8-e4m3": {"us": 101}}, rows) == ("fp8-hybrid", "")
    assert tuning._best(raced, rows | {"fp8-e4m3": {"snr_db": 20.0}}) == ("fp8-hybrid", "")
    assert tuning._best(raced, dict.fromkeys(rows, {})) == ("fp8-hybrid", "")
    assert default_recipes(0) == ("fp8-hybrid",) and default_recipes(1) == ("fp8-hybrid", "fp8-e4m3")


@pytest.mark.long
def test_one_visit(tmp_path):
    """Proposals are compiled before anything is measured, and what is picked is what the measured times say."""
    work = tmp_path / "work"
    costs = [f"target-costs={machine(tmp_path, number, fp8)}" for number, fp8 in enumerate((1e9, 4e9))]
    tune(GRAPH, work=work, stages=["prepare", "propose"], proposals=costs)
    report = tune(GRAPH, tmp_path / "step.so", work=work, stages=["measure", "pick", "race"], budget=1, race_budget=0.5, interval=0.2,
                  race_interval=0.2, run=["--threads", "1"])
    rows = {row["name"]: row for row in report["candidates"]}
    predicted = {name: row["predicted_us"] for name, row in rows.items() if not name.startswith("choice-")}
    plain = min(predicted[name] for name in ("bf16", "fp8-hybrid"))
    # What is predicted to be faster by less than predictions can tell is not taken.
    least = min(predicted.values())
    assert rows["choice-fp8-hybrid"]["predicted_us"] == (least if least < 0.99 * plain else plain)
    assert report["choice_to_best"] > 0 and report["kept"] in rows
    # What is another candidate did not run twice.
    raced = {entry["module"].rsplit("/", 1)[1] for entry in read(work / "race.json")["modules"]}
    assert raced == {"bf16.so", "fp8-hybrid.so"} | ({"choice-fp8-hybrid.so"} if "is" not in rows["choice-fp8-hybrid"] else set())


def machine(folder, number, fp8):
    """A machine file whose FP8 products are as fast as that."""
    def value(of):
        return {"value": of, "source": "made up"}
    path = folder / f"machine{number}.json"
    path.write_text(json.dumps({"version": 1, "name": "cpu", "device": "made up", "bytes_per_second": value(1e12), "launch_us": value(0),
                                "flops_per_second": {"f32": value(1e9), "bf16": value(1e9), "fp8": value(fp8)}}))
    return path


def test_feedback_scales_casts(tmp_path):
    """What a race shows of casts beyond what was predicted makes them dearer, by numbers worked out by hand."""
    def write(name, value):
        (tmp_path / name).write_text(json.dumps(value))

    def commands(kernel, gemm):
        names = {"kernel quantize": kernel, "gemm 1x1x1": gemm}
        return {"us": kernel + gemm, "measured_us": 0, "commands": [{"command": name, "us": us} for name, us in names.items()]}
    write("predicted-bf16.json", commands(100, 50))
    write("predicted-fp8-hybrid.json", commands(130, 30))
    from prec.tuning import Options
    tuning = Tuning(Options(GRAPH, "cpu", work=tmp_path))
    # Casts are priced 20 (50 of all, less 30 of products) and take 130 - 100.
    assert tuning._cast_scale("fp8-hybrid", 50.0, 0) == pytest.approx(1.5)
    # Whole steps differ by 10 more than predicted.
    assert tuning._cast_scale("fp8-hybrid", 50.0, 10) == pytest.approx(2.0)
    # Prices stay positive.
    assert tuning._cast_scale("fp8-hybrid", 50.0, -100) == pytest.approx(0.1)
    write("measured.json", {"quantizations": [{"us": 2, "noise_us": 1}, {"us": 3}]})
    assert read(tuning._scaled("policy.json", 2))["quantizations"] == [{"us": 4, "noise_us": 2}, {"us": 6}]


LLAMA = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "hidden_act": "silu"}


@pytest.mark.long
def test_sweep(run, tmp_path):
    """Every module of a layer, on one GPU of two, in both precisions, becomes a rule of version 1 or none."""
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    assert sweeping.main(["--model", str(tmp_path / "config.json"), "--tp", "2", "--tokens", "32", "--budget", "0.1", "--threads", "1",
                          "-o", str(tmp_path / "report.json")]) == 0
    found = {(m["kind"], m["ub_name"], m["tp"], m["tokens"], m["precision"]) for m in read(tmp_path / "report.json")["modules"]}
    kinds = [("layernorm_column", "qkv"), ("row", "proj"), ("layernorm_column", "fc1"), ("row", "fc2")]
    assert found == {(*kind, 2, 32, precision) for kind in kinds for precision in ("bf16", "fp8")}
    run("prec-bench", "merge", tmp_path / "report.json", "-o", tmp_path / "policy.json")
    assert read(tmp_path / "policy.json")["version"] == 1


MOE = {"model_type": "qwen3_moe", "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "num_experts": 8,
       "num_experts_per_tok": 2, "moe_intermediate_size": 32, "intermediate_size": 128, "hidden_act": "silu"}


@pytest.mark.long
def test_sweep_of_experts(run, tmp_path):
    """Half of the experts, of as many rows as tokens go to them, in both precisions; thresholds have their number."""
    (tmp_path / "config.json").write_text(json.dumps(MOE))
    assert sweeping.main(["--model", str(tmp_path / "config.json"), "--ep", "2", "--tokens", "32", "--budget", "0.5", "--threads", "1",
                          "-o", str(tmp_path / "report.json")]) == 0
    report = read(tmp_path / "report.json")
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(report, read(ROOT / "docs/schemas/policy-v2.schema.json"), jsonschema.Draft202012Validator)
    found = {(m["kind"], m["etp"], m["num_gemms"], m["tokens"], m["precision"]) for m in report["modules"] if "num_gemms" in m}
    assert found == {(kind, 1, 4, 64, precision) for kind in ("column_grouped", "row_grouped") for precision in ("bf16", "fp8")}
    assert {m["ub_name"] for m in report["modules"] if "tp" in m} == {"qkv", "proj"}
    # With FP8 a thousand times as fast all experts read it from the measured number of rows on.
    for module in report["modules"]:
        module["us"] *= 1e-3 if module["precision"] == "fp8" else 1
        module.pop("noise_us")
    (tmp_path / "report.json").write_text(json.dumps(report))
    run("prec-bench", "merge", tmp_path / "report.json", "-o", tmp_path / "policy.json")
    policy = json.dumps(read(tmp_path / "policy.json"))
    for kind in ("column_grouped", "row_grouped"):
        assert re.search(rf'"{kind}": \[{{"etp": 1, "num_gemms": 4, "min_tokens": 64', policy), policy


def test_times_of_experts():
    """A forward and a gradient of matrices of two experts, by numbers worked out by hand: rows are quantized once, in
    both layouts."""
    def operation(direction, mnk, values, formats, accumulator):
        reads = [[{"format": f, "scaling": s, "accumulator": a} for f in fs]
                 for fs, s, a in ((formats, "tensor_current", accumulator), (("bf16", "bf16"), "none", "full"))]
        return {"module": "row_grouped etp=1 num_gemms=2", "direction": direction, "mnk": mnk, "reads": [{"value": v} for v in values],
                "results": [], "choice": {"candidates": [{"reads": read, "result": "bf16", "veto": "none"} for read in reads]}}

    def cast(rows, columns, source, to, layouts, us):
        return {"rows": rows, "columns": columns, "from": source, "to": to, "scaling": "row", "layouts": layouts, "us": us}
    commands = {"grouped_gemm bf16[24, 32] bf16[2, 16, 32] i32[2] > bf16[24, 16] nt": 100,
                "grouped_gemm bf16[24, 16] bf16[24, 32] i32[2] > bf16[2, 16, 32] nn": 50,
                "grouped_gemm f8E4M3FN[24, 32] f8E4M3FN[2, 16, 32] i32[2] f32[2] f32[2] > bf16[24, 16] nt fast": 40,
                "grouped_gemm f8E5M2[16, 256] f8E4M3FN[32, 256] i32[2] f32[2] f32[2] > bf16[2, 16, 32] nn promoted": 30,
                "kernel exp bf16[24, 32] > bf16[24, 32] extent 24": 1000}
    report = {"machines": [{"id": "a"}], "contractions": [], "commands": [{"command": c, "us": us} for c, us in commands.items()],
              "quantizations": [cast(24, 32, "bf16", "e4m3", "both", 5), cast(32, 32, "f32", "e4m3", "rows", 7),
                                cast(24, 16, "bf16", "e5m2", "rows", 3)]}
    step = {"function": "step", "arguments": [{"value": 0, "format": "bf16"}, {"value": 1, "format": "f32"}, {"value": 2, "format": "bf16"}],
            "operations": [operation("fprop", [24, 16, 32], [0, 1], ("e4m3", "e4m3"), "fast"),
                           operation("wgrad", [16, 32, 24], [2, 0], ("e5m2", "e4m3"), "promoted")]}

    def times():
        return [(m["kind"], m["num_gemms"], m["tokens"], m["precision"], m["us"])
                for m in sweeping.module_times(report, {"functions": [step]}, "llm", 4, 12)]
    assert times() == [("row_grouped", 2, 24, "bf16", 150), ("row_grouped", 2, 24, "fp8", 40 + 30 + 5 + 7 + 3)]
    # Scales of blocks are not those of experts.
    for op in step["operations"]:
        for operand in op["choice"]["candidates"][0]["reads"]:
            operand["scaling"] = "block_1x128"
    assert [time[3] for time in times()] == ["bf16"]
    modules = list(sweeping.module_times(report, {"functions": [step]}, "llm", 4, 12))
    note, = sweeping._unmeasured(modules, "fp8-block", "cpu", [])
    assert note == "experts (row_grouped) are measured in bf16 alone: fp8-block has no products of experts for cpu with a scale of each"
    assert sweeping._unmeasured(modules, "fp8-block", "cpu", [note]) == []


def test_times_of_a_module():
    """A module of a forward and a wgrad, by numbers worked out by hand: x is quantized once, in both layouts."""
    def product(direction, m, n, k, lhs, us, noise=0):
        return {"direction": direction, "m": m, "n": n, "k": k, "lhs": lhs, "rhs": "bf16" if lhs == "bf16" else "e4m3", "result": "bf16",
                "scaling": "none" if lhs == "bf16" else "row", "accumulator": "full", "us": us, "noise_us": noise}

    def cast(rows, columns, source, to, layouts, us):
        return {"rows": rows, "columns": columns, "from": source, "to": to, "scaling": "row", "layouts": layouts, "us": us, "noise_us": 4}

    def operation(direction, mnk, values, formats):
        reads = [[{"format": f, "scaling": s, "accumulator": "full"} for f in fs] for fs, s in ((formats, "row"), (("bf16", "bf16"), "none"))]
        return {"module": "row/fc2 tp=1", "direction": direction, "mnk": mnk, "reads": [{"value": value} for value in values], "results": [],
                "choice": {"candidates": [{"reads": read, "result": "bf16", "veto": "none"} for read in reads]}}
    report = {"machines": [{"id": "a"}],
              "contractions": [product("fprop", 8, 16, 32, "bf16", 100, 3), product("wgrad", 16, 32, 8, "bf16", 50, 4),
                               product("fprop", 8, 16, 32, "e4m3", 40), product("wgrad", 16, 32, 8, "e5m2", 30)],
              "quantizations": [cast(8, 32, "bf16", "e4m3", "both", 5), cast(16, 32, "f32", "e4m3", "rows", 7),
                                cast(8, 32, "bf16", "e5m2", "rows", 6)]}
    step = {"function": "step", "arguments": [{"value": 1, "shape": [16, 32], "format": "f32"}, {"value": 0, "shape": [8, 32], "format": "bf16"},
                                              {"value": 2, "shape": [8, 16], "format": "bf16"}],
            "operations": [operation("fprop", [8, 16, 32], [0, 1], ("e4m3", "e4m3")), operation("wgrad", [16, 32, 8], [2, 0], ("e5m2", "e4m3"))]}
    times = {m["precision"]: (m["us"], m["noise_us"]) for m in sweeping.module_times(report, {"functions": [step]}, "llm", 4, 8)}
    # The gradient of 8x16 is half of the nearest that was measured.
    assert times == {"bf16": (150, 5), "fp8": (40 + 30 + 5 + 7 + 3, 6)}
    # Without the time of one product nothing is known.
    del report["contractions"][2]
    assert [m["precision"] for m in sweeping.module_times(report, {"functions": [step]}, "llm", 4, 8)] == ["bf16"]


def test_sizes_of_a_config():
    sizes, = sweeping.read_sizes(LLAMA)
    assert sizes.split(2) == sweeping.Sizes("llm", 64, 2, 1, 16, 64, True)
    experts, = sweeping.read_sizes(MOE)
    assert experts.split(2, 4) == sweeping.Sizes("llm", 64, 2, 1, 16, 0, True, sweeping.Experts(2, 2, 32))
    assert sweeping.read_sizes(MOE | {"n_shared_experts": 3})[0].hidden == 96
    assert sweeping.read_sizes(MOE | {"shared_expert_intermediate_size": 48})[0].hidden == 48
    encoder = {"hidden_size": 32, "num_heads": 2, "mlp_ratio": 4.0, "hidden_act": "gelu"}
    text, image = sweeping.read_sizes({"text_config": LLAMA, "vision_config": encoder})
    assert (text.component, image) == ("llm", sweeping.Sizes("vit", 32, 2, 2, 16, 128, False))
    assert sweeping.parse_counts("512..2048,3000") == [512, 1024, 2048, 3000]
    assert sweeping.parse_tokens("1024x1,4096x2,512..1024") == [512, 1024, 8192]


def test_reports_of_two_machines():
    parts = [{"machines": [{"gpu": gpu}], "details": {"seconds": 1}, **dict.fromkeys(("contractions", "quantizations", "modules", "commands"), ())}
             for gpu in ("a", "b")]
    with pytest.raises(prec.CompileFailure, match="all sizes must be measured on one machine with one set of libraries, but are of several"):
        sweeping._merge(parts, [])


@pytest.mark.parametrize("words, config, message", [
    (["--tp", "3"], LLAMA, "attention heads must be divisible by tp=3, but llm has 4"),
    (["--ep", "3"], MOE, "experts must be divisible by ep=3, but llm has 8"),
    (["--ep", "8"], MOE, "a GPU must have two experts or more, but with ep=8 of 8 llm has one: that is a layer without experts"),
    ([], MOE | {"num_experts_per_tok": 9}, "tokens of llm must go to at most 8 experts, but go to 9"),
    (["--tokens", "many"], LLAMA, "must be numbers such as 1,2,4 or a range such as 512..4096, but got 'many'"),
    ([], {"hidden_size": 64}, "the config of llm must have a number of one of num_attention_heads, n_head, num_heads, but has None"),
    ([], [], "--model must be a config of a model"),
    (["--recipe", "fp9"], LLAMA, "fp9"),
])
def test_refusals_of_sweeps(tmp_path, capsys, words, config, message):
    (tmp_path / "config.json").write_text(json.dumps(config))
    try:
        code = sweeping.main(["--model", str(tmp_path / "config.json"), *words, "-o", str(tmp_path / "report.json")])
    except SystemExit as ended:
        code = ended.code
    told = capsys.readouterr().err
    assert code == 2 and message in told and told.startswith("prec-bench: error: ")


@pytest.mark.parametrize("words, message", [
    ([str(GRAPH), "--stages", "races"], f"a stage must be one of {', '.join(STAGES)}, but got races"),
    ([str(GRAPH), "--stages", "choose"], "report.json must be there, which stage 'measure' writes, but is not"),
    ([str(GRAPH), "--least-snr", "20"], "--least-snr and --frontier need --numerics"),
    ([str(GRAPH), "--numerics", "a.json", "--steps", "2"], "noise must be of --numerics or be collected in --steps, but got both"),
    ([str(GRAPH), "--steps", "1", "--least-snr", "loud"], "--least-snr must be decibels or 'recipe', but got 'loud'"),
    ([str(GRAPH), "--stages", "pick"], "report.json must be there, which stage 'measure' writes, but is not"),
    (["none.mlir"], "none.mlir"),
    ([], "the following arguments are required: graph.mlir"),
])
def test_refusals_of_prec_tune(tmp_path, capsys, words, message):
    try:
        code = main([*words, "--work", str(tmp_path / "work")] if words else words)
    except SystemExit as ended:
        code = ended.code
    assert code == 1
    told = capsys.readouterr().err
    assert message in told and told.startswith("prec-tune: error: ")
