# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A module trains as NumPy does, evaluates without a trace, resumes bit for bit."""
import numpy as np
import pytest
from models import BATCH, INPUT, OUTPUT, bigram, perceptron, perceptron_reference
from safetensors.numpy import save_file
from step_module import StepModule

from prec.module import RuntimeFailure


def data(seed=0):
    random = np.random.default_rng(seed)
    return random.standard_normal((BATCH, INPUT), np.float32), random.standard_normal((BATCH, OUTPUT), np.float32)


def test_perceptron_follows_numpy(tmp_path, open_module):
    module = open_module(perceptron().build(tmp_path / "step.so"))
    module.init_random(seed=3, stddev=0.2)
    weights = module.weights()
    momenta = {name: np.zeros_like(w) for name, w in weights.items()}
    x, y = data()
    for step in range(1, 31):
        result = module.step({"x": x, "y": y})
        expected = perceptron_reference(weights, momenta, x, y)
        assert result["step"] == step and result["finite"]
        # Two orders of at most HIDDEN additions a step, over 30 steps.
        assert result["loss"] == pytest.approx(expected, rel=1e-5)
    assert result["loss"] < 0.5


def test_bf16_work_weights_follow_masters(tmp_path, open_module):
    module = open_module(perceptron("bf16").build(tmp_path / "step.so"))
    module.init_random(seed=3, stddev=0.2)
    x, y = data()
    for _ in range(3):
        module.step({"x": x, "y": y})
    import ml_dtypes
    work = next(b for b in module.bindings if b.role == "work_weight" and b.name == "fc1.weight")
    np.testing.assert_array_equal(module.get(work).view(np.uint16),
                                  module.get("fc1.weight").astype(ml_dtypes.bfloat16).view(np.uint16))


def test_guard(tmp_path, open_module):
    """An index into names; what is no index of theirs is none."""
    module = StepModule()
    value = module.bind("x", "batch", "f32", [])
    guard = module.bind("first_not_finite", "guard", "f32", [], tensors=["loss", "gradient of w"])
    loss = module.bind("loss", "loss", "f32", [])
    for entry in ("step", "eval"):
        module.kernel(entry, "loss", [value], [loss], 1, "*b1 = 0;")
    module.kernel("step", "guard", [value], [guard], 1, "*b1 = *b0;")
    module = open_module(module.build(tmp_path / "step.so"))
    for index, name in ((0, "loss"), (1, "gradient of w"), (2, None), (-1, None), (np.nan, None), (np.inf, None)):
        result = module.step({"x": np.float32(index)})
        assert result["skipped"] == name and result["finite"] == (name is None)
    module.step({"x": np.float32(1)})
    assert module.eval({"x": np.float32(2)})["finite"]


def test_index_checks(tmp_path, open_module):
    """Each says of one table whether its indices are rows: a step that the guard skips, an evaluation that fails."""
    module = StepModule()
    value = module.bind("x", "batch", "f32", [])
    checks = [module.bind(f"index_check.{i}", "guard", "f32", [], tensors=[f"index into {name} (4 rows)"]) for i, name in enumerate("ab")]
    guard = module.bind("first_not_finite", "guard", "f32", [], tensors=["loss"])
    loss = module.bind("loss", "loss", "f32", [])
    for entry in ("step", "eval"):
        module.kernel(entry, "loss", [value], [loss], 1, "*b1 = 0;")
        for i, check in enumerate(checks):
            module.kernel(entry, f"check{i}", [value], [check], 1, f"*b1 = *b0 != {i};")
    module.kernel("step", "guard", [value], [guard], 1, "*b1 = *b0 < 3 ? 0 : 1;")
    module = open_module(module.build(tmp_path / "step.so"))
    # The loss of a step with a bad index means nothing, so the index is named first.
    for x, name in ((0, "index into a (4 rows)"), (1, "index into b (4 rows)"), (2, "loss"), (3, None)):
        result = module.step({"x": np.float32(x)})
        assert result["skipped"] == name and result["finite"] == (name is None)
    assert module.eval({"x": np.float32(2)})["finite"]
    with pytest.raises(RuntimeFailure, match=r"^index into b \(4 rows\) is out of range$"):
        module.eval({"x": np.float32(1)})


