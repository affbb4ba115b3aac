# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a module of random linalg functions: generate_linalg.py SEED COUNT [DTYPE]

What is known by construction stands at each operation as expect = "CLASS CLASS ...", the classes that it may have.
"""
import itertools
import random
import sys

FLOATS = ["f32", "f32", "f32", "bf16"]


class Function:
    def __init__(self, rng, name, dtype):
        self.rng, self.name, self.dtype = rng, name, dtype
        self.arguments, self.lines, self.count = [], [], 0

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def type(self, shape, dtype=None):
        return f"tensor<{''.join(f'{s if s else chr(63)}x' for s in shape)}{dtype or self.dtype}>"

    def argument(self, shape, dtype=None):
        name = f"%a{len(self.arguments)}"
        self.arguments.append(f"{name}: {self.type(shape, dtype)}")
        return name, tuple(shape)

    def emit(self, text):
        name = self.fresh()
        self.lines.append(f"  {name} = {text}")
        return name

    def empty(self, shape, like=None):
        """An output; unknown sizes are those of a value of the same shape."""
        sizes = []
        for dim, size in enumerate(shape):
            if not size:
                index = self.emit(f"arith.constant {dim} : index")
                sizes.append(self.emit(f"tensor.dim {like[0]}, {index} : {self.type(like[1])}") if like
                             else self.emit("arith.constant 16 : index"))
        return self.emit(f"tensor.empty({', '.join(sizes)}) : {self.type(shape)}"), tuple(shape)

    def filled(self, shape, value="0.0", like=None):
        out, scalar = self.empty(shape, like), self.emit(f"arith.constant {value} : {self.dtype}")
        return self.emit(f'linalg.fill {{expect = "layout elementwise"}} ins({scalar} : {self.dtype}) outs({out[0]} : {self.type(shape)}) '
                         f"-> {self.type(shape)}"), tuple(shape)

    def generic(self, inputs, maps, output, out_map, iterators, body, expect):
        """`body` computes %r of %p0, %p1, ... and the output's element %o."""
        dims = ", ".join(f"d{i}" for i in range(len(iterators)))
        text = [f"affine_map<({dims}) -> ({', '.join(f'd{d}' for d in m)})>" for m in [*maps, out_map]]
        ins = f"ins({', '.join(i[0] for i in inputs)} : {', '.join(self.type(i[1]) for i in inputs)}) " if inputs else ""
        arguments = ", ".join([f"%p{i}: {self.dtype}" for i in range(len(inputs))] + [f"%o: {self.dtype}"])
        kinds = ", ".join(f'"{i}"' for i in iterators)
        return self.emit(f"linalg.generic {{indexing_maps = [{', '.join(text)}], iterator_types = [{kinds}]}} {ins}"
                         f"outs({output[0]} : {self.type(output[1])}) attrs = {{expect = \"{expect}\"}} {{\n"
                         f"  ^bb0({arguments}):\n    {body}\n    linalg.yield %r : {self.dtype}\n  }} -> {self.type(output[1])}"), output[1]

    def finish(self, value):
        return (f"func.func @{self.name}({', '.join(self.arguments)}) -> {self.type(value[1])} {{\n" + "\n".join(self.lines) +
                f"\n  return {value[0]} : {self.type(value[1])}\n}}\n")


def elementwise(f, x, expect="elementwise", other=None):
    kind = f.rng.randrange(4 if other else 3)
    if kind == 0:
        op = f.rng.choice(["math.tanh", "math.sin", "math.absf", "math.log1p", "arith.negf", "math.erf"])
        return f.emit(f'{op} {x[0]} {{expect = "{expect} rotary"}} : {f.type(x[1])}'), x[1]
    maps = [range(len(x[1]))]
    if kind == 1:
        return f.generic([x], maps, f.empty(x[1], x), maps[0], ["parallel"] * len(x[1]),
                         f"%r = math.tanh %p0 : {f.dtype}", expect)
    if kind == 2:
        return f.emit(f'linalg.abs {{expect = "{expect}"}} ins({x[0]} : {f.type(x[1])}) outs({f.empty(x[1], x)[0]} : {f.type(x[1])}) '
                      f"-> {f.type(x[1])}"), x[1]
    op = f.rng.choice(["arith.addf", "arith.mulf", "arith.subf", "arith.maximumf"])
    return f.emit(f'{op} {x[0]}, {other[0]} {{expect = "{expect} residual"}} : {f.type(x[1])}'), x[1]


