"""Describe the answers of a ChatML model for an engine that constrains them: what follows the prompt."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ocml_bridge.formats.guidance import Frame, Guide, Members, Several, Step, Text, Wanted

from .families import FAMILIES, Family
from .headers import CALLS, THOUGHT
from .markup.calls import Markup
from .markup.calls_xml import TAGS
from .markup.segments import DATA, LINES, LINES_END, LIST, LIST_END, PARAMS, PARAMS_END
from .syntax import END, HYPERCLOVA, OLMO, START
from .templates import TEMPLATES, Template

ASSISTANT: Final = "assistant"
_CALLS: Final = f"{CALLS.removeprefix(ASSISTANT)}\n"
"""The rest of the header of calls, which the model writes."""
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
    "params": CallForm(
        PARAMS,
        f'{PARAMS}"',
        '">',
        PARAMS_END,
        Members('<param name="', '">', "</param>", forbidden=("</param>", PARAMS_END, DATA)),
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
OWN_FORMS: Final[dict[str, CallForm]] = {
    OLMO: CallForm(
        LINES,
        "",
        "(",
        ")",
        Members("", "=", between=", ", quote='"'),
        begin=LINES,
        last=LINES_END,
        between="\n",
    ),
    HYPERCLOVA: CallForm(_CALLS, '{"name": "', '", "arguments": ', "}", begin=f"{_CALLS}[", last="]", between=", "),
}
"""Family → the form of its calls, if it is not that of all calls in its syntax."""


def guide(name: str, wanted: Wanted) -> Guide | None:
    """Return the steps of an answer: a thought if the model thinks, then calls or the answer.

    None if nothing is constrained, or if what is wanted cannot be.

    Args:
        name: the name of the profile.
        wanted: the required answer.
    """
    template = TEMPLATES[name]
    if template.decides and wanted.prefill.endswith(f"{ASSISTANT}\n"):
        return None
    family = FAMILIES[template.family] if template.family is not None else None
    calls = None if family is None else _calls(wanted, family)
    if calls is None and (wanted.must_call or (wanted.calls and family is not None)):
        return None
    thought = () if family is None else _thought(template, family, wanted)
    if wanted.answer is not None and not wanted.must_call:
        answer = Frame("\n" if template.decides else "", wanted.answer)
        return (*thought, Step((answer,) if calls is None else (calls, answer)))
    if wanted.must_call and calls is not None:
        return (*thought, Step((calls,)))
    return None if family is None else (*thought, Step((Text(_form_of(family).trigger, calls),)))


def _calls(wanted: Wanted, family: Family) -> Several | None:
    """Return the calls that may be made; None if there are none, or if a name cannot be written."""
    if not wanted.calls or not all(_NAME.fullmatch(name) for name, _ in wanted.calls):
        return None
    form = _form_of(family)
    return Several(
        tuple(
            Frame(f"{form.before}{name}{form.after}", schema, form.end, form.members) for name, schema in wanted.calls
        ),
        family.call_gap if form.between is None else form.between,
        form.begin,
        form.last or family.end,
        only_one=not wanted.several,
    )


def _form_of(family: Family) -> CallForm:
    """Return the form of a family's calls."""
    return OWN_FORMS.get(family.name) or FORMS[family.calls]


def _thought(template: Template, family: Family, wanted: Wanted) -> tuple[Step, ...]:
    """Return the thought that comes first: one that the prompt has begun, or one that the model may begin."""
    if family.apart is not None:
        end = f"{END}\n{START}{ASSISTANT}"
        if wanted.prefill.endswith(f"{THOUGHT}\n"):
            return (Step((Frame("", end=end),)),)
        return (Step((Frame(f"{THOUGHT.removeprefix(ASSISTANT)}\n", end=end),), optional=True),)
    thoughts = family.thoughts
    close = thoughts.close.lstrip("\n")
    if template.thoughts == "none" or wanted.prefill.rstrip().endswith(close):
        return ()
    end = f"{close}{thoughts.gap_before(call=wanted.must_call)}"
    if template.opening and wanted.prefill.endswith(template.opening):
        return (Step((Frame("", end=end),)),)
    return (Step((Frame(thoughts.open, end=end),), optional=True),)
