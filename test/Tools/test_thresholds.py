# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Policies of version 1, as the training that reads them looks them up: made from generated lists of layer timings, as
LoongForge's benchmark writes them, and from reports of version 2. FP8 is taken at a measured size exactly where it wins
there and at all larger measured sizes, in every model; what was not measured is never taken."""
import json
import random
import subprocess

import pytest

DENSE = [("layernorm_column", "qkv"), ("layernorm_column", "fc1"), ("column", "qkv"), ("row", "proj"), ("row", "fc2"),
         ("duplicated", "q_down_proj")]
GROUPED = ["column_grouped", "row_grouped"]


class Loader:
    """The lookup of a training: by (kind, name, tp), or (kind, etp, number of products) for experts; a missing rule is
    BF16."""

    def __init__(self, policy):
        assert policy["version"] == 1
        self.least = {}
        for kind, entry in policy["rules"].items():
            lists = {None: entry} if kind in GROUPED else entry
            for name, rules in lists.items():
                for rule in rules:
                    key = (kind, rule["etp"], rule["num_gemms"]) if kind in GROUPED else (kind, name, rule["tp"])
                    assert key not in self.least, "a later rule would replace an earlier one"
                    self.least[key] = rule["min_tokens"]

    def takes_fp8(self, key, tokens):
        return key in self.least and tokens >= self.least[key]


def padded(tokens, experts, alignment=16):
    """Tokens in FP8: each expert's are a multiple of `alignment`."""
    each, more = divmod(tokens, experts)
    return sum(-(-(each + (i < more)) // alignment) * alignment for i in range(experts))


def generate(rng, is_complete):
    """By key and model what was measured: tokens to (ms in BF16, ms in FP8), either of which may be missing."""
    measured = {}
    for model in rng.sample(["llm", "vit", "llm_30b_a3b"], rng.randint(1, 3)):
        keys = [(kind, name, tp) for kind, name in rng.sample(DENSE, rng.randint(1, 4)) for tp in rng.sample([1, 2, 4], rng.randint(1, 2))]
        keys += [(kind, rng.choice([1, 2]), rng.choice([4, 16, 64])) for kind in GROUPED if rng.random() < 0.7]
        for key in keys:
            # FP8 mostly wins from some size on, and sometimes loses or wins where it should not.
            turn = rng.choice([0, 256, 2048, 16384, 10**9])
            sizes = {}
            for tokens in rng.sample([64, 424, 512, 1000, 1024, 4096, 8192, 32768], rng.randint(1, 6)):
                wins = (tokens >= turn) != (rng.random() < 0.15)
                bf16 = tokens * 1e-3 * rng.uniform(0.5, 2)
                times = (bf16, bf16 * (rng.uniform(0.5, 0.95) if wins else rng.uniform(1.01, 3)))
                sizes[tokens] = times if is_complete or rng.random() < 0.9 else rng.choice([(times[0], None), (None, times[1])])
            measured.setdefault(key, {})[model] = sizes
    return measured


def expected(models):
    """The least size from which on FP8 is safe: in each model with sizes measured in both it wins at this size, if it
    was measured there, and at all larger ones. None where FP8 loses at the largest size of a model."""
    thresholds = []
    for sizes in models.values():
        measured = sorted(size for size, times in sizes.items() if None not in times)
        losses = [size for size in measured if sizes[size][1] >= sizes[size][0]]
        if measured:
            thresholds.append(next((size for size in measured if not losses or size > losses[-1]), None))
    return max(thresholds) if thresholds and None not in thresholds else None


def timings(measured, rng, is_swept):
    """LoongForge's list: in a sweep each size is a model of its own name; numbers of tokens in FP8 are padded."""
    rows = []
    for key, models in measured.items():
        for model, sizes in models.items():
            for tokens, times in sizes.items():
                name = f"{model}_s{tokens}_b1" if is_swept else model
                for precision, ms in zip(("bf16", "fp8"), times):
                    if ms is None:
                        continue
                    row = {"case_name": f"{name}_{key[0]}_{key[1]}", "model_name": name, "module_kind": key[0], "precision": precision,
                           "num_tokens": tokens, "total_ms": ms, "ub_name": None}
                    if key[0] in GROUPED:
                        row |= {"etp_size": key[1], "num_gemms": key[2]}
                        alone = key[2]
                    else:
                        row |= {"ub_name": key[1], "tp_size": key[2]}
                        alone = 1
                    if precision == "fp8" and is_swept:
                        row["num_tokens"] = padded(tokens, alone)
                    rows.append(row)
    rng.shuffle(rows)
    return rows


def report(measured):
    modules = []
    for key, models in measured.items():
        for model, sizes in models.items():
            for tokens, times in sizes.items():
                place = {"etp": key[1], "num_gemms": key[2]} if key[0] in GROUPED else {"ub_name": key[1], "tp": key[2]}
                modules += [{"machine": "a", "kind": key[0], **place, "model": model, "tokens": tokens, "precision": precision, "us": 1000 * ms}
                            for precision, ms in zip(("bf16", "fp8"), times) if ms is not None]
    return {"version": 2, "machines": [{"id": "a", "gpu": "NVIDIA H200"}], "modules": modules}


@pytest.mark.cases(20)
@pytest.mark.parametrize("form", ["sweep", "list", "report"])
@pytest.mark.parametrize("seed", range(100))
def test_thresholds_are_safe_and_smallest(seed, form, tmp_path, tool):
    rng = random.Random(seed)
    measured = generate(rng, is_complete=form == "list")
    document = report(measured) if form == "report" else timings(measured, rng, form == "sweep")
    # As of several runs, such as one for each size of parallelism.
    parts = [document]
    if isinstance(document, list) and form == "sweep":
        parts = [[row for row in document if row.get("tp_size", 1) == tp] for tp in (1, 2, 4)]
    paths = []
    for part in filter(None, parts):
        paths.append(tmp_path / f"report{len(paths)}.json")
        paths[-1].write_text(json.dumps(part))
    policy = tmp_path / "policy.json"
    done = subprocess.run([tool("prec-bench"), "merge", *paths, "-o", policy], capture_output=True, text=True)
    if done.returncode:
        # Nothing was measured in both.
        assert not any(None not in times for models in measured.values() for sizes in models.values() for times in sizes.values()), done.stderr
        return
    loader = Loader(json.loads(policy.read_text()))
    for key, models in measured.items():
        least = expected(models)
        for tokens in {size for sizes in models.values() for size in sizes}:
            assert loader.takes_fp8(key, tokens) == (least is not None and tokens >= least), (key, tokens, models)
    assert not loader.takes_fp8(("row", "unknown", 1), 10**9)
