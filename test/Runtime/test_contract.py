# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The contract of compiler and runtime (runtime/include/prec-rt/*.def): the runtime's reader and the JSON schema that
is made of it take and refuse the same keys, and a field that is added to manifest.def is read and checked."""
from __future__ import annotations

import copy
import json
import pathlib
import shutil
import subprocess

import jsonschema
import pytest
from models import perceptron
from test_module_file import sdpa, view, with_manifest

from prec._runtime import RuntimeFailure
from prec.module import Module

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/schemas/manifest.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def divide(manifest):
    """A mesh, a slice and a command between ranks: of one rank, so that the module opens."""
    manifest["mesh"] = [{"axis": "dp", "size": 1}]
    next(b for b in manifest["bindings"] if b["role"] == "parameter")["shard"] = {"dim": 0, "axis": "dp"}
    fill = {"segment": "workspace", "dtype": "f32", "shape": [0], "offset": 0}
    manifest["buffers"] += [fill, fill]
    a, d = len(manifest["buffers"]) - 2, len(manifest["buffers"]) - 1
    manifest["entry_points"]["step"].append({"op": "all_gather", "id": "gather", "name": "gather", "reads": [a], "writes": [d], "path": "",
                                             "phase": "forward", "a": a, "d": d, "axis": "dp"})


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A module with commands of several kinds, and its manifest."""
    module = perceptron("bf16")
    path = module.build(tmp_path_factory.mktemp("contract") / "step.so")
    manifest = copy.deepcopy(module.manifest)
    sdpa(views={"q": view()})(manifest)
    divide(manifest)
    return path, manifest


def opens(built, library, folder, manifest):
    try:
        Module(with_manifest(built[0], folder / "step.so", manifest), library=library).close()
    except RuntimeFailure as failure:
        return str(failure)
    return ""


def places(value, path=()):
    """Paths of all objects with fixed keys."""
    if isinstance(value, dict):
        if path not in (("entry_points",),) and path[-1:] != ("views",):
            yield path
        for key, child in value.items():
            yield from places(child, (*path, key))
    elif isinstance(value, list):
        # One element of each form is enough.
        seen = set()
        for index, child in enumerate(value):
            form = frozenset(child) if isinstance(child, dict) else None
            if form is not None and (form, child.get("op")) not in seen:
                seen.add((form, child.get("op")))
                yield from places(child, (*path, index))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def test_manifest_is_what_the_schema_says(built, library, tmp_path):
    VALIDATOR.validate(built[1])
    assert opens(built, library, tmp_path, built[1]) == ""


def test_unknown_keys_are_refused(built, library, tmp_path):
    found = list(places(built[1]))
    assert {len(path) for path in found} >= {0, 1, 2, 3, 5}, "objects at every depth"
    for path in found:
        manifest = copy.deepcopy(built[1])
        at(manifest, path)["unknown_key"] = 1
        assert not VALIDATOR.is_valid(manifest), path
        assert "must have known keys only, but got 'unknown_key'" in opens(built, library, tmp_path, manifest), path


def test_missing_keys_are_refused_alike(built, library, tmp_path):
    missing = 0
    for path in places(built[1]):
        for key in at(built[1], path):
            manifest = copy.deepcopy(built[1])
            del at(manifest, path)[key]
            refused = opens(built, library, tmp_path, manifest)
            if not VALIDATOR.is_valid(manifest):
                assert f"must have the key '{key}', but got none" in refused or key == "op", (path, key, refused)
                missing += 1
            else:
                assert f"must have the key '{key}'" not in refused or key in ("slot", "tensors"), (path, key, refused)
    assert missing > 40


PROGRAM = r"""
#include "JsonFields.h"
#include "Manifest.h"
#include <cstdio>
#include <fstream>
#include <sstream>
int main(int, char **argv) {
  std::ifstream file(argv[1]);
  std::stringstream text;
  text << file.rdbuf();
  auto manifest = prec::rt::Manifest::parse(text.str());
  if (!manifest.ok())
    printf("%s\n", manifest.status().message().c_str());
  else
    printf("%d\n", manifest->flavour);
}
"""


@pytest.mark.long
def test_a_field_is_one_line(built, tmp_path):
    """A copy of the runtime with one more line in manifest.def reads, checks and describes the field."""
    shutil.copytree(ROOT / "runtime", tmp_path / "runtime")
    (tmp_path / "utils").mkdir()
    shutil.copy(ROOT / "utils/generate-contract", tmp_path / "utils")
    shutil.copytree(ROOT / "docs/schemas", tmp_path / "docs/schemas")
    records = tmp_path / "runtime/include/prec-rt/manifest.def"
    line = 'PREC_FIELD(ManifestFields, int, flavour, 0, "flavour", required, (Between{1, 9}), "how it tastes")\n'
    end = "PREC_GROUP_END(ManifestFields, all)\n"
    records.write_text(records.read_text().replace(end, line + end))
    (tmp_path / "main.cpp").write_text(PROGRAM)
    common, cpu = tmp_path / "runtime/lib/common", tmp_path / "runtime/lib/cpu"
    names = ("Manifest", "ManifestVerifier", "BucketVerifier", "CommandRules", "JsonFields", "GemmScales", "StateValues", "InputFile", "RowNorms",
             "ErrorBound", "ConvShape")
    sources = [*(common / f"{name}.cpp" for name in names), *sorted((common / "commands").glob("*.cpp")),
               *(cpu / f"{name}.cpp" for name in ("ThreadPool", "RowMath", "FloatConvert"))]
    folders = [tmp_path / "runtime/include", common, cpu]
    subprocess.run(["c++", "-std=c++20", "-O0", *(f"-I{folder}" for folder in folders), tmp_path / "main.cpp", *sources, "-o", tmp_path / "read"],
                   check=True)

    def read(manifest):
        (tmp_path / "manifest.json").write_text(json.dumps(manifest))
        return subprocess.run([tmp_path / "read", tmp_path / "manifest.json"], text=True, capture_output=True, check=True).stdout.strip()

    assert read({**built[1], "flavour": 7}) == "7"
    assert read({**built[1], "flavour": 10}) == "manifest.flavour: must lie in [1, 9], but got 10"
    assert read(built[1]) == "manifest: must have the key 'flavour', but got none"
    subprocess.run([tmp_path / "utils/generate-contract", tmp_path], check=True)
    schema = json.loads((tmp_path / "docs/schemas/manifest.schema.json").read_text())
    assert schema["properties"]["flavour"] == {"description": "how it tastes", "type": "integer", "minimum": 1, "maximum": 9}
    assert "flavour" in schema["required"]
