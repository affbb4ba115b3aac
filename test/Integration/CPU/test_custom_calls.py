# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of torch.library in compiled steps: beside PyTorch and beside the same model without them, in what each
recipe stores, and what a module does without its functions."""
import pathlib
import subprocess

import numpy as np
import pytest
import torch
from custom_operations import Model, batch

import prec
from prec.errors import FunctionFailure, InvalidArgument
from prec.torch import host_functions

STEPS, RATE = 10, 1e-2


@pytest.fixture(scope="module")
def compiled(compile_module):
    model = Model()
    return compile_module(prec.import_torch(model, torch.optim.AdamW(model.parameters(), lr=RATE), batch()), "fp32")


def losses_of_pytorch(model):
    optimizer, losses = torch.optim.AdamW(model.parameters(), lr=RATE), []
    for number in range(STEPS):
        loss = model(**batch(number))
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return losses


def numpy_batch(number):
    return {name: t.numpy() for name, t in batch(number).items()}


def test_ten_steps_are_those_of_pytorch(compiled):
    right = losses_of_pytorch(Model())
    with prec.Module(compiled[0], functions=host_functions("prec_test")) as module:
        module.load(compiled[1])
        got = [module.step(numpy_batch(number))["loss"] for number in range(STEPS)]
        held = module.eval(numpy_batch(0))["loss"]
    np.testing.assert_allclose(got, right, rtol=2e-5)
    assert np.isfinite(held)


@pytest.mark.parametrize("recipe", ["bf16", "fp16", "fp8-hybrid"])
def test_other_recipes_train_as_without_them(recipe, tmp_path):
    """Beside the same model of PyTorch's own operations in the same recipe, whose roundings alone differ. In fp16 the
    loss is scaled through the backward of the user's."""
    models = [Model(), Model(reference=True)]
    steps = [prec.compile(model, torch.optim.SGD(model.parameters(), lr=1e-3), batch(), recipe=recipe, target="cpu", cache=tmp_path,
                          log=lambda _: None) for model in models]
    for number in range(6):
        own, other = (step(batch(number)).item() for step in steps)
        assert own == pytest.approx(other, rel=2e-2), number
    assert [step.skipped for step in steps] == [None, None]
    for step in steps:
        step.close()


