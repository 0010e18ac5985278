"""What a text search for launches finds, as a check on what was recognised.

Comments and strings are blanked first. Then, outside of ``def``, the search takes for a launch

- an identifier, ``)`` or ``]``, a bracket that holds a parenthesised tuple, a lambda, a name with
  ``grid`` in it, or whatever follows a kernel that the file defines, and then ``(``: ``triton``;
- ``.launch(`` with ``grid=`` among its arguments: ``cute``; ``ct.launch(``: ``cutile``;
- ``T.Kernel(``: ``tilelang``; ``pallas_call(``: ``pallas``; ``triton_call(``: ``jax-triton``;
- ``.run(`` and ``.warmup(`` with ``grid=`` among their arguments: ``triton``.

CuPy's calls, Numba's of imported kernels and other calls that only a parser tells from an ordinary
one are counted on both sides where they are recognised.
"""

import re
from collections.abc import Iterator, Set

_LITERAL = re.compile(
    r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""'
    r"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''"
    r'|"[^"\\\n]*(?:\\.[^"\\\n]*)*"'
    r"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'"
    r"|#[^\n]*",
    re.DOTALL,
)
_NO_NEWLINE = re.compile(r"[^\n]+")
_GRID_BRACKET = r"[\w)\]]\s*\[(?=\s*(?:\(|lambda\b|[\w.]*[gG][rR][iI][dD]\w*\s*\]))"
_CALLS = {
    "launch": re.compile(r"(?<![\w.])(ct\s*)?(?<!def )\.\s*launch\s*\("),
    "run": re.compile(r"\.\s*(?:run|warmup)\s*\("),
    "tilelang": re.compile(r"(?<![\w.])(?:T|tilelang|tl|language)\.Kernel\s*\("),
    "pallas": re.compile(r"(?<!def )\bpallas_call\s*\("),
    "jax-triton": re.compile(r"(?<!def )(?<!self\.)\btriton_call\s*\("),
}
# One of these is in every file with a launch. Most files have none: no more is asked of them.
_WORDS = ("grid", "launch(", "pallas", "triton_call", ".Kernel(", "cupy", "pycuda", "RawKernel")
_CALLED_BRACKET = re.compile(r"\](?:\(|\s+\()")
_LAST_WORD = re.compile(r"(\w+)\s*\Z")
_NESTING = re.compile(r"[\[\](){}]")
_GRID_KEYWORD = re.compile(r"(?<![\w.])grid\s*=(?!=)")


def mentions_launches(text: str) -> bool:
    """Whether anything in a text could be a launch: a cheap first look."""
    return any(word in text for word in _WORDS) or _CALLED_BRACKET.search(text) is not None


def without_literals(text: str) -> str:
    """Return a text with its comments and strings blanked, at the same length."""
    return _LITERAL.sub(
        lambda found: _NO_NEWLINE.sub(lambda line: " " * len(line[0]), found[0]), text
    )


def textual_launches(
    text: str, kernels: frozenset[str], tables: Set[str] = frozenset()
) -> Iterator[tuple[str, int]]:
    """Yield idiom and place of what looks like a launch: index of ``[``, or of ``(``.

    Args:
        text: of a file.
        kernels: names that the file defines as kernels launched with a bracket.
        tables: names of dictionaries and lists, whose brackets hold a key.
    """
    code = without_literals(text)
    openings = _GRID_BRACKET
    if kernels:
        openings += rf"|(?<![\w.])(?:{'|'.join(sorted(kernels))})\s*\["
    for found in re.finditer(openings, code):
        opening = found.end() - 1
        name = _LAST_WORD.search(code, max(0, opening - 100), opening)
        if name is not None and name[1] in tables:
            continue
        closing = _closing(code, opening)
        if code[closing + 1 : closing + 50].lstrip().startswith("(") and _is_one_tuple(
            code[opening + 1 : closing]
        ):
            yield "triton", opening
    for idiom, pattern in _CALLS.items():
        for found in pattern.finditer(code):
            opening = found.end() - 1
            if idiom == "launch" and found[1]:
                yield "cutile", opening
            elif idiom in {"launch", "run"}:
                if _has_grid_keyword(code, opening):
                    yield "cute" if idiom == "launch" else "triton", opening
            else:
                yield idiom, opening


def _closing(code: str, opening: int) -> int:
    """Index of the bracket that closes the one at an index; end of the text where none does."""
    depth = 0
    for found in _NESTING.finditer(code, opening):
        depth += 1 if found[0] in "[({" else -1
        if depth == 0:
            return found.start()
    return len(code)


def _is_one_tuple(inside: str) -> bool:
    """Whether what stands in a bracket is one group, where it begins with a parenthesis."""
    inside = inside.strip()
    if not inside.startswith("("):
        return True
    return _closing(inside, 0) == len(inside) - 1


def _has_grid_keyword(code: str, opening: int) -> bool:
    """Whether ``grid=`` is among the arguments of the call itself."""
    closing = _closing(code, opening)
    for found in _GRID_KEYWORD.finditer(code, opening, closing):
        before = code[opening + 1 : found.start()]
        nesting = sum(1 if c in "[({" else -1 for c in _NESTING.findall(before))
        if nesting == 0:
            return True
    return False
