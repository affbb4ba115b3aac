# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opening a step module: whatever is wrong with file, manifest or table is refused before anything runs."""
import copy
import json
import os
import pathlib
import random
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT
from models import bigram, perceptron
from module_hash import find, stamp_file
from step_module import StepModule

from prec.module import Module, RuntimeFailure

# Kinds of commands, in the order of messages.
COMMANDS = json.loads((ROOT / "docs/schemas/profile.schema.json").read_text())["$defs"]["op"]["enum"]


def refuse(library, path, message):
    with pytest.raises(RuntimeFailure) as failure:
        Module(path, library=library)
    assert message in str(failure.value)
    assert str(failure.value).startswith(str(path)) and "\n" not in str(failure.value)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A good module and its manifest, to be damaged."""
    module = perceptron("bf16")
    path = module.build(tmp_path_factory.mktemp("good") / "step.so")
    return path, module.manifest


def with_manifest(path, target, manifest):
    """The same object with another manifest section."""
    text = target.with_suffix(".json")
    text.write_text(manifest if isinstance(manifest, str) else json.dumps(manifest))
    subprocess.run(["objcopy", "--update-section", f".prec.manifest={text}", path, target], check=True)
    return stamp_file(target)


class TestElf:
    def test_not_elf(self, library, tmp_path):
        path = tmp_path / "step.so"
        for data, message in ((b"", "must be an ELF"), (b"\x7fELF", "must be an ELF"), (b"#!/bin/sh\n" + b"x" * 100, "must be an ELF")):
            path.write_bytes(data)
            refuse(library, path, message)

    def test_not_a_module(self, library, tmp_path):
        (tmp_path / "a.c").write_text("int x;")
        subprocess.run(["gcc", "-shared", "-o", tmp_path / "a.so", tmp_path / "a.c"], check=True)
        refuse(library, tmp_path / "a.so", "has no section .prec.manifest")

    def test_other_kinds(self, library, built, tmp_path):
        data = bytearray(built[0].read_bytes())
        for offset, value, message in ((4, b"\x01", "64-bit little-endian"), (5, b"\x02", "64-bit little-endian"), (16, b"\x01\0", "64-bit"),
                                       (18, b"\xf3\0", "must be for machine"), (54, b"\x01\0", "standard ELF header sizes")):
            damaged = data.copy()
            damaged[offset:offset + len(value)] = value
            (tmp_path / "step.so").write_bytes(damaged)
            refuse(library, tmp_path / "step.so", message)

    def test_places_outside(self, library, built, tmp_path):
        """Each header that names a place in the file, with one beyond its end."""
        data = built[0].read_bytes()
        segments, sections = (int.from_bytes(data[at:at + 8], "little") for at in (32, 40))
        beyond = (1 << 62).to_bytes(8, "little")
        for offset, value, message in ((32, beyond, "program headers must lie in the file"), (segments + 8, beyond, "segment 0 must lie in the file"),
                                       (40, bytes(8), "must have a section table"), (62, b"\0\0", "section names must lie in the file"),
                                       (sections + 64 + 24, beyond, "section 1 must lie in the file"),
                                       (sections + 64, b"\xff" * 4, "section 1 must have a name, but it lies outside the table")):
            (tmp_path / "step.so").write_bytes(data[:offset] + value + data[offset + len(value):])
            refuse(library, tmp_path / "step.so", message)

    def test_truncated_at_every_length(self, library, built, tmp_path):
        data = built[0].read_bytes()
        for size in [*range(0, 300, 7), *range(300, len(data), 997), len(data) - 1]:
            (tmp_path / "step.so").write_bytes(data[:size])
            with pytest.raises(RuntimeFailure):
                Module(tmp_path / "step.so", library=library)

    def test_damaged_headers_never_crash(self, built, library, tmp_path):
        """ELF header, program headers and section table with random bytes, in a process of its own; the manifest's name
        is damaged too, so that nothing that happens to be sound is loaded."""
        data = bytearray(built[0].read_bytes().replace(b".prec.manifest\0", b".prec.Manifest\0"))
        (tmp_path / "good.so").write_bytes(data)
        script = f"""
import sys, pathlib, random
sys.path.insert(0, {str(pathlib_root())!r})
from prec.module import Module, RuntimeFailure
good, path, rng = pathlib.Path({str(tmp_path / 'good.so')!r}).read_bytes(), pathlib.Path({str(tmp_path / 'bad.so')!r}), random.Random(1)
table = int.from_bytes(good[40:48], "little")
for _ in range(1000):
    data = bytearray(good)
    for _ in range(rng.randint(1, 6)):
        place = rng.choice((rng.randrange(64), rng.randrange(64, 64 + 56 * 11), rng.randrange(table, len(good))))
        data[place] = rng.choice((0, 255, rng.randrange(256)))
    path.write_bytes(data)
    try: Module(path, library={str(library)!r})
    except RuntimeFailure: pass
    else: raise SystemExit("loaded")
"""
        result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        assert result.returncode == 0, result.stderr


class TestHash:
    def test_a_byte_that_is_changed(self, library, built, tmp_path):
        """Wherever it is: in headers, manifest, code, constants or the hash."""
        data, generator = built[0].read_bytes(), random.Random(1)
        places = {find(data), find(data) + 31, data.index(b"prec-step-module"), len(data) - 1, *(generator.randrange(len(data)) for _ in range(200))}
        for place in places:
            damaged = data[:place] + bytes([data[place] ^ 1 << generator.randrange(8)]) + data[place + 1:]
            (tmp_path / "step.so").write_bytes(damaged)
            with pytest.raises(RuntimeFailure) as failure:
                Module(tmp_path / "step.so", library=library)
            if place >= 64:  # Behind the file's own header, and in no section's.
                assert "must" in str(failure.value)
        for place in (find(data), data.index(b"prec-step-module")):
            (tmp_path / "step.so").write_bytes(data[:place] + b"\xff" + data[place + 1:])
            refuse(library, tmp_path / "step.so", "must be the file that the compiler wrote, but its bytes have another hash than section .prec.hash")

    def test_none(self, library, built, tmp_path):
        subprocess.run(["objcopy", "--remove-section", ".prec.hash", built[0], tmp_path / "step.so"], check=True)
        refuse(library, tmp_path / "step.so", "must have a section .prec.hash of 32 bytes, but got none: compile the module again")

    def test_every_length_of_hashed_bytes(self, library, tmp_path):
        """The hash of the runtime beside Python's, at every place in a block."""
        module = bigram()
        for length in range(0, 130, 3):
            module.manifest["producer"] = "x" * length
            Module(module.build(tmp_path / "step.so"), library=library).close()


