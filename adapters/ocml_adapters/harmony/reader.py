"""Read scanned frames as messages, and report as findings what had to be mended.

`frames.py` finds the frames; `header.py`, `recover.py` and `header_by_tools.py` read their headers; `body.py` reads
their bodies. Batch reading and streams share this reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final, cast

from ocml_bridge.chat.turns import continues, infer_grouping, is_call
from ocml_bridge.formats.adapter import Options, Source
from ocml_bridge.formats.boundary import cut_text, several
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Message, Transcript
from ocml_bridge.units.heads import item_of

from .around import LINE_END, is_edge, split_tail, with_extracted_tools
from .body import read_body
from .frames import Frame, Scan, begins, boundaries, pieces_of, scanned
from .header import TOOL_NAME, Fields, build_message, in_words, is_call_to_tool, is_own_spelling, regular, short
from .header_by_tools import KINDS, Header, begun_channel, ends_with, fields_in, read_header, uncalled
from .recover import is_only_header, is_unfinished_header, split_body, unheaded
from .stripped import read_stripped
from .syntax import (
    ASSISTANT,
    CHANNELS,
    CONSTRAIN,
    CONTROL,
    END_OF_TEXT,
    ENDS,
    HOME,
    ROLES,
    SPECIALS,
    START,
    STOPS,
    TOOL,
)


def split(source: Source, options: Options) -> list[tuple[int, str]]:
    """Split a text into its conversations; return each with its offset."""
    text = cast("str", source)
    pieces = pieces_of(text)
    ends = [0, *accumulate(map(len, pieces))]
    found = boundaries(scanned(pieces)[0])
    return cut_text(text, [ends[frame.at] - len(frame.before) + at for frame, at in found])


# --- from frames to messages ------------------------------------------------------------------------------------------

_UNMARKED: Final = "<|message|> is missing: the header runs into the body"
_STRIPPED: Final = "the control tokens are missing: messages are recognised by their words"
_CALL, _RETURN = ENDS["call"], ENDS["return"]
_NO_ARGUMENTS: Final = frozenset({"", *KINDS})


class FrameReader:
    """Reads frames as messages, one after the other.

    Args:
        log: receives the findings.
        restore: whether to restore broken tokens in bodies: True for text, False for token ids.

    Attributes:
        messages: the messages so far; declared tools are still in the developer message.
        open_turn: the open turn, if the last frame is a header without a message.
        over: whether `<|endoftext|>` at the end of the last body is that token: always in text; in a stream of token
            ids, only if its own id came.
    """

    def __init__(self, log: Log, *, restore: bool) -> None:
        self._log = log
        self._restore = restore
        self.messages: list[Message] = []
        self.open_turn: Message | None = None
        self.over = restore
        self._index = 0
        """The index of the next message in the document."""
        self._before: Frame | None = None
        self._layout: dict[str, Any] = {}
        self._extras: dict[str, Any] = {}
        self._pending: dict[str, Any] = {}
        """Text outside of messages, as extras of the next message."""
        self._opens = False
        """Whether findings concern the open turn."""

    def spelling(self, frame: Frame) -> dict[str, Any]:
        """Return more layout of a frame that has a `<|message|>`."""
        return {}

    def _note(self, code: FindingCode, detail: str, severity: Severity = Severity.CHANGED) -> None:
        """Report a finding about the next message, or about the open turn."""
        self._log.find(code, "/open_turn" if self._opens else f"/messages/{self._index}", detail, severity)

    def resume(self, index: int, before: Frame | None) -> None:
        """Continue after messages that were read without this reader.

        Args:
            index: the index of the next message.
            before: the frame before it; None if there is none.
        """
        self._index, self._before = index, before

    def frame(self, frame: Frame) -> None:
        """Read the next frame; add its message to `messages`, or set the open turn.

        Raises:
            BridgeError: OCB-SEVERAL if the frame begins another conversation.
        """
        self.see(frame)
        self._before = frame
        first = self._index == 0
        if first and not frame.opened:
            self._layout["prompted"] = True
        if self.ends_text(frame):
            self._note(FindingCode.END_MISSING, f"the message ends with {END_OF_TEXT} instead of its end token")
            frame.body, frame.middle = (frame.body or "").removesuffix(END_OF_TEXT), -1
            frame.stop = ends_with(fields_in(frame, prompted=first and not frame.opened))
        if first and is_edge(frame.before):
            self._layout["front"], frame.before = frame.before, ""
        if frame.body is None and not frame.follows:
            self._open_frame(frame)
            return
        header, body = frame.header, frame.body
        if frame.unmarked:
            self._note(FindingCode.HEADER_RECOVERED, _UNMARKED)
        if body is None:
            if self._unheaded(frame):
                return
            header, body = split_body(frame.header, opened=frame.opened)
            argued = frame.stop == _CALL and body.strip() not in _NO_ARGUMENTS
            if not argued and self._breaks_off(header, body, frame):
                return
            if body or frame.stop:
                self._note(FindingCode.HEADER_RECOVERED, _UNMARKED)
            elif not header.strip() or header in ROLES:
                detail = f"{START}{header} has no message after it"
                self._log.find(FindingCode.STRAY_TOKEN, "", detail, Severity.LAYOUT)
                if frame.before:
                    self._outside(frame.before, self._extras)
                return
        fields, layout, extras = self._header(header, frame, prompted=first and not frame.opened)
        if frame.before:
            self._outside(frame.before, extras)
        self._add(self._message(frame, fields, body, layout, extras))

    def ends_text(self, frame: Frame) -> bool:
        """Return whether the last frame has no end token, but ends with the token that ends the whole text."""
        if frame.stop or frame.follows or frame.body is None:
            return False
        return self.over and frame.body.endswith(END_OF_TEXT)

    def see(self, frame: Frame) -> None:
        """Check that the next frame continues the conversation, and give it the channel of a header before it.

        Raises:
            BridgeError: OCB-SEVERAL if it begins another one.
        """
        if begins(self._before, frame) is not None:
            raise several()
        frame.channel = begun_channel(self._before, frame)

    def _breaks_off(self, header: str, body: str, frame: Frame) -> bool:
        """Treat a frame that is cut off in the header of a call as text outside of messages: no tool is called.

        Return False for any other frame, which is a message. If a body begins in its header, the frame is marked as
        `unmarked`: then a call becomes a thought (`uncalled`).
        """
        if body.strip() not in _NO_ARGUMENTS and not header.endswith(CONSTRAIN):
            frame.unmarked = True
            return False
        if not is_call_to_tool(read_header(header, frame).fields):
            return False
        detail = f"the header {short(header)} is cut off: no tool is called"
        self._log.find(FindingCode.HEADER_RECOVERED, "", detail)
        self._outside(frame.before + (START if frame.opened else "") + frame.header + frame.stop, self._pending)
        return True

    def _unheaded(self, frame: Frame) -> bool:
        """Read a frame without a header as text of the assistant; return False if it has a header.

        Words of a header between frames are text outside of messages. If the frame ends the answer, its text is the
        answer. Else more frames of the answer follow, and its text is a thought, on the channel `analysis`.
        """
        text = unheaded(frame.header, opened=frame.opened)
        if text is None:
            return False
        if self._index > 0 and not frame.opened and is_only_header(text):
            self._outside(text + frame.stop, self._pending)
            return True
        if frame.before:
            self._outside(frame.before, self._pending)
        stripped = read_stripped(text)
        self._note(FindingCode.HEADER_RECOVERED, _UNMARKED if stripped is None else _STRIPPED)
        if stripped is not None:
            for message in stripped:
                self._add(message)
            return True
        ends = frame.stop == _RETURN or not (frame.stop or frame.follows)
        fields = Fields(ASSISTANT, channel=None if ends else "analysis")
        self._add(self._message(frame, fields, text, {}, {}))
        return True

    def _add(self, message: Message) -> None:
        message.continues = self.joins(message)
        self.messages.append(message)
        self._index += 1

    def joins(self, message: Message) -> bool:
        """Return whether a message continues the turn of the last message, if it is the next one."""
        return bool(self.messages) and continues(self.messages[-1], message)

    def _header(self, raw: str, frame: Frame, *, prompted: bool) -> tuple[Fields, dict[str, Any], dict[str, Any]]:
        layout: dict[str, Any] = {}
        extras: dict[str, Any] = {}
        header = read_header(raw, frame, prompted=prompted)
        fields = header.fields
        if not header.is_regular:
            self._note_header(header, frame, extras)
        elif (frame.middle >= 0 or self._opens) and is_own_spelling(raw, fields, prompted=prompted):
            layout["header"] = raw
        if frame.unmarked and is_call_to_tool(fields):
            extras["header"], fields = raw, uncalled(fields)
        if fields.role == TOOL and fields.recipient is None:
            self._note(FindingCode.HEADER_RECOVERED, "the tool's reply has no to=assistant", Severity.LAYOUT)
        if fields.channel is not None and fields.channel not in CHANNELS:
            self._note(FindingCode.UNKNOWN_CHANNEL, f"Harmony has no channel {short(fields.channel)}", Severity.LAYOUT)
        return fields, layout, extras

    def _note_header(self, header: Header, frame: Frame, extras: dict[str, Any]) -> None:
        fields, raw = header.fields, header.raw
        if header.outside:
            self._outside(header.outside, extras)
        if fields.role != ASSISTANT and not frame.opened:
            self._layout.pop("prompted", None)
        if header.unplaced:
            extras["header"] = header.unplaced
        if frame.body is not None or raw:
            self._note(FindingCode.HEADER_RECOVERED, f"the header {short(raw)} is read as {in_words(fields)}")
        if fields.role == TOOL and fields.name is not None and TOOL_NAME.fullmatch(fields.name) is None:
            self._note(FindingCode.UNKNOWN_ROLE, f"{short(fields.name)} is read as the name of a tool", Severity.LAYOUT)

    def _message(
        self, frame: Frame, fields: Fields, body: str, layout: dict[str, Any], extras: dict[str, Any]
    ) -> Message:
        end = STOPS.get(frame.stop)
        if self._pending:
            extras["before"] = self._pending.pop("before") + extras.get("before", "")
        mentions = {*frame.mentions, *(SPECIALS.plain.findall(body) if self._restore and "<|" in body else ())}
        if mentions:
            layout["mentions"] = sorted(mentions)
            tokens = ", ".join(layout["mentions"])
            self._note(FindingCode.STRAY_TOKEN, f"{tokens} in the body is read as text", Severity.LAYOUT)
        if frame.middle >= 0:
            layout.update(self.spelling(frame))
        if end is None and frame.follows:
            self._note(FindingCode.END_MISSING, "the end token is missing before the next message")
            end = "end"
        elif end is None:
            self._note(FindingCode.TRUNCATED, "the text ends inside the message")
        read = read_body(fields.role, CONTROL.restore(body) if self._restore else body)
        if read.plain:
            layout["plain"] = True
        if read.section is not None:
            layout["tools"] = read.section
        if read.opaque:
            self._note(
                FindingCode.TOOLS_OPAQUE, "the section of tool declarations is not understood; it is kept as text"
            )
        for name in read.unread:
            self._note(
                FindingCode.TOOLS_OPAQUE, f"the parameters of {short(name)} are not understood; they are kept as text"
            )
        message = build_message(fields, read.content, end, layout, extras)
        self._report_call(message)
        return message

    def _report_call(self, message: Message) -> None:
        if not is_call(message):
            return
        to_function = (message.recipient or "").startswith("functions.")
        if to_function and message.channel not in (None, "commentary"):
            self._note(
                FindingCode.CALL_CHANNEL,
                f"a call of a function should be on commentary, not on {message.channel}",
                Severity.LAYOUT,
            )
        if message.end in ("end", "return"):
            self._note(
                FindingCode.CALL_ENDING, f"a call should end with <|call|>, not with <|{message.end}|>", Severity.LAYOUT
            )

    def _open_frame(self, frame: Frame) -> None:
        """Read a header at the end of the text as the open turn, or as a message if a body begins in it."""
        if self._unheaded(frame):
            return
        raw = frame.header
        ending = LINE_END.search(raw)
        if ending is not None and ending.end() == len(raw):
            self._layout["line_end" if self._restore else "tail"] = ending[0]
            raw = raw[: ending.start()]
        if frame.before:
            self._outside(frame.before, self._extras)
        if frame.opened and raw in ROLES:
            self.open_turn = Message(raw, "", end=None)
            return
        prompted = not frame.opened and self._index == 0
        if regular(raw, prompted) is None:
            at = raw.rfind("<")
            raw, body = split_body(raw[:at] if at >= 0 and is_unfinished_header(raw[at:]) else raw, opened=frame.opened)
            if body and self._breaks_off(raw, body, frame):
                return
            if body:
                self._note(FindingCode.HEADER_RECOVERED, _UNMARKED)
                fields, layout, extras = self._header(raw, frame, prompted=prompted)
                self._add(self._message(frame, fields, body, layout, extras))
                return
        if not raw.strip():
            self._log.find(FindingCode.STRAY_TOKEN, "", f"{START} at the end has no message after it", Severity.LAYOUT)
            return
        self._log.find(FindingCode.TRUNCATED, "/open_turn", f"the text ends inside the header {short(raw)}")
        frame.body, self._opens = "", True
        fields, layout, extras = self._header(raw, frame, prompted=prompted)
        self.open_turn = build_message(fields, "", None, layout, extras)

    def _outside(self, text: str, extras: dict[str, Any]) -> None:
        """Add text between frames to extras and report it; white space is only reported."""
        path = "" if extras is self._extras or extras is self._pending else f"/messages/{self._index}"
        if text.strip():
            extras["before"] = extras.get("before", "") + text
            self._log.find(FindingCode.TEXT_OUTSIDE, path, f"there is text between messages: {short(text)}")
        else:
            detail = "there is white space between messages; it is left out"
            self._log.find(FindingCode.TEXT_OUTSIDE, path, detail, Severity.LAYOUT)

    def finish(self, found: Scan) -> Transcript:
        """Return the transcript, after all frames were read.

        Args:
            found: the rest of the source.
        """
        frameless = self._before is None and found.tail.strip()
        messages = self.frameless(found.tail) if frameless else self.messages
        around = Transcript() if frameless else self.around(found)
        return with_extracted_tools([*map(item_of, messages)], around).transcript

    def around(self, found: Scan) -> Transcript:
        """Return the transcript without its messages, after all frames were read.

        Args:
            found: the rest of the source.
        """
        if self._pending:
            self._extras["after"] = self._pending["before"]
        tail, line_end = split_tail(found.tail) if self._restore else (found.tail, "")
        if line_end:
            self._layout["line_end"] = line_end
        if LINE_END.fullmatch(tail) or is_edge(tail):
            self._layout["tail"] = tail
        elif tail.strip():
            self._extras["after"] = self._extras.get("after", "") + tail
            self._log.find(FindingCode.TEXT_OUTSIDE, "", f"there is text after the last message: {short(tail)}")
        elif tail:
            self._log.find(
                FindingCode.TEXT_OUTSIDE,
                "",
                "there is white space after the last message; it is left out",
                Severity.LAYOUT,
            )
        if found.strays:
            self._log.find(
                FindingCode.STRAY_TOKEN,
                "",
                f"{found.strays} stop tokens end no message; they are left out",
                Severity.LAYOUT,
            )
        return Transcript(
            open_turn=self.open_turn,
            layout={HOME: self._layout} if self._layout else None,
            extras={HOME: self._extras} if self._extras else None,
        )

    def frameless(self, text: str) -> Sequence[Message]:
        """Read a text without frames as an answer: one whose control tokens were left out, or plain text."""
        messages = read_stripped(text)
        if messages is not None:
            self._log.find(FindingCode.HEADER_RECOVERED, "", _STRIPPED)
            return infer_grouping(messages)
        self._log.find(
            FindingCode.TEXT_OUTSIDE, "", "the text has no control tokens; it is read as an answer of the assistant"
        )
        return [Message(ASSISTANT, CONTROL.restore(text) if self._restore else text)]
