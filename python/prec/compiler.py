# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler in this process, over its C API (include/prec-c) by ctypes.

assign decides formats of a graph in text or bytecode and gives it back with tags; compile_graph makes a step module of
one, as bytes. No program is called but ld.lld, where a module is linked.
"""
from __future__ import annotations

import ctypes as c
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from .errors import CompileFailure

__all__ = ["Assignment", "assign", "compile_graph"]

_NAME = "libPrecC.so"


def _bytes_of(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode(errors="surrogateescape")


class _Text(c.Structure):
    """MlirStringRef."""

    _fields_ = [("data", c.c_char_p), ("length", c.c_size_t)]

    @classmethod
    def of(cls, text: str | bytes) -> _Text:
        encoded = _bytes_of(text)
        return cls(encoded, len(encoded))


class _Handle(c.Structure):
    """MlirContext, MlirModule and all others that hold one pointer."""

    _fields_ = [("ptr", c.c_void_p)]


class _Result(c.Structure):
    """MlirLogicalResult."""

    _fields_ = [("value", c.c_int8)]


class _Piece(c.Structure):
    """MlirStringRef as a callback gets it: its data has no end of its own."""

    _fields_ = [("data", c.c_void_p), ("length", c.c_size_t)]


_Callback = c.CFUNCTYPE(None, _Piece, c.c_void_p)
# Of MlirLogicalResult the one field: ctypes returns no structures.
_Diagnose = c.CFUNCTYPE(c.c_int8, _Handle, c.c_void_p)
_Delete = c.CFUNCTYPE(None, c.c_void_p)


class _Options(c.Structure):
    """PrecCompileOptions."""

    _fields_ = [("size", c.c_size_t), ("target", _Text), ("assign", _Text), ("materialize", _Text), ("schedule", _Text), ("codegen", _Text),
                ("graph_hash", _Text), ("link", c.c_void_p), ("link_user_data", c.c_void_p), ("linker", _Text), ("ptxas", _Text)]


_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "mlirDialectRegistryCreate": (_Handle, ()),
    "mlirDialectRegistryDestroy": (None, (_Handle,)),
    "precRegisterAllDialects": (None, (_Handle,)),
    "mlirContextCreateWithRegistry": (_Handle, (_Handle, c.c_bool)),
    "mlirContextDestroy": (None, (_Handle,)),
    "mlirContextAttachDiagnosticHandler": (c.c_uint64, (_Handle, _Diagnose, c.c_void_p, _Delete)),
    "mlirDiagnosticGetSeverity": (c.c_int, (_Handle,)),
    "mlirDiagnosticGetLocation": (_Handle, (_Handle,)),
    "mlirDiagnosticPrint": (None, (_Handle, _Callback, c.c_void_p)),
    "mlirLocationPrint": (None, (_Handle, _Callback, c.c_void_p)),
    "mlirModuleCreateParse": (_Handle, (_Handle, _Text)),
    "mlirModuleDestroy": (None, (_Handle,)),
    "mlirModuleGetOperation": (_Handle, (_Handle,)),
    "mlirOpPrintingFlagsCreate": (_Handle, ()),
    "mlirOpPrintingFlagsDestroy": (None, (_Handle,)),
    "mlirOpPrintingFlagsEnableDebugInfo": (None, (_Handle, c.c_bool, c.c_bool)),
    "mlirOperationPrintWithFlags": (None, (_Handle, _Handle, _Callback, c.c_void_p)),
    "precAssign": (_Result, (_Handle, _Text)),
    "precPrintPrecisionMap": (_Result, (_Handle, _Callback, c.c_void_p)),
    "precCompileStepModule": (_Result, (_Handle, c.POINTER(_Options), _Callback, c.c_void_p)),
    "precGetVersion": (_Piece, ()),
}
_SEVERITIES = ("error", "warning", "note", "remark")


def _candidates() -> list[Path]:
    package = Path(__file__).resolve().parent
    return [package / "lib" / _NAME, package.parent.parent / "build" / "lib" / _NAME]


@lru_cache
def _load(path: str | None) -> c.CDLL:
    candidates = [Path(path)] if path else _candidates()
    found = next((candidate for candidate in candidates if candidate.is_file()), None)
    if found is None:
        raise CompileFailure(f"{_NAME} must be in the package, under build/ or given as library=, but is in none of "
                             + ", ".join(map(str, candidates)))
    dll = c.CDLL(os.fspath(found))
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(dll, name)
        function.restype, function.argtypes = result, arguments
    return dll


def _collect(call: Callable[[Any], object]) -> tuple[bytes, object]:
    """All pieces of text that the callback gets which the call is given, and what the call returns."""
    pieces: list[bytes] = []
    callback = _Callback(lambda piece, _: pieces.append(c.string_at(piece.data, piece.length) if piece.length else b""))
    returned = call(callback)
    return b"".join(pieces), returned


class _Session:
    """A context with a graph in it. Diagnostics are kept, as lines."""

    def __init__(self, library: str | os.PathLike[str] | None, graph: str | bytes) -> None:
        if not isinstance(graph, (str, bytes)):
            raise CompileFailure(f"a graph must be MLIR as str or bytes, such as str(module), but got {type(graph).__name__}")
        self.dll = dll = _load(os.fspath(library) if library else None)
        self.diagnostics: list[tuple[str, str]] = []
        registry = dll.mlirDialectRegistryCreate()
        dll.precRegisterAllDialects(registry)
        # Threads of a context outlive no call of Python that ends the process.
        self.context = dll.mlirContextCreateWithRegistry(registry, False)
        dll.mlirDialectRegistryDestroy(registry)
        self._handler = _Diagnose(self._diagnose)
        dll.mlirContextAttachDiagnosticHandler(self.context, self._handler, None, _Delete())
        self.module = dll.mlirModuleCreateParse(self.context, _Text.of(graph))
        if not self.module.ptr:
            self.close()
            raise self.failure("a graph must be MLIR, but could not be read")

    def _diagnose(self, diagnostic: _Handle, _: object) -> int:
        dll = self.dll
        place = _collect(lambda callback: dll.mlirLocationPrint(dll.mlirDiagnosticGetLocation(diagnostic), callback, None))[0].decode()
        text = _collect(lambda callback: dll.mlirDiagnosticPrint(diagnostic, callback, None))[0].decode()
        severity = _SEVERITIES[dll.mlirDiagnosticGetSeverity(diagnostic)]
        where = "" if place == "loc(unknown)" else place.removeprefix("loc(").removesuffix(")") + ": "
        self.diagnostics.append((severity, f"{where}{severity}: {text}"))
        return 1

    def failure(self, what: str) -> CompileFailure:
        errors = [line for severity, line in self.diagnostics if severity == "error"]
        return CompileFailure("\n".join([what, *errors]))

    def lines(self, *severities: str) -> list[str]:
        return [line for severity, line in self.diagnostics if severity in severities]

    def text(self) -> str:
        flags = self.dll.mlirOpPrintingFlagsCreate()
        self.dll.mlirOpPrintingFlagsEnableDebugInfo(flags, True, False)
        operation = self.dll.mlirModuleGetOperation(self.module)
        printed = _collect(lambda callback: self.dll.mlirOperationPrintWithFlags(operation, flags, callback, None))[0].decode()
        self.dll.mlirOpPrintingFlagsDestroy(flags)
        return printed

    def close(self) -> None:
        if self.module.ptr:
            self.dll.mlirModuleDestroy(self.module)
        self.dll.mlirContextDestroy(self.context)

    def __enter__(self) -> _Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _options(**given: object) -> str:
    """Options as a pass has them: underscores are hyphens, True is true."""
    words = []
    for name, value in given.items():
        if value is None:
            continue
        text = str(value).lower() if isinstance(value, bool) else ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        words.append(f"{name.replace('_', '-')}={{{text}}}" if any(letter in text for letter in " ,") and not isinstance(value, (list, tuple))
                     else f"{name.replace('_', '-')}={text}")
    return " ".join(words)


@dataclass(frozen=True)
class Assignment:
    """A graph with formats.

    module: its text, with tags; what compile_graph and prec-compile take as it is.
    map: each decision with what it beat (docs/Explaining.md, docs/schemas/precision-map.schema.json).
    warnings: lines of what was not as asked.
    """

    module: str
    map: dict[str, Any]
    warnings: list[str] = field(default_factory=list)


def assign(graph: str | bytes, *, recipe: str | None = None, target: str | None = None, library: str | os.PathLike[str] | None = None,
           **options: object) -> Assignment:
    """Decides the formats of a graph, given as MLIR in text or, as bytes, in text or bytecode.

    recipe, target and options are those of --assign-precision, with underscores for hyphens: `skip_first_layers=1`,
    `rules="rules.json"`. library: libPrecC.so, found in the package or build otherwise. CompileFailure says which rule
    the graph or an option breaks.
    """
    with _Session(library, graph) as session:
        given = _options(recipe=recipe, target=target, **{"record": True, **options})
        if not session.dll.precAssign(session.module, _Text.of(given)).value:
            raise session.failure("formats must be assigned, but were not")
        mapped, result = _collect(lambda callback: session.dll.precPrintPrecisionMap(session.module, callback, None))
        if not result.value:  # type: ignore[attr-defined]
            raise session.failure("decisions must be collected, but were not")
        return Assignment(session.text(), json.loads(mapped), session.lines("warning"))


def compile_graph(graph: str | bytes, *, recipe: str | None = None, target: str = "cpu", assign: dict[str, object] | None = None,
                  materialize: dict[str, object] | None = None, schedule: dict[str, object] | None = None,
                  library: str | os.PathLike[str] | None = None, linker: str = "", ptxas: str = "") -> bytes:
    """The step module of a graph, which prec.Module.from_bytes runs.

    assign, materialize and schedule: options of --assign-precision and of the pipelines prec-materialize and
    prec-schedule (docs/Hosts.md), with underscores for hyphens. A graph with tags takes neither recipe nor assign.
    linker: a program that links when it is called as ld.lld, searched for otherwise.
    """
    import hashlib

    with _Session(library, graph) as session:
        asked = _Options(size=c.sizeof(_Options), target=_Text.of(target), assign=_Text.of(_options(recipe=recipe, **assign or {})),
                         materialize=_Text.of(_options(**materialize or {})), schedule=_Text.of(_options(**schedule or {})),
                         graph_hash=_Text.of(hashlib.sha256(_bytes_of(graph)).hexdigest()), linker=_Text.of(linker), ptxas=_Text.of(ptxas))
        image, result = _collect(lambda callback: session.dll.precCompileStepModule(session.module, c.byref(asked), callback, None))
        if not result.value:  # type: ignore[attr-defined]
            raise session.failure("the step must be compiled, but was not")
        return image