class TestReopened:
    """Bytes and code of an opened module are those that its file had then."""

    @staticmethod
    def scaled(tmp_path, factor, *flags, name="step.so"):
        module = StepModule()
        value = module.bind("x", "batch", "f32", [])
        loss = module.bind("loss", "loss", "f32", [])
        for entry in ("step", "eval"):
            module.kernel(entry, "loss", [value], [loss], 1, f"*b1 = {factor} * *b0;")
        path = module.build(tmp_path / "next.so")
        if flags:
            subprocess.run(["gcc", "-O1", "-shared", "-fPIC", *flags, "-o", path, path.with_suffix(".c"), "-lm"], check=True)
            stamp_file(path)
        return path.rename(tmp_path / name)

    @staticmethod
    def loss(module):
        return module.eval({"x": np.float32(1)})["loss"]

    def test_compiled_again_to_the_same_path(self, library, tmp_path):
        first = Module(self.scaled(tmp_path, 2), library=library)
        second = Module(self.scaled(tmp_path, 3), library=library)
        assert (self.loss(first), self.loss(second)) == (2, 3)
        first.close()
        third = Module(self.scaled(tmp_path, 5), library=library)
        assert (self.loss(second), self.loss(third)) == (3, 5)

    def test_overwritten_in_place(self, library, tmp_path):
        path = self.scaled(tmp_path, 2)
        module = Module(path, library=library)
        other = self.scaled(tmp_path, 3, name="other.so").read_bytes()
        with open(path, "r+b") as file:
            file.write(other)
            file.truncate(100)
        assert self.loss(module) == 2
        with pytest.raises(RuntimeFailure):
            Module(path, library=library)

    def test_an_object_that_cannot_be_unloaded(self, library, tmp_path):
        """Its name, of a descriptor that is used again, is no other module's."""
        for factor in (2, 3, 5, 7):
            with Module(self.scaled(tmp_path, factor, "-Wl,-z,nodelete"), library=library) as module:
                assert self.loss(module) == factor

    def test_without_memory_files(self, library, tmp_path):
        source = tmp_path / "none.c"
        source.write_text("#include <errno.h>\nint memfd_create(const char *n, unsigned f) { (void)n; (void)f; errno = ENOSYS; return -1; }\n")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", tmp_path / "none.so", source], check=True)
        self.scaled(tmp_path, 2, name="a.so"), self.scaled(tmp_path, 3, name="b.so")
        script = f"""
import os, sys
sys.path.insert(0, {str(pathlib_root())!r})
import numpy as np
from prec.module import Module
before, losses = set(os.listdir("/tmp")), []
modules = []
for other in ("a.so", "b.so"):
    os.replace(other, "step.so")
    modules.append(Module("step.so", library={str(library)!r}))
print(*(m.eval({{"x": np.float32(1)}})["loss"] for m in modules), [n for n in set(os.listdir("/tmp")) - before if n.startswith("prec-module-")])
"""
        done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=dict(os.environ, LD_PRELOAD=str(tmp_path / "none.so")),
                              capture_output=True, text=True)
        assert done.stdout.strip() == "2.0 3.0 []", done.stderr


@pytest.mark.parametrize("option", ["--inspect", "--traffic"])
def test_reading_runs_no_code(build, library, tmp_path, option):
    """Not even constructors of a module that is all right."""
    path = bigram().build(tmp_path / "step.so")
    source = path.with_suffix(".c")
    source.write_text(
        source.read_text() + f'#include <stdio.h>\n__attribute__((constructor)) static void run(void) {{ fclose(fopen("{tmp_path}/ran", "w")); }}\n'
    )
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", path, source, "-lm"], check=True)
    stamp_file(path)
    done = subprocess.run([build / "prec-run", path, option], capture_output=True, text=True)
    assert done.returncode == 0 and not (tmp_path / "ran").exists(), done.stderr
    if option == "--inspect":
        assert all(text in done.stdout for text in ("step_module.py", "by hand", "cpu x86-64", "batch input 'input_ids' i32[2, 16]"))
    Module(path, library=library).close()
    assert (tmp_path / "ran").exists()


def pathlib_root():
    import prec
    return pathlib.Path(prec.__file__).parent.parent


class TestTable:
    def test_abi(self, library, tmp_path):
        refuse(library, bigram().build(tmp_path / "step.so", abi=2), "query table must have abi 1, but got 2")

    def test_kernel_index(self, library, tmp_path):
        module = bigram()
        module.manifest["entry_points"]["step"][0]["kernel"] = len(module.kernels)
        refuse(library, module.build(tmp_path / "step.so"), "kernel of command 'row loss' must be one of the 7 in the query table, but got 7")

    def test_no_symbol(self, library, tmp_path):
        path = bigram().build(tmp_path / "step.so")
        source = path.with_suffix(".c")
        source.write_text(source.read_text().replace("prec_module_query_v1", "other_name"))
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", path, source, "-lm"], check=True)
        stamp_file(path)
        refuse(library, path, "must export prec_module_query_v1")

    def test_not_loadable(self, library, tmp_path):
        module = bigram()
        module.kernels[0] = (module.kernels[0][0], "void elsewhere(void);\n" + module.kernels[0][1].replace("{", "{ elsewhere();", 1))
        refuse(library, module.build(tmp_path / "step.so"), "must be loadable, but got: ")

    def test_constants_too_short(self, library, tmp_path):
        module = bigram()
        module.constants = module.constants[:-1]
        refuse(library, module.build(tmp_path / "step.so"), "section .prec.constants must have 16 bytes, but got 15")

    def test_chip(self, library, tmp_path):
        path = StepModule(chip="x86-64-v4")
        path.bind("loss", "loss", "f32", [])
        path.command("step", "fill", "zero", [], [0], dst=0)
        built = path.build(tmp_path / "step.so")
        flags = pathlib.Path("/proc/cpuinfo").read_text().split("flags", 1)[1].split("\n", 1)[0].split()
        if {"avx2", "fma", "bmi2", "avx512f", "avx512bw", "avx512vl", "avx512dq"} <= set(flags):
            Module(built, library=library).close()
        else:
            refuse(library, built, "module needs a cpu of level x86-64-v4, but this one lacks avx")

    def test_cuda_module_without_cuda(self, library, built, tmp_path):
        manifest = copy.deepcopy(built[1])
        manifest["target"] = {"kind": "cuda", "chip": "sm_90a"}
        manifest["entry_points"] = {"step": []}
        path = with_manifest(built[0], tmp_path / "step.so", manifest)
        with pytest.raises(RuntimeFailure) as failure:
            Module(path, library=library)
        assert any(word in str(failure.value).lower() for word in ("prec_rt_cuda", "cuda", "driver"))

    def test_too_much_memory(self, library, built, tmp_path):
        manifest = copy.deepcopy(built[1])
        manifest["segments"]["workspace"] = 1 << 47
        refuse(library, with_manifest(built[0], tmp_path / "step.so", manifest),
               "segment workspace needs 140737488355328 bytes of memory")


