"""Whose kernel it is, by its name: the user's own can be reshaped, a library's cannot.

Engines (vLLM, SGLang, llama.cpp) count as own: their kernels are the code under audit.
"""

import re
from functools import lru_cache

from geoaudit.launches.symbols import Symbol

OWN = "own"
_CACHED_NAMES = 65536

# (pattern at the start of the qualified name, owner, where such names are seen); first match wins.
_OWNERS: tuple[tuple[str, str, str], ...] = (
    # communication
    (r"nccl", "nccl", "ncclDevKernel_*, ncclKernel_*, ncclSymk*; RCCL keeps these names"),
    (r"rccl|mscclKernel|mscclpp", "rccl", "RCCL's and MSCCL's own"),
    (r"nvshmem", "nvshmem", "device collectives"),
    (r"deep_ep::", "deep_ep", "DeepEP's dispatch and combine"),
    # NVIDIA libraries
    (r"cask_+(5x_)?cudnn|(\w+::)*cudnn", "cudnn", "cudnn::*, cudnn_generated_*"),
    (r"(maxwell|pascal|volta|turing|ampere|hopper)_\w*cudnn", "cudnn", "volta_scudnn_*"),
    (r"(sm\d+_)?xmma_(new_)?(fprop|dgrad|wgrad|conv)", "cudnn", "sm80_xmma_fprop_*"),
    (r"sm\d+_xmma_gemm_\w*_cudnn$", "cudnn", "GEMMs cuDNN brings along"),
    (r"(implicit|explicit)_convolve_", "cudnn", "implicit_convolve_sgemm"),
    (r"(nchwToNhwc|nhwcToNchw|nhwcAddPadding)\w*Kernel|fft2d_", "cudnn", "nchwToNhwcKernel"),
    (r"nvjet_", "cublas", "cuBLASLt from CUDA 12.8 on: nvjet_tst_*, nvjet_sm90_*"),
    (r"(maxwell|pascal|volta|turing|ampere|ada|hopper|blackwell)_\w*gemm", "cublas", "*_sgemm_*"),
    (r"sm\d+_xmma_gemm|cublas", "cublas", "sm90_xmma_gemm_*, cublasLt::*"),
    (r"(gemv2[TN]|gemvNSP|gemmk1|splitKreduce)_kernel", "cublas", "gemv2T_kernel_val"),
    (r"internal::gemvx::|epilogue::impl::|gemmSN_|reduce_1Block_kernel", "cublas", "gemvx::kernel"),
    (r"magma_\w*gemm|sgemm_largek", "cublas", "magma_sgemmEx_kernel"),
    (r"pytorch_flash::|flash::|flash_(fwd|bwd)_|FlashAttn", "flash_attention", "versions 2 and 3"),
    (r"cutlass", "cutlass", "cutlass::Kernel2, cutlass3x_*; cuBLAS and cuDNN use it as well"),
    (r"tensorrt_llm::|moe::dev::", "tensorrt_llm", "TensorRT-LLM; its routing within FlashInfer"),
    (r"fmhaSm\d+\w*Kernel_|bmm_\w+_sm\d+", "tensorrt_llm", "trtllm-gen"),
    (r"flashinfer::|Batch(Decode|Prefill)With", "flashinfer", "FlashInfer"),
    (r"deep_gemm::", "deep_gemm", "DeepGEMM"),
    (r"transformer_engine::", "transformer_engine", "Transformer Engine"),
    (r"nvinfer|genericReformat::|cuInt8::|cuEltwise::|__?myl_|trt_", "tensorrt", "and Myelin"),
    (r"(at_cuda_detail::|at::cuda::detail::)?cub::|hipcub::", "cub", "alone or within ATen"),
    (r"thrust::", "thrust", "Thrust"),
    (r"(regular|vector|spRadix|composite)\w*_fft|cufft", "cufft", "regular_fft"),
    (r"cusparse", "cusparse", "cusparse::*"),
    (r"cusolver", "cusolver", "cusolver*"),
    (r"generate_seed_pseudo|gen_sequenced|curand", "curand", "generate_seed_pseudo"),
    # frameworks and their compilers
    (r"at::|c10::|torch::|at_(cuda|hip)_detail::", "torch", "ATen"),
    (r"cunn_|fmha_cutlass|softmax_warp_(forward|backward)$", "torch", "ATen outside its namespace"),
    (r"elementwise_kernel_with_index$|multimem_\w+_kernel$|RowwiseMoments", "torch", "likewise"),
    (r"(one|two)_shot_all_reduce\w*$|krn_partial|compute_grad_weight", "torch", "likewise"),
    (r"multi_tensor_apply_kernel|cuApplyLayerNorm|cuCompute\w*Grad", "apex", "outside ATen"),
    (r"fbgemm_gpu::|split_embedding_|recat_copy_async_kernel", "fbgemm", "FBGEMM's embeddings"),
    (r"(bounds_check_indices|linearize_index|permute_pooled_embs)_kernel", "fbgemm", "likewise"),
    (r"triton_(poi|per|red|tem|for|spl|mix)_", "triton", "code torch.compile writes"),
    (r"triton_(mm|bmm|convolution2d|flex_attention)(_\d+)?$", "triton", "its templates"),
    (
        r"_(p_)?matmul_ogs_|_topk_(forward|backward)$|_sum_bitmatrix_rows",
        "triton",
        "triton_kernels",
    ),
    (r"_combined_routing_|_finalize_matmul_", "triton", "triton_kernels"),
    (r"fusion(_\d+)?$|wrapped_\w|triton_(softmax|gemm)_|gemm_fusion_dot", "xla", "XLA"),
    (
        r"(loop|input|concatenate|transpose|copy|scatter|dynamic|nested|custom)_\w*fusion(_\d+)?$",
        "xla",
        "loop_add_fusion_3, input_reduce_fusion",
    ),
    # AMD libraries
    (r"Cijk_\w*_UserArgs_|hipblaslt|hipBLASLt", "hipblaslt", "its Tensile kernels"),
    (r"Cijk_|rocblas_|Tensile", "rocblas", "its Tensile kernels"),
    (r"rocprim::", "rocprim", "below hipCUB and rocThrust"),
    (r"miopen|MIOpen|naive_conv_|igemm_(fwd|bwd|wrw)|SubTensorOp|Im2d2Col", "miopen", "MIOpen"),
    (r"ck_tile::|ck::|kernel_gemm_xdl", "composable_kernel", "ck_tile::kentry"),
    (r"aiter::", "aiter", "AITER"),
)
# Where the function's own name is no sign: (pattern anywhere in the whole name, owner).
_MARKS: tuple[tuple[str, str], ...] = (
    # FlashAttention 3 launches through CUTLASS.
    (r"^(void )?cutlass::device_kernel<(\w+::)?(enable_sm\w+<)?flash::", "flash_attention"),
    # cuBLAS' level 1 and 2 kernels carry plain names (dot_kernel) and its parameter types.
    (r"\bcublas[A-Z]\w{0,60}(Params|Tensor)", "cublas"),
    (r"\bcudnn\w{0,60}Struct\b", "cudnn"),
)
_OWNER_PATTERNS = tuple((re.compile(pattern), owner) for pattern, owner, _ in _OWNERS)
_MARK_PATTERNS = tuple((re.compile(pattern), owner) for pattern, owner in _MARKS)

