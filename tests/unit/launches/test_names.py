import gzip
import json
import re
import sqlite3
import string
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.launches.names import demangle, is_communication, owner_of, shorten
from geoaudit.launches.owners import mangled_other_than_collectives
from tests.shared_traces import FOLDER, needs_traces

ADD = "at::native::CUDAFunctor_add<float>"
ARRAY = "std::array<char*, 3ul>"
COPY_LAMBDA = (
    "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() "
    "const::{lambda()#7}::operator()() const::{lambda(float)#1}"
)
MUL = "at::native::BUnaryFunctor<float, float, at::native::binary_internal::MulFunctor<float> >"
SUM = (
    "at::native::ReduceOp<float, at::native::func_wrapper_t<float, at::native::sum_functor<float, "
    "float, float>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int>"
)
SCATTER = (
    "at::native::_cuda_scatter_gather_internal_kernel<false, at::native::OpaqueType<4> >"
    "::operator()<at::native::TensorAssign>(at::TensorIterator&, long)::{lambda(int)#1}"
)
CASES = [
    # PyTorch: a loop keeps the functor it runs, however it is wrapped.
    (f"void at::native::vectorized_elementwise_kernel<4, {ADD}, {ARRAY} >(int, {ADD}, {ARRAY})",
     "vectorized_elementwise_kernel<CUDAFunctor_add>", "torch"),
    (f"void at::native::vectorized_elementwise_kernel<4, {MUL}, {ARRAY} >(int, {MUL}, {ARRAY})",
     "vectorized_elementwise_kernel<MulFunctor>", "torch"),
    (f"void at::native::unrolled_elementwise_kernel<{COPY_LAMBDA}, {ARRAY} >(int)",
     "unrolled_elementwise_kernel<direct_copy_kernel_cuda>", "torch"),
    ("void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
     f"{COPY_LAMBDA}>(at::TensorIteratorBase&, {COPY_LAMBDA} const&)::{{lambda(int)#1}}>(int, x)",
     "elementwise_kernel<direct_copy_kernel_cuda>", "torch"),
    (f"void at::native::reduce_kernel<512, 1, {SUM} >({SUM})",
     "reduce_kernel<sum_functor>", "torch"),
    (f"void at::native::_scatter_gather_elementwise_kernel<128, 4, {SCATTER}>(int)",
     "_scatter_gather_elementwise_kernel<TensorAssign>", "torch"),
    ("void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 2, 64, 64>"
     "(float*)", "CatArrayBatchedCopy", "torch"),
    ("void (anonymous namespace)::softmax_warp_forward<float, float, float, 7, false, false>"
     "(float*, float const*, int)", "softmax_warp_forward", "torch"),
    # The same as Nsight Systems spells it.
    ("void at::native::elementwise_kernel<(int)128, (int)2, void at::native::gpu_kernel_impl_nocast"
     "<at::native::CUDAFunctor_add<long>>(at::TensorIteratorBase &, const T1 &)::[lambda(int) "
     "(instance 1)]>(int, T3)", "elementwise_kernel<CUDAFunctor_add>", "torch"),
    ("void <unnamed>::softmax_warp_forward<float, float, float, (int)6, (bool)0, (bool)0>(T2 *, "
     "const T1 *, int)", "softmax_warp_forward", "torch"),
    # A comparison within a return type is no bracket.
    ("std::enable_if<(((8)>(0)))&&vllm::_typeConvert<c10::BFloat16>::exists, void>::type "
     "vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*, long)",
     "fused_add_rms_norm_kernel", "own"),
    ("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, float>(int)",
     "gemvx::kernel", "cublas"),
    # Launchers stand for what they launch.
    ("void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8>"
     "(cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8::Params)",
     "cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8", "cutlass"),
    ("void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<int>>>(int)",
     "FlashAttnFwdSm90", "flash_attention"),
    ("void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int>>>(int)",
     "GemmUniversal", "cutlass"),
    ("void ck_tile::kentry<1, ck_tile::Rmsnorm2dFwd<ck_tile::X<float> > >(int)",
     "Rmsnorm2dFwd", "composable_kernel"),
    # llama.cpp passes functions as template arguments.
    ("void k_bin_bcast<&(op_mul(float, float)), float, float, float>(float const*)",
     "k_bin_bcast<op_mul>", "own"),
    ("void mul_mat_vec_q<(ggml_type)12, 1, false>(void const*)", "mul_mat_vec_q", "own"),
    # Names that are short already.
    ("triton_poi_fused_add_0", "triton_poi_fused_add_0", "triton"),
    ("triton_softmax_fusion_3", "triton_softmax_fusion_3", "xla"),
    ("loop_add_fusion_12", "loop_add_fusion_12", "xla"),
    ("add_norm_fusion", "add_norm_fusion", "own"),
    ("nvjet_tst_144x128_64x6_2x1_v_bz_bias_TNN", "nvjet_tst_144x128_64x6_2x1_v_bz_bias_TNN",
     "cublas"),
    ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_execute_kernel__5x_cublas",
     "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_execute_kernel__5x_cublas",
     "cublas"),
    ("ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn", "cublas"),
    ("volta_scudnn_128x64_relu_small_nn_v1", "volta_scudnn_128x64_relu_small_nn_v1", "cudnn"),
    ("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT16x16x256",
     "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT16x16x256", "hipblaslt"),
    ("Cijk_Ailk_Bljk_HBH_MT128x128x16_SE", "Cijk_Ailk_Bljk_HBH_MT128x128x16_SE", "rocblas"),
    ("kernel_unified_attention_2d", "kernel_unified_attention_2d", "own"),
    # A user's kernel is not a library's for sharing a word with one.
    ("gemv_q4_kernel", "gemv_q4_kernel", "own"),
    ("void dot_kernel<float>(float*)", "dot_kernel", "own"),
    ("void dot_kernel<float, 128, cublasDotParams<cublasGemvTensor<float>, float> >(int)",
     "dot_kernel", "cublas"),
    ("void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::ParallelForAgent"
     "<thrust::cuda_cub::__uninitialized_fill::functor<int>, long>, long>(int)",
     "_kernel_agent<__uninitialized_fill::functor>", "thrust"),
    ("void cub::DeviceScanKernel<cub::AgentScanPolicy<128, 15, int> >(int)", "DeviceScanKernel",
     "cub"),
    # Operators, lambdas, clones.
    ("void operator<< <int>(int)", "operator<<", "own"),
    ("void scale<Axpy>::operator()(float) const", "scale", "own"),
    ("foo(int)::'lambda'(int)::operator()(int) const", "foo", "own"),
    ("void run<(lambda at /src/a.cu:12:3)>((lambda at /src/a.cu:12:3))", "run", "own"),
    ("void attn<float>(float*) [clone .kd]", "attn", "own"),
    ("attn_fwd.kd", "attn_fwd", "own"),
    ("Memcpy DtoD (Device -> Device)", "Memcpy DtoD (Device -> Device)", "own"),
    ("", "(unnamed kernel)", "own"),
    (" \t\n", "(unnamed kernel)", "own"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "short", "owner"), CASES)