def edit(*path, value=None, delete=False):
    def apply(manifest):
        target = manifest
        for key in path[:-1]:
            target = target[key]
        if delete:
            del target[path[-1]]
        else:
            target[path[-1]] = value
    return apply


def scale(shape, scaling, dtype="f32", **keys):
    """The first product with inverse scales of its left operand."""
    def apply(manifest):
        gemm, buffers = manifest["entry_points"]["step"][1], manifest["buffers"]
        buffers.append({**buffers[0], "dtype": dtype, "shape": shape})
        gemm.update(scale_a=len(buffers) - 1, reads=[*gemm["reads"], len(buffers) - 1], **keys)
        if scaling:
            gemm["scaling_a"] = scaling
    return apply


def bias(dtype, shape, abi=4, is_read=True, of_result=False, scale_of_rows=False, **keys):
    """The first product with a bias of its own, or in its result's bytes."""
    def apply(manifest):
        gemm, buffers = manifest["entry_points"]["step"][1], manifest["buffers"]

        def add(where, dtype, shape):
            buffers.append({**buffers[where], "dtype": dtype, "shape": shape})
            return len(buffers) - 1

        manifest["abi"] = abi
        gemm["bias"] = add(gemm["d"] if of_result else 0, dtype, shape)
        if is_read:
            gemm["reads"] = [*gemm["reads"], gemm["bias"]]
        if scale_of_rows:
            gemm["scale_a"], gemm["scaling_a"] = add(0, "f32", [gemm["m"]]), "row"
            gemm["reads"] = [*gemm["reads"], gemm["scale_a"]]
        gemm.update(keys)
    return apply


def parts(*changes):
    """Parts of buffer 0, which the first command reads, each with a change."""
    return edit("entry_points", "step", 0, "parts", value=[dict(buffer=0, offset=0, bytes=4, stride=8, count=1) | change for change in changes])


STEP = ("entry_points", "step")
GEMM = (*STEP, 1)
USE = {"path": "p", "direction": "fprop", "operand": 0, "format": "e4m3", "scaling": "row"}
def bench(**keys):
    """One item of a list `bench`, of the first product, with changes; a key that is None is left out."""
    def apply(manifest):
        first = next(i for i, c in enumerate(manifest["entry_points"]["step"]) if c["op"] == "gemm")
        item = {"kind": "contraction", "first": first, "count": 1, "direction": "fprop"} | keys
        manifest["bench"] = [{key: value for key, value in item.items() if value is not None}]
    return apply


