import textwrap

import geoaudit.manifest
from geoaudit.manifest.buffer_section import _INIT_FIGURES, _KEYS
from geoaudit.manifest.code_section import CODE_KEYS
from geoaudit.manifest.data_types import BYTES_PER_ELEMENT, SCALARS
from geoaudit.manifest.recipe_section import RECIPE_KEYS
from tests.unit.manifest.example_manifest import TEXT

DOCUMENTATION = geoaudit.manifest.__doc__ or ""


def test_the_documented_example_is_the_one_that_is_tested() -> None:
    assert textwrap.indent(TEXT, "    ") in DOCUMENTATION


def test_every_key_and_type_is_documented() -> None:
    words = {*_KEYS, *_INIT_FIGURES, *CODE_KEYS, *RECIPE_KEYS, *BYTES_PER_ELEMENT, *SCALARS}
    described = DOCUMENTATION[DOCUMENTATION.index("Formulas\n") :]
    assert {word for word in words if word not in described} == set()
