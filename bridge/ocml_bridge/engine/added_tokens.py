"""Added tokens (`Options.special_tokens`) in whole texts: broken behind the writer, and mended before the reader.

So they are told once for all text formats, and whatever writes them is seen: contents that are joined, escapes that are
resolved, names, tool declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..errors import BridgeError, ErrorCode
from ..formats.adapter import Adapter, AddedTokens, Options, Source
from ..loss import Loss, LossCode, Severity
from ..model import Document
from ..model.diff import diff
from ..text.added_tokens import Breaker, Edit, Passage


def added_to(adapter: Adapter, options: Options) -> AddedTokens | None:
    """The added tokens that concern a format; None where there are none."""
    if adapter.added_tokens is None or not (options.special_tokens or options.format_options):
        return None
    added = adapter.added_tokens(options)
    return added if added.tokens else None


def restored(adapter: Adapter, source: Source, options: Options) -> Source:
    """A source as it was before its added tokens were broken."""
    added = added_to(adapter, options)
    return source if added is None or not isinstance(source, str) else _through(added, Breaker.restore, source)


ReadText = Callable[[str], Document]
"""Reads a text in a format, by somebody who is not told of the added tokens."""


def guarded(
    adapter: Adapter, output: Source, image: Document, options: Options, read: ReadText
) -> tuple[Source, list[Loss]]:
    """An output in which no content makes an added token, and what that changes, by its place in the image.

    Whether it is to be refused is for the caller, who knows the places in the document.

    Args:
        adapter: the format.
        output: what was written.
        image: what it reads as.
        options: with the tokens.
        read: reads the format.

    Raises:
        BridgeError: OCB-OPTION where the format itself writes one.
    """
    added = added_to(adapter, options)
    if added is None or not isinstance(output, str):
        return output, []
    safe = _through(added, Breaker.neutralise, output)
    if safe == output:
        return output, []
    if options.control_tokens == "raw":
        return output, [WRITTEN_RAW]
    return safe, broken_places(adapter, image, safe, read)


def refused(losses: Sequence[Loss]) -> BridgeError:
    """The error of the policy `refuse`; for the caller to raise."""
    message = "the content holds a special token of --special-tokens; to break it up, use --control-tokens neutralise"
    return BridgeError(ErrorCode.CONTROL_TOKEN, message, path=losses[0].path)


WRITTEN_RAW = Loss(
    LossCode.CONTROL_TOKEN,
    Severity.CHANGED,
    "",
    "a special token in the content is written as it is, and may be read as a token",
)


def broken_places(adapter: Adapter, image: Document, text: str, read: ReadText) -> list[Loss]:
    """What a reader that is not told of the added tokens sees changed, by its place in the image.

    Args:
        adapter: the format.
        image: what the text would read as with the tokens whole.
        text: with the tokens broken.
        read: reads the format.

    Raises:
        BridgeError: OCB-OPTION where it is more than text: the format itself writes such a token.
    """
    try:
        seen = read(text)
    except BridgeError as error:
        raise _own(adapter) from error
    places = [place.path for place in diff(image, seen)]
    if any(path.count("/") == 2 or path.rpartition("/")[2] in _HEADINGS for path in places if "/messages/" in path):
        raise _own(adapter)
    detail = "a special token in the content is broken up by U+200B"
    found = [path for path in places if "/layout" not in path] or [""]
    return [Loss(LossCode.CONTROL_TOKEN, Severity.CHANGED, path, detail) for path in found]


_HEADINGS = frozenset({"role", "channel", "end", "continues"})


def _own(adapter: Adapter) -> BridgeError:
    message = f"{adapter.id} writes one of the special tokens in its own headers; take it out of --special-tokens"
    return BridgeError(ErrorCode.OPTION, message)


def _through(added: AddedTokens, edit: Edit, text: str) -> str:
    passage = Passage(added, edit)
    return passage.feed(text) + passage.finish()
