# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several steps over the same tensors, beside PyTorch's loops: what one trains the others read as it is at each call,
what two train is one, and a script may change all of it in between."""
import copy
import gc

import pytest
import torch
import torch.nn.functional as F
from small import Bigram, adamw, assert_same_weights, eager, make, tokens

import prec

STEPS = 24
BANDS = {"fp32": 2e-5, "bf16": 0.03, "fp8-hybrid": 0.1}


def mlp(*sizes, norm=False):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [torch.nn.Linear(a, b), *([torch.nn.BatchNorm1d(b)] if norm else []), torch.nn.LeakyReLU(0.2)]
    return torch.nn.Sequential(*layers[:-1])


def draw(count, *shape, seed=1):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(*shape, generator=generator) for _ in range(count)]


class Generate(torch.nn.Module):
    """The generator's step: its loss is what the discriminator says."""

    def __init__(self, generator, discriminator):
        super().__init__()
        self.generator, self.discriminator = generator, discriminator

    def forward(self, z):
        return F.softplus(-self.discriminator(self.generator(z))).mean()


class Discriminate(torch.nn.Module):
    def __init__(self, generator, discriminator):
        super().__init__()
        self.generator, self.discriminator = generator, discriminator

    def forward(self, real, z):
        fake = self.generator(z).detach()
        return F.softplus(-self.discriminator(real)).mean() + F.softplus(self.discriminator(fake)).mean()


class Gan:
    def __init__(self, norm=False, dtype=torch.float32):
        torch.manual_seed(0)
        self.generator, self.discriminator = mlp(16, 32, 16, norm=norm).to(dtype), mlp(16, 32, 16, 1, norm=norm).to(dtype)
        self.models = Generate(self.generator, self.discriminator), Discriminate(self.generator, self.discriminator)
        self.optimizers = [torch.optim.Adam(m.parameters(), lr=2e-3, betas=(0.5, 0.9)) for m in (self.generator, self.discriminator)]

    def eager(self, real, z):
        losses = []
        for model, optimizer, batch in ((self.models[1], self.optimizers[1], (real, z)), (self.models[0], self.optimizers[0], (z,))):
            for one in self.optimizers:
                one.zero_grad()
            loss = model(*batch)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    def compile(self, compiled, order=(0, 1), **options):
        real, z = draw(2, 8, 16)
        steps = {}
        for i in order:
            steps[i] = compiled(self.models[i], self.optimizers[i], (z,) if i == 0 else (real, z), **options)
        return steps[0], steps[1]


@pytest.mark.parametrize("recipe", BANDS)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["generator first", "discriminator first"])
@pytest.mark.cases(3)
def test_a_gan(order, recipe, compiled):
    a, b = Gan(), Gan()
    generate, discriminate = b.compile(compiled, order, recipe=recipe)
    for real, z in zip(draw(STEPS, 8, 16), draw(STEPS, 8, 16, seed=2)):
        expected = a.eager(real, z)
        assert [discriminate((real, z)).item(), generate((z,)).item()] == pytest.approx(expected, rel=BANDS[recipe])
    if recipe == "fp32":
        assert_same_weights(a.generator, b.generator, rtol=1e-3, atol=1e-5)
        assert_same_weights(a.discriminator, b.discriminator, rtol=1e-3, atol=1e-5)
    assert generate.steps == discriminate.steps == STEPS


def test_statistics_that_both_steps_write(compiled):
    """Batch norms of the discriminator run in the generator's step, too."""
    a, b = Gan(norm=True), Gan(norm=True)
    generate, discriminate = b.compile(compiled)
    for real, z in zip(draw(8, 8, 16), draw(8, 8, 16, seed=2)):
        expected = a.eager(real, z)
        assert [discriminate((real, z)).item(), generate((z,)).item()] == pytest.approx(expected, rel=1e-4)
    assert b.discriminator[1].num_batches_tracked == a.discriminator[1].num_batches_tracked == 24
    # Biases in front of a norm have no gradient but noise.
    for one, other in ((a.discriminator, b.discriminator), (a.generator, b.generator)):
        for (name, x), (_, y) in zip(one.named_buffers(), other.named_buffers()):
            torch.testing.assert_close(x, y, rtol=1e-2 if "mean" in name else 1e-3, atol=1e-2 if "mean" in name else 1e-5, msg=name)


