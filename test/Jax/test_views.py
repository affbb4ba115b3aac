# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step whose state is its own memory, as on a GPU: the same code on the CPU."""
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from steps import copied, mlp, train

import prec
import prec.jax
from prec.jax import driver, loan, memory
from prec.jax.memory import check_memory, memory_of
from prec.module import Module
from prec.tools import run_tool


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    params, loss, batch = mlp()
    optimizer = optax.adamw(1e-2)
    step = train(loss, optimizer)
    made = prec.jax.compile(step, params, optimizer.init(params), batch, recipe="fp32", cache=tmp_path_factory.mktemp("jax"), views=True)
    yield step, made, (params, optimizer.init(params)), batch
    made.close()


def run(step, state, batch, steps=3):
    losses = []
    for _ in range(steps):
        *state, loss = step(*state, batch)
        losses.append(float(loss))
    return losses, state


def test_trains_as_jax(compiled):
    step, ours, state, batch = compiled
    (right, theirs), (got, mine) = run(jax.jit(step), copied(state), batch, 6), run(ours, copied(state), batch, 6)
    np.testing.assert_allclose(right, got, rtol=1e-6)
    for p, q in zip(jax.tree.leaves(theirs), jax.tree.leaves(mine), strict=True):
        assert p.dtype == q.dtype and jnp.allclose(p, q, rtol=1e-5, atol=1e-6)


def test_state_stays_where_it_is(compiled):
    """Parameters and moments are the same memory in each step, of which a step copies nothing."""
    _, ours, state, batch = compiled
    _, mine = run(ours, copied(state), batch, 1)
    places = [leaf.unsafe_buffer_pointer() for leaf in jax.tree.leaves(mine) if leaf.ndim]
    held = np.array(mine[0]["second"])
    _, mine = run(ours, mine, batch, 1)
    assert [leaf.unsafe_buffer_pointer() for leaf in jax.tree.leaves(mine) if leaf.ndim] == places
    assert not np.array_equal(held, mine[0]["second"])


def test_donates_as_jax_does(compiled):
    _, ours, state, batch = compiled
    given = copied(state)
    *first, _ = ours(*given, batch)
    assert all(leaf.is_deleted() for leaf in jax.tree.leaves(given))
    ours(*first, batch)
    assert all(leaf.is_deleted() for leaf in jax.tree.leaves(first))
    with pytest.raises(prec.StepFailure, match="was given to a step before, which has deleted it"):
        ours(*first, batch)


def test_another_state_ends_the_last_one(compiled):
    """Its memory is written: whoever still has it is told so."""
    step, ours, state, batch = compiled
    *last, _ = ours(*copied(state), batch)
    *_, loss = ours(*copied(state), batch)
    assert all(leaf.is_deleted() for leaf in jax.tree.leaves(last) if leaf.ndim)
    assert float(loss) == pytest.approx(float(step(*state, batch)[2]), rel=1e-6)


def assert_as_jax(step, ours, params, opt_state, batch):
    """One step gives what JAX's own does."""
    right = step(*copied((params, opt_state)), batch)
    got = ours(params, opt_state, batch)
    for p, q in zip(jax.tree.leaves(right), jax.tree.leaves(got), strict=True):
        assert jnp.allclose(p, q, rtol=1e-5, atol=1e-6)


class Renewing(memory.Device):
    renews = True


class Lender:
    """Memory of JAX's own instead of that of a module, which JAX donates in place on the CPU, too."""

    def __init__(self):
        self.made, self.waited = [], 0

    def array(self, place, name, ready, awaited=True):
        self.made.append(name)
        array = jnp.full(place.shape, float(len(self.made)))
        place.addresses = [array.unsafe_buffer_pointer()]
        return array

    def wait(self, drain):
        self.waited += 1


