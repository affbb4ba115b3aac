# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the formula of an update as it stands in an optimizer's own code: with Python's operators on terms.

A formula is the region of `prec_train.update`: what becomes of one element. Terms of elements are f32, and terms of
scalars f64, as PyTorch computes both. A scalar is rounded to f32 where it meets an element. Nothing is computed here:
each operator appends one operation, so that a formula rounds where the code that it was written after rounds.
"""
from __future__ import annotations

from collections.abc import Sequence

from ..ir import Body, Kind, Op, Value

Number = float


class Term:
    """A value of a formula."""

    __slots__ = ("formula", "value")
    # NumPy's numbers must not take over.
    __array_ufunc__ = None

    def __init__(self, formula: Formula, value: Value) -> None:
        self.formula, self.value = formula, value

    @property
    def dtype(self) -> str:
        return self.value.dtype

    def __add__(self, other: Term | Number) -> Term:
        return self.formula.apply(Kind.ADDF, self, other)

    def __radd__(self, other: Number) -> Term:
        return self.formula.apply(Kind.ADDF, other, self)

    def __sub__(self, other: Term | Number) -> Term:
        return self.formula.apply(Kind.SUBF, self, other)

    def __rsub__(self, other: Number) -> Term:
        return self.formula.apply(Kind.SUBF, other, self)

    def __mul__(self, other: Term | Number) -> Term:
        return self.formula.apply(Kind.MULF, self, other)

    def __truediv__(self, other: Term | Number) -> Term:
        return self.formula.apply(Kind.DIVF, self, other)

    def __rtruediv__(self, other: Number) -> Term:
        return self.formula.apply(Kind.DIVF, other, self)

    def __pow__(self, other: Term | Number) -> Term:
        return self.formula.apply(Kind.POWF, self, other)

    def __rpow__(self, other: Number) -> Term:
        return self.formula.apply(Kind.POWF, other, self)

    def __neg__(self) -> Term:
        return self.formula.apply(Kind.NEGF, self)

    def __lt__(self, other: Term | Number) -> Term:
        return self.formula.compare("olt", self, other)

    def __gt__(self, other: Term | Number) -> Term:
        return self.formula.compare("ogt", self, other)

    def equals(self, other: Term | Number) -> Term:
        return self.formula.compare("oeq", self, other)

    def sqrt(self) -> Term:
        return self.formula.apply(Kind.SQRT, self)

    def abs(self) -> Term:
        return self.formula.apply(Kind.ABSF, self)

    def maximum(self, other: Term | Number) -> Term:
        return self.formula.apply(Kind.MAXIMUMF, self, other)

    def minimum(self, other: Term | Number) -> Term:
        return self.formula.apply(Kind.MINIMUMF, self, other)

    def sign(self) -> Term:
        """Of an element -1, 0 or 1; NaN is 0."""
        zero = self.formula.single(0.0)
        return self.formula.select(self > 0.0, 1.0, self.formula.select(self < 0.0, -1.0, zero))


class Formula:
    """One formula while it is written. `state`, `direction` and `hyper` by name; all of an update that it does not
    change is read from here."""

    def __init__(self, states: Sequence[str], hyper: Sequence[str], directions: int = 0) -> None:
        self.body = Body()
        self._constants: dict[tuple[str, str], Term] = {}
        self._rounded: dict[Value, Term] = {}
        self.parameter, self.gradient = self._argument("f32"), self._argument("f32")
        self.state = {name: self._argument("f32") for name in states}
        self.directions = [self._argument("f32") for _ in range(directions)]
        self.hyper = {name: self._argument("f64") for name in hyper}
        self.step = self._argument("f64")

    def __getitem__(self, name: str) -> Term:
        return self.hyper[name]

    def _argument(self, dtype: str) -> Term:
        value = Value((), dtype)
        self.body.arguments.append(value)
        return Term(self, value)

    def _op(self, name: str, operands: Sequence[Term], dtype: str, **attrs: object) -> Term:
        op = Op(name, [t.value for t in operands], [((), dtype)], attrs)
        self.body.ops.append(op)
        return Term(self, op.result)

    def constant(self, value: Number, dtype: str) -> Term:
        key = repr(float(value)), dtype
        if key not in self._constants:
            self._constants[key] = self._op(Kind.CONSTANT, [], dtype, value=float(value))
        return self._constants[key]

    def single(self, x: Term | Number) -> Term:
        """In f32; a scalar is rounded once, however often it is read."""
        if not isinstance(x, Term):
            return self.constant(x, "f32")
        if x.dtype != "f64":
            return x
        if x.value not in self._rounded:
            self._rounded[x.value] = self._op(Kind.TRUNCF, [x], "f32")
        return self._rounded[x.value]

    def double(self, x: Term) -> Term:
        return x if x.dtype == "f64" else self._op(Kind.EXTF, [x], "f64")

    def _alike(self, operands: Sequence[Term | Number]) -> list[Term]:
        """All f64, or all f32 where one of them is."""
        dtype = "f64" if all(not isinstance(x, Term) or x.dtype == "f64" for x in operands) else "f32"
        return [self.single(x) if dtype == "f32" else x if isinstance(x, Term) else self.constant(x, dtype) for x in operands]

    def apply(self, name: str, *operands: Term | Number) -> Term:
        alike = self._alike(operands)
        return self._op(name, alike, alike[0].dtype)

    def compare(self, predicate: str, x: Term | Number, y: Term | Number) -> Term:
        return self._op(Kind.CMPF, self._alike([x, y]), "i1", predicate=predicate)

    def select(self, condition: Term, x: Term | Number, y: Term | Number) -> Term:
        alike = self._alike([x, y])
        return self._op(Kind.SELECT, [condition, *alike], alike[0].dtype)

    # As PyTorch has them on a CPU.

    def fma(self, x: Term | Number, y: Term | Number, z: Term | Number) -> Term:
        """x * y + z, rounded once: `z.add(y, alpha=x)`."""
        return self.apply("math.fma", x, y, z)

    def addcmul(self, z: Term, x: Term, y: Term, value: Term | Number) -> Term:
        return self.fma(value * x if isinstance(value, Term) else x if value == 1 else x * value, y, z)

    def lerp(self, start: Term, end: Term, weight: Term) -> Term:
        """torch.lerp, which starts from the nearer end."""
        single = self.single(weight)
        small = single < 0.5
        return self.fma(self.select(small, single, single - 1.0), end - start, self.select(small, start, end))

    def decayed_gradient(self) -> Term:
        """The gradient of the loss and the weight decay."""
        return self.fma(self["weight_decay"], self.parameter, self.gradient)

    # How a formula ends.

    def finish(self, new: Term, update: Term, states: Sequence[Term]) -> Body:
        """`update`: what is added to the parameter, computed without it where that is more exact."""
        assert len(states) == len(self.state)
        self.body.ops.append(Op(Kind.YIELD, [self.single(t).value for t in (new, *states, update)], []))
        return self.body

    def add(self, change: Term, states: Sequence[Term], decay: Term | None = None) -> Body:
        """The parameter gains `change`; before, it loses its `decay`th part."""
        if decay is None:
            return self.finish(self.parameter + change, change, states)
        return self.finish(self.parameter * (1.0 - decay) + change, self.parameter * -decay + change, states)

    def add_scaled(self, scale: Term, direction: Term, states: Sequence[Term]) -> Body:
        """The parameter gains scale * direction, rounded once: `param.add_(direction, alpha=scale)`."""
        return self.finish(self.fma(scale, direction, self.parameter), scale * direction, states)
