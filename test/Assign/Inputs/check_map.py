# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a precision map: complete, consistent, no FP8 in storage."""
import json
import sys

precision_map = json.load(open(sys.argv[1]))
assert precision_map["version"] == 2
assert precision_map["recipe"] == "fp8-hybrid" and precision_map["target"] == "cpu"
(function,) = precision_map["functions"]
assert function["function"] == "step"
arguments, operations = function["arguments"], function["operations"]
by_path = {argument["path"]: argument for argument in arguments}
master = by_path["model.layers.0.mlp.up_proj.weight"]
assert (master["format"], master["shape"], master["bytes"]) == ("f32", [176, 64], 176 * 64 * 4), master
values = arguments + [result for operation in operations for result in operation["results"]]
reads = [read for operation in operations for read in operation["reads"]]
assert all(value["format"] in ("f32", "bf16") for value in values)
assert all(decision["rule"] for decision in values + reads)
numbers = {value["value"] for value in values}
assert len(numbers) == len(values)
assert all(read["value"] in numbers for read in reads)
up = [operation for operation in operations if operation["path"] == "model.layers.0.mlp.up_proj" and "choice" in operation]
formats = {operation["direction"]: [read["format"] for read in operation["reads"]] for operation in up}
assert formats == {"fprop": ["e4m3", "e4m3"], "wgrad": ["e5m2", "e4m3"], "dgrad": ["e5m2", "e4m3"]}, formats
for operation in operations:
    if "choice" in operation:
        winner = operation["choice"]["candidates"][operation["choice"]["winner"]]
        assert winner["veto"] == "none"
        assert [read["format"] for read in winner["reads"]] == [read["format"] for read in operation["reads"]]
# The dgrad's copy of the weight is the fprop's.
weight_copies = [read["copy_bytes"] for operation in up for read in operation["reads"] if read["value"] == master["value"]]
assert sorted(weight_copies) == [0, 176 * 64], weight_copies
print("values", len(values), "uses", len(reads))
# As --assign-precision=summary= counts.
size = {"f32": "FP32", "bf16": "BF16", "e4m3": "FP8", "e5m2": "FP8"}
totals = {name: [0, 0] for name in size.values()}
for decision in values + reads:
    count = decision.get("bytes", 0) + decision.get("copy_bytes", 0)
    totals[size[decision["format"]]][0] += count > 0
    totals[size[decision["format"]]][1] += count
for name, (tensors, count) in totals.items():
    print(name, tensors, f"{count / 1024:.1f} KiB" if count < 1 << 20 else f"{count / (1 << 20):.1f} MiB")
