"""Citations of a text, both ways: what it rests on stands in objects of several layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ocml_bridge.blocks.grammar import added, more_of
from ocml_bridge.citations import Place
from ocml_bridge.form import Object
from ocml_bridge.model import Citation, Json, replace

from .syntax import HOME

_WORDS, _LOCATION, _WEB = "sourceContent", "location", "web"


def read_citations(value: Json) -> tuple[Citation, ...] | None:
    """The citations of a text; None where there is none, or one is not understood."""
    raws = cast("list[Json]", value) if isinstance(value, list) else []
    if not raws or not all(isinstance(raw, dict) for raw in raws):
        return None
    return tuple(_read(cast("Object", raw)) for raw in raws)


def _read(raw: Object) -> Citation:
    title, location = raw.get("title"), raw.get(_LOCATION)
    places = cast("Object", location) if isinstance(location, dict) else {}
    web = cast("Object", places[_WEB]) if isinstance(places.get(_WEB), dict) else {}
    citation = Citation(_text(web.get("url")), _text(title), _words(raw.get(_WORDS)))
    known = [key for key, member in (("title", citation.title), (_WORDS, citation.cited_text)) if member is not None]
    rest = more_of(raw, tuple(known))
    if citation.url is not None:
        rest.pop(_LOCATION)
        within = more_of(web, ("url",))
        if beside := {**more_of(places, (_WEB,)), **({_WEB: within} if within else {})}:
            rest[_LOCATION] = beside
    citation.extras = {HOME: rest} if rest else None
    return citation


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None


def _words(value: Json) -> str | None:
    """What a source says, where that is one text and nothing else."""
    blocks = cast("list[Json]", value) if isinstance(value, list) else []
    block = cast("Object", blocks[0]) if len(blocks) == 1 and isinstance(blocks[0], dict) else {}
    return _text(block["text"]) if list(block) == ["text"] else None


def write_citations(citations: Sequence[Citation]) -> list[Json]:
    """Citations as the API has them; those that it has no place for are left out."""
    return [written for one in citations if (written := _write(one))]


def _write(citation: Citation) -> Object:
    out: Object = {} if citation.title is None else {"title": citation.title}
    if citation.cited_text is not None:
        out[_WORDS] = [{"text": citation.cited_text}]
    rest: Object = dict((citation.extras or {}).get(HOME, {}))
    if citation.url is not None:
        given: Json = rest.pop(_LOCATION, None)
        beside = cast("Object", given) if isinstance(given, dict) else {}
        out[_LOCATION] = added({_WEB: added({"url": citation.url}, beside.get(_WEB))}, beside)
    return added(out, rest)


class _Sources:
    """How a text names its sources: all of it rests on each."""

    def nearest(self, citation: Citation, place: Place) -> Citation | None:
        """A citation as it is read again; None for one that there is no place for."""
        for given in (citation, replace(citation, extras=None)):
            found = read_citations([written]) if (written := _write(given)) else None
            if found is not None and write_citations(found) == [written]:
                return found[0]
        return None


SOURCES: Final = _Sources()
