# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps whose gradients a test can spoil: the gradient of the loss is multiplied by a batch input of its own."""
import re
import subprocess

import numpy as np
from first_step import import_step, inputs

import prec

GOOD, NAN, INFINITE = np.float32(1), np.float32("nan"), np.float32("inf")
STATE = ("parameter", "optimizer_state", "work_weight", "scale_state")
COUNTERS = ("loss_scale", "loss_scale_good_steps", "skipped_steps")


def poison(graph):
    """`graph` with the input. A product with 1 changes no bit."""
    argument = '%poison: tensor<f32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "poison"}'
    graph, arguments = re.subn(r"\n  \) -> \(\n", rf",\n      {argument}\n  ) -> (\n", graph, count=1)
    seed = re.search(r"\n( *)%\w+ = prec_train\.cross_entropy_grad (%\w+),", graph)
    line = seed[0].replace(f"cross_entropy_grad {seed[2]},", "cross_entropy_grad %spoiled,")
    product = f"\n{seed[1]}%spoiled = arith.mulf {seed[2]}, %poison {{prec_train.phase = #prec_train.phase<backward>}} : tensor<f32>"
    assert arguments == 1
    return graph.replace(seed[0], product + line)


class Poisoned:
    """Compiles and opens the poisoned step of a model."""

    def __init__(self, compiler, folder, build, **options):
        self.compiler, self.folder = compiler, folder
        _, imported = import_step(build, **options)
        imported.write(folder / "graph.mlir")
        imported.write_weights(folder / "weights.safetensors")
        (folder / "graph.mlir").write_text(poison((folder / "graph.mlir").read_text()))

    def compile(self, name, *options):
        path = self.folder / f"{name}.so"
        if not path.exists():
            subprocess.run([self.compiler, self.folder / "graph.mlir", *options, "-o", path], check=True)
        return path

    def open(self, *compiled):
        module = prec.Module(self.compile(*compiled))
        module.load(self.folder / "weights.safetensors")
        return module


def step(module, batch, poison=GOOD, **hyper):
    return module.step({**inputs(batch), "poison": poison}, **hyper)


def state(module, without=()):
    """The bytes of everything that a step keeps."""
    return {(b.role, b.name): module.get(b).tobytes() for b in module.bindings if b.role in STATE and b.name not in without}
