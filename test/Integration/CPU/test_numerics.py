# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a sampled step says of its quantizations and updates, by NumPy and ml_dtypes; that it trains as an ordinary step
does, bit for bit; and that assignment reads what prec-run writes of it."""
import json
import re
import subprocess

import ml_dtypes
import numpy as np
import pytest
import test_fine_scales
import torch
from adamw_update import f32_update
from conftest import ROOT
from first_step import MAX_NORM, OPTIONS, import_step, inputs, moments
from test_against_pytorch import batches, llama
from test_fine_scales import BF16, E4M3, GRANULARITY, ZERO, Perceptron, dequantized
from test_lost_updates import SCHEMES
from test_microscaling import dequantized as dequantized_blocks, quantize as quantize_blocks, transform

import prec
from prec.module import RuntimeFailure

RECIPES = {"current": ["--recipe=fp8-hybrid"], "delayed": ["--assign=recipe=fp8-hybrid tensor-scaling=delayed"],
           "fp8-rowwise": ["--recipe=fp8-rowwise"], "fp8-block": ["--recipe=fp8-block"], "mxfp8": ["--recipe=mxfp8"],
           "nvfp4": ["--recipe=nvfp4"]}
MASTERS = {name: [f"--assign=recipe=bf16 {options}"] for name, options in SCHEMES.items()} | {"scaled": ["--recipe=fp16"]}
SCALING = {"current": "tensor_current", "delayed": "tensor_delayed", "fp8-rowwise": "row", "mxfp8": "mx_1x32", "nvfp4": "nvfp4_1x16"}
SIZES = {"WIDTH": 192, "INNER": 352, "BATCH": 10}  # Blocks of 128 end early; all are multiples of 32.
LARGEST = np.float32(448)


@pytest.fixture(scope="module")
def compile_sampling(tool, tmp_path_factory):
    compiled = {}

    def compile_(build, name, *options):
        imported = build()
        if (build, name, options) not in compiled:
            folder = tmp_path_factory.mktemp("sampled")
            imported.write(folder / "graph.mlir")
            imported.write_weights(folder / "weights.safetensors")
            subprocess.run([tool("prec-compile"), folder / "graph.mlir", *(RECIPES | MASTERS)[name], "--collect-numerics", *options, "-o",
                            folder / "step.so"], check=True)
            compiled[build, name, options] = folder
        return compiled[build, name, options]
    return compile_


@pytest.fixture(scope="module")
def folder_of(compile_sampling):
    return lambda name, *options: compile_sampling(import_llama, name, *options)


def import_llama():
    return import_step(llama)[1]


def import_perceptron():
    with pytest.MonkeyPatch.context() as patch:
        for size, value in SIZES.items():
            patch.setattr(test_fine_scales, size, value)
        torch.manual_seed(0)
        model = Perceptron()
    ids = torch.zeros(SIZES["BATCH"], 16, dtype=torch.int64)
    return prec.import_torch(model, torch.optim.AdamW(model.parameters(), **OPTIONS), {"input_ids": ids, "labels": ids}, clip_grad_norm=1.0,
                             verify=False)


def opened(folder):
    module = prec.Module(folder / "step.so")
    module.load(folder / "weights.safetensors")
    return module


STATE = ("parameter", "optimizer_state", "work_weight", "scale_state")


@pytest.mark.parametrize("name", RECIPES | MASTERS)
def test_a_sampled_step_trains_as_a_step(name, folder_of):
    plain, sampled = opened(folder_of(name)), opened(folder_of(name))
    for step, (_, batch) in enumerate(zip(range(5), batches())):
        expected = plain.step(inputs(batch))
        got = (sampled.sample if step % 2 else sampled.step)(inputs(batch))
        assert {key: value for key, value in got.items() if key not in ("numerics", "tensors")} == expected
    for binding in plain.bindings:
        if binding.role in STATE:
            assert plain.get(binding).tobytes() == sampled.get(binding).tobytes(), binding.name


@pytest.fixture(scope="module")
def perceptron(compile_sampling):
    """A module of the perceptron, what `up` reads, and the tokens of it."""
    def open_(name):
        module = opened(compile_sampling(import_perceptron, name))
        table = module.weights()["embedding.weight"]
        # Rows of very different sizes, and blocks within them: much underflows.
        table *= np.exp2(np.random.default_rng(1).integers(-9, 9, (len(table), 12))).astype(np.float32).repeat(16, 1)
        table[ZERO] = 0
        module.set(next(b for b in module.bindings if b.name == "embedding.weight" and b.role == "parameter"), table)
        tokens = (np.arange(SIZES["BATCH"] * 16).reshape(-1, 16) % 16).astype(np.int32)
        return module, table.astype(BF16).astype(np.float32)[tokens.ravel()], tokens
    return open_


def quantized(name, x, kind, amax=None):
    """`x` as a product reads it, in float64, and which of its elements ml_dtypes finds too large for the format."""
    if name in ("mxfp8", "nvfp4"):
        options = {"height": 16} if name == "nvfp4" and kind == "weight" else {}
        data, scale_invs, of_tensor = quantize_blocks(name, x, **options)
        if name == "nvfp4":
            data = data.view(np.uint8).reshape(x.shape)
            values = np.arange(16, dtype=np.uint8).view(ml_dtypes.float4_e2m1fn).astype(np.float64)[data]
            each = scale_invs.astype(np.float64).repeat(16, 1) * np.float64(of_tensor)
            return values * each, np.abs(x) > 7 * each
        scaled = x / scale_invs.astype(np.float32).repeat(32, 1)
        return dequantized_blocks(name, data, scale_invs), np.isnan(scaled.astype(E4M3))
    if name in GRANULARITY:
        height, depth = GRANULARITY[name][kind]
        data, scale_invs, _ = test_fine_scales.quantize(x, height, depth)
        return dequantized(data, scale_invs, height, depth), np.zeros(x.shape, bool)
    scale = LARGEST / np.float32(np.abs(x).max() if amax is None else amax)
    data = np.clip(x * scale, -LARGEST, LARGEST).astype(E4M3)
    return data.astype(np.float64) * np.float64(1 / scale), np.isnan((x * scale).astype(E4M3))


def expect(entry, name, x, kind, amax=None):
    y, saturated = quantized(name, x, kind, amax)
    wide = x.astype(np.float64)
    assert entry["format"] == ("e2m1" if name == "nvfp4" else "e4m3")
    block = "block_128x128" if kind == "weight" else "block_1x128"
    assert entry["scaling"] == SCALING.get(name, block)
    assert entry["amax"] == np.abs(x).max()
    assert entry["rms"] == pytest.approx(np.sqrt((wide ** 2).mean()), rel=1e-5)
    assert entry["underflow"] == pytest.approx(((y == 0) & (x != 0)).mean(), abs=1e-7)
    assert entry["overflow"] == pytest.approx(saturated.mean(), abs=1e-7)
    # The error is about 2^-4 of an element in FP8, and differs by roundings of the element in f32.
    assert entry["sqnr_db"] == pytest.approx(10 * np.log10((wide ** 2).sum() / ((wide - y) ** 2).sum()), abs=1e-4)
    return entry


def find(result, path, direction, operand, format=None):
    """What an operand loses, in its own format if no other is named."""
    found = [e for e in result["numerics"] if (e["path"], e["direction"], e["operand"]) == (path, direction, operand)]
    formats = [e["format"] for e in found]
    assert formats in (["e2m1"], ["e4m3", "e5m2"], ["e5m2", "e4m3"]), (path, direction, operand)
    return found[formats.index(format or formats[0])]


def expect_e5m2(entry, in_e4m3, name, x):
    """The same operand in the other format, by ml_dtypes: it reaches further down, and keeps less."""
    height, depth = GRANULARITY[name]["activation"] if name in GRANULARITY else x.shape
    y = np.empty(x.shape)
    for i in range(0, len(x), height):
        for k in range(0, x.shape[1], depth):
            at = np.s_[i:i + height, k:k + depth]
            scale = np.float32(57344) / np.maximum(np.abs(x[at]).max(), np.float32(1e-12))
            y[at] = (x[at] * scale).astype(ml_dtypes.float8_e5m2).astype(np.float64) * np.float64(np.float32(1) / scale)
    wide = x.astype(np.float64)
    assert entry["underflow"] == pytest.approx(((y == 0) & (x != 0)).mean(), abs=1e-7)
    assert entry["underflow"] <= in_e4m3["underflow"] and entry["sqnr_db"] < in_e4m3["sqnr_db"] - 4
    assert entry["sqnr_db"] == pytest.approx(10 * np.log10((wide ** 2).sum() / ((wide - y) ** 2).sum()), abs=1e-4)


@pytest.mark.parametrize("name", [name for name in RECIPES if name != "delayed"])
def test_numbers_are_numpys(name, perceptron):
    module, x, tokens = perceptron(name)
    result = module.sample({"input_ids": tokens, "labels": tokens}, lr=1e-4)
    assert {(e["path"], e["direction"], e["operand"]) for e in result["numerics"]} >= {
        (path, direction, operand) for path in ("up", "down") for direction in ("fprop", "wgrad") for operand in (0, 1)}
    forward = expect(find(result, "up", "fprop", 0), name, x, "activation")
    columns = np.ascontiguousarray(x.T)
    expect(find(result, "up", "wgrad", 1), name, transform(columns) if name == "nvfp4" else columns, "activation")
    assert name not in ("current", "fp8-rowwise", "nvfp4") or forward["underflow"] > 0.01
    assert name != "mxfp8" or forward["overflow"] == 0
    if name in ("current", "fp8-rowwise", "fp8-block"):
        expect_e5m2(find(result, "up", "fprop", 0, "e5m2"), forward, name, x)
    assert all(np.isfinite(entry["rms"]) for entry in result["numerics"])
    # Work weights are measured as the update leaves them.
    weights = module.weights()
    for path in ("up", "down"):
        expect(find(result, path, "fprop", 1), name, weights[f"{path}.weight"], "weight")
    expect(find(result, "down", "dgrad", 1), name, np.ascontiguousarray(weights["down.weight"].T), "weight")


@pytest.mark.parametrize("factor", [1 / 16, 1 / 1.02, 8])
def test_delayed_scales_saturate(factor, perceptron):
    """Just beyond the largest value an element is rounded to it as any other is."""
    module, x, tokens = perceptron("delayed")
    batch = {"input_ids": tokens, "labels": tokens}
    module.eval(batch)  # Begins the histories.
    before = np.float32(np.abs(x).max()) * np.float32(factor)
    remember(module, "up/activation", before)
    result = module.sample(batch, lr=1e-4)
    entry = expect(find(result, "up", "fprop", 0), "delayed", x, "activation", before)
    assert (entry["overflow"] > 0) == (factor < 1 / 1.02)


def remember(module, tensor, amax):
    """Makes `amax` the only one in the history of a tensor."""
    ratios = [b for b in module.manifest["bindings"] if b["role"] == "amax_ratios" and tensor in b["tensors"]]
    assert len(ratios) == 1
    name = ratios[0]["name"].replace("amax_ratios", "amax_history")
    history = module.get(name)
    history[ratios[0]["tensors"].index(tensor)] = 0
    history[ratios[0]["tensors"].index(tensor), 0] = amax
    module.set(name, history)


def rms(values):
    return np.sqrt((np.asarray(values, np.float64) ** 2).mean())


@pytest.mark.parametrize("name", ["current", *MASTERS])
def test_numbers_of_parameters_are_numpys(name, folder_of):
    """With beta1 0 and a first moment of zero, the new moment is the gradient that the optimizer reads: 0 + (g - 0) *
    (1 - 0)."""
    module = opened(folder_of(name))
    for step, (_, batch) in enumerate(zip(range(2), batches()), 1):
        for binding in module.bindings:
            if binding.slot == "exp_avg":
                module.set(binding, np.zeros(binding.shape, np.float32))
        before = {key: value.astype(np.float32) for key, value in module.weights().items()}
        result = module.sample(inputs(batch), lr=1e-4, beta1=0.0, max_norm=MAX_NORM / 4)
        after, gradients, second = module.weights(), moments(module, "exp_avg"), moments(module, "exp_avg_sq")
        entries = {entry["path"]: entry for entry in result["tensors"]}
        assert entries.keys() == before.keys() and len(result["tensors"]) == len(before)
        for path, old in before.items():
            entry = entries[path]
            assert entry["phase"] == "forward" and entry["amax"] == np.abs(old).max()
            assert entry["rms"] == pytest.approx(rms(old), rel=1e-5)
            assert entry["gradient_rms"] == pytest.approx(rms(gradients[path]), rel=1e-5)
            meant = f32_update(old, gradients[path], second[path], step, **OPTIONS | {"lr": 1e-4, "betas": (0.0, 0.95)})
            assert entry["update_rms"] == pytest.approx(rms(meant), rel=1e-5)
            new = after[path].astype(np.float32)
            if after[path].dtype == np.float32:
                # What arrives is rounded twice, each time by at most half an ulp.
                ulp = np.spacing(np.maximum(np.abs(old), np.abs(new)))
                assert abs(entry["update_rms"] - rms(new.astype(np.float64) - old)) <= rms(ulp) + 1e-5 * entry["update_rms"]
            elif name == "nearest" and old.ndim == 1:
                # What is lost was meant.
                assert entry["update_rms"] > 5e-5 and rms(new - old) < entry["update_rms"] / 2
        # Clipped and unscaled.
        length = np.sqrt(sum(entries[path]["gradient_rms"] ** 2 * old.size for path, old in before.items()))
        assert length == pytest.approx(MAX_NORM / 4, rel=1e-4)


def train(tool, folder, *options):
    tokens = np.concatenate([batch.ravel() for _, batch in zip(range(8), batches())] + [[0]]).astype(np.uint16)
    tokens.tofile(folder / "tokens.bin")
    return subprocess.run([tool("prec-run"), folder / "step.so", "--weights", folder / "weights.safetensors", "--tokens", folder / "tokens.bin",
                           *map(str, options)], capture_output=True, text=True)


@pytest.fixture(scope="module")
def written(tool, folder_of):
    folder = folder_of("current")
    assert train(tool, folder, "--steps", 6, "--collect-numerics", folder / "numerics.json", "--every", 2).returncode == 0
    return folder, json.loads((folder / "numerics.json").read_text())


def test_the_file_holds_the_worst_of_its_samples(written):
    folder, document = written
    module = opened(folder)
    tokens = np.fromfile(folder / "tokens.bin", np.uint16).astype(np.int32)
    samples = []
    for step in range(6):
        batch = tokens[step * 64:step * 64 + 64].reshape(2, 32)
        result = (module.sample if step % 2 else module.step)({"input_ids": batch, "labels": batch})
        samples += [result] if step % 2 else []
    assert document["version"] == 1 and document["steps"] == {"first": 2, "count": 3}
    assert [tensor["path"] for tensor in document["tensors"]] == sorted(module.weights())
    for tensor in document["tensors"]:
        seen = [entry for sample in samples for entry in sample["tensors"] if entry["path"] == tensor["path"]]
        assert len(seen) == 3 and tensor.keys() == seen[0].keys() and tensor["phase"] == "forward"
        assert tensor["amax"] == max(entry["amax"] for entry in seen)
        for key in ("rms", "update_rms", "gradient_rms"):
            assert tensor[key] == pytest.approx(np.sqrt(np.mean([entry[key] ** 2 for entry in seen])), rel=1e-6)
    assert 2 * len(document["uses"]) == len(samples[0]["numerics"])
    for use in document["uses"]:
        seen = [find(sample, use["path"], use["direction"], use["operand"]) for sample in samples]
        assert use["amax"] == max(entry["amax"] for entry in seen)
        assert use["rms"] == pytest.approx(np.sqrt(np.mean([entry["rms"] ** 2 for entry in seen])), rel=1e-6)
        assert [loss["format"] for loss in use["losses"]] == ["e4m3", "e5m2"]
        for loss in use["losses"]:
            seen = [find(sample, use["path"], use["direction"], use["operand"], loss["format"]) for sample in samples]
            assert loss["scaling"] == seen[0]["scaling"]
            assert loss["underflow"] == max(entry["underflow"] for entry in seen)
            assert loss["overflow"] == max(entry["overflow"] for entry in seen) == 0
            assert loss["sqnr_db"] == pytest.approx(min(entry["sqnr_db"] for entry in seen))
            assert loss["mean_sqnr_db"] == pytest.approx(np.mean([entry["sqnr_db"] for entry in seen]))


def test_the_file_is_of_its_schema(written):
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(written[1], json.loads((ROOT / "docs/schemas/numerics.schema.json").read_text()))


def assign(tool, folder, options, output="/dev/null"):
    return subprocess.run([tool("prec-opt"), folder / "graph.mlir", "--prec-raise-composites",
                           f"--assign-precision=target=cpu numerics={folder / 'numerics.json'} {options}", "-o", output],
                          capture_output=True, text=True)


def test_assignment_reads_the_file(tool, written):
    """Every operand that the recipe reads in FP8 was measured, and nothing else."""
    folder, document = written
    plain = assign(tool, folder, f"recipe=fp8-hybrid map-file={folder / 'map.json'}")
    assert plain.returncode == 0 and not plain.stderr
    function, = json.loads((folder / "map.json").read_text())["functions"]
    narrow = {(op["path"], op["direction"], read["operand"]) for op in function["operations"] if "direction" in op
              for read in op["reads"] if read["format"] in ("e4m3", "e5m2")}
    assert narrow == {(use["path"], use["direction"], use["operand"]) for use in document["uses"]}
    # What was measured decides: no FP8 has so much signal.
    refused = assign(tool, folder, "recipe=fp8-hybrid limits=sqnr:60", folder / "refused.mlir")
    tagged = (folder / "refused.mlir").read_text()
    assert refused.returncode == 0 and "tag<e4m3" not in tagged and "too coarse" in tagged


@pytest.mark.long
@pytest.mark.parametrize("optimizer", ["AdamW", "SGD", "RAdam"])
@pytest.mark.parametrize("scaling", ["current", "delayed"])
def test_gradients_that_keep_more_in_e4m3_are_read_in_it(scaling, optimizer, tool, tmp_path):
    """Where that are all of them, the step has the bits of recipe fp8-e4m3."""
    torch.manual_seed(0)
    model, ids = llama(), torch.zeros(2, 32, dtype=torch.int64)
    prec.import_torch(model, getattr(torch.optim, optimizer)(model.parameters(), lr=1e-3), {"input_ids": ids, "labels": ids},
                      verify=False).write(tmp_path / "graph.mlir")
    options = f"tensor-scaling={scaling}"

    def compile_(name, recipe, *more):
        subprocess.run([tool("prec-compile"), tmp_path / "graph.mlir", f"--recipe={recipe}", *more, "-o", tmp_path / name], check=True)
        return prec.Module(tmp_path / name)
    weights = {path: parameter.detach().numpy().copy() for path, parameter in model.named_parameters()}

    def start(module):
        for binding in module.bindings:
            if binding.role == "parameter" and binding.name in weights:
                module.set(binding, weights[binding.name])
        return module
    sampled = start(compile_("sampled.so", "fp8-hybrid", f"--assign={options}", "--collect-numerics"))
    (_, batch), = zip(range(1), batches())
    for _ in range(4):
        sampled.step(inputs(batch), lr=1e-6)  # Histories of amaxes begin, from the last layer to the first.
    uses = {}
    for entry in sampled.sample(inputs(batch))["numerics"]:
        use = uses.setdefault((entry["path"], entry["direction"], entry["operand"]), {
            **{key: entry[key] for key in ("path", "direction", "operand", "amax", "rms")}, "losses": []})
        use["losses"].append({key: entry[key] for key in ("format", "scaling", "underflow", "overflow", "sqnr_db")})
    numerics = tmp_path / "numerics.json"
    numerics.write_text(json.dumps({"version": 1, "tensors": [], "uses": list(uses.values())}))
    losses = {name: [loss["sqnr_db"] for use in uses.values() for loss in use["losses"] if use["direction"] != "fprop" and use["operand"] == 0
                     and loss["format"] == name] for name in ("e4m3", "e5m2")}
    assert all(one > other for one, other in zip(*losses.values(), strict=True))
    measured = f"numerics={numerics} gradient-format=measured limits=underflow:1,overflow:1"
    chosen = start(compile_("chosen.so", "fp8-hybrid", f"--assign={options} {measured}"))
    named = start(compile_("named.so", "fp8-e4m3", f"--assign={options}"))
    wide = start(compile_("wide.so", "fp8-hybrid", f"--assign={options}"))
    got = {name: [module.step(inputs(batch), lr=1e-3)["loss"] for _, batch in zip(range(3), batches())]
           for name, module in (("chosen", chosen), ("named", named), ("wide", wide))}
    assert got["chosen"] == got["named"] != got["wide"]


class Twice(torch.nn.Module):
    """Two products of one module, whose operands have one name."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.table, self.head = torch.nn.Embedding(256, 32), torch.nn.Linear(32, 256)
        self.first, self.second = (torch.nn.Parameter(torch.randn(32, 32) / size) for size in (5, 50))

    def forward(self, input_ids, labels):
        x = self.table(input_ids)
        x = x + torch.nn.functional.linear(torch.nn.functional.gelu(torch.nn.functional.linear(x, self.first)), self.second)
        return torch.nn.functional.cross_entropy(self.head(x).flatten(0, 1), labels.flatten())


