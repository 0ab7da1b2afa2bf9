"""Check the laws of spans (docs/spans.md): they cover the output, and match the contents at their paths."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from .. import registry
from ..chat.turns import is_call
from ..convert import write
from ..errors import BridgeError
from ..events import Answer, Delta
from ..formats.adapter import DEFAULT, Adapter, Options
from ..model import Document, Message, Text, Transcript
from ..report.policy import LENIENT
from ..report.result import Result
from ..spans import SpanKind
from ..spans.frames import FrameMarks
from ..stream import replay
from ..text.control import BREAK

Unescape = Callable[[str], str]
"""Undoes the escape of a format."""


def spans_hold(
    document: Document, target: str | Adapter, options: Options = DEFAULT, *, unescape: Unescape = str
) -> None:
    """Check laws 9a to 9e on the spans of one document in one format.

    Args:
        document: any document.
        target: a format id, or an adapter; nothing is checked if its outputs are neither text nor token ids.
        options: how to write.
        unescape: undoes the escape of the format, if it has one.
    """
    adapter = registry.adapter(target)[0]
    if adapter.frame_marks is None:
        return
    try:
        without = write(document, target, options=options, policy=LENIENT)
    except BridgeError:
        return
    result = write(document, target, options=options, policy=LENIENT, spans=True)
    assert (result.data, result.losses) == (without.data, without.losses), "the output is another with spans"
    plain = replace(options, plans=not options.plans)
    other = write(document, target, options=plain, policy=LENIENT, spans=True)
    assert result.spans == other.spans, f"spans differ without plans: {_differing(result.spans, other.spans)}"
    tiles(result)
    samples_answers(result)
    if isinstance(result.output, str):
        ends_its_frames(result, result.output, adapter.frame_marks)
        says_its_contents(result, result.output, unescape)
        arrives_in_them(result, adapter, options)


def _differing(first: Any, second: Any) -> Any:
    return next(((a, b) for a, b in zip(first, second, strict=False) if a != b), (len(first), len(second)))


def arrives_in_them(result: Result, adapter: Adapter, options: Options) -> None:
    """Law 9d: what a stream writes for a delta of a message is not in a span of a later message.

    It may be in spans of earlier messages, whose end had to wait. Documents for which the stream writes another text
    are not checked: those with declared tools, which a stream knows only at its end, and those with moved replies.
    """
    make, document = adapter.encoders.get(adapter.id), result.document
    if make is None or not isinstance(document, Transcript) or result.order is not None:
        return
    encoder, pieces = make(Answer(), options), list[tuple[int, str]]()
    try:
        for event in replay(document):
            text = b"".join(encoder.encode([event])).decode()
            pieces.append((event.number if isinstance(event, Delta) else -1, text))
    except BridgeError:
        return
    pieces.append((-1, b"".join(encoder.finish()).decode()))
    if "".join(text for _, text in pieces) != result.output:
        return
    spans, at = iter(result.spans or ()), 0
    span = next(spans, None)
    for number, text in pieces:
        end = at + len(text)
        while span is not None and span.start < end:
            assert number < 0 or _index(span.path) <= number, f"the text of message {number} is in {span}"
            if span.end > end:
                break
            span = next(spans, None)
        at = end


def _index(path: str) -> int:
    """Return the index of a path's message, or -1 if there is none."""
    steps = path.split("/")
    return int(steps[2]) if steps[1:2] == ["messages"] else -1


def tiles(result: Result) -> None:
    """Law 9a: spans have no gaps and no overlaps, none is empty, and the last ends where the output ends."""
    at = 0
    for span in result.spans or ():
        assert span.start == at < span.end, f"{span} does not begin at {at}, or is empty"
        at = span.end
    output: Any = result.output
    assert at == len(output), f"spans end at {at} of {len(output)}"


def ends_its_frames(result: Result, text: str, marks: FrameMarks) -> None:
    """Law 9g: the end of a frame has one of the tokens of the marks, if another frame or a gap follows."""
    spans = result.spans or ()
    for span, following in pairwise(spans):
        if span.kind is not SpanKind.END or following.kind is SpanKind.END:
            continue
        end, after = text[span.start : span.end], text[following.start : following.end]
        begins = following.kind is SpanKind.HEADER and after.startswith(marks.starts)
        if (following.kind is SpanKind.GAP or begins) and not any(
            token in end for token in (*marks.ends, *marks.closes)
        ):
            raise AssertionError(
                f"{end!r} ends a message before another frame, and is none of the ends of frame_marks; "
                "add the token to FrameMarks.ends"
            )


