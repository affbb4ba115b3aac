# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps of Hugging Face's Llama and GPT-2 written out by hand, forward and backward, with the roundings that
docs/Recipes.md and docs/Embedding.md name. With the recipe fp32 they are PyTorch's own (test_recipe_oracle.py checks
that first)."""
import torch
from rounding_arithmetic import FINE, Attention, Head, Linear, Norm, Residual, cross_entropy, embedding_gradient


def shifted(ids):
    """Labels: the next token, and none at the end of a sequence."""
    return torch.cat([ids[:, 1:], torch.full_like(ids[:, :1], -100)], 1).reshape(-1)


def rotate(a, x, cos, sin):
    x1, x2 = x.chunk(2, -1)
    return a.cat([a.mark(x1 * cos - x2 * sin), a.mark(x2 * cos + x1 * sin)], -1)


class LlamaStep:
    def __init__(self, config):
        self.layers, self.heads, self.groups = config.num_hidden_layers, config.num_attention_heads, config.num_key_value_heads
        self.depth, self.eps = config.hidden_size // self.heads, config.rms_norm_eps
        self.theta = config.rope_parameters["rope_theta"]

    def rope(self, a, length):
        frequencies = 1.0 / self.theta ** (torch.arange(0, self.depth, 2).float() / self.depth)
        angles = a.constant(torch.outer(torch.arange(length).float(), frequencies))
        return a.mark(a.function(angles.cos())), a.mark(a.function(angles.sin()))

    def run(self, a, weights, ids):
        """The loss, and gradients by parameter."""
        batch, length = ids.shape
        cos, sin = self.rope(a, length)
        stream, gradients = Residual(a), {}

        def split(x):
            return a.mark(x.view(batch, length, -1, self.depth).transpose(1, 2))

        def join(x):
            rows = x.transpose(1, 2).reshape(batch * length, -1)
            for way in (x.abs().amax(-1), x.transpose(1, 2).abs().amax(-1), rows.abs().amax(-1), x.abs().reshape(1, -1).amax(-1)):
                a.mark(way)  # To the amax of a scale.
            return rows

        table = a.round(weights["model.embed_tokens.weight"], "weight copy")
        x, blocks = table[ids.reshape(-1)], []
        for layer in range(self.layers):
            w = {name: weights[f"model.layers.{layer}.{name}.weight"] for name in (
                "input_layernorm", "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
                "post_attention_layernorm", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj")}
            norm1 = Norm(a, x, w["input_layernorm"], eps=self.eps)
            shared = a.quantize(norm1.y, "activation")
            q, k, v = (Linear(a, shared, w[f"self_attn.{name}_proj"].t()) for name in "qkv")
            attention = Attention(a, a.round(rotate(a, split(q.y), cos, sin), "rotary"), a.round(rotate(a, split(k.y), cos, sin), "rotary"),
                                  split(v.y))
            o = Linear(a, join(attention.y), w["self_attn.o_proj"].t())
            x = stream.add(x, o.y)
            norm2 = Norm(a, x, w["post_attention_layernorm"], eps=self.eps)
            shared = a.quantize(norm2.y, "activation")
            gate, up = Linear(a, shared, w["mlp.gate_proj"].t()), Linear(a, shared, w["mlp.up_proj"].t())
            sigmoid = 1 / (1 + a.function((-gate.y).exp()))
            silu = a.round(gate.y * sigmoid, "silu")
            down = Linear(a, a.round(silu * up.y, "gated"), w["mlp.down_proj"].t())
            x = stream.add(x, down.y)
            blocks.append((f"model.layers.{layer}.", norm1, q, k, v, attention, o, norm2, gate, sigmoid, silu, up, down))
        norm = Norm(a, x, weights["model.norm.weight"], eps=self.eps)
        head = Head(a, norm.y, table)
        loss, dy = cross_entropy(a, head.y, shifted(ids))

        dy, dtable = head.backward(dy)
        dx, gradients["model.norm.weight"] = norm.backward(dy)
        for path, norm1, q, k, v, attention, o, norm2, gate, sigmoid, silu, up, down in reversed(blocks):
            dw = {}
            dy, dw["mlp.down_proj"] = down.backward(dx)
            dup, dw["mlp.up_proj"] = up.backward(a.round(dy * silu, "up gradient"))
            dgate = dy * up.y * sigmoid * (1 + gate.y * (1 - sigmoid))
            dgate, dw["mlp.gate_proj"] = gate.backward(a.round(dgate, "gate gradient"))
            dy, dw["post_attention_layernorm"] = norm2.backward(a.round(dup + dgate, "sum of gradients"))
            dx = stream.add_gradient(dx, dy)
            dy, dw["self_attn.o_proj"] = o.backward(dx)
            dq, dk, dv = attention.backward(split(dy))
            dq, dk = (join(a.round(rotate(a, d, cos, -sin), "rotary gradient")) for d in (dq, dk))
            dq, dw["self_attn.q_proj"] = q.backward(dq)
            dk, dw["self_attn.k_proj"] = k.backward(dk)
            dv, dw["self_attn.v_proj"] = v.backward(join(dv))
            dy, dw["input_layernorm"] = norm1.backward(a.round(dv + dk + dq, "sum of gradients"))
            dx = stream.add_gradient(dx, dy)
            gradients |= {f"{path}{name}.weight": d.t() if len(d.shape) == 2 else d for name, d in dw.items()}
        drows = embedding_gradient(a, dx, ids.reshape(-1), len(table))
        gradients["model.embed_tokens.weight"] = a.round(dtable + drows, "tied gradient")
        return loss, gradients


class GPT2Step:
    def __init__(self, config, folds_biases=True):
        """With `folds_biases` products whose scales are of tensors take their biases (docs/Recipes.md, Biases)."""
        self.folds_biases = folds_biases
        self.layers, self.heads, self.eps = config.n_layer, config.n_head, config.layer_norm_epsilon
        self.depth = config.n_embd // self.heads

    def run(self, a, weights, ids):
        """The loss, and gradients by parameter."""
        batch, length = ids.shape
        stream, gradients = Residual(a), {}

        def split(x):
            return a.mark(x.view(batch, length, -1, self.depth).transpose(1, 2))

        def join(x):
            rows = x.transpose(1, 2).reshape(batch * length, -1)
            for way in (x.abs().amax(-1), x.transpose(1, 2).abs().amax(-1), rows.abs().amax(-1), x.abs().reshape(1, -1).amax(-1)):
                a.mark(way)  # To the amax of a scale.
            return rows

        def biased(x, w, bias):
            """A projection, and it with its bias."""
            if self.folds_biases and a.recipe not in FINE:
                linear = Linear(a, x, w, a.round(bias, "bias copy"))
                return linear, linear.y
            linear = Linear(a, x, w)
            return linear, a.round(linear.y + bias, "biased projection")

        def norm(x, path):
            return Norm(a, x, weights[f"{path}.weight"], weights[f"{path}.bias"], self.eps)

        def keep(path, weight, bias):
            gradients[f"{path}.weight"], gradients[f"{path}.bias"] = weight, bias

        def bias_gradient(dy):
            return a.round(a.sum(dy, 0), "bias gradient")

        table, positions = (a.round(weights[f"transformer.{name}.weight"], "weight copy") for name in ("wte", "wpe"))
        x, blocks = stream.add(table[ids.reshape(-1)], positions[a.mark(torch.arange(length))].repeat(batch, 1)), []
        for path in (f"transformer.h.{layer}" for layer in range(self.layers)):
            w = {name: weights[f"{path}.{name}.weight"] for name in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj")}
            b = {name: weights[f"{path}.{name}.bias"] for name in w}
            norm1 = norm(x, f"{path}.ln_1")
            qkv, y = biased(norm1.y, w["attn.c_attn"], b["attn.c_attn"])
            attention = Attention(a, *map(split, y.chunk(3, -1)))
            o = Linear(a, join(attention.y), w["attn.c_proj"])
            x = stream.add(o.y + b["attn.c_proj"], x)
            norm2 = norm(x, f"{path}.ln_2")
            fc, h = biased(norm2.y, w["mlp.c_fc"], b["mlp.c_fc"])
            # The backward computes these again, so that none of them is stored.
            half = 0.5 * h
            tanh = a.function(((h + 0.044715 * (h * h * h)) * (2 / torch.pi) ** 0.5).tanh())
            gate = 1 + tanh
            down = Linear(a, a.round(half * gate, "gated"), w["mlp.c_proj"])
            x = stream.add(x, down.y + b["mlp.c_proj"])
            blocks.append((path, norm1, qkv, attention, o, norm2, fc, h, half, tanh, gate, down))
        final = norm(x, "transformer.ln_f")
        head = Head(a, final.y, table)
        loss, dy = cross_entropy(a, head.y, shifted(ids))

        dy, dtable = head.backward(dy)
        dx, *both = final.backward(dy)
        keep("transformer.ln_f", *both)
        for path, norm1, qkv, attention, o, norm2, fc, h, half, tanh, gate, down in reversed(blocks):
            dy, dw = down.backward(dx)
            keep(f"{path}.mlp.c_proj", dw, bias_gradient(dx))
            inner = dy * half * (1 - tanh * tanh) * (2 / torch.pi) ** 0.5
            dh = a.round(inner * (1 + 3 * 0.044715 * h * h) + dy * gate * 0.5, "gelu gradient")
            dy, dw = fc.backward(dh)
            keep(f"{path}.mlp.c_fc", dw, bias_gradient(dh))
            dy, *both = norm2.backward(dy)
            keep(f"{path}.ln_2", *both)
            dx = stream.add_gradient(dx, dy)
            dy, dw = o.backward(dx)
            keep(f"{path}.attn.c_proj", dw, bias_gradient(dx))
            dqkv = a.mark(a.cat([join(d) for d in attention.backward(split(dy))], -1))
            dy, dw = qkv.backward(dqkv)
            keep(f"{path}.attn.c_attn", dw, bias_gradient(dqkv))
            dy, *both = norm1.backward(dy)
            keep(f"{path}.ln_1", *both)
            dx = stream.add_gradient(dx, dy)
        drows = embedding_gradient(a, dx, ids.reshape(-1), len(table))
        gradients["transformer.wte.weight"] = a.round(dtable + drows, "tied gradient")
        rows = a.round(a.sum(dx.view(batch, length, -1), 0), "position gradient")
        a.mark(torch.arange(length).expand(2, -1))  # The rows of the table, which are sorted as any ids are.
        unused = a.mark(torch.zeros(len(positions), rows.shape[-1]))[length:]
        gradients["transformer.wpe.weight"] = a.mark(a.cat([rows, unused], 0))
        return loss, gradients


def adamw(a, p, g, m, v, step, lr, betas, eps, weight_decay):
    """PyTorch's AdamW: the new parameter, first and second moment."""
    lr, beta1, beta2, eps, weight_decay = (torch.tensor(value) for value in (lr, *betas, eps, weight_decay))
    fresh1, fresh2 = a.mark(1 - beta1), a.mark(1 - beta2)
    kept = a.mark(1 - (0 if a.flaw == "weight decay dropped" else a.constant(lr) * weight_decay))
    rate = a.mark(a.constant(-lr) / (1 - beta1.double() ** step))
    correction = a.mark((1 - beta2.double() ** step).sqrt())
    m = a.store(m + (g - m) * fresh1, "first moment")
    v = a.store(v * beta2 + g * g * fresh2, "second moment")
    change = m * rate / (a.function(v.sqrt()) / correction + eps)
    return a.store(p * kept + change, "parameter"), m, v


def optimize(a, weights, gradients, moments, step, max_norm, options):
    """Clips and updates; returns the gradients' norm."""
    squares = [a.mark(a.sum(a.mark(a.sum(g * g, -1)), 0) if len(g.shape) == 2 else a.sum(g * g, 0)) for g in gradients.values()]
    norm = a.store(a.function(sum(squares).sqrt()), "norm")
    factor = a.store((max_norm / (norm + 1e-6)).clamp(max=1), "clipping factor")
    # The guard finds nothing among loss and gradients, and no step was skipped yet.
    for count in (len(gradients) + 1, 0, step):
        a.mark(torch.tensor(float(count)))
    for name, g in gradients.items():
        first, second = moments[name]
        new, *_ = adamw(a, a.constant(weights[name]), g * factor, a.constant(first), a.constant(second), step, **options)
        a.copy(new)
    return norm
