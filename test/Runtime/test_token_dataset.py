# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prec.TokenDataset and prec-run --shuffle read the same windows in the same order, each once in an epoch."""
import copy
import json
import pickle
import subprocess

import numpy as np
import pytest
import torch
from models import bigram

import prec
from prec import errors

LENGTH = 16
# Of several sizes, one too short for a window.
SIZES = (700, 15, 333, 1000)


@pytest.fixture
def files(tmp_path):
    """Shards in three formats that hold the same."""
    random = np.random.default_rng(0)
    for number, size in enumerate(SIZES):
        ids = random.integers(0, 64, size, np.uint16)
        ids.tofile(tmp_path / f"{number}.bin")
        ids.astype(np.uint32).tofile(tmp_path / f"{number}.wide")
        np.save(tmp_path / f"{number}.npy", ids.astype(np.uint32 if number % 2 else np.uint16))
    return tmp_path


@pytest.fixture
def run(build, tmp_path):
    def run_(*arguments, fails=None):
        done = subprocess.run([build / "prec-run", "step.so", *map(str, arguments)], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == (0 if fails is None else 1), done.stderr
        assert fails is None or fails in done.stderr, done.stderr
        return done
    return run_


def losses_of(path):
    return [entry["loss"] for line in path.read_text().splitlines() if "loss" in (entry := json.loads(line))]


def windows(data, places):
    return [tuple(data[place]["input_ids"].tolist()) for place in places]


@pytest.mark.parametrize("count", (1, 2, 3, 4, 5, 16, 17, 63, 64, 65, 1000, 4097))
def test_an_epoch_is_a_permutation(tmp_path, count):
    np.arange(count, dtype=np.uint32).tofile(tmp_path / "ids.bin")
    data = prec.TokenDataset(tmp_path / "ids.bin", 1, seed=3, wide=True)
    batches = data.batches(1)
    epochs = [[int(next(batches)["input_ids"]) for _ in range(count)] for _ in range(3)]
    assert all(sorted(epoch) == list(range(count)) for epoch in epochs)
    if count >= 16:
        assert len({tuple(epoch) for epoch in epochs}) == 3 and epochs[0] != sorted(epochs[0])
        # Neighbours are no longer neighbours.
        assert sum(abs(a - b) == 1 for a, b in zip(epochs[0], epochs[0][1:], strict=False)) < count / 4


def test_seeds_have_orders_of_their_own(tmp_path):
    np.arange(1000, dtype=np.uint16).tofile(tmp_path / "ids.bin")
    orders = {tuple(windows(prec.TokenDataset(tmp_path / "ids.bin", 1, seed=seed), range(100))) for seed in range(20)}
    assert len(orders) == 20
    # First places spread over the whole file.
    firsts = np.array([order[0][0] for order in orders])
    assert firsts.min() < 200 and firsts.max() > 800


def test_windows_span_no_files(files):
    data = prec.TokenDataset([files / "0.bin", files / "1.bin", files / "2.bin", files / "3.bin"], LENGTH, label_shift=1)
    texts = [np.fromfile(files / f"{number}.bin", np.uint16) for number in range(4)]
    expected = {tuple(text[at:at + LENGTH]) for text in texts for at in range(0, len(text) - LENGTH, LENGTH)}
    assert len(data) == len(expected) == sum((size - 1) // LENGTH for size in SIZES)
    assert set(windows(data, range(len(data)))) == expected
    for place in range(len(data)):
        row = data[place]
        assert row["labels"][:-1].equal(row["input_ids"][1:])


def test_formats_and_patterns_are_one_text(files, tmp_path):
    all_ = [prec.TokenDataset(str(files / "[0-9].bin"), LENGTH, seed=5), prec.TokenDataset(str(files / "[0-9].npy"), LENGTH, seed=5),
            prec.TokenDataset(str(files / "?.wide"), LENGTH, seed=5, wide=True),
            prec.TokenDataset([str(files / f"{number}.bin") for number in range(4)], LENGTH, seed=5)]
    assert len({data.fingerprint() for data in all_}) == 1
    assert len({tuple(windows(data, range(len(data)))) for data in all_}) == 1


@pytest.mark.parametrize("given", (["--tokens", "[0-9].bin"], ["--tokens", "?.npy"], ["--tokens", "[0-9].wide", "--u32"],
                                   ["--tokens", "0.bin", "--tokens", "1.npy", "--tokens", "[23].bin"]), ids=("bin", "npy", "wide", "several"))
def test_prec_run_reads_in_the_same_order(files, run, open_module, given):
    path = bigram().build(files / "step.so")
    # More than two epochs, whose ends lie within a batch.
    steps = 140
    run("--init", "random", "--seed", 1, *given, "--shuffle", 9, "--steps", steps, "--metrics", "out.jsonl")
    data = prec.TokenDataset(str(files / "[0-9].bin"), LENGTH, seed=9, label_shift=1)
    assert len(data) % 2 == 1 and steps * 2 > 2 * len(data)
    module = open_module(path)
    module.init_random(seed=1)
    batches = data.batches(2)
    expected = []
    for _ in range(steps):
        batch = next(batches)
        expected.append(module.step({"input_ids": batch["input_ids"], "targets": batch["labels"]})["loss"])
    assert losses_of(files / "out.jsonl") == expected


def test_prec_run_resumes_at_the_place(files, run):
    bigram().build(files / "step.so")
    data = ("--tokens", "[0-9].bin", "--shuffle", 4)
    run("--init", "random", *data, "--steps", 90, "--metrics", "whole.jsonl")
    run("--init", "random", *data, "--steps", 37, "--metrics", "parts.jsonl", "--save", "saved")
    run("--resume", "saved", *data, "--steps", 90, "--metrics", "parts.jsonl")
    assert losses_of(files / "parts.jsonl") == losses_of(files / "whole.jsonl")


@pytest.mark.parametrize("given, message", [
    (["--tokens", "[0-9].bin", "--shuffle", 5], "seed 5"),
    (["--tokens", "[0-9].bin"], "the order of the files"),
    (["--tokens", "[012].bin", "--shuffle", 4], "data "),
], ids=("seed", "not shuffled", "other data"))
def test_prec_run_refuses_another_order(files, run, given, message):
    bigram().build(files / "step.so")
    run("--init", "random", "--tokens", "[0-9].bin", "--shuffle", 4, "--steps", 3, "--save", "saved")
    done = run("--resume", "saved", *given, "--steps", 5, fails="--resume must go on with the data and the order of the checkpoint (windows of 16 "
               "tokens and 1 behind, seed 4, data ")
    assert message in done.stderr.partition("but got")[2]


@pytest.mark.parametrize("given, message", [
    (["--tokens", "none-*.bin"], "none-*.bin: must match files, but got none"),
    (["--tokens", "1.bin", "--shuffle", 1], "1.bin: must have 17 tokens in a file for a row, but got 15"),
    (["--tokens", "[0-9].bin", "--shuffle", 1, "--keep-bad-batches", "bad"], "--keep-bad-batches must be without --shuffle"),
    (["--shuffle", 1], "--shuffle requires --tokens"),
    (["--tokens", "[0-9].bin", "--shuffle", "x"], "--shuffle"),
    (["--tokens", "floats.npy"], "floats.npy: must be a .npy of one dimension of '<u2' or '<u4', but got '<f8' of shape (3,)"),
    (["--tokens", "two.npy"], "two.npy: must be a .npy of one dimension of '<u2' or '<u4', but got '<u2' of shape (2, 3)"),
    (["--tokens", "no.npy"], "no.npy: must be a .npy of one dimension of '<u2' or '<u4', but got another format"),
    (["--tokens", "cut.npy"], "cut.npy: must have the 100 ids that its header says, but got 326 bytes"),
    (["--tokens", "large.npy", "--shuffle", 1], "large.npy: token ids must lie in [0, 64), but got 64 at position 50"),
    (["--tokens", "large.npy", "--shuffle", 1, "--metrics", "large.npy"], "--metrics must be written to a file of its own"),
])
def test_prec_run_refuses(files, run, given, message):
    bigram().build(files / "step.so")
    np.save(files / "floats.npy", np.zeros(3))
    np.save(files / "two.npy", np.zeros((2, 3), np.uint16))
    (files / "no.npy").write_bytes(b"x" * 100)
    np.save(files / "cut.npy", np.zeros(100, np.uint16))
    (files / "cut.npy").write_bytes((files / "cut.npy").read_bytes()[:-2])
    large = np.zeros(200, np.uint16)
    large[50] = 64
    np.save(files / "large.npy", large)
    run("--init", "random", "--steps", 100, *given, fails=message)


def test_tokens_over_several_files_are_one_text(files, run):
    """Without --shuffle batches go on from file to file."""
    bigram().build(files / "step.so")
    np.concatenate([np.fromfile(files / f"{number}.bin", np.uint16) for number in range(4)]).tofile(files / "all.ids")
    run("--init", "random", "--tokens", "[0-9].bin", "--steps", 90, "--metrics", "several.jsonl")
    run("--init", "random", "--tokens", "all.ids", "--steps", 90, "--metrics", "one.jsonl")
    assert losses_of(files / "several.jsonl") == losses_of(files / "one.jsonl")


def test_state(files):
    whole = prec.TokenDataset(str(files / "[0-9].bin"), LENGTH, seed=2)
    batches = [batch["input_ids"] for batch in whole.batches(3, epochs=2)]
    assert len(batches) == 2 * len(whole) // 3 and whole.epoch in (1, 2)
    first = prec.TokenDataset(str(files / "[0-9].bin"), LENGTH, seed=2)
    reader = first.batches(3)
    some = [next(reader)["input_ids"] for _ in range(10)]
    assert first.position == 30
    second = prec.TokenDataset(str(files / "*.npy"), LENGTH, seed=2)
    second.load_state_dict(pickle.loads(pickle.dumps(first.state_dict())))
    some += [batch["input_ids"] for batch in second.batches(3, epochs=2)]
    assert all(a.equal(b) for a, b in zip(batches, some, strict=True))


@pytest.mark.parametrize("options, message", [
    ({"seed": 3}, "seed 2, but got 3"), ({"length": 8}, "length 16, but got 8"), ({"label_shift": 1}, "label_shift 0, but got 1"),
    ({"files": "[013].bin"}, "fingerprint "),
])
def test_state_of_other_data(files, options, message):
    state = prec.TokenDataset(str(files / "[0-9].bin"), LENGTH, seed=2).state_dict()
    given = {"files": "[0-9].bin", "length": LENGTH, "seed": 2} | options
    other = prec.TokenDataset(str(files / given.pop("files")), **given)
    with pytest.raises(errors.InvalidArgument, match=message):
        other.load_state_dict(state)
    assert other.position == 0


def test_without_a_seed(files):
    data = prec.TokenDataset(files / "0.bin", LENGTH, seed=None)
    text = np.fromfile(files / "0.bin", np.uint16)
    assert windows(data, range(3)) == [tuple(text[at:at + LENGTH]) for at in (0, LENGTH, 2 * LENGTH)]


@pytest.mark.parametrize("workers", (0, 2))
def test_data_loader(files, workers):
    data = prec.TokenDataset(str(files / "[0-9].bin"), LENGTH, seed=2)
    loader = torch.utils.data.DataLoader(data, batch_size=4, num_workers=workers)
    read = torch.cat([batch["input_ids"] for batch in loader])
    assert read.dtype == torch.int64 and read.equal(torch.cat([batch["input_ids"] for batch in data.batches(1, epochs=1)]))
    # Another epoch is another order.
    assert data.position == len(data) and not torch.cat([batch["input_ids"] for batch in loader]).equal(read)
    data.position = 0
    rest = torch.utils.data.DataLoader(data, batch_size=4, num_workers=workers, sampler=range(40, len(data)))
    assert torch.cat([batch["input_ids"] for batch in rest]).equal(read[40:])


@pytest.mark.parametrize("files_, options, error, message", [
    ("none.bin", {}, errors.NotFound, "none.bin: must be a file of token ids"),
    ("none-*.bin", {}, errors.BadFile, "must match files, but got none"),
    ("1.bin", {}, errors.BadFile, "must have 16 tokens in a file for a window, but got 15"),
    ([], {}, errors.BadFile, "must have 16 tokens"),
    ("odd.bin", {}, errors.BadFile, "size must be a multiple of 2 bytes, but got 33"),
    ("0.bin", {"length": 0}, errors.InvalidArgument, "length must be from 1 on"),
    ("0.bin", {"seed": -1}, errors.InvalidArgument, "seed of 64 bits"),
    ("0.bin", {"label_shift": -1}, errors.InvalidArgument, "label_shift from 0 on"),
    ("floats.npy", {}, errors.BadFile, "must be a .npy of one dimension of '<u2' or '<u4', but got '<f8'"),
    ("no.npy", {}, errors.BadFile, "but got another format"),
    ("cut.npy", {}, errors.BadFile, "must have the 100 ids that its header says"),
])
def test_refusals(files, files_, options, error, message):
    (files / "odd.bin").write_bytes(b"x" * 33)
    (files / "no.npy").write_bytes(b"x" * 100)
    np.save(files / "floats.npy", np.zeros(3))
    np.save(files / "cut.npy", np.zeros(100, np.uint16))
    (files / "cut.npy").write_bytes((files / "cut.npy").read_bytes()[:-2])
    given = str(files / files_) if isinstance(files_, str) else files_
    with pytest.raises(error, match=message):
        prec.TokenDataset(given, **{"length": LENGTH, **options})


def test_indices_and_copies(files):
    data = prec.TokenDataset(files / "0.bin", LENGTH)
    assert data[-1]["input_ids"].equal(data[len(data) - 1]["input_ids"])
    for place in (len(data), -len(data) - 1):
        with pytest.raises(IndexError):
            data[place]
    with pytest.raises(errors.InvalidArgument, match="a batch must have rows"):
        next(data.batches(0))
    assert data.first(2)["input_ids"].equal(next(copy.deepcopy(data).batches(2))["input_ids"]) and data.position == 0


def test_a_file_that_became_shorter(files):
    data = prec.TokenDataset(files / "0.bin", LENGTH)
    (files / "0.bin").write_bytes(b"")
    with pytest.raises(errors.BadFile, match="must have 700 ids as when it was opened"):
        data[0]