def matmul(f, a, b, expect="contraction"):
    out = f.filled((a[1][0], b[1][1]), like=a if not a[1][0] else None)
    return f.emit(f'linalg.matmul {{expect = "{expect}"}} ins({a[0]}, {b[0]} : {f.type(a[1])}, {f.type(b[1])}) '
                  f"outs({out[0]} : {f.type(out[1])}) -> {f.type(out[1])}"), out[1]


def contraction(f):
    """A product over random loops in random orders: batch, m, n and k, several of each."""
    rng = f.rng
    kinds = ["b"] * rng.randrange(2) + ["m"] * rng.randint(1, 2) + ["n"] * rng.randint(0, 2) + ["k"] * rng.randint(1, 2)
    rng.shuffle(kinds)
    sizes = [rng.choice([1, 16, 32, 48, 7]) for _ in kinds]
    def pick(what):
        return rng.sample(d := [i for i, kind in enumerate(kinds) if kind in what], len(d))
    lhs, rhs, out = pick("bmk"), pick("bnk"), pick("bmn")
    a, b = (f.argument([sizes[d] for d in m]) for m in (lhs, rhs))
    iterators = ["reduction" if kind == "k" else "parallel" for kind in kinds]
    body = f"%t = arith.mulf %p0, %p1 : {f.dtype}\n    %r = arith.addf %o, %t : {f.dtype}"
    return f.generic([a, b], [lhs, rhs], f.filled([sizes[d] for d in out]), out, iterators, body, "contraction")


def named_contraction(f):
    m, n, k, batch = (f.rng.choice([16, 32, 0, 5]) for _ in range(4))
    if f.rng.randrange(2):
        return matmul(f, f.argument((m, k)), f.argument((k, n if n else 16)))
    a, b = f.argument((batch, m, k)), f.argument((batch, k, 16))
    out = f.argument((batch, m, 16))
    return f.emit(f'linalg.batch_matmul {{expect = "contraction"}} ins({a[0]}, {b[0]} : {f.type(a[1])}, {f.type(b[1])}) '
                  f"outs({out[0]} : {f.type(out[1])}) -> {f.type(out[1])}"), out[1]


def reduction(f, x=None, expect="reduction", op=None):
    x = x or f.argument([f.rng.choice([4, 8, 0]) for _ in range(f.rng.randint(1, 4))])
    rank = len(x[1])
    kept = sorted(f.rng.sample(range(rank), f.rng.randrange(rank))) if expect == "reduction" else list(range(rank - 1))
    iterators = ["parallel" if d in kept else "reduction" for d in range(rank)]
    shape = [x[1][d] for d in kept]
    if 0 in shape:
        return elementwise(f, x)
    out = f.filled(shape, "0.0")
    op = op or f.rng.choice(["arith.addf", "arith.maximumf", "arith.mulf", "arith.minimumf"])
    return f.generic([x], [range(rank)], out, kept, iterators, f"%r = {op} %p0, %o : {f.dtype}", expect)


def shifted(f, x, expect):
    """x less its row maximum, in half of the cases."""
    if f.rng.randrange(2):
        return x
    rank = len(x[1])
    top = reduction(f, x, expect, "arith.maximumf")
    return f.generic([x, top], [range(rank), range(rank - 1)], f.empty(x[1], x), range(rank), ["parallel"] * rank,
                     f"%r = arith.subf %p0, %p1 : {f.dtype}", expect)


