"""How wide a line may be, and whether it may have colours."""

import os
import shutil
import sys

NARROWEST = 80
_WITHOUT_TERMINAL = 100


def terminal_width() -> int:
    """Columns of the terminal, or of COLUMNS; at least 80, and 100 where neither is there."""
    return max(shutil.get_terminal_size((_WITHOUT_TERMINAL, 50)).columns, NARROWEST)


def has_colors() -> bool:
    """Whether standard output is a terminal whose user wants colours."""
    return sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
