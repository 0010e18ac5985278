"""The sentences that the runner's refusals and the doctor share: what is wrong, and the remedy."""

NO_RECORDER = (
    "this installation has no recorder: where it was built there was no C compiler, or CUPTI's "
    "headers were missing."
)
NO_RECORDER_REMEDY = (
    "Install gcc and install geoaudit again, or profile with another tool and give "
    "`geoaudit scan` its trace."
)
NO_CUPTI = "CUPTI was not found: no nvidia-cuda-cupti wheel, no PyTorch, no CUDA toolkit."
NO_CUPTI_REMEDY = (
    "Install nvidia-cuda-cupti of your driver's CUDA (for 13.0: `pip install "
    "'nvidia-cuda-cupti==13.0.*'`; for CUDA 12 nvidia-cuda-cupti-cu12), or set CUDA_HOME."
)

MULTIPLE_SUBSCRIBERS = 39
NO_CUPTI_THAT_LOADS = 100_000  # of the recorder itself: stream.h
_DOCTOR = "`geoaudit doctor` looks for the cause."
# CUPTI: CUptiResult -> what it means for a recording, and what to do.
_REFUSALS = {
    14: "CUPTI is older than CUDA 12.0's, and its records have another layout. Install a newer one",
    15: "CUPTI could not start: there is no CUDA device that works, or CUPTI is newer than the "
    f"driver. {_DOCTOR}",
    33: "CUPTI does not support this virtual GPU. Record on the machine itself",
    35: "CUPTI may not trace here: the driver allows it to administrators only. Run as one, or "
    "set NVreg_RestrictProfilingToAdminUsers=0",
    MULTIPLE_SUBSCRIBERS: "another profiler in the process has CUPTI (torch.profiler, for one; "
    "CUPTI takes one at a time). Stop it, or let it win with --yield",
    40: "CUPTI may not trace on this virtual GPU. Have its profiling enabled by who runs it",
    41: "CUPTI does not trace under confidential computing. Record without it",
    42: "CUPTI does not support this mining GPU",
    45: "CUPTI does not support this GPU under WSL. Record on Linux itself",
    NO_CUPTI_THAT_LOADS: "no CUPTI was found that loads and has what the recorder calls. "
    "`geoaudit doctor` lists those that were found",
    999: f"CUPTI could not start, and does not say why. Often there is no CUDA device. {_DOCTOR}",
}


def refused(error: int) -> str:
    """Why CUPTI did not start, and what to do.

    Args:
        error: a CUptiResult that is no success.
    """
    told = _REFUSALS.get(error, f"CUPTI refused the recorder. {_DOCTOR}")
    if error == NO_CUPTI_THAT_LOADS:
        return f"{told}."
    return f"{told.rstrip('.')} (CUPTI error {error})."