BAD_MANIFESTS = {
    "bench kind": (bench(kind="product"), "manifest.bench[0].kind: must be one of contraction, quantization, command, but got 'product'"),
    "bench commands": (bench(first=1 << 40), "commands, but got 1 from 1099511627776 on"),
    "bench direction": (bench(direction=None), "manifest.bench[0]: a contraction must have the key 'direction', but got none"),
    "bench other direction": (bench(kind="command"), "manifest.bench[0]: a command must not have the key 'direction', but got one"),
    "bench of two": (bench(count=2), "manifest.bench[0]: a contraction must be one gemm, but got 2 from a gemm on"),
    "bench quantization": (bench(kind="quantization", direction=None, rows=4),
                           "a quantization must have the keys 'rows', 'columns', 'from', 'to', 'scaling' and 'layouts', but lacks some"),
    "bench layouts": (bench(layouts="all"), "manifest.bench[0].layouts: must be one of rows, columns, both, but got 'all'"),
    "bench that trains": (bench(), "a module must train, but got one that is only measured, by prec-run --bench"),
    "format": (edit("format", value="x"), "manifest.format: must be prec-step-module, but got 'x'"),
    "abi": (edit("abi", value=5), "manifest.abi: must lie in [1, 4], but got 5"),
    "dynamic shapes": (edit("shapes", value="dynamic"), "manifest.shapes: must be static, but got 'dynamic'"),
    "no recipe": (edit("recipe", delete=True), "manifest: must have the key 'recipe', but got none"),
    "target": (edit("target", "kind", value="tpu"), "manifest.target.kind: must be one of cpu, cuda, but got 'tpu'"),
    "segment missing": (edit("segments", "state", delete=True), "manifest.segments: must have the key 'state'"),
    "segment negative": (edit("segments", "state", value=-1), "manifest.segments.state: must lie in [0, "),
    "segment too small": (edit("segments", "input", value=10), "must lie in segment input of 10 bytes"),
    "buffer dtype": (edit("buffers", 0, "dtype", value="f64"), "manifest.buffers[0].dtype: must be one of f32, bf16"),
    "buffer segment": (edit("buffers", 0, "segment", value="heap"), "manifest.buffers[0].segment: must be one of state"),
    "buffer offset odd": (edit("buffers", 0, "offset", value=2), "manifest.buffers[0]: offset must be a multiple of 4 for f32, but got 2"),
    "buffer offset large": (edit("buffers", 0, "offset", value=1 << 40), "manifest.buffers[0]: must lie in segment input"),
    "buffer offset fraction": (edit("buffers", 0, "offset", value=0.5), "manifest.buffers[0].offset: must be an integer, but got 0.5"),
    "buffer shape overflows": (edit("buffers", 0, "shape", value=[1 << 39] * 9), "must have at most 2^48 elements"),
    "buffer shape negative": (edit("buffers", 0, "shape", value=[-1]), "manifest.buffers[0].shape[0]: must lie in [0, "),
    "binding buffer": (edit("bindings", 0, "buffer", value=999), "manifest.bindings[0].buffer: must lie in [0, "),
    "binding role": (edit("bindings", 0, "role", value="batsch"), "manifest.bindings[0].role: must be one of parameter"),
    "binding segment": (edit("bindings", 0, "role", value="parameter"), "parameter 'x' must lie in segment state, but got input"),
    "binding twice": (edit("bindings", 1, "name", value="x"), "names must be unique within a role, but got 'x' twice"),
    "bindings overlap": (edit("bindings", 1, "buffer", value=0), "must not share bytes, but 'x' and 'y' do"),
    "loss dtype": (edit("bindings", 4, "buffer", value=0), "loss 'loss' must lie in segment output"),
    "state without parameter": (edit("bindings", 7, "parameter", value="no"), "must name a parameter of the module, but got 'no'"),
    "state without slot": (edit("bindings", 7, "slot", delete=True), "must have the key 'slot'"),
    "ratios without tensors": (edit("bindings", 4, "role", value="amax_ratios"), "amax_ratios 'loss' must have the key 'tensors', but got none"),
    "ratios of more tensors": (
        edit("bindings", 4, value={"name": "r", "role": "amax_ratios", "buffer": 4, "tensors": ["a", "b"]}),
        "amax_ratios 'r' must be f32[2], but got f32[]",
    ),
    "numerics of nothing": (
        edit("bindings", 4, "role", value="numerics"),
        "numerics 'loss' must have one of the keys 'uses' and 'parameter', but got none",
    ),
    "numerics of two things": (
        edit("bindings", 4, value={"name": "n", "role": "numerics", "buffer": 4, "parameter": "fc1.weight", "uses": [USE]}),
        "numerics 'n' must have one of the keys 'uses' and 'parameter', but got both",
    ),
    "numerics of no parameter": (
        edit("bindings", 4, value={"name": "n", "role": "numerics", "buffer": 4, "parameter": "no"}),
        "numerics 'n' must name a parameter of the module, but got 'no'",
    ),
    "numerics of a parameter of one number": (
        edit("bindings", 4, value={"name": "n", "role": "numerics", "buffer": 4, "parameter": "fc1.weight"}),
        "numerics 'n' must be f32[6], but got f32[]",
    ),
    "numerics of one number": (
        edit("bindings", 4, value={"name": "n", "role": "numerics", "buffer": 4, "uses": [USE]}),
        "numerics 'n' must be f32[5], but got f32[]",
    ),
    "a use without a path": (edit("bindings", 4, value={"name": "n", "role": "numerics", "buffer": 4, "uses": [{}]}), "path"),
    "switches in the output": (edit("bindings", 4, "role", value="switches"), "switches 'loss' must lie in segment input, but got output"),
    "guard without tensors": (edit("bindings", 4, "role", value="guard"), "guard 'loss' must have the key 'tensors', but got none"),
    "default": (edit("bindings", 2, "default", value="x"), "manifest.bindings[2].default: must be a number, inf or -inf, but got 'x'"),
    "default of a kind": (edit("bindings", 2, "default", value=[]), "manifest.bindings[2].default: must be a finite number, but got array"),
    "padding": (edit("padding", value=False), "manifest.padding: must be true or a reason, but got false"),
    "padding of a kind": (edit("padding", value=3), "manifest.padding: must be true or false, but got number"),
    "shift unknown": (edit("bindings", 0, "shift_unknown", value=3), "manifest.bindings[0].shift_unknown: must be a string"),
    "codes": (edit("bindings", 5, "codes", value=0), "must be i8 and have its codes as f32[256] in segment constants, but got"),
    "micro-batch weights": (edit("micro_batch_weights", value="many"), "manifest.micro_batch_weights: must be one of labels, equal, but got 'many'"),
    "equal micro-batches": (edit("micro_batch_weights", value="equal"), "manifest: must have the key 'equal_micro_batches'"),
    "vocabulary": (edit("bindings", 0, "vocabulary", value=0), "manifest.bindings[0].vocabulary: must lie in [1, "),
    "range": (edit("bindings", 0, "range", value=[3, 1]), "manifest.bindings[0].range: must be two numbers, the least first"),
    "initial": (edit("bindings", 5, "initial", value=0), "must have an initial value of its own dtype and shape in segment constants"),
    "no step": (edit("entry_points", value={"init": []}), "manifest.entry_points: must have 'step'"),
    "entry points a list": (edit("entry_points", value=[]), "manifest.entry_points: must be an object, but got array"),
    "op": (edit(*GEMM, "op", value="convolve"), f"must be one of {', '.join(COMMANDS)}, but got 'convolve'"),
    "read index": (edit(*GEMM, "reads", value=[0, 10_000]), "manifest.entry_points.step[1].reads[1]: must lie in [0, "),
    "name twice": (edit(*GEMM, "name", value="relu"), "names must be unique within an entry point"),
    "gemm too large": (edit(*GEMM, "m", value=1000), "step[1] (fc1): a must have at least"),
    "gemm stride": (edit(*GEMM, "batch", value=2), "a must have at least"),
    "gemm overflow": (edit(*GEMM, "m", value=1 << 40), "a must have at least"),
    "gemm operand unlisted": (edit(*GEMM, "reads", value=[]), "reads must list every operand"),
    "gemm writes unlisted": (edit(*GEMM, "writes", value=[]), "writes must list every operand"),
    "gemm beta without c": (edit(*GEMM, "beta", value=1.0), "beta must be 0 without c, but got 1"),
    "gemm in place": (lambda m: m["entry_points"]["step"][1].update(a=12, reads=[12, 9]), "d must not share bytes with a or b"),
    "gemm scale without a scaling": (
        scale([32], None), "scaling_a must come with scale_a and name what shares a scale, but got none with scales"
    ),
    "gemm scaling without a scale": (
        edit(*GEMM, "scaling_a", value="row"), "scaling_a must come with scale_a and name what shares a scale, but got row without scales"
    ),
    "gemm scaling unknown": (scale([32], "block_3x5"), "scaling_a: must be one of none, tensor_current, tensor_delayed, row, "),
    "gemm scale of another shape": (scale([32, 24], "row"), "row scales of an operand [32, 24] must be f32[32], but got f32[32, 24]"),
    "gemm scale of other blocks": (
        scale([1, 32], "block_128x128"), "block_128x128 scales of an operand [32, 24] must be f32[1, 1, 4], but got f32[1, 32]"
    ),
    "gemm scale of another format": (
        scale([1, 1, 32, 16], "mx_1x32"), "mx_1x32 scales of an operand [32, 24] must be f8E8M0FNU[1, 1, 32, 16], but got f32"
    ),
    "gemm scales of two formats": (
        scale([1, 1, 32, 16], "mx_1x32", "f8E8M0FNU"),
        "scales must have one dtype, a scaling of e2m1 for packed operands and only for these, "
        "and operands with scales of a few elements must lie along k, but do not",
    ),
    "gemm tensor scale": (
        lambda m: (
            m["buffers"].append({**m["buffers"][0], "shape": []}),
            m["entry_points"]["step"][1].update(
                tensor_scale_a=len(m["buffers"]) - 1, reads=[*m["entry_points"]["step"][1]["reads"], len(m["buffers"]) - 1]
            ),
        ),
        "a tensor scale must come with a scaling that has one, but got none with one",
    ),
    "gemm scales of a batch": (
        scale([16], "row", m=16, batch=2, stride_a=0, stride_b=0),
        "scales of rows or blocks must be of one matrix, but got a batch of 2",
    ),
    "gemm bias of an old abi": (bias("bf16", [40], abi=3), "bias must be in a module of abi 4, but got abi 3"),
    "gemm bias index": (
        lambda m: (m.update(abi=4), m["entry_points"]["step"][1].update(bias=10_000)),
        "manifest.entry_points.step[1].bias: must lie in [0, ",
    ),
    "gemm bias of another format": (bias("f32", [40]), "bias must be bf16[40], but got f32[40]"),
    "gemm bias of another size": (bias("bf16", [41]), "bias must be bf16[40], but got bf16[41]"),
    "gemm bias unlisted": (bias("bf16", [40], is_read=False), "reads must list every operand"),
    "gemm bias in place": (bias("bf16", [40], of_result=True), "d must not share bytes with bias, but does"),
    "gemm bias of a batch": (bias("bf16", [40], m=16, batch=2, stride_a=0, stride_b=0), "a bias must be of one matrix, but got a batch of 2"),
    "gemm bias beside scales of rows": (bias("bf16", [40], scale_of_rows=True), "scales must be of tensors beside a bias, but are of parts"),
    "accumulator": (edit(*GEMM, "accumulator", value="half"), "must be one of full, fast, promoted"),
    "kernel extent": (edit(*STEP, 0, "extent", value=-1), "manifest.entry_points.step[0].extent: must lie in"),
    "part of another buffer": (parts(dict(buffer=12)), "a part of buffer 12 must be of one that the command reads or writes"),
    "two parts of a buffer": (parts({}, {}), "a part of buffer 0 must be the only one, but got two"),
    "part of long runs": (parts(dict(bytes=9)), "a part of buffer 0 must have runs of at most its stride of 8 bytes, but got 9"),
    "part behind its buffer": (parts(dict(offset=1 << 40)), "a part of buffer 0 must lie in its "),
    "part of too many runs": (parts(dict(count=1 << 40)), " bytes, but got 1099511627776 runs of 4 from byte 0 on, every 8"),
    "part without a stride": (parts(dict(stride=0)), "manifest.entry_points.step[0].parts[0].stride: must lie in [1, "),
    "kernel args unlisted": (edit(*STEP, 0, "args", value=[3]), "reads and writes must list every operand"),
    "writes an input": (lambda m: m["entry_points"]["step"][0].update(writes=[0, 13]), "must not write segment input, but writes buffer 0"),
    "eval writes state": (lambda m: m["entry_points"]["eval"][0].update(writes=[5, 13]), "eval must write only workspace and output"),
    "accumulate without apply": (edit("entry_points", "accumulate", value=[]), "must have 'accumulate' and 'apply', or none of both, but got one"),
    "accumulate writes a weight": (
        lambda m: m["entry_points"].update(
            apply=[], accumulate=[dict(op="fill", id="f", name="f", reads=[], writes=[m["bindings"][5]["buffer"]], dst=m["bindings"][5]["buffer"])]
        ),
        "accumulate must write no binding's state, but writes 'fc1.weight'",
    ),
    "copy sizes": (
        lambda m: m["entry_points"]["step"].append(dict(op="copy", id="c", name="c", reads=[0], writes=[11], src=0, dst=11)),
        "src and dst must have the same byte size, but got 3072 and 1536",
    ),
    "sdpa shapes": (
        lambda m: m["entry_points"]["step"].append(
            dict(op="sdpa_forward", id="s", name="s", reads=[0], writes=[13], q=0, k=0, v=0, o=13, lse=4, scale=1, causal=True)
        ),
        "q must be [B, H, S, D] and k [B, G, T, D]",
    ),
}


