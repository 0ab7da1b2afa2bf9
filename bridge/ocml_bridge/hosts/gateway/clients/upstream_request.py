"""Parse a client's request, and make the completions request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from ....chat.tool_names import declared_in
from ....chat.turns import full_name, name_of, recipient_of
from ....chat.visibility import APPLICATION, REASONING, Visibility
from ....convert import read
from ....errors import BridgeError, ErrorCode
from ....formats.adapter import Options
from ....model import Document, Tool, Transcript
from ....profiles import Prompt
from ..answers.turn_memory import OwnMemory, restored
from ..api import CHAT, MESSAGES, Api
from ..problems import ApiError, of_request
from ..settings import Settings
from ..upstreams.drivers import Completion
from . import parameters
from .efforts import without_kwargs, without_thinking


@dataclass(frozen=True, slots=True)
class ClientRequest:
    """A parsed request of a client.

    Attributes:
        wanted: the completion to request.
        stop: strings that end the answer.
        visibility: what the client may see.
        prompt: the prompt, with the losses of the request; None once the losses are logged.
        tools: the names of the tools that the client declares.
        freeform: the names of those of them that take a text.
        legacy: whether the client declares its tools as `functions`, and expects a `function_call`.
    """

    wanted: Completion
    stop: Sequence[str]
    visibility: Visibility
    prompt: Prompt | None
    tools: frozenset[str] = frozenset()
    freeform: frozenset[str] = frozenset()
    legacy: bool = False

    @property
    def model(self) -> str:
        """Return the name of the model; "" if the client names none."""
        return self.wanted.model or ""

    @property
    def stream(self) -> bool:
        """Return whether the answer is streamed."""
        return self.wanted.stream


def understand(
    request: Any, settings: Settings, date: str, memory: OwnMemory | None = None, api: Api = CHAT
) -> ClientRequest:
    """Parse a request.

    Args:
        request: its body, parsed.
        settings: the settings of the gateway.
        date: the current date, as `YYYY-MM-DD`.
        memory: remembers the reasoning before calls; None to remember nothing.
        api: the API of the request.

    Raises:
        ApiError: if the request cannot be answered.
    """
    if not isinstance(request, dict):
        raise ApiError(400, "invalid_body", "the body is not a JSON object")
    body = cast("dict[str, Any]", request)
    if api is CHAT:
        body = without_kwargs(body)
    elif api is MESSAGES:
        body = without_thinking(body)
    given = api.read(body, settings.max_choices)
    try:
        visibility = _visibility(body, settings)
        dated = None if settings.profile is None else date
        options = Options(special_tokens=settings.special_tokens)
        reading = read(body, api.form, options=options)
        _check_choice(reading.transcript, body)
        if memory is not None and isinstance(reading.transcript, Transcript):
            reading = replace(reading, transcript=restored(reading.transcript, memory.recall))
    except BridgeError as error:
        raise of_request(error) from error
    try:
        made = settings.model.prompt(reading, date=dated, options=options, policy=settings.refusing)
    except BridgeError as error:
        raise of_request(error, _param(error.path, reading.transcript, api)) from error
    wanted = Completion(
        cast("str | list[int]", made.output),
        parameters.checked(body, "model", str, "a string"),
        given.stream,
        given.usage,
        given.count,
        given.limit,
        given.sampling,
        given.logprobs,
        settings.model.guide(made, strict=given.strict),
    )
    tools = _declared(reading.transcript)
    names = frozenset(map(full_name, tools))
    freeform = frozenset(full_name(tool) for tool in tools if tool.freeform is not None)
    return ClientRequest(wanted, given.stop, visibility, made, names, freeform, given.legacy)


def _param(path: str | None, request: Document, api: Api) -> str | None:
    """Return the part of a client's request for a path in its canonical form; None if there is no path."""
    kind, *place = (path or "").strip("/").split("/")
    match kind, place:
        case "messages", [index, *rest] if api is CHAT and isinstance(request, Transcript):
            begun = sum(not message.continues for message in request.messages[: int(index) + 1])
            return ".".join(["messages", str(begun - 1), *rest])
        case "messages", _:
            return api.conversation
        case "settings", [name, *_]:
            return name
        case "extras", [_, name, *_]:
            return name
        case _:
            return kind or None


def _check_choice(request: Document, body: dict[str, Any]) -> None:
    """Check that the tools that the model has to choose from are declared.

    Raises:
        ApiError: 400 if they are not.
    """
    settings = request.settings if isinstance(request, Transcript) else None
    if settings is None or settings.tool_choice is None:
        return
    choice, declared = settings.tool_choice, {recipient_of(full_name(tool)) for tool in _declared(request)}
    param = next((param for param in parameters.CHOICE if body.get(param) is not None), parameters.CHOICE[0])
    for name in choice.names:
        if name not in declared:
            raise parameters.wrong(param, f"names {name_of(name)[:100]!r}, which is not one of the tools")
    if choice.mode == "required" and not declared:
        raise parameters.wrong(param, "requires a call, but there are no tools")


def _declared(request: Document) -> list[Tool]:
    """Return the tools that a request declares."""
    return [tool for tool, _ in declared_in(request)] if isinstance(request, Transcript) else []


def _visibility(body: dict[str, Any], settings: Settings) -> Visibility:
    wanted = parameters.checked(body, "include_reasoning", bool, "true or false")
    if wanted is True and settings.reasoning is None:
        raise BridgeError(
            ErrorCode.PERM_VISIBILITY,
            "this gateway does not show private reasoning; its operator can allow it with --reasoning",
        )
    return APPLICATION if settings.reasoning is None or wanted is False else REASONING
