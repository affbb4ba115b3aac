"""Evaluates an imported graph with PyTorch tensors of a chosen precision: an oracle for tests, written from the dialect's text.

In float64 it separates a wrong formula (wrong by far more than 1e-9) from rounding.
"""
from __future__ import annotations

import torch

_UNARY = {"math.exp": torch.exp, "math.log": torch.log, "math.sqrt": torch.sqrt, "math.rsqrt": torch.rsqrt, "math.sin": torch.sin,
          "math.cos": torch.cos, "math.tanh": torch.tanh, "math.erf": torch.erf, "math.absf": torch.abs, "math.absi": torch.abs, "math.floor": torch.floor,
          "math.ceil": torch.ceil, "math.trunc": torch.trunc, "math.roundeven": torch.round, "math.log1p": torch.log1p, "math.expm1": torch.expm1, "arith.negf": torch.neg}
_BINARY = {"arith.addf": torch.add, "arith.subf": torch.sub, "arith.mulf": torch.mul, "arith.divf": torch.div, "arith.addi": torch.add,
           "arith.subi": torch.sub, "arith.muli": torch.mul, "arith.maximumf": torch.maximum, "arith.minimumf": torch.minimum,
           "arith.maxsi": torch.maximum, "arith.minsi": torch.minimum, "arith.andi": torch.bitwise_and, "arith.ori": torch.bitwise_or,
           "arith.xori": torch.bitwise_xor, "arith.divsi": lambda x, y: torch.div(x, y, rounding_mode="trunc"), "arith.remsi": torch.fmod,
           "arith.shli": torch.bitwise_left_shift, "arith.shrsi": torch.bitwise_right_shift, "math.powf": torch.pow}
_COMPARE = {"eq": torch.eq, "ne": torch.ne, "lt": torch.lt, "le": torch.le, "gt": torch.gt, "ge": torch.ge}