def call(inputs=("x",), results=("y",), reads=("x",), function="mylib::f", offset=256, parameters=None):
    """A call from x to y and z, which lie `offset` bytes behind each other; `parameters`: in a module for a GPU."""
    def apply(manifest):
        buffers, segments, where = manifest["buffers"], manifest["segments"], {}
        for i, name in enumerate("xyz"):
            where[name] = len(buffers)
            buffers.append({"segment": "workspace", "offset": segments["workspace"] + i * offset, "dtype": "f32", "shape": [32]})
        segments["workspace"] += 2 * offset + 128
        command = dict(op="call", id="c", name="c", reads=[where[n] for n in reads], writes=[where[n] for n in "yz" if n in results],
                       function=function, settings="", inputs=[where[n] for n in inputs], results=[where[n] for n in results])
        if parameters is not None:
            manifest["target"] = {"kind": "cuda", "chip": "sm_90a"}
            manifest["entry_points"] = {"step": []}
            command.update(symbol="k", grid=[1, 1, 1], block=[1, 1, 1], shared=0, parameters=parameters)
        manifest["entry_points"]["step"].append(command)
    return apply


def sdpa(views=None, fields=None, unread=None, **change):
    """A forward attention on buffers of its own; `change` says what else its buffers are, `views` what of them it
    sees. `fields`: others of the command. `unread`: what it does not say that it reads."""
    def apply(manifest):
        buffers, shapes = manifest["buffers"], {**dict.fromkeys("qkvo", [1, 2, 4, 8]), "lse": [1, 2, 4], **change}
        where = {}
        for name, shape in shapes.items():
            if isinstance(shape, str):
                where[name] = where[shape]
                continue
            where[name] = len(buffers)
            buffers.append({"segment": "workspace", "offset": manifest["segments"]["workspace"], "dtype": "f32", "shape": shape})
            manifest["segments"]["workspace"] += 4 * int(np.prod(shape))
        manifest["entry_points"]["step"].append(
            dict(
                op="sdpa_forward",
                id="s",
                name="s",
                reads=[where[n] for n in ("q", "k", "v", "bias") if n in where and n != unread],
                writes=[where["o"], where["lse"]],
                scale=1,
                **({"views": views} if views else {}),
                **{"causal": True, **(fields or {})},
                **where,
            )
        )
    return apply