def test_accumulated_micro_batches_pass_through_a_backward(tmp_path):
    model, other = Model(), Model(reference=True)
    step = prec.compile(model, torch.optim.SGD(model.parameters(), lr=1e-2), batch(), recipe="fp32", target="cpu", cache=tmp_path, accumulate=True,
                        log=lambda _: None)
    optimizer = torch.optim.SGD(other.parameters(), lr=1e-2)
    for number in range(2):
        step.accumulate(batch(number))
        (other(**batch(number)) / 2).backward()
    step.apply()
    optimizer.step()
    for (name, p), right in zip(model.named_parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(p, right, rtol=1e-5, atol=1e-6, msg=name)
    step.close()


def test_an_edge_of_bf16_is_rounded_once(tmp_path):
    """An operation that was traced in bfloat16 gets and gives bfloat16, and no other formats are asked of it."""
    seen = set()

    def halve(x: torch.Tensor) -> torch.Tensor:
        seen.add(x.dtype)
        return x / 2

    op = torch.library.custom_op("prec_test::halve", halve, mutates_args=())
    op.register_fake(lambda x: torch.empty_like(x))
    op.register_autograd(lambda ctx, g: g / 2)

    class Halved(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(8, 8)

        def forward(self, x, y):
            return torch.nn.functional.mse_loss(op(self.layer(x).bfloat16()).float(), y)

    torch.manual_seed(0)
    model, data = Halved(), {"x": torch.randn(4, 8), "y": torch.randn(4, 8)}
    right = model(**data).item()
    step = prec.compile(model, torch.optim.SGD(model.parameters(), lr=0.1), data, recipe="fp32", target="cpu", cache=tmp_path, log=lambda _: None)
    seen.clear()
    assert step(data).item() == pytest.approx(right, rel=1e-6)
    assert seen == {torch.bfloat16}
    step.close()


def test_a_module_needs_its_functions(compiled):
    with pytest.raises(InvalidArgument, match=r"command '.*/call\.\d+' must have its function 'prec_test::\w+\.default', but none of that name was "
                                              "given: open the module with the functions that it calls"):
        prec.Module(compiled[0])
    some = {name: f for name, f in host_functions("prec_test").items() if "backward" not in name}
    with pytest.raises(InvalidArgument, match="must have its function 'prec_test::swish_backward.default'"):
        prec.Module(compiled[0], functions=some)


def test_a_function_that_fails_says_why(compiled):
    functions = host_functions("prec_test")

    def fails(settings, inputs, results):
        raise ZeroDivisionError("no such number")
    functions["prec_test::weighted_rows.default"] = fails
    with prec.Module(compiled[0], functions=functions) as module:
        module.load(compiled[1])
        with pytest.raises(FunctionFailure, match=r"function 'prec_test::weighted_rows.default' of command '.*call\.\d+' must return 0, but did not: "
                                                  "ZeroDivisionError: no such number") as failure:
            module.step(numpy_batch(0))
        assert isinstance(failure.value.__cause__, ZeroDivisionError)


def test_a_function_of_ones_own_gets_arrays(compiled):
    """Without PyTorch: what a call is given and writes."""
    seen = {}

    def swish(settings, inputs, results):
        x, = (t.numpy() for t in inputs)
        seen[settings] = (inputs[0].dtype, inputs[0].shape)
        slope = 1.5 if "1.5" in settings else 0.25
        results[0].numpy()[...] = x / (1 + np.exp(-slope * x))
    functions = host_functions("prec_test") | {"prec_test::swish.default": swish}
    right = losses_of_pytorch(Model())
    with prec.Module(compiled[0], functions=functions) as module:
        module.load(compiled[1])
        assert module.step(numpy_batch(0))["loss"] == pytest.approx(right[0], rel=2e-6)
    assert sorted(seen.values()) == [("float32", (6, 32)), ("float32", (8, 32))]


def test_a_result_of_another_shape_is_refused(tmp_path):
    def shorter(x: torch.Tensor) -> torch.Tensor:
        return x[:1].clone() if shorter.is_short else x.clone()

    shorter.is_short = False
    op = torch.library.custom_op("prec_test::shorter", shorter, mutates_args=())
    op.register_fake(lambda x: torch.empty_like(x))
    op.register_autograd(lambda ctx, g: g)

    class Short(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(8, 8)

        def forward(self, x):
            return op(self.layer(x)).square().mean()

    model = Short()
    step = prec.compile(model, torch.optim.SGD(model.parameters(), lr=0.1), (torch.ones(4, 8),), recipe="fp32", target="cpu", cache=tmp_path,
                        log=lambda _: None)
    shorter.is_short = True
    with pytest.raises(FunctionFailure, match=r"a result must have shape \[4, 8\], as its fake implementation says, but got \[1, 8\]"):
        step((torch.ones(4, 8),))
    step.close()


def test_prec_run_takes_functions_of_a_library(compiled, tool, tmp_path):
    run = [tool("prec-run"), compiled[0], "--weights", compiled[1], "--compare", compiled[0]]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 1 and "must have its function 'prec_test::swish.default', but none of that name was given" in done.stderr
    source = '''
#include "prec-rt/prec-rt.h"
#include <math.h>
#include <string.h>
static size_t elements(const prec_rt_tensor *t) {
  size_t n = 1;
  for (size_t i = 0; i < t->rank; ++i) n *= (size_t)t->shape[i];
  return n;
}
static float slope(const prec_rt_call *call) { return strstr(call->settings, "1.5") ? 1.5f : 0.25f; }
static int32_t swish(const prec_rt_call *call, char *message, size_t capacity, void *user) {
  const float *x = call->inputs[0].data;
  float *y = call->results[0].data;
  for (size_t i = 0; i < elements(&call->inputs[0]); ++i) y[i] = x[i] / (1 + expf(-slope(call) * x[i]));
  (void)message, (void)capacity, (void)user;
  return 0;
}
static int32_t swish_backward(const prec_rt_call *call, char *message, size_t capacity, void *user) {
  const float *g = call->inputs[0].data, *x = call->inputs[1].data;
  float *dx = call->results[0].data;
  for (size_t i = 0; i < elements(&call->inputs[0]); ++i) {
    float s = slope(call), y = 1 / (1 + expf(-s * x[i]));
    dx[i] = g[i] * (y + s * x[i] * y * (1 - y));
  }
  (void)message, (void)capacity, (void)user;
  return 0;
}
static int32_t rows(const prec_rt_call *call, char *message, size_t capacity, void *user) {
  if (call->num_inputs != 3 || call->num_results != 2 || call->inputs[2].dtype != PREC_RT_I64) {
    strncpy(message, "rows must be of two tensors", capacity);
    return 1;
  }
  const float *p = call->inputs[0].data, *q = call->inputs[1].data;
  const int64_t *ids = call->inputs[2].data, columns = call->inputs[0].shape[1];
  float *taken = call->results[0].data, *most = call->results[1].data;
  for (int64_t r = 0; r < call->results[0].shape[0]; ++r)
    for (int64_t i = 0; i < columns; ++i)
      taken[r * columns + i] = p[ids[r] * columns + i] + q[ids[r] * columns + i] + 0.5f;
  for (int64_t r = 0; r < call->results[1].shape[0]; ++r) {
    most[r] = -INFINITY;
    for (int64_t i = 0; i < columns; ++i) most[r] = fmaxf(most[r], p[r * columns + i] + q[r * columns + i] + 0.5f);
  }
  (void)user;
  return SUCCESS;
}
static const prec_rt_function list[] = {{"prec_test::swish.default", swish, 0}, {"prec_test::swish_backward.default", swish_backward, 0},
                                        {"prec_test::weighted_rows.default", rows, 0}};
PREC_RT_EXPORT const prec_rt_function *prec_rt_functions_v1(size_t *count) { *count = 3; return list; }
'''
    include = pathlib.Path(__file__).resolve().parents[3] / "runtime" / "include"
    for library, code in (("functions.so", "0"), ("failing.so", "2")):
        (tmp_path / "functions.c").write_text(source)
        subprocess.run(["cc", "-shared", "-fPIC", f"-I{include}", f"-DSUCCESS={code}", tmp_path / "functions.c", "-lm", "-o", tmp_path / library],
                       check=True)
    library = tmp_path / "functions.so"
    done = subprocess.run([*run, "--functions", library], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([*run, "--functions", tmp_path / "failing.so"], capture_output=True, text=True)
    assert done.returncode == 1 and "function 'prec_test::weighted_rows.default' of command " in done.stderr, done.stderr
    assert done.stderr.rstrip().endswith("must return 0, but did not"), done.stderr
    done = subprocess.run([*run, "--functions", library, "--functions", library], capture_output=True, text=True)
    assert "functions must have names of their own, but got two of 'prec_test::swish.default'" in done.stderr
    done = subprocess.run([*run, "--functions", tmp_path / "absent.so"], capture_output=True, text=True)
    assert "--functions must be a library that can be loaded, but got" in done.stderr
    other = tmp_path / "other.so"
    (tmp_path / "other.c").write_text("int nothing;\n")
    subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "other.c", "-o", other], check=True)
    done = subprocess.run([*run, "--functions", other], capture_output=True, text=True)
    assert "--functions must export prec_rt_functions_v1, but does not" in done.stderr

