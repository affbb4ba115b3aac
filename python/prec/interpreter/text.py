# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads MLIR in generic form (`prec-opt --mlir-print-op-generic`) into plain Python objects.

Only what a graph of tensors needs: no successors, no affine maps, no symbols beyond function names. Anything else is a
ParseError with its line.
"""
from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias, TypeVar

import numpy as np

from .formats import numpy_dtype


class ParseError(ValueError):
    pass


@dataclass(frozen=True)
class TensorType:
    shape: tuple[int, ...]
    element: str


@dataclass(frozen=True)
class Dense:
    """Elements of a dense attribute: a scalar (splat), nested lists, or the raw bytes of the elements."""
    type: TensorType
    value: object


@dataclass(frozen=True)
class Opaque:
    """An attribute of a dialect as text, for example `#prec_train.role<loss>`."""
    text: str

    @property
    def word(self) -> str:
        """The last word inside the brackets: `loss` of `#prec_train.role<loss>`, `sum` of `#prec_train<reduce_kind
        sum>`."""
        return re.findall(r"[\w.]+", self.text)[-1]


@dataclass(eq=False)
class Operation:
    name: str
    # Names of values: of text as they are written there, of a graph in memory the values themselves.
    operands: list[Any]
    results: list[Any]
    # Numbers, words, lists, Dense and Opaque.
    attributes: dict[str, Any]
    # Of what has operations here each is a TensorType but for scalars inside of a body: these are names of elements.
    operand_types: list[Any]
    result_types: list[Any]
    regions: list[Block] = field(default_factory=list)
    line: int = 0
    path: str = ""

    @property
    def place(self) -> str:
        """Where it stands, for messages: its line, or the module that it came from."""
        return f"line {self.line}" if self.line else self.path or "the step"


@dataclass(eq=False)
class Block:
    arguments: list[tuple[Any, Any]] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)


Type: TypeAlias = "TensorType | Opaque | str | FunctionType"
FunctionType: TypeAlias = tuple[list[Type], list[Type]]
Item = TypeVar("Item")

_TOKEN = re.compile(r"""
    (?P<space>\s+|//[^\n]*)
  | (?P<string>"(?:[^"\\]|\\.)*")
  | (?P<value>%[\w$.-]+(?:\#\d+)?)
  | (?P<block>\^[\w$.-]+)
  | (?P<symbol>@(?:[\w$.-]+|"(?:[^"\\]|\\.)*"))
  | (?P<number>0x[0-9A-Fa-f]+|-?\d+\.\d*(?:[eE][+-]?\d+)?|-?\d+(?:[eE][+-]?\d+)?(?![\w.]))
  | (?P<hash>\#[A-Za-z_][\w$.]*|![A-Za-z_][\w$.]*)
  | (?P<arrow>->)
  | (?P<resources>\{-\#.*?\#-\})
  | (?P<word>[A-Za-z_][\w$.]*)
  | (?P<mark>::|.)
""", re.VERBOSE | re.DOTALL)
_BRACKETS = {"<": ">", "(": ")", "[": "]", "{": "}"}
_FLOATS = {"f64": "<d", "f32": "<f", "f16": "<e"}


def _unescaped(text: str) -> str:
    """What a string stands for: a character behind a backslash, or two digits of a byte."""
    if "\\" not in text:
        return text
    kept = {"n": b"\n", "t": b"\t"}

    def byte(match: re.Match[bytes]) -> bytes:
        found = match[1].decode()
        return bytes.fromhex(found) if len(found) == 2 else kept.get(found, match[1])
    return re.sub(rb"\\([0-9A-Fa-f]{2}|.)", byte, text.encode(), flags=re.DOTALL).decode(errors="surrogateescape")


class Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.aliases: dict[str, Any] = {}
        self.resources: dict[str, bytes] = {}
        # Kind, text, offset and line of each.
        self.tokens: list[tuple[str | None, str, int, int]] = []
        line = 1
        for match in _TOKEN.finditer(text):
            kind = match.lastgroup
            if kind == "resources":
                self._read_resources(match.group())
            elif kind != "space":
                self.tokens.append((kind, match.group(), match.start(), line))
            line += match.group().count("\n")
        self.tokens.append(("end", "", len(text), line))
        self.at = 0

    def fail(self, message: str) -> NoReturn:
        kind, text, _, line = self.tokens[self.at]
        raise ParseError(f"line {line}: {message}, but got {text or kind!r}")

    def peek(self, text: str) -> bool:
        return self.tokens[self.at][1] == text and self.tokens[self.at][0] != "string"

    def accept(self, text: str) -> bool:
        if self.peek(text):
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            self.fail(f"expected '{text}'")

    def take(self, kind: str) -> str:
        if self.tokens[self.at][0] != kind:
            self.fail(f"expected a {kind}")
        self.at += 1
        return self.tokens[self.at - 1][1]

    def balanced(self) -> str:
        """The text from an opening bracket to its partner, both included."""
        start, stack = self.tokens[self.at][2], []
        while True:
            kind, text, offset, _ = self.tokens[self.at]
            if kind == "end":
                self.fail("expected a closing bracket")
            self.at += 1
            if kind == "mark" and text in _BRACKETS:
                stack.append(_BRACKETS[text])
            elif kind == "mark" and stack and text == stack[-1]:
                stack.pop()
            if not stack:
                return self.text[start:offset + len(text)]

    def _read_resources(self, text: str) -> None:
        for name, data in re.findall(r'([\w.]+|"[^"]*"):\s*"0x([0-9A-Fa-f]*)"', text):
            self.resources[name.strip('"')] = bytes.fromhex(data)[4:]  # The first four bytes are the alignment.

    # Types.

    def type(self) -> Type:
        if self.peek("("):
            return self.function_type()
        name = self.tokens[self.at][1]
        if name in ("tensor", "vector"):
            self.at += 1
            body = self.balanced()[1:-1].split(",")[0].strip()
            *dims, element = body.split("x")
            if not all(d.isdigit() for d in dims):
                self.fail(f"expected a static shape in 'tensor<{body}>'")
            return TensorType(tuple(map(int, dims)), element)
        self.at += 1
        if self.peek("<"):
            return Opaque(name + self.balanced())
        return name

    def scalar_type(self) -> str:
        made = self.type()
        if not isinstance(made, str):
            self.fail("expected the type of a scalar")
        return made

    def tensor_type(self) -> TensorType:
        made = self.type()
        if not isinstance(made, TensorType):
            self.fail("expected the type of a tensor")
        return made

    def function_type(self) -> FunctionType:
        self.expect("(")
        inputs = []
        while not self.accept(")"):
            inputs.append(self.type())
            self.accept(",")
        self.expect("->")
        if not self.accept("("):
            return inputs, [self.type()]
        results = []
        while not self.accept(")"):
            results.append(self.type())
            self.accept(",")
        return inputs, results

    # Attributes.

    def attribute(self) -> Any:
        kind, text, _, _ = self.tokens[self.at]
        if kind == "string":
            self.at += 1
            return _unescaped(text[1:-1])
        if kind == "number":
            self.at += 1
            type_ = self.scalar_type() if self.accept(":") else "i64"
            return scalar(text, type_)
        if kind == "symbol":
            self.at += 1
            while self.accept("::"):
                text = self.take("symbol")
            return text[1:].strip('"')
        if kind == "hash":
            self.at += 1
            if self.peek("<"):
                return Opaque(text + self.balanced())
            return self.aliases.get(text, Opaque(text))
        if text == "[":
            return self.list("[", "]", self.attribute)
        if text == "{":
            return self.dictionary("{", "}")
        if text in ("true", "false", "unit"):
            self.at += 1
            return text != "false"
        if text == "array":
            self.at += 1
            self.expect("<")
            element = self.scalar_type()
            self.accept(":")
            return self.list(None, ">", lambda: scalar(self.next_text(), element))
        if text == "dense":
            self.at += 1
            self.expect("<")
            value = None if self.peek(">") else self.elements()
            self.expect(">")
            self.expect(":")
            tensor = self.tensor_type()
            return Dense(tensor, [] if value is None else convert(value, tensor.element))
        if text == "dense_resource":
            self.at += 1
            name = self.balanced()[1:-1]
            self.expect(":")
            return Dense(self.tensor_type(), self.resources[name])
        return self.type()

    def next_text(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1][1]

    def elements(self) -> Any:
        if self.peek("["):
            return self.list("[", "]", self.elements)
        text = self.next_text()
        return bytes.fromhex(text[3:-1]) if text.startswith('"0x') else text

    def list(self, opening: str | None, closing: str, element: Callable[[], Item]) -> list[Item]:
        if opening:
            self.expect(opening)
        items = []
        while not self.accept(closing):
            items.append(element())
            self.accept(",")
        return items

    def dictionary(self, opening: str, closing: str) -> dict[str, Any]:
        self.expect(opening)
        entries = {}
        while not self.accept(closing):
            if self.tokens[self.at][0] not in ("word", "string"):
                self.fail("expected the name of an attribute")
            key = self.next_text().strip('"')
            entries[key] = self.attribute() if self.accept("=") else True
            self.accept(",")
        return entries

    # Operations.

    def operation(self) -> Operation:
        results, line = [], self.tokens[self.at][3]
        while self.tokens[self.at][0] == "value":
            name = self.take("value")
            if self.accept(":"):
                results += [f"{name}#{i}" for i in range(int(self.take("number")))]
            else:
                results.append(name)
            self.accept(",")
        if results:
            self.expect("=")
        if self.tokens[self.at][0] != "string":
            self.fail("expected an operation in generic form")
        name = self.take("string")[1:-1]
        operands = self.list("(", ")", lambda: self.take("value"))
        attributes, regions = {}, []
        if self.peek("["):
            self.fail("expected an operation without successors")
        if self.peek("<"):
            self.expect("<")
            attributes = self.dictionary("{", "}")
            self.expect(">")
        if self.accept("("):
            while not self.accept(")"):
                regions.append(self.region())
                self.accept(",")
        if self.peek("{"):
            attributes |= self.dictionary("{", "}")
        self.expect(":")
        operand_types, result_types = self.function_type()
        self.location()
        if len(results) == 1 and len(result_types) == 1 and results[0].endswith("#0"):
            results = [results[0][:-2]]
        return Operation(name, operands, results, attributes, operand_types, result_types, regions, line)

    def location(self) -> None:
        if self.accept("loc"):
            self.balanced()

    def region(self) -> Block:
        self.expect("{")
        block = Block()
        if self.tokens[self.at][0] == "block":
            self.at += 1
            if self.accept("("):
                while not self.accept(")"):
                    name = self.take("value")
                    self.expect(":")
                    block.arguments.append((name, self.type()))
                    self.location()
                    self.accept(",")
            self.expect(":")
        while not self.accept("}"):
            if self.tokens[self.at][0] == "block":
                self.fail("expected a region of one block")
            block.operations.append(self.operation())
        return block

    def module(self) -> Operation:
        module = None
        while self.tokens[self.at][0] != "end":
            kind, text, _, _ = self.tokens[self.at]
            if kind == "hash":
                self.at += 1
                self.expect("=")
                if text.startswith("#loc"):
                    self.at += 1
                    self.balanced()
                elif text.startswith("!"):
                    self.type()
                else:
                    self.aliases[text] = self.attribute()
                continue
            module = self.operation()
        if module is None:
            raise ParseError("expected a module, but got no operation")
        return module


def scalar(text: str, type_: str) -> float:
    """A number or truth value as MLIR prints it; floats may be given by their bits."""
    if text in ("true", "false"):
        return text == "true"
    if type_ in _FLOATS or type_.startswith(("f", "bf")):
        if not text.startswith("0x"):
            # The literal stands for the f32 nearest to it, whatever it is computed in.
            return struct.unpack("<f", struct.pack("<f", float(text)))[0] if type_ == "f32" else float(text)
        bits = int(text, 16)
        if type_ == "bf16":
            return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
        if type_ not in _FLOATS:
            return _fp8(bits, type_)
        code = _FLOATS[type_]
        return struct.unpack(code, bits.to_bytes(struct.calcsize(code), "little"))[0]
    return int(text, 0)


def _fp8(bits: int, type_: str) -> float:
    return float(np.array([bits], np.uint8).view(numpy_dtype(type_))[0])


def convert(value: Any, element: str) -> Any:
    if isinstance(value, list):
        return [convert(v, element) for v in value]
    return value if isinstance(value, bytes) else scalar(value, element)


def parse(text: str) -> Operation:
    return Parser(text).module()
