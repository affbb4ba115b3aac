# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What can be crossed in a step: tiny models, what of them is trained, by which optimizer, in which recipe, compiled
how."""
import json
import re
import subprocess
import warnings

import numpy as np
import torch
import torch.nn.functional as F
from optimizers import make
from torch import nn

import prec

VOCABULARY, WIDTH, HEADS, INNER = 48, 64, 2, 128

# Levels by factor. What a recipe, an option or an optimizer is called, where it is one.
FACTORS = {
    "model": ["llama", "gpt", "einsum"],
    "trained": ["all", "frozen", "lora"],
    "dropout": ["no", "yes"],
    "optimizer": ["adamw", "sgd", "momentum", "nesterov", "lion", "adafactor", "groups", "amsgrad", "nadam", "rmsprop", "adagrad", "muon",
                  "adam", "maximize", "radam", "adamax", "adadelta", "asgd", "rprop"],
    "clip": ["no", "yes"],
    "recipe": ["fp32", "bf16", "fp16", "fp8-hybrid", "delayed", "fp8-e4m3", "fp8-rowwise", "fp8-block", "mxfp8", "nvfp4", "torchao-tensorwise"],
    "target": ["cpu", "sm_90a"],
    "moments": ["f32", "dynamic8"],
    "masters": ["f32", "bf16", "stochastic", "precision-aware"],
    "accumulate": ["no", "labels", "equal"],
    "guard": ["yes", "no"],
    "resumed": ["no", "yes"],
    "padded": ["large", "no"],
    "loss": ["whole", "chunked"],
    "memory": ["any", "least"],
    "choose": ["recipe", "cost"],
    "loss_scaling": ["the recipe's", "static", "dynamic"],
    "layers": ["merged", "separate", "switchable"],
    "measured": ["no", "lost updates", "numerics"],
    "attention": ["library", "decomposed"],
    "transposed": ["kept", "made"],
    "head": ["out", "in"],
}


# What cannot be, and what says so: by name of the check, which is in one place of the compiler, and the message that it
# gives.
_NO_MATRIX_UNITS = ("assign_c3", r"but sm_90a has no .*; allow-fallback=true reads bf16 instead")
_NOTHING_TO_SWITCH = ("switch_precision_c1", "must have products in fp8 or fp4, but got none: compile it without --switchable")
_NO_GUARD = ("guard_updates_c1", "must have guarded updates, but the guard is left out: use another loss-scaling or guard updates")
_NO_MEAN = ("quantize_moments_c3", r"a state in 8 bits must be a running mean, but state [01] is none: moments=f32 keeps it")
REFUSALS = {
    **{frozenset({("optimizer", kind), ("moments", "dynamic8")}): _NO_MEAN for kind in ("adagrad", "adamax", "asgd", "rprop")},
    frozenset({("recipe", "mxfp8"), ("target", "sm_90a")}): _NO_MATRIX_UNITS,
    frozenset({("recipe", "nvfp4"), ("target", "sm_90a")}): _NO_MATRIX_UNITS,
    frozenset({("recipe", "fp32"), ("layers", "switchable")}): _NOTHING_TO_SWITCH,
    frozenset({("recipe", "bf16"), ("layers", "switchable")}): _NOTHING_TO_SWITCH,
    frozenset({("recipe", "fp16"), ("layers", "switchable")}): _NOTHING_TO_SWITCH,
    frozenset({("loss_scaling", "dynamic"), ("guard", "no")}): _NO_GUARD,
    frozenset({("recipe", "fp16"), ("loss_scaling", "the recipe's"), ("guard", "no")}): _NO_GUARD,
}
DEFAULTS = {name: levels[0] for name, levels in FACTORS.items()}


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


class Lora(nn.Module):
    """A linear layer that is frozen, beside one of low rank that is not."""

    def __init__(self, base):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a, self.b = nn.Linear(base.in_features, 4, bias=False), nn.Linear(4, base.out_features, bias=False)

    def forward(self, x):
        return self.base(x) + 2 * self.b(self.a(x))


class Einsum(nn.Module):
    """A projection to heads by a weight of three dimensions."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(WIDTH, HEADS, WIDTH // HEADS) / WIDTH**0.5)

    def forward(self, x):
        return torch.einsum("bsd,dhk->bshk", x, self.weight)