def test_arrays_are_renewed(monkeypatch):
    """DLPack makes them once, and in each step what says that it is done; donation gives new ones of the same memory,
    each in its place."""
    def place(*shape):
        return type("Place", (), {"shape": shape})()
    places = [("a", place(3)), ("b", place()), ("c", place(3)), ("d", place(2, 2))]
    lent = Lender()
    monkeypatch.setattr(loan, "Lent", lambda: lent)
    lends = loan.Loan(Renewing(), places, [("loss", place())], lambda read: [read[0] * 2])
    assert lends.take_back() is None and lends.arrays == []
    first, copies = lends.hand_out(place())
    assert lent.made == ["a", "b", "c", "d", "loss", ""] and [float(one.ravel()[0]) for one in (*first, *copies)] == [1, 2, 3, 4, 10]
    assert lends.take_back().block_until_ready() == 1 and all(one.is_deleted() for one in first)
    second, copies = lends.hand_out(place())
    assert lent.made[6:] == [""] and [float(one.ravel()[0]) for one in (*second, *copies)] == [1, 2, 3, 4, 10]
    assert [one.unsafe_buffer_pointer() for one in second] == [one.addresses[0] for _, one in places]
    held = second[3].__dlpack__()  # Then its memory is not the array's alone.
    assert lends.take_back() is None and lent.waited == 1 and all(one.is_deleted() for one in second)
    third, _ = lends.hand_out(place())
    assert lent.made[7:] == ["a", "b", "c", "d", "loss", ""] and held is not None
    third[2].delete()
    assert lends.take_back() is None and lent.waited == 2
    lends.close()


def test_memory_that_jax_copies(monkeypatch):
    """Then DLPack makes arrays of it in each step."""
    class Copied(Lender):
        def array(self, place, name, ready, awaited=True):
            array = super().array(place, name, ready, awaited)
            place.addresses = [0]
            return array
    lent = Copied()
    monkeypatch.setattr(loan, "Lent", lambda: lent)
    place = type("Place", (), {"shape": (3,)})()
    lends = loan.Loan(Renewing(), [("w", place)], [], lambda read: [])
    (first,), _ = lends.hand_out(place)
    assert lent.made == ["w", "", "w"] and first[0] == 3
    assert lends.take_back() is None and first.is_deleted() and lent.waited == 1
    (second,), _ = lends.hand_out(place)
    assert lent.made[3:] == ["w"] and second[0] == 4


def test_an_array_that_was_deleted(compiled):
    step, ours, state, batch = compiled
    params, opt_state, _ = ours(*copied(state), batch)
    kept = jnp.copy(params["second"]) / 2
    params["second"].delete()
    assert_as_jax(step, ours, {**params, "second": kept}, opt_state, batch)


def test_some_arrays_are_new(compiled):
    step, ours, state, batch = compiled
    params, opt_state, _ = ours(*copied(state), batch)
    params = {**params, "second": params["second"] * 2}
    assert_as_jax(step, ours, params, opt_state, batch)


def test_arrays_that_were_donated_elsewhere(compiled):
    """A function to which an array was donated may give back another one in the step's memory."""
    step, ours, state, batch = compiled
    params, opt_state, _ = ours(*copied(state), batch)
    moments = jax.tree.leaves(opt_state)
    kernels = [leaf for leaf in (params["first"]["kernel"], *moments) if leaf.shape == (8, 16)]
    assert len(kernels) == 3
    rotate = jax.jit(lambda a, b, c: (abs(b), abs(c), abs(a)), donate_argnums=(0, 1, 2))
    turned = iter(rotate(*kernels))
    swap = {id(kernel): new for kernel, new in zip(kernels, turned, strict=True)}
    params, opt_state = jax.tree.map(lambda leaf: swap.get(id(leaf), leaf), (params, opt_state))
    assert_as_jax(step, ours, params, opt_state, batch)


def test_what_is_computed_of_the_state_is_of_its_step(compiled):
    _, ours, state, batch = compiled
    slow = jax.jit(lambda w, x: w.sum() + 0 * jax.lax.fori_loop(0, 200, lambda _, y: jnp.sin(y @ y), x)[0, 0])
    params, opt_state, _ = ours(*copied(state), batch)
    right = float(np.array(params["second"]).sum(dtype=np.float64))
    late = slow(params["second"], jnp.ones((64, 64)))
    ours(params, opt_state, batch)
    assert float(late) == pytest.approx(right, rel=1e-5)


def test_memory_that_numpy_holds(compiled):
    _, ours, state, batch = compiled
    params, opt_state, _ = ours(*copied(state), batch)
    held = np.asarray(params["second"])
    with pytest.raises(prec.StepFailure, match="nobody else may hold memory of arrays that a step takes but second is held by"):
        ours(params, opt_state, batch)
    del held


