# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Delayed scaling: every command of a step follows a program written by hand whose scales come from earlier amaxes; the
histories move on
by what the step saw; a saved run goes on bit for bit."""
import json
import subprocess

import ml_dtypes
import numpy as np
import pytest
import torch
from bounded import Bounded
from conftest import ROOT
from first_step import MAX_NORM, OPTIONS, import_step, inputs, moments
from followed import FORMATS, Follower, Mismatch, Stored
from kept_values import KeptStep, keep_values
from reference_steps import LlamaStep, optimize
from rounding_arithmetic import Scaled, narrow
from test_against_pytorch import batches, llama
from test_optimizer import f32

import prec

LARGEST = {"e4m3": 448.0, "e5m2": 57344.0}
LENGTH = 4
BATCHES = [batch for _, batch in zip(range(6), batches())]


def histories(module):
    return [binding for binding in module.bindings if binding.name.startswith("amax_history.")]


class DelayedFollower(Follower):
    """`before` holds the histories at the start of the step, by binding name: their amaxes make the scales. What is
    scaled need not be stored, for its producer may quantize it."""

    FUSED = Follower.FUSED | {"norm", "gated", "up gradient", "gate gradient"}

    def __init__(self, stored, before, flaw=None):
        super().__init__("fp8-hybrid", stored, flaw)
        self.before, self.unused, self.seen, self.scales = before, [], {}, {}
        self.ratios = []
        for name, history in before.items():
            amax = torch.from_numpy(history[:, 0] if flaw == "newest amax only" else history.max(1))
            largest = torch.tensor(LARGEST[name.split(".")[1]]) / (2 if flaw == "a margin" else 1)
            scales = self.scales[name] = largest / amax.clamp(min=1e-12)
            self.unused += [(name, row, scale) for row, scale in enumerate(scales)]
            for vector in (amax, scales, 1 / scales):
                self.mark(vector)
                self.mark(vector[:, None].repeat(1, 4))  # Each 16 bytes from the next.

    def quantize(self, x, kind):
        # Work weights that a step reads were made before it.
        return super().quantize(x, kind) if kind == "weight" else self.delayed(Bounded.of(x), kind)[0]

    def delayed(self, x, kind):
        """`x` by the scale of a row that no other tensor has, and that scale."""
        low, high = (x.value - x.error).float(), (x.value + x.error).float()
        amax = self.see_amax(low, high)
        format_ = "e5m2" if kind == "gradient" else "e4m3"
        largest = LARGEST[format_]
        for entry in [entry for entry in self.unused if entry[0].split(".")[1] == format_]:
            name, row, scale = entry
            ends = (narrow((end * scale).clamp(-largest, largest), FORMATS[format_]).double().numpy() for end in (low, high))
            try:
                data = self.stored.find(*ends, FORMATS[format_], f"{kind} in FP8")
            except Mismatch:
                continue
            self.unused.remove(entry)
            self.seen[name, row] = amax
            return Scaled(Bounded(data), Bounded(1 / scale)), scale
        raise Mismatch(f"{kind} of shape {list(x.shape)} must be scaled by a history's amax")

    def see_amax(self, low, high):
        """The amax, between bounds, on the ways that a step may take to it."""
        high, low = torch.maximum(high.abs(), low.abs()), torch.where(low * high < 0, 0.0, torch.minimum(low.abs(), high.abs()))
        counts = [count for count in range(1, len(low) + 1) if low.numel() % count == 0]
        for way in (lambda x: x.amax(0), *(lambda x, n=n: x.reshape(n, -1).amax(1) for n in counts)):
            self.mark(Bounded((way(low) + way(high)).double() / 2, (way(high) - way(low)).double() / 2))
        if self.flaw == "amax of the first row":
            return low[0].amax(), high[0].amax()
        return low.amax(), high.amax()

    def copy(self, new):
        new = Bounded(new.value.float())
        self.mark(new)
        if new.value.dim() == 2:
            try:
                made, scale = self.delayed(new, "weight")
            except Mismatch:  # The embedding has no copy in FP8.
                return
            self.mark(made.scale_inv)
            self.mark(scale)

    def check_histories(self):
        assert not self.unused, "every history must be of one tensor"
        for name, history in self.before.items():
            newest = [np.float64([self.seen[name, row][end] for row in range(len(history))]) for end in (0, 1)]
            self.mark(Bounded(torch.from_numpy(sum(newest) / 2), torch.from_numpy((newest[1] - newest[0]) / 2)))
            self.stored.find(*(np.concatenate([end[:, None], history[:, :-1]], 1) for end in newest), np.float32, name)
            self.mark_ratios(name, newest)

    def mark_ratios(self, name, newest):
        """The amaxes by the room of their scales, the largest, and how many have no room; of all tensors, too."""
        low, high = (torch.from_numpy(end) * self.scales[name].double() / LARGEST[name.split(".")[1]] for end in newest)
        self.mark(Bounded((low + high) / 2, (high - low) / 2 + high * 2.0**-22))
        limit = 464 / 448 if name.split(".")[1] == "e4m3" else 61440 / 57344
        assert ((low > limit) == (high > limit)).all()
        self.ratios.append((low.max(), high.max(), (low > limit).sum()))
        for ratios in (self.ratios[-1:], self.ratios):
            ends = [max(entry[end] for entry in ratios) for end in (0, 1)]
            self.mark(Bounded((ends[0] + ends[1]) / 2, (ends[1] - ends[0]) / 2 + ends[1] * 2.0**-22))
            self.mark(Bounded(sum(entry[2] for entry in ratios).double()))


def make_recipe(folder):
    """fp8-hybrid with delayed scales and short histories."""
    text = (ROOT / "recipes/fp8-hybrid.json").read_text().replace("tensor_current", "tensor_delayed")
    path = folder / "delayed.json"
    path.write_text(json.dumps({**json.loads(text), "amax": {"history": LENGTH}}))
    return path


@pytest.fixture(scope="module")
def recipe(tmp_path_factory):
    return make_recipe(tmp_path_factory.mktemp("recipe"))


@pytest.fixture(scope="module")
def kept(recipe, open_apart):
    model, module = open_apart(llama, recipe)
    path, weights = open_apart.compiled[llama, recipe]
    module.step(inputs(BATCHES[0]))
    typical = {binding.name: module.get(binding)[:, :1] for binding in histories(module)}
    assert all((amax > 0).all() for amax in typical.values()), "every tensor must have been seen"
    kept = prec.Module(keep_values(path))
    kept.load(weights)
    kept.eval(inputs(BATCHES[0]))  # Makes work weights, and histories anew.
    rng, before = np.random.default_rng(0), {}
    for binding in histories(kept):
        spread = rng.uniform(0.7, 1.5, (len(typical[binding.name]), LENGTH))
        before[binding.name] = (typical[binding.name] * spread).astype(np.float32)
        kept.set(binding, before[binding.name])
    step = KeptStep(kept, inputs(BATCHES[0]))
    parameters = {name: torch.from_numpy(value) for name, value in kept.weights().items()}
    zeros = {name: (torch.zeros_like(value), torch.zeros_like(value)) for name, value in parameters.items()}

    def follow(flaw=None):
        arithmetic = DelayedFollower(Stored(step), before, flaw)
        _, gradients = LlamaStep(model.config).run(arithmetic, parameters, torch.from_numpy(BATCHES[0]))
        optimize(arithmetic, parameters, gradients, zeros, 1, MAX_NORM, {key: f32(value) for key, value in OPTIONS.items()})
        arithmetic.check_histories()
        return arithmetic
    return step, follow


def test_every_command(kept):
    step, follow = kept
    arithmetic = follow()
    for command in step.commands:
        unknown = [index for index in command["writes"] if index in step.values and index not in arithmetic.stored.matched]
        assert not unknown, f"{command['name']} stores what the reference does not: {[step.values[i].shape for i in unknown]}"


@pytest.mark.parametrize("flaw", ["newest amax only", "a margin", "amax of the first row"])
def test_flaws_are_seen(flaw, kept):
    with pytest.raises(Mismatch):
        kept[1](flaw)


def test_first_step(recipe, open_step):
    """Nothing was seen but the masters: their histories begin with their amax."""
    _, module = open_step(llama, recipe)
    module.eval(inputs(BATCHES[0]))
    largest = {np.abs(value).max() for value in module.weights().values() if value.ndim == 2}
    rows = np.concatenate([module.get(binding) for binding in histories(module)])
    begun = rows[rows[:, 0] > 0]
    assert set(begun[:, 0]) <= largest and len(begun) == sum(b.slot == "e4m3" for b in module.bindings)
    assert not begun[:, 1:].any() and not rows[rows[:, 0] == 0].any()


def test_eval_changes_no_history(recipe, open_step):
    _, module = open_step(llama, recipe)
    module.step(inputs(BATCHES[0]))
    before = [module.get(binding) for binding in histories(module)]
    loss = module.eval(inputs(BATCHES[1]))["loss"]
    assert all(np.array_equal(module.get(binding), old) for binding, old in zip(histories(module), before))
    assert module.eval(inputs(BATCHES[1]))["loss"] == loss


def test_a_spike_is_remembered_as_long_as_the_history(recipe, open_step):
    _, module = open_step(llama, recipe)
    module.step(inputs(BATCHES[0]))
    spiked = histories(module)[0]
    history = module.get(spiked)
    history[0, 0] = 1e6
    module.set(spiked, history)
    for step in range(1, LENGTH):
        module.step(inputs(BATCHES[step]))
        assert module.get(spiked)[0].max() == 1e6
    module.step(inputs(BATCHES[LENGTH]))
    assert module.get(spiked)[0].max() < 1e6


def test_a_saved_run_goes_on(recipe, open_step, tmp_path):
    _, module = open_step(llama, recipe)
    path, _ = open_step.compiled[llama, recipe]
    for batch in BATCHES[:3]:
        module.step(inputs(batch))
    module.save_checkpoint(tmp_path / "saved", 0)
    resumed = prec.Module(path)
    resumed.load(tmp_path / "saved")
    for binding in module.bindings:
        if binding.role in ("parameter", "optimizer_state", "work_weight", "scale_state"):
            theirs = next(b for b in resumed.bindings if (b.role, b.name) == (binding.role, binding.name))
            assert np.array_equal(module.get(binding), resumed.get(theirs)), binding.name
    assert [module.step(inputs(b)) for b in BATCHES[3:]] == [resumed.step(inputs(b)) for b in BATCHES[3:]]
    assert moments(module, "exp_avg").keys() == moments(resumed, "exp_avg").keys()


def ratios(module):
    """By name of a tensor, its amax by what its scale has room for."""
    bindings = [b for b in module.manifest["bindings"] if b["role"] == "amax_ratios"]
    return {tensor: ratio for b in bindings for tensor, ratio in zip(b["tensors"], module.get(b["name"]), strict=True)}


def remembered(module):
    """By name of a tensor, its history."""
    bindings = [b for b in module.manifest["bindings"] if b["role"] == "amax_ratios"]
    return {tensor: history for b in bindings
            for tensor, history in zip(b["tensors"], module.get(b["name"].replace("amax_ratios", "amax_history")), strict=True)}


def forget(module, tensor, factor):
    """Divides a tensor's history."""
    for binding in module.manifest["bindings"]:
        if binding["role"] == "amax_ratios" and tensor in binding["tensors"]:
            name = binding["name"].replace("amax_ratios", "amax_history")
            history = module.get(name)
            history[binding["tensors"].index(tensor)] /= factor
            return module.set(name, history)
    raise KeyError(tensor)


