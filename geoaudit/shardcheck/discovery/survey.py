"""Every source of a tree by the hash of its content, before anything is parsed."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from geoaudit.shardcheck.discovery.content import read_content
from geoaudit.shardcheck.discovery.walking import SourceFile, SourceTree


@dataclass(frozen=True, kw_only=True)
class Survey:
    """A tree whose files were read once.

    Attributes:
        digests: file -> 16 bytes of its content, of the files to analyse, by path.
        skipped: reason -> files.
        refused: path -> why it cannot be analysed; folders that cannot be listed too.
    """

    digests: Mapping[SourceFile, bytes]
    skipped: Mapping[str, int]
    refused: Mapping[str, str]

    def digest(self) -> bytes:
        """Bytes that stand for all of it: paths, contents and what was left out."""
        told = hashlib.blake2b(digest_size=16)
        for file, digest in self.digests.items():
            told.update(file.path.encode() + b"\0" + digest)
        told.update(repr((sorted(self.skipped.items()), sorted(self.refused.items()))).encode())
        return told.digest()


def survey_tree(tree: SourceTree, *, include_generated: bool = False) -> Survey:
    """The survey of a tree.

    Args:
        tree: what the walk found.
        include_generated: generated files are analysed too.
    """
    digests: dict[SourceFile, bytes] = {}
    skipped = Counter(tree.skipped)
    refused = dict(tree.refused)
    for file in tree.files:
        content = read_content(file.location, include_generated=include_generated)
        if content.refused is not None:
            refused[file.path] = content.refused
        elif content.skipped is not None:
            skipped[content.skipped] += 1
        else:
            digests[file] = content.digest
    return Survey(
        digests=digests,
        skipped={reason: count for reason, count in sorted(skipped.items()) if count},
        refused=refused,
    )
