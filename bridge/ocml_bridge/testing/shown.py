"""Show documents, and where two of them differ, in the message of a check that fails."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

from ..json_values import jsontext
from ..model import Document
from ..model.codec import to_json
from ..model.diff import ABSENT, Difference, diff

_MANY: Final = 5
"""How many differences are shown."""


def shown(value: object) -> str:
    """Return a document, or a value of one, as JSON."""
    return "nothing" if value is ABSENT else jsontext.dumps(to_json(value)).decode("utf-8", "replace")


def differences(old: Document, new: Document, names: tuple[str, str]) -> str:
    """Return where two documents differ, one place in a line, and both documents.

    Args:
        old: the one.
        new: the other.
        names: what they are.
    """
    return "\n".join((*places(diff(old, new), names), f"{names[0]}: {shown(old)}", f"{names[1]}: {shown(new)}"))


def places(found: Iterable[Difference], names: tuple[str, str]) -> list[str]:
    """Return the first differences, one in a line: `/messages/0/name: "bob" in the document, nothing in the output`.

    Args:
        found: the differences.
        names: what the old and the new document are.
    """
    return [
        f"{each.path}: {shown(each.old)} in {names[0]}, {shown(each.new)} in {names[1]}"
        for each in islice(found, _MANY)
    ]
