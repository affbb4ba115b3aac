# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lookups in payloads of linalg, and gathers, scatters, loops that add and padding beside it: what
--prec-convert-linalg-to-train makes of them computes what NumPy says."""
import subprocess

import numpy as np
import pytest

from prec.interpreter import Program


def convert(prec_opt: str, text: str) -> str:
    done = subprocess.run([prec_opt, "-", "--prec-convert-linalg-to-train"], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not any(name in done.stdout for name in ("linalg.", "tensor.extract ", "tensor.gather", "tensor.scatter", "tensor.pad", "scf.",
                                            "tensor.insert"))
    return done.stdout


def compute(graph: str, *inputs: np.ndarray) -> np.ndarray:
    return Program.of_text(graph).run(dict(enumerate(inputs)), function="f")[0]


def looked_up(table: str, ids: str, out: str, ids_map: str, loops: str, body: str, element: str = "f32") -> str:
    kinds = ", ".join(['"parallel"'] * len(loops.split(", ")))
    return f"""func.func @f(%t: {table}, %i: {ids}) -> {out} {{
      %e = tensor.empty() : {out}
      %y = linalg.generic {{indexing_maps = [affine_map<({loops}) -> ({ids_map})>, affine_map<({loops}) -> ({loops})>], iterator_types = [{kinds}]}}
          ins(%i : {ids}) outs(%e : {out}) {{
        ^bb0(%id: i64, %b: {element}):
          {body}
          linalg.yield %r : {element}
      }} -> {out}
      return %y : {out}
    }}"""


T = np.random.default_rng(0).standard_normal((7, 5, 4), dtype=np.float32)
IDS = np.array([[3, 0, 6], [1, 1, 5]])


def test_rows(prec_opt):
    """An embedding, with the assertion that torch-mlir adds."""
    text = looked_up("tensor<7x5x4xf32>", "tensor<2x3xi64>", "tensor<2x3x5x4xf32>", "a, b", "a, b, c, d", """%n = arith.index_cast %id : i64 to index
          %seven = arith.constant 7 : i64
          %ok = arith.cmpi slt, %id, %seven : i64
          cf.assert %ok, "index must be smaller than dim size"
          %k = linalg.index 2 : index
          %l = linalg.index 3 : index
          %r = tensor.extract %t[%n, %k, %l] : tensor<7x5x4xf32>""")
    graph = convert(prec_opt, text)
    assert graph.count("prec_train.gather") == 1 and "-> tensor<2x3x5x4xf32>" in graph
    np.testing.assert_array_equal(compute(graph, T, IDS), T[IDS])


def test_negative_indices_count_from_the_end(prec_opt):
    text = looked_up("tensor<7x5x4xf32>", "tensor<2x3xi64>", "tensor<2x3x5x4xf32>", "a, b", "a, b, c, d", """%zero = arith.constant 0 : i64
          %seven = arith.constant 7 : i64
          %p = arith.cmpi slt, %id, %zero : i64
          %m = arith.addi %id, %seven : i64
          %s = arith.select %p, %m, %id : i64
          %n = arith.index_cast %s : i64 to index
          %k = linalg.index 2 : index
          %l = linalg.index 3 : index
          %r = tensor.extract %t[%n, %k, %l] : tensor<7x5x4xf32>""")
    np.testing.assert_array_equal(compute(convert(prec_opt, text), T, IDS - 7 * (IDS > 4)), T[IDS])


def test_columns_are_rows_of_the_transposed_table(prec_opt):
    text = looked_up("tensor<7x5x4xf32>", "tensor<3xi64>", "tensor<7x3x4xf32>", "b", "a, b, c", """%n = arith.index_cast %id : i64 to index
          %k = linalg.index 0 : index
          %l = linalg.index 2 : index
          %r = tensor.extract %t[%k, %n, %l] : tensor<7x5x4xf32>""")
    np.testing.assert_array_equal(compute(convert(prec_opt, text), T, np.array([4, 0, 4])), T[:, [4, 0, 4]])


def test_one_of_each_row(prec_opt):
    """take_along_axis, as a cross entropy picks the label's logit: the row is a loop that the index depends on, too."""
    table, labels = T[:, :, 0], np.array([4, 0, 1, 3, 2, 2, 0])
    text = looked_up("tensor<7x5xf32>", "tensor<7xi64>", "tensor<7xf32>", "a", "a", """%n = arith.index_cast %id : i64 to index
          %k = linalg.index 0 : index
          %r = tensor.extract %t[%k, %n] : tensor<7x5xf32>""")
    np.testing.assert_array_equal(compute(convert(prec_opt, text), table, labels), np.take_along_axis(table, labels[:, None], 1)[:, 0])


