# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the forward of two transformer layers, as primitives of train, arith and math (what JAX traces to) or as
linalg: blocks.py jax|linalg. No paths, phases, links or composites."""
import random
import sys

from generate_linalg import Function, matmul, norm, softmax

TOKENS, MODEL, HIDDEN, VOCABULARY = 32, 64, 96, 128


class Linalg(Function):
    def matmul(self, x, w):
        return matmul(self, x, w)

    def transpose(self, x):
        shape = (x[1][1], x[1][0])
        return self.emit(f"linalg.transpose ins({x[0]} : {self.type(x[1])}) outs({self.empty(shape)[0]} : {self.type(shape)}) "
                         "permutation = [1, 0]"), shape

    def binary(self, op, x, y):
        body = f"%r = {op} %p0, %p1 : {self.dtype}"
        return self.generic([x, y], [(0, 1), (0, 1)], self.empty(x[1]), (0, 1), ["parallel"] * 2, body, "any")

    def silu(self, x):
        body = (f"%n = arith.negf %p0 : {self.dtype}\n    %e = math.exp %n : {self.dtype}\n    %c = arith.constant 1.0 : {self.dtype}\n"
                f"    %d = arith.addf %c, %e : {self.dtype}\n    %r = arith.divf %p0, %d : {self.dtype}")
        return self.generic([x], [(0, 1)], self.empty(x[1]), (0, 1), ["parallel"] * 2, body, "any")

    def norm(self, x):
        return norm(self, x)

    def softmax(self, x):
        return softmax(self, x)


class Jax(Function):
    def unary(self, op, x):
        return self.emit(f"{op} {x[0]} : {self.type(x[1])}"), x[1]

    def binary(self, op, x, y):
        return self.emit(f"{op} {x[0]}, {y[0]} : {self.type(x[1])}"), x[1]

    def splat(self, number, shape):
        return self.emit(f"arith.constant dense<{number}> : {self.type(shape)}"), shape

    def matmul(self, x, w):
        shape = (x[1][0], w[1][1])
        return self.emit(f"prec_train.matmul {x[0]}, {w[0]} : ({self.type(x[1])}, {self.type(w[1])}) -> {self.type(shape)}"), shape

    def transpose(self, x):
        shape = (x[1][1], x[1][0])
        return self.emit(f"prec_train.transpose {x[0]} permutation [1, 0] : ({self.type(x[1])}) -> {self.type(shape)}"), shape

    def rows(self, kind, x):
        return self.emit(f"prec_train.reduce {kind} {x[0]} dims [1] : ({self.type(x[1])}) -> {self.type(x[1][:1])}"), x[1][:1]

    def spread(self, x, shape):
        return self.emit(f"prec_train.broadcast {x[0]} dims [0] : ({self.type(x[1])}) -> {self.type(shape)}"), shape

    def silu(self, x):
        one = self.splat("1.0", x[1])
        return self.binary("arith.mulf", x, self.binary("arith.divf", one, self.binary(
            "arith.addf", one, self.unary("math.exp", self.unary("arith.negf", x)))))

    def norm(self, x):
        mean = self.rows("sum", self.binary("arith.mulf", x, x))
        mean = self.binary("arith.divf", mean, self.splat(f"{x[1][1]}.0", mean[1]))
        factor = self.unary("math.rsqrt", self.binary("arith.addf", mean, self.splat("1.0e-5", mean[1])))
        return self.binary("arith.mulf", x, self.spread(factor, x[1]))

    def softmax(self, x):
        e = self.unary("math.exp", self.binary("arith.subf", x, self.spread(self.rows("max", x), x[1])))
        return self.binary("arith.divf", e, self.spread(self.rows("sum", e), x[1]))


def main():
    f = {"jax": Jax, "linalg": Linalg}[sys.argv[1]](random.Random(0), "step", "f32")
    x = f.argument((TOKENS, MODEL))
    for _ in range(2):
        n = f.norm(x)
        q, k, v = (f.matmul(n, f.argument((MODEL, MODEL))) for _ in range(3))
        attended = f.matmul(f.softmax(f.matmul(q, f.transpose(k))), v)
        x = f.binary("arith.addf", x, f.matmul(attended, f.argument((MODEL, MODEL))))
        n = f.norm(x)
        gate, up = (f.matmul(n, f.argument((MODEL, HIDDEN))) for _ in range(2))
        x = f.binary("arith.addf", x, f.matmul(f.binary("arith.mulf", f.silu(gate), up), f.argument((HIDDEN, MODEL))))
    print(f.finish(f.softmax(f.matmul(f.norm(x), f.argument((MODEL, VOCABULARY))))))


main()
