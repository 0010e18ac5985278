"""Which CUDA a CUPTI belongs to, by the number that ``cuptiGetVersion`` gives."""

# CUPTI_API_VERSION of cupti_version.h -> CUDA toolkit. From 13.0 on the number is xxyyzz.
_CUDA_BY_API_VERSION = {
    13: (11, 0),
    14: (11, 1),
    15: (11, 2),
    16: (11, 5),
    17: (11, 6),
    18: (11, 8),
    19: (12, 0),
    20: (12, 2),
    21: (12, 3),
    22: (12, 4),
    23: (12, 5),
    24: (12, 6),
    26: (12, 8),
    27: (12, 9),
    28: (12, 9),
}
_OLDEST, _NEWEST = min(_CUDA_BY_API_VERSION), max(_CUDA_BY_API_VERSION)
_FIRST_NUMBERED_BY_CUDA = 130000


def cuda_of_cupti(api_version: int) -> tuple[int, int] | None:
    """Major and minor version of the CUDA toolkit that a CUPTI came with.

    A number that the header does not list (25, of an update) belongs to the release before it.

    Args:
        api_version: what ``cuptiGetVersion`` gives.

    Returns:
        The version; None where the number is older than CUDA 11 or of no known form.

    >>> cuda_of_cupti(24), cuda_of_cupti(25), cuda_of_cupti(130001), cuda_of_cupti(5)
    ((12, 6), (12, 6), (13, 0), None)
    """
    if api_version >= _FIRST_NUMBERED_BY_CUDA:
        return api_version // 10_000, api_version // 100 % 100
    if not _OLDEST <= api_version <= _NEWEST:
        return None
    return _CUDA_BY_API_VERSION[max(key for key in _CUDA_BY_API_VERSION if key <= api_version)]
