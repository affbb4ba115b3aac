# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that a trace has met before.

A model is one layer many times, so that its trace meets few different operations, each of them very often. PyTorch
writes an operation as others, finds the shapes of its results on fake tensors and notes it in the graph, in several
modes one behind the other, which together take half a millisecond. All of that follows from the operation, the shapes,
strides and dtypes of its tensors, its other arguments and a few modes. So it is done once for each such key. When the
key comes again, the nodes that the graph got at the first time are noted once more with the operands of now, and
results of the same kind are made at once. Modules are still called one by one: what each of them asks for is what it
gets, whatever others have asked for.

What is not certain to be alike goes PyTorch's own way each time: operations that write, draw or read values, those of
other libraries, tensors that are constants or of other classes, arguments that are neither numbers, words nor lists of
these, nodes that read something else than the operands.
"""
from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import torch
from torch._ops import HigherOrderOperator, OpOverload
from torch._subclasses.fake_tensor import FakeTensor, in_kernel_invocation_manager
from torch._subclasses.functional_tensor import FunctionalTensor, FunctionalTensorMode
from torch.fx import Node, Proxy
from torch.fx.experimental.proxy_tensor import ProxyTorchDispatchMode, _ProxyTensor, get_proxy_mode
from torch.fx.node import map_arg
from torch.torch_version import TorchVersion
from torch.utils._pytree import tree_leaves

aten = torch.ops.aten
_DEVICE = torch.ops.prim.device.default
_NAMESPACES = ("aten", "prims", "prec")
_OF_VALUES = (torch.Tag.nondeterministic_seeded, torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape, torch.Tag.inplace_view)
# They make a tensor of the trace of one that is none.
_LIFTED = {aten.lift.default, aten.lift_fresh.default, aten.lift_fresh_copy.default}
# Arguments that are told apart by equality; numbers are told apart below.
_WORDS = (str, torch.dtype, torch.device, torch.layout, torch.memory_format, type(None))
# Of a node: what says where in the model it is.
_PLACE = ("custom", "seq_nr", "autograd_backward", "is_gradient_acc", "is_functional_regenerated", "stack_trace")


class _Unlike(Exception):
    """This is not repeated."""


class _Result(NamedTuple):
    """A tensor that an operation gives: that of one of its nodes, or an operand as it is. view_of: the operand whose
    memory it has."""

    node: int
    operand: int | None
    like: FakeTensor
    view_of: int | None


class _Entry(NamedTuple):
    """What an operation has added to a graph: nodes, by which names, what its operands were there, and its results.
    kind: of what holds them, None of one tensor."""

    operands: list[Node]
    nodes: list[Node]
    names: list[str | None]
    results: list[_Result | None]
    kind: type | None


# An operation that PyTorch is asked for each time, and one that was not met.
_NEVER, _UNKNOWN = object(), object()


def _is_pure(func: Any) -> bool:
    """Whether what an operation gives follows from its arguments' shapes and it changes nothing."""
    return isinstance(func, OpOverload) and func.namespace in _NAMESPACES and not func._schema.is_mutable and func not in _LIFTED \
        and not any(tag in func.tags for tag in _OF_VALUES)


def _is_device(func: Any, args: Sequence[Any]) -> bool:
    """What C++ asks of each tensor that it wraps."""
    return func is _DEVICE and type(args[0]) is FakeTensor and not args[0].fake_mode.in_kernel_invocation


