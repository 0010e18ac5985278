"""How many launches of whole repositories shard-check finds; not a test, the sources are not ours.

``python -m tests.launch_recall REPOSITORY... [--list IDIOM]``

For each repository and idiom: matches of a plain text search (comments, strings and definitions
among them), launches that the front ends' own text search counts, and those they recognised.
"""

import argparse
import re
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from geoaudit.shardcheck.program.file_program import FileProgram
from tests.shardcheck_pipeline import Tree, options_of, read_tree, reports_of

PLAIN = {
    "chevron": r"(?<!<)<<<(?!<)",
    "cudaLaunchKernel": r"\bcudaLaunchKernel\s*\(",
    "cudaLaunchKernelEx": r"\bcudaLaunchKernelEx\s*\(",
    "cudaLaunchKernelExC": r"\bcudaLaunchKernelExC\s*\(",
    "cudaLaunchCooperativeKernel": r"\bcudaLaunchCooperativeKernel\s*\(",
    "cuLaunchKernel": r"\bcuLaunchKernel\s*\(",
    "cuLaunchKernelEx": r"\bcuLaunchKernelEx\s*\(",
    "cuLaunchCooperativeKernel": r"\bcuLaunchCooperativeKernel\s*\(",
    "hipLaunchKernelGGL": r"\bhipLaunchKernelGGL\s*\(",
    "hipLaunchKernel": r"\bhipLaunchKernel\s*\(",
    "hipModuleLaunchKernel": r"\bhipModuleLaunchKernel\s*\(",
    "triton": r"\w\[\s*(?:\(|grid|lambda|\w*grid\w*\b)[^\n]*\](?:\s*\(|$)",
    "pallas": r"\bpallas_call\s*\(",
    "tilelang": r"\bT\.Kernel\s*\(",
    "cute": r"\)\s*\.launch\s*\(",
    "jax-triton": r"\btriton_call\s*\(",
    "numba": r"\bcuda\.jit\b",
    "cupy": r"\b(?:RawKernel|get_function)\s*\(",
}
"""Idiom -> what a plain text search for it looks for."""
_PLAIN = {idiom: re.compile(pattern, re.MULTILINE) for idiom, pattern in PLAIN.items()}


def plain_counts(tree: Tree) -> Counter[str]:
    """Matches of the plain text searches in the files that were read."""
    counts: Counter[str] = Counter()
    for file in tree.survey.digests:
        text = Path(file.location).read_text(encoding="utf-8", errors="replace")
        is_python = file.path.endswith(".py")
        for idiom, pattern in _PLAIN.items():
            if is_python or idiom not in ("triton", "pallas", "cute", "tilelang"):
                counts[idiom] += sum(1 for _ in pattern.finditer(text))
    return counts


def programs_of(tree: Tree) -> Iterator[FileProgram]:
    """All programs, those in strings too."""
    for program in tree.read.programs:
        yield program
        yield from program.embedded


def print_repository(root: Path, words: Sequence[str], listed: str | None) -> None:
    """The counts of one repository."""
    began = time.perf_counter()
    tree = read_tree(root)
    parsed = time.perf_counter()
    reports = reports_of(tree.read.programs, options_of(words))
    ended = time.perf_counter()
    textual: Counter[str] = Counter()
    recognised: Counter[str] = Counter()
    for program in programs_of(tree):
        textual.update(dict(program.textual))
        recognised.update(dict(program.recognised))
        missing = dict(program.textual).get(listed or "", 0) - dict(program.recognised).get(
            listed or "", 0
        )
        if missing:
            print(f"  {program.path}: {missing} missing; {program.not_analysed}")
    print(
        f"{root.name}: {len(tree.read.programs)} files read, {len(tree.read.refused)} refused, "
        f"{parsed - began:.1f} s read, {ended - parsed:.1f} s analysed, "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB"
    )
    for path, reason in tree.read.refused.items():
        print(f"  refused {path}: {reason}")
    plain = plain_counts(tree)
    for idiom in sorted({*textual, *recognised, *(name for name, count in plain.items() if count)}):
        share = f"{recognised[idiom] / textual[idiom]:7.1%}" if textual[idiom] else "      -"
        print(
            f"  {idiom:28} plain {plain[idiom]:5} textual {textual[idiom]:5} "
            f"recognised {recognised[idiom]:5} {share}"
        )
    behaviours = Counter(report.behaviour for report in reports)
    print(f"  {len(reports)} sites: {dict(behaviours.most_common())}")
    print(f"  unknown: {behaviours['unknown'] / max(1, len(reports)):.1%}")
    reasons = Counter(report.reason for report in reports if report.behaviour == "unknown")
    for reason, count in reasons.most_common(5):
        print(f"    {count} x {reason[:120]}")


def main(arguments: Sequence[str]) -> None:
    """Print the counts of every repository."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--list", metavar="IDIOM", help="name files whose launches are missed")
    given, words = parser.parse_known_args(arguments)
    for root in given.repositories:
        print_repository(root, words, given.list)


if __name__ == "__main__":
    main(sys.argv[1:])
