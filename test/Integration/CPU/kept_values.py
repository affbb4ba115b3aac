# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Step modules that keep what every command reads and writes, and a step's values by command."""
import copy
import json
import math
import pathlib
import subprocess

from module_hash import stamp_file

import prec

SIZE = {"f32": 4, "bf16": 2, "f16": 2, "f8E4M3FN": 1, "f8E5M2": 1, "f8E8M0FNU": 1, "i1": 1, "i8": 1, "i32": 4, "i64": 8}
OPERANDS = {"kernel": {"args"}, "gemm": {"a", "b", "c", "d", "scale_a", "scale_b", "tensor_scale_a", "tensor_scale_b", "bias"},
            "sdpa_forward": {"q", "k", "v", "o", "lse", "bias"},
            "sdpa_backward": {"q", "k", "v", "o", "lse", "do", "dq", "dk", "dv", "bias"},
            "copy": {"src", "dst"}, "fill": {"dst"}, "conv": {"x", "w", "y"}, "call": {"inputs", "results"},
            "grouped_gemm": {"a", "b", "d", "ends", "scale_a", "scale_b"},
            "all_gather": {"a", "d"}, "all_to_all": {"a", "d"}, "own_slice": {"a", "d"}}


def _bytes(buffer):
    return math.prod(buffer["shape"]) * SIZE[buffer["dtype"]]


class _Unrolled:
    """A manifest whose step writes every value into memory of its own."""

    def __init__(self, manifest):
        self.manifest, self.latest, self.commands = copy.deepcopy(manifest), [], []
        self.buffers = self.manifest["buffers"]
        for command in self.manifest["entry_points"]["step"]:
            self.commands.append(self.rename(command))
        self.manifest["entry_points"]["step"] = self.commands

    def rename(self, command):
        names = {index: self.read(index) for index in command["reads"]}
        for index in command["writes"]:
            old, new = names.get(index), self.allocate(index)
            if old is not None:  # Updated in place: the old value is copied to where the new one goes.
                self.commands.append({"op": "copy", "id": f"keep.{new}", "name": f"keep.{new}", "path": "", "phase": command["phase"],
                                      "accumulation": 1, "reads": [old], "writes": [new], "src": old, "dst": new})
            names[index] = new

        def renamed(value):
            return [names[index] for index in value] if isinstance(value, list) else names[value]
        operands = {"reads", "writes", *OPERANDS[command["op"]]}
        # Who counts bytes alone reads what a command needs of them.
        return {key: renamed(value) if key in operands else value for key, value in command.items() if key != "parts"}

    def read(self, index):
        buffer = self.buffers[index]
        if buffer["segment"] == "constants":
            return index
        begin, end = buffer["offset"], buffer["offset"] + _bytes(buffer)
        for segment, start, stop, offset in reversed(self.latest):
            if segment == buffer["segment"] and start <= begin and end <= stop:
                return self.add(buffer | {"segment": "state", "offset": offset + begin - start})
            assert segment != buffer["segment"] or end <= start or stop <= begin, "a read must see one write"
        return index

    def allocate(self, index):
        buffer = self.buffers[index]
        if buffer["segment"] == "output":
            return index
        segments = self.manifest["segments"]
        offset = -(-segments["state"] // 64) * 64
        segments["state"] = offset + _bytes(buffer)
        self.latest.append((buffer["segment"], buffer["offset"], buffer["offset"] + _bytes(buffer), offset))
        index = self.add(buffer | {"segment": "state", "offset": offset})
        self.manifest["bindings"].append({"name": f"value.{index}", "role": "scale_state", "buffer": index})
        return index

    def add(self, buffer):
        if buffer not in self.buffers:
            self.buffers.append(buffer)
        return self.buffers.index(buffer)


def keep_values(path) -> pathlib.Path:
    """The module at `path` with the same commands, but a step leaves its state alone: what a command writes has memory
    of its own and a binding to read it back."""
    with prec.Module(path) as module:
        manifest = _Unrolled(module.manifest).manifest
    text, kept = path.with_suffix(".kept.json"), path.with_suffix(".kept.so")
    text.write_text(json.dumps(manifest))
    subprocess.run(["objcopy", "--remove-section", ".prec.manifest", "--add-section", f".prec.manifest={text}", path, kept], check=True)
    return stamp_file(kept)


class KeptStep:
    """One step of a kept module: its commands, and the values of its buffers."""

    def __init__(self, module: prec.Module, batch: dict, **hyper):
        self.result, manifest = module.step(batch, **hyper), module.manifest
        self.commands = [command for command in manifest["entry_points"]["step"] if not command["id"].startswith("keep.")]
        self.values = {raw["buffer"]: module.get(binding) for raw, binding in zip(manifest["bindings"], module.bindings)}
