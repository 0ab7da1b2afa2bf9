"""Plans change nothing but the time: what is written and read with them is what is written and read without."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from ..adapter import DEFAULT, Adapter, Options
from ..convert import convert, read, write
from ..errors import BridgeError
from ..model import Document, Transcript
from ..policy import LENIENT


def everything_written(document: Document, target: str | Adapter, options: Options) -> object:
    """What writing a document gives, or the error that it raises."""
    try:
        result = write(document, target, options=options, policy=LENIENT)
    except BridgeError as error:
        return str(error)
    return result.encode(), sorted(map(repr, result.losses)), result.order, result.characters, result.origins


def everything_read(data: bytes, source: str | Adapter, options: Options) -> object:
    """What reading a document gives, or the error that it raises."""
    try:
        reading = read(data, source, options=options)
    except BridgeError as error:
        return str(error)
    return reading.transcript, reading.findings


def everything_converted(data: bytes, source: str | Adapter, target: str | Adapter, options: Options) -> object:
    """What a conversion gives, or the error that it raises."""
    try:
        result = convert(data, source=source, target=target, options=options, policy=LENIENT)
    except BridgeError as error:
        return str(error)
    losses = sorted(map(repr, result.losses))
    return result.encode(), losses, result.order, result.characters, result.origins, result.transcript, result.findings


def like(document: Document) -> Document:
    """A document with the same messages as another but for what they say and for their ids."""
    if not isinstance(document, Transcript):
        return document
    ids: dict[str, str] = {}
    messages = [
        replace(
            message,
            content=f"Another text {at}" if message.content and isinstance(message.content, str) else message.content,
            call_id=ids.setdefault(message.call_id, f"another_{len(ids)}") if message.call_id else message.call_id,
        )
        for at, message in enumerate(document.messages)
    ]
    return replace(document, messages=tuple(messages))


def others_change_nothing(document: Document, source: str | Adapter, target: str | Adapter) -> None:
    """Convert a document behind others that are like it, and without plans.

    Args:
        document: any.
        source: the format that it is read in: a format id, or an adapter.
        target: the format that it is written in.
    """
    planned, plain = Options(force_format=True), Options(plans=False, force_format=True)
    try:
        data, other = (
            write(each, source, options=plain, policy=LENIENT).encode() for each in (document, like(document))
        )
    except BridgeError:
        return
    with suppress(BridgeError):
        for each in (other, other):
            convert(each, source=source, target=target, options=planned, policy=LENIENT)
    plainly = everything_converted(data, source, target, plain)
    assert everything_converted(data, source, target, planned) == plainly


def plans_change_nothing(document: Document, adapter: str | Adapter, options: Options = DEFAULT) -> None:
    """Write a document, and read what was written, with plans and without.

    Args:
        document: any.
        adapter: a format id, or an adapter.
        options: how to write and read.
    """
    planned, plain = replace(options, plans=True, force_format=True), replace(options, plans=False, force_format=True)
    assert everything_written(document, adapter, planned) == everything_written(document, adapter, plain)
    others_change_nothing(document, adapter, adapter)
    try:
        data = write(document, adapter, options=plain, policy=LENIENT).encode()
    except BridgeError:
        return
    assert everything_read(data, adapter, planned) == everything_read(data, adapter, plain)