def test_two_computed_indices_and_a_constant(prec_opt):
    text = looked_up("tensor<7x5x4xf32>", "tensor<2x3xi64>", "tensor<2x3xf32>", "a, b", "a, b", """%n = arith.index_cast %id : i64 to index
          %half = arith.constant 2 : index
          %m = arith.remsi %n, %half : index
          %r = tensor.extract %t[%n, %m, %half] : tensor<7x5x4xf32>""")
    np.testing.assert_array_equal(compute(convert(prec_opt, text), T, IDS), T[IDS, IDS % 2, 2])


def test_known_places_are_slices(prec_opt):
    text = looked_up("tensor<7x5x4xf32>", "tensor<3xi64>", "tensor<4x3xf32>", "b", "a, b", """%k = linalg.index 0 : index
          %l = linalg.index 1 : index
          %one = arith.constant 1 : index
          %r = tensor.extract %t[%l, %one, %k] : tensor<7x5x4xf32>""")
    graph = convert(prec_opt, text)
    assert "gather" not in graph and "extract_slice" in graph
    np.testing.assert_array_equal(compute(graph, T, np.arange(3)), T[:3, 1, :].T)


def test_looked_up_and_computed_with(prec_opt):
    """Rows that are masked out are zero."""
    text = looked_up("tensor<7x4xf32>", "tensor<6xi64>", "tensor<6x4xf32>", "a", "a, b", """%none = arith.constant -1 : i64
          %zero = arith.constant 0 : i64
          %nothing = arith.constant 0.0 : f32
          %p = arith.cmpi eq, %id, %none : i64
          %s = arith.select %p, %zero, %id : i64
          %n = arith.index_cast %s : i64 to index
          %k = linalg.index 1 : index
          %v = tensor.extract %t[%n, %k] : tensor<7x4xf32>
          %w = arith.mulf %v, %v : f32
          %r = arith.select %p, %nothing, %w : f32""")
    ids = np.array([3, -1, 6, 0, -1, 2])
    np.testing.assert_allclose(compute(convert(prec_opt, text), T[:, 0], ids), np.where(ids[:, None] < 0, 0, T[ids, 0] ** 2))


def test_scalars_of_tensors(prec_opt):
    """A factor that is taken out of a tensor, and arithmetic with it, in front of the operation."""
    text = """func.func @f(%x: tensor<4x5xf32>, %s: tensor<f32>, %v: tensor<3xf32>) -> tensor<4x5xf32> {
      %one = arith.constant 1 : index
      %two = arith.constant 2.0 : f32
      %a = tensor.extract %s[] : tensor<f32>
      %b = tensor.extract %v[%one] : tensor<3xf32>
      %ab = arith.mulf %a, %b : f32
      %c = arith.addf %ab, %two : f32
      %e = tensor.empty() : tensor<4x5xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<4x5xf32>) outs(%e : tensor<4x5xf32>) {
        ^bb0(%p: f32, %q: f32):
          %r = arith.mulf %p, %c : f32
          linalg.yield %r : f32
      } -> tensor<4x5xf32>
      return %y : tensor<4x5xf32>
    }"""
    x, s, v = T[:4, :, 0], np.float32(3), np.array([1, 0.5, 2], np.float32)
    np.testing.assert_allclose(compute(convert(prec_opt, text), x, s, v), x * 3.5, rtol=1e-6)


