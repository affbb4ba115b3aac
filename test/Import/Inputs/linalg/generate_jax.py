# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes jax_llama.mlir beside it with JAX, Flax and optax, and the program iree-opt (of the package
iree-base-compiler): the whole training step of test/Jax's Llama, lowered to StableHLO and by IREE's input pipeline to
linalg.

    python generate_jax.py IREE_OPT

Two things are written here for what others lack. chlo.square is younger than IREE's chlo. And iree_linalg_ext.scatter,
which upstream has no operation for, becomes the loop that it stands for. Roles are added, which only who calls the step
knows: an argument of the state has the path and role of prec.import_jax's graph.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / name) for name in ("python", "test/Jax", "test/tools")]
os.environ["JAX_PLATFORMS"] = "cpu"

SCATTER = re.compile(r"(%\w+) = iree_linalg_ext\.scatter dimension_map = \[([\d, ]*)\] unique_indices\(\w+\) ins\((%\w+), (%\w+) : "
                     r"tensor<(\S+)xf32>, tensor<(\S+)xi32>\) outs\((%\w+) : (\S+)\) \{\n.*\n.*arith\.addf.*\n.*\n\s*\} -> \S+")


def as_loop(match: re.Match) -> str:
    """Updates are [n, slice...], or [n, m, slice...] with n = m = 1; indices [n, k] name the first k dimensions."""
    name, dims, updates, indices, update_sizes, index_sizes, table, type_ = match.groups()
    places = len(dims.split(","))
    assert dims == ", ".join(map(str, range(places)))
    count = int(index_sizes.split("x")[0])
    whole = [int(n) for n in type_[len("tensor<"):].split("x")[:-1]]
    sizes = [int(n) for n in update_sizes.split("x")]
    head = "".join(f"""
      %at_{k} = arith.constant {k} : index
      %id_{k} = tensor.extract {indices}[%i, %at_{k}] : tensor<{index_sizes}xi32>
      %place_{k} = arith.index_cast %id_{k} : i32 to index""" for k in range(places))
    if places == len(whole):
        at = ", ".join(f"%place_{k}" for k in range(places))
        body = f"""
      %update = tensor.extract {updates}[%i] : tensor<{update_sizes}xf32>
      %old = tensor.extract %so_far[{at}] : {type_}
      %sum = arith.addf %old, %update : f32
      %new = tensor.insert %sum into %so_far[{at}] : {type_}"""
    else:
        row = [1] * places + whole[places:]
        slice_type = "tensor<" + "x".join(map(str, row)) + "xf32>"
        at = ", ".join([f"%place_{k}" for k in range(places)] + ["0"] * (len(whole) - places))
        extent, ones = ", ".join(map(str, row)), ", ".join("1" for _ in row)
        from_at = ", ".join(["%i"] + ["0"] * (len(sizes) - 1))
        from_sizes, from_ones = ", ".join(map(str, [1, *sizes[1:]])), ", ".join("1" for _ in sizes)
        body = f"""
      %update = tensor.extract_slice {updates}[{from_at}] [{from_sizes}] [{from_ones}] : tensor<{update_sizes}xf32> to {slice_type}
      %old = tensor.extract_slice %so_far[{at}] [{extent}] [{ones}] : {type_} to {slice_type}
      %sum = arith.addf %old, %update : {slice_type}
      %new = tensor.insert_slice %sum into %so_far[{at}] [{extent}] [{ones}] : {slice_type} into {type_}"""
    unique = name[1:]
    return f"""%from_{unique} = arith.constant 0 : index
    %one_{unique} = arith.constant 1 : index
    %to_{unique} = arith.constant {count} : index
    {name} = scf.for %i = %from_{unique} to %to_{unique} step %one_{unique} iter_args(%so_far = {table}) -> ({type_}) {{{head}{body}
      scf.yield %new : {type_}
    }}"""


def signature(imported, state, batch) -> tuple[list[str], list[str]]:
    """Attributes of the arguments, in the order of JAX's leaves, and of the results."""
    import jax
    declared = {re.search(r'prec_train\.path = "([^"]*)"', attributes)[1]: attributes
                for attributes in re.findall(r"%arg\d+: tensor<[^>]*> \{(.*)\}", imported.mlir)}
    arguments = []
    for path, _ in jax.tree_util.tree_leaves_with_path((*state, *batch)):
        # [0]['params']['head']['kernel'], [1][1][0].mu['params']['head']['kernel'] and [1][1][0].count
        names = re.findall(r"[A-Za-z_]\w*", jax.tree_util.keystr(path))
        slot = names.pop(0) if names[0] in ("mu", "nu") else None
        name = ".".join([*names, slot] if slot else names)
        [found] = [text for path, text in declared.items() if path == name or name == "count" and path.endswith(".count")]
        arguments.append(found)
    count = len(jax.tree.leaves(state))
    results = [f"prec_train.role = #prec_train.role<updated>, prec_train.donated_to = {n} : i64" for n in range(count)]
    return arguments, [*results, "prec_train.role = #prec_train.role<loss>"]


def main(iree_opt: str) -> None:
    import jax
    import test_models

    import prec
    step, state, batch = test_models.llama(batch=2, length=32)
    lowered = jax.jit(step, keep_unused=True).lower(*state, *batch)
    text = lowered.compiler_ir("stablehlo").operation.get_asm(enable_debug_info=False)
    text = re.sub(r"chlo\.square (%\w+) : (\S+) -> \S+", r"stablehlo.multiply \1, \1 : \2", text)
    done = subprocess.run([iree_opt, "-", "--pass-pipeline=builtin.module(iree-stablehlo-input-transformation-pipeline,cse)"],
                          input=text, capture_output=True, text=True, check=True)
    text = SCATTER.sub(as_loop, done.stdout)
    arguments, results = signature(prec.import_jax(step, *state, *batch, verify=False), state, batch)
    head, given, made, body = re.fullmatch(r"(.*?)func\.func public @main\((.*?)\) -> \((.*?)\)[^\n]* \{\n(.*)", text, re.S).groups()
    maps = head.partition("module @")[0]
    types = re.findall(r"(%arg\d+): (tensor<[^>]*>)", given)
    given = ",\n      ".join(f"{name}: {type_} {{{a}}}" for (name, type_), a in zip(types, arguments, strict=True))
    made = ",\n      ".join(f"{type_} {{{a}}}" for type_, a in zip(re.findall(r"tensor<[^>]*>", made), results, strict=True))
    assert "iree" not in body
    head = f"{maps}module {{\n  func.func @step(\n      {given}\n  ) -> (\n      {made}\n  )"
    text = f'// Made by generate_jax.py.\n{head} attributes {{prec.entry = "step"}} {{\n{body}'
    Path(__file__).with_name("jax_llama.mlir").write_text(text)
    print(len(text))


if __name__ == "__main__":
    sys.path.append(str(Path(sys.prefix) / "jax"))
    main(sys.argv[1])