def samples_answers(result: Result) -> None:
    """Law 9g: the text of an assistant's message is sampled, and no other message's is."""
    document = result.document
    if not isinstance(document, Transcript):
        return
    for span in result.spans or ():
        if span.kind is SpanKind.BODY and (at := _index(span.path)) >= 0:
            is_answer = document.messages[at].role == "assistant"
            assert span.sampled == is_answer, (
                f"{span} of the {document.messages[at].role} is {'' if span.sampled else 'not '}sampled; "
                "FrameMarks.prompt has to match what follows the start token in a frame of the model, and in no other"
            )


def prompt_is_sampled_behind(target: str | Adapter, options: Options = DEFAULT) -> None:
    """Law 9g: the first text that is sampled in an answer follows the prompt: the output that ends with the open turn.

    Args:
        target: a format id, or an adapter; nothing is checked if it has no text for the open turn.
        options: how to write.
    """
    adapter, question = registry.adapter(target)[0], Message("user", "Why?")
    answer = Message("assistant", "Because.", channel="final")
    with_open_turn = Transcript((question,), open_turn=Message("assistant", "", end=None))
    prompt = write(with_open_turn, target, options=options, policy=LENIENT)
    image = prompt.image
    if adapter.frame_marks is None or not isinstance(image, Transcript) or image.open_turn is None:
        return
    result = write(Transcript((question, answer)), target, options=options, policy=LENIENT, spans=True)
    if not isinstance(prompt.output, str) or not isinstance(result.output, str):
        return
    if not result.output.startswith(prompt.output):
        return
    sampled = next((span.start for span in result.spans or () if span.sampled), None)
    assert sampled == len(prompt.output), (
        f"the prompt {prompt.output!r} ends at {len(prompt.output)}, and the first sampled text begins at {sampled} of "
        f"{result.output!r}; FrameMarks.prompt has to match exactly what is between the start token "
        "and the end of the prompt"
    )


def says_its_contents(result: Result, text: str, unescape: Unescape) -> None:
    """Law 9b: the spans of a content, joined and unescaped, are the content in the image."""
    bodies = defaultdict[str, str](str)
    for span in result.spans or ():
        if span.kind is SpanKind.BODY:
            bodies[span.path] += text[span.start : span.end]
    image = result.image
    if not isinstance(image, Transcript) or not isinstance(result.document, Transcript):
        return
    source = result.document.messages
    for index, message in zip(result.origins, image.messages, strict=False):
        for path, wanted in _contents(index, source[index], message):
            raw = bodies.get(path)
            if raw is None:
                is_blank = not any(text.strip() for text in wanted) or (is_call(message) and wanted[0] in _NO_ARGUMENTS)
                assert is_blank, f"no span says {path}: {wanted[0]!r}"
            elif not any(_matches(raw, content, unescape, call=is_call(message)) for content in wanted):
                raise AssertionError(f"{path} is {wanted[0]!r}, its spans say {raw!r}")


def _contents(index: int, source: Message, image: Message) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the path of each text of a message, and the texts that are accepted for it.

    For a content that is one text, these are the text of the image and the text of the document: the image may have
    lost white space at its ends.
    """
    path = f"/messages/{index}/content"
    if isinstance(source.content, str) and isinstance(image.content, str):
        yield path, (image.content, source.content)
    elif source.content == image.content:
        for number, part in enumerate(source.content):
            if isinstance(part, Text):
                yield f"{path}/{number}/text", (part.text,)


_NO_ARGUMENTS: Final = ("", "{}", "null")
"""Arguments for which formats that do not write arguments as JSON may write nothing."""


def _matches(raw: str, content: str, unescape: Unescape, *, call: bool) -> bool:
    """Return whether the text of spans is a content: as it is, unescaped, or as JSON.

    Characters that break tokens, and white space at the ends, are ignored. Arguments of calls that a format does not
    write as JSON are not compared.
    """
    value = _json(raw)
    readings = raw, unescape(raw), *((value,) if isinstance(value, str) else ())
    bare = content.replace(BREAK, "").strip()
    if any(reading == content or reading.replace(BREAK, "").strip() == bare for reading in readings):
        return True
    return value == _json(content) if value is not None else call


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
