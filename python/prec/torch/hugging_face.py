# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention of Hugging Face models. transformers keeps functions that attend and functions that make masks in
registries; during a trace those that a model gets from there are wrapped. A wrapper makes a composite of a call that it
understands. Any other call goes to the function that the model would have called, or is refused where that function
would ignore a part of it."""
from __future__ import annotations

import contextlib
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensor
from torch._subclasses.functional_tensor import FunctionalTensor

from ..errors import ImportFailure
from .attention import masked, warn_of_products
from .functional import KeepComposites
from .here import place
from .known import really
from .masks import Masks, Sees

# Keywords that a model hands to whatever attends and that change none of its numbers. Each with the reason.
_WITHOUT_EFFECT = {
    "is_causal": "eager attention shows what its mask shows; that of PyTorch has a parameter of the name",
    "sliding_window": "the mask of eager attention and of PyTorch's holds the window",
    "position_ids": "the mask of eager attention and of PyTorch's keeps packed documents apart; of flash attention see below",
    "cache_position": "of generation",
    "use_cache": "of generation",
    "output_attentions": "asks for the weights beside the result",
    "output_hidden_states": "asks the model for more outputs",
    "output_router_logits": "asks the model for more outputs",
    "return_dict": "shapes the model's output",
    "num_items_in_batch": "of the loss",
    "logits_to_keep": "of the head",
    "labels": "of the loss",
    "input_ids": "of the embeddings",
    "grid_thw": "sizes of images, by which the model has cut its patches, or made its mask, before it attends",
    "deterministic": "chooses among kernels of flash attention",
}
# Keywords that only flash attention obeys: a model that is set to eager attention or to PyTorch's ignores them.
_OF_FLASH = {"cu_seq_lens_q", "cu_seq_lens_k", "max_length_q", "max_length_k", "seq_idx"}


def _configs(model: torch.nn.Module) -> list[Any]:
    """Every distinct config of a Hugging Face model and of its submodels."""
    found = {}
    for module in model.modules():
        config = getattr(module, "config", None)
        if hasattr(config, "_attn_implementation_internal"):
            found[id(config)] = config
    return list(found.values())


@contextlib.contextmanager
def _changed(owner: Any, **values: Any) -> Iterator[None]:
    """Attributes of owner for the time of a trace."""
    missing = object()
    before = {name: vars(owner).get(name, missing) for name in values}
    try:
        for name, value in values.items():
            setattr(owner, name, value)
        yield
    finally:
        for name, value in before.items():
            delattr(owner, name) if value is missing else setattr(owner, name, value)


def _of_transformers(function: Callable[..., Any]) -> bool:
    while hasattr(function, "func"):
        function = function.func
    return (getattr(function, "__module__", None) or "").split(".")[0] == "transformers"


# Attention


class _Plain:
    """Which functions compute softmax(scale Q K^T + mask) V and nothing else: they are asked, on a small example."""

    def __init__(self) -> None:
        self._answers: dict[tuple[Any, ...], bool] = {}

    def __call__(self, function: Callable[..., Any], groups: int, masked: bool, scaled: bool, training: bool) -> bool:
        question = function, groups, masked, scaled, training
        if question not in self._answers:
            with really():
                self._answers[question] = _answers_plainly(*question)
        return self._answers[question]


def _answers_plainly(function: Callable[..., Any], groups: int, masked: bool, scaled: bool, training: bool) -> bool:
    draw = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(2, heads, 3, 4, generator=draw) for heads in (2 * groups, 2, 2))
    mask = torch.randn(2, 1, 3, 3, generator=draw) if masked else None
    # It has what a plain one may read of its module; what reads more is not plain.
    module = types.SimpleNamespace(training=training, num_key_value_groups=groups)
    scale = 0.7 if scaled else 4 ** -0.5
    try:
        result = function(module, query, key, value, mask, dropout=0.0, scaling=0.7 if scaled else None)
        result = result[0] if isinstance(result, tuple) else result
    except (AttributeError, TypeError, ValueError, RuntimeError, KeyError):
        return False
    key, value = (x.repeat_interleave(groups, 1) for x in (key, value))
    scores = query @ key.mT * scale
    expected = ((scores if mask is None else scores + mask).softmax(-1) @ value).transpose(1, 2)
    return isinstance(result, torch.Tensor) and result.shape == expected.shape and torch.allclose(result, expected, rtol=1e-4, atol=1e-5)


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    return {name: p for name, p in inspect.signature(function).parameters.items() if p.kind is not p.VAR_KEYWORD}


def _reads(module: torch.nn.Module, function: Callable[..., Any], name: str, given: object) -> bool:
    """Whether the function takes the argument, or reads what is given from the module (attention sinks)."""
    code = getattr(function, "__code__", None)
    held = () if code is None or not isinstance(given, torch.Tensor) else (getattr(module, n, None) for n in code.co_names)
    return name in _parameters(function) or any(x is given for x in held)


def _known(tensor: torch.Tensor) -> bool:
    mode = KeepComposites.active()
    return mode is not None and mode.known.value(tensor) is not None


class _Attend:
    """Stands in for a function of transformers that attends: an eager one, or that of PyTorch's attention."""

    def __init__(self, function: Callable[..., Any], is_eager: bool, want_composite: bool, flash: list[Any], plain: _Plain) -> None:
        self._function, self._is_eager, self._want_composite, self._flash, self._plain = function, is_eager, want_composite, flash, plain

    def __call__(
        self,
        module: torch.nn.Module,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        **options: Any,
    ) -> Any:
        mode = KeepComposites.active()
        sees = None if mode is None else mode.masks.sees(attention_mask)
        self._refuse_unknown(module, key, sees, options)
        if not self._is_eager:
            if attention_mask is not None and sees in (Sees.ALL, Sees.CAUSAL):
                # PyTorch's attention would repeat the heads of keys and values beside a mask.
                attention_mask, options = None, {**options, "is_causal": sees == Sees.CAUSAL}
            elif mode is not None and attention_mask is not None and options.get("position_bias") is None and _is_grouped(query, key):
                # For the same reason.
                result = F.scaled_dot_product_attention(query, key, value, attn_mask=attention_mask, dropout_p=options.get("dropout", 0.0),
                                                        scale=options.get("scaling"), enable_gqa=True)
                return result.transpose(1, 2).contiguous(), None
        elif self._want_composite and mode is not None:
            computed = self._composite(mode.masks, module, query, key, value, attention_mask, options)
            if computed is not None:
                return computed.transpose(1, 2), None
            warn_of_products("dropout" if options.get("dropout") else "more than a mask")
        return self._function(module, query, key, value, attention_mask, **options)

    def _refuse_unknown(self, module: torch.nn.Module, key: torch.Tensor, sees: Sees | None, options: dict[str, Any]) -> None:
        in_place_of_flash = any(config is getattr(module, "config", config) for config in self._flash)
        for name, given in options.items():
            without_effect = name in _WITHOUT_EFFECT or (name in _OF_FLASH and not in_place_of_flash)
            if given is None or given is False or without_effect or _reads(module, self._function, name, given):
                continue
            raise ImportFailure(f"attention must get arguments that it knows but {place(module)} calls it with {name}, which "
                                f"{self._function.__module__}.{self._function.__name__} does not read: leave "
                                'it out of the batch, or set another attn_implementation, "eager" or "sdpa", to import it without')
        positions = options.get("position_ids")
        if in_place_of_flash and sees is not None and isinstance(positions, torch.Tensor) and not _known(positions):
            raise ImportFailure(f"a mask must keep documents apart that position_ids pack but that of {place(module)} does not, and flash "
                                'attention would: set attn_implementation="eager" or "sdpa" to import it without')
        window = options.get("sliding_window")
        if in_place_of_flash and sees is not None and sees.window is None and isinstance(window, int) and window < key.shape[2]:
            raise ImportFailure(f"attention must have one window but {place(module)} has one of {window} in flash attention and none in "
                                f'its mask: set attn_implementation="eager" or "sdpa" to import it without')

    def _composite(
        self,
        masks: Masks,
        module: torch.nn.Module,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        mask: torch.Tensor | None,
        options: dict[str, Any],
    ) -> torch.Tensor | None:
        """None where the function may compute something else."""
        if options.get("dropout") and module.training or options.get("output_attentions"):
            return None
        if not query.dim() == key.dim() == 4 or query.shape[1] % key.shape[1]:
            return None
        special = set(_parameters(self._function)) - {"scaling", "dropout", *_WITHOUT_EFFECT}
        if any(options.get(name) is not None for name in special):
            return None
        groups, scale = query.shape[1] // key.shape[1], options.get("scaling")
        if getattr(module, "num_key_value_groups", groups) != groups:
            return None
        if not self._plain(self._function, groups, mask is not None, scale is not None, module.training):
            return None
        scale = query.shape[-1] ** -0.5 if scale is None else float(scale)
        if mask is not None and not _is_of_scores(mask, query, key):
            return None
        return masked(masks, query, key, value, mask, False, scale)


