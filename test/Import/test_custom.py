# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of torch.library: one operation of the graph each, verified beside PyTorch, and what is refused."""
import json
import re

import custom_operations
import pytest
import torch
from custom_operations import Model, batch
from torch import Tensor, nn

import prec
from prec import ImportFailure
from prec.interpreter import Numpy, Program
from prec.ir import Kind
from prec.torch import Launch, host_functions, register_kernel, register_triton


def adamw(model):
    return torch.optim.AdamW(model.parameters(), lr=1e-2)


def calls(imported):
    return [op for op in imported.graph.ops if op.name == Kind.CUSTOM]


def test_an_operation_is_one_of_the_graph():
    model = Model()
    imported = prec.import_torch(model, adamw(model), batch())
    assert imported.verified == "verified"
    found = calls(imported)
    assert [op.attrs["function"] for op in found] == ["prec_test::swish.default"] * 2 + ["prec_test::weighted_rows.default"] + \
        ["prec_test::swish_backward.default"] * 2
    first, _, rows, backward, _ = found
    assert json.loads(first.attrs["settings"]) == [[{"tensor": 0}, 1.5], {}, ["float32"]]
    assert (first.attrs["reads"], first.attrs["makes"], first.attrs["gradients"], first.phase) == (["f32"], ["f32"], (), "forward")
    # What a gradient comes in by, and that it is linear, was tried.
    assert backward.attrs["gradients"] == (0,) and backward.phase == "backward"
    assert json.loads(rows.attrs["settings"]) == [[[{"tensor": 0}, {"tensor": 1}], {"tensor": 2}], {}, ["float32", "float32", "int64"]]
    assert rows.attrs["reads"] == ["f32", "f32", "i64"] and [v.shape for v in rows.results] == [(6, 32), (8,)]


def test_a_model_trains_as_with_pytorchs_own_operations():
    """The graph's gradients against those of the same model without them, in float64."""
    own, other = Model(), Model(reference=True)
    program = Program.of_text(prec.import_torch(own, adamw(own), batch()).mlir)
    other.double()
    given = {name: t.double() if t.is_floating_point() else t for name, t in batch().items()}
    loss = other(**given)
    loss.backward()
    inputs = {name: p.detach().numpy() for name, p in other.named_parameters()} | {name: t.numpy() for name, t in given.items()} | {"step": 1.0}
    gradients = program.gradients()
    found = program.run(inputs, wanted=list(gradients.values()), backend=Numpy())
    for name, value in gradients.items():
        right = dict(other.named_parameters())[name].grad
        # The second operation computes in float32.
        torch.testing.assert_close(torch.from_numpy(found[value]).double(), right, rtol=1e-5, atol=1e-6)


class Calls(nn.Module):
    def __init__(self, op, dtype=torch.float32):
        super().__init__()
        self.w, self.op = nn.Parameter(torch.ones(4, dtype=dtype)), op

    def forward(self, x):
        found = self.op(x * self.w)
        return found.float().sum()


def make(name, implementation, fake=None, **options):
    """A new operation; torch.library keeps each for the process."""
    op = torch.library.custom_op(f"prec_test::{name}", implementation, mutates_args=options.pop("mutates_args", ()), **options)
    op.register_fake(fake or (lambda x: torch.empty_like(x)))
    return op


def test_a_backward_that_is_not_linear_says_so():
    model = Calls(custom_operations.signed)
    imported = prec.import_torch(model, adamw(model), (torch.ones(4),))
    assert imported.verified == "verified" and [op.attrs["gradients"] for op in calls(imported)] == [(), ()]


def test_an_edge_has_the_types_of_the_trace():
    def double(x: Tensor) -> Tensor:
        return x * 2

    op = make("double", double)
    op.register_autograd(lambda ctx, g: g * 2, setup_context=lambda ctx, inputs, output: None)
    for dtype, edge in ((torch.float32, "f32"), (torch.bfloat16, "bf16"), (torch.float16, "f16")):
        model = Calls(op, dtype)
        found, = calls(prec.import_torch(model, adamw(model), (torch.ones(4, dtype=dtype),)))
        assert (found.attrs["reads"], found.attrs["makes"]) == ([edge], [edge])


def overwrites(x: Tensor) -> Tensor:
    x.mul_(2)
    return x + 1


def plain(x: Tensor) -> Tensor:
    return x + 1