def test_short_name_and_owner(name: str, short: str, owner: str) -> None:
    assert shorten(name) == short
    assert owner_of(name) == owner


@pytest.mark.parametrize(
    ("mangled", "demangled"),
    [
        ("_Z6scale2PKfPfi", "scale2(float const*, float*, int)"),
        ("_ZN2ns4attnILi64EEEvPf", "void ns::attn<64>(float*)"),
        ("_ZN2ns4attnIDF16bEEvPT_", "void ns::attn<__bf16>(__bf16*)"),
        ("triton_poi_fused_0", "triton_poi_fused_0"),
        ("_Zbad", "_Zbad"),
        ("_Z", "_Z"),
        ("", ""),
        ("_Z\ud800", "_Z?"),
    ],
)
def test_demangle(mangled: str, demangled: str) -> None:
    # Newer demanglers spell the type std::bfloat16_t.
    assert demangle(mangled).replace("std::bfloat16_t", "__bf16") == demangled


DIGITS = string.digits + string.ascii_uppercase


def numbered(substitution: int) -> str:
    """The back-reference to a substitution of this number, below 37."""
    return f"S{DIGITS[substitution - 1] if substitution else ''}_"


def nested_types(levels: int) -> str:
    """Function of types of which each holds the one before twice: 2 ** levels ints in all."""
    last = "".join(f"S_I{numbered(n)}{numbered(n)}E" for n in range(1, levels + 1))
    return f"_Z1f1AIiE{last}"


