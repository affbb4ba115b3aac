# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A reference step that follows a compiled one: at every place where it stores a value, the compiled step must have
stored that value within bounds, and the reference goes on with what the compiled step has. So a rounding that fell the
other way is no difference later, and every stored value is checked against what it was computed from."""
import ml_dtypes
import numpy as np
import torch
from bounded import Bounded
from rounding_arithmetic import FINE, FP8, SCALINGS, Arithmetic, Scaled, block_amax, truncated

from prec.interpreter import gemm_scales

FORMATS = {"bf16": ml_dtypes.bfloat16, "f32": np.float32, "i32": np.int32, **FP8}


class Mismatch(AssertionError):
    pass


def _toward(values, direction):
    """FP64 to FP32, rounded to one side: casts to narrower formats must not round twice."""
    with np.errstate(over="ignore"):
        near = values.astype(np.float32)
    beyond = near > values if direction < 0 else near < values
    return np.where(beyond, np.nextafter(near, np.float32(direction * np.inf)), near)


class Stored:
    """The values that a kept step stored, by dtype and size. Up to 16 numbers that one command computes are found one
    by one."""

    def __init__(self, step):
        self.step, self.groups, self.matched, self.batches = step, {}, set(), {}
        for index, value in step.values.items():
            self.groups.setdefault((value.dtype, value.size), []).append((index, value.ravel().astype(np.float64)))
            if value.dtype == np.float32 and value.ndim == 1 and 2 <= value.size <= 16:
                self.batches[index] = (value.astype(np.float64), set(range(value.size)))

    def find(self, low, high, dtype, place):
        """The stored value that lies within [low, high] in every element, in the layout of `low`."""
        shape, found = low.shape, None
        for axes in _layouts(low.ndim):
            bottom, top = low.transpose(axes).ravel(), high.transpose(axes).ravel()
            probe = slice(None, None, max(1, bottom.size // 61))
            for index, value in self.groups.get((np.dtype(dtype), low.size), []):
                if np.all((bottom[probe] <= value[probe]) & (value[probe] <= top[probe])) and np.all((bottom <= value) & (value <= top)):
                    self.matched.add(index)
                    if found is None:
                        found = value.reshape([shape[axis] for axis in axes]).transpose(np.argsort(axes))
        if low.size == 1 and np.dtype(dtype) == np.float32:
            found = self._find_number(low.item(), high.item(), shape, found)
        if found is None:
            raise Mismatch(f"{place} of shape {list(shape)} must be stored by a command")
        return torch.from_numpy(np.ascontiguousarray(found))

    def _find_number(self, low, high, shape, found):
        for index, (numbers, missing) in self.batches.items():
            for at in np.flatnonzero((low <= numbers) & (numbers <= high)):
                missing.discard(int(at))
                found = numbers[at].reshape(shape) if found is None else found
            if not missing:
                self.matched.add(index)
        return found


def _layouts(rank):
    """A tensor may be stored transposed; heads lie before or after rows."""
    return [tuple(range(rank))] + ([(1, 0)] if rank == 2 else [(0, 2, 1, 3)] if rank == 4 else [])


class Follower(Arithmetic):
    """For all recipes that have an arithmetic."""

    # Roundings inside of attention, and results that a command may round and read on without storing them.
    INNER = {"probabilities", "probabilities, backward", "score gradient"}
    FUSED = {"silu", "gated", "norm gradient", "rotary gradient", "embedding gradient", "log-sum-exp"}

    def __init__(self, recipe, stored, flaw=None):
        super().__init__(recipe, flaw=flaw)
        self.stored, self.ties, self.elements = stored, 0, 0

    def _ends(self, x, dtype, place):
        """The least and the largest value that x may be rounded to."""
        x = Bounded.of(x)
        ends = _toward((x.value - x.error).numpy(), -1), _toward((x.value + x.error).numpy(), 1)
        if self.flaw == f"{place} truncated":
            ends = (truncated(torch.from_numpy(end)).numpy() for end in ends)
        with np.errstate(invalid="ignore"):  # What no integer holds is not found.
            low, high = (end.astype(dtype).astype(np.float64) for end in ends)
        if place is not None and dtype != np.float32:
            self.ties, self.elements = self.ties + int(np.sum(low != high)), self.elements + low.size
        return low, high

    def _match(self, x, dtype, place):
        return Bounded(self.stored.find(*self._ends(x, dtype, place), dtype, place))

    def round(self, x, place):
        if self.flaw == f"{place} not rounded":
            return Bounded.of(x)
        if place not in self.INNER:
            try:
                return self._match(x, ml_dtypes.bfloat16, place)
            except Mismatch:
                if place not in self.FUSED:
                    raise
        return self._either(x, ml_dtypes.bfloat16, place)

    def store(self, x, place):
        if self.flaw == f"{place} rounded":
            x = self._either(x, ml_dtypes.bfloat16, place)
        try:
            return self._match(x, np.float32, place)
        except Mismatch:
            if place not in self.FUSED:
                raise
            return Bounded.of(x)

    def _either(self, x, dtype, place):
        """Rounded without being stored: one value, or one of two."""
        low, high = map(torch.from_numpy, self._ends(x, dtype, place))
        return Bounded((low + high) / 2, (high - low) / 2)

    def mark(self, x):
        """Whatever is found is what it should be; nothing need be."""
        for dtype in FORMATS.values():
            try:
                self.stored.find(*self._ends(x, dtype, None), dtype, None)
            except Mismatch:
                pass
        return x

    def copy(self, new):
        """Work weights of a new parameter, in whatever formats the step reads."""
        new = new.value.float()
        self.mark(new)
        if self.recipe in FINE and new.dim() == 2:
            for layout in (new.contiguous(), new.t().contiguous()):
                self.mark_amaxes(layout)
                made = Arithmetic.quantize_finely(self, layout, "weight")
                for part in (made.data, made.scale_inv, self._laid_out(made.scale_inv, "weight")):
                    self.mark(part)
        if self.recipe == "fp8-hybrid" and new.dim() == 2:
            made = Arithmetic.quantize(self, new, "weight")
            for part in (made.data, made.scale_inv):
                self.mark(part)

    def scale(self, x, largest, kind):
        scale = super().scale(x, largest, kind)
        parts = [x.abs().reshape(count, -1).amax(1) for count in range(1, len(x) + 1) if x.numel() % count == 0]
        for way in (x.abs().amax(0), *parts, x.abs().amax(), scale):
            self.mark(way)
        return scale

    def quantize_finely(self, x, kind):
        x = Bounded.of(x).value.float().contiguous()
        self.mark_amaxes(x)
        made = super().quantize_finely(x, kind)
        format_ = "e5m2" if self.flaw == f"{kind} in the other FP8" else "e4m3"
        data = self._match(made.data, FORMATS[format_], f"{kind} in FP8")
        self.mark(made.scale_inv)
        scale_inv = self._match(self._laid_out(made.scale_inv, kind), np.float32, f"inverse scale of {kind}")
        return made._replace(data=data, scale_inv=scale_inv, spread=Bounded(made.spread))

    def _laid_out(self, scale_inv, kind):
        """As products read the inverse scales."""
        return torch.from_numpy(gemm_scales.lay_out(scale_inv.numpy(), SCALINGS[FINE[self.recipe][kind]]))

    def mark_amaxes(self, x):
        """On the way to those of blocks: of 1x128, and of whole blocks and shorter ones apart."""
        for height in (1, 128):
            amax = block_amax(x, height, 128)
            for way in (amax, amax[:, :-1], amax[:, -1:], amax[:-1], amax[-1:]):
                if way.numel():
                    self.mark(way)

    def scale_of(self, amax, largest, kind):
        scale = super().scale_of(amax, largest, kind)
        for way in (amax, scale):
            self.mark(way)
        return scale

    def quantize(self, x, kind):
        if self.recipe != "fp8-hybrid":
            return super().quantize(x, kind)
        made = super().quantize(Bounded.of(x).value.float(), kind)
        data = self._match(made.data, FORMATS["e5m2" if kind == "gradient" else "e4m3"], f"{kind} in FP8")
        return Scaled(data, self._match(made.scale_inv, np.float32, f"inverse scale of {kind}"))

    def sum(self, x, dim):
        return x.sum(dim)

    def where(self, condition, x, other):
        return Bounded(torch.where(condition, x.value, other), torch.where(condition, x.error, 0.0))

    def constant(self, x):
        return Bounded.of(x)

    def cat(self, parts, dim):
        parts = [Bounded.of(part) for part in parts]
        return Bounded(torch.cat([part.value for part in parts], dim), torch.cat([part.error for part in parts], dim))

    def scatter_add(self, rows, ids, x):
        self._match(torch.stack(torch.sort(ids, stable=True)), np.int32, "sorted ids and their positions")
        hot = torch.nn.functional.one_hot(ids, rows).t().double()
        return Bounded(hot) @ x
