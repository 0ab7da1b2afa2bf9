"""Files in the places of those that are downloaded, and a list with their sums."""

from __future__ import annotations

import hashlib
import io
import tarfile
from pathlib import Path

import pytest

from ocml_bridge.playground import assets
from ocml_bridge.playground.site import RUNTIME


def made(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Fill a folder."""
    folder.mkdir()
    listed: list[assets.Asset] = []
    for asset in assets.assets():
        data = _runtime() if asset.name.endswith(".tgz") else asset.name.encode()
        (folder / asset.name).write_bytes(data)
        listed.append(asset._replace(sha256=hashlib.sha256(data).hexdigest()))
    monkeypatch.setattr(assets, "assets", lambda: tuple(listed))
    return folder


def _runtime() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name in RUNTIME:
            info = tarfile.TarInfo(f"package/{name}")
            info.size = len(name)
            archive.addfile(info, io.BytesIO(name.encode()))
    return out.getvalue()
