# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes files so that a failure leaves what was there."""
from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from safetensors import SafetensorError

from .errors import ImportFailure


def replace_file(path: str | os.PathLike[str], write: Callable[[str], object]) -> None:
    """Writes beside the file and renames, so that a failure leaves what was there."""
    path = Path(path)
    # A rename would take the place of a device or a pipe.
    if path.exists() and not path.is_file():
        raise ImportFailure(f"{path} must be a regular file but is none")
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    os.close(handle)
    try:
        write(temporary)
        # mkstemp makes private files; give the mode that open() would have.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except BaseException as error:
        os.unlink(temporary)
        if isinstance(error, (OSError, SafetensorError)):
            raise ImportFailure(f"{path} must be written in full but got {error}") from error
        raise
