"""What the browser is given, and where it is from."""

from __future__ import annotations

import hashlib
import json
import threading
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from ocml_bridge import BridgeError
from ocml_bridge.cli import command
from ocml_bridge.playground import assets
from ocml_bridge.playground.serve import served
from ocml_bridge.playground.site import RUNTIME, build

from .made import made


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with invalid assets, and a list that has them as valid."""
    return made(tmp_path / "given", monkeypatch)


def test_the_list_names_files_of_registries_by_their_sums() -> None:
    for asset in assets.assets():
        assert asset.url.startswith(("https://registry.npmjs.org/", "https://files.pythonhosted.org/packages/"))
        assert asset.url.endswith(f"/{asset.name}")
        assert len(bytes.fromhex(asset.sha256)) == 32


def test_a_site_has_all_that_its_page_asks_for(listed: Path, tmp_path: Path) -> None:
    build(tmp_path / "site", assets.collect(listed))
    files = {
        path.relative_to(tmp_path / "site").as_posix() for path in (tmp_path / "site").rglob("*") if path.is_file()
    }
    assert {"index.html", "page.css", "page.js", "playground.css", "playground.js", "worker.js"} <= files
    assert {"examples.json", "manifest.json", *(f"pyodide/{name}" for name in RUNTIME)} <= files
    manifest = json.loads((tmp_path / "site" / "manifest.json").read_bytes())
    assert set(manifest["archives"]) <= files
    assert '<symbol id="i-user"' in (tmp_path / "site" / "index.html").read_text("utf-8")
    with zipfile.ZipFile(tmp_path / "site" / "python.zip") as python:
        names = set(python.namelist())
    assert {"orjson.py", "yaml/__init__.py", "ocml_bridge/__init__.py", "ocml_adapters/openai/__init__.py"} <= names
    assert "ocml_bridge/view/templates/page.css" in names
    assert not {name for name in names if name.startswith(("ocml_bridge/cli/", "ocml_bridge/bulk/"))}


def test_the_same_installation_gives_the_same_site(listed: Path, tmp_path: Path) -> None:
    sums: list[str] = []
    for name in ("one", "two"):
        build(tmp_path / name, assets.collect(listed))
        sums.append(hashlib.sha256((tmp_path / name / "python.zip").read_bytes()).hexdigest())
    assert sums[0] == sums[1]


def test_downloads_are_cached(listed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    lines: list[str] = []
    with served(listed) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}"
        found = tuple(each._replace(url=f"{address}/{each.name}") for each in assets.assets())
        monkeypatch.setattr(assets, "assets", lambda: found)
        first = assets.collect(say=lines.append)
        assert [line.partition(" (")[0] for line in lines] == [f"downloading {each.name}" for each in found]
        server.shutdown()
    assert assets.collect(say=lines.append) == first
    assert len(lines) == len(found)


def test_without_a_network_the_error_names_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def unreachable(*_: object, **__: object) -> None:
        raise urllib.error.URLError("no network")

    monkeypatch.setattr(urllib.request, "urlopen", unreachable)
    with pytest.raises(BridgeError, match="--assets") as caught:
        assets.collect()
    assert all(each.url in caught.value.message for each in assets.assets())


def test_another_file_of_the_same_name_is_refused(listed: Path) -> None:
    name = assets.assets()[-1].name
    (listed / name).write_bytes(b"other")
    with pytest.raises(BridgeError, match="SHA-256"):
        assets.collect(listed)
    (listed / name).unlink()
    with pytest.raises(BridgeError, match="download it from https://"):
        assets.collect(listed)


def test_the_command_builds_a_folder(listed: Path, tmp_path: Path) -> None:
    line = ["playground", "--assets", str(listed), "--build", str(tmp_path / "out")]
    done = CliRunner().invoke(command, line, prog_name="ocml-convert")
    assert (done.exit_code, done.output) == (0, "")
    assert (tmp_path / "out" / "index.html").is_file()


def test_pages_are_served_with_a_policy_that_lets_nothing_out(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("x")
    with served(tmp_path) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_address[1]}/") as answer:
            policy = answer.headers["Content-Security-Policy"]
        server.shutdown()
    assert server.server_address[0] == "127.0.0.1"
    assert policy.startswith("default-src 'none'; ")
    assert "connect-src 'self'" in policy
    assert "unsafe-inline" not in policy
