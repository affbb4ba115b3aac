# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bad input to the compiler's tools: one line that names place and rule, exit code 1, nothing written."""
import os
import pathlib
import re
import subprocess

import pytest

GRAPH = (pathlib.Path(__file__).resolve().parents[2] / "examples" / "llama_tiny.mlir").read_text()


def step(op: str, attributes: str = "") -> str:
    return (f'func.func @step(%x: tensor<4xf32>{attributes}) -> tensor<4xf32> attributes {{prec.entry = "step"}} {{\n'
            f"  %0 = {op} : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}}\n")


def without(attribute: str) -> str:
    """A step that lacks an attribute of the first argument or result that has it."""
    return re.sub(attribute + r"(, |(?=}))", "", GRAPH, count=1)


# What is in the file, and what must be said about it.
FILES = {
    "truncated": (GRAPH[:5000], r"graph\.mlir:\d+:\d+: error: "),
    "cut after a line": (GRAPH[: GRAPH.index("\n", 20000)], r"graph\.mlir:\d+:\d+: error: "),
    "empty": ("", r"graph\.mlir: error: the step must be a function with 'prec\.entry' = \"step\", but got no function"),
    "text": ("hello world\n", r"graph\.mlir:1:1: error: custom op 'hello' is unknown"),
    "json": ('{"graph": 1}\n', r"graph\.mlir:1:1: error: "),
    "elf": ((b"\x7fELF\x02\x01\x01" + bytes(500)), r"graph\.mlir:1:1: error: unexpected character"),
    "not utf-8": (b"\xff\xfe\x00func", r"graph\.mlir:1:1: error: unexpected character"),
    "bytecode of nothing": (b"ML\xefR", r"graph\.mlir: error: "),
    "nothing but brackets": ("(" * 100_000, r"graph\.mlir:1:1: error: "),
    "unknown op": (step("prec_train.nonsense %x"), r"graph\.mlir:2:8: error: custom op 'prec_train\.nonsense' is unknown"),
    "unknown dialect": (step("foo.bar %x"), r"graph\.mlir:2:8: error: Dialect `foo' not found for custom op 'foo\.bar'"),
    "unknown attribute of an op": (
        step("arith.negf %x {prec_train.foo = 1}"),
        r"graph\.mlir:2:8: error: .*prec_train attributes must be known .*'prec_train\.foo'",
    ),
    "unknown attribute of an argument": (
        step("arith.negf %x", " {prec.foo = 1}"),
        r"graph\.mlir:1:1: error: .*argument 0: prec attributes must be known .*'prec\.foo'",
    ),
    "unknown role": (step("arith.negf %x", " {prec_train.role = #prec_train.role<weight>}"), r"graph\.mlir:1:71: error: .*to be one of: parameter, "),
    "wrong types": (step("arith.negf %x").replace("return %0 : tensor<4xf32>", "return %0 : tensor<8xf32>"), r"graph\.mlir:3:10: error: "),
    "dynamic shape": (
        step("prec_train.softmax %x").replace("4x", "?x").replace(" : tensor<?xf32>\n", " : (tensor<?xf32>) -> tensor<?xf32>\n", 1),
        r"graph\.mlir:2:8: error: .*must be statically shaped tensor",
    ),
    "no step": (
        step("arith.negf %x").replace(' attributes {prec.entry = "step"}', ""),
        r"graph\.mlir: error: the step must be a function with 'prec\.entry' = \"step\", but got @step without it",
    ),
    "an op at a module path": (
        """
func.func @step(%x: tensor<4xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"}) ->
    (tensor<f32> {prec_train.role = #prec_train.role<loss>}) attributes {prec.entry = "step"} {
  %0 = tensor.cast %x : tensor<4xf32> to tensor<4xf32> loc("layers.3.mlp")
  %1 = prec_train.reduce sum %0 dims [0] : (tensor<4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
""",
        r"layers\.3\.mlp: error: ",
    ),
    "a parameter without a role": (
        without("prec_train.role = #prec_train.role<parameter>"),
        r"graph\.mlir:2:3: error: step: argument 0 must have a prec_train\.role",
    ),
    "a batch without a role": (
        without("prec_train.role = #prec_train.role<batch>"),
        r"graph\.mlir:2:3: error: step: argument \d+ must have a prec_train\.role",
    ),
    "state without a parameter": (
        without('prec_train.param_of = "model.embed_tokens.weight"'),
        r"graph\.mlir:2:3: error: step: argument 21 is optimizer state",
    ),
    "state without a slot": (
        without(', prec_train.slot = "exp_avg"'),
        r"graph\.mlir:2:3: error: step: argument 21 is optimizer state and must have a prec_train\.slot",
    ),
    "no loss": (without("prec_train.role = #prec_train.role<loss>"), r"graph\.mlir:2:3: error: step: result 0 must be a loss"),
    "nothing donated": (without(", prec_train.donated_to = 0 : i64"), r"graph\.mlir:2:3: error: step: result 2 is updated"),
    "an argument without a role": (
        step("arith.negf %x"),
        r"graph\.mlir:1:1: error: step: argument 0 must have a prec_train\.role of arguments, but got none",
    ),
}