def test_arrays_outlive_the_step(tmp_path):
    params, loss, batch = mlp()
    optimizer = optax.sgd(1e-1)
    step = train(loss, optimizer)
    ours = prec.jax.compile(step, params, optimizer.init(params), batch, recipe="fp32", cache=tmp_path, views=True, verify=False)
    _, mine = run(ours, copied((params, optimizer.init(params))), batch, 1)
    held = np.array(mine[0]["second"])
    ours.close()
    del ours
    np.testing.assert_array_equal(held, mine[0]["second"])


@pytest.mark.parametrize("views", (True, None))
def test_without_donation_all_are_copies(tmp_path, views):
    params, loss, batch = mlp()
    optimizer = optax.adamw(1e-2)
    state = copied((params, optimizer.init(params)))
    ours = prec.jax.compile(train(loss, optimizer), *state, batch, recipe="fp32", cache=tmp_path, donate=False, views=views, verify=False)
    first = ours(*state, batch)
    seen = [np.array(leaf) for leaf in jax.tree.leaves(first)]
    held = [np.asarray(leaf) for leaf in jax.tree.leaves(first)]
    second = ours(*first[:2], batch)
    assert not any(leaf.is_deleted() for leaf in jax.tree.leaves((state, first)))
    for a, b, c in zip(seen, held, jax.tree.leaves(first), strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)
    assert float(ours(*state, batch)[2]) == float(first[2]) != float(second[2])
    ours.close()


def test_layers_of_a_scan_and_narrow_masters(tmp_path):
    """What the step stores in another way comes out as JAX has it, and goes back."""
    def loss(params, batch):
        def layer(x, w):
            return jnp.tanh(x @ w["w"] + w["b"].astype(jnp.float32)), None
        return ((jax.lax.scan(layer, batch, params)[0] - 0.5) ** 2).mean()
    params = {"w": jax.random.normal(jax.random.key(0), (3, 8, 8)) * 0.3, "b": jnp.ones((3, 8), jnp.bfloat16) * 0.1}
    batch = jax.random.normal(jax.random.key(1), (16, 8))
    optimizer = optax.adam(1e-2)
    step = train(loss, optimizer)
    state = (params, optimizer.init(params))
    ours = prec.jax.compile(step, *state, batch, recipe="fp32", cache=tmp_path, views=True)
    (right, theirs), (got, mine) = run(jax.jit(step), copied(state), batch, 4), run(ours, copied(state), batch, 4)
    np.testing.assert_allclose(right, got, rtol=3e-3)  # masters of JAX's are in BF16
    assert jax.tree.map(lambda p: (p.shape, p.dtype), theirs) == jax.tree.map(lambda p: (p.shape, p.dtype), mine)
    assert jnp.allclose(theirs[0]["w"], mine[0]["w"], atol=1e-2)
    again, _ = run(ours, copied(mine), batch, 1)
    assert again[0] < got[-1]
    ours.close()


def test_an_index_that_is_no_row(tmp_path):
    params, loss, batch = mlp()
    optimizer = optax.sgd(1e-1)
    ours = prec.jax.compile(train(loss, optimizer), params, optimizer.init(params), batch, recipe="fp32", cache=tmp_path, views=True, verify=False)
    state = copied((params, optimizer.init(params)))
    with pytest.raises(prec.RuntimeFailure, match=r"indices in y must lie in \[0, 4\), but some do not"):
        ours(*state, {**batch, "y": batch["y"] + 100})
    assert not any(leaf.is_deleted() for leaf in jax.tree.leaves(state))
    ours(*state, batch)
    ours.close()


def test_a_step_that_is_not_finite(tmp_path):
    params, loss, batch = mlp()
    optimizer = optax.sgd(1e-1)
    for views in (True, None):
        state = copied((params, optimizer.init(params)))
        ours = prec.jax.compile(train(loss, optimizer), *state, batch, recipe="fp32", cache=tmp_path, views=views, verify=False)
        *state, _ = ours(*state, batch)
        assert ours.skipped is None
        before = np.array(state[0]["second"])
        *state, value = ours(*state, {**batch, "x": batch["x"] * jnp.inf})
        assert ours.skipped is not None and not np.isfinite(float(value))
        np.testing.assert_array_equal(before, state[0]["second"])
        ours.close()