def exponentials(f, x, expect):
    """Exponentials and their row sums, as two results of one operation or of two."""
    shape, rank = x[1], len(x[1])
    full, rows, parallel = range(rank), range(rank - 1), ["parallel"] * rank
    kind = f.rng.randrange(3)
    if kind == 0:
        top = reduction(f, x, expect, "arith.maximumf")
        body = f"%s = arith.subf %p0, %p1 : {f.dtype}\n    %r = math.exp %s : {f.dtype}"
        e = f.generic([x, top], [full, rows], f.empty(shape, x), full, parallel, body, expect)
        return e, reduction(f, e, expect, "arith.addf")
    d = shifted(f, x, expect)
    if kind == 1:
        exp = f.rng.choice(["math.exp", "math.exp2"])
        e = f.generic([d], [full], f.empty(shape, x), full, parallel, f"%r = {exp} %p0 : {f.dtype}", expect)
        return e, reduction(f, e, expect, "arith.addf")
    out, total = f.empty(shape, x), f.filled(shape[:-1], like=x)
    dims, kept = ", ".join(f"d{i}" for i in full), ", ".join(f"d{i}" for i in rows)
    kinds = ", ".join(['"parallel"'] * (rank - 1) + ['"reduction"'])
    both = f.emit(
        f"linalg.generic {{indexing_maps = [affine_map<({dims}) -> ({dims})>, affine_map<({dims}) -> ({dims})>, affine_map<({dims}) -> ({kept})>], "
        f"iterator_types = [{kinds}]}} ins({d[0]} : {f.type(shape)}) outs({out[0]}, {total[0]} : {f.type(shape)}, {f.type(total[1])}) "
        f'attrs = {{expect = "{expect}"}} {{\n  ^bb0(%p0: {f.dtype}, %o: {f.dtype}, %sum: {f.dtype}):\n    %e = math.exp %p0 : {f.dtype}\n'
        f"    %r = arith.addf %sum, %e : {f.dtype}\n    linalg.yield %e, %r : {f.dtype}, {f.dtype}\n  }} -> ({f.type(shape)}, {f.type(total[1])})")
    f.lines[-1] = f.lines[-1].replace(f"{both} =", f"{both}:2 =", 1)
    return (f"{both}#0", shape), (f"{both}#1", total[1])


def softmax(f, x, expect="softmax"):
    """Along the last dimension: the named operation, or primitives in one of the ways in which they are written."""
    shape, rank, kind = x[1], len(x[1]), f.rng.randrange(5)
    full, rows, parallel = range(rank), range(rank - 1), ["parallel"] * rank
    if kind == 0:
        out = f.empty(shape, x)
        return f.emit(f'linalg.softmax {{expect = "{expect}"}} dimension({rank - 1}) ins({x[0]} : {f.type(shape)}) '
                      f"outs({out[0]} : {f.type(shape)}) -> {f.type(shape)}"), shape
    if kind == 1:
        # The exponential inside the sum, and again where it is divided.
        d = shifted(f, x, expect)
        iterators = [*parallel[1:], "reduction"]
        total = f.generic([d], [full], f.filled(shape[:-1], like=x), rows, iterators,
                          f"%e = math.exp %p0 : {f.dtype}\n    %r = arith.addf %o, %e : {f.dtype}", expect)
        return f.generic([d, total], [full, rows], f.empty(shape, x), full, parallel,
                         f"%e = math.exp %p0 : {f.dtype}\n    %r = arith.divf %e, %p1 : {f.dtype}", expect)
    if kind == 2:
        # exp(d - log(sum(exp(d)))).
        d = shifted(f, x, expect)
        e = f.generic([d], [full], f.empty(shape, x), full, parallel, f"%r = math.exp %p0 : {f.dtype}", expect)
        total = reduction(f, e, expect, "arith.addf")
        log = f.generic([total], [rows], f.empty(shape[:-1], x), rows, parallel[1:], f"%r = math.log %p0 : {f.dtype}", expect)
        rest = f.generic([d, log], [full, rows], f.empty(shape, x), full, parallel, f"%r = arith.subf %p0, %p1 : {f.dtype}", expect)
        return f.generic([rest], [full], f.empty(shape, x), full, parallel, f"%r = math.exp %p0 : {f.dtype}", expect)
    e, total = exponentials(f, x, expect)
    if kind == 3:
        one = f"%c = arith.constant 1.0 : {f.dtype}\n    %r = arith.divf %c, %p0 : {f.dtype}"
        factor = f.generic([total], [rows], f.empty(shape[:-1], x), rows, parallel[1:], one, expect)
        return f.generic([e, factor], [full, rows], f.empty(shape, x), full, parallel, f"%r = arith.mulf %p0, %p1 : {f.dtype}", expect)
    return f.generic([e, total], [full, rows], f.empty(shape, x), full, parallel, f"%r = arith.divf %p0, %p1 : {f.dtype}", expect)