OPTIONS = {
    "recipe": (
        ["--recipe=fp9"],
        "error: recipe must be one of 'fp32', 'bf16', 'fp16', 'fp8-hybrid', "
        "'fp8-e4m3', 'fp8-rowwise', 'fp8-block', 'mxfp8', 'nvfp4', 'torchao-tensorwise', but got 'fp9'",
    ),
    "two recipes": (["--recipe=bf16", "--recipe-file=none.json"], "error: one recipe must be given, but got --recipe and --recipe-file"),
    "a recipe again": (["--recipe=bf16", "--recipe=fp32"], "error: --recipe must be given once, but got it 2 times"),
    "assign options again": (["--assign=head=in", "--assign=ranks=2"], "error: --assign must be given once, but got it 2 times"),
    "an assign option again": (["--assign=head=in head=out"], "error: 'head' must be given once, but got it 2 times"),
    "no recipe": (["--recipe="], "error: --recipe must have a value, but got an empty one"),
    "recipe file": (["--recipe-file=none.json"], "none.json"),
    "unknown assign option": (["--assign=nonsense=1"], "error: assign options: no such option nonsense"),
    "assign option without a value": (["--assign=choose"], "for the --choose option: requires a value"),
    "assign option of another type": (["--assign=ranks=two"], "for the --ranks option: 'two' value invalid"),
    "recipe twice": (["--recipe=bf16", "--assign=recipe=fp32"], "error: assign options: 'recipe' must be given once, but got 'bf16' and 'fp32'"),
    "two recipes in two ways": (["--recipe=bf16", "--assign=recipe-file=none.json"], "error: 'recipe' and 'recipe-file' must not both be given"),
    "rules twice": (["--rules=a.json", "--assign=rules=b.json"], "error: assign options: 'rules' must be given once, but got 'a.json' and 'b.json'"),
    "assign option's name": (["--assign=choose=time"], "error: choose must be 'recipe' or 'cost', but got 'time'"),
    "dtype": (["--assign=matmul-dtype=fp16"], "error: "),
    "policy file": (["--assign=policy=none.json"], "error: cannot read 'none.json': No such file or directory"),
    "numerics file": (["--assign=numerics=none.json"], "error: cannot read 'none.json': No such file or directory"),
    "limit": (["--assign=limits=underflow:2"], "error: "),
    "costs without choosing": (["--assign=target-costs=mine.json"], "error: 'target-costs' needs 'choose=cost'"),
    "memory as assignment": (["--assign=choose=cost max-memory=1GiB"], "max-memory"),
    "target": (["--target=sm_1"], "error: target must be one of"),
    "phase": (["--dump-after=link"], "error: a phase must be import, assign, materialize, schedule or codegen, but got 'link'"),
    "option": (["--nonsense=1"], "Unknown command line argument '--nonsense=1'"),
    "folder": (["--recipe=bf16", "-o", "none/step.so"], "error: a step module must be written, but got 'none/step.so': No such file or directory"),
    "device": (["--recipe=bf16", "-o", "/dev/null"], "error: a step module must be written, but got '/dev/null': it is no regular file"),
}