def view(strides=(64, 8, 16, 1), offset=0, shape=(1, 2, 4, 8)):
    """Of [1, 4, 2, 8] as [B,H,S,D], unless told otherwise."""
    return {"shape": list(shape), "strides": list(strides), "offset": offset}


def overlapping_copy(manifest):
    place, index = manifest["segments"]["workspace"], len(manifest["buffers"])
    manifest["segments"]["workspace"] += 256
    manifest["buffers"] += [{"segment": "workspace", "offset": place + at, "dtype": "f32", "shape": [32]} for at in (0, 64)]
    manifest["entry_points"]["step"].append(dict(op="copy", id="c", name="c", reads=[index], writes=[index + 1], src=index, dst=index + 1))


def cuda_kernel(manifest):
    manifest["target"] = {"kind": "cuda", "chip": "sm_90a"}
    manifest["entry_points"] = {"step": manifest["entry_points"]["step"]}
    manifest["entry_points"]["step"][0].update(symbol="k", grid=[1], block=[1, 1, 1], shared=0)


def buffer_of(binding, **values):
    return lambda m: m["buffers"][m["bindings"][binding]["buffer"]].update(values)


def staged(name="base", **keys):
    """A staged weight in the workspace."""
    def apply(manifest):
        manifest["buffers"].append({"segment": "workspace", "offset": 0, "dtype": "f32", "shape": [4]})
        manifest["bindings"].append({"name": name, "role": "staged_parameter", "buffer": len(manifest["buffers"]) - 1, **keys})
    return apply


