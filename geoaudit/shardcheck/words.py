"""What names say: parallel sizes, ranks, dimensions of a model. A name is never certain."""

import re
from collections.abc import Mapping
from functools import lru_cache

WIDTH_KINDS = ("tp", "attn_tp", "moe_tp", "ep")
"""Parallelism that divides a width of the model: heads, feed-forward columns, experts."""
OTHER_KINDS = ("dp", "pp", "cp")
"""Parallelism that divides batch, layers or context: no width shrinks with it."""

_SIZE_WORDS = {"size", "num", "ranks", "world", "degree", "parallel", "count", "n", "para"}
_OWNER_WORDS = {"get", "model", "attn", "attention", "moe", "group", "cfg", "local", "comm"}
_PARALLEL_WORDS = {
    "tp": "tp",
    "tensor": "tp",
    "mp": "tp",
    "tensormodel": "tp",
    "para": "tp",
    "ep": "ep",
    "expert": "ep",
    "dp": "dp",
    "data": "dp",
    "pp": "pp",
    "pipeline": "pp",
    "cp": "cp",
    "context": "cp",
    "sp": "cp",
}
_BARE_SIZES = {
    "tp": "tp",
    "worldsize": "tp",
    "nranks": "tp",
    "numranks": "tp",
    "nrank": "tp",
    "commsize": "tp",
    "mpsize": "tp",
    "numgpus": "tp",
    "ngpus": "tp",
    "numdevices": "tp",
    "tensorparasize": "tp",
    "localworldsize": "tp",
}
_RANKS = re.compile(
    r"(?:(?:attn_|moe_)?(?:tp|ep|mp|tensor(?:_model)?_parallel|tensor_para|model_parallel|world|"
    r"local|my|comm|global|self|cur|this)_)?(?:rank|rank_id|rankid)"
)

HEADS, KV_HEADS, VALUE_HEADS, EXPERTS = "heads", "kv_heads", "value_heads", "experts"
FFN, MOE_FFN, INNER, VOCAB, WEIGHT_ROWS = "ffn", "moe_ffn", "inner", "vocab", "weight_rows"
BATCH, CONTEXT, HEAD_DIM, HIDDEN, TOP_K = "batch", "context", "head_dim", "hidden", "top_k"

SHARDED_BY: Mapping[str, str] = {
    HEADS: "tp",
    KV_HEADS: "tp",
    VALUE_HEADS: "tp",
    FFN: "tp",
    MOE_FFN: "tp",
    INNER: "tp",
    VOCAB: "tp",
    WEIGHT_ROWS: "tp",
    EXPERTS: "ep",
}
"""Dimensions that parallelism divides, with the kind that does."""
WIDTHS = frozenset({FFN, MOE_FFN, INNER, VOCAB, WEIGHT_ROWS})
"""Those of them that count columns or rows of a matrix."""