class Evaluator:
    def __init__(self, graph, precision=torch.float64):
        self.graph, self.precision = graph, precision
        self.dtypes = {"f32": precision, "i64": torch.int64, "i32": torch.int32, "i1": torch.bool}

    def run(self, inputs: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """inputs by path (buffers and hyperparameters have defaults); returns results by path and keeps every value."""
        self.values = {}
        for a in self.graph.arguments:
            given = inputs.get(a.path, a.attrs.get("initial", a.attrs.get("default")))
            if given is None and a.role == "optimizer_state":
                given = torch.zeros(a.value.shape)
            assert given is not None, f"no input for {a.path}"
            self.values[a.value] = torch.as_tensor(given, dtype=self.dtypes[a.value.dtype])
            assert tuple(self.values[a.value].shape) == a.value.shape, a.path
        for op in self.graph.ops:
            operands = [self.values[v] for v in op.operands]
            results = self.apply(op, *operands)
            results = results if isinstance(results, tuple) else (results,)
            assert len(results) == len(op.results), op.name
            for value, tensor in zip(op.results, results):
                assert tuple(tensor.shape) == value.shape, (op.name, tuple(tensor.shape), value.shape)
                assert tensor.dtype == self.dtypes[value.dtype], (op.name, tensor.dtype, value.dtype)
                self.values[value] = tensor
        return {r.path: self.values[r.value] for r in self.graph.results}

    def gradients(self) -> dict[str, torch.Tensor]:
        """What each train.adamw gets, by parameter path."""
        path = {a.value: a.path for a in self.graph.arguments}
        return {path[op.operands[0]]: self.values[op.operands[1]] for op in self.graph.ops if op.name == "train.adamw"}

    def apply(self, op, *x):
        a = op.attrs
        if op.name in _UNARY:
            return _UNARY[op.name](*x)
        if op.name in _BINARY:
            assert x[0].shape == x[1].shape
            return _BINARY[op.name](*x)
        return getattr(self, "op_" + op.name.replace(".", "_"))(op, a, *x)

    def op_train_dropout(self, op, a, x, seed):
        assert seed < 0, "the evaluator draws no random numbers"
        return x

    def op_arith_constant(self, op, a):
        return torch.full(op.result.shape, a["value"], dtype=self.dtypes[op.result.dtype])

    def op_arith_cmpf(self, op, a, x, y):
        return _COMPARE[a["predicate"][-2:]](x, y)

    op_arith_cmpi = op_arith_cmpf

    def op_arith_select(self, op, a, c, x, y):
        assert c.shape == x.shape == y.shape
        return torch.where(c, x, y)

    def op_arith_sitofp(self, op, a, x):
        return x.to(self.dtypes[op.result.dtype])

    op_arith_uitofp = op_arith_extui = op_arith_extsi = op_arith_trunci = op_arith_fptosi = op_arith_sitofp

    def op_tensor_collapse_shape(self, op, a, x):
        sizes = [int(torch.tensor([x.shape[d] for d in group]).prod()) for group in a["reassociation"]]
        assert [d for group in a["reassociation"] for d in group] == list(range(x.dim())) or not a["reassociation"]
        return x.reshape(sizes)

    def op_tensor_expand_shape(self, op, a, x):
        shape = op.result.shape
        groups = a["reassociation"]
        assert len(groups) == x.dim() and [d for g in groups for d in g] == (list(range(len(shape))) if groups else [])
        for size, group in zip(x.shape, groups):
            assert size == int(torch.tensor([shape[d] for d in group]).prod())
        return x.reshape(shape)

    def op_tensor_extract_slice(self, op, a, x):
        return x[tuple(slice(o, o + n * s, s) for o, n, s in zip(a["offsets"], a["sizes"], a["strides"]))]

    def op_tensor_concat(self, op, a, *x):
        return torch.cat(x, a["dim"])

    def op_train_matmul(self, op, a, x, y):
        return (x.mT if a["transpose_a"] else x) @ (y.mT if a["transpose_b"] else y)

    def op_train_reduce(self, op, a, x):
        return {"sum": torch.sum, "max": torch.amax, "min": torch.amin}[a["kind"]](x, a["dims"]).to(x.dtype)

    def op_train_broadcast(self, op, a, x):
        shape = op.result.shape
        assert tuple(shape[d] for d in a["dims"]) == tuple(x.shape) and a["dims"] == sorted(set(a["dims"]))
        return x.reshape([shape[d] if d in a["dims"] else 1 for d in range(len(shape))]).expand(shape)

    def op_train_transpose(self, op, a, x):
        return x.permute(a["permutation"])

    def op_train_iota(self, op, a):
        return torch.arange(op.result.shape[0], dtype=self.dtypes[op.result.dtype])

    def op_train_gather(self, op, a, table, ids):
        return table[ids]

    op_train_embedding = op_train_gather

    def op_train_embedding_grad(self, op, a, g, ids):
        out = torch.zeros(op.result.shape, dtype=g.dtype)
        return out.index_add(0, ids.reshape(-1), g.reshape(-1, g.shape[-1]))

    def op_train_rms_norm(self, op, a, x, gamma):
        rstd = 1 / torch.sqrt((x * x).mean(-1) + a["eps"])
        return x * rstd[..., None] * gamma, rstd

    def op_train_rms_norm_grad(self, op, a, g, x, gamma, rstd):
        with torch.enable_grad():
            leaf, scale = x.clone().requires_grad_(), gamma.clone().requires_grad_()
            # eps is implied by rstd.
            eps = (1 / rstd**2 - (x * x).mean(-1)).detach()
            y = leaf / torch.sqrt((leaf * leaf).mean(-1) + eps)[..., None] * scale
            return torch.autograd.grad(y, [leaf, scale], g)

    def op_train_layer_norm(self, op, a, x, gamma, beta):
        mean, var = x.mean(-1), x.var(-1, unbiased=False)
        rstd = 1 / torch.sqrt(var + a["eps"])
        return (x - mean[..., None]) * rstd[..., None] * gamma + beta, mean, rstd

    def op_train_layer_norm_grad(self, op, a, g, x, gamma, mean, rstd):
        with torch.enable_grad():
            leaf, scale = x.clone().requires_grad_(), gamma.clone().requires_grad_()
            eps = (1 / rstd**2 - x.var(-1, unbiased=False)).detach()
            centred = leaf - leaf.mean(-1, keepdim=True)
            y = centred / torch.sqrt((centred * centred).mean(-1) + eps)[..., None] * scale
            return *torch.autograd.grad(y, [leaf, scale], g), g.reshape(-1, g.shape[-1]).sum(0)

    def op_train_softmax(self, op, a, x):
        return x.softmax(-1)

    def op_train_softmax_grad(self, op, a, g, y):
        return y * (g - (g * y).sum(-1, keepdim=True))

    def op_train_cross_entropy(self, op, a, logits, labels):
        lse = logits.logsumexp(-1)
        valid = labels != a["ignore_index"]
        rows = torch.arange(len(labels))[valid]
        return (lse[valid] - logits[rows, labels[valid]]).sum() / max(int(valid.sum()), 1), lse

    def op_train_cross_entropy_grad(self, op, a, g, logits, labels, lse):
        valid = labels != a["ignore_index"]
        d = (logits - lse[:, None]).exp()
        d[torch.arange(len(labels))[valid], labels[valid]] -= 1
        return d * valid[:, None] * g / max(int(valid.sum()), 1)

    def op_train_attention(self, op, a, q, k, v):
        k, v = (t.repeat_interleave(q.shape[1] // t.shape[1], 1) for t in (k, v))
        s = q @ k.mT * a["scale"]
        if a["causal"]:
            s = s.masked_fill(~torch.ones(s.shape[-2:], dtype=torch.bool).tril(), -torch.inf)
        return s.softmax(-1) @ v, s.logsumexp(-1)

    def op_train_attention_grad(self, op, a, g, q, k, v, out, lse):
        with torch.enable_grad():
            leaves = [t.clone().requires_grad_() for t in (q, k, v)]
            return torch.autograd.grad(self.op_train_attention(op, a, *leaves)[0], leaves, g)

    def op_train_global_norm(self, op, a, *g):
        return torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(x) for x in g]))

    def op_train_clip(self, op, a, norm, max_norm):
        return torch.clamp(max_norm / (norm + 1e-6), max=1.0)

    def op_train_adamw(self, op, a, p, g, m, v, lr, beta1, beta2, eps, decay, step, scale):
        g = g * scale
        # Scalar arithmetic is done in float64 as PyTorch does it in Python.
        lr, beta1, beta2, eps, decay, step = (t.item() for t in (lr, beta1, beta2, eps, decay, step))
        p = p * (1 - lr * decay)
        m = torch.lerp(m, g, 1 - beta1)
        v = (v * beta2).addcmul(g, g, value=1 - beta2)
        denominator = (v.sqrt() / (1 - beta2**step) ** 0.5).add(eps)
        return p.addcdiv(m, denominator, value=-lr / (1 - beta1**step)), m, v

    def op_train_sgd(self, op, a, p, g, lr, decay, step, scale):
        return (p - lr * (g * scale + decay * p),)

    def op_train_sgd_momentum(self, op, a, p, g, b, lr, momentum, dampening, decay, step, scale):
        g = g * scale + decay * p
        b = g if step.item() == 1 else momentum * b + (1 - dampening) * g
        return p - lr * (g + momentum * b if a.get("nesterov") else b), b

    def op_train_lion(self, op, a, p, g, m, lr, beta1, beta2, decay, step, scale):
        g = g * scale
        return p * (1 - lr * decay) - lr * torch.sign(m * beta1 + g * (1 - beta1)), m * beta2 + g * (1 - beta2)

    def _finish_adafactor(self, p, g, v, lr, eps1, eps2, d, decay, step):
        u = g / torch.sqrt(torch.clamp(v, min=(eps1 * eps1).item()))
        rate = torch.minimum(lr, step**-0.5) * torch.maximum(eps2, p.square().mean().sqrt())
        return p * (1 - lr * decay) - u * rate / torch.clamp(u.square().mean().sqrt() / d, min=1)

    def op_train_adafactor(self, op, a, p, g, r, c, lr, beta2_decay, eps1, eps2, d, decay, step, scale):
        g, weight = g * scale, step**beta2_decay
        r = r + weight * (g.square().mean(-1, keepdim=True) - r)
        c = c + weight * (g.square().mean(-2, keepdim=True) - c)
        v = r * c / torch.maximum(r.mean(-2, keepdim=True), eps1)
        return self._finish_adafactor(p, g, v, lr, eps1, eps2, d, decay, step), r, c

    def op_train_adafactor_unfactored(self, op, a, p, g, v, lr, beta2_decay, eps1, eps2, d, decay, step, scale):
        g = g * scale
        v = v + step**beta2_decay * (g * g - v)
        return self._finish_adafactor(p, g, v, lr, eps1, eps2, d, decay, step), v
