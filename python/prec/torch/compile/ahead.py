# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a step while its graph is compared with PyTorch.

The comparison runs in this process and the compiler is one of its own, so neither has to wait for the other. What is
compiled is the graph as it will be if the comparison finds it right. Where it ends otherwise, the compiler is ended:
after an error nothing is opened, and a graph that could not be compared says so in its text, and is compiled as such.
"""
from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Callable, Iterator

# Starts a program of the compiler, and tells the process that it is.
Note = Callable[["subprocess.Popen[str]"], None]


class Ahead:
    """One compilation at most."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._text = ""
        self._error: Exception | None = None
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._is_over = False

    @contextlib.contextmanager
    def during(self, text: str, compile: Callable[[Note], object]) -> Iterator[None]:
        """Compiles the graph of this text, to where it is found later, while the block runs and longer. If the block
        raises, it ends."""
        self._text = text
        self._thread = threading.Thread(target=self._run, args=(compile,), name="prec-compile")
        self._thread.start()
        try:
            yield
        except BaseException:
            self._end()
            raise

    def finish(self, text: str) -> None:
        """Waits until what was begun is compiled, if it was this text; raises what the compiler did."""
        if self._thread is None:
            return
        if text != self._text:
            self._end()
            return
        try:
            self._thread.join()
        except BaseException:
            self._end()
            raise
        if self._error is not None:
            raise self._error

    def _run(self, compile: Callable[[Note], object]) -> None:
        try:
            compile(self._note)
        except Exception as error:
            self._error = error

    def _note(self, process: subprocess.Popen[str]) -> None:
        with self._lock:
            self._process = process
            if self._is_over:
                process.terminate()

    def _end(self) -> None:
        with self._lock:
            self._is_over = True
            if self._process is not None:
                self._process.terminate()
        if self._thread is not None:
            self._thread.join()