class Block(nn.Module):
    """Attention and a perceptron, each behind a norm: as Llama, as GPT-2 (biases), or with projections by einsum."""

    def __init__(self, kind, dropout):
        super().__init__()
        biases = kind == "gpt"
        self.norm1, self.norm2 = (nn.LayerNorm(WIDTH) if biases else Norm() for _ in range(2))
        self.q, self.k, self.v = (Einsum() if kind == "einsum" else nn.Linear(WIDTH, WIDTH, bias=biases) for _ in range(3))
        self.o = nn.Linear(WIDTH, WIDTH, bias=biases)
        self.up, self.down = nn.Linear(WIDTH, INNER, bias=biases), nn.Linear(INNER, WIDTH, bias=biases)
        self.gate = nn.Linear(WIDTH, INNER, bias=False) if kind == "llama" else None
        self.dropout = dropout

    def forward(self, x):
        h = self.norm1(x)
        q, k, v = (layer(h).view(*h.shape[:2], HEADS, -1).transpose(1, 2) for layer in (self.q, self.k, self.v))
        h = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(x.shape)
        x = x + F.dropout(self.o(h), self.dropout, self.training)
        h = self.norm2(x)
        h = F.silu(self.gate(h)) * self.up(h) if self.gate else F.gelu(self.up(h))
        return x + F.dropout(self.down(h), self.dropout, self.training)


class Model(nn.Module):
    def __init__(self, kind, dropout):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        nn.init.normal_(self.embedding.weight, std=0.1)
        self.block = Block(kind, dropout)
        self.norm = nn.LayerNorm(WIDTH) if kind == "gpt" else Norm()
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        if kind == "gpt":
            self.head.weight = self.embedding.weight

    def forward(self, ids, labels):
        logits = self.head(self.norm(self.block(self.embedding(ids))))
        return F.cross_entropy(logits.flatten(0, 1), labels.flatten())


def batch_size(row):
    """Einsum's models have the batch of one."""
    return 1 if row["model"] == "einsum" else 2


def _groups(parameters):
    parameters = list(parameters)
    return torch.optim.AdamW([{"params": parameters[::2]}, {"params": parameters[1::2], "lr": 2e-3, "weight_decay": 0.0}], lr=4e-3)


def _muon(parameters):
    """Of adapters and biases alone there may be no other parameters, or none of its own."""
    parameters = list(parameters)
    matrices, others = ([p for p in parameters if (p.dim() == 2) == kind] for kind in (True, False))
    return [make(kind, **options)(held) for kind, options, held in ((torch.optim.Muon, dict(lr=1e-2), matrices),
                                                                    (torch.optim.AdamW, dict(lr=4e-3), others)) if held]


def _make_optimizer(row, parameters):
    import lion_pytorch
    return {"adamw": make(torch.optim.AdamW, lr=4e-3, weight_decay=0.01),
            "sgd": make(torch.optim.SGD, lr=0.2),
            "momentum": make(torch.optim.SGD, lr=0.1, momentum=0.9),
            "nesterov": make(torch.optim.SGD, lr=0.1, momentum=0.9, nesterov=True),
            "lion": make(lion_pytorch.Lion, lr=1e-3, weight_decay=0.1),
            "adafactor": make(torch.optim.Adafactor, lr=0.02),
            "amsgrad": make(torch.optim.Adam, lr=4e-3, weight_decay=0.01, amsgrad=True),
            "nadam": make(torch.optim.NAdam, lr=4e-3),
            "rmsprop": make(torch.optim.RMSprop, lr=1e-3, eps=1e-4, momentum=0.5, centered=True),
            "adagrad": make(torch.optim.Adagrad, lr=2e-2),
            "adam": make(torch.optim.Adam, lr=4e-3, weight_decay=0.01),
            "maximize": lambda parameters: torch.optim.AdamW(parameters, lr=4e-3, maximize=True),
            "radam": make(torch.optim.RAdam, lr=4e-3),
            "adamax": make(torch.optim.Adamax, lr=4e-3),
            "adadelta": make(torch.optim.Adadelta, lr=1.0),
            "asgd": make(torch.optim.ASGD, lr=0.2),
            "rprop": make(torch.optim.Rprop, lr=1e-3),
            "muon": _muon,
            "groups": _groups}[row["optimizer"]](parameters)