def test_what_a_step_cannot_call_is_refused_with_what_to_do():
    def refused(op, message, dtype=torch.float32, x=None):
        model = Calls(op, dtype)
        with pytest.raises(ImportFailure, match=message):
            prec.import_torch(model, adamw(model), (torch.ones(4, dtype=dtype) if x is None else x,))

    writes = make("overwrites", overwrites, mutates_args=("x",), fake=lambda x: torch.empty_like(x))
    refused(lambda x: x * writes(x.detach().clone()), r"prec_test\.overwrites\.default: it writes .* an argument: return new tensors \(mutates_args=")
    refused(make("no_backward", plain), r"must have a gradient where one is needed but .* calls one without: .*prec_test.*register_autograd")
    no_fake = torch.library.custom_op("prec_test::no_fake", plain, mutates_args=())
    refused(no_fake, r"must have a fake implementation but .* calls one without \(.*prec_test::no_fake.*register_fake")
    library = torch.library.Library("prec_test", "FRAGMENT")
    library.define("faceless(Tensor x) -> Tensor")
    library.impl("faceless", plain, "CPU")
    torch.library.register_autograd("prec_test::faceless", lambda ctx, g: g)
    refused(torch.ops.prec_test.faceless, r"must have a fake implementation but .* calls one without \(.*prec_test.faceless.*register_fake")
    library.define("drawn(Tensor x) -> Tensor", tags=(torch.Tag.nondeterministic_seeded,))
    library.impl("drawn", plain, "CompositeExplicitAutograd")
    torch.library.register_fake("prec_test::drawn", lambda x: torch.empty_like(x))
    torch.library.register_autograd("prec_test::drawn", lambda ctx, g: g)
    refused(torch.ops.prec_test.drawn, "it draws random numbers")
    double = make("takes_double", plain)
    double.register_autograd(lambda ctx, g: g)
    refused(double, r"float32, bfloat16, float16 or whole numbers but one of prec_test\.takes_double\.default is torch\.float64", torch.float64)


def test_unsupported_arguments_are_named():
    op = torch.library.Library("prec_test", "FRAGMENT")
    op.define("laid_out(Tensor x, *, Layout? layout=None) -> Tensor")
    op.impl("laid_out", lambda x, layout=None: x + 1, "CompositeExplicitAutograd")
    torch.library.register_fake("prec_test::laid_out", lambda x, layout=None: torch.empty_like(x))
    torch.library.register_autograd("prec_test::laid_out", lambda ctx, g: g)
    model = Calls(lambda x: torch.ops.prec_test.laid_out(x, layout=torch.strided))
    with pytest.raises(ImportFailure, match="its arguments must be tensors, numbers, words, dtypes and lists of them but got a layout"):
        prec.import_torch(model, adamw(model), (torch.ones(4),))


def test_an_operation_of_no_tensor_is_refused():
    def table(n: int) -> Tensor:
        return torch.arange(n, dtype=torch.float32)

    op = make("table", table, fake=lambda n: torch.empty(n))
    model = Calls(lambda x: x * op(4))
    with pytest.raises(ImportFailure, match="it must have a tensor among its arguments"):
        prec.import_torch(model, adamw(model), (torch.ones(4),))


def test_an_implementation_that_fails_leaves_the_graph_unverified():
    def fails(x: Tensor) -> Tensor:
        raise RuntimeError("no such device")

    op = make("fails", fails)
    op.register_autograd(lambda ctx, g: g)
    model = Calls(op)
    assert "no such device" in prec.import_torch(model, adamw(model), (torch.ones(4),)).verified


def test_host_functions_are_found_by_name_and_namespace():
    assert set(host_functions("prec_test::swish")) == {"prec_test::swish.default"}
    assert {"prec_test::swish.default", "prec_test::weighted_rows.default"} <= set(host_functions("prec_test"))
    with pytest.raises(ImportFailure, match="must be registered with torch.library but 'prec_test::nothing' is not"):
        host_functions("prec_test::nothing")


PTX = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry swish(.param .u64 a) { ret; }\n"


