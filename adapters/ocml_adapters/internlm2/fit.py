"""Document → image: what InternLM2-Chat can hold of it is text, calls, replies, and declared tools."""

from __future__ import annotations

from typing import Final

from ocml_bridge.adapter import Options
from ocml_bridge.fit import drop_message, narrow
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import Completion, Document, Message, Tool, Tools, Transcript, replace
from ocml_bridge.text.edges import kept_by
from ocml_bridge.text.plain import message
from ocml_bridge.turns import as_transcript, is_call, name_of, parts_of, recipient_of
from ocml_bridge.visibility import is_private

from .calls import constraint_of
from .image import image_of
from .syntax import ENVIRONMENT, HOME, PYTHON
from .tools import declares, normal, tools_of

TARGET: Final = "internlm2"


def fit(document: Document, options: Options, log: Log) -> Document:
    """The image of a document as InternLM2-Chat text."""
    if isinstance(document, Completion):
        document = as_transcript(document, log)
    drafts = _Drafts(document, log)
    opening = None
    if document.open_turn is not None:
        opening = replace(turn(document.open_turn, ""), channel=None, recipient=None, end=None, continues=False)
    draft = Transcript(
        tuple(drafts.messages),
        drafts.tools,
        open_turn=opening,
        layout=document.layout,
        extras=document.extras,
    )
    return image_of(draft, drafts.paths, options, log)


class _Drafts:
    """The messages of a document as the format has them, and the tools that they declare elsewhere than it can.

    Attributes:
        messages: all that have a place.
        paths: where each stands in the document.
        tools: the transcript's, with those that were moved to it.
    """

    def __init__(self, document: Transcript, log: Log) -> None:
        self._log = log
        self.messages: list[Message] = []
        self.paths: list[str] = []
        moved: list[Tool] = []
        declared = document.tools
        if not declared and "tools_at" not in kept_by(HOME, document.layout):
            declared = None
        leading = declared is None
        for index, source in enumerate(document.messages):
            if is_private(source):
                drop_message(log, index, f"{TARGET} has no place for private reasoning")
                continue
            path = f"/messages/{index}"
            made = declaring(source) if declares(source) and not leading else self._said(source, path, moved)
            if made is None:
                leading = False
                continue
            leading = leading and made.role == "system"
            made.layout, made.extras = source.layout, source.extras
            self.messages.append(made)
            self.paths.append(path)
        if moved:
            log.lose(LossCode.TOOLS_MOVED, "/tools", "tools of messages are declared apart", Severity.LAYOUT)
        tools = (*(declared or ()), *moved)
        self.tools = tuple(map(normal, tools)) if declared is not None or moved else None

    def _said(self, source: Message, path: str, moved: list[Tool]) -> Message | None:
        """A message without the tools in it, which go to the transcript's; None where it has nothing else."""
        declared = [part for part in parts_of(source.content) if isinstance(part, Tools)]
        if declared:
            moved += (tool for part in declared for tool in part.tools)
            alone = len(declared) == len(source.content)
            place = path if alone else f"{path}/content"
            self._log.lose(LossCode.TOOLS_MOVED, place, "its tools are declared apart from it", Severity.CHANGED)
            if alone:
                return None
        content = str(narrow(source.content, (), f"{path}/content", self._log, target=TARGET, hoisted=True))
        return turn(source, content)


def declaring(source: Message) -> Message:
    """A message of declared tools."""
    return Message("system", (Tools(tuple(map(normal, tools_of(source)))),))


def turn(source: Message, content: str) -> Message:
    """A message of text: a call, a reply, or what somebody says."""
    role = "tool" if source.role == ENVIRONMENT else source.role
    made = message(role, content, source.name, None if source.end is None else "end")
    made.continues = source.continues
    made.layout, made.extras = source.layout, source.extras
    return _called(made, source) if is_call(source) else made


def _called(made: Message, source: Message) -> Message:
    recipient = recipient_of(name_of(source.recipient or ""))
    code = recipient == PYTHON and source.constraint is None
    return replace(
        made,
        channel="commentary",
        recipient=recipient,
        constraint=None if code else constraint_of(str(made.content)),
        end=None if source.end is None else "call",
    )
