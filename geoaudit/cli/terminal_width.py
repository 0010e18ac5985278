"""How wide a line may be."""

import shutil

NARROWEST = 80
_WITHOUT_TERMINAL = 100


def terminal_width() -> int:
    """Columns of the terminal, or of COLUMNS; at least 80, and 100 where neither is there."""
    return max(shutil.get_terminal_size((_WITHOUT_TERMINAL, 50)).columns, NARROWEST)
