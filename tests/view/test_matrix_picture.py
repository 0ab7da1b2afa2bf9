"""The picture of the matrix in the documentation is what the code draws. `pytest --accept` draws it."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from ocml_bridge import registry
from ocml_bridge.checks.capabilities import Feature, Level
from ocml_bridge.view.html import matrix_picture
from ocml_bridge.view.matrix import matrix_of
from sources import ROOT

PICTURE: Path = ROOT / "docs" / "matrix.svg"
BUILT_IN = [registry.adapter(name)[0] for name in registry.BUILT_IN]


def test_the_picture_is_what_the_code_draws(request: pytest.FixtureRequest) -> None:
    drawn = matrix_picture(matrix_of(BUILT_IN))
    if request.config.getoption("--accept"):
        PICTURE.write_text(drawn, "utf-8")
    assert PICTURE.read_text("utf-8") == drawn


def test_the_picture_has_a_sign_for_each_feature_and_format() -> None:
    root = ElementTree.fromstring(PICTURE.read_text("utf-8"))
    signs = [use.attrib["href"] for use in root.iter("{http://www.w3.org/2000/svg}use")]
    assert len(signs) == len(Feature) * len(BUILT_IN) + len(Level)
    assert set(signs) == {f"#{level}" for level in Level}
