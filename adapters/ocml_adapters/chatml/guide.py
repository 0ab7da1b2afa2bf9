"""Describe the answers of a ChatML model for an engine that constrains them: what follows the prompt."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ocml_bridge.formats.guidance import Frame, Guide, Members, Several, Step, Text, Wanted

from .families import FAMILIES, Family, Markup
from .markup.calls_xml import TAGS
from .markup.segments import LIST, LIST_END
from .templates import TEMPLATES, Template

_NAME: Final = re.compile(r"[a-zA-Z0-9_.-]+")


class CallForm(NamedTuple):
    """The text around a call's parts.

    Attributes:
        trigger: what a call, or a list of calls, begins with.
        before: the text before the function's name.
        after: the text between the name and the arguments.
        end: the text after the arguments.
        members: how the arguments are written; None for JSON.
        begin: the text before the first call.
        last: the text after the last call; "" for that of the family.
        between: the text between two calls; None for that of the family.
    """

    trigger: str
    before: str
    after: str
    end: str
    members: Members | None = None
    begin: str = ""
    last: str = ""
    between: str | None = None


FORMS: Final[dict[Markup, CallForm]] = {
    "json": CallForm("<tool_call>", '<tool_call>\n{"name": "', '", "arguments": ', "}\n</tool_call>"),
    "xml": CallForm(
        "<tool_call>",
        "<tool_call>\n<function=",
        ">\n",
        "</function>\n</tool_call>",
        Members("<parameter=", ">\n", "\n</parameter>\n", forbidden=TAGS),
    ),
    "python": CallForm(
        LIST,
        "",
        "(",
        ")",
        Members("", "=", between=", ", quote="'"),
        begin=f"{LIST}[",
        last=f"]{LIST_END}",
        between=", ",
    ),
}


def guide(name: str, wanted: Wanted) -> Guide | None:
    """Return the steps of an answer: a thought if the model thinks, then calls or the answer.

    None if nothing is constrained, or if what is wanted cannot be.

    Args:
        name: the name of the profile.
        wanted: the required answer.
    """
    template = TEMPLATES[name]
    family = FAMILIES[template.family] if template.family is not None else None
    calls = None if family is None else _calls(wanted, family)
    if calls is None and (wanted.must_call or (wanted.calls and family is not None)):
        return None
    thought = () if family is None else _thought(template, family, wanted)
    if wanted.answer is not None and not wanted.must_call:
        answer = Frame("", wanted.answer)
        return (*thought, Step((answer,) if calls is None else (calls, answer)))
    if wanted.must_call and calls is not None:
        return (*thought, Step((calls,)))
    return None if family is None else (*thought, Step((Text(FORMS[family.calls].trigger, calls),)))


def _calls(wanted: Wanted, family: Family) -> Several | None:
    """Return the calls that may be made; None if there are none, or if a name cannot be written."""
    if not wanted.calls or not all(_NAME.fullmatch(name) for name, _ in wanted.calls):
        return None
    form = FORMS[family.calls]
    return Several(
        tuple(
            Frame(f"{form.before}{name}{form.after}", schema, form.end, form.members) for name, schema in wanted.calls
        ),
        family.call_gap if form.between is None else form.between,
        form.begin,
        form.last or family.end,
        only_one=not wanted.several,
    )


def _thought(template: Template, family: Family, wanted: Wanted) -> tuple[Step, ...]:
    """Return the thought that comes first: one that the prompt has begun, or one that the model may begin."""
    thoughts = family.thoughts
    close = thoughts.close.lstrip("\n")
    if template.thoughts == "none" or wanted.prefill.rstrip().endswith(close):
        return ()
    end = f"{close}{thoughts.gap_before(call=wanted.must_call)}"
    if template.opening and wanted.prefill.endswith(template.opening):
        return (Step((Frame("", end=end),)),)
    return (Step((Frame(thoughts.open, end=end),), optional=True),)
