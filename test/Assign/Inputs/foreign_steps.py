# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps as other compilers lower them to linalg: foreign_steps.py STYLE. One block of attention and ReLU FFN
with norms, a cross entropy, its backward and Adam, all of primitives. Every operation has a name of its own as its
location, so that it is known again when passes have rewritten the step.

    jax     constants, places and fills for every use; products that read transposes; masks kept as i1
    torch   each constant, place and fill once, shared by all phases; rows and labels picked by tensor.extract of a captured tensor
    square  as torch, with all sizes alike, so that as much as possible is shared
"""
import sys


class Step:
    def __init__(self, shares: bool):
        self.shares, self.lines, self.arguments, self.results, self.known, self.names = shares, [], [], [], {}, {}

    def emit(self, text: str, name: str) -> str:
        count = self.names[name] = self.names.get(name, -1) + 1
        value = f"%v{len(self.lines)}"
        self.lines.append(f'  {value} = {text} loc("{name}{count or ""}")')
        return value

    def once(self, key, make):
        """What is shared where the style shares, and new for every use where not."""
        if not self.shares:
            return make()
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]

    def argument(self, name, shape, role, dtype="f32"):
        self.arguments.append(f'%arg_{name}: {kind(shape, dtype)} {{prec_train.role = #prec_train.role<{role}>, prec_train.path = "{name}"}}')
        return f"%arg_{name}", shape

    def constant(self, value, dtype="f32"):
        return self.once(("c", value, dtype), lambda: self.emit(f"arith.constant {value} : {dtype}", "constant"))

    def empty(self, shape, dtype="f32"):
        return self.once(("e", shape, dtype), lambda: self.emit(f"tensor.empty() : {kind(shape, dtype)}", "empty"))

    def filled(self, shape, value="0.0"):
        def make():
            c, e = self.constant(value), self.empty(shape)
            return self.emit(f"linalg.fill ins({c} : f32) outs({e} : {kind(shape)}) -> {kind(shape)}", "fill")
        return self.once(("f", shape, value), make)

    def generic(self, name, ins, maps, out, out_map, body, result, reduced=(), dtypes=None, dtype="f32", loops=None):
        """`maps` are lists of loops; `body` gives %r of %p0, %p1, ... and %o."""
        rank = loops or (max([*out_map, *(d for m in maps for d in m), *reduced], default=-1) + 1)
        dims = ", ".join(f"d{i}" for i in range(rank))
        dtypes = dtypes or ["f32"] * len(ins)
        text = ", ".join(f"affine_map<({dims}) -> ({', '.join(f'd{i}' for i in m)})>" for m in [*maps, out_map])
        iterators = ", ".join('"reduction"' if i in reduced else '"parallel"' for i in range(rank))
        types = ", ".join(kind(shape, d) for (_, shape), d in zip(ins, dtypes))
        given = f"ins({', '.join(v for v, _ in ins)} : {types}) " if ins else ""
        block = ", ".join([*(f"%p{i}: {d}" for i, d in enumerate(dtypes)), f"%o: {dtype}"])
        lines = "".join(f"    {line}\n" for line in body.split("\n"))
        return self.emit(
            f"linalg.generic {{indexing_maps = [{text}], iterator_types = [{iterators}]}} {given}outs({out} : {kind(result, dtype)}) {{\n"
            f"  ^bb0({block}):\n{lines}    linalg.yield %r : {dtype}\n  }} -> {kind(result, dtype)}",
            name,
        ), result

    def map(self, name, body, *ins):
        """Elementwise over the shape of the first; the others are that shape, its rows, or scalars."""
        shape = ins[0][1]
        full = list(range(len(shape)))
        maps = [full if s == shape else [0] if len(s) == 1 and len(shape) == 2 else [] for _, s in ins]
        return self.generic(name, ins, maps, self.empty(shape), full, body, shape)

    def matmul(self, name, a, b):
        (m, _), (_, n) = a[1], b[1]
        return self.emit(
            f"linalg.matmul ins({a[0]}, {b[0]} : {kind(a[1])}, {kind(b[1])}) outs({self.filled((m, n))} : {kind((m, n))}) -> {kind((m, n))}", name
        ), (m, n)

    def transpose(self, a):
        turned = a[1][::-1]
        return self.once(("t", a), lambda: (self.emit(
            f"linalg.transpose ins({a[0]} : {kind(a[1])}) outs({self.empty(turned)} : {kind(turned)}) permutation = [1, 0]", "transpose"), turned))

    def reduce(self, name, a, body="%r = arith.addf %p0, %o : f32", start="0.0", keep=(0,)):
        shape = tuple(a[1][i] for i in keep)
        return self.generic(name, [a], [[0, 1]], self.filled(shape, start), list(keep), body, shape, reduced=[i for i in (0, 1) if i not in keep])

    def pick(self, name, table, indices, whole_rows):
        """Rows of a table, or an element of each row, by an index that a payload reads."""
        rows = indices[1][0]
        shape = (rows, table[1][1]) if whole_rows else (rows,)
        where = "%j, %k" if whole_rows else "%k, %j"
        body = (f"%j = arith.index_cast %p0 : i32 to index\n%k = linalg.index {1 if whole_rows else 0} : index\n"
                f"%r = tensor.extract {table[0]}[{where}] : {kind(table[1])}")
        return self.generic(name, [indices], [[0]], self.empty(shape), list(range(len(shape))), body, shape, dtypes=["i32"])

    def finish(self) -> str:
        arguments = ",\n    ".join(self.arguments)
        results = ",\n    ".join(f"{kind(shape)} {{{attributes}}}" for _, shape, attributes in self.results)
        values, types = ", ".join(v for v, *_ in self.results), ", ".join(kind(s) for _, s, _ in self.results)
        return (f"func.func @train(\n    {arguments})\n  -> ({results})\n  attributes {{prec.entry = \"step\"}} {{\n" + "\n".join(self.lines)
                + f"\n  return {values} : {types}\n}}\n")


def kind(shape, dtype="f32"):
    return f"tensor<{''.join(f'{s}x' for s in shape)}{dtype}>"


def norm(s, name, x, gamma):
    """The normalized rows, scaled, and what its gradient reads."""
    square = s.map(f"{name}.square", "%r = arith.mulf %p0, %p0 : f32", x)
    total = s.reduce(f"{name}.sum", square)
    n, eps = s.constant(f"{x[1][1]}.0"), s.constant("1.0e-05")
    factor = s.map(f"{name}.factor", f"%m = arith.divf %p0, {n} : f32\n%e = arith.addf %m, {eps} : f32\n%r = math.rsqrt %e : f32", total)
    scaled = s.map(f"{name}.normalized", "%r = arith.mulf %p0, %p1 : f32", x, factor)
    out = s.generic(f"{name}.out", [scaled, gamma], [[0, 1], [1]], s.empty(x[1]), [0, 1], "%r = arith.mulf %p0, %p1 : f32", x[1])
    return out, (scaled, factor, gamma)


def norm_gradient(s, name, dy, saved):
    scaled, factor, gamma = saved
    product = s.map(f"{name}.dgamma.product", "%r = arith.mulf %p0, %p1 : f32", dy, scaled)
    dgamma = s.reduce(f"{name}.dgamma", product, keep=(1,))
    dn = s.generic(f"{name}.dn", [dy, gamma], [[0, 1], [1]], s.empty(dy[1]), [0, 1], "%r = arith.mulf %p0, %p1 : f32", dy[1])
    inner = s.map(f"{name}.inner", "%r = arith.mulf %p0, %p1 : f32", dn, scaled)
    total = s.reduce(f"{name}.inner.sum", inner)
    n = s.constant(f"{dy[1][1]}.0")
    mean = s.map(f"{name}.inner.mean", f"%r = arith.divf %p0, {n} : f32", total)
    along = s.map(f"{name}.along", "%r = arith.mulf %p0, %p1 : f32", scaled, mean)
    rest = s.map(f"{name}.rest", "%r = arith.subf %p0, %p1 : f32", dn, along)
    return s.map(f"{name}.dx", "%r = arith.mulf %p0, %p1 : f32", rest, factor), dgamma


def softmax(s, name, x):
    top = s.reduce(f"{name}.max", x, "%r = arith.maximumf %p0, %o : f32", "0xFF800000")
    e = s.map(f"{name}.exp", "%d = arith.subf %p0, %p1 : f32\n%r = math.exp %d : f32", x, top)
    total = s.reduce(f"{name}.sum", e)
    return s.map(f"{name}.out", "%r = arith.divf %p0, %p1 : f32", e, total), top, total


def adam(s, name, p, m, v, g, argument):
    keep, rest, eps, lr = (s.constant(c) for c in ("0.9", "0.1", "1.0e-05", "1.0e-03"))
    def ema(part, old, new):
        return s.map(f"{name}.{part}", f"%a = arith.mulf %p0, {keep} : f32\n%b = arith.mulf %p1, {rest} : f32\n"
                                           "%r = arith.addf %a, %b : f32", old, new)
    m1 = ema("m", m, g)
    square = s.map(f"{name}.square", "%r = arith.mulf %p0, %p0 : f32", g)
    v1 = ema("v", v, square)
    # Whole tensors of one number, as tracing writes them.
    rate = s.filled(p[1], "1.0e-03"), p[1]
    step = s.map(f"{name}.step", f"%q = math.sqrt %p1 : f32\n%d = arith.addf %q, {eps} : f32\n%r = arith.divf %p0, %d : f32", m1, v1)
    scaled = s.map(f"{name}.scaled", "%r = arith.mulf %p0, %p1 : f32", step, rate)
    p1 = s.map(f"{name}.p", "%r = arith.subf %p0, %p1 : f32", p, scaled)
    for k, new in enumerate((p1, m1, v1)):
        s.results.append((*new, f"prec_train.role = #prec_train.role<updated>, prec_train.donated_to = {argument + k} : i64"))


def make(style: str) -> str:
    s = Step(shares=style != "jax")
    tokens, width, hidden, vocabulary = (64, 64, 64, 64) if style == "square" else (128, 64, 192, 256)
    ids = s.argument("ids", (tokens,), "batch", "i32")
    labels = s.argument("labels", (tokens,), "batch", "i32")
    table = s.argument("embedding", (vocabulary, width), "frozen_parameter")
    shapes = dict(norm1=(width,), q=(width, width), k=(width, width), v=(width, width), o=(width, width), norm2=(width,), up=(width, hidden),
                  down=(hidden, width), norm3=(width,), head=(width, vocabulary))
    p, states, places = {}, {}, {}
    for name, shape in shapes.items():
        places[name] = len(s.arguments)
        p[name] = s.argument(name, shape, "parameter")
        states[name] = [s.argument(f"{name}.{slot}", shape, "optimizer_state") for slot in "mv"]

    x = s.pick("embed", table, ids, whole_rows=True)
    h1, saved1 = norm(s, "norm1", x, p["norm1"])
    q, k, v = (s.matmul(n, h1, p[n]) for n in "qkv")
    raw = s.matmul("scores", q, s.transpose(k))
    factor = s.constant("0.125")
    def scale(name, y):
        return s.map(name, f"%r = arith.mulf %p0, {factor} : f32", y)
    probabilities, _, _ = softmax(s, "softmax", scale("scale", raw))
    context = s.matmul("context", probabilities, v)
    x1 = s.map("residual1", "%r = arith.addf %p0, %p1 : f32", x, s.matmul("o", context, p["o"]))
    h2, saved2 = norm(s, "norm2", x1, p["norm2"])
    a = s.matmul("up", h2, p["up"])
    zero = s.constant("0.0")
    mask = s.generic("relu.mask", [a], [[0, 1]], s.empty(a[1], "i1"), [0, 1], f"%r = arith.cmpf ogt, %p0, {zero} : f32", a[1], dtype="i1")
    relu = s.map("relu", f"%r = arith.maximumf %p0, {zero} : f32", a)
    x2 = s.map("residual2", "%r = arith.addf %p0, %p1 : f32", x1, s.matmul("down", relu, p["down"]))
    h3, saved3 = norm(s, "norm3", x2, p["norm3"])
    logits = s.matmul("head", h3, p["head"])
    chances, top, total = softmax(s, "loss", logits)
    picked = s.pick("loss.pick", logits, labels, whole_rows=False)
    each = s.map("loss.each", "%l = math.log %p2 : f32\n%s = arith.addf %l, %p1 : f32\n%r = arith.subf %s, %p0 : f32", picked, top, total)
    summed = s.generic("loss.total", [each], [[0]], s.filled(()), [], "%r = arith.addf %p0, %o : f32", (), reduced=[0])
    count = s.constant(f"{tokens}.0")
    loss = s.map("loss.mean", f"%r = arith.divf %p0, {count} : f32", summed)
    s.results.append((*loss, "prec_train.role = #prec_train.role<loss>"))

    one = s.constant("1.0")
    dlogits = s.generic("loss.gradient", [chances, labels], [[0, 1], [0]], s.empty(logits[1]), [0, 1],
                        f"%j = arith.index_cast %p1 : i32 to index\n%i = linalg.index 1 : index\n%c = arith.cmpi eq, %i, %j : index\n"
                        f"%h = arith.select %c, {one}, {zero} : f32\n%d = arith.subf %p0, %h : f32\n%r = arith.divf %d, {count} : f32",
                        logits[1], dtypes=["f32", "i32"])
    g = {"head": s.matmul("head.wgrad", s.transpose(h3), dlogits)}
    dx2, g["norm3"] = norm_gradient(s, "norm3.gradient", s.matmul("head.dgrad", dlogits, s.transpose(p["head"])), saved3)
    g["down"] = s.matmul("down.wgrad", s.transpose(relu), dx2)
    drelu = s.matmul("down.dgrad", dx2, s.transpose(p["down"]))
    da = s.generic("relu.gradient", [mask, drelu], [[0, 1]] * 2, s.empty(a[1]), [0, 1], f"%r = arith.select %p0, %p1, {zero} : f32", a[1],
                   dtypes=["i1", "f32"])
    g["up"] = s.matmul("up.wgrad", s.transpose(h2), da)
    dn2, g["norm2"] = norm_gradient(s, "norm2.gradient", s.matmul("up.dgrad", da, s.transpose(p["up"])), saved2)
    dx1 = s.map("residual2.gradient", "%r = arith.addf %p0, %p1 : f32", dx2, dn2)
    g["o"] = s.matmul("o.wgrad", s.transpose(context), dx1)
    dcontext = s.matmul("o.dgrad", dx1, s.transpose(p["o"]))
    dv = s.matmul("v.gradient", s.transpose(probabilities), dcontext)
    dp = s.matmul("probabilities.gradient", dcontext, s.transpose(v))
    inner = s.reduce("softmax.gradient.sum", s.map("softmax.gradient.product", "%r = arith.mulf %p0, %p1 : f32", dp, probabilities))
    ds = scale("scale.gradient", s.map("softmax.gradient", "%d = arith.subf %p0, %p2 : f32\n%r = arith.mulf %d, %p1 : f32", dp, probabilities, inner))
    dq, dk = s.matmul("q.gradient", ds, k), s.matmul("k.gradient", s.transpose(ds), q)
    turned = s.transpose(h1)
    dh = None
    for name, gradient in zip("qkv", (dq, dk, dv)):
        g[name] = s.matmul(f"{name}.wgrad", turned, gradient)
        term = s.matmul(f"{name}.dgrad", gradient, s.transpose(p[name]))
        dh = s.map(f"{name}.gradient.sum", "%r = arith.addf %p0, %p1 : f32", dh, term) if dh else term
    product = s.map("norm1.dgamma.product", "%r = arith.mulf %p0, %p1 : f32", dh, saved1[0])
    g["norm1"] = s.reduce("norm1.dgamma", product, keep=(1,))
    for name, gradient in g.items():
        adam(s, name + ".adam", p[name], *states[name], gradient, places[name])
    return s.finish()


if __name__ == "__main__":
    print(make(sys.argv[1]))