class StandIn(memory.Gpu):
    """A GPU whose memory is the host's and whose driver only says what it was asked for."""

    renews = False

    def __init__(self):
        memory.Device.__init__(self)
        self._driver, self._event, self.calls = self, None, []
        self.is_slow = True

    def open(self, path, threads):
        return Module(path, allocator=memory.JaxMemory(self.jax_device))

    def record(self, stream):
        self.calls.append(("record", stream))
        return self

    def wait(self, stream, event):
        self.calls.append(("wait", stream))

    def synchronize(self, module):
        self.calls.append(("synchronize",))

    def is_done(self):
        return not self.is_slow


def test_the_way_of_a_gpu(tmp_path, monkeypatch):
    """Batches stay where they are and are checked there, arrays wait for the step, what is read lives until it is
    done."""
    device = StandIn()
    monkeypatch.setattr(memory, "_stream", lambda module: 7)
    params, loss, batch = mlp()
    optimizer = optax.adamw(1e-2)
    step = train(loss, optimizer)
    state = copied((params, optimizer.init(params)))
    imported = prec.import_jax(step, *state, batch)
    imported.write(tmp_path / "graph.mlir")
    run_tool("prec-compile", [tmp_path / "graph.mlir", "--recipe=fp32", "--target=cpu", "-o", tmp_path / "step-module.so"])
    assert memory_of(run_tool("prec-run", [tmp_path / "step-module.so", "--inspect"])) > 3 * 4 * 8 * 16
    ours = prec.jax.CompiledStep(imported, device.open(tmp_path / "step-module.so", 0), True, device)
    (right, _), (got, mine) = run(jax.jit(step), copied(state), batch), run(ours, state, batch)
    np.testing.assert_allclose(right, got, rtol=1e-6)
    views = [leaf for leaf in jax.tree.leaves(mine) if leaf.ndim]
    assert device.calls[:2] == [("synchronize",), ("record", 7)] and device.calls.count(("synchronize",)) == 1
    assert device.calls.count(("record", 7)) == 3 and device.calls.count(("wait", 1)) >= 3 * len(views)
    *mine, _ = ours(*mine, {**batch, "y": batch["y"].at[3].set(100)})
    *mine, _ = ours(*mine, jax.tree.map(np.asarray, batch))
    device.is_slow = False
    with pytest.raises(prec.RuntimeFailure, match="indices in y must be rows of their table, but some of step 4 were not and were taken for 0"):
        ours(*mine, batch)
    with pytest.raises(prec.RuntimeFailure, match=r"indices in y must lie in \[0, 4\), but some do not"):
        ours(*mine, {**batch, "y": np.asarray(batch["y"]) + 4})
    *mine, value = ours(*mine, batch)
    assert np.isfinite(float(value)) and ours.skipped is None
    ours.close()
    assert np.isfinite(np.array(mine[0]["second"])).all()


def test_a_driver_that_is_not_there():
    with pytest.raises(prec.StepFailure, match="the driver of a GPU must be there but libnothing.so cannot be opened"):
        driver.Driver(0, "libnothing.so")


def test_a_gpu_that_is_not_there(compiled):
    step, _, state, batch = compiled
    with pytest.raises(prec.StepFailure, match='target must be "cpu" where JAX has no GPU, but got "sm_90a"'):
        prec.jax.compile(step, *state, batch, target="sm_90a")


def test_memory_is_asked_for_before_it_is_taken():
    class Full:
        def memory_stats(self):
            return {"bytes_limit": 60 * 2**30, "bytes_in_use": 20 * 2**30}
    needed = memory_of("abi 3\nsegments\n  state        42949672960 bytes\n  workspace    1073741824 bytes\nbindings\n  parameter  1  8 bytes\n")
    assert needed == 41 * 2**30
    with pytest.raises(prec.StepFailure, match=r"needs 41.0 GiB of JAX's memory but 40.0 of 60.0 GiB are free: set XLA_PYTHON_CLIENT_MEM_FRACTION="):
        check_memory(Full(), needed)
    check_memory(Full(), needed - 2**30)


def test_views_of_a_gpu_can_only_be_left_out_by_donation(monkeypatch):
    monkeypatch.setattr(sys.modules["prec.jax.compile"], "device_for", lambda target: type("Gpu", (), {"is_gpu": True})())
    with pytest.raises(prec.StepFailure, match="views=False must be for a step on the CPU, but the target is sm_90a"):
        prec.jax.compile(lambda w: w, 1, target="sm_90a", views=False)