def test_a_script_changes_what_steps_share(compiled):
    """Clipped weights (as of Wasserstein's), a load, a freeze around the generator's step, and writes through data."""
    a, b = Gan(), Gan()
    generate, discriminate = b.compile(compiled)
    for i, (real, z) in enumerate(zip(draw(STEPS, 8, 16), draw(STEPS, 8, 16, seed=2))):
        for gan in (a, b):
            for p in gan.discriminator.parameters():
                if i % 3 == 0:
                    p.data.clamp_(-0.2, 0.2)
                elif i % 3 == 1:
                    with torch.no_grad():
                        p.mul_(0.9)
            if i % 5 == 4:
                gan.discriminator.load_state_dict({name: t * 1.1 for name, t in gan.discriminator.state_dict().items()})
        expected, got = a.eager(real, z), [discriminate((real, z)).item()]
        b.discriminator.requires_grad_(False)
        got.append(generate((z,)).item())
        b.discriminator.requires_grad_(True)
        assert got == pytest.approx(expected, rel=5e-5), i
    assert_same_weights(a.discriminator, b.discriminator, rtol=1e-3, atol=1e-5)


def test_half_of_a_gan_is_pytorchs(compiled):
    a, b = Gan(), Gan()
    generate = b.compile(compiled, (0, 1))[0]
    gc.collect()
    for real, z in zip(draw(STEPS, 8, 16), draw(STEPS, 8, 16, seed=2)):
        expected = a.eager(real, z)
        b.optimizers[1].zero_grad()
        loss = b.models[1](real, z)
        loss.backward()
        b.optimizers[1].step()
        assert [loss.item(), generate((z,)).item()] == pytest.approx(expected, rel=2e-5)


def test_a_gan_in_bf16(compiled):
    """Masters in FP32 behind tensors in BF16, which each step reads as the other one has filled them."""
    a, b = Gan(), Gan(dtype=torch.bfloat16)
    generate, discriminate = b.compile(compiled, recipe="bf16")
    for real, z in zip(draw(STEPS, 8, 16), draw(STEPS, 8, 16, seed=2)):
        expected = a.eager(real, z)
        assert [discriminate((real.bfloat16(), z.bfloat16())).item(), generate((z.bfloat16(),)).item()] == pytest.approx(expected, rel=0.06)


class Student(torch.nn.Module):
    """Learns from a copy that follows it."""

    def __init__(self):
        super().__init__()
        self.student = mlp(16, 32, 8)
        self.teacher = copy.deepcopy(self.student).requires_grad_(False)

    def forward(self, x, other):
        return F.mse_loss(self.student(x), self.teacher(other)) + self.student(other).square().mean()

    @torch.no_grad()
    def follow(self):
        for mine, theirs in zip(self.teacher.parameters(), self.student.parameters()):
            mine.lerp_(theirs, 0.1)


@pytest.mark.parametrize("recipe", BANDS)
def test_a_teacher_that_follows(recipe, compiled):
    a, b = make(Student), make(Student)
    oa, ob = (torch.optim.AdamW(m.student.parameters(), lr=1e-2) for m in (a, b))
    batches = [{"x": x, "other": y} for x, y in zip(draw(STEPS, 8, 16), draw(STEPS, 8, 16, seed=2))]
    step = compiled(b, ob, batches[0], recipe=recipe)
    for batch in batches:
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=BANDS[recipe])
        a.follow(), b.follow()
    assert_same_weights(a.teacher, b.teacher, rtol=1e-4 if recipe == "fp32" else 0.1, atol=1e-5 if recipe == "fp32" else 0.05)


class Agent:
    """An actor and a critic with targets that follow, as of DDPG."""

    def __init__(self):
        torch.manual_seed(0)
        self.actor, self.critic = mlp(8, 32, 4), mlp(12, 32, 1)
        self.targets = copy.deepcopy(self.actor), copy.deepcopy(self.critic)
        self.optimizers = [torch.optim.Adam(m.parameters(), lr=1e-3) for m in (self.actor, self.critic)]
        self.policy, self.value = Policy(self.actor, self.critic), Value(self.critic, *self.targets)

    def follow(self):
        for target, own in zip(self.targets, (self.actor, self.critic)):
            for t, p in zip(target.parameters(), own.parameters()):
                t.data.copy_(0.9 * t.data + 0.1 * p.data)


