"""The frames of a text (§6, §15): where each begins and ends; what they say is for `header` and `body`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ocml_bridge.errors import BridgeError, ErrorCode

from .body import is_escaped
from .syntax import CHANNEL, CONSTRAIN, END, END_LITERAL, ENDINGS, LITERAL, MESSAGE, START, TOKEN


@dataclass(slots=True)
class Frame:
    """One frame as it stands in the text.

    Attributes:
        gap: the text between the frame before and this one.
        header: between `<|start|>` and `<|message|>`.
        body: between `<|message|>` and the terminator; None where the text ends inside the header.
        end: the terminator as it stands, with an `<|end|>` that follows `<|call|>` or `<|return|>`; "" where cut off.
        stray: control tokens that stand in the body unescaped.
        offset: of `<|start|>`, in characters.
    """

    gap: str
    header: str
    body: str | None
    end: str
    stray: tuple[str, ...]
    offset: int


def frames(text: str, at: int) -> Iterator[Frame | str]:
    """The frames from offset `at` on, and last the text behind them.

    Raises:
        BridgeError: E-PARSE-HEADER for a header without `<|message|>` and for an unescaped `<|start|>` in a body.
    """
    pieces = TOKEN.split(text[at:])
    count, index, gap = len(pieces), 1, [pieces[0]]
    offset = at + len(pieces[0])
    while index < count:
        token = pieces[index]
        if token != START:
            gap += pieces[index : index + 2]
            offset += len(token) + len(pieces[index + 1])
            index += 2
            continue
        frame, after = _frame(pieces, index, offset, "".join(gap))
        yield frame
        offset += sum(map(len, pieces[index:after]))
        index, gap = after, []
        if index < count and frame.end:
            gap = [pieces[index]]
            offset += len(pieces[index])
            index += 1
    yield "".join(gap)


def _frame(pieces: list[str], index: int, offset: int, gap: str) -> tuple[Frame, int]:
    """One frame, and the index of the piece behind its terminator."""
    count = len(pieces)
    at = index + 1
    header = [pieces[at]]
    at += 1
    while at < count and pieces[at] != MESSAGE:
        if pieces[at] not in (CHANNEL, CONSTRAIN):
            raise BridgeError(
                ErrorCode.PARSE_HEADER, f"{pieces[at]} stands in a header, before its {MESSAGE}", offset=offset
            )
        header += pieces[at : at + 2]
        at += 2
    if at >= count:
        return Frame(gap, "".join(header), None, "", (), offset), count
    end, stray = _body_end(pieces, at + 2, offset)
    body = "".join(pieces[at + 1 : end])
    if end >= count:
        return Frame(gap, "".join(header), body, "", stray, offset), count
    terminator, after = pieces[end], end + 1
    # `<|call|><|end|>` and `<|return|><|end|>` are one terminator (reading 15).
    if terminator != END and after + 1 < count and pieces[after] == "" and pieces[after + 1] == END:
        return Frame(gap, "".join(header), body, terminator + END, stray, offset), after + 2
    return Frame(gap, "".join(header), body, terminator, stray, offset), after


def _body_end(pieces: list[str], at: int, offset: int) -> tuple[int, tuple[str, ...]]:
    """The index of the token that ends a body, literal blocks skipped, and the tokens passed that should be escaped."""
    stray: list[str] = []
    while at < len(pieces):
        token = pieces[at]
        if token in ENDINGS:
            break
        at += 2
        if token == LITERAL:
            while at < len(pieces) and not pieces[at].endswith(END_LITERAL):
                at += 2
            at += 2
        elif token == START:
            raise BridgeError(
                ErrorCode.PARSE_HEADER,
                f"{START} stands in a body; the message before it has no end, or the token should be written <{START}",
                offset=offset,
            )
        elif not is_escaped(token):
            stray.append(token)
    return min(at, len(pieces)), tuple(stray)
