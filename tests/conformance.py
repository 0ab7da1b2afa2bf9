"""What is the same as others have it, what differs, and why: docs/conformance.md.

    OCML_CORPUS=FOLDER python tests/conformance.py            # show it
    OCML_CORPUS=FOLDER python tests/conformance.py --write    # write the page

Others are: recorded documents of five APIs, conversations that other projects publish, the public chat templates of
models, and the official parser of Harmony. Nothing of them is copied into the page but counts and codes.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

from client_types import faults, reason
from corpus import Case, corpus_cases
from ocml_bridge import BridgeError, convert, read, write
from ocml_bridge.pipe import streams
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing.streams import check_decoding
from sources import ROOT
from test_profiles import TEMPLATES, cases, made
from wire_facts import FOLDERS, recorded

PAGE = ROOT / "docs" / "conformance.md"
HEAD = """# Conformance

How this project compares with what others wrote, recorded and published. `python tests/conformance.py --write` makes
this page anew, with `OCML_CORPUS` naming the folder of the transcripts. Those are not part of the project; the tables
count them.
"""
CONVERSATIONS = """## Published conversations

Documents that other projects publish: examples of their documentation, data of their tests, rows of datasets. What
reads without findings comes back byte for byte, or JSON value for value; a stream of it, cut anywhere, ends in the
same document (`tests/test_corpus.py`, `tests/stream/test_corpus_streams.py`). What cannot be read is refused by a
code, and what is mended is named by one. `OCB-FORMAT-DOUBT` warns that a document is certainly in another format
than the file's: requests of another API among those of Chat Completions, the text of an answer among those in
Harmony.
"""
RECORDED = """## Recorded requests and responses

What five APIs were sent, and what they answered. How many come back to the order of their keys (`tests/adapters/`),
and of how many the other APIs hold all content and structure. What they do not hold is named, always
(`tests/wire_facts.py`).
"""
TYPED = """## The clients' types

What is written of these documents, and of the published conversations, for another API than theirs, judged by the
types of that API's official client, with whatever a document of ours cannot know filled in (`tests/client_types.py`,
`tests/test_client_types.py`). What differs has something that the client has no type for. It stays, and is not made up
or left out.
"""
TEMPLATED = """## Chat templates

Requests as the public template of each model renders them, and as the model's [profile](requests.md) writes them:
byte for byte (`tests/test_profiles.py`). The one that differs has words in it that are tags of the markup. A template
writes them as they are, so that whoever writes one makes a call; a profile breaks them.
"""
OFFICIAL = """## Harmony's official parser

