"""Functions of CUDA that the analysis knows."""

import re

# Results of their arguments alone.
_MATHEMATICS = re.compile(
    r"f?(abs|max|min|mod|dim)f?|fma[fx]?|fmaf|fdividef?|"
    r"(__)?(exp|exp2|exp10|expm1|log|log2|log10|log1p|sqrt|rsqrt|cbrt|rcp|pow|sin|cos|tan|sinh|cosh|"
    r"tanh|erf|erfc|floor|ceil|round|rint|trunc|saturate)f?|"
    r"__f(add|sub|mul|div|ma|maf|sqrt|rcp|dividef)(_r[nzud])?|__fmaf_r[nzud]|__frsqrt_rn|"
    r"__(half|bfloat16|nv_bfloat16|float|int|uint|short|ushort|longlong|double|floats|halves|low|"
    r"high)\w*2\w+|"
    r"__(int|uint|float)_as_(float|int|uint)|__h(add|sub|mul|div|fma|max|min|neg|abs)(2)?(_r[nzud])?|"
    r"make_\w+[1-4]|__popc|__clz|__ffs|__brev|__mul24|__umul24|__mulhi|__umulhi|__dp4a|"
    r"__byte_perm|isnan|isinf|signbit|copysignf?|float|int|unsigned|long|double|half|__half|bool|"
    r"size_t|uint32_t|int32_t|int64_t|uint64_t|__nv_bfloat16"
)
SILENT = frozenset(
    {
        "__syncthreads",
        "__syncwarp",
        "__threadfence",
        "__threadfence_block",
        "__nanosleep",
        "__builtin_assume",
        "cudaGridDependencySynchronize",
        "cudaTriggerProgrammaticLaunchCompletion",
    }
)
LOADS = frozenset({"__ldg", "__ldcs", "__ldcg", "__ldca", "__ldlu", "__ldcv"})
STORES = frozenset({"__stcs", "__stcg", "__stwb", "__stwt"})
SHUFFLES = frozenset({"__shfl_sync", "__shfl_xor_sync", "__shfl_down_sync", "__shfl_up_sync"})
_WARP_RESULT = re.compile(r"__reduce_\w+_sync|__(ballot|any|all)_sync")
_BLOCK_RESULT = re.compile(r"__syncthreads_(or|and|count)")
CASTS = frozenset({"reinterpret_cast", "static_cast", "const_cast"})
# Instructions that neither compute nor move data of the kernel.
HARMLESS_ASSEMBLY = re.compile(r"\s*(griddepcontrol\.[\w.]+\s*;?\s*)*")
KNOWN_NUMBERS = frozenset(
    {"INFINITY", "NAN", "FLT_MAX", "FLT_MIN", "FLT_EPSILON", "INT_MAX", "INT_MIN", "UINT_MAX"}
)
_CALL = re.compile(r"(\w+)\s*\(")
_IMPURE = ("[", "__shared__", "asm", "->", "&", "static")


def is_mathematics(name: str) -> bool:
    """Whether a function's result depends on its arguments alone.

    Example:
        >>> [is_mathematics(one) for one in ("expf", "__fmaf_rn", "make_float4", "__half2float")]
        [True, True, True, True]
        >>> is_mathematics("atomicAdd"), is_mathematics("__shfl_sync"), is_mathematics("block_sum")
        (False, False, False)
    """
    return _MATHEMATICS.fullmatch(name) is not None


def warp_result(name: str) -> bool:
    """Whether a function combines values of all lanes."""
    return _WARP_RESULT.fullmatch(name) is not None


def block_result(name: str) -> bool:
    """Whether a function combines values of all threads of the block."""
    return _BLOCK_RESULT.fullmatch(name) is not None


def is_formula(name: str, texts: list[str]) -> bool:
    """Whether all overloads of a function do nothing but calculate with their arguments.

    Args:
        name: of the function.
        texts: of its definitions, parameters and all.
    """
    allowed = {name, "if", "return", "__launch_bounds__"}
    return all(
        not any(word in text for word in _IMPURE)
        and "*" not in text.partition("{")[0]
        and all(one in allowed or is_mathematics(one) for one in _CALL.findall(text))
        for text in texts
    )