class Repeating(ProxyTorchDispatchMode):
    """The mode that notes operations, which PyTorch has made, while it repeats."""

    entries: dict[Any, Any]
    pure: dict[Any, bool]
    # Their rules are known by the exact class of a mode.
    supports_higher_order_operators = True

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        if _is_device(func, args):
            return args[0].fake_device
        kwargs = kwargs or {}
        if isinstance(func, HigherOrderOperator):
            rule = func.python_key_table.get(ProxyTorchDispatchMode)
            return NotImplemented if rule is None else rule(self, *args, **kwargs)
        tensors, nodes, key = self.key_of(func, args, kwargs)
        entry = _NEVER if key is None else self.entries.get(key, _UNKNOWN)
        if type(entry) is _Entry:
            return self.repeat(entry, tensors, nodes)
        last = self.tracer.graph._root.prev
        result = super().__torch_dispatch__(func, types, args, kwargs)
        if entry is _UNKNOWN:
            try:
                self.entries[key] = self._entry(last, tensors, nodes, result)
            except _Unlike:
                self.entries[key] = _NEVER
        return result

    def key_of(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[list[FakeTensor], list[Node], Any]:
        """The tensors among the arguments, their nodes, and what the operation is known by; None where by nothing."""
        pure = self.pure.get(func)
        if pure is None:
            pure = self.pure[func] = _is_pure(func)
        tensors: list[FakeTensor] = []
        nodes: list[Node] = []
        if not pure:
            return tensors, nodes, None
        # What an operation is written as is dispatched in turn, by these.
        key: list[Any] = [func, torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.get_default_dtype(),
                          torch.are_deterministic_algorithms_enabled(),
                          *((torch.is_autocast_enabled(device), torch.get_autocast_dtype(device)) for device in ("cpu", "cuda"))]
        try:
            self._add(args, key, tensors, nodes)
            for name, value in kwargs.items():
                key.append(name)
                self._add(value, key, tensors, nodes)
        except _Unlike:
            return tensors, nodes, None
        return tensors, nodes, tuple(key)

    def _add(self, value: Any, key: list[Any], tensors: list[FakeTensor], nodes: list[Node]) -> None:
        kind = type(value)
        if kind is FakeTensor:
            node = self._node_of(value)
            # Operands that are one node must be one again.
            key.append((nodes.index(node) if node in nodes else -1, value.dtype, value.shape, value.stride(), value.storage_offset(),
                        value.requires_grad, value.fake_device))
            tensors.append(value)
            nodes.append(node)
        elif kind is int or kind is bool:
            key.append((kind, value))
        elif kind is float:
            key.append(value.hex())
        elif isinstance(value, _WORDS):
            key.append(value)
        elif isinstance(value, (list, tuple)):
            key.append((kind, len(value)))
            for one in value:
                self._add(one, key, tensors, nodes)
        else:
            raise _Unlike

    def _node_of(self, tensor: FakeTensor) -> Node:
        held = self.tracer.tensor_tracker.get(tensor)
        if held is None or held.constant is not None or tensor.constant is not None or tensor.layout is not torch.strided \
                or tensor.dtype.is_complex or tensor.is_neg():
            raise _Unlike
        return held.proxy.node

    def _entry(self, last: Node, tensors: list[FakeTensor], nodes: list[Node], result: Any) -> _Entry:
        """What was added behind `last`."""
        made: list[Node] = []
        node = last.next
        while node is not self.tracer.graph._root:
            made.append(node)
            node = node.next
        for one in made:
            if one.op != "call_function" or "val" not in one.meta or any(n not in nodes and n not in made for n in one.all_input_nodes) \
                    or any(one.meta.get(name) != made[0].meta.get(name) for name in _PLACE):
                raise _Unlike
        kind = None if isinstance(result, torch.Tensor) else type(result)
        if kind not in (None, tuple, list):
            raise _Unlike
        given = [result] if kind is None else result
        results = [None if t is None else self._result(t, made, tensors) for t in given]
        own = [t.untyped_storage()._cdata for t, r in zip(given, results) if r is not None and r.operand is None and r.view_of is None]
        if len(set(own)) < len(own):
            raise _Unlike
        return _Entry(nodes, made, [_name(one) for one in made], results, kind)

    def _result(self, tensor: Any, made: list[Node], tensors: list[FakeTensor]) -> _Result:
        if type(tensor) is not FakeTensor or tensor.requires_grad:
            raise _Unlike
        node = self._node_of(tensor)
        same = [i for i, t in enumerate(tensors) if t is tensor]
        if same:
            return _Result(-1, same[0], tensor, None)
        storages, storage = [t.untyped_storage()._cdata for t in tensors], tensor.untyped_storage()._cdata
        if node not in made or storages.count(storage) > 1:
            raise _Unlike
        return _Result(made.index(node), None, node.meta["val"], storages.index(storage) if storage in storages else None)

    def repeat(self, entry: _Entry, tensors: list[FakeTensor], nodes: list[Node]) -> Any:
        """Notes the entry's nodes again for these operands, and gives their results."""
        tracer = self.tracer
        now = dict(zip(entry.operands, nodes))
        made = []
        for one, name in zip(entry.nodes, entry.names):
            node = tracer.create_node("call_function", one.target, map_arg(one.args, now.__getitem__), map_arg(one.kwargs, now.__getitem__), name)
            node.meta["val"] = one.meta["val"]
            now[one] = node
            made.append(node)
        results: list[Any] = []
        for result in entry.results:
            if result is None:
                results.append(None)
            elif result.operand is not None:
                results.append(tensors[result.operand])
            else:
                fake = _fake(result.like, None if result.view_of is None else tensors[result.view_of])
                tracer.tensor_tracker[fake] = _ProxyTensor(Proxy(made[result.node], tracer), None)
                results.append(fake)
        return results[0] if entry.kind is None else entry.kind(results)


def _name(node: Node) -> str | None:
    """By which PyTorch names nodes of an operation."""
    packet = getattr(node.target, "overloadpacket", None)
    return None if packet is None else node.graph._target_to_str(packet.__name__)


def _fake(like: FakeTensor, base: FakeTensor | None) -> FakeTensor:
    """A tensor of the same shape, strides and dtype, in the memory of `base` if that is given."""
    mode, shape, strides = like.fake_mode, like.shape, like.stride()
    memory = None if base is None else base.untyped_storage()
    with in_kernel_invocation_manager(mode):
        plain = torch.empty_strided(shape, strides, dtype=like.dtype, device="meta")
        if memory is not None:
            plain.set_(memory, like.storage_offset(), shape, strides)
    return FakeTensor(mode, plain, like.fake_device)


# Before that, PyTorch takes every operand that a trace has no node of for a mistake, also one that is a constant of it.
_ALLOWS_CONSTANTS = TorchVersion(torch.__version__) >= "2.13"


def _track_constants(args: Any, kwargs: Any) -> None:
    """Gives constants among operands the nodes that a trace would give them a moment later."""
    mode = get_proxy_mode()
    if mode is None:
        return
    tracer = mode.tracer
    for one in tree_leaves([args, kwargs]):
        held = torch._from_functional_tensor(one.elem) if isinstance(one, FunctionalTensor) else None
        if held is not None and not isinstance(held, FakeTensor) and tracer.tensor_tracker.get(held) is None:
            tracer.tensor_tracker[held] = _ProxyTensor(Proxy(cast(Node, tracer.create_arg(held)), tracer), None)


class Functionalizing(FunctionalTensorMode):
    """PyTorch's functionalization, with short ways for operations on operands that nothing was written to. Those that
    neither write nor make views are repeated on what the operands stand for. Views of one tensor are made by the same
    functionalization of PyTorch's in C++, which must know whose views they are, without what stands around it for other
    cases."""

    def __init__(self) -> None:
        super().__init__()
        # Which way an operation may go.
        self._ways: dict[Any, Any] = {}

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if _is_device(func, args):
            return args[0].fake_device
        kwargs = kwargs or {}
        way = self._ways.get(func, _UNKNOWN)
        if way is _UNKNOWN:
            way = self._ways[func] = self._repeated if _is_plain(func) else self._view if _is_view(func) else None
        mode = get_proxy_mode() if way is not None else None
        if type(mode) is Repeating:
            try:
                return way(mode, func, args, kwargs)
            except _Unlike:
                pass
        if not _ALLOWS_CONSTANTS:
            _track_constants(args, kwargs)
        return super().__torch_dispatch__(func, types, args, kwargs)

    def _repeated(self, mode: Repeating, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        inner, named = tuple(_inner(value) for value in args), {name: _inner(value) for name, value in kwargs.items()}
        tensors, nodes, key = mode.key_of(func, inner, named)
        entry = _NEVER if key is None else mode.entries.get(key)
        if type(entry) is not _Entry or any(r is not None and (r.operand is not None or r.view_of is not None) for r in entry.results):
            raise _Unlike
        result = mode.repeat(entry, tensors, nodes)
        return self._wrapped(result) if entry.kind is None else entry.kind(self._wrapped(t) for t in result)

    def _view(self, mode: Repeating, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A view of the first argument, the only tensor."""
        base = args[0]
        if type(base) is not FunctionalTensor or torch._functionalize_has_data_mutation(base.elem):  # type: ignore[attr-defined]
            raise _Unlike
        keys = torch._C.DispatchKey.Functionalize
        include = torch._C._dispatch_tls_local_include_set() | torch._C.DispatchKeySet(keys)
        exclude = torch._C._dispatch_tls_local_exclude_set().remove(keys) - FunctionalTensor._extra_dispatch_keys
        with torch._C._ForceDispatchKeyGuard(include, exclude):
            before = torch._functionalize_enable_reapply_views(True)  # type: ignore[attr-defined]
            try:
                made = func._op_dk(keys, base.elem, *args[1:], **kwargs)
            finally:
                torch._disable_functionalization()
                torch._functionalize_enable_reapply_views(before)  # type: ignore[attr-defined]
        result = FunctionalTensor(made, self)
        # A wrapper has memory of its own until it is given that of its base.
        torch._functionalize_unsafe_set(result, base)
        return result

    def _wrapped(self, tensor: Any) -> Any:
        return None if tensor is None else FunctionalTensor(torch._to_functional_tensor(tensor), self)


def _is_plain(func: Any) -> bool:
    """Whether an operation makes new tensors, and PyTorch has no others to write it as before it is functionalized."""
    return _is_pure(func) and not func.is_view and func is not aten._unsafe_view.default and not _is_composite(func) \
        and all(value.alias_info is None for value in (*func._schema.arguments, *func._schema.returns))


def _is_view(func: Any) -> bool:
    """Whether an operation gives one view of its first argument, which is its only tensor."""
    if not _is_pure(func) or not func.is_view or _is_composite(func) or func.namespace != "aten":
        return False
    first, *others = func._schema.arguments
    returns = func._schema.returns
    return len(returns) == 1 and str(returns[0].type) == "Tensor" and str(first.type) == "Tensor" and first.alias_info is not None \
        and all(value.alias_info is None and "Tensor" not in str(value.type) for value in others)


def _is_composite(func: Any) -> bool:
    return bool(torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), torch._C.DispatchKey.CompositeImplicitAutograd))


def _inner(value: Any) -> Any:
    """What a tensor stands for, of tensors within lists, too."""
    if type(value) is FunctionalTensor:
        if torch._functionalize_has_data_mutation(value.elem):  # type: ignore[attr-defined]
            raise _Unlike
        return torch._from_functional_tensor(value.elem)
    if isinstance(value, torch.Tensor):
        raise _Unlike
    return type(value)(_inner(one) for one in value) if type(value) in (list, tuple) else value


@contextlib.contextmanager
def repeating() -> Iterator[None]:
    """The trace that is under way notes what it meets again by what it has met."""
    mode = get_proxy_mode()
    assert type(mode) is ProxyTorchDispatchMode
    mode.__class__ = Repeating
    assert isinstance(mode, Repeating)
    mode.entries, mode.pure = {}, {}
    try:
        yield
    finally:
        mode.__class__ = ProxyTorchDispatchMode  # type: ignore[assignment]
        # They hold the trace's nodes.
        del mode.entries, mode.pure