def nested_prefixes(levels: int) -> str:
    """The same with members of a namespace, so that references begin names."""
    at = range(1, 2 * levels, 2)
    return "_Z1fN1A1bE" + "".join(f"NS_1cI{numbered(n)}{numbered(n)}EE" for n in at)


def nested_parameters(levels: int) -> str:
    """Functions of which each has the one before as template argument, and spells it twice."""
    return "_Z1gI" + "XadL_Z1fI" * levels + "i" + "EvT_T_EE" * levels + "EvT_T_"


@pytest.mark.parametrize(
    ("nested", "levels"), [(nested_types, 22), (nested_prefixes, 18), (nested_parameters, 14)]
)
def test_a_name_that_stands_for_gigabytes_stays_mangled(
    nested: Callable[[int], str], levels: int
) -> None:
    assert demangle(nested(2)).startswith(("f(", "void g<"))
    bomb = nested(levels)
    assert len(bomb) < 310
    # Demangled it would take minutes, or all memory.
    assert demangle(bomb) == bomb
    assert shorten(demangle(bomb))


def test_references_inside_of_names_and_operators_are_none() -> None:
    members = "".join("8a_S_T_S1" for _ in range(4))
    assert demangle(f"_ZN1A{members}Ev").endswith("::a_S_T_S1()")
    assert demangle("_ZN1AaSEOS_" + "S_" * 40).startswith("A::operator=(A&&, A, A")


def test_a_long_name_with_many_references_is_demangled() -> None:
    name = "_Z1fIiEv1AIiE" + "S1_" * 300
    assert demangle(name).count("A<int>") == 301


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", True),
        ("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", True),
        ("mscclKernel_Sum_half_Simple", True),
        ("nvshmemi_barrier_kernel", True),
        ("void deep_ep::internode::dispatch<false, 8>(int)", True),
        ("void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)", True),
        ("void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1>(x)",
         True),
        ("void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(int)", True),
        ("void block_all_reduce_sum_f32<128>(float*)", False),
        ("warpAllReduceKernel", False),
        ("triton_poi_fused_all_reduce_0", False),
        ("void cub::DeviceReduceKernel<int>(int)", False),
        (f"void at::native::vectorized_elementwise_kernel<4, {ADD}, {ARRAY} >(int)", False),
        ("attn_fwd", False),
        ("", False),
    ],
)  # fmt: skip
def test_communication(name: str, expected: bool) -> None:
    assert is_communication(name, owner_of(name)) is expected


FRAGMENTS = st.sampled_from(
    ["<", ">", "(", ")", "{", "}", "[", "]", "::", " ", ",", "&", "*", "a", "kernel", "operator()"]
    + [
        "operator<<",
        "(anonymous namespace)::",
        "{lambda(int)#1}",
        "\x1b[31m",
        "const",
        "<unnamed>::",
    ]
    + ["cutlass::Kernel2<", "elementwise_kernel<", "_GLOBAL__N__", " [clone ", "'lambda'", "\ud800"]
)


@given(st.lists(FRAGMENTS, max_size=60).map("".join) | st.text(max_size=200))
def test_any_name_comes_out_printable_and_no_longer(name: str) -> None:
    demangled = demangle(name)
    short = shorten(demangled)
    assert short.strip()
    short.encode("utf-8")
    assert len(short) <= max(len(demangled), len("(unnamed kernel)"))
    owner = owner_of(demangled)
    assert owner
    assert is_communication(demangled, owner) in {True, False}


