# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of every rank, layout and batch, of weights and of activations, in every recipe: what assignment gives a
format compiles, for
both targets, and on the CPU is NumPy's within what the format loses."""
import itertools
import subprocess

import numpy as np
import pytest
from safetensors.numpy import save_file

import prec

M, N, K = 32, 48, 64
BATCHES = [(), (1,), (1, 1), (2,), (1, 2)]
KINDS = ["activations", "weight left", "weight right", "weight left, reshaped", "weight right, reshaped", "frozen weight"]
# How far a product may be off, in parts of the largest of its result.
BOUNDS = {"fp32": 1e-5, "bf16": 0.02, "fp16": 0.004, "fp8-hybrid": 0.1, "fp8-e4m3": 0.1, "fp8-rowwise": 0.1, "fp8-block": 0.1, "mxfp8": 0.1,
          "nvfp4": 0.4, "torchao-tensorwise": 0.1}
ASSIGN = "--assign=head=in loss-scaling=none"
FP8_ON_SM90A = ["fp8-hybrid", "fp8-e4m3", "fp8-rowwise", "fp8-block", "torchao-tensorwise"]


def text(shape, element="f32"):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


class Product:
    """One of the step, and what it is made of."""

    def __init__(self, index, batch, transpose_a, transpose_b, kind):
        self.name, self.kind = f"p{index}", kind
        self.transpose_a, self.transpose_b = transpose_a, transpose_b
        self.lhs = batch + ((K, M) if transpose_a else (M, K))
        self.rhs = batch + ((N, K) if transpose_b else (K, N))
        self.result = batch + (M, N)

    def roles(self):
        weight = "frozen_parameter" if "frozen" in self.kind else "parameter"
        return [weight if side in self.kind or (side == "right" and "frozen" in self.kind) else "batch" for side in ("left", "right")]

    def _stored(self, shape, role):
        """A weight that is reshaped is kept as a matrix."""
        reshaped = "reshaped" in self.kind and role != "batch" and len(shape) > 2 and np.prod(shape[:-2]) == 1
        return shape[-2:] if reshaped else shape

    def arguments(self):
        return [(f"{self.name}.{side}", self._stored(shape, role), role)
                for side, shape, role in zip(("a", "b"), (self.lhs, self.rhs), self.roles())]

    def operations(self, names):
        lines, values = [], []
        for (path, stored, _), shape in zip(self.arguments(), (self.lhs, self.rhs)):
            values.append(f"%{names[path]}")
            if stored != shape:
                whole = [list(range(len(shape) - 1)), [len(shape) - 1]]
                lines.append(f"%{names[path]}_view = tensor.expand_shape %{names[path]} {whole} output_shape {list(shape)} : "
                             f"{text(stored)} into {text(shape)}")
                values[-1] += "_view"
        flags = ", ".join(flag for flag in ("transpose_a", "transpose_b") if getattr(self, flag))
        types = f"({text(self.lhs)}, {text(self.rhs)}) -> {text(self.result)}"
        lines.append(f"%{self.name} = prec_train.matmul {', '.join(values)} {{{flags}}} : {types}")
        dims = list(range(len(self.result)))
        # Weighted, so that no element may be another's.
        lines += [f"%{self.name}_w = prec_train.broadcast %weights dims {dims[-2:]} : ({text((M, N))}) -> {text(self.result)}",
                  f"%{self.name}_m = arith.mulf %{self.name}, %{self.name}_w : {text(self.result)}",
                  f"%{self.name}_s = prec_train.reduce sum %{self.name}_m dims {dims} : ({text(self.result)}) -> tensor<f32>"]
        return lines

    def expected(self, values, weights):
        a, b = (values[path].reshape(shape).astype(np.float64) for (path, _, _), shape in zip(self.arguments(), (self.lhs, self.rhs)))
        product = (a.swapaxes(-1, -2) if self.transpose_a else a) @ (b.swapaxes(-1, -2) if self.transpose_b else b)
        return product, np.sum(product * weights)


PRODUCTS = [Product(i, *of) for i, of in enumerate(itertools.product(BATCHES, (False, True), (False, True), KINDS))]


def make_step():
    arguments = [("weights", (M, N), "batch")] + [argument for product in PRODUCTS for argument in product.arguments()]
    names = {path: path.replace(".", "_") for path, _, _ in arguments}
    lines = [line for product in PRODUCTS for line in product.operations(names)]
    total = "%p0_s"
    for product in PRODUCTS[1:]:
        lines.append(f"%{product.name}_t = arith.addf {total}, %{product.name}_s : tensor<f32>")
        total = f"%{product.name}_t"
    heads = ", ".join(f'%{names[path]}: {text(shape)} {{prec_train.role = #prec_train.role<{role}>, prec_train.path = "{path}"}}'
                      for path, shape, role in arguments)
    results = ["tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = \"loss\"}"] + [
        f'tensor<f32> {{prec_train.role = #prec_train.role<metric>, prec_train.path = "{product.name}"}}' for product in PRODUCTS]
    returned = ", ".join([total] + [f"%{product.name}_s" for product in PRODUCTS])
    body = "\n  ".join(lines)
    return (f'func.func @step({heads}) -> ({", ".join(results)}) attributes {{prec.entry = "step"}} {{\n  '
            f"{body}\n  return {returned} : "
            f"{', '.join(['tensor<f32>'] * (len(PRODUCTS) + 1))}\n}}\n"), arguments


@pytest.fixture(scope="module")
def step(tmp_path_factory):
    folder = tmp_path_factory.mktemp("products")
    source, arguments = make_step()
    (folder / "step.mlir").write_text(source)
    random = np.random.default_rng(0)
    values = {path: random.standard_normal(shape).astype(np.float32) for path, shape, _ in arguments}
    save_file({path: values[path] for path, _, role in arguments if role != "batch"}, folder / "weights.safetensors")
    return folder, values, arguments


@pytest.mark.parametrize("recipe", BOUNDS)
def test_what_is_assigned_compiles(recipe, step, tool):
    folder, values, arguments = step
    subprocess.run([tool("prec-compile"), folder / "step.mlir", f"--recipe={recipe}", ASSIGN, "--target=cpu", "--dump-after=materialize",
                    "-o", folder / "step.so"], check=True)
    one_matrix = sum(product.result[:-2] in ((), (1,), (1, 1)) for product in PRODUCTS)
    scaled = (folder / "step.materialize.mlir").read_text().count("prec.scaled_matmul")
    assert scaled == (one_matrix if recipe not in ("fp32", "bf16", "fp16") else 0)
    with prec.Module(folder / "step.so") as module:
        module.load(folder / "weights.safetensors")
        result = module.step({path: values[path] for path, _, role in arguments if role == "batch"})
    for product in PRODUCTS:
        whole, expected = product.expected(values, values["weights"])
        # Errors of elements are as good as independent.
        allowed = BOUNDS[recipe] * np.abs(whole).max() * np.linalg.norm(np.broadcast_to(values["weights"], whole.shape))
        assert abs(result[product.name] - expected) <= allowed, (product.name, product.kind, product.lhs, product.rhs)


@pytest.mark.parametrize("recipe", FP8_ON_SM90A)
def test_what_is_assigned_for_a_gpu_compiles(recipe, step, tool):
    folder = step[0]
    subprocess.run([tool("prec-compile"), folder / "step.mlir", f"--recipe={recipe}", ASSIGN, "--target=sm_90a",
                    f"--kernel-cache={folder / 'kernels'}", "-o", folder / "gpu.so"], check=True)
