"""Read and write declared tools: objects with a `type`, and with another object under the key that the type names."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, cast

from ocml_bridge.chat.cache_marks import CONTROL
from ocml_bridge.chat.tool_cache import cached_reader, cached_writer
from ocml_bridge.chat.turns import full_name, split_name
from ocml_bridge.formats.prompting import HostedTool
from ocml_bridge.json_values.form import OBJECT, Object, add, form_of, rest, set_apart, shape, with_apart
from ocml_bridge.json_values.parameters import items_of, members_of
from ocml_bridge.model import Json, Settings, Tool, Transcript, replace
from ocml_bridge.wires.freeform import FORMAT, read_freeform, write_freeform
from ocml_bridge.wires.surroundings import OF_CALLS

from .calls import kind_of
from .settings import PARAMETERS
from .syntax import CACHE, CUSTOM, DECLARATION_KEYS, DECLARATION_ORDER, FUNCTION, HOME, NOTES, TOOL_KEYS, TOOL_ORDER

# --- declared tools ---------------------------------------------------------------------------------------------------

_PLAIN_TOOL: Final = ("type", "function")
_ORDERS: Final = {FUNCTION: DECLARATION_ORDER, CUSTOM: DECLARATION_ORDER[:2]}
"""The keys of each kind of tool that the canonical form has, in the order in which they are written."""
_PLAIN_DECLARATIONS: Final = (DECLARATION_ORDER[:-1], DECLARATION_ORDER)


def read_tools(raws: list[Json], *, legacy: bool = False) -> tuple[tuple[Tool, ...], list[Object]]:
    """Return the declared tools, and the items of other types, each with its index.

    Args:
        raws: the items of `tools`, or of the deprecated `functions`.
        legacy: whether they are the items of `functions`, which have no outer object.
    """
    tools, others = set_apart(raws, _read_legacy if legacy else _read_tool)
    return tuple(tools), others


def _read_legacy(value: Json) -> Tool | None:
    return _read_tool({"type": FUNCTION, FUNCTION: value})


@cached_reader
def _read_tool(value: Json) -> Tool | None:
    if not isinstance(value, OBJECT):
        return None
    item: Object = value
    if tuple(item) == _PLAIN_TOOL and (plain := _read_plain_tool(item)) is not None:
        return plain
    kind = kind_of(item)
    if kind is None:
        return None
    inner = cast("Object", item[kind])
    name, description = inner.get("name"), inner.get("description")
    if not isinstance(name, str) or not (description is None or isinstance(description, str)):
        return None
    order = _ORDERS[kind]
    if "strict" in order and not (inner.get("strict") is None or isinstance(inner["strict"], bool)):
        order = order[:-1]
    values = {key: inner[key] for key in order if inner.get(key) is not None}
    freeform, spelled = read_freeform(inner.get(FORMAT), nested=True) if kind == CUSTOM else (None, None)
    mark, mark_inside = map(CONTROL.read, (item, inner))
    is_inside = mark is None and mark_inside is not None
    known = ("type", kind, *(() if mark is None else (CACHE,)))
    known_inside = (*order, *(() if spelled is None else (FORMAT,)), *((CACHE,) if is_inside else ()))
    extras, more = rest(item, known), rest(inner, known_inside)
    forms = {
        "form": form_of(item, TOOL_ORDER, TOOL_KEYS, (kind,)),
        "inner": form_of(inner, (*order, FORMAT, CACHE), DECLARATION_KEYS, [*values]),
        FORMAT: spelled or None,
        CACHE: FUNCTION if is_inside else None,
    }
    namespace, bare = split_name(name)
    return Tool(
        *(bare, description, values.get("parameters"), namespace),
        extras=NOTES.by_format({**extras, kind: more} if more else extras),
        layout=NOTES.by_format({key: form for key, form in forms.items() if form is not None}),
        strict=values.get("strict"),
        freeform=freeform,
        cache=mark or mark_inside,
    )


def _read_plain_tool(item: Object) -> Tool | None:
    """Read a function with all members in the usual order: the fast path of most tools; None for any other."""
    kind, inner = item.values()
    if kind != FUNCTION or inner.__class__ is not dict or tuple(inner) not in _PLAIN_DECLARATIONS:
        return None
    name, description, parameters, *more = inner.values()
    strict = more[0] if more else None
    if not (isinstance(name, str) and isinstance(description, str)) or parameters is None:
        return None
    if more and not isinstance(strict, bool):
        return None
    namespace, bare = split_name(name)
    return Tool(bare, description, parameters, namespace, strict=strict)


def write_tools(tools: Sequence[Tool], others: Json, *, legacy: bool = False) -> list[Json]:
    """Return the items of `tools`, or of the deprecated `functions`, with those of other types at their indexes."""
    written = [_write_tool(tool)[FUNCTION] if legacy else _write_tool(tool) for tool in tools]
    return written if others is None else with_apart(written, others)


def is_custom_tool(tool: Tool) -> bool:
    """Return whether a declared tool is a custom one, whose input is not JSON."""
    return tool.freeform is not None


@cached_writer
def _write_tool(tool: Tool) -> Object:
    kind = CUSTOM if is_custom_tool(tool) else FUNCTION
    inner: Object = {"name": full_name(tool)}
    if tool.description is not None:
        inner["description"] = tool.description
    if tool.parameters is not None and kind == FUNCTION:
        inner["parameters"] = tool.parameters
    if tool.strict is not None and kind == FUNCTION:
        inner["strict"] = tool.strict
    if tool.extras is None and tool.layout is None and tool.freeform is None and tool.cache is None:
        return {"type": FUNCTION, FUNCTION: inner}
    marked = CONTROL.write(tool.cache)
    extras, layout = NOTES.of(tool.extras), NOTES.of(tool.layout)
    if tool.freeform is not None:
        inner |= write_freeform(tool.freeform, layout.get(FORMAT), nested=True)
    if CACHE in layout:
        inner, marked = {**inner, **marked}, {}
    inner = add(inner, extras.get(kind))
    out = add({"type": kind, kind: shape(inner, layout.get("inner"), fixed=inner), **marked}, extras)
    return shape(out, layout.get("form"), fixed=(kind,), implied=("type",))


# --- tools that no client runs ----------------------------------------------------------------------------------------

_TEMPLATE: str = "chat_template_kwargs"
_NAMES: str = "builtin_tools"


def hosted_tools(request: Transcript, kinds: Collection[str]) -> tuple[Transcript, tuple[HostedTool, ...]]:
    """Take the tools of some types out of a request.

    They are items of `tools` with such a type, and names in the parameter `builtin_tools` of a chat template.

    Args:
        request: the request.
        kinds: the types.

    Returns:
        The request without these tools, and the tools.
    """
    own_extras: Object = dict(NOTES.of(request.extras))
    hosted: list[HostedTool] = []
    place = f"/extras/{HOME}"
    remaining: list[Json] = []
    for index, entry in enumerate(items_of(own_extras.get("tools"))):
        tool = members_of(members_of(entry).get("tool"))
        kind = tool.get("type")
        if isinstance(kind, str) and kind in kinds:
            says_more = any(value not in (None, {}, kind) for value in tool.values())
            hosted.append(HostedTool(kind, f"{place}/tools/{index}/tool", says_more=says_more))
        else:
            remaining.append(entry)
    if hosted:
        own_extras["tools"] = remaining
    hosted += _named(own_extras, kinds, place)
    arguments = dict(members_of(own_extras.get(_TEMPLATE)))
    of_template = _named(arguments, kinds, f"{place}/{_TEMPLATE}")
    if of_template:
        own_extras[_TEMPLATE] = arguments
    hosted += of_template
    if not hosted:
        return request, ()
    for key in ("tools", _TEMPLATE):
        if not own_extras.get(key):
            own_extras.pop(key, None)
    settings = request.settings if "tools" in own_extras else _with_choice(request.settings, own_extras)
    extras = {**(request.extras or {}), HOME: own_extras}
    if not own_extras:
        del extras[HOME]
    return replace(request, extras=extras or None, settings=settings), tuple(hosted)


def _with_choice(settings: Settings | None, extras: Object) -> Settings | None:
    """Move the settings for calls from the extras of a request into its settings, if it has no other such tools."""
    result = PARAMETERS.read({key: extras[key] for key in sorted(OF_CALLS & extras.keys())})
    for key in result.keys:
        del extras[key]
    if result.settings is None:
        return settings
    chosen = {field: value for field in OF_CALLS if (value := getattr(result.settings, field)) is not None}
    return replace(settings or Settings(), **chosen)


def _named(members: Object, kinds: Collection[str], place: str) -> list[HostedTool]:
    """Take the names of tools out of the parameter of a chat template, if all its names are of these types."""
    names = items_of(members.get(_NAMES))
    if not names or not all(isinstance(name, str) and name in kinds for name in names):
        return []
    del members[_NAMES]
    return [HostedTool(cast("str", name), f"{place}/{_NAMES}/{at}") for at, name in enumerate(names)]
