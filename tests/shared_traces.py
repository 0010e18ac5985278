"""Real profiles that lie beside a checkout, where they do."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1].parent / "shared" / "traces"
needs_traces = pytest.mark.skipif(
    not FOLDER.is_dir(), reason=f"the folder of real profiles is not there: {FOLDER}"
)
