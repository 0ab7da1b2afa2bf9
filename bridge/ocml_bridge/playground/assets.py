"""What the browser runs beside this package: an interpreter and compiled libraries, downloaded once and checked."""

from __future__ import annotations

import hashlib
import os
import tempfile
import urllib.request
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext

PATIENCE: Final = 60
"""Seconds for a server that says nothing."""


class Asset(NamedTuple):
    """One file.

    Attributes:
        name: its name.
        url: where it is published.
        sha256: what it has to be.
        size: in bytes.
    """

    name: str
    url: str
    sha256: str
    size: int


@cache
def assets() -> tuple[Asset, ...]:
    """The files that are needed, in the versions that were tested together."""
    listed = jsontext.loads(files("ocml_bridge.playground").joinpath("assets.json").read_bytes())
    return tuple(Asset(**each) for each in listed)


def cache_folder() -> Path:
    """Where they are kept: below `XDG_CACHE_HOME`, or below `~/.cache`."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "ocml-convert" / "playground"


def collect(folder: Path | None = None, say: Callable[[str], None] = lambda _: None) -> dict[str, bytes]:
    """The files by name: from a folder that somebody filled, or from the cache, where they are downloaded to.

    Args:
        folder: that has them; None for the cache.
        say: called with a line about each download.

    Raises:
        BridgeError: OCB-DEPENDENCY, naming what is missing and what to do.
    """
    return {asset.name: _given(asset, folder) if folder is not None else _cached(asset, say) for asset in assets()}


def _given(asset: Asset, folder: Path) -> bytes:
    try:
        data = (folder / asset.name).read_bytes()
    except OSError as error:
        raise _missing(f"{folder} has no {asset.name}; download it from {asset.url}") from error
    return _checked(asset, data)


def _cached(asset: Asset, say: Callable[[str], None]) -> bytes:
    path = cache_folder() / asset.name
    if path.is_file():
        data = path.read_bytes()
        if _is(asset, data):
            return data
    say(f"downloading {asset.name} ({asset.size / 1e6:.1f} MB)")
    data = _checked(asset, _downloaded(asset))
    _keep(path, data)
    return data


def _downloaded(asset: Asset) -> bytes:
    try:
        with urllib.request.urlopen(asset.url, timeout=PATIENCE) as answer:  # an address of the list
            return answer.read(asset.size + 1)
    except OSError as error:
        urls = " ".join(each.url for each in assets())
        message = f"{asset.url} cannot be reached ({error}); where there is a network, download into a folder"
        raise _missing(f"{message} what `ocml-convert playground` needs, and name it with --assets: {urls}") from error


def _keep(path: Path, data: bytes) -> None:
    """Write a file of the cache whole or not at all; without a cache, it is downloaded each time."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=path.name, dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).replace(path)
    except OSError:
        return


def _checked(asset: Asset, data: bytes) -> bytes:
    if not _is(asset, data):
        raise _missing(f"{asset.name} is not the file that is published (its SHA-256 differs); get it from {asset.url}")
    return data


def _is(asset: Asset, data: bytes) -> bool:
    return hashlib.sha256(data).hexdigest() == asset.sha256


def _missing(message: str) -> BridgeError:
    return BridgeError(ErrorCode.DEPENDENCY, message)
