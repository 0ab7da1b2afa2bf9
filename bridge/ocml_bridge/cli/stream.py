"""Define `ocml-convert stream -f harmony -t openai-sse`, which converts a conversation as it arrives."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import click

from .. import registry
from ..errors import BridgeError, ErrorCode, ExitCode
from ..events import Answer, Decoder, Encoder, End, Event, Reason, Start, Stop, numbered
from ..formats.adapter import Options
from ..json_values import jsontext
from ..loss import Finding, FindingCode, Severity, is_lossless, without_message
from .byte_stream import Numbers, Utf8, chunks
from .conversion_command import ConversionCommand
from .convert import refuse_same_file
from .options import format_options
from .output import STANDARD, about, line_end, pour, read_bytes, say, shown, standard_input, warn, write_all
from .parameters import FILE, complete_profile
from .summary import summary

if TYPE_CHECKING:
    from ..chat.visibility import Visibility
    from ..profiles import Profile

_TOKENS: Final = "-tokens"
"""The ending of the ids of streams of token ids."""
_BROKEN: Final[dict[Reason | None, str]] = {
    "truncated": "the stream ended inside a message or before an answer, and no reason was given",
    "error": "what arrived cannot be read as a whole",
}
"""Messages for streams that ended for a bad reason."""


def _stream_option(*names: str, written: bool, text: str, required: bool = True) -> Callable[[Any], Any]:
    """Add an option whose value is the id of a stream."""

    def complete(_context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
        from ..pipe import streams

        return [name for name in streams()[written] if name.startswith(begun)]

    return click.option(*names, metavar="STREAM", required=required, shell_complete=complete, help=text)


@click.command(cls=ConversionCommand)
@click.argument("file", type=FILE, default=STANDARD, metavar="[FILE]")
@_stream_option(
    *("-f", "--from", "source"),
    written=False,
    required=False,
    text="Read this stream: the id of a format, or openai-sse. A --profile knows its own.",
)
@_stream_option(
    "-t", "--to", "target", written=True, text="Write this stream: the id of a format, openai-sse or ocm-2.2-events."
)
@click.option(
    "--prefix", metavar="TEXT", help="Read the stream as what follows this text: the prompt that the answer continues."
)
@click.option(
    "--prompted", is_flag=True, help="Read the stream as an answer: the format's generation prompt comes before it."
)
@click.option(
    "--profile",
    metavar="NAME",
    shell_complete=complete_profile,
    help="Read the stream as this model's answer to its prompt.",
)
@click.option(
    "--request",
    type=FILE,
    metavar="FILE",
    help="Read the request that is answered, which declares the tools, from FILE.",
)
@click.option(
    "--finish-reason",
    type=click.Choice(("stop", "length", "tool_calls", "content_filter")),
    help="Say why the engine stopped. Without it, a stream that ends inside a message is truncated.",
)
@click.option(
    "--show",
    metavar="NAME",
    multiple=True,
    help="Pass this on, although it is private: analysis, commentary, other or status.",
)
@click.option("--debug-view", is_flag=True, help="Confirm that --show may show what is private.")
@click.option(
    "--model",
    metavar="NAME",
    default="",
    help="Write this name of the model, not the one that the stream says.",
)
@click.option(
    "--id",
    "answer_id",
    metavar="ID",
    help="Write this id of the answer, not the one that the stream says. Without both, ids are made up, for calls too.",
)
@click.option(
    "--created",
    type=int,
    metavar="SECONDS",
    help="Write this time of the answer, in seconds since 1970, not the one that the stream says, or the current one.",
)
@click.option("--report", type=FILE, metavar="FILE", help="Write the findings and losses to FILE, as JSON.")
@format_options
@click.option("-v", "--verbose", is_flag=True, help="Print every finding and loss, also those of ids and layout.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing on stderr but errors.")
def stream(
    file: str,
    source: str | None,
    target: str,
    prefix: str | None,
    prompted: bool,
    profile: str | None,
    request: str | None,
    finish_reason: Reason | None,
    show: tuple[str, ...],
    debug_view: bool,
    model: str,
    answer_id: str | None,
    created: int | None,
    report: str | None,
    options: Options,
    verbose: bool,
    quiet: bool,
) -> None:
    """Convert FILE (or standard input) while it arrives. What is certain is written at once.

    Streams for clients, such as openai-sse, get no private reasoning and no instructions, unless --show asks for them.
    Text formats get everything.

    \b
    cat answer.txt | ocml-convert stream -f harmony -t openai-sse
    """  # noqa: D301  # not raw: after a backspace, click keeps the lines as they are
    from ..pipe import answer_ids, decoder, encoder

    refuse_same_file({"the input": file, "--request": request}, {"standard output": STANDARD, "--report": report})
    given = {"id": answer_id, "created": created}
    answer = Answer(
        id=answer_id or f"{answer_ids(target)}{os.urandom(12).hex()}",
        model=model,
        created=int(time.time()) if created is None else created,
        call_id=numbered if answer_id else lambda _: f"call_{os.urandom(12).hex()}",
        provisional=frozenset(name for name, value in given.items() if value is None),
    )
    answering, read_as = _model(source, prefix, prompted=prompted, profile=profile, request=request)
    if answering is None:
        reader = decoder(read_as, options=options)
    else:
        with about(request or STANDARD):
            reader = answering.answering(None if request is None else read_bytes(request), options=options)
    relay = _Relay(
        reader,
        encoder(target, answer=answer, options=options, visibility=_visibility(target, show, debug=debug_view)),
        tokens=read_as.endswith(_TOKENS),
    )
    relay.begin(prefix or "")
    with about(file), ExitStack() as stack:
        opened = standard_input() if file == STANDARD else stack.enter_context(open(file, "rb"))
        relay.run(opened, finish_reason)
    if report is not None:
        write_all({report: jsontext.dumps(relay.report(read_as, target), pretty=True) + b"\n"})
    if not quiet:
        warn(file, relay.findings, verbose=verbose)
        warn(file, relay.target.losses, verbose=verbose)
        if not is_lossless(relay.target.losses):
            say(f"{shown(file)}: {summary(target, relay.target.losses)}")
    if relay.problem is not None:
        with about(file):
            raise relay.problem


def _visibility(target: str, show: tuple[str, ...], *, debug: bool) -> Visibility | None:
    """Return what is written; None for the default of the target.

    Raises:
        BridgeError: E-PERM-VISIBILITY for private content without the opt-in; OCB-OPTION for an unknown value.
    """
    from ..chat.visibility import Visibility
    from ..pipe import audience

    chosen, seen = Visibility(frozenset(show), debug=debug), audience(target)
    if not show:
        return None
    if seen is None:
        raise BridgeError(
            ErrorCode.OPTION, f"--show is for streams that hide something, but {target} gets everything; leave it out"
        )
    return Visibility(seen.show | chosen.show, debug=True)


def _model(
    source: str | None, prefix: str | None, *, prompted: bool, profile: str | None, request: str | None
) -> tuple[Profile | None, str]:
    """Return the profile of the answer (None if the stream is not an answer), and the stream's id.

    Raises:
        BridgeError: OCB-OPTION if options are missing or contradict each other.
    """
    from ..profiles import default_profile
    from ..profiles import profile as find

    answers = prompted or request is not None
    if [prompted, prefix is not None, profile is not None].count(True) > 1:
        detail = "--prompted, --prefix and --profile each say what comes before the stream; use one"
        raise BridgeError(ErrorCode.OPTION, detail)
    if request is not None and prefix is not None:
        raise BridgeError(ErrorCode.OPTION, "--prefix and --request each say what comes before the stream; use one")
    if source is None and profile is None:
        raise BridgeError(
            ErrorCode.OPTION, "name the stream's format with --from, or the --profile whose prompt it answers"
        )
    if answers and source is not None and source.partition(":")[0] not in registry.formats():
        raise BridgeError(ErrorCode.OPTION, f"{source} has no generation prompt; --prompted is for formats only")
    if profile is None and source is not None:
        model = default_profile(source) if request is not None else find(None, source) if prompted else None
        return model, source
    model = find(profile, source)
    return model, source or model.adapter.id


class _Relay:
    """Passes on a stream.

    Args:
        source: the decoder of the input.
        target: the encoder of the output.
        tokens: whether the input is token ids.

    Attributes:
        target: the encoder of the output.
        findings: what was repaired.
        reason: the reason why the stream ended.
        problem: the error of the command; None for none.
    """

    def __init__(self, source: Decoder, target: Encoder, *, tokens: bool) -> None:
        self.target = target
        self.findings: list[Finding] = []
        self.reason: Reason | None = None
        self.problem: BridgeError | None = None
        self._error: ErrorCode | None = None
        self._source = source
        self._last = b""
        self._utf8 = Utf8()
        self._numbers = Numbers() if tokens else None

    def begin(self, prefix: str) -> None:
        """Read the text before the stream, which is not passed on; an open message in it is continued.

        Raises:
            BridgeError: if it is not of the format.
        """
        if not prefix:
            return
        events = (
            self._take(prefix)
            if self._numbers is None
            else self._source.feed_tokens(Numbers().feed(prefix, final=True))
        )
        ended = {event.number for event in events if isinstance(event, End)}
        self._pass(event for event in events if isinstance(event, Start) and event.number not in ended)

    def run(self, source: BinaryIO, reason: Reason | None) -> None:
        """Pass on the stream; an error is written to the output, and kept as `problem`.

        Raises:
            OSError: if it cannot be read or written.
        """
        try:
            for data in chunks(source):
                self._pass(self._take(self._utf8.feed(data)))
            self._pass(self._take(self._utf8.feed(b"", final=True), final=True))
        except BridgeError as error:
            self._break(error)
        else:
            self._finish(reason)
        self._write([line_end(STANDARD, self._last)])
        if self._utf8.is_broken:
            detail = "bytes that are not UTF-8 became U+FFFD"
            self.findings.append(Finding(FindingCode.ENCODING, Severity.CHANGED, "", detail))

    def _take(self, text: str, *, final: bool = False) -> list[Event]:
        if self._numbers is None:
            return self._source.feed(text)
        return self._source.feed_tokens(self._numbers.feed(text, final=final))

    def _finish(self, reason: Reason | None) -> None:
        try:
            self._pass(self._source.finish(reason))
            self._write(self.target.finish())
        except BridgeError as error:
            self._break(error)
        if self.reason in _BROKEN:
            self.problem = BridgeError(self._error or ErrorCode.STREAM_TRUNCATED, _BROKEN[self.reason])

    def _break(self, error: BridgeError) -> None:
        """End the output with the error."""
        self.problem = error
        rest = self._source.finish("error")
        if error.exit_code != ExitCode.REFUSED:  # an encoder that refuses what comes next gets no more of it
            self._pass(event for event in rest if not isinstance(event, Stop))
        self._write(self.target.fail(error.code, error.message))
        self._pass(event for event in rest if isinstance(event, Stop))

    def _pass(self, events: Iterable[Event]) -> None:
        seen = [*events]
        for event in seen:
            if isinstance(event, Finding):
                self.findings.append(event)
            elif isinstance(event, Stop):
                self.reason, self._error = event.reason, event.error
                if event.declaration_at is not None:
                    self.findings = without_message(self.findings, event.declaration_at)
        self._write(self.target.encode(seen))

    def _write(self, made: Iterable[bytes]) -> None:
        with about("<stdout>"):
            for data in made:
                pour(STANDARD, data)
                self._last = data or self._last

    def report(self, source: str, target: str) -> dict[str, object]:
        """Return the report, as `convert --report` does, with the reason why the stream ended."""
        return {
            "source": source,
            "target": target,
            "reason": self.reason,
            "lossless": is_lossless(self.target.losses),
            "findings": [note.to_json() for note in self.findings],
            "losses": [note.to_json() for note in self.target.losses],
        }