def norm(f, x, expect="norm"):
    """A norm of the last dimension: of squares, or of squared differences from the mean; its tail in one body or in
    two."""
    shape, rank = x[1], len(x[1])
    full, rows, parallel = range(rank), range(rank - 1), ["parallel"] * rank
    size = f"%n = arith.constant {shape[-1]}.0 : {f.dtype}\n    "
    scaled, fused = x, f.rng.randrange(2)
    if centered := f.rng.randrange(2):
        total = reduction(f, x, expect, "arith.addf")
        mean = f.generic([total], [rows], f.empty(shape[:-1]), rows, parallel[1:], size + f"%r = arith.divf %p0, %n : {f.dtype}", expect)
        def center():
            return f.generic([x, mean], [full, rows], f.empty(shape, x), full, parallel, f"%r = arith.subf %p0, %p1 : {f.dtype}", expect)
        scaled = center()
    square = f.generic([scaled], [full], f.empty(shape, x), full, parallel, f"%r = arith.mulf %p0, %p0 : {f.dtype}", expect)
    total = reduction(f, square, expect, "arith.addf")
    if centered and f.rng.randrange(2):
        scaled = center()
    if fused:
        body = size + (f"%m = arith.divf %p1, %n : {f.dtype}\n    %q = math.rsqrt %m : {f.dtype}\n    %r = arith.mulf %p0, %q : {f.dtype}")
        return f.generic([scaled, total], [full, rows], f.empty(shape, x), full, parallel, body, expect)
    body = size + f"%m = arith.divf %p0, %n : {f.dtype}\n    %r = math.rsqrt %m : {f.dtype}"
    factor = f.generic([total], [rows], f.empty(shape[:-1]), rows, parallel[1:], body, expect)
    return f.generic([scaled, factor], [full, rows], f.empty(shape, x), full, parallel, f"%r = arith.mulf %p0, %p1 : {f.dtype}", expect)


def attention(f):
    s, t, d, e = (f.rng.choice([16, 32, 48]) for _ in range(4))
    scores = matmul(f, f.argument((s, d)), f.argument((d, t)), "attention")
    if f.rng.randrange(2):
        scores = elementwise(f, scores)
    if f.rng.randrange(3):
        return matmul(f, softmax(f, scores), f.argument((t, e)), "attention")
    # Normalized behind the second product.
    weights, total = exponentials(f, scores, "softmax")
    out = matmul(f, weights, f.argument((t, e)), "attention")
    return f.generic([out, total], [range(2), range(1)], f.empty(out[1]), range(2), ["parallel"] * 2,
                     f"%r = arith.divf %p0, %p1 : {f.dtype}", "softmax")


def normed_projection(f):
    t, d, n = (f.rng.choice([16, 32, 48]) for _ in range(3))
    x = f.argument((t, d))
    y = matmul(f, norm(f, x), f.argument((d, d)))
    total = f.emit(f'arith.addf {x[0]}, {y[0]} {{expect = "residual"}} : {f.type(x[1])}'), x[1]
    return matmul(f, norm(f, total), f.argument((d, n)))


