"""Read the simulations of tau2-bench: a conversation of an agent and a person for each, as Chat Completions has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..fitting import as_list, objects_of
from ..layout import Document, Object, Wording
from ..messages import are_messages
from ..trees import rest
from ..turns import MESSAGES, read_messages

SIMULATIONS: Final = "simulations"


def are_simulations(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold simulations, each of a task, and one of them with messages."""
    simulations = objects_of(fields.get(SIMULATIONS))
    found = [each.get(MESSAGES) for each in simulations]
    return all("task_id" in each for each in simulations) and any(are_messages(each, wording) for each in found)


def read_simulations(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of each simulation, with what else is known of it in a column.

    Simulations without messages are beside the first one.

    Raises:
        BridgeError: OCB-SHAPE if a value is not a message.
    """
    items = objects_of(fields[SIMULATIONS])
    silent: list[Json] = [each for each in items if _is_silent(each)]
    documents: list[Document] = []
    for at, each in enumerate(items):
        if _is_silent(each):
            continue
        [document] = read_messages({MESSAGES: each[MESSAGES]}, wording)
        beside: list[Json] = [rest(each, (MESSAGES,)), *([] if documents else silent)]
        documents.append(document._replace(path=f"/{SIMULATIONS}/{at}/{MESSAGES}", extra_columns={SIMULATIONS: beside}))
    return documents


def _is_silent(simulation: Object) -> bool:
    return not as_list(simulation.get(MESSAGES))