def test_index_check_without_a_guard(tmp_path, open_module):
    module = StepModule()
    value = module.bind("x", "batch", "f32", [])
    check = module.bind("index_check.0", "guard", "f32", [], tensors=["index into a (4 rows)"])
    loss = module.bind("loss", "loss", "f32", [])
    for entry in ("step", "eval"):
        module.kernel(entry, "loss", [value], [loss], 1, "*b1 = 0;")
        module.kernel(entry, "check", [value], [check], 1, "*b1 = *b0;")
    module = open_module(module.build(tmp_path / "step.so"))
    assert module.step({"x": np.float32(1)})["finite"]
    with pytest.raises(RuntimeFailure, match=r"index into a \(4 rows\) is out of range in step 2, and no guard kept it from changing weights"):
        module.step({"x": np.float32(0)})


def test_whole_numbers_are_checked(tmp_path, open_module):
    """Of 64 bits as of 32, and of buffers as of batches."""
    module = StepModule()
    ids = module.bind("ids", "batch", "i64", [2], vocabulary=2**40)
    places = module.bind("places", "buffer", "i32", [2], vocabulary=4)
    far = module.bind("far", "buffer", "i64", [2], range=[-5, 2**40])
    loss = module.bind("loss", "loss", "f32", [])
    for entry in ("step", "eval"):
        module.kernel(entry, "loss", [ids, places, far], [loss], 1, "*b3 = (float)b0[0] + b1[0] + b2[0];")
    module = open_module(module.build(tmp_path / "step.so"))
    module.set("places", np.array([0, 3], np.int64))
    module.set("far", np.array([0, 2**40]))
    assert module.eval({"ids": np.array([2**36, 0])})["loss"] == 2.0**36
    with pytest.raises(RuntimeFailure, match=r"token ids must lie in \[0, 1099511627776\), but got -1 at position 1 of 'ids'"):
        module.eval({"ids": np.array([0, -1])})
    with pytest.raises(RuntimeFailure, match=r"token ids must lie in \[0, 4\), but got 4 at position 0 of 'places'"):
        module.set("places", np.array([4, 0], np.int32))
    message = "must stay in the range that it had at import, -5 to 1099511627776, but got -6 at position 1 of 'far'"
    with pytest.raises(RuntimeFailure, match=message):
        module.set("far", np.array([0, -6]))
    save_file({"places": np.array([0, 9], np.int64), "far": np.array([0, 1])}, tmp_path / "w.safetensors")
    with pytest.raises(RuntimeFailure, match=r"tensor 'places': token ids must lie in \[0, 4\), but got 9 at position 1"):
        module.load(tmp_path / "w.safetensors")


def test_hyper_parameters(tmp_path, open_module):
    module = open_module(perceptron().build(tmp_path / "step.so"))
    module.init_random(seed=3)
    before = module.weights()
    x, y = data()
    module.step({"x": x, "y": y}, lr=0.0)
    for name, weight in module.weights().items():
        np.testing.assert_array_equal(weight, before[name])
    with pytest.raises(RuntimeFailure, match="must be one of lr, step, but got 'momentum'"):
        module.set_hyper(momentum=0.5)
    with pytest.raises(RuntimeFailure, match="'lr' must be a finite f32, but got"):
        module.set_hyper(lr=1e39)


def test_step_count_advances(tmp_path, open_module):
    module = open_module(bigram().build(tmp_path / "step.so"))
    module.init_random()
    ids = np.zeros((2, 16), np.int32)
    for expected in (1, 2, 3):
        assert module.step({"input_ids": ids, "targets": ids})["seen_step"] == expected
    module.init_random()
    assert module.step()["seen_step"] == 1


def test_eval_changes_nothing(tmp_path, open_module):
    module = open_module(bigram().build(tmp_path / "step.so"))
    module.init_random()
    ids = np.arange(32, dtype=np.int32).reshape(2, 16)
    module.step({"input_ids": ids, "targets": ids})
    state = {b.name: module.get(b).tobytes() for b in module.bindings if b.role in ("parameter", "optimizer_state", "buffer")}
    first = module.eval()
    assert module.eval() == first and first["step"] == 1
    for name, bytes_ in state.items():
        assert module.get(name).tobytes() == bytes_
    assert module.step()["loss"] == pytest.approx(first["loss"])


def test_runs_are_bitwise_equal(tmp_path, open_module):
    path = perceptron("bf16").build(tmp_path / "step.so")
    results = []
    for _ in range(2):
        module = open_module(path)
        module.init_random(seed=1)
        x, y = data()
        results.append(([module.step({"x": x, "y": y})["loss"] for _ in range(20)], module.weights()["fc1.weight"].tobytes()))
    assert results[0] == results[1]


