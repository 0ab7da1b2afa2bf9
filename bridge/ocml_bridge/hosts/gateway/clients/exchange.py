"""Handle every request in the same way: admit it, read it, watch the client, answer or refuse, and log it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

import orjson

from ...asgi import Receive, Scope, Send
from ..admission import Ticket
from ..api import CHAT, Api
from ..journal import Entry, fault
from ..problems import ApiError
from ..workers import LARGE, uncollected
from .client import Client, ClientLeftError, Watch
from .event_stream import EventStream

if TYPE_CHECKING:
    from ..gateway import Gateway

Made = TypeVar("Made")

MISTAKE: Final = ApiError(500, "internal_error", "the gateway failed; its log has the details")
STOPPING: Final = ApiError(503, "stopping", "the gateway is being stopped", headers={"retry-after": "5"})


class Call:
    """A request that is being answered.

    Attributes:
        gateway: the gateway.
        client: the client.
        caller: a name for the caller, different for each key.
        data: the body of the request, until it is converted.
        entry: its entry in the journal.
        api: its API.
    """

    def __init__(
        self,
        gateway: Gateway,
        client: Client,
        caller: str,
        data: bytes,
        entry: Entry,
        watch: Watch,
        ticket: Ticket,
        api: Api,
    ) -> None:
        self.api: Final = api
        self.gateway: Final = gateway
        self.client: Final = client
        self.caller: Final = caller
        self.data = data
        self.entry: Final = entry
        self._watch = watch
        self._ticket = ticket

    async def convert(self, work: Callable[[Self], Made]) -> Made:
        """Return the result of a function of the request, without blocking other answers if the request is large."""
        if len(self.data) < LARGE:
            return work(self)
        made = await asyncio.get_running_loop().run_in_executor(self.gateway.workers, uncollected, work, self)
        self.data = b""
        self._ticket.drop()
        return made

    async def answer(self, data: bytes, headers: dict[str, str] | None = None) -> None:
        """Send the whole answer, as JSON."""
        self._watch.release()
        await self.client.answer(200, data, {"content-type": "application/json"} | (headers or {}))

    def stream(self, headers: dict[str, str]) -> EventStream:
        """Begin a streamed answer."""
        service = self.gateway.service
        return EventStream(
            self.client,
            self._watch,
            headers,
            self.entry.begin,
            silence=service.keep_alive,
            patience=service.write_timeout,
        )


class Exchange:
    """An endpoint.

    Args:
        path: its path, for the journal.
        answer: answers a request.
        api: the API of its requests.
    """

    def __init__(self, path: str, answer: Callable[[Call], Awaitable[None]], api: Api = CHAT) -> None:
        self._path = path
        self._api = api
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        gateway: Gateway = scope["app"].state.gateway
        client, entry = Client(scope, receive, send), Entry(self._path, gateway.metrics)
        try:
            with gateway.ticket() as ticket:
                await self._serve(gateway, client, entry, ticket)
        except ApiError as problem:
            await refuse(client, problem, entry, self._api)
        except ClientLeftError:
            entry.write(499)
        except asyncio.CancelledError:
            # Only a server that has waited long enough for its requests cancels them; if it were raised again, it would
            # be logged as a bug.
            await refuse(client, STOPPING, entry, self._api)
        except Exception as error:
            fault(error)
            await refuse(client, MISTAKE, entry, self._api)

    async def _serve(self, gateway: Gateway, client: Client, entry: Entry, ticket: Ticket) -> None:
        service = gateway.service
        caller = gateway.caller(client.headers)
        data = await client.body(service.max_request, service.body_timeout, ticket.hold)
        async with client.watched() as watch:
            call = Call(gateway, client, caller, data, entry, watch, ticket, self._api)
            await self._answer(call)
        entry.write(200)


async def refuse(client: Client, problem: ApiError, entry: Entry, api: Api) -> None:
    """Send an error to a client: as a response, or as an event if its response has begun."""
    entry.write(problem.status, error=problem.code)
    if client.has_started:
        await client.piece(api.event(problem))
        await client.piece(b"", more=False)
    else:
        data = orjson.dumps(api.refusal(problem))
        await client.answer(problem.status, data, {"content-type": "application/json"} | problem.headers)


_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
"""An escape of JSON; the group is half of a surrogate pair, as clients write when they cut an emoji."""


def _whole_character(escape: re.Match[bytes]) -> bytes:
    return escape[0] if escape[1] is None else rb"\ufffd"


def parsed(data: bytes) -> dict[str, Any]:
    """Return a request's body, with U+FFFD for each half of a surrogate pair.

    Raises:
        ApiError: if it is not a JSON object.
    """
    try:
        body = orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            body = orjson.loads(_ESCAPE.sub(_whole_character, data))
        except orjson.JSONDecodeError as error:
            raise ApiError(400, "invalid_json", f"the body is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise ApiError(400, "invalid_body", "the body is not a JSON object")
    return body  # pyright: ignore[reportUnknownVariableType]