def files(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def compile_(tool, tmp_path):
    def run(*arguments, environment=None):
        before = files(tmp_path)
        result = subprocess.run([tool("prec-compile"), *arguments], capture_output=True, cwd=tmp_path,
                                env=os.environ | (environment or {}))
        error = result.stderr.decode(errors="replace")
        assert (result.returncode, result.stdout) == (1, b""), error
        assert files(tmp_path) == before
        return error
    return run


@pytest.mark.parametrize("case", FILES)
def test_file(compile_, tmp_path, case):
    text, expected = FILES[case]
    (tmp_path / "graph.mlir").write_bytes(text if isinstance(text, bytes) else text.encode())
    error = compile_("graph.mlir", "--recipe=fp8-hybrid", "-o", "step.so")
    first, *rest = error.splitlines()
    assert re.match(expected, first), error
    # The parser may add where it was when it failed, and where else to look.
    assert len(rest) <= 1 and all(re.match(r"graph\.mlir:\d+:\d+: (error|note): ", line) for line in rest), error


@pytest.mark.parametrize("case", OPTIONS)
def test_option(compile_, tmp_path, case):
    arguments, expected = OPTIONS[case]
    (tmp_path / "graph.mlir").write_text(GRAPH)
    error = compile_("graph.mlir", *([] if "-o" in arguments else ["-o", "step.so"]), *arguments)
    assert expected in error
    # The command line's own parser adds a line with what it takes the option for.
    assert error.count("\n") == (2 if case == "option" else 1), error


def test_no_file(compile_, tmp_path):
    for name, reason in (("none.mlir", "No such file or directory"), (".", "Is a directory")):
        assert compile_(name) == f"prec-compile: error: cannot open input file '{name}': {reason}\n"


# Full before the first object, between the two, before linking, before a dump.
@pytest.mark.parametrize("size, options", [(0, []), (150_000, []), (300_000, []), (0, ["--dump-after=import"])])
def test_full_disk_keeps_the_old_file(compile_, full_disk, tmp_path, size, options):
    (tmp_path / "graph.mlir").write_text(GRAPH)
    (tmp_path / "step.so").write_text("the old one")
    (tmp_path / "step.import.mlir").write_text("the old one")
    error = compile_("graph.mlir", "--recipe=fp8-hybrid", "-o", "step.so", *options, environment=full_disk(size))
    assert error.count("\n") == 1 and "No space left on device" in error, error
    assert "step.import.mlir" in error if options else "a step module must be written, but got 'step.so'" in error


@pytest.mark.parametrize("full, reason", [(False, "'No such file or directory'"), (True, "one that cannot be written")])
def test_no_room_for_temporary_files(compile_, full_disk, tmp_path, full, reason):
    (tmp_path / "graph.mlir").write_text(GRAPH)
    error = compile_("graph.mlir", "-o", "step.so", "--recipe=bf16", "--target=sm_90a", "--ptxas=/bin/true",
                     environment=full_disk(0) if full else {"TMPDIR": "/nowhere"})
    assert error == f"graph.mlir:1:1: error: kernels need a temporary file, but got {reason}\n"


def test_pass_options(tool, tmp_path):
    (tmp_path / "graph.mlir").write_text(GRAPH)
    for argument, expected in (
        ("--assign-precision=nonsense=1", "no such option nonsense"),
        (
            "--assign-precision=recipe=fp9",
            "recipe must be one of 'fp32', 'bf16', 'fp16', 'fp8-hybrid', "
            "'fp8-e4m3', 'fp8-rowwise', 'fp8-block', 'mxfp8', 'nvfp4', 'torchao-tensorwise', but got 'fp9'",
        ),
        ("--prec-decompose=attention-library=nonsense", "nonsense"),
        ("--nonsense", "Unknown command line argument '--nonsense'"),
    ):
        result = subprocess.run([tool("prec-opt"), "graph.mlir", argument, "-o", "out.mlir"], capture_output=True, text=True, cwd=tmp_path)
        assert result.returncode == 1 and expected in result.stderr, result.stderr
        assert not (tmp_path / "out.mlir").exists()


def test_prec_opt_keeps_files(tool, full_disk, tmp_path):
    """The output of a run that fails stays what it was, also where it is the input."""
    (tmp_path / "graph.mlir").write_text(GRAPH)
    (tmp_path / "old.mlir").write_text("precious")

    def run(*arguments, environment=None):
        return subprocess.run([tool("prec-opt"), "graph.mlir", *arguments], capture_output=True, text=True, cwd=tmp_path,
                              env=os.environ | (environment or {}))
    before = files(tmp_path)
    for output in ("old.mlir", "graph.mlir"):
        assert run("--assign-precision=recipe=fp9", "-o", output).returncode == 1
        result = run("--assign-precision", "-o", output, environment=full_disk(0))
        assert result.returncode == 1 and result.stderr.endswith(f"prec-opt: error: cannot write '{output}': No space left on device\n"), (
            result.stderr
        )
        assert files(tmp_path) == before
    assert run("--assign-precision", "-o", "graph.mlir").returncode == 0
    assert "prec.tag" in (tmp_path / "graph.mlir").read_text()