BAD_MANIFESTS |= {
    "buffers a number": (edit("buffers", value=3), "manifest.buffers: must be an array, but got number"),
    "buffers an object": (edit("buffers", value={"0": {}}), "manifest.buffers: must be an array, but got object"),
    "aliases an object": (edit("bindings", 5, "aliases", value={"0": "a"}), "manifest.bindings[5].aliases: must be an array, but got object"),
    "commands an object": (edit("entry_points", "step", value={"0": {}}), "manifest.entry_points.step: must be an array, but got object"),
    "operations of the graph a text": (
        edit(*GEMM, "graph_ops", value="matmul"),
        "manifest.entry_points.step[1].graph_ops: must be an array, but got string",
    ),
    "operation of the graph a number": (edit(*GEMM, "graph_ops", value=["add", 3]), "manifest.entry_points.step[1].graph_ops[1]: must be a string"),
    "no buffers": (edit("buffers", value=[]), "manifest.bindings[0].buffer: must name a buffer, but got a module without buffers"),
    "shape a number": (edit("buffers", 0, "shape", value=3), "manifest.buffers[0].shape: must be an array, but got number"),
    "command a list": (edit(*GEMM, value=[]), "manifest.entry_points.step[1]: must be an object, but got array"),
    "image kind": (
        edit("images", value=[dict(kind="elf", chip="sm_90a", offset=0, size=0)]),
        "manifest.images[0].kind: must be one of cubin, ptx, but got 'elf'",
    ),
    "image without symbol": (
        lambda manifest: manifest.update(abi=3, images=[dict(kind="ptx", chip="sm_90a", offset=0, size=0)]),
        "manifest.images[0]: must have the key 'symbol', but got none",
    ),
    "image outside": (
        edit("images", value=[dict(kind="ptx", chip="sm_90a", offset=4, size=6)]),
        "images must lie in section .prec.gpu of 0 bytes, but got one that ends at 10",
    ),
    "staged in the state": (
        edit("bindings", 5, "role", value="staged_parameter"),
        "staged_parameter 'fc1.weight' must lie in segment workspace, but got state",
    ),
    "staged without an entry point": (staged(), "staged_parameter 'base' must name an entry point of the module, but got ''"),
    "staged with another entry point": (
        staged(entry_point="load.none"),
        "staged_parameter 'base' must name an entry point of the module, but got 'load.none'",
    ),
    "staged twice": (staged(entry_point="init", name="fc1.weight"), "names and aliases of weights must be unique, but got 'fc1.weight' twice"),
    "grid": (cuda_kernel, "manifest.entry_points.step[0].grid: must have 3 elements, but got 1"),
    "hyper shape": (edit("bindings", 2, "buffer", value=0), "hyper 'lr' must be one f32, but got f32[32, 24]"),
    "parameter dtype": (buffer_of(5, dtype="i32"), "parameter 'fc1.weight' must be of a float dtype, but got i32"),
    "slot twice": (
        edit("bindings", 8, "parameter", value="fc1.weight"),
        "slots of a parameter must be unique, but got 'exp_avg' of 'fc1.weight' twice",
    ),
    "alias twice": (edit("bindings", 5, "aliases", value=["fc2.weight"]), "names and aliases of weights must be unique, but got 'fc2.weight' twice"),
    "gemm dtype": (
        lambda m: m["buffers"][m["entry_points"]["step"][1]["a"]].update(dtype="i8"),
        "eval[1] (fc1): a must be of a float dtype, but got i8",
    ),
    "gemm matrix": (
        lambda m: m["entry_points"]["step"][1].update(m=1 << 40, k=1 << 40),
        "manifest.entry_points.step[1]: must have at most 2^63 elements a matrix",
    ),
    "copy overlaps": (overlapping_copy, "src and dst must not share bytes, but do"),
    "call without a name": (call(function=""), "function must be a name, but got none"),
    "call without inputs": (call(inputs=(), reads=()), "a call must have an input and a result, but got 0 and 1"),
    "call without results": (call(results=()), "a call must have an input and a result, but got 1 and 0"),
    "call unread": (call(reads=()), "reads must list every operand, but buffer "),
    "call unwritten": (lambda m: (call()(m), m["entry_points"]["step"][-1].update(writes=[])), "writes must list every operand, but buffer "),
    "call in place": (call(offset=64), "a result of a call must not share bytes with its inputs, but buffer "),
    "call's results": (lambda m: (call(results=("y", "z"))(m), m["buffers"][-1].update(offset=m["buffers"][-2]["offset"] + 64)),
                       "results of a call must not share bytes, but buffers "),
    "call's settings": (lambda m: (call()(m), m["entry_points"]["step"][-1].pop("settings")), "must have the key 'settings'"),
    "call's parameters on a CPU": (lambda m: (call()(m), m["entry_points"]["step"][-1].update(parameters=[])), "parameters"),
    **{f"call's parameter {text}": (call(parameters=[text]), f"a parameter must be in N, out N, i32 N, i64 N, f32 X or f64 X, but got '{text}'")
       for text in ("", "in", "in -1", "in x", "out  0", "i32 2147483648", "i64 9223372036854775808", "f32", "f32 1e999", "u8 3")},
    "call's parameter beyond inputs": (call(parameters=["in 1"]), "parameter 'in 1' must be one of 1 inputs"),
    "call's parameter beyond results": (call(parameters=["out 0", "out 1"]), "parameter 'out 1' must be one of 1 results"),
    "sdpa empty": (sdpa(q=[1, 2, 0, 8], o=[1, 2, 0, 8]), "q and k must not be empty, but got [1, 2, 0, 8] and [1, 2, 4, 8]"),
    "sdpa value": (sdpa(v=[1, 2, 4, 9]), "v must be [1, 2, 4, 8], but got [1, 2, 4, 9]"),
    "sdpa in place": (sdpa(o="q"), "o must not share bytes with q, but does"),
    "sdpa window": (sdpa(fields={"window": 0, "causal": True}), ".window: must lie in [1, "),
    "sdpa window alone": (sdpa(fields={"window": 2, "causal": False}), "a window must be of causal attention with a key for each query, but got 4 "
                          "queries and 4 keys without causal"),
    "sdpa window of fewer keys": (sdpa(q=[1, 2, 5, 8], o=[1, 2, 5, 8], lse=[1, 2, 5], fields={"window": 2, "causal": True}),
                                  "a window must be of causal attention with a key for each query, but got 5 queries and 4 keys"),
    "sdpa bias": (sdpa(bias=[1, 3, 1, 4]), "bias must be f32 or bf16 of [1, 2, 4, 4], where all but the last may be 1, but got f32[1, 3, 1, 4]"),
    "sdpa bias's rank": (sdpa(bias=[1, 4]), "bias must be f32 or bf16 of [1, 2, 4, 4], where all but the last may be 1, but got f32[1, 4]"),
    "sdpa bias's keys": (
        sdpa(bias=[1, 1, 1, 1]), "bias must be f32 or bf16 of [1, 2, 4, 4], where all but the last may be 1, but got f32[1, 1, 1, 1]"),
    "sdpa bias unread": (sdpa(bias=[1, 1, 1, 4], unread="bias"), "reads must list every operand, but buffer "),
    "sdpa bias in place": (
        sdpa(v=[1, 2, 4, 4], bias="o", q=[1, 2, 4, 4], k=[1, 2, 4, 4], o=[1, 2, 4, 4]),
        "o must not share bytes with bias, but does"),
    "sdpa view of lse": (sdpa(views={"lse": view()}), "views must be of operands but lse and bias, but got 'lse'"),
    "sdpa view of a gradient": (sdpa(views={"dq": view()}), "views must be of operands but lse and bias, but got 'dq'"),
    "sdpa view's shape": (sdpa(views={"v": view(shape=(1, 4, 2, 8))}), "v must be [1, 2, 4, 8], but got [1, 4, 2, 8]"),
    "sdpa view's size": (sdpa(views={"v": view(shape=(1, 2, 0, 8))}), "views.v.shape[2]: must lie in [1, "),
    "sdpa view's stride": (sdpa(views={"v": view(strides=(64, 0, 16, 1))}), "views.v.strides[1]: must lie in [1, "),
    "sdpa view's offset": (sdpa(views={"v": view(offset=-8)}), "views.v.offset: must lie in [0, "),
    "sdpa strides": (sdpa(views={"v": view(strides=(8, 16, 1))}), "v must have a stride for each dimension, the last of 1, but got [8, 16, 1]"),
    "sdpa last stride": (
        sdpa(views={"v": view(strides=(64, 8, 1, 16))}),
        "v must have a stride for each dimension, the last of 1, but got [64, 8, 1, 16]",
    ),
    "sdpa view outside": (sdpa(views={"v": view(offset=1)}), "v must be in [1, 2, 4, 8], but its last element is at 64"),
    "sdpa view far outside": (sdpa(views={"v": view(strides=(64, 1 << 47, 1 << 47, 1))}), "v must be in [1, 2, 4, 8], but its last element is at "),
    "sdpa view that overflows": (
        sdpa(views=dict.fromkeys("qk", view(strides=(1 << 40, 8, 16, 1), shape=(1 << 40, 2, 4, 8)))),
        "q must have at most 2^63 elements",
    ),
    "sdpa result twice": (
        sdpa(views={"o": view(strides=(64, 8, 8, 1))}),
        "o must have each of its elements in one place, but got strides [64, 8, 8, 1]",
    ),
    "sdpa result in part": (sdpa(o=[9, 8], views={"o": view()}), "o must be all of [9, 8], but got [1, 2, 4, 8]"),
    "sdpa lse": (sdpa(lse=[1, 2, 5]), "lse must be f32[1, 2, 4], but got f32[1, 2, 5]"),
}


