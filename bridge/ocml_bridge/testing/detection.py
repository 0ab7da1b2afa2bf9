"""What an adapter's sniffer says: of documents of its format, and of what other formats write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from .. import registry
from ..convert import write
from ..errors import BridgeError, ErrorCode
from ..formats.adapter import Adapter, Kind, Source
from ..json_values import jsontext
from ..json_values.json_lines import loads_lines
from ..model import replace
from ..recognise import recognise
from ..report.policy import LENIENT
from .examples import SETTINGS, TOOLS
from .own_output import TALK

_CERTAIN: Final = 3
_NOT_INSTALLED: Final = (ErrorCode.DEPENDENCY, ErrorCode.VOCABULARY)


def recognises(adapter: str | Adapter, sample: bytes) -> None:
    """Detection finds a document of the format, at least as one that may be of it."""
    found, _ = registry.adapter(adapter)
    text = sample.decode()
    lines: list[Source] | None = None if found.kind is Kind.TEXT else loads_lines(text)
    sources = lines or [text if found.kind is Kind.TEXT else jsontext.loads(sample)]
    scores = [found.sniff(source) for source in sources]
    assert set(scores) <= set(range(_CERTAIN + 1)), f"{found.id}: sniff gives {scores} for a sample; it gives 0 to 3"
    assert any(scores) or (found.id in registry.BUILT_IN and _recognised_as(text) == found.id), (
        f"{found.id}: sniff gives 0 for a sample, which says that it is not of the format: {text!r}"
    )


def takes_no_other(adapter: str | Adapter) -> None:
    """Detection is not certain of what is certainly of another format."""
    found, _ = registry.adapter(adapter)
    for name in registry.BUILT_IN:
        other, _ = registry.adapter(name)
        if other.home == found.home or other.kind is not found.kind:
            continue
        for output in _outputs(other):
            if other.sniff(output) == _CERTAIN or _recognised_as(output) == name:
                score = found.sniff(output)
                assert score < _CERTAIN, f"{found.id}: sniff gives {score} for what is certainly {name}: {output!r}"


def _recognised_as(source: Source) -> str | None:
    known = recognise(source)
    return known.kind.format if known is not None and known.certain else None


def _outputs(adapter: Adapter) -> Iterator[Source]:
    """Yield outputs of a format, of messages alone and of a request; none if the format needs what is not installed."""
    for document in (TALK, replace(TALK, tools=TOOLS[-1], settings=SETTINGS[0])):
        try:
            yield write(document, adapter, policy=LENIENT).output
        except BridgeError as error:
            if error.code not in _NOT_INSTALLED:
                raise
