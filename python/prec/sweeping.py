# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prec-bench run --model: measures the layers of a model by its sizes, split over GPUs, for many numbers of tokens.

Of each component of a config (a language model, an image encoder) one layer of the sizes that one GPU has under tensor
parallelism becomes a training step, which is measured as any graph is (prec.tuning, prec-bench run). The times of a
module, forward and backward, are then those of its products and of the quantizations of what they read, each tensor
once: what prec-bench merge makes thresholds of tokens of. The report has the times of products and quantizations, too.

Experts are a block without a router: each of the experts of one GPU of `ep` has as many rows, tokens times the experts
that a token goes to in all. Their products are commands of the report, found by signature. With ep=8, 1024 tokens that
each go to 8 of 128 experts are 8192 rows of 16 experts.
"""
from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from .errors import CompileFailure, Error
from .tools import more_options, run_tool

if TYPE_CHECKING:
    import torch

# Tokens of a row: attention, which is no module, stays small.
_ROW = 512
# What a precision map calls a module; the graph is of one GPU and knows no tp.
_KEY = re.compile(r"(?P<kind>\w+)/(?P<name>\w+) tp=1")
_GROUPED_KEY = re.compile(r"(?P<kind>\w+_grouped) etp=1 num_gemms=(?P<experts>\d+)")
# The signature of a command that multiplies groups of rows, such as
# "grouped_gemm bf16[64, 32] bf16[4, 16, 32] i32[4] > bf16[64, 16] nt": operands, result, order, accumulator of FP8.
_GROUPED = re.compile(r"grouped_gemm (\w+)\[(.+?)\] (\w+)\[.+?\] .*> (\w+)\[(.+?)\] (nn|nt)(?: (\w+))?")
_FORMATS = {"f8E4M3FN": "e4m3", "f8E5M2": "e5m2"}


# How many experts a layer has.
_EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts")

# By what was measured: microseconds and noise.
Times = dict[tuple[Any, ...], tuple[float, float]]


@dataclass(frozen=True)
class Experts:
    """Of one layer on one GPU."""
    count: int
    top_k: int
    hidden: int


@dataclass(frozen=True)
class Sizes:
    """Of one layer on one GPU; `hidden` is 0 where all of its feed-forward layers are experts."""
    component: str
    width: int
    heads: int
    kv_heads: int
    head: int
    hidden: int
    gated: bool
    experts: Experts | None = None

    def split(self, tp: int, ep: int = 1) -> Sizes:
        """The part that one of `tp` GPUs has, heads and hidden columns, at least one head of keys, and of `ep` whole
        experts."""
        experts = self.experts
        if experts:
            if experts.count % ep:
                raise CompileFailure(f"experts must be divisible by ep={ep}, but {self.component} has {experts.count}")
            if experts.count // ep < 2:
                raise CompileFailure(f"a GPU must have two experts or more, but with ep={ep} of {experts.count} {self.component} has one: "
                                     "that is a layer without experts")
            experts = Experts(experts.count // ep, experts.top_k, experts.hidden)
        for what, size in (("attention heads", self.heads), ("columns of the feed-forward layer", self.hidden)):
            if size % tp:
                raise CompileFailure(f"{what} must be divisible by tp={tp}, but {self.component} has {size}")
        return Sizes(self.component, self.width, self.heads // tp, max(1, self.kv_heads // tp), self.head, self.hidden // tp, self.gated,
                     experts)


def read_sizes(config: dict[str, Any]) -> list[Sizes]:
    """The components of a Hugging Face config: `llm`, and `vit` where it has a vision_config."""
    parts = [("llm", config.get("text_config", config))]
    if "vision_config" in config:
        parts.append(("vit", config["vision_config"]))
    return [_component(name, part) for name, part in parts]


def _component(name: str, part: dict[str, Any]) -> Sizes:
    def size(*keys: str, otherwise: int | None = None) -> int:
        value = next((part[key] for key in keys if part.get(key)), otherwise)
        if not isinstance(value, int) or value < 1:
            raise CompileFailure(f"the config of {name} must have a number of one of {', '.join(keys)}, but has {value}")
        return value
    width = size("hidden_size", "n_embd", "d_model", "embed_dim")
    heads = size("num_attention_heads", "n_head", "num_heads")
    hidden = size("intermediate_size", "n_inner", "ffn_dim", otherwise=int(part["mlp_ratio"] * width) if "mlp_ratio" in part else 4 * width)
    experts = None
    if any(part.get(key) for key in _EXPERTS):
        inner = size("moe_intermediate_size", "intermediate_size")
        experts = Experts(size(*_EXPERTS), size("num_experts_per_tok", "experts_per_token", "top_k", "moe_topk"), inner)
        if experts.top_k > experts.count:
            raise CompileFailure(f"tokens of {name} must go to at most {experts.count} experts, but go to {experts.top_k}")
        # Experts that every token goes to are a layer without experts.
        shared = max(part.get(key) or 0 for key in ("n_shared_experts", "num_shared_experts"))
        hidden = part.get("shared_expert_intermediate_size") or shared * inner
    act = part.get("hidden_act") or part.get("hidden_activation") or part.get("activation_function") or "silu"
    return Sizes(name, width, heads, size("num_key_value_heads", otherwise=heads), size("head_dim", otherwise=width // heads), hidden,
                 "silu" in act or "swi" in act, experts)


def layer_step(sizes: Sizes, tokens: int) -> tuple[torch.nn.Module, torch.optim.Optimizer, dict[str, torch.Tensor]]:
    """A training step of one layer: model, optimizer, batch."""
    import torch
    import torch.nn.functional as F
    from torch import nn
    experts = sizes.experts

    class Layer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            inner, kv = sizes.heads * sizes.head, sizes.kv_heads * sizes.head
            self.norm1, self.norm2, self.norm3 = (nn.RMSNorm(sizes.width) for _ in range(3))
            # What feeds the loss directly is a head, whose formats a recipe keeps: no module.
            self.head = nn.Linear(sizes.width, 16, bias=False)
            self.q, self.k, self.v = (nn.Linear(sizes.width, n, bias=False) for n in (inner, kv, kv))
            self.out = nn.Linear(inner, sizes.width, bias=False)
            if sizes.hidden:
                self.up, self.down = nn.Linear(sizes.width, sizes.hidden, bias=False), nn.Linear(sizes.hidden, sizes.width, bias=False)
                self.gate = nn.Linear(sizes.width, sizes.hidden, bias=False) if sizes.gated else None
            if experts:
                into = experts.hidden * (2 if sizes.gated else 1)
                self.experts_up = nn.Parameter(torch.empty(experts.count, into, sizes.width))
                self.experts_down = nn.Parameter(torch.empty(experts.count, sizes.width, experts.hidden))

        def dense(self, y: torch.Tensor) -> torch.Tensor:
            hidden = F.silu(self.gate(y)) * self.up(y) if self.gate else F.gelu(self.up(y))
            result: torch.Tensor = self.down(hidden)
            return result

        def grouped(self, y: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
            """Of rows as if they were sorted by expert."""
            assert experts
            rows = y.flatten(0, 1).repeat(experts.top_k, 1)
            hidden = torch._grouped_mm(rows, self.experts_up.mT, offs=ends)
            if sizes.gated:
                gate, up = hidden.chunk(2, -1)
                hidden = F.silu(gate) * up
            else:
                hidden = F.gelu(hidden)
            return torch._grouped_mm(hidden, self.experts_down.mT, offs=ends).view(experts.top_k, *y.shape).sum(0)

        def forward(self, x: torch.Tensor, ends: torch.Tensor | None = None) -> torch.Tensor:
            y = self.norm1(x)
            q, k, v = (layer(y).unflatten(-1, (-1, sizes.head)).transpose(1, 2) for layer in (self.q, self.k, self.v))
            attended = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=sizes.heads != sizes.kv_heads)
            x = x + self.out(attended.transpose(1, 2).flatten(2))
            y = self.norm2(x)
            if sizes.hidden:
                x = x + self.dense(y)
            if ends is not None:
                x = x + self.grouped(y, ends)
            return self.head(self.norm3(x)).square().mean()
    from .torch import weightless

    with weightless():
        model = Layer()
    row = min(tokens, _ROW)
    batch = {"x": torch.zeros(tokens // row, row, sizes.width)}
    if experts:
        batch["ends"] = torch.zeros(experts.count, dtype=torch.int32)
    return model, torch.optim.AdamW(model.parameters(), lr=1e-3), batch


def module_times(report: dict[str, Any], precision_map: dict[str, Any], model: str, tp: int, tokens: int) -> Iterator[dict[str, Any]]:
    """What modules, split over `tp` GPUs, take forward and backward, in bf16 and in FP8: products, and quantizations of
    what they read. None of a module with a part that was not measured."""
    products: Times = {(e["direction"], e["m"], e["n"], e["k"], e["lhs"], e["rhs"], e["result"], e["scaling"], e["accumulator"]): _time(e)
                       for e in report["contractions"] if e.get("batch", 1) == 1}
    for entry in report.get("commands", ()):
        if parts := _GROUPED.fullmatch(entry["command"]):
            products[_grouped_key(*parts.groups())] = _time(entry)
    casts: Times = {(e["rows"], e["columns"], e["from"], e["to"], e["scaling"], e["layouts"]): _time(e) for e in report["quantizations"]}
    step = next(f for f in precision_map["functions"] if f["function"] == "step")
    values = {r["value"]: r for op in step["operations"] for r in op["results"]} | {a["value"]: a for a in step["arguments"]}
    modules: dict[str, list[dict[str, Any]]] = {}
    for op in step["operations"]:
        if op.get("module"):
            modules.setdefault(op["module"], []).append(op)
    for key, operations in modules.items():
        if name := _KEY.fullmatch(key):
            module = {"kind": name["kind"], "ub_name": name["name"], "tp": tp}
        elif name := _GROUPED_KEY.fullmatch(key):
            module = {"kind": name["kind"], "etp": 1, "num_gemms": int(name["experts"])}
        else:
            continue
        # Tokens of experts are rows of all of them.
        count = tokens if "tp" in module else next(op["mnk"][0] for op in operations if op["direction"] == "fprop")
        for precision in ("bf16", "fp8"):
            time = _module_time(operations, values, products, casts, precision)
            if time is not None:
                yield {"machine": report["machines"][0]["id"], **module, **({"model": model} if model else {}), "tokens": count,
                       "precision": precision, "us": round(time[0], 3), "noise_us": round(time[1], 3)}


def _grouped_key(lhs: str, rows: str, rhs: str, result: str, shape: str, order: str, accumulator: str | None) -> tuple[Any, ...]:
    """Of a product of groups: of a gradient the matrices that come out, of others rows, columns and what is
    contracted."""
    sizes = tuple(map(int, shape.split(", ")))
    contracted = (int(rows.split(", ")[1]),) if len(sizes) == 2 else ()
    # FP8 operands always lie along what is contracted.
    return (*sizes, *contracted, _FORMATS.get(lhs, lhs), _FORMATS.get(rhs, rhs), result, accumulator or order)


def _time(entry: dict[str, Any]) -> tuple[float, float]:
    return entry["us"], entry.get("noise_us", 0.0)


def _is_fp8(candidate: dict[str, Any]) -> bool:
    return all(read["format"] in ("e4m3", "e5m2") for read in candidate["reads"])


def _module_time(operations: Sequence[dict[str, Any]], values: dict[int, dict[str, Any]], products: Times, casts: Times,
                 precision: str) -> tuple[float, float] | None:
    """Microseconds, and noise: errors of medians are independent."""
    parts = []
    copies: dict[tuple[Any, ...], set[str]] = {}
    for op in operations:
        wanted = [c for c in op["choice"]["candidates"] if _is_fp8(c) == (precision == "fp8") and c["veto"] == "none"]
        if not wanted:
            return None
        m, n, k = op["mnk"]
        lhs, rhs = wanted[0]["reads"]
        experts, direction = _experts(op), op["direction"]
        formats = lhs["format"], rhs["format"], wanted[0]["result"]
        if experts:
            if precision == "fp8" and not lhs["scaling"].startswith("tensor_"):
                return None
            order = {"fprop": "nt", "dgrad": "nn", "wgrad": "nn"}[direction] if precision == "bf16" else lhs["accumulator"]
            parts.append(products.get((*((experts, m, n) if direction == "wgrad" else (m, n, k)), *formats, order)))
        else:
            parts.append(products.get((direction, m, n, k, *formats, lhs["scaling"], lhs["accumulator"])))
        if precision == "bf16":
            continue
        # Each operand as it lies, by what it is to its product: tokens or columns of a weight first.
        matrices = max(experts, 1)
        lies = {"fprop": ((m, k), (matrices * n, k)), "dgrad": ((m, k), (matrices * k, n)), "wgrad": ((k, m), (k, n))}[direction]
        for read, operand, (rows, columns) in zip(op["reads"], wanted[0]["reads"], lies, strict=True):
            # One scale of each expert is one of several rows.
            scaling = "row" if experts else operand["scaling"]
            copy = (read["value"], rows, columns, values[read["value"]]["format"], operand["format"], scaling)
            copies.setdefault(copy, set()).add(direction)
    for (_, *kind), directions in copies.items():
        # In one direction as the tensor lies, in another transposed.
        parts.append(_cast_time(casts, *kind, "both" if len(directions) > 1 else "rows"))
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return sum(us for us, _ in known), math.sqrt(sum(noise ** 2 for _, noise in known))


def _experts(op: dict[str, Any]) -> int:
    """How many experts its module has; 0 without any."""
    key = _GROUPED_KEY.fullmatch(op["module"])
    return int(key["experts"]) if key else 0


def _cast_time(casts: Times, rows: int, columns: int, *kind: str) -> tuple[float, float] | None:
    """As measured, or by the number of elements as the nearest of its kind: that of merged layers is measured whole."""
    if (found := casts.get((rows, columns, *kind))) is not None:
        return found
    sizes = {key[0] * key[1]: time for key, time in casts.items() if key[2:] == kind}
    nearest = min(sizes, key=lambda size: abs(math.log(size / (rows * columns))), default=None)
    if nearest is None:
        return None
    share = rows * columns / nearest
    return sizes[nearest][0] * share, sizes[nearest][1] * share


def _unmeasured(modules: Sequence[dict[str, Any]], recipe: str, target: str, known: Sequence[str]) -> list[str]:
    """A note where experts have times in BF16 alone."""
    fp8 = {module["kind"] for module in modules if module["precision"] == "fp8"}
    missing = sorted({module["kind"] for module in modules if "num_gemms" in module} - fp8)
    note = f"experts ({', '.join(missing)}) are measured in bf16 alone: {recipe} has no products of experts for {target} with a scale of each"
    return [note] if missing and note not in known else []


def sweep(config: dict[str, Any], output: str | Path, *, tps: Sequence[int] = (1,), eps: Sequence[int] = (1,), tokens: Sequence[int] = (1024,),
          target: str = "cpu", recipe: str = "fp8-hybrid", assign: str = "", budget: float = 20.0, interval: float = 0.01, run: Sequence[str] = (),
          compile: Sequence[str] = ()) -> dict[str, Any]:
    """Measures the layers of a Hugging Face config for each size of tensor parallelism, their experts for each of
    expert parallelism, and each number of tokens, and writes one report of all. A size that does not fit ends the sweep
    of its component with a note in `details.notes`. Raises CompileFailure where nothing could be measured."""
    from .torch import import_torch

    reports: list[dict[str, Any]] = []
    notes: list[str] = []
    language = config.get("text_config", config)
    if language.get("first_k_dense_replace") or language.get("mlp_only_layers") or (language.get("decoder_sparse_step") or 1) > 1:
        notes.append("layers without experts, which some are between those with experts, are not measured")
    with tempfile.TemporaryDirectory(prefix="prec-sweep-") as scratch:
        folder = Path(scratch)
        for sizes in read_sizes(config):
            # Only experts depend on ep, and only the rest on tp.
            splits = [(tp, eps[0]) for tp in tps] + [(tps[0], ep) for ep in eps[1:] if sizes.experts]
            for tp, ep in splits:
                split = sizes.split(tp, ep)
                for count in sorted(tokens):
                    where = f"{sizes.component} tp={tp}{f' ep={ep}' if sizes.experts else ''}, {count} tokens"
                    try:
                        step = import_torch(*layer_step(split, count), verify=False)
                        step.write(folder / "graph.mlir")
                        reports.append(_measure(folder, sizes.component, tp, count, target, recipe, assign, budget, interval, run, compile))
                    except CompileFailure as error:
                        if not reports or "memory" not in str(error):
                            raise
                        notes.append(f"{where} ends the sweep: {error}")
                        break
                    notes += _unmeasured(reports[-1]["modules"], recipe, target, notes)
                    print(f"{where}: {len(reports[-1]['contractions'])} products", file=sys.stderr)
    merged = _merge(reports, notes)
    Path(output).write_text(json.dumps(merged, indent=1) + "\n")
    return merged


def _measure(folder: Path, component: str, tp: int, tokens: int, target: str, recipe: str, assign: str, budget: float, interval: float,
             run: Sequence[str], compile: Sequence[str]) -> dict[str, Any]:
    graph, module, report = folder / "graph.mlir", folder / "bench.so", folder / "report.json"
    words = [str(graph), f"--bench=bf16,{recipe}", f"--target={target}", *([f"--assign={assign}"] if assign else []), *compile]
    run_tool("prec-compile", [*words, *more_options("prec-compile", words), "-o", module])
    given = [str(module), "--bench", str(report), "--budget", str(budget), "--interval", str(interval), *run]
    run_tool("prec-run", [*given, *more_options("prec-run", given)])
    options = f"recipe={recipe} target={target} map-file={folder / 'map.json'} {assign}"
    run_tool("prec-opt", [graph, "--prec-raise-composites", f"--assign-precision={options}", "-o", folder / "tagged.mlir"])
    found: dict[str, Any] = json.loads(report.read_text())
    found["modules"] = list(module_times(found, json.loads((folder / "map.json").read_text()), component, tp, tokens))
    return found


def _merge(reports: Sequence[dict[str, Any]], notes: Sequence[str]) -> dict[str, Any]:
    """One report of all; what several measured is that of the first."""
    if any(report["machines"] != reports[0]["machines"] for report in reports):
        raise CompileFailure("all sizes must be measured on one machine with one set of libraries, but are of several")
    merged: dict[str, Any] = {"version": 2, "machines": reports[0]["machines"]}
    for kind in ("contractions", "quantizations", "modules", "commands"):
        entries: dict[str, Any] = {}
        for report in reports:
            for entry in report[kind]:
                entries.setdefault(json.dumps({key: value for key, value in entry.items() if key not in ("us", "noise_us")}), entry)
        merged[kind] = list(entries.values())
    seconds = sum(report["details"]["seconds"] for report in reports)
    return merged | {"details": {"producer": "prec-bench run --model", "notes": list(notes), "seconds": seconds}}


def parse_counts(text: str) -> list[int]:
    """"1,2,4", or "512..4096" for 512, 1024, 2048, 4096."""
    counts = []
    for part in text.split(","):
        first, dots, last = part.partition("..")
        if not first.isdigit() or int(first) < 1 or (dots and (not last.isdigit() or int(last) < int(first))):
            raise argparse.ArgumentTypeError(f"must be numbers such as 1,2,4 or a range such as 512..4096, but got '{text}'")
        count = int(first)
        while count <= (int(last) if dots else int(first)):
            counts.append(count)
            count *= 2
    return counts


def parse_tokens(text: str) -> list[int]:
    """The same, and shapes as LoongForge's sweep has them: "4096x2" are two sequences of 4096 tokens. Each number
    once."""
    counts = []
    for part in text.split(","):
        shape = re.fullmatch(r"(\d+)x(\d+)", part)
        counts += parse_counts(str(int(shape[1]) * int(shape[2])) if shape else part)
    return sorted(set(counts))


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"prec-bench: error: {message}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """prec-bench run --model, with the words behind `run`; exit code 2 and a line on stderr where it fails."""
    parser = _Parser(prog="prec-bench run", description="Measures the layers of a model by its sizes.")
    parser.add_argument("--model", type=Path, required=True, metavar="CONFIG", help="a Hugging Face config.json")
    parser.add_argument("--tp", type=parse_counts, default=[1], help="sizes of tensor parallelism, such as 1,2,4 (1)")
    parser.add_argument("--ep", type=parse_counts, default=[1], help="sizes of expert parallelism, which divide the experts (1)")
    parser.add_argument("--tokens", type=parse_tokens, default=[1024], help="tokens of a step, such as 512..65536 or 4096x2 (1024)")
    parser.add_argument("--recipe", default="fp8-hybrid")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--assign", default="")
    parser.add_argument("--budget", type=float, default=20.0, help="seconds for each number of tokens (20)")
    parser.add_argument("--interval", type=float, default=0.01)
    parser.add_argument("--threads")
    parser.add_argument("--cuda-libraries", nargs="+", default=[])
    parser.add_argument("-o", "--output", type=Path, default=Path("report.json"))
    arguments = parser.parse_args(argv)
    run = ["--threads", arguments.threads] if arguments.threads else []
    if arguments.cuda_libraries:
        run += ["--cuda-libraries", *arguments.cuda_libraries]
    try:
        config = json.loads(arguments.model.read_text())
        if not isinstance(config, dict):
            raise CompileFailure(f"--model must be a config of a model, but {arguments.model} is none")
        report = sweep(config, arguments.output, tps=arguments.tp, eps=arguments.ep, tokens=arguments.tokens,
                       target=arguments.target, recipe=arguments.recipe, assign=arguments.assign,
                       budget=arguments.budget, interval=arguments.interval, run=run)
    except (Error, OSError, ValueError) as error:
        print(f"prec-bench: error: {error}", file=sys.stderr)
        return 2
    for note in report["details"]["notes"]:
        print(f"note: {note}", file=sys.stderr)
    counts = ", ".join(f"{len(report[kind])} {name}" for kind, name in (("contractions", "products"), ("quantizations",) * 2, ("modules",) * 2))
    print(f"{arguments.output}: {counts}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[2:] if sys.argv[1:2] == ["run"] else None))
