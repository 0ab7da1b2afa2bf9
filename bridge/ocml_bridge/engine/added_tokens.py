"""Breaks added tokens (`Options.special_tokens`) in the output of a writer, and restores them in front of a reader.

As this is done on whole texts, no adapter has to handle it, and no token is missed wherever it comes from: contents
that are joined, escapes that are resolved, names, tool declarations.
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
    """Return the added tokens that concern a format; None if there are none."""
    if adapter.added_tokens is None or not (options.special_tokens or options.format_options):
        return None
    added = adapter.added_tokens(options)
    return added if added.tokens else None


def restored(adapter: Adapter, source: Source, options: Options) -> Source:
    """Return a source as it was before its added tokens were broken."""
    added = added_to(adapter, options)
    return source if added is None or not isinstance(source, str) else _through(added, Breaker.restore, source)


ReadText = Callable[[str], Document]
"""A function that reads a text in a format and does not restore added tokens."""


def guarded(
    adapter: Adapter, output: Source, image: Document, options: Options, read: ReadText
) -> tuple[Source, list[Loss]]:
    """Return an output without added tokens in its contents, and the losses of it.

    The paths of the losses are those in the image. The caller renumbers them, and refuses the output if the options say
    so.

    Args:
        adapter: the format.
        output: what was written.
        image: what the output reads as.
        options: with the tokens.
        read: reads the format.

    Raises:
        BridgeError: OCB-OPTION if the format itself writes such a token.
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
    """Return the error of the policy `refuse`, for the caller to raise."""
    message = "the content holds a special token of --special-tokens; to break it up, use --control-tokens neutralise"
    return BridgeError(ErrorCode.CONTROL_TOKEN, message, path=losses[0].path)


WRITTEN_RAW = Loss(
    LossCode.CONTROL_TOKEN,
    Severity.CHANGED,
    "",
    "a special token in the content is written as it is, and may be read as a token",
)


def broken_places(adapter: Adapter, image: Document, text: str, read: ReadText) -> list[Loss]:
    """Return a loss for each place that a reader which does not restore added tokens reads differently.

    Args:
        adapter: the format.
        image: what the text would read as with the tokens whole; the paths of the losses are its.
        text: the text with the tokens broken.
        read: reads the format.

    Raises:
        BridgeError: OCB-OPTION if more than contents differ: the format itself writes such a token.
    """
    try:
        document = read(text)
    except BridgeError as error:
        raise _written_by_format(adapter) from error
    paths = [place.path for place in diff(image, document)]
    if any(path.count("/") == 2 or path.rpartition("/")[2] in _HEADER for path in paths if "/messages/" in path):
        raise _written_by_format(adapter)
    detail = "a special token in the content is broken up by U+200B"
    reported = [path for path in paths if "/layout" not in path] or [""]
    return [Loss(LossCode.CONTROL_TOKEN, Severity.CHANGED, path, detail) for path in reported]


_HEADER = frozenset({"role", "channel", "end", "continues"})
"""Fields of messages that follow from headers: added tokens in contents do not change them."""


def _written_by_format(adapter: Adapter) -> BridgeError:
    message = f"{adapter.id} writes one of the special tokens in its own headers; take it out of --special-tokens"
    return BridgeError(ErrorCode.OPTION, message)


def _through(added: AddedTokens, edit: Edit, text: str) -> str:
    passage = Passage(added, edit)
    return passage.feed(text) + passage.finish()