SPIKED = "model.layers.1.mlp.down_proj/activation"


def test_ratios_are_of_histories(recipe, open_step):
    """Amaxes as the histories have them, scales as docs/Scaling.md says; elements saturate where rounding to nearest is
    beyond the largest value, as ml_dtypes has it."""
    _, module = open_step(llama, recipe)
    for step, batch in enumerate(BATCHES[:4]):
        before = remembered(module)
        result = module.step(inputs(batch))
        after, seen, saturated = remembered(module), ratios(module), 0
        assert seen.keys() == before.keys() and SPIKED in seen
        for tensor, ratio in seen.items():
            name = next(b["name"] for b in module.manifest["bindings"] if tensor in b.get("tensors", ()) and b["role"] == "amax_ratios")
            format_ = name.split(".")[1]
            known = before[tensor].max() if step else 0
            if step:
                scale = np.float32(LARGEST[format_]) / np.maximum(known, np.float32(1e-12)) if known else np.float32(1)
                expected = after[tensor][0] * scale
                assert ratio == pytest.approx(expected / LARGEST[format_], rel=1e-6)
                with np.errstate(over="ignore"):
                    saturated += not np.isfinite(expected.astype({"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}[format_]))
        assert result["fp8_amax_ratio"] == max(seen.values())
        assert not step or result["fp8_saturated"] == saturated


def test_gradients_begin_small(recipe, open_step):
    """Of a gradient nothing was seen before the first step: its scale has room for 2^-8, that of an activation for the
    largest value."""
    _, module = open_step(llama, recipe)
    module.step(inputs(BATCHES[0]))
    after, seen = remembered(module), ratios(module)
    rooms = {"gradient": 2.0**-8, "activation": LARGEST["e4m3"]}
    for kind, room in rooms.items():
        tensors = [tensor for tensor in seen if tensor.rsplit("/")[-1].split(".")[0] == kind]
        assert tensors
        for tensor in tensors:
            assert seen[tensor] == pytest.approx(after[tensor][0] / room, rel=1e-6)


def test_a_spike_saturates_once_and_is_named(recipe, open_step):
    _, module = open_step(llama, recipe)
    for batch in BATCHES[:2]:
        quiet = module.step(inputs(batch))
    forget(module, SPIKED, 64)
    result = module.step(inputs(BATCHES[2]))
    worst = max(ratios(module), key=ratios(module).get)
    assert worst == SPIKED and 32 < result["fp8_amax_ratio"] < 128 and result["fp8_saturated"] >= 1
    # The next scale is made of the spike.
    after = module.step(inputs(BATCHES[3]))
    assert after["fp8_amax_ratio"] < 2 and after["fp8_saturated"] < result["fp8_saturated"] + quiet["fp8_saturated"]
    assert ratios(module)[SPIKED] < 1.5


def test_an_infinite_amax_is_counted_and_not_remembered(recipe, open_step):
    """An infinity is quantized to the largest value and may not show in the loss."""
    _, module = open_step(llama, recipe)
    module.step(inputs(BATCHES[0]))
    weights = next(b for b in module.bindings if b.name == "model.layers.0.post_attention_layernorm.weight" and b.role == "parameter")
    value = module.get(weights)
    value[3] = np.inf
    history = {name: values.copy() for name, values in remembered(module).items()}
    module.set(weights, value)
    result = module.step(inputs(BATCHES[1]))
    assert not result["finite"] or result["fp8_saturated"] >= 1
    assert all(np.isfinite(ratio) for ratio in ratios(module).values()) and np.isfinite(result["fp8_amax_ratio"])
    assert history.keys() == remembered(module).keys()


def run(tool, *arguments):
    return subprocess.run([tool("prec-run"), *map(str, arguments)], capture_output=True, text=True)


def test_prec_run_names_a_spike_once(tool, recipe, open_step, tmp_path):
    """Also after a resume, where the histories are those that were saved."""
    _, module = open_step(llama, recipe)
    path, _ = open_step.compiled[llama, recipe]
    for batch in BATCHES[:2]:
        module.step(inputs(batch))
    module.save_checkpoint(tmp_path / "quiet", 0)
    forget(module, SPIKED, 64)
    module.save_checkpoint(tmp_path / "spiked", 0)
    np.concatenate([batch.ravel() for batch in BATCHES] + [[0]]).astype(np.uint16).tofile(tmp_path / "tokens.bin")

    def warnings(folder):
        done = run(tool, path, "--resume", tmp_path / folder, "--tokens", tmp_path / "tokens.bin", "--steps", 6)
        assert done.returncode == 0
        return [line for line in done.stderr.splitlines() if "saturates" in line]
    assert not warnings("quiet")
    line, = warnings("spiked")
    assert line.startswith(f"step 3 saturates {SPIKED}: its amax is ") and line.endswith(" times what the scale of earlier steps has room for")
    assert 32 < float(line.split(" is ")[1].split(" times")[0]) < 128


def test_eval_counts_nothing(recipe, open_step):
    _, module = open_step(llama, recipe)
    module.step(inputs(BATCHES[0]))
    module.step(inputs(BATCHES[1]))
    before = ratios(module)
    forget(module, SPIKED, 64)
    assert "fp8_saturated" not in module.eval(inputs(BATCHES[2]))
    assert ratios(module) == before


def test_micro_batches_count_once(tool, recipe, tmp_path):
    """The amaxes of a step are the largest of its micro-batches: of one, those of the step."""
    _, imported = import_step(llama)
    imported.write(tmp_path / "graph.mlir")
    imported.write_weights(tmp_path / "weights.safetensors")
    subprocess.run([tool("prec-compile"), tmp_path / "graph.mlir", f"--recipe-file={recipe}", "--accumulate", "-o", tmp_path / "step.so"], check=True)
    whole, parts = (prec.Module(tmp_path / "step.so") for _ in range(2))
    for module in (whole, parts):
        module.load(tmp_path / "weights.safetensors")
        module.step(inputs(BATCHES[0]))
        module.step(inputs(BATCHES[1]))
        forget(module, SPIKED, 64)
    expected = whole.step(inputs(BATCHES[2]))
    parts.accumulate(inputs(BATCHES[2]))
    assert parts.apply() == expected and ratios(parts) == ratios(whole) and expected["fp8_saturated"] >= 1
