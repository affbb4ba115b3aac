# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JSON Schemas, the documents' examples and the readers say the same."""
import copy
import itertools
import json
import random
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parents[2]
KINDS = ["policy-v1", "policy-v2", "policy-modules", "numerics", "rules", "precision-map", "target"]

# What a schema cannot say: references, repetitions, relations.
ONLY_READERS = (
    "must be given once",
    "must have one rule",
    "must be the id of",
    "must not exceed",
    "must not be below",
    "rms must not be 0",
    "glob pattern",
    "a text of one line",
    "must be the number of a candidate",
)


def schema(kind):
    return json.loads((ROOT / f"docs/schemas/{kind}.schema.json").read_text())


def examples(kind):
    """The blocks ```json KIND of the documents, files of tests and those that come with the product."""
    found = []
    for document in sorted((ROOT / "docs").glob("*.md")):
        found += re.findall(rf"```json {kind}\n(.*?)```", document.read_text(), re.S)
    files = {
        "policy-v1": ["Assign/Inputs/policy.json", "Assign/Inputs/policy-first-layer.json", "Tools/Inputs/prec-bench/policy-v1.json"],
        "policy-v2": [f"Tools/Inputs/prec-bench/report-{name}.json" for name in ("tp1", "tp2", "h100")]
        + ["Assign/Inputs/policy-v2.json"],
        "policy-modules": ["Assign/Inputs/policy-modules.json"],
        "numerics": ["Assign/Inputs/numerics.json"],
        "rules": ["Assign/Inputs/rules.json"],
        "precision-map": [f"Assign/Inputs/precision-map{name}.json" for name in ("", "-even", "-chain")],
        "target": ["Assign/Inputs/slow-units.json"] + [f"../targets/{path.name}" for path in sorted((ROOT / "targets").glob("*.json"))],
    }
    files = [f"../unittests/Readers/Examples/{kind}.json", *files[kind]]
    return found + [(ROOT / "test" / file).read_text() for file in files]


def read(tool, kind, texts, folder):
    files = []
    for number, text in enumerate(texts):
        path = folder / f"{number}.json"
        path.write_text(text)
        files.append(str(path))
    out = subprocess.run([tool, kind, *files], capture_output=True, text=True, check=True).stdout
    return out.splitlines()


def places(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, element in items:
        yield from places(element, path + (key,))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def mutations(value, generator, count):
    """Changed copies: another value somewhere, a key less, an unknown key."""
    others = [None, True, 0, 1, -1, 2, 1.5, 5e-301, "", " ", "x", "bf16", "fp8", [], {}, [1]]
    everywhere = list(places(value))
    for _ in range(count):
        changed = copy.deepcopy(value)
        path = generator.choice([p for p in everywhere if p])
        parent = at(changed, path[:-1])
        action = generator.randrange(4)
        if action == 0 and isinstance(parent, dict):
            del parent[path[-1]]
        elif action == 1 and isinstance(parent, dict):
            parent["unknown_key"] = parent.pop(path[-1])
        else:
            parent[path[-1]] = generator.choice(others)
        yield changed


@pytest.mark.parametrize("kind", KINDS)
def test_schemas_are_schemas(kind):
    jsonschema.Draft202012Validator.check_schema(schema(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_examples_are_read_and_valid(kind, read_files, tmp_path):
    texts = examples(kind)
    assert texts, "documents must have an example"
    assert read(read_files, kind, texts, tmp_path) == ["read"] * len(texts)
    for text in texts:
        jsonschema.validate(json.loads(text), schema(kind), jsonschema.Draft202012Validator)


@pytest.mark.parametrize("kind", KINDS)
def test_readers_accept_what_schemas_accept(kind, read_files, tmp_path):
    validator = jsonschema.Draft202012Validator(schema(kind))
    generator = random.Random(0)
    changed = list(itertools.chain.from_iterable(
        mutations(json.loads(text), generator, 150) for text in examples(kind)))
    answers = read(read_files, kind, [json.dumps(value) for value in changed], tmp_path)
    accepted = 0
    for value, answer in zip(changed, answers, strict=True):
        valid = validator.is_valid(value)
        accepted += valid
        if answer != "read" and any(rule in answer for rule in ONLY_READERS):
            continue
        assert (answer == "read") == valid, (answer, json.dumps(value))
    assert 20 < accepted < len(changed) - 20


def assign(recipe, folder):
    tool, output = ROOT / "build/bin/prec-opt", folder / f"{recipe}.json"
    if not tool.exists():
        pytest.fail(f"{tool} must be built")
    passes = f"--assign-precision=recipe={recipe} target=cpu map-file={output}"
    subprocess.run([tool, ROOT / "examples/llama_tiny.mlir", passes, "-o", "/dev/null"], check=True, capture_output=True)
    return output


def test_what_assignment_writes_is_valid(tmp_path):
    maps = [assign(recipe, tmp_path) for recipe in ("fp8-hybrid", "bf16")]
    for path in maps:
        jsonschema.validate(json.loads(path.read_text()), schema("precision-map"), jsonschema.Draft202012Validator)
    jsonschema.Draft202012Validator.check_schema(schema("precision-diff"))
    for before, after in (maps, maps[:1] * 2):
        output = tmp_path / "diff.json"
        done = subprocess.run([ROOT / "build/bin/prec-opt", "--diff-precision", before, after, "-o", output])
        difference = json.loads(output.read_text())
        assert done.returncode == bool(difference["differences"]) == (before != after)
        jsonschema.validate(difference, schema("precision-diff"), jsonschema.Draft202012Validator)


@pytest.mark.parametrize("recipe", ["fp8-hybrid", "bf16"])
def test_what_plans_write_is_valid(recipe, tmp_path):
    tool, output = ROOT / "build/bin/prec-compile", tmp_path / "memory.json"
    if not tool.exists():
        pytest.fail(f"{tool} must be built")
    subprocess.run([tool, ROOT / "examples/llama_tiny.mlir", f"--recipe={recipe}", f"--memory-report={output}", "-o", tmp_path / "step.so"],
                   check=True, capture_output=True)
    jsonschema.Draft202012Validator.check_schema(schema("memory"))
    jsonschema.validate(json.loads(output.read_text()), schema("memory"), jsonschema.Draft202012Validator)