_EXACT: Mapping[str, str] = {
    **dict.fromkeys(("h", "nh", "hq", "nhead", "nheads", "headnum", "heads", "numhead"), HEADS),
    **dict.fromkeys(
        ("hk", "hkv", "headskv", "nheadskv", "kvheadnum", "nheadk", "nkvheads"), KV_HEADS
    ),
    **dict.fromkeys(("hv", "nvheads"), VALUE_HEADS),
    **dict.fromkeys(("ffn", "nff", "dff", "dffn", "ffndim", "ffnsize", "ffnhidden"), FFN),
    **dict.fromkeys(("intermediatesize", "intersize", "interdim", "intermediatedim"), FFN),
    **dict.fromkeys(("intermediate", "ffnhiddensize", "nffn", "ffndimension"), FFN),
    **dict.fromkeys(("moeintermediatesize", "moeintersize", "nffexp", "moeffn"), MOE_FFN),
    **dict.fromkeys(("dinner", "ssmdinner", "innersize"), INNER),
    **dict.fromkeys(("nrowsx", "rowdiff", "nrowsw", "weightrows"), WEIGHT_ROWS),
    **dict.fromkeys(("batch", "batchsize", "bs", "b", "bsz", "nbatch", "numbatch"), BATCH),
    **dict.fromkeys(("numseqs", "nseqs", "nseq", "numreqs", "numrequests", "numtokens"), BATCH),
    **dict.fromkeys(("ntokens", "ntoken", "totaltokens", "numseq", "tokennum", "tokens"), BATCH),
    **dict.fromkeys(("nctx", "ctx", "contextlen", "contextlength", "maxcontextlen"), CONTEXT),
    **dict.fromkeys(("nkv", "kvlen", "seqlenk", "maxseqlenk", "cachelen", "ctxlen"), CONTEXT),
    **dict.fromkeys(
        ("maxkvlen", "maxseqlen", "seqlenkv", "seqlenskv", "maxcontextlength"), CONTEXT
    ),
    **dict.fromkeys(("headdim", "headsize", "dhead", "headdimension", "sizeperhead"), HEAD_DIM),
    **dict.fromkeys(("hiddensize", "hiddendim", "dmodel", "nembd", "modeldim"), HIDDEN),
    **dict.fromkeys(("topk", "numexpertspertok", "nexpertused", "expertspertoken"), TOP_K),
}
_NOT_A_COUNT = {
    "dim", "dims", "size", "per", "stride", "strides", "block", "blocks", "group", "groups",
    "idx", "index", "offset", "offsets", "id", "ids", "tile", "tiles", "mask", "ratio", "start",
    "end", "token", "tokens", "top", "topk", "selected", "padded", "chunk", "scale", "first",
    "split", "splits", "bytes", "ptr", "shape", "len", "length", "max", "warps", "threads",
    "used", "rank", "layer", "layers", "width", "rot", "rope",
}  # fmt: skip
_SEQUENCE = re.compile(
    r"(?:max_?)?(?:(?:n|num|total)_?)?(?:t|s|l|nt|seq(?:_?len(?:gth)?)?s?(?:_?[qk])?|q_?len|"
    r"tokens?|(?:input|query|kv|context|cu_seq)_?len(?:gth)?s?|chunks?|n_row|rows?)"
)
_SM_COUNT = re.compile(
    r"(.*_)?(sms|sm_?counts?|num_?sms?|n_?sms?|no_?of_?sms|multi_?processors?(_?counts?)?"
    r"|num_?multi_?processors?|(num_?)?compute_?units?(_?count)?|num_?cus|mp_?count|sm_?num"
    r"|n(um)?_?((npu|ai|gpu|vector|xe)_?)?cores?|(total_?)?core_?(count|num))"
)
_SM_ATTRIBUTE = re.compile(r"(?i)(?<!per)multi_?processor_?count")
_STATE_SPACE = re.compile(r"scan|ssm|mamba|conv1d|state_space")
_MATRIX_VECTOR = re.compile(r"mul_?mat|mat_?vec|mat_?mul|moe_vec|mmvq|mmvf|gemv|mmq")
_PRODUCT = re.compile(
    rf"{_MATRIX_VECTOR.pattern}|gemm|(?<![a-z])linear(?!_?att)|(?<![a-z])(b?mm|proj)(?![a-z])"
)
_WEIGHT = re.compile(r"q_?matrix|q_?weight|dequant|repack|reconstruct")
_ACTIVATION = re.compile(r"silu|swish|swiglu|gelu|geglu|reglu|act_?and_?mul|activation")
_BATCHES_OF_HEADS = frozenset({
    "attnbatches", "attentionbatches", "bh", "nbh", "bnh", "zh", "batchheads", "batchhead",
    "batchnumheads", "batchnheads", "numbatchheads", "batchesheads", "headsbatch",
})  # fmt: skip
_COLUMNS = frozenset({"n", "ns", "sizen", "outfeatures", "nout", "outchannels", "oc", "ocs"})
"""Of a matrix product: what a weight that is split by columns has fewer of on each rank."""
_PREFILL = re.compile(r"prefill|(?<![a-z])pf[a-z]?_|prompt|context_?attention|context_fwd|nopad")
_MOE = re.compile(r"moe|expert")
_SAMPLING = re.compile(r"sampl|logits|penalt|bitmask|spec_decode|top_?[kp](?![a-z])|min_?p")
"""Launches after the ranks' parts of the vocabulary have been gathered."""


