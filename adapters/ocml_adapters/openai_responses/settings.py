"""Define the table of parameters: which members of a request or a response are which settings.

`reasoning` and `text` are objects of parameters. A document is unfolded before it is read: `text.format` replaces the
member `format` of `text`, at the same position. Before a document is written, it is folded again.
"""

from __future__ import annotations

import re
from typing import Final, cast

from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import Parameters, parameter, plain_parameter, schema_members, usage_at
from ocml_bridge.model import AnswerFormat, Json
from ocml_bridge.model import settings as plain
from ocml_bridge.wires.tool_choices import ToolChoices

from .calls import read_name, recipient, tool_name
from .syntax import FOLDED

# --- tool choice ------------------------------------------------------------------------------------------------------

_KINDS: Final = ("function", "custom")
_NAMING: Final = frozenset({"type", "name", "namespace"})


def _recipient(members: Object) -> str | None:
    name = read_name(members) if members.get("type") in _KINDS else None
    return recipient(name) if name is not None and name.name else None


def _is_name(members: Object) -> bool:
    return members.keys() <= _NAMING


def _named(tool: str) -> Object:
    namespace, name = tool_name(tool)
    out: Object = {"type": "function", "name": name}
    return out if namespace is None else {**out, "namespace": namespace}


def _as_custom(tool: Object) -> Object:
    return {**tool, "type": "custom"}


TOOL_CHOICES: Final = ToolChoices(
    recipient=_recipient, is_name=_is_name, named=_named, as_custom=_as_custom, nested=False
)

# --- the form of the answer -------------------------------------------------------------------------------------------


def _write_answer_format(form: AnswerFormat) -> Json:
    return {"type": form.type, **schema_members(form)}


# --- the table --------------------------------------------------------------------------------------------------------


PARAMETERS: Final = Parameters(
    {
        **{
            field: plain_parameter(field)
            for field in (
                *("model", "temperature", "top_p", "top_k", "seed", "stop"),
                *("presence_penalty", "frequency_penalty", "repetition_penalty", "parallel_tool_calls"),
            )
        },
        **{name: parameter(name, read) for name, read in plain.SERVICE.items()},
        "max_output_tokens": plain_parameter("max_tokens"),
        "reasoning.effort": plain_parameter("reasoning_effort"),
        "text.verbosity": plain_parameter("verbosity"),
        "text.format": parameter("response_format", plain.answer_format, _write_answer_format),
        "tool_choice": parameter("tool_choice", TOOL_CHOICES.read, TOOL_CHOICES.write),
        "usage": usage_at(
            {
                "input_tokens": ("input_tokens",),
                "output_tokens": ("output_tokens",),
                "total_tokens": ("total_tokens",),
                "cached_tokens": ("input_tokens_details", "cached_tokens"),
                "reasoning_tokens": ("output_tokens_details", "reasoning_tokens"),
            }
        ),
    }
)
"""The settings by the keys of unfolded documents."""

_DOTTED: Final = re.compile(rf"\.*(?:{'|'.join(FOLDED)})\.")
"""The beginnings of unfolded keys. Keys of a document that begin so get one more dot before them."""


def unfolded(document: Object) -> Object:
    """Return a document with the members of folded objects as its own; the same object if there are none."""
    if not any(key in FOLDED or _DOTTED.match(key) for key in document):
        return document
    out: Object = {}
    for key, value in document.items():
        if key in FOLDED and value and isinstance(value, dict):
            out |= {f"{key}.{name}": member for name, member in cast("Object", value).items()}
        else:
            out[f".{key}" if _DOTTED.match(key) else key] = value
    return out


def folded(document: Object) -> Object:
    """Return an unfolded document as it is written; the same object if there is nothing to fold."""
    if not any(_DOTTED.match(key) for key in document):
        return document
    out: Object = {}
    for key, value in document.items():
        if not _DOTTED.match(key):
            out[key] = value
        elif key.startswith("."):
            out[key[1:]] = value
        else:
            outer, _, name = key.partition(".")
            inner: Json = out.setdefault(outer, {})
            if isinstance(inner, dict):
                inner[name] = value
    return out