@pytest.mark.parametrize("dims, result", [([0], "2x3x5x4"), ([1], "2x3x7x4"), ([0, 2], "2x3x5"), ([0], "2x3x1x5x4"), ([1, 2], "2x3x7x1x1")])
def test_gathers_of_tensor(prec_opt, dims, result):
    ids = np.stack([IDS % T.shape[d] for d in dims], -1)
    text = f"""func.func @f(%t: tensor<7x5x4xf32>, %i: tensor<2x3x{len(dims)}xi32>) -> tensor<{result}xf32> {{
      %y = tensor.gather %t[%i] gather_dims({dims}) : (tensor<7x5x4xf32>, tensor<2x3x{len(dims)}xi32>) -> tensor<{result}xf32>
      return %y : tensor<{result}xf32>
    }}"""
    table = np.moveaxis(T, dims, range(len(dims)))
    expected = table[tuple(ids[..., i] for i in range(len(dims)))]
    np.testing.assert_array_equal(compute(convert(prec_opt, text), T, ids), expected.reshape([int(n) for n in result.split("x")]))


@pytest.mark.parametrize("dims, kept", [([0], False), ([1], False), ([0, 2], False), ([1], True)])
def test_scatters_of_tensor(prec_opt, dims, kept):
    rng = np.random.default_rng(1)
    sizes = [T.shape[d] for d in dims]
    places = rng.permutation(int(np.prod(sizes)))[:4].reshape(2, 2)
    ids = np.stack(np.unravel_index(places, sizes), -1)
    rest = [s for d, s in enumerate(T.shape) if d not in dims]
    updates = rng.standard_normal([2, 2, *rest], dtype=np.float32)
    shape = [2, 2, *(1 if d in dims else s for d, s in enumerate(T.shape))] if kept else list(updates.shape)
    source = f"tensor<{'x'.join(map(str, shape))}xf32>"
    text = f"""func.func @f(%u: {source}, %t: tensor<7x5x4xf32>, %i: tensor<2x2x{len(dims)}xi32>) -> tensor<7x5x4xf32> {{
      %y = tensor.scatter %u into %t[%i] scatter_dims({dims}) unique : ({source}, tensor<7x5x4xf32>, tensor<2x2x{len(dims)}xi32>) -> tensor<7x5x4xf32>
      return %y : tensor<7x5x4xf32>
    }}"""
    expected = T.copy()
    np.moveaxis(expected, dims, range(len(dims)))[tuple(ids[..., i] for i in range(len(dims)))] = updates
    np.testing.assert_array_equal(compute(convert(prec_opt, text), updates.reshape(shape), T, ids), expected)


def test_padding_is_a_concatenation(prec_opt):
    text = """func.func @f(%x: tensor<3x4xf32>) -> tensor<5x7xf32> {
      %c = arith.constant 2.5 : f32
      %y = tensor.pad %x low[0, 1] high[2, 2] {
        ^bb0(%i: index, %j: index):
          tensor.yield %c : f32
      } : tensor<3x4xf32> to tensor<5x7xf32>
      return %y : tensor<5x7xf32>
    }"""
    x = T[:3, 0]
    np.testing.assert_array_equal(compute(convert(prec_opt, text), x), np.pad(x, ((0, 2), (1, 2)), constant_values=2.5))


@pytest.mark.parametrize("place, sizes, source", [((1, 2, 0), (3, 2, 4), (3, 2, 4)), ((0, 0, 1), (7, 1, 2), (7, 2)), ((6, 0, 0), (1, 5, 4), (5, 4)),
                                                  ((0, 0, 0), (7, 5, 4), (7, 5, 4))])
def test_insertions(prec_opt, place, sizes, source):
    given = np.random.default_rng(2).standard_normal(source, dtype=np.float32)
    type_ = f"tensor<{'x'.join(map(str, source))}xf32>"
    text = f"""func.func @f(%u: {type_}, %t: tensor<7x5x4xf32>) -> tensor<7x5x4xf32> {{
      %y = tensor.insert_slice %u into %t{list(place)} {list(sizes)} [1, 1, 1] : {type_} into tensor<7x5x4xf32>
      return %y : tensor<7x5x4xf32>
    }}"""
    expected = T.copy()
    expected[tuple(slice(begin, begin + size) for begin, size in zip(place, sizes))] = given.reshape(sizes)
    np.testing.assert_array_equal(compute(convert(prec_opt, text), given, T), expected)