def test_random_weights_are_the_documented_function(tmp_path, open_module):
    """NormalDeviate.h in NumPy: the sum of twelve 16-bit uniforms of SplitMix64, seeded by the name."""
    module = open_module(bigram(vocabulary=128).build(tmp_path / "step.so"))
    module.init_random(seed=11, stddev=0.5)

    def split_mix(seed, counter):
        with np.errstate(over="ignore"):
            z = np.uint64(seed) + (counter + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            return z ^ (z >> np.uint64(31))

    name_hash = 0xCBF29CE484222325
    for byte in b"table.weight":
        name_hash = (name_hash ^ byte) * 0x100000001B3 % 2**64
    seed = split_mix(11, np.uint64(name_hash))
    words = split_mix(seed, np.arange(128 * 128 * 3, dtype=np.uint64)).view(np.uint16).reshape(-1, 12)
    expected = (words.astype(np.int64).sum(1) - 393210).astype(np.float32) / np.float32(65536) * np.float32(0.5)
    np.testing.assert_array_equal(module.get("table.weight").ravel(), expected)


def test_random_weights(tmp_path, open_module):
    module = open_module(bigram(vocabulary=256).build(tmp_path / "step.so"))
    module.init_random(seed=7, stddev=0.02)
    table = module.get("table.weight")
    assert abs(table.mean()) < 5 * 0.02 / 256 and abs(table.std() / 0.02 - 1) < 0.02
    np.testing.assert_array_equal(module.get("norm.weight"), np.ones(256, np.float32))
    np.testing.assert_array_equal(module.get("head.bias"), np.zeros(256, np.float32))
    np.testing.assert_array_equal(module.get("inv_freq"), np.arange(4, dtype=np.float32))
    module.init_random(seed=8, stddev=0.02)
    assert not np.array_equal(table, module.get("table.weight"))
    module.init_random(seed=7, stddev=0.02)
    np.testing.assert_array_equal(table, module.get("table.weight"))


def test_checkpoint_resumes_bit_for_bit(tmp_path, open_module):
    path = perceptron("bf16").build(tmp_path / "step.so")
    x, y = data()
    whole = open_module(path)
    whole.init_random(seed=5)
    losses = [whole.step({"x": x, "y": y})["loss"] for _ in range(10)]
    first = open_module(path)
    first.init_random(seed=5)
    assert [first.step({"x": x, "y": y})["loss"] for _ in range(4)] == losses[:4]
    first.save_checkpoint(tmp_path / "checkpoint", data_position=4096)
    second = open_module(path)
    assert second.load(tmp_path / "checkpoint") == 4096
    assert [second.step({"x": x, "y": y})["loss"] for _ in range(6)] == losses[4:]
    assert second.step()["step"] == 11


def test_not_finite_is_reported(tmp_path, open_module):
    module = open_module(perceptron().build(tmp_path / "step.so"))
    module.init_random()
    x, y = data()
    y[0, 0] = np.nan
    result = module.step({"x": x, "y": y})
    assert not result["finite"] and np.isnan(result["loss"])


def test_dlpack_and_torch(tmp_path, open_module):
    torch = pytest.importorskip("torch")
    module = open_module(perceptron().build(tmp_path / "step.so"))
    module.init_random(seed=3)
    x, y = data()
    expected = module.eval({"x": x, "y": y})["loss"]
    assert module.eval({"x": torch.from_numpy(x), "y": torch.from_numpy(y).requires_grad_()})["loss"] == expected
    half = torch.from_numpy(x).bfloat16()
    module.eval({"x": half, "y": y})
    np.testing.assert_array_equal(module.get("x"), half.float().numpy())


def test_profile(tmp_path, open_module):
    module = open_module(perceptron().build(tmp_path / "step.so"))
    module.init_random(seed=3)
    x, y = data()
    entries = module.profile({"x": x, "y": y})
    assert [e["name"] for e in entries] == [c["name"] for c in module.manifest["entry_points"]["step"]]
    assert all(e["seconds"] >= 0 for e in entries)


class TestRefusals:
    @pytest.fixture
    def module(self, tmp_path, open_module):
        return open_module(bigram().build(tmp_path / "step.so"))

    ids = np.zeros((2, 16), np.int32)

    def test_weights_not_set(self, module):
        with pytest.raises(RuntimeFailure, match="every input must be set before 'step', but 5 are not: 'input_ids'"):
            module.step()

    def test_batch_incomplete(self, module):
        module.init_random()
        with pytest.raises(RuntimeFailure, match="'labels' is no input of the module; 'targets' is missing"):
            module.step({"input_ids": self.ids, "labels": self.ids})

    def test_shape(self, module):
        module.init_random()
        with pytest.raises(RuntimeFailure, match=r"'input_ids' must have shape \[2, 16\], but got \[1, 16\]"):
            module.step({"input_ids": self.ids[:1], "targets": self.ids})

    def test_padding(self, tmp_path, open_module):
        module = open_module(bigram().build(tmp_path / "step.so"), pad_batches=True)
        module.init_random()
        assert module.eval({"input_ids": self.ids[:1], "targets": self.ids[:1]})["finite"]
        with pytest.raises(RuntimeFailure, match=r"one number of rows, but got \[1, 16\] of 'input_ids' and \[2, 16\] of 'targets'"):
            module.step({"input_ids": self.ids[:1], "targets": self.ids})
        with pytest.raises(RuntimeFailure, match=r"'input_ids' must have shape \[2, 16\], but got \[1, 15\]"):
            module.step({"input_ids": self.ids[:1, 1:], "targets": self.ids[:1]})
        with pytest.raises(RuntimeFailure, match=r"'input_ids' must have shape \[2, 16\], but got \[3, 16\]"):
            module.step({"input_ids": np.zeros((3, 16), np.int32), "targets": self.ids})
        with pytest.raises(RuntimeFailure, match="values must be exact in i32, but got 4294967296 at position 1"):
            module.step({"input_ids": np.array([[0, 1 << 32] + [0] * 14]), "targets": self.ids[:1]})

    @pytest.mark.parametrize("padding, message", [
        (True, "a batch can be padded where labels can be ignored, but none of the module's inputs are such labels"),
        ("the rows mix", "completed with rows where these change nothing, but the rows mix: give batches of 32 rows"),
        (None, "but this one does not say: import and compile it again, or give batches of 32 rows")])
    def test_padding_is_refused(self, tmp_path, open_module, padding, message):
        step = perceptron()
        if padding is not None:
            step.manifest["padding"] = padding
        module = open_module(step.build(tmp_path / "step.so"), pad_batches=True)
        module.init_random()
        x, y = data()
        with pytest.raises(RuntimeFailure, match=message):
            module.step({"x": x[:1], "y": y[:1]})
        assert module.step({"x": x, "y": y})["finite"]

    def test_all_differences_at_once(self, module):
        module.init_random()
        with pytest.raises(RuntimeFailure) as failure:
            module.step({"input_ids": self.ids.astype(np.float32)[:1], "targets": self.ids[:, :15]})
        assert str(failure.value) == ("'input_ids' must have shape [2, 16], but got [1, 16]; "
                                      "'input_ids' must have a dtype that converts to i32, but got f32; "
                                      "'targets' must have shape [2, 16], but got [2, 15]")

    def test_token_outside_vocabulary(self, module):
        module.init_random()
        bad = self.ids.copy()
        bad[1, 3] = 64
        with pytest.raises(RuntimeFailure, match=r"must lie in \[0, 64\), but got 64 at position 19 of 'input_ids'"):
            module.step({"input_ids": bad, "targets": self.ids})
        bad[1, 3] = -100
        with pytest.raises(RuntimeFailure, match="but got -100 at position 19 of 'input_ids'"):
            module.step({"input_ids": bad, "targets": self.ids})
        assert module.step({"input_ids": self.ids, "targets": bad})["finite"]

    def test_wide_integers(self, module):
        module.init_random()
        wide = self.ids.astype(np.int64)
        assert module.step({"input_ids": wide, "targets": wide})["finite"]
        wide[0, 5] = 1 << 40
        with pytest.raises(RuntimeFailure, match="must be exact in i32, but got 1099511627776 at position 5"):
            module.step({"input_ids": wide, "targets": wide})

    def test_dtype_kind(self, module):
        with pytest.raises(RuntimeFailure, match="'input_ids' must have a dtype that converts to i32, but got f32"):
            module.set("input_ids", np.zeros((2, 16), np.float32))
        with pytest.raises(TypeError, match="must have a dtype of .* but got float64"):
            module.set("norm.weight", np.zeros(64))

    def test_inexact_value_is_not_read_back(self, module):
        module.set("norm.weight", np.full(64, 1.0001, np.float32))
        with pytest.raises(RuntimeFailure, match="must be exact in bf16, but got 1.0001"):
            module.get("norm.weight", "bfloat16")

    def test_unknown_binding(self, module):
        with pytest.raises(RuntimeFailure, match="must be one of the module's bindings, but got 'nothing'"):
            module.get("nothing")

    def test_closed(self, module):
        module.close()
        with pytest.raises(RuntimeFailure, match="must be open, but is closed"):
            module.step()