def import_twice():
    model, ids = Twice(), torch.arange(64).view(2, 32) % 16
    return prec.import_torch(model, torch.optim.AdamW(model.parameters(), **OPTIONS), {"input_ids": ids, "labels": ids}, verify=False)


@pytest.mark.long
def test_products_of_one_module_are_each_measured(tool, compile_sampling):
    folder = compile_sampling(import_twice, "current")
    assert train(tool, folder, "--steps", 1, "--collect-numerics", folder / "numerics.json", "--every", 1).returncode == 0

    def of_both(entries):
        return [entry for entry in entries if (entry["path"], entry["direction"], entry["operand"]) == ("Twice", "fprop", 1)
                and entry.get("format", "e4m3") == "e4m3"]
    use, = of_both(json.loads((folder / "numerics.json").read_text())["uses"])
    tokens = np.fromfile(folder / "tokens.bin", np.uint16).astype(np.int32)[:64].reshape(2, 32)
    seen = of_both(opened(folder).sample({"input_ids": tokens, "labels": tokens})["numerics"])
    assert len(seen) == 2 and use["amax"] == max(entry["amax"] for entry in seen)
    assert min(entry["amax"] for entry in seen) < use["amax"] / 5
    assert assign(tool, folder, "recipe=fp8-hybrid").returncode == 0


