"""Checks a precision map: complete, consistent, no FP8 in storage."""
import json
import sys

precision_map = json.load(open(sys.argv[1]))
assert precision_map["version"] == 1
assert precision_map["recipe"] == "fp8-hybrid" and precision_map["target"] == "cpu"
(function,) = precision_map["functions"]
assert function["function"] == "step"
by_path = {v["path"]: v for v in function["values"] if "operation" not in v}
master = by_path["model.layers.0.mlp.up_proj.weight"]
assert (master["format"], master["shape"]) == ("f32", [176, 64]), master
assert all(v["format"] in ("f32", "bf16") for v in function["values"])
assert all(v["rule"] for v in function["values"] + function["uses"])
values = {v["value"] for v in function["values"]}
assert all(u["value"] in values for u in function["uses"])
up = [u for u in function["uses"] if u["path"] == "model.layers.0.mlp.up_proj"]
formats = {u["direction"]: [] for u in up}
for use in up:
    formats[use["direction"]].append(use["format"])
assert formats == {"fprop": ["e4m3", "e4m3"], "wgrad": ["e5m2", "e4m3"], "dgrad": ["e5m2", "e4m3"]}, formats
print("values", len(values), "uses", len(function["uses"]))