def router(f):
    """Scores, a gate and its argmax, which a lookup reads."""
    t, d, e = 32, f.rng.choice([16, 64]), f.rng.choice([8, 16])
    x = f.argument((t, d))
    scores = matmul(f, x, f.argument((d, e)), "router")
    gate = softmax(f, scores) if f.rng.randrange(2) else elementwise(f, scores)
    best, where = f.filled((t,), "0xFC00" if f.dtype == "f16" else "-1.0"), f.argument((t,), "i32")
    pair = f.emit(
        "linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], "
        f'iterator_types = ["parallel", "reduction"]}} ins({gate[0]} : {f.type(gate[1])}) '
        f"outs({best[0]}, {where[0]} : {f.type(best[1])}, tensor<{t}xi32>) attrs = {{expect = \"reduction\"}} {{\n"
        f"  ^bb0(%p0: {f.dtype}, %b: {f.dtype}, %w: i32):\n    %j = linalg.index 1 : index\n    %i = arith.index_cast %j : index to i32\n"
        f"    %c = arith.cmpf ogt, %p0, %b : {f.dtype}\n    %m = arith.select %c, %p0, %b : {f.dtype}\n    %n = arith.select %c, %i, %w : i32\n"
        f"    linalg.yield %m, %n : {f.dtype}, i32\n  }} -> ({f.type(best[1])}, tensor<{t}xi32>)")
    pair = pair + ":2"
    f.lines[-1] = f.lines[-1].replace(pair[:-2] + " =", pair + " =", 1)
    table = f.argument((e, d))
    out = f.empty((t, d))
    return f.emit(
        "linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = "
        f'["parallel", "parallel"]}} ins({pair[:-2]}#1 : tensor<{t}xi32>) outs({out[0]} : {f.type(out[1])}) '
        'attrs = {expect = "layout embedding"} {\n'
        f"  ^bb0(%w: i32, %o: {f.dtype}):\n    %i = arith.index_cast %w : i32 to index\n    %j = linalg.index 1 : index\n"
        f"    %r = tensor.extract {table[0]}[%i, %j] : {f.type(table[1])}\n    linalg.yield %r : {f.dtype}\n  }} -> {f.type(out[1])}"), (t, d)


