"""Kernel names: demangled, shortened to what an engineer recognises, and told whose they are."""

import re
from dataclasses import replace
from functools import lru_cache

from geoaudit.launches.mangled import LARGEST_DEMANGLED, demangles_to_little
from geoaudit.launches.owners import is_communication, owner_of
from geoaudit.launches.symbols import Component, Symbol

__all__ = ["demangle", "is_communication", "owner_of", "shorten"]

_CACHED_NAMES = 65536
_UNNAMED = "(unnamed kernel)"
_DESCENT = 8

# Kernels that are one loop around a functor, which is what tells them apart: the functor's name
# stays, in angle brackets. PyTorch's ATen, apex, cub and thrust, XLA, composable_kernel.
_LOOPS = re.compile(
    r"(un)?(vectorized|unrolled|legacy)?_?elementwise_kernel\w*|index_elementwise_kernel"
    r"|reduce_kernel|_scatter_gather_elementwise_kernel|multi_tensor_apply_kernel\w*"
    r"|indexFunc(Large|Small)Index|distribution_\w+kernel|kernelPointwiseApply\d"
    r"|tensor_kernel_scan\w*|cunn_SoftMax\w+|_kernel_agent|static_kernel|transform_kernel"
    r"|for_each_kernel|kentry|kernel_entry"
    # llama.cpp
    r"|k_bin_bcast\w*|unary_(gated_)?op_kernel"
)
# Kernels that are nothing but a launcher: the name of what they launch stands for them. CUTLASS
# 2 and 3, composable_kernel.
_LAUNCHERS = re.compile(r"Kernel2?|device_kernel|kentry")
# Functors that only wrap another one.
_WRAPPERS = re.compile(
    r"gpu_kernel_impl(_nocast)?|[AB]UnaryFunctor|BinaryFunctor|ReduceOp|func_wrapper_t"
    r"|gpu_index_kernel|ForEachFunctor|ParallelForAgent|unary_transform_f|binary_transform_f"
    r"|op_wrapper_t|_cuda_scatter_gather_internal_kernel|enable_sm\w+"
)
# Template arguments that are types and layouts, not what the kernel does.
_PLAIN = re.compile(
    r"[-(]?\d.*|true|false|nullptr|void|bool|char|u?int\d*(_t)?|short|long|unsigned|signed|float\d?"
    r"|double\d?|size_t|half2?|__half2?|Half|BFloat16|bfloat16(_t)?|__\w+_?bfloat16\w*|Float8_\w+"
    r"|float_e\dm\d\w*|complex|[Aa]rray|tuple|\w*OffsetCalculator|Load\w*Cast|Store\w*Cast"
    r"|TensorListMetadata|\w*ListMetadata|OpaqueType|\w*Policy\d*|\w*Traits|\w*traits|const|T\d*"
    r"|decltype|enable_if|type|integral_constant|sequence|identity"
)
# Names that say something only together with what they stand in.
_GENERIC = frozenset(
    ["kernel", "Kernel", "Kernel2", "device_kernel", "globalKernel", "kernel_impl"]
    + ["run", "launch", "functor"]
)
_GROUPINGS = frozenset({"detail", "internal", "impl", "kernels", "cuda", "hip"})
_COPIES = re.compile(r"\[CUDA |Mem(cpy|set)\b")


# How nvcc keeps kernels of internal linkage apart under -rdc=true: a length, a module's hash and
# file in front of the mangled name.
_STATIC_PREFIX = re.compile(r"^__nv_static_\d+__[0-9a-f]{8}_\d+_\w+?_[0-9a-f]{8}_(?=_Z)")


@lru_cache(maxsize=_CACHED_NAMES)
def demangle(name: str) -> str:
    """The demangled name of an Itanium-mangled one.

    Args:
        name: any kernel name.

    Returns:
        The demangled name; the name as it is where it is not mangled, is no valid mangled name,
        the demangler is not installed, or the name would be longer than any kernel's.
    """
    name = _STATIC_PREFIX.sub("", _writable(name))
    if not name.startswith("_Z") or not demangles_to_little(name, _demangled):
        return name
    demangled = _demangled(name)
    return name if demangled is None or len(demangled) > LARGEST_DEMANGLED else demangled


