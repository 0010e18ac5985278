"""Which TOML files are manifests."""

import re

MANIFEST_END = ".toml"
_VERSION = re.compile(rb"^[ \t]*schema_version[ \t]*=", re.MULTILINE)
_KERNELS = re.compile(rb"^[ \t]*(?:\[[ \t]*)?kernels[ \t]*[].=]", re.MULTILINE)


def is_manifest(content: bytes) -> bool:
    r"""Whether the content of a TOML file is a manifest's, also one that cannot be parsed.

    >>> is_manifest(b"schema_version = 1\n[kernels.norm]\n"), is_manifest(b"[project]\n")
    (True, False)
    """
    return bool(_VERSION.search(content) and _KERNELS.search(content))
