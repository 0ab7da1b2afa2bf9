"""Make the site of the documentation: `pip install '.[docs]'`, then `python site/build.py`.

The pages are README.md and those of docs/. Each version has a folder of its own, such as `site/out/0.1.0/`, and builds
of other versions leave it alone. `site/out/index.html` leads to the newest. A link that leads nowhere fails the build,
and so does a page that loads anything from another server.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
DOCS: Final = ROOT / "docs"
RENAMED: Final = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "code_of_conduct.md",
}
"""Pages outside of docs/ → what they are called on the site."""
SHOWN: Final = frozenset({".md", ".svg", ".png", ".json"})
"""The endings of files that the site takes from docs/."""

_FENCED: Final = re.compile(r"^(```.*?^```$)", re.MULTILINE | re.DOTALL)
_LOADED: Final = re.compile(
    r'<(?:script|img|iframe)\b[^>]*?\bsrc="(https?:[^"]+)'
    r'|<link\b(?=[^>]*?\brel="(?:stylesheet|preload)")[^>]*?\bhref="(https?:[^"]+)'
)
_EMPTY_HEAD: Final = re.compile(r"<th\b([^>]*)></th>")
_LINK: Final = re.compile(r"(?P<image>!?)\[(?P<label>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^()\s]+)\)")


def pages() -> Iterator[tuple[Path, str]]:
    """The files of the site: where each is in the repository, and its path on the site."""
    for name, page in RENAMED.items():
        yield ROOT / name, page
    for path in sorted(DOCS.rglob("*")):
        if path.suffix in SHOWN:
            yield path, path.relative_to(DOCS).as_posix()


def relinked(text: str, source: Path, page: str) -> str:
    """A page with its links as they are on the site. What a link names that is not on the site is text.

    Args:
        text: the page, in Markdown.
        source: its file.
        page: its path on the site.
    """
    on_site = {path.resolve(): place for path, place in pages()}

    def replaced(link: re.Match[str]) -> str:
        target, _, anchor = link["target"].partition("#")
        if not target or "://" in target or target.startswith("mailto:"):
            return link[0]
        place = on_site.get((source.parent / target).resolve())
        if place is None:
            return link["label"]
        relative = os.path.relpath(place, os.path.dirname(page) or ".").replace(os.sep, "/")
        return f"{link['image']}[{link['label']}]({relative}{'#' if anchor else ''}{anchor})"

    blocks = _FENCED.split(text)
    blocks[::2] = [_LINK.sub(replaced, block) for block in blocks[::2]]
    return "".join(blocks)


def gather(folder: Path, *, playground: bool) -> None:
    """Put the sources of the site into a folder."""
    shutil.copy(ROOT / "site" / "zensical.toml", folder)
    (folder / "pages").mkdir()
    for name in ("site.css", "site.js"):
        shutil.copy(ROOT / "site" / name, folder / "pages")
    for source, page in pages():
        target = folder / "pages" / page
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix != ".md":
            shutil.copy(source, target)
            continue
        text = relinked(source.read_text("utf-8"), source, page)
        if page == "index.md" and playground:
            title, rest = text.split("\n", 1)
            text = f'{title}\n\n<a href="playground/index.html">Try it in your browser</a>: nothing leaves it.\n{rest}'
        target.write_text(text, "utf-8")


def version() -> str:
    """The version of this checkout."""
    found = re.search(r'^__version__ = "([^"]+)"', (ROOT / "bridge/ocml_bridge/__init__.py").read_text("utf-8"), re.M)
    assert found is not None, "bridge/ocml_bridge/__init__.py has no version"
    return found[1]


def loaded_from_elsewhere(page: str) -> list[str]:
    """The addresses on other servers from which a page loads scripts, styles and pictures."""
    return [script or style for script, style in _LOADED.findall(page)]


def without_empty_heads(page: str) -> str:
    """A page whose tables have heads only for columns with a name: an empty one is read aloud as a column without."""
    return _EMPTY_HEAD.sub(r"<td\1></td>", page)


def list_versions(out: Path) -> None:
    """Write the list of versions that the pages show, and the page that leads to the newest."""
    names = [path.name for path in out.iterdir() if (path / "index.html").is_file()]
    names.sort(key=lambda name: [int(number) for number in re.findall(r"\d+", name)], reverse=True)
    (out / "versions.json").write_text(json.dumps([{"version": n, "title": n, "aliases": []} for n in names]), "utf-8")
    leads = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={names[0]}/index.html">'
    (out / "index.html").write_text(f'{leads}<a href="{names[0]}/index.html">ocml-convert {names[0]}</a>\n', "utf-8")


def build(out: Path, *, playground: bool) -> Path:
    """Make the site of this version.

    Args:
        out: the folder of all versions.
        playground: whether the playground is put beside the pages.

    Returns:
        The folder of this version.

    Raises:
        CalledProcessError: where a link leads nowhere.
        ValueError: where a page loads anything from another server.
    """
    place = out / version()
    with tempfile.TemporaryDirectory() as work:
        gather(Path(work), playground=playground)
        zensical = (sys.executable, "-m", "zensical", "build", "--strict", "--clean")
        subprocess.run(zensical, cwd=work, check=True)
        for page in (Path(work) / "html").rglob("*.html"):
            text = page.read_text("utf-8")
            if found := loaded_from_elsewhere(text):
                raise ValueError(f"{page.name} loads {found[0]}")
            page.write_text(without_empty_heads(text), "utf-8")
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(Path(work) / "html", place)
    if playground:
        page = (sys.executable, "-m", "ocml_bridge", "playground", "--build", str(place / "playground"))
        subprocess.run(page, check=True)
    list_versions(out)
    return place


def main() -> None:
    """The command."""
    options = argparse.ArgumentParser(description="Make the site of the documentation.")
    options.add_argument("--out", type=Path, default=ROOT / "site" / "out", help="the folder of all versions")
    options.add_argument(
        "--playground", action="store_true", help="put the playground beside the pages (extra playground)"
    )
    asked = options.parse_args()
    place = build(asked.out, playground=asked.playground)
    sys.stdout.write(f"{place / 'index.html'}\n")


if __name__ == "__main__":
    main()
