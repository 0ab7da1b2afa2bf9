"""List the kinds of what programs keep of chats among people, with the commands that make messages of them.

Who of them is to be the user and who the assistant, only a person can say: in a plan, with `roles`.
"""

from __future__ import annotations

from typing import Final

from .marks import Kind, Place, beginning, holding, marked, words

_D, _M = Place.DOCUMENT, Place.MESSAGE
_ROLES: Final = "name the role of each person in the plan"

PEOPLE: Final[tuple[Kind, ...]] = (
    Kind(
        "a chat of Messenger or Instagram",
        (marked(_M, "role", sender_name=str, timestamp_ms=int),),
        advice="make messages of its texts, the latest of which is first: jq -c '{messages: [.messages | reverse[] | "
        f"select(.content) | {{role: .sender_name, content}}]}}' FILE; {_ROLES}",
    ),
    Kind(
        "a channel of Slack",
        (
            marked(_M, "role", "content", ts=str, text=str, type=words("message")),
            marked(_D, "role", "content", ts=str, text=str, type=words("message")),
        ),
        advice="make messages of its texts: jq -c '{messages: [(.messages? // .)[] | select(.text and ((.subtype // "
        '"bot_message") == "bot_message")) | {role: (.user // .username // .bot_id), content: .text}]}\' FILE; '
        f"{_ROLES}",
    ),
    Kind(
        "a channel of Discord",
        (marked(_M, "role", author=holding("isBot"), content=str), marked(_D, guild=dict, channel=dict, messages=list)),
        advice="make messages of its texts: jq -c '{messages: [(.messages? // .)[] | select(.content) | "
        f"{{role: .author.name, content}}]}}' FILE; {_ROLES}",
    ),
    Kind(
        "a chat of Telegram",
        (marked(_M, "role", text_entities=list, from_id=str), marked(_D, text_entities=list, from_id=str)),
        advice="make messages of its texts: jq -c '(.chats.list? // [.])[] | {messages: [.messages[] | "
        'select(.type == "message") | {role: .from, content: ([.text_entities[].text] | join(""))}]}\' FILE; '
        f"{_ROLES}",
    ),
    Kind(
        "a space of Google Chat",
        (marked(_M, "role", creator=holding("user_type"), topic_id=str),),
        advice="make messages of its texts: jq -c '{messages: [.messages[] | select(.text) | "
        f"{{role: .creator.name, content: .text}}]}}' FILE; {_ROLES}",
    ),
)

TEXTS_OF_PEOPLE: Final[tuple[Kind, ...]] = (
    beginning(
        "a chat of WhatsApp",
        r"\u200e?(\[?\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?"
        r"(?:\]| -)) [^\n]",
        "`[12/01/2024, 10:00:00]`, or `12/01/2024, 10:00 -`, before who writes",
        advice=(
            "remove the times from its lines, and write who is the user and who is the assistant: "
            r"sed -E 's/^\[?[0-9][^A-Za-z]*([AaPp][.]?[Mm][.]?)?[^A-Za-z]*(\]|-) //; s/^Ann:/USER:/; "
            "s/^Bob:/ASSISTANT:/' FILE; `ocml-convert batch --plan dialogue` reads such texts"
        ),
    ),
)