class Policy(torch.nn.Module):
    def __init__(self, actor, critic):
        super().__init__()
        self.actor, self.critic = actor, critic

    def forward(self, state):
        return -self.critic(torch.cat([state, self.actor(state)], -1)).mean()


class Value(torch.nn.Module):
    def __init__(self, critic, target_actor, target_critic):
        super().__init__()
        self.critic, self.target_actor, self.target_critic = critic, target_actor, target_critic

    def forward(self, state, action, reward, after):
        with torch.no_grad():
            wanted = reward + 0.9 * self.target_critic(torch.cat([after, self.target_actor(after)], -1))
        return F.mse_loss(self.critic(torch.cat([state, action], -1)), wanted)


@pytest.mark.parametrize("recipe", BANDS)
def test_an_actor_and_a_critic(recipe, compiled):
    a, b = Agent(), Agent()
    batches = [dict(zip(("state", "action", "reward", "after"), t)) for t in zip(
        draw(STEPS, 16, 8), draw(STEPS, 16, 4, seed=2), draw(STEPS, 16, 1, seed=3), draw(STEPS, 16, 8, seed=4))]
    act = compiled(b.policy, b.optimizers[0], {"state": batches[0]["state"]}, recipe=recipe)
    judge = compiled(b.value, b.optimizers[1], batches[0], recipe=recipe)
    for batch in batches:
        state = {"state": batch["state"]}
        for one in a.optimizers:
            one.zero_grad()
        expected = [eager(a.value, a.optimizers[1], batch).item(), eager(a.policy, a.optimizers[0], state).item()]
        assert [judge(batch).item(), act(state).item()] == pytest.approx(expected, rel=BANDS[recipe], abs=BANDS[recipe] / 2)
        a.follow(), b.follow()


class Both(torch.nn.Module):
    """Two heads on one trunk; a batch says which loss it is for."""

    def __init__(self):
        super().__init__()
        self.trunk, self.first, self.second = mlp(16, 32, 16), torch.nn.Linear(16, 4), torch.nn.Linear(16, 4)

    def forward(self, x, y=None, other=None):
        h = F.silu(self.trunk(x))
        if y is not None:
            return F.mse_loss(self.first(h), y) + 0.1 * self.second(h).square().mean()
        return F.l1_loss(self.second(h), other) + 0.1 * self.first(h).square().mean()