def words_of(name: str) -> tuple[str, ...]:
    """Words of the last component of a name: ``params.numKvHeads_`` is num, kv, heads."""
    last = re.split(r"\.|::|->", name.strip().rstrip("()"))[-1].strip("_")
    last = re.sub(r"^(?:[mg]_(?=..)|k(?=[A-Z]))", "", last)
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", last)
    return tuple(word for word in spaced.lower().split("_") if word)


@lru_cache(maxsize=65_536)
def parallel_kind(name: str) -> str | None:
    """``tp``, ``attn_tp``, ``moe_tp``, ``ep``, ``dp``, ``pp``, ``cp``; None: not a parallel size.

    >>> parallel_kind("self.tp_size"), parallel_kind("get_tensor_model_parallel_world_size()")
    ('tp', 'tp')
    >>> parallel_kind("attn_tp_size"), parallel_kind("dp_size"), parallel_kind("tile_size")
    ('attn_tp', 'dp', None)
    >>> parallel_kind("tensor_para.world_size_"), parallel_kind("tp_rank")
    ('tp', None)
    """
    words = words_of(name)
    if not words or "rank" in words and "ranks" not in words:
        return None
    bare = _BARE_SIZES.get("".join(word for word in words if word != "get"))
    kinds = [_PARALLEL_WORDS[word] for word in words if word in _PARALLEL_WORDS]
    owner = name.lower()
    if bare is not None and not kinds:
        for kind, pattern in (("ep", "expert_para"), ("pp", "pipeline_para"), ("dp", "data_para")):
            if pattern in owner:
                return kind
        return bare
    if bare is None and not (kinds and _says_parallel(words)):
        return None
    kind = kinds[0] if kinds else "tp"
    if kind == "tp" and {"attn", "attention"} & set(words):
        return "attn_tp"
    return "moe_tp" if kind == "tp" and "moe" in words else kind


def is_parallel_size(name: str) -> bool:
    """Whether a name is a number of ranks that something may be divided over."""
    return parallel_kind(name) is not None


def is_rank(name: str) -> bool:
    """Whether a name is this process' place among the ranks.

    >>> is_rank("tp_rank"), is_rank("self.rank"), is_rank("lora_rank"), is_rank("ranks")
    (True, True, False, False)
    """
    return bool(_RANKS.fullmatch("_".join(word for word in words_of(name) if word != "get")))


@lru_cache(maxsize=65_536)
def dimension_of(name: str, surroundings: str = "") -> str | None:
    """The dimension of a model that a name means: ``heads``, ``experts``, ``batch``, ...; or None.

    Args:
        name: of a symbol; its last component counts.
        surroundings: kernel, function and path in lower case: some names mean something only in
            their midst (``dim`` in a state-space scan, ``E`` in a mixture of experts).

    >>> dimension_of("params.h"), dimension_of("num_kv_heads"), dimension_of("head_dim")
    ('heads', 'kv_heads', 'head_dim')
    >>> dimension_of("nrows"), dimension_of("heads_per_block"), dimension_of("n_local_experts")
    (None, None, 'experts')
    """
    words = words_of(name)
    joined = "".join(words)
    if joined == "dim":
        return INNER if _STATE_SPACE.search(surroundings) else None
    if joined == "e":
        return EXPERTS if _MOE.search(surroundings) else None
    if joined in ("nrows", "nrow", "rows"):
        return WEIGHT_ROWS if _MATRIX_VECTOR.search(surroundings) else None
    if joined in _COLUMNS and is_product(surroundings):
        return WEIGHT_ROWS
    if joined in ("width", "height", "sizen", "sizek") and _WEIGHT.search(surroundings):
        return WEIGHT_ROWS
    if joined in ("n", "d") and is_activation(surroundings):
        return FFN
    known = _EXACT.get(joined)
    if known is not None:
        return known
    found = None if _NOT_A_COUNT & set(words) - _allowed(words) else _counted(words)
    return None if found == VOCAB and _SAMPLING.search(surroundings) else found