def test_branches(prec_opt):
    """As JAX writes the ends of a range: one of two values by the number of a loop."""
    text = looked_up("tensor<5xf32>", "tensor<6xi64>", "tensor<6xf32>", "a", "a", """%k = linalg.index 0 : index
          %two = arith.constant 2 : index
          %p = arith.cmpi ult, %k, %two : index
          %r = scf.if %p -> (f32) {
            %v = arith.sitofp %id : i64 to f32
            scf.yield %v : f32
          } else {
            %m = arith.muli %id, %id : i64
            %v = arith.sitofp %m : i64 to f32
            scf.yield %v : f32
          }""")
    ids = np.array([3, -1, 6, 0, -5, 2])
    np.testing.assert_array_equal(compute(convert(prec_opt, text), T[:5, 0, 0], ids), np.where(np.arange(6) < 2, ids, ids**2))


def test_sums_in_f64_stay(prec_opt):
    """As torch-mlir computes the mean of a layer norm, with the dimension that it reduces kept."""
    text = """func.func @f(%x: tensor<4x6xf32>) -> tensor<4x1xf32> {
      %zero = arith.constant 0.0 : f64
      %n = arith.constant 6.0 : f64
      %e = tensor.empty() : tensor<4x1xf64>
      %start = linalg.fill ins(%zero : f64) outs(%e : tensor<4x1xf64>) -> tensor<4x1xf64>
      %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<4x6xf32>) outs(%start : tensor<4x1xf64>) {
        ^bb0(%a: f32, %b: f64):
          %w = arith.extf %a : f32 to f64
          %t = arith.addf %w, %b : f64
          linalg.yield %t : f64
      } -> tensor<4x1xf64>
      %o = tensor.empty() : tensor<4x1xf32>
      %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
          ins(%s : tensor<4x1xf64>) outs(%o : tensor<4x1xf32>) {
        ^bb0(%a: f64, %b: f32):
          %d = arith.divf %a, %n : f64
          %r = arith.truncf %d : f64 to f32
          linalg.yield %r : f32
      } -> tensor<4x1xf32>
      return %m : tensor<4x1xf32>
    }"""
    x = np.random.default_rng(3).standard_normal((4, 6), dtype=np.float32)
    graph = convert(prec_opt, text)
    assert "prec_train.reduce" in graph and "tensor<4x6xf64>" in graph
    np.testing.assert_allclose(compute(graph, x), x.astype(np.float64).mean(1, keepdims=True), rtol=1e-6)


def adding_loop(table: str, updates: str, ids: str, columns: int, body: str) -> str:
    """Adds %u of updates to %t at the places %p0, ... that ids say."""
    places = "\n".join(f"""%c{k} = arith.constant {k} : index
          %d{k} = tensor.extract %i[%n, %c{k}] : {ids}
          %p{k} = arith.index_cast %d{k} : i32 to index""" for k in range(columns))
    return f"""func.func @f(%t: {table}, %u: {updates}, %i: {ids}) -> {table} {{
      %from = arith.constant 0 : index
      %to = arith.constant {ids.removeprefix("tensor<").split("x")[0]} : index
      %by = arith.constant 1 : index
      %y = scf.for %n = %from to %to step %by iter_args(%s = %t) -> ({table}) {{
          {places}
          {body}
          scf.yield %new : {table}
      }}
      return %y : {table}
    }}"""