OPTIMIZERS = {
    "adamw": lambda m: torch.optim.AdamW(m.parameters(), lr=3e-3),
    "momentum": lambda m: torch.optim.SGD(m.parameters(), lr=0.05, momentum=0.9),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("recipe", BANDS)
@pytest.mark.cases(4)
def test_two_losses_of_one_model_and_one_optimizer(name, recipe, compiled):
    """Both train the same masters and states, and count the same steps."""
    a, b = make(Both), make(Both)
    oa, ob = OPTIMIZERS[name](a), OPTIMIZERS[name](b)
    xs, ys = draw(STEPS, 8, 16), draw(STEPS, 8, 4, seed=2)
    steps = [compiled(b, ob, {"x": xs[0], key: ys[0]}, recipe=recipe) for key in ("y", "other")]
    for i, (x, y) in enumerate(zip(xs, ys)):
        which = (i // 2 + i // 3) % 2  # Now and then several of one after another.
        batch = {"x": x, ("y", "other")[which]: y}
        assert steps[which](batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=BANDS[recipe]), i
    if recipe != "fp32":
        return
    assert_same_weights(a, b, rtol=1e-3, atol=1e-5)
    for key, state in oa.state_dict()["state"].items():
        for slot, value in state.items():
            torch.testing.assert_close(ob.state_dict()["state"][key][slot], value, rtol=1e-2, atol=1e-5)
    for step in steps:
        step.close()
    assert eager(a, oa, batch).item() == pytest.approx(eager(b, ob, batch).item(), rel=1e-4)


def test_two_optimizers_of_one_trunk(compiled):
    """Each has states of its own; the masters are one."""
    def optimizers(m):
        return [torch.optim.AdamW([*m.trunk.parameters(), *head.parameters()], lr=3e-3) for head in (m.first, m.second)]
    a, b = make(Both), make(Both)
    oa, ob = optimizers(a), optimizers(b)
    xs, ys = draw(STEPS, 8, 16), draw(STEPS, 8, 4, seed=2)
    steps = [compiled(b, o, {"x": xs[0], key: ys[0]}) for o, key in zip(ob, ("y", "other"))]
    for i, (x, y) in enumerate(zip(xs, ys)):
        batch = {"x": x, ("y", "other")[i % 2]: y}
        for one in oa:
            one.zero_grad()
        assert steps[i % 2](batch).item() == pytest.approx(eager(a, oa[i % 2], batch).item(), rel=2e-5), i
    assert_same_weights(a, b, rtol=1e-3, atol=1e-5)


def test_optimizers_that_take_turns(compiled):
    """Two halves of one model, one trained while the other one waits."""
    def optimizers(m):
        return [torch.optim.AdamW(m.trunk.parameters(), lr=3e-3), torch.optim.SGD([*m.first.parameters(), *m.second.parameters()], lr=0.1)]
    a, b = make(Both), make(Both)
    oa, ob = optimizers(a), optimizers(b)
    batches = [{"x": x, "y": y} for x, y in zip(draw(STEPS, 8, 16), draw(STEPS, 8, 4, seed=2))]
    steps = [compiled(b, o, batches[0]) for o in ob]
    for i, batch in enumerate(batches):
        for one in oa:
            one.zero_grad()
        assert steps[i // 4 % 2](batch).item() == pytest.approx(eager(a, oa[i // 4 % 2], batch).item(), rel=2e-5), i
    assert_same_weights(a, b, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("options", [{}, {"compiler_options": ["--assign=moments=dynamic8"]}], ids=["", "moments in 8 bits"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_steps_hand_over_all_bits(dtype, options, compiled):
    """Two steps that take turns are one step: also masters behind a model in BF16, and moments."""
    class Wide(Bigram):
        def __init__(self):
            super().__init__()
            self.hidden = torch.nn.Sequential(torch.nn.Linear(16, 512), torch.nn.Tanh(), torch.nn.Linear(512, 16))
    batches = list(tokens(12))
    one, two = make(Wide).to(dtype), make(Wide).to(dtype)
    o1, o2 = (torch.optim.AdamW(m.parameters(), lr=1e-4) for m in (one, two))
    step = compiled(one, o1, batches[0], recipe="bf16", **options)
    pair = [compiled(two, o2, batches[0], recipe="bf16", **options) for _ in range(2)]
    for i, batch in enumerate(batches):
        assert pair[i // 2 % 2](batch).item() == step(batch).item(), i
        if i == 7:  # A third, in the place of one.
            pair[0].close()
            pair[0] = compiled(two, o2, batches[0], recipe="bf16", **options)
    assert_same_weights(one, two, rtol=0, atol=0)
    for key, state in o1.state_dict()["state"].items():
        assert all(torch.equal(value, o2.state_dict()["state"][key][slot]) for slot, value in state.items())


def test_who_is_said_to_be_read(compiled):
    """What no step trains may be a mistake, and is said; what another one trains is none."""
    gan, said = Gan(), []
    z = draw(1, 8, 16)[0]
    generate = compiled(gan.models[0], gan.optimizers[0], (z,), log=said.append)
    assert [line for line in said if "are in no group" in line] == [
        "6 parameters that require gradients are in no group of the optimizer, such as discriminator.0.weight: the step reads them and does not "
        "train them, as PyTorch"]
    said.clear()
    compiled(gan.models[1], gan.optimizers[1], (z, z), log=said.append)
    assert not [line for line in said if "are in no group" in line]
    assert all(p.requires_grad for p in gan.discriminator.parameters())
    before = copy.deepcopy(gan.discriminator.state_dict())
    generate((z,))
    assert all(torch.equal(before[name], t) for name, t in gan.discriminator.state_dict().items())


def test_micro_batches_of_steps_that_share(compiled):
    """Gradients of both may be added up beside each other; a micro-batch after the other one's update begins anew."""
    a, b = Gan(), Gan()
    generate, discriminate = b.compile(compiled, accumulate=True)
    reals, zs = draw(4, 8, 16), draw(4, 8, 16, seed=2)
    for i in (0, 2):
        for one in a.optimizers:
            one.zero_grad()
        for real, z in zip(reals[i:i + 2], zs[i:i + 2]):
            discriminate.accumulate((real, z))
            generate.accumulate((z,))
            wanted = [p for m in (a.generator, a.discriminator) for p in m.parameters()]
            of = {id(p): a.models[0 if n < 4 else 1] for n, p in enumerate(wanted)}
            losses = {id(a.models[0]): a.models[0](z) / 2, id(a.models[1]): a.models[1](real, z) / 2}
            for model in a.models:
                own = [p for p in wanted if of[id(p)] is model]
                for p, g in zip(own, torch.autograd.grad(losses[id(model)], own)):
                    p.grad = g if p.grad is None else p.grad + g
        for one in a.optimizers:
            one.step()
        generate.apply(), discriminate.apply()
    assert_same_weights(a.generator, b.generator, rtol=1e-3, atol=1e-5)
    assert_same_weights(a.discriminator, b.discriminator, rtol=1e-3, atol=1e-5)
    discriminate.accumulate((reals[0], zs[0]))
    generate.accumulate((zs[0],))
    generate.apply()
    with pytest.raises(prec.StepFailure, match="must stay as they are between accumulate and apply, but were changed .*another step"):
        discriminate.accumulate((reals[0], zs[0]))
    discriminate.accumulate((reals[0], zs[0]))
    discriminate.apply()


def test_what_only_one_of_two_steps_trains(compiled):
    """PyTorch counts steps by parameters, a compiled one counts one: what to do is said."""
    class Heads(Both):
        def forward(self, x, y=None, other=None):
            h = self.trunk(x)
            return F.mse_loss(self.first(h), y) if y is not None else F.mse_loss(self.second(h), other)
    model = make(Heads)
    optimizer = torch.optim.AdamW(model.parameters())
    x, y = draw(1, 8, 16)[0], draw(1, 8, 4)[0]
    first, second = (compiled(model, optimizer, {"x": x, key: y}) for key in ("y", "other"))
    first({"x": x, "y": y})
    with pytest.raises(prec.StepFailure, match="needs an optimizer of its own"):
        second({"x": x, "other": y})


@pytest.mark.parametrize("first", [0, 1])
def test_steps_are_closed_in_any_order(first, compiled):
    a, b = Gan(), Gan()
    steps = list(b.compile(compiled))
    reals, zs = draw(9, 8, 16), draw(9, 8, 16, seed=2)
    for i, (real, z) in enumerate(zip(reals, zs)):
        if i == 3:
            steps[first].close()
        if i == 6:
            steps[1 - first].close()
        expected = a.eager(real, z)
        got = []
        for which, batch in ((1, (real, z)), (0, (z,))):
            if steps[which]._is_open:
                got.append(steps[which](batch).item())
                continue
            b.optimizers[which].zero_grad()
            loss = b.models[which](*batch)
            loss.backward()
            b.optimizers[which].step()
            got.append(loss.item())
            b.generator.zero_grad(), b.discriminator.zero_grad()
        assert got == pytest.approx(expected, rel=3e-5), i
    assert all(type(p) is torch.nn.Parameter for m in (b.generator, b.discriminator) for p in m.parameters())


def test_the_same_step_again(compiled):
    """As in a notebook: the first one goes when nobody holds it any more."""
    a, b = make(), make()
    oa, ob = adamw(a), adamw(b)
    batches = list(tokens(6))
    for batch in batches:
        step = compiled(b, ob, batches[0])
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
    assert_same_weights(a, b)


@pytest.mark.parametrize("recipe, dtype", [("fp32", torch.float32), ("bf16", torch.bfloat16)])
def test_a_step_that_nobody_holds_leaves_what_it_has_trained(recipe, dtype, compiled):
    def train(model, optimizer):
        step = compiled(model, optimizer, next(tokens(1)), recipe=recipe)
        for batch in tokens(4):
            loss = step(batch)
        return loss
    model, other = make().to(dtype), make().to(dtype)
    optimizer = adamw(model)
    train(model, optimizer)
    step = compiled(other, adamw(other), next(tokens(1)), recipe=recipe)
    for batch in tokens(4):
        step(batch)
    step.sync()
    assert all(torch.equal(p, q) for p, q in zip(model.parameters(), other.parameters(), strict=True))
    assert all(type(p) is torch.nn.Parameter for p in model.parameters())
    eager(model, optimizer, batch)


def test_two_models_in_one_process(compiled):
    """Nothing in common, nothing changes."""
    model, other = make(), make(seed=3)
    first, second = compiled(model, adamw(model), next(tokens(1))), compiled(other, adamw(other), next(tokens(1)))
    alone = make()
    third = compiled(alone, adamw(alone), next(tokens(1)))
    for batch in tokens(3):
        second(batch)
        assert first(batch).item() == third(batch).item()
