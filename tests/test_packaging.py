"""The built distributions: the packages with types, the command, and the schema of the canonical form."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import ocml_bridge
import ocml_convert
from ocml_bridge import __version__
from ocml_bridge.model.codec import json_schema
from ocml_bridge.playground.examples import EXAMPLES
from sources import ADAPTERS, BRIDGE, ROOT


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution."""
    folder = tmp_path_factory.mktemp("built")
    line = (sys.executable, "-m", "hatchling", "build", "-d", str(folder))
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> zipfile.ZipFile:
    return zipfile.ZipFile(next(built.glob("*.whl")))


def test_the_wheel_contains_the_packages_the_man_page_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    expected = {
        path.relative_to(package.parent).as_posix()
        for package in (BRIDGE, BRIDGE.parent / "ocml_convert", ADAPTERS)
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    examples = {name for name in names if name.startswith("ocml_bridge/playground/golden/")}
    assert {name.removeprefix("ocml_bridge/playground/golden/").rpartition("/")[0] for name in examples} == {
        case for _, case, _ in EXAMPLES
    }
    assert names == examples | expected | {f"ocml_convert-{__version__}.data/data/share/man/man1/ocml-convert.1"}
    assert {"ocml_bridge/py.typed", "ocml_adapters/py.typed"} <= names


def _of_dist_info(wheel: zipfile.ZipFile, name: str) -> str:
    return wheel.read(f"ocml_convert-{__version__}.dist-info/{name}").decode()


def test_the_wheel_has_metadata(wheel: zipfile.ZipFile) -> None:
    metadata = Parser().parsestr(_of_dist_info(wheel, "METADATA"))
    assert (metadata["Name"], metadata["Version"]) == ("ocml-convert", __version__)
    assert metadata["Requires-Python"] == ">=3.11"
    needed = {line.split(">")[0].lower() for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line}
    assert needed == {"click", "jiter", "jsonpatch", "orjson", "pydantic", "pyyaml", "rich"}
    assert "ocml-convert = ocml_convert.command:main" in _of_dist_info(wheel, "entry_points.txt").splitlines()


def test_the_page_of_an_index_links_to_no_missing_file(wheel: zipfile.ZipFile) -> None:
    """An index shows the description without other files: the fallback of a picture or a link is its text."""
    metadata = Parser().parsestr(_of_dist_info(wheel, "METADATA"))
    description = str(metadata.get_payload())
    assert metadata["Description-Content-Type"] == "text/markdown"
    targets = re.findall(r"\]\(([^)\s]*)\)", description)
    assert targets
    assert [target for target in targets if not target.startswith("https://")] == []
    assert "![" not in description
    assert "\nA document is read into the canonical form. " in description
    assert "| `harmony` | Harmony | `spec`, `oss`, `hf` |" in description


def test_the_library_can_be_imported_by_the_name_of_its_distribution() -> None:
    assert ocml_convert.__all__ == ocml_bridge.__all__
    assert all(getattr(ocml_convert, name) is getattr(ocml_bridge, name) for name in ocml_bridge.__all__)
    assert not hasattr(ocml_convert, "nothing")


def test_profiles_are_imported_when_they_are_used() -> None:
    code = "import sys, ocml_convert; assert 'ocml_bridge.profiles' not in sys.modules; ocml_convert.profile('gpt-oss')"
    subprocess.run((sys.executable, "-c", code), check=True)


def test_the_source_distribution_can_be_built_and_tested(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        tops = {name.split("/")[1] for name in archive.getnames()}
    assert {"README.md", "pyproject.toml", "bridge", "adapters", "golden", "tests", "docs"} <= tops
    assert tops <= {path.name for path in ROOT.iterdir()} | {"PKG-INFO"}
    assert not {name for name in tops if name.startswith((".venv", ".git"))} - {".gitignore", ".gitattributes"}


def test_the_published_schema_is_that_of_the_code() -> None:
    """`ocml-convert schema > docs/canonical.schema.json` writes it."""
    assert json.loads((ROOT / "docs" / "canonical.schema.json").read_bytes()) == json_schema()