def import_row(row):
    """The step of a row, as a graph that every recipe takes."""
    torch.manual_seed(0)
    model = Model(row["model"], 0.1 if row["dropout"] == "yes" else 0.0)
    if row["trained"] == "frozen":
        for part in (model.block.up, model.block.norm1, model.block.v, model.embedding):
            part.requires_grad_(False)
    elif row["trained"] == "lora":
        model.requires_grad_(False)
        for name in ("o", "up", "down"):
            setattr(model.block, name, Lora(getattr(model.block, name)))
    ids = torch.zeros(batch_size(row), 32 // batch_size(row), dtype=torch.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        optimizer = _make_optimizer(row, [p for p in model.parameters() if p.requires_grad])
        return prec.import_torch(model, optimizer, {"ids": ids, "labels": ids},
                                 clip_grad_norm=1.0 if row["clip"] == "yes" else None, verify=False)


def import_key(row):
    return tuple(row[name] for name in ("model", "trained", "dropout", "optimizer", "clip"))


def compile_options(row, units, least_memory=None):
    """Of prec-compile. `units` is a file of the target's speeds; with `memory` least, `least_memory` is the limit in
    bytes."""
    delayed = row["recipe"] == "delayed"
    assign = ["tensor-scaling=delayed"] if delayed else []
    if row["masters"] != "f32":
        assign.append("master-dtype=bf16")
        if row["masters"] != "bf16":
            assign.append(f"master-rounding={row['masters'].replace('-', '_')}")
    assign += {"f32": [], "dynamic8": ["moments=dynamic8"]}[row["moments"]]
    assign += {"the recipe's": [], "static": ["loss-scaling=1024"], "dynamic": ["loss-scaling=dynamic"]}[row["loss_scaling"]]
    assign += {"recipe": [], "cost": ["choose=cost", f"target-costs={units}"]}[row["choose"]]
    if row["head"] == "in":
        assign.append("head=in")
    options = [f"--recipe={'fp8-hybrid' if delayed else row['recipe']}", f"--target={row['target']}", f"--assign={' '.join(assign)}"]
    options += {"no": [], "labels": ["--accumulate"], "equal": ["--accumulate", "--micro-batch-weights=equal"]}[row["accumulate"]]
    options += ["--guard-updates=false"] if row["guard"] == "no" else []
    options += ["--chunk-loss=2KiB"] if row["loss"] == "chunked" else []
    options += {"merged": [], "separate": ["--merge-contractions=off"], "switchable": ["--switchable"]}[row["layers"]]
    options += {"no": [], "lost updates": ["--count-lost-updates"], "numerics": ["--collect-numerics"]}[row["measured"]]
    options += ["--pad-products=false"] if row["padded"] == "no" else []
    options += ["--decompose-attention"] if row["attention"] == "decomposed" else []
    options += ["--keep-transposed-weights=false"] if row["transposed"] == "made" else []
    options += [f"--max-memory={least_memory}"] if least_memory else []
    return options


BATCHES = [torch.randint(0, VOCABULARY, (2, 16), generator=torch.Generator().manual_seed(seed)) for seed in (0, 1)] * 3
# By how much losses of six steps may be off FP32's, and the cosine of what was learned below 1: about twice the worst
# of the table. Delayed scaling begins with a scale for gradients of means over more tokens than the 32 here
# (docs/Scaling.md): its first steps saturate.
BOUNDS = {"fp32": (0.02, 0.05), "bf16": (0.03, 0.2), "fp16": (0.03, 0.2), "fp8-hybrid": (0.1, 0.3), "delayed": (0.9, 0.3), "fp8-e4m3": (0.1, 0.3),
          "fp8-rowwise": (0.1, 0.3), "fp8-block": (0.1, 0.3), "mxfp8": (0.1, 0.3), "nvfp4": (0.7, 0.4), "torchao-tensorwise": (0.1, 0.3)}


def _units(target):
    """Speeds of a device whose matrix units decide even in tiny steps: what is narrower is chosen."""
    speeds = {"f32": 1e9, "bf16": 2e9, "f16": 2e9, "fp8": 4e9, "fp4": 8e9}
    def number(value):
        return {"value": value, "source": "made up"}
    return {"version": 1, "name": target, "device": "slow units", "bytes_per_second": number(4e12), "launch_us": number(0.1),
            "flops_per_second": {name: number(value) for name, value in speeds.items()}}


class Crossing:
    """Imports and compiles rows in a folder, each graph and its FP32 module once."""

    def __init__(self, tool, folder):
        self.tool, self.folder, self.graphs, self.exact = tool, folder, {}, {}
        self.cache = f"--kernel-cache={folder / 'kernels'}"
        for target in FACTORS["target"]:
            (folder / f"{target}.json").write_text(json.dumps(_units(target)))

    def _graph(self, row):
        key = import_key(row)
        if key not in self.graphs:
            path = self.folder / "-".join(key)
            imported = import_row(row)
            imported.write(path.with_suffix(".mlir"))
            imported.write_weights(path.with_suffix(".safetensors"))
            self.graphs[key] = path
        return self.graphs[key]

    def _compile(self, row, options):
        """What prec-compile returns, and the module."""
        graph = self._graph(row).with_suffix(".mlir")
        module = self.folder / "step.so"
        command = [self.tool("prec-compile"), graph, *options, self.cache, "-o", module]
        return subprocess.run(command, capture_output=True, text=True), module

    def _options(self, row, least_memory=None):
        return compile_options(row, self.folder / f"{row['target']}.json", least_memory)

    def compile(self, row):
        """The step module of a row and what the compiler said. Raises Refused."""
        least = None
        if row["memory"] == "least":
            # The error of a limit of nothing says what can be had.
            said = self._compile(row, self._options(row, least_memory=1))[0].stderr
            found = re.search(r"max-memory must be at least ([\d.]+) ([KM])iB", said)
            if not found:
                raise Refused(said)
            least = int((float(found[1]) + 0.005) * {"K": 2**10, "M": 2**20}[found[2]]) + 1
        done, module = self._compile(row, self._options(row, least))
        if done.returncode != 0:
            raise Refused(done.stderr)
        return module

    def open(self, row, path):
        module = prec.Module(path)
        module.load(self._graph(row).with_suffix(".safetensors"))
        return module

    def learn(self, row, module):
        """Losses of a few steps, and by parameter what its weights gained."""
        before, losses = weights(module), []
        for number, batch in enumerate(BATCHES):
            if row["resumed"] == "yes" and number == len(BATCHES) // 2:
                # In the same module, from which everything goes first.
                module.save_checkpoint(self.folder / "checkpoint")
                module.load(self._graph(row).with_suffix(".safetensors"))
                module.load(self.folder / "checkpoint")
            ids = batch.reshape(batch_size(row), -1)
            inputs = {"ids": ids, "labels": ids.roll(-1, 1)}
            if row["accumulate"] == "no" or row["target"] != "cpu":
                result = module.step(inputs)
                losses.append(result["loss"])
            else:
                losses.append(module.accumulate(inputs)["loss"])
                result = module.apply()
            assert result["finite"] and not result.get("skipped")
        return losses, {name: value - before[name] for name, value in weights(module).items()}

    def learn_exactly(self, row):
        """The same of the row's step in FP32, compiled as it comes."""
        key = import_key(row)
        if key not in self.exact:
            done, path = self._compile(row, ["--recipe=fp32", "--target=cpu"])
            assert done.returncode == 0, done.stderr
            with self.open(row, path) as module:
                self.exact[key] = self.learn(row | {"accumulate": "no"}, module)
        return self.exact[key]


class Refused(Exception):
    """What the compiler says."""


def weights(module):
    """Those that can be read, in f32: of some frozen ones there are copies alone."""
    return {name: np.asarray(value, np.float32) for name, value in module.weights().items()}


def far_off(row, crossing, path):
    """By how much a row's losses are off, and its learning turned from FP32's: the largest of all."""
    with crossing.open(row, path) as module:
        losses, gains = crossing.learn(row, module)
        frozen = [b.name for b in module.bindings if b.role == "frozen_parameter"]
    exact, exact_gains = crossing.learn_exactly(row)
    for name in frozen:
        assert not gains[name].any(), f"{name} is frozen"
    both = [name for name, gain in exact_gains.items() if gain.any()]
    ours, theirs = (np.concatenate([of[name].ravel() for name in both]).astype(np.float64) for of in (gains, exact_gains))
    return max(abs(a - b) for a, b in zip(losses, exact)), 1 - ours @ theirs / (np.linalg.norm(ours) * np.linalg.norm(theirs))