def test_a_kernel_is_in_the_graph_with_its_launch():
    op = make("with_kernel", plain)
    op.register_autograd(lambda ctx, g: g)

    def launch(x):
        return Launch(grid=(-(-x.numel() // 2),), block=(2, 1), parameters=["in 0", "out 0", ("i32", x.numel()), ("f32", 0.5)], shared=16)
    register_kernel(op, launch, symbol="plus", ptx=PTX)
    register_kernel(op, launch, symbol="plus", cubin=b"\x7fELF\0\"\\", target="sm_90a")
    model = Calls(op)
    text = prec.import_torch(model, adamw(model), (torch.ones(4),)).mlir
    launch_text = 'launch = [2, 1, 1, 2, 1, 1, 16], parameters = ["in 0", "out 0", "i32 4", "f32 0.5"]'
    assert f'kernels = [#prec_train.kernel<image = "plus.ptx", target = "", symbol = "plus", {launch_text}>, ' \
        f'#prec_train.kernel<image = "plus.sm_90a", target = "sm_90a", symbol = "plus", {launch_text}>]' in text
    images = re.search(r"prec_train\.images = \{(.*)\}\} \{", text)[1]
    assert r'"plus.sm_90a" = "\7FELF\00\22\5C"' in images and r'"plus.ptx" = ".version 7.0\0A.target sm_80\0A' in images


@pytest.mark.parametrize("launch,message", [
    (lambda x: (1, 2), "must be a prec.torch.kernels.Launch but that of .* is a tuple"),
    (lambda x: Launch((), (1,), []), r"must have one to three sizes of at least 1 in its grid but that of .* has \[\]"),
    (lambda x: Launch((1,), (1, 0), []), r"in its block but that of .* has \[1, 0\]"),
    (lambda x: Launch((1,), (1,), ["in 1"]), "of the 1 tensors and 1 results, .* but that of .* is 'in 1'"),
    (lambda x: Launch((1,), (1,), ["out 1"]), "is 'out 1'"),
    (lambda x: Launch((1,), (1,), [("u8", 1)]), r"is \('u8', 1\)"),
    (lambda x: Launch((1,), (1,), [("i32", 2**31)]), "must fit i32 but that of .* is 2147483648"),
    (lambda x: Launch((1,), (1,), [("f32", float("inf"))]), "must fit f32 but that of .* is inf"),
])
def test_a_launch_must_fit(launch, message, request):
    op = make(f"launched_{request.node.callspec.indices['launch']}", plain)
    op.register_autograd(lambda ctx, g: g)
    register_kernel(op, launch, symbol="plus", ptx=PTX)
    model = Calls(op)
    with pytest.raises(ImportFailure, match=message):
        prec.import_torch(model, adamw(model), (torch.ones(4),))


@pytest.mark.parametrize("options,message", [
    ({}, r"must have ptx= or cubin= but got neither"),
    ({"ptx": PTX, "cubin": b"x", "target": "sm_90a"}, "but got both"),
    ({"cubin": b"x"}, "a cubin must say its target and PTX none but got target=''"),
    ({"ptx": PTX, "target": "sm_80"}, "but got target='sm_80'"),
    ({"ptx": PTX, "symbol": "prec_row"}, "must not begin with prec_ but got 'prec_row'"),
])
def test_a_kernel_must_be_whole(options, message):
    with pytest.raises(ImportFailure, match=message):
        register_kernel(custom_operations.swish, lambda x, slope: None, **{"symbol": "swish", **options})


def test_a_kernel_is_of_an_operation_of_torch_library():
    with pytest.raises(ImportFailure, match="must be of an operation of torch.library but got"):
        register_kernel(torch.ops.aten.add, lambda x, y: None, symbol="add", ptx=PTX)


def test_tritons_kernels_need_triton():
    try:
        import triton  # noqa: F401
    except ImportError:
        pass
    else:
        pytest.skip("Triton is installed")
    with pytest.raises(ImportFailure, match="must be compiled where Triton is but plain is registered where it is not installed: pip install triton"):
        register_triton(custom_operations.swish, plain, lambda x, slope: None, signature={}, constexprs={})


def test_an_operation_under_triton_op_is_kept_whole():
    """torch.library.triton_op is an operation as any other, and computes by what is registered for the CPU."""
    def halved(x: Tensor) -> Tensor:
        return x / 2

    op = torch.library.triton_op("prec_test::halved", halved, mutates_args={})
    op.register_kernel("cpu")(halved)
    op.register_autograd(lambda ctx, g: g / 2, setup_context=lambda ctx, inputs, output: None)
    model = Calls(op)
    imported = prec.import_torch(model, adamw(model), (torch.ones(4),))
    assert imported.verified == "verified" and [c.attrs["function"] for c in calls(imported)] == ["prec_test::halved.default"]
