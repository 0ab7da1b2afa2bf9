"""Write guides as grammars (GBNF), stretch by stretch."""

from __future__ import annotations

from .....formats.guidance import Frame, Guide, Members, Several, Step, Stretch, Text
from .....model import Json
from .gbnf_json import JSON, Schema
from .gbnf_members import MemberRules
from .gbnf_rules import TOKEN, Rules, literal, sequence


def grammar(guide: Guide) -> str:
    """Return the grammar that enforces a guide."""
    rules = Rules()
    return _written(sequence(*(_step(step, rules) for step in guide)), rules)


def members_grammar(schema: Json, members: Members) -> str:
    """Return the grammar of an object's members."""
    rules = Rules()
    return _written(MemberRules(schema, members, rules).rule, rules)


def _written(root: str, rules: Rules) -> str:
    return "\n".join(f"{name} ::= {body}" for name, body in {"root": root, **rules.made, **JSON}.items())


def _step(step: Step, rules: Rules) -> str:
    either = " | ".join(_stretch(each, rules) for each in step.choices)
    return f"({either}){'?' if step.optional else ''}"


def _stretch(stretch: Stretch, rules: Rules) -> str:
    match stretch:
        case Frame():
            return _frame(stretch, rules)
        case Several():
            return _several(stretch, rules)
        case Text():
            text = rules.text(TOKEN, stretch.trigger)
            if stretch.frames is None:
                return text
            return sequence(
                text, f"({_several(stretch.frames, rules)} {text}){'?' if stretch.frames.only_one else '*'}"
            )


def _several(several: Several, rules: Rules) -> str:
    one = rules.either(_frame(frame, rules) for frame in several.frames)
    more = "" if several.only_one else f"({sequence(literal(several.between), one)})*"
    return sequence(literal(several.begin), one, more, literal(several.end))


def _frame(frame: Frame, rules: Rules) -> str:
    if frame.schema is None:
        body = rules.text(TOKEN, *([frame.end] if frame.end else ()))
    elif frame.members is not None:
        body = MemberRules(frame.schema, frame.members, rules).rule
    else:
        body = Schema(frame.schema, rules).value(frame.schema)
    return sequence(literal(frame.begin), body, literal(frame.end))
