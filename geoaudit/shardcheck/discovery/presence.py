"""Whether a file is there, as far as the user may see."""

from pathlib import Path


def is_there(path: Path) -> bool:
    """Whether there is such a file or folder; False where the folder around it cannot be read."""
    try:
        return path.exists()
    except OSError:
        return False