_COMMUNICATION_OWNERS = frozenset({"nccl", "rccl", "nvshmem", "rocshmem", "mscclpp", "deep_ep"})
# Compiled and pointwise code never is a collective, whatever operator it is fused around.
_NEVER_COMMUNICATION = frozenset({"triton", "xla", "cub", "cublas", "cudnn", "cutlass"})
# cross_device_reduce_1stage (vLLM, SGLang, AITER), allreduce_fusion_kernel_oneshot_lamport
# (FlashInfer, TensorRT-LLM), multimem_all_reduce_kernel (PyTorch symmetric memory),
# userbuffers_* (Transformer Engine), quickreduce (vLLM on ROCm). A reduction over the threads of
# one block or warp, block_all_reduce_*, is none.
_REDUCTIONS = ("all_reduce", "ar_fusion")
_WITHIN_A_DEVICE = ("block", "warp", "wave", "sm")
_EXCHANGES = (
    *("all_gather", "reduce_scatter", "all_2_all", "all_to_all", "cross_device_reduce"),
    *("multimem", "user_buffers", "quick_reduce", "send_recv", "mnnvl"),
)
_COLLECTIVE = re.compile(
    "".join(f"(?<!{word})" for word in _WITHIN_A_DEVICE)
    + f"(?:{'|'.join(_REDUCTIONS)})|{'|'.join(_EXCHANGES)}".replace("_", "")
)


@lru_cache(maxsize=_CACHED_NAMES)
def owner_of(name: str) -> str:
    """Whose kernel this is.

    Args:
        name: a demangled name, however malformed.

    Returns:
        ``own``, or the library's name: cublas, cudnn, cutlass, nccl, triton, torch, xla, ...
    """
    qualified = _qualified(name)
    owner = next((owner for pattern, owner in _OWNER_PATTERNS if pattern.match(qualified)), OWN)
    if owner not in {OWN, "cutlass"}:
        return owner
    return next((marked for mark, marked in _MARK_PATTERNS if mark.search(name)), owner)


@lru_cache(maxsize=_CACHED_NAMES)
def known_owners() -> tuple[str, ...]:
    """Every owner that a name can tell, in order of name.

    >>> "cublas" in known_owners()
    True
    """
    return tuple(sorted({owner for _, owner, _ in _OWNERS} | {owner for _, owner in _MARKS}))


def is_communication(name: str, owner: str) -> bool:
    """Whether a kernel moves data between devices: small by design, never blamed for it.

    Args:
        name: a demangled name.
        owner: as ``owner_of`` tells it.
    """
    if owner in _COMMUNICATION_OWNERS:
        return True
    if owner in _NEVER_COMMUNICATION:
        return False
    return _COLLECTIVE.search(_qualified(name).replace("_", "").lower()) is not None


def mangled_other_than_collectives() -> str:
    """A regular expression that matches the beginning of mangled names, but of no collective's.

    It is as `is_communication`, where a name tells it, and leaves out a few names more. Written in
    ECMAScript's syntax without a colon, which is what `ncu --kernel-id` can hold.
    """
    owners = "|".join(one for one, owner, _ in _OWNERS if owner in _COMMUNICATION_OWNERS)
    reductions, exchanges, within = (
        "|".join(_spelled(word) for word in words)
        for words in (_REDUCTIONS, _EXCHANGES, _WITHIN_A_DEVICE)
    )
    own = rf"(?!(_ZN?\d+)?({owners.replace('::', '')}))(?!.*({exchanges}))"
    return rf"^(triton_|{own}(.*({within})_?({reductions})|(?!.*({reductions}))))"


def _spelled(word: str) -> str:
    """A word in parts as all_reduce, allreduce, AllReduce or allReduce."""
    return "_?".join(f"[{part[0].upper()}{part[0]}]{part[1:]}" for part in word.split("_"))


def _qualified(name: str) -> str:
    """The function's qualified name without arguments; the name as it is where there is none."""
    parts = [part.name for part in Symbol(name).path() if not part.is_lambda]
    return "::".join(parts) or name.strip()