def stalled(result):
    """By parameter the measured step that a warning of masters says it is of."""
    places = re.findall(r"(\S+) \(a step of ([^,]+), measured, moves", result.stderr)
    return {path: float(step) for path, step in places}


def test_assignment_reads_updates(tool, folder_of, tmp_path):
    """Whether masters in BF16 stall, and moments lose gradients, is what was measured in steps with masters in FP32 and
    no FP8."""
    (tmp_path / "step.so").symlink_to(folder_of("f32") / "step.so")
    for name in ("weights.safetensors", "graph.mlir"):
        (tmp_path / name).symlink_to(folder_of("f32") / name)
    file = tmp_path / "numerics.json"
    assert train(tool, tmp_path, "--steps", 2, "--lr", 1e-5, "--collect-numerics", file, "--every", 1).returncode == 0
    document = json.loads(file.read_text())
    assert document["uses"] == [] and len(document["tensors"]) > 5
    measured = {tensor["path"]: tensor["update_rms"] for tensor in document["tensors"]}

    def assigned(**numbers):
        changed = document | {"tensors": [tensor | numbers for tensor in document["tensors"]]}
        file.write_text(json.dumps(changed))
        result = assign(tool, tmp_path, "model-dtype=bf16 assume=epsilon:1e-30")
        assert result.returncode == 0 and "of nothing in this graph" not in result.stderr
        return result
    found = stalled(assigned())
    assert len(found) == 3 and all(step == pytest.approx(measured[path], rel=0.05) for path, step in found.items())
    assert "masters stall" not in assigned(update_rms=0.1).stderr
    # Squares of 1e-25 are below the smallest number of f32, and epsilon is far below their roots.
    lost = "second moments lose the gradient"
    assert lost not in assigned().stderr and lost in assigned(gradient_rms=1e-25).stderr


