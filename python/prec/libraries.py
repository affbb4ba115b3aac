# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What other packages of this Python bring: NVIDIA's libraries and their assembler, ptxas."""
from __future__ import annotations

import importlib.util
from pathlib import Path

# In a folder of `nvidia`: that of CUDA 13, which holds all its wheels, or that of nvidia-cuda-nvcc alone.
_PTXAS = ("cu13/bin/ptxas", "cuda_nvcc/bin/ptxas")


def nvidia_folders() -> list[Path]:
    """Folders `nvidia` of site-packages, in which nvidia-cublas, nvidia-cudnn-cu13 and others keep what they have."""
    spec = importlib.util.find_spec("nvidia")
    return [Path(folder) for folder in spec.submodule_search_locations or []] if spec else []


def find_ptxas() -> Path | None:
    """ptxas of the package nvidia-cuda-nvcc, if it is installed."""
    return next((path for folder in nvidia_folders() for name in _PTXAS if (path := folder / name).is_file()), None)
