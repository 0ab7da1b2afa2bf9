"""The documentation names everything that exists, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast, get_args

import click
import pytest

from ocml_bridge import ErrorCode, FindingCode, LossCode, Message, Severity, Transcript, formats, read
from ocml_bridge.cli import COMMANDS, command
from ocml_bridge.cli.conversion_command import ConversionCommand
from ocml_bridge.common.lazy import find
from ocml_bridge.errors import EXIT_CODES, ExitCode
from ocml_bridge.formats.adapter import Adapter, Policy
from sources import ROOT

DOCS = ROOT / "docs"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]
EXIT_STATUSES = {value for name, value in vars(ExitCode).items() if name.isupper()}


def page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def first_cells(text: str) -> list[str]:
    """The code in the first column of the tables of a page."""
    return re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)


def headings(text: str) -> list[str]:
    """The code in the headings of a page."""
    return re.findall(r"^#+ `([^`]+)`$", text, re.MULTILINE)


def test_every_error_code_is_documented_once() -> None:
    listed = [cell for cell in first_cells(page("errors.md")) if not cell.isdigit()]
    assert sorted(listed) == sorted(ErrorCode)


def test_every_error_code_is_documented_with_its_exit_status() -> None:
    rows = dict(re.findall(r"^\| `((?:E|OCB)-[A-Z-]+)` \| (\d+) \|", page("errors.md"), re.MULTILINE))
    assert {code: int(status) for code, status in rows.items()} == {
        str(code): EXIT_CODES.get(code, ExitCode.INVALID) for code in ErrorCode
    }


def test_every_exit_status_is_documented_once() -> None:
    listed = [int(cell) for cell in first_cells(page("errors.md")) if cell.isdigit()]
    assert sorted(listed) == sorted(EXIT_STATUSES)


def test_every_loss_code_is_documented_once() -> None:
    assert sorted(headings(page("loss.md"))) == sorted(LossCode)


def test_every_finding_code_is_documented_once() -> None:
    others = {*Severity, *get_args(Policy)}
    assert sorted(set(first_cells(page("loss.md"))) - others) == sorted(FindingCode)


def test_every_format_has_its_page_and_every_page_its_format() -> None:
    assert {path.stem for path in (DOCS / "formats").glob("*.md")} == set(formats())


def _commands() -> Iterator[tuple[str, list[click.Parameter]]]:
    """The parameters of each command, with the options that formats declare."""
    yield "", command.params
    for name in COMMANDS:
        found = find(COMMANDS[name])
        yield name, found.every_param() if isinstance(found, ConversionCommand) else found.params


def test_every_command_and_option_is_documented() -> None:
    text = page("cli.md")
    for name, each in _commands():
        assert f"`{name}" in text or not name
        for parameter in each:
            for spelling in parameter.opts if isinstance(parameter, click.Option) else ():
                assert f"`{spelling}`" in text or f"`{spelling} " in text, f"{name} {spelling}"


def test_every_documented_option_exists() -> None:
    known = {spelling for _, each in _commands() for parameter in each for spelling in parameter.opts}
    rows = "\n".join(first_cells(page("cli.md")))
    assert set(re.findall(r"(?<!\S)--?[a-z][a-z-]*", rows)) <= known | {"--help"}


def anchors(text: str) -> set[str]:
    """The anchors of the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_have_targets(path: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", path.read_text("utf-8")):
        if "://" not in target:
            page = path.parent / target if target else path
            assert page.exists(), target
            assert not anchor or anchor in anchors(page.read_text("utf-8")), f"{target}#{anchor}"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_list_in_a_list_is_indented_as_the_site_reads_it(path: Path) -> None:
    blocks = re.split(r"^```.*?^```$", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert not [line for block in blocks for line in re.findall(r"^ {1,3}(?:[-*]|\d+\.) .*", block, re.MULTILINE)]


PARTS_OF_PAGES = ("Detection", "Mapping", "Tools", "Settings", "Readings", "What it cannot represent", "Streams")


@pytest.mark.parametrize("name", formats())
def test_the_pages_of_formats_have_the_same_headings_in_the_same_order(name: str) -> None:
    titles = re.findall(r"^## (.+)$", page(f"formats/{name}.md"), re.MULTILINE)
    assert [title for title in titles if title in PARTS_OF_PAGES] == [part for part in PARTS_OF_PAGES if part in titles]
    assert {"Detection", "Readings", "What it cannot represent"} <= set(titles)


@pytest.mark.parametrize("name", formats())
def test_the_page_of_a_format_names_each_code_of_its_golden_losses(name: str) -> None:
    reports = (path.read_text("utf-8") for path in (ROOT / "golden").glob(f"*/*/{name}.loss.txt"))
    codes = {code for report in reports for code in re.findall(r"^loss \S+ (\S+) ", report, re.MULTILINE)}
    text = page(f"formats/{name}.md")
    for parent in re.findall(r"losses are those of \[`[^`]+`\]\(([^)#]+)", text):
        text += page(f"formats/{parent}")
    # Any target refuses a document whose text it would leave out: docs/loss.md says so.
    assert not sorted(code for code in codes - {"emptied"} if f"`{code}`" not in text)


def lines_of_code(block: str) -> int:
    return sum(line != "" for line in block.splitlines())


def test_the_examples_of_the_guide_to_a_new_format_work(capsys: pytest.CaptureFixture[str]) -> None:
    """Its example format is as short as the guide claims, passes the kit, and gives the outputs of the guide."""
    guide = page("adding-a-format.md")
    blocks = re.findall(r"^```python\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    assert lines_of_code(blocks[0]) <= 60
    assert lines_of_code(next(block for block in blocks if "TextEncoder" in block)) <= 55
    assert lines_of_code(next(block for block in blocks if "EnvelopeWriter" in block)) <= 80
    names: dict[str, object] = {}
    exec(blocks[0], names)
    reading = read("<start_of_turn>user\n<bos><end_of_turn>\n", cast("Adapter", names["ADAPTER"]))
    assert [finding.code for finding in reading.findings] == ["stray-token"]
    for block in blocks[1:]:
        exec(block, names)
    assert capsys.readouterr().out == re.findall(r"^```text\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)[0]
    assert names["asked"] == Transcript((Message("user", "Why?"),))