@pytest.mark.parametrize(
    "piece", ["<", "(", "f<", "f(", "::", "a", "x<y>", "\x1b[31m", "_GLOBAL__N__"]
)
def test_long_hostile_names_come_through(piece: str) -> None:
    name = piece * (5000 // len(piece))
    assert shorten(name)
    assert owner_of(name) == "own"


def test_an_unbalanced_name_is_kept_whole() -> None:
    assert shorten("f<g(h>") == "f<g(h>"
    assert shorten("a>b") == "a>b"


def names_of_traces() -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for file in sorted(FOLDER.glob("kineto-*.json.gz")):
        with gzip.open(file, "rt", encoding="utf-8", errors="replace") as handle:
            events = json.load(handle)["traceEvents"]
        found[file.name] = {
            event["name"] for event in events if str(event.get("cat", "")).lower() == "kernel"
        }
    for file in sorted(FOLDER.glob("nsys-2026-*.sqlite")):
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
            rows = database.execute(
                "select distinct value from CUPTI_ACTIVITY_KIND_KERNEL "
                "join StringIds on StringIds.id = demangledName"
            )
            found[file.name] = {value for (value,) in rows}
    return found


@needs_traces
def test_names_of_real_traces_stay_apart_and_short() -> None:
    for file, names in names_of_traces().items():
        whole = {demangle(name) for name in names}
        short = {shorten(name) for name in whole}
        assert len(short) >= 0.65 * len(whole), file
        # No arguments, return types or namespaces are left over.
        assert not [name for name in short if "(" in name or " " in name], file
        assert not [name for name in short if name.startswith("_Z")], file


def test_a_kernel_of_internal_linkage_is_named_without_its_module() -> None:
    mangled = (
        "__nv_static_35__92453770_13_k3_kernels_cu_98a2c353__ZN10sparkinfer7kernels2k346_GLOBAL__"
        "N__92453770_13_k3_kernels_cu_98a2c35325kda_decode_step_vt_kernelILi32EEEvPfS4_PKfS6_S6_S6_S6_i"
    )
    assert shorten(demangle(mangled)).startswith("kda_decode_step_vt_kernel")


@pytest.mark.parametrize(
    ("mangled", "expected"),
    [
        ("ncclKernel_AllReduce_RING_LL_Sum_float", True),
        ("_Z28ncclDevKernel_Broadcast_RING24ncclDevKernelArgsStorageILm4096EE", True),
        ("_Z22ncclSymkDevKernel_XXXXv", True),
        ("rcclSomething", True),
        ("_ZN7mscclpp8exchangeEv", True),
        ("_ZN7nvshmem6signalEv", True),
        ("_ZN7deep_ep9intranode7combineIfEEvv", True),
        ("_ZN4vllm26cross_device_reduce_1stageIfLi8EEEvPv", True),
        ("_ZN8sglang9allReduceEv", True),
        (
            "_ZN10flashinfer22trtllm_allreduce_fusion40allreduce_fusion_kernel_oneshot_lamportEv",
            True,
        ),
        ("_ZN12_GLOBAL__N_126multimem_all_reduce_kernelEv", True),
        ("_Z24two_shot_AllGatherKernelv", True),
        ("_Z20all_to_all_transposev", True),
        ("_Z24block_all_reduce_sum_f32ILi128EEvPf", False),
        ("triton_poi_fused_all_reduce_0", False),
        ("_Z15kda_decode_stepPf", False),
        ("decode", False),
        ("_ZN7cutlass6KernelIfEEvv", False),
    ],
)
def test_collectives_are_told_by_their_mangled_names(mangled: str, expected: bool) -> None:
    pattern = mangled_other_than_collectives()
    assert (re.search(pattern, mangled) is None) is expected
    demangled = demangle(mangled)
    assert is_communication(demangled, owner_of(demangled)) is expected


def test_the_pattern_of_mangled_names_fits_into_an_option_of_ncu() -> None:
    assert not {":", "<"} & set(mangled_other_than_collectives())
