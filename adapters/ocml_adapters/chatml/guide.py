"""What an answer of a ChatML model looks like that an engine is to hold the model to: behind what the prompt begins."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ocml_bridge.formats.guidance import Frame, Guide, Members, Several, Step, Text, Wanted

from .families import FAMILIES, Family, Markup
from .markup.calls_python import END as LIST_END
from .markup.calls_python import START as LIST
from .markup.calls_xml import TAGS
from .profile import TEMPLATES, Template

_NAME: Final = re.compile(r"[a-zA-Z0-9_.-]+")


class CallForm(NamedTuple):
    """How a call looks.

    Attributes:
        trigger: what a call, or a list of calls, begins with.
        before: what stands before the function's name.
        behind: what stands between the name and the arguments.
        end: what stands behind the arguments.
        members: how the arguments are written; None for JSON.
        begin: what stands before the first call.
        last: what stands behind the last one.
        between: what stands between two calls; None for what the family has there.
    """

    trigger: str
    before: str
    behind: str
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
    """A thought, where the model thinks; then calls, or the answer.

    Args:
        name: the profile's.
        wanted: what the answer is to be.
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
    """The calls that may be made; None for none, and where a name cannot be spelled."""
    if not wanted.calls or not all(_NAME.fullmatch(name) for name, _ in wanted.calls):
        return None
    form = FORMS[family.calls]
    return Several(
        tuple(
            Frame(f"{form.before}{name}{form.behind}", schema, form.end, form.members) for name, schema in wanted.calls
        ),
        family.call_gap if form.between is None else form.between,
        form.begin,
        form.last or family.end,
        only_one=not wanted.several,
    )


def _thought(template: Template, family: Family, wanted: Wanted) -> tuple[Step, ...]:
    """The thought that comes first: one that the prompt has begun, or one that the model may begin."""
    thoughts = family.thoughts
    close = thoughts.close.lstrip("\n")
    if template.thoughts == "none" or wanted.prefill.rstrip().endswith(close):
        return ()
    end = f"{close}{thoughts.gap_before(call=wanted.must_call)}"
    if template.opening and wanted.prefill.endswith(template.opening):
        return (Step((Frame("", end=end),)),)
    return (Step((Frame(thoughts.open, end=end),), optional=True),)
