# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mask_amax: linear layers read zeros in rows of padding, and nothing else changes. PyTorch's step of the same batch is
the oracle (verify), and what layers read is looked at in the graph's outputs."""
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn as nn
import torch.nn.functional as F
from families import FAMILIES, adamw

import prec

ROWS, LENGTH, VOCABULARY, WIDTH = 4, 8, 32, 32


class Text(nn.Module):
    def __init__(self, mixes=False):
        super().__init__()
        torch.manual_seed(0)
        self.embed, self.head = nn.Embedding(VOCABULARY, WIDTH), nn.Linear(WIDTH, VOCABULARY)
        self.up, self.down = nn.Linear(WIDTH, 64), nn.Linear(64, WIDTH)
        self.mixes = mixes

    def forward(self, input_ids, attention_mask, labels):
        h = self.embed(input_ids)
        h = h + self.down(self.up(h).tanh())
        if self.mixes:
            h = h + h.mean(1, keepdim=True)
        return F.cross_entropy(self.head(h).flatten(0, 1), labels.masked_fill(attention_mask == 0, -100).flatten())


def padded_batch():
    torch.manual_seed(1)
    ids = torch.randint(1, VOCABULARY, (ROWS, LENGTH))
    mask = torch.ones(ROWS, LENGTH, dtype=torch.long)
    mask[1, 4:] = mask[2, :2] = 0
    return {"input_ids": ids, "attention_mask": mask, "labels": ids}


def selects(step):
    return step.mlir.count("arith.select")


def test_layers_read_zeros_for_padding():
    model, batch = Text(), padded_batch()
    plain = prec.import_torch(model, adamw(model), batch)
    masked = prec.import_torch(model, adamw(model), batch, mask_amax=True)
    assert plain.verified == masked.verified == "verified"
    # Three layers, forward and backward.
    assert selects(masked) >= selects(plain) + 3


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", ["bert", "llama", "t5", "opt", "vit_msn"])
def test_families(name):
    model, batch = FAMILIES[name].build()
    if "attention_mask" in batch and "labels" in batch and batch["labels"].shape == batch["attention_mask"].shape:
        batch["labels"] = batch["labels"].masked_fill(batch["attention_mask"] == 0, -100)
    if not any("attention_mask" in key for key in batch):
        with pytest.raises(prec.ImportFailure, match="mask_amax must be given with a batch that says what padding is"):
            prec.import_torch(model, adamw(model), batch, mask_amax=True)
        return
    try:
        step = prec.import_torch(model, adamw(model), batch, mask_amax=True)
    except prec.ImportFailure as failure:
        assert "have the same: give them sequences of different lengths" in str(failure)
        return
    assert step.verified == "verified"


def test_what_mixes_rows_is_found():
    model = Text(mixes=True)
    with pytest.raises(prec.ImportFailure, match="mask_amax must change no loss or gradient.*differ"):
        prec.import_torch(model, adamw(model), padded_batch(), mask_amax=True)


def test_padding_that_counts_is_found():
    # Where an answer begins may be anywhere in a row, padding included.
    model, batch = FAMILIES["gpt2"].build()
    assert "start_positions" in batch
    with pytest.raises(prec.ImportFailure, match="mask_amax must change no loss or gradient"):
        prec.import_torch(model, adamw(model), batch, mask_amax=True)


def test_no_layer_of_these_rows():
    class Pooled(nn.Module):
        def __init__(self):
            super().__init__()
            self.head = nn.Linear(WIDTH, 2)

        def forward(self, x, attention_mask):
            return self.head((x * attention_mask[..., None]).sum(1)).square().mean()
    model, batch = Pooled(), {"x": torch.randn(ROWS, LENGTH, WIDTH), "attention_mask": padded_batch()["attention_mask"]}
    with pytest.raises(prec.ImportFailure, match="mask_amax must reach a linear layer"):
        prec.import_torch(model, adamw(model), batch, mask_amax=True)


def test_padding_decides_no_scale(tmp_path):
    """With a huge row of padding, current scaling of FP8 rounds all other rows to nothing; with mask_amax it does
    not."""
    root = Path(__file__).resolve().parents[2]
    batch, losses = padded_batch(), {}
    for masks in (False, True):
        model = Text()
        with torch.no_grad():
            model.embed.weight[0] = 1e6
        batch["input_ids"] = torch.where(batch["attention_mask"] == 1, batch["input_ids"], 0)
        step = prec.import_torch(model, adamw(model), batch, mask_amax=masks, verify=False)
        step.write(tmp_path / "graph.mlir")
        step.write_weights(tmp_path / "weights.safetensors")
        subprocess.run([root / "build/bin/prec-compile", tmp_path / "graph.mlir", "--recipe=torchao-tensorwise", "--target=cpu",
                        "-o", tmp_path / "step.so"], check=True)
        module = prec.Module(tmp_path / "step.so")
        module.load(tmp_path / "weights.safetensors")
        read = {b.name for b in module.bindings}
        losses[masks] = module.eval({name: t.numpy().astype(np.int32) for name, t in batch.items() if name in read})["loss"]
        right = model(**batch).item()
    assert 10 * abs(losses[True] - right) < abs(losses[False] - right)
