"""Texts without messages: fill-in-the-middle and file sequences (§6, §7)."""

from __future__ import annotations

from ocml_bridge.adapter import Options
from ocml_bridge.fit import narrow
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Completion, Content, FileBreak, Infill, Json, Part
from ocml_bridge.text.edges import by_format, kept_by
from ocml_bridge.turns import content_of, parts_of

from .edges import Edges, around_body, asked, default_around, kept, recalled
from .scanner import scan
from .segments import Block, Call, Output, tidy
from .spelling import Guard, spell
from .syntax import HOME, START, TOKENS


def read_completion(edges: Edges, body: str, options: Options, log: Log) -> Completion:
    """Read what stands between the edges of a text without frames."""
    content, notes = _content(body)
    for code, detail in notes:
        log.find(code, "/content", detail)
    if not any(isinstance(part, (Infill, FileBreak)) for part in parts_of(content)):
        log.find(FindingCode.SHAPE, "", f"no {START} and nothing to fill in: it is taken for one text to be completed")
    return _with_layout(content, body, edges, options)


def _content(body: str) -> tuple[Content, list[tuple[FindingCode, str]]]:
    segments, notes = scan(body, "")
    parts: list[Part] = [part for part in segments if not isinstance(part, (Block, Call, Output))]
    return content_of(parts), notes


def _with_layout(content: Content, body: str, edges: Edges, options: Options) -> Completion:
    layout, extras = kept(edges, default_around(body, options))
    if body != _default(content, TOKENS.neutralise):
        layout["body"] = body
    return Completion(content, by_format(HOME, layout), by_format(HOME, extras))


def _default(content: Content, guard: Guard) -> str:
    return spell(parts_of(content), guard)


def fit_completion(completion: Completion, options: Options, log: Log) -> Completion | None:
    """The image of a completion; None for one without any text, which cannot be told from an empty conversation."""
    kept_back = Log()
    narrowed = narrow(completion.content, (Infill, FileBreak), "/content", kept_back, target=HOME)
    content = content_of(tidy(parts_of(narrowed)))
    body = _body(content, kept_of(completion), TOKENS.neutralise)
    if not body.strip():
        return None
    log.losses += kept_back.losses
    if body == _default(content, TOKENS.neutralise):
        for part in parts_of(content):
            spell((part,), lambda text: TOKENS.guard(text, options.control_tokens, "/content", log))
    return _with_layout(content, body, _edges(completion, body, options), options)


def kept_of(completion: Completion) -> dict[str, Json]:
    """What a completion remembers of its spelling."""
    return kept_by(HOME, completion.layout, completion.extras)


def _body(content: Content, kept: dict[str, Json], guard: Guard) -> str:
    """The text between the edges: as it is remembered where that still says the same, else as by default."""
    raw = kept.get("body")
    if isinstance(raw, str) and START not in raw and _content(raw)[0] == content:
        return raw
    return _default(content, guard)


def _edges(completion: Completion, body: str, options: Options) -> Edges:
    wanted = recalled(kept_of(completion), default_around(body, options))
    return around_body(asked(wanted, options), body, options)


def write_completion(completion: Completion, options: Options, guard: Guard) -> str:
    """The image of a completion as text."""
    body = _body(completion.content, kept_of(completion), guard)
    edges = _edges(completion, body, options)
    return edges.opening + body + edges.closing