def test_a_loop_that_adds_rows(prec_opt):
    """Rows that are named twice, of a dimension in the middle, clamped."""
    text = adding_loop("tensor<3x7x5xf32>", "tensor<4x3x1x5xf32>", "tensor<4x1xi32>", 1, """%six = arith.constant 6 : index
          %p = arith.minsi %p0, %six : index
          %a = tensor.extract_slice %u[%n, 0, 0, 0] [1, 3, 1, 5] [1, 1, 1, 1] : tensor<4x3x1x5xf32> to tensor<3x1x5xf32>
          %o = tensor.extract_slice %s[0, %p, 0] [3, 1, 5] [1, 1, 1] : tensor<3x7x5xf32> to tensor<3x1x5xf32>
          %sum = arith.addf %a, %o : tensor<3x1x5xf32>
          %new = tensor.insert_slice %sum into %s[0, %p, 0] [3, 1, 5] [1, 1, 1] : tensor<3x1x5xf32> into tensor<3x7x5xf32>""")
    rng = np.random.default_rng(1)
    table, updates = rng.standard_normal((3, 7, 5), np.float32), rng.standard_normal((4, 3, 1, 5), np.float32)
    ids = np.array([[2], [9], [2], [0]], np.int32)
    expected = table.copy()
    np.add.at(expected, (slice(None), np.minimum(ids[:, 0], 6)), updates[:, :, 0].swapaxes(0, 1))
    graph = convert(prec_opt, text)
    assert graph.count("prec_train.scatter_add") == 1
    np.testing.assert_allclose(compute(graph, table, updates, ids), expected, rtol=1e-6, atol=1e-6)


def test_a_loop_that_adds_elements(prec_opt):
    text = adding_loop("tensor<7x5xf32>", "tensor<6xf32>", "tensor<6x2xi32>", 2, """%a = tensor.extract %u[%n] : tensor<6xf32>
          %two = arith.constant 2.0 : f32
          %b = arith.mulf %a, %two : f32
          %o = tensor.extract %s[%p0, %p1] : tensor<7x5xf32>
          %sum = arith.addf %o, %b : f32
          %new = tensor.insert %sum into %s[%p0, %p1] : tensor<7x5xf32>""")
    rng = np.random.default_rng(2)
    table, updates = rng.standard_normal((7, 5), np.float32), rng.standard_normal(6, np.float32)
    ids = np.array([[0, 1], [6, 4], [0, 1], [3, 0], [3, 1], [0, 1]], np.int32)
    expected = table.copy()
    np.add.at(expected, tuple(ids.T), 2 * updates)
    np.testing.assert_allclose(compute(convert(prec_opt, text), table, updates, ids), expected, rtol=1e-6, atol=1e-6)


def test_one_element_of_each_row(prec_opt):
    """As IREE writes the gradient of a picked element: all indices in one tensor, to which they were inserted."""
    text = """func.func @f(%u: tensor<2x3xf32>, %k: tensor<2x3x1x1xi32>) -> tensor<2x3x5xf32> {
      %zeros = arith.constant dense<0.0> : tensor<2x3x5xf32>
      %e = tensor.empty() : tensor<2x3x1x1xi32>
      %m = tensor.empty() : tensor<2x3x1x3xi32>
      %i = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>],
          iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<2x3x1x1xi32>) {
        ^bb0(%o: i32):
          %n = linalg.index 0 : index
          %r = arith.index_cast %n : index to i32
          linalg.yield %r : i32
      } -> tensor<2x3x1x1xi32>
      %j = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>],
          iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<2x3x1x1xi32>) {
        ^bb0(%o: i32):
          %n = linalg.index 1 : index
          %r = arith.index_cast %n : index to i32
          linalg.yield %r : i32
      } -> tensor<2x3x1x1xi32>
      %m1 = tensor.insert_slice %i into %m[0, 0, 0, 0] [2, 3, 1, 1] [1, 1, 1, 1] : tensor<2x3x1x1xi32> into tensor<2x3x1x3xi32>
      %m2 = tensor.insert_slice %j into %m1[0, 0, 0, 1] [2, 3, 1, 1] [1, 1, 1, 1] : tensor<2x3x1x1xi32> into tensor<2x3x1x3xi32>
      %m3 = tensor.insert_slice %k into %m2[0, 0, 0, 2] [2, 3, 1, 1] [1, 1, 1, 1] : tensor<2x3x1x1xi32> into tensor<2x3x1x3xi32>
      %ids = tensor.collapse_shape %m3 [[0, 1, 2], [3]] : tensor<2x3x1x3xi32> into tensor<6x3xi32>
      %flat = tensor.collapse_shape %u [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
      %from = arith.constant 0 : index
      %to = arith.constant 6 : index
      %by = arith.constant 1 : index
      %two = arith.constant 2 : index
      %y = scf.for %n = %from to %to step %by iter_args(%s = %zeros) -> (tensor<2x3x5xf32>) {
          %d0 = tensor.extract %ids[%n, %from] : tensor<6x3xi32>
          %d1 = tensor.extract %ids[%n, %by] : tensor<6x3xi32>
          %d2 = tensor.extract %ids[%n, %two] : tensor<6x3xi32>
          %p0 = arith.index_cast %d0 : i32 to index
          %p1 = arith.index_cast %d1 : i32 to index
          %p2 = arith.index_cast %d2 : i32 to index
          %a = tensor.extract %flat[%n] : tensor<6xf32>
          %o = tensor.extract %s[%p0, %p1, %p2] : tensor<2x3x5xf32>
          %sum = arith.addf %o, %a : f32
          %new = tensor.insert %sum into %s[%p0, %p1, %p2] : tensor<2x3x5xf32>
          scf.yield %new : tensor<2x3x5xf32>
      }
      return %y : tensor<2x3x5xf32>
    }"""
    updates, ids = np.random.default_rng(3).standard_normal((2, 3), np.float32), np.array([[4, 0, 2], [1, 1, 3]], np.int32)
    expected = np.zeros((2, 3, 5), np.float32)
    np.put_along_axis(expected, ids[..., None], updates[..., None], -1)
    graph = convert(prec_opt, text)
    assert "prec_train.scatter_add" not in graph and graph.count("arith.select") == 1
    np.testing.assert_array_equal(compute(graph, updates, ids[..., None, None]), expected)
    # In another order the lines are not those of the tensor.
    swapped = text.replace("%s[%p0, %p1, %p2]", "%s[%p1, %p0, %p2]").replace("2x3x5xf32", "3x2x5xf32")
    graph = convert(prec_opt, swapped)
    assert graph.count("prec_train.scatter_add") == 1
    np.testing.assert_array_equal(compute(graph, updates, ids[..., None, None]), expected.swapaxes(0, 1))