def _is_grouped(query: torch.Tensor, key: torch.Tensor) -> bool:
    return query.dim() == key.dim() == 4 and query.shape[1] != key.shape[1] and query.shape[1] % key.shape[1] == 0


def _is_of_scores(mask: torch.Tensor, query: torch.Tensor, key: torch.Tensor) -> bool:
    """Whether a mask is added to scores as it is; functions cut one of more keys, or take one of bool, in ways of their
    own."""
    scores = (*query.shape[:3], key.shape[2])
    return mask.dim() == 4 and mask.is_floating_point() and all(n in (1, size) for n, size in zip(mask.shape, scores))


# Masks


# A function on indices is asked for each query and key of a mask of up to 16384 x 16384.
_MOST_PAIRS = 1 << 28


def _told(
    mask_function: Callable[..., torch.Tensor],
    batch_size: int,
    q_length: int,
    kv_length: int,
    q_offset: int | torch.Tensor,
    kv_offset: int | torch.Tensor,
    allow_is_causal_skip: bool = False,
    local_size: int | None = None,
    use_vmap: bool = False,
    **_: object,
) -> Sees | None:
    """What a mask of these arguments of transformers lets queries see, where no tensor but itself goes into it."""
    from transformers import masking_utils

    if not isinstance(q_offset, int) or not isinstance(kv_offset, int):
        return None
    square = q_length == kv_length and q_offset == kv_offset
    if mask_function is masking_utils.bidirectional_mask_function:
        return Sees.ALL
    if mask_function is masking_utils.causal_mask_function and square:
        return Sees.CAUSAL
    sizes = q_length, kv_length, q_offset, kv_offset
    if allow_is_causal_skip and square and masking_utils._ignore_causal_mask_sdpa(None, *sizes, local_size):
        # transformers would go without a mask: the function is the causal one, but for a window wider than the
        # sequence.
        return Sees.CAUSAL
    if use_vmap or q_length * kv_length > _MOST_PAIRS or _holds_tensors(mask_function, set()):
        return None
    everything, banded = True, square
    block = max(1, (1 << 24) // (kv_length * batch_size))
    with really():
        batch, head = torch.arange(batch_size)[:, None, None, None], torch.zeros(1, 1, 1, 1, dtype=torch.int64)
        keys = torch.arange(kv_length) + kv_offset
        # The last query sees the whole window.
        last = mask_function(batch[:1], head, torch.tensor([[q_length - 1 + q_offset]]), keys)
        window = int(last.expand(1, 1, 1, kv_length).sum())
        for start in range(0, q_length, block):
            queries = (torch.arange(start, min(start + block, q_length)) + q_offset)[:, None]
            seen = mask_function(batch, head, queries, keys)
            everything = everything and bool(seen.all())
            banded = banded and window > 0 and bool((seen == ((queries >= keys) & (queries - keys < window))).all())
            if not everything and not banded:
                return None
    if everything:
        return Sees.ALL
    return Sees.CAUSAL if window == kv_length else Sees(True, window)


def _holds_tensors(value: object, visited: set[int]) -> bool:
    """Whether a function may read a tensor, which may be one of the trace: it holds more than functions and numbers."""
    if id(value) in visited:
        return False
    visited.add(id(value))
    if isinstance(value, (tuple, list)):
        return any(_holds_tensors(x, visited) for x in value)
    if isinstance(value, types.FunctionType):
        held = [cell.cell_contents for cell in value.__closure__ or ()]
        return any(_holds_tensors(x, visited) for x in (*held, *(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()))
    return not isinstance(value, (int, float, str, type(None)))


def _everything(batch: torch.Tensor, head: torch.Tensor, query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    return query.new_ones((), dtype=torch.bool)


def _mask(function: Callable[..., Any]) -> Callable[..., torch.Tensor | None]:
    """Stands in for a function of transformers that makes a mask."""
    from transformers import masking_utils

    def make(*args: Any, **options: Any) -> torch.Tensor | None:
        mode = KeepComposites.active()
        if mode is None:
            return function(*args, **options)
        given = inspect.signature(function).bind(*args, **options)
        padding = given.arguments.get("attention_mask")
        value = None if padding is None else mode.known.value(padding)
        if value is not None:
            with really():
                if bool(value.bool().all()):
                    # Of BART and others: everything is there.
                    given.arguments["attention_mask"] = None
        asked = dict(given.arguments)
        padding = asked.get("attention_mask")
        if padding is not None and asked.get("mask_function") is masking_utils.bidirectional_mask_function:
            # It would repeat what is there of the keys for every query.
            given.arguments["mask_function"] = _everything
        mask = function(*given.args, **given.kwargs)
        if mask is None:
            return None
        given.arguments.update(asked)
        given.apply_defaults()
        sees = _told(**{**given.arguments, **given.arguments.get("kwargs", {})})
        if sees is not None and padding is None:
            mode.masks.tell(mask, sees)
        elif sees is not None:
            mode.masks.tell_within(mask, sees)
        return mask
    return make


def _packed(function: Callable[..., Any], cached: bool) -> Callable[[torch.Tensor], torch.Tensor | None]:
    """Stands in for transformers' search for packed documents, which finds some in any trace. `cached`: the model would
    keep a key/value cache, beside which transformers does not search."""
    def find(position_ids: torch.Tensor) -> torch.Tensor | None:
        mode = KeepComposites.active()
        value = None if mode is None else mode.known.value(position_ids)
        if value is not None:
            with really():
                packed = function(value)
            if packed is None:
                return None
        if mode is not None and cached:
            raise ImportFailure(f"a model must keep packed documents apart but {place()} would let them see each other, as it keeps a cache: "
                                "set model.config.use_cache to False, or give no position_ids")
        return function(position_ids)
    return find


# Experts


def traceable_experts() -> contextlib.AbstractContextManager[None]:
    """Experts of transformers are computed by grouped products for the time of a trace: its loop over those that have
    tokens reads which these are, and kernels from elsewhere cannot be traced. All compute the same."""
    try:
        from transformers.integrations import moe
    except ImportError:
        return contextlib.nullcontext()
    get, traced = moe.ExpertsInterface.get_interface, (moe.grouped_mm_experts_forward, moe.batched_mm_experts_forward)

    def get_interface(self: Any, experts_implementation: str, default: Callable[..., Any]) -> Callable[..., Any]:
        function = get(self, experts_implementation, default)
        return moe.grouped_mm_experts_forward if _of_transformers(function) and function not in traced else function
    return _changed(moe.ExpertsInterface, get_interface=get_interface)


# A trace


@contextlib.contextmanager
def _wrapped(want_composite: bool, flash: list[Any], cached: bool) -> Iterator[None]:
    """The registries of transformers for the time of a trace. `flash`: configs that are set to kernels. `cached`: some
    config asks for a cache."""
    import transformers
    from transformers import AttentionInterface, masking_utils
    from transformers.integrations.sdpa_attention import sdpa_attention_forward
    from transformers.utils import import_utils

    if not hasattr(AttentionInterface, "get_interface"):
        raise ImportFailure(f"models of transformers must ask its AttentionInterface for their attention but transformers {transformers.__version__} "
                            "has no AttentionInterface.get_interface: install a newer one (5.12 is tested)")
    masks, plain = masking_utils.ALL_MASK_ATTENTION_FUNCTIONS, _Plain()
    get = AttentionInterface.get_interface

    def get_interface(self: Any, attn_implementation: str, default: Callable[..., Any]) -> Callable[..., Any]:
        function = get(self, attn_implementation, default)
        if function is not default and function is not sdpa_attention_forward:
            return function
        return _Attend(function, function is default, want_composite, flash, plain)

    wrapped = {name: _mask(masks[name]) for name in ("eager", "sdpa") if _of_transformers(masks[name])}
    with (_changed(AttentionInterface, get_interface=get_interface), _changed(masks, _local_mapping={**masks._local_mapping, **wrapped}),
          _changed(masking_utils, find_packed_sequence_indices=_packed(masking_utils.find_packed_sequence_indices, cached)),
          # By this it knows that it is traced, and leaves out warnings that read values.
          _changed(import_utils, is_fake_tensor=lambda x: isinstance(x, (FakeTensor, FunctionalTensor))), traceable_experts()):
        yield


def _needs_kernels(name: str | None) -> bool:
    """Whether a config is set to attention that is not made of PyTorch's ops but computes what eager attention does."""
    from transformers import AttentionInterface

    if name in (None, "eager", "sdpa"):
        return False
    return _of_transformers(AttentionInterface()[name]) if name in AttentionInterface() else "/" in name


def _keeps_cache(configs: list[Any]) -> bool:
    return any(getattr(config, "use_cache", False) for config in configs)


@contextlib.contextmanager
def composite_attention(model: torch.nn.Module) -> Iterator[None]:
    """Attention of a Hugging Face model becomes the composite, whatever it is set to, for the time of the trace."""
    configs = _configs(model)
    if not configs:
        yield
        return
    flash = [c for c in configs if _needs_kernels(c._attn_implementation_internal)]
    with contextlib.ExitStack() as stack:
        for config in flash:
            stack.enter_context(_changed(config, _attn_implementation_internal="eager"))
        stack.enter_context(_wrapped(True, flash, _keeps_cache(configs)))
        yield


@contextlib.contextmanager
def own_attention(model: torch.nn.Module) -> Iterator[None]:
    """A Hugging Face model keeps the attention that it is set to, for the time of the trace."""
    configs = _configs(model)
    if not configs:
        yield
        return
    with _wrapped(False, [], _keeps_cache(configs)):
        yield


@contextlib.contextmanager
def without_cache(model: torch.nn.Module) -> Iterator[None]:
    """A training step keeps no key/value cache, whatever the config says about generation."""
    with contextlib.ExitStack() as stack:
        for config in _configs(model):
            if getattr(config, "use_cache", False):
                stack.enter_context(_changed(config, use_cache=False))
        yield
