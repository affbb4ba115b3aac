# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of ranks crossed with recipes and optimizers: of every two there is a training of two processes, which save
the bytes that one process
saves after as many micro-batches; what cannot be is refused, and the table of refusals lists it."""
import subprocess

import numpy as np
import pytest
from first_step import import_step
from optimizers import OPTIMIZERS
from pairwise import covering
from rank_processes import run_ranks
from test_rank_training import CASES, VOCABULARY, adamw, digests, llama

RANKS = 2
FACTORS = {
    "recipe": ["fp32", "fp8-hybrid", "delayed", "moments", "fp16"],
    "optimizer": ["adamw", "sgd, nesterov", "lion", "adafactor"],
    "zero": ["1", "2", "3"],
    "wire": ["own", "bf16", "fp8"],
    "micro-batches": ["1", "3"],
    "bucket": ["1KiB", "4KiB", "64MiB", "none"],
}
# What no training has together: its bits are not those of one process, or it is refused.
REFUSALS = {
    # Sums are over a rank's micro-batches first, or rounded on the way.
    frozenset({("zero", "1"), ("micro-batches", "3")}): None,
    frozenset({("zero", "1"), ("wire", "bf16")}): None,
    frozenset({("zero", "1"), ("wire", "fp8")}): None,
    frozenset({("optimizer", "adafactor"), ("recipe", "moments")}): None,
    frozenset({("optimizer", "sgd, nesterov"), ("recipe", "moments")}): None,
    frozenset({("optimizer", "lion"), ("recipe", "moments")}): None,
}
ROWS = covering(FACTORS, REFUSALS)
FEW = 1


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    found = {}

    def make(optimizer):
        if optimizer not in found:
            folder = found[optimizer] = tmp_path_factory.mktemp("start")
            _, imported = import_step(llama, make_optimizer=adamw if optimizer == "adamw" else OPTIMIZERS[optimizer])
            imported.write(folder / "graph.mlir")
            imported.write_weights(folder / "weights.safetensors")
            np.random.default_rng(0).integers(0, VOCABULARY, 60_000).astype(np.uint16).tofile(folder / "tokens.bin")
        return found[optimizer]
    return make


def compiled(tool, start, row, ranks, path):
    """One process takes no stage but that which adds up as ranks do, and sends nothing, so nothing is in buckets."""
    more = [f"--mesh=dp={ranks}", f"--zero={row['zero']}", f"--exchange-wire={row['wire']}"]
    if ranks > 1:
        more.append("--overlap-exchanges=false" if row["bucket"] == "none" else f"--exchange-bucket={row['bucket']}")
    subprocess.run([tool("prec-compile"), start / "graph.mlir", *CASES[row["recipe"]], "--accumulate", *more, "-o", path], check=True,
                   capture_output=True)
    return path


def trained(tool, start, module, ranks, micro_batches, folder):
    arguments = [tool("prec-run"), module, "--tokens", start / "tokens.bin", "--weights", start / "weights.safetensors", "--lr", "1e-3",
                 "--steps", "2", "--threads", "1", "--micro-batches", micro_batches, "--save", folder]
    run_ranks(arguments, ranks)
    return digests(folder)


@pytest.mark.cases(FEW)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(row.values()).replace(" ", "_"))
def test_every_pair_has_the_bits_of_one_process(row, tool, start, tmp_path):
    folder, count = start(row["optimizer"]), int(row["micro-batches"])
    one = compiled(tool, folder, row, 1, tmp_path / "one.so")
    two = compiled(tool, folder, row, RANKS, tmp_path / "two.so")
    assert trained(tool, folder, one, 1, RANKS * count, tmp_path / "one") == trained(tool, folder, two, RANKS, count, tmp_path / "two")


@pytest.mark.parametrize("options,error", [
    (["--zero=2"], "the stage of ZeRO must be 1, 3, or 2 of a step with micro-batches (--accumulate), but got 2 without them"),
    (["--zero=4", "--accumulate"], "the stage of ZeRO must be 1, 3, or 2 of a step with micro-batches (--accumulate), but got 4"),
    (["--collect-numerics"], "--collect-numerics is not for a mesh yet"),
    (["--exchange-wire=fp4"], "gradients must be sent in their own format (own), in bf16 or in fp8, but got 'fp4'"),
    (["--exchange-bucket=many"], "--exchange-bucket"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_what_cannot_be_is_refused(tool, tmp_path, options, error):
    done = subprocess.run([tool("prec-compile"), "examples/llama_tiny.mlir", "--recipe=bf16", "--mesh=dp=2", *options, "-o", tmp_path / "no.so"],
                          capture_output=True, text=True, check=False)
    assert done.returncode != 0 and error in done.stderr, done.stderr
