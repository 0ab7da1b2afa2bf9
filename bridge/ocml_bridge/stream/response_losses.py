"""What a document has, and the client that reads one answer has not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ..chat.turns import is_call, parts_of
from ..chat.visibility import is_private
from ..loss import Log, Loss, LossCode, Severity
from ..model import Document, Foreign, Media, Message, Part, Transcript, replace
from ..report.narrowing import PART_CODES, drop_empty, drop_message
from ..report.report import report
from ..report.wording import kind_of
from ..units.arrange import arrival_losses


def losses_of(
    document: Document,
    image: Transcript,
    order: Sequence[int | None],
    joins: Mapping[int | None, int | None],
    *,
    target: str,
) -> list[Loss]:
    """Return the losses of a document of which a client reads the image.

    Args:
        document: the document.
        image: the document that the client reads.
        order: the index in the document for each message of the image; None for one that the document does not have.
            Messages that were joined are listed once; a message that is in several pieces is listed once for each.
        joins: the index of each message that is joined to another one, with the index of that one.
        target: the stream id.
    """
    log = Log()
    pieces = Counter(index for index in order if index is not None)
    places = [*pieces]
    if isinstance(document, Transcript):
        for index, message in enumerate(document.messages):
            if index in joins and index not in pieces:
                detail = f"{target} joins this message to message {joins[index]}"
                log.lose(LossCode.MESSAGE, f"/messages/{index}", detail, Severity.CHANGED)
            elif index not in pieces:
                leave_out(message, index, log, target)
            elif pieces[index] > 1:
                detail = f"{target} has this message in pieces, with others between them"
                log.lose(LossCode.ORDER, f"/messages/{index}", detail, Severity.CHANGED)
        log.losses += arrival_losses(places, target)
        image = replace(image, messages=_joined_pieces(image.messages, order))
        for index, message in zip(places, image.messages, strict=False):
            leave_out_parts(document.messages[index], message, f"/messages/{index}/content", log, target)
    report(document, image, log, target=target, order=places)
    return log.losses


def losses_of_unwritten(document: Document, *, target: str) -> list[Loss]:
    """Return the losses of a document of which nothing is written, because the answer is not complete.

    Args:
        document: the document.
        target: the stream id.
    """
    log = Log()
    for index in range(len(document.messages) if isinstance(document, Transcript) else 0):
        drop_message(log, index, f"{target} has complete answers only, so nothing is written of this one")
    report(document, Transcript(), log, target=target)
    return log.losses


def _joined_pieces(messages: Sequence[Message], order: Sequence[int | None]) -> tuple[Message, ...]:
    """Join the messages of an image that are pieces of one message; those that the document does not have come last.

    Args:
        messages: the messages of the image.
        order: the index of each in the document, as for `losses_of`.
    """
    out: dict[int, Message] = {}
    others: list[Message] = []
    for at, message in enumerate(messages):
        index = order[at] if at < len(order) else None
        if index is None:
            others.append(message)
        elif (first := out.setdefault(index, message)) is not message:
            texts = isinstance(first.content, str) and isinstance(message.content, str)
            pieces = (first.content, message.content)
            content = "".join(map(str, pieces)) if texts else tuple(part for each in pieces for part in parts_of(each))
            out[index] = replace(first, content=content)
    return (*out.values(), *others)


def leave_out(message: Message, index: int, log: Log, target: str) -> None:
    """Report a message of the document that the answer does not contain.

    Args:
        message: the message.
        index: its index in the document.
        log: receives the loss.
        target: the stream id.
    """
    is_reply = message.role == "tool"  # an empty one still answers its call
    if message.content == "" and not is_reply and not is_call(message) and not is_private(message):
        drop_empty(message, index, log, _why_left_out(message, target), target=target)
    else:
        drop_message(log, index, _why_left_out(message, target))


def leave_out_parts(message: Message, image: Message, path: str, log: Log, target: str) -> None:
    """Report the parts of a message that are no texts and of whose kind the answer has none.

    Args:
        message: the message of the document.
        image: the message that the client reads.
        path: the path of its content.
        log: receives the losses.
        target: the stream id.
    """
    kinds = set(map(_kind_of, parts_of(image.content)))
    for at, part in enumerate(parts_of(message.content)):
        if isinstance(part, (Media, Foreign)) and _kind_of(part) not in kinds:
            log.lose(PART_CODES[type(part)], f"{path}/{at}", f"{target} has no place for {kind_of(part)}")


def _kind_of(part: Part) -> str:
    return part.media if isinstance(part, Media) else kind_of(part)


def _why_left_out(message: Message, target: str) -> str:
    if message.role != "assistant":
        return f"{target} has no place for messages of other roles: it is one answer of the assistant"
    if is_call(message):
        return f"{target} has no place for a call of a tool that only another API has"
    if not message.content:
        return f"{target} has no place for a message without text"
    if is_private(message):
        return f"{target} leaves this message out: it is hidden from end users"
    return f"{target} has no place for anything in this message"