def _demangled(name: str) -> str | None:
    """What the demangler makes of a mangled name; None where it is not valid to it."""
    try:
        import cxxfilt
    except ImportError:
        return None
    # Older demanglers lack DF16b, the code of __bf16, which composable_kernel uses throughout.
    # Dd is a built-in type as well, so back-references keep their numbers, and no kernel uses it.
    for spelled, placeholder in ((name, None), (name.replace("DF16b", "Dd"), "decimal64")):
        try:
            demangled = str(cxxfilt.demangle(spelled))
        except (cxxfilt.Error, UnicodeDecodeError):
            continue
        return demangled if placeholder is None else demangled.replace(placeholder, "__bf16")
    return None


@lru_cache(maxsize=_CACHED_NAMES)
def shorten(name: str) -> str:
    """The part of a kernel's name that an engineer knows it by.

    Return type, arguments, template arguments, namespaces, anonymous namespaces, clone suffixes
    and lambdas go. Where the kernel is a loop around a functor, the functor stays; where it is a
    launcher, what it launches stands for it. Long names are not cut here.

    Args:
        name: a demangled name, however malformed.

    Returns:
        A name that is never empty. Two kernels may share one; the whole name tells them apart.

    Examples:
        >>> shorten("void at::native::vectorized_elementwise_kernel<4, "
        ...         "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)")
        'vectorized_elementwise_kernel<CUDAFunctor_add>'
        >>> shorten("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(int)")
        'cutlass_80_simt_sgemm_128x32_8x5_nn_align1'
        >>> shorten("triton_poi_fused_add_0")
        'triton_poi_fused_add_0'
    """
    stripped = " ".join(_writable(name).split())
    if not stripped:
        return _UNNAMED
    if _COPIES.match(stripped):
        return stripped
    symbol = Symbol(stripped)
    path = symbol.path()
    base = _base(path)
    if base is None:
        return stripped
    named, component = base
    inner = _functor(symbol, component.template) if component.template else None
    if inner is None or inner == component.name:
        return named
    if _LAUNCHERS.fullmatch(component.name):
        return inner
    return f"{named}<{inner}>" if _LOOPS.fullmatch(component.name) else named


def _writable(name: str) -> str:
    """The name without halves of surrogate pairs, which JSON can hold and no file can."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _base(path: list[Component]) -> tuple[str, Component] | None:
    """The short name of a qualified one and the part it is from; None where it has no name."""
    parts = [part for part in path if not part.is_lambda]
    if not parts:
        return None
    last = parts[-1]
    while len(parts) > 1 and parts[-1].name == "operator()":
        # A templated call operator is told apart by its own arguments, not by its class'.
        template = parts.pop().template or parts[-1].template
        last = replace(parts[-1], template=template)
    outer = next((part.name for part in parts[-2::-1] if part.name not in _GROUPINGS), None)
    if last.name in _GENERIC and outer is not None:
        return f"{outer}::{last.name}", last
    return last.name, last


def _functor(symbol: Symbol, span: tuple[int, int]) -> str | None:
    """The first template argument that names what is done, out of its wrappers; or None."""
    found: str | None = None
    for _ in range(_DESCENT):
        telling = _first_telling(symbol, span)
        if telling is None:
            return found
        found, part = telling
        if part.template is None or not _WRAPPERS.fullmatch(part.name):
            return found
        span = part.template
    return found


def _first_telling(symbol: Symbol, span: tuple[int, int]) -> tuple[str, Component] | None:
    for argument in symbol.arguments(span):
        base = _base(symbol.path(symbol.unwrapped(argument)))
        if base is not None and not _PLAIN.fullmatch(base[1].name):
            return base
    return None
