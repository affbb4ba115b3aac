# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LoRA adapters of a step module as PEFT keeps them: a folder of adapter_model.safetensors and adapter_config.json.

    imported = prec.import_torch(peft_model, optimizer, batch)
    prec.lora.write_config(peft_model, "config")
    ...
    prec.lora.save(module, "adapter", "config")      # peft.PeftModel.from_pretrained(base, "adapter") reads it
    prec.lora.load(module, "adapter")
"""
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import ImportFailure

if TYPE_CHECKING:
    import torch

    from .module import Module

WEIGHTS, CONFIG = "adapter_model.safetensors", "adapter_config.json"


def write_config(model: torch.nn.Module, folder: str | os.PathLike[str], adapter: str = "default") -> None:
    """Writes adapter_config.json of one adapter of a PEFT model into a folder. Raises ImportFailure where the adapter
    is not plain LoRA, or there is none of that name."""
    configs = getattr(model, "peft_config", {})
    if adapter not in configs:
        raise ImportFailure(f"the model must have the adapter {adapter!r} but has {', '.join(map(repr, configs)) or 'none'}")
    config = configs[adapter]
    if config.peft_type != "LORA" or config.bias != "none" or config.modules_to_save:
        raise ImportFailure(f"an adapter must be LoRA with bias='none' and no modules_to_save but got {config.peft_type}, "
                            f"bias={config.bias!r} and {config.modules_to_save}")
    config.save_pretrained(folder)


def save(module: Module, folder: str | os.PathLike[str], config: str | os.PathLike[str], adapter: str = "default") -> None:
    """Writes the trained parameters of a module, all of which must be of the adapter, as their masters are stored.
    `config` is a folder or file that write_config or PEFT wrote. Tensors have the shapes of PEFT's, and the dtypes of
    the masters. Raises ImportFailure where a trained parameter is not of the adapter, OSError for files."""
    from safetensors.torch import save_file

    config = Path(config)
    text = (config / CONFIG if config.is_dir() else config).read_text()
    names = _names(module, adapter)
    tensors = {file: _tensor(module, own) for own, file in names.items()}
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})
    (folder / CONFIG).write_text(text)


def load(module: Module, folder: str | os.PathLike[str], adapter: str = "default") -> None:
    """Sets the adapter of a module to what PEFT or `save` wrote. Values that a BF16 master does not hold are rounded to
    nearest. The base's weights, and the optimizer's state, stay as they are. Raises ImportFailure with a line for each
    tensor that is missing, unknown or of another shape; then nothing is set."""
    from safetensors.torch import load_file

    kind = json.loads((Path(folder) / CONFIG).read_text()).get("peft_type")
    if kind != "LORA":
        raise ImportFailure(f"an adapter must be LoRA but {folder} has {kind}")
    tensors, names = load_file(Path(folder) / WEIGHTS), _names(module, adapter)
    lines = [f"{file}: must be in the file but is missing" for file in names.values() if file not in tensors]
    lines += [f"{file}: must be in the module but is not" for file in tensors if file not in names.values()]
    lines += [f"{file}: must have shape {list(module.binding(own).shape)} but got {list(tensors[file].shape)}"
              for own, file in names.items() if file in tensors and tuple(tensors[file].shape) != module.binding(own).shape]
    if lines:
        raise ImportFailure("\n".join(f"{folder}: tensor {line}" for line in lines))
    import torch
    for own, file in names.items():
        module.set(own, tensors[file].to(getattr(torch, module.binding(own).dtype)))


def _names(module: Module, adapter: str) -> dict[str, str]:
    """By the module's name of a trained parameter, PEFT's name in a file: without that of the adapter."""
    names = {}
    for binding in module.bindings:
        if binding.role != "parameter":
            continue
        parts = binding.name.split(".")
        if adapter not in parts or not any(part.startswith("lora_") for part in parts):
            raise ImportFailure(f"every trained parameter must be of the adapter {adapter!r} but got {binding.name}")
        parts.remove(adapter)
        names[binding.name] = ".".join(parts)
    if not names:
        raise ImportFailure("a module must have trained parameters but has none")
    return names


def _tensor(module: Module, name: str) -> torch.Tensor:
    import torch

    wide = torch.from_numpy(module.get(name, "float32"))
    return wide.to(getattr(torch, module.binding(name).dtype))
