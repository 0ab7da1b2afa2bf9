"""The site of the documentation has every page, and its links have targets."""

from __future__ import annotations

import importlib.util
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sources import ROOT

BUILD = ROOT / "site" / "build.py"


@pytest.fixture(scope="module")
def site() -> Any:
    """The program that builds the site, as a module."""
    spec = importlib.util.spec_from_file_location("build_site", BUILD)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def named(nav: list[dict[str, Any]]) -> Iterator[str]:
    for entry in nav:
        for value in entry.values():
            if isinstance(value, str):
                yield value
            else:
                yield from named(value)


def test_every_page_is_in_the_menu_once(site: Any) -> None:
    settings = tomllib.loads((ROOT / "site" / "zensical.toml").read_text("utf-8"))
    menu = sorted(named(settings["project"]["nav"]))
    assert menu == sorted(page for _, page in site.pages() if page.endswith(".md"))


@pytest.mark.parametrize(
    ("source", "page", "text", "linked"),
    [
        ("README.md", "index.md", "[a](docs/cli.md#convert)", "[a](cli.md#convert)"),
        ("README.md", "index.md", "![a](docs/view.png)", "![a](view.png)"),
        ("docs/formats/openai.md", "formats/openai.md", "[a](../../README.md)", "[a](../index.md)"),
        ("docs/versioning.md", "versioning.md", "[a](../CHANGELOG.md)", "[a](changelog.md)"),
        ("docs/contributing.md", "contributing.md", "[`a`](../changes/README.md)", "`a`"),
        ("docs/cli.md", "cli.md", "[a](#convert) [b](https://example.org/)", "[a](#convert) [b](https://example.org/)"),
        ("docs/cli.md", "cli.md", "```\n[a](../README.md)\n```", "```\n[a](../README.md)\n```"),
    ],
)
def test_links_are_those_of_the_site(site: Any, source: str, page: str, text: str, linked: str) -> None:
    assert site.relinked(text, ROOT / source, page) == linked


def test_the_newest_version_comes_first(site: Any, tmp_path: Path) -> None:
    for name in ("0.9.0", "0.10.0", "not-built"):
        (tmp_path / name).mkdir()
    for name in ("0.9.0", "0.10.0"):
        (tmp_path / name / "index.html").write_text("")
    site.list_versions(tmp_path)
    assert '"version": "0.10.0"' in (tmp_path / "versions.json").read_text().split("}")[0]
    assert "url=0.10.0/index.html" in (tmp_path / "index.html").read_text()


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ('<script src="https://example.org/a.js"></script>', ["https://example.org/a.js"]),
        ('<link href="http://example.org/a.css" rel="stylesheet">', ["http://example.org/a.css"]),
        ('<script src="assets/a.js"></script><a href="https://example.org/">there</a>', []),
    ],
)
def test_a_page_that_loads_from_another_server_is_found(site: Any, page: str, found: list[str]) -> None:
    assert site.loaded_from_elsewhere(page) == found


def test_a_column_without_a_name_has_no_head(site: Any) -> None:
    row = '<tr><th></th><th style="text-align: right;"></th><th>name</th></tr>'
    assert site.without_empty_heads(row) == '<tr><td></td><td style="text-align: right;"></td><th>name</th></tr>'
