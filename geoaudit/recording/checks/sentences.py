"""The sentences that the runner's refusals and the doctor share: what is wrong, and the remedy."""

NO_RECORDER = "this installation has no recorder: no C compiler was found when it was built."
NO_RECORDER_REMEDY = (
    "Install gcc and install geoaudit again, or profile with another tool and give "
    "`geoaudit scan` its trace."
)
NO_CUPTI = "CUPTI was not found: no nvidia-cuda-cupti wheel, no PyTorch, no CUDA toolkit."
NO_CUPTI_REMEDY = "Install geoaudit[cuda13] (or [cuda12]), or set CUDA_HOME."
TAKEN_SLOT_REMEDY = "Run without it, or unset the variable."


def taken_slot(library: str) -> str:
    """What is wrong where another tool's library is to be injected."""
    return (
        f"CUDA_INJECTION64_PATH is set to {library}: another tool (Nsight Systems, Nsight "
        "Compute, compute-sanitizer, a second geoaudit) has the place of the recorder."
    )