def layout(f, x=None):
    x = x or f.argument([f.rng.choice([4, 8, 16]) for _ in range(f.rng.randint(1, 3))])
    shape, rank, kind = x[1], len(x[1]), f.rng.randrange(6)
    zeros, ones = ", ".join("0" for _ in shape), ", ".join("1" for _ in shape)
    mark = '{expect = "layout"}'
    if kind == 0:
        half = [max(s // 2, 1) for s in shape]
        return f.emit(f"tensor.extract_slice {x[0]}[{zeros}] [{', '.join(map(str, half))}] [{ones}] {mark} : {f.type(shape)} to {f.type(half)}"), half
    if kind == 1:
        scalar = f.emit(f"arith.constant 0.0 : {f.dtype}")
        wide = [s + 3 for s in shape]
        block = ", ".join(f"%i{d}: index" for d in range(rank))
        return f.emit(f"tensor.pad {x[0]} low[{zeros}] high[{', '.join('3' for _ in shape)}] {{\n  ^bb0({block}):\n"
                      f"    tensor.yield {scalar} : {f.dtype}\n  }} {mark} : {f.type(shape)} to {f.type(wide)}"), wide
    if kind == 2:
        flat = [1]
        for s in shape:
            flat[0] *= s
        group = ", ".join(map(str, range(rank)))
        return f.emit(f"tensor.collapse_shape {x[0]} [[{group}]] {mark} : {f.type(shape)} into {f.type(flat)}"), flat
    if kind == 3:
        order = f.rng.sample(range(rank), rank)
        moved = [shape[d] for d in order]
        out = f.empty(moved)
        return f.emit(f"linalg.transpose ins({x[0]} : {f.type(shape)}) outs({out[0]} : {f.type(moved)}) permutation = [{', '.join(map(str, order))}] "
                      f"{mark}"), moved
    if kind == 4:
        wide = [shape[0] * 2, *shape[1:]]
        return f.emit(f"tensor.concat dim(0) {x[0]}, {x[0]} {mark} : ({f.type(shape)}, {f.type(shape)}) -> {f.type(wide)}"), wide
    unranked = f.emit(f"tensor.cast {x[0]} {mark} : {f.type(shape)} to tensor<*x{f.dtype}>")
    return f.emit(f"tensor.cast {unranked} {mark} : tensor<*x{f.dtype}> to {f.type(shape)}"), shape


def control_flow(f):
    """Loops and branches around maths; what is inside has its class, too."""
    shape = (16, 16)
    x, y = f.argument(shape), f.argument(shape)
    kind = f.rng.randrange(3)
    if kind == 0:
        low, high, step = (f.emit(f"arith.constant {c} : index") for c in (0, 4, 1))
        zero = f.filled(shape)
        inner = f.fresh()
        return f.emit(f"scf.for %i = {low} to {high} step {step} iter_args(%s = {x[0]}) -> ({f.type(shape)}) {{\n"
                      f'    {inner} = linalg.matmul {{expect = "contraction attention head"}} ins(%s, {y[0]} : {f.type(shape)}, {f.type(shape)}) '
                      f"outs({zero[0]} : {f.type(shape)}) -> {f.type(shape)}\n"
                      f'    %n = math.tanh {inner} {{expect = "elementwise"}} : {f.type(shape)}\n'
                      f"    scf.yield %n : {f.type(shape)}\n  }}"), shape
    if kind == 1:
        condition = f.emit("arith.constant true")
        return f.emit(f"scf.if {condition} -> ({f.type(shape)}) {{\n    %t = math.exp {x[0]} : {f.type(shape)}\n"
                      f"    scf.yield %t : {f.type(shape)}\n  }} else {{\n    scf.yield {y[0]} : {f.type(shape)}\n  }}"), shape
    f.lines.append(f"  cf.br ^bb1({x[0]} : {f.type(shape)})\n^bb1(%b: {f.type(shape)}):")
    z = matmul(f, ("%b", shape), y, "contraction attention head")
    flag = f.argument((), "i1")
    bit = f.emit(f"tensor.extract {flag[0]}[] : tensor<i1>")
    f.lines.append(f"  cf.cond_br {bit}, ^bb1({z[0]} : {f.type(shape)}), ^bb2\n^bb2:")
    return elementwise(f, z)


def call(f):
    x = f.argument((8, 8))
    return f.emit(f"func.call @external_{f.dtype}({x[0]}) : ({f.type((8, 8))}) -> {f.type((8, 8))}"), (8, 8)


def convolution(f):
    x, w = f.argument((1, 8, 8, 4)), f.argument((3, 3, 4, 16))
    out = f.filled((1, 6, 6, 16))
    return f.emit(f'linalg.conv_2d_nhwc_hwcf {{expect = "contraction", dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}} '
                  f"ins({x[0]}, {w[0]} : {f.type(x[1])}, {f.type(w[1])}) outs({out[0]} : {f.type(out[1])}) -> {f.type(out[1])}"), out[1]


def scalars(f):
    x, y = f.argument(()), f.argument(())
    s = f.emit(f'arith.mulf {x[0]}, {y[0]} {{expect = "elementwise"}} : {f.type(())}'), ()
    return elementwise(f, s)


def soup(f):
    """Anything after anything: no class is expected of elementwise maths, but every contraction is one."""
    pool = [f.argument((16, 16)) for _ in range(3)]
    for _ in range(f.rng.randint(4, 30)):
        x, y = f.rng.choice(pool), f.rng.choice(pool)
        kind = f.rng.randrange(6)
        if kind == 0:
            pool.append(matmul(f, x, y, "contraction attention head router"))
        elif kind == 1:
            pool.append(softmax(f, x, "softmax loss elementwise reduction norm"))
        elif kind == 2:
            pool.append(norm(f, x, "norm softmax elementwise reduction loss rotary"))
        else:
            pool.append(elementwise(f, x, "elementwise residual norm softmax rotary loss", y))
    return pool[-1]


def main():
    seed, count = map(int, sys.argv[1:3])
    dtypes = sys.argv[3:] or FLOATS
    rng = random.Random(seed)
    shapes = [contraction, named_contraction, reduction, attention, normed_projection, router, layout, control_flow, call, convolution,
              scalars, soup, lambda f: softmax(f, f.argument((4, 16))), lambda f: elementwise(f, f.argument((8, 0)))]
    for dtype in sorted(set(dtypes)):
        print(f"func.func private @external_{dtype}(tensor<8x8x{dtype}>) -> tensor<8x8x{dtype}>")
    for number, shape in zip(range(count), itertools.cycle(shapes)):
        f = Function(rng, f"f{number}", rng.choice(dtypes))
        print(f.finish(shape(f)))


if __name__ == "__main__":
    main()
