# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random valid IR of upstream dialects: make(seed) gives a module. Every element type, ranks 0 to 5, unknown and empty
sizes, memrefs, vectors, several functions, nested regions, calls, control flow, attributes and operations that nobody
knows, and the attributes by which a step is known, on functions that are none."""
import random

FLOATS = ["f32", "f32", "f32", "f64", "f16", "bf16", "f8E4M3FN", "f8E5M2", "f4E2M1FN", "f80", "f128", "tf32"]
INTEGERS = ["i1", "i4", "i8", "i16", "i32", "i64", "i128", "index"]
OTHERS = ["complex<f32>", "complex<f64>", "ui8", "si32", "ui64", "none"]
UNARY = ["math.exp", "math.tanh", "math.rsqrt", "math.sqrt", "math.absf", "math.log", "math.sin", "math.cos", "math.erf", "math.log1p", "arith.negf",
         "math.floor", "math.round"]
BINARY = ["arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.maximumf", "arith.minnumf", "arith.remf", "math.copysign", "math.powf",
          "math.atan2"]
WHOLE = ["arith.addi", "arith.subi", "arith.muli", "arith.andi", "arith.ori", "arith.xori", "arith.maxsi", "arith.minui", "arith.shli"]
ROLES = ["parameter", "frozen_parameter", "buffer", "optimizer_state", "work_weight", "scale_state", "batch", "hyper", "loss", "metric", "updated",
         "guard", "numerics", "amax_ratios", "switches", "staged_parameter"]
ENTRIES = ["step", "eval", "forward", "init", "restore", "sample", "accumulate", "apply", "crowded_step",
           "crowded_eval", "crowded_accumulate"]
TAGS = ["f32", "bf16", "f16", "e2m1, scaling = nvfp4_1x16", *(f"{f}, scaling = {s}" for f in ("e4m3", "e5m2") for s in (
    "tensor_current", "tensor_delayed", "row", "block_1x128", "block_128x128", "mx_1x32"))]


class Type:
    """A scalar (shape None), a tensor, a memref or a vector; an unranked one has the shape "*"."""

    def __init__(self, element, shape=None, kind="tensor"):
        self.element, self.shape, self.kind = element, shape if shape in (None, "*") else tuple(shape), kind

    def __str__(self):
        if self.shape is None:
            return self.element
        sizes = "*x" if self.shape == "*" else "".join(f"{s}x" for s in self.shape)
        return f"{self.kind}<{sizes}{self.element}>"

    def __eq__(self, other):
        return str(self) == str(other)

    def __hash__(self):
        return hash(str(self))

    is_float = property(lambda self: self.element in FLOATS)
    is_whole = property(lambda self: self.element in INTEGERS)
    is_ranked = property(lambda self: self.kind == "tensor" and self.shape not in (None, "*"))
    is_static = property(lambda self: self.is_ranked and "?" not in self.shape)

    def of(self, element):
        return Type(element, self.shape, self.kind)


class Body:
    """Operations of one region; those of regions around it may be read."""

    def __init__(self, rng, module, pool, depth=0):
        self.rng, self.module, self.pool, self.depth, self.lines, self.isKnown = rng, module, list(pool), depth, [], True

    def add(self, text, *types):
        """Appends an operation; its results, whose number is that of `types`, join the pool."""
        suffix = self.rng.choice(UNKNOWN_ATTRIBUTES) if self.rng.randrange(12) == 0 else ""
        location = f' loc("layers.{self.rng.randrange(3)}.mlp")' if self.rng.randrange(8) == 0 else ""
        name = self.module.fresh()
        head = "" if not types else f"{name} = " if len(types) == 1 else f"{name}:{len(types)} = "
        self.lines.append(head + text.replace("@@", suffix) + location)
        made = [(name if len(types) == 1 else f"{name}#{i}", t) for i, t in enumerate(types)]
        self.pool += made
        return made[0][0] if len(made) == 1 else [v for v, _ in made]

    def pick(self, want=lambda t: True):
        found = [(v, t) for v, t in self.pool if want(t)]
        return self.rng.choice(found) if found else (None, None)

    def constant(self, t):
        if t.shape is None:
            value = "true" if t.element == "i1" else f"0.5 : {t}" if t.is_float else f"0 : {t}" if t.element == "i4" else f"1 : {t}"
            return self.add(f"arith.constant {value}", t)
        return self.add(f"arith.constant dense<{'0.5' if t.is_float else 'true' if t.element == 'i1' else '0'}> : {t}", t)

    def index(self, value=0):
        return self.add(f"arith.constant {value} : index", Type("index"))

    def empty(self, shape, element):
        sizes = ", ".join(self.index(self.rng.randrange(3)) for s in shape if s == "?")
        t = Type(element, shape)
        return self.add(f"tensor.empty({sizes}) : {t}", t), t

    def nested(self, arguments, results, terminator):
        """The text of a region that yields values of these types."""
        inner = Body(self.rng, self.module, self.pool + arguments, self.depth + 1)
        inner.isKnown = self.isKnown and not terminator.startswith('"')
        for _ in range(self.rng.randrange(3)):
            inner.grow()
        values = [inner.find(t) for t in results]
        types = ", ".join(map(str, results))
        inner.lines.append(f"{terminator} {', '.join(values)} : {types}" if results else terminator)
        return "\n".join(inner.lines)

    def find(self, t):
        """A value of a type: one that there is, or a new one."""
        value, _ = self.pick(lambda other: other == t)
        if value:
            return value
        if t.is_static or t.shape is None and (t.is_float or t.is_whole):
            if t.is_float or t.is_whole:
                return self.constant(t)
        if t.is_ranked:
            return self.empty(t.shape, t.element)[0]
        return self.add(f'"foo.make"() : () -> {t}', t)

    # Operations.

    def elementwise(self):
        v, t = self.pick(lambda t: (t.is_float or t.is_whole) and t.kind != "memref")
        if not v:
            return
        w = self.find(t) if self.rng.randrange(2) else v
        if t.is_float:
            kind = self.rng.randrange(5)
            if kind == 0:
                self.add(f"{self.rng.choice(UNARY)} {v} @@ : {t}", t)
            elif kind == 1:
                c = self.add(f"arith.cmpf olt, {v}, {w} @@ : {t}", t.of("i1"))
                types = t if t.shape is None else f"{t.of('i1')}, {t}"
                self.add(f"arith.select {c}, {v}, {w} @@ : {types}", t)
            elif kind == 2 and t.element in ("f16", "bf16", "f32") and t.shape != "*":
                wide = t.of("f64" if t.element == "f32" else "f32")
                x = self.add(f"arith.extf {v} @@ : {t} to {wide}", wide)
                self.add(f"arith.truncf {x} @@ : {wide} to {t}", t)
            else:
                self.add(f"{self.rng.choice(BINARY)} {v}, {w} @@ : {t}", t)
        elif self.rng.randrange(4) == 0:
            self.add(f"arith.cmpi slt, {v}, {w} @@ : {t}", t.of("i1"))
        elif self.rng.randrange(4) == 0 and t.element != "index" and t.shape != "*":
            self.add(f"arith.sitofp {v} @@ : {t} to {t.of('f32')}", t.of("f32"))
        else:
            self.add(f"{self.rng.choice(WHOLE)} {v}, {w} @@ : {t}", t)

    def movement(self):
        v, t = self.pick(lambda t: t.is_ranked)
        if not v:
            return
        rank, kind = len(t.shape), self.rng.randrange(12)
        if kind == 0:
            self.add(f"tensor.cast {v} : {t} to {Type(t.element, '*')}", Type(t.element, "*"))
        elif kind == 1 and rank:
            self.add(f"tensor.dim {v}, {self.index()} : {t}", Type("index"))
        elif kind == 2:
            places = ", ".join(self.index() for _ in t.shape)
            x = self.add(f"tensor.extract {v}[{places}] : {t}", Type(t.element))
            self.add(f"tensor.insert {x} into {v}[{places}] : {t}", t)
        elif kind == 3 and rank and 0 not in t.shape:
            sizes = [1] * rank
            part = Type(t.element, sizes)
            where = f"[{', '.join('0' for _ in sizes)}] [{', '.join(map(str, sizes))}] [{', '.join('1' for _ in sizes)}]"
            x = self.add(f"tensor.extract_slice {v}{where} : {t} to {part}", part)
            self.add(f"tensor.insert_slice {x} into {v}{where} : {part} into {t}", t)
        elif kind == 4 and rank > 1:
            product = "?" if "?" in t.shape else 1
            if product != "?":
                for s in t.shape:
                    product *= s
            flat = Type(t.element, [product])
            self.add(f"tensor.collapse_shape {v} [[{', '.join(map(str, range(rank)))}]] : {t} into {flat}", flat)
        elif kind == 5 and t.is_static and rank:
            wide = Type(t.element, [*t.shape, 1])
            groups = ", ".join(f"[{i}]" if i < rank - 1 else f"[{i}, {i + 1}]" for i in range(rank))
            self.add(f"tensor.expand_shape {v} [{groups}] output_shape [{', '.join(map(str, wide.shape))}] : {t} into {wide}", wide)
        elif kind == 6 and rank and (t.is_float or t.is_whole):
            x = self.constant(Type(t.element))
            wide = Type(t.element, [s if s == "?" else s + 2 for s in t.shape])
            block = ", ".join(f"%i{self.module.fresh()[1:]}{d}: index" for d in range(rank))
            self.add(f"tensor.pad {v} low[{', '.join('1' for _ in t.shape)}] high[{', '.join('1' for _ in t.shape)}] {{\n^bb0({block}):\n"
                     f"tensor.yield {x} : {t.element}\n}} : {t} to {wide}", wide)
        elif kind == 7 and rank:
            joined = Type(t.element, [t.shape[0] if t.shape[0] == "?" else 2 * t.shape[0], *t.shape[1:]])
            self.add(f"tensor.concat dim(0) {v}, {v} : ({t}, {t}) -> {joined}", joined)
        elif kind == 8 and (t.is_float or t.is_whole):
            x = self.constant(Type(t.element))
            self.add(f"tensor.from_elements {x}, {x} : {Type(t.element, [2])}", Type(t.element, [2]))
            self.add(f"tensor.splat {x} : {Type(t.element, [2, 3])}", Type(t.element, [2, 3]))
        elif kind == 9 and t.is_static and (t.is_float or t.is_whole):
            block = ", ".join(f"%g{self.module.fresh()[1:]}{d}: index" for d in range(rank))
            x = self.constant(Type(t.element))
            self.add(f"tensor.generate {{\n^bb0({block}):\ntensor.yield {x} : {t.element}\n}} : {t}", t)
        elif kind == 10:
            loose = Type(t.element, ["?"] * rank)
            if loose != t:
                self.add(f"tensor.cast {v} : {t} to {loose}", loose)
        else:
            self.add(f"tensor.rank {v} : {t}", Type("index"))

    def payload(self, t):
        """Of a linalg operation with inputs %p and %o; a captured value now and then."""
        name = self.module.fresh()
        if t.is_float:
            kind = self.rng.randrange(5)
            if kind == 0:
                return f"{name} = {self.rng.choice(UNARY)} %p : {t.element}\n", name
            if kind == 1 and (captured := self.pick(lambda c: c.shape is None and c.element == t.element)[0]):
                return f"{name} = arith.mulf %p, {captured} : {t.element}\n", name
            if kind == 2:
                return f"{name}c = arith.cmpf ogt, %p, %o : {t.element}\n{name} = arith.select {name}c, %p, %o : {t.element}\n", name
            return f"{name} = {self.rng.choice(BINARY)} %p, %o : {t.element}\n", name
        if t.is_whole:
            return f"{name} = {self.rng.choice(WHOLE)} %p, %o : {t.element}\n", name
        return "", self.rng.choice(["%p", "%o"])

    def structured(self):
        v, t = self.pick(lambda t: t.is_ranked or t.kind == "memref" and t.shape not in (None, "*"))
        if not v:
            return
        rank, isTensor = len(t.shape), t.kind == "tensor"
        reduced = [i for i in range(rank) if self.rng.randrange(4) == 0]
        kept = [i for i in range(rank) if i not in reduced]
        order = kept if reduced else self.rng.sample(kept, len(kept))
        out = Type(t.element, [t.shape[i] for i in order], t.kind)
        place = self.empty(out.shape, out.element)[0] if isTensor else self.alloc(out)
        dims = ", ".join(f"d{i}" for i in range(rank))
        iterators = ", ".join('"reduction"' if i in reduced else '"parallel"' for i in range(rank))
        body, result = self.payload(t)
        text = (
            f"linalg.generic {{indexing_maps = [affine_map<({dims}) -> ({dims})>, affine_map<({dims}) -> ({', '.join(f'd{i}' for i in order)})>], "
            f"iterator_types = [{iterators}]}} ins({v} : {t}) outs({place} : {out}) {{\n^bb0(%p: {t.element}, %o: {t.element}):\n"
            f"{body}linalg.yield {result} : {t.element}\n}}"
        )
        if isTensor:
            self.add(f"{text} -> {out}", out)
        else:
            self.add(text)

    def product(self):
        element = self.rng.choice(["f32", "f32", "f16", "bf16", "f64", "i8", "i32", "complex<f32>"])
        def size():
            return self.rng.choice([1, 2, 16, 64, 0, "?"])
        m, k, n, batch = size(), size(), size(), self.rng.choice([None, 1, 3, "?"])
        lead = [] if batch is None else [batch]
        a, b, out = Type(element, [*lead, m, k]), Type(element, [*lead, k, n]), Type(element, [*lead, m, n])
        name = "linalg.matmul" if batch is None else "linalg.batch_matmul"
        self.add(f"{name} ins({self.find(a)}, {self.find(b)} : {a}, {b}) outs({self.find(out)} : {out}) -> {out}", out)

    def named(self):
        kind = self.rng.randrange(8)
        if kind == 0:
            x, w, y = Type("f32", [1, 5, 5, 2]), Type("f32", [3, 3, 2, 4]), Type("f32", [1, 3, 3, 4])
            self.add("linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} "
                     f"ins({self.find(x)}, {self.find(w)} : {x}, {w}) outs({self.find(y)} : {y}) -> {y}", y)
        elif kind == 1:
            pooled = self.rng.choice(["sum", "max", "min"])
            x, w, y = Type("f32", [1, 5, 5, 2]), Type("f32", [3, 3]), Type("f32", [1, 3, 3, 2])
            self.add(f"linalg.pooling_nhwc_{pooled} {{dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}} "
                     f"ins({self.find(x)}, {self.find(w)} : {x}, {w}) outs({self.find(y)} : {y}) -> {y}", y)
        elif kind == 2:
            x = Type("f32", [self.rng.choice([0, 1, 8, "?"]), 4])
            self.add(f"linalg.softmax dimension(1) ins({self.find(x)} : {x}) outs({self.find(x)} : {x}) -> {x}", x)
        elif kind == 3:
            x, y = Type("f32", [2, 3]), Type("f32", [3, 2])
            self.add(f"linalg.transpose ins({self.find(x)} : {x}) outs({self.find(y)} : {y}) permutation = [1, 0]", y)
        elif kind == 4:
            x, y = Type("f32", [3]), Type("f32", [2, 3])
            self.add(f"linalg.broadcast ins({self.find(x)} : {x}) outs({self.find(y)} : {y}) dimensions = [0]", y)
        elif kind == 5:
            x, y = Type("bf16", [2, 3]), Type("bf16", [2])
            self.add(f"linalg.reduce {{ arith.addf }} ins({self.find(x)} : {x}) outs({self.find(y)} : {y}) dimensions = [1]", y)
        elif kind == 6:
            v, t = self.pick(lambda t: t.is_ranked and (t.is_float or t.is_whole))
            if v:
                self.add(f"linalg.fill ins({self.constant(Type(t.element))} : {t.element}) outs({v} : {t}) -> {t}", t)
        else:
            x, w = Type("f32", [4, 8]), Type("i64", [4])
            table, j = self.find(x), self.module.fresh()
            y = Type("f32", [4])
            self.add("linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [\"parallel\"]} "
                     f"ins({self.find(w)} : {w}) outs({self.find(y)} : {y}) {{\n^bb0(%p: i64, %o: f32):\n{j}a = arith.index_cast %p : i64 to index\n"
                     f"{j}b = linalg.index 0 : index\n{j} = tensor.extract {table}[{j}b, {j}a] : {x}\nlinalg.yield {j} : f32\n}} -> {y}", y)

    def alloc(self, t):
        sizes = ", ".join(self.index(1) for s in t.shape if s == "?")
        return self.add(f"memref.alloc({sizes}) : {t}", t)

    def memory(self):
        v, t = self.pick(lambda t: t.kind == "memref" and t.shape not in (None, "*"))
        if not v:
            t = Type(self.rng.choice(["f32", "i8", "f64"]), [self.rng.choice([2, 3, "?"]) for _ in range(self.rng.randrange(3))], "memref")
            v = self.alloc(t)
        places = ", ".join(self.index() for _ in t.shape)
        x = self.add(f"memref.load {v}[{places}] : {t}", Type(t.element))
        self.add(f"memref.store {x}, {v}[{places}] : {t}")

    def control(self):
        if self.depth > 2:
            return
        v, t = self.pick(lambda t: t.kind != "memref")
        if not v:
            return
        kind = self.rng.randrange(6)
        flag = self.find(Type("i1"))
        if kind == 0:
            self.add(f"scf.if {flag} -> ({t}) {{\n{self.nested([], [t], 'scf.yield')}\n}} else {{\n{self.nested([], [t], 'scf.yield')}\n}}", t)
        elif kind == 1:
            self.add(f"scf.if {flag} {{\n{self.nested([], [], 'scf.yield')}\n}}")
        elif kind == 2:
            i, c = self.module.fresh(), self.module.fresh()
            low, high, step = self.index(0), self.index(3), self.index(1)
            self.add(f"scf.for {i} = {low} to {high} step {step} iter_args({c} = {v}) -> ({t}) {{\n"
                     f"{self.nested([(i, Type('index')), (c, t)], [t], 'scf.yield')}\n}}", t)
        elif kind == 3:
            a, b = self.module.fresh(), self.module.fresh()
            self.add(f"scf.while ({a} = {v}) : ({t}) -> ({t}) {{\nscf.condition({flag}) {a} : {t}\n}} do {{\n^bb0({b}: {t}):\n"
                     f"{self.nested([(b, t)], [t], 'scf.yield')}\n}}", t)
        elif kind == 4:
            self.add(f"scf.execute_region -> {t} {{\n{self.nested([], [t], 'scf.yield')}\n}}", t)
        else:
            b = self.module.fresh()
            self.add(f'"foo.region"({v}) ({{\n^bb0({b}: {t}):\n' + self.nested([(b, t)], [t], '"foo.yield"').replace('"foo.yield" ', '"foo.yield"(')
                     .rpartition(" : ")[0] + f") : ({t}) -> ()\n}}) : ({t}) -> {t}", t)

    def unknown(self):
        picked = [self.pick() for _ in range(self.rng.randrange(3))]
        picked = [(v, t) for v, t in picked if v]
        results = [self.rng.choice(self.module.types) for _ in range(self.rng.randrange(3))]
        self.add(f'"{self.rng.choice(["foo.bar", "stablehlo.dot_general", "foo.call"])}"({", ".join(v for v, _ in picked)}) {{foo.x = 1 : i32}} : '
                 f"({', '.join(str(t) for _, t in picked)}) -> ({', '.join(map(str, results))})", *results)

    def call(self):
        # An unknown operation around a call may hold symbols of its own.
        if not self.module.signatures or not self.isKnown:
            return
        name, arguments, results = self.rng.choice(self.module.signatures)
        values = ", ".join(self.find(t) for t in arguments)
        self.add(f"func.call @{name}({values}) : ({', '.join(map(str, arguments))}) -> ({', '.join(map(str, results))})", *results)

    def tosa(self):
        v, t = self.pick(lambda t: t.is_static and t.element == "f32" and 0 < len(t.shape) <= 4 and 0 not in t.shape)
        if not v:
            t = Type("f32", [2, 3, 4])
            v = self.find(t)
        kind = self.rng.randrange(6)
        if kind == 0:
            self.add(f"tosa.add {v}, {v} : ({t}, {t}) -> {t}", t)
        elif kind == 1:
            self.add(f"tosa.{self.rng.choice(['exp', 'tanh', 'sigmoid', 'rsqrt', 'abs'])} {v} : ({t}) -> {t}", t)
        elif kind == 2:
            small = Type("f32", [*t.shape[:-1], 1])
            self.add(f"tosa.reduce_sum {v} {{axis = {len(t.shape) - 1} : i32}} : ({t}) -> {small}", small)
        elif kind == 3:
            self.add(f'"tosa.const"() <{{values = dense<0.5> : {t}}}> : () -> {t}', t)
        elif kind == 4:
            order = list(reversed(range(len(t.shape))))
            turned = Type("f32", t.shape[::-1])
            self.add(f"tosa.transpose {v} {{perms = array<i32: {', '.join(map(str, order))}>}} : ({t}) -> {turned}", turned)
        else:
            self.add(f"tosa.concat {v}, {v} {{axis = 0 : i32}} : ({t}, {t}) -> {Type('f32', [2 * t.shape[0], *t.shape[1:]])}",
                     Type("f32", [2 * t.shape[0], *t.shape[1:]]))

    def vectors(self):
        t = Type(self.rng.choice(["f32", "f16", "i32"]), [self.rng.choice([1, 4])], "vector")
        v = self.find(t)
        self.add(f"arith.{'addf' if t.is_float else 'addi'} {v}, {v} : {t}", t)

    def grow(self):
        self.rng.choice([self.elementwise, self.elementwise, self.elementwise, self.movement, self.movement, self.structured, self.structured,
                         self.product, self.product, self.named, self.named, self.memory, self.control, self.control, self.unknown, self.call,
                         self.tosa, self.vectors])()


UNKNOWN_ATTRIBUTES = [
    "{foo.flag}",
    '{bar.sizes = [1, 2], tag = "x"}',
    "{prec_train.phase = #prec_train.phase<backward>}",
    "{prec_train.seq = 3 : i64}",
    "{prec.class = #prec.class<norm>}",
]


class Module:
    def __init__(self, seed):
        self.rng, self.count, self.signatures, self.types = random.Random(seed), 0, [], []

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def type(self):
        rng = self.rng
        element = rng.choice(rng.choice([FLOATS, FLOATS, FLOATS, INTEGERS, OTHERS]))
        kind = rng.randrange(12)
        if kind == 0 or element == "none":
            return Type(element)
        if kind == 1 and element != "none" and element not in ("ui8", "si32", "ui64"):
            return Type(element, [rng.choice([1, 2, "?"]) for _ in range(rng.randrange(4))], "memref")
        if kind == 2:
            return Type(element, "*")
        return Type(element, [rng.choice([0, 1, 2, 3, 16, 64, "?"]) for _ in range(rng.choice([0, 1, 1, 2, 2, 2, 3, 4, 5]))])

    def argument_attributes(self, t, number, marks):
        parts = []
        if marks:
            parts.append("prec_train.gradient" if self.rng.randrange(16) == 0 else f"prec_train.role = #prec_train.role<{self.rng.choice(ROLES)}>")
            if self.rng.randrange(4):
                parts.append(f'prec_train.path = "layers.{number}.weight"')
            if self.rng.randrange(4) == 0:
                parts.append(
                    self.rng.choice(
                        [
                            'prec_train.slot = "m"',
                            'prec_train.param_of = "layers.0.weight"',
                            "prec_train.vocabulary = 7 : i64",
                            "prec_train.default = 1.0 : f64",
                            'prec_train.aliases = ["a", "b"]',
                            "prec_train.ignore_index = -100 : i64",
                            "prec_train.shift = 1 : i64",
                            "prec_train.range = array<i64: 0, 6>",
                        ]
                    )
                )
            if self.rng.randrange(3) == 0:
                parts.append(f'prec.tag = #prec.tag<{self.rng.choice(TAGS)}, rule = "r">')
        if self.rng.randrange(8) == 0:
            parts.append('foo.sharding = "x"')
        return f" {{{', '.join(parts)}}}" if parts else ""

    def function(self, name, entry):
        rng = self.rng
        arguments = [self.type() for _ in range(rng.randrange(5))]
        if rng.randrange(6) == 0:
            results = [self.type() for _ in range(rng.randrange(3))]
            self.signatures.append((name, arguments, results))
            return f"func.func private @{name}({', '.join(map(str, arguments))}) -> ({', '.join(map(str, results))})"
        names = [self.fresh() for _ in arguments]
        marks = entry is not None and rng.randrange(4) > 0
        body = Body(rng, self, zip(names, arguments))
        blocks = []
        for _ in range(rng.randrange(14)):
            body.grow()
        if rng.randrange(8) == 0:
            v, t = body.pick()
            b, flag = self.fresh(), body.find(Type("i1"))
            if v:
                # The block reads what is defined above it; the other may skip it.
                blocks.append(f"cf.cond_br {flag}, ^bb1({v} : {t}), ^bb2\n^bb1({b}: {t}):\ncf.br ^bb2\n^bb2:")
        returned = [body.pick() for _ in range(rng.randrange(4))]
        returned = [(v, t) for v, t in returned if v]
        attributes, donated = [], set()
        for _, t in returned:
            parts = []
            if marks:
                parts.append(f"prec_train.role = #prec_train.role<{rng.choice(['loss', 'updated', 'metric', 'guard', 'updated'])}>")
                if rng.randrange(2):
                    parts.append(f'prec_train.path = "layers.{rng.randrange(4)}.weight"')
                same = [i for i, a in enumerate(arguments) if a == t and i not in donated]
                if same and rng.randrange(3):
                    donated.add(same[0])
                    parts.append(f"prec_train.donated_to = {same[0]} : i64")
            attributes.append(f" {{{', '.join(parts)}}}" if parts else "")
        heads = ", ".join(f"{n}: {t}{self.argument_attributes(t, i, marks)}" for i, (n, t) in enumerate(zip(names, arguments)))
        outs = ", ".join(f"{t}{a}" for (_, t), a in zip(returned, attributes))
        more = [f'prec.entry = "{entry}"'] if entry else []
        more += ["foo.flag"] if rng.randrange(6) == 0 else []
        line = f"return {', '.join(v for v, _ in returned)} : {', '.join(str(t) for _, t in returned)}" if returned else "return"
        self.signatures.append((name, arguments, [t for _, t in returned]))
        return (f"func.func @{name}({heads})" + (f" -> ({outs})" if returned else "") + (f" attributes {{{', '.join(more)}}}" if more else "")
                + " {\n" + "\n".join([*body.lines, *blocks, line]) + "\n}")

    def text(self):
        rng = self.rng
        self.types = [self.type() for _ in range(4)]
        entries = [e for e in rng.sample(ENTRIES, rng.randrange(3))]
        if rng.randrange(2) and "step" not in entries:
            entries.append("step")
        functions = []
        for i in range(rng.randrange(1, 4)):
            entry = entries.pop() if entries else None
            text = self.function(rng.choice(["step", "init", "f"]) + str(i) if rng.randrange(2) else f"f{i}", entry)
            functions.append(text)
        attributes = rng.choice(
            [
                "",
                "",
                "",
                ' attributes {prec.recipe = "bf16", prec.target = "cpu"}',
                " attributes {foo.bar = 1 : i64}",
                " attributes {prec.loss_scaling = #prec.loss_scaling<dynamic, scale = 65536, interval = 2000, growth = 2.0, backoff = 0.5>}",
                " attributes {prec.master_rounding = #prec.master_rounding<stochastic>}",
                " attributes {prec.moments = #prec.moments<dynamic8>}",
            ]
        )
        if rng.randrange(10) == 0:
            functions.append("module @inner {\nfunc.func @f() {\nreturn\n}\n}")
        return f"module{attributes} {{\n" + "\n".join(functions) + "\n}\n"


def make(seed) -> str:
    return Module(seed).text()


if __name__ == "__main__":
    import sys
    first, count = map(int, sys.argv[1:3])
    print("\n// -----\n".join(make(seed) for seed in range(first, first + count)))
