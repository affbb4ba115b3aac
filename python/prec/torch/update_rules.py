# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The optimizers whose update is a formula in the graph. One function an optimizer, written after the
`_single_tensor_*` of torch.optim, operation for operation. To add one: write its function and its line in RULES.

What a group's options decide that is no number (`centered`, whether there is momentum) chooses the formula; numbers are
inputs of the step. `maximize` is not seen here: it is a gradient of the other sign (optimizer.py).
"""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from ..builder import Builder
from ..errors import ImportFailure
from ..ir import Body, Kind, Value
from .formulas import Formula, Term

Group = dict[str, Any]
# From the gradient, the states and the hyperparameters by name, with the graph's own operations.
Direct = Callable[[Builder, Value, dict[str, Value], dict[str, Value]], Value]


@dataclass
class Written:
    """The update of one group's parameters. `body`: its formula, or what writes that of a shape. `hyper`: numbers by
    name, the rate first and the weight decay last, if there is one. `states` in the order of the formula; `scalars`:
    those of them that are one number a parameter. `unsigned`: states that are never negative; `exact`: those that are
    no running means. `normalized`: an element changes by about the rate. `squaring`: squares of gradients are computed.
    `direct`: computes a direction that the formula reads."""

    body: Body | Callable[[tuple[int, ...]], Body]
    hyper: dict[str, float]
    states: tuple[str, ...]
    scalars: frozenset[str] = frozenset()
    unsigned: frozenset[str] = frozenset()
    exact: frozenset[str] = frozenset()
    normalized: bool = False
    squaring: bool = False
    direct: Direct | None = None


@dataclass
class Rule:
    """`options`: of a group, that the function understands beside those of all optimizers."""

    write: Callable[[Any, Group], Written]
    options: frozenset[str] = field(default_factory=frozenset)


def _numbers(group: Group, *names: str) -> dict[str, float]:
    return {"lr": group["lr"], **{name: group[name] for name in names}, "weight_decay": group["weight_decay"]}


def _moments(group: Group, *names: str) -> dict[str, float]:
    beta1, beta2 = group["betas"]
    return {"lr": group["lr"], "beta1": beta1, "beta2": beta2, **{name: group[name] for name in names}, "weight_decay": group["weight_decay"]}


def _second_moment(f: Formula, name: str, gradient: Term, decay: Term) -> Term:
    """moment.mul_(decay).addcmul_(gradient, gradient, value=1 - decay)"""
    return f.addcmul(f.state[name] * decay, gradient, gradient, 1.0 - decay)


def _gradient_and_decay(f: Formula, decoupled: bool) -> tuple[Term, Term | None]:
    """The gradient that moments are of, and what part of the parameter goes."""
    return (f.gradient, f["lr"] * f["weight_decay"]) if decoupled else (f.decayed_gradient(), None)


def _adam(optimizer: Any, group: Group) -> Written:
    states = ("exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if group["amsgrad"] else []))
    hyper = _moments(group, "eps")
    f = Formula(states, tuple(hyper))
    g, decay = _gradient_and_decay(f, isinstance(optimizer, torch.optim.AdamW) or bool(group.get("decoupled_weight_decay")))
    first, second = f.lerp(f.state["exp_avg"], g, 1.0 - f["beta1"]), _second_moment(f, "exp_avg_sq", g, f["beta2"])
    # The largest so far, where AMSGrad keeps it.
    largest = [f.state["max_exp_avg_sq"].maximum(second)] if group["amsgrad"] else []
    root = (largest[0] if largest else second).sqrt() / (1.0 - f["beta2"] ** f.step).sqrt() + f["eps"]
    change = -(f["lr"] / (1.0 - f["beta1"] ** f.step)) * first / root
    return Written(f.add(change, [first, second, *largest], decay), hyper, states, unsigned=frozenset(states[1:]), normalized=True, squaring=True)


def _nadam(optimizer: Any, group: Group) -> Written:
    states, hyper = ("exp_avg", "exp_avg_sq", "mu_product"), _moments(group, "eps", "momentum_decay")
    f = Formula(states, tuple(hyper))
    g, decay = _gradient_and_decay(f, group["decoupled_weight_decay"])

    def momentum(step: Term) -> Term:
        return f["beta1"] * (1.0 - 0.96 ** (step * f["momentum_decay"]) * 0.5)
    now, then = momentum(f.step), momentum(f.step + 1.0)
    # A product of none is 1, and a state starts as 0.
    product = f.select(f.step.equals(1.0), 1.0, f.state["mu_product"]) * now
    whole = f.double(product)
    first, second = f.lerp(f.state["exp_avg"], g, 1.0 - f["beta1"]), _second_moment(f, "exp_avg_sq", g, f["beta2"])
    root = (second / (1.0 - f["beta2"] ** f.step)).sqrt() + f["eps"]
    of_gradient = (-f["lr"] * (1.0 - now) / (1.0 - whole)) * g / root
    of_moment = (-f["lr"] * then / (1.0 - whole * then)) * first / root
    kept = f.parameter if decay is None else f.parameter * (1.0 - decay)
    change = of_gradient + of_moment
    update = change if decay is None else f.parameter * -decay + change
    return Written(f.finish(kept + of_gradient + of_moment, update, [first, second, product]), hyper, states, frozenset(["mu_product"]),
                   frozenset(["exp_avg_sq", "mu_product"]), frozenset(["mu_product"]), normalized=True, squaring=True)


def _radam(optimizer: Any, group: Group) -> Written:
    states, hyper = ("exp_avg", "exp_avg_sq"), _moments(group, "eps")
    f = Formula(states, tuple(hyper))
    g, decay = _gradient_and_decay(f, group["decoupled_weight_decay"])
    first, second = f.lerp(f.state["exp_avg"], g, 1.0 - f["beta1"]), _second_moment(f, "exp_avg_sq", g, f["beta2"])
    power = f["beta2"] ** f.step
    correction = 1.0 - power
    longest = 2.0 / (1.0 - f["beta2"]) - 1.0
    length = longest - f.step * 2.0 * power / correction
    # Too few steps for a variance: the moment alone.
    is_long = length > 5.0
    rectified = ((length - 4.0) * (length - 2.0) * longest / ((longest - 4.0) * (longest - 2.0) * length)).sqrt()
    rate = first / (1.0 - f["beta1"] ** f.step) * f["lr"]
    adaptive = correction.sqrt() / (second.sqrt() + f["eps"])
    change = -f.select(is_long, rate * adaptive * rectified, rate)
    return Written(f.add(change, [first, second], decay), hyper, states, unsigned=frozenset(["exp_avg_sq"]), squaring=True)


def _adamax(optimizer: Any, group: Group) -> Written:
    states, hyper = ("exp_avg", "exp_inf"), _moments(group, "eps")
    f = Formula(states, tuple(hyper))
    g = f.decayed_gradient()
    first = f.lerp(f.state["exp_avg"], g, 1.0 - f["beta1"])
    largest = (f.state["exp_inf"] * f["beta2"]).maximum(g.abs() + f["eps"])
    change = -(f["lr"] / (1.0 - f["beta1"] ** f.step)) * first / largest
    return Written(f.add(change, [first, largest]), hyper, states, unsigned=frozenset(["exp_inf"]), exact=frozenset(["exp_inf"]),
                   normalized=True)


def _rmsprop(optimizer: Any, group: Group) -> Written:
    with_momentum, centered = group["momentum"] > 0, group["centered"]
    states = ("square_avg", *(["momentum_buffer"] if with_momentum else []), *(["grad_avg"] if centered else []))
    hyper = _numbers(group, "alpha", "eps", *(["momentum"] if with_momentum else []))
    f = Formula(states, tuple(hyper))
    g = f.decayed_gradient()
    new = {"square_avg": _second_moment(f, "square_avg", g, f["alpha"])}
    variance = new["square_avg"]
    if centered:
        mean = new["grad_avg"] = f.lerp(f.state["grad_avg"], g, 1.0 - f["alpha"])
        variance = f.addcmul(variance, mean, mean, -1.0)
    root = variance.sqrt() + f["eps"]
    if with_momentum:
        buffer = new["momentum_buffer"] = f.state["momentum_buffer"] * f["momentum"] + g / root
        body = f.add_scaled(-f["lr"], buffer, [new[name] for name in states])
    else:
        body = f.add(-f["lr"] * g / root, [new[name] for name in states])
    return Written(body, hyper, states, unsigned=frozenset(["square_avg"]), squaring=True)


def _adagrad(optimizer: Any, group: Group) -> Written:
    states, hyper = ("sum",), _numbers(group, "lr_decay", "eps")
    f = Formula(states, tuple(hyper))
    g = f.decayed_gradient()
    total = f.addcmul(f.state["sum"], g, g, 1)
    rate = f["lr"] / (1.0 + (f.step - 1.0) * f["lr_decay"])
    return Written(f.add(-rate * g / (total.sqrt() + f["eps"]), [total]), hyper, states, unsigned=frozenset(states), exact=frozenset(states),
                   squaring=True)


def _adadelta(optimizer: Any, group: Group) -> Written:
    states, hyper = ("square_avg", "acc_delta"), _numbers(group, "rho", "eps")
    f = Formula(states, tuple(hyper))
    g = f.decayed_gradient()
    squares = _second_moment(f, "square_avg", g, f["rho"])
    delta = (f.state["acc_delta"] + f["eps"]).sqrt() / (squares + f["eps"]).sqrt() * g
    changes = _second_moment(f, "acc_delta", delta, f["rho"])
    return Written(f.add_scaled(-f["lr"], delta, [squares, changes]), hyper, states, unsigned=frozenset(states), squaring=True)


def _asgd(optimizer: Any, group: Group) -> Written:
    states, hyper = ("ax", "mu", "eta"), _numbers(group, "lambd", "alpha", "t0")
    f = Formula(states, tuple(hyper))
    is_first = f.step.equals(1.0)
    # What the last step left for this one; states start as 0.
    rate = f.double(f.select(is_first, f.single(f["lr"]), f.state["eta"]))
    weight = f.select(is_first, f.single(1.0), f.state["mu"])
    g, decay = f.decayed_gradient(), f["lambd"] * rate
    kept = f.parameter * (1.0 - decay)
    new = f.fma(-rate, g, kept)
    average = f.select(weight.equals(1.0), new, f.state["ax"] + (new - f.state["ax"]) * weight)
    next_rate = f["lr"] / (1.0 + f["lambd"] * f["lr"] * f.step) ** f["alpha"]
    next_weight = 1.0 / (f.step - f["t0"]).maximum(1.0)
    body = f.finish(new, f.fma(-rate, g, f.parameter * -decay), [average, next_weight, next_rate])
    return Written(body, hyper, states, frozenset(["mu", "eta"]), frozenset(["mu", "eta"]), frozenset(states))


def _rprop(optimizer: Any, group: Group) -> Written:
    (shrink, grow), (least, most) = group["etas"], group["step_sizes"]
    states = ("prev", "step_size")
    hyper = {"lr": group["lr"], "eta_minus": shrink, "eta_plus": grow, "step_size_min": least, "step_size_max": most}
    f = Formula(states, (*hyper, "weight_decay"))
    agreement = f.gradient * f.state["prev"]
    turned = agreement < 0.0
    factor = f.select(agreement > 0.0, f.single(f["eta_plus"]), f.select(turned, f.single(f["eta_minus"]), f.single(1.0)))
    # Steps start at the rate, and states at 0.
    size = f.select(f.step.equals(1.0), f.single(f["lr"]), f.state["step_size"]) * factor
    size = size.maximum(f["step_size_min"]).minimum(f["step_size_max"])
    g = f.select(turned, f.single(0.0), f.gradient)
    change = -(g.sign() * size)
    return Written(f.add(change, [g, size]), hyper, states, unsigned=frozenset(["step_size"]), exact=frozenset(states))


def _muon(optimizer: Any, group: Group) -> Written:
    """The direction is the gradient's moment with all its singular values near 1, by `ns_steps` steps of Newton and
    Schulz. PyTorch transposes a tall matrix; here the products change sides instead, which is the same: the smaller of
    the two Gram matrices is what is multiplied."""
    (a, b, c), steps, adjust = group["ns_coefficients"], group["ns_steps"], group["adjust_lr_fn"]
    states, hyper = ("momentum_buffer",), _numbers(group, "momentum", "eps")
    if adjust not in (None, "original", "match_rms_adamw"):
        raise ImportFailure(f"adjust_lr_fn of Muon must be original or match_rms_adamw but got {adjust!r}")
    if steps < 1:
        raise ImportFailure(f"ns_steps of Muon must be at least 1 but got {steps}")

    def write(shape: tuple[int, ...]) -> Body:
        rows, columns = shape
        ratio = 0.2 * math.sqrt(max(rows, columns)) if adjust == "match_rms_adamw" else math.sqrt(max(1.0, rows / columns))
        f = Formula(states, tuple(hyper), directions=1)
        moment = f.lerp(f.state["momentum_buffer"], f.gradient, 1.0 - f["momentum"])
        decay = f["lr"] * f["weight_decay"]
        rate = -(f["lr"] * ratio)
        direction = f.directions[0]
        return f.finish(f.fma(rate, direction, f.parameter * (1.0 - decay)), f.fma(rate, direction, f.parameter * -decay), [moment])

    def direct(g: Builder, gradient: Value, state: dict[str, Value], numbers: dict[str, Value]) -> Value:
        shape = gradient.shape
        momentum = g.broadcast(numbers["momentum"], shape)
        moment = g.add(state["momentum_buffer"], g.mul(g.one_minus(momentum), g.sub(gradient, state["momentum_buffer"])))
        x = g.add(gradient, g.mul(momentum, g.sub(moment, gradient))) if group["nesterov"] else moment
        norm = g.math("sqrt", g.reduce("sum", g.mul(x, x), [0, 1]))
        x = g.div(x, g.broadcast(g.like(Kind.MAXIMUMF, norm, numbers["eps"]), shape))
        is_tall = shape[0] > shape[1]
        for _ in range(steps):
            other = g.swap(x, 0, 1)
            gram = g.matmul(other, x) if is_tall else g.matmul(x, other)
            polynomial = g.add(g.mul(gram, b), g.mul(g.matmul(gram, gram), c))
            product = g.matmul(x, polynomial) if is_tall else g.matmul(polynomial, x)
            x = g.add(g.mul(x, a), product)
        return x
    return Written(write, hyper, states, direct=direct)


def _rule(write: Callable[[Any, Group], Written], *options: str) -> Rule:
    return Rule(write, frozenset(options))


RULES: dict[type, Rule] = {
    torch.optim.AdamW: _rule(_adam, "betas", "eps", "weight_decay", "amsgrad", "decoupled_weight_decay"),
    torch.optim.Adam: _rule(_adam, "betas", "eps", "weight_decay", "amsgrad", "decoupled_weight_decay"),
    torch.optim.NAdam: _rule(_nadam, "betas", "eps", "weight_decay", "momentum_decay", "decoupled_weight_decay"),
    torch.optim.RAdam: _rule(_radam, "betas", "eps", "weight_decay", "decoupled_weight_decay"),
    torch.optim.Adamax: _rule(_adamax, "betas", "eps", "weight_decay"),
    torch.optim.RMSprop: _rule(_rmsprop, "alpha", "eps", "weight_decay", "momentum", "centered"),
    torch.optim.Adagrad: _rule(_adagrad, "lr_decay", "eps", "weight_decay", "initial_accumulator_value"),
    torch.optim.Adadelta: _rule(_adadelta, "rho", "eps", "weight_decay"),
    torch.optim.ASGD: _rule(_asgd, "lambd", "alpha", "t0", "weight_decay"),
    torch.optim.Rprop: _rule(_rprop, "etas", "step_sizes"),
}
if hasattr(torch.optim, "Muon"):
    # Of PyTorch 2.9.
    RULES[torch.optim.Muon] = _rule(_muon, "weight_decay", "momentum", "nesterov", "ns_coefficients", "eps", "ns_steps", "adjust_lr_fn")