def test_elements_that_rows_say(prec_opt):
    """As a loss picks the logits of labels: compared with all columns, as graphs of prec have it."""
    text = looked_up("tensor<2x3x4xf32>", "tensor<2x3xi64>", "tensor<2x3xf32>", "a, b", "a, b", """%n = arith.index_cast %id : i64 to index
          %k = linalg.index 0 : index
          %l = linalg.index 1 : index
          %r = tensor.extract %t[%k, %l, %n] : tensor<2x3x4xf32>""")
    table = np.random.default_rng(4).standard_normal((2, 3, 4), np.float32)
    ids = np.array([[3, 0, 2], [1, 1, 0]])
    graph = convert(prec_opt, text)
    assert "prec_train.gather" not in graph and "arith.cmpi eq" in graph
    np.testing.assert_array_equal(compute(graph, table, ids), np.take_along_axis(table, ids[..., None], -1)[..., 0])


def test_insertions_that_make_a_whole(prec_opt):
    """In any order, into what nobody wrote."""
    text = """func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>) -> tensor<2x4xf32> {
      %e = tensor.empty() : tensor<2x4xf32>
      %x = tensor.insert_slice %a into %e[0, 1] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x4xf32>
      %y = tensor.insert_slice %b into %x[0, 0] [2, 1] [1, 1] : tensor<2x1xf32> into tensor<2x4xf32>
      return %y : tensor<2x4xf32>
    }"""
    a, b = np.random.default_rng(5).standard_normal((2, 3), np.float32), np.ones((2, 1), np.float32)
    graph = convert(prec_opt, text)
    assert "tensor.empty" not in graph and graph.count("tensor.concat") == 1
    np.testing.assert_array_equal(compute(graph, a, b), np.concatenate([b, a], 1))
    # A part that nobody writes may be anything, and a place that is written twice is the last one's.
    graph = convert(prec_opt, text.replace("%e[0, 1] [2, 3]", "%e[0, 0] [2, 3]").replace("into %x[0, 0] [2, 1]", "into %x[0, 2] [2, 1]"))
    np.testing.assert_array_equal(compute(graph, a, b)[:, :3], np.concatenate([a[:, :2], b], 1))