def test_refusals(tool, folder_of, written, tmp_path):
    folder = written[0]
    path = tmp_path / "numerics.json"

    def fails(where, message, *options):
        result = train(tool, where, "--steps", 4, *options)
        assert result.returncode == 1 and result.stderr == f"prec-run: error: {message}\n"
        assert not path.exists()
    sampling = ("--collect-numerics", path)
    fails(folder, "--every must leave a step to sample, but got 100 for the steps from 1 to 4", *sampling)
    fails(folder_of("current", "--accumulate"), "--collect-numerics must have steps of one batch, but got --micro-batches 2",
          *sampling, "--every", 1, "--micro-batches", 2)
    plain = tmp_path / "plain"
    plain.mkdir()
    subprocess.run([tool("prec-compile"), folder / "graph.mlir", "--recipe=fp8-hybrid", "-o", plain / "step.so"], check=True)
    (plain / "weights.safetensors").symlink_to(folder / "weights.safetensors")
    fails(plain, "--collect-numerics must be given for a module compiled with --collect-numerics, but is not", *sampling, "--every", 1)
    module = opened(plain)
    batch = next(batches())
    with pytest.raises(RuntimeFailure, match="module must have the entry point 'sample', but has not"):
        module.sample(inputs(batch))


def test_a_step_that_is_not_finite_is_no_sample(tool, folder_of, tmp_path):
    """Weights whose products are infinite skip every step: there is nothing to write."""
    folder = folder_of("current")
    module = opened(folder)
    bad = module.weights()["model.norm.weight"]
    bad[0] = 3e38
    module.set("model.norm.weight", bad)
    module.save(tmp_path / "weights.safetensors")
    (tmp_path / "step.so").symlink_to(folder / "step.so")
    result = train(tool, tmp_path, "--steps", 4, "--collect-numerics", tmp_path / "numerics.json", "--every", 2)
    assert result.returncode == 0 and "no sampled step was finite" in result.stderr
    assert not (tmp_path / "numerics.json").exists()