def is_sm_count(name: str) -> bool:
    """Whether a name is the number of SMs of a device.

    >>> is_sm_count("nsm"), is_sm_count("props.multiProcessorCount"), is_sm_count("sm_scale")
    (True, True, False)
    """
    return bool(_SM_COUNT.fullmatch("_".join(words_of(name))))


def is_sm_attribute(name: str) -> bool:
    """Whether a name is the device attribute that is its number of SMs.

    >>> is_sm_attribute("cudaDevAttrMultiProcessorCount")
    True
    >>> is_sm_attribute("cudaDevAttrMaxThreadsPerMultiProcessor")
    False
    """
    return bool(_SM_ATTRIBUTE.search(name))


def is_product(surroundings: str) -> bool:
    """Whether a launch multiplies matrices.

    >>> is_product("_gemm_fp8_kernel f a.py"), is_product("fused_recurrent f linear_attn.py")
    (True, False)
    """
    return bool(_PRODUCT.search(surroundings))


def is_batch_of_heads(name: str) -> bool:
    """Whether a name is of heads times sequences.

    >>> is_batch_of_heads("attn_batches"), is_batch_of_heads("BH"), is_batch_of_heads("batch")
    (True, True, False)
    """
    return "".join(words_of(name)) in _BATCHES_OF_HEADS


def is_activation(surroundings: str) -> bool:
    """Whether a launch applies an activation to the columns between two matrix products."""
    return bool(_ACTIVATION.search(surroundings)) and not is_product(surroundings)


def is_prefill(surroundings: str) -> bool:
    """Whether a launch is of a prompt's many tokens rather than of one token a sequence.

    >>> is_prefill("pf_attn_kernel launch a.cu"), is_prefill("decode_kernel f prefill.cu")
    (True, False)
    """
    names, _, _ = surroundings.rpartition(" ")
    return "decode" not in names and bool(_PREFILL.search(surroundings))


def is_sequence(name: str) -> bool:
    """Whether a name is a length of a sequence or a number of tokens.

    >>> is_sequence("seq_len"), is_sequence("T"), is_sequence("head_num")
    (True, True, False)
    """
    return bool(_SEQUENCE.fullmatch("_".join(words_of(name))))


def _says_parallel(words: tuple[str, ...]) -> bool:
    """Whether words say a number of ranks and nothing else: ``tp_q_head_num`` counts heads."""
    found = set(words)
    is_plain = bool(found & {"tp", "ep", "mp", "dp", "pp", "cp", "sp", "parallel", "para"})
    is_known = found <= _SIZE_WORDS | _OWNER_WORDS | set(_PARALLEL_WORDS)
    return is_plain and is_known and bool(found & _SIZE_WORDS)


def _allowed(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset({"size"}) if "vocab" in words else frozenset()


def _counted(words: tuple[str, ...]) -> str | None:
    found = set(words)
    if found & {"head", "heads", "nhead", "nheads", "numheads"}:
        if found & {"kv", "k", "key"}:
            return KV_HEADS
        return VALUE_HEADS if found & {"v", "value"} else HEADS
    if found & {"experts", "nexperts", "nexpert"} or words in (("n", "expert"), ("num", "expert")):
        return EXPERTS
    return VOCAB if found & {"vocab", "nvocab"} else None
