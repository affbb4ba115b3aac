# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where prec-run finds cuBLASLt and cuDNN: in what pip installed."""
import pathlib
import site


def cuda_library_options():
    """prec-run's --cuda-libraries for the first installed nvidia folder; nothing if there is none."""
    folders = [pathlib.Path(folder) / "nvidia" for folder in site.getsitepackages()]
    found = [str(folder.resolve()) for folder in folders if folder.is_dir()][:1]
    return [word for folder in found for word in ("--cuda-libraries", folder)]
