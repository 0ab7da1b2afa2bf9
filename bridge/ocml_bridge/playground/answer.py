"""What the page asks and what it is answered: bytes and wishes in, JSON out. It runs in the browser."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from .. import registry
from ..convert import Reading, Result, make_sidecar, read, write
from ..detection import detect
from ..errors import BridgeError, ErrorCode
from ..formats.adapter import Adapter, Options
from ..json_values import jsontext
from ..model import Json
from ..profiles import Prompt, profile, profiles_of
from ..report.policy import LENIENT
from ..split import split
from ..view import DEBUG
from ..view.compare import compared
from ..view.html import panels

LONGEST: Final = 300_000
"""Bytes of an input that is taken back and forth to see what comes back of it."""


class Wish(NamedTuple):
    """What somebody wants of an input.

    Attributes:
        source: the format that it is in; None to detect it.
        target: the format to write; "" for the one that the profile's models read.
        profile: the model whose prompt is wanted; "" for a conversion.
        which: of an input with several conversations, the index of the one that is wanted.
        drawn: whether the answer has HTML to look at.
    """

    source: str | None = None
    target: str = ""
    profile: str = ""
    which: int = 0
    drawn: bool = True


def catalogue() -> str:
    """What can be chosen, as JSON: formats with their dialects, and profiles."""
    adapters = [registry.adapter(name)[0] for name in registry.formats()]
    # A profile of several formats is that of the first.
    profiles = {model.name: model.format for adapter in reversed(adapters) for model in profiles_of(adapter)}
    return _dumps(
        {
            "formats": [
                {"id": each.id, "title": each.title, "kind": str(each.kind), "dialects": list(each.dialects)}
                for each in adapters
            ],
            "profiles": [{"name": name, "format": name_of} for name, name_of in profiles.items()],
        }
    )


def answer(data: bytes | memoryview, wish_as_json: str) -> str:
    """Convert an input.

    Args:
        data: as it was pasted or dropped.
        wish_as_json: a `Wish` as JSON.

    Returns:
        JSON: `output`, `report`, and what there is to see; or `error`, with its place, where there is nothing to give.
    """
    data, wish = bytes(data), Wish(**jsontext.loads(wish_as_json))
    source = None
    try:
        data, reading, count = _read(data, wish)
        source = registry.adapter(reading.source)[0]
        result = _result(reading, wish)
        return _dumps({**_recognised(source), "conversations": count, **_answered(data, reading, result, wish)})
    except BridgeError as error:
        return _dumps({**_recognised(source), "error": error.locate(data).to_json()})


def _read(data: bytes, wish: Wish) -> tuple[bytes, Reading, int]:
    """The conversation that is wanted: its bytes, what it says, and how many there are."""
    try:
        return data, read(data, wish.source), 1
    except BridgeError as error:
        if error.code is not ErrorCode.SEVERAL:
            raise
    source = wish.source or detect(data)
    parts = split(data, source)
    value = parts[min(wish.which, len(parts) - 1)].value
    options = Options(force_format=wish.source is None)
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    one = value if isinstance(value, bytes) else jsontext.dumps(value) + b"\n"
    return one, read(one, source, options=options), len(parts)


def _recognised(source: Adapter | None) -> dict[str, Json]:
    """What an input was recognised as."""
    return {} if source is None else {"source": source.id, "title": source.title}


def _result(reading: Reading, wish: Wish) -> Result:
    if wish.profile:
        model = profile(wish.profile, wish.target or None)
        return model.prompt(reading, policy=LENIENT, spans=model.adapter.frame_marks is not None)
    spans = registry.adapter(wish.target)[0].frame_marks is not None
    result = write(reading.transcript, wish.target, policy=LENIENT, spans=spans)
    return replace(result, findings=reading.findings, source=reading.source)


def _answered(data: bytes, reading: Reading, result: Result, wish: Wish) -> dict[str, Json]:
    out: dict[str, Json] = {
        "target": result.target,
        "kind": str(registry.adapter(result.target)[0].kind),
        "output": result.encode().decode("utf-8", "surrogatepass"),
        "lossless": result.lossless,
        "report": result.report(),
    }
    if wish.drawn:
        out["pretty"] = result.encode(pretty=True).decode("utf-8", "surrogatepass")
        name = f"prompt of {wish.profile}" if wish.profile else wish.target
        beside = compared(result, reading.findings, name=name, visibility=DEBUG)
        out["panels"] = panels(beside, source=registry.adapter(reading.source)[0].title)
        out["back"] = _back(data, reading, result)
    return out


def _back(data: bytes, reading: Reading, result: Result) -> str:
    """Whether the input comes back: of the output alone, and with its sidecar; "" where that is not looked at.

    Returns:
        `alone` or `sidecar`, with `bytes` or `values` behind it: what is the same. `no` where neither is.
    """
    if isinstance(result, Prompt) or len(data) > LONGEST:
        return ""
    options = Options(force_format=True)
    try:
        for how, sidecar in (("alone", None), ("sidecar", make_sidecar(result))):
            back = read(result.encode(), result.target, options=options, sidecar=sidecar)
            again = write(back.transcript, reading.source, policy=LENIENT)
            same = _same(data, again)
            if same:
                return f"{how} {same}"
    except BridgeError:
        return "no"
    return "no"


def _same(data: bytes, again: Result) -> str:
    """What is the same of an input and of what was written: `bytes`, `values`, or "" for neither."""
    if again.encode() == data:
        return "bytes"
    if isinstance(again.output, str):
        return ""
    try:
        return "values" if jsontext.loads(data) == again.output else ""
    except BridgeError:
        return ""


def _dumps(value: Json) -> str:
    return jsontext.dumps(value).decode()