def test_attention_that_is_right_opens(library, built, tmp_path):
    """What the cases of attention change is what is wrong with them."""
    manifest = copy.deepcopy(built[1])
    sdpa()(manifest)
    Module(with_manifest(built[0], tmp_path / "step.so", manifest), library=library).close()


def test_attention_with_views_that_is_right_opens(library, built, tmp_path):
    manifest = copy.deepcopy(built[1])
    columns = {"q": view((192, 8, 48, 1)), "k": view((192, 8, 48, 1), 16), "v": view((192, 8, 48, 1), 32)}
    sdpa(q=[4, 48], k="q", v="q", o=[4, 16], views={**columns, "o": view()})(manifest)
    Module(with_manifest(built[0], tmp_path / "step.so", manifest), library=library).close()


class TestUse:
    """Of a module that opened."""

    def test_entry_point(self, library, built, tmp_path):
        manifest = copy.deepcopy(built[1])
        del manifest["entry_points"]["eval"]
        with Module(with_manifest(built[0], tmp_path / "step.so", manifest), library=library) as module:
            with pytest.raises(RuntimeFailure, match="module must have the entry point 'eval', but has not"):
                module.eval()

    def test_names(self, library, built):
        with Module(built[0], library=library) as module:
            with pytest.raises(RuntimeFailure, match="hyper-parameter must be one of lr, step, but got 'beta7'"):
                module.set_hyper(beta7=1)

    def test_dtype(self, library, built):
        with Module(built[0], library=library) as module:
            module.init_random()
            with pytest.raises(RuntimeFailure, match="'x' must have a dtype that converts to f32, but got i32"):
                module.eval({"x": np.zeros((32, 24), np.int32), "y": np.zeros((32, 8), np.float32)})

    def test_weight_of_integers(self, library, tmp_path):
        module = StepModule()
        module.bind("w", "parameter", "i8", [4, 4])
        loss = module.bind("loss", "loss", "f32", [])
        module.command("step", "fill", "zero", [], [loss], dst=loss)
        with Module(module.build(tmp_path / "step.so"), library=library) as opened:
            with pytest.raises(RuntimeFailure, match="'w' must be of a float dtype to be initialized, but got i8"):
                opened.init_random()


@pytest.mark.parametrize("case", BAD_MANIFESTS)
def test_bad_manifest(library, built, tmp_path, case):
    change, message = BAD_MANIFESTS[case]
    manifest = copy.deepcopy(built[1])
    change(manifest)
    refuse(library, with_manifest(built[0], tmp_path / "step.so", manifest), message)


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "valid JSON"),
        ("{", "valid JSON"),
        ("[]", "must be an object, but got array"),
        ("3", "must be an object"),
        ("{}", "must have the key 'format'"),
        ("[" * 100_000, "valid JSON"),
        ('{"format": "\udcff"}', "valid JSON"),
    ],
)
def test_manifest_text(library, built, tmp_path, text, message):
    path = tmp_path / "step.json"
    path.write_bytes(text.encode(errors="surrogateescape") or b"\0")
    subprocess.run(["objcopy", "--update-section", f".prec.manifest={path}", built[0], tmp_path / "step.so"], check=True)
    refuse(library, stamp_file(tmp_path / "step.so"), message)


def test_mutated_manifests_never_crash(library, built, tmp_path):
    """Random edits of every value, in a process of its own: an error or an opened module, and if it opens, it steps."""
    script = f"""
import copy, json, pathlib, random, subprocess, sys
sys.path[:0] = [{str(pathlib_root())!r}, {str(ROOT / "test/tools")!r}]
import numpy as np
from module_hash import stamp
from prec.module import Module, RuntimeFailure
manifest = json.loads(pathlib.Path({str(built[0].with_suffix('.json'))!r}).read_text())
good = pathlib.Path({str(built[0])!r}).read_bytes()
text = pathlib.Path({str(built[0].with_suffix('.json'))!r}).read_bytes()
place, size = good.index(text), len(text)
path, rng, opened = pathlib.Path({str(tmp_path / 'bad.so')!r}), random.Random(1), 0
def leaves(node, at=()):
    for key, value in (node.items() if isinstance(node, dict) else enumerate(node)):
        if isinstance(value, (dict, list)) and value and rng.random() < 0.97: yield from leaves(value, (*at, key))
        else: yield (*at, key)
for i in range(1500):
    damaged = copy.deepcopy(manifest)
    where = rng.choice(list(leaves(damaged)))
    node = damaged
    for key in where[:-1]: node = node[key]
    if where[-1] in ("extent",): continue   # the kernels of this test trust it
    node[where[-1]] = rng.choice([0, 1, 2, 7, -1, 1 << 33, 1 << 62, None, "", "x", [], {{}}, [1], 0.5, True, node[where[-1]]])
    new = json.dumps(damaged, separators=(",", ":")).encode().ljust(size, b" ")
    assert len(new) == size
    path.unlink(missing_ok=True)
    path.write_bytes(stamp(good[:place] + new + good[place + size:]))
    try:
        with Module(path, library={str(library)!r}): opened += 1
    except RuntimeFailure as failure:
        assert "\\n" not in str(failure), failure
print(opened)
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert 0 < int(result.stdout) < 1200