Each message of each Harmony text, as our reader and as `openai-harmony` reads it; `ocml-convert check --official`
does it for yours. `only-ours` is what the official parser waits to be continued: the turn that a prompt opens, a
message that is cut off. `refused` is what it gives up on: headers that are damaged, most of them by models.
"""
DIFFERENT = """The two read a message differently on purpose in some cases; [the page](formats/harmony.md)
explains why. `tests/adapters/test_harmony_official.py` checks each of them, and that drawn texts have no other:
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD, *_conversations(), *_wires(), *_types(), *_templates(), *_official()]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _table(heads: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    lines = [heads, tuple("---:" if at else "---" for at in range(len(heads)))]
    shown = [tuple(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row) for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in (*lines, *shown))


def _codes(counts: Counter[str]) -> str:
    return ", ".join(f"`{code}` {count:,}" for code, count in sorted(counts.items()))


# --- conversations ----------------------------------------------------------------------------------------------------


class _File:
    """What became of the documents of one file."""

    def __init__(self) -> None:
        self.documents = self.clean = self.back = self.streamed = 0
        self.refused: Counter[str] = Counter()
        self.findings: Counter[str] = Counter()

    def add(self, case: Case) -> None:
        """Read a document, write it back, and decode it as a stream."""
        self.documents += 1
        if case.format in streams()[0] and _is_text(case.data):
            text = case.data.decode()
            check_decoding(text, case.format, [[text[at : at + 7] for at in range(0, len(text), 7)]], None)
            self.streamed += 1
        try:
            reading = read(case.data, case.format)
        except BridgeError as error:
            self.refused[str(error.code)] += 1
            return
        if reading.findings:
            self.findings.update({str(finding.code) for finding in reading.findings})
            return
        self.clean += 1
        self.back += _same(write(reading.transcript, case.format, policy=LENIENT).output, case.data)


def _file_of(case: Case) -> str:
    """The file that a case is of; texts, which are a file each, count together."""
    name = case.id.split(":")[0]
    return f"{case.format}/*.txt" if name.endswith(".txt") else name


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _same(output: Any, data: bytes) -> bool:
    """Whether an output is what was read: a text byte for byte, JSON value for value, in the same order."""
    if isinstance(output, str):
        return output.encode("utf-8", "surrogatepass") == data
    return json.dumps(output) == json.dumps(json.loads(data))


def _conversations() -> Iterator[str]:
    files: dict[str, _File] = {}
    for case in corpus_cases():
        files.setdefault(_file_of(case), _File()).add(case)
    yield CONVERSATIONS
    rows: list[tuple[object, ...]] = [
        (
            f"`{name}`",
            each.documents,
            f"{each.back:,} of {each.clean:,}",
            each.streamed or "",
            _codes(each.findings),
            _codes(each.refused),
        )
        for name, each in files.items()
    ]
    yield _table(("file", "documents", "the same again", "as streams", "mended", "refused"), rows)


# --- wires ------------------------------------------------------------------------------------------------------------


def _wires() -> Iterator[str]:
    yield RECORDED
    others = [*FOLDERS]
    rows: list[tuple[object, ...]] = []
    for form, folder in FOLDERS.items():
        found = recorded(folder)
        same = sum(
            _same(convert(each.data, source=form, target=form, policy=LENIENT).output, each.data) for each in found
        )
        row: list[object] = [f"`{form}`", len(found), same]
        row += [
            "" if form == target else sum(_is_whole(each.data, form, target) for each in found) for target in others
        ]
        rows.append(tuple(row))
    yield _table(("API", "documents", "the same again", *(f"whole in `{form}`" for form in others)), rows)


def _is_whole(data: bytes, source: str, target: str) -> bool:
    result = convert(data, source=source, target=target, policy=LENIENT)
    return all(loss.loss_class == "bookkeeping" for loss in result.losses if loss.severity != "layout")


CLIENTS = {
    "anthropic": ("anthropic",),
    "bedrock-converse": ("botocore",),
    "openai": ("openai", "`openai`, Chat Completions"),
    "gemini": ("google-genai",),
    "openai-responses": ("openai", "`openai`, Responses"),
}
"""The distributions of the official clients, and what they are called where one is for two APIs."""


def _types() -> Iterator[str]:
    yield TYPED
    documents = [(form, each.data) for form, folder in FOLDERS.items() for each in recorded(folder)]
    documents += [(case.format, case.data) for case in corpus_cases()]
    rows: list[tuple[object, ...]] = []
    for target, (distribution, *name) in CLIENTS.items():
        written = [
            found for form, data in documents if form != target and (found := _faults(data, form, target)) is not None
        ]
        reasons = Counter(why for found in written for why in {reason(fault) or fault for fault in found})
        differ = ", ".join(f"{why} {count:,}" for why, count in sorted(reasons.items()))
        shown = f"{name[0] if name else f'`{distribution}`'} {version(distribution)}"
        rows.append((shown, len(written), sum(not found for found in written), differ))
    yield _table(("client", "documents", "of its types", "what differs has"), rows)


def _faults(data: bytes, source: str, target: str) -> list[str] | None:
    """What is not of the types of a client; None for what cannot be read."""
    try:
        return faults(target, convert(data, source=source, target=target, policy=LENIENT).output)
    except BridgeError:
        return None


# --- templates --------------------------------------------------------------------------------------------------------


def _templates() -> Iterator[str]:
    yield TEMPLATED
    rows: list[tuple[object, ...]] = []
    for profile, families in TEMPLATES.items():
        for family in families:
            found = cases(family)
            different = [case["name"] for case in found if made(case, profile).output != case["prompt"]]
            rows.append((f"`{profile}`", family, len(found) - len(different), len(found), ", ".join(different)))
    yield _table(("profile", "template of", "the same", "of", "differs"), rows)


# --- Harmony ----------------------------------------------------------------------------------------------------------


def _official() -> Iterator[str]:
    from adapters.test_harmony_official import DEVIATIONS
    from ocml_adapters.harmony.official import compare

    yield OFFICIAL
    files: dict[str, Counter[str]] = {}
    for case in corpus_cases():
        if case.format == "harmony" and _is_text(case.data):
            verdicts = files.setdefault(_file_of(case), Counter())
            try:
                verdicts.update(str(each.verdict) for each in compare(case.data.decode()))
            except BridgeError as error:
                verdicts[f"`{error.code}`"] += 1
    known = ("same", "differs", "only-ours", "only-theirs", "refused")
    rows: list[tuple[object, ...]] = [
        (f"`{name}`", *(each[verdict] or "" for verdict in known)) for name, each in files.items()
    ]
    yield _table(("file", *known), rows)
    yield DIFFERENT
    yield "".join(f"* {deviation.name}\n" for deviation in DEVIATIONS)


if __name__ == "__main__":
    text = page()
    if "--write" in sys.argv[1:]:
        PAGE.write_text(text, "utf-8")
    else:
        print(text)
